"""What comes over HTTP and what goes back, as values.

Bodies from JSON: plain data or a type, or the problem that says what is wrong with them.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from equipoise.errors import again
from equipoise.service.http.problems import MEDIA_TYPE, HttpProblem, pointer_of_path

JSON = b"application/json"

#: Seconds after which who was refused for asking too much may ask again, as far as is known.
RETRY = 1


@dataclass(slots=True)
class HttpRequest:
    """A request, as far as its handler needs to know.

    Parameters
    ----------
    path : mapping
        What is in the path's places.
    query : Struct or None
        The parameters, typed.
    body : bytes
        The body.
    whose : str
        Whose it is: an address, or who has a token.
    headers : mapping
        By name, in small letters.
    """

    path: Mapping[str, str]
    query: Any
    body: bytes
    whose: str
    headers: Mapping[bytes, bytes]


def bearer_of(headers: Mapping[bytes, bytes]) -> str | None:
    """Return the token or key of a request; None where it has none, or something else in its place."""
    kind, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def has_already(headers: Mapping[bytes, bytes], etag: bytes) -> bool:
    """Tell whether who asks has what bears a tag, or anything at all; proxies that compress weaken tags."""
    tags = [each.strip().removeprefix(b"W/") for each in headers.get(b"if-none-match", b"").split(b",")]
    return etag in tags or b"*" in tags


def takes_gzip(headers: Mapping[bytes, bytes]) -> bool:
    """Tell whether who asks understands gzip, by name or by a star, and has not ruled it out.

    Examples
    --------
    >>> [takes_gzip({b"accept-encoding": each}) for each in (b"br, gzip", b"*", b"gzip;q=0, *", b"br", b"")]
    [True, True, False, False, False]
    """
    asked: dict[bytes, bool] = {}
    for each in headers.get(b"accept-encoding", b"").lower().split(b","):
        coding, _, quality = each.replace(b" ", b"").partition(b";q=")
        asked[coding] = not re.fullmatch(rb"0(\.0*)?", quality)
    return asked.get(b"gzip", asked.get(b"*", False))


@dataclass(slots=True)
class Reply:
    """An answer.

    Parameters
    ----------
    status : int
        The status.
    body : bytes
        The body.
    headers : tuple of pairs
        Headers besides type and length.
    media_type : bytes
        The type of the body.
    stream : async iterator of bytes, optional
        The body where it comes bit by bit.
    """

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[bytes, bytes], ...] = ()
    media_type: bytes = JSON
    stream: AsyncGenerator[bytes] | None = field(default=None)


def reply(content: object, status: int = 200, headers: tuple[tuple[bytes, bytes], ...] = ()) -> Reply:
    """Return an answer with plain data."""
    return Reply(status, msgspec.json.encode(content), headers)


def refusal(problem: HttpProblem, headers: tuple[tuple[bytes, bytes], ...] = ()) -> Reply:
    """Return the answer that reports a problem."""
    if problem.status in (429, 503):
        headers = (*headers, (b"retry-after", b"%d" % RETRY))
    return Reply(problem.status, problem.encoded(), headers, MEDIA_TYPE.encode())


Body = TypeVar("Body", bound=msgspec.Struct)


class ProblemError(Exception):
    """There is no answer, and why."""

    def __init__(self, problem: HttpProblem) -> None:
        self.problem = problem
        super().__init__(problem)


def invalid(detail: str, pointer: str = "", **more: Any) -> ProblemError:
    """Return the error for a wrong value in the body."""
    return ProblemError(HttpProblem(422, "invalid", detail, pointer, more))


def plain_object(body: bytes) -> dict[str, Any]:
    """Return a body as plain data."""
    try:
        data = msgspec.json.decode(body)
    except (ValueError, RecursionError) as error:
        raise _no_json(error) from None
    _check_keys(body, data)
    if not isinstance(data, dict):
        msg = "the body must be an object"
        raise invalid(msg)
    return data


def typed(body: bytes, kind: type[Body]) -> Body:
    """Return a body as a type."""
    try:
        data = msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        raise wrong_type(error) from None
    except (ValueError, RecursionError) as error:
        raise _no_json(error) from None
    _check_keys(body, msgspec.json.decode(body))
    return data


def _no_json(error: Exception) -> ProblemError:
    why = str(error)
    if isinstance(error, RecursionError):
        why = "it is nested too deeply"
    elif isinstance(error, UnicodeDecodeError):
        why = "it is not UTF-8"
    return ProblemError(HttpProblem(400, "malformed", f"the body is not JSON: {why}", ""))


def _check_keys(body: bytes, data: Any) -> None:
    """Refuse a body of JSON with a key twice in one object: it would lose a player without a word.

    Every pair has a colon.  As many colons as pairs that were kept means that none was lost; where there are
    more, some may be in texts, which takes ten times as long to tell.
    """
    if body.count(b":") == _pairs(data):
        return
    try:
        json.loads(body, object_pairs_hook=_different, parse_float=str, parse_int=str)
    except RecursionError as error:
        raise _no_json(error) from None


def _pairs(data: Any) -> int:
    """Return how many pairs of a key and a value the objects of plain data have."""
    pairs, parts = 0, [data]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            pairs += len(part)
            parts.extend(part.values())
        elif isinstance(part, list):
            parts.extend(part)
    return pairs


def _different(pairs: list[tuple[str, Any]]) -> None:
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        msg = f"the key {keys[again(keys)]!r:.80} comes twice in one object; keys must differ"
        raise invalid(msg)


def wrong_type(error: msgspec.ValidationError, base: str = "") -> ProblemError:
    """Return the problem of a value of another type, with its place under a pointer."""
    detail, _, path = str(error).partition(" - at `")
    return invalid(detail, base + pointer_of_path(path.removesuffix("`")))
