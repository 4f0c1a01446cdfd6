"""What happens on a server and what it is asked to do, as values.

Teams count from 0, None for those who do not play.  Orders name slots, teams and numbers; names never leave.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from equipoise.core.match import Ruleset
from equipoise.core.player import Rating
from equipoise.play.live.levers import BotSkills, RatingUnits

#: What teams are called unless a game says otherwise.
SIDES = ("Red", "Blue", "Green", "Gold")


@dataclass(frozen=True, slots=True)
class Announced:
    """A match is announced.

    Parameters
    ----------
    map : str
        Where it is played.
    teams : int
        How many teams; 1 where everybody plays alone.
    minimum, maximum : int
        For how many players the map is made; None for any number.
    ruleset : Ruleset, optional
        What is played.
    sides : tuple of str
        What the teams are called.
    level : bool
        Whether a level begins, in which the server's own list is believed only after a moment; otherwise
        another match begins among those who are there.
    same_server : bool
        Whether the server is surely the one of the level before; otherwise it may have been started again.
    """

    map: str = ""
    teams: int = 2
    minimum: int = 0
    maximum: int | None = None
    ruleset: Ruleset = field(default_factory=Ruleset)
    sides: tuple[str, ...] = SIDES
    level: bool = True
    same_server: bool = False


@dataclass(frozen=True, slots=True)
class Joined:
    """Somebody is there.

    Parameters
    ----------
    slot : int
        The server's number of them.
    id, name : str
        Who it is, and what is shown.
    bot : bool
        Whether it is a bot that fills up, which may be removed.
    team : int or None
        The team, where there is one.
    level : float or None
        Of a bot.
    """

    slot: int
    id: str
    name: str = ""
    bot: bool = False
    team: int | None = None
    level: float | None = None


@dataclass(frozen=True, slots=True)
class Left:
    """Somebody is gone."""

    slot: int


@dataclass(frozen=True, slots=True)
class Changed:
    """Somebody is in another team now, or in none."""

    slot: int
    team: int | None


@dataclass(frozen=True, slots=True)
class Renamed:
    """Somebody has another name."""

    slot: int
    name: str


@dataclass(frozen=True, slots=True)
class Seen:
    """The server's own list.

    Parameters
    ----------
    teams : mapping from int to (int or None)
        The team of everyone who is there, by slot.
    asked : float
        When it was asked for: it says nothing of what was under way then; infinite where it is of now.
    """

    teams: Mapping[int, int | None]
    asked: float = float("inf")


@dataclass(frozen=True, slots=True)
class RatingsKnown:
    """What ratings say; whatever was known before is forgotten.

    Parameters
    ----------
    ratings : mapping from str to Rating
        By id.
    default : Rating
        Of somebody who has not played.
    skills : BotSkills
        What bots are worth.
    scale : RatingUnits
        What the units mean.
    ranks : mapping from str to (int, int, float)
        Rank, among how many, and the weight from 0 to 100 that is shown.
    """

    ratings: Mapping[str, Rating] = field(default_factory=dict)
    default: Rating = Rating(50.0)  # noqa: RUF009 -- frozen
    skills: BotSkills = BotSkills(Rating(50.0))  # noqa: RUF009 -- frozen
    scale: RatingUnits = RatingUnits(25.0, 0.0)  # noqa: RUF009 -- frozen
    ranks: Mapping[str, tuple[int, int, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Weighed:
    """The weight of one more is known; None where nobody knows it."""

    id: str
    rating: Rating | None


@dataclass(frozen=True, slots=True)
class Starting:
    """The game is about to start: teams are chosen."""


@dataclass(frozen=True, slots=True)
class Started:
    """Play has begun."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """Whatever came before was read from a record: everyone is accepted where they are."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The game has ended."""

    scores: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Carrying:
    """Somebody carries a flag, or no longer."""

    slot: int
    carries: bool


@dataclass(frozen=True, slots=True)
class Died:
    """Somebody is not alive, for so many seconds, or until they are spawned where that is not known."""

    slot: int
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Spawned:
    """Somebody is alive again."""

    slot: int


@dataclass(frozen=True, slots=True)
class Swapped:
    """Both teams have changed sides, as at half-time."""


@dataclass(frozen=True, slots=True)
class CannotMove:
    """The server does not know the command that moves people."""


@dataclass(frozen=True, slots=True)
class Clock:
    """How many seconds of the game are left."""

    left: float


@dataclass(frozen=True, slots=True)
class Chatted:
    """Somebody wrote in the chat."""

    slot: int
    text: str


@dataclass(frozen=True, slots=True)
class TimePassed:
    """Time has passed."""


@dataclass(frozen=True, slots=True)
class Unheard:
    """The console does not answer, or refuses what it is asked: nothing that is ordered would be seen."""


@dataclass(frozen=True, slots=True)
class Busy:
    """What was asked for is still under way: its effect is not to be expected yet.

    Parameters
    ----------
    once : bool
        Whether that may be bots who are to come or to go, which must not be asked for twice.
    """

    once: bool = True


Event = (
    Announced | Joined | Left | Changed | Renamed | Seen | RatingsKnown | Weighed | Starting | Started
    | Resumed | Unheard | Ended | Carrying | Died | Spawned | Swapped | CannotMove | Clock | Chatted
    | TimePassed | Busy
)  # fmt: skip


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
