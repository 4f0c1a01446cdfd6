"""The board's own script, run by Node.js, against the library: the same readings, values and proofs."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from html import unescape
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from benchmarks.pages import board

from equipoise.core.paste_grammar import choices
from equipoise.pages.html.board import MINIFIED, OBJECTIVES, SCRIPTS, board_html, board_script
from equipoise.pages.html.site import texts

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "src/equipoise/pages/html/board"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

#: A twentieth of the benchmark's rosters and judged requests would take a minute; these take seconds.
ROSTERS, JUDGED = 200, 50

CORPUS = [
    json.loads(line)
    for line in (ROOT / "tests/files/data/pastes.jsonl").read_text(encoding="utf-8").splitlines()
]


@needs_node
def test_the_script_finds_and_proves_what_the_library_does() -> None:
    """Two to four teams with rules, bots and ties have the same value, proven only where it is."""
    played = board.compare(ROSTERS)
    assert not played["wrong"], played["wrong"][0]
    assert played["worst"] <= board.SAME
    assert played["counts"]["proven"] > ROSTERS // 2


@needs_node
@pytest.mark.parametrize("wrong", [
    {"fixed": {"Elm": 1.5}}, {"fixed": {"Elm": 3}}, {"fixed": {"Nobody": 1}}, {"teams": 9},
    {"apart": [["Elm", "Oak"]]}, {"roles": {"medic": -1}}, {"bots": {"target": -2}},
])  # fmt: skip
def test_what_is_refused_is_refused_through_every_door(wrong: dict[str, Any]) -> None:
    """One function checks a request, whether it comes as a file, in a link or from the form."""
    request = {"players": {"Amber": 3, "Birch": 4, "Cedar": 5, "Elm": 6}, **wrong}
    answers = board.ask_script([{"request": request, "door": door} for door in board.DOORS])
    assert all("error" in answer for answer in answers), answers
    assert len({answer["message"] for answer in answers}) == 1, answers


@needs_node
def test_the_script_judges_as_the_library_does() -> None:
    """Every objective of random splits into two to eight teams is the same within 1e-9."""
    worst = board.compare_judging(JUDGED)
    assert max(worst.values()) <= board.SAME, worst


@needs_node
def test_the_script_reads_what_people_paste_as_the_library_does() -> None:
    """The corpus of pastes gives the same players, or is asked back or refused where the library does so."""
    for case, answer in zip(
        CORPUS, board.ask_script([{"paste": case["paste"]} for case in CORPUS]), strict=True
    ):
        if "gives" in case:
            assert answer.get("gives") == case["gives"], case["paste"]
            continue
        asked = answer.get("name") == "AmbiguousFault"
        assert ("in several ways" in case["says"]) == asked, case["paste"]
        assert ("--read" in case["says"]) == bool(answer["ways"]), case["paste"]


@needs_node
def test_tables_and_objects_without_names_are_refused() -> None:
    """An open quote, no name, control characters and a negative weight are said, as the library does."""
    pastes = ['name,elo\nAmber,1\nBirch,"2', '[{"elo": 3}]', "name,elo\nA\tmber,1500", '{"Amber": -3}']
    answers = board.ask_script([{"paste": paste} for paste in pastes])
    words = ("not closed", "neither a name nor an id", "control characters", "must be from 0")
    assert all(word in answer["says"] for word, answer in zip(words, answers, strict=True))


def asked(players: dict[str, float], **fields: Any) -> dict[str, Any]:
    """Return what the script answers to a request."""
    (answer,) = board.ask_script([{"request": {"players": players, **fields}, "keep": 3}])
    return answer


@needs_node
def test_large_rosters_are_improved_and_not_called_proven() -> None:
    """Forty players in four teams are divided within the rules, and nobody says that it is the best."""
    answer = asked({f"p{n}": n**1.5 for n in range(40)}, teams=4, apart=[["p0", "p1"]])
    assert (answer["status"], answer["broken"][0]) == ("feasible", 0)
    assert answer["values"][0] < 20.0  # of weights that spread by 78


@needs_node
def test_roles_are_kept() -> None:
    """Each team gets a medic where there are two, though the best split would put them together."""
    plays = [("Ann", 9, "medic"), ("Bob", 1, "medic"), ("Cid", 5, "scout"), ("Dan", 5, "scout")]
    players = [{"name": name, "weight": weight, "roles": [role]} for name, weight, role in plays]
    (answer,) = board.ask_script([{"request": {"players": players, "roles": {"medic": 1}}}])
    assert answer["status"] == "optimal"
    assert answer["splits"][0][0] != answer["splits"][0][1]


@needs_node
def test_the_next_best_are_different_splits_in_order() -> None:
    """No two of them are the same teams, and they come best first."""
    answer = asked({f"p{n}": float(w) for n, w in enumerate([9, 8, 7, 5, 3, 1])}, objective="difference")
    assert answer["values"] == sorted(answer["values"])
    assert len({tuple(split) for split in answer["splits"]}) == 3


def test_the_page_is_one_file_that_names_no_host() -> None:
    """There is one script, one style, no address of a host, and a policy that lets nothing else in."""
    page = board_html()
    assert (page.count("<script"), page.count("<style")) == (1, 1)
    assert "default-src 'self'; script-src 'sha256-" in unescape(page)
    assert "unsafe-inline" not in page
    assert re.search(r"\w://", page) is None
    assert len(gzip.compress(page.encode(), 9)) < 61_000


def test_no_part_of_the_script_ends_it() -> None:
    """Nothing in it closes the element that holds it."""
    assert "</" not in board_script().replace("<\\/", "")


def test_each_script_is_read_in_one_sitting() -> None:
    """The parts are what the page is made of; none is forgotten in the folder."""
    assert {path.name for path in FOLDER.glob("*.js")} == {*SCRIPTS, MINIFIED}


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_the_scripts_are_typed(tmp_path: Path) -> None:
    """TypeScript's checker finds nothing in the comments that type what every page runs."""
    tsc = typescript(tmp_path)
    for project in (FOLDER, FOLDER.parent / "tonight"):
        done = subprocess.run(
            [tsc, "-p", project / "tsconfig.json"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout


def typescript(folder: Path) -> str:
    """Return the checker, installed where it is not there; skip where it cannot be had."""
    if (found := shutil.which("tsc")) is not None:
        return found
    done = subprocess.run(
        ["npm", "install", "--no-fund", "--no-audit", "--prefix", str(folder), "typescript@5"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip("typescript cannot be installed: " + done.stderr[-200:])
    return str(folder / "node_modules/.bin/tsc")


def test_every_sentence_is_in_the_catalogue() -> None:
    """No part of the script has words of its own; none that it asks for is missing, and none is left over."""
    known = set(texts()["board"])
    parts = "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS)
    code = re.sub(r"/\*(?s:.*?)\*/|(?:^|\s)//\s.*", "", parts, flags=re.MULTILINE)
    faults = re.findall(r'(?:Fault|Contradiction)\(\s*"(\w+)"|failAt\([^"]*"(\w+)"', code)
    asked = {f"fault_{one or other}" for one, other in faults} | set(re.findall(r'say\("(\w+)"', code))
    assert asked <= known, asked - known
    code = re.sub(r"(?s)const COLUMNS = .*?\}\);", "", code)  # what a table's header may say
    literals = re.findall(r'"(?:[^"\\\n]|\\.)*"|`[^`\n]*`', code)
    plain = {re.sub(r"\$\{[^}]*\}", "", one) for one in literals}
    words = {one for one in plain if re.search(r"[A-Za-z]{2,} [a-z]{2,}", one)}
    assert words == {'"use strict"', '".player span"'}
    page = (files("equipoise.pages.html") / "board/board.html").read_text(encoding="utf-8")
    ways = {f"read_{way.replace('-', '_')}" for way in choices()}
    counts = {
        key for key in known if re.fullmatch(r"read_(players|duos|parties|unrated|late|out)(_one)?", key)
    }
    assert ways <= known
    for key in known - ways - counts:
        stem = re.sub(r"^(fault|read|objective)_|_hint$", "", key)
        assert (
            re.search(rf'"{stem}"|"{stem.replace("_", "-")}"|"{key}"', code + page) or stem in OBJECTIVES
        ), key


@needs_node
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_fewer_splits_than_are_asked_for_end_the_search(objective: str) -> None:
    """Two players, and many who are alike, have fewer splits than the page shows."""
    alike = {f"p{n}": 0.3 for n in range(24)}
    for players, fields in (({"a": 1.0, "b": 1.0}, {}), (alike, {"fixed": {"p22": 1, "p19": 2}})):
        answer = asked(players, objective=objective, **fields)
        assert (answer["status"], len(answer["splits"])) == ("optimal", 1)
