"""How close teams would have been in several ways to divide: a dot and an interval for each."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.core.plain_data import number
from equipoise.pages.pictures.svg import COLOURS, INK, PALE_INK, RULE, caption, document, element, ticks

#: One way: its name, the mean distance from even, the ends of its interval; None where they are unknown.
Row = tuple[str, float | None, tuple[float, float] | None]

LEFT, WIDTH, HEAD, ROW, FOOT = 130, 420, 56, 34, 62


def arms_svg(rows: Sequence[Row], matches: int) -> str:
    """Return the picture as SVG; further left is closer to an even game."""
    most = max([0.05, *(ends[1] for _, _, ends in rows if ends is not None)])

    def x(value: float) -> float:
        return round(LEFT + value / most * WIDTH, 1)

    bottom = HEAD + ROW * len(rows)
    parts = []
    for tick in ticks(0.0, most):
        parts += [
            element("line", x1=x(tick), y1=HEAD - 6, x2=x(tick), y2=bottom, stroke=RULE, stroke_width=0.5),
            caption(number(tick), x(tick), bottom + 18, PALE_INK, text_anchor="middle"),
        ]
    for n, (name, mean, ends) in enumerate(rows):
        y = HEAD + ROW * n + ROW / 2
        colour = COLOURS[n % len(COLOURS)]
        parts.append(caption(name, LEFT - 12, y + 4, INK, text_anchor="end"))
        if mean is None or ends is None:
            parts.append(caption("cannot tell", LEFT + 12, y + 4, PALE_INK))
            continue
        low, high = ends
        parts += [
            element("line", x1=x(low), y1=y, x2=x(high), y2=y, stroke=colour, stroke_width=3),
            element("circle", cx=x(mean), cy=y, r=5, fill=colour),
        ]
    label = "distance of the win chance from even, mean with 95 % interval"
    parts.append(caption(label, LEFT + WIDTH / 2, bottom + 40, INK, text_anchor="middle"))
    title = f"How close teams would have been in {matches} matches"
    return document(title, LEFT + WIDTH + 40, bottom + FOOT, parts)
