r"""``halflife``: logs of Half-Life servers, ``L mm/dd/yyyy - hh:mm:ss: message``: Counter-Strike and others.

A game is what is played on one map, up to the next one or the end of the log file; its contests are the
rounds, or else the scores of the teams, or else the kills of everyone.  The form is that of the HL
Log Standard; Counter-Strike adds triggers for who has won a round, which the newer games write with a mark
before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import accumulate, compress
from operator import or_

from equipoise.core.dates import of_date
from equipoise.core.match import CLOCK, Match, Ruleset, Unfinished
from equipoise.core.rulesets import GameRules
from equipoise.games.halflife.counter_strike import CountedRounds
from equipoise.games.halflife.rulesets import CS2, GO, MAPS, OLD, OTHER, RULES, TF2, changes_play, rules_of
from equipoise.games.halflife.team_fortress import (
    CAPTURED,
    FEIGNED,
    FLAG,
    ROUND_START,
    TEAMS,
    FortressRounds,
)
from equipoise.games.log_reader import Block, GameReader
from equipoise.games.match_in_progress import ALONE, BOT, NAME, Play, bot_id, text_from
from equipoise.identity.names import alike

#: The beginning of a line, with a date; over HTTP the newest games write milliseconds and no ``L``.
LINE = re.compile(
    rb"(?:\S{0,60} )?(?:L )?(\d\d)/(\d\d)/(\d{4}) - (\d\d):(\d\d):(\d\d)(?:\.\d{1,6})?(?:: | - )([^\r]*)"
)
#: Somebody: name, number, id, and team where it is stated; what looks like an id is no team: a name may end
#: with what looks like a number, as ``bob<3>`` does.
WHO = (
    rb'"(.{0,200}?)<(\d{1,9})><([^<>"]{0,64})>(?:<(?!STEAM_|\[U:|BOT>|HLTV>)([^<>"]{0,64})>)?"'
    rb"(?: \[[-\d. ]{1,60}\])?"
)
PERSON = re.compile(WHO + rb" (.*)")
KILL = re.compile(WHO + rb" killed " + WHO)
#: The same where no name has quotes and the victim is killed with something.
PLAIN_KILL = re.compile(rb'("[^"]*>" )(?:\[[-\d. ]{1,60}\] )?killed ("[^"]*>" )(?:\[[-\d. ]{1,60}\] )?with ')
#: What stands behind a name, where a second one may stand in a line, and what follows a kill.
TAG = re.compile(rb'<\d{1,9}><[^<>"]{1,64}>')
SECOND = re.compile(
    WHO
    + rb' (?:attacked|(?:flash-)?assisted killing|triggered "[^"<]{1,60}" against|blinded for \S{1,12} by) "'
)
WITH = b" with"
JOINED = re.compile(rb'joined team "([^"]{0,64})"')
SWITCHED = re.compile(rb"switched from team <[^<>]{0,64}> to <([^<>]{0,64})>")
RENAMED = re.compile(rb'changed name to "(.{0,200})"')
MAP = re.compile(rb'(?:Loading|Started) map "([^"]{1,200})"')
MATCH_START = re.compile(rb'World triggered "Match_Start" on "([^"]{1,200})"')
WON = re.compile(
    rb'Team "(CT|TERRORIST)" triggered "(SFUI_Notice_)?(\w{1,60})" \(CT "(\d{1,6})"\) \(T "(\d{1,6})"\)'
)
DRAWN = re.compile(rb'World triggered "(SFUI_Notice_)?Round_Draw"(?: \(CT "(\d{1,6})"\) \(T "(\d{1,6})"\))?')
STATUS = re.compile(rb'MatchStatus: Score: \d{1,4}:\d{1,4} on map "[^"]{0,200}" RoundsPlayed: (-?\d{1,4})')
RELOADED = b'World triggered "Match_Reloaded"'
SCORED = re.compile(rb'Team "([^"]{1,64})" scored "(-?\d{1,6})" with "\d{1,6}" players?')
CVAR = re.compile(rb'[Ss]erver[ _]cvar:? "([^"]{1,64})" (?:= )?"([^"]{0,64})"')
STEAM = re.compile(r"STEAM_\d:([01]):(\d{1,10})")
STEAM3 = re.compile(r"\[U:1:(\d{1,10})\]")

#: How lines begin that are about the game and not about somebody, where they matter.
EVENTS = (
    b"World triggered ", b'Team "', b"Tournament mode", b"Loading map ", b"Started map ", b"Log file closed",
    b"Game Over:", b"MatchStatus: Score", b"server_cvar", b"server cvar", b"Server_cvar", b"Server cvar",
)  # fmt: skip

#: Those of them that matter where no game runs.
BEGINNINGS = (
    b"Loading map ", b"Started map ", b'World triggered "Match_Start"', b'World triggered "Round_Start"',
    b"Log file closed",
)  # fmt: skip

#: Lines in which people have other numbers than everywhere else.
OTHER_NUMBERS = (b"money change ",)

#: How what somebody says begins.
CHAT = b"say"

#: What most lines say of somebody, which only shows that they are there, and in which team.
SIGHTINGS = (
    b"picked up ", b"dropped ", b"purchased ", b"attacked ", b"left buyzone ", b"blinded for ", b"threw ",
    b'triggered "(?!flagevent")', b"killed other ", b"(?:flash-)?assisted killing ", CHAT, b"spawned as ",
    b"changed role to ", b"position_report ", b"sv_throw_", b"shot_fired ", b"shot_hit ",
)  # fmt: skip

#: A date as most lines have it, up to the seconds, and its length; what stands between it and the text.
STAMP = re.compile(rb"(?:L )?\d\d/\d\d/\d{4} - (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d")
LIKE_STAMP = rb"(?:L )?.{21}"
AFTER_STAMP = rb"(?:\.\d{1,6})?(?:: | - )"
#: Somebody whose name has no quotes, and where they were; quick, as nothing else begins so.
SOMEBODY = rb'"[^"]*>" '
WHERE = rb"(?:\[[^]]*\] )?"

#: A part of the statistics that the newest game writes between other lines.
JSON = rb'"\w{1,20}" ?: '

#: A line with a date, and what one goes on with that shows nothing but that, and perhaps somebody who was
#: known to be there.
DATED = rb"(" + LIKE_STAMP + rb")" + AFTER_STAMP
QUIET = (
    rb"(?:(" + SOMEBODY + rb")" + WHERE + rb"(?:" + b"|".join(SIGHTINGS) + rb")|"
    + SOMEBODY + WHERE + rb"(?:" + b"|".join(OTHER_NUMBERS) + rb")|" + JSON + rb"|"
    + rb'(?!"|' + b"|".join(EVENTS) + rb"))"
)  # fmt: skip
QUIET_LINE = re.compile(DATED + QUIET)
#: The same for many lines at once, each behind a line feed, and the first letter of those that may show more.
ALL = re.compile(rb"\n" + DATED + rb"(?:" + QUIET + rb"|(.))")
BEGINNING = re.compile(rb"\n" + LIKE_STAMP + AFTER_STAMP + rb"(?:" + b"|".join(BEGINNINGS) + rb")")

#: Last lines of a game, whole but for the line feed.
LAST = re.compile(
    rb'Log file closed|Game Over: .* min|Team "(?:Red|Blue)" final score "\d{1,6}" with "\d{1,3}" players'
)

#: What restarts a game: whatever was before did not count, unless it was a half.
RESTARTS = (
    b'World triggered "Restart_Round',
    b'World triggered "Game_Commencing"',
    b'World triggered "Match_Start"',
)

#: Seconds between two lines from which on a clock was set, or nothing went on: no time of the game.
JUMP = 900.0

#: Teams of those who only watch.
WATCHING = (b"", b"Spectator", b"SPECTATOR", b"Unassigned", b"Spectators")

#: Sides of Counter-Strike; teams of other games have the numbers that follow, in order of appearance.
SIDES = {b"TERRORIST": 1, b"CT": 2}

#: Lines whose identity is worked out at once.
UNHASHED = 1000

#: How many such lines show that a log is one of these.
ENOUGH_LINES = 3


class HalfLife:
    """Half-Life and Counter-Strike, see :class:`equipoise.games.log_reader.Game`."""

    name = "halflife"
    server = "a Half-Life or Counter-Strike server"

    def recognise(self, head: bytes) -> str:
        """Tell by the dates at the beginning of lines."""
        lines = sum(LINE.match(line) is not None for line in head.split(b"\n")[:200])
        return "lines 'L mm/dd/yyyy - hh:mm:ss: ...'" if lines >= ENOUGH_LINES else ""

    def reader(self, source: str, first_line: int = 1) -> HalfLifeReader:
        """Return a reader for a log."""
        return HalfLifeReader(source, first_line)

    def rules(self) -> tuple[GameRules, ...]:
        """Return the tables of the games."""
        return RULES


def steam_id(identity: str) -> str | None:
    """Return the one form of a SteamID, None where it is none.

    Examples
    --------
    >>> steam_id("STEAM_0:1:11"), steam_id("STEAM_1:1:11"), steam_id("[U:1:23]"), steam_id("STEAM_ID_LAN")
    ('[U:1:23]', '[U:1:23]', '[U:1:23]', None)
    """
    old = STEAM.fullmatch(identity)
    if old is not None:
        return f"[U:1:{2 * int(old[2]) + int(old[1])}]"
    new = STEAM3.fullmatch(identity)
    return f"[U:1:{int(new[1])}]" if new is not None else None


class HalfLifeGame:
    """What is played on one map.

    Parameters
    ----------
    map_name : str
        The map of the line that began the game; empty where another line did.
    date : float
        When it began.
    where : str
        What messages call that.
    same_map : str
        The map of the game before, where that was one of Team Fortress 2 and no line tells of another map.
    """

    def __init__(self, map_name: str, date: float, where: str, same_map: str = "") -> None:
        from hashlib import sha256  # here, as it costs a cold start of those who read no log

        self.map, self.where, self.began, self.at = map_name, where, date, date
        self.same_map = same_map
        #: The date of the last line, which may be before the latest.
        self.seen = date
        self.play = Play()
        self.hash = sha256()
        self.counted = CountedRounds()
        self.before: dict[str, tuple[int, int]] = {}
        #: Whether the server said that the match is over.
        self.is_over = False
        self.totals: dict[int, float] = {}
        self.sides = {**SIDES, TEAMS[0]: len(SIDES) + 1, TEAMS[1]: len(SIDES) + 2}
        self.settings: dict[str, str] = {}
        #: How people were named in the last line about them, and who that is, until somebody comes or moves.
        self.sighted: dict[bytes, bytes] = {}
        #: How often some of that was forgotten.
        self.forgotten = 0
        self._named: dict[bytes, tuple[tuple[bytes, bytes | None], list[bytes]]] = {}
        self._unhashed: list[bytes] = []
        #: What tells the games apart: marks before triggers, and the form of ids.
        self.marked = self.steam3 = self.counter_strike = False
        #: The rounds of a game of Red and Blue; None where another one is played.
        self.rounds = FortressRounds(self.play)

    def cover(self, lines: bytes) -> None:
        """Let the identity of the game cover lines, each with its line feed and nothing before that."""
        self._unhashed.append(lines)
        if len(self._unhashed) >= UNHASHED:
            self._digest()

    def _digest(self) -> str:
        """Return the identity of the lines so far."""
        if self._unhashed:
            self.hash.update(b"".join(self._unhashed))
            self._unhashed.clear()
        return self.hash.hexdigest()

    def sight(self, written: bytes, number: bytes, name: bytes, team: bytes | None) -> None:
        """Note how somebody is written now; some logs have one person with ids of two forms."""
        known = self._named.get(number)
        if known is None or known[0] != (name, team):
            for each in () if known is None else known[1]:
                self.sighted.pop(each, None)
                self.forgotten += 1
            known = self._named[number] = (name, team), []
        known[1].append(written)
        self.sighted[written] = number

    def forget_names(self) -> None:
        """Forget how people are named: somebody has come, gone or moved."""
        self.forgotten += 1
        self.sighted.clear()
        self._named.clear()

    def date(self, date: float) -> None:
        """Move the clock on; a date that runs backwards moves nothing, nor does a clock that was set."""
        passed = date - self.seen
        if 0.0 < passed <= JUMP:
            self.play.clock += passed
        if passed > 0.0 or passed < -JUMP:
            self.seen = date
        self.at = max(self.at, date)

    def someone(self, name: bytes, number: bytes, raw: bytes, team: bytes | None) -> bytes:
        """Take that somebody is there, on a team where one is named; return the number."""
        text = text_from(raw)
        if text == "HLTV":
            return number
        client = self.play.clients.get(number)
        self.steam3 |= text.startswith("[U:")
        identity = identity_of(text_from(name), text)
        if client is None or client.identity.partition("#")[0] != identity:
            if client is None or not (client.identity.startswith(NAME) and identity.startswith(NAME)):
                self.forget_names()
                self._move(identity, text_from(name))
                self.play.arrive(number, identity, text_from(name))
        elif client.person.name != text_from(name):
            self.forget_names()
            client.person.name = text_from(name)
        if team:
            self.place(number, team)
        return number

    def _move(self, identity: str, name: str) -> None:
        """Let who comes under another number, as after a lost connection, be who was there."""
        clients = self.play.clients
        if not identity.startswith((NAME, BOT)):
            here = [key for key, one in clients.items() if one.base == identity]
            for key in [key for key in here if alike(clients[key].person.name, name)]:
                self.play.leave(key)

    def place(self, number: bytes, team: bytes) -> None:
        """Put somebody on a team; a team that bears a number is everyone's own."""
        if team in WATCHING:
            self.play.place(number, None)
        elif team == number:
            self.play.place(number, ALONE)
        else:
            self.counter_strike |= team in SIDES
            side = self.sides.setdefault(team, len(self.sides) + 1)
            client = self.play.clients.get(number)
            if client is not None and client.side != side:
                self.forget_names()
            self.play.place(number, side)

    def killed(self, killer: bytes, victim: bytes, how: bytes) -> None:
        """Count a kill, unless somebody only seemed to die, or it was between two rounds."""
        if FEIGNED not in how and not self.rounds.between:
            self.play.kill(killer, victim)

    def restart(self) -> None:
        """Restart: whatever was before did not count, unless it was a half of a match."""
        if self.counted.restart():
            self.play.again()
        self.before = self.play.counts()

    def status(self, rounds: int) -> None:
        """Take how many rounds count by the server's own word."""
        if self.counted.status(rounds):
            self.before = self.play.counts()

    def round_ends(self, winner: bytes | None, score: tuple[int, int]) -> None:
        """Keep a round, once."""
        self.counter_strike = True
        side = None if winner is None else SIDES[winner]
        contest = self.play.moment(Ruleset(), side, self.at, self.before)
        if self.counted.draws(contest) if winner is None else self.counted.wins(score, contest):
            self.before = self.play.counts()

    def is_fortress(self) -> bool:
        """Tell whether Red and Blue play rounds, as in Team Fortress 2."""
        return not self.counter_strike and bool(self.rounds.scores or self.rounds.over)

    def game(self) -> str:
        """Return which game it is."""
        if self.is_fortress():
            return TF2
        if not self.counter_strike:
            return OTHER
        return (CS2 if self.steam3 else GO) if self.marked else OLD

    def outcome(self) -> Match | Unfinished:
        """Return the match: its rounds, or else its result."""
        if self.is_fortress():
            self.map = self.map or self.same_map
        rules = rules_of(self.game())
        mutators = [name for name, value in self.settings.items() if changes_play(name, value)]
        name = self.map.rpartition("/")[2]  # a map of the workshop is in a folder
        rounds = next((kind for start, kind in MAPS.items() if name.startswith(start)), "elimination")
        contests = self.counted.contests
        kind = rounds
        if self.is_fortress():
            if not self.rounds.ended:
                return Unfinished(self.where, "the game has no Game_Over with its final score in the log")
            if not self.rounds.began:
                return Unfinished(self.where, "the beginning of the game is not in the log")
            if rounds == "elimination" or self.rounds.kind == "ctf":
                kind = self.rounds.kind or "tdm"
            contests = self.rounds.found(self.sides, self.at)
        elif not self.map:
            return Unfinished(self.where, "the beginning of the map is not in the log")
        elif contests and self.counted.is_counted and not self.is_over:
            return Unfinished(self.where, "the match was not played to its end: there is no Game Over")
        elif not contests:
            in_teams = any(side is not None and side != ALONE for _, (side, _) in self.play.shares().items())
            kind = "tdm" if in_teams else "ffa"
            found = (
                self.play.result(Ruleset(), self.totals, self.at)
                if in_teams
                else self.play.placements(Ruleset(), self.at)
            )
            contests = [found] if found is not None else []
        ruleset = rules.ruleset(kind, mutators)
        contests = [replace(contest, ruleset=ruleset) for contest in contests]
        times = (self.began, self.at)
        return self.play.match(contests, self._digest(), self.where, times, self.map, local=CLOCK)


def identity_of(name: str, identity: str) -> str:
    """Return who somebody is: a bot by name, a person by SteamID, or else by name."""
    if identity == "BOT" or identity == "0":
        return bot_id(name, None)
    return steam_id(identity) or NAME + name


class ManyLines:
    """What lines show at a glance.

    Parameters
    ----------
    joined : bytes
        The lines, each behind a line feed.
    stamps, people, letters : sequence of bytes
        Of each the date; who it shows where it shows nothing else; the first letter where it may show more.
    """

    def __init__(
        self, joined: bytes, stamps: Sequence[bytes], people: Sequence[bytes], letters: Sequence[bytes]
    ) -> None:
        self.joined, self.stamps, self.people, self.letters = joined, stamps, people, letters
        _, *self.lines = joined.split(b"\n")
        self._ends = [0, *accumulate(map(len, self.lines))]

    def is_each_dated(self) -> bool:
        """Tell whether each of the lines has a date, and no two look like one."""
        return len(self.stamps) == len(self.lines) and all(map(STAMP.fullmatch, {*self.stamps}))

    def place(self, line: int) -> int:
        """Return where a line begins."""
        return self._ends[line] + line

    def loud(self, start: int, known: Mapping[bytes, bytes]) -> Iterable[int]:
        """Return the lines from one on that may show more than somebody who is known."""
        people, shows = self.people[start:], map(bool, self.letters[start:])
        unknown = {*people}.difference(known, (b"",))
        if unknown:
            shows = map(or_, shows, [who in unknown for who in people])
        return compress(range(start, len(self.lines)), shows)

    def next_beginning(self, start: int) -> int:
        """Return the next line with which a game may begin; how many lines there are if there is none."""
        found = BEGINNING.search(self.joined, self.place(start)) if start < len(self.lines) else None
        return len(self.lines) if found is None else self.joined.count(b"\n", 0, found.start())


class HalfLifeReader(GameReader[HalfLifeGame]):
    """Reads one log, see :class:`equipoise.games.log_reader.Reader`."""

    cut_off = "the log ends before the game does"

    #: The last date as it was written up to the seconds, and what it is; where its time stands, and when its
    #: day began.
    _dated: tuple[bytes, float | None] = (b"", None)
    _time_at: int = 0
    _day: float = 0.0
    #: The map of the last game, where the next one of Team Fortress 2 may be on it.
    _map: str = ""
    #: Whether the server has closed its log: what follows is another one, and mostly begins with its map.
    _is_closed: bool = False

    def idle(self) -> bool:
        """Tell whether no game runs, and the next one needs nothing of the one before."""
        return self.game is None and (self._is_closed or not self._map)

    def end(self) -> None:
        """Take the end of the log; a last line without its line feed counts where the rest of it is there."""
        rest = self.lines.rest()
        parts = LINE.fullmatch(rest)
        if parts is not None and LAST.fullmatch(parts[7]):
            self.take(Block(rest + b"\n", self.lines.offset, self.lines.line))
        super().end()

    def take(self, block: Block) -> None:
        """Go through the lines; most change nothing, and of those only bytes are kept.

        Many are looked at together, which gives what they give one by one where times go forward, a little at
        a time.
        """
        content = block.content
        lines = b"\n" + content[:-1]
        shown = [] if b"\r" in content else ALL.findall(lines)
        many = ManyLines(lines, *zip(*shown, strict=True)) if shown else None
        if many is None or not many.is_each_dated():
            self._one_by_one(block, 0)
            return
        line = 0
        while line < len(shown):
            game = self.game
            if game is None:
                line = self._to_beginning(block, many, line)
            elif self._is_soon(game, many.stamps[line:]):
                line = self._go_on(block, many, line, game)
            else:
                self._one_by_one(block, many.place(line))
                return

    def _go_on(self, block: Block, many: ManyLines, line: int, game: HalfLifeGame) -> int:
        """Go on with a game until it ends, or somebody is written in a new way."""
        forgotten = game.forgotten
        for number in many.loud(line, game.sighted):
            if many.people[number] in game.sighted:  # since a line before
                continue
            place = many.place(number)
            game.cover(block.content[many.place(line) : place])
            line = number + 1
            self._moves_clock(many.stamps[number], game)
            self._any_line(block, place, many.lines[number])
            if self.game is not game or game.forgotten != forgotten:
                return line
        game.cover(block.content[many.place(line) :])
        self._moves_clock(many.stamps[-1], game)
        return len(many.lines)

    def _to_beginning(self, block: Block, many: ManyLines, line: int) -> int:
        """Go on to where a game may begin, and over that; or to the end."""
        if not self._is_closed:  # the next line is of another log then
            line = many.next_beginning(line)
        if line < len(many.lines):
            self._any_line(block, many.place(line), many.lines[line])
        return line + 1

    def _is_soon(self, game: HalfLifeGame, stamps: Sequence[bytes]) -> bool:
        """Tell whether times go forward, and no further than a clock moves by itself."""
        written, date = self._dated
        at = self._time_at
        if date is None or stamps[0][:at] != written[:at] or stamps[-1][:at] != written[:at]:
            return False
        first, last = (self._day + _seconds(stamp[at:]) for stamp in (stamps[0], stamps[-1]))
        return game.seen <= first and last - game.seen <= JUMP and list(stamps) == sorted(stamps)

    def _one_by_one(self, block: Block, start: int) -> None:
        """Go through lines one after the other."""
        content, place, run = block.content, start, -1
        for line in content[start:-1].split(b"\n"):
            game = self.game
            if game is not None and self._changes_nothing(line, game):
                if run < 0:
                    run = place
            else:
                if run >= 0 and game is not None:
                    game.cover(content[run:place])
                    run = -1
                self._any_line(block, place, line)
            place += len(line) + 1
        if run >= 0 and self.game is not None:
            self.game.cover(content[run:place])

    def _changes_nothing(self, line: bytes, game: HalfLifeGame) -> bool:
        """Tell whether a line shows nothing but the time, and somebody who is known to be there."""
        quiet = QUIET_LINE.match(line)
        if quiet is None or (quiet[2] and quiet[2] not in game.sighted) or line.endswith(b"\r"):
            return False
        return STAMP.fullmatch(quiet[1]) is not None and self._moves_clock(quiet[1], game)

    def _moves_clock(self, stamp: bytes, game: HalfLifeGame) -> bool:
        """Move the clock to a time of the same day; tell whether it was one."""
        written, date = self._dated
        at = self._time_at
        if date is None or stamp[:at] != written[:at]:
            return False
        if stamp != written:
            date = self._day + _seconds(stamp[at:])
            self._dated = stamp, date
            game.date(date)
        return True

    def _any_line(self, block: Block, place: int, line: bytes) -> None:
        """Take a line that begins at a place of a block, if it has a date."""
        parts = LINE.match(line)
        if parts is not None:
            self._line(block, place, parts, line)

    def _line(self, block: Block, place: int, parts: re.Match[bytes], line: bytes) -> None:
        written = line[: parts.end(6)]
        if written != self._dated[0]:
            self._dated = written, _date(parts)
            self._time_at = parts.start(4)
        date = self._dated[1]
        if date is None:
            self._dated = b"", None
            self.skip(block.line_at(place), "a date that is none")
            return
        self._day = date - 3600.0 * int(parts[4]) - 60.0 * int(parts[5]) - int(parts[6])
        text = parts[7]
        nameless = self.game is None or (not self.game.map and not self.game.is_fortress())
        found = MAP.match(text) or (MATCH_START.match(text) if nameless else None)
        if found is not None and not self._is_beginning(found[1]):
            self._ends()
            self._map = ""
            self.game = HalfLifeGame(text_from(found[1]), date, self.begins(block, place))
        elif self.game is None and text.startswith(ROUND_START):
            line_number = f"{self.source}, line {block.line_at(place)}"
            where = line_number if self._map else self.begins(block, place)
            self.game = HalfLifeGame("", date, where, self._map)
        game = self.game
        self._is_closed = text.startswith(b"Log file closed")
        if game is None:
            return
        game.cover(line.rstrip(b"\r") + b"\n")
        game.date(date)
        if text.startswith((b"Log file closed", b"Game Over:")):
            game.is_over = text.startswith(b"G")
            self._ends()
        elif text.startswith(b'"'):
            _person(game, text)
        elif found is None:
            _event(game, text)
            if game.rounds.ended:
                self._ends()

    def _is_beginning(self, name: bytes) -> bool:
        """Tell whether the running game is on this map and nobody has played yet: maps are reported twice."""
        game = self.game
        return game is not None and game.map == text_from(name) and game.play.start is None

    def _ends(self) -> None:
        game, self.game = self.game, None
        if game is not None:
            self.give(game.outcome())
            self._map = game.map if game.is_fortress() else ""


def has_forged_name(text: bytes) -> bool:
    r"""Tell whether a line about somebody has a name in it that looks like a part of a line.

    Names may hold quotes; of whom a line speaks is not known then, so it is left out.

    Examples
    --------
    >>> has_forged_name(b'"a<2><[U:1:2]><Red>" killed "b<3><[U:1:3]><Blue>" with "bat"')
    False
    >>> has_forged_name(b'"x<9><[U:1:9]><Red>" say "b<3><[U:1:3]><Blue>" joined team "Red"')
    True
    """
    tags = len(TAG.findall(text))
    if tags < 2:
        return False
    kill = KILL.match(text)
    fine = text.startswith(WITH, kill.end()) if kill is not None else SECOND.match(text) is not None
    return tags > 2 or not fine


def _person(game: HalfLifeGame, text: bytes) -> None:
    """Take a line about somebody."""
    plain = PLAIN_KILL.match(text)
    if plain is not None and plain[1] in game.sighted and plain[2] in game.sighted:
        game.killed(game.sighted[plain[1]], game.sighted[plain[2]], text[plain.end() :])
        return
    if has_forged_name(text):
        return
    kill = KILL.match(text)
    if kill is not None:
        killer = game.someone(kill[1], kill[2], kill[3], kill[4])
        victim = game.someone(kill[5], kill[6], kill[7], kill[8])
        game.killed(killer, victim, text[kill.end() :])
        return
    person = PERSON.match(text)
    if person is None or person[5].startswith(OTHER_NUMBERS):
        return
    if person[5].startswith(b"disconnected"):
        game.forget_names()
        game.play.leave(person[2])
        return
    if person[5].startswith(CHAT) and person[4] in SIDES and person[2] not in game.play.clients:
        return  # in Counter-Strike rounds count for all who are there: who only talks is not
    number = game.someone(person[1], person[2], person[3], person[4])
    game.sight(text[: text.find(b'>" ') + 3], number, person[1], person[4])
    joined = JOINED.match(person[5]) or SWITCHED.match(person[5])
    renamed = RENAMED.match(person[5])
    if joined is not None:
        game.forget_names()
        game.place(number, joined[1])
    elif person[5].startswith((b"committed suicide", b"was killed by the bomb")):
        if not game.rounds.between:
            game.play.kill(None, number)
    elif person[5].startswith(FLAG):
        game.rounds.kind = "ctf"
    elif renamed is not None and number in game.play.clients:
        game.forget_names()
        game.play.clients[number].person.name = text_from(renamed[1])


def _event(game: HalfLifeGame, text: bytes) -> None:
    """Take a line about teams or the game."""
    if game.rounds.take(text, game.at, game.sides):
        return
    if CAPTURED.match(text) is not None:
        game.rounds.kind = "capture"
        return
    if text.startswith(RESTARTS):
        game.restart()
        return
    if text.startswith(RELOADED):
        game.counted.reload()
        return
    status = STATUS.match(text)
    if status is not None:
        game.status(int(status[1]))
        return
    won, drawn = WON.match(text), DRAWN.match(text)
    if won is not None:
        game.marked |= won[2] is not None
        game.round_ends(won[1], (int(won[4]), int(won[5])))
    elif drawn is not None:
        game.marked |= drawn[1] is not None
        game.round_ends(None, (0, 0))
    elif (scored := SCORED.match(text)) is not None:
        side = game.sides.get(scored[1])
        if side is not None:
            game.totals[side] = float(scored[2])
    elif (setting := CVAR.match(text)) is not None:
        game.settings[text_from(setting[1]).lower()] = text_from(setting[2])


def _seconds(time: bytes) -> float:
    """Return the seconds of a time ``hh:mm:ss``."""
    return 3600.0 * int(time[:2]) + 60.0 * int(time[3:5]) + int(time[6:8])


def _date(parts: re.Match[bytes]) -> float | None:
    """Return what the clock of the server showed."""
    month, day, year, hour, minute, second = (int(part) for part in parts.groups()[:6])
    try:
        return of_date(datetime(year, month, day, hour, minute, second))[0]  # noqa: DTZ001  # a local time
    except (ValueError, OverflowError):
        return None


#: The game.
GAME = HalfLife()
