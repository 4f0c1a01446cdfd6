"""Preferences, roles, rules, several objectives and fronts on the command line and in roster files."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.cli.running import run
from tests.cli.test_balance import ROSTER, balanced

from equipoise import InputError
from equipoise.files.read_request import read_rules
from equipoise.files.read_roster import parse_roster


def test_what_rounding_makes_of_0_is_shown_as_0() -> None:
    """Two teams that are even on paper, one of them off by 3.6e-15 in floats: in a front, and in a list."""
    decimals = "8.1 a\n5.4 b\n5.5 c\n3.7 d\n6.1 e\n2 f\n4.6 g\n7.8 h\n"
    front = run("balance", "-", "--front", "difference,spread", stdin=decimals).stdout
    assert front.splitlines()[3].split()[:3] == ["1.", "0", "0.6741"]
    listed = run("balance", "-", "--objective", "difference", "--keep", "2", stdin=decimals).stdout
    assert listed.splitlines()[-1].split()[:2] == ["2.", "0"]
    small = "".join(f"{line.split()[0]}e-9 {line.split()[1]}\n" for line in decimals.splitlines())
    table = "mu,name\n" + small.replace(" ", ",")
    third = run("balance", "-", "--objective", "difference", "--keep", "3", stdin=table).stdout
    assert third.splitlines()[-1].split()[:2] == ["3.", "2e-10"]


def test_preferences_are_in_the_json_with_their_prices() -> None:
    """Each with kind, players, price, what is paid and whether it is met."""
    split = balanced("--prefer", "Ginkgo,Cedar=2%", "--avoid", "Elm,Iris=0.3")["splits"][0]
    assert split["wishes"] == [
        {"kind": "together", "players": ["Ginkgo", "Cedar"], "price": 0.02, "paid": 0.02, "met": False},
        {"kind": "apart", "players": ["Elm", "Iris"], "price": 0.3, "paid": 0.0, "met": True},
    ]
    text = run("balance", "-", "--prefer", "Ginkgo,Cedar=2%", "--avoid", "Elm,Iris=0.3", stdin=ROSTER).stdout
    assert "Preferences: 1 of 2 met, 2 % of win probability paid for the others:" in text
    assert "  2 %  together: Ginkgo, Cedar" in text


def test_roles_in_a_table_and_who_plays_what() -> None:
    """A cell lists roles with their ratings; the answer says what everyone plays."""
    table = "name,elo,roles\nAnn,20,tank=30;heal\nBob,21,heal=25\nCid,22,tank\nDan,23,\n"
    plain = balanced("--roles", "tank:1,heal:1", stdin=table)["splits"][0]
    assert [sorted(roles) for roles in plain["roles"]] == [["heal", "tank"]] * 2
    text = run("balance", "-", "--roles", "tank:1,heal:1", stdin=table).stdout
    assert "  25  Bob (heal)" in text


def test_rules_come_from_a_file(tmp_path: Path) -> None:
    """Every team is held to them, or one team where it is named."""
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps({"rules": [
        {"name": "medics", "players": ["Amber", "Birch", "Cedar", "Dahlia"], "at_most": 2},
        {"players": {"Ginkgo": 1, "Iris": 1}, "in_team": 2, "at_least": 2},
    ]}))  # fmt: skip
    for solver in ("auto", "enumerate"):
        teams = balanced("--rules", str(rules), "--objective", "difference", "--solver", solver)["splits"][0][
            "teams"
        ]
        assert {"Ginkgo", "Iris"} <= set(teams[1])
        assert len({"Amber", "Birch", "Cedar", "Dahlia"} & set(teams[0])) == 2


def test_orders_and_sums_of_objectives() -> None:
    """Names and ``--within`` are an order with tolerances, names with weights a sum."""
    order = balanced("--objective", "difference,spread", "--within", "5")
    assert order["objective"] == "difference, spread"
    assert order["splits"][0]["values"][0] <= 6.0
    total = balanced("--objective", "difference=1,spread=0.5")
    assert total["objective"] == "difference + 0.5 spread"
    both = balanced("--objective", "difference=1,spread=0.5", "--objective", "win")
    assert both["objective"] == "difference + 0.5 spread, win"


def test_recent_team_mates_are_kept_apart(tmp_path: Path) -> None:
    """The last matches of a file become preferences, the last one's at the whole price."""
    matches = tmp_path / "matches.jsonl"
    matches.write_text('{"teams": [["Amber", "Birch"], ["Cedar", "Other"]], "ranks": [1, 2], "at": 5}\n')
    preferences = balanced("--recent", str(matches), "--recent-price", "3%")["splits"][0]["wishes"]
    assert [(preference["players"], preference["price"]) for preference in preferences] == [
        (["Amber", "Birch"], 0.03)
    ]


def test_the_front_is_printed_and_drawn(tmp_path: Path) -> None:
    """As a table, as JSON, and as a picture."""
    picture = tmp_path / "front.svg"
    done = run("balance", "-", "--front", "win,spread", "--plot", str(picture), stdin=ROSTER)
    assert done.returncode == 0
    assert "choice: 4, proven" in done.stdout
    ET.fromstring(picture.read_text())
    assert done.stdout.count("Win chances are a convention") == 1
    plain = json.loads(run("balance", "-", "--front", "win,spread", "--json", stdin=ROSTER).stdout)
    assert (plain["complete"], len(plain["points"])) == (True, 4)
    assert set(plain["points"][0]) == {"first", "second", "teams", "bots", "totals", "win_probability"}
    done = run(
        "balance", "-", "--front", "win,spread", "--party", "Elm,Iris", "--apart", "Elm,Iris", stdin=ROSTER
    )
    assert (done.returncode, done.stderr.startswith("error: infeasible")) == (1, True)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--prefer", "Elm=2%"), "--prefer: 'Elm' does not name two players"),
        (("--avoid", "Elm,Iris=2"), "--avoid: price must be a win probability such as 2% or 0.02, got 2"),
        (("--avoid", "Elm,Nobody"), "--avoid: there is no player 'Nobody'"),
        (
            ("--side-price", "200%"),
            "--side-price: price must be a win probability such as 2% or 0.02, got 200%",
        ),
        (("--roles", "tank"), "--roles: 'tank' is not ROLE:NUMBER"),
        (("--roles", "tank:6"), "--roles: 'tank' must be from 1 to 5, the size of a team, got 6"),
        (("--rules", "/nonexistent"), "/nonexistent: cannot be read"),
        (("--within", "1"), "--within requires several objectives in order; write --objective win,spread"),
        (("--objective", "win=1", "--within", "1"), "--within requires several objectives in order"),
        (("--objective", "difference="), "--objective: the number '' is not a number"),
        (("--objective", "difference=1,win"), "--objective: 'difference=1,win' is neither names in order"),
        (("--objective", "=1"), "--objective: '=1' is neither names in order"),
        (("--objective", "difference=1,difference=2"), "--objective: 'difference=1,difference=2' names"),
        (("--objective", "win,difference", "--within", "1,2"), "--within: there are 2"),
        (("--solver", "resplit", "--avoid", "Elm,Iris"), "--solver: 'resplit' does not support"),
    ],
)
def test_mistakes_are_reported_in_one_line(args: tuple[str, ...], message: str) -> None:
    """Exit code 1, and a message that begins with the option or the argument."""
    done = run("balance", "-", *args, stdin=ROSTER)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"error: {message}"), done.stderr


def test_matches_that_cannot_be_read_are_reported(tmp_path: Path) -> None:
    """Whoever names a file with other lines among the matches hears of it; the rest counts."""
    match = {"ended": "2026-01-31T20:15:00Z", "teams": [["Elm"], ["Iris"]], "ranks": [1, 2]}
    (tmp_path / "matches.jsonl").write_text(f"5 Ann\n{json.dumps(match)}\n")
    done = run("balance", "-", "--recent", str(tmp_path / "matches.jsonl"), stdin=ROSTER)
    assert done.returncode == 0
    assert "matches.jsonl, line 1: it is not JSON" in done.stderr


def test_a_rule_that_lists_somebody_twice_is_a_mistake(tmp_path: Path) -> None:
    """A list counts everyone once, so twice is no number."""
    (tmp_path / "rules.json").write_text('[{"players": ["Elm", "Elm"], "at_most": 1}]')
    done = run("balance", "-", "--rules", str(tmp_path / "rules.json"), stdin=ROSTER)
    assert done.returncode == 1
    assert "rule 1: players names somebody twice" in done.stderr


def test_an_unknown_objective_in_an_order_is_wrong_usage() -> None:
    """As it is alone."""
    assert run("balance", "-", "--objective", "win,nosuch", stdin=ROSTER).returncode == 2


def test_preferences_and_roles_in_json_rosters() -> None:
    """Lists, objects with numbers, and objects with what is known of a rating."""
    (ann, _) = parse_roster(
        b'[{"name": "Ann", "roles": {"tank": {"mu": 30, "sigma": 2}, "heal": null}, "prefer": ["Bob"],'
        b' "avoid": {"Cid, the": "2%"}}, {"name": "Bob", "roles": ["tank=7"]}]',
        "here",
    )
    assert [(role, known and (known.mu, known.sigma)) for role, known in ann.roles] == [
        ("tank", (30.0, 2.0)), ("heal", None),
    ]  # fmt: skip
    assert (ann.prefer, ann.avoid) == ((("Bob", None),), (("Cid, the", 0.02),))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ("tank;tank,,", "line 2: roles names 'tank' twice"),
        ("tank=nan,,", "line 2: the rating as tank"),
        (",Bob=3,", "line 2: the price of prefer must be a win probability such as 2% or 0.02, got 3"),
    ],
)
def test_wrong_cells_are_named(cells: str, message: str) -> None:
    """By line and column."""
    with pytest.raises(InputError, match=message):
        parse_roster(f"name,roles,prefer,avoid\nAnn,{cells}\n".encode(), "here")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "line 1: it is not JSON"),
        ("[]", "it has no rules"),
        ("[1]", "rule 1: '1' is not an object"),
        ('[{"players": ["a"], "atmost": 1}]', "rule 1: there is no key 'atmost'"),
        ('[{"players": 3, "at_most": 1}]', "rule 1: players is neither"),
        ('[{"players": ["a"]}]', "rule 1: rule '1' has no limit"),
        ('[{"players": ["a"], "at_most": 1, "in_team": 0}]', "rule 1: in_team must be at least 1, got 0"),
        ('[{"players": {"a": "x"}, "at_most": 1}]', "rule 1: the number of a"),
    ],
)
def test_wrong_rules_are_named(tmp_path: Path, text: str, message: str) -> None:
    """By file and entry."""
    path = tmp_path / "rules.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_rules(str(path))


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("--front", "win"), 1, "error: --front: 'win' does not name two"),
        (("--front", "win,spreed"), 2, "(did you mean 'spread'?)"),
        (("--front", "win,spread", "--keep", "2"), 2, "--keep has no use with --front"),
    ],
)
def test_mistakes_about_fronts_are_reported(args: tuple[str, ...], code: int, message: str) -> None:
    """A front has neither a best split nor several of them."""
    done = run("balance", "-", *args, stdin=ROSTER)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
