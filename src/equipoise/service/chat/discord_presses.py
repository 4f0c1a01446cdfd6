"""What passes between Discord and lobbies, as plain data: what is pressed, what is answered, what was sent.

Nothing here is slow to load, as whoever presses a button is answered before the lobbies are open.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from equipoise.pages.text.discord import DiscordMessage

#: How the ids of people on Discord begin, and the channels of lobbies there.
PERSON = CHANNEL = "discord:"
IS_PERSON = re.compile(rf"{PERSON}\d{{1,20}}")


@dataclass(frozen=True, slots=True)
class Pressed:
    """Somebody pressed a button, or typed a command.

    Parameters
    ----------
    id : str
        Its number: one that comes again is the same.
    user, name : str
        Who, by number, and what they are called there.
    channel : str
        Where; of a thread the channel it belongs to.
    manages : bool
        Whether they may manage the server.
    command : str
        The command; empty for a button.
    given : mapping from str to str
        Its options; people as ids.
    button : str
        The id of the button.
    names : mapping from str to str
        What those are called who are named by options.
    """

    id: str
    user: str
    name: str
    channel: str
    manages: bool = False
    command: str = ""
    given: Mapping[str, str] = field(default_factory=dict)
    button: str = ""
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def who(self) -> str:
        """The id of the one who did it."""
        return PERSON + self.user


@dataclass(frozen=True, slots=True)
class DiscordAnswer:
    """What the one who pressed is shown, alone: a text, a message, and of whom curves are to be drawn."""

    text: str = ""
    message: DiscordMessage | None = None
    curves: tuple[str, ...] = ()


@dataclass(slots=True)
class Sent:
    """A message that was sent, and the rooms of a game's teams.

    Parameters
    ----------
    channel, message : str
        Where, and which.
    rooms : tuple of str
        Voice channels or threads, one for each team.
    came : mapping from str to str
        From a user to the voice channel they came from.
    at : float
        When, seconds since 1970.
    """

    channel: str
    message: str = ""
    rooms: tuple[str, ...] = ()
    came: Mapping[str, str] = field(default_factory=dict)
    at: float = 0.0


class PlayingTeams(NamedTuple):
    """The teams of a game that is being played, and what the rooms where they talk are called."""

    teams: tuple[tuple[str, ...], ...]
    rooms: tuple[str, ...]
