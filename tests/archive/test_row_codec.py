"""What an archive keeps as texts and rows comes back equal, and the same has the same text."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from equipoise import Contest, InputError, Match, Ruleset
from equipoise.archive.row_codec import (
    MatchRow,
    common_keys,
    keys_of,
    match_of,
    parts_of,
    patched,
    record_of,
    replayed_match_of,
    rows_before,
    rows_of,
    sizes_of,
    state_of,
)
from equipoise.core.match import Statistics
from equipoise.ratings.models.gaussian_filter.contest_columns import pack

KEYS: list[Any] = [
    "",
    "ann",
    'a"b',
    "é",
    ("ann", Ruleset("g")),
    ("ann", 2),
    Ruleset("g", "ctf", ("low",)),
    (Ruleset(), "x"),
    ("anna", 1),
    "anna",
]


@dataclass(frozen=True)
class State:
    """A state of two mappings and a tuple of numbers."""

    players: dict[Any, tuple[float, ...]] = field(default_factory=dict)
    rulesets: dict[Any, tuple[float, ...]] = field(default_factory=dict)
    whole: tuple[float, ...] = (0.0,)


def drawn(seed: int) -> State:
    """Return some state, with numbers that no text would keep."""
    rng = np.random.default_rng(seed)
    numbers = [0.1, -0.0, math.inf, 1e-310, 2.0**0.5, 1e300]

    def part() -> dict[Any, tuple[float, ...]]:
        keys = [KEYS[n] for n in rng.permutation(len(KEYS))[: rng.integers(1, len(KEYS))]]
        return {key: tuple(rng.choice(numbers, rng.integers(1, 4)).tolist()) for key in keys}

    return State(part(), part(), (1.5, float(seed)))


def same(one: State, other: State) -> bool:
    """Tell whether states are equal, bit for bit and in their order."""
    return repr(one) == repr(other)


@pytest.mark.parametrize("seed", range(10))
def test_a_state_is_what_its_rows_say(seed: int) -> None:
    """In any order of the rows, beside rows of other prefixes; a mapping alone is a state too."""
    state = drawn(seed)
    rows = list(rows_of(state, prefix="p."))
    others = list(rows_of(drawn(seed + 1), prefix="q."))
    mixed = [(*rows, *others)[n] for n in np.random.default_rng(seed).permutation(len(rows) + len(others))]
    assert same(state_of(State(), mixed, "p."), state)
    assert state_of({}, rows_of(state.players)) == state.players
    assert list(state_of({}, rows_of(state.players))) == list(state.players)
    assert parts_of(state, "p.") == ["p.players", "p.rulesets", "p.whole"]
    assert sizes_of(state, "p.") == {
        "p.players": len(state.players),
        "p.rulesets": len(state.rulesets),
        "p.whole": 1,
    }
    assert (parts_of({}), sizes_of({"a": (1.0,)})) == ([""], {"": 1})
    assert state_of(State(whole=(7.0,)), []).whole == (7.0,)


@pytest.mark.parametrize("seed", range(10))
def test_only_what_changed_is_written_and_leads_back(seed: int) -> None:
    """Rows of the change make the later state of the earlier one; rows before it undo them."""
    rng = np.random.default_rng(seed)
    before = drawn(seed)
    changed = {
        key: (tuple(rng.normal(size=2).tolist()) if rng.random() < 0.4 else value)
        for key, value in before.players.items()
    }
    after = replace(before, players={**changed, "new": (1.0,)}, whole=(1.5, -1.0))
    rows, back = list(rows_of(after, before)), list(rows_before(after, before))
    moved = [key for key in changed if changed[key] != before.players[key]]
    assert len(rows) == len(back) == len(moved) + 2
    assert same(patched(before, rows), after)
    assert same(patched(after, back), before)
    assert [row.place for row in rows if row.part == "players"] == [
        list(after.players).index(key) for key in [*moved, "new"]
    ]
    assert patched(before.players, rows_of(after.players, before.players)) == after.players
    assert list(rows_of(before, before)) == list(rows_before(before, before)) == []
    assert same(patched(before, [MatchRow("x.players", b'"ann"', 0, b"")], "y."), before)


def test_ranges_of_keys_are_those_of_a_player_and_of_all() -> None:
    """A player's are the id and tuples that begin with it; common ones are empty or rulesets."""
    packed = {row.key: key for key, row in zip(KEYS, rows_of(dict.fromkeys(KEYS, (1.0,))), strict=True)}

    def within(ranges: tuple[tuple[bytes, bytes], ...]) -> set[Any]:
        return {key for raw, key in packed.items() if any(low <= raw < high for low, high in ranges)}

    assert within(keys_of("ann")) == {"ann", ("ann", Ruleset("g")), ("ann", 2)}
    assert within(keys_of('a"b')) == {'a"b'}
    assert within(common_keys()) == {"", Ruleset("g", "ctf", ("low",)), (Ruleset(), "x")}


def test_what_is_no_state_is_refused() -> None:
    """The message names its type."""
    with pytest.raises(
        InputError, match=r"^model: a state of the type list cannot be kept; a mapping or a dataclass can$"
    ):
        list(rows_of([1.0]))


def game(*, dated: bool = True, **more: Any) -> Match:
    """Return a match of two contests with all there is."""
    one = Contest(
        Ruleset("g", "ctf", ("low",)),
        [[("ann", 0.5), "bob"], ["cid"]],
        (1, 2),
        0.5,
        1e9 + 0.25,
        (3, 1),
        [Statistics("ann", 3, None, -1.5)],
        [("ann", "bob")],
        ("cid",),
    )
    other = Contest(Ruleset("g"), [["ann"], ["cid"]], (1, 1), at=1e9 + 10)
    return Match(
        (one, other),
        1e9,
        1e9 + 10.5,
        "m",
        ("ann", "bob", "cid", "eve"),
        [("ann", "Änn")],
        "map",
        dated,
        **more,
    )


@pytest.mark.parametrize("more", [{}, {"server": "home", "picks": (("ann", "cid"),), "shared": ("ann",)}])
def test_a_match_comes_back_equal(more: dict[str, Any]) -> None:
    """From a text in ASCII, without what is not known; whole numbers are the same text as floats."""
    match = game(**more)
    text = record_of(match)
    assert match_of(text) == match
    assert text.isascii()
    assert match_of(text, 5.0) == match
    plain = json.loads(text)
    assert text == json.dumps(plain, separators=(",", ":"), sort_keys=True)
    assert plain.keys() == {"id", "began", "ended", "map", "roster", "names", "contests", *more}
    assert plain["contests"][1].keys() == {"ruleset", "teams", "ranks", "at", "weight"}
    contests = [replace(each, weight=float(each.weight), at=float(each.at)) for each in match.contests]
    assert record_of(replace(match, contests=tuple(contests))) == text
    assert match_of(text).contests[0].ruleset is match_of(text).contests[0].ruleset
    assert json.loads(record_of(replace(match, began=None)))["began"] is None


def test_a_match_without_dates_is_the_same_text_whenever_it_is_taken_to_have_been() -> None:
    """Its times are differences, in thousandths of a second, and follow the end that is assumed."""
    match = game(dated=False)
    text = record_of(match)
    plain = json.loads(text)
    assert (plain["began"], plain["ended"], plain["dated"]) == (-10.5, 0.0, False)
    assert [each["at"] for each in plain["contests"]] == [-10.25, -0.5]
    found = match_of(text, 5e8)
    assert (found.began, found.ended, [each.at for each in found.contests]) == (
        5e8 - 10.5,
        5e8,
        [5e8 - 10.25, 5e8 - 0.5],
    )
    assert record_of(found) == text
    assert match_of(text).ended == 0.0
    later = replace(match.contests[0], at=1e9 + 10.50004)
    assert json.loads(record_of(replace(match, contests=(later,))))["contests"][0]["at"] == 0.0


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"id": "m"}', '{"contests": 3}', "null"])
def test_a_damaged_record_is_reported(text: str) -> None:
    """As one of the store."""
    with pytest.raises(InputError, match=r"^store: the record of a match cannot be read: "):
        match_of(text)


def test_what_is_learnt_from_is_read_without_the_rest() -> None:
    """What packs, names and counts is the same, whatever a record holds; what is damaged is said."""
    named, undated, odd = (
        Match((contest,), began=5.0, ended=67.25, id=name, names=(("ann", shown),), map="dm6", dated=dated)
        for name, shown, dated, contest in (
            ("a" * 64, "Ann", True, Contest(
                Ruleset("q3", "tdm", ("low",)), (["ann", ("bob", 0.25)], ["cid"]), (1, 2), 0.5, 60.5, (3, 1),
                (Statistics("ann", 3.0, None, 7.0), Statistics("cid", None, None, 1e-9)), (("ann", "bob"),),
                ("bob",),
            )),
            ("b", "Bob", False, Contest(Ruleset(), (["ann"], ["bob"], ["cid"]), (2, 1, 2), at=60.0)),
            ("c", "half \ud800", True, Contest(Ruleset("x"), (["ann"], ["bob\u2028"]), (1, 1), at=67.25)),
        )
    )  # fmt: skip
    for match in (named, undated, odd):
        whole, read = match_of(record_of(match), 100.0), replayed_match_of(record_of(match), 100.0)
        assert (read.id, read.ended, read.names, read.map, read.roster, read.dated) == (
            whole.id, whole.ended, whole.names, whole.map, whole.roster, whole.dated,
        )  # fmt: skip
        assert repr(pack(read.contests)) == repr(pack(whole.contests))
        for one, other in zip(read.contests, whole.contests, strict=True):
            assert (one.ruleset, one.teams, one.ranks, one.at) == (
                other.ruleset, other.teams, other.ranks, other.at,
            )  # fmt: skip
    for damaged in (
        "",
        "{",
        record_of(named).replace("teams", "t"),
        record_of(named).replace("0.25", "null"),
    ):
        with pytest.raises(InputError, match="damaged"):
            replayed_match_of(damaged, 1.0)
