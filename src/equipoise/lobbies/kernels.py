"""The hot loops, written for :mod:`equipoise.compiled`: plain functions over indexable sequences."""

from __future__ import annotations

from typing import Any

# Lists when plain, arrays when compiled; both are only indexed.
Column = Any

#: Neighbours on each side of the wanted partner that are tried one by one; then farther ones, doubling.
NEAR = 8
FARTHEST = 256


def exchange(  # noqa: C901  # one loop: compiled, it can call nothing that is not
    skill: Column,
    kind: Column,
    team: Column,
    away: Column,
    scale: Column,
    lobby: Column,
    may: Column,
    n_columns: int,
    absolute: bool,
    middle: float,
    spread: float,
    begin: int,
    end: int,
) -> int:
    """Exchange blocks of one size between teams wherever that lowers the sum of deviations, once through.

    The partner wanted is the one that halves a team's distance from the mean deviation; it is found by
    binary search.

    Parameters
    ----------
    skill : sequence of float
        The blocks' skills, ascending.
    kind, team : sequence of int
        Each block's kind and team; ``team`` is changed.
    away : sequence of float
        Each team's total less its target; changed.
    scale : sequence of float
        What a team's deviation is multiplied by; 0 for those who wait.
    lobby : sequence of int
        Each team's column of ``may``.
    may : sequence of bool
        Whether a kind may be in a column, row after row.
    n_columns : int
        The length of a row.
    absolute : bool
        Whether deviations are absolute; else they are squared.
    middle : float
        The mean deviation of the teams, with its sign.
    spread : float
        Teams nearer to the mean deviation are left alone until others come to them.
    begin, end : int
        The first block that is offered an exchange, and the one after the last.

    Returns
    -------
    exchanged : int
        How many exchanges were made.
    """
    n = len(skill)
    exchanged = 0
    for i in range(begin, end):
        a = team[i]
        own = skill[i]
        away_a = away[a]
        scale_a = scale[a]
        if scale_a > 0.0 and abs(away_a - middle) < spread:
            continue
        old_a = away_a * scale_a
        middle_skill = own
        if scale_a > 0.0:
            middle_skill = own - 0.5 * (away_a - middle)
        low, high = 0, n
        while low < high:
            half = (low + high) // 2
            if skill[half] < middle_skill:
                low = half + 1
            else:
                high = half
        best = -1
        best_gain = 0.0
        step = 0
        while step < FARTHEST:
            for side in range(2):
                j = low + step if side == 0 else low - 1 - step
                if j < 0 or j >= n:
                    continue
                b = team[j]
                if b == a:
                    continue
                if not (may[kind[i] * n_columns + lobby[b]] and may[kind[j] * n_columns + lobby[a]]):
                    continue
                difference = skill[j] - own
                new_a = (away_a + difference) * scale_a
                new_b = (away[b] - difference) * scale[b]
                old_b = away[b] * scale[b]
                if absolute:
                    before = abs(old_a) + abs(old_b)
                    gain = before - abs(new_a) - abs(new_b)
                else:
                    before = old_a * old_a + old_b * old_b
                    gain = before - new_a * new_a - new_b * new_b
                if gain > best_gain and gain > 1e-9 * before:
                    best = j
                    best_gain = gain
            step = step + 1 if step < NEAR else 2 * step
        if best >= 0:
            b = team[best]
            difference = skill[best] - own
            away[a] += difference
            away[b] -= difference
            team[i] = b
            team[best] = a
            exchanged += 1
    return exchanged


def lowest_lines(
    slope: Column, level: Column, target: float, part: float, rent: float, hull: Column, out: Column
) -> None:
    """Lower numbers to a parabola plus the lower envelope of lines, at the places that are half their slopes.

    ``out[i]`` becomes at most the least over j of
    ``((slope[i] - target)**2 + 2 * slope[j] * slope[i] + level[j]) / part - rent``.

    Parameters
    ----------
    slope : sequence of float
        Half the slopes, strictly ascending; also the places.
    level : sequence of float
        The lines' values at 0.
    target, part, rent : float
        The parabola's place, what the sum is divided by, and what is taken off.
    hull : sequence of int
        Room for as many lines; what is in it does not matter.
    out : sequence of float
        What is lowered.
    """
    n = len(slope)
    top = 0
    for back in range(n):
        i = n - 1 - back
        while top >= 2:
            q = hull[top - 1]
            p = hull[top - 2]
            # The line q is nowhere lowest where p meets i before p meets q.
            if (level[i] - level[p]) * (slope[p] - slope[q]) <= (level[q] - level[p]) * (slope[p] - slope[i]):
                top -= 1
            else:
                break
        hull[top] = i
        top += 1
    at = 0
    for i in range(n):
        place = 2.0 * slope[i]
        while at + 1 < top:
            p = hull[at]
            q = hull[at + 1]
            if slope[q] * place + level[q] <= slope[p] * place + level[p]:
                at += 1
            else:
                break
        p = hull[at]
        away = slope[i] - target
        cost = (slope[p] * place + level[p] + away * away) / part - rent
        out[i] = min(out[i], cost)
