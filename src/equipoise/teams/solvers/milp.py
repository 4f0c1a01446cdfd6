"""``milp``: an integer program over who is in which team, solved by HiGHS; for custom rules.

With ``x[block, team]`` for who is where, ``difference`` is the largest total less the smallest, and the
prices of preferences are linear too; rules are rows as they stand.  With two teams ``ratio`` and ``win`` grow
with the difference of strengths, so their optimum is its.
Exact, see :func:`solve`; slow beside the other solvers, as a program's relaxation says little,
but it finds its way through many rules.

References
----------
Q. Huangfu, J. A. J. Hall, "Parallelizing the dual revised simplex method", Mathematical Programming
Computation 10, 2018, 119-142; doi:10.1007/s12532-017-0130-5.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import gcd, lcm

import numpy as np

from equipoise.core.arrays import Floats, Labels
from equipoise.core.linear_programs import Program
from equipoise.core.win_probability import strengths
from equipoise.errors import UnsupportedError
from equipoise.teams.objectives.composed import PreferencePrices, WeightedSum
from equipoise.teams.objectives.moments import Difference
from equipoise.teams.objectives.objective import Criterion, DifferenceCriterion, Pair
from equipoise.teams.problem.problem import COUNT, MU, Problem
from equipoise.teams.solvers.task import MOVES, PRICES, RULES, Best, Found, Solver, Task

#: Solutions that are cut off for each split that is wanted: different ones may look the same.
CUTS = 50

#: What a program's optimum may be off by, in units of its largest cost: a thousand times HiGHS's tolerances.
ACCURACY = 1e-6


def solve(task: Task) -> Found:
    """Solve the program, once for each split wanted; see :class:`equipoise.teams.solvers.task.Solver`.

    A program's optimum is only as accurate as HiGHS's tolerances.  So nothing is called proven before the
    bound on all splits that are not yet known is above the worst that is returned, by the accuracy, in the
    roster's own units; where costs are whole multiples of a step, a bound that leaves no room for one does.

    Raises
    ------
    InputError
        If the objective is not linear.
    """
    model = _Program(task)
    best = Best(task)
    bound, proven = task.criterion.floor, False
    for cut in range(CUTS * task.keep):
        labels, low, optimal = model.solve()
        if cut == 0 and low > -np.inf and not model.by_proxy:
            bound = max(bound, low - model.accuracy)
        if labels is None or (best.full and model.worst(best) - model.step < low - model.accuracy):
            proven = optimal
            break
        if task.problem.legal(labels[None, :])[0]:
            best.offer(labels[None, :])
        if not optimal or task.stop():
            break
        if best.full and model.worst(best) - model.step < low - model.accuracy:
            proven = True
            break
        model.cut(labels)
    return best.found(bound=bound, proven=proven)


def _terms(criterion: Criterion, problem: Problem) -> tuple[float, float, bool]:
    """Return the weights of gap and prices in a criterion, and whether gap stands for another one."""
    if isinstance(criterion, Difference):
        return 1.0, 0.0, False
    if isinstance(criterion, PreferencePrices):
        return 0.0, 1.0, False
    if isinstance(criterion, WeightedSum):
        parts = [(_terms(part, problem), weight) for part, weight in criterion.terms]
        if not any(proxy for (_, _, proxy), _ in parts):
            return sum(w * g for (g, _, _), w in parts), sum(w * p for (_, p, _), w in parts), False
    if criterion.by_difference and problem.n_teams == 2 and problem.filler is None:
        return 1.0, 0.0, True
    msg = (
        ": 'milp' supports 'difference', 'preferences', their weighted sums, and with two teams and no bots "
        "'ratio' and 'win' without prices; 'enumerate' and 'exchange' serve every objective"
    )
    raise UnsupportedError(msg, "solver")


class _Program:
    """The program: x[block, team] first, then the largest and the smallest total, then the preferences."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.problem = problem = task.problem
        self.columns: list[float] = []
        self.most: list[float] = []
        self.whole: list[bool] = []
        self.rows: list[tuple[dict[int, float], float, float]] = []
        self.unit = float(np.abs(problem.features[:, MU]).max()) or 1.0
        # Totals are counted from the least there can be, in units of the largest weight: all columns are 0
        # and above, and HiGHS's absolute tolerances mean the same for every roster.
        gap, price, self.by_proxy = _terms(task.criterion, problem)
        teams = range(problem.n_teams)
        self.x = [[self._column(0.0, 1.0, whole=True) for _ in teams] for _ in range(problem.n_blocks)]
        self.gaps: dict[float, int] = {}
        self._structure()
        self.columns[self._gap(task.criterion)] = gap * self.unit
        self.paid = self._paid(price)
        self.factors = gap, price
        # The objective is counted in units of its largest cost, so that absolute tolerances suit it too.
        self.cost_unit = max(map(abs, self.columns)) or 1.0
        self.accuracy = ACCURACY * self.cost_unit
        self.step = self._step()
        self._limits()

    def _step(self) -> float:
        """Return a number of which all costs of the program are whole multiples; 0 where it is too small."""
        gap, price = self.factors
        numbers = []
        if gap:
            numbers = self.problem.features[:, MU].tolist()
            numbers.append(0.0 if self.problem.level else float(self.task.criterion.zero))
            numbers.append(0.0 if self.problem.filler is None else float(self.problem.filler[MU]))
        exact = [Fraction(repr(gap)) * Fraction(repr(number)) for number in numbers]
        paid = [self.columns[column] for column in self.paid] if price else []
        exact += [Fraction(repr(number)) for number in paid]
        step = reduce(_common, exact, Fraction(0))
        return float(step) if step > 4 * Fraction(self.accuracy) else 0.0

    def worst(self, best: Best) -> float:
        """Return the program's own cost of the worst split that would be returned."""
        if not self.by_proxy:
            return best.worst
        labels = best.found(bound=0.0, proven=False).ranked[-1].labels
        totals = self.problem.totals(labels[None, :])
        return float(np.ptp(strengths(totals[:, :, MU], totals[:, :, COUNT], self.task.criterion.zero)))

    def _column(self, cost: float, most: float = np.inf, *, whole: bool = False) -> int:
        self.columns.append(cost)
        self.most.append(most)
        self.whole.append(whole)
        return len(self.columns) - 1

    def _row(self, terms: dict[int, float], low: float = -np.inf, high: float = np.inf) -> None:
        self.rows.append((terms, low, high))

    def _structure(self) -> None:
        """Add the rows of a legal split."""
        problem = self.problem
        for row in self.x:
            self._row(dict.fromkeys(row, 1.0), 1.0, 1.0)
        counts = [
            {row[team]: float(size) for row, size in zip(self.x, problem.sizes, strict=True)}
            for team in range(problem.n_teams)
        ]
        for count, least, most in zip(counts, problem.min_size, problem.max_size, strict=True):
            self._row(count, least, most)
        if problem.max_difference < problem.n_players:
            for one in counts:
                for other in counts:
                    if one is not other:
                        less = {column: -size for column, size in other.items()}
                        self._row({**one, **less}, high=problem.max_difference)
        for block, other_block in problem.apart:
            for one_x, other_x in zip(self.x[block], self.x[other_block], strict=True):
                self._row({one_x: 1.0, other_x: 1.0}, high=1.0)
        self._places()
        if problem.rows is not None:
            for factors, low, high in zip(
                problem.rows.factors, problem.rows.low, problem.rows.high, strict=True
            ):
                terms = {
                    self.x[block][team]: float(factors[block, team])
                    for block, team in zip(*np.nonzero(factors), strict=True)
                }
                self._row(terms, float(low), float(high))
        if problem.moving is not None and problem.moving.most is not None:
            each = problem.moving.each
            terms = {
                self.x[block][team]: float(each[block, team])
                for block, team in zip(*np.nonzero(each), strict=True)
            }
            self._row(terms, high=float(problem.moving.most))

    def _places(self) -> None:
        """Close the columns of teams that blocks cannot be in."""
        problem = self.problem
        for block, team in enumerate(problem.fixed):
            if team >= 0:
                for other, column in enumerate(self.x[block]):
                    self.most[column] *= other == team
        if problem.interchangeable:
            # Teams are numbered by their first block.
            for block, row in enumerate(self.x[: problem.n_teams]):
                for column in row[block + 1 :]:
                    self.most[column] = 0.0

    def _gap(self, criterion: Criterion) -> int:
        """Return the column of the gap that a criterion looks at: of strengths, or of totals."""
        zero = 0.0 if self.problem.level else criterion.zero
        if zero not in self.gaps:
            self.gaps[zero] = self._column(0.0)
            mu = self.problem.features[:, MU] - zero * self.problem.sizes
            self._gap_rows(mu / self.unit, self.gaps[zero])
        return self.gaps[zero]

    def _gap_rows(self, mu: Floats, gap: int) -> None:
        """Bind the column of a gap from below to every difference of two totals."""
        problem = self.problem
        bot = 0.0 if problem.filler is None else float(problem.filler[MU]) / self.unit
        # As many bots come to each team as its seats and the common excess have more than its players.
        each = mu - bot * problem.sizes
        for one in range(problem.n_teams):
            for other in range(problem.n_teams):
                if one != other:
                    terms = {row[one]: float(m) for row, m in zip(self.x, each, strict=True)}
                    terms |= {row[other]: -float(m) for row, m in zip(self.x, each, strict=True)}
                    seats = bot * (problem.seats[one] - problem.seats[other])
                    self._row({**terms, gap: -1.0}, high=-seats)

    def _paid(self, price: float) -> dict[int, float]:
        """Add what preferences need; return the terms that sum to what is paid."""
        prices = self.problem.prices
        if prices is None:
            return {}
        paid: dict[int, float] = {}
        for block, team in zip(*np.nonzero(prices.sides), strict=True):
            paid[self.x[block][team]] = float(prices.sides[block, team])
        for group in prices.groups:
            size = float(len(group.blocks))
            sums = []
            for team in range(self.problem.n_teams):
                terms: dict[int, float] = {}
                for block in group.blocks:
                    terms[self.x[block][team]] = terms.get(self.x[block][team], 0.0) + 1.0
                sums.append(terms)
            if group.together:
                # All but the players of the team that is chosen as theirs are off.
                off = self._column(0.0)
                theirs = [self._column(0.0, 1.0, whole=True) for _ in sums]
                self._row(dict.fromkeys(theirs, 1.0), 1.0, 1.0)
                for terms, chosen in zip(sums, theirs, strict=True):
                    self._row({**terms, off: 1.0, chosen: -size}, low=0.0)
                paid[off] = group.price
            else:
                for terms in sums:
                    over = self._column(0.0)
                    self._row({**terms, over: -1.0}, high=1.0)
                    paid[over] = group.price
        for column, cost in paid.items():
            self.columns[column] += price * cost
        return paid

    def _limits(self) -> None:
        """Add the criteria that must not exceed a cost."""
        totals = self.problem.features.sum(axis=0)
        for criterion, cost in self.task.limits:
            gap, price, proxy = _terms(criterion, self.problem)
            most = _difference(criterion, cost, self.problem, totals) if proxy else cost
            terms = {column: price * each for column, each in self.paid.items()}
            terms[self._gap(criterion)] = gap * self.unit
            unit = max(map(abs, terms.values())) or 1.0
            scaled = {column: each / unit for column, each in terms.items()}
            self._row(scaled, high=most / unit + ACCURACY)

    def cut(self, labels: Labels) -> None:
        """Forbid one split."""
        chosen = {self.x[block][team]: 1.0 for block, team in enumerate(labels.tolist())}
        self._row(chosen, high=float(len(chosen) - 1))

    def solve(self) -> tuple[Labels | None, float, bool]:
        """Return a split of least cost, a bound on it, and whether that is proven."""
        low = np.array([row[1] for row in self.rows])
        high = np.array([row[2] for row in self.rows])
        entries: list[list[tuple[int, float]]] = [[] for _ in self.columns]
        for number, (terms, _, _) in enumerate(self.rows):
            for column, factor in terms.items():
                entries[column].append((number, factor))
        longest = max(map(len, entries))
        rows = np.full((len(entries), longest), -1, dtype=np.int64)
        values = np.zeros((len(entries), longest))
        for column, some in enumerate(entries):
            for at, (number, factor) in enumerate(some):
                rows[column, at], values[column, at] = number, factor
        program = Program(low, high, self.task.stop, strict=True)
        cost = np.array(self.columns) / self.cost_unit
        most, whole = np.array(self.most), np.array(self.whole)
        # Columns stay in their order: each run of whole or broken ones is added as one.
        edges = [0, *(np.flatnonzero(np.diff(whole)) + 1).tolist(), len(whole)]
        for begin, end in pairwise(edges):
            part = slice(begin, end)
            program.add(cost[part], rows[part], values[part], most[part], whole=bool(whole[begin]))
        answer = program.solve()
        if answer.columns is None:
            return None, answer.bound * self.cost_unit, answer.proven
        x = answer.columns[: self.problem.n_blocks * self.problem.n_teams]
        labels = x.reshape(self.problem.n_blocks, -1).argmax(axis=1).astype(np.int8)
        return labels, answer.bound * self.cost_unit, answer.proven


def _common(one: Fraction, other: Fraction) -> Fraction:
    """Return the largest number of which both are whole multiples."""
    scale = lcm(one.denominator, other.denominator)
    return Fraction(gcd(int(one * scale), int(other * scale)), scale)


def _difference(criterion: Criterion, cost: float, problem: Problem, whole: Floats) -> float:
    """Return the largest gap of two teams at which a criterion's cost is not exceeded."""
    if not isinstance(criterion, DifferenceCriterion):
        msg = ": 'milp' cannot limit a sum of criteria of the difference; 'enumerate' and 'mitm' can"
        raise UnsupportedError(msg, "solver")
    first = problem.n_players // 2
    return criterion.largest_difference(cost, Pair((first, problem.n_players - first), whole))


SOLVER = Solver("milp", solve, exact=True, supports=frozenset({PRICES, RULES, MOVES}))
