"""Which rounds of a Counter-Strike match count: the score numbers them, and newer servers count them too.

The number of a round that was won is what the score comes to, so that one reported twice is one.  A server
that says how many rounds count (``RoundsPlayed``) is believed: warm-up and knife rounds go when it says none,
rounds after a state that was restored go when it says fewer, and a draw, which a restored state begins with,
counts only if it says one more.
"""

from __future__ import annotations

from equipoise.core.match import Contest

#: Rounds after which a restart is half-time rather than the end of a warm-up, where nobody counts.
HALF = 12


class CountedRounds:
    """The rounds of one match, as far as the log has come."""

    def __init__(self) -> None:
        #: Whether the server says how many rounds count.
        self.is_counted = False
        #: Rounds by their numbers; those of before a restart, until it is known if they are kept.
        self._kept: list[tuple[int, Contest | None]] = []
        self._aside: list[tuple[int, Contest | None]] = []
        #: A draw that the server has not counted yet.
        self._draw: tuple[int, Contest | None] | None = None
        #: The numbers of draws that count.
        self._draws: set[int] = set()
        self._is_reloaded = False
        self._score: tuple[int, int] | None = None

    @property
    def contests(self) -> list[Contest]:
        """The rounds that count, of those in which both sides had somebody."""
        return [contest for _, contest in self._kept if contest is not None]

    def restart(self) -> bool:
        """Restart; tell whether what came before is dropped: a half is not."""
        self._score = None
        if not self.is_counted and len(self._kept) >= HALF:
            return False
        self._aside = (self._kept or self._aside) if self.is_counted else []
        self._kept, self._draw, self._draws = [], None, set()
        return True

    def reload(self) -> None:
        """Take that an earlier state is restored: the draw that this makes is no round."""
        self._is_reloaded, self._draw = True, None

    def status(self, rounds: int) -> bool:
        """Take how many rounds count by the server's own word; tell whether some do not that did."""
        self.is_counted, self._is_reloaded = True, False
        before = self._kept or self._aside
        self._aside = []
        if self._draw is not None and rounds >= self._draw[0]:
            before = [*before, self._draw]
            self._draws.add(self._draw[0])
        self._draw = None
        self._kept = [each for each in before if each[0] <= rounds]
        self._draws = {number for number in self._draws if number <= rounds}
        if len(self._kept) == len(before):
            return False
        self._score = None
        return True

    def draws(self, contest: Contest | None) -> bool:
        """Take a draw; tell whether it may be a round."""
        if self._is_reloaded:
            return False
        draw = (self._kept[-1][0] + 1 if self._kept else 1, contest)
        if self.is_counted:
            self._draw = draw
        else:
            self._kept.append(draw)
            self._draws.add(draw[0])
        return True

    def wins(self, score: tuple[int, int], contest: Contest | None) -> bool:
        """Take a round that was won, and the score after it; tell whether it is one more."""
        number = sum(score) + len(self._draws)
        known = score == self._score or (self.is_counted and bool(self._kept) and number <= self._kept[-1][0])
        if known:
            return False
        self._kept.append((number, contest))
        self._score, self._aside, self._draw, self._is_reloaded = score, [], None, False
        return True
