"""``resplit``: large neighbourhood search: again and again some components are freed and divided exactly.

For two teams too large to be solved whole, and for three and more.  A start is drafted and climbed down
from; then random sets of components are re-divided by meeting in the middle while all others stay, which
finds the best of millions of splits a time.  Not exact: it says how far from a bound it ended.

Of three and more teams any two are re-divided while the others stay: for two the problem is the one
:mod:`equipoise.teams.solvers.meet_in_the_middle` solves, so every pair of teams can be brought to its optimum
in a millisecond.  Going through the pairs until none gets better, and again after some blocks were exchanged
at random, ends near the best split of all.

References
----------
P. Shaw, "Using constraint programming and local search methods to solve vehicle routing problems",
CP 1998, doi:10.1007/3-540-49481-2_30 (large neighbourhood search).
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from equipoise.core.arrays import Labels
from equipoise.core.compiled import pays
from equipoise.core.stopping import seconds_left
from equipoise.errors import UnsupportedError
from equipoise.teams.problem.problem import COUNT, MU, Problem, subproblem
from equipoise.teams.solvers.anneal import Neighbourhood, climb_down
from equipoise.teams.solvers.meet_in_the_middle import meet
from equipoise.teams.solvers.task import Best, Fit, Found, Solver, Task
from equipoise.teams.solvers.two_team_bounds import lower_bound

#: Random orders in which a start is tried to be drafted.
TRIES = 50  # effort

#: Pairs of teams that are re-divided at the most with the usual effort, and the blocks that halve their
#: number: for each pair all of them are looked at.
MOST_PAIRS, HALVING = 600, 200  # effort

#: Rows of plain re-splits, all together, from which loading numba pays: a second of them.
LOAD_FROM = 1 << 19  # effort

#: Times the search goes on from a split disturbed at random.
DISTURBANCES = 30  # effort

#: Exchanges of two blocks that disturb a split.
EXCHANGES = 3  # effort

#: Blocks of two teams that are re-divided at once: all of most pairs.
MOST_FREED = 24  # effort

#: What one re-split may take, as a share of the usual effort.
PATIENCE = 1.0 / 256.0  # effort


def draft_teams(problem: Problem, rng: np.random.Generator) -> Labels | None:
    """Return a legal split, the next strongest block to the weakest team with room; None if none is found.

    Returns
    -------
    ndarray of int8, shape (n_blocks,), or None
    """
    rooms = even_rooms(problem)
    strength = np.abs(problem.features[:, MU])
    for attempt in range(TRIES):
        shaken = strength * rng.uniform(1.0 - attempt / TRIES, 1.0, size=len(strength))
        labels = _placed(problem, np.lexsort((-shaken, -problem.sizes)), rooms if attempt % 2 == 0 else None)
        if labels is not None and problem.legal(labels[None, :])[0]:
            return labels
    return None


def even_rooms(problem: Problem) -> NDArray[np.int64]:
    """Return team sizes as equal as the limits allow, shape (n_teams,)."""
    least, most = np.array(problem.min_size, dtype=np.int64), np.array(problem.max_size, dtype=np.int64)
    low, high = 0, problem.n_players
    while low < high:
        level = (low + high + 1) // 2
        low, high = (
            (low, level - 1) if np.clip(level, least, most).sum() > problem.n_players else (level, high)
        )
    rooms = np.clip(low, least, most)
    more = np.flatnonzero((rooms < most) & (rooms == low))[: max(problem.n_players - int(rooms.sum()), 0)]
    rooms[more] += 1
    return np.asarray(rooms)


def _placed(problem: Problem, order: NDArray[np.intp], rooms: NDArray[np.int64] | None) -> Labels | None:
    """Place blocks in an order; None where one finds no team."""
    labels = np.full(problem.n_blocks, -1, dtype=np.int8)
    sums = np.zeros(problem.n_teams)
    counts = np.zeros(problem.n_teams, dtype=np.int64)
    most = np.array(problem.max_size) if rooms is None else rooms
    enemies: list[list[int]] = [[] for _ in range(problem.n_blocks)]
    for one, other in problem.apart:
        enemies[one].append(other)
        enemies[other].append(one)
    for block in sorted(order.tolist(), key=lambda block: problem.fixed[block] < 0):
        fits = counts + problem.sizes[block] <= most
        if problem.fixed[block] >= 0:
            fits = np.arange(problem.n_teams) == problem.fixed[block]
        for other in enemies[block]:
            if labels[other] >= 0:
                fits[labels[other]] = False
        if not fits.any():
            return None
        open_teams = np.flatnonzero(fits)
        team = open_teams[np.lexsort((sums[open_teams], counts[open_teams]))[0]]
        labels[block] = team
        sums[team] += problem.features[block, MU]
        counts[team] += problem.sizes[block]
    return labels


def improve(task: Task, start: Labels, best: Best, bound: float, disturbances: int = DISTURBANCES) -> None:
    """Re-divide pairs of teams until no pair gets better, disturb, and go on; offer what is found."""
    left = math.ceil(task.effort * MOST_PAIRS / (1.0 + task.problem.n_blocks / HALVING))
    current, _ = _settled(task, start, best, left)
    for _ in range(math.ceil(task.effort * disturbances)):
        if task.stop() or left <= 0 or best.reaches(bound):
            return
        disturbed = _disturbed(task.problem, current, task.rng)
        settled, used = _settled(task, disturbed, best, left)
        left -= used
        if _rank(task, settled) <= _rank(task, current):
            current = settled


def _settled(task: Task, labels: Labels, best: Best, most: int) -> tuple[Labels, int]:
    """Return a split no pair of whose teams can be divided better, and how many pairs were tried.

    The pair that costs most by itself comes first, among those that have changed since they were tried.
    """
    pairs = np.array(list(combinations(range(task.problem.n_teams), 2)))
    settled = np.zeros(len(pairs), dtype=np.bool_)
    rows = 2 ** (min(2 * task.problem.n_blocks // task.problem.n_teams, MOST_FREED) // 2)
    used = 0
    while not settled.all() and used < most and not task.stop():
        totals = task.problem.totals(labels[None, :])[0][pairs]
        settled |= totals[:, :, COUNT].sum(axis=1) == 0.0  # nobody is in either team
        open_pairs = np.flatnonzero(~settled)
        if not len(open_pairs):
            break
        at = int(open_pairs[task.criterion.cost(totals[open_pairs]).argmax()])
        better = redivide(task, labels, (int(pairs[at, 0]), int(pairs[at, 1])), best)
        used += 1
        # Once numba is loaded, smaller work is compiled too.
        pays(used * rows, LOAD_FROM, seconds_left(task.stop))
        if _rank(task, better) < _rank(task, labels):
            labels = better
            settled &= ~np.isin(pairs, pairs[at]).any(axis=1)
        settled[at] = True
    best.offer(labels[None, :])
    return labels, used


def _rank(task: Task, labels: Labels) -> tuple[float, float, float]:
    """Return what is compared: how far limits are exceeded, the cost, and how far apart the sums are."""
    totals = task.problem.totals(labels[None, :])
    excess = sum(max(float(limit.criterion.cost(totals)[0]) - limit.cost, 0.0) for limit in task.limits)
    return excess, float(task.criterion.cost(totals)[0]), float(totals[0, :, MU].var())


def redivide(task: Task, labels: Labels, pair: tuple[int, int], best: Best) -> Labels:
    """Return the split with two teams re-divided, the best of a few by the whole task's measure."""
    blocks = np.flatnonzero((labels == pair[0]) | (labels == pair[1]))
    if not task.problem.sizes[blocks].any():
        return labels
    part = _part(task.problem, labels, pair, blocks)
    if len(blocks) > MOST_FREED:
        freed = _few(task, part)
        part = subproblem(part, (labels[blocks] == pair[1]).astype(np.int8), freed)
        blocks = blocks[freed]
    found = meet(replace(task, problem=part, start=(), keep=4), patience=PATIENCE)
    candidates = [labels]
    for ranked in found.ranked:
        candidate = labels.copy()
        candidate[blocks] = np.where(ranked.labels[-len(blocks) :] == 0, pair[0], pair[1])
        candidates.append(candidate)
    legal = np.array(candidates, dtype=np.int8)
    legal = legal[task.problem.legal(legal)]
    best.offer(legal)
    return min(legal, key=lambda candidate: _rank(task, candidate))


def _part(problem: Problem, labels: Labels, pair: tuple[int, int], blocks: NDArray[np.intp]) -> Problem:
    """Return the problem of dividing the blocks of two teams while all others stay."""
    if problem.n_teams == 2:
        return problem
    counts = problem.counts(labels[None, :])[0]
    others = np.delete(counts, pair)
    least, most = int(others.max()) - problem.max_difference, int(others.min()) + problem.max_difference
    excess = max(int((others - np.delete(np.array(problem.seats), pair)).max()), 0)
    place = {int(block): n for n, block in enumerate(blocks)}
    team_place = {pair[0]: 0, pair[1]: 1}
    return replace(
        problem,
        features=problem.features[blocks],
        min_size=tuple(max(problem.min_size[team], least) for team in pair),
        max_size=tuple(min(problem.max_size[team], most) for team in pair),
        seats=tuple(problem.seats[team] + excess for team in pair),
        apart=tuple((place[a], place[b]) for a, b in problem.apart if a in place and b in place),
        fixed=tuple(team_place.get(problem.fixed[block], -1) for block in blocks),
        members=tuple(problem.members[block] for block in blocks),
    )


def _few(task: Task, part: Problem) -> NDArray[np.intp]:
    """Return a few blocks that are bound to nobody."""
    chosen = np.zeros(part.n_blocks, dtype=np.bool_)
    chosen[task.rng.choice(part.n_blocks, size=MOST_FREED, replace=False)] = True
    chosen[[place for one in part.apart for place in one]] = False
    return np.flatnonzero(chosen)


def _disturbed(problem: Problem, labels: Labels, rng: np.random.Generator) -> Labels:
    """Return the split after some exchanges of two random blocks that keep the rules."""
    disturbed = labels.copy()
    done = 0
    for _ in range(20 * EXCHANGES):
        one, other = rng.integers(problem.n_blocks, size=2)
        if disturbed[one] == disturbed[other]:
            continue
        exchanged = disturbed.copy()
        exchanged[[one, other]] = disturbed[[other, one]]
        if problem.legal(exchanged[None, :])[0]:
            disturbed = exchanged
            done += 1
            if done == EXCHANGES:
                break
    return disturbed


def whole_numbers(problem: Problem) -> bool:
    """Tell whether all totals of mu are whole numbers, and none so large that they are rounded."""
    bots = problem.filler is None or float(problem.filler[MU]).is_integer()
    return problem.integral and bots and problem.rounding.mu < 0.5


def range_bound(task: Task) -> float:
    """Return a cost that no split is below: whole totals that the teams cannot share evenly differ.

    That holds for teams of any sizes where the scale's zero is 0, else for teams of one size, as long as no
    bots change what there is to share.
    """
    problem = task.problem
    whole = problem.filler is None and problem.roles is None and whole_numbers(problem)
    whole = whole and (task.criterion.zero == 0.0 or problem.level)
    if not (task.criterion.by_difference and whole):
        return task.criterion.floor
    weight, step = problem.grid if problem.level else (0.0, 1.0)
    of_team = weight * (problem.n_players // problem.n_teams)
    sum_of_all = int(problem.features[:, MU].sum()) - int(of_team) * problem.n_teams
    share, rest = divmod(sum_of_all // int(step), problem.n_teams)
    totals = np.repeat(problem.features.sum(axis=0)[None, None, :] / problem.n_teams, problem.n_teams, axis=1)
    totals[0, :, MU] = [of_team + step * (share + (team < rest)) for team in range(problem.n_teams)]
    return max(float(task.criterion.cost(totals)[0]), task.criterion.floor)


#: Components freed at once, round by round: some quick rounds, then two that search 256 times more.  Twice as
#: many take twice as long and end as near.
FREED = (22,) * 6 + (30,) * 2  # effort

#: Share of the usual effort that one round may take.
RESPLIT_PATIENCE = 1.0 / 64.0  # effort


def solve(task: Task) -> Found:
    """Climb, then re-divide parts exactly; see :class:`equipoise.teams.solvers.task.Solver`.

    Raises
    ------
    InputError
        If the criterion has no reach.
    """
    if not task.criterion.has_reach:
        msg = ": 'resplit' needs a criterion with a reach; 'enumerate' and 'climb' do without"
        raise UnsupportedError(msg, "solver")
    if task.problem.n_teams != 2:
        return _pair_by_pair(task)
    near = Neighbourhood(task)
    best = Best(task)
    bound = lower_bound(task, near.parts)
    start = near.start()
    if start is None:
        return best.found(bound=bound, proven=True)
    climb_down(near, start, best)
    for freed in FREED * max(round(task.effort), 1):
        if task.stop() or best.reaches(bound):
            break
        incumbent = best.found(bound=bound, proven=False).ranked
        if not incumbent:
            break
        chosen = task.rng.permutation(near.open)[:freed]
        _divide_anew(task, near, incumbent[0].labels, chosen, best)
    return best.found(bound=bound, proven=best.reaches(bound))


def _pair_by_pair(task: Task) -> Found:
    """Re-divide three and more teams two at a time."""
    best = Best(task)
    bound = range_bound(task)
    start = task.start[0] if task.start else draft_teams(task.problem, task.rng)
    if start is not None:
        improve(task, start, best, bound)
    return best.found(bound=bound, proven=best.reaches(bound))


def _divide_anew(
    task: Task, near: Neighbourhood, labels: Labels, chosen: NDArray[np.intp], best: Best
) -> None:
    """Divide the chosen components exactly while all other blocks stay where they are."""
    freed = np.flatnonzero(np.isin(near.parts.component, chosen))
    part = subproblem(task.problem, labels, freed)
    found = meet(replace(task, problem=part, start=()), patience=RESPLIT_PATIENCE)
    for ranked in found.ranked:
        whole = labels.copy()
        whole[freed] = ranked.labels[2:]
        best.offer(whole[None, :])


def _suits(task: Task) -> Fit:
    return Fit.ABLE if task.criterion.has_reach else Fit.NO


SOLVER = Solver("resplit", solve, seeded=True, suits=_suits)
