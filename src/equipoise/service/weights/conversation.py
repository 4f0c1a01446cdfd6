"""The weight protocol: one conversation as an object without I/O.

Bytes in, requests out; results in, bytes out.  docs/protocol.md is normative.  Who knows the weights, where
the bytes come from and how long things take is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from types import MappingProxyType
from typing import Any, cast

from equipoise.service.weights.commands import TAB, Conversation, Limits
from equipoise.service.weights.messages import (
    LONGEST_NAME,
    CachedAnswers,
    Chances,
    Division,
    Everyone,
    Finished,
    Handicap,
    Join,
    Lookup,
    Queued,
    Refusal,
    Refused,
    Request,
    Setting,
    Silent,
    decimals,
)

#: Bytes of lines that are looked up at once: their answers stay below 8 KiB, and take some 0.03 ms.
TOGETHER = 2048  # effort

#: Lines without an answer, and bytes of empty ones, after which the reader gets to look at the clock.
SILENT_LINES, SILENT_BYTES = 4, 4096  # effort

#: Bytes of the longest lookup; a sign has at most four.
LONGEST_LOOKUP = len(b"PLAYER ") + 4 * LONGEST_NAME

_EMPTY = re.compile(rb"(?:\r\n)+")

#: The answers where none are known.
NOTHING: Mapping[bytes, bytes] = MappingProxyType({})


def _nothing_known(_: Setting) -> Mapping[bytes, bytes]:
    return NOTHING


class WeightSession(Conversation):
    r"""One conversation with a game server.

    Parameters
    ----------
    token : callable, optional
        Tells whether a token is right, in constant time; without it no results are taken.
    limits : Limits
        What the conversation may keep.
    known : callable, optional
        Returns the answers to lookups in a setting that were found before, by line; those come back as
        :class:`~equipoise.service.weights.messages.CachedAnswers`, many at once.

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
        super().__init__(token, limits or Limits())
        # A known line is not measured, so nothing is known where one might be too long.
        self._known = known if self._limits.line >= LONGEST_LOOKUP else _nothing_known
        self._data = b""
        self._going: Generator[Request, None, None] | None = None
        self._skipping = False
        #: Lookups that were answered.
        self.lookups = 0

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
        :class:`~equipoise.service.weights.messages.Refusal` as its result.
        """
        if isinstance(request, CachedAnswers):
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
            case Lookup():
                self.lookups += 1
                return cast("bytes", result)
            case Everyone() | Queued():
                return cast("bytes", result)
            case Division(_, teams, members, _):
                self._seats = tuple(
                    tuple(member for member, place in zip(members, result, strict=True) if place == team)
                    for team in range(teams)
                )
                places = (b"%d %b" % (at, one.raw) for one, at in zip(members, result, strict=True))
                return TAB.join([b"TEAMS %d" % teams, *places]) + b"\n"
            case Chances():
                self._seats = request.seats
                return f"WINPROB {decimals(result)}\n".encode()
            case Handicap():
                self._seats = request.seats
                return f"ADVANTAGE {decimals(result)}\n".encode()
            case Join(_, seats, member):
                self._seats = tuple(
                    (*team, member) if n == result and member not in team else team
                    for n, team in enumerate(seats)
                )
                return b"JOIN %b %d\n" % (member.raw.removeprefix(b"PLAYER "), result)
            case Finished():
                self._seats = request.seats
                return b"RESULT %b %b\n" % (request.typed, b"new" if result else b"known")
        return b"AUTH ok\n"

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
                        yield CachedAnswers(answers)
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

    def _answers(self, raw: bytes) -> bytes:
        """Return the answers to lines if all are lookups that are known, and keep whom they name."""
        if len(self._mutators) > self._limits.mutators:
            return b""
        if b"\r" in raw:
            raw = raw.replace(b"\r\n", b"\n").removesuffix(b"\r")
        known = self._known(self._setting or self._now())
        lines = raw.split(b"\n")
        try:
            answers = b"".join(map(known.__getitem__, lines))
        except KeyError:
            return b""
        self.lookups += len(lines)
        if not self._crowded:
            self._keep(lines)
        return answers


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
