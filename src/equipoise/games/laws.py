"""The laws of games; for those who write their own."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from equipoise.core.match import Match, Skipped, Unfinished
from equipoise.core.rulesets import ruleset_from, ruleset_text
from equipoise.games.log_reader import LONGEST_LINE, Game, Parsed, Reader


def parsed(game: Game, content: bytes, cuts: Sequence[int] = ()) -> list[Parsed]:
    """Return all that is in a log which comes in pieces, cut at some places."""
    reader = game.reader("log")
    bounds = [0, *sorted(cuts), len(content)]
    pieces = (content[a:b] for a, b in itertools.pairwise(bounds))
    return [*itertools.chain.from_iterable(reader.read(piece) for piece in pieces), *reader.finish()]


def check_game(game: Game, sample: bytes, rng: np.random.Generator) -> None:
    """Hold a game to the laws of its kind, on a log of it that may be appended to.

    The log is recognised, and by its beginning alone; what is in it does not depend on how it is cut; a part
    of it from its beginning gives the first matches of the whole and no others; a reader that begins where
    another one is settled goes on as that one would; rulesets are in canonical form; a damaged log, a long
    line and random bytes give something that says where, and no exception.
    """
    assert game.recognise(sample[: 1 << 16]), "a log of the game is recognised"
    whole = parsed(game, sample)
    matches = [one for one in whole if isinstance(one, Match)]
    assert len({match.id for match in matches}) == len(matches), "different games have different ids"
    assert parsed(game, sample, range(1, len(sample))) == whole, "nothing depends on how a log is cut"
    for _ in range(20):
        place = int(rng.integers(len(sample)))
        assert parsed(game, sample, [place]) == whole, "nothing depends on how a log is cut"
        part = [one for one in parsed(game, sample[:place]) if isinstance(one, Match)]
        assert part == matches[: len(part)], "what was given is not taken back when a log grows"
        _check_going_on(game, sample, place, whole)
    for match in matches:
        assert ruleset_from(ruleset_text(match.ruleset)) == match.ruleset, "a ruleset is a text"
        assert match.began is None or match.began <= (match.ended or 0.0), "a match begins before it ends"
    _check_tables(game)
    for _ in range(40):
        _check_hostile(game, _damaged(sample, rng))
    _check_hostile(game, sample[: len(sample) // 2] + b"x" * (LONGEST_LINE + 2) + b"\n" + sample)
    _check_hostile(game, rng.bytes(4000))


def _check_going_on(game: Game, sample: bytes, place: int, whole: list[Parsed]) -> None:
    """Stop somewhere, and go on with a new reader from where the first one is settled."""
    first: Reader = game.reader("log")
    before = list(first.read(sample[:place]))
    start, line = first.settled, first.settled_line
    assert start <= place, "what was not read is not settled"
    second: Reader = game.reader("log", line)
    after = [*second.read(sample[start:]), *second.finish()]
    pieces = list({repr(one): one for one in before + after}.values())  # a match counts once
    assert [one for one in pieces if not isinstance(one, Skipped)] == [
        one for one in whole if not isinstance(one, Skipped)
    ], "a reader goes on where another one is settled"
    assert set(map(repr, pieces)) == set(map(repr, whole)), "places are numbered on"


def _check_tables(game: Game) -> None:
    for table in game.rules():
        assert not table.cosmetic & table.gameplay, "a mutator changes play or does not"
        for name in table.game_types.values():
            assert table.game_type(name) == name, "a canonical name stands for itself"
        for name in table.gameplay:
            assert not table.unknown([name]), "what is listed is known"


def _check_hostile(game: Game, content: bytes) -> None:
    for one in parsed(game, content):
        assert isinstance(one, Match | Skipped | Unfinished), "a log gives matches, or says what is wrong"
        assert isinstance(one, Match) or one.where.startswith("log, line "), "what is wrong has a place"


def _damaged(sample: bytes, rng: np.random.Generator) -> bytes:
    """Return a log of which a part was lost, doubled, put elsewhere or overwritten."""
    a, b = sorted(int(place) for place in rng.integers(0, len(sample), 2))
    b = min(b, a + 200)
    noise = [rng.bytes(20), b"9" * 5000, b"\\\\\\^1<b>\"'\x0b\x85\xe2\x80\xa8\xe2\x80\xae", b"\x00\n\r\t::"]
    put = [b"", sample[a:b] * 2, noise[rng.integers(len(noise))]][rng.integers(3)]
    damaged = sample[:a] + put + sample[b:]
    return damaged if rng.random() < 0.5 else damaged[: int(rng.integers(len(damaged) + 1))]
