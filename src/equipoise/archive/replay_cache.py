"""Matches that are replayed again and again, as columns: what a server that learns late results keeps.

A late result changes all that follows it, so that much of a history is learnt from once more for each.  What
takes long then is not the model: it is reading matches from the archive and packing them.  Here they stay
packed, in segments between places of the replay, and a late match is put among those of its segment.

Beside the segments stand states: what was known at some places of the replay, so that a late match is learnt
from the nearest one on.  What a match changes goes when it is put in; few are kept, as they are large.

Only models whose contests can be packed have this (:meth:`Filters.run_packed
<equipoise.ratings.models.gaussian_filter.model.Filters.run_packed>`), and the result is to the last bit that
of reading all matches again.  Whatever else changes the past makes the cache empty.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Any, NamedTuple

from equipoise.archive.derived_rows import BEGINNING, Both, Position
from equipoise.archive.standing import Known
from equipoise.core.match import Match
from equipoise.ratings.models.gaussian_filter.contest_columns import GENERAL, Packed, insert, pack
from equipoise.ratings.models.gaussian_filter.kernels import PLACE
from equipoise.ratings.side_advantage import Key, Row, SideAdvantages, SideColumns, columns_of

#: Matches up to which the newest segment grows.
GROWS = 2000  # effort

#: States that are kept at most, and entries of them all together: some 100 MB.
STATES, ENTRIES = 24, 300_000  # effort


@dataclass(slots=True)
class ReplaySegment:
    """Matches between two places of the replay.

    Parameters
    ----------
    end : (float, bytes)
        The place of the last of them.
    packed : Packed
        Their contests.
    ended, turns : array and list
        When each match ended, and its turn among those that ended then.
    contests : array
        How many contests each match has.
    maps : list
        Where each match was played.
    named, entries, pairs : array, array and dict
        How many names each match has, which these are, and the place of each player with a name among all.
    known : Known, optional
        What follows from these matches alone, once it is asked for.
    sided : SideColumns, optional
        The contests as what sides are worth is learnt from them, once it is asked for.
    """

    end: Position
    packed: Packed
    ended: array[float] = field(default_factory=lambda: array("d"))
    turns: list[bytes] = field(default_factory=list)
    contests: array[int] = field(default_factory=lambda: array("I"))
    maps: list[str] = field(default_factory=list)
    named: array[int] = field(default_factory=lambda: array("I"))
    entries: array[int] = field(default_factory=lambda: array("I"))
    pairs: dict[tuple[str, str], int] = field(default_factory=dict)
    known: Known | None = None
    sided: SideColumns | None = None

    def __len__(self) -> int:
        return len(self.ended)

    @classmethod
    def of(cls, matches: Sequence[Match], positions: Sequence[Position]) -> ReplaySegment:
        """Return the segment of matches in replay order, with the place of each."""
        segment = cls(positions[-1], pack([each for match in matches for each in match.contests]))
        segment._note(len(segment), matches, positions)
        return segment

    def _note(self, at: int, matches: Sequence[Match], positions: Sequence[Position]) -> None:
        """Note what is known of matches that stand before the one with a number."""
        names = [
            [self.pairs.setdefault(entry, len(self.pairs)) for entry in dict.fromkeys(match.names)]
            for match in matches
        ]
        first = sum(self.named[:at])
        self.entries[first:first] = array("I", chain.from_iterable(names))
        self.named[at:at] = array("I", map(len, names))
        self.contests[at:at] = array("I", (len(match.contests) for match in matches))
        self.ended[at:at] = array("d", (match.ended or 0.0 for match in matches))
        self.turns[at:at] = [turn for _, turn in positions]
        self.maps[at:at] = [match.map for match in matches]
        self.known = self.sided = None

    def insert(self, match: Match, position: Position) -> None:
        """Put a match in its place."""
        ended, turn = position
        first, last = bisect_left(self.ended, ended), bisect_right(self.ended, ended)
        at = bisect_left(self.turns, turn, first, last)
        insert(self.packed, sum(self.contests[:at]), match.contests)
        self._note(at, [match], [position])
        self.end = max(self.end, position)

    def after(self, known: Known) -> Known:
        """Return what is known after these matches too."""
        if self.known is None:
            self.known = self._alone()
        return known.joined(self.known)

    def sides(self, known: Mapping[Key, Row], chances: Sequence[float]) -> Mapping[Key, Row]:
        """Return what sides are worth after these matches, from the chance of each team of each contest."""
        learnt = SideAdvantages(dict(known))
        if self.sided is None:
            packed = self.packed
            rulesets, firsts, rank = list(packed.rulesets), packed.first_team, packed.rank
            places = chain.from_iterable(map(repeat, self.maps, self.contests))
            self.sided = columns_of(
                (first, rulesets[which], rank[first:end], place, weight)
                for place, which, first, end, weight in zip(
                    places, packed.which, firsts, firsts[1:], packed.weight, strict=False
                )
            )
        learnt.learn_columns(self.sided, chances)
        return learnt.rows

    def _alone(self) -> Known:
        """Return what is known after these matches alone, as :meth:`Known.after` tells it."""
        packed, pairs = self.packed, list(self.pairs)
        players = {place: player for (player, part), place in packed.keys.items() if part == GENERAL}
        rulesets = list(packed.rulesets)
        names: dict[Any, tuple[float, ...]] = {}
        games: dict[tuple[int, int], list[float]] = {}  # by places: people and rulesets take long to look up
        entry, contest, ordinal = 0, 0, 0.0
        for ended, named, contests in zip(self.ended, self.named, self.contests, strict=True):
            ordinal += 1.0
            for each in self.entries[entry : entry + named]:
                first, _, times, _ = names.get(pairs[each], (ended, ended, 0.0, 0.0))
                names[pairs[each]] = (first, ended, times + 1.0, ordinal)
            entry += named
            for one in range(contest, contest + contests):
                start, end = (packed.first_member[packed.first_team[n]] for n in (one, one + 1))
                which = packed.which[one]
                for place in packed.places[PLACE * start : PLACE * end : PLACE]:
                    counted = games.get((place, which))
                    if counted is None:
                        games[place, which] = [1.0, 1.0, ordinal]
                    else:
                        counted[0] += counted[2] < ordinal
                        counted[1] += 1.0
                        counted[2] = ordinal
            contest += contests
        played = {(players[place], rulesets[which]): tuple(each) for (place, which), each in games.items()}
        return Known(names, played, (ordinal,))


class Remembered(NamedTuple):
    """What was known at a place of the replay, and how many matches had come before it."""

    position: Position
    both: Both

    @property
    def matches(self) -> float:
        """How many matches are learnt."""
        return self.both.known.counted[0]

    def __len__(self) -> int:
        known = self.both.known
        return 2 * len(known.games) + len(known.names) + 1


class ReplayCache:
    """Segments of a history, each under the place that it follows, and what was known at some places."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Let go of everything."""
        self._starts: list[Position] = []
        self._segments: dict[Position, ReplaySegment] = {}
        self._states: list[Remembered] = []
        #: The place up to which states were made before they are needed, and what is known there, nothing at
        #: the beginning; None once that is done, or something late came: then they are made as it is learnt.
        self.ahead: tuple[Position, Both | None] | None = (BEGINNING, None)
        #: The revision of the archive that this is of, what it rests on, and the newest checkpoint there was:
        #: whoever learns from another past lets go of that.
        self.revision = 0
        self.rests_on: object = None
        self.newest = 0

    def __len__(self) -> int:
        return len(self._starts)

    def at(self, position: Position) -> ReplaySegment | None:
        """Return the segment that follows a place."""
        return self._segments.get(position)

    def until(self, position: Position) -> Position | None:
        """Return the next place after one that a segment follows, None where there is none."""
        n = bisect_right(self._starts, position)
        return self._starts[n] if n < len(self._starts) else None

    def put(self, position: Position, segment: ReplaySegment) -> None:
        """Keep a segment; those that overlap with it go."""
        first, last = (bisect_left(self._starts, each) for each in (position, segment.end))
        for start in self._starts[first:last]:
            del self._segments[start]
        before = first - 1
        if before >= 0 and self._segments[self._starts[before]].end > position:
            del self._segments[self._starts[before]]
        self._segments[position] = segment
        self._starts = sorted(self._segments)

    def remember(self, position: Position, both: Both) -> None:
        """Keep what is known at a place, and let go of what is nearest to others where that is too much."""
        states = [each for each in self._states if each.position != position]
        self._states = sorted([*states, Remembered(position, both)], key=lambda each: each.position)
        while len(self._states) > STATES or (len(self._states) > 1 and sum(map(len, self._states)) > ENTRIES):
            del self._states[self._least()]

    def _least(self) -> int:
        """Return which state is to go: that without which the fewest matches are learnt from once more."""
        states = self._states
        ends = [each.matches for each in states]
        ends.append(max(ends[-1], float(sum(map(len, self._segments.values())))) + 1.0)
        costs = [
            (ends[n] - (ends[n - 1] if n else 0.0) + 1.0) * (ends[n + 1] - ends[n] + 1.0)
            for n in range(len(states))
        ]
        return min(range(len(states)), key=costs.__getitem__)

    def remembered(self, position: Position) -> Remembered | None:
        """Return what was known at the last place before one, None where nothing is remembered."""
        return next((each for each in reversed(self._states) if each.position < position), None)

    def insert(self, matches: Iterable[tuple[Position, Match]]) -> None:
        """Put new matches into the segments that they belong to; others are read when they are needed."""
        several = sorted(matches, key=lambda each: each[0])
        if several:
            self._states = [each for each in self._states if each.position < several[0][0]]
            if self.ahead is not None and several[0][0] < self.ahead[0]:
                self.ahead = None
        for position, match in several:
            n = bisect_left(self._starts, position) - 1
            if n < 0:
                continue
            segment = self._segments[self._starts[n]]
            if position <= segment.end or (n == len(self._starts) - 1 and len(segment) < GROWS):
                segment.insert(match, position)
