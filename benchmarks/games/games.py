"""Measure games: ``python -m benchmarks games`` writes ``games.json`` and from it ``GAMES.md``.

``--report`` only writes the report anew; ``--check`` writes nothing and exits with 1 where it is stale.
The logs are those of the tests, and real ones of other games where they lie beside the project, repeated
until they are as long as a server's of some weeks.
"""

from __future__ import annotations

import gzip
import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from benchmarks.games.real_logs import DATA as REAL
from benchmarks.games.real_logs import known_logs
from benchmarks.reporting import PAGES, RAW, ROOT, describe, pin, run

from equipoise.core.match import Match
from equipoise.games.log_reader import guess_game
from equipoise.ratings.lab.simulation import rank_correlation
from equipoise.ratings.models.gaussian_filter.model import GaussianFilter
from equipoise.ratings.replay import replay

RESULTS, REPORT = RAW / "games.json", PAGES / "GAMES.md"
DATA = ROOT / "tests" / "games" / "data"

#: Bytes that are read at a time, the least length of a log, and how often a time is taken; the best counts.
PIECE, LENGTH, TIMES = 1 << 18, 10_000_000, 15

LOGS = (
    "tdm_oa_dm5_4v4_16bots_ts25",
    "ctf_mlctf1beta_4v4_16bots_ts25",
    "x_elim",
    "x_ctfelim",
    "nexuiz_tdm_console_eventlog",
)

#: Real logs, by their folder and how their names begin, and what they are.
REAL_LOGS = {
    ("TF2", "log_"): "Team Fortress 2", ("CS", "navi"): "Counter-Strike: GO",
    ("CS", "seatlon"): "Counter-Strike 2", ("QL", "ca-full"): "Quake Live, the stream",
    ("QL", "sample"): "Quake Live, reports", ("ET", ""): "ET: Legacy",
    ("TW", "07"): "Teeworlds 0.7", ("TW", "06"): "Teeworlds 0.6",
}  # fmt: skip

#: Logs of bots with known skill, and what the rank correlation must reach after how many games.
CORRELATIONS = ((LOGS[0], 10, 0.80), (LOGS[0], 80, 0.95), (LOGS[1], 44, 0.90))

#: Weights of a capture beside the result's 1; 0 leaves captures out.
WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)

#: What reading is wanted to reach, megabytes a second.
SPEED = 100.0


def log(name: str) -> bytes:
    """Return a log of the tests."""
    return gzip.decompress((DATA / f"{name}.log.gz").read_bytes())


def logs() -> dict[str, bytes]:
    """Return the logs that are read, by what they are called."""
    found = {f"`{name}`": log(name) for name in LOGS}
    known = list(known_logs()) if REAL.is_dir() else []
    for (folder, start), name in REAL_LOGS.items():
        each = [one.content for one in known if one.game == folder and one.name.startswith(start)]
        if each:
            found[name] = b"".join(one if one.endswith(b"\n") else one + b"\n" for one in each)
    return found


def matches_in(content: bytes) -> list[Match]:
    """Return the matches of a log, read in pieces as from a file."""
    reader = guess_game(content).game.reader("log")
    found = []
    for start in range(0, len(content), PIECE):
        found += reader.read(content[start : start + PIECE])
    found += reader.finish()
    return [one for one in found if isinstance(one, Match)]


def split_lines(content: bytes) -> None:
    """Go through the lines and do nothing with them."""
    for _ in content.split(b"\n"):
        pass


def split_fields(content: bytes) -> None:
    """Go through the lines and split each into its words."""
    for line in content.split(b"\n"):
        line.split(b" ")


def best_of(once: Callable[[bytes], Any], content: bytes) -> float:
    """Return the least processor time of several, seconds."""
    taken = []
    for _ in range(TIMES):
        start = time.process_time()
        once(content)
        taken.append(time.process_time() - start)
    return min(taken)


def speeds() -> list[dict[str, Any]]:
    """Measure reading and the two loops, one right after the other."""
    rows = []
    for name, once in logs().items():
        content = once * -(-LENGTH // len(once))
        kinds = {"read": matches_in, "lines": split_lines, "fields": split_fields}
        taken = {kind: best_of(read, content) for kind, read in kinds.items()}
        rows.append({"log": name, "bytes": len(content), "games": len(matches_in(content)), **taken})
    return rows


def correlations() -> list[dict[str, Any]]:
    """Compare ratings with the skill that the bots were made with, which their ids end with."""
    rows = []
    for name, games, bar in CORRELATIONS:
        matches = matches_in(log(name))[:games]
        model = GaussianFilter()
        state = replay(model, matches)
        players = list(model.players(state))
        rated = [model.rating(state, player, matches[0].ruleset).mu for player in players]
        true = [float(player.rpartition(":")[2]) for player in players]
        reached = rank_correlation(np.array(rated), np.array(true))
        rows.append({"log": name, "games": games, "bar": bar, "reached": reached})
    return rows


def weights() -> list[dict[str, Any]]:
    """Predict each result of capture the flag from the games before, with captures of different weight."""
    matches = matches_in(log(LOGS[1]))
    rows = []
    for weight in WEIGHTS:
        model = GaussianFilter()
        state = model.initial()
        losses = []
        for match in matches:
            *captures, result = match.contests
            chances = model.win_probability(state, result.teams, result.ruleset, result.at)
            won = [chance for chance, rank in zip(chances, result.ranks, strict=True) if rank == 0.0]
            losses.append(-sum(math.log(chance) for chance in won) / len(won))
            parts = [replace(capture, weight=weight) for capture in captures] if weight else []
            state = model.run(state, [*parts, result])[0]
        rows.append({"weight": weight, "loss": sum(losses) / len(losses)})
    return rows


def measure() -> dict[str, Any]:
    """Return all results."""
    pinned = pin()
    return {
        **describe(),
        "pinned": pinned,
        "speeds": speeds(),
        "correlations": correlations(),
        "weights": weights(),
    }


def report(results: dict[str, Any]) -> str:
    """Return the report of results."""
    lines = [
        "# Benchmark results: games",
        "",
        "`python -m benchmarks games` measured and wrote this; do not edit.",
        "All figures are of one run, on one core, in processor time.",
        "",
        f"- Date: {results['date']}; commit {results['commit']}; {results['python']}.",
        f"- Processor: {results['processor']}; {results['pinned']}.",
        "",
        "## Speed",
        "",
        f"Each log is repeated to {LENGTH / 1e6:.0f} MB and read from memory in pieces of {PIECE >> 10} KiB.",
        f"The best of {TIMES} runs counts; {SPEED:.0f} MB a second is wanted.",
        "Beside it stand two loops over the lines: one does nothing with them, one splits each at blanks.",
        "The first three are of OpenArena, the last ones real logs, the same again and again.",
        "",
        "| Log | games | MB/s | games/s | loop over lines, MB/s | ratio | splitting, MB/s | ratio |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in results["speeds"]:
        read, size = row["read"], row["bytes"] / 1e6
        lines.append(
            f"| {row['log']} | {row['games']:,} | {size / read:.0f} | {row['games'] / read:,.0f} "
            f"| {size / row['lines']:.0f} | {read / row['lines']:.1f} "
            f"| {size / row['fields']:.0f} | {read / row['fields']:.1f} |"
        )
    lines += [
        "",
        "## What ratings find",
        "",
        "Spearman's correlation of the ratings of one Gaussian filter with the skill (1 to 5) of 16 bots.",
        "",
        "| Log | games | bar | reached | met |",
        "|---|---:|---:|---:|---|",
    ]
    for row in results["correlations"]:
        met = "yes" if row["reached"] >= row["bar"] else "no"
        lines.append(f"| `{row['log']}` | {row['games']} | {row['bar']:.2f} | {row['reached']:.3f} | {met} |")
    lines += [
        "",
        "## How much a capture counts",
        "",
        f"Log-loss of the results of `{LOGS[1]}`, each predicted from the games before it.",
        "",
        "| weight of a capture | log-loss |",
        "|---:|---:|",
        *(f"| {row['weight']:g} | {row['loss']:.4f} |" for row in results["weights"]),
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Do what the command line says."""
    return run(__doc__, RESULTS, REPORT, measure, report)
