"""Servers' ends of consoles over TCP, for tests: bytes in, bytes out."""

from __future__ import annotations

import struct
from collections.abc import Callable

#: Longest text of one packet of a Source server.
LONGEST = 4000


class FakeSource:
    """A Source server: packets, long answers in pieces, empty answers sent back.

    Parameters
    ----------
    password : str
        The console's password.
    carry_out : callable
        Takes one command, returns what it prints.
    mirrors : bool
        Whether an empty packet of the type of answers is sent back, as Source servers do.
    """

    def __init__(self, password: str, carry_out: Callable[[str], str], *, mirrors: bool = True) -> None:
        self._password, self._carry_out, self._mirrors = password, carry_out, mirrors
        self.connected()

    def connected(self) -> bytes:
        """Begin with a new connection; return what is sent at once."""
        self._in = b""
        self._known = False
        return b""

    def receive(self, data: bytes) -> bytes:
        """Return the answer to bytes."""
        self._in += data
        out = b""
        while len(self._in) >= 4:
            (length,) = struct.unpack_from("<i", self._in)
            if len(self._in) < length + 4:
                break
            number, kind = struct.unpack_from("<ii", self._in, 4)
            text = self._in[12 : length + 2].decode()
            self._in = self._in[length + 4 :]
            out += self._packet(number, kind, text)
        return out

    def _packet(self, number: int, kind: int, text: str) -> bytes:
        if kind == 3:
            self._known = text == self._password
            return _packed(number, 0, b"") + _packed(number if self._known else -1, 2, b"")
        if not self._known:
            return b""
        if kind == 2:
            answer = (self._carry_out(text) if text else "").encode()
            pieces = [answer[n : n + LONGEST] for n in range(0, len(answer), LONGEST)] or [b""]
            return b"".join(_packed(number, 0, piece) for piece in pieces)
        return _packed(number, 0, b"") + _packed(number, 0, b"\0\1\0\0") if self._mirrors else b""


def _packed(number: int, kind: int, text: bytes) -> bytes:
    return struct.pack("<iii", 10 + len(text), number, kind) + text + b"\0\0"


class FakeEcon:
    """The external console of Teeworlds, as 0.7.5 writes it, with lines of the game in between.

    Parameters
    ----------
    password : str
        The console's password.
    carry_out : callable
        Takes one command, returns the lines that it prints.
    """

    def __init__(self, password: str, carry_out: Callable[[str], str]) -> None:
        self._password, self._carry_out = password, carry_out
        self.connected()

    def connected(self) -> bytes:
        """Begin with a new connection; return what is sent at once."""
        self._in = b""
        self._known = False
        return b"Enter password:\n\0\0"

    def receive(self, data: bytes) -> bytes:
        """Return the answer to bytes."""
        *lines, self._in = (self._in + data).split(b"\n")
        return b"".join(self._line(line.decode()) for line in lines)

    def _line(self, line: str) -> bytes:
        if not self._known:
            self._known = line == self._password
            if not self._known:
                return b"Wrong password 1/3.\n\0\0"
            return b"Authentication successful. External console access granted.\n\0\0"
        printed = [f"[20:14:07][server]: cid=0 cmd='{line}'"]
        if line.startswith("echo "):
            printed.append(f"[20:14:07][Console]: {line[5:]}")
        elif answer := self._carry_out(line):
            printed += answer.split("\n")
        printed.append("[20:14:07][chat]: 0:0:ann: [server]: cid=0 cmd='echo eq 1'")
        return "".join(f"{each}\n\0\0" for each in printed).encode()
