"""Who is here, as an archive knows them: ids or names into players with ratings.

Past results from tables into an archive: whose names are whose.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from equipoise.archive.corrections import renamed
from equipoise.archive.standing import Standing
from equipoise.core.match import Match, Ruleset
from equipoise.core.plain_data import number
from equipoise.core.player import Player, Rating
from equipoise.errors import ALIKE, InputError, nearest
from equipoise.play.night import folded
from equipoise.ratings.model import answers, is_bot

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
    """

    players: tuple[Player, ...]
    beta: float | None
    strangers: tuple[str, ...]
    draws: float | None = None
    zero: float | None = None

    @property
    def units(self) -> dict[str, float]:
        """What is known of the units of these ratings, as keywords of ``balance``."""
        known = {"beta": self.beta, "zero": self.zero}
        return {name: number for name, number in known.items() if number is not None}


def rated(
    standing: Standing,
    players: Iterable[Player | str],
    ruleset: Ruleset | None = None,
    merged: Mapping[str, str] | None = None,
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
    find = Names(standing, merged or {})
    found: dict[str, Player] = {}
    strangers: list[str] = []
    ends: tuple[float, float] | None = None
    for one in players:
        player = Player(one) if isinstance(one, str) else one
        if isinstance(player.rating, Rating):
            ends = ends or _ends(standing, find.ids, ruleset)
            _check_unit(player, player.rating.mu, ends)
        known = find.id_of(player.id)
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
    return Here(tuple(found.values()), beta, tuple(strangers), draws, zero)


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


class Names:
    """Finds players by id or by the name last seen."""

    def __init__(self, standing: Standing, merged: Mapping[str, str]) -> None:
        self.ids = {player for player, _ in standing.games}
        self._merged = merged
        self._bots = standing.last_bots
        self._named: dict[str, list[str]] = {}
        for player, name in standing.names.items():
            if player in self.ids:
                self._named.setdefault(name, []).append(player)

    def id_of(self, player: str) -> str:
        """Return the id of a player, or what was given where nobody is called so.

        Raises
        ------
        InputError
            If several have the name.
        """
        player = self._merged.get(player, player)
        if player in self.ids:
            return player
        named = sorted(self._named.get(player, ()))
        people = [each for each in named if not is_bot(each)]
        if not people and player in self._bots:
            return self._bots[player]
        if len(named) > 1:
            msg = f"player: {player!r} is the name of several: {', '.join(named)}; give an id"
            raise InputError(msg)
        return named[0] if named else player


class Past:
    """Gives matches of tables the ids of known players.

    Parameters
    ----------
    id_of : callable
        From a name to the id of a known player, None for anyone else.
    everyone : mapping from str to str
        From every known name, folded, to how it is shown.
    """

    def __init__(self, id_of: Callable[[str], str | None], everyone: Mapping[str, str]) -> None:
        self._id_of = id_of
        self._everyone = dict(everyone)
        self._ids: dict[str, str] = {}
        #: Players nobody knew, in the order they are met.
        self.new: list[str] = []
        #: Those of them whose name is like another one, and that name.
        self.alike: dict[str, str] = {}

    def known(self, match: Match) -> Match:
        """Return a match of a table with the ids of known players.

        Raises
        ------
        InputError
            If one player is there under two spellings.
        """
        ids = {player: self._id(player) for player in match.roster}
        if len(set(ids.values())) < len(ids):
            twice = next(n for n in ids if list(ids.values()).count(ids[n]) > 1)
            msg = f"players: {twice!r} is there twice under two spellings"
            raise InputError(msg)
        names = tuple((each, player) for player, each in ids.items())
        return replace(renamed(match, ids), names=names)

    def _id(self, name: str) -> str:
        """Return the id of a player: that of a known one, or the first spelling of a new one."""
        key = folded(name)
        if key not in self._ids:
            known = self._id_of(name)
            if known is None:
                self.new.append(name)
                near = nearest(key, self._everyone, ALIKE)
                if near is not None:
                    self.alike[name] = self._everyone[near]
            self._everyone.setdefault(key, name)
            self._ids[key] = name if known is None else known
        return self._ids[key]
