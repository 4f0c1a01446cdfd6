"""The way of a roster's line: which modules ``equipoise balance`` enters, from flags to text."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType

import pytest
from tests.cli.running import runner

from equipoise.cli import group

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"
EXAMPLES = CONTRIBUTING.parent / "examples"


#: Ten players with nothing but a weight, as lines and as a table.
WEIGHTS = (31, 12, 47, 25, 38, 19, 54, 22, 41, 16)
LINES = "".join(f"{weight} P{weight}\n" for weight in WEIGHTS)
TABLE = "name,weight\n" + "".join(f"P{weight},{weight}\n" for weight in WEIGHTS)

#: The most modules that there may be on the way.
MOST = 25


def way(path: Path) -> set[str]:
    """Return the modules that have a function called; imports, which happen once, are not counted."""
    command_line, entered = runner(), set[str]()

    def note(frame: FrameType, event: str, argument: object) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("equipoise.") and frame.f_code.co_name != "<module>":
            entered.add(module.removeprefix("equipoise."))

    command_line.invoke(group, ["balance", str(path)])
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        done = command_line.invoke(group, ["balance", str(path)])
    finally:
        sys.setprofile(before)
    assert done.exit_code == 0
    return entered


def test_the_modules_on_the_way_are_those_written_down(tmp_path: Path) -> None:
    """The table in CONTRIBUTING lists them all and no other, and there are few."""
    roster = tmp_path / "roster.txt"
    roster.write_text(LINES)
    entered = way(roster)
    text = CONTRIBUTING.read_text(encoding="utf-8")
    section = text[text.index("## The way of a roster's line") : text.index("## House style")]
    table = section[section.index("|") : section.index("What a line asks for besides")]
    assert entered == set(re.findall(r"`([a-z_.]+)`", table))
    assert len(entered) <= MOST


@pytest.mark.parametrize(
    ("row", "content"),
    [
        ("a party", "31 Ann + 25 Bob\n" + "".join(f"{n} P{n}\n" for n in range(30, 38))),
        ("a party", "name,weight,party\nAnn,31,x\nBob,25,x\nCid,20,\nDan,9,\n"),
        ("whom somebody prefers or avoids", "name,weight,prefer,avoid\nAnn,31,Bob,\nBob,25,,Cid\nCid,20,,\n"),
        (
            "roles, a side, no weight",
            "name,weight,roles,side\nAnn,31,tank=30;heal,1\nBob,,heal,\nCid,20,,0\n",
        ),
    ],
)
def test_what_a_line_asks_for_besides_enters_its_own_modules(row: str, content: str, tmp_path: Path) -> None:
    """Those that the table names for it, and no other."""
    plain, asking = tmp_path / "plain.txt", tmp_path / ("asking.csv" if "," in content else "asking.txt")
    plain.write_text(LINES)
    asking.write_text(content)
    (named,) = (
        line for line in CONTRIBUTING.read_text(encoding="utf-8").splitlines() if f"| {row} |" in line
    )
    entered = way(asking)
    assert len(entered) <= MOST
    assert entered - way(plain) == set(re.findall(r"`([a-z_.]+)`", named))


def test_the_way_of_the_example_is_no_longer() -> None:
    """Nor is that of the roster that comes with the project."""
    assert len(way(EXAMPLES / "roster.txt")) <= MOST


def test_the_way_of_a_table_is_no_longer(tmp_path: Path) -> None:
    """A table takes the same way but for what reads pasted lines."""
    lines, table = tmp_path / "roster.txt", tmp_path / "roster.csv"
    lines.write_text(LINES)
    table.write_text(TABLE)
    assert way(table) < way(lines)
