"""What an archive knows, over HTTP: players, rulesets, leaderboards, matches, and what has changed."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.service.http.asking import ask
from tests.service.process import TOKEN, Served

from equipoise.archive.archive import open_archive
from equipoise.client import Client
from equipoise.core.match_records import match_from
from equipoise.service.http.event_stream import MOST_MATCHES


def test_players_come_page_by_page(served: Served) -> None:
    """Following the cursor, everyone comes once, with the ratings that the command line shows."""
    found, cursor = [], ""
    while cursor is not None:
        page = ask(f"{served.http}/v1/players?limit=2&cursor={quote(cursor)}").plain
        found += page["players"]
        cursor = page["next"]
    assert sorted(row["id"] for row in found) == ["a/b", "ann", "bob", "bot:Sarge:3", "cid"]
    assert {row["ruleset"] for row in found} == {"general"}


def test_players_are_found_by_name_and_ruleset(served: Served) -> None:
    """A part of a name finds them whatever the case, and a ruleset only those who have played it."""
    found = ask(f"{served.http}/v1/players?q={quote('ZOË')}").plain["players"]
    assert [row["id"] for row in found] == ["a/b"]
    found = ask(f"{served.http}/v1/players?ruleset={quote('oa/tdm+instagib', safe='')}").plain["players"]
    assert sorted(row["id"] for row in found) == ["ann", "cid"]
    assert ask(f"{served.http}/v1/players?ruleset=no%2Fsuch").status == 404


def test_a_player_is_shown_with_every_ruleset(served: Served) -> None:
    """Ratings and games are those of the archive, whatever signs the id has."""
    card = ask(f"{served.http}/v1/players/ann").plain
    assert (card["name"], [row["games"] for row in card["ratings"]]) == ("Ann Lee", [3, 2, 1])
    assert ask(f"{served.http}/v1/players/{quote('a/b', safe='')}").plain["name"] == "Zoë"
    assert ask(f"{served.http}/v1/players/nobody").status == 404
    games = ask(f"{served.http}/v1/players/ann/history?why=true").plain["games"]
    assert [game["match"] for game in games] == ["one", "two", "three"]
    assert games[-1]["mu"] == pytest.approx(card["ratings"][2]["mu"])
    assert ask(f"{served.http}/v1/players/nobody/history").status == 404


def test_leaderboards_are_in_order(served: Served) -> None:
    """The strongest come first, bots do not come, and least games count."""
    rows = ask(f"{served.http}/v1/leaderboards/oa/ctf").plain["players"]
    assert [row["mu"] for row in rows] == sorted((row["mu"] for row in rows), reverse=True)
    assert sorted(row["id"] for row in rows) == ["a/b", "ann", "bob", "cid"]
    rows = ask(f"{served.http}/v1/leaderboards/general?min_games=3&limit=1").plain["players"]
    assert [row["games"] for row in rows] == [3]
    texts = [row["ruleset"] for row in ask(f"{served.http}/v1/rulesets").plain["rulesets"]]
    assert texts == ["general", "oa/ctf", "oa/tdm+instagib"]


def test_matches_come_newest_first(served: Served) -> None:
    """Following the cursor, every match comes once, as match files have it."""
    page = ask(f"{served.http}/v1/matches?limit=2").plain
    last = ask(f"{served.http}/v1/matches?limit=2&cursor={page['next']}").plain
    assert [match["id"] for match in page["matches"] + last["matches"]] == ["three", "two", "one"]
    assert last["next"] is None
    match = ask(f"{served.http}/v1/matches/one").plain
    assert match == last["matches"][0]
    assert match["contests"][0]["teams"][0] == [{"id": "ann", "name": "Ann Lee"}, {"id": "bob"}]
    assert ask(f"{served.http}/v1/matches/nosuch").status == 404


@pytest.mark.parametrize(
    "path",
    [
        "players",
        "players/ann",
        "players/ann/history",
        "rulesets",
        "leaderboards/general",
        "matches",
        "matches/one",
    ],
)
def test_what_has_not_changed_is_not_sent_again(served: Served, path: str) -> None:
    """Every answer bears the revision, and whoever has it gets 304 and no body."""
    tag = ask(f"{served.http}/v1/{path}").headers["etag"]
    answer = ask(f"{served.http}/v1/{path}", if_none_match=f'"0", W/{tag}')
    assert (answer.status, answer.body, answer.headers["etag"]) == (304, b"", tag)
    assert ask(f"{served.http}/v1/{path}", if_none_match='"0"').status == 200


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1/players?limit=0", 422), ("/v1/players?limit=x", 422), ("/v1/players?nosuch=1", 422),
        ("/v1/players?limit=1&limit=2", 422), ("/v1/players?cursor=x", 422),
        ("/v1/matches?cursor=bnVsbA", 422),
        ("/v1/rulesets?a=1", 422), ("/v1/balance?time_limit=null", 405), ("/nosuch", 404), ("/v1", 404),
        ("/v1/players%0A", 404), ("/v1/players/%0A", 404), ("/v1/players/a%0Ab/history", 404),
    ],
)  # fmt: skip
def test_addresses_that_are_wrong_are_refused(served: Served, path: str, status: int) -> None:
    """Unknown paths and parameters, and values out of range, are problems."""
    answer = ask(served.http + path)
    assert (answer.status, answer.plain["status"]) == (status, status)


def test_running_games_are_listed_and_reported_as_they_change(tmp_path: Path) -> None:
    """Those that were heard of lately; a listener gets them at once, and again when something has changed."""
    store = tmp_path / "games.db"
    session = {"server": "ctf", "phase": "playing", "map": "oa_ctf1", "ruleset": "openarena/ctf", "teams": []}
    with open_archive(f"sqlite:///{store}") as archive:
        archive.keep_session("old", {**session, "server": "old", "at": time.time() - 1000.0})
        archive.keep_session("ctf", {**session, "at": time.time()})
        served = Served(store, "--http", "127.0.0.1:0", "--http-rate", "1e6")
        (listed,) = ask(f"{served.http}/v1/sessions").plain["sessions"]
        assert {**listed, "at": 0} == {**session, "at": 0}
        reported = Client(served.http).events()
        kind, content, _ = next(reported)
        assert (kind, content["map"]) == ("session", "oa_ctf1")
        archive.keep_session("ctf", {**session, "map": "oa_ctf2", "at": time.time()})
        while content["map"] != "oa_ctf2":  # the look before the change says nothing
            kind, content, _ = next(reported)
            assert kind == "session"
        reported.close()
    assert served.end()[0] == 0


def test_of_very_many_matches_an_event_says_how_many(tmp_path: Path) -> None:
    """Not only that they are more than are told one by one."""
    store = tmp_path / "games.db"
    games = [
        {"id": f"g{n}", "ended": 1e9 + n, "game": "oa", "teams": [["a"], ["b"]], "scores": [1, 0]}
        for n in range(MOST_MATCHES + 99)
    ]
    with open_archive(f"sqlite:///{store}") as archive:
        archive.record([match_from(each) for each in games])
        archive.update_ratings()
    served = Served(store, "--http", "127.0.0.1:0", "--http-rate", "1e6")
    kind, content, _ = next(Client(served.http).events(last=0))
    assert (kind, content["matches"]) == ("ratings", MOST_MATCHES + 99)
    newest = content["revision"]
    kind, content, revision = next(Client(served.http).events(last=newest + 1000))  # of another archive
    assert (kind, content["matches"], content["revision"], revision) == ("ratings", 0, newest, newest)
    served.end()


def test_each_match_is_sent_once_however_fast_they_come(tmp_path: Path) -> None:
    """To whoever listens and to whoever comes back meanwhile; what ``ratings`` count adds up to them."""
    served = Served(tmp_path / "games.db", "--create", "--http", "127.0.0.1:0", "--http-rate", "1e6")
    count, start = 60, ask(f"{served.http}/readyz").plain["revision"]

    def post(n: int) -> None:
        body = {"id": f"g{n}", "game": "oa", "teams": [["a"], ["b"]], "scores": [1, 0]}
        assert ask(f"{served.http}/v1/results", body, Authorization=f"Bearer {TOKEN}").status == 201

    def listen(_: int) -> tuple[list[str], int]:
        sent, counted = list[str](), 0
        reported = Client(served.http).events(last=start)
        while counted < count:
            kind, content, _ = next(reported)
            if kind == "match":
                sent.append(content["id"])
            counted += content["matches"] if kind == "ratings" else 0
        reported.close()
        return sent, counted

    with ThreadPoolExecutor(9) as threads:
        first = [threads.submit(listen, n) for n in range(2)]
        list(threads.map(post, range(count // 2)))
        others = [threads.submit(listen, n) for n in range(3)]
        list(threads.map(post, range(count // 2, count)))
        for each in [*first, *others]:
            sent, counted = each.result()
            assert len(sent) == len(set(sent)) == counted == count
    served.end()


def test_health_tells_that_it_lives(served: Served) -> None:
    """A process that answers is alive, and ready with a revision."""
    assert ask(f"{served.http}/livez").plain == {"status": "alive"}
    assert ask(f"{served.http}/readyz").plain["revision"] > 0
    assert ask(f"{served.http}/livez", method="HEAD").body == b""
    assert ask(f"{served.http}/livez", b"x").headers["allow"] == "GET, HEAD"


def test_an_unknown_parameter_is_named(served: Served) -> None:
    """Where there are others, and where there are none."""
    for path in ("players", "rulesets"):
        problem = ask(f"{served.http}/v1/{path}?limt=1").plain
        assert problem["detail"] == "there is no parameter 'limt' here"


def test_names_are_those_of_people(served: Served) -> None:
    """The one resolver answers, with weights; who is not known has no candidate."""
    asked = {"names": ["ANN LEE", "zoe", "ann", "nobody"], "ruleset": "oa/ctf"}
    answer = ask(f"{served.http}/v1/who", asked)
    assert answer.status == 200
    people = answer.plain["people"]
    assert [each["id"] for each in people] == ["ann", "a/b", "ann", None]
    assert [len(each["candidates"]) for each in people] == [1, 1, 1, 0]
    assert 0.0 <= people[0]["candidates"][0]["weight"] <= 100.0
    assert ask(f"{served.http}/v1/who", {"names": []}).status == 422
    assert ask(f"{served.http}/v1/who", {"names": ["ann"], "ruleset": "no/such"}).status == 404
