"""Remote consoles: what is sent is carried out once, however many packets are lost, and nothing else is."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.games.fake_console import FakeConsole
from tests.hostile import NAMES

from equipoise.games.rcon import DARKPLACES, QUAKE3, SAFE, ConsoleAnswer, Dialect, Rcon, UnsafeError, checked

STEP = 0.05


class Link:
    """A console and a server, with a net between them that loses packets."""

    def __init__(self, loss: float = 0.0, seed: int = 1, dialect: Dialect = QUAKE3) -> None:
        self.done: list[str] = []
        self.console = Rcon("secret", dialect)
        self.server = FakeConsole("secret", self._carry_out, dialect, limited=dialect is QUAKE3)
        self.loss, self.rng, self.now = loss, random.Random(seed), 0.0  # noqa: S311 -- no secret
        self.answers: list[ConsoleAnswer] = []
        self.sent = 0

    def _carry_out(self, line: str) -> str:
        self.done.append(line)
        if line.startswith(self.console._dialect.same or "-"):  # whoever ordered it sees what it did
            self.console.withdraw([line])
        return "x" * 2500 if line == "long" else f"<{line}>"

    def run(self, seconds: float = 600.0) -> None:
        """Let time pass until nothing is left to be sent."""
        end = self.now + seconds
        while self.now < end and not self.console.idle:
            for packet in self.console.outgoing(self.now):
                self.sent += 1
                if self.rng.random() >= self.loss:
                    for answer in self.server.receive(packet, self.now + 0.01):
                        if self.rng.random() >= self.loss:
                            self.console.receive(answer, self.now + 0.02)
            self.answers += self.console.answers()
            self.now += STEP


def test_an_answer_in_several_packets_is_one() -> None:
    """A long list of players comes in pieces."""
    link = Link()
    link.console.ask("long")
    link.run()
    assert link.answers == [ConsoleAnswer("long", "x" * 2500)]


def test_any_number_of_orders_costs_few_packets_and_keeps_its_order() -> None:
    """Forty moves are not forty packets."""
    for kind in ("forceteam {} red", "addbot b{} 3 red 0"):
        link = Link()
        orders = [kind.format(n) for n in range(40)]
        link.console.order(orders)
        link.run()
        assert link.done == orders
        assert link.sent <= 8
    assert link.server.dropped == 0


@pytest.mark.parametrize("seed", range(20))
def test_where_half_of_the_packets_are_lost_orders_are_carried_out_in_order_and_never_twice(
    seed: int,
) -> None:
    """Loss may cost an order, and never doubles one."""
    link = Link(loss=0.5, seed=seed)
    orders = [f"addbot b{n} 3 red 0" for n in range(30)]
    link.console.order(orders)
    link.run()
    assert len(link.done) == len(set(link.done))
    assert link.done == [each for each in orders if each in link.done]


def test_a_server_that_never_answers_is_given_up_and_reported_of() -> None:
    """What nobody answers ends as no answer."""
    link = Link(loss=1.0)
    link.console.ask("status")
    link.run()
    assert link.answers == [ConsoleAnswer("status", None)]
    assert link.console.silent


def test_orders_that_are_dropped_before_they_are_sent_are_counted() -> None:
    """As another level begins."""
    link = Link()
    link.console.ask("status")
    link.console.order(["say a"])
    link.console.forget_orders()
    assert link.console.unsent == 1
    link.run()
    link.console.forget_orders()
    assert link.console.unsent == 1


def test_no_more_is_sent_than_the_server_takes() -> None:
    """The server's bucket never runs over."""
    link = Link()
    for n in range(40):
        link.console.ask(f"question {n}")
    link.run()
    assert len(link.answers) == 40
    assert link.server.dropped == 0


@pytest.mark.parametrize("seed", range(20))
def test_darkplaces_carries_out_orders_once_too(seed: int) -> None:
    """An alias that removes itself: whatever is lost and sent again, no order is doubled."""
    link = Link(loss=0.5, seed=seed, dialect=DARKPLACES)
    orders = [f"kick # {n}" for n in range(100)]
    link.console.order(orders)
    link.run()
    assert len(link.done) == len(set(link.done))
    assert link.done == [each for each in orders if each in link.done]
    whole = Link(dialect=DARKPLACES)
    whole.console.order(orders)
    whole.run()
    assert whole.done == orders


def test_a_line_with_a_comment_in_it_is_refused() -> None:
    """Two slashes hide what comes after them, and so other orders of the same batch."""
    with pytest.raises(UnsafeError):
        checked("say http://example.org")
    assert checked("say 3/4 to 1/4") == "say 3/4 to 1/4"


@pytest.mark.slow
@given(st.lists(st.binary(max_size=60), max_size=20))
def test_whatever_arrives_nothing_breaks(packets: list[bytes]) -> None:
    """Random packets are at most one answer."""
    console = Rcon("secret")
    console.ask("status")
    console.outgoing(0.0)
    for packet in packets:
        console.receive(packet, 0.1)
        console.receive(b"\xff\xff\xff\xffprint\n" + packet, 0.1)
    console.outgoing(1.0)
    assert len(console.answers()) <= 1


@pytest.mark.parametrize("name", NAMES)
def test_no_hostile_name_passes_as_a_word_of_a_command_that_could_end_it(name: str) -> None:
    """A name that could end a command is never sent."""
    line = f"say {name}"
    if SAFE.fullmatch(line) and len(line) <= 200:
        assert not set(line) & set(';"\n\r$\\^%')
        return
    with pytest.raises(UnsafeError):
        checked(line)
    with pytest.raises(UnsafeError):
        Rcon("secret").order(["say ok", line])


@pytest.mark.parametrize("password", ["", "two words", 'a"b', "a;b", "é", "a\nb"])
def test_a_password_that_would_end_a_command_is_refused(password: str) -> None:
    """It stands in every packet."""
    with pytest.raises(ValueError, match="plain signs"):
        Rcon(password)


def test_a_question_that_is_out_is_no_order() -> None:
    """Whoever waits for the effect of orders need not wait for questions, which are asked all the time."""
    console = Rcon("secret")
    console.ask("status")
    console.outgoing(0.0)
    assert not console.idle
    assert not console.ordering
    console.order(["forceteam 1 red"])
    assert console.ordering


def _sent(console: Rcon, seconds: float, begin: float = 0.0) -> list[str]:
    """Return what is sent to a server that never answers."""
    times = [begin + STEP * n for n in range(int(seconds / STEP))]
    return [
        packet.decode("latin-1").partition("secret ")[2] for now in times for packet in console.outgoing(now)
    ]


def test_an_order_that_may_be_carried_out_again_is_sent_until_it_is_withdrawn() -> None:
    """Nobody answers, and nobody has to: each packet is the whole order."""
    console = Rcon("secret")
    console.order(["forceteam 1 red", "kick Liz"])
    sent = _sent(console, 3.0)
    assert set(sent) == {"forceteam 1 red", "kick Liz"}
    assert len(sent) >= 6
    console.withdraw(["forceteam 1 red"])
    assert set(_sent(console, 3.0, 3.0)) == {"kick Liz"}
    console.withdraw(["kick Liz"])
    assert console.idle
    assert not console.ordering


def test_what_still_waits_is_never_sent_once_it_is_withdrawn() -> None:
    """A bot that was to go by its slot has gone by itself: somebody else may be there."""
    console = Rcon("secret")
    console.order(["clientkick 3", "addbot Sarge 3 red 0"])
    console.withdraw(["clientkick 3"])
    console.receive(b"\xff\xff\xff\xffprint\n0 total cvars\n", 0.0)
    link = Link()
    link.console = console
    link.run()
    assert link.done == ["addbot Sarge 3 red 0"]


def test_questions_and_chat_leave_packets_for_what_is_urgent() -> None:
    """However much is asked, people are moved at once."""
    for crowd in (["forceteam 1 red"], [f"forceteam {n} red" for n in range(9)]):
        console = Rcon("secret")
        for n in range(30):
            console.ask(f"question {n}")
        console.order(["say a", "say b"])
        _sent(console, 30.0)
        console.order(crowd)
        assert any("forceteam 1 red" in line for line in _sent(console, 2 * STEP, 31.0))
        assert any("eq_same" in line or len(crowd) == 1 for line in _sent(console, 1.2, 31.0))


@pytest.mark.parametrize("orders", [1, 2, 9])
def test_orders_whose_effect_no_log_shows_leave_room_for_the_list(
    orders: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of somebody who is called like a line of the log it says nothing: a list has to tell."""
    link = Link()
    monkeypatch.setattr(link.console, "withdraw", list)
    link.console.order([f"forceteam {n} red" for n in range(orders)])
    link.run()
    assert set(link.done) == {f"forceteam {n} red" for n in range(orders)}
    assert link.now < 200.0
    link.console.ask("!listplayers")
    link.run(30.0)
    assert [answer.text for answer in link.answers] == ["<!listplayers>"]
