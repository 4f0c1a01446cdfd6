"""Plans for tournaments: ``python -m benchmarks tournaments`` writes ``TOURNAMENTS.md``.

The instances are drawn from their numbers.  ``auto`` has a second of processor time; where its bound
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
from dataclasses import dataclass
from typing import Any

import numpy as np
from benchmarks.reporting import PAGES, RAW, add_modes, keep

from equipoise import Lobby

Row = dict[str, Any]

#: How many instances there are, and how many seconds ``auto`` and the searches after it have.
INSTANCES, SECONDS, LONGER = 200, 1.0, 60.0

#: What nobody could tell: so many of the players' standard deviations in the root mean square of the teams.
NEAR = 0.02

#: Teams times lobbies up to which ``exact`` is asked for a proof within some seconds, and with more of them.
PROVABLE, PROOF, WITH_LIMIT = 20_000, 5.0, 10.0


HEAD = """\
# Tournaments: 14 to 300 players in teams of three to five

`python -m benchmarks tournaments` measured this, `--report` wrote it; do not edit.

- The instances are drawn from their numbers: five families of skill, one to six lobbies, \
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


def main() -> int:
    """Read the arguments and do what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--longer", type=float, default=LONGER, metavar="SECONDS", help="for a reference")
    parser.add_argument(
        "--instances", type=int, default=INSTANCES, metavar="N", help="how many, from the first"
    )
    parser.add_argument("--resume", action="store_true", help="go on with a run that was not finished")
    add_modes(parser)
    given = parser.parse_args()
    page, path = PAGES / "TOURNAMENTS.md", RAW / "tournaments.json"
    known: Row = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def save(results: Row) -> None:
        path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")

    return keep(
        given, path, page,
        lambda: measure(known, given.instances, given.longer, save, resume=given.resume), report
    )  # fmt: skip


#: Families of skill, with a standard deviation of about 1 each.
FAMILIES = ("normal", "uniform", "gamma", "lognormal", "whole numbers")


@dataclass(frozen=True)
class Processor:
    """A stopping criterion by processor time."""

    end: float

    def __call__(self) -> bool:
        """Tell whether the time is up."""
        return time.process_time() >= self.end

    def left(self) -> float:
        """Return the seconds until then."""
        return max(self.end - time.process_time(), 0.0)

    def part(self, share: float) -> Processor:
        """Return the criterion after a share of what is left."""
        return Processor(time.process_time() + share * self.left())


def within(seconds: float) -> Processor:
    """Return the criterion that holds after so much processor time from now."""
    return Processor(time.process_time() + seconds)


def skills(rng: np.random.Generator, family: str, n: int) -> list[float]:
    """Return the skills of n players."""
    drawn = {
        "normal": lambda: rng.normal(5.0, 1.0, n),
        "uniform": lambda: rng.uniform(3.3, 6.7, n),
        "gamma": lambda: rng.gamma(6.0, 0.4, n),
        "lognormal": lambda: 1.4 * np.exp(rng.normal(0.0, 0.6, n)),
        "whole numbers": lambda: np.rint(rng.normal(1200.0, 400.0, n)),
    }[family]()
    return [float(skill) for skill in drawn]


def tournament(seed: int) -> dict[str, Any]:
    """Return the arguments of ``fill`` for one instance.

    Parties are there in two of three, limits on the lobbies' numbers of teams in half, players barred from
    a lobby in a fifth, smaller teams, means and absolute deviations in some.

    Parameters
    ----------
    seed : int
        Of the only randomness.
    """
    rng = np.random.default_rng([seed, 16])
    family = FAMILIES[seed % len(FAMILIES)]
    n = int(np.exp(rng.uniform(np.log(14), np.log(301))))
    team_size = int(rng.integers(3, 6))
    skill = skills(rng, family, n)
    names = [f"p{k}" for k in range(n)]
    per_player = bool(rng.random() < 0.15)
    min_size = team_size - 1 if rng.random() < 0.15 else team_size
    teams = n // team_size
    lobbies = int(min(rng.integers(1, 7), max(teams // 2, 1)))
    unit = 1.0 if per_player else float(team_size)
    mean, spread = float(np.mean(skill)), float(np.std(skill))
    # Targets as far apart as teams of random players are, and up to twice as far.
    apart = rng.uniform(0.5, 2.0) * spread * np.sqrt(team_size) * unit / team_size
    targets = mean * unit + apart * (np.arange(lobbies) - (lobbies - 1) / 2.0)
    least, most = 0, None
    if rng.random() < 0.5:
        least, most = int(0.5 * teams / lobbies), int(np.ceil(1.6 * teams / lobbies))
    made = [Lobby(f"L{k}", float(np.round(target, 4)), least, most) for k, target in enumerate(targets)]
    parties, at = [], 0
    share = rng.choice([0.0, 0.2, 0.5])
    order = rng.permutation(n)
    while at < share * n:
        size = int(rng.integers(2, team_size + 1))
        parties.append([names[k] for k in order[at : at + size]])
        at += size
    barred = {}
    if lobbies > 1 and rng.random() < 0.2:
        barred = {names[k]: [made[-1].name] for k in rng.choice(n, n // 10, replace=False)}
    return {
        "players": dict(zip(names, skill, strict=True)),
        "lobbies": made,
        "team_size": team_size,
        "min_size": min_size,
        "zero": 0.0,
        "parties": [party for party in parties if len(party) > 1],
        "barred": barred,
        "deviation": "absolute" if rng.random() < 0.15 else "squared",
        "per_player": per_player,
    }


#: Instances on which plans or bounds were poor once, by name.
CASES = (
    "37 in threes, two lobbies",
    "14 in fives, two lobbies",
    "60 in threes, two allowed",
    "3,000 in threes, two allowed",
    "300 in pairs, a tenth barred from the top",
    "3,000 in pairs, a tenth barred from the top",
    "301 in pairs, one waits",
    *(f"3,000 in pairs, {lobbies} lobbies" for lobbies in (10, 30, 100)),
    *(
        f"{n:,} in {words}, {family}"
        for family in ("normal .3", "lognormal .6", "whole numbers")
        for n in (3_000, 30_000)
        for words in ("threes", "fives")
    ),
)

#: Players a team, by the word of a case.
_SIZES = {"pairs": 2, "threes": 3, "fives": 5}


def case(name: str) -> dict[str, Any]:
    """Return the arguments of ``fill`` for a case of :data:`CASES`.

    Parameters
    ----------
    name : str
        Its first number is how many players there are.
    """
    from equipoise.lobbies.sample_instances import MEAN_TEAM, scaled

    words = name.replace(",", "").split()
    team_size = _SIZES[words[2]]
    n = int(words[0])
    rng = np.random.default_rng([n, team_size, 3])
    targets = [target * team_size / 2.0 for target in (4.25, 5.0, 5.75)]
    teams = n // team_size
    limits = (teams * 48 // 150, -(-teams * 52 // 150))
    given: dict[str, Any] = {"team_size": team_size}
    if "two" in words and "lobbies" in words:
        skill = rng.normal(1200.0, 400.0, n)
        lobbies = [Lobby("low", 1000.0 * team_size), Lobby("high", 1400.0 * team_size)]
    elif words[-1] == "lobbies":
        skill, many = rng.normal(MEAN_TEAM / 2, 0.6, n), int(words[-2])
        each = teams / many
        lobbies = [
            Lobby(f"L{k}", float(targets[0] + (targets[2] - targets[0]) * k / (many - 1)), int(0.9 * each),
                  int(1.1 * each) + 1) for k in range(many)
        ]  # fmt: skip
    elif words[-1] == "numbers":
        skill = np.rint(rng.normal(25.0, 8.0, n))
        lobbies = [Lobby(k, float(round(10 * x)), *limits) for k, x in zip("ABC", targets, strict=True)]
    elif words[-1] in (".3", ".6"):
        drawn = rng.normal(0.0, float(words[-1]), n)
        skill = MEAN_TEAM / 2 * np.exp(drawn) if "lognormal" in words else MEAN_TEAM / 2 + drawn
        skill += MEAN_TEAM / 2 - skill.mean()
        lobbies = [Lobby(k, x, *limits) for k, x in zip("ABC", targets, strict=True)]
    else:
        made = scaled(0, n, team_size)
        skill, lobbies = np.array(list(made.players.values())), list(made.lobbies)
        if "allowed" in words:
            given["min_size"] = 2
        if "barred" in words:
            given["barred"] = {f"p{k}": ["C"] for k in rng.choice(n, n // 10, replace=False)}
    given["players"] = {f"p{k}": float(x) for k, x in enumerate(skill)}
    return {**given, "lobbies": lobbies}
