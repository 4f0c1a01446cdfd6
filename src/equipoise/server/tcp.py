"""The weight protocol over TCP: connections, their turns and limits, and the way they end.

What they say is in :mod:`equipoise.protocols.weights.session`; whoever knows the answers is an argument.

One thread answers everybody, so nobody may keep it: a turn ends by the time it has taken.  An address that
has used little of the last moment is answered as its lines arrive; all others stand in line, an address a
turn, and between two rounds of theirs the loop looks who else has arrived.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Coroutine
from time import perf_counter
from typing import Any

from equipoise.errors import InputError
from equipoise.protocols.weights.requests import Refusal
from equipoise.server.addresses import Account, address_of
from equipoise.server.connections import LAST_READ, Connection, Oracle
from equipoise.server.limits import ServerLimits
from equipoise.server.turns import Turns

#: Bytes that are read at once: to copy more would keep others waiting.
READ = 16384

#: Seconds after which a turn ends, and as many of turns between two looks at who else has arrived: where all
#: connections are of one address, and where there are others, whose waiting time this is.
ALONE, SHARED = 0.0002, 0.00001

#: Seconds between two looks for connections that are idle or do not take their answers.
SWEEP = 0.25

#: Seconds for which no connection is taken after the system has refused one.
PAUSE = 0.5

#: Connections that may wait to be taken.
BACKLOG = 1024

#: Files that are open besides connections: pipes to workers, logs, listening sockets.
OTHER_FILES = 64

#: Connections that are taken before others have their turn, and seconds to agree on TLS.
TAKEN, HANDSHAKE = 16, 10.0

#: Seconds after which it is forgotten of an address without connections how many wrong tokens it has sent.
FORGET = 600.0

log = logging.getLogger(__name__)


class Server:
    """A listening socket and its connections."""

    def __init__(self, oracle: Oracle, limits: ServerLimits | None = None) -> None:
        self.oracle = oracle
        self.limits = limits or ServerLimits()
        self.buffer = memoryview(bytearray(READ))
        self._connections: set[Connection] = set()
        self._accounts: dict[str, Account] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._turns: Turns[Connection] = Turns()
        self._round: asyncio.Handle | None = None
        self._taken = 0
        self._addresses = self._earlier = 0
        #: Whether all connections are of one address, and how long a turn may be, and turns together before
        #: others are looked for, seconds.
        self.is_alone, self.quantum = True, ALONE
        self._full = False
        self._starved = False
        self._tls: ssl.SSLContext | None = None
        self._listening: list[socket.socket] = []
        #: The time of the loop as of the last sweep, seconds: exact enough for limits, and free to read.
        self.clock = 0.0

    async def listen(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> tuple[str, int]:
        """Begin to listen; return where, which tells the port where 0 was asked for.

        Raises
        ------
        InputError
            If the address cannot be listened on.
        """
        self._loop = asyncio.get_running_loop()
        self._tls = tls
        self.clock = self._loop.time()
        self.allowed = allowed_connections(self.limits.connections)
        try:
            found = await self._loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
            for family, _, _, _, address in dict.fromkeys(found):
                self._listening.append(listening_socket(family, address))
        except (OSError, OverflowError) as error:
            self._close()
            reason = getattr(error, "strerror", None) or error
            msg = f": cannot listen on {host}:{port}: {reason}"
            raise InputError(msg, "weights") from error
        for each in self._listening:
            self._loop.add_reader(each, self._accept, each)
        self.start(self._sweep())
        where = self._listening[0].getsockname()
        return where[0], where[1]

    def _close(self) -> None:
        """Stop listening."""
        for each in self._listening:
            self._loop.remove_reader(each)
            each.close()
        self._listening.clear()

    def _accept(self, listening: socket.socket) -> None:
        """Take those who wait to be connected, some at a time."""
        for _ in range(TAKEN):
            try:
                client, peer = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                self._rest(listening, error)
                return
            client.setblocking(False)
            address = address_of(peer)
            account = self.take(address)
            if account is not None:
                self.start(self._connect(client, address, account))
                continue
            with contextlib.suppress(OSError), client:
                if self._tls is None:
                    client.send(Refusal.TOO_MANY_CONNECTIONS.line)

    def _rest(self, listening: socket.socket, error: OSError) -> None:
        """Take nobody for a moment, where the system has no more descriptors or memory."""
        if not self._starved:
            log.warning("no connection can be taken", extra={"why": error.strerror, "open": self.open})
        self._starved = True
        self._loop.remove_reader(listening)

        def again() -> None:
            if listening in self._listening:
                self._loop.add_reader(listening, self._accept, listening)

        self._loop.call_later(PAUSE, again)

    async def _connect(self, client: socket.socket, address: str, account: Account) -> None:
        """Begin with a connection that was taken; over TLS both sides have to agree first."""
        connection = Connection(self, address, account)
        limit = {} if self._tls is None else {"ssl_handshake_timeout": HANDSHAKE}
        try:
            await self._loop.connect_accepted_socket(lambda: connection, client, ssl=self._tls, **limit)
        except (OSError, TimeoutError) as error:
            client.close()
            log.debug("connection failed", extra={"address": address, "why": str(error)})
        finally:
            if not connection.was_open:
                self._release(account)

    @property
    def open(self) -> int:
        """How many connections there are."""
        return len(self._connections)

    @property
    def addresses(self) -> int:
        """From how many addresses they are."""
        return self._addresses

    @property
    def waiting(self) -> int:
        """How many bytes wait to be sent, over all connections."""
        return sum(connection.waiting for connection in self._connections)

    @property
    def lookups(self) -> int:
        """How many lookups were answered, on connections that have ended too."""
        return self._earlier + sum(connection.lookups for connection in self._connections)

    async def stop(self) -> None:
        """Take no more connections, answer what has arrived on the others, and end them."""
        end = self._loop.time() + self.limits.grace_seconds
        await asyncio.sleep(LAST_READ)  # those who wait to be taken have sent something too
        self._close()
        await asyncio.sleep(LAST_READ)
        for connection in tuple(self._connections):
            connection.end()
        while self._connections and self._loop.time() < end:
            await asyncio.sleep(SWEEP / 10)
        for connection in tuple(self._connections):
            connection.abort()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run something beside the connections, and see that it comes to an end."""
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("unexpected error", exc_info=task.exception())

    def queue(self, connection: Connection) -> None:
        """Let a connection wait for its turn."""
        self._turns.add(connection.address, connection)
        if self._round is None:
            self._round = self._loop.call_soon(self._go_round)

    def leave(self, connection: Connection) -> None:
        """Take a connection out of the line."""
        self._turns.remove(connection.address, connection)

    def _go_round(self) -> None:
        """Give turns for a moment, then look who else has arrived."""
        self._round = None
        end = perf_counter() + self.quantum
        while len(self._turns):
            if not self._turns.take().turn() or perf_counter() >= end:
                break
        if len(self._turns) and self._round is None:
            self._round = self._loop.call_soon(self._go_round)

    def take(self, address: str) -> Account | None:
        """Count a connection; return its address's account, None where it is beyond the limits."""
        account = self._accounts.get(address) or Account()
        places, share = self.limits.places(self.allowed)
        if self._taken >= places or account.open >= share:
            if not self._full:  # once, since a flood must not fill the log
                log.warning("connections refused", extra={"address": address, "open": self.open})
            self._full = True
            return None
        self._full = self._starved = False
        self._accounts[address] = account
        self._count(int(not account.open))
        account.open += 1
        self._taken += 1
        return account

    def _count(self, addresses: int) -> None:
        """Note by how many addresses there are more: it says how long a turn may be."""
        self._addresses += addresses
        self.is_alone = self._addresses < 2
        self.quantum = ALONE if self.is_alone else SHARED

    def _release(self, account: Account) -> None:
        """Release a place."""
        account.open -= 1
        self._taken -= 1
        self._count(-int(not account.open))

    def took(self, connection: Connection) -> None:
        """Note a connection that has begun."""
        self._connections.add(connection)
        log.debug("connected", extra={"address": connection.address, "open": len(self._connections)})

    def drop(self, connection: Connection) -> None:
        """Forget a connection that has ended."""
        if connection in self._connections:
            self._connections.remove(connection)
            self._earlier += connection.lookups
            self._release(connection.account)
            log.debug("closed", extra={"address": connection.address, "open": len(self._connections)})

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP)
            self.clock = self._loop.time()
            for connection in tuple(self._connections):
                connection.check(self.clock)
            now = perf_counter()
            for address, account in list(self._accounts.items()):
                if not account.open and now - account.at > FORGET:
                    del self._accounts[address]


def listening_socket(family: int, address: Any) -> socket.socket:
    """Return a socket that listens."""
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.setblocking(False)
        made.bind(address)
        made.listen(BACKLOG)
    except OSError:
        made.close()
        raise
    return made


def allowed_connections(connections: int) -> int:
    """Raise the limit of open files as far as needed; return how many connections it leaves room for."""
    try:
        import resource
    except ImportError:  # where there is no such limit
        return connections
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        if soft < wanted:
            log.warning("the limit of open files is below that of connections", extra={"allowed": soft})
    return connections if soft == resource.RLIM_INFINITY else max(1, min(connections, soft - OTHER_FILES))
