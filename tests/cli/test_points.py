"""Ratings of an archive are whole points in texts for people; data keep the weight, typed numbers stay."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.cli.running import run

from equipoise.pages.text.point_scale import PointScale
from equipoise.ratings.display_scale import Scale
from equipoise.teams.explain.valuation import Cost, TeamFacts

PLAYERS = ("Ann", "Bob", "Cid", "Dee", "Eve", "Fay")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Make an archive in which some win more than others."""
    folder = tmp_path_factory.mktemp("points")
    rows = [
        f'2026-0{month}-0{day},"{PLAYERS[day % 6]}, {PLAYERS[(day + month) % 6]}",'
        f'"{PLAYERS[(day + 3) % 6]}, {PLAYERS[(day + month + 3) % 6]}",{"red" if day < 6 else "blue"}'
        for month in (1, 2)
        for day in range(1, 9)
    ]
    (folder / "g.csv").write_text("\n".join(["date,red,blue,winner", *rows]) + "\n", encoding="utf-8")
    done = run("import-results", str(folder / "g.csv"), "--store", str(folder / "n.db"))
    assert done.returncode == 0, done.stderr
    return str(folder / "n.db")


def shown_points(text: str) -> dict[str, int]:
    """Return the points beside names."""
    return {name: int(points) for points, name in re.findall(r"^ +(\d+)  (\w+)$", text, re.MULTILINE)}


@pytest.mark.parametrize(
    "more",
    [
        (), ("--all",), ("--details", "--keep", "3"), ("--why", "Ann", "--why", "Ann,Fay"),
        ("--edit", "swap Ann Fay"), ("--objective", "difference"),
        ("--avoid", "Ann,Bob", "--party", "Cid,Dee"),
    ],
)  # fmt: skip
def test_an_explanation_speaks_of_the_points_that_it_shows(
    store: str, tmp_path: Path, more: tuple[str, ...]
) -> None:
    """Totals are sums of what stands beside the names, and costs are whole points."""
    roster = tmp_path / "here.txt"
    roster.write_text("\n".join(PLAYERS) + "\n", encoding="utf-8")
    done = run("explain", str(roster), "--store", store, *more)
    assert done.returncode == 0, done.stderr
    points = shown_points(done.stdout)
    assert points.keys() == {*PLAYERS}
    teams = re.findall(r"^Team \d: (?:total )?(\d+)", done.stdout, re.MULTILINE)
    rows = re.findall(r"^  Team \d  3 +(\d+) +(\d+) +(\d+) ", done.stdout, re.MULTILINE)
    if rows:
        assert [total for total, _, _ in rows] == teams
        assert [round(int(total) / 3) for total in teams] == [int(mean) for _, mean, _ in rows]
    for amount in re.findall(r"([\d.]+) points?(?: of)?\b", done.stdout):
        assert amount.isdecimal(), amount
    measured = r"\b(?:totals?|difference|spread|quantile|strongest) +([\d.]*\d)"
    for figure in re.findall(measured, done.stdout):
        assert figure.isdecimal(), figure


def test_data_keep_the_weight(store: str, tmp_path: Path) -> None:
    """JSON and CSV have the numbers of the model."""
    roster = tmp_path / "here.txt"
    roster.write_text("\n".join(PLAYERS) + "\n", encoding="utf-8")
    facts = json.loads(run("explain", str(roster), "--store", store, "--json").stdout)["explanation"][
        "division"
    ]
    assert all(abs(team["total"]) < 20 for team in facts["teams"])
    rows = run("explain", str(roster), "--store", store, "--csv").stdout.splitlines()[1:]
    assert [float(row.split(",")[2]) for row in rows] == [round(team["total"], 2) for team in facts["teams"]]


def test_who_joins_late_sees_points(store: str, tmp_path: Path) -> None:
    """The totals of each choice are the sums of the points that players have."""
    table = json.loads(run("players", "--store", store, "--json").stdout)
    listed = table if isinstance(table, list) else table["players"]
    points = {each["name"]: round(10 * each["weight"]) for each in listed}
    roster = tmp_path / "now.csv"
    roster.write_text("name,team\nAnn,1\nBob,2\nCid,1\nDee,2\nEve,\n", encoding="utf-8")
    text = run("late", str(roster), "--store", store).stdout
    red, blue = points["Ann"] + points["Cid"], points["Bob"] + points["Dee"]
    assert f"In Team 1: totals {red + points['Eve']} : {blue}, " in text
    assert f"In Team 2: totals {red} : {blue + points['Eve']}, " in text
    typed = tmp_path / "typed.csv"
    typed.write_text("name,weight,team\nAnn,5.25,1\nBob,4,2\nCid,3,\n", encoding="utf-8")
    assert "In Team 1: totals 8.25 : 4, " in run("late", str(typed)).stdout


def test_amounts_of_several_objectives_are_each_in_their_unit() -> None:
    """Of an order only those that are measured in weights become points; shared names count by the total."""
    shown = PointScale(Scale(centre=1.0, reach=5.0))
    cost = shown.explained(Cost(0.01, 0.5, 0.0, (0.25, 0.5)), "ratio, spread", {})
    assert cost == Cost(0.01, 50.0, 0.0, (0.25, 50.0))
    team = TeamFacts(("Ann", "Ann"), 0, 2.5, 1.25, 0.25, 0.6)
    assert shown.explained(team, "spread", {}) == TeamFacts(("Ann", "Ann"), 0, 1050, 525, 25.0, 0.6)
    assert shown.explained(team, "spread", {"Ann": 1.25}).total == 1050
