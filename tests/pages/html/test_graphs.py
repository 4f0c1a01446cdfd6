"""Graphs of pages: every dot, line and column is where its number is by the axis beside it."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import pytest

from equipoise.pages.html.graphs import MOST_POINTS, band_graph, calibration_graph, columns_graph
from equipoise.ratings.timeline import Point


def close(value: object) -> Any:
    """Return what is equal to numbers within the last digit that is drawn."""
    return pytest.approx(value, abs=0.11)


def level(picture: ET.Element, words: str) -> float:
    """Return the height of the line that is labelled so."""
    drawn = zip(picture.iter("text"), picture.iter("line"), strict=False)
    text, line = next((text, line) for text, line in drawn if text.text == words)
    assert float(text.get("y", "nan")) == close(float(line.get("y1", "nan")) + 4.0)
    assert line.get("y1") == line.get("y2")
    return float(line.get("y1", "nan"))


def points(picture: ET.Element, tag: str) -> list[tuple[float, float]]:
    """Return the points of a line or a band."""
    pairs = (pair.split(",") for pair in next(picture.iter(tag)).get("points", "").split())
    return [(float(x), float(y)) for x, y in pairs]


def inside(picture: ET.Element) -> None:
    """Nothing is beside the paper."""
    _, _, width, height = map(float, picture.get("viewBox", "").split())
    for each in picture.iter():
        for name, most in (
            ("x", width),
            ("x1", width),
            ("x2", width),
            ("cx", width),
            ("y", height),
            ("cy", height),
        ):
            assert 0.0 <= float(each.get(name, 0.0)) <= most


@pytest.mark.parametrize("many", [1, 2, 5, MOST_POINTS, MOST_POINTS + 1, 3 * MOST_POINTS - 1])
def test_a_band_is_a_line_between_its_ends(many: int) -> None:
    """Games one beside the other, the last one always; of very many some are left out."""
    games = [Point(n, 86400.0 * n, 40.0 + n % 7, 30.0 + n % 7, 60.0 + n % 7, 0.0) for n in range(many)]
    picture = ET.fromstring(band_graph(games, "<Ann>", "new"))
    inside(picture)
    top, bottom = level(picture, "600"), level(picture, "300")

    def y(weight: float) -> float:
        return bottom + (top - bottom) * (weight - 30.0) / 30.0

    for words in ("400", "500"):
        assert level(picture, words) == close(y(float(words) / 10.0))
    step = -(-many // MOST_POINTS)
    shown = [*games[:-1][::step], games[-1]]
    assert len(shown) <= MOST_POINTS + 1
    line, band = points(picture, "polyline"), points(picture, "polygon")
    axis = next(picture.iter("line"))
    left, right = float(axis.get("x1", "nan")), float(axis.get("x2", "nan"))
    across = [left + (right - left) * n / max(len(shown) - 1, 1) for n in range(len(shown))]
    assert line == [(close(x), close(y(game.weight))) for x, game in zip(across, shown, strict=True)]
    upper = [(close(x), close(y(game.high))) for x, game in zip(across, shown, strict=True)]
    lower = [(close(x), close(y(game.low))) for x, game in zip(across, shown, strict=True)]
    assert band == [*upper, *reversed(lower)]
    dot = next(picture.iter("circle"))
    assert (float(dot.get("cx", "nan")), float(dot.get("cy", "nan"))) == line[-1]
    first, last = list(picture.iter("text"))[-2:]
    assert (first.get("text-anchor"), last.get("text-anchor"), first.text) == ("start", "end", "1970-01-01")
    assert picture.get("aria-label") == "<Ann>"


def test_calibration_is_on_the_diagonal_where_predictions_hold() -> None:
    """Both axes from nothing to all; a larger dot is more games."""
    bins = [(100, 0.5, 0.5), (25, 0.75, 1.0), (1, 1.0, 0.25)]
    picture = ET.fromstring(calibration_graph(bins, "t"))
    inside(picture)
    bottom, top = level(picture, "0 %"), level(picture, "100 %")
    even = next(each for each in picture.iter("line") if each.get("class") == "even")
    left, right = float(even.get("x1", "nan")), float(even.get("x2", "nan"))
    assert (float(even.get("y1", "nan")), float(even.get("y2", "nan"))) == (close(bottom), close(top))
    dots = list(picture.iter("circle"))
    for dot, (count, chance, won), place in zip(dots, bins, points(picture, "polyline"), strict=True):
        assert place == (close(left + (right - left) * chance), close(bottom + (top - bottom) * won))
        assert (float(dot.get("cx", "nan")), float(dot.get("cy", "nan"))) == place
        assert float(dot.get("r", "nan")) == close(3.0 + 6.0 * (count / 100) ** 0.5)
    below = [each for each in picture.iter("text") if float(each.get("y", "nan")) > bottom + 4.2]
    assert [each.text for each in below] == ["25 %", "50 %", "75 %", "100 %"]
    for n, each in enumerate(below, start=1):
        assert float(each.get("x", "nan")) == close(left + (right - left) * n / 4)
        assert each.get("text-anchor") == ("end" if n == 4 else "middle")
    assert [level(picture, f"{25 * n} %") for n in range(1, 4)] == [
        close(bottom + (top - bottom) * n / 4) for n in range(1, 4)
    ]


@pytest.mark.parametrize("counts", [[3], [0, 0], [1, 5, 2], list(range(30))])
def test_columns_are_as_high_as_their_counts(counts: list[int]) -> None:
    """From the axis up; of few there is room for ten, the first, the middle and the last have labels."""
    labels = [f"label {n}" for n in range(len(counts))]
    picture = ET.fromstring(columns_graph(counts, labels, "t"))
    inside(picture)
    most = max(*counts, 1)
    bottom, top = level(picture, "0"), level(picture, str(most))
    columns = list(picture.iter("rect"))
    axis = next(picture.iter("line"))
    left, right = float(axis.get("x1", "nan")), float(axis.get("x2", "nan"))
    wide = (right - left) / max(len(counts), 10)
    for n, (column, count) in enumerate(zip(columns, counts, strict=True)):
        x, y, width, height = (float(column.get(name, "nan")) for name in ("x", "y", "width", "height"))
        assert (x, width) == (close(left + n * wide + 0.5), close(wide - 1.0))
        assert height == close((bottom - top) * count / most)
        assert y + height == close(bottom)
    shown = [each for each in picture.iter("text") if (each.text or "").startswith("label")]
    wanted = sorted({0, len(counts) // 2, len(counts) - 1})
    assert [each.text for each in shown] == [labels[n] for n in wanted]
    for n, each in zip(wanted, shown, strict=True):
        anchor = "start" if n == 0 else "end" if n == len(counts) - 1 else "middle"
        share = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
        assert (each.get("text-anchor"), float(each.get("x", "nan"))) == (
            anchor,
            close(left + (n + share) * wide),
        )
