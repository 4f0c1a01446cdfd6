"""The slow, obvious second opinion: what is asked, what is legal and what is best, in exact arithmetic.

A number means the decimals it is written with (``Fraction(repr(x))``), so that rosters of 0.1 and 0.2 have
the ties that people see in them.
Nothing here uses the problems, totals, objectives or solvers of :mod:`equipoise.teams`, nor NumPy: what
agrees with it has been worked out twice.
"""
