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
HALF = STATES >> 1

#: The worth of a state that cannot be, and of a pair that must not be.
NEVER = float("-inf")


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
        step(worth, next_worth, place * STATES, pair, choice)
        for state in range(STATES):
            worth[state] = next_worth[state]
    best = 0
    for state in range(STATES):
        if worth[state] >= worth[best]:  # of those alike, the last tickets stay single
            best = state
    return take_pairs(tickets, free, choice, best, first)


def step(worth: Column, next_worth: Column, row: int, pair: Column, choice: Column) -> None:
    """Go on from all states with one more ticket: it stays single, or is paired with one of the last ones.

    The highest bit of a state is the last ticket.  Two states that differ in the first of those tickets alone
    are one for all others, the better one.
    """
    for state in range(HALF):
        without, single = worth[state << 1], worth[(state << 1) | 1]
        next_worth[HALF + state] = max(without, single)
        choice[row + HALF + state] = (APART << 1) | (single > without)
        next_worth[state] = single + pair[APART - 1]
        choice[row + state] = ((APART - 1) << 1) | 1
    for back in range(APART - 1):
        bit = HALF >> (back + 1)
        for low in range(0, HALF, bit << 1):
            for state in range(low, low + bit):
                paired = next_worth[HALF + state + bit] + pair[back]
                if paired > next_worth[state]:
                    next_worth[state] = paired
                    choice[row + state] = (back << 1) | (choice[row + HALF + state + bit] & 1)


def take_pairs(tickets: TicketColumns, free: Column, choice: Column, state: int, first: int) -> int:
    """Follow the choices back from the last ticket, and write the pairs down."""
    number = first
    for behind in range(len(free)):
        place = len(free) - 1 - behind
        chosen = choice[place * STATES + state]
        back = chosen >> 1
        before = ((state << 1) & (STATES - 1)) | (chosen & 1)
        if back < APART:
            before |= HALF >> back
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
