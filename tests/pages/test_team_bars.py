"""The picture of a split is well-formed whatever the names, and shows everyone."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from equipoise import Bots, balance
from equipoise.core.plain_data import number, printable
from equipoise.pages.pictures.svg import MARGIN, WIDTH, text_width, ticks
from equipoise.pages.pictures.team_bars import teams_svg
from equipoise.pages.text.teams import proof_of

SVG = "{http://www.w3.org/2000/svg}"


def test_every_player_and_bot_is_a_dot() -> None:
    """A dot for each, with a hint, and one for each team's mean."""
    solution = balance({"a": 5.0, "b": 7.0, "<script>": 9.0}, bots=Bots(6.0, target=6))
    picture = ET.fromstring(teams_svg(solution, names=("Red & Blue",)))
    hints = [title.text for dot in picture.iter(f"{SVG}circle") for title in dot.iter(f"{SVG}title")]
    assert sorted(hints) == ["<script>: 9", "a: 5", "b: 7", "bot: 6", "bot: 6", "bot: 6"]
    assert len(list(picture.iter(f"{SVG}circle"))) == 6 + 2
    texts = [text.text for text in picture.iter(f"{SVG}text")]
    assert "Red & Blue" in texts
    assert "Team 2" in texts


#: Names as long as they come, in many scripts, of wide and of narrow letters.
NAMES = (
    "Amber",
    "Кирилл Александрович", "محمد بن سلمان", "李小龙的超级无敌大粉丝团", "Þórbergur Jökulsson", "W" * 32,
    "ilililil", "สมชาย ใจดี", "देवेन्द्र कुमार शर्मा", "🔥🔥FireLord🔥🔥", "xX_TheSniperOfTheNorth_Xx", "김철수",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 13, 40, 64])
@pytest.mark.parametrize("spread", [0, 3, 900])
def test_every_name_is_there_and_covers_no_other(n: int, spread: int) -> None:
    """Whatever the script, the length and the ties; one that is cut keeps both ends."""
    roster = {f"{NAMES[i % len(NAMES)]} {i}": 1500.0 + (i * 37 % n) * spread / n for i in range(n)}
    picture = ET.fromstring(teams_svg(balance(roster, solver="greedy")))
    boxes = [
        (float(text.attrib["x"]), float(text.attrib["y"]), text.text or "")
        for text in picture.iter(f"{SVG}text")
        if text.get("font-size") == "12"
    ]
    assert sorted(name.split()[-1] for *_, name in boxes) == sorted(str(i) for i in range(n))
    for k, (x, y, name) in enumerate(boxes):
        assert x >= 0
        assert x + text_width(name, 12) <= 860
        for other_x, other_y, other in boxes[:k]:
            apart = x >= other_x + text_width(other, 12) or other_x >= x + text_width(name, 12)
            assert apart or abs(y - other_y) >= 14, (name, other)


@pytest.mark.parametrize(
    "weights", [[0.0, 0.0], [1e12, 1e12 + 1], [1e-9, 2e-9], [5.0, 5.0, 5.0], [-3.0, 4.0]]
)
def test_any_scale_of_weights_can_be_drawn(weights: list[float]) -> None:
    """No weights, however alike or far apart, break the axis."""
    roster = {f"p{n}": weight for n, weight in enumerate(weights)}
    picture = ET.fromstring(teams_svg(balance(roster, objective="difference")))
    assert all(0 <= float(dot.attrib["cx"]) <= 860 for dot in picture.iter(f"{SVG}circle"))


def test_ticks_are_round_and_within() -> None:
    """From two to thirteen of them, whatever the range."""
    for low, high in ((0.0, 1.0), (-7.0, 13.0), (1e6, 1e6 + 3), (0.001, 0.0042)):
        marks = ticks(low, high)
        assert 2 <= len(marks) <= 13
        assert all(low <= mark <= high for mark in marks)


@pytest.mark.parametrize(
    ("name", "shown"), [("Ann", "Ann"), ("محمد", "محمد"), ("a\u202eb", "a\\u202eb"), ("\x07", "\\x07")]
)
def test_names_are_shown_as_they_are_unless_they_would_change_the_screen(name: str, shown: str) -> None:
    """Control and direction-changing characters are escaped, scripts are not."""
    assert printable(name) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(374.0, "374"), (-0.0, "0"), (0.00012345, "0.0001234"), (1e20, "1e+20")]
)
def test_numbers_are_short(value: float, shown: str) -> None:
    """Whole where whole, else four digits that count."""
    assert number(value) == shown


@pytest.mark.slow
@pytest.mark.parametrize("teams", [2, 3, 8, 40])
def test_the_headline_fits(teams: int) -> None:
    """Where a verdict with the chances of all teams is too long, it has the least and the most."""
    players = {f"p{n}": 1000.0 + 7.3 * n * n for n in range(2 * teams)}
    solution = balance(players, teams=teams, solver="resplit" if teams > 8 else "auto", effort=0.01)
    (title,) = re.findall(r"<title>(.*?)</title>", teams_svg(solution))[:1]
    assert text_width(title, 18.5) <= WIDTH - MARGIN
    assert ("win chances" in title) == (teams >= 8)
    assert title.endswith(proof_of(solution))
