"""``equipoise games``: which games' logs are read, and what a description of a game makes of a log."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from equipoise.cli.output_options import print_json, table, table_forms, with_json
from equipoise.core.registry import GAMES, SERVERS, resolve
from equipoise.errors import InputError

if TYPE_CHECKING:
    from equipoise.games.described_game import DescribedGame, Understood
    from equipoise.games.log_reader import Parsed


@click.group(name="games")
def command() -> None:
    """List the games whose logs are read, and try a description of another one."""


@command.command(name="list")
@table_forms
@with_json
def _list(as_json: bool, form: str | None = None) -> None:
    """List the games whose logs are read, and servers to balance."""
    rows: list[dict[str, str]] = []
    for name in GAMES:
        game = resolve("game", GAMES, name)
        live = [server for server in SERVERS if resolve("server", SERVERS, server).game == name]
        rows.append({"game": name, "logs": game.server or "results of any game", "live": ", ".join(live)})
    if as_json:
        print_json({"games": rows})
        return
    click.echo(table(("game", "logs", "live"), [tuple(row.values()) for row in rows], form))


@command.command(name="try")
@click.argument("description", metavar="FILE.toml")
@click.argument("log", metavar="LOG")
@click.option("--missed", is_flag=True, help="Show only lines that mean nothing to the description.")
@with_json
def _try(description: str, log: str, missed: bool, as_json: bool) -> None:
    """Show what a description makes of each line of a log.

    FILE.toml describes the game, see docs/how-to/describe-a-game.md; LOG is a log, compressed or not, or -.
    """
    from equipoise.archive.ingest.log_files import find_logs, pieces
    from equipoise.files.read_game import read_game

    game = read_game(description)
    lines: list[Understood] = []
    reader = game.reader(log)
    reader.tell = lines.append
    (source, *others) = find_logs((log,))
    if others:
        msg = f"LOG must be one log, got {log}"
        raise InputError(msg)
    found: list[Parsed] = []
    for piece in pieces(source):
        found += reader.read(piece)
    unended = len(lines)
    found += reader.read(b"\n") if reader.lines.rest() else []
    unended = lines[-1].number if len(lines) > unended else 0
    found += reader.finish()
    if as_json:
        print_json({
            "understood": sum(bool(line.event) for line in lines), "lines": len(lines),
            "found": [_outcome(one) for one in found],
            "read": [{"line": line.number, "text": line.text, "event": line.event or None,
                      "values": dict(line.values), "outcome": line.outcome} for line in lines],
        })  # fmt: skip
        return
    _show(game, lines, found, missed=missed)
    if unended:
        click.echo(f"Line {unended}, the last, has no line feed: a log is read up to the last one it has.")


def _show(game: DescribedGame, lines: list[Understood], found: list[Parsed], *, missed: bool) -> None:
    """Print what was made of each line, then what came out."""
    for line in lines:
        if missed and line.event:
            continue
        meant = line.event
        if line.values:
            meant += " " + ", ".join(f"{key} {value}" for key, value in line.values.items())
        if line.outcome:
            meant += f"; {line.outcome}"
        click.echo(f"{line.number:6}  {line.text}" if missed else f"{line.number:6}  {meant or '-'}")
        if not (missed or line.event):
            click.echo(f"        {line.text[:100]}")
    understood = sum(bool(line.event) for line in lines)
    click.echo(f"{game.name}: {understood} of {len(lines)} lines mean something.")
    others = [line for line in lines if line.text.strip() and game.framed(line.text.encode()) is None]
    if others:
        forms = " or ".join(map(repr, game.lines))
        click.echo(f"{len(others)} are not of the form {forms}; the first is line {others[0].number}.")
    for one in found:
        outcome = _outcome(one)
        click.echo(f"{outcome['where']}: {outcome['result']}" if outcome["where"] else outcome["result"])
    if not found:
        click.echo("No game began.")
        sys.exit(1)


def _outcome(one: Parsed) -> dict[str, str]:
    """Return what a game came to, in words."""
    from equipoise.core.match import Match
    from equipoise.core.rulesets import ruleset_text

    if not isinstance(one, Match):
        return {"where": one.where, "result": f"does not count: {one.reason}"}
    contest = one.contests[-1]
    names = dict(one.names)
    teams = " against ".join(
        ", ".join(names.get(player, player) for player, _ in team)
        + (f" ({contest.scores[n]:g})" if contest.scores else f" (place {contest.ranks[n] + 1:g})")
        for n, team in enumerate(contest.teams)
    )
    return {"where": "", "result": f"A game of {ruleset_text(one.ruleset)}: {teams}."}
