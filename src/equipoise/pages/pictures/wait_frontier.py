"""The picture of what waiting buys in a queue: waits across, how far matches are from even upwards."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.core.plain_data import number
from equipoise.pages.pictures.svg import COLOURS, INK, PALE_INK, RULE, caption, document, element, ticks

WIDTH, HEIGHT, LEFT, RIGHT, HEAD, FOOT = 620, 380, 84, 40, 64, 64
_DOT = 5


def frontier_svg(points: Sequence[tuple[float, float, float, float]]) -> str:
    """Return the picture as SVG.

    Parameters
    ----------
    points : sequence of (float, float, float, float)
        By how much faster tolerances grow, the mean wait and the 95th percentile in seconds, and how far the
        chances of matches are from even; at least one point.

    Examples
    --------
    >>> frontier_svg([(1.0, 10.2, 27.1, 0.015), (2.0, 8.0, 20.1, 0.02)]).count("<circle")
    4
    """
    points = sorted(points)
    most_wait = 1.06 * max(p95 for _, _, p95, _ in points) or 1.0
    most_off = 1.12 * max(100 * off for *_, off in points) or 1.0
    bottom = HEAD + HEIGHT

    def x(value: float) -> float:
        return round(LEFT + value / most_wait * (WIDTH - LEFT - RIGHT), 1)

    def y(value: float) -> float:
        return round(bottom - 100 * value / most_off * HEIGHT, 1)

    parts = []
    for tick in ticks(0.0, most_wait):
        parts.append(
            element("line", x1=x(tick), x2=x(tick), y1=HEAD, y2=bottom, stroke=RULE, stroke_width=0.5)
        )
        parts.append(caption(number(tick), x(tick), bottom + 18, PALE_INK, text_anchor="middle"))
    for tick in ticks(0.0, most_off):
        at = y(tick / 100)
        parts.append(element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=at, y2=at, stroke=RULE, stroke_width=0.5))
        parts.append(caption(f"{50 + tick:g}:{50 - tick:g}", LEFT - 8, at + 4, PALE_INK, text_anchor="end"))
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(caption("seconds of waiting", middle, bottom + 42, INK, text_anchor="middle"))
    for colour, place, name in ((COLOURS[0], 1, "mean wait"), (COLOURS[1], 2, "95th percentile")):
        line = " ".join(f"{x(point[place])},{y(point[3])}" for point in points)
        parts.append(element("polyline", points=line, fill="none", stroke=colour, stroke_width=1.5))
        for factor, *_, off in points:
            value = next(each[place] for each in points if each[0] == factor)
            hint = element("title", f"growth {factor:g}: {name} {value:.1f} s, {50 + 100 * off:.1f} to win")
            parts.append(element("circle", hint, raw=True, cx=x(value), cy=y(off), r=_DOT, fill=colour))
            if place == 1:
                parts.append(caption(f"{factor:g}", x(value) - 8, y(off) + 14, INK, text_anchor="end"))
        parts.append(caption(name, WIDTH - RIGHT, HEAD + 16 * place, colour, text_anchor="end"))
    return document(
        "What waiting buys: evenness of matches by the growth of tolerances", WIDTH, bottom + FOOT, parts
    )
