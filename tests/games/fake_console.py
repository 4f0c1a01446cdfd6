"""A game server's end of a remote console, for tests: bytes in, bytes out, as strict as the real one."""

from __future__ import annotations

from collections.abc import Callable

from equipoise.games.rcon import OUT_OF_BAND, QUAKE3, Dialect

#: How many packets a Quake 3 server takes at once, and then each second.
BURST, PER_SECOND = 10.0, 1.0

#: Longest packet of an answer, and most words of a batch.
LONGEST, MOST = 1000, 1000


class FakeConsole:
    r"""Answers packets as a server does: with a bucket, variables, and answers in pieces.

    Parameters
    ----------
    password : str
        The console's password.
    carry_out : callable
        Takes one command, returns what it prints.
    dialect : Dialect
        Whose console it is.
    limited : bool
        Whether packets beyond the bucket are dropped.

    Examples
    --------
    >>> fake = FakeConsole("secret", str.upper)
    >>> fake.receive(b"\xff\xff\xff\xffrcon secret status", 0.0)
    [b'\xff\xff\xff\xffprint\nSTATUS']
    """

    def __init__(
        self,
        password: str,
        carry_out: Callable[[str], str],
        dialect: Dialect = QUAKE3,
        *,
        limited: bool = True,
    ) -> None:
        self._start = OUT_OF_BAND + b"rcon " + password.encode() + b" "
        self._carry_out, self._dialect, self._limited = carry_out, dialect, limited
        self._tokens, self._filled = BURST, 0.0
        self.variables: dict[str, str] = {}
        self.aliases: dict[str, str] = {}
        self.dropped = 0

    def receive(self, packet: bytes, now: float) -> list[bytes]:
        """Return the answer to a packet; nothing where it is dropped."""
        if self._limited and not self._spend(now):
            self.dropped += 1
            return []
        start = OUT_OF_BAND + self._dialect.prefix
        if not packet.startswith(self._start):
            return [start + b"Bad rconpassword.\n"] if packet.startswith(OUT_OF_BAND + b"rcon ") else []
        text = self._run(packet[len(self._start) :].decode("latin-1"), reply=True).encode(
            "latin-1", "replace"
        )
        pieces = [text[n : n + LONGEST] for n in range(0, len(text), LONGEST)] or [b""]
        return [start + piece for piece in pieces]

    def _run(self, line: str, *, reply: bool) -> str:
        """Carry out one command; what was put aside is carried out later, so that it prints nothing here."""
        words = line.split(" ", 2)
        kept: dict[str, str]
        if words[0] in ("set", "alias") and len(words) == 3:
            kept = self.aliases if words[0] == "alias" else self.variables
            kept[words[1]] = words[2].removeprefix('"').removesuffix('"')
        elif words[0] == "unalias":
            self.aliases.pop(words[1], None)
        elif words[0] == "vstr" and len(words) == 2:
            self._run_all(self.variables.get(words[1], ""))
        elif line in self.aliases or line.startswith("eq_"):
            self._run_all(self.aliases.get(line, ""))
        elif line == QUAKE3.progress:
            kept = {name: value for name, value in self.variables.items() if name.startswith("eq_")}
            rows = "".join(f'        ? {name} "{value}"\n' for name, value in kept.items())
            return f"{rows}\n{len(kept)} total cvars\n" if reply else ""
        else:
            answer = self._carry_out(line)
            return answer if reply else ""
        return ""

    def _run_all(self, commands: str) -> None:
        for command in [part.strip() for part in commands.split(";")][:MOST]:
            if command and not command.startswith("wait"):
                self._run(command, reply=False)

    def _spend(self, now: float) -> bool:
        self._tokens = min(self._tokens + max(now - self._filled, 0.0) * PER_SECOND, BURST)
        self._filled = now
        if self._tokens < 1.0:
            return False
        self._tokens -= 1.0
        return True
