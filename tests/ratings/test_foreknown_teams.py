"""Teams made by who knew skills beforehand are told from those that results or chance could make."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from equipoise.core.arrays import Floats
from equipoise.ratings.foreknown_teams import chance_of_first_line_ups
from equipoise.ratings.skill_posterior import FOREKNOWN

PEOPLE, SIDE = 20, 4

HALVES = np.array(
    [[1.0 if n in half else -1.0 for n in range(2 * SIDE)] for half in itertools.combinations(range(8), SIDE)]
)

#: Chooses the first team of some people by their skills, what results say of these, and randomness.
Maker = Callable[[Floats, Floats, np.random.Generator], int]


def by_chance(_skills: Floats, _results: Floats, rng: np.random.Generator) -> int:
    """Return any."""
    return int(rng.integers(len(HALVES)))


def by_skill(skills: Floats, _results: Floats, _rng: np.random.Generator) -> int:
    """Return the most even one."""
    return int(np.abs(HALVES @ skills).argmin())


def by_results(_skills: Floats, results: Floats, _rng: np.random.Generator) -> int:
    """Return the most even one by what was known before."""
    return int(np.abs(HALVES @ results).argmin())


def line_ups(make: Maker, games: int, seed: int, together: bool = False) -> Floats:
    """Return line-ups of four against four, of twenty people; two of them may always be in one team."""
    rng = np.random.default_rng(seed)
    skills = rng.normal(size=PEOPLE)
    information, pulled, rows = np.eye(PEOPLE), np.zeros(PEOPLE), np.zeros((games, PEOPLE))
    for row in rows:
        who = rng.permutation(PEOPLE)[: 2 * SIDE]
        if together:
            who = np.concatenate([[0, 1], who[who > 1][: 2 * SIDE - 2]])
        signs = HALVES[make(skills[who], np.linalg.solve(information, pulled)[who], rng)]
        while together and signs[0] != signs[1]:
            signs = HALVES[make(skills[who], skills[who], rng)]
        row[who] = signs / np.sqrt(2 * SIDE)
        information += np.outer(row, row)
        pulled += row * (row @ skills + rng.normal())
    return rows


def chance(rows: Floats) -> float:
    """Return it with randomness of its own."""
    return chance_of_first_line_ups(rows, np.random.default_rng(0))


@pytest.mark.parametrize("games", [80, 300])
def test_teams_even_by_skill_that_no_result_shows_are_told_from_others(games: int) -> None:
    """From the first game on they are as even as the later ones: chance makes no such line-ups."""
    assert all(chance(line_ups(by_skill, games, seed)) < FOREKNOWN for seed in range(5))
    for make in (by_chance, by_results):
        assert all(chance(line_ups(make, games, seed)) > FOREKNOWN for seed in range(10))


def test_a_pair_that_is_always_together_makes_no_team_suspicious() -> None:
    """Line-ups are even by the difference of the two, whoever makes them."""
    assert all(chance(line_ups(by_chance, 80, seed, together=True)) > 0.01 for seed in range(10))


def test_teams_that_stay_together_are_made_by_nobody() -> None:
    """A league of eight teams, each of which gives one player to the next after two thirds of the season."""
    rng, rows = np.random.default_rng(4), np.zeros((120, 32))
    teams = np.arange(32).reshape(8, 4)
    for n, row in enumerate(rows):
        if n == 80:
            teams[:, 0] = np.roll(teams[:, 0], 1)
        one, other = rng.permutation(8)[:2]
        row[teams[one]], row[teams[other]] = 0.35, -0.35
    assert chance(rows) == 1.0


def test_where_line_ups_cannot_differ_or_repeat_nothing_is_found() -> None:
    """Duels, the same teams again and again, and a first game alone."""
    rng = np.random.default_rng(1)
    duels = np.zeros((60, 6))
    for row in duels:
        row[rng.permutation(6)[:2]] = 0.7, -0.7
    assert chance(duels) == 1.0
    assert chance(np.tile(line_ups(by_skill, 1, 0), (40, 1))) == 1.0
    assert chance(line_ups(by_skill, 1, 0)) == 1.0


def test_rounds_of_one_game_count_once() -> None:
    """A game of eight rounds with the same teams is one line-up."""
    rows = line_ups(by_chance, 80, 3)
    assert chance(np.repeat(rows, 8, axis=0)) == chance(rows)
