"""Tables of matches, a player a row, straight into the columns of a history: from CSV text and from Parquet.

Here are only tables that are as most are: the rows of a match one after the other, and nothing wrong with
them.  Others are left to :func:`equipoise.games.plain.reader.from_rows`, which says what is wrong.

Most cells are as those of the row above or of some row before, so a text is not cut into all of its cells:
of a column are known where its cells stand, which differ, and what those are that do.  The columns of a
Parquet file polars compares and counts itself.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Any

import numpy as np

from equipoise.core.arrays import Floats, Ints
from equipoise.core.data_frames import SEPARATOR_LINE
from equipoise.core.match import LEAST_SHARE, in_range, ranks_of, settled_scores
from equipoise.core.match_records import SECONDS, cell_text, is_text, number_from, text_from, time_from
from equipoise.core.plain_data import has_value
from equipoise.errors import InputError
from equipoise.files.match_json_columns import Decoded, LineDecoder, center, wrong_of
from equipoise.files.read_matches import parquet_frame
from equipoise.games.plain.reader import SEPARATOR, checked
from equipoise.ratings.models.gaussian_filter.contest_columns import figure

#: Rows that become columns at a time, as far as the last match among them is whole.
ROWS_AT_ONCE = 20_000  # effort

#: Bytes of a text that become columns at a time.
BLOCK = 1 << 22  # effort

#: So many bits of a hash say where in a table it is looked up.
BITS = 16  # effort

#: Rows of more bytes than this are not one match.
LONGEST_MATCH = 1 << 24

#: A cell of more bytes is no name and no number: such parts of a text are cut in the plain way.
LONGEST_CELL = 64

#: Bytes that are compared at once, and what is left of them where a cell ends before.
WORD = 8
_LEFT = np.array([(1 << (8 * many)) - 1 for many in range(WORD + 1)], dtype=np.uint64)


class Unusual(Exception):  # noqa: N818  # it is no error
    """The table is not as most are."""


class _Codes(dict[Any, int]):
    """A number for each cell that differs, in the order in which they were met."""

    def __missing__(self, cell: Any) -> int:
        code = self[cell] = len(self)
        return code


class CellColumn:
    """A column as a list of its cells."""

    def __init__(self, cells: Sequence[Any]) -> None:
        self._cells = cells

    def changes(self) -> Any:
        """Tell of each cell whether it is another than that of the row above."""
        cells = self._cells
        differ = map(operator.ne, itertools.islice(cells, 1, None), cells)
        return np.append(True, np.fromiter(differ, np.bool_, len(cells) - 1))

    def at(self, rows: Ints) -> list[Any]:
        """Return the cells of some rows."""
        return [self._cells[n] for n in rows.tolist()]

    def cells(self) -> list[Any]:
        """Return the cells of all rows."""
        return list(self._cells)

    def coded(self) -> tuple[Ints, list[Any]]:
        """Return a number for each cell, and what the numbers mean."""
        codes = _Codes()
        column = np.fromiter(map(codes.__getitem__, self._cells), np.int64, len(self._cells))
        return column, list(codes)


class TextColumn(CellColumn):
    """A column as parts of a text, from a place in it to another each."""

    def __init__(self, content: bytes, words: Any, starts: Ints, ends: Ints) -> None:
        self._content, self._words, self._starts, self._ends = content, words, starts, ends

    def changes(self) -> Any:
        """Tell of each cell whether it is another than that of the row above."""
        differ = np.ones(len(self._starts), dtype=np.bool_)
        differ[1:] = False
        for part in self._parts():
            differ[1:] |= part[1:] != part[:-1]
        return differ

    def at(self, rows: Ints) -> list[Any]:
        """Return the cells of some rows."""
        content, bounds = (
            self._content,
            zip(self._starts[rows].tolist(), self._ends[rows].tolist(), strict=True),
        )
        return [content[start:end].decode() for start, end in bounds]

    def before(self, row: int) -> TextColumn:
        """Return the column as far as a row."""
        return TextColumn(self._content, self._words, self._starts[:row], self._ends[:row])

    def cells(self) -> list[str]:
        """Return the cells of all rows."""
        return self.at(np.arange(len(self._starts)))

    def coded(self) -> tuple[Ints, list[Any]]:
        """Return a number for each cell, and what the numbers mean."""
        parts = self._parts()
        first, codes = grouped(mixed(*parts))
        if all((part == part[first][codes]).all() for part in parts):
            return codes, self.at(first)
        return CellColumn(self.cells()).coded()  # two cells have the same hash

    def _parts(self) -> list[Any]:
        """Return the lengths of the cells, and their bytes as numbers of eight."""
        lengths = self._ends - self._starts
        parts = [lengths.astype(np.uint64)]
        for place in range(0, int(lengths.max()), WORD):
            # What stands behind the end of the text is not looked at, but has to be somewhere.
            at = np.minimum(self._starts + place, len(self._words) - 1)
            parts.append(self._words[at] & _LEFT[np.clip(lengths - place, 0, WORD)])
        return parts


#: Columns of a table by their names, each with a cell for every row: lists, or a :class:`CellColumn`.
Cells = dict[str, Any]


def mixed(*columns: Any) -> Any:
    """Return numbers in which every bit of some columns has a part, by the mixing step of splitmix64."""
    total = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        bits = column if column.dtype == np.uint64 else column.astype(np.float64).view(np.uint64)
        total = (total ^ bits) * np.uint64(0xBF58476D1CE4E5B9)
        total ^= total >> np.uint64(31)
    return total


def grouped(hashes: Any) -> tuple[Ints, Ints]:
    """Return the first row of each hash that differs, and which of these each row has.

    Each row looks into a table whose rows the hash's first bits number; those who find another hash there
    try again with other bits.

    Examples
    --------
    >>> first, codes = grouped(mixed(np.array([7.0, 5.0, 7.0])))
    >>> first.tolist(), codes.tolist()
    ([0, 1], [0, 1, 0])
    """
    table, codes = np.empty(1 << BITS, dtype=np.int64), np.empty(len(hashes), dtype=np.int64)
    rows, found = np.arange(len(hashes)), list[Ints]()
    while len(rows):
        slots = (hashes >> np.uint64(64 - BITS)).astype(np.int64)
        places = np.arange(len(rows))
        table[slots[::-1]] = places[::-1]  # of several the last stays: the first there is
        at = table[slots]
        same, first = hashes[at] == hashes, np.flatnonzero(at == places)
        numbers = np.empty(len(rows), dtype=np.int64)
        numbers[first] = np.arange(len(first)) + sum(map(len, found))
        codes[rows[same]] = numbers[at[same]]
        found.append(rows[first])
        rows, hashes = rows[~same], mixed(hashes[~same])
    return np.concatenate([np.empty(0, dtype=np.int64), *found]), codes


def rows_of(file: IO[bytes], delimiter: str = "") -> Iterator[Cells]:
    """Go through the rows of a text, some at a time, as columns; texts end with a match.

    Raises
    ------
    Unusual
        If the text is no such table.
    """
    try:
        simple = _is_simple(file)
        header = file.readline().decode("utf-8-sig")
        header = file.readline().decode() if SEPARATOR_LINE.match(header) else header
        delimiter = delimiter or max(",;\t", key=header.count)
        names = next(csv.reader([header], delimiter=delimiter), [])
        columns = checked([cell.strip().lower() for cell in names], "")
        if len(set(columns)) < len(columns):
            raise Unusual
        if simple:
            yield from _split(file, columns, delimiter)
            return
        with io.TextIOWrapper(file, encoding="utf-8", newline="") as text:
            reader = csv.reader(text, delimiter=delimiter)
            while some := list(itertools.islice(reader, ROWS_AT_ONCE)):
                yield _transposed(some, columns)
    except (csv.Error, UnicodeDecodeError, InputError) as error:
        raise Unusual from error


def _is_simple(file: IO[bytes]) -> bool:
    """Tell whether lines and delimiters alone part the cells of a text; the file is at its beginning then."""
    simple = True
    while simple and (block := file.read(BLOCK) + file.readline()):
        simple = b'"' not in block and (b"\r" not in block or block.count(b"\r") == block.count(b"\r\n"))
    file.seek(0)
    return simple


def _split(file: IO[bytes], columns: Sequence[str], delimiter: str) -> Iterator[Cells]:
    """Go through rows without quotes: what is between delimiters, all at once."""
    rest = b""
    while block := file.read(BLOCK) + file.readline():
        content = rest + (block.replace(b"\r\n", b"\n") if b"\r" in block else block)
        content = content if content.endswith(b"\n") else content + b"\n"
        bounds = _bounds(content, len(columns), delimiter)
        if bounds is None:
            content = _without_empty_lines(content)
            bounds = _bounds(content, len(columns), delimiter)
        if bounds is None:
            rest = b""
            lines = io.StringIO(content.decode(), newline="")
            yield _transposed(list(csv.reader(lines, delimiter=delimiter)), columns)
            continue
        content.decode()  # all of it has to be text
        found = _columns(content, bounds, columns)
        last = int(np.flatnonzero(found["match"].changes())[-1])
        if last:
            yield {name: column.before(last) for name, column in found.items()}
        elif len(content) > LONGEST_MATCH:
            raise Unusual
        rest = content[int(bounds[last - 1, -1]) + 1 :] if last else content
    bounds = _bounds(rest, len(columns), delimiter)
    if bounds is not None:
        yield _columns(rest, bounds, columns)


def _without_empty_lines(content: bytes) -> bytes:
    """Return lines without those that are empty."""
    lines = content.strip(b"\n") + b"\n"
    while b"\n\n" in lines:
        lines = lines.replace(b"\n\n", b"\n")
    return lines.lstrip(b"\n")


def _columns(content: bytes, bounds: Ints, columns: Sequence[str]) -> Cells:
    """Return the columns of a text, of which is known where each cell ends."""
    padded = content + bytes(WORD)
    words = np.lib.stride_tricks.as_strided(
        np.frombuffer(padded, dtype="<u8", count=1), (len(content),), (1,), writeable=False
    )
    starts = np.empty_like(bounds)
    starts[:, 1:] = bounds[:, :-1] + 1
    starts[1:, 0] = bounds[:-1, -1] + 1
    starts[0, 0] = 0
    cells = zip(starts.T.copy(), bounds.T.copy(), strict=True)
    return {name: TextColumn(padded, words, *each) for name, each in zip(columns, cells, strict=True)}


def _bounds(content: bytes, width: int, delimiter: str) -> Ints | None:
    """Return where each cell of each line ends; None where some line has not so many, or one too long."""
    marks = np.frombuffer(content, dtype=np.uint8)
    ends = np.flatnonzero(marks == ord("\n"))
    parts = np.flatnonzero(marks == ord(delimiter))
    if len(parts) != (width - 1) * len(ends):
        return None
    bounds = np.column_stack((parts.reshape(len(ends), width - 1), ends))
    flat = np.diff(bounds.ravel(), prepend=-1)
    if not len(flat):
        return None
    # Where a line has more delimiters than it should, one of the next stands before the line's end.
    return bounds if flat.min() > 0 and flat.max() <= LONGEST_CELL + 1 else None


def _transposed(some: Sequence[Sequence[str]], columns: Sequence[str]) -> Cells:
    """Return rows as columns, without empty lines."""
    rows = [row for row in some if row]
    if set(map(len, rows)) - {len(columns)}:
        raise Unusual
    return dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)) if rows else {}


#: What is the same in all rows of a match.
OF_MATCH = ("ended", "began", "game", "game_type", "mutators", "weight")

#: What is known of a player in a match, and what is checked record by record instead.
OF_PLAYER, RARE = ("kills", "deaths", "score", "share"), ("party", "left")


class _Known(dict[Any, Any]):
    """What cells mean, found out once for each that differs."""

    def __init__(self, meaning: Callable[[Any], Any]) -> None:
        self._meaning = meaning

    def __missing__(self, cell: Any) -> Any:
        found = self[cell] = self._meaning(cell)
        return found


class _Names(dict[Any, int]):
    """Cells as codes, in the order in which they were met; blanks around a text are nothing."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        #: What somebody else calls each code.
        self.numbers: Ints = np.zeros(0, dtype=np.int64)
        self._codes: dict[str, int] = {}
        self._places: Ints = np.zeros(0, dtype=np.int64)

    def __missing__(self, cell: Any) -> int:
        if not has_value(cell):
            raise Unusual
        text = cell_text(cell, "").strip()
        code = self[cell] = self._codes.setdefault(text, len(self.texts))
        if code == len(self.texts):
            self.texts.append(text)
        return code

    def of(self, column: CellColumn) -> Ints:
        """Return the codes of a column."""
        codes, cells = column.coded()
        return np.array([self[cell] for cell in cells], dtype=np.int64)[codes]

    def places(self) -> Ints:
        """Return the place of each code among the sorted texts."""
        if len(self._places) < len(self.texts):
            order = sorted(range(len(self.texts)), key=self.texts.__getitem__)
            self._places = np.empty(len(order), dtype=np.int64)
            self._places[order] = np.arange(len(order))
        return self._places


def _number(cell: Any) -> float:
    """Return a number, nan where the cell is empty."""
    if not has_value(cell):
        return math.nan
    return number_from(cell.strip() if isinstance(cell, str) else cell, "")


def _figure(kills: float, deaths: float, score: float, share: float) -> float:
    """Return what statistics say; nan is unknown."""
    known = [None if number != number else number for number in (kills, deaths, score)]
    if not in_range(known[0], known[1], known[2]):
        raise Unusual
    return figure(known[0], known[1], known[2], share)


class RowDecoder:
    """Puts the rows of tables into columns; a line decoder numbers players and rulesets."""

    def __init__(self, lines: LineDecoder) -> None:
        self._lines = lines
        self._teams, self._players = _Names(), _Names()
        self._texts = _Known(self._text)
        self._numbers = _Known(_number)
        self._figures = _Known(lambda key: _figure(*key))

    def decode(self, parts: Iterator[Cells]) -> Iterator[Decoded]:
        """Go through tables that follow one another, and give the matches that are whole.

        The last match of lists moves to the next: they are changed.  Other columns end with a match.

        Raises
        ------
        Unusual
            If they are not as most are.
        """
        seen: set[str] = set()
        rest: Cells = {}
        for part in filter(None, parts):
            cells = part
            if isinstance(cells["match"], CellColumn):
                if not rest:
                    yield self._decoded(cells, seen)
                    continue
                cells = {name: column.cells() for name, column in cells.items()}
            for name, column in rest.items():
                cells[name][:0] = column
            last = self._last_match(cells["match"])
            rest = {name: column[last:] for name, column in cells.items()}
            for column in cells.values():
                del column[last:]
            if last:
                yield self._decoded(_listed(cells), seen)
        if rest:
            yield self._decoded(_listed(rest), seen)

    @staticmethod
    def _last_match(names: Sequence[Any]) -> int:
        """Return where the last match begins."""
        place = len(names) - 1
        while place and names[place - 1] == names[place]:
            place -= 1
        return place

    def _decoded(self, cells: Mapping[str, CellColumn], seen: set[str]) -> Decoded:
        try:
            return self._columns(cells, seen)
        except (InputError, TypeError, KeyError) as error:
            raise Unusual from error

    def _columns(self, cells: Mapping[str, CellColumn], seen: set[str]) -> Decoded:
        """Return the matches of whole rows, each once."""
        if any(any(map(has_value, cells[name].coded()[1])) for name in RARE if name in cells):
            raise Unusual
        changes = cells["match"].changes()
        firsts, match = np.flatnonzero(changes), np.cumsum(changes) - 1
        ids = _ids(cells["match"].at(firsts))
        if not all(ids) or len(set(ids)) < len(firsts) or not seen.isdisjoint(ids):
            raise Unusual
        seen.update(ids)
        heads = self._heads(cells, changes)
        player = self._players.of(cells["player"])
        order, starts, sizes, counts = self._order(cells, match, player, len(firsts))
        columns: dict[str, Any] = {
            **heads, "at": heads["ended"], "size": sizes, "teams": counts,
            "player": self._numbered(player[order]),
            "contests": np.ones(len(firsts), dtype=np.int64),
            "reported": np.zeros(len(firsts), dtype=np.int64),
        }  # fmt: skip
        self._results(columns, cells, order, starts)
        self._seat(columns, cells, order)
        if wrong_of(columns):
            raise Unusual
        return Decoded(list(range(len(ids))), ids, columns, {})

    def _heads(self, cells: Mapping[str, CellColumn], changes: Any) -> dict[str, Any]:
        """Return what is the same in all rows of a match."""
        firsts, first = np.flatnonzero(changes), dict[str, list[Any]]()
        for name in OF_MATCH:
            if name in cells:
                other = cells[name].changes()
                if (other & ~changes).any():
                    raise Unusual
                differ = cells[name].at(np.flatnonzero(other))
                first[name] = [differ[n] for n in (np.cumsum(other) - 1)[firsts].tolist()]
        for cell in first.get("began", ()):
            if has_value(cell):
                time_from(cell, "began")
        empty = [""] * len(firsts)
        rules = zip(*(first.get(name, empty) for name in ("game", "game_type", "mutators")), strict=True)
        weight = [1.0] * len(firsts)
        if "weight" in first:
            weight = [self._numbers[cell] if has_value(cell) else 1.0 for cell in first["weight"]]
        return {
            "ended": np.array(_times(first["ended"])), "weight": np.array(weight),
            "which": np.array([self._texts[rule] for rule in rules], dtype=np.int64),
        }  # fmt: skip

    def _order(
        self, cells: Mapping[str, CellColumn], match: Ints, player: Ints, many: int
    ) -> tuple[Ints, Ints, Ints, Ints]:
        """Return the order of the rows (teams by name, players by id), and where in it each team begins.

        Then the players of each team, and the teams of each match.
        """
        teams, players = self._teams.of(cells["team"]), self._players
        team = self._teams.places()[teams]
        key = (match * (len(self._teams.texts) + 1) + team) * (len(players.texts) + 1) + players.places()[
            player
        ]
        order = np.argsort(key, kind="stable")
        match, team = match[order], team[order]
        begins = np.append(True, (match[1:] != match[:-1]) | (team[1:] != team[:-1]))
        starts = np.flatnonzero(begins)
        counts = np.bincount(match[starts], minlength=many)
        if counts.min() < 2:
            raise Unusual
        return order, starts, np.diff(np.append(starts, len(match))), counts

    def _results(
        self, columns: dict[str, Any], cells: Mapping[str, CellColumn], order: Ints, starts: Ints
    ) -> None:
        """Add ranks and scores, which all rows of a team have alike, and all teams of a match or none."""
        counts = columns["teams"]
        ends = np.cumsum(counts)
        of_row = np.repeat(np.arange(len(starts)), columns["size"])
        found: dict[str, Floats] = {}
        stated: dict[str, Any] = {}
        for name in ("rank", "team_score"):
            column = np.full(len(order), math.nan)
            if name in cells:
                codes, numbers = self._coded(cells[name])
                column = numbers[codes[order]]
            team = found[name] = column[starts]
            same = column == team[of_row]
            known = np.add.reduceat(team == team, ends - counts)
            if (
                not (same | (np.isnan(column) & np.isnan(team)[of_row])).all()
                or ((known > 0) & (known < counts)).any()
            ):
                raise Unusual
            stated[name] = known > 0
        rank, score = found["rank"], found["team_score"]
        if not (stated["rank"] | stated["team_score"]).all():
            raise Unusual
        for n in np.flatnonzero(stated["team_score"] & (stated["rank"] | (counts != 2))).tolist():
            part = slice(int(ends[n] - counts[n]), int(ends[n]))
            if stated["rank"][n]:
                score[part] = settled_scores(rank[part].tolist(), score[part].tolist())
            else:
                rank[part] = ranks_of(tuple(score[part].tolist()))
        pairs = np.flatnonzero(~stated["rank"] & (counts == 2))
        one, other = ends[pairs] - 2, ends[pairs] - 1
        rank[one], rank[other] = score[one] < score[other], score[other] < score[one]
        columns["rank"], columns["score"] = rank, score

    def _seat(self, columns: dict[str, Any], cells: Mapping[str, CellColumn], order: Ints) -> None:
        """Add shares and figures."""
        many = len(order)
        nothing = np.zeros(many, dtype=np.int64), np.array([math.nan])
        known = [self._coded(cells[name]) if name in cells else nothing for name in OF_PLAYER]
        codes, shares = known[-1]
        shares = np.where(np.isnan(shares), 1.0, shares)
        known[-1] = codes, shares
        if not ((shares >= LEAST_SHARE) & (shares <= 1.0)).all():
            raise Unusual
        columns["share"] = shares[codes[order]]
        columns["figure"] = np.full(many, math.nan)
        if any(name in cells for name in OF_PLAYER[:-1]):
            together = np.zeros(many, dtype=np.int64)
            for codes, numbers in known:
                if len(numbers) > 1:
                    together = np.unique(together * len(numbers) + codes, return_inverse=True)[1]
            _, first = np.unique(together, return_index=True)
            keys = zip(*(numbers[codes[first]].tolist() for codes, numbers in known), strict=True)
            columns["figure"] = np.array([self._figures[key] for key in keys])[together[order]]
            center(columns)

    def _coded(self, column: CellColumn) -> tuple[Ints, Floats]:
        """Return a code for each cell, and the numbers that they mean."""
        codes, cells = column.coded()
        return codes, np.array([self._numbers[cell] for cell in cells])

    def _numbered(self, player: Ints) -> Ints:
        """Return the numbers of players in the columns, in the order of first appearance."""
        known = self._players
        many = len(known.numbers)
        new = dict.fromkeys(player[player >= many].tolist())
        if new:
            known.numbers = np.append(known.numbers, np.zeros(len(known.texts) - many, dtype=np.int64))
            for code in new:
                known.numbers[code] = self._lines.number(known.texts[code])
        return known.numbers[player]

    def _text(self, rule: tuple[Any, Any, Any]) -> int:
        """Return the number of the ruleset of three cells."""
        game, kind, mutators = (cell_text(cell, "") if has_value(cell) else "" for cell in rule)
        return self._lines.ruleset(game, kind, tuple(filter(None, map(str.strip, mutators.split(SEPARATOR)))))


def _listed(cells: Cells) -> dict[str, CellColumn]:
    return {name: CellColumn(column) for name, column in cells.items()}


def _times(cells: Sequence[Any]) -> list[float]:
    """Return times as seconds since 1970."""
    kinds = set(map(type, cells))
    if kinds == {str} and set(map(len, cells)) == {SECONDS} and "".join(cells).isdecimal():
        return list(map(float, cells))
    if kinds <= {int, float}:  # whether they are times is looked at with all other numbers
        return list(map(float, cells))
    return [time_from(cell.strip() if isinstance(cell, str) else cell, "") for cell in cells]


def _ids(cells: Sequence[Any]) -> list[str]:
    """Return the ids of matches; raise where one is no text."""
    if set(map(type, cells)) == {str}:
        together = "".join(cells)
        if all(cells) and is_text(together) and len(together.split()) == 1 and together == together.strip():
            return list(cells)
    return [text_from(cell_text(cell, "id"), "id") for cell in cells if has_value(cell)]


def hashes_of(columns: dict[str, Any]) -> list[int]:
    """Return a hash of what the columns of a match say, for each."""
    counts, sizes = columns["teams"], columns["size"]
    teams = np.cumsum(counts) - counts
    seats = np.add.reduceat(sizes, teams)
    total = mixed(columns["ended"], columns["which"], columns["weight"], counts)
    for names, firsts, lengths in (
        (("rank", "score", "size"), teams, counts),
        (("player", "share", "figure"), np.cumsum(seats) - seats, seats),
    ):
        place = np.arange(lengths.sum()) - np.repeat(firsts, lengths)
        total = mixed(total, np.add.reduceat(mixed(place, *(columns[name] for name in names)), firsts))
    found: list[int] = total.view(np.int64).tolist()
    return found


#: Rows that are taken at a time.
MATCHES_AT_ONCE = 50_000  # effort


def parquet_columns(source: str) -> Iterator[Cells]:
    """Go through the rows of a Parquet file as columns, some at a time that end with a match.

    Raises
    ------
    InputError
        If the file cannot be read, the library for it is not installed, or a column is missing.
    """
    frame = parquet_frame(source)
    checked(frame.columns, source)
    yield from frame_columns(frame)


def frame_columns(frame: Any) -> Iterator[Cells]:
    """Go through the rows of a data frame as columns, some at a time that end with a match."""
    if not frame.height:
        return
    begins = np.flatnonzero(SeriesColumn(frame["match"]).changes())
    places = np.searchsorted(begins, np.arange(MATCHES_AT_ONCE, begins[-1] + 1, MATCHES_AT_ONCE))
    bounds = np.unique([0, *begins[places], frame.height]).tolist()
    for begin, end in itertools.pairwise(bounds):
        some = frame[begin:end]
        yield {name: _column(some[name]) for name in some.columns}


class SeriesColumn(CellColumn):
    """A column of texts or whole numbers, with none left out, as polars keeps it."""

    def __init__(self, series: Any) -> None:
        self._series = series

    def changes(self) -> Any:
        """Tell of each cell whether it is another than that of the row above."""
        differ = self._series.ne_missing(self._series.shift(1)).to_numpy(writable=True)
        differ[0] = True
        return differ

    def at(self, rows: Ints) -> list[Any]:
        """Return the cells of some rows."""
        return list(self._series.gather(rows).to_list())

    def cells(self) -> list[Any]:
        """Return the cells of all rows."""
        return list(self._series.to_list())

    def coded(self) -> tuple[Ints, list[Any]]:
        """Return a number for each cell, and what the numbers mean."""
        differing = self._series.unique()
        if self._series.dtype.is_integer():
            numbers = differing.sort().to_numpy()
            return np.searchsorted(numbers, self._series.to_numpy()), numbers.tolist()
        import polars as pl  # what has a series has it

        codes = self._series.cast(pl.Enum(differing)).to_physical()
        return codes.to_numpy().astype(np.int64), differing.to_list()


def _column(series: Any) -> CellColumn:
    """Return a column as it is gone through fastest."""
    plain = series.null_count() == 0 and (series.dtype.is_integer() or str(series.dtype) == "String")
    return SeriesColumn(series) if plain else CellColumn(series.to_list())
