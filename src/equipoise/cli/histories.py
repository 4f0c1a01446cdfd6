"""What the commands on match files share: reading them with messages and a progress bar, models by name."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from equipoise.errors import InputError, UnknownNameError
from equipoise.registry import MODELS, resolve

if TYPE_CHECKING:
    from equipoise.types import Match

#: Messages about single records that are printed; the rest are only counted.
MOST_MESSAGES = 20


@dataclass(slots=True)
class History:
    """Matches that were read, and how many records could not be."""

    matches: list[Match] = field(default_factory=list)
    skipped: int = 0

    def finish(self) -> None:
        """End with exit code 1 and a count where something could not be read."""
        if self.skipped:
            records = "record" if self.skipped == 1 else "records"
            click.echo(f"error: {self.skipped} {records} skipped, {len(self.matches)} matches read", err=True)
            sys.exit(1)


def read_history(sources: tuple[str, ...], *, strict: bool = False) -> History:
    """Read match files; say what is wrong with single records on standard error.

    Raises
    ------
    InputError
        If a file cannot be read, there is no match in any, or (strict) at the first wrong record.
    """
    from equipoise.adapters.matches import read_matches
    from equipoise.types import Skipped

    history = History()
    known: dict[str, Match] = {}
    with progress_bar() as tell:
        for source in sources:
            for one in read_matches(source, tell):
                skipped = one if isinstance(one, Skipped) else _repeated(one, known, source)
                if skipped is None:
                    continue
                if strict:
                    msg = f"{skipped.where}: {skipped.reason}"
                    raise InputError(msg)
                history.skipped += 1
                if history.skipped <= MOST_MESSAGES:
                    click.echo(f"{skipped.where}: {skipped.reason}", err=True)
    history.matches = list(known.values())
    if not history.matches:
        msg = f"{', '.join(sources)}: there is no match in it; docs/match-files.md describes the format"
        raise InputError(msg)
    return history


def _repeated(match: Match, known: dict[str, Match], source: str) -> Any:
    """Keep a match; return what to say where another one has its id."""
    from equipoise.types import Skipped

    if known.setdefault(match.id, match) == match:
        return None
    return Skipped(source, f"id: a different match has the id {match.id!r} too; an id stands for one match")


@contextmanager
def progress_bar() -> Iterator[Callable[[float], None] | None]:
    """Give a function that draws how far something is, where a person watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("reading", total=1.0)
        yield lambda part: progress.update(task, completed=part)


def model_named(name: str) -> Any:
    """Return a model by its name, made without arguments.

    Raises
    ------
    click.UsageError
        If there is no such model.
    """
    try:
        return resolve("model", MODELS, name)()
    except UnknownNameError as error:
        raise click.UsageError(str(error)) from error


def table(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Return a table as people read it: the first column to the left, the others to the right."""
    widths = [max(len(row[n]) for row in (columns, *rows)) for n in range(len(columns))]
    lines = [
        "  ".join(
            cell.ljust(width) if n == 0 else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (columns, *rows)
    ]
    return "\n".join(lines)
