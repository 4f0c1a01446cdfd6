"""Elements of SVG, and the colours of all pictures."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape, quoteattr

from equipoise.pages.text import number, printable

#: Colours that differ for colour-blind eyes too: M. Okabe, K. Ito, "Color Universal Design", 2008.
COLOURS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999", "#f0e442")
INK, PALE_INK, RULE = "#1a1a1a", "#444444", "#c4c4c4"


def element(tag: str, content: str = "", *, raw: bool = False, **attributes: Any) -> str:
    """Return an element; text and attributes are escaped, ``_`` in their names stands for ``-``.

    Examples
    --------
    >>> element("text", "a < b", font_size=12)
    '<text font-size="12">a &lt; b</text>'
    """
    given = "".join(f" {key.replace('_', '-')}={quoteattr(str(value))}" for key, value in attributes.items())
    return f"<{tag}{given}>{content if raw else escape(printable(content))}</{tag}>"


def label(content: str, x: float, y: float, fill: str, **attributes: Any) -> str:
    """Return a text at a place."""
    return element("text", content, x=round(x, 1), y=round(y, 1), fill=fill, **attributes)


def number_at(value: float, x: float, y: float, **attributes: Any) -> str:
    """Return a number of an axis."""
    return label(number(value), x, y, PALE_INK, **attributes)
