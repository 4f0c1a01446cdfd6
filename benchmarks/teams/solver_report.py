"""The page of ``solvers``: what was measured as Markdown.

The same results give the same report, byte for byte.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.teams.solver_runs import DESCRIPTIONS, DEVIATION, NEEDED

Row = dict[str, Any]

#: The row of the comparison that all others are divided by.
OURS = "equipoise"

#: Points within which a claim of optimality counts as true: the tolerance of the loosest solver, HiGHS.
CLAIM = 1e-6

#: Points by which a split must be better than ours to say that ours was not the best: rounding.
BETTER = 1e-10

#: Share of its time limit from which a solver counts as stopped by it.
STOPPED = 0.98

#: Share of the time by the clock that the processor works on a solve while nothing else wants the core.
WHOLE = 0.95

#: What the objective ``difference`` must reach: players, numba, seconds.
TIME_BARS = (
    (10, "forbidden", 0.001),
    (24, "loaded", 0.001),
    (32, "loaded", 0.01),
    (40, "loaded", 0.15),
)

#: What five against five with ratings by role must reach: objective, seconds.
ROLES_BAR = ("win", 0.001)

#: How many times as long as importing NumPy a command may take from start to end.
START_BAR = 2.5

UNIT_COMMAND = 'python -c "import numpy"'

NOT_TRIED = "–"

HEAD = """\
# Benchmark results

`{command}` measured this, `python -m benchmarks solvers --report` wrote it; do not edit.
All figures are of one run.
[LOBBIES.md](LOBBIES.md) and [RATINGS.md](RATINGS.md) have those of lobbies and ratings.

- Date: {date}; it took {seconds} s.
- Source: commit {commit}; the SHA-256 of `src/**/*.py` begins with `{source}`{changed}.
- Machine: {processor}, {system}; {pinned}; load average before and after: {load}.
- Versions: {versions}."""

METHOD = """\
## Method

- Every solver runs in a process of its own (`benchmarks/peers/`), all on the same rosters, one after the \
other, on one core; CP-SAT has one worker.
- A time is that of one call from a list of ratings to a split, on the wall clock; building the model is \
part of it, reading the labels is not.
- The first call of a process is not counted, nor is the first call on a roster unless it takes over \
{long:g} s; then it is the only one.
- A roster is solved up to {repeats} times, or until {enough:g} s are spent, and counts with the median; \
a cell is the median over rosters.
- A ratio in brackets is the median over the same rosters of a solver's time divided by that of `{ours}`: \
above 1× is slower than ours.
- A solve may take {solver_limit:g} s (CP-SAT, HiGHS) or {partitioner_limit:g} s (prtpy, \
numberpartitioning); a `>` says that this limit ended it, or its end {grace:g} s after it.
- `{not_tried}` is not tried, because a smaller roster was not solved in time.
- Gaps and team sizes are computed anew from the labels by `benchmarks/teams/solver_runs.py`, whatever a \
solver says of its result.
- CP-SAT knows whole numbers only and gets doubles times {scale:,}, rounded.
- Where numba is loaded its kernels were compiled before, by an earlier process.
- Another process on the core lengthens times, so read ratios first; a `~` says that the processor worked on \
the solves for less than {whole:.0%} of their time."""

REMARKS = """\
† cannot be told that the teams must be equally large: `unequal` counts the rosters where they are not, so \
the difference may be smaller than the least one for equal teams.
`false` counts claims of optimality where `{ours}` has a split that is better by more than {claim:g} \
points."""


@dataclass(frozen=True, slots=True)
class Bar:
    """What a row of the part ``many`` must reach, each limit in the row's own numbers; None where open.

    ``seconds`` is of the median, ``proven`` asks for a proof of all rosters, ``value``, ``sums`` and
    ``deviations`` are upper limits, ``splits`` is a lower one.
    """

    what: str
    objective: str
    seconds: float | None = None
    proven: bool = False
    value: float | None = None
    sums: float | None = None
    deviations: float | None = None
    splits: float | None = None

    def said(self) -> str:
        """Return the bar in words."""
        parts = ["proven"] if self.proven else []
        parts += [f"value below {self.value:g}"] if self.value else []
        parts += [f"sums below {self.sums:g}"] if self.sums else []
        parts += [f"deviations below {self.deviations:g}"] if self.deviations else []
        parts += [f"at least {self.splits:,.0f} splits a second"] if self.splits else []
        parts += [f"below {duration(self.seconds)}"] if self.seconds else []
        return ", ".join(parts) or "stated"

    def met(self, row: Row) -> str:
        """Return whether a row meets it; a dash where there is nothing to meet."""
        if self.said() == "stated":
            return NOT_TRIED
        kept = [not self.proven or row["proven"] == row["rosters"], row.get("kept") == row.get("rosters")]
        below = (
            ("seconds", "median"),
            ("value", "worst_value"),
            ("sums", "sums"),
            ("deviations", "deviations"),
        )
        kept += [row[key] < getattr(self, name) for name, key in below if getattr(self, name) is not None]
        kept += [row["splits_a_second"] >= self.splits] if self.splits else []
        return "yes" if all(kept) else "**no**"


#: The bars of the part ``many``; a row for which there is none is stated.
MANY_BARS = (
    Bar("8 teams of 4", "difference", seconds=0.2, proven=True),
    Bar("4 teams of 5", "difference", seconds=0.025, proven=True),
    Bar("20 teams of 5", "difference", seconds=2.0, value=0.02),
    Bar("2 teams of 16", "indistinguishable", seconds=0.06, proven=True),
    Bar("16 players", "spread", seconds=0.05, sums=0.02, deviations=0.06),
    *(Bar(f"{n} players", "spread", seconds=0.05, sums=0.01, deviations=0.02) for n in (20, 24, 32)),
    Bar("16 players, parties of 4, 3, 2 and 2", "spread", proven=True),
    Bar("5 against 5 in a batch", "difference", splits=2e6),
)

#: Seconds that a full server may take, whatever the objective.
FULL_SERVER = 0.05


def report(results: Row) -> str:
    """Return the report as Markdown."""
    sections = [_head(results)]
    if "objectives" in results and "cold_start" in results:
        sections.append(_bars(results))
    sections.append(_method(results))
    if "compare" in results:
        sections += [_comparison(results["compare"], kind) for kind in DESCRIPTIONS]
        sections.append(_remarks(results["compare"]))
    for name, section in (
        ("objectives", _objectives),
        ("roles", _roles),
        ("many", report_many),
        ("cold_start", _starts),
        ("quality", _quality),
    ):
        if name in results:
            sections.append(section(results[name]))
    return "\n\n".join(sections) + "\n"


def _head(results: Row) -> str:
    place = results["environment"]
    method = results["method"]
    packages = [f"{name} {number or 'not installed'}" for name, number in place["packages"].items()]
    load = " and ".join(map(str, method["load"])) or "unknown"
    return HEAD.format(
        command=results["command"],
        seconds=method["seconds"],
        pinned=method["pinned"],
        load=load,
        changed=", and it changed during the run" if place["source_changed"] else "",
        versions=", ".join([place["python"], *packages]),
        **{name: place[name] for name in ("date", "commit", "source", "processor", "system")},
    )


def _bars(results: Row) -> str:
    rows = []
    for n, numba, bar in TIME_BARS:
        for row in results["objectives"]:
            if (row["objective"], row["numba"], row["n"]) == ("difference", numba, n):
                proven = row.get("proven") == row["rosters"]
                kernels = "no compiled kernel" if numba == "forbidden" else "compiled"
                met = proven and row["median"] < bar
                rows.append([
                    f"{n} players, `difference`, {kernels}", f"proven, below {duration(bar)}",
                    f"{row.get('proven', 0)} of {row['rosters']} proven, "
                    + duration(row.get("median")) + contended(row.get("share", 1.0)),
                    "yes" if met else "**no**",
                ])  # fmt: skip
    for row in results.get("roles", []):
        if row["objective"] == ROLES_BAR[0]:
            proven = row.get("proven") == row["rosters"]
            rows.append([
                f"5 against 5 with roles, `{row['objective']}`, compiled",
                f"proven, below {duration(ROLES_BAR[1])}",
                f"{row.get('proven', 0)} of {row['rosters']} proven, "
                + duration(row.get("median")) + contended(row.get("share", 1.0)),
                "yes" if proven and row["median"] < ROLES_BAR[1] else "**no**",
            ])  # fmt: skip
    seconds = {row["command"]: row["best"] for row in results["cold_start"]}
    for command, best in seconds.items():
        if command.startswith(OURS):
            share = best / seconds[UNIT_COMMAND]
            wanted = f"at most {times(START_BAR)} `{UNIT_COMMAND}`"
            rows.append([f"`{command}`", wanted, times(share), "yes" if share <= START_BAR else "**no**"])
    return "## Bars\n\n" + table(["What", "Bar", "Measured", "Met"], rows)


def _method(results: Row) -> str:
    return METHOD.format(ours=OURS, not_tried=NOT_TRIED, whole=WHOLE, **results["method"])


def _comparison(rows: Sequence[Row], kind: str) -> str:
    chosen = [row for row in rows if row["kind"] == kind]
    sizes = sorted({row["n"] for row in chosen})
    ours = {row["n"]: row["results"] for row in chosen if row["name"] == OURS}
    names = list(dict.fromkeys(row["name"] for row in chosen))
    cell = {(row["name"], row["n"]): row for row in chosen}
    heads = ["Solver", *(f"{n} players" for n in sizes)]
    numbers = {n: cell[OURS, n]["rosters"] for n in sizes}
    rosters = ", ".join(f"{count} of {n}" for n, count in numbers.items())
    return "\n".join([
        f"## Two teams of equal size, smallest difference of sums: {DESCRIPTIONS[kind]}",
        "",
        f"Rosters: {rosters} players.",
        "",
        "Time for one split (ratio to ours):",
        "",
        table(heads, [[_name(n, cell, sizes), *(_time(cell[n, s], ours[s]) for s in sizes)] for n in names]),
        "",
        "Mean difference of sums reached (rosters claimed to be proven optimal, and remarks):",
        "",
        table(heads, [[_name(n, cell, sizes), *(_gap(cell[n, s], ours[s]) for s in sizes)] for n in names]),
    ])  # fmt: skip


def _name(name: str, cell: dict[tuple[str, int], Row], sizes: Sequence[int]) -> str:
    if name == OURS:
        return f"**{name}**"
    return name if cell[name, sizes[0]]["can_equal_sizes"] else f"{name} †"


def _time(row: Row, ours: Sequence[Row]) -> str:
    """Return the cell for a solver and a size."""
    if row["end"].startswith(("skipped", "broke")):
        return str(row["end"]).partition(":")[0]
    if row["waited"] is not None:
        median = statistics.median(result["median"] for result in ours)
        return f"> {duration(row['waited'])} (> {times(row['waited'] / median)})"
    if not row["results"]:
        return NOT_TRIED
    median = statistics.median(result["median"] for result in row["results"])
    pairs = zip(row["results"], ours, strict=True)
    ratio = statistics.median(result["median"] / our["median"] for result, our in pairs)
    stopped = "> " if median >= STOPPED * row["limit"] else ""
    share = statistics.median(result["share"] for result in row["results"])
    return f"{stopped}{duration(median)}{contended(share)} ({stopped}{times(ratio)})"


def _gap(row: Row, ours: Sequence[Row]) -> str:
    results = row["results"]
    gaps = [result["gap"] for result in results if result["gap"] is not None]
    if not gaps:
        return NOT_TRIED if not row["end"] else row["end"].partition(":")[0]
    remarks = []
    claims = sum(result["status"] == "optimal" for result in results)
    if any(result["status"] != "heuristic" for result in results):
        remarks.append(f"{claims} of {row['rosters']}")
    wrong = sum(_false(result, our) for result, our in zip(results, ours, strict=False))
    unequal = sum(result["equal_sizes"] is False for result in results)
    remarks += [f"{wrong} false"] if wrong else []
    remarks += [f"{unequal} unequal"] if unequal else []
    remarks += [f"{len(gaps)} solved"] if len(gaps) < row["rosters"] else []
    return figure(statistics.fmean(gaps)) + (f" ({'; '.join(remarks)})" if remarks else "")


def _false(result: Row, our: Row) -> bool:
    """Tell whether a solver claims the best where ours is better."""
    return result["status"] == "optimal" and result["gap"] is not None and result["gap"] > our["gap"] + CLAIM


def _remarks(rows: Sequence[Row]) -> str:
    lines = [REMARKS.format(ours=OURS, claim=CLAIM)]
    beaten = "; ".join(_beaten(rows))
    if beaten:
        lines.append(f"**A split of equal sizes is better than one that `{OURS}` calls optimal: {beaten}.**")
    else:
        lines.append(f"No solver found a split of equal sizes better than one that `{OURS}` calls optimal.")
    ends = {f"{row['name']} ({row['end']})" for row in rows if row["end"].startswith(("skipped", "broke"))}
    lines += [f"Not measured: {'; '.join(sorted(ends))}."] if ends else []
    return "\n".join(lines)


def _beaten(rows: Iterable[Row]) -> Iterator[str]:
    rows = list(rows)
    ours = {(row["kind"], row["n"]): row["results"] for row in rows if row["name"] == OURS}
    for row in rows:
        for index, (result, our) in enumerate(zip(row["results"], ours[row["kind"], row["n"]], strict=False)):
            better = result["equal_sizes"] and result["gap"] < our["gap"] - BETTER
            if better and our["status"] == "optimal":
                yield f"{row['name']}, {row['kind']}, {row['n']} players, roster {index}"


def _objectives(rows: Sequence[Row]) -> str:
    cells = [
        [
            str(row["n"]),
            "none" if row["numba"] == "forbidden" else "compiled",
            f"`{row['objective']}`",
            duration(row.get("median")) + contended(row.get("share", 1.0)),
            duration(row.get("best")),
            duration(row.get("slowest")),
            duration(row["cold"]),
            f"{row.get('proven', 0)} of {row['rosters']}",
            ", ".join(row.get("by", [])),
        ]
        for row in sorted(rows, key=lambda row: (row["n"], row["numba"]))
    ]
    heads = [
        "Players",
        "Kernels",
        "Objective",
        "Median",
        "Best",
        "Slowest roster",
        "First call",
        "Proven",
        "By",
    ]
    return "\n".join([
        "## Our own times for each objective",
        "",
        f"`equipoise.balance(players, objective=...)`, two equal teams, {DESCRIPTIONS['doubles']}.",
        "Kernels `none`: numba was forbidden in that process; `compiled`: it was imported before.",
        "The first call also loads the modules, and the compiled kernels from numba's cache on disk.",
        "",
        table(heads, cells),
    ])  # fmt: skip


def _roles(rows: Sequence[Row]) -> str:
    cells = [
        [
            f"`{row['objective']}`",
            duration(row.get("median")) + contended(row.get("share", 1.0)),
            duration(row.get("best")),
            duration(row.get("slowest")),
            duration(row["cold"]),
            f"{row.get('proven', 0)} of {row['rosters']}",
        ]
        for row in rows
    ]
    needed = ", ".join(f"{number} {role}" for role, number in NEEDED.items())
    return "\n".join([
        "## Five against five with ratings by role",
        "",
        f"Every team needs {needed}; everyone plays two of the roles, with a rating in each; compiled.",
        "",
        table(["Objective", "Median", "Best", "Slowest roster", "First call", "Proven"], cells),
    ])  # fmt: skip


def report_many(rows: Sequence[Row]) -> str:
    """Return the section on many teams, full servers, spreads, batches and very many lines."""
    bars = {(bar.what, bar.objective): bar for bar in MANY_BARS}
    cells = []
    for row in rows:
        key = (row["what"], row["objective"])
        full = Bar(*key, seconds=FULL_SERVER) if row["what"].startswith("64 players") else Bar(*key)
        bar = bars.get(key, full)
        cells.append([row["what"], f"`{row['objective']}`", bar.said(), *_measured(row), bar.met(row)])
    return "\n".join([
        "## Many teams, full servers, both spreads, batches",
        "",
        "Compiled and warm; processor time: of each roster the least of its repeats, then the median.",
        "Sums and deviations are mean ranges over the teams, in standard deviations of a player.",
        "The last row starts the command and reads the file; its time is that of the whole process.",
        "",
        table(["What", "Objective", "Bar", "Time", "Slowest", "Proven", "Reached", "Met"], cells),
    ])  # fmt: skip


def _measured(row: Row) -> list[str]:
    """Return the cells for time, slowest roster, proofs and what was reached."""
    if "verdict" in row:
        reached = f"{row['verdict']} {row['memory'] / 2**20:,.0f} MiB; {duration(row['wall'])} by the clock"
        return [duration(row["median"]), NOT_TRIED, NOT_TRIED, reached]
    if "splits_a_second" in row:
        matches, splits = row["matches_a_second"], row["splits_a_second"]
        reached = f"{matches:,.0f} matches and {splits:,.0f} splits a second"
        return [duration(row["median"]), NOT_TRIED, f"all {row['matches']:,}", reached]
    reached = f"worst gap {figure(row['worst_gap'])}, sums {figure(row['sums'])}, "
    reached += f"deviations {figure(row['deviations'])}"
    proven = f"{row['proven']} of {row['rosters']}"
    return [duration(row["median"]), duration(row["slowest"]), proven, reached]


def _starts(rows: Sequence[Row]) -> str:
    unit = next(row for row in rows if row["command"] == UNIT_COMMAND)
    cells = [
        [
            f"`{row['command']}`",
            duration(row["best"]),
            duration(row["median"]),
            times(row["best"] / unit["best"]),
            duration(row["cpu"]),
            times(row["cpu"] / unit["cpu"]),
        ]
        for row in rows
    ]
    return "\n".join([
        "## Cold start",
        "",
        f"Whole processes, started in turn, {rows[0]['starts']} times each; ratios are of the best times.",
        "Processor time is also the best, and hears less of other processes.",
        "",
        table(["Command", "Best", "Median", "Ratio", "Processor time", "Ratio"], cells),
    ])  # fmt: skip


def _quality(rows: Sequence[Row]) -> str:
    sizes = sorted({row["n"] for row in rows})
    names = list(dict.fromkeys((row["objective"], row["solver"]) for row in rows))
    cell = {(row["objective"], row["solver"], row["n"]): row for row in rows}
    titles = {
        "sums": "Mean difference of the teams' sums",
        "deviations": "Mean difference of the teams' standard deviations",
        "w1": "Mean Wasserstein-1 distance of the teams",
    }
    parts = [
        "## How alike the teams are",
        "",
        f"Means over {rows[0]['rosters']} rosters of each size: {DESCRIPTIONS['doubles']}.",
        f"The unit is the standard deviation that a player is drawn with, {DEVIATION:g} points.",
    ]
    for measure, title in titles.items():
        cells = [
            [
                f"`{objective}`" if solver == "auto" else f"solver `{solver}`",
                *(figure(cell[objective, solver, n].get(measure)) for n in sizes),
            ]
            for objective, solver in names
        ]
        parts += ["", f"{title}:", "", table(["Objective", *(f"{n} players" for n in sizes)], cells)]
    return "\n".join(parts)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def figure(number: float | None) -> str:
    """Return a number with three digits that count."""
    return NOT_TRIED if number is None else f"{number:.3g}"


def duration(seconds: float | None) -> str:
    """Return seconds with three digits that count, in s or ms."""
    if seconds is None:
        return NOT_TRIED
    return f"{seconds:.3g} s" if seconds >= 1.0 else f"{seconds * 1000:.3g} ms"


def contended(share: float) -> str:
    """Return the mark of a time during which the processor was also elsewhere."""
    return "" if share >= WHOLE else " ~"


def times(ratio: float) -> str:
    """Return a ratio with two or three digits that count."""
    if ratio < 0.1:
        return f"{ratio:.2g}×"
    return f"{float(f'{ratio:.3g}'):,.{2 if ratio < 10 else 1 if ratio < 100 else 0}f}×"
