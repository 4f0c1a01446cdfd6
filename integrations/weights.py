"""Ask an equipoise weight server, as docs/protocol.md describes.  Standard library only: copy this file."""

import re
import socket


class Weights:
    """One game: ``Weights("127.0.0.1", 7790, "ctf").weight("PLAYER", "a1b2")``; a seat is "0 PLAYER a1b2"."""

    def __init__(self, host, port, game_type, mutators=(), seconds=15.0):
        with socket.create_connection((host, port), timeout=seconds) as connection:
            self._lines = connection.makefile("rwb", buffering=0)
        self.close = self._lines.close
        for line in (f"GAME {game_type}", *(f"MUTATOR {name}" for name in mutators)):
            self.ask(line, silent=True)

    def weight(self, kind, name):  # kind is "PLAYER" or "BOT"; None where nobody is known by this name
        return float(rest) if (rest := self.ask(f"{kind} {name}")[len(f"{kind} {name}") :].strip()) else None

    def mean_bot(self):  # the mean weight of all bots, and how many they are
        return tuple(map(float, self.ask("MEANBOT").split()[1:]))

    def divide(self, teams, *members):  # ("0", "PLAYER id") for all who were named, or members or seats
        return [tuple(seat.split(" ", 1)) for seat in self.ask(f"TEAMS {teams}", *members).split("\t")[1:]]

    def join(self, player, *seats):  # the team, from 0, for someone who comes late
        return int(self.ask(f"JOIN {player}", *seats).rpartition(" ")[2])

    def report(self, token, match, scores, *seats):  # whether a game that has ended was new
        result = (f"RESULT {match}", " ".join(f"{float(each):.9f}" for each in scores), *seats)
        return self.ask(f"AUTH {token}") == "AUTH ok" and self.ask(*result).endswith(" new")

    def ask(self, *fields, silent=False):  # the answer to a line, its fields parted by tabs
        if re.search(r"[\0-\x1f\x7f]|^(GAME|MUTATOR) (.{201,})?$", "".join(fields)):
            raise ValueError("names have 1 to 200 characters, no control characters", fields)  # noqa: EM101 -- short
        self._lines.write("\t".join(fields).encode() + b"\n")
        answer = "silent" if silent else self._lines.readline().decode().removesuffix("\n")
        if not answer or answer.startswith("ERR "):
            raise ConnectionError(answer or "the server has closed the connection")
        return answer
