r"""The remote console of the Quake 3 family and of DarkPlaces, which sends the same packets.

A question is one UDP packet, ``\xff\xff\xff\xffrcon PASSWORD COMMAND``; its answer is one packet or several,
without an end mark and without saying which question they answer.  So one question is out at a time, and its
answer has ended once nothing more came for a while.

Three things make this hard, and are dealt with here once:

* **Few packets are taken.**  Quake 3 lets each address send ten at once and then one a second, and drops the
  others without a word.  A bucket of our own, a little smaller, keeps us below that.
* **Packets are lost.**  Every command is answered by a packet at least, an empty one if need be, so what
  stays without an answer is sent again.
* **An order must not be carried out twice.**  Orders travel as one variable: ``set eq_orders "set eq_orders
  nop; ORDER; wait 6; ORDER"``, which may be sent as often as need be, and then ``vstr eq_orders``, whose
  first deed is to empty the variable.  However often that arrives, the orders are carried out once; and any
  number of orders costs two packets.  DarkPlaces has no ``vstr``; there it is an alias that removes itself,
  and all orders of a batch are carried out in one frame.

Only lines are sent in which no sign can begin another command.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

#: Signs that mean nothing to any console: no quote, no semicolon, no line end, no dollar, no caret; and no
#: two slashes, which begin a comment.
SAFE = re.compile(r"(?!.*//)!?[A-Za-z0-9_][A-Za-z0-9 _.,:!?()/+*'=#-]*")

#: Longest line that is sent.
LONGEST = 200


class UnsafeError(ValueError):
    """A line that is not sent."""


def checked(line: str) -> str:
    """Return a line that may be sent.

    Raises
    ------
    UnsafeError
        If it is empty, too long, or has a sign that a console may read as something else.

    Examples
    --------
    >>> checked("forceteam 3 red")
    'forceteam 3 red'
    """
    if len(line) > LONGEST or not SAFE.fullmatch(line):
        msg = f"a console line must be 1 to {LONGEST} plain signs, got {line!r:.80}"
        raise UnsafeError(msg)
    return line


def checked_password(password: str) -> str:
    """Return a password that a console can take.

    Raises
    ------
    ValueError
        If it is empty, or has a sign that a console may read as something else.
    """
    if not password or not password.isascii() or not password.isprintable() or set(password) & set(' ";'):
        msg = "the password must be plain signs without spaces, quotes and semicolons"
        raise ValueError(msg)
    return password


#: What every packet begins with.
OUT_OF_BAND = b"\xff\xff\xff\xff"

#: Seconds after which an answer has ended; and after which a packet, or its answer, is taken to be lost.
SILENCE, LOST = 0.1, 1.0

#: How often something is sent at most.
ATTEMPTS = 8

#: Longest value of a variable, in bytes; servers cut at 1024 with the command around it.
LONGEST_BATCH = 800

#: Most packets of one answer: a server of 64 needs three.
MOST_PACKETS = 64


#: What servers of all families answer to a command that they do not know.
UNKNOWN = re.compile(r"unknown command|no such command|invalid command", re.IGNORECASE)

#: How the answer to a wrong password begins.
REFUSALS = ("Bad rconpassword", "No rconpassword set")


class Dialect(NamedTuple):
    """How the consoles of two families differ.

    Parameters
    ----------
    prefix : bytes
        What the answer begins with.
    burst, per_second : float
        How many packets are sent at once, and then each second.
    keep, run : str
        How orders are put aside under a name, and carried out, which forgets them first.
    between : str
        What stands between two orders: frames in which the game takes them in, where it needs any.
    """

    prefix: bytes
    burst: float
    per_second: float
    keep: str
    run: str
    between: str = "; "


#: ioquake3 takes ten at once and one a second, of all that one address sends.
QUAKE3 = Dialect(
    b"print\n", 8.0, 0.95, 'set eq_orders "set eq_orders nop; {}"', "vstr eq_orders", "; wait 6; "
)
DARKPLACES = Dialect(b"n", 20.0, 20.0, 'alias eq_orders "unalias eq_orders; {}"', "eq_orders")


class ConsoleAnswer(NamedTuple):
    """What a question was answered with; None where no answer came."""

    question: str
    text: str | None


@dataclass(slots=True)
class _Queued:
    """Something to be sent: a question, or a part of orders."""

    text: str
    question: bool
    attempts: int = 0
    sent: float = 0.0
    last: float = 0.0
    got: list[bytes] = field(default_factory=list)


class Rcon:
    r"""One console, as a state machine: what to send and when is asked, what arrives is given.

    Parameters
    ----------
    password : str
        The console's password.
    dialect : Dialect
        Whose console it is.

    Examples
    --------
    >>> console = Rcon("secret")
    >>> console.ask("status")
    >>> console.outgoing(0.0)
    [b'\xff\xff\xff\xffrcon secret status']
    >>> console.receive(b"\xff\xff\xff\xffprint\nmap: oa_dm5\n", 0.05)
    >>> console.outgoing(0.2), console.answers()
    ([], [ConsoleAnswer(question='status', text='map: oa_dm5\n')])
    """

    #: How the bytes travel.
    transport: ClassVar[str] = "udp"

    def __init__(self, password: str, dialect: Dialect = QUAKE3) -> None:
        self._password = checked_password(password).encode()
        self._dialect = dialect
        self._waiting: deque[_Queued] = deque()
        self._now: _Queued | None = None
        self._answers: list[ConsoleAnswer] = []
        self._tokens = dialect.burst
        self._filled: float | None = None
        #: Whether the last thing that was sent often enough stayed without an answer, and whether the last
        #: answer was that the password is wrong.
        self.silent = self.refused = False

    @property
    def idle(self) -> bool:
        """Whether nothing is out and nothing waits."""
        return self._now is None and not self._waiting

    @property
    def ordering(self) -> bool:
        """Whether an order is out or waits."""
        return any(not item.question for item in (self._now, *self._waiting) if item is not None)

    def ask(self, question: str) -> None:
        """Ask for an answer; a question that waits already is not asked twice."""
        if not any(item.question and item.text == question for item in self._waiting):
            self._waiting.append(_Queued(checked(question), question=True))

    def order(self, lines: Iterable[str]) -> None:
        """Let orders be carried out, in order; no answer is given.

        Raises
        ------
        UnsafeError
            If a line must not be sent; then none is.
        """
        dialect, safe = self._dialect, [checked(line) for line in lines]
        for batch in _batches(safe, dialect.between, LONGEST_BATCH - len(dialect.keep)):
            for text in (dialect.keep.format(batch), dialect.run):
                self._waiting.append(_Queued(text, question=False))

    def forget_orders(self) -> None:
        """Drop the orders that wait: a level has begun, and they were meant for the one before.

        What was sent already may still be carried out.
        """
        self._waiting = deque(item for item in self._waiting if item.question)

    def receive(self, packet: bytes, now: float) -> None:
        """Take a packet that arrived; whatever is no answer is passed over."""
        start = OUT_OF_BAND + self._dialect.prefix
        item = self._now
        if item is not None and packet.startswith(start) and len(item.got) < MOST_PACKETS:
            item.got.append(packet[len(start) :])
            item.last = now

    def outgoing(self, now: float) -> list[bytes]:
        """Return what is to be sent now."""
        self._settle(now)
        if self._now is None and self._waiting:
            self._now = self._waiting.popleft()
        item = self._now
        if item is None or item.got or (item.attempts and now - item.sent < LOST):
            return []
        if not self._spend(now):
            return []
        item.attempts += 1
        item.sent = now
        return [OUT_OF_BAND + b"rcon " + self._password + b" " + item.text.encode()]

    def answers(self) -> list[ConsoleAnswer]:
        """Return the answers that came since this was last asked."""
        answers, self._answers = self._answers, []
        return answers

    def _settle(self, now: float) -> None:
        """End what is out, if its answer has ended or it was sent often enough."""
        item = self._now
        if item is None:
            return
        if item.got and (now - item.last >= SILENCE or not item.question):
            text = b"".join(item.got).decode("latin-1")
            self.silent, self.refused = False, text.startswith(REFUSALS)
            if item.question:
                self._answers.append(ConsoleAnswer(item.text, None if self.refused else text))
        elif not item.got and item.attempts >= ATTEMPTS and now - item.sent >= LOST:
            self.silent = True
            if item.question:
                self._answers.append(ConsoleAnswer(item.text, None))
        else:
            return
        self._now = None

    def _spend(self, now: float) -> bool:
        """Take a token from the bucket, if there is one."""
        dialect = self._dialect
        since = 0.0 if self._filled is None else max(now - self._filled, 0.0)
        self._filled = now
        self._tokens = min(self._tokens + since * dialect.per_second, dialect.burst)
        if self._tokens < 1.0:
            return False
        self._tokens -= 1.0
        return True


def _batches(lines: Iterable[str], between: str, longest: int) -> list[str]:
    """Join lines into as few texts as are short enough."""
    batches: list[str] = []
    for line in lines:
        if batches and len(batches[-1]) + len(between) + len(line) <= longest:
            batches[-1] += between + line
        else:
            batches.append(line)
    return batches
