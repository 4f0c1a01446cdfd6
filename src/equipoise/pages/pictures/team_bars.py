"""The picture of a split: every player a dot on the scale of weights, a lane for each team."""

from __future__ import annotations

import math
from collections.abc import Callable

from equipoise.core.plain_data import number
from equipoise.pages.pictures.svg import (
    COLOURS,
    INK,
    MARGIN,
    PALE_INK,
    PAPER,
    RULE,
    WIDTH,
    Attributes,
    caption,
    document,
    element,
    rule,
    shortened,
    swatch,
    text_width,
    ticks,
)
from equipoise.pages.text.teams import PointDisplay, convention, head_line, proof_of, total_text
from equipoise.teams.solution import Solution, Split

#: Heights: the headline, a team's name and facts, a row of names, below its line, and below all teams.
HEAD, FACTS, ROW, BELOW, FOOT = 58, 46, 15, 44, 104
_DOT = 6
_STACK = 36
_NAME_SIZE = 12
#: The headline's size, and a little for its being bold.
_TITLE_SIZE = 18.5
#: Names are at most so wide; longer ones lose their middle.
_WIDEST_NAME = 190.0
#: Rows of names in one lane; more would make a picture that nobody scrolls through.
_MOST_ROWS = 64

#: A dot: weight and name; a bot has no name.
Dot = tuple[float, str]


def teams_svg(
    solution: Solution, split: Split | None = None, names: tuple[str, ...] = (),
    *, points: PointDisplay | None = None,
) -> str:  # fmt: skip
    """Return a picture of a split as SVG.

    Each player is a dot at the weight; below are the team's mean and one standard deviation to each side.
    Bots are hollow.  Every player has a name at the end of a thin line; only of a team of more than 64 whose
    names cover one another are some left to the hint that a dot shows.

    Parameters
    ----------
    solution : Solution
        With at least one split.
    split : Split, optional
        The one to draw; by default the first.
    names : tuple of str
        What to call the teams; by default Team 1, Team 2, ...
    points : callable, optional
        From a weight of the answer to points, which are drawn in its place.
    """
    split = split or solution.best
    lanes = _lanes(solution, split, points or float)
    everything = [value for lane in lanes for value, _ in lane]
    low, high = min(everything, default=0.0), max(everything, default=0.0)
    pad = (high - low) * 0.04 or max(abs(high), 1.0) * 0.1
    low, high = low - pad, high + pad
    # Names stand to the right of their dots, so the scale ends where the widest still has room.
    widest = max((text_width(_shown(name), _NAME_SIZE) for lane in lanes for _, name in lane), default=0.0)
    end = WIDTH - MARGIN - widest

    def x(value: float) -> float:
        return MARGIN + (value - low) / (high - low) * (end - MARGIN)

    parts: list[str] = []
    top = float(HEAD)
    for n, lane in enumerate(lanes):
        name = names[n].strip() if n < len(names) else f"Team {n + 1}"
        colour = COLOURS[n % len(COLOURS)]
        parts.append(swatch(MARGIN, top + 16, colour))
        parts.append(
            caption(shortened(name, WIDTH - 3 * MARGIN, 15), MARGIN + 16, top + 16, INK, font_weight=600)
        )
        facts = f"{_size(split, n)}, total {total_text(solution, split, n, points)}"
        parts.append(caption(facts, MARGIN, top + 33, PALE_INK))
        drawn, top = _lane_svg(lane, top + FACTS, colour, x)
        parts += drawn
    axis = round(top + 8)
    unit = "weight" if points is None else "points"
    parts += _axis(axis, low, high, x, unit)
    parts += _legend(solution, unit, points, uneven=len({len(lane) for lane in lanes}) > 1, top=axis + 58)
    return document(_headline(solution, split, names), WIDTH, axis + FOOT, parts)


def _axis(top: int, low: float, high: float, x: Callable[[float], float], unit: str) -> list[str]:
    parts = [rule(top, x(low), x(high), PALE_INK)]
    for tick in ticks(low, high):
        at = round(x(tick), 1)
        parts.append(element("line", x1=at, x2=at, y1=top, y2=top + 5, stroke=PALE_INK))
        parts.append(caption(number(tick), at, top + 20, PALE_INK, text_anchor="middle"))
    parts.append(caption(unit, (x(low) + x(high)) / 2, top + 37, INK, text_anchor="middle"))
    return parts


def _legend(
    solution: Solution, unit: str, points: PointDisplay | None, *, uneven: bool, top: float
) -> list[str]:
    legend = f"Each dot is a player at their {unit} (hollow: a bot); the bar is mean and standard deviation."
    noise = convention(
        solution.beta, solution.beta_source, solution.zero, solution.zero_source, uneven=uneven, points=points
    )
    return [caption(line, MARGIN, top + 18 * n, PALE_INK) for n, line in enumerate((legend, *noise))]


def _headline(solution: Solution, split: Split, names: tuple[str, ...]) -> str:
    """Return the verdict, with all chances where they fit, and what is proven of the best."""
    proof = proof_of(solution) if split is solution.best else ""
    whole = head_line(split, names, proof)
    if text_width(whole, _TITLE_SIZE) <= WIDTH - 2 * MARGIN:
        return whole
    low, high = (f"{100 * chance:.1f}" for chance in (min(split.win_probability), max(split.win_probability)))
    return f"{len(split.teams)} teams, win chances {low} to {high} %. {proof}".rstrip()


def _lanes(solution: Solution, split: Split, shown: Callable[[float], float]) -> list[list[Dot]]:
    lanes = []
    for team, weights, bots in zip(split.teams, split.weights, split.bots, strict=True):
        dots = [(shown(value), player.label) for value, player in zip(weights, team, strict=True)]
        lanes.append(dots + [(shown(solution.bot_weight or 0.0), "")] * bots)
    return lanes


def _lane_svg(
    lane: list[Dot], top: float, colour: str, x: Callable[[float], float]
) -> tuple[list[str], float]:
    """Return one team's names and dots, its mean and standard deviation, and where the next may begin."""
    labels = _rows(lane, x)
    highest = max((row for _, _, row in labels), default=-1) + 1
    y = round(top + ROW * highest + _STACK + 14, 1)
    parts = []
    if lane:
        parts.append(rule(y, MARGIN, WIDTH - MARGIN))
        mean = sum(value for value, _ in lane) / len(lane)
        deviation = math.sqrt(sum((value - mean) ** 2 for value, _ in lane) / len(lane))
        bar: Attributes = {"stroke_width": 3, "stroke_linecap": "round"}
        parts.append(rule(y + 22, x(mean - deviation), x(mean + deviation), colour, **bar))
        parts.append(element("circle", cx=round(x(mean), 1), cy=y + 22, r=5, fill=colour))
    dots = _stacked(lane, y, x)
    foot = y - _STACK - 10
    for at, _, row in labels:
        parts.append(
            element(
                "line", x1=at, x2=at, y1=round(foot - ROW * row - 10, 1), y2=y, stroke=RULE, stroke_width=1
            )
        )
    for (value, name), (at, height) in dots:
        hint = element("title", f"{name or 'bot'}: {number(value)}")
        dot: Attributes = {"cx": at, "cy": height, "r": _DOT, "stroke": colour, "stroke_width": 1.5}
        parts.append(element("circle", hint, raw=True, fill=colour if name else PAPER, **dot))
    for at, name, row in labels:
        parts.append(caption(name, at + 4, foot - ROW * row, INK, font_size=_NAME_SIZE))
    return parts, y + BELOW


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


def _rows(lane: list[Dot], x: Callable[[float], float]) -> list[tuple[float, str, int]]:
    """Return each name with its place and its row from below, so that nothing covers anything.

    A name is a flag to the right of its line, above every flag that its own would cover: no line crosses a
    name, as those that begin farther right end lower.
    """
    flags: list[tuple[float, float, int]] = []
    labels = []
    for value, name in sorted(lane, key=lambda dot: -dot[0]):
        if not name:
            continue
        at, text = round(x(value), 1), _shown(name)
        end = at + 4 + text_width(text, _NAME_SIZE) + 4
        row = max((row for begin, _, row in flags if begin < end), default=-1) + 1
        if row < _MOST_ROWS:
            flags.append((at, end, row))
            labels.append((at, text, row))
    return labels


def _shown(name: str) -> str:
    return shortened(name, _WIDEST_NAME, _NAME_SIZE)


def _size(split: Split, n: int) -> str:
    players, bots = len(split.teams[n]), split.bots[n]
    text = f"{players} player{'s' * (players != 1)}"
    return f"{text} + {bots} bot{'s' * (bots != 1)}" if bots else text
