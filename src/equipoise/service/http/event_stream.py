"""Events as they happen (Server-Sent Events): matches that were kept, ratings that changed.

An event's id is the revision it is of, so that a client that comes back with ``Last-Event-ID`` gets what came
since from the archive, whatever has happened to the server.  Only the last event of a revision has an id: who
was cut off in the middle of one gets it again as a whole, and loses nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Coroutine, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from equipoise.service.http.backend import Backend
from equipoise.service.http.messages import ProblemError

#: Matches that are reported between two revisions; of more only the number of the revision is.
MOST_MATCHES = 200

#: Events that may wait for a listener, and listeners in total and of one address.
MOST_WAITING, MOST_LISTENERS, MOST_OF_ADDRESS = 64, 2048, 1024

#: Seconds between two looks at the revision, and without an event after which a comment is sent.
LOOK, QUIET = 0.25, 15.0

#: Seconds between two looks at running games, and after which one that was not heard of is over.
LOOK_GAMES, SILENT = 1.0, 90.0

#: Whose question the archive is asked for events.
OWN = "events"


def event(kind: str, content: object, revision: int | None = None) -> bytes:
    r"""Return an event as bytes.

    Examples
    --------
    >>> event("ratings", {"revision": 7}, 7)
    b'event: ratings\nid: 7\ndata: {"revision":7}\n\n'
    """
    number = b"" if revision is None else b"id: %d\n" % revision
    return b"event: %b\n%bdata: %b\n\n" % (kind.encode(), number, msgspec.json.encode(content))


def last_known(headers: Mapping[bytes, bytes]) -> int:
    """Return the revision that somebody who comes back knows; -1 where there is none to be read.

    Examples
    --------
    >>> last_known({b"last-event-id": b"7"}), last_known({b"last-event-id": b"x"}), last_known({})
    (7, -1, -1)
    """
    given = headers.get(b"last-event-id", b"")
    return int(given) if given.isdigit() and len(given) < 18 else -1


def heard_lately(sessions: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return those of running games that were heard of lately."""
    since = time.time() - SILENT
    return [each for each in sessions if each["at"] >= since]


async def running(backend: Backend, address: str) -> list[dict[str, Any]]:
    """Return the running games that were heard of lately."""
    read = await backend.read("sessions", None, address)
    return heard_lately(msgspec.json.decode(read.body or b"[]"))


class Events:
    """Who listens, and what they are given.

    Parameters
    ----------
    backend : Backend
        What knows the newest revision, and reads the archive.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._listeners: dict[asyncio.Queue[bytes | None], str] = {}
        self._revision = backend.known.snapshot.revision
        self._games: dict[str, dict[str, Any]] | None = None

    @property
    def listeners(self) -> int:
        """How many listen."""
        return len(self._listeners)

    def has_room(self, address: str) -> bool:
        """Tell whether one more of an address may listen."""
        of_address = sum(each == address for each in self._listeners.values())
        return len(self._listeners) < MOST_LISTENERS and of_address < MOST_OF_ADDRESS

    async def since(self, revision: int, newest: int) -> list[bytes]:
        """Return the events since a revision, up to another; the last of them says that one.

        What came after it is not among them, as it will be sent later.
        Of one that there is not yet, as of another archive, the last is the only one.
        """
        if revision == newest:
            return []
        read = await self._backend.read("news", (min(revision, newest), newest, MOST_MATCHES), OWN)
        news = msgspec.json.decode(read.body or b"")
        some = news["matches"] if news["count"] <= MOST_MATCHES else []
        ratings = {
            "revision": newest,
            "players": len(self._backend.known.people.ids),
            "matches": news["count"],
        }
        return [*(event("match", each) for each in some), event("ratings", ratings, newest)]

    async def stream(self, address: str, last: int | None) -> AsyncGenerator[bytes]:
        """Give the events from now on, or since the last one that somebody had; without end."""
        queue: asyncio.Queue[bytes | None] = asyncio.Queue(MOST_WAITING)
        self._listeners[queue] = address
        newest = self._revision  # what comes after it is sent to all who listen
        try:
            yield b"retry: 2000\n\n"
            games: list[dict[str, Any]] = []
            with contextlib.suppress(ProblemError):  # too much is being read; what changes will be reported
                games = await running(self._backend, OWN)
            if self._games is None:  # what changes from here on is reported, before the first look too
                self._games = {each["server"]: each for each in games}
            for game in games:
                yield event("session", game)
            if last is not None:
                for each in await self.since(last, newest):
                    yield each
            while True:
                given: bytes | None = b": still here\n\n"
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(QUIET):
                        given = await queue.get()
                if given is None:
                    return
                yield given
        finally:
            self._listeners.pop(queue, None)

    def following(self) -> Iterator[Coroutine[Any, Any, None]]:
        """Give what looks for events, without end."""
        return iter((self.follow(), self.follow_games()))

    async def follow(self) -> None:
        """Tell all who listen what is new, without end."""
        while True:
            await asyncio.sleep(LOOK)
            newest = self._backend.known.snapshot.revision
            if newest == self._revision:
                continue
            with contextlib.suppress(Exception):  # it is tried again
                if self._listeners:
                    self._tell(await self.since(min(self._revision, newest - 1), newest))
                self._revision = newest

    async def follow_games(self) -> None:
        """Tell all who listen what goes on on game servers, as it changes, without end."""
        while True:
            await asyncio.sleep(LOOK_GAMES)
            if not self._listeners:
                self._games = None
                continue
            with contextlib.suppress(Exception):  # it is tried again
                now = {each["server"]: each for each in await running(self._backend, OWN)}
                before, self._games = self._games, now
                if before is not None:
                    changed = [each for name, each in now.items() if _other(before.get(name), each)]
                    if changed:
                        self._tell([event("session", each) for each in changed])

    def _tell(self, events: list[bytes]) -> None:
        for queue in list(self._listeners):
            try:
                queue.put_nowait(b"".join(events))
            except asyncio.QueueFull:
                self._end(queue)

    def _end(self, queue: asyncio.Queue[bytes | None]) -> None:
        """End a listener; what waits for it is dropped, and comes when it asks again."""
        self._listeners.pop(queue, None)
        while not queue.empty():
            queue.get_nowait()
        queue.put_nowait(None)

    def end(self) -> None:
        """End all who listen."""
        for queue in list(self._listeners):
            self._end(queue)


def _other(before: dict[str, Any] | None, now: dict[str, Any]) -> bool:
    """Tell whether more has changed than when it was last heard of."""
    return before is None or {**before, "at": 0.0} != {**now, "at": 0.0}
