"""Where admitted work is done: processes of the server's own, and the loops that work lanes off.

A worker (:class:`Worker`) is asked over a pipe, and answers with values: one question at a time, or several
short ones, since the way there and back takes as long as some of them.  One that does not answer within its
time is killed and restarted, so that a hung database, or a kernel that never returns, keeps nobody.  It ends
with the server, however that ends.  A pool (:class:`Pool`) is several workers of one role behind one lane, of
which neither one network nor what takes long ever has all.

What takes no longer than some milliseconds and needs what the server holds in memory is worked off in this
process (:func:`last_of`), with pauses for everybody else.  :func:`work_off` is the one loop of all lanes.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
import logging
import os
import pickle
import signal
import struct
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from time import perf_counter
from typing import IO, Any

from equipoise.core.registry import resolve
from equipoise.errors import EquipoiseError, InputError
from equipoise.service.admission import Admission
from equipoise.service.fair_queue import Lane, Ticket

#: What stands before each message: its length in bytes.
LENGTH = struct.Struct("<Q")

#: How much less of the processor a worker takes where others want it (19 is the least), where that is not
#: :data:`NICE`; learning takes more, since results are to be seen within a second beside any lookups.
NICE = 10
OTHER_NICE = {"keep": 0, "queue": 0, "tonight": 0, "learn": 5, "settle": 6, "compile": 19, "compute": 5}

#: Seconds to begin, which takes long on a machine that is busy; and to end by itself, before it is killed.
BEGIN, LAST = 180.0, 0.5

#: Seconds to begin at most: after one that was too slow the next has twice as long.
MOST_BEGIN = 600.0

#: Seconds beyond its time limit after which a worker is restarted, unless its pool says otherwise: it may
#: have to load what it needs first, and is short of the processor wherever much else runs.
PATIENCE = 15.0

#: Questions among which the time of a search is shared at most, where as many wait.
SHARED = 10

#: Seconds that work in this process leaves to others for each second it takes itself.
BREATH = 4.0

#: Bytes of a pipe that are read at a time.
PIPE = 1 << 20

#: ``PR_SET_PDEATHSIG`` of Linux: the signal for when the parent ends.
_DEATH_SIGNAL = 1

#: What a worker can be, by name; each is made with the arguments it is begun with, and then called with each
#: question: what it yields are parts of the answer, what it returns is the answer.
ROLES = {
    "compute": "equipoise.service.fan_out:Computing",
    "compile": "equipoise.service.kernel_warmup:Compiling",
    "divide": "equipoise.service.http.stateless_questions:Dividing",
    "keep": "equipoise.service.archive_workers:Keeping",
    "learn": "equipoise.service.snapshot_follower:Learning",
    "settle": "equipoise.service.snapshot_follower:Settling",
    "read": "equipoise.service.archive_workers:Reading",
    "pages": "equipoise.service.http.pages:Paging",
    "queue": "equipoise.service.queue_owner:Queueing",
    "tonight": "equipoise.service.tonight:Evenings",
}

Answer = Iterator[Any]

#: Takes a part of an answer.
Part = Callable[[Any], Awaitable[None]]

log = logging.getLogger(__name__)


class WorkerError(EquipoiseError):
    """A worker did not answer, or what it was asked went wrong."""


class Worker:
    """The server's side of a worker; begun when it is first asked.

    Parameters
    ----------
    role : str
        One of :data:`ROLES`.
    arguments : object
        What it is made with.
    beside : bool
        Whether it begins while others answer already: it leaves them the processor as it loads what it needs
        too, which takes seconds where several begin at once.
    """

    def __init__(self, role: str, *arguments: object, beside: bool = False) -> None:
        self._role = role
        self.arguments = arguments
        self._beside = beside
        self._process: asyncio.subprocess.Process | None = None
        self._beginning: asyncio.Task[asyncio.subprocess.Process] | None = None
        self._has_begun = False
        self._begin_within = BEGIN
        self._killed: list[asyncio.subprocess.Process] = []
        self._turn = asyncio.Lock()

    @property
    def pid(self) -> int | None:
        """Its process, None while there is none."""
        return None if self._process is None else self._process.pid

    @property
    def is_ready(self) -> bool:
        """Whether it has a process that takes questions."""
        return self._process is not None and self._process.returncode is None and self._has_begun

    async def ask(
        self,
        question: object,
        seconds: float | None = None,
        part: Part | None = None,
    ) -> Any:
        """Return the answer to a question.

        Parameters
        ----------
        question : object
            What the role answers.
        seconds : float, optional
            How long that may take, each part for itself.
        part : callable, optional
            Takes each part of the answer as it comes.

        Raises
        ------
        InputError
            If what it works with is at fault, such as the archive.
        WorkerError
            If there was no answer within the time, the worker has ended, or the question failed.
        """
        (answer,) = await self.ask_all([question], seconds, part)
        if isinstance(answer, EquipoiseError):
            raise answer
        return answer

    async def ask_all(
        self, questions: Sequence[object], seconds: float | None = None, part: Part | None = None
    ) -> list[Any]:
        """Return the answers to several questions, in their order; an error is that of its question alone.

        Parameters
        ----------
        questions : sequence of object
            What the role answers, together within the time.
        seconds, part
            As of :meth:`ask`.

        Raises
        ------
        WorkerError
            If there was no answer to any of them.
        """
        async with self._turn:
            process = await self._ready(seconds)
            try:
                return await self._asked(process, questions, seconds, part)
            except TimeoutError:
                self._begin_anew()
                msg = f"{self._role}: no answer within {seconds:g} s; restarted"
                raise WorkerError(msg) from None
            except (OSError, asyncio.IncompleteReadError):
                self._begin_anew()
                msg = f"{self._role}: its process has ended; restarted"
                raise WorkerError(msg) from None
            except asyncio.CancelledError:
                self.kill()  # its answer would pass for that of the next question
                raise

    async def _asked(
        self,
        process: asyncio.subprocess.Process,
        questions: Sequence[object],
        seconds: float | None,
        part: Part | None,
    ) -> list[Any]:
        assert process.stdin is not None  # noqa: S101 -- as PIPE says
        process.stdin.write(_framed(questions))
        while True:
            async with asyncio.timeout(seconds):
                found = await self._message(process)
            if isinstance(found, list):
                return [_outcome(*each) for each in found]
            if part is not None:
                await part(found[1])

    async def _message(self, process: asyncio.subprocess.Process) -> Any:
        """Return a part of an answer, or the list of all answers: each with its kind."""
        assert process.stdout is not None  # noqa: S101 -- as PIPE says
        (size,) = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
        return pickle.loads(await process.stdout.readexactly(size))  # noqa: S301 -- our own process

    async def _ready(self, seconds: float | None) -> asyncio.subprocess.Process:
        """Return its process once that takes questions; it goes on beginning after the time."""
        process = self._process
        if process is not None and self.is_ready:
            return process
        if self._process is not None and self._process.returncode is not None:
            self.kill()
        if self._beginning is None:
            self._beginning = asyncio.ensure_future(self._begin())
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.shield(self._beginning)
        except (OSError, asyncio.IncompleteReadError) as error:  # a TimeoutError is an OSError
            if self._beginning.done():
                self.kill()
            why = "has not begun" if isinstance(error, TimeoutError) else "has ended while it began"
            msg = f"{self._role}: its process {why}"
            raise WorkerError(msg) from None

    async def _begin(self) -> asyncio.subprocess.Process:
        """Begin the process and wait until it takes questions."""
        beginning = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                sys.executable, "-m", "equipoise.service.worker_pool", self._role,
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=PIPE,
            )
        )  # fmt: skip
        try:
            self._process = process = await asyncio.shield(beginning)
        except asyncio.CancelledError:
            self._process = await beginning  # so that it can be ended
            raise
        assert process.stdin is not None  # noqa: S101 -- as PIPE says
        if self._beside:
            self._give_way(process.pid)
        process.stdin.write(_framed((_logging(), self.arguments)))
        begin_within = self._begin_within
        self._begin_within = min(2.0 * begin_within, MOST_BEGIN)
        async with asyncio.timeout(begin_within):
            await self._message(process)
        self._begin_within = BEGIN
        if not self._beside:
            self._give_way(process.pid)
        self._has_begun = True
        return process

    def _give_way(self, pid: int) -> None:
        """Let its process have less of the processor than this one, as its role says."""
        with contextlib.suppress(OSError, AttributeError):  # it has ended; Windows has no priorities
            nice = os.getpriority(os.PRIO_PROCESS, 0) + OTHER_NICE.get(self._role, NICE)
            os.setpriority(os.PRIO_PROCESS, pid, nice)

    def _begin_anew(self) -> None:
        """End it and begin another, so that the next question need not wait for that."""
        self.kill()
        self._beginning = asyncio.ensure_future(self._begin())
        self._beginning.add_done_callback(lambda begun: begun.cancelled() or begun.exception())

    def kill(self) -> None:
        """End it at once; the next question begins another."""
        self._beginning, self._has_begun = None, False
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        self._killed = [each for each in self._killed if each.returncode is None] + [process]

    async def end(self, seconds: float = LAST) -> None:
        """End it at once, and wait until nothing of it is left, for some seconds at most."""
        if self._beginning is not None:
            self._beginning.cancel()
            await asyncio.gather(self._beginning, return_exceptions=True)
        self.kill()
        killed, self._killed = self._killed, []
        for process in killed:
            await _released(process, seconds)

    async def close(self) -> None:
        """Let it end by itself for a moment, before it is ended."""
        process = self._process
        if process is not None and process.returncode is None:
            assert process.stdin is not None  # noqa: S101 -- as PIPE says
            process.stdin.close()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), LAST)
        await self.end()


async def _released(process: asyncio.subprocess.Process, seconds: float) -> None:
    """Wait for the end of a process that was killed, and close its pipes: a loop closes without them only."""
    assert process.stdin is not None  # noqa: S101 -- as PIPE says
    assert process.stdout is not None  # noqa: S101 -- as PIPE says
    process.stdin.close()
    with contextlib.suppress(TimeoutError, OSError):  # one that the system itself holds up is left to it
        async with asyncio.timeout(seconds):
            await process.wait()
            while await process.stdout.read(PIPE):
                pass
            await process.stdin.wait_closed()


def _outcome(kind: str, value: Any) -> Any:
    """Return an answer, or the error that stands for it."""
    if kind == "answer":
        return value
    return InputError(*value) if kind == "wrong" else WorkerError(value)


def _framed(message: object) -> bytes:
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(data)) + data


def _logging() -> tuple[str, bool]:
    """Return how this process logs, so that its workers log likewise."""
    from equipoise.service.monitoring import current

    return current()


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Pool:
    """Workers of one role, and the lane of what they are asked.

    Parameters
    ----------
    name, role : str
        What its lane is called, and what its workers are: one of :data:`ROLES`.
    admission : Admission
        How much may wait.
    arguments : object
        What each worker is made with.
    workers : int
        How many there are; one network, and what takes long, have all but one of them at most.
    patience : float
        Seconds beyond its time limit after which a worker is restarted.
    """

    def __init__(
        self,
        name: str,
        role: str,
        admission: Admission,
        *arguments: object,
        workers: int = 1,
        patience: float = PATIENCE,
    ) -> None:
        self.workers = [Worker(role, *arguments, beside=n > 0) for n in range(workers)]
        self.lane: Lane[tuple[str | None, Any, float]] = Lane(name, admission, max(1, workers - 1))
        self._patience = patience

    async def begin(self) -> None:
        """Begin the first worker, so that the first who asks need not wait for that.

        Raises
        ------
        EquipoiseError
            If it cannot be begun.
        """
        await self.workers[0].ask(None, BEGIN)

    async def ask(self, question: Any, seconds: float, whose: str) -> Any:
        """Return the answer when its turn has come; see :meth:`Lane.ask`."""
        return await self.lane.ask(whose, (None, question, seconds))

    async def search(
        self, kind: str, content: Callable[[], Any], seconds: float, whose: str, cost: float
    ) -> Any:
        """Return the answer to a search, which gets less of its seconds where many wait.

        What it is about is made when its turn has come: nothing is done for what is refused.
        """
        return await self.lane.ask(whose, (kind, content, seconds), cost)

    def work_off(self) -> list[Coroutine[Any, Any, None]]:
        """Return what answers, each without end."""
        return [self._work_off(each) for each in self.workers]

    async def _work_off(self, worker: Worker) -> None:
        """Let a worker answer, without end; of several each begins before somebody has to wait for it."""
        if len(self.workers) > 1:
            with contextlib.suppress(EquipoiseError):  # it is tried again with the first question
                await worker.ask(None, BEGIN)

        while True:
            first = await self.lane.next()
            tickets = [first, *self.lane.beside(first)]
            await _answered(self.lane, tickets, self._answers(worker, [each.item for each in tickets]))

    async def _answers(self, worker: Worker, items: list[tuple[str | None, Any, float]]) -> list[Any]:
        """Return what a worker answers, to each item for itself."""
        if worker.pid is None:  # to begin takes time of its own
            await worker.ask(None, BEGIN)
        share = self._share(len(items))
        made = [_question(*each, share) for each in items]
        asked = [each for each in made if not isinstance(each, EquipoiseError)]
        if not asked:
            return made
        seconds = max(each for _, each in asked) + self._patience
        answers = iter(await worker.ask_all([each for each, _ in asked], seconds))
        return [each if isinstance(each, EquipoiseError) else next(answers) for each in made]

    def _share(self, begun: int) -> float:
        """Return the part of its time that a search gets: others wait, and not all of them find a worker."""
        return min(1.0, max(1.0 / SHARED, len(self.workers) / (begun + len(self.lane))))

    async def end(self) -> None:
        """End its workers at once."""
        await asyncio.gather(*(each.end() for each in self.workers))

    async def close(self) -> None:
        """Let its workers end by themselves for a moment: what they are keeping may be kept."""
        await asyncio.gather(*(each.close() for each in self.workers))


def _question(kind: str | None, content: Any, seconds: float, share: float) -> Any:
    """Return a question with its seconds, or the error that keeps it from being asked."""
    if kind is None:
        return content, seconds
    try:
        return (kind, content(), seconds * share, share), seconds * share
    except EquipoiseError as error:
        return error
    except Exception as error:
        log.exception("unexpected error")
        return EquipoiseError(type(error).__name__)


async def work_off(lane: Lane[Any], work: Callable[[Any], Awaitable[Any]]) -> None:
    """Answer what waits in a lane, one after the other, without end, whatever happens."""

    async def alone(item: Any) -> list[Any]:
        return [await work(item)]

    while True:
        ticket = await lane.next()
        await _answered(lane, [ticket], alone(ticket.item))


async def _answered(lane: Lane[Any], tickets: list[Ticket[Any]], answering: Awaitable[list[Any]]) -> None:
    """Give everybody the answer, or the error that there was for all."""
    try:
        answers = await answering
    except EquipoiseError as error:
        answers = [error] * len(tickets)
    except Exception as error:
        log.exception("unexpected error")
        answers = [EquipoiseError(type(error).__name__)] * len(tickets)
    finally:
        lane.done(*tickets)
    for ticket, answer in zip(tickets, answers, strict=True):
        ticket.give(answer)


async def last_of(parts: Iterator[Any], breath: float = BREATH) -> Any:
    """Go through parts that are computed here, with pauses for everybody else; return the last one."""
    found, began = None, perf_counter()
    for part in parts:
        found = part
        await asyncio.sleep(breath * (perf_counter() - began))
        began = perf_counter()
    return found


# The worker's side


def main() -> None:
    """Answer questions from standard input until there are no more."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):  # Windows has no SIGHUP
            signal.signal(getattr(signal, name), signal.SIG_IGN)  # the server tells when it is over
    _end_with_parent()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed goes to the log
    questions = sys.stdin.buffer
    with contextlib.suppress(EOFError, BrokenPipeError):  # the server has ended
        logs, arguments = _read(questions)
        from equipoise.service.monitoring import log_events

        log_events(logs[0], as_json=logs[1])
        role = resolve("role", ROLES, sys.argv[1])(*arguments)
        gc.collect()
        gc.freeze()  # what is loaded stays: to go through it again and again would hold answers up
        _send([], answers)  # that it takes questions
        while True:
            _send([_answer(role(each), answers) for each in _read(questions)], answers)


def _answer(answer: Answer, answers: IO[bytes]) -> tuple[str, Any]:
    """Send what a role yields, and return what it returns, with its kind."""
    while True:
        try:
            part = next(answer)
        except StopIteration as end:
            return "answer", end.value
        except InputError as error:
            return "wrong", (error.problem, error.argument)
        except EquipoiseError as error:
            return "failed", str(error)
        except Exception as error:
            log.warning("unexpected error", exc_info=True)
            return "failed", f"{type(error).__name__}: {error}"
        _send(("part", part), answers)


def _send(message: object, answers: IO[bytes]) -> None:
    answers.write(_framed(message))
    answers.flush()


def _read(questions: IO[bytes]) -> Any:
    """Return the next message; raise EOFError where none is to come."""
    head = questions.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    (size,) = LENGTH.unpack(head)
    return pickle.loads(questions.read(size))  # noqa: S301 -- from our own parent


def _end_with_parent() -> None:
    """Ask Linux to end this process with its parent; elsewhere it ends when it has answered."""
    parent = os.getppid()
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(1)


if __name__ == "__main__":
    main()
