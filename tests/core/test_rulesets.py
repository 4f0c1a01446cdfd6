"""Rulesets: one word and back, names of game types and mutators, what changes play."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise import InputError, Ruleset
from equipoise.core.rulesets import GameRules, ruleset_from, ruleset_text, unknown_mutators

TABLE = GameRules(
    "g", {"classic": "tdm", "insta": "ctf"}, frozenset({"skins"}), frozenset({"lowgrav"}),
    {"mutlow": "lowgrav", "pack.odd": "skins"}, {"insta": "instagib"},
)  # fmt: skip
names = st.text(st.sampled_from("ab/+% \n\x7fé"), max_size=4)


@given(names, names, st.lists(names.filter(bool), max_size=3))
def test_a_ruleset_is_one_word_and_the_word_is_that_ruleset(
    game: str, kind: str, mutators: list[str]
) -> None:
    """Whatever the names are; the word has no blank."""
    ruleset = Ruleset(game, kind, tuple(mutators))
    text = ruleset_text(ruleset)
    assert ruleset_from(text) == ruleset
    assert len(text.split()) == 1


@pytest.mark.parametrize("text", ["", "ctf", "a/b/c", "a+b", "General"])
def test_other_words_are_no_rulesets(text: str) -> None:
    """The message says what it must be."""
    with pytest.raises(
        InputError, match=r"^ruleset must be game/type, game/type\+mutator\+mutator or general, got "
    ):
        ruleset_from(text)


def test_names_of_a_game_are_made_canonical() -> None:
    """In any case; of packages the class counts, and a type may imply a mutator."""
    assert [TABLE.game_type(name) for name in ("Classic", "CTF", "x")] == ["tdm", "ctf", "x"]
    spelt = [TABLE.mutator(name) for name in ("MutLow", "Any.MutLow", "Pack.Odd", "x.", "LowGrav")]
    assert spelt == ["lowgrav", "lowgrav", "skins", "x.", "lowgrav"]
    assert TABLE.ruleset("Insta", ["skins", "MutLow", "odd"]) == Ruleset(
        "g", "ctf", ("instagib", "lowgrav", "odd")
    )
    assert TABLE.ruleset("Classic") == Ruleset("g", "tdm")


def test_what_no_table_lists_is_reported() -> None:
    """By the table of its game, by the last one where there is none, by nobody without tables."""
    other = GameRules("h", gameplay=frozenset({"odd"}))
    assert TABLE.unknown(["Skins", "lowgrav", "odd", "new"]) == ["new", "odd"]
    ask = Ruleset("g", "ctf", ("odd",))
    assert unknown_mutators([TABLE, other], ask) == ["odd"]
    assert unknown_mutators([other, TABLE], ask) == ["odd"]
    assert unknown_mutators([TABLE, other], Ruleset("z", "ctf", ("odd", "x"))) == ["x"]
    assert unknown_mutators([], ask) == []
