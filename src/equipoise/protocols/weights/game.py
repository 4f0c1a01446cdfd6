"""What a client has said of the game it runs: each line is read into a request, and its answer is kept.

No bytes that are cut anywhere, only whole lines; :mod:`equipoise.protocols.weights.session` finds those.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from itertools import islice
from typing import Any, ClassVar, cast

from equipoise.errors import InputError
from equipoise.matches import Setting
from equipoise.players import Seats
from equipoise.protocols.weights.fields import (
    MOST_TEAMS,
    Wrong,
    decimal,
    decimals,
    full,
    member_in,
    name_in,
    placed_in,
    refuse_more,
    whole,
)
from equipoise.protocols.weights.requests import (
    Authorised,
    Chances,
    Division,
    Everyone,
    Finished,
    Handicap,
    Late,
    Lookup,
    Named,
    Refusal,
    Refused,
    Request,
    Rules,
)

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
        for each in fields(self):
            if getattr(self, each.name) < 1:
                msg = f"{each.name} must be at least 1, got {getattr(self, each.name)}"
                raise InputError(msg)


class Game:
    """The game of one conversation: its type and mutators, who was named, and who sits where.

    Parameters
    ----------
    token : callable or None
        Tells whether a token is right, in constant time; without it no results are taken.
    limits : Limits
        What may be kept.
    """

    def __init__(self, token: Callable[[str], bool] | None, limits: Limits) -> None:
        self._token = token
        self._limits = limits
        self._authorised = False
        self._begin("")

    def _begin(self, game_type: str) -> None:
        self._game_type = game_type
        self._mutators: list[str] = []
        self._setting: Setting | None = None
        self._named: dict[bytes, None] = {}
        self._newest: bytes | None = None
        self._crowded = False
        self._seats: Seats = ((),) * USUAL_TEAMS
        self._together: list[tuple[Named, ...]] = []
        self._apart: list[tuple[Named, ...]] = []
        self._stay = Rules().stay

    def answered(self, request: Request, result: Any) -> bytes:
        """Take the result of a request; return the line that answers it."""
        match request:
            case Lookup() | Everyone():
                return cast("bytes", result)
            case Division(_, teams, members, _):
                self._seats = tuple(
                    tuple(member for member, place in zip(members, result, strict=True) if place == team)
                    for team in range(teams)
                )
                places = (b"%d %b" % (at, one.said) for one, at in zip(members, result, strict=True))
                return TAB.join([b"TEAMS %d" % teams, *places]) + b"\n"
            case Chances():
                self._seats = request.seats
                return f"WINPROB {decimals(result)}\n".encode()
            case Handicap():
                self._seats = request.seats
                return f"ADVANTAGE {decimals(result)}\n".encode()
            case Late(_, seats, member):
                self._seats = tuple(
                    (*team, member) if n == result and member not in team else team
                    for n, team in enumerate(seats)
                )
                return b"JOIN %b %d\n" % (member.said.removeprefix(b"PLAYER "), result)
            case Finished():
                self._seats = request.seats
                return b"RESULT %b %b\n" % (request.said, b"new" if result else b"known")
        return b"AUTH ok\n"

    def refused(self, request: Request) -> None:
        """Take back what a request has changed whose result was a refusal."""
        if isinstance(request, Lookup) and request.line == self._newest:
            self._named.pop(request.line, None)

    def keep(self, lines: list[bytes]) -> None:
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
        self.keep([line])
        return Lookup(self.now(), line)

    def is_troubled(self) -> bool:
        """Tell whether there were too many mutators, so that nothing is answered."""
        return len(self._mutators) > self._limits.mutators

    def now(self) -> Setting:
        """Return what is played."""
        if self._setting is None:
            self._setting = Setting(self._game_type, tuple(self._mutators))
        return self._setting

    def request(self, line: bytes) -> Request | None:
        """Return the request of a line, None where it has no answer."""
        if len(line) > self._limits.line:
            return Refused(Refusal.LINE_TOO_LONG)
        head, *fields_ = line.split(TAB)
        verb, _, rest = head.partition(b" ")
        read = self._commands.get(verb)
        if read is None:
            return Refused(Refusal.UNKNOWN_COMMAND)
        if self.is_troubled() and verb not in _SILENT:
            return Refused(Refusal.TOO_MANY_MUTATORS)
        try:
            return read(self, rest, fields_)
        except Wrong as wrong:
            return Refused(wrong.why)

    def _game(self, rest: bytes, told: list[bytes]) -> None:
        self._begin(name_in(rest, told))

    def _mutator(self, rest: bytes, told: list[bytes]) -> None:
        name = name_in(rest, told)
        if not self.is_troubled() and name not in self._mutators:
            self._mutators.append(name)
            self._setting = None

    def _player(self, rest: bytes, told: list[bytes]) -> Request:
        name_in(rest, told)
        return self._lookup(b"PLAYER " + rest)

    def _bot(self, rest: bytes, told: list[bytes]) -> Request:
        name_in(rest, told)
        return self._lookup(b"BOT " + rest)

    def _mean_bot(self, rest: bytes, told: list[bytes]) -> Request:
        refuse_more(rest, told)
        return self._lookup(b"MEANBOT")

    def _everyone(self, rest: bytes, told: list[bytes]) -> Request:
        refuse_more(rest, told)
        return Everyone(self.now())

    def _teams(self, rest: bytes, told: list[bytes]) -> Request:
        teams = whole(rest, 2, MOST_TEAMS)
        placed = [placed_in(field, teams) for field in told or self._named]
        members = tuple(member for member, _ in placed)
        if len(set(members)) < len(members):
            raise Wrong(Refusal.BAD_FIELD)
        if len(members) > self._limits.members or (self._crowded and not told):
            raise Wrong(Refusal.TOO_MANY_MEMBERS)
        if len(members) < teams:
            raise Wrong(Refusal.TOO_FEW_MEMBERS)
        here = set(members)
        together, apart = (
            tuple(each for group in groups if len(each := tuple(filter(here.__contains__, group))) > 1)
            for groups in (self._together, self._apart)
        )
        seats = tuple((member, team) for member, team in placed if team is not None)
        return Division(self.now(), teams, members, Rules(together, apart, seats, self._stay))

    def _party(self, rest: bytes, told: list[bytes]) -> None:
        self._group(self._together, rest, told)

    def _not_together(self, rest: bytes, told: list[bytes]) -> None:
        self._group(self._apart, rest, told)

    def _group(self, groups: list[tuple[Named, ...]], rest: bytes, told: list[bytes]) -> None:
        """Keep who belong together, or do not."""
        refuse_more(rest, [])
        members = tuple(member_in(field, Refusal.BAD_FIELD) for field in told)
        if len(members) < 2 or len(set(members)) < len(members):
            raise Wrong(Refusal.BAD_FIELD)
        kept = sum(map(len, (*self._together, *self._apart)))
        if kept + len(members) > 2 * self._limits.members:
            raise Wrong(Refusal.TOO_MANY_MEMBERS)
        groups.append(members)

    def _price(self, rest: bytes, told: list[bytes]) -> None:
        refuse_more(b"", told)
        price = decimal(rest)
        if not 0.0 <= price <= 1.0:
            raise Wrong(Refusal.BAD_NUMBER)
        self._stay = price

    def _chances(self, rest: bytes, told: list[bytes]) -> Request:
        refuse_more(rest, [])
        return Chances(self.now(), full(self._seated(told)))

    def _handicap(self, rest: bytes, told: list[bytes]) -> Request:
        refuse_more(rest, [])
        return Handicap(self.now(), full(self._seated(told)))

    def _late(self, rest: bytes, told: list[bytes]) -> Request:
        member = Named(False, name_in(rest, []), b"PLAYER " + rest)
        seats = self._seated(told)
        if sum(map(len, seats)) >= self._limits.members:
            raise Wrong(Refusal.TOO_MANY_MEMBERS)
        return Late(self.now(), seats, member)

    def _auth(self, rest: bytes, told: list[bytes]) -> Request:
        if self._token is None:
            raise Wrong(Refusal.NO_TOKEN)
        if not self._token(name_in(rest, told)):
            self._authorised = False
            raise Wrong(Refusal.WRONG_TOKEN)
        self._authorised = True
        return Authorised()

    def _result(self, rest: bytes, told: list[bytes]) -> Request:
        if self._token is None:
            raise Wrong(Refusal.NO_TOKEN)
        if not self._authorised:
            raise Wrong(Refusal.NOT_AUTHORISED)
        if not self._game_type:
            raise Wrong(Refusal.NO_GAME)
        name = name_in(rest, [])
        if not told:
            raise Wrong(Refusal.BAD_NUMBER)
        scores = tuple(map(decimal, told[0].split(b" ")))
        seats = full(self._seated(told[1:]))
        if len(scores) != len(seats):
            raise Wrong(Refusal.BAD_NUMBER)
        return Finished(self.now(), name, scores, seats, rest)

    def _seated(self, told: list[bytes]) -> Seats:
        """Return who sits in which team: as this line says, otherwise as known so far."""
        if not told:
            return self._seats
        if len(told) > self._limits.members:
            raise Wrong(Refusal.TOO_MANY_MEMBERS)
        seats: list[list[Named]] = [[] for _ in self._seats]
        for field in told:
            number, _, rest = field.partition(b" ")
            team = whole(number, 0, MOST_TEAMS - 1)
            seats.extend([] for _ in range(team + 1 - len(seats)))
            seats[team].append(member_in(rest, Refusal.BAD_FIELD))
        if len({member for team in seats for member in team}) < len(told):
            raise Wrong(Refusal.BAD_FIELD)
        return tuple(map(tuple, seats))

    _commands: ClassVar[Mapping[bytes, Callable[[Game, bytes, list[bytes]], Request | None]]] = {
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
