"""Who may be one person: pairs of ids that look like one player with two ids, each with a probability.

Two ids that were in one match are two people.  Of all other pairs six things are measured: how alike their
names are and how many others bear them, in how many matches both would have been by chance, whether one
begins where the other ends, at which hours and with whom they play, and how far apart their skills are.
A logistic regression makes odds of these, and the odds compete: an id is that of at most one other here.

Its coefficients are fitted to archives whose ids were split on purpose (``python -m benchmarks double_ids``),
in which a tenth of the people have two ids; merging stays a person's decision.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.core.arrays import Floats
from equipoise.core.match import Match
from equipoise.core.player import Rating, is_bot
from equipoise.identity.merges import ANONYMOUS, everyone
from equipoise.identity.names import likeness, stem_of
from equipoise.identity.shared_ids import OF

#: Matches from which on an id is compared, and how many ids are compared at most, those seen last.
FEWEST, MOST = 3, 4000

#: Seconds of a slot of the week, and slots: four hours, from Thursday 1970-01-01 on.
SLOT, SLOTS = 4 * 3600.0, 42

#: The power of a likeness of names: half alike is as good as nothing.
SHARP = 3

#: The least probability of a pair that is listed unless another is asked for.
LEAST = 0.1

#: Ids that are compared with all others at a time.
BLOCK = 256

#: What is measured of a pair, in the order of the coefficients.
FEATURES = (
    "one", "names", "expected together", "relay", "apart in time", "hours", "company",
    "skill", "ids",
)  # fmt: skip

#: Of each of these the coefficient in the odds: fitted by ``python -m benchmarks double_ids --fit``.
COEFFICIENTS = (-3.247, 8.186, 0.661, 1.232, 0.795, 4.042, 1.879, -0.613, -0.843)

#: Log-odds of pairs once their odds have competed, and what these mean, fitted likewise and then shifted by
#: what archives that the fit has not seen show; between them it is linear, above them constant, and below
#: them the same shift.
CALIBRATION = (
    (-4.623, -3.653, -2.753, -2.273, -1.783, -1.015, 0.349, 1.247, 1.768, 2.459, 3.834),
    (-4.409, -2.868, -1.384, -1.119, -0.416, 0.038, 0.046, 0.377, 0.874, 1.288, 2.196),
)


class DoubleId(NamedTuple):
    """Two ids that may be one person's.

    Parameters
    ----------
    first, second : str
        The ids, the one with more matches first.
    names : tuple of str
        A name of each, those most alike.
    probability : float
        That they are one person, 0 to 1.
    matches : tuple of int
        In how many matches each was; they were in none together.
    expected : float
        In how many both would have been, had each come as often by itself.
    relay : bool
        Whether one was not seen before the other was seen last.
    hours, company : float
        How alike the hours of the week are at which they play, and the people whom they meet, -1 to 1, each
        measured against what everyone does.
    skill : float
        How far apart their skills are, in standard deviations of the difference.
    """

    first: str
    second: str
    names: tuple[str, str]
    probability: float
    matches: tuple[int, int]
    expected: float
    relay: bool
    hours: float
    company: float
    skill: float

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**self._asdict(), "names": list(self.names), "matches": list(self.matches)}


@dataclass(frozen=True, slots=True)
class Attendance:
    """Who was in which match, as arrays.

    Parameters
    ----------
    ids : tuple of str
        The ids that are compared.
    there : Floats
        1 where an id was in a match, shape (n_ids, n_matches), matches in order of time.
    slots : Floats
        How often each was there in each slot of the week, shape (n_ids, SLOTS).
    slot_matches : Floats
        How many matches there were in each slot, shape (SLOTS,).
    names : tuple of Counter
        How often each bore which name.
    left_out : int
        How many came as often and are not compared, as ``MOST`` others were seen after them.
    """

    ids: tuple[str, ...]
    there: NDArray[np.float32]
    slots: Floats
    slot_matches: Floats
    names: tuple[Counter[str], ...]
    left_out: int = 0

    @classmethod
    def of(cls, matches: Iterable[Match]) -> Attendance:
        """Return the attendance of people in matches: no bots, nor those who are forgotten or came seldom."""
        games = sorted(matches, key=lambda each: (each.ended or 0.0, each.id))
        present = [_people(match) for match in games]
        counts = Counter(player for people in present for player in people)
        last = {player: n for n, people in enumerate(present) for player in people}
        often = [player for player, count in counts.items() if count >= FEWEST]
        ids = tuple(sorted(sorted(often, key=lambda each: (-last[each], each))[:MOST]))
        at = {player: n for n, player in enumerate(ids)}
        there = np.zeros((len(ids), len(games)), dtype=np.float32)
        slots, slot_matches = np.zeros((len(ids), SLOTS)), np.zeros(SLOTS)
        names = tuple(Counter[str]() for _ in ids)
        for n, (match, people) in enumerate(zip(games, present, strict=True)):
            slot = int((match.ended or 0.0) // SLOT) % SLOTS
            slot_matches[slot] += 1
            rows = [at[player] for player in people if player in at]
            there[rows, n] = 1.0
            slots[rows, slot] += 1.0
            for player, name in dict.fromkeys(match.names):
                if player in at:
                    names[at[player]][name] += 1
        for player, called in zip(ids, names, strict=True):
            if not called:
                called[player] = 1
        return cls(ids, there, slots, slot_matches, names, len(often) - len(ids))

    @property
    def counts(self) -> Floats:
        """In how many matches each was, shape (n_ids,)."""
        counts: Floats = self.there.sum(axis=1).astype(float)
        return counts

    def spans(self) -> tuple[Floats, Floats]:
        """Return the positions of the first and the last match of each."""
        some = self.there > 0
        return some.argmax(axis=1).astype(float), (some.shape[1] - 1 - some[:, ::-1].argmax(axis=1)).astype(
            float
        )


def _people(match: Match) -> set[str]:
    return {each for each in everyone(match) if not is_bot(each) and not each.startswith(ANONYMOUS)}


class Pairs(NamedTuple):
    """What is measured of pairs: positions of their ids, and a row of ``FEATURES`` for each, (m, 9)."""

    one: np.ndarray[Any, Any]
    other: np.ndarray[Any, Any]
    features: Floats


def measured(attendance: Attendance, ratings: Mapping[str, Rating]) -> Pairs:
    """Return what is measured of all pairs of ids that were in no match together.

    Parameters
    ----------
    attendance : Attendance
        Who was where.
    ratings : mapping from str to Rating
        The skill of each id, in any unit.
    """
    ids, counts = attendance.ids, attendance.counts
    n = len(ids)
    if n < 2:
        return Pairs(np.zeros(0, int), np.zeros(0, int), np.zeros((0, len(FEATURES))))
    first, last = attendance.spans()
    total = float(attendance.there.shape[1])
    span = last - first + 1.0
    together = np.vstack([attendance.there[k : k + BLOCK] @ attendance.there.T for k in range(0, n, BLOCK)])
    slot_share = attendance.slots / np.sqrt(np.maximum(attendance.slot_matches, 1.0))
    hours = _directions(
        attendance.slots - counts[:, None] * attendance.slot_matches / total,
        np.sqrt(counts[:, None] * attendance.slot_matches / total + 1.0),
    )
    by_chance = np.outer(counts, counts) / total
    company = together - by_chance
    np.fill_diagonal(company, 0.0)
    company = _directions(company, np.sqrt(by_chance + 1.0)).astype(np.float32)
    stems = _Stems(attendance.names)
    mu = np.array([ratings[each].mu for each in ids])
    sigma = np.array([ratings[each].sigma for each in ids])
    parts: list[Pairs] = []
    for start in range(0, n, BLOCK):
        rows = np.arange(start, min(start + BLOCK, n))
        mask = (together[rows] == 0) & (rows[:, None] < np.arange(n))
        i, j = np.nonzero(mask)
        one, other = rows[i], j
        both = np.minimum(last[one], last[other]) - np.maximum(first[one], first[other]) + 1.0
        gap = np.maximum(-both, 0.0)
        overlap = np.maximum(both, 0.0)
        expected = (slot_share[rows] @ slot_share.T)[i, j] * total * overlap / (span[one] * span[other])
        beat = span[one] / counts[one] + span[other] / counts[other]
        fewer = np.minimum(counts[one], counts[other])
        sure = fewer / (fewer + 10.0)
        apart = np.abs(mu[one] - mu[other]) / np.sqrt(sigma[one] ** 2 + sigma[other] ** 2)
        names = stems.compared(rows)
        parts.append(
            Pairs(
                one, other,
                np.column_stack([
                    np.ones(len(one)), names[i, j], np.log1p(expected),
                    (both <= 0) / (1.0 + gap / beat), (both <= 0) * 1.0,
                    sure * (hours[rows] @ hours.T)[i, j], sure * (company[rows] @ company.T)[i, j],
                    np.minimum(apart, 5.0), np.full(len(one), math.log(n)),
                ]),
            )
        )  # fmt: skip
    return Pairs(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _directions(surplus: Floats, noise: Floats) -> Floats:
    """Return rows of what is more than by chance, in units of its noise, with length 1."""
    rows = surplus / noise
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    found: Floats = rows / np.maximum(length, 1e-12)
    return found


class _Stems:
    """The names of ids, without what people vary, and how alike they are by pairs of letters."""

    def __init__(self, names: Sequence[Counter[str]]) -> None:
        called = [sorted({stem_of(name) for name in each}) for each in names]
        at = {stem: n for n, stem in enumerate(sorted({stem for each in called for stem in each}))}
        pairs = [{f" {stem} "[k : k + 2] for k in range(len(stem) + 1)} for stem in at]
        letters = {pair: n for n, pair in enumerate(sorted(set().union(*pairs)))}
        self._letters = np.zeros((len(at), len(letters)), dtype=np.float32)
        for n, each in enumerate(pairs):
            self._letters[n, [letters[pair] for pair in each]] = 1.0
        self._size = self._letters.sum(axis=1)
        shares = np.zeros((len(names), len(at)), dtype=np.float32)
        for n, borne in enumerate(names):
            for name, times in borne.items():
                shares[n, at[stem_of(name)]] += times / borne.total()
        self._bears = np.sqrt(shares)
        self._rare = self._bears / np.maximum(shares.sum(axis=0) - 1.0, 1.0)
        digits = np.array([any(sign.isdigit() for sign in stem) for stem in at])
        words = ["".join(sign for sign in stem if not sign.isdigit()) for stem in at]
        numbered = {word: [] for word in words}  # type: dict[str, list[int]]
        for n, word in enumerate(words):
            if digits[n]:
                numbered[word].append(n)
        self._numbered = [np.array(each) for each in numbered.values() if len(each) > 1]
        order = [at[stem] for each in called for stem in each]
        self._order = np.array(order)
        self._often = np.concatenate(
            [self._bears[n, [at[stem] for stem in each]] for n, each in enumerate(called)]
        )
        self._starts = np.cumsum([0, *(len(each) for each in called)])[:-1]

    def compared(self, rows: np.ndarray[Any, Any]) -> Floats:
        """Return how alike the names of some ids and all others are, 0 to 1, shape (n_rows, n_ids).

        A name that many bear counts less, and so does one that is borne now and then.
        """
        same: Floats = (self._bears[rows] @ self._rare.T).astype(float)
        mine = [np.nonzero(self._bears[row])[0] for row in rows]
        stems, starts = np.concatenate(mine), np.cumsum([0, *map(len, mine)])[:-1]
        borne = np.concatenate([self._bears[row, each] for row, each in zip(rows, mine, strict=True)])
        dice = 2.0 * (self._letters[stems] @ self._letters.T) / (self._size[stems][:, None] + self._size)
        dice = dice**SHARP * borne[:, None]
        dice[stems[:, None] == np.arange(len(self._size))] = 0.0
        for group in self._numbered:  # Player1 and Player2 are two
            dice[np.ix_(np.isin(stems, group), group)] = 0.0
        by_id = np.maximum.reduceat(dice[:, self._order] * self._often, self._starts, axis=1)
        alike: Floats = np.maximum.reduceat(by_id, starts, axis=0).astype(float)
        return np.maximum(np.minimum(same, 1.0), alike)


def competing(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], odds: Floats, n: int) -> Floats:
    """Return the log-odds of pairs where each id is that of at most one other.

    Examples
    --------
    >>> alone = competing(np.array([0]), np.array([1]), np.array([3.0]), 3)
    >>> rivals = competing(np.array([0, 0]), np.array([1, 2]), np.array([3.0, 3.0]), 3)
    >>> np.exp(alone).round(2).tolist(), np.exp(rivals).round(2).tolist()
    ([3.0], [0.75, 0.75])
    """
    sums = np.bincount(one, odds, n) + np.bincount(other, odds, n)
    found: Floats = np.log(odds) - np.log1p(sums[one] + sums[other] - 2.0 * odds)
    return found


def probabilities(pairs: Pairs, n: int) -> Floats:
    """Return how likely each pair of ``n`` ids is one person."""
    odds = np.exp(pairs.features @ np.array(COEFFICIENTS))
    claimed = competing(pairs.one, pairs.other, odds, n)
    at, means = CALIBRATION
    found: Floats = 1.0 / (1.0 + np.exp(-(np.interp(claimed, at, means) + np.minimum(claimed - at[0], 0.0))))
    return found


def double_ids(
    matches: Iterable[Match], ratings: Mapping[str, Rating], least: float = LEAST
) -> list[DoubleId]:
    """Return pairs of ids that may be one person's, the most likely first.

    Parameters
    ----------
    matches : iterable of Match
        What was played, in any order, with merged ids under one.
    ratings : mapping from str to Rating
        The skill of everyone who is in them, in any unit.
    least : float
        The least probability of a pair that is returned.

    Examples
    --------
    >>> double_ids([], {})
    []
    """
    return double_ids_in(Attendance.of(matches), ratings, least)


def double_ids_in(
    attendance: Attendance, ratings: Mapping[str, Rating], least: float = LEAST
) -> list[DoubleId]:
    """Return what :func:`double_ids` does, of an attendance."""
    pairs = measured(attendance, ratings)
    chances = probabilities(pairs, len(attendance.ids))
    counts = attendance.counts.astype(int)
    found = []
    for k in np.nonzero(chances >= least)[0].tolist():
        one, other = sorted((int(pairs.one[k]), int(pairs.other[k])), key=lambda p: (-counts[p], p))
        if _of_one_client(attendance.ids[one], attendance.ids[other]):
            continue
        values = dict(zip(FEATURES, pairs.features[k].tolist(), strict=True))
        fewer = min(counts[one], counts[other])
        sure = float(fewer / (fewer + 10.0))
        found.append(
            DoubleId(
                attendance.ids[one], attendance.ids[other],
                _most_alike(attendance.names[one], attendance.names[other]), float(chances[k]),
                (int(counts[one]), int(counts[other])), math.expm1(values["expected together"]),
                values["apart in time"] > 0, values["hours"] / sure, values["company"] / sure,
                values["skill"],
            )
        )  # fmt: skip
    return sorted(found, key=lambda each: (-each.probability, each.first, each.second))


def _of_one_client(one: str, other: str) -> bool:
    """Tell whether two ids are people who share an id: they were told apart by their names already."""
    return OF in one and one.partition(OF)[0] == other.partition(OF)[0]


def _most_alike(mine: Counter[str], theirs: Counter[str]) -> tuple[str, str]:
    """Return a name of each of two ids, those most alike, of these the ones borne most often."""
    return max(
        ((a, b) for a in mine for b in theirs),
        key=lambda two: (likeness(*two), mine[two[0]] + theirs[two[1]], two),
    )
