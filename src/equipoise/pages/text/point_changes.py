"""What a result changed, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from equipoise.ratings.point_changes import PointChange


def changes_text(changes: Iterable[PointChange], shown: Callable[[str], str]) -> str:
    """Return what a result changed in one line.

    Parameters
    ----------
    changes : iterable of PointChange
        What it changed, in order.
    shown : callable
        From the id of a player to what is shown.

    Examples
    --------
    >>> from equipoise.ratings.point_changes import PointChange
    >>> changes_text([PointChange("ann", 518, 18, 2, 1), PointChange("bob", 490, -10, 3, 0)], str.title)
    '+18 Ann (2nd, up 1), -10 Bob (3rd)'
    """
    return ", ".join(f"{each.change:+d} {shown(each.id)} ({_place(each)})" for each in changes)


def _place(change: PointChange) -> str:
    moved = f", {'up' if change.up > 0 else 'down'} {abs(change.up)}" if change.up else ""
    return f"{ordinal(change.place)}{moved}"


def ordinal(place: int) -> str:
    """Return a place in words: 1st, 2nd, 11th.

    Examples
    --------
    >>> [ordinal(place) for place in (1, 2, 3, 11, 22, 113)]
    ['1st', '2nd', '3rd', '11th', '22nd', '113th']
    """
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"
