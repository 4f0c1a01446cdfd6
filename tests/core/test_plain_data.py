"""Plain data: what is a number, a price, a text, a player; and what a mistake is told as."""

from __future__ import annotations

import math
from typing import Any

import pytest

from equipoise import InputError, Player, Rating
from equipoise.core.plain_data import (
    LONGEST_NAME,
    any_number_of,
    column_of,
    has_value,
    is_plain,
    list_of,
    name_of,
    names_of,
    number,
    number_of,
    object_of,
    of_all,
    player_of,
    players_of,
    price_of,
    printable,
    real_of,
    seen,
    short,
    text_of,
    whole_of,
)

#: Emoji of several parts: a family with skin tones, and the flag of England.
FAMILY = "\U0001f468\U0001f3fe\u200d\U0001f469\U0001f3fb\u200d\U0001f467"
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


class Missing:
    """Compared with anything it is itself, as NA of a data frame is."""

    def __eq__(self, other: object) -> Any:
        return self

    def __hash__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        msg = "neither true nor false"
        raise TypeError(msg)


@pytest.mark.parametrize(
    ("cell", "there"),
    [
        (0, True), (False, True), ("0", True), ("", False), ("  ", False), (" x ", True), (None, False),
        (math.nan, False), (math.inf, True), ([], True), ({}, True), (Missing(), False), (b"", True),
    ],
)  # fmt: skip
def test_a_cell_has_something_in_it_or_not(cell: Any, there: bool) -> None:
    """Blank texts and what says that nothing is known are empty; zero and false are not."""
    assert has_value(cell) is there


@pytest.mark.parametrize(
    "text", ["42", " 3.5 ", "-0.5", "+7", ".5", "5.", "1e3", "1E-3", "nan", "-inf", "Infinity"]
)
def test_numbers_are_read_as_people_write_them(text: str) -> None:
    """As Python reads them."""
    assert repr(any_number_of(text, "x", "here")) == repr(float(text))


@pytest.mark.parametrize(
    "text", ["", "1_000", "1,5", "0x10", "1 2", "one", "e3", "5.5.5", "infinit", "+-1", "."]
)
def test_other_texts_are_no_numbers(text: str) -> None:
    """The message says the place and what numbers look like."""
    with pytest.raises(InputError, match=r"^here: x .* is not a number; numbers look like 42 or 3.5$"):
        any_number_of(text, "x", "here")


@pytest.mark.parametrize("value", [True, None, [], {}])
def test_other_values_are_no_numbers(value: object) -> None:
    """True is not 1."""
    with pytest.raises(InputError, match=r"^here: x .* is not a number$"):
        any_number_of(value, "x", "here")


@pytest.mark.parametrize("value", [1e15, -1e15, 0, 1])
def test_a_number_is_at_most_1e15(value: float) -> None:
    """Both ends are included."""
    assert number_of(value, "x", "here") == value
    assert real_of(value, "here") == value
    for beyond in (math.nextafter(1e15, math.inf), -1.1e15, math.inf, math.nan):
        with pytest.raises(InputError, match=r"^here: x must be from -1e15 to 1e15, got "):
            number_of(beyond, "x", "here")


def test_whole_numbers_and_reals_are_no_texts() -> None:
    """A whole number may be written as 3.0."""
    assert (whole_of(3.0, "here"), whole_of(-2, "here")) == (3, -2)
    for wrong, message in (
        (3.5, "here: 3.5 is not a whole number"),
        ("3", "here: '3' is text, not a number"),
    ):
        with pytest.raises(InputError, match=f"^{message}$"):
            whole_of(wrong, "here")


@pytest.mark.parametrize(
    ("value", "price"),
    [("2%", 0.02), (" 100% ", 1.0), ("0.02", 0.02), (0.5, 0.5), (1, 1.0), (0, 0.0), ("0%", 0.0)],
)
def test_a_price_is_a_win_probability(value: Any, price: float) -> None:
    """In per cent or as a fraction, from 0 to all."""
    assert price_of(value, "p", "here") == pytest.approx(price)


@pytest.mark.parametrize("value", ["101%", 1.01, -0.01, "-1%", "nan", "nan%", 2])
def test_what_is_no_probability_is_no_price(value: Any) -> None:
    """The message shows both ways to write one."""
    with pytest.raises(InputError, match=r"^here: p must be a win probability such as 2% or 0.02, got "):
        price_of(value, "p", "here")


@pytest.mark.parametrize(
    "name", ["Ann", " Ann ", 42, 4.5, "x" * LONGEST_NAME, "👩‍🚀", "\u202eann", "a\u00a0b"]
)
def test_a_text_is_stripped_and_what_can_be_shown(name: Any) -> None:
    """Numbers are names too."""
    assert text_of(name, "name", "here") == str(name).strip()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("x" * (LONGEST_NAME + 1), "the name must have at most 200 characters, got 201"),
        ("a\x00b", r"the name 'a\\x00b' has control characters; it must be plain text"),
        ("a\ud800", r"the name 'a\\ud800' has control characters; it must be plain text"),
        (True, "name 'true' is not a text"), (None, "name 'null' is not a text"),
        (math.nan, "name 'NaN' is not a text"), (["a"], r"""name '\["a"\]' is not a text"""),
    ],
)  # fmt: skip
def test_what_is_no_text_is_reported(value: object, message: str) -> None:
    """With the place, and what is wrong."""
    with pytest.raises(InputError, match=f"^here: {message}$"):
        text_of(value, "name", "here")


def test_a_message_shows_forty_signs() -> None:
    """Of a longer text 37 and an ellipsis."""
    assert short("x" * 40) == repr("x" * 40)
    assert short("x" * 41) == repr("x" * 37 + "...")


def test_lists_objects_and_names_are_told_from_others() -> None:
    """A text is no list, and an object has the keys it may have."""
    assert list_of((1, 2), "here", "names") == (1, 2)
    assert names_of([" Ann ", 7], "here") == ("Ann", "7")
    assert name_of("x", "here") == "x"
    assert object_of({"a": 1}, "here", ("a", "b")) == object_of({"a": 1}, "here") == {"a": 1}
    cases: list[tuple[Any, str]] = [
        (lambda: list_of("ab", "here", "names"), "here: .*ab.* is not a list of names"),
        (lambda: list_of(b"ab", "here", "names"), "here: .* is not a list of names"),
        (lambda: list_of({"a": 1}, "here", "names"), "here: .* is not a list of names"),
        (lambda: object_of([1], "here"), r"here: '\[1\]' is not an object"),
        (lambda: object_of({"c": 1}, "here", ("a", "b")), "here: there is no key 'c'; the keys are a, b"),
        (lambda: name_of(1, "here"), "here: '1' is not a name"),
    ]
    for call, message in cases:
        with pytest.raises(InputError, match=f"^{message}$"):
            call()


def test_what_is_said_of_all_is_the_same_everywhere() -> None:
    """Beta is above 0, draws are at least 0, zero is any number."""
    assert of_all(
        [("1", {"beta": "2", "zero": -5}), ("2", {"beta": 2.0, "draws": 0, "zero": ""}), ("3", {})]
    ) == {
        "beta": 2.0,
        "zero": -5.0,
        "draws": 0.0,
    }
    for rows, message in (
        ([{"beta": 0}], "1: beta must be above 0, got 0"),
        ([{"beta": -1}], "1: beta must be above 0, got -1"),
        ([{"draws": -1}], "1: draws must be at least 0, got -1"),
        ([{"zero": 1}, {"zero": 2}], "2: zero is 2 here and 1 before; it must not differ"),
    ):
        with pytest.raises(InputError, match=f"^{message}$"):
            of_all((str(n), row) for n, row in enumerate(rows, start=1))


def test_columns_have_several_names() -> None:
    """In any case, with blanks around."""
    assert (column_of(" ELO "), column_of("Current Team"), column_of("x")) == ("weight", "team_now", None)


FULL = {
    "name": " Ann ",
    "id": "a1",
    "mu": "-3.5",
    "sigma": 2,
    "party": "us",
    "side": 0.25,
    "team": 2,
    "team_now": "1",
    "bot": "Yes",
    "roles": "tank=30; heal ;",
    "prefer": ["Bob=2%", "Cid"],
    "avoid": {"Dan": "0.5", "Eve": None},
}


def test_every_field_of_a_player_is_read() -> None:
    """As one of texts or of numbers; teams count from 1 in files and from 0 inside."""
    assert players_of([FULL], "x") == [
        Player(
            "a1",
            Rating(-3.5, 2.0),
            "Ann",
            party="us",
            side=0.25,
            team=1,
            bot=True,
            roles=(("tank", Rating(30.0)), ("heal", None)),
            prefer=(("Bob", 0.02), ("Cid", None)),
            avoid=(("Dan", 0.5), ("Eve", None)),
            team_now=0,
        )
    ]
    (plain,) = players_of([{"name": "Ann"}], "x")
    assert plain == Player("Ann", name="Ann")
    assert players_of([{"id": "a1", "weight": 0}], "x") == [Player("a1", Rating(0.0), "")]
    assert players_of([{"name": "a", "roles": {"tank": {"mu": 3, "sigma": 1}, "heal": None}}], "x")[
        0
    ].roles == (
        ("tank", Rating(3.0, 1.0)),
        ("heal", None),
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"side": 1.01}, r"side must be from 0 \(the first team\) to 1 \(the last\), got 1.01"),
        ({"side": -0.01}, r"side must be from 0 \(the first team\) to 1 \(the last\), got -0.01"),
        ({"team": 0}, "team must be a whole number from 1, got 0"),
        ({"team": 1.5}, "team must be a whole number from 1, got 1.5"),
        ({"team_now": -1}, "team_now must be a whole number from 1, got -1"),
        ({"bot": "maybe"}, "bot must be one of 1, true, yes, 0, false, no, got 'maybe'"),
        ({"sigma": -1}, "sigma must be at least 0, got -1"),
        (
            {"mu": None, "weight": -1},
            r"the weight must be at least 0, got -1 \(a column 'mu' may be negative\)",
        ),
        ({"roles": "tank=x"}, "roles: the rating as 'tank' must be a number, got 'x'"),
        ({"roles": {"tank": {"mu": 1, "x": 2}}}, "there is no field 'x' of 'tank'; the fields are mu, sigma"),
        ({"prefer": "Bob;Cid;Bob=1%"}, "prefer names 'Bob' twice"),
        ({"prefer": 7}, "prefer '7' is not a list, an object or a text"),
        (
            {"prefer": ["Bob=200%"]},
            "the price of prefer must be a win probability such as 2% or 0.02, got 200%",
        ),
    ],
)
def test_a_wrong_field_of_a_player_is_reported(change: dict[str, Any], message: str) -> None:
    """With the entry, the field, and what is allowed."""
    with pytest.raises(InputError, match=f"^x, entry 1: {message}$"):
        players_of([{**FULL, **change}], "x")


def test_ends_of_ranges_are_included() -> None:
    """Sides from 0 to 1, teams from 1, deviations and weights from 0."""
    for side in (0, 1):
        assert players_of([{**FULL, "side": side, "sigma": 0, "team": 1}], "x")[0].side == side


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (["Ann", "Ann"], "x, entry 2: 'Ann' appears twice, first in entry 1; names must differ"),
        ([{}], "x, entry 1: it has neither a name nor an id; give one of them"),
        ([{"name": math.nan}], "x, entry 1: it has neither a name nor an id; give one of them"),
        ([7], """x, entry 1: '7' is not an object; a player is {"name": ..., "weight": ...}"""),
        ([["Ann"]], """x, entry 1: .* is not an object; a player is {"name": ..., "weight": ...}"""),
        ([["Ann", 1, 2]], """x, entry 1: .* is not an object; a player is {"name": ..., "weight": ...}"""),
        ("Ann", "x: it is neither a list of players nor an object from names to weights"),
        ([{"elo": 1, "mmr": 2}], "x, entry 1: the column 'weight' appears twice; delete all but one"),
        ([{"name": "Ann", "weight": math.nan}], "x, entry 1: weight must be from -1e15 to 1e15, got nan"),
    ],
)
def test_wrong_lists_of_players_are_reported(data: Any, message: str) -> None:
    """With the entry."""
    with pytest.raises(InputError, match=f"^{message}$"):
        players_of(data, "x")


def test_short_ways_to_write_players() -> None:
    """A name, a name with a weight, an object from names to weights; keys of nothing are passed over."""
    assert players_of(["Ann", ["Bob", 7]], "x") == [Player("Ann", name="Ann"), Player("Bob", 7.0, "Bob")]
    assert players_of({"Ann": 3, "Bob": None}, "x") == [Player("Ann", 3.0, "Ann"), Player("Bob", name="Bob")]
    assert players_of([{"name": "Ann", "clan": "x", "party": math.nan}], "x") == [Player("Ann", name="Ann")]
    with pytest.raises(
        InputError, match=r"^x, entry 1: there is no field 'clan'; the fields are name, id, weight, "
    ):
        players_of([{"name": "Ann", "clan": "x"}], "x", strict=True)
    seen: dict[str, int] = {}
    player_of({"name": "Ann"}, "x, line 4", seen, 4)
    with pytest.raises(
        InputError, match=r"^x, line 9: 'Ann' appears twice, first in line 4; names must differ$"
    ):
        player_of({"name": "Ann"}, "x, line 9", seen, 9)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-3.0, "-3"),
        (1234567.0, "1234567"),
        (999.96, "1000"),
        (1000.04, "1000.0"),
        (-1234.56, "-1234.6"),
        (999.94, "999.9"),
        (0.00012345, "0.0001234"),
        (1e15, "1e+15"),
        (1e14, "100000000000000"),
        (1e14 + 0.5, "100000000000000.5"),
        (math.inf, "inf"),
    ],
)
def test_numbers_are_written_with_the_digits_that_help(value: float, text: str) -> None:
    """Whole ones whole, those of a thousand and more with one decimal, others with four digits."""
    if math.isinf(value):
        with pytest.raises(OverflowError):
            number(value)
    else:
        assert number(value) == text


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ann", "Ann"),
        ("a\tb", "a\\tb"),
        ("\u202ex", "\\u202ex"),
        ("a\u200db", "a\\u200db"),
        ("Ann\u200d", "Ann\\u200d"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("क्\u200dष", "क्\u200dष"),
        ("\U0001f469\U0001f3fd\u200d\U0001f680", "\U0001f469\U0001f3fd\u200d\U0001f680"),
        ("❤\ufe0f\u200d\U0001f525\u200d", "❤\ufe0f\u200d\U0001f525\\u200d"),
        (ENGLAND, ENGLAND),
        (f"x{ENGLAND[1:]}", "x" + "".join(f"\\U{ord(sign):08x}" for sign in ENGLAND[1:])),
        ("\u2028", "\\u2028"),
        ("\ud800", "\\ud800"),
        ("a\u00a0b", "a\u00a0b"),
        ("é\x1b", "é\\x1b"),
    ],
)
def test_nothing_of_a_name_changes_the_screen(name: str, shown: str) -> None:
    """What is hidden is escaped; joiners that scripts and emoji need are spared, where they do."""
    assert printable(name) == shown


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("Ann", "Ann"), (" Ann \t Lee\n", "Ann Lee"), ("A\u200dnn", "A nn"), ("\u202eder", "der"),
        ("Ann\ufe0f", "Ann"), ("A\u034fnn", "Ann"), ("\ufe0f", ""), ("\u200d", ""), ("\U000e0067", ""),
        ("\u180e\u3164", ""), ("1\ufe0f\u20e3", "1\ufe0f\u20e3"), ("葛\U000e0100", "葛\U000e0100"),
        (FAMILY, FAMILY), (ENGLAND, ENGLAND), ("می\u200cخواهم", "می\u200cخواهم"),
        (f"{FAMILY}\u200d{FAMILY}", f"{FAMILY}\u200d{FAMILY}"), (f"\u200d{FAMILY}\u200d", FAMILY),
    ],
)  # fmt: skip
def test_what_is_left_of_a_name_can_be_seen(name: str, left: str) -> None:
    """Emoji of several parts stay whole; what shows nothing is gone, and a name of that alone is none."""
    assert seen(name) == left
    assert is_plain(left) == bool(left)
    assert printable(left) == left
