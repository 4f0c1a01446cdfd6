"""The normal and the logistic distribution, and what is left of the normal beyond or between thresholds."""

from __future__ import annotations

import math
from statistics import NormalDist

_SQRT_2 = math.sqrt(2.0)
_SQRT_2_PI = math.sqrt(2.0 * math.pi)

#: Below this the tail is taken from its continued fraction: the usual way loses digits as x squared grows.
_FAR = -6.0
#: Terms of the continued fraction, enough for all digits at that place.
_TERMS = 60

#: Exponentials of more than this leave the numbers.
STEEPEST = 700.0


def density(x: float) -> float:
    """Return the density of the standard normal distribution."""
    return math.exp(-0.5 * x * x) / _SQRT_2_PI


def below(x: float) -> float:
    """Return the standard normal distribution function.

    Examples
    --------
    >>> below(0.0)
    0.5
    """
    return 0.5 * math.erfc(-x / _SQRT_2)


def quantile(p: float) -> float:
    """Return where the standard normal distribution function is ``p``, above 0 and below 1."""
    return NormalDist().inv_cdf(p)


def beyond(x: float) -> tuple[float, float]:
    """Return v and w of a standard normal variable plus ``x`` that was seen to be above 0.

    Its mean moves by v and its variance falls by the part w.

    References
    ----------
    R. Herbrich, T. Minka, T. Graepel, NIPS 2006, section 3 (V and W of "win");
    P. Laplace, "Traité de mécanique céleste" IV, 1805, book 10 (the continued fraction of the tail).

    Examples
    --------
    >>> [round(number, 4) for number in beyond(0.0)]
    [0.7979, 0.6366]
    """
    if x >= _FAR:
        v = density(x) / below(x)
        return v, v * (v + x)
    over = 0.0
    for term in range(_TERMS, 0, -1):
        over = term / (over - x)
    return over - x, (over - x) * over


def between(x: float, margin: float) -> tuple[float, float]:
    """Return v and w of a standard normal variable plus ``x`` that was seen within a margin of 0.

    References
    ----------
    R. Herbrich, T. Minka, T. Graepel, NIPS 2006, section 3 (V and W of "draw").
    """
    far = abs(x)
    high, low = margin - far, -margin - far
    if high < _FAR:
        # Both ends are in one tail: in units of the density at the near end nothing underflows.
        fading = math.exp(-2.0 * far * margin)
        ratio = 1.0 / beyond(high)[0] - fading / beyond(low)[0]
        if ratio > 0.0:
            v = math.expm1(-2.0 * far * margin) / ratio
            w = v * v + (high - low * fading) / ratio
            return math.copysign(v, -x) if v else 0.0, min(max(w, 0.0), 1.0)
        return math.copysign(-high, -x), 1.0
    mass = below(high) - below(low)
    if mass < 1e-300:
        return math.copysign(-high, -x) if x else 0.0, 1.0
    v = (density(low) - density(high)) / mass
    w = v * v + (high * density(high) - low * density(low)) / mass
    return (v if x >= 0.0 else -v), w


def odds(exponent: float) -> tuple[float, float]:
    """Return the logistic function and what it leaves of 1, both precise."""
    against = math.exp(min(-exponent, STEEPEST))
    chance = 1.0 / (1.0 + against)
    return chance, against * chance
