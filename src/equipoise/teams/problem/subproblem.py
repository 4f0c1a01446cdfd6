"""The problem of dividing some blocks again, while the others are held where they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from equipoise.arrays import Labels
from equipoise.teams.problem.problem import Problem


def subproblem(problem: Problem, labels: Labels, blocks: NDArray[np.intp]) -> Problem:
    """Return the problem of dividing some blocks, while all others are held as one block for each team.

    Parameters
    ----------
    problem : Problem
        What was to be divided.
    labels : ndarray, shape (n_blocks,)
        The team of each block.
    blocks : ndarray of int
        Those that may move; in the new problem they come after the teams' held blocks, in this order.
        Of pairs that must be apart both are among them, or else nobody looks at the pair.
    """
    place = {block: n for n, block in enumerate(blocks.tolist(), start=problem.n_teams)}
    stays = np.ones(problem.n_blocks, dtype=np.bool_)
    stays[blocks] = False
    held = [problem.features[stays & (labels == team)].sum(axis=0) for team in range(problem.n_teams)]
    return replace(
        problem,
        features=np.concatenate([np.array(held), problem.features[blocks]]),
        apart=tuple((place[a], place[b]) for a, b in problem.apart if a in place and b in place),
        fixed=(*range(problem.n_teams), *(problem.fixed[block] for block in place)),
        members=((),) * problem.n_teams + tuple(problem.members[block] for block in place),
    )
