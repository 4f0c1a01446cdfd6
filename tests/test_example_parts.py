"""The parts in examples/parts/: each is one file, keeps the laws of its kind, and works by its name."""

from __future__ import annotations

import numpy as np
import pytest
from examples.parts.game import GAME
from examples.parts.model import WinShare
from examples.parts.objective import mean_difference
from tests.cli.running import run

from equipoise.testing.games import check_game
from equipoise.testing.ratings import check_model
from equipoise.testing.teams import check_objective

LOG = (
    b"2026-01-10T20:05Z ann beat bob\n2026-01-10T20:25Z cid drew ann\nthe club was closed\n"
    b"2026-01-11T20:25Z bob beat cid\n"
)


def test_the_game_keeps_the_laws_of_games() -> None:
    """However the log is cut or damaged."""
    check_game(GAME, LOG, np.random.default_rng(0))


@pytest.mark.parametrize("seed", range(3))
def test_the_model_keeps_the_laws_of_models(seed: int) -> None:
    """On random contests."""
    check_model(WinShare(), np.random.default_rng(seed))


@pytest.mark.parametrize("seed", range(10))
def test_the_objective_keeps_the_laws_of_objectives(seed: int) -> None:
    """On random problems."""
    check_objective(mean_difference, np.random.default_rng(seed))


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (
            ("balance", "examples/roster.txt", "--objective", "examples.parts.objective:mean_difference"),
            "Proven",
        ),
        (("evaluate", "examples/matches.jsonl", "--models", "examples.parts.model:WinShare"), "log-loss"),
    ],
)
def test_a_part_works_by_its_name(args: tuple[str, ...], words: str) -> None:
    """``module:attribute`` on the command line is all that a part of one's own needs."""
    done = run(*(arg.format("examples.parts") for arg in args))
    assert done.returncode == 0, done.stderr
    assert words in done.stdout
