"""Ids that are not one person's: who of several is meant by such an id and a name.

On a LAN, or with copied installations, several clients have one id.  That is proven where two of them do
something while both are connected, under different names; in two games it is no accident.  Everybody with
such an id is then who bears the name: spellings of one name are one person, unless two of them were there at
once.  All of it follows from the matches, whatever the order in which they are read.

A second client with the id of one person is that person: a first connection that is not given up yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from equipoise.core.match import Contest, Match, replay_key
from equipoise.core.player import is_bot
from equipoise.identity.merges import NAMED, opposed, renamed, without_number
from equipoise.identity.names import LONG, VARIED, bare, likeness, stem_of

#: Matches in which an id must be proven to be that of several.
PROOFS = 2

#: Digits of the id of a match of a log, which hashes its lines.
LOGGED_LENGTH = 64

#: What stands between the id of several and the name of one of them.
OF = "~"


class SeenId(NamedTuple):
    """An id in one match: when that ended, its id, the names there, and whether it was proven shared."""

    ended: float
    match: bytes
    names: tuple[str, ...]
    proven: bool


def seen_in(match: Match, base: str) -> tuple[str, ...]:
    """Return the names that an id bore in a match, one for each client."""
    return tuple(name for player, name in match.names if base_of(player, name) == base)


def base_of(player: str, name: str) -> str:
    """Return the id of a client without the number that tells it from another one with the same id.

    Examples
    --------
    >>> base_of("0a1b#2", "Bob"), base_of("name:Ann#12", "Ann#12"), base_of("bot:Xan:3#2", "Xan")
    ('0a1b', 'name:Ann#12', 'bot:Xan:3#2')
    """
    return player if is_bot(player) or player == NAMED + name else without_number(player)


def people_of_id(base: str, seen: Iterable[SeenId]) -> dict[str, str]:
    """Return from each name, folded, the id of the person who bears it; nothing where the id is one person's.

    Parameters
    ----------
    base : str
        The id.
    seen : iterable of SeenId
        All matches that count in which it was, in any order.

    Examples
    --------
    >>> lan = [SeenId(1.0, b"a", ("Ann", "Bob"), True), SeenId(2.0, b"b", ("^1ann", "Bob"), True)]
    >>> people_of_id("0a1b", lan)
    {'ann': '0a1b~ann', 'bob': '0a1b~bob'}
    >>> people_of_id("0a1b", lan[:1])
    {}
    """
    matches = sorted(seen, key=lambda one: (one.ended, replay_key(one.match)))
    if sum(one.proven for one in matches) < PROOFS:
        return {}
    order: dict[str, None] = {}
    spellings: dict[str, dict[str, None]] = {}
    apart: set[frozenset[str]] = set()
    for one in matches:
        keys = sorted({stem_of(name) for name in one.names})
        order.update(dict.fromkeys(keys))
        for name in one.names:
            spellings.setdefault(stem_of(name), {})[bare(name)] = None
        apart.update(frozenset((mine, theirs)) for mine in keys for theirs in keys if mine < theirs)
    groups = _groups(list(order), apart)
    ids: dict[str, str] = {}
    for group in groups:
        first = min(group, key=list(order).index)
        for key in group:
            ids.update(dict.fromkeys(spellings[key], f"{base}{OF}{first}"))
    return dict(sorted(ids.items()))


def _groups(keys: list[str], apart: set[frozenset[str]]) -> list[list[str]]:
    """Return names by person: those most alike are united first, unless two of them were there at once."""
    groups = {key: [key] for key in keys}
    pairs = [
        (-much, one, other)
        for n, one in enumerate(keys)
        for other in keys[n + 1 :]
        if min(len(one), len(other)) >= LONG and (much := likeness(one, other)) >= VARIED
    ]
    for _, one, other in sorted(pairs):
        mine, theirs = groups[one], groups[other]
        if mine is theirs or any(frozenset((a, b)) in apart for a in mine for b in theirs):
            continue
        mine.extend(theirs)
        for key in theirs:
            groups[key] = mine
    return list({id(group): group for group in groups.values()}.values())


@dataclass(frozen=True, slots=True)
class Identities:
    """Who everybody in reported matches is.

    Parameters
    ----------
    merged : mapping from str to str
        From merged ids to those they count as.
    shared : mapping from str to mapping from str to str
        Of each id that several have, the person of each name.

    Examples
    --------
    >>> known = Identities({"0a~bob": "bob"}, {"0a": {"ann": "0a~ann", "bob": "0a~bob"}})
    >>> known.person("0a#2", "[UT] Bob"), known.person("cid", "Cid")
    ('bob', 'cid')
    """

    merged: Mapping[str, str] = field(default_factory=dict)
    shared: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def person(self, player: str, name: str) -> str:
        """Return the id of who reports an id and a name."""
        base = base_of(player, name)
        of = self.shared.get(base)
        one = (
            base
            if of is None
            else of.get(bare(name)) or of.get(stem_of(name)) or f"{base}{OF}{stem_of(name)}"
        )
        return self.merged.get(one, one)

    def applied(self, match: Match) -> Match:
        """Return a match with the people who played it.

        Of two clients of one person who are against each other the one counts who was there longer.
        """
        ids = self.of(match)
        if not ids:
            return match
        if any(without_number(player) != player for player in ids):
            match = _without_doubles(match, ids)
        return replace(renamed(match, ids), shared=())

    def of(self, match: Match) -> dict[str, str]:
        """Return from those ids of a match that are not the person's own to those that are."""
        if not (self.merged or self.shared or any("#" in player for player in match.roster)):
            return {}
        names = dict(match.names)
        from_log = len(match.id) == LOGGED_LENGTH
        ids = {}
        for player in dict.fromkeys((*match.roster, *names)):
            one = self.person(player, names.get(player, "")) if from_log and player in names else player
            one = self.merged.get(one, one)
            if one != player:
                ids[player] = one
        return ids


def _without_doubles(match: Match, ids: Mapping[str, str]) -> Match:
    """Return a match without second clients of a person whose first one is on another side."""
    contests = tuple(
        kept for contest in match.contests if (kept := _contest_without(contest, ids)) is not None
    )
    return replace(match, contests=contests) if contests else match


def _contest_without(contest: Contest, ids: Mapping[str, str]) -> Contest | None:
    """Return a contest with each person on one side; None where there is only one side then."""
    if not opposed(contest, ids):
        return contest
    sides: dict[str, dict[int, float]] = {}
    for n, team in enumerate(contest.teams):
        for player, share in team:
            of = sides.setdefault(ids.get(player, player), {})
            of[n] = of.get(n, 0.0) + share
    side = {person: max(of, key=lambda n: (of[n], -n)) for person, of in sides.items()}
    teams = [
        tuple((player, share) for player, share in team if side[ids.get(player, player)] == n)
        for n, team in enumerate(contest.teams)
    ]
    kept = [n for n, team in enumerate(teams) if team]
    if len(kept) < 2:
        return None
    there = {player for team in teams for player, _ in team}
    parties = (tuple(player for player in party if player in there) for party in contest.parties)
    return replace(
        contest,
        teams=tuple(teams[n] for n in kept),
        ranks=tuple(contest.ranks[n] for n in kept),
        scores=tuple(contest.scores[n] for n in kept) if contest.scores else (),
        statistics=tuple(one for one in contest.statistics if one.player in there),
        parties=tuple(party for party in parties if len(party) > 1),
        left=tuple(player for player in contest.left if player in there),
    )
