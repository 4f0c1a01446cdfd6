"""Slow and obvious: prices of preferences, roles and rules once more, for any number of teams.

Nothing here uses the package's problems, totals, objectives or solvers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from equipoise import Player, Preference, Rule, Split

Labels = tuple[int, ...]


@dataclass(frozen=True)
class Evening:
    """A roster and preferences, as plain numbers; players are known by their place."""

    weights: tuple[float, ...]
    n_teams: int = 2
    together: tuple[tuple[tuple[int, ...], float], ...] = ()
    apart: tuple[tuple[tuple[int, ...], float], ...] = ()
    sides: tuple[float, ...] = ()
    side_price: float = 0.0
    parties: tuple[tuple[int, ...], ...] = ()
    kept_apart: tuple[tuple[int, int], ...] = ()
    needed: tuple[tuple[str, int], ...] = ()
    roles: tuple[Mapping[str, float], ...] = ()
    at_most: tuple[tuple[tuple[float, ...], float], ...] = ()

    @property
    def n(self) -> int:
        """How many players there are."""
        return len(self.weights)

    def arguments(self) -> dict[str, object]:
        """Return what ``balance`` is given."""
        players = [
            Player(
                f"p{n}", weight,
                side=self.sides[n] if self.sides else 0.5, roles=self.roles[n] if self.roles else (),
            )
            for n, weight in enumerate(self.weights)
        ]  # fmt: skip
        preferences = [
            Preference(kind, tuple(f"p{n}" for n in group), price)
            for kind, groups in (("together", self.together), ("apart", self.apart))
            for group, price in groups
        ]
        return {
            "players": players,
            "teams": self.n_teams,
            "preferences": preferences,
            "side_price": self.side_price,
            "parties": [[f"p{n}" for n in party] for party in self.parties],
            "apart": [[f"p{n}" for n in pair] for pair in self.kept_apart],
            "roles": dict(self.needed) or None,
            "rules": [
                Rule(f"r{n}", {f"p{i}": factor for i, factor in enumerate(factors) if factor}, high=most)
                for n, (factors, most) in enumerate(self.at_most)
            ],
        }


def splits(evening: Evening) -> Iterator[Labels]:
    """Go through every legal split into teams whose sizes differ by at most one."""
    least, most = evening.n // evening.n_teams, -(-evening.n // evening.n_teams)

    def extended(labels: Labels) -> Iterator[Labels]:
        if len(labels) == evening.n:
            if min(labels.count(team) for team in range(evening.n_teams)) >= least and legal(evening, labels):
                yield labels
            return
        for team in range(evening.n_teams):
            if labels.count(team) < most:
                yield from extended((*labels, team))

    return extended(())


def legal(evening: Evening, labels: Labels) -> bool:
    """Tell whether a split keeps parties, who is apart, rules and roles."""
    if any(len({labels[n] for n in party}) > 1 for party in evening.parties):
        return False
    if any(labels[one] == labels[other] for one, other in evening.kept_apart):
        return False
    for factors, most in evening.at_most:
        for team in range(evening.n_teams):
            total = sum(factor for n, factor in enumerate(factors) if labels[n] == team)
            if total > most + 1e-9:
                return False
    return all(total is not None for total in totals(evening, labels))


def totals(evening: Evening, labels: Labels) -> list[float | None]:
    """Return each team's total; None where its roles cannot be filled."""
    members = [[n for n in range(evening.n) if labels[n] == team] for team in range(evening.n_teams)]
    return [line_up(evening, team) for team in members]


def line_up(evening: Evening, team: Sequence[int]) -> float | None:
    """Return the largest total of a team with its roles filled, by trying all assignments."""
    if not evening.needed:
        return sum(evening.weights[n] for n in team)
    slots = [role for role, number in evening.needed for _ in range(number)]
    best = None
    for chosen in itertools.permutations(team, len(slots)):
        if all(plays(evening, n, role) for n, role in zip(chosen, slots, strict=True)):
            total = sum(rating(evening, n, role) for n, role in zip(chosen, slots, strict=True))
            total += sum(evening.weights[n] for n in team if n not in chosen)
            best = total if best is None else max(best, total)
    return best


def plays(evening: Evening, n: int, role: str) -> bool:
    """Tell whether a player plays a role; one who lists none plays all."""
    return not evening.roles[n] or role in evening.roles[n]


def rating(evening: Evening, n: int, role: str) -> float:
    """Return the rating of a player in a role."""
    return evening.roles[n].get(role, evening.weights[n])


def paid(evening: Evening, labels: Labels) -> float:
    """Return what a split pays for the preferences it breaks."""
    total = 0.0
    for group, price in evening.together:
        counts = [sum(labels[n] == team for n in group) for team in range(evening.n_teams)]
        total += price * (len(group) - max(counts))
    for group, price in evening.apart:
        counts = [sum(labels[n] == team for n in group) for team in range(evening.n_teams)]
        total += price * sum(count - 1 for count in counts if count)
    for n, side in enumerate(evening.sides):
        wanted = 2 * side - 1
        place = 2 * labels[n] / (evening.n_teams - 1) - 1
        total += evening.side_price * (abs(wanted) - wanted * place) / 2
    return total


def distance(evening: Evening, labels: Labels, beta: float, zero: float) -> float:
    """Return the largest distance of a team's win probability from even."""
    counts = [sum(label == team for label in labels) for team in range(evening.n_teams)]
    sums = [
        (total or 0.0) - zero * count for total, count in zip(totals(evening, labels), counts, strict=True)
    ]
    noise = math.sqrt(evening.n * beta**2 * 2 / evening.n_teams)
    powers = [math.exp(1.702 * (total - max(sums)) / noise) for total in sums]
    return max(abs(power / sum(powers) - 1 / evening.n_teams) for power in powers)


def gap(evening: Evening, labels: Labels) -> float:
    """Return the range of the totals."""
    sums = [total or 0.0 for total in totals(evening, labels)]
    return max(sums) - min(sums)


def labels_of(evening: Evening, split: Split) -> Labels:
    """Return a split as labels."""
    team_of = {player.id: team for team, members in enumerate(split.teams) for player in members}
    return tuple(team_of[f"p{n}"] for n in range(evening.n))


def check(evening: Evening, split: Split) -> Labels:
    """Assert that a split is legal and that all it says of itself is true; return it as labels."""
    labels = labels_of(evening, split)
    assert sum(map(len, split.teams)) == evening.n
    counts = [labels.count(team) for team in range(evening.n_teams)]
    assert max(counts) - min(counts) <= 1
    assert legal(evening, labels)
    for said, true in zip(split.totals, totals(evening, labels), strict=True):
        assert true is not None
        assert math.isclose(said, true, rel_tol=1e-9, abs_tol=1e-9)
    if evening.together or evening.apart or evening.side_price:
        told = sum(outcome.paid for outcome in split.preferences)
        assert math.isclose(told, paid(evening, labels), rel_tol=1e-9, abs_tol=1e-12)
    if evening.needed:
        _check_roles(evening, split)
    return labels


def _check_roles(evening: Evening, split: Split) -> None:
    for team, roles, total in zip(split.teams, split.roles, split.totals, strict=True):
        for role, number in evening.needed:
            assert roles.count(role) == number
        told = 0.0
        for player, role in zip(team, roles, strict=True):
            n = int(player.id[1:])
            assert not role or plays(evening, n, role)
            told += rating(evening, n, role) if role else evening.weights[n]
        assert math.isclose(told, total, rel_tol=1e-9, abs_tol=1e-9)
