"""``late``: a request comes to the sums that ``place_late`` is asked with, and to the rules it keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.cli.test_explaining import run

from equipoise import (
    BalanceRequest,
    Bots,
    InputError,
    Player,
    Preference,
    Rating,
    UnsupportedError,
    late,
    place_late,
)
from equipoise.teams.advantage import team_sums
from equipoise.teams.late_join import running_game

NOW = [Player("Ann", 9, team=0), Player("Bob", 7, team=1), Player("Cid", 5)]


def test_a_request_comes_to_the_sums_of_its_teams() -> None:
    """Random games, with bots and without: the same as sums worked out by hand, however the team is given."""
    rng = np.random.default_rng(11)
    for _ in range(40):
        k, n = int(rng.integers(2, 5)), int(rng.integers(4, 12))
        teams = [*range(k), *rng.integers(k, size=n).tolist()]
        field = rng.choice(["team", "team_now"])
        players = [
            Player(
                f"p{i}", Rating(rng.normal(1500, 200), 30.0), bot=bool(rng.random() < 0.3), **{field: team}
            )
            for i, team in enumerate(teams)
        ]
        seated = [Player(one.id, one.rating, team=team, bot=one.bot)
                  for one, team in zip(players, teams, strict=True)]  # fmt: skip
        centre = float(np.mean([one.rating.mu for one in players if isinstance(one.rating, Rating)]))
        sums, bots = team_sums(seated, k, centre)
        weights = [one.rating.mu for one in players if one.bot and isinstance(one.rating, Rating)]
        joins = Rating(rng.normal(1500, 200), 50.0)
        expected = place_late(
            joins, sums, bots=Bots(weight=float(sum(weights) / len(weights))) if weights else False,
            bot_counts=bots[:, 0], bot_totals=bots, objective="win", centre=centre,
        )  # fmt: skip
        request = BalanceRequest.of([*players, Player("x", joins)], teams=k, objective="win")
        reported = late(request)
        assert reported.team == expected.team
        for one, other in zip(reported.options, expected.options, strict=True):
            assert one.totals == pytest.approx(other.totals)
            assert one.win_probability == pytest.approx(other.win_probability)
            assert one.bots == other.bots
        fixed = {one.id: team for one, team in zip(players, teams, strict=True)}
        bare = [Player(one.id, one.rating, bot=one.bot) for one in players]
        assert late(bare, Player("x", joins), teams=k, fixed=fixed, objective="win") == reported


def test_a_running_game_is_judged_by_win_chances_and_has_the_teams_that_people_are_in() -> None:
    """What nobody said is the same for the library, the command line and HTTP: they ask one function."""
    three = [Player(f"p{n}", 10 + n * n, team=n % 3) for n in range(6)]
    assert late(three, Player("x", 9)) == late(three, Player("x", 9), teams=3, objective="win")
    assert late(NOW) == late(NOW, objective="win")
    assert late(NOW, objective="difference").objective == "difference"
    assert late(NOW, teams=3).team == 2
    assert running_game(NOW).as_dict() == {"player": "Cid", **late(NOW).as_dict()}
    assert set(running_game(NOW[:2]).as_dict()) == {"totals", "advantage"}


def test_rules_leave_only_some_teams() -> None:
    """A party, who is apart, and a fixed team; nobody else is moved."""
    assert late(NOW).team == 0
    assert late(NOW, apart=[("Ann", "Cid")]).team == 1
    kept = late(NOW, parties=[("Bob", "Cid")])
    assert [option.allowed for option in kept.options] == [False, True]
    assert kept.reason == "team 2 is the only one that the rules allow"
    assert late(NOW, "Cid", fixed={"Cid": 1}).team == 1
    with pytest.raises(InputError, match="leave no team to 'Cid'"):
        late(NOW, apart=[("Bob", "Cid"), ("Ann", "Cid")])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("keep", 3),
        ("sizes", [2, 1]),
        ("roles", {"tank": 1}),
        ("objective", "moves"),
        ("preferences", [Preference("apart", ("Ann", "Cid"))]),
    ],
)
def test_what_cannot_be_kept_is_refused_by_name(field: str, value: object) -> None:
    """Nothing that is asked for is passed over in silence."""
    players = [Player(one.id, one.rating, team=one.team, roles=(("tank", None),)) for one in NOW]
    with pytest.raises(UnsupportedError) as raised:
        late(players, **{field: value})  # type: ignore[arg-type]
    assert raised.value.argument == field


def test_who_joins_has_to_be_clear() -> None:
    """One without a team, or who is named, with a weight."""
    with pytest.raises(InputError, match="2 players have no team"):
        late([*NOW, Player("Dan", 3)])
    assert late([*NOW, Player("Dan", 3)], "Dan").team == 0
    with pytest.raises(InputError, match="join: there is no player 'Zed'"):
        late(NOW, "Zed")
    with pytest.raises(InputError, match="nobody joins"):
        late(NOW[:2])
    with pytest.raises(InputError, match="'Dan' has no weight"):
        late(NOW[:2], Player("Dan"))
    assert late(NOW[:2], Player("Dan"), default=4).team == 0


def test_a_request_file_on_the_command_line(tmp_path: Path) -> None:
    """The file says who plays and the rules; messages begin with what was typed."""
    players = [{"name": "Ann", "weight": 9, "team": 1}, {"name": "Bob", "weight": 7, "team": 2}]
    path = tmp_path / "now.json"

    def asked(data: Mapping[str, object], *flags: str) -> tuple[int, str]:
        path.write_text(json.dumps({"players": players, **data}))
        done = run("late", "--request", str(path), *flags)
        return done.exit_code, done.stdout + done.stderr

    assert asked({}, "--join", "5 Cid")[1].startswith("Cid joins Team 1.")
    kept = asked({"apart": [["Ann", "Cid"]]}, "--join", "5 Cid")[1]
    assert kept.startswith("Cid joins Team 2.")
    assert "which the rules do not allow" in kept
    for data, flags, message in [
        ({"keep": 2}, (), f"error: {path}: keep cannot be kept"),
        ({"beta": -1}, (), f"error: {path}: beta must"),
        ({}, ("--beta", "-1"), "error: --beta must"),
        ({}, ("--teams", "1"), "error: --teams must"),
        ({}, ("--join", "5 Cid", "--pool", "-1"), "error: --pool must"),
    ]:
        code, output = asked(data, *flags)
        assert (code, output[: len(message)]) == (1, message)


def test_a_newcomer_goes_to_a_party_wherever_the_parties_rules_leave_a_team() -> None:
    """Random games: the answer is the best of the teams that each rule, looked at alone, allows."""
    rng = np.random.default_rng(5)
    refused = joined = 0
    for _ in range(150):
        k = int(rng.integers(2, 5))
        team_of = {f"p{n}": int(rng.integers(k)) if n >= k else n for n in range(8)}
        players = [Player(who, float(rng.uniform(1, 9)), team=team) for who, team in team_of.items()]
        names = [*team_of, "new"]
        own = "gang" if rng.random() < 0.5 else None
        players = [
            replace(player, party="gang" if own and n == 7 else None) for n, player in enumerate(players)
        ]
        players.append(Player("new", 5.0, party=own))
        # One party of two at most: who is in the newcomer's, and one that has nothing to do with it.
        mates = [str(each) for each in rng.choice(names[:7], size=int(rng.integers(0, 3)), replace=False)]
        rest = [each for each in names[:7] if each not in mates]
        foes = [str(each) for each in rng.choice(rest, size=int(rng.integers(0, 2)), replace=False)]
        parties = [[*mates, "new"]] if mates and own is None else []
        parties += [rest[:2]]
        apart = [[*foes, "new"]] if foes else []
        allowed = set(range(k)) - {team_of[each] for each in foes}
        if mates and own is None:
            allowed &= {team_of[each] for each in mates}
        if own is not None:
            allowed &= {team_of["p7"]}
        if not allowed:
            refused += 1
            with pytest.raises(InputError, match="parties"):
                late(players, objective="win", parties=parties, apart=apart, teams=k)
            continue
        joined += 1
        free = late([replace(player, party=None) for player in players], objective="win", teams=k)
        found = late(players, objective="win", parties=parties, apart=apart, teams=k)
        assert found.team in allowed
        if free.team in allowed:
            assert found.team == free.team
    assert refused > 5
    assert joined > 50
