"""The page of a queue over HTTP: people let themselves in from a browser, alone or as a party.

The key of the queue's link lets somebody in; from then on they are a player with the capability of their own
ticket, as those whom a game's backend lets in.  The id of their ticket follows from what their device alone
knows, so that what is sent again is the same ticket, and nobody has another one's.
"""

from __future__ import annotations

import asyncio
import hashlib
import heapq
import hmac
import time
from collections.abc import AsyncGenerator, Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from equipoise.core.match import Ruleset
from equipoise.core.player import Player, is_bot
from equipoise.errors import InputError
from equipoise.identity.merges import ANONYMOUS
from equipoise.identity.roster_lookup import AmbiguousNameError
from equipoise.queueing.life import EnterTicket, MatchEnded, OfferSeats, WithdrawSeats
from equipoise.queueing.tickets import QueueTicket
from equipoise.ratings.model import last_seen
from equipoise.service.http.backend import Backend
from equipoise.service.http.event_stream import QUIET, event, last_known
from equipoise.service.http.messages import HttpRequest, ProblemError, Reply, bearer_of, invalid, reply, typed
from equipoise.service.http.operation import LONGEST_ID, MISSING, WITH_BODY, WITH_TOKEN, Operation
from equipoise.service.http.problems import HttpProblem, ambiguous
from equipoise.service.http.queue_operations import (
    MOST_LISTENERS,
    MOST_PLAYERS,
    REFUSED,
    TICKET_PATH,
    TicketState,
    player_of,
    queue_of,
    unless_refused,
    where_is,
)
from equipoise.service.http.tonight_operations import Buckets, Device, Regular, Regulars
from equipoise.service.queue_owner import MatchesAsked, StatusAsked, WhereAsked
from equipoise.service.queues import Queue
from equipoise.service.tonight import named

#: People that are listed, and people between two turns of who is listed.
MOST_PEOPLE, SOME = 60, 2000

#: What a browser may begin a second, of one address, and at once: a network of many phones is one address.
OF_ADDRESS = (2.0, 120.0)

#: Seconds between two looks at one ticket that changes again and again.
LOOK = 0.5

Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_ID)]
Code = Annotated[str, Meta(min_length=1, max_length=20)]
Token = Annotated[str, Meta(min_length=1, max_length=64)]


class PageQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Who is looked for: part of a name."""

    q: Annotated[str, Meta(max_length=LONGEST_ID)] = ""


class QueuePage(msgspec.Struct):
    """What the page of a queue says before somebody has joined."""

    queue: str
    teams: int
    team_size: int
    waiting: int
    paused: bool
    closed: bool
    accept_within: float
    longest_wait: float
    most_imbalance: float


class PartyBody(msgspec.Struct, forbid_unknown_fields=True):
    """Who is in a party: without a code a new one, without a token somebody who joins.

    ``ticket`` is that with which who leads has entered, and ``capability`` theirs of it; ``leave`` ends it
    for who says so.
    """

    who: Name
    code: Code | None = None
    token: Token | None = None
    ticket: Name | None = None
    capability: Annotated[str, Meta(max_length=1000)] = ""
    leave: bool = False


class PageParty(msgspec.Struct, omit_defaults=True):
    """A party that gathers; once it has entered, its ticket, and the capability of who asks."""

    code: str
    you: str
    token: str
    leads: bool
    size: int
    people: list[Regular]
    ticket: str | None = None
    capability: str | None = None


class JoinBody(msgspec.Struct, forbid_unknown_fields=True):
    """Who joins from which device; another visit is another ticket.

    A party is let in by who leads it, and says with whom: ``people``, as they were shown.
    """

    device: Device
    visit: Annotated[str, Meta(min_length=1, max_length=64)]
    who: Name
    code: Code | None = None
    token: Token | None = None
    people: Annotated[list[Name], Meta(max_length=MOST_PLAYERS)] | None = None


class PageTicket(msgspec.Struct):
    """The ticket that somebody has from now on, their capability, and who they are."""

    ticket: str
    capability: str
    you: str
    state: TicketState


class QueuePages:
    """What the pages of queues have in common: who is listed, and how fast an address may join."""

    def __init__(self) -> None:
        self.addresses = Buckets(*OF_ADDRESS)
        self._listed: tuple[Any, list[Regular]] = (None, [])

    async def people(self, backend: Backend, whose: str) -> list[Regular]:
        """Return who was seen last."""
        known = backend.known
        if self._listed[0] is not known:
            self._listed = known, await backend.gone_through(_seen_last(known), whose)
        return self._listed[1]


def _seen_last(known: Any) -> Iterator[list[Regular]]:
    """Yield now and then; last who was seen last."""
    ratings, found = known.snapshot.ratings, list[tuple[float, str]]()
    for number, player in enumerate(known.people.ids):
        if number % SOME == 0:
            found = heapq.nlargest(MOST_PEOPLE, found)
            yield []
        if not is_bot(player) and not player.startswith(ANONYMOUS):
            found.append((last_seen(ratings.model, ratings.state, player) or 0.0, player))
    yield [_regular(known, player) for _, player in heapq.nlargest(MOST_PEOPLE, found)]


def _regular(known: Any, player: str) -> Regular:
    return Regular(player, known.people.name(player))


async def _by_link(backend: Backend, asked: HttpRequest) -> Queue:
    """Return the queue whose link's key was given; refuse everybody else."""
    queue = queue_of(backend, asked)
    given = bearer_of(asked.headers)
    if not given:
        raise ProblemError(HttpProblem(401, "no-token", "open the link of the queue"))
    await queue.ready()
    key = queue.link_key()
    if not key or not hmac.compare_digest(key.encode(), given.encode("latin-1", "replace")):
        await backend.service.admission.wrong_token(asked.whose, "queue")
        raise ProblemError(
            HttpProblem(401, "wrong-token", "this link is not for this queue, or is no longer good")
        )
    return queue


async def page(backend: Backend, asked: HttpRequest) -> Reply:
    """Show what a queue is to who opens its link."""
    queue = await _by_link(backend, asked)
    (status,) = await queue.ask(StatusAsked())
    policy = queue.settings.policy
    shown = QueuePage(
        queue.name, policy.teams, policy.team_size, status["waiting"], status["paused"], status["closed"],
        policy.accept_within, policy.longest_wait, policy.most_imbalance,
    )  # fmt: skip
    return reply(shown, headers=((b"cache-control", b"no-store"),))


async def people(backend: Backend, asked: HttpRequest) -> Reply:
    """List who may be meant: those seen last, or those with part of a name."""
    await _by_link(backend, asked)
    known, typed_name = backend.known, asked.query.q.strip()
    if not typed_name:
        return reply(Regulars(await backend.queue_pages.people(backend, asked.whose)))
    rows = known.people.page(Ruleset(), 0, MOST_PEOPLE, typed_name)
    found = (await backend.gone_through(rows, asked.whose)).rows
    shown = [each["id"] for each in found if not each["bot"] and not each["id"].startswith(ANONYMOUS)]
    return reply(Regulars([_regular(known, player) for player in shown]))


def _known(backend: Backend, name: str, queue: Queue) -> Player:
    """Return who is meant by what was tapped or typed, with the rating in the archive."""
    try:
        plain = name if name in backend.known.snapshot.ratings.known else named(name)
        return backend.service.queues.rated(Player(plain), queue.settings)
    except AmbiguousNameError as error:
        raise ProblemError(ambiguous(error)) from None
    except InputError as error:
        raise invalid(str(error), "/who") from None


def _slowly(backend: Backend, asked: HttpRequest) -> None:
    if not backend.queue_pages.addresses.allows(asked.whose, 1):
        raise ProblemError(HttpProblem(429, "too-many-requests", "this asks too fast; wait, and ask again"))


async def party(backend: Backend, asked: HttpRequest) -> Reply:
    """Begin a party, join one, say that one is still there, or leave it."""
    queue, body = await _by_link(backend, asked), typed(asked.body, PartyBody)
    now, parties, size = time.time(), queue.parties, queue.settings.policy.team_size
    code, token = body.code or "", body.token or ""
    entered = await _entered(queue, parties.ticket(code))
    if entered is None:
        parties.enters(code, "")
    if token:
        player = body.who
        if not parties.heard(code, player, token, now):
            raise ProblemError(HttpProblem(404, "not-found", "you are not in this party"))
    else:
        _slowly(backend, asked)
        player = _known(backend, body.who, queue).id
        try:
            if code and entered is not None:
                raise LookupError(FULL)
            if code:
                token = parties.join(code, player, size, now)
            else:
                code, token = parties.begin(player, now)
        except LookupError as error:
            problem = {"missing": (404, "not-found"), "full": (409, "full"), "taken": (409, "taken")}
            raise ProblemError(HttpProblem(*problem[str(error)], _WHY[str(error)])) from None
    if body.leave:
        parties.leave(code, player)
        return reply(PageParty(code, player, token, False, size, []))
    if body.ticket and parties.leads(code, player) and queue.holder(body.ticket, body.capability) == player:
        entered = await _entered(queue, body.ticket)
        parties.enters(code, "" if entered is None else body.ticket)
    members = parties.members(code, now)
    shown = PageParty(
        code, player, token, parties.leads(code, player), size,
        [_regular(backend.known, each) for each in members],
    )  # fmt: skip
    if entered is not None and player in entered["players"]:
        ticket = entered["ticket"]
        shown.ticket, shown.capability = ticket, queue.capability(ticket, player)
    return reply(shown)


async def _entered(queue: Queue, ticket: str) -> dict[str, Any] | None:
    """Return where the ticket of a party is; None where there is none, or it is gone."""
    if not ticket:
        return None
    (state,) = await queue.ask(WhereAsked(ticket))
    return None if state is None or state["place"] == "gone" else state


#: What a party that lets nobody else in is.
FULL = "full"

_WHY = {
    "missing": "no party has this code",
    FULL: "this party is full, or in the queue already",
    "taken": "somebody is in this party under this name",
}


async def join(backend: Backend, asked: HttpRequest) -> Reply:
    """Let somebody in, or the party that they lead; sent again it changes nothing."""
    queue, body = await _by_link(backend, asked), typed(asked.body, JoinBody)
    _slowly(backend, asked)
    names = [body.who]
    if body.code is not None:
        if not (body.token and queue.parties.heard(body.code, body.who, body.token, time.time())):
            raise ProblemError(HttpProblem(404, "not-found", "you are not in this party"))
        if not queue.parties.leads(body.code, body.who):
            raise ProblemError(HttpProblem(409, "not-yours", "who began the party lets it in"))
        names = queue.parties.members(body.code, time.time())
        if body.people is not None and set(body.people) != set(names):
            raise ProblemError(HttpProblem(409, "changed", "the party is another one by now"))
    players = [_known(backend, each, queue) for each in names]
    secret = "\0".join((queue.name, body.device, body.visit))
    ticket = "page-" + hashlib.sha256(secret.encode()).hexdigest()[:24]
    try:
        entering = QueueTicket(ticket, tuple(players), 0.0)
    except InputError as error:
        raise invalid(str(error), "/who") from None
    replies, state = await queue.ask(EnterTicket(entering), WhereAsked(ticket))
    unless_refused(replies, state)
    if body.code is not None:
        queue.parties.enters(body.code, ticket)
    you = state["players"][0]
    shown = {"ticket": ticket, "capability": queue.capability(ticket, you), "you": you, "state": state}
    return reply(shown, 201 if replies else 200)


async def finish(backend: Backend, asked: HttpRequest) -> Reply:
    """Say that somebody no longer plays in their match; when nobody does, it is over."""
    queue, ticket = queue_of(backend, asked), asked.path["ticket"]
    player = await player_of(backend, asked, queue, ticket)
    state = await where_is(queue, ticket)
    if state["place"] != "playing":
        return reply(state)
    done = state["players"] if player is None else [queue.known_as(player, state["players"])]
    match = state["match"].get("joins") or state["match"]["match"]
    await queue.ask(OfferSeats(match, left=tuple(done)), WithdrawSeats(match))
    (found,) = await queue.ask(MatchesAsked(match))
    if found and not any(found[0]["players"]):
        await queue.ask(MatchEnded(match))
    return reply(await where_is(queue, ticket))


async def stream(backend: Backend, asked: HttpRequest) -> Reply:
    """Tell where a ticket is as it changes."""
    queue, ticket = queue_of(backend, asked), asked.path["ticket"]
    player = await player_of(backend, asked, queue, ticket)
    await where_is(queue, ticket)
    if queue.watching >= MOST_WATCHING:
        raise ProblemError(HttpProblem(429, "busy", "as many watch as may; ask again"))
    known = last_known(asked.headers)
    headers = ((b"cache-control", b"no-store"), (b"x-accel-buffering", b"no"))
    return Reply(200, b"", headers, b"text/event-stream", _stream(backend, queue, ticket, player, known))


#: Who may watch their tickets, of one queue: each look of theirs is a question to it.
MOST_WATCHING = 32 * MOST_LISTENERS


async def _stream(
    backend: Backend, queue: Queue, ticket: str, player: str | None, known: int
) -> AsyncGenerator[bytes]:
    """Give where a ticket is as it changes, but what is of the revision that is known; gone is the last."""
    queue.watching += 1
    shown: dict[str, Any] = {}
    try:
        yield b"retry: 1000\n\n"
        while not queue.ended:
            number = queue.number
            (state,) = await queue.ask(WhereAsked(ticket, why=True))
            if state is None:
                yield b"event: over\ndata: {}\n\n"
                return
            if number == known:  # nothing has happened since that was sent
                shown, known = state, -1
            if _lasting(state) != _lasting(shown):
                shown = state
                who = {*state["players"], *(each for team in _teams(state) for each in team)}
                names = {each: backend.known.people.name(each) for each in who}
                you = player and queue.known_as(player, state["players"])
                more = {"names": names, "you": you, "now": time.time(), "revision": number}
                yield event("ticket", {**state, **more}, number)
                if state["place"] == "gone":
                    return
                await asyncio.sleep(LOOK)
            elif not await queue.news(number, QUIET) and not queue.ended:
                yield b": still here\n\n"
    finally:
        queue.watching -= 1


def _teams(state: dict[str, Any]) -> list[list[str]]:
    found: list[list[str]] = state["match"]["players"] if "match" in state else []
    return found


def _lasting(state: dict[str, Any]) -> dict[str, Any]:
    """Return what of a state does not change with every second."""
    kept = {name: value for name, value in state.items() if name not in ("waited", "reason")}
    if "short" in kept:
        moving = ("imbalance", "anybody_in")
        kept["short"] = {name: value for name, value in kept["short"].items() if name not in moving}
    return kept


class QueueLink(msgspec.Struct):
    """The link to a queue's page, which lets people in; without an address where none is set."""

    link: str


async def link(backend: Backend, asked: HttpRequest) -> Reply:
    """Tell a backend the link to a queue's page."""
    queue = queue_of(backend, asked)
    await queue.ready()
    key = queue.link_key()
    if not key:
        raise ProblemError(HttpProblem(404, "not-found", f"[queue.{queue.name}] has no word for 'join'"))
    return reply(QueueLink(f"{backend.settings.public_url}/queue/{queue.name}#k={key}"))


_PAGE = "/v1/queues/{queue}/page"

QUEUE_PAGE_OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "queue_link", "GET", "/v1/queues/{queue}/link", "Tell the link to a queue's page.", link, QueueLink,
        answers={**WITH_TOKEN, **MISSING}, scope="report",
    ),
    Operation(
        "queue_page", "GET", _PAGE, "Show what a queue is, by the key of its link.", page, QueuePage,
        answers={**WITH_TOKEN, **MISSING}, scope="",
    ),
    Operation(
        "queue_people", "GET", f"{_PAGE}/people", "List who may be meant, by the key of the link.", people,
        Regulars, query=PageQuery, answers={**WITH_TOKEN, **MISSING}, scope="",
    ),
    Operation(
        "queue_party", "POST", f"{_PAGE}/party", "Gather a party by a short code, by the key of the link.",
        party, PageParty, PartyBody, answers={**WITH_BODY, **WITH_TOKEN, **MISSING, **REFUSED}, scope="",
    ),
    Operation(
        "queue_join", "POST", f"{_PAGE}/join", "Let oneself in, or one's party, by the key of the link.",
        join, PageTicket, JoinBody, answers={**WITH_BODY, **WITH_TOKEN, **MISSING, **REFUSED}, scope="",
        done={201: "It waits, and survives a crash.", 200: "It was let in before; nothing changes."},
    ),
    Operation(
        "finish", "POST", f"{TICKET_PATH}/finish", "Say that one plays no longer; by a token or capability.",
        finish, TicketState, answers={**WITH_TOKEN, **MISSING}, scope="",
    ),
    Operation(
        "ticket_stream", "GET", f"{TICKET_PATH}/stream",
        "Tell where a ticket is as it changes (Server-Sent Events); by a token or a capability.", stream,
        bytes, answers={**WITH_TOKEN, **MISSING}, scope="",
    ),
)  # fmt: skip
