"""What is made from the code, as its script makes it in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def made(call: str) -> str:
    """Return what a call of ``scripts/reference.py`` gives."""
    code = f"import sys; sys.path.insert(0, 'scripts'); import reference; sys.stdout.write(reference.{call})"
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code], cwd=ROOT, capture_output=True, check=True, timeout=300
    )
    return done.stdout.decode("utf-8")


def kept(path: str) -> str:
    """Return what is committed."""
    return (ROOT / path).read_text(encoding="utf-8")
