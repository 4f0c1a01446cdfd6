"""Matches from columns: what :func:`~equipoise.queueing.tick` does, without an object for each ticket.

One call goes through one pool, tickets that may all meet; a million of them take a fraction of a second.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from equipoise.core.arrays import Floats, Ints, ascending
from equipoise.core.compiled import pays, run
from equipoise.core.player import Player
from equipoise.core.win_probability import LOGISTIC_SLOPE
from equipoise.errors import InputError
from equipoise.queueing.pair_kernels import APART, STATES, choose_pairs
from equipoise.queueing.policy import QueuePolicy
from equipoise.queueing.window_kernels import (
    FAR,
    MatchShape,
    TicketColumns,
    WindowScratch,
    find_window,
    make_matches,
    measure_windows,
)

#: Tickets up to which the closest matches are made first; more are served in the order of their ratings,
#: which is the order of memory.
MOST_MEASURED = 4096  # effort

#: Seconds of the growth of tolerances that a second of waiting is worth in the order of matches: between 0,
#: the closest first, and 1, nearly the oldest first, this costs no spread and takes long waits down a little.
HASTE = 0.2

#: Where players for so many matches wait, ratings may at first be as far apart as so many on either side are,
#: times this, and no farther: in a second there are others as close.  Else what is right where few wait would
#: be far too wide.
CROWD, NEAREST, ROOM = 5, 2, 1.2

#: Windows and steps of a tick in all, and how few and how many of them an anchor has: five windows an anchor
#: are enough where many wait (``benchmarks/QUEUE.md``), and more than 50 help nowhere.
WINDOWS, FEWEST_WINDOWS, MOST_WINDOWS = 20_000, 5, 50  # effort
STEPS, FEWEST_STEPS, MOST_STEPS = 2_000_000, 400, 20_000  # effort

#: For how many matches neighbours are listed, at least: fewer are too few to choose from.
MATCHES = 4  # effort

#: Steps of a tick for those who have waited too long, in all, and the fewest for one of them.
OVERDUE_STEPS, FEWEST_OVERDUE_STEPS = 200_000, 5_000  # effort

#: What a match of those who have waited too long may have of the most imbalance, tried one after another.
FLOORS = np.array([0.125, 0.5, 1.0])

#: Tickets from which loading numba pays.
COMPILE_FROM = 256  # effort

#: Tickets of a stretch in which duels are matched exactly: so much memory is needed at once.
STRETCH = 65_536  # effort

#: Bits of a mask of regions or maps: one that meets every other.
EVERYWHERE = -1


@dataclass(frozen=True, slots=True)
class QueueColumns:
    """Tickets of one pool, one an entry.

    Parameters
    ----------
    total : ndarray of float, shape (n,)
        The sum of the members' ratings.
    size : ndarray of int, shape (n,)
        The members.
    waited : ndarray of float, shape (n,)
        The seconds each has waited.
    places, maps : ndarray of int, shape (n,), optional
        Bit masks of the regions, and of the maps, that do; all where left out.
    role_rows : ndarray of int, shape (n, n_sets), optional
        How many members play no role but those of a set, for each set of roles of :func:`role_limits`.
    avoided : tuple of (int, int), optional
        Pairs of tickets that must not meet.
    returned : ndarray of int, shape (n,), optional
        How many matches of a ticket others did not accept.
    """

    total: Floats
    size: Ints
    waited: Floats
    places: Ints | None = None
    maps: Ints | None = None
    role_rows: Ints | None = None
    avoided: tuple[tuple[int, int], ...] = field(default=())
    returned: Ints | None = None


def bound_of(imbalance: ArrayLike, policy: QueuePolicy) -> Floats:
    """Return how far apart two teams' totals are whose chance is so far from even.

    It is the difference for ratings that are certain, and so a strict one for those that are not.

    Examples
    --------
    >>> float(bound_of(0.0, QueuePolicy())), round(float(bound_of(0.01, QueuePolicy())), 1)
    (0.0, 14.9)
    """
    chance = 0.5 + np.asarray(imbalance, dtype=float)
    scale = policy.beta * math.sqrt(2 * policy.team_size) / LOGISTIC_SLOPE
    return scale * np.log(chance / (1.0 - chance))


def tolerances(rating: Floats, waited: Floats, policy: QueuePolicy, first: Floats | None = None) -> Floats:
    """Return how far apart ratings in a match may be for each who waits.

    ``first`` is how far at first, where that is less than the policy's ``tolerance``.
    """
    off = np.abs(rating - policy.middle) / policy.deviation
    faster = 1.0 + policy.tails * np.maximum(off - 1.0, 0.0)
    begins = policy.tolerance if first is None else np.minimum(first, policy.tolerance)
    return (begins + policy.tolerance_growth * waited) * faster


def tolerances_among(rating: Floats, size: Ints, waited: Floats, policy: QueuePolicy) -> Floats:
    """Return how far apart ratings in a match may be for each who waits: where many do, less at first.

    Duels are matched exactly, and of very many the nearest are close anyway.
    """
    many = int(size.sum()) >= CROWD * policy.seats and len(rating) <= MOST_MEASURED
    if not many or policy.seats == len(("one", "other")):
        return tolerances(rating, waited, policy)
    order, first = np.argsort(rating, kind="stable"), np.full(len(rating), np.inf)
    ordered = rating[order]
    first[NEAREST:-NEAREST] = ROOM * (ordered[2 * NEAREST :] - ordered[: -2 * NEAREST])
    starts = np.flatnonzero(np.diff(ordered, prepend=-np.inf))
    first = np.repeat(np.maximum.reduceat(first, starts), np.diff(starts, append=len(first)))
    first[order] = first.copy()
    return tolerances(rating, waited, policy, first)


def role_limits(policy: QueuePolicy) -> list[int]:
    """Return the seats of a team for each set of roles but the empty one, by the bits of its number.

    A team has its roles if and only if, for each set of roles, it has no more players who play no others than
    there are seats for them (P. Hall, "On representatives of subsets", 1935): sums over its members.
    """
    counts = [count for _, count in policy.roles]
    return [
        sum(count for bit, count in enumerate(counts) if chosen >> bit & 1)
        for chosen in range(1, 1 << len(counts))
    ]


def have_roles(players: Sequence[Player], policy: QueuePolicy) -> bool:
    """Tell whether players of a team can have different roles of it, by the condition of :func:`role_limits`.

    Examples
    --------
    >>> policy = QueuePolicy(team_size=2, roles={"tank": 1, "heal": 1})
    >>> have_roles([Player("Ann", roles=["tank"]), Player("Bob")], policy)
    True
    >>> have_roles([Player("Ann", roles=["tank"]), Player("Bob", roles=["tank"])], policy)
    False
    """
    names = {name for name, _ in policy.roles}
    fit = all(names & set(dict(each.roles)) for each in players if each.roles) or not names
    return fit and crowded_roles(players, policy) is None


def crowded_roles(players: Sequence[Player], policy: QueuePolicy) -> tuple[int, list[str], int] | None:
    """Return how many players of a team play which roles alone, and for how many it has seats, if for fewer.

    Examples
    --------
    >>> policy = QueuePolicy(team_size=2, roles={"tank": 1, "heal": 1})
    >>> crowded_roles([Player("Ann", roles=["tank"]), Player("Bob", roles=["tank"])], policy)
    (2, ['tank'], 1)
    """
    names = [name for name, _ in policy.roles]
    played = [{*names} & set(dict(each.roles)) if each.roles else {*names} for each in players]
    for chosen, limit in enumerate(role_limits(policy), 1):
        roles = [name for bit, name in enumerate(names) if chosen >> bit & 1]
        count = sum(each.issubset(roles) for each in played)
        if count > limit:
            return count, roles, limit
    return None


def form_matches(columns: QueueColumns, policy: QueuePolicy, *, overdue: bool = False) -> tuple[Ints, Ints]:
    """Make matches of the tickets of one pool.

    Parameters
    ----------
    columns : QueueColumns
        Who waits.
    policy : QueuePolicy
        What a match must be like.
    overdue : bool
        Whether to serve those alone who have waited ``longest_wait``, with anybody, whatever they tolerate.

    Returns
    -------
    match : ndarray of int, shape (n,)
        The match of each ticket, counted from 0; -1 for those who go on waiting.
    team : ndarray of int, shape (n,)
        Its team in that match.

    Examples
    --------
    >>> columns = QueueColumns(np.array([1500.0, 1505, 1800]), np.ones(3, int), np.ones(3))
    >>> match, team = form_matches(columns, QueuePolicy(team_size=1))
    >>> match.tolist(), team.tolist()
    ([0, 0, -1], [1, 0, 0])
    """
    n = len(columns.total)
    if not (len(columns.size) == len(columns.waited) == n):
        msg = "columns must be of one length"
        raise InputError(msg)
    match, team = np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=np.int64)
    if int(columns.size.sum()) < policy.seats:
        return match, team
    mean = columns.total / columns.size
    order = ascending(mean)
    tickets = _sorted_columns(columns, mean, order, policy)
    waited = columns.waited[order]
    late = waited >= policy.longest_wait
    returned = None if columns.returned is None else columns.returned[order]
    if overdue:
        _serve_overdue(tickets, np.flatnonzero(late), waited, policy)
    elif policy.seats == len(("one", "other")):
        _match_duels(tickets)
    else:
        _serve(tickets, waited, returned, policy)
    _seat_the_oldest(tickets, waited, returned, policy)
    match[order], team[order] = tickets.match, tickets.team
    return match, team


def could_play(columns: QueueColumns, ticket: int, policy: QueuePolicy) -> bool:
    """Tell whether a ticket could be in a match with others, whoever tolerates whom.

    It could as far as is known: the search ends after some steps.

    Examples
    --------
    >>> columns = QueueColumns(np.zeros(3), np.array([2, 2, 2]), np.zeros(3))
    >>> could_play(columns, 0, QueuePolicy(team_size=3)), could_play(columns, 0, QueuePolicy(team_size=2))
    (False, True)
    """
    n = len(columns.size)
    order = np.argsort(columns.total / columns.size, kind="stable")
    shape = _shape(
        policy, party_gap=policy.team_size, windows=FEWEST_WINDOWS, steps=FEWEST_STEPS, reach=n, matches=n,
        relaxed=1,
    )  # fmt: skip
    scratch = _scratch(shape, policy)
    scratch.floor[0] = bound_of(policy.most_imbalance, policy)
    tickets = _sorted_columns(columns, columns.total / columns.size, order, policy)
    anchor = int(np.flatnonzero(order == ticket)[0])
    length = run(find_window, tickets, anchor, shape, scratch, fast=pays(n, COMPILE_FROM))
    return bool(length > 0 or scratch.spent[0] >= shape.windows or scratch.spent[1] >= shape.steps)


def use_kernels() -> None:
    """Make two matches, so that all kernels are loaded that a queue needs."""
    waiting = QueueColumns(np.full(4, 1500.0), np.ones(4, dtype=np.int64), np.zeros(4))
    for size in (1, 2):
        form_matches(waiting, QueuePolicy(team_size=size))


def _sorted_columns(columns: QueueColumns, mean: Floats, order: Ints, policy: QueuePolicy) -> TicketColumns:
    """Return the columns that the kernels take, in the order of the ratings."""
    n = len(order)
    rating, size, waited = mean[order], columns.size[order].astype(np.int64), columns.waited[order]
    waited = np.maximum(waited, 0.0)
    grown = np.minimum(policy.imbalance + policy.imbalance_growth * waited, policy.most_imbalance)
    everywhere = np.full(n, EVERYWHERE, dtype=np.int64)
    starts, avoided = _avoided(columns.avoided, order)
    return TicketColumns(
        rating=rating,
        total=(rating - policy.middle) * size,
        size=size,
        tolerance=tolerances_among(rating, size, waited, policy),
        bound=bound_of(grown, policy),
        places=everywhere if columns.places is None else columns.places[order],
        maps=everywhere if columns.maps is None else columns.maps[order],
        roles=_NO_NUMBERS if columns.role_rows is None else columns.role_rows[order].ravel(),
        avoid=starts,
        avoided=avoided,
        before=np.arange(-1, n + 1, dtype=np.int64),
        after=np.arange(1, n + 3, dtype=np.int64),
        match=np.full(n, -1, dtype=np.int64),
        team=np.zeros(n, dtype=np.int64),
    )


_NO_NUMBERS = np.zeros(1, dtype=np.int64)


def _avoided(pairs: tuple[tuple[int, int], ...], order: Ints) -> tuple[Ints, Ints]:
    """Return whom each ticket must not meet, one after another, and where those of each begin."""
    if not pairs:
        return np.zeros(len(order) + 1, dtype=np.int64), _NO_NUMBERS
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    both = place[np.array([pair[::step] for pair in pairs for step in (1, -1)], dtype=np.int64)]
    both = both[np.argsort(both[:, 0], kind="stable")]
    return np.searchsorted(both[:, 0], np.arange(len(order) + 1)), np.ascontiguousarray(both[:, 1])


def _serve(tickets: TicketColumns, waited: Floats, returned: Ints | None, policy: QueuePolicy) -> None:
    """Make matches of those who tolerate one another.

    Where few wait, the anchors whose matches are the closest in rating come first, those before all others
    who returned: this is worth a tenth of the spread, compared with the oldest first.
    """
    n = len(waited)
    shape = _shape(
        policy,
        party_gap=policy.team_size if policy.party_gap is None else policy.party_gap,
        windows=min(max(WINDOWS // n, FEWEST_WINDOWS), MOST_WINDOWS),
        steps=min(max(STEPS // n, FEWEST_STEPS), MOST_STEPS),
        reach=min(MATCHES * policy.seats, n),
        matches=MATCHES,
        relaxed=0,
    )
    scratch, fast = _scratch(shape, policy), pays(n, COMPILE_FROM)
    anchors = np.arange(n)
    if n <= MOST_MEASURED:
        spreads = np.zeros(n)
        run(measure_windows, tickets, anchors, shape, scratch, spreads, fast=fast)
        behind = np.ones(n) if returned is None else returned == 0
        anchors = np.lexsort((spreads - HASTE * policy.tolerance_growth * waited, behind))
        anchors = anchors[spreads[anchors] < FAR]
    run(make_matches, tickets, anchors, np.zeros(1), shape, scratch, 0, fast=fast)


def _seat_the_oldest(
    tickets: TicketColumns, waited: Floats, returned: Ints | None, policy: QueuePolicy
) -> None:
    """Give the seats of tickets to those that are alike and have waited longer, who tolerate no less."""
    n, seated = len(waited), tickets.match >= 0
    starts = np.flatnonzero(np.diff(tickets.rating, prepend=-np.inf))
    if len(starts) == n:
        return
    # Nothing changes hands among equal ratings that all have seats, or none.
    lengths, taken = np.diff(starts, append=n), np.add.reduceat(seated.astype(np.int64), starts)
    some = np.flatnonzero(np.repeat((taken > 0) & (taken < lengths), lengths))
    roles = tickets.roles.reshape(n, -1).T if policy.roles else ()
    avoiding = np.where(np.diff(tickets.avoid) > 0, np.arange(1, n + 1), 0)  # alike to nobody
    behind = np.ones(n) if returned is None else returned == 0
    columns = (*roles, tickets.size, tickets.places, tickets.maps, behind, avoiding, tickets.rating)
    keys = [column[some] for column in columns]
    order = np.lexsort((-waited[some], *keys))
    changes = np.ones(len(some), dtype=bool)
    changes[1:] = np.any([key[order[1:]] != key[order[:-1]] for key in keys], axis=0)
    group, first = np.cumsum(changes) - 1, np.flatnonzero(changes)
    some = some[order]
    seated = seated[some]
    due = np.arange(len(some)) - first[group] < np.bincount(group, seated)[group]
    leaving, coming = some[seated & ~due], some[due & ~seated]
    tickets.match[coming], tickets.team[coming] = tickets.match[leaving], tickets.team[leaving]
    tickets.match[leaving], tickets.team[leaving] = -1, 0


def _serve_overdue(tickets: TicketColumns, late: Ints, waited: Floats, policy: QueuePolicy) -> None:
    """Make matches with those who have waited too long, oldest first, of all that may meet them."""
    if not len(late):
        return
    n = len(tickets.rating)
    steps = max(OVERDUE_STEPS // len(late), FEWEST_OVERDUE_STEPS)
    matches = max(steps // (MATCHES * policy.seats), MATCHES)
    reach = min(matches * policy.seats, n)
    shape = _shape(
        policy, party_gap=policy.team_size, windows=steps, steps=steps, reach=reach, matches=matches,
        relaxed=1,
    )  # fmt: skip
    floors = bound_of(policy.most_imbalance * FLOORS, policy)
    oldest_first = late[np.argsort(-waited[late], kind="stable")]
    fast = pays(n, COMPILE_FROM)
    run(make_matches, tickets, oldest_first, floors, shape, _scratch(shape, policy), 0, fast=fast)


def _shape(policy: QueuePolicy, **more: int) -> MatchShape:
    role_sets = (1 << len(policy.roles)) - 1
    return MatchShape(teams=policy.teams, team_size=policy.team_size, role_sets=role_sets, **more)


def _scratch(shape: MatchShape, policy: QueuePolicy) -> WindowScratch:
    """Return room for a search."""
    depth, sets = policy.seats + 2, shape.role_sets
    return WindowScratch(
        near=_whole(shape.reach + 1), seats=_whole(shape.reach + 2), useful=_whole(shape.reach + 2),
        others=_whole((shape.reach + 2) * sets + 1), sized=_whole(policy.team_size + 1),
        room=policy.teams * np.array([0, *(policy.team_size // np.arange(1, policy.team_size + 1))]),
        floor=np.zeros(1),
        spent=_whole(2), chosen=_whole(depth), players=_whole(depth),
        packed=_whole(depth), low=np.zeros(depth), high=np.zeros(depth), tolerance=np.zeros(depth),
        bound=np.zeros(depth), places=_whole(depth), maps=_whole(depth),
        role_counts=_whole((policy.teams + 1) * sets + 1),
        role_limits=np.array([*role_limits(policy), 0], dtype=np.int64),
        window=_whole(depth), side=_whole(depth), best=_whole(depth), team_players=_whole(policy.teams),
        team_total=np.zeros(policy.teams), team_party=_whole(policy.teams), tried=_whole(depth),
    )  # fmt: skip


def _whole(n: int) -> Ints:
    return np.zeros(n, dtype=np.int64)


def _match_duels(tickets: TicketColumns) -> None:
    """Pair those who wait for a duel, exactly, a stretch of ratings at a time."""
    free = np.flatnonzero(tickets.size == 1)
    fast = pays(len(free) * APART, COMPILE_FROM)
    number = 0
    for start in range(0, len(free), STRETCH):
        stretch = free[start : start + STRETCH]
        number = run(
            choose_pairs, tickets, stretch, np.zeros(STATES), np.zeros(STATES), np.zeros(APART),
            np.zeros(len(stretch) * STATES, dtype=np.int8), number, fast=fast,
        )  # fmt: skip
