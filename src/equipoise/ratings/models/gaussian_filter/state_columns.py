"""What filters have learnt: as a value, and as columns for the kernels, which change them in place.

Plain kernels take the columns of one member after the other, as lists.  Compiled ones take the columns of all
members at once, as arrays in which the numbers of all members stand side by side: the lanes of a vector, see
:mod:`equipoise.core.simd_lanes`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import Any, Final, cast

import numpy as np

from equipoise.core.compiled import compiled, has_vectors, pays, renamed
from equipoise.core.match import Ruleset
from equipoise.ratings.models.gaussian_filter import kernels
from equipoise.ratings.models.gaussian_filter.contest_columns import Key, OneContest, Packed
from equipoise.ratings.models.gaussian_filter.parameters import Numbers

#: More members than this are worked on in blocks, compiled too: machine code grows with the lanes.
MOST_LANES = 8  # effort

#: Contests from which compiled kernels pay: where they have to be compiled, and where they were kept.
WORTH, WORTH_KEPT = 20_000, 8000  # effort

#: The parts of a state that each member has of its own, and how many numbers there are in a row of them.
HYPER, TABLE, RULESETS, WORLD, EVIDENCE = range(5)
WIDTHS: Final = (kernels.HYPER, kernels.ROW, kernels.RULESET, kernels.WORLD, kernels.EVIDENCE)


@cache
def kernel(many: int) -> Callable[..., Any]:
    """Return the kernel for so many members, which is compiled, and kept, for each number of them."""
    return renamed(kernels.play, f"play_{many}")


def fast(many: int, contests: int) -> bool:
    """Tell whether compiled kernels pay for so many members and contests."""
    return pays(contests, WORTH, kernels=(kernel(many),), worth_kept=WORTH_KEPT)


class Learnt:
    """What filters have learnt, as columns.

    Parameters
    ----------
    many : int
        How many members there are.
    parts : sequence of iterable of tuple
        Rows of hyperparameters, of the table, of rulesets, of the world and of evidence, of which the last
        is that of all rulesets; a row has so many numbers of each member in turn.
    games : iterable of float
        How many contests each player has played, by the rows of the table.
    """

    __slots__ = ("_filters", "_games", "_lanes", "_many", "_parts", "_room", "_used")

    def __init__(self, many: int, parts: Sequence[Iterable[Numbers]], games: Iterable[float]) -> None:
        self._many, self._lanes = many, 0
        # Of each part the columns: compiled those of several members in one, else one of each member.
        self._parts: list[list[Any]] = [
            _by_member(rows, width, many) for rows, width in zip(parts, WIDTHS, strict=True)
        ]
        self._games: Any = list(games)
        self._used = len(self._games)
        self._room, self._filters = (0, 0), tuple[kernels.FilterColumns, ...]()

    def compile(self, spare: int = 0) -> None:
        """Go on with compiled kernels, and with room for so many rows of the table more."""
        if not self._lanes:
            for column in self._parts[TABLE]:
                column.extend([0.0] * (kernels.ROW * spare))
            # As many as a register has: a power of two.
            self._lanes = lanes = math.gcd(self._many, MOST_LANES) if has_vectors() else 1
            starts = range(0, self._many, lanes)
            self._parts = [
                [np.array(part[n : n + lanes], dtype=np.float64).T.copy() for n in starts]
                for part in self._parts
            ]
            self._games, self._filters = np.array(self._games + [0.0] * spare, dtype=np.float64), ()

    def plain(self) -> None:
        """Go on with plain kernels."""
        if self._lanes:
            self._parts = [[column for block in part for column in block.T.tolist()] for part in self._parts]
            self._parts[TABLE] = [column[: kernels.ROW * self._used] for column in self._parts[TABLE]]
            self._games, self._filters, self._lanes = self._games[: self._used].tolist(), (), 0

    def copy(self) -> Learnt:
        """Return the same once more."""
        return deepcopy(self)

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        """Leave out the kernels' view of the columns: a copy has to make one of its own."""
        return None, {name: () if name == "_filters" else getattr(self, name) for name in self.__slots__}

    def play(
        self, packed: Packed | OneContest, *, learning: bool = True, predicting: bool = True
    ) -> tuple[Any, Any]:
        """Run the kernels, and return the chances of each team, and of a draw of each contest.

        Both are empty where nobody asks for predictions, which are a part of the work.
        """
        room = packed.widest()
        if not self._filters or room[0] > self._room[0] or room[1] > self._room[1]:
            self._room = max(room[0], self._room[0]), max(room[1], self._room[1])
            self._filters = self._made(*self._room)
        sizes = len(packed.rank) * predicting, len(packed.at) * predicting
        if self._lanes:
            chances, draws = map(np.empty, sizes)
            play: Any = compiled(kernel(self._many))
            play(self._filters, self._games, *packed.arrays(), chances, draws, learning)
            return chances, draws
        lists = [0.0] * sizes[0], [0.0] * sizes[1]
        kernels.play(self._filters, self._games, *packed.columns(), *lists, learning)
        return lists

    def blocks(self, constants: Numbers, weights: Numbers) -> list[tuple[Any, ...]]:
        """Return hyperparameters, table, a ruleset, the world and weights of so many members at a time.

        They are as :func:`equipoise.ratings.models.gaussian_filter.line_ups.foretell` takes them: of each
        number that of each member in turn.
        """
        lanes, width = self._lanes or 1, kernels.RULESET
        found: list[tuple[Any, ...]] = []
        for n, start in enumerate(range(0, self._many, lanes)):
            own = [constants[width * (start + one) + k] for k in range(width) for one in range(lanes)]
            mine = weights[start : start + lanes]
            hyper, table, world = (self._parts[part][n] for part in (HYPER, TABLE, WORLD))
            if self._lanes:
                found.append((hyper.ravel(), table.ravel(), np.array(own), world.ravel(), np.array(mine)))
            else:
                found.append((hyper, table, own, world, mine))
        return found

    def ruleset(self, place: int) -> Numbers:
        """Return what is known of a ruleset, of each member in turn."""
        return self._row(RULESETS, place)

    def evidence(self, place: int) -> Numbers:
        """Return each member's likelihood in a ruleset, and the contests that it rests on; -1 is all."""
        numbers = self._row(EVIDENCE, self.n_rulesets if place < 0 else place)
        return (*numbers[::2], numbers[1])

    def _made(self, teams: int, players: int) -> tuple[kernels.FilterColumns, ...]:
        """Return the columns as the kernels take them, with room for so large a contest."""
        sizes = teams * kernels.WORKSPACE, players * kernels.SEAT, teams + 1
        made = []
        for parts in zip(*self._parts, strict=True):
            room = [np.empty((n, self._lanes)) if self._lanes else [0.0] * n for n in sizes]
            columns = [_vectors(each) if self._lanes else each for each in (*parts, *room)]
            made.append(kernels.FilterColumns(*columns))
        return tuple(made)

    def entries(self, part: int, places: Mapping[Any, int]) -> dict[Any, Numbers]:
        """Return the rows at some places."""
        if list(places.values()) == list(range(len(places))):
            return dict(zip(places, self._rows(part, len(places)), strict=True))
        return {key: self._row(part, place) for key, place in places.items()}

    def _rows(self, part: int, count: int) -> Iterable[Numbers]:
        """Return the first so many rows."""
        width = WIDTHS[part]
        columns: list[list[float]] = []
        for column in self._parts[part]:
            some = column[: width * count]
            columns += [lane.tolist() for lane in some.T] if self._lanes else [some]
        return zip(*(column[n::width] for column in columns for n in range(width)), strict=True)

    def _row(self, part: int, place: int) -> Numbers:
        columns, start, end = self._parts[part], WIDTHS[part] * place, WIDTHS[part] * (place + 1)
        numbers: list[float] = []
        for column in columns:
            numbers += column[start:end].T.ravel().tolist() if self._lanes else column[start:end]
        return tuple(numbers)

    def world(self) -> Numbers:
        """Return what is known of no player and no ruleset."""
        return self._row(WORLD, 0)

    @property
    def n_parts(self) -> int:
        """How many rows of the table are in use."""
        return self._used

    @property
    def n_rulesets(self) -> int:
        """How many rulesets are known."""
        return len(self._parts[RULESETS][0]) // kernels.RULESET

    @property
    def lanes(self) -> int:
        """How many members stand side by side; 0 where the kernels run plain."""
        return self._lanes

    @property
    def games(self) -> Any:
        """How many contests each player has played, by the rows of the table."""
        return self._games

    @property
    def is_compiled(self) -> bool:
        """Whether the kernels run compiled."""
        return bool(self._lanes)

    def add_part(self, row: Numbers) -> None:
        """Add a row to the table, of someone who has not played."""
        place = self._used
        if self._lanes and place == len(self._games):
            self.plain()
            self.compile(spare=place + 1)  # twice as many, so that each row is moved but a few times
        self._used += 1
        if not self._lanes:
            self._insert(TABLE, place, row)
            self._games.append(0.0)
            return
        start, end = kernels.ROW * place, kernels.ROW * (place + 1)
        numbers = np.reshape(row, (len(self._parts[TABLE]), self._lanes, kernels.ROW))
        for block, part in zip(self._parts[TABLE], numbers, strict=True):
            block[start:end] = part.T

    def add_ruleset(self, row: Numbers) -> None:
        """Add a ruleset that tells nothing about the members so far."""
        lanes, place = self._lanes, self.n_rulesets
        self.plain()
        self._insert(RULESETS, place, row)
        self._insert(EVIDENCE, place, (0.0,) * (kernels.EVIDENCE * self._many))
        if lanes:
            self.compile()

    def _insert(self, part: int, place: int, row: Numbers) -> None:
        """Insert a row where columns are lists."""
        start = WIDTHS[part] * place
        for column, numbers in zip(
            self._parts[part], _by_member([row], WIDTHS[part], self._many), strict=True
        ):
            column[start:start] = numbers


def listed(column: Any) -> list[float]:
    """Return a column of predictions as a list, plain or compiled."""
    return cast("list[float]", column if isinstance(column, list) else column.tolist())


def _by_member(rows: Iterable[Numbers], width: int, many: int) -> list[list[float]]:
    """Return for each member a column of its numbers."""
    if many == 1:
        return [list(chain.from_iterable(rows))]
    numbers = list(chain.from_iterable(rows))
    columns = [[0.0] * (len(numbers) // many) for _ in range(many)]
    for n in range(width * many):
        columns[n // width][n % width :: width] = numbers[n :: width * many]
    return columns


def _vectors(column: Any) -> Any:
    """Return an array of rows as one of records, which stand for vectors."""
    return column.ravel() if column.shape[1] == 1 else column.view(_record(column.shape[1])).ravel()


@cache
def _record(lanes: int) -> Any:
    return np.dtype([(f"lane_{n}", np.float64) for n in range(lanes)])


#: Squares of a margin and of a statistic before any was seen.
MARGIN_SQUARE, STATISTIC_SQUARE = 0.09, 0.42

#: Draws before any contest was seen, and how many they would have been at a draw factor of 1.
DRAWS_BEFORE, CLOSE_BEFORE = 0.1, 1.0

#: The experience of who has not played.
NO_GAMES = (0.0,)


@dataclass(frozen=True, slots=True)
class FilterState:
    """Everything filters need for their next update, compared by value; of each member in turn.

    Parameters
    ----------
    table : mapping from (player, ruleset) to four numbers a member
        Of each part of a skill the mean from results, the mean from statistics, the variance, and the day
        it was last seen; ``Ruleset()`` is the general part.
    rulesets : mapping from Ruleset to twelve numbers a member
        What was learnt of each ruleset, see :mod:`equipoise.ratings.models.gaussian_filter.kernels`.
    world : five numbers a member
        Temperature, the evidence for it, and the sums and number of bots.
    games : mapping from player to one number
        How many contests each has played.
    evidence : mapping from Ruleset to a number a member and one
        The logarithm of each member's likelihood, and the contests that it rests on; empty with one member.
    pooled : tuple
        The same over all rulesets.
    """

    table: Mapping[Key, Numbers] = field(default_factory=dict)
    rulesets: Mapping[Ruleset, Numbers] = field(default_factory=dict)
    world: Numbers = (1.0, 0.0, 0.0, 0.0, 0.0)
    games: Mapping[str, Numbers] = field(default_factory=dict)
    evidence: Mapping[Ruleset, Numbers] = field(default_factory=dict)
    pooled: Numbers = (0.0, 0.0)

    def updated(self, after: FilterState) -> FilterState:
        """Return what is known with what is known later of some players and rulesets."""
        return FilterState(
            {**self.table, **after.table},
            {**self.rulesets, **after.rulesets},
            after.world,
            {**self.games, **after.games},
            {**self.evidence, **after.evidence},
            after.pooled,
        )
