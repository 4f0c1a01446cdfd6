"""A game server's remote console on loopback, for benchmarks that start the server themselves."""

from __future__ import annotations

import socket

from equipoise.games.rcon import OUT_OF_BAND, Dialect

LOOPBACK = "127.0.0.1"


def free_port() -> int:
    """Return a port of UDP that nobody listens on."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def ask_console(port: int, password: str, command: str, dialect: Dialect, seconds: float) -> str:
    """Ask once, without regard to the console's limits; empty where nothing comes."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.settimeout(seconds)
        link.sendto(OUT_OF_BAND + f"rcon {password} {command}".encode(), (LOOPBACK, port))
        text = b""
        try:
            while True:
                text += link.recv(65536).removeprefix(OUT_OF_BAND + dialect.prefix)
                link.settimeout(0.1)
        except (TimeoutError, ConnectionError):
            return text.decode("latin-1")
