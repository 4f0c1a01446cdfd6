"""The life of a ticket: one place always, no waiting time lost, penalties that grow as stated."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.queueing import strategies

from equipoise.core.player import Player
from equipoise.queueing import QueuePolicy, QueueTicket, TicketLife
from equipoise.queueing.kept_state import life_of, state_of
from equipoise.queueing.life import (
    Accept,
    AskAgain,
    CancelTicket,
    ChangePolicy,
    Command,
    Decline,
    Dissolve,
    EnterTicket,
    Event,
    FreeSeats,
    Leaves,
    MakeMatches,
    MatchEnded,
    OfferSeats,
    Pause,
    Penalty,
    Propose,
    Start,
    TicketPlace,
    TicketRefused,
    Waits,
    WithdrawSeats,
)
from equipoise.queueing.record import (
    encoded_lines,
    event_of,
    line_of,
    lines_of_entering,
    lines_of_proposals,
    reply_data,
)

PLAYERS = "abcdef"
POLICY = QueuePolicy(
    team_size=2, imbalance=0.49, most_imbalance=0.49, tolerance=1e6, accept_within=10.0,
    penalties=(0.0, 30.0, 120.0), forgiven_after=200.0,
)  # fmt: skip
DUEL = QueuePolicy(team_size=1, imbalance=0.49, most_imbalance=0.49, tolerance=1e6, accept_within=10.0)


@dataclass
class Kept:
    """What the oracle knows of a ticket."""

    players: tuple[str, ...]
    since: float
    place: str = "waiting"
    match: str = ""
    returned: int = 0


@dataclass
class Running:
    """What the oracle knows of a match: the tickets of each team, its deadline, and who has accepted."""

    teams: list[list[str]]
    until: float
    accepted: set[str] = field(default_factory=set)
    started: float | None = None
    joins: str = ""
    left: set[str] = field(default_factory=set)

    @property
    def tickets(self) -> list[str]:
        """All tickets, team by team."""
        return [ticket for team in self.teams for ticket in team]


class Schedules(RuleBasedStateMachine):
    """Random schedules of events against an oracle that knows the promises alone."""

    def __init__(self) -> None:
        super().__init__()
        self.policy = self.first = POLICY
        self.life = TicketLife(POLICY)
        self.paused = self.closed = False
        self.now = 0.0
        self.number = 0
        self.tickets: dict[str, Kept] = {}
        self.matches: dict[str, Running] = {}
        self.seats: dict[str, list[list[str]]] = {}  # who plays, by team, where others may join
        self.offences: list[tuple[float, str]] = []
        self.record: list[tuple[Event, float]] = []
        self.said: list[tuple[Command, ...]] = []

    def send(self, event: Event) -> tuple[Command, ...]:
        """Let the oracle see what time alone does, and return what is said to an event."""
        for name in sorted(self.matches, key=lambda name: (self.matches[name].until, name)):
            match = self.matches[name]
            if match.started is None and match.until <= self.now:
                missing = {p for t in match.tickets for p in self.tickets[t].players} - match.accepted
                self.dissolve(name, missing)
        self.record.append((event, self.now))
        self.said.append(self.life.handle(event, self.now))
        return self.said[-1]

    def dissolve(self, name: str, players: set[str], *, blamed: bool = True) -> None:
        """Take a match back, as the promises say."""
        match = self.matches.pop(name)
        for ticket in match.tickets:
            kept = self.tickets[ticket]
            kept.match = ""
            if players & set(kept.players):
                kept.place = "gone"
            else:
                kept.place, kept.returned = "waiting", kept.returned + 1
        if blamed:
            self.offences += [(self.now, player) for player in players]

    def kept_out_until(self, player: str) -> float:
        """Return until when a player is kept out, counted from all there ever was."""
        times = [when for when, who in self.offences if who == player and when >= self.now - 200.0]
        return times[-1] + (0.0, 30.0, 120.0)[min(len(times), 3) - 1] if times else float("-inf")

    @initialize(team_size=st.sampled_from([1, 2]))
    def begin(self, team_size: int) -> None:
        """Begin with an empty queue, of duels or of teams of two."""
        self.policy = self.first = replace(POLICY, team_size=team_size)
        self.life = TicketLife(self.policy)

    @rule(shape=st.sampled_from([(2, 1), (2, 2), (3, 1)]))
    def the_policy_changes(self, shape: tuple[int, int]) -> None:
        """Go on with teams of another size, or another number of them; nobody is lost."""
        self.policy = replace(self.policy, teams=shape[0], team_size=shape[1])
        assert not [each for each in self.send(ChangePolicy(self.policy)) if isinstance(each, TicketRefused)]

    @rule(paused=st.booleans(), closed=st.booleans())
    def the_queue_is_held(self, paused: bool, closed: bool) -> None:
        """Look for no matches, let nobody in, or go on."""
        self.paused, self.closed = paused, closed
        self.send(Pause(paused, closed))

    @rule(seconds=st.sampled_from([0.5, 3.0, 10.0, 40.0, 150.0]))
    def nobody_is_there_to_answer(self, seconds: float) -> None:
        """Let an outage pass: who is asked has the full time from its end on, and nobody is out."""
        self.now += seconds
        for match in self.matches.values():
            if match.started is None:
                match.until = self.now + 10.0
        assert self.send(AskAgain()) == ()

    @rule(seconds=st.sampled_from([0.5, 3.0, 10.0, 40.0, 150.0]))
    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds

    @rule(
        players=st.one_of(
            st.sampled_from(PLAYERS).map(lambda player: [player]),
            st.lists(st.sampled_from(PLAYERS), min_size=1, max_size=3, unique=True),
        ),
        backfill=st.booleans(),
    )
    def enter(self, players: list[str], backfill: bool = True) -> None:
        """Let a party come; it is refused if somebody waits already or is kept out, or it is too large."""
        self.number += 1
        people = tuple(Player(name, 1500.0) for name in players)
        ticket = QueueTicket(f"t{self.number}", people, -5.0, backfill=backfill)
        said = self.send(EnterTicket(ticket))
        busy = {p for kept in self.tickets.values() if kept.place != "gone" for p in kept.players}
        out = any(self.kept_out_until(player) > self.now for player in players)
        allowed = len(players) <= self.policy.team_size and not busy & set(players) and not out
        allowed = allowed and not self.closed
        assert isinstance(said[-1], Waits if allowed else TicketRefused)
        if allowed:
            self.tickets[ticket.id] = Kept(tuple(players), self.now)
            assert self.life.handle(EnterTicket(ticket), self.now) == ()  # sent again
        else:
            assert self.life.where(ticket.id) is None

    @rule()
    def everybody_comes(self) -> None:
        """Let all come who do not wait, and look for matches."""
        for player in PLAYERS:
            self.enter([player])
        self.search()

    @precondition(lambda self: self.matches)
    @rule(data=st.data(), but=st.integers(0, 2))
    def many_answer(self, data: st.DataObject, but: int) -> None:
        """Let all accept a match but some, of whom one may decline."""
        name = data.draw(st.sampled_from(sorted(self.matches)))
        there = [player for ticket in self.matches[name].tickets for player in self.tickets[ticket].players]
        for player in there[but:]:
            self.one_answers(name, player, accepts=True)
        if but > 1:
            self.one_answers(name, there[0], accepts=False)

    @rule()
    def search(self) -> None:
        """Look for matches."""
        said = self.send(MakeMatches())
        for command in said:
            if isinstance(command, Propose):
                names = [ticket.id for ticket in command.found.tickets]
                assert command.until == self.now + 10.0
                assert command.match not in self.matches
                for name in names:
                    assert self.tickets[name].place == "waiting"
                    self.tickets[name].place, self.tickets[name].match = "proposed", command.match
                assert not self.paused
                joins = command.found.joins
                teams = [[ticket.id for ticket in team] for team in command.found.teams]
                match = Running(teams, command.until, joins=joins)
                if joins:  # only seats that are free and nobody was asked to take
                    assert not any(m.joins == joins and m.started is None for m in self.matches.values())
                    assert all(ticket.backfill for ticket in command.found.tickets)
                    left = [m.left for n, m in self.matches.items() if joins in (n, m.joins)]
                    people = {player for name in names for player in self.tickets[name].players}
                    assert people.isdisjoint(set().union(*left))
                    assert self.has_room(self.seats[joins], match)
                else:
                    sizes = [len(team) for team in self.players_of(match)]
                    assert sizes == [self.policy.team_size] * self.policy.teams
                self.matches[command.match] = match

    def players_of(self, match: Running) -> list[list[str]]:
        """Return who is in each team of a match, but those who have left it."""
        return [
            [player for ticket in team for player in self.tickets[ticket].players if player not in match.left]
            for team in match.teams
        ]

    def fits(self, teams: list[list[str]]) -> bool:
        """Tell whether teams are as many and as large as the policy says now."""
        return len(teams) == self.policy.teams and max(map(len, teams)) <= self.policy.team_size

    def has_room(self, teams: list[list[str]], match: Running) -> bool:
        """Tell whether those who were asked to join find a seat each."""
        joined = self.players_of(match)
        return len(joined) == len(teams) and self.fits([a + b for a, b in zip(teams, joined, strict=True)])

    def came(self, name: str) -> list[list[str]]:
        """Return who came from the queue to each team of a match."""
        teams: list[list[str]] = []
        for match in [m for n, m in self.matches.items() if name in (n, m.joins) and m.started is not None]:
            parts = self.players_of(match)
            teams += [[] for _ in parts[len(teams) :]]
            for number, part in enumerate(parts):
                teams[number] += part
        return teams

    def take_seats(self, name: str, teams: list[list[str]] | None) -> None:
        """Note who plays where others may join, None for nobody may; who was asked in vain waits on."""
        if teams is None:
            self.seats.pop(name, None)
        else:
            self.seats[name] = teams
        for one in [n for n, m in self.matches.items() if m.joins == name and m.started is None]:
            if teams is None or not self.has_room(teams, self.matches[one]):
                self.dissolve(one, set())

    @precondition(lambda self: self.matches)
    @rule(data=st.data(), accepts=st.booleans())
    def answer(self, data: st.DataObject, accepts: bool) -> None:
        """Let somebody answer: in time, late, twice, or for a match that is not theirs."""
        name = data.draw(st.sampled_from(sorted(self.matches)))
        there = [player for ticket in self.matches[name].tickets for player in self.tickets[ticket].players]
        player = data.draw(st.one_of(st.sampled_from(there), st.sampled_from(PLAYERS)))
        self.one_answers(name, player, accepts)

    def one_answers(self, name: str, player: str, accepts: bool) -> None:
        """Send an answer, and let the oracle say what it means."""
        said = self.send(Accept(name, player) if accepts else Decline(name, player))
        match = self.matches.get(name)
        players = {p for t in match.tickets for p in self.tickets[t].players} if match else set()
        if match is None or player not in players or (not accepts and match.started is not None):
            assert isinstance(said[-1], TicketRefused)
        elif not accepts:
            self.dissolve(name, {player})
        elif match.started is None:
            match.accepted.add(player)
            if match.accepted == players:
                match.started = self.now
                assert isinstance(said[-1], Start)
                if match.joins in self.seats:
                    for number, joined in enumerate(self.players_of(match)):
                        self.seats[match.joins][number] += joined

    @precondition(lambda self: self.tickets)
    @rule(data=st.data(), why=st.sampled_from(["", "", "the same player is elsewhere"]))
    def cancel(self, data: st.DataObject, why: str) -> None:
        """Withdraw a ticket, wherever it is; where it was nobody's wish, nobody is kept out for it."""
        name = data.draw(st.sampled_from(sorted(self.tickets)))
        said = self.send(CancelTicket(name, why))
        kept = self.tickets[name]
        if kept.place == "waiting":
            kept.place = "gone"
        elif kept.match and self.matches[kept.match].started is None:
            self.dissolve(kept.match, set(kept.players), blamed=not why)
        elif kept.match:
            assert isinstance(said[-1], TicketRefused)

    @precondition(lambda self: any(match.started is not None for match in self.matches.values()))
    @rule(data=st.data(), played=st.booleans())
    def end(self, data: st.DataObject, played: bool) -> None:
        """Let a match end, or fail."""
        running = sorted(name for name, match in self.matches.items() if match.started is not None)
        name = data.draw(st.sampled_from(running))
        self.ends(name, played)

    def ends(self, name: str, played: bool) -> None:
        """Let a match end, those who joined it, and those who were asked to."""
        self.send(MatchEnded(name, played))
        self.seats.pop(name, None)
        for one in [each for each, match in self.matches.items() if name in (each, match.joins)]:
            if self.matches[one].started is None:
                self.dissolve(one, set())
                continue
            match = self.matches.pop(one)
            for ticket in match.tickets:
                kept = self.tickets[ticket]
                if kept.match != one:
                    continue
                kept.match = ""
                kept.place = "gone" if played else "waiting"
                if not played and match.started is not None:
                    kept.since, kept.returned = kept.since + self.now - match.started, kept.returned + 1

    @precondition(lambda self: any(m.started is not None for m in self.matches.values()))
    @rule(data=st.data())
    def somebody_leaves(self, data: st.DataObject) -> None:
        """Let players leave a match that runs: their seats are free, and who has nobody left in it is."""
        running = sorted(n for n, m in self.matches.items() if m.started is not None and not m.joins)
        if not running:
            return
        name = data.draw(st.sampled_from(running))
        parts = [m for n, m in self.matches.items() if name in (n, m.joins) and m.started is not None]
        there = {player for team in self.came(name) for player in team}
        left = set(data.draw(st.lists(st.sampled_from(PLAYERS), min_size=1, max_size=2))) & there
        before = self.seats.get(name)
        teams = [[p for p in team if p not in left] for team in before or self.came(name)]
        fits = self.fits(teams)
        said = self.send(OfferSeats(name, left=tuple(sorted(left))))
        if not left and not fits:
            assert isinstance(said[-1], TicketRefused)
            return
        assert not left or not fits or isinstance(said[-1], FreeSeats)
        for each in parts:
            each.left |= left
            for ticket in each.tickets:
                kept = self.tickets[ticket]
                if kept.match and self.matches[kept.match] is each and set(kept.players) <= each.left:
                    kept.place, kept.match = "gone", ""
        self.take_seats(name, teams if fits else None)  # None where it was made under another policy

    @rule(missing=st.integers(0, 2))
    def another_match_has_seats(self, missing: int) -> None:
        """Let a match that is none of this queue offer seats, or have none left."""
        size = self.policy.team_size
        if missing > size:
            return
        stated = [
            [f"x{team}{n}" for n in range(size - (0 if team else missing))]
            for team in range(self.policy.teams)
        ]
        came = self.came("x")
        teams = [list(team) for team in stated] + [[] for _ in came[len(stated) :]]
        for number, team in enumerate(came):
            teams[number] += team
        people = tuple(tuple(Player(name, 1500.0) for name in team) for team in stated)
        said = self.send(OfferSeats("x", people))
        if not self.fits(teams):
            assert isinstance(said[-1], TicketRefused)
            return
        self.take_seats("x", teams)

    @rule(ends=st.booleans())
    def another_match_takes_nobody_else(self, ends: bool) -> None:
        """Let it withdraw its seats, or end."""
        if ends:
            self.ends("x", played=True)
            return
        self.send(WithdrawSeats("x"))
        if "x" in self.seats:
            self.take_seats("x", None)

    @invariant()
    def every_ticket_is_where_the_oracle_says(self) -> None:
        """Nobody is lost, twice, or has lost waiting time; penalties are those that are stated."""
        self.send(Pause(self.paused, self.closed))
        for name, kept in self.tickets.items():
            found = self.life.where(name)
            if found is None:
                assert kept.place == "gone"
                continue
            place = kept.place
            if kept.match:
                match = self.matches[kept.match]
                waits_for = set(kept.players) - match.accepted
                place = "playing" if match.started is not None else "proposed" if waits_for else "accepted"
            assert (found.place, found.match) == (place, kept.match)
            if place in ("proposed", "accepted"):
                assert found.until == self.matches[kept.match].until
            assert place == "gone" or found.since == pytest.approx(kept.since)
        waiting = {name for name, kept in self.tickets.items() if kept.place == "waiting"}
        assert {ticket.id for ticket in self.life.waiting} == waiting
        order = [(ticket.returned == 0, ticket.since) for ticket in self.life.waiting]
        assert order == sorted(order)
        for player in PLAYERS:
            assert self.life.kept_out_until(player) == self.kept_out_until(player)

    @rule()
    def a_snapshot_is_gone_on_from(self) -> None:
        """Let another life go on from what this one has written down."""
        other = life_of(state_of(self.life))
        assert other is not None
        self.life = other

    def teardown(self) -> None:
        """Replaying the record says the same."""
        again = TicketLife(self.first)
        assert [again.handle(event, now) for event, now in self.record] == self.said
        third = TicketLife(self.first)
        for (event, now), said in zip(self.record, self.said, strict=True):
            kept = event
            if isinstance(event, MakeMatches):  # a record has the matches that were found
                kept = MakeMatches(tuple(each.found for each in said if isinstance(each, Propose)))
            third.handle(event_of(line_of(kept), third.ticket), now)
        assert third.snapshot() == self.life.snapshot()


TestSchedules = Schedules.TestCase
TestSchedules.settings = settings(max_examples=80, stateful_step_count=80, deadline=None)


def duel() -> TicketLife:
    """Return a queue of two who are proposed a match."""
    life = TicketLife(DUEL)
    for name in ("Ann", "Bob"):
        life.handle(EnterTicket(QueueTicket(name, (Player(name, 1500.0),), 0.0)), 1.0)
    life.handle(MakeMatches(), 2.0)
    return life


def kinds(commands: tuple[Command, ...]) -> list[type[Any]]:
    """Return what was said, by kind."""
    return [type(command) for command in commands]


def test_who_does_not_answer_leaves_and_the_other_waits_on() -> None:
    """At the deadline, whatever happens next, the no-show is out, and the other has all waiting time."""
    life = duel()
    life.handle(Accept("1", "Ann"), 3.0)
    assert life.next_deadline() == 12.0
    said = life.handle(MakeMatches(), 12.0)
    assert kinds(said) == [Dissolve, Leaves, Penalty, Waits]
    assert said[0] == Dissolve("1", ("Bob",), "not answered")
    place = life.where("Ann")
    assert place is not None
    assert (place.place, place.since) == (TicketPlace.WAITING, 1.0)


def test_acceptance_after_the_deadline_is_refused() -> None:
    """A late answer does not revive a match."""
    life = duel()
    assert kinds(life.handle(Accept("1", "Ann"), 12.0))[-1] is TicketRefused


def test_a_clock_that_runs_backwards_is_held() -> None:
    """An event of an earlier time than the last counts at the last."""
    life = duel()
    life.handle(MakeMatches(), 50.0)
    life.handle(EnterTicket(QueueTicket("Cid", (Player("Cid"),), 0.0)), 20.0)
    place = life.where("Cid")
    assert place is not None
    assert place.since == 50.0


def test_a_new_policy_keeps_all_tickets_and_a_pause_makes_no_matches() -> None:
    """Who waits goes on waiting, since when they did; who is proposed a match still is."""
    life = duel()
    life.handle(EnterTicket(QueueTicket("Cid", (Player("Cid"),), 0.0)), 3.0)
    assert life.handle(ChangePolicy(POLICY), 4.0) == ()
    assert life.policy is POLICY
    places = [life.where(name) for name in ("Ann", "Cid")]
    assert [place and place.place for place in places] == [TicketPlace.PROPOSED, TicketPlace.WAITING]
    life.handle(ChangePolicy(DUEL), 5.0)
    life.handle(Pause(closed=True), 5.0)
    assert kinds(life.handle(EnterTicket(QueueTicket("Dan", (Player("Dan"),), 0.0)), 6.0)) == [TicketRefused]
    life.handle(Pause(), 7.0)
    life.handle(EnterTicket(QueueTicket("Dan", (Player("Dan"),), 0.0)), 7.0)
    assert life.handle(MakeMatches(), 8.0) == ()
    life.handle(Pause(paused=False), 9.0)
    assert kinds(life.handle(MakeMatches(), 9.0)) == [Propose]


def test_a_match_of_somebody_else_is_never_taken_for_one_of_the_queue() -> None:
    """Numbers are the queue's own, also before they are given and after the match has ended."""
    life = duel()
    teams = ((Player("Cid"),), ())
    for match in ("1", "2", "0", "007", "-7", "+7", "7.0", "-7.5", "7.", ".7", "٧"):
        assert kinds(life.handle(OfferSeats(match, teams), 3.0)) == [TicketRefused]
    assert life.openings == ()
    assert life.handle(OfferSeats("srv-1", teams), 3.0) == (FreeSeats("srv-1", (0, 1)),)
    assert life.handle(OfferSeats("srv-1", teams), 4.0) == ()
    for match in ("7-1", "1.2.3", "7a", "-", ".", "7e0", "0x7"):
        assert kinds(life.handle(OfferSeats(match, ((Player(match),), ())), 5.0)) == [FreeSeats]


def test_who_has_left_a_match_is_offered_no_seat_of_it() -> None:
    """Nor under an id that is merged since; other matches offer them some, and others are offered theirs."""
    life = TicketLife(DUEL)
    teams = ((Player("Ann"),), (Player("Bob"),))
    life.handle(OfferSeats("srv-1", teams), 1.0)
    life.handle(OfferSeats("srv-1", left=("Bob",)), 2.0)
    life.handle(EnterTicket(QueueTicket("b", (Player("Bob"),), 0.0, backfill=True)), 3.0)
    assert life.handle(MakeMatches(), 4.0) == ()
    life = life_of(state_of(life)) or life
    assert life.handle(MakeMatches(), 5.0) == ()
    life.handle(OfferSeats("srv-2", ((Player("Eve"),), ())), 6.0)
    (asked,) = life.handle(MakeMatches(), 7.0)
    assert isinstance(asked, Propose)
    assert asked.found.joins == "srv-2"
    life.handle(CancelTicket("b", "elsewhere"), 8.0)
    life.handle(WithdrawSeats("srv-2"), 8.0)
    life.same = {"Bob": ("Bob", "Rob"), "Rob": ("Bob", "Rob")}
    life.handle(EnterTicket(QueueTicket("r", (Player("Rob"),), 0.0, backfill=True)), 9.0)
    assert life.handle(MakeMatches(), 10.0) == ()
    life.handle(EnterTicket(QueueTicket("c", (Player("Cid"),), 0.0, backfill=True)), 11.0)
    (asked,) = life.handle(MakeMatches(), 12.0)
    assert isinstance(asked, Propose)
    assert [ticket.id for ticket in asked.found.tickets] == ["c"]
    life.handle(OfferSeats("srv-1", teams), 13.0)
    assert life.openings == ()


def test_seats_that_another_policy_takes_are_offered_to_nobody() -> None:
    """A match says again who plays: who was asked to join it under a policy of larger teams waits on."""
    life = TicketLife(DUEL)
    full = OfferSeats("srv-1", ((Player("Cid"),), (Player("Dan"),)))
    life.handle(full, 1.0)
    life.handle(ChangePolicy(POLICY), 2.0)
    for name in ("Ann", "Bob"):
        life.handle(EnterTicket(QueueTicket(name, (Player(name),), 0.0, backfill=True)), 3.0)
    (asked,) = life.handle(MakeMatches(), 4.0)
    assert isinstance(asked, Propose)
    assert asked.found.joins == "srv-1"
    assert life.handle(full, 5.0) == ()
    life.handle(ChangePolicy(DUEL), 6.0)
    assert kinds(life.handle(full, 7.0)) == [Dissolve, Waits, Waits]


def test_another_ticket_under_a_known_id_is_refused() -> None:
    """An id names one ticket."""
    life = duel()
    said = life.handle(EnterTicket(QueueTicket("Ann", (Player("Zed"),), 0.0)), 3.0)
    assert said == (TicketRefused("Ann", "there is another ticket with this id"),)


def test_what_is_long_gone_is_forgotten() -> None:
    """A ticket that left is known as gone for as long as penalties are, and then no more."""
    life = duel()
    life.handle(Decline("1", "Ann"), 3.0)
    place = life.where("Ann")
    assert place is not None
    assert (place.place, place.why) == (TicketPlace.GONE, "declined")
    life.handle(MakeMatches(), 3.0 + DUEL.forgiven_after + 1.0)
    assert life.where("Ann") is None


@st.composite
def lives(draw: st.DrawFn) -> tuple[TicketLife, list[QueueTicket], float]:
    """Draw a life in which somebody may wait, play, be blamed or gone, who comes next, and when."""
    life = TicketLife(draw(strategies.policies(accept_within=10.0)))
    queue = draw(strategies.queues(12))
    assume(queue)
    here = draw(st.integers(0, len(queue) - 1))
    for ticket in queue[:here]:
        life.handle(EnterTicket(ticket), 100.0)
    life.handle(MakeMatches(), 101.0)
    for match, found in list(life.matches.items()):
        for player in [player for ticket in found.tickets for player in ticket.players]:
            if draw(st.booleans()):
                life.handle(Accept(match, player.id), 102.0)
            elif life.is_asked(match, player.id):
                life.handle(Decline(match, player.id), 102.0)
                break
    life.handle(Pause(closed=draw(st.integers(0, 5)) == 5), 103.0)
    again = draw(st.lists(st.sampled_from(queue), max_size=2))
    return life, draw(st.permutations([*queue[here:], *again])), draw(st.sampled_from([103.0, 112.5, 1e6]))


@settings(max_examples=300, deadline=None)
@given(lives())
def test_to_enter_together_is_to_enter_one_after_another(
    drawn: tuple[TicketLife, list[QueueTicket], float],
) -> None:
    """All are let in and wait as each alone would; or nothing is done, and to one there is more to say."""
    life, tickets, now = drawn
    alone = TicketLife.of_snapshot(life.snapshot())
    blamed = {player for player, _ in life.snapshot().offences}
    before = life.snapshot()
    together = life.enter_together(tickets, now)
    said = [alone.handle(EnterTicket(ticket), now) for ticket in tickets]
    if together:
        assert said == [(Waits(ticket.id, now),) for ticket in tickets]
        assert life.snapshot() == alone.snapshot()
    else:
        assert replace(life.snapshot(), now=now) == replace(before, now=now) or now == 1e6
        known = {player.id for ticket in tickets for player in ticket.players}
        assert said != [(Waits(ticket.id, now),) for ticket in tickets] or known & blamed


def test_how_many_matches_run_is_known_after_a_restart_too() -> None:
    """Matches that are proposed, and those that have begun and not ended, are counted apart."""
    life = duel()
    counts = []
    for event in (None, Accept("1", "Ann"), Accept("1", "Bob"), Accept("1", "Bob"), MatchEnded("1")):
        if event is not None:
            life.handle(event, 3.0)
        again = TicketLife.of_snapshot(life.snapshot())
        assert (again.proposed, again.running) == (life.proposed, life.running)
        counts.append((life.proposed, life.running))
    assert counts == [(1, 0), (1, 0), (0, 1), (0, 1), (0, 0)]


@settings(max_examples=100, deadline=None)
@given(strategies.policies(), strategies.queues())
def test_a_line_leaves_out_what_has_its_default_and_nothing_else(
    policy: QueuePolicy, queue: list[QueueTicket]
) -> None:
    """Tickets are read again as they were; a match that is proposed is the same in its line and its reply."""
    for ticket, line in zip(queue, lines_of_entering(queue), strict=True):
        assert line == line_of(EnterTicket(ticket))
        assert event_of(line, dict[str, QueueTicket]().get) == EnterTicket(ticket)
    life = TicketLife(policy)
    for ticket in queue:
        life.handle(EnterTicket(ticket), 100.0)
    made = [each for each in life.handle(MakeMatches(), 200.0) if isinstance(each, Propose)]
    line, replies = lines_of_proposals(made)
    assert line == line_of(MakeMatches(tuple(each.found for each in made)))
    assert replies == encoded_lines([reply_data(each) for each in made])


def test_a_line_with_all_fields_is_still_read() -> None:
    """Records that were kept before hold what has its default too."""
    line = (
        '["enter",{"ticket":{"id":"t1","players":[{"id":"Ann","rating":{"mu":1500.0,"sigma":0.0},"name":"",'
        '"party":null,"side":0.5,"team":null,"bot":false,"roles":[],"prefer":[],"avoid":[],"team_now":null}],'
        '"since":0.0,"latencies":[],"ruleset":"","vetoes":[],"backfill":false,"returned":0}}]'
    )
    event = EnterTicket(QueueTicket("t1", (Player("Ann", 1500.0),), 0.0))
    assert event_of(line, dict[str, QueueTicket]().get) == event
    assert len(line_of(event)) < len(line) / 2
