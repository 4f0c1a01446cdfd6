"""``equipoise balance``: fair teams from a roster, as text, JSON, a table or a picture.

What other commands share with it is here too: the search, which Ctrl-C ends, and how its answer is shown.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from equipoise.cli import began
from equipoise.cli.exit_codes import INTERRUPTED
from equipoise.cli.output_options import PLAYER_FORMS, NewFile, form_options, print_json, table, write
from equipoise.cli.request_options import (
    AskingCommand,
    asks,
    named,
    request_of,
    save_request,
    say_heard,
    two_objectives,
    unknown,
)
from equipoise.core.registry import SOLVERS, resolve
from equipoise.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from equipoise.cli.explain_answers import ExplainAnswers
    from equipoise.core.clock import Deadline
    from equipoise.teams.request import BalanceRequest
    from equipoise.teams.solution import Solution, Split


#: Options that a front, which is all there is between two objectives, leaves nothing to do for.
NOT_WITH_FRONT = (
    "objective",
    "within",
    "rerank",
    "keep",
    "spacing",
    "choose",
    "seed",
    "names",
    "receipt",
)


class Interruption:
    """Whether somebody has interrupted."""

    happened = False


#: How many times its own work a command may take to begin where the machine has much else to do: more is
#: waiting for its input.
MOST_WAITED = 4.0

#: Seconds of a limit of time that are kept for showing the answer, and the share of it at most; and the share
#: that the search has however long loading took.
SHOWING, SHOWING_SHARE, SEARCHING_SHARE = 0.2, 0.1, 0.125


class Interruptible:
    """A stopping criterion that also holds once somebody has interrupted.

    Parameters
    ----------
    within : Deadline or None
        When it holds in any case; None for never.
    interruption : Interruption
        What reports it.
    """

    def __init__(self, within: Deadline | None, interruption: Interruption) -> None:
        self.within, self.interruption = within, interruption

    def __call__(self) -> bool:
        """Tell whether it was interrupted, or the time is up."""
        return self.interruption.happened or (self.within is not None and self.within())

    def left(self) -> float:
        """Return the seconds until then: none once it was interrupted, infinitely many without a deadline."""
        if self.interruption.happened:
            return 0.0
        return math.inf if self.within is None else self.within.left()

    def at_most(self, seconds: float) -> Interruptible:
        """Return the criterion that holds after some seconds from now, or once interrupted."""
        from equipoise.core.clock import deadline

        return Interruptible(deadline(seconds), self.interruption)

    def part(self, share: float) -> Interruptible:
        """Return the criterion that holds after a share of the time that is left, or once interrupted."""
        return Interruptible(None if self.within is None else self.within.part(share), self.interruption)


class BalanceAnswer(NamedTuple):
    """What was asked, and what came of it.

    Parameters
    ----------
    request : BalanceRequest
        What was asked.
    solution : Solution
        What ``balance`` returned.
    chosen : int or None
        Which split was chosen at random.
    split : Split or None
        The split that is shown.
    names : tuple of str
        What the teams are called.
    interrupted : bool
        Whether Ctrl-C ended the search.
    """

    request: BalanceRequest
    solution: Solution
    chosen: int | None
    split: Split | None
    names: tuple[str, ...]
    interrupted: bool


@click.command(cls=AskingCommand, name="balance")
@click.argument("roster", metavar="ROSTER", required=False)
@asks
@click.option("--details", is_flag=True, help="Numbers of the objective, and what win chances rest on.")
@form_options(*PLAYER_FORMS, chat="Print a short form to paste into a chat.")
@click.option(
    "--receipt",
    type=NewFile(".json"),
    metavar="FILE.json",
    help="Save request and answer for 'equipoise verify'.",
)
@click.option(
    "--front",
    metavar="A,B",
    help="Instead: all teams that are best by two objectives, the Pareto front, as win,spread.",
)
def command(roster: str | None, front: str | None, **options: Any) -> None:
    """Divide the players of ROSTER into the fairest teams.

    ROSTER is a file of names, 'weight name' lines, CSV or JSON with 'name' and 'weight', or - for standard
    input.  'equipoise explain' says why these teams.
    """  # fmt: skip
    with naming(options):
        if front is not None:
            _show_front(roster, front, options)
            return
        answer = answered(roster, options)
        if options["receipt"] is not None:
            from equipoise.cli.verify import save_receipt

            save_receipt(answer.request, answer.solution, options["receipt"])
        show(answer, options)


@contextmanager
def naming(options: dict[str, Any]) -> Iterator[None]:
    """Let errors name what was typed; a name that does not exist is an error of usage."""
    try:
        yield
    except UnknownNameError as error:
        raise unknown(error, options) from error
    except InputError as error:
        raise named(error, options) from error


def answered(roster: str | None, options: dict[str, Any]) -> BalanceAnswer:
    """Return the answer to what a roster and options ask."""
    from dataclasses import replace

    from equipoise.teams.balance import balance

    request = asked(roster, options)
    if options["spacing"] is not None and request.keep == 1:
        msg = "--spacing: one split has no other to differ from; say how many with --keep"
        raise InputError(msg)
    with interruptible(options["time_limit"]) as stop:
        solution = balance(replace(request, stop=stop))
    interrupted = stop.interruption.happened
    _check_seed(options, solution.solver)
    chosen = None
    if options["choose"] is not None and solution.splits:
        chosen = _choose(solution, options["choose"], options["seed"])
    split = solution.splits[chosen or 0] if solution.splits else None
    return BalanceAnswer(request, solution, chosen, split, request.names, interrupted)


def _check_seed(options: dict[str, Any], solver: str) -> None:
    """Refuse a seed where nothing was drawn at random."""
    if options["seed"] is None or options["choose"] is not None or solver not in SOLVERS:
        return
    if not resolve("solver", SOLVERS, solver).seeded:
        msg = f"--seed has no use: {solver!r} draws nothing at random; --choose draws one of the best splits"
        raise InputError(msg)


def asked(roster: str | None, options: dict[str, Any]) -> BalanceRequest:
    """Return what a roster and options ask, after saving it where it is to be."""
    request = request_of(roster, options)
    if options["save_request"] is not None:
        save_request(request, options["save_request"])
    return request


@contextmanager
def interruptible(seconds: float | None) -> Iterator[Interruptible]:
    """Let the first Ctrl-C end a search, which then has its best so far, and a second one the command.

    Loading, reading and showing are part of the seconds; waiting for what is read is not.
    """
    import signal  # here, as help and cold starts do without
    import time

    within = None
    if seconds is not None:
        from equipoise.core.clock import deadline

        within = deadline(seconds)
        if began:
            spent = min(time.monotonic() - began[0], MOST_WAITED * time.process_time())
            left = seconds - spent - min(SHOWING, SHOWING_SHARE * seconds)
            within = deadline(max(left, SEARCHING_SHARE * seconds))
    stop = Interruptible(within, Interruption())
    before = signal.getsignal(signal.SIGINT)

    def interrupt(number: int, frame: Any) -> None:
        del number, frame
        stop.interruption.happened = True
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def end_interrupted(*, many: bool = False) -> None:
    """End a command whose search was interrupted, after what it has found is shown."""
    click.echo(f"interrupted; {'these are' if many else 'this is'} the best so far", err=True)
    sys.exit(INTERRUPTED)


def show(answer: BalanceAnswer, options: dict[str, Any], answers: ExplainAnswers | None = None) -> None:
    """Print an answer, and draw it where a picture is asked for."""
    solution, split = answer.solution, answer.split if answers is None else answers.split
    if options["as_json"]:
        _print_json(answer, answers, options.get("heard_data"))
    elif answers is not None and "form" in options:
        click.echo("\n".join(answers.table(options["form"])))
    elif split is not None:
        click.echo("\n".join(_lines(answer, split, options)))
    if not solution.splits:
        click.echo(f"error: {solution.status}: {solution.reason}", err=True)
    if answers is not None and not (options["as_json"] or options.get("form")):
        click.echo("\n".join(answers.lines if solution.splits else answers.lines[1:]))
    if split is not None and options["plot"]:
        from equipoise.pages.pictures.team_bars import teams_svg

        write("--plot", options["plot"], teams_svg(solution, split, answer.names, points=options["points"]))
    if answer.interrupted:
        end_interrupted()
    if not solution.splits:
        sys.exit(1)


def _lines(answer: BalanceAnswer, split: Split, options: dict[str, Any]) -> list[str]:
    """Return the split in the form that is asked for."""
    from equipoise.pages.text import teams

    form = options.get("form")
    if form is None:
        read = [*options["heard"], ""] if options.get("heard") else []
        how = {name: options[name] for name in ("details", "points")}
        lines = teams.solution_lines(answer.solution, split, answer.chosen, answer.names, **how)
        return read + lines + _effort_lines(answer, options)
    if options.get("heard_data") and any(options["heard_data"][name] for name in ("out", "late", "unread")):
        click.echo("\n".join(options["heard"]), err=True)
    shown = (split,) if answer.chosen is not None else answer.solution.splits
    how = {"numbered": answer.chosen is None and answer.request.keep > 1, "points": options["points"]}
    proof = "" if answer.chosen is not None else teams.proof_of(answer.solution)
    return teams.FORMS[form](shown, answer.names, proof=proof, **how)


def _effort_lines(answer: BalanceAnswer, options: dict[str, Any]) -> list[str]:
    """Say how to have more work done, where a search ended because of how much there was."""
    solution, limited = answer.solution, options["time_limit"] is not None
    if solution.status == "optimal" or answer.interrupted or limited or solution.solver not in SOLVERS:
        return []
    solver = resolve("solver", SOLVERS, solution.solver)
    if not (solver.exact or solver.seeded):  # a draft, which does not search
        return []
    effort = answer.request.effort
    done = "the usual work" if effort == 1.0 else f"{effort:g} times the usual work"
    return [f"That was {done}; --effort {4.0 * effort:g} does four times as much."]


def _choose(solution: Solution, power: float, seed: int | None) -> int:
    import numpy as np

    from equipoise.teams.solution import choose

    chosen = choose(solution, rng=np.random.default_rng(seed), power=power)
    return next(n for n, split in enumerate(solution.splits) if split is chosen)


def _print_json(answer: BalanceAnswer, answers: ExplainAnswers | None, heard: dict[str, Any] | None) -> None:
    solution, chosen = answer.solution, answer.chosen
    plain: dict[str, Any] = {**solution.as_dict(), **({} if answers is None else answers.plain)}
    if chosen is not None:
        plain["chosen"] = chosen + 1
        plain["splits"] = [plain["splits"][chosen]]
    if heard is not None:
        plain["read"] = heard
    print_json(plain)


def _show_front(roster: str | None, objectives: str, options: dict[str, Any]) -> None:
    """Print the front of two objectives, and draw it where a picture is asked for."""
    for name in NOT_WITH_FRONT:
        if options.get(name) not in (None, (), False):
            flag = name.replace("_", "-")
            msg = f"--{flag} has no use with --front, which is all there is between two objectives"
            raise click.UsageError(msg)
    if options.get("form") == "chat":
        msg = "--chat has no use with --front, which shows several teams"
        raise click.UsageError(msg)
    options |= dict.fromkeys(NOT_WITH_FRONT)
    from dataclasses import replace

    from equipoise.pages.pictures.pareto_front import front_svg
    from equipoise.pages.text.teams import front_lines, front_rows
    from equipoise.teams.pareto import pareto

    axes = two_objectives(objectives)
    request = asked(roster, options)
    with interruptible(options["time_limit"]) as stop:
        front = pareto(replace(request, stop=stop), *axes)
    if options["as_json"]:
        print_json(front.as_dict() | ({"read": options["heard_data"]} if options["heard_data"] else {}))
    else:
        say_heard(options)
    if front.nothing is not None:
        click.echo(f"error: {front.nothing.status}: {front.nothing.reason}", err=True)
        if stop.interruption.happened:
            end_interrupted(many=True)
        sys.exit(1)
    if options.get("form") is not None and not options["as_json"]:
        (_, *columns), *rows = front_rows(front, options["points"] if options["form"] == "markdown" else None)
        numbered = [(number.rstrip("."), *row) for number, *row in rows]
        click.echo(table(("split", *columns), numbered, options["form"]))
    elif not options["as_json"]:
        click.echo("\n".join(front_lines(front, options["points"])))
    if options["plot"]:
        write("--plot", options["plot"], front_svg(front))
    if stop.interruption.happened:
        end_interrupted(many=True)
