"""Tokens: every operation with every kind of token, what is written with them, and where none shows."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.cli.running import runner
from tests.service.http.asking import Answered, ask
from tests.service.process import TOKEN, Served

from equipoise.archive.archive import open_archive
from equipoise.cli import group
from equipoise.service.http.routes import OPERATIONS
from equipoise.service.tokens import SCOPES

RESULT = {"game": "oa", "game_type": "ctf", "teams": [["ann"], ["bob"]], "scores": [3, 1]}

#: For each path a place that exists, and a body that is right.
PATHS = {
    "{id:path}": "kept", "{ids:path}": "ann", "{id}": "ann", "{type}": "duel", "{ruleset:path}": "general",
    "{queue}": "duel", "{ticket}": "t1", "{match}": "1",
}  # fmt: skip
BODIES: dict[str, Any] = {
    "balance": {"players": {"Ann": 1, "Bob": 2}}, "explain": {"players": {"Ann": 1, "Bob": 2}},
    "late": {"players": [{"name": "Ann", "weight": 1, "team": 1}, {"name": "Bob", "weight": 2}]},
    "lobbies": {"players": [{"id": "a"}, {"id": "b"}], "lobbies": [{"name": "x"}]},
    "rate": {"matches": [{**RESULT, "ended": 0}]},
    "predict": {"matches": [{**RESULT, "ended": 0}], "teams": [["ann"], ["bob"]]},
    "results": {**RESULT, "id": "kept"}, "undo": {"back": True}, "who": {"names": ["nobody"]},
    "enter": {"id": "t1", "players": [{"id": "ann"}]},
    "enter_many": {"tickets": [{"id": "t1", "players": [{"id": "ann"}]}]},
    "accept": {"match": "1"}, "decline": {"match": "1"}, "end_match": {}, "pause": {},
    "merge": {"player": "nobody", "other": "no one"}, "forget": {"player": "nobody"},
    "make_token": {"name": "x", "scope": "read"},
    "balance_battle": urlencode(
        {"players": {"ann": {"skill": None}, "bob": {"skill": None}}, "bots": {}, "nbTeams": 2}
    ).encode(),
}  # fmt: skip


def equipoise(*args: str) -> str:
    """Run a command; return what it prints."""
    done = runner().invoke(group, args, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


class Guarded:
    """A server that asks for tokens even to read, with one token of each scope."""

    def __init__(self, folder: Path) -> None:
        store, self.file = folder / "games.db", str(folder / "tokens.json")
        open_archive(f"sqlite:///{store}").close()
        self.tokens = {scope: self.make(scope) for scope in SCOPES}
        self.tokens |= {"single": TOKEN, "wrong": self.tokens["admin"][:-1] + "x", "none": ""}
        self.tokens["revoked"] = self.make("admin")
        equipoise("tokens", "revoke", "--file", self.file, self.tokens["revoked"].split("_")[1])
        self.store = store
        self.served = Served(
            store, "--http", "127.0.0.1:0", "--http-rate", "1e6", "--read-token", "--tokens", self.file,
            "--wrong-token-seconds", "0.001",
            "--cors", "https://board.example",
        )  # fmt: skip

    def make(self, scope: str) -> str:
        """Make a token."""
        return equipoise("tokens", "make", "--file", self.file, "--name", scope, "--scope", scope).strip()

    def ask(
        self, path: str, kind: str, body: Any = None, method: str | None = None, **headers: str
    ) -> Answered:
        """Ask with a kind of token."""
        token = self.tokens[kind]
        given = {"authorization": f"Bearer {token}"} if token else {}
        return ask(self.served.http + path, body, method, **given, **headers)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """Return a server that asks for tokens; at its end nothing has printed one of them."""
    folder = tmp_path_factory.mktemp("tokens")
    made = Guarded(folder)
    command = Path(f"/proc/{made.served.process.pid}/cmdline")
    listed = command.read_text(encoding="utf-8") if command.exists() else ""
    yield made
    code, log = made.served.end()
    assert code == 0
    reported = json.dumps(log) + listed + Path(made.file).read_text(encoding="utf-8")
    secrets = {text.rpartition("_")[2] for text in made.tokens.values() if text}
    assert not [secret for secret in secrets if secret in reported]


@pytest.mark.parametrize("kind", ["none", "wrong", "revoked", "read", "report", "single", "admin"])
def test_every_operation_takes_the_tokens_of_its_scope_alone(guarded: Guarded, kind: str) -> None:
    """Without a token or with a wrong one it is 401, with one for less 403, else it is answered."""
    guarded.ask("/v1/results", "admin", BODIES["results"])
    has = {"single": "report"}.get(kind, kind)
    for operation in OPERATIONS:
        path = operation.path
        for place, value in PATHS.items():
            path = path.replace(place, value)
        status = guarded.ask(path, kind, BODIES.get(operation.name), operation.method).status
        if "{ticket}" in operation.path:  # a capability does too, but for the queue: there is none
            assert status == 404, operation.name
        elif (
            "{evening}" in operation.path or operation.path == "/v1/tonight" or "/page" in operation.path
        ):  # links of evenings and of queues, not tokens
            assert status in (400, 401, 404, 422), operation.name
        elif not operation.scope:
            assert status == 200, operation.name
        elif has not in SCOPES:
            assert status == 401, operation.name
        elif SCOPES.index(has) < SCOPES.index(operation.scope):
            assert status == 403, operation.name
        else:
            assert status in (200, 201, 404, 409), operation.name  # nobody is known yet


def test_wrong_tokens_are_counted(guarded: Guarded) -> None:
    """A wrong token is told apart from none, and metrics count it."""
    answer = guarded.ask("/v1/rulesets", "wrong")
    assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")
    text = guarded.ask("/metrics", "read").body.decode()
    (line,) = [each for each in text.splitlines() if each.startswith("equipoise_failed") and "http" in each]
    assert float(line.split()[-1]) >= 1


def test_a_revoked_token_is_wrong_within_a_second(guarded: Guarded) -> None:
    """A running server takes notice of tokens that are made and revoked."""
    made = guarded.make("read")
    guarded.tokens["late"] = made
    while guarded.ask("/v1/rulesets", "late").status != 200:
        assert guarded.served.process.poll() is None
    equipoise("tokens", "revoke", "--file", guarded.file, made.split("_")[1])
    while guarded.ask("/v1/rulesets", "late").status == 200:
        assert guarded.served.process.poll() is None
    assert made.split("_")[1] not in equipoise("tokens", "list", "--file", guarded.file)


def test_a_result_is_kept_once_under_its_id(guarded: Guarded) -> None:
    """It is 201 once, then 200 whenever it ended, and 409 with another result; both protocols show it."""
    body = {**RESULT, "id": "night/1"}
    answers = [guarded.ask("/v1/results", "report", body) for _ in range(2)]
    assert [answer.status for answer in answers] == [201, 200]
    expected = {"id": "night/1", "people": {}, "new_players": []}
    assert [answer.plain for answer in answers] == [{**expected, "new": new} for new in (True, False)]
    answer = guarded.ask("/v1/results", "report", {**body, "scores": [1, 3]})
    assert (answer.status, answer.pointer) == (409, "#/id")
    keyed = [guarded.ask("/v1/results", "report", RESULT, idempotency_key="k1").status for _ in range(2)]
    assert keyed == [201, 200]
    assert guarded.ask("/v1/results", "report", RESULT, idempotency_key="\xff").status == 422
    assert guarded.ask("/v1/results", "report", body, idempotency_key="night/1").status == 200
    answer = guarded.ask("/v1/results", "report", body, idempotency_key="night/2")
    assert (answer.status, answer.pointer) == (422, "#/id")
    match = guarded.ask("/v1/matches/night/1", "read").plain
    assert (match["contests"][0]["scores"], match["undone"]) == ([3.0, 1.0], False)
    asked = guarded.served.ask(f"AUTH {guarded.tokens['report']}\nAUTH {guarded.tokens['read']}\n")
    assert asked.splitlines()[0] == "AUTH ok"
    assert asked.splitlines()[1].startswith("ERR wrong-token")
    while "ann" not in guarded.served.ask("GAME oa/ctf\nALL\n"):
        assert guarded.served.process.poll() is None


def test_a_result_ahead_of_the_clock_counts_as_read_now(guarded: Guarded) -> None:
    """It is kept, and that is said; reported again it is known."""
    before = time.time()
    body = {**RESULT, "id": "ahead", "ended": before + 86_400.0}
    answers = [guarded.ask("/v1/results", "report", body) for _ in range(2)]
    assert [answer.status for answer in answers] == [201, 200]
    for answer in answers:
        said = "dated 1,440 minutes ahead of this machine's clock: it counts as read now"
        assert answer.plain["read"] == said
    match = guarded.ask("/v1/matches/ahead", "read").plain
    assert before - 1.0 <= match["ended"] <= time.time() + 1.0
    assert not match["dated"]


def test_a_result_says_what_it_changed_where_that_is_asked(guarded: Guarded) -> None:
    """Points and places once it is learnt, which add up with the table; nothing the second time."""
    body = {**RESULT, "id": "night/7"}
    first = guarded.ask("/v1/results?changes=true", "report", body)
    assert first.status == 201
    changes = {each["id"]: each for each in first.plain["changes"]}
    assert changes["ann"]["change"] > 0 > changes["bob"]["change"]
    assert (changes["ann"]["place"], changes["bob"]["place"]) == (1, 2)
    assert changes["ann"]["up"] >= 0 >= changes["bob"]["up"]
    rows = guarded.ask("/v1/leaderboards/oa/ctf?min_games=1", "read").plain["players"]
    assert [round(10 * row["weight"]) for row in rows] == [changes["ann"]["points"], changes["bob"]["points"]]
    assert {row["name"] for row in rows} == {"ann", "bob"}
    assert guarded.ask("/v1/results?changes=true", "report", body).plain["changes"] is None
    assert guarded.ask("/v1/results?changes=perhaps", "report", body).status == 422


def test_a_match_is_found_by_any_part_of_its_id_that_only_it_has(guarded: Guarded) -> None:
    """The answers have the whole id; what several have is asked about."""
    for name in ("night-20-alpha", "night-20-beta"):
        guarded.ask("/v1/results", "report", {**RESULT, "id": name, "scores": [len(name), 1]})
    for part in ("night-20-alpha", "night-20-a", "alpha"):
        assert guarded.ask(f"/v1/matches/{part}", "read").plain["id"] == "night-20-alpha"
    several = guarded.ask("/v1/matches/night-20", "read")
    assert (several.status, "several have an id" in several.plain["detail"]) == (409, True)
    assert guarded.ask("/v1/matches/night-20/undo", "admin", {}).status == 409
    undone = guarded.ask("/v1/matches/beta/undo", "admin", {})
    assert undone.plain == {"match": "night-20-beta", "undone": True}


def test_a_result_says_which_game_it_is_of(guarded: Guarded) -> None:
    """As a whole, or of each contest; otherwise nobody would know whose ratings count."""
    teams = {"teams": [["ann"], ["bob"]], "scores": [1, 0]}
    named = {**teams, "game": "oa"}
    for n, (body, status, pointer) in enumerate(
        (
            (teams, 422, "#/game"),
            ({**teams, "game": ""}, 422, "#/game"),
            ({"contests": [teams, named]}, 422, "#/contests/0/game"),
            ({"contests": [named, teams]}, 422, "#/contests/1/game"),
            ({"contests": [named]}, 201, ""),
            ({"contests": [teams], "game": "oa"}, 201, ""),
        )
    ):
        answer = guarded.ask("/v1/results", "report", {**body, "id": f"game/{n}"})
        assert answer.status == status, (body, answer.plain)
        assert status == 201 or answer.pointer == pointer


def test_an_undone_match_does_not_count_until_it_is_taken_back(guarded: Guarded) -> None:
    """Undoing twice is as undoing once, and a match that is not there is 404."""
    guarded.ask("/v1/results", "report", {**RESULT, "id": "wrong-one"})
    for body, undone in ((None, True), ({}, True), ({"back": True}, False)):
        answer = guarded.ask("/v1/matches/wrong-one/undo", "admin", body or {})
        assert answer.plain == {"match": "wrong-one", "undone": undone}
    for match in ("nosuch", "%0A", "a%0Ab"):
        answer = guarded.ask(f"/v1/matches/{match}/undo", "admin", {})
        assert (answer.status, "there is no match" in answer.plain["detail"]) == (404, True), answer.plain
    assert guarded.ask("/v1/matches/wrong-one/undo", "admin", {"bak": True}).status == 422


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (RESULT, "#/id"), ({**RESULT, "id": "x" * 201}, "#/id"),
        ({**RESULT, "id": "kept-nowhere", "nosuch": 1}, "#/nosuch"),
        ({**RESULT, "id": "kept-nowhere", "scores": ["x", 1]}, "#/scores"),
        ({**RESULT, "id": "kept-nowhere", "ended": -1e12}, "#/ended"),
        ({"id": "kept-nowhere", "scores": [1, 2]}, "#"),
    ],
)  # fmt: skip
def test_results_that_are_wrong_are_refused(guarded: Guarded, body: Any, pointer: str) -> None:
    """Nothing is kept, and the place is named."""
    answer = guarded.ask("/v1/results", "report", body)
    assert (answer.status, answer.pointer) == (422, pointer)
    assert guarded.ask("/v1/matches/kept-nowhere", "read").status == 404


def test_web_pages_may_ask_from_where_the_setting_says(guarded: Guarded) -> None:
    """A page of that origin gets the headers that let it read, also before it asks; others do not."""
    url = guarded.served.http + "/v1/balance"
    answer = ask(url, method="OPTIONS", origin="https://board.example", access_control_request_method="POST")
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (204, "https://board.example")
    answer = guarded.ask("/livez", "none", origin="https://board.example")
    assert answer.headers["access-control-allow-origin"] == "https://board.example"
    assert (
        "access-control-allow-origin"
        not in guarded.ask("/livez", "none", origin="https://evil.example").headers
    )
    assert ask(url, method="OPTIONS", origin="https://evil.example").status == 405
    for headers in ({}, {"origin": "https://evil.example"}):
        assert guarded.ask("/v1/rulesets", "read", **headers).headers["vary"] == "origin"


def test_without_a_token_nothing_is_written(served: Served) -> None:
    """On loopback either; reading needs none."""
    assert ask(f"{served.http}/v1/results", {**RESULT, "id": "x"}).status == 401
    assert ask(f"{served.http}/v1/rulesets").status == 200


def test_the_file_of_tokens_is_for_its_owner(tmp_path: Path) -> None:
    """Others may not read it, it holds no secret, and a file that is something else is refused."""
    path = tmp_path / "tokens.json"
    made = equipoise("tokens", "make", "--file", str(path), "--name", "Ann", "--scope", "report").strip()
    assert path.stat().st_mode & 0o077 == 0
    assert made.rpartition("_")[2] not in path.read_text(encoding="utf-8")
    listed = json.loads(equipoise("tokens", "list", "--file", str(path), "--json"))["tokens"]
    assert [(each["name"], each["scope"]) for each in listed] == [("Ann", "report")]
    path.write_text("[]", encoding="utf-8")
    done = runner().invoke(group, ["tokens", "list", "--file", str(path)])
    assert "not a file of tokens" in str(done.exception)
