"""Answers in the shapes of other services: what their clients read of them."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from tests.service.http.asking import ask
from tests.service.process import Served

BASIC = "Basic bG9iYnk6cGFzc3dvcmQ="


def test_minqlx_reads_ratings_of_those_who_are_known(served: Served) -> None:
    """As balance.py does: a table for each game type with games and elo, and nothing else beside steamid."""
    found = ask(f"{served.http}/elo/ann+bob+stranger").plain["players"]
    assert [each.pop("steamid") for each in found] == ["ann", "bob"]
    for each in found:
        for game_type, rating in each.items():
            assert game_type == "ctf"
            assert set(rating) == {"games", "elo"}
            assert 500 <= rating["elo"] <= 2500
    assert ask(f"{served.http}/elo/{'+'.join(map(str, range(129)))}").status == 422


def test_spads_reads_a_rating_whatever_credentials_it_sends(served: Served) -> None:
    """As RatingManager does: numbers, for strangers too."""
    url = f"{served.http}/teiserver/api/spads/get_rating"
    known = ask(f"{url}/ann/Large%20Team", authorization=BASIC).plain
    assert set(known) == {"rating_value", "uncertainty"}
    assert 0 < ask(f"{url}/-1/Duel", authorization=BASIC).plain["rating_value"] < 50


def test_spads_is_reported_who_goes_where(served: Served) -> None:
    """As RatingManager sends it: Python's own writing, in a form."""
    url = f"{served.http}/teiserver/api/spads/balance_battle"
    players = {name: {"skill": None} for name in ("ann", "bob", "cid", "a/b")}
    form = {
        "players": players,
        "bots": {},
        "nbTeams": 2,
        "teamSize": 2,
        "clanMode": "no",
        "balanceMode": "skill",
    }
    answer = ask(url, urlencode(form).encode(), authorization=BASIC).plain
    assigned = answer["player_assign_hash"]
    assert set(assigned) == set(players)
    assert sorted(seat["team"] for seat in assigned.values()) == [0, 0, 1, 1]
    assert sorted(seat["id"] for seat in assigned.values()) == [0, 1, 2, 3]
    assert answer["unbalance_indicator"] >= 0
    assert ask(url, urlencode({**form, "bots": {"Bot": {}}}).encode()).plain == {}


@pytest.mark.parametrize(
    "form",
    [
        {"players": "{", "nbTeams": 2}, {"players": "[1]", "nbTeams": 2},
        {"players": "{'a': 1}", "nbTeams": 99},
        {"players": "{'a': 1}", "nbTeams": "x"}, {"players": "{'a\\n': 1, 'b': 2}", "nbTeams": 2},
        {"players": "(" * 2000, "nbTeams": 2}, {"players": "__import__('os')", "nbTeams": 2},
    ],
)  # fmt: skip
def test_forms_that_are_wrong_are_refused(served: Served, form: dict) -> None:
    """What is no table of names is a problem, and nothing of it is run."""
    url = f"{served.http}/teiserver/api/spads/balance_battle"
    assert ask(url, urlencode(form).encode()).status == 422
