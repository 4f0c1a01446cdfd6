"""One person with several ids, and people who are forgotten: matches and contests under other ids."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import replace

from equipoise.core.match import Contest, Match, Members, Statistics
from equipoise.core.player import BOT
from equipoise.errors import InputError

#: How the ids of forgotten players begin.
ANONYMOUS = "anonymous:"


#: How the ids of people begin of whom a log tells nothing but a name.
NAMED = "name:"

#: How ids begin that a service vouches for: no name, however spelled, ever counts as one of them.
VOUCHED = ("discord:",)

#: How no name of somebody new begins, as these say what an id is.
RESERVED = (ANONYMOUS, BOT, NAMED, *VOUCHED)

#: Hexadecimal digits of a stand-in: among 2^64, two of a million people meet with odds of 1 to 10^7.
DIGITS = 16


#: The id of one who came while somebody else with the same id was there, as readers of logs give it: mostly
#: the same person, whose first connection is not given up yet.  Longer numbers belong to names of people.
AGAIN = re.compile(r"(.+)#(?:[2-9]|[1-9][0-9]{1,2})", re.DOTALL)


def check_new_name(name: str) -> None:
    """Refuse a name of somebody new that begins as ids of bots, of forgotten people or of services do.

    Raises
    ------
    InputError
        With what it begins with.

    Examples
    --------
    >>> check_new_name("Bot: Ann"), check_new_name("botany")
    Traceback (most recent call last):
    equipoise.errors.InputError: a name cannot begin with 'bot:', as ids do that are no person's name
    """
    for beginning in RESERVED:
        if name.strip().casefold().startswith(beginning):
            msg = f"a name cannot begin with {beginning!r}, as ids do that are no person's name"
            raise InputError(msg)


def without_number(player: str) -> str:
    """Return the id of which this one is a second one, or else itself.

    Examples
    --------
    >>> without_number("0a1b2c3d#2"), without_number("Ann#1234")
    ('0a1b2c3d', 'Ann#1234')
    """
    second = AGAIN.fullmatch(player)
    return second[1] if second else player


def tombstone(salt: bytes, player: str) -> bytes:
    """Return what tells that a player is forgotten, without telling who that is."""
    return hmac.digest(salt, player.encode("utf-8", "surrogatepass"), hashlib.sha256)


def stand_in(stone: bytes) -> str:
    """Return the id that replaces that of a forgotten player."""
    return ANONYMOUS + stone.hex()[:DIGITS]


def everyone(match: Match) -> set[str]:
    """Return all ids that a match names."""
    named = {player for contest in match.contests for team in contest.teams for player, _ in team}
    return named.union(match.roster, (player for player, _ in match.names))


def renamed(match: Match, ids: Mapping[str, str]) -> Match:
    """Return a match with other ids for some players.

    Where two ids of a contest become one, their shares and statistics are added up if they are in the same
    team; in a contest where they play against each other, ids stay as they are.

    Examples
    --------
    >>> from equipoise.core.match import Ruleset
    >>> parts = Contest(Ruleset(), ([("ann", 0.5), ("ann2", 0.25)], ["bob"]), (1, 2))
    >>> renamed(Match((parts,)), {"ann2": "ann"}).contests[0].teams
    ((('ann', 0.75),), (('bob', 1.0),))
    """
    if ids.keys().isdisjoint(everyone(match)):
        return match
    return replace(
        match,
        contests=tuple(_contest(contest, ids) for contest in match.contests),
        roster=tuple(dict.fromkeys(ids.get(player, player) for player in match.roster)),
        names=tuple(dict.fromkeys((ids.get(player, player), name) for player, name in match.names)),
        picks=tuple((ids.get(one, one), ids.get(other, other)) for one, other in match.picks),
    )


def anonymous(match: Match, ids: Mapping[str, str]) -> Match:
    """Return a match with other ids for some players, and without any name of theirs."""
    return renamed(replace(match, names=tuple(entry for entry in match.names if entry[0] not in ids)), ids)


def opposed(contest: Contest, ids: Mapping[str, str]) -> bool:
    """Tell whether two ids that become one play against each other."""
    teams = [{ids.get(player, player) for player, _ in team} for team in contest.teams]
    return len(set().union(*teams)) < sum(map(len, teams))


def _contest(contest: Contest, ids: Mapping[str, str]) -> Contest:
    if opposed(contest, ids):
        return contest
    figures: dict[str, Statistics] = {}
    for each in contest.statistics:
        player = ids.get(each.player, each.player)
        figures[player] = _added(figures.get(player), replace(each, player=player))
    return replace(
        contest,
        teams=tuple(_team(team, ids) for team in contest.teams),
        statistics=tuple(figures.values()),
        parties=_parties(contest, ids),
        left=tuple(dict.fromkeys(ids.get(player, player) for player in contest.left)),
    )


def _team(team: Members, ids: Mapping[str, str]) -> Members:
    shares: dict[str, float] = {}
    for player, share in team:
        known = ids.get(player, player)
        shares[known] = min(shares.get(known, 0.0) + share, 1.0)
    return tuple(shares.items())


def _parties(contest: Contest, ids: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    """Return the parties; who was in two of them as two people stays in the first."""
    placed: set[str] = set()
    parties = []
    for party in contest.parties:
        known = tuple(dict.fromkeys(ids.get(player, player) for player in party))
        parties.append(tuple(player for player in known if player not in placed))
        placed.update(known)
    return tuple(party for party in parties if len(party) > 1)


def _added(one: Statistics | None, other: Statistics) -> Statistics:
    """Return the statistics of one player who is reported twice."""
    if one is None:
        return other
    sums = [
        None if first is None and second is None else (first or 0.0) + (second or 0.0)
        for first, second in (
            (one.kills, other.kills), (one.deaths, other.deaths), (one.score, other.score)
        )
    ]  # fmt: skip
    return Statistics(one.player, *sums)
