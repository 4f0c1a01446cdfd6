"""Evenings in browsers over HTTP: taps in, what everybody sees out as it changes.

The key of a link decides who may do what, which comes as a bearer token: the organiser's or the guests'.
Taps of all evenings are handed to one worker, as many at once as have come, and are kept before they are
answered.  Those who watch are sent the newest view, and none that is older: a phone that slept has caught up
with one message.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Coroutine
from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from equipoise.errors import EquipoiseError
from equipoise.play.evening_page import GUEST, ORGANISER
from equipoise.service.admission import Admission
from equipoise.service.http.backend import Backend
from equipoise.service.http.event_stream import last_known
from equipoise.service.http.messages import (
    HttpRequest,
    ProblemError,
    Reply,
    bearer_of,
    has_already,
    invalid,
    reply,
    typed,
)
from equipoise.service.http.operation import MISSING, UNCHANGED, WITH_BODY, WITH_TOKEN, Operation
from equipoise.service.http.problems import HttpProblem
from equipoise.service.listener import is_local, reached_at
from equipoise.service.tonight import Tap, TapAnswer, TonightView, hashed, plain_code
from equipoise.service.worker_pool import BEGIN, Worker

#: Taps of guests that are kept in one transaction (some 50 ms of work), that may wait, and seconds for them.
MOST_AT_ONCE, MOST_PENDING, KEEPING = 16, 512, 30.0

#: Who may watch, of all and of one address, and seconds after which a comment says that the line is open.
MOST_WATCHING, MOST_OF_ADDRESS, QUIET = 4096, 256, 15.0

#: Seconds after which the worker begins though nobody taps yet, beside what a server that began is busy with.
CALM = 10.0

#: Seconds between two looks whether somebody else has changed an evening that is watched.
LOOK = 0.5

#: Taps a second of one device, and of the guests of one address, how many at once; buckets that are kept.
OF_DEVICE, OF_ADDRESS, MOST_BUCKETS = (2.0, 30.0), (10.0, 120.0), 10_000

#: Modules of a QR code's margin.
QUIET_ZONE = 2

Device = Annotated[str, Meta(min_length=16, max_length=64)]


class TapsBody(msgspec.Struct, forbid_unknown_fields=True):
    """What a device has done, in order; each tap has an id of the device's own, and counts once."""

    device: Device
    taps: Annotated[list[dict[str, Any]], Meta(max_length=64)]


class Tapped(msgspec.Struct, omit_defaults=True):
    """What became of a tap."""

    id: str
    status: str
    why: str = ""
    more: dict[str, Any] | None = None


class Taps(msgspec.Struct):
    """What became of taps, and the revision of the evening then."""

    revision: int
    taps: list[Tapped]


class DeviceBody(msgspec.Struct, forbid_unknown_fields=True):
    """A device, by what it alone knows."""

    device: Device


class TonightSeat(msgspec.Struct):
    """How others see a device."""

    seat: str


class CodeBody(msgspec.Struct, forbid_unknown_fields=True):
    """A code word."""

    code: Annotated[str, Meta(min_length=4, max_length=40)]


class FoundEvening(msgspec.Struct):
    """The evening of a code word."""

    evening: str


class LinkBody(msgspec.Struct, forbid_unknown_fields=True):
    """A link to be drawn."""

    link: Annotated[str, Meta(min_length=8, max_length=300)]


class QrCode(msgspec.Struct):
    """A QR code: rows of 0 and 1."""

    rows: list[str]


class Regular(msgspec.Struct):
    """Somebody who plays here else."""

    id: str
    name: str


class Regulars(msgspec.Struct):
    """Those who play here else, the last seen first."""

    people: list[Regular]


class Buckets:
    """How fast each may tap: so many a second, and some at once."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, whose: str, taps: int) -> bool:
        """Take taps, or tell that there are too many."""
        now = time.monotonic()
        level, at = self._levels.pop(whose, (self._burst, now))
        level = min(self._burst, level + self._rate * (now - at))
        enough = level >= taps
        self._levels[whose] = (level - taps if enough else level, now)
        while len(self._levels) > MOST_BUCKETS:
            self._levels.popitem(last=False)
        return enough


class TonightFront:
    """What watches evenings, and hands taps to the worker.

    Parameters
    ----------
    url : str
        The archive.
    admission : Admission
        Who is held back.
    """

    def __init__(self, url: str, admission: Admission) -> None:
        self._worker = Worker("tonight", url)
        self._admission = admission
        self._views: dict[str, TonightView] = {}
        #: Who waits for the newest views, and the look that is about to begin for them.
        self._wanted: set[str] = set()
        self._next: asyncio.Task[None] | None = None
        self._looking = asyncio.Lock()
        self._news = asyncio.Condition()
        #: Those of organisers go before those of guests.
        self._pending: dict[str, list[tuple[Tap, asyncio.Future[TapAnswer]]]] = {ORGANISER: [], GUEST: []}
        self._waiting = asyncio.Event()
        self._watching: dict[object, tuple[str, str]] = {}
        self._devices, self._addresses = Buckets(*OF_DEVICE), Buckets(*OF_ADDRESS)
        self.ended = False

    @property
    def watching(self) -> int:
        """How many watch."""
        return len(self._watching)

    def following(self) -> list[Coroutine[Any, Any, None]]:
        """Return what keeps taps and looks for news, each without end."""
        return [self._keep(), self._look()]

    def view(self, evening: str) -> TonightView | None:
        """Return what is known of an evening, None where there is none."""
        return self._views.get(evening)

    async def newest(self, evening: str) -> TonightView | None:
        """Return an evening as it is now: links that are revoked are no longer good from then on."""
        self._wanted.add(evening)
        if self._next is None:
            self._next = asyncio.create_task(self._look_once())
        await asyncio.shield(self._next)
        return self._views.get(evening)

    async def _look_once(self) -> None:
        """Look for all who asked before this look began."""
        async with self._looking:
            wanted, self._wanted, self._next = self._wanted, set(), None
            known = {name: each.revision for name, each in self._views.items() if name in wanted}
            await self._ask_for({**dict.fromkeys(wanted, -1), **known})

    async def _ask_for(self, revisions: dict[str, int]) -> None:
        views = await self._worker.ask(("look", revisions), KEEPING)
        await self._show(views)

    async def _show(self, views: list[TonightView]) -> None:
        # What cannot be shown is not shown as it was, either: somebody may be forgotten since.
        self._views |= {each.evening: each for each in views}
        if views:
            async with self._news:
                self._news.notify_all()

    # Who it is

    async def role(self, asked: HttpRequest, evening: str) -> tuple[str, TonightView]:
        """Return whether a request is the organiser's or a guest's.

        Raises
        ------
        ProblemError
            If it has no key of this evening, or one that is no longer good.
        """
        key = bearer_of(asked.headers)
        if not key:
            raise ProblemError(
                HttpProblem(401, "no-token", "open the link of the evening, or give its code word")
            )
        view = await self.newest(evening)
        role = None if view is None else _role_of(view, key)
        if view is None or role is None:
            await self._admission.wrong_token(asked.whose, "tonight")
            raise ProblemError(
                HttpProblem(401, "wrong-token", "this link is not for this evening, or is no longer good")
            )
        if view.expires < time.time():
            raise ProblemError(
                HttpProblem(403, "expired", "this link has expired; ask the organiser for a new one")
            )
        return role, view

    async def found(self, code: str, whose: str) -> str:
        """Return the evening of a code word."""
        await self._ask_for({**{name: each.revision for name, each in self._views.items()}, "": -1})
        wanted = hashed(plain_code(code))
        for view in self._views.values():
            if view.keys.get(wanted) == "code" and view.expires >= time.time():
                return view.evening
        await self._admission.wrong_token(whose, "tonight")
        raise ProblemError(HttpProblem(404, "not-found", "no evening has this code word"))

    # Taps

    async def taps(self, evening: str, by: str, whose: str, body: TapsBody) -> list[TapAnswer]:
        """Have taps kept, in order; return what became of each."""
        device = seat_of(body.device)
        fast = by == GUEST and not self._addresses.allows(whose, len(body.taps))
        if fast or not self._devices.allows(device, len(body.taps)):
            raise ProblemError(HttpProblem(429, "too-many-requests", "this taps too fast; wait a moment"))
        if len(self._pending[by]) >= MOST_PENDING:
            raise ProblemError(HttpProblem(429, "busy", "too much is being done at once; ask again"))
        for each in body.taps:
            if not isinstance(each.get("id"), str) or not 8 <= len(each["id"]) <= 64:
                msg = "each tap needs an id of 8 to 64 letters"
                raise invalid(msg, "/taps")
        futures = []
        for each in body.taps:
            future: asyncio.Future[TapAnswer] = asyncio.get_running_loop().create_future()
            self._pending[by].append((Tap(evening, by, device, each), future))
            futures.append(future)
        self._waiting.set()
        return list(await asyncio.gather(*futures))

    async def _keep(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CALM):
                await self._waiting.wait()
        with contextlib.suppress(EquipoiseError):  # it is tried again with the first question
            await self._worker.ask(None, BEGIN)
        while True:
            await self._waiting.wait()
            batch = [*self._pending[ORGANISER], *self._pending[GUEST][:MOST_AT_ONCE]]
            self._pending = {ORGANISER: [], GUEST: self._pending[GUEST][MOST_AT_ONCE:]}
            if not self._pending[GUEST]:
                self._waiting.clear()
            try:
                answers, views = await self._worker.ask(("take", [tap for tap, _ in batch]), KEEPING)
            except EquipoiseError as error:
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
                await asyncio.sleep(LOOK)  # what refuses does so at once
                continue
            for (_, future), answer in zip(batch, answers, strict=True):
                if not future.done():
                    future.set_result(answer)
            await self._show(views)

    async def _look(self) -> None:
        """Look whether somebody else has changed what is watched, without end."""
        while True:
            await asyncio.sleep(LOOK)
            watched = {evening for evening, _ in self._watching.values()}
            if watched:
                with contextlib.suppress(EquipoiseError):  # it is tried again
                    await self._ask_for({name: self._views[name].revision for name in watched})

    # Those who watch

    def has_room(self, address: str) -> bool:
        """Tell whether one more of an address may watch."""
        mine = sum(each == address for _, each in self._watching.values())
        return len(self._watching) < MOST_WATCHING and mine < MOST_OF_ADDRESS

    async def stream(self, evening: str, address: str, key: str, known: int) -> AsyncGenerator[bytes]:
        """Give the newest view as it changes, until the key is no longer good."""
        token = object()
        self._watching[token] = (evening, address)
        try:
            yield b"retry: 1000\n\n"
            while not self.ended:
                view = self._views[evening]
                if _role_of(view, key) is None or view.expires < time.time():
                    yield b"event: over\ndata: {}\n\n"
                    return
                if view.revision != known and view.body:
                    known = view.revision
                    yield b"event: tonight\nid: %d\ndata: %b\n\n" % (known, view.body)
                    continue
                try:
                    async with asyncio.timeout(QUIET), self._news:
                        await self._news.wait_for(partial(self._is_newer, evening, known))
                except TimeoutError:
                    yield b": still here\n\n"
        finally:
            self._watching.pop(token, None)

    def _is_newer(self, evening: str, known: int) -> bool:
        return self.ended or self._views[evening].revision != known

    async def regulars(self, evening: str) -> Any:
        """Return those who play here else."""
        return await self._worker.ask(("regulars", evening), KEEPING)

    async def end(self) -> None:
        """End those who watch."""
        self.ended = True
        async with self._news:
            self._news.notify_all()

    async def close(self) -> None:
        """Let the worker end."""
        await self._worker.close()


def _role_of(view: TonightView, key: str) -> str | None:
    """Return whose key this is, None where it is nobody's."""
    given, code, role = hashed(key), hashed(plain_code(key)), None
    for known, whose in view.keys.items():
        if hmac.compare_digest(known, code if whose == "code" else given):
            role = ORGANISER if whose == "organiser" else GUEST
    return role


# The operations


def _front(backend: Backend) -> TonightFront:
    front: TonightFront = backend.tonight
    return front


async def view(backend: Backend, asked: HttpRequest) -> Reply:
    """Show an evening."""
    _, found = await _front(backend).role(asked, asked.path["evening"])
    if not found.body:
        raise ProblemError(HttpProblem(503, "unavailable", "this evening cannot be shown now; ask again"))
    etag = b'"%d"' % found.revision
    if has_already(asked.headers, etag):
        return Reply(304, b"", ((b"etag", etag),))
    return Reply(200, found.body, ((b"etag", etag), (b"cache-control", b"no-store")))


async def stream(backend: Backend, asked: HttpRequest) -> Reply:
    """Tell of an evening as it changes."""
    front, evening = _front(backend), asked.path["evening"]
    role, found = await front.role(asked, evening)
    if not front.has_room(asked.whose):
        raise ProblemError(HttpProblem(429, "busy", "as many watch as may; ask again"))
    known, key = last_known(asked.headers), bearer_of(asked.headers) or ""
    headers = (
        (b"cache-control", b"no-store"), (b"x-role", role.encode()), (b"x-accel-buffering", b"no"),
        (b"x-reached-at", link_base(backend, asked.headers.get(b"host", b"")).encode()),
    )  # fmt: skip
    del found
    return Reply(200, b"", headers, b"text/event-stream", front.stream(evening, asked.whose, key, known))


def link_base(backend: Backend, host: bytes) -> str:
    """Return the address that links for others begin with; empty for that of the page itself.

    It is the public one, where one was given; on the machine that serves, that machine's in its network.
    """
    base, (listening, port) = backend.settings.public_url, backend.where
    if base or not is_local(host.decode("latin-1")) or is_local(listening):
        return base
    at = reached_at(listening, port)
    return "" if is_local(at.partition("//")[2]) else at


async def taps(backend: Backend, asked: HttpRequest) -> Reply:
    """Take what a device has done."""
    front, evening = _front(backend), asked.path["evening"]
    role, _ = await front.role(asked, evening)
    body = typed(asked.body, TapsBody)
    answers = await front.taps(evening, role, asked.whose, body)
    found = front.view(evening)
    outcomes = [
        Tapped(each.id, each.status, each.why, None if each.more is None else dict(each.more))
        for each in answers
    ]
    taken = Taps(0 if found is None else found.revision, outcomes)
    used = [each for each in answers if each.status == "conflict"]
    if used:
        why = f"taps: {', '.join(each.id for each in used)}: {used[0].why}"
        raise ProblemError(HttpProblem(409, "conflict", why, more=msgspec.to_builtins(taken)))
    return reply(taken)


async def seat(backend: Backend, asked: HttpRequest) -> Reply:
    """Tell a device how others see it: pages without TLS cannot work out a hash."""
    await _front(backend).role(asked, asked.path["evening"])
    return reply(TonightSeat(seat_of(typed(asked.body, DeviceBody).device)))


def seat_of(device: str) -> str:
    """Return how others see a device."""
    return hashed(device)[:16]


async def find(backend: Backend, asked: HttpRequest) -> Reply:
    """Find an evening by its code word."""
    code = typed(asked.body, CodeBody).code
    return reply(FoundEvening(await _front(backend).found(code, asked.whose)))


async def regulars(backend: Backend, asked: HttpRequest) -> Reply:
    """List those who play here else."""
    front, evening = _front(backend), asked.path["evening"]
    await front.role(asked, evening)
    return reply({"people": await front.regulars(evening)}, headers=((b"cache-control", b"no-store"),))


async def qr(backend: Backend, asked: HttpRequest) -> Reply:
    """Draw the QR code of a link."""
    await _front(backend).role(asked, asked.path["evening"])
    return reply(QrCode(qr_rows(typed(asked.body, LinkBody).link)))


def qr_rows(link: str) -> list[str]:
    """Return the QR code of a link as rows of 0 and 1, with a narrow margin.

    Examples
    --------
    >>> rows = qr_rows("http://192.0.2.7:8080/tonight/thursday#k=abc")
    >>> len(rows) == len(rows[0]), set("".join(rows)) == {"0", "1"}
    (True, True)
    """
    import segno

    code = segno.make(link, error="m", micro=False)
    return ["".join("1" if dark else "0" for dark in row) for row in code.matrix_iter(border=QUIET_ZONE)]


_EVENING = "/v1/tonight/{evening}"

USED = {409: "Another tap came with the id of one before; `taps` has what became of each."}

TONIGHT_OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "tonight",
        "GET",
        _EVENING,
        "Show an evening, by the key of one of its links.",
        view,
        Any,
        answers={**WITH_TOKEN, **UNCHANGED},
        scope="",
    ),
    Operation(
        "tonight_stream",
        "GET",
        f"{_EVENING}/stream",
        "Tell of an evening as it changes (Server-Sent Events).",
        stream,
        bytes,
        answers=WITH_TOKEN,
        scope="",
    ),
    Operation(
        "tonight_taps",
        "POST",
        f"{_EVENING}/taps",
        "Take what a device has done; each tap counts once.",
        taps,
        Taps,
        TapsBody,
        answers={**WITH_BODY, **WITH_TOKEN, **USED},
        scope="",
    ),
    Operation(
        "tonight_regulars",
        "GET",
        f"{_EVENING}/regulars",
        "List those who play here else.",
        regulars,
        Regulars,
        answers=WITH_TOKEN,
        scope="",
    ),
    Operation(
        "tonight_seat",
        "POST",
        f"{_EVENING}/seat",
        "Tell a device how others see it.",
        seat,
        TonightSeat,
        DeviceBody,
        answers={**WITH_BODY, **WITH_TOKEN},
        scope="",
    ),
    Operation(
        "tonight_qr",
        "POST",
        f"{_EVENING}/qr",
        "Draw the QR code of a link.",
        qr,
        QrCode,
        LinkBody,
        answers={**WITH_BODY, **WITH_TOKEN},
        scope="",
    ),
    Operation(
        "tonight_find",
        "POST",
        "/v1/tonight",
        "Find an evening by its code word.",
        find,
        FoundEvening,
        CodeBody,
        answers={**WITH_BODY, **MISSING},
        scope="",
    ),
)
