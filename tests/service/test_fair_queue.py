"""Turns and lanes: addresses share what there is, whoever asks for how much."""

from __future__ import annotations

import asyncio

from equipoise.service.fair_queue import REMEMBERED, Lane, Turns


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
        lane: Lane[int] = Lane(4, "busy")
        many = [lane.enter("many", n) for n in range(6)]
        one = lane.enter("one", 9)
        assert [ticket.answer.done() for ticket in many] == [False] * 3 + [True] * 3
        assert not one.answer.done()
        assert [ticket.item for ticket in lane.some(9)] == [0, 9, 1, 2]

    asyncio.run(fill())


def test_a_lane_waits_for_work_and_forgets_who_left() -> None:
    """Work of who left is not done."""

    async def play() -> None:
        lane: Lane[int] = Lane(4, "busy")
        waiting = asyncio.ensure_future(lane.next())
        await asyncio.sleep(0)
        gone, stays = lane.enter("a", 1), lane.enter("a", 2)
        lane.leave(gone)
        assert await waiting is stays

    asyncio.run(play())


def test_an_address_has_no_more_in_work_than_it_may() -> None:
    """The next of another address comes first, and its own when one of it is done."""

    async def play() -> None:
        lane: Lane[int] = Lane(9, "busy", 1)
        for n in range(3):
            lane.enter("many", n)
        first = await lane.next()
        assert (first.item, lane.may_begin("many"), lane.may_begin("one")) == (0, False, True)
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
        lane: Lane[str] = Lane(64, "busy")
        many = [f"10.0.0.{n}" for n in range(64)]
        for each in many:
            lane.enter(each, each)
        for _ in range(100):
            ticket = await lane.next()
            ticket.began -= 1.0  # which took a second
            lane.done(ticket)
            lane.enter(ticket.item, ticket.item)
        for n in range(64):
            lane.enter(f"10.0.1.{n}", "large", 0.128)
        waiting = lane.enter("one", "one", 0.01)
        lane.enter("another", "another")
        assert not waiting.answer.done()
        assert {(await lane.next()).item for _ in range(2)} == {"one", "another"}

    asyncio.run(play())


def test_a_lane_keeps_no_more_addresses_in_mind_than_it_says() -> None:
    """However many there are, and whether or not others wait."""

    async def play() -> None:
        lane: Lane[int] = Lane(4, "busy")
        for busy in (0, 2):
            for n in range(busy):
                lane.enter(-1 - n, n)
            for n in range(3000):
                lane.enter(n, n)
                lane.done(await lane.next())
            assert len(lane._use) <= REMEMBERED

    asyncio.run(play())
