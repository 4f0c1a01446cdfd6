"""Asking a peer: a process of its own, a request in, answers out line by line, an end if it hangs.

What is in the lines stands in ``peers/answering.py``; nothing is judged here.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any

PEERS = Path(__file__).parent / "peers"

#: Seconds that a peer may take to start and for its first solve, which may compile.
STARTING = 60.0

#: Seconds from which a solve is measured once.
LONG = 0.5

#: Seconds of measured solving after which a roster is not repeated again.
ENOUGH = 0.3

#: Seconds beyond its time limit after which a peer counts as hanging.
GRACE = 1.0


@dataclass(frozen=True, slots=True)
class Contestant:
    """One row of the tables: a program in ``peers/`` and what it is asked.

    Parameters
    ----------
    name : str
        What the report calls it.
    script : str
        The file in ``peers/``.
    package : str
        The distribution whose version is reported.
    options : dict
        What the script gets.
    limit : float
        Seconds for one solve.
    equal_sizes : bool
        Whether it can be asked that teams must be equally large.
    """

    name: str
    script: str
    package: str
    options: dict[str, Any]
    limit: float
    equal_sizes: bool = True


@dataclass(frozen=True, slots=True)
class Heard:
    """What a peer said.

    Parameters
    ----------
    answers : list of dict
        One for each roster, in order; fewer if the peer was ended or broke down.
    cold : float or None
        Seconds of the first solve of the process.
    end : str
        Why the answers are fewer, or empty.
    waited : float or None
        Seconds after which it was ended because no answer came.
    """

    answers: list[dict[str, Any]]
    cold: float | None
    end: str = ""
    waited: float | None = None


def ask(contestant: Contestant, rosters: Sequence[Sequence[float]], repeats: int) -> Heard:
    """Let a contestant solve rosters, each up to ``repeats`` times."""
    request = {
        "options": contestant.options,
        "limit": contestant.limit,
        "repeats": repeats,
        "long": LONG,
        "enough": ENOUGH,
        "rosters": rosters,
    }
    with subprocess.Popen(
        [sys.executable, str(PEERS / contestant.script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        complaints: list[str] = []
        listener = Thread(target=_drain, args=(process.stderr, complaints), daemon=True)
        listener.start()
        with suppress(BrokenPipeError):  # it broke down before reading: the complaints say why
            process.stdin.write(json.dumps(request))  # type: ignore[union-attr]  # it is a pipe
            process.stdin.close()  # type: ignore[union-attr]  # it is a pipe
        heard = _listen(process, contestant.limit, len(rosters))
        if process.poll() is None:
            process.kill()
        process.wait()
        listener.join()
    if heard.end or len(heard.answers) == len(rosters):
        return heard
    last = complaints[-1].strip() if complaints else "it said nothing"
    return Heard(heard.answers, heard.cold, f"broke down: {last}")


def _listen(process: subprocess.Popen[str], limit: float, wanted: int) -> Heard:
    answers: list[dict[str, Any]] = []
    cold = None
    try:
        for line in _lines(process.stdout, limit):
            message = json.loads(line)
            if "skipped" in message:
                return Heard([], None, f"skipped: {message['skipped']}")
            if "cold" in message:
                cold = message["cold"]
            else:
                answers.append(message)
            if len(answers) == wanted:
                break
    except TimeoutError:
        waited = limit + (GRACE if answers or cold is not None else STARTING)
        return Heard(answers, cold, f"no answer within {waited:g} s", waited)
    return Heard(answers, cold)


def _lines(pipe: IO[str] | None, limit: float) -> Iterator[str]:
    """Go through the lines of a pipe; TimeoutError where one does not come in time."""
    queue: SimpleQueue[str | None] = SimpleQueue()

    def read() -> None:
        for line in pipe or ():
            queue.put(line)
        queue.put(None)

    Thread(target=read, daemon=True).start()
    patience = limit + STARTING
    while True:
        try:
            line = queue.get(timeout=patience)
        except Empty:
            raise TimeoutError from None
        if line is None:
            return
        yield line
        patience = limit + GRACE


def _drain(pipe: IO[str], lines: list[str]) -> None:
    lines.extend(line for line in pipe if line.strip())
