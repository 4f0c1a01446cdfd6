"""A server of the Quake 3 family: its log as events, its answers as events, commands as lines of its console.

A bot cannot be moved there: it is removed and added again in the other team.  What is sent are slots, teams,
levels, and names from here and from the settings; never a name from a log.

A bot with a name from here that nobody else has is removed by it: that may be sent again and again, while
somebody else may have its slot already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from equipoise.core.match import Ruleset
from equipoise.games.log_reader import Lines
from equipoise.games.match_in_progress import ALONE, bot_id, text_from
from equipoise.games.quake3.joined_names import JoinedNames
from equipoise.games.quake3.match_lines import ClientInfo
from equipoise.games.quake3.rulesets import ruleset_of, settings_of
from equipoise.games.rcon import Rcon
from equipoise.games.server_adapter import Ranges, ServerFamily
from equipoise.play.live.events import (
    AddBot,
    Announced,
    Carrying,
    Changed,
    Chatted,
    Clock,
    Command,
    Ended,
    Event,
    Joined,
    Left,
    MovePlayer,
    RemoveBot,
    Renamed,
    Say,
    Seen,
    Started,
    Starting,
)

#: A line of the log.
LINE = re.compile(rb" *(\d{1,7}):(\d\d)(?:\.\d+)? ([A-Za-z_]+):([^\n]*)")

#: Game types in which everybody plays alone.
ALONE_TYPES = frozenset(("0", "1", "2"))

#: Lines that nobody but those who play can cause.
PLAY = frozenset((b"Item", b"Kill", b"PlayerScore", b"TeamScore", b"CTF", b"Award"))

#: Seconds of game time after which a game has begun in any case, and between two looks at its clock.
BEGUN, LOOK = 3, 15

_SCORES = re.compile(rb" ?(-?\d{1,9}) +blue: ?(-?\d{1,9})\s*$")
_KILL = re.compile(rb" ?(\d{1,9}) (\d{1,9}) \d{1,9}:")
_FLAG = re.compile(rb" ?(\d{1,9}) \d{1,9} (\d{1,9}):")

#: A row of ``!listplayers``: the slot, and the team as a letter.
_ROW = re.compile(r"^ *(\d{1,3}) ([A-Z#]) -?\d+ ", re.MULTILINE)
_COUNT = re.compile(r"^!listplayers: (\d{1,3}) players? connected", re.MULTILINE)
_LETTERS = {"R": 0, "B": 1}

#: Characters of bots that fill up.
CHARACTERS = ("Sarge", "Grism", "Kyonshi", "Major", "Gargoyle", "Liz", "Merman", "Tony", "Angelyss", "Ayumi")

#: The level of a bot unless one is asked for.
LEVEL = 3.0

#: What the teams are called by the console.
TEAMS = ("red", "blue")

#: The questions for everyone's team, and for who is in a slot.
PLAYERS, WHO = "!listplayers", "dumpuser "


@dataclass
class Quake3Log:
    """Reads what happens off a log, piece by piece.

    Parameters
    ----------
    ranges : mapping from str to (int, int or None)
        For how many players each map is made, where that is known.
    players : mapping from str to str
        Bots that count as players, by name, with their characters.
    """

    ranges: Ranges = field(default_factory=dict)
    players: Mapping[str, str] = field(default_factory=dict)
    #: What is played now.
    ruleset: Ruleset = field(default_factory=Ruleset)
    teams: int = 2
    _lines: Lines = field(default_factory=lambda: Lines(repair=JoinedNames()))
    _infos: dict[int, ClientInfo] = field(default_factory=dict)
    _here: set[int] = field(default_factory=set)
    _carriers: set[int] = field(default_factory=set)
    _begins: int | None = None
    _exited: bool = False
    _last: int = 0
    _limit: int = 0
    _looked: int = 0
    _start: int = 0

    def again(self) -> None:
        """Begin with another piece of a log, which does not go on where the last one ended."""
        self._lines = Lines(repair=JoinedNames())

    def read(self, piece: bytes) -> list[Event]:
        """Return what happened in the next bytes."""
        events: list[Event] = []
        for line in self._lines.each(piece):
            found = LINE.match(line)
            if found is not None:
                seconds = 60 * int(found[1]) + int(found[2])
                events += self._take(seconds, found[3], found[4])
        return events

    def begin(self) -> list[Event]:
        """Return that a game has begun, if one was announced: nothing more was heard for a while."""
        if self._begins is None:
            return []
        self._begins = None
        return [Started(), *self._clock(self._last)]

    def answered(self, question: str, text: str) -> Event | None:
        """Return what an answer of the console tells."""
        if question == PLAYERS:
            return seen(text, self.teams)
        found = who(text) if question.startswith(WHO) else None
        return None if found is None else self.joined(int(question[len(WHO) :]), *found, None)

    def _take(self, seconds: int, kind: bytes, rest: bytes) -> list[Event]:
        """Return what one line says."""
        events: list[Event] = []
        if kind == b"InitGame":
            return self._init(seconds, rest)
        self._last = max(self._last, seconds)
        if self._begins is not None and (kind in PLAY or seconds - self._begins >= BEGUN):
            events += self.begin()
        elif self._limit and seconds - self._looked >= LOOK and self._begins is None and not self._exited:
            events += self._clock(seconds)
        taken = _LINES.get(kind)
        return events if taken is None else [*events, *getattr(self, taken)(rest)]

    def _init(self, seconds: int, rest: bytes) -> list[Event]:
        settings = settings_of(rest)
        events: list[Event] = []
        gone: list[Event] = []
        goes_on = seconds >= self._last > 0  # its clock: else it is another map, or a server that is new
        if not goes_on and (seconds < self._last or not seconds):
            gone += [Left(slot) for slot in sorted(self._here)]
            self._here.clear()
            self._infos.clear()
        if not self._exited and self._begins is None and self._last:
            events.append(Ended())
        self.ruleset = ruleset_of(settings)
        self.teams = 1 if settings.get("g_gametype", "0") in ALONE_TYPES else 2
        self._begins = self._last = self._start = seconds
        limit = settings.get("timelimit", "0")
        self._limit = 60 * int(limit) if re.fullmatch(r"\d{1,4}", limit) else 0
        self._exited = False
        self._carriers.clear()
        where = settings.get("mapname", "")
        low, high = self.ranges.get(where, (0, None))
        announced = Announced(where, self.teams, low, high, self.ruleset, same_server=goes_on)
        return [*events, announced, *gone]

    def _clock(self, seconds: int) -> list[Event]:
        self._looked = seconds
        left = self._start + self._limit - seconds
        return [Clock(float(max(left, 0)))] if self._limit else []

    def _warmup(self, _: bytes) -> list[Event]:
        """``Warmup``: the game itself is yet to come."""
        self._begins = None
        return [Starting()]

    def _info(self, rest: bytes) -> list[Event]:
        """``ClientUserinfoChanged``: a team or a name."""
        client = ClientInfo.of(rest)
        if client is None or len(client.slot) > 3:
            return []
        slot = int(client.slot)
        before = self._infos.get(slot)
        self._infos[slot] = client
        if slot not in self._here:  # on the way, and kicked by a name as well
            return [Renamed(slot, client.name)]
        if before is not None and not client.may_be(before.identity):
            self._here.discard(slot)
            return [Left(slot)]
        events: list[Event] = []
        if before is None or before.name != client.name:
            events.append(Renamed(slot, client.name))
        if before is None or before.side != client.side:
            events.append(Changed(slot, self._team(client)))
        return events

    def _enter(self, rest: bytes) -> list[Event]:
        """``ClientBegin``: somebody is there."""
        slot = _slot(rest)
        client = self._infos.get(-1 if slot is None else slot)
        if slot is None or client is None:
            return []
        if slot in self._here:
            return [Changed(slot, self._team(client))]
        self._here.add(slot)
        return [self.joined(slot, client.identity, client.name, self._team(client))]

    def joined(self, slot: int, identity: str, name: str, team: int | None) -> Joined:
        """Return who is there; bots that are players in the settings are no bots here."""
        bot = identity.startswith("bot:")
        level = identity.rpartition(":")[2] if bot else ""
        known = float(level) if re.fullmatch(r"\d{1,3}(\.\d+)?", level) else None
        return Joined(slot, identity, name, bot and name not in self.players, team, known)

    def _leave(self, rest: bytes) -> list[Event]:
        """``ClientDisconnect``."""
        slot = _slot(rest)
        if slot is None:
            return []
        self._infos.pop(slot, None)
        self._here.discard(slot)
        self._carriers.discard(slot)
        return [Left(slot)]

    def _kill(self, rest: bytes) -> list[Event]:
        """``Kill``: a carrier who is killed carries no flag."""
        kill = _KILL.match(rest)
        victim = int(kill[2]) if kill is not None else -1
        if victim not in self._carriers:
            return []
        self._carriers.discard(victim)
        return [Carrying(victim, carries=False)]

    def _flag(self, rest: bytes) -> list[Event]:
        """``CTF``: got (0) or captured (1) the flag."""
        flag = _FLAG.match(rest)
        if flag is None or flag[2] not in (b"0", b"1"):
            return []
        slot, carries = int(flag[1]), flag[2] == b"0"
        (self._carriers.add if carries else self._carriers.discard)(slot)
        return [Carrying(slot, carries)]

    def _exit(self, _: bytes) -> list[Event]:
        """``Exit``: the game has ended; of teams the scores follow."""
        self._exited = True
        return [Ended()] if self.teams == 1 else []

    def _scores(self, rest: bytes) -> list[Event]:
        """``red:n  blue:m``, the result."""
        scores = _SCORES.match(rest)
        return [Ended((float(scores[1]), float(scores[2])))] if scores is not None and self._exited else []

    def _say(self, rest: bytes) -> list[Event]:
        """``say: NAME: TEXT``: of whom nobody else has the name."""
        text = text_from(rest).strip()
        lines = [
            (slot, text[len(client.name) + 2 :])
            for slot, client in self._infos.items()
            if slot in self._here and client.name and text.startswith(f"{client.name}: ")
        ]
        questions = [(slot, words.strip()) for slot, words in lines if words.strip().startswith("!")]
        return [Chatted(*questions[0])] if len(questions) == 1 else []

    def _team(self, client: ClientInfo) -> int | None:
        if client.side is None:
            return None
        if self.teams == 1:
            return 0
        return None if client.side == ALONE else client.side - 1


#: What takes each kind of line.
_LINES = {
    b"Warmup": "_warmup", b"ClientUserinfoChanged": "_info", b"ClientBegin": "_enter",
    b"ClientDisconnect": "_leave", b"Kill": "_kill", b"CTF": "_flag",
    b"Exit": "_exit", b"red": "_scores", b"say": "_say", b"sayteam": "_say",
}  # fmt: skip


def _slot(rest: bytes) -> int | None:
    text = rest.strip()
    return int(text) if text.isdigit() and len(text) < 4 else None


def seen(answer: str, teams: int = 2) -> Seen | None:
    r"""Return the list that ``!listplayers`` prints, None unless it is whole.

    Examples
    --------
    >>> seen("!listplayers: 2 players connected:\n 0 R 0   Ann\n 3 S 0   Bob\n").teams
    {0: 0, 3: None}
    """
    count = _COUNT.search(answer)
    rows = {int(row[1]): row[2] for row in _ROW.finditer(answer)}
    if count is None or len(rows) != int(count[1]):
        return None
    if teams == 1:
        return Seen({slot: None if letter == "S" else 0 for slot, letter in rows.items()})
    return Seen({slot: _LETTERS.get(letter) for slot, letter in rows.items()})


def who(answer: str) -> tuple[str, str] | None:
    r"""Return id and name from the answer of ``dumpuser``; None where nobody is there.

    Examples
    --------
    >>> who("userinfo\n--------\nname                Sarge\nskill               3.00\n")
    ('bot:Sarge:3', 'Sarge')
    """
    pairs = {row[1]: row[2] for row in re.finditer(r"^(\w+) +(.+?) *$", answer, re.MULTILINE)}
    name, guid, skill = pairs.get("name", ""), pairs.get("cl_guid", ""), pairs.get("skill", "")
    if not name:
        return None
    if "characterfile" in pairs or (skill and not guid):
        return bot_id(name, float(skill) if re.fullmatch(r"\d{1,3}(\.\d+)?", skill) else None), name
    client = ClientInfo.of(f" 0 n\\{name}\\t\\3\\id\\{guid}".encode()) if guid else None
    return (client.identity if client is not None else f"name:{name}"), name


class Quake3Console:
    """Writes commands as lines of the console.

    Parameters
    ----------
    players : mapping from str to str
        Bots that count as players, by name, with their characters.
    """

    def __init__(self, players: Mapping[str, str] | None = None) -> None:
        self._players = dict(players or {})
        self._added = 0

    def begin(self) -> list[str]:
        """Return the first lines for a server: bots come from here alone."""
        return ["set bot_minplayers 0", "set g_teamForceBalance 0"]

    def lines(self, commands: Iterable[Command], there: Mapping[int, Joined]) -> list[str]:
        """Return the lines for commands; what such a server cannot do is left out.

        Parameters
        ----------
        commands : iterable of Command
            What is to be done.
        there : mapping from int to Joined
            Who is there, as the log says.
        """
        found: list[str] = []
        for command in commands:
            if isinstance(command, MovePlayer):
                found += self._move(command, there.get(command.slot))
            elif isinstance(command, RemoveBot):
                found.append(_kick(command.slot, there))
            elif isinstance(command, AddBot) and command.team < len(TEAMS):
                found.append(self._add(command, there))
            elif isinstance(command, Say):
                found.append(f"say {command.text}" if command.slot is None else _tell(command))
        return found

    def who(self, slots: Sequence[int]) -> list[str]:
        """Return the questions for who is in slots of which nothing is known."""
        return [f"{WHO}{slot:d}" for slot in slots]

    def _move(self, command: MovePlayer, who: Joined | None) -> list[str]:
        if command.team >= len(TEAMS):
            return []
        colour = TEAMS[command.team]
        if who is None or not who.id.startswith("bot:"):
            return [f"forceteam {command.slot:d} {colour}"]
        character = self._players.get(who.name)
        if character is None or who.level is None:
            return []
        name = next(known for known in self._players if known == who.name)  # from the settings, not the log
        return [f"clientkick {command.slot:d}", f"addbot {character} {who.level:g} {colour} 0 {name}"]

    def _add(self, command: AddBot, there: Mapping[int, Joined]) -> str:
        taken = {_plain(each.name) for each in there.values()}
        order = [CHARACTERS[(self._added + n) % len(CHARACTERS)] for n in range(len(CHARACTERS))]
        character = next((each for each in order if _plain(each) not in taken), order[0])
        self._added = CHARACTERS.index(character) + 1
        level = LEVEL if command.level is None else command.level
        return f"addbot {character} {level:g} {TEAMS[command.team]} 0"


def _plain(name: str) -> str:
    """Return a name as a server compares it: without colours, and capitals are small letters.

    Examples
    --------
    >>> _plain("^1Sar^7ge")
    'sarge'
    """
    return "".join(sign for sign in re.sub(r"\^[^^]", "", name) if " " <= sign <= "~").lower()


def _kick(slot: int, there: Mapping[int, Joined]) -> str:
    """Return the line that removes a bot: by name where that is one from here which nobody else has.

    Examples
    --------
    >>> bot = Joined(3, "bot:Liz:3", "Liz", True)
    >>> _kick(3, {3: bot}), _kick(3, {3: bot, 4: Joined(4, "x", "^2LIZ")})
    ('kick Liz', 'clientkick 3')
    """
    same = [
        each for each in there.values() if slot in there and _plain(each.name) == _plain(there[slot].name)
    ]
    name = next((each for each in CHARACTERS if len(same) == 1 and same[0].name == each), None)
    return f"clientkick {slot:d}" if name is None else f"kick {name}"


def _tell(command: Say) -> str:
    return f"tell {command.slot:d} {command.text}"


#: OpenArena and its kin.  An intermission with people in it never ends by itself.
SERVER = ServerFamily(
    "quake3", Rcon, Quake3Log, Quake3Console, PLAYERS, go_on=("vstr nextmap", "map_restart 0")
)
