"""axe-core, which looks for what keeps people from using a page."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from benchmarks.pages.browsers import Browser


def source(folder: Path) -> str:
    """Return the source of axe-core, installed into a folder; skip where it cannot be had."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    command = ["npm", "install", "--no-fund", "--no-audit", "--prefix", str(folder), "axe-core@4"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("axe-core cannot be installed")
    return (folder / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")


def complaints(browser: Browser, axe: str) -> list[Any]:
    """Return what axe-core finds on a page."""
    browser.run(axe + "; window.axe = axe;")
    also = "{ rules: { 'label-content-name-mismatch': { enabled: true }, 'target-size': { enabled: true } } }"
    browser.run(f"window.found = null; axe.run({also}).then((said) => {{ window.found = said.violations; }})")
    browser.wait("return window.found !== null")
    found: list[Any] = browser.run(
        "return window.found.map((one) => [one.id, one.impact, one.nodes[0].html])"
    )
    return found
