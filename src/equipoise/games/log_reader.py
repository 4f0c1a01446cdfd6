"""What every reader of a game's log is: bytes in, matches out, no matter where they are cut.

Whole lines are made of bytes that come in pieces.  Only a line feed ends a line: names may hold every other
sign that some programs take for the end of one.  Each game knows its own log by its beginning; which of them
a log is of is asked of all of them.
"""

from __future__ import annotations

import codecs
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator
from typing import ClassVar, Generic, NamedTuple, Protocol, TypeVar

from equipoise.core.match import Match, Skipped, Unfinished
from equipoise.core.registry import GAMES, resolve
from equipoise.core.rulesets import GameRules
from equipoise.errors import InputError

#: What comes out of a log.
Parsed = Match | Skipped | Unfinished


class Reader(Protocol):
    """Reads one log from its start, or from a place that was :attr:`settled`.

    What comes out depends on the bytes alone, never on how they were cut, on the clock or on the name of the
    file; the name is only used to say where something stands.
    """

    @property
    def settled(self) -> int:
        """How many bytes, from where this reader began, are not needed again.

        A new reader that begins there gives what this one would have given from there on; lines of a running
        game that were skipped are reported again, and so are games where it needs to know who was there.
        """

    @property
    def settled_line(self) -> int:
        """The number of the line that begins there: the ``first_line`` of such a reader."""

    def read(self, data: bytes) -> Iterable[Parsed]:
        """Take the next bytes; return what has ended with them.  A line that is not complete waits."""

    def end_of_file(self) -> Iterable[Parsed]:
        """Take the end of one of several files that make a log; return what cannot go on in the next one."""

    def finish(self) -> Iterable[Parsed]:
        """Take the end of the log; return what ends with it, among it the game that was not finished.

        A match is given only where nothing that may be appended to the log can change it.  Who follows a log
        that grows does not call this.
        """


class Game(Protocol):
    """One family of logs: a module-level object, registered in :data:`equipoise.core.registry.GAMES`."""

    @property
    def name(self) -> str:
        """What it is registered as."""

    @property
    def server(self) -> str:
        """Who writes such logs, as ``"a Nexuiz server"``; empty where it may be anybody."""

    def recognise(self, head: bytes) -> str:
        """Return by what the first bytes of a log (up to 64 KiB) show this game; empty where they do not.

        They are UTF-8 or of an older encoding, without a mark.
        """

    def reader(self, source: str, first_line: int = 1) -> Reader:
        """Return a reader for a log.

        Parameters
        ----------
        source : str
            What the log is called in ``where`` (``"<source>, line <n>"``).
        first_line : int
            The number of its first line; more than 1 where a followed log goes on.
        """

    def rules(self) -> Iterable[GameRules]:
        """Return the tables of game types and mutators, one for each game of the family."""


#: Longest line that is read, in bytes; of a longer one nothing is kept.  The longest that a server writes is
#: its settings at the start of a game, some kilobytes.
LONGEST_LINE = 1 << 20

#: How much is looked at in one go, in bytes: enough for speed, little enough to stay in a processor's cache,
#: and never above the longest line, so that only the first line of a block can be too long.
STEP = 1 << 16

#: What is wrong with a line that is longer.
TOO_LONG = f"the line is longer than {LONGEST_LINE} bytes"


class Block:
    """Whole lines, each with its line feed; none where a line was too long.

    Parameters
    ----------
    content : bytes
        The lines.
    offset : int
        Bytes before it, from where reading began.
    line : int
        The number of its first line.
    """

    __slots__ = ("_near", "content", "line", "offset")

    def __init__(self, content: bytes, offset: int, line: int) -> None:
        self.content, self.offset, self.line = content, offset, line
        self._near = (0, line)

    def line_at(self, place: int) -> int:
        """Return the number of the line in which a byte of the content stands; quick if asked in order."""
        start, line = self._near if self._near[0] <= place else (0, self.line)
        line += self.content.count(b"\n", start, place)
        self._near = (place, line)
        return line


class LineRepair(Protocol):
    """What makes lines as a server wrote them of those that a client could write into."""

    def certain(self, content: bytes) -> int:
        """Return how many bytes of whole lines do not depend on what follows."""

    def join(self, content: bytes) -> bytes:
        """Return lines of the same length in all of which a server wrote the line feed."""


class Lines:
    """Cuts bytes that come in pieces of any size into blocks of whole lines.

    Parameters
    ----------
    first_line : int
        The number of the first line.
    repair : LineRepair, optional
        What is done to lines that a client could write into.
    """

    __slots__ = ("_dropped", "_repair", "_rest", "line", "offset")

    def __init__(self, first_line: int = 1, repair: LineRepair | None = None) -> None:
        self._repair = repair
        #: Where the line that is not complete yet begins, in bytes and by number.
        self.offset = 0
        self.line = first_line
        self._rest = b""
        #: Bytes of a line that is too long that nothing is kept of.
        self._dropped = 0

    def take(self, data: bytes) -> Iterator[Block]:
        """Take the next bytes; give the lines that are complete with them."""
        for start in range(0, len(data), STEP):
            yield from self._take(data[start : start + STEP])

    def each(self, data: bytes) -> Iterator[bytes]:
        """Take the next bytes; give each line that is complete with them, without its end."""
        for block in self.take(data):
            yield from block.content.removesuffix(b"\n").split(b"\n")

    def _take(self, piece: bytes) -> Iterator[Block]:
        """Take at most :data:`STEP` bytes."""
        content = self._rest + piece
        end = content.find(b"\n") + 1
        if self._dropped or end > LONGEST_LINE + 1 or (not end and len(content) > LONGEST_LINE):
            if not end:
                self._dropped += len(content)
                self._rest = b""
                return
            yield Block(b"", self.offset, self.line)
            self.offset += self._dropped + end
            self.line += 1
            self._dropped = 0
            content = content[end:]
        end = content.rfind(b"\n") + 1
        whole = content[:end]
        if self._repair is not None and end:
            end = self._repair.certain(whole)
            whole = self._repair.join(whole[:end])
        self._rest = content[end:]
        if end:
            block = Block(whole, self.offset, self.line)
            self.offset += end
            self.line += content.count(b"\n", 0, end)
            yield block

    def rest(self) -> bytes:
        """Return what there is of the last line, which no line feed ended."""
        return self._rest


class Transcoder:
    """Turns UTF-16 into UTF-8, takes away the mark at the beginning, and leaves anything else as it is."""

    #: Marks of encodings, and the encodings that are turned into UTF-8.
    MARKS: ClassVar = {
        codecs.BOM_UTF8: "", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be",
    }  # fmt: skip

    def __init__(self) -> None:
        self._start = b""
        self._decoder: codecs.IncrementalDecoder | None = None
        self._known = False
        #: The encoding unless it is UTF-8, and how many bytes of a mark were there.
        self.encoding, self.mark = "", 0

    def take(self, data: bytes) -> bytes:
        """Take the next bytes; the first ones tell what they are."""
        if not self._known:
            data = self._start + data
            if len(data) < 2 or (len(data) < 3 and codecs.BOM_UTF8.startswith(data)):
                self._start = data
                return b""
            self._know(data)
            data = data[self.mark :]
        if self._decoder is None:
            return data
        return self._decoder.decode(data).encode("utf-8", "replace")

    def _know(self, data: bytes) -> None:
        self._known = True
        mark = next((mark for mark in self.MARKS if data.startswith(mark)), b"")
        if mark:
            self.mark, self.encoding = len(mark), self.MARKS[mark]
        elif (data[0] == 0) != (data[1] == 0):  # a log begins with a digit or a letter
            self.encoding = "utf-16-le" if data[1] == 0 else "utf-16-be"
        if self.encoding:
            self._decoder = codecs.getincrementaldecoder(self.encoding)("replace")


class LineReader(ABC):
    """A :class:`~equipoise.games.log_reader.Reader` that goes through blocks of lines.

    Parameters
    ----------
    source : str
        What the log is called.
    first_line : int
        The number of its first line.
    """

    def __init__(self, source: str, first_line: int = 1) -> None:
        self.source = source
        self.lines = Lines(first_line)
        self._found: list[Parsed] = []
        self._settled = (0, first_line)
        self._transcoder = Transcoder()
        #: Of a log in UTF-16: bytes that were read, those that are not needed again, and where lines begin
        #: after these: in text, and in the log.
        self._read = self._quiet = 0
        self._places: deque[tuple[int, int]] = deque()

    @property
    def settled(self) -> int:
        """How many bytes are not needed again, in the encoding of the log."""
        return self._quiet if self._transcoder.encoding else self._transcoder.mark + self._settled[0]

    @property
    def settled_line(self) -> int:
        """The number of the line that begins there."""
        return self._settled[1]

    def read(self, data: bytes) -> list[Parsed]:
        """Take the next bytes; return what has ended with them.

        UTF-16 goes on line by line, as the places of its lines are others in the log.
        """
        content = self._transcoder.take(data)
        encoding = self._transcoder.encoding
        if not encoding:
            self._blocks(content)
            return self._given()
        self._read = self._read or self._transcoder.mark
        for line in _lines(content):
            self._places.append((self.lines.offset + len(self.lines.rest()), self._read))
            self._blocks(line)
            self._read += len(line.decode("utf-8", "replace").encode(encoding, "replace"))
            self._places.append((self.lines.offset + len(self.lines.rest()), self._read))
            while self._places and self._places[0][0] <= self._settled[0]:
                self._quiet = self._places.popleft()[1]
        return self._given()

    def _blocks(self, content: bytes) -> None:
        """Take the next bytes of text."""
        for block in self.lines.take(content):
            if block.content:
                self.take(block)
            else:
                self.skip(block.line, TOO_LONG)
            if self.idle():
                self._settled = (self.lines.offset, self.lines.line)

    def end_of_file(self) -> list[Parsed]:
        """Take the end of a file; in most logs a game goes on in the next one."""
        return []

    def finish(self) -> list[Parsed]:
        """Take the end of the log; return what ends with it."""
        self.end()
        return self._given()

    def _given(self) -> list[Parsed]:
        found, self._found = self._found, []
        return found

    @abstractmethod
    def take(self, block: Block) -> None:
        """Go through some lines."""

    @abstractmethod
    def idle(self) -> bool:
        """Tell whether nothing that was read is needed for what comes."""

    @abstractmethod
    def end(self) -> None:
        """Take the end of the log."""

    def begins(self, block: Block, place: int) -> str:
        """Take note that what is needed begins at a place in a block; return how messages call it."""
        line = block.line_at(place)
        self._settled = (block.offset + place, line)
        return f"{self.source}, line {line}"

    def give(self, found: Parsed) -> None:
        """Give something that was found."""
        self._found.append(found)

    def skip(self, line: int, reason: str) -> None:
        """Tell what is wrong with a line."""
        self._found.append(Skipped(f"{self.source}, line {line}", reason))

    def abandon(self, where: str, reason: str) -> None:
        """Tell why a game does not count."""
        self._found.append(Unfinished(where, reason))


def _lines(content: bytes) -> list[bytes]:
    """Return lines with their line feeds; the last may have none."""
    parts = content.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


class Running(Protocol):
    """A game of a log that has not ended yet."""

    where: str


OneGame = TypeVar("OneGame", bound=Running)


class GameReader(LineReader, Generic[OneGame]):
    """A reader of a log in which one game runs at a time."""

    #: Why a game does not count that the log does not tell the end of.
    cut_off: ClassVar[str] = "the log ends before its result"

    def __init__(self, source: str, first_line: int = 1) -> None:
        super().__init__(source, first_line)
        self.game: OneGame | None = None

    def idle(self) -> bool:
        """Tell whether no game runs."""
        return self.game is None

    def end(self) -> None:
        """Take the end of the log; a game that has no result yet is unfinished."""
        self.give_up(self.cut_off)

    def give_up(self, reason: str) -> None:
        """Tell why the running game does not count, if there is one."""
        game, self.game = self.game, None
        if game is not None:
            self.abandon(game.where, reason)


#: How much of a log a guess is made from, in bytes.
HEAD = 1 << 16


class Guess(NamedTuple):
    """Which game a log is of, and by what that is seen."""

    name: str
    game: Game
    because: str


def as_utf8(head: bytes) -> bytes:
    """Return the beginning of a log, whose encoding its first bytes tell, as a game recognises it."""
    return Transcoder().take(head[:HEAD]) or head  # of a byte or two nothing is known yet


def guess_game(head: bytes) -> Guess:
    r"""Return which registered game a log is of.

    Parameters
    ----------
    head : bytes
        Its beginning; at most the first 64 KiB are looked at.

    Raises
    ------
    InputError
        If it is of none.

    Examples
    --------
    >>> guess = guess_game(rb"  0:00 InitGame: \gamename\baseoa\g_gametype\4" + b"\n")
    >>> guess.name, guess.because
    ('quake3', "a line 'InitGame: \\...'")
    """
    head = as_utf8(head)
    for name in GAMES:
        game: Game = resolve("game", GAMES, name)
        because = game.recognise(head)
        if because:
            return Guess(name, game, because)
    msg = f"game: the log looks like none of {', '.join(GAMES)}; name the game if it is one of these"
    raise InputError(msg)
