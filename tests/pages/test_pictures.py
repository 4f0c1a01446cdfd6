"""Pictures: every dot and line is where its numbers are by the axes' own ticks."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from equipoise import balance, fill, pareto
from equipoise.core.plain_data import number
from equipoise.files.read_roster import read_roster
from equipoise.pages.pictures import svg
from equipoise.pages.pictures.lobby_chart import Box, box, lobbies_svg
from equipoise.pages.pictures.pareto_front import _free, front_svg
from equipoise.pages.pictures.rating_curves import curves_svg
from equipoise.pages.pictures.reliability import reliability_svg
from equipoise.pages.pictures.svg import COLOURS, DASHES, PALE_INK, shortened, text_width, ticks
from equipoise.pages.pictures.team_bars import teams_svg
from equipoise.pages.pictures.what_if_chart import arms_svg

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"


def close(value: object, abs: float | None = None) -> Any:  # noqa: A002  # as pytest calls it
    """Return what is equal to numbers near this one."""
    return pytest.approx(value, abs=abs)


def at(element: ET.Element, name: str) -> float:
    """Return an attribute as a number."""
    return float(element.get(name, "nan"))


def texts(picture: ET.Element) -> list[ET.Element]:
    """Return all captions."""
    return list(picture.iter(f"{SVG}text"))


def scale(picture: ET.Element, along: str) -> Callable[[float], float]:
    """Return the place of a number along an axis, as a reader works it out of the ticks beside it.

    Ticks across have their numbers in the middle below them, ticks upwards at the end beside them.
    """
    anchor = "middle" if along == "x" else "end"
    found = {}
    for each in texts(picture):
        beside = each.get("text-anchor") == anchor and each.get("fill") == PALE_INK
        if beside and re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", each.text or ""):
            found[float(each.text or "")] = at(each, along) - (4.0 if along == "y" else 0.0)
    (low, begin), (high, end) = min(found.items()), max(found.items())
    for value, place in found.items():
        assert place == close(begin + (value - low) / (high - low) * (end - begin), abs=0.3)
    assert (begin < end) is (along == "x")
    return lambda value: begin + (value - low) / (high - low) * (end - begin)


def check_paper(picture: ET.Element) -> None:
    """Nothing is drawn beside the paper, and no two texts cover one another."""
    width, height = at(picture, "width"), at(picture, "height")
    assert picture.get("viewBox") == f"0 0 {width:g} {height:g}"
    paper = next(picture.iter(f"{SVG}rect"))
    assert (at(paper, "width"), at(paper, "height")) == (width, height)
    places = []
    for each in picture.iter():
        for name, most in (
            ("x", width),
            ("x1", width),
            ("x2", width),
            ("cx", width),
            ("y", height),
            ("y1", height),
            ("y2", height),
            ("cy", height),
        ):
            if each.get(name) is not None:
                assert -0.01 <= at(each, name) <= most + 0.01
    for each in texts(picture):
        long, size = (
            text_width(each.text or "", float(each.get("font-size", 13))),
            float(each.get("font-size", 13)),
        )
        if each.get("transform"):
            assert each.get("transform") == f"rotate(-90 {each.get('x')} {each.get('y')})"
            continue
        left = at(each, "x") - {"middle": long / 2, "end": long}.get(each.get("text-anchor", ""), 0.0)
        assert left > -1.0
        places.append((left, left + 0.7 * long, at(each, "y") - 0.6 * size, at(each, "y")))
    for n, one in enumerate(places):
        for other in places[:n]:
            assert one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2]


def polyline(element: ET.Element) -> list[tuple[float, float]]:
    """Return the points of a line."""
    pairs = (each.split(",") for each in element.get("points", "").split())
    return [(float(x), float(y)) for x, y in pairs]


def test_dots_of_the_reliability_diagram_are_where_their_numbers_are() -> None:
    """Their area is the number of contests, down to a least size; what is on the diagonal is calibrated."""
    bins = {
        "elo": [(100, 0.55, 0.5), (25, 0.7, 0.8), (1, 0.95, 1.0)],
        "a-model-with-a-name-that-goes-on-and-on-and-on-and-on-for-ever": [(4, 0.6, 0.6), (4, 0.9, 0.3)],
    }
    picture = ET.fromstring(reliability_svg(bins))
    check_paper(picture)
    x, y = scale(picture, "x"), scale(picture, "y")
    dots = list(picture.iter(f"{SVG}circle"))
    flat = [(one, n, max(c for c, _, _ in some)) for n, some in enumerate(bins.values()) for one in some]
    for dot, ((count, chance, won), n, most) in zip(dots, flat, strict=True):
        assert (at(dot, "cx"), at(dot, "cy")) == (
            close(x(chance), abs=0.2),
            close(y(won), abs=0.2),
        )
        assert at(dot, "r") == close(max(3.0, 11.0 * math.sqrt(count / most)), abs=0.06)
        assert dot.get("fill") == COLOURS[n]
        assert dot[0].text == f"{count} contests: predicted {chance:.3f}, won {won:.3f}"
    for n, (line, some) in enumerate(zip(picture.iter(f"{SVG}polyline"), bins.values(), strict=True)):
        wanted = [(close(x(chance), abs=0.2), close(y(won), abs=0.2)) for _, chance, won in some]
        assert polyline(line) == wanted
        assert (line.get("stroke"), line.get("stroke-dasharray")) == (COLOURS[n], DASHES[n])
    diagonal = next(picture.iter(f"{SVG}line"))
    assert [at(diagonal, name) for name in ("x1", "y1", "x2", "y2")] == [
        close(each, abs=0.2) for each in (x(0.0), y(0.0), x(1.0), y(1.0))
    ]
    assert x(1.0) - x(0.0) == close(y(0.0) - y(1.0), abs=0.2)
    grid = list(picture.iter(f"{SVG}line"))[1:]
    assert len(grid) == 12
    for line, other in zip(grid[::2], grid[1::2], strict=True):
        assert line.get("x1") == line.get("x2")
        assert other.get("y1") == other.get("y2")
        for each, ends in ((line, [y(0.0), y(1.0)]), (other, [x(0.0), x(1.0)])):
            found = [at(each, "y1"), at(each, "y2")] if each is line else [at(each, "x1"), at(each, "x2")]
            assert found == [close(end, abs=0.2) for end in ends]
    labels = [each.text or "" for each in texts(picture)]
    assert "elo (126 contests)" in labels
    assert any(label.endswith("(8 contests)") and "…" in label for label in labels)
    squares = [each for each in picture.iter(f"{SVG}rect") if each.get("rx")]
    assert [each.get("fill") for each in squares] == list(COLOURS[:2])
    assert ET.fromstring(reliability_svg({"none": []})) is not None


def check_front(points: Sequence[tuple[float, float]], picture: ET.Element) -> None:
    """Dots stand where their numbers are, and steps lead from one to the next."""
    check_paper(picture)
    x, y = scale(picture, "x"), scale(picture, "y")
    dots = [(at(dot, "cx"), at(dot, "cy")) for dot in picture.iter(f"{SVG}circle")]
    near = [(close(x(one), abs=0.3), close(y(other), abs=0.3)) for one, other in points]
    assert dots == near
    steps = polyline(next(picture.iter(f"{SVG}polyline")))
    wanted = [dots[0]]
    for (_, before), (first, second) in pairwise(dots):
        wanted += [(first, before), (first, second)]
    assert steps == wanted


@pytest.mark.parametrize(("one", "other"), [("win", "spread"), ("difference", "ratio")])
def test_dots_of_a_front_are_where_their_numbers_are(one: str, other: str) -> None:
    """Each has its number; between two of them nothing is better than the corner of the step."""
    front = pareto(read_roster(str(ROOT / "examples" / "roster.txt")), one, other)
    picture = ET.fromstring(front_svg(front))
    check_front(front.points, picture)
    labels = [each.text for each in texts(picture)]
    assert labels[-1] == f"{len(front.points)} splits, proven to be all."
    assert [label for label in labels if label and label.isdigit() and int(label) <= len(front.points)]
    assert f"{one} against {other}" in labels
    hints = [dot[0].text for dot in picture.iter(f"{SVG}circle")]
    assert hints[0] == f"{one} {number(front.points[0][0])}, {other} {number(front.points[0][1])}"


def test_numbers_beside_dots_do_not_cover_one_another() -> None:
    """However near the dots are; where every side is taken they stand above."""
    taken: list[tuple[float, float]] = []
    wide = text_width("00", 12)
    for n in range(12):
        place = _free(100.0 + 0.1 * n, 100.0, taken)
        assert all(abs(place[0] - x) >= wide or abs(place[1] - y) >= 12 for x, y in taken)
        taken.append(place)
    assert taken[:4] == [
        (109.0, 93.0),
        (close(109.1), 115.0),
        (close(91.2 - wide), 93.0),
        (close(91.3 - wide), 115.0),
    ]
    assert _free(500.0, 500.0, taken) == (509.0, 493.0)


def test_the_pictures_of_the_documents_are_those_that_are_drawn() -> None:
    """The README's teams and the front of the page on preferences, as their readers see them."""
    roster = read_roster(str(ROOT / "examples" / "roster.txt"))
    teams = teams_svg(balance(roster, parties=[("Amber", "Birch")]), names=("Red", "Blue"))
    images = ROOT / "docs" / "images"
    assert (images / "teams.svg").read_text(encoding="utf-8") == teams
    assert (images / "front.svg").read_text(encoding="utf-8") == front_svg(pareto(roster, "win", "spread"))
    check_paper(ET.fromstring(teams))


def test_intervals_of_what_might_have_been_are_where_their_numbers_are() -> None:
    """A dot for the mean, a line from the lower to the higher end; less is further left."""
    rows = [("played", 0.2, (0.15, 0.25)), ("equipoise", 0.05, (0.04, 0.07))]
    picture = ET.fromstring(arms_svg(rows, 60))
    check_paper(picture)
    x = scale(picture, "x")
    dots = list(picture.iter(f"{SVG}circle"))
    lines = [each for each in picture.iter(f"{SVG}line") if each.get("stroke-width") == "3"]
    heights = [at(each, "y") - 4.0 for each in texts(picture) if each.text in ("played", "equipoise")]
    for n, ((_, mean, (low, high)), dot, line) in enumerate(zip(rows, dots, lines, strict=True)):
        found = [at(dot, "cx"), at(line, "x1"), at(line, "x2")]
        assert found == [close(x(each), abs=0.3) for each in (mean, low, high)]
        assert {at(dot, "cy"), at(line, "y1"), at(line, "y2")} == {heights[n]}
        assert dot.get("fill") == line.get("stroke") == COLOURS[n]
    title = next(picture.iter(f"{SVG}title")).text
    assert title == "How close teams would have been in 60 matches"
    narrow = scale(ET.fromstring(arms_svg([("a", 0.001, (0.0, 0.002))], 1)), "x")
    assert narrow(0.05) - narrow(0.0) == close(420.0, abs=1.0)


def test_curves_are_where_their_numbers_are() -> None:
    """A line of means, a band of one sigma each way, a dot at the end; dates are spread evenly."""
    day = 86400.0
    curves = {"ann": [(0.0, 1.0, 1.0), (10 * day, 3.0, 0.5)], "bob": [(5 * day, -1.0, 0.25)]}
    picture = ET.fromstring(curves_svg(curves, "Skill"))
    check_paper(picture)
    y = scale(picture, "y")
    grid = next(picture.iter(f"{SVG}line"))
    left, right = at(grid, "x1"), at(grid, "x2")

    def x(moment: float) -> float:
        return left + moment / (10 * day) * (right - left)

    dots, lines, bands = (list(picture.iter(SVG + tag)) for tag in ("circle", "polyline", "polygon"))
    for n, (curve, dot, line, band) in enumerate(zip(curves.values(), dots, lines, bands, strict=True)):
        near = [(close(x(when), abs=0.2), close(y(mu), abs=0.2)) for when, mu, _ in curve]
        assert polyline(line) == near
        assert (at(dot, "cx"), at(dot, "cy")) == polyline(line)[-1]
        upper = [(close(x(when), abs=0.2), close(y(mu + s), abs=0.2)) for when, mu, s in curve]
        lower = [(close(x(when), abs=0.2), close(y(mu - s), abs=0.2)) for when, mu, s in curve]
        assert polyline(band) == [*upper, *reversed(lower)]
        assert {dot.get("fill"), line.get("stroke"), band.get("fill")} == {COLOURS[n]}
        assert line.get("stroke-dasharray") == DASHES[n]
    labels = {each.text: each for each in texts(picture)}
    assert {"ann  3.00 ± 0.50", "bob  -1.00 ± 0.25"} <= labels.keys()
    for n in range(6):
        label = labels[f"1970-01-{1 + 2 * n:02d}"]
        assert at(label, "x") == close(x(2 * n * day), abs=0.2)
        assert label.get("text-anchor") == ("start" if n == 0 else "end" if n == 5 else "middle")


@pytest.mark.parametrize("span", [0.0, 86400.0, 3 * 86400.0 - 1.0, 3 * 86400.0])
def test_within_three_days_times_are_shown(span: float) -> None:
    """Of one moment the half days around it."""
    picture = ET.fromstring(curves_svg({"a": [(0.0, 1.0, 0.0), (span, 1.0, 0.0)]}, "t"))
    begin = datetime.fromtimestamp(0.0 if span else -43200.0, UTC)
    form = "%Y-%m-%d" if span >= 3 * 86400.0 else "%d %b %H:%M"
    assert begin.strftime(form) in [each.text for each in texts(picture)]
    levels = sorted({at(each, "y1") for each in picture.iter(f"{SVG}line")})
    assert levels[0] < at(next(picture.iter(f"{SVG}circle")), "cy") < levels[-1]


@pytest.mark.parametrize("seed", range(8))
def test_a_box_is_tukeys(seed: int) -> None:
    """Quartiles between the numbers, whiskers to the farthest within one and a half times their distance."""
    rng = np.random.default_rng(seed)
    values = rng.normal(0.0, 1.0, int(rng.integers(2, 30))).round(1).tolist()
    if seed % 2:
        values += [9.0, -9.0]
    found = box(values)
    first, median, third = (float(np.quantile(values, share)) for share in (0.25, 0.5, 0.75))
    reach = 1.5 * (third - first)
    inside = [each for each in values if first - reach - 1e-12 <= each <= third + reach + 1e-12]
    assert found[:5] == tuple(close(each) for each in (min(inside), first, median, third, max(inside)))
    assert sorted(found.outliers) == sorted(set(values) - set(inside)) or len(found.outliers) == len(
        values
    ) - len(inside)
    assert box([3.0]) == Box(3.0, 3.0, 3.0, 3.0, 3.0, ())


def test_boxes_of_lobbies_are_where_their_numbers_are() -> None:
    """Of each lobby its teams' totals less its target; nothing where it has no teams."""
    rng = np.random.default_rng(3)
    players = {f"p{n}": float(value) for n, value in enumerate(rng.normal(25.0, 8.0, 24).round(1))}
    plan = fill(players, {"low": 40.0, "high": 60.0}, team_size=2)
    picture = ET.fromstring(lobbies_svg(plan))
    check_paper(picture)
    x = scale(picture, "x")
    boxes = [each for each in picture.iter(f"{SVG}rect") if each.get("fill-opacity")]
    for lobby, drawn in zip(plan.lobbies, boxes, strict=True):
        away = [total - lobby.target for total in lobby.totals]
        first, median, third = statistics.quantiles(away, n=4, method="inclusive")
        assert at(drawn, "x") == close(x(first), abs=0.3)
        assert at(drawn, "width") == close(max(x(third) - x(first), 1.0), abs=0.3)
        middle = at(drawn, "y") + at(drawn, "height") / 2
        bars = [
            each
            for each in picture.iter(f"{SVG}line")
            if each.get("x1") == each.get("x2")
            and at(each, "y1") < middle < at(each, "y2")
            and each.get("stroke") == drawn.get("stroke")
        ]
        plot = box(away)
        assert [at(each, "x1") for each in bars] == [
            close(x(each), abs=0.3) for each in (plot.low, plot.high, plot.median)
        ]
        assert [each.get("stroke-width") for each in bars][-1] == "3"
        assert median == plot.median
    zero = [each for each in picture.iter(f"{SVG}line") if each.get("stroke-dasharray") == "3 4"]
    assert len(zero) == len(plan.lobbies)
    assert all(at(each, "x1") == at(each, "x2") == close(x(0.0), abs=0.3) for each in zero)


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 1.0), (-4.0, 103.0), (1e-9, 3e-9), (-7.0, -6.9), (0.0, 6.0), (0.0, 12.0)]
)
def test_ticks_are_round_and_about_six(low: float, high: float) -> None:
    """From the first one within the range to the last; the step is 1, 2 or 5 times a power of ten."""
    found = ticks(low, high)
    step = found[1] - found[0]
    assert min(abs(step / 10 ** round(math.log10(step / each)) - each) for each in (1, 2, 5, 10)) < 1e-6
    assert 3 <= len(found) <= 7
    assert low - 1e-12 <= found[0] < low + step * (1 + 1e-9)
    assert high - step * (1 + 1e-9) < found[-1] <= high + 1e-12
    assert all(after - before == close(step) for before, after in pairwise(found))
    assert all(round(each / step) * step == close(each, abs=1e-12) for each in found)


@pytest.mark.parametrize("width", [10.0, 30.0, 60.0, 90.0, 200.0])
def test_long_texts_lose_their_middle(width: float) -> None:
    """As few signs as needed; short ones stay as they are, and something is always left."""
    name = "a-name-that-goes-on-and-on"
    found = shortened(name, width)
    if text_width(name) <= width:
        assert found == name
        return
    head, tail = found.split("…")
    assert name.startswith(head)
    assert name.endswith(tail)
    assert len(head) - len(tail) in (0, 1)
    kept = len(head) + len(tail)
    assert kept == 1 or text_width(found) <= width
    longer = name[: (kept + 2) // 2] + "…" + name[len(name) - (kept + 1) // 2 :]
    assert text_width(longer) > width


def test_widths_are_by_kind_of_sign() -> None:
    """Narrow, usual, capital, wide and full ones; marks that stand on others take no room."""
    found = [
        text_width(sign, 100.0) for sign in ("i", "a", "A", "W", "字", "é", "e\u0301", "😀", "д", "Д", "+")
    ]
    assert found == close([42, 66, 80, 102, 110, 66, 66, 110, 66, 102, 80])


def test_a_dark_screen_has_other_inks() -> None:
    """Each colour of the light one that would not be seen is replaced, in fills and strokes."""
    style = next(ET.fromstring(svg.document("t", 10, 10, [])).iter(f"{SVG}style")).text or ""
    for light, dark in svg._DARK.items():
        assert f'[fill="{light}"]{{fill:{dark}}}' in style
        assert f'[stroke="{light}"]{{stroke:{dark}}}' in style
