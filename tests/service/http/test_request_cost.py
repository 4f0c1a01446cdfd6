"""How much work a question is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from equipoise.service.request_cost import HERE_PLAYERS, SHORT_PLAYERS, Effort, effort


def _players(number: int, **more: Any) -> list[dict[str, Any]]:
    return [{"name": f"p{n}", "weight": n, **more} for n in range(number)]


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ({"players": _players(HERE_PLAYERS)}, Effort.HERE),
        ({"players": {"Ann": 1, "Bob": 2}, "objective": "win", "teams": 2}, Effort.HERE),
        ({"players": ["Ann", "Bob"]}, Effort.HERE),
        ({"players": _players(4, party="x", sigma=1.5)}, Effort.HERE),
        ({"players": _players(HERE_PLAYERS + 1)}, Effort.SHORT),
        ({"players": _players(4, roles=["a"])}, Effort.SHORT),
        ({"players": _players(4, weight="x" * 2000)}, Effort.SHORT),
        ({"players": _players(4), "apart": [["p0", "p1"]]}, Effort.SHORT),
        ({"text": "Ann 9\nBob 7"}, Effort.SHORT),
        ({"text": "Ann 9\n" * 1000}, Effort.LONG),
        ({"players": _players(SHORT_PLAYERS + 1)}, Effort.LONG),
        ({"players": _players(4), "teams": 3}, Effort.LONG),
        ({"players": _players(4), "keep": 1000}, Effort.LONG),
        ({"players": _players(4), "nosuch": 1}, Effort.LONG),
        ([], Effort.LONG),
    ],
)
def test_only_what_is_bounded_by_its_body_is_little_work(request_: Any, expected: Effort) -> None:
    """A dozen players in two teams are answered at once; any field that makes a search longer is not."""
    assert effort("balance", json.dumps(request_).encode()) is expected


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'{"players":' + b"[" * 10_000, b'{"players": NaN}'])
def test_what_is_no_json_is_refused_shortly(body: bytes) -> None:
    """No long question holds its refusal up."""
    assert effort("balance", body) is Effort.SHORT


def test_late_joiners_are_short_unless_there_are_very_many() -> None:
    """Placing somebody is arithmetic over all who are there."""
    assert effort("late", b"{}") is Effort.SHORT
    assert effort("late", b" " * 20_000) is Effort.LONG
    assert effort("explain", b'{"players": ["Ann", "Bob"]}') is Effort.LONG
