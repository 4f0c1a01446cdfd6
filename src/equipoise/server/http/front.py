"""HTTP as a whole: the application with what it rests on, listening, and its end."""

from __future__ import annotations

import asyncio
import json
import ssl

from equipoise.server.http.application import Application
from equipoise.server.http.asking import warm
from equipoise.server.http.desk import Desk
from equipoise.server.http.document import document
from equipoise.server.http.events import Events
from equipoise.server.http.listening import HttpLimits, HttpServer
from equipoise.server.http.operations import OPERATIONS
from equipoise.server.http.pages import Pages
from equipoise.server.http.rates import Rates
from equipoise.server.service import Service
from equipoise.server.settings import Settings
from equipoise.server.tcp import Server


class HttpFront:
    """What answers HTTP beside the weight protocol, from the same snapshot.

    Parameters
    ----------
    service : Service
        What answers the weight protocol.
    settings : Settings
        What is allowed.
    weights : Server
        What listens for the weight protocol, for its counts.
    """

    def __init__(self, service: Service, settings: Settings, weights: Server) -> None:
        self.desk = Desk(service, settings)
        self.desk.document = json.dumps(document(OPERATIONS)).encode()
        rates = Rates(settings.http_rate)
        pages = Pages(self.desk, rates)
        self.application = Application(
            OPERATIONS, self.desk, rates, settings.max_body, settings.origins, settings.proxies, pages
        )
        self._server = HttpServer(self.application, limits(settings), rates.refusals)
        self.desk.events = Events(self.desk)
        self.desk.lookups = lambda: weights.lookups
        self.desk.connections = lambda: {
            '{protocol="weights"}': weights.open, '{protocol="http"}': self._server.open
        }  # fmt: skip
        # Behind a proxy all have its address.
        proxied = bool(settings.proxies)
        self.desk.here.is_alone = lambda: not proxied and weights.addresses + self._server.addresses < 2
        self._tasks: list[asyncio.Task[None]] = []
        self.where = ("", 0)

    async def open(self, address: tuple[str, int], tls: ssl.SSLContext | None, others: int) -> None:
        """Work the lanes off, and listen.

        Raises
        ------
        InputError
            If the address cannot be listened on.
        """
        warm()
        self._tasks = [
            asyncio.create_task(each) for each in (*self.desk.lanes(), *self.desk.events.following())
        ]
        self.where = await self._server.listen(*address, tls, others)

    def reload(self, settings: Settings) -> None:
        """Take other limits from reloaded settings; addresses and proxies stay."""
        self.desk.settings = settings
        self.application.rates.rate = settings.http_rate
        self.application.most_bytes = settings.max_body
        self._server.limits = limits(settings)

    async def stop(self) -> None:
        """Take no more connections, answer what has arrived, and end the others."""
        self.desk.ending = True
        self.desk.events.end()
        await self._server.stop()

    async def close(self) -> None:
        """Close the workers."""
        self._server.close()
        for each in self._tasks:
            each.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.desk.close()


def limits(settings: Settings) -> HttpLimits:
    """Return what HTTP connections may take."""
    return HttpLimits(
        settings.max_http_connections, settings.max_http_per_address, settings.slow_seconds,
        settings.grace_seconds, header_seconds=settings.header_seconds,
    )  # fmt: skip
