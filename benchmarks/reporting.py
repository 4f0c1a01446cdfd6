"""What scripts that measure and report by themselves share: to measure, to write, to look for staleness."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def add_modes(parser: argparse.ArgumentParser) -> None:
    """Add the options that say not to measure."""
    parser.add_argument("--report", action="store_true", help="only write the report anew")
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 if the report is stale")


def keep(
    given: argparse.Namespace,
    results: Path,
    page: Path,
    measure: Callable[[], Any],
    report: Callable[[Any], str],
) -> int:
    """Measure unless asked not to; write the report or compare it with the results, and return 1 if stale."""
    script = f"python benchmarks/{results.stem}.py"
    if not (given.report or given.check):
        results.write_text(json.dumps(measure(), indent=1) + "\n", encoding="utf-8")
    if not results.exists():
        print(f"there are no results; run: {script}", file=sys.stderr)
        return 1
    text = report(json.loads(results.read_text(encoding="utf-8")))
    return write(page, text, script, check=given.check)


def write(page: Path, text: str, script: str, *, check: bool) -> int:
    """Write the page; or only compare it, and return 1 if it is stale."""
    if not check:
        page.write_text(text, encoding="utf-8")
    elif not page.exists() or page.read_text(encoding="utf-8") != text:
        print(f"{page.name} is stale; run: {script} --report", file=sys.stderr)
        return 1
    return 0


def run(
    description: str | None,
    results: Path,
    page: Path,
    measure: Callable[[], Any],
    report: Callable[[Any], str],
) -> int:
    """Do what the command line of a script says that has no options of its own."""
    parser = argparse.ArgumentParser(description=description)
    add_modes(parser)
    return keep(parser.parse_args(), results, page, measure, report)


def run_many(
    description: str | None,
    results: Path,
    page: Path,
    measure: Callable[[int], Any],
    report: Callable[[Any], str],
    **default: int,
) -> int:
    """Do what the command line of a script says whose only option is how many of something."""
    parser = argparse.ArgumentParser(description=description)
    ((name, number),) = default.items()
    parser.add_argument(f"--{name}", type=int, default=number)
    add_modes(parser)
    given = parser.parse_args()
    return keep(given, results, page, lambda: measure(getattr(given, name)), report)
