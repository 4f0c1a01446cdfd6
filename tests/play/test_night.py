"""A night as a fold over events: in any order of steps everyone is in one place, and undo takes back each."""

from __future__ import annotations

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
from equipoise.play.ledger import LedgerGame
from equipoise.play.night import (
    UNDO,
    WEIGHTS,
    Event,
    Night,
    Setup,
    event_renamed,
    match_of,
    night_of,
    ranks_of,
    result_event,
    team_named,
    teams_event,
)
from equipoise.play.proposals import Arranged, arrange

PEOPLE = ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus")
SKILL = {name: 10.0 + 3.0 * n for n, name in enumerate(PEOPLE)}


def rated(ids: Sequence[str]) -> tuple[list[Player], dict[str, float]]:
    """Return players with ratings."""
    return [Player(each, SKILL.get(each, 15.0)) for each in ids], {"beta": 5.0}


def teams(night: Night, setup: Setup, match: str, **more: Any) -> tuple[Event, Arranged]:
    """Return the event of teams, and the answer it is from."""
    seen = {proposal.parted for proposal in night.tonight}
    arranged = arrange(night.games, setup, rated, match, seen=seen, **more)
    return teams_event(setup, arranged.proposal, {p: p for p in setup.here}, match, fresh=True), arranged


steps = st.lists(st.sampled_from(["again", "late", "leave", "won", "draw", "undo"]), min_size=1, max_size=12)


@pytest.mark.slow
@settings(max_examples=25)
@given(steps, st.sampled_from([None, 3]), st.integers(0, 6))
def test_in_any_order_of_steps_the_rules_hold_and_undo_is_exact(
    wanted: list[str], size: int | None, who: int
) -> None:
    """Everyone is in one place, sizes are right, duos stay, those apart are; after undo all is as before."""
    setup = Setup(PEOPLE[:5], (("Ann", "Bob"),), (("Cid", "Dan"),), 2, size)
    events: list[Event] = [teams(Night(), setup, "m0")[0]]
    before = [Night()]
    for n, step in enumerate(wanted, start=1):
        night = night_of(events)
        if step == "undo":
            events.append({"kind": UNDO})
            back = before.pop() if before else Night()
            assert night_of(events) == back
            continue
        event = _event(night, step, PEOPLE[(who + n) % 7], f"m{n}")
        if event is None:
            continue
        before.append(night)
        events.append(event)
        _holds(night_of(events))


def _event(night: Night, step: str, who: str, match: str) -> Event | None:
    """Return the event of a step, None where it makes no sense now."""
    setup = night.setup
    if step in ("won", "draw"):
        if night.proposal is None or night.result_of(night.proposal.id):
            return None
        ranks = [1.0, 2.0 if step == "won" else 1.0]
        return result_event(night, ranks, (), 1.0)
    if (step == "late") == (who in setup.here) and step != "again":
        return None
    here = setup.here
    if step != "again":
        here = (*here, who) if step == "late" else tuple(each for each in here if each != who)
    if len(here) < 4:
        return None
    now = None
    if step != "again" and night.proposal is not None:
        now = {p: n for n, team in enumerate(night.proposal.teams) for p in team if p in here}
    try:
        return teams(night, replace(setup, here=here), match, now=now)[0]
    except InputError:  # of these four, no teams keep all the rules
        return None


def _holds(night: Night) -> None:
    """Check that the current teams keep all the rules."""
    assert night.proposal is not None
    placed = [player for team in night.proposal.teams for player in team]
    assert sorted((*placed, *night.proposal.out)) == sorted(night.setup.here)
    sizes = [len(team) for team in night.proposal.teams]
    assert max(sizes) - min(sizes) <= 1
    assert night.setup.size is None or max(sizes) <= night.setup.size
    team_of = {player: n for n, team in enumerate(night.proposal.teams) for player in team}
    for one, other, together in (("Ann", "Bob", True), ("Cid", "Dan", False)):
        if one in team_of and other in team_of:
            assert (team_of[one] == team_of[other]) == together


def test_the_same_teams_are_not_proposed_twice_while_there_are_others() -> None:
    """Four players have three splits; where meeting again is not worth that much, the first comes again."""
    setup, night, seen = Setup(PEOPLE[:4]), Night(), set()
    events: list[Event] = []
    for n in range(3):
        event, arranged = teams(night, setup, f"m{n}", vary=0.5)
        events.append({**event, "fresh": not n})
        night = night_of(events)
        seen.add(arranged.proposal.parted)
        assert not arranged.repeated
    assert len(seen) == 3
    last = teams(night, setup, "m3", vary=0.5)[1]
    assert last.repeated
    assert "they come again" in " ".join(arranged_lines(setup, last, {}))


def test_who_sits_out_is_chosen_with_the_rules_in_view() -> None:
    """Of three who never play together two play at most, whoever has sat out before."""
    apart = (("Ann", "Bob"), ("Ann", "Cid"), ("Bob", "Cid"))
    for here in (PEOPLE[:5], tuple(reversed(PEOPLE[:5]))):
        _, arranged = teams(Night(), Setup(here, (), apart, 2, 2), "m0")
        assert set(arranged.proposal.out) & {"Ann", "Bob", "Cid"}
    with pytest.raises(InputError, match="players: "):
        teams(Night(), Setup(PEOPLE[:3], (), apart, 2, None), "m0")


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
    """Also where other teams would be fairer."""
    event, first = teams(Night(), Setup(PEOPLE[:6]), "m0")
    night = night_of([event])
    now = {{"Fay": "Gus"}.get(p, p): n for n, team in enumerate(first.proposal.teams) for p in team}
    _, arranged = teams(night, Setup((*PEOPLE[:5], "Gus")), "m1", now=now, still=True)
    assert arranged.proposal.moved == ()
    assert {p: n for n, team in enumerate(arranged.proposal.teams) for p in team} == now


def test_a_result_counts_once_and_another_one_is_refused() -> None:
    """The same report again is known; a team is named by colour, number or player."""
    event, arranged = teams(Night(), Setup(PEOPLE[:4]), "m0")
    night = night_of([event])
    reported = result_event(night, (1.0, 2.0), (3.0, 1.0), 7.0)
    assert reported is not None
    match = match_of(night, reported)
    assert (match.id, match.ended, match.contests[0].scores) == ("m0", 7.0, (3.0, 1.0))
    after = night_of([event, reported])
    assert result_event(after, (1.0, 2.0), (3.0, 1.0), 9.0) is None
    with pytest.raises(InputError, match="reported already"):
        result_event(after, (2.0, 1.0), (), 9.0)
    for name in ("RED", "1", arranged.proposal.teams[0][0].upper()):
        assert team_named(night, name) == 0
    with pytest.raises(InputError, match="team must be one of red, blue"):
        team_named(night, "purple")
    assert ranks_of([2, 2]) == (1.0, 1.0)


def test_weights_are_taken_back_with_the_teams_they_came_with() -> None:
    """Who ever had one is remembered, so that a rating can be made as it was."""
    event, _ = teams(Night(), Setup(PEOPLE[:4]), "m0")
    weights = {"kind": WEIGHTS, "step": "m0", "weights": {"Ann": 5.0}, "spelled": {"Ann": "Ann"}}
    assert night_of([weights, event]).weights == {"Ann": 5.0}
    night = night_of([weights, event, {"kind": UNDO}])
    assert (night.weights, night.proposal, night.ever_weighed) == ({}, None, frozenset(["Ann"]))


def test_what_is_no_event_is_refused() -> None:
    """Other kinds, missing fields, a result without teams."""
    for wrong in ({}, {"kind": "party"}, {"kind": "result", "match": "m", "ranks": []}, {"kind": "teams"}):
        with pytest.raises(InputError, match="night: an event cannot be read"):
            night_of([wrong])


def test_a_forgotten_player_is_in_no_event() -> None:
    """Neither the id nor the spelling, and a name that is a word of the events changes nothing else."""
    for name in ("Ann", "teams", "kind"):
        setup = Setup((name, "Bob", "Cid", "Dan"))
        arranged = arrange([], setup, rated, "m0")
        event = teams_event(setup, arranged.proposal, {name: f"{name}!"}, "m0", fresh=True)
        after = night_of([event_renamed(event, {name: "anonymous:1"})])
        assert "anonymous:1" in after.setup.here
        assert after.spelled == {"anonymous:1": "anonymous:1"}
        assert name not in [p for team in after.proposal.teams for p in team] if after.proposal else False


@pytest.mark.slow
@given(st.text(max_size=20))
def test_names_are_compared_once_and_for_all(name: str) -> None:
    """Comparing what is compared already changes nothing about case and spaces."""
    assert folded(f"  {name} ") == folded(name)
