"""Parties, experience and leaving early: off they change nothing, on they learn a planted effect."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from equipoise import Contest, GaussianFilter, InputError, Ruleset
from equipoise.compiled import available
from equipoise.logs.records import match_from
from equipoise.ratings.models.gaussian_filter.layout import EXPERIENCE, SQUAD
from equipoise.ratings.models.gaussian_filter.packing import most_teams, pack
from equipoise.testing.ratings import check_model, random_contest

MODEL = GaussianFilter()
ALL_ON = GaussianFilter(squad_sigma=0.5, experience_sigma=0.5, quitter=0.5)
LINE_UPS = 600


def planted(rng: np.random.Generator, worth: dict[str, float]) -> list[Contest]:
    """Return contests of 3 v 3 of forty equal players, in which parties and experience have a worth."""
    games = np.zeros(40)
    contests = []
    for n in range(LINE_UPS):
        new = n % 2 == 0  # every other contest has players of their own, who stay few games
        ids = [f"new{n // 30}-{k}" for k in range(6)] if new and "experience" in worth else None
        line_up = rng.permutation(40)[:6].tolist()
        names = [f"p{k}" for k in line_up]
        if ids is not None:
            names[:3] = ids[:3]
        order = rng.permutation(2).tolist()
        edge = rng.normal(0.0, math.sqrt(6.0))
        party: tuple[tuple[str, ...], ...] = ()
        if "squad" in worth:
            party = (tuple(names[:3]),)
            edge += 2.0 * worth["squad"]
        if ids is not None:
            edge -= 3.0 * worth["experience"]
        games[line_up] += 1.0
        ranks = (1, 2) if edge > 0.0 else (2, 1)
        teams = (names[:3], names[3:])
        contests.append(
            Contest(
                Ruleset(),
                (teams[order[0]], teams[order[1]]),  # type: ignore[arg-type]
                (ranks[order[0]], ranks[order[1]]),
                at=600.0 * n,
                parties=party,
            )
        )
    return contests


@pytest.mark.parametrize("seed", range(3))
def test_switched_on_the_model_keeps_the_laws(seed: int) -> None:
    """See :func:`equipoise.testing.ratings.check_model`."""
    check_model(ALL_ON, np.random.default_rng(seed))


def told(rng: np.random.Generator) -> list[Contest]:
    """Return random contests with parties and leavers."""
    contests = []
    for n in range(120):
        contest = replace(random_contest(rng), at=40_000.0 * n)
        ids = [player for player, _ in contest.teams[-1]]
        contests.append(replace(contest, parties=(tuple(ids),) if len(ids) > 1 else (), left=(ids[0],)))
    return contests


@pytest.mark.skipif(not available(), reason="numba is not installed")
def test_plain_and_compiled_give_the_same_bits() -> None:
    """States and predictions agree exactly with everything switched on."""
    contests = told(np.random.default_rng(0))
    packed, teams = pack(contests), most_teams(contests)
    plain = ALL_ON.play(ALL_ON.initial(), packed, teams, fast=False)
    assert plain == ALL_ON.play(ALL_ON.initial(), packed, teams, fast=True)


def test_switched_off_nothing_changes() -> None:
    """By default parties and leavers change no bit."""
    contests = told(np.random.default_rng(1))
    plain = [replace(contest, parties=(), left=()) for contest in contests]
    assert MODEL.run(MODEL.initial(), contests) == MODEL.run(MODEL.initial(), plain)


def test_a_run_is_its_single_steps() -> None:
    """With everything switched on, parties asked for are predicted as those of the contest."""
    state = ALL_ON.initial()
    contests = told(np.random.default_rng(2))[:40]
    whole, chances = ALL_ON.run(state, contests)
    for contest, expected in zip(contests, chances, strict=True):
        asked = ALL_ON.win_probability(state, contest.teams, contest.ruleset, contest.at, contest.parties)
        assert tuple(asked) == expected
        state = ALL_ON.update(state, contest)
    assert state == whole


def test_the_worth_of_a_party_is_learnt() -> None:
    """Each further member of a party adds 1 to its team; without parties nothing is learnt."""
    model = replace(MODEL, squad_sigma=0.5, outcome=1.0)
    found = [
        model.run(model.initial(), planted(np.random.default_rng(0), worth))[0].rulesets[Ruleset()][SQUAD]
        for worth in ({"squad": 1.0}, {"squad": -1.0}, {})
    ]
    assert found[0] > 0.6
    assert found[1] < -0.6
    assert found[2] == 0.0


def test_the_worth_of_experience_is_learnt() -> None:
    """Newcomers lose where experience is worth 1, and are rated as far above it after some games."""
    model = replace(MODEL, experience_sigma=0.5)
    worth = [
        model.run(model.initial(), planted(np.random.default_rng(0), {"experience": size}))[0]
        for size in (1.0, 0.0)
    ]
    learnt = [state.rulesets[Ruleset()][EXPERIENCE] for state in worth]
    assert learnt[0] > 0.3
    assert abs(learnt[1]) < learnt[0] / 2.0
    assert model.rating(worth[0], "p0").mu > model.rating(worth[0], "nobody").mu


def test_who_leaves_is_rated_lower() -> None:
    """Who was there for little of a lost contest is hardly moved by it; with the penalty by more."""
    gone = Contest(
        Ruleset(), ([("ann", 0.1), ("cid", 1.0)], [("bob", 1.0), ("dan", 1.0)]), (2, 1), left=("ann",)  # type: ignore[arg-type]
    )  # fmt: skip
    model = replace(MODEL, quitter=1.0)
    off, on = (each.rating(each.update(each.initial(), gone), "ann") for each in (MODEL, model))
    assert on.mu < off.mu - 0.1
    assert on.sigma < off.sigma
    assert model.rating(model.update(model.initial(), gone), "bob") == MODEL.rating(
        MODEL.update(MODEL.initial(), gone), "bob"
    )


def test_match_files_carry_parties_and_leavers() -> None:
    """Those of a team with the same party are one; a party of one is none."""
    team = [{"id": "a", "party": 1}, {"id": "b", "party": "1", "left": True}, {"id": "c", "party": "2"}]
    match = match_from({"ended": 0, "teams": [team, [{"id": "d", "party": 1}]], "scores": [1, 0]})
    assert match.contests[0].parties == (("a", "b"),)
    assert match.contests[0].left == ("b",)
    with pytest.raises(InputError, match="left: 'maybe' is neither true nor false"):
        match_from({"ended": 0, "teams": [[{"id": "a", "left": "maybe"}], ["b"]], "scores": [1, 0]})


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"parties": (("a",),)}, "parties: "),
        ({"parties": (("a", "x"),)}, "parties: "),
        ({"parties": (("a", "c"),)}, "parties: "),
        ({"parties": (("a", "b"), ("b", "a"))}, "parties: a player"),
        ({"left": ("x",)}, "left: a player is in no team"),
    ],
)
def test_parties_and_leavers_out_of_place_are_refused(more: dict[str, object], message: str) -> None:
    """The message begins with the field."""
    with pytest.raises(InputError, match=message):
        Contest(Ruleset(), (["a", "b"], ["c"]), (1, 2), **more)  # type: ignore[arg-type]


def test_parties_count_in_every_answer() -> None:
    """A party moves chances, quality and margin alike once it is known what one is worth; else nothing."""
    model = replace(MODEL, squad_sigma=0.5, outcome=1.0)
    state = model.run(model.initial(), planted(np.random.default_rng(0), {"squad": 1.0}))[0]
    teams, party = (["a", "b"], ["c", "d"]), [["a", "b"]]
    assert model.win_probability(state, teams, parties=party)[0] > 0.55
    assert model.quality(state, teams, parties=party) < model.quality(state, teams) == 1.0
    margin = model.expected_margin(state, teams, parties=party)
    assert margin[0] > 0.0 == model.expected_margin(state, teams)[0]
    worth = state.rulesets[Ruleset()][SQUAD]
    assert margin[0] == pytest.approx(worth * model._margin_scale(state, Ruleset()))


def test_what_leaving_costs_is_seen_in_a_simulated_history() -> None:
    """Quitters leave most lost contests early, and are the worse for it: with the penalty they rank lower."""
    rng = np.random.default_rng(0)
    ids, quitters = [f"p{n}" for n in range(40)], {f"p{n}" for n in range(10)}
    contests = []
    for n in range(800):
        line_up = [ids[k] for k in rng.permutation(40)[:8]]
        teams = (line_up[:4], line_up[4:])
        there = [
            {player: 0.4 if player in quitters and rng.random() < 0.6 else 1.0 for player in team}
            for team in teams
        ]
        edge = sum(there[0].values()) - sum(there[1].values()) + rng.normal(0.0, 2.0)
        gone = tuple(player for team in there for player, share in team.items() if share < 1.0)
        # Logs of some games tell only who was there at all, so that the missing body is not seen.
        contests.append(Contest(Ruleset(), teams, (1, 2) if edge > 0 else (2, 1), at=600.0 * n, left=gone))
    below = []
    for model in (MODEL, replace(MODEL, quitter=0.5)):
        state = model.run(model.initial(), contests)[0]
        mu = {player: model.rating(state, player).mu for player in ids}
        below.append(np.mean([mu[p] for p in ids if p not in quitters]) - np.mean([mu[p] for p in quitters]))
    assert 0.0 < below[0] < below[1]
