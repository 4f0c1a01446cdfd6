"""A lobby where teams are called for: in any order of steps the rules hold, and each step is taken back."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.core.player import Player
from equipoise.errors import InputError
from equipoise.identity.names import folded
from equipoise.pages.text.night import arranged_lines
from equipoise.play import evening_events as ev
from equipoise.play.evening import Evening, ranks_of
from equipoise.play.evening_events import Command, Divide, Event, Judge, Keep, Notice, Setup, TakeBack
from equipoise.play.evening_records import record_of, renamed_record, taken
from equipoise.play.evening_state import Phase, team_called
from equipoise.play.ledger import LedgerGame
from equipoise.play.proposals import Arranged, arrange

PEOPLE = ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal")
SKILL = {name: 10.0 + 3.0 * n for n, name in enumerate(PEOPLE)}
NIGHT, MAPS = "night", ("dock", "keep", "mill")


def rated(ids: Sequence[str]) -> tuple[list[Player], dict[str, float]]:
    """Return players with ratings."""
    return [Player(each, SKILL.get(each, 15.0)) for each in ids], {"beta": 5.0}


def divided(command: Divide) -> ev.Divided:
    """Answer with the first teams that keep the rules and were not seen, or else with seen ones."""
    setup, known = command.setup, None
    seats = len(setup.here) if setup.size is None else min(setup.size * setup.teams, len(setup.here))
    for out in itertools.combinations(setup.here, len(setup.here) - seats):
        playing = [player for player in setup.here if player not in out]
        for first in itertools.combinations(playing, seats // 2):
            teams = (first, tuple(player for player in playing if player not in first))
            team_of = {player: n for n, team in enumerate(teams) for player in team}
            if any(team_of.get(a, 0) == team_of.get(b, 1) for a, b in setup.apart):
                continue
            if any(len({team_of[p] for p in duo if p in team_of}) > 1 for duo in setup.duos):
                continue
            if any(team_of.get(player, n) != n for player, n in setup.fixed):
                continue
            known = known or ev.Divided(command.game, teams, (0.5, 0.5), out=out)
            if frozenset(map(frozenset, teams)) not in command.seen:
                return ev.Divided(command.game, teams, (0.5, 0.5), out=out)
    return known or ev.Divided(command.game, ())


class Story:
    """An evening in which somebody divides."""

    def __init__(self) -> None:
        self.evening, self.now = Evening([ev.night_lobby(NIGHT)]), 1000.0
        self.log: list[tuple[Event, float, tuple[Command, ...]]] = []
        self.kept: dict[str, Keep] = {}

    def do(self, *events: Event) -> list[Command]:
        """Let something happen, with all answers to questions."""
        found: list[Command] = []
        queue = list(events)
        while queue:
            event = queue.pop(0)
            self.now += 1.0
            commands = self.evening.handle(event, self.now)
            self.log.append((event, self.now, commands))
            found += commands
            for command in commands:
                if isinstance(command, Divide):
                    queue.insert(0, divided(command))
                elif isinstance(command, Judge):
                    queue.insert(0, ev.Judged(command.game, (0.6, 0.4)))
                elif isinstance(command, Keep):
                    self.kept[command.game] = command
                elif isinstance(command, TakeBack):
                    del self.kept[command.game]
        return found

    def kinds(self, *events: Event) -> list[str]:
        """Return the kinds of notices that follow."""
        return [each.kind for each in self.do(*events) if isinstance(each, Notice)]

    @property
    def game(self) -> Any:
        """The current teams."""
        return self.evening.current(NIGHT)

    def shown(self) -> Any:
        """Return all that a step may change."""
        room, game = self.evening.rooms[NIGHT], self.game
        over = {each: game.in_ledger for each, game in self.evening.over.items() if game.counted}
        return room, game and replace(game.copied(), deadline=0.0), over, sorted(self.kept.items())


def gathered(*here: str, **more: Any) -> Story:
    """Return an evening for which these have gathered."""
    story = Story()
    story.do(ev.Gather(NIGHT, Setup(here or PEOPLE[:6], **more)))
    return story


who = st.sampled_from(PEOPLE)
pairs = st.tuples(who, who)
steps = st.one_of(
    st.just(ev.Call(NIGHT)), st.just(ev.Call(NIGHT, same=True)),
    st.builds(lambda p, state: ev.Attend(NIGHT, (p,), state), who,
              st.sampled_from([ev.IN, ev.IN, ev.OUT, ev.MAYBE, ev.LATER])),
    st.builds(lambda pair: ev.Substitute(NIGHT, *pair), pairs),
    st.builds(lambda pair: ev.SwapPlayers(NIGHT, *pair), pairs),
    st.builds(lambda p, on: ev.Lock(NIGHT, (p,), on), who, st.booleans()),
    st.builds(lambda pair: ev.Captains(NIGHT, pair), pairs),
    st.builds(lambda p: ev.Pick("", p, NIGHT), who), st.builds(lambda p: ev.Pick("", p, NIGHT), who),
    st.builds(lambda p, choice: ev.Vote(p, choice, NIGHT), who,
              st.sampled_from(["yes", "no", "captains", "dock", "mill", "nowhere"])),
    st.builds(lambda by: ev.Maps(NIGHT, MAPS, by), st.sampled_from(["turn", "veto", "vote"])),
    st.builds(lambda name: ev.Veto("", name, NIGHT), st.sampled_from(MAPS)),
    st.builds(lambda p, roles: ev.SetRoles(NIGHT, ((p, roles),)), who, st.sampled_from([(), ("tank",)])),
    st.builds(lambda ranks: ev.Report("", ranks, (), NIGHT),
              st.sampled_from([(1.0, 2.0), (2.0, 1.0), (1.0, 1.0)])),
    st.builds(lambda ranks: ev.Report("", ranks, (), NIGHT),
              st.sampled_from([(1.0, 2.0), (2.0, 1.0), (1.0, 1.0)])),
    st.builds(lambda a, b: ev.SetTeams(NIGHT, (a, b)), st.lists(who, min_size=1, max_size=3, unique=True),
              st.lists(who, min_size=1, max_size=3, unique=True)).map(
                  lambda each: replace(each, teams=tuple(map(tuple, each.teams)))),
    st.builds(lambda p: ev.SitOut(NIGHT, p), who), st.just(ev.Begin(NIGHT)), st.just(ev.Redo(NIGHT)),
    st.just(ev.Undo("", lobby=NIGHT)),
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=40)
@given(st.lists(steps, min_size=5, max_size=30), st.sampled_from([None, 2, 3]))
def test_in_any_order_the_rules_hold_and_undo_is_exact(given_steps: list[Event], size: int | None) -> None:
    """Everyone is in one place, sizes are right, duos stay; after undo all is as before."""
    story = gathered(*PEOPLE[:6], duos=(("Ann", "Bob"),), apart=(("Cid", "Dan"),), size=size)
    before = [Story().shown()]
    for event in given_steps:
        known = story.shown()
        commands = story.do(event)
        if any(isinstance(each, Notice) and each.kind in ("refused", "known") for each in commands):
            assert story.shown() == known
        elif isinstance(event, ev.Undo):
            assert story.shown()[0] == before[-1][0]
            assert story.shown() == before.pop()
        else:
            before.append(known)
        _holds(story)
    assert len(story.evening.steps(NIGHT)) == len(before)
    again = Evening([ev.night_lobby(NIGHT)])
    records = json.loads(json.dumps([record_of(event, now) for event, now, _ in story.log]))
    for each, (_, _, commands) in zip(taken(records), story.log, strict=True):
        assert again.handle(each.event, each.at) == commands
    assert again.rooms == story.evening.rooms


def _holds(story: Story) -> None:
    """Check that the current teams keep all the rules."""
    game, setup = story.game, story.evening.rooms[NIGHT].setup
    assert set(story.kept) == {each for each, game in story.evening.over.items() if game.counted}
    if game is None or not game.is_whole or game.phase is Phase.OVER:
        return
    placed = [player for team in game.teams for player in team]
    assert game.begun or sorted((*placed, *game.out)) == sorted(setup.here)
    assert len({*placed, *game.out}) == len([*placed, *game.out])
    assert setup.size is None or max(map(len, game.teams)) <= setup.size
    team_of = {player: n for n, team in enumerate(game.teams) for player in team}
    for one, other, together in (("Ann", "Bob", True), ("Cid", "Dan", False)):
        if one in team_of and other in team_of:
            assert (team_of[one] == team_of[other]) == together


def test_captains_draft_and_a_pick_is_taken_back() -> None:
    """At a terminal whoever runs the evening picks for the captain whose turn it is."""
    story = gathered()
    assert story.kinds(ev.Captains(NIGHT, ("Ann", "Fay"))) == ["pick"]
    assert story.game.phase is Phase.DRAFTING
    assert story.kinds(ev.Report("", (1, 2), lobby=NIGHT)) == ["refused"]
    story.do(ev.Pick("", "Cid", NIGHT))
    assert story.kinds(ev.Pick("Ann", "Bob", NIGHT)) == ["refused"]
    assert story.kinds(ev.Undo("", lobby=NIGHT)) == ["undone", "pick"]
    story.do(*(ev.Pick("", each, NIGHT) for each in ("Bob", "Cid", "Dan")))
    assert story.game.teams == (("Ann", "Bob", "Eve"), ("Fay", "Cid", "Dan"))
    assert story.game.chances == (0.6, 0.4)
    story.do(ev.Report("", (1, 2), lobby=NIGHT))
    (kept,) = story.kept.values()
    assert kept.picks == (("Ann", "Bob"), ("Fay", "Cid"), ("Fay", "Dan"), ("Ann", "Eve"))


def test_maps_are_struck_in_turn_or_voted_on() -> None:
    """Whoever runs the evening strikes for the side whose turn it is; once all have voted, most count."""
    story = gathered(*PEOPLE[:4])
    assert story.kinds(ev.Maps(NIGHT, MAPS, "veto")) == ["veto"]
    story.do(ev.Veto("", "dock", NIGHT))
    assert story.kinds(ev.Undo("", lobby=NIGHT)) == ["undone", "veto"]
    assert story.kinds(ev.Veto("", "keep", NIGHT), ev.Veto("", "dock", NIGHT)) == ["veto", "play"]
    assert story.game.map == "mill"
    assert story.kinds(ev.Maps(NIGHT, MAPS, "vote")) == ["ballot"]
    votes = zip(PEOPLE[:4], ("keep", "dock", "keep", "mill"), strict=True)
    assert story.kinds(*(ev.Vote(p, name, NIGHT) for p, name in votes)) == ["voted"] * 3 + ["play"]
    assert story.game.map == "keep"


def test_a_refused_vote_makes_other_teams_and_a_lock_holds() -> None:
    """More than half of those who play; who is locked stays in the same team, until unlocked."""
    story = gathered(*PEOPLE[:4])
    story.do(ev.Lock(NIGHT, ("Dan",)))
    side, first = story.game.team_of("Dan"), story.game.parted
    assert story.kinds(*(ev.Vote(p, "no", NIGHT) for p in PEOPLE[:3])) == ["voted", "voted", "play"]
    assert story.game.parted != first
    assert story.game.team_of("Dan") == side
    story.do(ev.Lock(NIGHT, (), on=False))
    assert story.evening.rules(NIGHT).fixed == ()


def test_who_is_locked_stays_locked_in_a_swap_and_nobody_else_is() -> None:
    """By hand the organiser puts them into the other team, where they stay."""
    story = gathered(*PEOPLE[:4])
    one, other = story.game.teams[0][0], story.game.teams[1][0]
    story.do(ev.Lock(NIGHT, (one,)))
    story.do(ev.SwapPlayers(NIGHT, one, other))
    assert story.evening.rules(NIGHT).fixed == ((one, 1),)


def test_two_change_places_by_hand_and_chances_are_judged_again() -> None:
    """Also one who plays and one who sits out; a rule that does not allow it refuses it."""
    story = gathered(*PEOPLE[:5], size=2, apart=(("Ann", "Cid"),))
    (out,) = story.game.out
    one = story.game.teams[0][0]
    story.do(ev.SwapPlayers(NIGHT, one, out))
    assert story.game.out == (one,)
    assert story.game.chances == (0.6, 0.4)
    assert story.kinds(ev.SwapPlayers(NIGHT, story.game.teams[0][0], story.game.teams[0][1])) == ["refused"]


def test_a_result_counts_once_and_another_one_is_refused() -> None:
    """The same report again is known; a team is named by colour, number or player."""
    story = gathered(*PEOPLE[:4])
    story.do(ev.Report("", (1.0, 2.0), (3.0, 1.0), NIGHT, at=7.0))
    (kept,) = story.kept.values()
    assert (kept.scores, kept.at) == ((3.0, 1.0), 7.0)
    assert story.kinds(ev.Report("", (1.0, 2.0), (3.0, 1.0), NIGHT)) == ["known"]
    assert story.kinds(ev.Report("", (2.0, 1.0), (), NIGHT)) == ["refused"]
    story.do(ev.Correct("", story.game.id, (2.0, 1.0), admin=True))
    assert story.kept[story.game.id].ranks == (2.0, 1.0)
    story.do(ev.Undo("", lobby=NIGHT))
    assert story.kept[story.game.id].ranks == (1.0, 2.0)
    setup, teams = story.evening.rooms[NIGHT].setup, story.game.teams
    for name in ("RED", "1", teams[0][0].upper()):
        assert team_called(setup, teams, name, lambda typed: typed.title()) == 0
    with pytest.raises(InputError, match="team must be one of red, blue"):
        team_called(setup, teams, "purple", lambda _: None)
    assert ranks_of([2, 2]) == (1.0, 1.0)


def test_the_same_teams_are_not_proposed_twice_while_there_are_others() -> None:
    """Four players have three splits; where meeting again is not worth that much, the first comes again."""
    setup, games = Setup(PEOPLE[:4]), list[LedgerGame]()
    seen: set[frozenset[frozenset[str]]] = set()
    for n in range(3):
        arranged = arrange(games, setup, rated, f"m{n}", seen=seen, vary=0.5)
        seen.add(arranged.proposal.parted)
        assert not arranged.repeated
    assert len(seen) == 3
    last = arrange(games, setup, rated, "m3", seen=seen, vary=0.5)
    assert last.repeated
    assert "they come again" in " ".join(arranged_lines(setup, last, {}))


def test_who_sits_out_is_chosen_with_the_rules_in_view() -> None:
    """Of three who never play together two play at most, whoever has sat out before."""
    apart = (("Ann", "Bob"), ("Ann", "Cid"), ("Bob", "Cid"))
    for here in (PEOPLE[:5], tuple(reversed(PEOPLE[:5]))):
        arranged = arrange([], Setup(here, (), apart, 2, 2), rated, "m0")
        assert set(arranged.proposal.out) & {"Ann", "Bob", "Cid"}
    with pytest.raises(InputError, match="players: "):
        arrange([], Setup(PEOPLE[:3], (), apart, 2, None), rated, "m0")


def test_a_preference_that_was_not_met_counts_more_until_it_is() -> None:
    """Two of the strongest would rather play together: not at once, but in the end."""
    setup = Setup(PEOPLE[:6], prefer=(("Eve", "Fay"),))
    games: list[LedgerGame] = []
    for n in range(30):
        proposal = arrange(games, setup, rated, f"m{n}", vary=0.0).proposal
        if not proposal.unmet:
            break
        games.append(LedgerGame(proposal.teams, proposal.chances, (1, 2), unmet=proposal.unmet))
    assert 0 < len(games) < 30


def test_a_substitute_takes_the_place_and_nobody_else_moves() -> None:
    """Also where other teams would be fairer; locked people and roles hold in the search too."""
    first: Arranged = arrange([], Setup(PEOPLE[:6]), rated, "m0")
    now = {{"Fay": "Gus"}.get(p, p): n for n, team in enumerate(first.proposal.teams) for p in team}
    arranged = arrange([], Setup((*PEOPLE[:5], "Gus")), rated, "m1", now=now, still=True)
    assert arranged.proposal.moved == ()
    assert {p: n for n, team in enumerate(arranged.proposal.teams) for p in team} == now
    locked = Setup(PEOPLE[:6], fixed=(("Ann", 1), ("Bob", 1), ("Cid", 1)))
    assert set(arrange([], locked, rated, "m2").proposal.teams[1]) == {"Ann", "Bob", "Cid"}
    plays = tuple((player, ("tank",) if player in ("Eve", "Fay") else ("support",)) for player in PEOPLE[:6])
    roles = Setup(PEOPLE[:6], roles=(("tank", 1), ("support", 2)), plays=plays)
    teams = arrange([], roles, rated, "m3").proposal.teams
    assert all(len({"Eve", "Fay"} & set(team)) == 1 for team in teams)


def test_weights_are_taken_back_with_the_teams_they_came_with() -> None:
    """Who ever had one is remembered, so that a rating can be made as it was."""
    story = Story()
    story.do(ev.Gather(NIGHT, Setup(PEOPLE[:4]), {"Ann": "Ann"}, {"Ann": 5.0}))
    assert story.evening.rooms[NIGHT].weights == {"Ann": 5.0}
    story.do(ev.Undo("", lobby=NIGHT))
    assert story.evening.rooms[NIGHT].weights == {}
    assert story.evening.ever_weighed == frozenset(["Ann"])
    story.do(ev.Gather(NIGHT, Setup(PEOPLE[:4]), weights={"Ann": 5.0}), ev.Call(NIGHT), ev.Reweighed())
    story.do(ev.Undo("", lobby=NIGHT))
    assert story.evening.rooms[NIGHT].weights == {}


SETUP = {"here": ["Ann", "Bob"], "duos": [], "apart": [], "teams": 2, "size": None, "names": [], "prefer": [],
         "avoid": []}  # fmt: skip
TEAMS = {"id": "m0", "teams": [["Ann"], ["Bob"]], "chances": [0.5, 0.5], "out": [], "moved": [], "unmet": []}
OLD: list[dict[str, Any]] = [
    {"kind": "weights", "step": "1", "weights": {"Ann": 5.0}, "spelled": {"Ann": "Ann"}},
    {"kind": "teams", "step": "1", "fresh": True, "setup": SETUP, "spelled": {"Ann": "ann", "Bob": "Bob"},
     "proposal": TEAMS, "plan": [{**TEAMS, "id": "m1"}]},
    {"kind": "result", "match": "m0", "ranks": [1.0, 2.0], "scores": [3.0, 1.0], "at": 50.0},
    {"kind": "live", "game": {}},
    {"kind": "teams", "step": "2", "fresh": False, "setup": SETUP, "spelled": {}, "plan": [],
     "proposal": {**TEAMS, "id": "m1"}},
]  # fmt: skip


def _read(records: Sequence[dict[str, Any]]) -> Evening:
    evening = Evening([ev.night_lobby(NIGHT)])
    for event, at, _ in taken(records):
        commands = evening.handle(event, at)
        assert not any(isinstance(each, Notice) and each.kind == "refused" for each in commands), commands
    return evening


def test_records_of_earlier_nights_are_read() -> None:
    """Teams, results, plans, starting weights and what was taken back, with the ids they had."""
    evening = _read(OLD)
    room, game = evening.rooms[NIGHT], evening.current(NIGHT)
    assert game is not None
    assert (game.id, game.teams, room.spelled) == ("m1", (("Ann",), ("Bob",)), {"Ann": "ann", "Bob": "Bob"})
    assert room.weights == {"Ann": 5.0}
    assert [(each.id, each.ranks, each.scores, each.ended) for each in evening.ended(NIGHT)] == [
        ("m0", (1.0, 2.0), (3.0, 1.0), 50.0)
    ]
    back = _read([*OLD, {"kind": "undo"}, {"kind": "undo"}])
    assert back.ended(NIGHT) == []
    assert [each.id for each in back.rooms[NIGHT].plan] == ["m1"]
    assert _read([*OLD, *[{"kind": "undo"}] * 3]).rooms[NIGHT].weights == {}
    assert _read([*OLD, {"kind": "guesses"}]).rooms[NIGHT].weights == {}
    assert _read(OLD[:1]).rooms[NIGHT].weights == {"Ann": 5.0}


def test_what_is_no_record_is_refused() -> None:
    """Other kinds, missing fields."""
    for wrong in ({}, {"kind": "party"}, {"kind": "result", "match": "m", "ranks": []}, {"kind": "teams"}):
        with pytest.raises(InputError, match="night: an event cannot be read"):
            list(taken([wrong]))


def test_a_forgotten_player_is_in_no_record() -> None:
    """Neither the id nor the spelling, and a name that is a word of the records changes nothing else."""
    for name in ("Ann", "teams", "kind", "night", "evening"):
        story = Story()
        setup = Setup((name, "Bob", "Cid", "Dan"), plays=((name, ("tank",)),), fixed=((name, 0),))
        story.do(ev.Gather(NIGHT, setup, {name: f"{name}!"}, {name: 3.0}), ev.Vote(name, "no", NIGHT))
        story.do(ev.Report(name, (1, 2), (), NIGHT), ev.SetRoles(NIGHT, ((name, ("tank",)),)))
        records = [
            renamed_record(record_of(event, at, "x"), {name: "anonymous:1"}) for event, at, _ in story.log
        ]
        if name == "Ann":
            assert name not in json.dumps(records)
        after = _read(records)
        assert after.rooms[NIGHT].setup.here[0] == "anonymous:1"
        assert after.rooms[NIGHT].spelled == {"anonymous:1": "anonymous:1"}
        assert len(after.ended(NIGHT)) == 1
        assert name not in str(after.ended(NIGHT)[0].teams)
    old = [renamed_record(each, {"Ann": "anonymous:1"}) for each in OLD]
    assert "Ann" not in json.dumps(old)
    assert "anonymous:1" in _read(old).rooms[NIGHT].setup.here


@pytest.mark.slow
@given(st.text(max_size=20))
def test_names_are_compared_once_and_for_all(name: str) -> None:
    """Comparing what is compared already changes nothing about case and spaces."""
    assert folded(f"  {name} ") == folded(name)
