r"""Line feeds in what a client says of itself: they make no lines of their own.

A client chooses its name, and some servers write whatever is in it.  So ``foo\n 12:00 Exit: Timelimit hit.``
looks like two lines wherever the name is written, and the second is one that the server never wrote.  The
same goes for its model, its colours and the names of its teams.

The line ``ClientUserinfoChanged: 2 n\NAME\t\1\...`` tells where a name ends: no name holds a backslash.
Line feeds in it become spaces, there and wherever a line writes the name, so that the true line is whole
again and all others are as the server wrote them.  Nothing else is changed, and no length.

No other value holds one either, and the last of a server's own keys, ``tl`` or ``id``, tells where the line
ends.  Who had an id (32 hexadecimal digits) and has another text there may go on for as long as a client's
settings can: what follows, up to the next line with settings in it, counts as a part of it.  An id that is
one, with a line feed and a line after it, is the one thing that cannot be told from a true line.
"""

from __future__ import annotations

import re
from typing import NamedTuple

#: A line that ends within a name, an end within one, and one with all of it.
UNFINISHED = re.compile(rb"ClientUserinfoChanged: ?\d{1,3} n\\[^\\\n]*\n")
OPEN = re.compile(rb"[^\n]*ClientUserinfoChanged: ?\d{1,3} n\\[^\\]{0,1024}\Z")
NAMED = re.compile(rb"(ClientUserinfoChanged: ?\d{1,3} n\\)([^\\]{0,1024})(?=\\t\\\d)")

#: The settings of a client up to its team and what follows, and where they end, by a server's own last keys.
RECORD = re.compile(rb"ClientUserinfoChanged: ?(\d{1,3}) n\\[^\\]{0,1024}\\t\\\d+\\model\\")
RECORD_END = re.compile(
    rb"\\(?:tl\\-?\d+(?:\\id\\([^\\\n]*))?|id\\([^\\\n]*))\r?\n|\\t\\\d+\\|\\g_gametype\\"
)
ID = re.compile(rb"[0-9A-Fa-f]{32}\r?")
#: The other line that writes an id.
STORED = re.compile(rb"Playerstore: Stored player with guid: [^\\]{0,1024}? in \d{1,3}\r?\n")

#: How a line begins within a name.
LINE_WITHIN = re.compile(rb"\n\s*\d")

#: What stands before a name where a line writes one.
BEFORE = rb"(?:(?<=: )|(?<= killed )|(?<=client: \d )|(?<=client: \d\d )|(?<=\\name\\))"

#: Most such names that are kept in mind, and most bytes that wait for the rest of one: the settings of a
#: client have 1,024.
MOST_NAMES, MOST_WAITING, MOST_ID = 64, 2048, 1024


class _Name(NamedTuple):
    """What finds a name where a line writes it, and where the last line ends within it, after what."""

    whole: re.Pattern[bytes]
    begun: re.Pattern[bytes]
    ends: tuple[bytes, ...]

    @classmethod
    def of(cls, name: bytes) -> _Name:
        """Return what finds a name."""
        parts = name.split(b"\n")
        ends = tuple(b"\n".join([*parts[:n], b""]) for n in range(len(parts) - 1, 0, -1))
        begun = rb"[^\n]*" + BEFORE + b"(?:" + b"|".join(map(re.escape, ends)) + rb")\Z"
        return cls(re.compile(BEFORE + re.escape(name)), re.compile(begun), ends)


class _Record(NamedTuple):
    """Where a line with settings of a client begins and ends, None where its end is to come.

    Attributes
    ----------
    slot : bytes
        The client's, where there is an id in it; else nothing.
    """

    start: int
    end: int | None
    slot: bytes


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
        self._names: dict[bytes, _Name] = {}
        #: The slots of which somebody had an id.
        self._with_ids: set[bytes] = set()
        #: What is certain was asked of last, and the lines with settings in it, until it is joined.
        self._asked: tuple[bytes, list[_Record]] = (b"", [])

    def certain(self, content: bytes) -> int:
        """Return how many bytes of whole lines are certain: a name may go on after the last ones."""
        self._learn(content)
        records = self._records(content)
        self._asked = (content, records)
        whole = end = len(content)
        if records and records[-1].end is None:
            whole = end = content.rfind(b"\n", 0, records[-1].start) + 1
        while end:
            tail = content[max(0, end - MOST_WAITING) : end]
            inside = self._begun(tail)
            if inside is None:
                break
            end = end - len(tail) + inside.start()
            if len(content) - end > MOST_WAITING or inside.start() == 0 < end:
                return whole
            around = next((each for each in records if each.end and each.start < end < each.end), None)
            end = end if around is None else content.rfind(b"\n", 0, around.start) + 1
        return end

    def _begun(self, tail: bytes) -> re.Match[bytes] | None:
        """Return the line that ends within a name, where the last one does."""
        if (found := OPEN.search(tail)) is not None:
            return found
        for name in self._names.values():
            if tail.endswith(name.ends) and (found := name.begun.search(tail)) is not None:
                return found
        return None

    def join(self, content: bytes) -> bytes:
        """Return lines of which none is within a name."""
        if not self._learn(content) and not self._names:
            return self._with_whole_records(content)
        content = NAMED.sub(lambda found: found[1] + found[2].replace(b"\n", b" "), content)
        for name, known in self._names.items():
            if name in content:
                content = known.whole.sub(lambda found: found[0].replace(b"\n", b" "), content)
        return self._with_whole_records(content)

    def _records(self, content: bytes) -> list[_Record]:
        """Return the lines with settings of clients."""
        found: list[_Record] = []
        done, with_ids = 0, set(self._with_ids)
        for record in RECORD.finditer(content):
            if record.start() >= done and (ending := _end_of_record(content, record, with_ids)) is not None:
                end, has_id = ending
                if has_id:
                    with_ids.add(record[1])
                found.append(_Record(record.start(), end, record[1] if has_id else b""))
                done = len(content) if end is None else end
        return found

    def _records_again(self, content: bytes) -> list[_Record]:
        """Return the lines with settings of clients, without a search where they were just found."""
        (asked, found), self._asked = self._asked, (b"", [])
        inside = [each for each in found if each.start < len(content)]
        whole = not inside or (inside[-1].end is not None and inside[-1].end <= len(content))
        return inside if whole and asked.startswith(content) else self._records(content)

    def _with_whole_records(self, content: bytes) -> bytes:
        """Return lines of which none is within the settings of a client."""
        parts, done = [], 0
        records = self._records_again(content)
        self._with_ids.update(each.slot for each in records if each.slot)
        for start, end, _ in records:
            done_at = (end or len(content)) - 1  # what is certain ends before what ended it
            if content.find(b"\n", start, done_at) != -1:
                parts += [content[done:start], content[start:done_at].replace(b"\n", b" ")]
                done = done_at
        whole = b"".join([*parts, content[done:]])
        return STORED.sub(lambda found: found[0][:-1].replace(b"\n", b" ") + b"\n", whole)

    def _learn(self, content: bytes) -> bool:
        """Keep names in mind of which a part looks like a line; return whether a line ends within a name."""
        if UNFINISHED.search(content) is None:
            return False
        for found in NAMED.finditer(content):
            name = found[2]
            if LINE_WITHIN.search(name) is not None:
                self._names.pop(name, None)
                self._names[name] = _Name.of(name)
        for name in list(self._names)[:-MOST_NAMES]:
            del self._names[name]
        return True


def _end_of_record(
    content: bytes, record: re.Match[bytes], with_ids: set[bytes]
) -> tuple[int | None, bool] | None:
    """Return where the line of a client's settings ends, and whether there is an id in it.

    The end is None where it is still to come; nothing is returned where it never will be.
    People of a slot in which somebody had an id have one: where it is none, what follows may be a part of it.
    """
    found = RECORD_END.search(content, record.end() - 1, record.end() + MOST_WAITING)
    if found is None:
        return (None, False) if len(content) - record.end() < MOST_WAITING else None
    if not found[0].endswith(b"\n"):
        return None  # another line with settings begins: this one was cut short
    known = found[1] if found[1] is not None else found[2]
    end = found.end()
    if known is not None and ID.fullmatch(known):
        return end, True
    bot = b"\\skill\\" in content[record.end() - 1 : found.start() + 1]
    if known is None or bot or record[1] not in with_ids:
        return end, False
    while end < len(content):
        line = content[end : content.find(b"\n", end) + 1 or len(content)]
        if b"\\" in line or end - found.start() > MOST_ID:
            return end, False
        end += len(line)
    return (None if len(content) - found.start() <= MOST_ID else end), False
