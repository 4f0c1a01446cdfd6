"""What comes over HTTP and what goes back, as values."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from equipoise.protocols.http.problems import MEDIA_TYPE, HttpProblem

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
    address : str
        Whose it is.
    headers : mapping
        By name, in small letters.
    """

    path: Mapping[str, str]
    query: Any
    body: bytes
    address: str
    headers: Mapping[bytes, bytes]


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
