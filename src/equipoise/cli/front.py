"""``equipoise front``: the Pareto front of two objectives as a table, JSON or a picture."""

from __future__ import annotations

import sys
from typing import Any

import click

from equipoise.cli.balance import asked, end_interrupted, interruptible, naming
from equipoise.cli.output_options import print_json, table, table_forms, write
from equipoise.cli.request_options import AskingCommand, asks, two_objectives

#: Options that a front, which is all there is between two objectives, leaves nothing to do for.
NOT_BESIDES = (
    "objective",
    "then",
    "within",
    "combine",
    "rerank",
    "keep",
    "spacing",
    "choose",
    "seed",
    "names",
)


@click.command(cls=AskingCommand, name="front")
@click.argument("roster", metavar="ROSTER", required=False)
@asks(*NOT_BESIDES)
@table_forms
@click.option(
    "--objectives", metavar="NAME,NAME", default="win,spread", show_default=True,
    help="The two objectives.",
)  # fmt: skip
def command(roster: str | None, **options: Any) -> None:
    """Show the teams of ROSTER that are best by two objectives: the Pareto front.

    Every other split is matched or beaten by one of these on both objectives.
    ROSTER is as for 'equipoise balance'.
    """
    options |= dict.fromkeys(NOT_BESIDES) | {"then": ()}
    with naming(options):
        _front(roster, options)


def _front(roster: str | None, options: dict[str, Any]) -> None:
    """Print the front, and draw it where a picture is asked for."""
    from dataclasses import replace

    from equipoise.pages.pictures.pareto_front import front_svg
    from equipoise.pages.text.teams import front_lines, front_rows
    from equipoise.teams.pareto import pareto

    objectives = two_objectives(options["objectives"])
    request = asked(roster, options)
    with interruptible(options["time_limit"]) as stop:
        front = pareto(replace(request, stop=stop), *objectives)
    if options["as_json"]:
        print_json(front.as_dict())
    if front.nothing is not None:
        click.echo(f"error: {front.nothing.status}: {front.nothing.reason}", err=True)
        if stop.interruption.happened:
            end_interrupted(many=True)
        sys.exit(1)
    if options.get("form") is not None and not options["as_json"]:
        (_, *columns), *rows = front_rows(front)
        numbered = [(number.rstrip("."), *row) for number, *row in rows]
        click.echo(table(("split", *columns), numbered, options["form"]))
    elif not options["as_json"]:
        click.echo("\n".join(front_lines(front)))
    if options["plot"]:
        write("--plot", options["plot"], front_svg(front))
    if stop.interruption.happened:
        end_interrupted(many=True)
