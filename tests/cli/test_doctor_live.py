"""``equipoise doctor --live``: a game server's console, command by command."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.cli.running import runner
from tests.games.fake_streams import FakeEcon, FakeSource

from equipoise.cli.doctor import command

PASSWORD = "secret"  # noqa: S105 -- of a fake, on loopback


@contextmanager
def served(server: FakeSource | FakeEcon) -> Iterator[int]:
    """Give the port at which a server's end of a console listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    link, _ = listening.accept()
                    with link:
                        link.sendall(server.connected())
                        while data := link.recv(4096):
                            link.sendall(server.receive(data))

        threading.Thread(target=serve, daemon=True).start()
        yield listening.getsockname()[1]


def tried(
    folder: Path, game: str, port: int, *more: str, password: str = PASSWORD
) -> tuple[int, dict[str, str]]:
    """Return the exit code, and what was found with its fix."""
    (folder / "password").write_text(f"{password}\n", encoding="ascii")
    flags = ["--live", "--game", game, "--rcon", f"127.0.0.1:{port}", "--rcon-password-file"]
    result = runner().invoke(command, ["--json", *flags, str(folder / "password"), *more])
    assert result.stdout, result.output
    return result.exit_code, {each["what"]: each["fix"] for each in json.loads(result.stdout)["findings"]}


def test_each_command_is_tried_and_none_is_carried_out(tmp_path: Path) -> None:
    """By its name alone, but for the list of who is there."""
    done: list[str] = []
    known = ("status", "mp_autoteambalance", "say", "sm_setteam")

    def carry_out(line: str) -> str:
        done.append(line)
        if line == "status":
            return "hostname: x\nplayers : 0 humans\n"
        return "" if line in known else f'Unknown command "{line}"'

    with served(FakeSource(PASSWORD, carry_out)) as port:
        code, found = tried(tmp_path, "tf2", port)
        assert code == 0
        assert any("'sm_setteam' (moves players) is known" in what for what in found)
        assert set(done) == set(known)
        code, found = tried(tmp_path, "tf2", port, "--move", "sm_other #{slot} {team}")
        assert code == 1
        (fix,) = [fix for what, fix in found.items() if "'sm_other' (moves players) is not known" in what]
        assert "suggests moves in the chat" in fix


def test_a_server_of_another_game_and_a_wrong_password_are_said(tmp_path: Path) -> None:
    """With what helps."""
    with served(FakeEcon(PASSWORD, lambda line: f"[20:14:07][Console]: No such command: {line}.")) as port:
        code, found = tried(tmp_path, "teeworlds", port)
        assert code == 1
        assert any("'status'" in what and "--game" in fix for what, fix in found.items())
        code, found = tried(tmp_path, "teeworlds", port, password="wrong")  # noqa: S106 -- of a fake
        assert code == 1
        (what,) = found
        assert what.endswith("refuses the password")


@pytest.mark.parametrize(
    "flags", [["--rcon", "127.0.0.1:1"], ["--live"], ["--live", "--rcon", "127.0.0.1:1"]]
)
def test_what_is_missing_is_said(flags: list[str]) -> None:
    """Flags of a console belong to ``--live``, and that needs a console with its password."""
    result = runner().invoke(command, flags)
    assert result.exit_code in (1, 2)
    assert "--" in f"{result.stderr}{result.exception}"
