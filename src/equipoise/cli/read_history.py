"""What the commands on match files share: reading them with messages and a progress bar."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from equipoise.cli.archive_options import progress_bar
from equipoise.cli.output_options import OneOf
from equipoise.errors import InputError
from equipoise.identity.roster_lookup import of_matches

if TYPE_CHECKING:
    from equipoise.core.match import Match, Ruleset
    from equipoise.games.plain.reader import Faults
    from equipoise.ratings.history_columns import Columns


#: Records that are listed one by one for files without any match.
MOST_LISTED = 10


@dataclass(slots=True)
class ReadHistory:
    """Matches that were read, how many records could not be, and what finds ids by name."""

    matches: list[Match] = field(default_factory=list)
    skipped: int = 0
    find: Callable[[str], str] = str

    def finish(self) -> None:
        """End with exit code 1 and a count where something could not be read."""
        _finish(self.skipped, len(self.matches))


@dataclass(slots=True)
class ColumnsOfHistory:
    """Matches that are read into columns, in parts or at once, and how many records could not be.

    Parts are read as they are gone through, once; only then it is known how many there are.
    """

    parts: Iterable[Columns] = ()
    skipped: int = 0
    read: int = 0
    in_parts: bool = False

    def finish(self) -> None:
        """End with exit code 1 and a count where something could not be read."""
        _finish(self.skipped, self.read)


def _finish(skipped: int, read: int) -> None:
    if skipped:
        records = "record" if skipped == 1 else "records"
        matches = "match" if read == 1 else "matches"
        click.echo(f"error: {skipped} {records} skipped, {read} {matches} read", err=True)
        sys.exit(1)


def read_columns_of(
    sources: tuple[str, ...], *, since: str | None = None, strict: bool = False, store: str | None = None
) -> ColumnsOfHistory | None:
    """Read match files into columns, and say what is wrong with single records.

    It is None where :func:`read_history` is needed: of an archive, of formats that are rare, where there is
    no match, and to stop at the first wrong record.
    """
    from equipoise.files.match_columns import read_columns
    from equipoise.files.read_matches import FEW

    if store is not None or not sources or "-" in sources or not all(sources):
        return None
    with progress_bar("reading") as tell, everything_kept():
        found = read_columns(sources, tell, most_places=FEW)
    if found is None or not len(found.columns) or (strict and (found.skipped or found.faults)):
        return None
    read = len(found.columns)
    if not _leave(found.columns, since):
        return None
    for skipped in found.skipped:
        click.echo(f"{skipped.where}: {skipped.reason}", err=True)
    say_apart(found.tied_apart, found.places)
    say_faults(found.faults)
    return ColumnsOfHistory([found.columns], len(found.skipped), read)


def read_parts_of(
    sources: tuple[str, ...], what: str, *, since: str | None = None, strict: bool = False
) -> ColumnsOfHistory | None:
    """Read large Parquet files part by part, so that memory need not hold them; None of other files.

    The bar of progress says what is done with each part.
    """
    from equipoise.files.match_columns import PARQUET

    if not sources or not all(source.lower().endswith(PARQUET) for source in sources):
        return None
    from equipoise.files.parquet_parts import ROWS, rows_of_parquet

    if rows_of_parquet(sources) <= ROWS:
        return None
    history = ColumnsOfHistory(in_parts=True)
    history.parts = _read_parts(history, sources, what, since, strict=strict)
    return history


def _read_parts(
    history: ColumnsOfHistory, sources: Sequence[str], what: str, since: str | None, *, strict: bool
) -> Iterator[Columns]:
    """Give the parts that have a match, count what is read, and say what is wrong with it."""
    import tempfile

    from equipoise.files.parquet_parts import ParquetParts
    from equipoise.files.read_matches import FEW

    apart, places, left, faults = 0, list[str](), 0, dict[str, list[str]]()
    with (
        tempfile.TemporaryDirectory(prefix="equipoise-") as folder,
        progress_bar(what) as tell,
        everything_kept(),
    ):
        for part in ParquetParts(sources, Path(folder)).read(tell, most_places=FEW):
            for wrong in part.faults.values() if strict else ():
                raise InputError(wrong[0])
            for skipped in part.skipped:
                if strict:
                    msg = f"{skipped.where}: {skipped.reason}"
                    raise InputError(msg)
                click.echo(f"{skipped.where}: {skipped.reason}", err=True)
            history.skipped += len(part.skipped)
            history.read += len(part.columns)
            apart += part.tied_apart
            places += part.places
            faults |= part.faults
            if _leave(part.columns, since):
                left += len(part.columns)
                yield part.columns
            del part
            gc.collect()  # what reads a part refers to itself, and would stay to the end with all of the part
    say_apart(apart, places)
    say_faults(faults)
    if not left:
        if history.read:
            _fail_since(since, history.read)
        fail_without_match(sources)


def _leave(columns: Columns, since: str | None) -> bool:
    """Leave the matches that ended on a date or after it; tell whether there are any."""
    import numpy as np

    from equipoise.core.match_records import time_from

    if since is not None:
        ended = np.asarray(columns.numbers["ended"])
        kept = np.flatnonzero(ended >= time_from(since, "--since"))
        del ended
        if len(kept):
            columns.arrange(kept)
        return bool(len(kept))
    return len(columns) > 0


def say_apart(contests: int, places: list[str], deciding: str = "ranks") -> None:
    """Say in how many contests ranks and scores do not tie the same teams, and where the first stand."""
    from equipoise.files.read_matches import say_some

    if contests:
        what = f"a winner at equal or fewer points, or a draw at different ones; {deciding} say who won"
        click.echo(f"note: {say_some(contests, 'contest', what, places)}", err=True)


def say_faults(faults: Faults) -> None:
    """Say how many matches are without scores or statistics that are wrong, and where the first stand."""
    from equipoise.files.read_matches import say_left_out

    if faults:
        click.echo(f"note: {say_left_out(faults)}", err=True)


def say_ruleset(ruleset: Ruleset, played: int) -> None:
    """Say of which ruleset an answer is that was asked for without one."""
    from equipoise.core.rulesets import GENERAL, ruleset_text

    if (text := ruleset_text(ruleset)) != GENERAL:
        click.echo(f"The ratings are of {text}.", err=True)
    elif played > 1:
        click.echo(f"The ratings are of skill in general, over {played} rulesets.", err=True)


def say_notes(notes: list[str]) -> None:
    """Say what is to be said of tables of results: that one has no dates, and which cells have no player."""
    for note in notes[:MOST_LISTED]:
        click.echo(f"note: {note}", err=True)
    if len(notes) > MOST_LISTED:
        click.echo(f"... and {len(notes) - MOST_LISTED} more matches with empty cells", err=True)


#: The option of every command that reads results from tables.
dates = click.option(
    "--dates", type=OneOf(["day-first", "month-first"]),
    help="How to read dates such as 03/04/2026 in a table, where no other date of it shows that.",
)  # fmt: skip


def read_history(
    sources: tuple[str, ...], *, strict: bool = False, store: str | None = None, dates: str | None = None
) -> ReadHistory:
    """Read match files, or the matches of an archive; say what is wrong with single records.

    Raises
    ------
    InputError
        If a file cannot be read, there is no match in any, or (strict) at the first wrong record.
    """
    from equipoise.core.match import Match, Skipped
    from equipoise.files.read_matches import read_sparing, tied_apart

    if store is not None:
        if dates is not None:
            msg = "--dates has no use with --store; an archive has its dates"
            raise InputError(msg)
        return _from_archive(sources, store)
    if not sources or not all(sources):
        msg = "FILE is missing; give match files, or --store with an archive"
        raise InputError(msg)
    history = ReadHistory()
    known: dict[str, Match] = {}
    apart: list[str] = []
    faults: Faults = {}
    notes: list[str] = []
    wrong: list[str] = []  # until there is a match: what has none at all is named by a few records
    with progress_bar("reading") as tell, everything_kept():
        for n, source in enumerate(sources):
            part = _part(tell, n, len(sources))
            found = _exported(source) or read_sparing(
                source, None if strict else faults, part, notes.append, dates
            )
            for number, one in enumerate(found, start=1):
                place = f"{source}, match {number}"
                many = len(known)
                skipped = one if isinstance(one, Skipped) else _repeated(one, known, place)
                if skipped is None:
                    if len(known) > many and isinstance(one, Match):
                        scored = (part for part in one.contests if part.scores)
                        many_apart = sum(tied_apart(part.ranks, part.scores) for part in scored)
                        apart += [f"{place} ({one.id!r})"] * many_apart
                    continue
                if strict:
                    msg = f"{skipped.where}: {skipped.reason}"
                    raise InputError(msg)
                history.skipped += 1
                wrong.append(f"{skipped.where}: {skipped.reason}")
                if known:
                    _say_all(wrong)
    _say_all(wrong[: None if known else MOST_LISTED])
    if len(wrong) > MOST_LISTED:
        click.echo(f"... and {len(wrong) - MOST_LISTED} more records that are wrong", err=True)
    history.matches = list(known.values())
    lookup = of_matches(history.matches)
    history.find = lambda name: lookup.id_of(name) or name
    say_apart(len(apart), list(dict.fromkeys(apart)))
    say_faults(faults)
    say_notes(notes)
    if not history.matches:
        fail_without_match(sources)
    return history


def fail_without_match(sources: Sequence[str]) -> NoReturn:
    """Say that there is no match in files."""
    places = ("standard input" if source == "-" else source for source in sources)
    msg = f"{', '.join(places)}: no match found; docs/match-files.md describes the format"
    raise InputError(msg)


def _say_all(texts: list[str]) -> None:
    """Print messages, and take them off the list."""
    for text in texts:
        click.echo(text, err=True)
    texts.clear()


def _from_archive(sources: tuple[str, ...], store: str) -> ReadHistory:
    from equipoise.cli.roster_options import stored_matches

    if any(sources):
        msg = "--store cannot be used with match files; give one of them"
        raise InputError(msg)
    matches, find = stored_matches(store)
    return ReadHistory(matches, find=find)


def _exported(source: str) -> list[Match]:
    """Return the matches of an archive that was exported; none of any other file."""
    if not source.lower().endswith(".parquet"):
        return []
    from equipoise.archive.parquet_file import exported

    return exported(source)


@contextmanager
def everything_kept() -> Iterator[None]:
    """Look for no garbage while a history is read or rated, nor later in it: it is kept to the end."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _repeated(match: Match, known: dict[str, Match], place: str) -> Any:
    """Keep a match; return what to say where another one has its id."""
    from equipoise.core.match import Skipped

    if known.setdefault(match.id, match) == match:
        return None
    return Skipped(place, f"id: another match has the id {match.id!r} too; ids must differ")


def _part(tell: Callable[[float], None] | None, n: int, parts: int) -> Callable[[float], None] | None:
    """Return what tells how far one of several parts is, as part of the whole."""
    return None if tell is None else lambda part: tell((n + part) / parts)


def since(matches: list[Match], date: str | None) -> list[Match]:
    """Return the matches that ended on a date or after it.

    Raises
    ------
    InputError
        If it is no date, or no match is left.
    """
    if date is None:
        return matches
    from equipoise.core.match_records import time_from

    start = time_from(date, "--since")
    kept = [match for match in matches if (match.ended or 0.0) >= start]
    if not kept:
        _fail_since(date, len(matches))
    return kept


def _fail_since(date: str | None, before: int) -> NoReturn:
    """Say that no match is as late as a date."""
    msg = f"--since: no match ended on {date} or after; {before} ended before"
    raise InputError(msg)
