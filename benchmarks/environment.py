"""Where and with what a run was made: processor, versions, the source that was measured."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent

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
