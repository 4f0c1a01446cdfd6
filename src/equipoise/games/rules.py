"""Tables of game types and mutators: which names mean the same, and which mutators change play."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from equipoise.types import Ruleset


@dataclass(frozen=True, slots=True)
class Rules:
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

    Examples
    --------
    >>> rules = Rules("ut2004", {"xgame.xctfgame": "ctf"}, frozenset({"anticheat"}), frozenset({"instagib"}))
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

    def game_type(self, name: str) -> str:
        """Return the canonical name of a game type; any other stands for itself, in lower case."""
        return self.game_types.get(name.lower(), name.lower())

    def mutator(self, name: str) -> str:
        """Return the spelling of a mutator that is kept."""
        return self.aliases.get(name.lower(), name.lower())

    def ruleset(self, game_type: str, mutators: Iterable[str] = ()) -> Ruleset:
        """Return what a rating is valid for: the game type and those mutators that change play."""
        kept = (self.mutator(name) for name in mutators)
        return Ruleset(
            self.game, self.game_type(game_type), tuple(name for name in kept if name not in self.cosmetic)
        )

    def unknown(self, mutators: Iterable[str]) -> list[str]:
        """Return those mutators that are in no set of the table; they count as changing play."""
        kept = {self.mutator(name) for name in mutators}
        return sorted(kept - self.cosmetic - self.gameplay)
