"""What may be asked over HTTP: one table, from which requests are answered and the document is made.

What answers each operation: from the newest snapshot, or through a lane.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from functools import partial
from operator import gt
from time import monotonic, time
from typing import Any, NoReturn, TypeVar

import msgspec

from equipoise.archive.stored_matches import MatchData
from equipoise.core.dates import Zone, ahead, read_now, unlikely
from equipoise.core.match import Match, Ruleset
from equipoise.core.match_records import CONTEST_FIELDS, MATCH_FIELDS, match_from, time_from
from equipoise.core.player import is_bot
from equipoise.errors import InputError
from equipoise.identity.merges import everyone
from equipoise.identity.roster_lookup import AmbiguousNameError, ReportedMatch
from equipoise.lobbies.plan import PlanData
from equipoise.ratings.point_changes import point_changes
from equipoise.ratings.reports import Predicted, Rated
from equipoise.service import archive_workers
from equipoise.service import monitoring as counts
from equipoise.service.archive_workers import ReportedGame, UndoneGame
from equipoise.service.http import compat
from equipoise.service.http.admin_operations import ADMIN_OPERATIONS
from equipoise.service.http.backend import MOST_CARDS, Backend, FromSnapshot
from equipoise.service.http.event_stream import running
from equipoise.service.http.messages import (
    HttpRequest,
    ProblemError,
    Reply,
    has_already,
    plain_object,
    refusal,
    reply,
    typed,
)
from equipoise.service.http.operation import (
    LIKE,
    LONGEST_ID,
    MISSING,
    SEVERAL,
    UNCHANGED,
    WITH_BODY,
    Operation,
)
from equipoise.service.http.problems import HttpProblem, ambiguous, located
from equipoise.service.http.queue_operations import QUEUE_OPERATIONS
from equipoise.service.http.queue_page_operations import QUEUE_PAGE_OPERATIONS
from equipoise.service.http.schemas import (
    Alive,
    BoardQuery,
    Cursor,
    Explained,
    HistoryQuery,
    Leaderboard,
    LobbiesBody,
    MatchPage,
    PeopleQuery,
    PlayerHistory,
    PlayerPage,
    PredictBody,
    RateBody,
    Readiness,
    Reported,
    ReportQuery,
    Rulesets,
    Sessions,
    TimeLimit,
    UndoBody,
    Undone,
    Who,
    WhoBody,
)
from equipoise.service.http.tonight_operations import TONIGHT_OPERATIONS
from equipoise.service.leaderboard import LeaderboardPage, PlayerCard
from equipoise.service.weights.messages import Setting
from equipoise.teams.solution import SolutionData

#: Digits of the largest revision.
DIGITS = 18

#: Seconds for which who asks what a result changed waits for that at most, and between two looks.
LEARNT, LOOK = 10.0, 0.05

Decoded = TypeVar("Decoded")


async def question(kind: str, backend: Backend, asked: HttpRequest) -> Reply:
    """Answer a question that needs no archive."""
    limit = asked.query.time_limit
    seconds = None if limit is msgspec.UNSET else limit
    status, body = await backend.ask(kind, asked.body, seconds, asked.whose)
    if kind == "balance" and status == 200:
        backend.service.tell("teams", msgspec.Raw(body))
    return Reply(status, body) if status == 200 else Reply(status, body, (), b"application/problem+json")


async def players(backend: Backend, asked: HttpRequest) -> Reply:
    """List players."""
    known = backend.known
    if unchanged := _unchanged(known, asked):
        return unchanged
    query = asked.query
    ruleset = _ruleset(known, query.ruleset)
    parts = known.people.page(ruleset, _start(known, query.cursor), query.limit, query.q)
    found: LeaderboardPage = await backend.gone_through(parts, asked.whose)
    after = None if found.after is None else _cursor([found.after, known.people.ids[found.after]])
    return reply({"players": found.rows, "next": after}, headers=_etag(known))


async def player(backend: Backend, asked: HttpRequest) -> Reply:
    """Show a player."""
    known = backend.known
    named = _person(known, asked.path["id"])
    body = known.cards.get(named)
    if body is None:
        body = msgspec.json.encode(known.people.card(named))
        if len(known.cards) >= MOST_CARDS:
            known.cards.clear()
        known.cards[named] = body
    return _unchanged(known, asked) or Reply(200, body, _etag(known))


async def rulesets(backend: Backend, asked: HttpRequest) -> Reply:
    """List rulesets."""
    known = backend.known
    return _unchanged(known, asked) or reply({"rulesets": known.people.rulesets()}, headers=_etag(known))


async def leaderboard(backend: Backend, asked: HttpRequest) -> Reply:
    """List the strongest."""
    known = backend.known
    ruleset = _ruleset(known, asked.path["ruleset"])
    if unchanged := _unchanged(known, asked):
        return unchanged
    rows = await backend.leaders(ruleset, asked.query.min_games, asked.whose)
    content = {"ruleset": asked.path["ruleset"], "players": rows[: asked.query.limit]}
    return reply(content, headers=_etag(known))


async def history(backend: Backend, asked: HttpRequest) -> Reply:
    """List a player's games."""
    named = _person(backend.known, asked.path["id"])
    return await _from_archive(backend, asked, "history", (named, asked.query.why))


def _person(known: FromSnapshot, named: str) -> str:
    """Return the id of who is meant."""
    try:
        found = known.snapshot.ratings.someone(named)
    except AmbiguousNameError as error:
        raise ProblemError(ambiguous(error)) from None
    if found is None:
        _missing("player", named)
    return found


async def who(backend: Backend, asked: HttpRequest) -> Reply:
    """Say who is meant by names."""
    given = typed(asked.body, WhoBody)
    known = backend.known
    ruleset = _ruleset(known, given.ruleset) if given.ruleset else known.snapshot.played(Setting())
    read = await backend.read("who", (given.names, ruleset), asked.whose)
    return Reply(200, read.body or b"")


async def matches(backend: Backend, asked: HttpRequest) -> Reply:
    """List matches."""
    if unchanged := _unchanged(backend.known, asked):
        return unchanged
    before = _place(asked.query.cursor)
    read = await backend.read("matches", (before, asked.query.limit), asked.whose)
    page = msgspec.json.decode(read.body or b"")
    page["next"] = None if page["next"] is None else _cursor(page["next"])
    return reply(page, headers=_etag(backend.known))


async def match(backend: Backend, asked: HttpRequest) -> Reply:
    """Show a match."""
    if unchanged := _unchanged(backend.known, asked):
        return unchanged
    return Reply(200, await _meant_match(backend, asked), _etag(backend.known))


async def _meant_match(backend: Backend, asked: HttpRequest) -> bytes:
    """Return the match whose id is in the path, or that has the only id with that part."""
    named = asked.path["id"]
    read = await backend.read("meant_match", named, asked.whose)
    if read.body is None:
        _missing("match", named)
    if b'"several"' in read.body[:12]:
        raise ProblemError(HttpProblem(409, "conflict", msgspec.json.decode(read.body)["several"]))
    return bytes(read.body)


async def _from_archive(backend: Backend, asked: HttpRequest, kind: str, what: Any) -> Reply:
    if unchanged := _unchanged(backend.known, asked):
        return unchanged
    read = await backend.read(kind, what, asked.whose)
    if read.body is None:
        _missing(kind, asked.path["id"])
    return Reply(200, read.body, _etag(backend.known))


def _dated(record: dict[str, Any], zone: Zone) -> dict[str, Any]:
    """Return a record whose times have dates: local ones are those of a zone."""
    parts = record.get("contests")
    places = [record, *(parts if isinstance(parts, list) else ())]
    for place in places:
        for name in ("began", "ended", "at"):
            if isinstance(place, dict) and isinstance(place.get(name), str):
                place[name] = time_from(place[name], name, zone)
    return record


async def results(backend: Backend, asked: HttpRequest) -> Reply:
    """Keep a match that has ended."""
    record = plain_object(asked.body)
    timed = "ended" in record
    now = time()
    record.setdefault("ended", now)
    key = _key(asked)
    if record.get("id", "") == "":
        record["id"] = key
    elif key and key != str(record["id"]):
        detail = f"Idempotency-Key must be the id of the body or be left out, got {key!r:.80}"
        raise ProblemError(HttpProblem(422, "invalid", detail, "/id"))
    if record["id"] == "" or len(str(record["id"])) > LONGEST_ID:
        detail = (
            f"id must have 1 to {LONGEST_ID} characters; it, or an Idempotency-Key, tells a match from others"
        )
        raise ProblemError(HttpProblem(422, "invalid", detail, "/id"))
    try:
        match = match_from(_dated(record, backend.zone))
    except InputError as error:
        pointer, detail = located(str(error), record, error.argument)
        raise ProblemError(HttpProblem(422, "invalid", detail, pointer)) from None
    read = ahead(match.ended or 0.0, now)
    if read:  # a clock or a zone is wrong there, and the game was played: it is not lost
        match, timed = read_now(match, now), False
    if wrong := unlikely(match.ended or 0.0, now):
        raise ProblemError(HttpProblem(422, "invalid", f"ended: {wrong}", "/ended"))
    nameless = [n for n, contest in enumerate(match.contests) if not contest.ruleset.game]
    if nameless:
        where = f"/contests/{nameless[0]}/game" if "contests" in record else "/game"
        raise ProblemError(
            HttpProblem(422, "invalid", "game must be given: it says whose ratings count", where)
        )
    found = await _recognised(backend, asked, match)
    match, before = found.match, backend.known
    outcome = await backend.service.keep(ReportedGame(match, timed), asked.whose)
    if outcome == archive_workers.OTHER:
        detail = f"another match is kept under the id {match.id!r}; it stays as it is"
        raise ProblemError(HttpProblem(409, "conflict", detail, "/id"))
    new = outcome == archive_workers.NEW
    facts: dict[str, Any] = {"people": found.people, "new_players": list(found.new) if new else []}
    if read:
        facts["read"] = f"{read}: it counts as read now"
    if asked.query.changes:
        facts["changes"] = await _changes(backend, before, match, asked.whose) if new else None
    return reply({"id": match.id, "new": new, **facts}, 201 if new else 200)


async def _changes(
    backend: Backend, before: FromSnapshot, match: Match, whose: str
) -> list[dict[str, Any]] | None:
    """Return what a result has changed, once it is learnt; None where that takes too long."""
    ruleset = match.ruleset
    teams = [team for contest in match.contests for team in contest.teams]
    players = sorted({player for team in teams for player, _ in team if not is_bot(player)})
    until = monotonic() + LEARNT
    while True:
        known = backend.known
        games = [known.snapshot.games.get((player, ruleset), 0) for player in players]
        earlier = [before.snapshot.games.get((player, ruleset), 0) for player in players]
        if all(map(gt, games, earlier)):
            break
        if monotonic() > until:
            return None
        await asyncio.sleep(LOOK)
    old, new = [
        await backend.gone_through(each.people.weights(ruleset, players), whose) for each in (before, known)
    ]
    both = {player: old.get(player, weight) for player, weight in new.items()}
    return [each.as_dict() for each in point_changes(players, both, new)]


async def _recognised(backend: Backend, asked: HttpRequest, match: Match) -> ReportedMatch:
    """Return a match with the people who are meant; of one that is kept already those who are in it."""
    try:
        return backend.service.recognised(match)
    except AmbiguousNameError as error:
        read = await backend.read("match", match.id, asked.whose)
        if read.body is None:
            raise ProblemError(ambiguous(error)) from None
        record = msgspec.json.decode(read.body)
        fields = {name: value for name, value in record.items() if name in MATCH_FIELDS + CONTEST_FIELDS}
        return backend.service.recognised(match, everyone(match_from(fields)))
    except InputError as error:
        raise ProblemError(HttpProblem(422, "invalid", str(error), "/teams")) from None


def _key(asked: HttpRequest) -> str:
    """Return what the header says that a match is known by; two that differ never come out as one."""
    try:
        return asked.headers.get(b"idempotency-key", b"").decode().strip()
    except UnicodeDecodeError:
        raise ProblemError(HttpProblem(422, "invalid", "Idempotency-Key must be UTF-8")) from None


async def undo(backend: Backend, asked: HttpRequest) -> Reply:
    """Exclude a match from the ratings, or include it again."""
    back = typed(asked.body or b"{}", UndoBody).back
    named = msgspec.json.decode(await _meant_match(backend, asked))["id"]
    outcome = await backend.audited(
        asked, "undo", {"match": named, "back": back},
        lambda: backend.service.keep(UndoneGame(named, back), asked.whose),
    )  # fmt: skip
    if outcome == archive_workers.MISSING:
        _missing("match", named)
    return reply({"match": named, "undone": not back})


async def sessions(backend: Backend, asked: HttpRequest) -> Reply:
    """List the running games that were heard of lately."""
    return reply(
        {"sessions": await running(backend, asked.whose)}, headers=((b"cache-control", b"no-store"),)
    )


async def events(backend: Backend, asked: HttpRequest) -> Reply:
    """Tell of what happens as it does."""
    given = asked.headers.get(b"last-event-id", b"").decode("latin-1")
    if given and not (given.isascii() and given.isdigit() and len(given) <= DIGITS):
        raise ProblemError(HttpProblem(422, "invalid", "Last-Event-ID must be the id of an event"))
    if not backend.events.has_room(asked.whose):
        raise ProblemError(HttpProblem(429, "busy", "as many listen as may; ask again"))
    stream = backend.events.stream(asked.whose, int(given) if given else None)
    return Reply(200, b"", ((b"cache-control", b"no-store"),), b"text/event-stream", stream)


async def livez(backend: Backend, asked: HttpRequest) -> Reply:
    """Tell that the process answers."""
    del backend, asked
    return reply({"status": "alive"})


async def readyz(backend: Backend, asked: HttpRequest) -> Reply:
    """Tell whether results can be kept and read, and no end is in sight; lookups go on without the store."""
    del asked
    if backend.ending:
        return refusal(HttpProblem(503, "ending", "this server ends"))
    if backend.service.trouble:
        return refusal(HttpProblem(503, "no-store", "the archive cannot be read just now"))
    return reply({"status": "ready", "revision": backend.known.snapshot.revision})


async def metrics(backend: Backend, asked: HttpRequest) -> Reply:
    """Tell counts and times."""
    del asked
    return Reply(200, backend.metrics.text().encode(), (), counts.MEDIA_TYPE)


async def document(backend: Backend, asked: HttpRequest) -> Reply:
    """Give the document of all operations."""
    del asked
    return Reply(200, backend.document)


# Revisions, places in lists, and what is missing


def _etag(known: FromSnapshot) -> tuple[tuple[bytes, bytes], ...]:
    return ((b"etag", known.etag), (b"cache-control", b"no-cache"))


def _unchanged(known: FromSnapshot, asked: HttpRequest) -> Reply | None:
    """Return the answer to a client that has this revision already."""
    return Reply(304, b"", _etag(known)) if has_already(asked.headers, known.etag) else None


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


CONFLICT = "Another match is kept under this id, or several people are called so; `candidates` lists them."


def _question(name: str, summary: str, answer: Any, body: Any) -> Operation:
    """Return the operation of a question that needs no archive."""
    handler = partial(question, name)
    return Operation(name, "POST", f"/v1/{name}", summary, handler, answer, body, TimeLimit, WITH_BODY)


OPERATIONS: tuple[Operation, ...] = (
    _question("balance", "Divide players into the fairest teams.", SolutionData, "BalanceBody"),
    _question("explain", "Divide players, and say why the split is as it is.", Explained, "ExplainBody"),
    _question("late", "Choose the team for someone who joins a running game.", Any, "LateBody"),
    _question("lobbies", "Put players into teams, and teams into lobbies.", PlanData, LobbiesBody),
    _question("rate", "Learn ratings from matches.", Rated, RateBody),
    _question("predict", "Say who would win, from matches.", Predicted, PredictBody),
    Operation(
        "players", "GET", "/v1/players", "List players with their ratings.", players, PlayerPage,
        query=PeopleQuery, answers={**UNCHANGED, **MISSING},
    ),
    Operation(
        "history", "GET", "/v1/players/{id:path}/history", "List a player's games and ratings.",
        history, PlayerHistory, query=HistoryQuery, answers={**UNCHANGED, **MISSING, **SEVERAL},
    ),
    Operation(
        "player", "GET", "/v1/players/{id:path}", "Show a player's ratings.", player, PlayerCard,
        answers={**UNCHANGED, **MISSING, **SEVERAL},
    ),
    Operation(
        "who", "POST", "/v1/who", "Say who is meant by names, with weights.", who, Who, WhoBody,
        answers={**WITH_BODY, **MISSING},
    ),
    Operation(
        "rulesets", "GET", "/v1/rulesets", "List the rulesets that were played.", rulesets, Rulesets,
        answers=UNCHANGED,
    ),
    Operation(
        "leaderboard", "GET", "/v1/leaderboards/{ruleset:path}", "List the strongest in a ruleset.",
        leaderboard, Leaderboard, query=BoardQuery, answers={**UNCHANGED, **MISSING},
    ),
    Operation(
        "matches", "GET", "/v1/matches", "List matches, the newest first.", matches, MatchPage,
        query=Cursor, answers=UNCHANGED,
    ),
    Operation(
        "match", "GET", "/v1/matches/{id:path}", "Show a match.", match, MatchData,
        answers={**UNCHANGED, **MISSING, **LIKE},
    ),
    Operation(
        "results", "POST", "/v1/results", "Report a match that has ended.", results, Reported,
        "ResultBody", query=ReportQuery, answers={**WITH_BODY, 409: CONFLICT}, scope="report",
        done={201: "It is kept, and survives a crash.", 200: "It was kept before; nothing changes."},
    ),
    Operation(
        "undo", "POST", "/v1/matches/{id:path}/undo", "Let a match not count, or count again.",
        undo, Undone, UndoBody, answers={**WITH_BODY, **MISSING, **LIKE}, scope="admin",
    ),
    Operation(
        "sessions", "GET", "/v1/sessions", "List the game servers that are balanced now.",
        sessions, Sessions,
    ),
    Operation(
        "events", "GET", "/v1/events", "Tell of matches, ratings and running games (Server-Sent Events).",
        events, bytes, answers={422: "Last-Event-ID is not the id of an event."},
    ),
    Operation(
        "elo", "GET", "/elo/{ids:path}", "Give ratings in the shape of qlstats.net, for minqlx.", compat.elo,
        compat.Elos, answers=SEVERAL, lenient=True,
    ),
    Operation(
        "get_rating", "GET", "/teiserver/api/spads/get_rating/{id}/{type}",
        "Give a rating in the shape of teiserver, for SPADS.", compat.get_rating, compat.SpadsRating,
        answers=SEVERAL, lenient=True,
    ),
    Operation(
        "balance_battle", "POST", "/teiserver/api/spads/balance_battle",
        "Divide players in the shape of teiserver, for SPADS.", compat.balance_battle, compat.SpadsBalance,
        "SpadsBody", answers={**WITH_BODY, **SEVERAL}, lenient=True,
    ),
    Operation(
        "livez", "GET", "/livez", "Tell whether the process answers.", livez, Alive, scope=""
    ),
    Operation(
        "readyz", "GET", "/readyz", "Tell whether it may be asked.", readyz, Readiness, scope=""
    ),
    Operation("metrics", "GET", "/metrics", "Counts and times, for Prometheus.", metrics, str),
    Operation("openapi", "GET", "/openapi.json", "This document.", document, Any, scope=""),
    *QUEUE_OPERATIONS,
    *QUEUE_PAGE_OPERATIONS,
    *TONIGHT_OPERATIONS,
    *ADMIN_OPERATIONS,
)  # fmt: skip
