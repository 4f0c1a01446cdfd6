"""Lines of IRC: bytes to tags, source, command and parameters, and back.

The form is that of RFC 1459, section 2.3.1, with the message tags of IRCv3.  What comes from the other side
is never trusted: any bytes are cut into lines, and a line that is none is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from equipoise.fields import printable

#: The longest line that is sent, without its end (RFC 1459), and the longest that is read: tags may be 8 KiB.
LONGEST_SENT, LONGEST_READ = 510, 8192 + 512

#: What a server may put before a line of ours that it hands on: nick, user and host.
SOURCE = 100

_ESCAPED = {"\\:": ";", "\\s": " ", "\\\\": "\\", "\\r": "", "\\n": ""}


@dataclass(frozen=True, slots=True)
class Line:
    """One line.

    Parameters
    ----------
    command : str
        In capitals, or three digits.
    params : tuple of str
        What follows.
    source : str
        Who sent it, as ``nick!user@host``; empty where the line does not say.
    tags : mapping from str to str
        Its message tags.
    """

    command: str
    params: tuple[str, ...] = ()
    source: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def nick(self) -> str:
        """Who sent it, without user and host."""
        return self.source.partition("!")[0]


def line_of(raw: bytes) -> Line | None:
    r"""Return the line of bytes without their end, None where they are none.

    Examples
    --------
    >>> line_of(b"@account=ann :Ann!a@h PRIVMSG #pug :!add ctf")
    Line(command='PRIVMSG', params=('#pug', '!add ctf'), source='Ann!a@h', tags={'account': 'ann'})
    """
    text = raw.decode("utf-8", "replace").strip("\r\n")
    tags: dict[str, str] = {}
    if text.startswith("@"):
        given, _, text = text[1:].partition(" ")
        for tag in given.split(";"):
            name, _, value = tag.partition("=")
            tags[name] = _unescaped(value)
    text, source = text.lstrip(" "), ""
    if text.startswith(":"):
        source, _, text = text[1:].partition(" ")
    head, colon, trailing = f" {text}".partition(" :")
    words = head.split()
    if not words or "\x00" in text:
        return None
    params = (*words[1:], trailing) if colon else tuple(words[1:])
    return Line(words[0].upper(), params, source, tags)


def _unescaped(value: str) -> str:
    found, n = "", 0
    while n < len(value):
        pair = value[n : n + 2]
        found += _ESCAPED.get(pair, pair[1:] if pair[0] == "\\" else pair[0])
        n += 2 if pair[0] == "\\" else 1
    return found


def bytes_of(command: str, *params: str) -> bytes:
    r"""Return the bytes of a line: one line, whatever is in its parameters, and no longer than is allowed.

    Examples
    --------
    >>> bytes_of("PRIVMSG", "#pug", "red\r\nQUIT")
    b'PRIVMSG #pug :red QUIT\r\n'
    """
    clean = [printable(" ".join(param.split())) for param in params]
    middle = [param.replace(" ", "").lstrip(":") or "*" for param in clean[:-1]]
    text = " ".join([command, *middle, *(f":{last}" for last in clean[-1:])])
    raw = text.encode("utf-8", "replace")[:LONGEST_SENT]
    return raw.decode("utf-8", "ignore").encode() + b"\r\n"


def fitting(target: str, text: str) -> list[str]:
    """Return a text in pieces that fit into a line each, cut between words where that can be.

    Examples
    --------
    >>> [len(piece) for piece in fitting("#pug", "word " * 150)]
    [394, 354]
    """
    room = LONGEST_SENT - SOURCE - len(f"PRIVMSG {target} :".encode()) + 3
    pieces: list[str] = []
    rest = " ".join(text.split())
    while len(rest.encode()) > room:
        piece = rest.encode()[:room].decode("utf-8", "ignore")
        cut = piece.rfind(" ")
        piece = piece[:cut] if cut > 0 else piece
        pieces.append(piece)
        rest = rest[len(piece) :].lstrip()
    return [*pieces, rest] if rest else pieces


class LineBuffer:
    """Cuts what arrives into lines."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[Line]:
        """Return the lines that are complete by now; one that is too long is dropped."""
        *complete, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST_READ:
            self._rest = self._rest[:1] + b"\x00" * 2  # the end of a line that is none
        return [
            line for raw in complete if len(raw) <= LONGEST_READ
            if (line := line_of(raw.rstrip(b"\r"))) is not None
        ]  # fmt: skip
