"""What answers each operation: from the newest snapshot, or through a lane."""

from __future__ import annotations

import base64
import binascii
from time import time
from typing import Any, NoReturn, TypeVar

import msgspec

from equipoise.clock import ahead
from equipoise.errors import InputError
from equipoise.logs.records import match_from
from equipoise.matches import Ruleset
from equipoise.protocols.http.problems import HttpProblem, located
from equipoise.protocols.weights.requests import Refusal
from equipoise.server import keeping
from equipoise.server import metrics as counts
from equipoise.server.http.asked import HttpRequest, Reply, refusal, reply
from equipoise.server.http.bodies import UndoBody
from equipoise.server.http.decoding import ProblemError, plain_object, typed
from equipoise.server.http.desk import MOST_CARDS, Desk, FromSnapshot
from equipoise.server.http.events import running
from equipoise.server.keeping import ReportedGame, UndoneGame
from equipoise.serving.people import Page

#: Characters of the longest id of a match that is reported.
LONGEST_ID = 200

#: Digits of the largest revision.
DIGITS = 18

Decoded = TypeVar("Decoded")


async def question(kind: str, desk: Desk, asked: HttpRequest) -> Reply:
    """Answer a question that needs no archive."""
    limit = asked.query.time_limit
    seconds = None if limit is msgspec.UNSET else limit
    status, body = await desk.ask(kind, asked.body, seconds, asked.address)
    return Reply(status, body) if status == 200 else Reply(status, body, (), b"application/problem+json")


async def players(desk: Desk, asked: HttpRequest) -> Reply:
    """List players."""
    known = desk.known
    if unchanged := _unchanged(known, asked):
        return unchanged
    query = asked.query
    ruleset = _ruleset(known, query.ruleset)
    parts = known.people.page(ruleset, _start(known, query.cursor), query.limit, query.q)
    found: Page = await desk.gone_through(parts, asked.address)
    after = None if found.after is None else _cursor([found.after, known.people.ids[found.after]])
    return reply({"players": found.rows, "next": after}, headers=_etag(known))


async def player(desk: Desk, asked: HttpRequest) -> Reply:
    """Show a player."""
    known = desk.known
    named = asked.path["id"]
    body = known.cards.get(named)
    if body is None:
        if named not in known.snapshot.ratings.known:
            _missing("player", named)
        body = msgspec.json.encode(known.people.card(named))
        if len(known.cards) >= MOST_CARDS:
            known.cards.clear()
        known.cards[named] = body
    return _unchanged(known, asked) or Reply(200, body, _etag(known))


async def rulesets(desk: Desk, asked: HttpRequest) -> Reply:
    """List rulesets."""
    known = desk.known
    return _unchanged(known, asked) or reply({"rulesets": known.people.rulesets()}, headers=_etag(known))


async def leaderboard(desk: Desk, asked: HttpRequest) -> Reply:
    """List the strongest."""
    known = desk.known
    ruleset = _ruleset(known, asked.path["ruleset"])
    if unchanged := _unchanged(known, asked):
        return unchanged
    rows = await desk.leaders(ruleset, asked.query.min_games, asked.address)
    content = {"ruleset": asked.path["ruleset"], "players": rows[: asked.query.limit]}
    return reply(content, headers=_etag(known))


async def history(desk: Desk, asked: HttpRequest) -> Reply:
    """List a player's games."""
    known = desk.known
    named = asked.path["id"]
    if named not in known.snapshot.ratings.known:
        _missing("player", named)
    return await _from_archive(desk, asked, "history", (named, asked.query.why))


async def matches(desk: Desk, asked: HttpRequest) -> Reply:
    """List matches."""
    if unchanged := _unchanged(desk.known, asked):
        return unchanged
    before = _place(asked.query.cursor)
    read = await desk.read("matches", (before, asked.query.limit), asked.address)
    page = msgspec.json.decode(read.body or b"")
    page["next"] = None if page["next"] is None else _cursor(page["next"])
    return reply(page, headers=_etag(desk.known))


async def match(desk: Desk, asked: HttpRequest) -> Reply:
    """Show a match."""
    return await _from_archive(desk, asked, "match", asked.path["id"])


async def _from_archive(desk: Desk, asked: HttpRequest, kind: str, what: Any) -> Reply:
    if unchanged := _unchanged(desk.known, asked):
        return unchanged
    read = await desk.read(kind, what, asked.address)
    if read.body is None:
        _missing(kind, asked.path["id"])
    return Reply(200, read.body, _etag(desk.known))


async def results(desk: Desk, asked: HttpRequest) -> Reply:
    """Keep a match that has ended."""
    record = plain_object(asked.body)
    timed = "ended" in record
    now = time()
    record.setdefault("ended", now)
    key = _key(asked)
    if record.get("id", "") == "":
        record["id"] = key
    if record["id"] == "" or len(str(record["id"])) > LONGEST_ID:
        detail = (
            f"id must have 1 to {LONGEST_ID} characters; it, or an Idempotency-Key, tells a match from others"
        )
        raise ProblemError(HttpProblem(422, "invalid", detail, "/id"))
    try:
        match = match_from(record)
    except InputError as error:
        pointer, detail = located(str(error), record, error.argument)
        raise ProblemError(HttpProblem(422, "invalid", detail, pointer)) from None
    if wrong := ahead(match.ended or 0.0, now):
        raise ProblemError(HttpProblem(422, "invalid", f"ended: {wrong}", "/ended"))
    outcome = await _kept(desk, ReportedGame(match, timed), asked)
    if outcome == keeping.OTHER:
        detail = f"another match is kept under the id {match.id!r}; it stays as it is"
        raise ProblemError(HttpProblem(409, "conflict", detail, "/id"))
    new = outcome == keeping.NEW
    return reply({"id": match.id, "new": new}, 201 if new else 200)


def _key(asked: HttpRequest) -> str:
    """Return what the header says that a match is known by; two that differ never come out as one."""
    try:
        return asked.headers.get(b"idempotency-key", b"").decode().strip()
    except UnicodeDecodeError:
        raise ProblemError(HttpProblem(422, "invalid", "Idempotency-Key must be UTF-8")) from None


async def undo(desk: Desk, asked: HttpRequest) -> Reply:
    """Exclude a match from the ratings, or include it again."""
    back = typed(asked.body or b"{}", UndoBody).back
    named = asked.path["id"]
    if await _kept(desk, UndoneGame(named, back), asked) == keeping.MISSING:
        _missing("match", named)
    return reply({"match": named, "undone": not back})


async def _kept(desk: Desk, what: ReportedGame | UndoneGame, asked: HttpRequest) -> str:
    """Have something kept; return what became of it."""
    outcome = await desk.service.work(what, asked.address)
    if outcome is Refusal.BUSY:
        raise ProblemError(HttpProblem(429, "busy", "too much is being reported at once; report it again"))
    if isinstance(outcome, Refusal):
        raise ProblemError(HttpProblem(503, "unavailable", "it cannot be kept just now; report it again"))
    return str(outcome)


async def sessions(desk: Desk, asked: HttpRequest) -> Reply:
    """List the running games that were heard of lately."""
    return reply({"sessions": await running(desk, asked.address)}, headers=((b"cache-control", b"no-store"),))


async def events(desk: Desk, asked: HttpRequest) -> Reply:
    """Tell of what happens as it does."""
    given = asked.headers.get(b"last-event-id", b"").decode("latin-1")
    if given and not (given.isascii() and given.isdigit() and len(given) <= DIGITS):
        raise ProblemError(HttpProblem(422, "invalid", "Last-Event-ID must be the id of an event"))
    if not desk.events.has_room(asked.address):
        raise ProblemError(HttpProblem(429, "busy", "as many listen as may; ask again"))
    stream = desk.events.stream(asked.address, int(given) if given else None)
    return Reply(200, b"", ((b"cache-control", b"no-store"),), b"text/event-stream", stream)


async def livez(desk: Desk, asked: HttpRequest) -> Reply:
    """Tell that the process answers."""
    del desk, asked
    return reply({"status": "alive"})


async def readyz(desk: Desk, asked: HttpRequest) -> Reply:
    """Tell whether there are ratings to answer from, and no end in sight."""
    del asked
    if desk.ending:
        return refusal(HttpProblem(503, "ending", "this server ends"))
    return reply({"status": "ready", "revision": desk.known.snapshot.revision})


async def metrics(desk: Desk, asked: HttpRequest) -> Reply:
    """Tell counts and times."""
    del asked
    return Reply(200, desk.metrics.text(desk.gauges()).encode(), (), counts.MEDIA_TYPE)


async def document(desk: Desk, asked: HttpRequest) -> Reply:
    """Give the document of all operations."""
    del asked
    return Reply(200, desk.document)


# Revisions, places in lists, and what is missing


def _etag(known: FromSnapshot) -> tuple[tuple[bytes, bytes], ...]:
    return ((b"etag", known.etag), (b"cache-control", b"no-cache"))


def _unchanged(known: FromSnapshot, asked: HttpRequest) -> Reply | None:
    """Return the answer to a client that has this revision already."""
    has = asked.headers.get(b"if-none-match")
    if has is None:
        return None
    tags = [each.strip().removeprefix(b"W/") for each in has.split(b",")]
    return Reply(304, b"", _etag(known)) if known.etag in tags or b"*" in tags else None


def _missing(kind: str, named: str) -> NoReturn:
    raise ProblemError(HttpProblem(404, "not-found", f"there is no {kind} {named!r}"))


def _ruleset(known: FromSnapshot, text: str) -> Ruleset:
    """Return the ruleset that a text names."""
    found = known.people.ruleset(text)
    if found is None:
        _missing("ruleset", text)
    return found


def _cursor(place: list[Any]) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).decode()


def _decoded(cursor: str, kind: type[Decoded]) -> Decoded:
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(cursor.encode()), type=kind)
    except (binascii.Error, ValueError):
        detail = "cursor: it is not the `next` of a page"
        raise ProblemError(HttpProblem(422, "invalid", detail, more={"parameter": "cursor"})) from None


def _place(cursor: str) -> tuple[float, str] | None:
    return None if not cursor else _decoded(cursor, tuple[float, str])


def _start(known: FromSnapshot, cursor: str) -> int:
    """Return the place of a cursor in the order of first appearance, which a correction may have moved."""
    if not cursor:
        return 0
    place, player = _decoded(cursor, tuple[int, str])
    ids = known.people.ids
    if 0 <= place < len(ids) and ids[place] == player:
        return place
    return ids.index(player) if player in known.snapshot.ratings.known else min(max(place, 0), len(ids))
