"""How fast each address may ask: a bucket of tokens each, which refills over time."""

from __future__ import annotations

import asyncio
import logging
from time import monotonic

#: Seconds of its rate that an address may ask at once after it was silent.
BURST = 2.0

#: Seconds for which the answer to a client that asks too fast is held back, so that asking faster is no use.
HELD = 0.5

#: Seconds between two refusals of an address: to take a connection and refuse it costs some milliseconds.
APART = 0.02

#: Wrong tokens that are held back at a time, beyond which they are answered at once.
MOST_HELD = 512

#: Addresses that are remembered: who has been silent for a burst is as good as new.
MOST = 4096


#: As how many wrong tokens those of an address count at most.
LONGEST = 10

log = logging.getLogger(__name__)


class Refusals:
    """When each address is refused: one time after the other, however often it comes back.

    Examples
    --------
    >>> refusals = Refusals()
    >>> [round(refusals.wait("10.0.0.7", 100.0), 2) for _ in range(3)], refusals.wait("10.0.0.8", 100.0)
    ([0.0, 0.02, 0.04], 0.0)
    """

    def __init__(self) -> None:
        self._next: dict[str, float] = {}

    def wait(self, address: str, now: float, least: float = 0.0) -> float:
        """Return for how many seconds a refusal is held back, at least so many, and count it."""
        if len(self._next) > MOST:
            self._next = {each: due for each, due in self._next.items() if due > now}
        due = max(now + least, self._next.get(address, now))
        self._next[address] = due + APART
        return due - now


class Rates:
    """Who has asked how much recently.

    Parameters
    ----------
    rate : float
        Requests a second that an address may send.

    Examples
    --------
    >>> rates = Rates(1.0)
    >>> [rates.allows("10.0.0.7", 0.0) for _ in range(3)], rates.allows("10.0.0.7", 1.5)
    ([True, True, False], True)
    """

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self._left: dict[str, tuple[float, float]] = {}
        self.refusals = Refusals()

    def allows(self, address: str, now: float | None = None) -> bool:
        """Tell whether an address may ask now, and count it."""
        now = monotonic() if now is None else now
        most = max(BURST * self.rate, 1.0)
        left, at = self._left.get(address, (most, now))
        left = min(most, left + (now - at) * self.rate)
        if len(self._left) > MOST:
            self._left = {each: (n, t) for each, (n, t) in self._left.items() if now - t < BURST}
        self._left[address] = (left - (left >= 1.0), now)
        return left >= 1.0

    async def hold(self, address: str) -> None:
        """Hold the answer to an address that asks too fast back for a moment."""
        await asyncio.sleep(self.refusals.wait(address, monotonic(), HELD))


class WrongTokens:
    """Holds the answers to wrong tokens back, the longer the more of them came from an address.

    Parameters
    ----------
    seconds : float
        For how long the first one is held back; each other one as much longer.
    """

    def __init__(self, seconds: float = 1.0) -> None:
        self.seconds = seconds
        self._times: dict[str, int] = {}
        self._held = 0

    async def hold(self, address: str) -> None:
        """Note a wrong token, and hold its answer back; with very many held, all are answered at once."""
        if len(self._times) >= MOST:
            self._times.clear()
        times = self._times[address] = self._times.get(address, 0) + 1
        log.warning("wrong token over HTTP", extra={"address": address, "times": times})
        if self._held >= MOST_HELD:
            return
        self._held += 1
        try:
            await asyncio.sleep(self.seconds * min(times, LONGEST))
        finally:
            self._held -= 1

    def forget(self, address: str) -> None:
        """Forget the wrong tokens of an address, which has sent a right one."""
        self._times.pop(address, None)
