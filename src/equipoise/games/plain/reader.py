"""``plain``: results as anyone can write them: JSONL, a match a line, or a table, a row a player.

The formats are described in docs/match-files.md; what a record may hold in
:mod:`equipoise.core.match_records`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, NoReturn

from equipoise.core.data_frames import SEPARATOR_LINE
from equipoise.core.match import Match, Skipped
from equipoise.core.match_records import cell_text, match_from, number_from
from equipoise.core.rulesets import GameRules
from equipoise.errors import InputError, again
from equipoise.games.log_reader import Block, LineReader

#: The columns of a table; ``match``, ``ended``, ``team`` and ``player`` are needed, and one of ``rank`` and
#: ``team_score``.
COLUMNS = (
    *("match", "began", "ended", "game", "game_type", "mutators", "weight"),
    *("team", "rank", "team_score", "player", "share", "kills", "deaths", "score"),
    *("party", "left"),
)
_OF_MATCH = ("began", "ended", "game", "game_type", "weight")
_OF_PLAYER = ("share", "kills", "deaths", "score")

#: What a cell may say about having left.
LEFT = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}

#: What parts the mutators in a cell.
SEPARATOR = ";"

#: In place of a column, where a row as a whole is wrong, and why: no column has such a name.
WRONG = "\n"

#: A row: where it stands, and its cells that are not empty.
Row = tuple[str, Mapping[str, Any]]

#: What a match can do without where the rest says who won: the fields of its scores, and of statistics.
SCORES, STATISTICS = frozenset({"scores", "team_score"}), frozenset({"kills", "deaths", "score"})

#: What was left out of matches that count without it: by their ids what was wrong, and where.
Faults = dict[str, list[str]]

#: Tells how far a file was read: from 0 to 1.
Progress = Callable[[float], None]

#: Records from one word of progress to the next.
OFTEN = 1000

#: The part of the work on a table that is done once all rows have been read.
READ = 0.5


def silence(part: float) -> None:
    """Tell nobody."""


#: What is nothing in a line: blanks, and the mark that some programs begin a file with.
_BLANK = b" \t\r\n\xef\xbb\xbf"


class Plain:
    """Results in JSONL or CSV, see :class:`equipoise.games.log_reader.Game`."""

    name = "plain"
    server = ""

    def recognise(self, head: bytes) -> str:
        """Tell by a first line that is an object, or that has the columns of a table."""
        first, _, rest = head.lstrip(_BLANK).partition(b"\n")
        first = rest.partition(b"\n")[0] if _is_separator(first) else first
        if first.startswith(b"{"):
            return "a first line '{...'"
        return "a first line with the columns of a table" if _is_header(first) else ""

    def reader(self, source: str, first_line: int = 1) -> PlainReader:
        """Return a reader for JSONL or, where the first line has its columns, for a table."""
        return PlainReader(source, first_line)

    def rules(self) -> tuple[GameRules, ...]:
        """Return no table: the records say themselves what changed play."""
        return ()


def _is_separator(line: bytes) -> bool:
    return SEPARATOR_LINE.match(line.decode("utf-8-sig", "replace") + "\n") is not None


def _is_header(line: bytes) -> bool:
    cells = line.strip(_BLANK).lower().replace(b";", b",").replace(b"\t", b",").split(b",")
    return {b"match", b"team", b"player"} <= {cell.strip(b' "') for cell in cells}


class PlainReader(LineReader):
    """Reads one file of results, see :class:`equipoise.games.log_reader.Reader`.

    A table has its matches only when it ends, as the rows of a match may stand apart: a part of a table is
    another table.
    """

    def __init__(self, source: str, first_line: int = 1, faults: Faults | None = None) -> None:
        super().__init__(source, first_line)
        self._faults = faults
        self._table: list[bytes] | None = None
        self._started = first_line > 1

    def idle(self) -> bool:
        """Tell whether this is no table."""
        return self._table is None

    def take(self, block: Block) -> None:
        """Take some lines."""
        for number, line in enumerate(block.content.split(b"\n")[:-1], start=block.line):
            self._line(line, number)

    def _line(self, line: bytes, number: int) -> None:
        if self._table is not None:
            self._table.append(line)
        elif line.strip(_BLANK) and (self._started or not _is_separator(line)):
            if not self._started and _is_header(line):
                self._table = [b""] * (number - 1) + [line]
            else:
                self.give(from_line(line, f"{self.source}, line {number}", self._faults))
            self._started = True

    def end(self) -> None:
        """Take the end; the last line needs no line feed."""
        self._line(self.lines.rest(), self.lines.line)
        if self._table is None:
            return
        try:
            for found in from_rows(csv_rows(b"\n".join(self._table), self.source), faults=self._faults):
                self.give(found)
        except InputError as error:
            where, _, reason = str(error).partition(": ")
            self.give(Skipped(where, reason))


def from_line(line: bytes, where: str, faults: Faults | None = None) -> Match | Skipped:
    """Return the match of a line of JSON, or what is wrong with it; faults as :func:`sparing` has them."""
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Skipped(where, "it is not UTF-8 text")
    except (ValueError, RecursionError) as error:
        return Skipped(where, f"it is not JSON: {getattr(error, 'msg', 'a number or nesting is too large')}")
    return from_record(record, where, faults)


def from_record(record: Any, where: str, faults: Faults | None = None) -> Match | Skipped:
    """Return the match of a record, or what is wrong with it; faults as :func:`sparing` has them."""

    def read(left_out: frozenset[str]) -> Match | Skipped:
        try:
            return match_from(_without(record, left_out) if left_out else record)
        except InputError as error:
            return Skipped(where, str(error))

    return sparing(read, faults)


def sparing(read: Callable[[frozenset[str]], Match | Skipped], faults: Faults | None) -> Match | Skipped:
    """Return a match, without its scores or statistics where these are wrong and the rest says who won.

    Parameters
    ----------
    read : callable
        Reads the match without some fields.
    faults : dict or None
        Where what was left out is noted; None for a match that has to be right.
    """
    found = read(frozenset())
    if faults is None or isinstance(found, Match):
        return found
    unscored, bare = read(SCORES), read(STATISTICS)
    for match, wrong in ((unscored, [found]), (bare, [found]), (read(SCORES | STATISTICS), [bare, unscored])):
        if isinstance(match, Match):
            places = [f"{one.where}: {one.reason}" for one in wrong if isinstance(one, Skipped)]
            faults.setdefault(match.id, [" and ".join(places)])
            return match
    return found


def _without(record: Any, left_out: frozenset[str], ranks: Any = None) -> Any:
    """Return a record without some fields; scores stay where there are no ranks."""
    if not isinstance(record, dict):
        return record
    ranks = record.get("ranks", ranks)
    kept = {field: value for field, value in record.items() if field not in left_out}
    if ranks is None and "scores" in record:
        kept["scores"] = record["scores"]
    if isinstance(record.get("contests"), list):
        kept["contests"] = [_without(part, left_out, ranks) for part in record["contests"]]
    if isinstance(record.get("teams"), list):
        kept["teams"] = [
            [_without(player, left_out) for player in team] if isinstance(team, list) else team
            for team in record["teams"]
        ]
    return kept


def csv_rows(content: bytes, where: str, delimiter: str = "", tell: Progress = silence) -> Iterator[Row]:
    """Go through the rows of a CSV file; the delimiter is by default what the header has most of."""
    text = SEPARATOR_LINE.sub("", content.decode("utf-8-sig", "surrogateescape"))
    sound = _is_utf8(text)
    header = text.lstrip("\r\n").split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or max(",;\t", key=header.count))
    columns: list[str] = []
    lines = text.count("\n") + 1
    try:
        for cells in reader:
            if reader.line_num % OFTEN == 0:
                tell(READ * reader.line_num / lines)
            at = f"{where}, line {reader.line_num}"
            if not any(cells):
                continue
            wrong = (
                "" if sound or _is_utf8("".join(cells)) else "it is not UTF-8 text; save the file as UTF-8"
            )
            if columns:
                row = row_under(columns, [cell.strip() for cell in cells])
                yield at, {**row, WRONG: wrong} if wrong else row
            elif wrong:
                msg = f"{at}: {wrong}"
                raise InputError(msg)
            else:
                columns = checked([cell.strip().lower() for cell in cells], at)
    except csv.Error as error:
        msg = f"{where}, line {reader.line_num}: it is not CSV: {error}"
        raise InputError(msg) from error


def _is_utf8(text: str) -> bool:
    """Tell whether all of a text was decoded."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def row_under(columns: Sequence[str], cells: Sequence[Any]) -> dict[str, Any]:
    """Return the cells of a row by column, without those that are empty; more cells than columns are wrong.

    Examples
    --------
    >>> row_under(["player", "score"], ["ann", ""])
    {'player': 'ann'}
    >>> row_under(["player", "score"], ["ann", "3", "9"])[WRONG]
    'it has 3 cells, but the header has 2 columns'
    """
    row = {column: cell for column, cell in zip(columns, cells, strict=False) if column and cell != ""}
    if len(cells) > len(columns):  # empty ones too: of "3,9,," nobody knows where the cells belong
        row[WRONG] = f"it has {len(cells)} cells, but the header has {len(columns)} columns"
    return row


def checked(columns: list[str], where: str) -> list[str]:
    """Return the columns where the needed ones are there."""
    missing = [name for name in ("match", "ended", "team", "player") if name not in columns]
    if not {"rank", "team_score"} & set(columns):
        missing.append("rank (or team_score)")
    if missing:
        msg = f"{where}: the column {missing[0]} is missing; columns are: {', '.join(COLUMNS)}"
        raise InputError(msg)
    unknown = [name for name in columns if name not in COLUMNS]
    if unknown:
        msg = f"{where}: there is no column {unknown[0]!r}; columns are: {', '.join(COLUMNS)}"
        raise InputError(msg)
    if len(set(columns)) < len(columns):
        msg = f"{where}: the column {columns[again(columns)]} appears twice; delete all but one"
        raise InputError(msg)
    return columns


def from_rows(
    rows: Iterable[Row], tell: Progress = silence, faults: Faults | None = None
) -> Iterator[Match | Skipped]:
    """Put the rows of each match together, which may stand apart; faults as :func:`sparing` has them."""
    by_match: dict[str, list[Row]] = {}
    for where, cells in rows:
        if "match" not in cells:
            yield Skipped(where, cells.get(WRONG, "match is missing; write the id of the match"))
            continue
        try:
            name = cell_text(cells["match"], "match")
        except InputError as error:
            yield Skipped(where, str(error))
            continue
        by_match.setdefault(name, []).append((where, cells))
    for number, (name, some) in enumerate(by_match.items(), start=1):
        yield sparing(partial(_match, name, some), faults)
        if number % OFTEN == 0:
            tell(READ + (1.0 - READ) * number / len(by_match))


def _match(name: str, rows: list[Row], left_out: frozenset[str]) -> Match | Skipped:
    """Return the match of its rows without some columns; every message says which row."""
    if left_out:
        rows = [(at, {name: cell for name, cell in row.items() if name not in left_out}) for at, row in rows]
    first = rows[0][1]
    record: dict[str, Any] = {"id": name, **{field: first[field] for field in _OF_MATCH if field in first}}
    teams: dict[str, list[dict[str, Any]]] = {}
    results: dict[str, dict[str, float]] = {"rank": {}, "team_score": {}}
    where = rows[0][0]
    try:
        for place, cells in rows:
            where = place
            _add_row(cells, first, teams, results)
        where = rows[0][0]
        if "mutators" in first:
            mutators = cell_text(first["mutators"], "mutators").split(SEPARATOR)
            record["mutators"] = [part.strip() for part in mutators if part.strip()]
        for field, into in (("rank", "ranks"), ("team_score", "scores")):
            if results[field]:
                if len(results[field]) < len(teams):
                    _fail(f"{field} must be there for all teams or for none")
                record[into] = [results[field][team] for team in sorted(teams)]
        # Sorted, so that a table means the same in any order of its rows.
        record["teams"] = [sorted(teams[team], key=itemgetter("id")) for team in sorted(teams)]
        return match_from(record)
    except InputError as error:
        return Skipped(where, str(error))


def _add_row(
    cells: Mapping[str, Any],
    first: Mapping[str, Any],
    teams: dict[str, list[dict[str, Any]]],
    results: dict[str, dict[str, float]],
) -> None:
    """Add a row to its team; raise what is wrong with it."""
    if WRONG in cells:
        _fail(cells[WRONG])
    for field in ("team", "player"):
        if field not in cells:
            _fail(f"{field} is missing; every row must have one")
    for field in (*_OF_MATCH, "mutators"):
        if cells.get(field) != first.get(field):
            _fail(f"{field} must be the same throughout the match")
    team = cell_text(cells["team"], "team")
    player: dict[str, Any] = {
        field: number_from(cells[field], field) for field in _OF_PLAYER if field in cells
    }
    if "party" in cells:
        player["party"] = cell_text(cells["party"], "party")
    if "left" in cells:
        player["left"] = LEFT.get(str(cells["left"]).lower(), cells["left"])
    teams.setdefault(team, []).append({"id": cell_text(cells["player"], "player"), **player})
    for field, known in results.items():
        if field in cells:
            number = number_from(cells[field], field)
            if known.setdefault(team, number) != number:
                _fail(f"{field} must be the same throughout team {team!r}")


def _fail(msg: str) -> NoReturn:
    raise InputError(msg)


#: The game.
GAME = Plain()
