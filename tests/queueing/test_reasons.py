"""Why somebody waits is said, and it is true."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from tests.queueing import oracle, strategies

from equipoise.core.player import Player, Rating
from equipoise.queueing import QueuePolicy, QueueTicket, reason_for_waiting, tick
from equipoise.queueing.reasons import Shortage, never_plays


def solo(name: str, rating: float = 1500.0, **more: Any) -> QueueTicket:
    """Return a ticket of one player of the same name."""
    return QueueTicket(name, (Player(name, rating),), 0.0, **more)


PAIR = QueueTicket("a", (Player("a", 1500.0), Player("x", 1500.0)), 0.0)


@pytest.mark.parametrize(
    ("queue", "fields", "shortage", "text"),
    [
        ([PAIR, solo("b")], {}, Shortage.PARTY, "the party has 2 players, and a team has 1"),
        (
            [QueueTicket("a", (Player("ann", 1500, roles=["dps"]),), 0.0), solo("b")],
            {"roles": {"tank": 1}},
            Shortage.ROLES,
            "'ann' plays none of the roles tank",
        ),
        (
            [solo("a", vetoes=("mill", "dune")), solo("b")],
            {"maps": ("dune", "mill")},
            Shortage.MAPS,
            "the ticket vetoes every map: dune, mill",
        ),
        (
            [solo("a", latencies={"east": 200.0, "west": 300.0}), solo("b")],
            {},
            Shortage.REGIONS,
            "no region is within 150 ms; the nearest, 'east', is 200 away",
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


def party(name: str, *roles: str, rating: float = 1500.0, avoid: tuple[str, ...] = ()) -> QueueTicket:
    """Return a ticket of players who play a role each; ``any`` is no role in particular."""
    players = [
        Player(f"{name}{n}", rating, roles=() if role == "any" else (role,), avoid=avoid)
        for n, role in enumerate(roles)
    ]
    return QueueTicket(name, tuple(players), 0.0)


@pytest.mark.parametrize(
    ("queue", "shortage", "text", "numbers"),
    [
        (
            [party("a", "tank", "tank"), *(party(name, "any") for name in "bc")],
            Shortage.ROLES,
            "2 players of the party play tank alone, and a team has 1",
            (0, 0, ()),
        ),
        (
            [party("a", "tank"), *(party(name, "heal") for name in "bcde")],
            Shortage.ROLE,
            "of those who may meet you 1 plays tank; a match has 2",
            (1, 2, ("tank",)),
        ),
        (
            [party("a", "heal"), *(party(name, "heal") for name in "bcd"), party("e", "tank", rating=2500.0),
             party("f", "any", rating=2500.0)],
            Shortage.ROLE,
            "within 325 of your rating 0 play tank; a match has 2; it grows, and in 290 s anybody will do",
            (0, 2, ("tank",)),
        ),
        (
            [party("a", "tank"), party("b", "tank", avoid=("c0", "d0")), *(party(n, "heal") for n in "cd")],
            Shortage.TEAMS,
            "parties, roles and whom somebody avoids leave no full teams of those who may meet you",
            (0, 0, ()),
        ),
    ],
)  # fmt: skip
def test_a_role_that_is_short_is_said_before_evenness(
    queue: list[QueueTicket], shortage: Shortage, text: str, numbers: tuple[int, int, tuple[str, ...]]
) -> None:
    """Whether nobody plays it, nobody of like rating does, or whoever does cannot be in a team."""
    policy = QueuePolicy(team_size=2, roles={"tank": 1, "heal": 1})
    assert not tick(queue, 10.0, policy).matches
    found = reason_for_waiting(queue[0], queue, 10.0, policy)
    assert (found.shortage, found.text) == (shortage, text)
    assert (found.here, found.wanted, found.roles) == numbers


@settings(max_examples=200, deadline=None)
@given(strategies.policies(latency=150.0), strategies.queues(7))
def test_evenness_is_blamed_alone_where_a_match_breaks_no_other_rule(
    policy: QueuePolicy, queue: list[QueueTicket]
) -> None:
    """What is said not to give way is so: with ratings all alike there is no match either; else there is."""
    alike = [
        replace(ticket, players=tuple(replace(player, rating=None) for player in ticket.players))
        for ticket in queue
    ]
    for place, ticket in enumerate(queue):
        found = reason_for_waiting(ticket, queue, 100.0, policy)
        gives_way = found.shortage in (Shortage.SPLIT, Shortage.NOTHING) or "it grows" in found.text
        others = [other for other in alike if other is not alike[place]]
        assert gives_way == (oracle.legal_match_with(alike[place], others, policy) is not None)
        never = never_plays(ticket, policy) is not None
        assert not (never and gives_way)


def test_whom_a_match_waits_for_is_not_blamed_on_evenness() -> None:
    """Between two looks, or where the queue is paused, two who make a match are short of nothing."""
    for since in (0.0, -500.0):
        queue = [replace(solo(name), since=since) for name in ("a", "b")]
        assert tick(queue, 5.0, QueuePolicy(team_size=1)).matches
        reason = reason_for_waiting(queue[0], queue, 5.0, QueuePolicy(team_size=1))
        assert reason.shortage is Shortage.NOTHING
