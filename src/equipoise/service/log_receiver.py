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

from equipoise.core.plain_data import printable
from equipoise.errors import InputError
from equipoise.games.halflife.log_stream import ADDRESS, BEGIN, END, LogPosts, line_of

#: Most bytes of a post and of its headers, connections at a time, and seconds that a post may take.
MOST_BODY, MOST_HEAD, MOST_CONNECTIONS, SECONDS = 1 << 22, 1 << 14, 16, 15.0

#: Bytes of the end of a log by which a post is known that came before.
TAIL = 1 << 16

#: Seconds between two looks at whether it is to end.
LOOK = 0.2

#: Seconds of silence after which another server may send instead, and how many others are named at most.
SILENCE, MOST_NAMED = 600.0, 16

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

    def __init__(self, receiver: LogReceiver, link: socket.socket, peer: str, now: float) -> None:
        self.link, self.began, self._peer = link, now, peer
        self._receiver = receiver
        self._parser = httptools.HttpRequestParser(self)
        self._size = self._head = 0
        self._path, self._headers, self._body = b"", dict[str, str](), list[bytes]()
        #: Whether a body is coming, and which server sends: as it says itself, or by its address here.
        self._is_coming, self._sender = False, ""
        self._begin()

    def _begin(self) -> None:
        self._path, self._headers, self._body = b"", {}, []
        self._size = self._head = 0
        self._is_coming = False

    def feed(self, data: bytes) -> bool:
        """Take bytes; return whether the connection goes on."""
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            return self._answer(400)
        except httptools.HttpParserCallbackError:
            return False
        except httptools.HttpParserError:
            if self._sender:
                self._receiver.cut(
                    "more came than its Content-Length says; what was too much is lost", self._sender
                )
            return self._answer(400)
        return True

    def end(self) -> None:
        """Keep what came of a post that is shorter than its Content-Length says."""
        if not (self._is_coming and self._body):
            return
        self._is_coming = False
        body, begin = b"".join(self._body), self._headers.get(BEGIN, "")
        length = self._headers.get("content-length", "more")
        self._receiver.say(f"a post ended after {len(body)} of {length:.20} bytes", self._sender)
        if begin.isdigit():  # it is known again if it comes once more
            self._receiver.keep({**self._headers, END: str(int(begin) + len(body))}, body, self._sender)

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
        self._is_coming, self._sender = True, self._headers.get(ADDRESS, "")[:100] or self._peer

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._size += len(body)
        if self._size > MOST_BODY:
            self._refuse(413)
        self._body.append(body)

    def on_message_complete(self) -> None:
        """Keep what is new, then say so."""
        self._receiver.keep(self._headers, b"".join(self._body), self._sender)
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
        self._is_coming = False
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
    """Listens, and appends what a server sends to a file.

    The log is of one server: lines of another address are left out, with one warning for each.  After ten
    minutes of silence another one may send instead, as a server that has moved.

    Parameters
    ----------
    where : Receiving
        Where to listen.
    path : str
        The log.
    warn : callable, optional
        Takes a line about what was left out or lost.

    Raises
    ------
    InputError
        If it cannot listen there, or the file cannot be written.
    """

    def __init__(self, where: Receiving, path: str, warn: Callable[[str], None] = lambda _: None) -> None:
        self.secret = where.secret
        self._path, self._warn, self._named = path, warn, set[tuple[str, str]]()
        #: Which server the log is of, and when it last sent.
        self._sender, self._heard = "", 0.0
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

    def say(self, what: str, sender: str) -> None:
        """Warn of something, once of each server, and of so many at most."""
        if (sender, what[:12]) not in self._named and len(self._named) < MOST_NAMED:
            self._named.add((sender, what[:12]))
            self._warn(f"{self._path}: {printable(sender)}: {what}")

    def cut(self, what: str, sender: str) -> None:
        """Warn that a part of the log was lost; what comes next begins a line."""
        self.say(what, sender)
        if sender == self._sender:
            self._posts.cut()

    def is_of(self, sender: str) -> bool:
        """Tell whether the log is of this server; say it where it is of another."""
        now = time.monotonic()
        if sender != self._sender:
            if self._sender and now - self._heard < SILENCE:
                msg = (
                    f"another server sends here too; the log is of {printable(self._sender)}, and what this "
                    "one sends is left out: give each server a port and a log of its own"
                )
                self.say(msg, sender)
                return False
            self._sender = sender
        self._heard = now
        return True

    def keep(self, headers: dict[str, str], body: bytes, sender: str) -> None:
        """Append what is new of a post."""
        if not self.is_of(sender):
            return
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
                packet, address = self._socket.recvfrom(65536)
                line = line_of(packet, self.secret)
                lines.append(line if line and self.is_of(_shown(address)) else b"")
        if any(lines):
            os.write(self._log, b"".join(lines))

    def _accept(self, now: float) -> None:
        try:
            link, address = self._socket.accept()
        except OSError:
            return
        if len(self._links) >= MOST_CONNECTIONS:
            self._drop(min(self._links, key=lambda each: self._links[each].began))
        link.setblocking(False)
        self._links[link] = _Post(self, link, str(address[0]), now)
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
        post = self._links.pop(link, None)
        if post is not None:
            post.end()
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


def _shown(address: Any) -> str:
    """Return an address as people write it."""
    host, port = address[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


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
    receiver, stop = LogReceiver(where, path, warn), threading.Event()

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
