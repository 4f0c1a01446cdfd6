"""Levers: bots of all levels against a line worked out anew, and the best lever against all there are."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from equipoise import InputError, Rating
from equipoise.play import evening_events as ev
from equipoise.play.evening import Evening
from equipoise.play.evening_events import EveningLobby
from equipoise.play.evening_state import Phase
from equipoise.play.live.chat_answers import called, describe_advantage, describe_rank, percent
from equipoise.play.live.events import Announced
from equipoise.play.live.levers import LEVELS, BotSkills, Lever, RatingUnits, best_lever, bot_skills
from equipoise.play.live.session import Session
from equipoise.play.live.state import Policy

UNITS = RatingUnits(12.0, 3.0)


@pytest.mark.parametrize("seed", range(20))
def test_bots_are_worth_what_the_best_line_through_those_that_played_says(seed: int) -> None:
    """No other line is nearer, a point counting by how sure it is; a line that falls is not believed."""
    rng = np.random.default_rng(seed)
    points = [
        (float(rng.integers(1, 6)), Rating(float(rng.normal(30.0, 10.0)), float(rng.random() * 9.0)))
        for _ in range(int(rng.integers(2, 8)))
    ]
    mean = Rating(25.0, 4.0)
    skills = bot_skills(points, mean)

    def loss(at_zero: float, each: float) -> float:
        return sum(((at_zero + each * level - one.mu) / (one.sigma + 1.0)) ** 2 for level, one in points)

    assert skills.of(None) == mean
    if skills.line is None:
        assert skills.of(3.0) == mean
        assert (
            len({level for level, _ in points}) == 1
            or min(loss(at, each) for at in np.linspace(-200, 200, 81) for each in np.linspace(0.5, 40, 80))
            > min(loss(at, each) for at in np.linspace(-200, 300, 101) for each in np.linspace(-40, 0, 81))
            * 0.8
        )
        return
    at_zero, each = skills.line
    assert each > 0.0
    least = loss(at_zero, each)
    for by, more in itertools.product((-0.01, 0.0, 0.01), repeat=2):
        assert loss(at_zero + by, each + more) >= least - 1e-9
    assert skills.of(2.5) == Rating(at_zero + 2.5 * each, 4.0)


def test_one_level_alone_makes_no_line() -> None:
    """Nor does one that falls or is level."""
    mean = Rating(5.0)
    for points in (
        [],
        [(2.0, Rating(3.0))],
        [(2.0, Rating(3.0)), (2.0, Rating(9.0))],
        [(1.0, Rating(9.0)), (2.0, Rating(3.0))],
        [(1.0, Rating(3.0)), (2.0, Rating(3.0))],
    ):
        assert bot_skills(points, mean) == BotSkills(mean)
    assert bot_skills([(1.0, Rating(3.0)), (2.0, Rating(4.0))], mean).line == pytest.approx((2.0, 1.0))


def chances(people: list[list[Rating]], bots: Any, skills: BotSkills) -> list[float]:
    """Return each team's chance, by powers of strengths."""
    teams = [[*team, *(skills.of(level) for level in more)] for team, more in zip(people, bots, strict=True)]
    players = sum(map(len, teams))
    noise = math.sqrt(
        (sum(one.sigma**2 for team in teams for one in team) + UNITS.beta**2 * players) * 2.0 / len(teams)
    )
    power = [math.exp(1.702 * sum(one.mu - UNITS.zero for one in team) / noise) for team in teams]
    return [each / sum(power) for each in power]


def every(
    people: list[list[Rating]], bots: Any, most: int | None, levels: tuple[float, ...], more: bool
) -> list[Any]:
    """Return all that may be done, bots of each team after it."""
    found = []
    for team, mine in enumerate(bots):
        options = [
            (*mine[:n], level, *mine[n + 1 :])
            for n in range(len(mine))
            for level in levels
            if mine[n] != level
        ]
        if more:
            options += [mine[:-1]] if mine else []
            options += [(*mine, level) for level in levels or (None,)]
        found += [(*bots[:team], option, *bots[team + 1 :]) for option in options]
    sizes = [len(one) + len(other) for one, other in zip(people, bots, strict=True)]
    apart = max(1, max(sizes) - min(sizes))

    def fine(then: Any) -> bool:
        sized = [len(one) + len(other) for one, other in zip(people, then, strict=True)]
        room = most is None or sum(sized) <= max(most, sum(sizes))
        return room and min(sized) > 0 and max(sized) - min(sized) <= apart

    return [then for then in found if fine(then)]


@pytest.mark.parametrize("seed", range(60))
def test_the_lever_is_the_one_that_brings_a_game_nearest_to_even(seed: int) -> None:
    """Of all there are; doing nothing is kept unless one is worth it."""
    rng = np.random.default_rng(seed)
    n_teams = 2 + seed % 2
    people = [
        [Rating(float(rng.normal(30, 8)), float(rng.random() * 5)) for _ in range(rng.integers(0, 4))]
        for _ in range(n_teams)
    ]
    people[0].append(Rating(30.0))
    bots = tuple(
        tuple(float(rng.integers(1, 6)) for _ in range(rng.integers(1 if not people[n] else 0, 3)))
        for n in range(n_teams)
    )
    skills = (
        bot_skills([(1.0, Rating(10.0)), (5.0, Rating(50.0))], Rating(25.0, 2.0))
        if seed % 4
        else BotSkills(Rating(25.0, 2.0))
    )
    most = None if seed % 3 == 0 else sum(map(len, people)) + sum(map(len, bots)) + int(rng.integers(0, 2))
    more, worth = bool(seed % 5), (0.0, 0.02, 0.1)[seed % 3]
    lever = best_lever(people, bots, skills, UNITS, most=most, more=more, worth=worth)

    def off(then: Any) -> float:
        return max(abs(each - 1.0 / n_teams) for each in chances(people, then, skills))

    stay = off(bots)
    all_of_them = every(people, bots, most, LEVELS if skills.line else (), more)
    least = min([stay, *map(off, all_of_them)])
    assert lever.chances == pytest.approx(chances(people, lever.bots, skills))
    assert lever.imbalance == pytest.approx(off(lever.bots))
    if lever.words:
        assert lever.bots in all_of_them
        assert lever.imbalance == pytest.approx(least, abs=1e-8)
        assert stay - lever.imbalance >= worth - 1e-9
        (team,) = (n for n in range(n_teams) if lever.bots[n] != bots[n])
        by = len(lever.bots[team]) - len(bots[team])
        kind = {
            0: f"a bot of team {team + 1} has skill ",
            -1: f"a bot fewer for team {team + 1}",
            1: f"a bot more for team {team + 1}",
        }
        assert lever.words.startswith(kind[by])
    else:
        assert lever.bots == bots
        assert stay - least < worth + 1e-9


def test_a_lever_says_how_far_from_even_its_game_is() -> None:
    """The farthest of all teams."""
    assert Lever(((), ()), (0.4, 0.6)).imbalance == pytest.approx(0.1)
    assert Lever(((), (), ()), (0.5, 0.3, 0.2)).imbalance == pytest.approx(1 / 6)


def test_the_policy_is_as_documented_and_keeps_its_ranges() -> None:
    """Ends of ranges are in them where the message says so."""
    usual = Policy()
    assert (
        usual.stay,
        usual.worth,
        usual.volunteer_seconds,
        usual.last_seconds,
        usual.grace_seconds,
        usual.retry_seconds,
        usual.target,
    ) == (0.01, 0.15, 20.0, 120.0, 15.0, 4.0, 0)
    for name, fine, wrong in (
        ("target", (0, 999_999), (-1, 1_000_000)),
        ("volunteer_seconds", (0.0,), (-1.0, 1e6)),
        ("last_seconds", (0.0,), (-1.0, 1e6)),
        ("grace_seconds", (0.0,), (-1.0, 1e6)),
        ("stay", (0.0, 1.0), (-0.1, 1.1)),
        ("worth", (0.0, 0.5), (-0.1, 0.6)),
        ("retry_seconds", (0.1, 9e5), (0.0, 1e6)),
        ("level", (1.0, 5.0, None), (0.9, 5.1)),
    ):
        for value in fine:
            assert getattr(Policy(**{name: value}), name) == value  # type: ignore[arg-type]
        for value in wrong:
            with pytest.raises(InputError, match=rf"^{name} must be "):
                Policy(**{name: value})  # type: ignore[arg-type]


def test_what_everybody_may_see_of_a_game_has_no_names() -> None:
    """Sizes, bots, chances and advantages; of a game without teams no chances."""
    session = Session(Policy(target=4))
    session.handle(Announced("dm1", teams=2), 1.0)
    public = session.as_public("home")
    assert (public["server"], public["map"]) == ("home", "dm1")
    assert [(team["players"], team["chance"], team["advantage"]) for team in public["teams"]] == [
        (0, 0.5, 1.0)
    ] * 2
    session.handle(Announced("dm1", teams=1), 2.0)
    assert [(team["bots"], team["chance"]) for team in session.as_public("home")["teams"]] == [(0, None)]


def test_answers_in_the_chat_are_short() -> None:
    """Four colours, whole per cents, and only teams that are owed something."""
    assert [called(team) for team in (0, 3, 4)] == ["Red", "Gold", "team 5"]
    assert percent((0.484, 0.516)) == "48 to 52"
    assert describe_advantage((1.0, 1.084, 0.9)) == "Blue 1.08"
    state: Any = SimpleNamespace(known=SimpleNamespace(ranks={"ann": (3, 40, 61.6)}))
    assert describe_rank(state, SimpleNamespace(id="ann#2")) == "You are 3 of 40 with 616 points."  # type: ignore[arg-type]
    assert describe_rank(state, SimpleNamespace(id="bob")).startswith("You are new here")  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [(), (0.625, 0.375)])
def test_chances_of_a_pickup_are_those_that_were_worked_out(given: tuple[float, ...]) -> None:
    """Even ones where nobody says."""
    lobbies = Evening([EveningLobby("duel", 2, 1)])
    for who in ("a", "b"):
        lobbies.handle(ev.Add(who, "duel"), 1.0)
    for who in ("a", "b"):
        lobbies.handle(ev.Ready(who), 2.0)
    game = lobbies.game_of("a")
    assert game is not None
    assert game.phase is Phase.DIVIDING
    lobbies.handle(ev.Divided(game.id, (("a",), ("b",)), given), 3.0)
    assert game.chances == (given or (0.5, 0.5))
