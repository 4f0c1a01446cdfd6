"""Questions that a snapshot answers: who is a party by the clan tag of the name last seen."""

from __future__ import annotations

from equipoise import Elo
from equipoise.core.player import Member
from equipoise.service.questions import Answers
from equipoise.service.snapshot import Ratings, Snapshot
from equipoise.service.weights.messages import Setting


def test_a_clan_is_who_bears_its_tag_and_is_in_no_party() -> None:
    """By the name last seen of those who are known; bots and members of parties are left out."""
    known = {"1": (1700.0,), "2": (1500.0,)}
    answers = Answers(
        Snapshot(Ratings(Elo(), known), names={"1": "[UT] Ann", "2": "Bob", "9": "[UT] Nobody"})
    )
    names = ("1", "2", "[UT] Cid", "ut|Dan", "[XY] Eve", "[XY] Fay", "[ZZ] Guy")
    people = [*(Member(False, name) for name in names), Member(True, "[UT] Bot")]
    found = answers.gather(Setting(), people, 2, clans=True)
    assert set(found.parties) == {("0", "2", "3"), ("4", "5")}
    # Who is in a party already is in that one alone, and the rest of the clan stays together.
    found = answers.gather(Setting(), people, 2, parties=[[people[2], people[1]]], clans=True)
    assert set(found.parties) == {("2", "1"), ("0", "3"), ("4", "5")}
    assert answers.gather(Setting(), people, 2).parties == ()
