"""Webhooks: what stands in the outbox is sent to the addresses in the settings, and nowhere else.

A delivery is a ``POST`` of JSON, signed as Standard Webhooks has it (www.standardwebhooks.com): the header
``webhook-signature`` is HMAC-SHA256 of ``id.timestamp.body`` in base64.  Only a status of 2xx takes it; any
other, a redirect too, is tried again, later each time.
What takes long waits in threads of its own, one delivery at a time to each webhook: one that hangs keeps
neither another one nor the end of the server.
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
import string
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar
from urllib.parse import quote, urlsplit

from equipoise.archive.archive import open_archive
from equipoise.archive.outbox import Delivery, Outbox
from equipoise.errors import EquipoiseError
from equipoise.service.table_settings import Webhook

#: Seconds between two looks into the outbox without news, and deliveries that are read at once.
LOOK, AT_ONCE = 1.0, 50  # effort

#: Bytes of an answer that are read.
MOST_READ = 4096

#: What stands for itself in the header with the id.
PLAIN = "".join(set(string.printable) - set(string.whitespace) - {"%"})

Found = TypeVar("Found")

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


def name_of(each: Delivery) -> str:
    """Return the id of a delivery as a header can hold it: what is not ASCII is written as in addresses.

    Examples
    --------
    >>> name_of(Delivery("league", "result:m1", "result", 0.0, "{}", 0, 0.0, 0.0, ""))
    'result:m1'
    >>> name_of(Delivery("league", "result:\u00fc 1", "result", 0.0, "{}", 0, 0.0, 0.0, ""))
    'result:%C3%BC%201'
    """
    return quote(each.id, safe=PLAIN)


def content_of(each: Delivery) -> bytes:
    """Return what is sent: the kind, the moment and the content."""
    data = json.loads(each.body)
    content = {"type": each.kind, "id": each.id, "timestamp": each.made, "data": data}
    return json.dumps(content, separators=(",", ":")).encode()


def post(hook: Webhook, each: Delivery, now: float) -> str:
    """Send a delivery; return what went wrong, nothing where it was taken."""
    address, body, at, name = urlsplit(hook.url), content_of(each), int(now), name_of(each)
    headers = {
        "content-type": "application/json",
        "user-agent": "equipoise",
        "webhook-id": name,
        "webhook-timestamp": str(at),
        "webhook-signature": signature(hook.secret, name, at, body),
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


async def in_thread(asked: Callable[[], Found]) -> Found:
    """Return what a function returns, from a thread of its own that ends with this process at the latest."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[Found] = loop.create_future()

    def give(answer: Callable[[], None]) -> None:
        if not found.done():  # nobody may wait for it now
            answer()

    def run() -> None:
        try:
            value = asked()
        except BaseException as error:  # noqa: BLE001 -- whoever waits hears of it
            answer = partial(found.set_exception, error)
        else:
            answer = partial(found.set_result, value)
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(give, answer)

    threading.Thread(target=run, daemon=True).start()
    return await found


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
                sent = await in_thread(partial(self.send_due, hook)) if self._mine() else 0
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
                self.waiting = await in_thread(partial(self._with_outbox, Outbox.waiting))
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
