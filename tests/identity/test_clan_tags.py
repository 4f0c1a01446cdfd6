"""Clan tags: how they are written, and who plays together for bearing one."""

from __future__ import annotations

import pytest

from equipoise import Player
from equipoise.identity.clan_tags import clan_tag, with_clans, without_tag


@pytest.mark.parametrize(
    "written",
    [
        "[{}]Ann",
        "({}) Ann",
        "-={}=-Ann",
        "<{}>Ann",
        "Ann[{}]",
        "{}|Ann",
        "{}.Ann",
        "{}::Ann",
        "^1[{}]^7Ann",
        "|{}|Ann",
        "Ann|{}|",
    ],
)
@pytest.mark.parametrize("tag", ["UT", "abc", "Abcdef"])
def test_a_tag_is_what_signs_enclose_or_part_from_a_name(written: str, tag: str) -> None:
    """At either end; case does not matter, and the name is what is left."""
    name = written.format(tag)
    assert clan_tag(name) == tag.lower()
    assert without_tag(name) == "Ann"


@pytest.mark.parametrize(
    "name", ["Ann", "Ann Lee", "A|Ann", "Abcdefgh|Ann", "[toolongtag]Ann", "Ann.", "|Ann", "^1", "", "[]Ann"]
)
def test_what_is_not_written_so_is_no_tag(name: str) -> None:
    """Tags parted by one sign have 2 to 6 letters, enclosed ones up to 8; something of a name is left."""
    assert clan_tag(name) == ""
    assert without_tag(name) == without_tag(without_tag(name))


def test_those_who_bear_one_tag_are_a_party_unless_they_are_in_one() -> None:
    """Bots and who came with others are no clan's; one alone is none."""
    players = [Player("[a]x"), Player("a|y") , Player("[aa]z"), Player("[A]z"), Player("[a]b", bot=True),
               Player("[a]c", party="us"), Player("id", name="[a]d"), Player("aa|w", party=None)]  # fmt: skip
    parties = [each.party for each in with_clans(players)]
    assert parties == ["clan a", None, "clan aa", "clan a", None, "us", "clan a", "clan aa"]
    assert [each.id for each in with_clans(players)] == [each.id for each in players]
    alone = [Player("[a]x"), Player("[b]y"), Player("[a]z", bot=True)]
    assert with_clans(alone) == alone
