"""The board's script against the library: the same values, and true proofs; writes BOARD.md.

Rosters are drawn from seeds: 4 to 28 players for two teams and up to 12 for three and four, weights of many
scales with decimals that tie on paper, parties, players apart and fixed, sides, uncertainty and bots.  For
each, Node.js runs the script that ``equipoise board`` writes, and its best is held to the library's.
Besides, splits drawn at random into two to eight teams are judged by both for every objective.

``python -m benchmarks board`` measures and writes, ``--report`` writes the page from the last results,
``--check`` says whether the page is stale.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks import reporting
from benchmarks.reporting import PAGES, PEERS, RAW

from equipoise import BalanceRequest, Status, balance
from equipoise.core.registry import OBJECTIVES
from equipoise.core.win_probability import win_probability
from equipoise.pages.html.board import board_html, board_script
from equipoise.teams.balance import cost_of
from equipoise.teams.problem.problem import COUNT, MU, VARIANCE

RUNNER = PEERS / "with_board.js"

SEED = 20261122

#: Rosters of the whole run, and judged splits of random requests.
ROSTERS, JUDGED = 6_000, 2_000

#: The ways in which a request comes to the page.
DOORS = ("file", "link", "form")

#: Rosters of 24 that Chromium is timed with, for each objective.
TIMES = 100

#: What values may differ by, relative to the spread of the weights or the value, and what a proof is.
SAME = 1e-9

#: Sets that weights are drawn from: decimals and whole numbers that tie, and numbers that hardly do.
STYLES = ("decimals", "whole", "ratings", "any", "equal", "few")

#: Scales of weights.
SCALES = (1.0, 1.0, 1.0, 1e-6, 1e6)


def weights_of(style: str, n: int, rng: np.random.Generator) -> list[float]:
    """Return n weights of a kind."""
    if style == "decimals":
        return [round(float(w), 1) for w in rng.integers(10, 99, n) / 10]
    if style == "whole":
        return rng.integers(0, 12, n).astype(float).tolist()
    if style == "ratings":
        return np.round(rng.normal(1500, 300, n)).clip(0).tolist()
    if style == "few":
        return rng.choice([0.1, 0.2, 0.3, 0.7], n).tolist()
    return [0.3] * n if style == "equal" else rng.lognormal(3, 1, n).tolist()


def request_of(rng: np.random.Generator, teams: int, n: int, objective: str) -> dict[str, Any]:
    """Return a request in plain data."""
    scale = float(rng.choice(SCALES))
    weights = [w * scale for w in weights_of(str(rng.choice(STYLES)), n, rng)]
    names = [f"p{k}" for k in range(n)]
    players: list[dict[str, Any]] = [
        {"name": name, "weight": w} for name, w in zip(names, weights, strict=True)
    ]
    if rng.random() < 0.3:
        for player in players:
            player["mu"], player["sigma"] = player.pop("weight"), float(scale * rng.uniform(0, 3))
    if rng.random() < 0.3:
        for player in players:
            player["side"] = float(rng.choice([0.0, 0.5, 0.5, 1.0]))
    if rng.random() < 0.2:
        players[0].pop("sigma", None), players[0].pop("weight", None), players[0].pop("mu", None)
    asked: dict[str, Any] = {"players": players, "teams": teams, "objective": objective}
    free = rng.permutation(names).tolist()
    if rng.random() < 0.5:
        asked["parties"] = [
            [free.pop() for _ in range(int(rng.integers(2, 4)))] for _ in range(2) if len(free) > 4
        ]
    if rng.random() < 0.5 and len(free) > 2:
        asked["apart"] = [[free.pop(), free.pop()] for _ in range(int(rng.integers(1, 4))) if len(free) > 2]
    if rng.random() < 0.4:
        asked["fixed"] = {
            str(name): int(rng.integers(1, teams + 1)) for name in rng.choice(names, 2, replace=False)
        }
    if rng.random() < 0.3:
        asked["bots"] = bots_of(rng, n, weights)
    return asked


def bots_of(rng: np.random.Generator, n: int, weights: Sequence[float]) -> dict[str, Any]:
    """Return bots in plain data."""
    bots: dict[str, Any] = {"target": int(rng.integers(0, n + 5))}
    if rng.random() < 0.5:
        bots["weight"] = float(np.round(rng.choice(weights) * 0.8, 3))
    return bots


def questions(rosters: int) -> Iterator[dict[str, Any]]:
    """Yield what is asked of both: requests to solve."""
    rng = np.random.default_rng(SEED)
    for number in range(rosters):
        teams = (2, 2, 2, 3, 4)[number % 5]
        n = int(rng.integers(max(4, teams), 29 if teams == 2 else 13))
        objective = "spread" if number % 2 else "difference"
        yield {"request": request_of(rng, teams, n, objective)}


def to_judge(count: int) -> Iterator[dict[str, Any]]:
    """Yield requests with random splits, which keep no rule but that everybody is in a team."""
    rng = np.random.default_rng(SEED + 1)
    for number in range(count):
        teams = 2 + number % 7
        n = int(rng.integers(max(4, teams), 29))
        request = request_of(rng, teams, n, "spread")
        for field in ("parties", "apart"):
            request.pop(field, None)
        splits = [rng.integers(0, teams, n).tolist() for _ in range(3)]
        yield {"request": request, "splits": splits, "objectives": list(OBJECTIVES)}


def ask_script(asked: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what the board's script answers."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "board.js"
        script.write_text(board_script(), encoding="utf-8")
        lines = "\n".join(json.dumps(question) for question in asked) + "\n"
        node = shutil.which("node") or "node"
        command = [node, str(RUNNER), str(script)]
        done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def compare(rosters: int) -> dict[str, Any]:
    """Return how the script's answers compare with the library's, through every door."""
    asked = list(questions(rosters))
    counts: Counter[str] = Counter()
    worst, wrong = 0.0, list[dict[str, Any]]()
    answers = {door: ask_script([{**each, "door": door} for each in asked]) for door in DOORS}
    for n, question in enumerate(asked):
        request = BalanceRequest.from_dict(question["request"])
        solution = balance(request)
        for door in DOORS:
            answer = answers[door][n]
            kind, off = verdict(request, solution, answer)
            counts[kind] += door == DOORS[0]
            worst = max(worst, off)
            if kind.startswith("wrong"):
                wrong.append({"kind": f"{kind} ({door})", "off": off, "question": question, "answer": answer})
                counts[f"{kind} ({door})"] += 1
    counts = Counter({kind: count for kind, count in counts.items() if count})
    return {"counts": dict(sorted(counts.items())), "worst": worst, "wrong": wrong[:5]}


def verdict(request: BalanceRequest, solution: Any, answer: dict[str, Any]) -> tuple[str, float]:
    """Return what an answer of the script is, and by how much its value is off."""
    if "error" in answer:
        same = answer["error"] == "Contradiction" and solution.status is Status.INFEASIBLE
        return ("contradiction" if same else f"wrong: {answer['message']}"), 0.0
    if solution.status is Status.INFEASIBLE:
        return ("infeasible" if answer["status"] == "infeasible" else "wrong: not infeasible"), 0.0
    if not answer["values"]:
        return "wrong: nothing found", math.inf
    scale = max(request.asked[1].beta, abs(solution.value))
    off = (answer["values"][0] - solution.value) / scale
    if answer["broken"][0]:
        return "wrong: breaks a rule", off
    if answer["status"] == "optimal":
        return ("proven" if abs(off) <= SAME else "wrong: proven and another value"), abs(off)
    return ("unproven" if off >= -SAME else "wrong: better than the best"), 0.0


def compare_judging(count: int) -> dict[str, Any]:
    """Return how far the script's judgement of random splits is from the library's."""
    asked = list(to_judge(count))
    worst: dict[str, float] = dict.fromkeys([*OBJECTIVES, "chances"], 0.0)
    for question, answer in zip(asked, ask_script(asked), strict=True):
        for objective in OBJECTIVES:
            request = BalanceRequest.from_dict({**question["request"], "objective": objective})
            problem = request.problem
            assert problem is not None  # nothing contradicts
            chosen, units = request.asked
            for labels, said in zip(question["splits"], answer["judged"], strict=True):
                totals = problem.totals(np.array([labels], dtype=np.int8))
                value = chosen.criterion.shown(cost_of(chosen.criterion, totals))
                size = value if abs(value) > 1e-6 * units.beta else units.beta
                off = abs(said[objective]["value"] - value) / abs(size)
                worst[objective] = max(worst[objective], off)
                columns = totals[:, :, MU], totals[:, :, VARIANCE], totals[:, :, COUNT]
                chances = win_probability(*columns, units.beta, units.zero)[0]
                apart = np.abs(np.array(said[objective]["chances"]) - chances).max()
                worst["chances"] = max(worst["chances"], float(apart))
    return worst


def timed(rosters: int) -> dict[str, dict[str, float]]:
    """Return what solving and showing rosters of 24 takes in Chromium, in milliseconds of its own clock."""
    from benchmarks.pages import browsers

    rng, answers = np.random.default_rng(SEED + 2), dict[str, dict[str, float]]()
    with tempfile.TemporaryDirectory() as folder, browsers.Browser() as browser:
        page = Path(folder) / "board.html"
        page.write_text(board_html(), encoding="utf-8")
        browser.open(page.as_uri())
        browser.wait("return document.querySelector('.team')")
        for objective in ("spread", "difference"):
            asked = [request_of(rng, 2, 24, objective) for _ in range(rosters)]
            times = [browser.run(TIMED, *pair) for pair in pairwise(asked)]
            columns = np.array([row for row in times if row]).T
            answers[objective] = {"rosters": columns.shape[1]} | {
                name: [float(np.median(column)), float(column.max())]
                for name, column in zip(STEPS, columns, strict=True)
            }
    return answers


#: What is timed of the page when somebody types: the search alone, for the best and the six next; all until
#: the teams are there; and with the reasons, the next best and what rules cost, which come a frame later.
STEPS = ("search", "teams", "reasons")

#: Another roster is shown before.  Of three times the least, as other processes take theirs.
TIMED = """
const least = [Infinity, Infinity, Infinity];
for (let turn = 0; turn < 3; turn++) {
  const times = [];
  const step = (act) => {
    const began = performance.now();
    act();
    document.body.getBoundingClientRect();
    times.push(performance.now() - began);
  };
  for (const request of arguments) {
    try { fill(request); } catch { return null; }  // a contradiction
    times.length = 0;
    step(() => solve(build(askedInForm()), 7));
    step(typed);
    step(showReasons);
  }
  times[2] += times[1];
  times.forEach((time, at) => { least[at] = Math.min(least[at], time); });
}
return least;
"""


def measure() -> dict[str, Any]:
    """Return all results."""
    solved, worst, browser = compare(ROSTERS), compare_judging(JUDGED), timed(TIMES)
    return {
        "rosters": ROSTERS, "doors": DOORS, "judged": 3 * JUDGED, "solved": solved, "worst": worst,
        "browser": browser,
    }  # fmt: skip


def report(results: dict[str, Any]) -> str:
    """Return the page."""
    solved = results["solved"]
    rows = [f"| {kind} | {count} |" for kind, count in solved["counts"].items()]
    times = [
        f"| {name} | {one['rosters']} | "
        + " | ".join(f"{one[step][n]:.0f}" for step in STEPS for n in (0, 1))
        + " |"
        for name, one in results["browser"].items()
    ]
    ways = ", ".join(results.get("doors", ()))
    doors = f", each through every door ({ways}): an answer that differs by door is listed" if ways else ""
    judged = [f"| {name} | {off:.1e} |" for name, off in results["worst"].items()]
    lines = [
        "# The board's script and the library",
        "",
        "Written by `python -m benchmarks board`; the rosters are drawn from a seed.",
        "Node.js runs the script that `equipoise board` writes.",
        f"There are {results['rosters']} rosters of 4 to 28 players{doors}.",
        "",
        "| what came of it | rosters |",
        "|---|--:|",
        *rows,
        "",
        f"Where it says proven, its value is off by at most {solved['worst']:.1e} of the weights' spread.",
        "What it cannot prove it says so, and it is never better than what the library proves.",
        "",
        "Two teams of 24 players in all in headless Chromium, milliseconds of its clock, the least of three",
        "times, another roster being shown before: the search for the best and the six next; all that typing",
        "does until the teams are there, which is reading, searching and showing; and with the reasons, the",
        "next best and what each rule costs, which come a frame later.",
        "",
        "| objective | rosters | search, median | most | teams, median | most | reasons, median | most |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
        *times,
        "",
        f"{results['judged']} random splits into two to eight teams, judged by both:",
        "",
        "| what | largest difference, relative |",
        "|---|--:|",
        *judged,
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    """Do what the command line says."""
    return reporting.run(__doc__, RAW / "board.json", PAGES / "BOARD.md", measure, report)
