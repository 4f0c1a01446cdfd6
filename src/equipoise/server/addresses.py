"""Addresses of clients: what counts as one, and what it has used."""

from __future__ import annotations

from math import exp
from typing import Any

#: Seconds over which it is remembered how much an address has used, and the part of that time up to which it
#: is answered at once.
MEMORY, LIGHT = 0.1, 0.25

#: Leading groups of an IPv6 address that are one customer's (RFC 6177): they count as one address.
PREFIX = 4


class Account:
    """What the connections of one address have used of the answering thread, and how many they are."""

    __slots__ = ("at", "in_line", "open", "used", "wrong")

    def __init__(self) -> None:
        self.open = 0
        self.used = 0.0
        self.at = 0.0
        #: How many of them stand in line for a turn.
        self.in_line = 0
        #: Wrong tokens since a right one.
        self.wrong = 0

    def charge(self, seconds: float, now: float) -> None:
        """Note a turn."""
        self.used = self.used * exp((self.at - now) / MEMORY) + seconds
        self.at = now

    def is_light(self, now: float) -> bool:
        """Tell whether it has used little recently, and has nothing that stands in line."""
        return not self.in_line and self.used * exp((self.at - now) / MEMORY) < LIGHT * MEMORY


def address_of(peer: Any) -> str:
    """Return what counts as one address: that of IPv4, the first half of IPv6, one name for local sockets.

    Examples
    --------
    >>> address_of(("10.0.0.7", 4711)), address_of(("2001:db8:1:2:3:4:5:6", 1, 0, 0)), address_of("")
    ('10.0.0.7', '2001:db8:1:2', 'local')
    """
    if not isinstance(peer, tuple):
        return "local"
    host = str(peer[0]).partition("%")[0]
    if ":" not in host or host == "::1":
        return host
    return ":".join(ipaddress_groups(host)[:PREFIX])


def ipaddress_groups(host: str) -> list[str]:
    """Return the eight groups of an IPv6 address."""
    head, _, tail = host.partition("::")
    first, last = (part.split(":") if part else [] for part in (head, tail))
    return [*first, *["0"] * (8 - len(first) - len(last)), *last] if "::" in host else first
