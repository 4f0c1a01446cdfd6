"""The best splits that are some players apart, against going through all splits."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from tests.play.nights import Night

from equipoise import InputError, Player, Status, balance
from equipoise.verification.optimum import Labels


def changes(one: Labels, other: Labels, n_teams: int, held: tuple[int, ...] = ()) -> int:
    """Return how many players must change team, by trying every renaming of the teams but those held."""
    return min(
        sum(names[a] != b for a, b in zip(one, other, strict=True))
        for names in itertools.permutations(range(n_teams))
        if all(names[team] == team for team in held)
    )


def greedy(ranking: list[Labels], keep: int, spacing: int, n_teams: int) -> list[Labels]:
    """Return the first of a ranking, and again and again the next that is far from all taken."""
    taken: list[Labels] = []
    for labels in ranking:
        if len(taken) < keep and all(changes(labels, other, n_teams) >= spacing for other in taken):
            taken.append(labels)
    return taken


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "n_teams", "spacing"), [(8, 2, 3), (10, 2, 4), (9, 2, 2), (9, 3, 5), (8, 4, 4)]
)
@pytest.mark.parametrize("parties", [(), ((0, 1),)])
def test_each_split_is_the_best_of_those_far_from_all_before(
    n: int, n_teams: int, spacing: int, parties: tuple[tuple[int, ...], ...]
) -> None:
    """The values are those of the greedy choice among all splits, and any two are far apart."""
    weights = np.round(np.random.default_rng([n, n_teams]).normal(25.0, 8.0, n), 3)
    night = Night(tuple(weights.tolist()), n_teams, parties=parties)
    gap_of = {labels: night.cost("difference", labels) for labels in night.splits()}
    ranking = sorted(gap_of, key=lambda labels: gap_of[labels])
    expected = greedy(ranking, 6, spacing, n_teams)
    solution = balance(**night.arguments(), objective="difference", keep=6, spacing=spacing)
    assert [split.value for split in solution.splits] == pytest.approx(
        [gap_of[labels] for labels in expected], abs=1e-9
    )
    night.check(solution, objective="difference", keep=6, spacing=spacing)
    found = [night.labels(split) for split in solution.splits]
    for one, other in itertools.combinations(found, 2):
        assert changes(one, other, n_teams) >= spacing
    assert solution.status is Status.OPTIMAL
    assert bool(solution.reason) is (len(expected) < 6)


def test_nothing_is_renamed_where_teams_are_told_apart() -> None:
    """With someone fixed, the mirrored split is as far as can be."""
    roster = {f"p{n}": float(n * n) for n in range(6)}
    solution = balance(roster, sizes=[3, 3], fixed={"p0": 0}, objective="difference", keep=10, spacing=4)
    teams = [{p.id for p in split.teams[0]} for split in solution.splits]
    assert len(teams) > 1
    assert all(len(one ^ other) >= 4 for one, other in itertools.combinations(teams, 2))
    free = balance(roster, objective="difference", keep=10, spacing=4)
    assert len(free.splits) == 1  # three of six can be no further than one exchange, two players, away


def test_players_of_equal_weight_count_as_the_same() -> None:
    """Exchanging equals changes nothing, so the spacing counts weights, and parties whole."""
    players = [Player(f"p{n}", float(n // 2)) for n in range(8)]
    solution = balance(players, objective="difference", keep=9, spacing=4)
    looks = [Counter(p.rating.mu for p in s.teams[0]) for s in solution.splits]  # type: ignore[union-attr]
    whole = Counter(n // 2 * 1.0 for n in range(8))
    for one, other in itertools.combinations(looks, 2):
        assert min((one - other).total(), (one - (whole - other)).total()) * 2 >= 4


def test_a_shortage_says_what_was_seen() -> None:
    """Fewer splits than wanted come with the reason, and it tells all from the best ranked."""
    roster = {f"p{n}": float(n * n) for n in range(6)}
    solution = balance(roster, objective="difference", keep=3, spacing=4)
    assert solution.status is Status.OPTIMAL
    assert solution.reason.startswith("1 of 3 splits, as no other of all 10 splits there are")
    assert solution.as_dict()["reason"] == solution.reason
    assert not balance(roster, objective="difference", keep=3, spacing=2).reason


def test_reranked_splits_are_far_apart_too() -> None:
    """The greedy choice goes by the order of the criterion."""
    roster = {f"p{n}": float(x) for n, x in enumerate(np.random.default_rng(1).normal(25, 8, 10))}
    wide = {"objective": "win", "rerank": "quantile", "tolerance": 0.2}
    ranking = balance(roster, keep=126, **wide).splits  # type: ignore[arg-type]
    place = {split.teams: n for n, split in enumerate(ranking)}
    labels = [tuple(int(f"p{n}" in {p.id for p in split.teams[1]}) for n in range(10)) for split in ranking]
    expected = greedy(labels, 4, 4, 2)
    solution = balance(roster, keep=4, spacing=4, **wide)  # type: ignore[arg-type]
    assert [labels[place[split.teams]] for split in solution.splits] == expected


def test_a_distance_below_one_is_refused() -> None:
    """The message begins with the argument."""
    with pytest.raises(InputError, match=r"^spacing must be at least 1, got 0"):
        balance({"Ann": 1, "Bob": 2}, spacing=0)
