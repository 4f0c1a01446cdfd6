"""What the connections of a server may take.

Addresses of clients: what counts as one, and what it has used.

How fast each address may ask: a bucket of tokens each, which refills over time.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field, fields
from math import exp
from time import monotonic
from typing import Any

from equipoise.errors import InputError
from equipoise.service.weights.commands import Limits


def check_above_zero(limits: Any) -> None:
    """Refuse a number of a dataclass of limits that is not above 0.

    Raises
    ------
    InputError
        If there is one.
    """
    for each in fields(limits):
        number = getattr(limits, each.name)
        if isinstance(number, int | float) and not 0 < number < float("inf"):
            msg = f"{each.name} must be above 0, got {number!r}"
            raise InputError(msg)


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What all connections together, those of one address, and one connection may take.

    Parameters
    ----------
    connections, per_address : int
        How many may be open; one more is refused and closed.
    slow_seconds : float
        A connection that does not take its answers for so long is cut off.
    grace_seconds : float
        How long the server waits at its end for answers to be made and taken.

    Raises
    ------
    InputError
        If a limit is not above 0.
    """

    connections: int = 1024
    per_address: int = 768
    slow_seconds: float = 30.0
    grace_seconds: float = 10.0

    def __post_init__(self) -> None:
        check_above_zero(self)

    def places(self, allowed: int) -> tuple[int, int]:
        """Return how many connections there may be, and how many from one address.

        Parameters
        ----------
        allowed : int
            How many the system allows; where these are fewer, one address gets at most three quarters.

        Examples
        --------
        >>> ConnectionLimits().places(10_000), ConnectionLimits().places(192)
        ((1024, 768), (192, 144))
        """
        if allowed >= self.connections:
            return self.connections, self.per_address
        return allowed, min(self.per_address, max(1, allowed * 3 // 4))


@dataclass(frozen=True, slots=True)
class ServerLimits(ConnectionLimits):
    """What the connections of the weight protocol may take, besides what is common to all.

    Parameters
    ----------
    idle_seconds : float
        A connection that sends no complete line for so long is closed.
    wrong_token_seconds : float
        How long the answer to a wrong token is held back; as many times longer as there were before.
    conversation : Limits
        What one conversation may keep.
    """

    connections: int = 2048
    per_address: int = 1536
    idle_seconds: float = 600.0
    wrong_token_seconds: float = 1.0
    conversation: Limits = field(default_factory=Limits)


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


#: Seconds of its rate that an address may ask at once after it was silent.
BURST = 2.0

#: Seconds for which the answer to a client that asks too fast is held back, so that asking faster is no use.
HELD = 0.5

#: Seconds between two refusals of an address: to take a connection and refuse it costs some milliseconds.
APART = 0.02

#: Wrong tokens that are held back at a time, beyond which they are answered at once.
MOST_HELD = 512

#: Addresses that are remembered: who has been silent for a burst is as good as new.
MOST = 4096


#: As how many wrong tokens those of an address count at most.
LONGEST = 10

log = logging.getLogger(__name__)


class Refusals:
    """When each address is refused: one time after the other, however often it comes back.

    Examples
    --------
    >>> refusals = Refusals()
    >>> [round(refusals.wait("10.0.0.7", 100.0), 2) for _ in range(3)], refusals.wait("10.0.0.8", 100.0)
    ([0.0, 0.02, 0.04], 0.0)
    """

    def __init__(self) -> None:
        self._next: dict[str, float] = {}

    def wait(self, address: str, now: float, least: float = 0.0) -> float:
        """Return for how many seconds a refusal is held back, at least so many, and count it."""
        if len(self._next) > MOST:
            self._next = {each: due for each, due in self._next.items() if due > now}
        due = max(now + least, self._next.get(address, now))
        self._next[address] = due + APART
        return due - now


class Rates:
    """Who has asked how much recently.

    Parameters
    ----------
    rate : float
        Requests a second that an address may send.

    Examples
    --------
    >>> rates = Rates(1.0)
    >>> [rates.allows("10.0.0.7", 0.0) for _ in range(3)], rates.allows("10.0.0.7", 1.5)
    ([True, True, False], True)
    """

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self._left: dict[str, tuple[float, float]] = {}
        self.refusals = Refusals()

    def allows(self, address: str, now: float | None = None) -> bool:
        """Tell whether an address may ask now, and count it."""
        now = monotonic() if now is None else now
        most = max(BURST * self.rate, 1.0)
        left, at = self._left.get(address, (most, now))
        left = min(most, left + (now - at) * self.rate)
        if len(self._left) > MOST:
            self._left = {each: (n, t) for each, (n, t) in self._left.items() if now - t < BURST}
        self._left[address] = (left - (left >= 1.0), now)
        return left >= 1.0

    async def hold(self, address: str) -> None:
        """Hold the answer to an address that asks too fast back for a moment."""
        await asyncio.sleep(self.refusals.wait(address, monotonic(), HELD))


class WrongTokens:
    """Holds the answers to wrong tokens back, the longer the more of them came from an address.

    Parameters
    ----------
    seconds : float
        For how long the first one is held back; each other one as much longer.
    """

    def __init__(self, seconds: float = 1.0) -> None:
        self.seconds = seconds
        self._times: dict[str, int] = {}
        self._held = 0

    async def hold(self, address: str) -> None:
        """Note a wrong token, and hold its answer back; with very many held, all are answered at once."""
        if len(self._times) >= MOST:
            self._times.clear()
        times = self._times[address] = self._times.get(address, 0) + 1
        log.warning("wrong token over HTTP", extra={"address": address, "times": times})
        if self._held >= MOST_HELD:
            return
        self._held += 1
        try:
            await asyncio.sleep(self.seconds * min(times, LONGEST))
        finally:
            self._held -= 1

    def forget(self, address: str) -> None:
        """Forget the wrong tokens of an address, which has sent a right one."""
        self._times.pop(address, None)
