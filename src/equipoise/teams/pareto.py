"""The Pareto front of two criteria: every split that no other is better than in one and as good in both.

It is walked along: the best by the first criterion, then the best among those that are strictly better by the
second than the last one found, and so on.  Each step is a question to ``balance``, and the front is proven
where every answer is.

References
----------
Y. Haimes, L. Lasdon, D. Wismer, "On a bicriterion formulation of the problems of integrated system
identification and system optimization", IEEE Trans. Systems, Man, and Cybernetics 1 (1971) 296
(the epsilon-constraint method).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from equipoise.errors import InputError
from equipoise.teams.balance import balance, cost_of
from equipoise.teams.objectives.composed import AtMost, OnPaper
from equipoise.teams.objectives.objective import Criterion, Objective, Units
from equipoise.teams.objectives.units import Asked, compose
from equipoise.teams.request import BalanceRequest
from equipoise.teams.request_fields import FIELDS, Players
from equipoise.teams.solution import Solution, Split, Status

if TYPE_CHECKING:
    from equipoise.teams.request_keywords import Keywords

#: Points after which the walk ends: a picture shows no more.
MOST_POINTS = 1000  # effort


@dataclass(frozen=True, slots=True)
class Front:
    """The splits between which there is a choice, the best by the first criterion first.

    Parameters
    ----------
    criteria : pair of str
        Their names.
    solutions : tuple of Solution
        Each with the point's split as its best; ``splits[0].values`` ends with the two criteria's values.
    complete : bool
        Whether these are proven to be all.
    nothing : Solution or None
        Why there is no split, where there is none.
    """

    criteria: tuple[str, str]
    solutions: tuple[Solution, ...]
    complete: bool
    nothing: Solution | None = None

    @property
    def splits(self) -> tuple[Split, ...]:
        """The points' splits."""
        return tuple(solution.best for solution in self.solutions)

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """The values of both criteria at each point, in the numbers they are known by."""
        return tuple((split.values[-2], split.values[-1]) for split in self.splits)

    def as_dict(self) -> dict[str, Any]:
        """Return the front in plain lists and numbers, as ``equipoise balance --front --json`` prints it."""
        plain: dict[str, Any] = {"criteria": list(self.criteria), "complete": self.complete}
        if self.nothing is not None:
            plain |= {"status": str(self.nothing.status), "reason": self.nothing.reason}
        points = []
        for (first, second), solution in zip(self.points, self.solutions, strict=True):
            split = solution.as_dict()["splits"][0]
            del split["value"], split["values"]
            points.append({"first": first, "second": second, **split})
        return {**plain, "points": points}


def pareto(
    players: Players | BalanceRequest,
    first: Asked,
    second: Asked,
    *,
    most: int = MOST_POINTS,
    **keywords: Unpack[Keywords],
) -> Front:
    """Return the Pareto front of two criteria.

    Parameters
    ----------
    players : iterable of Player, mapping from name to weight, or BalanceRequest
        As :func:`equipoise.balance` takes them.
    first, second : str, callable, Objective or mapping
        Objectives; each counts with the criterion it gets its value from, so ``"spread"`` is the likeness
        alone.  ``"moves"`` is how many players change team, and ``"preferences"`` is the price of broken
        preferences.
    most : int
        Points after which the walk ends, with ``complete`` False.
    **keywords
        Those of :func:`equipoise.balance` but ``objective``, ``tolerances``, ``rerank``, ``keep`` and
        ``spacing``.

    Raises
    ------
    InputError
        If an argument is at fault.

    Examples
    --------
    >>> front = pareto({"Ann": 9, "Bob": 7, "Cid": 5, "Dan": 4, "Eve": 3, "Fay": 2}, "difference", "spread")
    >>> [(round(difference, 3), round(spread, 3)) for difference, spread in front.points], front.complete
    ([(0.0, 1.311), (2.0, 0.57), (4.0, 0.44), (6.0, 0.0)], True)
    """
    request = BalanceRequest.of(players, **keywords)
    for name in ("objective", "tolerances", "rerank", "keep", "spacing"):
        if getattr(request, name) != FIELDS[name].default:
            msg = ": a front is of two criteria and leaves it nothing to say"
            raise InputError(msg, name)
    if most < 1:
        msg = f"must be at least 1, got {most!r}"
        raise InputError(msg, "most")
    if "moves" in (first, second) and request.moves is None:
        request = replace(request, moves=len(request.players))  # no limit, but counted
    walk = _Walk(first, second, replace(request, objective=(first, second)))
    solutions: list[Solution] = []
    complete = False
    while len(solutions) < most:
        solution = balance(replace(request, objective=walk))
        if not solution.splits and not solutions:
            proven = solution.status is Status.INFEASIBLE
            return Front(walk.names, (), proven, solution)
        if not solution.splits:  # what is above the level is so to its last digit, which a solver may round
            complete = solution.status is Status.INFEASIBLE and walk.proven
            break
        if walk.missed(solution):
            complete = solution.status is Status.OPTIMAL and walk.proven
            break
        walk.proven = walk.proven and solution.status is Status.OPTIMAL
        solutions.append(solution)
        reached, error = walk.reached(solution)
        if reached <= walk.floor + error:
            complete = walk.proven
            break
        walk.level = math.nextafter(reached - error, -math.inf)
    return Front(walk.names, tuple(solutions), complete)


class _Walk:
    """Where on the front the next point is looked for."""

    def __init__(self, first: Asked, second: Asked, request: BalanceRequest) -> None:
        self.asked = first, second
        self.request = request
        self.level = float("inf")
        self.floor = 0.0
        self.proven = True
        self.names = ("", "")
        self._second = Criterion()

    @property
    def counts_units(self) -> bool:
        """Whether both criteria know in which unit totals come."""
        return self.request.counted.whole

    def __call__(self, scale: Units) -> Objective:
        """Return the objective whose optimum is the next point."""
        made = [compose(asked, scale) for asked in self.asked]
        self.names = made[0].name, made[1].name
        first, self._second = (one.criterion for one in made)
        self.floor = self._second.floor
        # Each point is better than the one before by more than rounding can feign.
        problem = self.request.problem
        most = self._second if problem is None else OnPaper(self._second, problem.rounding, 1.0)
        order = ((AtMost(most, self.level), 0.0), (first, 0.0))
        return Objective(" against ".join(self.names), self._second, order)

    def missed(self, solution: Solution) -> bool:
        """Tell whether there is no point at the level: what was found is above it."""
        return solution.best.values[0] > 0.0

    def reached(self, solution: Solution) -> tuple[float, float]:
        """Return the second criterion's cost of what was found, and by how much rounding may have changed it.

        Both are of the totals, as searches count them: a value that is shown is that cost but for a rounding.
        """
        problem = self.request.problem
        if problem is None:
            return self._second.cost_of(solution.best.values[-1]), solution.rounding
        team_of = {player.id: n for n, team in enumerate(solution.best.teams) for player in team}
        teams = [team_of[player.id] for player in self.request.players]
        labels = np.array([teams[block[0]] for block in problem.members], dtype=np.int8)
        totals = problem.totals(labels[None, :])
        return cost_of(self._second, totals), float(self._second.errors(totals, problem.rounding)[0])
