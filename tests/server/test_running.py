"""The life of a server process: how it begins, is told things, and ends."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from equipoise.archive.archive import open_archive
from equipoise.errors import InputError
from equipoise.server.running import loop_factory, serve
from equipoise.server.settings import Settings


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, loop_factory()], ids=["asyncio", "fastest"])
@pytest.mark.parametrize("wrong", ["address", "store"])
def test_a_start_that_fails_leaves_nothing_behind(
    wrong: str, loop: Callable[[], asyncio.AbstractEventLoop], tmp_path: Path
) -> None:
    """Neither a process nor a pipe, so that the loop can be closed; the message says what is wrong."""
    url = f"sqlite:///{tmp_path}/games.db"
    if wrong == "address":
        open_archive(url).close()
    with socket.create_server(("127.0.0.1", 0)) as taken, asyncio.Runner(loop_factory=loop) as runner:
        settings = Settings(store=url, weights=f"127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(InputError, match="^weights: cannot" if wrong == "address" else "^store: "):
            runner.run(serve(settings, pytest.fail, lambda: settings))
