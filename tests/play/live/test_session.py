"""The running game: whatever happens in whatever order, teams end as chosen, and commands make sense."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.core.match import Ruleset
from equipoise.core.player import Rating
from equipoise.play.live import decisions, session
from equipoise.play.live.chat_answers import QUESTIONS
from equipoise.play.live.events import (
    AddBot,
    Announced,
    Busy,
    Carrying,
    Changed,
    Chatted,
    Clock,
    Command,
    Died,
    Ended,
    Event,
    Joined,
    Left,
    MovePlayer,
    RatingsKnown,
    RemoveBot,
    Renamed,
    Resumed,
    Say,
    Seen,
    SetAdvantage,
    SetMinimum,
    Spawned,
    Started,
    Starting,
    TimePassed,
    Unheard,
    Weighed,
)
from equipoise.play.live.levers import RatingUnits, bot_skills
from equipoise.play.live.session import Session
from equipoise.play.live.state import Policy, Seat, State

IDS = [f"p{n}" for n in range(12)]
RATINGS = {name: Rating(10.0 * math.sqrt(3 + 7 * n), 2.0) for n, name in enumerate(IDS)}
SKILLS = bot_skills([(1.0, Rating(30.0)), (5.0, Rating(80.0))], Rating(55.0))
KNOWN = RatingsKnown(RATINGS, Rating(50.0, 10.0), SKILLS, RatingUnits(20.0, 0.0))


@dataclass
class World:
    """A server that follows commands and reports what happened; it may lose commands."""

    session: Session
    loses: Callable[[], bool] = lambda: False
    now: float = 0.0
    there: dict[int, tuple[str, bool, int | None, float | None]] = field(default_factory=dict)
    heard: list[tuple[Event, float]] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    moves_bots: bool = False

    def tell(self, event: Event, seconds: float = 0.1) -> None:
        """Let something happen, and all that follows from it."""
        waiting = [event]
        while waiting:
            happened = waiting.pop(0)
            self.now += seconds
            self.heard.append((happened, self.now))
            for command in self.session.handle(happened, self.now):
                self.commands.append(command)
                self.check(command)
                if not self.loses():
                    waiting += self.obey(command)

    def check(self, command: Command) -> None:
        """No command is about somebody who is gone, and none has a name in it."""
        if isinstance(command, MovePlayer | RemoveBot):
            assert command.slot in self.session.state.seats
        if isinstance(command, RemoveBot):
            assert self.session.state.seats[command.slot].bot
        if isinstance(command, MovePlayer):
            assert self.moves_bots or not self.session.state.seats[command.slot].bot
        if isinstance(command, Say):
            assert "bad;name" not in command.text

    def obey(self, command: Command) -> list[Event]:
        """Do what is asked, and return what happened."""
        if isinstance(command, MovePlayer) and command.slot in self.there:
            who, bot, _, level = self.there[command.slot]
            self.there[command.slot] = (who, bot, command.team, level)
            return [Changed(command.slot, command.team)]
        if isinstance(command, RemoveBot) and command.slot in self.there:
            del self.there[command.slot]
            return [Left(command.slot)]
        if isinstance(command, AddBot):
            slot = next(n for n in range(100, 999) if n not in self.there)
            self.there[slot] = ("bot:Filler", True, command.team, command.level)
            return [Joined(slot, "bot:Filler", "Filler", True, command.team, command.level)]
        return []

    def join(self, slot: int, who: str, team: int | None = None) -> None:
        """Let a player come."""
        self.there[slot] = (who, False, team, None)
        self.tell(Joined(slot, who, "bad;name", team=team))

    def rest(self) -> None:
        """Let time pass until nothing is asked for."""
        for _ in range(40):
            self.tell(TimePassed(), 2.0)

    def sizes(self) -> list[int]:
        """Return how many each team has, bots included, as the server sees it."""
        counts = [0] * self.session.state.match.teams
        for _, _, team, _ in self.there.values():
            if team is not None and team < len(counts):
                counts[team] += 1
        return counts

    def bots(self) -> int:
        """Return how many bots there are."""
        return sum(bot for _, bot, _, _ in self.there.values())


def game(people: int, policy: Policy | None = None, **match: Any) -> World:
    """Return a game of so many people that runs."""
    world = World(Session(policy or Policy(target=8)))
    world.tell(KNOWN)
    world.tell(Announced("dm1", **match))
    for n in range(people):
        world.join(n, IDS[n], 0)
    world.tell(Starting())
    world.tell(Started())
    return world


def teams_of(world: World) -> list[set[str]]:
    """Return who is where."""
    found: list[set[str]] = [set() for _ in range(world.session.state.match.teams)]
    for who, bot, team, _ in world.there.values():
        if not bot and team is not None:
            found[team].add(who)
    return found


@st.composite
def happenings(draw: st.DrawFn) -> list[tuple[str, int, int, int | None]]:
    """Return anything that may happen, in any order."""
    kinds = [
        "join", "join", "join", "leave", "switch", "announce", "starting", "started", "started", "ended",
        "say", "seen", "carry", "clock", "resume", "tick", "rename", "weigh", "ghost",
    ]  # fmt: skip
    each = st.tuples(
        st.sampled_from(kinds), st.integers(0, 9), st.integers(0, 11), st.sampled_from([None, 0, 1, 2, 7])
    )
    return draw(st.lists(each, max_size=40))


def let(world: World, kind: str, slot: int, who: int, team: int | None, teams: int) -> None:
    """Let one thing happen."""
    real = team if team is not None and team < teams else None
    if kind == "join":
        world.join(slot, IDS[who], real)
    elif kind == "leave":
        world.there.pop(slot, None)
        world.tell(Left(slot))
    elif kind == "switch" and slot in world.there:
        world.there[slot] = (*world.there[slot][:2], real, None)
        world.tell(Changed(slot, real))
    elif kind == "ghost":  # nobody is there
        world.tell(Changed(50 + slot, team))
        world.tell(Left(50 + slot))
    else:
        events: dict[str, Event] = {
            "announce": Announced(f"dm{who}", teams, 4, 10), "starting": Starting(), "started": Started(),
            "ended": Ended((1.0,) * teams), "say": Chatted(slot, QUESTIONS[who % 4]),
            "carry": Carrying(slot, bool(who % 2)), "clock": Clock(float(who * 30)), "resume": Resumed(),
            "rename": Renamed(slot, "[clan] x"), "weigh": Weighed(IDS[who], Rating(float(who))),
            "seen": Seen({n: team for n, (_, _, team, _) in world.there.items()}),
        }  # fmt: skip
        world.tell(events.get(kind, TimePassed()))


@pytest.mark.slow
@settings(max_examples=60)
@given(happenings(), st.integers(1, 3), st.booleans(), st.booleans(), st.booleans(), st.integers(0, 3))
def test_any_order_of_events_ends_with_teams_as_planned(
    events: list[tuple[str, int, int, int | None]],
    teams: int,
    levers: bool,
    alive: bool,
    moves_bots: bool,
    lost: int,
) -> None:
    """After anything, people are where they are to be, sizes are even, and no bot is too many."""
    policy = Policy(target=6, levers=levers, move_alive=alive, clans=True)
    number = iter(range(10**9))
    world = World(
        Session(policy, moves_bots=moves_bots), (lambda: next(number) % 4 < lost), moves_bots=moves_bots
    )
    world.tell(KNOWN)
    world.tell(Announced("dm", teams, 4, 10))
    for event in events:
        let(world, *event, teams)
    world.tell(Starting())
    world.tell(Started())
    world.rest()
    session = world.session
    assert session.settled
    for slot, (_, bot, team, _) in world.there.items():
        seat = session.state.seats[slot]
        assert bot or seat.watching or session.state.plan[seat.id] == team
    sizes = world.sizes()
    assert max(sizes) - min(sizes) <= 1
    people = [0] * teams
    for _, bot, team, _ in world.there.values():
        if not bot and team is not None:
            people[team] += 1
    range_of_map = -(-10 // teams) * teams
    assert sum(sizes) <= max(range_of_map, teams * max(people))


@pytest.mark.slow
@settings(max_examples=20)
@given(happenings())
def test_the_same_events_give_the_same_commands(events: list[tuple[str, int, int, int | None]]) -> None:
    """A session is its events."""
    world = World(Session(Policy(target=6, move_alive=True)))
    world.tell(KNOWN)
    world.tell(Announced("dm", 2, 4, 10))
    for event in events:
        let(world, *event, 2)
    again = Session(Policy(target=6, move_alive=True))
    reported = [command for event, now in world.heard for command in again.handle(event, now)]
    assert reported == world.commands


@pytest.mark.parametrize(
    ("people", "target", "minimum", "maximum", "bots"),
    [
        (0, 8, 0, None, 8),
        (1, 8, 6, 12, 7),
        (3, 20, 6, 12, 9),
        (3, 2, 6, 12, 3),
        (5, 7, 0, None, 3),
        (12, 4, 2, 8, 0),
    ],
)
def test_bots_fill_up_as_the_document_says(
    people: int, target: int, minimum: int, maximum: int | None, bots: int
) -> None:
    """The wish within the map's range, rounded up to the teams, and no team short of the largest."""
    world = game(people, Policy(target=target), minimum=minimum, maximum=maximum)
    assert world.bots() == bots


def test_where_everyone_plays_alone_bots_fill_up_to_the_range_of_the_map() -> None:
    """The document's rule for games without teams."""
    assert game(3, Policy(target=2), teams=1, minimum=6, maximum=12).bots() == 3
    assert game(9, Policy(target=2), teams=1, minimum=6, maximum=8).bots() == 0


def test_teams_at_the_start_are_the_fairest_there_are() -> None:
    """Eight people, no bots: as even as any of the 35 splits, but for what moves cost."""
    world = game(8)
    sums = [sum(RATINGS[who].mu for who in team) for team in teams_of(world)]
    assert abs(sums[0] - sums[1]) < 3.0
    assert [len(team) for team in teams_of(world)] == [4, 4]


def test_nobody_is_moved_while_teams_are_as_fair_as_before() -> None:
    """A second start of the same people costs no move."""
    world = game(8)
    world.tell(Ended((20.0, 19.0)))
    world.commands.clear()
    world.tell(Starting())
    assert not [each for each in world.commands if isinstance(each, MovePlayer)]


def test_a_late_joiner_goes_where_the_game_gets_more_even_and_a_bot_makes_room() -> None:
    """Somebody like a bot takes the place of one, and nothing else changes."""
    world = World(Session(Policy(target=8)))
    world.tell(RatingsKnown({}, Rating(55.0), SKILLS, RatingUnits(20.0, 0.0)))
    world.tell(Announced("dm1"))
    for n in range(7):
        world.join(n, IDS[n], 0)
    world.tell(Starting())
    world.tell(Started())
    assert world.bots() == 1
    smaller = min((0, 1), key=lambda team: len(teams_of(world)[team]))
    world.join(20, "new", None)
    assert "new" in teams_of(world)[smaller]
    assert world.bots() == 0


def test_somebody_who_leaves_is_replaced_by_a_bot_and_nobody_is_moved() -> None:
    """Nobody who plays is moved."""
    world = game(8)
    world.commands.clear()
    del world.there[3]
    world.tell(Left(3))
    assert world.bots() == 1
    assert not [each for each in world.commands if isinstance(each, MovePlayer)]


def test_an_uneven_game_asks_for_volunteers_once_and_moves_nobody_by_itself() -> None:
    """Moving the living is for the admin to allow."""
    world = game(8, Policy(bots=False))
    for slot, (who, *_rest) in list(world.there.items()):
        if who in sorted(teams_of(world)[0])[:3]:
            del world.there[slot]
            world.tell(Left(slot))
    world.rest()
    said = [each.text for each in world.commands if isinstance(each, Say)]
    assert sum("!switch" in text for text in said) == 1
    before = teams_of(world)
    volunteer = next(slot for slot, (_, _, team, _) in world.there.items() if team == 1)
    world.tell(Chatted(volunteer, "!switch"))
    assert [len(team) for team in teams_of(world)] == [len(before[0]) + 1, len(before[1]) - 1]


def test_where_the_admin_allows_it_somebody_is_moved_and_never_the_same_one_twice_in_a_row() -> None:
    """A carrier stays, whatever happens."""
    policy = Policy(bots=False, move_alive=True)
    world = game(8, policy)
    carrier = next(slot for slot, (_, _, team, _) in world.there.items() if team == 1)
    world.tell(Carrying(carrier, True))
    for slot, (_, _, team, _) in list(world.there.items()):
        if team == 0 and len(teams_of(world)[0]) > 1:
            del world.there[slot]
            world.tell(Left(slot))
    world.commands.clear()
    world.rest()
    moved = [each.slot for each in world.commands if isinstance(each, MovePlayer)]
    assert moved
    assert carrier not in moved
    assert all(one != other for one, other in pairwise(moved))


def test_who_comes_back_is_moved_at_once_whatever_was_asked_for_before() -> None:
    """An order for somebody who left is waited for no longer, however busy the console is."""
    world = game(8)
    world.loses = lambda: True
    for _ in range(2):
        world.commands.clear()
        world.join(20, "new", None)
        assert MovePlayer(20, world.session.state.plan["new"]) in world.commands
        del world.there[20]
        world.tell(Left(20))
        world.tell(Busy())


def test_in_the_last_minutes_nobody_is_moved() -> None:
    """The game ends as it is."""
    world = game(8, Policy(bots=False, move_alive=True))
    world.tell(Clock(60.0))
    for slot, (_, _, team, _) in list(world.there.items()):
        if team == 0 and len(teams_of(world)[0]) > 1:
            del world.there[slot]
            world.tell(Left(slot))
    world.commands.clear()
    for _ in range(20):
        world.tell(TimePassed(), 2.0)
    assert not [each for each in world.commands if isinstance(each, MovePlayer)]


def test_a_switch_of_ones_own_that_does_harm_is_taken_back() -> None:
    """Who stacks a team is back where they were."""
    world = game(8, Policy(bots=False))
    best = max(world.there, key=lambda slot: RATINGS[world.there[slot][0]].mu)
    team = world.there[best][2]
    assert team is not None
    world.there[best] = (*world.there[best][:2], 1 - team, None)
    world.tell(Changed(best, 1 - team))
    assert world.there[best][2] == team


def test_whoever_goes_to_watch_is_left_alone_until_they_come_back() -> None:
    """A spectator by choice is no late joiner."""
    world = game(8)
    world.there[2] = (*world.there[2][:2], None, None)
    world.tell(Changed(2, None))
    world.rest()
    assert world.there[2][2] is None
    world.there[2] = (*world.there[2][:2], 0, None)
    world.tell(Changed(2, 0))
    world.rest()
    assert world.there[2][2] is not None


def test_clans_stay_together_where_the_admin_says_so() -> None:
    """Clan tags are parties."""
    world = World(Session(Policy(clans=True)))
    world.tell(KNOWN)
    world.tell(Announced("dm1"))
    for n in range(6):
        world.there[n] = (IDS[n], False, None, None)
        world.tell(Joined(n, IDS[n], f"[ab]{n}" if n > 3 else f"x{n}"))
    world.tell(Starting())
    assert any({IDS[4], IDS[5]} <= team for team in teams_of(world))


def test_levers_even_out_what_teams_cannot() -> None:
    """One giant against two others: bots of other skill, or one more."""
    world = World(Session(Policy(target=4, levers=True, level=2.0)))
    world.tell(
        RatingsKnown({"a": Rating(150.0), "b": Rating(20.0)}, Rating(50.0), SKILLS, RatingUnits(20.0, 0.0))
    )
    world.tell(Announced("dm1", maximum=8))
    world.join(0, "a", 0)
    world.join(1, "b", 1)
    world.tell(Starting())
    world.tell(Started())
    giant = world.there[0][2]
    levels = {
        team: [level for _, bot, at, level in world.there.values() if bot and at == team] for team in (0, 1)
    }
    assert giant is not None
    assert sum(level or 0.0 for level in levels[1 - giant]) > sum(level or 0.0 for level in levels[giant])
    assert max(world.sizes()) - min(world.sizes()) <= 1


def test_the_weaker_team_is_owed_an_advantage_that_is_reported_when_it_changes() -> None:
    """``Red 1.08``: the factor of the strongest team is 1."""
    world = game(7, Policy(bots=False))
    factors = [each.factors for each in world.commands if isinstance(each, SetAdvantage)]
    assert factors
    assert min(factors[-1]) == 1.0
    assert len(factors) == len(set(factors)) or factors[0] != factors[1]
    assert [each for each in game(7).commands if isinstance(each, SetMinimum)]


def test_the_chat_answers_each_of_its_questions_and_not_in_a_flood() -> None:
    """Slots and numbers, never a name."""
    world = game(7)
    for question in ("!teams", "!why", "!rank"):
        world.commands.clear()
        world.tell(Chatted(1, question), 10.0)
        world.tell(Chatted(1, question), 0.1)
        answers = [each for each in world.commands if isinstance(each, Say)]
        assert len(answers) == 1
        assert answers[0].slot == 1
    world.commands.clear()
    world.tell(Chatted(1, "hello !teams"), 10.0)
    world.tell(Chatted(99, "!teams"), 10.0)
    assert not world.commands


def test_what_a_list_of_the_server_contradicts_is_believed_after_a_while() -> None:
    """Lost lines of a log are made good."""
    world = game(8)
    del world.there[5]
    world.now += 10.0
    world.tell(Seen({slot: team for slot, (_, _, team, _) in world.there.items()}))
    assert 5 not in world.session.state.seats
    world.there[5] = (IDS[5], False, 0, None)
    world.now += 10.0
    world.tell(Seen({slot: team for slot, (_, _, team, _) in world.there.items()}))
    assert world.session.state.seats[5].id == IDS[5]


def test_a_session_that_begins_in_the_middle_of_a_game_moves_nobody() -> None:
    """What was read from a record is accepted."""
    session = Session(Policy(bots=False))
    session.handle(KNOWN, 0.0)
    session.handle(Announced("dm1"), 0.0)
    session.handle(Started(), 0.0)
    for n in range(6):
        session.handle(Joined(n, IDS[n], team=0 if n < 4 else 1), 0.0)
    session.handle(Resumed(), 0.0)
    reported = session.handle(TimePassed(), 100.0)
    assert not [each for each in reported if isinstance(each, MovePlayer)]


def test_teams_that_could_not_be_applied_soon_after_the_start_are_left_as_they_are() -> None:
    """Nobody is moved in mid game for a start that is long gone."""
    world = World(Session(Policy(bots=False)), lambda: True)
    world.tell(KNOWN)
    world.tell(Announced("dm1"))
    for n in range(8):
        world.join(n, IDS[n], 0)
    world.tell(Starting())
    world.tell(Started())
    world.now += 60.0
    world.tell(TimePassed())
    world.commands.clear()
    world.rest()
    assert not [each for each in world.commands if isinstance(each, MovePlayer)]


def test_the_ledger_spares_those_who_were_on_the_weaker_side() -> None:
    """Of splits that are as good, the one with new underdogs is taken."""
    ratings = {name: Rating(mu) for name, mu in zip("abcd", (30.0, 20.0, 20.01, 20.02), strict=True)}
    world = World(Session(Policy(bots=False, stay=0.0)))
    world.tell(RatingsKnown(ratings, Rating(20.0), SKILLS, RatingUnits(20.0, 0.0)))
    world.tell(Announced("dm1"))
    for n, name in enumerate("abcd"):
        world.join(n, name, None)
    mates = set()
    for _ in range(6):
        world.tell(Starting())
        world.tell(Started())
        with_a = next(team for team in teams_of(world) if "a" in team)
        mates |= with_a - {"a"}
        world.tell(Ended((1.0, 0.0)))
    assert mates == {"b", "c", "d"}


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows by how many players there are with each search for teams."""
    searches: list[int] = []

    def divided(state: State, *rest: Any) -> dict[str, int]:
        searches.append(len(list(state.people())))
        return decisions.divided(state, *rest)

    monkeypatch.setattr(session, "divided", divided)
    return searches


def test_those_who_come_while_teams_are_chosen_share_one_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty at once cost one search, soon after the first of them, and nobody is left out."""
    world = World(Session(Policy(bots=False)))
    world.tell(Announced("dm1"))
    for n in range(4):
        world.join(n, f"p{n}")
    world.tell(Starting())
    searches = counted(monkeypatch)
    for n in range(4, 44):
        world.there[n] = (f"p{n}", False, None, None)
        world.tell(Joined(n, f"p{n}"), 0.001)
    assert not searches
    assert not world.session.settled
    world.tell(TimePassed(), 0.5)
    assert searches == [44]
    assert [len(team) for team in teams_of(world)] == [22, 22]
    world.join(44, "p44")
    world.tell(Started())
    world.rest()
    assert searches == [44, 45]
    assert world.session.settled


@pytest.mark.parametrize(
    ("match", "again"), [({}, 0), ({"teams": 1}, 1), ({"ruleset": Ruleset("oa", "instagib")}, 1)]
)
def test_teams_are_chosen_again_where_the_next_game_is_another_one(
    match: dict[str, Any], again: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chosen in the intermission for what was played; what comes has other teams, or ratings of its own."""
    world = game(6)
    world.tell(Ended((3.0, 1.0)))
    world.tell(Starting())
    searches = counted(monkeypatch)
    world.tell(Announced("dm2", **match))
    world.tell(Started())
    world.rest()
    assert len(searches) == again
    assert sum(world.sizes()) == 8
    assert world.session.settled


@pytest.mark.parametrize("teams", [1, 2])
@pytest.mark.parametrize("event", [Starting(), Started()])
def test_teams_of_a_game_before_mean_nothing_where_the_next_has_fewer(event: Event, teams: int) -> None:
    """Who was in the third team of three is in none of the next game's until the server says otherwise."""
    world = game(6, teams=3)
    world.loses = lambda: True
    world.tell(Announced("dm2", teams))
    world.tell(event)
    world.tell(Resumed())
    assert all(team < teams for team in world.session.state.plan.values())
    world.loses = lambda: False
    world.tell(Started())
    world.rest()
    assert world.session.settled


def test_who_was_moved_last_is_not_the_next_to_be_moved() -> None:
    """Whoever would be moved is passed over once, and moved after that; volunteers are asked all the same."""
    policy = Policy(bots=False, move_alive=True)
    world = game(8, policy)
    for slot, (_, _, team, _) in list(world.there.items()):
        if team == 0 and len(teams_of(world)[0]) > 1:
            del world.there[slot]
            world.tell(Left(slot))
    state = world.session.state
    state = replace(state, plan={seat.id: seat.team for seat in state.people() if seat.team is not None})
    # The game as it was before anybody was moved.
    here = sorted(state.plan)
    state = replace(state, plan={each: int(each != here[0]) for each in here})
    for seat in state.seats.values():
        seat.team = state.plan[seat.id]

    def moved(last: str) -> set[str]:
        switching = session.Switching(last)
        assert switching.plan(state, 0.0) is None
        assert switching.asks
        plan = switching.plan(state, policy.volunteer_seconds + 1.0)
        assert plan is not None
        assert switching.last_moved in {each for each in here if plan[each] != state.plan[each]}
        return {each for each in here if plan[each] != state.plan[each]}

    first = moved("")
    assert len(first) == 1
    second = moved(*first)
    assert second
    assert first.isdisjoint(second)
    assert moved(*sorted(second)[:1]) == first


def test_a_bot_of_another_level_than_planned_is_replaced_by_one_of_its_level() -> None:
    """A level that is planned stays or is waited for, any other makes room; no level at all fits any bot."""
    world = game(8)
    state = world.session.state
    kept = [seat for seat in state.seats.values() if not seat.bot]
    for wanted, there in itertools.product([(), (1.0,), (5.0,), (1.0, 5.0), (None,), (None, 5.0)], repeat=2):
        bots = {
            100 + n: Seat(100 + n, f"bot:{n}", "Bot", True, 0, level, float(n))
            for n, level in enumerate(there)
        }
        seats = {**{seat.slot: seat for seat in kept}, **bots}
        now = replace(state, seats=seats, bots=(wanted, ()))
        pending = session.Pending()
        commands = [each for each in pending.commands(now, 0.0) if not isinstance(each, MovePlayer)]
        gone = {each.slot for each in commands if isinstance(each, RemoveBot)}
        assert gone <= bots.keys()
        stay = [bots[slot].level for slot in bots if slot not in gone]
        # Whatever stays is planned: by its level, or by a place that any bot may take.
        exact = Counter(wanted) & Counter(stay)
        assert (Counter(stay) - exact).total() <= Counter(wanted)[None] - exact[None]
        # As many stay as could.
        fit = Counter(each for each in wanted if each is not None) & Counter(there)
        most = fit.total() + min(Counter(wanted)[None], len(there) - fit.total())
        assert len(stay) == most
        added = [each for each in commands if isinstance(each, AddBot)]
        assert len(added) == max(len(wanted) - most - len(gone), 0)
        for each in added:
            assert each.team == 0
            assert each.level in wanted
            # It is not asked for twice; the one that comes is the one that was asked for, at its level alone.
            pending.came(Seat(200, "bot:other", "Bot", True, 0, 9.0, 1.0))
            assert (each in [one for one, _ in pending._coming]) == (each.level is not None)


def test_after_a_change_of_level_nothing_is_ordered_before_the_list_was_read() -> None:
    """Bots of the level before come back by themselves; who is not known yet has a place."""
    session = Session(Policy(target=6), lists=True)

    def orders(event: Event, now: float) -> list[Command]:
        return [
            each for each in session.handle(event, now) if isinstance(each, AddBot | RemoveBot | MovePlayer)
        ]

    orders(KNOWN, 0.0)
    orders(Announced("dm1"), 0.0)
    for n in range(2):
        orders(Joined(n, IDS[n], team=0), 0.1)
    assert orders(Starting(), 0.2) == orders(Seen({0: 0, 1: 0}), 0.5) == []
    given = orders(Seen({0: 0, 1: 0, 7: None}), 1.5)
    bots = [each.team for each in given if isinstance(each, AddBot)]
    assert len(bots) == 3, "one place is for who is there and not known yet"
    session.handle(Started(), 2.0)
    orders(Announced("dm2"), 3.0)
    assert orders(Starting(), 3.1) == orders(TimePassed(), 60.0) == []


@pytest.mark.parametrize("first", [0, 1])
def test_bots_come_in_turn_and_the_other_team_begins_the_next_game(first: int) -> None:
    """Neither team has what the first one has."""
    pending = session.Pending()
    pending.first = first
    state = State(Policy(target=8), bots=((None,) * 4, (None,) * 4))
    teams = [each.team for each in pending.commands(state, 0.0) if isinstance(each, AddBot)]
    assert teams == [first, 1 - first, 1 - first, first, 1 - first, first, first, 1 - first]
    game = Session(Policy(target=4))
    turns = []
    for n in range(4):
        game.handle(Announced("dm1"), float(n))
        turns.append(game._pending.first)
    assert turns == [1, 0, 1, 0]


def test_while_the_console_is_not_heard_nothing_is_ordered() -> None:
    """What was to be done is done once the list is read again."""
    session = Session(Policy(target=4), lists=True)
    for event in (KNOWN, Announced("dm1"), Joined(0, IDS[0], team=0), Starting()):
        session.handle(event, 0.0)
    session.handle(Seen({0: 0}), 2.0)
    session.handle(Unheard(), 2.1)
    assert not session.listed
    assert [each for each in session.handle(TimePassed(), 30.0) if isinstance(each, AddBot)] == []
    assert [each for each in session.handle(Seen({0: 0}), 31.0) if isinstance(each, AddBot)] != []


def gentle(people: dict[int, int]) -> Session:
    """Return a session of a server that moves kill on and that has no bots, with a game that runs."""
    session = Session(Policy(bots=False), moves_kill=True)
    session.handle(Announced("ctf1"), 0.0)
    for slot, team in people.items():
        session.handle(Joined(slot, f"p{slot}", team=team), 0.0)
    session.handle(Started(), 10.0)
    return session


def test_between_lives_people_are_moved_and_not_while_alive() -> None:
    """Who is to change over does so when they die, once; who has just come, at once; both in time."""
    session = gentle({0: 0, 1: 0, 2: 0, 3: 1})
    astray = [seat.slot for seat in session.state.astray()]
    assert len(astray) == 1
    for now in (11.0, 20.0, 40.0):
        assert session.handle(TimePassed(), now) == []
    (stays,) = {0, 1, 2} - set(astray) - {max({0, 1, 2} - set(astray))}
    assert session.handle(Died(stays, 0.5), 41.0) == []
    assert session.handle(Died(astray[0], 0.5), 42.0) == [MovePlayer(astray[0], 1)]
    assert session.handle(TimePassed(), 60.0) == [], "alive again"
    assert session.handle(Died(astray[0]), 61.0) == [MovePlayer(astray[0], 1)]
    assert session.can_be_moved_at(astray[0], 1e9)
    session.handle(Spawned(astray[0]), 62.0)
    assert not session.can_be_moved_at(astray[0], 62.0)
    session.handle(Changed(astray[0], 1), 63.0)
    assert session.settled


def test_who_came_while_nobody_balanced_is_not_moved_alive() -> None:
    """A program that is begun again reads who came before as if it were now."""
    session = Session(Policy(bots=False), moves_kill=True)
    for event in (Announced("ctf1"), *(Joined(n, f"p{n}", team=0) for n in range(3)), Started()):
        session.handle(event, 5.0)
    for event in (Resumed(), TimePassed()):
        assert not [each for each in session.handle(event, 5.1) if isinstance(each, MovePlayer)]
    assert session.handle(Died(2, 0.5), 6.0) == [MovePlayer(2, 1)]


def test_who_has_just_come_is_placed_though_alive() -> None:
    """Two seconds long."""
    session = gentle({0: 0, 1: 0, 2: 1, 3: 1})
    session.handle(Joined(4, "p4", team=0), 20.0)
    assert session.settled or session.state.plan["p4"] == 1
    session.handle(Joined(5, "p5", team=session.state.plan["p4"]), 21.0)
    other = 1 - session.state.plan["p4"]
    assert session.state.plan["p5"] == other
    assert MovePlayer(5, other) not in session.handle(TimePassed(), 23.5)


def test_without_bots_a_team_with_two_more_gives_up_who_dies() -> None:
    """Nobody alive is moved for it, and one who makes the numbers even is enough."""
    session = gentle({0: 0, 1: 0, 2: 1, 3: 1})
    session.handle(Left(2), 20.0)
    assert session.handle(TimePassed(), 30.0) == []
    session.handle(Left(3), 31.0)
    assert not any(isinstance(each, MovePlayer) for each in session.handle(TimePassed(), 32.0))
    assert session.handle(Died(1, 0.5), 40.0) == [MovePlayer(1, 1)]
    session.handle(Changed(1, 1), 40.1)
    assert session.handle(Died(0, 0.5), 41.0) == []


def test_a_server_that_moves_nobody_reads_a_suggestion_once() -> None:
    """Until the teams that are wanted are others; who follows it is content."""
    session = Session(Policy(bots=False, grace_seconds=0.0), moves=False)
    session.handle(Announced("de_dust2", sides=("Terrorists", "Counter-Terrorists")), 0.0)
    for slot in range(4):
        session.handle(Joined(slot, f"p{slot}", f"Ann{slot}", team=int(slot == 3)), 0.0)
    said = [each for each in session.handle(Started(), 1.0) if isinstance(each, Say)]
    (suggested,) = [each.text for each in said if each.text.startswith("For even teams: ")]
    assert suggested.endswith(" to Counter-Terrorists.")
    assert not any(isinstance(each, Say | MovePlayer) for each in session.handle(TimePassed(), 2.0))
    session.handle(Changed(int(suggested[len("For even teams: Ann")]), 1), 3.0)
    assert session.settled
