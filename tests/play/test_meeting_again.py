"""Teams of an evening do not come again while others lie within the price, against all ways to divide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest

from equipoise.core.player import Player, Rating
from equipoise.core.win_probability import win_probability
from equipoise.play.evening_events import Setup
from equipoise.play.ledger import LedgerGame
from equipoise.play.proposals import MEETING, Rated, arrange
from equipoise.play.round_plan import Rounds, planned
from equipoise.teams.request import BalanceRequest

NAMES = tuple(f"p{n:02d}" for n in range(40))

Parted = frozenset[frozenset[str]]


def rated(seed: int, spread: float) -> Rated:
    """Return players of some strength: equal, nearly equal or apart."""
    skill = dict(zip(NAMES, np.random.default_rng(seed).normal(25.0, spread, len(NAMES)), strict=True))
    return lambda ids: ([Player(each, float(skill[each])) for each in ids], {"beta": 5.0})


def halves(here: Sequence[str]) -> list[Parted]:
    """Return all ways to divide people into two teams whose sizes differ by one at most."""
    first, rest = here[0], here[1:]
    sizes = {len(here) // 2, (len(here) + 1) // 2}
    mates = (each for size in sizes for each in combinations(rest, size - 1))
    return [frozenset({frozenset((first, *each)), frozenset(rest) - frozenset(each)}) for each in mates]


def distance(split: Parted, known: Rated) -> float:
    """Return how far a split is from even, in win probability."""
    players, units = known([player for team in split for player in team])
    found = BalanceRequest.of(players, **units).units
    mu = {player.id: player.rating.mu for player in players if isinstance(player.rating, Rating)}
    sums = np.array([[sum(mu[player] for player in team) for team in split]])
    sizes = np.array([[float(len(team)) for team in split]])
    return abs(float(win_probability(sums, 0.0 * sums, sizes, found.beta, found.zero)[0][0]) - 0.5)


@pytest.mark.parametrize("spread", [0.0, 0.3, 4.0])
@pytest.mark.parametrize("n", range(4, 13))
def test_teams_come_again_only_where_no_unseen_ones_lie_within_the_price(n: int, spread: float) -> None:
    """Rounds with refusals; equals are told apart by who they are."""
    known, setup = rated(n, spread), Setup(NAMES[:n])
    fair = {split: distance(split, known) for split in halves(setup.here)} if spread else {}
    seen: set[Parted] = set()
    games: list[LedgerGame] = []
    for number in range(6):
        found = arrange(games, setup, known, f"m{number}", seen=seen)
        again = found.proposal.parted in seen
        assert again == found.repeated
        unseen = [split for split in fair or halves(setup.here) if split not in seen]
        even = fair.get(found.proposal.parted, 0.0)
        within = [split for split in unseen if fair.get(split, 0.0) <= even + MEETING - 1e-9]
        assert not (again and within)
        seen.add(found.proposal.parted)
        if number % 2:  # the others were refused
            games.append(LedgerGame(found.proposal.teams, found.proposal.chances, (1, 2)))


def test_large_groups_of_equals_and_three_teams_do_not_come_again_either() -> None:
    """Also where not all splits can be gone through."""
    for n, teams in ((40, 2), (9, 3), (24, 3)):
        seen: set[Parted] = set()
        for number in range(3):
            found = arrange([], Setup(NAMES[:n], teams=teams), rated(0, 0.0), f"m{number}", seen=seen)
            assert found.proposal.parted not in seen
            seen.add(found.proposal.parted)


@pytest.mark.parametrize("spread", [0.0, 0.3, 4.0])
@pytest.mark.parametrize(
    ("n", "size", "number"), [(4, None, 4), (5, 2, 4), (5, 2, 6), (6, None, 4), (5, None, 3)]
)
def test_a_plan_repeats_nothing_it_need_not(n: int, size: int | None, number: int, spread: float) -> None:
    """No teams twice while unused ones lie within the price, and no pair twice more than in the best plan."""
    rounds = Rounds([], Setup(NAMES[:n], size=size), rated(n, spread), number)
    found = planned(rounds)
    teams = [each.parted for each in found.rounds]
    index = {frozenset(map(frozenset, rounds.teams(row))): row for row in range(len(rounds.labels))}
    outs = {each.out for each in found.rounds}
    for split, times in Counter(teams).items():
        others = [row for each, row in index.items() if each not in teams]
        near = [row for row in others if rounds.fixed[row] <= rounds.fixed[index[split]] + MEETING - 1e-9]
        assert times == 1 or not near or outs != {()}
        assert times == 1 or found.again
    pairs = Counter(
        frozenset(pair) for each in found.rounds for t in each.teams for pair in combinations(t, 2)
    )
    must = min(
        max(Counter(pair for row in chosen for pair in np.flatnonzero(rounds.together[row])).values())
        for chosen in combinations_with_replacement(range(len(rounds.labels)), number)
    )
    assert max(pairs.values()) <= must + 1


def test_teams_of_this_evening_are_not_planned_again() -> None:
    """What was played before the plan counts like a round of it."""
    known, setup = rated(0, 0.0), Setup(NAMES[:4])
    first = arrange([], setup, known, "m").proposal.parted
    found = planned(Rounds([], setup, known, 2, seen={first}))
    assert first not in {each.parted for each in found.rounds}
    assert planned(Rounds([], setup, known, 3, seen={first})).again
