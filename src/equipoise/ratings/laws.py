"""The laws of rating models, and histories to try them on; for those who write their own."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from equipoise.core.match import Contest, Match, Ruleset, Statistics
from equipoise.ratings.model import RatingModel, checked, is_local
from equipoise.ratings.replay import replay


def in_step(scores: Sequence[float], ranks: Sequence[float]) -> tuple[float, ...]:
    """Return scores of which the most belong to who came first.

    Examples
    --------
    >>> in_step([3, 9, 5], [2, 1, 3])
    (5, 9, 3)
    """
    order = sorted(range(len(ranks)), key=lambda n: (ranks[n], n))
    score_of = dict(zip(order, sorted(scores, reverse=True), strict=True))
    return tuple(score_of[n] for n in range(len(ranks)))


def random_contest(rng: np.random.Generator, players: int = 12) -> Contest:
    """Return a contest of any kind there is: ties, many or uneven teams, bots, partial presence."""
    sizes = [(1, 1), (3, 3), (2, 4), (1, 1, 1), (2, 1, 3), (1,) * 5][rng.integers(6)]
    ids = [f"bot:b{n}:3" if n < 2 else f"p{n}" for n in rng.permutation(players)[: sum(sizes)].tolist()]
    shares = rng.choice([1.0, 1.0, 1.0, 0.5], len(ids)).tolist()
    members = list(zip(ids, shares, strict=True))
    starts = np.cumsum([0, *sizes]).tolist()
    ruleset = [Ruleset(), Ruleset("g", "dm"), Ruleset("g", "ctf", ("instagib",))][rng.integers(3)]
    reports = tuple(
        Statistics(player, float(rng.integers(0, 30)), float(rng.integers(0, 30)))
        for player in ids
        if rng.random() < 0.8
    )
    ranks = rng.integers(0, len(sizes), len(sizes)).tolist()
    scores = in_step(rng.integers(0, 20, len(sizes)).tolist(), ranks)
    return Contest(
        ruleset,
        tuple(tuple(members[a:b]) for a, b in itertools.pairwise(starts)),
        tuple(ranks),
        weight=float(rng.choice([1.0, 1.0, 0.25])),
        at=float(rng.integers(0, 100) * 3600),
        scores=scores if rng.random() < 0.5 else (),
        statistics=reports if rng.random() < 0.5 else (),
    )


def check_model(model: RatingModel, rng: np.random.Generator | None = None) -> None:
    """Hold a rating model to the laws of its kind, on one random history: the same one without a generator.

    It is deterministic and changes no state it is given; its probabilities are one for each team and sum to
    1; a run is bit for bit its single steps; teams and players may be listed in any order; the winner does
    not become less likely to win the same contest again; a replay depends on the set of matches alone; and
    one that says it is local looks at nobody but those who play.
    """
    checked(model)
    rng = np.random.default_rng(0) if rng is None else rng
    contests = [replace(random_contest(rng), at=3600.0 * n) for n in range(12)]
    state = _check_steps(model, contests)
    for contest in contests[:4]:
        _check_orders(model, state, contest, rng)
    _check_winning(model, state)
    if is_local(model):
        for contest in contests:
            _check_local(model, state, contest)
    matches = [Match((contest,), id=f"m{n}") for n, contest in enumerate(contests)]
    shuffled = [matches[n] for n in rng.permutation(len(matches)).tolist()]
    whole = replay(model, matches)
    assert replay(model, [*shuffled, *matches[::-1]]) == whole, "order and repetition change nothing"
    assert replay(model, matches[-1:], replay(model, matches[:-1])) == whole, (
        "the newest match is the last step"
    )


def _check_steps(model: RatingModel, contests: list[Contest]) -> Any:
    """Return the state after contests, having gone there at once, in steps, and again."""
    whole, predicted = model.run(model.initial(), contests)
    state = model.initial()
    for contest, chances in zip(contests, predicted, strict=True):
        before = copy.deepcopy(state)
        asked = model.win_probability(state, contest.teams, contest.ruleset, contest.at)
        assert asked == list(chances), "a run predicts what its single steps predict"
        assert len(chances) == len(contest.teams), "there is one probability for each team"
        assert math.isclose(sum(chances), 1.0, rel_tol=1e-9), "probabilities sum to one"
        assert min(chances) >= 0.0, "probabilities are not negative"
        after = model.update(state, contest)
        assert after == model.update(state, contest), "the same arguments give the same answer"
        assert state == before, "a state is not changed"
        state = after
    assert state == whole, "a run is bit for bit its single steps"
    for player in model.players(state):
        rating = model.rating(state, player, contests[0].ruleset)
        assert math.isfinite(rating.mu + rating.sigma), "ratings are finite"
    return state


def _check_orders(model: RatingModel, state: Any, contest: Contest, rng: np.random.Generator) -> None:
    order = rng.permutation(len(contest.teams)).tolist()
    turned = replace(
        contest,
        teams=tuple(contest.teams[n][::-1] for n in order),
        ranks=tuple(contest.ranks[n] for n in order),
        scores=tuple(contest.scores[n] for n in order) if contest.scores else (),
        statistics=contest.statistics[::-1],
    )
    one, other = model.update(state, contest), model.update(state, turned)
    for player in model.players(one):
        for ask in ("mu", "sigma"):
            first = getattr(model.rating(one, player, contest.ruleset), ask)
            second = getattr(model.rating(other, player, contest.ruleset), ask)
            assert math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-9), (
                "the order of listing tells nothing"
            )
    chances = model.win_probability(state, contest.teams, contest.ruleset, contest.at)
    moved = model.win_probability(state, turned.teams, contest.ruleset, contest.at)
    for place, n in enumerate(order):
        assert math.isclose(moved[place], chances[n], rel_tol=1e-9, abs_tol=1e-12), "chances follow the teams"


def _check_local(model: RatingModel, state: Any, contest: Contest) -> None:
    """Compare what is learnt from a contest with what is where others are not known."""
    there = {player for team in contest.teams for player, _ in team}
    whole = model.update(state, contest)
    alone = model.update(_without_others(state, there), contest)
    assert _without_others(whole, there) == alone, "a local model looks at nobody but those who play"


def _without_others(state: Any, there: set[str]) -> Any:
    """Return a state without the entries of players who are not there."""
    if is_dataclass(state):
        parts = {each.name: _without_others(getattr(state, each.name), there) for each in fields(state)}
        return replace(state, **parts)  # type: ignore[type-var]  # not the class but one of its instances
    if not isinstance(state, Mapping):
        return state
    owners = {key: key[0] if isinstance(key, tuple) else key for key in state}
    return {
        key: state[key] for key, who in owners.items() if not isinstance(who, str) or not who or who in there
    }


def _check_winning(model: RatingModel, state: Any) -> None:
    won = Contest(Ruleset(), (["p3", "p4"], ["p5", "p6"]), (1, 2), at=3600.0 * 12)
    lost = replace(won, ranks=(2.0, 1.0))
    chances = [
        model.win_probability(model.update(state, contest), won.teams, at=won.at)[0]
        for contest in (won, lost)
    ]
    assert chances[0] > chances[1], "winning speaks for the winner"
