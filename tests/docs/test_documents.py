"""Every block of the README and the documents is run, and every link leads somewhere.

``pycon`` blocks are doctests; those of a page share their names.
``console`` blocks are commands after ``$ `` with their output.
``sh`` blocks hold the two commands of the README, which cannot run inside the tests they start: the first is
run in a fresh clone where CI is set, and the second is what CI runs.
Other blocks (``text``, ``json``, ...) show formats and are not commands.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import run

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")]
)
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NOT_RUN = {"text", "python", "json", "toml", "csv", "sh", "sql"}


def blocks(page: str) -> list[tuple[str, str]]:
    """Return (language, content) of each fenced block of a page."""
    return _BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))


def having(kind: str) -> list[object]:
    """Return the pages that have blocks of a kind; all but the README are left to scripts/check."""
    return [
        pytest.param(page, marks=() if page == "README.md" else pytest.mark.slow)
        for page in PAGES
        if any(of_block == kind for of_block, _ in blocks(page))
    ]


@pytest.mark.parametrize("page", PAGES)
def test_every_block_is_of_a_kind_that_is_run_or_needs_no_running(page: str) -> None:
    """A block without a kind would slip through."""
    text = (ROOT / page).read_text(encoding="utf-8")
    assert text.count("\n```") + text.startswith("```") == 2 * len(blocks(page))
    assert {kind for kind, _ in blocks(page)} <= _NOT_RUN | {"pycon", "console"}


@pytest.mark.parametrize("page", having("pycon"))
def test_python_examples_print_what_they_show(page: str) -> None:
    """The doctests of a page pass in order."""
    source = "\n".join(content for kind, content in blocks(page) if kind == "pycon")
    test = doctest.DocTestParser().get_doctest(source, {}, page, page, 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=report.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(report)


def stages(command: str) -> list[str]:
    """Return what stands between the pipes of a command; one in which a shell does more is one stage."""
    if re.match(r"\(|for |PYTHONPATH=|.*[;&]", command) or "\n" in command:
        return [command]
    return [part.strip() for part in re.findall(r"(?:'[^']*'|\"[^\"]*\"|[^|'\"])+", command)]


def printed_by(command: str) -> str:
    """Return what a command prints: our own program runs in this process, which takes less."""
    passed, printed = b"", ""
    for stage in stages(command):
        if re.match(r"equipoise [^<>$`*;&(]*$", stage):
            ours = run(*shlex.split(stage)[1:], stdin=passed)
            passed, noted = ours.stdout.encode(), ours.stderr
        else:
            done = subprocess.run(
                ["sh", "-c", stage], input=passed, timeout=120, check=False, capture_output=True
            )
            passed, noted = done.stdout, done.stderr.decode()
        printed += noted
    return printed + passed.decode()


@pytest.mark.parametrize("page", having("console"))
def test_commands_print_what_they_show(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each ``$ `` line prints the lines below it, in a folder that has what the repository has.

    What a page writes stays there, and so do the user's data.
    """
    here = tmp_path / "here"
    here.mkdir()
    for entry in ROOT.iterdir():
        (here / entry.name).symlink_to(entry)
    monkeypatch.chdir(here)
    monkeypatch.setenv(
        "PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    )
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("EQUIPOISE_STORE", raising=False)
    for kind, content in blocks(page):
        if kind != "console":
            continue
        for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            # What the very first use of a kernel says is on no page.
            printed = re.sub(r"^Compiling for the first use.*\n", "", printed_by(command), flags=re.MULTILINE)
            assert printed.rstrip() == expected.rstrip(), command


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    """Every relative link and picture is there."""
    text = _BLOCK.sub("", (ROOT / page).read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if not re.match(r"[a-z]+:", target):
            assert (ROOT / page).parent.joinpath(target).exists(), target


def test_the_two_commands_of_the_readme_are_what_ci_and_newcomers_run() -> None:
    """The first makes the demo, the second is the test command that CI calls."""
    commands = [
        line for kind, content in blocks("README.md") if kind == "sh" for line in content.split("\n") if line
    ]
    assert commands == ["scripts/demo", "scripts/check"]
    assert "\nscripts/check\n" in (ROOT / ".ci" / "run").read_text()
    assert all(os.access(ROOT / command, os.X_OK) for command in commands)


@pytest.mark.skipif("CI" not in os.environ, reason="installs into a fresh clone: set CI to run it")
@pytest.mark.parametrize("uv", [True, False])
def test_the_demo_works_in_a_fresh_clone(tmp_path: Path, uv: bool) -> None:
    """A clone, one command, and the example's teams are on the screen before anything is compiled."""
    if uv and shutil.which("uv") is None:
        pytest.skip("uv is not installed")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True, timeout=60)
    found = [
        place for place in os.environ["PATH"].split(os.pathsep) if uv or not (Path(place) / "uv").exists()
    ]
    environment = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
    environment["PATH"] = os.pathsep.join(place for place in found if ".venv" not in place)
    shown = ""
    with subprocess.Popen(
        [sys.executable, "scripts/demo"], cwd=clone, env=environment, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as demo:  # fmt: skip
        assert demo.stdout is not None
        for line in demo.stdout:
            shown += line
            # Once is enough: to compile takes longer than everything before.
            if line.startswith("Compiling") and not uv:
                os.killpg(demo.pid, signal.SIGKILL)
    assert "Proven best." in shown, shown
    assert "Compiling" in shown.partition("Proven best.")[2], shown
    assert demo.returncode == (0 if uv else -signal.SIGKILL), shown
