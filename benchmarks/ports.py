"""Ports for servers that begin in a moment, or begin again."""

from __future__ import annotations

import random
import socket
from contextlib import suppress

#: Below those that systems give to connections that go out (32768 and up on Linux): a server that ends and
#: begins again finds its port free, however many connections others make meanwhile.
RANGE = range(20_000, 32_768)


def free_port() -> int:
    """Return a port of TCP and UDP that nobody has at any address of this machine."""
    drawn = random.SystemRandom()
    while True:
        port = drawn.choice(RANGE)
        with (
            suppress(OSError),
            socket.socket() as stream,
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams,
        ):
            stream.bind(("", port))
            datagrams.bind(("", port))
            return port
