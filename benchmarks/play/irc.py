"""IRC for tests and benchmarks: real servers, the pick-up bot as a process, and people who type."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from benchmarks.ports import free_port

#: Seconds after which a test gives up on something to be said.
PATIENCE = 90.0

NGIRCD = """[Global]
Name = irc.test
Info = test
Listen = 127.0.0.1
Ports = {port}
{user}
[Limits]
MaxConnectionsIP = 0
MaxConnections = 0
MaxNickLength = 20
MaxPenaltyTime = 0
[Options]
DNS = no
Ident = no
PAM = no
{tls}
"""


def is_there(program: str) -> str | None:
    """Return the path of a server's program, None where it is not installed."""
    return shutil.which(program) or shutil.which(program, path="/usr/sbin:/usr/bin")


@contextmanager
def started(command: list[str], port: int, **more: object) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server until the end of a block; it answers on a port when the block begins."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)  # type: ignore[call-overload]
    try:
        give_up = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1.0).close()
                break
            except OSError:
                assert process.poll() is None, "the server ended"
                assert time.monotonic() < give_up, "the server does not answer"
                time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def ngircd(folder: Path, port: int, tls: str = "") -> Iterator[subprocess.Popen[bytes]]:
    """Run ngircd on a port, as a user of few rights."""
    program = is_there("ngircd")
    assert program is not None
    folder.mkdir(parents=True, exist_ok=True)
    user = "ServerUID = 65534" if os.getuid() == 0 else ""
    (folder / "ngircd.conf").write_text(NGIRCD.format(port=port, user=user, tls=tls), encoding="utf-8")
    with started([program, "-n", "-f", str(folder / "ngircd.conf")], port) as process:
        yield process


class Person:
    """Somebody in a channel, who types and reads."""

    #: All there are, to be closed at the end of a test.
    everyone: ClassVar[list[Person]] = []

    def __init__(self, port: int, nick: str, channel: str = "#pug") -> None:
        self.nick, self.channel = nick, channel
        self._socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.everyone.append(self)
        self._rest = b""
        self.heard: list[str] = []
        self.raw(f"NICK {nick}", "USER person 0 * person")
        self.expect(" 376 ", " 422 ")
        self.raw(f"JOIN {channel}")
        self.expect(" 366 ")

    def raw(self, *lines: str) -> None:
        """Send lines as they are."""
        self._socket.sendall("".join(f"{line}\r\n" for line in lines).encode())

    def say(self, *texts: str) -> None:
        """Say something in the channel."""
        self.raw(*(f"PRIVMSG {self.channel} :{text}" for text in texts))

    def expect(self, *any_of: str) -> str:
        """Return the first line from now on that has one of these texts in it."""
        give_up = time.monotonic() + PATIENCE
        while True:
            while b"\n" in self._rest:
                raw, _, self._rest = self._rest.partition(b"\n")
                line = raw.decode("utf-8", "replace").rstrip("\r")
                self.heard.append(line)
                if line.startswith("PING"):
                    self.raw(f"PONG{line[4:]}")
                if any(text in line for text in any_of):
                    return line
            assert time.monotonic() < give_up, f"{self.nick} waited for {any_of}; heard: {self.heard[-12:]}"
            self._socket.settimeout(max(give_up - time.monotonic(), 0.01))
            try:
                data = self._socket.recv(65536)
            except TimeoutError:
                continue
            assert data, f"{self.nick} was disconnected; heard: {self.heard[-5:]}"
            self._rest += data

    def close(self) -> None:
        """Leave without a word."""
        self._socket.close()


@contextmanager
def bot(port: int, store: Path, *options: str, channel: str = "#pug") -> Iterator[subprocess.Popen[str]]:
    """Run the command until the end of a block; it is in the channel when the block begins."""
    command = [
        sys.executable, "-m", "equipoise", "pickup", "--irc", f"127.0.0.1:{port}", "--channel", channel,
        "--store", f"sqlite:///{store}", "--pace", "50", *options,
    ]  # fmt: skip
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8"
    )
    try:
        assert process.stdout is not None
        assert f"in {channel}" in process.stdout.readline()
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(PATIENCE)
        finally:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()


INSPIRCD = """<server name="irc.test" description="test" network="test">
<admin name="x" nick="x" email="x@x">
<bind address="127.0.0.1" port="{port}" type="clients">
<bind address="127.0.0.1" port="{link}" type="servers">
<connect allow="*" timeout="60" hardsendq="1M" softsendq="1M" recvq="64K" localmax="1000" globalmax="1000"
 limit="5000" commandrate="1000000" fakelag="no" threshold="10000">
<options casemapping="rfc1459">
<performance quietbursts="yes" nouserdns="yes">
<dns enabled="no" timeout="1">
<pid file="{folder}/pid">
<module name="cap"><module name="ircv3"><module name="ircv3_accounttag"><module name="ircv3_capnotify">
<module name="services_account"><module name="sasl"><module name="spanningtree"><module name="hideoper">
<link name="services.test" ipaddr="127.0.0.1" port="{link}" allowmask="127.0.0.0/8" sendpass="x" recvpass="x">
<uline server="services.test" silent="yes">
<sasl target="services.test" requiressl="no">
"""

ATHEME = """loadmodule "modules/protocol/inspircd";
loadmodule "modules/protocol/base36uid";
loadmodule "modules/backend/opensex";
loadmodule "modules/crypto/pbkdf2v2";
loadmodule "modules/nickserv/main";
loadmodule "modules/nickserv/register";
loadmodule "modules/nickserv/identify";
loadmodule "modules/saslserv/main";
loadmodule "modules/saslserv/plain";
serverinfo {{ name = "services.test"; desc = "services"; numeric = "00A"; recontime = 1; netname = "test";
  adminname = "x"; adminemail = "x@x.test"; registeremail = "x@x.test"; auth = none; mta = "/bin/true";
  loglevel = {{ error; info; }}; maxlogins = 50; maxusers = 0; mdlimit = 30; emaillimit = 1000;
  emailtime = 300; casemapping = rfc1459; }};
uplink "irc.test" {{ host = "127.0.0.1"; port = {link}; send_password = "x"; receive_password = "x"; }};
nickserv {{ nick = "NickServ"; user = "NickServ"; host = "services.test"; real = "x"; }};
saslserv {{ nick = "SaslServ"; user = "SaslServ"; host = "services.test"; real = "x"; }};
"""


@contextmanager
def with_accounts(port: int) -> Iterator[None]:
    """Run InspIRCd with Atheme's services on a port, as a user of few rights."""
    server, services, link = is_there("inspircd"), is_there("atheme-services"), free_port()
    assert server is not None
    assert services is not None
    with tempfile.TemporaryDirectory() as folder:
        rights: dict[str, object] = {}
        if os.getuid() == 0:
            os.chown(folder, 65534, 65534)
            rights = {"user": 65534, "group": 65534, "extra_groups": []}
        irc, at = Path(folder) / "inspircd.conf", Path(folder) / "atheme.conf"
        irc.write_text(INSPIRCD.format(port=port, link=link, folder=folder), encoding="utf-8")
        at.write_text(ATHEME.format(link=link), encoding="utf-8")
        command = [services, "-n", "-c", str(at), "-D", folder, "-l", f"{folder}/log", "-p", f"{folder}/at"]
        with (
            started([server, "--nofork", "--nolog", "--config", str(irc)], port, **rights),
            started(command, port, **rights),
        ):
            yield
