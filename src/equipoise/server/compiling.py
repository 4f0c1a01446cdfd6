"""The worker that compiles every kernel, once for an installation: they are kept on disk.

It is apart from the others, as it loads whatever has a kernel.
"""

from __future__ import annotations

from collections.abc import Generator

from equipoise.serving.warming import warm_up


class Compiling:
    """Compiles whatever is not compiled yet."""

    def __call__(self, _: None) -> Generator[None, None, bool]:
        """Return whether it is kept, or nothing can be compiled at all."""
        yield from ()
        return warm_up()
