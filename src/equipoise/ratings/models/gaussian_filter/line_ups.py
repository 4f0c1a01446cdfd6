"""Teams that have not played, asked of columns that stay as they are: chances of one line-up, or of many.

The kernel here is :mod:`equipoise.ratings.models.gaussian_filter.kernels` without learning, number by number
in the same order, so that both say the same to the last bit.  But nothing is written to what is known, so
that line-ups do not see each other, and of somebody who has not played no row is needed.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, cast

import numpy as np

from equipoise.core.compiled import compiled
from equipoise.core.match import Ruleset
from equipoise.core.player import is_bot
from equipoise.ratings.distributions import odds
from equipoise.ratings.models.gaussian_filter.contest_columns import DAY, Key
from equipoise.ratings.models.gaussian_filter.kernels import (
    BETA,
    BODY,
    BOT,
    DRIFT_DAY,
    DRIFT_GAME,
    EXPERIENCE,
    EXPERIENCED,
    HALF_EXPERIENCE,
    HALF_KNOWN,
    LATE,
    LEAST_NOISE,
    LIMIT_0,
    MARGIN_COUNT,
    MARGINS,
    MEAN,
    PLACE,
    ROW,
    SEEN,
    SLOPE,
    STATISTIC,
    STATISTIC_COUNT,
    STATISTICS,
    TEMPERATURE,
    TRUST,
    VARIANCE,
    Column,
)

#: The seat of somebody who has not played, and the place of a part of a skill that was never seen.
NOBODY = -1


def foretell(
    hyper: Column, table: Column, constants: Column, world: Column, weights: Column, games: Column,
    places: Column, seats: Column, shares: Column, first_member: Column, first_team: Column, at: Column,
    room: Column, chances: Column, depth: int, untyped: int, lanes: int,
) -> None:  # fmt: skip
    """Add to the chances of line-ups what some members say, each by its weight.

    Parameters
    ----------
    hyper, table, constants, world : column
        Hyperparameters, rows, what is known of the ruleset and of no ruleset: of each number that of each of
        these members in turn.
    weights : column
        How much each of these members counts.
    games : column
        How many contests each player has played.
    places : column
        Of each seat the rows of the parts of a skill, or ``NOBODY``, and whether it is a bot.
    seats, shares : column
        Of each member of a team.
    first_member, first_team : column
        Where the members of each team and the teams of each line-up begin, with one entry more.
    at : column
        When each line-up is to play, seconds since 1970; nan for when the last of its players was seen.
    room : column
        Two numbers for each team of the largest line-up.
    chances : column
        Of each team; added to.
    depth, untyped : int
        How many parts of a skill count, and 1 where the second is that of mutators.
    lanes : int
        How many members these are.
    """  # fmt: skip
    scored = constants[MARGINS * lanes] > MARGIN_COUNT or constants[STATISTICS * lanes] > STATISTIC_COUNT
    for n in range(len(first_team) - 1):
        first, count = first_team[n], first_team[n + 1] - first_team[n]
        start, stop = first_member[first], first_member[first + count]
        now, late = day_of(table, places, seats, start, stop, at[n], lanes), 0.0
        if not scored:
            late = known_among(games, places, seats, shares, start, stop)
        for one in range(lanes):
            trust, body = constants[TRUST * lanes + one], constants[BODY * lanes + one]
            experience, half = constants[EXPERIENCE * lanes + one], hyper[HALF_EXPERIENCE * lanes + one]
            experienced = hyper[EXPERIENCED * lanes + one] > 0.0
            drift_game, drift_day = hyper[DRIFT_GAME * lanes + one], hyper[DRIFT_DAY * lanes + one]
            beta, wide = hyper[BETA * lanes + one], 1.0 + hyper[LATE * lanes + one] * late
            total = 0.0
            for k in range(count):
                skill = variance = noise = veterans = 0.0
                for j in range(first_member[first + k], first_member[first + k + 1]):
                    share, seat, played = shares[j], seats[j], 0.0
                    mean = statistic = spread = -0.0
                    if seat >= 0:
                        played = games[places[PLACE * seat]]
                    for part in range(depth):
                        limit = hyper[(LIMIT_0 + part + untyped * (part > 0)) * lanes + one]
                        place = places[PLACE * seat + part] if seat >= 0 else NOBODY
                        if place >= 0:
                            row = ROW * place * lanes + one
                            uncertain, seen = table[row + VARIANCE * lanes], table[row + SEEN * lanes]
                            if not places[PLACE * seat + BOT]:
                                grown = uncertain + (drift_game + drift_day * max(now - seen, 0.0)) * limit
                                uncertain = min(grown, max(limit, uncertain))
                            mean += table[row + MEAN * lanes]
                            statistic += table[row + STATISTIC * lanes]
                            spread += uncertain
                        else:
                            mean += 0.0
                            statistic += 0.0
                            spread += limit * wide if part == 0 else limit
                    skill += share * (mean + trust * statistic + body)
                    variance += share * share * spread
                    noise += share * share
                    if experienced:
                        veterans += share * played / (played + half)
                if experienced:
                    skill += experience * veterans
                room[2 * k] = skill
                total += variance + beta * beta * noise
            scale = hyper[SLOPE * lanes + one] / math.sqrt(max(total, LEAST_NOISE) * (2.0 / count))
            heat = world[TEMPERATURE * lanes + one] * scale
            publish(chances, room, first, count, heat, weights[one])


def day_of(
    table: Column, places: Column, seats: Column, start: int, stop: int, at: float, lanes: int
) -> float:  # fmt: skip
    """Return the day of a time, or of when the last of some players was seen; 0 where nobody ever was."""
    if at == at:
        return at / DAY
    latest = -math.inf
    for j in range(start, stop):
        if seats[j] >= 0:
            latest = max(latest, table[(ROW * places[PLACE * seats[j]] + SEEN) * lanes])
    return latest * DAY / DAY if latest > -math.inf else 0.0


def known_among(
    games: Column, places: Column, seats: Column, shares: Column, start: int, stop: int
) -> float:  # fmt: skip
    """Return how well those who play are known on average, from 0 to 1; 0 where nobody is new."""
    new = 0
    for j in range(start, stop):
        new += seats[j] < 0
    if new == 0:
        return 0.0
    known, there = 0.0, 0.0
    for j in range(start, stop):
        played = games[places[PLACE * seats[j]]] if seats[j] >= 0 else 0.0
        there += shares[j]
        known += shares[j] * played / (played + HALF_KNOWN)
    return known / there


def publish(chances: Column, room: Column, first: int, count: int, heat: float, weight: float) -> None:
    """Add how likely each team is to win as one member sees it, by its weight."""
    if count == 2:
        half = 0.5 * (room[0] - room[2])
        chance, rest = odds(2.0 * heat * half)
        chances[first] += weight * chance
        chances[first + 1] += weight * rest
    else:
        top, powers = room[0], 0.0
        for k in range(1, count):
            top = max(top, room[2 * k])
        for k in range(count):
            power = math.exp(heat * (room[2 * k] - top))
            room[2 * k + 1] = power
            powers += power
        for k in range(count):
            chances[first + k] += weight * (room[2 * k + 1] / powers)


def skills(
    hyper: Column, table: Column, constants: Column, games: Column, places: Column, seats: Column,
    means: Column, variances: Column, depth: int, untyped: int, lanes: int,
) -> None:  # fmt: skip
    """Write down mean and variance of players' skills in a ruleset, as each of some members sees them.

    Parameters
    ----------
    hyper, table, constants, games, places, seats, depth, untyped, lanes
        As of :func:`foretell`; of known players alone.
    means, variances : column
        ``lanes`` numbers of each player.
    """  # fmt: skip
    for n in range(len(seats)):
        own = PLACE * seats[n]
        played = games[places[own]]
        for one in range(lanes):
            mean, variance = constants[BODY * lanes + one], 0.0
            for part in range(depth):
                place = places[own + part]
                if place >= 0:
                    row = ROW * place * lanes + one
                    statistic = constants[TRUST * lanes + one] * table[row + STATISTIC * lanes]
                    mean += table[row + MEAN * lanes] + statistic
                    variance += table[row + VARIANCE * lanes]
                else:
                    variance += hyper[(LIMIT_0 + part + untyped * (part > 0)) * lanes + one]
            experienced = constants[EXPERIENCE * lanes + one] * played
            means[lanes * n + one] = mean + experienced / (played + hyper[HALF_EXPERIENCE * lanes + one])
            variances[lanes * n + one] = variance


class Seats:
    """Everyone who has played, with where the parts of their skills in a ruleset stand.

    Parameters
    ----------
    parts : sequence of Ruleset
        What the parts are of, the general first.
    """

    __slots__ = ("_by_id", "_parts", "_places", "_sorted", "_used", "numbers")

    def __init__(self, parts: Sequence[Ruleset]) -> None:
        #: The seat of each player: they are in the order of first appearance.
        self.numbers: dict[str, int] = {}
        self._parts = {part: n for n, part in enumerate(parts)}
        self._places = np.full((16, PLACE), NOBODY, dtype=np.int64)
        self._used = 0
        self._sorted: list[str] = []
        self._by_id = np.empty(0, dtype=np.int64)

    def follow(self, keys: dict[Key, int]) -> None:
        """Take up the parts of skills that are new."""
        if self._used == len(keys):
            return
        numbers, parts = self.numbers, self._parts
        rows, columns, values, bots = list[int](), list[int](), list[int](), list[bool]()
        for (player, part), place in newest(keys, self._used):
            column = parts.get(part)
            if column is None:
                continue
            seat = numbers.get(player)
            if seat is None:
                seat = numbers[player] = len(numbers)
                bots.append(is_bot(player))
            rows.append(seat)
            columns.append(column)
            values.append(place)
        many, before = len(numbers), len(numbers) - len(bots)
        if many > len(self._places):
            room = np.full((2 * many, PLACE), NOBODY, dtype=np.int64)
            room[:before] = self._places[:before]
            self._places = room
        self._places[before:many, BOT] = bots
        self._places[rows, columns] = values
        self._used = len(keys)

    def places(self) -> Any:
        """Return the places of everyone, ``(n_players, PLACE)``."""
        return self._places[: len(self.numbers)]

    def flat(self) -> Any:
        """Return the same for the kernel."""
        return self._places.reshape(-1)

    def by_id(self) -> tuple[list[str], Any]:
        """Return everyone's ids in ascending order, and their seats."""
        known = len(self._sorted)
        new = list(itertools.islice(self.numbers, known, None))
        if len(new) > FEW_NEW:
            self._sorted = sorted(self.numbers)
            self._by_id = np.array(list(map(self.numbers.__getitem__, self._sorted)), dtype=np.int64)
        else:
            for player in new:
                at = bisect.bisect_left(self._sorted, player)
                self._sorted.insert(at, player)
                self._by_id = np.insert(self._by_id, at, self.numbers[player])
        return self._sorted, self._by_id


#: Up to so many new players are inserted one by one; more are sorted together.
FEW_NEW = 16  # effort


def newest(places: dict[Any, int], used: int) -> list[tuple[Any, int]]:
    """Return the entries that came after the first so many, without going through these."""
    return list(itertools.islice(reversed(places.items()), len(places) - used))[::-1]


class Shape(NamedTuple):
    """Where the teams and members of one line-up begin, with one entry more; shares of 1; room for it."""

    first_member: Any
    first_team: Any
    shares: Any
    room: Any


@lru_cache(256)
def shape_of(sizes: tuple[int, ...]) -> Shape:
    """Return the shape of a line-up whose players are all present throughout, for the compiled kernel."""
    return Shape(
        np.array([0, *itertools.accumulate(sizes)], dtype=np.int64),
        np.array([0, len(sizes)], dtype=np.int64),
        np.ones(sum(sizes)),
        np.empty(2 * len(sizes)),
    )


class LineUpsAsked(NamedTuple):
    """What is known of a ruleset at one time, as line-ups are asked of it.

    Parameters
    ----------
    version : int
        After how many changes this is.
    ruleset : Ruleset
        What answers are of.
    constants, weights : tuple of float
        What is known of the ruleset, of each member in turn, and how much each counts.
    seats : Seats
        Everyone who has played.
    games : column
        How many contests each player has played, by the rows of the table.
    blocks : sequence of tuple of column
        What the kernel takes of so many members at a time.
    places : column
        Where the parts of everyone's skill stand.
    depth, untyped, lanes : int
        As the kernel takes them; no lanes where it is to run plain.
    """

    version: int
    ruleset: Ruleset
    constants: tuple[float, ...]
    weights: tuple[float, ...]
    seats: Seats
    games: Any
    blocks: Sequence[tuple[Any, ...]]
    places: Any
    depth: int
    untyped: int
    lanes: int

    def chances(self, seats: Any, shares: Any, first_member: Any, first_team: Any, at: Any, room: Any) -> Any:
        """Return the chances of each team of line-ups, of the columns that :func:`foretell` takes."""
        if self.lanes:
            kernel, chances = compiled(foretell), np.zeros(len(first_member) - 1)
            for block in self.blocks:
                kernel(
                    *block, self.games, self.places, seats, shares, first_member, first_team, at, room,
                    chances, self.depth, self.untyped, self.lanes,
                )  # fmt: skip
            return chances
        seats, shares, first_member, first_team, at = map(
            _listed, (seats, shares, first_member, first_team, at)
        )
        found, plain = [0.0] * (len(first_member) - 1), cast("Any", foretell)
        for block in self.blocks:
            plain(
                *block, self.games, self.places.data, seats, shares, first_member, first_team, at,
                [0.0] * len(room), found, self.depth, self.untyped, 1,
            )  # fmt: skip
        return np.array(found)

    def moments(self, seats: Any) -> list[tuple[Any, Any]]:
        """Return mean and variance of the skills of some players, by seat, as each member sees them."""
        if not self.lanes:
            return self._moments(seats)
        found: list[tuple[Any, Any]] = []
        for hyper, table, constants, *_ in self.blocks:
            means, variances = np.empty((2, len(seats) * self.lanes))
            compiled(skills)(
                hyper, table, constants, self.games, self.places, seats, means, variances,
                self.depth, self.untyped, self.lanes,
            )  # fmt: skip
            found += [(means[one :: self.lanes], variances[one :: self.lanes]) for one in range(self.lanes)]
        return found

    def _moments(self, seats: Any) -> list[tuple[Any, Any]]:
        """Return the same as :func:`skills`, of all players at a time."""
        places = self.seats.places()[seats]
        played = np.array(self.games)[places[:, 0]]
        found = []
        for hyper, table, constants, *_ in self.blocks:
            rows = np.array(table).reshape(-1, ROW)
            mean, variance = np.full(len(seats), constants[BODY]), np.zeros(len(seats))
            for part in range(self.depth):
                absent, mine = places[:, part] < 0, rows[places[:, part]]
                limit = hyper[LIMIT_0 + part + self.untyped * (part > 0)]
                mean += np.where(absent, 0.0, mine[:, MEAN] + constants[TRUST] * mine[:, STATISTIC])
                variance += np.where(absent, limit, mine[:, VARIANCE])
            mean += constants[EXPERIENCE] * played / (played + hyper[HALF_EXPERIENCE])
            found.append((mean, variance))
        return found


def _listed(column: Iterable[Any]) -> list[Any]:
    return column.tolist() if isinstance(column, np.ndarray) else list(column)
