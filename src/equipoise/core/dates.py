"""Dates: of games whose log has none, and those ahead of this machine's clock.

Replay order is the order of dates, so each game whose log has none gets one: that of its source, plus a time
that grows with its place in the source and is too short to matter otherwise.
Sources of one date go by a hash of their first game, so that it does not matter which was read first.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

from equipoise.core.match import Match, moved

#: Seconds from one game of a source to the next: some steps of a floating point number of this size.
STEP = 2.0**-20

#: Seconds by which something may be dated ahead of this machine's clock: what the clocks of a network differ
#: by.  A match that is further ahead is refused, since every later one would come late beside it.
SKEW = 120.0

#: Seconds within which the hash of its first game places a source.
SPREAD = 2.0**-10


class Dating:
    """Gives dates to the games of one source.

    Parameters
    ----------
    date : float
        When the source is taken to have ended; it may be moved on while the source is read.
    offset : float, optional
        What its first game adds to it, where that was read before.
    given : int
        How many games were given dates before.
    """

    def __init__(self, date: float, offset: float | None = None, steps: int = 0) -> None:
        self.date = date
        self.offset = offset
        self.steps = steps
        #: The last date in the log itself, which is better known than that of the source.
        self._last: float | None = None

    def dated(self, match: Match) -> Match:
        """Return a match with a date; one that has its own as it is."""
        if match.dated:
            self._last = match.ended
            return match
        if self.offset is None:
            self.offset = _offset(match.id)
        date = self.date if self._last is None else self._last
        ended = date + self.offset + STEP * self.steps
        self.steps += 1
        # Clocks of logs may run faster than time, so that within a game nothing is before the last game.
        contests = tuple(replace(contest, at=match.ended or 0.0) for contest in match.contests)
        return moved(replace(match, contests=contests), ended)


def _offset(match_id: str) -> float:
    """Return where within :data:`SPREAD` the hash of an id stands."""
    number = int.from_bytes(hashlib.sha256(match_id.encode("utf-8", "surrogatepass")).digest()[:4], "big")
    return SPREAD * number / 2**32


def ahead(moment: float, now: float) -> str:
    """Return what is wrong with a moment in the past, seconds since 1970: empty unless it is to come.

    Parameters
    ----------
    moment, now : float
        The moment and the time of this machine; it may be up to :data:`SKEW` later.

    Examples
    --------
    >>> ahead(1e9 + 60.0, 1e9), ahead(1e9 + 600.0, 1e9)
    ('', "dated 10 minutes ahead of this machine's clock")
    """
    if moment - now <= SKEW:
        return ""
    return f"dated {(moment - now) / 60.0:,.0f} minutes ahead of this machine's clock"
