"""Fairness over time: who sat out, was on the weaker side, was moved, had no say, and met whom how often.

A pure fold over games in the order they were played.  It knows no archive and no clock; what gathers
people for a game asks it who sits out next and which of equally good teams to take, and shows its accounts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, product

from equipoise.errors import InputError

#: Chances that differ by less than this are even: nobody is on the weaker side.
EVEN = 1e-9

#: Ways to sit out that are looked at; where so many break the rules, the next ones would too.
MOST_CHOICES = 1000  # effort


@dataclass(frozen=True, slots=True)
class LedgerGame:
    """One game, as far as fairness over time goes.

    Parameters
    ----------
    teams : tuple of tuples of str
        Who played together.
    chances : tuple of float
        Each team's win probability before the game.
    ranks : tuple of float
        Lower is better, equal is a tie.
    out : tuple of str
        Who was there and sat out.
    moved : tuple of str
        Who had been put into a team already and was moved to another one.
    unmet : tuple of (str, str)
        Pairs whose preference to be together or apart was not met.
    """

    teams: tuple[tuple[str, ...], ...]
    chances: tuple[float, ...]
    ranks: tuple[float, ...]
    out: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    unmet: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PlayerAccount:
    """What one player had so far.

    Parameters
    ----------
    played, out : int
        Games played, and games sat out.
    won, drawn, lost : int
        How those that were played ended: first alone, first with others, or behind.
    weak : int
        Games in a team whose chance was below that of an even game.
    moved : int
        How often the player was moved between teams before a game.
    unmet : int
        Games in which a preference of the player's was not met.
    """

    played: int = 0
    out: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    weak: int = 0
    moved: int = 0
    unmet: int = 0

    @property
    def share_out(self) -> float:
        """The share of games that were sat out, of those the player was there for."""
        return self.out / max(self.played + self.out, 1)


def accounts(games: Iterable[LedgerGame]) -> dict[str, PlayerAccount]:
    """Return the account of everyone who was there.

    Examples
    --------
    >>> accounts([LedgerGame((("ann",), ("bob",)), (0.6, 0.4), (2, 1), ("cid",))])["bob"]
    PlayerAccount(played=1, out=0, won=1, drawn=0, lost=0, weak=1, moved=0, unmet=0)
    """
    found: dict[str, PlayerAccount] = {}
    for game in games:
        best = min(game.ranks)
        without = {player for pair in game.unmet for player in pair}
        alone = game.ranks.count(best) == 1
        for team, chance, rank in zip(game.teams, game.chances, game.ranks, strict=True):
            for player in team:
                so_far = found.get(player, PlayerAccount())
                first = rank == best
                found[player] = replace(
                    so_far,
                    played=so_far.played + 1,
                    won=so_far.won + (first and alone),
                    drawn=so_far.drawn + (first and not alone),
                    lost=so_far.lost + (not first),
                    weak=so_far.weak + (chance < 1.0 / len(game.teams) - EVEN),
                    moved=so_far.moved + (player in game.moved),
                    unmet=so_far.unmet + (player in without),
                )
        for player in game.out:
            so_far = found.get(player, PlayerAccount())
            found[player] = replace(so_far, out=so_far.out + 1)
    return found


def met(games: Iterable[LedgerGame]) -> tuple[Counter[frozenset[str]], Counter[frozenset[str]]]:
    """Return how often each two players were in one team, and how often against each other.

    Examples
    --------
    >>> together, against = met([LedgerGame((("ann", "bob"), ("cid",)), (0.5, 0.5), (1, 2))])
    >>> together[frozenset(("ann", "bob"))], against[frozenset(("bob", "cid"))]
    (1, 1)
    """
    together: Counter[frozenset[str]] = Counter()
    against: Counter[frozenset[str]] = Counter()
    for game in games:
        for team in game.teams:
            together.update(map(frozenset, combinations(team, 2)))
        for one, other in combinations(game.teams, 2):
            against.update(map(frozenset, product(one, other)))
    return together, against


def owed(games: Iterable[LedgerGame]) -> Counter[frozenset[str]]:
    """Return for how many games on end, among those both played, the preference of a pair was not met.

    Examples
    --------
    >>> one = LedgerGame((("ann",), ("bob",)), (0.5, 0.5), (1, 2), unmet=(("ann", "bob"),))
    >>> owed([one, one])[frozenset(("bob", "ann"))]
    2
    """
    found: Counter[frozenset[str]] = Counter()
    for game in games:
        playing = {player for team in game.teams for player in team}
        unmet = set(map(frozenset, game.unmet))
        for pair in [pair for pair in found if pair <= playing and pair not in unmet]:
            del found[pair]
        found.update(unmet)
    return found


def burden(
    teams: Sequence[Sequence[str]],
    chances: Sequence[float],
    moved: Iterable[str],
    known: Mapping[str, PlayerAccount],
    together: Mapping[frozenset[str], int],
) -> tuple[float, float, int]:
    """Return how much teams ask of those of whom much was asked; of equally good ones, take the least.

    Parameters
    ----------
    teams : sequence of sequences of str
        Who would play together.
    chances : sequence of float
        Each team's win probability.
    moved : iterable of str
        Who would change team.
    known : mapping from str to PlayerAccount
        What everyone had so far.
    together : mapping from frozenset to int
        How often each two were in one team.

    Returns
    -------
    tuple
        Earlier moves of those who would be moved, earlier games on the weaker side of those who would be on
        it, and how often team mates were together.

    Examples
    --------
    >>> known = {"ann": PlayerAccount(played=2, weak=2)}
    >>> burden([["ann"], ["bob"]], [0.4, 0.6], [], known, {})
    (0, 2, 0)
    """
    weaker = [
        player
        for team, chance in zip(teams, chances, strict=True) if chance < 1.0 / len(teams) - EVEN
        for player in team
    ]  # fmt: skip
    return (
        sum(known[player].moved for player in moved if player in known),
        sum(known[player].weak for player in weaker if player in known),
        sum(together.get(frozenset(pair), 0) for team in teams for pair in combinations(team, 2)),
    )


def sitting_out(
    groups: Sequence[Sequence[str]], seats: int, known: Mapping[str, PlayerAccount]
) -> tuple[str, ...]:
    """Return who sits out where there are more players than seats.

    The player who has sat out the smallest share of games does, among these who has played most, and then who
    comes last in the order given.  Those who came together play or sit out together as long as the seats
    allow that.

    Parameters
    ----------
    groups : sequence of sequences of str
        Everyone who is here: players who came together in one group, others alone.
    seats : int
        How many can play, at least 0.
    known : mapping from str to PlayerAccount
        What everyone had so far.

    Raises
    ------
    InputError
        If the seats are fewer than none, or somebody is there twice.

    Examples
    --------
    >>> sitting_out([["ann"], ["bob"], ["cid"]], 2, {"cid": PlayerAccount(played=1, out=1)})
    ('bob',)
    """
    here = [player for group in groups for player in group]
    if seats < 0:
        msg = f"seats must be at least 0, got {seats}"
        raise InputError(msg)
    if len(set(here)) < len(here):
        msg = "groups: a player appears twice"
        raise InputError(msg)
    due = _due(here, known)
    left, playing = seats, set[str]()
    for group in sorted(groups, key=lambda group: min(due[player] for player in group)):
        if len(group) <= left:
            playing.update(group)
            left -= len(group)
    rest = sorted((player for player in here if player not in playing), key=due.__getitem__)
    playing.update(rest[:left])  # a group that is larger than what is left is divided
    return tuple(player for player in here if player not in playing)


def _due(here: Sequence[str], known: Mapping[str, PlayerAccount]) -> dict[str, tuple[float, int, int]]:
    """Return what orders players by their claim to play, the best one first."""
    found = {}
    for place, player in enumerate(here):
        account = known.get(player, PlayerAccount())
        found[player] = (-account.share_out, account.played, place)
    return found


def ways_to_sit_out(
    groups: Sequence[Sequence[str]], seats: int, known: Mapping[str, PlayerAccount]
) -> Iterator[tuple[str, ...]]:
    """Go through who may sit out, the fairest way first, for whom a way may break the rules of the game.

    The first one is that of :func:`sitting_out`; then the one with the best claim to play sits out last, and
    ways that part those who came together come after all that do not.

    Examples
    --------
    >>> list(ways_to_sit_out([["ann"], ["bob"], ["cid"]], 2, {}))
    [('cid',), ('bob',), ('ann',)]
    """
    first = sitting_out(groups, seats, known)
    yield first
    here = [player for group in groups for player in group]
    due = _due(here, known)
    last = sorted(here, key=due.__getitem__, reverse=True)
    parting = []
    for out in islice(combinations(last, len(first)), MOST_CHOICES):
        chosen = set(out)
        if chosen == set(first):
            continue
        in_order = tuple(player for player in here if player in chosen)
        if any(0 < len(chosen & set(group)) < len(group) for group in groups):
            parting.append(in_order)
        else:
            yield in_order
    yield from parting
