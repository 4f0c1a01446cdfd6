"""Ask an equipoise weight server, as docs/protocol.md describes.  Standard library only: copy this file."""

import socket


class Weights:
    """One conversation about one game: ``Weights("127.0.0.1", 7790, "ctf").weight("PLAYER", "a1b2")``."""

    def __init__(self, host, port, game_type, mutators=(), seconds=5.0):
        with socket.create_connection((host, port), timeout=seconds) as connection:
            self._lines = connection.makefile("rwb")
        self._send(f"GAME {game_type}", *(f"MUTATOR {name}" for name in mutators))

    def weight(self, kind, name):
        """Return the weight of a ``"PLAYER"`` or ``"BOT"``, None where it is not known."""
        said = self.ask(f"{kind} {name}").removeprefix(f"{kind} {name}").strip()
        return float(said) if said else None

    def mean_bot(self):
        """Return the mean weight of all bots, and how many they are."""
        return tuple(map(float, self.ask("MEANBOT").split()[1:]))

    def divide(self, teams):
        """Return ``("0", "PLAYER id")`` for everyone whose weight was asked for, teams counted from 0."""
        return [tuple(seat.split(" ", 1)) for seat in self.ask(f"TEAMS {teams}").split("\t")[1:]]

    def ask(self, line):
        """Send a line; return its answer."""
        self._send(line)
        answer = self._lines.readline().decode().removesuffix("\n")
        if not answer or answer.startswith("ERR "):
            raise ConnectionError(answer or "the server has closed the connection")
        return answer

    def _send(self, *lines):
        self._lines.write("".join(f"{line}\n" for line in lines).encode())
        self._lines.flush()

    def close(self):
        self._lines.close()
