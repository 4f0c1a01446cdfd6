r"""A Nexuiz server: its event log as events, its answers as events, commands as lines of its console.

The log is what the server prints (``sv_eventlog 1``), with anything else between the events.  A level begins
with ``:gamestart:``, after which everyone joins again, in a team that the server chooses; so teams are chosen
when the game begins.  They are applied by ``sv_cmd movetoteam``, which takes bots too, and which after five
seconds of game time writes a line ``:team:`` as if they had moved by themselves: matches have the teams that
were really played.  Bots come and go by ``minplayers``; they have one skill, ``skill``, which is the admin's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from equipoise.core.match import Ruleset
from equipoise.games.log_reader import Lines
from equipoise.games.match_in_progress import BOT
from equipoise.games.nexuiz.event_log import BARE, COLOUR, LINES, LONE_GAMES, START, STATUS, EventLogGame
from equipoise.games.nexuiz.reader import RULES
from equipoise.games.rcon import DARKPLACES, Rcon
from equipoise.games.server_adapter import Ranges, ServerFamily
from equipoise.play.live.events import (
    AddBot,
    Announced,
    Changed,
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
    SetMinimum,
    Started,
)

#: A line of the log that matters here.
LINE = re.compile(
    rb":(gamestart|gameinfo:mutators:LIST|gameinfo:end|join|part|name|team|kill|labels:teamscores"
    rb"|teamscores:see-labels|status|restart|end|gameover)(?::(.*))?"
)

#: Numbers of teams, as lines of the log have them, in the order in which they count here.
CODES = (5, 14)

#: What the teams are called by the console.
TEAMS = ("red", "blue")

#: The question for everyone's team.
PLAYERS = "sv_cmd teamstatus"

_SLOT = re.compile(rb"(\d{1,9}):(\d{1,3}):")
_HEADER = re.compile(r"(Red|Blue) Team ")
_ROW = re.compile(r"  (.*?) +-?\d+ +-?\d+ +-?\d+ +-?\d+ *")
_COLOUR = re.compile(COLOUR.pattern + r"|\x1b\[[0-9;]*m")


@dataclass
class NexuizLog:
    """Reads what happens off a log, piece by piece.

    Parameters
    ----------
    ranges : mapping from str to (int, int or None)
        For how many players each map is made, where that is known.
    players : mapping from str to str
        Bots that count as players, by name.
    """

    ranges: Ranges = field(default_factory=dict)
    players: Mapping[str, str] = field(default_factory=dict)
    #: What is played now.
    ruleset: Ruleset = field(default_factory=Ruleset)
    teams: int = 2
    #: Who is there: slots, by the numbers of the log.
    _slots: dict[bytes, int] = field(default_factory=dict)
    _here: set[bytes] = field(default_factory=set)
    _lines: Lines = field(default_factory=Lines)
    _game: EventLogGame = field(default_factory=lambda: EventLogGame(RULES, "tdm", "", 0, None, ""))
    _announced: bool = True
    _begins: bool = False
    _runs: bool = False
    _status: bool = False

    def again(self) -> None:
        """Begin with another piece of a log, which does not go on where the last one ended."""
        self._lines = Lines()

    def read(self, piece: bytes) -> list[Event]:
        """Return what happened in the next bytes."""
        events: list[Event] = []
        for line in self._lines.each(piece):
            found = LINE.fullmatch(line.rstrip(b"\r"))
            if found is not None:
                events += self._take(found[1], found[2] or b"")
        return events

    def begin(self) -> list[Event]:
        """Return that a game has begun, if one was announced: nothing more was heard for a while."""
        if not self._begins:
            return []
        self._begins = False
        return [Started()]

    def answered(self, question: str, text: str) -> Event | None:
        """Return who is in which team, from the answer to :data:`PLAYERS`.

        Rows have names, not slots; so of those who share a name and are in different teams the log is
        believed, and it alone says who is there.
        """
        if question != PLAYERS:
            return None
        rows = team_status(text)
        teams: dict[int, int | None] = {}
        for number in sorted(self._here):
            client = self._game.play.clients[number]
            found = {team for name, team in rows if name == plain(client.person.name)}
            teams[self._slots[number]] = found.pop() if len(found) == 1 else self._team(client.side)
        return Seen(teams)

    def _take(self, kind: bytes, rest: bytes) -> list[Event]:
        """Return what one line says."""
        if kind == b"gamestart":
            return self._start(rest)
        if kind == b"gameinfo:end":
            return self._announce()
        if self._passed_over(kind, rest):
            return []
        if kind == b"restart":
            self._game.again()
            self._announced = False
            return [*self._over(()), *self._announce()]
        if kind in (b"end", b"gameover"):
            scores = tuple(self._game.totals.get(code, 0.0) for code in CODES)
            return self._over(scores if self.teams > 1 and self._game.totals else ())
        if LINES[kind](self._game, rest) is not None:
            return []
        if kind == b"kill":
            return self.begin()
        if kind == b"join":
            return [*self._announce(), *self._join(rest)]
        if kind == b"part":
            return self._leave(rest)
        number = rest.partition(b":")[0]
        if kind == b"team" and number in self._slots:
            return self._placed(number)
        if kind == b"name" and number in self._here:
            return [Renamed(self._slots[number], self._game.play.clients[number].person.name)]
        return []

    def _passed_over(self, kind: bytes, rest: bytes) -> bool:
        """Tell whether a line is only asked for, or the name of a player, as in the reader of matches."""
        if self._status or (kind == b"status" and STATUS.match(rest)):
            self._status = kind != b"end"
            return True
        return kind == b"status" or (kind in BARE and bool(rest.strip()))

    def _start(self, rest: bytes) -> list[Event]:
        """``:gamestart:type_map:id``: nobody is there until they join."""
        start = START.match(rest)
        if start is None:
            return []
        events: list[Event] = [*self._over(()), *(Left(self._slots[number]) for number in sorted(self._here))]
        self._here.clear()
        self._slots.clear()
        game_type = RULES.game_type(start[1].decode("latin-1"))
        self._game = EventLogGame(RULES, game_type, start[2].decode("latin-1"), 0, None, "")
        self._announced = self._begins = self._status = False
        return events

    def _announce(self) -> list[Event]:
        if self._announced:
            return []
        self._announced = self._begins = self._runs = True
        game = self._game
        self.ruleset = game.ruleset
        self.teams = 1 if game.game_type in LONE_GAMES else len(CODES)
        low, high = self.ranges.get(game.map, (0, None))
        return [Announced(game.map, self.teams, low, high, self.ruleset)]

    def _over(self, scores: tuple[float, ...]) -> list[Event]:
        if not self._runs:
            return []
        self._runs = self._begins = False
        return [Ended(scores)]

    def _join(self, rest: bytes) -> list[Event]:
        """``:join:id:slot:...``: somebody is there; a bot, once it has a team."""
        found = _SLOT.match(rest)
        if found is None or found[1] not in self._game.play.clients:
            return []
        number, slot = found[1], int(found[2])
        events: list[Event] = []
        for other in [each for each, at in self._slots.items() if at == slot or each == number]:
            events += self._leave(other)
        self._slots[number] = slot
        client = self._game.play.clients[number]
        if client.identity.startswith(BOT) and client.side is None:
            return events
        return [*events, *self._placed(number)]

    def _placed(self, number: bytes) -> list[Event]:
        """Return that somebody is there, or in another team now."""
        slot, client = self._slots[number], self._game.play.clients[number]
        team = self._team(client.side)
        if number in self._here:
            return [Changed(slot, team)]
        self._here.add(number)
        identity, name = client.identity.partition("#")[0], client.person.name
        bot = identity.startswith(BOT) and name not in self.players
        return [Joined(slot, identity, name, bot, team)]

    def _leave(self, rest: bytes) -> list[Event]:
        """``:part:id``."""
        number = rest.strip()
        slot = self._slots.pop(number, None)
        if number not in self._here or slot is None:
            return []
        self._here.discard(number)
        return [Left(slot)]

    def _team(self, side: int | None) -> int | None:
        """Return a team as it counts here."""
        if self.teams == 1:
            return None if side is None else 0
        return CODES.index(side) if side in CODES else None


def team_status(text: str) -> list[tuple[str, int]]:
    r"""Return the names and teams that ``teamstatus`` prints.

    Examples
    --------
    >>> team_status("^1Red Team^7 ^32 ^7 kills\n  Ann  ^7  0 ^7  1 ^7 0 ^3  2\n")
    [('Ann', 0)]
    """
    found: list[tuple[str, int]] = []
    team = None
    for line in map(_without_colours, text.splitlines()):
        if header := _HEADER.match(line):
            team = TEAMS.index(header[1].lower())
        elif (row := _ROW.fullmatch(line)) and team is not None:
            found.append((row[1].strip(), team))
    return found


def _without_colours(text: str) -> str:
    return _COLOUR.sub("", text)


def plain(name: str) -> str:
    r"""Return a name without colours, as the log and the console have them.

    Examples
    --------
    >>> plain("^1Ann^7"), plain("\x1b[1;31mAnn\x1b[m")
    ('Ann', 'Ann')
    """
    return _without_colours(name).strip()


class NexuizConsole:
    """Writes commands as lines of the console.

    Parameters
    ----------
    players : mapping from str to str
        Bots that count as players.
    """

    def __init__(self, players: Mapping[str, str] | None = None) -> None:
        self._players = dict(players or {})
        self._minimum = 0

    def begin(self) -> list[str]:
        """Return the first lines for a server: bots fill up to the number that is asked for here."""
        return ["set bot_number 0", "set bot_join_empty 1", "set bot_vs_human 0", "set sv_logscores_bots 1"]

    def lines(self, commands: Iterable[Command], _: Mapping[int, Joined]) -> list[str]:
        """Return the lines for commands; what such a server cannot do is left out.

        Parameters
        ----------
        commands : iterable of Command
            What is to be done.
        """
        found: list[str] = []
        for command in commands:
            if isinstance(command, SetMinimum):
                self._minimum = command.players
            if isinstance(command, SetMinimum | AddBot):
                found.append(f"set minplayers {self._minimum:d}")
            elif isinstance(command, MovePlayer) and command.team < len(TEAMS):
                found.append(f"sv_cmd movetoteam {command.slot:d} {TEAMS[command.team]}")
            elif isinstance(command, RemoveBot):
                found.append(f"kick # {command.slot:d}")
            elif isinstance(command, Say):
                to = "say" if command.slot is None else f"tell # {command.slot:d}"
                found.append(f"{to} {command.text}")
        return list(dict.fromkeys(found))

    def who(self, _: Sequence[int]) -> list[str]:
        """Return nothing: those who are there stand in the log of the level."""
        return []


#: Nexuiz.
SERVER = ServerFamily(
    "nexuiz", partial(Rcon, dialect=DARKPLACES), NexuizLog, NexuizConsole, PLAYERS,
    moves_bots=True, levels=False, keeps_teams=False, move_seconds=8.0,
)  # fmt: skip
