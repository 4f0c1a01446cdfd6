"""What is known at one moment: ratings, rulesets and the games' tables, as one value that never changes.

A newer snapshot takes the place of an older one as a whole; where they come from is not known here.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from equipoise.core.match import Ruleset
from equipoise.core.player import BOT, Member, Rating, is_bot
from equipoise.core.sides import EVEN_SIDES, SIDES
from equipoise.errors import InputError
from equipoise.identity.forgetting import NONE_GONE, Tombstones
from equipoise.identity.merges import NAMED
from equipoise.identity.roster_lookup import RosterLookup
from equipoise.ratings.display_scale import mean_bot
from equipoise.ratings.model import RatingModel, State, general_state, meant_ruleset
from equipoise.service.weights.messages import Setting


class AmbiguousGameError(InputError):
    """A setting names no game, and it is not known which one is meant."""


class RatingTable(Protocol):
    """The part of a game's table that is needed here; see :class:`equipoise.core.rulesets.GameRules`."""

    @property
    def game(self) -> str:
        """The game's name in a ruleset."""

    def ruleset(self, game_type: str, mutators: Iterable[str] = ()) -> Ruleset:
        """Return what a rating is valid for."""


def nearest(ruleset: Ruleset, known: Iterable[Ruleset]) -> Ruleset:
    """Return the known ruleset that is closest to one, which is itself where it is known.

    That is one of the same game and type with as many of its mutators as possible and no other; else the game
    type as such; else the general ruleset.

    Examples
    --------
    >>> known = [Ruleset("oa", "ctf"), Ruleset("oa", "ctf", ("instagib",))]
    >>> nearest(Ruleset("oa", "ctf", ("instagib", "lowgrav")), known).mutators
    ('instagib',)
    >>> nearest(Ruleset("oa", "ctf", ("vampire",)), known).mutators, nearest(Ruleset("oa", "ffa"), known).game
    ((), '')
    """
    alike = [one for one in known if (one.game, one.game_type) == (ruleset.game, ruleset.game_type)]
    if not alike:
        return Ruleset()
    inside = [one for one in alike if set(one.mutators) <= set(ruleset.mutators)]
    bare = Ruleset(ruleset.game, ruleset.game_type)
    return min([*inside, bare], key=lambda one: (-len(one.mutators), one.mutators))


@dataclass(frozen=True, eq=False)
class Ratings:
    """Who is known, and how strong.

    Parameters
    ----------
    model : RatingModel
        What made the ratings.
    state : State
        What it knows.
    bots : mapping of str to str
        From a bot's name to its id at the level it was last seen with.
    known : mapping, optional
        Everyone who has played, in order of first appearance; by default the model is asked.
    lookup : RosterLookup, optional
        What finds them by name; by default they have none but those in their ids.
    """

    model: RatingModel
    state: State
    bots: Mapping[str, str] = field(default_factory=dict)
    known: Mapping[str, None] = field(default_factory=dict)
    lookup: RosterLookup | None = None

    def __post_init__(self) -> None:
        if not self.known:
            object.__setattr__(self, "known", dict.fromkeys(self.model.players(self.state)))
        if self.lookup is None:
            named = ((player, player.removeprefix(NAMED), -math.inf) for player in self.known)
            object.__setattr__(self, "lookup", RosterLookup(named))

    def player(self, named: str) -> str | None:
        """Return the id of who is meant, None for nobody known.

        Raises
        ------
        AmbiguousNameError
            If several people are called so.
        """
        if named in self.known:
            return named
        found = None if self.lookup is None else self.lookup.id_of(named, time.time())
        return found if found is None or not is_bot(found) else None

    def someone(self, named: str, *, names: bool = True) -> str | None:
        """Return the same where nobody new can be meant, as :meth:`RosterLookup.known` does."""
        if named in self.known or self.lookup is None:
            return self.player(named)
        found = self.lookup.known(named, time.time(), names=names)
        return found if found is None or not is_bot(found) else None

    def lasts(self, named: str) -> bool:
        """Tell whether the same one is meant for as long as this is what is known: it turns on no date."""
        return self.lookup is None or self.lookup.lasts(named)

    def bot(self, named: str) -> str | None:
        """Return the id of a bot by its name, None where it was never seen."""
        return found if (found := self.bots.get(named)) in self.known else None

    def id(self, member: Member) -> str:
        """Return the id of a member of a game; of a bot never seen, one of no known level."""
        if member.bot:
            return self.bot(member.name) or f"{BOT}{member.name}:?"
        return self.player(member.name) or member.name

    def rating(self, member: Member, ruleset: Ruleset) -> Rating:
        """Return what is known of a member: of a bot never seen, that it is like the mean bot."""
        rating = self.model.rating(self.state, self.id(member), ruleset)
        if member.bot and self.bot(member.name) is None:
            return Rating(mean_bot(self.model, self.state, ruleset)[0], rating.sigma)
        return rating

    @property
    def beta(self) -> float | None:
        """The performance noise of the model, in units of its skills; None where it has none."""
        return getattr(self.model, "beta", None)

    @property
    def zero(self) -> float | None:
        """The skill that adds nothing to a team; None where the model does not learn what a body is worth."""
        return getattr(self.model, "zero", None)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Everything that answers are computed from.

    Parameters
    ----------
    ratings : Ratings
        Who is known, and how strong.
    rulesets : sequence of Ruleset
        Those that were played.
    tables : mapping of str to RatingTable
        The tables of game types and mutators by game.
    game : str, optional
        What a setting means that names no game; by default the only one of the rulesets, and none where
        there are several.
    revision : int
        The number of this snapshot; a newer one has a higher number.
    names : mapping of str to str
        From each id to the name last seen.
    mean_bots : mapping
        The mean skill of bots and their number for rulesets in which it was computed before.
    games : mapping
        From a player's id and a ruleset to the number of matches.
    sides : mapping
        The chance of the first of two equal teams, for rulesets in which one side is better.
    forgotten, merged : int
        How often ids were forgotten, and how many count as another one.
    tombstones : Tombstones
        What tells who is forgotten.
    """

    ratings: Ratings
    rulesets: Sequence[Ruleset] = ()
    tables: Mapping[str, RatingTable] = field(default_factory=dict)
    game: str | None = None
    revision: int = 0
    names: Mapping[str, str] = field(default_factory=dict)
    mean_bots: Mapping[Ruleset, tuple[float, int]] = field(default_factory=dict)
    games: Mapping[tuple[str, Ruleset], int] = field(default_factory=dict)
    sides: Mapping[Ruleset, float] = field(default_factory=dict)
    forgotten: int = 0
    merged: int = 0
    tombstones: Tombstones = NONE_GONE

    def __post_init__(self) -> None:
        if len(self.rulesets) > 1:  # of a single one an answer is, where nothing is named
            model, state = self.ratings.model, self.ratings.state
            general = general_state(model, state, self.rulesets)
            object.__setattr__(self, "ratings", replace(self.ratings, state=general))
        if self.game is None:
            games = {ruleset.game for ruleset in self.rulesets if ruleset.game}
            object.__setattr__(self, "game", games.pop() if len(games) == 1 else None if games else "")

    def side_chance(self, ruleset: Ruleset, teams: int) -> float:
        """Return the chance of the first of two equal teams in a ruleset, even of more teams."""
        return self.sides.get(ruleset, EVEN_SIDES) if teams == SIDES else EVEN_SIDES

    def knows(self, game: str) -> bool:
        """Tell whether a game has been played, or is one whose logs can be read."""
        played = {ruleset.game for ruleset in self.rulesets}
        return game.lower() in played | set(self.tables)

    def played(self, setting: Setting) -> Ruleset:
        """Return what is played in a setting by the table of its game, known or not.

        A setting that names nothing is of the only ruleset that was played, or else of skill in general.

        Raises
        ------
        AmbiguousGameError
            If it names no game, and several are known.
        """
        if not setting.game_type:
            return meant_ruleset(self.ratings.model, self.ratings.state)
        named, slash, game_type = setting.game_type.partition("/")
        game = named.lower() if slash else self.game
        if game is None:
            msg = f"game: {setting.game_type!r} names no game, and several are known"
            raise AmbiguousGameError(msg)
        game_type = game_type if slash else named
        table = self.tables.get(game)
        if table is not None:
            return table.ruleset(game_type, setting.mutators)
        return Ruleset(game, game_type.lower(), tuple(mutator.lower() for mutator in setting.mutators))

    def rated(self, setting: Setting) -> Ruleset:
        """Return the known ruleset whose ratings hold in a setting.

        Raises
        ------
        AmbiguousGameError
            If the setting names no game, and several are known.
        """
        return nearest(self.played(setting), self.rulesets)
