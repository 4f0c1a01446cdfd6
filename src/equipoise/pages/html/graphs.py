"""Graphs of pages as SVG within HTML: coloured by the page's style, so that light, dark and print follow."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup, escape

from equipoise.pages.html.site import day
from equipoise.ratings.display_scale import MIDDLE
from equipoise.ratings.point_changes import points
from equipoise.ratings.timeline import Point

#: The size of a graph, and the room for numbers beside and below it; levels with 100 points between them.
WIDTH, HEIGHT, LEFT, FOOT, LEVELS = 640, 260, 52, 28, 6

#: Columns for which there is room at least, so that one alone is no wall.
FEWEST_COLUMNS = 10

#: Points beyond which a line is drawn with every so many.
MOST_POINTS = 300


def band_graph(course: Sequence[Point], title: str, new: str) -> Markup:
    """Return points over time with their likely range, games one beside the other.

    Parameters
    ----------
    course : sequence of Point
        The ratings after each game.
    title : str
        What the graph says, for those who do not see it.
    new : str
        What stands at the points of a new player.
    """
    step = -(-len(course) // MOST_POINTS)
    some = [*course[: -1 : step or 1], *course[-1:]]
    low = math.floor(min(MIDDLE, *(point.low for point in some)) / 10.0) * 10.0
    high = math.ceil(max(MIDDLE, *(point.high for point in some)) / 10.0) * 10.0

    def x(n: int) -> float:
        return LEFT + (WIDTH - LEFT - 8) * (n / max(len(some) - 1, 1))

    def y(weight: float) -> float:
        return 8 + (HEIGHT - FOOT - 8) * (1.0 - (weight - low) / (high - low))

    above = " ".join(f"{x(n):.1f},{y(point.high):.1f}" for n, point in enumerate(some))
    below = " ".join(f"{x(n):.1f},{y(some[n].low):.1f}" for n in range(len(some) - 1, -1, -1))
    line = " ".join(f"{x(n):.1f},{y(point.weight):.1f}" for n, point in enumerate(some))
    steps = range(int(low), int(high) + 1, 20 if high - low > LEVELS * 10.0 else 10)
    parts = [
        *_levels([(float(weight), str(points(weight))) for weight in steps if weight != MIDDLE], y),
        f'<line class="even" x1="{LEFT}" y1="{y(MIDDLE):.1f}" x2="{WIDTH - 8}" y2="{y(MIDDLE):.1f}"/>',
        _text(LEFT - 4, y(MIDDLE) + 4, str(points(MIDDLE)), "end"),
        f'<polygon class="area" points="{above} {below}"/>',
        f'<polyline class="line" points="{line}"/>',
        f'<circle class="dot" cx="{x(len(some) - 1):.1f}" cy="{y(some[-1].weight):.1f}" r="5"/>',
        _text(WIDTH - 8, y(MIDDLE) + (24 if some[-1].weight >= MIDDLE else -10), new, "end"),
        _text(LEFT, HEIGHT - 6, day(some[0].at)),
        _text(WIDTH - 8, HEIGHT - 6, day(some[-1].at), "end"),
    ]
    return _drawn(parts, title)


def calibration_graph(bins: Sequence[tuple[int, float, float]], title: str) -> Markup:
    """Return how often favourites won against how often they were predicted to."""

    def x(chance: float) -> float:
        return LEFT + (WIDTH - LEFT - 8) * chance

    def y(chance: float) -> float:
        return 8 + (HEIGHT - FOOT - 8) * (1.0 - chance)

    most = max(count for count, _, _ in bins)
    parts = [*_levels([(part / 4, f"{25 * part} %") for part in range(5)], y)]
    parts += [
        _text(x(part / 4), HEIGHT - 6, f"{25 * part} %", "middle" if part < 4 else "end")
        for part in range(1, 5)
    ]
    parts += [f'<line class="even" x1="{x(0)}" y1="{y(0)}" x2="{x(1)}" y2="{y(1)}"/>']
    line = " ".join(f"{x(chance):.1f},{y(won):.1f}" for _, chance, won in bins)
    parts += [f'<polyline class="line" points="{line}"/>']
    parts += [
        f'<circle class="dot" cx="{x(chance):.1f}" cy="{y(won):.1f}" r="{3 + 6 * (n / most) ** 0.5:.1f}"/>'
        for n, chance, won in bins
    ]
    return _drawn(parts, title)


def columns_graph(counts: Sequence[int], labels: Sequence[str], title: str) -> Markup:
    """Return counts as columns; the first, the middle and the last are labelled."""
    most, wide = max(*counts, 1), (WIDTH - LEFT - 8) / max(len(counts), FEWEST_COLUMNS)
    parts = [
        *_levels([(0, "0"), (most, str(most))], lambda count: 8 + (HEIGHT - FOOT - 8) * (1.0 - count / most))
    ]
    for n, count in enumerate(counts):
        high = (HEIGHT - FOOT - 8) * count / most
        parts.append(
            f'<rect class="column" x="{LEFT + n * wide + 0.5:.1f}" y="{HEIGHT - FOOT - high:.1f}" '
            f'width="{max(wide - 1, 0.5):.1f}" height="{high:.1f}"/>'
        )
    for n in sorted({0, len(labels) // 2, len(labels) - 1}):
        place = "start" if n == 0 else "end" if n == len(labels) - 1 else "middle"
        at = LEFT + (n + (0.0 if n == 0 else 1.0 if place == "end" else 0.5)) * wide
        parts.append(_text(at, HEIGHT - 6, labels[n], place))
    return _drawn(parts, title)


def _levels(levels: Sequence[tuple[float, str]], y: object) -> list[str]:
    """Return level lines with their numbers."""
    drawn = []
    for level, words in levels:
        at = y(level)  # type: ignore[operator]
        drawn += [f'<line class="axis" x1="{LEFT}" y1="{at:.1f}" x2="{WIDTH - 8}" y2="{at:.1f}"/>']
        drawn += [_text(LEFT - 4, at + 4, words, "end")]
    return drawn


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _drawn(parts: Sequence[str], title: str) -> Markup:
    given = f'class="graph" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}"'
    return Markup(f"<svg {given}>{''.join(parts)}</svg>")  # noqa: S704  # numbers, and texts that are escaped
