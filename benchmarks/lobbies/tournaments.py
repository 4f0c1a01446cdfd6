"""Plans for tournaments: ``python benchmarks/tournaments.py`` writes ``TOURNAMENTS.md``.

The instances are those of ``lobby_instances.py``.  ``auto`` has a second of processor time; where its bound
leaves open whether a better plan would be told apart, it has much longer once more.  Those references are
kept in ``tournaments.json``, and ``--resume`` goes on with a run that was not finished.
``--check`` tells if the page is stale.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from lobby_instances import tournament, within
from reporting import add_modes, keep

HERE = Path(__file__).parent
Row = dict[str, Any]

#: How many instances there are, and how many seconds ``auto`` and the searches after it have.
INSTANCES, SECONDS, LONGER = 200, 1.0, 60.0

#: What nobody could tell: so many of the players' standard deviations in the root mean square of the teams.
NEAR = 0.02

#: Teams times lobbies up to which ``exact`` is asked for a proof within some seconds, and with more of them.
PROVABLE, PROOF, WITH_LIMIT = 20_000, 5.0, 10.0


HEAD = """\
# Tournaments: 14 to 300 players in teams of three to five

`python benchmarks/tournaments.py` measured this, `--report` wrote it; do not edit.

- The instances are those of `benchmarks/lobby_instances.py`: five families of skill, one to six lobbies, \
parties, players who wait, bars, limits, smaller teams, means and absolute deviations.
- `auto` has {seconds:g} s of processor time.
- A value counts as the best where it is at most teams x ({near:g} player standard deviations)² above it \
(with absolute deviations: teams x {near:g} standard deviations).
- Where the bound alone shows that nothing is so much better, nobody else is asked.
- Else the best is that of `auto` with more processor time: {longer}.
- A proof before that time ends a search; a bound of any search holds for all.
"""


def tolerance(given: Row, teams: int) -> float:
    """Return by how much a value may be above another that nobody could tell from it."""
    reported = NEAR * float(np.std(list(given["players"].values())))
    return teams * (reported if given["deviation"] == "absolute" else reported * reported)


def one(seed: int) -> Row:
    """Return what is to be said of one instance."""
    from equipoise import fill

    given = tournament(seed)
    start = time.process_time()
    plan = fill(**given, stop=within(SECONDS))
    spent = time.process_time() - start
    teams = sum(len(lobby.teams) for lobby in plan.lobbies)
    return {
        "seed": seed, "players": len(given["players"]), "team_size": given["team_size"],
        "lobbies": len(given["lobbies"]), "waiting": len(plan.waiting), "solver": plan.solver,
        "status": str(plan.status), "value": plan.value, "bound": float(plan.bound),
        "allowed": tolerance(given, teams), "seconds": spent,
    }  # fmt: skip


def reference(seed: int, longer: float) -> Row:
    """Return the best that is found with much time, and the best bound."""
    from equipoise import fill

    plan = fill(**tournament(seed), stop=within(longer))
    return {"seed": seed, "best": plan.value, "bound": float(plan.bound), "longer": longer}


def proof(seed: int) -> Row | None:
    """Return whether ``auto`` with a limit has the same proof as ``exact``, where that is soon done."""
    from equipoise import Status, fill

    given = tournament(seed)
    plan = fill(**given, solver=_listed, stop=within(PROOF))
    if plan.status is not Status.OPTIMAL:
        return None
    start = time.process_time()
    other = fill(**given, stop=within(WITH_LIMIT))
    same = abs(other.value - plan.value) <= 1e-9 * max(abs(plan.value), 1.0)
    return {
        "seed": seed, "same": same, "proven": other.status is Status.OPTIMAL,
        "seconds": time.process_time() - start,
    }  # fmt: skip


def _listed(task: Any) -> Any:
    """Solve by ``exact`` where teams are not too many to list soon."""
    from equipoise.lobbies import exact
    from equipoise.lobbies.problem import Placed

    if exact.count_candidates(task.problem) > PROVABLE:
        return Placed(task.start, 0.0, proven=False)
    return exact.solve(task)


def measure(known: Row, instances: int, longer: float, save: Callable[[Row], None], *, resume: bool) -> Row:
    """Return all measurements, saved after each instance, with the references that are known."""
    from equipoise import fill

    rows, references = known.get("rows", []) if resume else [], known.get("references", [])
    results = {"rows": rows, "references": references}
    done, referred = ({row["seed"] for row in part} for part in (rows, references))
    fill(**tournament(0))  # the kernels are loaded
    for seed in range(instances):
        if seed in done:
            continue
        row = {**one(seed), "proof": proof(seed)}
        rows.append(row)
        if row["value"] - row["bound"] > row["allowed"] and seed not in referred:
            references.append(reference(seed, longer))
        print(row, file=sys.stderr, flush=True)
        save(results)
    return results


def compared(results: Row) -> list[Row]:
    """Return the rows with the best value known, and whether others were asked for it."""
    references = {row["seed"]: row for row in results["references"]}
    rows = []
    for row in results["rows"]:
        other = references.get(row["seed"], {"best": row["value"], "bound": row["bound"], "longer": 0.0})
        bound = max(row["bound"], other["bound"])
        asked = row["value"] - row["bound"] > row["allowed"]
        best = min(row["value"], other["best"])
        rows.append({**row, "best": best, "bound": bound, "asked": asked, "longer": other["longer"]})
    return rows


def within_tolerance(row: Row) -> bool:
    """Tell whether nobody could tell the plan from the best known."""
    return bool(row["value"] - row["best"] <= row["allowed"])


def report(results: Row) -> str:
    """Return the report as Markdown."""
    rows = compared(results)
    proofs = [row["proof"] for row in rows if row["proof"]]
    good = sum(within_tolerance(row) for row in rows)
    certified = sum(not row["asked"] for row in rows)
    others = [row for row in rows if not within_tolerance(row)]
    spent = sorted(row["seconds"] for row in rows)
    lines = [
        HEAD.format(seconds=SECONDS, near=NEAR, longer=_seconds_of([row for row in rows if row["asked"]])),
        "| instances | as good as the best | of these by their own bound | processor time, median | most |",
        "| --- | --- | --- | --- | --- |",
        f"| {len(rows)} | {good} | {certified} | {spent[len(spent) // 2]:.2f} s | {spent[-1]:.2f} s |",
        "",
    ]
    if others:
        lines += [
            "The others:",
            "",
            "| seed | players | team | lobbies | value | best | above, in what is allowed |",
            "| --- | --- | --- | --- | --- | --- | --- |",
            *map(_line, others),
            "",
        ]
    same, proven = (sum(row[key] for row in proofs) for key in ("same", "proven"))
    lines.append(
        f"Where `exact` proves a plan of at most {PROVABLE:,} possible teams and lobbies within {PROOF:g} s, "
        f"`auto` with a limit of {WITH_LIMIT:g} s has the same value in {same} and the proof in {proven} of "
        f"{len(proofs)} instances."
    )
    return "\n".join(lines) + "\n"


def _seconds_of(asked: list[Row]) -> str:
    """Return how many instances had how many seconds."""
    having = sorted({row["longer"] for row in asked}, reverse=True)
    return ", ".join(
        f"{seconds:g} s for {sum(row['longer'] == seconds for row in asked)}" for seconds in having
    )


def _line(row: Row) -> str:
    above = (row["value"] - row["best"]) / row["allowed"]
    cells = [str(row[key]) for key in ("seed", "players", "team_size", "lobbies")] + [
        f"{row['value']:.6g}",
        f"{row['best']:.6g}",
        f"{above:.2g}",
    ]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Read the arguments and do what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--longer", type=float, default=LONGER, metavar="SECONDS", help="for a reference")
    parser.add_argument(
        "--instances", type=int, default=INSTANCES, metavar="N", help="how many, from the first"
    )
    parser.add_argument("--resume", action="store_true", help="go on with a run that was not finished")
    add_modes(parser)
    given = parser.parse_args()
    page, path = HERE / "TOURNAMENTS.md", HERE / "tournaments.json"
    known: Row = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def save(results: Row) -> None:
        path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")

    sys.exit(
        keep(given, path, page,
             lambda: measure(known, given.instances, given.longer, save, resume=given.resume), report)
    )  # fmt: skip


if __name__ == "__main__":
    main()
