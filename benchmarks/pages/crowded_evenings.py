"""A thousand joins a second on one evening: what its organiser and guests notice; writes CROWDED_EVENINGS.md.

Devices of many addresses open the guests' link at once and take names: new ones, those of others, and names
that mean harm; some send every tap twice, some use the link of another evening, and some ask for what only
the organiser may do.  Meanwhile the organiser adds players, makes teams, and takes steps back, and somebody
watches.  ``--seconds`` says for how long.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from typing import Any

from benchmarks.pages.screens import HOSTILE
from benchmarks.reporting import PAGES, RAW, run_many
from benchmarks.service.processes import LOOPBACK, serve

from equipoise.archive.archive import open_archive
from equipoise.play.evening_page import FOR_GUESTS, LONGEST_NAME, MOST_NEW, MOST_PEOPLE
from equipoise.service.tonight import Evenings, TonightLinks, opened_evening

#: Joins a second, for how many seconds, from how many addresses, and seconds between two of the organiser's
#: taps, of which some come before the crowd.
RATE, SECONDS, ADDRESSES, PAUSE, CALM = 1_000, 10, 100, 0.25, 8

#: Seconds within which everybody is to see what was tapped.
SEEN = 1.0

NAMES = ("Amber", "Birch", "Cedar", "Dahlia", "Elm", "Fern", "Gorse", "Hazel", "Iris", "Juniper")

#: What guests ask for that is the organiser's.
POWERS = ({"type": "end"}, {"type": "divide"}, {"type": "add", "text": "Mallory"},
          {"type": "party", "who": ["Amber"]},
          {"type": "settings", "teams": 3}, {"type": "status", "who": "Amber", "status": "out"})  # fmt: skip

Row = dict[str, Any]


class Crowd:
    """All that ask the service, and what they were answered."""

    def __init__(self, port: int, links: dict[str, TonightLinks]) -> None:
        self.port, self.links = port, links
        self.answered: Counter[str] = Counter()
        self.waits: list[float] = []
        self.seen: dict[str, float] = {}
        self._rng = random.Random(20261126)
        self._names = 0

    async def posted(
        self, key: str, device: str, taps: list[Row], address: str = LOOPBACK
    ) -> tuple[int, Row]:
        """Send taps from an address; return the status and what was said."""
        reader, writer = await asyncio.open_connection(LOOPBACK, self.port, local_addr=(address, 0))
        body = json.dumps({"device": device, "taps": taps}).encode()
        writer.write(
            b"POST /v1/tonight/crowded/taps HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            b"Content-Type: application/json\r\nAuthorization: Bearer %b\r\nContent-Length: %d\r\n\r\n%b"
            % (key.encode(), len(body), body)
        )
        head, _, said = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
        return int(head.split()[1]), json.loads(said or b"{}")

    async def join(self, number: int) -> None:
        """One device does what somebody who means no good does."""
        rng, device = self._rng, f"device-of-a-crowd-{number // 3:08}"
        links = self.links["crowded"]
        address = f"127.0.{1 + number % ADDRESSES // 100}.{1 + number % ADDRESSES}"
        kind = rng.random()
        self._names += 1
        name = (
            f"{rng.choice(HOSTILE)} {self._names}"[-LONGEST_NAME:] if kind < 0.5 else f"Nobody {self._names}"
        )
        taps: list[Row] = [{"id": f"join-{number:08}", "type": "claim", "name": name, "sure": True}]
        key = links.guests
        if kind > 0.9:
            taps = [{"id": f"take-{number:08}", **POWERS[number % len(POWERS)]}]
        elif kind > 0.8:
            key = self.links["other"].organiser
        elif kind > 0.7:
            taps *= 2
        elif kind > 0.6:
            taps = [{"id": f"seat-{number:08}", "type": "claim", "who": rng.choice(NAMES)}]
        try:
            status, said = await self.posted(key, device, taps, address)
        except (OSError, IndexError, ValueError):
            self.answered["connection refused"] += 1
            return
        if status == 200:
            for each in said["taps"]:
                self.answered[each["status"]] += 1
        else:
            self.answered[str(status)] += 1

    async def crowd(self, seconds: int) -> int:
        """Join so many times a second; return how often."""
        began, number, running = time.perf_counter(), 0, set[asyncio.Task[None]]()
        while (passed := time.perf_counter() - began) < seconds:
            while number < passed * RATE:
                task = asyncio.create_task(self.join(number))
                running.add(task)
                task.add_done_callback(running.discard)
                number += 1
            await asyncio.sleep(0.005)
        await asyncio.gather(*running)
        return number

    async def organise(self) -> None:
        """Do what an organiser does, again and again; note how long each takes."""
        key, number = self.links["crowded"].organiser, 0
        while True:
            step: Row = {"type": "status", "who": "Amber", "status": ("out", "in")[number % 2]}
            began = time.perf_counter()
            given = f"organiser-{number:06}"
            status, said = await self.posted(key, "the-device-of-the-organiser", [{"id": given, **step}])
            if status != 200 or said["taps"][0]["status"] != "done":
                raise RuntimeError(status, said)
            self.waits.append(time.perf_counter() - began)
            self.seen[str(said["revision"])] = time.perf_counter()
            number += 1
            await asyncio.sleep(PAUSE)

    async def watch(self, lags: list[float]) -> None:
        """Watch the evening as a page does; note how long after the answer to a tap it is seen."""
        reader, writer = await asyncio.open_connection(LOOPBACK, self.port, limit=1 << 24)
        writer.write(b"GET /v1/tonight/crowded/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %b\r\n\r\n"
                     % self.links["crowded"].guests.encode())  # fmt: skip
        while True:
            line = await reader.readline()
            if line.startswith(b"id: "):
                seen = time.perf_counter()
                revision = int(line[4:])
                known = [each for each in self.seen if int(each) <= revision]
                lags.extend(max(seen - self.seen.pop(each), 0.0) for each in known)


async def crowded(port: int, links: dict[str, TonightLinks], seconds: int) -> Row:
    """Let a crowd come while an evening goes on."""
    crowd = Crowd(port, links)
    lags: list[float] = []
    others = [asyncio.create_task(each) for each in (crowd.organise(), crowd.watch(lags))]
    while len(crowd.waits) < CALM and not others[0].done():
        await asyncio.sleep(PAUSE)
    calm, crowd.waits = crowd.waits[1:], []  # the first waits for the worker to begin
    joins = await crowd.crowd(seconds)
    for each in others:
        if each.done():
            await each
        each.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.gather(*others)
    waits, seen = sorted(crowd.waits), sorted(lags)
    return {
        "joins": joins, "answered": dict(crowd.answered), "taps": len(waits), "calm": max(calm),
        "median": waits[len(waits) // 2], "most": waits[-1], "seen": seen[-1] if seen else 0.0,
    }  # fmt: skip


def measure(seconds: int) -> Row:
    """Return what the organiser noticed, and how the evening stood in the end."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/night.db"
        with open_archive(url, create=True) as archive:
            links = {
                name: opened_evening(archive, name, "Thursday", hours=9.0) for name in ("crowded", "other")
            }
        Evenings(url).add("crowded", "\n".join(NAMES))
        with serve(url, "--http", f"{LOOPBACK}:0") as server:
            found = asyncio.run(crowded(server.http, links, seconds))
            used = server.seconds
        view = shown(url)
    names = [each["name"] for each in view["people"]]
    seats = [each["seat"] for each in view["people"] if each["seat"]]
    assert set(NAMES) <= set(names), "who was there is there"
    assert len(names) == len({each["id"] for each in view["people"]}) <= MOST_PEOPLE, "nobody is there twice"
    assert all(0 < len(each) <= LONGEST_NAME for each in names)
    assert len(seats) == len(set(seats)), "a device answers for one"
    assert (view["phase"], view["teams"], "Mallory" in names) == ("gathering", 2, False), "guests organised"
    assert all(each["party"] is None for each in view["people"]), "guests organised"
    return {
        **found,
        "people": len(names),
        "used": used,
        "seconds": seconds,
        "load": load,
        "cores": os.cpu_count(),
    }


def shown(url: str) -> Any:
    """Return what pages show of the evening."""
    worker = Evenings(url)
    try:
        next(worker(("look", {"crowded": -1})))
    except StopIteration as end:
        return json.loads(end.value[0].body)
    raise AssertionError


def report(results: Row) -> str:
    """Return the page."""
    order = sorted(results["answered"].items(), key=lambda each: -each[1])
    answered = ", ".join(f"{count} {what}" for what, count in order)
    load = f"{results['load']:.1f} processes wanted the machine, which has {results['cores']} cores"
    return f"""\
# Crowded evenings

Written by `python -m benchmarks crowded_evenings`: {results["joins"]} devices of {ADDRESSES} addresses join \
one evening in {results["seconds"]} s.

Half of them have names that mean harm; some take the names of others, send each tap twice, use the \
organiser's link of another evening, or ask for more than guests may ({", ".join(sorted(FOR_GUESTS))}).

They were answered: {answered} (429 is *too fast*, 401 *not this evening's link*).
In the end {results["people"]} people are there (at most {MOST_PEOPLE}; a device brings {MOST_NEW} names at \
most), nobody twice, everybody who was there before; no guest has organised anything.

Meanwhile the organiser's {results["taps"]} taps took {1000 * results["median"]:.0f} ms in the median and \
{1000 * results["most"]:.0f} ms at most (before: {1000 * results["calm"]:.0f} ms), and were seen on another \
page {1000 * results["seen"]:.0f} ms after their answer at the latest (bar {SEEN:.0f} s).

When this ran, {load}; the crowd was one of them.
"""


def main() -> int:
    """Read the arguments and do what they say."""
    if not sys.platform.startswith("linux"):
        print("skipped: addresses of one machine are Linux's", file=sys.stderr)
        return 0
    return run_many(
        __doc__,
        RAW / "crowded_evenings.json",
        PAGES / "CROWDED_EVENINGS.md",
        measure,
        report,
        seconds=SECONDS,
    )
