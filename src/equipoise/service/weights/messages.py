"""The fields of a line of the weight protocol: names, members, seats and numbers, read and written.

What a game server asks, as values: the requests of the weight protocol and what it is refused for.

Only the nouns live here; :mod:`equipoise.service.weights.commands` makes them of lines,
:mod:`equipoise.service.answer_cache` and the shell find their results.  docs/protocol.md says what each
means.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from equipoise.core.player import Member, Seats


class Refusal(Enum):
    """Why a line is answered with ``ERR``: a code, and a sentence for people."""

    UNKNOWN_COMMAND = "unknown-command there is no such command; commands are in capitals"
    LINE_TOO_LONG = "line-too-long the line is too long and was not read"
    BAD_NAME = (
        "bad-name a name must have 1 to 200 characters, none of them control characters; "
        "that of a ticket has letters, digits and . _ : @ ~ - only"
    )
    BAD_NUMBER = "bad-number a number of this command is missing or out of range"
    BAD_FIELD = "bad-field a field is not a team number, PLAYER or BOT and a name, or a member appears twice"
    TOO_MANY_MUTATORS = "too-many-mutators too many mutators since GAME"
    TOO_MANY_MEMBERS = "too-many-members too many players and bots since GAME"
    TOO_FEW_MEMBERS = "too-few-members every team needs a player or a bot"
    AMBIGUOUS_GAME = "ambiguous-game it is not known which game is meant; name it as in GAME openarena/tdm"
    AMBIGUOUS_NAME = "ambiguous-name several players are called so; PLAYER and the name lists their ids"
    NO_GAME = "no-game GAME with the type of the game comes first"
    IMPOSSIBLE = "impossible no split keeps all parties together and the others apart within the sizes"
    NO_TOKEN = "no-token this server takes no results, as it has no token"  # noqa: S105  # a message
    WRONG_TOKEN = "wrong-token the token is wrong"  # noqa: S105  # a message
    NOT_AUTHORISED = "not-authorised AUTH with the token of this server comes first"
    TOO_MANY_CONNECTIONS = "too-many-connections this server takes no more; the connection is closed"
    NO_QUEUE = "no-queue there is no such queue here; QUEUE with its name comes first"
    NO_TICKET = "no-ticket the queue has no such ticket or match"
    REFUSED = "refused the queue refuses it"
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


class QueueVerb(Enum):
    """What a line asks of a queue."""

    STATE = "QUEUE"
    ENTER = "ENTER"
    TICKET = "TICKET"
    LEAVE = "LEAVE"
    ACCEPT = "ACCEPT"
    DECLINE = "DECLINE"
    MATCHES = "MATCHES"
    ENDED = "ENDED"
    SEATS = "SEATS"


@dataclass(frozen=True, slots=True)
class Queued:
    """A line for a queue: the result is the bytes of its answer.

    Parameters
    ----------
    queue : str
        The queue that ``QUEUE`` named.
    verb : QueueVerb
        What is asked.
    name : str
        Of which ticket or match; of the queue none.
    match : str
        Which match is accepted or declined.
    members : tuple of Named
        Who comes, answers, or has left.
    seats : tuple of tuple of Named
        Who plays, where seats are offered.
    played : bool
        Whether a match that ended was played.
    backfill : bool
        Whether a seat in a running match does for who comes.
    """

    queue: str
    verb: QueueVerb
    name: str = ""
    match: str = ""
    members: tuple[Named, ...] = ()
    seats: tuple[tuple[Named, ...], ...] = ()
    played: bool = True
    backfill: bool = False


@dataclass(frozen=True, slots=True)
class Authorised:
    """``AUTH`` with the right token; the result does not matter."""


#: Requests whose results take time: they are to be found beside the conversation, not in it.
Work = Everyone | Division | Chances | Handicap | Join | Finished | Queued

Request = CachedAnswers | Lookup | Silent | Refused | Authorised | Work


#: Longest name: four times what any game server of the trade allows.
LONGEST_NAME = 200

#: Most teams of a game; no game server of the trade has more than 8.
MOST_TEAMS = 16

_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")
_WHOLE = re.compile(rb"[0-9]{1,3}")
_DECIMAL = re.compile(rb"-?[0-9]{1,15}(\.[0-9]{1,9})?")


class Wrong(Exception):  # noqa: N818 -- never leaves the protocol
    """A line that is answered with a refusal."""

    def __init__(self, why: Refusal) -> None:
        self.why = why


def name_in(raw: bytes, more: list[bytes], why: Refusal = Refusal.BAD_NAME) -> str:
    """Return a name that stands to the end of the line."""
    if not raw or more or _CONTROL.search(raw):
        raise Wrong(why)
    name = decoded(raw)
    if len(name) > LONGEST_NAME:
        raise Wrong(why)
    return name


def decoded(raw: bytes) -> str:
    """Return a name as text: UTF-8, or else Latin-1, which is what old engines write.

    Examples
    --------
    >>> decoded("Zoë".encode()) == decoded("Zoë".encode("latin-1"))
    True
    """
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def sayable(name: str) -> bool:
    r"""Tell whether a line can hold a name.

    Examples
    --------
    >>> sayable("Ann Lee"), sayable("a\tb"), sayable("")
    (True, False, False)
    """
    try:
        raw = name.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which some logs have
        return False
    return 0 < len(name) <= LONGEST_NAME and not _CONTROL.search(raw)


def member_in(raw: bytes, why: Refusal) -> Named:
    """Return a member: ``PLAYER`` or ``BOT`` and a name."""
    verb, _, rest = raw.partition(b" ")
    if verb not in (b"PLAYER", b"BOT"):
        raise Wrong(why)
    return Named(verb == b"BOT", name_in(rest, [], why), raw)


def placed_in(raw: bytes, teams: int) -> tuple[Named, int | None]:
    """Return a member, and the team in which it is already."""
    number, _, rest = raw.partition(b" ")
    if not _WHOLE.fullmatch(number):
        return member_in(raw, Refusal.BAD_FIELD), None
    return member_in(rest, Refusal.BAD_FIELD), whole(number, 0, teams - 1)


def refuse_more(rest: bytes, more: list[bytes]) -> None:
    """Refuse what stands after a command that takes nothing."""
    if rest or more:
        raise Wrong(Refusal.BAD_FIELD)


def whole(raw: bytes, least: int, most: int) -> int:
    """Return a whole number within limits."""
    if not _WHOLE.fullmatch(raw) or not least <= int(raw) <= most:
        raise Wrong(Refusal.BAD_NUMBER)
    return int(raw)


def decimal(raw: bytes) -> float:
    """Return a decimal number."""
    if not _DECIMAL.fullmatch(raw):
        raise Wrong(Refusal.BAD_NUMBER)
    return float(raw)


def full(seats: Seats) -> Seats:
    """Return seats where every team has somebody."""
    if not all(seats):
        raise Wrong(Refusal.TOO_FEW_MEMBERS)
    return seats


def plain(number: float) -> str:
    """Return a number as the protocol writes it: four decimals, never an exponent.

    Examples
    --------
    >>> plain(61.25), plain(1e-7)
    ('61.2500', '0.0000')
    """
    return f"{number + 0.0:.4f}"


def decimals(numbers: Sequence[float]) -> str:
    """Return numbers as the protocol writes them, separated by spaces."""
    return " ".join(map(plain, numbers))
