"""Tables of game types and mutators: which names mean the same, and which mutators change play."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from equipoise.core.match import Ruleset
from equipoise.errors import InputError

#: The ruleset of games of which nobody said what was played, and of skill in general.
GENERAL = "general"

#: What parts the game, its type and the mutators in the text of a ruleset, and what must be escaped in them.
_ESCAPED = re.compile(r"[%/+\s\x00-\x1f\x7f]")
_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


def ruleset_text(ruleset: Ruleset) -> str:
    """Return a ruleset as one word: ``game/type+mutator+mutator``.

    Slashes, plus signs, per cent signs, blanks and control characters within names are escaped as in web
    addresses.  Where nobody said what was played it is ``general``.

    Examples
    --------
    >>> ruleset_text(Ruleset("openarena", "tdm", ("g_rockets", "g_instantgib"))), ruleset_text(Ruleset())
    ('openarena/tdm+g_instantgib+g_rockets', 'general')
    """
    if ruleset == Ruleset():
        return GENERAL
    kind = f"{_escaped(ruleset.game)}/{_escaped(ruleset.game_type)}"
    return "+".join((kind, *(_escaped(name) for name in ruleset.mutators)))


def ruleset_from(text: str) -> Ruleset:
    """Return the ruleset that a text stands for.

    Raises
    ------
    InputError
        If it has no slash and is not ``general``.

    Examples
    --------
    >>> ruleset_from("openarena/tdm+g_instantgib")
    Ruleset(game='openarena', game_type='tdm', mutators=('g_instantgib',))
    """
    if text == GENERAL:
        return Ruleset()
    kind, *mutators = text.split("+")
    game, slash, game_type = kind.partition("/")
    if not slash or "/" in game_type:
        msg = f"must be game/type, game/type+mutator+mutator or {GENERAL}, got {text!r}"
        raise InputError(msg, "ruleset")
    return Ruleset(_plain(game), _plain(game_type), tuple(_plain(name) for name in mutators))


def _escaped(name: str) -> str:
    return _ESCAPED.sub(lambda sign: "".join(f"%{byte:02X}" for byte in sign[0].encode()), name)


def _plain(name: str) -> str:
    return _ESCAPES.sub(lambda run: bytes.fromhex(run[0].replace("%", "")).decode("utf-8", "replace"), name)


def unknown_mutators(tables: Iterable[GameRules], ruleset: Ruleset) -> list[str]:
    """Return those mutators of a ruleset that no table lists: they count as changing play, and are reported.

    Parameters
    ----------
    tables : iterable of GameRules
        Those of one family of games; the last one stands for games of the family without a table.
    ruleset : Ruleset
        Of one of its matches.

    Examples
    --------
    >>> table = GameRules("ut2004", gameplay=frozenset({"instagib"}))
    >>> unknown_mutators([table], table.ruleset("ctf", ["InstaGib", "Moonwalk"]))
    ['moonwalk']
    """
    known = list(tables)
    table = next((each for each in known if each.game == ruleset.game), known[-1] if known else None)
    return table.unknown(ruleset.mutators) if table else []


@dataclass(frozen=True, slots=True)
class GameRules:
    """The table of one game.

    Parameters
    ----------
    game : str
        Its name in a ruleset, in lower case.
    game_types : mapping of str to str
        From each of the game's own names, in lower case, to the canonical name (``ffa``, ``duel``, ``tdm``,
        ``ctf``, ``elimination``, ``ctf-elimination`` ...); a canonical name stands for itself.
    cosmetic : frozenset of str
        Mutators that do not change play (looks, administration, statistics), in lower case.
    gameplay : frozenset of str
        Mutators that are known to change play, in lower case; what is in neither set counts as one of them.
    aliases : mapping of str to str
        From another spelling of a mutator, in lower case, to the one that is kept.
    implied : mapping of str to str
        From each of the game's own names of a type that is a mutator too, in lower case, to that mutator.

    Examples
    --------
    >>> cosmetic, gameplay = frozenset({"anticheat"}), frozenset({"instagib"})
    >>> rules = GameRules("ut2004", {"xgame.xctfgame": "ctf"}, cosmetic, gameplay)
    >>> rules.ruleset("XGame.xCTFGame", ["AntiCheat", "Instagib"])
    Ruleset(game='ut2004', game_type='ctf', mutators=('instagib',))
    >>> rules.unknown(["AntiCheat", "Moonwalk"])
    ['moonwalk']
    """

    game: str
    game_types: Mapping[str, str] = field(default_factory=dict)
    cosmetic: frozenset[str] = frozenset()
    gameplay: frozenset[str] = frozenset()
    aliases: Mapping[str, str] = field(default_factory=dict)
    implied: Mapping[str, str] = field(default_factory=dict)

    def game_type(self, name: str) -> str:
        """Return the canonical name of a game type; any other stands for itself, in lower case."""
        return self.game_types.get(name.lower(), name.lower())

    def mutator(self, name: str) -> str:
        """Return the spelling of a mutator that is kept; of ``Package.Class`` it is the class that counts.

        Examples
        --------
        >>> GameRules("ut2004", aliases={"mutlowgrav": "lowgrav"}).mutator("XGame.MutLowGrav")
        'lowgrav'
        """
        name = name.lower()
        name = self.aliases.get(name, name).rpartition(".")[2] or name
        return self.aliases.get(name, name)

    def ruleset(self, game_type: str, mutators: Iterable[str] = ()) -> Ruleset:
        """Return what a rating is valid for: the game type and those mutators that change play."""
        implied = self.implied.get(game_type.lower())
        kept = [self.mutator(name) for name in (*mutators, *((implied,) if implied else ()))]
        return Ruleset(
            self.game, self.game_type(game_type), tuple(name for name in kept if name not in self.cosmetic)
        )

    def unknown(self, mutators: Iterable[str]) -> list[str]:
        """Return those mutators that are in no set of the table; they count as changing play."""
        kept = {self.mutator(name) for name in mutators}
        return sorted(kept - self.cosmetic - self.gameplay)
