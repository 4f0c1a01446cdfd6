r"""The external console of Teeworlds and its kin (``ec_port``): lines of text over TCP.

The server asks for the password, and from then on sends what it logs.  A command is a line; the server says
which one it carries out, as in ``[20:14:07][server]: cid=0 cmd='status'``, and answers in lines that look
like any other.  Nothing marks the last of them; so a command is followed by another one that does nothing,
``echo``, and what stands between the two is the answer, together with what else was logged meanwhile.

Nobody but who has the password can let the server write ``[server]: cid=0 cmd=...``: names and chat stand
after other marks, and signs that end a line are taken out of them.
"""

from __future__ import annotations

import re

from equipoise.games.stream_console import StreamConsole

#: A longer line breaks the connection; the server's are at most 1024 bytes.
LONGEST_LINE = 1 << 14

#: What the server says at first, and to a password.
ASKS, ACCEPTS, REFUSES = b"Enter password:", b"Authentication successful", b"Wrong password"

_CARRIED_OUT = re.compile(rb"\[[^\]]{1,40}\]\[server\]: cid=\d{1,3} cmd='(.*)'")


#: Orders that are given at once: what is to be done between two lives has half a second.
TOGETHER = 64


class Econ(StreamConsole):
    r"""One console, see :class:`~equipoise.games.stream_console.StreamConsole`.

    Examples
    --------
    >>> console = Econ("secret")
    >>> console.opened(0.0)
    >>> console.receive(b"Enter password:\n\x00\x00", 0.0)
    >>> console.outgoing(0.0)
    [b'secret\n']
    >>> console.receive(b"Authentication successful. External console access granted.\n\x00\x00", 0.1)
    >>> console.ask("status")
    >>> console.outgoing(0.1)
    [b'status\necho eq 1\n']
    """

    together = TOGETHER

    def __init__(self, password: str) -> None:
        super().__init__(password)
        self._number = 0
        self.begin()

    def begin(self) -> None:
        """Begin with a new connection."""
        self._in = b""
        self._asked: list[bytes] = []
        self._begun = False

    def greeting(self) -> list[bytes]:
        """Return the password, once it was asked for."""
        asked, self._asked = self._asked, []
        return asked

    def take(self, data: bytes, _: float) -> None:
        """Take bytes: whole lines are read, the rest is kept."""
        *lines, self._in = (self._in + data).split(b"\n")
        if len(self._in) > LONGEST_LINE:
            msg = f"a line of more than {LONGEST_LINE} bytes"
            raise ValueError(msg)
        for line in lines:
            self._line(line.strip(b"\0\r"))

    def _line(self, line: bytes) -> None:
        if self._phase == "greeting":
            if line.startswith(ACCEPTS):
                self.welcome()
            elif line.startswith(REFUSES):
                self.refuse()
            elif line.startswith(ASKS):
                self._asked = [self.password.encode() + b"\n"]
            return
        out = self.out
        if out is None:
            return
        found = _CARRIED_OUT.fullmatch(line)
        if found is not None and found[1] == self._mark():
            self._begun = False
            self.finish(between=b"\n")
        elif found is not None and found[1] == out.partition("\n")[0].encode():
            self._begun = True
        elif self._begun:
            self.gather(line)

    def _mark(self) -> bytes:
        return f"echo eq {self._number}".encode()

    def written(self, text: str) -> bytes:
        """Return a command, and the one that marks the end of its answer."""
        self._number += 1
        self._begun = not text
        return text.encode() + b"\n" * bool(text) + self._mark() + b"\n"
