"""What teams are called is asked once, and players are fixed to teams by it, in every form of a request."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import run

from equipoise import BalanceRequest, InputError, balance, late
from equipoise.service.http.stateless_questions import answered
from equipoise.verification.receipt_check import verify
from equipoise.verification.receipts import receipt

WEIGHTS = {"Ann": 5.0, "Bob": 4.0, "Cid": 3.0, "Dee": 1.0}
NAMES = ("Red", "Blue")


def team_of(teams: Any, who: str) -> int:
    """Return the team that somebody is in."""
    return next(n for n, team in enumerate(teams) if who in [getattr(each, "id", each) for each in team])


@pytest.mark.parametrize("typed", ["Blue", "blue", " BLUE "])
def test_a_team_is_known_by_its_name(tmp_path: Path, typed: str) -> None:
    """In Python, a request file, over HTTP and as a flag alike, as if its number were given."""
    wanted = balance(WEIGHTS, names=NAMES, fixed={"Ann": 1})
    assert team_of(wanted.best.teams, "Ann") == 1
    assert balance(WEIGHTS, names=NAMES, fixed={"Ann": typed}) == wanted
    assert wanted.as_dict()["names"] == [*NAMES]
    data = {"players": WEIGHTS, "names": NAMES, "fixed": {"Ann": typed}}
    request = BalanceRequest.from_dict(json.loads(json.dumps(data)))
    assert BalanceRequest.from_dict(request.to_dict()) == request
    assert balance(request).as_dict() == wanted.as_dict()
    status, body, *_ = answered("balance", json.dumps(data).encode(), 10.0)
    assert status == 200, body
    over_http = json.loads(body)
    assert over_http["names"] == [*NAMES]
    assert team_of(over_http["splits"][0]["teams"], "Ann") == 1
    roster, file = tmp_path / "roster.txt", tmp_path / "request.json"
    roster.write_text("".join(f"{name} {weight}\n" for name, weight in WEIGHTS.items()), encoding="utf-8")
    file.write_text(json.dumps(data), encoding="utf-8")
    for args in ((str(roster), "--names", "Red,Blue", "--fix", f"Ann={typed}"), ("--request", str(file))):
        shown = run("balance", *args)
        assert shown.returncode == 0, shown.stderr
        assert "Blue: 6\n  5  Ann" in shown.stdout
        assert json.loads(run("balance", *args, "--json").stdout)["names"] == [*NAMES]


def test_receipts_and_late_joiners_keep_the_names() -> None:
    """A receipt is confirmed with them; who joins late joins by them."""
    asked = BalanceRequest.of(WEIGHTS, names=NAMES, fixed={"Ann": "Red"})
    assert verify(receipt(asked, balance(asked))).ok
    running = [{"name": "Ann", "weight": 5, "team": 1}, {"name": "Bob", "weight": 4, "team": 2}]
    for team in NAMES:
        assert NAMES[late([*running, ("Cid", 3)], "Cid", names=NAMES, fixed={"Cid": team}).team] == team


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"fixed": {"Ann": "Blux"}, "names": NAMES}, "fixed: there is no team 'Blux', for 'Ann'; the teams"),
        ({"fixed": {"Ann": "Red"}}, "fixed: there is no team 'Red', for 'Ann'; --names"),
        ({"names": ("Red",)}, "names must be one name for each of the 2 teams, got 'Red'"),
        ({"names": ("Red", "red")}, "names must differ"),
        ({"names": ("Red", " ")}, "names must be one name for each of the 2 teams"),
        ({"names": ("2", "1")}, "names must not be numbers of other teams, got '2' for team 1"),
        ({"names": NAMES, "teams": 3}, "names must be one name for each of the 3 teams"),
    ],
)
def test_names_that_name_no_team_are_refused(keywords: dict[str, Any], message: str) -> None:
    """With the field, and what the teams are called."""
    with pytest.raises(InputError) as error:
        balance(WEIGHTS, **keywords)
    assert str(error.value).startswith(message)


def test_the_order_of_names_is_that_of_teams() -> None:
    """Whoever is fixed to the third name is in the third team, whatever it is called."""
    players = {name: float(n) for n, name in enumerate("abcdef")}
    for names in permutations(("Red", "Blue", "3")):
        if names.index("3") != 2:
            with pytest.raises(InputError, match="names must not be numbers of other teams"):
                balance(players, teams=3, names=names)
            continue
        for n, name in enumerate(names):
            found = balance(players, teams=3, names=names, fixed={"a": name}).best
            assert team_of(found.teams, "a") == n
