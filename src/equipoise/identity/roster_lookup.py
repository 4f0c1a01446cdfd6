"""Who is meant: ids and names as people type them, and names of past results, to the ids of known players."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from equipoise.core.match import Match
from equipoise.core.player import is_bot
from equipoise.errors import ALIKE, InputError, nearest
from equipoise.identity.merges import renamed
from equipoise.identity.names import folded


class Names:
    """Finds players by id or by the name last seen.

    Parameters
    ----------
    ids : collection of str
        Everyone who has played.
    names : mapping from str to str
        The name last seen of each id.
    bots : mapping from str to str
        The id of each bot by its name, of the game last played.
    merged : mapping from str to str
        From merged ids to those they count as.
    """

    def __init__(
        self,
        ids: Collection[str],
        names: Mapping[str, str],
        bots: Mapping[str, str],
        merged: Mapping[str, str],
    ) -> None:
        self.ids = frozenset(ids)
        self._merged = merged
        self._bots = bots
        self._named: dict[str, list[str]] = {}
        for player, name in names.items():
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
