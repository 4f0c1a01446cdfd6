r"""The remote console of Source servers (Team Fortress 2, Counter-Strike) and of others that took it over.

A packet is a little-endian length, then a number, a type, and a text that ends with two zero bytes.  The
number of an answer is that of its command.  A long answer comes in several packets, and nothing marks the
last; so once the first one is there, an empty packet of the type of answers is sent, which the server sends
back after them.  It is sent no sooner, as some servers read one packet at a time and lose the second; and
where a server does not send it back, an answer has ended once nothing more came for a while.
"""

from __future__ import annotations

import struct

from equipoise.games.stream_console import StreamConsole

#: Types of packets; an answer to a password has that of commands.
LOGIN, COMMAND, ANSWER = 3, 2, 0

#: The least and the largest length that a packet may have; the protocol says 4096, some servers send more.
SHORTEST, LONGEST_PACKET = 10, 1 << 16

#: Seconds after which an answer has ended on a server that does not send the mark back.
SILENCE = 0.5

#: The highest number of a command; -1 says that a password was refused.
MOST_NUMBER = 1 << 30

_HEAD = struct.Struct("<iii")


def packet(number: int, kind: int, text: bytes) -> bytes:
    r"""Return the bytes of a packet.

    Examples
    --------
    >>> packet(1, COMMAND, b"status")
    b'\x10\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00status\x00\x00'
    """
    return _HEAD.pack(SHORTEST + len(text), number, kind) + text + b"\0\0"


class SourceRcon(StreamConsole):
    r"""One console, see :class:`~equipoise.games.stream_console.StreamConsole`.

    Examples
    --------
    >>> console = SourceRcon("secret")
    >>> console.opened(0.0)
    >>> console.outgoing(0.0)
    [b'\x10\x00\x00\x00\x01\x00\x00\x00\x03\x00\x00\x00secret\x00\x00']
    >>> console.receive(packet(1, 0, b"") + packet(1, 2, b""), 0.1)
    >>> console.ask("status")
    >>> console.outgoing(0.1) == [packet(2, COMMAND, b"status")]
    True
    >>> console.receive(packet(2, ANSWER, b"map: cp_badlands\n"), 0.2)
    >>> console.outgoing(0.2) == [packet(3, ANSWER, b"")]
    True
    >>> console.receive(packet(3, ANSWER, b""), 0.3)
    >>> console.answers()
    [ConsoleAnswer(question='status', text='map: cp_badlands\n')]
    """

    def __init__(self, password: str) -> None:
        super().__init__(password)
        self._number = 0
        self.begin()

    def begin(self) -> None:
        """Begin with a new connection."""
        self._in = b""
        self._asked = False
        self._command = self._mark = 0

    def greeting(self) -> list[bytes]:
        """Return the password, once."""
        if self._asked:
            return []
        self._asked = True
        self._number = 1
        return [packet(self._number, LOGIN, self.password.encode())]

    def take(self, data: bytes, _: float) -> None:
        """Take bytes: whole packets are read, the rest is kept."""
        self._in += data
        while len(self._in) >= _HEAD.size:
            length, number, kind = _HEAD.unpack_from(self._in)
            if not SHORTEST <= length <= LONGEST_PACKET:
                msg = f"a packet of {length} bytes"
                raise ValueError(msg)
            end = length + 4
            if len(self._in) < end:
                return
            text = self._in[_HEAD.size : end].rstrip(b"\0")
            self._in = self._in[end:]
            self._packet(number, kind, text)

    def _packet(self, number: int, kind: int, text: bytes) -> None:
        if self._phase == "greeting":
            if kind == COMMAND and number == -1:
                self.refuse()
            elif kind == COMMAND and number == self._number:
                self.welcome()
            return  # some send an empty answer first
        if number == -1 and kind == COMMAND:  # the password was changed meanwhile
            self.refuse()
        elif self.out is None:
            return
        elif self._mark and number == self._mark:
            self._ends()
        elif number == self._command and kind == ANSWER:
            self.gather(text)

    def _ends(self) -> None:
        self._mark = 0
        self.finish()

    def settle(self, now: float) -> None:
        """End an answer after which no mark came back."""
        if self._mark and now - self._heard >= SILENCE:
            self._ends()

    def written(self, text: str) -> bytes:
        """Return the packet of a command."""
        self._command = self._number = self._number % MOST_NUMBER + 1
        return packet(self._command, COMMAND, text.encode())

    def more(self) -> list[bytes]:
        """Return the mark, once the first packet of an answer is there."""
        if not self._got or self._mark:
            return []
        self._mark = self._number = self._number % MOST_NUMBER + 1
        return [packet(self._mark, ANSWER, b"")]
