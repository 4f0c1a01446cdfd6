"""A player in Quake 3's network protocol, as a server sees one: connects, chooses a team, talks, leaves.

It stands where it is put and never shoots.  The protocol is that of Quake 3 1.32 (68), which OpenArena calls
71: sequenced packets with fragments, of which all but the first bytes are hidden by what was last said;
commands that are repeated until they are acknowledged; bytes in a fixed Huffman code, but for the first
packet of a connection, whose code adapts to what it has (Sayood, Introduction to Data Compression, 3.4).
"""

from __future__ import annotations

import hashlib
import itertools
import re
import select
import socket
import struct
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

#: Where servers listen.
LOOPBACK = "127.0.0.1"

OUT_OF_BAND = b"\xff\xff\xff\xff"

#: Commands of a server that are remembered, and characters of a client's that are sent together: what is
#: longer than a part would have to be sent in parts.
KEPT, ROOM = 64, 1100

#: Of a sequence number: that more of the same message follows; and how long each part but the last is.
FRAGMENT, PART = 1 << 31, 1300

#: What a server's message holds, and a client's.
GAME_STATE, CONFIG_STRING, SERVER_COMMAND, SNAPSHOT = 2, 3, 5, 7
MOVE, CLIENT_COMMAND, END = 3, 4, 5

#: Bytes at the start of a message that are not hidden, of a client and of a server.
OPEN_CLIENT, OPEN_SERVER = 12, 4

#: Bits of the longest code of a byte, and packets that are read at a time.
LONGEST, AT_ONCE = 11, 32

#: Seconds between two packets of a client, after which one that is not answered is sent again, and after
#: which a server that says nothing is gone.
PACE, AGAIN, SILENCE = 0.05, 1.0, 10.0


class _Node:
    """A place in an adaptive Huffman tree."""

    __slots__ = ("children", "parent", "symbol", "weight")

    def __init__(self, symbol: int | None = None, weight: int = 0) -> None:
        self.symbol, self.weight = symbol, weight
        self.parent: _Node | None = None
        self.children: list[_Node] = []


class AdaptiveCode:
    """A Huffman code that follows what it has coded; a byte that is new comes after an escape.

    ``_order`` has all nodes by weight, from the escape to the root; of equal ones the last is the leader.
    """

    def __init__(self) -> None:
        self._escape = _Node()
        self._order = [self._escape]
        self._leaves: dict[int, _Node] = {}

    def bits(self, symbol: int) -> list[int]:
        """Return the bits of a byte, before it is counted."""
        leaf = self._leaves.get(symbol)
        if leaf is None:
            return [*self._path(self._escape), *(symbol >> place & 1 for place in range(7, -1, -1))]
        return self._path(leaf)

    def count(self, symbol: int) -> None:
        """Count a byte."""
        leaf = self._leaves.get(symbol)
        if leaf is not None:
            self._increment(leaf)
            return
        inner, leaf = _Node(weight=1), _Node(symbol, 1)
        parent = inner.parent = self._escape.parent
        if parent is not None:
            parent.children[parent.children.index(self._escape)] = inner
        inner.children = [self._escape, leaf]
        self._escape.parent = leaf.parent = inner
        self._order[1:1] = [leaf, inner]
        self._leaves[symbol] = leaf
        self._increment(parent)

    def _path(self, node: _Node) -> list[int]:
        bits = []
        while node.parent is not None:
            bits.append(int(node.parent.children[1] is node))
            node = node.parent
        return bits[::-1]

    def _increment(self, node: _Node | None) -> None:
        if node is None:
            return
        order, at = self._order, self._order.index(node)
        last = at
        while last + 1 < len(order) and order[last + 1].weight == node.weight:
            last += 1
        if last != at:
            leader = order[last]
            if leader is not node.parent:
                _exchange(leader, node)
            order[at], order[last] = leader, node
        node.weight += 1
        if node.parent is not None:
            self._increment(node.parent)
            at = order.index(node)
            if at and order[at - 1] is node.parent:
                order[at - 1], order[at] = node, node.parent


def _exchange(one: _Node, other: _Node) -> None:
    """Let two nodes, none above the other, stand in each other's place of the tree."""
    above, over = one.parent, other.parent
    assert above is not None
    assert over is not None
    here, there = above.children.index(one), over.children.index(other)
    above.children[here], over.children[there] = other, one
    one.parent, other.parent = over, above


def _packed(bits: Sequence[int]) -> bytes:
    """Return bits as bytes, the lowest first."""
    packed = bytearray((len(bits) + 7) // 8)
    for place, bit in enumerate(bits):
        packed[place >> 3] |= bit << (place & 7)
    return bytes(packed)


def compressed(text: bytes) -> bytes:
    """Return the first packet's text in the code that adapts to it: its length, and its bits."""
    code, bits = AdaptiveCode(), list[int]()
    for symbol in text:
        bits += code.bits(symbol)
        code.count(symbol)
    return struct.pack(">H", len(text)) + _packed([*bits, *[0] * 8])


@cache
def codes() -> tuple[tuple[int, ...], ...]:
    """Return the bits of each byte in the fixed code."""
    text = Path(__file__).with_name("quake3_codes.txt").read_text(encoding="ascii")
    return tuple(tuple(map(int, word)) for word in text.split())


@cache
def _symbols() -> list[tuple[int, int]]:
    """Return the byte that bits begin with, and how many are its own, for all that may come next."""
    found = [(0, 0)] * (1 << LONGEST)
    for symbol, bits in enumerate(codes()):
        first = sum(bit << place for place, bit in enumerate(bits))
        for rest in range(1 << LONGEST - len(bits)):
            found[first | rest << len(bits)] = symbol, len(bits)
    return found


class Writer:
    """A message as it is written, bit by bit."""

    def __init__(self) -> None:
        self._bits: list[int] = []

    def number(self, value: int, bits: int = 32) -> None:
        """Write a whole number: what is beyond whole bytes as it is, then bytes, each in the code."""
        odd = bits & 7
        self._bits += (value >> place & 1 for place in range(odd))
        for place in range(odd, bits, 8):
            self._bits += codes()[value >> place & 255]

    def text(self, text: str) -> None:
        """Write a text with its end."""
        for symbol in (*text.encode("latin-1", "replace"), 0):
            self._bits += codes()[symbol]

    def content(self) -> bytes:
        """Return what was written."""
        return _packed(self._bits)


class Reader:
    """A message as it is read."""

    def __init__(self, content: bytes) -> None:
        self._content, self._at, self._end = content, 0, 8 * len(content)

    def number(self, bits: int = 32) -> int:
        """Read a whole number without a sign."""
        odd = bits & 7
        value = self._next() & (1 << odd) - 1
        self._skip(odd)
        for place in range(odd, bits, 8):
            value |= self._symbol() << place
        return value

    def text(self) -> str:
        """Read a text up to its end."""
        found = bytearray()
        while symbol := self._symbol():
            found.append(symbol)
        return found.decode("latin-1")

    def _symbol(self) -> int:
        symbol, bits = _symbols()[self._next() & (1 << LONGEST) - 1]
        self._skip(bits)
        return symbol

    def _next(self) -> int:
        """Return what comes next, 17 bits at least, as far as there are any."""
        begins = self._at >> 3
        return int.from_bytes(self._content[begins : begins + 3], "little") >> (self._at & 7)

    def _skip(self, bits: int) -> None:
        self._at += bits
        if self._at > self._end:
            raise EOFError


def hidden(content: bytes, beginning: int, key: int, said: str) -> bytes:
    """Return a message with all after its beginning hidden, or shown again, by a key and by what was said."""
    changed = bytearray(content)
    letters = said.encode("latin-1", "replace") or b"\0"
    key &= 255
    for place, at in enumerate(range(beginning, len(changed))):
        letter = letters[place % len(letters)]
        key ^= (ord(".") if letter > 127 or letter == ord("%") else letter) << (at & 1) & 255
        changed[at] ^= key
    return bytes(changed)


_addresses = itertools.count()


def own_address() -> socket.socket:
    """Return a UDP socket with an address of its own on loopback, where the system has more than one.

    A server counts the packets of each address that ask for something: people who come from the address of
    a console would use up what it takes of the console.
    """
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    number = next(_addresses)
    try:
        link.bind((f"127.0.{1 + number // 250 % 250}.{1 + number % 250}", 0))
    except OSError:
        link.bind((LOOPBACK, 0))
    return link


@dataclass
class Quake3Client:
    """A player; :meth:`step` sends and reads what there is to send and read.

    Parameters
    ----------
    port : int
        Of the server, on loopback.
    name : str
        In the game.
    userinfo : mapping
        What else a server hears of the player; what has backslashes or quotes is sent as it is.
    protocol : int
        The server's number of the protocol.
    identity : str
        What their id is made of; by default their first name.
    pace : float
        Seconds between two packets; a crowd is slower than a player.
    """

    port: int
    name: str
    userinfo: Mapping[str, str] = field(default_factory=dict)
    protocol: int = 71
    identity: str = ""
    pace: float = PACE
    #: Nothing yet, ``asked``, ``connecting``, ``connected`` or ``gone``.
    state: str = ""
    #: What the server has said, one command after the other.
    heard: list[str] = field(default_factory=list)
    config: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.identity = self.identity or self.name
        self._link = own_address()
        self._link.setblocking(False)
        self._port = self._link.getsockname()[1] & 0xFFFF
        self._challenge = self._outgoing = self._incoming = self._server = 0
        self._said: list[str] = [""]
        self._acknowledged = 0
        self._commands: dict[int, str] = {0: ""}
        self._last = 0
        self._parts, self._whole = b"", 0
        self._time = self._moved = 0
        self._next = self._again = self._heard_at = 0.0

    def fileno(self) -> int:
        """Return the socket's number."""
        return self._link.fileno()

    def command(self, text: str) -> None:
        """Send a command, surely: ``team red``, ``say hello``; a server takes 1,023 characters."""
        self._said.append(text[:1023])

    def rename(self, name: str) -> None:
        """Take another name."""
        self.name = name
        self.command(f'userinfo "{self._info()}"')

    @property
    def waiting(self) -> int:
        """How many commands the server has not acknowledged."""
        return len(self._said) - 1 - self._acknowledged

    def leave(self) -> None:
        """Go, in good order."""
        if self.state == "connected":
            self.command("disconnect")
            for _ in range(3):
                self._send()
        self.state = "gone"

    def vanish(self) -> None:
        """Go without a word."""
        self.state = "gone"

    def close(self) -> None:
        """Close the socket."""
        self._link.close()

    def step(self, now: float) -> None:
        """Read what has come, and send what is due."""
        if self.state == "gone":
            return
        for packet in self._arrived():
            self._heard_at = now
            self._take(packet)
        if self.state == "connected":
            if now - self._heard_at > SILENCE:
                self.state = "gone"
            elif now >= self._next:
                self._next = now + self.pace
                self._send()
        elif now >= self._again:
            self._again = now + AGAIN
            if self.state == "connecting":
                text = f'"{self._info()}\\challenge\\{self._challenge}\\qport\\{self._port}"'
                self._put(OUT_OF_BAND + b"connect " + compressed(text.encode("latin-1", "replace")))
            else:
                self.state = "asked"
                self._put(OUT_OF_BAND + b"getchallenge 1 Quake3Arena")

    def _info(self) -> str:
        guid = hashlib.sha256(self.identity.encode()).hexdigest()[:32].upper()
        settings = {
            "name": self.name, "rate": "25000", "snaps": "20", "model": "sarge", "handicap": "100",
            "protocol": self.protocol, "cl_guid": guid, **self.userinfo,
        }  # fmt: skip
        return "".join(f"\\{name}\\{value}" for name, value in settings.items())

    def _arrived(self) -> Iterator[bytes]:
        for _ in range(AT_ONCE):
            try:
                yield self._link.recv(65536)
            except (BlockingIOError, ConnectionError):
                return

    def _put(self, packet: bytes) -> None:
        try:
            self._link.sendto(packet, (LOOPBACK, self.port))
        except (BlockingIOError, ConnectionError):
            return

    # What comes

    def _take(self, packet: bytes) -> None:
        if packet.startswith(OUT_OF_BAND):
            word, *rest = packet[4:].decode("latin-1").split()[:2] or [""]
            if word == "challengeResponse" and self.state == "asked":
                self._challenge = int(rest[0])
                self.state, self._again = "connecting", 0.0
            elif word == "connectResponse" and self.state == "connecting":
                self.state = "connected"
            elif word == "print":
                self.heard.append(packet[4:].decode("latin-1"))
            elif word == "disconnect":
                self.state = "gone"
        elif self.state == "connected" and len(packet) > 4:
            self._sequenced(packet)

    def _sequenced(self, packet: bytes) -> None:
        (number,) = struct.unpack_from("<I", packet)
        content, number, more = packet[4:], number & ~FRAGMENT, number & FRAGMENT
        if number <= self._incoming:
            return
        if more:
            begins, size = struct.unpack_from("<HH", content)
            if begins == 0:
                self._parts, self._whole = b"", number
            if begins != len(self._parts) or number != self._whole:
                return
            self._parts += content[4 : 4 + size]
            if size == PART:
                return
            content, self._parts = self._parts, b""
        self._incoming = number
        acknowledged = Reader(content).number()
        said = self._said[acknowledged] if acknowledged < len(self._said) else ""
        # The key goes on over the header, which is as long as what is not hidden.
        reader = Reader(hidden(content, OPEN_SERVER, self._challenge ^ number, said))
        self._acknowledged = max(self._acknowledged, reader.number())
        try:
            self._message(reader)
        except EOFError:
            return

    def _message(self, reader: Reader) -> None:
        while True:
            kind = reader.number(8)
            if kind == SERVER_COMMAND:
                number, text = reader.number(), reader.text()
                if number > self._last + KEPT:  # what was read is no message
                    return
                if number > self._last:
                    self._last, self._commands[number] = number, text
                    self._commands.pop(number - KEPT, None)
                    self._hear(text)
            elif kind == GAME_STATE:
                self._last = max(self._last, reader.number())
                self._commands.setdefault(self._last, "")
                while reader.number(8) == CONFIG_STRING:
                    place = reader.number(16)
                    self.config[place] = reader.text()
                self._moved = 0
                self._know_server()
                return
            else:
                if kind == SNAPSHOT:
                    self._time = reader.number()
                return

    def _hear(self, text: str) -> None:
        self.heard.append(text)
        word, _, rest = text.partition(" ")
        if word == "cs":
            place, _, value = rest.partition(" ")
            self.config[int(place)] = value.strip('"')
            self._know_server()
        elif word == "disconnect":
            self.state = "gone"

    def _know_server(self) -> None:
        found = re.search(r"\\sv_serverid\\(-?\d+)", self.config.get(1, ""))
        if found:
            self._server = int(found[1])

    # What goes

    def _send(self) -> None:
        writer = Writer()
        for number in (self._server, self._incoming, self._last):
            writer.number(number & 0xFFFFFFFF)
        room = ROOM
        for number in range(self._acknowledged + 1, len(self._said)):
            room -= 16 + len(self._said[number])
            if room < 0:
                break
            writer.number(CLIENT_COMMAND, 8)
            writer.number(number)
            writer.text(self._said[number])
        if self._server:
            self._moved = max(self._moved + 1, self._time)
            writer.number(MOVE, 8)
            writer.number(1, 8)
            writer.number(0, 1)  # the time follows whole
            writer.number(self._moved)
            writer.number(0, 1)  # all else is as in a move of nothing
        writer.number(END, 8)
        key = self._challenge ^ self._server ^ self._incoming
        content = hidden(writer.content(), OPEN_CLIENT, key, self._commands.get(self._last, ""))
        self._outgoing += 1
        self._put(struct.pack("<IH", self._outgoing, self._port) + content)


def run(clients: Sequence[Quake3Client], seconds: float) -> None:
    """Let players play for some seconds."""
    end = time.monotonic() + seconds
    while (now := time.monotonic()) < end:
        for each in clients:
            each.step(now)
        select.select(clients, [], [], 0.01)
