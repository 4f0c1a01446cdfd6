"""Lobbies with an archive, without a network: any text is answered, and what was kept goes on."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.archive.archive import Archive, open_archive
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.match_records import match_from, record_data
from equipoise.core.plain_data import printable
from equipoise.errors import InputError
from equipoise.play.chat_commands import COMMANDS
from equipoise.play.evening_events import ChatPlace, EveningLobby, Leave, night_lobby
from equipoise.service.chat.irc import Address, Speaker
from equipoise.service.pickup_lobbies import ChatReply, Pickups

pytestmark = pytest.mark.slow

LOBBIES = [EveningLobby("duel", 2, 1), EveningLobby("two", 2, 2, maps=("a", "b"), veto=True)]
PEOPLE = ("ann", "bob", "cid", "dan")


def id_of(nick: str) -> str | None:
    """Return who has a nick."""
    return nick if nick in PEOPLE else None


def said(pickups: Pickups) -> Callable[[str, str], list[str]]:
    """Return what says something, a second later each time, and returns the answers."""
    clock = [1000.0]

    def say(who: str, text: str) -> list[str]:
        clock[0] += 1.0
        return [reply.text for reply in pickups.hear(who, who.removeprefix("~"), text, clock[0], id_of)]

    return say


words = st.one_of(
    st.text(max_size=30),
    st.tuples(
        st.sampled_from(sorted(COMMANDS)), st.sampled_from(["", "duel", "two", "ann", "won", "3 1", "a"])
    ).map(" ".join),
    st.sampled_from(["add duel", "add two", "ready", "yes", "report won", "confirm"]),
)


@settings(max_examples=8)
@given(st.lists(st.tuples(st.sampled_from(PEOPLE), words), max_size=25))
def test_any_text_is_answered_and_a_new_start_goes_on(talk: list[tuple[str, str]]) -> None:
    """No text raises; after a start from the archive everything is as it was."""
    with (
        tempfile.TemporaryDirectory() as folder,
        open_archive(f"sqlite:///{folder}/a", create=True) as archive,
    ):
        pickups = Pickups(archive, LOBBIES, apart=[("ann", "bob")], admins=["ann"])
        say = said(pickups)
        for who, text in talk:
            for line in say(who, f"!{text}"):
                assert line == printable(line)
        again = Pickups(archive, LOBBIES, apart=[("ann", "bob")], admins=["ann"])
        assert again.evening.waiting == pickups.evening.waiting
        assert again.evening.games == pickups.evening.games
        assert again.evening.over == pickups.evening.over
        assert archive.count() == sum(game.counted for game in again.evening.over.values())


def test_picks_and_the_ruleset_stand_in_the_match(tmp_path: Path) -> None:
    """A drafted game keeps who picked whom and what was played, and an export comes back equal."""
    played = Ruleset("openarena", "ctf")
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}", create=True) as archive:
        pickups = Pickups(archive, [EveningLobby("two", 2, 2, played)])
        say = said(pickups)
        for text in ("!add", "!ready", "!captains"):
            for who in PEOPLE if text != "!captains" else PEOPLE[:3]:
                say(who, text)
        assert "captains picked" not in say("ann", "!why")[0]
        say("ann", "!pick dan")
        assert say("ann", "!why") == ["captains picked these teams: dan, cid"]
        say("ann", "!report won")
        say("bob", "!confirm")
        (match,) = archive.matches()
        assert (match.picks, match.ruleset) == ((("ann", "dan"), ("bob", "cid")), played)
        assert match_from(record_data(match)) == match
        archive.forget("dan")
        (match,) = archive.matches()
        assert "dan" not in repr(match)
        assert [captain for captain, _ in match.picks] == ["ann", "bob"]
    with pytest.raises(InputError, match="picks must be pairs"):
        replace(match, picks=(("ann", "eve"),))


def test_a_duel_in_words(tmp_path: Path) -> None:
    """From add to rank, why, undo, and who left."""
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}", create=True) as archive:
        pickups = Pickups(archive, LOBBIES, admins=["cid"])
        say = said(pickups)
        assert say("ann", "!add duel") == ["[duel] ann is in: 1 of 2"]
        assert say("bob", "!ad duel") == ["there is no !ad; did you mean !add?"]
        assert say("bob", "!add duel")[1] == "[duel] ann, bob: type !ready within 60 s"
        assert say("ann", "!ready") == []
        assert say("bob", "!ready") == [
            "[duel] red: ann | blue: bob (an even game): !yes, !no or !captains within 60 s"
        ]
        say("ann", "!yes")
        assert say("bob", "!yes")[0].startswith("[duel] play: red: ann | blue: bob; then")
        assert "reports: blue won" in say("ann", "!report lost")[0]
        over, new, changed = say("bob", "!confirm")
        assert new == "new: ann, bob"
        assert changed == "[duel] +29 bob (1st), -29 ann (2nd, down 1)"
        assert over.startswith("[duel] blue won; it counts (pickup-duel-1-")
        assert say("ann", "!rank bob")[0].startswith("bob is number 1 of 2 with")
        assert say("dan", "!rank")[0] == "dan has no games that count"
        assert say("ann", "!why")[0].startswith("by the ratings red 50 %")
        game = over.partition("(")[2].rstrip(")")
        assert say("ann", f"!correct {game[-6:]} 2 1") == ["only those in charge can do that"]
        assert "red won" in say("cid", f"!correct {game} 2 1")[0]
        assert say("ann", "!rank ann")[0].startswith("ann is number 1 of 2")
        assert "no longer counts" in say("cid", "!undo")[0]
        assert archive.count() == 0
        assert say("ann", "!teams") == ["no game is being played"]
        assert "!report won|lost|draw|3 1" in say("ann", "!help")[0]
        say("ann", "!add duel")
        assert pickups.take(Leave("ann"), 2000.0) == [ChatReply("", "[duel] ann is out: 0 left")]
        assert pickups.tick(3000.0) == []


def test_who_is_known_by_name_plays_as_that_person(tmp_path: Path) -> None:
    """A nick is the name of one person in the archive; who is not known is named; a name of two is new."""
    record = {
        "ended": 1, "ranks": [1, 2],
        "teams": [
            [{"id": "a1", "name": "[UT] Ann"}, {"id": "b1", "name": "Max"}], [{"id": "b2", "name": "max"}]
        ],
    }  # fmt: skip
    for other in ("bob", "max"):
        with open_archive(f"sqlite:///{tmp_path / other}.db", create=True) as archive:
            archive.record([match_from(record)])
            pickups = Pickups(archive, LOBBIES)
            say = said(pickups)
            for text in ("!add duel", "!ready", "!yes"):
                for who in ("~ann", f"~{other}"):
                    say(who, text)
            say("~ann", "!report won")
            assert say(f"~{other}", "!confirm")[1] == f"new: {other}"
            assert set(list(archive.matches())[-1].roster) == {"a1", f"~{other}"}
            assert say("~ann", "!rank")[0].startswith("ann is number 1 of 4")


def test_refused_teams_come_again_only_where_there_are_no_others_and_that_is_said(tmp_path: Path) -> None:
    """Of two people there is one way to divide."""
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}", create=True) as archive:
        pickups = Pickups(archive, LOBBIES)
        say = said(pickups)
        for text in ("!add duel", "!ready"):
            for who in PEOPLE[:2]:
                say(who, text)
        say("ann", "!no")
        lines = say("bob", "!no")
        assert lines[0] == (
            "[duel] no other teams lie within 0.5 % of win probability, the price of meeting again"
        )
        assert lines[1].startswith("[duel] play: ")


def test_what_somebody_does_and_who_they_are_is_kept_at_once(tmp_path: Path) -> None:
    """A crash right after the event finds nick and connection beside it, whatever the server."""
    for number, who in enumerate(("~ann", "ann")):
        url = f"sqlite:///{tmp_path}/{number}.db"
        with open_archive(url) as archive:
            pickups = Pickups(archive, [EveningLobby("duel", 2, 1)], admins=["boss"])
            pickups.hear(who, "ann", "!add duel", 10.0, lambda _: None, sign="1000")
        with open_archive(url) as archive:
            pickups = Pickups(archive, [EveningLobby("duel", 2, 1)], admins=["boss"])
            assert pickups.places == {who: ChatPlace("ann", "1000")}
            heard = pickups.hear("boss", "boss", "!is ann_ ann", 20.0, lambda _: None, lambda *_: "2000")
            assert [each.text for each in heard] == ["ann_ is ann"]
        with open_archive(url) as archive:
            pickups = Pickups(archive, [EveningLobby("duel", 2, 1)], admins=["boss"])
            assert pickups.places == {who: ChatPlace("ann_", "2000")}


def test_an_organiser_without_an_account_is_who_was_seen_first_or_has_the_code(tmp_path: Path) -> None:
    """Whoever takes the nick once it is free is nobody, before and after a start of the bot."""
    url, signs = f"sqlite:///{tmp_path}/a.db", {"boss": 1000, "eve": 2000}

    def bot(archive: Archive) -> Callable[[str], str]:
        pickups = Pickups(archive, [EveningLobby("duel", 2, 1)], admins=["Boss"])
        speaker = Speaker(pickups, Address("", 0, "#pug", "bot"))
        session = speaker._session
        session.start(0.0)

        def hear(*lines: str) -> str:
            """Let the bot read lines, answer what it asks of the server, and return all that it says."""
            for line in lines:
                now[0] += 10.0
                for happened in session.feed(f"{line}\r\n".encode(), now[0]):
                    speaker._happened(happened)
            out = session.out(now[0]).decode()
            for nick in re.findall(r"WHOIS :?(\S+)", out):
                found = f":s 317 bot {nick} 1 {signs[nick]} :x"
                out += hear(*([found] if signs[nick] else []), f":s 318 bot {nick} :x")
            return out

        hear(":s 001 bot :hi", ":s 376 bot :x", ":bot!b@h JOIN #pug", f":s 353 bot = #pug :{' '.join(signs)}")
        codes.append(pickups.code("boss"))
        return hear

    now, codes = [1000.0], list[str]()
    order = ":boss!u@h PRIVMSG #pug :!cancel duel"
    with open_archive(url) as archive:
        hear = bot(archive)
        assert "only those in charge" not in hear(order)
        signs["boss"] = signs["eve"]
        hear(":boss!u@h QUIT :x", ":eve!u@h QUIT :x", ":boss!u@h JOIN #pug")
        refused = hear(order)
        assert "only those in charge" in refused
        assert "!organiser CODE" in refused
        assert "say that to me alone" in hear(f":boss!u@h PRIVMSG #pug :!organiser {codes[0]}")
        assert "not the code" in hear(":boss!u@h PRIVMSG bot :!organiser 000000000000")
    signs = {"boss": 2000, "true": 3000}
    with open_archive(url) as archive:
        hear = bot(archive)
        assert codes[0] == codes[1]
        assert "only those in charge" in hear(order)
        assert "in charge" in hear(f":true!u@h PRIVMSG bot :!organiser {codes[0]}")
        assert "only those in charge" not in hear(order.replace("boss", "true"))
        assert "only those in charge" in hear(order)
    with open_archive(url) as archive:
        assert "only those in charge" not in bot(archive)(order.replace("boss", "true"))


def test_somebody_new_with_the_name_of_several_plays(tmp_path: Path) -> None:
    """It is said that they count as somebody new, and they do, in every kind of lobby."""
    contest = Contest(Ruleset("x", "y"), (("q:1",), ("q:2",)), (1, 2))
    now = time.time()
    match = Match((contest,), ended=now - 5.0, id="m1", names=(("q:1", "Ann"), ("q:2", "Ann")))
    for lobby in (EveningLobby("duel", 2, 1), night_lobby("night")):
        with open_archive(f"sqlite:///{tmp_path}/{lobby.name}.db", create=True) as archive:
            archive.record([match])
            archive.update_ratings()
            pickups = Pickups(archive, [lobby])
            if lobby.called:
                pickups.hear("bob", "bob", "!in q:1, bob", now, lambda _: None, sign="1")
                pickups.hear("bob", "bob", "!divide", now, lambda _: None, sign="1")
                assert sorted(pickups.evening.current("night").players) == ["bob", "q:1"]
                continue
            for text in ("!add", "!ready", "!yes"):
                for who in ("ann", "bob"):
                    heard = pickups.hear(who, who, text, now, lambda _: None, sign="1")
            assert "play: red: ann | blue: bob" in heard[-1].text


def test_where_teams_are_called_for_a_nick_is_no_proof_either(tmp_path: Path) -> None:
    """Who takes the nick of a player, known or new, reports for nobody until an organiser says who it is."""
    contest = Contest(Ruleset("x", "y"), (("q:1",), ("q:2",)), (1, 2))
    match = Match((contest,), ended=5.0, id="m1", names=(("q:1", "Ann"), ("q:2", "Max")))
    lobby, words = night_lobby("night"), ("!report 2 1", "!report won")
    for known in (True, False):
        url = f"sqlite:///{tmp_path}/{known}.db"
        with open_archive(url, create=True) as archive:
            if known:
                archive.record([match])
                archive.update_ratings()
            pickups, now = Pickups(archive, [lobby], admins=["boss"]), time.time()
            for who in ("ann", "bob"):
                pickups.hear(who, who, "!in", now, lambda _: None, sign="1000")
            pickups.hear("boss", "boss", "!divide", now, lambda _: None)
            player = "q:1" if known else "ann"
            assert player in pickups.evening.current("night").players
            pickups.seen("ann", now, "")
        with open_archive(url) as archive:
            pickups = Pickups(archive, [lobby], admins=["boss"])
            for text in words:  # a session calls whoever takes the nick of a place so
                (heard,) = pickups.hear("ann'", "ann", text, now, lambda _: None, sign="2000")
                assert "only those who are there" in heard.text or "is in no team of" in heard.text
            pickups.hear("boss", "boss", "!is ann ann", now, lambda _: None, lambda *_: "2000")
            assert pickups.places["ann"] == ChatPlace("ann", "2000")
            heard = pickups.hear("ann", "ann", "!report won", now, lambda _: None, sign="2000")
            assert "it counts" in heard[0].text
            assert player in list(archive.matches())[-1].roster


def test_where_teams_are_called_for_people_have_names(tmp_path: Path) -> None:
    """Whoever is named by name or id is called as they are, and the result is kept under that name."""
    contest = Contest(Ruleset("x", "y"), (("q:1",), ("q:2",)), (1, 2))
    match = Match((contest,), ended=5.0, id="m1", names=(("q:1", "Ann"), ("q:2", "Max")))
    with open_archive(f"sqlite:///{tmp_path}/a.db", create=True) as archive:
        archive.record([match])
        archive.update_ratings()
        pickups, now = Pickups(archive, [night_lobby("night")], admins=["boss"]), time.time()
        heard = pickups.hear("boss", "boss", "!in ann, q:2, Elm17, zed", now, lambda _: None)
        assert "ann, Max, Elm17, zed: in" in heard[0].text
        pickups.hear("boss", "boss", "!divide", now, lambda _: None)
        pickups.hear("boss", "boss", "!won red", now, lambda _: None)
        pickups.hear("boss", "boss", "!report won", now, lambda _: None)
        kept = dict(list(archive.matches())[-1].names)
        assert kept == {"q:1": "ann", "q:2": "Max", "Elm17": "Elm17", "zed": "zed"}


def test_an_account_is_who_it_was_where_teams_are_called_for(tmp_path: Path) -> None:
    """After a crash too, under another nick; whoever has the nick without that account is somebody else."""
    url, now = f"sqlite:///{tmp_path}/a.db", time.time()
    with open_archive(url, create=True) as archive:
        pickups = Pickups(archive, [night_lobby("night")], admins=["boss"])
        pickups.hear("annie", "Ann", "!in", now, lambda _: None)
        pickups.hear("bob", "bob", "!in", now, lambda _: None)
        pickups.hear("boss", "boss", "!divide", now, lambda _: None)
    with open_archive(url) as archive:
        pickups = Pickups(archive, [night_lobby("night")], admins=["boss"])
        (heard,) = pickups.hear("~ann", "Ann", "!report 2 1", now, lambda _: None, sign="1")
        assert heard.text == "only those who are there report a result"
        heard = pickups.hear("annie", "Other", "!report 2 1", now, lambda _: None)[0]
        assert "it counts" in heard.text


def test_of_two_who_are_called_alike_an_organiser_can_name_each(tmp_path: Path) -> None:
    """An id comes before the nicks of others, and whose nick is no longer their own is told by the id."""
    with open_archive(f"sqlite:///{tmp_path}/a.db") as archive:
        pickups = Pickups(archive, [EveningLobby("two", 2, 2)], admins=["boss"])
        for who in ("ann", "bob"):
            pickups.hear(who, who, "!add two", 10.0, lambda _: None, sign="1000")
        pickups.seen("ann", 11.0, "")
        pickups.seen("bob", 12.0, "ann")
        assert [pickups.written(each) for each in ("ann", "bob")] == ["ann", "bob"]
        for name, now in (("ann", 13.0), ("bob", 14.0)):
            heard = pickups.hear("boss", "boss", f"!is x {name}", now, lambda _: None, lambda *_: "1")
            assert [each.text for each in heard] == [f"x is {name}"]
        heard = pickups.hear("boss", "boss", "!is x cid", 15.0, lambda _: None, lambda *_: "1")
        assert [each.text for each in heard] == ["NAME must be one of ann, bob, got 'cid'"]


def test_each_channel_has_its_lobbies(tmp_path: Path) -> None:
    """One process, two channels: what is said of a lobby is said where it is, and a player is one person."""
    given = [EveningLobby(f"{each}/duel", 2, 1, ready=0.0, vote=0.0, channel=each) for each in ("#a", "#b")]
    with open_archive(f"sqlite:///{tmp_path}/a.db", create=True) as archive:
        pickups = Pickups(archive, given)

        def say(who: str, text: str, channel: str) -> list[ChatReply]:
            return pickups.hear(who, who, text, 1000.0, id_of, channel=channel)

        assert say("ann", "!add", "#a") == [ChatReply("", "[duel] ann is in: 1 of 2", "#a")]
        assert say("ann", "!add duel", "#b") == [ChatReply("", "[duel] ann is in: 1 of 2", "#b")]
        assert [each.text for each in say("bob", "!status", "#b")] == ["duel: 1 of 2: ann"]
        assert {each.channel for each in say("bob", "!add", "#b")} == {"#b"}
        assert pickups.evening.waiting == {"#a/duel": [], "#b/duel": []}
        assert [each.text for each in say("cid", "!teams", "#a")] == ["no game is being played"]
        assert [each.channel for each in say("ann", "!report won", "#a")] == ["#b"]
        game = next(iter(pickups.evening.games))
        assert "#" not in game
        assert "/" not in game
