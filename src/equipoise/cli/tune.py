"""``equipoise tune``: hyperparameters of the default model for your own matches."""

from __future__ import annotations

import json
from typing import Any

import click

from equipoise.cli.archive_options import progress_bar
from equipoise.cli.fan_out_options import fan_out_options
from equipoise.cli.model_options import model_named, starting, with_known
from equipoise.cli.output_options import Number, OneOf, Whole, table, table_forms, with_json
from equipoise.cli.read_history import dates, read_history
from equipoise.cli.roster_options import store

#: What may be tuned.
MODELS_TUNED = ("default", "gaussian-filter")

#: Contests times steps from which a process a core is worth beginning.
PAYS = 5_000_000  # effort


@click.command(name="tune")
@click.argument("file", metavar="FILE", required=False, default="")
@store
@dates
@click.option(
    "--part",
    type=Number(),
    metavar="SHARE",
    default=0.4,
    show_default=True,
    help="Share of the contests to fit to, counted from the first.",
)
@click.option(
    "--steps",
    metavar="N",
    type=Whole(1),
    default=300,
    show_default=True,
    help="How many settings to try.",
)
@click.option(
    "--seed",
    metavar="N",
    type=Whole(0),
    default=0,
    show_default=True,
    help="Seed of the search.",
)
@click.option(
    "--only", metavar="A,B", help="Hyperparameters that may change.  [default: all that are searched]"
)
@click.option(
    "--leave-out", is_flag=True, help="Search once for each ruleset without its results, and score on them."
)
@click.option(
    "--model",
    type=OneOf(MODELS_TUNED),
    default=MODELS_TUNED[0],
    show_default=True,
    help="What is tuned: the default mixture of filters, or one filter.",
)
@starting
@fan_out_options
@with_json
@table_forms
def command(file: str, **options: Any) -> None:
    """Fit the default model to the first part of a match FILE, and compare it on the rest.

    It is compared with the model as shipped, and with one filter untuned; starting weights stay as they are.
    """  # fmt: skip
    from equipoise.core.rulesets import ruleset_text
    from equipoise.ratings.lab.evaluation import group_of, judge, measure, predicted
    from equipoise.ratings.lab.tuning import BOUNDS, tune
    from equipoise.ratings.models.gaussian_filter.model import GaussianFilter
    from equipoise.ratings.replay import in_order
    from equipoise.service.fan_out import fanned_out

    history = read_history((file,), store=options["store"], dates=options["dates"])
    contests = [contest for match in in_order(history.matches) for contest in match.contests]
    only = tuple(name.strip() for name in options["only"].split(",")) if options["only"] else tuple(BOUNDS)
    part, steps = options["part"], options["steps"]
    rulesets: list[Any] = [None]
    if options["leave_out"]:
        rulesets = sorted({contest.ruleset for contest in contests}, key=repr)
    shipped = model_named("default", None, None, options["starting"])
    shipped = with_known(shipped, history.find)
    begun = shipped if options["model"] == MODELS_TUNED[0] else GaussianFilter()
    found = []
    pays = len(contests) * part * steps * len(rulesets) >= PAYS
    with (
        progress_bar("searching") as tell,
        fanned_out(options["ray"], options["workers"], pays=pays) as tasks,
    ):
        for ruleset in rulesets:
            report = (lambda step, _: tell(step / steps)) if tell else None
            tuned = tune(contests, model=begun, part=part, steps=steps, seed=options["seed"],
                         left_out=ruleset, only=only, report=report, tasks=tasks)  # fmt: skip
            scores = []
            for model in (shipped, GaussianFilter(), tuned.model):
                chances, draws = predicted(model, contests)
                evaluation = judge(contests, chances, part, draws)
                # None is left to score of a ruleset that was played in the first part alone.
                scored = measure([], []) if ruleset is not None else evaluation.metrics
                name = "" if ruleset is None else group_of(ruleset)
                scores.append(evaluation.groups.get(name, scored).as_dict())
            left_out = "" if ruleset is None else ruleset_text(ruleset)
            found.append({"left_out": left_out, "before": tuned.before,
                          "after": tuned.after, "shipped": scores[0], "untuned": scores[1],
                          "tuned": scores[2], "settings": _settled(tuned.model)})  # fmt: skip
    form = options.get("form")
    if options["as_json"]:
        click.echo(json.dumps(found, indent=2, allow_nan=False))
    else:
        click.echo(_text(found) if form is None else _settings(found, form))
    history.finish()


def _settled(model: Any) -> dict[str, float]:
    """Return the settings of a tuned model: of one filter all, of a mixture those that differ."""
    return dict(model.settings) if hasattr(model, "settings") else dict(model.as_settings())


def _settings(found: list[dict[str, Any]], form: str) -> str:
    """Return the settings alone, as one table."""
    rows = [(each["left_out"], name, f"{x:.4g}") for each in found for name, x in each["settings"].items()]
    columns = ("left out", "setting", "value")
    first = 0 if any(each["left_out"] for each in found) else 1
    return table(columns[first:], [row[first:] for row in rows], form)


def _text(found: list[dict[str, Any]]) -> str:
    parts = []
    for each in found:
        if each["left_out"]:
            parts.append(f"Without the results of {each['left_out']}, scored on those:")
        parts.append(
            f"Log-loss on what was looked at: {each['before']:.4f} as shipped; {each['after']:.4f} tuned."
        )
        if each["shipped"]["n"]:
            shipped, untuned, tuned = (each[name]["log_loss"] for name in ("shipped", "untuned", "tuned"))
            parts.append(
                f"Log-loss on the rest: {shipped:.4f} shipped default; "
                f"{untuned:.4f} one filter, untuned; {tuned:.4f} tuned."
            )
        parts.append(
            table(("setting", "value"), [(name, f"{x:.4g}") for name, x in each["settings"].items()])
            if each["settings"]
            else "Nothing that was tried is better: the settings stay as shipped."
        )
    return "\n".join(parts)
