"""Who is new in an acknowledged result is known to the next one, before the ratings are of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from equipoise.core.match_records import match_from
from equipoise.identity.forgetting import NONE_GONE
from equipoise.identity.roster_lookup import AmbiguousNameError, RosterLookup
from equipoise.ratings.models.elo import Elo
from equipoise.service.service import Service
from equipoise.service.snapshot import Ratings, Snapshot


def asked(service: Any, *players: Any, kept: tuple[str, ...] = ()) -> dict[str, str]:
    """Return whom a result of these against Ann means, by what stands in it."""
    match = match_from({"ended": 1.0, "teams": [list(players), ["ann"]], "scores": [2, 1]})
    found: dict[str, str] = Service.recognised(service, match, kept).people
    return found


@pytest.fixture
def service() -> Any:
    """Give a service whose ratings know Ann and one Zed."""
    names = {"ann": "ann", "zed": "k1"}
    ratings = SimpleNamespace(known={"ann", "k1"}, player=lambda named: names.get(named.casefold()))
    snapshot = SimpleNamespace(ratings=ratings, tombstones=NONE_GONE)
    return SimpleNamespace(board=SimpleNamespace(snapshot=snapshot), _newcomers={})


def test_a_second_one_of_a_name_is_asked_about_at_once(service: Any) -> None:
    """The result goes to neither of the two; ids go on as they are, and a resend finds who it was."""
    assert asked(service, "Zed") == {"Zed": "k1"}
    assert asked(service, {"id": "k2", "name": "Zed"}) == {}
    with pytest.raises(AmbiguousNameError, match=r"'Zed' is the name of several: .*k1.*k2"):
        asked(service, "Zed")
    assert asked(service, "k2") == asked(service, "k1") == {}
    assert asked(service, "Zed", kept=("k2", "ann")) == {"Zed": "k2"}


def test_somebody_new_is_found_by_id_and_by_name(service: Any) -> None:
    """Whatever the case and the accents."""
    asked(service, {"id": "x9", "name": "José"})
    assert asked(service, "jose") == {"jose": "x9"}
    assert asked(service, "X9") == {"X9": "x9"}


def test_nobody_stays_in_memory_when_somebody_is_forgotten(service: Any) -> None:
    """Whichever process did it: the next snapshot says so, and no other one takes newcomers or parties."""
    asked(service, {"id": "x9", "name": "José"})
    cleared: list[bool] = []
    service.board.snapshot.forgotten, service.board.snapshot.merged = 1, 0
    service.queues = SimpleNamespace(forget=lambda: cleared.append(True))
    service.tell = lambda *_: None
    ratings = Ratings(Elo(), {"ann": (1700.0,)})
    Service._take(service, Snapshot(ratings, forgotten=1))
    assert (service._newcomers.keys(), cleared) == ({"jose", "x9"}, [])
    Service._take(service, Snapshot(ratings, forgotten=2))
    assert (service._newcomers, cleared) == ({}, [True])


def test_a_newcomer_who_is_merged_by_another_process_is_no_second_one_of_a_name(service: Any) -> None:
    """Their name means the one they count as, and is no question between the two."""
    asked(service, {"id": "x9", "name": "Zed"})
    with pytest.raises(AmbiguousNameError):
        asked(service, "Zed")
    service.board.snapshot.forgotten, service.board.snapshot.merged = 0, 0
    service.tell, service.queues = lambda *_: None, None
    lookup = RosterLookup([("k1", "Zed", 1.0), ("ann", "ann", 1.0)], {"x9": "k1"})
    Service._take(
        service, Snapshot(Ratings(Elo(), {"ann": (1700.0,), "k1": (1600.0,)}, lookup=lookup), merged=1)
    )
    assert asked(service, "Zed") == {"Zed": "k1"}
