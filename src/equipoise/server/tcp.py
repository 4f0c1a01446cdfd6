"""The weight protocol over TCP: connections, their turns and limits, and the way they end.

What they say stands in :mod:`equipoise.protocols.weights.session`; who knows the answers is handed in.

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
from collections import deque
from collections.abc import Awaitable, Coroutine, Iterator
from math import exp
from time import perf_counter
from typing import Any, Protocol, cast

from equipoise.errors import InputError
from equipoise.protocols.weights.requests import (
    Authorised,
    Known,
    Lookup,
    Refusal,
    Refused,
    Request,
    Silent,
    Work,
)
from equipoise.protocols.weights.session import Limits, WeightSession
from equipoise.server.limits import ServerLimits
from equipoise.server.turns import Turns

#: Bytes that may wait to be sent before nothing more is read or answered.
HIGH_WATER = 65536

#: Bytes that the system is asked to keep for each direction of a connection (Linux takes twice as many); left
#: to itself it takes megabytes for a client that does not read, and answers are made to fill them.
SYSTEM_BUFFER = 65536

#: Bytes that are read at once: to copy more would keep others waiting.
READ = 16384

#: Bytes of answers after which a turn ends.
TURN = 32768

#: Seconds after which a turn ends, and as many of turns between two looks at who else has arrived: where all
#: connections are of one address, and where there are others, whose waiting time this is.
ALONE, SHARED = 0.0002, 0.00001

#: Seconds over which it is remembered how much an address has used, and the part of that time up to which it
#: is answered at once.
MEMORY, LIGHT = 0.1, 0.25

#: Seconds between two looks for connections that are idle or do not take their answers.
SWEEP = 0.25

#: Seconds that connections, and then lines, that have arrived before the end are given to be taken.
LAST_READ = 0.1

#: Bytes that may have arrived before the end and are not read yet; what comes after them is not answered.
ARRIVED = 2 * SYSTEM_BUFFER

#: Seconds for which a client may still send after it was told the end; its bytes are thrown away.
LINGER = 1.0

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

#: Leading groups of an IPv6 address that are one customer's (RFC 6177): they count as one address.
PREFIX = 4

#: Requests whose results take no time; the most frequent first.
AT_ONCE = (Known, Lookup, Silent)

log = logging.getLogger(__name__)


class Oracle(Protocol):
    """Who knows the answers."""

    def converse(self, limits: Limits) -> WeightSession:
        """Begin a conversation."""

    def result(self, request: Request) -> Any:
        """Return the result of a request that takes no time."""

    def work(self, request: Work, address: str) -> Awaitable[Any]:
        """Return the result of any other, once it is there; when cancelled, nobody waits for it."""


class Account:
    """What the connections of one address have used of the answering thread, and how many they are."""

    __slots__ = ("at", "open", "used", "wrong")

    def __init__(self) -> None:
        self.open = 0
        self.used = 0.0
        self.at = 0.0
        #: Wrong tokens since a right one.
        self.wrong = 0

    def charge(self, seconds: float, now: float) -> None:
        """Note a turn."""
        self.used = self.used * exp((self.at - now) / MEMORY) + seconds
        self.at = now

    def is_light(self, now: float) -> bool:
        """Tell whether it has used little of late."""
        return self.used * exp((self.at - now) / MEMORY) < LIGHT * MEMORY


class Connection(asyncio.BufferedProtocol):
    """One connection: at most one request is worked on, and nothing is read before its answer is sent."""

    def __init__(self, server: Server, address: str, account: Account) -> None:
        self._server = server
        self.account = account
        self._oracle = server.oracle
        self._session = server.oracle.converse(server.limits.conversation)
        self._requests: Iterator[Request] = iter(())
        self._transport = cast("asyncio.Transport", None)
        self._unsent: deque[memoryview] = deque()
        self._made: list[bytes] = []
        self._size = 0
        self._task: asyncio.Task[None] | None = None
        self._blocked_since: float | None = None
        self._paused = False
        self._ending = False
        self._half_closed = False
        self._left = ARRIVED
        self._finished = False
        self._queued = False
        self._drained = False
        self.was_open = False
        self.address = address
        self.last_line = server.clock

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast("asyncio.Transport", transport)
        self.was_open = True
        self.last_line = self._server.clock
        self._server.took(self)
        self._transport.set_write_buffer_limits(high=HIGH_WATER)
        for side in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, side, SYSTEM_BUFFER)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection, and whatever waits to be worked on for it."""
        del exc
        self._finished = True
        if self._queued:
            self._server.leave(self)
        if self._task is not None:
            self._task.cancel()
        self._server.drop(self)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return where to read to: all connections share it, since nothing stays there."""
        del sizehint
        return self._server.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Answer what came, or let it wait for its turn."""
        if self._finished:
            return
        data = bytes(self._server.buffer[:nbytes])
        if self._ending:
            self._left -= nbytes
        if b"\n" in data:
            self.last_line = self._server.clock
        self._requests = self._session.receive(data)
        self._go_on()

    def eof_received(self) -> bool:
        """Answer what came before the client ended its half, then close."""
        self._drained = False
        self._ending = self._half_closed = True
        if self._finished:
            return False
        self._go_on()
        return True

    def pause_writing(self) -> None:
        """Stop until the client has taken its answers."""
        self._blocked_since = self._server.clock

    def resume_writing(self) -> None:
        """Go on, now that it has."""
        self._blocked_since = None
        self._wait()

    def end(self) -> None:
        """Answer what was read, and close."""
        self._drained = False
        self._ending = True
        self._wait()

    def check(self, now: float) -> None:
        """Close the connection where nobody asks, cut it off where nobody takes the answers."""
        limits = self._server.limits
        if self._blocked_since is not None:
            if now - self._blocked_since > limits.slow_seconds:
                log.info("slow reader cut off", extra={"address": self.address})
                self._transport.abort()
        elif now - self.last_line > limits.idle_seconds and self._task is None and not self._queued:
            log.info("idle connection closed", extra={"address": self.address})
            self._transport.close()

    @property
    def waiting(self) -> int:
        """How many bytes were handed to the system's side and are not taken yet."""
        return self._transport.get_write_buffer_size()

    def abort(self) -> None:
        """Cut the connection off."""
        self._transport.abort()

    def turn(self) -> bool:
        """Answer until there is nothing more, the client does not take it, or others have their turn.

        Where all was answered it may be read again, which is a turn too; tell whether there may be another
        before others are looked for.
        """
        self._queued = False
        began = perf_counter()
        if self._drained:
            self._drained = False
            self._read_on()
            self._charge(began)
            return False
        end = began + self._server.quantum
        more = False
        if not self._finished and self._sent_rest():
            for request in self._requests:
                if not isinstance(request, AT_ONCE):
                    later = self._begun(request)
                    if later is not None:
                        self._task = self._server.start(later)
                        break
                answer = self._session.answer(request, self._oracle.result(request))
                self._made.append(answer)
                self._size += len(answer)
                if self._size >= TURN or perf_counter() >= end:
                    more = True
                    break
            else:
                self._send()
                self._caught_up()
                self._charge(began)
                return True
        if not more or self._size >= TURN:
            self._send()
        self._pause()
        self._charge(began)
        if more:
            self._wait()
        return True

    def _send(self) -> None:
        """Send what was made: where an address waits for turns not bit by bit, since sending takes long."""
        made, self._made, self._size = self._made, [], 0
        self._write(b"".join(made))

    def _charge(self, began: float) -> None:
        now = perf_counter()
        self.account.charge(now - began, now)

    def _go_on(self) -> None:
        """Answer at once where this address has used little, otherwise when its turn comes."""
        if self._queued or self._task is not None:
            return
        if self.account.is_light(perf_counter()):
            self._drained = False
            self.turn()
        else:
            self._pause()
            self._wait()

    def _wait(self) -> None:
        """Stand in line."""
        if not self._queued and self._task is None and not self._finished:
            self._queued = True
            self._server.queue(self)

    def _caught_up(self) -> None:
        """Read on, or end where no more is to come."""
        if self._unsent or self._blocked_since is not None:
            self._pause()
        elif self._ending and (self._half_closed or self._left <= 0):
            self._finish()
        else:
            if self._ending:
                asyncio.get_running_loop().call_later(LAST_READ, self._finish_unless_more, self._left)
            if self._ending or self.account.is_light(perf_counter()):
                self._read_on()
            else:  # to read is a turn too, since there may be many who send
                self._pause()
                self._drained = True
                self._wait()

    def _read_on(self) -> None:
        if self._paused and not self._finished:
            self._paused = False
            self._transport.resume_reading()

    def _finish_unless_more(self, left: int) -> None:
        """End where nothing has arrived in the meantime."""
        if left == self._left and not self._finished and not self._queued and self._task is None:
            self._finish()

    def _finish(self) -> None:
        """Close the own half; read the other for a moment, since closing over unread bytes loses answers."""
        self._finished = True
        if self._half_closed or not self._transport.can_write_eof():
            self._transport.close()
            return
        self._transport.write_eof()
        self._transport.resume_reading()
        asyncio.get_running_loop().call_later(LINGER, self._transport.close)

    def _pause(self) -> None:
        if not self._paused and not self._finished:
            self._paused = True
            self._transport.pause_reading()

    def _begun(self, request: Refused | Authorised | Work) -> Coroutine[Any, Any, None] | None:
        """Return what has to be waited for before a request is answered, None for nothing."""
        if isinstance(request, Authorised):
            self.account.wrong = 0
            return None
        if isinstance(request, Refused):
            return self._slowed(request) if request.why is Refusal.WRONG_TOKEN else None
        return self._work(request)

    async def _work(self, request: Work) -> None:
        try:
            result = await self._oracle.work(request, self.address)
        except Exception:
            log.exception("unexpected error")
            result = Refusal.UNAVAILABLE
        self._worked(request, result)

    async def _slowed(self, request: Refused) -> None:
        """Answer a wrong token late, the later the more of them came from this address."""
        account = self.account
        account.wrong += 1
        log.warning("wrong token", extra={"address": self.address, "times": account.wrong})
        await asyncio.sleep(self._server.limits.wrong_token_seconds * min(account.wrong, 10))
        self._worked(request, None)

    def _worked(self, request: Request, result: Any) -> None:
        self._task = None
        self.last_line = self._server.clock
        if not self._finished:
            self._write(self._session.answer(request, result))
            self._wait()

    def _write(self, data: bytes) -> None:
        """Send an answer; of a long one only as much as the client takes is copied."""
        if len(data) <= HIGH_WATER and not self._unsent:
            if data:
                self._transport.write(data)
            return
        self._unsent.append(memoryview(data))
        self._sent_rest()

    def _sent_rest(self) -> bool:
        """Send more of a long answer; tell whether all is sent and more may be."""
        while self._unsent and self._blocked_since is None:
            answer = self._unsent.popleft()
            if len(answer) > HIGH_WATER:
                self._unsent.appendleft(answer[HIGH_WATER:])
            self._transport.write(answer[:HIGH_WATER])
        return self._blocked_since is None


def address_of(peer: Any) -> str:
    """Return what counts as one address: that of IPv4, the first half of IPv6, one name for local sockets.

    Examples
    --------
    >>> address_of(("10.0.0.7", 4711)), address_of(("2001:db8:1:2:3:4:5:6", 1, 0, 0)), address_of("")
    ('10.0.0.7', '2001:db8:1:2', 'local')
    """
    if not isinstance(peer, tuple):
        return "local"
    host = str(peer[0]).partition("%")[0]
    if ":" not in host or host == "::1":
        return host
    return ":".join(ipaddress_groups(host)[:PREFIX])


def ipaddress_groups(host: str) -> list[str]:
    """Return the eight groups of an IPv6 address."""
    head, _, tail = host.partition("::")
    first, last = (part.split(":") if part else [] for part in (head, tail))
    return [*first, *["0"] * (8 - len(first) - len(last)), *last] if "::" in host else first


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
        self._addresses = 0
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
                self._listening.append(_listening(family, address))
        except (OSError, OverflowError) as error:
            self._close()
            reason = getattr(error, "strerror", None) or error
            msg = f"weights: cannot listen on {host}:{port}: {reason}"
            raise InputError(msg) from error
        for each in self._listening:
            self._loop.add_reader(each, self._accept, each)
        self.start(self._sweep())
        where = self._listening[0].getsockname()
        return where[0], where[1]

    def _close(self) -> None:
        """Listen no more."""
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
            log.info("connection failed", extra={"address": address, "why": str(error)})
        finally:
            if not connection.was_open:
                self._release(account)

    @property
    def open(self) -> int:
        """How many connections there are."""
        return len(self._connections)

    @property
    def waiting(self) -> int:
        """How many bytes wait to be sent, over all connections."""
        return sum(connection.waiting for connection in self._connections)

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
        """Let a connection wait no more."""
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
        self._addresses += not account.open
        account.open += 1
        self._taken += 1
        return account

    @property
    def quantum(self) -> float:
        """How long a turn may be, and turns together before others are looked for, seconds."""
        return ALONE if self._addresses < 2 else SHARED

    def _release(self, account: Account) -> None:
        """Give a place back."""
        account.open -= 1
        self._taken -= 1
        self._addresses -= not account.open

    def took(self, connection: Connection) -> None:
        """Note a connection that has begun."""
        self._connections.add(connection)
        log.debug("connected", extra={"address": connection.address, "open": len(self._connections)})

    def drop(self, connection: Connection) -> None:
        """Forget a connection that has ended."""
        if connection in self._connections:
            self._connections.remove(connection)
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


def _listening(family: int, address: Any) -> socket.socket:
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
