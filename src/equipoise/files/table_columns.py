"""What a table says besides the fields of players: who comes, names in two parts, ranks, partners, sums.

The words are data (:mod:`equipoise.core.paste_grammar`), which the board reads as well.
Columns that players' fields know keep their meaning; only the others are looked at here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from equipoise.core.paste_grammar import grammar
from equipoise.core.plain_data import COLUMNS, OF_ALL, DataRows, column_of, fail, has_value, short
from equipoise.errors import AmbiguousError
from equipoise.files.line_kinds import (
    Heard,
    asked_choice,
    cell_context,
    cell_status,
    cell_weights,
    choices_of,
    is_word,
    rank_weight,
    reply_of,
)
from equipoise.files.pasted_lines import IS_NUMBER, plain_name, weight_of

#: A row of a table: the number of its line, and its cells.
Row = tuple[int, list[str]]

_STRUCK = re.compile("~~[^~]*~~|[\u0334-\u0338]")
_ASIDE = re.compile(r"\s*(?:\(.*\)|\[.*\])?\s*[?:*]*$")
_NAMING = ("name_title", "first_title", "last_title")
_TELLING = ("weight_title", "attendance", "rank_title", "partner_title", "date")
_GROUPED = re.compile(r"([1-9][0-9]{0,2})[.,]([0-9]{3})")
_DECIMAL = re.compile(r"^0?[.,]|[.,](?:[0-9]{1,2}|[0-9]{4,})$")
_NUMBER = re.compile(r"[+-]?[0-9.,'’\u202f\u00a0]*[0-9][0-9.,'’]*(?:[eE][+-]?[0-9]+)?")
_ROWS = re.compile(r"\(?[0-9]+ rows?\)?(?: in set)?.*", re.IGNORECASE)


@dataclass(slots=True)
class ColumnsRead:
    """The rows of those who play, the columns they fill, and what else was read."""

    columns: list[str]
    rows: list[Row]
    heard: Heard | None = None
    #: The columns that say who comes.
    coming: tuple[int, ...] = ()


@dataclass(slots=True)
class _Columns:
    where: str
    titles: Sequence[str]
    columns: list[str]
    answers: frozenset[str]
    coming: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    #: What stood beside a weight and was left out of it.
    notes: list[tuple[int, str]] = field(default_factory=list)


def title_of(title: str) -> str:
    """Return a title as words know it.

    Examples
    --------
    >>> title_of(" Skill (1-10) "), title_of("Coming?")
    ('skill', 'coming')
    """
    return _ASIDE.sub("", plain_name(title).strip()).lower()


def is_header(cells: Sequence[str]) -> bool:
    """Tell whether cells are a header by the grammar's words: whom it names, and something about them.

    Examples
    --------
    >>> is_header(["Spieler", "Punkte"]), is_header(["Anna", "Bert"])
    (True, False)
    """
    titles = [title_of(cell) for cell in cells]
    fields = [column_of(title) for title in titles]
    named = sum(field in ("name", "id") or any(is_word(word, title) for word in _NAMING)
                for field, title in zip(fields, titles, strict=True))  # fmt: skip
    about = sum(field not in (None, "name", "id") or any(is_word(word, title) for word in _TELLING)
                for field, title in zip(fields, titles, strict=True))  # fmt: skip
    return named > 0 and (about > 0 or named > 1)


def tell(
    titles: Sequence[str], columns: Sequence[str], rows: Sequence[Row], where: str, read: str | None,
    *, marks: bool = True,
) -> ColumnsRead:  # fmt: skip
    """Return who plays by a table, from its titles, the fields they are of, and the rows below.

    Parameters
    ----------
    titles : sequence of str
        The cells of the header.
    columns : sequence of str
        The field of each, empty where it is of none.
    rows : sequence of Row
        What stands below.
    where : str
        What messages call the source.
    read : str, optional
        Choices that answer questions.
    marks : bool
        Whether what stands beside a name says who comes, as in what people write; in data a name is one.

    Raises
    ------
    AmbiguousError
        If a cell or a column can mean two things, and no choice says which.
    """
    known = _Columns(where, [title_of(title) for title in titles], list(columns), choices_of(read))
    cells = [(number, list(row)) for number, row in rows]
    _name_parts(known, cells)
    for at in _free(known):
        column = column_of(known.titles[at])
        if column and column not in known.columns:
            known.columns[at] = column
    for word in ("name", "weight"):
        if word not in known.columns and not (word == "weight" and "mu" in known.columns):
            place = next((at for at in _free(known) if is_word(f"{word}_title", known.titles[at])), None)
            if place is not None:
                known.columns[place] = word
    if not {"name", "id"} & set(known.columns):
        return ColumnsRead(known.columns, cells)
    _ranks(known, cells)
    _marks(known, cells)
    _digits(known, cells)
    _attending(known, cells)
    return _coming(known, cells, marks=marks)


def _free(known: _Columns) -> list[int]:
    return [at for at, column in enumerate(known.columns) if not column]


def _at(row: Sequence[str], place: int) -> str:
    return row[place].strip() if place < len(row) else ""


def _name_parts(known: _Columns, cells: Sequence[Row]) -> None:
    """Put ``First name`` and ``Surname`` together."""
    if "name" in known.columns:
        return
    parts = [next((at for at in _free(known) if is_word(word, known.titles[at])), None)
             for word in ("first_title", "last_title")]  # fmt: skip
    first, last = parts
    if first is None or last is None:
        return
    known.columns[first] = "name"
    for _, row in cells:
        if first < len(row):
            row[first] = f"{_at(row, first)} {_at(row, last)}".strip()


def _marks(known: _Columns, cells: Sequence[Row]) -> None:
    """Read ``8/10``, stars, ranges and ``1500 elo`` as they are read behind a name."""
    for place in [at for at, column in enumerate(known.columns) if column == "weight"]:
        filled = [(number, row) for number, row in cells if _at(row, place)]
        if all(_NUMBER.fullmatch(_at(row, place)) or is_word("blank", _at(row, place)) for _, row in filled):
            continue
        weights = [(number, _at(row, place)) for number, row in filled]
        read, notes = cell_weights(weights, known.where, known.answers)
        known.notes.extend(notes)
        for (number, row), text in zip(filled, read, strict=True):
            if _NUMBER.fullmatch(text) or not text:
                row[place] = text
            elif IS_NUMBER.fullmatch(text):
                weight = weight_of(text, f"{known.where}, line {number}", _at(row, place))
                row[place] = f"{weight:.15g}"


def _ranks(known: _Columns, cells: Sequence[Row]) -> None:
    """Read ``Gold 2`` as a weight, once which division is the best is known, and grades."""
    places = [at for at, column in enumerate(known.columns) if column == "weight"]
    if not {"weight", "mu"} & set(known.columns):
        places = [at for at in _free(known) if is_word("rank_title", known.titles[at])]
    for place in places:
        filled = [(number, row) for number, row in cells
                  if _at(row, place) and not is_word("blank", _at(row, place))]  # fmt: skip
        if not filled:
            continue
        asked = next((ask for ask, pattern in (("rank", "ranked"), ("grade", "graded"))
                      if all(re.search(grammar()[pattern], _at(row, place), re.IGNORECASE)
                             for _, row in filled)), None)  # fmt: skip
        if asked is None:
            continue
        number, row = filled[0]
        chosen = asked_choice(asked, f"{known.where}, line {number}", _at(row, place), known.answers)
        if "best" in chosen:
            known.columns[place] = "weight"
            for _, row in filled:
                row[place] = str(rank_weight(_at(row, place), chosen["best"]))
        return


def _digits(known: _Columns, cells: Sequence[Row]) -> None:
    """Read ``1,523`` and ``1.523`` below one another as grouped digits, where no weight has decimals."""
    for place in [at for at, column in enumerate(known.columns) if column == "weight"]:
        filled = [(number, row) for number, row in cells if _at(row, place)]
        grouped = [(number, row) for number, row in filled if _GROUPED.fullmatch(_at(row, place))]
        if len(grouped) < 2 or any(_DECIMAL.search(_at(row, place)) for _, row in filled):
            continue
        signs = {sign for _, row in grouped for sign in _at(row, place) if not sign.isdigit()}
        if signs == {"."}:
            number, row = grouped[0]
            text = _at(row, place)
            chosen = asked_choice("thousands", f"{known.where}, line {number}", text, known.answers,
                                  _GROUPED.fullmatch(text))  # fmt: skip
            if chosen["name"] != "thousands":
                continue
        elif signs != {","}:
            continue
        for _, row in grouped:
            row[place] = re.sub("[.,]", "", row[place])


def _attending(known: _Columns, cells: Sequence[Row]) -> None:
    """Find the columns that say who comes."""
    dated = []
    for place in _free(known):
        title = known.titles[place]
        filled = [
            (number, text) for number, row in cells if (text := _STRUCK.sub("", _at(row, place)).strip())
        ]
        answered = bool(filled) and all(_reply(text) for _, text in filled)
        if is_word("attendance", title):
            known.coming.append(place)
        elif not answered or is_word("aside", title) or {text for _, text in filled} <= {"0", "1"}:
            continue
        elif is_word("date", title):
            dated.append(place)
        elif is_word("out_heading", title):
            known.missing.append(place)
        elif not title:
            known.coming.append(place)
        else:
            chosen = asked_choice("column", f"{known.where}, line {filled[0][0]}", title, known.answers)[
                "name"
            ]
            if chosen != "column-ignored":
                (known.coming if chosen == "column-comes" else known.missing).append(place)
    if len(dated) > 1 and not known.coming:
        several = ", ".join(short(known.titles[place]) for place in dated)
        fail(known.where, f"several columns say who comes: {several}; keep the one that counts")
    known.coming.extend(dated)


def _coming(known: _Columns, cells: Sequence[Row], *, marks: bool) -> ColumnsRead:
    """Return who comes, and what else was read."""
    label = known.columns.index("name" if "name" in known.columns else "id")
    weights = [at for at, column in enumerate(known.columns) if column in ("weight", "mu")]
    partner = next((at for at in _free(known) if is_word("partner_title", known.titles[at])), None)
    replies = {place: {_reply(_STRUCK.sub("", _at(row, place)).strip()) for _, row in cells}
               for place in known.coming}  # fmt: skip
    out, late = list[str](), list[str]()
    unread = list[tuple[int, str]]()
    kept = list[Row]()
    context = cell_context([_at(row, label) for _, row in cells] if marks else (), known.where, known.answers)
    for number, row in cells:
        if len(row) <= label:
            kept.append((number, row))
            continue
        plain = plain_name(row[label]).strip()
        if (is_word("sum", plain) and len(cells) > 2) or (_ROWS.fullmatch(plain) and number == cells[-1][0]):
            unread.append((number, " ".join(filter(None, map(str.strip, row)))))
            continue
        texts = [_STRUCK.sub("", _at(row, place)).strip() for place in known.coming]
        filled = [_reply(text) if text else _silent(replies[place])
                for place, text in zip(known.coming, texts, strict=True)]  # fmt: skip
        filled += ["out" for place in known.missing if _reply(_at(row, place)) == "in"]
        name, status = cell_status(row[label], filled, number, context)
        if status in ("out", "late"):
            (out if status == "out" else late).append(name)
        if status == "out":
            continue
        if name != row[label].strip():
            row[label] = name
        for place in weights:
            if place < len(row) and is_word("blank", row[place].strip()):
                row[place] = ""
        kept.append((number, row))
    if partner is not None:
        _pair(known, kept, label, partner)
    coming = {number for number, _ in kept}
    notes = tuple((number, note) for number, note in known.notes if number in coming)
    heard = Heard(tuple(out), tuple(late), tuple(unread), notes) if out or late or unread or notes else None
    return ColumnsRead(known.columns, kept, heard, (*known.coming, *known.missing))


def _reply(text: str) -> str:
    return reply_of(text) or {"1": "in", "0": "out"}.get(text, "")


def _silent(replies: set[str]) -> str:
    """Return what an empty cell means beside what others of its column say."""
    if "in" in replies:
        return "maybe" if replies & {"out", "maybe"} else "out"
    return ""


def _pair(known: _Columns, rows: Sequence[Row], label: int, partner: int) -> None:
    """Put partners that name one another, or one who is here, into a party."""
    if "party" in known.columns:
        return
    here = {plain_name(row[label]).casefold(): row for _, row in rows if len(row) > label}
    known.columns[partner] = "party"
    for _, row in rows:
        other = plain_name(_at(row, partner))
        if partner < len(row):
            row[partner] = ""
        if (mate := here.get(other.casefold())) is not None and mate is not row:
            names = sorted((plain_name(row[label]), plain_name(mate[label])), key=str.casefold)
            row[partner] = " + ".join(names)
    joined = {row[partner] for _, row in rows if _at(row, partner)}
    for party in joined:
        for name in party.split(" + "):
            row = here[name.casefold()]
            row.extend([""] * (partner + 1 - len(row)))
            row[partner] = row[partner] or party


def rows_by_titles(rows: Sequence[Mapping[Any, Any]], where: str, read: str | None) -> DataRows | None:
    """Return rows of data as :func:`tell` reads a table; None where two of their titles are one field.

    Values stay as they are, but for those that are texts of an answer, a rank or a part of a name.
    """
    named = [{_field_of(key): value for key, value in row.items()} for row in rows]
    if any(len(one) < len(row) for one, row in zip(named, rows, strict=True)):
        return None
    titles = list(dict.fromkeys(title for row in named for title in row))
    texts = [[_text_of(row.get(title)) for title in titles] for row in named]
    columns = [title if title in COLUMNS or title in OF_ALL else "" for title in titles]
    try:
        settled = tell(titles, columns, list(enumerate(map(list, texts), start=1)), where, read, marks=False)
    except AmbiguousError as error:
        place = error.where.replace(", line ", ", entry ")
        raise AmbiguousError(place, error.text, error.readings, error.remedy, error.ways) from None
    found = []
    for number, cells in settled.rows:
        before, row = named[number - 1], dict[str, Any]()
        for at, (title, column) in enumerate(zip(titles, settled.columns, strict=True)):
            as_it_was = cells[at] == texts[number - 1][at]
            if column and (title in before or cells[at]):
                row[column] = before.get(title) if as_it_was else cells[at]
        found.append((number, row))
    places = [f"{where}, entry {number}" for number, _ in found]
    return DataRows([row for _, row in found], places, settled.heard)


def _field_of(key: Any) -> str:
    title = str(key)
    return column_of(title) or title.strip().lower()


def _text_of(value: Any) -> str:
    """Return a value as a cell of a table; numbers that are not whole so that no digits look grouped."""
    if not isinstance(value, str | int | float) and not hasattr(value, "item"):
        return ""
    if not isinstance(value, str) and not has_value(value):
        return ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else f"{value:e}"
    return str(value)
