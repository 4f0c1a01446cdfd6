"""Nights of four to sixteen people, refused and played: do teams come again?  ``python -m benchmarks again``.

Equal, nearly equal and spread ratings, six rounds each: of the teams that are proposed some are refused, by
asking for others or by votes, and some are played, after which the ratings have changed.
Each night goes through one door: the words of ``equipoise night``, the bytes of IRC, or the taps of a page.
Every proposal is judged against all ways to divide these people, by the ratings of that moment: teams of
this night, whatever their sides are called, may come again only if no unseen ones are less even by no more
than the price, and then it must be said.

Besides, evenings are planned at once and judged against all plans: no teams twice while unused ones lie
within the price, and the pair that is together most often is so at most once more than in the plan, of all,
in which that is least.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.play.doors import LOBBY, Step, at_terminal, by_browser, by_irc, clock
from benchmarks.reporting import PAGES, RAW, run_parts

from equipoise.archive.archive import open_archive
from equipoise.cli import group
from equipoise.core.player import Rating
from equipoise.core.win_probability import win_probability
from equipoise.play import evening_events as ev
from equipoise.play.proposals import MEETING, Rated
from equipoise.service.kept_evening import KeptEvening
from equipoise.teams.request import BalanceRequest

NIGHTS, ROUNDS = 1000, 6

#: Spreads of starting weights of 0 to 100; people whose weights are equal have none.
SPREADS = {"equal": 0.0, "nearly equal": 0.5, "spread": 15.0}
DOORS = ("terminal", "irc", "browser")

#: What is counted of rounds.
COUNTED = ("rounds", "again", "unsaid", "wrong")

#: The share of proposed teams that are played.
PLAYED = 0.4

#: Up to how many people and rounds plans are judged against all plans.
PLANNED, PLAN_ROUNDS = 7, 4

#: Chances that differ by less are equal.
EQUAL = 1e-9

Row = dict[str, Any]


def ways(n: int) -> Any:
    """Return all ways to divide n people into two teams, shape (m, n): true for who is with the last one."""
    masks = (np.arange(1 << (n - 1))[:, None] >> np.arange(n) & 1) == 0
    return masks[abs(2 * masks.sum(axis=1) - n) <= 1]


def distances(masks: Any, names: Sequence[str], rated: Rated) -> Any:
    """Return how far ways to divide people are from even, in win probability, shape (m,)."""
    players, units = rated(names)
    asked = BalanceRequest.of(players, **units).units
    both = [each.rating for each in players if isinstance(each.rating, Rating)]
    mu, variance = np.array([each.mu for each in both]), np.array([each.sigma for each in both]) ** 2
    teams = np.stack([masks, ~masks], axis=1)
    sizes = teams.sum(axis=2).astype(float)
    return np.abs(win_probability(teams @ mu, teams @ variance, sizes, asked.beta, asked.zero)[:, 0] - 0.5)


def row_of(teams: Sequence[Sequence[str]], masks: Any, names: Sequence[str]) -> int:
    """Return which way these teams are, whatever their sides are called."""
    with_last = next(team for team in teams if names[-1] in team)
    return int(np.flatnonzero((masks == np.isin(names, with_last)).all(axis=1))[0])


@contextlib.contextmanager
def opened(door: str, url: str, names: Sequence[str]) -> Iterator[Callable[[Step], None]]:
    """Open a door to an archive."""
    if door == "terminal":
        yield at_terminal(url)
        return
    with open_archive(url, create=False) as archive:
        yield by_irc(archive, names)[1] if door == "irc" else by_browser(url, archive)[1]


def begun(url: str, names: Sequence[str], weights: Sequence[float]) -> None:
    """Let people come with what is thought of them."""
    given = {} if len(set(weights)) == 1 else dict(zip(names, weights, strict=True))
    with open_archive(url, create=False) as archive:
        KeptEvening(archive, [LOBBY]).take(
            ev.Attend(LOBBY.name, tuple(names), spelled=dict(zip(names, names, strict=True)), weights=given),
            strictly=True,
        )


def night(seed: int, empty: Path) -> tuple[str, Counter[str]]:
    """Play a night and count proposals, teams that came again, and those that should not have."""
    rng, moment = np.random.default_rng([31, seed]), [1_700_000_000.0]
    spread, door = list(SPREADS)[seed % 3], DOORS[seed // 3 % 3]
    names = [f"p{n:02d}" for n in range(int(rng.integers(4, 17)))]
    weights = np.round(np.clip(rng.normal(50.0, SPREADS[spread], len(names)), 0.0, 100.0), 1).tolist()
    counted, masks, seen = Counter[str](), ways(len(names)), list[int]()
    with tempfile.TemporaryDirectory() as folder, clock(moment):
        path = shutil.copy(empty, Path(folder) / "night.db")
        url = f"sqlite:///{path}"
        begun(url, names, weights)
        with opened(door, url, names) as step, open_archive(url, create=False) as archive:
            watched = KeptEvening(archive)
            step(("again",))
            for number in range(ROUNDS):
                said = {each.kind for each in watched.follow()}
                game = watched.evening.current(LOBBY.name)
                if game is None:
                    msg = f"night {seed}: there are no teams"
                    raise AssertionError(msg)
                row, fair = row_of(game.teams, masks, names), distances(masks, names, watched.rating(LOBBY))
                unseen = np.delete(fair, seen).min(initial=math.inf)
                counted.update(
                    rounds=1,
                    again=row in seen,
                    unsaid=(row in seen) != ("no others" in said),
                    wrong=row in seen and unseen <= fair[row] + MEETING - EQUAL,
                )
                seen.append(row)
                moment[0] += 300.0
                if number + 1 < ROUNDS:
                    asked_anew(step, watched, rng)
    return f"{door} | {spread}", counted


def asked_anew(step: Callable[[Step], None], watched: KeptEvening, rng: np.random.Generator) -> None:
    """Play the teams, or refuse them, until there are others."""
    game = watched.evening.current(LOBBY.name)
    votes = rng.random() < 0.5
    if rng.random() < PLAYED:
        step(("won", ("red", "blue")[int(rng.integers(2))]))
        step(("again",))
    elif votes and game is not None:
        for player in game.players[: len(game.players) // 2 + 1]:
            step(("vote", player, "no"))
    else:
        step(("again",))


def planned(seed: int, empty: Path) -> Counter[str]:
    """Plan an evening at once and hold it to all plans."""
    rng, moment = np.random.default_rng([32, seed]), [1_700_000_000.0]
    names = [f"p{n:02d}" for n in range(int(rng.integers(4, PLANNED + 1)))]
    rounds = int(rng.integers(2, PLAN_ROUNDS + 1))
    spread = list(SPREADS.values())[seed % 3]
    weights = np.round(np.clip(rng.normal(50.0, spread, len(names)), 0.0, 100.0), 1).tolist()
    with tempfile.TemporaryDirectory() as folder, clock(moment):
        url = f"sqlite:///{shutil.copy(empty, Path(folder) / 'night.db')}"
        begun(url, names, weights)
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
            group.main(["night", "--store", url, "plan", "--rounds", str(rounds), "--json"],
                       standalone_mode=False)  # fmt: skip
        with open_archive(url, create=False) as archive:
            fair = distances(masks := ways(len(names)), names, KeptEvening(archive).rating(LOBBY))
    rows = [row_of(each["teams"], masks, names) for each in json.loads(said.getvalue())["rounds"]]
    twice = [row for n, row in enumerate(rows) if row in rows[:n]]
    unused = np.delete(fair, rows).min(initial=math.inf)
    pairs = together(masks)
    return Counter(
        plans=1, twice=bool(twice), wrong=any(unused <= fair[row] + MEETING - EQUAL for row in twice),
        often=int(pairs[rows].sum(axis=0).max()) > fewest_together(pairs, rounds) + 1,
    )  # fmt: skip


def together(masks: Any) -> Any:
    """Return which pairs are in one team, shape (m, pairs)."""
    one, other = np.triu_indices(masks.shape[1], 1)
    return (masks[:, one] == masks[:, other]).astype(np.int8)


def fewest_together(pairs: Any, rounds: int) -> int:
    """Return how often the pair is together that is so most often, in the plan in which that is least."""

    def reaches(counts: Any, start: int, left: int, most: int) -> bool:
        if not left:
            return True
        rows = start + np.flatnonzero((counts + pairs[start:] <= most).all(axis=1))
        return any(reaches(counts + pairs[n], n, left - 1, most) for n in rows)

    return next(most for most in range(1, rounds + 1) if reaches(0 * pairs[0], 0, rounds, most))


def measure(nights: range) -> Row:
    """Play these nights, and plan as many evenings."""
    began, found, plans = time.process_time(), dict[str, Counter[str]](), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.db"
        open_archive(f"sqlite:///{empty}", create=True).close()
        for seed in nights:
            kind, counted = night(seed, empty)
            found[kind] = found.get(kind, Counter()) + counted
            plans.update(planned(seed, empty))
    return {"seconds": time.process_time() - began, "found": found, "plans": plans}


def report(parts: list[Row]) -> str:
    """Return the page."""
    found, plans = dict[str, Counter[str]](), Counter[str]()
    for part in parts:
        plans.update(part["plans"])
        for kind, counts in part["found"].items():
            found[kind] = found.get(kind, Counter()) + Counter(counts)
    table = "\n".join(
        f"| {kind} | " + " | ".join(f"{found[kind][each]:,}" for each in COUNTED) + " |"
        for door in DOORS for kind in (f"{door} | {spread}" for spread in SPREADS)
    )  # fmt: skip
    return f"""\
# Teams that come again

`python -m benchmarks again` played this and wrote it; do not edit.

{sum(part["count"] for part in parts):,} nights of 4 to 16 people, {ROUNDS} rounds each, some refused and \
some played, each through one door: the words of `equipoise night`, the bytes of IRC, the taps of a page; \
{sum(part["seconds"] for part in parts):.0f} s of processor time.
"Against the rule" are teams that came again, whatever their sides are called, while unseen ones were less \
even by no more than {100.0 * MEETING:g} % of win probability; all ways to divide the people were looked at, \
by the ratings of that moment.
"Not said" are teams that came again without a word, or were said to and did not.

| door | ratings | rounds | teams that came again | not said | against the rule |
|---|---|--:|--:|--:|--:|
{table}

With few people there are few ways: four have three.

{plans["plans"]:,} evenings of 4 to {PLANNED} people and 2 to {PLAN_ROUNDS} rounds were planned at once with \
`equipoise night plan`: in {plans["twice"]} teams come twice, in {plans["wrong"]} of them while unused ones \
lie within the price; in {plans["often"]} the pair that is together most often is so more than once more \
than in the plan, of all, in which that is least.
"""


def main() -> int:
    """Read the arguments and do what they say."""
    return run_parts(__doc__, RAW / "again.json", PAGES / "AGAIN.md", measure, report, size=20, nights=NIGHTS)
