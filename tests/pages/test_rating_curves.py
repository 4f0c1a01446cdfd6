"""The picture of curves is well-formed whatever the names and times, and names everyone."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from equipoise.pages.pictures.rating_curves import curves_svg

TEXT = "{http://www.w3.org/2000/svg}text"


@pytest.mark.parametrize("span", [0.0, 60.0, 1e7, 1e14])
@pytest.mark.parametrize("sigma", [0.0, 0.5])
def test_any_span_can_be_drawn(span: float, sigma: float) -> None:
    """One moment, an hour, a year, and more than calendars hold; certain and uncertain."""
    points = [(0.0, 1.0, sigma), (span, 1.0, sigma)]
    picture = ET.fromstring(curves_svg({"<Ann & Bob>": points, "\x1b[31m": points[:1]}, "Skill"))
    texts = "".join(text.text or "" for text in picture.iter(TEXT))
    assert "<Ann & Bob>" in texts
    assert "\\x1b[31m" in texts
    numbers = [
        float(dot.get(side, "nan")) for dot in picture.iter() for side in ("cx", "cy") if dot.get(side)
    ]
    assert all(0.0 <= number <= 1000.0 for number in numbers)
