"""Consoles over TCP: Source's and Teeworlds' against their laws, and a server that is not ours."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest
import rconx
from benchmarks.ports import free_port
from tests.games.fake_streams import FakeEcon, FakeSource

from equipoise.games.econ import Econ
from equipoise.games.laws import check_stream_console
from equipoise.games.rcon import ConsoleAnswer, UnsafeError
from equipoise.games.source_rcon import SILENCE, SourceRcon, packet
from equipoise.games.stream_console import (
    FAILURES,
    KEEP_ALIVE,
    RETRY_MOST,
    RETRY_REFUSED,
    StreamConsole,
)
from equipoise.service.console_link import StreamLink

LONG = "\n".join(f"[20:14:07][server]: id={n} addr=127.0.0.1:{n}" for n in range(200))


def _carry_out(done: list[str], line: str) -> str:
    done.append(line)
    return LONG if line == "status" else ""


def fake_source(done: list[str]) -> FakeSource:
    """Return a Source server that notes what it is told."""
    return FakeSource("secret", partial(_carry_out, done))


def fake_econ(done: list[str]) -> FakeEcon:
    """Return a Teeworlds server that notes what it is told."""
    return FakeEcon("secret", partial(_carry_out, done))


#: The password of servers that are not ours, on loopback.
SECRET = "secret"  # noqa: S105 -- of servers on loopback

ORDERS = ("set_team 1 0", "say hi", "set_team 2 1")


@pytest.mark.parametrize(
    ("console", "server"), [(SourceRcon, fake_source), (Econ, fake_econ)], ids=["source", "econ"]
)
def test_consoles_keep_the_laws_of_their_kind(
    console: Callable[[str], StreamConsole], server: Callable[[list[str]], FakeSource | FakeEcon]
) -> None:
    """Cuts, order, lost connections, silence and hostile bytes."""
    check_stream_console(partial(console, "secret"), server, "status", ORDERS, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("console", "server"), [(SourceRcon, fake_source), (Econ, fake_econ)], ids=["source", "econ"]
)
def test_a_refused_password_is_said_and_not_tried_again_at_once(
    console: Callable[[str], StreamConsole], server: Callable[[list[str]], FakeSource | FakeEcon]
) -> None:
    """Servers ban who tries too often."""
    one, side = console("wrong"), server([])
    one.opened(0.0)
    arriving = side.connected()
    for step in range(3):
        one.receive(arriving, 0.1 * step)
        arriving = b"".join(side.receive(sent) for sent in one.outgoing(0.1 * step))
    assert one.refused
    assert one.broken
    one.closed(1.0)
    assert not one.silent
    assert not one.may_connect(1.0 + RETRY_MOST)
    assert one.may_connect(1.0 + RETRY_REFUSED)


@pytest.mark.parametrize("console", [SourceRcon, Econ])
def test_a_server_that_is_not_there_is_silent_and_tried_more_and_more_rarely(
    console: Callable[[str], StreamConsole],
) -> None:
    """Three failures in a row are said; the pause grows up to its bound."""
    one, now, pauses = console("secret"), 0.0, []
    for failure in range(12):
        one.closed(now)
        assert one.silent == (failure + 1 >= FAILURES)
        began = now
        while not one.may_connect(now):
            now += 0.25
        pauses.append(now - began)
    assert pauses == sorted(pauses)
    assert pauses[-1] == RETRY_MOST


@pytest.mark.parametrize("console", [SourceRcon, Econ])
def test_orders_that_a_lost_connection_drops_are_counted(console: Callable[[str], StreamConsole]) -> None:
    """And questions are not: they are asked again."""
    one = console("secret")
    one.ask("status")
    one.order(["say a", "say b"])
    one.closed(0.0)
    assert one.unsent == 2
    one.forget_orders()
    assert one.unsent == 2


def test_an_idle_connection_is_kept_alive_without_a_command() -> None:
    """Nothing is carried out; what keeps it alive gives no answer to anybody."""
    for one, side, done in (
        (SourceRcon("secret"), fake_source(given := []), given),
        (Econ("secret"), fake_econ(others := []), others),
    ):
        one.opened(0.0)
        arriving = side.connected()
        now, sent = 0.0, []
        while now < 3.5 * KEEP_ALIVE:
            now += 0.1
            one.receive(arriving, now) if arriving else None
            out = one.outgoing(now)
            sent += out if now > 1.0 else []
            arriving = b"".join(side.receive(each) for each in out)
        assert not one.broken
        assert one.idle
        assert len(sent) >= 3
        assert (done, one.answers()) == ([], [])


def test_a_server_that_sends_no_mark_back_ends_its_answer_by_silence() -> None:
    """Some that took the protocol over answer an unknown type with nothing."""
    console = SourceRcon("secret")
    side = FakeSource("secret", lambda _: LONG, mirrors=False)
    console.opened(0.0)
    console.ask("status")
    now, arriving = 0.0, b""
    while not (found := console.answers()):
        now += 0.05
        console.receive(arriving, now) if arriving else None
        arriving = b"".join(side.receive(sent) for sent in console.outgoing(now))
        assert now < 5.0
    assert found == [ConsoleAnswer("status", LONG)]
    assert now > SILENCE


def test_only_plain_lines_are_sent() -> None:
    """No sign that begins another command leaves."""
    for console in (SourceRcon("secret"), Econ("secret")):
        for line in ('say "hi"', "say hi; quit", "say hi\nquit", "", "x" * 300):
            with pytest.raises(UnsafeError):
                console.order(["status", line])
        assert console.idle


@pytest.mark.parametrize("length", [-1, 9, 1 << 20, 1 << 31 - 1])
def test_a_packet_of_an_impossible_length_breaks_the_connection(length: int) -> None:
    """It is not waited for."""
    console = SourceRcon("secret")
    console.opened(0.0)
    console.receive(length.to_bytes(4, "little", signed=True) + bytes(8), 0.0)
    assert console.broken


@contextmanager
def foreign_server(done: list[str]) -> Iterator[int]:
    """Give the port of a server of the package rconx, which follows Source servers."""
    port = free_port()
    server = rconx.RconServer(
        "127.0.0.1", port, authentication=SECRET,
        command_handler=lambda content, _: _carry_out(done, content.text),
    )  # fmt: skip
    started = threading.Event()
    thread = threading.Thread(target=server.serve, kwargs={"on_started": started.set})
    thread.start()
    assert started.wait(10.0)
    try:
        yield port
    finally:
        server.shutdown()
        thread.join(10.0)


def _until(link: StreamLink, console: SourceRcon, holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 20.0
    while not holds():
        assert time.monotonic() < end, "not within 20 s"
        now = time.monotonic()
        link.tend(now)
        for data in link.arrived():
            console.receive(data, now)
        for sent in console.outgoing(now):
            link.send(sent)


def test_a_server_that_is_not_ours_answers_and_a_restart_of_it_is_survived() -> None:
    """Commands in order, an answer in several packets, a wrong password, and the same server once more."""
    done: list[str] = []
    console = SourceRcon("secret")
    with foreign_server(done) as port:
        link = StreamLink(("127.0.0.1", port), console)
        console.ask("status")
        console.order(ORDERS)
        found: list[ConsoleAnswer] = []
        _until(link, console, lambda: bool(found.extend(console.answers()) or console.idle))
        found += console.answers()
        assert found == [ConsoleAnswer("status", LONG), *(ConsoleAnswer(order, "") for order in ORDERS)]
        assert done == ["status", *ORDERS]
        refused = SourceRcon("wrong")
        other = StreamLink(("127.0.0.1", port), refused)
        _until(other, refused, lambda: refused.refused)
        other.close()
    _until(link, console, lambda: console.silent)
    link.close()


def test_a_server_that_was_killed_gets_its_port_again_at_once() -> None:
    """Teeworlds binds it without more ado, and comes up without a console where it is still taken."""
    listener = socket.create_server(("127.0.0.1", 0), reuse_port=False)
    port = listener.getsockname()[1]
    console = Econ("secret")
    link = StreamLink(("127.0.0.1", port), console)
    link.tend(0.0)
    listener.settimeout(5.0)
    side, _ = listener.accept()
    link.tend(0.1)
    side.close()
    listener.close()
    end = time.monotonic() + 5.0
    while link.fileno() >= 0:
        list(link.arrived())
        link.tend(0.2)
        assert time.monotonic() < end
    again = socket.socket()
    again.bind(("127.0.0.1", port))
    again.close()


def test_our_fake_source_server_is_one_to_a_client_that_is_not_ours() -> None:
    """The client of rconx logs in, and reads an answer in several packets."""
    listener = socket.create_server(("127.0.0.1", 0))
    fake = FakeSource("secret", lambda _: LONG)

    def serve() -> None:
        link, _ = listener.accept()
        with link:
            link.sendall(fake.connected())
            while data := link.recv(65536):
                link.sendall(fake.receive(data))

    thread = threading.Thread(target=serve)
    thread.start()
    found = rconx.execute("127.0.0.1", listener.getsockname()[1], "status", password=SECRET, preset="srcds")
    thread.join(10.0)
    listener.close()
    assert found.text == LONG


def test_packets_are_those_of_a_library_that_is_not_ours() -> None:
    """Byte for byte."""
    for number, kind, text in ((1, 3, b"secret"), (7, 2, b"say hi"), (2**30, 0, b"")):
        assert packet(number, kind, text) == rconx.Packet(number, kind, text).encode_framed()
