"""Linear and integer programs: the only module that knows HiGHS, loaded when a program is made.

References
----------
Q. Huangfu, J. A. J. Hall, "Parallelizing the dual revised simplex method", Mathematical Programming
Computation 10, 2018, 119-142; doi:10.1007/s12532-017-0130-5.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from equipoise.core.arrays import Floats, Ints
from equipoise.core.packages import needs
from equipoise.core.stopping import Stop, never, seconds_left
from equipoise.errors import UnsupportedError

#: The smallest tolerance that HiGHS takes is a tenth of it.
STRICT = 1e-9

#: The share of an integer program's value from which on a unit of its costs is too coarse: tolerances are
#: absolute, and would be more than a billionth of the value.
TOO_COARSE = 0.25

#: Seconds that there must be to load HiGHS: four times what that takes from byte code, twice from source.
LOADING = 1.0  # effort

#: Columns of an integer program up to which presolve keeps a limit of time.
MOST_PRESOLVED = 30_000  # effort


def available() -> bool:
    """Tell whether HiGHS is installed."""
    return find_spec("highspy") is not None


def affordable(stop: Stop) -> bool:
    """Tell whether HiGHS is installed, and loaded or there is time to load it."""
    return available() and ("highspy" in sys.modules or seconds_left(stop) >= LOADING)


@cache
def _silent_solver() -> Any:
    """Return HiGHS's solver as a class that says nothing from the first moment.

    Its own constructor sets up callbacks, at which some versions print who they are: to standard output,
    which belongs to whoever asked.
    """
    import highspy

    solver: Any = highspy.Highs

    class SilentSolver(solver):  # type: ignore[misc]  # a class without types
        def enableCallbacks(self) -> None:  # noqa: N802  # HiGHS's name
            self.setOptionValue("output_flag", False)
            super().enableCallbacks()

    return SilentSolver


class Answer(NamedTuple):
    """What a program's solution is.

    Parameters
    ----------
    columns : ndarray of float or None
        The variables' values; None where none are known.
    prices : ndarray of float
        The rows' dual values; only for linear programs.
    bound : float
        What no solution is below; minus infinity where nothing is known.
    proven : bool
        Whether it is optimal, or where ``columns`` is None, that there is none.
    """

    columns: Floats | None
    prices: Floats
    bound: float
    proven: bool


class Program:
    """Minimise ``cost @ x`` with ``low <= A x <= high`` and x of 0 and above; columns can be added.

    Parameters
    ----------
    low, high : ndarray of float, shape (n_rows,)
        The limits of each row.
    stop : callable
        Asked now and then; once it returns True, solving ends.
    strict : bool
        Whether HiGHS's tolerances are as small as they can be, for programs whose numbers are around 1.

    Raises
    ------
    InputError
        If HiGHS is not installed.
    """

    def __init__(self, low: Floats, high: Floats, stop: Stop = never, *, strict: bool = False) -> None:
        if not available():
            msg = f": this {needs('highspy')}; 'large' often does without"
            raise UnsupportedError(msg, "solver")
        self._stop = stop
        self._highs: Any = _silent_solver()()
        self._highs.silent()
        # One thread and a fixed seed: the same program has the same answer.
        for option, value in (("threads", 1), ("random_seed", 0)):
            self._highs.setOptionValue(option, value)
        if strict:
            for kind in ("mip", "primal", "dual"):
                self._highs.setOptionValue(f"{kind}_feasibility_tolerance", STRICT)
        if stop is not never:
            for event in (self._highs.cbSimplexInterrupt, self._highs.cbMipInterrupt):
                event.subscribe(self._interrupt)
        n = len(low)
        self._highs.addRows(
            n, low.astype(np.float64), high.astype(np.float64), 0,
            np.zeros(n, dtype=np.int32), np.zeros(0, dtype=np.int32), np.zeros(0),
        )  # fmt: skip
        self.n_columns = 0
        self._whole = False

    def _interrupt(self, event: Any) -> None:
        event.interrupt(self._stop())

    def add(
        self, cost: Floats, rows: Ints, values: Floats, most: Floats | None = None, *, whole: bool = False
    ) -> None:
        """Add columns.

        Parameters
        ----------
        cost : ndarray of float, shape (n,)
            Their costs.
        rows : ndarray of int, shape (n, most entries)
            The rows each has entries in, -1 for none; a row that comes twice has the sum.
        values : ndarray of float, shape (n, most entries)
            The entries.
        most : ndarray of float, shape (n,), optional
            The variables' upper limits.
        whole : bool
            Whether the variables must be whole numbers.
        """
        n = len(cost)
        if not n:
            return
        order = np.argsort(rows, axis=1, kind="stable")
        rows, values = np.take_along_axis(rows, order, 1), np.take_along_axis(values, order, 1).copy()
        keep = rows >= 0
        for entry in range(1, rows.shape[1]):
            again = keep[:, entry] & (rows[:, entry] == rows[:, entry - 1])
            values[again, entry] += values[again, entry - 1]
            keep[again, entry - 1] = False
        keep &= values != 0.0
        counts = keep.sum(axis=1)
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int32)
        self._highs.addCols(
            n, cost.astype(np.float64), np.zeros(n), np.full(n, np.inf) if most is None else most,
            int(counts.sum()), starts, rows[keep].astype(np.int32), values[keep],
        )  # fmt: skip
        if whole:
            self._whole = True
            import highspy

            columns = np.arange(self.n_columns, self.n_columns + n, dtype=np.int32)
            self._highs.changeColsIntegrality(n, columns, [highspy.HighsVarType.kInteger] * n)
        self.n_columns += n

    def change_costs(self, cost: Floats) -> None:
        """Replace all columns' costs."""
        self._highs.changeColsCost(self.n_columns, np.arange(self.n_columns, dtype=np.int32), cost)

    def change_row(self, row: int, low: float, high: float) -> None:
        """Replace a row's limits."""
        self._highs.changeRowBounds(row, low, high)

    def solve(self, *, gap: float = 0.0, nodes: int | None = None) -> Answer:
        """Solve the program.

        Parameters
        ----------
        gap : float
            The absolute gap at which a whole-number solution counts as optimal.
        nodes : int, optional
            The most nodes of a search for whole numbers: a limit that, unlike time, is the same everywhere.
        """
        import highspy

        self._highs.setOptionValue("mip_rel_gap", 0.0)
        self._highs.setOptionValue("mip_abs_gap", max(gap, 1e-9))
        left = seconds_left(self._stop)
        if left < np.inf:
            # Presolve asks nobody whether to stop, and looks at the clock too seldom in large programs; HiGHS
            # counts the time of all its runs.
            self._highs.setOptionValue("time_limit", self._highs.getRunTime() + left)
            if self._whole and self.n_columns > MOST_PRESOLVED:
                self._highs.setOptionValue("presolve", "off")
        if nodes is not None:
            self._highs.setOptionValue("mip_max_nodes", nodes)
        self._highs.run()
        status, info = self._highs.getModelStatus(), self._highs.getInfo()
        solution = self._highs.getSolution()
        optimal = status == highspy.HighsModelStatus.kOptimal
        none = status in (
            highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible,
        )  # fmt: skip
        known = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        return Answer(
            np.array(solution.col_value) if known and not none else None,
            np.array(solution.row_dual),
            float(info.mip_dual_bound) if np.isfinite(info.mip_dual_bound) else -np.inf,
            optimal or none,
        )
