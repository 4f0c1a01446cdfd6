"""Measure queues beside two peers: ``python -m benchmarks queue`` writes ``queue.json`` and ``QUEUE.md``.

``--part NAME`` measures a part anew, ``--report`` writes the page alone; ``--check`` tells if it is stale.
One simulation, :func:`equipoise.queueing.simulate_queue`, judges all; the peers are in ``peers/queues.py``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np
from benchmarks.peers import queues as peers
from benchmarks.reporting import PAGES, RAW, add_modes, keep

from equipoise.core.win_probability import win_probability
from equipoise.queueing import Population, QueuePolicy, TickResult, simulate_queue, tick
from equipoise.queueing import columns as columns_module
from equipoise.queueing.columns import QueueColumns, form_matches
from equipoise.queueing.simulation import QueueFigures, arrivals
from equipoise.queueing.tick import columns_of, pools

Row = dict[str, Any]

RESULTS = RAW / "queue.json"

#: Tickets a second, with the seconds that are simulated and those before that are not counted.
RATES = {"0.5": (3600, 300), "5": (1800, 300), "50": (300, 60)}
SEEDS = (1, 2, 3, 4, 5)

#: The uncertainty of ratings in the second table, in the units of the first: a tenth of the skills' deviation
#: for those who are known well, and what newcomers to a ladder have after a few games.
SIGMAS = (25.0, 60.0)

METHODS = {"open match": peers.open_match, "faf": peers.faf, "equipoise": tick}

#: What is known of the peers: mean wait, p95, imbalance, spread.
KNOWN = {
    "open match": {"0.5": (21, 53, 0.158, 281), "5": (6.0, 17, 0.068, 100), "50": (1.7, 4.8, 0.026, 36)},
    "faf": {"0.5": (18, 46, 0.175, 254), "5": (4.7, 13, 0.071, 94), "50": (1.3, 3.7, 0.027, 38)},
}

#: How much above the wait and the spread of Open-Match-like is accepted, and the imbalance.
WISHES = {"0.5": (1.3, 1.4, 0.030, 1.15), "5": (1.2, 1.4, 0.012, 1.15), "50": (1.2, 1.4, 0.007, 1.15)}

#: By how many players the largest parties of two teams may differ, in the table of parties.
GAPS = (0, 1, 2, 3)

#: How many times the steps of a tick a search may take that looks for a match it has missed, and how many
#: seconds are between two of them.
LONGER, SECONDS = 100, 20

MANY, REPEATS = 1_000_000, 5
FEW = 20_000

HEAD = """\
# Queues: waits and evenness, beside two peers

`python -m benchmarks queue` measured this on {machine} with Python {python} and wrote it; do not edit.

- 5v5 from parties of 1 to 5 (60/20/10/5/5 %), skills of deviation 250, beta 200, a party's members of one \
rating; a tick a second; {seeds} seeds a cell, of which means are shown.
- Simulated: {rates}; the time before is not counted.
- equipoise is the default policy: {policy}.
- The peers are written anew in `benchmarks/peers/queues.py`. Their tolerances, {tolerances}, are set so \
that the figures known of the prototypes come out; the ratio to those figures is in brackets.
- The imbalance is how far the chance of a team is from even, by the true skill; the spread is how far apart \
the highest and the lowest party of a match are.
"""


def simulated(method: str, rate: str, seed: int, population: Population, policy: QueuePolicy) -> QueueFigures:
    """Simulate a rate under one way to make matches."""
    seconds, warm_up = RATES[rate]
    return simulate_queue(
        policy, np.random.default_rng(seed), rates=(float(rate),), seconds=seconds, warm_up=warm_up,
        population=population, search=METHODS[method],
    )  # fmt: skip


def one(method: str, rate: str, seed: int, population: Population) -> Row:
    """Return what comes out under the default policy."""
    found = simulated(method, rate, seed, population, QueuePolicy())
    return {
        "wait": float(found.waits.mean()), "p95": found.wait(95), "imbalance": float(found.imbalances.mean()),
        "spread": float(found.spreads.mean()), "oldest": float(found.waits.max()),
    }  # fmt: skip


def cells(pool: ProcessPoolExecutor, seeds: tuple[int, ...], population: Population) -> Row:
    """Return means over seeds, by rate and by way to make matches, and the longest wait of all."""
    asked = {
        (rate, name): [pool.submit(one, name, rate, seed, population) for seed in seeds]
        for rate in RATES
        for name in METHODS
    }
    found: Row = {rate: {} for rate in RATES}
    for (rate, name), some in asked.items():
        rows = [each.result() for each in some]
        means = {what: float(np.mean([row[what] for row in rows])) for what in rows[0]}
        found[rate][name] = {**means, "oldest": max(row["oldest"] for row in rows)}
    return found


def least_imbalance(sigma: float) -> float:
    """Return how far from even matches are by skill whose ratings are exactly even: nobody can do better."""
    policy = QueuePolicy()
    off = np.random.default_rng(1).normal(0.0, sigma, (100_000, 2, policy.team_size)).sum(axis=2)
    sizes = np.full(off.shape, float(policy.team_size))
    chance = win_probability(off, np.zeros(off.shape), sizes, policy.beta)[:, 0]
    return float(abs(chance - 0.5).mean())


def party_gaps(gap: int) -> Row:
    """Return how often the largest parties differ by more than a policy says, of whom nobody is overdue."""
    policy = QueuePolicy(party_gap=gap)
    found = simulated("equipoise", "5", 1, Population(), policy)
    oldest = np.zeros(len(found.imbalances))
    np.maximum.at(oldest, found.places, found.waits)
    on_time = oldest < policy.longest_wait
    return {
        "gap": gap, "wait": float(found.waits.mean()), "p95": found.wait(95),
        "imbalance": float(found.imbalances.mean()), "on_time": int(on_time.sum()),
        "against": int((found.party_gaps[on_time] > gap).sum()), "overdue": int((~on_time).sum()),
    }  # fmt: skip


def bound_of_waiting(rate: str) -> Row:
    """Count who is left overdue after ticks, and for whom a much longer search still finds a match."""
    policy = replace(QueuePolicy(), longest_wait=120.0)
    counted = {"rate": rate, "looks": 0, "overdue": 0, "missed": 0}

    def watched(queue: Any, now: float, policy: QueuePolicy) -> TickResult:
        found = tick(queue, now, policy)
        if now % SECONDS == 0:
            for some in pools(found.waiting, policy, apart=False):
                late = [ticket for ticket in some if now - ticket.since >= policy.longest_wait]
                counted["overdue"] += len(late)
                if late:
                    counted["looks"] += 1
                    steps = LONGER * columns_module.OVERDUE_STEPS
                    with mock.patch.object(columns_module, "OVERDUE_STEPS", steps):
                        waiting = columns_of(some, now, policy, overdue=True)
                        match, _ = form_matches(waiting, policy, overdue=True)
                    counted["missed"] += int(match.max() + 1)
        return found

    seconds, warm_up = RATES[rate]
    simulate_queue(
        policy, np.random.default_rng(1), rates=(float(rate),), seconds=seconds, warm_up=warm_up,
        search=watched,
    )  # fmt: skip
    return counted


def columns(n: int) -> QueueColumns:
    """Return so many tickets with parties, at the shares of the simulation."""
    rng = np.random.default_rng(1)
    size = rng.choice(np.arange(1, 6), n, p=Population().parties)
    return QueueColumns(rng.normal(1500.0, 250.0, n) * size, size, np.ones(n))


def batches() -> list[Row]:
    """Time one tick of a full queue, from columns to arrays, and of the peers from objects."""
    rows = []
    policies = {
        "scan": QueuePolicy(imbalance=0.49, most_imbalance=0.49),
        "acceptance by exact split": QueuePolicy(),
    }
    waiting = columns(MANY)
    for name, policy in policies.items():
        form_matches(columns(1000), policy)
        seconds = float("inf")
        for _ in range(REPEATS):
            start = time.process_time()
            match, _ = form_matches(waiting, policy)
            seconds = min(seconds, time.process_time() - start)
        placed, mean = match >= 0, waiting.total / waiting.size
        order = np.lexsort((mean[placed], match[placed]))
        number, rating = match[placed][order], mean[placed][order]
        first = np.flatnonzero(np.diff(number, prepend=-1))
        last = np.append(first[1:], len(number)) - 1
        rows.append({
            "what": f"equipoise, {name}", "tickets": MANY, "rate": MANY / seconds,
            "placed": float(waiting.size[placed].sum() / waiting.size.sum()),
            "spread": float((rating[last] - rating[first]).mean()),
        })  # fmt: skip
    tickets, _ = arrivals(np.random.default_rng(1), (float(FEW),), 1.0, Population(), QueuePolicy())
    for name, search in METHODS.items():
        start = time.process_time()
        found = search(tickets, 1.0, QueuePolicy())
        seconds = time.process_time() - start
        players = sum(ticket.size for match in found.matches for ticket in match.tickets)
        rows.append({
            "what": f"{name}, from objects", "tickets": len(tickets), "rate": len(tickets) / seconds,
            "placed": players / sum(ticket.size for ticket in tickets),
            "spread": float(np.mean([match.spread for match in found.matches])),
        })  # fmt: skip
    return rows


def ticks() -> Row:
    """Time each tick at 50 arrivals a second, objects included."""
    times: list[float] = []

    def timed(*given: Any) -> TickResult:
        start = time.process_time()
        found = tick(*given)
        times.append(time.process_time() - start)
        return found

    simulate_queue(
        QueuePolicy(), np.random.default_rng(1), rates=(50.0,), seconds=120, warm_up=60, search=timed
    )
    counted = np.array(times[60:]) * 1e3
    return {
        "mean": float(counted.mean()),
        "p95": float(np.percentile(counted, 95)),
        "most": float(counted.max()),
    }


def simulations() -> Row:
    """Measure what is in the first table."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        return {"cells": cells(pool, SEEDS, Population())}


def uncertain() -> Row:
    """Measure what is in the table of uncertain ratings."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        return {
            "uncertain": {f"{sigma:g}": cells(pool, SEEDS[:2], Population(sigma=sigma)) for sigma in SIGMAS}
        }


def promises() -> Row:
    """Measure what policies say of parties and of waiting, and what nobody can do better."""
    least = {f"{sigma:g}": least_imbalance(sigma) for sigma in SIGMAS}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        gaps, bounds = pool.map(party_gaps, GAPS), pool.map(bound_of_waiting, RATES)
        return {"parties": list(gaps), "bounds": list(bounds), "least": least}


def speed() -> Row:
    """Measure how fast one tick is."""
    return {"batches": batches(), "ticks": ticks()}


PARTS = {"simulations": simulations, "uncertain": uncertain, "promises": promises, "speed": speed}


def measure(parts: Sequence[str]) -> Row:
    """Measure some parts, or all; the others are as they were."""
    known = json.loads(RESULTS.read_text(encoding="utf-8")) if parts and RESULTS.exists() else {}
    policy = (
        "tolerance", "tolerance_growth", "tails", "imbalance", "imbalance_growth", "most_imbalance",
        "longest_wait",
    )  # fmt: skip
    found = {
        "machine": platform.processor() or platform.machine(),
        "python": platform.python_version(),
        "policy": {name: getattr(QueuePolicy(), name) for name in policy},
        "tolerances": peers.TOLERANCE,
    }
    for part in parts or PARTS:
        found |= PARTS[part]()
    return {**known, **found}


def report(found: Row) -> str:
    """Return the page."""
    seconds = ", ".join(f"{rate}/s {span} s after {before} s" for rate, (span, before) in RATES.items())
    policy = ", ".join(f"{name} {value:g}" for name, value in found["policy"].items())
    tolerances = ", ".join(
        f"{name} {base:g} and {growth:g} a second" for name, (base, growth) in found["tolerances"].items()
    )
    head = HEAD.format(
        machine=found["machine"], python=found["python"], seeds=len(SEEDS), rates=seconds, policy=policy,
        tolerances=tolerances,
    )  # fmt: skip
    lines = [head, "## Waits, evenness, spread", "", *_cells(found), "", *_wishes(found), ""]
    lines += ["## Uncertain ratings, judged by skill", "", *_uncertain(found), ""]
    lines += ["## What the policy says of parties", "", *_parties(found), ""]
    lines += ["## The bound of waiting", "", *_bounds(found), ""]
    lines += ["## One tick", "", *_batches(found)]
    return "\n".join(lines) + "\n"


def _cells(found: Row) -> list[str]:
    lines = [
        "| tickets a second | | mean wait, s | p95, s | imbalance | spread | oldest placed, s |",
        "|---|---|---|---|---|---|---|",
    ]
    for rate, methods in found["cells"].items():
        for name, row in methods.items():
            shown = [row["wait"], row["p95"], row["imbalance"], row["spread"]]
            known = KNOWN.get(name, {}).get(rate)
            ratios = [f" ({a / b:.2f})" for a, b in zip(shown, known, strict=True)] if known else [""] * 4
            texts = [f"{shown[0]:.2f}", f"{shown[1]:.1f}", f"{shown[2]:.4f}", f"{shown[3]:.0f}"]
            cells = " | ".join(text + ratio for text, ratio in zip(texts, ratios, strict=True))
            lines.append(f"| {rate} | {name} | {cells} | {row['oldest']:.0f} |")
    return lines


def _wishes(found: Row) -> list[str]:
    """Say what was asked for and is met, or not, against Open-Match-like of the same run."""
    lines = [
        "Against Open-Match-like of this run, and what was asked for:", "",
        "| tickets a second | mean wait | p95 | imbalance | spread |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for rate, wishes in WISHES.items():
        ours, peer = found["cells"][rate]["equipoise"], found["cells"][rate]["open match"]
        cells = []
        for name, wish in zip(("wait", "p95", "imbalance", "spread"), wishes, strict=True):
            value = ours[name] if name == "imbalance" else ours[name] / peer[name]
            met = "" if value <= wish else ", **missed**"
            cells.append(f"{value:.3g} (at most {wish:g}{met})")
        lines.append(f"| {rate} | {' | '.join(cells)} |")
    return lines


def _uncertain(found: Row) -> list[str]:
    said = """\
Every player's rating is the skill and an error of the deviation sigma; two seeds a cell.
Teams of exactly even ratings are as uneven by skill as the column before the last says, so that no way to \
make matches does better than that share of the best peer's.

| sigma | tickets a second | Open-Match-like | FAF-like | equipoise | share of the best peer's \
| even ratings | their share |
|---|---|---|---|---|---|---|---|"""
    lines = [said]
    for sigma, rates in found["uncertain"].items():
        for rate, methods in rates.items():
            values = [methods[name]["imbalance"] for name in METHODS]
            cells = " | ".join(f"{value:.4f}" for value in values)
            least, best = found["least"][sigma], min(values[:2])
            shares = f"{values[2] / best:.2f} | {least:.4f} | {least / best:.2f}"
            lines.append(f"| {sigma} | {rate} | {cells} | {shares} |")
    return lines


def _parties(found: Row) -> list[str]:
    said = """\
`party_gap` is by how many players the largest parties of two teams may differ, until somebody has waited \
for the longest wait; 5 tickets a second, one seed.

| party_gap | mean wait, s | p95, s | imbalance | matches with nobody overdue | of these against it \
| matches with somebody overdue |
|---|---|---|---|---|---|---|"""
    rows = []
    for row in found["parties"]:
        waits = f"{row['wait']:.2f} | {row['p95']:.1f} | {row['imbalance']:.4f}"
        rows.append(f"| {row['gap']} | {waits} | {row['on_time']} | {row['against']} | {row['overdue']} |")
    return [said, *rows]


def _bounds(found: Row) -> list[str]:
    said = f"""\
Who has waited for the longest wait, 120 s here, goes on waiting only if no match with them keeps to what \
always counts. Every {SECONDS} s a search of {LONGER} times the steps looked for one that the tick had missed.

| tickets a second | looks with somebody overdue | tickets overdue in them | matches missed |
|---|---|---|---|"""
    names = ("rate", "looks", "overdue", "missed")
    return [said, *(f"| {' | '.join(str(row[name]) for name in names)} |" for row in found["bounds"])]


def _batches(found: Row) -> list[str]:
    lines = [
        f"From columns the best of {REPEATS}, with sorting.",
        "",
        "| | tickets | tickets a second of a core | players placed | spread |",
        "|---|---|---|---|---|",
    ]
    for row in found["batches"]:
        placed = f"{100 * row['placed']:.1f} %"
        lines.append(
            f"| {row['what']} | {row['tickets']} | {row['rate']:,.0f} | {placed} | {row['spread']:.2f} |"
        )
    ticks = found["ticks"]
    average, late, most = (f"{ticks[name]:.2f} ms" for name in ("mean", "p95", "most"))
    said = f"takes {average} of processor time on average, {late} at the 95th percentile, {most} at most"
    return [*lines, "", f"A tick at 50 arrivals a second, objects included, {said}."]


def main() -> int:
    """Measure, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=PARTS, action="append", default=[], help="measure this part alone")
    add_modes(parser)
    given = parser.parse_args()
    return keep(given, RESULTS, PAGES / "QUEUE.md", lambda: measure(given.part), report)
