"""The newest snapshot of an archive, whatever process writes it, and whatever file takes its place.

A worker reads the archive, and learns from matches that nobody has learnt from; what has changed comes over
in small parts, so that no lookup waits for more than one of them.  Of several servers of one PostgreSQL one
learns (:mod:`equipoise.archive.shards`), and all follow.  What came late, and corrections, a second
worker learns from beside it: current results do not wait for that.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import time
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

from equipoise.archive.archive import Archive, open_archive
from equipoise.archive.rated_players import people_of
from equipoise.archive.shards import LEARNT, Alone, FencedError, Owned, Shard
from equipoise.core.match import Ruleset
from equipoise.core.registry import GAMES, resolve
from equipoise.errors import EquipoiseError
from equipoise.identity.forgetting import NONE_GONE, Tombstones
from equipoise.identity.merges import ANONYMOUS
from equipoise.identity.roster_lookup import RosterLookup
from equipoise.ratings.display_scale import mean_bot
from equipoise.ratings.model import general_state
from equipoise.service.snapshot import Ratings, RatingTable, Snapshot
from equipoise.service.worker_pool import Worker

#: Seconds within which two writes of a file may bear the same time.
TICK = 0.05

#: Seconds for which an archive that is not current must be left alone before the server learns: the
#: process that writes it at the moment learns itself at its end.
QUIET = 0.5

#: Seconds until the next attempt after one to learn has failed; twice as many after each further one.
FIRST_RETRY, LAST_RETRY = 1.0, 60.0

#: Entries that come over at once, some 0.3 ms of work.
SOME = 300  # effort

#: Seconds without a word from the worker after which it is restarted: longer than any rebuild.
PATIENCE = 900.0

#: What the one owns that learns.
RATINGS = "ratings"

#: The name of a state that is one mapping.
WHOLE = ""

log = logging.getLogger(__name__)


class Look(NamedTuple):
    """What the worker is asked.

    Parameters
    ----------
    fresh : bool
        Whether the caller has nothing yet.
    now : bool
        Whether to learn at once where the archive is not current.
    since : float
        Since when something may wait, seconds since 1970; infinity where that is not known.
    """

    fresh: bool = False
    now: bool = False
    since: float = math.inf


class Entries(NamedTuple):
    """Some entries of a mapping; with ``fresh`` they are its first ones."""

    name: str
    fresh: bool
    entries: list[tuple[Any, Any]]


class News(NamedTuple):
    """What came over: after all entries, whatever is small; without a model nothing has changed.

    Parameters
    ----------
    model : RatingModel or None
        What made the ratings.
    values : mapping
        Parts of the state that are no mappings.
    rulesets : tuple of Ruleset
        Those that were played.
    game : str or None
        The game of the matches that came first, where it is one.
    mean_bots : mapping
        For each ruleset, and the general one, the mean skill of bots and their number.
    sides : mapping
        The chance of the first of two equal teams, for rulesets in which one side is better.
    revision : int
        Of the archive.
    forgotten : int
        How often ids were.
    tombstones : Tombstones
        What tells who is forgotten.
    behind : bool
        Whether there are matches that are not in the ratings.
    waits : float or None
        Since when something waits that is learnt from beside, seconds since 1970; 0 where that is not known.
    trouble : str
        Why learning has failed.
    owned : Owned
        Whether this server is the one that learns.
    """

    model: Any = None
    values: Mapping[str, Any] = {}
    rulesets: tuple[Ruleset, ...] = ()
    game: str | None = None
    mean_bots: Mapping[Ruleset, tuple[float, int]] = {}
    sides: Mapping[Ruleset, float] = {}
    revision: int = 0
    forgotten: int = 0
    tombstones: Tombstones = NONE_GONE
    behind: bool = False
    waits: float | None = None
    trouble: str = ""
    owned: Owned = Owned(True)  # it is immutable


class Settling:
    """The second worker: learns from what came late, and from corrections, while others learn and write.

    It leaves the processor to the one that current results wait for (``OTHER_NICE``).
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._archive: Archive | None = None

    def __call__(self, learn: bool | None) -> Generator[None, None, int]:
        """Learn from all that waits; return from how many matches.

        None asks only for it to be ready, and for some matches to be packed: again and again until that is
        0, which takes as long as a rebuild.  False is for checkpoints that lie closely, as there is time.
        """
        yield from ()
        archive = self._archive or open_archive(self._url, create=False, waiting=log.warning)
        archive.keep_packed()
        self._archive = None  # what was read stays, unless something goes wrong
        with archive:
            if learn is None:
                done = int(archive.pack())
            else:
                done = (archive.update_ratings() if learn else archive.spread_checkpoints()).matches
        self._archive = archive
        return done


class Learning:
    """The worker: follows one archive, and learns where nobody else does.

    Parameters
    ----------
    url : str
        The archive.
    worker : str
        What this server is called, of several that may learn; empty where there is this one alone.
    """

    def __init__(self, url: str, worker: str = "") -> None:
        self._url = url
        self._worker = worker
        self._shard: Alone | Shard | None = None if worker else Alone()
        self._archive: Archive | None = None
        self._files: Files | None = None
        self._stamp: object = None
        self._first_game: str | None = None
        self._changed = 0.0
        self._behind = False
        self._sent: dict[str, Mapping[Any, Any]] = {}
        self._failures = 0
        self._retry = 0.0

    def __call__(self, look: Look) -> Generator[Entries, None, News]:
        """Give what has changed; a file is closed again after each look, so that it may be replaced."""
        files = Files.of(self._url, time.time())
        if files is not None and files == self._files and not (look.fresh or look.now or self._behind):
            return News()
        try:
            news = yield from self._looked(look, files)
            return news._replace(owned=self._owned())
        except BaseException:
            if self._archive is not None:
                self._archive.close()
            self._archive = self._stamp = None
            self._failures, self._retry = 0, 0.0  # an archive that was away has nothing against learning
            raise
        finally:
            if files is not None and self._archive is not None:
                self._archive.close()

    def _looked(self, look: Look, files: Files | None) -> Generator[Entries, None, News]:
        if self._archive is None:
            self._archive = open_archive(self._url, create=False, waiting=log.warning)
            self._first_game = None
            archive = self._archive
            if self._shard is None:
                # To learn may take long: another connection gives signs of life meanwhile.
                self._shard = open_archive(self._url, create=False).shard(RATINGS, self._worker)
                self._shard.follow()
            archive.fence(self._shard)
        archive, before = self._archive, self._stamp
        self._files = files
        stamp = archive.stamp()
        if stamp != before:
            self._changed = time.monotonic()
        elif not (look.fresh or look.now or self._behind):
            return News()
        trouble = ""
        if archive.is_behind() and self._is_time(look) and self._owned().here:
            trouble = self._learn(archive, look.since)
            self._files = None  # it was written here
            stamp = archive.stamp()
        self._stamp, self._behind = stamp, archive.is_behind()
        waits = archive.waiting_since() if self._behind else None
        if stamp == before and not look.fresh:
            return News(behind=self._behind, waits=waits, trouble=trouble)
        return (yield from self._news(archive, waits, trouble, fresh=look.fresh))

    def _owned(self) -> Owned:
        """Return who learns."""
        return Owned(False) if self._shard is None else self._shard.owned

    def _is_time(self, look: Look) -> bool:
        now = time.monotonic()
        return now >= self._retry and (look.now or now - self._changed >= QUIET)

    def _learn(self, archive: Archive, since: float) -> str:
        """Learn from the matches that nobody has learnt from; return what went wrong."""
        try:
            if archive.follow_newest(since).matches:
                archive.tell(LEARNT)
        except FencedError:
            return ""  # another server learns
        except EquipoiseError as error:
            self._retry = time.monotonic() + min(FIRST_RETRY * 2**self._failures, LAST_RETRY)
            self._failures += 1
            return str(error)
        self._failures = 0
        return ""

    def _news(
        self, archive: Archive, waits: float | None, trouble: str, *, fresh: bool
    ) -> Generator[Entries, None, News]:
        standing = archive.standing()
        if fresh:
            self._sent = {}
        self._first_game = self._first_game or archive.first_game()
        mappings, values = parts_of(standing.state)
        mappings = {f"state.{name}": part for name, part in mappings.items()}
        mappings["players"] = dict.fromkeys(standing.model.players(standing.state))
        mappings["names"], mappings["bots"] = standing.names, standing.last_bots
        mappings["games"] = standing.games
        merged = archive.merged()
        played = {player for player, _ in standing.games}
        waited = [each for each in merged if each not in played and not each.startswith(ANONYMOUS)]
        bearers = people_of(standing, merged, unseen=waited).bearers
        before = self._sent.get("bearers", {})
        mappings["merged"] = merged
        mappings["bearers"] = {key: bearers[key] for key in before if key in bearers} | dict(bearers)
        for name, part in mappings.items():
            yield from _changes(name, self._sent.get(name), part)
        self._sent = mappings
        general = general_state(standing.model, standing.state, standing.rulesets)
        means = {
            ruleset: mean_bot(standing.model, general, ruleset) for ruleset in (Ruleset(), *standing.rulesets)
        }
        return News(
            standing.model, values, standing.rulesets, self._first_game, means,
            standing.side_chances(), standing.revision, archive.marks().forgotten,
            archive.tombstones(), self._behind, waits, trouble,
        )  # fmt: skip


def parts_of(state: Any) -> tuple[dict[str, Mapping[Any, Any]], dict[str, Any]]:
    """Return the mappings of a state by name, and its other parts.

    Examples
    --------
    >>> parts_of({"ann": (1.0,)})
    ({'': {'ann': (1.0,)}}, {})
    """
    if isinstance(state, Mapping):
        return {WHOLE: state}, {}
    if not is_dataclass(state):
        return {}, {WHOLE: state}
    parts = {each.name: getattr(state, each.name) for each in fields(state)}
    mappings = {name: part for name, part in parts.items() if isinstance(part, Mapping)}
    return mappings, {name: part for name, part in parts.items() if name not in mappings}


def state_from(empty: Any, mappings: Mapping[str, Mapping[Any, Any]], values: Mapping[str, Any]) -> Any:
    """Return the state of its parts: the inverse of :func:`parts_of`.

    Parameters
    ----------
    empty : state
        Any state of the same model.
    """
    if WHOLE in mappings:
        return mappings[WHOLE]
    if not is_dataclass(empty):
        return values[WHOLE]
    names = {each.name for each in fields(empty)}
    named = {name: part for name, part in {**mappings, **values}.items() if name in names}
    return type(empty)(**named)  # type: ignore[misc]  # not the class itself but one of its instances


def _changes(name: str, before: Mapping[Any, Any] | None, now: Mapping[Any, Any]) -> Iterator[Entries]:
    """Give the entries that differ, or all where the order of keys has changed."""
    fresh = before is None or any(old != new for old, new in zip(before, now, strict=False))
    if before is None or fresh or len(before) > len(now):
        fresh, entries = True, list(now.items())
    else:
        missing = object()
        entries = [
            (key, value)
            for key, value in now.items()
            if (was := before.get(key, missing)) is not value and was != value
        ]
    for start in range(0, len(entries) or int(fresh), SOME):
        yield Entries(name, fresh and not start, entries[start : start + SOME])


class Follower:
    """The server's side: puts snapshots together from what a worker tells.

    Parameters
    ----------
    url : str
        The archive.
    game : str
        What ``GAME`` means where it names none; empty leaves it to the archive.
    worker : str
        What this server is called, of several of one database; empty where there is this one alone.
    """

    def __init__(self, url: str, game: str = "", worker: str = "") -> None:
        self._worker = Worker("learn", url, worker)
        self._game = game.lower() or None
        self._tables: dict[str, RatingTable] = {
            table.game: table for name in GAMES for table in resolve("game", GAMES, name).rules()
        }
        self._parts: dict[str, Mapping[Any, Any]] = {}
        self._has_all = False
        self._settler = Worker("settle", url, beside=True)
        #: Whether matches wait to be learnt from, since when those do that are learnt from beside, and why
        #: learning has failed.
        self.behind = False
        self.waits: float | None = None
        self.trouble = ""
        #: Which of several servers learns, and sends to webhooks.
        self.owned = Owned(not worker)

    async def newer(self, *, now: bool = False, since: float = math.inf) -> Snapshot | None:
        """Return what is known; None where nothing has changed since the last time.

        Parameters
        ----------
        now : bool
            Whether to learn at once from what was kept.
        since : float
            Since when something may wait, seconds since 1970; infinity where that is not known.

        Raises
        ------
        EquipoiseError
            If the archive cannot be read.
        """
        coming: dict[str, dict[Any, Any]] = {}

        async def take(part: Entries) -> None:
            if part.fresh:
                coming[part.name] = {}
            elif part.name not in coming:
                coming[part.name] = dict(self._parts[part.name])
            coming[part.name].update(part.entries)
            await asyncio.sleep(0)  # others have their turn

        fresh, self._has_all = not self._has_all, False
        news: News = await self._worker.ask(Look(fresh, now, since), PATIENCE, take)
        self._has_all = True
        self.owned = news.owned
        if news.model is None:
            if not fresh:
                self.behind, self.waits = news.behind, news.waits
                self.trouble = news.trouble or self.trouble * news.behind
            return None
        self.behind, self.waits, self.trouble = news.behind, news.waits, news.trouble
        self._parts |= coming
        return self._snapshot(news)

    def _snapshot(self, news: News) -> Snapshot:
        parts = self._parts
        state = {
            name.removeprefix("state."): part for name, part in parts.items() if name.startswith("state.")
        }
        ratings = Ratings(
            news.model, state_from(news.model.initial(), state, news.values), parts["bots"], parts["players"],
            RosterLookup.indexed(
                parts["players"], parts["bearers"], parts["names"], parts["merged"], parts["bots"],
                time.time(),
            ),
        )  # fmt: skip
        game = self._game or news.game
        return Snapshot(
            ratings, news.rulesets, self._tables, game, news.revision, parts["names"], news.mean_bots,
            parts["games"], news.sides, news.forgotten,
            len(parts["merged"]), news.tombstones,
        )  # fmt: skip

    async def begin(self) -> None:
        """Begin the second worker, so that the first result that comes late need not wait for that.

        What comes late while matches are packed has its turn between two steps of that.
        """
        with contextlib.suppress(EquipoiseError):  # it is tried again when something comes late
            while await self._settler.ask(None, PATIENCE):
                pass

    async def settle(self) -> None:
        """Learn from what came late, beside all else.

        Raises
        ------
        EquipoiseError
            If it cannot be learnt from.
        """
        await self._settler.ask(True, PATIENCE)

    async def spread(self) -> None:
        """Let checkpoints lie closely again, as nothing has come late for some time.

        Raises
        ------
        EquipoiseError
            If the archive cannot be written.
        """
        await self._settler.ask(False, PATIENCE)

    async def close(self) -> None:
        """Let go of the archive, when what is under way has ended or soon after."""
        await self._settler.end()
        await self._worker.close()

    async def end(self) -> None:
        """Let go of the archive at once; what was being learnt is learnt another time."""
        await asyncio.gather(self._settler.end(), self._worker.end())


@dataclass(frozen=True, slots=True)
class Files:
    """What tells that the files of an archive were written: device, number, size and time of each."""

    main: tuple[int, ...]
    journal: tuple[int, ...]
    unsettled: float

    @classmethod
    def of(cls, url: str, now: float) -> Files | None:
        """Return what there is at an address; None where it is no file, or not there.

        A file that was written just now may be written again without its time showing it, so what is found
        then is equal to nothing that is found later.
        """
        scheme, _, path = url.partition(":///")
        if scheme != "sqlite":
            return None
        main, journal = (_stamp(Path(path + ending)) for ending in ("", "-wal"))
        if not main:
            return None
        written = max(times[-1] for times in (main, journal) if times) / 1e9
        return cls(main, journal, now if now - written < TICK else 0.0)


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return ()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
