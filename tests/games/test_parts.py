"""Lines, tables, plain results and the guess: what the games share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.games.samples import CTF, PLAIN, SAMPLES, real

from equipoise.core.match import Match, Ruleset, Skipped
from equipoise.core.registry import GAMES
from equipoise.core.rulesets import GameRules, ruleset_from, ruleset_text, unknown_mutators
from equipoise.errors import InputError
from equipoise.games.laws import parsed
from equipoise.games.log_reader import LONGEST_LINE, STEP, Lines, guess_game
from equipoise.games.plain.reader import GAME as PLAIN_GAME

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@pytest.mark.slow
@given(names, names, st.lists(names.filter(bool)))
def test_a_ruleset_is_a_text_and_back(game: str, kind: str, mutators: list[str]) -> None:
    """Whatever the names are; the text is one word."""
    ruleset = Ruleset(game, kind, tuple(mutators))
    text = ruleset_text(ruleset)
    assert ruleset_from(text) == ruleset
    assert len(text.split()) <= 1


@pytest.mark.parametrize("text", ["ctf", "a/b/c", ""])
def test_a_text_without_a_slash_is_no_ruleset(text: str) -> None:
    """The message says what is."""
    with pytest.raises(InputError, match=r"^ruleset must be game/type"):
        ruleset_from(text)


def test_unknown_mutators_are_those_of_the_games_own_table() -> None:
    """A game of the family without a table takes the last; where there are none, nothing is unknown."""
    tables = [GameRules("a", gameplay=frozenset({"x"})), GameRules("b", cosmetic=frozenset({"y"}))]
    assert unknown_mutators(tables, Ruleset("a", "", ("x", "y"))) == ["y"]
    assert unknown_mutators(tables, Ruleset("c", "", ("x", "y"))) == ["x"]
    assert unknown_mutators([], Ruleset("a", "", ("x",))) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "length", [LONGEST_LINE - 1, LONGEST_LINE, LONGEST_LINE + 1, LONGEST_LINE + STEP, 10_000_000]
)
@pytest.mark.parametrize("cut", [0, 1, STEP, LONGEST_LINE, LONGEST_LINE + 2])
def test_of_a_line_that_is_too_long_nothing_is_kept(length: int, cut: int) -> None:
    """Wherever it is cut, it is the same; what comes after it has its right number and place."""
    content = b"a\n" + b"x" * length + b"\nb\n"
    lines = Lines()
    blocks = [*lines.take(content[:cut]), *lines.take(content[cut:])]
    text = b"".join(block.content for block in blocks)
    assert text == (content if length <= LONGEST_LINE else b"a\nb\n")
    assert (lines.line, lines.offset) == (4, len(content))
    assert len(lines.rest()) == 0
    assert [(block.offset, block.line) for block in blocks if not block.content] == [(2, 2)] * (
        length > LONGEST_LINE
    )


def test_plain_results_are_guessed_to_be_records_or_a_table() -> None:
    """By the first line; a table has its matches when it ends, and a mistake in it is reported."""
    table = b"match,ended,team,team_score,player\nm,1,a,3,ann\nm,1,b,1,bob\n"
    (match,) = parsed(PLAIN_GAME, table)
    assert isinstance(match, Match)
    assert match.contests[0].scores == (3.0, 1.0)
    (skipped,) = parsed(PLAIN_GAME, b"\n" + table.replace(b"ended", b"begun"))
    assert skipped == Skipped("log, line 2", skipped.reason)
    assert len(parsed(PLAIN_GAME, b"\xef\xbb\xbf" + PLAIN.encode().rstrip())) == 4


def test_names_and_map_are_reported_beside_ids() -> None:
    """Whoever has a strong id may have a name; texts that are none are refused."""
    record = b'{"ended": 1, "map": "x", "teams": [[{"id": "1", "name": "Ann"}], ["2"]], "ranks": [1, 2]}'
    (match,) = parsed(PLAIN_GAME, record)
    assert isinstance(match, Match)
    assert (match.names, match.map) == ((("1", "Ann"),), "x")
    for bad in (b"\\ud800", b"\\u0000"):
        (skipped,) = parsed(PLAIN_GAME, record.replace(b"Ann", bad + b"x"))
        assert isinstance(skipped, Skipped)
        assert skipped.reason.startswith("name must be plain text, got ")


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_is_guessed(name: str) -> None:
    """It says by what."""
    for sample in SAMPLES[name]:
        guess = guess_game(sample)
        assert guess.name == guess.game.name == name
        assert guess.because


@pytest.mark.parametrize("content", [b"", b"\x00", b"roster of people\nAnn 5\n", b"\xff\xfe", real(CTF)[:10]])
def test_what_is_of_no_game_is_an_input_error(content: bytes) -> None:
    """The message lists what could be named."""
    with pytest.raises(InputError, match=f"^game: .*{', '.join(GAMES)}"):
        guess_game(content)
