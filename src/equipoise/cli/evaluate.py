"""``equipoise evaluate``: how well ratings predict who wins, and what other teams would have been worth."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from typing import Any, TypeVar

import click

from equipoise.cli import archive_options
from equipoise.cli.archive_options import progress_bar
from equipoise.cli.fan_out_options import fan_out_options
from equipoise.cli.model_options import model_named, name_of, say_unplayed, with_known, with_settings_options
from equipoise.cli.output_options import NewFile, Number, Whole, table, table_forms, with_json, write
from equipoise.cli.read_history import dates, read_history, read_parts_of
from equipoise.cli.roster_options import store
from equipoise.core.registry import MODELS
from equipoise.errors import InputError

#: Matches from which ``--what-if`` is worth a process a core.
WHAT_IF_FROM = 500  # effort


@click.command(name="evaluate")
@click.argument("file", metavar="FILE", required=False, default="")
@store
@dates
@click.option(
    "--models",
    default="default",
    show_default=True,
    metavar="A,B",
    help=f"Which models, besides the default one, or 'all': {', '.join(MODELS)}.",
)
@click.option(
    "--skip",
    type=Number(),
    default=0.4,
    show_default=True,
    metavar="PART",
    help="Share of the contests that is learnt from but not scored.",
)
@click.option(
    "--what-if", is_flag=True,
    help="Instead: divide every match of --store in other ways; how close would it have been?",
)  # fmt: skip
@click.option("--seed", metavar="N", type=Whole(0), help="With --what-if: seed of teams and intervals.")
@fan_out_options
@with_settings_options
@with_json
@table_forms
@click.option(
    "--plot",
    type=NewFile(".svg"),
    metavar="FILE.svg",
    help="Draw the reliability diagram, or the arms of --what-if, into a file.",
)
@click.option("--strict", is_flag=True, help="Stop at the first record that is wrong.")
def command(
    file: str, what_if: bool, seed: int | None, as_json: bool, plot: str | None, **options: Any
) -> None:
    """Predict each contest of a match FILE from those before it, and report how good the predictions were.

    FILE is JSONL, CSV, Parquet, npz, a table of results or a spreadsheet, or - for standard input; an
    archive that was exported to Parquet is read too.
    """
    if not what_if:
        given = {"seed": seed is not None, "ray": options.pop("ray") is not None,
                 "workers": bool(options.pop("workers"))}  # fmt: skip
        for name, was_given in given.items():
            if was_given:
                msg = f"--{name} has no use without --what-if"
                raise click.UsageError(msg)
        _evaluate(file, as_json=as_json, plot=plot, **options)
        return
    if file or not options["store"]:
        msg = "--what-if divides the matches of an archive: name it with --store, and no FILE"
        raise click.UsageError(msg)
    context = click.get_current_context()
    for name in ("models", "skip", "profile", "settings", "starting", "strict"):
        if context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
            msg = f"--{name} has no use with --what-if"
            raise click.UsageError(msg)
    _what_if(
        options["store"], plot, seed or 0, as_json, options.get("form"), options["ray"], options["workers"]
    )


def _evaluate(file: str, models: str, skip: float, as_json: bool, plot: str | None, **options: Any) -> None:
    """Predict each contest from those before it."""
    asked = [name.strip() for name in models.split(",")]
    names = ["default", *(each for name in asked for each in (MODELS if name == "all" else (name,)))]
    made = _made(list(dict.fromkeys(names)), options)
    done, finish = _in_parts(file, made, skip, options) or _at_once(file, made, skip, options)
    if as_json:
        plain = {name: each.metrics.as_dict() for name, each in done.items()}
        groups = {
            name: {group: metrics.as_dict() for group, metrics in each.groups.items()}
            for name, each in done.items()
        }
        sides = _sides(next(iter(done.values())))
        click.echo(json.dumps({"models": plain, "groups": groups, "sides": sides}, indent=2, allow_nan=False))
    else:
        click.echo(_text(done, options.get("form")))
        if options.get("form") is None:
            _tell_sides(next(iter(done.values())))
    if plot:
        _plot(plot, done)
    finish()


def _in_parts(file: str, made: dict[str, Any], skip: float, options: dict[str, Any]) -> Any:
    """Return evaluations of a file that memory need not hold, by name; None where all of it is needed."""
    from_columns = all(getattr(model, "by_columns", False) for model in made.values())
    if options["store"] or options["starting"] or not from_columns:
        return None
    history = read_parts_of((file,), "evaluating", strict=options["strict"])
    if history is None:
        return None
    import itertools
    import tempfile
    from pathlib import Path

    from equipoise.files.blocks_on_disk import BlocksOnDisk
    from equipoise.ratings.lab.evaluation import Validation, check_skip

    check_skip(skip)
    with tempfile.TemporaryDirectory(prefix="equipoise-") as folder:
        numbers = itertools.count()
        kept = {
            name: Validation(model, lambda: BlocksOnDisk(Path(folder) / str(next(numbers))))
            for name, model in made.items()
        }
        for columns in history.parts:
            for each in kept.values():
                each.add(columns)
        return {name: each.evaluation(skip) for name, each in kept.items()}, history.finish


def _at_once(file: str, made: dict[str, Any], skip: float, options: dict[str, Any]) -> Any:
    """Return evaluations of a whole history, by name."""
    from equipoise.ratings.lab.evaluation import evaluate

    history = read_history((file,), strict=options["strict"], store=options["store"], dates=options["dates"])
    done = {}
    for name, model in made.items():
        with archive_options.progress_bar(name) as tell:
            done[name] = evaluate(with_known(model, history.find), history.matches, skip, tell)

    def finish() -> None:
        if options["starting"]:
            contests = [contest for match in history.matches for contest in match.contests]
            model = with_known(next(iter(made.values())), history.find)
            say_unplayed(model, (who for one in contests for team in one.teams for who, _ in team))
        history.finish()

    return done, finish


def _sides(done: Any) -> list[dict[str, Any]]:
    """Return what it is worth to be named first, in each ruleset and on each map."""
    from equipoise.ratings.lab.evaluation import group_of

    return [
        {"group": group_of(ruleset), "map": place, "contests": side.contests, "won": side.won,
         "even": side.chance(0.5), "mean": side.mean, "sigma": side.sigma, "by_result": side.by_result}
        for ruleset, place, side in (done.sides.known() if done.sides else ())
    ]  # fmt: skip


def _tell_sides(done: Any) -> None:
    """Say where the team that is named first is better off than its players explain."""
    for row in _sides(done):
        where = row["group"] + (f" on {row['map']}" if row["map"] else "")
        if row["by_result"]:
            click.echo(f"{where}: teams stand in the order of the result, which tells nothing of sides.")
        elif abs(row["mean"]) > 2.0 * row["sigma"]:
            low, high = (100.0 / (1.0 + math.exp(-row["mean"] - end * row["sigma"])) for end in (-1.96, 1.96))
            click.echo(
                f"{where}: of even teams the one named first wins {100 * row['even']:.0f} % "
                f"({low:.0f} to {high:.0f}), by {row['contests']} contests."
            )


def _made(names: list[str], options: dict[str, Any]) -> dict[str, Any]:
    """Return the models by name, the default one first, with the settings and guesses given for each."""
    custom = options["settings"]
    settled = () if custom is None else custom.models
    if unused := set(settled) - set(names):
        msg = f"--settings: {custom.path}: {min(unused)!r} is not among --models"
        raise InputError(msg)
    made = {}
    for name in names:
        settings = custom if name in settled else None
        more = (options["profile"], settings, options["starting"]) if name == "default" else (None, settings)
        model = model_named(name, *more)
        learns = name_of(model, name)
        made[learns if learns == name or learns not in names else f"{learns} (--settings)"] = model
    return made


def _text(done: dict[str, Any], form: str | None) -> str:
    columns = (
        "" if form is None else "of",
        "n",
        "log-loss",
        "Brier",
        "accuracy",
        "slope",
        "ECE",
        "with draws",
    )
    rows = [_row(name, each.metrics) for name, each in done.items()]
    rows += [_row(group, metrics) for group, metrics in next(iter(done.values())).groups.items()]
    return table(columns, rows, form)


def _row(name: str, metrics: Any) -> tuple[str, ...]:
    if not metrics.n:
        return (name, "0", *("-",) * 5, _three_way(metrics))
    slope = metrics.calibration_slope
    return (
        name, str(metrics.n), f"{metrics.log_loss:.4f}", f"{metrics.brier:.4f}",
        f"{100 * metrics.accuracy:.1f} %", f"{slope:.2f}" if slope == slope else "-", f"{metrics.ece:.3f}",
        _three_way(metrics),
    )  # fmt: skip


def _three_way(metrics: Any) -> str:
    """Return the log-loss of who wins or a draw, where draws were predicted."""
    return f"{metrics.three_way:.4f}" if metrics.three_way == metrics.three_way else "-"


def _plot(path: str, done: dict[str, Any]) -> None:
    from equipoise.pages.pictures.reliability import reliability_svg

    bins = {
        name: [(each.count, each.chance, each.won) for each in evaluation.bins]
        for name, evaluation in done.items()
    }
    write("--plot", path, reliability_svg(bins))


Item = TypeVar("Item")


def _counted(items: Iterable[Item], tell: Callable[[int], None]) -> Iterator[Item]:
    """Go through items, and report how many there were so far."""
    for number, item in enumerate(items, 1):
        yield item
        tell(number)


def _what_if(
    store: str, plot: str | None, seed: int, as_json: bool, form: str | None, ray: str | None, workers: int
) -> None:
    """Divide every match of an archive in other ways, and report how close it would have been.

    Each way uses only what was known before the match; how close its teams were is judged by all results.
    'played' is what really happened.
    """
    from equipoise.pages.pictures.what_if_chart import arms_svg
    from equipoise.play.what_if import CANNOT_TELL, PLAYED, what_if
    from equipoise.service.fan_out import fanned_out

    with (
        archive_options.opened(store) as archive,
        fanned_out(ray, workers, pays=archive.count() >= WHAT_IF_FROM) as tasks,
        progress_bar("dividing") as tell,
    ):
        matches, count = archive.matches(), max(archive.count(), 1)
        if tell is not None:
            matches = _counted(matches, lambda number: tell(number / count))
        found = what_if(matches, archive.model, seed=seed, tasks=tasks)
    if not found.matches:
        msg = ": it has no match of two teams to divide"
        raise InputError(msg, "store")
    if plot is not None:
        rows = [(each.arm, each.closeness, each.interval) for each in found.arms]
        write("--plot", plot, arms_svg(rows, found.matches))
    if as_json:
        click.echo(json.dumps({"identified": found.identified, **asdict(found)}, indent=2))
        return
    against = {each.arm: each for each in found.differences if each.than == PLAYED}
    if form is not None:
        columns = (
            "arm", "closeness", "low", "high", "than played", "low", "high", "verdict", "broken parties",
            "moves a match",
        )  # fmt: skip
        cells = []
        for each in found.arms:
            beside = against.get(each.arm)
            differs = ("", "", "", "") if beside is None else (
                *_figures(beside.difference, beside.interval), beside.verdict
            )  # fmt: skip
            cells.append(
                (each.arm, *_figures(each.closeness, each.interval), *differs,
                 f"{each.broken_parties:.1f}", f"{each.moves:.1f}")
            )  # fmt: skip
        click.echo(table(columns, cells, form))
        if found.reason:
            click.echo(f"{CANNOT_TELL}: {found.reason}", err=True)
        return
    click.echo(f"{found.matches} matches; closeness is the distance of the win chance from even, with 95 %")
    if found.reason:
        click.echo(f"{CANNOT_TELL}: {found.reason}")
    for each in found.arms:
        click.echo(
            f"{each.arm:10} {_shown(each.closeness, each.interval, '.3f')}  "
            f"{each.broken_parties:.0f} broken parties, {each.moves:.1f} moves a match"
        )
    for other in found.differences if found.identified else ():
        click.echo(
            f"{other.arm} against {other.than}: {_shown(other.difference, other.interval, '+.3f')}, "
            f"{other.verdict}"
        )


def _figures(figure: float | None, interval: tuple[float, float] | None) -> tuple[str, str, str]:
    """Return the cells of a figure and the ends of its interval, empty where there are none."""
    if figure is None or interval is None:
        return ("", "", "")
    low, high = interval
    return (f"{figure:.4f}", f"{low:.4f}", f"{high:.4f}")


def _shown(figure: float | None, interval: tuple[float, float] | None, form: str) -> str:
    """Return a figure and its interval as text."""
    from equipoise.play.what_if import CANNOT_TELL

    if figure is None or interval is None:
        return CANNOT_TELL
    low, high = interval
    return f"{figure:{form}} ({low:{form}} to {high:{form}})"
