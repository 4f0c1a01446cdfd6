"""Whether every proof is true: 20,000 random requests against an oracle in fractions.

``python -m benchmarks proofs`` asks and judges all of them and writes ``PROOFS.md``; ``--count N`` does so
with the first N alone.  ``--verdicts FILE`` keeps what was judged: run again, it asks everything again and
judges only other answers, or all if the oracle is another.  ``--before SRC`` asks the equipoise in a folder
of sources, such as that of an older commit, and keeps which of the requests it proved truly, for later runs
to compare with.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import astuple, dataclass
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.reporting import PAGES, PEERS, RAW, add_modes, keep
from benchmarks.teams.random_requests import SEED, question

from equipoise import verification
from equipoise.verification.exact_numbers import Real, UndecidedError
from equipoise.verification.objective_values import shown, teams_of, value
from equipoise.verification.optimum import Optimum, broken, front, optimum
from equipoise.verification.question import Question, Stage, read
from equipoise.verification.receipt_check import RoundingBound, shortfalls

COUNT = 20_000

#: What the commit that is compared with took for granted: a player of weight 0 makes no difference.
BEFORE = {"zero": 0.0}

#: The modules that the oracle is made of: verdicts of another one are not taken.
MODULES = ("exact_numbers", "objective_values", "optimum", "question", "receipt_check")
ORACLE = sha256(
    b"".join(Path(*verification.__path__, f"{name}.py").read_bytes() for name in MODULES)
).hexdigest()[:16]

#: Requests whose answers one process gives before the next one begins.
CHUNK = 200


@dataclass(frozen=True)
class Verdict:
    """What is to be said of an answer.

    Parameters
    ----------
    kind : str
        ``"proven"`` or ``"infeasible"`` and true, ``"unproven"``, ``"refused"``, ``"undecided"``,
        ``"false"`` or ``"fault"``.
    why : str
        What is false.
    excess : dict of str to float
        By how much each stage is worse than the exact optimum, relative to the size of its numbers.
    """

    kind: str
    why: str = ""
    excess: tuple[tuple[str, float], ...] = ()


def answers(asked: Sequence[dict[str, Any]], source: str = "") -> Iterator[dict[str, Any]]:
    """Ask the equipoise in a folder of sources, by default the one that Python finds."""
    environment = {**os.environ, **({"PYTHONPATH": source} if source else {})}
    for start in range(0, len(asked), CHUNK):
        lines = "\n".join(map(json.dumps, asked[start : start + CHUNK]))
        done = subprocess.run(
            [sys.executable, PEERS / "answer_requests.py"],
            input=lines, capture_output=True, text=True, check=True, env=environment,
        )  # fmt: skip
        yield from map(json.loads, done.stdout.splitlines())


class Truth:
    """What is true of one request, worked out once for all answers to it."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self.pair = asked.get("pareto")
        plain = {name: field for name, field in asked.items() if name != "pareto"}
        self.question: Question = read({**plain, "objective": self.pair} if self.pair else plain)
        if self.pair:
            self.front = front(self.question, *self.pair)
        else:
            self.best = optimum(self.question)
        self.rounding = RoundingBound(self.question)

    def verdict(self, answer: dict[str, Any]) -> Verdict:
        """Judge an answer."""
        if "fault" in answer:
            return Verdict("fault", answer["fault"])
        if "refused" in answer:
            return Verdict("refused", answer["refused"])
        if self.pair:
            return self._of_front(answer)
        if answer["status"] == "infeasible":
            if self.best.costs:
                return Verdict("false", "said to be infeasible")
            return Verdict("infeasible")
        if answer["teams"] is None:
            return Verdict("unproven")
        rules = broken(self.question, answer["teams"])
        if rules:
            return Verdict("false", f"breaks rules: {'; '.join(rules)}")
        if not _finite(answer["value"]) or not _finite(answer["bound"]):
            return Verdict("false", f"value {answer['value']}, bound {answer['bound']}")
        return self._of_values(answer)

    def _of_values(self, answer: dict[str, Any]) -> Verdict:
        stages = self.question.stages
        costs = [value(self.question, stage, answer["teams"]) for stage in stages]
        last = shown(stages[-1], costs[-1])
        off = self.rounding.reported(stages[-1], teams_of(self.question, answer["teams"]))
        if abs(Fraction(answer["value"]) - last.rounded()) > off:
            return Verdict("false", f"value {answer['value']!r} is said, {float(last)!r} is true")
        if answer["status"] != "optimal":
            return self._of_bound(answer)
        excess = []
        found, _ = shortfalls(self.question, answer["teams"], self.best, self.rounding, self._again)
        for shortfall in found:
            stage, cost, least, beyond, error = shortfall
            excess.append((stage.name or "sum", float(beyond / error) if error else 0.0))
            if not shortfall.explained:
                return Verdict(
                    "false", f"{stage.terms}: {float(cost)!r}, {float(least)!r} is best", tuple(excess)
                )
        if abs(answer["bound"] - answer["value"]) > float(self.rounding.error(stages[-1])):
            return Verdict("false", f"bound {answer['bound']} of {answer['value']}")
        return Verdict("proven", "", tuple(excess))

    def _again(self, let: Sequence[Real]) -> Optimum:
        return optimum(self.question, let=let)

    def _of_bound(self, answer: dict[str, Any]) -> Verdict:
        stage = self.question.stages[-1]
        best = shown(stage, self.best.costs[-1]).rounded()
        beyond = Fraction(answer["bound"]) - best
        if (-beyond if stage.name == "ratio" else beyond) > self.rounding.error(stage):
            return Verdict("false", f"bound {answer['bound']!r}, but {float(best)!r} is there")
        return Verdict("unproven")

    def _of_front(self, answer: dict[str, Any]) -> Verdict:
        stages = [Stage(((name, Fraction(1)),)) for name in self.pair]
        errors = [self.rounding.error(stage) for stage in stages]
        if not self.front:
            return (
                Verdict("infeasible") if answer["complete"] and not answer["points"] else Verdict("unproven")
            )
        exact = []
        for said, teams in answer["points"]:
            rules = broken(self.question, teams)
            if rules:
                return Verdict("false", f"breaks rules: {'; '.join(rules)}")
            point = [value(self.question, stage, teams) for stage in stages]
            numbers = teams_of(self.question, teams)
            for number, stage, cost in zip(said, stages, point, strict=True):
                off = abs(Fraction(number) - shown(stage, cost).rounded())
                if off > self.rounding.reported(stage, numbers):
                    return Verdict(
                        "false", f"value {number!r} is said, {float(shown(stage, cost))!r} is true"
                    )
            exact.append(point)
        if not answer["complete"]:
            return Verdict("unproven")
        known = [[number.rounded() for number in point] for point in self.front]
        given = [[number.rounded() for number in point] for point in exact]
        for point in known:
            if not any(all(x <= y + e for x, y, e in zip(g, point, errors, strict=True)) for g in given):
                return Verdict("false", f"misses the point {[float(x) for x in point]}")
        for number, point in enumerate(exact):
            others = (other for n, other in enumerate(exact) if n != number)
            if any(all(x <= y for x, y in zip(other, point, strict=True)) for other in others):
                return Verdict("false", f"has the point {[float(x) for x in point]} without need")
        return Verdict("proven")


def _finite(number: Any) -> bool:
    return isinstance(number, int | float) and abs(number) < float("inf")


def judged(
    count: int, jobs: int, source: str = "", verdicts: Path | None = None
) -> Iterator[tuple[int, Verdict, dict[str, Any]]]:
    """Ask the first requests of the equipoise in a folder of sources, and judge the answers.

    Parameters
    ----------
    count, jobs : int
        How many requests, and how many processes judge.
    source : str
        The folder; by default that of the equipoise that Python finds.
    verdicts : Path, optional
        Where verdicts are kept, and read from: the same answer is judged once.

    Yields
    ------
    tuple of (int, Verdict, dict)
        The request's number, the verdict, and the answer.
    """
    known = {} if verdicts is None else _kept(verdicts)
    numbers = [range(first, min(first + CHUNK, count)) for first in range(0, count, CHUNK)]
    parts = [(part, source, {n: known[n] for n in part if n in known}) for part in numbers]
    with ExitStack() as stack:
        out = stack.enter_context(verdicts.open("a", encoding="utf-8")) if verdicts else None
        results = stack.enter_context(ProcessPoolExecutor(jobs)).map if jobs > 1 else map
        for part in results(_judged, parts):
            if out is not None:
                new = (entry for entry in part if known.get(entry[0]) != entry[1:])
                lines = ([number, ORACLE, *astuple(verdict), reply] for number, verdict, reply in new)
                out.writelines(json.dumps(line) + "\n" for line in lines)
                out.flush()
            yield from part


def _kept(verdicts: Path) -> dict[int, tuple[Verdict, dict[str, Any]]]:
    """Return the verdicts and answers of a file that are of this oracle."""
    lines = verdicts.read_text(encoding="utf-8").splitlines() if verdicts.exists() else []
    return {
        number: (Verdict(kind, why, tuple(map(tuple, excess))), reply)
        for number, oracle, kind, why, excess, reply in map(json.loads, lines)
        if oracle == ORACLE
    }


def _judged(
    part: tuple[Sequence[int], str, dict[int, tuple[Verdict, dict[str, Any]]]],
) -> list[tuple[int, Verdict, dict[str, Any]]]:
    numbers, source, known = part
    asked = [question(number) for number in numbers]
    law = BEFORE if source else {}
    found = []
    for number, given, reply in zip(numbers, asked, answers(asked, source), strict=True):
        before, to = known.get(number, (None, None))
        found.append((number, before if before and to == reply else verdict({**given, **law}, reply), reply))
    return found


def verdict(asked: dict[str, Any], reply: dict[str, Any]) -> Verdict:
    """Judge an answer."""
    try:
        return Truth(asked).verdict(reply)
    except UndecidedError as error:
        return Verdict("undecided", str(error))


#: What a request asks for, and what it has besides.
KINDS = ("one objective", "two in order", "three in order", "a weighted sum", "a Pareto front")
EXTRAS = {
    "preferences": ("preferences", "side_price"),
    "roles": ("roles",),
    "custom rules": ("rules",),
    "bots": ("bots",),
    "parties, apart, fixed": ("parties", "apart", "fixed"),
    "sizes": ("sizes", "min_size", "max_difference"),
}
#: The number, verdict and answer of requests.
Judged = Iterable[tuple[int, Verdict, dict[str, Any]]]

#: Verdicts of answers that are proven and true, and of those that are not true.
TRUE, FALSE = ("proven", "infeasible"), ("false", "fault")


def kind_of(asked: dict[str, Any]) -> str:
    """Return what a request asks for."""
    objective = asked.get("objective")
    if "pareto" in asked:
        return KINDS[4]
    if isinstance(objective, dict):
        return KINDS[3]
    return KINDS[0] if isinstance(objective, str) else KINDS[len(objective) - 1]


def labels(asked: dict[str, Any]) -> list[str]:
    """Return the rows of the report that a request counts in."""
    weights = [abs(player["weight"]) for player in asked["players"] if player.get("weight")]
    largest = max(weights, default=1.0)
    rows = ["all", kind_of(asked), f"{asked.get('teams', 2)} teams"]
    rows += [row for row, fields in EXTRAS.items() if any(field in asked for field in fields)]
    rows += ["weights below 1e-3"] if largest < 1e-3 else []
    rows += ["weights above 1e6"] if largest > 1e6 else []
    rows += ["weights below 0"] if any(player.get("weight", 0) < 0 for player in asked["players"]) else []
    return rows


def before(judged: Judged, count: int) -> dict[str, Any]:
    """Return which requests were proven truly, and which answered falsely."""
    proven, false = 0, []
    for number, verdict, _ in judged:
        proven |= (verdict.kind in TRUE) << number
        false += [number] if verdict.kind in FALSE else []
    return {"seed": SEED, "count": count, "proven": f"{proven:x}", "false": false}


def measure(judged: Judged, count: int, known: dict[str, Any]) -> dict[str, Any]:
    """Count verdicts, and compare with what was proven before."""
    proven, false = int(known["proven"], 16), set(known["false"])
    rows: dict[str, Counter[str]] = {}
    worst: dict[str, float] = {}
    failures = []
    for number, verdict, reply in judged:
        asked, then = question(number), bool(proven >> number & 1)
        for row in labels(asked):
            counts = rows.setdefault(row, Counter())
            counts.update(["requests", verdict.kind])
            counts.update(["proven before"] * then + ["false before"] * (number in false))
            counts.update(["still proven"] * (then and verdict.kind in TRUE))
        for name, excess in verdict.excess:
            worst[name] = max(worst.get(name, 0.0), excess)
        if verdict.kind in FALSE:
            failures.append({"number": number, "why": verdict.why, "asked": asked, "answer": reply})
    return {
        "seed": SEED, "count": count, "before": known["count"],
        "rows": rows, "worst": worst, "failures": failures,
    }  # fmt: skip


#: What the page counts.
COUNTED = ("proven", "infeasible", "unproven", "refused", "undecided", "proven before", "false before")

#: The page before its table.
PAGE = """# Proofs

{count:,} random requests (seed {seed}), every answer judged by the oracle of `equipoise.verification`.
It goes through all splits in fractions, and weights mean the decimals that are written.
An answer is false if its split breaks a rule, a stage is worse than the exact optimum by more than
rounding explains, a tie is missed, a front lacks a point or has one too many, or a bound is wrong or
infinite.

**{false} false answers**; {proven:,} proven and true, {infeasible} infeasible and true,
{unproven} without a proof, {refused} refused, {undecided} that the oracle could not decide.
Of the first {before:,} of them, commit 80601d7 proved {proven_before:,} truly and answered {false_before}
falsely; {still:.2f} % of what it proved is still proven.

Made by `python -m benchmarks proofs{option}`{part}.
"""


def report(results: dict[str, Any]) -> str:
    """Return the page."""
    rows = results["rows"]
    whole = rows["all"]
    still = 100 * whole.get("still proven", 0) / max(whole.get("proven before", 0), 1)
    false = whole.get("false", 0) + whole.get("fault", 0)
    count = results["count"]
    lines = [
        PAGE.format(
            count=count, seed=results["seed"], false=false, still=still, before=min(results["before"], count),
            option="" if count == COUNT else f" --count {count}",
            part="" if count == COUNT else f"; without `--count` it asks and judges all {COUNT:,}",
            **{name.replace(" ", "_"): whole.get(name, 0) for name in COUNTED},
        ),
        f"| requests with | all | {' | '.join(COUNTED[:5])} | false | false before | still proven |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]  # fmt: skip
    order = ["all", *KINDS, "2 teams", "3 teams", "4 teams", *EXTRAS]
    order += [row for row in rows if row.startswith("weights")]
    for row in order:
        counts = rows.get(row, {})
        kept = f"{counts.get('still proven', 0)} of {counts.get('proven before', 0)}"
        figures = [counts.get(name, 0) for name in ("requests", *COUNTED[:5])]
        false = counts.get("false", 0) + counts.get("fault", 0)
        cells = [row, *figures, false, counts.get("false before", 0), kept]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    lines += [
        "",
        "The most that a stage of a proven answer was worse than the exact optimum, in errors of that size:",
        "",
        ", ".join(f"{name} {excess:.2g}" for name, excess in sorted(results["worst"].items())) + ".",
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    """Ask, judge and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_modes(parser)
    parser.add_argument("--count", type=int, default=COUNT, help="how many requests")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many processes")
    parser.add_argument(
        "--verdicts", type=Path, metavar="FILE", help="where verdicts are kept, to judge each answer once"
    )
    parser.add_argument("--before", default="", metavar="SRC", help="another version's folder of sources")
    given = parser.parse_args()
    results, earlier = RAW / "proofs.json", RAW / "proofs-before.json"
    verdicts = judged(given.count, given.jobs, given.before, given.verdicts)
    if given.before:
        earlier.write_text(json.dumps(before(verdicts, given.count)) + "\n", encoding="utf-8")
        return 0
    known = json.loads(earlier.read_text(encoding="utf-8"))
    status = keep(given, results, PAGES / "PROOFS.md", lambda: measure(verdicts, given.count, known), report)
    return status or int(bool(json.loads(results.read_text(encoding="utf-8"))["failures"]))
