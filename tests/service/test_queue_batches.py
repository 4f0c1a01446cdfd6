"""What a queue is asked gathers into transactions by how much it is, however many tickets come at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from equipoise.core.player import Player
from equipoise.queueing import QueuePolicy, QueueTicket
from equipoise.service.admission import BusyError
from equipoise.service.queue_owner import EnterTickets, Question, QueueAnswers, StatusAsked, size_of
from equipoise.service.queues import AT_ONCE, MOST_WAITING, Queue
from equipoise.service.table_settings import QueueSettings

MANY = 900
TICKET = QueueTicket("t", (Player("t"),), 0.0)


class Owner:
    """Answers each question by its size, and knows what was one transaction."""

    def __init__(self) -> None:
        self.transactions: list[list[int]] = []

    async def ask(self, question: tuple[Sequence[Question], None] | None, seconds: float) -> Any:
        """Answer questions; of None the salt and the number of the last event."""
        del seconds
        await asyncio.sleep(0)
        if question is None:
            return b"salt", 0
        sizes = [size_of(each) for each in question[0]]
        self.transactions.append(sizes)
        return QueueAnswers(sizes, 0, [], {})


def test_tickets_that_come_at_once_count_one_by_one() -> None:
    """A transaction has no more of them than of single questions, and no more of them may wait."""

    async def asked() -> tuple[list[Any], Owner]:
        made: Any = None  # nothing is counted
        queue = Queue("", QueueSettings("duel", QueuePolicy(team_size=1)), {}, made, lambda: None)
        owner: Any = Owner()
        queue._worker = owner
        batches = [
            asyncio.ensure_future(queue.ask(StatusAsked(), EnterTickets((TICKET,) * MANY)))
            for _ in range(MOST_WAITING // (MANY + 1))
        ]
        await asyncio.sleep(0)
        with pytest.raises(BusyError):
            await queue.ask(EnterTickets((TICKET,) * MANY))
        following = asyncio.ensure_future(queue.follow())
        answers = await asyncio.gather(*batches)
        (again,) = await queue.ask(EnterTickets((TICKET,) * (AT_ONCE + 1)))  # there is room again
        following.cancel()
        return [*answers, again], owner

    answers, owner = asyncio.run(asked())
    assert answers == [*[[1, MANY]] * (MOST_WAITING // (MANY + 1)), AT_ONCE + 1]
    *full, rest, last = owner.transactions
    assert all(AT_ONCE - MANY < sum(each) <= AT_ONCE for each in full)
    assert (sum(rest) <= AT_ONCE, last) == (True, [AT_ONCE + 1])
