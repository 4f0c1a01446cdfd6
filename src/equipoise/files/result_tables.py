"""Results as organisers keep them in a spreadsheet: a row for each match, or for each player of a match.

The columns are described in docs/how-to/ratings.md, "Results from a spreadsheet".
"""

from __future__ import annotations

import hashlib
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from equipoise.core.match import CLOCK, Match, Skipped, moved
from equipoise.core.match_records import cell_text, match_from, number_from
from equipoise.errors import InputError
from equipoise.files.file_kinds import kind_of
from equipoise.files.pasted_lines import HELD, named, parts_of, unquoted, weight_of
from equipoise.files.pasted_names import refuse_joined
from equipoise.files.read_roster import WITH_COMMA, content_of
from equipoise.files.result_titles import DRAWN as NOBODY_WON
from equipoise.files.result_titles import result_title
from equipoise.files.spreadsheets import SPREADSHEETS, Row, rows_from
from equipoise.files.table_dates import (
    ORDERS,
    WHEN,
    ask_order,
    check_order,
    check_short_years,
    is_local,
    order_of,
    time_of,
    undated,
    when_of,
)
from equipoise.games.plain.reader import WRONG
from equipoise.identity.names import folded
from equipoise.ratings.replay import HASHED, OF_TABLE

#: Columns that are of the match and of no team.
OF_MATCH = {
    "id": "id",
    "match": "id",
    "game": "game",
    "game_type": "game_type",
    "map": "map",
    "weight": "weight",
}

#: What a result may be, and the rank of the side that had it.
RANKS = {
    "win": 1.0, "won": 1.0, "w": 1.0, "loss": 2.0, "lost": 2.0, "l": 2.0, "draw": 1.0, "tie": 1.0, "d": 1.0,
}  # fmt: skip
DRAWN = ("draw", "tie", "d")


def common(row: Mapping[str, Any], dates: str | None) -> dict[str, Any]:
    """Return what a row says of its match, as the fields of a record.

    Raises
    ------
    InputError
        If it is wrong as a whole, or does not say when the match was, or in two ways.
    """
    if WRONG in row:
        raise InputError(row[WRONG])
    column = when_of(row)
    if not column:
        msg = (
            f"ended is missing; one of {', '.join(WHEN)} says when a match was played, "
            "in every row or in none"
        )
        raise InputError(msg)
    record = {field: row[name] for name, field in OF_MATCH.items() if name in row}
    record["ended"] = time_of(row[column], column, dates)
    if "weight" in record:
        record["weight"] = figure(record["weight"], "weight")
    return record


def figure(cell: Any, column: str) -> float:
    """Return a number, also with a decimal comma.

    Examples
    --------
    >>> figure("3,5", "score")
    3.5
    """
    if isinstance(cell, str) and WITH_COMMA.fullmatch(cell.strip()):
        return weight_of(cell, column, cell, "score")
    return number_from(cell, column)


def players_in(cell: Any, column: str) -> list[str]:
    """Return the players in a cell: separated by commas or semicolons, or as the parties of a roster.

    Raises
    ------
    InputError
        If it may be one player or several, as ``Ann and Bob``.

    Examples
    --------
    >>> players_in("Ann; Bob", "red"), players_in("Ann+Bob", "red"), players_in("R&B", "red")
    (['Ann', 'Bob'], ['Ann', 'Bob'], ['R&B'])
    """
    text, held = unquoted(cell_text(cell, column))
    parts = [part for name in re.split(r"[;,]|\s[+&/]\s", text) for part in parts_of(name.strip()) if part]
    for part in parts:
        if HELD not in part:
            refuse_joined(part, named(part, held), column)
    return [named(part, held) for part in parts]


def players_under(row: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """Return the players in the cell of the first of these columns that a row has."""
    column = next((name for name in columns if name in row), None)
    if column is None:
        msg = f"{columns[0]} is missing; write the players of a team, as Ann; Bob"
        raise InputError(msg)
    return players_in(row[column], column)


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


#: Endings of tables as text.
TABLES = (".csv", ".tsv")


def is_results(source: str) -> bool:
    """Tell whether a path is that of a table of results or a spreadsheet; standard input is not."""
    if source.lower().endswith(SPREADSHEETS):
        return True
    if not source.lower().endswith(TABLES):
        return False
    kind = kind_of(content_of(source)[1], source)
    return kind is not None and kind.name == "results"


def read_results(
    source: Any, *, dates: str | None = None, note: Callable[[str], None] | None = None
) -> Iterator[Match | Skipped]:
    """Read a table with a row for each match, or with a row for each player of a match.

    Rows that say the same are as many matches: those of one time are a second apart, in the order of the
    table.  What the table has an id for counts once.  The id of any other says what its row says, so that it
    is the same in a table with other rows, or with the rows in another order.

    Parameters
    ----------
    source : str, data frame, or iterable of mappings
        The path of a CSV file (``-`` is standard input) or a spreadsheet, a frame of pandas or polars, or
        the rows.
    dates : {"day-first", "month-first"}, optional
        How to read dates such as 03/04/2026; by default as the others of the column show, such as 13/04/2026.
        A table without dates has its matches in the order of the rows.
    note : callable, optional
        Called with what is to be said: that there are no dates, and each empty cell that makes teams uneven.

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
    for found in results_from(source, dates, note=note):
        yield replace(found, local="") if isinstance(found, Match) else found


def results_from(
    source: Any,
    dates: str | None,
    known: Callable[[Match], Match] | None = None,
    tell: Callable[[str, Match], None] | None = None,
    note: Callable[[str], None] | None = None,
    moments: Callable[[Sequence[tuple[float, bool]]], Sequence[float]] | None = None,
) -> Iterator[Match | Skipped]:
    """Read a table as :func:`read_results`, with the ids that ``known`` gives to players.

    ``tell`` hears of each match where it stands, ``note`` what is to be said.  ``moments`` returns when all
    matches were, from their times in the order of the rows and whether each is local: two of one time of day
    may be of two moments, and need not be a second apart then.

    Times of day without a zone are given as local times, see :class:`~equipoise.core.match.Match`.

    Raises
    ------
    InputError
        As :func:`read_results`; what ``known`` raises makes a match one that is skipped.
    """
    if dates is not None and dates not in ORDERS:
        msg = f"dates must be {' or '.join(ORDERS)}, got {dates!r}"
        raise InputError(msg)
    where, given = rows_from(source)
    titles = {name: name if name == WRONG else result_title(name) for _, row in given for name in row}
    titles |= {name: name for name, title in titles.items() if title != name and title in titles}
    rows = [(at, {titles[name]: cell for name, cell in row.items()}) for at, row in given]
    if not rows:
        msg = f"{where}: it has no rows; write one for each match, or for each player of a match"
        raise InputError(msg)
    dateless = not any(when_of(row) for _, row in rows)
    if dateless:
        rows = undated(rows, MATCH)
        if note is not None:
            note(f"{where} has no dates: its matches count in the order of the rows, as if played in 2000")
    dates = _order(rows, dates)
    columns = list(dict.fromkeys(name for _, row in rows for name in row if name != WRONG))
    parts: Sequence[tuple[str, Any]] = rows
    teams: dict[str, list[str]] = {}
    if set(PLAYER) & set(columns):
        parts, record_of = _long_matches(rows), _long_record
    else:
        teams = _teams(columns, where)
        record_of = partial(_record, teams)
    numbering = _Numbering(known, undated=dateless)
    read = [_read(part, partial(record_of, part, dates)) for _, part in parts]
    times = [(one.ended or 0.0, one.local == CLOCK) for one, _ in read if isinstance(one, Match)]
    when = iter([each for each, _ in times] if moments is None else moments(times))
    for (at, part), (one, own) in zip(parts, read, strict=True):
        if isinstance(one, InputError):
            yield Skipped(at, str(one))
            continue
        try:
            match = numbering.settled(one, next(when), own=own)
        except InputError as error:
            yield Skipped(at, str(error))
            continue
        if tell is not None:
            tell(at, match)
        if note is not None and teams and (empty := _empty(part, teams)):
            note(f"{at}: {empty}")
        yield match


def _order(rows: Sequence[Row], dates: str | None) -> str | None:
    """Return the order of day and month in a table, as it is asked for or as all dates show."""
    if dates is not None:
        check_order(rows, dates)
        return dates
    check_short_years(rows)
    found = order_of(rows)
    if found is None:
        ask_order(rows)
    return found


def _read(part: Any, recorded: Callable[[], dict[str, Any]]) -> tuple[Match | InputError, bool]:
    """Return the match of a row, or of several, and whether the table has an id for it; or what is wrong."""
    try:
        record = recorded()
        match = match_from(record)
    except InputError as error:
        return error, False
    return replace(match, local=CLOCK) if is_local(part) else match, "id" in record


def _empty(row: Mapping[str, Any], teams: Mapping[str, Sequence[str]]) -> str:
    """Return which cells of smaller teams have no player, empty where teams are of one size."""
    sizes = {team: len(_members(row, columns)) for team, columns in teams.items()}
    most = max(sizes.values())
    cells = [
        column
        for team, columns in teams.items()
        for column in columns
        if 0 < sizes[team] < most and column not in row
    ]
    if not cells:
        return ""
    against = " against ".join(str(size) for size in sizes.values() if size)
    return f"{', '.join(cells)} {'is' if len(cells) == 1 else 'are'} empty: read as {against}"


class _Numbering:
    """Gives matches of a table ids by which each counts once, however often and in whatever order it is read.

    A match keeps the id of its table, with its date, as people count from 1 every season.  Without one it has
    a hash of what its row says, and of how many rows before it said the same.  Matches of one time were
    played in the order of the table: they are a second apart.
    """

    def __init__(self, known: Callable[[Match], Match] | None, *, undated: bool = False) -> None:
        self._known, self._undated = known, undated
        self._at: Counter[float] = Counter()
        self._equal: Counter[str] = Counter()
        #: What was read under each id of the table, and what became of it.
        self._settled: dict[str, tuple[Match, Match]] = {}

    def settled(self, read: Match, moment: float, *, own: bool) -> Match:
        """Return a match with an id, its table's ``own`` or that of its content, at a time of its own.

        ``moment`` is when it was, where the time in its row is a local one.
        """
        match = read if self._known is None else self._known(read)
        ended = match.ended or 0.0
        date = "undated" if self._undated else time.strftime("%Y-%m-%d", time.gmtime(ended))
        identity = f"{OF_TABLE}{date}-{read.id if own else self._hash(read)}"
        before, settled = self._settled.get(identity, (None, match))
        if before == read:
            return settled
        later = replace(moved(match, ended + self._at[moment]), id=identity)
        self._at[moment] += 1
        if own:
            self._settled.setdefault(identity, (read, later))
        return later

    def _hash(self, read: Match) -> str:
        """Return what tells a match from all others of its date, whatever the case of names, and its row."""
        (contest,) = read.contests
        teams = [sorted((folded(player), share) for player, share in team) for team in contest.teams]
        ruleset, scores = contest.ruleset, contest.scores or [None] * len(teams)
        content = repr((
            0.0 if self._undated else contest.at, contest.weight,
            ruleset.game, ruleset.game_type, ruleset.mutators, folded(read.map),
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
    if len(teams) == 1 and not {"loser", "losers", "loss"} & set(columns):  # player1, player2, winner
        (each,) = teams.values()
        if len(each) > 1:
            return {name: [name] for name in each}
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
    """Return a record with the ranks that a row says, if it says any; they count before its scores."""
    members = zip(teams, record["teams"], strict=True)
    ranks = _ranks(row, teams, {team: [name.strip().lower() for name in names] for team, names in members})
    return record if ranks is None else {**record, "ranks": ranks}


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
    named = (team, *(f"{each}{between}{team}" for each in ("team", "player") for between in ("", " ", "_")))
    return next((each for each in named if each in teams), team)


def _ranks(
    row: Mapping[str, Any], teams: Sequence[str], players: Mapping[str, Sequence[str]]
) -> list[float] | None:
    """Return ranks as the result or the winner of a row says; None where it says neither."""
    if "result" in row:
        result = str(row["result"]).strip().lower()
        result = "draw" if result in NOBODY_WON else result
        if result not in RANKS or len(teams) != 2:
            msg = (
                f"result must be win, loss or draw of {', '.join(teams[:1])} among two teams, "
                f"got {str(row['result'])!r:.40}"
            )
            raise InputError(msg)
        return [1.0, 1.0] if result in DRAWN else [RANKS[result], 3.0 - RANKS[result]]
    if "winner" in row:
        winner = str(row["winner"]).strip().lower()
        if winner in NOBODY_WON and not any(winner in names for names in players.values()):
            return [1.0] * len(teams)
        won = _scored(winner, teams)
        having = [team for team in teams if winner in players.get(team, ())]
        if won not in teams and len(having) == 1:
            won = having[0]
        elif won in teams and having and having != [won]:
            msg = f"winner: {winner!r} is a team and a player of another one; call the team otherwise"
            raise InputError(msg)
        if won not in teams:
            typed = str(row["winner"])
            msg = f"winner must be {', '.join(teams)}, one of the players, or draw, got {typed!r:.40}"
            raise InputError(msg)
        return [1.0 if team == won else 2.0 for team in teams]
    return None


#: What the column of players may be called.
PLAYER = ("player", "name", "nick")

#: What tells the rows of one match; without it they are those of one time.
MATCH = ("match", "id")

SCORE, RANK = ("score", "team_score", "team score"), ("rank", "place")


def _long_matches(rows: Sequence[Row]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the rows of each match, with the place of the first of them, or of one that is wrong."""
    found: dict[Any, tuple[str, list[dict[str, Any]]]] = {}
    for at, row in rows:
        key = next(((name, str(row[name])) for name in (*MATCH, *WHEN) if name in row), at)
        members = found.setdefault(key, (at, []))[1]
        members.append(row)
        if WRONG in row:
            found[key] = at, members
    return list(found.values())


def _long_record(rows: Sequence[Mapping[str, Any]], dates: str | None) -> dict[str, Any]:
    """Return the rows of a match as a record.

    Raises
    ------
    InputError
        If rows contradict each other, or something is missing.
    """
    teams: dict[str, list[str]] = {}
    standings: dict[str, tuple[float, bool]] = {}
    for row in rows:
        column = next((name for name in PLAYER if name in row), None)
        if column is None:
            msg = f"{PLAYER[0]} is missing; each row is one player of a match"
            raise InputError(msg)
        standing = _standing(row)
        team = cell_text(row.get("team", f"those with {standing[0]:g}"), "team").strip().lower()
        teams.setdefault(team, []).append(cell_text(row[column], column))
        if standings.setdefault(team, standing) != standing:
            msg = f"team {team!r}: its score, rank or result must be the same in all its rows"
            raise InputError(msg)
    shared = common(rows[0], dates)
    for row in rows:
        if common(row, dates) != shared:
            msg = "a match must have one date, one map and one game in all its rows"
            raise InputError(msg)
    values = [standings[team] for team in teams]
    if len({scored for _, scored in values}) > 1:
        msg = "score must be in all rows of a match, or in none"
        raise InputError(msg)
    field = "scores" if values and values[0][1] else "ranks"
    return {**shared, "teams": list(teams.values()), field: [value for value, _ in values]}


def _standing(row: Mapping[str, Any]) -> tuple[float, bool]:
    """Return the score of a row's team and True, or else its rank and False."""
    for names, scored in ((SCORE, True), (RANK, False)):
        for name in names:
            if name in row:
                return figure(row[name], name), scored
    result = str(row.get("result", "")).strip().lower()
    if result not in RANKS:
        msg = f"result must be win, loss or draw, or there must be a score or a rank, got {result!r:.40}"
        raise InputError(msg)
    if result in DRAWN and "team" not in row:
        msg = "team is missing; after a draw nothing else tells the teams apart"
        raise InputError(msg)
    return RANKS[result], False
