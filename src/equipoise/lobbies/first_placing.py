"""From a layout to a good placing: who goes where at first, and exchanges of alike blocks that improve it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from equipoise.core.arrays import Bools, Floats, Ints, Places
from equipoise.core.compiled import chosen
from equipoise.core.stopping import Stop, seconds_left
from equipoise.lobbies.kernels import exchange
from equipoise.lobbies.layout import Layout
from equipoise.lobbies.problem import WAITING, LobbyProblem, Placing

#: Times everyone is offered an exchange; most searches end long before.
MOST_ROUNDS = 60  # effort

#: Share of what could be improved that, if left by a round, ends the search.
LITTLE = 0.98

#: Share of the value below which the improvement by new lobbies for teams ends the search.
ENOUGH = 1e-5

#: Standard deviations from the mean within which a team seeks no exchange of its own: far teams first.
SKIPPED = 0.5

#: Players from which loading the compiled kernel pays: plain Python needs about half a second for them.
COMPILED_FROM = 2_000  # effort

#: Blocks up to which the first placing is improved.
MOST_IMPROVED = 100_000  # effort

#: The least share of what lobbies' means are apart that is left when they are mixed.
NEAREST = 0.01

#: Blocks that are offered an exchange in plain Python before it is asked whether to stop.
PLAIN_CHUNK = 500  # effort


def arrange(problem: LobbyProblem, layout: Layout, stop: Stop) -> Placing:
    """Return a good placing with the teams of a layout.

    Blocks are dealt in rounds, the strongest to the team that needs most for each empty seat; then blocks
    of one size are exchanged, teams given new lobbies, and blocks exchanged again.  So many that this takes
    seconds are only dealt: their solver may know a better beginning.
    """
    dealt = deal(problem, layout)
    return dealt if problem.n_blocks > MOST_IMPROVED else improve(problem, dealt, stop)


def improve(problem: LobbyProblem, placing: Placing, stop: Stop, enough: float = 0.0) -> Placing:
    """Return a placing in which no exchange of two near blocks of one size helps, or the time is up.

    Lobbies keep their numbers of teams.  Exchanges come first and new lobbies for teams second: the other
    way round the search is caught early.

    Parameters
    ----------
    enough : float
        The value at which it ends.
    """
    placing = exchange_all(problem, placing, stop, enough)
    for _ in range(MOST_ROUNDS):
        if stop() or placing.value(problem) <= enough:
            break
        moved = relabelled(problem, placing)
        if moved is None:
            break
        better = exchange_all(problem, moved, stop, enough)
        if not better.value(problem) < placing.value(problem) * (1.0 - ENOUGH):
            break
        placing = better
    return placing


def deal(problem: LobbyProblem, layout: Layout) -> Placing:
    """Return a first placing with the teams and blocks of a layout."""
    lobby, makeup = np.nonzero(layout.teams)
    times = layout.teams[lobby, makeup]
    lobby, makeup = np.repeat(lobby.astype(np.int32), times), np.repeat(makeup, times)
    sizes = (layout.makeups @ np.arange(layout.makeups.shape[1]))[makeup]
    goal = problem.target[lobby] * (sizes if problem.per_player else 1)
    centre = float(goal.sum() / max(sizes.sum(), 1))
    team = np.full(problem.n_blocks, WAITING, dtype=np.int32)
    need, free = goal.astype(np.float64), sizes.astype(np.float64)
    for size in sorted(set(layout.kinds[:, 0].tolist()), reverse=True):
        if size >= layout.makeups.shape[1]:
            continue
        for lobbies, mine in _pools(problem, layout, size, centre):
            seats = layout.makeups[makeup, size]
            teams = np.flatnonzero(np.isin(lobby, lobbies) & (seats > 0))
            _deal_pool(problem.skill, mine, teams, seats, size, need, free, team)
    return Placing(team, lobby.astype(np.int32, copy=False))


def _pools(problem: LobbyProblem, layout: Layout, size: int, centre: float) -> list[tuple[Ints, Ints]]:
    """Return lobbies and the blocks of one size dealt to them; with bars each lobby has its own."""
    pools: dict[int, list[Ints]] = {}
    rising = np.argsort(problem.target, kind="stable")
    blocks = np.flatnonzero(problem.size == size)
    blocks = blocks[np.argsort(problem.kind[blocks], kind="stable")]
    kinds = problem.kind[blocks]
    for group in np.flatnonzero(layout.kinds[:, 0] == size):
        kind = layout.kinds[group, 1]
        mine = blocks[np.searchsorted(kinds, kind) : np.searchsorted(kinds, kind, "right")]
        share = layout.blocks[:, group]
        # Who is nearest to what a seat needs is dealt; the most extreme wait.
        if share.sum() < len(mine):
            nearest = np.argsort(np.abs(problem.skill[mine] / size - centre), kind="stable")
            mine = mine[np.sort(nearest[: share.sum()])]
        if not problem.barred:
            pools.setdefault(0, []).append(mine)
            continue
        mine = mine[np.argsort(problem.skill[mine], kind="stable")]
        mine = mine[_mixed(problem, mine, share[rising], problem.target[rising])]
        ends = np.cumsum(share[rising])
        for place in np.flatnonzero(share[rising]).tolist():
            lobby, end = int(rising[place]), int(ends[place])
            pools.setdefault(lobby, []).append(mine[end - share[lobby] : end])
    if not problem.barred:
        return [(np.arange(problem.n_lobbies), np.concatenate(parts)) for parts in pools.values()]
    return [(np.array([lobby]), np.concatenate(parts)) for lobby, parts in pools.items()]


def _mixed(problem: LobbyProblem, blocks: Ints, share: Ints, target: Floats) -> Ints:
    """Return an order of blocks of which each lobby takes its share, one after another.

    Sorted by skill, the lobbies' means would be farther apart than their targets: noise brings them nearer.

    Parameters
    ----------
    blocks : ndarray of int, shape (n,)
        Of one size, by ascending skill.
    share : ndarray of int, shape (n_lobbies,)
        How many each lobby takes.
    target : ndarray of float, shape (n_lobbies,)
        Their targets, ascending.
    """
    skill = problem.skill[blocks]
    whose = np.repeat(np.arange(len(share)), share)
    mean = (np.bincount(whose, weights=skill, minlength=len(share)) / np.maximum(share, 1))[whose]
    goal = target[whose] * float(problem.size[blocks].max(initial=1))
    goal = goal if problem.per_player else goal / problem.team_size
    apart = float(((mean - mean.mean()) ** 2).sum()) if len(blocks) else 0.0
    if apart == 0.0:
        return np.arange(len(blocks))
    # The mean of those with the same place by skill and noise is so much nearer to the mean of all.
    nearer = float(((mean - mean.mean()) * (goal - goal.mean())).sum()) / apart
    if nearer >= 1.0:
        return np.arange(len(blocks))
    nearer = max(nearer, NEAREST)
    noise = np.random.default_rng(0).normal(
        0.0, float(skill.std()) * (1.0 / nearer - 1.0) ** 0.5, len(blocks)
    )
    return np.argsort(skill + noise, kind="stable")


def _deal_pool(
    skill: Floats, blocks: Ints, teams: Ints, seats: Ints, size: int, need: Floats, free: Floats, team: Places
) -> None:
    """Deal blocks to teams in rounds, the strongest left to who needs most; fills in ``team``."""
    blocks = blocks[np.argsort(-skill[blocks], kind="stable")]
    while len(blocks):
        teams = teams[seats[teams] > 0]
        order = teams[np.argsort(-need[teams] / free[teams], kind="stable")]
        now, blocks = blocks[: len(order)], blocks[len(order) :]
        team[now] = order
        need[order] -= skill[now]
        free[order] -= size
        seats[order] -= 1


def exchange_all(problem: LobbyProblem, placing: Placing, stop: Stop, enough: float = 0.0) -> Placing:
    """Return the placing after exchanges of blocks of one size, until none helps or its value is enough."""
    n_teams, sizes = len(placing.lobby), placing.sizes(problem)
    goal = problem.target[placing.lobby] * (sizes if problem.per_player else 1)
    # Those who wait are one more team, whose deviation counts nothing, in a lobby where all may be.
    away = np.append(placing.totals(problem) - goal, 0.0)
    scale = np.append(1.0 / sizes if problem.per_player else np.ones(n_teams), 0.0)
    lobby = np.append(placing.lobby, np.int32(problem.n_lobbies))
    del goal, sizes
    may = np.concatenate([problem.may, np.ones((len(problem.may), 1), dtype=np.bool_)], axis=1).reshape(-1)
    columns = problem.n_lobbies + 1 if len(problem.may) > 1 else 0
    run = chosen(exchange, problem.n_blocks, COMPILED_FROM, seconds_left(stop))
    sweep = _plain if run is exchange else run
    classes = [_Class.of(problem, placing, size) for size in np.unique(problem.size)]
    value = np.inf
    for _ in range(MOST_ROUNDS):
        moved = 0
        for blocks, skill, kind, mine in classes:
            middle, spread = float(away[:-1].mean()), SKIPPED * float(away[:-1].std())
            chunk = PLAIN_CHUNK if run is exchange else len(blocks)
            for begin in range(0, len(blocks), chunk):
                moved += sweep(
                    skill, kind, mine, away, scale, lobby, may, columns, problem.absolute, middle, spread,
                    begin, min(begin + chunk, len(blocks)),
                )  # fmt: skip
                if stop():
                    break
        costs = away[:-1] * scale[:-1]
        # What exchanges cannot change, the deviation that all share, does not count as progress left.
        now = float(np.abs(costs).sum() if problem.absolute else costs.var() * len(costs))
        shared = 0.0 if problem.absolute else float(costs.mean()) ** 2 * len(costs)
        if not moved or stop() or now > value * LITTLE or now + shared <= enough:
            break
        value = now
    team = np.empty_like(placing.team)
    for blocks, _, _, mine in classes:
        team[blocks] = mine
    del classes
    team[team == n_teams] = WAITING
    return Placing(team, placing.lobby)


class _Class(NamedTuple):
    """Blocks of one size by ascending skill, and the skill, kind and team of each."""

    blocks: Ints
    skill: Floats
    kind: Places
    team: Places

    @classmethod
    def of(cls, problem: LobbyProblem, placing: Placing, size: int) -> _Class:
        blocks = rising(problem, size)
        team = placing.team[blocks]
        team[team == WAITING] = len(placing.lobby)
        # Where all are of one kind, the number of columns is 0, and any indices will do.
        kind = problem.kind[blocks].astype(np.int32) if len(problem.may) > 1 else team
        return cls(blocks, problem.skill[blocks], kind, team)


def rising(problem: LobbyProblem, size: int) -> Ints:
    """Return the blocks of a size by ascending skill."""
    mine = problem.size == size
    if mine.all():
        return np.argsort(problem.skill, kind="stable")
    blocks = np.flatnonzero(mine)
    return blocks[np.argsort(problem.skill[blocks], kind="stable")]


def _plain(
    skill: Floats,
    kind: Places,
    team: Places,
    away: Floats,
    scale: Floats,
    lobby: Places,
    may: Bools,
    *others: Any,
) -> int:
    """Do what the kernel does on lists, which are far quicker where nothing is compiled."""
    of_team, how_far = team.tolist(), away.tolist()
    columns = skill.tolist(), kind.tolist(), of_team, how_far, scale.tolist(), lobby.tolist(), may.tolist()
    exchanged = exchange(*columns, *others)
    team[:], away[:] = of_team, how_far
    return exchanged


def relabelled(problem: LobbyProblem, placing: Placing) -> Placing | None:
    """Return the placing with lobbies dealt again: the weakest teams to the lowest target, and so on.

    This is the best for given teams, whatever their sizes and whatever convex deviation counts.
    None where bars forbid it, or nothing changes.
    """
    if problem.barred:
        return None
    totals = placing.totals(problem)
    rank = np.argsort(totals / placing.sizes(problem) if problem.per_player else totals, kind="stable")
    by_target = np.argsort(problem.target, kind="stable")
    counts = np.bincount(placing.lobby, minlength=problem.n_lobbies)
    lobby = np.empty_like(placing.lobby)
    lobby[rank] = np.repeat(by_target, counts[by_target])
    after = Placing(placing.team, lobby)
    return after if after.value(problem) < placing.value(problem) else None
