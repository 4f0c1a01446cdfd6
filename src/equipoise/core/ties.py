"""When two costs are equal within rounding: the one statement that searches, stages and the checker share.

Exact costs are equal or they are not.
A cost of numbers that are rounded may be off what it is on paper by an error, whose bound is that of its
objective (:mod:`equipoise.teams.problem.exactness`; the checker works out its own).
What counts as equal must not lose a tie, so it is all that rounding may have told apart:

* two computed costs are equal where they differ by at most :data:`EQUAL` errors;
* so a split that counts as one of the best is, on paper, worse by at most :data:`APART` errors;
* a cost has reached a bound that is known on paper where it exceeds it by at most one error.

Tolerances are added to these, and all of it is added, never multiplied: what rounding does to a sum depends
on its terms, not on its result.
"""

from __future__ import annotations

#: By how many errors two computed costs that are equal on paper may differ: each may be off.
EQUAL = 2

#: By how many errors costs may differ on paper that count as equal.
APART = 2 * EQUAL
