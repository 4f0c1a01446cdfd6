"""Ids that may be one person's: ``python -m benchmarks double_ids`` splits ids on purpose and looks for them.

Each archive is a season of evenings of 12 to 120 people with habits: the hours at which they come, how often,
from when until when, with whom, and how strong they are.  A tenth of them have two ids, changed at a date
or used in turns, under names that are kept, varied or quite other ones.  Beside them are people who look like
doubles and are none: others of the same name or a name alike, friends who come at the same hours, people
who come when somebody else has left, and some who take somebody else's name for an evening.

Even seeds below 800 are what the coefficients in ``equipoise.identity.double_ids`` are fitted to (``--fit``
prints them); odd ones below 600 were looked at while what is measured of a pair was chosen; 150 from 1,000 on
tell by how much the fit is too sure of itself; the page is of seeds from 2,000 on, which nothing was chosen
by.  It writes ``double_ids.json`` and ``DOUBLE_IDS.md``; ``--archives N`` makes N of them, ``--report``
writes the page anew, ``--check`` tells if it is stale.
"""

from __future__ import annotations

import random
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from benchmarks import reporting
from benchmarks.archive.shared_ids import varied
from benchmarks.reporting import PAGES, RAW

from equipoise.core.match import Contest, Match, Ruleset
from equipoise.identity import double_ids

#: Archives that are judged, and archives that the coefficients are fitted to.
ARCHIVES, FITTED = 150, 400

#: The first seed, and the number, of those by which the calibration is shifted; the first of those that are
#: judged: none from there on was used before, for whatever choice.
HELD_OUT, SHIFTING, FRESH = 1000, 150, 2000

#: Archives by which what is measured of a pair was chosen.
LOOKED = 300

#: Which part of the people has two ids, and how ids and names change.
SPLIT = 0.1
WAYS, NAMES = ("at a date", "in turns"), ("kept", "varied", "exchanged")

DAY = 86_400.0

#: Bounds of log-odds within which what is said is calibrated.
STEPS = (-5.0, -4.0, -3.0, -2.5, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 20.0)

#: Bounds of what is said, and of what is listed.
BOUNDS = (0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 1.0)
LEASTS = (0.1, 0.3, 0.5, 0.7, 0.9, 0.95)

SYLLABLES = (
    "ka", "ri", "mo", "ten", "lo", "su", "ver", "dan", "el", "ix", "bo", "ra", "ni", "gor",
    "tam", "zu", "pe", "sha"
)  # fmt: skip

PAGE = """# Ids that may be one person's

{archives} own archives with {games} games and {people} people, of whom {doubles} have two ids that were seen
in three games or more (`python -m benchmarks double_ids`).
Ids change at a date or are used in turns; names are kept, varied or exchanged for quite other ones.
They are of seeds from {fresh:,} on, which nothing was chosen by: coefficients and calibration were fitted to
{fitted} other archives (even seeds below {evens}), and what is measured of a pair was chosen by looking at
{looked} more (odd seeds below {odds}); {shifting} more (from {held_out:,} on) told by how much the fit is too
sure of itself, .15 in log-odds.  All come from one simulation: how people of a real server change ids
and names is not known, and the figures say nothing of it.

## What is said, and what is so

| said | pairs | mean of what was said | right |
|---|---|---|---|
{reliability}

## Precision against recall

| pairs said with at least | listed | precision | recall |
|---|---|---|---|
{curve}

## Which are found

Of the pairs of each kind, those said with 50 % or more.

| ids change | name | pairs | found |
|---|---|---|---|
{kinds}

Somebody who changes id and name at once, and comes at no hours of their own, cannot be told from somebody
new; of these nothing is said, which costs recall and no precision.
"""


@dataclass
class Person:
    """Somebody with habits: hours, friends, skill, when they came and left, and ids with names."""

    days: tuple[float, ...]
    keen: float
    group: int
    skill: float
    begin: float
    end: float
    ids: tuple[str, ...]
    names: tuple[str, ...]
    way: str = ""
    name: str = ""
    change: float = 0.0
    wild: float = 0.0


def new_name(rng: random.Random) -> str:
    """Return a name."""
    return "".join(rng.choices(SYLLABLES, k=rng.randint(2, 3))).title() + rng.choice(("", "", "", "7", "99"))


def people_of(rng: random.Random, size: int, days: int) -> list[Person]:
    """Return people, some of whom look like somebody else."""
    people: list[Person] = []
    groups = max(1, size // 8)
    habits = [[rng.random() ** 1.5 for _ in range(7)] for _ in range(groups)]
    for _ in range(size):
        group = rng.randrange(groups)
        own = rng.random()
        week = tuple(0.9 * (own * rng.random() ** 3 + (1 - own) * usual) for usual in habits[group])
        begin = 0.0 if rng.random() < 0.5 else rng.uniform(0.0, 0.8 * days)
        end = float(days) if rng.random() < 0.6 else rng.uniform(begin + 0.1 * days, days)
        name = new_name(rng)
        if people and rng.random() < 0.05:  # somebody of the same name, or of one alike
            other = rng.choice(people).names[0]
            name = other if rng.random() < 0.4 else other + rng.choice(("x", "o", "2", "er"))
        one = Person(
            week, rng.uniform(0.3, 1.0), group, rng.gauss(0.0, 1.0), begin, min(end, float(days)),
            (f"{rng.getrandbits(64):016x}",), (name,), wild=rng.choice((0.0, 0.0, 0.1, 0.5)),
        )  # fmt: skip
        if rng.random() < SPLIT:
            one.way, one.name = rng.choice(WAYS), rng.choice(NAMES)
            second = (
                name if one.name == "kept"
                else name[:-1] + rng.choice(("", "o", "y", "ie", name[-1] * 2)) if one.name == "varied"
                else new_name(rng)
            )  # fmt: skip
            one.ids, one.names = (*one.ids, f"{rng.getrandbits(64):016x}"), (name, second)
            one.change = rng.uniform(
                one.begin + 0.2 * (one.end - one.begin), one.end - 0.2 * (one.end - one.begin)
            )
        people.append(one)
    return people


def season(seed: int) -> tuple[list[Person], list[Match]]:
    """Return the people of an archive and its games."""
    rng = random.Random(seed)
    days = rng.randint(40, 200)
    people = people_of(rng, int(12 * 10 ** rng.random()), days)
    matches: list[Match] = []
    first = 1_700_000_000 // DAY * DAY
    for day in range(days):
        coming = [
            one
            for one in people
            if one.begin <= day <= one.end and rng.random() < one.keen * one.days[day % 7]
        ]
        if len(coming) < 4:
            continue
        shown = {id(one): _tonight(rng, one, day, people) for one in coming}
        hours = {id(one): sorted(rng.uniform(0, 1) for _ in range(2)) for one in coming}
        for number in range(rng.randint(3, 8)):
            at = number / 8
            here = [
                one for one in coming
                if hours[id(one)][0] - 0.3 <= at <= hours[id(one)][1] + 0.3
            ]  # fmt: skip
            rng.shuffle(here)
            here = sorted(here, key=lambda one: (one.group != here[0].group) * rng.random())[:10]
            if len(here) < 4:
                continue
            rng.shuffle(here)
            half = len(here) // 2
            sides = here[:half], here[half:]
            edge = sum(one.skill for one in sides[0]) - sum(one.skill for one in sides[1])
            won = edge + rng.gauss(0.0, 1.5 * len(here) ** 0.5) > 0
            teams = tuple(tuple((shown[id(one)][0], 1.0) for one in side) for side in sides)
            ended = first + day * DAY + 19 * 3600.0 + 1500.0 * number
            contest = Contest(Ruleset("g", "ctf"), teams, (1, 2) if won else (2, 1), at=ended)
            names = tuple(shown[id(one)] for one in here)
            matches.append(Match((contest,), ended=ended, id=f"{seed}-{day}-{number}", names=names))
    return people, matches


def _tonight(rng: random.Random, one: Person, day: float, people: list[Person]) -> tuple[str, str]:
    """Return the id and the name with which somebody comes."""
    second = len(one.ids) > 1 and (day >= one.change if one.way == "at a date" else rng.random() < 0.4)
    name = varied(rng, one.names[second]) if rng.random() < one.wild else one.names[second]
    if rng.random() < 0.005:
        name = rng.choice(people).names[0]  # for fun
    return one.ids[second], name


def pairs_of(seed: int) -> dict[str, Any]:
    """Return what is measured of the pairs of an archive, and which are one person."""
    from equipoise.core.registry import MODELS, resolve
    from equipoise.ratings.replay import replay

    people, matches = season(seed)
    attendance = double_ids.Attendance.of(matches)
    model = resolve("model", MODELS, "default")()
    state = replay(model, matches)
    ratings = {each: model.rating(state, each, None) for each in attendance.ids}
    pairs = double_ids.measured(attendance, ratings)
    at = {player: n for n, player in enumerate(attendance.ids)}
    kinds = {
        frozenset(at[each] for each in one.ids): [one.way, one.name]
        for one in people
        if len(one.ids) > 1 and all(each in at for each in one.ids)
    }
    keys = [frozenset(two) for two in zip(pairs.one.tolist(), pairs.other.tolist(), strict=True)]
    return {
        "games": len(matches), "people": len(people), "ids": len(attendance.ids), "pairs": pairs,
        "kinds": [kinds.get(key) for key in keys], "there": list(kinds.values()),
    }  # fmt: skip


def drawn(seeds: list[int]) -> list[dict[str, Any]]:
    """Return what is measured in archives of some seeds."""
    with ProcessPoolExecutor(2) as pool:
        return list(pool.map(pairs_of, seeds))


def measure(archives: int) -> list[dict[str, Any]]:
    """Judge so many archives: of each pair that is listed, what is said and what is so."""
    rows = []
    for found in drawn(list(range(FRESH, FRESH + archives))):
        chances = double_ids.probabilities(found["pairs"], found["ids"])
        listed = [
            [round(float(chances[k]), 4), found["kinds"][k]]
            for k in np.nonzero(chances >= BOUNDS[0])[0].tolist()
        ]
        rows.append({key: found[key] for key in ("games", "people", "there")} | {"listed": listed})
    return rows


def page(rows: list[dict[str, Any]]) -> str:
    """Return the page of raw results."""
    listed = [(said, kind) for row in rows for said, kind in row["listed"]]
    there = [tuple(kind) for row in rows for kind in row["there"]]
    reliability, curve, kinds = [], [], []
    for low, high in pairwise(BOUNDS):
        some = [(said, kind) for said, kind in listed if low <= said < high or said == high == 1.0]
        if some:
            mean, right = sum(said for said, _ in some) / len(some), sum(bool(kind) for _, kind in some)
            reliability.append(
                f"| {low:.0%} to {high:.0%} | {len(some)} | {mean:.1%} | {right / len(some):.1%} |"
            )
    for least in LEASTS:
        some = [kind for said, kind in listed if said >= least]
        right = sum(map(bool, some))
        if some:
            curve.append(
                f"| {least:.0%} | {len(some)} | {right / len(some):.1%} | {right / len(there):.1%} |"
            )
    for way in WAYS:
        for name in NAMES:
            number = there.count((way, name))
            found = sum(said >= 0.5 and kind == [way, name] for said, kind in listed)
            kinds.append(f"| {way} | {name} | {number} | {found / max(number, 1):.0%} |")
    return PAGE.format(
        archives=len(rows), games=sum(row["games"] for row in rows),
        people=sum(row["people"] for row in rows),
        doubles=len(there), fitted=FITTED, fresh=FRESH, shifting=SHIFTING, held_out=HELD_OUT,
        evens=2 * FITTED, looked=LOOKED, odds=2 * LOOKED,
        reliability="\n".join(reliability), curve="\n".join(curve),
        kinds="\n".join(kinds),
    )  # fmt: skip


def logistic(features: Any, so: Any) -> Any:
    """Return the coefficients of a logistic regression, by Newton's method, drawn slightly towards 0."""
    weights = np.zeros(features.shape[1])
    for _ in range(50):
        chances = 1.0 / (1.0 + np.exp(-features @ weights))
        slope = features.T @ (so - chances) - 0.1 * weights
        curvature = (features.T * (chances * (1.0 - chances))) @ features + 0.1 * np.eye(len(weights))
        step = np.linalg.solve(curvature, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-9:
            break
    return weights


def calibrated(said: Any, so: Any) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return log-odds, and those of how often pairs about there are one person: rising, in some steps."""
    parts = [(said >= low) & (said < high) for low, high in pairwise(STEPS)]
    groups = [
        [float(said[part].mean()), float(so[part].mean()), int(part.sum())] for part in parts if part.any()
    ]
    merged: list[list[float]] = []
    for group in groups:
        merged.append(group)
        while len(merged) > 1 and merged[-2][1] >= merged[-1][1]:
            (a, b, m), (c, d, n) = merged[-2:]
            merged[-2:] = [[(a * m + c * n) / (m + n), (b * m + d * n) / (m + n), m + n]]
    means = [min(max(mean, 0.5 / many), 1.0 - 0.5 / many) for _, mean, many in merged]
    return (
        tuple(round(at, 3) for at, _, _ in merged),
        tuple(round(float(np.log(mean / (1.0 - mean))), 3) for mean in means),
    )


def shift(said: Any, so: Any) -> float:
    """Return by how much log-odds are to be shifted so that as many pairs are right as are said to be."""
    by = 0.0
    for _ in range(50):
        chances = 1.0 / (1.0 + np.exp(-said - by))
        by += float((so - chances).sum() / (chances * (1.0 - chances)).sum())
    return by


def claimed(found: list[dict[str, Any]], weights: Any) -> tuple[Any, Any]:
    """Return the log-odds of the pairs of archives once they have competed, and which are one person."""
    so = [np.array([float(kind is not None) for kind in each["kinds"]]) for each in found]
    odds = [
        double_ids.competing(
            each["pairs"].one, each["pairs"].other, np.exp(each["pairs"].features @ weights), each["ids"]
        )
        for each in found
    ]
    return np.concatenate(odds), np.concatenate(so)


def fit() -> int:
    """Print the coefficients and the calibration that archives of even seeds, and those held out, give."""
    found = drawn(list(range(0, 2 * FITTED, 2)))
    so = [float(kind is not None) for each in found for kind in each["kinds"]]
    weights = logistic(np.vstack([each["pairs"].features for each in found]), np.array(so))
    at, means = calibrated(*claimed(found, weights))
    others, right = claimed(drawn(list(range(HELD_OUT, HELD_OUT + SHIFTING))), weights)
    said = np.interp(others, at, means)
    listed = said >= np.log(BOUNDS[0] / (1.0 - BOUNDS[0]))
    by = shift(said[listed], right[listed])
    print("COEFFICIENTS =", tuple(round(float(each), 3) for each in weights))
    print("CALIBRATION =", (at, tuple(round(mean + by, 3) for mean in means)))
    return 0


def main() -> int:
    """Read the arguments and do what they say."""
    if "--fit" in sys.argv:
        return fit()
    return reporting.run_many(
        __doc__, RAW / "double_ids.json", PAGES / "DOUBLE_IDS.md", measure, page, archives=ARCHIVES
    )
