"""What several servers of one PostgreSQL tell each other, as it happens.

Nothing depends on it, as each server looks at the database by itself twice a second; it makes them quick.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import secrets
import socket
from collections.abc import Awaitable, Callable

from equipoise.archive.archive import open_archive
from equipoise.archive.database import file_of
from equipoise.archive.postgresql import listening_arguments
from equipoise.archive.shards import channel_of
from equipoise.archive.tables import ARCHIVE
from equipoise.errors import EquipoiseError

#: Seconds until the next attempt after the connection was lost.
AGAIN = 0.5

#: Characters of what PostgreSQL calls a connection.
LONGEST = 63

log = logging.getLogger(__name__)


def worker_name(store: str) -> str:
    """Return what this server is called among those of a database; empty where it can be the only one."""
    if file_of(store) is not None:
        return ""
    made = f"-{os.getpid()}-{secrets.token_hex(4)}"
    host = re.sub(r"[^A-Za-z0-9._-]", "-", socket.gethostname())
    return f"equipoise-{host}"[: LONGEST - len(made)] + made


def check(store: str) -> None:
    """Look whether several servers can share a database.

    Raises
    ------
    EquipoiseError
        If they cannot, or it cannot be reached.
    """
    with open_archive(store, create=False, waiting=log.warning) as archive:
        archive.check_unpooled()


async def follow_servers(store: str, heard: Callable[[str, str, int], Awaitable[None]]) -> None:
    """Listen to what the servers of a database tell, without end.

    Parameters
    ----------
    store : str
        The database.
    heard : callable
        Called with what it is, of what, and a number.
    """
    while True:
        try:
            await _listen(store, heard)
        except EquipoiseError as error:
            log.debug("other servers are not heard", extra={"why": str(error)})
        await asyncio.sleep(AGAIN)


async def _listen(store: str, heard: Callable[[str, str, int], Awaitable[None]]) -> None:
    import psycopg

    try:
        # All of it over one connection that is given up at once when this is cancelled: nothing waits in a
        # thread for a database that hangs, which the end of the process would have to wait for too.
        connection = await psycopg.AsyncConnection.connect(**listening_arguments(store), autocommit=True)
        async with connection:
            found = await (await connection.execute(f"SELECT salt FROM {ARCHIVE.name}")).fetchone()  # noqa: S608
            if found is None:
                return
            await connection.execute(f'LISTEN "{channel_of(bytes(found[0]))}"')
            async for note in connection.notifies():
                what, _, rest = note.payload.partition(" ")
                name, _, number = rest.partition(" ")
                await heard(what, name, int(number) if number.isdigit() else 0)
    except psycopg.Error as error:
        raise EquipoiseError(" ".join(str(error).split())) from error
