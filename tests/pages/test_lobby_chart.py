"""The picture of a plan is well-formed whatever the names, and shows every lobby."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from equipoise import fill
from equipoise.pages.pictures.lobby_chart import lobbies_svg


@pytest.mark.parametrize("scale", [0.0, 1e-9, 1.0, 1e12])
def test_any_scale_can_be_drawn(scale: float) -> None:
    """Equal, tiny and huge skills, and lobbies that stay empty."""
    players = {f"p{n}": n * scale for n in range(9)}
    plan = fill(players, {"<a & b>": 5.0 * scale, "far": 100 * scale}, team_size=2)
    picture = ET.fromstring(lobbies_svg(plan))
    texts = "".join(text.text or "" for text in picture.iter("{http://www.w3.org/2000/svg}text"))
    assert "<a & b>: target" in texts
    assert "far: target" in texts
