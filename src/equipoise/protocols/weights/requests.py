"""What a game server asks, as values: the requests of the weight protocol and what it is refused for.

Only the nouns live here; :mod:`equipoise.protocols.weights.commands` makes them of lines,
:mod:`equipoise.serving.board` and the shell find their results.  docs/protocol.md says what each means.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from equipoise.players import Member, Seats


class Refusal(Enum):
    """Why a line is answered with ``ERR``: a code, and a sentence for people."""

    UNKNOWN_COMMAND = "unknown-command there is no such command; commands are in capitals"
    LINE_TOO_LONG = "line-too-long the line is too long and was not read"
    BAD_NAME = "bad-name a name must have 1 to 200 characters, none of them control characters"
    BAD_NUMBER = "bad-number a number of this command is missing or out of range"
    BAD_FIELD = "bad-field a field is not a team number, PLAYER or BOT and a name, or a member appears twice"
    TOO_MANY_MUTATORS = "too-many-mutators too many mutators since GAME"
    TOO_MANY_MEMBERS = "too-many-members too many players and bots since GAME"
    TOO_FEW_MEMBERS = "too-few-members every team needs a player or a bot"
    AMBIGUOUS_GAME = "ambiguous-game it is not known which game is meant; name it as in GAME openarena/tdm"
    NO_GAME = "no-game GAME with the type of the game comes first"
    IMPOSSIBLE = "impossible no split keeps all parties together and the others apart within the sizes"
    NO_TOKEN = "no-token this server takes no results, as it has no token"  # noqa: S105  # a message
    WRONG_TOKEN = "wrong-token the token is wrong"  # noqa: S105  # a message
    NOT_AUTHORISED = "not-authorised AUTH with the token of this server comes first"
    TOO_MANY_CONNECTIONS = "too-many-connections this server takes no more; the connection is closed"
    BUSY = "busy too much is being asked at once; ask again"
    UNAVAILABLE = "unavailable the archive cannot be used just now; ask again"

    @property
    def code(self) -> str:
        """What programs call it."""
        return str(self.value).partition(" ")[0]

    @property
    def line(self) -> bytes:
        """The answer, a line."""
        return f"ERR {self.value}\n".encode()


@dataclass(frozen=True, slots=True)
class Named(Member):
    """A member of a game with the bytes that named it (``b"PLAYER ann"``), in which it is answered."""

    raw: bytes = b""


class Setting(NamedTuple):
    """What is being played, in the words of a game server; a game's table makes a ruleset of it.

    Parameters
    ----------
    game_type : str
        A game type, or a game, a slash and its type; empty if unknown.
    mutators : tuple of str
        All that are active, whether they change play or not, in any order.
    """

    game_type: str = ""
    mutators: tuple[str, ...] = ()


class Silent(NamedTuple):
    """Lines without an answer were read, so that the reader may look at the clock; no result."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that is not a request; its result does not matter."""

    why: Refusal


class Lookup(NamedTuple):
    """``PLAYER``, ``BOT`` or ``MEANBOT``: the result is the line that answers it."""

    setting: Setting
    line: bytes


class CachedAnswers(NamedTuple):
    """Lookups that were answered before, with their answers; their result does not matter."""

    answers: bytes


@dataclass(frozen=True, slots=True)
class Everyone:
    """``ALL``: the result is the lines of everyone, with that of the end."""

    setting: Setting


@dataclass(frozen=True, slots=True)
class Rules:
    """What a division is to keep, as ``PARTY``, ``APART``, ``STAY`` and the seats of ``TEAMS`` say.

    Parameters
    ----------
    parties, apart : tuple of tuples of Member
        Who stay together, and no two of whom are in one team.
    seats : tuple of (Member, int)
        Who is in which team already.
    stay : float
        The price of moving one of those, in win probability.
    """

    parties: tuple[tuple[Member, ...], ...] = ()
    apart: tuple[tuple[Member, ...], ...] = ()
    seats: tuple[tuple[Member, int], ...] = ()
    stay: float = 0.01


@dataclass(frozen=True, slots=True)
class Division:
    """``TEAMS``: the result is the team of each member."""

    setting: Setting
    teams: int
    members: tuple[Named, ...]
    rules: Rules = Rules()


@dataclass(frozen=True, slots=True)
class Chances:
    """``WINPROB``: the result is the chance of each team."""

    setting: Setting
    seats: Seats


@dataclass(frozen=True, slots=True)
class Handicap:
    """``ADVANTAGE``: the result is a factor for each team."""

    setting: Setting
    seats: Seats


@dataclass(frozen=True, slots=True)
class Join:
    """``JOIN``: the result is the team of a player who comes late."""

    setting: Setting
    seats: Seats
    member: Named


@dataclass(frozen=True, slots=True)
class Finished:
    """``RESULT``: a game that has ended; the result is whether it was news.

    Parameters
    ----------
    typed : bytes
        The id as it was sent, in which it is answered.
    """

    setting: Setting
    id: str
    scores: tuple[float, ...]
    seats: Seats
    typed: bytes


@dataclass(frozen=True, slots=True)
class Authorised:
    """``AUTH`` with the right token; the result does not matter."""


#: Requests whose results take time: they are to be found beside the conversation, not in it.
Work = Everyone | Division | Chances | Handicap | Join | Finished

Request = CachedAnswers | Lookup | Silent | Refused | Authorised | Work
