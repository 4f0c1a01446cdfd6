"""A plan that is called optimal is: all are gone through from a bad start, without the search before it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement

import numpy as np
import pytest
from tests.play.test_round_plan import NAMES, rated

from equipoise.core.player import Player
from equipoise.core.stopping import never
from equipoise.play import round_plan
from equipoise.play.evening_events import Setup
from equipoise.play.ledger import LedgerGame
from equipoise.play.round_plan import MEETING, Rounds, planned

#: Players, the size of a team (all where None), rounds, and who came together.
EVENINGS = [
    (4, None, 4, ()), (5, 2, 2, ()), (6, None, 3, ()), (6, 2, 2, ()), (5, 2, 3, (("p00", "p01"),)),
    (3, 1, 4, ()), (5, None, 3, ()), (7, None, 2, ()),
]  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n", "size", "number", "duos"), EVENINGS)
def test_no_plan_is_better_than_the_one_called_optimal(
    n: int,
    size: int | None,
    number: int,
    duos: tuple[tuple[str, str], ...],
    seed: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Against all plans, each by its value; none is below the bound, whatever is known of the rounds."""
    games = [LedgerGame((("p00",), ("p01",)), (0.5, 0.5), (1, 2), ("p02",))] if seed % 2 else []
    setup = Setup(NAMES[:n], size=size, duos=duos, prefer=(("p00", "p02"),) if seed > 1 else ())
    rounds = Rounds(games, setup, rated(seed), number)
    plans = combinations_with_replacement(range(len(rounds.labels)), number)
    values = [rounds.value(each) for each in plans]
    best, worst = (
        min(values),
        int(np.argmax([rounds.value([row] * number) for row in range(len(rounds.labels))])),
    )
    assert rounds.bound() <= best + 1e-12
    found, finished = round_plan._all(rounds, [worst] * number, never)
    assert finished
    assert rounds.value(found) == pytest.approx(best, abs=1e-9)
    monkeypatch.setattr(round_plan, "_shaken", lambda *_: [worst] * number)
    plan = planned(rounds)
    assert plan.optimal
    assert plan.value == pytest.approx(best, abs=1e-9)
    rounds.complete = False
    assert rounds.bound() <= best + 1e-12
    # Without looking at rounds: team mates that meet one game at a time, each time the pair that met least.
    met = [0] * len(rounds.pairs)
    for _ in range(number * int(rounds.together.sum(axis=1).min())):
        met[met.index(min(met))] += 1
    assert rounds.bound() == pytest.approx(MEETING * sum(times * (times - 1) / 2 for times in met))
    # What is not gone through is called optimal only where the bound is reached.
    plan = planned(rounds)
    assert plan.optimal == (plan.value <= rounds.bound() + round_plan.EQUAL)
    assert plan.bound <= best + 1e-12


@pytest.mark.parametrize("number", [1, 2, 3, 5])
def test_the_bound_is_reached_where_players_are_alike_and_few(number: int) -> None:
    """Four equals meet in turn: their repeats are the fewest there can be, as the bound says by itself."""

    def alike(ids: Sequence[str]) -> tuple[list[Player], dict[str, float]]:
        return [Player(each, 25.0) for each in ids], {"beta": 5.0}

    rounds = Rounds([], Setup(NAMES[:4]), alike, number)
    assert planned(rounds).value == pytest.approx(rounds.bound(), abs=1e-9)
