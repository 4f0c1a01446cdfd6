"""The mutator for UT2004: its syntax, and a conversation as it leads it.  It cannot be compiled here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.service.weights import conversation as talk

from equipoise.core.match import Ruleset
from equipoise.games.ut2004.rulesets import RULES

FOLDER = Path(__file__).resolve().parents[2] / "integrations" / "ut2004"
SOURCES = sorted(FOLDER.glob("*.uc"))

#: The checker of syntax, as npm has it.
UCX = "ucx@0.28.1"


def _conversation() -> list[tuple[bytes, bytes]]:
    """Return each line of the recorded conversation with the lines that answer it."""
    turns: list[tuple[bytes, bytes]] = []
    for line in (FOLDER / "conversation.txt").read_text(encoding="utf-8").replace("→", "\t").splitlines():
        text = line[2:].encode() + b"\n"
        if line.startswith("> "):
            turns.append((text, b""))
        elif line.startswith("< "):
            turns[-1] = (turns[-1][0], turns[-1][1] + text)
    return turns


def test_the_server_answers_the_mutator_as_recorded() -> None:
    """From the start of a game over a late joiner to its result."""
    session = talk.conversation()
    for line, answer in _conversation():
        assert session.said(line) == answer, line
    (match,) = session.kept.values()
    assert match.ruleset == Ruleset("ut2004", "ctf", ("instagib",))


def test_every_command_of_the_mutator_is_recorded_and_every_answer_is_read() -> None:
    """What it says is in the conversation, and what it hears has a place in the program."""
    program = "".join(path.read_text(encoding="utf-8") for path in SOURCES)
    commands = set(re.findall(r'Say\("([A-Z]+)', program))
    assert commands == {line.split()[0].decode() for line, _ in _conversation()}
    answers = {line.split()[0].decode() for _, answer in _conversation() for line in answer.splitlines()}
    assert answers - {"AUTH"} <= set(re.findall(r'Verb == "([A-Z]+)"', program))


def test_it_splits_no_ruleset_by_its_own_names() -> None:
    """Logs name every mutator, and every class of rules with them."""
    program = "".join(path.read_text(encoding="utf-8") for path in SOURCES)
    own = re.findall(r"^class (\w+) extends (?:Mutator|GameRules)\b", program, re.MULTILINE)
    assert own == ["EquipoiseMutator", "EquipoiseRules"]
    assert RULES.ruleset("XGame.xCTFGame", [f"Equipoise.{name}" for name in own]) == Ruleset("ut2004", "ctf")


def test_no_function_hides_one_of_the_engines() -> None:
    """A function with the name of a final one does not compile, and hiding a native breaks its callers."""
    names = (Path(__file__).parent / "ut2004_finals.txt").read_text(encoding="utf-8").split("Object:")[1]
    theirs = {name.lower() for name in re.findall(r"\w+(?!:)\b", names)}
    assert {"move", "divide", "settimer", "open"} <= theirs
    for path in SOURCES:
        program = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        ours = re.findall(r"^function (?:\w+(?:<\w+>)? )?(\w+)\(", program, re.MULTILINE)
        assert ours
        assert not {name.lower() for name in ours} & theirs, path.name
        words = re.findall(r"^var (?:config )?[\w<>]+ (.+);", program, re.MULTILINE)
        own = [name.split("[")[0].strip().lower() for line in words for name in line.split(",")]
        assert not set(own) & {name.lower() for name in ours}, "a variable and a function have one name"


def test_what_was_refused_for_now_is_said_again() -> None:
    """``busy`` and ``unavailable``, as the protocol says; a result until it is kept."""
    program = "".join(path.read_text(encoding="utf-8") for path in SOURCES)
    assert 'Code == "busy" || Code == "unavailable"' in program
    assert "!bKept && Level.TimeSeconds >= ReportAgain" in program


def test_it_says_that_it_was_not_compiled() -> None:
    """In every file."""
    assert len(SOURCES) == 3
    assert all("NOT COMPILED" in path.read_text(encoding="utf-8") for path in SOURCES)


@pytest.fixture(scope="session")
def ucx() -> str:
    """Return the program that checks syntax, installed once beside the environment."""
    home = Path(__file__).resolve().parents[2] / ".venv" / "ucx"
    program = home / "node_modules" / ".bin" / "ucx"
    npm = shutil.which("npm")
    if not program.exists():
        if npm is None:
            pytest.skip("npm is not installed, which has the checker of UnrealScript's syntax")
        home.mkdir(parents=True, exist_ok=True)
        command = [npm, "install", "--silent", "--prefix", str(home), UCX]
        if subprocess.run(command, capture_output=True, timeout=120, check=False).returncode:
            pytest.skip(f"npm cannot install {UCX} here")
    return str(program)


@pytest.mark.slow
def test_its_syntax_is_sound(ucx: str, tmp_path: Path) -> None:
    """The checker finds no error, and finds one where there is one."""
    run = {"capture_output": True, "text": True, "timeout": 60, "env": {**os.environ, "NO_COLOR": "1"}}
    found = subprocess.run([ucx, "lint", *map(str, SOURCES)], check=False, **run)
    assert found.returncode == 0, found.stdout
    assert "no errors" in found.stdout
    broken = tmp_path / "Broken.uc"
    broken.write_text("class Broken extends Actor;\nfunction F( { }}\n", encoding="utf-8")
    assert subprocess.run([ucx, "lint", str(broken)], check=False, **run).returncode != 0
