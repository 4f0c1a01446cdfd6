"""The sockets to consoles: they carry bytes and decide nothing."""

from __future__ import annotations

import contextlib
import select
import socket
import struct
from collections.abc import Iterable

from equipoise.errors import InputError
from equipoise.games.server_adapter import RemoteConsole
from equipoise.games.stream_console import StreamConsole

#: Bytes that are read in one go, and that may wait to be sent: a server that takes nothing is not fed.
PIECE, MOST_UNSENT = 65536, 1 << 20

#: Seconds in which a connection must be there.
CONNECT_SECONDS = 5.0


def _where(host: str, port: int, kind: socket.SocketKind) -> tuple[socket.AddressFamily, tuple[object, ...]]:
    """Return the family and the address of a host.

    Raises
    ------
    InputError
        If it cannot be found.
    """
    try:
        family, _, _, _, where = socket.getaddrinfo(host, port, type=kind)[0]
    except OSError as error:
        msg = f": {host} cannot be found: {error.strerror or error}"
        raise InputError(msg, "rcon") from error
    return family, where


class Link:
    """The socket to a console over UDP; without an address nothing is sent and nothing arrives.

    Parameters
    ----------
    address : (str, int), optional
        Host and port.
    """

    def __init__(self, address: tuple[str, int] | None = None) -> None:
        self._socket: socket.socket | None = None
        if address is not None:
            family, where = _where(*address, socket.SOCK_DGRAM)
            self._socket = socket.socket(family, socket.SOCK_DGRAM)
            self._socket.connect(where)
            self._socket.setblocking(False)

    def send(self, packet: bytes) -> None:
        """Send a packet; one that cannot be sent is lost like any other."""
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.send(packet)

    def arrived(self) -> Iterable[bytes]:
        """Give the packets that arrived."""
        while self._socket is not None:
            try:
                yield self._socket.recv(PIECE)
            except OSError:
                return

    def tend(self, now: float) -> None:
        """Do nothing: there is no connection to be kept."""

    def fileno(self) -> int:
        """Return what can be waited for, -1 where there is nothing."""
        return -1 if self._socket is None else self._socket.fileno()

    def close(self) -> None:
        """Close it."""
        if self._socket is not None:
            self._socket.close()


class StreamLink(Link):
    """The connection to a console over TCP, which is made whenever the console wants one.

    Parameters
    ----------
    address : (str, int)
        Host and port.
    console : StreamConsole
        Who hears what becomes of the connection.
    """

    def __init__(self, address: tuple[str, int], console: StreamConsole) -> None:
        super().__init__()
        self._family, self._address = _where(*address, socket.SOCK_STREAM)
        self._console = console
        self._connecting: float | None = None
        self._unsent = b""
        self._is_lost = False

    def tend(self, now: float) -> None:
        """Make the connection, or take note that it is made, or gone."""
        console = self._console
        if self._is_lost or console.broken:
            self._drop(now)
        elif self._socket is None:
            if console.may_connect(now):
                self._connect(now)
        elif self._connecting is not None:
            if select.select([], [self._socket], [], 0)[1]:
                failed = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                if failed:
                    self._drop(now)
                else:
                    self._connecting = None
                    console.opened(now)
            elif now - self._connecting >= CONNECT_SECONDS:
                self._drop(now)
        elif self._unsent:
            self.send(b"")

    def _connect(self, now: float) -> None:
        self._socket = socket.socket(self._family, socket.SOCK_STREAM)
        self._socket.setblocking(False)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connecting, self._unsent = now, b""
        try:
            self._socket.connect(self._address)
        except BlockingIOError:
            pass
        except OSError:
            self._drop(now)

    def _drop(self, now: float) -> None:
        if self._socket is not None:
            # With a reset: otherwise the port of a server that was killed stays in use for a minute, and one
            # that is begun again has no console.
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._socket.close()
        self._socket, self._connecting, self._is_lost = None, None, False
        self._console.closed(now)

    def send(self, data: bytes) -> None:
        """Send bytes; what the system does not take yet waits."""
        if self._socket is None or self._connecting is not None:
            return
        self._unsent += data
        try:
            self._unsent = self._unsent[self._socket.send(self._unsent) :]
        except BlockingIOError:
            self._is_lost = len(self._unsent) > MOST_UNSENT
        except OSError:
            self._is_lost = True

    def arrived(self) -> Iterable[bytes]:
        """Give the bytes that arrived."""
        while self._socket is not None and self._connecting is None and not self._is_lost:
            try:
                data = self._socket.recv(PIECE)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self._is_lost = True
                return
            yield data


def link_to(address: tuple[str, int] | None, console: RemoteConsole) -> Link:
    """Return the link to a console; without an address nothing is sent.

    Raises
    ------
    InputError
        If the host cannot be found.
    """
    if address is not None and isinstance(console, StreamConsole):
        return StreamLink(address, console)
    return Link(address)
