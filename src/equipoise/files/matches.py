"""Match files: JSONL, CSV, Parquet and npz, from names of files to matches.

A record that is wrong becomes a :class:`~equipoise.matches.Skipped` that says where and which field, and the
rest goes on.  The format is described in docs/match-files.md and docs/match.schema.json.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from equipoise.files.rosters import content_of
from equipoise.games.plain import Progress
from equipoise.logs.reading import Parsed
from equipoise.matches import Match, Skipped, Unfinished

#: Bytes between two reports of progress.
STEP = 1 << 18


def read_matches(source: str, progress: Progress | None = None) -> Iterator[Match | Skipped]:
    """Read matches from a file, or JSONL from standard input where the source is ``-``.

    Parameters
    ----------
    source : str
        A path or ``-``.  The ending says the format: ``.csv``, ``.tsv``, ``.parquet`` (needs the extra
        ``parquet``), ``.npz``; anything else is JSONL.
    progress : callable, optional
        Called now and then with how far a file was read.

    Raises
    ------
    InputError
        If the file cannot be read at all.
    """
    from equipoise.files import match_tables
    from equipoise.files.kinds import check
    from equipoise.games.plain import GAME, csv_rows, from_rows, silence

    tell = progress or silence
    ending = Path(source).suffix.lower()
    if ending == ".npz":
        yield from match_tables.from_npz(source, tell)
        return
    if ending == ".parquet":
        yield from from_rows(match_tables.parquet_rows(source, tell), tell)
        return
    where, content = content_of(source)
    check(content, where, "matches")
    if ending in (".csv", ".tsv"):
        yield from from_rows(csv_rows(content, where, "\t" if ending == ".tsv" else "", tell), tell)
        return
    reader = GAME.reader(where)
    for start in range(0, len(content), STEP):
        yield from _records(reader.read(content[start : start + STEP]))
        tell(start / len(content))
    yield from _records(reader.finish())


def _records(found: Iterable[Parsed]) -> Iterator[Match | Skipped]:
    """Leave out unfinished games, which a file of results has none of."""
    return (one for one in found if not isinstance(one, Unfinished))


def tied_apart(ranks: Sequence[float], scores: Sequence[float]) -> bool:
    """Tell whether one of ranks and scores ties teams that the other tells apart, as a tie-break does.

    Examples
    --------
    >>> tied_apart((0, 1), (3, 3)), tied_apart((0, 0), (3, 1)), tied_apart((0, 1), (3, 1))
    (True, True, False)
    """
    teams = sorted(zip(ranks, scores, strict=True), key=lambda team: (team[0], -team[1]))
    return any((one[0] == other[0]) != (one[1] == other[1]) for one, other in itertools.pairwise(teams))
