"""People who are forgotten: what tells that somebody is, and what is kept as plain data without them.

Matches have their own way (:func:`equipoise.identity.merges.anonymous`); of events, messages to be sent and
logs of steps nothing is known here but that ids and names are whole texts in them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from equipoise.core.match import Match
from equipoise.core.player import BOT
from equipoise.identity.merges import anonymous, everyone, stand_in, tombstone, without_number
from equipoise.identity.names import bare, stem_of
from equipoise.identity.shared_ids import OF, base_of

#: Fields whose texts name no people.
NO_PEOPLE = frozenset(
    ("kind", "type", "game", "game_type", "ruleset", "mutators", "map", "status", "step", "what", "lobby",
     "choice", "objective", "solver", "region", "regions", "role", "roles", "mode")
)  # fmt: skip

#: Fields that hold the name of whoever the fields beside them identify, and those fields.
NAMES, IDS = ("name", "nick", "label"), ("id", "player", "who", "ticket")

#: How a member of a game is written in the weight protocol.
MEMBERS = ("PLAYER ",)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A person who is forgotten.

    Parameters
    ----------
    ids : mapping from str to str
        From each id the person had to what stands for it.
    names : collection of str
        Names, bare, that were this person's alone.
    stand_in : str
        What stands for a name.
    spelled : callable, optional
        Gives what stands for a name instead, each spelling by itself, where names may be ids: two that were
        told apart, as in two tickets of a queue, are two afterwards.

    Examples
    --------
    >>> gone = Forgotten({"a1": "anonymous:7"}, {"zoe"}, "anonymous:7")
    >>> gone.without({"teams": [["PLAYER a1", "Bob"], ["Zoë"]], "kind": "zoe"})
    {'teams': [['PLAYER anonymous:7', 'Bob'], ['anonymous:7']], 'kind': 'zoe'}
    >>> gone.without({"a1": {"id": "a1", "name": "Z"}})
    {'anonymous:7': {'id': 'anonymous:7', 'name': 'anonymous:7'}}
    >>> gone.without({"id": "b2", "name": "Zoe"})
    {'id': 'b2', 'name': 'Zoe'}
    """

    ids: Mapping[str, str]
    names: Collection[str]
    stand_in: str
    spelled: Callable[[str], str] | None = None

    def text(self, text: str) -> str:
        """Return a text, or what stands for it where it is an id or a name of the person."""
        if text in self.ids:
            return self.ids[text]
        for verb in MEMBERS:
            if text.startswith(verb):
                return verb + self.text(text.removeprefix(verb))
        if text.startswith(BOT):
            return text
        if not text or bare(text.removeprefix("~")) not in self.names:
            return text
        return self.stand_in if self.spelled is None else self.spelled(text)

    def without(self, plain: Any) -> Any:
        """Return plain data without the person."""
        if isinstance(plain, str):
            return self.text(plain)
        if isinstance(plain, list | tuple):
            return [self.without(each) for each in plain]
        if not isinstance(plain, Mapping):
            return plain
        given = [each for key in IDS if isinstance(each := plain.get(key), str) and each]
        theirs = any(each in self.ids for each in given)
        others = bool(given) and all(self.text(each) == each for each in given)
        found: dict[str, Any] = {}
        for key, value in plain.items():
            if key in NO_PEOPLE:
                found[key] = value
            elif theirs and key in NAMES and isinstance(value, str):
                found[key] = self.stand_in
            elif others and key in NAMES:
                found[key] = value  # somebody else who is called so
            else:
                found[self.ids.get(key, key)] = self.without(value)
        return found


def gone_in(match: Match, forgotten: Collection[str]) -> dict[str, str]:
    """Return from those ids of a match that are forgotten to the key of whom each is."""
    names = dict(match.names)
    gone: dict[str, str] = {}
    for each in everyone(match):
        base = base_of(each, names.get(each, ""))
        keys = (f"{base}{OF}{stem_of(names[each])}", each, base) if each in names else (each, base)
        key = next((key for key in keys if key in forgotten), None)
        if key is not None:
            gone[each] = each if key == base else key
    return gone


@dataclass(frozen=True, slots=True)
class Tombstones:
    """What tells of an archive who is forgotten there.

    Parameters
    ----------
    salt : bytes
        Of the archive.
    stones : frozenset of bytes
        The salted hashes of the ids that are forgotten.

    Examples
    --------
    >>> known = Tombstones(b"salt", frozenset((tombstone(b"salt", "a1"),)))
    >>> known.names(["a1", "a1#2", "b2"])
    {'a1': 'anonymous:399c72e45909171a', 'a1#2': 'anonymous:9d8c5904c2a119a1'}
    >>> known.instead("a1"), known.instead("b2")
    ('anonymous:399c72e45909171a', 'b2')
    """

    salt: bytes = b""
    stones: frozenset[bytes] = frozenset()

    def names(self, players: Iterable[str]) -> dict[str, str]:
        """Return what stands for those of some players who are forgotten, also for second ones with an id."""
        if not self.stones:
            return {}
        return {
            player: stand_in(tombstone(self.salt, player))
            for player in players
            if any(map(self._has, {player, without_number(player)}))
        }

    def instead(self, player: str) -> str:
        """Return what stands for a player who is forgotten; anybody else as they are."""
        return self.names((player,)).get(player, player)

    def without(self, match: Match) -> Match:
        """Return a match without those who are forgotten: what stands for them is in their place."""
        keys = self._keys_in(match)
        if not keys:
            return match
        shared = tuple(each for each in match.shared if each not in keys)
        return replace(anonymous(match, self._stand_ins(match, keys)), shared=shared)

    def in_match(self, match: Match) -> dict[str, str]:
        """Return from those ids of a match that are forgotten to what stands for each."""
        return self._stand_ins(match, self._keys_in(match))

    def _stand_ins(self, match: Match, keys: Collection[str]) -> dict[str, str]:
        return {each: stand_in(tombstone(self.salt, key)) for each, key in gone_in(match, keys).items()}

    def _keys_in(self, match: Match) -> set[str]:
        """Return the ids, and people of ids that several have, by which somebody in a match is forgotten."""
        if not self.stones:
            return set()
        names = dict(match.names)
        return {
            key
            for each in everyone(match)
            for base in (base_of(each, names.get(each, "")),)
            for key in (each, base, f"{base}{OF}{stem_of(names.get(each, ''))}")
            if self._has(key)
        }

    def _has(self, key: str) -> bool:
        return tombstone(self.salt, key) in self.stones


#: Where nobody is forgotten.
NONE_GONE = Tombstones()
