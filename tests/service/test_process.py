"""The life of a server process: how it begins, takes what it is sent, and ends."""

from __future__ import annotations

import asyncio
import logging
import resource
import shutil
import signal
import socket
import ssl
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.service.process import PATIENCE, TOKEN, Served, rest

from equipoise.archive.archive import open_archive
from equipoise.errors import InputError
from equipoise.service import process
from equipoise.service.listener import OTHER_FILES
from equipoise.service.process import loop_factory, serve
from equipoise.service.settings import Settings
from equipoise.service.weights.messages import Refusal


@pytest.mark.slow
@pytest.mark.parametrize("loop", [asyncio.new_event_loop, loop_factory()], ids=["asyncio", "fastest"])
@pytest.mark.parametrize("wrong", ["address", "store"])
def test_a_start_that_fails_leaves_nothing_behind(
    wrong: str, loop: Callable[[], asyncio.AbstractEventLoop], tmp_path: Path
) -> None:
    """Neither a process nor a pipe, so that the loop can be closed; the message says what is wrong."""
    url = f"sqlite:///{tmp_path}/games.db"
    if wrong == "address":
        open_archive(url).close()
    with socket.create_server(("127.0.0.1", 0)) as taken, asyncio.Runner(loop_factory=loop) as runner:
        settings = Settings(store=url, weights=f"127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(InputError, match="^weights: cannot" if wrong == "address" else "^store: "):
            runner.run(serve(settings, pytest.fail, lambda: settings))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return the path of an empty archive."""
    open_archive(f"sqlite:///{tmp_path}/games.db").close()
    return tmp_path / "games.db"


def certify(folder: Path, name: str) -> tuple[Path, Path]:
    """Make a certificate and its key."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl is not installed, which makes certificates")
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(
        [program, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-days", "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    return certificate, key


def ask_over_tls(port: int, certificate: Path, said: str) -> str:
    """Send lines over TLS to a server whose certificate must be this one; return the answers."""
    context = ssl.create_default_context(cafile=str(certificate))
    with (
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as plain,
        context.wrap_socket(plain, server_hostname="127.0.0.1") as connection,
    ):
        connection.sendall(said.encode())
        answers = b""
        while answers.count(b"\n") < said.count("\n"):
            answers += connection.recv(65536)
        return answers.decode()


@pytest.mark.slow
def test_tls_and_settings_that_are_read_anew(store: Path, tmp_path: Path) -> None:
    """``SIGHUP`` brings another certificate and token; where one is at fault all stays as it was."""
    certificate, key = certify(tmp_path, "first")
    token = tmp_path / "token"
    token.write_text(TOKEN, encoding="utf-8")
    token.chmod(0o600)
    served = Served(
        store, "--tls-certificate", str(certificate), "--tls-key", str(key), "--token-file", str(token),
        environment={},
    )  # fmt: skip
    try:
        assert ask_over_tls(served.port, certificate, f"AUTH {TOKEN}\nMEANBOT\n").startswith(
            "AUTH ok\nMEANBOT"
        )
        with pytest.raises(ssl.SSLCertVerificationError):
            ask_over_tls(served.port, certify(tmp_path, "stranger")[0], "MEANBOT\n")

        other, other_key = certify(tmp_path, "other")
        first = shutil.copyfile(certificate, tmp_path / "before.pem")
        shutil.copyfile(other_key, key)
        shutil.copyfile(other, certificate)
        token.write_text("short", encoding="utf-8")
        served.process.send_signal(signal.SIGHUP)
        why = served.logged("settings stay as they were")["why"]
        assert why == f"token_file: {token} must hold one line of at least 16 characters"
        assert ask_over_tls(served.port, first, f"AUTH {TOKEN}\n") == "AUTH ok\n"

        token.write_text("another that nobody guesses", encoding="utf-8")
        served.process.send_signal(signal.SIGHUP)
        served.logged("settings reloaded")
        said = f"AUTH another that nobody guesses\nAUTH {TOKEN}\n"
        assert ask_over_tls(served.port, other, said) == "AUTH ok\n" + Refusal.WRONG_TOKEN.line.decode()
        assert served.logged("wrong token")["address"] == "127.0.0.1"
    finally:
        assert served.end()[0] == 0


@pytest.mark.slow
def test_systemd_is_reported_of_the_beginning_of_life_and_of_the_end(store: Path, tmp_path: Path) -> None:
    """Ready once it answers, alive again and again, stopping at the end."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as reported:
        reported.bind(str(tmp_path / "notify"))
        reported.settimeout(PATIENCE)
        served = Served(
            store, environment={"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "100000"}
        )
        assert reported.recv(100).startswith(b"EXTEND_TIMEOUT_USEC=")
        while (state := reported.recv(100)) != b"READY=1":
            assert state.startswith((b"EXTEND_TIMEOUT_USEC=", b"WATCHDOG=1"))
        assert served.end()[0] == 0
        rest_ = iter(lambda: reported.recv(100), b"STOPPING=1")
        assert set(rest_) <= {b"WATCHDOG=1"}


@pytest.mark.slow
def test_the_limit_of_open_files_is_heeded(store: Path) -> None:
    """One address leaves places for others, and a system that has no more fills no log."""
    limit = OTHER_FILES + 16
    served = Served(store, through=("sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh"))
    with ExitStack() as held:
        for _ in range(12):  # three quarters of 16
            connection = held.enter_context(served.connect())
            connection.sendall(b"MEANBOT\n")
            assert connection.recv(100).startswith(b"MEANBOT ")
        for _ in range(20):
            with served.connect() as one_more:
                assert rest(one_more) == Refusal.TOO_MANY_CONNECTIONS.line
        other = held.enter_context(
            socket.create_connection(("127.0.0.1", served.port), PATIENCE, ("127.0.2.1", 0))
        )
        other.sendall(b"MEANBOT\n")
        assert other.recv(100).startswith(b"MEANBOT ")

        _, hard = resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, (5, hard))
        late = held.enter_context(
            socket.create_connection(("127.0.0.1", served.port), PATIENCE, ("127.0.3.1", 0))
        )
        late.sendall(b"MEANBOT\n")
        assert served.logged("no connection can be taken")["open"] == 13
        resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, (limit, hard))
        assert late.recv(100).startswith(b"MEANBOT ")
    code, events = served.end()
    assert code == 0
    assert [event["event"] for event in events] == ["ending", "ended"]


@pytest.mark.slow
def test_whoever_guesses_tokens_or_speaks_no_tls_does_not_fill_the_log(store: Path, tmp_path: Path) -> None:
    """The first wrong tokens of an address are logged each, then fewer and fewer of them."""
    certificate, key = certify(tmp_path, "first")
    served = Served(store, "--game", "nonsense")
    with ExitStack() as held:
        for _ in range(40):
            connection = held.enter_context(served.connect())
            connection.sendall(b"AUTH a guess of many\nMEANBOT\n")
        assert served.ask("MEANBOT\n").startswith("MEANBOT")
    code, events = served.end()
    assert code == 0
    assert [each["times"] for each in events if each["event"] == "wrong token"] == [*range(1, 9), 16, 32]
    assert [each["game"] for each in events if each["event"] == "no game of this name is known"] == [
        "nonsense"
    ]
    served = Served(store, "--tls-certificate", str(certificate), "--tls-key", str(key))
    with served.connect() as plain:
        plain.sendall(b"MEANBOT\n" * 100)
        rest(plain)
    assert [each["event"] for each in served.end()[1]] == ["ending", "ended"]


@pytest.mark.parametrize(
    ("settings", "warning"),
    [
        ({}, "anyone who reaches this address may ask"),
        ({"token_file": "token"}, "the token crosses the network in plain text"),
        ({"token_file": "token", "tls_certificate": "a.pem"}, ""),
    ],
)
def test_a_token_in_plain_text_beyond_this_machine_is_warned_of(
    settings: dict[str, str], warning: str, caplog: pytest.LogCaptureFixture
) -> None:
    """On loopback nobody listens."""
    with caplog.at_level(logging.WARNING, "equipoise"):
        for host in ("127.0.0.1", "::1", "192.0.2.7"):
            process._warn(Settings(store="sqlite:///a.db", **settings), host)
    assert [record.getMessage().startswith(warning) for record in caplog.records] == [True] * bool(warning)


def test_a_token_file_that_others_may_read_is_warned_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """With what helps."""
    token = tmp_path / "token"
    token.write_text(TOKEN, encoding="utf-8")
    for mode, times in ((0o600, 0), (0o640, 1)):
        token.chmod(mode)
        with caplog.at_level(logging.WARNING, "equipoise"):
            Settings(store="sqlite:///a.db", token_file=str(token)).warn()
        assert len(caplog.records) == times
    assert "chmod 600" in caplog.records[0].getMessage()
