"""What admins may do over HTTP: all that the command line can, with a record of who did what.

Each step is written into the audit log before it is done, and what came of it after.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from equipoise.identity.roster_lookup import AmbiguousNameError
from equipoise.identity.shared_ids import OF
from equipoise.service import tokens
from equipoise.service.archive_workers import ForgottenPlayer, MergedPlayers
from equipoise.service.http.backend import Backend
from equipoise.service.http.messages import HttpRequest, ProblemError, Reply, reply, typed
from equipoise.service.http.operation import LONGEST_ID, MISSING, WITH_BODY, Operation
from equipoise.service.http.problems import HttpProblem, ambiguous

Id = Annotated[str, Meta(min_length=1, max_length=LONGEST_ID)]


class MergeBody(msgspec.Struct, forbid_unknown_fields=True):
    """Two ids of one person, who counts under the first; ``back`` takes that back."""

    player: Id
    other: Id
    back: bool = False


class ForgetBody(msgspec.Struct, forbid_unknown_fields=True):
    """Whom to take out of all that is kept, for good."""

    player: Id


class TokenBody(msgspec.Struct, forbid_unknown_fields=True):
    """Whose a new token is, and what it is for."""

    name: Id
    scope: Literal["read", "report", "admin"]


class Merged(msgspec.Struct):
    """Who is one person now, or no longer."""

    player: str
    other: str
    merged: bool


class ForgottenAnswer(msgspec.Struct):
    """The id that stands in the place of who was forgotten."""

    id: str


class TokenRow(msgspec.Struct, omit_defaults=True):
    """A token, without what is secret of it; of a new one ``token`` is shown once."""

    id: str
    name: str
    scope: str
    made: str
    token: str | None = None


class Tokens(msgspec.Struct):
    """All tokens of the file."""

    tokens: list[TokenRow]


class AuditRow(msgspec.Struct):
    """What an admin did: by which token, what, and what came of it."""

    number: int
    at: float
    whose: str
    what: str
    asked: dict[str, Any]
    outcome: str


class AuditPage(msgspec.Struct):
    """Steps of admins, the newest first."""

    entries: list[AuditRow]
    next: int | None


class AuditQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Which part of the log."""

    before: Annotated[int, Meta(ge=1)] | None = None
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100


class DeliveryRow(msgspec.Struct):
    """What is sent to a webhook, and how that went so far; ``sent`` is 0 until it was taken."""

    hook: str
    id: str
    kind: str
    made: float
    body: Any
    tries: int
    due: float
    sent: float
    trouble: str


class Deliveries(msgspec.Struct):
    """What is to be sent, and what was sent lately."""

    deliveries: list[DeliveryRow]


class DeliveriesQuery(msgspec.Struct, forbid_unknown_fields=True):
    """How many."""

    limit: Annotated[int, Meta(ge=1, le=1000)] = 100


def _meant(backend: Backend, named: str) -> str:
    """Return the id of who is meant; what nobody is called, and an id of several, stays as it is."""
    try:
        return backend.known.snapshot.ratings.someone(named, names=False) or named
    except AmbiguousNameError as error:
        if any(one.startswith(named + OF) for one, _ in error.candidates):
            return named
        raise ProblemError(ambiguous(error)) from None


async def merge(backend: Backend, asked: HttpRequest) -> Reply:
    """Let two ids be one person, or take that back."""
    body = typed(asked.body, MergeBody)
    if not body.back:
        body = MergeBody(_meant(backend, body.player), _meant(backend, body.other))
    plain = msgspec.to_builtins(body)
    await backend.audited(
        asked, "merge", plain,
        lambda: backend.service.keep(MergedPlayers(body.player, body.other, body.back), asked.whose),
    )  # fmt: skip
    return reply({"player": body.player, "other": body.other, "merged": not body.back})


async def forget(backend: Backend, asked: HttpRequest) -> Reply:
    """Take a person out of all that is kept."""
    player = _meant(backend, typed(asked.body, ForgetBody).player)
    name = await backend.audited(
        asked, "forget", {}, lambda: backend.service.keep(ForgottenPlayer(player), asked.whose)
    )
    return reply({"id": name})


async def list_tokens(backend: Backend, asked: HttpRequest) -> Reply:
    """List tokens."""
    del asked
    return reply({"tokens": [_row(each) for each in tokens.read(_path(backend))]})


async def make_token(backend: Backend, asked: HttpRequest) -> Reply:
    """Make a token; it is shown once."""
    body, path = typed(asked.body, TokenBody), _path(backend)

    async def made() -> tuple[tokens.Token, str]:
        return tokens.make(path, body.name, body.scope)

    token, text = await backend.audited(asked, "make token", {"name": body.name, "scope": body.scope}, made)
    return reply({**_row(token), "token": text}, 201, ((b"cache-control", b"no-store"),))


async def revoke_token(backend: Backend, asked: HttpRequest) -> Reply:
    """Take a token back."""
    path, named = _path(backend), asked.path["id"]
    if named not in {each.id for each in tokens.read(path)}:
        raise ProblemError(HttpProblem(404, "not-found", f"there is no token {named!r:.80}"))

    async def revoked() -> tokens.Token:
        return tokens.revoke(path, named)

    return reply(_row(await backend.audited(asked, "revoke token", {"id": named}, revoked)))


def _path(backend: Backend) -> str:
    if not backend.settings.tokens:
        what = "the setting 'tokens' names no file of tokens"
        raise ProblemError(HttpProblem(409, "conflict", what))
    return backend.settings.tokens


def _row(token: tokens.Token) -> dict[str, str]:
    return {"id": token.id, "name": token.name, "scope": token.scope, "made": token.made}


async def audit(backend: Backend, asked: HttpRequest) -> Reply:
    """List what admins did."""
    read = await backend.read("audit", (asked.query.before, asked.query.limit), asked.whose)
    return Reply(200, read.body or b"")


async def deliveries(backend: Backend, asked: HttpRequest) -> Reply:
    """List what webhooks receive."""
    read = await backend.read("outbox", asked.query.limit, asked.whose)
    return Reply(200, read.body or b"")


CONFLICT = {409: "It cannot be done, and why."}

ADMIN_OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "merge", "POST", "/v1/admin/merge", "Let two ids be one person, or take that back.", merge, Merged,
        MergeBody, answers={**WITH_BODY, **CONFLICT}, scope="admin",
    ),
    Operation(
        "forget", "POST", "/v1/admin/forget", "Take a person out of all that is kept, for good.", forget,
        ForgottenAnswer, ForgetBody, answers={**WITH_BODY, **CONFLICT}, scope="admin",
    ),
    Operation(
        "tokens", "GET", "/v1/admin/tokens", "List tokens.", list_tokens, Tokens, answers=CONFLICT,
        scope="admin",
    ),
    Operation(
        "make_token", "POST", "/v1/admin/tokens", "Make a token; it is shown once.", make_token, TokenRow,
        TokenBody, answers={**WITH_BODY, **CONFLICT}, scope="admin", done={201: "The token."},
    ),
    Operation(
        "revoke_token", "DELETE", "/v1/admin/tokens/{id}", "Revoke a token.", revoke_token, TokenRow,
        answers={**MISSING, **CONFLICT}, scope="admin",
    ),
    Operation(
        "audit", "GET", "/v1/admin/audit", "List what admins did, the newest first.", audit, AuditPage,
        query=AuditQuery, scope="admin",
    ),
    Operation(
        "webhooks", "GET", "/v1/admin/webhooks", "List what is to be sent to webhooks, and was sent lately.",
        deliveries, Deliveries, query=DeliveriesQuery, scope="admin",
    ),
)  # fmt: skip
