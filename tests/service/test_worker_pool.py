"""Workers: what fails is reported, what hangs or ends is restarted."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from equipoise.core.compiled import is_kept, keeps
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.player import Player
from equipoise.errors import InputError
from equipoise.files import line_kinds
from equipoise.service import worker_pool
from equipoise.service.http.stateless_questions import Dividing
from equipoise.service.kernel_warmup import STEPS, Compiling
from equipoise.service.questions import INFEASIBLE, Gathered
from equipoise.service.service import SPARE, Service
from equipoise.service.settings import Settings
from equipoise.service.worker_pool import OTHER_NICE, Worker, WorkerError, cores
from equipoise.teams.solvers.window_kernels import fill_teams

pytestmark = pytest.mark.slow


def _players(count: int) -> tuple[Player, ...]:
    return tuple(Player(str(n), float(n * n)) for n in range(count))


def test_a_worker_divides_and_is_begun_anew_when_it_ends() -> None:
    """Whoever asked gets an error; the next question has an answer."""

    async def play() -> None:
        worker = Worker("divide")
        gathered = Gathered(_players(4), 2, None)
        assert sorted(await worker.ask(("divide", gathered, 5.0, 1.0))) == [0, 0, 1, 1]
        both = Gathered(_players(4), 2, None, parties=(("0", "1"),), apart=(("0", "1"),))
        assert await worker.ask(("divide", both, 5.0, 1.0)) == INFEASIBLE
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGSTOP)
        with pytest.raises(WorkerError, match=r"^divide: no answer within 0.2 s"):
            await worker.ask(("divide", gathered, 5.0, 1.0), 0.2)
        assert await worker.ask(("divide", gathered, 5.0, 1.0)) is not None
        await worker.close()

    asyncio.run(play())


def test_of_several_questions_each_has_its_own_answer_or_error() -> None:
    """What is wrong with one of them keeps no other from its answer."""

    async def play() -> None:
        worker = Worker("divide")
        good = ("divide", Gathered(_players(4), 2, None), 5.0, 1.0)
        wrong = ("divide", Gathered(_players(4), 0, None), 5.0, 1.0)
        broken = ("nosuch", b"", 5.0, 1.0)
        found = await worker.ask_all([wrong, good, broken, good])
        assert isinstance(found[0], InputError)
        assert found[0].argument == "teams"
        assert sorted(found[1]) == sorted(found[3]) == [0, 0, 1, 1]
        assert isinstance(found[2], WorkerError)
        await worker.close()

    asyncio.run(play())


def test_who_sends_the_first_text_waits_for_no_rules() -> None:
    """Where HTTP is asked for, workers load the rules for pastes as they begin; elsewhere they do not."""
    for http in ("", "127.0.0.1:0"):
        settings = Settings(store="sqlite:///games.db", http=http)
        assert [each.arguments for each in Service(settings).divisions.workers] == [(bool(http),)] * (
            SPARE + cores()
        )
    line_kinds._compiled.cache_clear()
    divide = Dividing(texts=True)
    known = line_kinds._compiled.cache_info().misses
    assert known
    with pytest.raises(StopIteration) as end:
        next(divide(("balance", b'{"text": "Ann 9\\nBob 7\\nCid 4\\nDee 1"}', 1.0, 1.0)))
    assert end.value.value[0] == 200
    assert line_kinds._compiled.cache_info().misses == known


def test_workers_leave_the_processor_to_those_that_answer() -> None:
    """One that begins beside them from the start, as it loads what it needs; others once they are there."""
    own, seen = os.getpriority(os.PRIO_PROCESS, 0), list[int]()

    class Watched(Worker):
        async def _message(self, process: asyncio.subprocess.Process) -> object:
            seen.append(os.getpriority(os.PRIO_PROCESS, process.pid) - own)
            return await super()._message(process)

    async def play() -> None:
        for beside in (True, False):
            worker = Watched("compile", beside=beside)
            process = await worker._ready(60.0)
            assert seen.pop() == (OTHER_NICE["compile"] if beside else 0)
            assert os.getpriority(os.PRIO_PROCESS, process.pid) - own == OTHER_NICE["compile"]
            await worker.end()

    asyncio.run(play())


def test_who_begins_too_slowly_has_twice_as_long_the_next_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, it begins at last, and the wait is the first one again."""
    waits = list[float]()
    monkeypatch.setattr(worker_pool, "BEGIN", 8.0)

    class Slow(Worker):
        async def _message(self, process: asyncio.subprocess.Process) -> object:
            waits.append(self._begin_within)
            if len(waits) < 4:
                raise TimeoutError
            return await super()._message(process)

    async def play() -> None:
        worker = Slow("divide")
        for _ in range(3):
            with pytest.raises(WorkerError, match="has not begun"):
                await worker._ready(None)
        await worker._ready(None)
        assert waits == [16.0, 32.0, 64.0, 128.0]
        assert worker._begin_within == 8.0
        await worker.end(5.0)

    asyncio.run(play())


def test_a_mistake_of_the_caller_stays_one(tmp_path: Path) -> None:
    """Such as an archive that is not there; nothing is made."""

    async def play() -> None:
        worker = Worker("keep", f"sqlite:///{tmp_path}/none.db", 1.0)
        assert await worker.ask(None) is False
        with pytest.raises(InputError, match=r"^store: .*none.db: there is no such file"):
            await worker.ask(Match((Contest(Ruleset("oa", "ctf"), (["ann"], ["bob"]), (1, 2), at=1e9),)))
        await worker.close()

    asyncio.run(play())
    assert not list(tmp_path.iterdir())


def test_an_installation_that_has_compiled_nothing_divides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiling takes longer than a division may; whoever begins again after each would never have done."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    async def play() -> None:
        worker = Worker("divide")
        assert sorted(await worker.ask(("divide", Gathered(_players(33), 3, None), 0.5, 1.0))) == [
            n for n in range(3) for _ in range(11)
        ]
        await worker.close()

    asyncio.run(play())
    assert not list(tmp_path.rglob("*fill_teams*"))


def test_what_divisions_need_is_compiled_and_kept() -> None:
    """Unless there is no place to keep it."""
    pytest.importorskip("numba", reason="numba is not installed")
    compiling = Compiling()(None)
    with pytest.raises(StopIteration) as answer:
        next(compiling)
    assert answer.value.value is keeps(fill_teams)
    assert {is_kept(kernel) for step in STEPS for kernel in step.kernels} == {keeps(fill_teams)}
