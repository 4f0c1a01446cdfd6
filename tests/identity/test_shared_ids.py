"""Ids that several people have: who is meant follows from all matches, whatever their order."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.archive.archive import Archive, open_archive
from equipoise.core.match import Contest, Match, Ruleset, Statistics
from equipoise.games.match_in_progress import Play
from equipoise.identity.names import alike, likeness, stem_of
from equipoise.identity.roster_lookup import AmbiguousNameError, RosterLookup
from equipoise.identity.shared_ids import Identities, SeenId, base_of, people_of_id, seen_in

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


@pytest.mark.parametrize(
    ("name", "stem"),
    [("Ann (1)", "ann"), ("(12)Ann", "ann"), ("Ann (123)", "ann"), ("Max_afk", "max"), ("Max - BRB!", "max"),
     ("afk", "afk"), ("J053", "j053"), ("J053x", "josex"), ("13", "13"), ("___", "___"), ("a$am1", "asam1"),
     ("l33t99", "leet99"), ("m@ny!", "many"), ("a!b", "aib"), ("4x7", "ax7")],
)  # fmt: skip
def test_the_stem_is_what_people_do_not_vary(name: str, stem: str) -> None:
    """Numbers of servers, being away and figures for letters go; a number at the end stays."""
    assert stem_of(name) == stem


@pytest.mark.parametrize(
    ("one", "other", "much"),
    [
        ("Max1", "Max2", 0.0),
        ("Max", "Max2", 0.9),
        ("abcd", "abcd", 1.0),
        ("abcd", "wxyz", 0.0),
        ("ab", "ad", 0.5),
        ("gordon", "gordonn", 12 / 13),
    ],
)
def test_likeness_is_the_share_of_signs_in_common(one: str, other: str, much: float) -> None:
    """But for numbers: two with different ones are two people, with and without one may be one."""
    assert likeness(one, other) == likeness(other, one) == pytest.approx(much)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("abc", "abcd", False),
        ("abcd", "abcde", True),
        ("abcdefgh", "abcdefxy", False),
        ("abcdefgh", "abcdefgx", True),
        ("abcdexyz", "abcdevvv", False),
        ("abcdefgh12", "abcdefgh34", False),
    ],
)
def test_names_of_four_signs_are_alike_from_four_fifths_on(one: str, other: str, same: bool) -> None:
    """Shorter ones must be the same."""
    assert alike(one, other) is alike(other, one) is same


def test_names_most_alike_are_united_first_and_nobody_with_who_was_there_too() -> None:
    """Maxwel is like both Maxwell and Maxwels, who were there at once: he is the one he is most like."""
    seen = [
        SeenId(1.0, b"a", ("Maxwell", "Maxwels"), True),
        SeenId(2.0, b"b", ("Maxwelll", "Other"), True),
        SeenId(2.0, b"c", ("Maxwell", "Other"), False),
    ]
    found = people_of_id("x", seen)
    assert found["maxwelll"] == found["maxwell"] == "x~maxwell"
    assert found["maxwels"] == "x~maxwels"
    assert found["other"] == "x~other"


def test_the_first_name_of_a_person_is_that_of_the_earliest_game() -> None:
    """Of one moment that of the game with the lower id; every spelling leads to it."""
    seen = [
        SeenId(5.0, b"b", ("Gordonn", "Zed"), True),
        SeenId(5.0, b"a", ("[UT]Gordon",), True),
        SeenId(9.0, b"c", ("GORD0N", "Zed"), True),
    ]
    assert people_of_id("x", seen) == {
        "gord0n": "x~gordon", "gordon": "x~gordon", "gordonn": "x~gordon", "zed": "x~zed",
    }  # fmt: skip


def test_two_games_prove_it_and_not_one() -> None:
    """However many other games there are."""
    seen = [SeenId(float(n), bytes([n]), ("Ann", "Bob"), n < 1) for n in range(5)]
    assert people_of_id("x", seen) == {}
    assert set(people_of_id("x", [*seen, seen[0]._replace(match=b"z")])) == {"ann", "bob"}


def test_an_id_of_a_client_is_told_from_that_of_a_bot_and_of_a_name() -> None:
    """Only of clients the number is taken off."""
    assert [base_of("0a#2", "Ann"), base_of("bot:Xan:3#2", "Xan"), base_of("name:Ann#2", "Ann#2"),
            base_of("name:Ann#2", "Ann")] == ["0a", "bot:Xan:3#2", "name:Ann#2", "name:Ann"]  # fmt: skip
    match = game(1, one="Ann", two="Bob")
    assert seen_in(match, LAN) == ("Ann", "Bob")
    assert seen_in(match, "own0") == ("own0",)


def test_only_games_of_logs_tell_clients_of_one_id_apart() -> None:
    """A result that somebody entered names people; a merged person is who counts, in both."""
    known = Identities({"0a~bob": "bob"}, {"0a": {"ann": "0a~ann", "bob": "0a~bob"}})
    duel = Contest(Ruleset(), [["0a"], ["0a#2"]], (1, 2))
    names = [("0a", "Ann"), ("0a#2", "B0B")]
    log = Match((duel,), id="0" * 64, names=names, shared=("0a",))
    assert known.of(log) == {"0a": "0a~ann", "0a#2": "bob"}
    assert known.applied(log).roster == ("0a~ann", "bob")
    assert known.applied(log).shared == ()
    assert known.of(Match((duel,), id="0" * 40, names=names)) == {}
    plain = Match((Contest(Ruleset(), [["0a~bob"], ["cid"]], (1, 2)),), id="1" * 64)
    assert known.of(plain) == {"0a~bob": "bob"}
    assert Identities({}, {}).applied(plain) is plain
    assert known.person("0a", "Eve") == "0a~eve"


def test_of_two_connections_against_each_other_the_longer_one_counts() -> None:
    """With its side, its statistics, its party; a game that has one side then is left out."""
    duel = Contest(Ruleset(), [["0a", "x"], ["0a#2", "y"]], (1, 2))
    long = Contest(
        Ruleset(), [[("0a", 0.25), "x"], [("0a#2", 0.75), "y"], ["z"]], (1, 2, 3), scores=(9, 5, 1),
        statistics=[Statistics("0a", 1.0), Statistics("0a#2", 2.0), Statistics("z", 3.0)],
        parties=[("0a", "x"), ("0a#2", "y")], left=("0a", "z"),
    )  # fmt: skip
    alone = Contest(Ruleset(), [[("0a", 0.5)], [("0a#2", 0.25)]], (1, 2))
    match = Match((long, duel, alone), id="0" * 64, names=[("0a", "Ann"), ("0a#2", "Ann(1)")])
    first, second = Identities().applied(match).contests
    assert first.teams == ((("x", 1.0),), (("0a", 0.75), ("y", 1.0)), (("z", 1.0),))
    assert (first.ranks, first.scores) == ((1, 2, 3), (9, 5, 1))
    assert first.statistics == (Statistics("0a", 2.0), Statistics("z", 3.0))
    assert (first.parties, first.left) == ((("0a", "y"),), ("z",))
    assert second.teams == ((("0a", 1.0), ("x", 1.0)), (("y", 1.0),))
    gone = Contest(Ruleset(), [[("0a", 0.25)], [("0a#2", 0.75), "y"], ["z"]], (1, 2, 3), scores=(9, 5, 1))
    (kept,) = Identities().applied(replace(match, contests=(gone,))).contests
    assert (kept.teams, kept.ranks, kept.scores) == (
        ((("0a", 0.75), ("y", 1.0)), (("z", 1.0),)), (2, 3), (5, 1),
    )  # fmt: skip
    only = replace(match, contests=(alone,))
    assert Identities().applied(only).contests == (alone,)
