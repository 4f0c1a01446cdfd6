r"""The remote console of the Quake 3 family and of DarkPlaces, which sends the same packets.

A question is one UDP packet, ``\xff\xff\xff\xffrcon PASSWORD COMMAND``; its answer is one packet or several,
without an end mark and without saying which question they answer.  So one question is out at a time, and its
answer has ended once nothing more came for a while.

Four things make this hard, and are dealt with here once:

* **Few packets are taken.**  Quake 3 lets each address send ten at once and then one a second, and drops the
  others without a word.  A bucket of our own, a little smaller, keeps us below that.
* **Packets are lost.**  Every command is answered by a packet at least, an empty one if need be, so what
  stays without an answer is sent again.
* **An answer is lost as easily as an order.**  Where half of the packets are, one exchange of four succeeds,
  and one packet of two arrives.  An order that does the same however often it is carried out (``forceteam 3
  red``, ``kick Sarge``) needs no answer: it travels by itself, and again, until somebody has seen its effect
  and withdraws it.  Where there are many, they are put aside as below, which any number may be too.
* **An order must not be carried out twice.**  Orders travel as one variable: ``set eq_orders "set eq_orders
  set eq_void 1; ORDER; wait 2; ORDER"``, which may be sent as often as need be.  Then ``vstr eq_run`` lets
  the server come to ``vstr eq_orders``, whose first deed is to empty the variable.  However often that
  arrives, the orders are carried out once, and any number of orders costs two packets.  (``vstr eq_orders``
  itself would be replaced by the orders as it arrives: two of them that wait while a level is loaded would be
  replaced before either is carried out.)  DarkPlaces has no ``vstr``; there it is an alias that removes
  itself, and all orders of a batch are carried out in one frame.

That an order was answered does not mean that it was carried out: a Quake 3 server waits some frames between
two of them, and a frame lasts as long as the machine is busy.  Whoever orders a bot again meanwhile gets
two.  So a batch with orders that must not be given twice bears a number, which the server keeps when it
begins and when it ends (``eq_begun``, ``eq_done``).  Until both are the same, the batch is under way: also
one of a program that has died since.

Only lines are sent in which no sign can begin another command.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
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

#: Seconds after which an answer has ended; and after which a packet, or its answer, is taken to be lost: at
#: most, and at least where answers come soon.
SILENCE, LOST, LOST_SOON = 0.1, 1.0, 0.3

#: How many of the last answers tell how soon they come, and by how often their longest one is lost.
RECENT, BEYOND = 8, 2.0

#: How often something is sent at most; and an order by itself, before others have their turn and it is sent
#: after so many seconds only.
ATTEMPTS, ATTEMPTS_ALONE, SELDOM = 20, 8, 4.0

#: How many orders travel each by itself at most: more are put aside together, in two packets.  And how many
#: packets are kept for them, which no question takes.
ALONE, SPARE = 2, 2.0

#: Seconds after orders within which their effect shows, unless they were lost.
SHOWS = 1.0

#: Longest value of a variable, in bytes; servers cut at 1024 with the command around it.
LONGEST_BATCH = 800

#: Seconds between two looks at how far orders are, and after which those that do not end are given up.
LOOK_AGAIN, GIVEN_UP = 0.5, 60.0

#: An order for nothing, which takes the place of others.
VOID = "set eq_void 1"

#: The stages of orders.
PREPARE, KEEP, RUN = range(3)

#: The number of orders of a program that was here before.
EARLIER = 0

#: How many answers that tell nothing say that a server cannot tell how far its orders are.
REPORTS_NOTHING = 3

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
    prepare, keep, run : str
        What a server must know first, how orders are put aside under a name, and what carries them out, which
        forgets them first.
    wait : str
        What lets a number of frames pass between two orders, where the game needs any to take them in.
    frame : float
        Seconds of a frame.
    once : tuple of str
        How orders begin that must not be given twice.
    progress : str
        The question for what the server keeps of how far orders are; empty where all are carried out at once.
    same : tuple of str
        How orders begin that do the same however often they are carried out, the most urgent ones first.
    keep_same, run_same : str
        How these are put aside, and what carries them out, where there are many.
    """

    prefix: bytes
    burst: float
    per_second: float
    prepare: str
    keep: str
    run: str
    wait: str = ""
    frame: float = 0.0
    once: tuple[str, ...] = ()
    progress: str = ""
    same: tuple[str, ...] = ()
    keep_same: str = ""
    run_same: str = ""


#: ioquake3 takes ten at once and one a second, of all that one address sends.
QUAKE3 = Dialect(
    b"print\n", 8.0, 0.95, "set eq_run vstr eq_orders", 'set eq_orders "set eq_orders set eq_void 1; {}"',
    "vstr eq_run", "wait {}", 0.05, ("addbot ", "clientkick "), "cvarlist eq_*",
    ("kick ", "forceteam "), 'set eq_same "set eq_same set eq_void 1; {}"', "vstr eq_same",
)  # fmt: skip
DARKPLACES = Dialect(
    b"n", 20.0, 20.0, 'alias eq_run "eq_orders"', 'alias eq_orders "unalias eq_orders; {}"', "eq_run"
)

#: Frames after an order: every client hears of each, and one that does not keep up is dropped by the server.
FRAMES = 2

_REPORTED = re.compile(r'\beq_(begun|done|orders|run) "([^"]*)"')
_REPORT_ENDS = "total cvars"


class ConsoleAnswer(NamedTuple):
    """What a question was answered with; None where no answer came."""

    question: str
    text: str | None


@dataclass(slots=True)
class _Queued:
    """Something to be sent: a question, or orders, which go through stages: prepare, keep, run.

    ``same`` tells whether the orders do the same however often they are carried out, and ``once`` whether
    they must not be given twice; ``number`` is what they bear then.
    """

    text: str = ""
    lines: list[str] = field(default_factory=list)
    same: bool = False
    once: bool = False
    number: int = 0
    stage: int = 0
    attempts: int = 0
    sent: float = 0.0
    last: float = 0.0
    got: list[bytes] = field(default_factory=list)

    @property
    def question(self) -> bool:
        """Whether this is one; orders have lines."""
        return bool(self.text)

    @property
    def can_wait(self) -> bool:
        """Whether what is urgent goes before this: a question, or orders that have no effect on a game."""
        return self.question or not (self.same or self.once or self.stage == RUN)


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
    ([b'\xff\xff\xff\xffrcon secret cvarlist eq_*'], [ConsoleAnswer(question='status', text='map: oa_dm5\n')])
    """

    #: How the bytes travel.
    transport: ClassVar[str] = "udp"

    def __init__(self, password: str, dialect: Dialect = QUAKE3) -> None:
        self._password = checked_password(password).encode()
        self._dialect = dialect
        self._waiting: deque[_Queued] = deque()
        #: Orders that are sent until their effect is seen: how often each was, and when last.
        self._until_seen: dict[str, tuple[int, float]] = {}
        #: How many of them may still be answered, and since when.
        self._unanswered, self._alone_at = 0, float("-inf")
        #: How many packets were sent since one arrived.
        self._unheard = 0
        #: How many orders were dropped before they were sent.
        self.unsent = 0
        self._now: _Queued | None = None
        self._answers: list[ConsoleAnswer] = []
        self._tokens = dialect.burst
        self._filled: float | None = None
        #: The number of the orders that may be under way, None where none are, and that of the last ones.
        #: What a program before this one has ordered is not known at first.
        self._open: int | None = EARLIER if dialect.progress else None
        self._number = 0
        #: Those of the open orders that must not be given twice and have not been seen to be carried out.
        self._unseen: set[str] = set()
        self._look_at = float("-inf")
        self._opened: float | None = None
        self._reported_nothing = 0
        self._is_prepared = False
        self._took: deque[float] = deque(maxlen=RECENT)
        #: Whether the last thing that was sent often enough stayed without an answer, and whether the last
        #: answer was that the password is wrong.
        self.silent = self.refused = False

    @property
    def idle(self) -> bool:
        """Whether nothing is out and nothing waits, but orders whose effect the log does not show."""
        return self._now is None and not self._waiting and self._is_seen_elsewhere

    @property
    def _is_seen_elsewhere(self) -> bool:
        """Whether all orders that are sent until they are seen were sent so often that a list has to tell."""
        return all(count >= ATTEMPTS_ALONE for count, _ in self._until_seen.values())

    @property
    def ordering(self) -> bool:
        """Whether an order is out or waits, or may not have been carried out yet."""
        return bool(self._open or self._until_seen) or any(not item.question for item in self._all())

    @property
    def underway(self) -> bool:
        """Whether an order that must not be given twice may still be carried out, whoever gave it."""
        return self._open is not None or any(item.once for item in self._all())

    def _all(self) -> Iterable[_Queued]:
        return self._waiting if self._now is None else (self._now, *self._waiting)

    def ask(self, question: str) -> None:
        """Ask for an answer; a question that waits already is not asked twice."""
        if not any(item.text == question for item in self._waiting):
            self._waiting.append(_Queued(checked(question)))

    def order(self, lines: Iterable[str]) -> None:
        """Let orders be carried out; no answer is given.

        Those that do the same however often they are carried out go first, until they are withdrawn.  The
        others keep their order, and those that wait already and those that come travel together.  Where
        orders that must not be given twice have to wait for others, the rest goes before them.

        Raises
        ------
        UnsafeError
            If a line must not be sent; then none is.
        """
        given: list[str] = []
        for line in [checked(line) for line in lines]:
            if self._dialect.same and line.startswith(self._dialect.same):
                self._until_seen.setdefault(line, (0, float("-inf")))
            else:
                given.append(line)
        parts = [given]
        if self._open is not None:
            parts = [[line for line in given if self._is_once(line) is waits] for waits in (False, True)]
        for part in parts:
            batches = [item for item in self._waiting if item.lines]
            last = batches[-1] if batches and batches[-1].once is any(map(self._is_once, part)) else None
            self._waiting += _batches(part, self._dialect, last)

    def _is_once(self, line: str) -> bool:
        """Tell whether an order must not be given twice."""
        return bool(self._dialect.once) and line.startswith(self._dialect.once)

    def withdraw(self, lines: Iterable[str]) -> None:
        """Take orders back that are no longer wanted, mostly since their effect was seen."""
        gone = set(lines)
        for line in gone & self._until_seen.keys():
            del self._until_seen[line]
        out = self._now
        for item in self._all():
            if not gone.isdisjoint(item.lines):
                item.lines = [line for line in item.lines if line not in gone]
                if item.stage != RUN and not item.same:  # the others are put aside once more
                    item.attempts, item.got = 0, []
        self._waiting = deque(item for item in self._waiting if item.question or item.lines)
        if out is not None and not out.question and not out.lines:
            self._now = None
        if not self._unseen.isdisjoint(gone):
            self._unseen -= gone
            if not self._unseen:
                self._open = None
                if self._now is not None and self._now.number:
                    self._now = None

    def forget_orders(self, *, same_server: bool = False) -> None:
        """Drop the orders that wait: a level has begun, and they were meant for the one before.

        What was sent already may still be carried out.

        Parameters
        ----------
        same_server : bool
            Whether the server is surely the one that was there before.
        """
        left = deque(item for item in self._waiting if item.question or item.lines == [VOID])
        self.unsent += len(self._waiting) - len(left) + sum(not sent for sent, _ in self._until_seen.values())
        self._waiting = deque(item for item in left if item.question)
        self._until_seen.clear()
        self._is_prepared = self._is_prepared and same_server
        out = self._now
        if out is not None and not out.question:
            self._now = None
            self.unsent += out.stage != RUN and not out.same
            if out.number:  # nothing was carried out, or it is asked for how far it is
                self._open = out.number if out.stage == RUN else None
                self._look_at = float("-inf")

    def receive(self, packet: bytes, now: float) -> None:
        """Take a packet that arrived; whatever is no answer is passed over."""
        start = OUT_OF_BAND + self._dialect.prefix
        if not packet.startswith(start):
            return
        item, text = self._now, packet[len(start) :]
        self._unheard = 0
        if item is None:
            self._unanswered -= 1
            self.silent, self.refused = False, text.decode("latin-1").startswith(REFUSALS)
        elif len(item.got) < MOST_PACKETS:
            if not item.got and item.attempts == 1:
                self._took.append(now - item.sent)
            item.got.append(text)
            item.last = now

    def outgoing(self, now: float) -> list[bytes]:
        """Return what is to be sent now."""
        self._fill(now)
        self._settle(now)
        item = self._now
        urgent = len(self._until_seen) > ALONE or any(count < ATTEMPTS_ALONE for count, _ in self._few())
        if item is not None and item.can_wait and urgent and not item.got and self._is_lost(now):
            self._waiting.appendleft(item)
            item = self._now = None
        if item is None:
            alone = self._alone(now)
            waits = self._unanswered > 0 and now - self._alone_at < self._lost_after()
            if alone or waits or any(count < ATTEMPTS_ALONE for count, _ in self._few()):
                return [self._sent(line) for line in alone]
            item = self._now = self._next(now)
        if item is None or item.got or not self._is_lost(now):
            return []
        if self._tokens < 1.0 + (SPARE if item.question else 0.0):
            return []
        if item.same and item.attempts:
            item.stage = RUN if item.stage == KEEP else KEEP  # either may have been lost
        item.attempts += 1
        item.sent = now
        return [self._sent(self._packet(item))]

    def _sent(self, line: str) -> bytes:
        """Return the packet of a line, and count it."""
        self._tokens -= 1.0
        self._unheard += 1
        self.silent = self.silent or self._unheard > ATTEMPTS
        return OUT_OF_BAND + b"rcon " + self._password + b" " + line.encode()

    def _alone(self, now: float) -> list[str]:
        """Return the orders to be sent now each by itself, if they are few."""
        soon = max(self._lost_after() / 2.0, LOST_SOON)  # no answer has to come back
        found: list[str] = []
        for line, (count, at) in zip(self._until_seen, self._few(), strict=False):
            again = soon if count < ATTEMPTS_ALONE else SELDOM
            if now - at >= again and self._tokens >= 1.0 + len(found):
                self._until_seen[line] = (count + 1, now)
                found.append(line)
        if found:
            waits = now - self._alone_at < self._lost_after()
            self._unanswered = (self._unanswered if waits else 0) + len(found)
            self._alone_at = now
        return found

    def _few(self) -> list[tuple[int, float]]:
        """Return how often orders were sent each by itself, and when last, if they are few."""
        return list(self._until_seen.values()) if len(self._until_seen) <= ALONE else []

    def _lost_after(self) -> float:
        """Return the seconds after which what is not answered is sent again: later than answers come."""
        return min(max(BEYOND * max(self._took, default=LOST_SOON), LOST_SOON), LOST)

    def _is_lost(self, now: float) -> bool:
        """Tell whether what is out is to be sent, again or for the first time."""
        item = self._now
        if item is None or not item.attempts:
            return item is not None
        runs = item.stage == RUN and not item.question
        return now - item.sent >= self._lost_after() + (self._seconds(item) if runs else 0.0)

    def _most(self, item: _Queued) -> int:
        """Return how often something is sent: what has no effect on a game takes little from what has one."""
        if not self._dialect.same or item.question or item.once or (item.stage != RUN and not item.same):
            return ATTEMPTS
        return ATTEMPTS_ALONE * 2 if item.same else ATTEMPTS_ALONE // 2

    def _seconds(self, item: _Queued) -> float:
        """Return how long a server takes for orders."""
        return FRAMES * len(item.lines) * self._dialect.frame if self._dialect.wait else 0.0

    def _packet(self, item: _Queued) -> str:
        """Return what is sent: a question, or what the stage of the orders is about."""
        dialect = self._dialect
        if item.question:
            return item.text
        if item.stage != KEEP:
            run = dialect.run_same if item.same else dialect.run
            return dialect.prepare if item.stage == PREPARE else run
        text = _joined(item.lines, dialect)
        if item.same:
            return dialect.keep_same.format(text)
        if not item.number:
            return dialect.keep.format(text)
        return dialect.keep.format(f"set eq_begun {item.number}; {text}; set eq_done {item.number}")

    def _next(self, now: float) -> _Queued | None:
        """Return what comes next: orders that must not be given twice wait for those before them.

        Orders that are put aside begin only when both of their packets can be sent: until then others may
        come that travel with them.  Chat and settings wait longer: what is urgent goes first.
        """
        dialect = self._dialect
        asked = self._is_seen_elsewhere and any(item.question for item in self._waiting)
        if len(self._until_seen) > ALONE and not asked:
            if self._tokens < 2.0:
                return None
            urgent = sorted(self._until_seen, key=lambda line: [not line.startswith(w) for w in dialect.same])
            batch = replace(_batches(urgent, dialect)[0], same=True, stage=KEEP)
            for line in batch.lines:
                count, at = self._until_seen[line]
                self._until_seen[line] = (count + 1, at)
            return batch
        for n, item in enumerate(self._waiting):
            needs = 0.0 if item.question else 2.0 if item.once else 2.0 + SPARE
            if (item.once and self._open is not None) or self._tokens < needs:
                continue
            del self._waiting[n]
            item.stage = KEEP if self._is_prepared else PREPARE
            if item.once and dialect.progress:
                self._number += 1
                self._open = item.number = self._number
                self._unseen = {line for line in item.lines if self._is_once(line)}
                self._look_at, self._opened = float("inf"), now
            return item
        if self._open is None or now < self._look_at:
            return None
        return _Queued(dialect.progress)

    def answers(self) -> list[ConsoleAnswer]:
        """Return the answers that came since this was last asked."""
        answers, self._answers = self._answers, []
        return answers

    def _settle(self, now: float) -> None:
        """End what is out, if its answer has ended or it was sent often enough."""
        item = self._now
        if item is None:
            return
        text: str | None = None
        # Nothing at all may be the answer to an order that was sent twice.
        silence = SILENCE if any(item.got) else LOST
        if item.got and (now - item.last >= silence or not item.question):
            text = b"".join(item.got).decode("latin-1")
            self.silent, self.refused = False, text.startswith(REFUSALS)
            text = None if self.refused else text
        elif item.attempts >= self._most(item) and item.attempts < ATTEMPTS and self._is_lost(now):
            pass
        elif not item.got and item.attempts >= ATTEMPTS and now - item.sent >= LOST:
            self.silent = True
        else:
            return
        self._now = None
        if not item.question:
            self._ordered(item, now, answered=text is not None)
        elif item.text == self._dialect.progress:
            self._look_at = now + LOOK_AGAIN
            if text is not None:
                self._take_report(text, now)
        else:
            self._answers.append(ConsoleAnswer(item.text, text))

    def _ordered(self, item: _Queued, now: float, *, answered: bool) -> None:
        """Go on with the next stage of orders, or wait until they have been carried out."""
        if item.stage == PREPARE:
            self._is_prepared = answered
        if answered and item.same:  # the answer may be an old one: what counts is the effect
            self._now, item.got = item, []
            item.sent = float("-inf") if item.stage == KEEP else item.sent
            return
        if answered and item.stage != RUN:
            item.stage += 1
        else:
            for line in item.lines:
                self._until_seen.pop(line, None)
            if item.number:
                self._look_at = now + (SHOWS + self._seconds(item) if item.stage == RUN else 0.0)
            return
        item.attempts, item.got = 0, []
        self._now = item

    def _take_report(self, text: str, now: float) -> None:
        """Take what the server has kept of how far orders are."""
        if _REPORT_ENDS not in text:
            self._reported_nothing += 1
            if self._reported_nothing >= REPORTS_NOTHING:
                self._open = None
            return
        reported = {found[1]: found[2] for found in _REPORTED.finditer(text)}
        begun, done = reported.get("begun", ""), reported.get("done", "")
        if self._opened is None:
            self._opened = now
        self._is_prepared = self._is_prepared or "run" in reported
        if self._open == EARLIER:
            is_over = begun == done
            if re.fullmatch("[0-9]{1,9}", begun):
                self._number = max(self._number, int(begun))
        elif begun != str(self._open) and f"set eq_begun {self._open};" in reported.get("orders", ""):
            is_over = False  # they were put aside, and nobody knows whether what carries them out arrived
            if not any(item.lines == [VOID] for item in self._waiting):
                self._waiting.appendleft(_Queued(lines=[VOID]))
        else:  # a server that knows nothing of them is another one
            is_over = done == str(self._open) or begun != str(self._open)
        if is_over or now - self._opened >= GIVEN_UP:
            self._open = None

    def _fill(self, now: float) -> None:
        """Let the bucket of packets fill with time."""
        dialect = self._dialect
        since = 0.0 if self._filled is None else max(now - self._filled, 0.0)
        self._filled = now
        self._tokens = min(self._tokens + since * dialect.per_second, dialect.burst)


def _joined(lines: Iterable[str], dialect: Dialect) -> str:
    """Return lines as one, with frames between them."""
    return "; ".join(f"{line}; {dialect.wait.format(FRAMES)}" if dialect.wait else line for line in lines)


def _batches(lines: Iterable[str], dialect: Dialect, last: _Queued | None = None) -> list[_Queued]:
    """Join lines into as few orders as are short enough, the first ones with the last that wait."""
    longest = LONGEST_BATCH - len(dialect.keep) - len("set eq_begun 999999999; ; set eq_done 999999999")
    batches = [] if last is None else [last]
    for line in lines:
        once = line.startswith(dialect.once) if dialect.once else False
        if batches and len(_joined([*batches[-1].lines, line], dialect)) <= longest:
            batches[-1].lines.append(line)
            batches[-1].once = batches[-1].once or once
        else:
            batches.append(_Queued(lines=[line], once=once))
    return batches if last is None else batches[1:]
