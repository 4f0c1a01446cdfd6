"""A history as columns of numbers: what models learn from without a Match for each game.

Arrays of indices become :class:`Columns` by :meth:`Columns.of`, and a reader of files fills them;
:func:`equipoise.replay` gives the same state for them as for the same matches, bit for bit.  Reading is not
done here.
"""

from __future__ import annotations

import itertools
import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from equipoise.core.match import HEAVIEST, LEAST_SHARE, Match, Ruleset, settled_scores
from equipoise.core.player import LARGEST_WEIGHT, is_bot
from equipoise.errors import InputError
from equipoise.ratings.models.gaussian_filter.contest_columns import (
    DAY,
    Packed,
    SkillPlaces,
    check_alone,
    figures_of,
    levels,
    untyped,
)
from equipoise.ratings.models.gaussian_filter.kernels import BOT, FIGURE, PLACE, REPORT, SHARE
from equipoise.ratings.models.gaussian_filter.model import Filters
from equipoise.ratings.models.gaussian_filter.state_columns import listed
from equipoise.ratings.models.weng_lin import WengLin
from equipoise.ratings.per_player_model import LATEST
from equipoise.ratings.weng_lin_kernels import ContestColumns, MemberColumns, TeamColumns

#: Contests that are packed at a time: few enough to stay near the processor.
STRIDE = 8192  # effort

#: The places of a seat, PLACE whole numbers, taken together for one of as many bytes: to gather such ones is
#: six times as fast as to gather rows.
SEAT_PLACES = np.dtype(np.complex128)

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

    @classmethod
    def of(
        cls,
        players: Any,
        ranks: Any,
        *,
        scores: Any = None,
        figures: Any = None,
        shares: Any = None,
        weights: Any = None,
        at: Any = None,
        ids: Sequence[str] | None = None,
        ruleset: Ruleset | None = None,
    ) -> Columns:
        """Return contests of teams of one size as columns, from arrays; each is a match of its own.

        Parameters
        ----------
        players : array of int
            Who played, ``(m, n_teams, size)``: places in ``ids``.
        ranks : array of float
            ``(m, n_teams)``, lower is better, equal is a tie.
        scores : array of float, optional
            ``(m, n_teams)``, more is better; ranks say who won.
        figures : array of float, optional
            ``(m, n_teams, size)``: what everyone's statistics say as one number, such as
            ``log((kills + 1) / (deaths + 1))``; nan where nothing is known.
        shares : array of float, optional
            ``(m, n_teams, size)``: the share of the contest everyone was present for.
        weights, at : array of float, optional
            ``(m,)``: how much each contest counts, and when it ended, ascending, seconds since 1970; by
            default 1, and one second after the other.
        ids : sequence of str, optional
            The id of each player; by default ``"0"``, ``"1"`` and so on.
        ruleset : Ruleset, optional
            What was played.

        Raises
        ------
        InputError
            If an array has another shape, or a number is out of range.

        Examples
        --------
        >>> from equipoise import BradleyTerry, replay
        >>> history = Columns.of([[[0], [1]]], [[1, 2]], ids=["ann", "bob"])
        >>> round(replay(BradleyTerry(), history)["ann"][0], 4)
        27.6354
        """
        who = np.asarray(players)
        if who.ndim != 3 or who.dtype.kind not in "iu" or who.shape[1] < 2 or who.shape[2] < 1:
            msg = f"players must be whole numbers (m, n_teams, size), of two or more teams, got {who.shape}"
            raise InputError(msg)
        many, teams, size = who.shape
        if who.size and not 0 <= int(who.min()) <= int(who.max()) < 2**32:
            msg = f"players must be places from 0 up, got {int(who.min())} to {int(who.max())}"
            raise InputError(msg)
        names = list(map(str, range(int(who.max()) + 1 if who.size else 0))) if ids is None else list(ids)
        if who.size and int(who.max()) >= len(names):
            msg = f"players: there is a place {int(who.max())} and only {len(names)} ids"
            raise InputError(msg)
        numbered = {name: n for n, name in enumerate(names)}
        if len(numbered) < len(names) or "" in numbered or not all(isinstance(one, str) for one in names):
            msg = "ids must be different texts, none of them empty"
            raise InputError(msg)
        check_alone(who.reshape(many, -1), "players")
        most = LARGEST_WEIGHT
        of_team, of_member = (many, teams), who.shape
        when = np.arange(many, dtype=np.float64) if at is None else _checked("at", at, (many,), -most, most)
        if many and bool((np.diff(when) < 0.0).any()):
            msg = "at must not descend: contests are learnt from in the order in which they stand"
            raise InputError(msg)
        weight = np.ones(many) if weights is None else _checked("weights", weights, (many,), MINUTE, HEAVIEST)
        rank = _checked("ranks", ranks, of_team, -most, most)
        score = np.full(of_team, np.nan)
        if scores is not None:
            score = _settled(rank, _checked("scores", scores, of_team, -most, most))
        share = np.ones(of_member)
        if shares is not None:
            share = _checked("shares", shares, of_member, LEAST_SHARE, 1.0)
        figure, reported = np.full(of_member, np.nan), np.zeros(many, dtype=np.uint32)
        if figures is not None:
            figure, reported = _centered(_checked("figures", figures, of_member, -most, most, unknown=True))
        columns = cls(numbered, {ruleset or Ruleset(): 0})
        columns.numbers = {
            "ended": when, "contests": np.ones(many, dtype=np.uint32),
            "which": np.zeros(many, dtype=np.uint32), "at": when, "weight": weight, "reported": reported,
            "teams": np.full(many, teams, dtype=np.uint32), "rank": rank.ravel(), "score": score.ravel(),
            "size": np.full(many * teams, size, dtype=np.uint32),
            "player": np.ascontiguousarray(who, dtype=np.uint32).ravel(), "share": share.ravel(),
            "figure": figure.ravel(),
        }  # fmt: skip
        return columns

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
            members = list(itertools.chain(*contest.teams))
            players, shares = [who for who, _ in members], [share for _, share in members]
            figures, reported = figures_of([contest], players, shares)
            self.extend("which", (self.rulesets.setdefault(contest.ruleset, len(self.rulesets)),))
            self.extend("at", (contest.at,))
            self.extend("weight", (contest.weight,))
            self.extend("reported", reported)
            self.extend("teams", (len(contest.teams),))
            self.extend("rank", contest.ranks)
            scores = settled_scores(contest.ranks, contest.scores) if contest.scores else ()
            self.extend("score", scores or (np.nan,) * len(contest.teams))
            self.extend("size", map(len, contest.teams))
            self.extend("player", [self.players.setdefault(who, len(self.players)) for who in players])
            self.extend("share", shares)
            self.extend("figure", figures)

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

    def seen(self) -> dict[str, float]:
        """Return when the last contest of each player ended, seconds since 1970."""
        of_team = np.repeat(np.asarray(self.numbers["at"]), np.asarray(self.numbers["teams"]))
        last = np.full(len(self.players), -np.inf)
        np.maximum.at(last, np.asarray(self.numbers["player"]), np.repeat(of_team, self.numbers["size"]))
        return {player: at for player, at in zip(self.players, last.tolist(), strict=True) if at > -np.inf}

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
    model: Filters | WengLin,
    columns: Columns,
    progress: Callable[[float], None] | None = None,
    start: Any = None,
) -> Any:
    """Return what a model knows after the contests of columns, in the order in which they stand.

    Parameters
    ----------
    model : Filters or WengLin
        The default model, or another that learns from columns.
    columns : Columns
        Arranged by time.
    progress : callable, optional
        Called now and then with how far it is, from 0 to 1.
    start : state, optional
        What the model knows before: of an earlier part of the same history.

    Raises
    ------
    InputError
        If the model learns from contests alone.
    """
    return run_columns(model, columns, progress, start=start)[0]


def run_columns(
    model: Any,
    columns: Columns,
    progress: Callable[[float], None] | None = None,
    *,
    predicting: bool = False,
    start: Any = None,
) -> tuple[Any, Any, Any]:
    """Return the state as of :func:`replay_columns`, the chance of each team, and of a draw of each contest.

    Parameters
    ----------
    model, columns, progress, start
        As of :func:`replay_columns`.
    predicting : bool
        Whether the predictions are wanted; they are empty where not.
    """
    total = len(columns.numbers["at"])
    if isinstance(model, WengLin):
        entries, chances = _fold(model, columns, start or {}, predicting=predicting)
        if progress is not None:
            progress(1.0)
        return entries, chances, np.full(total, np.nan)
    if not isinstance(model, Filters):
        msg = f"model: {type(model).__name__} learns from matches alone, not from columns"
        raise InputError(msg)
    state = model.initial() if start is None else start
    found: list[Any] = []
    drawn: list[Any] = []
    if not total:
        return state, found, drawn
    view = _View(columns)
    learnt = model.learnt(state, view.keys, view.rulesets)
    if model.fast(total):
        learnt.compile()
    for first in range(0, total, STRIDE):
        end = min(first + STRIDE, total)
        chances, draws = learnt.play(view.packed(first, end), predicting=predicting)
        if predicting:
            found += listed(chances)
            drawn += listed(draws)
        if progress is not None:
            progress(end / total)
    learnt.plain()
    return state.updated(model.state_of(learnt, view.keys, view.rulesets)), found, drawn


def _fold(
    model: WengLin, columns: Columns, start: Mapping[str, Any], *, predicting: bool
) -> tuple[dict[str, Any], Any]:
    """Return the entries of everyone who has played by a closed form, and the chance of each team."""
    numbers = {name: np.asarray(column) for name, column in columns.numbers.items()}
    player = numbers["player"]
    if not len(player):
        return dict(start), np.empty(0)
    mu, sigma = (np.full(len(columns.players), number, dtype=np.float64) for number in model.newcomer())
    for n, name in enumerate(columns.players) if start else ():
        if name in start:
            mu[n], sigma[n] = start[name]
    contests = ContestColumns(_starts(numbers["teams"]), numbers["weight"])
    teams = TeamColumns(_starts(numbers["size"]), numbers["rank"])
    members = MemberColumns(player, numbers["share"], np.ones(len(player)))
    if model.fast(len(numbers["at"])):
        chances = model.play_arrays(mu, sigma, (contests, teams, members), predicting=predicting)
        means, deviations = mu.tolist(), sigma.tolist()
    else:
        means, deviations = mu.tolist(), sigma.tolist()
        contests = ContestColumns(contests.first_team.tolist(), contests.weight.tolist())
        teams = TeamColumns(teams.first_member.tolist(), teams.rank.tolist())
        members = MemberColumns(*(column.tolist() for column in members))
        given = contests, teams, members
        chances = model.play(means, deviations, given, fast=False, predicting=predicting)
    ids, known = list(columns.players), list(zip(means, deviations, strict=True))
    entries: dict[str, Any] = {name: entry for name, entry in start.items() if name != LATEST}
    entries |= {ids[n]: known[n] for n in _by_appearance(player, len(ids)).tolist()}
    entries[LATEST] = (float(numbers["at"].max()),)
    return entries, chances


class _View:
    """Columns as NumPy sees them, with where everything stands.

    Attributes
    ----------
    keys, rulesets : dict
        The place of each part of a skill and of each ruleset, by first appearance.
    """

    def __init__(self, columns: Columns) -> None:
        self._numbers = {name: np.asarray(column) for name, column in columns.numbers.items()}
        self._first_team = _starts(self._numbers["teams"])
        self._first_member = _starts(self._numbers["size"])
        rulesets, which = list(columns.rulesets), self._numbers["which"]
        used, self._which = _numbered(which, len(rulesets))
        chains = [levels(rulesets[one]) for one in used]
        self.rulesets = {rulesets[one]: n for n, one in enumerate(used)}
        self._depth = np.array([len(chain) for chain in chains], dtype=np.uint32)
        self._untyped = np.array(list(map(untyped, self.rulesets)), dtype=np.uint32)
        self._reports = np.ones((0, REPORT))
        player, many = self._numbers["player"], len(used)
        if many > 1:  # else nobody has two seats
            of_member = np.repeat(np.repeat(self._which, self._numbers["teams"]), self._numbers["size"])
            player = player.astype(np.int64) * many + of_member
        seats, self._seats = _numbered(player, len(columns.players) * many)
        players = list(columns.players)
        if many == 1:  # no part of a skill stands in two seats
            names, chain = [players[seat] for seat in seats], chains[0]
            self.keys = {
                (name, part): len(chain) * n + k
                for n, name in enumerate(names)
                for k, part in enumerate(chain)
            }
            table = np.zeros((len(names), PLACE), dtype=np.uint32)
            table[:, : len(chain)] = np.arange(len(self.keys)).reshape(-1, len(chain))
            table[:, BOT] = list(map(is_bot, names))
            self._places = table.view(SEAT_PLACES).ravel()
            return
        self.keys = {}
        places = [SkillPlaces(self.keys, ruleset) for ruleset in self.rulesets]
        rows = b"".join([places[seat % many][players[seat // many]] for seat in seats])
        self._places = np.frombuffer(rows, dtype=SEAT_PLACES)

    def packed(self, first: int, end: int) -> Packed:
        """Return some contests as the kernels want them; they stand where those of the last call stood."""
        numbers = self._numbers
        teams = slice(*self._first_team[[first, end]].tolist())
        firsts = self._first_member[teams.start : teams.stop + 1]
        members = slice(*firsts[[0, -1]].tolist())
        first_team = self._first_team[first : end + 1] - teams.start
        rank, many = numbers["rank"][teams], np.diff(first_team)
        count = members.stop - members.start
        if count > len(self._reports):
            self._reports = np.ones((count, REPORT))
        reports = self._reports[:count]
        reports[:, SHARE], reports[:, FIGURE] = numbers["share"][members], numbers["figure"][members]
        which = self._which[first:end]
        return Packed(
            keys=self.keys, rulesets=self.rulesets,
            first_team=_whole(first_team), which=_whole(which), depth=_whole(self._depth[which]),
            untyped=_whole(self._untyped[which]),
            reported=_whole(numbers["reported"][first:end]), at=_real(numbers["at"][first:end] / DAY),
            weight=_real(numbers["weight"][first:end]), first_member=_whole(firsts - members.start),
            order=_whole(_order(rank, many)), rank=_real(rank), score=_real(numbers["score"][teams]),
            places=self._places[self._seats[members]].view(np.uint32).data, reports=_real(reports),
        )  # fmt: skip


def _order(rank: Any, many: Any) -> Any:
    """Return each contest's teams by rank, of so many teams each.

    Examples
    --------
    >>> _order(np.array([2.0, 1.0, 1.0, 1.0]), np.array([2, 2])).tolist()
    [1, 0, 0, 1]
    """
    if bool((many == 2).all()):  # as in most histories
        swapped = rank[::2] > rank[1::2]
        return np.stack((swapped, ~swapped), axis=1).ravel().astype(np.uint32)
    starts = np.repeat(np.cumsum(many) - many, many)
    return np.lexsort((rank, starts)) - starts


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
    found = _by_appearance(codes, size)
    place = np.empty(size, dtype=np.uint32)
    place[found] = np.arange(len(found), dtype=np.uint32)
    return found.tolist(), place[codes]


#: Codes that are looked at together for those which are new.
BLOCK = 1 << 14


def _by_appearance(codes: Any, size: int) -> Any:
    """Return the codes from 0 to a size that there are, by first appearance.

    Examples
    --------
    >>> _by_appearance(np.array([7, 2, 7, 0]), 8).tolist()
    [7, 2, 0]
    """
    seen, place = np.zeros(size, dtype=np.bool_), np.empty(size, dtype=np.uint32)
    found, left = [codes[:0]], size
    for first in range(0, len(codes), BLOCK):
        block = codes[first : first + BLOCK]
        new = block[~seen[block]]
        if len(new):
            # Of places that are written several times the last one stays: backwards, that is the first one.
            places = np.arange(len(new), dtype=np.uint32)
            place[new[::-1]] = places[::-1]
            found.append(new[place[new] == places])
            seen[new] = True
            left -= len(found[-1])
            if not left:
                break
    return np.concatenate(found)


#: The least weight of a contest: above 0.
MINUTE = math.ulp(0.0)


def _checked(
    name: str, given: Any, shape: tuple[int, ...], least: float, most: float, *, unknown: bool = False
) -> Any:
    """Return an array of numbers of a shape and in a range, or raise what is wrong with it."""
    try:
        numbers = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        msg = f"{name} must be numbers, got {given!r:.80}"
        raise InputError(msg) from None
    if numbers.shape != shape:
        msg = f"{name} must be of the shape {shape}, got {numbers.shape}"
        raise InputError(msg)
    wrong = ~((numbers >= least) & (numbers <= most)) & ~(np.isnan(numbers) & unknown)
    if bool(wrong.any()):
        msg = f"{name} must be from {least:g} to {most:g}, got {float(numbers[wrong][0])!r}"
        raise InputError(msg)
    return numbers


def _settled(rank: Any, score: Any) -> Any:
    """Return scores of contests as :func:`equipoise.core.match.settled_scores` has them."""
    order = np.argsort(rank, axis=1, kind="stable")
    ordered = np.take_along_axis(score, order, axis=1)
    if not bool((np.diff(ordered, axis=1) > 0.0).any()):
        return score
    settled = np.empty_like(score)
    np.put_along_axis(settled, order, np.minimum.accumulate(ordered, axis=1), axis=1)
    tied = (np.diff(np.take_along_axis(rank, order, axis=1), axis=1) == 0.0).any(axis=1)
    for n in np.flatnonzero(tied).tolist():
        settled[n] = settled_scores(rank[n].tolist(), score[n].tolist())
    return settled


def _centered(figures: Any) -> tuple[Any, Any]:
    """Return figures less their contest's mean, and how many there are to compare in each."""
    known = ~np.isnan(figures)
    counts = known.sum(axis=(1, 2))
    with np.errstate(invalid="ignore"):
        mean = np.where(known, figures, 0.0).sum(axis=(1, 2)) / np.maximum(counts, 1)
    enough = counts > 1
    return (
        np.where(enough[:, None, None], figures - mean[:, None, None], np.nan),
        np.where(enough, counts, 0).astype(np.uint32),
    )


def _starts(sizes: Any) -> Any:
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


def _whole(column: Any) -> Any:
    return np.ascontiguousarray(column, dtype=np.uint32).ravel().data  # indexed, it gives plain numbers


def _real(column: Any) -> Any:
    return np.ascontiguousarray(column, dtype=np.float64).ravel().data
