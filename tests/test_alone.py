"""Teams are balanced, explained, verified and joined late with numpy and msgspec alone; the rest is named."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import run as command_line

import equipoise
from equipoise import cli
from equipoise.core import registry
from equipoise.core.packages import EXTRAS, missing, needs
from equipoise.errors import InputError

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"

#: What is asked in both environments: everything that people who balance teams in their own program use.
QUESTIONS = """
import importlib.util, json, sys
import equipoise

def answers(n):
    players = {f"p{i}": float(1000 + i * 37 % 101 * 4 + i % 7) for i in range(n)}
    request = equipoise.BalanceRequest.of(players, objective="difference")
    solution = equipoise.balance(request)
    made = equipoise.receipt(request, solution)
    explained = equipoise.explain(request, solution=solution)
    now = [equipoise.Player(name, weight, team=i % 2) for i, (name, weight) in enumerate(players.items())]
    return {
        "teams": [sorted(player.id for player in team) for team in solution.best.teams],
        "status": solution.status.value,
        "confirmed": equipoise.verify(made).confirmed,
        "lines": explained.as_dict(),
        "late": equipoise.late([*now, equipoise.Player("new", 1100.0)]).team,
        "three": equipoise.balance(dict(list(players.items())[:9]), teams=3).value,
    }

print(json.dumps({str(n): answers(n) for n in (10, 40)}))
"""

#: What needs more, and what must be said then.
MORE = {
    "equipoise.open_archive": "open_archive needs sqlalchemy, which is not installed: pip install sqlalchemy",
    "equipoise.balance({'Ann': 2, 'Bob': 1}).table().to_polars()": f"this {needs('polars')}",
    "list(equipoise.read_matches('matches.parquet'))": f"matches.parquet: this {needs('polars')}",
    "equipoise.core.linear_programs.Program([], [])": f"this {needs('highspy')}; 'large'",
    "equipoise.__main__.main()": "error: equipoise needs click, which is not installed: pip install click",
}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of packages with numpy, msgspec and equipoise alone, by links to what is installed."""
    folder = tmp_path_factory.mktemp("alone")
    for name in ("numpy", "msgspec", "equipoise"):
        found = distribution(name)
        for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            if not top.endswith((".pth", ".py")):
                try:
                    (folder / top).symlink_to(Path(str(found.locate_file(top))))
                except OSError as error:
                    pytest.skip(f"an environment is made of links, and here are none: {error}")
    if not (folder / "equipoise").exists():
        (folder / "equipoise").symlink_to(SOURCE / "equipoise")
    return folder


def run(code: str, *paths: Path, bare: bool) -> subprocess.CompletedProcess[str]:
    """Run a program in this environment, or in one with the packages of a folder only."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [sys.executable, *(["-S"] if bare else []), "-c", code], check=False, capture_output=True, text=True,
        env={**environment, "PYTHONPATH": os.pathsep.join(map(str, paths))}, timeout=300,
    )  # fmt: skip


@pytest.mark.slow
def test_numpy_and_msgspec_alone_give_the_same_answers(alone: Path) -> None:
    """Ten and forty players are divided, explained, verified and joined late as with everything installed."""
    without = run(QUESTIONS + "assert not importlib.util.find_spec('click')\n", alone, bare=True)
    assert (without.returncode, without.stderr) == (0, "")
    answers: dict[str, Any] = json.loads(without.stdout)
    assert [answer["status"] for answer in answers.values()] == ["optimal", "optimal"]
    assert [answer["confirmed"] for answer in answers.values()] == [True, True]
    assert answers == json.loads(run(QUESTIONS, SOURCE, bare=False).stdout)


@pytest.mark.slow
@pytest.mark.parametrize("code", MORE)
def test_what_is_not_installed_is_named_when_it_is_needed(code: str, alone: Path, tmp_path: Path) -> None:
    """With the command that installs it."""
    (tmp_path / "matches.parquet").write_bytes(b"PAR1")
    program = "import equipoise, equipoise.__main__, equipoise.core.linear_programs\n"
    done = run(f"import os; os.chdir({str(tmp_path)!r})\n{program}{code}", alone, bare=True)
    assert done.returncode == 1
    assert MORE[code] in done.stderr.splitlines()[-1]
    if code.endswith("main()"):
        assert "Traceback" not in done.stderr


def test_a_package_of_an_extra_is_installed_with_it() -> None:
    """The extras that messages name are those of the package, and have what is missing."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    for package, extra in EXTRAS.items():
        assert any(line.startswith(package.replace("_", "-")) for line in extras[extra]), package
        assert f"pip install 'equipoise[{extra}]'" in needs(package)


@pytest.mark.parametrize("name", ["equipoise.nosuch", "json.nosuch", None])
def test_a_fault_of_equipoise_is_not_blamed_on_what_is_installed(name: str | None) -> None:
    """A module of its own or of Python that is missing is a fault, and is shown as one."""
    assert missing("balance", ModuleNotFoundError(name=name)) is None


def test_a_command_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each loads what it uses when it is asked for."""

    def absent(name: str) -> None:
        raise ModuleNotFoundError(name=cause)

    monkeypatch.setattr(cli, "import_module", absent)
    monkeypatch.setattr(registry, "_NAMED", {})  # no part of the caller's own is at fault
    cause = "jinja2"
    done = command_line("pages", "--help")
    said = "error: equipoise pages needs jinja2, which is not installed: pip install jinja2\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)
    cause = "equipoise.cli.pages"
    with pytest.raises(ModuleNotFoundError):
        command_line("pages", "--help")


def test_a_public_name_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has to read a traceback to learn it; a fault in equipoise itself stays one."""

    def absent(name: str) -> None:
        raise ModuleNotFoundError(name=cause)

    monkeypatch.setattr(equipoise, "import_module", absent)
    cause = "sqlalchemy.exc"
    with pytest.raises(InputError, match=r"^open_archive needs sqlalchemy, .*: pip install sqlalchemy$"):
        _ = equipoise.open_archive
    cause = "equipoise.archive.nosuch"
    with pytest.raises(ModuleNotFoundError):
        _ = equipoise.open_archive
