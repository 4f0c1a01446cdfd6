"""Webhooks: whoever hangs keeps neither others nor the end, and every id fits into a header."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import http.server
import json
import queue
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.service.process import PATIENCE

from equipoise.archive.archive import open_archive
from equipoise.archive.outbox import Delivery, OutboxNote
from equipoise.service.table_settings import Webhook
from equipoise.service.webhooks import Deliverer, post

SECRET = b"a secret that nobody guesses"

#: More than any pool of threads that others use has.
HANGING = 40


class Receiver(http.server.ThreadingHTTPServer):
    """Takes everything."""

    def __init__(self) -> None:
        self.taken: queue.Queue[tuple[dict[str, str], bytes]] = queue.Queue()
        super().__init__(("127.0.0.1", 0), Answer)


class Answer(http.server.BaseHTTPRequestHandler):
    """Takes a delivery."""

    server: Receiver

    def do_POST(self) -> None:
        """Take it."""
        body = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(204)
        self.end_headers()
        self.server.taken.put(({key.lower(): value for key, value in self.headers.items()}, body))

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Return a webhook that takes everything."""
    with Receiver() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.slow
def test_webhooks_that_hang_keep_neither_others_nor_the_end(receiver: Receiver, tmp_path: Path) -> None:
    """Another one has what it is to have while they hang, and the loop ends before any of them gave up."""
    with socket.create_server(("127.0.0.1", 0), backlog=2 * HANGING) as silent:
        nowhere = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        hooks = [Webhook(f"h{n}", nowhere, SECRET, seconds=60.0) for n in range(HANGING)]
        hooks.append(Webhook("well", f"http://127.0.0.1:{receiver.server_port}/", SECRET))
        url = f"sqlite:///{tmp_path}/games.db"
        with open_archive(url) as archive:
            names = tuple(hook.name for hook in hooks)
            archive.outbox.put({"result": names}, [OutboxNote("result", "result:m1", "{}")], 1.0)
        deliverer = Deliverer(url, hooks)

        async def until_all_are_asked() -> None:
            following = asyncio.ensure_future(deliverer.follow())
            while not deliverer.taken["well"]:
                await asyncio.sleep(0.01)
            following.cancel()

        asyncio.run(until_all_are_asked())
        assert not sum(deliverer.failed.values())
        assert receiver.taken.get(timeout=PATIENCE)[0]["webhook-id"] == "result:m1"


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("result:Ü/1", "result:%C3%9C/1"),
        ("result:матч 1", "result:%D0%BC%D0%B0%D1%82%D1%87%201"),
        ("result:100%", "result:100%25"),
        ("result:a\nb", "result:a%0Ab"),
    ],
)
def test_every_id_is_sent(name: str, header: str, receiver: Receiver) -> None:
    """As a header can hold it, which is what is signed; the body has it as it is."""
    hook = Webhook("well", f"http://127.0.0.1:{receiver.server_port}/", SECRET)
    assert post(hook, Delivery("well", name, "result", 0.0, "{}", 0, 0.0, 0.0, ""), 7.0) == ""
    headers, body = receiver.taken.get(timeout=PATIENCE)
    assert headers["webhook-id"] == header
    signed = hmac.digest(SECRET, f"{header}.7.".encode() + body, hashlib.sha256)
    assert headers["webhook-signature"] == f"v1,{base64.b64encode(signed).decode()}"
    assert json.loads(body)["id"] == name
