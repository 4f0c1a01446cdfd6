"""A tick: what it makes breaks no rule, and nobody starves."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.queueing import oracle, strategies

from equipoise import InputError
from equipoise.core.player import Player, Rating
from equipoise.queueing import (
    FoundMatch,
    QueuePolicy,
    QueueTicket,
    TicketLife,
    fill_openings,
    reason_for_waiting,
    tick,
)
from equipoise.queueing.columns import bound_of
from equipoise.queueing.life import EnterTicket

NOW = 100.0
EXACT = 1e-6


def solo(name: str, rating: float = 1500.0, since: float = 0.0, **more: Any) -> QueueTicket:
    """Return a ticket of one player of the same name."""
    fields = {key: more.pop(key) for key in ("roles", "avoid") if key in more}
    return QueueTicket(name, (Player(name, rating, **fields),), since, **more)


def tolerance(ticket: QueueTicket, policy: QueuePolicy) -> float:
    """Return how far apart ratings may be, as the policy's fields say."""
    mean = sum(oracle.mu(player, policy) for player in ticket.players) / ticket.size
    off = abs(mean - policy.middle) / policy.deviation
    grown = policy.tolerance + policy.tolerance_growth * (NOW - ticket.since)
    return grown * (1 + policy.tails * max(off - 1, 0))


def within_tolerances(match: FoundMatch, policy: QueuePolicy) -> bool:
    """Tell whether everybody tolerates a match of those who have not waited too long."""
    means = [sum(oracle.mu(p, policy) for p in ticket.players) / ticket.size for ticket in match.tickets]
    if max(means) - min(means) > min(tolerance(ticket, policy) for ticket in match.tickets) + EXACT:
        return False
    players = [ticket for ticket in match.tickets for _ in ticket.players]
    bounds = [
        oracle.bound(
            min(policy.imbalance + policy.imbalance_growth * (NOW - ticket.since), policy.most_imbalance),
            policy,
        )
        for ticket in players
    ]
    if match.difference > sum(bounds) / len(bounds) + EXACT:
        return False
    largest = [max(ticket.size for ticket in team) for team in match.teams]
    if policy.party_gap is not None and max(largest) - min(largest) > policy.party_gap:
        return False
    limits = [
        min(policy.latency + policy.latency_growth * (NOW - ticket.since), policy.most_latency)
        for ticket in match.tickets
    ]
    return oracle.may_meet(match.tickets, limits, policy)


@settings(max_examples=300, deadline=None)
@given(strategies.policies(), strategies.queues())
def test_matches_break_no_rule_and_nobody_is_lost_or_twice(
    policy: QueuePolicy, queue: list[QueueTicket]
) -> None:
    """Every ticket is in one place; teams are full, roles can be had, and what never gives way does not."""
    matches, waiting = tick(queue, NOW, policy)
    placed = [ticket for match in matches for ticket in match.tickets]
    assert sorted(ticket.id for ticket in (*placed, *waiting)) == sorted(ticket.id for ticket in queue)
    for match in matches:
        assert [sum(ticket.size for ticket in team) for team in match.teams] == [
            policy.team_size
        ] * policy.teams
        assert all(oracle.has_roles(team, policy) for team in match.teams)
        assert oracle.may_meet(match.tickets, [policy.most_latency] * len(match.tickets), policy)
        totals = oracle.totals(match.teams, policy)
        assert match.difference == pytest.approx(max(totals) - min(totals), abs=EXACT)
        assert match.difference <= oracle.bound(policy.most_imbalance, policy) + EXACT
        overdue = any(NOW - ticket.since >= policy.longest_wait for ticket in match.tickets)
        assert overdue or within_tolerances(match, policy)
        if match.region:
            assert all(not each.latencies or match.region in dict(each.latencies) for each in match.tickets)
        assert not set(match.maps) & {name for ticket in match.tickets for name in ticket.vetoes}


@settings(max_examples=150, deadline=None)
@given(strategies.policies(longest_wait=60.0), strategies.queues(7))
def test_after_a_tick_nobody_overdue_could_still_be_in_a_match(
    policy: QueuePolicy, queue: list[QueueTicket]
) -> None:
    """The bound of waiting: a legal match with somebody overdue, among all who are left, does not exist."""
    _, waiting = tick(queue, NOW, policy)
    for ticket in waiting:
        if NOW - ticket.since >= policy.longest_wait:
            others = [other for other in waiting if other is not ticket]
            assert oracle.legal_match_with(ticket, others, policy) is None


def test_the_oldest_is_served_first_where_two_need_the_same_partner() -> None:
    """Of two who are overdue, the one who came first plays."""
    policy = QueuePolicy(team_size=1, longest_wait=10.0)
    queue = [solo("late", 1500, 2.0), solo("old", 1500, 1.0), solo("fresh", 1501, NOW)]
    matches, waiting = tick(queue[:1] + queue[1:], NOW, policy)
    assert {ticket.id for ticket in matches[0].tickets} >= {"old"}
    assert len(waiting) == 1


def crowd(rng: np.random.Generator, policy: QueuePolicy, ratings: int) -> list[QueueTicket]:
    """Return who waits, in any order: many of one role and of one size of party, few of all others."""
    names = [name for name, _ in policy.roles]
    played = [*((name,) for name in names), tuple(names[:2]), ()]
    share = rng.dirichlet(np.full(len(played), 0.3)) if names else np.eye(len(played))[-1]
    sizes = 1 + rng.choice(policy.team_size, p=rng.dirichlet(np.full(policy.team_size, 0.3)), size=300)
    queue = []
    for number in range(int(rng.integers(4, 120))):
        roles = [played[rng.choice(len(played), p=share)] for _ in range(sizes[number] if not names else 1)]
        rating = 1500.0 + 15.0 * int(rng.integers(ratings))
        players = [Player(f"{number}-{member}", rating, roles=own) for member, own in enumerate(roles)]
        region = [{}, {"east": 20.0}, {"west": 20.0}][rng.choice(3, p=(0.8, 0.15, 0.05))]
        queue.append(QueueTicket(f"t{number}", players, float(rng.integers(95)), latencies=region))
    return queue


def kind(ticket: QueueTicket) -> object:
    """Return what makes tickets alike but for their waiting."""
    return (ticket.latencies, tuple((player.rating, player.roles) for player in ticket.players))


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 2**32),
    st.sampled_from(
        [
            (2, {"tank": 1, "dps": 1}),
            (2, {"tank": 1, "dps": 2, "heal": 1}),
            (3, {"tank": 1, "dps": 1}),
            (2, {}),
        ]
    ),
    st.sampled_from([5.0, 60.0, 1000.0]),
    st.sampled_from([1, 3, 30]),
)
def test_nobody_plays_before_an_older_ticket_that_is_alike(
    seed: int, seats: tuple[int, dict[str, int]], longest_wait: float, ratings: int
) -> None:
    """Of those alike in roles, rating, party and region, all who play have waited longer than all others."""
    teams, roles = seats
    policy = QueuePolicy(
        teams=teams, team_size=sum(roles.values()) or 3, roles=roles, longest_wait=longest_wait,
        most_imbalance=0.49,
    )  # fmt: skip
    matches, waiting = tick(crowd(np.random.default_rng(seed), policy, ratings), NOW, policy)
    oldest: dict[object, float] = {}
    for ticket in waiting:
        oldest[kind(ticket)] = min(oldest.get(kind(ticket), NOW), ticket.since)
    for match in matches:
        for ticket in match.tickets:
            assert ticket.since <= oldest.get(kind(ticket), NOW)


@pytest.mark.parametrize("seed", range(1, 5))
@pytest.mark.parametrize("longest_wait", [60.0, 1000.0])
def test_seats_that_are_exchanged_break_no_rule_among_hundreds(
    monkeypatch: pytest.MonkeyPatch, seed: int, longest_wait: float
) -> None:
    """Of 300 and more, matches are as many and as even as without it, legal, and nobody is twice."""
    rng = np.random.default_rng(seed)
    roles = {"tank": 1, "dps": 2} if seed % 2 else {}
    policy = QueuePolicy(team_size=3, roles=roles, longest_wait=longest_wait, maps=("dune", "mill"))
    queue = []
    for number in range(300 + int(rng.integers(60))):
        size = 1 + int(seed > 1 and rng.random() < 0.7)
        played = [[("tank",), ("dps",), ()][rng.choice(3, p=(0.6, 0.2, 0.2))] for _ in range(size)]
        avoid = [f"{rng.integers(300)}-0"] if rng.random() < 0.05 else []
        rating = 1500.0 + 60.0 * int(rng.integers(-3, 4))
        players = [
            Player(f"{number}-{member}", rating, roles=each if roles else (), avoid=avoid)
            for member, each in enumerate(played)
        ]
        region = [{}, {"east": 20.0}, {"west": 20.0}][rng.choice(3, p=(0.6, 0.2, 0.2))]
        vetoes = [(), ("dune",), ("mill",)][rng.choice(3, p=(0.8, 0.1, 0.1))]
        came = float(rng.integers(95))
        queue.append(QueueTicket(f"t{number}", players, came, latencies=region, vetoes=vetoes))
    matches, waiting = tick(queue, NOW, policy)
    tickets = [*(ticket.id for match in matches for ticket in match.tickets), *(each.id for each in waiting)]
    assert sorted(tickets) == sorted(ticket.id for ticket in queue)
    for match in matches:
        assert [sum(ticket.size for ticket in team) for team in match.teams] == [3, 3]
        assert all(oracle.has_roles(team, policy) for team in match.teams)
        assert oracle.may_meet(match.tickets, [policy.most_latency] * len(match.tickets), policy)
        assert any(NOW - each.since >= longest_wait for each in match.tickets) or within_tolerances(
            match, policy
        )
    monkeypatch.setattr("equipoise.queueing.columns._seat_the_oldest", lambda *_: None)
    before, _ = tick(queue, NOW, policy)
    assert matches != before  # some seats have been exchanged
    if longest_wait < NOW:  # who has waited so long is chosen first, and so the others may be others
        return
    assert len(before) == len(matches) > 20
    for match, unchanged in zip(matches, before, strict=True):
        assert match.difference <= unchanged.difference + EXACT
        assert match.imbalance <= unchanged.imbalance + EXACT


@pytest.mark.parametrize("many", [10, 150, 700])
@pytest.mark.parametrize("longest_wait", [60.0, 1e4])
def test_a_surplus_of_one_role_keeps_nobody_from_the_others(many: int, longest_wait: float) -> None:
    """However many tanks wait, nearer in rating to one another, all others play, with the oldest."""
    policy = QueuePolicy(
        team_size=4, roles={"tank": 1, "dps": 2, "heal": 1}, longest_wait=longest_wait, most_imbalance=0.49,
        imbalance=0.49,
    )  # fmt: skip
    queue = [solo(f"tank{n}", 1500.0, n / 100, roles=("tank",)) for n in range(many)]
    queue += [solo(f"dps{n}", 1520.0, 80.0, roles=("dps",)) for n in range(8)]
    queue += [solo(f"heal{n}", 1480.0, 90.0, roles=("heal",)) for n in range(4)]
    matches, waiting = tick(queue[::-1], NOW, policy)
    assert len(matches) == 2
    assert sorted(ticket.id for ticket in waiting) == sorted(f"tank{n}" for n in range(4, many))


@pytest.mark.parametrize("longest_wait", [60.0, 1e4])
def test_a_surplus_of_parties_keeps_nobody_from_those_alone(longest_wait: float) -> None:
    """Pairs alone fill no teams of three; the oldest two of very many play with the two who are alone."""
    policy = QueuePolicy(team_size=3, longest_wait=longest_wait, imbalance=0.3, most_imbalance=0.3)
    queue = [
        QueueTicket(f"pair{n}", [Player(f"{n}-{m}", 1500.0) for m in range(2)], n / 100) for n in range(300)
    ]
    queue += [solo(f"alone{n}", 1530.0, 90.0) for n in range(2)]
    matches, _ = tick(queue[::-1], NOW, policy)
    assert [{ticket.id for ticket in match.tickets} for match in matches] == [
        {"pair0", "pair1", "alone0", "alone1"}
    ]


def test_somebody_at_the_tails_plays_in_time_though_others_come_and_go() -> None:
    """Two attackers a second who match each other do not keep a strong player waiting above the bound."""
    policy = QueuePolicy(team_size=1, longest_wait=30.0, most_imbalance=0.49)
    queue: list[QueueTicket] = [solo("strong", 1900, 0.0)]
    for second in range(1, 40):
        queue += [solo(f"{second}-{side}", 1500, float(second)) for side in "ab"]
        matches, waiting = tick(queue, float(second), policy)
        if any(ticket.id == "strong" for match in matches for ticket in match.tickets):
            assert second == 30
            return
        queue = list(waiting)
    pytest.fail("the strong player starved")


def test_a_match_of_somebody_overdue_is_even_if_one_can_be() -> None:
    """The nearest players would do, but others give even teams."""
    policy = QueuePolicy(team_size=2, longest_wait=30.0, tolerance=0.0, tolerance_growth=0.0)
    pair = QueueTicket("pair", (Player("p", 1450.0), Player("q", 1450.0)), 90.0)
    queue = [solo("old", 1500.0), pair, solo("near", 1520.0, 90.0), solo("far", 1400.0, 90.0)]
    matches, waiting = tick(queue, NOW, policy)
    assert matches[0].difference == 0.0
    assert [ticket.id for ticket in waiting] == ["near"]


def test_who_returned_is_in_front() -> None:
    """Of two who could play with the only other one, the one whose last match was not accepted does."""
    policy = QueuePolicy(teams=3, team_size=1, imbalance=0.4, most_imbalance=0.4, tolerance=300.0)
    queue = [
        solo("a", 1500, 90.0),
        solo("b", 1501, 90.0),
        solo("old", 1499, 80.0),
        solo("back", 1400, 95.0, returned=1),
    ]
    matches, _ = tick(queue, NOW, policy)
    assert "back" in {ticket.id for ticket in matches[0].tickets}


@settings(max_examples=60, deadline=None)
@given(strategies.queues(7))
def test_duels_are_the_most_valuable_pairs(queue: list[QueueTicket]) -> None:
    """Among all sets of pairs, those found have the most left of what both tolerate."""
    policy = QueuePolicy(team_size=1, tolerance=100.0, tolerance_growth=1.0, imbalance=0.1, longest_wait=1e4)
    queue = [ticket for ticket in queue if ticket.size == 1]

    def worth(one: QueueTicket, other: QueueTicket) -> float | None:
        means = [oracle.mu(ticket.players[0], policy) for ticket in (one, other)]
        tolerated = [tolerance(ticket, policy) for ticket in (one, other)]
        match = FoundMatch(((one,), (other,)), "", "", (), abs(means[0] - means[1]), 0.0, 0.0)
        return sum(tolerated) / 2 - match.difference if within_tolerances(match, policy) else None

    def most(left: list[QueueTicket]) -> float:
        if len(left) < 2:
            return 0.0
        first, rest = left[0], left[1:]
        best = most(rest)
        for other in rest:
            value = worth(first, other)
            if value is not None:
                best = max(best, value + most([each for each in rest if each is not other]))
        return best

    matches, _ = tick(queue, NOW, policy)
    found = [worth(*match.tickets) for match in matches]
    assert None not in found
    assert sum(value for value in found if value is not None) == pytest.approx(most(queue))


@pytest.mark.parametrize(("teams", "team_size"), [(2, 3), (2, 5), (3, 2), (2, 8)])
def test_the_split_of_a_match_is_the_best_there_is(teams: int, team_size: int) -> None:
    """Where just one window can be made, its split has the least difference over all splits."""
    policy = QueuePolicy(
        teams=teams, team_size=team_size, tolerance=1e6, imbalance=0.49, most_imbalance=0.49, longest_wait=1e4
    )
    rng = np.random.default_rng(team_size)
    for _ in range(5):
        sizes: list[int] = []
        while sum(sizes) < policy.seats:
            sizes.append(min(int(rng.integers(1, 4)), policy.seats - sum(sizes)))
        queue = [
            QueueTicket(f"t{n}", [Player(f"{n}-{m}", float(rng.normal(1500, 250))) for m in range(size)], 0.0)
            for n, size in enumerate(sizes)
        ]
        best = oracle.least_difference(queue, policy) if len(queue) <= 9 else None
        matches, _ = tick(queue, 1.0, policy)
        if best is not None and teams == 2:
            assert bool(matches) == (best < float("inf"))
            assert not matches or matches[0].difference == pytest.approx(best)


def test_an_even_split_is_waited_for() -> None:
    """A window is accepted only once its best split differs by no more than what waiting allows."""
    policy = QueuePolicy(team_size=1, tolerance=1e4, imbalance=0.0, imbalance_growth=0.01, longest_wait=1e4)
    queue = [solo("a", 1500), solo("b", 1530)]
    needed = oracle.imbalance(30.0, policy) / 0.01
    assert not tick(queue, needed - 0.01, policy).matches
    assert tick(queue, needed + 0.01, policy).matches


def test_tolerances_are_wider_at_the_tails() -> None:
    """Two who are 60 apart meet where few are, two deviations from the middle, and not in the middle."""
    policy = QueuePolicy(
        team_size=1, tolerance=48.0, tolerance_growth=0.0, tails=0.5, imbalance=0.4, most_imbalance=0.4
    )
    assert not tick([solo("a", 1500), solo("b", 1560)], 1.0, policy).matches
    assert tick([solo("a", 2000), solo("b", 2060)], 1.0, policy).matches


def test_provisional_players_play_apart_until_the_longest_wait() -> None:
    """Whose rating is uncertain meets only others like that, before the longest wait."""
    policy = QueuePolicy(team_size=1, provisional=100.0, longest_wait=50.0)
    new = QueueTicket("new", (Player("new", Rating(1500, 200)),), 0.0)
    assert not tick([new, solo("known")], 40.0, policy).matches
    assert tick([new, QueueTicket("x", (Player("x"),), 0.0)], 40.0, policy).matches
    assert tick([new, solo("known")], 50.0, policy).matches


def test_a_gap_of_parties_is_kept_before_the_longest_wait() -> None:
    """A full party does not meet single players where the policy says so, until nothing else is left."""
    policy = QueuePolicy(team_size=2, party_gap=0, longest_wait=50.0)
    pair = QueueTicket("pair", (Player("p", 1500.0), Player("q", 1500.0)), 0.0)
    queue = [pair, solo("a"), solo("b")]
    assert not tick(queue, 49.0, policy).matches
    assert tick(queue, 50.0, policy).matches
    assert tick(
        [pair, QueueTicket("two", (Player("a", 1500.0), Player("b", 1500.0)), 0.0)], 1.0, policy
    ).matches


@pytest.mark.parametrize(
    ("queue", "message"),
    [
        ([solo("a"), solo("a")], "queue: the ticket 'a' appears twice"),
        ([solo("a"), QueueTicket("b", (Player("a"),), 0.0)], "queue: the player 'a' appears twice"),
        ([solo(f"{n}", latencies={f"r{n}": 1.0}) for n in range(63)], "at most 62 regions, got 63"),
    ],
)
def test_what_is_no_queue_is_refused(queue: list[QueueTicket], message: str) -> None:
    """The message says who is twice."""
    with pytest.raises(InputError, match=message):
        tick(queue, 1.0, QueuePolicy(team_size=1))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"id": ""}, "id must be text that is not empty"),
        ({"players": ()}, "players of ticket 't' must be at least 1, got 0"),
        ({"players": (Player("a"), Player("a"))}, "players of ticket 't' must differ"),
        ({"since": float("nan")}, "since of ticket 't' must be a finite number, got nan"),
        ({"latencies": {"east": -1.0}}, "latencies of ticket 't' to 'east' must be at least 0, got -1"),
    ],
)
def test_what_is_no_ticket_is_refused(fields: dict[str, Any], message: str) -> None:
    """The message begins with the field."""
    with pytest.raises(InputError, match=message):
        QueueTicket(**{"id": "t", "players": (Player("a"),), "since": 0.0, **fields})


@pytest.mark.parametrize("now", [float("nan"), float("inf"), float("-inf")])
def test_a_time_that_is_none_is_refused(now: float) -> None:
    """Nothing would be overdue, nor ever be; nor does a life that was told one stand still at it."""
    ann, policy = QueueTicket("t", (Player("a"),), 0.0), QueuePolicy()
    life = TicketLife(policy)
    for ask in (
        lambda: tick([], now, policy),
        lambda: fill_openings([], [], now, policy),
        lambda: reason_for_waiting(ann, [ann], now, policy),
        lambda: life.handle(EnterTicket(ann), now),
        lambda: life.enter_together([ann], now),
    ):
        with pytest.raises(InputError, match=f"now must be a finite number, got {now}"):
            ask()
    assert life.snapshot() == TicketLife(policy).snapshot()


def test_the_bound_is_that_of_the_link() -> None:
    """The difference allowed is the one at which the link of ratings and chances gives that chance."""
    policy = QueuePolicy(team_size=4, beta=120.0)
    for distance in (0.0, 0.01, 0.2, 0.49):
        assert float(bound_of(distance, policy)) == pytest.approx(oracle.bound(distance, policy))


def test_a_tick_depends_on_its_arguments_alone() -> None:
    """The same queue in the same order gives the same matches."""
    rng = np.random.default_rng(3)
    queue = [solo(str(n), float(rng.normal(1500, 250)), float(rng.uniform(0, 60))) for n in range(60)]
    first, second = (tick(queue, NOW, QueuePolicy()) for _ in range(2))
    assert first == second
    assert all(len(set(pair)) == 2 for pair in combinations([id(m) for m in first.matches], 2))
