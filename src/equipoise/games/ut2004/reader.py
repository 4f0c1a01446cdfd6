r"""``ut2004``: statistics logs of Unreal Tournament 2004, by the stock GameStats and by OLStats.

A line is ``seconds TAB code TAB field ...``, in ANSI (code page 1252), UTF-8 or UTF-16, a file a game.  A
game begins with ``NG``, is played from ``SG`` on, and has its result with ``EG``; nothing later is needed.
The stock logger writes no line about bots, so that only people are in its contests.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from equipoise.core.dates import of_date
from equipoise.core.match import START, Contest, Match, Unfinished
from equipoise.core.rulesets import GameRules
from equipoise.games.log_reader import Block, GameReader, Transcoder
from equipoise.games.match_in_progress import ALONE, NAME, Play, bot_id, text_from
from equipoise.games.ut2004.rulesets import LONE_TYPES, RULES, TEAM_TYPES

#: The beginning of a game.
NEW_GAME = re.compile(rb"(?:^|\n)(?:\xef\xbb\xbf)?\d{1,9}(?:\.\d{1,6})?\tNG\t")
SECONDS = re.compile(r"\d{1,9}(?:\.\d{1,6})?")
DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2}) (\d{1,2}):(\d{1,2}):(\d{1,2})")
POINTS = re.compile(r"-?\d{1,9}(?:\.\d{1,6})?")
STRONG = re.compile(r"[0-9A-Za-z]{8,64}")

#: How the names of bots begin.
BOT_MARK = "[BOT]"

#: How the list of mutators begins.
MUTATORS = "Mutators="

#: Why a game ends without a result.
BROKEN_OFF = ("mapchange", "serverquit", "quit", "forced", "")

#: Fields of the line of a client whose account the logger knows.
ACCOUNT_FIELDS = 6

#: The message for a game without a result.
NO_RESULT = "it ends without a result"


class UT2004:
    """Unreal Tournament 2004, see :class:`equipoise.games.log_reader.Game`."""

    name = "ut2004"
    server = "a UT2004 server"

    def recognise(self, head: bytes) -> str:
        """Tell by the banner of OLStats or by the line of a new game, in any encoding."""
        content = Transcoder().take(head)
        if content.startswith(b"OLStats v"):
            return "a first line 'OLStats v...'"
        return "a line '0 NG ...' with tabs" if NEW_GAME.search(content) else ""

    def reader(self, source: str, first_line: int = 1) -> UT2004Reader:
        """Return a reader for a log."""
        return UT2004Reader(source, first_line)

    def rules(self) -> tuple[GameRules, ...]:
        """Return the table of UT2004."""
        return (RULES,)


class UT2004Game:
    """A game between its ``NG`` and its ``EG``.

    The methods that take the fields of a line return what is wrong with it, or None.
    """

    def __init__(self, fields: list[str], date: float, where: str) -> None:
        from hashlib import sha256  # here, as it costs a cold start of those who read no log

        self.where, self.map, self.began = where, fields[4], date
        listed = next((field for field in fields[7:] if field.startswith(MUTATORS)), "")
        mutators = [name for name in listed.removeprefix(MUTATORS).split("|") if name]
        self.ruleset = RULES.ruleset(fields[7], mutators)
        self.play = Play()
        self.hash = sha256()
        self.contests: list[Contest] = []
        self.last = 0.0
        self.started = False
        self.totals: dict[int, float] = {}
        #: Numbers of those who are bots.
        self.bots: set[str] = set()

    @property
    def at(self) -> float:
        """When something happens."""
        return self.began + self.play.clock

    def tick(self, seconds: float) -> None:
        """Move the clock on; a time that runs backwards moves nothing."""
        if seconds > self.last:
            self.play.clock += seconds - self.last
        self.last = seconds

    def begin(self, _: list[str]) -> None:
        """``SG``: whatever was before was warm-up."""
        self.started = True
        self.play.again()
        self.totals.clear()
        self.contests.clear()

    def connect(self, fields: list[str]) -> str | None:
        """``C num key account password`` of a person, ``C num id`` or ``C num name`` of anybody."""
        if len(fields) < 4 or not fields[3]:
            return "a C without number and id"
        number, key = fields[2], fields[3]
        strong = STRONG.fullmatch(key) and len(key) >= (8 if len(fields) >= ACCOUNT_FIELDS else 32)
        name = fields[4] if len(fields) >= ACCOUNT_FIELDS else key
        self.bots.discard(number)
        self.play.arrive(number, key if strong else NAME + key, name)
        self.play.place(number, None if self.ruleset.game_type in TEAM_TYPES else ALONE)
        return None

    def disconnect(self, fields: list[str]) -> str | None:
        """``D num``."""
        if len(fields) < 3:
            return "a D without number"
        self.play.leave(fields[2])
        self.bots.discard(fields[2])
        return None

    def address(self, fields: list[str]) -> None:
        """``PS num address speed hash``: the hash is the id that the game itself gives a person."""
        if len(fields) > 5 and STRONG.fullmatch(fields[5]) and fields[2] not in self.bots:
            self.play.identify(fields[2], fields[5])

    def bot(self, fields: list[str]) -> str | None:
        """``BI num skill ...``."""
        if len(fields) < 4 or not SECONDS.fullmatch(fields[3]):
            return "a BI without number and skill"
        self._is_bot(fields[2], float(fields[3]))
        return None

    def _is_bot(self, number: str, level: float | None) -> None:
        client = self.play.clients.get(number)
        if client is not None and (number not in self.bots or level is not None):
            self.bots.add(number)
            self.play.identify(number, bot_id(client.person.name, level))

    def happening(self, fields: list[str]) -> str | None:
        """``G NameChange num name``, ``G TeamChange num team``; what happens to flags is not needed."""
        if len(fields) < 3:
            return "a G without event"
        if fields[2] == "NameChange" and len(fields) > 4:
            client = self.play.clients.get(fields[3])
            if client is not None:
                client.person.name = fields[4].removeprefix(BOT_MARK)
                if fields[4].startswith(BOT_MARK):
                    self._is_bot(fields[3], None)
        elif fields[2] == "TeamChange":
            if len(fields) < 5:
                return "a TeamChange without number and team"
            if self.ruleset.game_type not in LONE_TYPES:
                self.play.place(fields[3], 1 + int(fields[4]) if fields[4] in TEAMS else None)
        return None

    def kill(self, fields: list[str]) -> str | None:
        """``K killer weapon victim weapon`` and ``TK`` of a team mate; killer -1 is the world."""
        if len(fields) < 5:
            return "a kill without killer and victim"
        if fields[1] == "K":
            self.play.kill(fields[2], fields[4])
        return None

    def score(self, fields: list[str]) -> str | None:
        """``S num points reason``."""
        if len(fields) < 4 or not POINTS.fullmatch(fields[3]):
            return "an S without number and points"
        client = self.play.clients.get(fields[2])
        if client is not None:
            client.person.score = (client.person.score or 0.0) + float(fields[3])
        return None

    def team_score(self, fields: list[str]) -> str | None:
        """``T team points reason``; a flag that was captured is a contest of those present."""
        if len(fields) < 4 or fields[2] not in TEAMS or not POINTS.fullmatch(fields[3]):
            return "a T without team and points"
        side = 1 + int(fields[2])
        self.totals[side] = self.totals.get(side, 0.0) + float(fields[3])
        if fields[4:5] == ["flag_cap"]:
            contest = self.play.moment(self.ruleset, side, self.at)
            if contest is not None:
                self.contests.append(contest)
        return None

    def outcome(self, reason: str) -> Match | Unfinished:
        """Return the match, or why it is none."""
        if not self.started or reason.lower() in BROKEN_OFF:
            return Unfinished(
                self.where, f"it was broken off: {reason}" if self.started else "it never started"
            )
        if self.ruleset.game_type == "invasion":
            return Unfinished(self.where, "it was played against monsters")
        if self.totals or self.ruleset.game_type in TEAM_TYPES:
            final = self.play.result(self.ruleset, {1: 0.0, 2: 0.0, **self.totals}, self.at)
        else:
            final = self.play.placements(self.ruleset, self.at)
        contests = [*self.contests, *([final] if final is not None else [])]
        times = (self.began, self.at)
        return self.play.match(contests, self.hash.hexdigest(), self.where, times, self.map, local=START)


#: Numbers of teams.
TEAMS = ("0", "1", "2", "3")

#: What is done with each kind of line.  Of server, pings, accuracies, sprees, items and chat (``SI``,
#: ``PP``, ``PA``, ``P``, ``I``, ``V``, ``TV``) nothing is needed.
LINES: dict[str, Callable[[UT2004Game, list[str]], str | None]] = {
    "SG": UT2004Game.begin, "C": UT2004Game.connect, "D": UT2004Game.disconnect, "PS": UT2004Game.address,
    "BI": UT2004Game.bot, "G": UT2004Game.happening, "K": UT2004Game.kill, "TK": UT2004Game.kill,
    "S": UT2004Game.score, "T": UT2004Game.team_score,
}  # fmt: skip


class UT2004Reader(GameReader[UT2004Game]):
    """Reads one log, see :class:`equipoise.games.log_reader.Reader`."""

    def take(self, block: Block) -> None:
        """Go through the lines."""
        place = 0
        for number, line in enumerate(block.content.split(b"\n")[:-1], start=block.line):
            text = text_from(line, "cp1252").rstrip("\r")
            fields = text.split("\t")
            if len(fields) > 1 and SECONDS.fullmatch(fields[0]):
                wrong = self._line(block, place, fields, text)
                if wrong:
                    self.skip(number, wrong)
            place += len(line) + 1

    def _line(self, block: Block, place: int, fields: list[str], text: str) -> str | None:
        code = fields[1]
        if code == "NG":
            date = _date(fields[2]) if len(fields) > 7 else None
            self.give_up(NO_RESULT)
            if date is None:
                return "an NG without date, map and class"
            self.game = UT2004Game(fields, date, self.begins(block, place))
        game = self.game
        if game is None:
            return None
        game.hash.update(text.encode("utf-8", "replace") + b"\n")
        game.tick(float(fields[0]))
        if code == "EG":
            self.give(game.outcome(fields[2] if len(fields) > 2 else ""))
            self.game = None
            return None
        known = LINES.get(code)
        return known(game, fields) if known else None


def _date(stamp: str) -> float | None:
    """Return what the clock of the server showed."""
    date = DATE.fullmatch(stamp.strip())
    if date is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in date.groups())
    try:
        return of_date(datetime(year, month, day, hour, minute, second))[0]  # noqa: DTZ001  # a local time
    except (ValueError, OverflowError):
        return None


#: The game.
GAME = UT2004()
