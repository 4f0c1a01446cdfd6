"""For how many players maps are best: what their games' scores say, and what they do not."""

from __future__ import annotations

import pytest

from equipoise import Contest, Match, Ruleset
from equipoise.service.live_server import LEAST, map_ranges


def games(size: float, losers: list[float], *, best: float = 20.0, name: str = "dm") -> list[Match]:
    """Return games of so many players a team; the last of them is there for a part where there is one."""
    whole, part = int(size), size - int(size)
    teams = [
        [(f"{side}{n}", 1.0) for n in range(whole)] + ([(f"{side}x", part)] if part else []) for side in "ab"
    ]
    return [
        Match([Contest(Ruleset("g"), teams, (0, 1), scores=(best, loser), at=float(n))], map=name)
        for n, loser in enumerate(losers)
    ]


EVEN, UNEVEN, BETWEEN = [18.0, 17.0] * 5, [2.0, 3.0] * 5, [10.0, 9.0] * 5


@pytest.mark.parametrize(
    ("sizes", "span"),
    [
        ([(2, EVEN), (3, EVEN), (4, UNEVEN)], (0, 6)),
        ([(2, UNEVEN), (3, EVEN), (4, EVEN)], (6, None)),
        ([(2, UNEVEN), (3, EVEN), (4, UNEVEN)], (6, 6)),
        ([(2, EVEN), (3, EVEN)], None),
        ([(2, UNEVEN)], None),
        ([(2, EVEN), (3, EVEN[:-1]), (4, UNEVEN)], (0, 4)),
        ([(2, EVEN), (3, UNEVEN[:-1])], None),
        ([(2, EVEN), (3, UNEVEN), (4, EVEN)], (0, 4)),
        ([(2, UNEVEN), (3, BETWEEN), (4, EVEN)], (8, None)),
        ([(1, EVEN), (2.25, UNEVEN)], (0, 2)),
        ([(1, EVEN), (2.25, EVEN), (3, UNEVEN)], (0, 4)),
    ],
)
def test_a_map_is_for_as_many_as_have_the_closest_games(
    sizes: list[tuple[float, list[float]]], span: tuple[int, int | None] | None
) -> None:
    """Around the best number as far as games are no more one-sided than chance makes them."""
    matches = [game for size, losers in sizes for game in games(size, losers)]
    assert map_ranges(matches) == ({} if span is None else {"dm": span})
    assert LEAST == 10


def test_games_without_scores_or_maps_say_nothing() -> None:
    """Nor do those with scores below nothing; of a draw at nothing nobody was better."""
    known = games(2, EVEN) + games(4, UNEVEN)
    assert map_ranges(known) == {"dm": (0, 4)}
    silent = [Match([Contest(Ruleset("g"), [["a"], ["b"]], (0, 1))], map="dm") for _ in range(20)]
    nowhere = games(1, UNEVEN, name="")
    below, nothing = games(3, [-1.0] * 10), games(1, [0.0] * 10, best=0.0)
    assert map_ranges([*known, *silent, *nowhere, *below, *nothing]) == {"dm": (0, 4)}
    assert map_ranges([*games(1, EVEN[:3]), *games(2, UNEVEN[:3])], least=3) == {"dm": (0, 2)}
