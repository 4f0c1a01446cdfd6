"""Who is bound to a team, and who is kept apart: from players to blocks, or to a contradiction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from operator import eq

from equipoise.errors import InputError
from equipoise.players import Player
from equipoise.teams.problem.components import Contradiction
from equipoise.teams.problem.staying import check_team


def fixed_teams(players: Sequence[Player], n_teams: int, fixed: Iterable[tuple[int, int]]) -> list[int]:
    """Return the team each player is fixed to, -1 for none; besides those of the players, by place.

    Raises
    ------
    InputError
        If there is no such team, or somebody is fixed to two.
    """
    team_of = [-1 if player.team is None else player.team for player in players]
    for player in players:
        check_team(player, "team", n_teams)
    for place, team in fixed:
        name = players[place].label
        if not 0 <= team < n_teams:
            msg = f": {name!r} is fixed to team {team + 1}; there are teams 1 to {n_teams}"
            raise InputError(msg, "fixed")
        if team_of[place] not in (-1, team):
            msg = f": {name!r} is fixed to team {team + 1}, but comes with team {team_of[place] + 1}"
            raise InputError(msg, "fixed")
        team_of[place] = team
    return team_of


def block_teams(team_of: list[int], block_of: list[int], n_blocks: int) -> tuple[int, ...]:
    """Return the team each block is fixed to, -1 for none, from the team of each player.

    Raises
    ------
    Contradiction
        If a block is fixed to two.
    """
    team, holder = [-1] * n_blocks, [-1] * n_blocks
    for place, preference in enumerate(team_of):
        block = block_of[place]
        if preference >= 0:
            if team[block] not in (-1, preference):
                reason = "they are in one party, but fixed to different teams"
                raise Contradiction(holder[block], place, reason)
            team[block], holder[block] = preference, place
    return tuple(team)


def apart_pairs(
    groups: Iterable[Sequence[int]],
    n_teams: int,
    block_of: list[int],
    block_team: tuple[int, ...],
) -> list[tuple[int, int]]:
    """Return the pairs of players who must not be in one team, from groups; all by place in the roster.

    Raises
    ------
    Contradiction
        If two of a group must be together, or there are too many of them.
    """
    listed = list(groups)
    if max(block_team, default=-1) < 0 and {*map(len, listed)} == {2}:  # there may be millions
        blocks = list(map(block_of.__getitem__, chain.from_iterable(listed)))
        if not any(map(eq, blocks[::2], blocks[1::2])):
            return [(one, other) for one, other in listed]
    pairs = []
    team_of = [block_team[block] for block in block_of]
    for places in listed:
        if len(places) > n_teams:
            reason = f"{len(places)} players must be apart from each other, but there are {n_teams} teams"
            raise Contradiction(places[0], places[-1], reason)
        for i, one in enumerate(places[1:], start=1):
            for other in places[:i]:
                if block_of[one] == block_of[other]:
                    raise Contradiction(other, one, "they must be apart, but are in one party")
                if team_of[one] == team_of[other] >= 0:
                    raise Contradiction(other, one, "they must be apart, but are fixed to one team")
                pairs.append((other, one))
    return pairs
