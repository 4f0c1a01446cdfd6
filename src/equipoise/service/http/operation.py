"""One thing that may be asked over HTTP, and the answers that many of them have."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from equipoise.service.http.messages import HttpRequest, Reply

Handler = Callable[[Any, HttpRequest], Awaitable[Reply]]

#: Answers that every operation may give besides its own.
USUAL: Mapping[int, str] = {
    422: "A parameter is wrong.",
    429: "This is asked too fast, or too much waits.",
    503: "It cannot be answered just now.",
}

#: Answers where there is a body.
WITH_BODY: Mapping[int, str] = {
    400: "The body is not JSON.",
    408: "The body came too slowly.",
    413: "The body is too large.",
    415: "The body is encoded.",
    422: "Something in the body or a parameter is wrong.",
}

#: Answers where a token may be needed.
WITH_TOKEN: Mapping[int, str] = {
    401: "There is no token, or a wrong one.",
    403: "The token is for something else.",
}

#: Answers where what is asked for has a revision, or may not be there.
UNCHANGED: Mapping[int, str] = {304: "Nothing has changed since that revision."}
MISSING: Mapping[int, str] = {404: "There is no such thing."}
LIKE: Mapping[int, str] = {409: "Several matches have an id with this part in it."}
SEVERAL: Mapping[int, str] = {409: "Several people are called so; `candidates` lists them."}


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that may be asked.

    Parameters
    ----------
    name : str
        What it is called in the document and in metrics.
    method, path : str
        How it is asked for; a place such as ``{id:path}`` may hold slashes.
    summary : str
        What it does.
    handler : callable
        What answers it.
    answer : type
        Of which its answer is.
    body : type or str, optional
        Of which its body is, or the name of a schema.
    query : type, optional
        Its parameters.
    answers : mapping
        What it may answer besides its answer and what all may.
    scope : str
        What a token must be for, of :data:`equipoise.service.tokens.SCOPES`; empty where none is asked for.
    lenient : bool
        Whether credentials of another service count as none: its clients send them wherever they ask.
    done : mapping
        The statuses with which it gives its answer.
    """

    name: str
    method: str
    path: str
    summary: str
    handler: Handler
    answer: Any
    body: Any = None
    query: Any = None
    answers: Mapping[int, str] = field(default_factory=dict)
    scope: str = "read"
    lenient: bool = False
    done: Mapping[int, str] = field(default_factory=lambda: {200: "The answer."})


#: Characters of the longest id of a match that is reported.
LONGEST_ID = 200
