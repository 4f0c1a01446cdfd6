"""Connections of the weight protocol: limits, order, long answers, and their end.  Loopback only."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from tests.service.weights import conversation as talk

from equipoise.errors import InputError
from equipoise.service import queue_lines
from equipoise.service.admission import Admission, AdmissionLimits
from equipoise.service.process import loop_factory
from equipoise.service.tcp import HIGH_WATER, SYSTEM_BUFFER, Server, ServerLimits
from equipoise.service.weights.commands import Limits
from equipoise.service.weights.conversation import WeightSession
from equipoise.service.weights.messages import Finished, Queued, Refusal, Request, Work

BOARD = talk.board()

#: Seconds after which a test that hangs fails.
PATIENCE = 20.0


class Oracle:
    """The page's board; work is done when the test lets it."""

    def __init__(self) -> None:
        self.may_work = asyncio.Event()
        self.may_work.set()
        self.kept: set[str] = set()
        self.queues = talk.Queues(duel=talk.Queue())

    def converse(self, limits: Limits) -> WeightSession:
        """Begin a conversation that knows the page's token."""
        return WeightSession(lambda token: token == talk.TOKEN, limits, BOARD.known)

    def result(self, request: Request) -> Any:
        """Ask the board."""
        return BOARD.result(request)

    async def work(self, request: Work, address: str) -> Any:
        """Wait until the test allows it."""
        del address
        await self.may_work.wait()
        if isinstance(request, Queued):
            return await queue_lines.answered(self.queues, request)
        if isinstance(request, Finished):
            new = request.id not in self.kept
            self.kept.add(request.id)
            return new
        return BOARD.result(request)


Story = Callable[[Server, Oracle, int], Coroutine[Any, Any, None]]


@pytest.fixture(params=[asyncio.new_event_loop, loop_factory()], ids=["asyncio", "fastest"])
def tell(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Return what runs a story against a listening server, on each kind of loop."""

    def run(story: Story, limits: ServerLimits | None = None, **admitted: int) -> None:
        async def play() -> None:
            oracle = Oracle()
            admission = Admission(AdmissionLimits(wrong_token_seconds=0.01, **admitted))
            server = Server(oracle, limits, admission)
            _, port = await server.listen("127.0.0.1", 0)
            async with asyncio.timeout(PATIENCE):
                await story(server, oracle, port)
                await server.stop()

        with asyncio.Runner(loop_factory=request.param) as runner:
            runner.run(play())

    return run


async def _connect(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)


async def _ask(port: int, said: bytes) -> bytes:
    """Send bytes, end the own half, and return everything that comes."""
    reader, writer = await _connect(port)
    writer.write(said)
    writer.write_eof()
    answers = await reader.read()
    writer.close()
    return answers


@pytest.mark.slow
def test_the_transcript_is_answered_over_the_network(tell: Callable[..., None]) -> None:
    """Sent at once by a client that ends its half."""

    async def story(server: Server, oracle: Oracle, port: int) -> None:
        turns = talk.transcript()
        answered = await _ask(port, b"".join(said for said, _ in turns))
        assert answered == b"".join(answer for _, answer in turns)

    tell(story)


@pytest.mark.slow
def test_answers_keep_their_order_while_one_takes_time(tell: Callable[..., None]) -> None:
    """Other connections are answered meanwhile."""

    async def story(server: Server, oracle: Oracle, port: int) -> None:
        oracle.may_work.clear()
        reader, writer = await _connect(port)
        writer.write(b"PLAYER a\nPLAYER b\nTEAMS 2\nPLAYER c\n" + b"WINPROB\n" + b"MEANBOT\n" * 9)
        assert await reader.readline() == b"PLAYER a\n"
        assert await reader.readline() == b"PLAYER b\n"
        assert await _ask(port, b"PLAYER z\n") == b"PLAYER z\n"
        oracle.may_work.set()
        rest = [await reader.readline() for _ in range(12)]
        assert [line.split()[0] for line in rest] == [b"TEAMS", b"PLAYER", b"WINPROB"] + [b"MEANBOT"] * 9
        writer.close()

    tell(story)


@pytest.mark.slow
def test_connections_are_limited_in_total_and_for_each_address(tell: Callable[..., None]) -> None:
    """One more is refused and closed; when one leaves, there is room again."""

    async def story(server: Server, oracle: Oracle, port: int) -> None:
        held = [await _connect(port) for _ in range(2)]
        for reader, writer in held:
            writer.write(b"PLAYER a\n")
            assert await reader.readline() == b"PLAYER a\n"
        reader, writer = await _connect(port)
        assert await reader.read() == Refusal.TOO_MANY_CONNECTIONS.line
        writer.close()
        held[0][1].close()
        await held[0][1].wait_closed()
        while (answer := await _ask(port, b"PLAYER a\n")) != b"PLAYER a\n":
            assert answer == Refusal.TOO_MANY_CONNECTIONS.line
        held[1][1].close()

    tell(story, connections=2)
    tell(story, per_address=2)
    tell(story, per_network=2)


@pytest.mark.slow
def test_an_idle_connection_is_closed_and_one_that_asks_is_not(tell: Callable[..., None]) -> None:
    """Bytes without an end of line do not keep a connection open."""

    async def story(server: Server, oracle: Oracle, port: int) -> None:
        idle, idle_writer = await _connect(port)
        busy, busy_writer = await _connect(port)
        closed = asyncio.ensure_future(idle.read())
        while not closed.done():
            idle_writer.write(b"P")
            busy_writer.write(b"PLAYER a\n")
            assert await busy.readline() == b"PLAYER a\n"
            await asyncio.wait([closed], timeout=0.05)
        # An end, or a reset where bytes of the client were still on their way.
        assert isinstance(closed.exception(), ConnectionResetError) or closed.result() == b""
        busy_writer.write(b"PLAYER a\n")
        assert await busy.readline() == b"PLAYER a\n"
        for writer in (idle_writer, busy_writer):
            writer.close()

    tell(story, ServerLimits(idle_seconds=0.4))


@pytest.mark.slow
def test_a_client_that_does_not_take_its_answers_is_not_read_and_cut_off(tell: Callable[..., None]) -> None:
    """What the server keeps for it stays bounded, and others are answered."""

    async def story(server: Server, oracle: Oracle, port: int) -> None:
        _, writer = await _connect(port)
        writer.transport.pause_reading()
        writer.write(b"PLAYER " + b"x" * 190 + b"\n")
        while server.waiting <= HIGH_WATER:
            writer.write((b"PLAYER " + b"x" * 190 + b"\n") * 500)
            assert await _ask(port, b"PLAYER z\n") == b"PLAYER z\n"
        assert server.waiting < 8 * HIGH_WATER
        # Only now, since whoever is held up while filling it must not be cut off before.
        server.limits = replace(server.limits, slow_seconds=0.01)
        await _until(lambda: not server.open)
        writer.transport.abort()

    tell(story)


@pytest.mark.slow
def test_the_system_keeps_little_for_a_client_that_does_not_read(tell: Callable[..., None]) -> None:
    """A client with a small window gets what it reads, and the server makes hardly more than that."""

    async def story(server: Server, oracle: Oracle, port: int) -> None:
        made = 0

        def count(request: Request) -> Any:
            nonlocal made
            made += 1
            return BOARD.result(request)

        oracle.result = count
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SYSTEM_BUFFER)
            client.setblocking(False)
            await asyncio.get_running_loop().sock_connect(client, ("127.0.0.1", port))
            line = b"PLAYER " + b"x" * 190 + b"\n"  # too long to be kept, so each is asked for
            while server.waiting <= HIGH_WATER:
                with suppress(BlockingIOError):
                    client.send(line * 500)
                assert await _ask(port, b"PLAYER z\n") == b"PLAYER z\n"
            assert made * len(line) < 10 * SYSTEM_BUFFER

    tell(story)


@pytest.mark.slow
def test_a_long_answer_is_sent_as_fast_as_it_is_taken(tell: Callable[..., None]) -> None:
    """Many ``ALL`` at once are answered whole and in order, and little is kept for them."""

    async def story(server: Server, oracle: Oracle, port: int) -> None:
        once = await _ask(port, b"ALL\n")
        times = 4 * HIGH_WATER // len(once)
        assert await _ask(port, b"ALL\n" * times + b"PLAYER z\n") == once * times + b"PLAYER z\n"

    tell(story)


@pytest.mark.slow
def test_at_the_end_what_has_arrived_is_answered(tell: Callable[..., None]) -> None:
    """Work that was begun is finished and answered, then the connection is closed."""

    async def story(server: Server, oracle: Oracle, port: int) -> None:
        oracle.may_work.clear()
        reader, writer = await _connect(port)
        writer.write(b"AUTH correct horse battery\n")
        assert await reader.readline() == b"AUTH ok\n"
        writer.write(b"GAME ctf\nRESULT x\t1 2\t0 PLAYER a\t1 PLAYER b\nPLAYER a\n")
        stopping = asyncio.ensure_future(server.stop())
        await asyncio.wait([stopping], timeout=0.3)
        oracle.may_work.set()
        assert await reader.read() == b"RESULT x new\nPLAYER a\n"
        writer.close()
        await stopping
        with pytest.raises(OSError, match=r"(?i)connect"):
            await _connect(port)

    tell(story)


@pytest.mark.slow
def test_the_end_does_not_wait_for_ever(tell: Callable[..., None]) -> None:
    """A client that neither takes nor closes is cut off after the grace."""

    async def story(server: Server, oracle: Oracle, port: int) -> None:
        oracle.may_work.clear()
        _, writer = await _connect(port)
        writer.write(b"ALL\n")
        await _until(lambda: server.open == 1)
        await server.stop()
        assert server.open == 0
        oracle.may_work.set()
        writer.close()

    tell(story, ServerLimits(grace_seconds=0.3))


async def _until(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.wait([asyncio.ensure_future(asyncio.sleep(0.01))])


@pytest.mark.slow
def test_an_address_that_cannot_be_had_is_the_callers_mistake() -> None:
    """The message says which."""

    async def listen() -> None:
        first = Server(Oracle())
        _, port = await first.listen("127.0.0.1", 0)
        with pytest.raises(InputError, match=f"^weights: cannot listen on 127.0.0.1:{port}"):
            await Server(Oracle()).listen("127.0.0.1", port)
        await first.stop()

    asyncio.run(listen())


@pytest.mark.parametrize("limit", ["idle_seconds", "slow_seconds"])
def test_limits_are_above_nothing(limit: str) -> None:
    """A limit of 0 would answer nobody."""
    with pytest.raises(InputError, match=f"^{limit} must be (above 0|at least 1), got 0"):
        ServerLimits(**{limit: 0})
