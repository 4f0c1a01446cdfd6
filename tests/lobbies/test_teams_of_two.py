"""Teams of two by bins: the first placing is legal, and no exchange within a lobby helps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.lobbies.test_annealing import task_of

from equipoise import deadline
from equipoise.lobbies import large
from equipoise.lobbies.first_placing import improve
from equipoise.lobbies.problem import WAITING, LobbyTask, Placing
from equipoise.lobbies.sample_instances import Instance, scaled
from equipoise.lobbies.teams_of_two import certified, ends_of_bins, placing_of, solve_bins


@pytest.mark.slow
@pytest.mark.parametrize("skills", ["normal .6", "gamma .4", "lognormal .3", "uniform"])
@pytest.mark.parametrize("players", [300, 1_001])
@pytest.mark.parametrize("parties", [0, 40])
def test_a_placing_by_bins_pairs_each_lobby_crosswise(skills: str, players: int, parties: int) -> None:
    """Whoever waits and whoever came as two: within a lobby, the stronger, the weaker the team mate."""
    instance = scaled(3, players, 2, skills)
    task = _task(instance, parties)
    placing, bound = _by_bins(task, bins=60)
    problem = task.problem
    assert (
        np.bincount(placing.team[placing.team != WAITING], problem.size[placing.team != WAITING]) == 2
    ).all()
    assert (placing.team == WAITING).sum() == players % 2
    counts = np.bincount(placing.lobby, minlength=problem.n_lobbies)
    assert (counts >= problem.least).all()
    assert (counts <= problem.most).all()
    alone = np.flatnonzero((problem.size == 1) & (placing.team != WAITING))
    for lobby in range(problem.n_lobbies):
        mine = alone[placing.lobby[placing.team[alone]] == lobby]
        mine = mine[np.argsort(problem.skill[mine], kind="stable")]
        partner = [placing.team[mine] == team for team in placing.team[mine]]
        mates = np.array([problem.skill[mine[both]].sum() for both in partner]) - problem.skill[mine]
        assert (np.diff(mates) <= 1e-9).all()
    assert bound <= placing.value(problem)


@pytest.mark.slow
@pytest.mark.parametrize("skills", ["normal .6", "gamma .4", "lognormal .3", "uniform"])
def test_the_first_placing_is_near_the_bound(skills: str) -> None:
    """Bins are mixed evenly among lobbies, and the few who are left over cost little."""
    task = _task(scaled(0, 6_000, 2, skills), 0)
    placing, bound = _by_bins(task, bins=400)
    assert placing.value(task.problem) - bound <= 0.08 * bound


@pytest.mark.slow
def test_with_a_limit_of_time_bins_get_finer_until_nobody_could_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one, coarse bins are enough where the plan is within a small share of the bound."""
    monkeypatch.setattr(large, "BINS", (40,))
    monkeypatch.setattr(large, "FINER", (80, 160, 320))
    monkeypatch.setattr(large, "CLOSE", 0.05)
    task = _task(scaled(0, 3_000, 2, "lognormal .3"), 0)
    few, many = large.solve(task), large.solve(replace(task, stop=deadline(1e6)))
    gaps = [placed.placing.value(task.problem) - placed.bound for placed in (few, many)]
    assert many.bound > few.bound
    assert gaps[1] < gaps[0]


@pytest.mark.slow
def test_exchanges_end_where_the_value_is_enough() -> None:
    """They go on below it no further than the round in which they come there."""
    task = _task(scaled(0, 3_000, 2, "normal .6"), 0)
    problem = task.problem
    dealt = Placing(task.start.team, np.random.default_rng(0).permutation(task.start.lobby))
    best = improve(problem, dealt, task.stop).value(problem)
    enough = (best + dealt.value(problem)) / 2.0
    assert best < improve(problem, dealt, task.stop, enough).value(problem) <= enough


def _task(instance: Instance, parties: int) -> LobbyTask:
    names = list(instance.players)
    task = task_of(
        players=instance.players,
        lobbies=list(instance.lobbies),
        team_size=2,
        parties=[names[k : k + 2] for k in range(0, parties, 2)],
    )
    assert task is not None
    return task


def _by_bins(task: LobbyTask, bins: int) -> tuple[Placing, float]:
    """Return the placing by so many bins, and the bound by their prices."""
    problem = task.problem
    singles = np.flatnonzero(problem.size == 1)
    singles = singles[np.argsort(problem.skill[singles], kind="stable")]
    ends = ends_of_bins(problem.skill[singles], bins)
    binned = solve_bins(problem, singles, ends, task.n_teams, task.waiting, None, task.stop)
    assert binned is not None
    bound = certified(problem, singles, binned, task.n_teams, task.waiting)
    return placing_of(problem, singles, ends, binned, task.n_teams), bound
