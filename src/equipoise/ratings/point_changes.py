"""What a result changed: points won or lost, and places in the table before and after.

Points are what people read: whole numbers, ten times the weight.  Those a result changed are the difference
of the whole numbers before and after, so that what is shown adds up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

#: Points for each unit of weight.
POINTS = 10.0

#: Half the width of a likely range, in standard deviations: 19 of 20.
BAND = 1.96


@dataclass(frozen=True, slots=True)
class PointChange:
    """What a result changed for a player.

    Parameters
    ----------
    id : str
        The player.
    points, change : int
        Points after the result, and how many were won or, below 0, lost by it.
    place, up : int
        The place in the table after the result, from 1, and by how many places that is higher.
    """

    id: str
    points: int
    change: int
    place: int
    up: int

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)


def points(weight: float) -> int:
    """Return a weight as points.

    Examples
    --------
    >>> points(51.84)
    518
    """
    return round(POINTS * weight)


def point_changes(
    players: Iterable[str], before: Mapping[str, float], after: Mapping[str, float]
) -> list[PointChange]:
    """Return what a result changed for players, the most points won first.

    Parameters
    ----------
    players : iterable of str
        Who played.
    before, after : mapping from str to float
        The weights of everyone in the table, the players among them.

    Examples
    --------
    >>> [change] = point_changes(["ann"], {"ann": 50.0, "bob": 51.0}, {"ann": 51.8, "bob": 51.0})
    >>> change
    PointChange(id='ann', points=518, change=18, place=1, up=1)
    """
    playing = list(players)
    return changes_between(points_and_places(playing, before), points_and_places(playing, after))


def points_and_places(players: Iterable[str], weights: Mapping[str, float]) -> dict[str, tuple[int, int]]:
    """Return the points of players and their places in the table; those with as many points share one.

    Examples
    --------
    >>> points_and_places(["ann", "bob"], {"ann": 51.8, "bob": 51.0, "cid": 51.8})
    {'ann': (518, 1), 'bob': (510, 3)}
    """
    table = [points(each) for each in weights.values()]
    own = {player: points(weights[player]) for player in players}
    return {player: (mine, 1 + sum(each > mine for each in table)) for player, mine in own.items()}


def changes_between(
    before: Mapping[str, tuple[int, int]], after: Mapping[str, tuple[int, int]]
) -> list[PointChange]:
    """Return what changed from some points and places to others of the same players, most points won first.

    Examples
    --------
    >>> changes_between({"ann": (500, 2)}, {"ann": (518, 1)})
    [PointChange(id='ann', points=518, change=18, place=1, up=1)]
    """
    found = [
        PointChange(player, now, now - before[player][0], place, before[player][1] - place)
        for player, (now, place) in after.items()
    ]
    return sorted(found, key=lambda each: (-each.change, each.place))
