"""The benchmarks of attacks and kills, played for a moment: what they promise, but for times."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.service import attacks, busy, crowds, posting, queue_kills, result_kills

from equipoise.service.admission import HELD

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("at", [1, 2, 4, 6, 10], ids=lambda at: attacks.ATTACKS[at].name)
def test_an_attacked_server_answers_everyone_and_ends_in_order(at: int, tmp_path: Path) -> None:
    """A healthy client has its answers and its division, nothing is refused, and the exit code is 0."""
    url = f"sqlite:///{tmp_path}/games.db"
    attacks.make(url, 20, 40)
    row = attacks.endure(url, attacks.ATTACKS[at], 1, 0.1)
    assert row["code"] == 0
    assert row["asked"] > 0
    results = {
        "machine": "",
        "python": "",
        "cores": 1,
        "load": 0.0,
        "times": 1,
        "seconds": 0.1,
        "grace": 1.0,
        "first": 0,
    }
    assert row["name"] in attacks.report({**results, "rows": [row]})


def test_kills_lose_double_and_forget_nothing() -> None:
    """After each the weights are those of a rebuild, without any new event."""
    results = result_kills.measure(5)
    assert results["kept"] >= 5
    assert "5 times" in result_kills.report(results)


def test_a_busy_server_answers_lookups_and_sees_every_result() -> None:
    """Beside an ingest, results and divisions."""
    results = busy.play(1, 0.2, 40, 20)
    assert len(results["acknowledged"]) == 2 * len(results["seen"]) == 2 * busy.RESULTS
    assert [row["rounds"][0]["asked"] > 0 for row in results["rows"]] == [True] * 4
    assert "an ingest by another process" in busy.report(results)


@pytest.mark.parametrize("at", range(len(crowds.CROWDS)), ids=lambda at: crowds.CROWDS[at].name)
def test_beside_a_crowd_a_newcomer_is_connected_and_answered(at: int, tmp_path: Path) -> None:
    """Over both protocols, though two addresses ask for every place there is."""
    url = f"sqlite:///{tmp_path}/games.db"
    attacks.make(url, 800)
    row = crowds.endure(url, crowds.CROWDS[at], 1, 0.1)
    assert row["first"] > 0.0
    empty = {"machine": "", "python": "", "cores": 1, "load": 0.0, "times": 1, "seconds": 0.1, "rates": []}
    assert row["name"] in crowds.report({**empty, "rows": [row]})


@pytest.mark.parametrize("protocol", crowds.QUESTIONS)
def test_who_asks_again_at_once_is_held_back_and_others_are_answered(protocol: str, tmp_path: Path) -> None:
    """Each is refused once in so many seconds at most, however many there are beyond the places."""
    url = f"sqlite:///{tmp_path}/games.db"
    attacks.make(url, 800)
    row = crowds.throughput(url, protocol, (100,), 1, 0.5)["clients"]["100"]
    assert row["given"] > 0.0
    assert row["refused"] <= 100 * (1 / HELD + 1 / 0.5)


def test_what_a_division_costs_is_measured_over_both_protocols() -> None:
    """For one core and for all, beside the library and a constant answer."""
    results = posting.measure(1, {10: 16})
    assert [row["protocol"] for row in results["rows"]] == ["http", "weights"]
    assert all(row["one"] > 0.0 < row["all"] for row in results["rows"])
    assert "| http | 10 |" in posting.report(results)


def test_a_queue_whose_owner_is_killed_loses_nothing() -> None:
    """No acknowledged ticket, no seat, no waiting time, nothing in the outbox; the judge says so."""
    results = queue_kills.measure(5)
    assert results["kills"] == 5
    assert results["acknowledged"] > 0
    assert "5 times" in queue_kills.report(results)
