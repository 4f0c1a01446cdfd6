"""Values from plain data and back: texts, numbers, prices and players, with messages that say the place.

What a table, a JSON file and the body of a request hold is decoded here, once; and numbers and names are
written as people read them.
Every mistake becomes an :class:`~equipoise.errors.InputError` that begins with the place and says what is
allowed.  Reading the files is not done here.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from equipoise.core.player import LARGEST_WEIGHT, NO_SIDE, Player, Rating
from equipoise.errors import InputError, again

#: What must not reach a screen: control, surrogate and invisible formatting characters (bidirectional
#: overrides among them), but for what :data:`JOINED` spares.
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")

#: Emoji, and scripts whose letters look different beside a joiner: Arabic and those like it, Indic ones.
_EMOJI = "©®‼⁉™ℹ↔-⇿⌚-⏿▪-◿☀-➿⤴⤵⬅-⬕⬛-⭕〰〽㊗㊙\U0001f000-\U0001faff"
_SCRIPTS = "\u0600-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc"

#: Hidden characters where they change what is seen, for Python and for pages: the joiner within an emoji of
#: several, the flag of a part of a country, joiners between letters that need them.
JOINED = (
    f"(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])"
    "|(?<=\U0001f3f4)[\U000e0030-\U000e007a]{3,6}\U000e007f"
    f"|(?<=[{_SCRIPTS}])[\u200c\u200d](?=[{_SCRIPTS}])"
)
_JOINED = re.compile(f"({JOINED})")

#: Letters and signs that take a place and show nothing, and those that choose a form where there is none.
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_FORMS = re.compile(
    f"(?<![0-9#*{_EMOJI}])[\ufe0e\ufe0f]|(?<![\u3400-\u9fff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"
    "|[\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0d]"
)

#: The columns (or keys) a roster may have, and what else they are called.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "name": ("name", "player", "nick", "nickname", "player name", "user", "username"),
    "id": ("id",),
    "weight": (
        *("weight", "rating", "skill", "elo", "mmr", "score", "sr", "points", "level"),
        *("skill level", "skill rating", "elo rating", "player score", "player rating"),
    ),
    "mu": ("mu",),
    "sigma": ("sigma", "deviation", "rd"),
    "party": ("party", "premade", "group"),
    "side": ("side",),
    "team": ("team",),
    "team_now": ("team_now", "team now", "current team"),
    "bot": ("bot",),
    "roles": ("roles", "role"),
    "prefer": ("prefer", "with"),
    "avoid": ("avoid", "without"),
}

_BY_NAME = {name: column for column, names in COLUMNS.items() for name in names}

#: The columns in which nan is an empty cell; among numbers it is a wrong one.
_TEXTS = ("name", "id", "party", "roles", "prefer", "avoid")

#: What a roster says of its scale, the same in every row: the performance noise of one player in the units of
#: the ratings, the weight that adds nothing to a team, and how often even teams draw for each time one wins.
OF_ALL = ("beta", "zero", "draws")

#: What separates several in one cell of a table; in JSON they are a list or an object.
SEPARATOR = ";"

_YES, _NO = ("1", "true", "yes"), ("", "0", "false", "no")

#: Longest name that is accepted: four times what any game server of the trade allows.
LONGEST_NAME = 200

#: Decimal numbers, as people write them; what Python also takes (``1_000``, ``nan``) is met later or not.
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![^\s])")
NO_NUMBER = re.compile(r"[+-]?(?:nan|inf(?:inity)?)(?![^\s])", re.IGNORECASE)


def fail(where: str, what: str) -> NoReturn:
    """Raise what is wrong with a place in a file."""
    msg = f"{where}: {what}"
    raise InputError(msg)


def has_value(cell: Any) -> bool:
    """Tell whether a cell has something in it: not a blank text, None, nan, nor NaT or NA of a data frame.

    Examples
    --------
    >>> [has_value(cell) for cell in (False, "Ann", [], " ", None, float("nan"))]
    [True, True, True, False, False, False]
    """
    if cell is None or isinstance(cell, str):
        return bool(cell and cell.strip())
    if hasattr(cell, "__len__"):
        return True
    same = cell == cell
    return same is True or (same is not cell and bool(same))  # NA of pandas is NA where it is compared


def text_of(value: Any, field: str, at: str) -> str:
    """Return a name or other short text, stripped."""
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value != value:
        fail(at, f"{field} {short(json.dumps(value, default=str))} is not a text")
    text = str(value).strip()
    if len(text) > LONGEST_NAME:
        fail(at, f"the {field} must have at most {LONGEST_NAME} characters, got {len(text)}")
    if has_controls(text):
        fail(at, f"the {field} {short(text)} has control characters; it must be plain text")
    return text


def has_controls(text: str) -> bool:
    r"""Tell whether text has control characters, or halves of surrogate pairs.

    Examples
    --------
    >>> has_controls("Ann\n"), has_controls("Zoë Lee")
    (True, False)
    """
    # What can be printed has neither; asking that first is what makes a million lines a matter of seconds.
    return not text.isprintable() and any(unicodedata.category(sign) in ("Cc", "Cs") for sign in text)


def is_plain(name: str) -> bool:
    r"""Tell whether text does as an id at every door: there is something to see, and no control character.

    Examples
    --------
    >>> is_plain("Ann Lee"), is_plain(" "), is_plain("Ann\n"), is_plain("\u200b")
    (True, False, False, False)
    """
    return bool(seen(name)) and not has_controls(name)


def seen(name: str) -> str:
    r"""Return what is to be seen of a name, in one line: with a space for each sign that shows nothing.

    Examples
    --------
    >>> seen("Ann\u3164  B\u200bob"), seen("\u202e\u3164"), seen("\U0001f468\u200d\U0001f469") == "👨‍👩"
    ('Ann B ob', '', True)
    """
    if not name.isascii():
        parts = _JOINED.split(_FORMS.sub("", name))
        parts[::2] = [
            "".join(sign if sign.isprintable() and sign not in _BLANK else " " for sign in part)
            for part in parts[::2]
        ]
        name = "".join(parts)
    elif not name.isprintable():
        name = "".join(sign if sign.isprintable() else " " for sign in name)
    return " ".join(name.split())


def number_of(value: Any, field: str, at: str) -> float:
    """Return a finite number of at most 1e15 in size."""
    number = any_number_of(value, field, at)
    if not -LARGEST_WEIGHT <= number <= LARGEST_WEIGHT:
        fail(at, f"{field} must be from -1e15 to 1e15, got {number!s:.20}")
    return float(number)


def any_number_of(value: Any, field: str, at: str) -> float:
    """Return a number of any size, finite or not."""
    if isinstance(value, str):
        stripped = value.strip()
        if not (NUMBER.fullmatch(stripped) or NO_NUMBER.fullmatch(stripped)):
            fail(at, f"{field} {short(stripped)} is not a number; numbers look like 42 or 3.5")
        value = float(stripped)
    if isinstance(value, bool) or not isinstance(value, int | float):
        fail(at, f"{field} {short(json.dumps(value, default=str))} is not a number")
    return value


def of_all(rows: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, float]:
    """Return what rows say of them all, each with its place; it must be the same in every row that has it."""
    values: dict[str, float] = {}
    for at, row in rows:
        for field in OF_ALL:
            if row.get(field) not in (None, ""):
                number = number_of(row[field], field, at)
                if (number < 0.0 and field != "zero") or (field == "beta" and number == 0.0):
                    allowed = "above 0" if field == "beta" else "at least 0"
                    fail(at, f"{field} must be {allowed}, got {number:g}")
                if values.setdefault(field, number) != number:
                    fail(at, f"{field} is {number:g} here and {values[field]:g} before; it must not differ")
    return values


def price_of(value: Any, field: str, at: str) -> float:
    """Return a price in win probability: ``2%`` or ``0.02``, from 0 to 100 %."""
    percent = isinstance(value, str) and value.strip().endswith("%")
    number = any_number_of(value.strip()[:-1] if percent else value, field, at)
    most = 100.0 if percent else 1.0
    if not 0.0 <= number <= most:
        fail(at, f"{field} must be a win probability such as 2% or 0.02, got {value!s:.20}")
    return number / 100.0 if percent else float(number)


def short(text: str) -> str:
    """Return a text as a message may show it: quoted, escaped, and cut."""
    return repr(text) if len(text) <= 40 else repr(text[:37] + "...")


def whole_of(value: Any, at: str) -> int:
    """Return a whole number."""
    number = real_of(value, at)
    if number != int(number):
        fail(at, f"{number:g} is not a whole number")
    return int(number)


def real_of(value: Any, at: str) -> float:
    """Return a number that is not text."""
    if isinstance(value, str):
        fail(at, f"{short(value)} is text, not a number")
    return number_of(value, "the value", at)


def list_of(value: Any, at: str, what: str) -> Sequence[Any]:
    """Return a list of something."""
    if type(value) is list:  # as JSON has it: millions of them take no longer than need be
        return value
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        fail(at, f"{short(json.dumps(value, default=str))} is not a list of {what}")
    return value


def object_of(value: Any, at: str, keys: Sequence[str] = ()) -> Mapping[str, Any]:
    """Return an object; with ``keys``, one that has no others."""
    if not isinstance(value, Mapping):
        fail(at, f"{short(json.dumps(value, default=str))} is not an object")
    for key in value:
        if keys and key not in keys:
            fail(at, f"there is no key {short(str(key))}; the keys are {', '.join(keys)}")
    return value


def name_of(value: Any, at: str) -> str:
    """Return text."""
    if not isinstance(value, str):
        fail(at, f"{short(json.dumps(value, default=str))} is not a name")
    return value


def names_of(value: Any, at: str) -> tuple[str, ...]:
    """Return a list of names."""
    return tuple(text_of(name, "name", at) for name in list_of(value, at, "names"))


def column_of(name: str) -> str | None:
    """Return the column that a header's cell or a key stands for; None if it stands for none."""
    return _BY_NAME.get(name.strip().lower())


class DataRows(NamedTuple):
    """Rows of data as the columns of a table are read: those who come, under the names of fields.

    Parameters
    ----------
    rows : list of mappings
        The rows of those who come.
    places : list of str
        What messages call each.
    heard : object
        What else was read, :class:`equipoise.files.line_kinds.Heard`; None where there is nothing.
    """

    rows: list[Mapping[str, Any]]
    places: list[str]
    heard: Any = None


#: A weight written as digits, which needs no more than to be read as it stands.
_DIGITS = re.compile(r"\s*[+-]?[0-9.]+\s*")


def data_rows(rows: Sequence[Mapping[Any, Any]], where: str, read: str | None = None) -> DataRows | None:
    """Return rows by what their titles say, as those of a table are read; None where all are plain fields.

    Titles may be in other languages, some say who comes, and a weight may be written as ``8/10``; what reads
    them for tables reads them here.
    """
    titles = {title for row in rows for title in row}
    weights = [title for title in titles if isinstance(title, str) and column_of(title) == "weight"]
    marked = any(
        isinstance(text := row.get(title), str) and not _DIGITS.fullmatch(text)
        for row in rows
        for title in weights
    )
    if not marked and all(
        isinstance(title, str) and (column_of(title) or title.strip().lower() in OF_ALL) for title in titles
    ):
        return None
    from equipoise.core.registry import ROW_READERS, resolve

    found: DataRows | None = resolve("reader", ROW_READERS, "titles")(rows, where, read)
    return found


def players_of(data: Any, where: str, *, strict: bool = False, places: Sequence[str] = ()) -> list[Player]:
    """Return the players of a list of objects, or of an object from names to weights.

    Parameters
    ----------
    data : object
        What JSON or TOML holds.
    where : str
        What messages call it.
    strict : bool
        Whether a key that stands for no column is a mistake; otherwise it is passed over.
    places : sequence of str
        What messages call each entry; by default its number.
    """
    seen: dict[str, int] = {}
    if isinstance(data, Mapping):
        rows = [
            {"name": name, **({} if weight is None else {"weight": weight})} for name, weight in data.items()
        ]
        return [player_of(row, f"{where}, entry {n}", seen, n) for n, row in enumerate(rows, start=1)]
    if not isinstance(data, Sequence) or isinstance(data, str | bytes):
        fail(where, "it is neither a list of players nor an object from names to weights")
    if not (strict or places) and data and all(isinstance(each, Mapping) for each in data):
        known = data_rows(data, where, "column-ignored")  # there is nobody to ask
        data, places = (data, places) if known is None else (known.rows, known.places)
    players = []
    for number, raw in enumerate(data, start=1):
        at = places[number - 1] if places else f"{where}, entry {number}"
        entry = _spelt_out(raw)
        if not isinstance(entry, Mapping):
            fail(
                at,
                f"{short(json.dumps(entry, default=str))} is not an object; "
                'a player is {"name": ..., "weight": ...}',
            )
        row: dict[str, Any] = {}
        for key, value in entry.items():
            column = column_of(key)
            if column is None and strict:
                fail(at, f"there is no field {short(key)}; the fields are {', '.join(COLUMNS)}")
            if column is None or not (
                has_value(value) or (isinstance(value, float) and column not in _TEXTS)
            ):
                continue  # nan is nobody's name, and no number either
            if column in row:
                fail(at, f"the column {column!r} appears twice; delete all but one")
            row[column] = value
        players.append(player_of(row, at, seen, number))
    return players


def _spelt_out(entry: Any) -> Any:
    """Return the object that a name alone, or a list of a name and a weight, stands for."""
    if isinstance(entry, str):
        return {"name": entry}
    if isinstance(entry, list) and len(entry) == len(("name", "weight")):
        return {"name": entry[0], "weight": entry[1]}
    return entry


def player_of(row: Mapping[str, Any], at: str, seen: dict[str, int], number: int) -> Player:
    """Return the player of one line or entry; ``seen`` holds where each id stood."""
    name = text_of(row["name"], "name", at) if "name" in row else ""
    identity = (text_of(row["id"], "id", at) if "id" in row else "") or name
    if not identity:
        fail(at, "it has neither a name nor an id; give one of them")
    if identity in seen:
        unit = "entry" if ", entry " in at else "line"
        fail(at, f"{short(identity)} appears twice, first in {unit} {seen[identity]}; names must differ")
    seen[identity] = number
    rating = None
    if "mu" in row:
        rating = Rating(number_of(row["mu"], "mu", at), _sigma(row, at))
    elif "weight" in row:
        rating = Rating(_weight(row["weight"], at), _sigma(row, at))
    side = number_of(row["side"], "side", at) if "side" in row else NO_SIDE
    if not 0.0 <= side <= 1.0:
        fail(at, f"side must be from 0 (the first team) to 1 (the last), got {side:g}")
    return Player(
        identity,
        rating,
        name,
        party=text_of(row["party"], "party", at) if "party" in row else None,
        side=side,
        team=_team(row["team"], "team", at) if "team" in row else None,
        bot=_yes(row["bot"], at) if "bot" in row else False,
        roles=tuple((role, _role_rating(known, role, at)) for role, known in _several(row, "roles", at)),
        prefer=_priced(row, "prefer", at),
        avoid=_priced(row, "avoid", at),
        team_now=_team(row["team_now"], "team_now", at) if "team_now" in row else None,
    )


def _several(row: Mapping[str, Any], field: str, at: str) -> list[tuple[str, Any]]:
    """Return the names in a field, with the price of each: ``Bob;Cid=2%``, a list, or an object."""
    if field not in row:
        return []
    raw = row[field]
    if isinstance(raw, Mapping):
        return [(text_of(name, field, at), value) for name, value in raw.items()]
    cells = raw.split(SEPARATOR) if isinstance(raw, str) else raw
    if not isinstance(cells, Sequence):
        fail(at, f"{field} {short(json.dumps(raw, default=str))} is not a list, an object or a text")
    pairs: list[tuple[str, Any]] = []
    for cell in cells:
        name, equals, value = text_of(cell, field, at).rpartition("=")
        if equals and field == "roles" and not _is_amount(value):
            typed = short(value.strip())
            fail(at, f"roles: the rating as {short(name.strip())} must be a number, got {typed}")
        if not (equals and _is_amount(value)):
            name, value = text_of(cell, field, at), ""
        if name.strip():
            pairs.append((name.strip(), value.strip() or None))
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        fail(at, f"{field} names {short(names[again(names)])} twice")
    return pairs


def _is_amount(text: str) -> bool:
    stripped = text.strip().removesuffix("%")
    return bool(NUMBER.fullmatch(stripped) or NO_NUMBER.fullmatch(stripped))


def _role_rating(known: Any, role: str, at: str) -> Rating | None:
    if known is None:
        return None
    if isinstance(known, Mapping):
        for field in known:
            if field not in ("mu", "sigma"):
                fail(at, f"there is no field {field!r} of {role!r}; the fields are mu, sigma")
        return Rating(number_of(known.get("mu"), f"mu as {role}", at), _sigma(known, at))
    return Rating(number_of(known, f"the rating as {role}", at))


def _priced(row: Mapping[str, Any], field: str, at: str) -> tuple[tuple[str, float | None], ...]:
    return tuple(
        (name, None if value is None else price_of(value, f"the price of {field}", at))
        for name, value in _several(row, field, at)
    )


def _weight(value: Any, at: str) -> float:
    """Return a weight, which a roster has from 0."""
    weight = number_of(value, "weight", at)
    if weight < 0:
        fail(at, f"the weight must be at least 0, got {weight:g} (a column 'mu' may be negative)")
    return weight


def _sigma(row: Mapping[str, Any], at: str) -> float:
    if "sigma" not in row:
        return 0.0
    sigma = number_of(row["sigma"], "sigma", at)
    if sigma < 0:
        fail(at, f"sigma must be at least 0, got {sigma:g}")
    return sigma


def _team(value: Any, field: str, at: str) -> int:
    team = number_of(value, field, at)
    if team < 1 or team != int(team):
        fail(at, f"{field} must be a whole number from 1, got {team:g}")
    return int(team) - 1


def _yes(value: Any, at: str) -> bool:
    text = str(value).strip().lower()
    if text not in _YES + _NO:
        fail(at, f"bot must be one of {', '.join(_YES + _NO[1:])}, got {short(text)}")
    return text in _YES


def number(value: float) -> str:
    """Return a number with as many digits as help: whole where it is, else four that count.

    Examples
    --------
    >>> number(374.0), number(0.99733), number(26.500001), number(1500.25)
    ('374', '0.9973', '26.5', '1500.2')
    """
    if value == round(value) and abs(value) < 1e15:
        return str(round(value))
    return f"{value:.1f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"


def calling_nobody(text: str) -> str:
    r"""Return a text that mentions nobody in the chat it is pasted into: what follows an at sign is no name.

    Examples
    --------
    >>> calling_nobody("@everyone and <@5>")
    '@\u200beveryone and <@\u200b5>'
    """
    return text.replace("@", "@\u200b")


def printable(name: str) -> str:
    r"""Return a name with everything escaped that would change the screen around it.

    Examples
    --------
    >>> printable("Ann\x1b[31m")
    'Ann\\x1b[31m'
    """
    if name.isprintable():
        return name
    parts = _JOINED.split(name)
    parts[::2] = [
        "".join(
            sign.encode("unicode_escape").decode("ascii") if unicodedata.category(sign) in _HIDDEN else sign
            for sign in part
        )
        for part in parts[::2]
    ]
    return "".join(parts)
