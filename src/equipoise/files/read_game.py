"""Descriptions of games on disk, see :mod:`equipoise.games.described_game`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equipoise.files.read_roster import content_of, decoded

if TYPE_CHECKING:
    from equipoise.games.described_game import DescribedGame

#: How the files end.
ENDING = ".toml"


def read_game(path: str) -> DescribedGame:
    """Return the game that a file describes.

    Raises
    ------
    InputError
        If it cannot be read, or something in it is wrong.
    """
    from equipoise.games.described_game import described_game

    where, content = content_of(path)
    return described_game(decoded(content, where), where)
