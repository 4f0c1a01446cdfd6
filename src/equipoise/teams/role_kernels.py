"""The hot loop of roles, written for :mod:`equipoise.compiled`: who of a team plays what."""

from __future__ import annotations

from typing import Any

# Memory views when plain, arrays when compiled; both are only indexed.
Column = Any

#: Below every total that weights up to 1e15 can give.
NOTHING = -1e300


def line_ups(
    players: Column,
    starts: Column,
    needed: Column,
    plays: Column,
    ratings: tuple[Column, Column, Column],
    scratch: tuple[Column, Column],
    sums: Column,
    chosen: Column,
) -> None:
    """Give every player of every team a role, or none, so that most roles are filled at the largest total.

    A dynamic program over the players: a state says how many of each role are filled, in a mixed radix; the
    best total of each is kept.  The last role of ``plays`` and ``ratings`` is none, which all may have.

    Parameters
    ----------
    players, starts : sequence of int
        The players of all teams, one team after another, and where each team begins (and the last ends).
    needed : sequence of int
        How many of each role a team needs.
    plays : two-dimensional
        Whether a player plays a role.
    ratings : three times two-dimensional
        Mean, square of its distance from the centre, and variance of each player in each role.
    scratch : one- and two-dimensional
        Room for a total in each state, and for the role each player of a team took on the way to it.
    sums : two-dimensional
        Where each team's unfilled roles and totals of mu, square and variance are written.
    chosen : sequence of int
        Where each player's role is written, in the order of ``players``.
    """
    mu, square, variance = ratings
    total, taken = scratch
    n_roles = len(needed)
    states = 1
    places = 0
    for role in range(n_roles):
        states *= needed[role] + 1
        places += needed[role]
    for team in range(len(starts) - 1):
        first = starts[team]
        size = starts[team + 1] - first
        total[0] = 0.0
        for state in range(1, states):
            total[state] = NOTHING
        for turn in range(size):
            player = players[first + turn]
            # Downwards, so that a state is read before this player has changed it.
            for state in range(states - 1, -1, -1):
                best = total[state]
                role_taken = n_roles
                if best > NOTHING:
                    best += mu[player, n_roles]
                radix = 1
                for role in range(n_roles):
                    base = needed[role] + 1
                    if plays[player, role] and state // radix % base > 0:
                        before = total[state - radix]
                        if before > NOTHING and before + mu[player, role] >= best:
                            best = before + mu[player, role]
                            role_taken = role
                    radix *= base
                total[state] = best
                taken[turn, state] = role_taken
        filled = -1
        reached = 0
        for state in range(states):
            if total[state] > NOTHING:
                count = 0
                rest = state
                for role in range(n_roles):
                    count += rest % (needed[role] + 1)
                    rest = rest // (needed[role] + 1)
                if count > filled or (count == filled and total[state] > total[reached]):
                    filled = count
                    reached = state
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
            radix = 1
            for role in range(role_taken):
                radix *= needed[role] + 1
            if role_taken < n_roles:
                reached -= radix
        sums[team, 0] = places - filled
        sums[team, 1] = mu_sum
        sums[team, 2] = square_sum
        sums[team, 3] = variance_sum
