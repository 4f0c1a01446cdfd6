"""Duels by exact weighted matching, written for :mod:`equipoise.core.compiled`.

Tickets stand in the order of their ratings.  A pair is worth what is left of what both tolerate, so every
pair is worth more than none, close ones more than others, and those who have waited long more than those who
have not.  The most valuable set of pairs is found by dynamic programming over the order: a state is which of
the last so many tickets are still single, so that it is exact among all pairs at most so many places apart.
"""

from __future__ import annotations

from typing import Any

from equipoise.queueing.window_kernels import TicketColumns

# Memory views when plain, arrays when compiled; all are only indexed.
Column = Any

#: How many places apart a pair may be; states are two to its power.
APART = 8
STATES = 1 << APART

#: The worth of a state that cannot be, and of a pair that must not be.
NEVER = -1.0


def choose_pairs(
    tickets: TicketColumns,
    free: Column,
    worth: Column,
    next_worth: Column,
    pair: Column,
    choice: Column,
    first: int,
) -> int:
    """Make the most valuable pairs of the free tickets, and return the number of the next match.

    Parameters
    ----------
    tickets : TicketColumns
        Those who wait; what is changed says who plays.
    free : column
        Positions of the tickets that are free, ascending.
    worth, next_worth : column
        By state, room for the search.
    pair : column
        By distance, room for what a pair is worth.
    choice : column
        By ticket and state, room for how the state was reached.
    first : int
        The number of the first match.
    """
    for state in range(STATES):
        worth[state] = NEVER
    worth[0] = 0.0
    for place in range(len(free)):
        for back in range(APART):
            pair[back] = NEVER
            if back < place:
                pair[back] = pair_worth(tickets, free[place - 1 - back], free[place])
        for state in range(STATES):
            next_worth[state] = NEVER
        for state in range(STATES):
            if worth[state] >= 0.0:
                step(state, worth[state], place * STATES, next_worth, pair, choice)
        for state in range(STATES):
            worth[state] = next_worth[state]
    best = 0
    for state in range(STATES):
        if worth[state] > worth[best]:
            best = state
    return take_pairs(tickets, free, choice, best, first)


def step(state: int, worth: float, row: int, next_worth: Column, pair: Column, choice: Column) -> None:
    """Go on from a state with one more ticket: it stays single, or is paired with one of the last ones."""
    forgotten = state >> (APART - 1)
    single = ((state << 1) | 1) & (STATES - 1)
    if worth > next_worth[single]:
        next_worth[single] = worth
        choice[row + single] = (APART << 1) | forgotten
    for back in range(APART):
        if (state >> back) & 1 and pair[back] >= 0.0:
            paired = ((state & ~(1 << back)) << 1) & (STATES - 1)
            if worth + pair[back] > next_worth[paired]:
                next_worth[paired] = worth + pair[back]
                choice[row + paired] = (back << 1) | forgotten


def take_pairs(tickets: TicketColumns, free: Column, choice: Column, state: int, first: int) -> int:
    """Follow the choices back from the last ticket, and write the pairs down."""
    number = first
    for behind in range(len(free)):
        place = len(free) - 1 - behind
        chosen = choice[place * STATES + state]
        back = chosen >> 1
        before = (state >> 1) | ((chosen & 1) << (APART - 1))
        if back < APART:
            before |= 1 << back
            for team in range(2):
                ticket = free[place - team * (1 + back)]
                tickets.match[ticket] = number
                tickets.team[ticket] = team
            number += 1
        state = before
    return number


def pair_worth(tickets: TicketColumns, low: int, high: int) -> float:
    """Return what a pair is worth, below 0 where it must not be."""
    distance = tickets.rating[high] - tickets.rating[low]
    if distance > min(tickets.tolerance[low], tickets.tolerance[high]):
        return NEVER
    if distance > (tickets.bound[low] + tickets.bound[high]) / 2.0:
        return NEVER
    if tickets.places[low] & tickets.places[high] == 0 or tickets.maps[low] & tickets.maps[high] == 0:
        return NEVER
    for item in range(tickets.avoid[low], tickets.avoid[low + 1]):
        if tickets.avoided[item] == high:
            return NEVER
    worth: float = (tickets.tolerance[low] + tickets.tolerance[high]) / 2.0 - distance
    return worth
