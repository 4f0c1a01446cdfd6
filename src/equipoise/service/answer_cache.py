"""The answers of one snapshot as lines of the weight protocol, and those that were given before.

Nothing is computed here but bytes; see :mod:`equipoise.service.questions`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from equipoise.core.match import Match, Ruleset
from equipoise.core.plain_data import printable
from equipoise.core.player import Member
from equipoise.core.stopping import Stop, never
from equipoise.errors import InputError
from equipoise.identity.roster_lookup import AmbiguousNameError
from equipoise.service.questions import Answers, Gathered, InfeasibleError, Weights
from equipoise.service.snapshot import AmbiguousGameError, Snapshot
from equipoise.service.weights.conversation import NOTHING
from equipoise.service.weights.messages import (
    Chances,
    Division,
    Everyone,
    Finished,
    Handicap,
    Join,
    Lookup,
    Refusal,
    Request,
    Setting,
    decoded,
    plain,
    sayable,
)

#: Settings whose rulesets are kept; when there are more, all are found again.
MOST_SETTINGS = 32  # effort

#: Lookups of strangers that are kept for each ruleset, and how long their lines may be: together at most
#: 300 KB.
MOST_STRANGERS, LONGEST_STRANGER = 1024, 64  # effort

#: The line after which nobody follows in the answer to ``ALL``.
END = b"END\n"

#: Lines of ``ALL`` that are made at a time: some 0.3 ms.
SOME = 50  # effort


class CachedLines:
    """The answers to lookups in one ruleset by line, found when first asked for.

    All of those who are known are kept, and so many of strangers that they cost little memory.
    """

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._strangers = 0
        self._everyone: bytes | None = None
        mean = weights.mean_bot
        #: Those that were found.
        self.found = {b"MEANBOT": b"MEANBOT %b %d\n" % (plain(mean.weight).encode(), mean.bots)}

    def __getitem__(self, line: bytes) -> bytes:
        """Return the answer to a line; its name has been checked before."""
        found = self.found.get(line)
        if found is not None:
            return found
        verb, _, named = line.partition(b" ")
        member = Member(verb == b"BOT", decoded(named))
        try:
            weight = self._weights.of(member)
        except AmbiguousNameError as error:
            return b"ERR %b %b\n" % (
                Refusal.AMBIGUOUS_NAME.code.encode(), printable(str(error)).encode("utf-8", "replace")
            )  # fmt: skip
        answer = line + b"\n" if weight is None else b"%b %b\n" % (line, plain(weight).encode())
        if not self._weights.lasts(member):
            return answer
        if self._weights.knows(member):
            self.found[line] = answer
        elif self._strangers < MOST_STRANGERS and len(line) <= LONGEST_STRANGER:
            self._strangers += 1
            self.found[line] = answer
        return answer

    def everyone(self, members: Iterator[Member]) -> Iterator[bytes]:
        """Make the answer to ``ALL``, some lines at a time; once it is made it is kept."""
        if self._everyone is None:
            parts: list[bytes] = []
            some: list[bytes] = []
            for member in members:
                if sayable(member.name):
                    some.append(self[f"{'BOT' if member.bot else 'PLAYER'} {member.name}".encode()])
                if len(some) >= SOME:
                    parts.append(b"".join(some))
                    some = []
                    yield b""
            self._everyone = b"".join([*parts, *some, self[b"MEANBOT"], END])
        yield self._everyone


class Board:
    r"""A snapshot as game servers ask for it.

    Parameters
    ----------
    snapshot : Snapshot
        What is known.

    Examples
    --------
    >>> from equipoise.ratings.models.elo import Elo
    >>> from equipoise.service.weights.conversation import WeightSession
    >>> from equipoise.service.snapshot import Ratings
    >>> board, session = Board(Snapshot(Ratings(Elo(), {"ann": (1700.0,)}))), WeightSession()
    >>> for request in session.receive(b"PLAYER ann\nPLAYER eve\nMEANBOT\n"):
    ...     print(session.answer(request, board.result(request)).decode(), end="")
    PLAYER ann 58.3317
    PLAYER eve
    MEANBOT 50.0000 0
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.answers = Answers(snapshot)
        self._lines: dict[Setting, CachedLines] = {}
        self._by_ruleset: dict[Ruleset, CachedLines] = {}

    def known(self, setting: Setting) -> Mapping[bytes, bytes]:
        """Return the answers to lookups in a setting that were found before, by line."""
        found = self._lines.get(setting)
        return NOTHING if found is None else found.found

    def lines(self, setting: Setting) -> CachedLines:
        """Return the answers to lookups in a setting.

        Raises
        ------
        AmbiguousGameError
            If it is not known which game is meant.
        """
        found = self._lines.get(setting)
        if found is None:
            ruleset = self.snapshot.rated(setting)
            found = self._by_ruleset.get(ruleset)
            if found is None:
                found = self._by_ruleset[ruleset] = CachedLines(self.answers.weights(ruleset))
            if len(self._lines) >= MOST_SETTINGS:
                self._lines.clear()
            self._lines[setting] = found
        return found

    def everyone(self, request: Everyone) -> Iterator[bytes]:
        """Make the answer to ``ALL``: what is given last is the whole, and nothing before."""
        return self.lines(request.setting).everyone(self.answers.everyone())

    def result(self, request: Request, stop: Stop = never) -> Any:
        """Return the result of a request that changes nothing, or why there is none.

        Parameters
        ----------
        request : Request
            Any but :class:`~equipoise.service.weights.messages.Finished`.
        stop : callable
            Asked now and then by a division; once it holds, the best so far is taken.
        """
        try:
            return self._result(request, stop)
        except AmbiguousGameError:
            return Refusal.AMBIGUOUS_GAME
        except InfeasibleError:
            return Refusal.IMPOSSIBLE
        except AmbiguousNameError:
            return Refusal.AMBIGUOUS_NAME
        except InputError:  # ids that are one: a bot, and a player who is called as its id
            return Refusal.BAD_FIELD

    def _result(self, request: Request, stop: Stop) -> Any:
        if isinstance(request, Lookup):
            return self.lines(request.setting)[request.line]
        answers = self.answers
        match request:
            case Everyone():
                *_, whole = self.everyone(request)
                return whole
            case Division():
                return self.gather(request).divided(stop) or Refusal.BUSY
            case Chances(setting, seats):
                return answers.chances(setting, seats)
            case Handicap(setting, seats):
                return answers.advantage(setting, seats)
            case Join(setting, seats, member):
                return answers.place(setting, seats, member)
        return None

    def gather(self, request: Division, *, clans: bool = False) -> Gathered:
        """Return a division that can be computed anywhere."""
        rules = request.rules
        return self.answers.gather(
            request.setting, request.members, request.teams, parties=rules.parties, apart=rules.apart,
            seats=rules.seats, stay=rules.stay, clans=clans,
        )  # fmt: skip

    def match(self, request: Finished, now: float) -> Match | Refusal:
        """Return a game that has ended now, seconds since 1970, as what the archive keeps."""
        try:
            return self.answers.match(request.setting, request.id, request.scores, request.seats, now)
        except AmbiguousGameError:
            return Refusal.AMBIGUOUS_GAME
        except AmbiguousNameError:
            return Refusal.AMBIGUOUS_NAME
        except InputError:
            return Refusal.BAD_FIELD
