"""``balance``: the main job, from a roster to provably fair teams, one stage of an objective after the other.

The criteria of an objective stand in order, each a limit for those after it, each with its solver.  A stage's
limit is the best cost, the tolerance, and what rounding may do to both costs (:mod:`equipoise.core.ties`,
docs/algorithms/rounding.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np

from equipoise.core.arrays import Floats, Labels
from equipoise.core.player import NO_SIDE
from equipoise.core.registry import RERANKERS, SOLVERS, call_part, resolve
from equipoise.core.stopping import Stop
from equipoise.core.ties import EQUAL
from equipoise.core.win_probability import win_probability
from equipoise.errors import InputError
from equipoise.teams.objectives.objective import Criterion, Limit, Objective, Units
from equipoise.teams.problem.current_teams import renumbered, unmoved
from equipoise.teams.problem.preferences import Outcome, outcomes
from equipoise.teams.problem.problem import COUNT, MU, SIDE, VARIANCE, Problem
from equipoise.teams.problem.two_team_components import Contradiction
from equipoise.teams.request import BalanceRequest
from equipoise.teams.request_fields import Judge, Players
from equipoise.teams.solution import Solution, Split, Status
from equipoise.teams.solvers.task import (
    Fit,
    Found,
    Ranked,
    Solver,
    Task,
    far_apart,
    ranked_apart,
    shortage,
    signature,
)

if TYPE_CHECKING:
    from equipoise.teams.request_keywords import Keywords

#: Splits that are found for a criterion to re-rank.
RERANKED = 1000


#: The message when neither a legal split was found nor a proof that there is none.
NOTHING_YET = "no legal split was found in the time and with the effort there was"


def balance(players: Players | BalanceRequest, **keywords: Unpack[Keywords]) -> Solution:
    """Divide players into the fairest teams, and say what is proven of them.

    Parameters
    ----------
    players : iterable, mapping from name to weight, data frame, or BalanceRequest
        Who is here: players, names, pairs of name and weight, or mappings such as
        ``{"name": "Ann", "weight": 3}``, as in a roster file.  A weight may be a number, a
        :class:`Rating`, or None for unknown.
    **keywords
        What is asked: the fields of :class:`BalanceRequest`, where each is described.  Those most asked for
        are ``teams``, ``sizes``, ``bots``, ``parties``, ``apart``, ``fixed``, ``objective`` and ``keep``.

    Returns
    -------
    Solution
        With status infeasible, and the reason, where the rules contradict each other.

    Raises
    ------
    InputError
        If an argument is at fault.
    UnsupportedError
        If the solver that is asked for cannot do what is asked.
    UnknownNameError
        If an objective, solver or criterion does not exist.

    Examples
    --------
    >>> weights = {"Ann": 9, "Bob": 7, "Cid": 5, "Dan": 4, "Eve": 3, "Fay": 2}
    >>> solution = balance(weights, objective="difference")
    >>> solution.status.value, solution.value
    ('optimal', 0.0)
    >>> [[player.id for player in team] for team in solution.best.teams]
    [['Ann', 'Dan', 'Fay'], ['Bob', 'Cid', 'Eve']]
    """
    request = BalanceRequest.of(players, **keywords)
    named, units = request.asked
    problem, clash = request.problem, request.clash
    if problem is None or clash is not None:
        return _nothing(request, named, units, reason=_contradiction(request, clash))
    chosen = named
    if problem.prices is not None:
        from equipoise.teams.objectives.composed import priced  # most rosters have no prices

        chosen = priced(named, units)
    check_positive(chosen, problem)
    try:
        found, solver, short = _search(request, problem, chosen)
    except Contradiction as late:
        return _nothing(request, named, units, reason=_contradiction(request, late))
    failed = partial(_nothing, request, named, units, solver=solver, bot_weight=bot_weight(problem))
    if not found.ranked and not found.proven:
        return failed(status=Status.UNKNOWN, reason=NOTHING_YET)
    if not found.ranked:
        from equipoise.teams.solvers.infeasibility import (
            conflict,  # with its search for who it is, seldom needed
        )

        return failed(reason=conflict(problem, [player.label for player in request.players]))
    return failed(**_answer(request, problem, chosen, units, found, short))


def _nothing(request: BalanceRequest, named: Objective, units: Units, **known: Any) -> Solution:
    """Return a solution of which nothing is known but what is asked, and the given fields."""
    units = units.shown
    fields: dict[str, Any] = {
        "status": Status.INFEASIBLE,
        "solver": str(request.solver),
        "objective": named.name,
        "splits": (),
        "value": None,
        "bound": None,
    }
    return Solution(
        beta=units.beta,
        beta_source=units.beta_source,
        zero=units.zero,
        zero_source=units.zero_source,
        default_weight=request.roster.default,
        unrated=request.roster.unrated,
        draws=request.draws,
        side_chance=request.side_chance,
        names=request.names,
        **(fields | known),
    )


def bot_weight(problem: Problem) -> float | None:
    """Return what a bot weighs, roster units; None where there are none."""
    return None if problem.filler is None else problem.unit.shown(float(problem.filler[MU]))


def _contradiction(request: BalanceRequest, clash: Contradiction | None) -> str:
    """Say who contradicts whom."""
    if clash is None:
        return ""
    one, other = request.players[clash.one], request.players[clash.other]
    return f"{one.label!r} and {other.label!r} contradict: {clash.reason}"


def _search(request: BalanceRequest, problem: Problem, chosen: Objective) -> tuple[Found, str, str]:
    """Return what was found, by which solver, and why it is less than was wanted."""
    if not problem.n_blocks:
        labels = np.zeros(0, dtype=np.int8)
        cost = cost_of(chosen.criterion, problem.totals(labels[None, :]))
        return Found((Ranked(cost, 0, labels),), cost, proven=True), "enumerate", ""
    judged = request.rerank is not None
    search = partial(
        run, problem, chosen, request.solver,
        stop=request.stop, seed=request.seed, effort=request.effort, fill_up=not judged,
    )  # fmt: skip
    if request.spacing > 1 and request.keep > 1 and not judged:
        return ranked_apart(search, problem, request.keep, request.spacing)
    return (*search(keep=max(request.keep, RERANKED) if judged else request.keep), "")


def _answer(
    request: BalanceRequest,
    problem: Problem,
    chosen: Objective,
    units: Units,
    found: Found,
    short: str,
) -> dict[str, Any]:
    """Return what was found as the fields of a solution, re-ranked where that is asked."""
    splits = []
    now = any(player.team_now is not None for player in request.players)
    known = {ranked.labels.tobytes() for ranked in found.ranked} if now else set()
    for ranked in found.ranked:
        labels, totals = _oriented(problem, units, ranked.labels)
        if now:
            labels, totals = _with_fewest_moves(request, problem, known, labels, totals)
        value = chosen.criterion.shown(ranked.cost) + 0.0
        splits.append(split_of(request, problem, chosen, units, labels, totals, value))
    proven = found.proven
    bound = chosen.criterion.shown(found.bound) + 0.0  # never -0.0
    if request.rerank is not None:
        judge = resolve("rerank", RERANKERS, request.rerank)
        order = _reranked(splits, request.rerank, judge, request.most_tolerance, bot_weight(problem) or 0.0)
        if request.spacing > 1 and request.keep > 1:
            ranking = [found.ranked[place].labels for place in order]
            order = [order[place] for place in far_apart(problem, ranking, request.keep, request.spacing)]
            seen_all = proven and len(ranking) < max(request.keep, RERANKED)
            short = shortage(len(order), request.keep, request.spacing, len(ranking), seen_all=seen_all)
        splits = [splits[place] for place in order]
        proven = proven and splits[0].value == bound
    return {
        "status": Status.OPTIMAL if proven else Status.FEASIBLE,
        "objective": chosen.name,
        "splits": tuple(splits[: request.keep]),
        "value": splits[0].value,
        "bound": bound,
        "reason": short,
        "rounding": chosen.criterion.unit.shown(found.rounding),
    }


def check_positive(objective: Objective, problem: Problem) -> None:
    """Refuse an objective that needs weights of 0 and above where there are others.

    Raises
    ------
    InputError
        If the lowest weight is below 0.
    """
    if not any(criterion.needs_positive for criterion, _ in objective.order):
        return
    lowest = float(problem.features[:, MU].min(initial=0.0))
    if lowest < 0 or (problem.filler is not None and problem.filler[MU] < 0):
        msg = ": 'ratio' needs weights of 0 and above; 'difference' and 'win' do without"
        raise InputError(msg, "objective")


def split_of(
    request: BalanceRequest,
    problem: Problem,
    objective: Objective,
    units: Units,
    labels: Labels,
    totals: Floats,
    value: float,
) -> Split:
    """Return a split as it is shown, from the team of each block and its totals, shape (1, n_teams, 5)."""
    players = request.roster.players
    mu, variance, count = totals[:, :, MU], totals[:, :, VARIANCE], totals[:, :, COUNT]
    chances = win_probability(mu, variance, count, units.beta, units.zero, units.side)[0].tolist()
    of_team: list[list[int]] = [[] for _ in range(problem.n_teams)]
    for places, team in zip(problem.members, labels.tolist(), strict=True):
        of_team[team].extend(places)
    weights = request.roster.mu.tolist()
    for team in of_team:
        team.sort(key=weights.__getitem__, reverse=True)
    teams = [[players[place] for place in team] for team in of_team]
    sizes = count[0].tolist()
    return Split(
        teams=tuple(map(tuple, teams)),
        bots=tuple(round(size) - len(team) for size, team in zip(sizes, teams, strict=True)),
        totals=tuple(problem.unit.each_shown(mu[0]).tolist()),
        win_probability=tuple(chances),
        value=value,
        values=_values(request, objective, totals),
        imbalance=max(abs(chance - 1.0 / problem.n_teams) for chance in chances),
        preferences=() if problem.prices is None else _outcomes(request, problem, labels),
        roles=() if problem.roles is None else tuple(tuple(problem.roles.line_up(team)) for team in of_team),
    )


def _outcomes(request: BalanceRequest, problem: Problem, labels: Labels) -> tuple[Outcome, ...]:
    players = request.roster.players
    return outcomes(problem, request.all_preferences, request.side_price, request.stay, players, labels)


def _values(request: BalanceRequest, objective: Objective, totals: Floats) -> tuple[float, ...]:
    """Return what each criterion of an order says of a split; nothing of one that was asked for by name."""
    if not objective.first or isinstance(request.objective, str):
        return ()
    return tuple(value_of(criterion, totals) for criterion, _ in objective.order)


def value_of(criterion: Criterion, totals: Floats) -> float:
    """Return what a criterion says of a split's totals, in the number it is known by; never -0.0."""
    return criterion.shown(cost_of(criterion, totals)) + 0.0


def cost_of(criterion: Criterion, totals: Floats) -> float:
    """Return what a criterion says of a split's totals, (1, n_teams, 5); its floor where nobody is."""
    return float(criterion.cost(totals)[0]) if totals[0, :, COUNT].any() else criterion.floor


def _oriented(problem: Problem, units: Units, labels: Labels) -> tuple[Labels, Floats]:
    """Return labels with teams numbered by who comes first, unless the reverse suits sides better.

    What players prefer comes first, then chances that are more even with what a side is worth.
    """
    labels = problem.canonical(labels)
    totals = problem.totals(labels[None, :])
    if problem.interchangeable and problem.n_teams == 2:
        first, second = totals[0].tolist()
        better = first[SIDE] - first[COUNT] * NO_SIDE - second[SIDE] + second[COUNT] * NO_SIDE
        if not better and units.side:
            both = np.concatenate([totals, totals[:, ::-1]])
            mu, variance, count = both[:, :, MU], both[:, :, VARIANCE], both[:, :, COUNT]
            chance = win_probability(mu, variance, count, units.beta, units.zero, units.side)[:, 0]
            better = float(abs(chance[0] - 0.5) - abs(chance[1] - 0.5))
        if better > 0.0:
            return (1 - labels).astype(np.int8), totals[:, ::-1]
    return labels, totals


def _with_fewest_moves(
    request: BalanceRequest, problem: Problem, known: set[bytes], labels: Labels, totals: Floats
) -> tuple[Labels, Floats]:
    """Return labels with teams numbered so that fewest players move, unless that is another split found."""
    renamed = renumbered(problem, request.players, labels)
    if renamed is labels or (problem.moving is not None and renamed.tobytes() in known):
        return labels, totals
    return renamed, problem.totals(renamed[None, :])


def _reranked(
    splits: Sequence[Split],
    named: object,
    judge: Judge,
    tolerance: float,
    bot_weight: float,
) -> list[int]:
    """Return the places of splits, re-ranked where they give up no more win probability than allowed."""
    limit = splits[0].imbalance + tolerance
    places = range(len(splits))
    near = [place for place in places if splits[place].imbalance <= limit]
    near.sort(
        key=lambda place: float(call_part("rerank", named, judge, weights_of(splits[place], bot_weight)))
    )
    return near + [place for place in places if splits[place].imbalance > limit]


def weights_of(split: Split, bot_weight: float) -> list[Floats]:
    """Return the weights of each team's players and bots."""
    return [np.array([*team, *[bot_weight] * n]) for team, n in zip(split.weights, split.bots, strict=True)]


def run(
    problem: Problem,
    objective: Objective,
    solver: str | Callable[[Task], Found],
    keep: int,
    stop: Stop,
    seed: int,
    effort: float = 1.0,
    *,
    fill_up: bool = True,
) -> tuple[Found, str]:
    """Bring an objective's criteria to their optimum in order; return what was found, and by which solver.

    Every criterion but the last becomes a limit for those after it.  Where fewer splits are within the
    limits than are wanted and they are to be filled up, the next best by the last limit's criterion follow.
    The result is proven if every step was.
    """
    start: tuple[Labels, ...] = () if problem.moving is None else unmoved(problem)
    limits, proven = list[Limit](), True
    for criterion, tolerance in objective.first:
        found, name = _solve(Task(problem, criterion, tuple(limits), 1, start, stop, seed, effort), solver)
        if not found.ranked:
            return found, name
        best = found.ranked[0]
        limits.append(_limit(problem, criterion, tolerance, best))
        start = (best.labels,)
        proven = proven and found.proven
    task = Task(problem, objective.criterion, tuple(limits), keep, start, stop, seed, effort)
    found, name = _solve(task, solver)
    bound = found.bound if proven and math.isfinite(found.bound) else objective.criterion.floor
    if not (found.proven and proven) and problem.n_teams > 2:
        from equipoise.teams.solvers.many_team_bounds import least_cost  # few searches end without a proof

        bound = max(bound, least_cost(problem, objective.criterion))
    found = Found(found.ranked, bound, found.proven and proven, task.error)
    return (_filled_up(task, found, solver) if fill_up and len(found.ranked) < keep else found), name


def _limit(problem: Problem, criterion: Criterion, tolerance: float, best: Ranked) -> Limit:
    """Return what the stages after one keep to: on paper no worse than its best, but for the tolerance."""
    error = criterion.error(problem.rounding)
    own = float(criterion.errors(problem.totals(best.labels[None, :]), problem.rounding)[0])
    if own == error:
        return Limit(criterion, best.cost + tolerance + EQUAL * error)
    from equipoise.teams.objectives.composed import OnPaper  # most stages do without

    return Limit(OnPaper(criterion, problem.rounding, -1.0), best.cost + tolerance + own)


def _filled_up(task: Task, found: Found, solver: str | Callable[[Task], Found]) -> Found:
    """Add splits beyond the limits, one limit after another, the best by its criterion first."""
    from equipoise.teams.objectives.composed import OnPaper  # as in _limit

    ranked, proven = list(found.ranked), found.proven
    known = {signature(task.problem, entry.labels) for entry in ranked}
    for n in range(len(task.limits), 0, -1):
        criterion = task.limits[n - 1].criterion
        criterion = criterion.criterion if isinstance(criterion, OnPaper) else criterion
        wider = replace(task, criterion=criterion, limits=task.limits[: n - 1])
        more, _ = _solve(wider, solver)
        proven = proven and more.proven
        for entry in more.ranked:
            key = signature(task.problem, entry.labels)
            if len(ranked) < task.keep and key not in known:
                cost = float(task.criterion.cost(task.problem.totals(entry.labels[None, :]))[0])
                ranked.append(Ranked(cost, entry.unevenness, entry.labels))
                known.add(key)
    return replace(found, ranked=tuple(ranked), proven=proven)


def _solve(task: Task, solver: str | Callable[[Task], Found]) -> tuple[Found, str]:
    """Return what a solver finds, checked, and its name."""
    settled = solver in SOLVERS and min(task.problem.fixed, default=0) >= 0
    picked = pick(task) if solver == "auto" or settled else None
    part = picked or resolve("solver", SOLVERS, solver)
    name = part.name if isinstance(part, Solver) else solver
    found = call_part("solver", name, part, task) if picked is None else picked(task)
    if not isinstance(found, Found):
        msg = f": {name!r} must return a Found, got a {type(found).__name__}"
        raise InputError(msg, "solver")
    if not found.proven and task.problem.n_teams == 2:
        found = _with_more(task, found, search_on=solver == "auto" and name == "mitm")
    if found.ranked and not task.problem.legal(np.array([ranked.labels for ranked in found.ranked])).all():
        msg = f": {name!r} gives a split that breaks the problem's rules"
        raise InputError(msg, "solver")
    return found, name if isinstance(name, str) else getattr(name, "__name__", "own")


def _with_more(task: Task, found: Found, *, search_on: bool) -> Found:
    """Return what was found, made better where the search for a proof was given up before its end.

    Where nothing was found a draft is there at once, and local search goes on while there is time.
    """
    from equipoise.teams.solvers import (
        draft,
        exchange,
        pairwise,  # a few players are enumerated without them
    )

    start = tuple(ranked.labels for ranked in found.ranked)
    more = found
    if search_on and not task.stop():
        search = pairwise if task.problem.plain else exchange
        more = search.solve(replace(task, start=start or task.start))
    elif not start and task.problem.plain:
        more = draft.greedy_cap(task)
    return Found(more.ranked, max(found.bound, more.bound), more.proven)


@cache
def _registered(name: str) -> Solver:
    """Return the record of a solver, looked up once."""
    return cast("Solver", resolve("solver", SOLVERS, name))


def pick(task: Task) -> Solver:
    """Return the first solver that suits a task best, else the first that is able to do it.

    Raises
    ------
    InputError
        If no solver serves it.
    """
    able: Solver | None = None
    for name in SOLVERS:
        solver = _registered(name)
        if task.problem.n_blocks < solver.least or solver.refusal(task):
            continue
        fit = solver.suits(task)
        if fit is Fit.BEST:
            return solver
        if fit is Fit.ABLE and able is None:
            able = solver
    if able is None:
        problem = task.problem
        msg = (
            f": {problem.n_blocks} players and parties into {problem.n_teams} teams are too many to "
            "enumerate, and the objective has no reach"
        )
        raise InputError(msg, "teams")
    return able
