"""Whole lines of a log that comes in pieces, with the place where each piece of it began.

Only a line feed ends a line: names may hold every other sign that some programs take for the end of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

#: Longest line that is read, in bytes; of a longer one nothing is kept.  The longest that a server writes is
#: its settings at the start of a game, some kilobytes.
LONGEST_LINE = 1 << 20

#: How much is looked at in one go, in bytes: enough for speed, little enough to stay in a processor's cache,
#: and never above the longest line, so that only the first line of a block can be too long.
STEP = 1 << 16

#: What is wrong with a line that is longer.
TOO_LONG = f"the line is longer than {LONGEST_LINE} bytes"


class Block(NamedTuple):
    """Whole lines, each with its line feed; none where a line was too long."""

    content: bytes
    #: Bytes before it, from where reading began.
    offset: int
    #: The number of its first line.
    line: int

    def line_at(self, place: int) -> int:
        """Return the number of the line in which a byte of the content stands."""
        return self.line + self.content.count(b"\n", 0, place)


class Lines:
    """Cuts bytes that come in pieces of any size into blocks of whole lines."""

    __slots__ = ("_dropping", "_rest", "line", "offset")

    def __init__(self, first_line: int = 1) -> None:
        #: Where the line that is not complete yet begins, in bytes and by number.
        self.offset = 0
        self.line = first_line
        self._rest = b""
        self._dropping = False

    def take(self, data: bytes) -> Iterator[Block]:
        """Take the next bytes; give the lines that are complete with them."""
        for start in range(0, len(data), STEP):
            yield from self._take(data[start : start + STEP])

    def _take(self, piece: bytes) -> Iterator[Block]:
        """Take at most :data:`STEP` bytes."""
        content = self._rest + piece
        end = content.find(b"\n") + 1
        if self._dropping or end > LONGEST_LINE + 1 or (not end and len(content) > LONGEST_LINE):
            if not end:
                self._forget(len(content))
                return
            self._dropping = False
            yield Block(b"", self.offset, self.line)
            self.offset += end
            self.line += 1
            content = content[end:]
        end = content.rfind(b"\n") + 1
        self._rest = content[end:]
        if end:
            block = Block(content[:end], self.offset, self.line)
            self.offset += end
            self.line += block.content.count(b"\n")
            yield block

    def _forget(self, size: int) -> None:
        """Keep nothing of a line that is too long."""
        self._dropping = True
        self._rest = b""
        self.offset += size

    def rest(self) -> bytes:
        """Return what there is of the last line, which no line feed ended."""
        return self._rest
