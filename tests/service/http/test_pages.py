"""Pages for people over HTTP: those of the archive, the board, and what is no page."""

from __future__ import annotations

import gzip
import re
import time

import pytest
from tests.service.http.asking import ask
from tests.service.process import Served

from equipoise.archive.archive import open_archive


@pytest.fixture(scope="module")
def root(served: Served) -> str:
    """Return the address of the pages, once they are made."""
    for _ in range(200):
        if ask(f"{served.http}/").status == 200:
            return served.http
    pytest.fail("the pages are never made")


def test_the_pages_of_the_archive_are_there(root: str) -> None:
    """From the first page every link leads to one, with the policy that lets nothing else in."""
    first = ask(f"{root}/")
    assert first.headers["content-type"] == "text/html; charset=utf-8"
    assert first.headers["content-security-policy"].startswith("default-src 'self'; style-src 'sha256-")
    links = set(re.findall(r'(?:href|src)="([^"]*)"', first.body.decode()))
    links = {link for link in links if not link.startswith("data:")}
    assert {"board.html", "live.js", "leaderboard/index.html", "fairness/index.html"} < links
    for link in links:
        assert ask(f"{root}/{link}").status == 200, link


def test_running_games_are_on_the_page_of_servers(served: Served, root: str) -> None:
    """With map, state, teams and chances; hostile names are shown harmless, and old ones are not."""
    teams = [{"players": 3, "bots": 1, "chance": 0.48, "advantage": 1.08},
             {"players": 4, "bots": 0, "chance": 0.52, "advantage": 1.0}]  # fmt: skip
    session = {"phase": "playing", "map": "oa_ctf1", "ruleset": "openarena/ctf", "teams": teams}
    with open_archive(f"sqlite:///{served.store}") as archive:
        for name, at in (("<b>ours", time.time()), ("gone", time.time() - 1000.0)):
            archive.keep_session(name, {**session, "server": name, "at": at})
    page = ask(f"{root}/servers/index.html").body.decode()
    assert "&lt;b&gt;ours" in page
    assert "3 + 1 bots, 48 %, × 1.08; 4 + 0 bots, 52 %" in page
    assert "gone" not in page


def test_a_leaderboard_is_searched_and_given_as_csv(root: str) -> None:
    """The form's parameters choose rows; the CSV has them all."""
    index = ask(f"{root}/leaderboard/index.html").body.decode()
    (table,) = re.findall(r'href="\.\./(leaderboard/oa-ctf-[^"]*)\.html"', index)
    assert ask(f"{root}/{table}.html?q=lee").body.decode().count('<th scope="row">') == 1
    csv = ask(f"{root}/{table}.csv")
    assert csv.headers["content-type"] == "text/csv; charset=utf-8"
    assert "Ann Lee" in csv.body.decode()


def test_the_board_asks_the_service(root: str) -> None:
    """It knows where to ask for what it cannot prove, and where results are taken."""
    board = ask(f"{root}/board.html").body.decode()
    assert 'data-server="v1/balance"' in board
    assert 'data-results="v1/results"' in board


def test_an_unchanged_page_is_not_sent_again(root: str) -> None:
    """What a browser has is answered by 304, and what it has not comes compressed."""
    first = ask(f"{root}/index.html", Accept_Encoding="gzip")
    assert first.headers["content-encoding"] == "gzip"
    assert gzip.decompress(first.body).startswith(b"<!doctype html>")
    assert len(first.body) < 8_000
    etag = first.headers["etag"]
    for has in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        assert ask(f"{root}/index.html", If_None_Match=has).status == 304
    assert ask(f"{root}/index.html", If_None_Match='"other"').status == 200
    plain = ask(f"{root}/index.html", Accept_Encoding="gzip;q=0")
    assert ("content-encoding" in plain.headers, plain.body) == (False, gzip.decompress(first.body))


def test_a_missing_page_is_a_page_for_people(root: str) -> None:
    """A browser is shown where to go on; all others get the problem as data."""
    shown = ask(f"{root}/player/nobody.html", Accept="text/html,*/*")
    assert (shown.status, shown.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert b"There is nothing here" in shown.body
    assert ask(f"{root}/player/nobody.html").plain["status"] == 404


def test_other_paths_are_no_pages(root: str) -> None:
    """What is not there is a problem, and nothing but reading is a method of a page."""
    assert ask(f"{root}/player/nobody.html").status == 404
    assert ask(f"{root}/../etc/passwd").status == 404
    assert ask(f"{root}/index.html", method="DELETE").status == 405
