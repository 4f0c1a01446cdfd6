"""The door: :func:`fill` puts players and parties into teams and lobbies, and says what is proven.

Unless a solver is named, ``exact`` is asked where all teams can be listed, ``large`` before it and for the
rest.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.core.fields import frozen_number
from equipoise.core.linear_programs import affordable
from equipoise.core.player import Player, Rating
from equipoise.core.registry import LOBBY_SOLVERS, resolve
from equipoise.core.stopping import Stop, never, seconds_left, share_of
from equipoise.errors import InputError, again
from equipoise.lobbies import exact, large
from equipoise.lobbies.annealing import enough_of, search
from equipoise.lobbies.fill_fields import FILL_FIELDS
from equipoise.lobbies.first_placing import arrange
from equipoise.lobbies.infeasibility import advice, conflict, plain_conflict
from equipoise.lobbies.layout import Layout, evenly, lay_out
from equipoise.lobbies.plan import FilledLobby, Lobby, LobbyPlan, LobbyRule
from equipoise.lobbies.problem import (
    WAITING,
    LobbyProblem,
    LobbyRequest,
    LobbySolver,
    LobbyTask,
    Placed,
    Placing,
    gather,
)
from equipoise.lobbies.quick_bounds import best_counts
from equipoise.teams.objectives.units import units_of
from equipoise.teams.problem.build import rated
from equipoise.teams.problem.exactness import CommonUnit, Unit, counted
from equipoise.teams.solution import Status


def fill(
    players: Iterable[Player] | Mapping[str, float | Rating | None],
    lobbies: Iterable[Lobby] | Mapping[str, float | None],
    *,
    team_size: int,
    min_size: int | None = None,
    deviation: str = "squared",
    per_player: bool = False,
    zero: float | None = None,
    body: float | None = None,
    parties: Iterable[Sequence[str]] = (),
    barred: Mapping[str, Collection[str]] | None = None,
    caution: float = 0.0,
    default: float | None = None,
    all_play: bool = False,
    solver: str | LobbySolver = "auto",
    stop: Stop = never,
) -> LobbyPlan:
    """Put players and parties into teams, and the teams into lobbies, each near its lobby's target.

    As few players wait as possible, and among all plans with so few the one with the least value is sought.
    Where teams may be smaller than ``team_size``, everybody is placed if possible, in as few teams as
    possible.
    Lobbies without targets are bands of skill: equally many teams in each, the first the weakest, and the
    target of each is what a team of its share of the players, sorted by skill, has in the mean.

    Parameters
    ----------
    players : iterable of Player, or mapping from name to weight
        Who is here; ``Player.party`` keeps players together.
    lobbies : iterable of Lobby, or mapping from name to target
        Where they go; all have a target or none has.
    team_size : int
        How many players a team has.
    min_size : int, optional
        How many a team may have at least; by default ``team_size``.
    deviation : str
        ``"squared"`` or ``"absolute"``: how a team's distance from the target counts.
    per_player : bool
        Whether targets are for a team's mean; else for its total.
    zero, body : float, optional
        Where teams may be smaller and targets are totals: the weight that an empty seat counts as, or how
        many standard deviations of the weights that is below their mean; one unless either is given.
    parties : iterable of sequences of str
        Ids (or names) of players who stay together, besides those of ``Player.party``.
    barred : mapping from str to collection of str, optional
        The names of the lobbies that a player, by id (or name), may not be in.
    caution : float
        How many sigmas are taken off a player's mu: 0 counts the mean, 3 what is nearly sure.
    default : float, optional
        The weight of players without one; by default the mean of the others.
    all_play : bool
        Whether nobody may wait.  Else whoever may be in no open lobby, alone or with a party, waits, and the
        plan is that of the others.
    solver : str or callable
        A name of :data:`equipoise.core.registry.LOBBY_SOLVERS`, ``"module:attribute"``, the thing itself, or
        ``"auto"``.
    stop : callable
        Asked now and then; once it returns True the solver ends with what it has.
        :func:`equipoise.deadline` makes one from seconds.

    Returns
    -------
    LobbyPlan
        With status infeasible, and rules that contradict, where the limits cannot be met.

    Raises
    ------
    InputError
        If an argument is at fault.
    UnknownNameError
        If a solver does not exist.

    Examples
    --------
    >>> skills = {"Ann": 4.0, "Bob": 3.5, "Cid": 2.5, "Dee": 2.0, "Eve": 1.5, "Fay": 1.0}
    >>> plan = fill(skills, {"calm": 3.0, "wild": 6.0}, team_size=2)
    >>> plan.status.value, plan.value, plan.gap
    ('optimal', 0.25, 0.0)
    >>> [(lobby.name, [[player.id for player in team] for team in lobby.teams]) for lobby in plan.lobbies]
    [('calm', [['Dee', 'Fay']]), ('wild', [['Bob', 'Cid'], ['Ann', 'Eve']])]
    """
    caution, default, zero, body = (
        frozen_number(number, name)
        for name, number in (("caution", caution), ("default", default), ("zero", zero), ("body", body))
    )
    single = {
        "team_size": team_size, "deviation": deviation, "caution": caution, "default": default
    }  # fmt: skip
    for field, value in single.items():
        FILL_FIELDS[field].check(value)
    if min_size is not None and not 1 <= min_size <= team_size:
        msg = f"must be from 1 to the team size of {team_size}, got {min_size}"
        raise InputError(msg, "min_size")
    places = _lobbies(lobbies)
    method: LobbySolver | None = None
    if callable(solver) or solver != "auto":
        method = resolve("solver", {"auto": "", **LOBBY_SOLVERS}, solver)
    roster = rated(players, default)
    if not roster.players:
        msg = "players must be at least one, got none"
        raise InputError(msg)
    asked = gather(
        roster, places, team_size=team_size, min_size=min_size or team_size, parties=parties,
        barred=barred or {}, caution=caution,
    )  # fmt: skip
    name = solver if isinstance(solver, str) else getattr(solver, "__name__", "own")
    plan = LobbyPlan(
        Status.INFEASIBLE, deviation, name, default_weight=roster.default, unrated=roster.unrated,
        parties=asked.named_parties(), barred=asked.named_bars(),
    )  # fmt: skip
    everyone, out = asked, () if all_play else asked.shut_out()
    if out:
        asked = asked.without(out)
        plan = replace(plan, shut_out=tuple(roster.players[place].id for place in out))
    rules = plain_conflict(everyone, all_play=all_play)
    if rules:
        return replace(plan, conflict=rules, advice=advice(everyone, all_play=all_play))
    if not len(asked.skill) and not any(lobby.min_teams for lobby in places):
        empty = tuple(FilledLobby(lobby.name, lobby.target or 0.0, (), ()) for lobby in places)
        waiters = everyone.roster.players
        return replace(plan, status=Status.OPTIMAL, lobbies=empty, waiting=waiters, value=0.0, bound=0.0)
    targets = np.array([lobby.target or 0.0 for lobby in places])
    averaged = roster.unrated > 0 and default is None and not caution
    common = _common_unit(everyone, np.append(targets, zero or 0.0), averaged=averaged)
    unit, asked = common.unit, replace(asked, skill=common.weights(asked.skill))
    # Counted from the zero, a team's total and its target are what they are with the empty seats filled up.
    seats = min_size not in (None, team_size) and not per_player
    units = units_of(asked.skill, np.zeros(len(asked.skill)), zero=zero, body=body, counted=common)
    seat = units.zero if seats else 0.0
    targets = unit.each_counted(targets) - seat * team_size
    problem = asked.problem(targets, absolute=deviation == "absolute", per_player=per_player)
    problem = replace(problem, skill=problem.skill - seat * problem.size) if seat else problem
    layout = lay_out(problem)
    if layout is None:
        rules = conflict(everyone, all_play=all_play)
        return replace(plan, conflict=rules, advice=advice(everyone, all_play=all_play))
    if all_play and layout.seated < problem.n_players:
        return replace(plan, **_waits(asked, layout))
    if places[0].target is None:
        problem, layout = _with_bands(problem, layout, asked.skill - seat)
    placed, used = _solved(problem, layout, method, stop)
    status = Status.OPTIMAL if placed.proven else Status.FEASIBLE
    worth = unit if problem.absolute else Unit(unit.numerator**2, unit.denominator**2)
    value = worth.shown(placed.placing.value(problem))
    filled, waiters = _named(problem, placed.placing, asked, seat, unit)
    if out:
        ids = {player.id for player in waiters} | {*plan.shut_out}
        waiters = tuple(player for player in everyone.roster.players if player.id in ids)
    return replace(
        plan, status=status, solver=used or name, lobbies=filled, waiting=waiters, value=value,
        bound=value if placed.proven else worth.shown(placed.bound),
    )  # fmt: skip


def _common_unit(asked: LobbyRequest, others: Floats, *, averaged: bool) -> CommonUnit:
    """Return the unit in which weights, and other numbers in their unit, are whole."""
    skill, mean = asked.skill, asked.roster.default
    # Those without a weight have the mean of the others, which is that of those with another weight too.
    known = (skill[skill != mean] if (skill != mean).any() else skill[:1]) if averaged else skill
    more = float(np.abs(skill).sum()) if averaged else 0.0
    return counted(np.concatenate([known, others]), more, len(known) if averaged else 0)


def _waits(asked: LobbyRequest, layout: Layout) -> dict[str, Any]:
    """Return the rules that contradict where somebody would have to wait and nobody may."""
    n, most = len(asked.skill), f"at most {layout.seated} have a place in teams of {asked.team_size}"
    relax = "let teams be smaller, raise the numbers of teams, or let somebody wait"
    rules = (LobbyRule(f"all {n} players play", "let somebody wait"), LobbyRule(most, relax))
    return {"conflict": rules, "advice": relax}


def _solved(
    problem: LobbyProblem, layout: Layout, method: LobbySolver | None, stop: Stop
) -> tuple[Placed, str]:
    """Return what a solver placed, and its name where none was asked for."""
    if not layout.n_teams:
        nobody = Placing.of(np.full(problem.n_blocks, WAITING), np.zeros(0, dtype=np.int64))
        return Placed(nobody, 0.0, proven=True), ""
    start = arrange(problem, _with_best_counts(problem, layout), stop)
    task = LobbyTask(problem, layout.n_teams, problem.n_players - layout.seated, start, stop)
    return solve(task) if method is None else (method(task), "")


def _lobbies(lobbies: Iterable[Lobby] | Mapping[str, float | None]) -> tuple[Lobby, ...]:
    if isinstance(lobbies, Mapping):
        lobbies = [Lobby(name, target) for name, target in lobbies.items()]
    places = tuple(lobbies)
    if not places:
        msg = "lobbies must be at least one, got none"
        raise InputError(msg)
    names = [lobby.name for lobby in places]
    twice = again(names)
    if twice >= 0:
        msg = f"lobbies: {names[twice]!r} appears twice; names must differ"
        raise InputError(msg)
    without = [lobby.name for lobby in places if lobby.target is None]
    if 0 < len(without) < len(places):
        msg = f"lobbies: {without[0]!r} has no target, but others have; all or none must have one"
        raise InputError(msg)
    return places


def _with_bands(problem: LobbyProblem, layout: Layout, skill: Floats) -> tuple[LobbyProblem, Layout]:
    """Return problem and layout with chosen targets, and equally many teams a lobby where that can be."""
    even = evenly(problem.least, problem.most, layout.n_teams)
    fixed = replace(problem, least=even, most=even)
    other = lay_out(fixed)
    if other is not None and other.seated == layout.seated:
        problem, layout = fixed, other
    counts = layout.teams.sum(axis=1)
    players = np.round(np.cumsum(counts) / max(layout.n_teams, 1) * len(skill)).astype(int)
    rising = np.sort(skill)
    size = layout.seated / max(layout.n_teams, 1)
    targets = [
        float(rising[begin:end].mean()) * (1.0 if problem.per_player else size) if end > begin else 0.0
        for begin, end in zip([0, *players[:-1]], players, strict=True)
    ]
    return replace(problem, target=np.array(targets)), layout


def _with_best_counts(problem: LobbyProblem, layout: Layout) -> Layout:
    """Return the layout with numbers of teams whose targets sum to nearest the players' total."""
    if problem.n_lobbies == 1:
        return layout
    # What the teams have in all, if those who wait are like the others: totals, or means of players.
    seated = layout.n_teams if problem.per_player else layout.seated
    total = float(problem.skill.sum()) * seated / problem.n_players
    counts, _ = best_counts(problem, layout.n_teams, total)
    if not problem.barred:
        return layout.with_counts(counts)
    other = lay_out(replace(problem, least=counts, most=counts))
    return layout if other is None or other.seated < layout.seated else other


def _named(
    problem: LobbyProblem,
    placing: Placing,
    asked: LobbyRequest,
    seat: float,
    unit: Unit,
) -> tuple[tuple[FilledLobby, ...], tuple[Player, ...]]:
    """Return the lobbies with their players, and those who wait; of the problem, in units, from a seat's."""
    totals, sizes = placing.totals(problem), placing.sizes(problem)
    shown = totals / sizes if problem.per_player else totals + seat * sizes
    teams = np.lexsort((-shown, placing.lobby))
    # Lobby by lobby and team by team, the strongest first; those who wait come after all teams.
    rank = np.full(len(teams) + 1, len(teams), dtype=np.int32)
    rank[teams] = np.arange(len(teams))
    del totals
    roster = asked.roster
    team = placing.team[asked.block_of()] if asked.parties else placing.team
    order = np.lexsort((-roster.mu, rank[team]))
    counts = np.bincount(placing.lobby, minlength=problem.n_lobbies)
    filled, first, begin = [], 0, 0
    for lobby, target, count in zip(asked.lobbies, problem.target.tolist(), counts.tolist(), strict=True):
        mine = teams[first : first + count]
        end = begin + int(sizes[mine].sum())
        players = map(roster.players.__getitem__, order[begin:end].data)
        members = tuple(tuple(islice(players, size)) for size in sizes[mine].tolist())
        goal = unit.shown(target + seat * problem.team_size) if lobby.target is None else lobby.target
        filled.append(FilledLobby(lobby.name, goal, members, tuple(unit.each_shown(shown[mine]).tolist())))
        first, begin = first + count, end
    return tuple(filled), tuple(roster.players[place] for place in np.sort(order[begin:]).tolist())


#: Teams times lobbies up to which ``exact`` is all it takes; up to which it is tried with no limit of time,
#: for teams of two and for larger ones, whose integer programs are far harder; with one, for each second, of
#: both sorts; and at most of larger teams.
AT_ONCE, LISTED_PAIRS, LISTED = 4_000, 250_000, 60_000  # effort
PAIRS_A_SECOND, A_SECOND, MOST_LISTED = 300_000, 150_000, 4_000_000  # effort

#: Nodes of an integer program with no limit of time, for larger teams.
NODES = 200

#: The share of the time that ``exact`` has of what the first search leaves.
FOR_EXACT = 0.7


def solve(task: LobbyTask) -> tuple[Placed, str]:
    """Return what was found, and the name of the solver that found or proved it.

    With a limit of time the search goes on until it is over, or nobody could tell a better plan.
    """
    columns = exact.count_candidates(task.problem) if affordable(task.stop) else exact.MOST_CANDIDATES + 1
    limited = seconds_left(task.stop) < math.inf
    pairs = task.problem.team_size <= 2
    most = LISTED_PAIRS if pairs else LISTED
    if limited:
        each, listed = (PAIRS_A_SECOND, exact.MOST_CANDIDATES) if pairs else (A_SECOND, MOST_LISTED)
        most = max(most, int(min(seconds_left(task.stop) * each, listed)))
    if columns <= AT_ONCE:
        placed = exact.solve(replace(task, stop=share_of(task.stop, FOR_EXACT)))
        name = "exact"
    else:
        placed, name = large.solve(task, bounded=columns > most), "large"
        if columns <= most and not placed.proven and not task.stop():
            nodes = None if limited or pairs else NODES
            again = replace(task, start=placed.placing, stop=share_of(task.stop, FOR_EXACT), nodes=nodes)
            placed, name = _better(placed, exact.solve(again), task), "exact"
    if limited:
        if (
            columns <= most and columns > AT_ONCE and _is_open(task, placed)
        ):  # too many for the time there was
            more = large.solve(replace(task, start=placed.placing, stop=share_of(task.stop, FOR_EXACT)))
            placed = _better(placed, more, task)
        placed = _gone_on(task, placed)
    return placed, name


def _is_open(task: LobbyTask, placed: Placed) -> bool:
    """Tell whether plan and bound are so far apart that somebody could tell."""
    enough = enough_of(task.problem, task.n_teams, task.stop)
    return not placed.proven and placed.placing.value(task.problem) > placed.bound + enough


def _better(one: Placed, other: Placed, task: LobbyTask) -> Placed:
    """Return the better placing of two with the better bound."""
    values = one.placing.value(task.problem), other.placing.value(task.problem)
    placing, value = (one.placing, values[0]) if values[0] < values[1] else (other.placing, values[1])
    if other.proven:
        return Placed(placing, value, proven=True)
    return Placed(placing, min(max(one.bound, other.bound), value), proven=one.proven)


def _gone_on(task: LobbyTask, placed: Placed) -> Placed:
    """Return the best placing of searches with other random numbers until the time is up."""
    problem = task.problem
    enough = placed.bound + enough_of(problem, task.n_teams, task.stop)
    placing, seed = placed.placing, 0
    while not (placed.proven or task.stop() or placing.value(problem) <= enough):
        seed += 1
        # Every other search starts afresh: the longer ones from where the last ended.
        found = search(
            problem, placing, task.stop, bound=placed.bound, seed=seed, times=1.0 + (seed // 4) % 4
        )
        if found.value(problem) < placing.value(problem):
            placing = found
    return (
        placed if placed.proven else Placed(placing, min(placed.bound, placing.value(problem)), proven=False)
    )
