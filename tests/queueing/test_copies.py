"""Copies of frozen values from columns are what their constructors make."""

from __future__ import annotations

from equipoise.core.copies import copies
from equipoise.core.player import Player, Rating, players_named
from equipoise.queueing.tickets import QueueTicket, soloists, waiting_since


def test_copies_are_what_constructors_make() -> None:
    """Fields of columns differ, all others are those of the one that is copied; of none there is none."""
    one = Player("any", 1500.0, roles=("medic",), side=0.25)
    made = copies(one, 2, id=["Ann", "Bob"], rating=[Rating(1.0), None])
    roles = (("medic", None),)
    assert made == [Player("Ann", Rating(1.0), roles=roles, side=0.25), Player("Bob", roles=roles, side=0.25)]
    assert copies(one, 0, id=[]) == []


def test_tickets_of_many_are_those_of_each() -> None:
    """From columns, or with another beginning of their waiting."""
    weights = {"Ann": 1500.0, "Bob": None, "Cid": Rating(1600.0, 50.0)}
    tickets = soloists(weights, 3.0)
    assert tickets == [QueueTicket(name, (Player(name, known),), 3.0) for name, known in weights.items()]
    assert [ticket.players[0] for ticket in tickets] == players_named(weights)
    some = [
        *tickets,
        QueueTicket("t", (Player("Dan"), Player("Eve")), 1.0, {"eu": 9.0}, "ctf", ("m",), True, 2),
    ]
    assert waiting_since(some, 7.0) == [ticket.since_when(7.0, 0) for ticket in some]
