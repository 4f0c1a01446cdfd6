"""What follows from the matches of an archive, brought up to date with as little work as is right.

The ratings after n matches are a fold over them in replay order.  New matches at the end are learnt from
alone; where the past has changed, what comes after the nearest checkpoint before it; and only the derived
rows of those who played are read, where the model looks at nobody else.  Whichever way is taken, the rows are
bit for bit those of a rebuild.

What comes late need not hold up what comes now.  :meth:`Learner.follow_newest` learns at once from what
follows the last match that is learnt, and notes the late ones, which wait.  :meth:`Learner.renew` learns from
all: it reads as of one revision, some matches at a time, replays beside those who go on writing, writes its
checkpoints one by one where nobody looks for them yet, and then puts its rows in the place of theirs in one
short transaction.  No transaction lasts as long as the replay: with a rollback journal, readers hold up
commits.  The archive is then as of the revision that was read, and what has come
since is new: the next call learns from it.  A kill at any place does no harm: what waits is written down.
"""

from __future__ import annotations

import gc
import math
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import sqlalchemy as sa

from equipoise.archive import derived_rows
from equipoise.archive.chosen_model import Chosen, is_rated_by, rated_by, with_merged
from equipoise.archive.database import Database
from equipoise.archive.derived_rows import (
    BEGINNING,
    KNOWN,
    PARTS,
    SPAN,
    STATE,
    UNREADABLE,
    Back,
    Both,
    Checkpoint,
    CheckpointNote,
    Kept,
    Places,
    Position,
    StagedNote,
    all_checkpoints,
    are_staged,
    changed_since,
    checkpoint_numbers,
    checkpoints_from,
    coarse,
    forget_all,
    go_back,
    note,
    note_staged,
    stage,
    to_unite,
    together,
    unite_all,
    unite_neighbours,
    way_back,
    way_back_now,
)
from equipoise.archive.replay_cache import Remembered, ReplayCache, ReplaySegment
from equipoise.archive.row_codec import (
    MatchRow,
    match_of,
    replayed_match_of,
    rows_before,
    rows_of,
    rows_over,
    sizes_of,
)
from equipoise.archive.standing import Known, Standing, Updated
from equipoise.archive.tables import (
    ARCHIVE,
    ASKED,
    CHANGED,
    LATE,
    MATCH,
    RATING,
    archive_row,
    grow,
    identities,
    in_replay_order,
    merged_ids,
    turn_of,
)
from equipoise.archive.views import RatingRow, rating_rows, take_off
from equipoise.core.match import Match
from equipoise.errors import InputError
from equipoise.identity.merges import everyone
from equipoise.identity.shared_ids import Identities
from equipoise.ratings.model import Further, RatingModel, State, is_local
from equipoise.ratings.side_advantage import learnt_sides

#: Matches that are learnt from at once: enough for the compiled kernels to pay, some 100 MB of memory.
TOGETHER = 10_000

#: Matches up to which the rows of their players are asked for one by one.
FEW = 2 * SPAN  # effort

#: Why the past is learnt again where a match came that is earlier than others.
CAME_LATE = "a match came that is earlier than others"

#: Why it is learnt from the same matches once more where checkpoints have become few.
SPREAD = "checkpoints lie far apart"

#: How often it is tried to learn while others may write, before they have to wait.
ATTEMPTS = 3  # effort


def version_of_ratings(row: Any) -> tuple[object, ...]:
    """Return what tells the derived rows of an archive from all others."""
    return bytes(row.salt), int(row.rated), float(row.last_ended), bytes(row.last_match), row.rated_by


class Mark(NamedTuple):
    """What was known at a place, and from how many matches was learnt from there to the next mark."""

    position: Position
    matches: int
    both: Both


class LateResults(NamedTuple):
    """What is not learnt from yet though the ratings go further: late matches, and changes of the past."""

    late: frozenset[bytes] = frozenset()
    changed: frozenset[tuple[float, bytes]] = frozenset()


class _Begun(NamedTuple):
    """What learning starts from, as of one revision.

    ``row`` is that of the archive, ``last`` the place after which is learnt, ``left`` how many matches there
    are; ``before`` are all rows there are, where they are known; ``since`` is where the past has changed and
    ``waits`` what was seen to wait; ``there`` are the checkpoints on the way back, and ``numbers`` those of
    all.
    """

    row: Any
    reason: str
    new: bool
    start: Both
    before: Both | None
    places: Places | None
    last: Position | None
    left: int
    there: tuple[Checkpoint, ...]
    numbers: frozenset[int]
    back: Back | None
    since: Position | None
    waits: LateResults
    known: Identities


@dataclass(frozen=True, slots=True)
class _Part:
    """Some matches to learn from, and the place of the last of them."""

    end: Position
    matches: Sequence[Match]

    def __len__(self) -> int:
        return len(self.matches)


class _Found(NamedTuple):
    """The derived rows that are to be written, those that go, and whether any moves or goes."""

    rows: Sequence[MatchRow]
    gone: Sequence[MatchRow]
    moved: bool


class _Over(NamedTuple):
    """That all is known which is to stand in the place of what there is, without a way back that was gone.

    ``before`` are the rows there were, ``there`` the checkpoints from the last before the change on,
    ``numbers`` those of all, and ``matches`` how many there are from that checkpoint on.
    """

    before: Both
    there: tuple[Checkpoint, ...]
    numbers: frozenset[int]
    matches: int


@dataclass(frozen=True, slots=True)
class _Learnt:
    """What was learnt, and what it rests on.

    ``new`` says that it is from the beginning, ``rows`` are those that have changed, ``both`` is what is
    known now, of everyone where there are no ``places``; ``back`` is the way that was gone back first, or
    ``over`` what it is put over, and ``marks`` are what was known on the way.
    """

    new: bool
    rows: tuple[MatchRow, ...]
    both: Both
    places: Places | None
    last: Position
    matches: int
    back: Back | None
    marks: tuple[Mark, ...]
    seen: LateResults = LateResults()  # noqa: RUF009  # it is immutable
    ratings: tuple[RatingRow, ...] = ()
    over: _Over | None = None

    def notes(self) -> Iterator[CheckpointNote]:
        """Go through the ways back that are new, each made when it is needed: they are large."""
        afters = [*(each.both for each in self.marks[1:]), self.both]
        for mark, after in zip(self.marks, afters, strict=False):  # one more where there are no marks
            rows = _rows_before(after, mark.both)
            yield CheckpointNote(mark.position, mark.matches, _placed(self.places, rows))

    def sizes(self) -> Counter[str]:
        """Return how many rows each part has."""
        if self.places is not None:
            return self.places.sizes
        return Counter({**sizes_of(self.both.state, STATE), **sizes_of(self.both.known, KNOWN)})


class Learner:
    """Learns from the matches of one archive.

    Parameters
    ----------
    database : Database
        Where they are.
    wanted : Chosen, optional
        The model, which then stays; by default the one that the archive was last rebuilt with.
    """

    def __init__(self, database: Database, wanted: Chosen | None) -> None:
        self._database = database
        self._kept: Kept | None = None
        self._cache: ReplayCache | None = None
        #: Whether the model was asked for, so that it stays until it has learnt.
        self._asked = wanted is not None
        if wanted is None:
            self.follow()
        else:
            self.choose(wanted)

    def choose(self, wanted: Chosen) -> None:
        """Learn with another model, which stays."""
        self._chosen, self._asked = wanted, True
        #: As it was chosen, and as it learns: with the guesses of merged ids under those that count.
        self.model: RatingModel = wanted.made()
        self._learns = self.model

    def follow(self) -> None:
        """Learn with the model that the archive was last rebuilt with."""
        with self._database.reading() as connection:
            row = archive_row(connection)
        self._chosen = Chosen(row.model, row.settings)
        self.model = self._learns = self._chosen.made()

    def forget(self) -> None:
        """Let go of what was read."""
        self._kept = None
        if self._cache is not None:
            self._cache.clear()

    def keep_packed(self) -> None:
        """Keep the matches that are replayed, packed: for who learns from late ones again and again."""
        self._cache = self._cache or ReplayCache()

    def pack(self) -> bool:
        """Pack some of the matches that are learnt from, and learn what is known at places among them.

        It is for before something comes late; False once there is no more to do.
        """
        with self._database.reading() as connection:
            row = archive_row(connection)
            due = not row.rated or self._reason(connection, row)
            known, numbers = identities(connection), checkpoint_numbers(connection)
            cache = None if due else self._fitting(row, known, _waits(connection), numbers, connection)
        if cache is None:
            return False
        place = BEGINNING
        while (there := cache.at(place)) is not None:
            place = there.end
        some = next(self._parts(row, known, place, PARTS * TOGETHER, cache, None), None)
        return some is not None or self._go_ahead(cache)

    def _go_ahead(self, cache: ReplayCache) -> bool:
        """Remember what is known at one place more, of what is packed; return False at the end."""
        place, both = cache.ahead or (BEGINNING, None)
        segment = None if cache.ahead is None else cache.at(place)
        if segment is None:
            cache.ahead = None
            return False
        both = both or Both(self._learns.initial(), Known())
        cache.remember(place, both)
        cache.ahead = segment.end, self._after(both, segment)
        return True

    def reason(self) -> str:
        """Return why the ratings must be rebuilt, empty where they need not."""
        with self._database.reading() as connection:
            return self._reason(connection, archive_row(connection))

    def is_behind(self) -> bool:
        """Tell whether the ratings lack a match, or must be rebuilt."""
        with self._database.reading() as connection:
            return self._is_behind(connection, archive_row(connection))

    def _is_behind(self, connection: sa.Connection, row: Any) -> bool:
        new = in_replay_order(None).where(MATCH.c.revision > row.rated).limit(1)
        waits = sa.select(LATE.c.id).limit(1)
        return bool(self._reason(connection, row)) or any(
            connection.execute(each).first() is not None for each in (new, waits)
        )

    def waiting_since(self) -> float | None:
        """Return since when what came late waits to be learnt from, seconds since 1970; None where none does.

        It is 0 where the past was changed in another way, of which no time is known.
        """
        with self._database.reading() as connection:
            row = archive_row(connection)
            first = connection.execute(sa.select(sa.func.min(LATE.c.noted))).scalar()
            if first is not None:
                return float(first)
            return 0.0 if row.rated and self._reason(connection, row) else None

    def _reason(self, connection: sa.Connection, row: Any) -> str:
        if not self._asked and self._chosen != Chosen(row.model, row.settings):
            self._chosen = Chosen(row.model, row.settings)  # another process has chosen another one
            self.model = self._chosen.made()
        self._learns = with_merged(self.model, merged_ids(connection))
        if row.stale:
            return str(row.stale)
        if row.rated_by and not is_rated_by(row.rated_by, self._learns):
            return "the model or its parameters have changed"
        return ""

    def standing(self) -> Standing:
        """Return what is known of everyone, as of one revision."""
        with self._database.reading() as connection:
            row = archive_row(connection)
            model = _kept_model(connection, row)
            state, known = self._all(connection, row, model.initial())
            current = not self._is_behind(connection, row)
        return Standing(
            model if row.rated else self._learns, state, int(row.revision), current, known,
            known.last_names(), known.last_bots(), tuple(known.rulesets()),
        )  # fmt: skip

    def _all(self, connection: sa.Connection, row: Any, empty: State) -> Both:
        """Return all that is known, of which only what has changed is read."""
        try:
            self._kept = derived_rows.all_of(connection, empty, int(row.revision), self._kept)
        except UNREADABLE as error:
            raise self._damaged() from error
        return self._kept.both

    def _damaged(self) -> InputError:
        msg = f": {self._database.where}: the ratings are damaged; 'rebuild' makes them again"
        return InputError(msg, "store")

    # Learning

    def renew(self, asked: str = "", *, spread: bool = False) -> Updated:
        """Learn beside others who write, and alone where they change what it rests on again and again.

        Parameters
        ----------
        asked : str
            Why to learn again from the beginning; empty for what is needed.
        spread : bool
            Where there is nothing to learn, whether to let checkpoints that were united for speed lie as
            closely again as those of a rebuild.
        """
        self._note_late()
        packed = 0 if self._cache is None else len(self._cache)
        for attempt in range(1 if spread else ATTEMPTS + 1):
            alone = attempt == ATTEMPTS
            with self._database.writing() if alone else self._database.reading() as connection:
                if alone:
                    self._database.patient(connection)
                begun = self._to_renew(connection, asked, spread=spread)
                if begun is None:
                    return Updated(0, "")
                if not alone and not spread and self._packs(begun, connection):
                    continue  # that took long: others have learnt from too much meanwhile
                if alone:
                    learnt = self._learnt(begun, connection)
                    written = self._write(connection, begun.row, learnt)
            if not alone:
                learnt = self._learnt(begun, swift=not spread)
                if self._cache is not None and len(self._cache) > packed + 1:
                    packed = len(self._cache)  # packing took long: others have learnt from too much meanwhile
                    continue
                # What takes long is done before others have to wait.
                many = len(learnt.marks)
                staged = stage(self._database, learnt.notes(), many) if many > 1 else None
                with self._database.writing() as connection:
                    written = self._write(connection, begun.row, learnt, staged=staged)
                if written and staged:
                    self._tidy()
            if written:
                self._asked = False
                return Updated(learnt.matches, begun.reason)
        if not spread:
            raise AssertionError  # alone it is always written
        return Updated(0, "")  # another time

    def _packs(self, begun: _Begun, connection: sa.Connection) -> bool:
        """Pack what is to be learnt from over what there is; tell whether that was much."""
        cache = self._fitting(begun.row, begun.known, begun.waits, begun.numbers, connection)
        if cache is None or begun.since is None or begun.before is None:
            return False
        nearest, before = cache.remembered(begun.since), len(cache)
        last = begun.last if nearest is None else nearest.position
        for _ in self._parts(begun.row, begun.known, last, begun.left, cache, connection):
            pass
        return len(cache) > before + 1

    def _tidy(self) -> None:
        """Unite checkpoints, unless somebody may be on the way back to one of them."""
        with self._database.writing() as connection:
            if not (archive_row(connection).stale or _waits(connection).late):
                unite_neighbours(connection)  # the newest stays

    def _to_renew(self, connection: sa.Connection, asked: str, *, spread: bool) -> _Begun | None:
        """Return what to learn from all starts from, None where there is nothing to learn."""
        row = archive_row(connection)
        changed = self._reason(connection, row)
        late, since = self._late(connection, row)
        if spread and row.rated and not (asked or changed or late is not None or since):
            far = coarse(all_checkpoints(connection), TOGETHER)
            if far is not None:
                late, since = SPREAD, (far.ended, far.match + b"\0")
        reason = asked or changed or late
        return None if reason is None else self._begun(connection, row, reason, None if asked else since)

    def follow_newest(self, since: float = math.inf) -> Updated:
        """Learn from what follows the last match that is learnt, and note what came late, which waits.

        Where nothing is learnt yet, or by another model, all is learnt from.

        Parameters
        ----------
        since : float
            When the first of what is new may have been kept, seconds since 1970.
        """
        since = min(since, time.time())
        for _ in range(ATTEMPTS):
            with self._database.reading() as connection:
                row = archive_row(connection)
                self._reason(connection, row)
                known = derived_rows.token_of(connection)  # somebody who is forgotten takes all with them
                mine = not self._asked and is_rated_by(row.rated_by, self._learns)
                if not (row.rated and known and mine):
                    break
                late = self._new_late(connection, row, since)
                learnt = self._learnt(self._begun(connection, row, "", None), connection)
            if not learnt.matches and not late:
                return Updated(0, "")
            with self._database.writing() as connection:
                if self._write(connection, row, learnt, late):
                    return Updated(learnt.matches, "")
        return self.renew()

    def _note_late(self) -> None:
        """Note what came late, so that others know that it waits."""
        with self._database.reading() as connection:
            row = archive_row(connection)
            if not row.rated or not self._new_late(connection, row, 0.0):
                return
        with self._database.writing() as connection:
            row = archive_row(connection)
            self._database.insert_missing(connection, LATE, self._new_late(connection, row, time.time()))

    def _new_late(
        self, connection: sa.Connection, row: Any, since: float
    ) -> list[tuple[bytes, float, float]]:
        """Return the new matches that come before the last one that is learnt, as they are noted."""
        last = (row.last_ended, bytes(row.last_match))
        new = sa.select(MATCH.c.ended, MATCH.c.turn, MATCH.c.id).where(
            MATCH.c.undone.is_(False), MATCH.c.revision > row.rated, MATCH.c.ended <= row.last_ended
        )
        return [
            (bytes(one.id), float(one.ended), since)
            for one in connection.execute(new)
            if (float(one.ended), bytes(one.turn)) <= last
        ]

    def _late(self, connection: sa.Connection, row: Any) -> tuple[str | None, Position | None]:
        """Return why the past is not what was learnt, and from where on.

        The reason is empty where new matches only follow, and None where there are none.
        """
        since = changed_since(connection)
        noted = connection.execute(sa.select(LATE.c.ended, LATE.c.id)).all()
        waits = min(((float(one.ended), turn_of(one.id)) for one in noted), default=None)
        if waits is not None:
            return CAME_LATE, min(since or waits, waits)
        new = in_replay_order(None).where(MATCH.c.revision > row.rated)
        first = connection.execute(new.limit(1)).first()
        if first is None:
            return None, since
        position = (float(first.ended), bytes(first.turn))
        if not row.rated or position > (row.last_ended, bytes(row.last_match)):
            return "", since
        return CAME_LATE, min(since or position, position)

    def _back(self, connection: sa.Connection, row: Any, since: Position | None) -> tuple[Checkpoint, ...]:
        """Return the checkpoints from the last before a place on, none where there is no way back to it."""
        if since is None or not row.rated or not is_rated_by(row.rated_by, self._learns):
            return ()
        return checkpoints_from(connection, since)

    def _begun(self, connection: sa.Connection, row: Any, reason: str, since: Position | None) -> _Begun:
        """Return what learning starts from: what is learnt, or what was known where the past changed."""
        anew = bool(reason) or not row.rated
        mine = row.rated and is_rated_by(row.rated_by, self._learns)
        there = self._back(connection, row, since) if anew else ()
        last = there[0].position if there else None if anew else (row.last_ended, bytes(row.last_match))
        left = _count(connection, last, row)
        places: Places | None = None
        back: Back | None = None
        before: Both | None = None
        if last is not None and self._cache is None and left <= FEW and is_local(self._learns):
            back = way_back(lambda: nullcontext(connection), there)
            start, places = self._some_start(connection, row, last, back)
        else:
            if last is not None or (self._cache is not None and since is not None and mine):
                before = self._all(connection, row, _kept_model(connection, row).initial())
            start = Both(self._learns.initial(), Known()) if last is None or before is None else before
        waits, known = _waits(connection), identities(connection)
        numbers = checkpoint_numbers(connection)
        return _Begun(
            row, reason, last is None, start, before, places, last, left, there, numbers, back, since, waits,
            known,
        )  # fmt: skip

    def _went_back(self, begun: _Begun, connection: sa.Connection | None) -> _Begun:
        """Return what learning starts from with all as it was at the checkpoint."""
        if not begun.there or begun.back is not None:
            return begun
        reading = self._database.reading if connection is None else lambda: nullcontext(connection)
        back = way_back(reading, begun.there)
        return begun._replace(
            back=back, start=derived_rows.changed(begun.start, back.rows if back is not None else ())
        )

    def _learnt(
        self, begun: _Begun, connection: sa.Connection | None = None, *, swift: bool = False
    ) -> _Learnt:
        """Learn from the matches there were; without a connection some are read at a time.

        Where it is ``swift`` it goes on from what is remembered, if anything is, and leaves no checkpoints:
        to write these takes as long as to learn.
        """
        cache = None
        if connection is None:
            with self._database.reading() as reading:
                cache = self._fitting(begun.row, begun.known, begun.waits, begun.numbers, reading)
        over = swift and cache is not None and begun.since is not None and begun.before is not None
        nearest = cache.remembered(begun.since) if over and cache is not None and begun.since else None
        if nearest is None:
            begun = self._went_back(begun, connection)
        if over and cache is not None and begun.before is not None:
            nearest = nearest or Remembered(begun.last or BEGINNING, begun.start)
            return self._learnt_over(begun, cache, nearest, begun.before)
        last, both, new, places = begun.last, begun.start, begun.new, begun.places
        if isinstance(self._learns, Further):
            self._learns.prepare(begun.left)
        learnt, marks = 0, list[Mark]()
        for part in self._parts(begun.row, begun.known, last, begun.left, cache, connection):
            if last is not None:
                _mark(marks, Mark(last, len(part), both))
            if cache is not None:
                cache.remember(last or BEGINNING, both)
            both = self._after(both, part)
            learnt += len(part)
            last = part.end
        start = begun.start
        changed = _placed(places, _rows(both, None if new else start))
        ratings = tuple(rating_rows(self._learns, both.state, both.known, None if new else start.known))
        return _Learnt(
            new,
            changed,
            both,
            places,
            last or (0.0, b""),
            learnt,
            begun.back,
            tuple(marks),
            begun.waits,
            ratings,
        )

    def _learnt_over(self, begun: _Begun, cache: ReplayCache, nearest: Remembered, before: Both) -> _Learnt:
        """Learn from a place on, to put what is known then over what there is."""
        last, both = nearest.position, nearest.both
        many = int(max(before.known.counted[0] - nearest.matches, 0.0)) + len(begun.waits.late)
        if isinstance(self._learns, Further):
            self._learns.prepare(many)
        learnt = 0
        for part in self._parts(begun.row, begun.known, last, many, cache, None):
            cache.remember(last, both)
            both = self._after(both, part)
            learnt += len(part)
            last = part.end
        ratings = tuple(rating_rows(self._learns, both.state, both.known, nearest.both.known))
        over = _Over(before, begun.there, begun.numbers, begun.left)
        return _Learnt(False, (), both, None, last, learnt, None, (), begun.waits, ratings, over)

    def _parts(
        self,
        row: Any,
        known: Identities,
        last: Position | None,
        left: int,
        cache: ReplayCache | None,
        connection: sa.Connection | None,
    ) -> Iterator[_Part | ReplaySegment]:
        """Go through the matches to learn from, some at a time."""
        while True:
            part: _Part | ReplaySegment | None = None if cache is None else cache.at(last or BEGINNING)
            if part is None:
                with uncollected():
                    part = self._read(row, known, last, left, cache, connection)
            if part is None:
                return
            yield part
            last, left = part.end, left - len(part)

    def _read(
        self,
        row: Any,
        known: Identities,
        last: Position | None,
        left: int,
        cache: ReplayCache | None,
        connection: sa.Connection | None,
    ) -> _Part | ReplaySegment | None:
        """Return the next matches, packed where they are kept so, None where there are no more."""
        # What stays packed is in large parts: each costs as much as thousands of matches.
        least = 0 if cache is None else TOGETHER // 2
        rows = self._some(row, last, max(least, together(left, TOGETHER)), connection)
        positions = [(float(each.ended), bytes(each.turn)) for each in rows]
        if cache is not None and (until := cache.until(last or BEGINNING)) is not None:
            positions = positions[: bisect_right(positions, until)]
        if not positions:
            return None
        some = rows[: len(positions)]
        if cache is None:
            return _Part(positions[-1], _matches(some, known))
        segment = ReplaySegment.of(_replayed(some, known), positions)
        cache.put(last or BEGINNING, segment)
        return segment

    def _fitting(
        self, row: Any, known: Identities, waits: LateResults, numbers: frozenset[int],
        connection: sa.Connection,
    ) -> ReplayCache | None:  # fmt: skip
        """Return what is kept packed, as of a revision; None where nothing is kept."""
        cache, model = self._cache, self._learns
        if cache is None or not hasattr(model, "run_packed"):
            return None
        rests_on = bytes(row.salt), known, rated_by(model)
        changed = row.stale or waits.changed or cache.rests_on != rests_on
        if changed or cache.newest not in numbers:
            cache.clear()
            cache.rests_on = rests_on
        else:
            new = in_replay_order(None).where(
                MATCH.c.revision > cache.revision, MATCH.c.revision <= row.revision
            )
            rows = connection.execute(new).all()
            positions = [(float(each.ended), bytes(each.turn)) for each in rows]
            cache.insert(zip(positions, _matches(rows, known), strict=True))
        cache.revision = int(row.revision)
        cache.newest = max(numbers, default=0)
        return cache

    def _some(
        self, row: Any, last: Position | None, many: int, connection: sa.Connection | None
    ) -> Sequence[Any]:
        """Return the next matches there were at a revision.

        What is changed of them meanwhile is noted, so that what was learnt is not written then.
        """
        if connection is None:
            with self._database.reading() as reading:
                return self._some(row, last, many, reading)
        wanted = in_replay_order(last).where(MATCH.c.revision <= row.revision)
        return connection.execute(wanted.limit(many)).all()

    def _some_start(
        self, connection: sa.Connection, row: Any, last: Position, back: Back | None
    ) -> tuple[Both, Places]:
        """Return what is known at a place of those who play after it."""
        rows, empty = back.rows if back else (), _kept_model(connection, row).initial()
        there = in_replay_order(last).where(MATCH.c.revision <= row.revision)
        later = _matches(connection.execute(there), identities(connection))
        players = set[str]().union(*map(everyone, later))
        try:
            return derived_rows.some_of(connection, empty, players, rows)
        except UNREADABLE as error:
            raise self._damaged() from error

    def _after(self, both: Both, part: _Part | ReplaySegment) -> Both:
        """Return what is known after matches more."""
        if isinstance(part, ReplaySegment):
            model: Any = self._learns
            state, chances = model.run_packed(both.state, part.packed)
            sides = part.sides(both.known.sides, chances)
            return Both(state, replace(part.after(both.known), sides=sides))
        played = [(contest, match.map) for match in part.matches for contest in match.contests]
        contests = [contest for contest, _ in played]
        state, predicted = self._learns.run(both.state, contests)
        sides = learnt_sides(contests, predicted, (place for _, place in played), both.known.sides).rows
        return Both(state, replace(both.known.after(part.matches), sides=sides))

    def _write(
        self,
        connection: sa.Connection,
        row: Any,
        learnt: _Learnt,
        late: Sequence[tuple[bytes, float, float]] | None = None,
        staged: Sequence[StagedNote] | None = None,
    ) -> bool:
        """Write what has changed, unless what it rests on has changed since; tell whether it was written.

        With ``late``, matches that are to wait, what waits already goes on waiting; ``staged`` are the notes
        of ``learnt``, where their rows are written already.
        """
        now = archive_row(connection)
        waits = _waits(connection)
        if not _stands(row, now, learnt, waits, late_waits=late is not None):
            return False
        back = learnt.back
        if back is not None:
            back = way_back_now(connection, back)
            if back is None:
                return False
            learnt = replace(learnt, back=back)
        if staged is not None and not are_staged(connection, staged):
            return False
        found = (
            self._put_back(connection, learnt, whole=staged is None)
            if learnt.over is None
            else self._put_over(connection, now, learnt.both, learnt.over)
        )
        if found is None:
            return False
        derived_rows.delete(connection, found.gone)
        take_off(connection, found.gone)
        waiting = late is not None and bool(now.stale or waits.late or late)
        if staged is not None:
            note_staged(self._database, connection, staged)
        for each in learnt.notes() if staged is None else ():
            note(self._database, connection, each, unite=not waiting)
        if late is None:
            connection.execute(sa.delete(CHANGED))
            _forget_late(connection, learnt.seen.late)
        else:
            self._database.insert_missing(connection, LATE, late)
        revision = grow(connection)
        derived_rows.write(self._database, connection, found.rows, revision, new=learnt.new)
        self._database.upsert(connection, RATING, learnt.ratings)
        derived_rows.write_sizes(self._database, connection, learnt.sizes())
        token = derived_rows.renew(self._database, connection, revision, moved=found.moved)
        connection.execute(
            sa.update(ARCHIVE).values(
                rated=max(int(row.revision), 1), rated_by=rated_by(self._learns), last_ended=learnt.last[0],
                last_match=learnt.last[1], stale="" if late is None else now.stale,
                model=self._chosen.name, settings=self._chosen.settings,
            )
        )  # fmt: skip
        if learnt.places is None:
            self._kept = Kept(token, revision, learnt.both)
        if self._cache is not None and late is None:
            self._cache.newest = max(checkpoint_numbers(connection), default=0)
        return True

    def _put_back(self, connection: sa.Connection, learnt: _Learnt, *, whole: bool) -> _Found:
        """Take the same way back again, or start from nothing; return what has to be written.

        With ``whole`` the rows of checkpoints that go are deleted too where all is new.
        """
        if learnt.new:
            derived_rows.delete_all(connection)
            forget_all(connection, rows=whole)
        if learnt.back is None:
            return _Found(learnt.rows, (), learnt.new)
        go_back(connection, learnt.back)
        changed = {(each.part, each.key): each for each in learnt.rows}
        gone = [each for each in learnt.back.rows if not each.numbers]
        moved = any(changed.get((each.part, each.key), each).place != each.place for each in gone)
        gone = [each for each in gone if (each.part, each.key) not in changed]
        back = {(each.part, each.key): each for each in learnt.back.rows if each.numbers}
        return _Found(tuple((back | changed).values()), gone, learnt.new or moved or bool(gone))

    def _put_over(self, connection: sa.Connection, now: Any, both: Both, over: _Over) -> _Found | None:
        """Let the checkpoints after a change be one, and return what is to be written over what there is.

        Others may have learnt from what is new meanwhile: that goes again, and is new to the next call.
        """
        if checkpoint_numbers(connection) != over.numbers:
            return None
        nothing = Both(self._learns.initial(), Known())
        there = self._all(connection, now, nothing.state)
        rows, moved = _rows_over(both, there)
        before = _rows_before(both, there if over.there else nothing)
        unite_all(self._database, connection, over.there, over.matches, before)
        gone = [each for each in rows if not each.numbers]
        return _Found([each for each in rows if each.numbers], gone, moved or bool(gone))


@contextmanager
def uncollected() -> Iterator[None]:
    """Collect no garbage for a moment: matches hold no circles, and to look for some takes as long again."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _stands(row: Any, now: Any, learnt: _Learnt, waits: LateResults, *, late_waits: bool) -> bool:
    """Tell whether what was learnt may be written: what it rests on is as it was."""
    mine, theirs = ((each.rated_by, each.model, each.settings, each.stale) for each in (row, now))
    if mine != theirs or waits.changed != learnt.seen.changed:
        return False
    if learnt.new or learnt.back is not None or learnt.over is not None:
        # Others may have learnt from what is new meanwhile, but not from what was seen to wait.
        return bytes(now.salt) == bytes(row.salt) and waits.late >= learnt.seen.late
    waiting = bool(now.stale or waits.late)
    return version_of_ratings(now) == version_of_ratings(row) and (late_waits or not waiting)


def _waits(connection: sa.Connection) -> LateResults:
    """Return what waits."""
    late = connection.execute(sa.select(LATE.c.id)).scalars()
    changed = connection.execute(sa.select(CHANGED.c.ended, CHANGED.c.id))
    return LateResults(
        frozenset(map(bytes, late)), frozenset((float(one.ended), bytes(one.id)) for one in changed)
    )


def _forget_late(connection: sa.Connection, ids: Iterable[bytes]) -> None:
    """Take off what waits no longer."""
    several = list(ids)
    for first in range(0, len(several), ASKED):
        connection.execute(sa.delete(LATE).where(LATE.c.id.in_(several[first : first + ASKED])))


def _kept_model(connection: sa.Connection, row: Any) -> RatingModel:
    """Return the model that the archive keeps, as it learns."""
    return with_merged(Chosen(row.model, row.settings).made(), merged_ids(connection))


def _count(connection: sa.Connection, last: Position | None, row: Any) -> int:
    """Return how many matches there are after a place, as of a revision."""
    # Not by the index of revisions, which SQLite would take for it, and go through every match there is.
    there = in_replay_order(last).where(MATCH.c.revision + 0 <= row.revision)
    after = sa.select(sa.func.count()).select_from(there.order_by(None).subquery())
    return int(connection.execute(after).scalar_one())


def _matches(rows: Iterable[Any], known: Identities) -> list[Match]:
    """Return matches as they count, with the people who played."""
    return [known.applied(match_of(each.record, each.ended)) for each in rows]


def _replayed(rows: Sequence[Any], known: Identities) -> list[Match]:
    """Return matches as they count, as far as learning looks at them."""
    matches = [replayed_match_of(each.record, each.ended) for each in rows]
    return [
        known.applied(match_of(each.record, each.ended)) if known.of(match) else match
        for each, match in zip(rows, matches, strict=True)
    ]


def _rows(both: Both, start: Both | None) -> Iterator[MatchRow]:
    """Go through the rows that differ from those there were."""
    state, known = start or (None, None)
    yield from rows_of(both.state, state, STATE)
    yield from rows_of(both.known, known, KNOWN)


def _rows_before(both: Both, start: Both) -> Iterator[MatchRow]:
    """Go through the rows that differ from those there were, as they were."""
    yield from rows_before(both.state, start.state, STATE)
    yield from rows_before(both.known, start.known, KNOWN)


def _rows_over(both: Both, there: Both) -> tuple[list[MatchRow], bool]:
    """Return the rows that make what is known of what there is, and whether some move or go."""
    rows, moved = rows_over(both.state, there.state, STATE)
    more, too = rows_over(both.known, there.known, KNOWN)
    return rows + more, moved or too


def _mark(marks: list[Mark], one: Mark) -> None:
    """Add a mark, and unite neighbours as their checkpoints would be."""
    marks.append(one)
    while (at := to_unite([each.matches for each in marks])) is not None:
        older, newer = marks[at : at + 2]
        marks[at : at + 2] = [older._replace(matches=older.matches + newer.matches)]


def _placed(places: Places | None, rows: Iterable[MatchRow]) -> tuple[MatchRow, ...]:
    """Return rows with their places; those of everyone have them."""
    return tuple(rows if places is None else places.placed(rows))
