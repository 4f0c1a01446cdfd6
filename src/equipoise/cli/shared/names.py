"""Rosters for commands: ``--read``, and the question to a person where a line can be read in several ways."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from equipoise.errors import READS, AmbiguousError

if TYPE_CHECKING:
    from equipoise.files.rosters import Roster

#: The option that says how lines with numbers are read.
read_option = click.option(
    "--read", type=click.Choice(READS), default=None,
    help="How to read lines with numbers in case of doubt: which number is the weight, or that none is.",
)  # fmt: skip


def read_players(source: str, read: str | None) -> Roster:
    """Return the players of a file, or of standard input where the source is ``-``.

    A person at a terminal is asked how to read what can be read in several ways.
    """
    from equipoise.files.contents import content_of
    from equipoise.files.rosters import ending_of, parse_roster

    at_terminal = sys.stdin is not None and sys.stdin.isatty()
    if source == "-" and at_terminal:
        click.echo("Type or paste names, one a line; end with Ctrl-D on a line of its own.", err=True)
    where, content = content_of(source)
    while True:
        try:
            return parse_roster(content, where, ending_of(source), read)
        except AmbiguousError as error:
            if not (error.ways and at_terminal and source != "-"):
                raise
            click.echo(f"{error.where}: {error.text!r} can be read in several ways:", err=True)
            for reading in error.readings:
                click.echo(f"  {reading}", err=True)
            read = click.prompt("Read it as", type=click.Choice(list(error.ways)), err=True)
