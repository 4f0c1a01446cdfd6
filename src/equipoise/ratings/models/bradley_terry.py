"""``bradley-terry``: Weng and Lin's algorithm 1, every pair of teams; compatible with ``openskill``.

See docs/algorithms/weng-lin.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.ratings.normal import odds
from equipoise.ratings.weng_lin import Sums, WengLin


@dataclass(frozen=True, slots=True)
class BradleyTerry(WengLin):
    """Weng and Lin's Bradley-Terry model with full pairing, gamma = sigma / c.

    References
    ----------
    R. Weng, C.-J. Lin, JMLR 12 (2011) 267, algorithm 1.

    Examples
    --------
    >>> from equipoise.matches import Contest, Ruleset
    >>> model = BradleyTerry()
    >>> state = model.update(model.initial(), Contest(Ruleset(), (["ann"], ["bob"]), (1, 2)))
    >>> [round(number, 4) for number in state["ann"]]
    [27.6354, 8.0659]
    """

    def pull(self, sums: Sequence[Sums], ranks: Sequence[float]) -> list[Sums]:
        """Return omega and delta of each team."""
        pulls = []
        for i, (mu, variance) in enumerate(sums):
            omega = delta = 0.0
            for j, (other, other_variance) in enumerate(sums):
                if j == i:
                    continue
                c = math.sqrt(variance + other_variance + 2.0 * self.beta**2)
                p, _ = odds((mu - other) / c)
                score = 1.0 if ranks[i] < ranks[j] else 0.5 if ranks[i] == ranks[j] else 0.0
                omega += variance / c * (score - p)
                delta += math.sqrt(variance) / c * variance / c / c * p * (1.0 - p)
            pulls.append((omega, delta))
        return pulls
