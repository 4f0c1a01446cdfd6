"""``explain``: why these teams, what else there is, and what each rule costs.

A price is found by asking once more without the rule, so it is as proven as the two answers.  Where nothing
keeps all rules, what to give up is as little as makes a split possible.  What there is to ask is in
:mod:`equipoise.teams.explain.asked_rules`, the words are in :mod:`equipoise.pages.text.explanation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

from equipoise.core.sides import EVEN_SIDES
from equipoise.core.stopping import Stop
from equipoise.teams.balance import balance
from equipoise.teams.explain.asked_rules import (
    STEP,
    Asked,
    Constraint,
    PricedPreference,
    ask,
    folded,
    preferences_in,
    relaxed_sizes,
    rules_in,
)
from equipoise.teams.explain.valuation import Cost, TeamChanges, Valuation, Yardstick, as_json
from equipoise.teams.request import TOLERANCE, BalanceRequest
from equipoise.teams.request_fields import Players
from equipoise.teams.solution import Solution, Split, Status

if TYPE_CHECKING:
    from equipoise.teams.request_keywords import Keywords

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


#: Splits that are looked at besides the one explained, unless ``keep`` asks for more.
ALTERNATIVES = 3


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another split, and what it is worse than the one it is compared with.

    Parameters
    ----------
    teams : tuple of tuples of str
        Each team's players by name, strongest first, bots left out.
    moved : tuple of TeamChanges
        Who is in another team.
    cost : Cost
        What it is worse.
    win_probability : tuple of float
        Each team's chance.
    value : float
        The objective, in the number it is known by.
    """

    teams: tuple[tuple[str, ...], ...]
    moved: tuple[TeamChanges, ...]
    cost: Cost
    win_probability: tuple[float, ...]
    value: float


@dataclass(frozen=True, slots=True)
class Instead:
    """The best split with one constraint more, or why there is none.

    Parameters
    ----------
    preference : Constraint
        What is kept too: a player ``"fixed"`` to another team, two who are together ``"apart"``, or a
        preference that is broken.
    best : Alternative or None
        The best split that keeps it too, compared with the one looked at.
    reason : str
        Why there is none; empty where there is one.
    proven : bool
        Whether it is proven that there is none better, or none at all.
    given_up : tuple of Constraint
        The rules that are let go for it.
    """

    preference: Constraint
    best: Alternative | None
    reason: str
    proven: bool = True
    given_up: tuple[Constraint, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, as ``equipoise explain --why A,B --json`` prints them."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Price:
    """What a constraint costs: by how much the best split without it is better.

    Parameters
    ----------
    constraint : Constraint
        What must be kept, or has a price of its own.
    cost : Cost
        What it costs that it is there; nothing where the best split without it is no better.  What is
        paid for a preference counts in neither of the two.
    without : Alternative
        That split, compared with the best one that keeps all rules.
    proven : bool
        Whether both splits are proven best.
    members : tuple of Price
        Of a party of three and more, and of all who are fixed: what it costs that each of them alone is
        part of it.
    paid : float
        Of a preference with a price, what the best split pays for it, in win probability.
    kept : Instead or None
        Of a preference that is broken: the best split that keeps it, compared with the best.
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
    """Everything there is to say of a split.

    Parameters
    ----------
    status : Status
        What is proven of the best split.
    objective : str
        The objective's name.
    value, bound, gap : float or None
        The objective of the best split, what none can be better than, and their distance.
    split : Valuation or None
        The split explained, None where there is none.
    behind : Cost or None
        What the split explained is worse than the best.
    alternatives : tuple of Alternative
        The best of the other splits, best first.
    prices : tuple of Price
        What each constraint costs, the dearest first; the preferences with a price after the others.
    relaxation : tuple of Constraint
        The rules that are cheapest to give up: the one without which the best split is best, if it
        costs anything; where nothing is feasible, as few as make it so.
    relaxed : Alternative or None
        The best split without those.
    unpriced : tuple of Constraint
        What was not priced in the time there was.
    reason : str
        Why nothing is feasible; empty where something is.
    side_chance : float
        The chance of the first of two equal teams, for its side; 0.5 where no side is better.
    """

    status: Status
    objective: str
    value: float | None
    bound: float | None
    gap: float | None
    split: Valuation | None
    behind: Cost | None
    alternatives: tuple[Alternative, ...]
    prices: tuple[Price, ...]
    relaxation: tuple[Constraint, ...]
    relaxed: Alternative | None
    unpriced: tuple[Constraint, ...] = ()
    reason: str = ""
    side_chance: float = EVEN_SIDES

    def as_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers, as ``equipoise explain --json`` prints them."""
        plain = as_json(self)
        plain["status"] = str(self.status)
        if self.split is not None:
            plain["division"] = self.split.as_dict()
        return plain


def explain(
    players: Players | BalanceRequest,
    *,
    solution: Solution | None = None,
    split: Split | None = None,
    share: Share | None = None,
    **keywords: Unpack[Keywords],
) -> Explanation:
    """Explain a split: its numbers, the best alternatives, the price of each rule.

    Parameters
    ----------
    players : iterable of Player, mapping from name to weight, or BalanceRequest
        Who is here, as for :func:`equipoise.balance`.
    solution : Solution, optional
        What ``balance`` returned for the same request; asked for unless given.
    split : Split, optional
        The split to explain, for instance one chosen at random; by default the best.
    share : callable, optional
        Gives when to stop the next question, from how many there still are; by default ``stop`` is for all.
    **keywords
        Those of ``balance``.

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
    >>> explanation = explain(roster, objective="difference", parties=[("Ann", "Bob")])
    >>> price, sizes = explanation.prices
    >>> price.constraint.players, price.cost.value
    (('Ann', 'Bob'), 10.0)
    """
    whole = BalanceRequest.of(players, **keywords)
    keep = max(whole.keep, 1 + ALTERNATIVES)
    solution = balance(replace(whole, keep=keep)) if solution is None else solution
    request = folded(whole)
    shares = share or _undivided(request.stop)
    if not solution.splits:
        return _of_nothing(request, solution, shares)
    yardstick = Yardstick(request)
    best = solution.best
    explained = best if split is None else split
    teams = yardstick.teams_of(explained)
    asked = [*rules_in(request), *filter(None, [relaxed_sizes(request, STEP)]), *preferences_in(request)]
    first = shares(1 + sum(len(each.parts) for each in asked))
    known = solution.splits
    if len(known) < keep and not first():
        known = ask(replace(request, keep=keep, stop=first)).splits or known
    others = [other for other in known if yardstick.teams_of(other) != teams]
    prices, unpriced = _prices(yardstick, solution, asked, shares)
    dearest = _dearest(prices)
    return Explanation(
        status=solution.status,
        objective=solution.objective,
        value=solution.value,
        bound=solution.bound,
        gap=solution.gap,
        split=yardstick.value(explained),
        behind=yardstick.cost(explained, best),
        alternatives=tuple(alternative(yardstick, other, explained) for other in others[:ALTERNATIVES]),
        prices=tuple(prices),
        relaxation=() if dearest is None else (dearest.constraint,),
        relaxed=None if dearest is None else dearest.without,
        unpriced=unpriced,
        side_chance=whole.side_chance,
    )


def _undivided(stop: Stop) -> Share:
    def share(left: int) -> Stop:
        del left
        return stop

    return share


def alternative(yardstick: Yardstick, split: Split, than: Split | None) -> Alternative:
    """Return a split as it is reported, compared with another."""
    split = split if than is None else yardstick.aligned(split, than)
    return Alternative(
        teams=tuple(tuple(player.label for player in team) for team in split.teams),
        moved=() if than is None else yardstick.moves(than, split),
        cost=Cost(0.0, 0.0) if than is None else yardstick.cost(split, than),
        win_probability=split.win_probability,
        value=split.value,
    )


def _prices(
    yardstick: Yardstick, solution: Solution, asked: list[Asked], shares: Share
) -> tuple[list[Price], tuple[Constraint, ...]]:
    """Return what constraints cost, the dearest first, and those there was no time for."""
    # First everything as a whole, then what is left of the parties, as time may end.
    members = {n: each.members() for n, each in enumerate(asked)}
    queue = [(n, 0, each) for n, each in enumerate(asked)]
    queue += [(n, m, part) for n, parts in members.items() for m, part in enumerate(parts, start=1)]
    found: dict[tuple[int, int], Price] = {}
    for done, (n, m, part) in enumerate(queue):
        stop = shares(len(queue) - done)
        if not stop():
            found[n, m] = _price(yardstick, solution, part, stop)
    prices = [
        replace(found[n, 0], members=tuple(found[n, m + 1] for m in range(len(parts)) if (n, m + 1) in found))
        for n, parts in members.items()
        if (n, 0) in found
    ]
    prices.sort(key=lambda price: (price.constraint.binding, _dearness(price)), reverse=True)
    request = yardstick.request
    return prices, tuple(part.constraint(request) for n, m, part in queue if (n, m) not in found)


def _price(yardstick: Yardstick, solution: Solution, asked: Asked, stop: Stop) -> Price:
    """Return what a constraint costs, by asking without it."""
    request, best = yardstick.request, solution.best
    rule, relaxed = asked.constraint(request), Yardstick(asked.relax(request))
    without = ask(replace(relaxed.request, keep=1, stop=stop))
    found = without.best if without.splits else best
    # Without a preference nothing is paid for it, in neither of the two.
    base = best if rule.binding else relaxed.split(yardstick.teams_of(best))
    gained = relaxed.cost(base, found)
    if not relaxed.betters(gained):
        found, gained = base, Cost(0.0, 0.0)
    proven = solution.status is Status.OPTIMAL and without.status is Status.OPTIMAL
    price = Price(rule, gained, alternative(relaxed, found, base), proven)
    if not isinstance(asked, PricedPreference):
        return price
    worth, insisted = asked.paid(yardstick, best), asked.insist(request)
    if not worth or insisted is None:
        return replace(price, paid=worth)
    return replace(price, paid=worth, kept=instead(insisted, rule, best, stop))


def instead(request: BalanceRequest, preference: Constraint, start: Split, stop: Stop) -> Instead:
    """Return the best split of a request that keeps a constraint more than another split."""
    solution = ask(replace(request, keep=1, stop=stop))
    best = alternative(Yardstick(request), solution.best, start) if solution.splits else None
    known = solution.status not in (Status.FEASIBLE, Status.UNKNOWN)
    return Instead(preference, best, solution.reason, known)


def _dearness(price: Price) -> tuple[float, float]:
    """Return what prices are ordered by: win probability beyond the tolerance, then the objective."""
    noticed = price.cost.win_probability if price.cost.win_probability > TOLERANCE else 0.0
    return noticed, price.cost.value


def _dearest(prices: Iterable[Price]) -> Price | None:
    """Return the rule or the single member whose freedom gains most, the fewest players among equals."""
    every = [part for price in prices for part in (*price.members, price)]
    every = [price for price in every if price.constraint.binding and price.cost != Cost(0.0, 0.0)]
    return max(every, key=lambda price: (_dearness(price), -len(price.constraint.players)), default=None)


def _of_nothing(request: BalanceRequest, solution: Solution, shares: Share) -> Explanation:
    """Return the explanation of a request without a split: the reason, and what to give up."""
    rules, split = ((), None) if solution.status is not Status.INFEASIBLE else least_relaxed(request, shares)
    return Explanation(
        status=solution.status,
        objective=solution.objective,
        value=None,
        bound=None,
        gap=None,
        split=None,
        behind=None,
        alternatives=(),
        prices=(),
        relaxation=rules,
        relaxed=None if split is None else alternative(Yardstick(request), split, None),
        reason=solution.reason,
    )
