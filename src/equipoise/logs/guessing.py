"""Guessing which game a log is of, by its beginning alone."""

from __future__ import annotations

from typing import NamedTuple

from equipoise.errors import InputError
from equipoise.logs.reading import Game
from equipoise.registry import GAMES, resolve

#: How much of a log a guess is made from, in bytes.
HEAD = 1 << 16


class Guess(NamedTuple):
    """Which game a log is of, and by what that is seen."""

    name: str
    game: Game
    because: str


def guess_game(head: bytes) -> Guess:
    r"""Return which registered game a log is of.

    Parameters
    ----------
    head : bytes
        Its beginning; at most the first 64 KiB are looked at.

    Raises
    ------
    InputError
        If it is of none.

    Examples
    --------
    >>> guess = guess_game(rb"  0:00 InitGame: \gamename\baseoa\g_gametype\4" + b"\n")
    >>> guess.name, guess.because
    ('quake3', "a line 'InitGame: \\...'")
    """
    for name in GAMES:
        game: Game = resolve("game", GAMES, name)
        because = game.recognise(head[:HEAD])
        if because:
            return Guess(name, game, because)
    msg = f"game: the log looks like none of {', '.join(GAMES)}; name the game if it is one of these"
    raise InputError(msg)
