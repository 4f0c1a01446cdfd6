"""Lobbies on a real IRC server: people type, teams and results follow; kills and floods do no harm."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.play.irc import Person, bot, is_there, ngircd, with_accounts
from benchmarks.ports import free_port

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        is_there("ngircd") is None, reason="ngircd is not installed: scripts/install-test-servers installs it"
    ),
]


@pytest.fixture(autouse=True)
def nobody_stays() -> Iterator[None]:
    """Let everyone leave at the end."""
    yield
    while Person.everyone:
        Person.everyone.pop().close()


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """Return the port of an IRC server."""
    chosen = free_port()
    with ngircd(tmp_path / "ngircd", chosen):
        yield chosen


def players(store: Path) -> Any:
    """Return the ratings of an archive."""
    command = [sys.executable, "-m", "equipoise", "players", "--store", f"sqlite:///{store}", "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["players"]


def test_a_game_from_add_to_rank(port: int, tmp_path: Path) -> None:
    """Four people, teams, a report, the confirmation, the rank, why, and undo by both sides."""
    with bot(port, tmp_path / "a.db", "--lobby", "two=2v2"):
        people = {nick: Person(port, nick) for nick in ("ann", "bob", "cid", "dan")}
        for person in people.values():
            person.say("!add two")
        people["ann"].expect("type !ready")
        for person in people.values():
            person.say("!ready")
        line = people["ann"].expect("| blue: ")
        red = line.partition("red: ")[2].partition(" |")[0].split(", ")
        blue = line.partition("blue: ")[2].partition(" (")[0].split(", ")
        assert sorted(red + blue) == ["ann", "bob", "cid", "dan"]
        for nick in red:
            people[nick].say("!yes")
        people[blue[0]].say("!yes")
        people["ann"].expect("play: red")
        people[red[0]].say("!report won")
        people["ann"].expect("reports: red won")
        people[blue[0]].say("!confirm")
        people["ann"].expect("red won; it counts")
        people[red[1]].say(f"!rank {red[0]}", "!why")  # who has said least so far, and is not too fast
        assert "of 4 with" in people["ann"].expect("is number")
        people["ann"].expect("by the ratings red")
        assert len(players(tmp_path / "a.db")) == 4
        people[red[0]].say("!undo")
        people["ann"].expect("wants pickup-two")
        people[blue[0]].say("!undo")
        people["ann"].expect("no longer counts")
    assert players(tmp_path / "a.db") == []


def test_killed_it_goes_on_and_says_nothing_twice(port: int, tmp_path: Path) -> None:
    """Who waited still waits; a report that was kept counts once."""
    store = tmp_path / "a.db"
    with bot(port, store, "--lobby", "duel=1v1") as process:
        ann, bob = Person(port, "ann"), Person(port, "bob")
        ann.say("!add")
        ann.expect("1 of 2")
        process.send_signal(signal.SIGKILL)
        process.wait()
    with bot(port, store, "--lobby", "duel=1v1") as process:
        bob.say("!add")
        bob.expect("type !ready")
        ann.say("!ready")
        bob.say("!ready")
        bob.expect("| blue: ")
        ann.say("!yes")
        bob.say("!yes")
        bob.expect("play: ")
        ann.say("!report won")
        bob.expect("reports: ")
        process.send_signal(signal.SIGKILL)
        process.wait()
    with bot(port, store, "--lobby", "duel=1v1"):
        bob.say("!confirm")
        bob.expect("it counts")
        bob.say("!confirm", "!status")
        bob.expect("duel: 0 of 2")
    assert sum("type !ready" in line for line in bob.heard) == 1
    assert sum("it counts" in line for line in bob.heard) == 1
    assert len(players(store)) == 2


def test_the_server_may_end_and_begin_again(tmp_path: Path) -> None:
    """The connection is made again, and nobody who is in the channel again has to add again."""
    port = free_port()
    with (
        ngircd(tmp_path / "one", port) as server,
        bot(port, tmp_path / "a.db", "--lobby", "duel=1v1") as process,
    ):
        Person(port, "ann").say("!status")
        server.kill()
        server.wait()
        with ngircd(tmp_path / "two", port):
            assert process.stdout is not None
            assert "in #pug" in process.stdout.readline()
            ann = Person(port, "ann")
            ann.say("!status")
            ann.expect("duel: 0 of 2")


def test_a_nick_is_followed_and_cannot_be_taken_over(port: int, tmp_path: Path) -> None:
    """Who changes nick keeps the place; who takes the old nick is somebody else."""
    with bot(port, tmp_path / "a.db", "--lobby", "duel=1v1"):
        ann, eve = Person(port, "ann"), Person(port, "eve")
        ann.say("!add")
        ann.expect("1 of 2")
        ann.raw("NICK ann2")
        ann.expect("NICK")
        eve.raw("NICK ann")
        eve.expect("NICK")
        ann.say("!add")
        ann.expect("you wait in duel already")
        eve.say("!leave")
        eve.expect("you wait nowhere")


def test_hostile_text_and_floods_do_no_harm(port: int, tmp_path: Path) -> None:
    """Control signs, long lines, other commands; one who floods is ignored, and others are answered."""
    with bot(port, tmp_path / "a.db", "--lobby", "duel=1v1"):
        ann, eve = Person(port, "ann"), Person(port, "eve")
        eve.say(
            "!add \x01ACTION\x02 \u202e",
            "!" + "x" * 400,
            "!rank \x00"[:-1],
            "!report nan inf",
            "!",
            "\x01VERSION\x01",
        )
        eve.say(*("!status" for _ in range(60)))
        ann.say("!add")
        ann.expect("1 of 2")
        assert sum("duel: 0 of 2" in line for line in ann.heard) <= 8
        eve.expect("too fast")


def test_tls_is_checked(tmp_path: Path) -> None:
    """With the authority of the server it connects."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl is not installed, which makes certificates")
    with tempfile.TemporaryDirectory() as folder:  # the server reads it as somebody else
        os.chmod(folder, 0o755)  # noqa: S103
        key, certificate = f"{folder}/key.pem", f"{folder}/cert.pem"
        subprocess.run(
            [program, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
             "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
            capture_output=True, check=True,
        )  # fmt: skip
        os.chmod(key, 0o644)
        port, plain = free_port(), free_port()
        tls = f"[SSL]\nCertFile = {certificate}\nKeyFile = {key}\nPorts = {port}\n"
        with ngircd(tmp_path / "ngircd", plain, tls):
            ann = Person(plain, "ann")
            with bot(port, tmp_path / "a.db", "--tls", "--tls-ca", certificate):
                ann.say("!status")
                ann.expect("game: 0 of 10")
            command = [
                sys.executable, "-m", "equipoise", "pickup", "--irc", f"127.0.0.1:{port}", "--tls",
                "--channel", "#pug", "--store", f"sqlite:///{tmp_path / 'b.db'}",
            ]  # fmt: skip
            process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
            assert process.stderr is not None
            assert "certificate" in process.stderr.readline().lower()
            process.kill()
            process.communicate()


@pytest.mark.skipif(
    is_there("inspircd") is None or is_there("atheme-services") is None,
    reason="inspircd and atheme-services are not installed: scripts/install-test-servers installs them",
)
def test_people_are_known_by_their_accounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is logged in is the same under any nick; a nick alone is nobody's account; we log in too."""
    port = free_port()
    with with_accounts(port):
        ann, eve = Person(port, "ann"), Person(port, "eve")
        for person, name in ((ann, "ann"), (eve, "pugbot")):
            person.raw(f"NICK {name}")
            give_up = 40
            while True:  # the services may still be on their way
                person.raw("PRIVMSG NickServ :REGISTER secret x@x.test")
                reported = person.expect(" 900 ", " 401 ")
                give_up -= 1
                if " 401 " not in reported:
                    break
                assert give_up
                person.raw("PING wait")
                person.expect("PONG")
                time.sleep(0.25)
        eve.raw("NICK eve")
        monkeypatch.setenv("EQUIPOISE_IRC_PASSWORD", "secret")
        with bot(port, tmp_path / "a.db", "--lobby", "duel=1v1", "--nick", "pug", "--account", "pugbot"):
            ann.say("!add")
            ann.expect("1 of 2")
            ann.raw("NICK other")
            ann.expect("NICK")
            ann.say("!add")
            ann.expect("you wait in duel already")
            zed = Person(port, "ann")
            zed.say("!leave")
            zed.expect("you wait nowhere")
            ann.raw("WHOIS pug")
            assert "pugbot" in ann.expect(" 330 ", " 318 ")
