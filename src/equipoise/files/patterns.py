"""Regular expressions that are compiled when they are first used.

Those for everything that people paste take longer to compile than a plain roster takes to read.
"""

from __future__ import annotations

import re
from typing import Any, cast


class _Pattern:
    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        """Compile, and be as quick as the compiled one from then on."""
        compiled = re.compile(self._text, self._flags)
        for method in ("search", "match", "fullmatch", "sub", "finditer", "split"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return what stands for a compiled regular expression.

    Examples
    --------
    >>> pattern("[0-9]+").sub("n", "a1b22")
    'anbn'
    """
    return cast("re.Pattern[str]", _Pattern(text, flags))
