"""A history as columns of numbers: what Gaussian filters learn from without a Match for each game.

A reader of files fills a :class:`Columns`; :func:`replay_columns` gives the state that
:func:`equipoise.replay` gives over the same matches, bit for bit.  Reading is not done here.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from equipoise.core.match import Match, Ruleset, settled_scores
from equipoise.core.player import is_bot
from equipoise.ratings.models.gaussian_filter.contest_columns import (
    DAY,
    Key,
    Packed,
    figures_of,
    levels,
    untyped,
)
from equipoise.ratings.models.gaussian_filter.kernels import LEVELS, PLACE, REPORT
from equipoise.ratings.models.gaussian_filter.model import Filters
from equipoise.ratings.models.gaussian_filter.state_columns import FilterState

#: Contests that are packed at a time: enough for speed, little beside the history itself.
STRIDE = 200_000

#: Columns with a number for each match, each contest, each team and each member of a team.
OF_MATCH = {"ended": "d", "contests": "I"}
OF_CONTEST = {"which": "I", "at": "d", "weight": "d", "reported": "I", "teams": "I"}
OF_TEAM = {"rank": "d", "score": "d", "size": "I"}
OF_MEMBER = {"player": "I", "share": "d", "figure": "d"}
KINDS = {**OF_MATCH, **OF_CONTEST, **OF_TEAM, **OF_MEMBER}


@dataclass(slots=True)
class Columns:
    """Contests as columns, in the order in which they were read or (see :meth:`arrange`) played.

    Parameters
    ----------
    players : dict
        The number of each player's id, in the order of first appearance.
    rulesets : dict
        The number of each ruleset.
    names : dict
        The display name of each player who has one, as read last.
    numbers : dict of array
        By the names in :data:`KINDS`: when each match ended and how many contests it has; of each contest its
        ruleset, time, weight, how many figures can be compared, and how many teams; of each team rank, score
        or nan, and how many players; of each member the player, the share, and the figure less the contest's
        mean, or nan.
    """

    players: dict[str, int] = field(default_factory=dict)
    rulesets: dict[Ruleset, int] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, Any] = field(
        default_factory=lambda: {name: array(kind) for name, kind in KINDS.items()}
    )

    def __len__(self) -> int:
        """Return how many matches there are."""
        return len(self.numbers["ended"])

    def extend(self, name: str, column: Any) -> None:
        """Append numbers to a column, of a NumPy array as they are."""
        kind = KINDS[name]
        if isinstance(column, np.ndarray):
            self.numbers[name].frombytes(column.astype("u4" if kind == "I" else "f8", copy=False).tobytes())
        else:
            self.numbers[name].extend(column)

    def add(self, match: Match) -> None:
        """Append a match."""
        self.names.update(match.names)
        self.extend("ended", (match.ended or 0.0,))
        self.extend("contests", (len(match.contests),))
        for contest in match.contests:
            figures = figures_of(contest) if contest.statistics else {}
            self.extend("which", (self.rulesets.setdefault(contest.ruleset, len(self.rulesets)),))
            self.extend("at", (contest.at,))
            self.extend("weight", (contest.weight,))
            self.extend("reported", (len(figures),))
            self.extend("teams", (len(contest.teams),))
            self.extend("rank", contest.ranks)
            scores = settled_scores(contest.ranks, contest.scores) if contest.scores else ()
            self.extend("score", scores or (np.nan,) * len(contest.teams))
            self.extend("size", map(len, contest.teams))
            for player, share in (member for team in contest.teams for member in team):
                self.extend("player", (self.players.setdefault(player, len(self.players)),))
                self.extend("share", (share,))
                self.extend("figure", (figures.get(player, np.nan),))

    def arrange(self, order: Any) -> None:
        """Leave the matches of an order, in it."""
        if len(order) == len(self) and bool((np.diff(order) == 1).all()):
            return
        contests = np.asarray(self.numbers["contests"])
        teams, sizes = np.asarray(self.numbers["teams"]), np.asarray(self.numbers["size"])
        of_contest = segments(contests, order)
        of_team = segments(teams, of_contest)
        of_member = segments(sizes, of_team)
        for group, kept in (
            (OF_MATCH, order), (OF_CONTEST, of_contest), (OF_TEAM, of_team), (OF_MEMBER, of_member),
        ):  # fmt: skip
            for name in group:
                self.numbers[name] = array(KINDS[name], np.asarray(self.numbers[name])[kept].tobytes())

    def tied_apart(self) -> Any:
        """Return the match of each contest where one of ranks and scores ties teams the other tells apart."""
        contest = np.repeat(np.arange(len(self.numbers["teams"])), np.asarray(self.numbers["teams"]))
        rank, score = np.asarray(self.numbers["rank"]), np.asarray(self.numbers["score"])
        order = np.lexsort((-score, rank, contest))
        contest, rank, score = contest[order], rank[order], score[order]
        pairs = (contest[1:] == contest[:-1]) & ~np.isnan(score[1:])
        apart = pairs & ((rank[1:] == rank[:-1]) != (score[1:] == score[:-1]))
        match = np.repeat(np.arange(len(self)), np.asarray(self.numbers["contests"]))
        return match[np.unique(contest[1:][apart])]

    def games(self) -> dict[str, int]:
        """Return how many contests each player has had."""
        counts = np.bincount(np.asarray(self.numbers["player"]), minlength=len(self.players)).tolist()
        return {player: count for player, count in zip(self.players, counts, strict=True) if count}

    def played(self) -> dict[Ruleset, int]:
        """Return how many contests each ruleset has had."""
        counts = np.bincount(np.asarray(self.numbers["which"]), minlength=len(self.rulesets)).tolist()
        return {ruleset: count for ruleset, count in zip(self.rulesets, counts, strict=True) if count}


def segments(sizes: Any, order: Any) -> Any:
    """Return where the entries of segments stand, in another order of the segments.

    Examples
    --------
    >>> segments(np.array([2, 1, 3]), np.array([2, 0])).tolist()
    [3, 4, 5, 0, 1]
    """
    sizes = sizes.astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    wanted = sizes[order]
    ends = np.cumsum(wanted)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts[order] - (ends - wanted), wanted) + np.arange(total)


def replay_columns(
    model: Filters, columns: Columns, progress: Callable[[float], None] | None = None
) -> FilterState:
    """Return what a model knows after the contests of columns, in the order in which they stand.

    Parameters
    ----------
    model : Filters
        The default model, or another of its kind.
    columns : Columns
        Arranged by time.
    progress : callable, optional
        Called now and then with how far it is, from 0 to 1.
    """
    state = model.initial()
    total = len(columns.numbers["at"])
    compiled = model.fast(total)
    view = _View(columns)
    for first in range(0, total, STRIDE):
        end = min(first + STRIDE, total)
        state, _, _ = model.play(state, view.packed(first, end), fast=compiled)
        if progress is not None:
            progress(end / total)
    return state


class _View:
    """Columns as NumPy sees them, with where the teams and members of each contest begin."""

    def __init__(self, columns: Columns) -> None:
        self._numbers = {name: np.asarray(column) for name, column in columns.numbers.items()}
        self._players, self._rulesets = list(columns.players), list(columns.rulesets)
        self._chains = [levels(ruleset) for ruleset in self._rulesets]
        self._depth = np.array([len(chain) for chain in self._chains], dtype=np.int64)
        self._untyped = np.array(list(map(untyped, self._rulesets)), dtype=np.int64)
        self._first_team = _starts(self._numbers["teams"])
        self._first_member = _starts(self._numbers["size"])

    def packed(self, first: int, end: int) -> Packed:
        """Return some contests as the kernels want them."""
        numbers = self._numbers
        teams = slice(*self._first_team[[first, end]].tolist())
        firsts = self._first_member[teams.start : teams.stop + 1]
        members = slice(*firsts[[0, -1]].tolist())
        which = numbers["which"][first:end].astype(np.int64)
        many = self._first_team[first + 1 : end + 1] - self._first_team[first:end]
        contest = np.repeat(np.arange(end - first), many)
        rank = numbers["rank"][teams]
        first_team = self._first_team[first : end + 1] - teams.start
        order = np.lexsort((rank, contest)) - np.repeat(first_team[:-1], many)
        reports = np.ones((members.stop - members.start, REPORT))
        reports[:, 0], reports[:, 2] = numbers["share"][members], numbers["figure"][members]
        rulesets, which = _numbered(which, len(self._rulesets))
        used = np.array(rulesets)
        of_member = np.repeat(np.repeat(which, many), np.diff(firsts))
        keys, places = self._places(numbers["player"][members].astype(np.int64), used[of_member])
        return Packed(
            keys={key: n for n, key in enumerate(keys)},
            rulesets={self._rulesets[one]: n for n, one in enumerate(rulesets)},
            first_team=_whole(first_team), which=_whole(which), depth=_whole(self._depth[used[which]]),
            untyped=_whole(self._untyped[used[which]]),
            reported=_whole(numbers["reported"][first:end]), at=_real(numbers["at"][first:end] / DAY),
            weight=_real(numbers["weight"][first:end]), first_member=_whole(firsts - members.start),
            order=_whole(order), rank=_real(rank), score=_real(numbers["score"][teams]),
            places=_whole(places), reports=_real(reports),
        )  # fmt: skip

    def _places(self, player: Any, ruleset: Any) -> tuple[list[Key], Any]:
        """Return the parts of skills by first appearance, and where those of each member stand."""
        many = len(self._rulesets)
        seats, numbered = _numbered(player * many + ruleset, len(self._players) * many)
        keys: dict[Key, int] = {}
        rows = []
        for seat in seats:
            name, chain = self._players[seat // many], self._chains[seat % many]
            parts = [keys.setdefault((name, part), len(keys)) for part in chain]
            rows.append((*parts, *(0,) * (LEVELS - len(parts)), is_bot(name)))
        return list(keys), np.array(rows, dtype=np.uint32).reshape(-1, PLACE)[numbered]


def _numbered(codes: Any, size: int) -> tuple[list[int], Any]:
    """Return the codes that there are, by first appearance, and the number of each.

    Examples
    --------
    >>> found, numbers = _numbered(np.array([7, 2, 7]), 8)
    >>> found, numbers.tolist()
    ([7, 2], [0, 1, 0])
    """
    if size > 4 * len(codes) + 1_000_000:  # a table of all there could be would cost more than sorting
        found, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        by_first = np.argsort(first, kind="stable")
        number = np.empty(len(found), dtype=np.int64)
        number[by_first] = np.arange(len(found))
        return found[by_first].tolist(), number[inverse]
    place = np.full(size, -1, dtype=np.int64)
    place[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # of several the last is kept: the first there is
    first = np.sort(place[place >= 0])
    found = codes[first]
    place[found] = np.arange(len(found))
    return found.tolist(), place[codes]


def _starts(sizes: Any) -> Any:
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


def _whole(column: Any) -> Any:
    return np.ascontiguousarray(column, dtype=np.uint32).ravel().data  # indexed, it gives plain numbers


def _real(column: Any) -> Any:
    return np.ascontiguousarray(column, dtype=np.float64).ravel().data
