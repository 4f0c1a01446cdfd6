"""Two ids of one person: whoever is there twice is there once, whatever goes on, and so it is replayed."""

from __future__ import annotations

import random
from itertools import chain

import pytest

from equipoise.play import evening_events as ev
from equipoise.play.evening import Evening
from equipoise.play.evening_events import Divide, EveningLobby, Event, Judge
from equipoise.play.evening_state import Phase

CALLED = ev.night_lobby("tonight")
VOTED = EveningLobby("voted", size=2, called=True, contradict=0.0)
QUEUE = EveningLobby("ctf", size=1)
PEOPLE = ("ann", "bob", "cid", "dan", "eve", "fay")


def answered(evening: Evening, event: Event, now: float) -> list[Event]:
    """Take an event and answer all questions; return what was taken, as it is kept."""
    event = evening.resolved(event)
    taken, waiting = [event], list(evening.handle(event, now))
    while waiting:
        command = waiting.pop(0)
        answer: Event | None = None
        if isinstance(command, Divide):
            setup = command.setup
            most = setup.teams * setup.size if setup.size else len(setup.here)
            playing = setup.here[:most]
            teams = tuple(tuple(playing[n :: setup.teams]) for n in range(setup.teams))
            fits = all(teams) and setup.here
            answer = ev.Divided(command.game, teams if fits else (), out=setup.here[most:])
        elif isinstance(command, Judge):
            answer = ev.Judged(command.game, (0.5,) * len(command.teams))
        if answer is not None:
            taken.append(answer)
            waiting += evening.handle(answer, now)
    return taken


def ids_in(evening: Evening) -> list[list[str]]:
    """Return the ids of everybody who is there, in each lobby and each game that goes on."""
    rooms = [[*room.setup.here, *room.states] for room in evening.rooms.values()]
    games = [[*chain(*game.teams), *game.out] for game in evening.games.values()]
    return [*rooms, *games, *([*game.players, *game.out] for game in evening.games.values())]


def stands(evening: Evening) -> object:
    """Return all that matters of an evening."""
    games = [(each.id, each.phase, each.players, each.teams, each.out, sorted(each.ready), each.votes)
             for each in (*evening.games.values(), *evening.over.values())]  # fmt: skip
    return games, evening.rooms, [[step.event for step in evening.trail(name)] for name in evening.rooms]


def step(draw: random.Random, evening: Evening) -> Event:
    """Return something that somebody may do under any of their ids."""
    people = [*PEOPLE, *(f"{each}2" for each in PEOPLE)]
    who, other = draw.choice(people), draw.choice(people)
    lobby = draw.choice(("tonight", "voted"))
    game = evening.current(lobby)
    return draw.choice((
        ev.Attend(lobby, (who,), who=who), ev.Attend(lobby, (who,), spelled={who: who.title()}),
        ev.Attend(lobby, (who,), draw.choice((ev.OUT, ev.MAYBE)), who=who), ev.Call(lobby),
        ev.Add(who, "ctf"), ev.Leave(who), ev.Ready(who), ev.Vote(who, draw.choice(("yes", "captains"))),
        ev.SwapPlayers(lobby, who, other), ev.Substitute(lobby, who, other), ev.Lock(lobby, (who,)),
        ev.Captains(lobby, (who, other)), ev.Pick("", who, lobby), ev.SitOut(lobby, who),
        ev.Begin(lobby), ev.Undo("", lobby=lobby), ev.Redo(lobby), ev.Duo(who, other),
        ev.Prefer(who, other, "prefer"), ev.Report(who, (1.0, 2.0)), ev.Confirm(who), ev.Tick(),
        ev.Report("", (1.0, 2.0), lobby=lobby, game="" if game is None else game.id),
    ))  # fmt: skip


@pytest.mark.parametrize("seed", range(60))
def test_nobody_is_there_twice_and_a_replay_is_the_same(seed: int) -> None:
    """Under a hundred steps with merges among them no person has two ids anywhere, live and replayed."""
    draw, kept = random.Random(seed), list[tuple[Event, float]]()  # noqa: S311
    evening = Evening([CALLED, VOTED, QUEUE])
    pairs = [(each, f"{each}2") for each in PEOPLE]
    merged = list[tuple[str, str]]()
    draw.shuffle(pairs)
    for n in range(120):
        if pairs and draw.random() < 0.05:
            merged.append(draw.choice((pairs[-1], pairs[-1][::-1])))
            event: Event = ev.SamePerson(*merged[-1])
            pairs.pop()
        elif merged and draw.random() < 0.02:
            event = ev.SamePerson(*merged.pop(), back=True)
        else:
            event = step(draw, evening)
        kept += [(each, 1000.0 + n) for each in answered(evening, event, 1000.0 + n)]
        for ids in ids_in(evening):
            known = [evening.one(each) for each in ids]
            assert known == list(dict.fromkeys(known)) == ids, event
        assert all(game.phase is Phase.DIVIDING or all(game.teams) for game in evening.games.values())
    again = Evening([CALLED, VOTED, QUEUE])
    for event, at in kept:
        again.handle(event, at)
    assert stands(again) == stands(evening)


def test_who_is_there_twice_keeps_the_first_place_and_teams_are_made_of_the_rest() -> None:
    """Teams that were not played change with the people; what was before is undone under the one id."""
    evening = Evening([CALLED])
    answered(evening, ev.Attend("tonight", ("webby",), spelled={"webby": "Webby"}, who="webby"), 1.0)
    answered(evening, ev.Attend("tonight", ("bob", "dahlia", "eve"), spelled={"dahlia": "Dahlia"}), 2.0)
    answered(evening, ev.Call("tonight"), 3.0)
    before = evening.current("tonight")
    answered(evening, ev.SamePerson("dahlia", "webby"), 4.0)
    game = evening.current("tonight")
    assert before is not None
    assert game is not None
    assert evening.waiting["tonight"] == ["webby", "bob", "eve"]
    assert sorted(chain(*game.teams)) == ["bob", "eve", "webby"]
    (refused,) = evening.handle(ev.Attend("tonight", ("dahlia",), who="dahlia"), 5.0)
    assert "'Webby' is here already" in refused.facts["why"]  # type: ignore[union-attr]
    answered(evening, ev.Attend("tonight", ("dahlia",), ev.OUT, who="dahlia"), 6.0)
    assert evening.waiting["tonight"] == ["bob", "eve"]
    answered(evening, ev.SamePerson("dahlia", "webby", back=True), 7.0)
    answered(evening, ev.Attend("tonight", ("dahlia",), who="dahlia"), 8.0)
    assert evening.waiting["tonight"] == ["bob", "eve", "dahlia"]


def test_a_game_of_both_is_one_that_could_not_stay() -> None:
    """Both have a place in its teams, or in two games that began by themselves; not while none has teams."""
    evening = Evening([CALLED, VOTED, QUEUE])
    answered(evening, ev.Attend("tonight", ("ann", "bob", "cid")), 1.0)
    assert evening.game_of_both("ann", "bob") is None
    answered(evening, ev.Call("tonight"), 2.0)
    answered(evening, ev.Attend("voted", ("dan", "eve", "fay", "gil", "hal")), 3.0)
    answered(evening, ev.Call("voted"), 4.0)
    tonight, voted = evening.current("tonight"), evening.current("voted")
    assert tonight is not None
    assert voted is not None
    assert evening.game_of_both("ann", "bob") is evening.game_of_both("bob", "cid") is tonight
    assert evening.game_of_both("dan", "eve") is voted
    assert voted.out == ("hal",)
    assert evening.game_of_both("dan", "hal") is evening.game_of_both("ann", "dan") is None
    assert evening.game_of_both("ann", "new") is evening.game_of_both("ann", "ann") is None


def test_of_two_games_that_begin_by_themselves_nobody_is_in_both() -> None:
    """Of two who are in one each neither game could be played on by one person, once both have teams."""
    evening = Evening([EveningLobby("one", size=1, ready=0.0), EveningLobby("two", size=1, ready=0.0)])
    for who, lobby in (("ann", "one"), ("bob", "one"), ("cid", "two")):
        answered(evening, ev.Add(who, lobby), 1.0)
    assert evening.game_of_both("ann", "cid") is None
    answered(evening, ev.Add("dan", "two"), 2.0)
    assert evening.game_of_both("ann", "cid") in evening.games.values()


def test_who_sits_out_and_plays_under_another_id_moves_nobody() -> None:
    """The teams that wait to be played are asked for again, of the same people in the same places."""
    evening = Evening([VOTED])
    answered(evening, ev.Attend("voted", ("dan", "eve", "fay", "gil", "hal")), 1.0)
    answered(evening, ev.Call("voted"), 2.0)
    before = evening.current("voted")
    assert before is not None
    (_, asked) = evening.handle(ev.SamePerson("hal", "dan"), 3.0)
    assert isinstance(asked, Divide)
    assert asked.still
    assert asked.now == {player: n for n, team in enumerate(before.teams) for player in team}


def test_of_two_in_one_game_that_began_by_itself_it_is_called_off() -> None:
    """One person cannot fill two places: those who stay wait again, each once."""
    evening = Evening([QUEUE])
    for who in ("ann", "ann2"):
        answered(evening, ev.Add(who, "ctf"), 1.0)
    assert [game.phase for game in evening.games.values()] == [Phase.CHECKING]
    answered(evening, ev.SamePerson("ann2", "ann"), 2.0)
    assert evening.games == {}
    assert evening.waiting["ctf"] == ["ann"]
