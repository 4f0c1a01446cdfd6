"""The picture of a split: every player a dot on the scale of weights, a lane for each team."""

from __future__ import annotations

import math
from collections.abc import Callable

from equipoise.fields import number
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
    ticks,
)
from equipoise.pages.text.teams import convention
from equipoise.teams.solution import Solution, Split

LANE, HEAD, FOOT = 130, 58, 82
_DOT = 6
_STACK = 36
_LETTER = 7
_LONGEST_NAME = 24

#: A dot: weight and name; a bot has no name.
Dot = tuple[float, str]


def teams_svg(solution: Solution, split: Split | None = None, names: tuple[str, ...] = ()) -> str:
    """Return a picture of a split as SVG.

    Each player is a dot at the weight; below are the team's mean and one standard deviation to each side.
    Bots are hollow.  Players are named where there is room, the strongest first.

    Parameters
    ----------
    solution : Solution
        With at least one split.
    split : Split, optional
        The one to draw; by default the first.
    names : tuple of str
        What to call the teams; by default Team 1, Team 2, ...
    """
    split = split or solution.best
    lanes = _lanes(solution, split)
    everything = [value for lane in lanes for value, _ in lane]
    low, high = min(everything), max(everything)
    pad = (high - low) * 0.04 or max(abs(high), 1.0) * 0.1
    low, high = low - pad, high + pad

    def x(value: float) -> float:
        return MARGIN + (value - low) / (high - low) * (WIDTH - 2 * MARGIN)

    axis = HEAD + LANE * len(lanes) + 8
    headline = _headline(solution, split)
    parts: list[str] = []
    for n, lane in enumerate(lanes):
        name = names[n].strip() if n < len(names) else f"Team {n + 1}"
        parts += _lane_svg(lane, HEAD + LANE * n, COLOURS[n % len(COLOURS)], x)
        parts.append(caption(name, MARGIN, HEAD + LANE * n + 16, COLOURS[n % len(COLOURS)], font_weight=600))
        facts = f"{_size(split, n)}, total {number(split.totals[n])}"
        parts.append(caption(facts, MARGIN, HEAD + LANE * n + 33, PALE_INK))
    parts.append(rule(axis, MARGIN, WIDTH - MARGIN))
    for tick in ticks(low, high):
        at = round(x(tick), 1)
        parts.append(element("line", x1=at, x2=at, y1=axis, y2=axis + 5, stroke=PALE_INK))
        parts.append(caption(number(tick), at, axis + 20, PALE_INK, text_anchor="middle"))
    legend = "Each dot is a player at their weight (hollow: a bot); the bar is mean and standard deviation."
    sizes = {len(lane) for lane in lanes}
    noise = convention(
        solution.beta, solution.beta_source, solution.zero, solution.zero_source, uneven=len(sizes) > 1
    )
    parts.append(caption(legend, MARGIN, axis + 44, PALE_INK))
    parts.append(caption(" ".join(noise), MARGIN, axis + 64, PALE_INK))
    return document(headline, WIDTH, axis + FOOT, parts)


def _headline(solution: Solution, split: Split) -> str:
    totals = " : ".join(number(total) for total in split.totals)
    chances = " : ".join(f"{100 * chance:.1f} %" for chance in split.win_probability)
    return f"{totals}, win chances {chances}, {solution.status} by {solution.objective}"


def _lanes(solution: Solution, split: Split) -> list[list[Dot]]:
    lanes = []
    for team, weights, bots in zip(split.teams, split.weights, split.bots, strict=True):
        dots = [(value, player.label) for value, player in zip(weights, team, strict=True)]
        lanes.append(dots + [(solution.bot_weight or 0.0, "")] * bots)
    return lanes


def _lane_svg(lane: list[Dot], top: float, colour: str, x: Callable[[float], float]) -> list[str]:
    """Return one team's dots and names, and its mean and standard deviation."""
    y = top + 84
    parts = [rule(y, MARGIN, WIDTH - MARGIN)]
    if lane:
        mean = sum(value for value, _ in lane) / len(lane)
        deviation = math.sqrt(sum((value - mean) ** 2 for value, _ in lane) / len(lane))
        bar: Attributes = {"stroke_width": 3, "stroke_linecap": "round"}
        parts.append(rule(y + 22, x(mean - deviation), x(mean + deviation), colour, **bar))
        parts.append(element("circle", cx=round(x(mean), 1), cy=y + 22, r=5, fill=colour))
    dots = _stacked(lane, y, x)
    for (value, name), (at, height) in dots:
        hint = element("title", f"{name or 'bot'}: {number(value)}")
        dot: Attributes = {"cx": at, "cy": height, "r": _DOT, "stroke": colour, "stroke_width": 1.5}
        parts.append(element("circle", hint, raw=True, fill=colour if name else "#ffffff", **dot))
    return parts + _names_svg(dots)


def _stacked(lane: list[Dot], y: float, x: Callable[[float], float]) -> list[tuple[Dot, tuple[float, float]]]:
    """Return each dot with its place, strongest first; dots that would cover another are stacked on it."""
    placed: list[tuple[Dot, float, int]] = []
    for dot in sorted(lane, key=lambda dot: -dot[0]):
        at = round(x(dot[0]), 1)
        below = [level for _, other, level in placed if abs(at - other) < 2 * _DOT]
        placed.append((dot, at, max(below, default=-1) + 1))
    highest = max((level for *_, level in placed), default=0)
    step = min(2 * _DOT, _STACK / max(highest, 1))
    return [(dot, (at, round(y - level * step, 1))) for dot, at, level in placed]


def _names_svg(dots: list[tuple[Dot, tuple[float, float]]]) -> list[str]:
    """Return the names that have room, strongest first, each above all dots it would cover."""
    parts = []
    taken: list[tuple[float, float]] = []
    for (_, name), (at, _) in dots:
        text = name[:_LONGEST_NAME]
        width = len(text) * _LETTER
        start = min(max(at - width / 2, 2), WIDTH - width - 2)
        if not text or any(start < end + _LETTER and begin < start + width + _LETTER for begin, end in taken):
            continue
        taken.append((start, start + width))
        top = min(height for _, (other, height) in dots if start - _DOT < other < start + width + _DOT)
        parts.append(caption(text, start + width / 2, top - 11, INK, text_anchor="middle", font_size=12))
    return parts


def _size(split: Split, n: int) -> str:
    players, bots = len(split.teams[n]), split.bots[n]
    text = f"{players} player{'s' * (players != 1)}"
    return f"{text} + {bots} bot{'s' * (bots != 1)}" if bots else text
