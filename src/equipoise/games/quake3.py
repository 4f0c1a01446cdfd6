r"""``quake3``: servers of the Quake 3 family: ``games.log`` with times, and console output without.

What the lines mean is described in docs/games.md.  A line is ``mmm:ss Kind: rest``; a game begins with
``InitGame`` and has a result when ``Exit`` is followed by ``red:n  blue:m`` or by a ``score:`` for everybody who
plays.  Nothing after that is needed, so a result is certain the moment it is read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime

from equipoise.games.lines import TOO_LONG, Block, Lines
from equipoise.games.play import ALONE, NAME, Play, bot_id, text_from
from equipoise.games.reading import Parsed
from equipoise.games.rules import Rules
from equipoise.types import Contest, Ruleset, Skipped, Unfinished

#: Lines that matter, with and without a time; all others are passed over as fast as they can be.
LINE = re.compile(
    rb"^(?: *(\d+):(\d\d)(?:\.\d+)? )?"
    rb"(Kill|Client(?:UserinfoChanged|Begin|Disconnect)|CTF|(?:CTF_)?ELIMINATION|InitGame|ShutdownGame|Exit|red|score"
    rb"|Warmup):([^\n]*)",
    re.MULTILINE,
)

#: How many such lines show that a log without a beginning is one of these.
ENOUGH_LINES = 3

INFO = re.compile(rb" ?(\d+) n\\([^\\]*)\\t\\(\d+)(?:\\|$)")
SKILL = re.compile(rb"\\skill\\ *(\d+(?:\.\d+)?)")
GUID = re.compile(rb"\\id\\([^\\\r]+)")
STRONG_GUID = re.compile(r"[0-9A-Za-z]{8,64}")
COLOUR = re.compile(r"\^[0-9a-zA-Z]")
KILL = re.compile(rb" ?(\d+) (\d+) \d+(?:: (.*))?\s*$", re.DOTALL)
TEAM_SCORES = re.compile(rb" ?(-?\d+) +blue: ?(-?\d+)\s*$")
SCORE = re.compile(rb" ?(-?\d+) +ping: ?-?\d+ +client: ?(\d+)")
EVENT = re.compile(rb" ?(-?\d+) (-?\d+) (-?\d+)(?: (-?\d+))?:")

#: Teams of ``ClientUserinfoChanged``: who plays for themselves, red, blue; anybody else only watches.
SIDES = {b"0": ALONE, b"1": 1, b"2": 2}
RED, BLUE = 1, 2

#: Teams of events.
TEAMS = {b"1": RED, b"2": BLUE}

#: How the death that a change of teams logs ends.
SUICIDE = b"MOD_SUICIDE"

#: How long after it the change of teams is logged, seconds.
AT_ONCE = 1.0

#: Lines that matter once the game has ended.
AFTER_EXIT = (b"red", b"score")

#: Lines about clients that are kept in mind, since servers repeat them.
MOST_CLIENTS = 1000

#: What an event of capture the flag says: the flag was captured.
CAPTURED = b"1"
#: What an event of elimination and of capture the flag elimination says when a round begins.
ROUND_BEGINS, CTF_ROUND_BEGINS = b"0", b"4"
#: Events of capture the flag elimination that end a round: captured, won in three ways, drawn.
CTF_ROUND_ENDS = (b"1", b"6", b"7", b"8", b"9")

#: What a setting has where it changes nothing; a mutator is one that has anything else.
DEFAULTS = {
    "g_instantgib": "0", "g_rockets": "0", "g_vampire": "0", "g_regen": "0", "g_gravity": "800",
    "g_gravitymodifier": "1", "g_damagemodifier": "0", "g_speed": "320", "g_quadfactor": "3", "g_catchup": "0",
    "g_knockback": "1000", "g_speedmodifier": "1", "g_runes": "0", "g_lms_mode": "0", "g_respawntime": "0",
    "elimination_selfdamage": "0", "elimination_ctf_oneway": "0",
}  # fmt: skip

#: Settings that the servers tell and that do not change what skill is, or hardly.
SETTINGS = frozenset((
    "g_gametype", "g_needpass", "g_allowvote", "g_votegametypes", "g_votemaxtimelimit", "g_votemintimelimit",
    "g_votemaxfraglimit", "g_voteminfraglimit", "g_votemaxcapturelimit", "g_votemincapturelimit", "g_votemaxbots",
    "g_voteminbots", "g_votenames", "g_votemaps", "g_obeliskrespawndelay", "g_enabledust", "g_enablebreath",
    "g_delaghitscan", "g_altexcellent", "g_timestamp", "g_dowarmup", "g_warmup", "g_maxgameclients", "g_teamautojoin",
    "g_teamforcebalance", "g_smoothclients", "g_weaponrespawn", "g_inactivity", "g_log", "g_logsync",
    "g_synchronousclients", "g_bottype", "g_modversion", "g_motd", "g_friendlyfire", "g_spskill",
    "elimination_roundtime", "elimination_warmup", "elimination_activewarmup",
))  # fmt: skip

#: Numbers of game types, the same in all games of the family that are listed here.
_BASE = {"0": "ffa", "1": "duel", "2": "ffa", "3": "tdm", "4": "ctf"}
_TEAM_ARENA = {**_BASE, "5": "1fctf", "6": "overload", "7": "harvester"}
_OPENARENA = {
    **_TEAM_ARENA, "8": "elimination", "9": "ctf-elimination", "10": "lms", "11": "dd", "12": "domination",
    "13": "possession",
}  # fmt: skip
_NAMES = {
    "dm": "ffa", "deathmatch": "ffa", "tournament": "duel", "tourney": "duel", "1v1": "duel", "team": "tdm",
    "oneflag": "1fctf", "obelisk": "overload", "ctfelimination": "ctf-elimination", "doubled": "dd",
    "dom": "domination",
}  # fmt: skip

RULES = (
    Rules("openarena", {**_NAMES, **_OPENARENA}, cosmetic=SETTINGS, gameplay=frozenset(DEFAULTS)),
    Rules("quake3", {**_NAMES, **_TEAM_ARENA}, cosmetic=SETTINGS, gameplay=frozenset(DEFAULTS)),
)

#: What ``gamename`` says, as the game's name in a ruleset; of others their own.
GAMES = {"baseoa": "openarena", "baseq3": "quake3", "missionpack": "quake3", "": "quake3"}


class Quake3:
    """The Quake 3 family, see :class:`equipoise.games.reading.Game`."""

    name = "quake3"

    def recognise(self, head: bytes) -> str:
        """Tell by the beginning of a game, or by some lines of one."""
        lines = 0
        for line in LINE.finditer(head):
            if line[3] == b"InitGame" and line[4].lstrip().startswith(b"\\"):
                return "a line 'InitGame: \\...'"
            lines += line[1] is not None
            if lines == ENOUGH_LINES:
                return "lines such as '0:54 Kill: ...'"
        return ""

    def reader(self, source: str, first_line: int = 1) -> Quake3Reader:
        """Return a reader for a log."""
        return Quake3Reader(source, first_line)

    def rules(self) -> tuple[Rules, ...]:
        """Return the tables of the games of the family."""
        return RULES


def ruleset_of(settings: dict[str, str]) -> Ruleset:
    """Return the ruleset of a game from the settings in its ``InitGame`` line."""
    gamename = settings.get("gamename", "").lower()
    game = GAMES.get(gamename, gamename)
    rules = next((each for each in RULES if each.game == game), None)
    if rules is None:
        rules = Rules(game, {**_NAMES, **_BASE}, cosmetic=SETTINGS, gameplay=frozenset(DEFAULTS))
    return rules.ruleset(settings.get("g_gametype", "0"), mutators_of(settings))


def mutators_of(settings: dict[str, str]) -> list[str]:
    """Return those settings of a game that are not as they are by default.

    Examples
    --------
    >>> mutators_of({"g_instantgib": "1", "g_rockets": "0", "g_gravity": "800", "g_grapple": "1"})
    ['g_grapple', 'g_instantgib']
    """
    return sorted(
        name
        for name, value in settings.items()
        if name.startswith(("g_", "elimination_"))
        and name not in SETTINGS
        and value not in ("", "0", DEFAULTS.get(name))
    )


def settings_of(info: bytes) -> dict[str, str]:
    r"""Return the settings of an ``InitGame`` line, ``\key\value\key\value``, the keys in lower case."""
    parts = text_from(info).strip(" \r").split("\\")[1:]
    return {key.lower(): value for key, value in zip(parts[::2], parts[1::2], strict=False)}


def identity_of(info: bytes, name: str) -> str:
    """Return who a client is: a bot by name and level, a person by GUID, or else by name without colours."""
    skill = SKILL.search(info)
    if skill is not None:
        return bot_id(name, float(skill[1]))
    guid = GUID.search(info)
    if guid is None:
        return NAME + (COLOUR.sub("", name) or name)
    known = text_from(guid[1])
    return known if STRONG_GUID.fullmatch(known) else f"guid:{known}"


class _Running:
    """A game between its ``InitGame`` and its result."""

    def __init__(self, settings: dict[str, str], seconds: int | None, where: str) -> None:
        from hashlib import sha256  # here, as it costs a cold start of those who read no log

        self.where = where
        self.timed = seconds is not None
        self.ruleset = ruleset_of(settings)
        self.map = settings.get("mapname", "")
        self.date = _date(settings.get("g_timestamp", ""))
        self.last = seconds or 0
        self.began = self.at
        self.play = Play()
        self.hash = sha256()
        self.contests: list[Contest] = []
        #: Sides of those who are connected, whether they have entered or not.
        self.sides: dict[bytes, int | None] = {}
        self.entered: set[bytes] = set()
        #: When somebody last died by their own hand, which a change of teams may take back.
        self.suicides: dict[bytes, float] = {}
        #: Kills and deaths of everyone when the round began, and the last round that was decided.
        self.before: dict[str, tuple[int, int]] = {}
        self.round: bytes | None = None
        self.warm_up = self.exited = False
        self.team_scores: tuple[int, int] | None = None
        self.scores: dict[bytes, int] = {}

    @property
    def at(self) -> float:
        """When something happens: the date of the game, or, without one, the time in the log."""
        return self.date if self.date is not None else float(self.last)

    def tick(self, seconds: int) -> None:
        """Move the clock on; a time that runs backwards moves nothing."""
        if seconds > self.last:
            self.play.clock += seconds - self.last
        self.last = seconds

    def cover(self, content: bytes) -> None:
        """Let the identity of the game cover some of its lines; how they end does not matter."""
        self.hash.update(content.replace(b"\r", b""))

    def placed(self) -> bool:
        """Tell whether everyone who plays has a score."""
        return all(slot in self.scores for slot, client in self.play.clients.items() if client.side is not None)

    def outcome(self) -> Parsed:
        """Return the match."""
        if self.team_scores is not None:
            if self.round is None:
                red, blue = self.team_scores
                self.add(self.play.result(self.ruleset, {RED: red, BLUE: blue}, self.at))
        else:
            clients = self.play.clients
            scores = {clients[slot].identity: score for slot, score in self.scores.items() if slot in clients}
            self.add(self.play.placements(self.ruleset, scores, self.at))
        return self.play.match(
            self.contests, self.hash.hexdigest(), self.where, began=self.began, ended=self.at, map_name=self.map
        )

    def add(self, contest: Contest | None) -> None:
        """Keep a contest, if there was anybody to play against."""
        if contest is not None:
            self.contests.append(contest)


def _date(stamp: str) -> float | None:
    try:
        return datetime.fromisoformat(stamp).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


class Quake3Reader:
    """Reads one log, see :class:`equipoise.games.reading.Reader`."""

    def __init__(self, source: str, first_line: int) -> None:
        self._source = source
        self._lines = Lines(first_line)
        self._game: _Running | None = None
        self._settled = (0, first_line)
        self._out: list[Parsed] = []
        self._clients: dict[bytes, tuple[bytes, str, str, int | None]] = {}

    @property
    def settled(self) -> int:
        """Bytes that are not needed again."""
        return self._settled[0]

    @property
    def settled_line(self) -> int:
        """The number of the line that begins there."""
        return self._settled[1]

    def read(self, data: bytes) -> list[Parsed]:
        """Take the next bytes; return what has ended with them."""
        for block in self._lines.take(data):
            if block.content:
                self._block(block)
            else:
                self._out.append(Skipped(f"{self._source}, line {block.line}", TOO_LONG))
            if self._game is None:
                self._settled = (self._lines.offset, self._lines.line)
        return self._given()

    def finish(self) -> list[Parsed]:
        """Take the end of the log; a game that has no result yet is unfinished."""
        self._abandon("the log ends before its result")
        return self._given()

    def _given(self) -> list[Parsed]:
        out, self._out = self._out, []
        return out

    def _block(self, block: Block) -> None:
        """Go through the lines that matter."""
        content = block.content
        covered = 0
        for line in LINE.finditer(content):
            minutes, seconds, kind, rest = line.groups()
            game = self._game
            if kind == b"InitGame":
                if game is not None and not self._decided(game, content[covered : line.start()]):
                    self._abandon("it ends without a result")
                covered = line.start()
                self._begin(block, line)
                continue
            if game is None:
                continue
            if minutes is not None:
                game.tick(60 * int(minutes) + int(seconds))
            elif game.timed:
                self._skip(block, line, "it has no time, in a log with times")
                continue
            if game.exited and kind not in AFTER_EXIT:
                if self._decided(game, content[covered : line.start()]):
                    continue
                if kind == b"ShutdownGame":
                    self._abandon("it ends without a result")
                continue
            wrong = HANDLERS[kind](self, game, rest)
            if wrong is not None:
                self._skip(block, line, wrong)
            elif game.exited and (game.team_scores is not None or (game.scores and game.placed())):
                self._decided(game, content[covered : line.end() + 1])
        if self._game is not None:
            self._game.cover(content[covered:])

    def _skip(self, block: Block, line: re.Match[bytes], reason: str) -> None:
        self._out.append(Skipped(f"{self._source}, line {block.line_at(line.start())}", reason))

    def _begin(self, block: Block, line: re.Match[bytes]) -> None:
        minutes, seconds, _, rest = line.groups()
        number = block.line_at(line.start())
        if len(self._clients) > MOST_CLIENTS:
            self._clients.clear()
        self._settled = (block.offset + line.start(), number)
        self._game = _Running(
            settings_of(rest),
            None if minutes is None else 60 * int(minutes) + int(seconds),
            f"{self._source}, line {number}",
        )

    def _decided(self, game: _Running, content: bytes) -> bool:
        """Let a game that has a result end with some last lines of it."""
        if game.team_scores is None and not game.scores:
            return False
        game.cover(content)
        self._out.append(game.outcome())
        self._game = None
        return True

    def _abandon(self, reason: str) -> None:
        game, self._game = self._game, None
        if game is not None:
            self._out.append(Unfinished(game.where, "it was a warm-up" if game.warm_up else reason))

    def _shut_down(self, game: _Running, rest: bytes) -> None:
        self._abandon("it ends without a result")

    def _kill(self, game: _Running, rest: bytes) -> str | None:
        kill = KILL.match(rest)
        if kill is None:
            return "a Kill without killer, victim and weapon"
        killer, victim = kill[1], kill[2]
        if not game.timed:
            game.play.clock += 1.0
        if killer == victim and rest.rstrip().endswith(SUICIDE):
            game.suicides[victim] = game.play.clock
        game.play.kill(killer, victim)
        return None

    def _info(self, game: _Running, rest: bytes) -> str | None:
        known = self._clients.get(rest)
        if known is None:
            info = INFO.match(rest)
            if info is None:
                return "a ClientUserinfoChanged without client, name and team"
            name = text_from(info[2])
            known = info[1], identity_of(rest, name), name, SIDES.get(info[3])
            self._clients[rest] = known
        slot, identity, name, side = known
        play = game.play
        client = play.clients.get(slot)
        if client is None or not _same(client.identity, identity):
            play.arrive(slot, identity, name)
            if client is not None:
                game.entered.discard(slot)
        else:
            client.person.name = name
            changed = client.side is not None and client.side != side
            if changed and play.clock - game.suicides.get(slot, -math.inf) <= AT_ONCE:
                play.spare(slot)
        game.sides[slot] = side
        if slot in game.entered:
            play.place(slot, side)
        return None

    def _enter(self, game: _Running, rest: bytes) -> str | None:
        slot = rest.strip()
        if not slot.isdigit():
            return "a ClientBegin without client"
        game.entered.add(slot)
        if slot in game.sides:
            game.play.place(slot, game.sides[slot])
        return None

    def _leave(self, game: _Running, rest: bytes) -> str | None:
        slot = rest.strip()
        if not slot.isdigit():
            return "a ClientDisconnect without client"
        game.play.leave(slot)
        game.entered.discard(slot)
        game.sides.pop(slot, None)
        return None

    def _flag(self, game: _Running, rest: bytes) -> str | None:
        event = EVENT.match(rest)
        if event is None:
            return "a CTF without client, flag and event"
        if event[3] == CAPTURED:
            game.add(game.play.moment(game.ruleset, _captor(game, event[1], event[2]), game.at))
        return None

    def _round(self, game: _Running, rest: bytes) -> str | None:
        event = EVENT.match(rest)
        if event is None:
            return "an ELIMINATION without round, team and event"
        if event[3] == ROUND_BEGINS:
            game.before = game.play.counts()
        else:
            self._round_ends(game, event[1], TEAMS.get(event[2]))
        return None

    def _flag_round(self, game: _Running, rest: bytes) -> str | None:
        event = EVENT.match(rest)
        if event is None or event[4] is None:
            return "a CTF_ELIMINATION without round, client, team and event"
        if event[4] == CTF_ROUND_BEGINS:
            game.before = game.play.counts()
        elif event[4] == CAPTURED:
            self._round_ends(game, event[1], _captor(game, event[2], event[3]))
        elif event[4] in CTF_ROUND_ENDS:
            self._round_ends(game, event[1], TEAMS.get(event[3]))
        return None

    def _round_ends(self, game: _Running, number: bytes, winner: int | None) -> None:
        """Keep a round, once; a server may call a round that it has given to a team drawn as well."""
        if number != game.round:
            game.round = number
            game.add(game.play.moment(game.ruleset, winner, game.at, game.before))

    def _exit(self, game: _Running, rest: bytes) -> None:
        game.exited = True

    def _team_scores(self, game: _Running, rest: bytes) -> str | None:
        if game.exited:
            scores = TEAM_SCORES.match(rest)
            if scores is None:
                return "a red score without a blue one"
            game.team_scores = int(scores[1]), int(scores[2])
        return None

    def _score(self, game: _Running, rest: bytes) -> str | None:
        """Take a final score; of those who play in teams only the teams' is the result."""
        if game.exited:
            score = SCORE.match(rest)
            if score is None:
                return "a score without ping and client"
            client = game.play.clients.get(score[2])
            if client is not None and client.side == ALONE:
                game.scores[score[2]] = int(score[1])
        return None

    def _warm_up(self, game: _Running, rest: bytes) -> None:
        game.warm_up = True


#: What is done with each kind of line; ``None``, or what is wrong with it.
HANDLERS: dict[bytes, Callable[[Quake3Reader, _Running, bytes], str | None]] = {
    b"Kill": Quake3Reader._kill, b"ClientUserinfoChanged": Quake3Reader._info,
    b"ClientBegin": Quake3Reader._enter, b"ClientDisconnect": Quake3Reader._leave, b"CTF": Quake3Reader._flag,
    b"ELIMINATION": Quake3Reader._round, b"CTF_ELIMINATION": Quake3Reader._flag_round,
    b"Exit": Quake3Reader._exit, b"red": Quake3Reader._team_scores, b"score": Quake3Reader._score,
    b"Warmup": Quake3Reader._warm_up, b"ShutdownGame": Quake3Reader._shut_down,
}  # fmt: skip


def _same(known: str, identity: str) -> bool:
    """Tell whether a client is still who it was; a person without GUID may change the name."""
    return known.partition("#")[0] == identity or (known.startswith(NAME) and identity.startswith(NAME))


def _captor(game: _Running, slot: bytes, flag: bytes) -> int | None:
    """Return the side that captured a flag: that of whoever did, or else the one whose flag it was not."""
    client = game.play.clients.get(slot)
    if client is not None and client.side:
        return client.side
    lost = TEAMS.get(flag)
    return None if lost is None else RED + BLUE - lost


#: The game.
GAME = Quake3()
