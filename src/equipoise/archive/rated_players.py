"""Players who are here now with the ratings that an archive has of them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from equipoise.archive.standing import LAST, Standing
from equipoise.core.match import Ruleset
from equipoise.core.plain_data import number
from equipoise.core.player import Player, Rating, is_bot
from equipoise.core.sides import EVEN_SIDES
from equipoise.errors import InputError
from equipoise.identity.merges import NAMED
from equipoise.identity.roster_lookup import AmbiguousNameError, RosterLookup
from equipoise.ratings.display_scale import Scale, scale_of
from equipoise.ratings.model import answers

#: How many times the spread of all ratings a weight beside them may be above the highest or below the lowest.
FAR = 10.0


@dataclass(frozen=True, slots=True)
class Here:
    """Players with what an archive knows of them.

    Parameters
    ----------
    players : tuple of Player
        With the ids and ratings of the archive; one who had a rating already keeps it.
    beta : float or None
        The performance noise of one player in the units of these ratings, where the model has one.
    strangers : tuple of str
        Those who have not played, and have the rating that the model assumes of such a player.
    draws : float or None
        How often even teams draw for each time one of them wins, where the model knows.
    zero : float or None
        The rating of a player whose presence makes no difference, where the model's scale has one.
    side_chance : float
        The chance of the first of two equal teams, for its side; 0.5 where no side is known to be better.
    scale : Scale or None
        How these ratings are shown to people, where they are an archive's.
    """

    players: tuple[Player, ...]
    beta: float | None
    strangers: tuple[str, ...]
    draws: float | None = None
    zero: float | None = None
    side_chance: float = EVEN_SIDES
    scale: Scale | None = None

    @property
    def units(self) -> dict[str, float]:
        """What is known of the units of these ratings and of sides, as keywords of ``balance``.

        What a side is worth is for two teams: :func:`equipoise.play.proposals.units_of_teams`.
        """
        known = {
            "beta": self.beta, "zero": self.zero,
            "side_chance": None if self.side_chance == EVEN_SIDES else self.side_chance,
        }  # fmt: skip
        return {name: number for name, number in known.items() if number is not None}


def weights_of(
    standing: Standing, players: Iterable[str], ruleset: Ruleset | None, merged: Mapping[str, str]
) -> dict[str, float]:
    """Return what players weigh in a ruleset, 0 to 100, or over all.

    Parameters
    ----------
    standing : Standing
        What the archive knows.
    players : iterable of str
        Ids; who has not played weighs what the model assumes of such a player.
    ruleset : Ruleset or None
        What is played; None for skill in general.
    merged : mapping of str to str
        From merged ids to those they count as.
    """
    scale = scale_of(standing.model, standing.state, ruleset)
    rating = partial(standing.model.rating, standing.state)
    return {player: float(scale.shown(rating(merged.get(player, player), ruleset).mu)) for player in players}


def rated(
    standing: Standing,
    players: Iterable[Player | str],
    ruleset: Ruleset | None = None,
    merged: Mapping[str, str] | None = None,
    now: float | None = None,
    *,
    by_name: bool = True,
    at_map: str = "",
) -> Here:
    """Return players with the ratings that an archive has of them.

    Parameters
    ----------
    standing : Standing
        What the archive knows; see :meth:`equipoise.archive.archive.Archive.standing`.
    players : iterable of Player or str
        Ids, or names last seen.
    ruleset : Ruleset, optional
        What is being played; by default skill in general.
    merged : mapping of str to str, optional
        From merged ids to those they count as; see :meth:`equipoise.archive.archive.Archive.merged`.
    now : float, optional
        The time, seconds since 1970, by default the present: a name is first looked for among those seen in
        the last 90 days.
    by_name : bool
        Whether names stand for those who bear them; otherwise players are ids, and whoever has none of those
        that are known is new, whatever they are called.
    at_map : str
        Where it is played, where that is known: sides may be worth more there.

    Raises
    ------
    InputError
        If a name is that of several, somebody is there twice, or a weight is far from the archive's ratings.

    Examples
    --------
    >>> from equipoise.archive.standing import Known
    >>> from equipoise.ratings.models.elo import Elo
    >>> standing = Standing(Elo(), {}, 0, True, Known(), {}, {}, ())
    >>> here = rated(standing, ["ann"])
    >>> here.players[0].rating.mu, here.strangers
    (1500.0, ('ann',))
    """
    find = people_of(standing, merged or {}, now)
    roots = merged or {}
    found: dict[str, Player] = {}
    strangers: list[str] = []
    ends: tuple[float, float] | None = None
    for one in players:
        player = Player(one) if isinstance(one, str) else one
        if isinstance(player.rating, Rating):
            ends = ends or _ends(standing, find.ids, ruleset)
            _check_unit(player, player.rating.mu, ends)
        named = find.id_of(player.id) if by_name else roots.get(player.id)
        known = named or player.id
        if known in found:
            msg = f"players: {player.id!r} and {found[known].label!r} are one player, {known!r}"
            raise InputError(msg)
        if player.rating is None:
            rating = standing.model.rating(standing.state, known, ruleset)
            if known not in find.ids:
                strangers.append(player.label)
            player = replace(player, rating=rating, bot=player.bot or is_bot(known))
        found[known] = replace(player, id=known, name=player.label)
    model: Any = standing.model
    draws = model.draw_factor(standing.state, ruleset) if "draw_chance" in answers(model) else None
    beta, zero = (getattr(model, name, None) for name in ("beta", "zero"))
    side = standing.side_chance(ruleset, at_map)
    scale = scale_of(model, standing.state, ruleset)
    return Here(tuple(found.values()), beta, tuple(strangers), draws, zero, side, scale)


def _ends(standing: Standing, ids: Collection[str], ruleset: Ruleset | None) -> tuple[float, float]:
    """Return the lowest and the highest rating of an archive, a newcomer's among them."""
    ratings = [standing.model.rating(standing.state, player, ruleset).mu for player in ("", *ids)]
    return min(ratings), max(ratings)


def _check_unit(player: Player, weight: float, ends: tuple[float, float]) -> None:
    """Refuse a weight that can hardly be in the unit of the ratings beside it."""
    low, high = ends
    far = FAR * (high - low)
    if far and not low - far <= weight <= high + far:
        msg = (
            f"{number(weight)} of {player.label!r} is far from the ratings of this archive, {number(low)} to "
            f"{number(high)}, beside which it stands in their unit; leave it empty to rate the player as new"
        )
        raise InputError(msg, "weight", player.id)


def people_of(
    standing: Standing,
    merged: Mapping[str, str],
    now: float | None = None,
    spelled: Mapping[str, str] | None = None,
    which: Callable[[AmbiguousNameError], str] | None = None,
    unseen: Iterable[str] = (),
) -> RosterLookup:
    """Return what finds the players of an archive by name.

    Parameters
    ----------
    standing : Standing
        What the archive knows.
    merged : mapping from str to str
        From merged ids to those they count as.
    now : float, optional
        The time, seconds since 1970, by default the present, from which names of the last 90 days go before
        older ones.
    spelled : mapping from str to str, optional
        How those who came to a night are written, by id: names that they bear now.
    which : callable, optional
        Answers which of several is meant; without it the question is raised.
    unseen : iterable of str
        Ids that are names too, of people who need not have played under them.
    """
    games = {player for player, _ in standing.games}
    names = [(player, name, numbers[LAST]) for (player, name), numbers in standing.known.names.items()]
    seen = [each for each in names if each[0] in games]
    named = {player for player, _, _ in seen}
    seen += [(player, player.removeprefix(NAMED), -math.inf) for player in games - named]
    own = [(merged.get(each, each), each.removeprefix(NAMED)) for each in unseen]
    seen = [(NAMED + one if NAMED + one in games else one, name, -math.inf) for one, name in own] + seen
    seen += [(merged.get(player, player), name, math.inf) for player, name in (spelled or {}).items()]
    asked = time.time() if now is None else now
    return RosterLookup(seen, merged, standing.last_bots, asked, which)
