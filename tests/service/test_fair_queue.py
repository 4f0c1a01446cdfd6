"""Turns and lanes: addresses share what there is, whoever asks for how much."""

from __future__ import annotations

import asyncio

import pytest

from equipoise.service.admission import Admission, AdmissionLimits, BusyError, network_of
from equipoise.service.fair_queue import LONG, REMEMBERED, Lane, Turns


def _lane(places: int, at_once: int | None = None) -> Lane[int]:
    return Lane("lane", Admission(AdmissionLimits(places=places)), at_once)


def test_addresses_take_turns_and_keep_their_own_order() -> None:
    """A hundred of one address do not come before the one of another."""
    turns: Turns[tuple[str, int]] = Turns()
    for n in range(100):
        turns.add("many", ("many", n))
    turns.add("one", ("one", 0))
    taken = [turns.take() for _ in range(len(turns))]
    assert taken[1] == ("one", 0)
    assert [n for whose, n in taken if whose == "many"] == list(range(100))


def test_who_leaves_gives_up_the_turn() -> None:
    """And only once."""
    turns: Turns[int] = Turns()
    turns.add("a", 1)
    turns.add("a", 2)
    assert turns.remove("a", 1)
    assert not turns.remove("a", 1)
    assert (turns.take(), len(turns)) == (2, 0)


def test_a_full_lane_refuses_the_newest_of_whoever_has_most() -> None:
    """An address that asks little is never refused for one that asks much."""

    async def fill() -> None:
        lane = _lane(4)
        many = [lane.enter("many", n) for n in range(6)]
        one = lane.enter("one", 9)
        assert [ticket.answer.done() for ticket in many] == [False] * 3 + [True] * 3
        assert isinstance(many[3].answer.exception(), BusyError)
        assert not one.answer.done()
        assert [(await lane.next()).item for _ in range(4)] == [0, 9, 1, 2]

    asyncio.run(fill())


def test_a_lane_waits_for_work_and_forgets_who_left() -> None:
    """Work of who left is not done."""

    async def play() -> None:
        lane = _lane(4)
        waiting = asyncio.ensure_future(lane.next())
        await asyncio.sleep(0)
        gone, stays = lane.enter("a", 1), lane.enter("a", 2)
        lane.leave(gone)
        assert await waiting is stays

    asyncio.run(play())


def test_an_address_has_no_more_in_work_than_it_may() -> None:
    """The next of another address comes first, and its own when one of it is done."""

    async def play() -> None:
        lane = _lane(9, 1)
        for n in range(3):
            lane.enter("many", n)
        first = await lane.next()
        assert first.item == 0
        waiting = asyncio.ensure_future(lane.next())
        await asyncio.sleep(0)
        assert not waiting.done()
        lane.enter("one", 9)
        assert (await waiting).item == 9
        lane.done(first)
        assert (await lane.next()).item == 1

    asyncio.run(play())


def test_turns_of_a_lane_go_by_the_time_that_addresses_have_used() -> None:
    """Who asks for the first time does not wait for 64 who ask again and again, nor is refused for them."""

    async def play() -> None:
        lane: Lane[str] = Lane("lane", Admission())
        many = [f"10.0.{n}.0" for n in range(64)]
        for each in many:
            lane.enter(each, each)
        for _ in range(100):
            ticket = await lane.next()
            ticket.began -= 1.0  # which took a second
            lane.done(ticket)
            lane.enter(ticket.item, ticket.item)
        for n in range(64):
            lane.enter(f"10.1.{n}.0", "large", 0.128)
        waiting = lane.enter("one", "one", 0.01)
        lane.enter("another", "another")
        assert not waiting.answer.done()
        assert {(await lane.next()).item for _ in range(2)} == {"one", "another"}

    asyncio.run(play())


def test_a_lane_keeps_no_more_addresses_in_mind_than_it_says() -> None:
    """However many there are, and whether or not others wait."""

    async def play() -> None:
        lane = _lane(4)
        for busy in (0, 2):
            for n in range(busy):
                lane.enter(f"busy {n}", n)
            for n in range(3000):
                lane.enter(str(n), n)
                lane.done(await lane.next())
            assert len(lane._use) <= REMEMBERED

    asyncio.run(play())


def test_a_network_has_no_more_places_and_no_more_in_work_than_an_address_that_asks_as_much() -> None:
    """Addresses of one /24 give places up for one of another, and leave it a worker."""

    async def play() -> None:
        lane = _lane(4, 1)
        many = [lane.enter(f"10.0.0.{n}", n) for n in range(4)]
        lane.enter("10.9.9.9", 9)
        assert sum(ticket.answer.done() for ticket in many) == 1
        assert {network_of((await lane.next()).whose) for _ in range(2)} == {"10.0.0", "10.9.9"}

    asyncio.run(play())


def test_what_is_long_leaves_a_worker_to_what_is_short() -> None:
    """Whoever asks; what is short of somebody does not wait behind what is long of the same."""

    async def play() -> None:
        lane = _lane(9, 1)
        for who in ("one", "two", "three"):
            lane.enter(who, 1, 2 * LONG)
        lane.enter("one", 2)
        first = await lane.next()
        assert first.item == 2
        long = await lane.next()
        assert (long.whose, long.item) == ("two", 1)
        waiting = asyncio.ensure_future(lane.next())
        await asyncio.sleep(0)
        assert not waiting.done()
        lane.done(first)
        await asyncio.sleep(0)
        assert not waiting.done()
        lane.done(long)
        assert (await waiting).item == 1

    asyncio.run(play())


def test_who_is_refused_a_place_is_answered_late() -> None:
    """So that asking again at once is no use; others have their answers meanwhile."""

    async def play() -> None:
        lane = _lane(1)
        waiting = [asyncio.ensure_future(lane.ask("many", n)) for n in range(2)]
        await asyncio.sleep(0)
        ticket = await lane.next()
        ticket.give("answer")
        assert await waiting[0] == "answer"
        assert not waiting[1].done()
        with pytest.raises(BusyError):
            await waiting[1]

    asyncio.run(play())


def test_what_is_short_is_taken_together_in_turn_and_counts_as_one() -> None:
    """Never what is long, or of unknown length, nor more than may wait; each address still has its turn."""

    async def play() -> None:
        lane = _lane(20, 1)
        for n in range(3):
            lane.enter("10.0.0.1", n, LONG / 10)
        lane.enter("10.0.0.1", 7, 2 * LONG)
        lane.enter("10.1.1.1", 3, LONG / 10)
        lane.enter("10.2.2.2", 8)
        unknown = await lane.next()
        assert unknown.item == 8
        assert lane.beside(unknown) == []
        first = await lane.next()
        together = lane.beside(first)
        assert [each.item for each in (first, *together)] == [0, 3, 1, 2]
        assert len(lane) == 1, "the long one waits"
        lane.enter("10.0.0.1", 4, LONG / 10)
        waiting = asyncio.ensure_future(lane.next())
        await asyncio.sleep(0)
        assert not waiting.done(), "both networks have as much in work as they may"
        lane.done(first, *together)
        assert (await waiting).item == 4

    asyncio.run(play())


def test_what_is_taken_together_is_not_long() -> None:
    """Who comes next waits for as much as for one of them that is."""

    async def play() -> None:
        lane = _lane(20, 1)
        for n in range(9):
            lane.enter("a", n, LONG / 4)
        first = await lane.next()
        assert [each.item for each in lane.beside(first)] == [1, 2, 3]

    asyncio.run(play())


def test_several_who_work_share_what_waits() -> None:
    """Nobody takes it all while others have nothing."""

    async def play() -> None:
        lane = _lane(20, 2)
        for n in range(6):
            lane.enter("a", n, LONG / 10)
        assert len(lane.beside(await lane.next())) == 2

    asyncio.run(play())
