"""Rosters from files and standard input: names as people write them, tables and JSON, from bytes to players.

What every loader does first is here too: from a file to its bytes, from bytes to text.  Standard input is
read in one place, so that a person at a terminal learns that the program waits.  Every mistake becomes an
:class:`~equipoise.errors.InputError` that begins with the file and the line (or the entry).
"""

from __future__ import annotations

import csv
import io
import json
import os.path
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any, cast
from unicodedata import normalize

from equipoise.core import notices
from equipoise.core.data_frames import SEPARATOR_LINE
from equipoise.core.plain_data import (
    COLUMNS,
    NUMBER,
    OF_ALL,
    column_of,
    data_rows,
    fail,
    of_all,
    player_of,
    players_of,
    short,
)
from equipoise.core.player import Player
from equipoise.errors import AmbiguousError, InputError, again
from equipoise.files.pasted_lines import plain_name, refuse_points, weight_of


def standard_input() -> IO[bytes]:
    """Return the bytes of standard input.

    Raises
    ------
    InputError
        If it was closed before the start.
    """
    stdin = cast("object", sys.stdin)  # None where it was closed before the start
    if stdin is None:
        msg = "standard input: it is closed"
        raise InputError(msg)
    for listener in notices.waiting:
        listener()
    return sys.stdin.buffer


#: Columns of numbers, which a spreadsheet may write with a decimal comma.
_NUMBERS = {"weight", "mu", "sigma", "side", *OF_ALL}
WITH_COMMA = re.compile(r"[+-]?[\d.'’\u202f\u00a0]*,[\d.]*")
#: A number in a cell.
_IS_NUMBER = re.compile(r"\d+([.,'’]\d+)*").fullmatch
#: A whole number of 100 and above.
_LARGE = re.compile(r"[1-9]\d{2,}")
#: A line of JSON Lines, an object on its own.
_OBJECT = re.compile(r"\s*\{.*\}\s*")
#: What begins JSON; a clan's tag or a time in brackets does not.
_JSON = re.compile(r"\{\s*(?:\"|\}|$)|\[\s*(?:[\"{\[]|\](?=\s*$)|-?\d+(?:\.\d+)?\s*[,\]]|$)")
_PLAIN_WEIGHT = re.compile(r"\s*(?:-?[0-9]+(?:\.[0-9]+)?)?\s*(?<!\.[0-9]{3})").fullmatch
_PLAIN_CELL = re.compile(r"[\w .,'=;%-]*").fullmatch
#: A name beside which nothing stands that could say whether its bearer comes.
_PLAIN_NAME = re.compile(r"\s*\w*\s*").fullmatch
#: How many rows a table has at most in which people say so beside names.
MOST_ROWS = 2000
#: The line below the header of a Markdown table.
_RULE = re.compile(r"[\s|:+-]*-[\s|:+-]*")
#: The lines that consoles draw around tables, as those of Markdown.
_DRAWN = str.maketrans(
    {**dict.fromkeys("│┃║", "|"), **dict.fromkeys("─━═┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬┏┓┗┛┣┫┳┻╋╭╮╰╯", "-")}
)


if TYPE_CHECKING:
    from equipoise.files.line_kinds import Heard


class ReadRoster(list[Player]):
    """The players of a roster, with what it says of its scale.

    Parameters
    ----------
    players : iterable of Player
        In the order of the roster.
    beta : float, optional
        The performance noise of one player, in the units of the ratings.
    zero : float, optional
        The weight of a player whose presence makes no difference, in the same units.
    draws : float, optional
        How often even teams draw for each time one of them wins.
    places : sequence of str, optional
        Where each player stands: the file and the line or entry.
    """

    def __init__(
        self,
        players: Iterable[Player] = (),
        beta: float | None = None,
        zero: float | None = None,
        draws: float | None = None,
        places: Sequence[str] = (),
    ) -> None:
        super().__init__(players)
        self.beta, self.zero, self.draws, self.places = beta, zero, draws, places
        #: What else was read of a paste; None where there is nothing to say.
        self.heard: Heard | None = None

    @property
    def report(self) -> list[str]:
        """What was read, in a sentence, then each line that is no player; empty where there is nothing."""
        return [] if self.heard is None else self.heard.lines(self)

    @property
    def has_scale(self) -> bool:
        """Whether it says what its weights are measured by."""
        return not self.beta is self.zero is self.draws is None


#: The control characters of Unicode (category Cc) but tab and line feed.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def read_roster(source: str, read: str | None = None) -> ReadRoster:
    """Read a roster from a file, or from standard input where the source is ``-``.

    Parameters
    ----------
    source : str
        A path or ``-``.  Endings ``.csv``, ``.tsv`` and ``.json`` say the format; of others, and
        of standard input, the first character and line do.

    Raises
    ------
    InputError
        If the file cannot be read or something in it is wrong.
    """
    where, content = content_of(source)
    return parse_roster(content, where, ending_of(source), read)


def read_paste(text: str, read: str | None = None) -> ReadRoster:
    r"""Read names as people write and paste them, for :func:`equipoise.balance`.

    Parameters
    ----------
    text : str
        What a chat, a sheet, a poll or the console of a server has: a name a line, with or without a weight.
    read : str, optional
        How to read lines that can be read in several ways: the choices of the questions, separated by
        commas, as ``"names,maybe-out"``.

    Returns
    -------
    ReadRoster
        The players; ``report`` has what was read, and each line that is no player.

    Raises
    ------
    AmbiguousError
        If a line can be read in several ways; ``ways`` has the choices.
    InputError
        If the text is wrong in another way.

    Examples
    --------
    >>> roster = read_paste("Hi\n1. Ann 7\n2. Bob 5\n3. Cid 4 (out)\n4. Dee + Eve")
    >>> [player.id for player in roster], roster.report
    (['Ann', 'Bob', 'Dee', 'Eve'], ['4 players, 1 duo, 2 without points, 1 not coming.', "Not read: 'Hi'"])
    """
    return parse_roster(text.encode("utf-8", "surrogatepass"), "paste", read=read)


def content_of(source: str, most: int = -1) -> tuple[str, bytes]:
    """Return what messages call a file, and what is in it, or so many bytes; ``-`` is standard input."""
    if source == "-":
        return "standard input", standard_input().read(most)
    try:
        with open(source, "rb") as file:
            return source, file.read(most)
    except (OSError, ValueError) as error:
        msg = f"{source or repr(source)}: cannot be read: {getattr(error, 'strerror', None) or error}"
        raise InputError(msg) from error


def decoded(content: bytes, where: str) -> str:
    """Return UTF-8 text with line feeds, without a byte order mark; anything else is refused."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        fail(where, "it is UTF-16; save it as UTF-8")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        fail(f"{where}, line {number}", "it is not UTF-8 text; save the file as UTF-8")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    found = CONTROL.search(text)
    if found is not None:
        number = text.count("\n", 0, found.start()) + 1
        fail(
            f"{where}, line {number}",
            f"it has the control character {found.group()!r}; the file must be plain text",
        )
    return text


def ending_of(source: str) -> str:
    """Return the ending of a file's name, nothing for standard input."""
    return "" if source == "-" else os.path.splitext(source)[1].lower()


def parse_roster(content: bytes, where: str, ending: str = "", read: str | None = None) -> ReadRoster:
    r"""Read a roster from bytes, nobody from no text; see :func:`read_roster`.

    Parameters
    ----------
    content : bytes
        UTF-8 text, with or without a byte order mark, lines ended in any way.
    where : str
        What messages call the source.
    ending : str
        ``".csv"``, ``".tsv"`` or ``".json"``; anything else leaves it to the content.
    read : str, optional
        How to read lines that can be read in several ways, choices separated by commas; see
        :func:`equipoise.files.pasted_names.parse_paste`.

    Examples
    --------
    >>> [player.rating.mu for player in parse_roster(b"5 Ann\n7 Bob", "here")]
    [5.0, 7.0]
    """
    text = _undrawn(SEPARATOR_LINE.sub("", decoded(content, where)))
    first = text.lstrip()
    if not first:
        return ReadRoster()
    if ending == ".json" or (ending not in (".csv", ".tsv") and _JSON.match(first)):
        return _from_json(text, where, read)
    if ending in (".csv", ".tsv"):
        return _from_table(text, where, read)
    above = 0 if _looks_like_table(first.split("\n")[0], where) else _above_header(text)
    if above is None:
        return _from_lines(text, where, read)
    roster = _from_table(text, where, read, above)
    if roster.heard is None and len(roster) <= MOST_ROWS:  # pasted, as names are
        from equipoise.files.line_kinds import Heard

        roster.heard = Heard()
    return roster


def _above_header(text: str) -> int | None:
    """Return how many lines stand above the header of a table in other words, or below what it is of.

    ``Spieler;Punkte``, or ``Players: 3`` above ``Name;Rating``; None where it is no table.
    """
    lines = text.split("\n", 6)[:6]
    for at, line in enumerate(lines):
        cells = re.split(r"[|]" if _is_markdown(line) else r"[,;\t]", line.strip().strip("|"))
        if len(cells) > 1:
            letters = "".join(map(str.strip, cells))
            if letters == "ABCDEFGH"[: len(letters)]:
                continue  # the letters above the columns of a sheet
            if re.search(r"\d", re.sub(r"\(.*?\)", "", line)) and at == 0 and "#" not in line:
                return None
            from equipoise.files.table_columns import is_header

            return at if is_header(cells) else None
    return None


def _undrawn(text: str) -> str:
    """Return a table that is drawn with lines, as databases and consoles print it, without them."""
    first = text.lstrip().partition("\n")[0].translate(_DRAWN)
    plain = text.translate(_DRAWN)
    if not _RULE.fullmatch(first) or "|" not in plain:
        return text
    return "\n".join("" if _RULE.fullmatch(line) else line for line in plain.split("\n"))


def _looks_like_table(header: str, where: str) -> bool:
    """Tell whether a line is the header of a table; one that may be somebody called Nick is refused."""
    if NUMBER.match(header):
        return False
    names = {
        plain_name(cell.strip().strip('"')).lower()
        for cell in re.split(r"[|]" if _is_markdown(header) else r"[,;\t]", header)
    }
    known = {name for name in names if column_of(name) is not None}
    if known == {"nick"}:
        readings = ("the header of a column", "a player")
        remedy = "write 'name' for a header, or a player of this name below another one"
        at = f"{where}, line 1"
        raise AmbiguousError(at, header.strip(), readings, remedy)
    return bool(known)


def _from_lines(text: str, where: str, read: str | None) -> ReadRoster:
    from equipoise.files.pasted_names import parse_paste  # tables and JSON do without

    seen: dict[str, int] = {}
    players = []
    entries = parse_paste(text, where, read)
    for entry in entries:
        row: dict[str, Any] = {"name": entry.name}
        if entry.weight is not None:
            row["weight"] = entry.weight
        if entry.party is not None:
            row["party"] = entry.party
        players.append(player_of(row, f"{where}, line {entry.line}", seen, entry.line))
    if not players:
        unread = f"; not read: {short(entries.heard.unread[0][1])}" if entries.heard.unread else ""
        fail(where, f"it has no players{unread}; write a line for each player")
    roster = ReadRoster(players)
    roster.heard = entries.heard
    return roster


def _from_table(text: str, where: str, read: str | None = None, above: int = 0) -> ReadRoster:
    lines = text.split("\n")
    titled = tuple((n, line.strip()) for n, line in enumerate(lines[:above], start=1) if line.strip())
    text = "\n".join(["" for _ in lines[:above]] + lines[above:]) if above else text

    seen: dict[str, int] = {}
    rows: list[tuple[str, dict[str, Any]]] = []
    players = []
    weights: list[tuple[str, str]] = []
    table = [(number, cells) for number, cells in _rows(text, where) if any(map(str.strip, cells))]
    number, titles = table[0]
    top = f"{where}, line {number}"
    columns, kept, heard = _fields(titles), table[1:], None
    if not _is_plain(columns, kept):
        from equipoise.files.table_columns import tell

        settled = tell(titles, columns, kept, where, read)
        columns, kept, heard = settled.columns, settled.rows, settled.heard
        if not {"weight", "mu"} & set(columns):
            free = ["coming" if at in settled.coming else column for at, column in enumerate(columns)]
            _refuse_numbers([titles, *(cells for _, cells in kept)], free, top)
    columns = _header(titles, columns, top)
    if "id" not in columns:
        kept = _alike(kept, columns.index("name"), where, read)
    for number, cells in kept:
        at = f"{where}, line {number}"
        if len(cells) > len(columns):
            fail(at, f"it has {len(cells)} cells, but the header has {len(columns)} columns")
        row: dict[str, Any] = {
            column: plain_name(cell)
            for column, cell in zip(columns, cells, strict=False)
            if column and cell.strip()
        }
        if "weight" in row:
            weights.append((at, row["weight"]))
        for column in _NUMBERS & row.keys():
            if WITH_COMMA.fullmatch(row[column]):
                row[column] = weight_of(row[column], at, row[column])
        players.append(player_of(row, at, seen, number))
        rows.append((at, row))
    doubtful = _delimiter(text) == ";" or any(_LARGE.fullmatch(cell) for _, cell in weights)
    refuse_points(weights, doubtful=doubtful)
    roster = ReadRoster(players, **of_all(rows), places=[at for at, _ in rows])
    if titled:
        from equipoise.files.line_kinds import Heard

        heard = heard or Heard()
        heard = replace(heard, unread=titled + heard.unread)
    roster.heard = heard
    return roster


def _alike(
    rows: Sequence[tuple[int, list[str]]], label: int, where: str, read: str | None
) -> list[tuple[int, list[str]]]:
    """Return rows; of ``Anna`` and ``anna`` only one where they are answered to be one player."""
    seen: dict[str, str] = {}
    kept = []
    for number, cells in rows:
        name = plain_name(cells[label]) if label < len(cells) else ""
        before = seen.setdefault(normalize("NFC", name).casefold(), name)
        if before != name:
            from equipoise.files.line_kinds import choices_of

            answers = choices_of(read)
            if "alike-one" in answers:
                continue
            if "alike-two" not in answers:
                ways: dict[str, tuple[str, float | None]] = {
                    "alike-one": (before, None),
                    "alike-two": (name, None),
                }
                readings = (f"the same player as {short(before)}", "somebody else")
                msg = f"{where}, line {number}"
                raise AmbiguousError(msg, name, readings, "choose with read", ways)
        kept.append((number, cells))
    return kept


def _is_plain(columns: Sequence[str], rows: Sequence[tuple[int, list[str]]]) -> bool:
    """Tell whether all columns are fields, and no cell needs more than to be read as it stands."""
    if "" in columns or not rows:
        return False
    weights = [column in ("weight", "mu") for column in columns]
    named = _PLAIN_NAME if len(rows) <= MOST_ROWS else _PLAIN_CELL
    label = "name" if "name" in columns else "id"
    plain = [_PLAIN_WEIGHT if column in ("weight", "mu") else named if column == label else _PLAIN_CELL
             for column in columns]  # fmt: skip
    for _, cells in rows:
        for cell, is_plain in zip(cells, plain, strict=False):
            if not is_plain(cell):
                return False
    numbers = [
        [float(cell or 0.0) for cell, weight in zip(cells, weights, strict=False) if weight]
        for _, cells in rows
    ]
    total, last = sum(map(sum, numbers[:-1])), sum(numbers[-1])
    mean = total / max(len(rows) - 1, 1)
    return len(rows) < 3 or not any(numbers[-1]) or (total != last and abs(mean - last) > 0.01 * last)


def _refuse_numbers(table: Sequence[Sequence[str]], columns: Sequence[str], at: str) -> None:
    """``Name;Punkte``: numbers under a name that is not known, where nothing else is a weight."""
    numbers = []
    for place, title in enumerate(table[0]):
        cells = [row[place].strip() for row in table[1:] if len(row) > place and row[place].strip()]
        counting = cells == [str(n) for n in range(1, len(cells) + 1)]
        if not columns[place] and title.strip() and cells and not counting and all(map(_IS_NUMBER, cells)):
            numbers.append(short(plain_name(title)))
    if numbers:
        fail(at, f"no column is one of weights, but there are numbers under {', '.join(numbers)}; "
                 "call the one with the weights 'weight', and delete the others")  # fmt: skip


def _rows(text: str, where: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the cells of each row of a CSV, tab or Markdown table."""
    if not (delimiter := _delimiter(text)):
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip() and not _RULE.fullmatch(line):
                yield (
                    number,
                    [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")],
                )
        return
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        fail(f"{where}, line {reader.line_num}", f"it is not CSV: {error}")


def _delimiter(text: str) -> str:
    """Return what separates the cells of a table; nothing where it is Markdown."""
    header = next(line for line in text.split("\n") if line.strip())
    return "" if _is_markdown(header) else max(",;\t", key=header.count)


def _is_markdown(header: str) -> bool:
    return "|" in header and not any(separator in header for separator in ",;\t")


def _fields(titles: Sequence[str]) -> list[str]:
    names = [plain_name(title).lower() for title in titles]
    return [column_of(name) or (name if name in OF_ALL else "") for name in names]


def _header(cells: Sequence[str], columns: list[str], at: str) -> list[str]:
    """Return the columns; those without a name, or with one twice, are refused."""
    names = [plain_name(cell).lower() for cell in cells]
    if "name" not in columns and "id" not in columns:
        allowed = "; ".join(f"{names[0]} (or {', '.join(names[1:])})" if names[1:] else names[0]
                            for names in COLUMNS.values())  # fmt: skip
        fail(at, f"the header has no column 'name' or 'id'; columns are: {allowed}")
    named = [column for column in columns if column]
    if len(set(named)) < len(named):
        twice = named[again(named)]
        written = [short(name) for name, column in zip(names, columns, strict=True) if column == twice]
        fail(
            at,
            f"the header has the column {twice!r} more than once ({', '.join(written)}); delete all but one",
        )
    return columns


def _from_json(text: str, where: str, read: str | None = None) -> ReadRoster:
    def load(piece: str) -> Any:
        return json.loads(piece, object_pairs_hook=lambda pairs: object_once(pairs, where))

    try:
        pieces = [line for line in text.split("\n") if line.strip()]
        by_line = len(pieces) > 1 and all(_OBJECT.fullmatch(piece) for piece in pieces)
        data = list(map(load, pieces)) if by_line else load(text)
    except InputError:
        raise
    except json.JSONDecodeError as error:
        fail(f"{where}, line {error.lineno}", f"it is not JSON: {error.msg}")
    except ValueError:
        fail(where, "it has a number of more digits than can be read; weights are up to 1e15")
    except RecursionError:
        fail(where, "it is nested too deeply; a roster is a list of players")
    if isinstance(data, dict) and isinstance(data.get("players"), list):
        data = data["players"]
    objects = [each for each in data if isinstance(each, dict)] if isinstance(data, list) else []
    known = data_rows(data, where, read) if objects and len(objects) == len(data) else None
    players = players_of(
        data if known is None else known.rows, where, places=() if known is None else known.places
    )
    places = [f"{where}, entry {number}" for number in range(1, len(players) + 1)]
    places = places if known is None else known.places
    roster = ReadRoster(players, **of_all((where, each) for each in objects), places=places)
    roster.heard = None if known is None else known.heard
    return roster


def object_once(pairs: list[tuple[str, Any]], where: str) -> dict[str, Any]:
    """Return a JSON object; one that has a key twice would lose something without a word."""
    data = dict(pairs)
    if len(data) < len(pairs):
        keys = [key for key, _ in pairs]
        fail(where, f"the key {short(keys[again(keys)])} comes twice in one object; names must differ")
    return data
