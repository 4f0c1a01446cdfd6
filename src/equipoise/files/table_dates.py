"""When the matches of a table were: dates as people and spreadsheets write them, judged by the whole column.

03/04/2026 is in April or in March: one 13/04/2026 in the column decides, or the caller does, never a guess.
Tables without dates count in the order of their rows.  Zones are in :mod:`equipoise.core.dates`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from equipoise.core.match_records import LATEST, time_from
from equipoise.core.paste_grammar import short_grammar
from equipoise.errors import AmbiguousError, InputError
from equipoise.files.spreadsheets import Row

#: The columns that say when a match was played, the first of them that is there.
WHEN = ("ended", "date", "time", "played")

#: How dates with slashes or full stops may be written.
ORDERS = ("day-first", "month-first")

#: The earliest number that is a time, in 1973; what is smaller is a year, or a day of a spreadsheet.
EARLIEST = 1e8

#: When the first row of a table without dates counts as played, and the seconds between two rows.
UNDATED, APART = datetime(2000, 1, 1, tzinfo=UTC).timestamp(), 60.0

#: How the months begin in the languages of the grammar of pastes, which has their names.
MONTHS = ("jan ene", "feb fév", "mar mär", "apr avr abr", "may mai", "jun juin", "jul juil", "aug aoû ago",
          "sep", "oct okt", "nov", "dec déc dez dic")  # fmt: skip

_CLOCK = r"(?:,?[ T](\d{1,2}):(\d{2})(?::(\d{2}))?)?"
_SLASHED = re.compile(rf"(\d{{1,2}})[./-](\d{{1,2}})[./-](\d{{4}}|\d{{2}}){_CLOCK}")
_YEAR_FIRST = re.compile(rf"(\d{{4}})[./-](\d{{1,2}})[./-](\d{{1,2}}){_CLOCK}")
_COMPACT = re.compile(r"\A(\d{4})(\d\d)(\d\d)\Z")
_NUMBER = re.compile(r"-?\d+(?:\.\d*)?")
_DAY_NAMED = re.compile(
    rf"(\d{{1,2}})(?:st|nd|rd|th|er|\.)?[ -](?:de )?([^\W\d]+)\.?,?[ -](?:de )?(\d{{4}}|\d{{2}}){_CLOCK}"
)
_MONTH_NAMED = re.compile(rf"([^\W\d]+)\.? (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}}){_CLOCK}")

#: The day from which spreadsheets count, and the range that numbers of their days have: 1954 to 2119.
_DAY_0, _DAYS = datetime(1899, 12, 30, tzinfo=UTC), (20_000, 80_000)
_YEARS = (1900, 2200)


def when_of(row: Mapping[str, Any]) -> str:
    """Return the column that says when the match of a row was played; empty where there is none."""
    return next((name for name in WHEN if name in row), "")


def undated(rows: Sequence[Row], keys: Sequence[str]) -> list[Row]:
    """Return the rows of a table without dates with dates in their order; those of one key have one."""
    places: dict[Any, int] = {}
    ordered = []
    for n, (at, row) in enumerate(rows):
        key = next(((name, str(row[name])) for name in keys if name in row), n)
        ordered.append((at, {**row, WHEN[0]: UNDATED + APART * places.setdefault(key, n)}))
    return ordered


def check_order(rows: Iterable[Row], dates: str) -> None:
    """Refuse a table that has a date of the other order: its other dates would be read wrongly.

    Raises
    ------
    InputError
        If some date can only be of the other order; the message begins with its row.
    """
    (other,) = set(ORDERS) - {dates}
    for at, row in rows:
        when = _text(row.get(column := when_of(row)))
        if _moment(when, dates) is None and _moment(when, other) is not None:
            msg = (
                f"{at}: {column}: {when!r} is no date, {dates}; if the table has its dates {other}, choose "
                f"--dates {other} (dates= in Python)"
            )
            raise InputError(msg)


def order_of(rows: Iterable[Row]) -> str | None:
    """Return the order that the dates of a whole column show; None where they fit both, or contradict.

    Examples
    --------
    >>> order_of([("row 1", {"date": "03/04/2026"}), ("row 2", {"date": "13/04/2026"})])
    'day-first'
    """
    shown = set()
    for _, row in rows:
        when = _text(row.get(when_of(row)))
        if not _SLASHED.fullmatch(when):
            continue
        fitting = [order for order in ORDERS if _moment(when, order) is not None]
        if len(fitting) == 1:
            shown.add(fitting[0])
    return shown.pop() if len(shown) == 1 else None


def ask_order(rows: Sequence[Row]) -> None:
    """Ask for the order of day and month where a date has two meanings, and no other date says which.

    Raises
    ------
    AmbiguousError
        If one has; it names the first.
    InputError
        If two dates contradict each other: one fits one order only, and one the other.
    """
    only: dict[str, str] = {}
    for at, row in rows:
        when = _text(row.get(when_of(row)))
        meant = [_moment(when, order) for order in ORDERS] if _SLASHED.fullmatch(when) else []
        if meant.count(None) == 1:
            only.setdefault(ORDERS[meant.index(None) - 1], f"{at}: {when!r}")
            if len(only) > 1:
                one, other = only.items()
                msg = f"{one[1]} is {one[0]}, and {other[1]} is {other[0]}; write dates as 2026-01-31"
                raise InputError(msg)
    for at, row in rows:
        when = _text(row.get(when_of(row)))
        meant = [_moment(when, order) for order in ORDERS] if _SLASHED.fullmatch(when) else []
        if len({*meant}) > 1 and None not in meant:
            readings = tuple(f"{order}: {each:%Y-%m-%d}" for order, each in zip(ORDERS, meant, strict=True))
            choice = f"choose --dates {' or --dates '.join(ORDERS)} (dates= in Python)"
            remedy = f"{choice}, or write dates as 2026-01-31"
            raise AmbiguousError(at, when, readings, remedy)


def check_short_years(rows: Iterable[Row]) -> None:
    """Refuse years of two digits where dates are closer together with the year in front.

    Raises
    ------
    InputError
        If they are: 26/04/13 and 26/04/20 are a week apart, or seven years.
    """
    short = [(at, _SLASHED.fullmatch(_text(row.get(when_of(row))))) for at, row in rows]
    years = [(int(found[1]), int(found[3])) for _, found in short if found and len(found[3]) == 2]
    if not years or len(years) < len(short):
        return
    first, last = zip(*years, strict=True)
    if max(last) <= 31 and max(last) - min(last) > max(first) - min(first):
        at, found = short[0]
        when = found and found[0]
        msg = f"{at}: the year of {when!r} may be the first number or the last; write years in full"
        raise InputError(msg)


def time_of(when: Any, column: str, dates: str | None) -> float:
    """Return the time of a cell, in seconds since 1970; a date with slashes needs an order.

    Raises
    ------
    InputError
        If it is no date, or which number is the day is not known.

    Examples
    --------
    >>> time_of("2 January 1970", "date", None), time_of("2/1/70", "date", "day-first")
    (86400.0, 86400.0)
    """
    text = _text(when)
    slashed = _SLASHED.fullmatch(text)
    if slashed and dates is None and _moment(text, ORDERS[0]) != _moment(text, ORDERS[1]):
        msg = (
            f"{column}: {when!r} may begin with the day or the month; choose --dates day-first or "
            "--dates month-first (dates= in Python), or write dates as 2026-01-31"
        )
        raise InputError(msg)
    moment = _moment(text, dates)
    if moment is not None:
        return moment.timestamp()
    if slashed or _YEAR_FIRST.fullmatch(text):
        order = f", {dates}" if slashed and dates else ""
        msg = f"{column}: {when!r} is no date{order}; there is no such day or time of day"
        raise InputError(msg)
    if _NUMBER.fullmatch(text) and not EARLIEST <= float(text) < LATEST:
        msg = (
            f"{column}: {when!r} is no time{_likely(float(text))}; write a date such as 2026-01-31, "
            f"or seconds since 1970 from {EARLIEST:.0f} on"
        )
        raise InputError(msg)
    return time_from(text if isinstance(when, str) else when, column)


def is_local(part: Any) -> bool:
    """Tell whether the first row of a match says when it was without a zone."""
    row = part if isinstance(part, Mapping) else part[0]
    row = row if isinstance(row, Mapping) else row[1]
    when = row.get(when_of(row))
    if isinstance(when, datetime):
        return when.tzinfo is None
    text = _text(when)
    if any(_moment(text, order) is not None for order in ORDERS):
        return True
    try:
        return datetime.fromisoformat(text).tzinfo is None
    except ValueError:
        return False


def _text(when: Any) -> str:
    """Return a cell as text, without the day of the week, and 20260131 with its hyphens."""
    if isinstance(when, int | float) and not isinstance(when, bool):
        when = f"{when:.15g}"
    text = " ".join(when.split()) if isinstance(when, str) else ""
    return _COMPACT.sub(r"\1-\2-\3", _weekday().sub("", text))


@cache
def _weekday() -> re.Pattern[str]:
    return re.compile(rf"^(?:{_words('when')}|{_words('day')})\.?,?\s+(?=\S)", re.IGNORECASE)


@cache
def _month_words() -> re.Pattern[str]:
    return re.compile(_words("month"), re.IGNORECASE)


def _words(name: str) -> str:
    return str(short_grammar()["parts"][name])


def month_of(word: str) -> int | None:
    """Return the number of a month by its name in any language of the grammar of pastes; None of other words.

    Examples
    --------
    >>> [month_of(word) for word in ("January", "Mär", "juillet", "marathon")]
    [1, 3, 7, None]
    """
    word = word.lower()
    beginnings = {begin: n for n, months in enumerate(MONTHS, 1) for begin in months.split()}
    if word in beginnings or not _month_words().fullmatch(word):
        return beginnings.get(word)
    return max((len(begin), n) for begin, n in beginnings.items() if word.startswith(begin))[1]


def _moment(when: str, dates: str | None) -> datetime | None:
    """Return a date that is written in numbers, or with a month's name; None where there is no such day."""
    year: Any
    if found := _YEAR_FIRST.fullmatch(when):
        year, month, day, *clock = found.groups()
    elif found := _SLASHED.fullmatch(when):
        one, two, year, *clock = found.groups()
        day, month = (one, two) if dates == ORDERS[0] else (two, one)
    elif found := _DAY_NAMED.fullmatch(when):
        day, month, year, *clock = found.groups()
        month = month_of(month)
    elif found := _MONTH_NAMED.fullmatch(when):
        month, day, year, *clock = found.groups()
        month = month_of(month)
    else:
        return None
    if len(year) == 2:  # as POSIX has it
        year = int(year) + (2000 if int(year) < 69 else 1900)
    try:
        hour, minute, second = (int(part or 0) for part in clock)
        return datetime(int(year), int(month or 0), int(day), hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None


def _likely(number: float) -> str:
    """Return what a number in a column of dates looks like."""
    if _DAYS[0] <= number <= _DAYS[1]:
        day = _DAY_0 + timedelta(days=number)
        return f", but looks like {day:%Y-%m-%d} as spreadsheets count days: give the cells a date's format"
    if _YEARS[0] <= number <= _YEARS[1] and number == int(number):
        return ", but looks like a year"
    return ", but looks like milliseconds" if EARLIEST <= number / 1000.0 < LATEST else ""
