"""How names are compared: what two spellings of one name share."""

from __future__ import annotations

import unicodedata


def folded(name: str) -> str:
    """Return a name as it is compared: without case, forms of letters, and spaces around and doubled.

    Examples
    --------
    >>> folded(" AMBER  Lee ") == folded("Amber Lee")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
