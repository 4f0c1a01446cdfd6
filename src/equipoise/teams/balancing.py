"""``balance``: the main job, from a roster to provably fair teams."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np

from equipoise.arrays import Floats, Labels
from equipoise.errors import InputError
from equipoise.link import win_probability
from equipoise.players import LARGEST_WEIGHT, NO_SIDE, Bots, Player, Rating
from equipoise.registry import CRITERIA, SOLVERS, call_part, resolve
from equipoise.stopping import Stop, never
from equipoise.teams.objectives.composing import Asked, compose, priced
from equipoise.teams.objectives.objective import Criterion, Objective, Scale
from equipoise.teams.problem.components import Contradiction
from equipoise.teams.problem.problem import COUNT, MU, SIDE, VARIANCE, Problem
from equipoise.teams.problem.roster import Besides, Roster, build, rated
from equipoise.teams.problem.rules import Rule
from equipoise.teams.problem.sizes import Sizes
from equipoise.teams.problem.wishes import Wish, outcomes, wishes_of
from equipoise.teams.solution import Solution, Split, Status, weight
from equipoise.teams.solvers import stages
from equipoise.teams.solvers.conflict import conflict
from equipoise.teams.solvers.spacing import far_apart, ranked_apart, told_shortage
from equipoise.teams.solvers.task import Found, Task

#: The objective unless another is named.  Why: docs/decisions/0002-default-objective.md.
DEFAULT_OBJECTIVE = "spread"

#: Standard deviations of the roster that one player's performance varies by from game to game, unless
#: beta is given.  Why: docs/decisions/0003-default-beta.md.
BETA_IN_SPREADS = 1.0

#: Below, squares of a performance noise would be lost in rounding.
SMALLEST_BETA = 1e-100

#: A standard deviation below this share of the mean is rounding: all weigh the same.
SAME = 1e-12

#: Share of the roster's variance that smooths the teams' variances (one eighth of a standard deviation).
PRIOR_SHARE = 1.0 / 64.0

#: Weight of side wishes in ``indistinguishable``, where a player has one.
SIDE_WEIGHT = 0.01

#: How far from the best win probability ``spread`` may go: one game in a thousand; with up to 17 players,
#: who have few divisions to choose from, one in four hundred.  Why: docs/decisions/0002-default-objective.md.
TOLERANCE = 0.001
SMALL_TOLERANCE, SMALL = 0.0025, 17

#: A criterion on splits, from each team's weights to a number, lower being better.
Judge = Callable[[Sequence[Floats]], float]

#: Splits that are found for a criterion to re-rank.
RERANKED = 1000


def balance(  # one argument for each thing an organiser can ask for
    players: Iterable[Player] | Mapping[str, float | Rating | None],
    *,
    teams: int = 2,
    sizes: int | Sequence[int] | None = None,
    min_size: int | None = None,
    max_size: int | None = None,
    max_difference: int | None = None,
    bots: Bots | bool = False,
    parties: Iterable[Sequence[str]] = (),
    apart: Iterable[Sequence[str]] = (),
    fixed: Mapping[str, int] | None = None,
    wishes: Iterable[Wish] = (),
    side_price: float = 0.0,
    roles: Mapping[str, int] | None = None,
    rules: Iterable[Rule] = (),
    objective: Asked = DEFAULT_OBJECTIVE,
    tolerances: Sequence[float] | None = None,
    solver: str | Callable[[Task], Found] = "auto",
    rerank: str | Judge | None = None,
    keep: int = 1,
    distance: int = 1,
    default: float | None = None,
    beta: float | None = None,
    tolerance: float | None = None,
    side_weight: float = SIDE_WEIGHT,
    seed: int = 0,
    stop: Stop = never,
) -> Solution:
    """Divide players into the fairest teams, and say what is proven of them.

    Parameters
    ----------
    players : iterable of Player, or mapping from name to weight
        Who is here.  A weight may be a number, a :class:`Rating`, or None for unknown.
    teams : int
        How many teams; two are proven best up to 40 players, with a ``stop`` up to 45, more while they can be
        enumerated.
    sizes : int or sequence of int, optional
        The size of every team, or of each; by default as equal as can be.  With bots, these are the
        seats that are filled up.
    min_size, max_size : int, optional
        How many players of the roster each team may have.
    max_difference : int, optional
        By how many players of the roster the teams may differ; 1 unless sizes or limits are given.
    bots : Bots or bool
        Whether and how bots fill up the teams; True levels them with bots of mean weight.
    parties : iterable of sequences of str
        Ids (or names) of players who stay together, besides those of ``Player.party``.
    apart : iterable of sequences of str
        Ids (or names) of players no two of whom may be in one team.
    fixed : mapping of str to int, optional
        The team, from 0, of players who must be in it, besides ``Player.team``.
    wishes : iterable of Wish
        Who would rather be together or apart, at a price, besides those of ``Player.prefer`` and
        ``Player.avoid``.
    side_price : float
        What a whole side wish (``Player.side``) is worth, in win probability.
    roles : mapping of str to int, optional
        How many of each role every team needs; what players play is in ``Player.roles``.
    rules : iterable of Rule
        Sums over each team's players that must stay within limits.
    objective : str, callable, Objective, sequence or mapping
        A name of :data:`equipoise.registry.OBJECTIVES`, ``"module:attribute"``, or the thing itself; several
        in a sequence, most important first; or a mapping from names to weights for their weighted sum.
        The prices of wishes count with win probability, first of all, unless ``"wishes"`` is among them.
    tolerances : sequence of float, optional
        With objectives in a sequence, how far from the optimum of each but the last those after it may go,
        in its own unit; by default the tolerance for ``win``, and 0.
    solver : str or callable
        A name of :data:`equipoise.registry.SOLVERS`, ``"module:attribute"``, the thing itself, or
        ``"auto"``.
    rerank : str or callable, optional
        A name of :data:`equipoise.registry.CRITERIA` by which the best splits are ordered anew: those of
        the 1000 best that give up no more win probability than the tolerance.
    keep : int
        How many different splits are wanted, best first.  Players of equal weight count as the same.
        Where ``spread`` has fewer within its tolerance, the next best by win probability follow.
    distance : int
        By how many players any two of those splits must differ at least: the first is the best, each other
        one the best of those that far from all before it.  It counts who must change team, where teams
        under the same rules in which nobody is fixed, and players of equal weight, count as the same.
    default : float, optional
        The weight of players without one; by default the mean of the others.
    beta : float, optional
        Performance noise of one player in one game, roster units, above 0; by default one standard
        deviation of the roster's weights.
    tolerance : float, optional
        How far from the best win probability the objective ``spread`` and a criterion that re-ranks may go;
        by default 0.0025 with up to 17 players and 0.001 with more.
    side_weight : float
        How much side wishes count in ``indistinguishable``, in nats for each nat.
    seed : int
        The seed of whatever the solver draws at random; exact solvers draw nothing.
    stop : callable
        Asked now and then; once it returns True the solver ends with what it has.
        :func:`equipoise.deadline` makes one from seconds.

    Returns
    -------
    Solution
        With status infeasible, and the reason, where the wishes contradict each other.

    Raises
    ------
    InputError
        If an argument is at fault.
    UnknownNameError
        If an objective, solver or criterion does not exist.

    Examples
    --------
    >>> solution = balance({"Ann": 9, "Bob": 7, "Cid": 5, "Dan": 4, "Eve": 3, "Fay": 2}, objective="gap")
    >>> solution.status.value, solution.value
    ('optimal', 0.0)
    >>> [[player.id for player in team] for team in solution.best.teams]
    [['Ann', 'Dan', 'Fay'], ['Bob', 'Cid', 'Eve']]
    """
    _check(
        whole={"teams": teams, "keep": keep, "distance": distance, "seed": seed},
        real={
            "beta": beta,
            "tolerance": tolerance,
            "side_weight": side_weight,
            "side_price": side_price,
        },
        default=default,
    )
    filling = Bots() if bots is True else bots or None
    roster = rated(players, default)
    if tolerance is None:
        tolerance = SMALL_TOLERANCE if len(roster.players) <= SMALL else TOLERANCE
    exact = (sizes,) * teams if isinstance(sizes, int) else None if sizes is None else tuple(sizes)
    sized = Sizes(exact, min_size, max_size, max_difference)
    besides = _besides(roster, wishes, side_price, roles, rules)
    signed = bool(fixed) or len(set(exact or ())) > 1 or any(p.team is not None for p in roster.players)
    scale, beta_source = _scale(roster, filling, beta, tolerance, side_weight, signed)
    chosen = compose(objective, scale, tolerances)
    if not (solver == "auto" or callable(solver)):
        resolve("solver", SOLVERS, solver)
    judge = None if rerank is None else resolve("criterion", CRITERIA, rerank)

    nothing = Solution(
        status=Status.INFEASIBLE,
        objective=chosen.name,
        solver=str(solver),
        splits=(),
        value=None,
        bound=None,
        beta=scale.beta,
        beta_source=beta_source,
        default_weight=roster.default,
        unrated=roster.unrated,
    )

    try:
        problem = build(roster, teams, sized, filling, parties, apart, fixed, besides)
        if problem.prices is not None:
            chosen = priced(chosen, scale)
            nothing = replace(nothing, objective=chosen.name)
        _check_positive(chosen, problem)
        pool = keep if judge is None else max(keep, RERANKED)
        search = partial(stages.run, problem, chosen, solver, stop=stop, seed=seed, fill_up=judge is None)
        spaced = distance > 1 and keep > 1
        if spaced and judge is None:
            found, solver_name, shortage = ranked_apart(search, problem, keep, distance)
        else:
            (found, solver_name), shortage = search(keep=pool), ""
    except Contradiction as clash:
        one, other = roster.players[clash.one], roster.players[clash.other]
        reason = f"{one.label!r} and {other.label!r} contradict: {clash.reason}"
        return replace(nothing, reason=reason)
    bot_weight = None if problem.filler is None else float(problem.filler[MU])
    nothing = replace(nothing, solver=solver_name, bot_weight=bot_weight)
    if not found.ranked:
        if not found.proven:
            return replace(nothing, status=Status.FEASIBLE, reason=NOTHING_YET)
        return replace(nothing, reason=conflict(problem, [player.label for player in roster.players]))
    criterion = chosen.criterion
    splits = [
        _split(problem, roster, criterion, scale, ranked.labels, ranked.cost, besides)
        for ranked in found.ranked
    ]
    if chosen.first and not isinstance(objective, str):
        splits = [
            replace(split, values=_values(problem, chosen, ranked.labels))
            for split, ranked in zip(splits, found.ranked, strict=True)
        ]
    proven = found.proven
    bound = chosen.criterion.shown(found.bound) + 0.0  # never -0.0
    if judge is not None:
        order = _reranked(splits, rerank, judge, tolerance, bot_weight)
        if spaced:
            ranking = [found.ranked[place].labels for place in order]
            order = [order[place] for place in far_apart(problem, ranking, keep, distance)]
            shortage = told_shortage(
                len(order), keep, distance, len(ranking), seen_all=proven and len(ranking) < pool
            )
        splits = [splits[place] for place in order]
        proven = proven and splits[0].value == bound
    return replace(
        nothing,
        status=Status.OPTIMAL if proven else Status.FEASIBLE,
        splits=tuple(splits[:keep]),
        value=splits[0].value,
        bound=bound,
        reason=shortage,
        rounding=found.rounding,
    )


#: Whole numbers of which 0 means nothing.
FROM_ONE = ("keep", "distance")

#: What is said when neither a legal division was found nor that there is none.
NOTHING_YET = "no legal division was found in the time and with the effort there was"


def _check(*, whole: Mapping[str, int], real: Mapping[str, float | None], default: float | None) -> None:
    for name, number in whole.items():
        if not isinstance(cast("object", number), int | np.integer) or number < (name in FROM_ONE):
            msg = f"{name}: {number!r} is not allowed; a whole number of {int(name in FROM_ONE)} and above is"
            raise InputError(msg)
    for name, value in real.items():
        if value is not None and not 0.0 <= value < np.inf:
            msg = f"{name}: {value!r} is not allowed; a number of 0 and above is"
            raise InputError(msg)
    if real["beta"] is not None and not SMALLEST_BETA <= real["beta"] <= LARGEST_WEIGHT:
        msg = f"beta: {real['beta']!r} is not allowed; a number from {SMALLEST_BETA} to 1e15 is"
        raise InputError(msg)
    if default is not None and not -LARGEST_WEIGHT <= default <= LARGEST_WEIGHT:
        msg = f"default: {default:g} is not allowed; a weight between -1e15 and 1e15 is"
        raise InputError(msg)


def _besides(
    roster: Roster,
    wishes: Iterable[Wish],
    side_price: float,
    roles: Mapping[str, int] | None,
    rules: Iterable[Rule],
) -> Besides:
    """Return what is asked for besides, the wishes that come with the players among it."""
    return Besides((*wishes_of(roster.players), *wishes), side_price, roles, tuple(rules))


def _check_positive(objective: Objective, problem: Problem) -> None:
    if not any(c.needs_positive for c in (objective.criterion, *(c for c, _ in objective.first))):
        return
    lowest = float(problem.features[:, MU].min())
    if lowest < 0 or (problem.filler is not None and problem.filler[MU] < 0):
        msg = "objective: 'ratio' needs weights of 0 and above; 'gap' and 'win' do without"
        raise InputError(msg)


def _scale(
    roster: Roster,
    bots: Bots | None,
    beta: float | None,
    tolerance: float,
    side_weight: float,
    signed: bool,
) -> tuple[Scale, str]:
    mu = np.array([rating.mu for rating in roster.ratings])
    centre = float(mu.mean()) if len(mu) else 0.0
    deviation = float(mu.std()) if len(mu) else 0.0
    if deviation <= SAME * abs(centre):
        deviation = 0.0
    prior = deviation * deviation * PRIOR_SHARE or 1.0
    source = "one standard deviation of the roster"
    if deviation == 0.0 and bots is not None and bots.weight is not None:
        deviation = abs(bots.weight - centre)
        source = "the distance of a bot from the roster, whose players all weigh the same"
    if deviation == 0.0:
        deviation, source = abs(centre), "the weight of a player, as all weigh the same"
    if deviation == 0.0:
        deviation, source = 1.0, "any number will do, as all weigh nothing"
    wishes = any(player.side != NO_SIDE for player in roster.players)
    return (
        Scale(
            beta=BETA_IN_SPREADS * deviation if beta is None else beta,
            centre=centre,
            prior=prior,
            side_weight=side_weight if wishes else 0.0,
            tolerance=tolerance,
            signed=signed,
        ),
        source if beta is None else "as given",
    )


def _split(
    problem: Problem,
    roster: Roster,
    criterion: Criterion,
    scale: Scale,
    labels: Labels,
    cost: float,
    besides: Besides,
) -> Split:
    labels, totals = _oriented(problem, labels)
    chances = win_probability(totals[:, :, MU], totals[:, :, VARIANCE], totals[:, :, COUNT], scale.beta)[0]
    of_team: list[list[int]] = [[] for _ in range(problem.n_teams)]
    for places, team in zip(problem.members, labels.tolist(), strict=True):
        of_team[team].extend(places)
    for team in of_team:
        team.sort(key=lambda place: weight(roster.players[place]), reverse=True)
    teams = [[roster.players[place] for place in team] for team in of_team]
    sizes = totals[0, :, COUNT].tolist()
    return Split(
        teams=tuple(map(tuple, teams)),
        bots=tuple(round(size) - len(team) for size, team in zip(sizes, teams, strict=True)),
        totals=tuple(totals[0, :, MU].tolist()),
        win_probability=tuple(chances.tolist()),
        value=criterion.shown(cost) + 0.0,
        distance=float(np.abs(chances - 1.0 / problem.n_teams).max()),
        wishes=outcomes(problem, besides.wishes, besides.side_price, roster.players, labels),
        roles=() if problem.roles is None else tuple(tuple(problem.roles.line_up(team)) for team in of_team),
    )


def _values(problem: Problem, objective: Objective, labels: Labels) -> tuple[float, ...]:
    """Return what each criterion of an objective says of a division, in the numbers they are known by."""
    totals = problem.totals(labels[None, :])
    order = (*(criterion for criterion, _ in objective.first), objective.criterion)
    return tuple(criterion.shown(float(criterion.cost(totals)[0])) + 0.0 for criterion in order)


def _oriented(problem: Problem, labels: Labels) -> tuple[Labels, Floats]:
    """Return labels with teams numbered by who comes first, unless the reverse meets more side wishes."""
    labels = problem.canonical(labels)
    totals = problem.totals(labels[None, :])
    if problem.interchangeable and problem.n_teams == 2:
        wishes = totals[0, :, SIDE] - totals[0, :, COUNT] * NO_SIDE
        if wishes[1] < wishes[0]:
            return (1 - labels).astype(np.int8), totals[:, ::-1]
    return labels, totals


def _reranked(
    splits: Sequence[Split],
    named: object,
    judge: Judge,
    tolerance: float,
    bot_weight: float | None,
) -> list[int]:
    """Return the places of splits, ordered anew where they give up no more win probability than allowed."""
    limit = splits[0].distance + tolerance
    places = range(len(splits))
    near = [place for place in places if splits[place].distance <= limit]
    near.sort(key=lambda place: float(call_part("rerank", named, judge, _weights(splits[place], bot_weight))))
    return near + [place for place in places if splits[place].distance > limit]


def _weights(split: Split, bot_weight: float | None) -> list[Floats]:
    return [
        np.array([*team, *[bot_weight or 0.0] * n]) for team, n in zip(split.weights, split.bots, strict=True)
    ]
