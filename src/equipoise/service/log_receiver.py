"""Receives the log that a game server sends, over UDP or HTTP, and appends it to a file.

The file is followed like any other log: what was received survives restarts, and a game counts once.
"""

from __future__ import annotations

import contextlib
import hmac
import ipaddress
import os
import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httptools

from equipoise.errors import InputError
from equipoise.games.halflife.log_stream import LogPosts, line_of

#: Most bytes of a post and of its headers, connections at a time, and seconds that a post may take.
MOST_BODY, MOST_HEAD, MOST_CONNECTIONS, SECONDS = 1 << 22, 1 << 14, 16, 15.0

#: Bytes of the end of a log by which a post is known that came before.
TAIL = 1 << 16

#: Seconds between two looks at whether it is to end.
LOOK = 0.2

#: Characters of a secret at most.
LONGEST_SECRET = 100


@dataclass(frozen=True, slots=True)
class Receiving:
    """Where a log is received.

    Parameters
    ----------
    scheme : str
        ``"udp"`` or ``"http"``.
    host, port : str, int
        Where to listen.
    secret : str
        Over UDP the server's ``sv_logsecret``, over HTTP the path of its address; empty for none.
    """

    scheme: str
    host: str
    port: int
    secret: str = field(default="", repr=False)

    @classmethod
    def of(cls, address: str, secret: str = "") -> Receiving:
        """Return where a log is received, as ``udp://127.0.0.1:27500`` says.

        Raises
        ------
        InputError
            If it is written otherwise, or everybody could send a log.
        """
        try:
            parts = urlsplit(address)
            port = parts.port
        except ValueError:
            parts, port = urlsplit(""), None
        if parts.scheme not in ("udp", "http") or not parts.hostname or port is None or parts.path.strip("/"):
            msg = f"must be udp://HOST:PORT or http://HOST:PORT, got {address!r:.80}"
            raise InputError(msg, "receive")
        if len(secret) > LONGEST_SECRET or not (secret.isascii() and (not secret or secret.isalnum())):
            msg = f"must hold one line of at most {LONGEST_SECRET} letters and digits"
            raise InputError(msg, "receive_secret_file")
        if parts.scheme == "udp" and secret and not secret.isdigit():
            msg = "must hold the digits of sv_logsecret"
            raise InputError(msg, "receive_secret_file")
        if not secret and not _is_loopback(parts.hostname):
            msg = (
                f"{address} is open to everybody; give a secret (receive_secret_file) or listen on 127.0.0.1"
            )
            raise InputError(msg, "receive")
        return cls(parts.scheme, parts.hostname, port, secret)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class _Post:
    """One connection over HTTP: its request so far, and what is answered."""

    def __init__(self, receiver: LogReceiver, link: socket.socket, now: float) -> None:
        self.link, self.began = link, now
        self._receiver = receiver
        self._parser = httptools.HttpRequestParser(self)
        self._size = self._head = 0
        self._path, self._headers, self._body = b"", dict[str, str](), list[bytes]()
        self._begin()

    def _begin(self) -> None:
        self._path, self._headers, self._body = b"", {}, []
        self._size = self._head = 0

    def feed(self, data: bytes) -> bool:
        """Take bytes; return whether the connection goes on."""
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            return self._answer(400)
        except httptools.HttpParserCallbackError:
            return False
        except httptools.HttpParserError:
            return self._answer(400)
        return True

    # Called by the parser

    def on_url(self, url: bytes) -> None:
        """Take a part of the path."""
        self._path += url
        self._grow_head(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header."""
        self._grow_head(len(name) + len(value))
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        """Refuse what nobody asked for before its body comes."""
        if not self._is_known():
            self._refuse(404)
        if self._parser.get_method() != b"POST":
            self._refuse(405)
        if self._headers.get("expect", "").lower() == "100-continue":
            self._send(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._size += len(body)
        if self._size > MOST_BODY:
            self._refuse(413)
        self._body.append(body)

    def on_message_complete(self) -> None:
        """Keep what is new, then say so."""
        self._receiver.keep(self._headers, b"".join(self._body))
        self._answer(200)
        self._begin()
        self.began = time.monotonic()

    def _is_known(self) -> bool:
        path = self._path.split(b"?")[0].strip(b"/")
        return not self._receiver.secret or hmac.compare_digest(path, self._receiver.secret.encode())

    def _grow_head(self, more: int) -> None:
        self._head += more
        if self._head > MOST_HEAD:
            self._refuse(431)

    def _refuse(self, status: int) -> None:
        self._answer(status)
        raise ConnectionAbortedError

    def _answer(self, status: int) -> bool:
        """Answer; return False, as nothing goes on after what was refused."""
        ends = "" if status == 200 else "Connection: close\r\n"
        self._send(f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Length: 0\r\n{ends}\r\n".encode())
        return False

    def _send(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            self.link.send(data)


_REASONS = {
    200: "OK", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed", 413: "Content Too Large",
    431: "Request Header Fields Too Large",
}  # fmt: skip


class LogReceiver:
    """Listens, and appends what servers send to a file.

    Parameters
    ----------
    where : Receiving
        Where to listen.
    path : str
        The log.

    Raises
    ------
    InputError
        If it cannot listen there, or the file cannot be written.
    """

    def __init__(self, where: Receiving, path: str) -> None:
        self.secret = where.secret
        kind = socket.SOCK_DGRAM if where.scheme == "udp" else socket.SOCK_STREAM
        try:
            family, _, _, _, address = socket.getaddrinfo(where.host, where.port, type=kind)[0]
            self._socket = socket.socket(family, kind)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind(address)
        except OSError as error:
            msg = f"{where.host}:{where.port} cannot be listened on: {error.strerror or error}"
            raise InputError(msg, "receive") from error
        try:
            self._log = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            self._socket.close()
            msg = f"{path} cannot be written: {error.strerror or error}"
            raise InputError(msg, "log") from error
        self._is_packets = where.scheme == "udp"
        self._posts = LogPosts(self._tail())
        self._links: dict[socket.socket, _Post] = {}
        self._selector = selectors.DefaultSelector()
        self._socket.setblocking(False)
        if not self._is_packets:
            self._socket.listen(MOST_CONNECTIONS)
        self._selector.register(self._socket, selectors.EVENT_READ)

    @property
    def port(self) -> int:
        """Where it listens."""
        port: int = self._socket.getsockname()[1]
        return port

    def _tail(self) -> bytes:
        """Return the end of the log; a line that was cut off by a crash gets its end."""
        size = os.fstat(self._log).st_size
        os.lseek(self._log, max(0, size - TAIL), os.SEEK_SET)
        tail = os.read(self._log, TAIL)
        if not tail.endswith(b"\n") and tail and self._is_packets:
            os.write(self._log, b"\n")
        return tail

    def keep(self, headers: dict[str, str], body: bytes) -> None:
        """Append what is new of a post."""
        new = self._posts.take(headers, body)
        try:
            if new:
                os.write(self._log, new)
        except OSError:
            self._posts = LogPosts(self._tail())  # it comes again, and is new then
            raise

    def step(self, seconds: float = LOOK) -> None:
        """Receive for a while at most."""
        now = time.monotonic()
        for key, _ in self._selector.select(seconds):
            if key.fileobj is not self._socket:
                self._read(key.fileobj)
            elif self._is_packets:
                self._packets()
            else:
                self._accept(now)
        for link, post in list(self._links.items()):
            if now - post.began > SECONDS:
                self._drop(link)

    def _packets(self) -> None:
        lines: list[bytes] = []
        with contextlib.suppress(BlockingIOError):
            while len(lines) < 1000:
                line = line_of(self._socket.recv(65536), self.secret)
                lines.append(line or b"")
        if any(lines):
            os.write(self._log, b"".join(lines))

    def _accept(self, now: float) -> None:
        try:
            link, _ = self._socket.accept()
        except OSError:
            return
        if len(self._links) >= MOST_CONNECTIONS:
            self._drop(min(self._links, key=lambda each: self._links[each].began))
        link.setblocking(False)
        self._links[link] = _Post(self, link, now)
        self._selector.register(link, selectors.EVENT_READ)

    def _read(self, link: Any) -> None:
        try:
            data = link.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        post = self._links.get(link)
        if not data or post is None or not post.feed(data):
            self._drop(link)

    def _drop(self, link: socket.socket) -> None:
        self._links.pop(link, None)
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(link)
        link.close()

    def close(self) -> None:
        """Let go of everything."""
        for link in list(self._links):
            self._drop(link)
        self._selector.close()
        self._socket.close()
        os.close(self._log)


@contextmanager
def receiving(where: Receiving | None, path: str, warn: Callable[[str], None]) -> Iterator[None]:
    """Receive a log beside whoever follows it; do nothing where none is received.

    Parameters
    ----------
    where : Receiving or None
        Where to listen.
    path : str
        The log.
    warn : callable
        Takes a line about what went wrong, after which it goes on.

    Raises
    ------
    InputError
        If it cannot begin.
    """
    if where is None:
        yield
        return
    receiver, stop = LogReceiver(where, path), threading.Event()

    def serve() -> None:
        while not stop.is_set():
            try:
                receiver.step()
            except OSError as error:
                warn(f"error: {path}: a part of the log was lost: {error.strerror or error}")
                stop.wait(1.0)

    thread = threading.Thread(target=serve, name="log receiver", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(5.0)
        receiver.close()
