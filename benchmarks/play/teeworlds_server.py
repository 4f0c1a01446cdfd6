"""A Teeworlds server of our own on loopback, and stock clients of it, each on a display of its own.

Debian's ``teeworlds-server``, ``teeworlds`` and ``xvfb`` (``scripts/install-test-servers``).  A client is the
program that people play with; what it is to do is pressed on its keyboard, through the X server's test
extension.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.ports import free_port

#: Where Debian puts them.
SERVER = shutil.which("teeworlds-server") or "/usr/games/teeworlds-server"
CLIENT = shutil.which("teeworlds") or "/usr/games/teeworlds"
DISPLAY = shutil.which("Xvfb") or "/usr/bin/Xvfb"

#: What keys of a client do.
KEYS = {"k": "kill", "c": "say !teams", "y": "say !why", "r": "team 0", "b": "team 1"}

#: Seconds after which something that does not come is given up.
PATIENCE = 60.0


def missing() -> str:
    """Return why there is no server with clients here; empty where there is one."""
    if not Path(SERVER).exists():
        return "teeworlds-server is not installed; scripts/install-test-servers does it"
    if not (Path(CLIENT).exists() and Path(DISPLAY).exists()):
        return "the client of Teeworlds or Xvfb is not installed; scripts/install-test-servers does it"
    if not (ctypes.util.find_library("X11") and ctypes.util.find_library("Xtst")):
        return "libX11 and libXtst, which press keys, are not installed"
    return ""


@dataclass
class Teeworlds:
    """A server."""

    folder: Path
    kind: str = "tdm"
    password: str = "loopback-only"  # noqa: S105 -- a server of our own, on loopback
    minutes: int = 1
    port: int = field(default_factory=free_port)
    econ: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        """What it prints."""
        return self.folder / "teeworlds.log"

    def start(self) -> None:
        """Begin it, and wait until its console answers."""
        settings = (
            f"bindaddr 127.0.0.1; sv_port {self.port}; ec_port {self.econ}; ec_password {self.password}; "
            f"ec_output_level 2; console_output_level 2; sv_register 0; sv_gametype {self.kind}; "
            f"sv_map ctf1; sv_timelimit {self.minutes}; sv_scorelimit 0; sv_max_clients_per_ip 16; "
            "sv_inactivekick_time 0; sv_spamprotection 0; conn_timeout 60"
        )
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                [SERVER, settings], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                env={**os.environ, "HOME": str(self.folder)}, cwd=self.folder,
            )  # fmt: skip
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", self.econ), 1.0).close()
            except OSError:
                time.sleep(0.05)
            else:
                return
        msg = "the server does not answer"
        raise RuntimeError(msg)

    def type(self, *lines: str) -> None:
        """Give commands by the external console, as an admin would."""
        with socket.create_connection(("127.0.0.1", self.econ), 5.0) as link:
            link.recv(4096)
            link.sendall(f"{self.password}\n".encode())
            link.recv(4096)
            link.sendall("".join(f"{line}\n" for line in lines).encode())
            time.sleep(0.2)

    def kill(self) -> None:
        """End it without asking."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@dataclass
class StockClient:
    """A client: the program, the display it draws on, and its keyboard."""

    name: str
    folder: Path
    port: int
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    display: str = ""
    _keyboard: int | None = None

    def start(self) -> None:
        """Begin the display and the client, which connects."""
        home = self.folder / self.name
        home.mkdir(parents=True, exist_ok=True)
        read, write = os.pipe()
        shown = subprocess.Popen(
            [DISPLAY, "-displayfd", str(write), "-screen", "0", "320x240x16", "-nolisten", "tcp"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=[write],
        )  # fmt: skip
        self.processes.append(shown)
        os.close(write)
        with os.fdopen(read, "rb") as number:
            self.display = f":{int(number.readline())}"
        binds = "; ".join(f"bind {key} {command}" for key, command in KEYS.items())
        settings = (
            f"player_name {self.name}; gfx_screen_width 320; gfx_screen_height 240; gfx_fullscreen 0; "
            "gfx_borderless 0; snd_enable 0; gfx_limitfps 1; gfx_maxfps 10; gfx_vsync 0; "
            "gfx_use_x11xrandr_wm 0; conn_timeout 60; cl_cpu_throttle 50; cl_show_welcome 0; "
            f"{binds}; connect 127.0.0.1:{self.port}"
        )
        with (home / "output").open("ab") as output:
            client = subprocess.Popen(
                [CLIENT, settings], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                env={**os.environ, "HOME": str(home), "DISPLAY": self.display, "SDL_AUDIODRIVER": "dummy",
                     "XDG_RUNTIME_DIR": str(home)},
                cwd=home,
            )  # fmt: skip
        self.processes.append(client)

    def press(self, key: str) -> None:
        """Press a key for a moment."""
        x11 = ctypes.CDLL(ctypes.util.find_library("X11"))
        test = ctypes.CDLL(ctypes.util.find_library("Xtst"))
        x11.XOpenDisplay.restype = ctypes.c_void_p
        if self._keyboard is None:
            self._keyboard = x11.XOpenDisplay(self.display.encode())
        if not self._keyboard:
            return
        keyboard = ctypes.c_void_p(self._keyboard)
        code = x11.XKeysymToKeycode(keyboard, ctypes.c_ulong(ord(key)))
        for pressed in (1, 0):
            test.XTestFakeKeyEvent(keyboard, code, pressed, 0)
            x11.XFlush(keyboard)
            time.sleep(0.15)

    def kill(self) -> None:
        """End it without a goodbye: the server notices by itself, after a while."""
        if self._keyboard:
            x11 = ctypes.CDLL(ctypes.util.find_library("X11"))
            x11.XCloseDisplay(ctypes.c_void_p(self._keyboard))
        self._keyboard = None
        for process in reversed(self.processes):
            process.kill()
            process.wait()
        self.processes.clear()

    def leave(self) -> None:
        """End it as people do, who say so to the server."""
        if len(self.processes) > 1:
            self.processes[1].terminate()
            try:
                self.processes[1].wait(3.0)
            except subprocess.TimeoutExpired:
                self.processes[1].kill()
        self.kill()
