"""Kill the owner of two queues under load: ``python -m benchmarks queue_kills`` does it 500 times.

It writes ``queue_kills.json`` and ``QUEUE_KILLS.md``; ``--times N`` does it N times, ``--report`` writes
the page again, ``--check`` tells if it is stale.  The owner is the process that holds the queues; the load is
tickets of people who try both, acceptances, declines, no-shows, cancellations and ends, some sent twice, some
late and in another order.  After each kill a judge that knows the promises alone goes through the record.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
import random
import signal
import tempfile
import threading
import time
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks.reporting import PAGES, RAW, run_many

Row = dict[str, Any]

#: Kills, and the longest time from the first answer to the kill, seconds.
TIMES, LONGEST = 500, 0.15

#: The chances that something is sent again, and that it is sent late.
AGAIN, LATE = 0.15, 0.2

#: How much faster the queue's clock runs, so that who does not answer is waited for less than a kill.
FASTER = 40.0

#: Who comes, again and again.
PEOPLE = 60

HOOKS = {"queue": ("league",)}

#: The queues: everybody tries both.
QUEUES = ("duo", "other")


def own(url: str, questions: Connection) -> None:
    """Own the queues, and answer what each is asked, until killed."""
    from equipoise.archive.archive import open_archive
    from equipoise.service.queue_owner import QueueOwner

    with open_archive(url, waiting=str) as archive:
        owners = {
            name: QueueOwner(archive, queue_settings(name), HOOKS, lambda: FASTER * time.time())
            for name in QUEUES
        }
        while True:
            queue, asked = questions.recv()
            questions.send(owners[queue].ask(asked).answers)


def queue_settings(name: str = QUEUES[0]) -> Any:
    """Return a queue of teams of two, whose matches must be accepted soon."""
    from equipoise.queueing import QueuePolicy
    from equipoise.service.table_settings import QueueSettings

    policy = QueuePolicy(
        team_size=2, tolerance=1e6, imbalance=0.49, most_imbalance=0.49, accept_within=2.0,
        penalties=(0.0, 1.0, 4.0), forgiven_after=86_400.0,
    )  # fmt: skip
    return QueueSettings(name, policy)


class Players:
    """Who comes, and what they do: also again, late, and never."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.number = 0
        self.asked: list[tuple[str, str]] = []
        self.playing: set[str] = set()
        self.late: list[Any] = []
        self.acts: Counter[str] = Counter()

    def batch(self) -> list[Any]:
        """Return what is sent at once."""
        from equipoise.core.player import Player
        from equipoise.queueing.life import Accept, CancelTicket, Decline, EnterTicket, MatchEnded
        from equipoise.queueing.tickets import QueueTicket
        from equipoise.service.queue_owner import TickDue

        rng = self.rng
        found: list[Any] = [TickDue()]
        for _ in range(rng.randrange(1, 5)):
            self.number += 1
            name = f"t{self.number}"
            people = rng.sample(range(PEOPLE), rng.choice((1, 1, 2)))
            players = [Player(f"p{each}", rng.gauss(1500, 250)) for each in people]
            found.append(EnterTicket(QueueTicket(name, players, 0.0)))
        for match, player in self.asked:
            act = rng.random()
            if act < 0.85:
                found.append(Accept(match, player))
            elif act < 0.9:
                found.append(Decline(match, player))
            else:
                self.acts["no-shows"] += 1
        found += [MatchEnded(match) for match in self.playing if rng.random() < 0.3]
        if rng.random() < 0.1:
            found.append(CancelTicket(f"t{rng.randrange(1, self.number + 1)}"))
        again = [each for each in found if rng.random() < AGAIN]
        late = [each for each in found if rng.random() < LATE]
        self.acts.update({"sent again": len(again), "late": len(late)})
        self.acts.update(type(each).__name__ for each in found)
        found = [each for each in found if not any(each is other for other in late)] + again + self.late
        self.late = late
        rng.shuffle(found)
        return found


def judged(archive: Any, acknowledged: dict[str, float], queue: str = "duo", *, webhooks: bool = True) -> Row:
    """Go through the record of a queue by its promises alone; raise AssertionError where one is broken.

    The outbox is compared where the queue is the only one that calls ``webhooks``.
    """
    from equipoise.queueing import QueuePolicy, TicketLife
    from equipoise.queueing.record import replay

    record = archive.ticket_record(queue)
    events = record.since(0)
    assert [each.number for each in events] == list(range(1, len(events) + 1)), "an event is missing"
    assert [each.at for each in events] == sorted(each.at for each in events), "time runs backwards"
    epochs = [each.epoch for each in events]
    assert epochs == sorted(epochs), "an owner wrote after the next one"
    made: dict[str, int] = {}
    since: dict[str, float] = {}
    match_of: dict[str, str] = {}
    gone: set[str] = set()
    notes = 0
    for each in events:
        for reply in json.loads(each.replies):
            kind = reply["kind"]
            notes += kind in ("proposed", "started", "dissolved", "left")
            if kind == "waits":
                name = reply["ticket"]
                assert since.setdefault(name, reply["since"]) == reply["since"], "waiting time was lost"
                match_of.pop(name, None)
            elif kind == "proposed":
                assert made.setdefault(reply["match"], each.epoch) == each.epoch, "a match of two epochs"
                for name in (name for team in reply["teams"] for name in team):
                    assert name in since, "a ticket that never came is in a match"
                    assert name not in gone, "a ticket that is gone is in a match"
                    assert name not in match_of, "a ticket is in two matches"
                    match_of[name] = reply["match"]
            elif kind == "left":
                gone.add(reply["ticket"])
                match_of.pop(reply["ticket"], None)
    for name, when in acknowledged.items():
        assert since.get(name) == when, "an acknowledged ticket was lost, or its waiting time"
    assert record.seats() == match_of, "seats and events differ"
    life = TicketLife(QueuePolicy())
    replay(life, [(each.at, each.event) for each in events])
    here = {name: tuple(t.id for t in found.tickets) for name, found in life.matches.items()}
    parts = {name: sorted(t for t, m in match_of.items() if m == name) for name in here}
    assert {name: sorted(each) for name, each in here.items()} == parts, "there is a part of a match"
    assert {t.id for t in life.waiting} == set(since) - gone - set(match_of), "a ticket is nowhere"
    sent = archive.outbox.waiting().get("league", (0, 0.0))[0]
    assert sent == notes or not webhooks, "the outbox and the events differ"
    return {
        "epochs": len(set(epochs)),
        "events": len(events),
        "tickets": len(since),
        "matches": life._made,  # noqa: SLF001
        "notes": notes,
    }


def judged_people(archive: Any) -> int:
    """Judge that everybody is in one ticket of all queues, as the archive has it; return how many are."""
    import sqlalchemy as sa

    from equipoise.archive.tables import QUEUE_PERSON, text_of
    from equipoise.queueing import QueuePolicy, TicketLife
    from equipoise.queueing.record import replay

    here: list[tuple[str, str, str]] = []
    for queue in QUEUES:
        life = TicketLife(QueuePolicy())
        replay(life, [(each.at, each.event) for each in archive.ticket_record(queue).since(0)])
        here += [(player, queue, ticket) for player, ticket in life.holders().items()]
    assert len({player for player, _, _ in here}) == len(here), "somebody is in two queues"
    with archive._database.reading() as connection:  # noqa: SLF001
        rows = connection.execute(sa.select(QUEUE_PERSON)).all()
    kept = [(text_of(person), queue, text_of(ticket)) for person, queue, ticket in rows]
    assert sorted(kept) == sorted(here), "who is in which ticket and the events differ"
    return len(here)


def measure(times: int = TIMES, seed: int = 0) -> Row:
    """Kill so often; raise AssertionError where something is lost, doubled or torn."""
    from equipoise.archive.archive import open_archive
    from equipoise.queueing.tick import tick  # noqa: F401 -- loaded before processes are forked

    rng = random.Random(seed)
    crowds = {queue: Players(rng) for queue in QUEUES}
    acknowledged: dict[str, dict[str, float]] = {queue: {} for queue in QUEUES}
    elsewhere = 0
    forked = multiprocessing.get_context("fork")
    found: Row = {}
    killed = 0
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'queue.db'}"
        with open_archive(url, waiting=str):
            pass
        for _ in range(times):
            ours, theirs = forked.Pipe()
            process = forked.Process(target=own, args=(url, theirs))
            process.start()
            theirs.close()
            timer: threading.Timer | None = None
            try:
                while True:
                    queue = rng.choice(QUEUES)
                    players = crowds[queue]
                    questions = players.batch()
                    ours.send((queue, questions))
                    answers = ours.recv()
                    for question, answer in zip(questions, answers, strict=True):
                        for reply in answer if isinstance(answer, list) else ():
                            if reply["kind"] == "waits" and type(question).__name__ == "EnterTicket":
                                acknowledged[queue].setdefault(reply["ticket"], reply["since"])
                            elsewhere += " of the queue " in reply.get("why", "")
                    ask_matches(ours, queue, players)
                    if timer is None:
                        timer = threading.Timer(
                            rng.random() * LONGEST, os.kill, (process.pid, signal.SIGKILL)
                        )
                        timer.start()
            except (EOFError, OSError):
                killed += 1
            process.join()
            ours.close()
            if killed % 25 == 0 or killed == times:
                with open_archive(url, create=False, waiting=str) as archive:
                    some = [judged(archive, acknowledged[queue], queue, webhooks=False) for queue in QUEUES]
                    found = {name: sum(each[name] for each in some) for name in some[0]}
                    people = judged_people(archive)
                    sent = archive.outbox.waiting().get("league", (0, 0.0))[0]
                    assert sent == found["notes"], "the outbox and the events differ"
    acts = sum((each.acts for each in crowds.values()), Counter[str]())
    return {
        "machine": platform.machine(), "python": platform.python_version(), "cores": os.cpu_count(),
        "kills": killed, "acknowledged": sum(map(len, acknowledged.values())), **found, "people": people,
        "elsewhere": elsewhere, "declines": acts["Decline"], "no_shows": acts["no-shows"],
        "again": acts["sent again"], "late": acts["late"],
    }  # fmt: skip


def ask_matches(owner: Connection, queue: str, players: Players) -> None:
    """Ask which matches are proposed, so that their players can answer, and which run."""
    from equipoise.service.queue_owner import MatchesAsked

    owner.send((queue, [MatchesAsked()]))
    (matches,) = owner.recv()
    players.playing = {each["match"] for each in matches if each["running"]}
    players.asked = [
        (each["match"], player)
        for each in matches
        if not each["running"]
        for team in each["players"]
        for player in team
    ]


def report(results: Row) -> str:
    """Return the page."""
    return """\
# Kills of a queue's owner

`python -m benchmarks queue_kills --times {kills}` did this on {machine} with {cores} cores \
and Python {python}, `python -m benchmarks queue_kills --report` wrote it; do not edit.

- The process that owns two queues was killed (SIGKILL) {kills} times at random moments, within transactions \
of its SQLite archive too, while tickets came in as fast as they were answered.
- {acknowledged} tickets were acknowledged; there were {declines} declines and {no_shows} times somebody did \
not answer; {again} messages were sent twice, {late} late and in another order; {elsewhere} times somebody \
was refused who was in the other queue.
- A judge that knows the promises alone went through the record: {events} events, {tickets} tickets, \
{matches} matches.
- Every acknowledged ticket was there, waiting since it came; none was in two matches at once; there was no \
part of a match; the table of seats was what the events say; each of the {notes} events that webhooks \
receive was in the outbox; everybody was in one ticket of both queues, {people} at the end.
""".format(**results)


def main() -> int:
    """Read the arguments and do what they say."""
    return run_many(__doc__, RAW / "queue_kills.json", PAGES / "QUEUE_KILLS.md", measure, report, times=TIMES)
