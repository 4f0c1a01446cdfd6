"""Measure ratings: ``python -m benchmarks ratings`` writes ``ratings.json`` and from it ``RATINGS.md``.

``--histories`` measures only what histories say, ``--default`` that of the default model alone,
``--throughput`` only how fast it is;
``--report`` only writes the report anew; ``--check`` writes nothing and exits with 1 where it is stale.
The same results give the same report, byte for byte.  Needs openskill; ``--history FILE`` is a match file to
predict, by default the one this was tried on, which may not be copied into the project.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from benchmarks.ratings.histories import (
    FOLDER,
    measure_default,
    measure_histories,
    report_default,
    report_histories,
)
from benchmarks.reporting import PAGES, RAW, ROOT, add_modes, keep

from equipoise.core.compiled import compiled
from equipoise.core.match import Contest, Match, Ruleset, Statistics
from equipoise.core.player import Rating
from equipoise.ratings import weng_lin_kernels as kernels
from equipoise.ratings.history_columns import Columns
from equipoise.ratings.lab.simulation import rank_correlation, simulate
from equipoise.ratings.ladder import Ladder
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.ratings.models.gaussian_filter.model import GaussianFilter
from equipoise.ratings.models.weng_lin import BradleyTerry
from equipoise.ratings.rate_one_match import rate
from equipoise.ratings.replay import replay

RESULTS, REPORT = RAW / "ratings.json", PAGES / "RATINGS.md"
HISTORY = FOLDER / "cwl.npz"

#: Players, contests from columns, from matches, and one by one; how often a time is taken: the best counts.
PLAYERS, MANY, SOME, FEW, TIMES = 5000, 60_000, 5000, 600, 5

#: What must be reached.
SPEED_BARS = {
    "closed form, from columns": 300.0,
    "the default mixture on all channels, from columns": 100.0,
    "closed form, from matches": 10.0,
    "the default mixture on all channels, from matches": 6.0,
    "`Ladder.record`, from lists": 2.0,
    "`equipoise.rate`": 1.2,
    "`Ladder.predict_many`, from indices": 5.0,
    "`Ladder.predict_many`, from ids": 2.0,
}

#: Microseconds that questions to a ladder of so many players may take.
BOARD, QUESTION_BARS = (
    20_000,
    {
        "`Ladder.predict`": 10.0,
        "`Ladder.leaderboard(first=100)` after a game": 2000.0,
        "`Ladder.leaderboard_columns()` after a game": 5000.0,
    },
)
LOG_LOSS, SLOPES, ECE, CORRELATION = 0.6555, (0.85, 1.15), 0.03, 0.75

#: Elo's K and scale with the least log-loss on the first 40 % are searched among these.
ELO_K, ELO_SCALE = (4.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0), (100.0, 200.0, 300.0, 400.0, 600.0)


class Run(NamedTuple):
    """What is timed, and how many contests it is."""

    once: Callable[[], None]
    count: int


def line_ups(count: int, seats: int) -> Any:
    """Return players of random contests: some come far more often than others."""
    rng = np.random.default_rng(0)
    chance = (1.0 + np.arange(PLAYERS)) ** -0.6
    keys = np.log(chance)[None, :] + rng.gumbel(size=(count, PLAYERS)).astype(np.float32)
    return np.argpartition(-keys, seats, axis=1)[:, :seats].astype(np.int64)


class Played(NamedTuple):
    """Random contests as arrays: who played, ranks, scores and figures."""

    players: Any
    ranks: Any
    scores: Any
    figures: Any


def played(players: Any) -> Played:
    """Return random results, scores and statistics of contests of two teams."""
    rng = np.random.default_rng(1)
    count = len(players)
    ranks = rng.permuted(np.tile(np.arange(2), (count, 1)), axis=1)
    scores = np.where(ranks == 0, 50, rng.integers(0, 50, (count, 1)))
    line_up = players.reshape(count, 2, -1)
    return Played(line_up, ranks, scores, rng.normal(0.0, 0.6, line_up.shape))


def columns_run(model: Any, given: Played, *, channels: bool) -> Run:
    """Return a run of ``replay`` over columns of arrays of indices, prediction and update."""
    more = {"scores": given.scores, "figures": given.figures} if channels else {}
    columns = Columns.of(given.players, given.ranks, **more)

    def once() -> None:
        replay(model, columns)

    return Run(once, len(columns))


def matches_run(model: Any, given: Played, *, channels: bool) -> Run:
    """Return a run of ``replay`` over matches, with scores and everyone's kills and deaths where wanted."""
    made = []
    for n, teams in enumerate(given.players.tolist()):
        ids = [[f"p{player}" for player in team] for team in teams]
        scores = given.scores[n].tolist() if channels else ()
        reports = [Statistics(who, (17 * n + k) % 23, 9) for k, who in enumerate([*ids[0], *ids[1]])]
        contest = Contest(
            Ruleset(), ids, given.ranks[n].tolist(), at=float(n), scores=scores,
            statistics=reports if channels else (),
        )  # fmt: skip
        made.append(Match((contest,)))

    def once() -> None:
        replay(model, made)

    return Run(once, len(made))


def rate_run(given: Played) -> Run:
    """Return a run of ``equipoise.rate``, the ratings kept between the matches."""
    line_up, ranks = given.players.tolist(), given.ranks.tolist()

    def once() -> None:
        known: dict[int, Rating] = {}
        new = Rating(25.0, 25.0 / 3.0)
        for teams, order in zip(line_up, ranks, strict=True):
            after = rate([[known.get(player, new) for player in team] for team in teams], order)
            for team, rated in zip(teams, after, strict=True):
                known.update(zip(team, rated, strict=True))

    return Run(once, len(line_up))


def ladder_run(given: Played) -> Run:
    """Return a run of ``Ladder.record`` from lists of ids, over players who have all played before."""
    ladder = Ladder()
    rows = [[[f"p{player}" for player in team] for team in teams] for teams in given.players.tolist()]
    everyone = [f"p{n}" for n in range(PLAYERS)]
    ladder.record(Contest(Ruleset(), (everyone[::2], everyone[1::2]), (1, 2), at=-1.0))
    ranks = given.ranks.tolist()

    def once() -> None:
        for teams, order in zip(rows, ranks, strict=True):
            ladder.record(Contest(Ruleset(), teams, order))

    return Run(once, len(rows))


def predict_runs(given: Played) -> list[Run]:
    """Return runs of ``Ladder.predict_many`` from indices and from ids, of players who have played before."""
    ladder, places = Ladder(), given.players
    everyone = [f"p{n}" for n in range(PLAYERS)]
    ladder.record(Contest(Ruleset(), (everyone[::2], everyone[1::2]), (1, 2), at=0.0))
    rows = [[[everyone[player] for player in team] for team in teams] for teams in places.tolist()]
    return [
        Run(lambda: ladder.predict_many(places, ids=everyone), len(rows)),
        Run(lambda: ladder.predict_many(rows), len(rows)),
    ]


def question_times(times: int = 30) -> list[dict[str, Any]]:
    """Measure what questions to a ladder of many players take, by the least processor time of several."""
    ladder, everyone = Ladder(), [f"p{n}" for n in range(BOARD)]
    rng = np.random.default_rng(2)
    ctf = Ruleset("ut2004", "ctf")
    ladder.record(Contest(ctf, (everyone[::2], everyone[1::2]), (1, 2), at=0.0))

    def line_up() -> list[list[str]]:
        players = [everyone[n] for n in rng.choice(BOARD, 10, replace=False).tolist()]
        return [players[:5], players[5:]]

    asked = [line_up() for _ in range(500)]
    calls: list[Callable[[], object]] = [
        lambda: [ladder.predict(teams) for teams in asked],
        lambda: ladder.leaderboard(first=100),
        ladder.leaderboard_columns,
    ]
    found = []
    for (kind, _), call, many in zip(QUESTION_BARS.items(), calls, (len(asked), 1, 1), strict=True):
        taken = []
        for n in range(times):
            ladder.record(Contest(ctf, line_up(), (1, 2), at=float(1 + n + 1000 * len(found))))
            start = time.process_time()
            call()
            taken.append((time.process_time() - start) / many)
        found.append({"kind": kind, "microseconds": 1e6 * min(taken)})
    return found


def predict_win_run(given: Played) -> Run:
    """Return a run of ``predict_win`` of openskill with its objects kept."""
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    known = [model.rating() for _ in range(PLAYERS)]
    rows = [[[known[player] for player in team] for team in teams] for teams in given.players.tolist()]

    def once() -> None:
        for teams in rows:
            model.predict_win(teams)

    return Run(once, len(rows))


def openskill_run(given: Played, name: str) -> Run:
    """Return a run of ``openskill.rate`` with its objects kept."""
    from openskill import models

    model = getattr(models, name)()
    line_up, ranks = given.players.tolist(), given.ranks.tolist()

    def once() -> None:
        known: dict[int, Any] = {}
        for teams, order in zip(line_up, ranks, strict=True):
            groups = [[known.get(player) or model.rating() for player in team] for team in teams]
            for team, rated in zip(teams, model.rate(groups, ranks=order), strict=True):
                known.update(zip(team, rated, strict=True))

    return Run(once, len(line_up))


def rates(runs: Sequence[Run], times: int = TIMES) -> list[float]:
    """Return contests a second of each, by the least processor time of several; the first is not counted.

    They take turns, so that a time in which the processor is slow is one for all of them.
    """
    taken: list[list[float]] = [[] for _ in runs]
    for turn in range(times + 1):
        for run, seconds in zip(runs, taken, strict=True):
            start = time.process_time()
            run.once()
            if turn:
                seconds.append(time.process_time() - start)
    return [run.count / min(seconds) for run, seconds in zip(runs, taken, strict=True)]


def speeds() -> list[dict[str, Any]]:
    """Measure public calls and openskill, all in turns of one run."""
    given = played(line_ups(MANY, 10))
    few = Played(*(column[:FEW] for column in given))
    some = Played(*(column[:SOME] for column in given))
    indices, ids = predict_runs(some)
    kinds: list[tuple[str, Run, str]] = [
        ("closed form, from columns", columns_run(BradleyTerry(), given, channels=False), "BradleyTerryFull"),
        ("the default mixture on all channels, from columns",
         columns_run(Mixture(), given, channels=True), "PlackettLuce"),
        ("closed form, from matches", matches_run(BradleyTerry(), some, channels=False), "BradleyTerryFull"),
        ("the default mixture on all channels, from matches",
         matches_run(Mixture(), some, channels=True), "PlackettLuce"),
        ("`Ladder.record`, from lists", ladder_run(few), "PlackettLuce"),
        ("`equipoise.rate`", rate_run(few), "PlackettLuce"),
        ("`Ladder.predict_many`, from indices", indices, "predict_win"),
        ("`Ladder.predict_many`, from ids", ids, "predict_win"),
    ]  # fmt: skip
    compiled(kernels.play)  # loads numba: as of a process that has rated before
    peers = {name: openskill_run(few, name) for name in ("BradleyTerryFull", "PlackettLuce")}
    peers["predict_win"] = predict_win_run(some)
    measured = rates([*(run for _, run, _ in kinds), *peers.values()])
    ours, theirs = measured[: len(kinds)], dict(zip(peers, measured[len(kinds) :], strict=True))
    return [
        {"kind": kind, "peer": peer, "ours": mine, "kept": theirs[peer]}
        for (kind, _, peer), mine in zip(kinds, ours, strict=True)
    ]


def load() -> list[float]:
    """Return how many processes the machine ran or held back, on average of 1 and 15 minutes."""
    return [round(each, 1) for each in os.getloadavg()[::2]]


def predictions(history: Path) -> dict[str, Any]:
    """Measure the predictions of all models, of the default one without channels, and of tuned Elo."""
    from dataclasses import replace

    from equipoise.core.match import Match
    from equipoise.core.registry import MODELS, resolve
    from equipoise.files.read_matches import read_matches
    from equipoise.ratings.lab.evaluation import evaluate
    from equipoise.ratings.models.elo import Elo

    matches = [match for match in read_matches(str(history)) if isinstance(match, Match)]
    plain = [
        replace(match, contests=tuple(replace(c, scores=(), statistics=()) for c in match.contests))
        for match in matches
    ]
    early = plain[: int(0.4 * len(plain))]
    elos = [Elo(k=k, scale=scale) for k in ELO_K for scale in ELO_SCALE]
    elo = min(elos, key=lambda model: evaluate(model, early, 0.2).metrics.log_loss)
    models = {name: resolve("model", MODELS, name)() for name in MODELS}
    rows = {name: evaluate(model, matches) for name, model in models.items()}
    rows["default, results only"] = evaluate(models["default"], plain)
    rows[f"elo, K {elo.k:g} and scale {elo.scale:g} tuned on the first 40 %"] = evaluate(elo, plain)
    return {name: row.metrics.as_dict() for name, row in rows.items()}


def convergence() -> list[dict[str, Any]]:
    """Measure the rank correlation with the truth after some games of each of 400 new players."""
    rows = []
    for channels in ("results only", "with scores", "with scores and statistics"):
        for games in (5, 10, 20):
            found = []
            for seed in range(3):
                history = simulate(
                    np.random.default_rng(seed),
                    games=games,
                    scores=channels != "results only",
                    statistics=channels.endswith("statistics"),
                )
                model = GaussianFilter()
                state = replay(model, history.matches)
                mu = np.array([model.rating(state, player).mu for player in history.truth])
                found.append(rank_correlation(mu, np.array(list(history.truth.values()))))
            rows.append({"channels": channels, "games": games, "correlation": statistics.mean(found)})
    return rows


def now() -> dict[str, str]:
    """Return the date and the commit."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"],  # noqa: S607  # whichever git is there
        cwd=ROOT, capture_output=True, text=True, check=False,
    ).stdout.strip()  # fmt: skip
    return {"date": time.strftime("%Y-%m-%d", time.gmtime()), "commit": commit}


def measure(history: Path) -> dict[str, Any]:
    """Return all results."""
    return {
        **now(),
        "versions": {name: version(name) for name in ("equipoise", "numpy", "numba", "openskill")},
        "history": history.name,
        "speeds": speeds(),
        "questions": question_times(),
        "load": load(),
        "predictions": predictions(history) if history.exists() else {},
        "convergence": convergence(),
        "histories": measure_histories() if history.exists() else {},
    }


def remeasured(part: str) -> dict[str, Any]:
    """Return the kept results with a part of them measured anew."""
    kept: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    made = {"histories": measure_histories, "speeds": speeds, "default": measure_default}
    measured = {part: made[part]()}
    if part == "speeds":  # which has loaded numba
        measured |= {"questions": question_times(), "load": load()}
    return {**kept, **now(), **measured}


def report(results: dict[str, Any]) -> str:
    """Return the report of results."""
    versions = ", ".join(f"{name} {number}" for name, number in results["versions"].items())
    lines = [
        "# Benchmark results: ratings",
        "",
        "`python -m benchmarks ratings` measured and wrote this; do not edit.",
        "All figures of a table are of one run, on one core.",
        "",
        f"- Date: {results['date']}; commit {results['commit']}.",
        f"- Versions: {versions}.",
        "",
        "## Bars",
        "",
        *_table(("What", "Bar", "Measured", "Met"), _bars(results)),
        "",
        "## Throughput",
        "",
        f"Random 5 v 5 of {PLAYERS} players, some of whom play far more often than others.",
        "Public calls beside `rate` of openskill with its objects kept, in turns of one run.",
        "openskill learns from results alone; on all channels are scores and everyone's statistics too.",
        f"The best processor time of {TIMES} turns counts: {MANY} contests from columns (`Columns.of`),",
        f"{SOME} from matches, {FEW} one by one, by `Ladder` of the default mixture, and of openskill.",
        f"{SOME} line-ups of known players for `Ladder.predict_many` and openskill's `predict_win`.",
        "",
        *_table(
            ("Call, contests a second", "ours", "openskill", "Ratio"),
            [
                (
                    row["kind"],
                    f"{row['ours']:,.0f}",
                    f"{row['kept']:,.0f} (`{row['peer']}`)",
                    _times(row["ours"] / row["kept"]),
                )
                for row in results["speeds"]
            ],
        ),
        "",
        f"Questions to a ladder of {BOARD} players, of which the last game is new: the least processor time.",
        f"The machine's load was {results['load'][0]}, and {results['load'][1]} over 15 minutes.",
        "",
        *_table(
            ("Call", "microseconds"),
            [(row["kind"], f"{row['microseconds']:,.1f}") for row in results["questions"]],
        ),
        "",
        "## Prediction",
        "",
        f"Progressive validation on `{results['history']}`: each contest is predicted from those before it.",
        "The first 40 % are learnt from but not scored.",
        "",
        *_table(
            ("Model", "n", "log-loss", "Brier", "accuracy", "calibration slope", "ECE"),
            [
                (name, f"{row['n']}", f"{row['log_loss']:.4f}", f"{row['brier']:.4f}",
                 f"{100 * row['accuracy']:.1f} %", f"{row['calibration_slope']:.2f}", f"{row['ece']:.3f}")
                for name, row in results["predictions"].items()
            ],
        ),
        "",
        "## Convergence",
        "",
        ("Rank correlation with the truth of 400 new players in random teams of 5 "
        "(`equipoise.ratings.lab.simulation`)."),
        "Each figure is the mean of three seeds.",
        "",
        *_table(
            ("Channels", "Games of each player", "Spearman's rank correlation"),
            [
                (row["channels"], str(row["games"]), f"{row['correlation']:.3f}")
                for row in results["convergence"]
            ],
        ),
        "",
        *(report_default(results) if results.get("default") else ()),
        *(report_histories(results["histories"]) if results.get("histories") else ()),
    ]  # fmt: skip
    return "\n".join(lines)


def _bars(results: dict[str, Any]) -> list[tuple[str, ...]]:
    rows = []
    for row in results["speeds"]:
        ratio, bar = row["ours"] / row["kept"], SPEED_BARS[row["kind"]]
        rows.append((f"throughput, {row['kind']}", f"at least {bar:,g}×", _times(ratio), _yes(ratio >= bar)))
    for row in results["questions"]:
        taken, bar = row["microseconds"], QUESTION_BARS[row["kind"]]
        rows.append((f"time, {row['kind']}", f"below {bar:,g} µs", f"{taken:,.1f} µs", _yes(taken < bar)))
    predictions = results["predictions"]
    if predictions:
        ours = predictions["default"]
        loss, slope, ece = ours["log_loss"], ours["calibration_slope"], ours["ece"]
        elo = next(row["log_loss"] for name, row in predictions.items() if name.startswith("elo, "))
        plain = predictions["default, results only"]["log_loss"]
        rows += [
            ("log-loss", f"at most {LOG_LOSS}", f"{loss:.4f}", _yes(loss <= LOG_LOSS)),
            ("calibration slope", f"{SLOPES[0]} to {SLOPES[1]}", f"{slope:.2f}",
             _yes(SLOPES[0] <= slope <= SLOPES[1])),
            ("expected calibration error", f"below {ECE}", f"{ece:.3f}", _yes(ece < ECE)),
            ("log-loss, results only", f"at most tuned Elo's {elo:.4f}", f"{plain:.4f}", _yes(plain <= elo)),
        ]  # fmt: skip
    five = next(
        row["correlation"]
        for row in results["convergence"]
        if row["games"] == 5 and row["channels"].endswith("statistics")
    )
    rows.append(
        (
            "rank correlation after five games",
            f"at least {CORRELATION}",
            f"{five:.3f}",
            _yes(five >= CORRELATION),
        )
    )
    return rows


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}×" if ratio >= 100.0 else f"{ratio:.1f}×"


def _yes(met: bool) -> str:
    return "yes" if met else "**no**"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *rows)]


def main() -> int:
    """Measure, report or check."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_modes(parser)
    parser.add_argument("--history", type=Path, default=HISTORY, help="a match file to predict")
    parser.add_argument("--histories", action="store_true", help="measure only what histories say anew")
    parser.add_argument("--throughput", action="store_true", help="measure only throughput anew")
    parser.add_argument("--default", action="store_true", help="measure only the default on histories anew")
    given = parser.parse_args()

    def made() -> dict[str, Any]:
        for part in ("histories", "default"):
            if getattr(given, part):
                return remeasured(part)
        if given.throughput:
            return remeasured("speeds")
        return measure(given.history)

    return keep(given, RESULTS, REPORT, made, report)
