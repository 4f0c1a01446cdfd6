"""Splits and the current teams: the one in which everyone stays, and numbers at which fewest players move."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equipoise.arrays import Labels
from equipoise.players import Player
from equipoise.teams.problem.matching import FORBIDDEN, matched
from equipoise.teams.problem.problem import Problem


def unmoved(problem: Problem) -> tuple[Labels, ...]:
    """Return the split in which everyone stays, if it is legal: something to begin a search with."""
    if problem.moving is None or not problem.n_blocks:
        return ()
    fixed = np.array(problem.fixed)
    labels = np.where(fixed >= 0, fixed, problem.moving.each.argmin(axis=1)).astype(np.int8)
    return (labels,) if problem.legal(labels[None, :])[0] else ()


def renumbered(problem: Problem, players: Sequence[Player], labels: Labels) -> Labels:
    """Return a split with its teams under the numbers at which fewest players change team.

    Teams exchange their numbers where that changes nothing else.
    """
    rules = problem.team_rules_but_now
    common = np.array([[0 if one == other else FORBIDDEN for other in rules] for one in rules])
    for members, team in zip(problem.members, labels.tolist(), strict=True):
        for now in (players[index].team_now for index in members):
            if now is not None:
                common[team, now] += 1
    number = np.argsort(matched(common), kind="stable")
    moved = common.trace() < common[np.arange(len(rules)), number].sum()
    return number[labels].astype(np.int8) if moved else labels
