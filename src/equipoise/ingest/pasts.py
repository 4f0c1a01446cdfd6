"""Past results from tables into an archive: whose names are whose, what counts once, and when it was."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from equipoise.archive.corrections import renamed
from equipoise.errors import ALIKE, InputError, nearest
from equipoise.matches import Match, Skipped, moved
from equipoise.pickup.night import folded


class Past:
    """Gives matches of tables the ids of known players, and ids of their own by which each counts once.

    A match keeps the id of its table, with its date, as people count from 1 every season; without one its
    content is its id.  Matches of one time were played in the order of the table: they are a second apart, so
    that two rows that say the same are two games.

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
        self._at: Counter[float] = Counter()
        #: Players nobody knew, in the order they are met.
        self.new: list[str] = []
        #: Those of them whose name is like another one, and that name.
        self.alike: dict[str, str] = {}

    def known(self, parsed: Iterable[Match | Skipped]) -> Iterator[Match | Skipped]:
        """Go through what came out of a table, with other ids."""
        for number, one in enumerate(parsed, start=1):
            if isinstance(one, Skipped):
                yield one
                continue
            try:
                yield self._settled(one)
            except InputError as error:
                yield Skipped(f"match {number} of the table", str(error))

    def _settled(self, match: Match) -> Match:
        ids = {player: self._id(player) for player in match.roster}
        if len(set(ids.values())) < len(ids):
            twice = next(n for n in ids if list(ids.values()).count(ids[n]) > 1)
            msg = f"players: {twice!r} is there twice under two spellings"
            raise InputError(msg)
        names = tuple((each, player) for player, each in ids.items())
        ended = match.ended or 0.0
        later = ended + self._at[ended]
        self._at[ended] += 1
        settled = moved(replace(renamed(match, ids), names=names), later)
        content = replace(settled, id="").id
        own_id = content[:16] if match.id == replace(match, id="").id else match.id
        date = time.strftime("%Y-%m-%d", time.gmtime(ended))
        return replace(settled, id=f"results-{date}-{own_id}")

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
