"""The weight protocol over TCP: turns of its connections, and the way they end.

What they say is in :mod:`equipoise.protocols.weights.session`; what knows the answers is an argument.

One thread answers everybody, so nobody may keep it: a turn ends by the time it has taken.  An address that
has used little of the last moment is answered as its lines arrive; all others stand in line, an address a
turn, and between two rounds of theirs the loop looks who else has arrived.
"""

from __future__ import annotations

import asyncio
import socket
from time import perf_counter

from equipoise.protocols.weights.requests import Refusal
from equipoise.server.accepting import Acceptor
from equipoise.server.addresses import Account
from equipoise.server.connections import LAST_READ, Connection, Oracle
from equipoise.server.limits import ServerLimits
from equipoise.server.turns import Turns

#: Bytes that are read at once: to copy more would keep others waiting.
READ = 16384

#: Seconds after which a turn ends, and as many of turns between two looks at who else has arrived: where all
#: connections are of one address, and where there are others, whose waiting time this is.
ALONE, SHARED = 0.0002, 0.00001

#: Seconds of turns together, as of a line with a hundred names, after which those who stand in line leave as
#: long to others, and how many times as long: otherwise each answer to others would wait for such a line.
LONG, BREATH = 0.00005, 2.0


class Server(Acceptor[Connection, ServerLimits]):
    """What listens for the weight protocol, and the turns of its connections."""

    def __init__(self, oracle: Oracle, limits: ServerLimits | None = None) -> None:
        super().__init__("weights", limits or ServerLimits())
        self.oracle = oracle
        self.buffer = memoryview(bytearray(READ))
        self._turns: Turns[Connection] = Turns()
        self._round: asyncio.Handle | None = None
        self._earlier = 0
        #: Whether all connections are of one address, and how long a turn may be, and turns together before
        #: others are looked for, seconds.
        self.is_alone, self.quantum = True, ALONE

    def begin(self, address: str, account: Account) -> Connection:
        """Return what answers a connection that was taken."""
        return Connection(self, address, account)

    def refuse(self, client: socket.socket) -> None:
        """Say that there are too many, where no TLS is in the way."""
        if self._tls is None:
            client.send(Refusal.TOO_MANY_CONNECTIONS.line)

    def count(self, addresses: int) -> None:
        """Note by how many addresses there are more: it says how long a turn may be."""
        super().count(addresses)
        self.is_alone = self.addresses < 2
        self.quantum = ALONE if self.is_alone else SHARED

    @property
    def waiting(self) -> int:
        """How many bytes wait to be sent, over all connections."""
        return sum(connection.waiting for connection in self._connections)

    @property
    def lookups(self) -> int:
        """How many lookups were answered, on connections that have ended too."""
        return self._earlier + sum(connection.lookups for connection in self._connections)

    def drop(self, connection: Connection) -> None:
        """Forget a connection that has ended, but not how much it has asked."""
        if connection in self._connections:
            self._earlier += connection.lookups
        super().drop(connection)

    async def stop(self) -> None:
        """Take no more connections, answer what has arrived on the others, and end them."""
        by = self._loop.time() + self.limits.grace_seconds
        await asyncio.sleep(LAST_READ)  # those who wait to be taken have sent something too
        self.close()
        await asyncio.sleep(LAST_READ)
        for connection in tuple(self._connections):
            connection.end()
        await self.end(by)

    def queue(self, connection: Connection) -> None:
        """Let a connection wait for its turn."""
        connection.account.in_line += 1
        self._turns.add(connection.address, connection)
        if self._round is None:
            self._round = self._loop.call_soon(self._go_round)

    def leave(self, connection: Connection) -> None:
        """Take a connection out of the line."""
        connection.account.in_line -= 1
        self._turns.remove(connection.address, connection)

    def _go_round(self) -> None:
        """Give turns for a moment, then look who else has arrived."""
        began = now = perf_counter()
        while len(self._turns) and now < began + self.quantum:
            connection = self._turns.take()
            connection.account.in_line -= 1
            if not connection.turn(self.quantum):
                break
            now = perf_counter()
        took = perf_counter() - began
        if not len(self._turns):
            self._round = None
        elif took < LONG or self.is_alone:
            self._round = self._loop.call_soon(self._go_round)
        else:
            self._round = self._loop.call_later(BREATH * took, self._go_round)
