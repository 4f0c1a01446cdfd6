"""Loading compiled kernels in a thread, for a worker that must not stand still meanwhile."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

from equipoise.core.compiled import available, loading


class KernelLoading(threading.Thread):
    """Loads numba, and the kernels that a call uses."""

    def __init__(self, use: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self._use = use

    def run(self) -> None:
        """Load them, where there is a numba."""
        if available():
            self._use()

    def is_here(self) -> bool:
        """Tell whether this thread is what runs now."""
        return threading.current_thread() is self


def load_meanwhile(use: Callable[[], object]) -> None:
    """Load numba and the kernels that a call uses, once, unless numba is here already."""
    if "numba" not in sys.modules and not loading:
        thread = KernelLoading(use)
        loading.append(thread)
        thread.start()
