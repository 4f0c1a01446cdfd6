"""What is taken off all weights before they are squared, so that squares keep their digits."""

from __future__ import annotations

import math

import numpy as np

from equipoise.arrays import Floats

#: How much farther than its middle half weights must reach for their centre to be in that half.
FAR = 1024.0


def centre_of(weights: Floats) -> float:
    """Return what is taken off weights before they are squared: their mean, or where most of them are.

    Squares lose the digits that players far from the centre do not need.  Where a few weigh a thousand times
    as much as the others, the mean is far from everybody, and the light ones would be as good as equal.

    Examples
    --------
    >>> centre_of(np.array([1.0, 2.0, 4.0, 5.0])), centre_of(np.array([1.0, 2.0, 4.0, 1e6, 1e9]))
    (3.0, 2.0)
    """
    if not len(weights):
        return 0.0
    mean, ordered = float(weights.mean()), np.sort(weights)
    half = (len(weights) + 1) // 2
    widths = ordered[half - 1 :] - ordered[: len(weights) - half + 1]
    first = int(widths.argmin())
    middle = float(ordered[first + half // 2])
    apart = np.abs(ordered - middle)
    near = max(float(widths[first]), float(apart[apart > 0.0].min(initial=math.inf)))
    return middle if near < math.inf and float(apart.max()) > FAR * near else mean
