"""Lobbies with an archive, without a network: any text is answered, and what was kept goes on."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.archive.archive import open_archive
from equipoise.core.match import Ruleset
from equipoise.core.match_records import match_from, record_data
from equipoise.core.plain_data import printable
from equipoise.errors import InputError
from equipoise.play.chat_commands import COMMANDS
from equipoise.play.evening_events import EveningLobby, Leave
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
        assert say("ann", "!why")[0].startswith("by the ratings red 50.0 %")
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


def test_who_was_killed_before_their_place_was_kept_is_not_lost(tmp_path: Path) -> None:
    """The event is kept and nothing else: an organiser can say who it is, and nobody else is it."""
    url = f"sqlite:///{tmp_path}/a.db"
    with open_archive(url) as archive:
        pickups = Pickups(archive, [EveningLobby("duel", 2, 1)], admins=["boss"])
        pickups.hear("~ann", "ann", "!add duel", 10.0, lambda _: None)
        assert "~ann" not in pickups.places
    with open_archive(url) as archive:
        pickups = Pickups(archive, [EveningLobby("duel", 2, 1)], admins=["boss"])
        assert pickups.places["~ann"].nick == ""
        heard = pickups.hear("boss", "boss", "!is ann_ ann", 20.0, lambda _: None, lambda *_: True)
        assert [each.text for each in heard] == ["ann_ is ann"]
        assert pickups.places["~ann"].nick == "ann_"
