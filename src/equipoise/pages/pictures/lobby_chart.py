"""The picture of a plan: for each lobby a box plot of how far its teams are from the target."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import NamedTuple

from equipoise.core.plain_data import number
from equipoise.lobbies.plan import FilledLobby, LobbyPlan
from equipoise.pages.pictures.svg import (
    COLOURS,
    INK,
    MARGIN,
    PALE_INK,
    WIDTH,
    Attributes,
    caption,
    document,
    element,
    rule,
    shortened,
    swatch,
    ticks,
)

LANE, HEAD, FOOT = 84, 62, 86
_BOX = 26
_DOT = 3

#: Most outliers drawn for a lobby; of more, the farthest.
MOST_OUTLIERS = 200


class Box(NamedTuple):
    """A box plot: quartiles, whiskers, and what lies beyond them."""

    low: float
    first: float
    median: float
    third: float
    high: float
    outliers: tuple[float, ...]


def box(values: Sequence[float]) -> Box:
    """Return the box plot of one number or more.

    Whiskers reach to the farthest numbers within one and a half times the quartiles' distance.

    References
    ----------
    J. W. Tukey, "Exploratory data analysis", 1977.

    Examples
    --------
    >>> box([1, 2, 3, 4, 5, 40])
    Box(low=1, first=2.25, median=3.5, third=4.75, high=5, outliers=(40,))
    """
    ordered = sorted(values)
    if len(ordered) == 1:
        only = ordered[0]
        return Box(only, only, only, only, only, ())
    first, median, third = statistics.quantiles(ordered, n=4, method="inclusive")
    reach = 1.5 * (third - first)
    inside = [value for value in ordered if first - reach <= value <= third + reach]
    outliers = tuple(value for value in ordered if not first - reach <= value <= third + reach)
    return Box(inside[0], first, median, third, inside[-1], outliers)


def lobbies_svg(plan: LobbyPlan) -> str:
    """Return a picture of a plan as SVG: a box plot of team less target for each lobby.

    Parameters
    ----------
    plan : LobbyPlan
        Feasible.
    """
    away = [[total - lobby.target for total in lobby.totals] for lobby in plan.lobbies]
    everything = [value for values in away for value in values] or [0.0]
    low, high = min(*everything, 0.0), max(*everything, 0.0)
    pad = (high - low) * 0.05 or 1.0
    low, high = low - pad, high + pad

    def x(value: float) -> float:
        return MARGIN + (value - low) / (high - low) * (WIDTH - 2 * MARGIN)

    axis = HEAD + LANE * len(plan.lobbies) + 8
    zero: Attributes = {"x1": round(x(0.0), 1), "x2": round(x(0.0), 1), "stroke": PALE_INK}
    parts = []
    for n, (lobby, values) in enumerate(zip(plan.lobbies, away, strict=True)):
        top = HEAD + LANE * n
        parts.append(element("line", y1=top + 24, y2=top + LANE, stroke_dasharray="3 4", **zero))
        parts += _lane(lobby, values, HEAD + LANE * n, COLOURS[n % len(COLOURS)], x)
    parts.append(rule(axis, MARGIN, WIDTH - MARGIN))
    for tick in ticks(low, high):
        at = round(x(tick), 1)
        parts.append(element("line", x1=at, x2=at, y1=axis, y2=axis + 5, stroke=PALE_INK))
        parts.append(caption(number(tick), at, axis + 20, PALE_INK, text_anchor="middle"))
    parts.append(
        caption("team total less the lobby's target", WIDTH / 2, axis + 38, INK, text_anchor="middle")
    )
    legend = (
        "The box is the middle half with the median, whiskers reach 1.5 times its length, circles lie beyond."
    )
    parts.append(caption(legend, MARGIN, axis + 62, PALE_INK))
    return document(_headline(plan), WIDTH, axis + FOOT, parts)


def _headline(plan: LobbyPlan) -> str:
    value, bound = number(plan.value or 0.0), number(plan.bound or 0.0)
    if plan.gap == 0.0:
        return f"Sum of {plan.deviation} deviations {value}, proven optimal"
    return f"Sum of {plan.deviation} deviations {value}, bound {bound}"


def _lane(
    lobby: FilledLobby, values: Sequence[float], top: float, colour: str, x: Callable[[float], float]
) -> list[str]:
    """Return one lobby's name and box plot."""
    teams = f"{len(values)} team{'s' * (len(values) != 1)}"
    head = f"{shortened(lobby.name, WIDTH / 2)}: target {number(lobby.target)}, {teams}"
    parts = [swatch(MARGIN, top + 16, colour), caption(head, MARGIN + 16, top + 16, INK, font_weight=600)]
    if not values:
        return parts
    plot = box(values)
    y = top + 48
    ends: Attributes = {"stroke_width": 1.5}
    parts.append(rule(y, x(plot.low), x(plot.first), colour, **ends))
    parts.append(rule(y, x(plot.third), x(plot.high), colour, **ends))
    half = _BOX / 2
    for place, height in ((plot.low, half / 2), (plot.high, half / 2), (plot.median, half)):
        at = round(x(place), 1)
        width = 3 if place == plot.median else 1.5
        parts.append(
            element("line", x1=at, x2=at, y1=y - height, y2=y + height, stroke=colour, stroke_width=width)
        )
    start, length = round(x(plot.first), 1), round(x(plot.third) - x(plot.first), 1)
    shape: Attributes = {"fill": colour, "fill_opacity": 0.18, "stroke": colour, "stroke_width": 1.5}
    parts.append(element("rect", x=start, y=y - half, width=max(length, 1.0), height=_BOX, **shape))
    for value in sorted(plot.outliers, key=abs)[-MOST_OUTLIERS:]:
        hint = element("title", f"{lobby.target + value:.6g} against {lobby.target:.6g}")
        parts.append(
            element("circle", hint, raw=True, cx=round(x(value), 1), cy=y, r=_DOT, fill="none", stroke=colour)
        )
    return parts
