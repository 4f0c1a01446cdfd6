"""What holds for all tests: none judges time, nor does Hypothesis; what it draws, or is compiled, is slow."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

# A change is judged by the same cases wherever and whenever it is; --hypothesis-profile=fresh draws others.
untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fresh", untimed, derandomize=False)
settings.register_profile("same", untimed, derandomize=True)
settings.load_profile("same")


#: What takes POSIX away from Python.
WITHOUT_POSIX = Path(__file__).parent / "without_posix"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take an option that takes POSIX away, from this process and from those that tests start."""
    parser.addoption("--without-posix", action="store_true", help="run as where there is no POSIX")


def _without_posix() -> None:
    spec = importlib.util.spec_from_file_location("without_posix", WITHOUT_POSIX / "sitecustomize.py")
    assert spec is not None
    assert spec.loader is not None
    taken = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(taken)
    taken.take_away(all_of_it=False)
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(WITHOUT_POSIX), os.environ.get("PYTHONPATH")])
    )


def pytest_configure(config: pytest.Config) -> None:
    """Go without numba where slow tests are left out: on small input the plain kernels are as quick.

    To compile them in a fresh clone takes longer than all quick tests together.
    """
    if config.option.without_posix:
        _without_posix()
    if config.option.markexpr == "not slow":
        sys.modules["numba"] = None  # type: ignore[assignment]  # as Python has it: importing it fails


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not read files whose tests are all slow where those are left out."""
    if config.option.markexpr != "not slow" or collection_path.suffix != ".py":
        return None
    return "\npytestmark = pytest.mark.slow\n" in collection_path.read_text(encoding="utf-8") or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what Hypothesis draws as slow: in a fresh clone its tables alone take seconds."""
    for item in items:
        if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj):
            item.add_marker(pytest.mark.slow)
