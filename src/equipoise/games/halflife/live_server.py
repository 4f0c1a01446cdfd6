r"""Servers of Team Fortress 2 and Counter-Strike, balanced while they run.

The log says who is there and in which team; ``status`` only who is still connected.  The engine has no
command that moves somebody: plug-ins have, as ``sm_setteam`` and ``css_team``.  Where a server does not know
the one that is sent, moves are suggested in the chat.  Who is moved while alive dies, so people are moved
between lives (until they are spawned again, in Counter-Strike to the end of the round), in the first seconds
after a round, and when they have just come.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from equipoise.errors import InputError
from equipoise.games.halflife.reader import (
    JOINED,
    KILL,
    LINE,
    MAP,
    MATCH_START,
    PERSON,
    RENAMED,
    SWITCHED,
    has_forged_name,
    identity_of,
)
from equipoise.games.halflife.rulesets import CS2, GO, MAPS, TF2, rules_of
from equipoise.games.halflife.team_fortress import FEIGNED, GAME_OVER, ROUND_START, STALEMATE, TOURNAMENT, WON
from equipoise.games.match_in_progress import BOT, text_from
from equipoise.games.rcon import UNKNOWN, checked
from equipoise.games.roster_log import RosterLog, slot_of
from equipoise.games.server_adapter import Ranges, ServerFamily
from equipoise.games.source_rcon import SourceRcon
from equipoise.play.live.events import (
    Announced,
    CannotMove,
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
    Spawned,
    Started,
)

#: Seconds after the end of a round in which nobody loses anything by a move.
ROUND_PAUSE = 5.0

#: The question for who is there.
PLAYERS = "status"

#: Who is not there yet, or only watches the recording.
NOBODY = ("STEAM_ID_PENDING", "HLTV", "Console")

_CHAT = re.compile(rb'say(?:_team)? "(.{0,300})"$')
_ROWS = (
    re.compile(r'^# +(\d{1,7})(?: +\d{1,3})? +".{0,130}" ', re.MULTILINE),
    re.compile(r"^ *(\d{1,7}) +(?:\d{1,4}:\d\d(?::\d\d)?|BOT) +\d+ +\d+ +active ", re.MULTILINE),
)


@dataclass(frozen=True, slots=True)
class SourceGame:
    """What differs between the games.

    Parameters
    ----------
    name : str
        The game in rulesets.
    teams : mapping of bytes to int
        Teams as the log has them.
    called : tuple of str
        Teams as commands have them.
    sides : tuple of str
        Teams as the chat has them.
    """

    name: str
    teams: Mapping[bytes, int]
    called: tuple[str, ...]
    sides: tuple[str, ...]


class SourceLog(RosterLog):
    """Reads what happens off a log, piece by piece.

    Parameters
    ----------
    game : SourceGame
        Whose log it is.
    move : str
        The command that moves people.
    ranges : mapping from str to (int, int or None)
        For how many players each map is made, where that is known.
    """

    def __init__(self, game: SourceGame, move: str, ranges: Ranges, _: Mapping[str, str]) -> None:
        super().__init__(game.name, ranges)
        self._game = game
        self._move = move.split(" ", 1)[0]

    def begin(self) -> list[Event]:
        """Return nothing: lines say when a game begins, and warm-ups are long."""
        return []

    def _line(self, line: bytes) -> list[Event]:
        """Return what a line says."""
        found = LINE.match(line)
        if found is None:
            return []
        text = found[7]
        return self._person(text) if text.startswith(b'"') else self._event(text)

    def answered(self, question: str, text: str) -> Event | None:
        """Return who is there, or that the server does not know how to move anybody.

        The list has no teams, and in some games other numbers: the log is believed about both.
        """
        if question == PLAYERS:
            if "hostname" not in text and "players" not in text:
                return None
            listed = {int(row[1]) for rows in _ROWS for row in rows.finditer(text)}
            known = {slot: team for slot, (_, _, team) in self._here.items()}
            return Seen({slot: team for slot, team in known.items() if slot in listed} or known)
        if self._move and question.startswith(f"{self._move} ") and UNKNOWN.search(text):
            return CannotMove()
        return None

    # What happens

    def _event(self, text: bytes) -> list[Event]:
        """Return what a line about the game says."""
        loaded = MAP.match(text)
        if loaded is not None:
            self._map = text_from(loaded[1])
            return [*self._over(), *self._all_gone(), self._announced(level=True)]
        begun = MATCH_START.match(text)
        if begun is not None:
            self._map = text_from(begun[1])
            return [*self._over(), self._announced(level=False)]
        if text.startswith((GAME_OVER, b"Game Over:")):
            return self._over()
        if text.startswith((ROUND_START, TOURNAMENT)):
            starts: list[Event] = [] if self._runs else [Started()]
            self._runs = True
            return [*(Spawned(slot) for slot in sorted(self._here)), *starts]
        if WON.match(text) or text.startswith((STALEMATE, b'World triggered "Round_End"')):
            return [Died(slot, ROUND_PAUSE) for slot in sorted(self._here)]
        return []

    def _announced(self, *, level: bool) -> Announced:
        kind = next((kind for start, kind in MAPS.items() if self._map.startswith(start)), "elimination")
        self.ruleset = rules_of(self._game.name).ruleset(kind, ())
        low, high = self._ranges.get(self._map, (0, None))
        return Announced(self._map, 2, low, high, self.ruleset, level=level)

    def _person(self, text: bytes) -> list[Event]:
        """Return what a line about somebody says."""
        if has_forged_name(text):
            return []
        kill = KILL.match(text)
        if kill is not None:
            events = [*self._sight(*kill.groups()[:4]), *self._sight(*kill.groups()[4:8])]
            return events if FEIGNED in text[kill.end() :] else [*events, *self._died(kill[6])]
        person = PERSON.match(text)
        if person is None or person[3].decode("latin-1") in NOBODY:
            return []
        rest, slot = person[5], slot_of(person[2])
        if rest.startswith((b"disconnected", b"money change ")):
            left = slot is not None and rest.startswith(b"d") and self._here.pop(slot, None) is not None
            return [Left(slot)] if left and slot is not None else []
        events = self._sight(person[1], person[2], person[3], person[4])
        joined = JOINED.match(rest) or SWITCHED.match(rest)
        if joined is not None:
            return [*events, *self._placed(slot, joined[1])]
        chatted, renamed = _CHAT.match(rest), RENAMED.match(rest)
        if rest.startswith(b"spawned as ") and slot is not None:
            events.append(Spawned(slot))
        elif rest.startswith(b"committed suicide"):
            events += self._died(person[2])
        elif chatted is not None and slot in self._here:
            events.append(Chatted(slot, text_from(chatted[1])))
        elif renamed is not None and slot in self._here:
            identity, _, team = self._here[slot]
            self._here[slot] = (identity, text_from(renamed[1]), team)
            events.append(Renamed(slot, text_from(renamed[1])))
        return events

    def _sight(self, name: bytes, number: bytes, raw: bytes, team: bytes | None) -> list[Event]:
        """Return that somebody is there, and where, if that is new."""
        slot, text = slot_of(number), text_from(raw)
        if slot is None or text in NOBODY:
            return []
        identity = identity_of(text_from(name), text)
        before = self._here.get(slot)
        if before is None or before[0] != identity:
            side = self._game.teams.get(team or b"")
            self._here[slot] = (identity, text_from(name), side)
            return [Joined(slot, identity, text_from(name), identity.startswith(BOT), side)]
        return self._placed(slot, team) if team else []

    def _placed(self, slot: int | None, team: bytes) -> list[Event]:
        """Return that somebody is in another team now."""
        if slot is None or slot not in self._here:
            return []
        identity, name, before = self._here[slot]
        side = self._game.teams.get(team)
        if side == before:
            return []
        self._here[slot] = (identity, name, side)
        return [Changed(slot, side)]

    def _died(self, number: bytes) -> list[Event]:
        slot = slot_of(number)
        return [Died(slot)] if slot is not None and slot in self._here else []


class SourceCommands:
    """Writes commands as lines of the console.

    Parameters
    ----------
    game : SourceGame
        Whose console it is.
    move : str
        The command that moves people, with ``{slot}`` and ``{team}``; empty where there is none.
    """

    def __init__(self, game: SourceGame, move: str, _: Mapping[str, str]) -> None:
        self._game, self._move = game, move

    def begin(self) -> list[str]:
        """Return the first lines for a server: it keeps no balance of its own."""
        return ["mp_autoteambalance 0"]

    def lines(self, commands: Iterable[Command], _: Mapping[int, Joined]) -> list[str]:
        """Return the lines for commands; what such a server cannot do is left out."""
        found = []
        for command in commands:
            if isinstance(command, MovePlayer) and self._move and command.team < len(self._game.called):
                found.append(self._move.format(slot=command.slot, team=self._game.called[command.team]))
            elif isinstance(command, Say):
                found.append(f"say {command.text}")
        return found

    def who(self, _: Sequence[int]) -> list[str]:
        """Return nothing: those who are there stand in the log."""
        return []


def checked_move(move: str) -> str:
    """Return a command that moves people.

    Raises
    ------
    InputError
        If it has not ``{slot}`` and ``{team}`` once each, or signs that are not sent.
    """
    try:
        plain = checked(move.format_map({"slot": 1, "team": "red"}))
    except (ValueError, LookupError):
        plain = ""
    if not plain or move.count("{slot}") != 1 or move.count("{team}") != 1:
        msg = f'must have {{slot}} and {{team}}, as "sm_setteam #{{slot}} {{team}}", got {move!r:.80}'
        raise InputError(msg, "move")
    return move


def family(game: SourceGame, move: str) -> ServerFamily:
    """Return how servers of a game are read and spoken to."""
    if move:
        checked_move(move)
    return ServerFamily(
        "halflife", SourceRcon, partial(SourceLog, game, move), partial(SourceCommands, game, move), PLAYERS,
        levels=False, keeps_teams=False, bots=False, moves=bool(move), tells=False, moves_kill=True,
        sides=game.sides, moved_by=partial(family, game),
    )  # fmt: skip


_TF2 = SourceGame(TF2, {b"Red": 0, b"Blue": 1}, ("red", "blue"), ("Red", "Blue"))
_GO = SourceGame(GO, {b"TERRORIST": 0, b"CT": 1}, ("t", "ct"), ("Terrorists", "Counter-Terrorists"))

#: The games, with the commands of plug-ins that servers of each often have.
TEAM_FORTRESS = family(_TF2, "sm_setteam #{slot} {team}")
COUNTER_STRIKE_2 = family(replace(_GO, name=CS2), "css_team #{slot} {team}")
GLOBAL_OFFENSIVE = family(_GO, "")
