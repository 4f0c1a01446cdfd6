"""Answers to what is pressed on Discord: a client of their own, as they have three seconds.

The library waits a second or two before it asks again what failed, and lets requests wait for one another; an
answer can wait for neither.  Answers need no token, and Discord counts them by themselves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import hikari

if TYPE_CHECKING:
    from typing import Any

#: How often an answer is tried, and seconds between the first two of them, doubled from then on.
TIMES, PAUSE = 5, 0.1

#: Discord's number of an error: an interaction that was answered already.
ANSWERED = 40060


class Answers:
    """A client that answers.

    Parameters
    ----------
    url : str
        Another address of Discord's REST API; empty for Discord's own.
    """

    def __init__(self, url: str = "") -> None:
        self._app = hikari.RESTApp(url=url or None, max_retries=0)
        self._client: Any = None

    async def start(self) -> None:
        """Make it ready."""
        await self._app.start()
        self._client = self._app.acquire()
        self._client.start()

    async def close(self) -> None:
        """End it, where it was begun."""
        if self._client is not None:
            await self._client.close()
            await self._app.close()
            self._client = None

    async def tell(self, call: Callable[[hikari.api.RESTClient], Awaitable[object]]) -> None:
        """Answer, again where Discord or the line to it fails.

        Raises
        ------
        hikari.HikariError
            If it is refused, or fails again and again.
        """
        for attempt in range(TIMES):
            try:
                await call(self._client)
            except hikari.ClientHTTPResponseError as error:
                if attempt and error.code == ANSWERED:
                    return  # the answer before it was taken, and what Discord said of that was lost
                raise
            except hikari.HTTPError:
                if attempt == TIMES - 1:
                    raise
                await asyncio.sleep(PAUSE * 2**attempt)
            else:
                return
