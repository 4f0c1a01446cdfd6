"""People who are forgotten, in what is kept as plain data: events, messages to be sent, logs of steps.

Matches have their own way (:func:`equipoise.identity.merges.anonymous`); here nothing is known of a record
but that ids and names are whole texts in it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.core.player import BOT
from equipoise.identity.names import bare

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
