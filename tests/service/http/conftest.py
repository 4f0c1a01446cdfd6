"""A server that answers HTTP, one for all tests of a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.service.process import Served

from equipoise.archive.archive import open_archive
from equipoise.core.match_records import match_from

#: What its archive holds.
HISTORY = (
    {"id": "one", "ended": 1e9, "game": "oa", "game_type": "ctf", "scores": [5, 2],
     "teams": [[{"id": "ann", "name": "Ann Lee"}, "bob"], ["cid", "bot:Sarge:3"]]},
    {"id": "two", "ended": 1e9 + 600, "game": "oa", "game_type": "ctf", "scores": [3, 4],
     "teams": [["ann", "cid"], ["bob", {"id": "a/b", "name": "Zoë"}]]},
    {"id": "three", "ended": 1e9 + 1200, "game": "oa", "game_type": "tdm", "mutators": ["instagib"],
     "teams": [["cid"], ["ann"]], "scores": [30, 50]},
)  # fmt: skip


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Do not read what is left out."""
    return config.option.markexpr == "not slow" or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the tests of this folder to scripts/check: each of its files begins a server."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a server that answers both protocols, and does not mind being asked fast."""
    store: Path = tmp_path_factory.mktemp("http") / "games.db"
    with open_archive(f"sqlite:///{store}") as archive:
        archive.record([match_from(dict(record)) for record in HISTORY])
        archive.update_ratings()
    server = Served(store, "--http", "127.0.0.1:0", "--http-rate", "1e6", "--max-body", "20000")
    yield server
    code, _ = server.end()
    assert code == 0
