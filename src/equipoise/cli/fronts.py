"""``equipoise balance --pareto``: the Pareto front of two objectives as a table, JSON or a picture."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli.requests import two_objectives
from equipoise.errors import InputError

if TYPE_CHECKING:
    from equipoise.teams.request import BalanceRequest

#: Options that a front, which is all there is between two objectives, leaves nothing to do for.
NOT_BESIDES = ("objective", "then", "within", "combine", "rerank", "keep", "spacing", "choose")


def show_front(request: BalanceRequest, options: Mapping[str, Any]) -> None:
    """Print the front, and draw it where a picture is asked for."""
    from equipoise.pages.pictures.front import front_svg
    from equipoise.pages.text.teams import front_lines
    from equipoise.teams.pareto import pareto

    for name in NOT_BESIDES:
        if options[name] not in (None, ()):
            msg = f"--pareto cannot be used with --{name}"
            raise InputError(msg)
    front = pareto(request, *two_objectives(options["pareto"]))
    if options["as_json"]:
        print_json(front.as_dict())
    if front.nothing is not None:
        click.echo(f"error: {front.nothing.status}: {front.nothing.reason}", err=True)
        sys.exit(1)
    if not options["as_json"]:
        click.echo("\n".join(front_lines(front)))
    if options["plot"]:
        write_plot(options["plot"], front_svg(front))


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
