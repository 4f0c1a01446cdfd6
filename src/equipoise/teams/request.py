"""``BalanceRequest``: all that can be asked of one split, as a value that is checked once.

The library's keywords, a file, the flags of the command line and the body of a request over HTTP are decoders
into it; :func:`equipoise.balance` and whatever explains its answer take it.  To ask something else, replace
fields.

In plain data (:meth:`BalanceRequest.to_dict`, ``docs/request.schema.json``) a request is one object::

    {"players": [{"name": "Ann", "weight": 9.0}, {"id": "7", "name": "Bob", "mu": 25.0, "sigma": 3.0}],
     "teams": 2, "parties": [["Ann", "7"]], "fixed": {"Ann": 1}, "bots": {"weight": 5.0}, "objective": "win"}

``players`` are as in a JSON roster; every other field is named as the keyword of :func:`equipoise.balance`
and left out where it is as by default.  Teams are counted from 1 in data, and from 0 in Python.  ``stop`` is
no part of the data: it belongs to the caller.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np

from equipoise.core.fields import leaves
from equipoise.core.player import NO_SIDE, Player, Rating
from equipoise.core.registry import OBJECTIVES, TERMS
from equipoise.core.sides import EVEN_SIDES
from equipoise.core.win_probability import side_shift
from equipoise.errors import InputError
from equipoise.teams.objectives.objective import Objective, Units
from equipoise.teams.objectives.units import Asked, check_scale, compose_in, units_of
from equipoise.teams.problem.build import Besides, Roster, Sizes, build, rated, size_rules
from equipoise.teams.problem.exactness import AS_WRITTEN, CommonUnit, counted
from equipoise.teams.problem.linear_rules import Rule
from equipoise.teams.problem.preferences import Preference, check_named, preferences_of
from equipoise.teams.problem.problem import Problem, SizeRules
from equipoise.teams.problem.two_team_components import Contradiction
from equipoise.teams.request_fields import (
    FIELDS,
    Players,
    RequestFields,
    data_of,
    frozen,
    further_rule,
    keywords_of,
    with_scale,
)

if TYPE_CHECKING:
    from equipoise.teams.request_keywords import Keywords

#: How far from the best win probability ``spread`` may go: one game in a thousand; with up to 17 players,
#: who have few splits to choose from, one in four hundred.  Why: docs/decisions/0002-default-objective.md.
TOLERANCE = 0.001
SMALL_TOLERANCE, SMALL = 0.0025, 17


#: Objectives that know in which unit totals come.
OURS = frozenset(
    name for name, place in (*OBJECTIVES.items(), *TERMS.items()) if place.startswith("equipoise.")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BalanceRequest(RequestFields):
    """All that can be asked of one split, checked once.

    Make one with :meth:`of` or :meth:`from_dict`, which take what callers have at hand.

    Parameters
    ----------
    players : tuple of Player
        Who is here.  A weight may be a number, a :class:`Rating`, or None for unknown.
    teams : int
        How many teams; two are proven best up to 40 players, with a deadline up to 45, more while they can be
        enumerated.
    sizes : int or tuple of int, optional
        The size of every team, or of each; by default as equal as possible.  With bots, these are the
        seats that are filled up.
    min_size, max_size : int, optional
        How many players of the roster each team may have.
    max_difference : int, optional
        By how many players of the roster the teams may differ; 1 unless sizes or limits are given.
    bots : Bots, optional
        Whether and how bots fill up the teams; True levels them with bots of mean weight.
    parties : tuple of tuples of str
        Ids (or names) of players who stay together, besides those of ``Player.party``.
    apart : tuple of tuples of str
        Ids (or names) of players no two of whom may be in one team.
    names : tuple of str
        What the teams are called, one name for each; empty for Team 1 and so on.
    fixed : tuple of (str, int), or a mapping
        The team, from 0 or by its name, of players who must be in it, besides ``Player.team``.
    preferences : tuple of Preference
        Who prefers to be together or apart, at a price, besides those of ``Player.prefer`` and
        ``Player.avoid``.
    side_price : float
        What a whole side preference (``Player.side``) is worth, in win probability.
    stay : float
        The price of each player who is in another team than ``Player.team_now``, in win probability.
    moves : int, optional
        How many players at most may be in another team than ``Player.team_now``; by default any number.
    roles : tuple of (str, int), or a mapping
        How many of each role every team needs; what players play is in ``Player.roles``.
    rules : tuple of Rule
        Sums over each team's players that must stay within limits.
    objective : str, callable, Objective, sequence or mapping
        A name of :data:`equipoise.core.registry.OBJECTIVES`, ``"module:attribute"``, or the thing itself;
        several
        in a sequence, most important first; or a mapping from names to weights for their weighted sum.
        ``"moves"`` is how many players change team.
        The prices of preferences count with win probability, first of all, unless ``"preferences"`` is among
        them.
    tolerances : tuple of float, optional
        With objectives in a sequence, how far from the optimum of each but the last those after it may go,
        in its own unit; by default the tolerance for ``win``, and 0.
    solver : str or callable
        A name of :data:`equipoise.core.registry.SOLVERS`, ``"module:attribute"``, the thing itself, or
        ``"auto"``.
    rerank : str or callable, optional
        A name of :data:`equipoise.core.registry.RERANKERS` by which the best splits are re-ranked: those of
        the 1000 best that give up no more win probability than the tolerance.
    keep : int
        How many different splits are wanted, best first.  Players of equal weight count as the same.
        Where ``spread`` has fewer within its tolerance, the next best by win probability follow.
    spacing : int
        By how many players any two of those splits must differ at least: the first is the best, each other
        one the best of those that far from all before it.  It counts who must change team, where teams
        under the same rules in which nobody is fixed, and players of equal weight, count as the same.
    default : float, optional
        The weight of players without one; by default the mean of the others.
    beta : float, optional
        Performance noise of one player in one game, roster units, above 0; by default one standard
        deviation of the roster's weights.
    zero : float, optional
        The weight of a player whose presence makes no difference, where the scale has one; without it,
        nothing changes when the same number is added to every weight, nor when all are multiplied.
    body : float, optional
        What one more player of mean weight is worth to a team, in standard deviations of the roster's
        weights; one unless a zero is given, or asked for with the objective ``ratio`` (then it is 0).
    side_chance : float
        The chance of the first of two teams that are equal but for their sides: red and blue, attack and
        defence.  Teams are then such that the chances with their sides are even; where the objective does not
        look at chances, they are named so that these are as even as possible.
    draws : float, optional
        How often even teams draw for each time one of them wins; only shown.
    tolerance : float, optional
        How far from the best win probability the objective ``spread`` and a criterion that re-ranks may go;
        by default 0.0025 with up to 17 players and 0.001 with more.
    side_weight : float
        How much side preferences count in ``indistinguishable``, in nats for each nat.
    seed : int
        The seed of whatever the solver draws at random; exact solvers draw nothing.
    effort : float
        How much work a search may do before it ends without a proof, as a multiple of the usual: some seconds
        for rosters of any size.  Work is counted, so that the answer is the same on every machine.
    further : tuple of (str, object), or a mapping
        Rules of installed packages by name, with what each asks; each may be given as a keyword of its own.
    stop : callable
        Asked now and then; once it returns True the solver ends with what it has.
        :func:`equipoise.deadline` makes one from seconds.

    Attributes
    ----------
    roster : Roster
        The players with a rating each.
    size_rules : SizeRules
        What the sizes come to for this roster.
    counted : CommonUnit
        The unit in which the problem and its objective count weights.
    problem : Problem or None
        The players and rules as arrays; None where two players can be neither together nor apart.
    clash : Contradiction or None
        Who they are.
    asked : pair of Objective and Units
        The objective, and the units that it is judged in, both as the problem counts.

    Raises
    ------
    InputError
        If a field is at fault; its ``argument`` is the field.
    UnknownNameError
        If an objective, solver or criterion does not exist.

    Examples
    --------
    >>> request = BalanceRequest.of({"Ann": 9, "Bob": 7, "Cid": 5, "Dan": 4}, fixed={"Ann": 0})
    >>> request.to_dict()["fixed"], BalanceRequest.from_dict(request.to_dict()) == request
    ({'Ann': 1}, True)
    """

    roster: Roster = field(init=False, repr=False, compare=False)
    size_rules: SizeRules = field(init=False, repr=False, compare=False)
    counted: CommonUnit = field(init=False, repr=False, compare=False)
    problem: Problem | None = field(init=False, repr=False, compare=False)
    clash: Contradiction | None = field(init=False, repr=False, compare=False)
    asked: tuple[Objective, Units] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, info in FIELDS.items():
            if (value := getattr(self, name)) is not info.default:
                info.check(value)
        if self.names:
            check_team_names(self.names, self.teams)
        if any(isinstance(team, str) for _, team in self.fixed):
            object.__setattr__(self, "fixed", by_number(self.fixed, self.names))
        if not self.beta is self.zero is self.body is None:
            check_scale(self.beta, self.zero, self.body)
        if not self.players:
            msg = "must not be empty: there is nobody to divide"
            raise InputError(msg, "players")
        object.__setattr__(self, "roster", rated(self.players, self.default))
        if any(player.prefer or player.avoid for player in self.roster.players):
            check_named(self.roster.players, self.roster.find)
        exact = (self.sizes,) * self.teams if isinstance(self.sizes, int) else self.sizes
        sizes = Sizes(exact, self.min_size, self.max_size, self.max_difference)
        object.__setattr__(self, "size_rules", size_rules(len(self.players), self.teams, sizes, self.bots))
        object.__setattr__(self, "counted", _counted(self))
        problem, clash = _built(self)
        object.__setattr__(self, "asked", self.judged_by(self.objective, self.tolerances))
        if problem is not None and _tells_sides(problem, self.asked):
            problem = replace(problem, uneven=True)
        object.__setattr__(self, "problem", problem)
        object.__setattr__(self, "clash", clash)

    @classmethod
    def of(cls, players: Players | BalanceRequest, **keywords: Unpack[Keywords]) -> BalanceRequest:
        """Return a request from the arguments of :func:`equipoise.balance`.

        Parameters
        ----------
        players : iterable, mapping from name to weight, data frame, or BalanceRequest
            Who is here: players, names, pairs of name and weight, or mappings such as
            ``{"name": "Ann", "weight": 3}``; these and a data frame have the columns of a roster file, with
            teams from 1.  Of a request, keywords replace fields.
        **keywords
            The fields, as lists, mappings or single values.

        Raises
        ------
        InputError, UnknownNameError
            As the class.
        """
        values = frozen(keywords) if keywords else {}
        if isinstance(players, BalanceRequest):
            if "further" in values:
                values["further"] = tuple(
                    sorted({**dict(players.further), **dict(values["further"])}.items())
                )
            return replace(players, **cast("Any", values)) if values else players
        if isinstance(players, Mapping):
            players = [
                {"name": name, **rating} if isinstance(rating, Mapping) else Player(name, rating)
                for name, rating in players.items()
            ]
        players, values = with_scale(players, values)
        listed: Any = players
        if not isinstance(listed, Iterable) or isinstance(listed, str | bytes):
            msg = f"must be a list of players or names, or a mapping of names to weights, got {players!r:.40}"
            if isinstance(listed, str):
                msg += "; read_paste reads a text as people write it"
            raise InputError(msg, "players")
        return cls(players=tuple(listed), **cast("Any", values))

    @classmethod
    def from_dict(cls, data: Any, *, where: str = "request", own_parts: bool = False) -> BalanceRequest:
        """Return a request from plain data, as JSON and TOML hold it; unknown fields are refused.

        Parameters
        ----------
        data : mapping
            As :meth:`to_dict` returns it.
        where : str
            What messages call it, for instance the name of a file.
        own_parts : bool
            Whether ``"module:attribute"`` may name a part: only for those who may run code here.

        Raises
        ------
        InputError, UnknownNameError
            As the class; the message begins with the place.

        Examples
        --------
        >>> BalanceRequest.from_dict({"players": {"Ann": 9, "Bob": 7}, "objective": "win"}).objective
        'win'
        """
        players, keywords = keywords_of(data, where, own_parts=own_parts)
        try:
            return cls.of(players, **cast("Keywords", keywords))
        except InputError as error:
            raise error.named(f"{where}: {error.argument}") if error.argument else error from None

    def to_dict(self) -> dict[str, Any]:
        """Return the request as plain data; :meth:`from_dict` makes an equal one of it.

        Raises
        ------
        UnsupportedError
            If a part was passed as a Python object, which data cannot hold.
        """
        return data_of(self)

    @property
    def units(self) -> Units:
        """The units that splits are judged in, as the roster was written."""
        return self.asked[1].shown

    @property
    def most_tolerance(self) -> float:
        """How far from the best win probability ``spread`` and a criterion that re-ranks may go."""
        if self.tolerance is not None:
            return self.tolerance
        return SMALL_TOLERANCE if len(self.players) <= SMALL else TOLERANCE

    @property
    def counts_moves(self) -> bool:
        """Whether an objective counts who changes team."""
        one = isinstance(self.objective, str)
        return self.objective == "moves" if one else "moves" in leaves(self.objective)

    @property
    def objective_names(self) -> list[Any]:
        """What the objective is made of: one or several, each by name or as a part itself."""
        return leaves(self.objective)

    @property
    def all_preferences(self) -> tuple[Preference, ...]:
        """The preferences that come with the players, then the others."""
        if not any(player.prefer or player.avoid for player in self.players):
            return self.preferences
        return (*preferences_of(self.players), *self.preferences)

    @property
    def further_rules(self) -> tuple[Rule, ...]:
        """What the rules of installed packages come to: sums over each team's players."""
        return tuple(rule for name, _ in self.further for rule in self.rows_of(name))

    def rows_of(self, name: str) -> tuple[Rule, ...]:
        """Return the sums that a rule of an installed package comes to.

        Raises
        ------
        InputError
            If it names somebody who is not there.
        """
        rule, value = further_rule(name), dict(self.further).get(name)
        if rule is None or value is None:
            return ()
        rows = tuple(rule.rows(value, self.roster.players, self.teams))
        for who in (who for row in rows for who in row.terms):
            self.roster.find(name, who if isinstance(who, str) else who[0])
        return rows

    def judged_by(
        self, objective: Asked, tolerances: Sequence[float] | None = None
    ) -> tuple[Objective, Units]:
        """Return an objective in the units of this roster, and these, both as the problem counts."""
        roster, bots = self.roster, self.bots
        preferences = any(player.side != NO_SIDE for player in roster.players)
        exact = self.sizes if isinstance(self.sizes, tuple) else ()
        named = bool(self.fixed) or any(player.team is not None for player in roster.players)
        units = units_of(
            self.counted.weights(roster.mu),
            self.counted.unit.each_counted(roster.sigma),
            beta=self.beta,
            zero=self.zero,
            body=self.body,
            bot_weight=None if bots is None else bots.weight,
            counted=self.counted,
        )
        units = replace(
            units,
            side_weight=self.side_weight if preferences else 0.0,
            tolerance=self.most_tolerance,
            side=side_shift(self.side_chance, self.teams),
            signed=named or len(set(exact)) > 1 or self.side_chance != EVEN_SIDES,
        )
        return compose_in(objective, units, tolerances)

    def without(self, name: str) -> BalanceRequest:
        """Return the request without a rule of an installed package."""
        return replace(self, further=tuple(pair for pair in self.further if pair[0] != name))


def _tells_sides(problem: Problem, asked: tuple[Objective, Units]) -> bool:
    """Tell whether what is asked tells the first team from the second, for its side."""
    objective, units = asked
    sided = any(criterion.sided for criterion, _ in objective.order)
    return bool(units.side) and (sided or problem.prices is not None)


def _counted(request: BalanceRequest) -> CommonUnit:
    """Return the unit in which a request's weights are whole; objectives of other packages know of none."""
    roster, bots = request.roster, request.bots
    one = isinstance(request.objective, str)
    if not all(map(_counts_units, (request.objective,) if one else request.objective_names)):
        return AS_WRITTEN
    n, rules = len(roster.players), request.size_rules
    weights = roster.mu
    assumed = roster.unrated > 0 and request.default is None
    if assumed:  # those without a weight have the mean of the others, which is the mean of all
        weights = np.array([p.rating.mu for p in request.players if isinstance(p.rating, Rating)])
    averaged = len(weights) if assumed or (bots is not None and bots.weight is None) else 0
    if request.roles:
        inside = (rating.mu for player in roster.players for _, rating in player.roles if rating is not None)
        weights = np.append(weights, list(inside))
    if bots is not None and bots.weight is not None:
        weights = np.append(weights, bots.weight)
    more = float(np.abs(roster.mu).sum()) if assumed else 0.0
    if bots is not None:
        each = abs(float(roster.mu.mean()) if bots.weight is None else bots.weight)
        more += each * request.teams * (max(rules.seats) + n)
    return counted(weights, more, averaged)


def check_team_names(names: Sequence[str], teams: int) -> None:
    """Refuse what cannot be what teams are called.

    Raises
    ------
    InputError
        If there is not one name for each team, a name comes twice, or is the number of another team.
    """
    if len(names) != teams or not all(names):
        msg = f"must be one name for each of the {teams} teams, got {', '.join(names)!r}"
        raise InputError(msg, "names")
    if len({name.casefold() for name in names}) < teams:
        msg = f"must differ, got {', '.join(names)!r}"
        raise InputError(msg, "names")
    for n, name in enumerate(names, start=1):
        if name.isdecimal() and int(name) != n and int(name) <= teams:
            msg = f"must not be numbers of other teams, got {name!r} for team {n}; use words"
            raise InputError(msg, "names")


def by_number(fixed: Iterable[tuple[str, int | str]], names: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """Return the teams of players with the number of each that is given by its name.

    Raises
    ------
    InputError
        If no team is called so.

    Examples
    --------
    >>> by_number([("Ann", "blue"), ("Bob", 0)], ["Red", "Blue"])
    (('Ann', 1), ('Bob', 0))
    """
    numbers = {name.casefold(): n for n, name in enumerate(names)}
    for who, team in fixed:
        if isinstance(team, str) and team.casefold() not in numbers:
            called = ", ".join(names)
            known = f"the teams are {called}" if names else "--names (names=) says what they are called"
            msg = f": there is no team {team!r}, for {who!r}; {known}"
            raise InputError(msg, "fixed")
    return tuple((who, numbers[team.casefold()] if isinstance(team, str) else team) for who, team in fixed)


def _counts_units(objective: object) -> bool:
    """Tell whether an objective knows in which unit totals come: ours do, and those that say so."""
    known = objective in OURS if isinstance(objective, str) else getattr(objective, "counts_units", False)
    return bool(known)


def _built(request: BalanceRequest) -> tuple[Problem | None, Contradiction | None]:
    """Return the problem that a request makes, or who can be neither together nor apart."""
    besides = Besides(
        request.all_preferences,
        request.side_price,
        dict(request.roles),
        (*request.rules, *request.further_rules),
        request.stay,
        request.moves,
        request.counts_moves,
    )
    groups = request.parties, request.apart, request.fixed
    try:
        rules = request.size_rules
        return build(
            request.roster, request.teams, rules, request.bots, *groups, besides, request.counted
        ), None
    except Contradiction as clash:
        return None, clash
