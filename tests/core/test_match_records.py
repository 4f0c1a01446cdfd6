"""Records of matches: every field, its default, its limits, and back again."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from equipoise import Contest, InputError, Match, Ruleset
from equipoise.core.match import Statistics
from equipoise.core.match_records import (
    cell_text,
    is_text,
    match_from,
    number_from,
    record_data,
    text_from,
    time_from,
)

RECORD = {
    "id": " m1 ",
    "began": 0,
    "ended": 60,
    "map": "dust",
    "server": "home",
    "game": "g",
    "game_type": "ctf",
    "mutators": ["low"],
    "weight": 0.5,
    "scores": [1, 3],
    "picks": [["ann", "cid"]],
    "teams": [
        [{"id": "ann", "name": "Ann", "share": 0.5, "kills": 3, "party": "p"}, {"id": "cid", "party": "p"}],
        [
            "bob",
            {"id": "dan", "left": True, "deaths": 1, "score": -2, "party": "p"},
            {"id": "eve", "left": False},
        ],
    ],
}


def test_every_field_of_a_record_is_read() -> None:
    """Ranks follow from scores; parties are of one team."""
    contest = Contest(
        Ruleset("g", "ctf", ("low",)), [[("ann", 0.5), "cid"], ["bob", "dan", "eve"]], (1.0, 0.0), 0.5, 60.0,
        (1.0, 3.0), [Statistics("ann", 3.0), Statistics("dan", None, 1.0, -2.0)], [("ann", "cid")], ("dan",),
    )  # fmt: skip
    assert match_from(RECORD) == Match(
        (contest,), 0.0, 60.0, "m1", names=[("ann", "Ann")], map="dust", server="home", picks=[("ann", "cid")]
    )


def test_contests_of_a_match_share_what_it_says_once() -> None:
    """Each may say it anew; its time is that of the match unless it has its own."""
    record = {
        "ended": 100,
        "game": "g",
        "weight": 2,
        "contests": [
            {"teams": [["a"], ["b"]], "ranks": [1, 2], "at": 40},
            {"teams": [["a"], ["b"]], "ranks": [2, 1], "game": "h", "weight": 1},
        ],
    }
    one, other = match_from(record).contests
    assert (one.at, one.ruleset.game, one.weight) == (40.0, "g", 2.0)
    assert (other.at, other.ruleset.game, other.weight) == (100.0, "h", 1.0)
    alone = {"contests": [{"teams": [["a"], ["b"]], "ranks": [1, 2], "at": 40}]}
    assert match_from(alone).ended == 40.0


@pytest.mark.parametrize("seed", range(20))
def test_what_is_written_is_read_again(seed: int) -> None:
    """Whatever is known of a match."""
    rng = np.random.default_rng(seed)
    some = lambda: bool(rng.random() < 0.5)  # noqa: E731  # drawn again and again
    team = [
        {
            "id": name,
            **{
                key: value
                for key, value in (
                    ("share", 0.25),
                    ("kills", 1),
                    ("deaths", 0),
                    ("score", 2.5),
                    ("left", True),
                    ("party", "x"),
                    ("name", "N"),
                )
                if some()
            },
        }
        for name in "abcd"
    ]
    record = {"teams": [team, [*"ef"]], "ranks": [1, 2], "ended": 5, "id": "m"}
    record |= {key: value for key, value in (
        ("scores", [3, 1]), ("map", "m"), ("server", "s"), ("began", 0), ("weight", 2), ("mutators", ["x"]),
        ("game", "g"), ("picks", [["a", "b"]]),
    ) if some()}  # fmt: skip
    match = match_from(record)
    assert match_from(record_data(match)) == match


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": 1}, "'x' is not a field; the fields are id, began, "),
        ({"contests": []}, "contests must be a list of one or more contests"),
        ({"contests": [1]}, "contests must be objects as in docs/match-files.md, got '1'"),
        ({"picks": [["a"]]}, "picks must be a list of pairs, the captain and who was picked, got "),
        ({"picks": "ab"}, "picks must be a list of pairs"),
        ({"mutators": "low"}, "mutators must be a list of names, got 'low'"),
        ({"teams": None}, "teams must be two or more lists of players"),
        ({"teams": [["a"], "b"]}, "teams must be two or more lists of players"),
        ({"teams": [["a"], [7]]}, "teams must list ids, or objects with an id, got '7'"),
        ({"teams": [["a"], [{"id": "b", "x": 1}]]}, "'x' is not a field; the fields are id, name, share, "),
        ({"teams": [["a"], [{"id": "b", "left": 1}]]}, "left must be true or false, got '1'"),
        ({"scores": None}, "ranks and scores are both missing; write one of them"),
        ({"scores": 3}, "scores must be a list with a number for each team, got '3'"),
        (
            {"ended": "soon"},
            "ended must be seconds since 1970 or a date such as 2026-01-31T20:15:00Z, got 'soon'",
        ),
        ({"weight": True}, "weight must be a finite number, got 'true'"),
        ({"id": 1.5}, "id must be text, got '1.5'"),
    ],
)
def test_a_wrong_record_names_the_field(change: dict[str, Any], message: str) -> None:
    """And what is allowed."""
    with pytest.raises(InputError) as caught:
        match_from({**RECORD, "picks": [], **change})
    assert str(caught.value).startswith(message)
    with pytest.raises(InputError, match=r"^match must be an object such as"):
        match_from([])
    with pytest.raises(InputError, match=r"^ended is missing; write seconds since 1970"):
        match_from({"teams": [["a"], ["b"]], "ranks": [1, 2]})


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (0, 0.0),
        ("1970-01-02", 86400.0),
        ("1970-01-01T01:00+01:00", 0.0),
        (date(1970, 1, 3), 172800.0),
        (datetime(1970, 1, 1, 1, tzinfo=UTC), 3600.0),
        ("1769890500", 1769890500.0),
        ("12.5", 12.5),
        (-1e15, -1e15),
        (253402300799, 253402300799.0),
        ("20260131", 1769817600.0),
        (Decimal("2.5"), 2.5),
        (datetime(1970, 1, 1, 2), 7200.0),  # noqa: DTZ001
    ],
)
def test_a_time_is_seconds_or_a_date(value: Any, seconds: float) -> None:
    """What says no zone is in UTC; ten digits are seconds."""
    assert time_from(value, "ended") == seconds


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            253402300800,
            "ended must be below 253402300800, the year 10000, got '253402300800'; divide milliseconds by",
        ),
        (-1.1e15, "ended must be seconds since 1970 or a date"),
        (True, "ended must be a finite number, got 'true'"),
        (float("nan"), "ended must be a finite number"),
    ],
)
def test_what_is_no_time_is_reported(value: Any, message: str) -> None:
    """Milliseconds too."""
    with pytest.raises(InputError) as caught:
        time_from(value, "ended")
    assert str(caught.value).startswith(message)


def test_numbers_and_texts() -> None:
    """Of texts and tables of databases too; nothing that cannot be stored."""
    assert [number_from(value, "x") for value in (3, "4.5", Decimal("0.5"), -1.7e308)] == [
        3.0,
        4.5,
        0.5,
        -1.7e308,
    ]
    for wrong in (float("inf"), -float("inf"), "x", None, 10**400, True):
        with pytest.raises(InputError, match=r"^x must be a"):
            number_from(wrong, "x")
    assert [text_from(value, "x") for value in (" é ", 7, "a")] == ["é", "7", "a"]
    for value in ("a\0", "é\0", "\ud800", True, None):
        with pytest.raises(InputError, match=r"^x must be "):
            text_from(value, "x")
    assert (is_text("é"), is_text("\0"), is_text("\udfff")) == (True, False, False)
    assert (cell_text(7, "x"), cell_text("a", "x"), cell_text(date(1970, 1, 1), "x")) == (
        "7",
        "a",
        "1970-01-01",
    )
    for wrong in ([1], b"a", {}):
        with pytest.raises(InputError, match=r"^x must be one text or number, got "):
            cell_text(wrong, "x")
