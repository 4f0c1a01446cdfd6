"""Makes a question of the keywords of :func:`equipoise.balance`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from equipoise.errors import InputError, UnsupportedError
from equipoise.players import Bots, Player, Rating
from equipoise.verifying.exact import Real
from equipoise.verifying.question import ExactPlayer, PreferringGroup, Question, Row, Stage, number

#: What a preference is worth where no price is named.
PRICE = Fraction("0.01")

#: The tolerance of win probability with up to 17 players, and with more.
TOLERANCES = (Fraction("0.0025"), Fraction("0.001"))
SMALL = 17

#: A difference up to this share of the weights is rounding: all weigh the same.
SAME = Fraction(1, 10**12)

#: Spreads that one more player of mean weight is worth, where neither that nor a zero is given.
BODY = Fraction(1)

#: What all weigh where nobody has a weight.
MIDDLE = Fraction(50)


def question(players: Iterable[Player] | Mapping[str, Any], **asked: Any) -> Question:
    """Return the question that the keywords of :func:`equipoise.balance` ask.

    Raises
    ------
    InputError
        If a name is not in the roster, or an objective is not one that is checked here.
    """
    if isinstance(players, Mapping):
        players = [Player(name, rating) for name, rating in players.items()]
    people = tuple(players)
    index = _Index(people)
    members, default, unrated = _members(people, asked.get("default"))
    n, n_teams = len(people), int(asked.get("teams", 2))
    bots = asked.get("bots") or None
    bots = Bots() if bots is True else bots
    fixed = {i: player.team for i, player in enumerate(people) if player.team is not None}
    fixed |= {index(who): team for who, team in (asked.get("fixed") or {}).items()}
    minimum, maximum, difference, seats = _sizes(n, n_teams, bots, asked)
    exact = asked.get("sizes")
    uneven = exact is not None and not isinstance(exact, int) and len(set(exact)) > 1
    groups = _groups(people, index, asked)
    side_price = number(asked.get("side_price") or 0)
    sided = any(member.side != Fraction(1, 2) for member in members)
    beta = asked.get("beta")
    spread = _variance(members, bots, beta, asked.get("zero"))
    now = {i: player.team_now for i, player in enumerate(people) if player.team_now is not None}
    stay = number(asked.get("stay") or 0)
    priced = bool(groups) or bool(side_price and sided) or bool(stay and now)
    stages = _stages(asked, n, priced=priced)
    weight = asked.get("side_weight")
    return Question(
        ids=tuple(player.id for player in people),
        names=tuple(player.label for player in people),
        members=members,
        n_teams=n_teams,
        parties=_parties(people, index, asked.get("parties") or ()),
        apart=_apart(index, asked.get("apart") or ()),
        fixed=fixed,
        minimum=minimum,
        maximum=maximum,
        difference=difference,
        seats=seats,
        bot_weight=None if bots is None else _mean(members) if bots.weight is None else number(bots.weight),
        groups=groups,
        side_price=side_price,
        now=now,
        stay=stay,
        moves=asked.get("moves"),
        needed=tuple((asked.get("roles") or {}).items()),
        rows=tuple(row for rule in asked.get("rules") or () for row in _rows(rule, index, n_teams)),
        noise=spread if beta is None else number(beta) ** 2,
        zero=_zero(
            members,
            spread,
            asked,
            ratio=any(name == "ratio" for stage in stages for name, _ in stage.terms),
        ),
        prior=spread / 64,
        side_weight=number(0.01 if weight is None else weight) if sided else Fraction(0),
        signed=bool(fixed) or uneven,
        by_team=any(not isinstance(who, str) for rule in asked.get("rules") or () for who in rule.terms),
        stages=stages,
        default=default,
        unrated=unrated,
    )


class _Index:
    """Finds a player's index by id or name."""

    def __init__(self, people: Sequence[Player]) -> None:
        self.by_id = {player.id: i for i, player in enumerate(people)}
        self.by_name: dict[str, list[int]] = {}
        for i, player in enumerate(people):
            self.by_name.setdefault(player.name, []).append(i)

    def __call__(self, who: str) -> int:
        found = [self.by_id[who]] if who in self.by_id else self.by_name.get(who, [])
        if len(found) != 1:
            msg = f"players: {len(found)} are called {who!r}; exactly one is needed"
            raise InputError(msg)
        return found[0]


def _members(
    people: Sequence[Player], default: float | None
) -> tuple[tuple[ExactPlayer, ...], Fraction | None, int]:
    """Return everyone in fractions, what those without a weight are given, and how many those are."""

    def pair(rating: Rating) -> tuple[Fraction, Fraction]:
        return number(rating.mu), number(rating.sigma) ** 2

    known: list[tuple[Fraction, Fraction] | None] = []
    for player in people:
        if isinstance(player.rating, Rating):
            known.append(pair(player.rating))
            continue
        of_roles = [rating for _, rating in player.roles if rating is not None]
        n = len(of_roles)
        sums = (
            sum((number(r.mu) for r in of_roles), Fraction(0)),
            sum((number(r.sigma) for r in of_roles), Fraction(0)),
        )
        known.append((sums[0] / n, (sums[1] / n) ** 2) if n else None)
    rated = [weight for weight, _ in filter(None, known)]
    if default is not None:
        usual = number(default)
    else:
        usual = sum(rated, Fraction(0)) / len(rated) if rated else MIDDLE
    members = []
    for player, own in zip(people, known, strict=True):
        general = own or (usual, Fraction(0))
        roles = {role: pair(rating) if rating is not None else general for role, rating in player.roles}
        members.append(ExactPlayer(*general, number(player.side), roles))
    unrated = known.count(None)
    return tuple(members), usual if unrated else None, unrated


def _mean(members: Sequence[ExactPlayer]) -> Fraction:
    return sum((member.weight for member in members), Fraction(0)) / max(len(members), 1)


def _variance(
    members: Sequence[ExactPlayer], bots: Bots | None, beta: float | None, zero: float | None
) -> Fraction:
    """Return the square of one spread of the roster, or of what stands for it where all weigh the same."""
    mean, n = _mean(members), max(len(members), 1)
    variance = sum(((m.weight - mean) ** 2 for m in members), Fraction(0)) / n
    largest = max((abs(m.weight) for m in members), default=Fraction(0))
    if variance > (SAME * largest) ** 2:
        return variance
    bot = mean if bots is None or bots.weight is None else number(bots.weight)
    if abs(bot - mean) > SAME * max(abs(mean), abs(bot)):
        return (bot - mean) ** 2
    if beta is not None:
        return number(beta) ** 2
    unsure = sum((m.variance for m in members), Fraction(0)) / n
    if unsure > (SAME * mean) ** 2:
        return unsure
    above = mean if zero is None else mean - number(zero)
    return above * above or mean * mean or Fraction(1)


def _zero(members: Sequence[ExactPlayer], spread: Fraction, asked: Mapping[str, Any], *, ratio: bool) -> Real:
    """Return the weight of a player whose presence makes no difference."""
    zero, body = asked.get("zero"), asked.get("body")
    if zero is not None:
        return Real(number(zero))
    if body is None and ratio:
        return Real()
    return Real(_mean(members), roots={spread: -(BODY if body is None else number(body))})


def _sizes(
    n: int, n_teams: int, bots: Bots | None, asked: Mapping[str, Any]
) -> tuple[tuple[int, ...], tuple[int, ...], int, tuple[int, ...]]:
    """Return the least and the largest size of each team, the largest difference, and the seats."""
    exact, difference = asked.get("sizes"), asked.get("max_difference")
    if exact is not None:
        each = (exact,) * n_teams if isinstance(exact, int) else tuple(exact)
        if bots is None:
            return each, each, n if difference is None else difference, each
        usual = max(1, max(each) - min(each))
        return (0,) * n_teams, each, usual if difference is None else difference, each
    least, most = asked.get("min_size"), asked.get("max_size")
    limited = least is not None or most is not None
    least = int(bots is None and n >= n_teams) if least is None else least
    most = n if most is None else most
    if difference is None:
        difference = n if limited else 1
    seats = 0
    if bots is not None:
        wanted = max(bots.target, bots.minimum)
        if bots.maximum is not None:
            wanted = max(bots.minimum, min(bots.target, bots.maximum))
        seats = math.ceil(Fraction(wanted, n_teams))
    return (least,) * n_teams, (most,) * n_teams, difference, (seats,) * n_teams


def _groups(people: Sequence[Player], index: _Index, asked: Mapping[str, Any]) -> tuple[PreferringGroup, ...]:
    groups = [
        PreferringGroup(together, (index(player.id), index(other)), PRICE if price is None else number(price))
        for player in people
        for together, named in ((True, player.prefer), (False, player.avoid))
        for other, price in named
    ]
    groups += [
        PreferringGroup(
            preference.kind == "together", tuple(map(index, preference.players)), number(preference.price)
        )
        for preference in asked.get("preferences") or ()
    ]
    return tuple(groups)


def _parties(
    people: Sequence[Player], index: _Index, groups: Iterable[Sequence[str]]
) -> tuple[tuple[int, ...], ...]:
    """Return who stays together, those who share a player being one party."""
    party_of = list(range(len(people)))

    def join(one: int, other: int) -> None:
        old, new = party_of[other], party_of[one]
        party_of[:] = [new if party == old else party for party in party_of]

    tags: dict[str, int] = {}
    for i, player in enumerate(people):
        if player.party is not None:
            join(tags.setdefault(player.party, i), i)
    for party in groups:
        for who in party:
            join(index(party[0]), index(who))
    return tuple(
        members
        for party in sorted(set(party_of))
        if len(members := tuple(i for i, own in enumerate(party_of) if own == party)) > 1
    )


def _apart(index: _Index, groups: Iterable[Sequence[str]]) -> tuple[tuple[int, int], ...]:
    pairs = []
    for group in groups:
        places = [index(who) for who in group]
        pairs += [(one, other) for n, one in enumerate(places) for other in places[n + 1 :]]
    return tuple(pairs)


def _rows(rule: Any, index: _Index, n_teams: int) -> list[Row]:
    low = None if rule.low == -math.inf else number(rule.low)
    high = None if rule.high == math.inf else number(rule.high)
    single: dict[tuple[int, int], Fraction] = {}
    every: dict[int, Fraction] = {}
    for who, factor in rule.terms.items():
        if isinstance(who, str):
            every[index(who)] = every.get(index(who), Fraction(0)) + number(factor)
        else:
            key = index(who[0]), who[1]
            single[key] = single.get(key, Fraction(0)) + number(factor)
    if not every:
        return [Row(single, low, high)]
    rows = []
    for team in range(n_teams):
        factors = dict(single)
        for i, factor in every.items():
            factors[i, team] = factors.get((i, team), Fraction(0)) + factor
        rows.append(Row(factors, low, high))
    return rows


#: The objectives that are checked here.
NAMES = ("difference", "ratio", "win", "spread", "indistinguishable", "preferences", "moves")


def _stages(asked: Mapping[str, Any], n: int, *, priced: bool) -> tuple[Stage, ...]:
    objective = asked.get("objective", "spread")
    groups = asked.get("tolerance")
    tolerance = TOLERANCES[n > SMALL] if groups is None else number(groups)
    if objective == "spread":
        stages = [Stage((("win", Fraction(1)),), tolerance), Stage((("spread", Fraction(1)),))]
    elif isinstance(objective, str | Mapping):
        stages = [Stage(_terms(objective))]
    else:
        tolerances = asked.get("tolerances")
        if tolerances is None:
            tolerances = [tolerance if entry == "win" else 0 for entry in objective[:-1]]
        both = zip(objective, [*tolerances, 0], strict=True)
        stages = [Stage(_terms(entry), number(allowed)) for entry, allowed in both]
    if priced and not any(name == "preferences" for stage in stages for name, _ in stage.terms):
        sum_of_both = Stage((("win", Fraction(1)), ("preferences", Fraction(1))), tolerance)
        first = objective if isinstance(objective, str | Mapping) else objective[0]
        if first == "win" or objective == "spread":
            stages[0] = replace(sum_of_both, tolerance=stages[0].tolerance)
        else:
            stages.insert(0, sum_of_both)
    return tuple(stages)


def _terms(entry: Any) -> tuple[tuple[str, Fraction], ...]:
    weights = entry if isinstance(entry, Mapping) else {entry: 1}
    for name in weights:
        if name not in NAMES:
            msg = f"objective: {name!r} is not one that is checked; {', '.join(NAMES)} are"
            raise UnsupportedError(msg) if ":" in name else InputError(msg)
    if not all(0.0 < weight < math.inf for weight in weights.values()):
        msg = f"objective: every weight must be above 0, got {list(weights.values())}"
        raise InputError(msg)
    return tuple((name, number(weight)) for name, weight in weights.items())
