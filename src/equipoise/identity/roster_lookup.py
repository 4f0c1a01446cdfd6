"""Who is meant: the one place that turns what people type into ids of known players.

Every door asks it: the command line, nights, chats, HTTP, tables of past results, starting weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

from equipoise.core.match import Match
from equipoise.core.player import is_bot
from equipoise.errors import ALIKE, InputError, again, nearest
from equipoise.identity.merges import NAMED, VOUCHED, everyone, renamed
from equipoise.identity.names import bare, folded
from equipoise.identity.shared_ids import OF

#: Seconds back from now within which somebody was seen lately: 90 days.
LATELY = 90 * 86400.0

#: The most candidates that a question lists.
MOST_LISTED = 8

#: Signs of an id that stand for it where a mistake would last.
SHORTEST = 4


#: What stands before an id among the names, where several people have it.
SHARED = "\n"


class AmbiguousNameError(InputError):
    """A name that several people have.

    Parameters
    ----------
    name : str
        What was typed.
    candidates : tuple of (str, str)
        The id and the last name of each who may be meant, those seen last first.
    what : str
        What it is of them.
    """

    def __init__(self, name: str, candidates: tuple[tuple[str, str], ...], what: str = "the name") -> None:
        self.name = name
        self.candidates = candidates
        self.what = what
        listed = [
            player if shown in (player, name) else f"{player} ({shown})" for player, shown in candidates
        ]
        more = f" and {len(listed) - MOST_LISTED} more" if len(listed) > MOST_LISTED else ""
        super().__init__(
            f": {name!r} is {what} of several: {', '.join(listed[:MOST_LISTED])}{more}; give an id",
            "player",
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.candidates, self.what), self.__dict__


class RosterLookup:
    """Finds people by id, by an id that was merged, or by a name they bear.

    An id is that person.  A name counts without case, accents, colour codes and clan tag: it is whoever of
    those seen in the last 90 days bears it, or of all if none of those does.  Where several do, it is a
    question.  What begins like an id that a service vouches for is that id alone, never a name.

    Parameters
    ----------
    seen : iterable of (str, str, float)
        An id, a name it bore (or the id itself), and when that was last so, seconds since 1970.
    merged : mapping from str to str
        From merged ids to those they count as.
    bots : mapping from str to str
        From the name of each bot to its id at the level it was last seen with.
    now : float
        When it is asked, seconds since 1970; by default long after, so that all were seen long ago.
    which : callable, optional
        Answers which of several is meant; without it the question is raised.

    Examples
    --------
    >>> known = RosterLookup([("a1", "[UT] Zoë", 10.0), ("b2", "Max", 10.0)], {"old": "b2"})
    >>> known.id_of("zoe"), known.id_of("old"), known.id_of("MAX"), known.id_of("Eve")
    ('a1', 'b2', 'b2', None)
    >>> known.id_of("a"), known.known("a")
    (None, 'a1')
    """

    def __init__(
        self,
        seen: Iterable[tuple[str, str, float]],
        merged: Mapping[str, str] | None = None,
        bots: Mapping[str, str] | None = None,
        now: float = math.inf,
        which: Callable[[AmbiguousNameError], str] | None = None,
    ) -> None:
        self._which = which
        self._seen = list(seen)
        self._merged = merged or {}
        self._bots = bots or {}
        self._now = now
        self.ids: Collection[str] = frozenset(player for player, _, _ in self._seen)

    @classmethod
    def indexed(
        cls,
        ids: Collection[str],
        bearers: Mapping[str, Mapping[str, float]],
        last_names: Mapping[str, str],
        merged: Mapping[str, str],
        bots: Mapping[str, str],
        now: float,
    ) -> RosterLookup:
        """Return one of what another one has worked out: ids, and its ``bearers`` and ``last_names``."""
        lookup = cls((), merged, bots, now)
        lookup.ids = ids
        lookup.__dict__ |= {"bearers": bearers, "last_names": last_names}
        return lookup

    @cached_property
    def bearers(self) -> Mapping[str, Mapping[str, float]]:
        """From each name, bare, to who bore it and when last; from an id that several have to them too."""
        bearers: dict[str, dict[str, float]] = {}
        for player, name, last in self._seen:
            base, shared, _ = player.partition(OF)
            for key in (bare(name), *([SHARED + base] if shared and base else ())):
                times = bearers.setdefault(key, {})
                times[player] = max(last, times.get(player, -math.inf))
        return bearers

    @cached_property
    def last_names(self) -> Mapping[str, str]:
        """The name each id bore last."""
        names: dict[str, tuple[float, str]] = {}
        for player, name, last in self._seen:
            if player not in names or last >= names[player][0]:
                names[player] = (last, name)
        return {player: name for player, (_, name) in names.items()}

    def id_of(self, name: str, now: float | None = None) -> str | None:
        """Return the id of who is meant, None where nobody is called so.

        ``now`` is when it is asked, where that is not when this was made.

        Raises
        ------
        AmbiguousNameError
            If several are.
        """
        player = self._merged.get(name, name)
        if player in self.ids:
            return player
        if name.startswith(VOUCHED):  # somebody's name may be spelled like such an id
            return player if player != name else None
        sharing = self.bearers.get(SHARED + name, ())
        if sharing:
            return self._asked(name, sorted(sharing))
        bearers = self.bearers.get(bare(name.removeprefix(NAMED)), {})
        people = {each: last for each, last in bearers.items() if not is_bot(each)}
        if not people:
            return self._bots.get(name) or next(iter(bearers), None)
        now = self._now if now is None else now
        lately = {each: last for each, last in people.items() if last >= now - LATELY}
        meant = sorted(lately or people, key=lambda each: (-people[each], each))
        return self._asked(name, meant) if len(meant) > 1 else meant[0]

    def id_at(self, name: str, at: float | None) -> str | None:
        """Return the id of who was meant at some time, None where nobody is called so.

        Who has a name today may have taken it since from another who bore it then: that is a question.

        Raises
        ------
        AmbiguousNameError
            If several are.
        """
        today = self.id_of(name)
        if at is None or today is None:
            return today
        then = self.id_of(name, at)
        return today if then is None or then == today else self._asked(name, [then, today])

    def known(self, name: str, now: float | None = None, *, names: bool = True) -> str | None:
        """Return the same where nobody new can be meant: the only id that begins so, too.

        With ``names`` false that has to be an id that is nobody's name, and four signs of it at least: where
        a mistyped name must not pass for an id.
        """
        found = self.id_of(name, now)
        if found is not None or len(name) < (1 if names else SHORTEST):
            return found
        begun = sorted(
            each for each in self.ids
            if each.startswith(name) and not is_bot(each) and (names or not self._is_name(each))
        )  # fmt: skip
        if len(begun) > 1:
            asked = tuple((each, self.shown(each)) for each in begun)
            raise AmbiguousNameError(name, asked, "the beginning of the ids")
        return begun[0] if begun else None

    def _is_name(self, player: str) -> bool:
        return player in self.bearers.get(bare(player.removeprefix(NAMED)), ())

    def lasts(self, name: str) -> bool:
        """Tell whether a name means the same one whenever it is asked: one alone has it, or nobody."""
        return name in self.ids or len(self.bearers.get(bare(name.removeprefix(NAMED)), ())) < 2

    def _asked(self, name: str, candidates: Sequence[str]) -> str:
        """Return which of several is meant, where somebody can tell."""
        question = AmbiguousNameError(name, tuple((each, self.shown(each)) for each in candidates))
        if self._which is None:
            raise question
        return self._which(question)

    def shown(self, player: str) -> str:
        """Return the name of somebody, the id where none is known."""
        return self.last_names.get(player, player)

    def written(self, typed: str, player: str) -> str:
        """Return how somebody is written from now on who was typed so: an id is no name, unless they bore it.

        Examples
        --------
        >>> known = RosterLookup([("a1", "Zoë", 10.0), ("Max", "Max", 10.0), ("Max", "Maxi", 20.0)])
        >>> [known.written(*each) for each in (("ZOE", "a1"), ("a1", "a1"), ("Max", "Max"), ("Eve", "Eve"))]
        ['ZOE', 'Zoë', 'Max', 'Eve']
        """
        if typed != player and typed not in self._merged:
            return typed
        bore = self.bearers.get(bare(typed.removeprefix(NAMED)), {})
        return typed if bore.get(player, -math.inf) > -math.inf else self.shown(player)

    def names(self) -> dict[str, str]:
        """Return the id of every last name, folded."""
        return {folded(name): player for player, name in self.last_names.items()}


class ReportedMatch(NamedTuple):
    """A match with the ids of known people.

    Parameters
    ----------
    match : Match
        The match.
    people : mapping from str to str
        From what was reported to the id it means, where that is another.
    new : tuple of str
        Ids of people whom nobody knew.
    """

    match: Match
    people: Mapping[str, str]
    new: tuple[str, ...]


def reported(match: Match, id_of: Callable[[str], str | None]) -> ReportedMatch:
    """Return a reported match with the ids of known people.

    Whoever has a name beside the id is that id, known or not; anything else may be an id or a name.

    Parameters
    ----------
    match : Match
        As it was reported.
    id_of : callable
        Returns the id of who is meant, None for somebody new.

    Raises
    ------
    InputError
        If a name is that of several, or two of those who played are one.
    """
    named = {player for player, name in match.names if name != player}
    played = {player: None for each in match.contests for team in each.teams for player, _ in team}
    ids: dict[str, str] = {}
    new = []
    for player in dict.fromkeys((*played, *sorted(everyone(match)))):
        if is_bot(player):
            continue
        try:
            found = id_of(player)
        except AmbiguousNameError:
            if player not in named:
                raise
            found = player
        if found is None and player in played:
            new.append(player)
        ids[player] = player if found is None or player in named else found
    if len(set(ids.values())) < len(ids):
        twice = again(list(ids.values()))
        one, other = [player for player, each in ids.items() if each == list(ids.values())[twice]][:2]
        msg = f": {one!r} and {other!r} are one player, {ids[other]!r}"
        raise InputError(msg, "players")
    people = {player: each for player, each in ids.items() if each != player}
    return ReportedMatch(renamed(match, people), people, tuple(new))


def of_matches(matches: Iterable[Match]) -> RosterLookup:
    """Return what finds the people of matches, all of which were long ago."""
    names = [(entry, match.ended or 0.0) for match in matches for entry in match.names]
    played = {player for match in matches for player in everyone(match)}
    seen = [(player, name, last) for (player, name), last in names]
    return RosterLookup(
        [*seen, *((player, player.removeprefix(NAMED), -math.inf) for player in sorted(played))]
    )


class PastResults:
    """Gives matches of tables the ids of known players.

    Parameters
    ----------
    known : RosterLookup
        Who is known already.
    """

    def __init__(self, known: RosterLookup) -> None:
        self._known = known
        self._everyone = {name: known.shown(player) for name, player in known.names().items()}
        self._ids: dict[str, str] = {}
        self._bearers: dict[str, list[str]] = {}
        #: Players nobody knew, in the order they are met.
        self.new: list[str] = []
        #: Those of them whose name is like another one, and that name.
        self.alike: dict[str, str] = {}

    def recognised(self, match: Match) -> Match:
        """Return a match of a table with the ids of known players.

        Raises
        ------
        InputError
            If one player is there under two spellings, or a name is that of several.
        """
        ids: dict[str, str] = {}
        for player in match.roster:
            ids[player] = self._id(player, ids.values(), match.ended if match.dated else None)
        if len(set(ids.values())) < len(ids):
            twice = next(n for n in ids if list(ids.values()).count(ids[n]) > 1)
            msg = f"players: {twice!r} is there twice under two spellings"
            raise InputError(msg)
        names = tuple((each, self._known.written(player, each)) for player, each in ids.items())
        return replace(renamed(match, ids), names=names)

    def _id(self, name: str, others: Collection[str], ended: float | None) -> str:
        """Return the id of a player: that of a known one, or the first spelling of a new one.

        Two of one match are two, so that whoever bears the same name under another tag than one of the
        ``others`` is somebody else.
        """
        key = folded(name)
        if not self._known.lasts(name):
            player = self._known.id_at(name, ended)
            if player is not None:
                return player
        if key not in self._ids:
            known = self._known.id_of(name)
            if known is None:
                bearers = self._bearers.setdefault(bare(name), [])
                meant = [each for each in bearers if each not in others]
                if len(meant) > 1:
                    raise AmbiguousNameError(name, tuple((each, each) for each in meant))
                known = meant[0] if meant else None
                if known is None:
                    bearers.append(name)
            if known is None:
                self.new.append(name)
                near = nearest(key, self._everyone, ALIKE)
                if near is not None:
                    self.alike[name] = self._everyone[near]
            self._everyone.setdefault(key, name)
            self._ids[key] = name if known is None else known
        return self._ids[key]
