"""Servers of games that a file describes, balanced while they run.

What lines of the log mean is that which they mean for matches; ``[console]`` says how the server is spoken to
(docs/how-to/describe-a-game.md).  No name leaves: people are moved by their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from equipoise.errors import InputError
from equipoise.games.described_game import ALONE_TYPES, DescribedConsole, DescribedGame
from equipoise.games.econ import Econ
from equipoise.games.match_in_progress import BOT
from equipoise.games.rcon import DARKPLACES, Rcon
from equipoise.games.roster_log import RosterLog, slot_of
from equipoise.games.server_adapter import Ranges, RemoteConsole, ServerFamily
from equipoise.games.source_rcon import SourceRcon
from equipoise.play.live.events import (
    Announced,
    Changed,
    Chatted,
    Command,
    Died,
    Event,
    Joined,
    Left,
    MovePlayer,
    Renamed,
    Say,
    Seen,
    Started,
)

if TYPE_CHECKING:
    from equipoise.games.server_adapter import ServerConsole, ServerLog

#: Who speaks what descriptions call a protocol.
REMOTES: Mapping[str, Callable[[str], RemoteConsole]] = {
    "source-rcon": SourceRcon,
    "econ": Econ,
    "quake3": Rcon,
    "darkplaces": partial(Rcon, dialect=DARKPLACES),
}

#: Seconds after the beginning of a match within which those who were there before another map was loaded have
#: come again.
GATHERING = 0.7


class DescribedLog(RosterLog):
    """Reads what happens off a log, piece by piece.

    Parameters
    ----------
    game : DescribedGame
        What lines mean.
    console : DescribedConsole
        How the server lists who is there.
    ranges : mapping from str to (int, int or None)
        For how many players each map is made, where that is known.
    """

    def __init__(self, game: DescribedGame, console: DescribedConsole, ranges: Ranges) -> None:
        super().__init__(game.name, ranges)
        self._game, self._console = game, console
        #: Who somebody is, from map to map until they leave.
        self._known: dict[int, str] = {}
        self._begins = False

    def begin(self) -> list[Event]:
        """Return that a match has begun, if one was announced: those who were there have come again."""
        begins, self._begins = self._begins, False
        return [Started()] if begins else []

    def _line(self, line: bytes) -> list[Event]:
        """Return what a line says."""
        meant = self._game.meaning(line, self._here)
        return [] if meant is None else self._take(*meant)

    def answered(self, question: str, text: str) -> Event | None:
        """Return who is there, from the answer to the question for the list.

        The log alone says who somebody is; where rows have no team it is believed about that too.
        """
        if question != self._console.players:
            return None
        row = self._console.row
        teams: dict[int, int | None] = {}
        for line in text.split("\n"):
            found = row.fullmatch(line.strip("\0\r").encode("utf-8", "replace"))
            slot = None if found is None else slot_of(found["slot"].decode())
            if found is not None and slot is not None and slot in self._here:
                listed = found["team"] if "team" in row.groupindex else None
                known = self._here[slot][2]
                teams[slot] = known if listed is None else self._game.team(listed.decode("utf-8", "replace"))
        return Seen(teams)

    def _take(self, event: str, values: Mapping[str, str]) -> list[Event]:
        """Return what follows from what a line means."""
        if event == "begin":
            return self._begin(values)
        if event in ("map", "stop"):  # who stays comes again
            self._map = values.get("map", "")
            if event == "stop":
                self._known.clear()
            return [*self._over(), *self._all_gone()]
        if event in ("arrive", "team", "rename", "leave"):
            return self._person(event, values)
        if event == "chat":
            slot = slot_of(values["slot"])
            return [Chatted(slot, values["text"].strip())] if slot in self._here else []
        if event in ("kill", "suicide"):
            return [*self.begin(), *self._died(slot_of(values.get("victim_slot", "")))]
        if event in ("end", "win", "draw"):
            return self._over()
        return []

    def _begin(self, values: Mapping[str, str]) -> list[Event]:
        """Return that a match begins; those who are there come to life again.

        Where nobody is there yet, as after another map was loaded, teams are chosen a moment later.
        """
        events = self._over()
        self._map = values.get("map", self._map)
        game = self._game
        kind = game.table.game_type(values.get("type", "") or game.game_type) or "tdm"
        self.ruleset = game.table.ruleset(kind, game.mutators)
        self._runs = True
        low, high = self._ranges.get(self._map, (0, None))
        teams = 1 if kind in ALONE_TYPES else len(game.teams)
        events.append(Announced(self._map, teams, low, high, self.ruleset, level=False))
        for slot in sorted(self._here):
            events += self._died(slot)
        self._begins = True
        return [*events, *(self.begin() if len(self._here) > 1 else [])]

    def _over(self) -> list[Event]:
        """Return that the game has ended, if one ran; one that was announced has not begun."""
        self._begins = False
        return super()._over()

    def _died(self, slot: int | None) -> list[Event]:
        known = slot is not None and slot in self._here and self._console.respawn is not None
        return [Died(slot, self._console.respawn)] if known and slot is not None else []

    def _person(self, event: str, values: Mapping[str, str]) -> list[Event]:
        """Return who comes, goes, and plays where."""
        slot = slot_of(values.get("slot", ""))
        if slot is None:
            return []
        before = self._here.get(slot)
        if event == "leave":
            self._here.pop(slot, None)
            self._known.pop(slot, None)
            return [Left(slot)] if before is not None else []
        name = values.get("name") or values.get("who", "")
        team = self._game.team(values["team"]) if "team" in values else None
        if before is None or event == "arrive":
            identity = self._known.get(slot, "")
            if not identity or self._game.is_somebody_new(values):
                identity = self._game.identity(values.get("id", ""), name)
            self._known[slot] = identity
            self._here[slot] = (identity, name, team)
            return [Joined(slot, identity, name, identity.startswith(BOT), team)]
        identity, known, was = before
        events: list[Event] = []
        if name and name != known:
            events.append(Renamed(slot, name))
        self._here[slot] = (identity, name or known, was if event == "rename" else team)
        if event == "team" and team != was:
            events += [*self._died(slot), Changed(slot, team)]
        return events


class DescribedCommands:
    """Writes commands as lines of a console, as a description has them.

    Parameters
    ----------
    console : DescribedConsole
        The commands.
    """

    def __init__(self, console: DescribedConsole) -> None:
        self._console = console

    def begin(self) -> list[str]:
        """Return the first lines for a server."""
        return list(self._console.begin)

    def lines(self, commands: Iterable[Command], _: Mapping[int, Joined]) -> list[str]:
        """Return the lines for commands; what such a server cannot do is left out."""
        console = self._console
        found: list[str] = []
        for command in commands:
            if isinstance(command, MovePlayer) and console.move and command.team < len(console.teams):
                found.append(console.move.format(slot=command.slot, team=console.teams[command.team]))
            elif isinstance(command, Say) and command.slot is not None and console.tell:
                found.append(console.tell.format(slot=command.slot, text=command.text))
            elif isinstance(command, Say) and console.say:
                found.append(console.say.format(text=command.text))
        return found

    def who(self, _: Sequence[int]) -> list[str]:
        """Return nothing: those who are there stand in the log."""
        return []


def server_of(game: DescribedGame, name: str = "") -> ServerFamily:
    """Return how servers of a described game are read and spoken to.

    Parameters
    ----------
    game : DescribedGame
        The game.
    name : str
        What reads its logs: its registered name or its file; by default its name.

    Raises
    ------
    InputError
        If the description has no console.
    """
    console = game.console
    if console is None:
        msg = f"{name or game.name} has no [console], which says how its servers are spoken to"
        raise InputError(msg, "game")

    def log(ranges: Ranges, _: Mapping[str, str]) -> ServerLog:
        return DescribedLog(game, console, ranges)

    def commands(_: Mapping[str, str]) -> ServerConsole:
        return DescribedCommands(console)

    return ServerFamily(
        name or game.name, REMOTES[console.protocol], log, commands, console.players,
        levels=False, keeps_teams=False, bots=False, moves=bool(console.move), moves_kill=console.moves_kill,
        tells=bool(console.tell), begins_after=GATHERING,
    )  # fmt: skip
