"""``explain``: why these teams, what else there is, and what each rule costs.

A price is found by asking once more without the rule, so it is as proven as the two answers.
How it is put into words is in :mod:`equipoise.pages.explanation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from equipoise.teams.asking import Cost, Moved, Request, Valuation, answer
from equipoise.teams.balancing import TOLERANCE
from equipoise.teams.search import Stop, never
from equipoise.teams.solution import Solution, Split, Status
from equipoise.types import Player, Rating

#: Splits that are looked at besides the one explained, unless ``keep`` asks for more.
ALTERNATIVES = 3

#: By how many players more the teams may differ when the size rule is relaxed: of two teams the sizes
#: differ by an even number or by an odd one, so one more would often change nothing.
STEP = 2


@dataclass(frozen=True, slots=True)
class Rule:
    """A wish that a division must keep.

    Parameters
    ----------
    kind : str
        ``"party"``, ``"member"`` (one who stays in a party), ``"apart"``, ``"fixed"`` or ``"sizes"``.
    players : tuple of str
        Whom it binds, by name; of a member the one who might leave.
    team : int or None
        Of ``"fixed"``, the team, from 0.
    allowed : int or None
        Of ``"sizes"``, by how many players the teams may differ if it is relaxed.
    """

    kind: str
    players: tuple[str, ...] = ()
    team: int | None = None
    allowed: int | None = None


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
class Price:
    """What a rule costs: by how much the best division without it is better.

    Parameters
    ----------
    rule : Rule
        The rule.
    cost : Cost
        What keeping it costs; nothing where the best division without it is no better.
    without : Alternative
        That division, compared with the best one that keeps all rules.
    proven : bool
        Whether both divisions are proven best.
    members : tuple of Price
        Of a party of three and more: what it costs that each of them alone stays in it.
    """

    rule: Rule
    cost: Cost
    without: Alternative
    proven: bool
    members: tuple[Price, ...] = ()


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
        What each rule costs, the dearest first.
    relaxation : tuple of Rule
        The rules that are cheapest to give up: the one without which the best division is best, if it
        costs anything; where nothing is feasible, as few as make it so.
    relaxed : Alternative or None
        The best division without those.
    unpriced : int
        How many rules were not priced in the time there was.
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
    relaxation: tuple[Rule, ...]
    relaxed: Alternative | None
    unpriced: int = 0
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
    >>> price.rule.players, price.cost.value
    (('Ann', 'Bob'), 10.0)
    """
    keep = max(settings.get("keep", 1), 1 + ALTERNATIVES)
    request, solution = answer(players, solution, {**settings, "keep": keep})
    stop: Stop = settings.get("stop", never)
    if not solution.splits:
        return _of_nothing(request, solution, stop)
    best = solution.best
    explained = best if split is None else split
    teams = request.teams_of(explained)
    known = solution.splits if len(solution.splits) >= keep or stop() else request.ask(keep=keep).splits
    others = [other for other in known if request.teams_of(other) != teams]
    prices: list[Price] = []
    rules = [*_relaxations(request), *filter(None, [_sizes(request, STEP)])]
    for whole in rules:
        if stop():
            break
        members = tuple(_price(request, solution, part) for part in whole.members)
        prices.append(replace(_price(request, solution, whole), members=members))
    prices.sort(key=_dearness, reverse=True)
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
        relaxation=() if dearest is None else (dearest.rule,),
        relaxed=None if dearest is None else dearest.without,
        unpriced=len(rules) - len(prices),
    )


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


@dataclass(frozen=True, slots=True)
class _Relaxation:
    """A rule, how a request becomes one without it, and of a party the same for each member."""

    rule: Rule
    drop: Callable[[Request], Request]
    members: tuple[_Relaxation, ...] = ()


def _relaxations(request: Request) -> list[_Relaxation]:
    """Return the rules of a request, except that on sizes."""
    found = [_party(request, party) for party in request.parties]
    found += [_apart(request, pair) for pair in request.apart]
    return found + [_fixed(request, place, team) for place, team in request.fixed]


def _party(request: Request, party: tuple[int, ...]) -> _Relaxation:
    def shrunk(rest: tuple[int, ...]) -> Callable[[Request], Request]:
        def drop(asked: Request) -> Request:
            parties = tuple(rest if other == party else other for other in asked.parties)
            return replace(asked, parties=tuple(kept for kept in parties if len(kept) > 1))

        return drop

    members = tuple(
        _Relaxation(
            Rule("member", (request.label(one),)), shrunk(tuple(other for other in party if other != one))
        )
        for one in (party if len(party) > 2 else ())
    )
    return _Relaxation(Rule("party", tuple(map(request.label, party))), shrunk(()), members)


def _apart(request: Request, pair: tuple[int, int]) -> _Relaxation:
    def drop(asked: Request) -> Request:
        return replace(asked, apart=tuple(other for other in asked.apart if other != pair))

    return _Relaxation(Rule("apart", (request.label(pair[0]), request.label(pair[1]))), drop)


def _fixed(request: Request, place: int, team: int) -> _Relaxation:
    def drop(asked: Request) -> Request:
        return replace(asked, fixed=tuple(other for other in asked.fixed if other[0] != place))

    return _Relaxation(Rule("fixed", (request.label(place),), team=team), drop)


def _sizes(request: Request, steps: int) -> _Relaxation | None:
    """Return the size rule, relaxed by some more players of difference; None where any may be already."""
    now = request.largest_difference
    allowed = min(now + steps, len(request.roster.players))
    if allowed <= now:
        return None
    change: dict[str, Any] = {"max_difference": allowed, "min_size": None, "max_size": None}
    if not request.settings.get("bots"):
        change["sizes"] = None

    def drop(asked: Request) -> Request:
        return replace(asked, settings={**asked.settings, **change})

    return _Relaxation(Rule("sizes", allowed=allowed), drop)


def _price(request: Request, solution: Solution, relaxation: _Relaxation) -> Price:
    """Return what a rule costs, by asking without it."""
    rule, best = relaxation.rule, solution.best
    without = relaxation.drop(request).ask(keep=1)
    found = without.best if without.splits else best
    gained = request.cost(best, found)
    proven = solution.status is Status.OPTIMAL and without.status is Status.OPTIMAL
    if gained.win_probability <= 0.0 and gained.value <= 0.0:
        return Price(rule, Cost(0.0, 0.0), alternative(request, best, best), proven)
    return Price(rule, gained, alternative(request, found, best), proven)


def _dearness(price: Price) -> tuple[float, float]:
    """Return what prices are ordered by: win probability beyond the tolerance, then the objective."""
    noticed = price.cost.win_probability if price.cost.win_probability > TOLERANCE else 0.0
    return noticed, price.cost.value


def _dearest(prices: Iterable[Price]) -> Price | None:
    """Return the rule or the single member whose freedom gains most, the fewest players among equals."""
    every = [part for price in prices for part in (*price.members, price)]
    every = [price for price in every if price.cost != Cost(0.0, 0.0)]
    return max(every, key=lambda price: (_dearness(price), -len(price.rule.players)), default=None)


def _of_nothing(request: Request, solution: Solution, stop: Stop) -> Explanation:
    """Return the explanation of a request without a division: the reason, and what to give up."""
    rules, split = ((), None) if solution.status is not Status.INFEASIBLE else _least_relaxed(request, stop)
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


def _least_relaxed(request: Request, stop: Stop) -> tuple[tuple[Rule, ...], Split | None]:
    """Return the fewest rules to give up for a division, and the best there is without them.

    One alone is tried first: of those that will do, the one that frees the fewest players, then the one
    with the most even division.  If none will do, several are.
    """
    rules = _relaxations(request)
    found: list[tuple[int, float, Rule, Split]] = []
    for relaxation in (part for whole in rules for part in (*whole.members, whole)):
        solution = None if stop() else relaxation.drop(request).ask(keep=1)
        if solution is not None and solution.splits:
            freed = len(relaxation.rule.players) if relaxation.rule.kind == "party" else 1
            found.append((freed, solution.best.distance, relaxation.rule, solution.best))
    for steps in range(1, len(request.roster.players)):
        sizes = _sizes(request, steps)
        solution = None if stop() or sizes is None else sizes.drop(request).ask(keep=1)
        if sizes is None or solution is None or solution.splits:
            if sizes is not None and solution is not None:
                found.append((1, solution.best.distance, sizes.rule, solution.best))
            break
    if found:
        *_, rule, split = min(found, key=lambda entry: entry[:2])
        return (rule,), split
    everything = _sizes(request, len(request.roster.players))
    return _minimal(request, [*rules, *filter(None, [everything])], stop)


def _minimal(request: Request, rules: list[_Relaxation], stop: Stop) -> tuple[tuple[Rule, ...], Split | None]:
    """Return rules none of which can be kept if there is to be a division, and the best without them.

    All are given up, and taken back one after another as long as there is a division.
    """
    dropped = list(rules)
    split: Split | None = None
    for candidate in (None, *rules):
        if stop():
            break
        tried = [relaxation for relaxation in dropped if relaxation is not candidate]
        asked = request
        for relaxation in tried:
            asked = relaxation.drop(asked)
        solution = asked.ask(keep=1)
        if solution.splits:
            dropped, split = tried, solution.best
        elif candidate is None:
            return (), None
    return (() if split is None else tuple(relaxation.rule for relaxation in dropped)), split
