"""The reliability diagram: how often the favourite won, against how often it was predicted to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.core.plain_data import number
from equipoise.pages.pictures.svg import (
    COLOURS,
    DASHES,
    INK,
    PALE_INK,
    RULE,
    Attributes,
    caption,
    document,
    element,
    shortened,
    swatch,
)

#: A bin: how many contests, the mean of the favourite's probability, the part it won.
Bin = tuple[int, float, float]

SIZE, MARGIN, HEAD, ROW = 420, 64, 52, 20
#: Probabilities of a favourite among any number of teams.
LOW, HIGH = 0.0, 1.0
_LARGEST, _SMALLEST = 11.0, 3.0


def reliability_svg(bins: Mapping[str, Sequence[Bin]]) -> str:
    """Return the diagram as SVG: a dot a bin, its area the number of contests; on the diagonal is calibrated.

    Parameters
    ----------
    bins : mapping from a model's name to its bins
        Each bin is (contests, mean probability of the favourite, part the favourite won).
    """

    def x(value: float) -> float:
        return round(MARGIN + value * SIZE, 1)

    def y(value: float) -> float:
        return round(HEAD + (1.0 - value) * SIZE, 1)

    height = HEAD + SIZE + 110 + ROW * len(bins)
    width = SIZE + 2 * MARGIN
    title = "How often the favourite won, against its predicted probability"
    parts = [
        element("line", x1=x(LOW), y1=y(LOW), x2=x(HIGH), y2=y(HIGH), stroke=RULE, stroke_width=2),
    ]
    for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        parts += [
            element("line", x1=x(tick), y1=y(0.0), x2=x(tick), y2=y(1.0), stroke=RULE, stroke_width=0.5),
            element("line", x1=x(0.0), y1=y(tick), x2=x(1.0), y2=y(tick), stroke=RULE, stroke_width=0.5),
            caption(number(tick), x(tick), y(0.0) + 18, PALE_INK, text_anchor="middle"),
            caption(number(tick), x(0.0) - 8, y(tick) + 4, PALE_INK, text_anchor="end"),
        ]
    middle = HEAD + SIZE / 2
    turned: Attributes = {"text_anchor": "middle", "transform": f"rotate(-90 22 {middle})"}
    parts += [
        caption("predicted win probability of the favourite", x(0.5), y(0.0) + 38, INK, text_anchor="middle"),
        caption("share of contests the favourite won", 22, middle, INK, **turned),
        caption("On the diagonal predictions hold; above it favourites win more often.", MARGIN, y(0.0) + 62,
                PALE_INK, font_size=12),
        caption("A larger dot stands for more contests.", MARGIN, y(0.0) + 78, PALE_INK, font_size=12),
    ]  # fmt: skip
    for n, (name, some) in enumerate(bins.items()):
        colour = COLOURS[n % len(COLOURS)]
        parts += _series(some, colour, DASHES[n % len(DASHES)], x, y)
        total = sum(count for count, _, _ in some)
        foot = HEAD + SIZE + 102 + ROW * n
        parts.append(swatch(MARGIN, foot, colour))
        label = f"{shortened(name, SIZE - 120)} ({total} contests)"
        parts.append(caption(label, MARGIN + 16, foot, INK, font_weight=600))
    return document(title, width, height, parts, headline=13)


def _series(some: Sequence[Bin], colour: str, dashes: str, x: Any, y: Any) -> list[str]:
    most = max((count for count, _, _ in some), default=1)
    points = " ".join(f"{x(chance)},{y(won)}" for _, chance, won in some)
    line: Attributes = {"stroke": colour, "stroke_width": 1.5, "stroke_dasharray": dashes}
    parts = [element("polyline", points=points, fill="none", **line)]
    for count, chance, won in some:
        hint = element("title", f"{count} contests: predicted {chance:.3f}, won {won:.3f}")
        radius = round(max(_SMALLEST, _LARGEST * (count / most) ** 0.5), 1)
        parts.append(
            element("circle", hint, raw=True, cx=x(chance), cy=y(won), r=radius, fill=colour, stroke=PALE_INK)
        )
    return parts
