"""What a side may be worth: the figures that checks of requests need, without NumPy.

What follows from them is in :mod:`equipoise.core.win_probability`.
"""

from __future__ import annotations

#: The chance of the first of two equal teams where no side is better; so many teams have sides.
EVEN_SIDES, SIDES = 0.5, 2

#: The range of that chance: more is no side but another game.
LEAST_SIDE, MOST_SIDE = 0.01, 0.99
