"""How dear a question is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from equipoise.service.request_cost import SHORT, SHORT_PLAYERS, seconds_of

#: The seconds that a search may take.
LIMIT = 5.0


def _players(number: int, **more: Any) -> list[dict[str, Any]]:
    return [{"name": f"p{n}", "weight": n, **more} for n in range(number)]


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ({"players": _players(SHORT_PLAYERS)}, SHORT),
        ({"players": {"Ann": 1, "Bob": 2}, "objective": "win", "teams": 2}, SHORT),
        ({"players": ["Ann", "Bob"]}, SHORT),
        ({"players": _players(4, party="x", sigma=1.5)}, SHORT),
        ({"players": _players(4, roles=["a"])}, SHORT),
        ({"players": _players(4, weight="x" * 2000)}, SHORT),
        ({"players": _players(4), "apart": [["p0", "p1"]]}, SHORT),
        ({"text": "Ann 9\nBob 7"}, SHORT),
        ({"text": "Ann 9\n" * 1000}, LIMIT),
        ({"players": _players(SHORT_PLAYERS + 1)}, LIMIT),
        ({"players": _players(4), "teams": 3}, LIMIT),
        ({"players": _players(4), "keep": 1000}, LIMIT),
        ({"players": _players(4), "nosuch": 1}, LIMIT),
        ([], LIMIT),
    ],
)
def test_only_what_is_bounded_by_its_body_is_little_work(request_: Any, expected: float) -> None:
    """Some players in two teams take little; any field that makes a search longer may take all its time."""
    assert seconds_of("balance", json.dumps(request_).encode(), LIMIT) == expected


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'{"players":' + b"[" * 10_000, b'{"players": NaN}'])
def test_what_is_no_json_is_refused_shortly(body: bytes) -> None:
    """No long question holds its refusal up."""
    assert seconds_of("balance", body, LIMIT) == SHORT


def test_late_joiners_are_short_unless_there_are_very_many() -> None:
    """Placing somebody is arithmetic over all who are there."""
    assert seconds_of("late", b"{}", LIMIT) == SHORT
    assert seconds_of("late", b" " * 20_000, LIMIT) == LIMIT
    assert seconds_of("explain", b'{"players": ["Ann", "Bob"]}', LIMIT) == LIMIT
