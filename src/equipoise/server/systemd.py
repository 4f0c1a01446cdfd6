"""What systemd hears (sd_notify(3)): that the server answers, is alive, and ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket

#: The part of the watchdog's time after which it is notified again.
SHARE = 3

#: Seconds between two notes that the start goes on; each holds for :data:`SHARE` times as long.
EXTENSION = 10.0


def notify(state: str) -> None:
    """Tell the state, where somebody wants to know it."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    address = "\0" + address[1:] if address.startswith("@") else address
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to:
        to.sendto(state.encode(), address)


async def extend() -> None:
    """Tell that the start goes on, however long it takes, until this is cancelled."""
    while True:
        notify(f"EXTEND_TIMEOUT_USEC={int(EXTENSION * SHARE * 1e6)}")
        await asyncio.sleep(EXTENSION)


async def watch() -> None:
    """Tell that answers are made, as often as the watchdog needs it."""
    try:
        seconds = int(os.environ["WATCHDOG_USEC"]) / 1e6 / SHARE
    except (KeyError, ValueError):
        return
    while seconds > 0:
        notify("WATCHDOG=1")
        await asyncio.sleep(seconds)
