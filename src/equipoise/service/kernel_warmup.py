"""Compiling every kernel beforehand, by small pieces of the work that uses it.

A kernel is compiled for the types it is called with, so it is called here as the library calls it.  The
command line and the service both warm up by :func:`warm_up`.

The worker that compiles every kernel, once for an installation: they are kept on disk.

It is apart from the others, as it loads whatever has a kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, NamedTuple

import numpy as np

from equipoise.core.compiled import available, is_kept, keeps
from equipoise.core.match import Contest, Ruleset
from equipoise.core.player import Player
from equipoise.core.stopping import never
from equipoise.lobbies.annealing import Annealing
from equipoise.lobbies.fill import fill
from equipoise.lobbies.first_placing import exchange_all
from equipoise.lobbies.kernels import anneal, exchange, lowest_lines
from equipoise.lobbies.problem import LobbyTask, Placed
from equipoise.lobbies.teams_of_two import transformed
from equipoise.queueing.columns import use_kernels
from equipoise.queueing.pair_kernels import choose_pairs
from equipoise.queueing.window_kernels import make_matches, measure_windows
from equipoise.ratings.ladder import Resident
from equipoise.ratings.models.gaussian_filter.contest_columns import pack
from equipoise.ratings.models.gaussian_filter.line_ups import foretell
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.ratings.models.gaussian_filter.model import Filters, GaussianFilter
from equipoise.ratings.models.gaussian_filter.state_columns import kernel
from equipoise.ratings.starting_weights import given_from
from equipoise.teams.balance import balance
from equipoise.teams.balance_many import balance_many, best_splits
from equipoise.teams.problem.exactness import largest_loss
from equipoise.teams.problem.role_kernels import line_ups
from equipoise.teams.solvers.meet_in_the_middle import KERNELS as MEETING
from equipoise.teams.solvers.window_kernels import fill_teams

Kernels = tuple[Callable[..., Any], ...]

#: The default model, the same with guesses to start from, and one filter: of each number of members one.
GUESSES = given_from({"a": 1.0, "b": 2.0, "c": 3.0})
MODELS: tuple[Filters, ...] = (Mixture(), Mixture(starting=GUESSES), GaussianFilter())


class WarmupStep(NamedTuple):
    """A piece of work, and the kernels that are compiled once it is done."""

    what: str
    kernels: Kernels
    work: Callable[[Kernels], object]


def _three_teams(until: Kernels) -> None:
    _divided(32, 3, until)


def _two_teams(until: Kernels) -> None:
    _divided(64, 2, until)


def _divided(players: int, teams: int, until: Kernels) -> None:
    """Divide squares, which are alike in no unit: no split is perfect, so the search goes on."""
    squares = [Player(str(n), float(n * n)) for n in range(players)]
    balance(squares, teams=teams, stop=lambda: all(map(is_kept, until)))


def _roles(_: Kernels) -> None:
    balance([Player(str(n), float(n * n)) for n in range(6)], roles={"tank": 1, "heal": 2})


def _many_matches(_: Kernels) -> None:
    balance_many(np.arange(8.0).reshape(2, 4))


def _ratings(_: Kernels) -> None:
    contest = Contest(Ruleset("any"), (["one"], ["two"]), (1, 2), at=0.0)
    for model in MODELS:
        model.play(model.initial(), pack([contest]), fast=True)
    ladder = Resident(MODELS[0], MODELS[0].initial())
    ladder.record([contest], fast=True)
    ladder.predict((["one"], ["two"]), None, None, 1)


def _lobbies(_: Kernels) -> None:
    fill({str(n): float(n * n) for n in range(8)}, {"A": None, "B": None}, team_size=2, solver=_placed)


def _placed(task: LobbyTask) -> Placed:
    """Run each kernel of the lobbies once, and leave the players where they are."""
    problem, placing = task.problem, task.start
    transformed(problem, np.arange(3.0), np.zeros(3), np.zeros(problem.n_lobbies))
    exchange_all(problem, placing, never)
    Annealing(problem, placing, seed=0, work=1.0).run(1, 1.0, 1.0, never)
    return Placed(placing, 0.0, proven=False)


def _queues(_: Kernels) -> None:
    use_kernels()


#: What a game that waits for teams needs comes first.
STEPS = (
    WarmupStep("three and more teams", (fill_teams, largest_loss), _three_teams),
    WarmupStep("two teams of many players", MEETING, _two_teams),
    WarmupStep("roles", (line_ups,), _roles),
    WarmupStep("many small matches at once", (best_splits,), _many_matches),
    WarmupStep("ratings", (*(kernel(len(model.filters())) for model in MODELS), foretell), _ratings),
    WarmupStep("lobbies", (anneal, exchange, lowest_lines), _lobbies),
    WarmupStep("queues", (make_matches, measure_windows, choose_pairs), _queues),
)


def warm_up(begun: Callable[[str], object] = lambda _: None) -> bool:
    """Compile what is not compiled yet; tell whether all is kept for later processes.

    Nothing is compiled where nothing could be kept, nor where numba is absent, which is well: searches run
    without it.

    Parameters
    ----------
    begun : callable
        Is given the name of each step as it begins.
    """
    if not available():
        return True
    if not keeps(fill_teams):
        return False
    for step in STEPS:
        if not all(map(is_kept, step.kernels)):
            begun(step.what)
            step.work(step.kernels)
    return True


class Compiling:
    """Compiles whatever is not compiled yet."""

    def __call__(self, _: None) -> Generator[None, None, bool]:
        """Return whether it is kept, or nothing can be compiled at all."""
        yield from ()
        return warm_up()
