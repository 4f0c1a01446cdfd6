"""What consoles over TCP have in common: one command is out at a time, and a connection is made again.

A console is a state machine: who carries its bytes says when a connection is there (:meth:`opened`), what
arrived (:meth:`receive`) and that it is gone (:meth:`closed`), and asks when it may be made
(:meth:`may_connect`), what is to be sent (:meth:`outgoing`) and whether it is to be closed (:attr:`broken`).

A question whose connection is lost is asked again on the next one.  An order is not: nobody knows whether it
was carried out, and what is still to be done is ordered again by whoever compares the server with its plan.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from equipoise.games.rcon import ATTEMPTS, ConsoleAnswer, checked, checked_password

#: Seconds without an answer after which a connection is taken to be dead, and after which one that is idle is
#: used, so that neither end and nothing between forgets it.
LOST, KEEP_ALIVE = 5.0, 30.0

#: Seconds until a connection is made again, at first and at most; and after a refused password, since servers
#: ban who tries too often.
RETRY, RETRY_MOST, RETRY_REFUSED = 0.5, 15.0, 60.0

#: Connections in a row that failed after which a console is silent.
FAILURES = 3

#: Most bytes of one answer.
MOST_ANSWER = 1 << 20

#: What became of a connection.
Phase = Literal["closed", "greeting", "ready"]


class ConsoleLine(NamedTuple):
    """What is to be sent, and whether it is a question."""

    text: str
    question: bool


@dataclass(slots=True)
class _Out:
    """What is out: when it was sent, and what came back so far."""

    line: ConsoleLine
    attempts: int
    sent: float


class StreamConsole(ABC):
    """One console over TCP; what its bytes are like is up to a subclass.

    Parameters
    ----------
    password : str
        The console's password.
    """

    #: How the bytes travel, and how many orders that wait are given at once.
    transport: ClassVar[str] = "tcp"
    together: ClassVar[int] = 1

    def __init__(self, password: str) -> None:
        self.password = checked_password(password)
        self._waiting: deque[tuple[ConsoleLine, int]] = deque()
        #: How many orders were dropped before they were sent.
        self.unsent = 0
        self._out: _Out | None = None
        self._answers: list[ConsoleAnswer] = []
        self._phase: Phase = "closed"
        self._failures = 0
        self._again = float("-inf")
        self._heard = 0.0
        #: What came of an answer so far, and how many bytes that is.
        self._got: list[bytes] = []
        self._size = 0
        #: Whether the console cannot be reached, and whether it refused the password.
        self.silent = self.refused = False
        #: Why the connection is to be closed; empty while it is well.
        self.broken = ""

    # What somebody wants

    @property
    def idle(self) -> bool:
        """Whether nothing is out and nothing waits."""
        return self._out is None and not self._waiting

    @property
    def ordering(self) -> bool:
        """Whether an order is out or waits."""
        out = self._out is not None and not self._out.line.question
        return out or any(not line.question for line, _ in self._waiting)

    @property
    def underway(self) -> bool:
        """Whether an order may not have been carried out yet: here each is by the time it is answered."""
        return self.ordering

    def withdraw(self, lines: Iterable[str]) -> None:
        """Take orders back that are no longer wanted, if they still wait."""
        gone = set(lines)
        self._waiting = deque(item for item in self._waiting if item[0].question or item[0].text not in gone)

    def ask(self, question: str) -> None:
        """Ask for an answer; a question that waits already is not asked twice."""
        line = ConsoleLine(checked(question), question=True)
        if all(waiting != line for waiting, _ in self._waiting):
            self._waiting.append((line, 0))

    def order(self, lines: Iterable[str]) -> None:
        """Let orders be carried out, in order; what the server says to each is an answer too.

        Raises
        ------
        UnsafeError
            If a line must not be sent; then none is.
        """
        self._waiting += [
            (ConsoleLine(line, question=False), 0) for line in [checked(line) for line in lines]
        ]

    def forget_orders(self, *, same_server: bool = False) -> None:  # noqa: ARG002 -- connections tell
        """Drop the orders that wait."""
        left = deque(item for item in self._waiting if item[0].question)
        self.unsent += len(self._waiting) - len(left)
        self._waiting = left

    def answers(self) -> list[ConsoleAnswer]:
        """Return the answers that came since this was last asked."""
        answers, self._answers = self._answers, []
        return answers

    # The connection

    def may_connect(self, now: float) -> bool:
        """Tell whether a connection is to be made now."""
        return self._phase == "closed" and now >= self._again

    def opened(self, now: float) -> None:
        """Take note of a connection."""
        self._phase, self._heard, self.broken = "greeting", now, ""
        self._got, self._size = [], 0
        self.begin()

    def closed(self, now: float) -> None:
        """Take note that the connection is gone, or could not be made."""
        out, self._out = self._out, None
        if out is not None and out.line.question:
            if out.attempts < ATTEMPTS:
                self._waiting.appendleft((out.line, out.attempts))
            else:
                self._answers.append(ConsoleAnswer(out.line.text, None))
        self.forget_orders()
        self._phase, self.broken = "closed", ""
        self._failures += 1
        pause = min(RETRY * 2 ** min(self._failures - 1, 8), RETRY_MOST)
        self._again = now + (RETRY_REFUSED if self.refused else pause)
        self.silent = (self.silent or self._failures >= FAILURES) and not self.refused

    def receive(self, data: bytes, now: float) -> None:
        """Take bytes that arrived; what is no part of the protocol breaks the connection."""
        if self._phase == "closed" or self.broken:
            return
        self._heard = now
        try:
            self.take(data, now)
        except ValueError as error:
            self.broken = str(error)

    def outgoing(self, now: float) -> list[bytes]:
        """Return what is to be sent now."""
        if self._phase == "closed" or self.broken:
            return []
        waits = self._phase == "greeting" or self._out is not None
        if waits and now - max(self._heard, self._out.sent if self._out else 0.0) >= LOST:
            self.broken, self.silent = "no answer", True
            return []
        if self._phase == "greeting":
            return self.greeting()
        self.settle(now)
        if self._out is None and self._waiting:
            line, attempts = self._waiting.popleft()
            texts = [line.text]
            while not line.question and self._waiting and len(texts) < self.together:
                if self._waiting[0][0].question:
                    break
                texts.append(self._waiting.popleft()[0].text)
            self._out = _Out(ConsoleLine("\n".join(texts), line.question), attempts + 1, now)
            return [self.written(self._out.line.text)]
        if self._out is None and now - self._heard >= KEEP_ALIVE:
            self._out = _Out(ConsoleLine("", question=False), 1, now)
            return [self.written("")]
        return self.more()

    # For subclasses: what has happened

    def welcome(self) -> None:
        """Note that the password was accepted."""
        self._phase, self._failures, self.refused = "ready", 0, False

    def refuse(self) -> None:
        """Note that the password was refused."""
        self.refused, self.broken = True, "the password was refused"

    def gather(self, part: bytes) -> None:
        """Keep a part of the answer to what is out.

        Raises
        ------
        ValueError
            If the answer is too long by it.
        """
        self._size += len(part)
        if self._size > MOST_ANSWER:
            msg = f"an answer of more than {MOST_ANSWER} bytes"
            raise ValueError(msg)
        self._got.append(part)

    def finish(self, between: bytes = b"") -> None:
        """Note that the answer to what is out is whole, with something between its parts."""
        text = between.join(self._got).decode("utf-8", "replace")
        self._got, self._size = [], 0
        out, self._out, self.silent = self._out, None, False
        if out is not None and out.line.text:
            self._answers.append(ConsoleAnswer(out.line.text, text))

    @property
    def out(self) -> str | None:
        """What is out, None where nothing is."""
        return None if self._out is None else self._out.line.text

    # For subclasses: what the bytes are like

    @abstractmethod
    def begin(self) -> None:
        """Begin with a new connection: nothing of the last one is left."""

    def greeting(self) -> list[bytes]:
        """Return what is to be sent before the password is accepted; asked again and again."""
        return []

    @abstractmethod
    def take(self, data: bytes, now: float, /) -> None:
        """Take bytes; call :meth:`welcome`, :meth:`refuse` and :meth:`finish`.

        Raises
        ------
        ValueError
            If they are no part of the protocol.
        """

    def settle(self, now: float) -> None:  # noqa: B027  # most protocols mark the end
        """End an answer that is over because nothing more came."""

    @abstractmethod
    def written(self, text: str) -> bytes:
        """Return the bytes of a command, or of several orders, a line each."""

    def more(self) -> list[bytes]:
        """Return what else is to be sent while an answer is awaited."""
        return []
