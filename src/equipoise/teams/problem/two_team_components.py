"""Two teams, collapsed: blocks bound together or apart become signed components.

Following one block's side, a component's other blocks are known: those kept with it are on its side, those
kept apart on the other.  So a component has one free sign, and dividing is choosing the signs; a component
that holds a fixed block has none.  Contradictions show up while the components are made.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from equipoise.core.arrays import Floats, Ints, Labels
from equipoise.teams.problem.problem import MU, Problem, parts_of, sums_of


class Contradiction(Exception):  # noqa: N818  # a finding, not a failure: balance() turns it into an answer
    """Two blocks that can be neither together nor apart.

    Parameters
    ----------
    one, other : int
        The blocks.
    reason : str
        What binds them both ways.
    """

    def __init__(self, one: int, other: int, reason: str) -> None:
        self.one = one
        self.other = other
        self.reason = reason
        super().__init__(one, other, reason)


@dataclass(frozen=True, eq=False)
class Components:
    """The signed components of a problem with two teams.

    With a component's sign +1, its blocks of side +1 are in the first team and those of side -1 in the
    second.

    Parameters
    ----------
    problem : Problem
        The problem they were made of.
    component : ndarray of int, shape (n_blocks,)
        Which component each block belongs to.
    side : ndarray of int, shape (n_blocks,)
        +1 or -1: the side of each block within its component.
    free : ndarray of bool, shape (n_components,)
        Whether the sign may be chosen; it is +1 where not.
    """

    problem: Problem
    component: Ints
    side: Ints
    free: NDArray[np.bool_]

    @cached_property
    def steps(self) -> Floats:
        """What the first team gains when a sign turns from -1 to +1, shape (n_components, 5)."""
        if len(self.free) == self.problem.n_blocks:
            return np.asarray(self.problem.features * self.side[:, None] + 0.0)  # never -0.0
        steps = np.zeros((len(self.free), self.problem.features.shape[1]))
        np.add.at(steps, self.component, self.problem.features * self.side[:, None])
        return steps

    @cached_property
    def _parts(self) -> Floats:
        return parts_of(self.steps)

    @cached_property
    def base(self) -> Floats:
        """The first team's totals when every free sign is -1 and the others are +1, shape (5,)."""
        if len(self.free) == self.problem.n_blocks and self.free.all():
            return np.zeros(self.problem.features.shape[1])
        first = np.where(self.free[self.component], self.side < 0, self.side > 0)
        return np.asarray(self.problem.features[first].sum(axis=0))

    @cached_property
    def kinds(self) -> list[list[int]]:
        """The free components, those that are exchangeable in one list; strongest first."""
        of_kind: dict[int, list[int]] = {}
        if len(self.free) == self.problem.n_blocks:
            keys = self.problem.kinds
        else:
            alone = np.bincount(self.component, minlength=len(self.free)) == 1
            # Below 0 for what has no equal, above for the kind of a block that is a component of its own.
            keys = np.where(alone, self.problem.kinds[self._first_block], -1 - np.arange(len(self.free)))
        key_of, is_free = keys.tolist(), self.free.tolist()
        for one in np.argsort(-np.abs(self.steps[:, MU]), kind="stable").tolist():
            if is_free[one]:
                of_kind.setdefault(key_of[one], []).append(one)
        return list(of_kind.values())

    @cached_property
    def _first_block(self) -> Ints:
        """The first block of each component, shape (n_components,)."""
        first = np.zeros(len(self.free), dtype=np.int64)
        first[self.component[::-1]] = np.arange(self.problem.n_blocks)[::-1]
        return first

    @cached_property
    def choices(self) -> tuple[list[list[int]], int]:
        """The kinds whose signs are to be chosen, and the component that is held at +1 (-1 for none).

        Where the teams are interchangeable, one component that has no equal is held, so that each
        split comes once.  Of a kind only the number of +1 matters: its first members get them.
        """
        if self.problem.interchangeable:
            for place, kind in enumerate(self.kinds):
                if len(kind) == 1:
                    return self.kinds[:place] + self.kinds[place + 1 :], kind[0]
        return self.kinds, -1

    @cached_property
    def halves(self) -> tuple[tuple[list[list[int]], list[list[int]]], list[int]]:
        """The choices dealt into two halves, and how many part-splits each has: about equally many.

        A kind stays whole: of equals only the number matters, so m of them have m + 1 part-splits.
        """
        halves: tuple[list[list[int]], list[list[int]]] = ([], [])
        rows = [1, 1]
        for kind in sorted(self.choices[0], key=len, reverse=True):
            smaller = int(rows[1] < rows[0])
            halves[smaller].append(kind)
            rows[smaller] *= len(kind) + 1
        return halves, rows

    def signs(self, labels: Labels) -> NDArray[np.int8]:
        """Return the sign of each component, shape (m, n_components), for legal labels (m, n_blocks)."""
        first = self._first_block
        return ((1 - 2 * labels[:, first]) * self.side[first]).astype(np.int8)

    def first_totals(self, signs: NDArray[np.int8]) -> Floats:
        """Return the first team's totals without bots, shape (m, 5), for signs (m, n_components)."""
        return self.base + sums_of((signs > 0) & self.free, self._parts, self.steps.shape[1])

    def totals(self, first: Floats) -> Floats:
        """Return both teams' totals with bots, shape (m, 2, 5), from the first team's without, (m, 5)."""
        totals = np.empty((len(first), 2, first.shape[1]))
        totals[:, 0] = first
        np.subtract(self.problem.whole, first, out=totals[:, 1])
        return self.problem.filled(totals)

    def labels(self, signs: NDArray[np.int8]) -> Labels:
        """Return the team of each block, shape (m, n_blocks), for signs (m, n_components) of +1 and -1."""
        return (signs[:, self.component] * self.side < 0).astype(np.int8)

    @cached_property
    def legal_sizes(self) -> tuple[int, ...]:
        """The legal numbers of players in the first team, ascending."""
        problem = self.problem
        n, apart = problem.n_players, min(problem.max_difference, problem.n_players)
        (low, other_low), (high, other_high) = problem.min_size, problem.max_size
        least, most = (
            max(low, n - other_high, (n - apart + 1) // 2),
            min(high, n - other_low, (n + apart) // 2),
        )
        return tuple(range(least, most + 1))


@lru_cache(maxsize=4)
def components(problem: Problem) -> Components:
    """Collapse a problem with two teams.  The last few are remembered: every step of a solution asks.

    Raises
    ------
    Contradiction
        If two blocks must be both together and apart, naming them.
    """
    if not problem.apart and max(problem.fixed, default=-1) < 0:
        return _unbound(problem)
    union = SignedUnion(problem.n_blocks)
    anchor = next((block for block, team in enumerate(problem.fixed) if team >= 0), -1)
    for block, team in enumerate(problem.fixed):
        if team >= 0:
            union.bind(anchor, block, 1 if team == problem.fixed[anchor] else -1)
    for one, other in problem.apart:
        if not union.bind(one, other, -1):
            raise Contradiction(one, other, "they must be apart, but other preferences put them in one team")
    roots: dict[int, int] = {}
    members = [union.find(block) for block in range(problem.n_blocks)]
    component = np.array([roots.setdefault(root, len(roots)) for root, _ in members], dtype=np.int64)
    side = np.array([side for _, side in members], dtype=np.int64)
    free = np.ones(len(roots), dtype=np.bool_)
    if anchor >= 0:
        held = component[anchor]
        free[held] = False
        if side[anchor] != 1 - 2 * problem.fixed[anchor]:
            side[component == held] *= -1
    return Components(problem, component, side, free)


def _unbound(problem: Problem) -> Components:
    """Return the components where nobody is fixed or apart: every block is one of its own."""
    n = problem.n_blocks
    return Components(problem, np.arange(n), np.ones(n, dtype=np.int64), np.ones(n, dtype=np.bool_))


class SignedUnion:
    """Union-find that knows of two members of a set whether they are on one side or on opposite ones."""

    def __init__(self, n: int) -> None:
        self.parent = list(range(n))
        self.parity = [1] * n

    def find(self, member: int) -> tuple[int, int]:
        """Return the set's root, and the member's side as seen from it."""
        path = []
        while self.parent[member] != member:
            path.append(member)
            member = self.parent[member]
        side = 1
        for step in reversed(path):
            side *= self.parity[step]
            self.parent[step], self.parity[step] = member, side
        return member, side

    def bind(self, one: int, other: int, relation: int) -> bool:
        """Put two members on one side (+1) or on opposite ones (-1); False if they are bound otherwise."""
        (root, side), (other_root, other_side) = self.find(one), self.find(other)
        if root == other_root:
            return side * other_side == relation
        self.parent[other_root], self.parity[other_root] = root, side * other_side * relation
        return True
