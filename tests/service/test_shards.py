"""One of several servers owns a queue, with its epoch in every event; a silent owner writes nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from tests.archive.conftest import new_schema

from equipoise.archive import shards
from equipoise.archive.archive import Archive, open_archive
from equipoise.archive.shards import FencedError, Shard
from equipoise.core.player import Player
from equipoise.errors import EquipoiseError
from equipoise.queueing import QueuePolicy, QueueTicket
from equipoise.queueing.life import Accept, EnterTicket
from equipoise.service.queue_owner import (
    Beat,
    HandOver,
    QueueOwner,
    StatusAsked,
    TickDue,
    WhereAsked,
    line_of_question,
    question_of,
)
from equipoise.service.table_settings import QueueSettings

POLICY = QueuePolicy(team_size=1, imbalance=0.49, most_imbalance=0.49, tolerance=1e6, accept_within=10.0)
DUEL = QueueSettings("duel", POLICY)


@pytest.fixture
def opened(server: str) -> Iterator[Callable[[], Archive]]:
    """Return what gives another connection to one new archive each time."""
    url = new_schema(server)
    with ExitStack() as stack:
        yield lambda: stack.enter_context(open_archive(url, waiting=str))


def enter(name: str) -> EnterTicket:
    """Return the event of a ticket."""
    return EnterTicket(QueueTicket(name, [Player(name, 1500.0)], 0.0))


def owners(opened: Callable[[], Archive], count: int) -> list[QueueOwner]:
    """Return servers of one queue, the first of which owns it."""
    found = [QueueOwner(opened(), DUEL, worker=f"w{n}") for n in range(count)]
    for each in found:
        each.ask([Beat()])
    return found


class Answering:
    """An owner that answers letters beside the test, as a server does when it is told of one."""

    def __init__(self, owner: QueueOwner) -> None:
        self.owner = owner
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self) -> None:
        """Look for letters again and again."""
        while not self.ended.is_set():
            self.owner.ask([Beat()])

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.thread.join()


def test_any_server_takes_tickets_and_answers_as_the_owner_does(opened: Callable[[], Archive]) -> None:
    """What one is told by letter the owner keeps; what is only asked is read from the record."""
    owner, other = owners(opened, 2)
    assert owner.ask([]).owned.here
    assert not other.ask([]).owned.here
    with Answering(owner):
        replies, state = other.ask([enter("a"), WhereAsked("a")]).answers
    assert replies[0]["kind"] == "waits"
    assert state["place"] == "waiting"
    owner.ask([enter("b"), TickDue()])
    asked = [WhereAsked("a"), WhereAsked("b"), StatusAsked()]
    one, two = (each.ask(asked).answers for each in (owner, other))
    assert [each["place"] for each in one[:2]] == ["proposed", "proposed"]
    assert {**one[2], "oldest": 0} == {**two[2], "oldest": 0}
    assert one[:2] == two[:2]


def test_a_queue_that_is_handed_over_is_the_others_and_every_event_has_its_epoch(
    opened: Callable[[], Archive],
) -> None:
    """The new owner knows the record and asks again, its epoch is one more; the old one asks it by letter."""
    owner, other = owners(opened, 2)
    (*_, before) = owner.ask([enter("a"), enter("b"), TickDue(), WhereAsked("a")]).answers
    assert not owner.ask([HandOver()]).owned.here
    assert other.ask([Beat()]).owned == (True, "w1", 2)
    with Answering(other):
        owner.ask([Accept("1", "a")])
        (state,) = owner.ask([WhereAsked("a")]).answers
    assert state["place"] == "accepted"
    assert state["until"] > before["until"]  # nobody could answer meanwhile
    epochs = [each.epoch for each in opened().ticket_record("duel").since(0)]
    assert sorted(epochs) == epochs
    assert set(epochs) == {1, 2}


def test_an_owner_whose_connection_was_ended_commits_nothing(
    opened: Callable[[], Archive], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a stopped owner does when it goes on is done by the new owner, or not at all."""
    owner, other = owners(opened, 2)
    owner.ask([enter("a")])
    monkeypatch.setattr(shards, "STALE", -1.0)  # every owner is silent for too long
    while not other.ask([Beat()]).owned.here:
        pass
    monkeypatch.undo()
    other.ask([enter("b"), TickDue()])
    with Answering(other):
        try:
            owner.ask([enter("c")])  # the connection is another one, and its lock is gone
        except EquipoiseError:
            owner.ask([enter("c")])
    record = opened().ticket_record("duel").since(0)
    assert [each.epoch for each in record] == sorted(each.epoch for each in record)
    assert [json.loads(each.event)[1]["ticket"]["id"] for each in record if "enter" in each.event] == list(
        "abc"
    )
    assert record[-1].epoch == 2


def test_the_epoch_alone_keeps_an_owner_from_writing(opened: Callable[[], Archive]) -> None:
    """Where the row of the shard says another epoch, a transaction fails although the lock is held."""
    archive = opened()
    shard = archive.shard("queue:duel", "w0")
    assert isinstance(shard, Shard)
    assert shard.beat().here
    record = archive.ticket_record("duel", shard)
    with record.adding():
        pass
    with opened()._database.writing() as connection:
        connection.exec_driver_sql("UPDATE shard SET epoch = epoch + 1")
    with pytest.raises(FencedError, match="another server"), record.adding():
        pass
    assert not shard.owned.here


def test_shards_are_spread_evenly_and_move_when_a_server_comes(opened: Callable[[], Archive]) -> None:
    """Of four shards each of two servers has two, whoever came first; of a third server's one at least."""
    names = [f"queue:{letter}" for letter in "abcd"]
    servers = [[opened().shard(name, f"w{n}") for name in names] for n in range(3)]

    def owned(count: int) -> list[int]:
        for _ in range(6):
            for server in servers[:count]:
                for shard in server:
                    shard.beat(now=True)
        return [sum(shard.owned.here for shard in server) for server in servers]

    assert owned(1) == [4, 0, 0]
    assert owned(2) == [2, 2, 0]
    assert sorted(owned(3)) == [1, 1, 2]


OWNER = """
import sys
from equipoise.archive.archive import open_archive
from equipoise.service.queue_owner import Beat, QueueOwner
from equipoise.queueing import QueuePolicy
from equipoise.service.table_settings import QueueSettings
duel = QueueSettings("duel", QueuePolicy(team_size=1))
owner = QueueOwner(open_archive(sys.argv[1], waiting=str), duel, worker=sys.argv[2])
for line in sys.stdin:
    print(int(owner.ask([Beat()]).owned.here), flush=True)
"""


@pytest.mark.slow
def test_a_process_that_stands_still_is_fenced_and_one_that_is_killed_is_taken_over(server: str) -> None:
    """The lock of a stopped process is held by the system: it is ended after some seconds of silence."""
    url = new_schema(server)
    with open_archive(url, waiting=str) as archive:
        frozen = subprocess.Popen(
            [sys.executable, "-c", OWNER, url, "frozen"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        assert frozen.stdin is not None
        assert frozen.stdout is not None

        def beats() -> str:
            frozen.stdin.write("\n")
            frozen.stdin.flush()
            return frozen.stdout.readline().strip()

        try:
            assert beats() == "1"
            os.kill(frozen.pid, signal.SIGSTOP)
            owner = QueueOwner(archive, DUEL, worker="lively")
            assert not owner.ask([Beat()]).owned.here
            while not owner.ask([Beat()]).owned.here:
                pass
            owner.ask([enter("a")])
            os.kill(frozen.pid, signal.SIGCONT)
            assert beats() in ("0", "")  # it may learn of it by an error, which ends the process
            assert owner.ask([Beat()]).owned.here
        finally:
            frozen.kill()
            frozen.communicate()


@pytest.mark.parametrize("question", [WhereAsked("t", why=True), StatusAsked(), enter("a"), Accept("1", "a")])
def test_questions_cross_in_letters_as_they_are(question: object) -> None:
    """A question that is read from its line is the question."""
    assert question_of(line_of_question(question)) == question
