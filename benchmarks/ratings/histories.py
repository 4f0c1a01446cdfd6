"""What the page of ratings says of all histories at hand: ``python -m benchmarks ratings --histories``.

Each history is the part that settings may be chosen on: the first 40 %, of `cwl` too.
The first fifth of that is learnt from but not scored.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.ratings.profile import GENERATORS

from equipoise.core.match import Contest, Match
from equipoise.core.registry import MODELS, resolve
from equipoise.files.read_matches import read_matches
from equipoise.ratings.display_scale import scale_of
from equipoise.ratings.lab.evaluation import evaluate
from equipoise.ratings.lab.simulation import simulate
from equipoise.ratings.ladder import Ladder
from equipoise.ratings.replay import in_order

#: Beside the project, or further up where this is a second checkout of it; they may not be copied.
FOLDER = next(
    (
        folder
        for above in Path(__file__).resolve().parents[3:]
        if (folder := above / "shared" / "data" / "ratings").is_dir()
    ),
    Path("shared"),
)

#: Part of a history that may be looked at, part of this that is not scored, and quantile of an interval.
PART, WARM_UP, QUANTILE = 0.4, 0.2, 1.96

#: Whose moves are shown, after how many games; the games around these count too.
STEADY = ("default", "gaussian-filter", "elo", "glicko2", "plackett-luce", "trueskill")
AFTER, AROUND = (10, 50), 3

#: Histories long enough for players of fifty games.
LONG = ("cwl", "halo_duels", "kq")


def known() -> dict[str, list[Match]]:
    """Return the histories at hand by name, and a simulated server of each kind."""
    found = {}
    for path in sorted(FOLDER.glob("*.npz")):
        name = path.stem.removesuffix("_first40")
        matches = in_order(match for match in read_matches(str(path)) if isinstance(match, Match))
        found[name] = matches[: math.ceil(PART * len(matches))] if name == path.stem else matches
    for n, (name, given) in enumerate(GENERATORS.items()):
        made = simulate(np.random.default_rng([1, n]), **given)  # type: ignore[arg-type]  # of mixed types
        found[f"simulated: {name}"] = list(made.matches)
    return found


def measure_histories() -> dict[str, Any]:
    """Measure predictions of every model on every history, and how far ratings move on some."""
    histories = known()
    models = {name: resolve("model", MODELS, name)() for name in MODELS}
    return {
        "losses": {
            name: {each: _losses(model, matches) for each, model in models.items()}
            for name, matches in histories.items()
        },
        "moves": {
            name: {each: _moves(models[each], histories[name]) for each in STEADY}
            for name in LONG
            if name in histories
        },
    }


def measure_default() -> dict[str, Any]:
    """Measure the default model alone on the histories at hand, all games scored."""
    model = resolve("model", MODELS, "default")()
    return {
        name: _losses(model, matches) for name, matches in known().items() if not name.startswith("simulated")
    }


def report_default(results: dict[str, Any]) -> list[str]:
    """Return the table of the default model, now and when the other models were measured."""
    before, now = results["histories"]["losses"], results["default"]
    return [
        "## The default model, every game scored",
        "",
        "On the same first 40 %, the first fifth not scored: now, with games whose scores contradict",
        "ranks learnt from and predicted, and when they were left out, as in the table after this.",
        "Games that are left out are close ones, so that the figures before are of easier games.",
        "",
        *_table(
            ("History", "n", "log-loss", "slope", "n before", "log-loss before", "slope before"),
            [
                (name, str(row["n"]), _loss(row), f"{row['slope']:.2f}", str(before[name]["default"]["n"]),
                 _loss(before[name]["default"]), f"{before[name]['default']['slope']:.2f}")
                for name, row in now.items()
            ],
        ),
        "",
    ]  # fmt: skip


def _losses(model: Any, matches: Sequence[Match]) -> dict[str, float]:
    done = evaluate(model, matches, WARM_UP)
    reported = [
        -math.log(max(row[winner], 1e-6))
        for row, winner in zip(done.chances, done.winners, strict=True)
        if winner >= 0
    ]
    return {
        "n": len(reported),
        "loss": float(np.mean(reported)),
        "within": QUANTILE * float(np.std(reported)) / math.sqrt(len(reported)),
        "slope": done.metrics.calibration_slope,
    }


def _moves(model: Any, matches: Sequence[Match]) -> dict[str, Any]:
    """Return the mean move of a weight from 0 to 100 in a game after so many, and the log-loss."""
    ladder, games = Ladder(model), Counter[str]()
    scale = scale_of(model, model.initial())
    moves: dict[int, list[float]] = {after: [] for after in AFTER}
    for contest in (contest for match in matches for contest in match.contests):
        near = {
            player: after
            for player in _players(contest)
            for after in AFTER
            if abs(games[player] - after) <= AROUND
        }
        before = {player: scale.shown(ladder.rating(player, contest.ruleset).mu) for player in near}
        ladder.record(contest)
        games.update(_players(contest))
        for player, after in near.items():
            moves[after].append(abs(scale.shown(ladder.rating(player, contest.ruleset).mu) - before[player]))
    return {str(after): float(np.mean(found)) if found else None for after, found in moves.items()}


def _players(contest: Contest) -> list[str]:
    return [player for team in contest.teams for player, _ in team]


def report_histories(results: dict[str, Any]) -> list[str]:
    """Return the parts of the page about histories."""
    losses, moves = results["losses"], results["moves"]
    models = list(next(iter(losses.values())))
    return [
        "## All histories at hand",
        "",
        "The first 40 % of each, on which the settings of the default model were chosen, and simulated",
        "servers that it has not seen; the first fifth is not scored.",
        "Log-loss with the 95 % interval of its mean; `bradley-terry` and `plackett-luce` are the numbers of",
        "openskill and `trueskill` those of the package of that name, see",
        "[the tests](../tests/ratings/test_compatibility.py).",
        "",
        *_table(
            ("History", "n", *models, "slope of default"),
            [
                (name, str(row["default"]["n"]), *(_loss(row[each]) for each in models),
                 f"{row['default']['slope']:.2f}")
                for name, row in losses.items()
            ],
        ),
        "",
        "## How steady weights are",
        "",
        "The mean move in one game of the weight from 0 to 100, of players with about so many games.",
        "The lower the steadier; at equal log-loss the steadier is better.",
        "",
        *_table(
            ("History", "Model", *(f"after {after} games" for after in AFTER), "log-loss"),
            [
                (name, each, *(_move(row[str(after)]) for after in AFTER),
                 f"{losses[name][each]['loss']:.4f}")
                for name, some in moves.items()
                for each, row in some.items()
            ],
        ),
        "",
    ]  # fmt: skip


def _loss(row: dict[str, float]) -> str:
    return f"{row['loss']:.4f} ± {row['within']:.4f}"


def _move(number: float | None) -> str:
    return "-" if number is None else f"{number:.2f}"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *rows)]
