"""Measure queues beside two peers: ``python -m benchmarks queue`` writes ``queue.json`` and ``QUEUE.md``.

``python -m benchmarks queue --report`` writes the page alone; ``--check`` tells if it is stale.
One simulation, :func:`equipoise.queueing.simulate_queue`, judges all; the peers are in ``peers/queues.py``.
"""

from __future__ import annotations

import platform
import time
from typing import Any

import numpy as np
from benchmarks.peers import queues as peers
from benchmarks.reporting import PAGES, RAW, run

from equipoise.queueing import Population, QueuePolicy, TickResult, simulate_queue, tick
from equipoise.queueing.columns import QueueColumns, form_matches
from equipoise.queueing.simulation import arrivals

Row = dict[str, Any]

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


def cell(search: Any, rate: str, seeds: tuple[int, ...], population: Population) -> Row:
    """Simulate a rate under one way to make matches, and return means over the seeds."""
    seconds, warm_up = RATES[rate]
    found = [
        simulate_queue(
            QueuePolicy(), np.random.default_rng(seed), rates=(float(rate),), seconds=seconds,
            warm_up=warm_up, population=population, search=search,
        )
        for seed in seeds
    ]  # fmt: skip
    return {
        "wait": float(np.mean([each.waits.mean() for each in found])),
        "p95": float(np.mean([each.wait(95) for each in found])),
        "imbalance": float(np.mean([each.imbalances.mean() for each in found])),
        "spread": float(np.mean([each.spreads.mean() for each in found])),
        "oldest": float(max(each.waits.max() for each in found)),
        "gap": float(np.mean([each.party_gaps.mean() for each in found])),
    }


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


def measure() -> Row:
    """Measure all."""
    cells = {
        rate: {name: cell(search, rate, SEEDS, Population()) for name, search in METHODS.items()}
        for rate in RATES
    }
    uncertain = {
        f"{sigma:g}": {
            rate: {
                name: cell(search, rate, SEEDS[:2], Population(sigma=sigma))
                for name, search in METHODS.items()
            }
            for rate in RATES
        }
        for sigma in SIGMAS
    }
    return {
        "machine": platform.processor() or platform.machine(),
        "python": platform.python_version(),
        "policy": {
            name: getattr(QueuePolicy(), name)
            for name in (
                "tolerance", "tolerance_growth", "tails", "imbalance", "imbalance_growth", "most_imbalance",
                "longest_wait",
            )
        },
        "tolerances": peers.TOLERANCE,
        "cells": cells,
        "uncertain": uncertain,
        "batches": batches(),
        "ticks": ticks(),
    }  # fmt: skip


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
    lines = [
        "Every player's rating is the skill and an error of the deviation sigma; two seeds a cell.", "",
        "| sigma | tickets a second | Open-Match-like | FAF-like | equipoise | share of the best peer's |",
        "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for sigma, rates in found["uncertain"].items():
        for rate, methods in rates.items():
            values = [methods[name]["imbalance"] for name in METHODS]
            cells = " | ".join(f"{value:.4f}" for value in values)
            lines.append(f"| {sigma} | {rate} | {cells} | {values[2] / min(values[:2]):.2f} |")
    return lines


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
    return run(__doc__, RAW / "queue.json", PAGES / "QUEUE.md", measure, report)
