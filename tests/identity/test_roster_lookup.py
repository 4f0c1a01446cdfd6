"""Who is meant: ids before names, those seen lately before the others, and a question where several are."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.identity.names import bare
from equipoise.identity.roster_lookup import LATELY, AmbiguousNameError, RosterLookup

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
