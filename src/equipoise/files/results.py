"""Results as organisers keep them in a spreadsheet: a row for each match, or for each player of a match.

The columns are described in docs/how-to/ratings.md, "Results from a spreadsheet"; what a row for each player
means is in :mod:`equipoise.files.long_results`.
"""

from __future__ import annotations

import hashlib
import itertools
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from equipoise.errors import InputError
from equipoise.files import long_results
from equipoise.files.result_cells import (
    DRAWN,
    OF_MATCH,
    ORDERS,
    RANKS,
    WHEN,
    check_order,
    common,
    figure,
    players_in,
    players_under,
)  # fmt: skip
from equipoise.files.sheets import rows_from
from equipoise.games.plain import WRONG
from equipoise.logs.records import cell_text, match_from
from equipoise.matches import Match, Skipped, moved
from equipoise.pickup.night import folded
from equipoise.ratings.replaying import HASHED, OF_TABLE

RESULT = ("result", "winner", "win", "loss", "winners", "losers", "loser")

#: Columns that hold a whole team, as ``Ann; Bob``, where no columns are numbered.
TEAMS = (
    *("red", "blue", "green", "gold", "yellow", "home", "away"),
    *("team a", "team b", "team c", "team d", "team_a", "team_b", "team_c", "team_d"),
)

_MEMBER = re.compile(r"(.*?)[ _]?\d+")
_SCORE = re.compile(r"score[ _](.+)|(.+)[ _]score|score(\d+)")
#: The scores of all teams in one cell, as ``3:1``.
_SCORES = re.compile(r"\d+(?:[.,]\d+)?(?:\s*[:\u2013-]\s*\d+(?:[.,]\d+)?)+")
_BETWEEN = re.compile(r"\s*[:\u2013-]\s*")


def read_results(source: Any, *, dates: str | None = None) -> Iterator[Match | Skipped]:
    """Read a table with a row for each match, or with a row for each player of a match.

    Rows that say the same are as many matches: those of one time are a second apart, in the order of the
    table.  What the table has an id for counts once.  The id of any other says what its row says, so that it
    is the same in a table with other rows, or with the rows in another order.

    Parameters
    ----------
    source : str, data frame, or iterable of mappings
        The path of a CSV file or a spreadsheet, a frame of pandas or polars, or the rows.
    dates : {"day-first", "month-first"}, optional
        How to read dates such as 03/04/2026, which are ambiguous otherwise.

    Yields
    ------
    Match or Skipped
        A match, or where a row stands that is wrong and what is wrong with it.

    Raises
    ------
    InputError
        If the file cannot be read, has no rows, its columns name no two teams, or a date is of another order
        than ``dates``.

    Examples
    --------
    >>> rows = [{"date": "31/01/2026", "red1": "Ann", "red2": "Bob", "blue1": "Cid", "result": "win"}]
    >>> match = next(read_results(rows, dates="day-first"))
    >>> match.contests[0].teams, match.contests[0].ranks
    (((('Ann', 1.0), ('Bob', 1.0)), (('Cid', 1.0),)), (1.0, 2.0))
    """
    return results_from(source, dates)


def results_from(
    source: Any,
    dates: str | None,
    known: Callable[[Match], Match] | None = None,
    tell: Callable[[str, Match], None] | None = None,
) -> Iterator[Match | Skipped]:
    """Read a table as :func:`read_results`, with the ids that ``known`` gives to players.

    ``tell`` hears of each match where it stands.

    Raises
    ------
    InputError
        As :func:`read_results`; what ``known`` raises makes a match one that is skipped.
    """
    if dates is not None and dates not in ORDERS:
        msg = f"dates must be {' or '.join(ORDERS)}, got {dates!r}"
        raise InputError(msg)
    where, rows = rows_from(source)
    if not rows:
        msg = f"{where}: it has no rows; write one for each match, or for each player of a match"
        raise InputError(msg)
    if dates is not None:
        check_order(rows, dates)
    columns = list(dict.fromkeys(name for _, row in rows for name in row if name != WRONG))
    parts: Sequence[tuple[str, Any]] = rows
    if set(long_results.PLAYER) & set(columns):
        parts, record_of = long_results.matches(rows), long_results.record
    else:
        record_of = partial(_record, _teams(columns, where))
    numbering = _Numbering(known)
    for at, part in parts:
        try:
            record = record_of(part, dates)
            match = numbering.settled(match_from(record), own="id" in record)
        except InputError as error:
            yield Skipped(at, str(error))
            continue
        if tell is not None:
            tell(at, match)
        yield match


class _Numbering:
    """Gives matches of a table ids by which each counts once, however often and in whatever order it is read.

    A match keeps the id of its table, with its date, as people count from 1 every season.  Without one it has
    a hash of what its row says, and of how many rows before it said the same.  Matches of one time were
    played in the order of the table: they are a second apart.
    """

    def __init__(self, known: Callable[[Match], Match] | None) -> None:
        self._known = known
        self._at: Counter[float] = Counter()
        self._equal: Counter[str] = Counter()
        #: What was read under each id of the table, and what became of it.
        self._settled: dict[str, tuple[Match, Match]] = {}

    def settled(self, read: Match, *, own: bool) -> Match:
        """Return a match with an id, its table's ``own`` or that of its content, at a time of its own."""
        match = read if self._known is None else self._known(read)
        ended = match.ended or 0.0
        date = time.strftime("%Y-%m-%d", time.gmtime(ended))
        identity = f"{OF_TABLE}{date}-{read.id if own else self._hash(read)}"
        before, settled = self._settled.get(identity, (None, match))
        if before == read:
            return settled
        later = replace(moved(match, ended + self._at[ended]), id=identity)
        self._at[ended] += 1
        if own:
            self._settled.setdefault(identity, (read, later))
        return later

    def _hash(self, read: Match) -> str:
        """Return what tells a match from all others of its date, whatever the case of names, and its row."""
        (contest,) = read.contests
        teams = [sorted((folded(player), share) for player, share in team) for team in contest.teams]
        ruleset, scores = contest.ruleset, contest.scores or [None] * len(teams)
        content = repr((
            contest.at, contest.weight, ruleset.game, ruleset.game_type, ruleset.mutators, folded(read.map),
            sorted(zip(teams, contest.ranks, scores, strict=True), key=repr),
        ))  # fmt: skip
        self._equal[content] += 1
        number = self._equal[content]
        digest = hashlib.sha256(f"{number} {content}".encode("utf-8", "backslashreplace")).hexdigest()
        return f"{HASHED}{digest[:16]}"


def _teams(columns: Sequence[str], where: str) -> dict[str, list[str]]:
    """Return the columns of players of each team, as ``red1`` and ``red2`` are of ``red``."""
    teams: dict[str, list[str]] = {}
    for name in columns:
        member = _MEMBER.fullmatch(name)
        if member and member[1] and name not in (*OF_MATCH, *WHEN, *RESULT) and not _SCORE.fullmatch(name):
            teams.setdefault(member[1], []).append(name)
    whole = teams["team"] if list(teams) == ["team"] else [name for name in columns if name in TEAMS]
    if len(teams) < 2 <= len(whole):
        return {name: [name] for name in whole}
    if len(teams) < 2 and not {"winner", "winners", "win"} & set(columns):
        msg = (
            f"{where}: it must have columns of two teams or more, as red1, red2, blue1, blue2, or winner and "
            f"loser, or a player in each row; it has {', '.join(columns)}"
        )
        raise InputError(msg)
    return teams


def _record(teams: Mapping[str, Sequence[str]], row: Mapping[str, Any], dates: str | None) -> dict[str, Any]:
    """Return a row as a record of a match."""
    record = common(row, dates)
    if len(teams) < 2:
        won = players_under(row, ("winner", "winners", "win"))
        lost = players_under(row, ("loser", "losers", "loss"))
        return {**record, "teams": [won, lost], "ranks": [1.0, 2.0]}
    present = {team: _members(row, columns) for team, columns in teams.items()}
    taking = [team for team, members in present.items() if members]
    scores = {
        _scored(found[1] or found[2] or found[3], teams): name
        for name in row
        if (found := _SCORE.fullmatch(name))
    }
    record["teams"] = [present[team] for team in taking]
    if scores:
        missing = [team for team in taking if team not in scores]
        if missing or set(scores) - set(teams):
            extra = [name for team, name in scores.items() if team not in teams]
            wrong = f"score_{missing[0]}" if missing else extra[0]
            msg = f"{wrong}: each team must have players and a score, teams are {', '.join(taking)}"
            raise InputError(msg)
        record["scores"] = [figure(row[scores[team]], scores[team]) for team in taking]
        return _with_ranks(record, row, taking)
    together = _scores_in(row, taking)
    if together is not None:
        record["scores"] = together
        if _SCORES.fullmatch(str(row.get("result", "")).strip()):
            row = {name: cell for name, cell in row.items() if name != "result"}
    return _with_ranks(record, row, taking)


def _with_ranks(record: dict[str, Any], row: Mapping[str, Any], teams: Sequence[str]) -> dict[str, Any]:
    """Return a record with the ranks that a row says, if it says any."""
    ranks = _ranks(row, teams)
    if ranks is None:
        return record
    scores = record.get("scores", [])
    for one, other in itertools.permutations(range(len(scores)), 2):
        if ranks[one] < ranks[other] and scores[one] < scores[other]:
            column = "result" if "result" in row else "winner"
            msg = (
                f"{column} {str(row[column])!r:.40} puts {teams[one]} before {teams[other]}, but their "
                f"scores are {scores[one]:g} and {scores[other]:g}; correct it, or leave out scores where "
                "more is not better"
            )
            raise InputError(msg)
    return {**record, "ranks": ranks}


def _scores_in(row: Mapping[str, Any], teams: Sequence[str]) -> list[float] | None:
    """Return the scores that one cell has, in the order of the teams; None where there is no such cell."""
    cells = {name: str(row[name]).strip() for name in ("score", "result") if name in row}
    name = next((each for each, cell in cells.items() if _SCORES.fullmatch(cell)), None)
    if name is None and "score" not in cells:
        return None
    name = name or "score"
    scores = _BETWEEN.split(cells[name])
    if len(scores) != len(teams) or not _SCORES.fullmatch(cells[name]):
        msg = f"{name} must be a score for each of {', '.join(teams)}, as 3:1, got {cells[name]!r:.40}"
        raise InputError(msg)
    return [figure(score, name) for score in scores]


def _members(row: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """Return the players of a team: a cell each, or all in one cell."""
    if len(columns) == 1:
        return players_in(row.get(columns[0], ""), columns[0])
    return [cell_text(row[name], name) for name in columns if name in row]


def _scored(team: str, teams: Iterable[str]) -> str:
    """Return the team of a column of scores: ``score1`` is that of ``team1``."""
    return next(
        (each for each in (team, f"team{team}", f"team {team}", f"team_{team}") if each in teams), team
    )


def _ranks(row: Mapping[str, Any], teams: Sequence[str]) -> list[float] | None:
    """Return ranks as the result or the winner of a row says; None where it says neither."""
    if "result" in row:
        result = str(row["result"]).strip().lower()
        if result not in RANKS or len(teams) != 2:
            msg = (
                f"result must be win, loss or draw of {', '.join(teams[:1])} among two teams, "
                f"got {str(row['result'])!r:.40}"
            )
            raise InputError(msg)
        return [1.0, 1.0] if result in DRAWN else [RANKS[result], 3.0 - RANKS[result]]
    if "winner" in row:
        winner = str(row["winner"]).strip().lower()
        if winner in ("draw", "tie"):
            return [1.0] * len(teams)
        won = _scored(winner, teams)
        if won not in teams:
            msg = f"winner must be {', '.join(teams)} or draw, got {winner!r:.40}"
            raise InputError(msg)
        return [1.0 if team == won else 2.0 for team in teams]
    return None
