"""What was played: rulesets, contests and matches; frozen, checked once, without behaviour.

A team of a contest is its members, each with the share of it the player was present for.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn

from equipoise.core.player import LARGEST_WEIGHT
from equipoise.errors import InputError

#: The least share of a contest that is accepted, a few milliseconds of an hour: squares and exponentials of
#: what follows from it stay numbers in every rating model.
LEAST_SHARE = 1e-6

#: The shares of those who are all present throughout.
_THROUGHOUT = {1.0}

#: A team of a contest: the id of each player, and the share of the contest the player took part in.
Members = tuple[tuple[str, float], ...]

#: Teams as they may be given: ids, or ids with the share of the time they are present.
Teams = Sequence[Sequence[str | tuple[str, float]]]


def members_of(teams: Teams) -> tuple[Members, ...]:
    """Return teams with everyone's share; who is given as a plain id is present throughout.

    Raises
    ------
    InputError
        If a team is a text, or a member neither an id nor a pair of an id and a share.
    """
    listed = tuple(teams)
    for team in listed:
        if isinstance(team, str):
            msg = "teams must be lists of ids, got text for a team"
            raise InputError(msg)
    return tuple(
        [
            tuple([(member, 1.0) if type(member) is str else _member(member) for member in team])
            for team in listed
        ]
    )


def _member(member: Any) -> tuple[str, float]:
    if type(member) is tuple and len(member) == 2 and type(member[0]) is str and type(member[1]) is float:
        return member  # as every loader gives it
    if isinstance(member, str):
        return member, 1.0
    try:
        player, share = member
        if isinstance(player, str):
            return player, float(share)
    except (TypeError, ValueError):
        pass
    msg = f"teams: a member must be an id or (id, share), got {member!r}"
    raise InputError(msg)


def check_teams(teams: tuple[Members, ...]) -> set[str]:
    """Raise what is wrong with the teams of a contest, or return everyone in them."""
    if len(teams) < 2 or not all(teams):
        msg = "must be two or more, each with at least one player"
        raise InputError(msg, "teams")
    present = {player for team in teams for player, _ in team}
    fine = len(present) == sum(map(len, teams)) and "" not in present
    shares = {share for team in teams for _, share in team}
    if not (fine and (shares == _THROUGHOUT or all(LEAST_SHARE <= share <= 1.0 for share in shares))):
        _refuse_members(teams)
    return present


def _refuse_members(teams: tuple[Members, ...]) -> NoReturn:
    """Raise what is wrong with the first wrong member of teams."""
    seen: set[str] = set()
    for player, share in (member for team in teams for member in team):
        if not player or player in seen:
            msg = f"teams: the player {player!r} {'appears twice' if player else 'has no id'}"
            break
        seen.add(player)
        if not LEAST_SHARE <= share <= 1.0:
            msg = f"share of player {player!r} must be from {LEAST_SHARE:g} to 1, got {share!r}"
            break
    raise InputError(msg)


def is_between(least: float, number: Any, most: float) -> bool:
    """Tell whether something is a number in a range, both ends included.

    Examples
    --------
    >>> is_between(0.0, 1.0, 1.0), is_between(0.0, "x", 1.0)
    (True, False)
    """
    try:
        return bool(least <= number <= most)
    except TypeError:
        return False


#: The largest weight of a contest: squares and exponentials of what follows stay numbers in every model.
HEAVIEST = 1000.0

#: Hexadecimal digits of the id of a match that has none of its own; those of logs have 64.
GIVEN_ID = 40


class _HashKept:
    """Room for a hash: that of a frozen object which is a key again and again."""

    __slots__ = ("_hash",)
    _hash: int


@dataclass(frozen=True, slots=True)
class Ruleset(_HashKept):
    """What a rating is valid for: a game, its type, and the mutators that change how it is played.

    Parameters
    ----------
    game, game_type : str
        For instance ``"ut2004"`` and ``"ctf"``; empty if unknown or if there is only one.
    mutators : tuple of str
        Only those that change play; kept sorted and without repetition.

    Examples
    --------
    >>> Ruleset("ut2004", "ctf", ("lowgrav", "instagib", "lowgrav")).mutators
    ('instagib', 'lowgrav')
    """

    game: str = ""
    game_type: str = ""
    mutators: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "mutators", tuple(sorted(set(self.mutators))))

    def __hash__(self) -> int:
        """Return the hash of the fields, which is worked out once: every look-up of a rating asks for it."""
        try:
            return self._hash
        except AttributeError:  # as after pickling: other processes have other hashes of texts
            found = hash((self.game, self.game_type, self.mutators))
            object.__setattr__(self, "_hash", found)
            return found


@dataclass(frozen=True, slots=True)
class Statistics:
    """What one player did in one contest; None if unknown.

    Parameters
    ----------
    player : str
        The id.
    kills, deaths : float or None
        0 and above.
    score : float or None
        What the game counts for this player, any finite number.

    Raises
    ------
    InputError
        If a number is out of range.
    """

    player: str
    kills: float | None = None
    deaths: float | None = None
    score: float | None = None

    def __post_init__(self) -> None:
        if in_range(self.kills, self.deaths, self.score):
            return
        for field, least in (("kills", 0.0), ("deaths", 0.0), ("score", -LARGEST_WEIGHT)):
            number = getattr(self, field)
            if number is not None and not least <= number <= LARGEST_WEIGHT:
                msg = f"{field} of player {self.player!r} must be from {least:g} to 1e15, got {number!r}"
                raise InputError(msg)


def in_range(kills: float | None, deaths: float | None, score: float | None) -> bool:
    """Tell whether numbers may be those of statistics."""
    return (
        (kills is None or 0.0 <= kills <= LARGEST_WEIGHT)
        and (deaths is None or 0.0 <= deaths <= LARGEST_WEIGHT)
        and (score is None or -LARGEST_WEIGHT <= score <= LARGEST_WEIGHT)
    )


@dataclass(frozen=True, slots=True)
class Contest:
    """Who was together, against whom, who came out ahead, and when: all that a rating model sees.

    Parameters
    ----------
    ruleset : Ruleset
        What kind of game it was.
    teams : sequence of teams
        Two or more, each a sequence of ids or of ``(id, share)``; a share is the part of the contest the
        player was present for, from a millionth to 1.
    ranks : sequence of float
        One for each team: lower is better, equal is a tie.
    weight : float
        How much the contest counts, above 0 and at most 1000; 1 is a whole game.
    at : float
        When it ended, seconds since 1970-01-01 UTC.
    scores : sequence of float, optional
        The final score of each team, more is better; empty where not known.  Where it contradicts the ranks,
        these say who won, see :func:`settled_scores`.
    statistics : sequence of Statistics
        Of those players for whom something is known.
    parties : sequence of sequences of str
        The ids of those who came together and play in one team, two or more each; nobody is in two.
    left : sequence of str
        The ids of those who left before the end for good.

    Raises
    ------
    InputError
        If a field is out of range or a player is in two places.

    Examples
    --------
    >>> Contest(Ruleset(), (["ann"], [("bob", 0.5)]), (1, 2)).teams
    ((('ann', 1.0),), (('bob', 0.5),))
    """

    ruleset: Ruleset
    teams: tuple[Members, ...]
    ranks: tuple[float, ...]
    weight: float = 1.0
    at: float = 0.0
    scores: tuple[float, ...] = ()
    statistics: tuple[Statistics, ...] = ()
    parties: tuple[tuple[str, ...], ...] = ()
    left: tuple[str, ...] = ()

    if TYPE_CHECKING:  # what may be given is more than what is kept

        def __init__(
            self,
            ruleset: Ruleset,
            teams: Teams,
            ranks: Sequence[float],
            weight: float = 1.0,
            at: float = 0.0,
            scores: Sequence[float] = (),
            statistics: Sequence[Statistics] = (),
            parties: Sequence[Sequence[str]] = (),
            left: Sequence[str] = (),
        ) -> None: ...

    def __post_init__(self) -> None:
        settle = object.__setattr__
        ruleset: object = self.ruleset
        if not isinstance(ruleset, Ruleset):
            msg = f'ruleset must be a Ruleset, such as Ruleset("ut2004", "ctf"), got {ruleset!r:.80}'
            raise InputError(msg)
        settle(self, "teams", members_of(self.teams))
        for field in ("ranks", "scores"):
            settle(self, field, _numbers(field, getattr(self, field)))
        settle(self, "statistics", tuple(self.statistics))
        settle(self, "parties", tuple(map(tuple, self.parties)))
        settle(self, "left", tuple(self.left))
        present = check_teams(self.teams)
        _check_numbers(self)
        if self.statistics or self.left:
            _check_named(self, present)
        if self.parties:
            _check_parties(self)

    def content(self) -> tuple[object, ...]:
        """Return all that is known, as plain values; what is unknown is left out at the end."""
        ruleset = self.ruleset
        reports = tuple([(one.player, one.kills, one.deaths, one.score) for one in self.statistics])
        more = (self.parties, self.left) if self.parties or self.left else ()
        return (
            ruleset.game, ruleset.game_type, ruleset.mutators, self.teams, self.ranks, self.weight, self.at,
            self.scores, reports, *more,
        )  # fmt: skip


def _numbers(field: str, given: Sequence[float]) -> tuple[float, ...]:
    """Return what is given for each team as numbers."""
    try:
        return tuple(map(float, given))
    except (TypeError, ValueError, OverflowError):
        msg = f"{field} must be numbers, one for each team, got {given!r:.80}"
        raise InputError(msg) from None


def _check_numbers(contest: Contest) -> None:
    """Raise what is wrong with the numbers of a contest."""
    teams = len(contest.teams)
    if contest.scores and len(contest.scores) != teams:  # first: ranks may have been made of them
        msg = f"scores must be one for each of {teams} teams, or none, got {len(contest.scores)}"
        raise InputError(msg)
    if len(contest.ranks) != teams:
        msg = f"ranks must be one for each of {teams} teams, got {len(contest.ranks)}"
        raise InputError(msg)
    for field, numbers_of in (("ranks", contest.ranks), ("scores", contest.scores)):
        for number in numbers_of:
            if not -LARGEST_WEIGHT <= number <= LARGEST_WEIGHT:
                msg = f"{field} must be from -1e15 to 1e15, got {number!r}"
                raise InputError(msg)
    if not is_between(math.ulp(0.0), contest.weight, HEAVIEST):
        msg = f"weight must be above 0 and at most {HEAVIEST:g}, got {contest.weight!r}"
        raise InputError(msg)
    if not is_between(-LARGEST_WEIGHT, contest.at, LARGEST_WEIGHT):
        msg = f"at must be seconds since 1970, got {contest.at!r}"
        raise InputError(msg)


def settled_scores(ranks: Sequence[float], scores: Sequence[float]) -> tuple[float, ...]:
    """Return scores as a margin is read off them: no team has more than one that is ahead of it by its rank.

    Ranks say who won.  Where a team that is behind has more points, as in tennis, where sets decide, the game
    was close, and that is all that its points say: it counts with as many points as the team ahead.

    Examples
    --------
    >>> settled_scores((1, 2), (50, 51)), settled_scores((1, 2), (50, 40))
    ((50, 50), (50, 40))
    >>> settled_scores((1, 2, 3), (9, 4, 7))
    (9, 4, 4)
    """
    if len(ranks) == 2:  # as most contests are
        (one, other), (mine, theirs) = ranks, scores
        if (one >= other or mine >= theirs) and (other >= one or theirs >= mine):
            return tuple(scores)
    settled = list(scores)
    order = sorted(range(len(ranks)), key=lambda team: ranks[team])
    least = math.inf
    for _, group in itertools.groupby(order, key=lambda team: ranks[team]):
        teams = list(group)
        for team in teams:
            settled[team] = min(settled[team], least)
        least = min(settled[team] for team in teams)
    return tuple(settled)


def _check_named(contest: Contest, present: set[str]) -> None:
    """Raise what is wrong with those in the statistics, and those who left."""
    reports = {one.player for one in contest.statistics}
    if len(reports) < len(contest.statistics) or not present.issuperset(reports):
        msg = (
            "statistics must have one entry for each player of the teams; one appears twice or is in no team"
        )
        raise InputError(msg)
    if not present.issuperset(contest.left):
        msg = "left must name players of the teams; one is in no team"
        raise InputError(msg)


def _check_parties(contest: Contest) -> None:
    """Raise what is wrong with the parties of a contest."""
    team_of = {player: n for n, team in enumerate(contest.teams) for player, _ in team}
    placed: set[str] = set()
    for party in contest.parties:
        teams = {team_of.get(player) for player in party}
        if len(party) < 2 or len(teams) > 1 or None in teams:
            msg = f"parties must be two or more players of one team, got {list(party)!r}"
            raise InputError(msg)
        if len(placed.union(party)) < len(placed) + len(party):
            msg = f"parties: a player of {list(party)!r} appears twice; a player is in at most one party"
            raise InputError(msg)
        placed.update(party)


@dataclass(frozen=True, slots=True)
class Match:
    """One finished game, as the contests a game's log was turned into.

    Parameters
    ----------
    contests : sequence of Contest
        In the order they happened; one for a plain result.
    began, ended : float
        Seconds since 1970-01-01 UTC; the end is by default that of the last contest.
    id : str
        What tells this match from all others, so that it counts once; by default a hash of the content.
    roster : tuple of str
        The ids of everyone who was there; by default everyone in a contest.
    names : tuple of (str, str)
        The id and the display name of those who had one, as last seen in this match.
    map : str
        Where it was played; empty where not known.
    dated : bool
        Whether its times are dates; otherwise only their differences are known, as of a game whose log has no
        dates, and the times are assumed (see :func:`moved`).
    picks : sequence of (str, str)
        Who picked whom, in order, where captains picked the teams.
    server : str
        The name of the server it was played on; empty where not known.
    shared : tuple of str
        Ids that two clients had at once who both played meanwhile, under different names.
    local : {"", "clock", "start"}
        Which of its times a clock showed where the server stands, as seconds from 1970-01-01 0:00: none, all,
        or that of its start, from which seconds were counted.  Readers of logs give such, and
        :mod:`equipoise.core.dates` turns them into dates.
    read : float or None
        When a game was read that counts as of then, as its own date was ahead of the clock.

    Raises
    ------
    InputError
        If there is no contest, a time is not a finite number, or a pick is of somebody who was not there.

    Examples
    --------
    >>> duel = Contest(Ruleset(), (["ann"], ["bob"]), (1, 2))
    >>> Match((duel,)).id == Match((duel,)).id, Match((duel,)).roster
    (True, ('ann', 'bob'))
    """

    contests: tuple[Contest, ...]
    began: float | None = None
    ended: float | None = None
    id: str = ""
    roster: tuple[str, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    map: str = ""
    dated: bool = True
    picks: tuple[tuple[str, str], ...] = ()
    server: str = ""
    shared: tuple[str, ...] = ()
    local: str = ""
    read: float | None = None

    if TYPE_CHECKING:  # what may be given is more than what is kept

        def __init__(
            self,
            contests: Sequence[Contest],
            began: float | None = None,
            ended: float | None = None,
            id: str = "",  # noqa: A002  # the field's name
            roster: Sequence[str] = (),
            names: Sequence[tuple[str, str]] = (),
            map: str = "",  # noqa: A002  # the field's name
            dated: bool = True,
            picks: Sequence[tuple[str, str]] = (),
            server: str = "",
            shared: Sequence[str] = (),
            local: str = "",
            read: float | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        for kept in ("contests", "roster", "names", "shared"):
            object.__setattr__(self, kept, tuple(getattr(self, kept)))
        if not self.contests:
            msg = "contests must be at least one, got none"
            raise InputError(msg)
        for field in ("began", "ended"):
            number = getattr(self, field)
            if number is not None and not is_between(-LARGEST_WEIGHT, number, LARGEST_WEIGHT):
                msg = f"{field} must be seconds since 1970, got {number!r}"
                raise InputError(msg)
        if self.ended is None:
            object.__setattr__(self, "ended", self.contests[-1].at)
        if not self.roster:
            everyone = (player for contest in self.contests for team in contest.teams for player, _ in team)
            object.__setattr__(self, "roster", tuple(dict.fromkeys(everyone)))
        if self.picks:
            self._settle_picks()
        if not self.id:
            where = (self.map, self.server) if self.map or self.server else ()
            contests = [each.content() for each in self.contests]
            content = repr((contests, self.began, self.ended, self.roster, *where))
            import hashlib  # here, as it costs a cold start of those who need no id

            digest = hashlib.sha256(content.encode("utf-8", "backslashreplace")).hexdigest()
            object.__setattr__(self, "id", digest[:GIVEN_ID])

    def _settle_picks(self) -> None:
        picks = tuple(tuple(pick) for pick in self.picks)
        for pick in picks:
            if len(pick) != 2 or not set(pick) <= set(self.roster):
                msg = f"picks must be pairs of players who were there, got {pick!r:.80}"
                raise InputError(msg)
        object.__setattr__(self, "picks", picks)

    @property
    def ruleset(self) -> Ruleset:
        """What kind of game it was: the ruleset of the first contest."""
        return self.contests[0].ruleset


def moved(match: Match, ended: float) -> Match:
    """Return a match that ended at another time, all its other times moved as far.

    Examples
    --------
    >>> duel = Contest(Ruleset(), (["ann"], ["bob"]), (1, 2), at=60.0)
    >>> later = moved(Match((duel,), began=0.0, id="one", dated=False), 1000.0)
    >>> later.began, later.contests[0].at, later.ended
    (940.0, 1000.0, 1000.0)
    """
    by = ended - (match.ended or 0.0)
    if not by:
        return match
    contests = tuple(replace(contest, at=contest.at + by) for contest in match.contests)
    began = None if match.began is None else match.began + by
    return replace(match, contests=contests, began=began, ended=ended)


#: What says that all times of a match are local, or its start alone.
CLOCK, START = "clock", "start"

#: Numbers in an id, and ids that are hashes, in which digits are no numbers.
_NUMBERS, _HASH = re.compile(rb"\d+"), re.compile(rb"[0-9a-f]{64}")


def replay_key(match_id: str | bytes) -> bytes:
    """Return what puts the ids (or their bytes) of matches that end at one time in their order of replay.

    That is the natural one: numbers in ids go by their size, all else by code points.  Ids that are hashes of
    a log go by code points alone.

    Examples
    --------
    >>> sorted(["10", "2", "1", "final", "game 10", "game 9"], key=replay_key)
    ['1', '2', '10', 'final', 'game 9', 'game 10']
    """
    content = match_id if isinstance(match_id, bytes) else match_id.encode("utf-8", "surrogatepass")
    if _HASH.fullmatch(content):
        return content
    key = _NUMBERS.sub(_by_size, content)
    return key if len(key) == len(content) + 2 * len(_NUMBERS.findall(content)) else key + b"\0" + content


def _by_size(number: re.Match[bytes]) -> bytes:
    """Return a number so that the longer of two is the later one; zeros before it tell nothing."""
    digits = number[0].lstrip(b"0")
    return b"0" + b"\xff" * (len(digits) // 255) + bytes((len(digits) % 255,)) + digits


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that could not be read: where it stands, and what is wrong with it."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A game that began in a log and has no result there: it does not count."""

    where: str
    reason: str


def ranks_of(scores: tuple[float, ...]) -> tuple[float, ...]:
    """Return ranks from scores: the highest first, equal scores tied.

    Examples
    --------
    >>> ranks_of((3.0, 7.0, 3.0))
    (1.0, 0.0, 1.0)
    """
    order = sorted(set(scores), reverse=True)
    return tuple(float(order.index(score)) for score in scores)
