"""From logs to an archive: which game a log is of, its matches in batches, and what there is to tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from equipoise.archive.archive import Archive
from equipoise.errors import InputError
from equipoise.ingest.logs import Progress, Source, UnreadableLogError, pieces
from equipoise.logs.guessing import HEAD, Guess, guess_game
from equipoise.logs.reading import Parsed, Reader
from equipoise.logs.rules import Rules, unknown_mutators
from equipoise.matches import Match, Ruleset, Skipped, Unfinished
from equipoise.registry import GAMES, resolve

#: Matches that are kept with one commit: enough that waiting for the disk is a small part of the time.
BATCH = 1000

#: Skipped lines that are told one by one; the others are only counted.
MOST_TOLD = 10

#: What leaves it to the first bytes of a log which game it is of.
AUTO = "auto"


@dataclass(slots=True)
class Tally:
    """What came of reading logs.

    Parameters
    ----------
    matches, duplicates : int
        Matches that were new, and that the archive had already.
    unfinished : int
        Games without a result.
    skipped_lines : int
        Lines or records that could not be read.
    first_skipped, first_unfinished : list
        The first few of them.
    unknown_mutators : dict of str to set of str
        For each game the mutators that are in none of its tables; they count as changing play.
    files : list of dict
        Each log, the game it is of, and by what it was recognised.
    failed : list of str
        What could not be read, with the reason.
    """

    matches: int = 0
    duplicates: int = 0
    unfinished: int = 0
    skipped_lines: int = 0
    first_skipped: list[Skipped] = field(default_factory=list)
    first_unfinished: list[Unfinished] = field(default_factory=list)
    unknown_mutators: dict[str, set[str]] = field(default_factory=dict)
    files: list[dict[str, str]] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


class Ingest:
    """Takes what readers give, keeps matches in batches, and counts the rest."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.tally = Tally()
        self._batch: list[Match] = []
        self._tables: Sequence[Rules] = ()
        self._seen: set[Ruleset] = set()

    def take(self, parsed: Iterable[Parsed]) -> None:
        """Take what came out of a log."""
        tally = self.tally
        for one in parsed:
            if isinstance(one, Match):
                self._batch.append(one)
                self._look_at(one.ruleset)
                if len(self._batch) >= BATCH:
                    self.keep()
            elif isinstance(one, Skipped):
                tally.skipped_lines += 1
                if len(tally.first_skipped) < MOST_TOLD:
                    tally.first_skipped.append(one)
            else:
                tally.unfinished += 1
                if len(tally.first_unfinished) < MOST_TOLD:
                    tally.first_unfinished.append(one)

    def _look_at(self, ruleset: Ruleset) -> None:
        """Note the mutators of a ruleset that are in no table."""
        if ruleset not in self._seen:
            self._seen.add(ruleset)
            if unknown := unknown_mutators(self._tables, ruleset):
                self.tally.unknown_mutators.setdefault(ruleset.game, set()).update(unknown)

    def begin(self, guess: Guess, label: str, first_line: int = 1) -> Reader:
        """Begin with a log, and return the reader of its game."""
        self._tables = tuple(guess.game.rules())
        return guess.game.reader(label, first_line)

    def keep(self) -> None:
        """Keep the matches that were taken."""
        if not self._batch:
            return
        recorded = self.archive.record(self._batch)
        self.tally.matches += recorded.new
        self.tally.duplicates += recorded.duplicates
        self._batch = []

    def read(self, source: Source, game: str = AUTO, progress: Progress | None = None) -> None:
        """Read one log to its end.

        What cannot be read is noted; what came before counts.

        Raises
        ------
        InputError
            If the archive cannot be written.
        """
        content = pieces(source, progress)
        try:
            head = _head(content)
            guess = recognise(head, game)
            if guess is None:
                self._not_recognised(source, head)
                return
            self.tally.files.append({"file": source.label, "game": guess.name, "by": guess.because})
            reader = self.begin(guess, source.label)
            for piece in chain([head], content):
                self.take(reader.read(piece))
        except UnreadableLogError as error:
            self.tally.failed.append(str(error))
            return
        self.take(reader.finish())

    def _not_recognised(self, source: Source, head: bytes) -> None:
        """Say of a log that its game is not known; one that was found in a directory need not be one."""
        reason = "it is empty" if not head else "it is not the log of any game that is known"
        told = f"{source.label}: {reason}; --game says which one, of: {', '.join(GAMES)}"
        if source.named and head:
            self.tally.failed.append(told)
        else:
            self.tally.files.append({"file": source.label, "game": "", "by": reason})


def _head(content: Iterator[bytes]) -> bytes:
    """Return the first bytes of a log, as many as a game is recognised by."""
    head = b""
    for piece in content:
        head += piece
        if len(head) >= HEAD:
            break
    return head


def recognise(head: bytes, game: str = AUTO) -> Guess | None:
    """Return the game of a log, None where it is of no game that is known.

    Parameters
    ----------
    head : bytes
        Its first bytes.
    game : str
        A registered name, ``"module:attribute"``, or ``"auto"``.
    """
    if game != AUTO:
        return Guess(game, resolve("game", GAMES, game), "--game")
    try:
        return guess_game(head)
    except InputError:
        return None


def plain(tally: Tally) -> dict[str, object]:
    """Return a tally as plain data."""
    return {
        "matches": tally.matches,
        "duplicates": tally.duplicates,
        "unfinished": tally.unfinished,
        "skipped_lines": tally.skipped_lines,
        "first_skipped": _told(tally.first_skipped),
        "first_unfinished": _told(tally.first_unfinished),
        "unknown_mutators": {game: sorted(names) for game, names in tally.unknown_mutators.items()},
        "files": tally.files,
        "failed": tally.failed,
    }


def _told(entries: Iterable[Skipped | Unfinished]) -> list[Mapping[str, str]]:
    return [{"where": one.where, "reason": one.reason} for one in entries]
