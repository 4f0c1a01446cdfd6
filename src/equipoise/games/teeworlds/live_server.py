"""A Teeworlds server, balanced while it runs, as ``teeworlds.toml`` beside this file describes it."""

from __future__ import annotations

from dataclasses import replace

from equipoise.games.described_server import server_of
from equipoise.games.teeworlds import reader

#: Teeworlds.
SERVER = replace(server_of(reader.GAME), sides=("Red", "Blue"))
