"""Descriptions of games on disk, see :mod:`equipoise.games.described_game`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.errors import InputError

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

    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror or error}"
        raise InputError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8: {error}"
        raise InputError(msg) from error
    return described_game(text, path)
