"""One person with several ids: shares, parties and names of a match under other ids."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise import Contest, Match, Ruleset
from equipoise.core.match import Statistics
from equipoise.identity.merges import (
    anonymous,
    everyone,
    opposed,
    renamed,
    stand_in,
    tombstone,
    without_number,
)

shares = st.sampled_from([0.1, 0.25, 0.5, 0.75, 1.0])


@given(st.tuples(shares, shares, shares))
def test_nobody_plays_more_than_the_whole_game(each: tuple[float, float, float]) -> None:
    """The share of one who was there under three ids is their sum, and never above 1, in any order."""
    ids = {"b": "a", "c": "a"}
    for order in ("abc", "cab", "bca"):
        team = [(name, dict(zip("abc", each, strict=True))[name]) for name in order]
        match = Match((Contest(Ruleset(), (team, ["other"]), (1, 2)),))
        (merged,), (rest,) = renamed(match, ids).contests[0].teams
        assert merged == ("a", pytest.approx(min(sum(each), 1.0)))
        assert rest == ("other", 1.0)


def in_words(contest: Contest, ids: dict[str, str]) -> Contest | None:
    """Return a contest as the documents say it counts under other ids; None where two meet who are one."""

    def of(player: str) -> str:
        return ids.get(player, player)

    people = [[of(player) for player, _ in team] for team in contest.teams]
    if any(set(one) & set(other) for n, one in enumerate(people) for other in people[:n]):
        return None
    teams = []
    for team in contest.teams:
        order = list(dict.fromkeys(of(player) for player, _ in team))
        teams.append(
            [(who, min(1.0, sum(share for player, share in team if of(player) == who))) for who in order]
        )
    figures = []
    for who in dict.fromkeys(of(each.player) for each in contest.statistics):
        mine = [each for each in contest.statistics if of(each.player) == who]
        sums = []
        for field in ("kills", "deaths", "score"):
            known = [getattr(each, field) for each in mine if getattr(each, field) is not None]
            sums.append(sum(known) if known else None)
        figures.append(Statistics(who, *sums))
    parties: list[list[str]] = []
    for party in contest.parties:
        before = {who for each in parties for who in each}
        parties.append([who for who in dict.fromkeys(map(of, party)) if who not in before])
    return replace(
        contest,
        teams=tuple(map(tuple, teams)),
        statistics=tuple(figures),
        parties=tuple(tuple(party) for party in parties if len(party) > 1),
        left=tuple(dict.fromkeys(map(of, contest.left))),
    )


def drawn(rng: np.random.Generator) -> Match:
    """Return a match of two contests with everything a contest may have."""
    contests = []
    for at in (60.0, 120.0):
        order = rng.permutation(list("abcdefgh")).tolist()
        teams = [order[:3], order[3:6], order[6:]]
        shared = [[(player, float(rng.choice([0.25, 0.5, 1.0]))) for player in team] for team in teams]
        known = [None, 0.0, 1.0, 2.5]
        figures = [
            Statistics(player, *(known[rng.integers(4)] for _ in range(3)))
            for player in order
            if rng.random() < 0.7
        ]
        contests.append(Contest(
            Ruleset("g"), shared, (1, 2, 3), 1.0, at, (3, 2, 1), figures,
            [teams[0][:2], teams[1]] if rng.random() < 0.8 else [], rng.permutation(order)[:3].tolist(),
        ))  # fmt: skip
    names = [(player, player.upper()) for player in "abdf"]
    return Match(contests, 0.0, 120.0, "one", names=names, picks=[("a", "b"), ("c", "d")], map="m")


@pytest.mark.parametrize("seed", range(40))
def test_a_match_counts_as_if_it_had_been_played_under_one_id(seed: int) -> None:
    """Shares and statistics are added up, nobody is in two parties; who met stay apart there."""
    rng = np.random.default_rng(seed)
    match = drawn(rng)
    before = [str(one) for one in rng.permutation(list("abcdefgh"))[:3]]
    ids = dict(zip(before, ("x", "x", "a" if "a" not in before else "y"), strict=True))
    found = renamed(match, ids)
    for contest, kept in zip(match.contests, found.contests, strict=True):
        wanted = in_words(contest, ids)
        assert kept == (contest if wanted is None else wanted)
        assert opposed(contest, ids) is (wanted is None)
    assert found.roster == tuple(dict.fromkeys(ids.get(one, one) for one in match.roster))
    assert found.names == tuple((ids.get(one, one), name) for one, name in match.names)
    assert found.picks == tuple((ids.get(one, one), ids.get(other, other)) for one, other in match.picks)
    assert (found.id, found.ended, found.map) == (match.id, match.ended, match.map)
    without = anonymous(match, ids)
    assert without == replace(found, names=tuple((one, name) for one, name in match.names if one not in ids))


def test_who_is_in_no_match_changes_none() -> None:
    """Not even a copy is made; whoever is there, in whatever place, counts."""
    duel = Contest(Ruleset(), (["a"], ["b"]), (1, 2))
    match = Match((duel,), roster=("a", "b", "watching"), names=[("named", "N"), ("a", "A")])
    assert renamed(match, {"x": "y"}) is match
    assert everyone(match) == {"a", "b", "watching", "named"}
    assert renamed(match, {"watching": "z"}).roster == ("a", "b", "z")
    assert renamed(match, {"named": "z"}).names == (("z", "N"), ("a", "A"))


@pytest.mark.parametrize(
    ("player", "first"),
    [
        ("x#2", "x"),
        ("x#9", "x"),
        ("x#10", "x"),
        ("x#999", "x"),
        ("x#1", "x#1"),
        ("x#0", "x#0"),
        ("x#1000", "x#1000"),
        ("x#2#3", "x#2"),
        ("#2", "#2"),
        ("x#", "x#"),
        ("x", "x"),
        ("a\nb#2", "a\nb"),
    ],
)
def test_a_second_client_is_reported_by_its_number(player: str, first: str) -> None:
    """From 2 to 999; other numbers belong to names of people."""
    assert without_number(player) == first


def test_a_stand_in_tells_nobody_who_it_was() -> None:
    """Another salt gives another one; it has 16 digits of a keyed hash."""
    stone = tombstone(b"salt", "ann")
    assert stone == hmac.new(b"salt", b"ann", hashlib.sha256).digest() != tombstone(b"other", "ann")
    assert stand_in(stone) == "anonymous:" + stone.hex()[:16]
    assert tombstone(b"salt", "\ud800") != stone
