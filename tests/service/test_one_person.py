"""One person with two ids in an evening of several doors, and two of one name of whom one is forgotten."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
from tests.service.test_tonight import Evening

from equipoise.archive import corrections, forgotten_rows
from equipoise.archive.archive import Archive, open_archive
from equipoise.errors import InputError
from equipoise.pages.text.discord import button_id
from equipoise.play import evening_events as ev
from equipoise.play.lobby_forms import lobby_of
from equipoise.service import link_codes
from equipoise.service.chat.discord_presses import DiscordAnswer, Pressed
from equipoise.service.chat.discord_rooms import DiscordRooms, in_channel
from equipoise.service.forgetting import forget
from equipoise.service.night import opened
from equipoise.service.pickup_lobbies import Pickups
from equipoise.service.tonight import hashed, renewed_links

CHANNEL, LOBBY = "502", "thursday"
NUMBERS = itertools.count(1)


@pytest.fixture
def evening(tmp_path: Path) -> Evening:
    """Return an evening in a browser."""
    return Evening(f"sqlite:///{tmp_path}/night.db")


@pytest.fixture
def archive(evening: Evening) -> Iterator[Archive]:
    """Give its archive."""
    with open_archive(evening.url) as archive:
        yield archive


@pytest.fixture
def rooms(archive: Archive) -> DiscordRooms:
    """Return the same evening on Discord, where three are in."""
    lobby = ev.EveningLobby(LOBBY, size=None, ready=0.0, vote=0.0, contradict=0.0, called=True,
                            channel=f"discord:{CHANNEL}")  # fmt: skip
    rooms = DiscordRooms(archive, [lobby], web="https://games.example")
    rooms.start(time.time())
    for number, name in ((3001, "Amber"), (3002, "Birch"), (3003, "Cedar")):
        press(rooms, number, name, "in")
    return rooms


def press(rooms: DiscordRooms, number: int, name: str, what: str, lobby: str = LOBBY) -> DiscordAnswer:
    """Press a button of the lobby."""
    button = button_id(what, f"discord:{number}" if what == "forget" else lobby)
    pressed = Pressed(str(next(NUMBERS)), str(number), name, CHANNEL, button=button)
    return rooms.press(pressed, time.time())


def here(archive: Archive, lobby: str = LOBBY) -> list[str]:
    """Return who is in the lobby, as any process that begins now finds it."""
    return Pickups(archive, []).evening.waiting[lobby]


def test_a_linked_person_is_in_once_through_every_door(
    evening: Evening, archive: Archive, rooms: DiscordRooms
) -> None:
    """A guest links a code of Discord: both doors mean one place, and taps, teams and results go on."""
    assert evening.do("claim", "guest", "phone a", name="Webby").status == "done"
    code = link_codes.new_code(archive, "discord:3004", time.time())
    assert evening.do("link", "guest", "phone a", who="Webby", code=code).status == "done"
    assert "is here already" in press(rooms, 3004, "Dahlia", "in").text
    assert here(archive) == ["discord:3001", "discord:3002", "discord:3003", "Webby"]
    assert press(rooms, 3004, "Dahlia", "out").text == ""
    assert "Webby" not in here(archive)
    assert press(rooms, 3004, "Dahlia", "in").text == ""
    assert press(rooms, 3001, "Amber", "divide").text == ""
    assert evening.do("claim", "guest", "phone b", name="New").status == "done"
    game = rooms.evening.current(LOBBY)
    assert game is not None
    assert len(set(chain(*game.teams))) == 4
    shown = rooms.wanted(CHANNEL, time.time())
    assert any("discord:3004" in message.pings for message in shown.values())
    assert any("discord:3004" in chain(*each.teams) for each in rooms.playing(CHANNEL, time.time()).values())
    evening.again()
    match = evening.view["division"]["id"]
    assert evening.do("result", match=match, ranks=[1, 2]).status == "done"
    assert evening.view["phase"] == "saved"


@pytest.mark.parametrize("way", ["code", "merge", "merge the other way"])
def test_two_who_are_both_in_become_one(
    evening: Evening, archive: Archive, rooms: DiscordRooms, way: str
) -> None:
    """By a code before there are teams, or in an archive that lets both be one behind a board: once there."""
    evening.do("claim", "guest", "phone a", name="Webby")
    evening.do("claim", "guest", "phone b", name="Other")
    if way != "code":
        press(rooms, 3001, "Amber", "divide")
    else:
        code = link_codes.new_code(archive, "discord:3002", time.time())
        assert evening.do("link", "guest", "phone a", who="Webby", code=code).status == "done"
        press(rooms, 3001, "Amber", "divide")
    if way != "code":
        pair = ("Webby", "discord:3002")
        archive.merge(*(pair if way == "merge" else pair[::-1]), unseen=pair)
    one = archive.merged()
    for phone, name in (("phone c", "Yew"), ("phone d", "Zinnia")):
        assert evening.do("claim", "guest", phone, name=name).status == "done"
    rooms.tick(time.time())
    for known in (rooms.evening, Pickups(archive, []).evening):
        there = known.waiting[LOBBY]
        assert len(there) == len({one.get(each, each) for each in there}) == 6
        game = known.current(LOBBY)
        assert game is not None
        assert sorted(chain(*game.teams, game.out)) == sorted(there)
        assert max(map(len, game.teams)) == min(map(len, game.teams)) == 3
    assert [each["status"] for each in evening.view["people"]] == ["in"] * 6
    seats = {each["id"]: each["seat"] for each in evening.view["people"]}
    assert "phone a" in seats.values()
    assert press(rooms, 3002, "Birch", "out").text == ""
    assert len(here(archive)) == 5


def test_a_night_at_a_terminal_follows_a_merge(tmp_path: Path) -> None:
    """Somebody who came under two names is there once, and is meant by either name."""
    url = f"sqlite:///{tmp_path}/night.db"
    with opened(url) as night:
        names = ("Ann", "Anna", "Bob", "Cid")
        night.take(ev.Attend(night.lobby, names, spelled=dict(zip(names, names, strict=True))))
        night.take(ev.Call(night.lobby))
    with open_archive(url) as archive:
        archive.merge("Ann", "Anna", unseen=("Ann", "Anna"))
    with opened(url) as night:
        assert night.setup.here == ("Ann", "Bob", "Cid")
        assert night.proposal is not None
        assert sorted(chain(*night.proposal.teams, night.proposal.out)) == ["Ann", "Bob", "Cid"]
        assert night.present("Anna") == night.present("Ann") == "Ann"
        assert [row["name"] for row in night.rows()] == ["Ann", "Bob", "Cid"]


def test_those_merged_before_any_evening_are_one(tmp_path: Path) -> None:
    """A merge that no evening was told of holds in the first one, and in one that was open already."""
    with open_archive(f"sqlite:///{tmp_path}/night.db") as archive:
        lobby = in_channel(lobby_of("tonight=allvall"), CHANNEL)
        rooms = DiscordRooms(archive, [lobby])
        archive.merge("Webby", "discord:3004", unseen=("Webby", "discord:3004"))
        assert archive.night_events() == []
        assert press(rooms, 3004, "Dahlia", "in", lobby.name).text == ""
        assert here(archive, lobby.name) == ["Webby"]
        assert press(rooms, 3004, "Dahlia", "out", lobby.name).text == ""
        assert here(archive, lobby.name) == []


def test_an_archive_without_records_of_merges_is_read(evening: Evening, archive: Archive) -> None:
    """As an earlier version has left it: both are in, with teams, and are one from the next start on."""
    for phone in ("Amber", "Birch", "Cedar", "Dahlia"):
        evening.do("claim", "guest", phone, name=phone)
    evening.do("divide")
    with archive._database.writing() as connection:
        corrections.merge(archive._database, connection, "Amber", "Dahlia", ("Amber", "Dahlia"))
    evening.again()
    assert [each["name"] for each in evening.view["people"]] == ["Amber", "Birch", "Cedar"]
    assert sum(map(len, evening.view["division"]["teams"])) == 3
    assert evening.do("status", "guest", "Amber", who="Dahlia", status="out").status == "done"
    evening.again()
    assert here(archive) == ["Birch", "Cedar"]


def test_a_chat_speaks_to_who_is_merged(tmp_path: Path) -> None:
    """An account that counts under another id waits under that one, and is answered under its own."""
    with open_archive(f"sqlite:///{tmp_path}/night.db") as archive:
        pair = ("discord:9", "annacc")
        archive.merge(*pair, unseen=pair)
        for known in (True, False):
            pickups = Pickups(archive, [ev.EveningLobby("duel", size=1)])
            added = pickups.hear("annacc", "Ann", "!add duel", 5.0, str.lower)
            assert ("already" in added[0].text) != known
            assert pickups.evening.waiting["duel"] == ["discord:9"]
            assert [each.to for each in pickups.hear("annacc", "Ann", "!duo bob", 6.0, str.lower)] == [
                "annacc", "bob",
            ]  # fmt: skip
            pickups.hear("annacc", "Ann", "!duo", 7.0, str.lower)


def test_a_guest_links_nobody_of_a_chat(evening: Evening, archive: Archive, rooms: DiscordRooms) -> None:
    """A seat proves nothing: whom a service vouches for is taken over by no code of somebody else."""
    assert press(rooms, 3003, "Cedar", "in").text
    assert evening.do("claim", "guest", "phone a", who="discord:3003").status == "done"
    code = link_codes.new_code(archive, "discord:3006", time.time())
    assert "organiser types" in evening.do("link", "guest", "phone a", who="discord:3003", code=code).why
    assert archive.merged() == {}


def test_an_evening_that_cannot_be_shown_still_keeps_taps(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tap that was kept is answered so, whatever goes wrong with the page."""

    def fails(*_: object) -> None:
        msg = "players: two are one"
        raise InputError(msg)

    monkeypatch.setattr(evening.worker, "_shown", fails)
    assert evening.do("claim", "guest", "phone a", name="Webby").status == "done"
    evening.again()
    assert [each["name"] for each in evening.view["people"]] == ["Webby"]


def test_discord_shows_no_link_that_was_revoked(
    evening: Evening, archive: Archive, rooms: DiscordRooms
) -> None:
    """Once links are revoked elsewhere, messages and /browser have a new one, which opens the page."""

    def links() -> set[str]:
        shown = [*rooms.wanted(CHANNEL, time.time()).values()]
        typed = Pressed(str(next(NUMBERS)), "3001", "Amber", CHANNEL, command="browser")
        answer = rooms.press(typed, time.time()).message
        return {each.url for message in (*shown, *filter(None, [answer])) for each in message.buttons} - {""}

    def opens(link: str) -> bool:
        (view,) = evening.ask(("look", {LOBBY: -1}))
        return hashed(link.partition("#k=")[2]) in view.keys

    (before,) = links()
    assert opens(before)
    renewed_links(archive, LOBBY, hours=1.0)
    assert not opens(before)
    typed = Pressed(str(next(NUMBERS)), "3001", "Amber", CHANNEL, command="browser")
    rooms.press(typed, time.time())
    (now,) = links()
    assert now != before
    assert opens(now)


@pytest.mark.parametrize("teams", [False, True])
def test_a_namesake_who_is_forgotten_takes_nobody_along(
    evening: Evening, archive: Archive, rooms: DiscordRooms, *, teams: bool
) -> None:
    """Of three called Amber (two on Discord, one in the browser) the one who asks is forgotten, no other."""
    evening.do("claim", "guest", "phone a", name="Amber", sure=True)
    press(rooms, 3666, "Amber", "in")
    before = [each for each in here(archive) if each != "discord:3666"]
    assert press(rooms, 3666, "Amber", "out").text == ""
    if teams:
        press(rooms, 3001, "Amber", "divide")
    game = rooms.evening.current(LOBBY)
    assert press(rooms, 3666, "Amber", "forget").text == "You are forgotten."
    assert here(archive) == before
    assert "3666" not in repr(archive.night_events())
    assert Pickups(archive, []).evening.rooms[LOBBY].spelled["discord:3001"] == "Amber"
    now = Pickups(archive, []).evening.current(LOBBY)
    assert (None if now is None else now.teams) == (None if game is None else game.teams)
    assert "Amber" in json.dumps(evening.view)


def test_who_is_in_under_another_id_leaves_nothing_behind(
    evening: Evening, archive: Archive, rooms: DiscordRooms
) -> None:
    """Who is in a game is not forgotten, by any door; who is only there leaves as they are forgotten."""
    evening.do("claim", "guest", "phone a", name="Webby")
    code = link_codes.new_code(archive, "discord:3004", time.time())
    evening.do("link", "guest", "phone a", who="Webby", code=code)
    press(rooms, 3001, "Amber", "divide")
    assert "goes on" in press(rooms, 3004, "Dahlia", "forget").text
    with pytest.raises(InputError, match="goes on"):
        forget(archive, "discord:3004")
    match = evening.view["division"]["id"]
    assert evening.do("result", match=match, ranks=[1, 2]).status == "done"
    assert press(rooms, 3004, "Dahlia", "forget").text == "You are forgotten."
    evening.again()
    kept = json.dumps(evening.view) + repr((archive.night_events(), archive.merged()))
    assert [each for each in ("Webby", "Dahlia", "3004") if each in kept] == []
    assert here(archive) == ["discord:3001", "discord:3002", "discord:3003"]
    assert [each["name"] for each in evening.view["people"]] == ["Amber", "Birch", "Cedar"]


def test_who_is_in_leaves_and_is_forgotten_at_once_or_not_at_all(
    archive: Archive, rooms: DiscordRooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the process ends within, they are still in, and known; the next attempt does both."""
    before, there = archive.night_events(), here(archive)
    assert "discord:3002" in there

    def ends(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as ended:
        ended.setattr(forgotten_rows, "write_out", ends)
        with pytest.raises(KeyboardInterrupt):
            press(rooms, 3002, "Birch", "forget")
    assert (archive.night_events(), here(archive)) == (before, there)
    assert press(rooms, 3002, "Birch", "forget").text == "You are forgotten."
    assert here(archive) == [each for each in there if each != "discord:3002"]
    assert "3002" not in repr(archive.night_events())
    assert "Birch" not in repr(archive.night_events())
