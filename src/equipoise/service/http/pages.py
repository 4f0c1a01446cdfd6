"""Pages for people over HTTP: those of an archive, the board, and how queues stand.

A worker goes through the archive and renders, so that nothing here waits for either.
"""

from __future__ import annotations

import gzip
import hashlib
import logging
import threading
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl

from equipoise.archive.archive import open_archive
from equipoise.errors import EquipoiseError
from equipoise.pages.html.board import board_html
from equipoise.pages.html.queues_page import queues_html, queues_script
from equipoise.pages.html.site import KINDS, Site, mark_file, missing_html, policy
from equipoise.pages.html.tonight import POLICY, tonight_file, tonight_html
from equipoise.ratings.timeline import chronicle_of
from equipoise.service.admission import address_of
from equipoise.service.http.application import Receive, Scope, Send, sent
from equipoise.service.http.backend import Backend
from equipoise.service.http.event_stream import heard_lately
from equipoise.service.http.messages import ProblemError, Reply, refusal
from equipoise.service.http.problems import HttpProblem

#: Seconds that a page may take, and how many times as long as it took to go through the archive pass at least
#: before that is done again.
RENDERING, REST = 20.0, 10.0

#: Seconds before an archive is looked at again at the earliest.
LOOK = 1.0

HTML, CSV, SCRIPT = (b"text/%s; charset=utf-8" % kind for kind in (b"html", b"csv", b"javascript"))

log = logging.getLogger(__name__)


class Paging:
    """The worker: the pages of an archive, as it was some moments ago.

    Parameters
    ----------
    url : str
        The archive.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._site: Site | None = None
        self._stamp: object = None
        self._next = 0.0
        self._making: threading.Thread | None = None

    def __call__(
        self, question: tuple[str, dict[str, str]] | None
    ) -> Generator[None, None, tuple[str, str | None]]:
        """Answer a path and a query: whether pages are there yet, and the page."""
        yield from ()
        self._renew()
        if question is None or self._site is None:
            return "later", None
        return "now", self._site.page(*question)

    def _renew(self) -> None:
        """Begin to go through the archive where that is due; the pages before are shown meanwhile."""
        if (self._making is not None and self._making.is_alive()) or time.monotonic() < self._next:
            return
        self._making = threading.Thread(target=self._make, daemon=True)
        self._making.start()
        if self._site is None:
            self._making.join(1.0)  # a small one is there at once

    def _sessions(self) -> list[dict[str, Any]]:
        """Return what runs now; nothing where the archive cannot be read."""
        try:
            with open_archive(self._url, create=False) as archive:
                return heard_lately(archive.sessions())
        except EquipoiseError:
            return []

    def _make(self) -> None:
        began = time.monotonic()
        try:
            with open_archive(self._url, create=False) as archive:
                stamp = archive.stamp()
                if stamp != self._stamp:
                    names = archive.standing().names
                    chronicle = chronicle_of(archive.model, archive.matches(), names)
                    self._site = Site(chronicle, live=True, sessions=self._sessions)
                    self._stamp = stamp
        except EquipoiseError as error:
            log.warning("no pages", extra={"why": str(error)})
        self._next = time.monotonic() + max(LOOK, REST * (time.monotonic() - began))


class Pages:
    """The application for all paths that no operation has.

    Parameters
    ----------
    backend : Backend
        What asks the worker.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

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
                answer = _StaticFile.of(missing_html(), HTML, policy()).answer({})
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
        if (found := _file(path)) is not None:
            return found.answer(headers)
        if path == "tonight" or path.startswith("tonight/"):
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
        known, page = await self._backend.page(path, query, address)
        if known == "later":
            soon = b'<!doctype html><meta charset="utf-8"><title>Soon</title><p>The pages are being made.'
            return Reply(503, soon, ((b"retry-after", b"5"), (b"refresh", b"5")), HTML)
        if page is None:
            raise _missing()
        return _StaticFile.of(page, CSV if path.endswith(".csv") else HTML, policy()).answer(headers)


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
        if asked.get(b"if-none-match") == self.etag:
            return Reply(304, b"", self.headers)
        if b"gzip" in asked.get(b"accept-encoding", b""):
            headers = (*self.headers, (b"content-encoding", b"gzip"))
            return Reply(200, self.packed, headers, self.media_type)
        return Reply(200, self.body, self.headers, self.media_type)


def _file(path: str) -> _StaticFile | None:
    """Return the file at a path, None where a page is made, or there is nothing."""
    if path == "board.html":
        return _board()
    if path == "live.js":
        return _read("live.js", SCRIPT)
    if path == "queues.html":
        return _StaticFile.of(queues_html(), HTML, policy())
    if path == "queues.js":
        return _StaticFile.of(queues_script().decode(), SCRIPT)
    if path == "style.css":
        return _read("style.css", b"text/css; charset=utf-8")
    if path == "mark.svg":
        return _StaticFile.of(mark_file(), b"image/svg+xml")
    folder, _, name = path.partition("/")
    if folder != "tonight" or "/" in name:
        return None
    if "." in name:
        found = tonight_file(name)
        return None if found is None else _tonight_file(name)
    return _tonight()


@cache
def _board() -> _StaticFile:
    return _StaticFile.of(board_html(server="v1/balance", results="v1/results", people="v1/"), HTML)


@cache
def _tonight() -> _StaticFile:
    return _StaticFile.of(tonight_html(), HTML, POLICY)


@cache
def _tonight_file(name: str) -> _StaticFile:
    text, media_type = tonight_file(name) or ("", "text/plain")
    return _StaticFile.of(text, f"{media_type}; charset=utf-8".encode())


@cache
def _read(name: str, media_type: bytes) -> _StaticFile:
    return _StaticFile.of(
        files("equipoise.pages.html").joinpath(name).read_text(encoding="utf-8"), media_type
    )
