"""Why somebody waits is said, and it is true."""

from __future__ import annotations

from typing import Any

import pytest

from equipoise.core.player import Player, Rating
from equipoise.queueing import QueuePolicy, QueueTicket, reason_for_waiting, tick
from equipoise.queueing.reasons import Shortage


def solo(name: str, rating: float = 1500.0, **more: Any) -> QueueTicket:
    """Return a ticket of one player of the same name."""
    return QueueTicket(name, (Player(name, rating),), 0.0, **more)


PAIR = QueueTicket("a", (Player("a", 1500.0), Player("x", 1500.0)), 0.0)


@pytest.mark.parametrize(
    ("queue", "fields", "shortage", "text"),
    [
        ([PAIR, solo("b")], {}, Shortage.PARTY, "your party has 2 players, and a team has 1"),
        (
            [QueueTicket("a", (Player("ann", 1500, roles=["dps"]),), 0.0), solo("b")],
            {"roles": {"tank": 1}},
            Shortage.ROLES,
            "'ann' plays none of the roles tank",
        ),
        ([solo("a")], {}, Shortage.PLAYERS, "a match has 2 players, and 1 waits"),
        ([solo("a"), solo("b", ruleset="other")], {}, Shortage.PLAYERS, "and 1 waits"),
        (
            [solo("a", latencies={"east": 20.0}), solo("b", latencies={"west": 20.0})],
            {},
            Shortage.RULES,
            "of 2 players who wait 1 may meet you",
        ),
        (
            [solo("a"), QueueTicket("b", (Player("b", Rating(1500, 200)),), 0.0)],
            {"provisional": 100.0},
            Shortage.PROVISIONAL,
            "1 of 2 players with known ratings wait",
        ),
        (
            [solo("a"), solo("b", 1900)],
            {"tolerance": 30.0, "tolerance_growth": 28.0},
            Shortage.RATINGS,
            "within 310 of your rating 1 of 2 players wait",
        ),
        ([solo("a"), solo("b", 1560)], {}, Shortage.SPLIT, "as even as they must be yet (53:47)"),
        ([solo("a"), solo("b", 2900)], {"longest_wait": 5.0}, Shortage.SPLIT, "must be ever (70:30)"),
    ],
)
def test_the_reason_is_what_is_short(
    queue: list[QueueTicket], fields: dict[str, Any], shortage: Shortage, text: str
) -> None:
    """Nobody of these plays, and the first is told why."""
    policy = QueuePolicy(team_size=1, **fields)
    assert not tick(queue, 10.0, policy).matches
    found = reason_for_waiting(queue[0], queue, 10.0, policy)
    assert found.shortage is shortage
    assert text in found.text
