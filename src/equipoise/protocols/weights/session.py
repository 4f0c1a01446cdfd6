"""The weight protocol: one conversation as an object without I/O.

Bytes in, requests out; results in, bytes out.  docs/protocol.md is normative.  Who knows the weights, where
the bytes come from and how long things take is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import islice
from types import MappingProxyType
from typing import Any, ClassVar, cast

from equipoise.errors import InputError
from equipoise.matches import Setting
from equipoise.players import Seats
from equipoise.protocols.weights.fields import (
    LONGEST_NAME,
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
    Known,
    Late,
    Lookup,
    Named,
    Refusal,
    Refused,
    Request,
    Rules,
    Silent,
)

#: Teams of a game in which nobody was divided yet.
USUAL_TEAMS = 2

#: Bytes of lines that are looked up at once: their answers stay below 8 KiB, and take some 0.03 ms.
TOGETHER = 2048

#: Lines without an answer, and bytes of empty ones, after which whoever reads gets to look at the clock.
SILENT_LINES, SILENT_BYTES = 4, 4096

#: Bytes of the longest lookup; a sign has at most four.
LONGEST_LOOKUP = len(b"PLAYER ") + 4 * LONGEST_NAME

#: Sign that separates the fields of a line; names may hold spaces, never this.
TAB = b"\t"

_EMPTY = re.compile(rb"(?:\r\n)+")

#: The answers where none are known.
NOTHING: Mapping[bytes, bytes] = MappingProxyType({})


def _nothing_known(_: Setting) -> Mapping[bytes, bytes]:
    return NOTHING


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


class WeightSession:
    r"""One conversation with a game server.

    Parameters
    ----------
    token : callable, optional
        Tells whether a token is right, in constant time; without it no results are taken.
    limits : Limits
        What the conversation may keep.
    known : callable, optional
        Returns the answers to lookups in a setting that were found before, by line; those come back as
        :class:`~equipoise.protocols.weights.requests.Known`, many at once.

    Examples
    --------
    >>> session = WeightSession()
    >>> (request,) = session.receive(b"GAME ctf\nPLAYER Ann Lee\nPLAY")
    >>> request.setting.game_type, request.line
    ('ctf', b'PLAYER Ann Lee')
    >>> session.answer(request, b"PLAYER Ann Lee 61.5000\n")
    b'PLAYER Ann Lee 61.5000\n'
    """

    def __init__(
        self,
        token: Callable[[str], bool] | None = None,
        limits: Limits | None = None,
        known: Callable[[Setting], Mapping[bytes, bytes]] = _nothing_known,
    ) -> None:
        self._token = token
        self._limits = limits or Limits()
        # A known line is not measured, so nothing is known where one might be too long.
        self._known = known if self._limits.line >= LONGEST_LOOKUP else _nothing_known
        self._data = b""
        self._going: Generator[Request, None, None] | None = None
        self._skipping = False
        self._authorised = False
        self._seats: Seats = ()
        self._begin("")

    @property
    def buffered(self) -> int:
        """How many bytes are kept: of requests that were not taken, and of an incomplete line."""
        return len(self._data)

    def receive(self, data: bytes) -> Iterator[Request]:
        """Take bytes, cut anywhere; return the requests of all lines that are complete.

        Requests come one by one: each must be answered before the next is taken, since what follows may
        depend on it.  Those not taken come with the next call.
        """
        if self._skipping:
            end = data.find(b"\n") + 1
            self._skipping = not end
            data = data[end:] if end else b""
        if self._going is not None:
            self._going.close()
        self._data += data
        self._going = self._requests()
        return self._going

    def at_once(self, data: bytes) -> bytes:
        r"""Return the answers to what came where it is lookups that are known and nothing else.

        Otherwise nothing is returned and nothing has changed: the bytes are to be given to :meth:`receive`,
        which would have led to the same answers, in more time.  All requests must have been answered.

        Examples
        --------
        >>> session = WeightSession(known=lambda setting: {b"PLAYER ann": b"PLAYER ann 61.5000\n"})
        >>> session.at_once(b"PLAYER ann\n"), session.at_once(b"PLAYER ann\nPLAYER a")
        (b'PLAYER ann 61.5000\n', b'')
        """
        if self._data or self._skipping or data[-1:] != b"\n":
            return b""
        return self._answers(data[:-1])

    def answer(self, request: Request, result: Any) -> bytes:
        """Take the result of a request; return the bytes to send.

        Any request may be refused by giving a
        :class:`~equipoise.protocols.weights.requests.Refusal` as its result.
        """
        if isinstance(request, Known):
            return request.answers
        if isinstance(request, Refused):
            return request.why.line
        if isinstance(request, Silent):
            return b""
        if isinstance(result, Refusal):
            if isinstance(request, Lookup) and request.line == self._newest:
                self._named.pop(request.line, None)
            return result.line
        return self._answered(request, result)

    def _answered(self, request: Request, result: Any) -> bytes:
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
                return f"RESULT {request.id} {'new' if result else 'known'}\n".encode()
        return b"AUTH ok\n"

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

    def _requests(self) -> Generator[Request, None, None]:
        """Go through what has come; what was gone through is not kept, wherever this is left."""
        data, at, singly, silent = self._data, 0, 0, 0
        try:
            while at < len(data):
                if data[at] in b"\r\n" and (empty := _empty_lines(data[at : at + SILENT_BYTES])):
                    at += empty
                    if empty > SILENT_LINES:
                        yield Silent()
                    continue
                if at >= singly:
                    singly = data.rfind(b"\n", at, at + TOGETHER) + 1
                    if singly and (answers := self._answers(data[at : singly - 1])):
                        at = singly
                        yield Known(answers)
                        continue
                start, at = at, data.find(b"\n", at) + 1
                if not at:
                    at = start
                    break
                request = self._request(_bare(data[start : at - 1]))
                if request is not None:
                    yield request
                else:
                    silent += 1
                    if not silent % SILENT_LINES:
                        yield Silent()
            if len(data) - at > self._limits.line + 1:  # which may be a carriage return
                # The beginning is enough to refuse it; its end is thrown away when it comes.
                at, self._skipping = len(data), True
                yield Refused(Refusal.LINE_TOO_LONG)
        finally:
            self._data = data[at:]

    def _answers(self, said: bytes) -> bytes:
        """Return the answers to lines if all are lookups that are known, and keep whom they name."""
        if len(self._mutators) > self._limits.mutators:
            return b""
        if b"\r" in said:
            said = said.replace(b"\r\n", b"\n").removesuffix(b"\r")
        known = self._known(self._setting or self._now())
        lines = said.split(b"\n")
        try:
            answers = b"".join(map(known.__getitem__, lines))
        except KeyError:
            return b""
        if not self._crowded:
            self._keep(lines)
        return answers

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
        head, *fields_ = line.split(TAB)
        verb, _, rest = head.partition(b" ")
        read = self._commands.get(verb)
        if read is None:
            return Refused(Refusal.UNKNOWN_COMMAND)
        if self._troubled() and verb not in _SILENT:
            return Refused(Refusal.TOO_MANY_MUTATORS)
        try:
            return read(self, rest, fields_)
        except Wrong as wrong:
            return Refused(wrong.why)

    def _game(self, rest: bytes, told: list[bytes]) -> None:
        self._begin(name_in(rest, told))

    def _mutator(self, rest: bytes, told: list[bytes]) -> None:
        name = name_in(rest, told)
        if not self._troubled() and name not in self._mutators:
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
        return Everyone(self._now())

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
        return Division(self._now(), teams, members, Rules(together, apart, seats, self._stay))

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
        return Chances(self._now(), full(self._seated(told)))

    def _handicap(self, rest: bytes, told: list[bytes]) -> Request:
        refuse_more(rest, [])
        return Handicap(self._now(), full(self._seated(told)))

    def _late(self, rest: bytes, told: list[bytes]) -> Request:
        member = Named(False, name_in(rest, []), b"PLAYER " + rest)
        seats = self._seated(told)
        if sum(map(len, seats)) >= self._limits.members:
            raise Wrong(Refusal.TOO_MANY_MEMBERS)
        return Late(self._now(), seats, member)

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
        return Finished(self._now(), name, scores, seats)

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

    _commands: ClassVar[Mapping[bytes, Callable[[WeightSession, bytes, list[bytes]], Request | None]]] = {
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


def _empty_lines(data: bytes) -> int:
    """Return how many bytes of empty lines there are at the beginning."""
    plain = len(data) - len(data.lstrip(b"\n"))
    if plain:
        return plain
    found = _EMPTY.match(data[: 8 * SILENT_LINES])
    return found.end() if found else 0


def _bare(line: bytes) -> bytes:
    """Return a line without the carriage return at its end."""
    return line[:-1] if line.endswith(b"\r") else line
