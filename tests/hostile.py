"""Names that people have given themselves, or could, to make a server do what nobody asked it to."""

from __future__ import annotations

#: Names, as a log or a list of players may hold them.
NAMES = (
    "", " ", "  0 R 0   Unknown Player (*)   p01", '"; quit; "', "x;quit", "x; wait 6; kick all",
    "%d", "'", '"',
    "$rconPassword", "\\t\\1\\n\\x", "^1red^7; exec evil", "a\nquit", "a\rquit", "a\x00quit", "\x1b[2J",
    "%s%s%n", "`reboot`", "$(reboot)", "../../etc/passwd", "<script>alert(1)</script>", "!teams", "console",
    "!listplayers: 0 players", "0", "-1", "1e9", "NaN", "None", "red", "blue", "spectator", "all", "allbots",
    "\u202eder", "é" * 30, "x" * 5000, "name:ann", "bot:Sarge:5", "#2", "a#2", "ClientDisconnect: 0",
    "0:00 Exit: Fraglimit hit.",
)  # fmt: skip
