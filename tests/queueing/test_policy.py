"""A policy: its file form, its checks, and what it says of itself."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from tests.queueing.strategies import policies

from equipoise import InputError, Player
from equipoise.queueing import QueuePolicy, QueueTicket, policy_in_words, tick


@given(policies())
def test_the_file_form_gives_the_policy_back(policy: QueuePolicy) -> None:
    """To data, through JSON and back it is the same, and the schema knows the form."""
    data = json.loads(json.dumps(policy.to_dict()))
    assert QueuePolicy.from_dict(data) == policy
    jsonschema.validate(data, QueuePolicy.schema())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"team_sizes": 5}, "policy: there is no field 'team_sizes' .did you mean 'team_size'"),
        ({"team_size": 2.5}, "policy: team_size: 2.5 is not a whole number"),
        ({"team_size": "x"}, "policy: team_size: 'x' is text, not a number"),
        ({"teams": 1}, "policy: teams must be from 2 to 60, got 1"),
        ({"teams": 60, "team_size": 50}, "team_size must give a match of at most 200 players, got 60 x 50"),
        ({"imbalance": 0.3}, "imbalance must be at most most_imbalance, 0.2, got 0.3"),
        ({"latency": 300}, "latency must be at most most_latency, 150, got 300"),
        ({"roles": {"tank": 1}}, "roles must have as many players as a team, 5, got 1"),
        ({"roles": {"tank": 0, "any": 5}}, "roles must have at least 1 player each"),
        ({"penalties": [30, 10]}, "penalties must be one or more numbers from 0 to 86400 that do not fall"),
        ({"penalties": [1e9]}, "penalties must be one or more numbers from 0 to 86400"),
        ({"penalties": "x"}, "penalties: .* is not a list of numbers"),
        ({"maps": ["a", "a"]}, "maps must be at most 60 names that differ"),
        ({"longest_wait": -1}, "longest_wait must be from 0 to 86400, got -1"),
        ([], "policy: '\\[\\]' is not an object"),
    ],
)
def test_what_is_no_policy_is_refused(data: Any, message: str) -> None:
    """The message begins with the place and says what is allowed."""
    with pytest.raises(InputError, match=message):
        QueuePolicy.from_dict(data)


def test_the_promise_is_said_in_words() -> None:
    """Somebody who reads it knows the bound, the floor, and what a declined match costs."""
    words = "\n".join(policy_in_words(QueuePolicy(longest_wait=90.0, most_imbalance=0.15, party_gap=1)))
    for said in (
        "has waited 90 s",
        "less even than 65:35",
        "at most 1 player",
        "0, 60, 300, 900 s",
        "10 players",
    ):
        assert said in words


def test_a_policy_that_cannot_mean_it_is_warned_of() -> None:
    """What starves the tails until the longest wait is said."""
    assert "Warning: the tolerance does not grow" in "\n".join(
        policy_in_words(QueuePolicy(tolerance=10.0, tolerance_growth=0.0))
    )
    assert not any(line.startswith("Warning") for line in policy_in_words(QueuePolicy()))


@pytest.mark.parametrize("team_size", [1, 2, 3, 5, 6])
@pytest.mark.parametrize("most_imbalance", [0.0, 0.2])
def test_what_can_never_be_matched_is_said(team_size: int, most_imbalance: float) -> None:
    """Of parties of one size and of totals that differ it is said if and only if no tick matches them."""
    policy = QueuePolicy(team_size=team_size, imbalance=0.0, most_imbalance=most_imbalance)
    words = "\n".join(policy_in_words(policy))
    said = re.search(rf"fill a team of {team_size} if they are of ([^;]*);", words)
    sizes = re.split(", | or ", said[1]) if said else map(str, range(1, team_size + 1))
    now = policy.longest_wait + 1.0

    def plays(size: int, step: float) -> bool:
        queue = [
            QueueTicket(f"{n}", [Player(f"{n}-{m}", 1500.0 + step * (n == 0)) for m in range(size)], 0.0)
            for n in range(2 * team_size)
        ]
        return bool(tick(queue, now, policy).matches)

    assert [str(size) for size in range(1, team_size + 1) if plays(size, 0.0)] == list(sizes)
    assert f"at most {team_size} player" in words
    queue_of_two_totals = [
        QueueTicket(f"{n}", [Player(f"{n}-{m}", 1500.0 + n) for m in range(team_size)], 0.0) for n in range(2)
    ]
    assert bool(tick(queue_of_two_totals, now, policy).matches) is ("never play." not in words)


def test_nothing_that_does_not_grow_from_nothing_is_left_unsaid() -> None:
    """Equal ratings alone, and regions at no distance."""
    words = "\n".join(
        policy_in_words(QueuePolicy(tolerance=0.0, tolerance_growth=0.0, latency=0.0, most_latency=0.0))
    )
    assert "only exactly equal ratings meet before the longest wait" in words
    assert "only in those at 0 ms" in words
