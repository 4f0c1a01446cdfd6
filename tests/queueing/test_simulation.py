"""A simulated queue: from a seed, counted right, and refused where it makes no sense."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from equipoise import InputError
from equipoise.queueing import Population, QueuePolicy, simulate_queue, tick
from equipoise.queueing.simulation import arrivals


@pytest.mark.slow
def test_the_same_seed_gives_the_same_figures_and_progress_ends_at_one() -> None:
    """What comes out depends on the arguments alone."""
    shares: list[float] = []
    first, second = (
        simulate_queue(
            QueuePolicy(), np.random.default_rng(4), rates=(2.0,), seconds=120, progress=shares.append
        )
        for _ in range(2)
    )
    assert first.as_dict() == second.as_dict()
    assert shares[-1] == 1.0


def test_every_ticket_is_placed_or_left() -> None:
    """Without a warm-up all who came are counted, once."""
    policy, population = QueuePolicy(team_size=2), Population(parties=(0.7, 0.3))
    rng = np.random.default_rng(5)
    figures = simulate_queue(policy, rng, rates=(1.0, 3.0), seconds=200, warm_up=0, population=population)
    came, _ = arrivals(np.random.default_rng(5), (1.0, 3.0), 200.0, population, policy)
    assert len(figures.waits) + figures.left == len(came)
    halves = [sum(ticket.since < 100 for ticket in came), sum(ticket.since >= 100 for ticket in came)]
    assert halves[1] > 2 * halves[0]


@pytest.mark.parametrize("kind", ["band", "size"])
def test_bands_and_sizes_are_parts_of_the_whole(kind: str) -> None:
    """Means of them, counted by their tickets, are those over all tickets, each with its own match."""
    policy, population = QueuePolicy(team_size=3), Population(parties=(0.5, 0.3, 0.2))
    rng = np.random.default_rng(8)
    found = simulate_queue(policy, rng, rates=(2.0,), seconds=120, warm_up=20, population=population)
    plain, off = found.as_dict(), (found.ratings - 1500.0) / 250.0
    parts = found.sizes if kind == "size" else np.searchsorted((-2, -1, 0, 1, 2), off)
    groups = [each for each in plain[f"wait_by_{kind}"] if plain[f"wait_by_{kind}"][each] is not None]
    counts = [int((parts == part).sum()) for part in np.unique(parts)]
    tickets = np.bincount(found.places, minlength=len(found.spreads))
    for what, by_match in (("imbalance", found.imbalances), ("spread", found.spreads)):
        means = [plain[f"{what}_by_{kind}"][each] for each in groups]
        assert np.average(means, weights=counts) == pytest.approx(np.average(by_match, weights=tickets))
    players = np.zeros(len(found.spreads))
    np.add.at(players, found.places, found.sizes)
    assert set(players) == {6.0}


def test_the_bound_of_waiting_is_kept_where_a_match_is_always_legal() -> None:
    """In duels without a floor at one a second, nobody waits above the bound and the time for a partner."""
    policy = QueuePolicy(team_size=1, longest_wait=20.0, most_imbalance=0.49)
    figures = simulate_queue(
        policy, np.random.default_rng(6), rates=(1.0,), seconds=600, population=Population(parties=(1.0,))
    )
    assert figures.oldest <= 20.0 + 10.0
    rare = simulate_queue(
        QueuePolicy(team_size=1, longest_wait=2000.0, tolerance_growth=0.0),
        np.random.default_rng(6), rates=(1.0,), seconds=600, population=Population(parties=(1.0,)),
    )  # fmt: skip
    assert rare.oldest > 100.0


@pytest.mark.slow
def test_matches_are_judged_by_the_skill_that_ratings_estimate() -> None:
    """Of uncertain ratings even teams are less even than they look."""
    seen, hidden = (
        simulate_queue(
            QueuePolicy(),
            np.random.default_rng(7),
            rates=(5.0,),
            seconds=200,
            population=Population(sigma=sigma),
        ).imbalances.mean()
        for sigma in (0.0, 100.0)
    )
    assert hidden > 3 * seen


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"rates": ()}, "rates must be one or more numbers of at least 0"),
        ({"rates": (-1.0,)}, "rates must be one or more numbers"),
        ({"rates": (1e6,)}, "rates: they give more than 5000000 tickets"),
        ({"seconds": -400.0}, "seconds must be above 0"),
    ],
)
def test_what_cannot_be_simulated_is_refused(fields: dict[str, Any], message: str) -> None:
    """The message begins with the argument."""
    with pytest.raises(InputError, match=message):
        simulate_queue(QueuePolicy(), np.random.default_rng(1), search=tick, **fields)


def test_shares_of_parties_add_up_to_one() -> None:
    """Who comes in which party is all there is."""
    with pytest.raises(InputError, match=r"parties must be shares that add up to 1, got 0\.5"):
        Population(parties=(0.5,))
