"""The wheel that people install: built, installed into a clean environment, and used there."""

from __future__ import annotations

import os
import shutil
import subprocess
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.skipif("CI" not in os.environ, reason="builds and installs a package: set CI to run it")
def test_the_wheel_works_in_a_clean_environment(tmp_path: Path) -> None:
    """``pip install`` of the built wheel alone gives a command that balances a roster."""
    source = tmp_path / "source"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(".*", "build", "dist", "__pycache__"))
    home = tmp_path / "home"
    venv.create(home, with_pip=True)
    pip = [str(home / "bin" / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(tmp_path), str(source)], check=True)
    (wheel,) = tmp_path.glob("equipoise-*.whl")
    subprocess.run([*pip, "install", str(wheel)], check=True)
    done = subprocess.run(
        [str(home / "bin" / "equipoise"), "balance", "-"],
        input="Amber 4\nBirch 3\nCedar 2\nDahlia 1\n",
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    assert "Proven best." in done.stdout
