"""Parts of other packages: one file each and an entry point, and they have names like ours."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from equipoise import extending
from equipoise.core import installed_parts as module
from equipoise.core.registry import joined, resolve

PARTS = Path(__file__).parents[1] / "examples" / "parts"
LOG = b"2026-01-10T20:05Z ann beat bob\n2026-01-11T20:25Z bob beat cid\n"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Return a folder in which the package of examples is installed, as an installer leaves it."""
    project = tomllib.loads((PARTS / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    package = tmp_path / wheel["sources"][""]
    package.mkdir()
    for name in wheel["only-include"]:
        shutil.copy(PARTS / name, package / name)
    facts = tmp_path / f"{package.name}-{project['project']['version']}.dist-info"
    facts.mkdir()
    lines = [
        line
        for group, parts in project["project"]["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {place}" for name, place in parts.items()), "")
    ]
    (facts / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def run(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Run the command line beside what is installed in a folder."""
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-m", "equipoise", *args], capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("balance", "examples/roster.txt", "--objective", "mean-difference"), "Proven"),
        (("balance", "examples/roster.txt", "--solver", "random"), "roven best"),
        (("balance", "examples/roster.txt", "--solver", "nosuch"), "random"),
        (("evaluate", "examples/matches.jsonl", "--models", "win-share"), "win-share"),
        (("balance", "--help"), "mean-difference"),
    ],
)
def test_an_installed_part_has_a_name(installed: Path, args: tuple[str, ...], words: str) -> None:
    """On the command line, in the help, and in messages about names that do not exist."""
    done = run(installed, *args)
    assert words in done.stdout + done.stderr


@pytest.mark.slow
def test_an_installed_game_is_recognised(installed: Path, tmp_path: Path) -> None:
    """Its log is not taken for another one's, whoever asks."""
    log = tmp_path / "club.log"
    log.write_bytes(LOG)
    done = run(installed, "ingest", str(log), "--store", f"sqlite:///{tmp_path}/club.db", "--json")
    assert json.loads(done.stdout)["matches"] == 2, done.stderr
    assert "is the log of a chess club" in run(installed, "verify", str(log)).stderr


@pytest.mark.slow
def test_an_installed_rule_is_known_everywhere(installed: Path, tmp_path: Path) -> None:
    """As a flag and in help, in files, receipts and explanations, and for late joiners."""
    ask = ("balance", "examples/roster.txt", "--captains", "Ginkgo,Cedar,Iris,Elm")
    request, receipt = str(tmp_path / "request.json"), str(tmp_path / "receipt.json")
    done = run(installed, *ask, "--save-request", request, "--receipt", receipt, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    del answer["read"]  # of the paste, which the request no longer has
    again = json.loads(run(installed, "balance", "--request", request, "--json").stdout)
    again.pop("read", None)
    assert again == answer
    teams = answer["splits"][0]["teams"]
    assert [len({"Ginkgo", "Cedar", "Iris", "Elm"} & {*team}) for team in teams] == [2, 2]
    checked = run(installed, "verify", receipt)
    assert checked.returncode == 0
    assert "not confirmed  request: it does not know the rule 'captains'" in checked.stdout
    assert "\nfalse" not in checked.stdout
    wrong = run(installed, "balance", "examples/roster.txt", "--captains", "Zed", "--party", "Elm,Iris")
    assert wrong.stderr.startswith("error: --captains: there is no player 'Zed'")
    explained = run(installed, "explain", *ask[1:], "--all").stdout
    assert "Having as many captains in every team costs" in explained
    for command in ("balance", "explain", "late"):
        assert "--captains" in run(installed, command, "--help-all").stdout
    joins = ("late", "examples/running.csv", "--join", "25 Dahlia")
    assert run(installed, *joins).stdout.startswith("Dahlia joins Team 1")
    assert run(installed, *joins, "--captains", "Amber,Dahlia").stdout.startswith("Dahlia joins Team 2")
    assert run(installed, "late", "--request", request).stderr  # nobody is in a team there
    without = run(tmp_path / "none", "balance", "--request", request)
    assert "there is no field 'captains'" in without.stderr


@pytest.mark.slow
def test_a_receipt_of_an_installed_solver_is_checked(installed: Path, tmp_path: Path) -> None:
    """Who searched is no claim."""
    receipt = str(tmp_path / "receipt.json")
    run(installed, "balance", "examples/roster.txt", "--solver", "random", "--receipt", receipt)
    assert "false" not in run(installed, "verify", receipt).stdout


def test_parts_are_asked_in_their_order(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Installed ones come first, so that ``auto`` sees them; none takes a name of ours."""
    monkeypatch.syspath_prepend(str(installed))
    module.installed_parts.cache_clear()
    try:
        solvers = joined("solvers", {"exact": "equipoise.exact:SOLVER"})
        assert list(solvers) == ["random", "exact"]
        assert resolve("game", joined("games", {}), "club").name == "club"
        ours = {"random": "equipoise.nosuch:SOLVER"}
        assert joined("solvers", ours) == ours
    finally:
        module.installed_parts.cache_clear()


def test_lists_that_cannot_be_read_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else is installed, and however damaged."""
    for name, content in (("a", b"\xff[equipoise.games]\n"), ("b", b"[equipoise.games]\n# x = y\nno place\n"),
                          ("c", b"[other]\nx = y:z\n[equipoise.games]\nx = m:GAME [extra]\n")):  # fmt: skip
        (tmp_path / f"{name}-1.dist-info").mkdir()
        (tmp_path / f"{name}-1.dist-info" / "entry_points.txt").write_bytes(content)
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "nosuch")])
    module.installed_parts.cache_clear()
    try:
        assert module.installed_parts() == {"games": {"x": "m:GAME"}}
    finally:
        module.installed_parts.cache_clear()


def test_what_a_part_may_import_is_there() -> None:
    """All names resolve, sorted, and no other is found."""
    assert sorted(extending.__all__) == sorted(dir(extending))
    assert all(getattr(extending, name) is not None for name in extending.__all__)
    with pytest.raises(AttributeError, match="nosuch"):
        _ = extending.nosuch


@pytest.mark.parametrize("path", sorted(PARTS.glob("*.py")), ids=lambda path: path.name)
def test_the_examples_import_nothing_else(path: Path) -> None:
    """What is public is enough."""
    named = {
        node.module
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("equipoise")
    }
    assert named <= {"equipoise", "equipoise.extending"}
