"""The events of a queue: who listens before the record is gone through misses none, and hears none twice."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest

from equipoise.queueing import QueuePolicy
from equipoise.service.http.messages import HttpRequest
from equipoise.service.http.queue_operations import events
from equipoise.service.queues import Queue
from equipoise.service.table_settings import QueueSettings

#: The events that were there before the server began.
RECORDED = 2


class Owner:
    """Goes through the record when it is asked to begin."""

    async def ask(self, question: None, seconds: float) -> tuple[bytes, int]:
        """Return the salt and the number of the last event."""
        del question, seconds
        await asyncio.sleep(0)
        return b"salt", RECORDED


@pytest.mark.parametrize(("last", "heard"), [(b"0", [1, 2, 3]), (b"1", [2, 3]), (b"2", [3]), (b"", [3])])
def test_who_listens_before_the_record_is_read_hears_what_they_asked_for(
    last: bytes, heard: list[int]
) -> None:
    """From the event they name, the first included; from now on where they name none."""

    async def read(what: str, asked: tuple[str, int, int], lane: Any) -> Any:
        del what, lane
        rows = [{"number": n, "at": 1.0, "replies": []} for n in range(asked[1] + 1, queue.number + 1)]
        return SimpleNamespace(body=json.dumps(rows).encode())

    async def listened() -> list[int]:
        queue._worker = owner
        headers = {b"last-event-id": last} if last else {}
        reply = await events(backend, HttpRequest({"queue": "duel"}, None, b"", "", headers))
        stream, ids = reply.stream, list[int]()
        assert stream is not None
        beginning = asyncio.ensure_future(queue.begin())  # as the server does, whoever asked before
        async for part in stream:  # nothing else happens meanwhile
            ids += [int(line[4:]) for line in part.splitlines() if line.startswith(b"id: ")]
            if ids == heard[:-1]:
                await beginning
                await queue.heard(RECORDED + 1)
            elif ids == heard:
                await queue.end()
        return ids

    made: Any = None  # nothing is counted
    owner: Any = Owner()
    queue = Queue("", QueueSettings("duel", QueuePolicy(team_size=1)), {}, made, lambda: None)
    backend: Any = SimpleNamespace(service=SimpleNamespace(queues={"duel": queue}), read=read)
    assert asyncio.run(asyncio.wait_for(listened(), 5)) == heard
