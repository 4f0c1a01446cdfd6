"""Which changes of one token the tests of the same folder notice: ``python -m benchmarks mutations``.

Places are drawn over all folders with the same chance each, see ``scripts/mutate``; every run adds to what
was found before, so that a small machine may measure in pieces.
``--anew`` forgets what was found before.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import sys
from collections import Counter
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import Any

from benchmarks.reporting import PAGES, RAW, ROOT, add_modes, describe, write

#: What the page says of the draw, and of quick tests.
DRAWN = (
    "Drawn over all folders by their code: comparisons, plus and minus, `and` and `or`, `min` and `max`, "
    "numbers by one, negated conditions; not annotations, texts, the effort of a search, nor what is "
    "listed as equivalent in `tests/equivalent_mutations.toml`."
)
QUICK = (
    "With quick tests alone the share is a lower bound: slow ones, among them all that draw their cases, "
    "were not asked."
)

RESULTS, PAGE = RAW / "mutations.jsonl", PAGES / "MUTATIONS.md"


def mutate() -> ModuleType:
    """Return the script as a module."""
    loader = SourceFileLoader("mutate", str(ROOT / "scripts/mutate"))
    spec = importlib.util.spec_from_loader("mutate", loader)
    assert spec is not None
    module = sys.modules["mutate"] = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def measure(given: argparse.Namespace) -> None:
    """Draw mutations, run their tests, and add a line for each to the results as it is found."""
    script, commit = mutate(), describe()["commit"]
    places = script.all_places([])
    rng = random.Random(given.seed)
    drawn = [rng.choice(place) for place in rng.sample(places, given.n)]
    marks = script.MARKS[:1] if given.quick else script.MARKS
    with RESULTS.open("w" if given.anew else "a", encoding="utf-8") as file:
        for each, test in script.judged(drawn, given.jobs, given.limit, marks):
            line = {
                "commit": commit, "seed": given.seed, "tests": "quick" if given.quick else "all",
                "path": str(each.path), "line": each.line, "folder": each.folder, "before": each.before,
                "after": each.after, "killed by": test,
            }  # fmt: skip
            file.write(json.dumps(line) + "\n")
            file.flush()


def report(found: list[dict[str, Any]]) -> str:
    """Return the page of shares by folder."""
    drawn = Counter(each["folder"] for each in found)
    dead = Counter(each["folder"] for each in found if each["killed by"])
    rows = [
        f"| `{folder}` | {drawn[folder]} | {dead[folder]} | {100 * dead[folder] / drawn[folder]:.0f} % |"
        for folder in sorted(drawn)
    ]
    total = sum(dead.values())
    by = Counter((each["commit"], each["seed"], each["tests"]) for each in found)
    runs = [
        f"* {n} of commit `{commit}` by seed {seed}, {tests} tests" for (commit, seed, tests), n in by.items()
    ]
    alive = [
        f"* `{each['path']}:{each['line']}`: `{each['before']}` to `{each['after']}`"
        for each in found
        if not each["killed by"]
    ]
    return "\n".join(
        [
            "# Mutations",
            "",
            "How many changes of one token of the source the tests of the same folder notice.",
            DRAWN,
            QUICK,
            "",
            "```text",
            "python -m benchmarks mutations --seed N -n 100",
            "```",
            "",
            *runs,
            "",
            "| folder | drawn | killed | share |",
            "|---|---:|---:|---:|",
            *rows,
            f"| all | {len(found)} | {total} | {100 * total / max(len(found), 1):.0f} % |",
            "",
            "## Survivors",
            "",
            *(alive or ["None."]),
            "",
        ]
    )


def main() -> int:
    """Measure, or write the page from what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-n", type=int, default=100, help="how many are drawn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="only by the tests that are not slow")
    parser.add_argument("--anew", action="store_true", help="forget what was found before")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=900.0, help="seconds for the tests of one mutation")
    add_modes(parser)
    given = parser.parse_args()
    if not (given.report or given.check):
        measure(given)
    found = [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]
    return write(PAGE, report(found), "mutations", check=given.check)
