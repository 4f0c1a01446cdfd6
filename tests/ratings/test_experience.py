"""Experience is learnt where it is worth something; parties and leavers are facts that change nothing."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.kernels import needs_numba

from equipoise import Contest, GaussianFilter, InputError, Ruleset
from equipoise.core.match_records import match_from
from equipoise.ratings.laws import check_model, random_contest
from equipoise.ratings.models.gaussian_filter.contest_columns import pack
from equipoise.ratings.models.gaussian_filter.kernels import EXPERIENCE

MODEL = GaussianFilter()
ALL_ON = GaussianFilter(experience_sigma=0.5)
LINE_UPS = 600


def planted(rng: np.random.Generator, worth: dict[str, float]) -> list[Contest]:
    """Return contests of 3 v 3 of forty equal players, in which experience has a worth."""
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
            )
        )
    return contests


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_switched_on_the_model_keeps_the_laws(seed: int) -> None:
    """See :func:`equipoise.ratings.laws.check_model`."""
    check_model(ALL_ON, np.random.default_rng(seed))


def reported(rng: np.random.Generator) -> list[Contest]:
    """Return random contests with parties and leavers."""
    contests = []
    for n in range(120):
        contest = replace(random_contest(rng), at=40_000.0 * n)
        ids = [player for player, _ in contest.teams[-1]]
        contests.append(replace(contest, parties=(tuple(ids),) if len(ids) > 1 else (), left=(ids[0],)))
    return contests


@pytest.mark.slow
@needs_numba
def test_plain_and_compiled_give_the_same_bits() -> None:
    """States and predictions agree exactly with everything switched on."""
    contests = reported(np.random.default_rng(0))
    packed = pack(contests)
    plain = ALL_ON.play(ALL_ON.initial(), packed, fast=False)
    assert plain == ALL_ON.play(ALL_ON.initial(), packed, fast=True)


def test_switched_off_nothing_changes() -> None:
    """By default parties and leavers change no bit."""
    contests = reported(np.random.default_rng(1))
    plain = [replace(contest, parties=(), left=()) for contest in contests]
    assert MODEL.run(MODEL.initial(), contests) == MODEL.run(MODEL.initial(), plain)


@pytest.mark.slow
def test_a_run_is_its_single_steps() -> None:
    """With experience switched on."""
    state = ALL_ON.initial()
    contests = reported(np.random.default_rng(2))[:40]
    whole, chances = ALL_ON.run(state, contests)
    for contest, expected in zip(contests, chances, strict=True):
        asked = ALL_ON.win_probability(state, contest.teams, contest.ruleset, contest.at)
        assert tuple(asked) == expected
        state = ALL_ON.update(state, contest)
    assert state == whole


@pytest.mark.slow
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


def test_match_files_carry_parties_and_leavers() -> None:
    """Those of a team with the same party are one; a party of one is none."""
    team = [{"id": "a", "party": 1}, {"id": "b", "party": "1", "left": True}, {"id": "c", "party": "2"}]
    match = match_from({"ended": 0, "teams": [team, [{"id": "d", "party": 1}]], "scores": [1, 0]})
    assert match.contests[0].parties == (("a", "b"),)
    assert match.contests[0].left == ("b",)
    with pytest.raises(InputError, match="left must be true or false, got 'maybe'"):
        match_from({"ended": 0, "teams": [[{"id": "a", "left": "maybe"}], ["b"]], "scores": [1, 0]})


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"parties": (("a",),)}, "parties must"),
        ({"parties": (("a", "x"),)}, "parties must"),
        ({"parties": (("a", "c"),)}, "parties must"),
        ({"parties": (("a", "b"), ("b", "a"))}, "parties: a player"),
        ({"left": ("x",)}, "left must name players of the teams"),
    ],
)
def test_parties_and_leavers_out_of_place_are_refused(more: dict[str, object], message: str) -> None:
    """The message begins with the field."""
    with pytest.raises(InputError, match=message):
        Contest(Ruleset(), (["a", "b"], ["c"]), (1, 2), **more)  # type: ignore[arg-type]
