"""The closed form for two teams as a compiled kernel, to be timed beside the default model."""

from __future__ import annotations

import math
from typing import Any


def play_duels(hyper: Any, table: Any, members: Any, middle: Any, first: Any, won: Any, chances: Any) -> None:
    """Run Bradley-Terry full over contests of two teams with everyone present: a kernel.

    Parameters
    ----------
    hyper : column
        beta, tau, kappa.
    table : column
        mu and sigma squared of each player, one after the other; changed in place.
    members : column
        The player of each seat.  Of a type without a sign, as all whole numbers here: that none is below 0
        spares the machine code a test at each index.
    middle, first : columns
        For each contest the first seat of the second team and, with one more, of the first.
    won : column
        What the first team scored: 1, 0.5 or 0.
    chances : column
        Where the first team's chance goes, by the normal link.
    """
    tau, kappa = hyper[1] * hyper[1], hyper[2]
    noise = 2.0 * hyper[0] * hyper[0]
    for n in range(len(won)):
        start, centre, end = first[n], middle[n], first[n + 1]
        mu_1 = mu_2 = variance_1 = variance_2 = 0.0
        for j in range(start, centre):
            mu_1 += table[2 * members[j]]
            variance_1 += table[2 * members[j] + 1] + tau
        for j in range(centre, end):
            mu_2 += table[2 * members[j]]
            variance_2 += table[2 * members[j] + 1] + tau
        square = variance_1 + variance_2 + noise
        before = square - tau * (end - start)
        behind, inverse = mu_2 - mu_1, 1.0 / math.sqrt(square)
        chances[n] = 0.5 * math.erfc(behind / math.sqrt(2.0 * before))
        p = 1.0 / (1.0 + math.exp(behind * inverse))
        pull = (won[n] - p) * inverse
        cut = p * (1.0 - p) * inverse * inverse * inverse
        cut_1, cut_2 = math.sqrt(variance_1) * cut, math.sqrt(variance_2) * cut
        for j in range(start, centre):
            at = 2 * members[j]
            variance = table[at + 1] + tau
            table[at] += variance * pull
            table[at + 1] = variance * max(1.0 - variance * cut_1, kappa)
        for j in range(centre, end):
            at = 2 * members[j]
            variance = table[at + 1] + tau
            table[at] -= variance * pull
            table[at + 1] = variance * max(1.0 - variance * cut_2, kappa)
