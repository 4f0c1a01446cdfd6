"""What every picture is made of: elements, texts, lines, and round numbers for axes."""

from __future__ import annotations

import math
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from equipoise.fields import printable

#: Colours that differ for colour-blind eyes too: M. Okabe, K. Ito, "Color Universal Design", 2008.
COLOURS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999", "#f0e442")
INK, PALE_INK, RULE = "#1a1a1a", "#444444", "#c4c4c4"

#: Width of a picture and its margins, in pixels.
WIDTH, MARGIN = 860, 30

Attributes = dict[str, Any]


def element(tag: str, content: str = "", *, raw: bool = False, **attributes: Any) -> str:
    """Return an element; text and attributes are escaped, ``_`` in their names stands for ``-``."""
    given = "".join(f" {key.replace('_', '-')}={quoteattr(str(value))}" for key, value in attributes.items())
    return f"<{tag}{given}>{content if raw else escape(printable(content))}</{tag}>"


def caption(content: str, x: float, y: float, fill: str, **attributes: Any) -> str:
    """Return a text at a place."""
    return element("text", content, x=round(x, 1), y=round(y, 1), fill=fill, **attributes)


def rule(y: float, start: float, end: float, stroke: str = RULE, **attributes: Any) -> str:
    """Return a level line."""
    return element("line", x1=round(start, 1), x2=round(end, 1), y1=y, y2=y, stroke=stroke, **attributes)


def document(title: str, width: float, height: float, parts: list[str], *, headline: int = 17) -> str:
    """Return a picture of a size, on white, with its title as a headline of so many pixels."""
    body = [
        element("title", title),
        element("rect", width=width, height=height, fill="#ffffff"),
        caption(title, MARGIN, 32, INK, font_size=headline, font_weight=600),
        *parts,
    ]
    size: Attributes = {"viewBox": f"0 0 {width} {height}", "width": width, "height": height}
    font: Attributes = {"font_family": "system-ui, sans-serif", "font_size": 13}
    content = "\n".join(["", *body, ""])
    address = "http://www.w3.org/2000/svg"
    return element("svg", content, raw=True, xmlns=address, role="img", **size, **font) + "\n"


def ticks(low: float, high: float) -> list[float]:
    """Return round numbers between two: about six, a step of 1, 2 or 5 times a power of ten apart.

    Examples
    --------
    >>> ticks(-4.0, 103.0)
    [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]
    """
    power = 10.0 ** math.floor(math.log10((high - low) / 6))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor * 6 >= high - low)
    first = math.ceil(low / step)
    return [n * step for n in range(first, math.floor(high / step) + 1)]
