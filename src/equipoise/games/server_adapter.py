"""What differs between the servers that can be balanced while they run: one record for each family.

A record is all that is needed for another family; :data:`equipoise.core.registry.SERVERS` has their names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from equipoise.core.match import Ruleset
from equipoise.games.rcon import ConsoleAnswer
from equipoise.play.live.events import SIDES, Command, Event, Joined

#: For how many players maps are made: the least and the most, None for any number.
Ranges = Mapping[str, tuple[int, int | None]]


class ServerLog(Protocol):
    """Reads what happens on a server, off its log and off what its console answers."""

    #: What is played now.
    ruleset: Ruleset

    def read(self, piece: bytes) -> list[Event]:
        """Return what happened in the next bytes of the log."""

    def again(self) -> None:
        """Begin with another piece of a log, which does not go on where the last one ended."""

    def begin(self) -> list[Event]:
        """Return that a game has begun, if one was announced: nothing more was heard for a while."""

    def answered(self, question: str, text: str) -> Event | None:
        """Return what an answer of the console tells: everyone who is there, or one who was unknown."""


class RemoteConsole(Protocol):
    """The bytes of a console as a state machine: what is wanted goes in, what is to be sent comes out."""

    #: How the bytes travel: ``"udp"``, or ``"tcp"`` for a ``StreamConsole``.
    transport: ClassVar[str]
    #: Whether the console does not answer, and whether it refused the password.
    silent: bool
    refused: bool
    #: How many orders were dropped before they were sent.
    unsent: int

    @property
    def idle(self) -> bool:
        """Whether nothing is out and nothing waits."""

    @property
    def ordering(self) -> bool:
        """Whether an order is out or waits, or may not have been carried out yet."""

    @property
    def underway(self) -> bool:
        """Whether an order that must not be given twice may not have been carried out yet."""

    def withdraw(self, lines: Iterable[str]) -> None:
        """Take orders back that are no longer wanted, mostly since their effect was seen."""

    def ask(self, question: str) -> None:
        """Ask for an answer."""

    def order(self, lines: Iterable[str]) -> None:
        """Let orders be carried out, in order."""

    def forget_orders(self, *, same_server: bool = False) -> None:
        """Drop the orders that wait; tell whether the server is surely the one that was there before."""

    def receive(self, data: bytes, now: float, /) -> None:
        """Take bytes that arrived."""

    def outgoing(self, now: float) -> list[bytes]:
        """Return what is to be sent now."""

    def answers(self) -> list[ConsoleAnswer]:
        """Return the answers that came since this was last asked."""


class ServerConsole(Protocol):
    """Writes commands as lines of a console; names never leave, but for those of the settings."""

    def begin(self) -> list[str]:
        """Return the first lines for a server."""

    def lines(self, commands: Iterable[Command], there: Mapping[int, Joined], /) -> list[str]:
        """Return the lines for commands, of those who are there; what cannot be done is left out."""

    def who(self, slots: Sequence[int], /) -> list[str]:
        """Return the questions for who is in slots of which nothing is known."""


@dataclass(frozen=True, slots=True)
class ServerFamily:
    """How servers of one family are read and spoken to.

    Parameters
    ----------
    game : str
        The registered game that reads matches off their logs.
    remote : callable
        Makes a :class:`RemoteConsole` from its password.
    log : callable
        Makes a :class:`ServerLog` from the ranges of maps, and the bots that count as players.
    console : callable
        Makes a :class:`ServerConsole` from the bots that count as players.
    players : str
        The question for the team of everyone who is there.
    moves_bots : bool
        Whether a bot can be put into another team; otherwise it is removed, and another one added.
    levels : bool
        Whether each bot has a skill of its own.
    keeps_teams : bool
        Whether teams of an intermission last into the next game; otherwise they are chosen when it begins.
    move_seconds : float
        How long the server takes at most until somebody who is to be moved is in the other team.
    go_on : tuple of str
        What makes a game with people in it that has ended go on, one after the other.
    bots : bool
        Whether bots can be added and removed.
    moves : bool
        Whether the server can move people; otherwise that is suggested in the chat.
    tells : bool
        Whether something can be said to one player; otherwise everybody reads it, after a name.
    moves_kill : bool
        Whether somebody who is moved while alive dies of it; they are moved between lives then.
    begins_after : float
        Seconds after the announcement of a game at which it has begun, if nothing else was heard.
    sides : tuple of str
        What the teams are called in the chat.
    moved_by : callable, optional
        Returns such a family whose servers move people by a command of the admin's.
    """

    game: str
    remote: Callable[[str], RemoteConsole]
    log: Callable[[Ranges, Mapping[str, str]], ServerLog]
    console: Callable[[Mapping[str, str]], ServerConsole]
    players: str
    moves_bots: bool = False
    levels: bool = True
    keeps_teams: bool = True
    move_seconds: float = 0.0
    go_on: tuple[str, ...] = ()
    bots: bool = True
    moves: bool = True
    tells: bool = True
    moves_kill: bool = False
    begins_after: float = 2.0
    sides: tuple[str, ...] = SIDES
    moved_by: Callable[[str], ServerFamily] | None = None
