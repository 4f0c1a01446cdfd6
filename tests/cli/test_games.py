"""``games try``: what a description makes of a log, and what is said when that is nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import run

DESCRIPTION = """name = "soldat"
server = "a Soldat server"
line = "{_} {clock} {text}"
teams = ["alpha", "bravo"]
[events]
begin = "Map changed to {map}"
team = "{who} has joined {team} team."
score = "{who} scores for {_}"
end = "Time limit hit."
"""
LOG = """26-11-24 20:14:58 Map changed to ctf_Ash
26-11-24 20:15:02 Ann has joined alpha team.
26-11-24 20:15:03 Bob has joined bravo team.
26-11-24 20:17:30 Ann scores for Alpha Team
26-11-24 20:25:00 Time limit hit.
"""


@pytest.mark.parametrize(
    ("line", "log", "said"),
    [
        ("{_} {clock} {text}", LOG, ["5 of 5 lines mean something.", "Ann (1) against Bob (0)"]),
        ("{date} {text}", LOG, ["0 of 5", "5 are not of the form '{date} {text}'; the first is line 1."]),
        (
            "{_} {clock} {text}",
            LOG[:-1],
            ["5 of 5", "Ann (1) against Bob (0)", "Line 5, the last, has no line feed"],
        ),
    ],
)
def test_what_is_not_read_is_said(tmp_path: Path, line: str, log: str, said: list[str]) -> None:
    """Lines of another form, and a last line that has no end yet."""
    (tmp_path / "soldat.toml").write_text(DESCRIPTION.replace("{_} {clock} {text}", line))
    (tmp_path / "soldat.log").write_text(log)
    shown = run("games", "try", str(tmp_path / "soldat.toml"), str(tmp_path / "soldat.log")).stdout
    assert all(each in shown for each in said), shown
