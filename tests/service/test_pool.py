"""Pools and lanes: neither a network nor what is long has all workers, and what fails fails for one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any

import pytest

from equipoise.errors import EquipoiseError
from equipoise.service.admission import Admission, AdmissionLimits
from equipoise.service.fair_queue import LONG, Lane
from equipoise.service.worker_pool import SHARED, Pool, WorkerError, last_of, work_off


class Held:
    """A worker that answers when it is asked to."""

    pid = 1

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.answers: list[asyncio.Future[Any]] = []

    async def ask(self, question: Any, seconds: float) -> Any:
        """Wait for the answer; that it is ready it says at once."""
        del seconds
        if question is None:
            return None
        self.asked.append(question)
        self.answers.append(asyncio.get_running_loop().create_future())
        return await self.answers[-1]

    async def ask_all(self, questions: Sequence[Any], seconds: float) -> list[Any]:
        """Wait for the answer to each of them."""
        return await asyncio.gather(*(self.ask(each, seconds) for each in questions))


async def _settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def _play(
    workers: int, story: Callable[[Pool, list[Held]], Coroutine[Any, Any, None]], places: int = 9
) -> None:
    """Tell a story of a pool of held workers."""

    async def play() -> None:
        pool = Pool("lane", "divide", Admission(AdmissionLimits(places=places)), workers=workers)
        held = [Held() for _ in range(workers)]
        pool.workers[:] = held  # type: ignore[list-item]
        tasks = [asyncio.ensure_future(each) for each in pool.work_off()]
        await _settle()
        try:
            await story(pool, held)
        finally:
            for each in tasks:
                each.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(*tasks)

    asyncio.run(play())


def test_a_network_and_what_is_long_leave_a_worker_to_others() -> None:
    """Whoever asks much at once does not make another wait, nor does everybody's long question."""

    async def story(pool: Pool, workers: list[Held]) -> None:
        asked = [asyncio.ensure_future(pool.ask(n, 5.0, f"10.0.0.{n}")) for n in range(4)]
        await _settle()
        assert [each.asked for each in workers] == [[0], []]
        long = asyncio.ensure_future(pool.search("long", lambda: "x", 5.0, "10.1.1.1", 2 * LONG))
        other = asyncio.ensure_future(pool.search("long", lambda: "y", 5.0, "10.2.2.2", 2 * LONG))
        await _settle()
        assert len(workers[1].asked) == 1
        workers[0].answers[0].set_result("answer")
        assert await asked[0] == "answer"
        await _settle()
        assert workers[0].asked[1] == 1, "the other long one waits, and a short one is begun"
        workers[1].answers[0].set_result("done")
        assert await long == "done"
        await _settle()
        assert workers[1].asked[1][:2] == ("long", "y")
        for each in (*asked[1:], other):
            each.cancel()

    _play(2, story)


def test_a_search_has_its_time_alone_and_a_share_of_it_where_many_wait() -> None:
    """Of as many as find no worker; never less than a bound."""

    async def story(pool: Pool, workers: list[Held]) -> None:
        asked = [
            asyncio.ensure_future(pool.search("balance", lambda: b"", 6.0, f"10.{n}.0.1", 0.0))
            for n in range(6)
        ]
        await _settle()
        for n in range(6):
            workers[0].answers[n].set_result("answer")
            await _settle()
        assert [seconds for _, _, seconds, _ in workers[0].asked] == [
            pytest.approx(6.0 / (1 + waiting)) for waiting in (5, 4, 3, 2, 1, 0)
        ]
        assert [await each for each in asked] == ["answer"] * 6

    _play(1, story)

    async def crowd(pool: Pool, workers: list[Held]) -> None:
        asked = [
            asyncio.ensure_future(pool.search("balance", lambda: b"", 6.0, f"10.{n}.0.1", 0.0))
            for n in range(5 * SHARED)
        ]
        await _settle()
        assert workers[0].asked[0][2:] == pytest.approx((6.0 / SHARED, 1.0 / SHARED))
        for each in asked:
            each.cancel()

    _play(1, crowd, places=99)


def test_what_fails_fails_for_who_asked() -> None:
    """The next question has an answer, and what a question is about is made when its turn comes."""

    async def story(pool: Pool, workers: list[Held]) -> None:
        def wrong() -> str:
            msg = "no such thing"
            raise ValueError(msg)

        first = asyncio.ensure_future(pool.ask("first", 5.0, "a"))
        second = asyncio.ensure_future(pool.search("wrong", wrong, 5.0, "a", 0.0))
        third = asyncio.ensure_future(pool.ask("third", 5.0, "a"))
        await _settle()
        workers[0].answers[0].set_exception(WorkerError("its process has ended"))
        await _settle()
        assert workers[0].asked == ["first", "third"]
        workers[0].answers[1].set_result("answer")
        with pytest.raises(WorkerError, match="its process has ended"):
            await first
        with pytest.raises(EquipoiseError, match="ValueError"):
            await second
        assert await third == "answer"

    _play(1, story)


def test_who_leaves_gives_the_turn_up() -> None:
    """Nobody works for somebody who has gone."""

    async def story(pool: Pool, workers: list[Held]) -> None:
        asked = [asyncio.ensure_future(pool.ask(n, 5.0, "a")) for n in range(3)]
        await _settle()
        asked[1].cancel()
        await _settle()
        workers[0].answers[0].set_result("answer")
        await _settle()
        assert workers[0].asked == [0, 2]
        asked[2].cancel()

    _play(1, story)


def test_parts_that_are_made_here_leave_time_to_others() -> None:
    """The loop goes round between two of them; the last is the answer."""

    async def play() -> None:
        lane: Lane[Iterator[int]] = Lane("lane", Admission())
        working = asyncio.ensure_future(work_off(lane, last_of))
        asked = asyncio.ensure_future(lane.ask("a", iter(range(50))))
        turns = 0
        while not asked.done():
            await asyncio.sleep(0)
            turns += 1
        assert asked.result() == 49
        assert turns >= 50
        working.cancel()

    asyncio.run(play())


def test_short_searches_that_wait_are_asked_together_and_each_has_its_own_answer() -> None:
    """What one is about may be wrong, and what one is answered with an error; the others have theirs."""

    async def story(pool: Pool, workers: list[Held]) -> None:
        def wrong() -> str:
            msg = "no such thing"
            raise ValueError(msg)

        made = [lambda n=n: n for n in range(4)]
        made[2] = wrong
        asked = [asyncio.ensure_future(pool.search("s", each, 5.0, "a", LONG / 20)) for each in made]
        await _settle()
        assert [each[1] for each in workers[0].asked] == [0, 1, 3]
        workers[0].answers[0].set_result("zero")
        workers[0].answers[1].set_result("one")
        workers[0].answers[2].set_result(WorkerError("it failed"))
        assert [await asked[0], await asked[1]] == ["zero", "one"]
        with pytest.raises(EquipoiseError, match="ValueError"):
            await asked[2]
        with pytest.raises(WorkerError, match="it failed"):
            await asked[3]

    _play(2, story)
