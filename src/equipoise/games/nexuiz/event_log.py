r"""Event logs of the Nexuiz family, as files with dates and within console output without.

An event is a line that begins with a colon, ``:kind:field:field``; in a file a line ``:time:date`` stands
before each.  A game begins with ``:gamestart:type_map:id`` and has a result with ``:end``, before which stand
the final scores.  The games of the family have their tables in :mod:`equipoise.games`.

On the console other lines begin with the name of a player, who may be called like an event; what a name is
followed by there has blanks, so an event with a blank where it has none is passed over.  An admin may ask for
the scores in mid game, which are printed like those of an end, after ``:status:``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from equipoise.core.dates import of_date
from equipoise.core.match import Contest, Match, Unfinished
from equipoise.core.rulesets import GameRules
from equipoise.games.log_reader import Block, GameReader
from equipoise.games.match_in_progress import ALONE, NAME, Play, bot_id, text_from

#: Events that matter; the line feed before a line stands here for speed.
LINE = re.compile(
    rb"\n:(gamestart|gameinfo:mutators:LIST|join|part|name|team|kill|ctf:capture|labels:teamscores|labels:player"
    rb"|teamscores:see-labels|player:see-labels|scores|status|restart|end|gameover|time)(?::([^\n]*))?(?=\r?\n|$)"
)
JOIN = re.compile(rb"(\d{1,9}):\d+:(bot|\d+\.\d+\.\d+\.\d+(?::\d+)?|\[[^\]]*\](?::\d+)?|[^:]*):([^\r]*)")
KILL = re.compile(rb"(\w+):(\d{1,9}):(\d{1,9})(?::\S*)?\s*$")
PAIR = re.compile(rb"(-?\w{1,9}):(\d{1,9})(?::\S*)?\s*$")
TEAM = re.compile(rb"(\d{1,9}):(-?\w{1,9})(?::\S*)?\s*$")
PLAYER = re.compile(rb"([^:]*):-?\d+(?:\.\d+)?:(-?\w{1,9}):(\d{1,9}):")
TEAM_SCORES = re.compile(rb"([^:]*):(\d{1,9})\s*$")
START = re.compile(rb"([a-z]+)_([^:]*):(\d{1,9})?(?:\.(\d{9,11})\.\d+)?[\d.]*\s*$")
STATUS = re.compile(rb"[a-z]+_[^:]*:\d+\s*$")
NUMBER = re.compile(rb"-?\d{1,9}(?:\.\d{1,6})?")
COLOUR = re.compile(r"\^(?:x[0-9a-fA-F]{3}|[0-9])")

#: Events that have nothing after them.
BARE = (b"restart", b"end", b"gameover")

#: How the names of bots begin.
BOT_MARK = "[BOT]"

#: How the column is marked in the labels that decides who has won.
PRIMARY = b"!!"

#: The message for a game without a result.
NO_RESULT = "it ends without a result"

#: Game types without kills or teams, whose result is a time.
RACES = ("race", "cts")

#: Game types whose result is the teams'.
TEAM_GAMES = (
    "tdm",
    "ctf",
    "domination",
    "elimination",
    "freezetag",
    "keyhunt",
    "assault",
    "onslaught",
    "nexball",
    "team-keepaway",
    "team-mayhem",
)

#: Game types in which everyone plays for themselves.
LONE_GAMES = ("ffa", "duel", "lms", "runematch", "arena", "keepaway", "mayhem", "survival")


class EventLogGame:
    """A game between its ``:gamestart:`` and its ``:end``.

    The methods that take the rest of a line return what is wrong with it, or None.
    """

    def __init__(
        self,
        rules: GameRules,
        game_type: str,
        map_name: str,
        number: int,
        date: float | None,
        where: str,
        local: str = "",
    ) -> None:
        from hashlib import sha256  # here, as it costs a cold start of those who read no log

        self.where, self.map, self.game_type = where, map_name, game_type
        self.rules = rules
        self.ruleset = rules.ruleset(game_type)
        self.dated = date is not None
        self.local = local
        #: The date of the last event; without dates the number of the game, which keeps games in order.
        self.at = float(number) if date is None else date
        self.began = self.at
        self.play = Play()
        self.hash = sha256()
        self.contests: list[Contest] = []
        self.columns = {b"teamscores": 0, b"player": 0}
        self.totals: dict[int, float] = {}
        self.scored = False

    def date(self, date: float) -> None:
        """Move the clock on; a date that runs backwards moves nothing."""
        if self.dated and date > self.at:
            self.play.clock += date - self.at
            self.at = date

    def mutators(self, rest: bytes) -> None:
        """``:gameinfo:mutators:LIST:name:name``."""
        names = [name for name in text_from(rest.strip()).split(":") if name]
        self.ruleset = self.rules.ruleset(self.game_type, names)

    def join(self, rest: bytes) -> str | None:
        """``:join:id:slot:bot|address:name``; where there are no teams everyone who joins plays."""
        fields = JOIN.match(rest)
        if fields is None:
            return "a join without id, address and name"
        name = text_from(fields[3])
        if fields[2] == b"bot":
            name = name.removeprefix(BOT_MARK)
            identity = bot_id(name, None)
        else:
            identity = NAME + (COLOUR.sub("", name) or name)
        self.play.arrive(fields[1], identity, name)
        if self.game_type not in TEAM_GAMES:
            self.play.place(fields[1], ALONE)
        return None

    def part(self, rest: bytes) -> None:
        """``:part:id``."""
        self.play.leave(rest.strip())

    def rename(self, rest: bytes) -> None:
        """``:name:id:name``; who is known by name stays who it was for this game."""
        number, _, name = rest.rstrip(b"\r").partition(b":")
        client = self.play.clients.get(number)
        if client is not None:
            client.person.name = text_from(name)

    def team(self, rest: bytes) -> str | None:
        """``:team:id:team``; anything but a number above 0 only watches."""
        fields = TEAM.match(rest)
        if fields is None:
            return "a team without id and team"
        if self.game_type in LONE_GAMES:
            return None
        self.play.place(fields[1], int(fields[2]) if fields[2].isdigit() and int(fields[2]) else None)
        return None

    def kill(self, rest: bytes) -> str | None:
        """``:kill:kind:killer:victim:...``."""
        fields = KILL.match(rest)
        if fields is None:
            return "a kill without kind, killer and victim"
        if not self.dated:
            self.play.clock += 1.0
        self.play.kill(fields[2], fields[3])
        return None

    def capture(self, rest: bytes) -> str | None:
        """``:ctf:capture:flag:id``: a capture is a contest of those present."""
        fields = PAIR.match(rest)
        if fields is None:
            return "a capture without flag and id"
        client = self.play.clients.get(fields[2])
        if client is not None and client.side:
            contest = self.play.moment(self.ruleset, client.side, self.at)
            if contest is not None:
                self.contests.append(contest)
        return None

    def labels(self, kind: bytes, rest: bytes) -> None:
        """``:labels:kind:label,label``: the deciding column is marked."""
        names = rest.split(b",")
        self.columns[kind] = next((n for n, name in enumerate(names) if PRIMARY in name), 0)

    def _score(self, kind: bytes, values: bytes) -> float | None:
        cells = values.split(b",")
        column = self.columns[kind]
        number = NUMBER.fullmatch(cells[column]) if column < len(cells) else None
        return float(number[0]) if number else None

    def team_scores(self, rest: bytes) -> str | None:
        """``:teamscores:see-labels:values:team``, without values where there is no such team."""
        fields = TEAM_SCORES.match(rest)
        if fields is None:
            return "teamscores without team"
        score = self._score(b"teamscores", fields[1])
        if score is not None:
            self.totals[int(fields[2])] = score
        return None

    def player(self, rest: bytes) -> str | None:
        """``:player:see-labels:values:seconds:team:id:name``."""
        fields = PLAYER.match(rest)
        if fields is None:
            return "a player without values, time, team and id"
        score = self._score(b"player", fields[1])
        if fields[2] == b"spectator":
            self.play.forget(fields[3])
        elif score is not None and fields[3] in self.play.clients:
            self.play.clients[fields[3]].person.score = score
        return None

    def again(self) -> None:
        """``:restart``: what was before does not count."""
        self.contests.clear()
        self.play.again()

    def final(self, _: bytes) -> None:
        """``:scores:map:seconds``: the final scores follow."""
        self.scored = True

    def outcome(self) -> Match | Unfinished:
        """Return the match, or why it is none."""
        if not self.scored or self.game_type in RACES:
            return Unfinished(
                self.where, NO_RESULT if not self.scored else "a race has no contest that is read"
            )
        if self.game_type == "invasion":
            return Unfinished(self.where, "it was played against monsters")
        if self.totals:
            final = self.play.result(self.ruleset, self.totals, self.at)
        elif self.game_type in TEAM_GAMES:
            return Unfinished(self.where, "it has no team scores")
        else:
            final = self.play.placements(self.ruleset, self.at)
        contests = [*self.contests, *([final] if final is not None else [])]
        return self.play.match(
            contests, self.hash.hexdigest(), self.where, (self.began, self.at), self.map, dated=self.dated,
            local=self.local,
        )  # fmt: skip


#: What is done with each kind of line.
LINES: dict[bytes, Callable[[EventLogGame, bytes], str | None]] = {
    b"gameinfo:mutators:LIST": EventLogGame.mutators, b"join": EventLogGame.join, b"part": EventLogGame.part,
    b"name": EventLogGame.rename, b"team": EventLogGame.team, b"kill": EventLogGame.kill,
    b"ctf:capture": EventLogGame.capture,
    b"labels:teamscores": lambda game, rest: game.labels(b"teamscores", rest),
    b"labels:player": lambda game, rest: game.labels(b"player", rest),
    b"teamscores:see-labels": EventLogGame.team_scores, b"player:see-labels": EventLogGame.player,
    b"scores": EventLogGame.final, b"restart": lambda game, _: game.again(),
}  # fmt: skip


class EventReader(GameReader[EventLogGame]):
    """Reads one log, see :class:`equipoise.games.log_reader.Reader`."""

    def __init__(self, rules: GameRules, source: str, first_line: int = 1) -> None:
        super().__init__(source, first_line)
        self._rules = rules
        #: The date of the line before, and whether it is a local time.
        self._date: tuple[float, str] | None = None
        self._status = False

    def idle(self) -> bool:
        """Tell whether no game runs, nor may begin with the next line."""
        return self.game is None and self._date is None

    def take(self, block: Block) -> None:
        """Go through the events; whatever is in a game is part of its identity."""
        content = block.content
        covered = 0
        for line in LINE.finditer(b"\n" + content):
            kind, rest = line[1], line[2] or b""
            if kind == b"time":
                self._time(block, line.start(), rest)
            elif kind == b"gamestart" and b" " not in rest.strip():
                self.give_up(NO_RESULT)
                self._status = False
                covered = line.start()
                self._begin(block, line.start(), rest)
            elif self.game is None:
                self._date = None
            elif self._status or (kind == b"status" and STATUS.match(rest)):
                self._status = kind != b"end"
            elif kind in (b"gamestart", b"status") or (kind in BARE and rest.strip()):
                continue
            elif kind in (b"end", b"gameover"):
                # The match of a line begins a byte early, with the line feed before it, and ends one late.
                ending = content[covered : line.end() - 1].replace(b"\r", b"")
                self.game.hash.update(ending + b"\n")
                self.give(self.game.outcome())
                self.game = self._date = None
            else:
                wrong = LINES[kind](self.game, rest)
                if wrong:
                    self.skip(block.line_at(line.start()), wrong)
        if self.game is not None:
            self.game.hash.update(content[covered:].replace(b"\r", b""))

    def _time(self, block: Block, place: int, rest: bytes) -> None:
        try:
            seconds, local = of_date(datetime.fromisoformat(rest.strip().decode("latin-1")))
        except (ValueError, OverflowError):
            self.skip(block.line_at(place), "a time that is no date")
            return
        if self.game is None:
            self.begins(block, place)
            self._date = seconds, local
        else:
            self.game.date(seconds)

    def _begin(self, block: Block, place: int, rest: bytes) -> None:
        start = START.match(rest)
        if start is None:
            self.skip(block.line_at(place), "a gamestart without game type and map")
            return
        settled = self._settled
        where = self.begins(block, place)
        if self._date is not None:
            self._settled = settled
        game_type = self._rules.game_type(start[1].decode("latin-1"))
        seconds, local = self._date or (None if start[4] is None else float(start[4]), "")
        number = int(start[3] or 0)
        self.game = EventLogGame(self._rules, game_type, text_from(start[2]), number, seconds, where, local)
        self._date = None
