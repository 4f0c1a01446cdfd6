"""The loop of annealing, written for :mod:`equipoise.compiled`: plain functions over indexable sequences."""

from __future__ import annotations

from typing import Any, NamedTuple

# Lists when plain, arrays when compiled; all are only indexed.
Column = Any

#: Of 16 steps, how many offer a team another lobby, and how many exchange blocks of different sizes.
TO_LOBBY, MIXED = 2, 6

#: Blocks of a team that one exchange takes at most, and blocks looked at to find as many players in return.
MOST_TAKEN, LOOKED_AT = 3, 8

#: The generator of Park and Miller: its products fit into 64 bits, so plain and compiled draw the same.
FACTOR, MODULUS = 48271, 2147483647


class LobbyBlocks(NamedTuple):
    """Columns by block, or by place in the order of size and skill."""

    skill: Column  # by block: total skill
    size: Column  # by block: players
    kind: Column  # by block: the row of ``may``
    place: Column  # by block: its place in the order
    first: Column  # by block: the first place of its size
    last: Column  # by block: the place after the last of its size
    order: Column  # by place: the block
    team: Column  # by block: its team, changed
    slot: Column  # by block: its place among the team's members, changed


class LobbyTeams(NamedTuple):
    """Columns by team, those who wait being the last; all but ``base`` are changed."""

    base: Column  # where the team's members begin
    held: Column  # how many blocks it has
    players: Column  # how many players it has
    total: Column  # their skill
    cost: Column  # what the team costs
    lobby: Column  # its lobby
    member: Column  # by base and slot: the block


class LobbyColumns(NamedTuple):
    """Columns by lobby, with one more where those wait who have no team; ``count`` is changed."""

    target: Column
    least: Column
    most: Column
    count: Column
    may: Column  # row by row: whether a kind may be in a lobby


class LobbyNumbers(NamedTuple):
    """Numbers that hold for the whole run."""

    n_blocks: int
    n_teams: int
    n_lobbies: int
    team_size: int
    min_size: int
    absolute: bool
    per_player: bool
    barred: bool
    mixed: bool  # whether exchanges of blocks of different sizes are worth trying
    free: bool  # whether teams may change their lobby


def cost_of(total: float, players: int, target: float, absolute: bool, per_player: bool) -> float:
    """Return what a team costs."""
    away = total / players - target if per_player else total - target
    return abs(away) if absolute else away * away


def anneal(  # noqa: C901  # one loop: compiled, every call costs as much as its work
    blocks: LobbyBlocks,
    teams: LobbyTeams,
    lobbies: LobbyColumns,
    rules: LobbyNumbers,
    reach: Column,
    doors: Column,
    scratch: Column,
    state: int,
    heat: float,
    cooling: float,
    steps: int,
) -> int:
    """Offer random exchanges, and take those that cost less than heat allows; return the generator's state.

    Parameters
    ----------
    reach : sequence of int
        Distances in the order of skill, from which a partner's is drawn.
    doors : sequence of float
        Draws of the exponential distribution: an exchange is taken if it costs less than one times the heat.
    scratch : sequence of int, shape (2 * MOST_TAKEN + LOOKED_AT,)
        Room; what is in it does not matter.
    state : int
        Of the generator: from 1 to ``MODULUS - 1``.
    heat, cooling : float
        The heat of the first step, and by what it is multiplied at each.
    """
    nowhere = rules.n_teams
    columns = rules.n_lobbies + 1
    n_reach = len(reach)
    n_doors = len(doors)
    for _ in range(steps):
        heat *= cooling
        state = state * FACTOR % MODULUS
        kind_of_step = (state >> 8) & 15
        state = state * FACTOR % MODULUS
        door = heat * doors[state % n_doors]
        state = state * FACTOR % MODULUS
        if rules.free and kind_of_step < TO_LOBBY:
            a = state % rules.n_teams
            state = state * FACTOR % MODULUS
            old = teams.lobby[a]
            new = (old + 1 + state % (rules.n_lobbies - 1)) % rules.n_lobbies
            b = -1
            if lobbies.count[old] <= lobbies.least[old] or lobbies.count[new] >= lobbies.most[new]:
                state = state * FACTOR % MODULUS
                b = state % rules.n_teams
                new = teams.lobby[b]
                if new == old:
                    continue
            cost_a = cost_of(
                teams.total[a], teams.players[a], lobbies.target[new], rules.absolute, rules.per_player
            )
            rise = cost_a - teams.cost[a]
            cost_b = 0.0
            if b >= 0:
                cost_b = cost_of(
                    teams.total[b], teams.players[b], lobbies.target[old], rules.absolute, rules.per_player
                )
                rise += cost_b - teams.cost[b]
            if rise >= door:
                continue
            allowed = True
            if rules.barred:
                for k in range(teams.held[a]):
                    block = teams.member[teams.base[a] + k]
                    if not lobbies.may[blocks.kind[block] * columns + new]:
                        allowed = False
                if b >= 0:
                    for k in range(teams.held[b]):
                        block = teams.member[teams.base[b] + k]
                        if not lobbies.may[blocks.kind[block] * columns + old]:
                            allowed = False
            if not allowed:
                continue
            teams.lobby[a] = new
            teams.cost[a] = cost_a
            if b >= 0:
                teams.lobby[b] = old
                teams.cost[b] = cost_b
            else:
                lobbies.count[old] -= 1
                lobbies.count[new] += 1
            continue
        i = state % rules.n_blocks
        a = blocks.team[i]
        state = state * FACTOR % MODULUS
        if rules.mixed and kind_of_step < TO_LOBBY + MIXED:
            j = state % rules.n_blocks
            b = blocks.team[j]
            if a == b:
                continue
            # From a some blocks, beginning with i; from b blocks of as many players, or one more or less.
            state = state * FACTOR % MODULUS
            taken = 1 + state % MOST_TAKEN
            if taken > teams.held[a]:
                taken = teams.held[a]
            if a == nowhere and taken > 1:
                taken = 1 + (state >> 4) % 2
            gone = 0
            moved = 0.0
            allowed = True
            for k in range(taken):
                block = teams.member[teams.base[a] + (blocks.slot[i] + k) % teams.held[a]]
                scratch[k] = block
                gone += blocks.size[block]
                moved -= blocks.skill[block]
                if not lobbies.may[blocks.kind[block] * columns + teams.lobby[b]]:
                    allowed = False
            if not allowed:
                continue
            want = gone
            if rules.min_size < rules.team_size and a != nowhere and b != nowhere:
                state = state * FACTOR % MODULUS
                want += state % 3 - 1
            missing = want
            back = 0
            looked = 0
            while missing > 0 and looked < LOOKED_AT and looked < teams.held[b] and back < MOST_TAKEN:
                block = teams.member[teams.base[b] + (blocks.slot[j] + looked) % teams.held[b]]
                looked += 1
                if blocks.size[block] <= missing:
                    missing -= blocks.size[block]
                    scratch[MOST_TAKEN + back] = block
                    back += 1
                    moved += blocks.skill[block]
                    if not lobbies.may[blocks.kind[block] * columns + teams.lobby[a]]:
                        allowed = False
            if missing != 0 or not allowed:
                continue
            players_a = teams.players[a] - gone + want
            players_b = teams.players[b] + gone - want
            rise = 0.0
            cost_a = 0.0
            cost_b = 0.0
            if a != nowhere:
                if players_a < rules.min_size or players_a > rules.team_size:
                    continue
                cost_a = cost_of(
                    teams.total[a] + moved, players_a, lobbies.target[teams.lobby[a]],
                    rules.absolute, rules.per_player,
                )  # fmt: skip
                rise += cost_a - teams.cost[a]
            if b != nowhere:
                if players_b < rules.min_size or players_b > rules.team_size:
                    continue
                cost_b = cost_of(
                    teams.total[b] - moved, players_b, lobbies.target[teams.lobby[b]],
                    rules.absolute, rules.per_player,
                )  # fmt: skip
                rise += cost_b - teams.cost[b]
            if rise >= door:
                continue
            for side in range(2):
                # Out of the old team, the last member taking the slot, then into the new one.
                source = a if side == 0 else b
                for k in range(taken if side == 0 else back):
                    block = scratch[side * MOST_TAKEN + k]
                    teams.held[source] -= 1
                    end = teams.member[teams.base[source] + teams.held[source]]
                    teams.member[teams.base[source] + blocks.slot[block]] = end
                    blocks.slot[end] = blocks.slot[block]
            for side in range(2):
                goal = b if side == 0 else a
                for k in range(taken if side == 0 else back):
                    block = scratch[side * MOST_TAKEN + k]
                    teams.member[teams.base[goal] + teams.held[goal]] = block
                    blocks.slot[block] = teams.held[goal]
                    blocks.team[block] = goal
                    teams.held[goal] += 1
            teams.players[a] = players_a
            teams.players[b] = players_b
            teams.total[a] += moved
            teams.total[b] -= moved
            teams.cost[a] = cost_a
            teams.cost[b] = cost_b
            continue
        distance = reach[state % n_reach]
        spot = blocks.place[i]
        spot = spot + distance if (state >> 16) & 1 else spot - distance
        if spot < blocks.first[i] or spot >= blocks.last[i]:
            continue
        j = blocks.order[spot]
        b = blocks.team[j]
        if a == b:
            continue
        moved = blocks.skill[j] - blocks.skill[i]
        rise = 0.0
        cost_a = 0.0
        cost_b = 0.0
        if a != nowhere:
            cost_a = cost_of(
                teams.total[a] + moved, teams.players[a], lobbies.target[teams.lobby[a]],
                rules.absolute, rules.per_player,
            )  # fmt: skip
            rise += cost_a - teams.cost[a]
        if b != nowhere:
            cost_b = cost_of(
                teams.total[b] - moved, teams.players[b], lobbies.target[teams.lobby[b]],
                rules.absolute, rules.per_player,
            )  # fmt: skip
            rise += cost_b - teams.cost[b]
        if rise >= door:
            continue
        if rules.barred and not (
            lobbies.may[blocks.kind[i] * columns + teams.lobby[b]]
            and lobbies.may[blocks.kind[j] * columns + teams.lobby[a]]
        ):
            continue
        teams.total[a] += moved
        teams.total[b] -= moved
        teams.cost[a] = cost_a
        teams.cost[b] = cost_b
        slot = blocks.slot[i]
        teams.member[teams.base[a] + slot] = j
        teams.member[teams.base[b] + blocks.slot[j]] = i
        blocks.slot[i] = blocks.slot[j]
        blocks.slot[j] = slot
        blocks.team[i] = b
        blocks.team[j] = a
    return state
