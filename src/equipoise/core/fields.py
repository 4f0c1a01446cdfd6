"""Tables of fields: what is known of a field stands in the one line that declares it.

A table is a frozen dataclass whose fields are made by :func:`ask`.  How a value is read from JSON and TOML,
written, frozen, checked and typed, what it is called on the command line and what its schema is follow from
that line; :func:`table_of` gives them to whoever needs them.  Kinds of values that several tables share are
here.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, field, fields
from itertools import chain
from numbers import Integral
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from equipoise.core.plain_data import (
    any_number_of,
    fail,
    list_of,
    name_of,
    names_of,
    object_of,
    price_of,
    real_of,
    text_of,
    whole_of,
)
from equipoise.core.player import plain_number
from equipoise.errors import InputError, UnknownNameError, UnsupportedError

T = TypeVar("T")

#: The largest number of players that a field may hold.
MOST_COUNT = 1_000_000


def plain(value: Any, name: str) -> Any:
    """Return a value as JSON holds it.

    Raises
    ------
    UnsupportedError
        If it is an object of Python's, which nothing but its name can stand for.
    """
    if isinstance(value, tuple):
        return [plain(entry, name) for entry in value]
    if isinstance(value, Mapping):
        return {key: plain(entry, name) for key, entry in value.items()}
    if value is not None and not isinstance(value, str | int | float):
        msg = f"is {value!r:.60}, which cannot be written down; a name of the registry can"
        raise UnsupportedError(msg, name)
    return value


def same(given: Any, name: str) -> Any:
    """Return what is given."""
    del name
    return given


def anything(value: Any, name: str) -> None:
    """Refuse nothing."""
    del value, name


class Kind(NamedTuple):
    """A kind of values: its forms, and how one becomes another.

    Every function takes a value and what messages call its place.

    Parameters
    ----------
    read : callable
        From JSON or TOML to what a caller would pass.
    schema : mapping
        The JSON schema of that form.
    freeze : callable
        From what a caller passes to what the table holds; what its parameter ``given`` is annotated with is
        the type of the keyword.
    check : callable
        Raises what is wrong with a value that the table holds.
    write : callable
        From what the table holds to JSON.
    typed : callable, optional
        From what is typed to what a caller would pass; None where that takes more than the text.
    option : str
        How the command line takes it: ``"text"``, ``"texts"`` (repeatable), ``"whole"``, ``"number"``,
        ``"share"``, ``"price"``, ``"flag"`` (without a value), or ``"bare"`` (its value may be left out).
    metavar : str
        What stands for its value in the help.
    parts : bool
        Whether it names replaceable parts, which data from elsewhere may only take from the registries.
    """

    read: Callable[[Any, str], Any]
    schema: Mapping[str, Any]
    freeze: Callable[[Any, str], Any] = same
    check: Callable[[Any, str], None] = anything
    write: Callable[[Any, str], Any] = plain
    typed: Callable[[Any, str], Any] | None = None
    option: str = "text"
    metavar: str = "NAME"
    parts: bool = False


class Range(NamedTuple):
    """The range of a number, both ends included."""

    least: float
    most: float = math.inf

    def check(self, value: Any, name: str) -> None:
        """Refuse a number outside.

        Raises
        ------
        InputError
            If it is, or is none.

        Examples
        --------
        >>> Range(1).check(0, "keep")
        Traceback (most recent call last):
        equipoise.errors.InputError: keep must be at least 1, got 0
        """
        if value is not None and self.least <= value <= self.most and value != math.inf:
            return
        if value is not None and value == self.most == math.inf:
            allowed = "finite"
        elif self.most == math.inf:
            allowed = f"at least {_shown(self.least)}"
        else:
            allowed = f"from {_shown(self.least)} to {_shown(self.most)}"
        msg = f"must be {allowed}, got {value!r}"
        raise InputError(msg, name)

    @property
    def schema(self) -> dict[str, Any]:
        """The range as a schema has it."""
        found = {"minimum": self.least, "maximum": self.most}
        return {name: int(end) if end == int(end) else end for name, end in found.items() if end != math.inf}


def _shown(end: float) -> str:
    """Return the end of a range as people write it."""
    return str(int(end)) if end == int(end) and abs(end) < 1e15 else f"{end:g}".replace("e+", "e")


class FieldInfo(NamedTuple):
    """All that is known of a field.

    Parameters
    ----------
    kind : Kind
        What it holds.
    help : str
        What it asks for, in a sentence or two: for the help of the command line and for the schema.
    limits : Range, optional
        The range of a number.
    schema : mapping
        What its schema has besides that of the kind and of the limits.
    flag : str
        How it is typed: by default two hyphens and its name; several fields may share one, and one whose flag
        is empty is in files and calls alone.
    metavar : str
        What stands for its value in the help; by default as for its kind.
    note : str
        What the help of the command line adds.
    section : str
        The section of that help.
    shown : bool
        Whether ``--help`` has it; ``--help-all`` has all.
    kept_by : tuple of str
        Who else keeps to it besides what the table is for.
    name : str
        What it is called; the dataclass says it.
    default : object
        What stands for nothing asked; the dataclass says it.
    """

    kind: Kind
    help: str = ""
    limits: Range | None = None
    schema: Mapping[str, Any] = MappingProxyType({})
    flag: str = "--"
    metavar: str = ""
    note: str = ""
    section: str = ""
    shown: bool = False
    kept_by: tuple[str, ...] = ()
    name: str = ""
    default: Any = None

    def check(self, value: Any) -> None:
        """Refuse a value that the table cannot hold.

        Raises
        ------
        InputError
            If its type or its range is wrong; its ``argument`` is the field.
        """
        if value is None and self.default is None:
            return
        self.kind.check(value, self.name)
        if self.limits is not None:
            self.limits.check(value, self.name)

    def named(self, name: str) -> FieldInfo:
        """Return the field under a name, with what else follows from that."""
        flag = f"--{name.replace('_', '-')}" if self.flag == "--" else self.flag
        return self._replace(name=name, flag=flag, metavar=self.metavar or self.kind.metavar)

    @property
    def json_schema(self) -> dict[str, Any]:
        """The schema of its JSON form."""
        made = {**self.kind.schema, **(self.limits.schema if self.limits else {})}
        if isinstance(self.default, str | int | float):
            made["default"] = self.default
        return {**made, "description": self.help, **self.schema}


def ask(default: T, kind: Kind, help: str, **more: Any) -> T:  # noqa: A002  # what click calls it too
    """Return a field of a table, with all that is known of it; ``more`` is as in :class:`FieldInfo`."""
    return field(default=default, metadata={"asked": FieldInfo(kind, help, **more)})


def table_of(cls: Any) -> dict[str, FieldInfo]:
    """Return the fields of a table by name, in their order; what was not made by :func:`ask` is left out."""
    return {each.name: _named(each) for each in fields(cls) if "asked" in each.metadata}


def _named(each: Field[Any]) -> FieldInfo:
    info: FieldInfo = each.metadata["asked"]
    return info.named(each.name)._replace(default=each.default)


# Reading, freezing and checking


def count_of(value: Any, at: str) -> int:
    """Return a number of players."""
    count = whole_of(value, at)
    if not 0 <= count <= MOST_COUNT:
        fail(at, f"the number must be from 0 to {MOST_COUNT}, got {count}")
    return count


def _yes_of(value: Any, at: str) -> bool:
    if not isinstance(value, bool):
        fail(at, f"must be true or false, got {value!r}")
    return value


def team_of(value: Any, at: str, what: str = "team") -> int:
    """Return a team, from 0, of one that is counted from 1."""
    team = whole_of(value, at)
    if team < 1:
        fail(at, f"{what} must be at least 1, got {team}")
    return team - 1


def groups_of(value: Any, at: str) -> tuple[tuple[str, ...], ...]:
    """Return groups of names."""
    groups = list_of(value, at, "groups of names")
    if _are_names(groups, at):
        return tuple(map(tuple, groups))
    return tuple(names_of(group, at) for group in groups)


def _are_names(groups: Sequence[Any], at: str) -> bool:
    """Tell whether groups are lists of texts that are names as they stand, looking at each text once.

    Of a million pairs the names are those of a few thousand players.
    """
    if not {*map(type, groups)} <= {list} or not {*map(type, chain.from_iterable(groups))} <= {str}:
        return False
    try:
        return all(text_of(name, "name", at) == name for name in {*chain.from_iterable(groups)})
    except InputError:
        return False


def listed(given: Any, name: str) -> tuple[Any, ...]:
    """Return what an argument lists.

    Raises
    ------
    InputError
        If it lists nothing.
    """
    if isinstance(given, str) or not isinstance(given, Iterable):
        msg = f"must be a list, got {given!r}"
        raise InputError(msg, name)
    return tuple(given)


def listed_as(kind: type, given: Any, name: str) -> tuple[Any, ...]:
    """Return what an argument lists, things of one kind; nothing of None.

    Raises
    ------
    InputError
        If it lists nothing, or things of another kind.
    """
    parts = () if given is None else listed(given, name)
    for part in parts:
        if not isinstance(part, kind) or isinstance(part, bool):
            msg = f": each must be a {kind.__name__}, got {part!r}"
            raise InputError(msg, name)
    return parts


def frozen_groups(given: Iterable[Sequence[str]], name: str) -> tuple[tuple[str, ...], ...]:
    """Return groups of names as tuples."""
    groups = listed(given, name)
    if {*map(type, groups)} <= {tuple, list} and {*map(type, chain.from_iterable(groups))} <= {str}:
        return tuple(map(tuple, groups))  # there may be millions
    found = []
    for group in groups:
        names = None if isinstance(group, str) or not isinstance(group, Iterable) else tuple(group)
        if names is None or not all(isinstance(who, str) for who in names):
            msg = f"must be lists of names, got {group!r}"
            raise InputError(msg, name)
        found.append(names)
    return tuple(found)


def frozen_pairs(
    given: Mapping[str, int] | Iterable[tuple[str, int]] | None, name: str
) -> tuple[tuple[str, int], ...]:
    """Return names with whole numbers as pairs."""
    pairs = listed((given.items() if isinstance(given, Mapping) else given) or (), name)
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not isinstance(pair[0], str):
            msg = f"must be a mapping from names to whole numbers, got {given!r}"
            raise InputError(msg, name)
        check_whole(pair[1], name)
    return tuple((who, number) for who, number in pairs)


def frozen_teams(
    given: Mapping[str, int | str] | Iterable[tuple[str, int | str]] | None, name: str
) -> tuple[tuple[str, int | str], ...]:
    """Return names with teams, from 0 or by their names, as pairs."""
    pairs = listed((given.items() if isinstance(given, Mapping) else given) or (), name)
    named = {
        n: pair[1]
        for n, pair in enumerate(pairs)
        if isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[1], str)
    }
    numbers = frozen_pairs([(pair[0], 0) if n in named else pair for n, pair in enumerate(pairs)], name)
    return tuple((who, one_space(named[n]) if n in named else team) for n, (who, team) in enumerate(numbers))


def frozen_numbers(given: Sequence[float], name: str) -> tuple[float, ...]:
    """Return numbers as a tuple."""
    return tuple(_number(each, name, ": each ") for each in (() if given is None else listed(given, name)))


def frozen_names(given: Sequence[str], name: str) -> tuple[str, ...]:
    """Return names as a tuple."""
    return listed_as(str, given, name)


def check_whole(value: Any, name: str) -> None:
    """Refuse what is no whole number."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        msg = f"must be a whole number, got {value!r}"
        raise InputError(msg, name)


def check_number(value: Any, name: str) -> None:
    """Refuse what is no number."""
    _number(value, name)


def _number(value: object, name: str, which: str = "") -> float:
    number = plain_number(value)
    if number is None:
        msg = f"{which}must be a number, got {value!r}"
        raise InputError(msg, name)
    return number


def frozen_number(given: Any, name: str) -> Any:
    """Return a number, of decimals and fractions a float, of a whole one larger than any float infinity."""
    return None if given is None else _number(given, name)


# What is typed


def typed_names(text: str) -> list[str]:
    """Return the names in ``A,B``, quoted as in CSV where a name has a comma."""
    cells = " ".join(text.split())  # a name has no line breaks, but a shell may pass some
    return [name.strip() for name in next(csv.reader([cells], skipinitialspace=True), [])]


def typed_groups(texts: Sequence[str], flag: str) -> list[list[str]]:
    """Return the names of each ``A,B``."""
    found = []
    for text in texts:
        names = typed_names(text)
        if len(names) < 2 or not all(names):
            fail(flag, f"{text!r} does not name two players or more; write {flag} 'Ann,Bob'")
        found.append(names)
    return found


def typed_teams(texts: Sequence[str], flag: str) -> dict[str, int | str]:
    """Return the team of each ``NAME=TEAM``, from 0 or by its name."""
    teams: dict[str, int | str] = {}
    for text in texts:
        who, _, typed = text.rpartition("=")
        digits = typed.strip().lstrip("0")
        number = digits.isdecimal() and digits.isascii()
        if not who or not typed.strip() or (number and len(digits) > 4) or typed.strip() == "0":
            fail(flag, f"{text!r} is not NAME=TEAM with teams counted from 1; write {flag} 'Ann=1', "
                 f"or {flag} 'Ann=Red' with --names Red,Blue")  # fmt: skip
        team = int(digits) - 1 if number else one_space(typed)
        if teams.setdefault(who.strip(), team) != team:
            fail(flag, f"{who.strip()!r} is fixed to more than one team")
    return teams


def typed_labels(text: str, flag: str) -> list[str]:
    """Return the names of ``A,B``."""
    names = [one_space(name) for name in text.split(",")]
    if not all(names):
        fail(flag, f"must be names separated by commas, got {text!r}")
    return names


def one_space(name: str) -> str:
    """Return a name with single spaces, and none around it."""
    return " ".join(name.split())


def typed_counts(text: str, flag: str) -> dict[str, int]:
    """Return the numbers of ``NAME:NUMBER,...``."""
    counts: dict[str, int] = {}
    for part in text.split(","):
        name, colon, number = part.strip().rpartition(":")
        if not colon or not name or not number.strip().isdecimal() or name.strip() in counts:
            fail(flag, f"{part.strip()!r} is not ROLE:NUMBER once each; write {flag} tank:1,damage:2")
        counts[name.strip()] = int(number)
    return counts


def typed_numbers(text: str, flag: str) -> list[float]:
    """Return the numbers of ``T,T``; their range is checked later."""
    return [any_number_of(part, "the number", flag) for part in text.split(",")]


# Kinds of values


def optional(kind: Kind) -> Kind:
    """Return a kind with which None stands for nothing asked."""
    read, freeze, schema = kind.read, kind.freeze, kind.schema
    nullable = (
        {**schema, "type": [schema["type"], "null"]}
        if isinstance(schema.get("type"), str)
        else {"oneOf": [*schema.get("oneOf", [schema]), {"type": "null"}]}
    )

    def frozen(given: Any, name: str) -> Any:
        return None if given is None else freeze(given, name)

    if freeze is not same:
        frozen.__annotations__["given"] = f"{freeze.__annotations__['given']} | None"
    return kind._replace(
        read=lambda value, at: None if value is None else read(value, at),
        freeze=same if freeze is same else frozen,
        schema=nullable,
    )


WHOLE = Kind(whole_of, {"type": "integer"}, check=check_whole, typed=same, option="whole", metavar="N")
COUNT = WHOLE._replace(read=count_of, schema={"type": "integer", "minimum": 0, "maximum": MOST_COUNT})
NUMBER = WHOLE._replace(
    read=real_of, schema={"type": "number"}, freeze=frozen_number, check=check_number, option="number",
    metavar="NUMBER",
)  # fmt: skip
#: A number that is typed as a share, ``0.02`` or ``2%``.
SHARE = NUMBER._replace(option="share", metavar="P")
#: A price in win probability: ``0.02`` or ``2%``.
PRICE = NUMBER._replace(
    read=lambda value, at: price_of(value, "the price", at),
    schema={"$ref": "#/$defs/price"},
    typed=lambda text, flag: price_of(text, "price", flag),
    option="price",
    metavar="PRICE",
)
NAME = Kind(name_of, {"type": "string"}, typed=same)
NAMES = Kind(
    names_of,
    {"$ref": "#/$defs/names"},
    freeze=frozen_names,
    typed=lambda text, _: typed_names(text),
    metavar="A,B",
)
GROUPS = Kind(
    groups_of, {"$ref": "#/$defs/groups"}, freeze=frozen_groups, typed=typed_groups, option="texts",
    metavar="A,B",
)  # fmt: skip
#: A team, from 0 (in data from 1) or by its name, for each of some names.
TEAMS = Kind(
    lambda value, at: {
        text_of(who, "a name", at): team if isinstance(team, str) else team_of(team, f"{at}.{who}")
        for who, team in object_of(value, at).items()
    },
    {
        "type": "object",
        "additionalProperties": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string"}]},
    },
    freeze=frozen_teams,
    write=lambda value, _: {who: team + 1 for who, team in value},
    typed=typed_teams,
    option="texts",
    metavar="A=TEAM",
)
#: A whole number for each of some names.
COUNTS = Kind(
    lambda value, at: {
        name: whole_of(number, f"{at}.{name}") for name, number in object_of(value, at).items()
    },
    {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}},
    freeze=frozen_pairs,
    write=lambda value, _: dict(value),
    typed=typed_counts,
    metavar="NAME:N,...",
)
#: Names of what is counted, in its order.
NAMES = Kind(
    lambda value, at: tuple(text_of(name, "a name", at) for name in list_of(value, at, "names")),
    {"type": "array", "items": {"type": "string", "minLength": 1}},
    freeze=lambda given, name: tuple(map(one_space, frozen_names(given, name))),
    typed=typed_labels,
    metavar="A,B",
)
NUMBERS = Kind(
    lambda value, at: tuple(real_of(entry, at) for entry in list_of(value, at, "numbers")),
    {"type": "array", "items": {"type": "number"}},
    freeze=frozen_numbers,
    typed=typed_numbers,
    metavar="N,N",
)


FLAG = Kind(_yes_of, {"type": "boolean"}, typed=same, option="flag")


def one_of(*names: str) -> Kind:
    """Return the kind of a name from a list."""

    def check(value: Any, name: str) -> None:
        if value not in names:
            msg = f"must be {' or '.join(names)}, got {value!r}"
            raise InputError(msg, name)

    return NAME._replace(schema={"enum": [*names]}, check=check)


def part_of(*registries: Mapping[str, str], also: tuple[str, ...] = ()) -> Kind:
    """Return the kind of a part that is known by name, or passed itself.

    Parameters
    ----------
    *registries : mapping from str to str
        Where its name may be.
    also : tuple of str
        Names besides.
    """

    def check(value: Any, name: str) -> None:
        known = {**dict.fromkeys(also, ""), **{each: at for one in registries for each, at in one.items()}}
        for part in leaves(value):
            if isinstance(part, str):
                if ":" not in part and part not in known:
                    raise UnknownNameError(name, part, known)
            elif not (callable(part) or hasattr(part, "criterion")):
                msg = f"must be a name or the part itself, got {part!r}"
                raise InputError(msg, name)

    return NAME._replace(check=check, parts=True)


def leaves(value: Any) -> list[Any]:
    """Return what parts a value names: one, several in order, or those of a weighted sum."""
    entries = value if isinstance(value, tuple) else (value,)
    return [name for entry in entries for name in (entry if isinstance(entry, Mapping) else (entry,))]
