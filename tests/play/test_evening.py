"""Lobbies as a state machine: whatever happens in whatever order, nobody is in two games and rules hold."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from equipoise.errors import InputError
from equipoise.play import evening_events as ev
from equipoise.play.evening import Evening
from equipoise.play.evening_events import (
    Command,
    Divide,
    EveningLobby,
    Event,
    Keep,
    Notice,
    TakeBack,
    as_plain,
    from_plain,
)
from equipoise.play.evening_state import Phase

PEOPLE = [f"p{n}" for n in range(12)]
APART = (("p0", "p1"), ("p2", "p3"))
TWO, SHOT = EveningLobby("two", 2, 2), EveningLobby("shot", 2, 3, maps=("a", "b", "c"), veto=True)
DUEL = EveningLobby("duel", 2, 1, maps=("x", "y"))


def divided(command: Divide) -> ev.Divided:
    """Answer with the first teams that keep all rules and were not seen, or else with seen ones."""
    setup, known = command.setup, None
    for first in itertools.combinations(setup.here, setup.size or 0):
        teams = (first, tuple(player for player in setup.here if player not in first))
        together = [set(team) for team in teams]
        if any(set(pair) <= team for pair in setup.apart for team in together):
            continue
        if any(0 < len(set(duo) & team) < len(duo) for duo in setup.duos for team in together):
            continue
        known = known or teams
        if frozenset(map(frozenset, teams)) not in command.seen:
            return ev.Divided(command.game, teams)
    return ev.Divided(command.game, known or ())


class World:
    """Lobbies with a clock, and somebody who divides."""

    def __init__(self, *lobbies: EveningLobby) -> None:
        self.lobbies, self.now = Evening(lobbies, APART), 0.0
        self.log: list[tuple[Event, float, tuple[Command, ...]]] = []

    def do(self, *events: Event, later: float = 0.0) -> list[Command]:
        """Let something happen, and return all that follows, answers to questions too."""
        self.now += later
        found: list[Command] = []
        queue = list(events)
        while queue:
            event = queue.pop(0)
            reported = self.lobbies.handle(event, self.now)
            self.log.append((event, self.now, reported))
            found += reported
            queue += [divided(command) for command in reported if isinstance(command, Divide)]
        return found

    def kinds(self, *events: Event, later: float = 0.0) -> list[str]:
        """Return the kinds of notices that follow."""
        return [each.kind for each in self.do(*events, later=later) if isinstance(each, Notice)]

    def game(self, who: str) -> Any:
        """Return the game somebody is in."""
        return self.lobbies.game_of(who)

    def played(self, lobby: str, *people: str) -> Any:
        """Return a game that has come as far as being played."""
        self.do(*(ev.Add(who, lobby) for who in people), *(ev.Ready(who) for who in people))
        self.do(*(ev.Vote(who, "yes") for who in people[: len(people) // 2 + 1]))
        return self.game(people[0])


who, others = st.sampled_from(PEOPLE), st.sampled_from(["", *PEOPLE])
ranks = st.sampled_from([(1.0, 2.0), (2.0, 1.0), (1.0, 1.0)])
events = st.one_of(
    st.builds(ev.Add, who, st.sampled_from(["two", "shot", "duel", "", "none"])),
    st.builds(ev.Add, who, st.sampled_from(["two", "shot", "duel"])),
    st.builds(ev.Ready, who), st.builds(ev.Ready, who),
    st.builds(ev.Vote, who, st.sampled_from(["yes", "no", "captains", "maybe"])),
    st.builds(ev.Leave, who, st.sampled_from(["", "two"])),
    st.builds(ev.Remove, who, who, st.booleans()), st.builds(ev.Late, who), st.builds(ev.Duo, who, others),
    st.builds(ev.Prefer, who, who, st.sampled_from(["prefer", "avoid", "none", "love"])),
    st.builds(ev.Pick, who, who), st.builds(ev.Veto, who, st.sampled_from(["a", "b", "c", "z"])),
    st.builds(ev.Sub, who), st.builds(ev.Fill, who, others), st.builds(ev.Report, who, ranks),
    st.builds(ev.Confirm, who),
)  # fmt: skip


class Machine(RuleBasedStateMachine):
    """Anything happens at any time, to anyone."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World(TWO, SHOT, DUEL)
        self.kept: Counter[str] = Counter()

    def _do(self, event: Event, later: float = 0.0) -> None:
        for command in self.world.do(event, later=later):
            if isinstance(command, Keep):
                self.kept[command.game] += 1
            if isinstance(command, TakeBack):
                self.kept[command.game] -= 1

    @rule(event=events)
    def something(self, event: Event) -> None:
        """Somebody does something."""
        self._do(event)

    @rule(seconds=st.sampled_from([1.0, 61.0, 700.0]))
    def time(self, seconds: float) -> None:
        """Time passes."""
        self._do(ev.Tick(), seconds)

    @rule(lobby=st.sampled_from([TWO, SHOT, DUEL]), data=st.data())
    def gather(self, lobby: EveningLobby, data: st.DataObject) -> None:
        """As many as play wait and are ready."""
        free = [each for each in PEOPLE if self.world.game(each) is None]
        for player in data.draw(st.permutations(free))[: lobby.seats]:
            self._do(ev.Add(player, lobby.name))
        for player in PEOPLE:
            self._do(ev.Ready(player))

    @rule(player=who, other=who, in_charge=st.booleans(), said=ranks, data=st.data())
    def look_back(self, player: str, other: str, in_charge: bool, said: Any, data: st.DataObject) -> None:
        """Correct a result, take it back, or call a game off."""
        known = [*self.world.lobbies.games, *self.world.lobbies.over, "none"]
        game = data.draw(st.sampled_from(known))
        before = self.world.lobbies.over.get(game)
        counted = before is not None and before.counted
        for event in data.draw(st.sampled_from([
            [ev.Correct(player, game, said, in_charge)],
            [ev.Undo(player, game, in_charge), ev.Undo(other, game)], [ev.Cancel(player, game, in_charge)],
        ])):  # fmt: skip
            if isinstance(event, ev.Correct) and counted:
                self.kept[game] -= 1
                was = self.kept[game]
                self._do(event)
                self.kept[game] = max(self.kept[game], was + 1)
            else:
                self._do(event)

    @invariant()
    def everyone_is_in_one_place(self) -> None:
        """In one game at most, and who is in a game waits nowhere."""
        lobbies = self.world.lobbies
        playing = Counter(player for game in lobbies.games.values() for player in game.players)
        assert max(playing.values(), default=1) == 1
        for queue in lobbies.waiting.values():
            assert len(set(queue)) == len(queue)
            assert not playing.keys() & set(queue)

    @invariant()
    def sizes_are_right_and_rules_are_kept(self) -> None:
        """Duos stay, those apart are apart, also after a draft and substitutes."""
        for game in self.world.lobbies.games.values():
            assert len(game.players) == len(set(game.players)) == game.lobby.seats
            if game.phase in (Phase.CHECKING, Phase.DIVIDING):
                continue
            team_of = {player: n for n, team in enumerate(game.teams) for player in team}
            assert team_of.keys() <= set(game.players)
            assert max(map(len, game.teams)) <= game.lobby.size
            if game.phase is not Phase.DRAFTING:
                assert len(team_of) == game.lobby.seats
            assert all(len({team_of.get(p, -1) for p in duo}) == 1 for duo in game.duos)
            assert not any(team_of.get(a, -1) == team_of.get(b, -2) for a, b in APART)

    @invariant()
    def results_count_once(self) -> None:
        """See that what was kept and not taken back is what counts, once."""
        counted = {name for name, game in self.world.lobbies.over.items() if game.counted}
        assert {name for name, times in self.kept.items() if times} == counted
        assert set(self.kept.values()) <= {0, 1}

    def teardown(self) -> None:
        """Replaying the events gives the same commands; they survive being plain data."""
        again = Evening([TWO, SHOT, DUEL], APART)
        for event, now, reported in self.world.log:
            assert again.handle(from_plain(as_plain(event)), now) == reported


Machine.TestCase.settings = settings(max_examples=25, stateful_step_count=40)
test_whatever_happens = pytest.mark.slow(Machine.TestCase)


def test_from_waiting_to_a_result() -> None:
    """Four wait, are ready, accept the teams and play; both sides report, and the result is kept once."""
    world = World(TWO)
    people = ["p4", "p5", "p6", "p7"]
    for player in people[:3]:
        assert world.kinds(ev.Add(player, "")) == ["added"]
    assert world.kinds(ev.Add("p7", "two")) == ["added", "ready?"]
    assert world.kinds(*(ev.Ready(each) for each in people)) == ["teams"]
    assert world.kinds(*(ev.Vote(each, "yes") for each in people)) == ["play", "refused"]
    game = world.game("p4")
    one, other = (team[0] for team in game.teams)
    assert world.kinds(ev.Report(one, (1, 2))) == ["reported"]
    kept = [each for each in world.do(ev.Confirm(other)) if isinstance(each, Keep)]
    assert [(each.ranks, each.teams) for each in kept] == [((1.0, 2.0), game.teams)]
    assert world.kinds(ev.Confirm(other)) == ["refused"]
    assert world.lobbies.played()[0].ranks == (1.0, 2.0)


def test_teams_voted_anew_are_never_the_same() -> None:
    """Four people have three splits; when all were refused, the last one is played."""
    world = World(TWO)
    people = ["p4", "p5", "p6", "p7"]
    world.do(*(ev.Add(each, "two") for each in people), *(ev.Ready(each) for each in people))
    seen = []
    while world.game("p4").phase is Phase.VOTING:
        seen.append(world.game("p4").parted)
        world.do(*(ev.Vote(each, "no") for each in people[:3]))
    assert len(set(seen)) == len(seen) == 3
    assert world.game("p4").phase is Phase.PLAYING


def test_who_does_not_show_up_is_out_and_the_others_wait_first() -> None:
    """Somebody who says that he is late has more time, once."""
    world = World(TWO)
    people = ["p4", "p5", "p6", "p7"]
    world.do(
        *(ev.Add(each, "two") for each in people), *(ev.Ready(each) for each in people[:3]), ev.Late("p7")
    )
    assert world.kinds(ev.Tick(), later=61) == ["more time"]
    assert world.kinds(ev.Tick(), later=121) == ["called off"]
    assert world.lobbies.waiting["two"] == people[:3]
    assert world.kinds(ev.Add("p8", "two")) == ["added", "ready?"]


def test_captains_pick_in_turn_and_their_picks_are_recorded() -> None:
    """A duo comes together, and what the rules leave no choice in is done."""
    world = World(EveningLobby("six", 2, 3))
    people = ["p0", "p4", "p5", "p6", "p7", "p8"]
    world.do(ev.Duo("p4", "p5"), ev.Duo("p5", "p4"))
    world.do(*(ev.Add(each, "six") for each in people), *(ev.Ready(each) for each in people))
    world.do(*(ev.Vote(each, "captains") for each in ["p0", "p6", "p7", "p8"]))
    game = world.game("p0")
    assert game.phase is Phase.DRAFTING
    assert [team[0] for team in game.teams] == ["p0", "p6"]
    assert world.kinds(ev.Pick("p6", "p7")) == ["refused"]
    assert world.kinds(ev.Pick("p0", "p6")) == ["refused"]
    assert world.kinds(ev.Pick("p0", "p4")) == ["play"]
    assert sorted(map(sorted, game.teams)) == [["p0", "p4", "p5"], ["p6", "p7", "p8"]]
    assert game.picks[0] == ("p0", "p4")
    kept = [
        each for each in world.do(ev.Report("p0", (1, 2)), ev.Report("p6", (1, 2))) if isinstance(each, Keep)
    ]
    assert [each.picks for each in kept] == [(("p0", "p4"), ("p6", "p7"), ("p6", "p8"))]


def test_a_pick_that_the_rules_leave_no_teams_after_is_made_for_the_captain() -> None:
    """One who is apart from another has to take the duo; a captain who is slow loses the choice."""
    world = World(EveningLobby("six", 2, 3))
    people = ["p0", "p1", "p4", "p5", "p6", "p7"]
    world.do(ev.Duo("p4", "p5"), ev.Duo("p5", "p4"))
    world.do(*(ev.Add(each, "six") for each in people), *(ev.Ready(each) for each in people))
    reported = world.kinds(*(ev.Vote(each, "captains") for each in ["p0", "p6", "p7", "p1"]))
    assert reported == ["play"]
    slow = World(EveningLobby("four", 2, 2))
    people = ["p4", "p5", "p6", "p7"]
    slow.do(*(ev.Add(each, "four") for each in people), *(ev.Ready(each) for each in people))
    assert slow.kinds(*(ev.Vote(each, "captains") for each in people[:3])) == ["pick"]
    assert slow.kinds(ev.Tick(), later=61) == ["play"]
    assert slow.game("p4").picks[0] == ("p4", "p6")


def test_sides_strike_maps_in_turn_or_they_come_round() -> None:
    """Until one is left; who does not strike in time loses the turn."""
    world = World(SHOT, DUEL)
    game = world.played("shot", *(f"p{n}" for n in range(4, 10)))
    assert world.kinds(ev.Veto(game.teams[1][0], "a")) == ["refused"]
    assert world.kinds(ev.Veto(game.teams[0][0], "a")) == ["veto"]
    assert world.kinds(ev.Tick(), later=61) == ["play"]
    assert game.map == "b"
    assert [world.played("duel", *pair).map for pair in (("p0", "p1"), ("p2", "p3"))] == ["x", "y"]


def test_a_substitute_comes_for_who_asks() -> None:
    """Not one who is apart from the team, nor one who plays."""
    world = World(TWO, DUEL)
    game = world.played("two", "p0", "p4", "p5", "p6")
    (mate,) = [p for p in game.teams[game.team_of("p0")] if p != "p0"]
    world.played("duel", "p8", "p9")
    assert world.kinds(ev.Fill("p1")) == ["refused"]
    assert world.kinds(ev.Leave(mate)) == ["wanted"]
    assert world.kinds(ev.Fill("p1")) == ["refused"]
    assert world.kinds(ev.Fill("p8")) == ["refused"]
    assert world.kinds(ev.Fill("p7")) == ["substituted"]
    assert world.game(mate) is None
    assert "p7" in game.teams[game.team_of("p0")]


def test_disputed_corrected_and_taken_back() -> None:
    """Sides that differ wait for each other or somebody in charge; a result is taken back by both sides."""
    world = World(DUEL)
    game = world.played("duel", "p4", "p5")
    assert world.kinds(ev.Report("p4", (1, 2))) == ["reported"]
    assert world.kinds(ev.Report("p5", (2, 1))) == ["disputed"]
    assert world.kinds(ev.Correct("p9", game.id, (1, 1))) == ["refused"]
    assert world.kinds(ev.Correct("p9", game.id, (1, 1), True)) == ["over"]
    assert [type(each) for each in world.do(ev.Correct("p9", game.id, (1, 2), True))] == [Keep, Notice]
    assert world.kinds(ev.Undo("p4", game.id)) == ["take back?"]
    assert [type(each) for each in world.do(ev.Undo("p5", game.id))] == [TakeBack, Notice]
    assert world.lobbies.played() == []
    assert world.kinds(ev.Undo("p5", game.id)) == ["refused"]
    second = world.played("duel", "p4", "p5")
    world.do(ev.Report("p4", (1, 2)))
    assert [type(each) for each in world.do(ev.Tick(), later=601)] == [Keep, Notice]
    assert second.id != game.id


def test_somebody_waits_in_several_lobbies_and_plays_in_one() -> None:
    """When a game is called off, everyone waits again where he waited."""
    world = World(TWO, DUEL)
    world.do(
        *(ev.Add(each, "two") for each in ["p4", "p5", "p6"]), ev.Add("p4", "duel"), ev.Add("p9", "duel")
    )
    assert world.lobbies.waiting == {"two": ["p5", "p6"], "duel": []}
    assert world.kinds(ev.Add("p4", "two")) == ["refused"]
    world.do(ev.Leave("p9"))
    assert world.lobbies.waiting == {"two": ["p4", "p5", "p6"], "duel": ["p4"]}


def test_those_apart_wait_until_there_are_others() -> None:
    """Two who never play together cannot fill a team; a lobby that is wrong is refused."""
    world = World(EveningLobby("one", 2, 2))
    world.lobbies.apart = (("p0", "p1"), ("p0", "p2"), ("p1", "p2"))
    world.do(*(ev.Add(each, "one") for each in ["p0", "p1", "p2", "p4"]))
    assert world.lobbies.games == {}
    world.do(ev.Add("p5", "one"))
    assert len({"p0", "p1", "p2"} & set(world.game("p4").players)) == 2
    for wrong in (
        lambda: EveningLobby("x", 1),
        lambda: EveningLobby("x", maps=("a",), veto=True),
        lambda: Evening([DUEL, DUEL]),
    ):
        with pytest.raises(InputError, match="lobb"):
            wrong()


def test_events_that_are_none_are_refused() -> None:
    """Unknown kinds, missing and surplus fields."""
    for data in ({}, {"type": "party"}, {"type": "add"}, {"type": "add", "who": "a", "lobby": "b", "x": 1}):
        with pytest.raises(InputError, match="event: "):
            from_plain(data)


@pytest.mark.parametrize("disputed", [False, True])
def test_who_leaves_a_game_that_was_begun_asks_for_a_substitute(disputed: bool) -> None:
    """The game goes on with all of its reports; only one that nobody plays yet is called off."""
    world = World(TWO)
    game = world.played("two", "p0", "p2", "p4", "p6")
    one, other = game.teams[0][0], game.teams[1][0]
    if disputed:
        world.do(ev.Report(one, (1, 2)))
        assert world.kinds(ev.Report(other, (2, 1))) == ["disputed"]
    reports = dict(game.reports)
    assert world.kinds(ev.Leave(one)) == ["wanted"]
    assert world.game(one) is game
    assert game.reports == reports
    assert world.kinds(ev.Leave(one)) == ["refused"]
    assert world.kinds(ev.Fill("p7", one)) == ["substituted"]
    assert world.game("p7") is game
    if not disputed:
        world.do(ev.Report("p7", (1, 2)))
    assert "over" in world.kinds(ev.Report(other, (1, 2)))
