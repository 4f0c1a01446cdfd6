"""Plans for tournaments: ``python benchmarks/tournaments.py`` writes ``TOURNAMENTS.md``.

The instances are those of ``lobby_instances.py``.  ``auto`` has a second of processor time; where its bound
leaves open whether a better plan would be told apart, other searches have much longer.  ``--check`` tells if
the page is stale.
"""

from __future__ import annotations

import argparse
import sys
import time
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
TOLD = 0.02

#: Teams times lobbies up to which ``exact`` is asked for a proof within some seconds, and with more of them.
PROVABLE, PROOF, WITH_LIMIT = 20_000, 5.0, 10.0


HEAD = """\
# Tournaments: 14 to 300 players in teams of three to five

`python benchmarks/tournaments.py --instances {instances} --longer {longer:g}` measured this, \
`--report` wrote it; do not edit.

- The instances are those of `benchmarks/lobby_instances.py`: five families of skill, one to six lobbies, \
parties, players who wait, bars, limits, smaller teams, means and absolute deviations.
- `auto` has {seconds:g} s of processor time.
- A value counts as the best where it is at most teams x ({told:g} player standard deviations)² above it \
(with absolute deviations: teams x {told:g} standard deviations).
- The best is that of `auto` and `large` with {longer:g} s of processor time each; where the bound alone \
shows that nothing is so much better, they are not asked.
"""


def tolerance(given: Row, teams: int) -> float:
    """Return by how much a value may be above another that nobody could tell from it."""
    told = TOLD * float(np.std(list(given["players"].values())))
    return teams * (told if given["deviation"] == "absolute" else told * told)


def one(seed: int, longer: float = LONGER) -> Row:
    """Return what is to be said of one instance."""
    from equipoise import fill

    given = tournament(seed)
    start = time.process_time()
    plan = fill(**given, stop=within(SECONDS))
    spent = time.process_time() - start
    teams = sum(len(lobby.teams) for lobby in plan.lobbies)
    allowed = tolerance(given, teams)
    best, asked = plan.value, False
    if plan.value - plan.bound > allowed:
        asked = True
        best = min(
            best, *(fill(**given, solver=name, stop=within(longer)).value for name in ("auto", "large"))
        )
    return {
        "seed": seed, "players": len(given["players"]), "team_size": given["team_size"],
        "lobbies": len(given["lobbies"]), "waiting": len(plan.waiting), "solver": plan.solver,
        "status": str(plan.status), "value": plan.value, "bound": float(plan.bound), "best": best,
        "asked": asked, "allowed": allowed, "seconds": spent,
    }  # fmt: skip


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
    from equipoise.lobbies.problem import Placed
    from equipoise.lobbies.solvers import exact

    if exact.count_candidates(task.problem) > PROVABLE:
        return Placed(task.start, 0.0, proven=False)
    return exact.solve(task)


def measure(instances: int, longer: float) -> Row:
    """Return all measurements."""
    one(0, 1.0)  # numba is loaded
    rows, proofs = [], []
    for seed in range(instances):
        rows.append(one(seed, longer))
        print(rows[-1], file=sys.stderr, flush=True)
    for seed in range(instances):
        found = proof(seed)
        proofs += [found] if found else []
    return {"rows": rows, "proofs": proofs, "longer": longer}


def within_tolerance(row: Row) -> bool:
    """Tell whether nobody could tell the plan from the best known."""
    return bool(row["value"] - row["best"] <= row["allowed"])


def report(results: Row) -> str:
    """Return the report as Markdown."""
    rows, proofs = results["rows"], results["proofs"]
    good = sum(within_tolerance(row) for row in rows)
    certified = sum(not row["asked"] for row in rows)
    others = [row for row in rows if not within_tolerance(row)]
    spent = sorted(row["seconds"] for row in rows)
    lines = [
        HEAD.format(instances=len(rows), seconds=SECONDS, told=TOLD, longer=results["longer"]),
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
    parser.add_argument("--longer", type=float, default=LONGER, metavar="SECONDS", help="for the best known")
    parser.add_argument(
        "--instances", type=int, default=INSTANCES, metavar="N", help="how many, from the first"
    )
    add_modes(parser)
    given = parser.parse_args()
    page = HERE / "TOURNAMENTS.md"
    sys.exit(
        keep(given, HERE / "tournaments.json", page, lambda: measure(given.instances, given.longer), report)
    )


if __name__ == "__main__":
    main()
