"""Codes that link ids: asked for in one place, typed on a game server, over IRC, or on a page."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.service.test_live_restart import IDS, Server
from tests.service.test_tonight import Evening

from equipoise.archive.archive import Archive, open_archive
from equipoise.errors import InputError
from equipoise.play.evening_events import EveningLobby
from equipoise.service.chat.irc_session import ChatSession, Spoken
from equipoise.service.link_codes import HOLDS, new_code, redeem
from equipoise.service.pickup_lobbies import ChatReply, Pickups

ANN = "discord:1000"


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    """Return an archive."""
    with open_archive(f"sqlite:///{tmp_path}/night.db", create=True) as archive:
        yield archive


def over_irc(archive: Archive, *lines: str) -> list[ChatReply]:
    """Return what a chat replies to bytes of a server with accounts: ann is logged in, bob is not."""
    pickups, replies = Pickups(archive, [EveningLobby("duel", 2, 1)]), list[ChatReply]()
    session = ChatSession("bot", "#pug", "", "", 1e9)
    start = (
        ":irc CAP * LS :account-tag extended-join", ":irc CAP bot ACK :account-tag extended-join",
        ":irc 001 bot :hi", ":irc 376 bot :end", ":bot!b@h JOIN #pug * :bot",
        ":Ann!a@h JOIN #pug annacc :x", ":bob!b@h JOIN #pug * :x", ":irc 317 bot bob 1 1000 :x",
    )  # fmt: skip
    for line in (*start, *lines):
        for each in session.feed(f"{line}\r\n".encode(), time.time()):
            if isinstance(each, Spoken):
                replies += pickups.hear(each.who, each.nick, each.text, time.time(), session.id_of)
    return replies


def test_a_code_is_typed_on_a_game_server(archive: Archive, tmp_path: Path) -> None:
    """Whoever types it in the game's chat is told so, and is one person with who asked; nobody else is."""
    server = Server(archive, tmp_path / "games.log")
    server.play(("ann", "bob"), ("cid", "dan"))
    code = new_code(archive, ANN, time.time())
    server.write("say: bob: !link nonsense")
    assert archive.merged() == {}
    server.write(f"say: ann: !link {code}")
    assert archive.merged() == {ANN: IDS["ann"]}
    server.clock += 60
    server.write(f"say: cid: !link {code}")
    assert archive.merged() == {ANN: IDS["ann"]}
    server.close()


def test_a_code_is_typed_over_irc(archive: Archive) -> None:
    """An account proves who types it; a nick proves nothing, and leaves the code as it was."""
    code = new_code(archive, ANN, time.time())
    (refused,) = over_irc(archive, f":bob!b@h PRIVMSG #pug :!link {code}")
    assert "log in first" in refused.text
    assert archive.merged() == {}
    (done,) = over_irc(archive, f"@account=annacc :Ann!a@h PRIVMSG bot :!link {code.upper()}")
    assert "one person" in done.text
    assert archive.merged() == {ANN: "annacc"}
    (late,) = over_irc(archive, f"@account=annacc :Ann!a@h PRIVMSG bot :!link {code}")
    assert "does not hold" in late.text


def test_a_code_is_typed_in_a_browser(tmp_path: Path) -> None:
    """A guest links a name that nobody bore before, from the phone that has it; the organiser every name."""
    evening = Evening(f"sqlite:///{tmp_path}/night.db")
    evening.do("add", text="Amber\nBirch\nCedar\nDahlia")
    evening.do("divide")
    evening.do("result", match=evening.view["division"]["id"], ranks=[1, 2])
    evening.do("claim", "guest", "phone a", who="Amber")
    evening.do("claim", "guest", "phone z", name="Zelkova")
    with open_archive(evening.url) as archive:
        one, other = (new_code(archive, each, time.time()) for each in (ANN, "discord:1001"))
    stolen = evening.do("link", "guest", "phone a", who="Amber", code=one)
    assert (stolen.status, "organiser types" in stolen.why) == ("refused", True)
    assert "another phone" in evening.do("link", "guest", "phone a", who="Zelkova", code=one).why
    assert "does not hold" in evening.do("link", who="Amber", code="abcd-efgh").why
    assert evening.do("link", who="Amber", code=one).status == "done"
    assert evening.do("link", "guest", "phone z", who="Zelkova", code=other).status == "done"
    assert "does not hold" in evening.do("link", who="Birch", code=one).why
    with open_archive(evening.url) as archive:
        assert archive.merged() == {ANN: "Amber", "discord:1001": "Zelkova"}
    evening.again()
    assert evening.do("divide").status == "done"
    with open_archive(evening.url) as archive:
        archive.forget(ANN)
        assert ANN not in repr(archive.night_events())
        assert "Amber" not in repr((archive.night_events(), list(archive.matches()), archive.merged()))


def test_of_two_who_type_a_code_at_once_one_is_linked(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is second finds it used, even where both have looked it up before either used it."""
    code, now = new_code(archive, ANN, 1e9), 1e9 + 1
    usual, calls = archive.merge, list[str]()

    def first(one: str, other: str, **more: object) -> None:
        if not calls:
            calls.append(one)
            redeem(archive, code, "fast", now)
        usual(one, other, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(archive, "merge", first)
    with pytest.raises(InputError, match="does not hold"):
        redeem(archive, code, "slow", now)
    assert archive.merged() == {ANN: "fast"}


def test_a_code_that_links_nobody_holds_on(archive: Archive) -> None:
    """Where both are one already nothing is used up; after a quarter of an hour nothing is left."""
    code = new_code(archive, ANN, 1e9)
    with pytest.raises(InputError, match="one person already"):
        redeem(archive, code, ANN, 1e9)
    with pytest.raises(InputError, match="does not hold"):
        redeem(archive, code, "guid", 1e9 + HOLDS + 1)
    assert redeem(archive, code, "guid", 1e9 + HOLDS) == ANN
