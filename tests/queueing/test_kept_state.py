"""The state of a queue as text: nothing is lost, every ticket is in it once, earlier forms are read."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.queueing import strategies

from equipoise.core.player import Player
from equipoise.queueing import QueuePolicy, QueueTicket, TicketLife
from equipoise.queueing.kept_state import FORM_OF_PLACES, FORM_OF_ROWS, STATE_FORM, life_of, state_of
from equipoise.queueing.life import Accept, EnterTicket, MakeMatches, OfferSeats, TicketPlace

WIDE = {"imbalance": 0.49, "most_imbalance": 0.49, "tolerance": 1e6}
DUEL = QueuePolicy(team_size=1, **WIDE)


def playing(policy: QueuePolicy, *tickets: QueueTicket) -> TicketLife:
    """Return a queue in which tickets play a match, and somebody waits."""
    life = TicketLife(policy)
    for ticket in tickets:
        life.handle(EnterTicket(ticket), 1.0)
    life.handle(MakeMatches(), 2.0)
    for ticket in tickets:
        for player in ticket.players:
            life.handle(Accept("1", player.id), 3.0)
    life.handle(EnterTicket(QueueTicket("late", (Player("Zoe"),), 0.0)), 4.0)
    return life


@settings(max_examples=100, deadline=None)
@given(strategies.policies(), strategies.queues(12), st.booleans())
def test_a_state_holds_all_that_is_known(policy: QueuePolicy, queue: list[QueueTicket], answer: bool) -> None:
    """Whatever a ticket has, waiting, asked or in a match that half of its players have accepted."""
    life = TicketLife(policy)
    for ticket in queue:
        life.handle(EnterTicket(ticket), 100.0)
    life.handle(MakeMatches(), 200.0)
    for match, found in life.matches.items() if answer else ():
        for each in found.tickets[::2]:
            life.handle(Accept(match, each.players[0].id), 201.0)
    again = life_of(state_of(life))
    assert again is not None
    assert again.snapshot() == life.snapshot()


def test_a_ticket_is_in_a_state_once_wherever_it_is() -> None:
    """A match has its place, and after a start the same ticket."""
    life = playing(DUEL, *(QueueTicket(name, (Player(name, 1500.0),), 0.0) for name in ("Ann", "Bob")))
    state = state_of(life)
    assert [each["id"] for each in json.loads(state)["columns"]["tickets"]] == ["Ann", "Bob", "late"]
    again = life_of(state)
    assert again is not None
    match = again.match("1")
    assert match is not None
    assert all(again.ticket(ticket.id) is ticket for ticket in match.tickets)


def test_a_match_keeps_who_has_left_it_and_is_long_forgotten() -> None:
    """Another ticket may have the id by now: that one waits, the first one is in the match."""
    policy = QueuePolicy(team_size=2, forgiven_after=50.0, **WIDE)
    pairs = [QueueTicket(name, (Player(name + "1"), Player(name + "2")), 0.0) for name in "ab"]
    life = playing(policy, *pairs)
    life.handle(OfferSeats("1", left=("a1", "a2")), 10.0)
    life.handle(MakeMatches(), 100.0)
    assert life.ticket("a") is None
    life.handle(EnterTicket(QueueTicket("a", (Player("Ann"),), 0.0)), 101.0)
    again = life_of(state_of(life))
    assert again is not None
    assert again.snapshot() == life.snapshot()
    place, match = again.where("a"), again.match("1")
    assert place is not None
    assert match is not None
    assert place.place is TicketPlace.WAITING
    assert {player.id for ticket in match.tickets for player in ticket.players} == {"a1", "a2", "b1", "b2"}


def test_the_form_with_a_row_for_each_ticket_is_read_and_one_that_is_not_known_is_not() -> None:
    """What an earlier version has kept is not lost."""
    life = playing(DUEL, *(QueueTicket(name, (Player(name, 1500.0),), 0.0) for name in ("Ann", "Bob")))
    rows = json.dumps({"form": FORM_OF_ROWS, "life": msgspec.to_builtins(life.snapshot())})
    again = life_of(rows)
    assert again is not None
    assert again.snapshot() == life.snapshot()
    assert life_of(state_of(life).replace(f'"form":{STATE_FORM}', f'"form":{STATE_FORM + 1}')) is None


def test_the_form_with_places_and_all_who_are_asked_is_read() -> None:
    """A match that runs, one that one of two has accepted, one that nobody has, and who waits."""
    life = playing(DUEL, *(QueueTicket(name, (Player(name, 1500.0),), 0.0) for name in ("Ann", "Bob")))
    for name in ("Cid", "Dan", "Eve", "Fay"):
        life.handle(EnterTicket(QueueTicket(name, (Player(name, 1500.0),), 0.0)), 4.0)
    life.handle(MakeMatches(), 5.0)
    asked = {match: [each.players[0].id for each in life.matches[match].tickets] for match in ("2", "3")}
    life.handle(Accept("2", asked["2"][0]), 6.0)
    now = json.loads(state_of(life))
    columns = now["columns"]
    seats = iter(columns.pop("seats"))
    columns["found"]["teams"] = [
        [[next(seats) for _ in range(size)] for size in sizes] for sizes in columns["found"]["teams"]
    ]
    assert columns["matches"]["waiting_for"] == [[], asked["2"][1:], None]
    columns["matches"]["waiting_for"][2] = asked["3"]
    again = life_of(json.dumps(now | {"form": FORM_OF_PLACES}))
    assert again is not None
    match = asked["3"][0]
    for each in (life, again):
        assert each.has_begun("1")
        assert [each.is_asked("2", player) for player in asked["2"]] == [False, True]
        assert [each.is_asked("3", player) for player in asked["3"]] == [True, True]
        assert not each.is_asked("3", asked["2"][1])
        each.handle(Accept("3", match), 7.0)
        each.handle(Accept("2", asked["2"][1]), 7.0)
    assert again.snapshot() == life.snapshot()


@pytest.mark.parametrize("text", ["", "{}", '{"form":2}', '{"form":2,"life":{}}'])
def test_what_is_no_state_is_not_read(text: str) -> None:
    """The record is, then."""
    assert life_of(text) is None
