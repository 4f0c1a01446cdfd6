"""The picture of a Pareto front: each split a dot, the first criterion across, the second upwards."""

from __future__ import annotations

from equipoise.core.plain_data import number
from equipoise.pages.pictures.svg import (
    COLOURS,
    INK,
    PALE_INK,
    RULE,
    caption,
    document,
    element,
    text_width,
    ticks,
)
from equipoise.teams.pareto import Front

WIDTH, HEIGHT, LEFT, RIGHT, HEAD, FOOT = 620, 380, 84, 40, 64, 84
_DOT = 5
#: What the numbers of an objective are.
_UNITS = {
    "difference": "points",
    "spread": "points",
    "win": "win probability from even",
    "ratio": "smaller by larger sum",
    "preferences": "win probability paid",
}
#: Dots next to which their numbers stand; more would cover one another.
_NUMBERED = 30


def front_svg(front: Front) -> str:
    """Return the picture of a front with at least one point as SVG."""
    firsts, seconds = zip(*front.points, strict=True)
    across, upwards = _range(firsts), _range(seconds)

    def x(value: float) -> float:
        return round(LEFT + (value - across[0]) / (across[1] - across[0]) * (WIDTH - LEFT - RIGHT), 1)

    def y(value: float) -> float:
        return round(HEAD + (upwards[1] - value) / (upwards[1] - upwards[0]) * HEIGHT, 1)

    bottom = HEAD + HEIGHT
    parts = []
    for tick in ticks(*across):
        at = x(tick)
        parts.append(element("line", x1=at, x2=at, y1=HEAD, y2=bottom, stroke=RULE, stroke_width=0.5))
        parts.append(caption(number(tick), at, bottom + 18, PALE_INK, text_anchor="middle"))
    for tick in ticks(*upwards):
        at = y(tick)
        parts.append(element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=at, y2=at, stroke=RULE, stroke_width=0.5))
        parts.append(caption(number(tick), LEFT - 8, at + 4, PALE_INK, text_anchor="end"))
    parts.append(
        caption(_axis(front.criteria[0]), (LEFT + WIDTH - RIGHT) / 2, bottom + 42, INK, text_anchor="middle")
    )
    middle = HEAD + HEIGHT / 2
    parts.append(
        caption(
            _axis(front.criteria[1]),
            22,
            middle,
            INK,
            text_anchor="middle",
            transform=f"rotate(-90 22 {middle})",
        )
    )
    # Between two points nothing is better than the corner: a step, not a slope.
    corners = [f"{x(firsts[0])},{y(seconds[0])}"]
    for before, first, second in zip(seconds, firsts[1:], seconds[1:], strict=False):
        corners += [f"{x(first)},{y(before)}", f"{x(first)},{y(second)}"]
    parts.append(
        element("polyline", points=" ".join(corners), fill="none", stroke=COLOURS[1], stroke_width=1.5)
    )
    taken: list[tuple[float, float]] = []
    for n, (first, second) in enumerate(front.points, start=1):
        hint = element("title", f"{front.criteria[0]} {number(first)}, {front.criteria[1]} {number(second)}")
        parts.append(element("circle", hint, raw=True, cx=x(first), cy=y(second), r=_DOT, fill=COLOURS[0]))
        if n <= _NUMBERED:
            taken.append(_free(x(first), y(second), taken))
            parts.append(caption(str(n), *taken[-1], INK, font_size=12))
    proof = "proven to be all" if front.complete else "not proven to be all"
    parts.append(caption(f"{len(front.points)} splits, {proof}.", LEFT, bottom + 66, PALE_INK))
    title = f"{front.criteria[0]} against {front.criteria[1]}"
    return document(title, WIDTH, bottom + FOOT, parts)


def _axis(name: str) -> str:
    """Return what an axis shows, with its unit."""
    return f"{name} ({_UNITS[name]})" if name in _UNITS else name


def _free(x: float, y: float, taken: list[tuple[float, float]]) -> tuple[float, float]:
    """Return where the number of a point covers no other: beside it, or ever higher above."""
    width = text_width("00", 12)
    for place in ((9.0, -7.0), (9.0, 15.0), (-9.0 - width, -7.0), (-9.0 - width, 15.0)):
        at = (x + place[0], y + place[1])
        if not any(abs(at[0] - other) < width and abs(at[1] - height) < 12 for other, height in taken):
            return at
    above = [height for other, height in taken if abs(x + 9.0 - other) < width and height <= y]
    return x + 9.0, min(above, default=y) - 12.0


def _range(values: tuple[float, ...]) -> tuple[float, float]:
    """Return the ends of an axis, with some room."""
    low, high = min(values), max(values)
    pad = (high - low) * 0.06 or max(abs(high), 1.0) * 0.1
    return low - pad, high + pad
