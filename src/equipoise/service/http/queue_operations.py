"""What may be asked of queues over HTTP.

A game's backend, by a token that may report, lets tickets in and does all else.  A player, by the capability
that the backend was given for them, asks for the one ticket they are in, accepts, declines and cancels.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Annotated, Any, NoReturn

import msgspec
from msgspec import Meta

from equipoise.core.plain_data import is_plain
from equipoise.core.player import LARGEST_WEIGHT, Player, Rating
from equipoise.errors import InputError
from equipoise.identity.roster_lookup import AmbiguousNameError
from equipoise.queueing.life import (
    Accept,
    CancelTicket,
    Decline,
    MatchEnded,
    OfferSeats,
    Pause,
    WithdrawSeats,
)
from equipoise.queueing.promises import policy_in_words
from equipoise.queueing.tickets import QueueTicket
from equipoise.service.http.backend import Backend
from equipoise.service.http.event_stream import OWN, QUIET, event
from equipoise.service.http.messages import (
    Body,
    HttpRequest,
    ProblemError,
    Reply,
    bearer_of,
    invalid,
    reply,
    typed,
)
from equipoise.service.http.operation import LONGEST_ID, MISSING, WITH_BODY, WITH_TOKEN, Operation
from equipoise.service.http.problems import HttpProblem, ambiguous
from equipoise.service.queue_owner import (
    EnterTickets,
    MatchesAsked,
    OpeningsAsked,
    PlacesAsked,
    StatusAsked,
    WhereAsked,
)
from equipoise.service.queues import Queue
from equipoise.service.weights.queue_commands import TICKET_NAME

#: Players of a ticket, and tickets of a batch.
MOST_PLAYERS, MOST_TICKETS = 100, 1000

#: Events that are read at once, and listeners of one queue.
MOST_EVENTS, MOST_LISTENERS = 200, 64

Id = Annotated[str, Meta(min_length=1, max_length=LONGEST_ID)]

#: The id of a ticket is part of paths.
TicketId = Annotated[str, Meta(min_length=1, max_length=LONGEST_ID, pattern=TICKET_NAME)]

Weight = Annotated[float, Meta(ge=-LARGEST_WEIGHT, le=LARGEST_WEIGHT)]


class TicketPlayer(msgspec.Struct, forbid_unknown_fields=True):
    """Who waits; a weight that is left out is that in the archive, where the queue names a game type."""

    id: Id
    weight: Weight | None = None
    sigma: Annotated[float, Meta(ge=0, le=LARGEST_WEIGHT)] = 0.0
    roles: Annotated[list[Id], Meta(max_length=100)] = []
    avoid: Annotated[list[Id], Meta(max_length=1000)] = []
    prefer: Annotated[list[Id], Meta(max_length=1000)] = []


class TicketBody(msgspec.Struct, forbid_unknown_fields=True):
    """A party that waits for a match; sent again with the same players it changes nothing."""

    id: TicketId
    players: Annotated[list[TicketPlayer], Meta(min_length=1, max_length=MOST_PLAYERS)]
    latencies: Annotated[dict[Id, Annotated[float, Meta(ge=0, le=1e9)]], Meta(max_length=62)] = {}
    ruleset: Annotated[str, Meta(max_length=LONGEST_ID)] = ""
    vetoes: Annotated[list[Id], Meta(max_length=100)] = []
    backfill: bool = False


class TicketsBody(msgspec.Struct, forbid_unknown_fields=True):
    """Several parties; each is let in or refused for itself."""

    tickets: Annotated[list[TicketBody], Meta(min_length=1, max_length=MOST_TICKETS)]


class AnswerBody(msgspec.Struct, forbid_unknown_fields=True):
    """To which match, and of whom: a backend that names nobody answers for all players of the ticket."""

    match: Id
    player: Id | None = None


class EndBody(msgspec.Struct, forbid_unknown_fields=True):
    """Whether the match was played; else all wait on, with their waiting time."""

    played: bool = True


class SeatedPlayer(msgspec.Struct, forbid_unknown_fields=True):
    """Who plays in a running match; a weight that is left out is that in the archive, or the middle."""

    id: Id
    weight: Weight | None = None
    avoid: Annotated[list[Id], Meta(max_length=1000)] = []


class OpeningBody(msgspec.Struct, forbid_unknown_fields=True):
    """Which seats of a running match are free.

    Who came to it from the queue plays until ``left`` names them.  Of a match of this queue that
    is enough; of any other ``teams`` say who else plays.
    """

    match: TicketId
    left: Annotated[list[Id], Meta(max_length=MOST_PLAYERS)] = []
    teams: Annotated[
        list[Annotated[list[SeatedPlayer], Meta(max_length=MOST_PLAYERS)]], Meta(max_length=MOST_PLAYERS)
    ] = []
    ruleset: Annotated[str, Meta(max_length=LONGEST_ID)] = ""
    region: Annotated[str, Meta(max_length=LONGEST_ID)] = ""
    map: Annotated[str, Meta(max_length=LONGEST_ID)] = ""


class PauseBody(msgspec.Struct, forbid_unknown_fields=True):
    """Whether no matches are looked for, and whether nobody is let in: with this alone the queue runs dry."""

    paused: bool = False
    closed: bool = False


class WhyQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Whether to say why a ticket still waits, which takes longer."""

    why: bool = False


class QueueMatch(msgspec.Struct, omit_defaults=True):
    """A match: its tickets and players, team by team.

    ``match`` is its number in the queue, for good; each queue counts for itself, so that only the name of the
    queue and the number together tell it from all others.
    """

    match: str
    teams: list[list[str]]
    players: list[list[str]]
    ruleset: str
    region: str
    maps: list[str]
    difference: float
    imbalance: float
    spread: float
    running: bool = False
    joins: str = ""
    chances: list[float] = []


class WaitShortage(msgspec.Struct):
    """What keeps a ticket waiting: how many players there are of how many, and how many tickets are in front.

    ``kind`` is party, roles, maps, regions, players, rules, provisional, role, ratings, teams, split, paused
    or nothing (a match is made with the next look), ``roles`` of which roles there are so few, ``imbalance``
    how far from even a match may be by now, and ``anybody_in`` the seconds until tolerances give way.
    """

    kind: str
    here: int
    wanted: int
    roles: list[str]
    ahead: int
    imbalance: float
    anybody_in: float


class TicketState(msgspec.Struct, omit_defaults=True):
    """Where a ticket is: waiting, proposed, accepted, playing or gone.

    ``kept_out`` says until when players of a ticket that is gone may not enter, if they must wait.
    Of a ticket that enters ``people`` says from which names to which ids of known people, and each player as
    they were named has their capability.
    """

    ticket: str
    place: str
    since: float
    players: list[str]
    why: str = ""
    waited: float | None = None
    reason: str | None = None
    short: WaitShortage | None = None
    match: QueueMatch | None = None
    until: float | None = None
    asked: list[str] | None = None
    kept_out: dict[str, float] | None = None
    capabilities: dict[str, str] | None = None
    people: dict[str, str] | None = None


class TicketOutcome(msgspec.Struct, omit_defaults=True):
    """What became of one ticket of a batch: where it is, or why it was not let in."""

    ticket: str
    state: TicketState | None = None
    refused: str = ""


class TicketOutcomes(msgspec.Struct):
    """What became of each ticket of a batch, in its order."""

    tickets: list[TicketOutcome]


class QueueMatches(msgspec.Struct):
    """The matches that are proposed or run."""

    matches: list[QueueMatch]


class OpeningState(msgspec.Struct):
    """The free seats of a running match, and who plays in it, team by team."""

    match: str
    since: float
    free: list[int]
    players: list[list[str]]
    ruleset: str
    region: str
    map: str


class OpeningStates(msgspec.Struct):
    """The running matches with free seats."""

    openings: list[OpeningState]


class QueueRecent(msgspec.Struct):
    """How the last matches since the start were: mean wait and 95th percentile in seconds, evenness.

    ``imbalance`` is how far the chances were from even on average, ``relaxed`` how many tickets had waited
    past the longest wait.
    """

    matches: int
    wait: float
    p95: float
    imbalance: float
    relaxed: int


class QueueState(msgspec.Struct):
    """How a queue stands, and what its policy means."""

    queue: str
    waiting: int
    oldest: float
    bands: dict[str, int]
    proposed: int
    running: int
    openings: int
    players: int
    paused: bool
    closed: bool
    policy: dict[str, Any]
    words: list[str]
    recent: QueueRecent


class QueueStates(msgspec.Struct):
    """All queues."""

    queues: list[QueueState]


def _plain(body: bytes, kind: type[Body]) -> Body:
    """Return a body as a type; refuse ids and names in it that other doors would not take."""
    data = typed(body, kind)
    for pointer, text in _texts(msgspec.to_builtins(data), ""):
        if text and not is_plain(text):
            msg = f"must have something to see and no control characters, got {text!r:.80}"
            raise invalid(msg, pointer)
    return data


def _texts(data: Any, at: str) -> Iterator[tuple[str, str]]:
    """Go through all texts of plain data, keys among them, each with where it is."""
    if isinstance(data, str):
        yield at, data
    elif isinstance(data, list):
        for number, each in enumerate(data):
            yield from _texts(each, f"{at}/{number}")
    elif isinstance(data, dict):
        for key, each in data.items():
            yield at, key
            yield from _texts(each, f"{at}/{key}")


async def queues(backend: Backend, asked: HttpRequest) -> Reply:
    """List the queues."""
    del asked
    return reply({"queues": [await _state(each) for each in backend.service.queues]})


async def queue_state(backend: Backend, asked: HttpRequest) -> Reply:
    """Show a queue."""
    return reply(await _state(queue_of(backend, asked)))


async def _state(queue: Queue) -> dict[str, Any]:
    (status,) = await queue.ask(StatusAsked())
    words = policy_in_words(queue.settings.policy)
    return {"queue": queue.name, **status, "words": words, "recent": queue.recent()}


async def enter(backend: Backend, asked: HttpRequest) -> Reply:
    """Let a ticket in."""
    queue = queue_of(backend, asked)
    ((replies, outcome),) = await _entered(backend, queue, [_plain(asked.body, TicketBody)])
    if "refused" in outcome:
        raise ProblemError(HttpProblem(409, "refused", outcome["refused"]))
    return reply(outcome["state"], 201 if replies else 200)


async def enter_many(backend: Backend, asked: HttpRequest) -> Reply:
    """Let several tickets in, each for itself."""
    body = _plain(asked.body, TicketsBody)
    found = await _entered(backend, queue_of(backend, asked), body.tickets, "/tickets")
    return reply({"tickets": [outcome for _, outcome in found]})


async def _entered(
    backend: Backend, queue: Queue, bodies: list[TicketBody], at: str | None = None
) -> list[tuple[bool, dict[str, Any]]]:
    """Return of each ticket whether it is new, and what became of it."""
    read = [_ticket(backend, queue, body, "" if at is None else f"{at}/{n}") for n, body in enumerate(bodies)]
    tickets = tuple(each for each in read if isinstance(each, QueueTicket))
    answers = await queue.ask(EnterTickets(tickets), PlacesAsked(tuple(each.id for each in tickets)))
    entered, states = map(iter, answers)
    found: list[tuple[bool, dict[str, Any]]] = []
    for body, ticket in zip(bodies, read, strict=True):
        if isinstance(ticket, AmbiguousNameError):
            if at is None:
                raise ProblemError(ambiguous(ticket))
            found.append((False, {"ticket": body.id, "refused": str(ticket)}))
            continue
        replies, state = next(entered), next(states)
        refused = [each["why"] for each in replies if each["kind"] == "refused"]
        if refused:
            found.append((False, {"ticket": ticket.id, "refused": refused[0]}))
            continue
        # Who is forgotten is there under a stand-in; two of one person, as that of an id and the id, are one.
        ids = {sent.id: player for sent, player in zip(body.players, state["players"], strict=False)}
        state["capabilities"] = {sent: queue.capability(ticket.id, player) for sent, player in ids.items()}
        state["people"] = {sent: player for sent, player in ids.items() if sent != player} or None
        found.append((bool(replies), {"ticket": ticket.id, "state": state}))
    return found


def _ticket(backend: Backend, queue: Queue, body: TicketBody, at: str) -> QueueTicket | AmbiguousNameError:
    """Return the ticket of a body, or the name in it that several people have."""
    for number, each in enumerate(body.players):
        if each.sigma and each.weight is None:
            msg = "is how uncertain a weight is; give the weight too"
            raise invalid(msg, f"{at}/players/{number}/sigma")
    try:
        players = [
            _player_of(
                backend,
                queue,
                each.id,
                each.weight,
                each.sigma,
                roles=each.roles,
                avoid=each.avoid,
                prefer=each.prefer,
            )
            for each in body.players
        ]
    except AmbiguousNameError as error:
        return error
    try:
        return QueueTicket(
            body.id, tuple(players), 0.0, tuple(body.latencies.items()), body.ruleset, tuple(body.vetoes),
            body.backfill,
        )  # fmt: skip
    except InputError as error:
        raise invalid(str(error), f"{at}/{error.argument}" if error.argument else at) from None


def _player_of(
    backend: Backend,
    queue: Queue,
    name: str,
    weight: float | None,
    sigma: float,
    *,
    roles: Sequence[str] = (),
    avoid: Sequence[str] = (),
    prefer: Sequence[str] = (),
) -> Player:
    """Return who is meant by a name, with the rating in the archive where none was given."""
    player = Player(
        name,
        None if weight is None else Rating(weight, sigma),
        roles=tuple((role, None) for role in roles),
        avoid=tuple((other, None) for other in avoid),
        prefer=tuple((other, None) for other in prefer),
    )
    return backend.service.queues.rated(player, queue.settings)


async def where(backend: Backend, asked: HttpRequest) -> Reply:
    """Tell where a ticket is."""
    queue, ticket = queue_of(backend, asked), asked.path["ticket"]
    await player_of(backend, asked, queue, ticket)
    return reply(await where_is(queue, ticket, why=asked.query.why))


async def where_is(queue: Queue, ticket: str, *, why: bool = False) -> dict[str, Any]:
    """Return where a ticket is; refuse who asks for one that there is not."""
    (found,) = await queue.ask(WhereAsked(ticket, why))
    if found is None:
        _missing("ticket", ticket)
    state: dict[str, Any] = found
    return state


async def cancel(backend: Backend, asked: HttpRequest) -> Reply:
    """Withdraw a ticket; one that has been proposed a match declines it."""
    queue, ticket = queue_of(backend, asked), asked.path["ticket"]
    await player_of(backend, asked, queue, ticket)
    await where_is(queue, ticket)
    replies, state = await queue.ask(CancelTicket(ticket), WhereAsked(ticket))
    return reply(unless_refused(replies, state))


async def accept(backend: Backend, asked: HttpRequest) -> Reply:
    """Accept a match; accepted again it changes nothing."""
    return await _answered(backend, asked, Accept)


async def decline(backend: Backend, asked: HttpRequest) -> Reply:
    """Decline a match."""
    return await _answered(backend, asked, Decline)


async def _answered(backend: Backend, asked: HttpRequest, kind: type[Accept | Decline]) -> Reply:
    queue, ticket = queue_of(backend, asked), asked.path["ticket"]
    player = await player_of(backend, asked, queue, ticket)
    body = typed(asked.body, AnswerBody)
    state = await where_is(queue, ticket)
    player = player and queue.known_as(player, state["players"])
    wanted, theirs = body.player or player, state["players"] if player is None else [player]
    wanted = wanted and queue.known_as(wanted, theirs)
    try:
        wanted = wanted and backend.service.queues.meant(wanted, theirs)
    except AmbiguousNameError as error:
        if player is None:  # who has a capability alone may not ask who else is called so
            raise ProblemError(ambiguous(error)) from None
    if wanted is not None and (wanted not in state["players"] or player not in (None, wanted)):
        what = f"{wanted!r} is not who this capability is for, or is not in the ticket"
        raise invalid(what, "/player")
    players = state["players"] if wanted is None else [wanted]
    if kind is Decline:
        players = players[:1]  # one who declines does so for all of the ticket
    *replies, state = await queue.ask(*(kind(body.match, each) for each in players), WhereAsked(ticket))
    return reply(unless_refused([each for some in replies for each in some], state))


def unless_refused(replies: list[dict[str, Any]], state: dict[str, Any]) -> dict[str, Any]:
    """Return a state, unless what was asked was refused."""
    for each in replies:
        if each["kind"] == "refused":
            raise ProblemError(HttpProblem(409, "refused", each["why"]))
    return state


async def matches(backend: Backend, asked: HttpRequest) -> Reply:
    """List the matches that are proposed or run."""
    (found,) = await queue_of(backend, asked).ask(MatchesAsked())
    return reply({"matches": found})


async def match(backend: Backend, asked: HttpRequest) -> Reply:
    """Show a match that is proposed or runs."""
    (found,) = await queue_of(backend, asked).ask(MatchesAsked(asked.path["match"]))
    if not found:
        _missing("match", asked.path["match"])
    return reply(found[0])


async def end_match(backend: Backend, asked: HttpRequest) -> Reply:
    """Say that a match is over, and whether it was played."""
    queue, name = queue_of(backend, asked), asked.path["match"]
    played = typed(asked.body or b"{}", EndBody).played
    found, replies = await queue.ask(MatchesAsked(name), MatchEnded(name, played))
    if not found:
        _missing("match", name)
    return reply(unless_refused(replies, {**found[0], "running": False}))


async def openings(backend: Backend, asked: HttpRequest) -> Reply:
    """List the running matches with free seats."""
    (found,) = await queue_of(backend, asked).ask(OpeningsAsked())
    return reply({"openings": found})


async def offer(backend: Backend, asked: HttpRequest) -> Reply:
    """Offer seats of a running match; offered again they count as they are now."""
    queue, body = queue_of(backend, asked), _plain(asked.body, OpeningBody)
    try:
        teams = tuple(
            tuple(_player_of(backend, queue, each.id, each.weight, 0.0, avoid=each.avoid) for each in team)
            for team in body.teams
        )
        left = await backend.service.queues.left(queue, body.match, body.left)
    except AmbiguousNameError as error:
        raise ProblemError(ambiguous(error)) from None
    seats = OfferSeats(body.match, teams, left, body.ruleset, body.region, body.map)
    replies, found = await queue.ask(seats, OpeningsAsked())
    return reply(unless_refused(replies, {"openings": found}))


async def withdraw(backend: Backend, asked: HttpRequest) -> Reply:
    """Let nobody else join a running match; said again it changes nothing."""
    _, found = await queue_of(backend, asked).ask(WithdrawSeats(asked.path["match"]), OpeningsAsked())
    return reply({"openings": found})


async def pause(backend: Backend, asked: HttpRequest) -> Reply:
    """Pause a queue, close it, or let it go on."""
    queue, body = queue_of(backend, asked), typed(asked.body or b"{}", PauseBody)
    await backend.audited(
        asked, "pause", {"queue": queue.name, "paused": body.paused, "closed": body.closed},
        lambda: queue.ask(Pause(body.paused, body.closed)),
    )  # fmt: skip
    return reply(await _state(queue))


async def events(backend: Backend, asked: HttpRequest) -> Reply:
    """Tell of what happens in a queue as it does, from the last event that somebody had."""
    queue = queue_of(backend, asked)
    given = asked.headers.get(b"last-event-id", b"").decode("latin-1")
    if given and not (given.isascii() and given.isdigit() and len(given) <= 18):
        raise ProblemError(HttpProblem(422, "invalid", "Last-Event-ID must be the id of an event"))
    if queue.listeners >= MOST_LISTENERS:
        raise ProblemError(HttpProblem(429, "busy", "as many listen as may; ask again"))
    await queue.ready()  # what its last event is
    stream = _stream(backend, queue, int(given) if given else queue.number)
    return Reply(200, b"", ((b"cache-control", b"no-store"),), b"text/event-stream", stream)


async def _stream(backend: Backend, queue: Queue, number: int) -> AsyncGenerator[bytes]:
    queue.listeners += 1
    try:
        yield b"retry: 2000\n\n"
        if number > queue.number and not await _rows(backend, queue, number - 1):
            number = queue.number  # it is of another record, such as one before a backup came back
            yield event("queue_state", await _state(queue), number)
        while not queue.ended:
            if number >= queue.number:
                if not await queue.news(number, QUIET) and not queue.ended:
                    yield b": still here\n\n"
                continue
            for each in await _rows(backend, queue, number):
                number = each["number"]
                yield event("queue", {"at": each["at"], "replies": each["replies"]}, number)
    finally:
        queue.listeners -= 1


async def _rows(backend: Backend, queue: Queue, number: int) -> list[Any]:
    """Return the events of a queue after a number."""
    read = await backend.read("queue_events", (queue.name, number, MOST_EVENTS), OWN)
    rows: list[Any] = msgspec.json.decode(read.body or b"[]")
    return rows


def queue_of(backend: Backend, asked: HttpRequest) -> Queue:
    """Return the queue of a path."""
    name = asked.path["queue"]
    if name not in backend.service.queues:
        _missing("queue", name)
    return backend.service.queues[name]


def _missing(kind: str, name: str) -> NoReturn:
    raise ProblemError(HttpProblem(404, "not-found", f"there is no {kind} {name!r:.80}"))


async def player_of(backend: Backend, asked: HttpRequest, queue: Queue, ticket: str) -> str | None:
    """Return the player whose capability was given, None for a backend; refuse everybody else."""
    token = bearer_of(asked.headers)
    if token is None:
        raise ProblemError(HttpProblem(401, "no-token", "write Authorization: Bearer and a token"))
    await queue.ready()
    player = queue.holder(ticket, token)
    if player is not None:
        return player
    holder = backend.service.keyring.holder(token)
    if holder is None:
        backend.metrics.failed("http")
        await backend.service.admission.wrong_token(asked.whose, "http")
        raise ProblemError(HttpProblem(401, "wrong-token", "the token is wrong, or of another ticket"))
    if not backend.service.keyring.may(token, "report"):
        what = f"this needs a token for report; this one is for {holder.scope}"
        raise ProblemError(HttpProblem(403, "not-allowed", what))
    return None


REFUSED = {409: "The queue refuses it, and why."}

TICKET_PATH = "/v1/queues/{queue}/tickets/{ticket}"

QUEUE_OPERATIONS: tuple[Operation, ...] = (
    Operation("queues", "GET", "/v1/queues", "List the queues, and how they stand.", queues, QueueStates),
    Operation(
        "queue", "GET", "/v1/queues/{queue}", "Show a queue, and what its policy means.", queue_state,
        QueueState, answers=MISSING,
    ),
    Operation(
        "enter", "POST", "/v1/queues/{queue}/tickets", "Let a party into a queue.", enter, TicketState,
        TicketBody, answers={**WITH_BODY, **MISSING, **REFUSED}, scope="report",
        done={201: "It waits, and survives a crash.", 200: "It was let in before; nothing changes."},
    ),
    Operation(
        "enter_many", "POST", "/v1/queues/{queue}/tickets:batch", "Let several parties into a queue.",
        enter_many, TicketOutcomes, TicketsBody, answers={**WITH_BODY, **MISSING}, scope="report",
    ),
    Operation(
        "ticket", "GET", TICKET_PATH, "Tell where a ticket is; by a token or a capability.",
        where, TicketState, query=WhyQuery, answers={**WITH_TOKEN, **MISSING}, scope="",
    ),
    Operation(
        "cancel", "DELETE", TICKET_PATH, "Withdraw a ticket; by a token or the capability of a player of it.",
        cancel, TicketState, answers={**WITH_TOKEN, **MISSING, **REFUSED}, scope="",
    ),
    Operation(
        "accept", "POST", f"{TICKET_PATH}/accept", "Accept a match; by a token or a capability.", accept,
        TicketState, AnswerBody, answers={**WITH_BODY, **WITH_TOKEN, **MISSING, **REFUSED}, scope="",
    ),
    Operation(
        "decline", "POST", f"{TICKET_PATH}/decline", "Decline a match; by a token or a capability.", decline,
        TicketState, AnswerBody, answers={**WITH_BODY, **WITH_TOKEN, **MISSING, **REFUSED}, scope="",
    ),
    Operation(
        "queue_matches", "GET", "/v1/queues/{queue}/matches", "List the matches that are proposed or run.",
        matches, QueueMatches, answers=MISSING,
    ),
    Operation(
        "queue_match", "GET", "/v1/queues/{queue}/matches/{match}", "Show a match that is proposed or runs.",
        match, QueueMatch, answers=MISSING,
    ),
    Operation(
        "end_match", "POST", "/v1/queues/{queue}/matches/{match}/end", "Say that a match is over.",
        end_match, QueueMatch, EndBody, answers={**WITH_BODY, **MISSING, **REFUSED}, scope="report",
    ),
    Operation(
        "openings", "GET", "/v1/queues/{queue}/openings", "List the running matches with free seats.",
        openings, OpeningStates, answers=MISSING,
    ),
    Operation(
        "offer_seats", "POST", "/v1/queues/{queue}/openings", "Offer seats of a running match.",
        offer, OpeningStates, OpeningBody, answers={**WITH_BODY, **MISSING, **REFUSED}, scope="report",
    ),
    Operation(
        "withdraw_seats", "DELETE", "/v1/queues/{queue}/openings/{match}",
        "Let nobody else join a running match.", withdraw, OpeningStates, answers=MISSING, scope="report",
    ),
    Operation(
        "pause", "POST", "/v1/queues/{queue}/pause", "Pause a queue, close it, or let it go on.", pause,
        QueueState, PauseBody, answers={**WITH_BODY, **MISSING}, scope="admin",
    ),
    Operation(
        "queue_events", "GET", "/v1/queues/{queue}/events",
        "Tell of what happens in a queue (Server-Sent Events).", events, bytes,
        answers={**MISSING, 422: "Last-Event-ID is not the id of an event."}, scope="report",
    ),
)  # fmt: skip
