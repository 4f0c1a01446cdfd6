"""The life of a ticket as a state machine without I/O: events in, commands out, ``now`` an argument.

A ticket is in one place always: waiting, proposed a match, accepted, playing, or gone.  Replaying the events
gives the same commands, so that their record is all there is to keep.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from heapq import heappop, heappush
from itertools import chain
from operator import attrgetter
from typing import Any

from equipoise.core.copies import copies
from equipoise.core.player import Player
from equipoise.queueing.backfill import (
    BackfillJoin,
    Opening,
    fill_openings,
    fits_policy,
    joined_match,
    with_all_ids,
)
from equipoise.queueing.policy import QueuePolicy
from equipoise.queueing.tick import find_matches
from equipoise.queueing.tickets import (
    FoundMatch,
    QueueTicket,
    by_all_ids,
    check_time,
    waiting_since,
)

#: Why a ticket leaves whose owner has not been heard of for too long.
NOT_HEARD_OF = "not heard of"

#: Why a ticket leaves that was in a match; and all words for why one does: anything else is a sentence.
PLAYED = ("played", "left the match")
LEFT_WORDS = ("cancelled", "declined", "not answered", NOT_HEARD_OF, *PLAYED)

#: What is written like a number: such ids of matches are the queue's own.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)")


class TicketPlace(StrEnum):
    """Where a ticket is."""

    WAITING = "waiting"
    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    PLAYING = "playing"
    GONE = "gone"


# What happens. ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EnterTicket:
    """A ticket comes; sent again it changes nothing."""

    ticket: QueueTicket


@dataclass(frozen=True, slots=True)
class CancelTicket:
    """A ticket is withdrawn; one that has been proposed a match declines it.

    Where nobody of it asked for that, ``why`` says what happened, and nobody is kept out for it.
    """

    ticket: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class MakeMatches:
    """It is time to look for matches; ``found`` are those that were found when this is replayed."""

    found: tuple[FoundMatch, ...] | None = None


@dataclass(frozen=True, slots=True)
class Accept:
    """A player accepts a match; accepted again it changes nothing."""

    match: str
    player: str


@dataclass(frozen=True, slots=True)
class Decline:
    """A player declines a match."""

    match: str
    player: str


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """A match is over; one that was not played gives all their waiting time back."""

    match: str
    played: bool = True


@dataclass(frozen=True, slots=True)
class OfferSeats:
    """Seats of a running match are free, or are no longer.

    Who came to it from the queue plays until ``left`` names them.  Of a match of this queue that
    is enough; of any other ``teams`` say who else plays.
    """

    match: str
    teams: tuple[tuple[Player, ...], ...] = ()
    left: tuple[str, ...] = ()
    ruleset: str = ""
    region: str = ""
    map: str = ""


@dataclass(frozen=True, slots=True)
class WithdrawSeats:
    """Nobody else may join a running match."""

    match: str


@dataclass(frozen=True, slots=True)
class ChangePolicy:
    """The queue goes on under another policy; nobody loses a ticket."""

    policy: QueuePolicy


@dataclass(frozen=True, slots=True)
class Pause:
    """No matches are looked for until it goes on; ``closed`` lets nobody in either."""

    paused: bool = True
    closed: bool = False


@dataclass(frozen=True, slots=True)
class AskAgain:
    """Nobody could answer for a while, as after an outage: who is asked has the full time from now on."""


Event = (
    EnterTicket
    | CancelTicket
    | MakeMatches
    | Accept
    | Decline
    | MatchEnded
    | OfferSeats
    | WithdrawSeats
    | ChangePolicy
    | Pause
    | AskAgain
)


# What is to be done. ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Waits:
    """A ticket waits: since when, and why it came back, if it did."""

    ticket: str
    since: float
    why: str = ""


@dataclass(frozen=True, slots=True)
class Propose:
    """Ask all players of a match to accept it by a time."""

    match: str
    found: FoundMatch
    until: float


@dataclass(frozen=True, slots=True)
class Start:
    """All have accepted: the match begins."""

    match: str
    found: FoundMatch


@dataclass(frozen=True, slots=True)
class Dissolve:
    """A proposed match is off, because of these players."""

    match: str
    players: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Leaves:
    """A ticket is gone."""

    ticket: str
    why: str


@dataclass(frozen=True, slots=True)
class Penalty:
    """A player is kept out of the queue until a time."""

    player: str
    until: float


@dataclass(frozen=True, slots=True)
class TicketRefused:
    """What was sent cannot be done, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class FreeSeats:
    """How many seats of each team of a running match are looked for; none where nobody else may join."""

    match: str
    free: tuple[int, ...] = ()


Command = Waits | Propose | Start | Dissolve | Leaves | Penalty | TicketRefused | FreeSeats


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where a ticket is: since when it waits, and the match it is in, if it is in one, with its deadline.

    ``why`` says why it is gone, or has come back.
    """

    place: TicketPlace
    since: float
    match: str = ""
    until: float = 0.0
    why: str = ""


@dataclass(slots=True)
class _Proposal:
    found: FoundMatch
    until: float
    waiting_for: tuple[str, ...] | None = None  # in the order of their seats; None before anybody accepts
    started: float | None = None
    left: frozenset[str] = frozenset()  # who no longer plays in it

    def asked(self) -> tuple[str, ...]:
        """Return who must still accept it."""
        if self.waiting_for is None and self.started is None:
            return tuple(player.id for ticket in self.found.tickets for player in ticket.players)
        return self.waiting_for or ()


@dataclass(slots=True)
class _Known:
    ticket: QueueTicket
    sent: float  # when it said that its waiting began
    match: str = ""
    gone_since: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class KnownTicket:
    """A ticket as a snapshot has it: as it stands, when it says it came, where it is, or why it is gone."""

    ticket: QueueTicket
    sent: float
    match: str = ""
    gone_since: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class KnownMatch:
    """A match as a snapshot has it: who must still accept it, or since when it runs, and who has left it.

    It waits for all of its players where ``waiting_for`` is None and it does not run.
    """

    match: str
    found: FoundMatch
    until: float
    waiting_for: tuple[str, ...] | None = None
    started: float | None = None
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LifeSnapshot:
    """All that a life knows at a moment; :meth:`TicketLife.of_snapshot` goes on from there."""

    policy: QueuePolicy
    now: float | None
    made: int
    paused: bool
    closed: bool
    tickets: tuple[KnownTicket, ...]
    waits: tuple[str, ...]
    matches: tuple[KnownMatch, ...]
    openings: tuple[Opening, ...]
    gone: tuple[tuple[float, str], ...]
    offended: tuple[tuple[float, str], ...]
    offences: tuple[tuple[str, tuple[float, ...]], ...]


#: What is copied where many of them are made at once, and the fields that tickets and matches have in a life.
_ANY_KNOWN = KnownTicket(QueueTicket("any", (Player("any"),), 0.0), 0.0)
_ANY_MATCH = KnownMatch("any", FoundMatch((), "", "", (), 0.0, 0.0, 0.0), 0.0)
_TICKET_FIELDS = tuple(each.name for each in fields(KnownTicket))
_PROPOSAL_FIELDS = tuple(each.name for each in fields(_Proposal))

#: The values of each field, one for each ticket or match.
Columns = dict[str, list[Any]]


def why_kept_out(player: str, seconds: float) -> str:
    """Say why somebody may not enter for so long; nothing if they may."""
    return f"{player!r} may enter again in {seconds:.0f} s, after matches not accepted" if seconds > 0 else ""


class TicketLife:
    """All tickets of a queue, and where each is.

    Parameters
    ----------
    policy : QueuePolicy
        How matches are made, how long they may be thought over, and what not to accept costs.

    Examples
    --------
    >>> from equipoise import Player
    >>> life = TicketLife(QueuePolicy(team_size=1))
    >>> for name in ("Ann", "Bob"):
    ...     _ = life.handle(EnterTicket(QueueTicket(name, [Player(name, 1500)], 0.0)), 0.0)
    >>> life.handle(MakeMatches(), 1.0)[0].match
    '1'
    >>> life.handle(Accept("1", "Ann"), 2.0), life.where("Ann").place.value
    ((), 'accepted')
    >>> [type(command).__name__ for command in life.handle(Decline("1", "Bob"), 3.0)]
    ['Dissolve', 'Leaves', 'Penalty', 'Waits']
    >>> ann = life.where("Ann")
    >>> ann.place.value, ann.since, ann.why
    ('waiting', 0.0, 'a match was declined by others')
    """

    def __init__(self, policy: QueuePolicy) -> None:
        self.policy = policy
        self._tickets: dict[str, _Known] = {}
        self._waits: dict[str, _Known] = {}  # those of them that wait
        self._holder: dict[str, str] = {}  # the ticket that a player is in, unless it is gone
        self._proposals: dict[str, _Proposal] = {}  # proposed and running matches
        self._openings: dict[str, Opening] = {}  # running matches that offered seats
        self._deadlines: list[tuple[float, str]] = []  # a heap; of matches that are gone or have begun too
        self._gone: deque[tuple[float, str]] = deque()  # tickets, in the order they left
        self._offences: dict[str, list[float]] = {}
        self._offended: deque[tuple[float, str]] = deque()  # players, in the order of their offences
        self._now = float("-inf")
        self._made = 0
        self._running = 0  # matches that have begun and have not ended
        self._paused = self._closed = False
        #: All ids of somebody who has several, the one that counts first, by each of them; what is recorded
        #: does not follow from it.
        self.same: Mapping[str, Sequence[str]] = {}
        #: How often somebody has not accepted a match since this was made.
        self.blamed = 0

    # What people ask. --------------------------------------------------------------------------------------

    @property
    def waiting(self) -> tuple[QueueTicket, ...]:
        """Who waits, in the order they came, those first who came back."""
        tickets = [known.ticket for known in self._waits.values()]
        tickets.sort(key=attrgetter("since"))
        tickets.sort(key=lambda ticket: ticket.returned == 0)  # which keeps their order else
        return tuple(tickets)

    @property
    def waiting_people(self) -> tuple[QueueTicket, ...]:
        """The same, and whom they avoid and prefer by all ids that these have."""
        waiting = self.waiting
        return tuple([by_all_ids(ticket, self.same) for ticket in waiting]) if self.same else waiting

    @property
    def waiting_count(self) -> int:
        """How many tickets wait."""
        return len(self._waits)

    @property
    def now(self) -> float:
        """The latest time it has heard of."""
        return self._now

    @property
    def players(self) -> int:
        """How many players wait or are in a match."""
        return len(self._holder)

    @property
    def known(self) -> int:
        """How many tickets are known, those that are gone among them."""
        return len(self._tickets)

    @property
    def paused(self) -> bool:
        """Whether no matches are looked for."""
        return self._paused

    @property
    def closed(self) -> bool:
        """Whether nobody may enter."""
        return self._closed

    @property
    def matches(self) -> dict[str, FoundMatch]:
        """The matches that are proposed or run, by id."""
        return {name: proposal.found for name, proposal in self._proposals.items()}

    @property
    def proposed(self) -> int:
        """How many matches are proposed."""
        return len(self._proposals) - self._running

    @property
    def running(self) -> int:
        """How many matches run."""
        return self._running

    @property
    def openings(self) -> tuple[Opening, ...]:
        """The running matches with free seats."""
        size = self.policy.team_size
        return tuple(each for each in self._openings.values() if any(len(team) < size for team in each.teams))

    def ticket(self, name: str) -> QueueTicket | None:
        """Return a ticket as it stands now; None if there is none, or it has been gone for long."""
        known = self._tickets.get(name)
        return None if known is None else known.ticket

    def holder(self, player: str) -> str | None:
        """Return the ticket that a player waits or plays with; None if there is none."""
        return self._holder.get(player)

    def not_held(self, tickets: Mapping[str, str]) -> set[str]:
        """Return those of some players who are not in the tickets that are given for them."""
        holder = self._holder
        return {player for player, ticket in tickets.items() if holder.get(player) != ticket}

    def holders(self) -> dict[str, str]:
        """Return the ticket of everybody who waits or plays."""
        return dict(self._holder)

    def match(self, name: str) -> FoundMatch | None:
        """Return a match that is proposed or runs; None if there is none."""
        proposal = self._proposals.get(name)
        return None if proposal is None else proposal.found

    def is_asked(self, match: str, player: str) -> bool:
        """Tell whether a match waits for a player to accept it."""
        proposal = self._proposals.get(match)
        return proposal is not None and player in proposal.asked()

    def has_begun(self, match: str) -> bool:
        """Tell whether a match runs: all have accepted it, and it has not ended."""
        proposal = self._proposals.get(match)
        return proposal is not None and proposal.started is not None

    def left(self, match: str) -> frozenset[str]:
        """Return who no longer plays in a match that runs."""
        proposal = self._proposals.get(match)
        return frozenset() if proposal is None else proposal.left

    def where(self, ticket: str) -> Whereabouts | None:
        """Return where a ticket is; None if there is none, or it has been gone for long."""
        known = self._tickets.get(ticket)
        if known is None:
            return None
        proposal = self._proposals.get(known.match)
        return Whereabouts(
            place=self._place(known),
            since=known.ticket.since,
            match=known.match,
            until=0.0 if proposal is None or proposal.started is not None else proposal.until,
            why=known.why,
        )

    @property
    def offenders(self) -> Collection[str]:
        """Who has not accepted a match, as far as that is not long past."""
        return self._offences.keys()

    def kept_out_until(self, *ids: str) -> float:
        """Return until when ids of one person may not enter the queue: minus infinity where they may."""
        counted = sorted(when for each in ids if each in self._offences for when in self._counted(each))
        if not counted:
            return float("-inf")
        penalties = self.policy.penalties
        return counted[-1] + penalties[min(len(counted), len(penalties)) - 1]

    def next_deadline(self) -> float:
        """Return when the next proposed match is off if not accepted; infinity if there is none."""
        while self._deadlines and not self._is_open(*self._deadlines[0]):
            heappop(self._deadlines)
        return self._deadlines[0][0] if self._deadlines else float("inf")

    def _is_open(self, until: float, match: str) -> bool:
        proposal = self._proposals.get(match)
        return proposal is not None and proposal.started is None and proposal.until == until

    # What happens. -----------------------------------------------------------------------------------------

    def handle(self, event: Event, now: float) -> tuple[Command, ...]:
        """Take in what happened, and return what is to be done.

        Time does not run backwards: an earlier ``now`` than before counts as the one before.

        Raises
        ------
        InputError
            If ``now`` is no finite number; nothing was done then.
        """
        check_time(now)
        self._now = now = max(now, self._now)
        if isinstance(event, AskAgain):
            self._ask_again()
        commands = self._expire()
        if isinstance(event, EnterTicket):
            commands += self._enter(event.ticket)
        elif isinstance(event, CancelTicket):
            commands += self._cancel(event.ticket, event.why)
        elif isinstance(event, MakeMatches):
            commands += self._look(event.found)
        elif isinstance(event, Accept):
            commands += self._accept(event)
        elif isinstance(event, Decline):
            commands += self._decline(event)
        elif isinstance(event, MatchEnded):
            commands += self._end(event)
        elif isinstance(event, OfferSeats):
            commands += self._offer(event)
        elif isinstance(event, WithdrawSeats):
            commands += self._withdraw(event.match)
        elif isinstance(event, ChangePolicy):
            self.policy = event.policy
        elif isinstance(event, Pause):
            self._paused, self._closed = event.paused, event.closed
        return tuple(commands)

    def _ask_again(self) -> None:
        until = self._now + self.policy.accept_within
        for name, proposal in self._proposals.items():
            if proposal.started is None and proposal.until < until:
                proposal.until = until
                heappush(self._deadlines, (until, name))

    def _enter(self, ticket: QueueTicket) -> list[Command]:
        known = self._tickets.get(ticket.id)
        if known is not None:
            if (
                known.sent == ticket.since
                and known.ticket.since_when(ticket.since, ticket.returned) == ticket
            ):
                return []
            return [TicketRefused(ticket.id, "there is another ticket with this id")]
        why = self._refusal(ticket)
        if why:
            return [TicketRefused(ticket.id, why)]
        entered = ticket.since_when(self._now, 0)
        self._tickets[ticket.id] = self._waits[ticket.id] = _Known(entered, ticket.since)
        self._holder.update((player.id, ticket.id) for player in ticket.players)
        return [Waits(ticket.id, self._now)]

    def enter_together(self, tickets: Sequence[QueueTicket], now: float) -> bool:
        """Let many tickets in at once; return False where that cannot be, and nothing is done then.

        It is what :meth:`handle` does with each of them, to which the answer is that it waits since ``now``.
        It cannot be where something speaks against one of them, one of its players is being kept out, or a
        match is off by now: then :meth:`handle` says more.

        Examples
        --------
        >>> life = TicketLife(QueuePolicy(team_size=1))
        >>> life.enter_together([QueueTicket("Ann", [Player("Ann", 1500)], 0.0)], 5.0), life.players
        (True, 1)
        """
        check_time(now)
        now = max(now, self._now)
        if self._closed or self.next_deadline() <= now:
            return False
        self._now = now
        self._expire()
        ids = [ticket.id for ticket in tickets]
        holder = {player.id: ticket.id for ticket in tickets for player in ticket.players}
        sizes = [len(ticket.players) for ticket in tickets]
        if (
            max(sizes, default=0) > self.policy.team_size
            or len(holder) < sum(sizes)
            or len(set(ids)) < len(ids)
            or not self._tickets.keys().isdisjoint(ids)
            or not self._holder.keys().isdisjoint(holder)
            or not self._offences.keys().isdisjoint(holder)
        ):
            return False
        entered = map(_Known, waiting_since(tickets, now), [ticket.since for ticket in tickets])
        waits = dict(zip(ids, entered, strict=True))
        self._tickets.update(waits)
        self._waits.update(waits)
        self._holder.update(holder)
        return True

    def _refusal(self, ticket: QueueTicket) -> str:
        """Say why a ticket may not enter; nothing if it may."""
        if self._closed:
            return "the queue is closed"
        if ticket.size > self.policy.team_size:
            return f"a party has at most {self.policy.team_size} players, got {ticket.size}"
        for player in ticket.players:
            if player.id in self._holder:
                return f"{player.id!r} is in the ticket {self._holder[player.id]!r} already"
            if why := why_kept_out(player.id, self.kept_out_until(player.id) - self._now):
                return why
        return ""

    def _cancel(self, name: str, why: str) -> list[Command]:
        known = self._tickets.get(name)
        if known is None:
            return [TicketRefused(name, "there is no such ticket")]
        place = self._place(known)
        if place is TicketPlace.GONE:
            return []
        if place is TicketPlace.PLAYING:
            return [TicketRefused(name, f"the match {known.match!r} has begun")]
        if place is TicketPlace.WAITING:
            return [self._leave(known, why or "cancelled")]
        match = known.match
        players = tuple(player.id for player in known.ticket.players)
        return self._dissolve(match, players, why or "cancelled", blamed=not why)

    def _look(self, known: tuple[FoundMatch, ...] | None) -> list[Command]:
        if known is None:
            if self._paused:
                return []
            joins, waiting = self._fill(self.waiting_people)
            known = tuple(map(self._as_kept, (*joins, *find_matches(waiting, self._now, self.policy))))
        until = self._now + self.policy.accept_within
        names = list(map(str, range(self._made + 1, self._made + 1 + len(known))))
        self._made += len(known)
        for name, found in zip(names, known, strict=True):
            for ticket in chain.from_iterable(found.teams):
                waited = self._waits.pop(ticket.id)
                waited.match, waited.why = name, ""
            self._proposals[name] = _Proposal(found, until)
            heappush(self._deadlines, (until, name))
        return list(copies(Propose("", _ANY_MATCH.found, until), len(names), match=names, found=known))

    def _as_kept(self, found: FoundMatch) -> FoundMatch:
        """Return a match with the tickets as they are kept."""
        if not self.same:
            return found
        teams = tuple(tuple(self._tickets[ticket.id].ticket for ticket in team) for team in found.teams)
        return replace(found, teams=teams)

    def _fill(self, waiting: tuple[QueueTicket, ...]) -> tuple[list[FoundMatch], tuple[QueueTicket, ...]]:
        """Return who joins running matches, those of each as one match, and who still waits."""
        if not self._openings:
            return [], waiting
        asked = {each.found.joins for each in self._proposals.values() if each.started is None}
        openings = {
            each.match: with_all_ids(each, self.same)
            for each in self.openings
            if each.match not in asked and fits_policy(each, self.policy)
        }
        if not openings:
            return [], waiting
        filled = fill_openings(waiting, openings.values(), self._now, self.policy)
        joins: dict[str, list[BackfillJoin]] = {}
        for join in filled.joins:
            joins.setdefault(join.match, []).append(join)
        found = [joined_match(openings[match], some, self.policy) for match, some in joins.items()]
        return found, filled.waiting

    def _accept(self, event: Accept) -> list[Command]:
        proposal = self._proposals.get(event.match)
        if proposal is None or not self._is_in(event.player, event.match):
            return [TicketRefused(event.match, f"no match of this id waits for {event.player!r}")]
        if proposal.started is not None:
            return []
        proposal.waiting_for = tuple(each for each in proposal.asked() if each != event.player)
        if proposal.waiting_for:
            return []
        proposal.started = self._now
        self._running += 1
        opening = self._openings.get(proposal.found.joins)
        if opening is not None:
            self._openings[opening.match] = replace(
                opening,
                teams=tuple(
                    (*here, *(player for ticket in team for player in ticket.players))
                    for here, team in zip(opening.teams, proposal.found.teams, strict=True)
                ),
            )
        return [Start(event.match, proposal.found)]

    def _decline(self, event: Decline) -> list[Command]:
        proposal = self._proposals.get(event.match)
        if proposal is None or not self._is_in(event.player, event.match):
            return [TicketRefused(event.match, f"no match of this id waits for {event.player!r}")]
        if proposal.started is not None:
            return [TicketRefused(event.match, "the match has begun")]
        return self._dissolve(event.match, (event.player,), "declined")

    def _end(self, event: MatchEnded) -> list[Command]:
        proposal = self._proposals.get(event.match)
        joins = [name for name, each in self._proposals.items() if each.found.joins == event.match]
        opening = self._openings.pop(event.match, None)
        if (proposal is None and not joins and opening is None) or (proposal and proposal.started is None):
            return [TicketRefused(event.match, "no match of this id runs")]
        commands: list[Command] = [] if opening is None else [FreeSeats(event.match)]
        for name in (*([] if proposal is None else [event.match]), *joins):
            if self._proposals[name].started is None:
                commands += self._dissolve(name, (), "a match has ended before they joined")
            else:
                commands += self._close(name, played=event.played)
        return commands

    def _close(self, match: str, *, played: bool) -> list[Command]:
        """Let those of a running match go, or wait on."""
        proposal = self._proposals.pop(match)
        self._running -= 1
        here = [self._tickets[ticket.id] for ticket in proposal.found.tickets if self._plays(ticket, match)]
        if played:
            return [self._leave(known, "played") for known in here]
        # The time in the match was no waiting.
        elapsed = self._now - (proposal.started or 0.0)
        return [
            self._return(known.ticket.id, known.ticket.since + elapsed, "the match was not played")
            for known in here
        ]

    def _offer(self, event: OfferSeats) -> list[Command]:
        match, proposal = event.match, self._proposals.get(event.match)
        before = self._openings.get(match)
        if proposal is not None and (proposal.started is None or proposal.found.joins):
            why = f"joins {proposal.found.joins!r}" if proposal.found.joins else "has not begun"
            return [TicketRefused(match, f"the match {match!r} {why}")]
        if proposal is None and before is None and _NUMBER.fullmatch(match):  # such are the ids of this queue
            why = f"no match {match!r} of this queue runs; the id of any other must not be a number"
            return [TicketRefused(match, why)]
        if proposal is None and before is None and not event.teams:
            return [TicketRefused(match, f"no match {match!r} of this queue runs; teams must say who plays")]
        if event.left and not event.teams and not self._knows(event, before):
            names = ", ".join(map(repr, event.left))
            return [TicketRefused(match, f"nobody plays in the match {match!r} who is called {names}")]
        teams = self._seated(event, before)
        opening = Opening(
            match, teams, self._now if before is None else before.since,
            event.ruleset or (proposal.found.ruleset if proposal else before.ruleset if before else ""),
            event.region or (proposal.found.region if proposal else before.region if before else ""),
            event.map or (before.map if before else ""), self._left(event, before, teams),
        )  # fmt: skip
        if not fits_policy(opening, self.policy):
            if event.teams or not event.left:
                seats = f"{self.policy.teams} teams of at most {self.policy.team_size} players"
                return [TicketRefused(match, f"the match {match!r} must have {seats}")]
            # It was made under another policy: who has left it is free, and nobody else can join.
            return [*self._let_go(match, set(event.left)), *self._withdraw(match)]
        ids = [player.id for team in teams for player in team]
        if len(set(ids)) < len(ids):
            return [TicketRefused(match, f"a player of the match {match!r} appears twice")]
        commands = self._let_go(match, set(event.left))
        if opening == before:  # the policy may be another, under which those asked find no seat
            return [*commands, *self._drop_joins(match, unless=opening)]
        self._openings[match] = opening
        commands += self._drop_joins(match, unless=opening)
        free = tuple(self.policy.team_size - len(team) for team in teams)
        return [*commands, FreeSeats(match, free if any(free) else ())]

    def _knows(self, event: OfferSeats, before: Opening | None) -> bool:
        """Tell whether somebody who has left, as is stated, plays in the match, or did."""
        here = [player for team in (before.teams if before else ()) for player in team]
        for each in self._parts(event.match):
            here += [player for ticket in each.found.tickets for player in ticket.players]
        return not {player.id for player in here}.isdisjoint(event.left)

    def _left(
        self, event: OfferSeats, before: Opening | None, teams: Sequence[Sequence[Player]]
    ) -> tuple[str, ...]:
        """Return who has left a match so far, and does not play in it again."""
        left = {*event.left, *(before.left if before else ())}.union(
            *(part.left for part in self._parts(event.match))
        )
        return tuple(sorted(left.difference(player.id for team in teams for player in team)))

    def _withdraw(self, match: str) -> list[Command]:
        if self._openings.pop(match, None) is None:
            return []
        return [*self._drop_joins(match), FreeSeats(match)]

    def _seated(self, event: OfferSeats, before: Opening | None) -> tuple[tuple[Player, ...], ...]:
        """Return who plays now: those named, and those who came from the queue and have not left."""
        came = self._playing(event.match)
        if event.teams:
            stated = {player.id for team in event.teams for player in team}
            playing = [list(team) for team in event.teams]
            playing += [[] for _ in came[len(playing) :]]
            for here, team in zip(playing, came, strict=False):
                here += [player for player in team if player.id not in stated]
        else:
            playing = [list(team) for team in (came if before is None else before.teams)]
        return tuple(tuple(player for player in team if player.id not in event.left) for team in playing)

    def _playing(self, match: str) -> tuple[tuple[Player, ...], ...]:
        """Return who plays in a match, as far as they came to it from the queue."""
        parts = self._parts(match)
        return tuple(
            tuple(
                player
                for part in parts
                for ticket in chain.from_iterable(part.found.teams[number : number + 1])
                for player in ticket.players
                if player.id not in part.left
            )
            for number in range(max((len(part.found.teams) for part in parts), default=0))
        )

    def _parts(self, match: str) -> list[_Proposal]:
        """Return what runs as a match: itself, where it is of this queue, and those who joined it."""
        return [
            each
            for name, each in self._proposals.items()
            if match in (name, each.found.joins) and each.started is not None
        ]

    def _let_go(self, match: str, left: set[str]) -> list[Command]:
        """Let tickets go of which nobody plays any longer in a match that runs."""
        commands: list[Command] = []
        if not left:
            return commands
        for name, proposal in self._proposals.items():
            if proposal.started is None or match not in (name, proposal.found.joins):
                continue
            proposal.left |= left
            for ticket in proposal.found.tickets:
                gone = all(player.id in proposal.left for player in ticket.players)
                if gone and self._plays(ticket, name):
                    commands.append(self._leave(self._tickets[ticket.id], "left the match"))
        return commands

    def _drop_joins(self, match: str, unless: Opening | None = None) -> list[Command]:
        """Take back who was asked to join a match, unless there is still room for them."""
        commands: list[Command] = []
        for name, proposal in list(self._proposals.items()):
            if proposal.started is not None or proposal.found.joins != match:
                continue
            sizes = [sum(ticket.size for ticket in team) for team in proposal.found.teams]
            if (
                unless is None
                or len(unless.teams) != len(sizes)
                or any(
                    len(here) + size > self.policy.team_size
                    for here, size in zip(unless.teams, sizes, strict=True)
                )
            ):
                commands += self._dissolve(name, (), "the seats of a match are no longer free")
        return commands

    def _plays(self, ticket: QueueTicket, match: str) -> bool:
        """Tell whether a ticket is still in a match."""
        known = self._tickets.get(ticket.id)
        return known is not None and known.match == match

    # Snapshots. --------------------------------------------------------------------------------------------

    def snapshot(self) -> LifeSnapshot:
        """Return all that is known now."""
        rest, tickets, matches = self.columns()
        return replace(
            rest,
            tickets=tuple(copies(_ANY_KNOWN, len(self._tickets), **tickets)),
            matches=tuple(copies(_ANY_MATCH, len(self._proposals), **matches)),
        )

    def columns(self) -> tuple[LifeSnapshot, Columns, Columns]:
        """Return a snapshot without tickets and matches, and the values of each field of both."""
        known, proposals = self._tickets.values(), self._proposals.values()
        tickets = {name: list(map(attrgetter(name), known)) for name in _TICKET_FIELDS}
        matches = {name: list(map(attrgetter(name), proposals)) for name in _PROPOSAL_FIELDS}
        matches["match"] = list(self._proposals)
        matches["left"] = [tuple(sorted(each)) if each else () for each in matches["left"]]
        rest = LifeSnapshot(
            policy=self.policy,
            now=self._now if self._now > float("-inf") else None,
            made=self._made,
            paused=self._paused,
            closed=self._closed,
            tickets=(),
            waits=tuple(self._waits),
            matches=(),
            openings=tuple(self._openings.values()),
            gone=tuple(self._gone),
            offended=tuple(self._offended),
            offences=tuple((player, tuple(times)) for player, times in self._offences.items()),
        )
        return rest, tickets, matches

    @classmethod
    def of_snapshot(cls, known: LifeSnapshot) -> TicketLife:
        """Return a life that goes on where another was.

        Examples
        --------
        >>> life = TicketLife(QueuePolicy(team_size=1))
        >>> _ = life.handle(EnterTicket(QueueTicket("t1", [Player("Ann", 1500)], 0.0)), 1.0)
        >>> TicketLife.of_snapshot(life.snapshot()).where("t1") == life.where("t1")
        True
        """
        life = cls(known.policy)
        life._now = life._now if known.now is None else known.now
        life._made, life._paused, life._closed = known.made, known.paused, known.closed
        for each in known.tickets:
            life._tickets[each.ticket.id] = _Known(
                each.ticket, each.sent, each.match, each.gone_since, each.why
            )
            if each.gone_since is None:
                life._holder.update((player.id, each.ticket.id) for player in each.ticket.players)
        life._waits = {name: life._tickets[name] for name in known.waits}
        for match in known.matches:
            life._proposals[match.match] = _Proposal(
                match.found, match.until, match.waiting_for, match.started, frozenset(match.left)
            )
            if match.started is None:
                heappush(life._deadlines, (match.until, match.match))
            else:
                life._running += 1
        life._openings = {each.match: each for each in known.openings}
        life._gone, life._offended = deque(known.gone), deque(known.offended)
        life._offences = {player: list(times) for player, times in known.offences}
        return life

    # What follows. -----------------------------------------------------------------------------------------

    def _expire(self) -> list[Command]:
        """Dissolve what was not accepted in time, the earliest first, and forget what is long past."""
        commands: list[Command] = []
        while self.next_deadline() <= self._now:
            # Those with one deadline go by their ids, as the heap has them.
            name = self._deadlines[0][1]
            missing = tuple(sorted(self._proposals[name].asked()))
            commands += self._dissolve(name, missing, "not answered")
        limit = self._now - self.policy.forgiven_after
        while self._gone and self._gone[0][0] < limit:
            since, name = self._gone.popleft()
            if self._tickets[name].gone_since == since:
                del self._tickets[name]
        while self._offended and self._offended[0][0] < limit:
            _, player = self._offended.popleft()
            if player in self._offences and not self._counted(player):
                del self._offences[player]
        return commands

    def _dissolve(
        self, match: str, players: tuple[str, ...], why: str, *, blamed: bool = True
    ) -> list[Command]:
        """Take a match back: the tickets of those players leave, all others wait on in front."""
        proposal = self._proposals.pop(match)
        words = why if blamed else "cancelled"
        commands: list[Command] = [Dissolve(match, players, words)]
        leaving = {self._holder[player] for player in players}
        commands += [
            self._leave(self._tickets[ticket.id], why)
            for ticket in proposal.found.tickets
            if ticket.id in leaving
        ]
        for player in players if blamed else ():
            self.blamed += 1
            self._offences[player] = [*self._counted(player), self._now]
            self._offended.append((self._now, player))
            commands.append(Penalty(player, self.kept_out_until(player)))
        commands += [
            self._return(ticket.id, ticket.since, f"a match was {words} by others" if players else why)
            for ticket in proposal.found.tickets
            if ticket.id not in leaving
        ]
        return commands

    def _return(self, name: str, since: float, why: str) -> Waits:
        known = self._tickets[name]
        known.ticket = known.ticket.since_when(since, known.ticket.returned + 1)
        known.match, known.why = "", why
        self._waits[name] = known
        return Waits(name, since, why)

    def _leave(self, known: _Known, why: str) -> Leaves:
        known.match, known.gone_since, known.why = "", self._now, why
        self._gone.append((self._now, known.ticket.id))
        self._waits.pop(known.ticket.id, None)
        for player in known.ticket.players:
            del self._holder[player.id]
        return Leaves(known.ticket.id, why)

    def _counted(self, player: str) -> list[float]:
        """Return when a player did not accept, as far as it is not forgiven."""
        limit = self._now - self.policy.forgiven_after
        return [when for when in self._offences.get(player, ()) if when >= limit]

    def _is_in(self, player: str, match: str) -> bool:
        known = self._tickets.get(self._holder.get(player, ""))
        return known is not None and known.match == match

    def _place(self, known: _Known) -> TicketPlace:
        if known.gone_since is not None:
            return TicketPlace.GONE
        proposal = self._proposals.get(known.match)
        if proposal is None:
            return TicketPlace.WAITING
        if proposal.started is not None:
            return TicketPlace.PLAYING
        asked = proposal.asked()
        waited_for = any(player.id in asked for player in known.ticket.players)
        return TicketPlace.PROPOSED if waited_for else TicketPlace.ACCEPTED
