"""``teeworlds``: logs of Teeworlds 0.6 and 0.7, as ``teeworlds.toml`` beside this file describes them.

No line tells that a game is over, nor the scores: a game ends where the server begins the next one, and the
points are counted from kills, grabs and captures.
"""

from __future__ import annotations

from importlib.resources import files

from equipoise.games.described_game import described_game

#: The game.
GAME = described_game(
    files(__package__).joinpath("teeworlds.toml").read_text(encoding="utf-8"), "teeworlds.toml"
)
