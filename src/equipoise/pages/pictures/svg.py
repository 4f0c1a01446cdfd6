"""What every picture is made of: elements, texts, lines, and round numbers for axes."""

from __future__ import annotations

import math
import unicodedata
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from equipoise.core.plain_data import printable

#: Colours that differ for colour-blind eyes too: M. Okabe, K. Ito, "Color Universal Design", 2008.
#: Its yellow is darkened, as it is not seen on white.
COLOURS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#888888", "#9a8c00")
#: Dashes of lines, so that they differ in print without colours too; the first is solid.
DASHES = ("none", "8 3", "2 3", "8 3 2 3", "14 4", "1 5", "5 5", "12 3 2 3 2 3")
INK, PALE_INK, RULE, PAPER = "#1a1a1a", "#444444", "#c4c4c4", "#ffffff"

#: What a dark screen shows in place of ink and paper; print stays as it is.
_DARK = {INK: "#ececec", PALE_INK: "#c0c0c0", RULE: "#5a5a5a", PAPER: "#16181c", "#0072b2": "#4aa3e0"}

#: Widths of characters in parts of the font's size, rounded up: DejaVu Sans, the widest of the usual fonts.
_NARROW, _WIDE, _CAPITAL, _USUAL, _FULL = 0.42, 1.02, 0.8, 0.66, 1.1
_ELLIPSIS = "\u2026"

#: Width of a picture and its margins, in pixels.
WIDTH, MARGIN = 860, 30

Attributes = dict[str, Any]


def element(tag: str, content: str = "", *, raw: bool = False, **attributes: Any) -> str:
    """Return an element; text and attributes are escaped, ``_`` in their names stands for ``-``."""
    pairs = "".join(f" {key.replace('_', '-')}={quoteattr(str(value))}" for key, value in attributes.items())
    return f"<{tag}{pairs}>{content if raw else escape(printable(content))}</{tag}>"


def caption(content: str, x: float, y: float, fill: str, **attributes: Any) -> str:
    """Return a text at a place."""
    return element("text", content, x=round(x, 1), y=round(y, 1), fill=fill, **attributes)


def swatch(x: float, y: float, fill: str) -> str:
    """Return the square of colour before a text whose foot is at ``y``."""
    return element("rect", x=round(x, 1), y=round(y - 10, 1), width=10, height=10, rx=2, fill=fill)


def text_width(content: str, size: float = 13.0) -> float:
    """Return how many pixels a text takes at most, in any script.

    Examples
    --------
    >>> text_width("ill") < text_width("abc") < text_width("WWW") < text_width("\u5b57\u5b57\u5b57")
    True
    """
    return size * sum(map(_character_width, printable(content)))


def _character_width(sign: str) -> float:
    category = unicodedata.category(sign)
    if category in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(sign) in "WF" or category == "So":
        return _FULL
    if sign in "iljtfrI.,:;'|!()[]-` ":
        return _NARROW
    if sign in "mwMW@%" or (ord(sign) > 0x24F and category != "Ll"):
        return _WIDE
    return _CAPITAL if category in ("Lu", "Sm") else _USUAL


def shortened(content: str, width: float, size: float = 13.0) -> str:
    """Return a text that takes so many pixels at most: its middle is left out, as ends tell names apart.

    Examples
    --------
    >>> shortened("a-name-that-goes-on-and-on", 90)
    'a-nam\u2026d-on'
    """
    content = printable(content)
    if text_width(content, size) <= width:
        return content
    kept = len(content) - 1
    while kept > 1 and text_width(_without_middle(content, kept), size) > width:
        kept -= 1
    return _without_middle(content, kept)


def _without_middle(content: str, kept: int) -> str:
    head = (kept + 1) // 2
    return f"{content[:head].rstrip()}{_ELLIPSIS}{content[len(content) - kept + head :].lstrip()}"


def rule(y: float, start: float, end: float, stroke: str = RULE, **attributes: Any) -> str:
    """Return a level line."""
    return element("line", x1=round(start, 1), x2=round(end, 1), y1=y, y2=y, stroke=stroke, **attributes)


def document(title: str, width: float, height: float, parts: list[str], *, headline: int = 17) -> str:
    """Return a picture of a size with its title as a headline of so many pixels.

    It is on white in print and on a light screen, and on dark where the reader's screen is.
    """
    body = [
        element("title", title),
        element("style", _dark(), raw=True),
        element("rect", width=width, height=height, fill=PAPER),
        caption(title, MARGIN, 32, INK, font_size=headline, font_weight=600),
        *parts,
    ]
    size: Attributes = {"viewBox": f"0 0 {width} {height}", "width": width, "height": height}
    font: Attributes = {"font_family": "system-ui, sans-serif", "font_size": 13}
    content = "\n".join(["", *body, ""])
    address = "http://www.w3.org/2000/svg"
    return element("svg", content, raw=True, xmlns=address, role="img", **size, **font) + "\n"


def _dark() -> str:
    rules = "".join(
        f'[{kind}="{light}"]{{{kind}:{dark}}}' for light, dark in _DARK.items() for kind in ("fill", "stroke")
    )
    return f"@media screen and (prefers-color-scheme:dark){{{rules}}}"


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
