"""``equipoise queue``: a policy in words, and simulated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.running import run

QUICK = ("--minutes", "2", "--rate", "2")


@pytest.fixture
def policy(tmp_path: Path) -> str:
    """Return the file of a policy."""
    path = tmp_path / "policy.json"
    path.write_text('{"team_size": 2, "longest_wait": 45}')
    return str(path)


def test_check_says_what_is_promised(policy: str) -> None:
    """As text, and as JSON with the policy."""
    assert "Who has waited 45 s is served before all others" in run("queue", "check", policy).stdout
    found = json.loads(run("queue", "check", policy, "--json").stdout)
    assert found["policy"] == {"team_size": 2, "longest_wait": 45}
    assert found["words"][0] == "A match is 2 teams of 2: 4 players."


def test_a_policy_may_be_toml_and_standard_input(tmp_path: Path) -> None:
    """The ending says which; - is JSON."""
    path = tmp_path / "policy.toml"
    path.write_text("team_size = 3\n")
    for done in (run("queue", "check", str(path)), run("queue", "check", "-", stdin='{"team_size": 3}')):
        assert done.stdout.startswith("A match is 2 teams of 3: 6 players.\n")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"team_sise": 3}', "there is no field 'team_sise' (did you mean 'team_size'?)"),
        ('{"team_size": 0}', "team_size must be from 1 to 50, got 0"),
        ("{", "line 1: it is not JSON"),
        ("[1]", "is not an object"),
    ],
)
def test_a_wrong_policy_is_named_with_its_place(tmp_path: Path, content: str, said: str) -> None:
    """The message begins with the file."""
    path = tmp_path / "policy.json"
    path.write_text(content)
    done = run("queue", "check", str(path))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"error: {path}")
    assert said in done.stderr


def test_simulate_says_waits_and_evenness(policy: str) -> None:
    """The same seed says the same; all who came are placed or left."""
    done = run("queue", "simulate", policy, *QUICK, "--parties", "70,30")
    assert done.returncode == 0, done.stderr
    assert "wait: mean" in done.stdout
    assert done.stdout == run("queue", "simulate", policy, *QUICK, "--parties", "7,3").stdout
    found = json.loads(run("queue", "simulate", policy, *QUICK, "--json").stdout)
    assert found["wait"]["p50"] <= found["wait"]["p95"] <= found["wait"]["oldest"]


@pytest.mark.slow
def test_the_frontier_trades_waiting_for_evenness(policy: str) -> None:
    """The faster tolerances grow, the less people wait."""
    found = json.loads(run("queue", "simulate", policy, *QUICK, "--frontier", "--json").stdout)["frontier"]
    waits = [each["wait"]["mean"] for each in found]
    assert waits[0] > waits[3] > waits[-1]


@pytest.mark.slow
def test_the_frontier_is_drawn(policy: str, tmp_path: Path) -> None:
    """A dot for the mean and one for the percentile of each growth; of nothing else a picture is made."""
    picture = tmp_path / "frontier.svg"
    quick = ("queue", "simulate", policy, *QUICK)
    refused = run(*quick, "--plot", str(picture))
    assert refused.returncode == 2
    assert not picture.exists()
    run(*quick, "--frontier", "--plot", str(picture))
    text = picture.read_text()
    assert text.count("<circle") == 14
    assert "growth 0.125: mean wait" in text


def test_a_wish_is_fitted_or_refused(policy: str) -> None:
    """The policy that is found keeps the wish; one that none can keep is said to be so."""
    found = json.loads(run("queue", "simulate", policy, *QUICK, "--p95", "20", "--json").stdout)
    assert found["wait"]["p95"] <= 20
    assert found["policy"]["team_size"] == 2
    done = run("queue", "simulate", policy, *QUICK, "--p95", "0.001")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: --p95: no growth up to 8 times")


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("p.json", '{"teams": 2, "team_size": 3, "teams": 3}', "p.json: the key 'teams' comes twice"),
        ("p.json", '{"team_size": 2, "roles": {"a": 1, "a": 1}}', "p.json: the key 'a' comes twice"),
        ("p.toml", "teams = 2\nteam_size = 2\nteams = 3", "p.toml, line 3: the key 'teams' comes twice"),
        ("p.toml", "[roles]\na = 5\n[roles]\nb = 5", "p.toml, line 3: the key 'roles' comes twice"),
        ("p.json", '{"maps": []}', "p.json: maps must name at least 1; leave it out"),
        ("p.json", '{"roles": {}}', "p.json: roles must name at least 1; leave it out"),
        ("p.json", '{"roles": {" ": 5}}', "p.json: roles must have names with something to see"),
        ("p.toml", 'maps = ["a\\u0007"]', "p.toml: maps: the name 'a\\x07' has control"),
    ],
)
def test_what_a_policy_says_twice_or_with_no_name_is_refused(
    tmp_path: Path, name: str, text: str, why: str
) -> None:
    """With the key and where it is, instead of taking the last, or nothing, without a word."""
    (tmp_path / name).write_text(text)
    done = run("queue", "check", str(tmp_path / name))
    assert (done.returncode, done.stdout) == (1, "")
    assert why in done.stderr


@pytest.mark.parametrize("parties", ["x", "0", "1,-1", ""])
def test_wrong_shares_are_refused(policy: str, parties: str) -> None:
    """The message begins with the option."""
    done = run("queue", "simulate", policy, "--parties", parties)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: --parties must be")


def test_tickets_that_once_came_are_replayed(policy: str, tmp_path: Path) -> None:
    """Two who fit are placed; who comes alone a day later waits; the times are those of the file."""
    rows = [
        {
            "id": f"t{n}",
            "players": [{"name": f"p{n}", "weight": 1500 + n}],
            "since": 1e6 + n % 4 + 5000 * (n // 4),
        }
        for n in range(5)
    ]
    path = tmp_path / "tickets.json"
    path.write_text(json.dumps(rows))
    found = json.loads(run("queue", "simulate", policy, "--tickets", str(path), "--json").stdout)
    assert (found["tickets"], found["matches"], found["left"]) == (4, 1, 1)
    assert found["wait"]["oldest"] == 45


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[]", "error: --tickets must be at least 1, got 0"),
        ('{"a": 1}', "is not a list of tickets"),
        ('[{"id": "a"}]', "ticket 1: the field 'players' is missing"),
        ('[{"id": "a", "players": [], "since": 0}]', "ticket 1: players of ticket 'a' must be at least 1"),
        ('[{"id": "a", "players": ["Ann"], "since": "x"}]', "ticket 1: since: 'x' is text, not a number"),
        (
            '[{"id": "a", "players": ["Ann"], "since": 0, "backfill": 1}]',
            "backfill: must be true or false, got 1",
        ),
        ('[{"id": "a", "players": ["Ann"], "since": 0, "sinse": 1}]', "there is no key 'sinse'"),
    ],
)
def test_wrong_tickets_are_named(policy: str, tmp_path: Path, content: str, said: str) -> None:
    """With the file, the entry and the field."""
    path = tmp_path / "tickets.json"
    path.write_text(content)
    done = run("queue", "simulate", policy, "--tickets", str(path))
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
