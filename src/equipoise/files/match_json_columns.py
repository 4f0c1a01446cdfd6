"""Lines of JSON straight into columns: decoded typed by msgspec, a block of them at a time.

Here are only the lines that are as most are.  One that is not so plain, or is wrong, is left to
:func:`equipoise.games.plain.reader.from_line`, so that its meaning and its message are the same.
No text here has an unpaired surrogate: msgspec refuses it.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import msgspec
import numpy as np

from equipoise.core.arrays import Floats, Ints
from equipoise.core.match import HEAVIEST, LEAST_SHARE, Ruleset, in_range, ranks_of, settled_scores
from equipoise.core.match_records import LATEST, is_text, text_from, time_from
from equipoise.core.player import LARGEST_WEIGHT
from equipoise.errors import InputError
from equipoise.ratings.history_columns import Columns
from equipoise.ratings.models.gaussian_filter.contest_columns import figure, mean_of


class TypedPlayer(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A player in a team, with the fields that say something to a rating."""

    id: str | int
    name: str | int | msgspec.UnsetType = msgspec.UNSET
    share: float = 1.0
    kills: float | None = None
    deaths: float | None = None
    score: float | None = None
    party: str | int | None = None
    left: bool = False


class TypedContest(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A contest among others; what it leaves out is that of its match."""

    teams: list[list[str | TypedPlayer]] | msgspec.UnsetType = msgspec.UNSET
    game: str | int | msgspec.UnsetType = msgspec.UNSET
    game_type: str | int | msgspec.UnsetType = msgspec.UNSET
    mutators: tuple[str | int, ...] | msgspec.UnsetType = msgspec.UNSET
    ranks: list[float] | msgspec.UnsetType | None = msgspec.UNSET
    scores: list[float] | msgspec.UnsetType | None = msgspec.UNSET
    weight: float | msgspec.UnsetType = msgspec.UNSET
    at: float | str | msgspec.UnsetType = msgspec.UNSET


class TypedLine(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A match: of the one contest that it is itself, or of several."""

    ended: float | str
    teams: list[list[str | TypedPlayer]] = []
    id: str | int = ""
    began: float | str | msgspec.UnsetType = msgspec.UNSET
    map: str | int = ""
    server: str | int = ""
    picks: tuple[tuple[str | int, str | int], ...] = ()
    game: str | int = ""
    game_type: str | int = ""
    mutators: tuple[str | int, ...] = ()
    ranks: list[float] | None = None
    scores: list[float] | None = None
    weight: float = 1.0
    at: float | str | msgspec.UnsetType = msgspec.UNSET
    contests: list[TypedContest] | msgspec.UnsetType = msgspec.UNSET


#: Contests of several matches; a match that is one contest stands for it.
Contests = Sequence[TypedContest | TypedLine]

_decode = msgspec.json.Decoder(TypedLine).decode


def typed(lines: Sequence[bytes]) -> list[TypedLine | None]:
    """Return lines typed, None for those that are not of this type."""
    try:
        return list(map(_decode, lines))
    except (ValueError, RecursionError):
        return [_typed(line) for line in lines]


def _typed(line: bytes) -> TypedLine | None:
    try:
        return _decode(line)
    except (ValueError, RecursionError):
        return None


def contests_of(rows: Sequence[TypedLine]) -> tuple[list[TypedContest | TypedLine], list[int]]:
    """Return the contests of rows, and how many each row has; what one leaves out is that of its row."""
    if all(row.contests is msgspec.UNSET for row in rows):
        return list(rows), [1] * len(rows)
    found: list[TypedContest | TypedLine] = []
    counts = []
    for row in rows:
        if row.contests is msgspec.UNSET:
            found.append(row)
            counts.append(1)
            continue
        for part in row.contests:
            _complete(part, row)
        found += row.contests
        counts.append(len(row.contests))
    return found, counts


def _complete(part: TypedContest, row: TypedLine) -> None:
    """Give a contest what it leaves out; field by field, as a loop over them takes three times as long."""
    if part.teams is msgspec.UNSET:
        part.teams = row.teams
    if part.game is msgspec.UNSET:
        part.game = row.game
    if part.game_type is msgspec.UNSET:
        part.game_type = row.game_type
    if part.mutators is msgspec.UNSET:
        part.mutators = row.mutators
    if part.ranks is msgspec.UNSET:
        part.ranks = row.ranks
    if part.scores is msgspec.UNSET:
        part.scores = row.scores
    if part.weight is msgspec.UNSET:
        part.weight = row.weight
    if part.at is msgspec.UNSET:
        part.at = row.at


#: Ranks of two teams, by whether the first is behind (-1), level (0) or ahead (1).
_RANKS = {-1: [1.0, 0.0], 0: [0.0, 0.0], 1: [0.0, 1.0]}

_UNKNOWN = float("nan")

#: In place of a player's number: the id is wrong.
_NOBODY = -1


@dataclass(slots=True)
class Decoded:
    """Lines as columns.

    Parameters
    ----------
    numbers : list of int
        Which of the lines that were given these are.
    ids : list of str
        Their ids, empty where unknown.
    columns : dict
        What :class:`~equipoise.ratings.history_columns.Columns` calls numbers.
    names : dict
        Display names of players.
    """

    numbers: list[int]
    ids: list[str]
    columns: dict[str, Any]
    names: dict[str, str]


class LineDecoder:
    """Decodes lines of JSON for the columns of a history, which number players and rulesets."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._players: dict[str | int, int] = {}
        self._rulesets: dict[Any, int] = {}
        self._figures: dict[tuple[float, float], float] = {}

    def decode(self, lines: Sequence[bytes], without: frozenset[int] = frozenset()) -> Decoded:
        """Return those of some lines that are plain and right, but for some that are not wanted."""
        rows = [(n, row) for n, row in enumerate(typed(lines)) if row is not None and n not in without]
        while True:
            decoded, wrong = self._decoded(rows)
            if not wrong:
                return decoded
            rows = [row for n, row in enumerate(rows) if n not in wrong]

    def _decoded(self, numbered: Sequence[tuple[int, TypedLine]]) -> tuple[Decoded, set[int]]:
        """Return columns of rows, and which rows are wrong: with these the columns are of no use."""
        rows = [row for _, row in numbered]
        parts, many = contests_of(rows)
        row_of = np.repeat(np.arange(len(rows)), many)
        teams: list[Any] = [part.teams for part in parts]
        counts, sizes = list(map(len, teams)), list(map(len, chain.from_iterable(teams)))
        names: dict[str, str] = {}
        if 0 in many or 0 in sizes or (counts and min(counts) < 2):
            few = {n for n, each in enumerate(teams) if len(each) < 2 or not all(each)}
            wrong = {n for n, each in enumerate(many) if not each} | set(row_of[list(few)].tolist())
            return Decoded([], [], {}, names), wrong
        ended, ids, wrong = _heads_alike(rows) or _heads(rows)
        if wrong:
            return Decoded([], [], {}, names), wrong
        columns = {"ended": _reals(ended), "contests": _wholes(many)}
        found, few = self._results(parts)
        at = np.repeat(columns["ended"], many)
        few |= _set_times(at, parts)
        if few:
            return Decoded([], [], {}, names), set(row_of[list(few)].tolist())
        members = list(chain.from_iterable(chain.from_iterable(teams)))
        columns |= found | {
            "at": at, "teams": _wholes(counts), "size": _wholes(sizes),
            "weight": _reals([part.weight for part in parts]),  # type: ignore[misc]  # all are complete
            "reported": np.zeros(len(parts), dtype=np.int64),
        }  # fmt: skip
        self._seat(columns, members, names)
        wrong = wrong_of(columns) or self._wrong_picks(rows, columns)
        return Decoded([n for n, _ in numbered], ids, columns, names), wrong

    def _results(self, parts: Contests) -> tuple[dict[str, Any], set[int]]:
        """Return rulesets, ranks and scores of contests, and which contests are wrong in these."""
        wrong: set[int] = set()
        ranks = _ranks_alike(parts)
        if ranks is None:
            ranks = []
            for n, part in enumerate(parts):
                try:
                    ranks += _placed(part)
                except InputError:
                    wrong.add(n)
        rules: list[Any] = [(part.game, part.game_type, part.mutators) for part in parts]
        which: list[Any] = list(map(self._rulesets.get, rules))
        for n, rule in enumerate(rules if None in which else ()):
            try:
                which[n] = self.ruleset(*rule) if which[n] is None else which[n]
            except InputError:
                wrong.add(n)
        if wrong:
            return {}, wrong
        scores = chain.from_iterable([part.scores or [_UNKNOWN] * len(part.teams) for part in parts])  # type: ignore[arg-type]
        return {"which": _wholes(which), "rank": _reals(ranks), "score": _reals(list(scores))}, wrong

    def _wrong_picks(self, rows: Sequence[TypedLine], columns: Mapping[str, Any]) -> set[int]:
        """Return which rows may have picks of somebody who was not there."""
        picking = [n for n, row in enumerate(rows) if row.picks]
        if not picking:
            return set()
        of_row = [np.append(0, np.cumsum(columns[name])) for name in ("contests", "teams", "size")]
        ends = of_row[2][of_row[1][of_row[0]]].tolist()
        players = columns["player"].tolist()
        return {
            n
            for n in picking
            if not set(map(self._players.get, chain.from_iterable(rows[n].picks))).issubset(
                players[ends[n] : ends[n + 1]]
            )
        }

    def ruleset(self, game: str | int, kind: str | int, mutators: tuple[str | int, ...]) -> int:
        """Return the number of a ruleset that was not written so before.

        Raises
        ------
        InputError
            If a part of it is no text.
        """
        texts = [text_from(text, "mutators") for text in mutators]
        ruleset = Ruleset(text_from(game, "game"), text_from(kind, "game_type"), tuple(texts))
        known = self._columns.rulesets
        which = known.setdefault(ruleset, len(known))
        self._rulesets[game, kind, mutators] = which
        return which

    def _seat(self, columns: dict[str, Any], members: list[str | TypedPlayer], names: dict[str, str]) -> None:
        """Add the columns of members."""
        known = self._all_known(members)
        if known is None and TypedPlayer not in set(map(type, members)):
            known = _wholes([self.number(member) for member in members])  # type: ignore[arg-type]  # all text
        if known is not None:
            columns["player"] = known
            columns["share"] = np.ones(len(members))
            columns["figure"] = np.full(len(members), _UNKNOWN)
            return
        seats = [self._member(member, names) for member in members]
        numbers, shares, figures = zip(*seats, strict=True)
        columns["player"] = _wholes(numbers)
        columns["share"] = _reals(shares)
        columns["figure"] = _reals(figures)
        center(columns)

    def _all_known(self, members: Sequence[str | TypedPlayer]) -> Ints | None:
        """Return the numbers of members who all are mere ids and were there before, or else None."""
        numbers: Any = map(self._players.__getitem__, members)  # type: ignore[arg-type]  # an object raises
        try:
            return np.fromiter(numbers, dtype=np.int64, count=len(members))
        except (KeyError, TypeError):  # an object with fields has no hash
            return None

    def _member(self, member: str | TypedPlayer, names: dict[str, str]) -> tuple[int, float, float]:
        """Return the number of a member, the share, and the figure or nan."""
        if type(member) is not TypedPlayer:
            return self.number(member), 1.0, _UNKNOWN  # type: ignore[arg-type]  # all text  # it is an id
        player = self._players.get(member.id)
        if player is None:
            player = self.number(member.id)
        if member.name is not msgspec.UNSET:
            try:
                names[text_from(member.id, "id")] = text_from(member.name, "name")
            except InputError:
                return _NOBODY, 1.0, _UNKNOWN
        kills, deaths, score, share = member.kills, member.deaths, member.score, member.share
        if not LEAST_SHARE <= share <= 1.0:
            return _NOBODY, 1.0, _UNKNOWN
        if kills is deaths is score is None:
            return player, share, _UNKNOWN
        if kills is not None and deaths is not None and score is None:
            known = self._figures.get((kills, deaths))
            if known is not None:
                return player, share, known
        if not in_range(kills, deaths, score):
            return _NOBODY, 1.0, _UNKNOWN
        found = figure(kills, deaths, score, share)
        if kills is not None and deaths is not None:
            self._figures[kills, deaths] = found
        return player, share, found

    def number(self, raw: str | int) -> int:
        """Return the number of a player's id as it was written; -1 where it is none."""
        known = self._players.get(raw)
        if known is None:
            try:
                text = text_from(raw, "id")
            except InputError:
                return _NOBODY
            if not text:
                return _NOBODY
            players = self._columns.players
            known = self._players[raw] = players.setdefault(text, len(players))
        return known


def _heads_alike(rows: Sequence[TypedLine]) -> tuple[list[Any], list[Any], set[int]] | None:
    """Return what :func:`_heads` does, all rows at once; None where something may be wrong with one."""
    ended, ids = [row.ended for row in rows], [row.id for row in rows]
    texts = [row.map for row in rows] + [row.server for row in rows]
    began = [row.began for row in rows if row.began is not msgspec.UNSET]
    if {*map(type, ended), *map(type, began)} != {float} or {*map(type, ids), *map(type, texts)} != {str}:
        return None
    all_ids = "".join(ids)  # type: ignore[arg-type]  # all are texts
    if not is_text(all_ids + "".join(texts)) or len(all_ids.split()) > 1 or all_ids != all_ids.strip():  # type: ignore[arg-type]
        return None
    if not all(-LARGEST_WEIGHT <= each < LATEST for each in began):  # type: ignore[operator]
        return None
    return ended, ids, set()


def _heads(rows: Sequence[TypedLine]) -> tuple[list[Any], list[Any], set[int]]:
    """Return when each row ended, its id, and which rows are wrong in what is not of a contest."""
    ended: list[float] = []
    ids: list[str] = []
    wrong: set[int] = set()
    for n, row in enumerate(rows):
        try:
            ended.append(row.ended if type(row.ended) is float else time_from(row.ended, "ended"))
            ids.append(_id_of(row))
        except InputError:
            wrong.add(n)
    return ended, ids, wrong


def _set_times(at: Floats, parts: Contests) -> set[int]:
    """Write down when contests were that say so themselves; return which say it wrongly."""
    wrong = set()
    given = [(n, part.at) for n, part in enumerate(parts) if part.at is not msgspec.UNSET]
    for n, when in given:
        try:
            at[n] = when if type(when) is float else time_from(when, "at")
        except InputError:
            wrong.add(n)
    return wrong


def _ranks_alike(parts: Contests) -> list[float] | None:
    """Return the ranks of all contests at once; None where they are not two teams with scores alone."""
    scores: list[Any] = [part.scores for part in parts]
    if (
        any(part.ranks is not None for part in parts)
        or not all(scores)
        or {len(part.teams) for part in parts} != {2}  # type: ignore[arg-type]  # all are complete
        or set(map(len, scores)) != {2}
    ):
        return None
    points = _reals(list(chain.from_iterable(scores))).reshape(-1, 2)
    behind = points < points[:, ::-1]
    ranks: list[float] = behind.ravel().astype(np.float64).tolist()
    return ranks


def _id_of(row: TypedLine) -> str:
    """Return the id of a row; raise where it, the beginning, the map or the server is wrong."""
    if row.began is not msgspec.UNSET:
        time_from(row.began, "began")
    if row.map != "":
        text_from(row.map, "map")
    if row.server != "":
        text_from(row.server, "server")
    return text_from(row.id, "id") if row.id != "" else ""


def _wholes(numbers: Sequence[int]) -> Ints:
    return np.frombuffer(array("q", numbers), dtype=np.int64)


def _reals(numbers: Sequence[float]) -> Floats:
    return np.frombuffer(array("d", numbers), dtype=np.float64)


def _placed(part: Any) -> Sequence[float]:
    """Return the ranks of a contest's teams; raise where they or the scores are wrong."""
    ranks: list[float] | None = part.ranks
    scores, count = part.scores, len(part.teams)
    if scores and len(scores) == count:
        if ranks is None:
            if count == 2:
                one, other = scores
                return _RANKS[(one > other) - (one < other)]
            return ranks_of(tuple(scores))
        if len(ranks) == count:
            part.scores = list(settled_scores(ranks, scores))
            return ranks
    if scores or not ranks or len(ranks) != count:
        msg = "ranks: they are wrong"
        raise InputError(msg)
    return ranks


def center(columns: dict[str, Any]) -> None:
    """Take from each figure the mean of its contest, and count those that can be compared."""
    if np.isnan(columns["figure"]).all():
        return
    figures = columns["figure"].tolist()
    sizes, teams = columns["size"], columns["teams"]
    seats = np.add.reduceat(sizes, np.cumsum(teams) - teams)
    ends = np.cumsum(seats).tolist()
    means, first = [], 0
    for end in ends:
        means.append(mean_of(figures[first:end])[0])
        first = end
    columns["figure"] = columns["figure"] - np.repeat(np.array(means), seats)
    known = ~np.isnan(columns["figure"])
    columns["reported"] = np.add.reduceat(known, np.cumsum(seats) - seats, dtype=np.int64)


def _is_time(times: Floats) -> Any:
    """Tell which numbers are times, as :func:`equipoise.core.match_records.time_from` does."""
    return (times >= -LARGEST_WEIGHT) & (times < LATEST)


def wrong_of(columns: dict[str, Any]) -> set[int]:
    """Return which matches have a number out of range, or a player who is wrong or there twice."""
    teams, sizes, player = columns["teams"], columns["size"], columns["player"]
    contest, ended = np.arange(len(teams)), columns["ended"]
    of_team = np.repeat(contest, teams)
    of_member = np.repeat(of_team, sizes)
    weight, share, score = columns["weight"], columns["share"], columns["score"]
    wrong = [
        contest[~((weight > 0.0) & (weight <= HEAVIEST))],
        contest[~_is_time(columns["at"])],
        of_team[~(np.abs(columns["rank"]) <= LARGEST_WEIGHT)],
        of_team[np.abs(score) > LARGEST_WEIGHT],
        of_member[(player == _NOBODY) | ~((share >= LEAST_SHARE) & (share <= 1.0))],
    ]
    seats = np.bincount(of_member, minlength=len(teams))
    if len(seats) and (seats == seats[0]).all():
        line_ups = np.sort(player.reshape(len(teams), -1).astype(np.int32), axis=1)
        wrong.append(contest[(line_ups[:, 1:] == line_ups[:, :-1]).any(axis=1)])
    else:
        most = int(player.max(initial=0)) + 2
        codes = np.sort(of_member * most + player)
        wrong.append(codes[1:][codes[1:] == codes[:-1]] // most)
    match_of = np.repeat(np.arange(len(ended)), columns["contests"])
    late = np.flatnonzero(~_is_time(ended))
    return {*late.tolist(), *match_of[np.concatenate(wrong)].tolist()}
