"""Exact numbers: intervals against another library, ties by algebra, and what stays undecided."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from equipoise.verification.exact_numbers import SLOPE, Chance, Lead, Real, compare

ONE = Fraction(1)

#: Squares of leads, ascending: a chance is 1 less the exponential of their root.
LEADS = [Fraction(10**n) + more for n in (0, 4, 12, 21) for more in (Fraction(0), Fraction(1, 10**9))]


def random_real(rng: np.random.Generator) -> tuple[Real, mpmath.mpf]:
    """Return a sum of everything there is, and what another library says it is."""
    rational, *positive = (
        Fraction(int(rng.integers(1, 10**6)), int(rng.integers(1, 10**6))) for _ in range(4)
    )
    leads = (Fraction(0), positive[2] * int(rng.choice([-1, 1])))
    factors = [Fraction(int(rng.integers(-50, 50)), 7) for _ in range(3)]
    number = Real(
        rational,
        {positive[0]: factors[0]},
        {positive[1]: factors[1]},
        {Chance(tuple(map(Lead, leads))): factors[2]},
    )
    with mpmath.workdps(60):

        def mp(x: Fraction) -> mpmath.mpf:
            return mpmath.mpf(x.numerator) / x.denominator

        chance = 1 / sum(
            mpmath.exp(mpmath.sign(mp(lead)) * mp(SLOPE) * mpmath.sqrt(abs(mp(lead)))) for lead in leads
        )
        other = (
            mp(rational)
            + mp(factors[0]) * mpmath.sqrt(mp(positive[0]))
            + mp(factors[1]) * mpmath.log(mp(positive[1]))
            + mp(factors[2]) * chance
        )
    return number, other


@pytest.mark.slow
@pytest.mark.parametrize("digits", [12, 30, 50])
def test_intervals_hold_the_number(digits: int) -> None:
    """Whatever the digits, another library's value of 60 is between the ends, and they are close."""
    rng = np.random.default_rng(digits)
    for _ in range(200):
        number, other = random_real(rng)
        low, high = number.interval(digits)
        with mpmath.workdps(70):
            assert mpmath.mpf(str(low)) <= other <= mpmath.mpf(str(high))
            width = mpmath.mpf(str(high)) - mpmath.mpf(str(low))
            assert width <= 10 ** (8 - digits) * max(1, abs(other)) * 1000


def test_numbers_that_are_written_in_many_ways_are_equal() -> None:
    """Ties of square roots, logarithms and chances are proven, at any scale."""
    for scale in (Fraction(1, 10**9), ONE, Fraction(10**12)):
        assert Real(roots={8 * scale: ONE}) == Real(roots={2 * scale: Fraction(2)})
        assert Real(roots={2 * scale**2: ONE, 18 * scale**2: ONE}) == Real(roots={32 * scale**2: ONE})
    assert Real(Fraction(3), roots={Fraction(4): -ONE}) == Real(ONE)
    logs = {
        Fraction(12, 5): Fraction(1, 3),
        Fraction(25, 18): Fraction(1, 3),
        Fraction(3, 10): Fraction(1, 3),
    }
    assert Real(logarithms=logs) == Real()
    assert Real(logarithms={Fraction(8): Fraction(1, 3)}) == Real(logarithms={Fraction(2): ONE})
    duel = Chance((Lead(Fraction(-2)), Lead(Fraction(0))))
    assert Real(chances={duel: ONE}) - Real(chances={duel: ONE}) == Real()


def test_numbers_that_nearly_tie_are_told_apart() -> None:
    """A difference beyond the forty-fifth digit decides."""
    close = Fraction(10**90 + 1, 10**90)
    assert Real(roots={close: ONE}) > Real(ONE)
    assert Real(logarithms={close: ONE}) > Real()
    assert Real(roots={Fraction(2): ONE, Fraction(3): ONE}) < Real(
        roots={Fraction(2) * close: ONE, Fraction(3): ONE}
    )


def test_chances_that_no_float_tells_from_certain_have_an_order() -> None:
    """Whichever is asked about first, and however many digits their exponents have."""
    chances = [Real(chances={Chance((Lead(-lead), Lead(Fraction(0)))): Fraction(1)}) for lead in LEADS]
    for place, one in enumerate(chances):
        signs = [compare(one, other) for other in chances]
        assert signs == [1] * place + [0] + [-1] * (len(chances) - place - 1)
        assert (one - Real(Fraction(1))).rounded() <= 0


def test_saturated_chances_compare_by_what_they_saturate() -> None:
    """Where no digits tell two hopeless duels apart, their differences do."""
    worse = Real(chances={Chance((Lead(Fraction(0)), Lead(Fraction(10**12)))): ONE})
    worst = Real(chances={Chance((Lead(Fraction(0)), Lead(Fraction(10**12 + 1)))): ONE})
    assert compare(worst, worse) == -1
    assert compare(-worst, -worse) == 1
