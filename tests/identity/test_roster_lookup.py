"""Who is meant: ids before names, those seen lately before the others, and a question where several are."""

from __future__ import annotations

import itertools
import pickle
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise import Contest, InputError, Match, Ruleset
from equipoise.identity.names import bare, folded
from equipoise.identity.roster_lookup import (
    LATELY,
    MOST_LISTED,
    AmbiguousNameError,
    PastResults,
    RosterLookup,
)

NOW = 1e9
IDS = st.sampled_from(["a1", "b2", "c3", "bot:Xan:3", "Max"])
NAMES = st.sampled_from(["Max", "MAX", "[UT] max", "^1Máx", "Zoë", "Xan", "a1", "b2"])
SEEN = st.lists(
    st.tuples(IDS, NAMES, st.sampled_from([0.0, NOW - LATELY, NOW - LATELY - 1.0, NOW])), max_size=8
)


def expected(seen: list[tuple[str, str, float]], name: str) -> set[str]:
    """Return who may be meant, as the documents say it: slowly, one rule after the other."""
    if name in {player for player, _, _ in seen}:
        return {name}

    def said(text: str) -> str:
        plain = text.replace("^1", "").replace("[UT] ", "")
        return "".join(c for c in unicodedata.normalize("NFD", plain) if not unicodedata.combining(c)).lower()

    bearers = [(player, last) for player, called, last in seen if said(called) == said(name)]
    people = [(player, last) for player, last in bearers if not player.startswith("bot:")] or bearers
    lately = {player for player, last in people if NOW - last <= LATELY}
    return lately or {player for player, _ in people}


@given(SEEN, NAMES)
def test_a_name_is_who_bears_it_lately_or_a_question(seen: list[tuple[str, str, float]], name: str) -> None:
    """An id is its person; a name that several bear is asked about, with all of them as candidates."""
    lookup, meant = RosterLookup(seen, now=NOW), expected(seen, name)
    if len(meant) > 1:
        with pytest.raises(AmbiguousNameError) as caught:
            lookup.id_of(name)
        assert {player for player, _ in caught.value.candidates} == meant
    else:
        assert lookup.id_of(name) == next(iter(meant), None)


def test_ids_that_were_merged_are_those_they_count_as() -> None:
    """The old id is typed, the person is found; a name of neither is nobody."""
    lookup = RosterLookup([("b2", "Max", 0.0)], {"old": "b2"}, {"Xan": "bot:Xan:3"})
    assert (lookup.id_of("old"), lookup.id_of("Xan"), lookup.id_of("Eve")) == ("b2", "bot:Xan:3", None)


def test_a_person_goes_before_a_bot_of_the_same_name() -> None:
    """Bots bear common names."""
    lookup = RosterLookup([("b2", "Xan", 0.0)], {}, {"Xan": "bot:Xan:3"})
    assert lookup.id_of("xan") == "b2"


@pytest.mark.parametrize("name", ["José", "JOSE", "[UT]José", "ut|jose", "^2jo^7se", " jose ", "ｊｏｓｅ"])
def test_names_are_compared_as_people_say_them(name: str) -> None:
    """Case, accents, tags, colours and widths of letters make no other name."""
    assert bare(name) == "jose"


@pytest.mark.parametrize("name", ["[UT]", "^7", "☺", "..."])
def test_a_name_of_signs_alone_is_compared_with_them(name: str) -> None:
    """Something is left of every name, so that two such are not one."""
    assert bare(name) == name.casefold()


@pytest.mark.parametrize("ago", [0.0, LATELY - 1.0, LATELY, LATELY + 1.0])
def test_who_was_seen_within_90_days_is_meant_before_all_others(ago: float) -> None:
    """To the second."""
    lookup = RosterLookup([("old", "Max", 0.0), ("new", "Max", NOW - ago)], now=NOW)
    if ago <= 90 * 24 * 3600:
        assert lookup.id_of("Max") == "new"
    else:
        with pytest.raises(AmbiguousNameError) as caught:
            lookup.id_of("Max")
        assert [player for player, _ in caught.value.candidates] == ["new", "old"]


@pytest.mark.parametrize(
    "seen", list(itertools.permutations([("a", "Old", 1.0), ("a", "New", 2.0), ("b", "B", 0.0)]))
)
def test_the_name_shown_is_the_last_one(seen: tuple[tuple[str, str, float], ...]) -> None:
    """In whatever order they are told; of two at one moment the one told later."""
    lookup = RosterLookup(seen)
    assert (lookup.shown("a"), lookup.shown("b"), lookup.shown("c")) == ("New", "B", "c")
    assert lookup.names() == {folded("New"): "a", folded("B"): "b"}
    assert RosterLookup([("a", "One", 1.0), ("a", "Two", 1.0)]).shown("a") == "Two"


@pytest.mark.parametrize("several", [2, MOST_LISTED, MOST_LISTED + 1, MOST_LISTED + 3])
def test_a_question_lists_those_seen_last_first(several: int) -> None:
    """Eight of them, and how many more there are; an id that is the name is not written twice."""
    seen = [(f"id{n}", "Max", float(n)) for n in range(several)]
    with pytest.raises(AmbiguousNameError) as caught:
        RosterLookup([*seen, ("id0", "Maxi", 99.0)]).id_of("max")
    order = [f"id{n}" for n in reversed(range(several))]
    assert [player for player, _ in caught.value.candidates] == order
    listed = [f"{each} ({'Maxi' if each == 'id0' else 'Max'})" for each in order]
    more = f" and {several - 8} more" if several > 8 else ""
    assert str(caught.value) == (
        f"player: 'max' is the name of several: {', '.join(listed[:8])}{more}; give an id"
    )
    same = AmbiguousNameError("Max", (("a", "Max"), ("b", "b"), ("c", "Maxi")))
    assert "several: a, b, c (Maxi); give" in str(same)


def test_the_beginning_of_an_id_is_that_id_where_nobody_new_can_be_meant() -> None:
    """Names and whole ids go first; of several ids all are listed; a part of a name corrects nobody."""
    seen = [("7f03aa", "Ann", 1.0), ("7f11bb", "Bob", 2.0), ("c0ffee", "7f", 3.0), ("name:Dana", "Dana", 4.0)]
    lookup = RosterLookup([*seen, ("bot:7f03a:1", "7f03a", 5.0)])
    asked = ["7f0", "c", "7f", "name:Da", "Dan", "7f03aa"]
    found = [lookup.known(each) for each in asked]
    assert found == ["7f03aa", "c0ffee", "c0ffee", "name:Dana", None, "7f03aa"]
    sure = [lookup.known(each, names=False) for each in ("7f1", "7f11", "name:Dan", "Ann", "c0ff")]
    assert sure == [None, "7f11bb", None, "7f03aa", "c0ffee"]
    question = r"'7' is the beginning of the ids of several: 7f03aa \(Ann\), 7f11bb"
    with pytest.raises(AmbiguousNameError, match=question):
        RosterLookup(seen[:2]).known("7")
    assert lookup.known("") is None


def test_an_id_that_several_share_is_a_question_among_them() -> None:
    """Before any name, and for the empty text there is none."""
    lookup = RosterLookup(
        [("0a~bob", "Bob", 1.0), ("0a~ann", "Ann", 2.0), ("z", "0a", 3.0), ("~", "tilde", 0.0)]
    )
    with pytest.raises(AmbiguousNameError) as caught:
        lookup.id_of("0a")
    assert caught.value.candidates == (("0a~ann", "Ann"), ("0a~bob", "Bob"))
    assert lookup.id_of("") is None


def result(*players: str) -> Match:
    """Return a match of a table: every player against the others."""
    return Match((Contest(Ruleset(), [[each] for each in players], range(len(players))),))


def test_tables_name_known_players_and_new_ones() -> None:
    """A new one keeps the first spelling; a name that is like a known one is told."""
    past = PastResults(RosterLookup([("a1", "Amber", 1.0), ("b2", "Zoë", 1.0)]))
    first = past.recognised(result("AMBER", "Ambr", "Quince"))
    assert first.roster == ("a1", "Ambr", "Quince")
    assert first.names == (("a1", "AMBER"), ("Ambr", "Ambr"), ("Quince", "Quince"))
    assert (past.new, past.alike) == (["Ambr", "Quince"], {"Ambr": "Amber"})
    again = past.recognised(result("quince", "zoe", " ambr "))
    assert again.roster == ("Quince", "b2", "Ambr")
    assert past.new == ["Ambr", "Quince"]
    past.recognised(result("Quinze", "Kim"))
    assert past.alike == {"Ambr": "Amber", "Quinze": "Quince"}
    with pytest.raises(InputError, match="players: 'KIM' is there twice under two spellings"):
        past.recognised(result("Ann", "KIM", "kim"))


def test_an_old_row_does_not_name_whoever_bears_the_name_today() -> None:
    """Who bore it then, and since, are a question; later rows are of who bears it then."""
    day = 86400.0
    known = RosterLookup([("a1", "Quill", 100 * day), ("b2", "quill", 400 * day)], now=400 * day)
    past = PastResults(known)

    def dated(at: float | None) -> Match:
        match = result("Quill", "Kim")
        return match if at is None else replace(match, began=at, ended=at)

    assert past.recognised(dated(399 * day)).roster == ("b2", "Kim")
    for row in (90 * day, 189 * day):
        with pytest.raises(AmbiguousNameError) as caught:
            past.recognised(dated(row))
        assert {player for player, _ in caught.value.candidates} == {"a1", "b2"}
    assert past.recognised(dated(200 * day)).roster == ("b2", "Kim")
    answered = RosterLookup([("a1", "Quill", 100 * day), ("b2", "quill", 400 * day)], which=lambda _: "a1")
    assert PastResults(answered).recognised(dated(90 * day)).roster == ("a1", "Kim")


def test_a_new_one_of_a_table_is_the_same_under_a_clan_tag() -> None:
    """As somebody known is; two of one match are two, and then the bare name is a question."""
    past = PastResults(RosterLookup([]))
    assert past.recognised(result("Quux", "Kim")).roster == ("Quux", "Kim")
    assert past.recognised(result("[UT] quüx", "Kim")).roster == ("Quux", "Kim")
    assert past.new == ["Quux", "Kim"]
    assert past.recognised(result("[A] Max", "[B] Max")).roster == ("[A] Max", "[B] Max")
    assert past.recognised(result("[b] max", "[A] Max")).roster == ("[B] Max", "[A] Max")
    with pytest.raises(AmbiguousNameError) as caught:
        past.recognised(result("Max", "Kim"))
    assert caught.value.candidates == (("[A] Max", "[A] Max"), ("[B] Max", "[B] Max"))


def test_an_id_that_is_typed_is_nobodys_name() -> None:
    """A table of past results leaves people their names; whose name the id is, it stays that."""
    known = RosterLookup([("a1", "Amber", 1.0), ("bob", "bob", 1.0), ("bob", "Bobby", 2.0)], {"old": "a1"})
    past = PastResults(known)
    contest = Contest(Ruleset("oa", "ctf"), (["a1"], ["bob"], ["new"]), (1, 2, 3), at=1.0)
    match = past.recognised(Match((contest,), id="m1"))
    assert dict(match.names) == {"a1": "Amber", "bob": "bob", "new": "new"}
    assert known.written("old", "a1") == "Amber"
    assert known.written("AMBER", "a1") == "AMBER"


def test_a_question_of_several_is_the_same_under_another_name_and_in_another_process() -> None:
    """It is copied where a flag is named, and pickled where a worker has asked."""
    question = AmbiguousNameError("Max", (("a1", "Max"), ("b2", "Maxi")), "the beginning of the ids")
    for other in (question.named("--starting"), pickle.loads(pickle.dumps(question.named("--starting")))):  # noqa: S301
        assert isinstance(other, AmbiguousNameError)
        assert str(other) == str(question).replace("player", "--starting", 1)
        assert (other.name, other.candidates) == (question.name, question.candidates)
