"""Exchanges of a player, and of those who stay with the player, for others: which there are, and the best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from equipoise.arrays import Labels
from equipoise.teams.explaining.judging import Yardstick
from equipoise.teams.solution import weight

#: Exchanges of a player's party that are looked at, a team; with one player there are as many as others.
MOST_EXCHANGES = 10_000


@dataclass(frozen=True, slots=True)
class ExchangeSeat:
    """Where a player is: the team, who moves along, who of them is fixed, and the teams to compare with."""

    place: int
    team: int
    block: frozenset[int]
    held: tuple[tuple[str, int], ...]
    anchor: int | None
    others: tuple[int, ...]

    @classmethod
    def of(cls, yardstick: Yardstick, teams: Sequence[int], who: str) -> ExchangeSeat:
        """Return the seat of a player, by id or name."""
        request = yardstick.request
        place = request.roster.find("why", who)
        block = _party_of(yardstick, place)
        held = tuple(one for one in request.fixed if yardstick.index[one[0]] in block)
        anchor = _anchor(yardstick, block) if yardstick.interchangeable else None
        others = tuple(team for team in range(request.teams) if team != teams[place])
        if anchor is not None:
            others = others[:1] if teams[anchor] == teams[place] else (teams[anchor],)
        return cls(place, teams[place], block, held, anchor, others)


def _party_of(yardstick: Yardstick, place: int) -> frozenset[int]:
    """Return where those are in the roster who stay with a player, directly or not, the player included."""
    bound = {place}
    for _ in yardstick.request.parties:
        for party in yardstick.request.parties:
            members = {yardstick.index[who] for who in party}
            bound |= members if bound & members else set()
    return frozenset(bound)


def _anchor(yardstick: Yardstick, block: frozenset[int]) -> int | None:
    """Return the strongest player who is not bound to one; the first among equals, None if there is none."""
    players = yardstick.request.roster.players
    others = [place for place in range(len(players)) if place not in block]
    return max(others, key=lambda place: (weight(players[place]), -place), default=None)


def exchanges(
    yardstick: Yardstick,
    teams: Sequence[int],
    block: frozenset[int],
    others: Iterable[int],
    *,
    alone: bool = False,
    keep: int | None = None,
) -> Labels:
    """Return the splits in which a block is exchanged for as many of another team, or may join it alone.

    Parties go as a whole, those to be kept stay, and only splits that keep the rules are returned.
    """
    home = teams[min(block)]
    rows = []
    for team in others:
        parties = {_party_of(yardstick, place) for place in range(len(teams)) if teams[place] == team}
        blocks = sorted((party for party in parties if keep not in party), key=min)
        exchanged = islice(_of_size(blocks, len(block)), MOST_EXCHANGES)
        for chosen in (*[frozenset[int]()] * alone, *exchanged):
            row = np.array(teams, dtype=np.int8)
            row[list(chosen)] = home
            row[list(block)] = team
            rows.append(row)
    splits = np.array(rows, dtype=np.int8).reshape(len(rows), len(teams))
    return splits[yardstick.legal(splits)]


def _of_size(blocks: Sequence[frozenset[int]], size: int) -> Iterator[frozenset[int]]:
    """Yield the unions of blocks that have so many players."""
    if not size:
        yield frozenset()
    for n, block in enumerate(blocks):
        if len(block) <= size:
            yield from (block | rest for rest in _of_size(blocks[n + 1 :], size - len(block)))


def fairest(yardstick: Yardstick, splits: Labels) -> list[int] | None:
    """Return the fairest of some splits, None where there are none."""
    if not len(splits):
        return None
    best: list[int] = splits[yardstick.fairest(splits)].tolist()
    return best
