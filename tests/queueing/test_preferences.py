"""Whom players would like in their team: as much is granted as splits allow that stay even enough."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.queueing import oracle

from equipoise.core.player import Player
from equipoise.queueing import QueuePolicy, QueueTicket, tick
from equipoise.queueing.preferences import preferences_of

#: What is accepted after a second, in totals of the teams, is about 60.
POLICY = QueuePolicy(
    team_size=3, tolerance=1e6, imbalance=0.05, imbalance_growth=0.0, most_imbalance=0.3, longest_wait=100.0
)

people = st.builds(
    lambda ratings, likes: [(rating, like) for rating, like in zip(ratings, likes, strict=True)],
    st.lists(st.sampled_from([1400.0, 1450.0, 1490.0, 1500.0, 1520.0, 1600.0]), min_size=6, max_size=6),
    st.lists(st.sets(st.integers(0, 5), max_size=2), min_size=6, max_size=6),
)


def queue_of(drawn: list[tuple[float, set[int]]], pair: bool, roles: list[str]) -> list[QueueTicket]:
    """Return six players, the first two of whom may be a party."""
    players = [
        Player(str(n), rating, prefer=[str(each) for each in like if each != n], roles=[role] if role else [])
        for n, ((rating, like), role) in enumerate(zip(drawn, roles, strict=True))
    ]
    parties = [players[:2], *([each] for each in players[2:])] if pair else [[each] for each in players]
    return [QueueTicket(f"t{n}", party, 0.0) for n, party in enumerate(parties)]


@given(
    drawn=people, pair=st.booleans(), now=st.sampled_from([1.0, 200.0]), gap=st.sampled_from([None, 0]),
    roles=st.lists(st.sampled_from(["", "", "tank", "heal"]), min_size=6, max_size=6), of_roles=st.booleans(),
)  # fmt: skip
def test_most_is_granted_in_the_splits_that_are_accepted(
    drawn: list[tuple[float, set[int]]],
    pair: bool,
    now: float,
    gap: int | None,
    roles: list[str],
    of_roles: bool,
) -> None:
    """No legal split within what is accepted grants more, and none that grants as much is more even."""
    policy = QueuePolicy.from_dict(
        {**POLICY.to_dict(), "party_gap": gap, "roles": {"tank": 1, "heal": 2} if of_roles else {}}
    )
    queue = queue_of(drawn, pair, roles)
    plain = [
        QueueTicket(t.id, [Player(p.id, p.rating, roles=p.roles) for p in t.players], 0.0) for t in queue
    ]
    matches, _ = tick(queue, now, policy)
    before, _ = tick(plain, now, policy)
    assert len(matches) == len(before)
    if not matches:
        return
    overdue = now >= policy.longest_wait
    # Of somebody overdue an eighth of the most is as even as a match must be, or what it would be anyway.
    accepted = oracle.bound(policy.most_imbalance / 8 if overdue else policy.imbalance, policy)
    limit = max(before[0].difference, accepted) + 1e-6
    found = {}
    for seats in product((0, 1), repeat=len(queue)):
        teams = [[t for t, at in zip(queue, seats, strict=True) if at == number] for number in (0, 1)]
        if any(sum(each.size for each in team) != 3 or not oracle.has_roles(team, policy) for team in teams):
            continue
        if not overdue and gap is not None and len({max(each.size for each in team) for team in teams}) > 1:
            continue
        totals = oracle.totals(teams, policy)
        if abs(totals[0] - totals[1]) <= limit:
            granted = sum(seats[one] == seats[other] for one, other in preferences_of(queue))
            found[seats] = (granted, -abs(totals[0] - totals[1]))
    side = {ticket.id: number for number, team in enumerate(matches[0].teams) for ticket in team}
    mine = found[tuple(side[ticket.id] for ticket in queue)]
    most = max(found.values())
    assert (mine[0], mine[1]) == (most[0], pytest.approx(most[1]))
    assert matches[0].difference == pytest.approx(-mine[1])
    assert matches[0].spread == pytest.approx(before[0].spread)


def test_friends_are_in_one_team_but_not_at_any_price() -> None:
    """Two who are much stronger than the others are apart, whatever they would like."""
    ratings = {"a": 1500.0, "b": 1505.0, "c": 1495.0, "d": 1500.0}
    policy = QueuePolicy(team_size=2, tolerance=1e6, imbalance=0.02, longest_wait=1e4)

    def together(strong: float) -> bool:
        queue = [
            QueueTicket(
                name, [Player(name, rating + strong * (name in "ab"), prefer=["b"][name != "a" :])], 0.0
            )
            for name, rating in ratings.items()
        ]
        (match,) = tick(queue, 1.0, policy).matches
        return any({"a", "b"} == {ticket.id for ticket in team} for team in match.teams)

    assert together(0.0)
    assert not together(300.0)


def test_preferences_for_somebody_elsewhere_change_nothing() -> None:
    """Who is not in the match cannot be in the team."""
    players = [Player(name, 1500.0 + n, prefer=["zoe"]) for n, name in enumerate("abcd")]
    queue = [QueueTicket(each.id, [each], 0.0) for each in players]
    plain = [QueueTicket(each.id, [Player(each.id, each.rating)], 0.0) for each in players]
    policy = QueuePolicy(team_size=2, tolerance=1e6)
    ids = [
        [[ticket.id for ticket in team] for team in match.teams]
        for some in (queue, plain)
        for match in tick(some, 1.0, policy).matches
    ]
    assert ids[0] == ids[1]
