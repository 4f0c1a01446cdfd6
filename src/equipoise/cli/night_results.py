"""The results of ``equipoise night``: who won, a draw, scores, the last step taken back, and the table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from equipoise.cli import archive_options, night_names
from equipoise.cli.output_options import Number, table, table_forms
from equipoise.errors import InputError

if TYPE_CHECKING:
    from equipoise.service.night import Evening

match_option = click.option(
    "--match", metavar="ID", help="Which match it was.  [default: that of the current teams]"
)
at_option = click.option(
    "--at",
    "when",
    metavar="TIME",
    help="When it ended, as 2026-01-31T22:15 (UTC) or seconds.  [default: now]",
)


@archive_options.step("won")
@click.argument("team", nargs=-1, required=True, metavar="TEAM")
@match_option
@at_option
def won(team: tuple[str, ...], store: str | None, as_json: bool, match: str | None, when: str | None) -> None:
    """Report that TEAM won: its name, its number, or one of its players."""
    from equipoise.play.night import current, team_named

    with night_names.opened_night(store) as evening:
        winner = team_named(evening.night, night_names.unquoted(" ".join(team)))
        ranks = [1.0 if n == winner else 2.0 for n in range(len(current(evening.night).teams))]
        _report(evening, ranks, (), match, when, as_json)


@archive_options.step("draw")
@match_option
@at_option
def draw(store: str | None, as_json: bool, match: str | None, when: str | None) -> None:
    """Report that nobody won."""
    from equipoise.play.night import current

    with night_names.opened_night(store) as evening:
        _report(evening, [1.0] * len(current(evening.night).teams), (), match, when, as_json)


@archive_options.step("score", context_settings={"ignore_unknown_options": True})
@click.argument("scores", nargs=-1, required=True, type=Number(), metavar="N N")
@match_option
@at_option
def score(
    scores: tuple[float, ...], store: str | None, as_json: bool, match: str | None, when: str | None
) -> None:
    """Report the score of each team, in the order shown; more is better."""
    from equipoise.core.plain_data import number_of
    from equipoise.play.night import ranks_of

    counted = [
        number_of(repr(abs(each)), "score", "night") * (-1.0 if each < 0.0 else 1.0) for each in scores
    ]
    with night_names.opened_night(store) as evening:
        _report(evening, ranks_of(counted), counted, match, when, as_json)


def _report(
    evening: Evening, ranks: Sequence[float], scores: Sequence[float], match: str | None, when: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Keep a result once, and say so."""
    from equipoise.play.night import current, match_of, result_event

    event = result_event(evening.night, ranks, scores, evening.time(when), match)
    wanted = match or current(evening.night).id
    if event is not None:
        evening.add(event, match=match_of(evening.night, event))
    if as_json:
        click.echo(json.dumps({"match": wanted, "status": "known" if event is None else "new"}, indent=2))
    elif event is None:
        click.echo("That was reported already; nothing has changed.")
    else:
        best = [n for n, rank in enumerate(ranks) if rank == min(ranks)]
        called = [evening.night.setup.called(n) for n in best]
        text = f"{called[0]} won" if len(best) == 1 else "A draw"
        archive_options.tell(f"{text}. Next teams: equipoise night again (a mistake: equipoise night undo)")


@archive_options.step("undo")
def undo(store: str | None, as_json: bool) -> None:
    """Take back the last step: a result, or teams."""
    from equipoise.play.night import RESULT, UNDO

    with night_names.opened_night(store) as evening:
        if not evening.night.steps:
            msg = "undo: there is no step to take back"
            raise InputError(msg)
        last = evening.night.steps[-1]
        proposal = last.get("proposal") or {}
        match = last["match"] if last["kind"] == RESULT else proposal.get("id")
        evening.add({"kind": UNDO}, undone=match if last["kind"] == RESULT else None)
        if as_json:
            click.echo(json.dumps({"match": match, "status": "undone", "step": last["kind"]}, indent=2))
            return
        click.echo({RESULT: "The result is taken back."}.get(last["kind"], "The last step is taken back."))
        if evening.night.proposal is not None:
            from equipoise.pages.text.night import proposal_lines

            lines = proposal_lines(evening.night.setup, evening.night.proposal, evening.night.spelled)
            click.echo("\n".join(lines))


@archive_options.step("table")
@table_forms
def everyone(store: str | None, as_json: bool, form: str | None = None) -> None:
    """Show everyone: ratings, games, sitting out, and the current teams."""
    from equipoise.pages.text.night import table_lines, table_rows

    with night_names.opened_night(store) as evening:
        rows = evening.rows()
        if as_json:
            proposal = evening.night.proposal
            teams = [] if proposal is None else [list(team) for team in proposal.teams]
            plain = {"players": rows, "id": None if proposal is None else proposal.id, "teams": teams}
            click.echo(json.dumps({**plain, "games": len(evening.night.results)}, indent=2))
        elif form is not None:
            columns, *cells = table_rows(rows)
            click.echo(table(columns, cells, form))
        elif rows:
            click.echo("\n".join(table_lines(evening.night, rows)))
        else:
            click.echo("Nobody has come yet: equipoise night NAMES makes teams.")
