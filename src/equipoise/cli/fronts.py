"""``equipoise balance --pareto``: the Pareto front of two objectives as a table, JSON or a picture."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli.wishing import two_objectives
from equipoise.errors import InputError

if TYPE_CHECKING:
    from equipoise.players import Player
    from equipoise.teams.pareto import Front

#: Options that a front, which is all there is between two objectives, leaves nothing to do for.
NOT_BESIDES = ("objective", "then", "within", "weights", "rerank", "keep", "distance", "choose")


def show_front(players: list[Player], given: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Print the front, and draw it where a picture is asked for."""
    from equipoise.pages.pictures.front import front_svg
    from equipoise.teams.pareto import pareto

    for name in NOT_BESIDES:
        if options[name] not in (None, ()):
            msg = f"--pareto: --{name} is not allowed besides"
            raise InputError(msg)
    front = pareto(players, *two_objectives(options["pareto"]), **given)
    if options["as_json"]:
        print_json(front.as_dict())
    if front.nothing is not None:
        click.echo(f"error: {front.nothing.status}: {front.nothing.reason}", err=True)
        sys.exit(1)
    if not options["as_json"]:
        click.echo(_text(front))
    if options["plot"]:
        write_plot(options["plot"], front_svg(front))


def _text(front: Front) -> str:
    from equipoise.pages.text.words import number, printable

    rows = [("", *front.criteria, "win chance", "first team")]
    for n, ((first, second), split) in enumerate(zip(front.points, front.splits, strict=True), start=1):
        chance = f"{100 * split.win_probability[0]:.1f} %"
        team = ", ".join(printable(player.label) for player in split.teams[0])
        rows.append((f"{n}.", number(first), number(second), chance, team))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = [
        "  ".join([*(cell.rjust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]).rstrip()
        for row in rows
    ]
    proof = "proven to be all there are" if front.complete else "not proven to be all there are"
    return "\n".join([*lines, f"Divisions between which there is a choice: {len(front.points)}, {proof}."])


def print_json(plain: Mapping[str, Any]) -> None:
    """Print plain data as JSON, in the characters that the terminal has."""
    in_unicode = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    click.echo(json.dumps(plain, ensure_ascii=not in_unicode, allow_nan=False, indent=2))


def write_plot(path: str, picture: str) -> None:
    """Write a picture to the file of ``--plot``."""
    from pathlib import Path

    try:
        Path(path).write_text(picture, encoding="utf-8")
    except OSError as error:
        msg = f"--plot: {path} cannot be written: {error.strerror or error}"
        raise InputError(msg) from error
