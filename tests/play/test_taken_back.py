"""Steps that are taken back and taken again while people come and go by themselves."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.play.test_called_lobby import NIGHT, PEOPLE, Story, gathered

from equipoise.play import evening_events as ev
from equipoise.play.evening import Evening
from equipoise.play.evening_events import Event
from equipoise.play.evening_records import record_of, taken
from equipoise.play.evening_state import Phase

UNDO, REDO = ev.Undo("", lobby=NIGHT), ev.Redo(NIGHT)


def comes(name: str, state: str = ev.IN) -> ev.Attend:
    """Return somebody's own coming or going."""
    return ev.Attend(NIGHT, (name,), state, who=name)


def placed(story: Story) -> set[str]:
    """Return who is in a team."""
    return {player for team in story.game.teams for player in team}


def test_who_came_meanwhile_is_still_there() -> None:
    """Teams are taken back and made again; who tapped in between is there in both, and in the teams."""
    story = gathered()
    story.do(ev.Call(NIGHT))
    called = story.game.parted
    story.do(comes("Gus"), comes("Ann", ev.MAYBE))
    assert story.kinds(UNDO) == ["undone", "play"]
    assert placed(story) == {"Bob", "Cid", "Dan", "Eve", "Fay", "Gus"}
    story.do(UNDO)
    assert story.game is None
    assert story.evening.waiting[NIGHT] == ["Gus"]
    assert story.evening.rooms[NIGHT].states == {"Ann": ev.MAYBE}
    story.do(REDO)
    assert placed(story) == {"Bob", "Cid", "Dan", "Eve", "Fay", "Gus"}
    story.do(ev.Undo("", lobby=NIGHT, step=story.evening.trail(NIGHT)[-1].number))
    story.do(ev.Undo("", lobby=NIGHT, step=story.evening.trail(NIGHT)[-1].number))
    assert placed(story) == set(PEOPLE[:6])
    story.do(REDO, ev.Attend(NIGHT, ("Hal",)))
    assert story.kinds(REDO) == ["refused"]
    assert called


def test_somebody_is_where_they_were_before_they_came() -> None:
    """Their own step is taken back by number though others have done more since; older steps are not."""
    story = gathered()
    story.do(comes("Gus"))
    coming = story.evening.trail(NIGHT)[-1].number
    story.do(ev.Call(NIGHT), ev.Lock(NIGHT, ("Bob",)))
    first = story.evening.trail(NIGHT)[0].number
    assert story.kinds(ev.Undo("", lobby=NIGHT, step=first)) == ["refused"]
    assert story.kinds(ev.Undo("Ann", lobby=NIGHT, step=coming)) == ["refused"]
    story.do(ev.Undo("Gus", lobby=NIGHT, step=coming))
    assert "Gus" not in placed(story)
    assert story.evening.rules(NIGHT).fixed
    assert story.kinds(ev.Undo("", lobby=NIGHT, step=coming)) == ["refused"]


def test_a_game_that_is_played_keeps_its_teams() -> None:
    """Whoever comes or goes, until its result; a substitute takes the very place."""
    story = gathered(*PEOPLE[:6], size=3)
    story.do(ev.Begin(NIGHT))
    teams = story.game.teams
    story.do(comes("Gus"), comes("Ann", ev.OUT))
    assert story.game.teams == teams
    for event in (ev.Call(NIGHT), ev.SwapPlayers(NIGHT, teams[0][0], teams[1][0]), ev.Begin(NIGHT),
                  ev.Captains(NIGHT, ("Bob", "Cid")), ev.SitOut(NIGHT, "Bob"), ev.Vote("Bob", "no", NIGHT),
                  ev.SetTeams(NIGHT, teams)):  # fmt: skip
        assert story.kinds(event) == ["refused"]
    story.do(ev.Substitute(NIGHT, "Gus", "Bob"))
    assert story.game.teams == tuple(tuple({"Bob": "Gus"}.get(p, p) for p in team) for team in teams)
    assert story.game.chances == (0.6, 0.4)
    story.do(ev.Report("", (1.0, 2.0), lobby=NIGHT))
    assert story.kinds(ev.Call(NIGHT)) == ["play"]
    assert not story.game.begun


def test_a_draft_goes_on_when_people_come_and_go() -> None:
    """Who comes can be picked, who leaves cannot; where a captain leaves it is over, and that is said."""
    story = gathered(*PEOPLE[:6])
    story.do(ev.Captains(NIGHT, ("Ann", "Bob")))
    assert story.kinds(comes("Gus"), comes("Cid", ev.OUT)) == ["attending", "pick"] * 2
    assert story.game.unpicked == ["Dan", "Eve", "Fay", "Gus"]
    story.do(ev.Substitute(NIGHT, "Hal", "Dan"), ev.Pick("", "Hal", NIGHT))
    assert "Hal" in story.game.teams[0]
    assert "captain left" in story.kinds(comes("Bob", ev.OUT))
    assert story.game is None
    assert "pick" in story.kinds(UNDO) or story.game is None


def test_exactly_these_teams_and_who_sits_out() -> None:
    """Others sit out; the rules hold; who sits out this game stays there, and plays in the next one."""
    story = gathered(*PEOPLE[:6], duos=(("Ann", "Bob"),))
    for wrong in ((("Ann", "Bob"), ("Hal",)), (("Ann",), ("Bob", "Cid")), (("Ann", "Bob"),), (("Ann",), ())):
        assert story.kinds(ev.SetTeams(NIGHT, wrong)) == ["refused"]
    story.do(ev.SetTeams(NIGHT, (("Ann", "Bob"), ("Cid", "Dan", "Eve"))))
    assert (story.game.out, story.game.chances) == (("Fay",), (0.6, 0.4))
    story.do(ev.SitOut(NIGHT, "Cid"), comes("Gus"))
    assert "Cid" in story.game.out
    assert "Gus" in placed(story)
    story.do(ev.Call(NIGHT))
    assert "Cid" in placed(story)


def test_what_the_archive_counts_no_longer_is_in_no_ledger() -> None:
    """Also after a step is taken back that was taken while it counted; included again, it is there again."""
    story = gathered()
    story.do(ev.Report("", (1.0, 2.0), lobby=NIGHT), ev.Attend(NIGHT, ("Gus",)))
    match = story.game.id
    story.do(ev.Counted(match, counts=False))
    assert story.evening.ended(NIGHT) == []
    story.do(UNDO)
    assert story.evening.ended(NIGHT) == []
    assert not story.game.counted
    story.do(ev.Counted(match, counts=True))
    assert [each.id for each in story.evening.ended(NIGHT)] == [match]


tapped = st.one_of(
    st.builds(comes, st.sampled_from(PEOPLE), st.sampled_from([ev.IN, ev.OUT, ev.MAYBE])),
    st.builds(comes, st.sampled_from(PEOPLE), st.sampled_from([ev.IN, ev.OUT, ev.MAYBE])),
    st.sampled_from(
        [ev.Call(NIGHT), ev.Begin(NIGHT), ev.Report("", (1.0, 2.0), (), NIGHT), UNDO, UNDO, REDO]
    ),
    st.builds(lambda n: ev.Undo("", lobby=NIGHT, step=n), st.integers(1, 30)),
)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(tapped, min_size=5, max_size=30))
def test_whoever_said_so_last_is_there(given_events: list[Event]) -> None:
    """Undo and redo of whoever runs the evening move nobody else, and all of it replays."""
    story = gathered()
    for event in given_events:
        before, last = story.evening.waiting[NIGHT], story.evening.last_step(NIGHT)
        again = story.evening.taken_back(NIGHT)
        story.do(event)
        step = last if event == UNDO else again if event == REDO else None
        if step is not None and isinstance(step.event, ev.Call | ev.Begin | ev.Report):
            assert set(story.evening.waiting[NIGHT]) == set(before)
        game = story.game
        if game is not None and game.phase is Phase.PLAYING and not game.begun:
            assert placed(story) | set(game.out) == set(story.evening.waiting[NIGHT])
    replayed = Evening([ev.night_lobby(NIGHT)])
    records = json.loads(json.dumps([record_of(event, now) for event, now, _ in story.log]))
    for each, (_, _, commands) in zip(taken(records), story.log, strict=True):
        assert replayed.handle(each.event, each.at) == commands
    assert replayed.rooms == story.evening.rooms
