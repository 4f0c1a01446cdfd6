"""Admission: who holds most gives way, asking faster is no use, and what is forgotten was as good as new."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import InputError
from equipoise.service.admission import (
    APART,
    BURST,
    FORGET,
    HELD,
    MOST,
    NETWORK_APART,
    Activity,
    Admission,
    AdmissionLimits,
    Holdings,
    network_of,
)

ADDRESSES = ["10.0.0.1", "10.0.0.2", "10.0.1.1", "10.0.1.2", "2001:db8::/64", "token:a", "local"]


class Now:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        """Return the moment."""
        return self.seconds


class Connection:
    """A connection that remembers whether it had to give way."""

    def __init__(self, address: str, activity: Activity = Activity.IDLE, last_heard: float = 0.0) -> None:
        self.address = address
        self.last_heard = last_heard
        self.is_over = False
        self._activity = activity

    def activity(self) -> Activity:
        """Return what it was made with."""
        return self._activity

    def give_way(self) -> None:
        """Note that it had to."""
        self.is_over = True


def _filled(*addresses: str, **limits: int) -> tuple[Admission, list[Connection]]:
    admission = Admission(AdmissionLimits(connections=len(addresses), **limits))
    held = [Connection(each) for each in addresses]
    for each in held:
        assert admission.connect(each.address, each)
    return admission, held


@given(st.lists(st.tuples(st.sampled_from(ADDRESSES), st.booleans()), max_size=60))
def test_who_holds_most_is_whom_counting_finds(changes: list[tuple[str, bool]]) -> None:
    """Of the networks that have most, the addresses that have most in theirs."""
    held, counted = Holdings(), Counter[str]()
    for address, more in changes:
        if more:
            held.add(address)
            counted[address] += 1
        elif counted[address]:
            held.remove(address)
            counted[address] -= 1
        networks = Counter[object]()
        for each, number in counted.items():
            networks[network_of(each)] += number
        top = max(networks.values(), default=0)
        expected = set()
        for network, number in networks.items():
            inside = [each for each in ADDRESSES if network_of(each) == network]
            most = max(counted[each] for each in inside)
            if top and number == top:
                expected |= {each for each in inside if counted[each] == most}
        assert set(held.most()) == expected
        assert held.of(address) == (counted[address], networks[network_of(address)])
        assert len(held) == sum(number > 0 for number in counted.values())


def test_a_newcomer_is_admitted_for_one_of_whoever_has_most() -> None:
    """Not for one of an address that has less, though that is in the same network."""
    admission, held = _filled(*["10.0.0.1"] * 5, "10.0.0.2", "10.9.9.9", "10.9.8.9")
    assert admission.connect("10.7.7.7", Connection("10.7.7.7"))
    assert [each.address for each in held if each.is_over] == ["10.0.0.1"]
    assert admission.connect("10.0.0.3", Connection("10.0.0.3"))
    assert [each.address for each in held if each.is_over] == ["10.0.0.1"] * 2
    assert admission.open == len(held)


def test_who_has_most_gets_no_more() -> None:
    """The newcomer is refused, and nobody gives way."""
    admission, held = _filled(*["10.0.0.1"] * 3, "10.9.9.9")
    assert not admission.connect("10.0.0.1", Connection("10.0.0.1"))
    assert not any(each.is_over for each in held)
    assert admission.refused == {"connections": 1}
    assert admission.open == 4


@pytest.mark.parametrize("activity", list(Activity))
def test_of_those_who_have_most_the_idlest_gives_way(activity: Activity) -> None:
    """Silent ones before idle ones before busy ones; of the same the one not heard of for longest."""
    others = [each for each in Activity if each >= activity]
    held = [
        Connection(f"10.{n}.0.1", each, 5.0 - at) for n, each in enumerate(others * 2) for at in [float(n)]
    ]
    admission = Admission(AdmissionLimits(connections=len(held)))
    for each in held:
        admission.connect(each.address, each)
    assert admission.connect("10.99.0.1", Connection("10.99.0.1"))
    (gone,) = [each for each in held if each.is_over]
    assert gone.activity() is activity
    if activity is not Activity.SILENT:  # of silent ones the oldest, which is found at once
        assert gone.last_heard == min(each.last_heard for each in held if each.activity() is activity)


def test_shares_hold_for_an_address_and_a_network_but_not_for_a_proxy() -> None:
    """Behind a trusted proxy there are many."""
    limits = AdmissionLimits(connections=100, per_address=2, per_network=3)
    admission = Admission(limits, frozenset(["10.5.5.5"]))
    held = [Connection("10.0.0.1") for _ in range(2)]
    assert [admission.connect("10.0.0.1", each) for each in held] == [True, True]
    assert not admission.connect("10.0.0.1", Connection("10.0.0.1")), "an address has no more than its share"
    for address in ("10.0.0.2", "10.0.0.3"):
        assert admission.connect(address, Connection(address))
    assert [each.is_over for each in held] == [True, False], "of a full network who has most gives way"
    assert not admission.connect("10.0.0.2", Connection("10.0.0.2"))
    assert all(admission.connect("10.5.5.5", Connection("10.5.5.5")) for _ in range(50))


def test_a_place_that_is_released_twice_is_released_once() -> None:
    """A connection that gave way ends later."""
    admission, held = _filled("10.0.0.1", "10.0.0.1")
    admission.connect("10.9.9.9", Connection("10.9.9.9"))
    for each in held:
        admission.disconnect(each.address, each)
        admission.disconnect(each.address, each)
    assert (admission.open, admission.is_alone) == (1, True)


def test_an_address_a_network_and_a_token_have_rates_of_their_own() -> None:
    """A network as many as its share; who has a token is no part of a network."""
    now = Now()
    limits = AdmissionLimits(rate=10.0, network_share=3.0, token_rate=100.0)
    admission = Admission(limits, clock=now)
    assert sum(admission.allows("10.0.0.1") for _ in range(100)) == BURST * 10
    for n in range(2, 50):
        for _ in range(2):
            admission.allows(f"10.0.0.{n}")
    assert not admission.allows("10.0.0.77")
    assert admission.allows("10.0.1.77")
    assert sum(admission.allows("token:a") for _ in range(1000)) == BURST * 100
    now.seconds += 0.1
    assert [admission.allows("10.0.0.1") for _ in range(2)] == [True, False]


def test_refusals_of_an_address_and_of_a_network_come_one_after_the_other() -> None:
    """Nobody has to wait for those of another network, and whoever was silent is refused at once."""
    now = Now()
    admission = Admission(clock=now)
    waits = [admission.refusal_delay("10.0.0.7", least) for least in (0.0, HELD, 0.0)]
    assert waits == pytest.approx([0.0, HELD, HELD + APART])
    assert admission.refusal_delay("10.0.0.8") == pytest.approx(HELD + APART + NETWORK_APART)
    assert admission.refusal_delay("10.0.1.8") == 0.0
    now.seconds += 2.0
    assert admission.refusal_delay("10.0.0.7") == 0.0


def test_records_are_bounded_and_wrong_tokens_are_remembered() -> None:
    """Very many addresses are no way to be forgotten sooner than others."""
    now = Now()
    admission = Admission(AdmissionLimits(wrong_token_seconds=1e-9), clock=now)
    admission.allows("10.0.0.1")
    asyncio.run(admission.wrong_token("10.0.0.1", "http"))
    now.seconds += 2 * BURST
    admission.forget()
    assert admission.client("10.0.0.1").wrong == 1
    now.seconds += FORGET
    admission.forget()
    assert admission.client("10.0.0.1").wrong == 0
    for n in range(2 * MOST):
        admission.allows(f"10.{n // 65536}.{n // 256 % 256}.{n % 256}")
    assert len(admission._clients) <= MOST + 1
    assert admission.refused == {"tokens": 1}


@pytest.mark.parametrize("limit", list(AdmissionLimits().table()))
def test_limits_are_above_nothing(limit: str) -> None:
    """A limit of 0 would answer nobody."""
    with pytest.raises(InputError, match=f"^{limit} must be above 0, got 0"):
        AdmissionLimits(**{limit: 0})
