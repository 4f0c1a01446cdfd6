"""Matches from columns: compiled and plain alike, at any size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.kernels import needs_numba

from equipoise import InputError
from equipoise.queueing import QueuePolicy, columns
from equipoise.queueing.columns import QueueColumns, form_matches, tolerances_among

SHARES = (0.6, 0.2, 0.1, 0.05, 0.05)


def pool(n: int, policy: QueuePolicy, seed: int = 0, **more: Any) -> QueueColumns:
    """Return tickets with parties, at the shares of the benchmark."""
    rng = np.random.default_rng(seed)
    size = rng.choice(np.arange(1, 6), n, p=SHARES)
    size = np.minimum(size, policy.team_size)
    return QueueColumns(rng.normal(1500, 250, n) * size, size, rng.uniform(0, 40, n), **more)


@needs_numba
@pytest.mark.parametrize("policy", [
    QueuePolicy(), QueuePolicy(team_size=1), QueuePolicy(teams=3, team_size=2), QueuePolicy(party_gap=1),
    QueuePolicy(team_size=16), QueuePolicy(longest_wait=20.0),
])  # fmt: skip
def test_compiled_and_plain_make_the_same_matches(
    policy: QueuePolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same source gives the same matches to the last bit, with regions, maps, and avoided tickets."""
    rng = np.random.default_rng(9)
    waiting = pool(
        120, policy, places=rng.integers(1, 8, 120), maps=rng.integers(1, 4, 120), avoided=((0, 5), (7, 90))
    )
    found = []
    for pays in (True, False):
        monkeypatch.setattr(columns, "pays", lambda *_, pays=pays: pays)
        found.append([form_matches(waiting, policy, overdue=overdue) for overdue in (False, True)])
    assert np.array_equal(np.array(found[0]), np.array(found[1]))
    assert (found[0][0][0] >= 0).any()


@needs_numba
def test_many_are_placed_in_full_teams_within_their_bounds() -> None:
    """Of 20,000 nearly all are placed, each match has its seats, and its split is within the bound."""
    policy = QueuePolicy()
    waiting = pool(20_000, policy)
    match, team = form_matches(waiting, policy)
    placed = match >= 0
    assert waiting.size[placed].sum() >= 0.998 * waiting.size.sum()
    seats = np.bincount(match[placed] * 2 + team[placed], waiting.size[placed])
    assert (seats == policy.team_size).all()
    sign = 1 - 2 * team[placed]
    difference = np.abs(np.bincount(match[placed], sign * (waiting.total - 1500 * waiting.size)[placed]))
    grown = columns.bound_of(policy.imbalance + policy.imbalance_growth * waiting.waited, policy)
    bound = np.bincount(match[placed], (grown * waiting.size)[placed]) / policy.seats
    assert (difference <= bound + 1e-6).all()


def test_columns_of_different_lengths_are_refused() -> None:
    """A column that is short is a mistake."""
    with pytest.raises(InputError, match="columns must be of one length"):
        form_matches(QueueColumns(np.ones(3), np.ones(2, int), np.ones(3)), QueuePolicy())


def test_nobody_makes_no_match() -> None:
    """An empty queue is no mistake."""
    match, team = form_matches(QueueColumns(np.ones(0), np.ones(0, int), np.ones(0)), QueuePolicy())
    assert not len(match)
    assert not len(team)


def test_where_many_wait_ratings_are_closer_at_first() -> None:
    """At most 1.2 times what two on either side are apart; the ends as the policy says; all grow alike."""
    policy = QueuePolicy(tolerance=1e6, tolerance_growth=10.0, tails=0.0)
    many, few = 50, 49
    ratings = 1500.0 + 7.0 * np.arange(many)
    shuffled = np.random.default_rng(0).permutation(ratings)
    found = tolerances_among(shuffled, ones(many), np.full(many, 3.0), policy)
    accepted = dict(zip(shuffled, found, strict=True))
    assert [accepted[rating] for rating in ratings[[0, 1, -2, -1]]] == [1e6 + 30.0] * 4
    assert [accepted[rating] for rating in ratings[2:-2]] == pytest.approx(
        [1.2 * 4 * 7.0 + 30.0] * (many - 4)
    )
    alone = tolerances_among(ratings[:few], ones(few), np.full(few, 3.0), policy)
    assert alone.tolist() == [1e6 + 30.0] * few
    duels = QueuePolicy(team_size=1, tolerance=1e6, tails=0.0)
    assert tolerances_among(ratings, ones(many), np.zeros(many), duels).tolist() == [1e6] * many


def ones(many: int) -> NDArray[np.int64]:
    """Return sizes of tickets of one player each."""
    return np.ones(many, dtype=np.int64)
