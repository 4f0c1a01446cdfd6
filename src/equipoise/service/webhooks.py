"""Webhooks: what stands in the outbox is sent to the addresses in the settings, and nowhere else.

A delivery is a ``POST`` of JSON, signed as Standard Webhooks has it (www.standardwebhooks.com): the header
``webhook-signature`` is HMAC-SHA256 of ``id.timestamp.body`` in base64.  Only a status of 2xx takes it; any
other, a redirect too, is tried again, later each time.
What takes long waits in threads of its own: one delivery at a time to each webhook.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import http.client
import json
import logging
import ssl
import time
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from equipoise.archive.archive import open_archive
from equipoise.archive.outbox import Delivery, Outbox
from equipoise.errors import EquipoiseError
from equipoise.service.table_settings import Webhook

#: Seconds between two looks into the outbox without news, and deliveries that are read at once.
LOOK, AT_ONCE = 1.0, 50  # effort

#: Bytes of an answer that are read.
MOST_READ = 4096

log = logging.getLogger(__name__)


def signature(secret: bytes, name: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a delivery.

    Parameters
    ----------
    secret : bytes
        What both sides know.
    name : str
        The id of the delivery.
    timestamp : int
        When it is sent, in seconds since 1970.
    body : bytes
        What is sent.

    References
    ----------
    Standard Webhooks, github.com/standard-webhooks/standard-webhooks, section "Signature scheme"; the example
    is theirs.

    Examples
    --------
    >>> secret = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    >>> signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    """
    signed = hmac.new(secret, f"{name}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(signed).decode()}"


def content_of(each: Delivery) -> bytes:
    """Return what is sent: the kind, the moment and the content."""
    data = json.loads(each.body)
    content = {"type": each.kind, "id": each.id, "timestamp": each.made, "data": data}
    return json.dumps(content, separators=(",", ":")).encode()


def post(hook: Webhook, each: Delivery, now: float) -> str:
    """Send a delivery; return what went wrong, nothing where it was taken."""
    address, body, at = urlsplit(hook.url), content_of(each), int(now)
    headers = {
        "content-type": "application/json",
        "user-agent": "equipoise",
        "webhook-id": each.id,
        "webhook-timestamp": str(at),
        "webhook-signature": signature(hook.secret, each.id, at, body),
    }
    path = f"{address.path or '/'}{f'?{address.query}' if address.query else ''}"
    host, port = address.hostname or "", address.port
    connection = (
        http.client.HTTPSConnection(host, port, timeout=hook.seconds, context=ssl.create_default_context())
        if address.scheme == "https"
        else http.client.HTTPConnection(host, port, timeout=hook.seconds)
    )
    try:
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        answer.read(MOST_READ)
    except (OSError, http.client.HTTPException, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    finally:
        connection.close()
    return "" if 200 <= answer.status < 300 else f"the status was {answer.status}"


class Deliverer:
    """What sends the outbox of an archive.

    Parameters
    ----------
    store : str
        The archive.
    hooks : sequence of Webhook
        Where to.
    clock : callable
        Gives seconds since 1970.
    mine : callable
        Tells whether this server sends, of several of one database.
    """

    def __init__(
        self,
        store: str,
        hooks: Sequence[Webhook],
        clock: Callable[[], float] = time.time,
        mine: Callable[[], bool] = lambda: True,
    ) -> None:
        self._store = store
        self._clock = clock
        self._mine = mine
        self._news: dict[str, asyncio.Event] = {}
        self.hooks = tuple(hooks)
        #: Deliveries that were taken, and tries that failed, of each webhook.
        self.taken = dict.fromkeys((each.name for each in hooks), 0)
        self.failed = dict(self.taken)
        #: What is to be sent to each, and since when, as of the last look.
        self.waiting: dict[str, tuple[int, float]] = {}

    def tell(self) -> None:
        """Note that there may be news."""
        for each in self._news.values():
            each.set()

    async def follow(self) -> None:
        """Send what is due to all webhooks, without end."""
        if self.hooks:
            await asyncio.gather(self._count(), *map(self._follow, self.hooks))

    async def _follow(self, hook: Webhook) -> None:
        news = self._news[hook.name] = asyncio.Event()
        while True:
            news.clear()
            try:
                sent = await asyncio.to_thread(self.send_due, hook) if self._mine() else 0
            except EquipoiseError as error:
                log.warning("outbox cannot be read", extra={"why": str(error)})
                sent = 0
            if sent < AT_ONCE:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(news.wait(), LOOK)

    async def _count(self) -> None:
        """Look now and then at how much waits, for metrics."""
        while True:
            with contextlib.suppress(EquipoiseError):
                self.waiting = await asyncio.to_thread(self._with_outbox, Outbox.waiting)
            await asyncio.sleep(LOOK)

    def _with_outbox(
        self, asked: Callable[[Outbox], dict[str, tuple[int, float]]]
    ) -> dict[str, tuple[int, float]]:
        with open_archive(self._store, create=False, waiting=log.debug) as archive:
            return asked(archive.outbox)

    def send_due(self, hook: Webhook) -> int:
        """Send what is due to one webhook, and return how much was tried.

        Raises
        ------
        EquipoiseError
            If the archive cannot be read or written; what was sent may be sent again then.
        """
        with open_archive(self._store, create=False, waiting=log.debug) as archive:
            outbox = archive.outbox
            due = outbox.due(hook.name, self._clock(), AT_ONCE)
            for each in due:
                trouble = post(hook, each, self._clock())
                if trouble:
                    self.failed[hook.name] += 1
                    log.warning(
                        "webhook did not take it", extra={"hook": hook.name, "id": each.id, "why": trouble}
                    )
                    outbox.failed(each, self._clock(), trouble)
                else:
                    self.taken[hook.name] += 1
                    outbox.took(each, self._clock())
        return len(due)
