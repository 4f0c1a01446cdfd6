"""Names as people write them: a text that was typed or pasted, as entries of name, weight and party.

One parser for every place where people write names: files, the command line, HTTP bodies, chat, the board.
It works in three steps: what surrounds the names is taken off (:mod:`equipoise.files.pasted_lines`), each
line is cut into items (:func:`_items_of`), and each item is read in every way in which it can be read
(:func:`_item`).
Where a whole text can be read in one way only, that is what it means; otherwise nothing is guessed and an
:class:`~equipoise.errors.AmbiguousError` says the line, the readings, and how to choose.

No file is touched here, and no player is made: :mod:`equipoise.files.read_roster` does that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import or_
from typing import NamedTuple
from unicodedata import normalize

from equipoise.core.plain_data import fail, short
from equipoise.errors import READS, AmbiguousError
from equipoise.files.line_kinds import Heard, choices_of, sift
from equipoise.files.pasted_lines import (
    HELD,
    IS_NUMBER,
    LABEL,
    NUMBER,
    PLAIN,
    UNIT,
    PasteLine,
    cells_of,
    check_beginning,
    check_header,
    check_list_numbers,
    check_name,
    check_weight,
    is_open,
    lines_of,
    named,
    parts_of,
    pattern,
    refuse_cells,
    refuse_points,
    refuse_shared_weight,
    shown,
    weight_of,
)

#: What stands between a name and its weight where somebody put something there on purpose.
_BETWEEN = rf"(?:\s*(?:[-–—]\s*)?\b{LABEL}|\s*(?:[:=|\t→]|[-=]>)\s*|\s+@\s*|\s+[-–—]\s+)"
_LEADS = pattern(rf"({NUMBER})({_BETWEEN}|\s+)(?=\S)(.*)", re.IGNORECASE)
_TRAILS = pattern(
    rf"(.*?\S)(?:({_BETWEEN})({NUMBER}){UNIT}|\s*[(\[{{<](?:{LABEL})?({NUMBER}){UNIT}[)\]}}>]|\s+({NUMBER}){UNIT})",
    re.IGNORECASE,
)

#: A number within a name that may be a weight: large or with decimals, and apart from letters.
_STRAY = pattern(
    r"(?:^|[\s~±(/:=|$€£]|\.\.)([1-9]\d{2,}(?:[.,]\d+)?|\d+[.,]\d+|\d+(?=\s?%)|(?<=[$€£])\d+)(?=$|[\s~±()/%:=$€£])"
)
#: ``Red: Amber`` at the beginning of a line of several names.
_HEADED = pattern(r"[^:]{1,20}:\s+(?=[^\W\d_])")
#: Two names with a word between them that may join two players.
_JOINED = pattern(r"(.*[^\W\d].*)\s(?:and|und|et|vs\.?)\s(.*[^\W\d].*)", re.IGNORECASE)
#: Words from which a line without a weight looks like a sentence.
_SENTENCE = 7

#: Numbers up to which names are told apart by them, as in ``Player 12``.
_SERIES = 99.0


class Entry(NamedTuple):
    """One player of a text."""

    name: str
    weight: float | None
    #: Players with the same party stay together.
    party: str | None
    line: int


class _Census(NamedTuple):
    """What the text as a whole does, which decides what one of its lines may mean."""

    players: int
    #: How many have a number that may be a weight.
    weighted: int
    #: The ways of those that can be read in one way only.
    certain: set[str]
    #: Whether the first numbers count 1, 2, 3.
    counting: bool
    #: Names that several would have without their numbers: ``Player 1`` and ``Player 2``.
    shared: set[str]
    #: Whether such numbers are small and all who have one share a name, so that they belong to the names.
    series: bool


class _Item(NamedTuple):
    """A piece of a line that names one player, with the ways in which it can be read."""

    text: str
    line: int
    party: str | None
    #: The reading in each way: weight and name.  Empty where the way does not apply.
    readings: dict[str, tuple[str, float | None]]
    #: Whether a number stands apart by a space alone, which a name may have as well.
    bare: bool
    #: The item as messages quote it.
    shown: str


class PastedEntries(tuple[Entry, ...]):
    """The players of a text, with what else was read of it."""

    heard: Heard = Heard()


def parse_paste(text: str, where: str, read: str | None = None) -> PastedEntries:
    r"""Read names as people write them.

    Parameters
    ----------
    text : str
        Lines ended by ``\n``.
    where : str
        What messages call the source.
    read : str, optional
        How to read what can be read in several ways, choices separated by commas: ``weight-first``,
        ``name-first`` or ``names`` (the first number is the weight, the last one is, or numbers belong to
        the names), and those that a question offers, as ``maybe-in``; see
        :func:`equipoise.core.paste_grammar.choices`.

    Raises
    ------
    AmbiguousError
        If the text can be read in several ways and ``read`` does not say which.
    InputError
        If a line cannot be read at all.

    Examples
    --------
    >>> [entry[:2] for entry in parse_paste("1. Amber 1500\n2. Birch", "here")]
    [('Amber', 1500.0), ('Birch', None)]
    >>> [entry.party for entry in parse_paste("Amber + Birch, Cedar", "here")]
    ['Amber + Birch', 'Amber + Birch', None]
    """
    answers = choices_of(read) if read else frozenset[str]()
    read = next((way for way in READS if way in answers), None)
    text, heard = re.sub("[\u2028\u2029]", "\n", text), Heard()
    if any(raw and not PLAIN.fullmatch(raw) for raw in text.split("\n")):
        text, heard = sift(text, where, answers)
    lines = list(lines_of(text, where))
    check_list_numbers(lines, where)
    if read is None and lines:
        check_header(lines, where)
    items = [item for line in lines for item in _items_of(line, where, read)]
    if read is None:
        _refuse_words_in_a_row(items, where)
        _refuse_stray_numbers(items, where)
        doubtful = _large(items) or any(";" in line.text for line in lines)
        marked = [line for line in lines if "." in line.text or "," in line.text]
        if not {"thousands", "decimals"} & answers:
            refuse_points([(f"{where}, line {line.number}", line.text) for line in marked], doubtful=doubtful)
    census = _census(items)
    entries = [_resolved(item, census, where, read) for item in items]
    read_entries = PastedEntries(_alike(entries, answers, where))
    read_entries.heard = heard
    return read_entries


def _alike(entries: Sequence[Entry], answers: frozenset[str], where: str) -> Iterator[Entry]:
    """Yield entries; ``Anna`` and ``anna`` are one player or two, as is answered."""
    seen: dict[str, str] = {}
    for entry in entries:
        before = seen.setdefault(normalize("NFC", entry.name).casefold(), entry.name)
        if before == entry.name or "alike-two" in answers:
            yield entry
        elif "alike-one" not in answers:
            ways: dict[str, tuple[str, float | None]] = {
                "alike-one": (before, None), "alike-two": (entry.name, entry.weight)}  # fmt: skip
            msg = f"{where}, line {entry.line}"
            raise AmbiguousError(msg, entry.name,
                                 (f"the same player as {short(before)}", "somebody else"),
                                 "choose with read", ways)  # fmt: skip


# --- items -----------------------------------------------------------------------------------------------


def _items_of(line: PasteLine, where: str, read: str | None) -> Iterator[_Item]:
    """Yield the players that a line names."""
    plain = PLAIN.fullmatch(line.text)
    if plain:
        readings = {"weight-first": (plain[2], float(plain[1])), "names": (line.text, None)}
        yield _Item(line.text, line.number, None, readings, bare=True, shown=line.text)
        return
    at = f"{where}, line {line.number}"
    if read != "names":
        check_weight(line, at)
    if read is None:
        check_beginning(line, at)
    cells = [line.text] if read == "weight-first" else cells_of(line.text)
    if cells == [""]:
        fail(at, f"{short(line.shown)} has separators and no name; write a name, or delete the line")
    if len(cells) == 1:
        yield from _duo(cells[0], line, at, read)
        return
    if any(is_open(cell) for cell in cells) and not is_open(line.text):
        fail(at, f"{short(line.shown)} has separators inside brackets; write one player a line")
    if any(not cell for cell in cells):
        fail(at, f"{short(line.shown)} has an empty place between separators; delete one separator")
    numeric = [IS_NUMBER.fullmatch(cell) is not None for cell in cells]
    if read is None and not any(numeric) and _HEADED.match(cells[0]) and not any(":" in c for c in cells[1:]):
        fail(at, f"{short(line.shown)} begins with a heading; write the names alone")
    if read == "names" or not any(numeric):
        items = [item for cell in cells for item in _duo(cell, line, at, read)]
        _refuse_comma_in_name(items, line, at, read)
        yield from items
    elif len(cells) % 2 == 0 and all(numeric[k] != numeric[k + 1] for k in range(len(cells) - 1)):
        for name, weight in zip(cells[numeric[0] :: 2], cells[not numeric[0] :: 2], strict=True):
            yield from _pair(name, weight, line, at)
    else:
        refuse_cells(cells, line, at)


def _pair(name: str, weight: str, line: PasteLine, at: str) -> Iterator[_Item]:
    """Yield the player of two cells, a name and a weight."""
    parts = parts_of(name)
    if len(parts) > 1:
        refuse_shared_weight(line, at)
    known = (named(name, line.held), weight_of(weight, at, line.shown))
    both: dict[str, tuple[str, float | None]] = {"name-first": known, "weight-first": known}
    yield _Item(name, line.number, None, both, bare=False, shown=shown(name, line.held))


def _duo(cell: str, line: PasteLine, at: str, read: str | None) -> Iterator[_Item]:
    """Yield the players of one cell: one, or several who are written as a party."""
    parts = [cell] if read == "weight-first" else parts_of(cell)
    items = [_item(part, line, at, read) for part in parts]
    if len(items) > 1:
        weighted = [bool(item.readings.keys() - {"names"}) for item in items]
        guests = [not has and HELD in item.text for has, item in zip(weighted, items, strict=True)]
        if any(weighted) and not all(map(or_, weighted, guests)) and read != "names":
            refuse_shared_weight(line, at)
        names = [next(iter(item.readings.values()))[0] for item in items]
        party = " + ".join(names)
        items = [item._replace(party=party) for item in items]
    yield from items


def _item(text: str, line: PasteLine, at: str, read: str | None) -> _Item:
    """Return one player with every way in which the text can be read."""
    if IS_NUMBER.fullmatch(text):
        fail(at, f"there is no name beside the number {text}; a line is a name, or a name and a weight")
    if read is None and HELD not in text:
        check_name(text, line, at)
    readings: dict[str, tuple[str, float | None]] = {}
    leads, trails = _LEADS.fullmatch(text), _TRAILS.fullmatch(text)
    bare = False
    if leads and not IS_NUMBER.fullmatch(leads[3]):
        readings["weight-first"] = (named(leads[3], line.held), weight_of(leads[1], at, line.shown))
        bare = not leads[2].strip()
    if trails:
        number = trails[3] or trails[4] or trails[5]
        readings["name-first"] = (named(trails[1], line.held), weight_of(number, at, line.shown))
        bare = bare or trails[5] is not None
        if trails[5] and re.search(r"\s\d{1,3}$", trails[1]) and re.fullmatch(r"\d{3}", number):
            whole = trails[1].rpartition(" ")
            both = (f"a weight of {whole[2]}{number}", f"a name {short(trails[1])} and a weight of {number}")
            raise AmbiguousError(at, line.shown, both, "write weights without spaces in them")
    elif re.fullmatch(r"\S+-\d{2,}", text):
        name, _, number = text.rpartition("-")
        readings["name-first"] = (named(name, line.held), float(number))
        bare = True
    if not readings or bare:
        readings["names"] = (named(text, line.held), None)
    if list(readings) == ["names"] and len(text.split()) >= _SENTENCE:
        fail(at, f"{short(line.shown)} looks like a sentence; put # before a line that names nobody")
    return _Item(text, line.number, None, readings, bare, shown(text, line.held))


# --- what is refused -------------------------------------------------------------------------------------


def _refuse_stray_numbers(items: Sequence[_Item], where: str) -> None:
    """``Amber 1500 (late)`` and ``Amber 1500 (80)``: a number that would be lost in the name."""
    for item in items:
        known = item.readings.get("name-first") or item.readings.get("names") or ("", None)
        doubtful = HELD not in item.text and "weight-first" not in item.readings
        stray = _STRAY.search(known[0]) if doubtful else None
        if stray:
            raise AmbiguousError(
                _at(where, item), item.shown, (f"a weight of {stray[1]}", f"a name with {stray[1]} in it"),
                "write one number, last on the line, or put the name in double quotes",
            )  # fmt: skip


def _refuse_comma_in_name(items: Sequence[_Item], line: PasteLine, at: str, read: str | None) -> None:
    """``10 Bob, Team``: one player with a comma in the name, or two."""
    styles = [item.readings.keys() for item in items]
    if (
        read is None
        and "weight-first" in styles[0]
        and not any("weight-first" in style for style in styles[1:])
    ):
        readings = (f"one player {short(line.shown)}", f"{len(items)} players")
        raise AmbiguousError(at, line.shown, readings, "put a name with a comma in double quotes")


def refuse_joined(name: str, written: str, at: str) -> None:
    """``Cedar and Dahlia``: one player, or two, who may be a duo."""
    joined = _JOINED.fullmatch(name)
    if joined:
        one, other = map(str.strip, joined.groups())
        remedy = f"write '{one}, {other}', for a duo '{one} + {other}', or put the name in double quotes"
        raise AmbiguousError(at, written, ("one player", "two players", "a duo"), remedy)


def _refuse_words_in_a_row(items: Sequence[_Item], where: str) -> None:
    """``Amber Birch Cedar`` alone, or ``Amber 1500 Birch 1400``: one player, or several."""
    if len(items) != 1:
        return
    item, words = items[0], items[0].text.split()
    numbers = re.findall(rf"(?<!\S){NUMBER}(?!\S)", item.text)
    players = 1
    if list(item.readings) == ["names"]:
        players = len(words)
    elif len(numbers) > 1 and len(words) >= 2 * len(numbers):
        players = len(numbers)
    if players > 1:
        raise AmbiguousError(
            _at(where, item), item.shown, ("one player", f"{players} players"),
            "separate players by commas, or write one a line",
        )  # fmt: skip


def _large(items: Sequence[_Item]) -> bool:
    """Tell whether there are whole weights of 100 and above."""
    return any(weight is not None and weight >= 100.0 and weight == int(weight)
               for item in items for _, weight in item.readings.values())  # fmt: skip


# --- readings of the whole text --------------------------------------------------------------------------


def _counting(items: Sequence[_Item]) -> bool:
    """Tell whether every item begins with a number of its own that counts 1, 2, 3."""
    if len(items) < 2:
        return False
    for n, item in enumerate(items, start=1):
        known = item.readings.get("weight-first")
        if known is None or known[1] != n or not re.match(r"\d+(?!\d*\.)", item.text):
            return False
    return True


def _resolved(item: _Item, census: _Census, where: str, read: str | None) -> Entry:
    """Return the one thing that an item can mean, or refuse it."""
    ways = dict(item.readings)
    if census.counting and read != "weight-first":
        ways = _without_number(item)
    if read is not None:
        name, weight = ways.get(read) or ways.get("names") or (named(item.text, ()), None)
        if read == "names" and "names" not in ways:  # "Amber: 1500" says in so many words what is the weight
            name, weight = next(iter(ways.values()))
        return Entry(name, weight, item.party, item.line)
    ways = _likely(ways, item, census)
    if len(set(ways.values())) > 1:
        raise AmbiguousError(_at(where, item), item.shown,
            tuple(_words(way, *ways[way]) for way in READS if way in ways),
            "choose with read", {way: ways[way] for way in READS if way in ways},
        )  # fmt: skip
    return Entry(*next(iter(ways.values())), item.party, item.line)


def _without_number(item: _Item) -> dict[str, tuple[str, float | None]]:
    """Return the readings of ``1 Amber 1500`` and ``1 Amber`` where the first numbers count 1, 2, 3."""
    name, number = item.readings["weight-first"]
    trails = _TRAILS.fullmatch(name)
    if "name-first" in item.readings and trails:
        return {"name-first": (trails[1], item.readings["name-first"][1])}
    return {"weight-first": (name, number), "names": (name, None)}


def _census(items: Sequence[_Item]) -> _Census:
    styles = [item.readings.keys() - {"names"} for item in items]
    certain = {next(iter(style)) for style in styles if len(style) == 1}
    last = [item.readings["name-first"] for item in items if {"name-first", "names"} <= item.readings.keys()]
    names = Counter(name for name, _ in last)
    shared = {name for name, times in names.items() if times > 1}
    series = all(name in shared and (weight or 0.0) <= _SERIES for name, weight in last)
    return _Census(len(items), sum(map(bool, styles)), certain, _counting(items), shared, series)


def _likely(
    ways: dict[str, tuple[str, float | None]], item: _Item, census: _Census
) -> dict[str, tuple[str, float | None]]:
    """Return the readings that are left when the rest of the text is considered."""
    if len(ways) == 1 or census.counting:
        return ways
    if "weight-first" not in ways and ways["name-first"][0] in census.shared:
        # "Amber 1500" and "Amber 1400", or "Player 1" beside "Boss 90": a name twice, or numbers in names.
        return {"names": ways["names"]} if census.series else ways
    if "weight-first" in ways and "name-first" in ways:
        # "1500 Amber 2": what all others do that can be read in one way is what this one does.
        if len(census.certain) == 1:
            return {way: ways[way] for way in census.certain}
        return {way: known for way, known in ways.items() if way != "names"}
    # A number in a list whose other players have none may belong to the name: "Agent 47" among names.
    if 2 * census.weighted >= census.players or not item.bare:
        ways.pop("names", None)
    return ways


def _words(way: str, name: str, weight: float | None) -> str:
    return f"{way}: {short(name)}" + ("" if weight is None else f" with weight {weight:g}")


def _at(where: str, item: _Item) -> str:
    return f"{where}, line {item.line}"
