"""Pages for people over HTTP: those of an archive, the board, and how queues stand.

A worker goes through the archive and renders, so that nothing here waits for either.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import logging
import threading
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl

from equipoise.archive.archive import open_archive
from equipoise.archive.kept_chronicle import KeptChronicle
from equipoise.errors import EquipoiseError
from equipoise.pages.html.board import board_html
from equipoise.pages.html.changed_pages import changed_pages
from equipoise.pages.html.queues_page import queues_html, queues_script
from equipoise.pages.html.site import KINDS, Site, mark_file, missing_html, page_beside_archive, policy
from equipoise.pages.html.tonight import FILES, POLICY, tapped_file, tapped_html
from equipoise.service.admission import address_of
from equipoise.service.http.application import Receive, Scope, Send, sent
from equipoise.service.http.backend import Backend
from equipoise.service.http.event_stream import heard_lately
from equipoise.service.http.messages import ProblemError, Reply, has_already, refusal, takes_gzip
from equipoise.service.http.problems import HttpProblem

#: How many times as long as it took to look for new matches pass at least before that is done again, and new
#: matches after which the chronicle is kept.
REST, KEPT = 4.0, 200

#: Seconds before an archive that could not be read is looked at again.
TROUBLE = 1.0

#: Pages that are held, as long as they are right.
HELD = 1_000

HTML, CSV, SCRIPT, STYLE, PLAIN = (
    b"text/%s; charset=utf-8" % kind for kind in (b"html", b"csv", b"javascript", b"css", b"plain")
)

log = logging.getLogger(__name__)

if TYPE_CHECKING:
    from equipoise.archive.archive import Archive


class Of(NamedTuple):
    """What a page is of: the lineage of a chronicle, and how many matches of it."""

    lineage: str
    matches: int


class Page(NamedTuple):
    """An answer: what became of a page, its text, and what it is of.

    ``state`` is ``later`` while there are no pages yet, ``same`` where the page that was had is right, and
    ``now`` beside a page, or beside none where there is no such page.
    """

    state: str
    text: str | None = None
    revision: int = 0
    of: Of | None = None


class _Shown(NamedTuple):
    """What pages show, and which of them are others than when there were so many matches."""

    known: KeptChronicle
    site: Site
    changed: dict[int, frozenset[str]]

    def is_right(self, path: str, matches: int) -> bool:
        """Tell whether a page of so many matches is the same now."""
        if path.startswith("servers"):  # what runs there changes without matches
            return False
        if matches not in self.changed:
            self.changed[matches] = frozenset(changed_pages(self.site, matches))
        return (path or "index.html") not in self.changed[matches]


class Paging:
    """The worker: the pages of an archive, as it is.

    Parameters
    ----------
    url : str
        The archive.
    language : str
        Of the texts.
    """

    def __init__(self, url: str, language: str = "en") -> None:
        self._url, self._language = url, language
        self._archive: Archive | None = None
        self._shown: _Shown | None = None
        self._forgotten = 0  # how many ids were, of what is shown
        self._next = 0.0
        self._making: threading.Thread | None = None

    def __call__(self, question: tuple[str, dict[str, str], Of | None] | None) -> Generator[None, None, Page]:
        """Answer a path, a query, and of what the page is that was had."""
        yield from ()
        self._renew()
        shown = self._shown  # another thread may put another one there
        if question is None or shown is None:
            return Page("later")
        known, site = shown.known, shown.site
        path, query, had = question
        of = Of(known.lineage, len(known.chronicle))
        if had is not None and not query and had.lineage == of.lineage and shown.is_right(path, had.matches):
            return Page("same", None, known.revision, of)
        return Page("now", site.page(path, query), known.revision, of)

    def _renew(self) -> None:
        """Take over what is new; where all has to be made, begin that, and go on with the pages before."""
        making = self._making is not None and self._making.is_alive()
        began = time.monotonic()
        if began < self._next or making:
            return
        try:
            if self._archive is None:
                self._archive = open_archive(self._url, create=False)
            before = None if self._shown is None else self._shown.known
            forgotten, revision = self._archive.marks()
            if before is not None and revision == before.revision:
                return
            if forgotten != self._forgotten:  # nor is anybody shown again who is
                self._shown = before = None
            known = self._archive.next_chronicle(before)
            if known is None:
                self._making = threading.Thread(target=self._make, daemon=True)
                self._making.start()
                if self._shown is None:
                    self._making.join(1.0)  # a small one is there at once
                return
            if len(known.chronicle) - known.saved >= KEPT:
                known = self._archive.keep_chronicle(known)
            self._show(known, forgotten)
        except EquipoiseError as error:
            log.warning("no pages", extra={"why": str(error)})
            self._close()
            self._next = time.monotonic() + TROUBLE
            return
        self._next = time.monotonic() + REST * (time.monotonic() - began)

    def _close(self) -> None:
        if self._archive is not None:
            self._archive.close()
            self._archive = None

    def _show(self, known: KeptChronicle, forgotten: int) -> None:
        site = Site(known.chronicle, language=self._language, live=True, sessions=self._sessions)
        self._shown, self._forgotten = _Shown(known, site, {}), forgotten

    def _make(self) -> None:
        try:
            with open_archive(self._url, create=False) as archive:
                forgotten = archive.marks().forgotten
                self._show(archive.keep_chronicle(archive.chronicle()), forgotten)
        except EquipoiseError as error:
            log.warning("no pages", extra={"why": str(error)})
            self._next = time.monotonic() + TROUBLE

    def _sessions(self) -> list[dict[str, Any]]:
        """Return what runs now; nothing where the archive cannot be read."""
        try:
            return [] if self._archive is None else heard_lately(self._archive.sessions())
        except EquipoiseError:
            return []


class Pages:
    """The application for all paths that no operation has.

    Parameters
    ----------
    backend : Backend
        What asks the worker.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend, self._language = backend, backend.settings.language
        self._held: dict[tuple[Any, ...], _Held] = {}
        self._asking: dict[tuple[Any, ...], asyncio.Lock] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        del receive
        if scope["type"] != "http":
            return
        try:
            answer = await self._reply(scope)
        except ProblemError as error:
            answer = refusal(error.problem, ((b"connection", b"close"),))
            if error.problem.status == 404 and b"text/html" in dict(scope["headers"]).get(b"accept", b""):
                answer = _StaticFile.of(missing_html(self._language), HTML, policy()).answer({})
                answer.status = 404
        await sent(answer, send)

    async def _reply(self, scope: Scope) -> Reply:
        if scope["method"] not in ("GET", "HEAD"):
            raise ProblemError(
                HttpProblem(405, "method-not-allowed", f"{scope['method']} is not a method of pages")
            )
        address = address_of(scope["client"])
        admission = self._backend.service.admission
        if not admission.allows(address):
            await admission.refuse(address, "requests")
            raise ProblemError(
                HttpProblem(429, "too-many-requests", "this asks too fast; wait, and ask again")
            )
        path, headers = scope["path"].removeprefix("/"), dict(scope["headers"])
        if (found := _file(path, self._language)) is not None:
            return found.answer(headers)
        if path.partition("/")[0] in FILES:
            raise _missing()
        if path not in ("", "index.html") and path.partition("/")[0] not in KINDS:
            raise _missing()
        if self._backend.settings.read_token:
            raise ProblemError(
                HttpProblem(401, "no-token", "reading needs a token here, which pages cannot carry")
            )
        query = parse_qsl(scope["query_string"].decode("ascii", "replace"), errors="replace")
        return await self._page(path, dict(query), address, headers)

    async def _page(
        self, path: str, query: dict[str, str], address: str, headers: Mapping[bytes, bytes]
    ) -> Reply:
        """Return a page: the one that is held, where it is right."""
        key = path, *sorted(query.items())
        async with self._asking.setdefault(key, asyncio.Lock()):
            try:
                held = await self._newest(key, path, query, address)
            finally:
                self._asking.pop(key, None)
        if held is None:
            soon = page_beside_archive("soon", root="/", here="", language=self._language)
            return Reply(503, soon.encode(), ((b"retry-after", b"5"), (b"refresh", b"5")), HTML)
        if held.file is None:
            raise _missing()
        reply = held.file.answer(headers)
        reply.headers = (*reply.headers, (b"x-revision", str(held.revision).encode()))
        return reply

    async def _newest(
        self, key: tuple[Any, ...], path: str, query: dict[str, str], address: str
    ) -> _Held | None:
        held = self._held.get(key)
        if held is not None and held.revision >= self._backend.known.snapshot.revision and held.steady:
            return held
        answer = await self._backend.page((path, query, None if held is None else held.of), address)
        if answer.state == "later":
            return None
        if answer.state == "same" and held is not None:
            found = held._replace(revision=answer.revision, of=answer.of)
        else:
            file = None
            if answer.text is not None:
                file = _StaticFile.of(answer.text, _type(path), policy())
            found = _Held(file, answer.revision, answer.of, steady=not path.startswith("servers"))
        self._held.pop(key, None)
        self._held[key] = found
        while len(self._held) > HELD:
            self._held.pop(next(iter(self._held)))
        return found


class _Held(NamedTuple):
    """A page that was sent: its file, the revision and matches it is of, and whether only these change it."""

    file: _StaticFile | None
    revision: int
    of: Of | None
    steady: bool


def _type(path: str) -> bytes:
    return CSV if path.endswith(".csv") else HTML


def _missing() -> ProblemError:
    what = "there is nothing at this path; / has the first page, and /openapi.json says what else there is"
    return ProblemError(HttpProblem(404, "not-found", what))


def _headers() -> tuple[tuple[bytes, bytes], ...]:
    return (
        (b"cache-control", b"no-cache"), (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _StaticFile:
    """A file that is the same until the next version: its bytes, plain and compressed, and its hash."""

    body: bytes
    packed: bytes
    media_type: bytes
    etag: bytes
    headers: tuple[tuple[bytes, bytes], ...]

    @classmethod
    def of(cls, text: str, media_type: bytes, policy: str = "") -> _StaticFile:
        """Return a file of a text."""
        body = text.encode()
        etag = b'"%b"' % hashlib.sha256(body).hexdigest()[:20].encode()
        headers = (*_headers(), (b"etag", etag), (b"vary", b"accept-encoding"))
        if policy:
            headers = (*headers, (b"content-security-policy", policy.encode()), (b"x-frame-options", b"DENY"))
        return cls(body, gzip.compress(body, 9, mtime=0), media_type, etag, headers)

    def answer(self, asked: Mapping[bytes, bytes]) -> Reply:
        """Return the file, compressed where that is understood, or that it is the one that was had."""
        if has_already(asked, self.etag):
            return Reply(304, b"", self.headers)
        if takes_gzip(asked):
            headers = (*self.headers, (b"content-encoding", b"gzip"))
            return Reply(200, self.packed, headers, self.media_type)
        return Reply(200, self.body, self.headers, self.media_type)


def _file(path: str, language: str) -> _StaticFile | None:
    """Return the file at a path, None where a page is made, or there is nothing."""
    folder, _, name = path.partition("/")
    if name not in FILES.get(folder, (name,)) and "/" not in name and (folder == "queue" or "." not in name):
        path = f"{folder}/"  # the page of every evening is the same, and that of every queue
    return _made(path, language) if path in _FILES else None


@cache
def _made(path: str, language: str) -> _StaticFile:
    """Return one of the files that are the same until the next version."""
    text, media_type = _FILES[path](language)
    policies = {"queues.html": policy(), **{f"{kind}/": POLICY for kind in FILES}}
    return _StaticFile.of(text, media_type, policies.get(path, ""))


def _read(name: str) -> str:
    return files("equipoise.pages.html").joinpath(name).read_text(encoding="utf-8")


def _tapped(kind: str, name: str, language: str) -> tuple[str, bytes]:
    if not name:
        return tapped_html(kind, language), HTML
    text, media_type = tapped_file(kind, name, language)
    return text, f"{media_type}; charset=utf-8".encode()


#: Text and media type of each file, in a language; evenings and questions are nobody's to find.
_FILES: Mapping[str, Callable[[str], tuple[str, bytes]]] = {
    "board.html": lambda language: (
        board_html(server="v1/balance", results="v1/results", people="v1/", language=language), HTML
    ),
    "live.js": lambda _: (_read("live.js"), SCRIPT),
    "queues.html": lambda language: (queues_html(language), HTML),
    "queues.js": lambda _: (queues_script().decode(), SCRIPT),
    "style.css": lambda _: (_read("style.css"), STYLE),
    "robots.txt": lambda _: ("User-agent: *\nDisallow: /tonight\nDisallow: /queue/\nDisallow: /v1/\n", PLAIN),
    "mark.svg": lambda _: (mark_file(), b"image/svg+xml"),
    **{
        f"{kind}/{name}": partial(_tapped, kind, name)
        for kind, names in FILES.items()
        for name in ("", *names)
    },
}  # fmt: skip
