"""Asks a server over HTTP, for tests."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any, NamedTuple

#: Seconds after which a test that hangs fails: a busy machine takes long for the first answer of a worker.
PATIENCE = 300.0


class Answered(NamedTuple):
    """Status, headers and body of an answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def plain(self) -> Any:
        """The body as plain data."""
        return json.loads(self.body)

    @property
    def pointer(self) -> str:
        """Where in the body something is wrong."""
        return str(self.plain["errors"][0]["pointer"])


def ask(url: str, body: Any = None, method: str | None = None, **headers: str) -> Answered:
    """Send a request, with plain data or bytes as its body, and return the answer; of a stream its head."""
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, data, named, method=method)  # noqa: S310 -- of these tests
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
            endless = answer.headers.get_content_type() == "text/event-stream"
            body = b"" if endless else answer.read()
            return Answered(answer.status, dict(answer.headers.items()), body)
    except urllib.error.HTTPError as error:
        with error:
            return Answered(error.code, dict(error.headers.items()), error.read())
