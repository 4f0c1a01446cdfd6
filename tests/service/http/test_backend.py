"""Lanes of questions: addresses share workers, and small questions are answered at once."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest

from equipoise.service.http import backend
from equipoise.service.http.backend import AHEAD, SPARE, HereLine, WorkLine
from equipoise.service.http.messages import ProblemError
from equipoise.service.worker_pool import WorkerError

Part = Callable[[Any], Awaitable[None]]

SMALL = ("balance", b'{"players": {"Ann": 2, "Bob": 1}}', 1.0)


class Held:
    """A worker that answers when it is asked to."""

    pid = 1

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.parts: list[Part | None] = []
        self.answers: list[asyncio.Future[Any]] = []

    async def ask(self, question: Any, seconds: float, part: Part | None = None) -> Any:
        """Wait for the answer."""
        del seconds
        self.asked.append(question)
        self.parts.append(part)
        self.answers.append(asyncio.get_running_loop().create_future())
        return await self.answers[-1]


async def _beside(work: list[Coroutine[Any, Any, None]], play: Coroutine[Any, Any, None]) -> None:
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        await play
    finally:
        for each in tasks:
            each.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks)


async def _settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_one_address_leaves_a_worker_to_others() -> None:
    """Whoever asks many long questions at once does not make another address wait for them."""

    async def play() -> None:
        line = WorkLine("ask", 9, workers=2)
        workers = [Held(), Held()]
        line.workers[:] = workers  # type: ignore[list-item]

        async def asked() -> None:
            await _settle()
            assert line.is_free("many")
            waiting = [asyncio.ensure_future(line.ask(f"long {n}", 5.0, "many")) for n in range(4)]
            await _settle()
            assert [each.asked for each in workers] == [["long 0"], []]
            assert not line.is_free("many")
            assert line.is_free("one")
            other = asyncio.ensure_future(line.ask("mine", 5.0, "one"))
            await _settle()
            assert workers[1].asked == ["mine"]
            workers[1].answers[0].set_result("answer")
            assert await other == "answer"
            workers[0].answers[0].set_result("answer")
            await _settle()
            assert sum(each.asked.count("long 1") for each in workers) == 1
            for each in waiting:
                each.cancel()

        await _beside(line.work_off(), asked())

    asyncio.run(play())


def test_small_questions_are_answered_here_between_turns_of_others() -> None:
    """The loop goes round between two of them, and their number is limited where others are connected."""

    async def play() -> None:
        line = HereLine(9)

        async def asked() -> None:
            assert line.has_time()
            waiting = [asyncio.ensure_future(line.ask(SMALL, f"{n}")) for n in range(AHEAD)]
            await asyncio.sleep(0)
            assert not line.has_time()
            line.is_alone = lambda: True
            assert line.has_time()
            line.is_alone = lambda: False
            turns = 0
            while not all(each.done() for each in waiting):
                await asyncio.sleep(0)
                turns += 1
            assert turns >= AHEAD
            assert {each.result()[0] for each in waiting} == {200}

        await _beside([line.work_off()], asked())

    asyncio.run(play())


def test_a_worker_takes_half_of_what_waits_here() -> None:
    """Everybody gets the answer to his own question; what a worker had not answered when it ended fails."""

    async def play() -> None:
        here, worker = HereLine(99), Held()
        line = WorkLine("ask", 9, relieves=here)
        line.workers[:] = [worker]  # type: ignore[list-item]

        async def asked() -> None:
            waiting = [asyncio.ensure_future(here.ask(("balance", b"%d" % n, 1.0), "one")) for n in range(6)]
            await _settle()
            first = asyncio.ensure_future(line.ask("first", 5.0, "one"))
            await _settle()
            worker.answers[0].set_result("answer")
            await _settle()
            assert await first == "answer"
            assert worker.asked[1:] == [[("balance", b"%d" % n, 1.0) for n in range(3)]]
            assert len(here) == 3
            give = worker.parts[1]
            assert give is not None
            await give("zero")
            await give("one")
            worker.answers[1].set_exception(WorkerError("its process has ended"))
            await _settle()
            assert [waiting[0].result(), waiting[1].result()] == ["zero", "one"]
            failed = waiting[2].exception()
            assert isinstance(failed, ProblemError)
            assert failed.problem.status == 503
            for each in waiting:
                each.cancel()

        await _beside(line.work_off(), asked())

    asyncio.run(play())


def test_a_worker_takes_few_at_a_time() -> None:
    """Others whose short questions come meanwhile do not wait for all that one address asks."""

    async def play() -> None:
        here = HereLine(99)
        waiting = [asyncio.ensure_future(here.ask(SMALL, "one")) for _ in range(4 * SPARE)]
        await _settle()
        assert len(here.spare()) == SPARE
        for each in waiting:
            each.cancel()

    asyncio.run(play())


def test_alone_an_address_gets_several_answers_in_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else waits for the loop to go round."""
    monkeypatch.setattr(backend, "TURN", 60.0)

    async def play(alone: bool) -> int:
        line = HereLine(99)
        line.is_alone = lambda: alone
        answers = 0

        async def asked() -> None:
            nonlocal answers
            waiting = [asyncio.ensure_future(line.ask(("balance", b"", 1.0), "one")) for _ in range(20)]
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            answers = 20 - len(line)
            for each in waiting:
                each.cancel()

        await _beside([line.work_off()], asked())
        return answers

    assert asyncio.run(play(alone=False)) == 1
    assert asyncio.run(play(alone=True)) == 20
