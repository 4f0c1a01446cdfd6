"""Rosters with rules as plain numbers, and what the oracle of ``equipoise.verification`` says of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from equipoise import BalanceRequest, Bots, Player, Preference, Rating, Rule, Solution, Split, receipt, verify
from equipoise.verification import objective_values
from equipoise.verification.optimum import Labels, broken, optimum, splits
from equipoise.verification.question import Question, question
from equipoise.verification.receipt_check import Verdict


@dataclass(frozen=True)
class Night:
    """A roster, rules and preferences; players are known by their index, and called p0, p1 and so on."""

    weights: tuple[float, ...]
    n_teams: int = 2
    sigmas: tuple[float, ...] = ()
    sides: tuple[float, ...] = ()
    side_price: float = 0.0
    parties: tuple[tuple[int, ...], ...] = ()
    apart: tuple[tuple[int, ...], ...] = ()
    fixed: tuple[tuple[int, int], ...] = ()
    sizes: tuple[int, ...] | None = None
    max_difference: int | None = None
    bot_weight: float | None = None
    seats: int = 0
    prefer: tuple[tuple[tuple[int, ...], float], ...] = ()
    avoid: tuple[tuple[tuple[int, ...], float], ...] = ()
    needed: tuple[tuple[str, int], ...] = ()
    roles: tuple[Mapping[str, float], ...] = ()
    at_most: tuple[tuple[tuple[float, ...], float], ...] = ()

    @property
    def n(self) -> int:
        """How many players there are."""
        return len(self.weights)

    def arguments(self) -> dict[str, Any]:
        """Return what ``balance`` is given."""
        players = [
            Player(
                f"p{i}", Rating(weight, self.sigmas[i] if self.sigmas else 0.0),
                side=self.sides[i] if self.sides else 0.5, roles=self.roles[i] if self.roles else (),
            )
            for i, weight in enumerate(self.weights)
        ]  # fmt: skip
        filled = None if self.bot_weight is None else Bots(self.bot_weight, target=self.n_teams * self.seats)
        return {
            "players": players,
            "teams": self.n_teams,
            "sizes": self.sizes,
            "max_difference": self.max_difference,
            "bots": filled,
            "parties": _named(self.parties),
            "apart": _named(self.apart),
            "fixed": {f"p{i}": team for i, team in self.fixed},
            "preferences": [
                Preference(kind, group, price)
                for kind, groups in (("together", self.prefer), ("apart", self.avoid))
                for group, price in zip(
                    _named([who for who, _ in groups]), [p for _, p in groups], strict=True
                )
            ],
            "side_price": self.side_price,
            "roles": dict(self.needed) or None,
            "rules": [
                Rule(f"r{n}", {f"p{i}": factor for i, factor in enumerate(factors) if factor}, high=most)
                for n, (factors, most) in enumerate(self.at_most)
            ],
        }

    def question(self, **asked: Any) -> Question:
        """Return the oracle's question."""
        return question(**{**self.arguments(), **asked})

    def splits(self, **asked: Any) -> Iterator[Labels]:
        """Go through every legal split; where teams are interchangeable, under one naming."""
        return splits(self.question(**asked))

    def cost(self, name: str, labels: Labels, **asked: Any) -> float:
        """Return the cost of a split by an objective, or by ``"preferences"``; lower is better."""
        return float(objective_values.cost(self.question(**asked), name, labels))

    def best(self, **asked: Any) -> float | None:
        """Return the best value of what is asked, as it is known; None where nothing is legal."""
        given = self.question(**asked)
        costs = optimum(given).costs
        return float(objective_values.shown(given.stages[-1], costs[-1])) if costs else None

    def labels(self, split: Split) -> Labels:
        """Return the team of every player in a split."""
        team_of = {player.id: team for team, players in enumerate(split.teams) for player in players}
        return tuple(team_of[f"p{i}"] for i in range(self.n))

    def legal(self, split: Split) -> bool:
        """Tell whether a split keeps every rule."""
        return not broken(self.question(), self.labels(split))

    def check(self, solution: Solution, *, proof: bool = False, **asked: Any) -> None:
        """Assert that all a solution says is true, and with ``proof`` that its proof is confirmed too."""
        request = BalanceRequest.of(**{**self.arguments(), **asked, "stop": lambda: False})
        findings = verify(receipt(request, solution), stop=lambda: not proof).findings
        wrong = [finding for finding in findings if finding.verdict is Verdict.FALSE]
        open_claims = [finding for finding in findings if finding.verdict is Verdict.UNCONFIRMED]
        assert not wrong, wrong
        assert not (proof and open_claims), open_claims


def _named(groups: Any) -> list[list[str]]:
    return [[f"p{i}" for i in group] for group in groups]
