r"""``quake3``: servers of the Quake 3 family: ``games.log`` with times, and console output without.

A line is ``mmm:ss Kind: rest``; a game begins with ``InitGame`` and has a result when ``Exit`` is followed by
``red:n  blue:m`` or by a ``score:`` for everybody who plays.  Nothing after that is needed, so a result is
certain the moment it is read.  What the lines mean is in :mod:`equipoise.games.quake3.match_lines`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from equipoise.core.rulesets import GameRules
from equipoise.games.log_reader import Block, GameReader, Lines
from equipoise.games.quake3.joined_names import JoinedNames
from equipoise.games.quake3.match_lines import LINES, ClientInfo, Quake3Game
from equipoise.games.quake3.rulesets import RULES, URBAN_TERROR, ServerSetup, game_of, settings_of, setup_of

#: Lines that matter, with and without a time.  All others are passed over as fast as they can be: that is why
#: the line feed before a line stands here, the time is never tried twice, and first letters are looked at.
LINE = re.compile(
    rb"\n(?: *+(\d{1,7}+):(\d\d)(?:\.\d+)? )?+(?=[KCEFISRWrsABP][ilTLnhxecauors][loFIiutdrmaeps])"
    rb"(?:(?:Kill|Freeze): (\d{1,9}) (\d{1,9}) \d{1,9}:"
    rb"|((?:Client(?:UserinfoChanged|Userinfo|Begin|Disconnect)|Kill|InitGame|ShutdownGame|Exit|red|score"
    rb"|CTF(?:_ELIMINATION)?|ELIMINATION|Warmup|InitRound|SurvivorWinner|AssassinWinner|Flag)(?=:)"
    rb"|Bomb(?= )|Pop!):?([^\n]*))"
)

#: How many such lines show that a log without a beginning is one of these.
ENOUGH_LINES = 3

#: How the death ends that a change of teams logs.
SUICIDE = b"MOD_SUICIDE"

#: How the death ends that is none: Urban Terror's of one who changes teams.
NO_DEATH = b"MOD_CHANGE_TEAM"

#: Lines about clients and settings that are kept in mind, since servers repeat them.
MOST_KEPT = 1000

#: The date of a game among its settings.
STAMP = re.compile(rb"\\g_timestamp\\([^\\\r]*)")

#: Lines that give the result after the end.
RESULTS = (b"red", b"score")

#: The message for a game without a result.
NO_RESULT = "it ends without a result"


class Quake3:
    """The Quake 3 family, see :class:`equipoise.games.log_reader.Game`."""

    name = "quake3"
    server = "a Quake 3 server or one of its family"

    def __init__(self, custom: Mapping[str, frozenset[str]] | None = None) -> None:
        #: From a game of the family to settings that count as changing play there.
        self._custom = custom

    def with_mutators(self, custom: Mapping[str, frozenset[str]]) -> Quake3:
        """Return the same family where more settings count as changing play."""
        return Quake3(custom)

    def recognise(self, head: bytes) -> str:
        """Tell by the beginning of a game, or by some lines of one."""
        lines = 0
        for line in LINE.finditer(b"\n" + head):
            if line[5] == b"InitGame" and line[6].lstrip().startswith(b"\\"):
                own = game_of(settings_of(line[6])) == URBAN_TERROR  # which is a game of its own
                return "" if own else "a line 'InitGame: \\...'"
            lines += line[1] is not None
            if lines == ENOUGH_LINES:
                return "lines such as '0:54 Kill: ...'"
        return ""

    def reader(self, source: str, first_line: int = 1) -> Quake3Reader:
        """Return a reader for a log."""
        return Quake3Reader(source, first_line, self._custom)

    def rules(self) -> tuple[GameRules, ...]:
        """Return the tables of the games of the family."""
        return RULES


class Quake3Reader(GameReader[Quake3Game]):
    """Reads one log, see :class:`equipoise.games.log_reader.Reader`."""

    def __init__(
        self, source: str, first_line: int = 1, custom: Mapping[str, frozenset[str]] | None = None
    ) -> None:
        super().__init__(source, first_line)
        self.lines = Lines(first_line, JoinedNames())
        self._custom = custom
        self._clients: dict[bytes, ClientInfo | None] = {}
        self._setups: dict[bytes, ServerSetup] = {}

    def give_up(self, reason: str) -> None:
        """Tell why the running game does not count; a warm-up is none."""
        warm_up = self.game is not None and self.game.warm_up
        super().give_up("it was a warm-up" if warm_up else reason)

    def take(self, block: Block) -> None:
        """Go through the lines that matter; whatever is in a game is part of its identity."""
        content = block.content
        covered = 0
        for line in LINE.finditer(b"\n" + content):
            game = self.game
            if game is None and line[5] != b"InitGame":
                continue
            minutes, seconds, killer, victim, kind, _ = line.groups()
            if game is None or kind == b"InitGame":
                self._ends(content[covered : line.start()])
                covered = line.start()
                self._begin(block, line)
            elif minutes is None and game.timed:
                self.skip(block.line_at(line.start()), "it has no time, in a log with times")
            elif victim is not None and not game.exited:
                odd = killer == victim or minutes is None
                if not (odd and self._odd_kill(game, content, line)):
                    game.play.kill(killer, victim)
            else:
                if minutes is not None:
                    game.tick(60 * int(minutes) + int(seconds))
                end = self._take(game, block, line)
                if end is not None:
                    self._ends(content[covered:end])
        if self.game is not None:
            self.game.cover(content[covered:])

    def _begin(self, block: Block, line: re.Match[bytes]) -> None:
        where = self.begins(block, line.start())
        start = None if line[1] is None else 60 * int(line[1]) + int(line[2])
        info: bytes = line[6]
        stamp = STAMP.search(info)
        if stamp is not None:
            info = info[: stamp.start()] + info[stamp.end() :]
        for kept in (self._setups, self._clients):
            if len(kept) > MOST_KEPT:
                kept.clear()
        if info not in self._setups:
            self._setups[info] = setup_of(info, self._custom)
        self.game = Quake3Game(self._setups[info], stamp[1].decode("latin-1") if stamp else "", start, where)

    def _ends(self, content: bytes) -> None:
        """Let a game end, if one runs; some last lines of it are part of its identity."""
        game = self.game
        if game is None or not game.has_result():
            self.give_up(NO_RESULT)
            return
        game.cover(content)
        self.give(game.outcome())
        self.game = None

    def _odd_kill(self, game: Quake3Game, content: bytes, line: re.Match[bytes]) -> bool:
        """Take a kill that is the clock of a log without times, or a suicide; tell whether it is none."""
        minutes, seconds, killer, victim = line.group(1, 2, 3, 4)
        if minutes is None:
            game.play.clock += 1.0
        if killer == victim:
            if minutes is not None:
                game.tick(60 * int(minutes) + int(seconds))
            text = content[line.end() - 1 : content.find(b"\n", line.end() - 1)]
            if text.rstrip().endswith(SUICIDE):
                game.fell(victim)
            return text.rstrip().endswith(NO_DEATH)
        return False

    def _take(self, game: Quake3Game, block: Block, line: re.Match[bytes]) -> int | None:
        """Take a line that is no kill; return where in the block the game ends with it, if it does."""
        kind, rest = line.group(5, 6)
        if kind == b"ShutdownGame":
            return line.start()
        if (
            game.exited
            and kind not in RESULTS
            and not (game.urban and kind == b"Flag" and not game.has_result())
        ):
            if not game.has_result() or not game.may_go_on():
                return line.start() if game.has_result() else None
            if kind is None:
                return None
        wrong = self._line(game, kind, rest)
        if wrong:
            self.skip(block.line_at(line.start()), wrong)
        return line.end() if game.exited and game.is_complete() else None

    def _line(self, game: Quake3Game, kind: bytes, rest: bytes) -> str | None:
        """Take a line; return what is wrong with it."""
        known = LINES.get(kind)
        if known is not None:
            return known(game, rest)
        if kind == b"ClientUserinfoChanged":
            client = self._clients.get(rest)
            if client is None:
                client = self._clients[rest] = ClientInfo.of(rest)
            if client is None:
                return "a ClientUserinfoChanged without client, name and team"
            game.info(client)
        elif kind == b"Exit":
            game.exited = True
        elif kind == b"Warmup":
            game.warm()
        else:
            return "a Kill without killer, victim and weapon"
        return None


#: The game.
GAME = Quake3()
