"""What may be sent to a console: lines that no sign in them can turn into another command."""

from __future__ import annotations

import re

#: Signs that mean nothing to any console: no quote, no semicolon, no line end, no dollar, no caret; and no
#: two slashes, which begin a comment.
SAFE = re.compile(r"(?!.*//)!?[A-Za-z0-9_][A-Za-z0-9 _.,:!?()/+*'=#-]*")

#: Longest line that is sent.
LONGEST = 200


class UnsafeError(ValueError):
    """A line that is not sent."""


def checked(line: str) -> str:
    """Return a line that may be sent.

    Raises
    ------
    UnsafeError
        If it is empty, too long, or has a sign that a console may read as something else.

    Examples
    --------
    >>> checked("forceteam 3 red")
    'forceteam 3 red'
    """
    if len(line) > LONGEST or not SAFE.fullmatch(line):
        msg = f"a console line must be 1 to {LONGEST} plain signs, got {line!r:.80}"
        raise UnsafeError(msg)
    return line
