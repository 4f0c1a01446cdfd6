"""Seats of running matches: filled by those who would, and even."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.core.player import Player
from equipoise.queueing import Opening, QueuePolicy, QueueTicket, fill_openings

POLICY = QueuePolicy(team_size=3, tolerance=500.0, imbalance=0.1, latency=80.0)


def players(*ratings: float) -> tuple[Player, ...]:
    """Return players who are named by their place."""
    return tuple(Player(f"p{n}-{rating}", rating) for n, rating in enumerate(ratings))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 2), st.sampled_from([1300.0, 1490.0, 1505.0, 1700.0])), max_size=5),
    st.integers(0, 3),
    st.integers(0, 3),
)
def test_as_many_seats_as_can_be_are_filled_and_the_totals_differ_least(
    waiting: list[tuple[int, float]], left: int, right: int
) -> None:
    """No way to fill the seats that is allowed fills more, or as many more evenly."""
    opening = Opening(
        "m", (players(*[1500.0] * left), tuple(Player(f"q{n}", 1510.0) for n in range(right))), 0.0
    )
    queue = [
        QueueTicket(f"t{n}", tuple(Player(f"{n}-{m}", rating) for m in range(size)), 0.0, backfill=True)
        for n, (size, rating) in enumerate(waiting)
    ]
    before = abs(10.0 * right)
    bound = 0.1
    best = (0, -before)
    for labels in product((-1, 0, 1), repeat=len(queue)):
        seats, totals = [left, right], [0.0, 10.0 * right]
        for ticket, team in zip(queue, labels, strict=True):
            if team >= 0:
                seats[team] += ticket.size
                totals[team] += sum(player.rating.mu - 1500.0 for player in ticket.players)  # type: ignore[union-attr]
        difference = abs(totals[0] - totals[1])
        if max(seats) > 3 or (difference > before and difference > _allowed(bound)):
            continue
        best = max(best, (sum(seats) - left - right, -difference))
    joins, still = fill_openings(queue, [opening], 0.0, POLICY)
    filled = sum(join.ticket.size for join in joins)
    totals = [0.0, 10.0 * right]
    for join in joins:
        totals[join.team] += sum(player.rating.mu - 1500.0 for player in join.ticket.players)  # type: ignore[union-attr]
    assert filled == best[0]
    assert abs(abs(totals[0] - totals[1]) + best[1]) < 1e-9
    assert len(still) + len(joins) == len(queue)


def _allowed(imbalance: float) -> float:
    from tests.queueing.oracle import bound

    return bound(imbalance, POLICY)


def test_only_those_join_who_would_and_may() -> None:
    """Not those who wait for a match from the start, elsewhere, otherwise, or whom somebody there avoids."""
    ann = Player("Ann", 1500.0, avoid=("Bob",))
    opening = Opening(
        "m", ((ann, *players(1500.0, 1500.0)), players(1501.0, 1502.0)), 0.0, "", "east", "mill"
    )
    tickets = {
        "fresh": QueueTicket("fresh", (Player("Cid", 1500.0),), 0.0),
        "avoided": QueueTicket("avoided", (Player("Bob", 1500.0),), 0.0, backfill=True),
        "avoids": QueueTicket("avoids", (Player("Dan", 1500.0, avoid=("Ann",)),), 0.0, backfill=True),
        "elsewhere": QueueTicket("elsewhere", (Player("Eve", 1500.0),), 0.0, {"east": 90.0}, backfill=True),
        "nowhere": QueueTicket("nowhere", (Player("Fay", 1500.0),), 0.0, {"west": 9.0}, backfill=True),
        "otherwise": QueueTicket("otherwise", (Player("Gus", 1500.0),), 0.0, ruleset="duel", backfill=True),
        "vetoed": QueueTicket("vetoed", (Player("Hal", 1500.0),), 0.0, vetoes=("mill",), backfill=True),
        "far": QueueTicket("far", (Player("Ida", 2200.0),), 0.0, backfill=True),
        "large": QueueTicket("large", (Player("Jo", 1500.0), Player("Ka", 1500.0)), 0.0, backfill=True),
    }
    joins, waiting = fill_openings(tickets.values(), [opening], 0.0, POLICY)
    assert not joins
    assert len(waiting) == len(tickets)
    near = QueueTicket("near", (Player("Lee", 1500.0),), 0.0, {"east": 70.0}, backfill=True)
    joins, _ = fill_openings([*tickets.values(), near], [opening], 0.0, POLICY)
    assert [(join.match, join.team, join.ticket.id) for join in joins] == [("m", 1, "near")]


def test_the_match_that_has_waited_longest_is_filled_first() -> None:
    """Of two openings one player goes where a seat has been free for longer."""
    openings = [Opening(name, (players(1500.0), ()), since) for name, since in (("new", 5.0), ("old", 1.0))]
    queue = [QueueTicket("t", (Player("Ann", 1500.0),), 0.0, backfill=True)]
    joins, _ = fill_openings(queue, openings, 9.0, QueuePolicy(team_size=1))
    assert [join.match for join in joins] == ["old"]
