"""Queues and policies drawn at random, small enough for the oracle."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from equipoise.core.player import Player, Rating
from equipoise.queueing import QueuePolicy, QueueTicket

REGIONS, MAPS, ROLES = ("east", "north", "west"), ("dune", "mill", "port"), ("front", "back")


@st.composite
def policies(draw: st.DrawFn, **fixed: Any) -> QueuePolicy:
    """Draw a policy of small matches."""
    teams, size = draw(st.sampled_from([(2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1)]))
    roles = draw(st.booleans()) and size > 1
    values: dict[str, Any] = {
        "teams": teams,
        "team_size": size,
        "roles": (("front", 1), ("back", size - 1)) if roles else (),
        "maps": draw(st.sampled_from([(), MAPS])),
        "tolerance": draw(st.sampled_from([0.0, 30.0, 300.0])),
        "tolerance_growth": draw(st.sampled_from([0.0, 25.0])),
        "tails": draw(st.sampled_from([0.0, 1.0])),
        "imbalance": draw(st.sampled_from([0.0, 0.02, 0.2])),
        "imbalance_growth": draw(st.sampled_from([0.0, 0.01])),
        "most_imbalance": draw(st.sampled_from([0.2, 0.49])),
        "longest_wait": draw(st.sampled_from([5.0, 60.0])),
        "party_gap": draw(st.sampled_from([None, 0, 1])),
        "provisional": draw(st.sampled_from([None, 100.0])),
    }
    return QueuePolicy(**{**values, **fixed})


@st.composite
def tickets(draw: st.DrawFn, number: int, most: int = 3) -> QueueTicket:
    """Draw a ticket whose players are named by its number."""
    size = draw(st.integers(1, most))
    players = []
    for member in range(size):
        rating = draw(st.one_of(st.none(), st.sampled_from([800.0, 1400.0, 1500.0, 1510.0, 1520.5, 2300.0])))
        sigma = draw(st.sampled_from([0.0, 150.0]))
        players.append(
            Player(
                f"{number}-{member}",
                None if rating is None else Rating(rating, sigma),
                roles=tuple((role, None) for role in draw(st.sets(st.sampled_from((*ROLES, "unknown"))))),
                avoid=tuple((f"{draw(st.integers(0, 9))}-0", None) for _ in range(draw(st.integers(0, 1)))),
            )
        )
    regions = draw(
        st.dictionaries(st.sampled_from(REGIONS), st.sampled_from([20.0, 100.0, 200.0]), max_size=3)
    )
    return QueueTicket(
        f"t{number}",
        tuple(players),
        since=draw(st.sampled_from([0.0, 3.0, 8.0, 95.0])),
        latencies=tuple(regions.items()),
        ruleset=draw(st.sampled_from(["", "", "", "duel"])),
        vetoes=tuple(draw(st.sets(st.sampled_from(MAPS), max_size=2))),
        returned=draw(st.integers(0, 1)),
    )


@st.composite
def queues(draw: st.DrawFn, most: int = 9) -> list[QueueTicket]:
    """Draw who waits."""
    return [draw(tickets(number)) for number in range(draw(st.integers(0, most)))]
