r"""Names with a line feed in a log: they make no lines of their own.

A client chooses its name, and some servers write whatever is in it.  So ``foo\n 12:00 Exit: Timelimit hit.``
looks like two lines wherever the name is written, and the second is one that the server never wrote.

The line ``ClientUserinfoChanged: 2 n\NAME\t\1\...`` tells where a name ends: no name holds a backslash.
Line feeds in it become spaces, there and wherever a line writes the name, so that the true line is whole
again and all others are as the server wrote them.  Nothing else is changed, and no length.
"""

from __future__ import annotations

import re

#: A line that ends within a name, an end within one, and one with all of it.
UNFINISHED = re.compile(rb"ClientUserinfoChanged: ?\d{1,3} n\\[^\\\n]*\n")
OPEN = re.compile(rb"[^\n]*ClientUserinfoChanged: ?\d{1,3} n\\[^\\]{0,1024}\Z")
NAMED = re.compile(rb"(ClientUserinfoChanged: ?\d{1,3} n\\)([^\\]{0,1024})(?=\\t\\\d)")

#: How a line begins within a name.
LINE_WITHIN = re.compile(rb"\n\s*\d")

#: What stands before a name where a line writes one.
BEFORE = rb"(?:(?<=: )|(?<= killed )|(?<=client: \d )|(?<=client: \d\d )|(?<=\\name\\))"

#: Most such names that are kept in mind, and most bytes that wait for the rest of one: the settings of a
#: client have 1,024.
MOST_NAMES, MOST_WAITING = 64, 2048


def _patterns(name: bytes) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Return what finds a name where a line writes it, and where the last line ends within it."""
    parts = name.split(b"\n")
    begun = b"|".join(re.escape(b"\n".join([*parts[:n], b""])) for n in range(len(parts) - 1, 0, -1))
    return re.compile(BEFORE + re.escape(name)), re.compile(rb"[^\n]*" + BEFORE + b"(?:" + begun + rb")\Z")


class JoinedNames:
    r"""Makes line feeds within names spaces.

    Examples
    --------
    >>> log = b"0:50 ClientUserinfoChanged: 2 n\\foo\n 9:00 Exit: x\\t\\0\\id\\\n"
    >>> log += b"0:51 say: foo\n 9:00 Exit: x: hi\n"
    >>> JoinedNames().join(log).decode().splitlines()
    ['0:50 ClientUserinfoChanged: 2 n\\foo  9:00 Exit: x\\t\\0\\id\\', '0:51 say: foo  9:00 Exit: x: hi']
    """

    def __init__(self) -> None:
        #: What finds such a name where a line writes it, and where the last line ends within it.
        self._names: dict[bytes, tuple[re.Pattern[bytes], re.Pattern[bytes]]] = {}

    def certain(self, content: bytes) -> int:
        """Return how many bytes of whole lines are certain: a name may go on after the last ones."""
        self._learn(content)
        end = len(content)
        while end:
            tail = content[max(0, end - MOST_WAITING) : end]
            inside = self._begun(tail)
            if inside is None:
                break
            end = end - len(tail) + inside.start()
            if len(content) - end > MOST_WAITING or inside.start() == 0 < end:
                return len(content)
        return end

    def _begun(self, tail: bytes) -> re.Match[bytes] | None:
        """Return the line that ends within a name, where the last one does."""
        for pattern in (OPEN, *(begun for _, begun in self._names.values())):
            if (found := pattern.search(tail)) is not None:
                return found
        return None

    def join(self, content: bytes) -> bytes:
        """Return lines of which none is within a name."""
        if not self._learn(content) and not self._names:
            return content
        content = NAMED.sub(lambda found: found[1] + found[2].replace(b"\n", b" "), content)
        for whole, _ in self._names.values():
            content = whole.sub(lambda found: found[0].replace(b"\n", b" "), content)
        return content

    def _learn(self, content: bytes) -> bool:
        """Keep names in mind of which a part looks like a line; return whether a line ends within a name."""
        if UNFINISHED.search(content) is None:
            return False
        for found in NAMED.finditer(content):
            name = found[2]
            if LINE_WITHIN.search(name) is not None:
                self._names.pop(name, None)
                self._names[name] = _patterns(name)
        for name in list(self._names)[:-MOST_NAMES]:
            del self._names[name]
        return True
