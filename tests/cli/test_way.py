"""The way of a roster's line: which modules ``equipoise balance`` enters, from flags to text."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType

from click.testing import CliRunner

from equipoise.cli.balance import command

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"


def test_the_modules_on_the_way_are_those_written_down(tmp_path: Path) -> None:
    """Functions are called in these modules only; imports, which happen once, are not counted."""
    roster = tmp_path / "roster.txt"
    roster.write_text("".join(f"{weight} P{weight}\n" for weight in (31, 12, 47, 25, 38, 19, 54, 22, 41, 16)))
    runner, entered = CliRunner(), set[str]()

    def note(frame: FrameType, event: str, argument: object) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("equipoise.") and frame.f_code.co_name != "<module>":
            entered.add(module.removeprefix("equipoise."))

    runner.invoke(command, [str(roster)])
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        done = runner.invoke(command, [str(roster)])
    finally:
        sys.setprofile(before)
    assert done.exit_code == 0
    text = CONTRIBUTING.read_text(encoding="utf-8")
    section = text[text.index("## The way of a roster's line") : text.index("## House style")]
    table = section[section.index("|") :]
    assert entered == set(re.findall(r"`([a-z_.]+)`", table))
