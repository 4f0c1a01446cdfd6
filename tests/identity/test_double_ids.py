"""Pairs of ids that may be one person: never on at once, and the odds follow what is measured."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.player import Rating
from equipoise.identity.double_ids import (
    FEATURES,
    Attendance,
    DoubleId,
    competing,
    double_ids,
    measured,
)

NOBODY = Rating(0.0, 1.0)


def evening(number: int, people: Iterable[tuple[str, str]], at: float | None = None) -> Match:
    """Return a game of people with ids and names."""
    there = list(people)
    half = len(there) // 2
    teams = tuple(tuple((each, 1.0) for each, _ in side) for side in (there[:half], there[half:]))
    ended = 86_400.0 * number if at is None else at
    return Match(
        (Contest(Ruleset("g", "t"), teams, (1, 2), at=ended),), ended=ended, id=f"m{number}", names=there
    )


def crowd(seed: int, second: str, *, together: bool = False) -> list[Match]:
    """Return 60 evenings of ten people, one of whom comes as another id, ``zz``, from the 30th on."""
    rng = np.random.default_rng(seed)
    games = []
    for number in range(60):
        there = [(f"p{n}", f"Person {chr(65 + n) * 3}") for n in range(10) if rng.random() < 0.7]
        mine = ("zz", second) if number >= 30 else ("aa", "Gordon")
        games.append(evening(number, [*there, mine]))
    if together:
        games.append(evening(61, [("aa", "Gordon"), ("zz", second), ("p1", "x"), ("p2", "y")]))
    return games


def found(games: list[Match], one: str, other: str) -> DoubleId | None:
    """Return what is said of a pair."""
    ratings = {player: NOBODY for game in games for player, _ in game.names}
    pairs = double_ids(games, ratings, 0.0)
    return next((each for each in pairs if {each.first, each.second} == {one, other}), None)


def test_a_person_who_changed_the_id_is_the_first_pair() -> None:
    """Name and times speak for it."""
    games = crowd(1, "[UT] gordon")
    ratings = {player: NOBODY for game in games for player, _ in game.names}
    first, *others = double_ids(games, ratings, 0.0)
    assert {first.first, first.second} == {"aa", "zz"}
    assert first.relay
    assert first.probability > 0.5 > max((each.probability for each in others), default=0.0)


def test_who_was_in_one_match_is_two_people() -> None:
    """However alike they are, and even if it was once."""
    assert found(crowd(1, "Gordon", together=True), "aa", "zz") is None


@pytest.mark.parametrize("seed", range(3))
def test_a_name_alike_says_more_than_another_and_the_same_more_still(seed: int) -> None:
    """All else being equal."""
    said = [found(crowd(seed, name), "aa", "zz") for name in ("Gordon", "Gordonn", "Xylia")]
    chances = [each.probability for each in said if each is not None]
    assert len(chances) == 3
    assert chances == sorted(chances, reverse=True)


def test_a_name_that_many_bear_says_little() -> None:
    """Everybody is called Player somewhere."""
    rare = found(crowd(1, "Gordon"), "aa", "zz")
    games = crowd(1, "Gordon")
    games += [evening(70 + n, [(f"q{k}", "Gordon") for k in range(6)]) for n in range(3)]
    common = found(games, "aa", "zz")
    assert rare is not None
    assert common is not None
    assert common.probability < rare.probability / 2


def test_skill_that_is_far_apart_speaks_against_it() -> None:
    """Of the same pair under other ratings."""
    games = crowd(1, "Gordon")
    ratings = {player: NOBODY for game in games for player, _ in game.names}
    near, far = (double_ids(games, {**ratings, "zz": Rating(skill, 1.0)}, 0.0)[0] for skill in (0.0, 6.0))
    assert far.skill > near.skill
    assert far.probability < near.probability


def test_what_is_measured_is_what_a_slow_count_gives() -> None:
    """Matches expected together: by slots of the week, within the time when both are known."""
    rng = np.random.default_rng(5)
    games = [
        evening(n, [(f"p{k}", f"n{k}") for k in rng.permutation(9)[:5]], at=7 * 3600.0 * n) for n in range(50)
    ]
    attendance = Attendance.of(games)
    ratings = dict.fromkeys(attendance.ids, NOBODY)
    pairs = measured(attendance, ratings)
    there = {player: [n for n, game in enumerate(games) if player in dict(game.names)] for player in ratings}
    keys = set()
    for one, other, features in zip(pairs.one, pairs.other, pairs.features, strict=True):
        a, b = there[attendance.ids[one]], there[attendance.ids[other]]
        keys.add((attendance.ids[one], attendance.ids[other]))
        assert not set(a) & set(b)
        slot = [int(game.ended // (4 * 3600)) % 42 for game in games]  # type: ignore[operator]
        common = sum(
            sum(slot[n] == s for n in a) * sum(slot[n] == s for n in b) / slot.count(s) for s in set(slot)
        )
        overlap = max(min(a[-1], b[-1]) - max(a[0], b[0]) + 1, 0)
        expected = common * 50 * overlap / ((a[-1] - a[0] + 1) * (b[-1] - b[0] + 1))
        values = dict(zip(FEATURES, features, strict=True))
        assert np.expm1(values["expected together"]) == pytest.approx(expected, rel=1e-5)
        assert (values["apart in time"] == 1.0) == (overlap == 0)
    never = {
        tuple(sorted((a, b))) for a in there for b in there if a < b and not set(there[a]) & set(there[b])
    }
    assert {tuple(sorted(key)) for key in keys} == never


def test_odds_compete_as_all_ways_to_pair_them_do() -> None:
    """An oracle: of pairs with a common id the chance is that of each by its odds, or of none."""
    one, other = np.array([0, 0]), np.array([1, 2])
    odds = np.array([3.0, 0.5])
    chances = 1.0 / (1.0 + np.exp(-competing(one, other, odds, 3)))
    assert chances == pytest.approx(odds / (1.0 + odds.sum()))


def test_bots_the_forgotten_and_those_who_came_twice_are_not_listed() -> None:
    """Nothing can be said of them."""
    games = [
        evening(n, [("bot:Xan:3", "Xan"), ("anonymous:1", "x"), (f"once{n // 2}", "Ann"), ("p", "Bob")])
        for n in range(12)
    ]
    assert Attendance.of(games).ids == ("p",)


def test_how_many_are_left_out_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more than can be compared those seen last are, and who came seldom is not counted."""
    monkeypatch.setattr("equipoise.identity.double_ids.MOST", 4)
    games = crowd(1, "Gordon")
    assert Attendance.of(games).left_out == 12 - 4
    assert Attendance.of([evening(0, [("once", "Once"), ("ever", "Ever")]), *games]).left_out == 12 - 4
