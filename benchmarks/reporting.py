"""What benchmarks share: where they write, with what a run was made, pages that follow from raw results."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

#: The repository; where pages are, raw results, and the programs that benchmarks run beside themselves.
PAGES = Path(__file__).parent
ROOT, RAW, PEERS = PAGES.parent, PAGES / "results", PAGES / "peers"

#: Packages whose versions a page may show.
PACKAGES = ("equipoise", "numpy", "numba", "ortools", "scipy", "prtpy", "numberpartitioning")


def pin() -> str:
    """Keep this process and all that it starts on one core; say what was done."""
    if not hasattr(os, "sched_setaffinity"):
        return "not pinned: this system has no sched_setaffinity"
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return f"pinned to core {core} of {os.cpu_count()} (os.sched_setaffinity)"


def describe() -> dict[str, Any]:
    """Return what the run was made with."""
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "commit": _commit(),
        "source": source_hash(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "packages": {name: _version(name) for name in PACKAGES},
    }


def source_hash() -> str:
    """Return the first digits of the hash of all Python source that was measured."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "src").rglob("*.py")):
        digest.update(path.relative_to(ROOT).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text(encoding="utf-8").splitlines() if facts.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def _commit() -> str:
    """Return the commit, and whether the source differs from it."""
    head = _git("rev-parse", "--short=12", "HEAD")
    if not head:
        return "none yet"
    return f"{head} with changes in src" if _git("status", "--porcelain", "--", "src") else head


def _git(*arguments: str) -> str:
    git = shutil.which("git")
    if git is None:
        return ""
    answer = subprocess.run([git, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return answer.stdout.strip() if answer.returncode == 0 else ""


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
    name = results.stem
    if not (given.report or given.check):
        results.write_text(json.dumps(measure(), indent=1) + "\n", encoding="utf-8")
    if not results.exists():
        print(f"there are no results; run: python -m benchmarks {name}", file=sys.stderr)
        return 1
    text = report(json.loads(results.read_text(encoding="utf-8")))
    return write(page, text, name, check=given.check)


def write(page: Path, text: str, name: str, *, check: bool) -> int:
    """Write the page; or only compare it, and return 1 if it is stale."""
    if not check:
        page.write_text(text, encoding="utf-8")
    elif not page.exists() or page.read_text(encoding="utf-8") != text:
        print(f"{page.name} is stale; run: python -m benchmarks {name} --report", file=sys.stderr)
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


def run_parts(
    description: str | None,
    results: Path,
    page: Path,
    measure: Callable[[range], Any],
    report: Callable[[list[Any]], str],
    *,
    size: int,
    **default: int,
) -> int:
    """Do what the command line of a script says that measures many of something, part by part.

    Each part is kept once it is done, so that a run goes on from where the last one was ended; ``--anew``
    begins again.
    """
    parser = argparse.ArgumentParser(description=description)
    ((name, number),) = default.items()
    parser.add_argument(f"--{name}", type=int, default=number)
    parser.add_argument("--processes", type=int, default=2, help="how many parts are measured side by side")
    parser.add_argument("--anew", action="store_true", help="forget what was measured before")
    add_modes(parser)
    given = parser.parse_args()
    known = [] if given.anew or not results.exists() else json.loads(results.read_text(encoding="utf-8"))
    if not (given.report or given.check):
        kept = {part["first"]: part for part in known}
        firsts = range(0, getattr(given, name), size)
        parts = {n: range(n, min(n + size, getattr(given, name))) for n in firsts}
        todo = [n for n, part in parts.items() if kept.get(n, {}).get("count") != len(part)]
        with ProcessPoolExecutor(given.processes) as pool:
            waiting = {pool.submit(measure, parts[n]): n for n in todo}
            for done in as_completed(waiting):
                n = waiting[done]
                kept[n] = {"first": n, "count": len(parts[n]), **done.result()}
                rows = [json.dumps(kept[each]) for each in sorted(kept)]
                results.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")
    return keep(argparse.Namespace(report=True, check=given.check), results, page, list, report)
