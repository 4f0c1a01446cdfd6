"""What one of several servers of a database owns at a time: the record of a queue, the learning of ratings.

A shard is owned by who holds an advisory lock of PostgreSQL on the very connection that commits what the
owner writes.  Who loses the connection loses the lock and can commit nothing more: there is nothing to agree
on, and no second service that could be away.  The wall behind that one is the epoch, a number that grows
whenever a shard changes hands: each transaction of an owner (:meth:`Shard.confirm`) holds the row of its
shard, and fails where its epoch, or its connection, is not in there any longer.

A process that stands still keeps its connection, since the system answers for it; so does one that the
network has cut off.  Owners therefore write down when they were last heard of, by the database's clock, and
anyone who finds an owner silent for :data:`STALE` seconds ends its connection (``pg_terminate_backend``).

Shards are spread by their number: an owner who has two more than somebody else hands one over, and who has
fewest takes what is free; what nobody wants for :data:`GRACE` seconds anybody takes.

A SQLite file has no other servers: :class:`Alone` owns all.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import sqlalchemy as sa

from equipoise.archive.database import Database
from equipoise.archive.postgresql import Postgres
from equipoise.archive.tables import SHARD, WORKER
from equipoise.errors import EquipoiseError

#: Seconds between two signs of life of an owner, after which a silent one counts as stopped, and for which
#: those who have fewest shards may take a free one first.
BEAT, STALE, GRACE = 0.5, 5.0, 1.0

#: Seconds after which a server that is not heard of is forgotten.
FORGOTTEN = 60.0

#: What notes say: a letter waits for the owner of a queue, a queue has new events, a shard is free, a match
#: was kept, ratings were learnt.
LETTER, ADDED, FREE, KEPT, LEARNT = "letter", "added", "free", "kept", "learnt"

#: The database's clock, seconds since 1970.
NOW = "extract(epoch FROM clock_timestamp())"


class FencedError(EquipoiseError):
    """Somebody else owns what was to be written: nothing of it was."""


class Owned(NamedTuple):
    """Whether a shard is owned here, by whom else, and how often it has changed hands."""

    here: bool
    worker: str = ""
    epoch: int = 0


def key_of(*what: str) -> int:
    """Return the key of an advisory lock, 64 bits with a sign."""
    return int.from_bytes(hashlib.sha256("\0".join(what).encode()).digest()[:8], "big", signed=True)


def channel_of(salt: bytes, worker: str = "") -> str:
    """Return the channel on which the servers of an archive, or one of them, hear of what happens."""
    return f"equipoise_{hashlib.sha256(salt + worker.encode()).hexdigest()[:24]}"


class Alone:
    """The shard of a database that has no other servers."""

    owned = Owned(True)

    def beat(self, *, now: bool = False) -> Owned:
        """Return that it is owned here."""
        del now
        return self.owned

    def let_go(self) -> None:
        """Do nothing: there is nobody to have it."""

    def follow(self) -> None:
        """Do nothing: it stays owned."""

    def close(self) -> None:
        """Do nothing: nothing was opened."""


class Shard:
    """A shard of several servers.

    Parameters
    ----------
    database : Postgres
        The connection whose lock it is; what the owner commits should go over it.
    salt : bytes
        What tells the archive from others in the same database.
    name : str
        What it is called.
    worker : str
        What the server is called that may own it.
    """

    def __init__(self, database: Postgres, salt: bytes, name: str, worker: str) -> None:
        self.name = name
        self.worker = worker
        self.owned = Owned(False)
        self.channel = channel_of(salt)
        self._salt = salt
        self._database = database
        self._key = key_of(salt.hex(), name)
        self._heard = float("-inf")
        self._backend = 0
        self._thread: threading.Thread | None = None
        self._ended = threading.Event()

    def beat(self, *, now: bool = False) -> Owned:
        """Give a sign of life, take the shard if it is to be had, or hand it over; return who owns it.

        Parameters
        ----------
        now : bool
            Whether to do so although the last time is not long ago.

        Raises
        ------
        EquipoiseError
            If the database cannot be asked; it is not owned any longer then.
        """
        if time.monotonic() - self._heard < BEAT and not now:
            return self.owned
        try:
            with self._database.session() as connection:
                self.owned = self._beat(connection)
        except BaseException:
            self.owned = Owned(False)
            raise
        self._heard = time.monotonic()
        return self.owned

    def _beat(self, connection: sa.Connection) -> Owned:
        connection.exec_driver_sql(
            f"INSERT INTO worker (name, heard) VALUES (%s, {NOW}) "  # noqa: S608  # a constant
            "ON CONFLICT (name) DO UPDATE SET heard = excluded.heard",
            (self.worker,),
        )
        now = float(connection.exec_driver_sql(f"SELECT {NOW}").scalar_one())
        rows = {row.name: row for row in connection.execute(sa.select(SHARD))}
        mine = rows.get(self.name)
        alive = connection.execute(sa.select(WORKER.c.name).where(WORKER.c.heard > now - STALE)).scalars()
        load = Counter({self.worker: 0} | dict.fromkeys(alive, 0))
        load.update(row.worker for row in rows.values() if row.worker in load)
        if self.owned.here:
            if not self._sign(connection):
                return Owned(False)
            own = sorted(row.name for row in rows.values() if row.worker == self.worker)
            too_many = load[self.worker] - min(load.values()) >= 2
            if too_many and own and own[-1] == self.name:
                self._free(connection)
                return Owned(False)
            return self.owned
        if mine is not None and mine.worker not in ("", self.worker) and now - mine.heard > STALE:
            self._end_holders(connection, "" if mine.worker in load else mine.worker)
        free_for = now - mine.heard if mine is not None else 0.0
        if load[self.worker] > min(load.values()) and free_for <= GRACE:
            return Owned(False, mine.worker if mine is not None else "", int(mine.epoch) if mine else 0)
        return self._take(connection, mine)

    def _take(self, connection: sa.Connection, mine: Any) -> Owned:
        """Take the shard unless somebody else has it."""
        connection.exec_driver_sql("SELECT pg_advisory_unlock_all()")
        if not connection.exec_driver_sql("SELECT pg_try_advisory_lock(%s)", (self._key,)).scalar_one():
            return Owned(False, mine.worker if mine is not None else "", int(mine.epoch) if mine else 0)
        row = connection.exec_driver_sql(
            "INSERT INTO shard (name, epoch, worker, backend, heard) "  # noqa: S608  # a constant
            f"VALUES (%s, 1, %s, pg_backend_pid(), {NOW}) ON CONFLICT (name) DO UPDATE SET "
            "epoch = shard.epoch + 1, worker = excluded.worker, backend = excluded.backend, "
            "heard = excluded.heard RETURNING epoch, backend",
            (self.name, self.worker),
        ).one()
        self._backend = int(row.backend)
        before = mine.worker if mine is not None and mine.worker != self.worker else ""
        connection.exec_driver_sql(  # one that lives says so again
            f"DELETE FROM worker WHERE name = %s OR heard < {NOW} - {FORGOTTEN}",  # noqa: S608  # constants
            (before,),
        )
        return Owned(True, self.worker, int(row.epoch))

    def _sign(self, connection: sa.Connection) -> bool:
        """Write down that the owner lives; tell whether it is still the owner, over this connection."""
        found = connection.exec_driver_sql(
            f"UPDATE shard SET heard = {NOW} "  # noqa: S608  # a constant
            "WHERE name = %s AND epoch = %s AND backend = pg_backend_pid() AND backend = %s",
            (self.name, self.owned.epoch, self._backend),
        )
        return found.rowcount == 1

    def _end_holders(self, connection: sa.Connection, worker: str) -> None:
        """End the connection of an owner that is silent, and all of a server that is: it may have locks."""
        if worker:
            connection.exec_driver_sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s",
                (worker,),
            )
        connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted "
            "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
            "AND objsubid = 1 AND ((classid::bigint << 32) | objid::bigint) = %s AND pid <> pg_backend_pid()",
            (self._key,),
        )

    def confirm(self, connection: sa.Connection) -> None:
        """Make sure, for the rest of a transaction, that the shard is owned here; a sign of life too.

        Raises
        ------
        FencedError
            If it is not; the transaction must end.
        """
        if not self.owned.here or not self._sign(connection):
            self.owned = Owned(False)
            msg = f"{self.name} is owned by another server"
            raise FencedError(msg)
        self._heard = time.monotonic()

    def fence(self, connection: sa.Connection) -> None:
        """Make sure, over another connection, that the shard stays owned here to the end of a transaction.

        Raises
        ------
        FencedError
            If it is not owned here.
        """
        epoch = connection.exec_driver_sql(
            "SELECT epoch FROM shard WHERE name = %s FOR SHARE", (self.name,)
        ).scalar()
        if not self.owned.here or epoch != self.owned.epoch:
            msg = f"{self.name} is owned by another server"
            raise FencedError(msg)

    def let_go(self) -> None:
        """Hand the shard over, at once: whoever has fewest takes it."""
        if self.owned.here:
            with self._database.session() as connection:
                self._free(connection)
        self.owned = Owned(False)

    def _free(self, connection: sa.Connection) -> None:
        connection.exec_driver_sql(
            f"UPDATE shard SET worker = '', heard = {NOW} "  # noqa: S608  # a constant
            "WHERE name = %s AND epoch = %s",
            (self.name, self.owned.epoch),
        )
        connection.exec_driver_sql("SELECT pg_advisory_unlock_all()")
        self.tell(connection, FREE, self.name)

    def tell(self, connection: sa.Connection, *what: str) -> None:
        """Tell all servers something when a transaction is kept."""
        tell(connection, self.channel, *what)

    @property
    def own_channel(self) -> str:
        """The channel on which this server alone hears of answers to what it asked about the shard."""
        return self.channel_to(self.worker)

    def channel_to(self, worker: str) -> str:
        """Return the channel on which one server hears of answers."""
        return channel_of(self._salt, f"{self.name}\0{worker}")

    @contextmanager
    def session(self) -> Iterator[sa.Connection]:
        """Give the connection, each statement a transaction."""
        with self._database.session() as connection:
            yield connection

    def follow(self) -> None:
        """Give signs of life from a thread of its own: the process may compute for long."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._follow, daemon=True)
            self._thread.start()

    def _follow(self) -> None:
        while not self._ended.wait(BEAT):
            try:
                self.beat(now=True)
            except EquipoiseError:
                continue  # it is not owned, and what is asked next says why

    def close(self) -> None:
        """Hand it over, and close the connection."""
        self._ended.set()
        with suppress(EquipoiseError):  # the lock ends with the connection
            self.let_go()
            with self._database.session() as connection:
                connection.execute(sa.delete(WORKER).where(WORKER.c.name == self.worker))
        self._database.close()


def tell(connection: sa.Connection, channel: str, *what: str) -> None:
    """Tell who listens on a channel something, when the transaction is kept."""
    connection.exec_driver_sql("SELECT pg_notify(%s, %s)", (channel, " ".join(what)))


def shard_of(database: Database, salt: bytes, name: str, worker: str) -> Alone | Shard:
    """Return a shard of a database: one of several servers', where it may have several."""
    return Shard(database, salt, name, worker) if isinstance(database, Postgres) else Alone()
