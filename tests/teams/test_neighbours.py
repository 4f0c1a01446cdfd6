"""Splits one move away are judged as whole splits are."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise import Bots, Player, balance
from equipoise.core.arrays import Labels
from equipoise.teams.laws import random_problem
from equipoise.teams.problem import roles
from equipoise.teams.problem.linear_rules import Rule
from equipoise.teams.problem.problem import Problem
from equipoise.teams.request import BalanceRequest
from equipoise.teams.solvers import exchange
from equipoise.teams.solvers.exchange import BlockMoves, JudgedSplits, MoveJudge


def asked(seed: int, n_teams: int) -> Problem:
    """Return a problem with everything a request may have."""
    rng = np.random.default_rng(seed)
    players = [
        Player(
            f"p{n}", float(np.round(rng.normal(25, 8), 1)), side=float(rng.choice([0.0, 0.5, 1.0])),
            team_now=int(rng.integers(n_teams)) if rng.random() < 0.8 else None,
            roles={role: float(rng.integers(1, 40)) for role in ("tank", "heal") if rng.random() < 0.7},
        )
        for n in range(9)
    ]  # fmt: skip
    needed = {"tank": 1, "heal": 1} if seed % 2 else {}
    request = BalanceRequest.of(
        players, teams=n_teams, bots=Bots(), parties=[["p0", "p1"]], apart=[["p2", "p3"], ["p2", "p4"]],
        fixed={"p5": 1}, stay=0.01, moves=4, side_price=0.02, roles=needed,
        rules=[Rule("few", {f"p{n}": 1.0 for n in range(4)}, high=2.0)],
    )  # fmt: skip
    return request.problem


@pytest.mark.parametrize("n_teams", [2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_what_a_move_changes_is_what_the_whole_split_says(
    seed: int, n_teams: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every move from a random split, legal or not."""
    rng = np.random.default_rng([seed, n_teams])
    if seed % 4 == 3:
        monkeypatch.setattr(roles, "TABLE_BLOCKS", 0)
    for problem in (random_problem(rng, 9, n_teams), asked(seed, n_teams)):
        near, labels = MoveJudge(problem), rng.integers(n_teams, size=problem.n_blocks).astype(np.int8)
        moves = BlockMoves.drawn(problem, rng, 10_000)
        n = problem.n_blocks
        assert (
            len({*zip(*(column.tolist() for column in moves), strict=True)}) == n * n_teams + n * (n - 1) // 2
        )
        found = near.judged(labels, moves)
        assert np.allclose(found.totals, problem.totals(found.labels), rtol=0.0, atol=1e-9)
        assert np.allclose(found.broken, near.violation(found.labels), rtol=0.0, atol=1e-12)
        assert ((found.broken == 0.0) == problem.legal(found.labels)).all()


@pytest.mark.parametrize("effort", [0.01, 0.1, 1.0])
def test_a_descent_ends_where_the_effort_is_spent(effort: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand players in twenty teams are a thousand steps from an optimum; it is not gone to."""
    judged = list[int]()

    def counted(self: MoveJudge, labels: Labels, moves: BlockMoves) -> JudgedSplits:
        judged.append(len(moves.blocks))
        return whole(self, labels, moves)

    whole = MoveJudge.judged
    monkeypatch.setattr(MoveJudge, "judged", counted)
    monkeypatch.setattr(exchange, "MOST_SUMMED", 1 << 14)
    rng = np.random.default_rng(4)
    weights = np.round(rng.normal(250, 80, 1000), 1).tolist()
    players = [Player(f"p{n}", w, team_now=int(rng.integers(20))) for n, w in enumerate(weights)]
    solution = balance(players, teams=20, stay=0.01, solver="exchange", objective="win", effort=effort)
    assert solution.splits
    assert sum(judged) <= effort * (1 << 14) + exchange.MOST_MOVES
