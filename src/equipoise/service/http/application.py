"""The application: routes, what every request passes before it is answered, and the answers' bytes.

Each path has one endpoint, which knows its operations by method.  Before an operation is answered its address
must not ask too fast, its body must come in time and within its size, and its parameters must be right.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from functools import lru_cache
from time import perf_counter
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from starlette.routing import BaseRoute, Route, Router

from equipoise.errors import EquipoiseError
from equipoise.service.admission import BY_TOKEN, Admission, BusyError, address_of
from equipoise.service.http.messages import HttpRequest, ProblemError, Reply, bearer_of, refusal
from equipoise.service.http.operation import Operation
from equipoise.service.http.problems import HttpProblem
from equipoise.service.tokens import SCOPES, Holder

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

#: Seconds in which a body must have come.
BODY_SECONDS = 20.0

#: How an answer says that the connection ends: where a body was not read.
CLOSE = ((b"connection", b"close"),)

#: Statuses whose answers have no body.
NO_BODY = (204, 304)

#: What the answer to a web page's first question says besides.
PREFLIGHT = (
    (
        b"access-control-allow-headers",
        b"authorization, content-type, idempotency-key, if-none-match, last-event-id",
    ),
    (b"access-control-max-age", b"600"),
)

#: Headers that belong to a problem: where a body was not read, the connection ends.
HEADERS = {
    401: ((b"www-authenticate", b"Bearer"), *CLOSE), 403: CLOSE, 408: CLOSE, 413: CLOSE,
    415: ((b"accept-encoding", b"identity"), *CLOSE),
}  # fmt: skip

log = logging.getLogger(__name__)


class Endpoint:
    """One path: its operations by method."""

    def __init__(self, operations: Sequence[Operation], application: Application) -> None:
        self._operations = {each.method: each for each in operations}
        if "GET" in self._operations:
            self._operations["HEAD"] = self._operations["GET"]
        self._application = application
        self._allowed = ", ".join(self._operations).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["method"] == "OPTIONS" and self._application.allows(scope):
            shared = self._application.shared(scope)
            headers = (*shared, (b"access-control-allow-methods", self._allowed), *PREFLIGHT)
            await sent(Reply(204, b"", headers), send)
            return
        operation = self._operations.get(scope["method"])
        if operation is None:
            problem = HttpProblem(
                405, "method-not-allowed", f"{scope['method']} is not a method of this path"
            )
            await sent(refusal(problem, ((b"allow", self._allowed), *CLOSE)), send)
            return
        await self._application.answer(operation, scope, receive, send)


class Application:
    """What answers HTTP.

    Parameters
    ----------
    operations : sequence of Operation
        What may be asked.
    context : object
        What the operations' handlers are called with first.
    admission : Admission
        How fast each may ask.
    most_bytes : int
        Bytes that a body may have.
    origins : sequence of str
        From where web pages may ask; ``*`` from everywhere.
    proxies : sequence of str
        Addresses of reverse proxies whose ``X-Forwarded-For`` counts.
    pages : ASGI application, optional
        What answers all other paths: the place for pages for people.
    """

    def __init__(
        self,
        operations: Sequence[Operation],
        context: Any,
        admission: Admission,
        most_bytes: int,
        origins: Sequence[str] = (),
        proxies: Sequence[str] = (),
        pages: Callable[[Scope, Receive, Send], Awaitable[None]] | None = None,
    ) -> None:
        self._context = context
        self._admission = admission
        self.most_bytes = most_bytes
        self._origins = frozenset(origins)
        self._proxies = frozenset(proxies)
        paths: dict[str, list[Operation]] = {}
        for each in operations:
            paths.setdefault(each.path, []).append(each)
        self._plain = {path: Endpoint(each, self) for path, each in paths.items() if "{" not in path}
        longest = sorted(paths, key=len, reverse=True)  # a place may hold what another path ends with
        routes: list[BaseRoute] = [
            _route(path, Endpoint(paths[path], self)) for path in longest if path not in self._plain
        ]
        self._router = Router(routes, redirect_slashes=False, default=pages or self._nothing)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        endpoint = self._plain.get(scope.get("path", ""))  # most requests, and none of the patterns' time
        if endpoint is None:
            await self._router(scope, receive, send)
            return
        scope["path_params"] = {}
        await endpoint(scope, receive, send)

    def allows(self, scope: Scope) -> bool:
        """Tell whether a web page from elsewhere may ask."""
        origin = dict(scope["headers"]).get(b"origin")
        return origin is not None and ("*" in self._origins or origin.decode("latin-1") in self._origins)

    def shared(self, scope: Scope) -> tuple[tuple[bytes, bytes], ...]:
        """Return the headers that let the web page that asks read the answer."""
        if not self.allows(scope):  # one kept for them is no answer to a page that may
            return () if "*" in self._origins else ((b"vary", b"origin"),)
        origin = b"*" if "*" in self._origins else dict(scope["headers"])[b"origin"]
        return (
            (b"access-control-allow-origin", origin), (b"vary", b"origin"),
            (b"access-control-expose-headers", b"etag, retry-after"),
        )  # fmt: skip

    async def _nothing(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer where nothing is."""
        del receive
        if scope["type"] == "http":
            problem = HttpProblem(
                404, "not-found", "there is nothing at this path; /openapi.json says what there is"
            )
            await sent(refusal(problem, CLOSE if scope["method"] not in ("GET", "HEAD") else ()), send)

    async def answer(self, operation: Operation, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer an operation, whatever happens."""
        began = perf_counter()
        answer = await self._reply(operation, scope, receive)
        if self._origins:
            answer.headers = (*answer.headers, *self.shared(scope))
        self._context.metrics.answered("http", operation.name, str(answer.status), perf_counter() - began)
        await sent(answer, send)

    async def _reply(self, operation: Operation, scope: Scope, receive: Receive) -> Reply:
        headers = dict(scope["headers"])
        address = self._address(scope, headers)
        token = _token(operation, headers)
        holder = None if token is None else self._context.service.keyring.holder(token)
        whose = address if holder is None else f"{BY_TOKEN}{holder.id}"
        try:
            if not self._admission.allows(whose):
                await self._admission.refuse(whose, "requests")
                problem = HttpProblem(429, "too-many-requests", "this asks too fast; wait, and ask again")
                return refusal(problem, CLOSE if operation.method == "POST" else ())
            await self._authorise(operation, token, holder, address)
            query = _query(operation, scope)
            body = await self._body(scope, headers, receive) if operation.method == "POST" else b""
            asked = HttpRequest(scope["path_params"], query, body, whose, headers)
            return await operation.handler(self._context, asked)
        except ProblemError as error:
            return refusal(error.problem, HEADERS.get(error.problem.status, ()))
        except asyncio.CancelledError:
            raise
        except BusyError:
            return refusal(HttpProblem(429, "busy", "too much is being asked at once; ask again"))
        except EquipoiseError as error:
            log.warning("not answered", extra={"kind": operation.name, "why": str(error)})
            return refusal(HttpProblem(503, "unavailable", "this cannot be answered just now; ask again"))
        except Exception:
            log.exception("unexpected error")
            return refusal(HttpProblem(503, "unavailable", "this cannot be answered just now; ask again"))

    def _address(self, scope: Scope, headers: Mapping[bytes, bytes]) -> str:
        """Return whose request it is: of a known proxy, as that says."""
        address = address_of(scope["client"])
        if address not in self._proxies:
            return address
        forwarded = headers.get(b"x-forwarded-for", b"").decode("latin-1").rpartition(",")[2].strip()
        try:
            return address_of((str(ipaddress.ip_address(forwarded)), 0))
        except ValueError:
            return address

    async def _authorise(
        self, operation: Operation, token: str | None, holder: Holder | None, address: str
    ) -> None:
        """Refuse a client without a token where one is needed, and after a delay one with a wrong token."""
        if not operation.scope:
            return
        if token is None:
            if operation.scope != "read" or self._context.settings.read_token:
                raise ProblemError(HttpProblem(401, "no-token", "write Authorization: Bearer and a token"))
            return
        if holder is None:
            self._context.metrics.failed("http")
            await self._admission.wrong_token(address, "http")
            raise ProblemError(HttpProblem(401, "wrong-token", "the token is wrong, or was revoked"))
        self._admission.client(address).wrong = 0
        if SCOPES.index(holder.scope) < SCOPES.index(operation.scope):
            what = f"this needs a token for {operation.scope}; this one is for {holder.scope}"
            raise ProblemError(HttpProblem(403, "not-allowed", what))

    async def _body(self, scope: Scope, headers: Mapping[bytes, bytes], receive: Receive) -> bytes:
        """Return the body, as it is, within its size and its time."""
        coding = headers.get(b"content-encoding", b"identity").strip().lower()
        if coding not in (b"", b"identity"):
            what = f"Content-Encoding must be identity, got {coding.decode('latin-1')!r:.80}"
            raise ProblemError(HttpProblem(415, "encoded", what))
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > self.most_bytes:
            raise self._too_large()
        body: bytes | None = scope.get("body")
        if body is not None:  # it has come as a whole, and no timer is needed
            if len(body) > self.most_bytes:
                raise self._too_large()
            return body
        parts, size = [], 0
        try:
            async with asyncio.timeout(BODY_SECONDS):
                while True:
                    message = await receive()
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > self.most_bytes:
                        raise self._too_large()
                    if not message.get("more_body"):
                        return b"".join(parts)
        except TimeoutError:
            detail = f"a body must come within {BODY_SECONDS:g} seconds"
            raise ProblemError(HttpProblem(408, "too-slow", detail)) from None

    def _too_large(self) -> ProblemError:
        return ProblemError(HttpProblem(413, "too-large", f"a body may have {self.most_bytes} bytes"))


def _route(path: str, endpoint: Any) -> Route:
    """Return a route whose places hold any characters, line breaks too, and which ends where it ends."""
    route = Route(path, endpoint)
    route.path_regex = re.compile(route.path_regex.pattern.removesuffix("$") + r"\Z", re.DOTALL)
    return route


def _token(operation: Operation, headers: Mapping[bytes, bytes]) -> str | None:
    """Return the token of a request, None where there is none; what is no token is a wrong one."""
    if b"authorization" not in headers or not operation.scope:
        return None
    token = bearer_of(headers)
    return "" if token is None and not operation.lenient else token


def _query(operation: Operation, scope: Scope) -> Any:
    """Return the parameters of a request, typed; unknown ones are refused."""
    text = scope["query_string"]
    if operation.query is None:
        if text:
            name = text.partition(b"=")[0].decode("ascii", "replace")
            raise ProblemError(HttpProblem(422, "invalid", f"there is no parameter {name!r} here"))
        return None
    if not text:
        return operation.query()
    return _typed(operation.query, text)


@lru_cache(128)
def _typed(kind: Any, text: bytes) -> Any:
    """Return parameters as a type; many ask with the same ones, which take some time to read."""
    given: dict[str, str] = {}
    try:
        pairs = parse_qsl(text.decode("ascii"), keep_blank_values=True, strict_parsing=True, errors="strict")
    except ValueError:
        raise ProblemError(HttpProblem(422, "invalid", "the parameters cannot be read")) from None
    for name, value in pairs:
        if name in given:
            raise ProblemError(HttpProblem(422, "invalid", f"the parameter {name!r} is given twice"))
        given[name] = value
    for name in given:
        if name not in kind.__struct_fields__:
            msg = f"there is no parameter {name!r} here"
            raise ProblemError(HttpProblem(422, "invalid", msg, more={"parameter": name}))
    try:
        return msgspec.convert(given, kind, strict=False)
    except msgspec.ValidationError as error:
        detail, _, path = str(error).partition(" - at `$")
        name = path.strip(".`")
        raise ProblemError(
            HttpProblem(422, "invalid", f"{name}: {detail}" if name else detail, more={"parameter": name})
        ) from None


async def sent(answer: Reply, send: Send) -> None:
    """Send an answer."""
    headers = [*answer.headers]
    if answer.status not in NO_BODY:
        headers.append((b"content-type", answer.media_type))
    if answer.stream is None:
        if answer.status not in NO_BODY:
            headers.append((b"content-length", b"%d" % len(answer.body)))
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": answer.body})
        return
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    async with contextlib.aclosing(answer.stream) as parts:
        async for part in parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
