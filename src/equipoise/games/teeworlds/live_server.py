"""A Teeworlds server, balanced while it runs, as ``teeworlds.toml`` beside this file describes it."""

from __future__ import annotations

from dataclasses import replace

from equipoise.games.described_server import server_of
from equipoise.games.teeworlds.reader import GAME

#: Teeworlds.
SERVER = replace(server_of(GAME), sides=("Red", "Blue"))
