"""The hot loop of roles, written for :mod:`equipoise.core.compiled`: who of a team plays what."""

from __future__ import annotations

from typing import Any, NamedTuple

# Memory views when plain, arrays when compiled; both are only indexed.
Column = Any

#: Below every total that there can be.
NOTHING = -(1 << 62)


class RoleRatings(NamedTuple):
    """Columns by player and role; the last role is none, which all may have."""

    worth: Column  # in whole numbers, so that sums in any order are equal where they are on paper
    mu: Column
    square: Column  # of the mean's distance from the centre
    variance: Column


class Scratch(NamedTuple):
    """Room for the dynamic program; what is in it does not matter."""

    total: Column  # by players of a team that are placed, and state
    taken: Column  # by player and state: the role the player took on the way to it
    before: Column  # by state and role: the state before one more of the role, -1 for none
    filled: Column  # by state: how many roles are filled
    radix: Column  # by role


def line_ups(  # noqa: C901  # one loop nest, as the compiler wants it
    players: Column,
    starts: Column,
    needed: Column,
    plays: Column,
    ratings: RoleRatings,
    scratch: Scratch,
    sums: Column,
    chosen: Column,
) -> None:
    """Give every player of every team a role, or none, so that most roles are filled at the largest total.

    A dynamic program over the players: a state says how many of each role are filled, in a mixed radix; the
    best total of each is kept.  The last role of ``ratings`` is none, which all may have.

    Parameters
    ----------
    players, starts : sequence of int
        The players of all teams, one team after another, and where each team begins (and the last ends).
    needed : sequence of int
        How many of each role a team needs.
    plays : two-dimensional
        Whether a player plays a role.
    ratings : RoleRatings
        What each player is in each role.
    scratch : Scratch
        Room to work in.
    sums : two-dimensional
        Where each team's unfilled roles and totals of mu, square and variance are written.
    chosen : sequence of int
        Where each player's role is written, in the order of ``players``.
    """
    worth, mu, square, variance = ratings.worth, ratings.mu, ratings.square, ratings.variance
    total, taken, before = scratch.total, scratch.taken, scratch.before
    filled, radix = scratch.filled, scratch.radix
    n_roles = len(needed)
    states = 1
    places = 0
    for role in range(n_roles):
        radix[role] = states
        states *= needed[role] + 1
        places += needed[role]
    for state in range(states):
        filled[state] = 0
        for role in range(n_roles):
            # Where one more of a role can have led here, what the state was before; else none.
            digit = state // radix[role] % (needed[role] + 1)
            before[state, role] = state - radix[role] if digit > 0 else -1
            filled[state] += digit
    for state in range(states):
        total[0, state] = NOTHING
    total[0, 0] = 0
    last = 0
    last_size = 0
    for team in range(len(starts) - 1):
        first = starts[team]
        size = starts[team + 1] - first
        # What the players it shares with the team before have led to stands there already.
        shared = 0
        while shared < min(size, last_size) and players[first + shared] == players[last + shared]:
            shared += 1
        last = first
        last_size = size
        for turn in range(shared, size):
            player = players[first + turn]
            for state in range(states):
                best = total[turn, state]
                role_taken = n_roles
                if best > NOTHING:
                    best += worth[player, n_roles]
                for role in range(n_roles):
                    came = before[state, role]
                    if came >= 0 and plays[player, role]:
                        reached_total = total[turn, came]
                        if reached_total > NOTHING and reached_total + worth[player, role] >= best:
                            best = reached_total + worth[player, role]
                            role_taken = role
                total[turn + 1, state] = best
                taken[turn, state] = role_taken
        reached = 0
        for state in range(1, states):
            if total[size, state] > NOTHING:
                more = filled[state] - filled[reached]
                if more > 0 or (more == 0 and total[size, state] > total[size, reached]):
                    reached = state
        sums[team, 0] = places - filled[reached]
        mu_sum = 0.0
        square_sum = 0.0
        variance_sum = 0.0
        for turn in range(size - 1, -1, -1):
            player = players[first + turn]
            role_taken = taken[turn, reached]
            chosen[first + turn] = role_taken
            mu_sum += mu[player, role_taken]
            square_sum += square[player, role_taken]
            variance_sum += variance[player, role_taken]
            if role_taken < n_roles:
                reached = before[reached, role_taken]
        sums[team, 1] = mu_sum
        sums[team, 2] = square_sum
        sums[team, 3] = variance_sum
