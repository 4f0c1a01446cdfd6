"""Listening sockets, and how connections begin and end: the weight protocol and HTTP listen alike.

Who may connect is up to :mod:`equipoise.service.admission`; the conversation itself belongs to
:mod:`equipoise.service.tcp` and :mod:`equipoise.service.http.server`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
from abc import ABC, abstractmethod
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from equipoise.errors import InputError
from equipoise.service.admission import Admission, Held, address_of, check_above_zero

#: Seconds between two looks for connections that are idle or do not take their answers.
SWEEP = 0.25

#: Seconds for which no connection is taken after the system has refused one.
PAUSE = 0.5

#: Seconds between two looks for addresses that may be forgotten.
FORGET = 10.0

#: Connections that may wait to be taken.
BACKLOG = 1024

#: Files that are open besides connections: pipes to workers, logs, listening sockets.
OTHER_FILES = 64

#: Connections that are taken before others have their turn, and seconds to agree on TLS.
TAKEN, HANDSHAKE = 16, 10.0

#: How the names of hosts begin that other devices cannot open.
_HERE_ALONE = ("127.", "localhost", "[::1]", "::1")

#: An address in no network, by which a machine finds its own; nothing is sent.
_ANYWHERE = ("192.0.2.1", 9)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What one connection may take.

    Parameters
    ----------
    slow_seconds : float
        A connection that does not take its answers for so long is cut off.
    grace_seconds : float
        How long the server waits at its end for answers to be made and taken.

    Raises
    ------
    InputError
        If a limit is not above 0.
    """

    slow_seconds: float = 30.0
    grace_seconds: float = 10.0

    def __post_init__(self) -> None:
        check_above_zero(self)


class Accepted(Held, Protocol):
    """A connection: a protocol of asyncio that can be looked after."""

    was_open: bool

    def check(self, now: float) -> None:
        """End where it has been idle too long, or does not take its answers."""

    def abort(self) -> None:
        """End at once."""


OneConnection = TypeVar("OneConnection", bound=Accepted)
Limits = TypeVar("Limits", bound=ConnectionLimits)


class Acceptor(ABC, Generic[OneConnection, Limits]):
    """Listening sockets of a protocol and its connections.

    Parameters
    ----------
    protocol : str
        What is spoken, in messages and the log.
    limits : ConnectionLimits
        What each connection may take.
    admission : Admission
        Who is admitted.
    """

    def __init__(self, protocol: str, limits: Limits, admission: Admission) -> None:
        self.limits = limits
        self.admission = admission
        self._protocol = protocol
        #: The time of the loop as of the last sweep, seconds: exact enough for limits, and free to read.
        self.clock = 0.0
        self._connections: set[OneConnection] = set()
        self._beginning: dict[OneConnection, asyncio.Task[None]] = {}
        self._starved = False
        self._tls: ssl.SSLContext | None = None
        self._listening: list[socket.socket] = []
        self._tasks: set[asyncio.Task[None]] = set()

    @abstractmethod
    def begin(self, address: str) -> OneConnection:
        """Return what answers a connection of an address."""

    def refuse(self, client: socket.socket) -> None:
        """Say to a client that is not admitted why; it is disconnected afterwards."""

    async def listen(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> tuple[str, int]:
        """Begin to listen; return where, which tells the port where 0 was asked for.

        Parameters
        ----------
        host, port : str and int
            Where.
        tls : SSLContext, optional
            How connections are encrypted.

        Raises
        ------
        InputError
            If the address cannot be listened on.
        """
        self._loop = asyncio.get_running_loop()
        self._tls = tls
        self.tick()
        self.admission.allowed = allowed_connections(self.admission.limits.connections)
        try:
            found = await self._loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
            for family, _, _, _, address in dict.fromkeys(found):
                self._listening.append(listening_socket(family, address))
        except (OSError, OverflowError) as error:
            self.close()
            reason = getattr(error, "strerror", None) or error
            msg = f": cannot listen on {host}:{port}: {reason}"
            raise InputError(msg, self._protocol) from error
        for each in self._listening:
            self._loop.add_reader(each, self._accept, each)
        self.start(self._sweep())
        where = self._listening[0].getsockname()
        return where[0], where[1]

    @property
    def open(self) -> int:
        """How many connections there are."""
        return len(self._connections)

    def tick(self) -> None:
        """Take the time."""
        self.clock = self._loop.time()

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

    def took(self, connection: OneConnection) -> None:
        """Note a connection that has begun."""
        self._connections.add(connection)
        log.debug("connected", extra=self._facts(connection.address))

    def drop(self, connection: OneConnection) -> None:
        """Forget a connection that has ended."""
        if connection in self._connections:
            self._connections.remove(connection)
            self.admission.disconnect(connection.address, connection)
            log.debug("closed", extra=self._facts(connection.address))

    def close(self) -> None:
        """Stop listening."""
        for each in self._listening:
            self._loop.remove_reader(each)
            each.close()
        self._listening.clear()

    async def end(self, by: float) -> None:
        """Wait until a moment for connections to end, cut the others off, and end what runs beside them."""
        while self._connections and self._loop.time() < by:
            await asyncio.sleep(SWEEP / 10)
        for connection in tuple(self._connections):
            connection.abort()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _facts(self, address: str) -> dict[str, Any]:
        return {"protocol": self._protocol, "address": address, "open": self.open}

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
            connection = self.begin(address)
            if self.admission.connect(address, connection):
                self._starved = False
                self._begin(client, connection)
                continue
            with contextlib.suppress(OSError), client:
                self.refuse(client)

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

    def _begin(self, client: socket.socket, connection: OneConnection) -> None:
        beginning = self._beginning[connection] = self.start(self._connect(client, connection))

        def ended(task: asyncio.Task[None]) -> None:
            self._beginning.pop(connection, None)
            if not connection.was_open:
                if task.cancelled():
                    client.close()
                self.admission.disconnect(connection.address, connection)

        beginning.add_done_callback(ended)

    async def _connect(self, client: socket.socket, connection: OneConnection) -> None:
        """Begin with a connection that was admitted; over TLS both sides have to agree first."""
        answering: Any = connection
        limit = {} if self._tls is None else {"ssl_handshake_timeout": HANDSHAKE}
        try:
            await self._loop.connect_accepted_socket(lambda: answering, client, ssl=self._tls, **limit)
        except (OSError, TimeoutError) as error:
            client.close()
            log.debug("connection failed", extra={**self._facts(connection.address), "why": str(error)})

    def let_go(self, connection: OneConnection) -> bool:
        """End a connection that has not begun yet, since its place is needed; tell whether it was so."""
        beginning = self._beginning.get(connection)
        if connection.was_open or beginning is None:
            return False
        beginning.cancel()
        return True

    async def _sweep(self) -> None:
        forget = self.clock + FORGET
        while True:
            await asyncio.sleep(SWEEP)
            self.tick()
            for connection in tuple(self._connections):
                with contextlib.suppress(OSError):
                    connection.check(self.clock)
            if self.clock > forget:
                forget = self.clock + FORGET
                self.admission.forget()


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


def is_local(host: str) -> bool:
    """Tell whether a host, as browsers name it, is the machine itself, which other devices cannot open.

    Examples
    --------
    >>> is_local("localhost:8080"), is_local("[::1]:80"), is_local("192.0.2.7:80")
    (True, True, False)
    """
    return host.startswith(_HERE_ALONE)


def reached_at(host: str, port: int) -> str:
    """Return the address at which others in the network reach a service that listens here."""
    if host in ("0.0.0.0", "::"):  # noqa: S104  # compared, not listened at
        host = _own_address()
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"


def _own_address() -> str:
    """Return this machine's address in its network; that of itself where it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ANYWHERE)
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
