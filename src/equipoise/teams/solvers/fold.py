"""``fold``: very many players, in sorted rows; near the best in time that grows with their number alone.

Blocks that are fixed, kept apart or larger than one player are placed first, each where the least is in.  The
single players follow in rows of one for each team, strongest row first: the strongest of a row goes to the
team that totals least, and so on.  So the totals never differ by more than the ends of a row do, and the rows
become even.  Then all are held but a few players of each team, and those are re-divided, two teams at a
time, exactly (:mod:`equipoise.teams.solvers.pairwise`).  Not exact: it says how far from a bound it ended.

References
----------
R. Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17 (1969) 416 (largest first).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from equipoise.core.arrays import Floats, Ints, Labels
from equipoise.teams.problem.problem import COUNT, MU, Problem, subproblem
from equipoise.teams.solvers.enumerate import splits
from equipoise.teams.solvers.pairwise import draft_teams, even_rooms, improve, range_bound
from equipoise.teams.solvers.task import Best, Fit, Found, Solver, Task

#: Players and parties from which on other solvers take longer than one wants to wait.
MANY = 5000  # effort

#: Players of each team that are re-divided in the end: two teams of them in a thousandth of a second.
FREED = 12  # effort


def solve(task: Task) -> Found:
    """Place all in sorted rows, then mend; see :class:`equipoise.teams.solvers.task.Solver`."""
    best = Best(task)
    bound = range_bound(task)
    labels = fold(task.problem)
    if not task.problem.legal(labels[None, :])[0]:
        drafted = draft_teams(task.problem, task.rng)
        if drafted is None:
            return best.found(bound=bound, proven=False)
        labels = drafted
    best.offer(labels[None, :])
    freed = _few(task, labels)
    small = subproblem(task.problem, labels, freed)
    near = replace(task, problem=small, keep=1, start=())
    mended = Best(near)
    improve(near, _labels_of(small, labels[freed]), mended, bound, disturbances=0)
    for ranked in mended.found(bound=bound, proven=False).ranked:
        whole = labels.copy()
        whole[freed] = ranked.labels[task.problem.n_teams :]
        best.offer(whole[None, :])
    return best.found(bound=bound, proven=best.reaches(bound))


def _few(task: Task, labels: Labels) -> NDArray[np.intp]:
    """Return a few players of each team who are bound to nobody and to no team."""
    problem = task.problem
    free = (np.array(problem.fixed) < 0) & (problem.sizes == 1)
    free[[block for pair in problem.apart for block in pair]] = False
    own = [np.flatnonzero(free & (labels == team)) for team in range(problem.n_teams)]
    return np.concatenate([task.rng.choice(few, size=min(FREED, len(few)), replace=False) for few in own])


def _labels_of(small: Problem, labels: Labels) -> Labels:
    return np.concatenate([np.arange(small.n_teams, dtype=np.int8), labels])


def fold(problem: Problem) -> Labels:
    """Return a split by rows, shape (n_blocks,); where preferences are many it may break a rule."""
    labels = np.array(problem.fixed, dtype=np.int8)
    rooms = even_rooms(problem)
    rooms -= problem.counts(labels[None, :])[0]
    sums = np.array([problem.features[labels == team, MU].sum() for team in range(problem.n_teams)])
    bound = np.zeros(problem.n_blocks, dtype=np.bool_)
    bound[[block for pair in problem.apart for block in pair]] = True
    first = (labels < 0) & (bound | (problem.sizes != 1))
    _place_first(problem, labels, np.flatnonzero(first), rooms, sums)
    _place_rows(problem.features[:, MU], labels, np.flatnonzero(labels < 0), rooms, sums)
    return labels


def _place_first(
    problem: Problem, labels: Labels, blocks: NDArray[np.intp], rooms: Ints, sums: Floats
) -> None:
    """Place blocks that are no mere players, largest first, where there is most room and the least total."""
    enemies: dict[int, list[int]] = {}
    for one, other in problem.apart:
        enemies.setdefault(one, []).append(other)
        enemies.setdefault(other, []).append(one)
    mu, sizes = problem.features[:, MU], problem.features[:, COUNT]
    room, total = rooms.tolist(), sums.tolist()
    for block in blocks[np.lexsort((-mu[blocks], -sizes[blocks]))].tolist():
        shut = {int(labels[other]) for other in enemies.get(block, ())}
        teams = [team for team in range(problem.n_teams) if team not in shut and room[team] >= sizes[block]]
        if not teams:
            teams = [int(np.argmax(room))]
        # Room and total alike: what a team lacks of players is worth the mean of those to come.
        team = min(teams, key=lambda team: (-room[team], total[team]))
        labels[block] = team
        room[team] -= int(sizes[block])
        total[team] += float(mu[block])
    rooms[:], sums[:] = room, total


def _place_rows(mu: Floats, labels: Labels, blocks: NDArray[np.intp], rooms: Ints, sums: Floats) -> None:
    """Place players row by row, the strongest of a row where the total is least."""
    blocks = blocks[np.argsort(-mu[blocks], kind="stable")]
    at = 0
    room, total, strength = rooms.tolist(), sums.tolist(), mu[blocks].tolist()
    placed = np.empty(len(blocks), dtype=np.int8)
    while at < len(blocks):
        teams = sorted((team for team in range(len(room)) if room[team] > 0), key=total.__getitem__)
        if not teams:
            placed[at:] = 0
            break
        for team in teams[: len(blocks) - at]:
            placed[at] = team
            room[team] -= 1
            total[team] += strength[at]
            at += 1
    labels[blocks] = placed


def _suits(task: Task) -> Fit:
    return Fit.BEST if task.criterion.has_reach and splits(task.problem) > 1 else Fit.NO


SOLVER = Solver("fold", solve, seeded=True, least=MANY + 1, suits=_suits)
