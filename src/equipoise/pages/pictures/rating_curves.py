"""Skill over time: a line a player with a band of one standard deviation each way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from equipoise.core.plain_data import number
from equipoise.pages.pictures.svg import (
    COLOURS,
    DASHES,
    INK,
    MARGIN,
    PALE_INK,
    RULE,
    WIDTH,
    Attributes,
    caption,
    document,
    element,
    shortened,
    swatch,
    ticks,
)

#: A point: seconds since 1970, mean, standard deviation.
Point = tuple[float, float, float]

HEAD, HEIGHT, ROW, LEFT, DATES = 56, 320, 20, 76, 6
#: Below this span, in seconds, times are shown instead of dates.
_DAYS = 3 * 86400.0


def curves_svg(curves: Mapping[str, Sequence[Point]], title: str, *, points: bool = False) -> str:
    """Return a picture of curves as SVG.

    Parameters
    ----------
    curves : mapping from a player's name to points
        In order of time, one point or more each; as many as there are colours can be told apart.
    title : str
        What stands above.
    points : bool
        Whether means and deviations are points, which are whole, and not in a model's units.
    """
    every = [point for curve in curves.values() for point in curve]
    start, end = _span([at for at, _, _ in every])
    low = min(mu - sigma for _, mu, sigma in every)
    high = max(mu + sigma for _, mu, sigma in every)
    low, high = (low, high) if high > low else (low - 1.0, high + 1.0)
    width = WIDTH - LEFT - MARGIN

    def x(at: float) -> float:
        return round(LEFT + (at - start) / (end - start) * width, 1)

    def y(mu: float) -> float:
        return round(HEAD + (high - mu) / (high - low) * HEIGHT, 1)

    unit, digits = ("points", 0) if points else ("skill (mu), in the model's units", 2)
    parts = _axes(x, y, start, end, ticks(low, high), unit)
    for n, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[n % len(COLOURS)]
        parts += _line(curve, colour, DASHES[n % len(DASHES)], x, y)
        last = f"{shortened(name, WIDTH / 2)}  {curve[-1][1]:.{digits}f} ± {curve[-1][2]:.{digits}f}"
        foot = HEAD + HEIGHT + 72 + ROW * n
        parts += [swatch(LEFT, foot, colour), caption(last, LEFT + 16, foot, INK, font_weight=600)]
    return document(title, WIDTH, HEAD + HEIGHT + 72 + ROW * len(curves), parts)


def _span(times: Sequence[float]) -> tuple[float, float]:
    """Return the first and the last time, half a day each way where there is only one."""
    start, end = min(times), max(times)
    return (start, end) if end > start else (start - 43200.0, end + 43200.0)


def _axes(x: Any, y: Any, start: float, end: float, levels: Sequence[float], unit: str) -> list[str]:
    """Return lines with numbers for skill, and dates below."""
    middle = HEAD + HEIGHT / 2
    turned: Attributes = {"text_anchor": "middle", "transform": f"rotate(-90 22 {middle})"}
    parts = [
        caption(unit, 22, middle, INK, **turned),
        caption("date of the game (UTC)", LEFT + (WIDTH - LEFT - MARGIN) / 2, HEAD + HEIGHT + 42, INK,
                text_anchor="middle"),
    ]  # fmt: skip
    for level in levels:
        parts += [
            element("line", x1=x(start), x2=x(end), y1=y(level), y2=y(level), stroke=RULE, stroke_width=0.5),
            caption(number(level), LEFT - 8, y(level) + 4, PALE_INK, text_anchor="end"),
        ]
    for n in range(DATES):
        at = start + (end - start) * n / (DATES - 1)
        anchor = "start" if n == 0 else "end" if n == DATES - 1 else "middle"
        date = _date(at, end - start)
        parts.append(caption(date, x(at), HEAD + HEIGHT + 20, PALE_INK, text_anchor=anchor))
    return parts


def _date(at: float, span: float) -> str:
    """Return a time as people write it, the number itself where no calendar goes so far."""
    try:
        moment = datetime.fromtimestamp(at, UTC)
    except (OverflowError, ValueError, OSError):
        return number(at)
    return moment.strftime("%Y-%m-%d") if span >= _DAYS else moment.strftime("%d %b %H:%M")


def _line(curve: Sequence[Point], colour: str, dashes: str, x: Any, y: Any) -> list[str]:
    upper = [f"{x(at)},{y(mu + sigma)}" for at, mu, sigma in curve]
    lower = [f"{x(at)},{y(mu - sigma)}" for at, mu, sigma in reversed(curve)]
    middle = " ".join(f"{x(at)},{y(mu)}" for at, mu, _ in curve)
    last = curve[-1]
    return [
        element("polygon", points=" ".join(upper + lower), fill=colour, fill_opacity=0.12),
        element(
            "polyline", points=middle, fill="none", stroke=colour, stroke_width=2, stroke_dasharray=dashes
        ),
        element("circle", cx=x(last[0]), cy=y(last[1]), r=3, fill=colour),
    ]
