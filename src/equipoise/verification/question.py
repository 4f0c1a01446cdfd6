"""What is asked, in fractions: players, rules, prices, units and objectives.

A question is made of the keywords of :func:`equipoise.balance`, or of a request in plain data, as JSON and
receipts hold it; teams are counted from 1 there.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from equipoise.core.player import MOST_PLAYERS, Bots, Player, Rating
from equipoise.errors import InputError, UnsupportedError
from equipoise.verification.exact_numbers import SLOPE, Real


def number(value: Any) -> Fraction:
    """Return the decimals a number is written with.

    Examples
    --------
    >>> number(0.1) + number(0.2) == number(0.3)
    True
    """
    return Fraction(value) if isinstance(value, int | Fraction) else Fraction(repr(float(value)))


@dataclass(frozen=True)
class ExactPlayer:
    """A player in fractions.

    Parameters
    ----------
    weight, variance : Fraction
        The mean and the square of the deviation.
    side : Fraction
        The preference for a team, from 0 (the first) to 1 (the last).
    roles : mapping of str to (Fraction, Fraction)
        What is played, with mean and variance; empty for everything at the general rating.
    """

    weight: Fraction
    variance: Fraction = Fraction(0)
    side: Fraction = Fraction(1, 2)
    roles: Mapping[str, tuple[Fraction, Fraction]] = field(default_factory=dict)


@dataclass(frozen=True)
class PreferringGroup:
    """Players (indices) who prefer to be together, or no two of them, and the price."""

    together: bool
    members: tuple[int, ...]
    price: Fraction


@dataclass(frozen=True)
class Row:
    """A sum over (index, team) that must stay within limits; None where there is no limit.

    ``rounding`` is by how much a sum may be beyond one: by nothing, unless its numbers are too fine to be
    counted in whole numbers that a float holds.
    """

    factors: Mapping[tuple[int, int], Fraction]
    low: Fraction | None
    high: Fraction | None
    rounding: Fraction = Fraction(0)


@dataclass(frozen=True)
class Stage:
    """One objective of an order: what it sums, and how far from its optimum the next may go.

    ``terms`` has names of objectives, ``"preferences"`` among them, with their weights.
    """

    terms: tuple[tuple[str, Fraction], ...]
    tolerance: Fraction = Fraction(0)

    @property
    def name(self) -> str:
        """The objective's name where there is only one, at weight 1; else nothing."""
        return self.terms[0][0] if len(self.terms) == 1 and self.terms[0][1] == 1 else ""


class QuestionFloats(NamedTuple):
    """The floats nearest to numbers of a question; ``sides`` has what each player pays in each team."""

    noise: float
    prior: float
    side_weight: float
    sides: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Question:
    """All that decides which splits are legal and which is best; players are known by index."""

    ids: tuple[str, ...]
    names: tuple[str, ...]
    members: tuple[ExactPlayer, ...]
    n_teams: int
    parties: tuple[tuple[int, ...], ...]
    apart: tuple[tuple[int, int], ...]
    fixed: Mapping[int, int]
    minimum: tuple[int, ...]
    maximum: tuple[int, ...]
    difference: int
    seats: tuple[int, ...]
    bot_weight: Fraction | None
    groups: tuple[PreferringGroup, ...]
    side_price: Fraction
    now: Mapping[int, int]
    stay: Fraction
    moves: int | None
    needed: tuple[tuple[str, int], ...]
    rows: tuple[Row, ...]
    noise: Fraction
    zero: Real
    prior: Fraction
    side_weight: Fraction
    signed: bool
    by_team: bool
    stages: tuple[Stage, ...]
    default: Fraction | None = None
    unrated: int = 0
    #: By how much the first of two teams is better off for its side, in the noise of their difference.
    side: Fraction = Fraction(0)
    #: Teams that were summed up already, by who is in them; see
    #: :func:`equipoise.verification.objective_values.team_of`.
    known: dict[tuple[tuple[int, ...], int], Any] = field(default_factory=dict, repr=False, compare=False)
    #: Everybody as one team, by how many they are with bots.
    whole: dict[int, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def n(self) -> int:
        """How many players there are."""
        return len(self.members)

    @cached_property
    def unit(self) -> int:
        """The number of equal parts of a roster unit in which all weights are whole numbers."""
        weights = [weight for member in self.members for weight, _ in member.roles.values()]
        weights += [member.weight for member in self.members] + [self.bot_weight or Fraction(0)]
        return math.lcm(*(weight.denominator for weight in weights))

    @cached_property
    def floats(self) -> QuestionFloats:
        """What is computed with where floats can tell."""
        sides = []
        for member in self.members if self.side_price else ():
            wanted = 2 * member.side - 1
            places = (Fraction(2 * team, self.n_teams - 1) - 1 for team in range(self.n_teams))
            sides.append(
                tuple(float(self.side_price * (abs(wanted) - wanted * place) / 2) for place in places)
            )
        return QuestionFloats(float(self.noise), float(self.prior), float(self.side_weight), tuple(sides))

    def cut(self, n: int) -> Question:
        """Return the question with its first objectives alone."""
        return replace(self, stages=self.stages[:n])

    @property
    def interchangeable(self) -> bool:
        """Whether exchanging whole teams changes nothing."""
        sides = any(member.side != Fraction(1, 2) for member in self.members)
        same = all(len(set(rule)) == 1 for rule in (self.minimum, self.maximum, self.seats))
        counted = self.moves is not None or any(name == "moves" for s in self.stages for name, _ in s.terms)
        moving = bool(self.now) and (counted or bool(self.stay))
        named = {name for stage in self.stages for name, _ in stage.terms}
        if self.side and ("win" in named or (self.side_weight and "indistinguishable" in named)):
            return False
        return same and not (self.fixed or self.by_team or moving or (sides and self.side_price))


#: What a preference is worth where no price is named.
PRICE = Fraction("0.01")

#: The chance of the first of two equal teams where no side is better.
EVEN = 0.5

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
    chance = float(asked.get("side_chance") or EVEN)
    side = number(math.log(chance / (1.0 - chance)) / float(SLOPE))
    zero = _zero(
        members, spread, asked, ratio=any(name == "ratio" for stage in stages for name, _ in stage.terms)
    )
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
        # A side is a root of the noise already: one root is enough in a lead.
        zero=Real(number(float(zero))) if side and zero.roots else zero,
        prior=spread / 64,
        side_weight=number(0.01 if weight is None else weight) if sided else Fraction(0),
        signed=bool(fixed) or uneven or chance != EVEN,
        by_team=any(not isinstance(who, str) for rule in asked.get("rules") or () for who in rule.terms),
        stages=stages,
        default=default,
        unrated=unrated,
        side=side,
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
    numbers = [number(factor) for factor in rule.terms.values()]
    numbers += [limit for limit in (low, high) if limit is not None]
    lost = (
        Fraction(0) if _is_counted(numbers) else (len(numbers) + 8) * Fraction(sum(map(abs, numbers)), 2**53)
    )
    if not every:
        return [Row(single, low, high, lost)]
    rows = []
    for team in range(n_teams):
        factors = dict(single)
        for i, factor in every.items():
            factors[i, team] = factors.get((i, team), Fraction(0)) + factor
        rows.append(Row(factors, low, high, lost))
    return rows


def _is_counted(numbers: Sequence[Fraction]) -> bool:
    """Tell whether sums of decimals, counted in the last of their digits, are whole numbers a float holds."""
    sizes = [abs(number) for number in numbers]
    most = max(sum(sizes), max(sizes) * Fraction(2**53, 10**15))
    places = 0
    while any(10**places % number.denominator for number in numbers):
        places += 1
        if most * 10**places >= 2**53:
            return False
    return bool(most * 10**places < 2**53)


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


#: The fields that decide what is legal and what is best.
DECIDING = (
    "teams", "sizes", "min_size", "max_size", "max_difference", "bots", "parties", "apart", "fixed",
    "preferences", "side_price", "stay", "moves",
    "roles", "rules", "objective", "tolerances", "default", "beta", "zero", "body",
    "tolerance", "side_weight", "side_chance",
)  # fmt: skip

#: Those that say how it is searched for, and how many are wanted.
SEARCHING = ("solver", "rerank", "keep", "spacing", "seed", "effort")

#: Those that are only shown.
SHOWN = ("draws", "names")

#: The least and the most of whole numbers; None where there is no most.
WHOLE = {
    "teams": (2, 100), "keep": (1, None), "spacing": (1, None), "seed": (0, None),
    "max_difference": (0, None), "min_size": (0, MOST_PLAYERS), "max_size": (0, MOST_PLAYERS),
    "moves": (0, None),
}  # fmt: skip

#: And of numbers.
NUMBERS = {
    "beta": (1e-100, 1e15), "zero": (-1e15, 1e15), "body": (0.0, 1e6), "default": (-1e15, 1e15),
    "tolerance": (0.0, 1.0), "side_weight": (0.0, sys.float_info.max),
    "effort": (0.01, 1000.0), "side_price": (0.0, sys.float_info.max), "stay": (0.0, sys.float_info.max),
    "draws": (0.0, sys.float_info.max), "side_chance": (0.01, 0.99),
}  # fmt: skip

#: The fields of a preference and of a rule.
PREFERENCE = ("kind", "players", "price")
RULE = ("name", "players", "terms", "at_least", "at_most", "in_team")

#: The most objectives in an order, and combinations of roles that are filled.
MOST_STAGES, MOST_STATES = 16, 1 << 16


class _Preference(NamedTuple):
    kind: str
    players: tuple[str, ...]
    price: float


class _PlainRule(NamedTuple):
    terms: Mapping[Any, float]
    low: float
    high: float


def read(data: Mapping[str, Any]) -> Question:
    """Return the question that a request in plain data asks.

    Raises
    ------
    UnsupportedError
        If a field is unknown: a rule that an installed package added, whose splits cannot be judged here.
    InputError
        If a field does not hold what it should.
    """
    for name in data:
        if name not in ("players", *DECIDING, *SEARCHING, *SHOWN):
            msg = f"it does not know the rule {name!r}"
            raise UnsupportedError(msg)
    try:
        _check(data)
        asked = {name: data[name] for name in DECIDING if data.get(name) is not None}
        if "fixed" in asked:
            asked["fixed"] = {who: team - 1 for who, team in asked["fixed"].items()}
        if isinstance(asked.get("bots"), Mapping):
            asked["bots"] = Bots(**asked["bots"])
        asked["preferences"] = [
            _Preference(
                preference["kind"], tuple(preference["players"]), preference.get("price", float(PRICE))
            )
            for preference in asked.get("preferences", ())
        ]
        asked["rules"] = [_rule(rule) for rule in asked.get("rules", ())]
        players = _players(data["players"])
        placed = [team for player in players for team in (player.team, player.team_now) if team is not None]
        _require("players", placed, all(team < data.get("teams", 2) for team in placed))
        ids = [player.id for player in players]
        _require("players", ids, len(set(ids)) == len(ids))
        return question(players, **asked)
    except UnsupportedError:
        raise
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, ArithmeticError) as error:
        msg = f"request: it cannot be read: {error}"
        raise InputError(msg) from error


def _check(data: Mapping[str, Any]) -> None:
    """Refuse numbers out of range, as nobody could have asked for them.

    Raises
    ------
    InputError
        If a number is.
    """
    for name, (least, most) in WHOLE.items():
        if data.get(name) is not None:
            _require(name, data[name], _is_whole(data[name], least, most))
    for name, (low, high) in NUMBERS.items():
        number = data.get(name)
        if number is not None:
            is_number = isinstance(number, int | float) and not isinstance(number, bool)
            _require(name, number, is_number and low <= number <= high)
    sizes, n_teams = data.get("sizes"), data.get("teams", 2)
    each = sizes if isinstance(sizes, list) else [0 if sizes is None else sizes] * n_teams
    _require("sizes", sizes, len(each) == n_teams and all(_is_whole(size, 0, MOST_PLAYERS) for size in each))
    roles = data.get("roles") or {}
    right = isinstance(roles, Mapping) and all(_is_whole(n, 1, MOST_PLAYERS) for n in roles.values())
    _require("roles", roles, right and math.prod(n + 1 for n in roles.values()) <= MOST_STATES)
    objective = data.get("objective", "spread")
    entries = objective if isinstance(objective, list) else [objective]
    right = all(isinstance(entry, str | Mapping) and entry for entry in entries)
    _require("objective", objective, right and 1 <= len(entries) <= MOST_STAGES)
    tolerances = data.get("tolerances")
    if tolerances is not None:
        right = isinstance(tolerances, list) and all(0.0 <= tolerance < math.inf for tolerance in tolerances)
        _require("tolerances", tolerances, right and len(tolerances) == len(entries) - 1)
    for name in ("parties", "apart"):
        groups = data.get(name) or []
        _require(name, groups, isinstance(groups, list) and all(isinstance(group, list) for group in groups))
    # Who searched, and what chose among the best, is no claim that is checked.
    for name in ("solver", "rerank"):
        part = data.get(name)
        _require(name, part, part is None or isinstance(part, str))
    for preference in data.get("preferences") or ():
        right = set(preference) <= set(PREFERENCE) and preference["kind"] in ("together", "apart")
        _require("preferences", preference, right)
    for rule in data.get("rules") or ():
        _require("rules", rule, set(rule) <= set(RULE))


def _is_whole(number: Any, least: int, most: int | None) -> bool:
    whole = isinstance(number, int) and not isinstance(number, bool)
    return whole and least <= number and (most is None or number <= most)


def _require(name: str, raw: Any, holds: object) -> None:
    if not holds:
        msg = f"request: {name}: {str(raw)[:40]!r} is out of range"
        raise InputError(msg)


def _players(data: Any) -> list[Player]:
    if isinstance(data, Mapping):
        return [Player(name, weight) for name, weight in data.items()]
    return [_player(entry) for entry in data]


def _player(entry: Mapping[str, Any]) -> Player:
    known = dict(entry)
    name = str(known.pop("name", ""))
    rating = known.pop("weight", known.pop("mu", None))
    sigma = known.pop("sigma", None)
    team, now = known.pop("team", None), known.pop("team_now", None)
    for column, number in (("team", team), ("team_now", now)):
        _require(column, number, number is None or _is_whole(number, 1, None))
    return Player(
        str(known.pop("id", "") or name),
        rating if rating is None or not sigma else Rating(rating, sigma),
        name,
        team=None if team is None else team - 1,
        team_now=None if now is None else now - 1,
        roles=tuple(_pairs(known.pop("roles", ()), _rating)),
        prefer=tuple(_pairs(known.pop("prefer", ()))),
        avoid=tuple(_pairs(known.pop("avoid", ()))),
        **known,
    )


def _rating(raw: Any) -> Any:
    if not isinstance(raw, Mapping):
        return raw if raw is None else Rating(float(raw))
    _require("roles", raw, set(raw) <= {"mu", "sigma"})
    return Rating(raw["mu"], raw.get("sigma", 0.0))


def _pairs(raw: Any, made: Any = None) -> list[tuple[str, Any]]:
    items = raw.items() if isinstance(raw, Mapping) else [(name, None) for name in raw]
    return [(name, made(value) if made else value) for name, value in items]


def _rule(data: Mapping[str, Any]) -> _PlainRule:
    terms: dict[Any, float] = {}
    if "terms" in data:
        for term in data["terms"]:
            who = (term["player"], term["in_team"] - 1) if "in_team" in term else term["player"]
            terms[who] = term.get("factor", 1.0)
    else:
        players = data["players"]
        factors = dict.fromkeys(players, 1.0) if isinstance(players, Sequence) else players
        team = data.get("in_team")
        terms = {who if team is None else (who, team - 1): factor for who, factor in factors.items()}
    return _PlainRule(terms, data.get("at_least", -math.inf), data.get("at_most", math.inf))
