"""Kernels that are loaded in a thread: who waits for it, and who does not."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest
from tests.kernels import needs_numba

from equipoise.core import compiled
from equipoise.service.kernel_loading import KernelLoading

pytestmark = [needs_numba, pytest.mark.slow]


def test_small_work_does_not_wait_for_what_loads_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    """While another thread loads it, only what loading alone would pay for waits until it has ended."""
    may_end = threading.Event()
    loader = KernelLoading(may_end.wait)
    monkeypatch.setattr(compiled, "loading", [loader])
    loader.start()
    assert not compiled.pays(10, 20)
    assert not compiled.pays(30, 20, left=60.0)
    assert loader.is_alive()
    threading.Timer(0.01, may_end.set).start()
    assert compiled.pays(30, 20)
    assert not loader.is_alive()


def test_numba_is_loaded_beside_other_work_once() -> None:
    """In the process where it is not, and what is to be used then is called once."""
    code = """
import sys
from equipoise.core import compiled
from equipoise.service.kernel_loading import load_meanwhile
used = []
for _ in range(2):
    load_meanwhile(lambda: used.append("numba" in sys.modules))
for each in compiled.loading:
    each.join()
load_meanwhile(lambda: used.append("again"))
print(used, compiled.pays(1, 20))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[True] True\n"
