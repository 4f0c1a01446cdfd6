"""The team for someone who joins a running game, by its effect on balance.

:func:`place_late` sees sums over each team and nothing else, so a server that keeps them can ask at any time,
at no cost; who comes and goes is not known to it.  :func:`late` is asked by a
:class:`~equipoise.teams.request.BalanceRequest` and decides what that means for a running game.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.core.arrays import Floats, Ints
from equipoise.core.fields import frozen_number
from equipoise.core.player import MOST_PLAYERS, MOST_TEAMS, NO_SIDE, Bots, Player, Rating
from equipoise.core.sides import EVEN_SIDES
from equipoise.core.win_probability import side_shift, win_probability
from equipoise.errors import InputError, UnsupportedError
from equipoise.teams.advantage import (
    advantage,
    counts_of,
    factors,
    features_of,
    numbers_of,
    team_sums,
    units_in,
)
from equipoise.teams.objectives.moments import WinDistance
from equipoise.teams.objectives.objective import Objective, Units
from equipoise.teams.objectives.units import compose, compose_in
from equipoise.teams.problem.linear_rules import Rule, rows_of
from equipoise.teams.problem.problem import COUNT, MU, SIDE, VARIANCE
from equipoise.teams.request import BalanceRequest
from equipoise.teams.request_fields import LATE, MOOT, Players, asked_fields

if TYPE_CHECKING:
    from equipoise.teams.request_keywords import Keywords

#: By how many players teams may differ, as in a game that starts.
MAX_DIFFERENCE = 1


@dataclass(frozen=True, slots=True)
class LateOption:
    """The game as it would be with the newcomer in one team.

    Parameters
    ----------
    team : int
        That team, from 0.
    value : float
        The objective, in the number it is known by.
    totals : tuple of float
        Each team's sum of weights afterwards, bots included, roster units.
    win_probability : tuple of float
        Each team's chance afterwards.
    bots : tuple of int
        How many bots each team has afterwards.
    advantage : tuple of float
        The factor each team then needs to be even, see :func:`equipoise.advantage`.
    excess : int
        By how many players more than allowed the team would exceed the smallest; 0 where none.
    allowed : bool
        Whether the newcomer may be sent there.
    """

    team: int
    value: float
    totals: tuple[float, ...]
    win_probability: tuple[float, ...]
    bots: tuple[int, ...]
    advantage: tuple[float, ...]
    excess: int
    allowed: bool = True


@dataclass(frozen=True, slots=True)
class Placement:
    """The team a newcomer is sent to, and what every team would have made of it.

    Parameters
    ----------
    team : int
        The team, from 0.
    objective : str
        The name of the objective the values are of.
    options : tuple of LateOption
        One for each team, in the teams' order.
    beta, zero : float
        The performance noise, and the weight that adds nothing to a team, of all chances.
    beta_source, zero_source : str
        Where they come from, in words.
    """

    team: int
    objective: str
    options: tuple[LateOption, ...]
    beta: float = 1.0
    beta_source: str = "as given"
    zero: float = 0.0
    zero_source: str = "as given"

    @property
    def best(self) -> LateOption:
        """The option that was taken."""
        return self.options[self.team]

    @property
    def reason(self) -> str:
        """Why this team, in a sentence that counts teams from 1."""
        others = [option for option in self.options if option.team != self.team and option.allowed]
        if not others:
            return f"team {self.team + 1} is the only one that the rules allow"
        kept = [option for option in others if option.excess <= self.best.excess]
        if not kept:
            return f"team {self.team + 1} is the only one that does not become too large"
        return "; ".join(self._described(option) for option in (self.best, *kept))

    def _described(self, option: LateOption) -> str:
        farthest = max(abs(chance - 1.0 / len(self.options)) for chance in option.win_probability)
        words = f"team {option.team + 1}: win chances within {100 * farthest:.1f} % of even"
        return words if self.objective == "win" else f"{words}, {self.objective} {option.value:.4g}"

    def as_dict(self) -> dict[str, Any]:
        """Return the placement in plain lists and numbers, teams counted from 0."""
        return {**asdict(self), "reason": self.reason}


def place_late(
    newcomer: float | Rating,
    totals: ArrayLike,
    players: ArrayLike | None = None,
    *,
    bots: Bots | bool = False,
    bot_counts: ArrayLike | None = None,
    bot_totals: ArrayLike | None = None,
    pool: int | None = None,
    variances: ArrayLike | None = None,
    objective: str | Callable[[Units], Objective] | Objective = "win",
    beta: float | None = None,
    zero: float | None = None,
    body: float | None = None,
    centre: float = 0.0,
    max_difference: int = MAX_DIFFERENCE,
    allowed: Collection[int] | None = None,
    side_chance: float = EVEN_SIDES,
) -> Placement:
    """Choose the team for someone who joins a running game.

    A newcomer may cost a bot its place, and may make a bot come elsewhere.  Which bot leaves is unknown,
    so the mean of those on its team is taken off; which bot comes is unknown, so the mean of those that
    are not in the game yet is added.

    Parameters
    ----------
    newcomer : float or Rating
        The weight of who joins, roster units.
    totals : array_like, shape (n_teams,) or (n_teams, 5)
        Each team's sum of weights, bots included, roster units; or all its features: count, and the sums
        of mu, (mu - centre)², sigma² and side preference.
    players : array_like of int, shape (n_teams,), optional
        How many people each team has, bots not counted; with all features it is known without.
    bots : Bots or bool
        Whether and how bots fill up the teams; implied where some are there.  ``Bots.weight`` is the mean
        over all bots, in the game or not; None is the mean of the players in the game.
    bot_counts : array_like of int, shape (n_teams,), optional
        How many bots each team has; none unless given.
    bot_totals : array_like, shape (n_teams,) or (n_teams, 5), optional
        What those weigh together; by default as many times the mean of a bot.
    pool : int, optional
        How many bots there are, in the game or not; no limit unless given.
    variances : array_like, shape (n_teams,), optional
        Each team's sum of sigma², roster units squared; 0 unless given.
    objective : str, callable or Objective
        As in :func:`equipoise.balance`.  ``spread`` and ``indistinguishable`` need all features.
    beta : float, optional
        Performance noise of one player, roster units, above 0; by default one standard deviation of
        everyone, the newcomer included.  Sums of weights alone do not show it: then it is needed, unless a
        zero is given, above which it is the mean weight.
    zero : float, optional
        The weight of a player whose presence makes no difference, where the scale has one.
    body : float, optional
        What one more player of mean weight is worth, in those standard deviations (without them, in betas);
        one unless a zero is given or the objective is ``ratio``, whose zero is 0.
    centre : float
        What was subtracted from mu before squaring.
    max_difference : int
        By how many players, bots included, the newcomer's team may then exceed the smallest.
    allowed : collection of int, optional
        The teams, from 0, that the newcomer may be sent to; any unless given.
    side_chance : float
        The chance of the first of two teams that are equal but for their sides, from 0.01 to 0.99.

    Returns
    -------
    Placement
        The team of the best objective among those that keep the size rule; where none does, among those
        that miss it by least.  Ties go to the smaller team, then to the first.

    Raises
    ------
    InputError
        If an argument is at fault.

    References
    ----------
    S. Simpson, "Balancing tools for Unreal Tournament", 2010: late changes, and ideal bot counter.

    Examples
    --------
    The stronger newcomer goes to the weaker team, where a bot of 20 makes room:

    >>> placement = place_late(45, [150, 130], [4, 3], bot_counts=[0, 1], bot_totals=[0, 20], zero=0)
    >>> placement.team, placement.best.totals, placement.best.bots
    (1, (150.0, 155.0), (0, 0))
    """
    beta, zero, body, centre, side_chance = (
        frozen_number(number, name)
        for name, number in (
            ("beta", beta), ("zero", zero), ("body", body), ("centre", centre), ("side_chance", side_chance)
        )
    )  # fmt: skip
    now = features_of("totals", totals, variances)
    n_teams, squares = len(now), np.ndim(np.asarray(totals)) == 2
    present = counts_of("bot_counts", bot_counts, n_teams)
    if not squares:
        if players is None:
            msg = "players must be given, one number for each team, when totals are sums of weights alone"
            raise InputError(msg)
        now[:, COUNT] = counts_of("players", players, n_teams) + present
        now[:, SIDE] = now[:, COUNT] * NO_SIDE
    people = _people(now, present, players)
    may = _allowed(allowed, n_teams)
    check_limits(pool, max_difference)
    who = newcomer if isinstance(newcomer, Rating) else Rating(float(numbers_of("newcomer", newcomer)))
    filling = Bots() if bots is True or (not bots and present.any()) else bots or None
    coming = _bot(filling, now, centre)
    leaving = _present_bots(bot_totals, present, coming)
    if pool is not None and filling is not None and filling.weight is not None:
        coming = _bot_to_come(coming, leaving.sum(axis=0), int(present.sum()), pool, centre)
    mean_leaving = np.divide(
        leaving, present[:, None], out=np.zeros_like(leaving), where=present[:, None] > 0
    )
    step = np.array([1.0, who.mu, (who.mu - centre) ** 2, who.sigma**2, NO_SIDE])

    after = np.repeat(now[None], n_teams, axis=0)
    sizes = np.repeat(people[None], n_teams, axis=0)
    for team in range(n_teams):
        after[team, team] += step
        sizes[team, team] += 1
    filled = sizes if filling is None else np.stack([_filled(row, filling, pool) for row in sizes])
    change = (filled - sizes - present)[:, :, None]
    after += np.where(change < 0, change * mean_leaving, change * coming)
    excess = np.maximum(filled.diagonal() - filled.min(axis=1) - max_difference, 0)
    if zero is None and body is None and not squares and _has_zero(objective):
        zero = 0.0
    units = units_in(
        now.sum(axis=0) + step,
        squares=squares,
        beta=beta,
        zero=zero,
        body=body,
        centre=centre,
        bot_weight=None if filling is None else filling.weight,
    )
    units = replace(units, side=side_shift(side_chance, n_teams))
    judged, units = _judge(objective, after, units, may & (excess == excess[may].min()), squares=squares)
    order = sorted(range(n_teams), key=lambda team: (judged.rank[team], people[team], team))
    options = tuple(
        LateOption(
            team=team,
            value=judged.values[team],
            totals=tuple(after[team, :, MU].tolist()),
            win_probability=tuple(judged.chances[team].tolist()),
            bots=tuple((filled - sizes)[team].tolist()),
            advantage=factors(after[team], units),
            excess=int(excess[team]),
            allowed=bool(may[team]),
        )
        for team in range(n_teams)
    )
    return Placement(
        order[0], judged.name, options, units.beta, units.beta_source, units.zero, units.zero_source
    )


def _people(now: Floats, present: Ints, players: ArrayLike | None) -> Ints:
    """Return how many of each team are people."""
    people = np.round(now[:, COUNT]).astype(np.int64) - present
    counted = people if players is None else counts_of("players", players, len(now))
    if (people < 0).any() or (people != counted).any():
        msg = f"players less bots must be whole numbers of at least 0, got {people.tolist()}"
        raise InputError(msg)
    return people


def check_limits(pool: int | None, max_difference: int = 0) -> None:
    """Refuse a number of bots, or a difference, that there cannot be.

    Raises
    ------
    InputError
        If one is out of range.
    """
    for name, number in (("pool", pool), ("max_difference", max_difference)):
        if number is not None and not 0 <= number <= MOST_PLAYERS:
            msg = f"must be from 0 to {MOST_PLAYERS}, got {number!r}"
            raise InputError(msg, name)


def _allowed(allowed: Collection[int] | None, n_teams: int) -> NDArray[np.bool_]:
    """Return for each team whether the newcomer may be sent there."""
    may = np.array([allowed is None or team in allowed for team in range(n_teams)])
    if not may.any() or not set(allowed or ()) <= set(range(n_teams)):
        msg = f"must be some of the teams 0 to {n_teams - 1}, got {sorted(allowed or ())}"
        raise InputError(msg, "allowed")
    return may


def _bot(filling: Bots | None, now: Floats, centre: float) -> Floats:
    """Return the features of a bot of mean weight."""
    everyone = now.sum(axis=0)
    mean = float(everyone[MU] / max(everyone[COUNT], 1.0))
    weight = mean if filling is None or filling.weight is None else filling.weight
    return np.array([1.0, weight, (weight - centre) ** 2, 0.0, NO_SIDE])


def _present_bots(bot_totals: ArrayLike | None, present: Ints, mean: Floats) -> Floats:
    """Return the features of the bots in each team, those that are not given from the mean bot."""
    features = present[:, None] * mean
    if bot_totals is None:
        return features
    raw = numbers_of("bot_totals", bot_totals)
    if raw.shape == features.shape:
        return raw
    features[:, MU] = numbers_of("bot_totals", bot_totals, (len(present),))
    return features


def _bot_to_come(mean: Floats, present: Floats, n_present: int, pool: int, centre: float) -> Floats:
    """Return the mean of the bots that are not in the game yet, from the mean of all of them."""
    if pool <= n_present:
        return mean
    weight = float(pool * mean[MU] - present[MU]) / (pool - n_present)
    return np.array([1.0, weight, (weight - centre) ** 2, 0.0, NO_SIDE])


def _filled(people: Ints, bots: Bots, pool: int | None) -> Ints:
    """Return the sizes with bots: all as large as the map wants or the largest team is, as far as bots go."""
    size = max(bots.seats(len(people)), int(people.max()))
    if pool is None or size * len(people) - int(people.sum()) <= pool:
        return np.full_like(people, size)
    sizes = people.copy()
    for _ in range(pool):
        sizes[int(sizes.argmin())] += 1
    return sizes


@dataclass(frozen=True, slots=True)
class _Judged:
    """What an objective says of each option: its name, values, and the order it puts them in."""

    name: str
    values: list[float]
    chances: Floats
    rank: list[tuple[bool, float]]


def _has_zero(objective: str | Callable[[Units], Objective] | Objective) -> bool:
    """Tell whether an objective is of the ratio of weights, so that their 0 means something."""
    return compose(objective, Units()).criterion.needs_positive


def _judge(
    objective: str | Callable[[Units], Objective] | Objective,
    after: Floats,
    units: Units,
    allowed: NDArray[np.bool_],
    *,
    squares: bool,
) -> tuple[_Judged, Units]:
    """Judge what each team would make of the newcomer, shape (n_options, n_teams, 5), and say in which units.

    Only teams that are open may be taken, so what is within a tolerance is counted from the best of them.
    """
    chosen, units = compose_in(objective, units)
    if not squares and not (chosen.criterion.by_difference or isinstance(chosen.criterion, WinDistance)):
        msg = f": {chosen.name!r} needs totals with all features, shape (n_teams, 5)"
        raise InputError(msg, "objective")
    within = allowed.copy()
    for criterion, tolerance in chosen.first:
        costs = criterion.cost(after)
        within &= costs <= costs[within].min() + tolerance
    costs = chosen.criterion.cost(after)
    chances = win_probability(
        after[:, :, MU], after[:, :, VARIANCE], after[:, :, COUNT], units.beta, units.zero, units.side
    )
    values = [chosen.criterion.shown(cost) + 0.0 for cost in costs.tolist()]
    rank = list(zip((~within).tolist(), costs.tolist(), strict=True))
    return _Judged(chosen.name, values, chances, rank), units


@dataclass(frozen=True, slots=True)
class RunningGame:
    """A game that runs, as a request tells it.

    Parameters
    ----------
    request : BalanceRequest
        What is asked, the newcomer included.
    newcomer : Player or None
        Who joins, with a rating; None where everyone is in a team.
    sums, bots : ndarray, shape (n_teams, 5)
        The features of each team, and of the bots in it.
    centre : float
        What was subtracted from mu before squaring: the mean of those who play.
    filling : Bots or bool
        How bots fill up the teams.
    pool : int or None
        How many bots there are, in the game or not.
    allowed : tuple of int
        The teams that the rules leave to the newcomer.
    playing : tuple of Player
        Who plays, each with a rating and a team.
    """

    request: BalanceRequest
    newcomer: Player | None
    sums: Floats
    bots: Floats
    centre: float
    filling: Bots | bool
    pool: int | None
    allowed: tuple[int, ...]
    playing: tuple[Player, ...] = ()

    @property
    def scale(self) -> dict[str, Any]:
        """The arguments of :func:`equipoise.advantage` and :func:`place_late` that say what weights mean."""
        asked = self.request
        return {
            "beta": asked.beta, "zero": asked.zero, "body": asked.body, "centre": self.centre,
            "side_chance": asked.side_chance,
        }  # fmt: skip

    def place(self) -> Placement:
        """Return the team for the newcomer."""
        if self.newcomer is None or not isinstance(self.newcomer.rating, Rating):
            msg = ": nobody joins; all have a team"
            raise InputError(msg, "players")
        most = self.request.max_difference
        return place_late(
            self.newcomer.rating,
            self.sums,
            bots=self.filling,
            bot_counts=self.bots[:, 0],
            bot_totals=self.bots,
            pool=self.pool,
            objective=self.request.objective,
            max_difference=MAX_DIFFERENCE if most is None else most,
            allowed=self.allowed,
            **self.scale,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return where the newcomer goes, or without one what the weaker team is owed, in plain numbers."""
        if self.newcomer is None:
            return {
                "totals": self.sums[:, MU].tolist(),
                "advantage": list(advantage(self.sums, **self.scale)),
            }
        return {"player": self.newcomer.label, **self.place().as_dict()}


def late(
    players: Players | BalanceRequest,
    join: Player | str | None = None,
    *,
    pool: int | None = None,
    **keywords: Unpack[Keywords],
) -> Placement:
    """Choose the team for someone who joins a running game, from what would be asked of :func:`balance`.

    Nobody else is moved.  Parties, who is apart and fixed teams are kept as far as they concern the
    newcomer; where a party is in several teams already, any of these will do.

    Parameters
    ----------
    players : iterable of Player, mapping from name to weight, or BalanceRequest
        Everyone, with the team each is in: ``fixed``, else ``Player.team``, else ``Player.team_now``.
        Bots without a team wait for a place.
    join : Player or str, optional
        Who joins: someone new, or one of the players by id or name.  By default the one without a team.
    pool : int, optional
        How many bots there are, in the game or not; by default as many as are named, where some wait.
    **keywords
        Those of ``balance``: ``teams``, ``bots``, ``objective``, ``parties``, ``apart``, ``fixed``,
        ``max_difference``, ``default``, ``beta``, ``zero`` and ``body`` count; what is about moves and the
        search has nothing to say here.  Unless given, or asked by a request, ``objective`` is ``"win"``, and
        there are as many teams as players are in, at least two.

    Raises
    ------
    InputError
        As :func:`balance` and :func:`place_late`, or if it is not clear who joins.
    UnsupportedError
        If a field is given that cannot be kept; its ``argument`` is the field.

    Examples
    --------
    >>> now = [Player("Ann", 9, team=0), Player("Bob", 7, team=1), Player("Cid", 5)]
    >>> late(now).team, late(now, objective="difference", apart=[("Ann", "Cid")]).team
    (0, 1)
    """
    return running_game(players, join, pool=pool, **keywords).place()


def running_game(
    players: Players | BalanceRequest,
    join: Player | str | None = None,
    *,
    pool: int | None = None,
    **keywords: Unpack[Keywords],
) -> RunningGame:
    """Return the game that a request tells, with who joins it; the arguments are those of :func:`late`."""
    check_limits(pool)
    if not isinstance(players, BalanceRequest):
        players, keywords = _as_it_runs(players, keywords)
    if isinstance(join, Player):
        _check_fields(players)
        players, join = replace(players, players=(*players.players, join)), join.id
    request = BalanceRequest.of(players, **keywords)
    _check_fields(request)
    find = request.roster.find
    places: list[int | None] = [
        player.team_now if player.team is None else player.team for player in request.players
    ]
    for who, team in request.fixed:
        places[find("fixed", who)] = team
    seat = _joining(request, places, join)
    wanted = None
    if seat is not None:
        newcomer = request.players[seat]
        wanted = {find("fixed", who): team for who, team in request.fixed}.get(seat, newcomer.team)
        places[seat] = None
    everyone = _rated(request, places, seat)
    playing = [player for player in everyone if player.team is not None]
    if not playing:
        msg = ": nobody is in a team; in a running game everyone is, except the player who joins"
        raise InputError(msg, "players")
    centre = sum(_weight(player) for player in playing) / len(playing)
    sums, bots = team_sums(playing, request.teams, centre)
    known = [player for player in everyone if player.bot]
    if pool is None and any(player.team is None for player in known):
        pool = len(known)
    allowed = tuple(range(request.teams)) if seat is None else _allowed_teams(request, places, seat, wanted)
    joins = None if seat is None else everyone[seat]
    filling = _filling(request.bots, known)
    return RunningGame(request, joins, sums, bots, centre, filling, pool, allowed, tuple(playing))


def _as_it_runs(players: Players, keywords: Keywords) -> tuple[BalanceRequest, Keywords]:
    """Return who is asked about, and what, with what a running game has by default."""
    scale = {name: keywords[name] for name in ("beta", "zero", "body") if name in keywords}
    asked = BalanceRequest.of(players, teams=MOST_TEAMS, **cast("Any", scale))
    teams = [team for player in asked.players for team in (player.team, player.team_now) if team is not None]
    default: Keywords = {"objective": "win", "teams": max([2, *(1 + team for team in teams)])}
    return asked, {**default, **keywords}


def _check_fields(request: BalanceRequest) -> None:
    """Refuse fields that neither are used for late joiners nor are moot for them."""
    for name, (info, _) in asked_fields(request).items():
        if not {LATE, MOOT} & {*info.kept_by}:
            msg = "cannot be kept for a late joiner; leave it out"
            raise UnsupportedError(msg, name)
    for term in ("moves", "preferences"):
        if term in request.objective_names:
            msg = f": {term!r} says nothing of a late joiner"
            raise UnsupportedError(msg, "objective")


def _joining(request: BalanceRequest, places: list[int | None], join: str | None) -> int | None:
    """Return the place in the roster of who joins; None where everyone plays."""
    if join is not None:
        seat = request.roster.find("join", join)
    else:
        seats = [n for n, player in enumerate(request.players) if places[n] is None and not player.bot]
        if len(seats) > 1 and any(place is not None for place in places):
            wrong = f"{len(seats)} players have no team"
            msg = f": {wrong}; in a running game all have one, except the player who joins"
            raise InputError(msg, "players")
        if len(seats) != 1:
            return None
        seat = seats[0]
    who = request.players[seat]
    find = request.roster.find
    if any(seat in {find("preferences", name) for name in one.players} for one in request.all_preferences):
        msg = f": prices cannot be weighed for a late joiner, {who.label!r}; leave them out"
        raise UnsupportedError(msg, "preferences")
    if request.side_price > 0 and who.side != NO_SIDE:
        msg = f": prices cannot be weighed for a late joiner, {who.label!r}; leave it out"
        raise UnsupportedError(msg, "side_price")
    return seat


def _rated(request: BalanceRequest, places: list[int | None], seat: int | None) -> list[Player]:
    """Return everyone with a rating and the team each is in."""
    for n, player in enumerate(request.players):
        plays = places[n] is not None or n == seat or player.bot
        if plays and player.rating is None and not player.roles and request.default is None:
            msg = f": {player.label!r} has no weight; everyone in a running game needs one"
            raise InputError(msg, "players")
    return [replace(player, team=place) for player, place in zip(request.roster.players, places, strict=True)]


def _weight(player: Player) -> float:
    return player.rating.mu if isinstance(player.rating, Rating) else 0.0


def _filling(bots: Bots | None, known: list[Player]) -> Bots | bool:
    """Return how bots fill up: those that are known say what one weighs, unless the request does."""
    if not known or (bots is not None and bots.weight is not None):
        return bots or False
    return replace(bots or Bots(), weight=sum(map(_weight, known)) / len(known))


def _allowed_teams(
    request: BalanceRequest, places: list[int | None], seat: int, wanted: int | None
) -> tuple[int, ...]:
    """Return the teams that the rules leave to the newcomer."""
    find, newcomer = request.roster.find, request.players[seat]

    def teams_of(seats: Iterable[int]) -> set[int]:
        return {team for n in seats if (team := places[n]) is not None}

    parties = [{find("parties", who) for who in party} for party in request.parties]
    if newcomer.party is not None:
        parties.append({n for n, one in enumerate(request.players) if one.party == newcomer.party})
    left = set(range(request.teams)) if wanted is None else {wanted}
    for party in parties:
        if seat in party and (teams := teams_of(party)):
            left &= teams
    for group in request.apart:
        if seat in (seats := {find("apart", who) for who in group}):
            left -= teams_of(seats)
    if left and (rows := request.further_rules):
        left = _least_broken(request, rows, places, seat, left)
    if not left:
        msg = f": parties, who is apart and fixed teams leave no team to {newcomer.label!r}"
        raise InputError(msg, "players")
    return tuple(sorted(left))


def _least_broken(
    request: BalanceRequest, rules: Sequence[Rule], places: list[int | None], seat: int, left: set[int]
) -> set[int]:
    """Return the teams in which the newcomer breaks rules of installed packages least."""
    n, find = len(request.players), request.roster.find
    rows = rows_of(rules, request.teams, range(n), n, find)
    teams = sorted(left)
    labels = np.array([[-1 if place is None else place for place in places]] * len(teams), dtype=np.int8)
    labels[:, seat] = teams
    if rows is None:
        return left
    excess = rows.excess(labels)
    return {team for team, beyond in zip(teams, excess.tolist(), strict=True) if beyond <= excess.min()}
