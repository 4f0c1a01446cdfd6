"""What the lines of the weight protocol mean: each command, and what a conversation keeps of those before.

Bytes are cut into lines, and results written, in :mod:`equipoise.service.weights.conversation`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

from equipoise.core.player import Seats
from equipoise.errors import InputError
from equipoise.service.weights.messages import (
    MOST_TEAMS,
    Authorised,
    Chances,
    Division,
    Everyone,
    Finished,
    Handicap,
    Join,
    Lookup,
    Named,
    Queued,
    QueueVerb,
    Refusal,
    Refused,
    Request,
    Rules,
    Setting,
    Wrong,
    decimal,
    full,
    member_in,
    name_in,
    placed_in,
    refuse_more,
    whole,
)
from equipoise.service.weights.queue_commands import OPEN, queue_request

#: The commands for queues; the first says which is meant from then on.
QUEUE_COMMANDS = {each.value.encode(): each for each in QueueVerb}

#: Teams of a game in which nobody was divided yet.
USUAL_TEAMS = 2

#: Sign that separates the fields of a line; names may hold spaces, never this.
TAB = b"\t"

#: Commands without an answer.
_SILENT = (b"GAME", b"MUTATOR", b"PARTY", b"APART", b"STAY")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one conversation may keep in memory.

    Parameters
    ----------
    line : int
        Bytes of a line without its end.
    mutators, members : int
        How many there may be since ``GAME``.

    Raises
    ------
    InputError
        If a limit is below 1.
    """

    line: int = 8192
    mutators: int = 64
    members: int = 128

    def __post_init__(self) -> None:
        for each in dataclasses.fields(self):
            if getattr(self, each.name) < 1:
                msg = f"{each.name} must be at least 1, got {getattr(self, each.name)}"
                raise InputError(msg)


class Conversation:
    """What came since ``GAME``, and the request that each line makes of it.

    Parameters
    ----------
    token : callable or None
        Tells whether a token is right; without it no results are taken.
    limits : Limits
        What may be kept.
    """

    def __init__(self, token: Callable[[str], bool] | None, limits: Limits) -> None:
        self._token = token
        self._limits = limits
        self._authorised = False
        self._queue = ""
        self._seats: Seats = ()
        self._begin("")

    def _begin(self, game_type: str) -> None:
        self._game_type = game_type
        self._mutators: list[str] = []
        self._setting: Setting | None = None
        self._named: dict[bytes, None] = {}
        self._newest: bytes | None = None
        self._crowded = False
        self._seats = ((),) * USUAL_TEAMS
        self._together: list[tuple[Named, ...]] = []
        self._apart: list[tuple[Named, ...]] = []
        self._stay = Rules().stay

    def _keep(self, lines: list[bytes]) -> None:
        """Keep whom lookups name."""
        if self._crowded:
            return
        named = self._named
        named |= dict.fromkeys(lines)
        named.pop(b"MEANBOT", None)
        if len(named) > self._limits.members:
            self._crowded = True
            self._named = dict.fromkeys(islice(named, self._limits.members))

    def _lookup(self, line: bytes) -> Lookup:
        self._newest = None if line in self._named else line
        self._keep([line])
        return Lookup(self._now(), line)

    def _troubled(self) -> bool:
        return len(self._mutators) > self._limits.mutators

    def _now(self) -> Setting:
        if self._setting is None:
            self._setting = Setting(self._game_type, tuple(self._mutators))
        return self._setting

    def _request(self, line: bytes) -> Request | None:
        """Return the request of a line, None where it has no answer."""
        if len(line) > self._limits.line:
            return Refused(Refusal.LINE_TOO_LONG)
        head, *fields = line.split(TAB)
        verb, _, rest = head.partition(b" ")
        read = self._commands.get(verb)
        if read is None and verb in QUEUE_COMMANDS:
            try:
                return self._queued(QUEUE_COMMANDS[verb], rest, fields)
            except Wrong as wrong:
                return Refused(wrong.why)
        if read is None:
            return Refused(Refusal.UNKNOWN_COMMAND)
        if self._troubled() and verb not in _SILENT:
            return Refused(Refusal.TOO_MANY_MUTATORS)
        try:
            return read(self, rest, fields)
        except Wrong as wrong:
            return Refused(wrong.why)

    def _game(self, rest: bytes, fields: list[bytes]) -> None:
        self._begin(name_in(rest, fields))

    def _mutator(self, rest: bytes, fields: list[bytes]) -> None:
        name = name_in(rest, fields)
        if not self._troubled() and name not in self._mutators:
            self._mutators.append(name)
            self._setting = None

    def _player(self, rest: bytes, fields: list[bytes]) -> Request:
        name_in(rest, fields)
        return self._lookup(b"PLAYER " + rest)

    def _bot(self, rest: bytes, fields: list[bytes]) -> Request:
        name_in(rest, fields)
        return self._lookup(b"BOT " + rest)

    def _mean_bot(self, rest: bytes, fields: list[bytes]) -> Request:
        refuse_more(rest, fields)
        return self._lookup(b"MEANBOT")

    def _everyone(self, rest: bytes, fields: list[bytes]) -> Request:
        refuse_more(rest, fields)
        return Everyone(self._now())

    def _teams(self, rest: bytes, fields: list[bytes]) -> Request:
        teams = whole(rest, 2, MOST_TEAMS)
        if len(fields) > self._limits.members:
            raise Wrong(Refusal.TOO_MANY_MEMBERS)
        placed = [placed_in(field, teams) for field in fields or self._named]
        members = tuple(member for member, _ in placed)
        if len(set(members)) < len(members):
            raise Wrong(Refusal.BAD_FIELD)
        if len(members) > self._limits.members or (self._crowded and not fields):
            raise Wrong(Refusal.TOO_MANY_MEMBERS)
        if len(members) < teams:
            raise Wrong(Refusal.TOO_FEW_MEMBERS)
        here = set(members)
        together, apart = (
            tuple(each for group in groups if len(each := tuple(filter(here.__contains__, group))) > 1)
            for groups in (self._together, self._apart)
        )
        seats = tuple((member, team) for member, team in placed if team is not None)
        return Division(self._now(), teams, members, Rules(together, apart, seats, self._stay))

    def _party(self, rest: bytes, fields: list[bytes]) -> None:
        self._group(self._together, rest, fields)

    def _not_together(self, rest: bytes, fields: list[bytes]) -> None:
        self._group(self._apart, rest, fields)

    def _group(self, groups: list[tuple[Named, ...]], rest: bytes, fields: list[bytes]) -> None:
        """Keep who belong together, or do not."""
        refuse_more(rest, [])
        kept = sum(map(len, (*self._together, *self._apart)))
        if kept + len(fields) > 2 * self._limits.members:
            raise Wrong(Refusal.TOO_MANY_MEMBERS)
        members = tuple(member_in(field, Refusal.BAD_FIELD) for field in fields)
        if len(members) < 2 or len(set(members)) < len(members):
            raise Wrong(Refusal.BAD_FIELD)
        groups.append(members)

    def _price(self, rest: bytes, fields: list[bytes]) -> None:
        refuse_more(b"", fields)
        price = decimal(rest)
        if not 0.0 <= price <= 1.0:
            raise Wrong(Refusal.BAD_NUMBER)
        self._stay = price

    def _chances(self, rest: bytes, fields: list[bytes]) -> Request:
        refuse_more(rest, [])
        return Chances(self._now(), full(self._seated(fields)))

    def _handicap(self, rest: bytes, fields: list[bytes]) -> Request:
        refuse_more(rest, [])
        return Handicap(self._now(), full(self._seated(fields)))

    def _late(self, rest: bytes, fields: list[bytes]) -> Request:
        member = Named(False, name_in(rest, []), b"PLAYER " + rest)
        seats = self._seated(fields)
        if sum(map(len, seats)) >= self._limits.members:
            raise Wrong(Refusal.TOO_MANY_MEMBERS)
        return Join(self._now(), seats, member)

    def _auth(self, rest: bytes, fields: list[bytes]) -> Request:
        if self._token is None:
            raise Wrong(Refusal.NO_TOKEN)
        if not self._token(name_in(rest, fields)):
            self._authorised = False
            raise Wrong(Refusal.WRONG_TOKEN)
        self._authorised = True
        return Authorised()

    def _result(self, rest: bytes, fields: list[bytes]) -> Request:
        if self._token is None:
            raise Wrong(Refusal.NO_TOKEN)
        if not self._authorised:
            raise Wrong(Refusal.NOT_AUTHORISED)
        if not self._game_type:
            raise Wrong(Refusal.NO_GAME)
        name = name_in(rest, [])
        if not fields:
            raise Wrong(Refusal.BAD_NUMBER)
        scores = tuple(map(decimal, fields[0].split(b" ", MOST_TEAMS)))
        seats = full(self._seated(fields[1:]))
        if len(scores) != len(seats):
            raise Wrong(Refusal.BAD_NUMBER)
        return Finished(self._now(), name, scores, seats, rest)

    def _queued(self, verb: QueueVerb, rest: bytes, fields: list[bytes]) -> Request:
        if verb not in OPEN:
            if self._token is None:
                raise Wrong(Refusal.NO_TOKEN)
            if not self._authorised:
                raise Wrong(Refusal.NOT_AUTHORISED)
        if len(fields) > self._limits.members:
            raise Wrong(Refusal.TOO_MANY_MEMBERS)
        if verb is QueueVerb.STATE:
            self._queue = name_in(rest, fields)
            return Queued(self._queue, verb)
        if not self._queue:
            raise Wrong(Refusal.NO_QUEUE)
        return queue_request(self._queue, verb, rest, fields)

    def _seated(self, fields: list[bytes]) -> Seats:
        """Return who sits in which team: as this line says, otherwise as known so far."""
        if not fields:
            return self._seats
        if len(fields) > self._limits.members:
            raise Wrong(Refusal.TOO_MANY_MEMBERS)
        seats: list[list[Named]] = [[] for _ in self._seats]
        for field in fields:
            number, _, rest = field.partition(b" ")
            team = whole(number, 0, MOST_TEAMS - 1)
            seats.extend([] for _ in range(team + 1 - len(seats)))
            seats[team].append(member_in(rest, Refusal.BAD_FIELD))
        if len({member for team in seats for member in team}) < len(fields):
            raise Wrong(Refusal.BAD_FIELD)
        return tuple(map(tuple, seats))

    _commands: ClassVar[Mapping[bytes, Callable[[Conversation, bytes, list[bytes]], Request | None]]] = {
        b"GAME": _game,
        b"MUTATOR": _mutator,
        b"PLAYER": _player,
        b"BOT": _bot,
        b"MEANBOT": _mean_bot,
        b"ALL": _everyone,
        b"PARTY": _party,
        b"APART": _not_together,
        b"STAY": _price,
        b"TEAMS": _teams,
        b"WINPROB": _chances,
        b"ADVANTAGE": _handicap,
        b"JOIN": _late,
        b"AUTH": _auth,
        b"RESULT": _result,
    }
