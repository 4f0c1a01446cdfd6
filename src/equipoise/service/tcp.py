"""The weight protocol over TCP: turns of its connections, what waits to be sent, and the way they end.

What they say is in :mod:`equipoise.service.weights.conversation`; what knows the answers is an argument.

One thread answers everybody, so nobody may keep it: a turn ends by the time it has taken.  An address that
has used little of the last moment is answered as its lines arrive; all others stand in line, an address a
turn, and between two rounds of theirs the loop looks who else has arrived.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections import deque
from collections.abc import Awaitable, Coroutine, Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Protocol, cast

from equipoise.service.admission import Activity, Admission
from equipoise.service.fair_queue import Turns
from equipoise.service.listener import Acceptor, ConnectionLimits
from equipoise.service.weights.commands import Limits
from equipoise.service.weights.conversation import WeightSession
from equipoise.service.weights.messages import (
    Authorised,
    CachedAnswers,
    Lookup,
    Refusal,
    Refused,
    Request,
    Silent,
    Work,
)

#: Bytes that may wait to be sent before nothing more is read or answered.
HIGH_WATER = 65536

#: Bytes that the system is asked to keep for each direction of a connection (Linux takes twice as many); left
#: to itself it takes megabytes for a client that does not read, and answers are made to fill them.
SYSTEM_BUFFER = 65536

#: Bytes of answers after which a turn ends.
TURN = 32768

#: Bytes of lookups that are answered at once where there are other addresses: some 0.1 ms.
WHOLE = 8192  # effort

#: Seconds after which an address that has used little stands in line all the same: longer than some questions
#: take, since answers are not sent before.
AT_ONCE_SECONDS = 0.0002  # effort

#: Seconds that connections, and then lines, that have arrived before the end are given to be taken.
LAST_READ = 0.1

#: Bytes that may have arrived before the end and are not read yet; what comes after them is not answered.
ARRIVED = 2 * SYSTEM_BUFFER

#: Seconds for which a client may still send after the end was announced to it; its bytes are thrown away.
LINGER = 1.0

#: Requests whose results take no time; the most frequent first.
AT_ONCE = (CachedAnswers, Lookup, Silent)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServerLimits(ConnectionLimits):
    """What a connection of the weight protocol may take, besides what is common to all.

    Parameters
    ----------
    idle_seconds : float
        A connection that sends no complete line for so long is closed.
    conversation : Limits
        What one conversation may keep.
    """

    idle_seconds: float = 600.0
    conversation: Limits = field(default_factory=Limits)


class Oracle(Protocol):
    """Who knows the answers."""

    def converse(self, limits: Limits) -> WeightSession:
        """Begin a conversation."""

    def result(self, request: Request) -> Any:
        """Return the result of a request that takes no time."""

    def work(self, request: Work, address: str) -> Awaitable[Any]:
        """Return the result of any other, once it is there; when cancelled, nobody waits for it."""


class Carrier(Protocol):
    """The server that a connection belongs to, as the connection sees it."""

    oracle: Oracle
    limits: ServerLimits
    admission: Admission
    buffer: memoryview
    clock: float

    def took(self, connection: Connection) -> None:
        """Count a connection that was made."""

    def drop(self, connection: Connection) -> None:
        """Forget a connection that is gone."""

    def queue(self, connection: Connection) -> None:
        """Let a connection wait for its turn."""

    def leave(self, connection: Connection) -> None:
        """Let a connection no longer wait."""

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin work that takes time."""

    def let_go(self, connection: Connection) -> bool:
        """End a connection that has not begun yet; tell whether it was so."""


class Connection(asyncio.BufferedProtocol):
    """One connection: at most one request is worked on, and nothing is read before its answer is sent."""

    def __init__(self, server: Carrier, address: str) -> None:
        self._server = server
        self._admission = server.admission
        self.account = server.admission.client(address)
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
        self.last_heard = server.clock
        self._is_silent = True

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast("asyncio.Transport", transport)
        self.was_open = True
        self.last_heard = self._server.clock
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
        server = self._server
        data = server.buffer[:nbytes].tobytes()
        if (self._admission.is_alone or nbytes <= WHOLE) and self._answered_at_once(data, server):
            return
        if self._finished:
            return
        if self._ending:
            self._left -= nbytes
        if b"\n" in data:
            self.last_heard = server.clock
            self._is_silent = False
        self._requests = self._session.receive(data)
        self._go_on()

    def _answered_at_once(self, data: bytes, server: Carrier) -> bool:
        """Answer lookups where nothing else is to be done and nobody has to wait for this address."""
        if self._queued or self._ending or self._finished or self._task or self._blocked_since is not None:
            return False
        began = 0.0 if self._admission.is_alone else perf_counter()
        if began and not self.account.is_light(began):
            return False
        answers = self._session.at_once(data)
        if answers:
            self.last_heard = server.clock
            self._is_silent = False
            self._transport.write(answers)  # where that is too much, the next to arrive waits
        if began:
            self._charge(began)
        return bool(answers)

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
        elif now - self.last_heard > limits.idle_seconds and self._task is None and not self._queued:
            log.info("idle connection closed", extra={"address": self.address})
            self._transport.close()

    def activity(self) -> Activity:
        """Tell what it does: nothing yet, nothing just now, or something."""
        if self._task is not None or self._queued:
            return Activity.BUSY
        return Activity.SILENT if self._is_silent else Activity.IDLE

    def give_way(self) -> None:
        """Say that somebody else needs the place, and end."""
        if self._server.let_go(self):
            return
        if not self._unsent and not self._transport.get_write_buffer_size():
            self._transport.write(Refusal.TOO_MANY_CONNECTIONS.line)
        self._transport.abort() if self._transport.get_write_buffer_size() else self._transport.close()

    @property
    def waiting(self) -> int:
        """How many bytes were handed to the system's side and are not taken yet."""
        return self._transport.get_write_buffer_size()

    @property
    def lookups(self) -> int:
        """How many lookups were answered."""
        return self._session.lookups

    def abort(self) -> None:
        """Cut the connection off."""
        self._transport.abort()

    def turn(self, seconds: float) -> bool:
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
        end = began + seconds
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
        made = self._made
        self._write(made[0] if len(made) == 1 else b"".join(made))
        made.clear()
        self._size = 0

    def _charge(self, began: float) -> None:
        if self._admission.is_alone:
            return
        now = perf_counter()
        self.account.charge(now - began, now)

    def _is_light(self) -> bool:
        """Tell whether nobody has to wait for this address: it has used little, or there is no other."""
        return self._admission.is_alone or self.account.is_light(perf_counter())

    def _go_on(self) -> None:
        """Answer at once where this address has used little, otherwise when its turn comes."""
        if self._queued or self._task is not None:
            return
        if self._is_light():
            self._drained = False
            self.turn(AT_ONCE_SECONDS)
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
            if self._ending or self._is_light():
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
        await self._admission.wrong_token(self.address, "weights")
        self._worked(request, None)

    def _worked(self, request: Request, result: Any) -> None:
        self._task = None
        self.last_heard = self._server.clock
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


#: Bytes that are read at once: to copy more would keep others waiting.
READ = 16384  # effort

#: Seconds after which a turn ends, and as many of turns between two looks at who else has arrived: where all
#: connections are of one address, and where there are others, whose waiting time this is.
ALONE, SHARED = 0.0002, 0.00001

#: Seconds of turns together, as of a line with a hundred names, after which those who stand in line leave as
#: long to others, and how many times as long: otherwise each answer to others would wait for such a line.
LONG, BREATH = 0.00005, 2.0  # effort


class Server(Acceptor[Connection, ServerLimits]):
    """What listens for the weight protocol, and the turns of its connections."""

    def __init__(
        self, oracle: Oracle, limits: ServerLimits | None = None, admission: Admission | None = None
    ) -> None:
        super().__init__("weights", limits or ServerLimits(), admission or Admission())
        self.oracle = oracle
        self.buffer = memoryview(bytearray(READ))
        self._turns: Turns[Connection] = Turns()
        self._round: asyncio.Handle | None = None
        self._earlier = 0

    def begin(self, address: str) -> Connection:
        """Return what answers a connection of an address."""
        return Connection(self, address)

    def refuse(self, client: socket.socket) -> None:
        """Say that there are too many, where no TLS is in the way."""
        if self._tls is None:
            client.send(Refusal.TOO_MANY_CONNECTIONS.line)

    @property
    def waiting(self) -> int:
        """How many bytes wait to be sent, over all connections."""
        return sum(connection.waiting for connection in self._connections)

    @property
    def lookups(self) -> int:
        """How many lookups were answered, on connections that have ended too."""
        return self._earlier + sum(connection.lookups for connection in self._connections)

    def drop(self, connection: Connection) -> None:
        """Forget a connection that has ended, but not how much it has asked."""
        if connection in self._connections:
            self._earlier += connection.lookups
        super().drop(connection)

    async def stop(self) -> None:
        """Take no more connections, answer what has arrived on the others, and end them."""
        by = self._loop.time() + self.limits.grace_seconds
        await asyncio.sleep(LAST_READ)  # those who wait to be taken have sent something too
        self.close()
        await asyncio.sleep(LAST_READ)
        for connection in tuple(self._connections):
            connection.end()
        await self.end(by)

    def queue(self, connection: Connection) -> None:
        """Let a connection wait for its turn."""
        connection.account.in_line += 1
        self._turns.add(connection.address, connection)
        if self._round is None:
            self._round = self._loop.call_soon(self._go_round)

    def leave(self, connection: Connection) -> None:
        """Take a connection out of the line."""
        connection.account.in_line -= 1
        self._turns.remove(connection.address, connection)

    def _go_round(self) -> None:
        """Give turns for a moment, then look who else has arrived."""
        quantum = ALONE if self.admission.is_alone else SHARED
        began = now = perf_counter()
        while len(self._turns) and now < began + quantum:
            connection = self._turns.take()
            connection.account.in_line -= 1
            if not connection.turn(quantum):
                break
            now = perf_counter()
        took = perf_counter() - began
        if not len(self._turns):
            self._round = None
        elif took < LONG or self.admission.is_alone:
            self._round = self._loop.call_soon(self._go_round)
        else:
            self._round = self._loop.call_later(BREATH * took, self._go_round)
