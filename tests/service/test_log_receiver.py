"""Logs that servers send: UDP packets with a secret, and posts with Counter-Strike 2's headers."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.games.samples import SAMPLES

from equipoise.archive.archive import open_archive
from equipoise.archive.ingest.ingest import Watch
from equipoise.errors import InputError
from equipoise.games.halflife.log_stream import BEGIN, END, TOKEN, LogPosts, line_of
from equipoise.service.log_receiver import MOST_BODY, SILENCE, LogReceiver, Receiving

STAMP = b"L 01/31/2026 - 20:15:00: "


@contextmanager
def receiver(where: Receiving, path: Path, warn: Callable[[str], None] = lambda _: None) -> Iterator[int]:
    """Receive in a thread; give the port."""
    one, stop = LogReceiver(where, str(path), warn), threading.Event()

    def serve() -> None:
        while not stop.is_set():
            one.step(0.05)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield one.port
    finally:
        stop.set()
        thread.join(10.0)
        one.close()


def until(holds: Callable[[], bool]) -> None:
    """Wait for something that another thread does."""
    end = time.monotonic() + 20.0
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


# UDP


@pytest.mark.parametrize("secret", ["", "4711"])
def test_lines_of_packets_are_appended_and_others_are_not(tmp_path: Path, secret: str) -> None:
    """A wrong secret, none, no mark, no line: nothing of it is in the log."""
    path = tmp_path / "tf2.log"
    start = b"\xff\xff\xff\xff" + (b"S" + secret.encode() if secret else b"R")
    wrong = [b"", b"R", STAMP, b"\xff\xff\xff\xffS1" + STAMP, start + b"hello\n\0", b"\xff" * 2000]
    if secret:
        wrong += [b"\xff\xff\xff\xffR" + STAMP + b"x\n\0", start[:-1] + STAMP + b"x\n\0"]
    lines = [STAMP + f'"p<{n}><[U:1:{n}]><Red>" say "{n}"'.encode() for n in range(50)]
    with (
        receiver(Receiving.of("udp://127.0.0.1:0", secret), path) as port,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server,
    ):
        for n, line in enumerate(lines):
            server.sendto(wrong[n % len(wrong)], ("127.0.0.1", port))
            server.sendto(start + line + b"\n\0", ("127.0.0.1", port))
        until(lambda: path.read_bytes().count(b"\n") >= len(lines))
    assert path.read_bytes().split(b"\n")[:-1] == lines


def test_a_name_with_a_line_feed_forges_no_line() -> None:
    """Of a packet one line comes out."""
    forged = b'"x\n' + STAMP + b'World triggered "Game_Over"\r\0y<2><[U:1:2]><Red>" say "hi"'
    line = line_of(b"\xff\xff\xff\xffR" + STAMP + forged + b"\n\0")
    assert line is not None
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert b"\r" not in line


def test_a_line_that_a_crash_cut_off_is_ended(tmp_path: Path) -> None:
    """The next packet begins a line of its own."""
    path = tmp_path / "log"
    path.write_bytes(STAMP + b"half of a li")
    with (
        receiver(Receiving.of("udp://127.0.0.1:0"), path) as port,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server,
    ):
        server.sendto(b"\xff\xff\xff\xffR" + STAMP + b"whole\n\0", ("127.0.0.1", port))
        until(lambda: b"whole" in path.read_bytes())
    assert path.read_bytes() == STAMP + b"half of a li\n" + STAMP + b"whole\n"


@given(st.binary(max_size=200))
@settings(max_examples=200)
def test_hostile_packets_are_no_exception(packet: bytes) -> None:
    """Whatever comes, a line or nothing comes out."""
    for start in (b"", b"\xff\xff\xff\xff", b"\xff\xff\xff\xffR", b"\xff\xff\xff\xffS7"):
        line = line_of(start + packet, "7" if start.endswith(b"7") else "")
        assert line is None or (line.startswith(b"L ") and line.count(b"\n") == 1)


def test_two_servers_that_send_to_one_port_are_not_mixed(tmp_path: Path) -> None:
    """The log is of the first, of the other it is said once; after a long silence it may go on."""
    path, warned = tmp_path / "log", list[str]()
    one = LogReceiver(Receiving.of("udp://127.0.0.1:0"), str(path), warned.append)
    first, other = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
    with contextlib.closing(one), first, other:
        for n in range(10):
            for server, name in ((first, b"first"), (other, b"other")):
                server.sendto(
                    b"\xff\xff\xff\xffR" + STAMP + b"%s %d\n\0" % (name, n), ("127.0.0.1", one.port)
                )
                one.step(5.0)
        assert path.read_bytes() == b"".join(STAMP + b"first %d\n" % n for n in range(10))
        assert len(warned) == 1
        assert f":{other.getsockname()[1]}: another server sends here too" in warned[0]
        one._heard -= SILENCE + 1.0
        other.sendto(b"\xff\xff\xff\xffR" + STAMP + b"moved\n\0", ("127.0.0.1", one.port))
        one.step(5.0)
    assert path.read_bytes().endswith(STAMP + b"moved\n")


# Posts


def posted(port: int, *requests: bytes) -> None:
    """Send bytes over one connection each, to which nothing is added, and end it."""
    for request in requests:
        with socket.create_connection(("127.0.0.1", port), timeout=20.0) as link:
            link.sendall(request)
            link.shutdown(socket.SHUT_WR)
            while link.recv(1000):
                pass


def post_of(body: bytes, length: int, begin: int, address: str = "192.0.2.1:27015") -> bytes:
    """Return a post whose Content-Length is another one."""
    headers = {**headers_of(begin, begin + len(body)), "x-server-addr": address, "content-length": length}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"POST / HTTP/1.1\r\n{lines}\r\n".encode() + body


def test_posts_of_two_servers_are_not_mixed(tmp_path: Path) -> None:
    """By the address that they say, as both may be on one machine."""
    path, warned = tmp_path / "log", list[str]()
    with receiver(Receiving.of("http://127.0.0.1:0"), path, warned.append) as port:
        for n in range(3):
            for address, name in (("192.0.2.1:27015", b"a"), ("192.0.2.1:27016", b"b")):
                body = STAMP + b"%s %d\n" % (name, n)
                posted(port, post_of(body, len(body), n * len(body), address))
    assert path.read_bytes() == b"".join(STAMP + b"a %d\n" % n for n in range(3))
    assert len(warned) == 1
    assert "192.0.2.1:27016: another server sends here too" in warned[0]


def test_what_came_of_a_post_with_too_large_a_content_length_is_kept(tmp_path: Path) -> None:
    """It is said, and if it comes once more only the rest is added."""
    path, warned = tmp_path / "log", list[str]()
    first, second = STAMP + b"one\n", STAMP + b"two\n"
    with receiver(Receiving.of("http://127.0.0.1:0"), path, warned.append) as port:
        posted(port, post_of(first, len(first) + 7, 100))
        until(lambda: len(warned) == 1)
        posted(port, post_of(first + second, len(first + second), 100))
    assert f"a post ended after {len(first)} of {len(first) + 7} bytes" in warned[0]
    assert path.read_bytes() == first + second


def test_what_too_small_a_content_length_loses_is_said(tmp_path: Path) -> None:
    """The next post begins a line of its own."""
    path, warned = tmp_path / "log", list[str]()
    first, second = STAMP + b"one\n", STAMP + b"two\n"
    with receiver(Receiving.of("http://127.0.0.1:0"), path, warned.append) as port:
        posted(port, post_of(first, len(first) - 2, 0), post_of(second, len(second), len(first)))
    assert len(warned) == 1
    assert "more came than its Content-Length says" in warned[0]
    assert path.read_bytes() == first[:-2] + b"\n" + second


def headers_of(begin: int, end: int, run: int = 1) -> dict[str, str]:
    """Return the headers of a post."""
    return {TOKEN: f"run {run}", BEGIN: str(begin), END: str(end), "x-game-map": "de_dust2"}


def test_posts_that_come_again_late_or_with_another_length_make_the_log_whole() -> None:
    """The first posts' headers disagree with their length; answers are lost; cuts are anywhere."""
    rng = random.Random(1)  # noqa: S311 -- no secret
    log = b"".join(STAMP + b"line %d\n" % n for n in range(400))
    for _ in range(50):
        cuts = sorted({0, len(log), *(rng.randrange(len(log)) for _ in range(20))})
        posts, kept = LogPosts(), b""
        for n, (a, b) in enumerate(itertools.pairwise(cuts)):
            headers = headers_of(a, b + (900 if n == 0 else 0))
            for _ in range(rng.choice((1, 1, 2, 3))):
                kept += posts.take(headers, log[a:b])
        assert kept == log


def test_a_post_whose_half_was_there_gives_the_other_half() -> None:
    """By the bytes of the log."""
    posts = LogPosts()
    assert posts.take(headers_of(0, 6), b"a\nb\nc\n") == b"a\nb\nc\n"
    assert posts.take(headers_of(4, 8), b"c\nd\n") == b"d\n"
    assert posts.take(headers_of(8, 10), b"e\n") == b"e\n"


def test_another_run_of_the_server_begins_anew_on_a_line_of_its_own() -> None:
    """Offsets count from 0 again."""
    posts = LogPosts()
    assert posts.take(headers_of(0, 3), b"abc") == b"abc"
    assert posts.take(headers_of(0, 4, 2), b"new\n") == b"\nnew\n"
    assert posts.take(headers_of(4, 8, 2), b"two\n") == b"two\n"


def test_a_post_that_came_before_a_restart_is_not_kept_twice() -> None:
    """The answer was lost with the program."""
    posts = LogPosts(tail=b"old\nabc\n")
    assert posts.take(headers_of(100, 104), b"abc\n") == b""
    assert posts.take(headers_of(104, 108), b"abc\n") == b"abc\n"


def test_matches_of_a_posted_log_are_those_of_its_file(tmp_path: Path) -> None:
    """The log goes over HTTP in pieces, is followed meanwhile, and the archive has the same games."""
    log = SAMPLES["halflife"][0]
    path = tmp_path / "cs.log"
    with (
        open_archive(f"sqlite:///{tmp_path}/a.db", create=True) as archive,
        receiver(Receiving.of("http://127.0.0.1:0", "s3cret"), path) as port,
        Watch(archive, str(path), "halflife") as watch,
    ):
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=20.0)
        for a, b in itertools.pairwise([*range(0, len(log), 701), len(log)]):
            for _ in range(2):
                link.request("POST", "/s3cret", log[a:b], {k.title(): v for k, v in headers_of(a, b).items()})
                answer = link.getresponse()
                answer.read()
                assert answer.status == 200
            watch.step()
        link.close()
        watch.step()
        assert path.read_bytes() == log
        first = archive.digest()
    with open_archive(f"sqlite:///{tmp_path}/b.db", create=True) as archive:
        whole = tmp_path / "whole.log"
        whole.write_bytes(log)
        with Watch(archive, str(whole), "halflife") as watch:
            watch.step()
        assert archive.count() > 0
        assert archive.digest() == first


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"POST /wrong HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", 404),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", 404),
        (b"GET /s3cret HTTP/1.1\r\nHost: x\r\n\r\n", 405),
        (b"POST /s3cret HTTP/1.1\r\nX: " + b"x" * 40000 + b"\r\n\r\n", 431),
        (b"\x00\x01\x02 nonsense\r\n\r\n", 400),
        (b"POST /s3cret HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n" + b"x" * (MOST_BODY + 70000), 413),
    ],
    ids=["another secret", "none", "not a post", "long headers", "no HTTP", "a long body"],
)
def test_what_is_no_post_of_the_server_is_refused(tmp_path: Path, request_bytes: bytes, status: int) -> None:
    """And nothing of it is in the log."""
    path = tmp_path / "cs.log"
    with receiver(Receiving.of("http://127.0.0.1:0", "s3cret"), path) as port:
        with socket.create_connection(("127.0.0.1", port), 20.0) as link:
            try:
                link.sendall(request_bytes)
            except (ConnectionResetError, BrokenPipeError):
                assert status == 413
            try:
                answer = link.recv(100)
            except ConnectionResetError:
                answer = b""
        assert answer.startswith(f"HTTP/1.1 {status}".encode()) or (status == 413 and not answer)
    assert path.read_bytes() == b""


def test_slow_and_many_connections_do_not_keep_the_server_out(tmp_path: Path) -> None:
    """Forty that say nothing, and one that posts."""
    path = tmp_path / "cs.log"
    with receiver(Receiving.of("http://127.0.0.1:0", "s3cret"), path) as port:
        silent = [socket.create_connection(("127.0.0.1", port), 20.0) for _ in range(40)]
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=20.0)
        link.request("POST", "/s3cret", b"abc\n", {"Expect": "100-continue"})
        assert link.getresponse().status == 200
        link.close()
        for each in silent:
            each.close()
    assert path.read_bytes() == b"abc\n"


@pytest.mark.parametrize(
    ("address", "secret", "argument"),
    [
        ("127.0.0.1:27500", "", "receive"), ("tcp://127.0.0.1:1", "", "receive"),
        ("udp://127.0.0.1", "", "receive"), ("udp://127.0.0.1:99999", "", "receive"),
        ("http://127.0.0.1:1/path", "", "receive"), ("udp://0.0.0.0:27500", "", "receive"),
        ("udp://0.0.0.0:27500", "word", "receive_secret_file"),
        ("http://0.0.0.0:27500", "a/b", "receive_secret_file"),
    ],
)  # fmt: skip
def test_addresses_and_secrets_that_cannot_be_are_refused(address: str, secret: str, argument: str) -> None:
    """And so is a door that is open to everybody."""
    with pytest.raises(InputError) as failure:
        Receiving.of(address, secret)
    assert failure.value.argument == argument
