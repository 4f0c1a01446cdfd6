"""``plackett-luce``: Weng and Lin's algorithm 4, one place after the other; compatible with ``openskill``.

See docs/algorithms/weng-lin.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.ratings.weng_lin import Sums, WengLin


@dataclass(frozen=True, slots=True)
class PlackettLuce(WengLin):
    """Weng and Lin's Plackett-Luce model, gamma = sigma / c.

    References
    ----------
    R. Weng, C.-J. Lin, JMLR 12 (2011) 267, algorithm 4.

    Examples
    --------
    >>> from equipoise.matches import Contest, Ruleset
    >>> model = PlackettLuce()
    >>> state = model.update(model.initial(), Contest(Ruleset(), (["a"], ["b"], ["c"]), (1, 2, 3)))
    >>> [round(state[player][0], 4) for player in "abc"]
    [27.869, 25.7173, 21.4137]
    """

    def pull(self, sums: Sequence[Sums], ranks: Sequence[float]) -> list[Sums]:
        """Return omega and delta of each team."""
        c = math.sqrt(sum(variance + self.beta**2 for _, variance in sums))
        exponents = [mu / c for mu, _ in sums]
        left = []
        for rank in ranks:
            among = [exponent for exponent, other in zip(exponents, ranks, strict=True) if other >= rank]
            top = max(among)  # the exponential of a skill itself may leave the numbers
            left.append((top, sum(math.exp(exponent - top) for exponent in among)))
        tied = [sum(other == rank for other in ranks) for rank in ranks]
        pulls = []
        for i, (_, variance) in enumerate(sums):
            omega = delta = 0.0
            for q in range(len(sums)):
                if ranks[q] <= ranks[i]:
                    top, total = left[q]
                    p = math.exp(exponents[i] - top) / total
                    omega += ((q == i) - p) / tied[q]
                    delta += p * (1.0 - p) / tied[q]
            pulls.append((omega * variance / c, delta * variance / c**2 * math.sqrt(variance) / c))
        return pulls
