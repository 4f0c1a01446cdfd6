"""Whether work is admitted: one record an address, of both protocols and all lanes.

An address has connections, asks at a rate, uses the answering thread, and guesses tokens; all of it stands in
its :class:`ClientRecord`.  A network (/24 of IPv4, /64 of IPv6, which is one customer's and counts as one
address) is bounded besides, since addresses in it cost nothing.  Where places run out, who holds most gives
way: the network, in it the address, and of its connections one that is idle before one that is busy
(:class:`Holdings`; the fair queue shares its places by the same rule).

A refusal has its price too, so refusals are held back: those of an address come one after the other, and the
longer the more are being held.  A client that asks again at once gains nothing by it, and costs little.
In which order admitted work is done is up to :mod:`equipoise.service.fair_queue`.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, fields
from enum import IntEnum
from functools import lru_cache
from math import exp
from time import monotonic
from typing import Any, Protocol

from equipoise.errors import EquipoiseError, InputError

#: Seconds over which it is remembered how much an address has used, and the part of that time up to which it
#: is answered at once.
MEMORY, LIGHT = 0.1, 0.25

#: Bits of an IPv6 address that are one customer's (RFC 6177): they count as one address.
CUSTOMER = 64

#: Seconds of its rate that an address may ask at once after it was silent.
BURST = 2.0

#: Seconds for which the answer to a client that asks too fast, or when too much waits, is held back at least;
#: more for each that is being held.
HELD, HELD_FOR_EACH = 0.5, 0.001

#: Seconds between two refusals of an address, and of a network.
APART, NETWORK_APART = 0.02, 0.005

#: Answers that are held back at a time, beyond which refusals are made at once.
MOST_HELD = 4096

#: As how many wrong tokens those of an address count at most, and how many of them are logged each; of more
#: only every power of two, so that the log has room.
LONGEST, LOGGED = 10, 8

#: Records of addresses that are kept, and seconds after which one that holds nothing is forgotten.
MOST, FORGET = 16384, 600.0

#: How the names of those begin who are known by their token: they are no address, and belong to no network.
BY_TOKEN = "token:"  # noqa: S105 -- a prefix

log = logging.getLogger(__name__)


class BusyError(EquipoiseError):
    """There is no room for more of this work just now."""


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
class AdmissionLimits:
    """What all clients together, those of a network, an address and a token may take.

    Parameters
    ----------
    connections, per_address, per_network : int
        Connections of both protocols that may be open.
    rate, token_rate : float
        Requests a second over HTTP of an address, and of who has a token.
    network_share : float
        A network may ask as fast as so many addresses.
    places : int
        How much may wait in each lane.
    wrong_token_seconds : float
        How long the answer to a wrong token is held back; as many times longer as there were before.

    Raises
    ------
    InputError
        If a limit is not above 0.
    """

    connections: int = 2048
    per_address: int = 1536
    per_network: int = 1536
    rate: float = 50.0
    network_share: float = 4.0
    token_rate: float = 500.0
    places: int = 64
    wrong_token_seconds: float = 1.0

    def __post_init__(self) -> None:
        check_above_zero(self)

    def table(self) -> dict[str, float]:
        """Return every limit by its name, as metrics and ``equipoise doctor`` tell them."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def shares(self, allowed: int) -> tuple[int, int, int]:
        """Return how many connections there may be, in all, of one address and of one network.

        Parameters
        ----------
        allowed : int
            How many the system allows; where these are fewer, one network gets at most three quarters.

        Examples
        --------
        >>> AdmissionLimits().shares(10_000), AdmissionLimits().shares(192)
        ((2048, 1536, 1536), (192, 144, 144))
        """
        if allowed >= self.connections:
            return self.connections, self.per_address, self.per_network
        most = max(1, allowed * 3 // 4)
        return allowed, min(self.per_address, most), min(self.per_network, most)


@lru_cache(4096)
def _address(host: str) -> str:
    try:
        found = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(found if found.is_loopback else ipaddress.ip_network((found, CUSTOMER), strict=False))


def address_of(peer: Any) -> str:
    """Return what counts as one address: that of IPv4, the /64 of IPv6, one name for local sockets.

    Examples
    --------
    >>> address_of(("10.0.0.7", 4711)), address_of(("2001:db8:1:2:3:4:5:6", 1, 0, 0)), address_of("")
    ('10.0.0.7', '2001:db8:1:2::/64', 'local')
    >>> address_of(("::ffff:10.0.0.7", 4711, 0, 0))
    '10.0.0.7'
    """
    return _address(str(peer[0])) if isinstance(peer, tuple) else "local"


@lru_cache(4096)
def network_of(address: Hashable) -> Hashable:
    """Return the network of what counts as one address.

    Examples
    --------
    >>> network_of("10.0.0.7"), network_of("2001:db8:1:2::/64"), network_of("token:ab12")
    ('10.0.0', '2001:db8:1:2::/64', 'token:ab12')
    """
    if isinstance(address, str) and address.count(".") == 3 and ":" not in address:
        return address.rpartition(".")[0]
    return address


class _Tally:
    """How many each has, and who has most, without looking at all of them."""

    __slots__ = ("_at", "counts")

    def __init__(self) -> None:
        self.counts: dict[Hashable, int] = {}
        self._at: dict[int, dict[Hashable, None]] = {}

    def change(self, who: Hashable, by: int) -> int:
        """Count one more or less; return how many there are now."""
        before = self.counts.pop(who, 0)
        if before:
            del self._at[before][who]
            if not self._at[before]:
                del self._at[before]
        now = before + by
        if now:
            self.counts[who] = now
            self._at.setdefault(now, {})[who] = None
        return now

    def most(self) -> Iterator[Hashable]:
        """Give those who have most; the one who has had so many for longest comes first."""
        return iter(self._at[max(self._at)] if self._at else ())


class Holdings:
    """Who holds how many of some places.

    Examples
    --------
    >>> held = Holdings()
    >>> for who in ("10.0.0.1", "10.0.0.2", "10.0.0.2", "10.9.9.1", "10.9.9.1"):
    ...     held.add(who)
    >>> list(held.most())  # a network of three, and in it the address of two
    ['10.0.0.2']
    """

    def __init__(self) -> None:
        self._networks = _Tally()
        self._addresses: dict[Hashable, _Tally] = {}

    def add(self, address: Hashable) -> None:
        """Note one more place of an address."""
        network = network_of(address)
        self._networks.change(network, 1)
        self._addresses.setdefault(network, _Tally()).change(address, 1)

    def remove(self, address: Hashable) -> None:
        """Note one place less."""
        network = network_of(address)
        self._addresses[network].change(address, -1)
        if not self._networks.change(network, -1):
            del self._addresses[network]

    def of(self, address: Hashable) -> tuple[int, int]:
        """Return how many an address has, and how many its network."""
        network = network_of(address)
        tally = self._addresses.get(network)
        return (tally.counts.get(address, 0) if tally else 0), self._networks.counts.get(network, 0)

    def most(self) -> Iterator[Hashable]:
        """Give the addresses that have most in the networks that have most."""
        for network in self._networks.most():
            yield from self._addresses[network].most()

    def most_in(self, address: Hashable) -> Iterator[Hashable]:
        """Give the addresses that have most in the network of an address."""
        return self._addresses[network_of(address)].most()

    def __len__(self) -> int:
        return sum(len(each.counts) for each in self._addresses.values())


class Activity(IntEnum):
    """Which connection of a client gives way first."""

    SILENT = 0
    IDLE = 1
    BUSY = 2


class Held(Protocol):
    """A connection, as far as it may have to give way."""

    address: str
    last_heard: float

    def activity(self) -> Activity:
        """Tell what it does."""

    def give_way(self) -> None:
        """End, since somebody else needs the place."""


class Bucket:
    """Requests that may still be sent: as many as fit, refilled over time."""

    __slots__ = ("at", "left")

    def __init__(self) -> None:
        self.left = float("inf")
        self.at = 0.0

    def refill(self, rate: float, now: float) -> float:
        """Return how many there are now."""
        self.left = min(max(BURST * rate, 1.0), self.left + (now - self.at) * rate)
        self.at = now
        return self.left


class ClientRecord:
    """What one address has, does and has done; of both protocols."""

    __slots__ = ("address", "at", "bucket", "connections", "in_line", "refused_until", "used", "wrong")

    def __init__(self, address: str) -> None:
        self.address = address
        #: Its connections, the oldest first.
        self.connections: dict[Held, None] = {}
        #: Seconds of the answering thread that it has used lately, as of a moment.
        self.used = 0.0
        self.at = 0.0
        #: How many of its connections stand in line for a turn.
        self.in_line = 0
        #: Wrong tokens since a right one.
        self.wrong = 0
        #: Until when it is refused what it has asked for.
        self.refused_until = 0.0
        self.bucket = Bucket()

    def charge(self, seconds: float, now: float) -> None:
        """Note a turn."""
        self.used = self.used * exp((self.at - now) / MEMORY) + seconds
        self.at = now

    def is_light(self, now: float) -> bool:
        """Tell whether it has used little recently, and has nothing that stands in line."""
        return not self.in_line and self.used * exp((self.at - now) / MEMORY) < LIGHT * MEMORY

    def is_new(self, now: float) -> bool:
        """Tell whether nothing would be lost if it were forgotten."""
        idle = now - max(self.at, self.bucket.at, self.refused_until)
        return not self.connections and idle > (FORGET if self.wrong else BURST)


class Admission:
    """All clients, and what they are admitted to.

    Parameters
    ----------
    limits : AdmissionLimits, optional
        What they may take.
    trusted : collection of str
        Addresses of reverse proxies, behind which there are many: none of the shares holds for them.
    clock : callable
        Tells the seconds.
    """

    def __init__(
        self,
        limits: AdmissionLimits | None = None,
        trusted: frozenset[str] = frozenset(),
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.limits = limits or AdmissionLimits()
        #: How many connections the system leaves room for.
        self.allowed = self.limits.connections
        #: Whether all connections are of one address.
        self.is_alone = not trusted
        self.open = 0
        #: How often something was refused, by what.
        self.refused: Counter[str] = Counter()
        self._trusted = trusted
        self._clock = clock
        self._clients: dict[str, ClientRecord] = {}
        self._networks: dict[str, ClientRecord] = {}
        self._holdings = Holdings()
        self._full = False
        self._held = 0

    def client(self, address: str) -> ClientRecord:
        """Return the record of an address."""
        found = self._clients.get(address)
        if found is None:
            found = self._clients[address] = ClientRecord(address)
            if len(self._clients) > MOST:
                self.forget()
        return found

    def _network(self, whose: str) -> ClientRecord | None:
        """Return the record of the network of an address, None where it counts as one address itself."""
        name = network_of(whose)
        return None if name == whose else self._networks.setdefault(str(name), ClientRecord(str(name)))

    def forget(self) -> None:
        """Forget who holds nothing and is as good as new; of very many also the first who hold nothing."""
        now = self._clock()
        for records in (self._clients, self._networks):
            excess = len(records) - MOST // 2 if len(records) > MOST else 0
            for n, (name, each) in enumerate(list(records.items())):
                if each.is_new(now) or (n < excess and not each.connections):
                    del records[name]

    # Connections

    def connect(self, address: str, connection: Held) -> bool:
        """Admit a connection, for which another may have to give way; tell whether it is admitted."""
        client = self.client(address)
        total, share, network_share = self.limits.shares(self.allowed)
        mine, of_network = self._holdings.of(address)
        is_bounded = address not in self._trusted
        refused = is_bounded and mine >= share
        if not refused:
            self._add(client, connection)
            if is_bounded and of_network >= network_share:
                refused = not self._make_room(client, connection, self._holdings.most_in(address))
            elif self.open > total:
                refused = not self._make_room(client, connection, self._holdings.most())
        if refused:
            self.refused["connections"] += 1
            if not self._full:  # once, since a flood must not fill the log
                log.warning("connections refused", extra={"address": address, "open": self.open})
        self._full = refused
        return not refused

    def _add(self, client: ClientRecord, connection: Held) -> None:
        client.connections[connection] = None
        self.open += 1
        if client.address not in self._trusted:
            self._holdings.add(client.address)
        self.is_alone = len(client.connections) == self.open and not self._trusted

    def disconnect(self, address: str, connection: Held) -> None:
        """Release the place of a connection."""
        client = self.client(address)
        if connection not in client.connections:
            return
        del client.connections[connection]
        self.open -= 1
        if address not in self._trusted:
            self._holdings.remove(address)
            self.is_alone = not self._trusted and len(self._holdings) < 2

    def _make_room(self, client: ClientRecord, newcomer: Held, most: Iterator[Hashable]) -> bool:
        """End a connection of somebody who has most; where that is the newcomer itself, it is refused."""
        least = self._who_gives_way(client, most)
        if least is None:
            self.disconnect(client.address, newcomer)
            return False
        self.disconnect(least.address, least)
        self.refused["gave_way"] += 1
        least.give_way()
        return True

    def _who_gives_way(self, newcomer: ClientRecord, most: Iterator[Hashable]) -> Held | None:
        """Return the connection that gives way, of addresses that have most, but not of the newcomer's."""
        first: tuple[int, float] | None = None
        found: Held | None = None
        for address in most:
            if address == newcomer.address:
                continue
            for each in self._clients[str(address)].connections:
                rank = (each.activity(), each.last_heard)
                if first is None or rank < first:
                    first, found = rank, each
                if rank[0] is Activity.SILENT:
                    return each  # the oldest of somebody who has most
        return found

    # Requests

    def allows(self, whose: str) -> bool:
        """Tell whether an address, or who has a token, may ask now, and count it."""
        now, limits = self._clock(), self.limits
        rate = limits.token_rate if whose.startswith(BY_TOKEN) else limits.rate
        bucket = self.client(whose).bucket
        buckets = [(bucket, rate)]
        if (network := self._network(whose)) is not None:
            buckets.append((network.bucket, rate * limits.network_share))
        if min(each.refill(its_rate, now) for each, its_rate in buckets) < 1.0:
            return False
        for each, _ in buckets:
            each.left -= 1.0
        return True

    # Refusals

    def refusal_delay(self, whose: str, least: float = 0.0) -> float:
        """Return for how many seconds a refusal is held back, at least so many, and count it."""
        now = self._clock()
        client = self.client(whose)
        due = max(now + least, client.refused_until)
        client.refused_until = due + APART
        if (network := self._network(whose)) is not None:
            due = max(due, network.refused_until)
            network.refused_until = due + NETWORK_APART
        return due - now

    async def refuse(self, whose: str, what: str) -> None:
        """Count something that is refused, and hold the answer back."""
        self.refused[what] += 1
        await self._hold(self.refusal_delay(whose, HELD + HELD_FOR_EACH * self._held))

    async def wrong_token(self, whose: str, protocol: str) -> None:
        """Note a wrong token, and hold its answer back, the longer the more of them came from an address."""
        client = self.client(whose)
        client.wrong += 1
        self.refused["tokens"] += 1
        if client.wrong <= LOGGED or not client.wrong & (client.wrong - 1):
            extra = {"protocol": protocol, "address": whose, "times": client.wrong}
            log.warning("wrong token", extra=extra)
        await self._hold(self.limits.wrong_token_seconds * min(client.wrong, LONGEST))

    async def _hold(self, seconds: float) -> None:
        if self._held >= MOST_HELD:
            return
        self._held += 1
        try:
            await asyncio.sleep(seconds)
        finally:
            self._held -= 1

    # What it all looks like

    def most(self) -> tuple[int, int]:
        """Return how many connections the address has that has most, and how many its network."""
        return max((self._holdings.of(each) for each in self._holdings.most()), default=(0, 0))
