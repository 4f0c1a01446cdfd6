"""Questions that need no archive: the command line's answer, and problems that say the place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import runner
from tests.service.http.asking import ask
from tests.service.process import Served

from equipoise.cli import group
from equipoise.service.http.stateless_questions import answered

PLAYERS = [
    {"name": name, "weight": weight} for name, weight in (("Ann", 9), ("Bob", 7), ("Cid", 4), ("Dee", 1))
]
WRONG = {"ended": 0, "teams": [["a"], ["b"]], "ranks": ["x", 1]}
MATCHES = [
    {"id": "1", "ended": 0, "teams": [["ann"], ["bob"]], "scores": [3, 1]},
    {"id": "2", "ended": 60, "teams": [["ann"], ["cid"]], "scores": [1, 1]},
]
RUNNING = [{**one, "team": 1 + n % 2} for n, one in enumerate(PLAYERS[:3])]


def command(*args: str) -> Any:
    """Return what the command line prints as JSON."""
    return json.loads(runner().invoke(group, [*args, "--json"], catch_exceptions=False).output)


def test_balance_and_explain_answer_as_the_command_line(served: Served, tmp_path: Path) -> None:
    """The body is a request file, and the answer what --json prints of it."""
    request = {"players": PLAYERS, "apart": [["Ann", "Bob"]], "keep": 2}
    path = tmp_path / "request.json"
    path.write_text(json.dumps(request), encoding="utf-8")
    assert ask(f"{served.http}/v1/balance", request).plain == command("balance", "--request", str(path))
    explained = ask(f"{served.http}/v1/explain?time_limit=5", {**request, "why": ["Ann"]}).plain
    reported = command("explain", "--request", str(path), "--all", "--why", "Ann")
    assert explained == reported


def test_late_and_lobbies_answer_as_the_command_line(served: Served, tmp_path: Path) -> None:
    """So do a late joiner and lobbies."""
    path = tmp_path / "roster.json"
    path.write_text(json.dumps([*RUNNING, PLAYERS[3]]), encoding="utf-8")
    assert ask(f"{served.http}/v1/late", {"players": [*RUNNING, PLAYERS[3]]}).plain == command(
        "late", str(path)
    )
    assert ask(f"{served.http}/v1/late", {"players": RUNNING}).plain["advantage"]
    (tmp_path / "players.csv").write_text("id,skill\na,5\nb,3\nc,4\nd,1\n", encoding="utf-8")
    (tmp_path / "lobbies.csv").write_text("name,target\nx,8\ny,5\n", encoding="utf-8")
    players = [{"id": name, "skill": skill} for name, skill in (("a", 5), ("b", 3), ("c", 4), ("d", 1))]
    lobbies = [{"name": "x", "target": 8}, {"name": "y", "target": 5}]
    reported = command("lobbies", str(tmp_path / "players.csv"), str(tmp_path / "lobbies.csv"))
    # Which solver there is time for depends on the limit, which is the service's.
    answered = ask(f"{served.http}/v1/lobbies", {"players": players, "lobbies": lobbies}).plain
    assert {**answered, "solver": ""} == {**reported, "solver": ""}


def test_rate_and_predict_answer_as_the_command_line(served: Served, tmp_path: Path) -> None:
    """So do ratings and predictions."""
    path = tmp_path / "matches.jsonl"
    path.write_text("".join(json.dumps(match) + "\n" for match in MATCHES), encoding="utf-8")
    assert ask(f"{served.http}/v1/rate", {"matches": MATCHES}).plain == command("rate", str(path))
    body = {"matches": MATCHES, "teams": [["ann"], [{"id": "bob", "share": 0.5}, "new"]], "model": "elo"}
    reported = command("predict", str(path), "--team", "ann", "--team", "bob@0.5,new", "--model", "elo")
    assert ask(f"{served.http}/v1/predict", body).plain == reported


def test_names_are_read_as_people_write_them(served: Served) -> None:
    """A text is read as a roster is; one that can be read in several ways comes back with the readings."""
    url = f"{served.http}/v1/balance"
    assert ask(url, {"text": "1. Ann 9\n2. Bob 7\n3. Cid + Dee"}).status == 200
    answer = ask(url, {"text": "7 Bob 9"})
    assert (answer.status, answer.pointer) == (422, "#/text")
    assert {reading["read"] for reading in answer.plain["readings"]} >= {"weight-first", "name-first"}
    assert ask(url, {"text": "7 Bob 9", "read": "name-first"}).plain["splits"][0]["totals"] == [9.0, 0.0]


@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        ("balance", {"players": PLAYERS, "teams": 1}, "#/teams"),
        ("balance", {"players": PLAYERS, "nosuch": 1}, "#/nosuch"),
        ("balance", {"players": [*PLAYERS, {"name": "Eve", "weight": -1}]}, "#/players/4/weight"),
        ("balance", {"players": [{"name": "Eve", "wieght": 1}]}, "#/players/0/wieght"),
        ("balance", {"players": [*PLAYERS, {"name": "Eve", "team": 3}]}, "#/players/4/team"),
        ("balance", {"players": [*PLAYERS, {"id": "e", "prefer": ["Zed"]}]}, "#/players/4/prefer"),
        ("balance", {"players": {"Ann": 1, "a/b": "x"}}, "#/players/a~1b"),
        ("balance", {"players": PLAYERS, "bots": {"weigt": 1}}, "#/bots/weigt"),
        ("balance", {"players": PLAYERS, "fixed": {"Ann": 0}}, "#/fixed/Ann"),
        ("balance", {"players": PLAYERS, "rules": [{"players": ["Ann"]}, 5]}, "#/rules/0"),
        ("balance", {"players": PLAYERS, "parties": [["Ann", "Zed"]]}, "#/parties"),
        ("balance", {"players": PLAYERS, "objective": "json:loads"}, "#/objective"),
        ("balance", {"players": PLAYERS, "solver": "nosuch"}, "#/solver"),
        ("balance", {"players": PLAYERS, "text": "Ann"}, "#/text"),
        ("balance", {"players": PLAYERS, "read": "names"}, "#/read"),
        ("balance", [], "#"),
        ("explain", {"players": PLAYERS, "why": [["Ann"]]}, "#/why/0"),
        ("explain", {"players": PLAYERS, "edit": [{"move": "Ann", "team": 0}]}, "#/edit/0/team"),
        ("late", {"players": RUNNING, "pool": -1}, "#/pool"),
        ("late", {"players": RUNNING, "keep": 3}, "#/keep"),
        ("lobbies", {"players": [{"id": "a", "skil": 1}], "lobbies": [{"name": "x"}]}, "#/players/0"),
        ("lobbies", {"players": [{"id": "a"}], "lobbies": [{"name": "x"}, {"name": "x"}]}, "#/lobbies/1"),
        ("rate", {"matches": [MATCHES[0], WRONG]}, "#/matches/1/ranks"),
        ("rate", {"matches": MATCHES, "model": "os:system"}, "#/model"),
        ("predict", {"matches": MATCHES, "teams": [["ann"]]}, "#/teams"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_by_its_place(served: Served, path: str, body: Any, pointer: str) -> None:
    """A problem has the JSON pointer of the field, a status of 422, and the media type of problems."""
    answer = ask(f"{served.http}/v1/{path}", body)
    assert (answer.status, answer.pointer) == (422, pointer), answer.plain
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.plain["status"] == 422


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"{", 400), (b"\xff", 400), (b"[" * 10_000, 400), (b" " * 20_001, 413), (b'{"text":"\\ud800"}', 422)],
)
def test_bodies_that_are_none_are_refused(served: Served, body: bytes, status: int) -> None:
    """What is not JSON, and what is too large, has a status of its own."""
    answer = ask(f"{served.http}/v1/balance", body)
    assert answer.status in (status, 400), answer.plain
    assert "detail" in answer.plain


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("balance", b'{"players": {"a": 1, "a": 2, "b": 3}}'),
        ("balance", b'{"players": {"a": 1, "b": 2}, "players": {"c": 1, "d": 2}}'),
        ("explain", b'{"players": [{"name": "a", "weight": 1, "weight": 2}, "b"]}'),
        ("rate", b'{"matches": [{"id": "1", "id": "2", "teams": [["a"], ["b"]]}]}'),
        ("lobbies", b'{"players": [{"id": "a", "id": "b"}], "lobbies": [{"name": "x"}]}'),
        ("balance", b'{"players": {"a:b": 1, "a:b": 2, "::": 3}}'),
        ("balance", b'{"players": {"a\\u003a": 1, "a:": 2, "b": 3}}'),
    ],
)
def test_a_key_that_comes_twice_is_refused(served: Served, path: str, body: bytes) -> None:
    """As on the command line: the first would be lost without a word."""
    answer = ask(f"{served.http}/v1/{path}", body)
    assert answer.status == 422
    assert "comes twice" in answer.plain["detail"]


def test_colons_in_names_are_no_keys(served: Served) -> None:
    """Every pair has a colon, but not every colon a pair."""
    answer = ask(f"{served.http}/v1/balance", b'{"players": [{"name": ":a:", "weight": 1}, "b:{", "c\\":"]}')
    assert answer.status == 200
    one, other = answer.plain["splits"][0]["teams"]
    assert sorted(one + other) == [":a:", "b:{", 'c":']


def test_infeasible_is_an_answer(served: Served) -> None:
    """What cannot be solved is a status in the answer, as on the command line."""
    body = {"players": PLAYERS, "parties": [["Ann", "Bob"]], "apart": [["Ann", "Bob"]]}
    answer = ask(f"{served.http}/v1/balance", body)
    assert (answer.status, answer.plain["status"]) == (200, "infeasible")


@pytest.mark.parametrize(
    ("kind", "body", "pointer"),
    [
        ("balance", {"text": "Ann 9\n" * 10_000}, "#/text"),
        ("balance", {"text": "a+" * 20_000}, "#/text"),
        ("late", {"text": ", ".join(f"p{n}" for n in range(1000))}, "#/text"),
        ("explain", {"players": PLAYERS, "why": ["Ann"] * 101}, "#/why"),
        ("explain", {"players": PLAYERS, "edit": [{"move": "Ann", "team": 1}] * 101}, "#/edit"),
        ("explain", {"players": (names := [f"p{n}" for n in range(500)]), "apart": [names]}, "#/apart"),
        ("lobbies", {"players": [{"id": "a"}], "lobbies": [{"name": str(n)} for n in range(1001)]},
         "#/lobbies"),
    ],
)  # fmt: skip
def test_what_would_take_too_long_is_refused_by_number(kind: str, body: Any, pointer: str) -> None:
    """Nothing that a body may hold keeps a worker beyond its time, where the answer would be 503."""
    status, answer = answered(kind, json.dumps(body).encode(), 1.0)
    problem = json.loads(answer)
    assert (status, problem["errors"][0]["pointer"]) == (422, pointer), problem


@pytest.mark.parametrize(
    ("body", "why"), [(b"[" * 100_000, "it is nested too deeply"), (b'{"a": "\xff"}', "it is not UTF-8")]
)
def test_what_is_no_json_is_said_in_words(body: bytes, why: str) -> None:
    """Not in those of a decoder."""
    status, answer = answered("balance", body, 1.0)
    assert (status, json.loads(answer)["detail"]) == (400, f"the body is not JSON: {why}")


def test_a_search_that_had_a_share_of_its_time_says_so_unless_it_came_to_its_end() -> None:
    """What is proven needed no more time; where nobody waited nothing is said."""
    few = json.dumps({"players": {"Ann": 3, "Bob": 2, "Cid": 1}}).encode()
    many = {"players": {f"p{n}": (n * n * 7919) % 1009 + n / 7 for n in range(60)}, "teams": 4}
    body = json.dumps(many).encode()
    assert "effort" not in json.loads(answered("balance", few, 1.0, 0.25)[1])
    early = json.loads(answered("balance", body, 1e-3, 0.25)[1])
    assert early["status"] in ("feasible", "unknown")
    assert early["effort"] == 0.25
    assert "bound" in early
    assert "effort" not in json.loads(answered("balance", body, 1e-3)[1])
