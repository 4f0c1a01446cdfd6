"""Tables of fields: what follows from the line that declares one."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.core.fields import (
    COUNTS,
    GROUPS,
    NAMES,
    NUMBER,
    NUMBERS,
    PRICE,
    TEAMS,
    WHOLE,
    FieldInfo,
    Kind,
    Range,
    ask,
    frozen_number,
    leaves,
    one_of,
    optional,
    part_of,
    table_of,
    typed_counts,
    typed_groups,
    typed_names,
    typed_teams,
)
from equipoise.errors import InputError, UnknownNameError, UnsupportedError

NAME = st.text(st.characters(categories=["Ll", "Lu"]), min_size=1, max_size=5)

#: Values as callers pass them, of each kind.
GIVEN: list[tuple[Kind, st.SearchStrategy[Any]]] = [
    (WHOLE, st.integers(-(10**15), 10**15)),
    (NUMBER, st.floats(-1e15, 1e15)),
    (optional(WHOLE), st.none() | st.integers(0, 9)),
    (NAMES, st.lists(NAME)),
    (GROUPS, st.lists(st.lists(NAME))),
    (TEAMS, st.dictionaries(NAME, st.integers(0, 9))),
    (COUNTS, st.dictionaries(NAME, st.integers(0, 9))),
    (NUMBERS, st.lists(st.floats(0, 1e9))),
    (optional(NUMBERS), st.none() | st.lists(st.floats(0, 1e9))),
    (PRICE, st.floats(0, 1)),
    (one_of("a", "b"), st.sampled_from(["a", "b"])),
]

#: What schemas refer to.
DEFINED = {
    "names": {"type": "array", "items": {"type": "string"}},
    "groups": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
    "price": {"type": ["number", "string"]},
}


@given(st.data())
def test_what_is_written_is_read_as_the_same(data: st.DataObject) -> None:
    """Of every kind, whatever the value: frozen, written as JSON, read and frozen again."""
    kind, values = data.draw(st.sampled_from(GIVEN))
    value = kind.freeze(data.draw(values), "field")
    written = json.loads(json.dumps(kind.write(value, "field"), allow_nan=False))
    assert kind.freeze(kind.read(written, "field"), "field") == value
    assert kind.freeze(value, "field") == value
    hash(value)


@given(st.data())
def test_what_is_written_keeps_to_the_schema(data: st.DataObject) -> None:
    """But for teams and counts of 0, which nothing asks for."""
    kind, values = data.draw(st.sampled_from([each for each in GIVEN if each[0] not in (COUNTS, TEAMS)]))
    written = kind.write(kind.freeze(data.draw(values), "field"), "field")
    jsonschema.validate(written, {**kind.schema, "$defs": DEFINED})


@given(st.floats(allow_nan=True), st.floats(-1e6, 1e6), st.floats(0, 1e6) | st.just(math.inf))
def test_a_range_holds_its_ends_and_what_is_between(value: float, least: float, more: float) -> None:
    """Nothing outside, no nan, and no infinity."""
    most = least + more
    if least <= value <= most and math.isfinite(value):
        Range(least, most).check(value, "field")
    else:
        with pytest.raises(InputError, match=r"^field must be "):
            Range(least, most).check(value, "field")


@pytest.mark.parametrize(
    ("limits", "value", "message"),
    [
        (Range(1), 0, "keep must be at least 1, got 0"),
        (Range(2, 100), 101, "keep must be from 2 to 100, got 101"),
        (Range(0.01, 1000), 0.0, "keep must be from 0.01 to 1000, got 0.0"),
        (Range(0.0), math.inf, "keep must be finite, got inf"),
        (Range(0.0), math.nan, "keep must be at least 0, got nan"),
        (Range(-1e15, 1e15), 2e15, "keep must be from -1e15 to 1e15, got 2000000000000000.0"),
        (Range(0, 1_000_000), -1, "keep must be from 0 to 1000000, got -1"),
    ],
)
def test_a_number_out_of_range_is_answered_with_the_range(limits: Range, value: float, message: str) -> None:
    """As people write its ends."""
    with pytest.raises(InputError) as caught:
        limits.check(value, "keep")
    assert str(caught.value) == message


def test_a_range_says_its_ends_in_the_schema() -> None:
    """Whole where they are, and none that is not there."""
    assert Range(1).schema == {"minimum": 1}
    assert Range(0.5, 2.0).schema == {"minimum": 0.5, "maximum": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A table."""

    keep: int = ask(1, WHOLE, "How many.", limits=Range(1), flag="--keep")
    beta: float | None = ask(None, optional(NUMBER), "Noise.", limits=Range(0))
    other: int = 3


TABLE = table_of(Asked)


def test_a_table_knows_its_fields_and_no_others() -> None:
    """By name, in their order, each with its default and its schema."""
    assert list(TABLE) == ["keep", "beta"]
    assert [(info.name, info.default) for info in TABLE.values()] == [("keep", 1), ("beta", None)]
    assert TABLE["keep"].json_schema == {
        "type": "integer", "minimum": 1, "default": 1, "description": "How many."
    }  # fmt: skip
    assert TABLE["beta"].json_schema == {"type": ["number", "null"], "minimum": 0, "description": "Noise."}
    assert Asked().keep == 1


def test_none_is_nothing_asked_only_where_that_is_the_default() -> None:
    """Elsewhere it is a mistake."""
    TABLE["beta"].check(None)
    with pytest.raises(InputError, match=r"^keep must be a whole number, got None$"):
        TABLE["keep"].check(None)
    for value in (True, 1.0, "1"):
        with pytest.raises(InputError, match=r"^keep must be a whole number"):
            TABLE["keep"].check(value)


def test_what_is_no_number_is_refused_and_what_is_too_large_is_infinite() -> None:
    """So that a range can be asked, and no arithmetic fails."""
    assert frozen_number(10**400, "beta") == math.inf
    assert frozen_number(-(10**400), "beta") == -math.inf
    assert frozen_number(10**300, "beta") == 10**300
    for value in (True, "1", [1]):
        with pytest.raises(InputError, match=r"^beta must be a number"):
            frozen_number(value, "beta")


@given(st.lists(NAME.filter(str.isalpha), min_size=2, max_size=4, unique=True))
def test_names_are_typed_with_commas(names: list[str]) -> None:
    """Quoted as in CSV where they have one."""
    assert typed_names(", ".join(names)) == names
    assert typed_names(",".join(f'"{name}, Jr"' for name in names)) == [f"{name}, Jr" for name in names]
    assert typed_groups([",".join(names)], "--party") == [names]


@pytest.mark.parametrize("text", ["Ann", "Ann,", "", ",Bob"])
def test_a_group_has_two_names(text: str) -> None:
    """None of them empty."""
    with pytest.raises(InputError, match=r"^--party: .* does not name two players or more"):
        typed_groups([text], "--party")


def test_teams_are_typed_from_one() -> None:
    """A name may have an equals sign; one team each, by number or by name."""
    assert typed_teams(["Ann=1", "a=b=02", "Ann=1"], "--fix") == {"Ann": 0, "a=b": 1}
    assert typed_teams(["Ann= Team  Red "], "--fix") == {"Ann": "Team Red"}
    for text in ("Ann", "Ann=0", "=1", "Ann=10000", "Ann="):
        with pytest.raises(InputError, match=r"^--fix: .* is not NAME=TEAM"):
            typed_teams([text], "--fix")
    assert typed_teams(["Ann=9999"], "--fix") == {"Ann": 9998}
    with pytest.raises(InputError, match=r"^--fix: 'Ann' is fixed to more than one team"):
        typed_teams(["Ann=1", "Ann=2"], "--fix")


def test_counts_are_typed_with_colons() -> None:
    """Each name once."""
    assert typed_counts("tank:1, damage:2", "--roles") == {"tank": 1, "damage": 2}
    for text in ("tank", "tank:", ":1", "tank:-1", "tank:1,tank:2", "tank:1.5"):
        with pytest.raises(InputError, match=r"^--roles: .* is not ROLE:NUMBER once each"):
            typed_counts(text, "--roles")


def test_a_part_is_a_name_of_a_registry_or_itself() -> None:
    """In orders and sums too; nothing is imported to see that."""
    kind = part_of({"win": "a:b"}, {"moves": "a:c"}, also=("auto",))
    for part in ("win", "auto", "no.such:part", ("win", {"moves": 1.0}), print):
        kind.check(part, "objective")
    for part in ("nosuch", ("win", "nosuch"), {"nosuch": 1.0}):
        with pytest.raises(UnknownNameError, match="objective: there is no 'nosuch'"):
            kind.check(part, "objective")
    with pytest.raises(InputError, match=r"^objective must be a name or the part itself, got 7$"):
        kind.check(7, "objective")
    assert leaves(("win", {"moves": 1.0, "x": 2.0})) == ["win", "moves", "x"]
    with pytest.raises(UnsupportedError, match=r"^objective is .* which cannot be written down"):
        kind.write(print, "objective")


def test_what_is_not_in_a_list_of_names_is_answered_with_it() -> None:
    """As everywhere."""
    info = FieldInfo(one_of("squared", "absolute"), name="deviation", default="squared")
    with pytest.raises(InputError, match=r"^deviation must be squared or absolute, got 'cubed'$"):
        info.check("cubed")


@pytest.mark.parametrize(
    ("groups", "read"),
    [
        ([["a", "b"]], (("a", "b"),)),
        ([[" a", "b"]], (("a", "b"),)),
        ([["a", 7]], (("a", "7"),)),
        ([("a", "b"), ["c"]], (("a", "b"), ("c",))),
    ],
)
def test_groups_are_read_name_by_name(groups: Any, read: tuple[tuple[str, ...], ...]) -> None:
    """Also where all look like names at first sight."""
    assert GROUPS.read(groups, "apart") == read


@pytest.mark.parametrize("groups", [7, "ab", [7], ["ab"], [["a", None]], [["a", "x" * 300]]])
def test_what_is_no_group_is_refused(groups: Any) -> None:
    """In data and as an argument."""
    with pytest.raises(InputError, match=r"^apart"):
        GROUPS.read(groups, "apart")
    if groups != [["a", "x" * 300]]:
        with pytest.raises(InputError, match=r"^apart"):
            GROUPS.freeze(groups, "apart")


def test_the_type_of_a_keyword_is_what_may_be_frozen() -> None:
    """It is written into the keywords that editors show."""
    assert optional(NUMBERS).freeze.__annotations__["given"] == "Sequence[float] | None"
    assert optional(WHOLE).freeze is WHOLE.freeze
