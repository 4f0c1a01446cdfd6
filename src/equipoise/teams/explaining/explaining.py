"""``explain``: why these teams, what else there is, and what each rule costs.

A price is found by asking once more without the rule, so it is as proven as the two answers.
What there is to ask is in :mod:`equipoise.teams.explaining.relaxing`, how it is put into words in
:mod:`equipoise.pages.text.explanation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from equipoise.players import Player, Rating
from equipoise.stopping import Stop, never
from equipoise.teams.explaining.asking import Request, answer
from equipoise.teams.explaining.judging import Cost, Moved, Valuation
from equipoise.teams.explaining.relaxing import (
    STEP,
    Constraint,
    Relaxation,
    priced_wishes,
    relaxations,
    relaxed_sizes,
)
from equipoise.teams.request import TOLERANCE
from equipoise.teams.solution import Solution, Split, Status

#: Splits that are looked at besides the one explained, unless ``keep`` asks for more.
ALTERNATIVES = 3

#: Gives when to stop the next question, from how many there still are.
Share = Callable[[int], Stop]


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another division, and what it is worse than the one it is compared with.

    Parameters
    ----------
    teams : tuple of tuples of str
        Each team's players by name, strongest first, bots left out.
    moved : tuple of Moved
        Who is in another team.
    cost : Cost
        What it is worse.
    win_probability : tuple of float
        Each team's chance.
    value : float
        The objective, in the number it is known by.
    """

    teams: tuple[tuple[str, ...], ...]
    moved: tuple[Moved, ...]
    cost: Cost
    win_probability: tuple[float, ...]
    value: float


@dataclass(frozen=True, slots=True)
class Instead:
    """The best division with one constraint more, or why there is none.

    Parameters
    ----------
    wish : Constraint
        What is kept too: a player ``"fixed"`` to another team, two who are together ``"apart"``, or a wish
        that is broken.
    best : Alternative or None
        The best division that keeps it too, compared with the one looked at.
    reason : str
        Why there is none; empty where there is one.
    proven : bool
        Whether it is proven that there is none better, or none at all.
    """

    wish: Constraint
    best: Alternative | None
    reason: str
    proven: bool = True


@dataclass(frozen=True, slots=True)
class Price:
    """What a constraint costs: by how much the best division without it is better.

    Parameters
    ----------
    constraint : Constraint
        What must be kept, or has a price of its own.
    cost : Cost
        What it costs that it is there; nothing where the best division without it is no better.  What is
        paid for a wish counts in neither of the two.
    without : Alternative
        That division, compared with the best one that keeps all rules.
    proven : bool
        Whether both divisions are proven best.
    members : tuple of Price
        Of a party of three and more, and of all who are fixed: what it costs that each of them alone is
        part of it.
    paid : float
        Of a wish with a price, what the best division pays for it, in win probability.
    kept : Instead or None
        Of a wish that is broken: the best division that keeps it, compared with the best.
    """

    constraint: Constraint
    cost: Cost
    without: Alternative
    proven: bool
    members: tuple[Price, ...] = ()
    paid: float = 0.0
    kept: Instead | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything there is to say of a division.

    Parameters
    ----------
    status : Status
        What is proven of the best division.
    objective : str
        The objective's name.
    value, bound, gap : float or None
        The objective of the best division, what none can be better than, and their distance.
    division : Valuation or None
        The division explained, None where there is none.
    behind : Cost or None
        What the division explained is worse than the best.
    alternatives : tuple of Alternative
        The best of the other divisions, best first.
    prices : tuple of Price
        What each constraint costs, the dearest first; the wishes with a price after the others.
    relaxation : tuple of Constraint
        The rules that are cheapest to give up: the one without which the best division is best, if it
        costs anything; where nothing is feasible, as few as make it so.
    relaxed : Alternative or None
        The best division without those.
    unpriced : tuple of Constraint
        What was not priced in the time there was.
    reason : str
        Why nothing is feasible; empty where something is.
    """

    status: Status
    objective: str
    value: float | None
    bound: float | None
    gap: float | None
    division: Valuation | None
    behind: Cost | None
    alternatives: tuple[Alternative, ...]
    prices: tuple[Price, ...]
    relaxation: tuple[Constraint, ...]
    relaxed: Alternative | None
    unpriced: tuple[Constraint, ...] = ()
    reason: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, as ``equipoise balance --explain --json`` prints them."""
        plain = asdict(self)
        plain["status"] = str(self.status)
        if self.division is not None:
            plain["division"] = self.division.as_dict()
        return plain


def explain(
    players: Iterable[Player] | Mapping[str, float | Rating | None],
    *,
    solution: Solution | None = None,
    split: Split | None = None,
    share: Share | None = None,
    **settings: Any,
) -> Explanation:
    """Explain a division: its numbers, the best alternatives, the price of each rule.

    Parameters
    ----------
    players : iterable of Player, or mapping from name to weight
        Who is here, as for :func:`equipoise.balance`.
    solution : Solution, optional
        What ``balance`` returned for the same arguments; asked for unless given.
    split : Split, optional
        The division to explain, for instance one chosen at random; by default the best.
    share : callable, optional
        Gives when to stop the next question, from how many there still are; by default ``stop`` is for all.
    **settings
        The other arguments of ``balance``.

    Returns
    -------
    Explanation
        Where nothing is feasible it has the reason, and the rules to give up.

    Raises
    ------
    InputError
        As ``balance``, and if the split is not one of this roster.

    Examples
    --------
    >>> roster = {"Ann": 9, "Bob": 8, "Cid": 4, "Dan": 3}
    >>> explanation = explain(roster, objective="gap", parties=[("Ann", "Bob")])
    >>> price, sizes = explanation.prices
    >>> price.constraint.players, price.cost.value
    (('Ann', 'Bob'), 10.0)
    """
    keep = max(settings.get("keep", 1), 1 + ALTERNATIVES)
    request, solution = answer(players, solution, {**settings, "keep": keep})
    shares = share or _undivided(settings.get("stop", never))
    if not solution.splits:
        return _of_nothing(request, solution, shares)
    best = solution.best
    explained = best if split is None else split
    teams = request.teams_of(explained)
    asked = [*relaxations(request), *filter(None, [relaxed_sizes(request, STEP)]), *priced_wishes(request)]
    left = 1 + sum(len(whole.parts) for whole in asked)
    first = shares(left)
    known = solution.splits
    if len(known) < keep and not first():
        known = request.ask(keep=keep, stop=first).splits or known
    others = [other for other in known if request.teams_of(other) != teams]
    prices, unpriced = _prices(request, solution, asked, shares)
    dearest = _dearest(prices)
    return Explanation(
        status=solution.status,
        objective=solution.objective,
        value=solution.value,
        bound=solution.bound,
        gap=solution.gap,
        division=request.value(explained, solution),
        behind=request.cost(explained, best),
        alternatives=tuple(alternative(request, other, explained) for other in others[:ALTERNATIVES]),
        prices=tuple(prices),
        relaxation=() if dearest is None else (dearest.constraint,),
        relaxed=None if dearest is None else dearest.without,
        unpriced=unpriced,
    )


def _undivided(stop: Stop) -> Share:
    def share(left: int) -> Stop:
        del left
        return stop

    return share


def alternative(request: Request, split: Split, than: Split | None) -> Alternative:
    """Return a split as it is told of, compared with another."""
    split = split if than is None else request.aligned(split, than)
    return Alternative(
        teams=tuple(tuple(player.label for player in team) for team in split.teams),
        moved=() if than is None else request.moves(than, split),
        cost=Cost(0.0, 0.0) if than is None else request.cost(split, than),
        win_probability=split.win_probability,
        value=split.value,
    )


def _prices(
    request: Request, solution: Solution, asked: list[Relaxation], shares: Share
) -> tuple[list[Price], tuple[Constraint, ...]]:
    """Return what constraints cost, the dearest first, and those there was no time for."""
    # First everything as a whole, then what is left of the parties, as time may end.
    queue = [*asked, *(member for whole in asked for member in whole.members)]
    found: dict[int, Price] = {}
    for n, part in enumerate(queue):
        stop = shares(len(queue) - n)
        if not stop():
            found[id(part)] = _price(request, solution, part, stop)
    prices = [
        replace(
            found[id(whole)], members=tuple(found[id(part)] for part in whole.members if id(part) in found)
        )
        for whole in asked
        if id(whole) in found
    ]
    prices.sort(key=lambda price: (price.constraint.binding, _dearness(price)), reverse=True)
    return prices, tuple(part.constraint for part in queue if id(part) not in found)


def _price(request: Request, solution: Solution, relaxation: Relaxation, stop: Stop) -> Price:
    """Return what a constraint costs, by asking without it."""
    relaxed, rule, best = relaxation.drop(request), relaxation.constraint, solution.best
    without = relaxed.ask(keep=1, stop=stop)
    found = without.best if without.splits else best
    # Without a wish nothing is paid for it, in neither of the two.
    base = best if rule.binding else relaxed.judge(request.teams_of(best))
    gained = relaxed.cost(base, found)
    if not relaxed.betters(gained):
        found, gained = base, Cost(0.0, 0.0)
    worth = 0.0 if relaxation.paid is None else relaxation.paid(request, best)
    kept = None
    if worth and relaxation.insist is not None:
        kept = instead(relaxation.insist(request), rule, best, stop)
    proven = solution.status is Status.OPTIMAL and without.status is Status.OPTIMAL
    return Price(rule, gained, alternative(relaxed, found, base), proven, paid=worth, kept=kept)


def instead(request: Request, wish: Constraint, start: Split, stop: Stop) -> Instead:
    """Return the best division of a request that keeps a constraint more than another division."""
    solution = request.ask(keep=1, stop=stop)
    best = alternative(request, solution.best, start) if solution.splits else None
    return Instead(wish, best, solution.reason, solution.status not in (Status.FEASIBLE, Status.UNKNOWN))


def _dearness(price: Price) -> tuple[float, float]:
    """Return what prices are ordered by: win probability beyond the tolerance, then the objective."""
    noticed = price.cost.win_probability if price.cost.win_probability > TOLERANCE else 0.0
    return noticed, price.cost.value


def _dearest(prices: Iterable[Price]) -> Price | None:
    """Return the rule or the single member whose freedom gains most, the fewest players among equals."""
    every = [part for price in prices for part in (*price.members, price)]
    every = [price for price in every if price.constraint.binding and price.cost != Cost(0.0, 0.0)]
    return max(every, key=lambda price: (_dearness(price), -len(price.constraint.players)), default=None)


def _of_nothing(request: Request, solution: Solution, shares: Share) -> Explanation:
    """Return the explanation of a request without a division: the reason, and what to give up."""
    rules, split = ((), None) if solution.status is not Status.INFEASIBLE else _least_relaxed(request, shares)
    return Explanation(
        status=solution.status,
        objective=solution.objective,
        value=None,
        bound=None,
        gap=None,
        division=None,
        behind=None,
        alternatives=(),
        prices=(),
        relaxation=rules,
        relaxed=None if split is None else alternative(request, split, None),
        reason=solution.reason,
    )


def _least_relaxed(request: Request, shares: Share) -> tuple[tuple[Constraint, ...], Split | None]:
    """Return the fewest constraints to give up for a division, and the best there is without them.

    One alone is tried first: of those that will do, the one that frees the fewest players, then the one
    with the most even division.  If none will do, several are.
    """
    whole = relaxations(request)
    parts = [part for relaxation in whole for part in relaxation.parts]
    found: list[tuple[int, float, Constraint, Split]] = []
    for n, part in enumerate(parts):
        split = _feasible(part.drop(request), shares(len(parts) - n + 1))
        if split is not None:
            freed = len(part.constraint.players) if part.constraint.kind in ("party", "fixed") else 1
            found.append((freed, split.distance, part.constraint, split))
    for steps in range(1, len(request.roster.players)):
        sizes, stop = relaxed_sizes(request, steps), shares(1)
        if sizes is None or stop():
            break
        split = _feasible(sizes.drop(request), stop)
        if split is not None:
            found.append((1, split.distance, sizes.constraint, split))
            break
    if found:
        *_, constraint, split = min(found, key=lambda entry: entry[:2])
        return (constraint,), split
    everything = relaxed_sizes(request, len(request.roster.players))
    return _minimal(request, [*whole, *filter(None, [everything])], shares(1))


def _feasible(request: Request, stop: Stop) -> Split | None:
    """Return the best division there is, None where none is found."""
    solution = None if stop() else request.ask(keep=1, stop=stop)
    return solution.best if solution is not None and solution.splits else None


def _minimal(
    request: Request, asked: list[Relaxation], stop: Stop
) -> tuple[tuple[Constraint, ...], Split | None]:
    """Return what cannot be kept if there is to be a division, as little as can be, and the best without.

    All is given up, and taken back one after another as long as there is a division.
    """
    dropped = list(asked)
    best: Split | None = None
    for candidate in (None, *asked):
        tried = [relaxation for relaxation in dropped if relaxation is not candidate]
        without = request
        for relaxation in tried:
            without = relaxation.drop(without)
        split = _feasible(without, stop)
        if split is not None:
            dropped, best = tried, split
        elif candidate is None:
            return (), None
    return (() if best is None else tuple(relaxation.constraint for relaxation in dropped)), best
