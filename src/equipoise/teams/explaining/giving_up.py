"""What to give up where nothing keeps all rules: as little as makes a split possible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from equipoise.stopping import Stop
from equipoise.teams.explaining.asking import Asked, Constraint, ask
from equipoise.teams.explaining.relaxing import relaxed_sizes, rules_in
from equipoise.teams.request import BalanceRequest
from equipoise.teams.solution import Split

#: Gives when to stop the next question, from how many there still are.
Share = Callable[[int], Stop]


def least_relaxed(request: BalanceRequest, shares: Share) -> tuple[tuple[Constraint, ...], Split | None]:
    """Return the fewest constraints to give up for a split, and the best there is without them.

    One alone is tried first: of those that will do, the one that frees the fewest players, then the one
    with the most even split.  If none will do, several are.
    """
    whole = rules_in(request)
    parts = [part for asked in whole for part in asked.parts]
    found: list[tuple[int, float, Constraint, Split]] = []
    for n, part in enumerate(parts):
        stop = shares(len(parts) - n + 1)
        if stop():  # to ask without one of many takes time, even where nothing is searched
            break
        split = _feasible(part.relax(request), stop)
        if split is not None:
            rule = part.constraint(request)
            freed = len(rule.players) if rule.kind in ("party", "fixed") else 1
            found.append((freed, split.imbalance, rule, split))
    for steps in range(1, len(request.players)):
        sizes, stop = relaxed_sizes(request, steps), shares(1)
        if sizes is None or stop():
            break
        split = _feasible(sizes.relax(request), stop)
        if split is not None:
            found.append((1, split.imbalance, sizes.constraint(request), split))
            break
    if found:
        *_, constraint, split = min(found, key=lambda entry: entry[:2])
        return (constraint,), split
    everything = relaxed_sizes(request, len(request.players))
    return _minimal(request, [*whole, *filter(None, [everything])], shares(1))


def _feasible(request: BalanceRequest, stop: Stop) -> Split | None:
    """Return the best split there is, None where none is found."""
    solution = None if stop() else ask(replace(request, keep=1, stop=stop))
    return solution.best if solution is not None and solution.splits else None


def _minimal(
    request: BalanceRequest, asked: list[Asked], stop: Stop
) -> tuple[tuple[Constraint, ...], Split | None]:
    """Return what cannot be kept if there is to be a split, as little as possible, and the best without.

    All is given up, and taken back one after another as long as there is a split.
    """
    dropped = list(asked)
    best: Split | None = None
    for candidate in (None, *asked):
        tried = [each for each in dropped if each is not candidate]
        without = request
        for each in tried:
            if stop():
                break
            without = each.relax(without)
        split = _feasible(without, stop)
        if split is not None:
            dropped, best = tried, split
        elif candidate is None:
            return (), None
    return (() if best is None else tuple(each.constraint(request) for each in dropped)), best
