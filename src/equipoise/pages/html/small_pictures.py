"""The spirit level of a game that was played, with its words; shapes of teams, sparklines, changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from markupsafe import Markup, escape

#: The shape of each team beside its colour, in a square of ten units.
SHAPES = (
    "M5 0a5 5 0 1 0 .01 0z", "M5-.5L10.5 5 5 10.5-.5 5z", "M5 0l5.5 10H-.5z", "M0 0h10v10H0z",
)  # fmt: skip

#: By how much the furthest team may be off its fair share, in hundredths of it, for each verdict.
EVEN, CLOSE, AHEAD = 5.0, 20.0, 40.0

#: Half of what the glass is wide, the ends of the bubble, and the part of a fair share at which it is there.
MIDDLE, BUBBLE, END = 160.0, 20.0, 0.4


#: How high a weight is in a sparkline: 20 weights, or 200 points, are as high as there is room.
HEIGHT = 1.0


def whole(chances: Sequence[float]) -> list[int]:
    """Return chances as whole numbers that add up to 100.

    Examples
    --------
    >>> whole([0.495, 0.505]), whole([1 / 3] * 3)
    ([50, 50], [34, 33, 33])
    """
    found = [int(100.0 * chance + 1e-9) for chance in chances]
    order = sorted(range(len(found)), key=lambda at: (found[at] - 100.0 * chances[at], at))
    for at in range(100 - sum(found)):
        found[order[at % len(order)]] += 1
    return found


def team_name(t: Mapping[str, str], team: int) -> str:
    """Return what a team is called, of the first four by their colours."""
    return t[f"team_{team + 1}"] if team < len(SHAPES) else t["team_n"].format(number=team + 1)


def verdict(t: Mapping[str, str], chances: Sequence[float]) -> str:
    """Return how even a game was, as a word: "Even", "Close", "Red ahead" or "Red far ahead"."""
    off = max(abs(100.0 * chance * len(chances) - 100.0) for chance in chances)
    if off <= EVEN + 1e-9:
        return t["even"]
    if off <= CLOSE:
        return t["close"]
    first = team_name(t, max(range(len(chances)), key=chances.__getitem__))
    return t["ahead" if off <= AHEAD else "far_ahead"].format(team=first)


def numbers(t: Mapping[str, str], chances: Sequence[float]) -> str:
    """Return the verdict with its numbers: "Even: 49 : 51", of more teams "Close: 22 to 28"."""
    parts, word = whole(chances), verdict(t, chances)
    if len(parts) == 2:
        return f"{word}: {parts[0]}\u00a0:\u00a0{parts[1]}"
    return f"{word}: {min(parts)} {t['to']} {max(parts)}"


def shape(team: int) -> Markup:
    """Return a team's shape in its colour."""
    return Markup(  # noqa: S704  # a constant
        f'<svg class="shape t{team % 4 + 1}" viewBox="-1 -1 12 12" aria-hidden="true">'
        f'<path d="{SHAPES[team % 4]}"/></svg>'
    )


def level(t: Mapping[str, str], chances: Sequence[float]) -> Markup:
    """Return the level: its bubble leans to the favourite, and is within the lines while it is even."""
    k = len(chances)
    room, line = MIDDLE - BUBBLE - 3.0, (MIDDLE - BUBBLE - 3.0) * EVEN / 100.0 / END + BUBBLE

    def at(chance: float) -> float:
        return MIDDLE + room * max(-1.0, min(1.0, (chance * k - 1.0) / END))

    bubbles = [f'<ellipse class="bubble" cx="{at(chances[1]):.1f}" cy="20" rx="{BUBBLE:g}" ry="12.5"/>']
    if k > 2:
        bubbles = [
            f'<ellipse class="bubble" cx="{at(chance):.1f}" cy="{(20, 12, 28)[n % 3]}" rx="10" ry="8"/>'
            for n, chance in enumerate(chances)
        ]
    words = f"{numbers(t, chances)} {t['in_100']}"
    return Markup(  # noqa: S704  # numbers, and texts that are escaped
        f'<svg class="level" role="img" aria-label="{escape(words)}" viewBox="0 0 320 40" '
        'preserveAspectRatio="none"><rect class="glass" x="1" y="1" width="318" height="38" rx="19"/>'
        '<rect class="shine" x="16" y="4" width="288" height="6" rx="3"/>'
        f'<path class="mark" d="M{MIDDLE - line:.1f} 1.5v37M{MIDDLE + line:.1f} 1.5v37"/>'
        f"{''.join(bubbles)}</svg>"
    )


def signed(change: int) -> Markup:
    """Return a change with its sign, as a gain or a loss."""
    if not change:
        return Markup('<span class="quiet">±0</span>')
    kind = "gain" if change > 0 else "loss"
    return Markup('<span class="{}">{}{}</span>').format(kind, "+" if change > 0 else "\u2212", abs(change))


def sparkline(weights: Iterable[float]) -> Markup:
    """Return a course of weights as a small line; a unit of height is the same for all."""
    given = [*weights]
    if len(given) < 2:
        return Markup("")
    middle = (max(given) + min(given)) / 2.0
    step = 76.0 / (len(given) - 1)
    at = [
        (2.0 + n * step, 12.0 - max(-10.0, min(10.0, (weight - middle) * HEIGHT)))
        for n, weight in enumerate(given)
    ]
    line = " ".join(f"{x:.0f},{y:.1f}" for x, y in at)
    return Markup(  # noqa: S704  # numbers
        f'<svg class="spark" viewBox="0 0 82 24" aria-hidden="true"><polyline points="{line}"/>'
        f'<circle cx="{at[-1][0]:.0f}" cy="{at[-1][1]:.1f}" r="2.5"/></svg>'
    )
