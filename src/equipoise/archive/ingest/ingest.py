"""From logs to an archive: which game a log is of, its matches in batches, and what there is to tell.

Of a live log what is new is read, kept and learnt from, step by step.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain as joined
from itertools import pairwise
from pathlib import Path
from types import TracebackType

from equipoise.archive.archive import Archive
from equipoise.archive.ingest.custom_mutators import Mutators, without_mutators
from equipoise.archive.ingest.follow_log import BREAK, Following, LogPosition
from equipoise.archive.ingest.log_files import (
    ITS_NAME,
    Progress,
    Source,
    UnreadableLogError,
    date_of,
    piece_of,
    pieces,
)
from equipoise.archive.standing import Updated
from equipoise.core.dates import SourceDates, Zone, moments_in_order, zone_named
from equipoise.core.match import Match, Ruleset, Skipped, Unfinished
from equipoise.core.plain_data import short
from equipoise.core.registry import GAMES, resolve
from equipoise.core.rulesets import GameRules, unknown_mutators
from equipoise.errors import InputError
from equipoise.files.file_kinds import mistaken
from equipoise.files.machine_zone import machine_zone
from equipoise.files.read_game import ENDING, read_game
from equipoise.games.log_reader import HEAD, Game, Guess, Parsed, Reader, guess_game

#: Matches that are kept with one commit: enough that waiting for the disk is a small part of the time.
BATCH = 1000  # effort

#: The "game" of files of matches, which are JSON as much else is.
MATCHES = "plain"

#: Skipped lines that are listed one by one; the others are only counted.
MOST_LISTED = 10

#: Why a match that the archive has otherwise is not kept.
CONFLICT = "the archive has a different match with this id, which stays; give this one an id of its own"

#: How that ends by which games are dated where no date was given.
TIMES = ("the time of the file", "the time of reading")

#: What results are of, which somebody reports.
PLAIN = "plain"

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
    unknown_games : set of str
        Games of a family that no table of it knows; they are treated as what the family has in common.
    files : list of dict
        Each log, the game it is of, and by what it was recognised.
    dated_by : dict of str to str
        For each source with games without dates by what they were dated, where a time of a file was needed.
    ahead : dict of str to (str, int)
        For each source with games dated ahead of the clock, by how much the first is, and how many.
    set_back : dict of str to int
        For each source how many games are dated before those above them, as where a clock was set back.
    zones : dict of str to str
        For each source with local times the zone that they were read in.
    moved : int
        Known games that have another date now, as they were read in another zone.
    others : list of str
        The ids of known rows of tables that mean other people now, and stay those of whom they were.
    twice : int
        Matches that were probably reported as results too, and so count twice.
    first_twice : list of (str, str)
        The first few of them, with the ids of the results.
    failed : list of str
        What could not be read, with the reason.
    shared : dict of str to (str, int)
        Ids that turned out to be several people's, with the server and how many they are.
    """

    matches: int = 0
    duplicates: int = 0
    unfinished: int = 0
    skipped_lines: int = 0
    first_skipped: list[Skipped] = field(default_factory=list)
    first_unfinished: list[Unfinished] = field(default_factory=list)
    unknown_mutators: dict[str, set[str]] = field(default_factory=dict)
    unknown_games: set[str] = field(default_factory=set)
    files: list[dict[str, str]] = field(default_factory=list)
    dated_by: dict[str, str] = field(default_factory=dict)
    ahead: dict[str, tuple[str, int]] = field(default_factory=dict)
    set_back: dict[str, int] = field(default_factory=dict)
    zones: dict[str, str] = field(default_factory=dict)
    moved: int = 0
    others: list[str] = field(default_factory=list)
    twice: int = 0
    first_twice: list[tuple[str, str]] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    shared: dict[str, tuple[str, int]] = field(default_factory=dict)


class Ingest:
    """Takes what readers give, keeps matches in batches, and counts the rest.

    Parameters
    ----------
    archive : Archive
        Where matches are kept.
    assumed : float, optional
        When games were whose log has no dates, nor its name; by default the time of the file says it.
    mutators : Mutators, optional
        What counts as a mutator beside the tables, and what does not.
    zone : Zone, optional
        That of local times; by default that which is kept with each source, or of what lies beside it, or
        else this machine's.  Where it is given, games that are known get their dates again.
    hold : bool
        Whether to hold all matches in memory until :meth:`let_go`, so that somebody can look at them before
        anything is kept.
    """

    def __init__(
        self,
        archive: Archive,
        assumed: float | None = None,
        mutators: Mutators | None = None,
        zone: Zone | None = None,
        *,
        hold: bool = False,
    ) -> None:
        self.archive = archive
        #: Batches that are held, with the ids of what is dated in each, and whether each is of results.
        self._held: list[tuple[list[Match], set[str], bool]] | None = [] if hold else None
        self._assumed = assumed
        self._zone = zone
        #: Whether games that are known get their dates again.
        self.redates = zone is not None
        self._zones = archive.zones()
        #: Zones of sources with local times that are to be kept.
        self._new_zones: dict[str, str] = {}
        #: What the present source is kept as; empty where it has no place.
        self._kept_as = ""
        self._mutators = {} if mutators is None else mutators.gameplay
        self._cosmetic = {} if mutators is None else mutators.cosmetic
        #: What gives dates to the games of the present source that have none.
        self.dating = SourceDates(0.0, in_order=False)
        self._dated_by = ""
        self._label = ""
        self.tally = Tally()
        #: What gave dates to the piece of the log before the present one.
        self._chained: SourceDates | None = None
        self._batch: list[Match] = []
        #: The ids of those of them whose dates follow from what their sources say: in lines, or in a name.
        self._dated: set[str] = set()
        self._tables: Sequence[GameRules] = ()
        self._seen: set[Ruleset] = set()
        #: Whether the present source is of results, and whether there are logs that they may repeat.
        self._reported = False
        self._logs_there: bool | None = None

    def _in_time(self, match: Match) -> Match:
        """Return a match with a date, and count what is to be said of it."""
        rests_on_zone = self.dating.rests_on_zone(match)
        if match.dated or rests_on_zone:
            self._dated.add(match.id)
        if rests_on_zone and self._label not in self.tally.zones:
            name = self.tally.zones[self._label] = self.dating.zone.name
            if self._kept_as and self._zones.get(self._kept_as) != name:
                self._zones[self._kept_as] = self._new_zones[self._kept_as] = name
        dated = self.dating.dated(match, time.time())
        if dated.ahead:
            first, many = self.tally.ahead.get(self._label, (dated.ahead, 0))
            self.tally.ahead[self._label] = first, many + 1
        if dated.set_back:
            self.tally.set_back[self._label] = self.tally.set_back.get(self._label, 0) + 1
        return dated.match

    def source(self, path: str) -> Zone:
        """Begin with what is read from a file, and return the zone of its local times."""
        self._label = path
        log = Path(path).absolute()
        log = log.with_name(piece_of(log.name).log)
        self._kept_as = str(log)
        if self._zone is not None:
            return self._zone
        known = self._zones.get(self._kept_as)
        beside = {zone for one, zone in self._zones.items() if Path(one).parent == log.parent}
        if known is None and len(beside) == 1:
            (known,) = beside
        return machine_zone() if known is None else zone_named(known)

    def table(self, path: str) -> None:
        """Begin with a table, in which rows may stand in any order; see :meth:`moments`."""
        self.dating = SourceDates(0.0, self.source(path), in_order=False)

    def moments(self, times: Sequence[tuple[float, bool]]) -> Sequence[float]:
        """Return when the matches of the table were, from their times and whether each is local.

        Where these can be in the order of the rows, that tells apart what clocks show twice, as in a log.
        """
        zone = self.dating.zone
        first = [zone.moment(when) if is_local else when for when, is_local in times]
        if all(early <= late for early, late in pairwise(first)):
            return first
        ordered = moments_in_order(times, zone)
        if ordered is None:
            return first
        self.dating = SourceDates(0.0, zone)
        return ordered

    def take(self, parsed: Iterable[Parsed]) -> None:
        """Take what came out of a log."""
        tally = self.tally
        for one in parsed:
            if isinstance(one, Match):
                if not one.dated and self._dated_by:
                    tally.dated_by[self._label] = self._dated_by
                match = self._in_time(one)
                if self._cosmetic:
                    match = without_mutators(match, self._cosmetic)
                self._batch.append(match)
                self._look_at(match.ruleset)
                if len(self._batch) >= BATCH:
                    self.keep()
            elif isinstance(one, Skipped):
                self._skip(one)
            else:
                tally.unfinished += 1
                if len(tally.first_unfinished) < MOST_LISTED:
                    tally.first_unfinished.append(one)

    def _skip(self, one: Skipped) -> None:
        self.tally.skipped_lines += 1
        if len(self.tally.first_skipped) < MOST_LISTED:
            self.tally.first_skipped.append(one)

    def _look_at(self, ruleset: Ruleset) -> None:
        """Note the mutators of a ruleset that are in no table."""
        if ruleset not in self._seen:
            self._seen.add(ruleset)
            if self._tables and all(table.game != ruleset.game for table in self._tables):
                self.tally.unknown_games.add(ruleset.game)
            counted = self._mutators.get(ruleset.game, frozenset())
            if unknown := set(unknown_mutators(self._tables, ruleset)) - counted:
                self.tally.unknown_mutators.setdefault(ruleset.game, set()).update(unknown)

    def begin(self, guess: Guess, label: str, first_line: int = 1) -> Reader:
        """Begin with a log, and return the reader of its game."""
        if self._reported != (guess.name == PLAIN):
            self.keep()
            self._reported = not self._reported
        self._tables = tuple(guess.game.rules())
        extended = getattr(guess.game, "with_mutators", None)
        game = guess.game if extended is None or not self._mutators else extended(self._mutators)
        return game.reader(label, first_line)

    def held(self) -> Iterator[Match]:
        """Go through the matches that are held."""
        for batch, _, _ in self._held or ():
            yield from batch

    def let_go(self) -> None:
        """Keep the matches that were held, and those that follow as they come."""
        held, self._held = self._held or [], None
        reported = self._reported
        for self._batch, self._dated, self._reported in held:
            self.keep()
        self._reported = reported

    def keep(self) -> None:
        """Keep the matches that were taken, or hold them."""
        if not self._batch:
            return
        if self._held is not None:
            self._held.append((self._batch, self._dated, self._reported))
            self._batch, self._dated = [], set()
            return
        if self._new_zones:  # before the games, so that none is there without its zone
            self.archive.keep_zones(self._new_zones)
            self._new_zones = {}
        recorded = self.archive.record(self._batch, redate=self._dated if self.redates else ())
        self.tally.moved += recorded.moved
        self.tally.others += recorded.others
        if recorded.shared:
            for one in self.archive.doubtful():
                if one.id in recorded.shared:
                    where = ", ".join(one.servers) or self._label
                    self.tally.shared[one.id] = where, len(one.people)
        if not self._reported:
            self._logs_there = True
        elif self._logs_there is None:
            self._logs_there = self.archive.has_logs()
        if recorded.new and self._logs_there:
            twins = self.archive.reported_too(self._batch)
            self.tally.twice += len(twins)
            self.tally.first_twice += twins[: MOST_LISTED - len(self.tally.first_twice)]
        self.tally.matches += recorded.new
        self.tally.duplicates += recorded.duplicates
        for conflict in recorded.conflicts:
            self._skip(Skipped(f"match {short(conflict)}", CONFLICT))
        self._batch, self._dated = [], set()

    def read(self, chain: Sequence[Source], game: str = AUTO, progress: Progress | None = None) -> None:
        """Read one log to its end: a file, or pieces of a log of which each goes on where the last one ended.

        What cannot be read is noted; what came before counts.

        Parameters
        ----------
        chain : sequence of Source
            See :func:`equipoise.archive.ingest.log_files.in_chains`.
        game : str
            A registered name, ``"module:attribute"``, or ``"auto"``.
        progress : callable, optional
            Called with how many bytes were read.

        Raises
        ------
        InputError
            If the archive cannot be written.
        """
        reader: Reader | None = None
        fed = done = 0
        self._chained = None
        for source in chain:
            if reader is not None and reader.settled == fed:
                self.take(reader.finish())
                reader = None
            tell = None if progress is None else _after(progress, done)
            try:
                reader, fed = self._read(source, game, tell, reader, fed)
            except UnreadableLogError as error:
                self.tally.failed.append(str(error))
                reader = None
            done += source.size
        if reader is not None:
            self.take(reader.finish())

    def _read(
        self, source: Source, game: str, progress: Progress | None, reader: Reader | None, fed: int
    ) -> tuple[Reader | None, int]:
        """Read a file, with the reader of a game that goes on in it or a new one; return it and its bytes."""
        content = pieces(source, progress)
        head = _head(content)
        after, self._chained = self._chained, None
        if reader is None:
            guess = recognise(head, game)
            if game == AUTO and (guess is None or guess.name == MATCHES):
                wrong = mistaken(head, source.label, "logs")
                if wrong is not None:
                    self._left_out(source, wrong)
                    return None, 0
            if guess is None:
                self._not_recognised(source, head)
                return None, 0
            self.tally.files.append({"file": source.label, "game": guess.name, "by": guess.because})
            reader, fed = self.begin(guess, source.label), 0
            self.date(source, after=after)
        else:
            known = self.tally.files[-1]["game"]
            self.tally.files.append({"file": source.label, "game": known, "by": "a game goes on in it"})
            self.date(source, self.dating.date, self.dating)
        for piece in joined([head], content):
            fed += len(piece)
            self.take(reader.read(piece))
        self.take(reader.end_of_file())
        self._chained = self.dating
        return reader, fed

    def date(self, source: Source, earliest: float = -math.inf, after: SourceDates | None = None) -> None:
        """Know when games of a source were, which goes on after another piece of its log."""
        if source.is_file:
            zone = self.source(source.path)
        else:
            zone, self._label, self._kept_as = self._zone or machine_zone(), source.label, ""
        date, by = _date_of(source, self._assumed, zone)
        local = by == ITS_NAME and piece_of(Path(source.path).name).local
        self.dating = SourceDates(max(date, earliest), zone, in_order=not self._reported, local=local)
        if after is not None:
            self.dating.after(after)
        self._dated_by = by if by.endswith(TIMES) else ""

    def _not_recognised(self, source: Source, head: bytes) -> None:
        """Say of a log that its game is not known; one that was found in a directory need not be one."""
        reason = "it is empty" if not head else "it is not the log of any game that is known"
        message = f"{source.label}: {reason}; --game says which one, of: {', '.join(GAMES)}"
        self._left_out(source, message if head else "", reason)

    def _left_out(self, source: Source, failure: str, reason: str = "it is not a log") -> None:
        """Note a file that is not read; only one that was named is a failure, where there is one to tell."""
        if source.named and failure:
            self.tally.failed.append(failure)
        else:
            self.tally.files.append({"file": source.label, "game": "", "by": reason})


def _date_of(source: Source, assumed: float | None, zone: Zone) -> tuple[float, str]:
    if source.is_file:
        return date_of(Path(source.path), assumed, zone)
    return (time.time(), "the time of reading") if assumed is None else (assumed, "--dated")


def _after(progress: Progress, done: int) -> Progress:
    return lambda read: progress(done + read)


def _head(content: Iterator[bytes]) -> bytes:
    """Return the first bytes of a log, as many as a game is recognised by."""
    head = b""
    for piece in content:
        head += piece
        if len(head) >= HEAD:
            break
    return head


def named_game(game: str) -> Game:
    """Return the game of a registered name, ``"module:attribute"``, or a file that describes it.

    Raises
    ------
    UnknownNameError
        If no game has the name.
    InputError
        If the file cannot be read or something in it is wrong.
    """
    if game.endswith(ENDING):
        return read_game(game)
    found: Game = resolve("game", GAMES, game)
    return found


def recognise(head: bytes, game: str = AUTO) -> Guess | None:
    """Return the game of a log, None where it is of no game that is known.

    Parameters
    ----------
    head : bytes
        Its first bytes.
    game : str
        A registered name, ``"module:attribute"``, a file that describes it, or ``"auto"``.
    """
    if game != AUTO:
        return Guess(game, named_game(game), "--game")
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
        "first_skipped": _as_data(tally.first_skipped),
        "first_unfinished": _as_data(tally.first_unfinished),
        "twice": tally.twice,
        "dated_by": tally.dated_by,
        "ahead": {source: many for source, (_, many) in tally.ahead.items()},
        "set_back": tally.set_back,
        "zones": tally.zones,
        "moved": tally.moved,
        "unknown_mutators": {game: sorted(names) for game, names in tally.unknown_mutators.items()},
        "unknown_games": sorted(tally.unknown_games),
        "files": tally.files,
        "failed": tally.failed,
    }


def _as_data(entries: Iterable[Skipped | Unfinished]) -> list[Mapping[str, str]]:
    return [{"where": one.where, "reason": one.reason} for one in entries]


class Watch:
    """Follows one log.

    Parameters
    ----------
    archive : Archive
        Where matches and the place in the log are kept.
    path : str
        The log; it need not exist yet.
    game : str
        A registered name, or ``"auto"`` to recognise it by its beginning.
    mutators : Mutators, optional
        What counts as a mutator beside the tables, and what does not.
    tap : callable, optional
        Takes every piece of the log as it is read, and :data:`~equipoise.archive.ingest.follow_log.BREAK`.
    zone : Zone, optional
        That of local times; by default the one that is kept with the log, or else this machine's.
    """

    def __init__(
        self,
        archive: Archive,
        path: str,
        game: str = AUTO,
        mutators: Mutators | None = None,
        tap: Callable[[bytes], None] | None = None,
        zone: Zone | None = None,
    ) -> None:
        if game != AUTO:
            named_game(game)
        self._archive = archive
        self._tap = tap
        self._log = str(Path(path).absolute())
        kept = archive.place(self._log) or {}
        self._game = kept.get("game", game) if game == AUTO else game
        place = LogPosition(*kept["place"]) if kept and kept["game"] == self._game else LogPosition()
        self._ingest = Ingest(archive, mutators=mutators, zone=zone)
        self._ingest.redates = False
        known = archive.zones().get(self._log)
        its = self._ingest.source(path)
        self._following = Following(path, place, its)
        if known not in (None, its.name):
            self._following.news.append(
                f"{path}: local times are read as {its.name} from now on, before as {known}; "
                "'ingest --zone' gives games that are known their dates again"
            )
        local = piece_of(Path(path).name).local
        self._ingest.dating = SourceDates(0.0, its, known=kept.get("dating", ()), local=local)
        self._label = path
        self._reader: Reader | None = None
        #: Bytes from the beginning that may belong to the game; how many bytes and lines were before them.
        self._head = b""
        self._skipped = self._skipped_lines = 0
        self._first_line = 1
        self._place: LogPosition | None = None

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._following.close()

    def step(self) -> tuple[Tally, Updated | None]:
        """Read what is new; return what came of it, and what was learnt where there were matches."""
        ingest = self._ingest
        ingest.tally = Tally()
        for piece in self._following.poll():
            if self._tap is not None:
                self._tap(piece)
            if piece == BREAK:
                self._reader, self._head = None, b""
                ingest.dating.part()
                self._skipped = self._skipped_lines = 0
            else:
                ingest.dating.date = max(ingest.dating.date, self._following.date)
                self._read(piece)
        ingest.keep()
        if self._reader is not None:
            self._keep_place(self._reader)
        learnt = self._archive.update_ratings() if ingest.tally.matches else None
        return ingest.tally, learnt

    def news(self) -> list[str]:
        """Return what there is to say about the log since it was last asked for."""
        news, self._following.news = self._following.news, []
        return news

    def plain(self) -> dict[str, object]:
        """Return what came of the last step as plain data."""
        return {"log": self._label, **plain(self._ingest.tally), "revision": self._archive.revision()}

    def _read(self, piece: bytes) -> None:
        """Take bytes; until the game is known they are kept."""
        if self._reader is None:
            self._head += piece
            if not self._recognise():
                return
            piece, self._head = self._head, b""
        assert self._reader is not None  # noqa: S101  # for the type checker
        self._ingest.take(self._reader.read(piece))

    def _recognise(self) -> bool:
        guess = recognise(self._head, self._game)
        if guess is None:
            if len(self._head) >= HEAD:
                self._following.news.append(f"{self._label}: its game is not known yet; --game can say it")
                self._skipped += len(self._head) - HEAD // 2
                self._skipped_lines += self._head[: -HEAD // 2].count(b"\n")
                self._head = self._head[-HEAD // 2 :]
            return False
        if self._game == AUTO:
            self._following.news.append(f"{self._label}: {guess.name} ({guess.because})")
        self._game = guess.name
        self._first_line = 1 + self._following.lines + self._skipped_lines
        self._reader = self._ingest.begin(guess, self._label, self._first_line)
        return True

    def _keep_place(self, reader: Reader) -> None:
        """Keep the place in the log where it has changed; the matches before it are kept already."""
        lines = self._skipped_lines + reader.settled_line - self._first_line
        place = self._following.place(self._skipped + reader.settled, lines)
        if place is not None and place != self._place:
            kept = {"game": self._game, "place": place, "dating": self._ingest.dating.kept()}
            self._archive.keep_place(self._log, kept)
            self._place = place
