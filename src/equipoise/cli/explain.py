"""``equipoise explain``: why these teams, what else there is, and what a change by hand costs."""

from __future__ import annotations

from typing import Any

import click

from equipoise.cli.balance import answered, interruptible, naming, show
from equipoise.cli.output_options import form_options
from equipoise.cli.request_options import AskingCommand, asks


@click.command(cls=AskingCommand, name="explain")
@click.argument("roster", metavar="ROSTER", required=False)
@asks
@form_options(
    csv="Print the teams side by side as CSV.", markdown="Print the teams side by side as Markdown."
)
@click.option(
    "--why", multiple=True, metavar="A|A,B",
    help="Why is A in this team?  Why not swap A and B, or why are they together?  Repeatable.",
)  # fmt: skip
@click.option(
    "--edit", multiple=True, metavar="CHANGE",
    help="Change the teams by hand, 'swap A B' or 'move A TEAM', and see what it costs.  Repeatable.",
)  # fmt: skip
@click.option("--details", is_flag=True, help="Numbers of the objective, and what win chances rest on.")
@click.option(
    "--all", "everything", is_flag=True,
    help="All alternatives, and what each rule costs, however little.",
)  # fmt: skip
def command(roster: str | None, **options: Any) -> None:
    """Divide the players of ROSTER as 'equipoise balance' does, and say why.

    The reason, the next best, and what is worth giving up; or the answers to --why and --edit alone.
    """
    from equipoise.cli.explain_answers import ExplainAnswers

    if options.get("form") is not None and options["why"]:
        msg = f"--{options['form']} cannot be used with --why, whose answer is text; --json has it too"
        raise click.UsageError(msg)
    with naming(options):
        answer = answered(roster, options)
        asked = (answer.request, answer.solution, answer.split, answer.names)
        with interruptible(None) as stop:
            stop.interruption.happened = answer.interrupted
            answers = ExplainAnswers(options, *asked, stop.at_most)
        show(answer._replace(interrupted=stop.interruption.happened), options, answers)
