"""The hot loops, written for :mod:`equipoise.core.compiled`: plain functions over indexable sequences."""

from __future__ import annotations

from typing import Any, NamedTuple

# Lists when plain, arrays when compiled; both are only indexed.
Column = Any

#: Neighbours on each side of the wanted partner that are tried one by one; then farther ones, doubling.
NEAR = 8
FARTHEST = 256


def exchange(  # noqa: C901  # one loop: compiled, it can call nothing that is not
    skill: Column,
    kind: Column,
    team: Column,
    away: Column,
    scale: Column,
    lobby: Column,
    may: Column,
    n_columns: int,
    absolute: bool,
    middle: float,
    spread: float,
    begin: int,
    end: int,
) -> int:
    """Exchange blocks of one size between teams wherever that lowers the sum of deviations, once through.

    The partner wanted is the one that halves a team's distance from the mean deviation; it is found by
    binary search.

    Parameters
    ----------
    skill : sequence of float
        The blocks' skills, ascending.
    kind, team : sequence of int
        Each block's kind and team; ``team`` is changed.
    away : sequence of float
        Each team's total less its target; changed.
    scale : sequence of float
        What a team's deviation is multiplied by; 0 for those who wait.
    lobby : sequence of int
        Each team's column of ``may``.
    may : sequence of bool
        Whether a kind may be in a column, row after row.
    n_columns : int
        The length of a row.
    absolute : bool
        Whether deviations are absolute; else they are squared.
    middle : float
        The mean deviation of the teams, with its sign.
    spread : float
        Teams nearer to the mean deviation are left alone until others come to them.
    begin, end : int
        The first block that is offered an exchange, and the one after the last.

    Returns
    -------
    exchanged : int
        How many exchanges were made.
    """
    n = len(skill)
    exchanged = 0
    for i in range(begin, end):
        a = team[i]
        own = skill[i]
        away_a = away[a]
        scale_a = scale[a]
        if scale_a > 0.0 and abs(away_a - middle) < spread:
            continue
        old_a = away_a * scale_a
        middle_skill = own
        if scale_a > 0.0:
            middle_skill = own - 0.5 * (away_a - middle)
        low, high = 0, n
        while low < high:
            half = (low + high) // 2
            if skill[half] < middle_skill:
                low = half + 1
            else:
                high = half
        best = -1
        best_gain = 0.0
        step = 0
        while step < FARTHEST:
            for side in range(2):
                j = low + step if side == 0 else low - 1 - step
                if j < 0 or j >= n:
                    continue
                b = team[j]
                if b == a:
                    continue
                if not (may[kind[i] * n_columns + lobby[b]] and may[kind[j] * n_columns + lobby[a]]):
                    continue
                difference = skill[j] - own
                new_a = (away_a + difference) * scale_a
                new_b = (away[b] - difference) * scale[b]
                old_b = away[b] * scale[b]
                if absolute:
                    before = abs(old_a) + abs(old_b)
                    gain = before - abs(new_a) - abs(new_b)
                else:
                    before = old_a * old_a + old_b * old_b
                    gain = before - new_a * new_a - new_b * new_b
                if gain > best_gain and gain > 1e-9 * before:
                    best = j
                    best_gain = gain
            step = step + 1 if step < NEAR else 2 * step
        if best >= 0:
            b = team[best]
            difference = skill[best] - own
            away[a] += difference
            away[b] -= difference
            team[i] = b
            team[best] = a
            exchanged += 1
    return exchanged


def lowest_lines(
    slope: Column, level: Column, target: float, part: float, rent: float, hull: Column, out: Column
) -> None:
    """Lower numbers to a parabola plus the lower envelope of lines, at the places that are half their slopes.

    ``out[i]`` becomes at most the least over j of
    ``((slope[i] - target)**2 + 2 * slope[j] * slope[i] + level[j]) / part - rent``.

    Parameters
    ----------
    slope : sequence of float
        Half the slopes, strictly ascending; also the places.
    level : sequence of float
        The lines' values at 0.
    target, part, rent : float
        The parabola's place, what the sum is divided by, and what is taken off.
    hull : sequence of int
        Room for as many lines; what is in it does not matter.
    out : sequence of float
        What is lowered.
    """
    n = len(slope)
    top = 0
    for back in range(n):
        i = n - 1 - back
        while top >= 2:
            q = hull[top - 1]
            p = hull[top - 2]
            # The line q is nowhere lowest where p meets i before p meets q.
            if (level[i] - level[p]) * (slope[p] - slope[q]) <= (level[q] - level[p]) * (slope[p] - slope[i]):
                top -= 1
            else:
                break
        hull[top] = i
        top += 1
    at = 0
    for i in range(n):
        place = 2.0 * slope[i]
        while at + 1 < top:
            p = hull[at]
            q = hull[at + 1]
            if slope[q] * place + level[q] <= slope[p] * place + level[p]:
                at += 1
            else:
                break
        p = hull[at]
        away = slope[i] - target
        cost = (slope[p] * place + level[p] + away * away) / part - rent
        out[i] = min(out[i], cost)


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
