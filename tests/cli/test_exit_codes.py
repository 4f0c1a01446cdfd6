"""Exit codes and the form of errors: what the page says is what the commands do."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from tests.cli.running import run_process

import equipoise.cli
from equipoise.cli.exit_codes import EXIT_CODES

PAGE = Path(__file__).parents[2] / "docs" / "errors.md"
SOURCES = sorted(Path(equipoise.cli.__file__).parent.glob("*.py"))


def ends(source: str) -> set[int]:
    """Return the whole numbers that a module gives to ``sys.exit``, ``os._exit`` and ``Exit``."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and node.args]
    names = {"exit", "_exit", "Exit"}
    given = [
        call.args[0] for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr in names
    ]
    return {one.value for each in given for one in ast.walk(each)
            if isinstance(one, ast.Constant) and type(one.value) is int}  # fmt: skip


def test_the_page_has_the_codes_and_no_other() -> None:
    """Its table is that of the code, word for word."""
    rows = re.findall(r"^\| ([0-9]+) \| (.+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert {int(code): says for code, says in rows} == dict(EXIT_CODES)


def test_no_command_ends_with_another_code() -> None:
    """What is written down as a number is one of them."""
    found = {path.name: ends(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert any(found.values())
    assert {
        name: codes - EXIT_CODES.keys() for name, codes in found.items() if codes - EXIT_CODES.keys()
    } == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "stdin", "code"),
    [
        (["balance", "-"], "9 Ann\n7 Bob\n", 0),
        (["balance", "-"], "9 Ann\n7\n", 1),
        (["balance", "nofile"], "", 1),
        (["balance", "-", "--fix", "Ann=1,Ann=2"], "9 Ann\n7 Bob\n", 1),
        (["balance", "-"], "1 Amber\n2 Birch\n", 2),
        (["balance", "-", "--teams", "x"], "9 Ann\n7 Bob\n", 2),
        (["blance"], "", 2),
        (["rate", "-"], "date,winner,loser\n03/04/2026,Ann,Bob\n05/06/2026,Bob,Cid\n04/04/2026,Ann,Cid\n", 2),
        (["undo"], "", 2),
        (["verify", "nofile"], "", 1),
        (["rate", "nofile"], "", 1),
        (["night", "won", "purple", "--store", "none.db"], "", 1),
        (["night", "swap", "Gus", "Hal", "--store", "none.db"], "", 1),
        (["night", "leave", "Gus", "--store", "none.db"], "", 1),
    ],
)
def test_commands_end_with_the_code_and_one_form_of_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: list[str], stdin: str, code: int
) -> None:
    """An error begins with ``error:``, and only a wrong call is followed by how to call it."""
    monkeypatch.chdir(tmp_path)  # some make an archive where they are
    done = run_process(*typed, stdin=stdin)
    assert done.returncode == code
    lines = done.stderr.splitlines()
    if code:
        assert lines[0].startswith("error: ")
        assert not any(line.startswith(("Error:", "Traceback")) for line in lines)
        assert len(lines) == 1 or lines[1].startswith("Usage: ")
    assert (len(lines) > 1) <= (code == 2)
