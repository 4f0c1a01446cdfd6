"""Parties that gather on a queue's page: by a code, with a token each, known again after a restart."""

from __future__ import annotations

import pytest

from equipoise.service.queue_parties import LENGTH, LETTERS, MOST, SILENT, QueueParties

KEY = b"a key that nobody guesses"


def test_a_party_is_joined_by_its_code_until_it_is_full() -> None:
    """However the code is written; a name is in it once."""
    parties = QueueParties(KEY)
    code, _ = parties.begin("ann", 0.0)
    assert (len(code), set(code) <= set(LETTERS)) == (LENGTH, True)
    parties.join(f" {code[:2].lower()} {code[2:]}", "bob", 3, 1.0)
    for player, size, why in (("bob", 3, "taken"), ("cid", 2, "full")):
        with pytest.raises(LookupError, match=why):
            parties.join(code, player, size, 2.0)
    with pytest.raises(LookupError, match="missing"):
        parties.join("AAAAA" if code != "AAAAA" else "CCCCC", "cid", 3, 2.0)
    assert parties.members(code, 2.0) == ["ann", "bob"]


def test_a_token_is_of_one_member_of_one_party() -> None:
    """Nobody says that another is there, leads a party they joined, or is in one they have no token of."""
    parties = QueueParties(KEY)
    code, led = parties.begin("ann", 0.0)
    other, _ = parties.begin("eve", 0.0)
    token = parties.join(code, "bob", 3, 0.0)
    for whose, player, given in (
        (code, "cid", token), (other, "bob", token), (code, "bob", led), (code, "bob", ""),
        (code, "bob", "ü"),
    ):  # fmt: skip
        assert not parties.heard(whose, player, given, 1.0)
    assert parties.heard(code, "bob", token, 1.0)
    assert [parties.leads(code, each) for each in ("ann", "bob")] == [True, False]


@pytest.mark.parametrize("order", [("ann", "bob"), ("bob", "ann")])
def test_a_server_that_began_anew_knows_a_party_again(order: tuple[str, str]) -> None:
    """From its members, in whichever order they come; who leads it does."""
    parties = QueueParties(KEY)
    code, led = parties.begin("ann", 0.0)
    tokens = {"ann": led, "bob": parties.join(code, "bob", 3, 0.0)}
    again = QueueParties(KEY)
    for each in order:
        assert again.heard(code, each, tokens[each], 1.0)
    assert again.members(code, 1.0) == ["ann", "bob"]
    assert again.leads(code, "ann")
    again.enters(code, "t1")
    assert again.ticket(code) == "t1"
    assert not QueueParties(b"another key").heard(code, "bob", tokens["bob"], 1.0)


def test_who_is_silent_or_leaves_is_out() -> None:
    """With who leads it a party is over; and no more are kept than may be."""
    parties = QueueParties(KEY)
    code, led = parties.begin("ann", 0.0)
    parties.join(code, "bob", 3, 0.0)
    assert parties.heard(code, "ann", led, SILENT)
    assert parties.members(code, SILENT + 1.0) == ["ann"]
    parties.join(code, "bob", 3, SILENT)
    parties.leave(code, "bob")
    assert parties.members(code, SILENT) == ["ann"]
    parties.leave(code, "ann")
    assert parties.members(code, SILENT) == []
    first, _ = parties.begin("ann", 0.0)
    for number in range(MOST):
        parties.begin(f"p{number}", 0.0)
    assert parties.members(first, 0.0) == []
