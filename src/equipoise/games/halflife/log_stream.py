r"""Logs that Half-Life's servers send: lines in UDP packets, and pieces of a log in posts over HTTP.

Over UDP (``logaddress_add HOST:PORT``) every line is a packet: four bytes 255, ``R`` and the line, or with
``sv_logsecret`` ``S``, the digits of the secret and the line.  Packets are neither numbered nor sent again:
what is lost is lost.

Over HTTP (``logaddress_add_http "URL"``) Counter-Strike 2 posts plain text.  Headers say of which run of the
server it is, and from which byte of its log to which.  A post whose answer was lost comes again, and the
first ones after a start may have another length than their headers say.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from hashlib import sha256

#: What every packet begins with.
OUT_OF_BAND = b"\xff\xff\xff\xff"

#: Longest line of a packet, and most posts that are known again when they come once more.
LONGEST_LINE, MOST_KNOWN = 4096, 256

#: The headers that are read, in small letters.
TOKEN, BEGIN, END = "x-server-instance-token", "x-logbytes-beginoffset", "x-logbytes-endoffset"
ADDRESS = "x-server-addr"


def line_of(packet: bytes, secret: str = "") -> bytes | None:
    r"""Return the line of a packet, with its line feed; None where it is none, or has not the secret.

    A line feed within it, as a name might hold, ends no line.

    Examples
    --------
    >>> line_of(b"\xff\xff\xff\xffRL 01/31/2026 - 20:15:00: rcon\n\x00")
    b'L 01/31/2026 - 20:15:00: rcon\n'
    >>> line_of(b"\xff\xff\xff\xffS77L 01/31/2026 - 20:15:00: rcon\n\x00", "77")
    b'L 01/31/2026 - 20:15:00: rcon\n'
    >>> line_of(b"\xff\xff\xff\xffS78L 01/31/2026 - 20:15:00: rcon\n\x00", "77") is None
    True
    """
    start = b"S" + secret.encode() if secret else b"R"
    body = packet.removeprefix(OUT_OF_BAND)
    if len(body) == len(packet) or not hmac.compare_digest(body[: len(start)], start):
        return None
    line = body[len(start) :].rstrip(b"\0\r\n")
    if not line.startswith(b"L ") or len(line) > LONGEST_LINE:
        return None
    return line.translate(_ONE_LINE) + b"\n"


#: Signs that end a line somewhere, as spaces.
_ONE_LINE = bytes(32 if byte in b"\n\r\0" else byte for byte in range(256))


class LogPosts:
    r"""What is new in posts of one server's log.

    Parameters
    ----------
    tail : bytes
        What the log ends with so far, by which a post is known that came before this began.

    Examples
    --------
    >>> posts = LogPosts()
    >>> def post(begin, end, body):
    ...     return posts.take({TOKEN: "run 1", BEGIN: str(begin), END: str(end)}, body)
    >>> post(0, 4, b"abc\n"), post(4, 8, b"def\n"), post(4, 8, b"def\n"), post(6, 10, b"f\ng\n")
    (b'abc\n', b'def\n', b'', b'g\n')
    """

    def __init__(self, tail: bytes = b"") -> None:
        self._tail = tail
        self._token = ""
        #: Up to where the log is there, None where that is not certain.
        self._reached: int | None = None
        self._known: dict[tuple[int, int, bytes], None] = {}
        self._ends_line = not tail or tail.endswith(b"\n")
        self._is_cut = False

    def cut(self) -> None:
        """Note that a part was lost behind what came last: what comes next begins a line."""
        self._reached, self._is_cut = None, True

    def take(self, headers: Mapping[str, str], body: bytes) -> bytes:
        """Return what is to be added to the log: the body, the new part of it, or nothing.

        Parameters
        ----------
        headers : mapping
            By names in small letters.
        body : bytes
            The body.
        """
        if not body:
            return b""
        tail, self._tail = self._tail, b""
        if tail.endswith(body):
            return b""
        begin, end = _number(headers.get(BEGIN, "")), _number(headers.get(END, ""))
        token = headers.get(TOKEN, "")
        another = token != self._token
        if another:
            self._token, self._reached = token, None
            self._known.clear()
        if begin is None or end is None:
            return self._added(body, fresh=True)
        key = begin, end, sha256(body).digest()
        if key in self._known:
            return b""
        self._known[key] = None
        while len(self._known) > MOST_KNOWN:
            del self._known[next(iter(self._known))]
        reached, agrees = self._reached, end - begin == len(body)
        self._reached = end if agrees else None
        if agrees and reached is not None and 0 < begin < reached < end:
            return self._added(body[reached - begin :], fresh=False)
        return self._added(body, fresh=another or (reached is not None and begin != reached))

    def _added(self, body: bytes, *, fresh: bool) -> bytes:
        """Return bytes that go on where the last ones ended, or begin a line."""
        lead = b"\n" if (fresh or self._is_cut) and not self._ends_line else b""
        self._is_cut = False
        self._ends_line = body.endswith(b"\n")
        return lead + body


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
