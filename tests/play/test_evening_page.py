"""What a page knows beside the evening: seats, names that a phone brings, links, taps that came."""

from __future__ import annotations

from typing import Any

import pytest

from equipoise.errors import InputError
from equipoise.play.evening_page import FOR_GUESTS, GUEST, MOST_NEW, ORGANISER, EveningPage


class Page:
    """A page that takes records one after the other."""

    def __init__(self) -> None:
        self.page, self.count = EveningPage(), 0
        self.take("open", title="Thursday", starts=0.0, since=1.0, expires=9.0, keys={"a": "organiser"})

    def take(self, kind: str, device: str = "", **more: Any) -> None:
        """Take a record."""
        self.count += 1
        made = {"id": f"r{self.count}", "type": kind, "by": GUEST, "device": device}
        self.page.take({**made, **more})


def test_a_seat_moves_once_it_is_allowed() -> None:
    """It stays until its device says yes; then the new device answers for nobody else."""
    page = Page()
    page.take("claim", "phone 1", who="ann")
    page.take("claim", "phone 2", who="bob")
    page.take("claim", "phone 2", who="ann", asks=True)
    assert page.page.seats == {"ann": "phone 1", "bob": "phone 2"}
    page.take("deny", "phone 1", who="ann")
    assert page.page.asked == {}
    page.take("claim", "phone 2", who="ann", asks=True)
    page.take("allow", "phone 1", who="ann")
    assert page.page.seats == {"ann": "phone 2"}
    assert (page.page.seated("phone 2"), page.page.seated("phone 1"), page.page.seated("")) == ("ann", "", "")
    page.take("claim", "", who="cid")
    assert "cid" not in page.page.seats


def test_guests_have_none_of_the_organisers_powers() -> None:
    """Nor does anybody once the evening is over; for a name only its own device answers."""
    page = Page()
    page.take("claim", "phone 1", who="ann")
    for kind in ("divide", "result", "add", "redo", "end", "maps", "swap"):
        with pytest.raises(InputError, match="only the organiser"):
            page.page.check(kind, GUEST)
        page.page.check(kind, ORGANISER)
    for kind in FOR_GUESTS:
        page.page.check(kind, GUEST)
    for device in ("phone 2", ""):
        with pytest.raises(InputError, match="Ann is on another phone"):
            page.page.check_answers("ann", "Ann", GUEST, device)
    page.page.check_answers("ann", "Ann", ORGANISER, "desk")
    page.take("end")
    with pytest.raises(InputError, match="over"):
        page.page.check("claim", GUEST)


def test_a_phone_brings_few_new_names() -> None:
    """The organiser brings as many as there are."""
    page = Page()
    for n in range(MOST_NEW):
        page.page.check_newcomer("phone", GUEST)
        page.take("claim", "phone", who=f"n{n}", new=True)
    with pytest.raises(InputError, match="enough new names"):
        page.page.check_newcomer("phone", GUEST)
    page.page.check_newcomer("phone", ORGANISER)
    page.page.check_newcomer("other", GUEST)


def test_links_stand_beside_those_before_or_in_their_place() -> None:
    """And every tap that was taken is known."""
    page = Page()
    page.take("keys", keys={"b": "guests"}, only=False)
    assert page.page.keys == {"a": "organiser", "b": "guests"}
    page.take("keys", keys={"c": "guests"}, only=True, expires=99.0)
    assert (page.page.keys, page.page.expires) == ({"c": "guests"}, 99.0)
    page.take("status", who="ann", until="9 pm")
    assert page.page.until["ann"] == "9 pm"
    assert set(page.page.taps) == {f"r{n}" for n in range(1, page.count + 1)}
