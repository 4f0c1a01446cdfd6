"""Ids that several people have: who is meant follows from all matches, whatever their order."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.archive.archive import Archive, open_archive
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.games.match_in_progress import Play
from equipoise.identity.names import alike
from equipoise.identity.roster_lookup import AmbiguousNameError, RosterLookup
from equipoise.identity.shared_ids import Identities, SeenId, people_of_id

LAN = "0" * 32


def game(
    number: int, *, shared: bool = True, sides: tuple[tuple[str, ...], ...] = (("",), ("#2",)), **names: str
) -> Match:
    """Return a match of a log, with clients that have one id and others."""
    teams = [[*(LAN + each for each in side), f"own{n}"] for n, side in enumerate(sides)]
    named = [(LAN + mark.replace("two", "#2").replace("one", ""), name) for mark, name in names.items()]
    there = tuple(player for team in teams for player in team)
    named += [(player, player) for player in there if player.startswith("own")]
    return Match(
        (Contest(Ruleset("oa"), teams, (1.0, 2.0), at=float(number)),), ended=float(number),
        id=f"{number:064x}", names=named, shared=(LAN,) if shared else (), server="home",
    )  # fmt: skip


def players(archive: Archive) -> list[set[str]]:
    """Return the people of each match."""
    return [set(match.roster) for match in archive.matches()]


@given(st.permutations(range(4)))
def test_the_order_of_matches_does_not_matter(order: list[int]) -> None:
    """People and their ids are the same."""
    seen = [
        SeenId(float(n), bytes([n]), names, n > 1)
        for n, names in enumerate((("Ann",), ("bob_", "Cid"), ("ANN", "Bob"), ("Ann", "Cid", "Bob")))
    ]
    found = people_of_id("x", [seen[n] for n in order])
    assert found == {"ann": "x~ann", "bob": "x~bob", "bob_": "x~bob", "cid": "x~cid"}


def test_one_game_is_no_proof_and_who_is_there_at_once_is_not_one_person() -> None:
    """Two names that are alike stay two people where they met."""
    once = SeenId(1.0, b"a", ("Gordon", "Gordonn"), True)
    assert people_of_id("x", [once]) == {}
    assert set(people_of_id("x", [once, once._replace(match=b"b")]).values()) == {"x~gordon", "x~gordonn"}
    apart = [
        SeenId(float(n), bytes([n]), (name, "Max"), True) for n, name in enumerate(("Gordon", "Gordonn"))
    ]
    assert set(people_of_id("x", apart).values()) == {"x~gordon", "x~max"}


def play(*acts: bool, names: tuple[str, str] = ("Ann", "Bob")) -> Play:
    """Return a game of two clients with one id and a third one; of the two those act who are said to."""
    made = Play()
    for slot, (identity, name) in enumerate(((LAN, names[0]), (LAN, names[1]), ("own", "Max"))):
        made.arrive(slot, identity, name)
        made.place(slot, 0)
    made.clock = 100.0
    for slot, act in enumerate(acts):
        if act:
            made.kill(slot, 2)
    return made


@pytest.mark.parametrize("acts", list(itertools.product((False, True), repeat=2)))
def test_only_two_who_both_play_prove_it(acts: tuple[bool, bool]) -> None:
    """A connection that only times out kills nobody; nor are two spellings of one name two people."""
    assert play(*acts).shared == ({LAN} if all(acts) else set())
    assert play(*acts, names=("Ann", "^1[UT]ann")).shared == set()


def test_who_acts_before_the_other_comes_proves_nothing() -> None:
    """That may be the connection that times out."""
    made = Play()
    for slot, (identity, name) in enumerate((("own", "Max"), (LAN, "Ann"))):
        made.arrive(slot, identity, name)
        made.place(slot, 0)
    made.kill(1, 0)
    made.arrive(2, LAN, "Bob")
    made.place(2, 0)
    made.kill(2, 0)
    assert made.shared == set()
    made.kill(1, 0)
    assert made.shared == {LAN}


def test_a_later_proof_mends_earlier_games_and_undo_takes_it_back(tmp_path: Path) -> None:
    """In any order the archive ends with the same people and ratings; each is a person with a name."""
    early = game(1, shared=False, sides=(("",), ()), one="Ann")
    first, second = game(2, one="Bob", two="^2Ann"), game(3, one="[x]ann", two="Bob!")
    ends = []
    for n, order in enumerate(itertools.permutations((early, first, second))):
        with open_archive(f"sqlite:///{tmp_path}/{n}.db") as archive:
            for match in order:
                archive.record([match])
                archive.update_ratings()
            ann, bob = f"{LAN}~ann", f"{LAN}~bob"
            assert players(archive) == [
                {ann, "own0", "own1"},
                {ann, bob, "own0", "own1"},
                {ann, bob, "own0", "own1"},
            ]
            (doubtful,) = archive.doubtful()
            assert (doubtful.id, doubtful.servers, doubtful.proofs, doubtful.matches) == (
                LAN,
                ("home",),
                2,
                3,
            )
            kept = archive.standing()
            archive.rebuild()
            assert archive.standing().state == kept.state
            ends.append((archive.digest(), kept.state))
            archive.undo(second.id)
            archive.update_ratings()
            assert archive.doubtful() == []
            assert players(archive)[0] == {LAN, "own0", "own1"}
    assert all(end == ends[0] for end in ends)


def test_a_second_client_of_one_person_is_that_person(tmp_path: Path) -> None:
    """On one side it is added up; where the two are against each other the longer one counts."""
    with open_archive(f"sqlite:///{tmp_path}/a.db") as archive:
        archive.record(
            [
                game(1, shared=False, one="Ann", two="Ann(1)"),
                game(2, shared=False, sides=(("", "#2"), ()), one="Ann", two="Ann"),
            ]
        )
        assert players(archive) == [{LAN, "own0", "own1"}] * 2
        for match in archive.matches():
            there = [player for team in match.contests[0].teams for player, _ in team]
            assert there.count(LAN) == 1


def test_one_of_several_is_forgotten_and_stays_so(tmp_path: Path) -> None:
    """The others with the id stay who they are; the log that is read again does not bring the person back."""
    matches = [game(n, one="Bob", two="Ann") for n in (1, 2)]
    with open_archive(f"sqlite:///{tmp_path}/a.db") as archive:
        archive.record(matches)
        archive.update_ratings()
        stand_in = archive.forget(f"{LAN}~ann")
        archive.record([game(3, one="Bob", two="ANN_"), *matches])
        archive.update_ratings()
        assert players(archive) == [{f"{LAN}~bob", stand_in, "own0", "own1"}] * 2 + [
            {f"{LAN}~bob", stand_in, "own0", "own1"}
        ]
        assert "ann" not in repr(list(archive.contents())).casefold()


def test_people_who_share_an_id_are_merged_and_asked_for(tmp_path: Path) -> None:
    """With an id of their own; the shared one alone is a question."""
    with open_archive(f"sqlite:///{tmp_path}/a.db") as archive:
        archive.record([game(n, one="Bob", two="Ann") for n in (1, 2)])
        archive.record(
            [Match((Contest(Ruleset("oa"), [["annie"], ["max"]], (1, 2), at=9.0),), ended=9.0, id="r")]
        )
        archive.merge("annie", f"{LAN}~ann")
        assert [("annie" in there) for there in players(archive)] == [True, True, True]
    lookup = RosterLookup([(f"{LAN}~ann", "Ann", 1.0), (f"{LAN}~bob", "Bob", 1.0)])
    with pytest.raises(AmbiguousNameError, match="is the name of several"):
        lookup.id_of(LAN)
    assert lookup.id_of("ann") == f"{LAN}~ann"


def test_names_of_people_with_numbers_are_not_second_clients() -> None:
    """A result of Ann#12 is of nobody else."""
    match = Match((Contest(Ruleset(), [["Ann#12"], ["Ann"]], (1, 2)),))
    assert Identities().applied(match) is match


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("Ann", "ann", True), ("José", "[UT]Jose_", True), ("m4verick", "Maverick", True),
     ("Player1", "Player2", False), ("Ann", "Bob", False), ("Anna", "Anna|afk", True),
     ("Ann", "Anne", False)],
)  # fmt: skip
def test_what_people_vary_is_not_the_name(one: str, other: str, same: bool) -> None:
    """Case, accents, tags, signs at the ends, figures for letters, being away; not the number at the end."""
    assert alike(one, other) is alike(other, one) is same
