"""The owner of a queue: its life, and its record in the archive, which is the truth.

Of several servers of one PostgreSQL one owns the queue at a time (:mod:`equipoise.archive.shards`).  The
others write what they are asked as letters into the database, which the owner answers in its transactions;
what changes nothing they answer themselves, from the same record.

Several questions are one transaction: their events, which ticket is in which match, and what goes to webhooks
are kept together, or nothing is.  What was answered survives a crash.
After any error the life is read from the record again, and when somebody is forgotten, which rewrites it;
events that another process has added are taken in before any other.

Time in which no owner answered is held against nobody: after a start, another owner's end or a while in which
this one stood still, who is asked to accept a match has the full time again, as an event says, and no ticket
has been silent.
"""

from __future__ import annotations

import gc
import logging
import secrets
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain, count, groupby, repeat
from typing import Any, NamedTuple

import msgspec

from equipoise.archive.archive import Archive, open_archive
from equipoise.archive.outbox import OutboxNote
from equipoise.archive.shards import BEAT, Alone, FencedError, Owned
from equipoise.archive.ticket_record import (
    AddedEvents,
    ArchiveMarks,
    KeptState,
    Letter,
    RecordedEvent,
    TicketRecord,
)
from equipoise.errors import EquipoiseError, InputError
from equipoise.identity.forgetting import NONE_GONE, Tombstones
from equipoise.queueing.backfill import Opening
from equipoise.queueing.columns import use_kernels
from equipoise.queueing.kept_state import life_of, state_of
from equipoise.queueing.life import (
    LEFT_WORDS,
    NOT_HEARD_OF,
    Accept,
    AskAgain,
    CancelTicket,
    ChangePolicy,
    Command,
    EnterTicket,
    Event,
    Leaves,
    MakeMatches,
    MatchEnded,
    Pause,
    Propose,
    TicketLife,
    TicketPlace,
    TicketRefused,
    Waits,
)
from equipoise.queueing.policy import QueuePolicy
from equipoise.queueing.reasons import (
    Shortage,
    WaitReason,
    accepted_imbalance,
    all_may_play,
    never_plays,
    reason_for_waiting,
)
from equipoise.queueing.record import (
    REPLIES,
    encoded_lines,
    event_of,
    line_of,
    lines_of_entering,
    lines_of_proposals,
    replay,
    reply_data,
    ticket_lines,
    waits_data,
    with_players,
)
from equipoise.queueing.tick import chances_of, mu_of
from equipoise.queueing.tickets import FoundMatch, QueueTicket
from equipoise.service.kernel_loading import load_meanwhile
from equipoise.service.queue_people import KnownPeople, QueuePeople, all_ids, with_stand_ins
from equipoise.service.table_settings import QueueSettings

#: What webhooks receive of a queue.
SENT = ("proposed", "started", "dissolved", "left")

#: Events after which what is known is kept as a whole, or as many as there are tickets and matches in it if
#: those are more: so many are gone through at a start at most, which takes two or three times as long as to
#: read what was kept.
EVENTS_A_STATE = 20_000

#: Tickets that enter one by one where one of them cannot; of more, each half is tried at once.
FEW_TICKETS = 16  # effort

#: Tickets that wait from which the kernels are loaded for the looks to come: a look at so many without them
#: takes some milliseconds.
LOAD_FROM = 32  # effort

#: Objects that are new when garbage is looked for among them: those of many transactions.
YOUNG_OBJECTS = 100_000  # effort

#: Events that are gone through at once.
AT_ONCE = 2_000  # effort

#: Seconds beyond those between two looks for matches after which an owner that did nothing was away.
AWAY = 2.0

#: Seconds of a day.
DAY = 86_400.0

#: Ends of bands of the deviation from the middle, in standard deviations.
BANDS = (-2.0, -1.0, 0.0, 1.0, 2.0)

_encode = msgspec.json.Encoder().encode

log = logging.getLogger(__name__)


class WhereAsked(NamedTuple):
    """Where is a ticket; ``why`` asks for the reason of its waiting, ``heard`` is a sign of its owner."""

    ticket: str
    why: bool = False
    heard: bool = True


class EnterTickets(NamedTuple):
    """Many tickets come at once: it is what :class:`EnterTicket` of each would be, and answered for each."""

    tickets: tuple[QueueTicket, ...]

    def __reduce__(self) -> tuple[Callable[[str], Question], tuple[str]]:
        """Go through pipes as in letters, which takes less than half the time that pickled tickets take."""
        return question_of, (line_of_question(self),)


class PlacesAsked(NamedTuple):
    """Where is each of many tickets."""

    tickets: tuple[str, ...]


class MatchesAsked(NamedTuple):
    """Which matches are proposed or run; or the one of an id."""

    match: str | None = None


class OpeningsAsked(NamedTuple):
    """Which running matches have free seats."""


class StatusAsked(NamedTuple):
    """How the queue stands."""


class TickDue(NamedTuple):
    """It is time to look for matches."""


class Beat(NamedTuple):
    """Give a sign of life: take the queue where it is free, or what other servers ask where it is owned."""


class HandOver(NamedTuple):
    """Let another server own the queue."""


#: What is asked and changes nothing.
_READS = WhereAsked | PlacesAsked | MatchesAsked | OpeningsAsked | StatusAsked

#: What a queue is asked.
Question = Event | EnterTickets | _READS | TickDue | Beat | HandOver

#: What is asked of the server itself, whoever owns the queue.
_OWN = TickDue | Beat | HandOver

#: What those are called in letters.
_READ_AS: dict[str, type[Any]] = {
    "where": WhereAsked, "places": PlacesAsked, "matches": MatchesAsked, "openings": OpeningsAsked,
    "status": StatusAsked,
}  # fmt: skip
_READ_KINDS = {*_READ_AS.values()}
_MANY = "tickets"

#: Letters that are answered in one transaction, seconds to wait for the answer to one, and seconds between
#: two looks for letters that nobody reads.
LETTERS, LETTER_SECONDS, SWEEP = 2000, 15.0, 60.0  # effort


class QueueAnswers(NamedTuple):
    """The answers to some questions, the number of the last event, and the matches that were made.

    Besides, how many replies there were of each kind, and how many tickets left for which reason.
    """

    answers: list[Any]
    number: int
    made: list[dict[str, Any]]
    replies: dict[str, int]
    owned: Owned = Owned(True)  # it is immutable
    left: Mapping[str, int] | None = None


class QueueOwner:
    """Answers what a queue is asked.

    Parameters
    ----------
    archive : Archive
        Where the record is kept.
    settings : QueueSettings
        The queue.
    hooks : mapping
        The webhooks that receive each kind of event.
    clock : callable
        Gives seconds since 1970.
    worker : str
        What the server is called, of several that may own the queue; empty where there is this one alone.
    monotonic : callable, optional
        Gives seconds that are never set back; with another clock than the system's none pass.
    """

    def __init__(
        self,
        archive: Archive,
        settings: QueueSettings,
        hooks: Mapping[str, Sequence[str]] | None = None,
        clock: Callable[[], float] = time.time,
        worker: str = "",
        monotonic: Callable[[], float] | None = None,
    ) -> None:
        self._shard = archive.shard(f"queue:{settings.name}", worker) if worker else Alone()
        self._record: TicketRecord = archive.ticket_record(settings.name, self._shard)
        self._worker = worker
        self._swept = 0.0
        self._settings = settings
        self._hooks = hooks or {}
        self._clock = clock
        self._life: TicketLife | None = None
        self._number = self._stated = 0
        self._known, self._gone = ArchiveMarks(0, 0), NONE_GONE
        self._merged: dict[str, str] | None = None  # None until all are found who are in two tickets
        self._heard: dict[str, float] = {}
        self._monotonic = monotonic or (time.monotonic if clock is time.time else float)
        self._last = float("-inf"), 0.0
        self._ahead, self._is_ahead = 0.0, False
        self._since = clock()
        self._there: float | None = None  # when something was kept last, or could have been, as the owner

    @property
    def life(self) -> TicketLife:
        """Where all tickets are, as the record has it."""
        return self._read_again(self._record) if self._life is None else self._life

    def _life_here(self) -> TicketLife:
        """Return the life in memory, or that of the record where somebody was forgotten or merged since."""
        known = self._record.known()
        if self._life is None or known.forgotten != self._known.forgotten:
            return self._read_again(self._record)
        if known != self._known:
            same = all_ids(self._record.merged())
            if same != self._life.same:
                self._life.same, self._merged = same, None
            self._known = known
        return self._life

    def _read_again(self, record: TicketRecord | AddedEvents) -> TicketLife:
        """Make the life of what is recorded."""
        self._life, self._known, self._merged = None, record.known(), None
        self._gone, same = record.tombstones(), all_ids(record.merged())
        kept = record.state()
        known = None if kept is None else life_of(kept.state)
        life = TicketLife(QueuePolicy()) if known is None else known
        life.same = same
        self._number = self._stated = 0 if known is None or kept is None else kept.number
        events = record.since(self._number)
        for start in range(0, len(events), AT_ONCE) or [0]:
            self._take(life, events[start : start + AT_ONCE])
            if record is self._record and self._shard.owned.here:
                self._shard.beat()  # to go through many takes longer than an owner may be silent
        self._life = life
        return life

    @property
    def number(self) -> int:
        """The number of the last event."""
        return self._number

    def _take(self, life: TicketLife, events: Sequence[RecordedEvent]) -> None:
        if events and events[0].number != self._number + 1:
            msg = (
                f"the record of the queue {self._settings.name!r} begins with event {events[0].number}, "
                "and what was before is known to another version alone; go back to that"
            )
            raise EquipoiseError(msg)
        replay(life, [(each.at, each.event) for each in events])
        self._number = events[-1].number if events else self._number

    def ask(self, questions: Sequence[Question], policy: QueuePolicy | None = None) -> QueueAnswers:
        """Answer questions, in order, in one transaction.

        Parameters
        ----------
        questions : sequence
            What is asked.
        policy : QueuePolicy, optional
            How matches are made from now on.

        Raises
        ------
        EquipoiseError
            If the archive cannot be written; nothing was done then, as far as the record has nothing of it.
        """
        if policy is not None:
            self._settings = replace(self._settings, policy=policy)
        kinds = set(map(type, questions))
        if HandOver in kinds:
            self._shard.let_go()
        elif self._owns(now=Beat in kinds):
            try:
                return self._ask_here(questions)
            except FencedError:  # before anything was done
                log.warning("another server owns the queue", extra={"queue": self._settings.name})
        return self._ask_owner(questions)

    def _owns(self, *, now: bool = False) -> bool:
        """Tell whether the queue is owned here, and take it where it is to be had."""
        before = self._shard.owned
        try:
            owned = self._shard.beat(now=now)
        except BaseException:
            self._life = None
            raise
        if owned.here and not (before.here and before.epoch == owned.epoch):
            log.info("queue is owned here", extra={"queue": self._settings.name, "epoch": owned.epoch})
            self._there = None
        return owned.here

    def _ask_here(self, questions: Sequence[Question]) -> QueueAnswers:
        """Answer questions as the owner, with those of other servers."""
        reads = {*map(type, questions)} <= _READ_KINDS
        life = self._life_here() if reads else self.life  # a transaction looks itself
        if reads and life.policy == self._settings.policy:
            answers = [self._read(life, each) for each in self._unnamed(questions)]
            return QueueAnswers(answers, self._number, [], {}, self._shard.owned)
        try:
            with collected_later(), self._record.adding() as added:
                known = added.known()
                if known.forgotten != self._known.forgotten:  # nor is their id in this memory from now on
                    life = self._read_again(added)
                self._take(life, added.since(self._number))
                merged = added.merged() if self._merged is None or known != self._known else self._merged
                if merged != self._merged:
                    life.same = all_ids(merged)
                people = QueuePeople(added, self._settings.name, life)
                batch = _Batch(life, self._number, self._settings.max_players, people)
                if self._was_away(life):
                    self._heard, self._since = {}, self._now(life)
                    batch.ask_again(self._since)
                if merged != self._merged:
                    for ticket, why in people.two_tickets().items():
                        batch.handle(CancelTicket(ticket, why), self._now(life))
                questions = self._unnamed(questions)
                letters = [(each, self._letter(each)) for each in added.letters(LETTERS)]
                asked = chain(questions, *[some for _, some in letters if not isinstance(some, str)])
                people.claim([ticket for each in asked for ticket in entering(each)])
                if life.policy != self._settings.policy:
                    batch.handle(ChangePolicy(self._settings.policy), self._now(life))
                answered = [(each, self._answered(batch, some)) for each, some in letters]
                answers = self._answers(batch, questions)
                self._keep(added, batch, life)
                added.answer(answered)
                if time.monotonic() - self._swept > SWEEP:
                    self._swept = time.monotonic()
                    added.sweep()
        except BaseException:
            self._life = None  # what of it is true is in the record
            raise
        self._there = self._now(life)
        self._number += len(batch.rows)
        self._stated = self._number if batch.stated else self._stated
        self._known, self._merged = known, None if people.unsettled else merged
        return QueueAnswers(
            answers, self._number, batch.made, batch.replies, self._shard.owned, dict(batch.leavings)
        )

    def _unnamed(self, questions: Sequence[Question]) -> list[Question]:
        """Return questions that name nobody who is forgotten: what stands for them is in their place."""
        return [_unnamed(each, self._gone) for each in questions]

    def _letter(self, letter: Letter) -> list[Question] | str:
        """Return what a letter asks, as above, or why it cannot be read."""
        read = _questions_of(letter)
        return read if isinstance(read, str) else self._unnamed(read)

    def _answered(self, batch: _Batch, questions: Sequence[Question] | str) -> str:
        """Return the answers to a letter, as JSON: a list, or why it cannot be read."""
        if isinstance(questions, str):
            return _encode({"wrong": questions}).decode()
        return _encode(self._answers(batch, questions)).decode()

    def _ask_owner(self, questions: Sequence[Question]) -> QueueAnswers:
        """Answer questions where another server owns the queue: from the record, or by a letter."""
        for_owner = [each for each in questions if not isinstance(each, _OWN)]
        signals = any(not isinstance(each, _READS) or self._is_sign(each) for each in for_owner)
        if signals:
            found = iter(self._by_letter(for_owner))
        else:
            life = self._followed() if for_owner else None
            found = iter(
                [self._read(life, each) for each in self._unnamed(for_owner)] if life is not None else ()
            )
        owned = self._shard.owned
        answers = [({} if isinstance(each, _OWN) else next(found)) for each in questions]
        return QueueAnswers(answers, self._record.last(), [], {}, owned)

    def _is_sign(self, question: Question) -> bool:
        """Tell whether the owner must hear of a question because it is a sign of life of a ticket."""
        return isinstance(question, WhereAsked) and question.heard and bool(self._settings.heartbeat)

    def _followed(self) -> TicketLife:
        """Return the life as the record has it now, which another server adds to."""
        life = self._life_here()
        if self._record.last() - self._number > EVENTS_A_STATE:
            self._life = None
            return self.life
        try:
            self._take(life, self._record.since(self._number))
        except BaseException:
            self._life = None
            raise
        return life

    def _by_letter(self, questions: Sequence[Question]) -> list[Any]:
        """Return the answers of the owner, whoever that becomes meanwhile."""
        gone = self._record.tombstones()
        lines = _encode([line_of_question(_unnamed(each, gone)) for each in questions]).decode()
        letter = Letter(secrets.token_hex(16), self._worker, lines)
        self._record.send(letter)
        until = time.monotonic() + LETTER_SECONDS
        while (text := self._record.answers(letter, BEAT / 2)) is None:
            if time.monotonic() > until:
                self._record.take_back(letter)
                msg = f"the queue {self._settings.name!r} has no owner that answers; ask again"
                raise EquipoiseError(msg)
            if self._owns():
                with suppress(FencedError):
                    self._ask_here([Beat()])
        answers = msgspec.json.decode(text)
        if isinstance(answers, dict):
            raise EquipoiseError(answers["wrong"])
        found: list[Any] = answers
        return found

    def close(self) -> None:
        """Let another server own the queue."""
        self._shard.close()

    def _keep(self, added: AddedEvents, batch: _Batch, life: TicketLife) -> None:
        """Keep what a batch has changed, as a whole."""
        batch.people.keep(batch.left)
        if not batch.rows:
            return
        added.add(batch.rows)
        added.unseat(list(batch.unseated))
        added.seat(batch.seated)
        if "queue" in self._hooks:
            added.tell(self._hooks, batch.notes(self._settings.name), life.now)
        number = self._number + len(batch.rows)
        if number - self._stated >= max(EVENTS_A_STATE, life.known + life.proposed + life.running):
            days = self._settings.keep_days
            before = life.now - DAY * days if days else float("-inf")
            added.keep_state(KeptState(number, state_of(life)), before)
            batch.stated = True

    def _was_away(self, life: TicketLife) -> bool:
        """Tell whether there was nobody to answer for longer than between two looks for matches."""
        last = self._there
        return last is None or self._now(life) - last > self._settings.tick + AWAY

    def _now(self, life: TicketLife) -> float:
        """Return the time, which goes on at its pace where the clock is set back."""
        passed, clock = self._monotonic(), self._clock()
        self._last = max(clock, life.now, self._last[0] + passed - self._last[1]), passed
        self._ahead = self._last[0] - clock
        if (self._ahead > AWAY) is not self._is_ahead:
            self._is_ahead = not self._is_ahead
            if self._is_ahead:
                log.warning(
                    "the clock was set back; the queue goes on from the time it had",
                    extra={"queue": self._settings.name, "seconds": round(self._ahead, 1)},
                )
        return self._last[0]

    def _answers(self, batch: _Batch, questions: Sequence[Question]) -> list[Any]:
        """Return the answers to questions; tickets that enter one after another enter at once."""
        answers: list[Any] = []
        for kind, some in groupby(questions, type):
            if kind is EnterTicket:
                answers += self._enter(batch, [ticket for each in some for ticket in entering(each)])
            else:
                answers += [self._answer(batch, each) for each in some]
        return answers

    def _enter(self, batch: _Batch, tickets: Sequence[QueueTicket]) -> list[list[dict[str, Any]]]:
        now = self._now(batch.life)
        if self._settings.heartbeat:
            self._heard.update(dict.fromkeys([each.id for each in tickets], now))
        return batch.enter(tickets, now)

    def _answer(self, batch: _Batch, question: Question) -> Any:
        now = self._now(batch.life)
        if isinstance(question, EnterTickets):
            return self._enter(batch, question.tickets)
        if isinstance(question, TickDue):
            for ticket in self._silent(batch.life, now):
                batch.handle(CancelTicket(ticket, NOT_HEARD_OF), now)
            batch.look(now)
            return {**status_of(batch.life, now), "ahead": self._ahead}
        if isinstance(question, Beat | HandOver):
            return {}
        if isinstance(question, _READS):
            return self._read(batch.life, question, batch.people)
        return batch.handle(question, now)

    def _silent(self, life: TicketLife, now: float) -> list[str]:
        """Return the tickets that wait and whose owners have not been heard of for too long."""
        limit = self._settings.heartbeat
        if not limit:
            return []
        waiting = {ticket.id for ticket in life.waiting}
        self._heard = {name: self._heard.get(name, self._since) for name in waiting}
        return [name for name, heard in self._heard.items() if now - heard > limit]

    def _read(self, life: TicketLife, question: Question, people: KnownPeople | None = None) -> Any:
        if isinstance(question, WhereAsked) and self._is_sign(question):
            self._heard[question.ticket] = self._now(life)
        return read_life(life, question, self._now(life), people or KnownPeople(life, self._record.played))


def emptied(archive: Archive, queue: str) -> tuple[int, int]:
    """Let all go who wait or play in a queue that no server runs; return how many tickets and matches were.

    Raises
    ------
    EquipoiseError
        If the archive cannot be written.
    """
    life = QueueOwner(archive, QueueSettings(queue, QueuePolicy())).life
    owner = QueueOwner(archive, QueueSettings(queue, life.policy))
    tickets = sorted(set(life.holders().values()))
    running = [match for match in life.matches if life.has_begun(match)]
    owner.ask([
        *map(MatchEnded, running), *(CancelTicket(name, "the queue is no longer there") for name in tickets)
    ])  # fmt: skip
    return len(tickets), len(running)


def entering(question: Question) -> Sequence[QueueTicket]:
    """Return the tickets that come with a question."""
    if isinstance(question, EnterTickets):
        return question.tickets
    return (question.ticket,) if isinstance(question, EnterTicket) else ()


def size_of(question: Question) -> int:
    """Return as how many questions one counts: as many as tickets come with it, and one at least."""
    return max(len(entering(question)), 1)


def _unnamed(question: Question, gone: Tombstones) -> Question:
    if not gone.stones:
        return question
    if isinstance(question, WhereAsked):
        return question._replace(ticket=gone.instead(question.ticket))
    if isinstance(question, PlacesAsked):
        return PlacesAsked(tuple(map(gone.instead, question.tickets)))
    if isinstance(question, EnterTickets):
        named = [with_stand_ins(EnterTicket(ticket), gone).ticket for ticket in question.tickets]
        return EnterTickets(tuple(named))
    asked: Question = with_stand_ins(question, gone)
    return asked


def _questions_of(letter: Letter) -> list[Question] | str:
    """Return what a letter asks, or why it cannot be read."""
    try:
        return [question_of(line) for line in msgspec.json.decode(letter.questions, type=list[str])]
    except InputError as error:
        return str(error)


def line_of_question(question: Question) -> str:
    """Return a question as a line of a letter.

    Examples
    --------
    >>> line_of_question(WhereAsked("t1")), question_of(line_of_question(CancelTicket("t1")))
    ('["where",{"ticket":"t1","why":false,"heard":true}]', CancelTicket(ticket='t1', why=''))
    """
    if isinstance(question, EnterTickets):
        return _encode((_MANY, ticket_lines(question.tickets))).decode()
    for name, kind in _READ_AS.items():
        if type(question) is kind:
            return _encode((name, question._asdict())).decode()  # type: ignore[union-attr]
    event: Any = question
    return line_of(event)


def question_of(line: str) -> Question:
    """Return the question of a line of a letter.

    Raises
    ------
    InputError
        If it is none that this version knows.
    """
    try:
        name, fields = msgspec.json.decode(line, type=tuple[str, Any])
        if name == _MANY:
            return EnterTickets(msgspec.json.decode(line, type=tuple[str, tuple[QueueTicket, ...]])[1])
        if name in _READ_AS:
            read: Question = _READ_AS[name](**fields)
            return read
    except (msgspec.DecodeError, TypeError) as error:
        msg = f"letter: {line:.80} is no question to a queue: {error}"
        raise InputError(msg) from error
    return event_of(line, dict[str, QueueTicket]().get)


def read_life(life: TicketLife, question: Question, now: float, people: KnownPeople) -> Any:
    """Return the answer to a question that changes nothing."""
    if isinstance(question, WhereAsked):
        return where_of(life, question.ticket, now, people, why=question.why)
    if isinstance(question, PlacesAsked):
        return [where_of(life, each, now, people) for each in question.tickets]
    if isinstance(question, MatchesAsked):
        wanted = life.matches if question.match is None else [question.match]
        known = [(name, found) for name in wanted if (found := life.match(name)) is not None]
        return [{"running": life.has_begun(name), **match_state(life, name, found)} for name, found in known]
    if isinstance(question, OpeningsAsked):
        return [opening_data(each, life.policy) for each in life.openings]
    return status_of(life, now)


@contextmanager
def collected_later() -> Iterator[None]:
    """Let no garbage be looked for: what a transaction makes is kept, and to look takes a third of it."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


class _Batch:
    """What some events change, until it is kept."""

    def __init__(self, life: TicketLife, number: int, most_players: int, people: QueuePeople) -> None:
        self.life = life
        self.people = people
        self.left: list[QueueTicket] = []
        self._number = number
        self._most = most_players
        self.rows: list[tuple[int, float, str, str]] = []
        self.unseated: dict[str, None] = {}
        self.seated: dict[str, str] = {}
        self.made: list[dict[str, Any]] = []
        self.replies: Counter[str] = Counter()
        self.leavings: Counter[str] = Counter()
        self.stated = False
        self._notes: list[tuple[int, float, list[str]]] = []

    def enter(self, tickets: Sequence[QueueTicket], now: float) -> list[list[dict[str, Any]]]:
        """Let tickets in, at once where nothing speaks against any, and return the replies to each."""
        self._let_time_pass(now)
        players = sum([len(ticket.players) for ticket in tickets])
        room = self.life.players + players <= self._most
        if (
            room
            and self.people.may_enter_together(tickets)
            and all_may_play(tickets, self.life.policy)
            and self.life.enter_together(tickets, now)
        ):
            self.people.entered(tickets)
            since = self.life.now
            replies = [[waits_data(ticket.id, since)] for ticket in tickets]
            numbers = count(self._number + len(self.rows) + 1)
            lines, texts = lines_of_entering(tickets), encoded_lines(replies)
            self.rows += zip(numbers, repeat(since, len(tickets)), lines, texts)  # noqa: B905 -- it counts on
            self.replies["waits"] += len(tickets)
            return replies
        if len(tickets) <= FEW_TICKETS:
            return [self.handle(EnterTicket(ticket), now) for ticket in tickets]
        half = len(tickets) // 2
        return [*self.enter(tickets[:half], now), *self.enter(tickets[half:], now)]

    def handle(self, event: Event, now: float) -> list[dict[str, Any]]:
        """Let something happen, and return the replies."""
        self._let_time_pass(now)
        if isinstance(event, EnterTicket) and (refused := self._known_or_full(event.ticket, now)) is not None:
            return refused
        replies = self._handle(event, now)
        if isinstance(event, EnterTicket) and all(each["kind"] != "refused" for each in replies):
            self.people.entered([event.ticket])
        return replies

    def ask_again(self, now: float) -> None:
        """Give who is asked to accept a match the full time from now on, before any of it is over."""
        if self.life.proposed:
            self._handle(AskAgain(), now)

    def _let_time_pass(self, now: float) -> None:
        if self.life.next_deadline() <= now:
            self._handle(MakeMatches(()), now)  # what time alone does is an event of its own

    def _known_or_full(self, ticket: QueueTicket, now: float) -> list[dict[str, Any]] | None:
        """Return the replies to a ticket that is here, or that there is no room for; None for a new one."""
        known = self.life.ticket(ticket.id)
        if known is not None:
            same = [each.id for each in known.players] == [each.id for each in ticket.players]
            why = "there is another ticket with this id"
            return [] if same else [reply_data(TicketRefused(ticket.id, why))]
        if never := never_plays(ticket, self.life.policy):
            return [reply_data(TicketRefused(ticket.id, never.text))]
        if why := self.people.refusal(ticket, now):
            return [reply_data(TicketRefused(ticket.id, why))]
        if self.life.players + ticket.size > self._most:
            return [reply_data(TicketRefused(ticket.id, f"the queue has room for {self._most} players"))]
        return None

    def look(self, now: float) -> None:
        """Look for matches."""
        if self.life.waiting_count >= LOAD_FROM:
            load_meanwhile(use_kernels)
        self._let_time_pass(now)
        made = [each for each in self.life.handle(MakeMatches(), now) if isinstance(each, Propose)]
        if not made:
            return
        line, texts = lines_of_proposals(made)
        self._add(now, line, texts, [REPLIES["Propose"]] * len(made))
        self._propose(made, now)

    def _handle(self, event: Event, now: float) -> list[dict[str, Any]]:
        was_asked = isinstance(event, Accept) and self.life.is_asked(event.match, event.player)
        commands = self.life.handle(event, now)
        replies = [reply_data(each) for each in commands]
        sent = [each for each in commands if type(each) is not TicketRefused]
        if sent or was_asked or isinstance(event, Pause | ChangePolicy | AskAgain):
            shown = [each for each in replies if each["kind"] != "refused"]
            self._add(now, line_of(event), encoded_lines(shown), [each["kind"] for each in shown])
            if not isinstance(event, EnterTicket):
                self._seats(sent, now)
        return replies

    def _add(self, now: float, line: str, replies: Sequence[str], kinds: Sequence[str]) -> None:
        """Add an event, with the replies to it as JSON and the kind of each."""
        number = self._number + len(self.rows) + 1
        self.rows.append((number, now, line, f"[{','.join(replies)}]"))
        sent = [text for kind, text in zip(kinds, replies, strict=True) if kind in SENT]
        self._notes.append((number, now, sent))
        self.replies.update(kinds)

    def _propose(self, made: Sequence[Propose], now: float) -> None:
        longest = self.life.policy.longest_wait
        for each in made:
            waits = []
            for ticket in chain.from_iterable(each.found.teams):
                self.seated[ticket.id] = each.match
                waits.append(now - ticket.since)
            overdue = len([wait for wait in waits if wait >= longest])
            self.made.append({"waits": waits, "imbalance": each.found.imbalance, "relaxed": overdue})

    def _seats(self, commands: Sequence[Command], now: float) -> None:
        for each in commands:
            if isinstance(each, Propose):
                self._propose([each], now)
            elif isinstance(each, Leaves | Waits):
                self.unseated[each.ticket] = None
                self.seated.pop(each.ticket, None)
                ticket = self.life.ticket(each.ticket) if isinstance(each, Leaves) else None
                if isinstance(each, Leaves):
                    self.leavings[each.why if each.why in LEFT_WORDS else "other"] += 1
                if ticket is not None:
                    self.left.append(ticket)

    def notes(self, queue: str) -> list[OutboxNote]:
        """Return what webhooks receive: each reply with the queue and its event before it."""
        notes: list[OutboxNote] = []
        named = _encode(queue).decode()
        for number, at, replies in self._notes:
            name, before = f"queue:{queue}:{number}", f'{{"queue":{named},"event":{number},"at":{at!r},'
            notes += [
                OutboxNote("queue", f"{name}:{place}", before + reply[1:])
                for place, reply in enumerate(replies, len(notes))
            ]
        return notes


def match_state(life: TicketLife, match: str, found: FoundMatch) -> dict[str, Any]:
    """Return a match as plain data, with its players but those who have left it."""
    data, left = with_players(found), life.left(match)
    players = [[each for each in team if each not in left] for team in data["players"]]
    return {"match": match, **data, "players": players, "chances": chances_of(found, life.policy)}


def where_of(
    life: TicketLife, ticket: str, now: float, people: KnownPeople, *, why: bool = False
) -> dict[str, Any] | None:
    """Return where a ticket is, as plain data; None if there is none."""
    found, known = life.where(ticket), life.ticket(ticket)
    if found is None or known is None:
        return None
    data: dict[str, Any] = {
        "ticket": ticket, "place": found.place.value, "since": found.since, "why": found.why,
        "players": [player.id for player in known.players],
    }  # fmt: skip
    match = life.match(found.match)
    if match is not None:
        data["match"] = match_state(life, found.match, match)
        data["until"] = found.until or None
        data["asked"] = [each.id for each in known.players if life.is_asked(found.match, each.id)]
    if found.place is TicketPlace.GONE:
        until = {each.id: people.kept_out_until(each) for each in known.players}
        data["kept_out"] = {name: when for name, when in until.items() if when > now} or None
    if found.place.value == "waiting":
        data["waited"] = max(now - found.since, 0.0)
        if why:
            waiting, policy = life.waiting_people, life.policy
            ahead = [each.id for each in waiting].index(ticket)
            reason = (
                WaitReason(Shortage.PAUSED, "the queue is paused")
                if life.paused
                else reason_for_waiting(waiting[ahead], waiting, now, policy)
            )
            data["reason"] = reason.text
            data["short"] = {
                "kind": reason.shortage.name.lower(), "here": reason.here, "wanted": reason.wanted,
                "roles": reason.roles, "ahead": ahead,
                "imbalance": accepted_imbalance(known, now, policy),
                "anybody_in": max(policy.longest_wait - data["waited"], 0.0),
            }  # fmt: skip
    return data


def opening_data(opening: Opening, policy: QueuePolicy) -> dict[str, Any]:
    """Return the free seats of a running match as plain data."""
    return {
        "match": opening.match, "since": opening.since,
        "free": [max(policy.team_size - len(team), 0) for team in opening.teams],
        "players": [[player.id for player in team] for team in opening.teams],
        "ruleset": opening.ruleset, "region": opening.region, "map": opening.map,
    }  # fmt: skip


def status_of(life: TicketLife, now: float) -> dict[str, Any]:
    """Return how a queue stands, as plain data."""
    waiting = life.waiting
    return {
        "waiting": len(waiting),
        "oldest": max((now - each.since for each in waiting), default=0.0),
        "bands": dict(Counter(_band(each, life.policy) for each in waiting)),
        "proposed": life.proposed,
        "running": life.running,
        "openings": len(life.openings),
        "players": life.players,
        "paused": life.paused,
        "closed": life.closed,
        "policy": life.policy.to_dict(),
    }


def _band(ticket: QueueTicket, policy: QueuePolicy) -> str:
    """Return in which band of the deviation from the middle a ticket is, by its mean."""
    known = [mu_of(each, policy) for each in ticket.players]
    apart = (sum(known) / len(known) - policy.middle) / (policy.deviation or 1.0)
    above = [end for end in BANDS if apart >= end]
    return f"{above[-1]:g} and above" if above else f"below {BANDS[0]:g}"


class Queueing:
    """The role of a worker that owns a queue.

    Parameters
    ----------
    url : str
        The archive.
    settings : QueueSettings
        The queue.
    hooks : mapping
        The webhooks that receive each kind of event.
    seconds : float
        How long to wait for another process that writes the archive.
    worker : str
        What the server is called, of several that may own the queue.
    """

    def __init__(
        self,
        url: str,
        settings: QueueSettings,
        hooks: Mapping[str, Sequence[str]],
        seconds: float,
        worker: str = "",
    ) -> None:
        self._archive = open_archive(url, create=False, timeout=seconds, waiting=log.warning)
        self._owner = QueueOwner(self._archive, settings, hooks, worker=worker)
        gc.freeze()  # what was imported stays, and is not gone through again and again
        gc.set_threshold(YOUNG_OBJECTS)  # nor is what each transaction leaves: tickets stay for long, too

    def __call__(
        self, question: tuple[Sequence[Question], QueuePolicy | None] | None
    ) -> Generator[None, None, Any]:
        """Answer questions; of None the salt of the archive, and the number of the last event."""
        yield from ()
        if question is None:
            return self._archive.salt, self._owner.ask([]).number
        return self._owner.ask(*question)
