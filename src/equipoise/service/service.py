"""The service: which archive, model and games, kept up to date and asked over the network.

The composition root: the only place besides the command line that chooses concrete parts by name.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import Collection, Coroutine, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

import msgspec

from equipoise.archive.outbox import OutboxNote
from equipoise.archive.shards import ADDED, FREE, LEARNT, LETTER
from equipoise.archive.shards import KEPT as KEPT_BY_ANY
from equipoise.core.match import Match
from equipoise.core.player import Member, Player
from equipoise.errors import EquipoiseError, InputError
from equipoise.identity.merges import ANONYMOUS
from equipoise.identity.names import bare
from equipoise.identity.roster_lookup import AmbiguousNameError, ReportedMatch, reported
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.service.admission import Admission, BusyError
from equipoise.service.answer_cache import Board
from equipoise.service.archive_workers import (
    AuditStep,
    ForgottenPlayer,
    Kept,
    LoneNote,
    MergedPlayers,
    ReportedGame,
    UndoneGame,
)
from equipoise.service.fair_queue import Lane
from equipoise.service.monitoring import ServerMetrics
from equipoise.service.other_servers import follow_servers
from equipoise.service.questions import INFEASIBLE
from equipoise.service.queue_lines import answered
from equipoise.service.queues import Queues
from equipoise.service.settings import Settings
from equipoise.service.snapshot import AmbiguousGameError, Ratings, Snapshot
from equipoise.service.snapshot_follower import FIRST_RETRY, LAST_RETRY, Follower
from equipoise.service.table_settings import QueueSettings
from equipoise.service.tokens import Keyring
from equipoise.service.webhooks import Deliverer
from equipoise.service.weights.commands import Limits
from equipoise.service.weights.conversation import WeightSession
from equipoise.service.weights.messages import (
    Division,
    Everyone,
    Finished,
    Queued,
    Refusal,
    Request,
    Setting,
    Work,
)
from equipoise.service.worker_pool import Pool, Worker, cores, last_of, work_off

#: Seconds between two looks whether the archive has changed.
POLL = 0.1

#: Seconds until the next look after one that failed, unless something is kept before: what refuses does so at
#: once, and what hangs is waited for.
RETRY = 0.25

#: Seconds for which the start waits for matches to be learnt from that nobody has learnt from.
HEALING = 5.0

#: Seconds to wait for another process that writes the archive, before a result is refused, and beyond these
#: after which the worker that keeps is restarted.
PATIENCE, LATE = 4.0, 3.0

#: Seconds for a correction after which ratings may have to be learnt again, and the file rewritten.
REBUILD = 600.0

#: Seconds after which late results are no longer expected, so that the archive can be made ready for others.
EXPECTED = 30.0

#: Seconds from one time that late results are learnt from to the next, at least: the ratings of everybody are
#: new then, and whatever is kept or seen waits a moment for that.
SETTLE_EVERY = 4.0

#: Seconds that a division takes about for each of its players.
A_PLAYER = 0.001

#: Workers besides those that keep every core busy, so that nobody waits for what takes long of others.
SPARE = 1

#: Seconds that who took a merge back, or forgot somebody, waits at most for the ratings to follow.
FOLLOWED = 10.0

#: Newcomers whose names are kept until the ratings know them.
MOST_NEWCOMERS = 1000

#: Whose the notes are that this server itself tells.
OWN = "notes"

#: What the log says of what was kept.
KEPT = {
    Match: "result",
    ReportedGame: "game reported",
    UndoneGame: "game undone",
    MergedPlayers: "players merged",
    ForgottenPlayer: "player forgotten",
}

#: What it says of what was not.
NOT_KEPT = {
    UndoneGame: "game not undone",
    MergedPlayers: "players not merged",
    ForgottenPlayer: "player not forgotten",
    AuditStep: "step of an admin not kept",
    LoneNote: "note not kept",
}

log = logging.getLogger(__name__)


class Service:
    """Answers what game servers ask, from the newest board.

    What takes time waits in a lane of its own kind, in which addresses take turns.  Workers divide players,
    for both protocols, keep results, and follow the archive.  Chances and advantages need all ratings and
    take some milliseconds at most, so they are computed here, with pauses for everybody else.
    """

    def __init__(self, settings: Settings, worker: str = "") -> None:
        self._settings = settings
        self._worker = worker
        self._hooks = settings.hooks  # webhooks neither come nor go until the next start
        self.keyring = Keyring(settings.tokens, settings.secret())
        self.admission = Admission(settings.admission, frozenset(settings.proxies))
        self._follower = Follower(settings.store, settings.game, worker)
        self.divisions = Pool(
            "divisions", "divide", self.admission, bool(settings.http),
            workers=SPARE + (settings.workers or cores()),
        )  # fmt: skip
        #: From the names of those who were new lately, bare, to their ids.
        #: Who is new in results that were acknowledged, by id and by name: the id, and the name.
        self._newcomers: dict[str, dict[str, str]] = {}
        self._results = Pool(
            "results", "keep", self.admission, settings.store, PATIENCE, self._hooks, patience=LATE
        )
        self.deliverer = Deliverer(settings.store, settings.webhooks, mine=lambda: self._follower.owned.here)
        self._compiler = Worker("compile", beside=True)
        self._everyone: Lane[Iterator[Any]] = Lane("everyone", self.admission)
        self._chances: Lane[Iterator[Any]] = Lane("chances", self.admission)
        self._kept = asyncio.Event()
        #: Those who wait for a look at the archive: whether the ratings have to be learnt by then.
        self._looking: dict[asyncio.Future[None], bool] = {}
        self._keeping: set[asyncio.Future[Any]] = set()
        self._beginning: list[asyncio.Future[Any]] = []
        self._trouble = ""
        self._unreadable = False
        #: When the first result was kept that no look at the archive has shown yet, before and since the
        #: present look began; when others were found to wait; and since when what is late does.
        self._unseen = self._looked_at = self._behind_since = 0.0
        self._waits: float | None = None
        self._settling: asyncio.Future[None] | None = None
        self._spreading: asyncio.Future[None] | None = None
        self._settled, self._settles = 0.0, -SETTLE_EVERY
        self._failures = 0
        self.metrics = ServerMetrics()
        self.board = Board(Snapshot(Ratings(Mixture(), Mixture().initial())))
        self.queues = Queues(
            settings.store, settings.queues, self._hooks, self.metrics, self.deliverer.tell, self.rated,
            worker,
        )  # fmt: skip

    async def open(self) -> None:
        """Read the archive for the first time, learn what is to be learnt, and begin the workers.

        Raises
        ------
        EquipoiseError
            If it cannot be read.
        """
        for module in ("late_join", "advantage"):  # so that the first who asks need not wait
            import_module(f"equipoise.teams.{module}")
        begun = asyncio.ensure_future(self._begin())
        self._beginning.append(begun)
        self._take(await self._follower.newer())
        if self._follower.behind:
            self._behind_since, self._waits = time.monotonic(), self._follower.waits
            healing = asyncio.ensure_future(self._look(now=True))
            self._beginning.append(healing)
            await asyncio.wait([healing], timeout=HEALING)
            if self._settling is not None:
                await asyncio.wait([self._settling], timeout=HEALING)
                await self._look(now=True)
        await begun

    async def _begin(self) -> None:
        """Begin the other workers, so that the first who asks need not wait for them."""
        keeps = self.keyring.can_report or self._hooks
        pools = [self.divisions, *([self._results] if keeps else [])]
        await asyncio.gather(self.queues.begin(), *(each.begin() for each in pools))

    async def follow(self) -> None:
        """Keep the board up to date, without end, whatever happens."""
        await asyncio.gather(*self._beginning)
        if self.keyring.can_report and self.learns:
            self._beginning.append(asyncio.ensure_future(self._follower.begin()))
        now, pause = False, POLL
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):  # what was kept shows that the archive is there again
                    await self._kept.wait()
            now = now or self._kept.is_set()
            self._kept.clear()
            well = await self._look(now=now)
            now, pause = now and not well, POLL if well else RETRY

    async def _look(self, *, now: bool) -> bool:
        """Look for something new, optionally learning at once; tell whether that went well."""
        began, looking = time.monotonic(), dict(self._looking)
        self._looked_at, self._unseen = self._looked_at or self._unseen, 0.0
        since = min((each for each in (self._looked_at, self._behind_since) if each), default=began)
        try:
            snapshot = await self._follower.newer(now=now, since=time.time() - (began - since))
        except Exception as error:
            self._unreadable = True
            expected = isinstance(error, EquipoiseError)
            if not expected:
                log.exception("unexpected error")
            self._tell(
                "archive cannot be read", str(error) if expected else f"{type(error).__name__}: {error}"
            )
            return False
        self._unreadable = False
        self._tell("ratings cannot be learnt", self._follower.trouble)
        behind, waits = self._follower.behind, self._follower.waits
        if not behind:
            self._behind_since = self._looked_at = 0.0
        elif not self._behind_since:
            self._behind_since = self._looked_at or time.monotonic()
        self._waits = waits
        if waits:  # all others are learnt
            self._behind_since = self._looked_at = 0.0
        if waits is not None and self._settling is None and self.learns:
            self._settling = asyncio.ensure_future(self._settle())
        if snapshot is not None:
            self._take(snapshot)
            seconds = round(time.monotonic() - began, 3)
            log.info("ratings refreshed", extra={"players": len(snapshot.ratings.known), "seconds": seconds})
        for each, learnt in looking.items():
            if not each.done() and not (learnt and behind):
                each.set_result(None)
        return True

    async def _followed(self, *, learnt: bool) -> None:
        """Wait until a look has shown what the archive has now, and optionally what is learnt from it."""
        looking = asyncio.get_running_loop().create_future()
        self._looking[looking] = learnt
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(FOLLOWED):
                    await looking
        finally:
            del self._looking[looking]

    async def _settle(self) -> None:
        """Learn from what came late, while all else goes on; what comes meanwhile is the next round's."""
        await asyncio.sleep(self._settles + SETTLE_EVERY - time.monotonic())
        self._settles = time.monotonic()
        try:
            await self._follower.settle()
        except Exception as error:  # whatever it is, it is tried again
            if not isinstance(error, EquipoiseError):
                log.exception("unexpected error")
            log.warning("late results are not learnt yet", extra={"why": str(error)})
            await asyncio.sleep(min(FIRST_RETRY * 2**self._failures, LAST_RETRY))
            self._failures += 1
        else:
            self._failures = 0
            self._settled = time.monotonic()
            self._spreading = self._spreading or asyncio.ensure_future(self._spread())
        self._settling = None
        self._kept.set()

    async def _spread(self) -> None:
        """Let the archive be one that others learn from as fast, once nothing more comes late."""
        while (left := self._settled + EXPECTED - time.monotonic()) > 0.0:
            await asyncio.sleep(left)
        with contextlib.suppress(EquipoiseError):  # after the next late result again
            await self._follower.spread()
        self._spreading = None

    async def compile(self) -> None:
        """Have every kernel compiled; until then divisions of many players look at fewer splits."""
        try:
            kept = await self._compiler.ask(None)
        except EquipoiseError as error:
            log.warning("divisions go on without compiled kernels", extra={"why": str(error)})
        else:
            if not kept:
                log.warning("compiled kernels cannot be kept; set NUMBA_CACHE_DIR to a directory to write in")
        await self._compiler.end()

    def _take(self, snapshot: Snapshot | None) -> None:
        if snapshot is not None:
            before = self.board.snapshot
            if (snapshot.forgotten, snapshot.merged) != (before.forgotten, before.merged):
                self._newcomers.clear()  # by whichever process
            if snapshot.forgotten != before.forgotten:
                self.queues.forget()
            self.board = Board(snapshot)
            facts = {"revision": snapshot.revision, "players": len(snapshot.ratings.known)}
            self.tell("ratings", facts, str(snapshot.revision))

    def tell(self, kind: str, content: object, name: str = "") -> None:
        """Tell webhooks of something that is kept nowhere else, where one wants to know it.

        Of all that is sent this alone is no part of a transaction: where the archive cannot be written, it is
        logged and left out.
        """
        if kind not in self._hooks:
            return
        note = OutboxNote(
            kind, f"{kind}:{name or secrets.token_hex(16)}", msgspec.json.encode(content).decode()
        )
        keeping = asyncio.ensure_future(self.keep(LoneNote(note), OWN))
        keeping.add_done_callback(lambda kept: kept.cancelled() or kept.exception())

    def rated(self, player: Player, queue: QueueSettings | None) -> Player:
        """Return who is meant, for a queue with the rating in the archive where there is none yet.

        Of somebody known the name stays by which they were called, unless they are forgotten.

        Raises
        ------
        AmbiguousNameError
            If that are several, or somebody whom they avoid or prefer may be.
        """
        snapshot = self.board.snapshot
        meant = self._one(player.id)
        rating = player.rating
        if rating is None and queue is not None and queue.game_type:
            ruleset, policy = snapshot.rated(Setting(queue.game_type)), queue.policy
            known = snapshot.ratings.rating(Member(False, meant), ruleset)
            rating = self.board.answers.unit(ruleset).rating(known, policy.middle, policy.beta)
        if (meant, rating) == (player.id, player.rating) and not (player.avoid or player.prefer):
            return player
        is_called = meant in snapshot.ratings.known and not meant.startswith(ANONYMOUS)
        name = player.id if is_called and meant != player.id else ""
        avoid, prefer = self._meant(player.avoid), self._meant(player.prefer)
        return replace(player, id=meant, name=name, rating=rating, avoid=avoid, prefer=prefer)

    def _meant(self, others: Sequence[tuple[str, float | None]]) -> tuple[tuple[str, float | None], ...]:
        """Return others whom somebody names by their ids; of a stranger the name stays."""
        return tuple({self._one(name): price for name, price in others}.items())

    def _one(self, named: str) -> str:
        """Return the id of who is meant, or what stands for one who is forgotten; of a stranger the name."""
        snapshot = self.board.snapshot
        return snapshot.ratings.player(named) or snapshot.tombstones.instead(named)

    def reload(self, settings: Settings) -> None:
        """Take another token, other limits and times from reloaded settings.

        Raises
        ------
        InputError
            If the token cannot be had; nothing has changed then.
        """
        self.keyring = Keyring(settings.tokens, settings.secret())
        self.admission.limits = settings.admission
        self.queues.reload(settings.queues)
        self._settings = settings

    def lanes(self) -> list[Coroutine[Any, Any, None]]:
        """Return what works the lanes off, each without end."""
        return [
            self.deliverer.follow(),
            *([follow_servers(self._settings.store, self._heard)] if self._worker else []),
            *self.queues.follow(),
            *self.divisions.work_off(),
            *self._results.work_off(),
            work_off(self._everyone, partial(last_of, breath=0.0)),
            work_off(self._chances, last_of),
        ]

    @property
    def learns(self) -> bool:
        """Whether this server learns, of several of one database."""
        return self._follower.owned.here

    async def _heard(self, what: str, name: str, number: int) -> None:
        """Take in what the servers of the database tell each other."""
        if what in (KEPT_BY_ANY, LEARNT):
            self._kept.set()
        queue = name.removeprefix("queue:") if what == FREE else name
        if queue in self.queues:
            if what == ADDED:
                await self.queues[queue].heard(number)
            else:
                self.queues[queue].wake(letter=what == LETTER)

    def converse(self, limits: Limits) -> WeightSession:
        """Begin a conversation."""
        return WeightSession(self._right if self.keyring.can_report else None, limits, self._known)

    def _known(self, setting: Setting) -> Mapping[bytes, bytes]:
        return self.board.known(setting)

    def result(self, request: Request) -> Any:
        """Return the result of a request that takes no time."""
        return self.board.result(request)

    async def work(self, request: Work, address: str) -> Any:
        """Return the result of a request of the weight protocol that takes time, when its turn has come.

        A client that leaves gives up its turn, but for results: they are kept all the same.
        """
        began = time.monotonic()
        kind = type(request).__name__.lower()
        try:
            answer = await self._worked(request, address)
        except BusyError:
            answer = Refusal.BUSY
        except EquipoiseError as error:
            log.warning("not answered", extra={"kind": kind, "why": str(error)})
            answer = Refusal.UNAVAILABLE
        status = answer.code if isinstance(answer, Refusal) else "ok"
        self.metrics.answered("weights", kind, status, time.monotonic() - began)
        return answer

    async def _worked(self, request: Work, address: str) -> Any:
        try:
            if isinstance(request, Division):
                return await self.divide(request, address)
            if isinstance(request, Finished):
                match = self.board.match(request, time.time())
                if isinstance(match, Refusal):
                    return match
                try:
                    return await self.keep(self.recognised(match).match, address)
                except AmbiguousNameError:
                    raise
                except InputError as error:
                    if error.argument != "players":
                        raise
                    return Refusal.BAD_FIELD
            if isinstance(request, Queued):
                return await answered(self.queues, request)
            if isinstance(request, Everyone):
                return await self._everyone.ask(address, self.board.everyone(request))
            return await self._chances.ask(address, map(self.board.result, (request,)))
        except AmbiguousGameError:
            return Refusal.AMBIGUOUS_GAME
        except AmbiguousNameError:
            return Refusal.AMBIGUOUS_NAME

    async def divide(self, request: Division, whose: str) -> tuple[int, ...] | Refusal:
        """Return the team of each, or why there is none.

        Raises
        ------
        BusyError
            If too much waits.
        EquipoiseError
            If it cannot be answered.
        """
        gather = partial(self.board.gather, request, clans=self._settings.clan_tags)
        cost = A_PLAYER * len(request.members)
        try:
            divided: Any = await self.divisions.search(
                "divide", gather, self._settings.team_seconds, whose, cost
            )
        except AmbiguousGameError:
            return Refusal.AMBIGUOUS_GAME
        except AmbiguousNameError:
            return Refusal.AMBIGUOUS_NAME
        except InputError:
            return Refusal.BAD_FIELD
        if divided == INFEASIBLE:
            return Refusal.IMPOSSIBLE
        if not divided:
            return Refusal.BUSY
        if "teams" in self._hooks:
            members = [each.raw.decode("utf-8", "replace") for each in request.members]
            facts = {
                "game_type": request.setting.game_type, "members": members, "teams": list(divided),
            }  # fmt: skip
            self.tell("teams", facts)
        found: tuple[int, ...] = divided
        return found

    def recognised(self, match: Match, kept: Collection[str] = ()) -> ReportedMatch:
        """Return a reported match with the ids of known people.

        Somebody new may be named again before the ratings are of that match, and shares a name from then on.
        A name of several is one of those who are ``kept`` in the match already.
        Whoever is forgotten is nobody new: what stands for them is kept.

        Raises
        ------
        InputError
            If a name is that of several, or two of those who played are one.
        """
        ratings = self.board.snapshot.ratings
        if len(self._newcomers) > MOST_NEWCOMERS:
            still = {
                name: {each: shown for each, shown in new.items() if each not in ratings.known}
                for name, new in self._newcomers.items()
            }
            self._newcomers = {name: new for name, new in still.items() if new}

        def id_of(named: str) -> str | None:
            new = self._newcomers.get(bare(named), {})
            if named in new or named in ratings.known:
                return named
            try:
                known = ratings.player(named)
                meant = ({} if known is None else {known: named}) | new
                if len(meant) > 1:
                    raise AmbiguousNameError(named, tuple(meant.items()))
            except AmbiguousNameError as error:
                meant = {each: shown for each, shown in error.candidates if each in kept}
                if len(meant) != 1:
                    raise
            return next(iter(meant), None)

        found = reported(match, id_of)
        tombstones = self.board.snapshot.tombstones
        if gone := tombstones.in_match(found.match):
            people = {**gone, **{player: gone.get(each, each) for player, each in found.people.items()}}
            new = tuple(each for each in found.new if each not in gone)
            found = ReportedMatch(tombstones.without(found.match), people, new)
        names = dict(match.names)
        for each in found.new:
            for text in {each, names.get(each, each)}:
                self._newcomers.setdefault(bare(text), {})[each] = names.get(each, each)
        if found.new:
            log.info("new players", extra={"players": list(found.new)})
        return found

    async def keep(self, what: Kept, whose: str) -> Any:
        """Have a result kept, or taken back; return what became of it.  It is, although its sender leaves.

        Raises
        ------
        BusyError
            If too much waits.
        EquipoiseError
            If it cannot be kept.
        """
        keeping = asyncio.ensure_future(self._keep(what, whose))
        self._keeping.add(keeping)
        keeping.add_done_callback(self._keeping.discard)
        keeping.add_done_callback(lambda kept: kept.cancelled() or kept.exception())
        return await asyncio.shield(keeping)

    async def _keep(self, what: Kept, whose: str) -> Any:
        try:
            seconds = REBUILD if isinstance(what, ForgottenPlayer | MergedPlayers | UndoneGame) else PATIENCE
            outcome = await self._results.ask(what, seconds, whose)
        except BusyError:
            raise
        except EquipoiseError as error:
            not_kept = NOT_KEPT.get(type(what), "result not kept")
            if not isinstance(what, ForgottenPlayer):
                log.error(not_kept, extra={"id": what.id, "why": str(error)})
            elif getattr(error, "argument", "store") == "store":  # the log is not to remember whom
                log.error(not_kept, extra={"why": str(error)})
            else:
                log.error(not_kept)
            raise
        self.deliverer.tell()
        if isinstance(what, LoneNote | AuditStep):
            return outcome
        facts = {"new": outcome} if isinstance(what, Match) else {"outcome": outcome}
        if isinstance(what, ForgottenPlayer | MergedPlayers):
            self._newcomers.clear()
        if isinstance(what, ForgottenPlayer):  # the log is not to remember
            log.info(KEPT[ForgottenPlayer])
        else:
            log.info(KEPT[type(what)], extra={"id": what.id, **facts})
        self._unseen = self._unseen or time.monotonic()
        self._kept.set()
        separated = isinstance(what, MergedPlayers) and what.back
        if separated or isinstance(what, ForgottenPlayer):  # whoever hears of it finds it so
            await self._followed(learnt=separated)
        return outcome

    def waiting(self) -> dict[str, int]:
        """Return how much waits in each lane."""
        lanes: tuple[Lane[Any], ...] = (
            self.divisions.lane, self._results.lane, self._everyone, self._chances
        )  # fmt: skip
        return {each.name: len(each) for each in lanes}

    @property
    def trouble(self) -> str:
        """Why the archive cannot be read; empty where it can."""
        return self._trouble if self._unreadable else ""

    def lag(self) -> float:
        """Return for how many seconds the oldest result has waited that is not learnt yet; 0 without one."""
        now = time.monotonic()
        ages = [now - each for each in (self._unseen, self._looked_at, self._behind_since) if each]
        return max([*ages, time.time() - self._waits if self._waits else 0.0])

    async def close(self) -> None:
        """Let go of everything; what is under way then is not waited for."""
        begun = [*self._beginning, *(each for each in (self._settling, self._spreading) if each is not None)]
        for each in begun:
            each.cancel()
        await asyncio.gather(*begun, return_exceptions=True)
        await asyncio.gather(
            self._compiler.end(),
            self.divisions.end(),
            self._follower.end(),
            self.queues.close(),
            self._results.close(),  # what it is keeping may be kept
        )

    def _right(self, token: str) -> bool:
        """Tell whether a token may report; how long that takes tells nothing about it."""
        right = self.keyring.may(token, "report")
        if not right:
            self.metrics.failed("weights")
        return right

    def _tell(self, what: str, why: str) -> None:
        """Log trouble with the archive once, and its end."""
        if why and why != self._trouble:
            log.warning(what, extra={"why": why})
        elif self._trouble and not why:
            log.warning("archive can be read again")
        self._trouble = why
