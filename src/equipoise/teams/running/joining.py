"""``late``: the team for someone who joins a running game, asked for by a :class:`BalanceRequest`.

What a request means for a running game is decided here; the arithmetic is in :mod:`.placing`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Unpack, cast

from equipoise.arrays import Floats
from equipoise.errors import InputError, UnsupportedError
from equipoise.players import NO_SIDE, Bots, Player, Rating
from equipoise.teams.keywords import Keywords, Players
from equipoise.teams.request import SIDE_WEIGHT, BalanceRequest
from equipoise.teams.running.placing import MAX_DIFFERENCE, Placement, check_limits, place_late
from equipoise.teams.running.sums import team_sums

#: Fields that a placement by sums cannot keep, with the value that asks for nothing.
_NOT_KEPT = {
    **dict.fromkeys(("sizes", "min_size", "max_size", "rerank", "tolerances", "tolerance")),
    "roles": (),
    "rules": (),
    "keep": 1,
    "spacing": 1,
    "side_weight": SIDE_WEIGHT,
}


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
    """

    request: BalanceRequest
    newcomer: Player | None
    sums: Floats
    bots: Floats
    centre: float
    filling: Bots | bool
    pool: int | None
    allowed: tuple[int, ...]

    @property
    def scale(self) -> dict[str, Any]:
        """The arguments of :func:`equipoise.advantage` and :func:`place_late` that say what weights mean."""
        asked = self.request
        return {"beta": asked.beta, "zero": asked.zero, "body": asked.body, "centre": self.centre}

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
        search has nothing to say here.

    Raises
    ------
    InputError
        As :func:`balance` and :func:`place_late`, or if it is not clear who joins.
    UnsupportedError
        If a field is given that cannot be kept; its ``argument`` is the field.

    Examples
    --------
    >>> now = [Player("Ann", 9, team=0), Player("Bob", 7, team=1), Player("Cid", 5)]
    >>> late(now, objective="win").team, late(now, objective="win", apart=[("Ann", "Cid")]).team
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
    if isinstance(join, Player):
        scale = {name: keywords[name] for name in ("beta", "zero", "body") if name in keywords}
        base = BalanceRequest.of(players, **cast("Keywords", scale))
        _check_fields(base)
        players, join = replace(base, players=(*base.players, join)), join.id
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
    allowed = tuple(range(request.teams)) if seat is None else _allowed(request, places, seat, wanted)
    joins = None if seat is None else everyone[seat]
    return RunningGame(request, joins, sums, bots, centre, _filling(request.bots, known), pool, allowed)


def _check_fields(request: BalanceRequest) -> None:
    """Refuse what sums over teams cannot keep."""
    asked = [name for name, nothing in _NOT_KEPT.items() if getattr(request, name) != nothing]
    if asked:
        msg = "cannot be kept for a late joiner; leave it out"
        raise UnsupportedError(msg, asked[0])
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


def _allowed(
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
    if not left:
        msg = f": parties, who is apart and fixed teams leave no team to {newcomer.label!r}"
        raise InputError(msg, "players")
    return tuple(sorted(left))
