"""HTTP connections: slow ones, silent ones, large ones, those ahead of themselves, and the end."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.service.http.asking import ask
from tests.service.process import TOKEN, Served, rest

from equipoise.archive.archive import open_archive
from equipoise.errors import InputError
from equipoise.service.http.server import MOST_AHEAD, MOST_HEAD, HttpLimits, Joining

RESULT = {"game": "oa", "game_type": "ctf", "teams": [["a"], ["b"]], "scores": [1, 0]}
GET = b"GET /livez HTTP/1.1\r\nHost: here\r\n\r\n"


@pytest.fixture(scope="module")
def hurried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a server that has no patience."""
    store: Path = tmp_path_factory.mktemp("listening") / "games.db"
    open_archive(f"sqlite:///{store}").close()
    server = Served(
        store, "--http", "127.0.0.1:0", "--http-rate", "1e6", "--header-seconds", "1",
        "--max-per-address", "20", "--slow-seconds", "1", "--max-body", "2000",
    )  # fmt: skip
    yield server
    assert server.end()[0] == 0


def connect(served: Served) -> socket.socket:
    """Return a connection to HTTP."""
    where = urlsplit(served.http)
    return socket.create_connection((where.hostname, where.port), timeout=30)


@pytest.mark.parametrize(
    "sent", [b"", b"GET / HT", b"GET /livez HTTP/1.1\r\nX: ", GET + b"GET /livez HTTP/1.1\r\n"]
)
def test_headers_that_do_not_come_end_the_connection(hurried: Served, sent: bytes) -> None:
    """Whether nothing came, a part, or a part after a whole request."""
    with closing(connect(hurried)) as connection:
        connection.sendall(sent)
        assert rest(connection).count(b"HTTP/1.1 200") == sent.count(b"\r\n\r\n")


def test_headers_that_are_too_long_are_refused(hurried: Served) -> None:
    """With a problem, and the connection is closed."""
    with closing(connect(hurried)) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n" + b"X-Long: aaaa\r\n" * (MOST_HEAD // 10))
        assert rest(connection).startswith(b"HTTP/1.1 431 ")


def test_headers_that_are_too_long_are_refused_though_they_come_at_once(hurried: Served) -> None:
    """However long each of them is."""
    for head in (b"X-Long: " + b"a" * 70_000, b"\r\n".join(b"X-%d: aaaa" % n for n in range(4000))):
        with closing(connect(hurried)) as connection:
            connection.sendall(b"GET /livez HTTP/1.1\r\nHost: here\r\n" + head + b"\r\n\r\n")
            assert rest(connection).startswith(b"HTTP/1.1 431 ")


def test_what_is_no_http_is_refused(hurried: Served) -> None:
    """With a problem, and the connection is closed."""
    with closing(connect(hurried)) as connection:
        connection.sendall(b"PLAYER ann\n")
        head, _, body = rest(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"application/problem+json" in head
    assert json.loads(body)["status"] == 400


def test_many_that_are_refused_all_read_why(hurried: Served) -> None:
    """One after the other, whatever they go on to send."""
    with ExitStack() as stack:
        connections = [stack.enter_context(closing(connect(hurried))) for _ in range(15)]
        for connection in connections:
            connection.sendall(b"PLAYER ann\n")
        with suppress(OSError):
            connections[-1].sendall(GET * 1000)
        assert all(rest(each).startswith(b"HTTP/1.1 400 ") for each in connections[:-1])
    assert ask(f"{hurried.http}/livez").status == 200


def test_who_addresses_no_host_is_refused(hurried: Served) -> None:
    """HTTP/1.1 requires it; before, there was none."""
    for version, status in ((b"1.1", b"400"), (b"1.0", b"200")):
        with closing(connect(hurried)) as connection:
            connection.sendall(b"GET /livez HTTP/" + version + b"\r\n\r\n")
            assert rest(connection).startswith(b"HTTP/1.1 " + status)


def test_some_requests_may_be_sent_ahead_and_not_very_many(hurried: Served) -> None:
    """They are answered in order; more than a few close the connection."""
    with closing(connect(hurried)) as connection:
        connection.sendall(GET * MOST_AHEAD)
        answers = b""
        while answers.count(b"alive") < MOST_AHEAD:
            answers += connection.recv(65536)
    with closing(connect(hurried)) as connection:
        connection.sendall(GET * 500)
        assert rest(connection).count(b"alive") == MOST_AHEAD + 1


def asked(names: str) -> bytes:
    """Return a balance of players of one letter."""
    body = json.dumps({"players": {name: n for n, name in enumerate(names)}}).encode()
    return b"POST /v1/balance HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


CHUNKED = b"POST /v1/balance HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("last", "why"),
    [
        (b"PLAYER ann\n", b"Invalid HTTP request"),
        (CHUNKED + b"no number\r\n", b"Invalid HTTP request"),
        (b"GET /livez HTTP/1.1\r\n\r\n", b"a request must have a Host"),
        (asked("xyz") * MOST_AHEAD, b"a connection may send 8 requests ahead of their answers"),
    ],
)
def test_what_came_before_is_answered_first(hurried: Served, last: bytes, why: bytes) -> None:
    """Whatever it is refused for, nobody takes it for the answer to an earlier question."""
    before = ["abcd", "efgh", "ijkl"]
    with closing(connect(hurried)) as connection:
        connection.sendall(b"".join(map(asked, before)) + last)
        answers = rest(connection).split(b"HTTP/1.1 ")[1:]
    for names, answer in zip(before, answers, strict=False):
        teams = json.loads(answer.partition(b"\r\n\r\n")[2])["splits"][0]["teams"]
        assert sorted(teams[0] + teams[1]) == list(names)
    assert [answer[:3] for answer in answers[3:-1]] == [b"200"] * (len(answers) - 4)
    assert answers[-1].startswith(b"400 ")
    assert why in answers[-1]


@pytest.mark.parametrize("head", [b"Content-Length: 3000", b"Transfer-Encoding: chunked"])
def test_bodies_that_are_too_large_are_refused_unread(hurried: Served, head: bytes) -> None:
    """Whether they say their size before or not."""
    with closing(connect(hurried)) as connection:
        connection.sendall(b"POST /v1/balance HTTP/1.1\r\nHost: here\r\n" + head + b"\r\n\r\n")
        connection.sendall((b"bb8\r\n" + b" " * 3000 + b"\r\n") if b"chunked" in head else b" " * 100)
        assert rest(connection).startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize("coding", ["gzip", "br", "nonsense"])
def test_bodies_that_are_encoded_are_refused_as_such(hurried: Served, coding: str) -> None:
    """Nobody is told that what was zipped is no JSON."""
    answer = ask(f"{hurried.http}/v1/balance", b"\x1f\x8b\x08", content_encoding=coding)
    assert (answer.status, answer.headers["accept-encoding"]) == (415, "identity")
    assert coding in answer.plain["detail"]
    plain = ask(f"{hurried.http}/v1/balance", b'{"players": {"a": 1, "b": 2}}', content_encoding="identity")
    assert plain.status == 200


def test_one_address_has_only_so_many_connections(hurried: Served) -> None:
    """More are closed at once, the others are answered, and places come back."""
    held = [connect(hurried) for _ in range(20)]
    with closing(connect(hurried)) as more, suppress(ConnectionError):
        assert rest(more) == b""
    held[0].sendall(GET)
    assert held[0].recv(4096).startswith(b"HTTP/1.1 200")
    for each in held:
        each.close()
    while True:
        with closing(connect(hurried)) as again, suppress(ConnectionError):
            again.sendall(GET)
            if again.recv(4096):
                break


def test_a_reader_that_takes_nothing_is_cut_off(hurried: Served) -> None:
    """Its answers do not stay with the server."""
    with closing(connect(hurried)) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        request = b"GET /openapi.json HTTP/1.1\r\nHost: here\r\n\r\n"
        gone = threading.Event()

        def ask_on() -> None:
            try:
                while True:
                    connection.sendall(request)
            except OSError:
                gone.set()

        thread = threading.Thread(target=ask_on, daemon=True)
        thread.start()
        assert gone.wait(30)


def test_asking_too_fast_is_answered_late_and_with_429(tmp_path: Path) -> None:
    """After the burst, with Retry-After; the weight protocol is not touched."""
    store = tmp_path / "games.db"
    open_archive(f"sqlite:///{store}").close()
    served = Served(store, "--http", "127.0.0.1:0", "--http-rate", "1", "--forwarded-by", "127.0.0.1")
    answers = [ask(f"{served.http}/livez") for _ in range(4)]
    assert [answer.status for answer in answers[:2]] == [200, 200]
    assert {answer.status for answer in answers[2:]} <= {200, 429}
    late = [answer for answer in answers if answer.status == 429]
    assert late
    assert late[0].headers["retry-after"] == "1"
    known = [ask(f"{served.http}/v1/rulesets", authorization=f"Bearer {TOKEN}") for _ in range(9)]
    assert {answer.status for answer in known} == {200}, "who has a token has a rate of its own"
    others = [ask(f"{served.http}/livez", x_forwarded_for=f"10.9.9.9, 10.{n}.0.1") for n in range(9)]
    assert {answer.status for answer in others} == {200}
    assert served.ask("GAME ctf\nMEANBOT\n") == "MEANBOT 50.0000 0\n"
    served.end()


def test_both_protocols_end_in_order_under_load(tmp_path: Path) -> None:
    """What has arrived is answered, listeners to events are let go, and the exit code is 0."""
    store = tmp_path / "games.db"
    open_archive(f"sqlite:///{store}").close()
    served = Served(store, "--http", "127.0.0.1:0", "--http-rate", "1e6")
    where = urlsplit(served.http)
    listening = socket.create_connection((where.hostname, where.port), timeout=30)
    listening.sendall(b"GET /v1/events HTTP/1.1\r\nHost: here\r\n\r\n")
    assert b"retry" in listening.recv(4096) + listening.recv(4096)
    answered: list[bool] = []

    def report(number: int) -> None:
        for n in range(1000):
            body = {
                "id": f"{number}-{n}",
                "game": "oa",
                "game_type": "ctf",
                "teams": [["a"], ["b"]],
                "scores": [1, 0],
            }
            try:
                answer = ask(f"{served.http}/v1/results", body, authorization=f"Bearer {TOKEN}")
            except OSError:
                return
            answered.append(answer.status)

    threads = [threading.Thread(target=report, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    while len(answered) < 5:
        assert served.process.poll() is None
    with served.connect() as weights:
        code, _ = served.end(signal.SIGTERM)
        assert code == 0
        assert rest(weights) == b""
    for thread in threads:
        thread.join(30)
    with closing(listening):
        assert rest(listening).endswith(b"0\r\n\r\n")
    with open_archive(f"sqlite:///{store}") as archive:
        assert archive.count() >= answered.count(True)


def test_the_head_of_an_answer_is_sent_with_its_body() -> None:
    """In one piece; where no body follows soon, or the connection ends, it is sent by itself."""

    class Sent:
        def __init__(self) -> None:
            self.pieces: list[bytes] = []
            self.is_closing = bool
            self.write = self.pieces.append
            self.close = partial(self.pieces.append, b"end")

    async def play() -> None:
        sent: Any = Sent()
        joining = Joining(sent, asyncio.get_running_loop())
        joining.write(b"head ")
        assert sent.pieces == []
        joining.write(b"body")
        assert sent.pieces == [b"head body"]
        joining.write(b"head")
        await asyncio.sleep(0)
        joining.write(b"part")
        await asyncio.sleep(0)
        joining.write(b"head")
        joining.close()
        assert sent.pieces[1:] == [b"head", b"part", b"head", b"end"]

    asyncio.run(play())


def test_answers_without_bodies_come_in_order(hurried: Served) -> None:
    """Though their heads wait for what follows."""
    head, get = b"HEAD /livez HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"
    last = b"HEAD /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    with closing(connect(hurried)) as client:
        client.sendall(head + get + head + last)
        answers = rest(client)
    assert answers.count(b"HTTP/1.1 200 OK") == 4
    assert answers.count(b'"status"') == 1


@pytest.mark.parametrize("name", ["header_seconds", "slow_seconds"])
def test_limits_must_be_above_0(name: str) -> None:
    """A limit of nothing is a mistake."""
    with pytest.raises(InputError, match=f"{name} must be above 0, got 0"):
        HttpLimits(**{name: 0})
