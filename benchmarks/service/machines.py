"""What a ladder costs in machines, on paper: ``python -m benchmarks machines`` writes ``MACHINES.md``.

Nothing is measured: what other benchmarks found is multiplied by how many are online (``--online N``).
"""

from __future__ import annotations

import json
import math
from typing import Any

from benchmarks.reporting import PAGES, RAW, run_many

#: Who is online: how long a match takes and the wait for it, minutes, and players of a match.
ONLINE, PLAYING, WAITING, PLAYERS = 1_000_000, 25.0, 1.0, 10

#: Tickets a second at which the processor time of a look for matches was measured.
ARRIVALS = 50.0

#: A server is not given more than this share of what it could do.
FULL = 0.5


def measure(online: int) -> dict[str, Any]:
    """Return whose ladder it is."""
    return {"online": online, "playing": PLAYING, "waiting": WAITING, "players": PLAYERS}


def report(ladder: dict[str, Any]) -> str:
    """Return the page."""
    known = {
        name: json.loads((RAW / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("queue_writes", "queue", "late_matches")
    }
    writes, look, learning = known["queue_writes"], known["queue"]["ticks"]["mean"], known["late_matches"]
    tickets = ladder["online"] / (60.0 * (ladder["playing"] + ladder["waiting"]))
    matches = tickets / ladder["players"]
    learnt = 1e6 * learning["whole"] / learning["matches"]
    network = tickets / writes["http"]
    cores = (
        1e-6 * tickets * writes["ours_time"], 1e-3 * look * tickets / ARRIVALS,
        1e-6 * matches * learnt, network,
    )  # fmt: skip
    together = sum(cores[1:])  # what takes tickets over HTTP has the owner's transactions in it
    servers = max(2, math.ceil(together / FULL))
    return """\
# What a ladder costs in machines

`python -m benchmarks machines` wrote this from what other benchmarks measured; do not edit.

On paper: {online:,} players are online, who play for {playing:g} minutes and wait for {waiting:g}, in \
matches of {players}.
That is {tickets:,.0f} tickets and {matches:,.0f} matches a second.

| what | measured | cores |
|---|---|---:|
| an owner's transactions | {ours_time:.0f} µs of a core a ticket, {ours:,.0f} tickets a second \
([durable writes](QUEUE_WRITES.md)) | {0:.3f} |
| looking for matches, each second | {look:.2f} ms a look at {arrivals:g} arrivals ([queues](QUEUE.md)); \
as if it grew with the arrivals | {1:.3f} |
| learning from results | {learnt:.0f} µs a match ([late matches](LATE.md)) | {2:.3f} |
| tickets over HTTP, 1,000 a request, by one client | {http:,.0f} a second of a server and its owner \
([durable writes](QUEUE_WRITES.md)) | {3:.3f} |

Together that is {together:.2f} of a core: tickets over HTTP have the owner's transactions in them.
With servers that are half full, and two at least as one may die, it is {servers} servers, and PostgreSQL on \
a machine of its own with a replica: {machines} machines.

What is not in it: these figures are of SQLite archives; who sends each ticket in a request of its own pays \
for the request; and nobody has run so many players.
""".format(
        *cores, **ladder, tickets=tickets, matches=matches, ours=writes["ours"], http=writes["http"],
        ours_time=writes["ours_time"], look=look, arrivals=ARRIVALS, learnt=learnt, together=together,
        servers=servers, machines=servers + 2,
    )  # fmt: skip


def main() -> int:
    """Read the arguments and do what they say."""
    return run_many(__doc__, RAW / "machines.json", PAGES / "MACHINES.md", measure, report, online=ONLINE)
