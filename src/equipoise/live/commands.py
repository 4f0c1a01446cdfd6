"""What a server is asked to do, as values: slots, teams and numbers; names never leave."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MovePlayer:
    """Put somebody into a team."""

    slot: int
    team: int


@dataclass(frozen=True, slots=True)
class AddBot:
    """Add a bot; a level of None is whatever is usual."""

    team: int
    level: float | None = None


@dataclass(frozen=True, slots=True)
class RemoveBot:
    """Remove a bot."""

    slot: int


@dataclass(frozen=True, slots=True)
class SetMinimum:
    """Bots fill up to a number of players, where the server itself does that."""

    players: int


@dataclass(frozen=True, slots=True)
class SetAdvantage:
    """By which factor the strength of each team is to be multiplied: 1 for the strongest."""

    factors: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Say:
    """Say something in the chat, to everyone or to one."""

    text: str
    slot: int | None = None


Command = MovePlayer | AddBot | RemoveBot | SetMinimum | SetAdvantage | Say
