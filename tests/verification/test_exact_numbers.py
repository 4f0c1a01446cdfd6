"""Tests of what exact comparison rests on."""

from __future__ import annotations

import numpy as np

from equipoise.verification.exact_numbers import coprime_base


def test_a_base_is_coprime_and_makes_up_all_numbers() -> None:
    """No two share a factor, and dividing by them leaves 1."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        numbers = [int(x) for x in rng.integers(1, 5000, 6)]
        base = coprime_base(numbers)
        assert all(np.gcd(a, b) == 1 for n, a in enumerate(base) for b in base[:n])
        for number in numbers:
            rest = number
            for factor in base:
                while rest % factor == 0:
                    rest //= factor
            assert rest == 1
