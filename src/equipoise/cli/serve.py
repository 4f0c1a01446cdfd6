"""``equipoise serve``: answers game servers, from an archive."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
from importlib.metadata import version
from typing import Any

import click

from equipoise.cli.output_options import Number, Whole
from equipoise.errors import InputError
from equipoise.service.settings import Settings, place_of, read_settings

#: How flags take the kinds of settings that a value may be wrong for.
KINDS = {int: Whole(), float: Number()}


def flags(command: Callable[..., None]) -> Callable[..., None]:
    """Add a flag for each setting that may be seen in a list of processes."""
    for each in reversed([each for each in fields(Settings) if each.metadata]):
        kind = type(each.default)
        name = each.name.replace("_", "-")
        shown = f" [default: {each.default}]" if kind in (int, float) else ""
        add = click.option(
            f"--{name}/--no-{name}" if kind is bool else f"--{name}",
            each.name,
            default=None,
            type=KINDS.get(kind, kind),
            metavar=None if kind is bool else each.metadata["metavar"],
            help=f"{each.metadata['help']}{shown}",
        )
        command = add(command)
    return command


@contextmanager
def naming(place: Callable[[str], str]) -> Iterator[None]:
    """Let an error about a setting name where it was set: the flag, the variable, or the line of the file."""
    try:
        yield
    except InputError as error:
        known = error.argument in {each.name for each in fields(Settings)}
        raise error.named(place(error.argument)) if known else error from None


@click.command(name="serve")
@click.option("--config", metavar="FILE", help="A TOML file with these settings in a table [serve].")
@flags
def command(config: str | None, **typed: Any) -> None:
    """Answer what game servers ask about their players: weights, teams, chances.

    Every setting may also come from the environment, as EQUIPOISE_STORE, and in the file; flags come first.
    """  # fmt: skip

    def read() -> Settings:
        return read_settings(config, os.environ, typed)

    place = partial(place_of, path=config, environment=os.environ, flags=typed)
    with naming(place):
        settings = read()

    from equipoise.archive.open_database import shown
    from equipoise.service.monitoring import log_events
    from equipoise.service.process import Begun, run

    def say(begun: Begun) -> None:
        where = f"[{begun.host}]" if ":" in begun.host else begun.host
        known = ", ".join(
            f"{number} {noun}{'' if number == 1 else 's'}"
            for number, noun in ((begun.players, "player"), (begun.rulesets, "ruleset"))
        )
        click.echo(
            f"equipoise {version('equipoise')} serves {shown(settings.store)} ({known}), "
            f"weights: listening on {where}:{begun.port}"
            + (f", http: listening on {begun.http[0]}:{begun.http[1]}" if begun.http else "")
        )

    log_events(settings.log_level, as_json=settings.json_logs)
    with naming(place):
        run(settings, say, read)
