"""Measure ratings: ``python -m benchmarks ratings`` writes ``ratings.json`` and from it ``RATINGS.md``.

``--histories`` measures only what histories say, ``--throughput`` only how fast it is;
``--report`` only writes the report anew; ``--check`` writes nothing and exits with 1 where it is stale.
The same results give the same report, byte for byte.  Needs openskill; ``--history FILE`` is a match file to
predict, by default the one this was tried on, which may not be copied into the project.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import time
from array import array
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from benchmarks.ratings.duels import play_duels
from benchmarks.ratings.histories import FOLDER, measure_histories, report_histories
from benchmarks.reporting import PAGES, RAW, ROOT, add_modes, keep

from equipoise.core.compiled import compiled
from equipoise.core.match import Contest, Ruleset
from equipoise.ratings.lab.simulation import rank_correlation, simulate
from equipoise.ratings.ladder import Ladder
from equipoise.ratings.models.gaussian_filter import kernels
from equipoise.ratings.models.gaussian_filter.contest_columns import Packed
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.ratings.models.gaussian_filter.model import Filters, GaussianFilter
from equipoise.ratings.replay import replay

RESULTS, REPORT = RAW / "ratings.json", PAGES / "RATINGS.md"
HISTORY = FOLDER / "cwl.npz"

#: Players, contests for a kernel, contests for openskill, and how often a time is taken; the best counts.
PLAYERS, MANY, FEW, TIMES = 5000, 20_000, 600, 40

#: What must be reached.
SPEED_BARS = {
    "closed form, 5 v 5": 1100.0,
    "the default mixture, 5 v 5": 200.0,
    "the default mixture, results only, 5 v 5": 200.0,
    "one filter, all channels, 5 v 5": 300.0,
    "8 players, each alone": 200.0,
    "game by game, 5 v 5 (Ladder)": 1.5,
}
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


def packed(players: Any, teams: int, *, channels: bool) -> Packed:
    """Return the columns of contests of equal teams, with or without scores, statistics and a game type."""
    rng = np.random.default_rng(1)
    count, seats = players.shape
    ranks = rng.permuted(np.tile(np.arange(teams), (count, 1)), axis=1)
    places = np.zeros((players.size, kernels.PLACE))
    places[:, 0] = players.ravel()
    reports = np.ones((players.size, kernels.REPORT))
    reports[:, kernels.FIGURE] = np.nan
    scores = np.full(count * teams, np.nan)
    if channels:
        places[:, 1] = players.ravel() + PLAYERS
        figures = rng.normal(0.0, 0.6, players.shape)
        reports[:, kernels.FIGURE] = (figures - figures.mean(axis=1, keepdims=True)).ravel()
        scores = rng.integers(0, 100, count * teams).astype(float)
    return Packed(
        first_team=_whole(np.arange(count + 1) * teams),
        which=_whole(np.zeros(count)),
        depth=_whole(np.full(count, 2 if channels else 1)),
        untyped=_whole(np.zeros(count)),
        reported=_whole(np.full(count, seats if channels else 0)),
        at=_real(np.arange(count) * 0.01),
        weight=_real(np.ones(count)),
        first_member=_whole(np.arange(count * teams + 1) * (seats // teams)),
        order=_whole(ranks.argsort(axis=1)),
        rank=_real(ranks),
        score=_real(scores),
        places=_whole(places),
        reports=_real(reports),
    )


def _whole(numbers: Any) -> Any:
    return array("I", numbers.astype(np.uint32).tobytes())


def _real(numbers: Any) -> Any:
    return array("d", numbers.astype(np.float64).tobytes())


def filter_run(players: Any, teams: int, *, channels: bool, model: Filters | None = None) -> Run:
    """Return a run of the kernel of filters, prediction and update."""
    model = model or GaussianFilter()
    contests, state = packed(players, teams, channels=channels), model.initial()
    keys = [(f"p{n}", part) for part in (Ruleset(), Ruleset("", "ctf")) for n in range(PLAYERS)]
    learnt = model.learnt(state, keys, [Ruleset()])
    learnt.compile()

    def once() -> None:
        learnt.copy().play(contests)

    return Run(once, len(players))


def ladder_run(players: Any) -> Run:
    """Return a run of ``Ladder.record``, game by game, over players who have all played before."""
    ladder = Ladder()
    made = []
    for row in players.tolist():
        ids = [f"p{player}" for player in row]
        made.append(Contest(Ruleset(), (ids[:5], ids[5:]), (1, 2)))
    everyone = [f"p{n}" for n in range(PLAYERS)]
    ladder.record(Contest(Ruleset(), (everyone[::2], everyone[1::2]), (1, 2), at=-1.0))

    def once() -> None:
        for contest in made:
            ladder.record(contest)

    return Run(once, len(players))


def duels_run(players: Any) -> Run:
    """Return a run of the closed form for two teams, prediction and update."""
    count, seats = players.shape
    won = np.random.default_rng(1).integers(0, 2, count).astype(float)
    seat, first = players.ravel().astype(np.uint32), (np.arange(count + 1) * seats).astype(np.uint32)
    middle = first[:-1] + np.uint32(seats // 2)
    kernel = compiled(play_duels)
    hyper = np.array([25.0 / 6.0, 25.0 / 300.0, 0.0001])

    def once() -> None:
        table = np.tile([25.0, (25.0 / 3.0) ** 2], PLAYERS)
        kernel(hyper, table, seat, middle, first, won, np.zeros(count))

    return Run(once, count)


def openskill_run(players: Any, teams: int, name: str, *, kept: bool = False) -> Run:
    """Return a run of ``openskill.rate``, from numbers to numbers or with its objects kept."""
    from openskill import models

    model = getattr(models, name)()
    ranks = np.random.default_rng(1).permuted(np.tile(np.arange(teams), (len(players), 1)), axis=1).tolist()
    line_up = players.reshape(len(players), teams, -1).tolist()

    def from_numbers() -> None:
        table: dict[int, tuple[float, float]] = dict.fromkeys(range(PLAYERS), (25.0, 25.0 / 3.0))
        for contest, places in zip(line_up, ranks, strict=True):
            groups = [
                [model.rating(mu=table[player][0], sigma=table[player][1]) for player in team]
                for team in contest
            ]
            for team, rated in zip(contest, model.rate(groups, ranks=places), strict=True):
                for player, rating in zip(team, rated, strict=True):
                    table[player] = (rating.mu, rating.sigma)

    def from_objects() -> None:
        known: dict[int, Any] = {}
        for contest, places in zip(line_up, ranks, strict=True):
            groups = [[known.get(player) or model.rating() for player in team] for team in contest]
            for team, rated in zip(contest, model.rate(groups, ranks=places), strict=True):
                known.update(zip(team, rated, strict=True))

    return Run(from_objects if kept else from_numbers, len(players))


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
    """Measure ours and theirs, kind by kind, in turns."""
    five, eight = line_ups(MANY, 10), line_ups(MANY, 8)
    kinds: list[tuple[str, Run, str, Any, int]] = [
        ("closed form, 5 v 5", duels_run(five), "BradleyTerryFull", five, 2),
        (
            "the default mixture, 5 v 5",
            filter_run(five, 2, channels=True, model=Mixture()),
            "PlackettLuce",
            five,
            2,
        ),
        (
            "the default mixture, results only, 5 v 5",
            filter_run(five, 2, channels=False, model=Mixture()),
            "PlackettLuce",
            five,
            2,
        ),
        ("one filter, all channels, 5 v 5", filter_run(five, 2, channels=True), "PlackettLuce", five, 2),
        ("8 players, each alone", filter_run(eight, 8, channels=False), "PlackettLuce", eight, 8),
    ]
    kinds.append(("game by game, 5 v 5 (Ladder)", ladder_run(five[: 3 * FEW]), "PlackettLuce", five, 2))
    rows = []
    for kind, ours, peer, players, teams in kinds:
        theirs = openskill_run(players[:FEW], teams, peer)
        kept = openskill_run(players[:FEW], teams, peer, kept=True)
        measured = zip(("ours", "theirs", "kept"), rates([ours, theirs, kept]), strict=True)
        rows.append({"kind": kind, "peer": peer, **dict(measured)})
    return rows


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
        "predictions": predictions(history) if history.exists() else {},
        "convergence": convergence(),
        "histories": measure_histories() if history.exists() else {},
    }


def remeasured(part: str) -> dict[str, Any]:
    """Return the kept results with a part of them measured anew."""
    kept: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return {**kept, **now(), part: {"histories": measure_histories, "speeds": speeds}[part]()}


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
        f"Random contests of {PLAYERS} players, some of whom play far more often than others.",
        "Prediction and update of packed contests (a ladder's come one by one), against `rate` of openskill.",
        "openskill learns from results alone.  The default mixture and one filter learn from scores, from",
        "everyone's statistics and a game type as well, but where the row says otherwise.",
        "Both go from mu and sigma in a table to mu and sigma in a table, and the bars are about that.",
        "Part of openskill's time then is the making of its rating objects; the last columns keep these.",
        f"The best processor time of {TIMES} turns of {MANY} contests counts; for openskill of {FEW}.",
        "",
        *_table(
            ("Kind, contests a second", "ours", "openskill", "Ratio", "openskill, objects kept", "Ratio"),
            [
                (
                    row["kind"],
                    f"{row['ours']:,.0f}",
                    f"{row['theirs']:,.0f} (`{row['peer']}`)",
                    _times(row["ours"] / row["theirs"]),
                    f"{row['kept']:,.0f}",
                    _times(row["ours"] / row["kept"]),
                )
                for row in results["speeds"]
            ],
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
        *(report_histories(results["histories"]) if results.get("histories") else ()),
    ]  # fmt: skip
    return "\n".join(lines)


def _bars(results: dict[str, Any]) -> list[tuple[str, ...]]:
    rows = []
    for row in results["speeds"]:
        ratio, bar = row["ours"] / row["theirs"], SPEED_BARS[row["kind"]]
        rows.append((f"throughput, {row['kind']}", f"at least {bar:,g}×", _times(ratio), _yes(ratio >= bar)))
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
    given = parser.parse_args()

    def made() -> dict[str, Any]:
        if given.histories or given.throughput:
            return remeasured("histories" if given.histories else "speeds")
        return measure(given.history)

    return keep(given, RESULTS, REPORT, made, report)
