"""Lobbies on Discord without Discord: who may do what where, and what happens twice happens once."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from equipoise.archive.archive import Archive, open_archive
from equipoise.archive.sqlite import sqlite_driver
from equipoise.pages.text.discord import DiscordMessage, button_id, mark
from equipoise.play import evening_events as ev
from equipoise.play.evening_state import Phase
from equipoise.play.lobby_forms import lobby_of
from equipoise.service import link_codes
from equipoise.service.chat.discord_ladders import Ladders, url_of
from equipoise.service.chat.discord_presses import DiscordAnswer, Pressed, Sent
from equipoise.service.chat.discord_rooms import DiscordRooms, in_channel

NUMBERS = itertools.count(1)
HERE, THERE = "501", "502"
NIGHT = f"tonight-{THERE}"


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    """Give an archive in a file."""
    with open_archive(f"sqlite:///{tmp_path}/a.db", create=True) as made:
        yield made


@pytest.fixture
def rooms(archive: Archive) -> DiscordRooms:
    """Give two channels: one where two play two, one where teams are called for."""
    lobbies = [in_channel(lobby_of("duel=2v2", 60.0), HERE), in_channel(lobby_of("tonight=allvall"), THERE)]
    return DiscordRooms(archive, lobbies)


class Person:
    """Somebody on Discord."""

    def __init__(self, rooms: DiscordRooms, number: int, channel: str = HERE, name: str = "") -> None:
        self.rooms, self.number, self.channel = rooms, str(number), channel
        self.name, self.manages, self.now = name or f"P{number}", False, 1e9

    def press(self, label: str, channel: str = "", number: str = "") -> DiscordAnswer:
        """Press the newest button of that label that the channel shows."""
        channel = channel or self.channel
        shown = self.rooms.wanted(channel, self.now).values()
        ids = [each.id for message in shown for each in message.buttons if each.label == label]
        return self.raw(ids[-1], number=number)

    def raw(self, custom_id: str, *, number: str = "", **given: str) -> DiscordAnswer:
        """Press a button of any id."""
        pressed = Pressed(number or str(next(NUMBERS)), self.number, self.name, self.channel, self.manages,
                          button=custom_id, given=given)  # fmt: skip
        return self.rooms.press(pressed, self.now)

    def type(self, command: str, *, number: str = "", **given: str) -> str:
        """Type a command."""
        pressed = Pressed(number or str(next(NUMBERS)), self.number, self.name, self.channel, self.manages,
                          command, given)  # fmt: skip
        return self.rooms.press(pressed, self.now).text


def people(rooms: DiscordRooms, count: int, channel: str = HERE) -> list[Person]:
    """Return so many people."""
    return [Person(rooms, 1000 + n, channel) for n in range(count)]


def playing(rooms: DiscordRooms) -> list[Person]:
    """Return four people in a game that is being played."""
    four = people(rooms, 4)
    for label in ("I'm in", "Ready"):
        for each in four:
            assert each.press(label).text == ""
    for each in four[:3]:
        each.press("Play")
    (game,) = rooms.evening.games.values()
    assert game.phase is Phase.PLAYING
    return four


def only(rooms: DiscordRooms, channel: str = HERE) -> DiscordMessage:
    """Return the message of the one game of a channel."""
    (found,) = [each for each in rooms.wanted(channel, 1e9).values() if each.pings]
    return found


def test_a_game_from_buttons_to_ratings(rooms: DiscordRooms, archive: Archive) -> None:
    """In, ready, play, won, confirm: a match stands in the archive, and the message says who won."""
    four = playing(rooms)
    game = rooms.evening.game_of("discord:1000")
    assert game is not None
    side = {player: n for n, team in enumerate(game.teams) for player in team}
    mine = four[0]
    other = next(each for each in four if side[f"discord:{each.number}"] != side[f"discord:{mine.number}"])
    mine.press("We won")
    assert "Confirm" in [each.label for each in only(rooms).buttons]
    assert "nothing" in mine.press("Confirm").text
    other.press("Confirm")
    assert archive.count() == 1
    (match,) = archive.matches()
    assert dict(match.names)[f"discord:{mine.number}"] == mine.name
    (over,) = [each for ref, each in rooms.wanted(HERE, 1e9).items() if ref == game.id]
    assert "won" in over.title
    assert over.text.count("+") == 2
    assert not over.buttons


def test_buttons_of_another_channel_do_nothing(rooms: DiscordRooms) -> None:
    """A custom id is good where its lobby is, whoever sends it from wherever else."""
    four = playing(rooms)
    ids = [each.id for message in rooms.wanted(HERE, 1e9).values() for each in message.buttons]
    before = rooms.kept.known
    for each in four:
        each.channel = THERE
        each.manages = True
        for custom_id in ids:
            assert "not of this channel" in each.raw(custom_id).text
    assert rooms.kept.known == before


@pytest.mark.parametrize(
    "custom_id",
    ["", "eq", "eq|", "eq||", "eq|won|", "eq|won|0", "eq|divide|x", "eq|pick-0|y", "xx|in|y",
     "eq|in|" + "9" * 90, "eq|forget|" + mark("discord:1001"), "eq|undo-x|z", "\x00", "eq|score|"],
)  # fmt: skip
def test_forged_buttons_do_nothing(rooms: DiscordRooms, custom_id: str) -> None:
    """Any bytes as a custom id are refused, in words."""
    playing(rooms)
    before = rooms.kept.known
    assert Person(rooms, 1000).raw(custom_id).text
    assert rooms.kept.known == before


def test_all_buttons_of_a_game_are_refused_to_who_does_not_play(rooms: DiscordRooms) -> None:
    """An outsider gets nothing but words, for every button there ever is."""
    outsider, four = Person(rooms, 7), people(rooms, 4)
    for label, who in [("I'm in", four), ("Ready", four), ("Play", four[:3]), ("We won", four[:1])]:
        for each in who:
            each.press(label)
            if not rooms.evening.games:
                continue
            before = rooms.kept.known
            for button in only(rooms).buttons:
                assert outsider.raw(button.id, score="3 1").text, button.label
            assert rooms.kept.known == before


def test_a_button_of_earlier_teams_does_not_vote_on_later_ones(rooms: DiscordRooms) -> None:
    """Who presses Play on a message that still shows the teams before is told to look again."""
    four = people(rooms, 4)
    for label in ("I'm in", "Ready"):
        for each in four:
            each.press(label)
    (old,) = [each.id for each in only(rooms).buttons if each.label == "Play"]
    for each in four[:3]:
        each.press("Other teams")
    assert "other teams by now" in four[0].raw(old).text
    game = rooms.evening.game_of("discord:1000")
    assert game is not None
    assert game.votes == {}


def test_a_press_that_comes_twice_counts_once(rooms: DiscordRooms, archive: Archive) -> None:
    """The same interaction again, in this process or another one with the archive, changes nothing."""
    night = Person(rooms, 1, THERE)
    night.press("I'm in", number="777777")
    other = Person(DiscordRooms(archive, []), 1, THERE)  # another process with the same token
    for number, label in (("777777", "I'm in"), ("777778", "Maybe"), ("777779", "I'm in")):
        night.press(label, number=number)
        before = len(archive.night_events())
        for each in (night, other):  # the other one has not looked at the archive since
            each.press(label, number=number)
            assert len(archive.night_events()) == before
    taken = [each["event"]["type"] for each in archive.night_events() if "event" in each]
    assert taken.count("attend") == 3


def test_undo_takes_back_one_step_however_often_it_is_pressed(rooms: DiscordRooms) -> None:
    """Two people who press the same Undo take back one step, not two."""
    night = people(rooms, 4, THERE)
    for each in night:
        each.press("I'm in")
    night[0].press("Make teams")
    night[0].type("lock", player="discord:1001")
    (undo,) = [each.id for each in only(rooms, THERE).buttons if each.label == "Undo"]
    assert night[1].raw(undo).text == ""
    assert "taken back already" in night[2].raw(undo).text
    assert rooms.evening.current(NIGHT) is not None


def test_a_round_is_one_message_however_often_teams_are_made(rooms: DiscordRooms) -> None:
    """Making teams again edits the round's message; the next round has one of its own."""
    night = people(rooms, 4, THERE)
    for each in night:
        each.press("I'm in")
    refs = set()
    for _ in range(3):
        night[0].press("Make teams")
        refs |= rooms.wanted(THERE, 1e9).keys()
    assert len(refs) == 2
    night[0].press("● won")
    night[0].press("Make teams")
    assert len(rooms.wanted(THERE, 1e9).keys() | refs) == 3


def test_a_result_is_of_those_who_are_there(rooms: DiscordRooms) -> None:
    """An outsider reports nothing of an evening, not even what is known already."""
    night, outsider = people(rooms, 4, THERE), Person(rooms, 7, THERE)
    for each in night:
        each.press("I'm in")
    night[0].press("Make teams")
    won = [each.id for each in only(rooms, THERE).buttons if each.label == "● won"]
    for who in (night[1], night[2]):
        before = rooms.kept.known
        assert "only those who are in" in outsider.raw(won[0]).text
        assert rooms.kept.known == before
        assert who.raw(won[0]).text == ""  # the second one says what is known
    assert rooms.archive.count() == 1


def test_who_plays_a_game_elsewhere_reports_the_evening_too(archive: Archive) -> None:
    """Somebody in a game that fills up, in the same channel as an evening, says of that who won."""
    lobbies = [in_channel(lobby_of("duel=2v2", 60.0), HERE), in_channel(lobby_of("tonight=allvall"), HERE)]
    rooms = DiscordRooms(archive, lobbies)
    four, name, outsider = people(rooms, 4), f"tonight-{HERE}", Person(rooms, 7)
    for each in four:
        assert each.type("in", lobby="tonight")
    four[0].press("Make teams")
    for each in (*four[:3], outsider):
        each.type("in", lobby="duel")
    for label in ("● won", "Make teams"):
        assert "only those who are in" in outsider.press(label).text
    assert rooms.evening.game_of("discord:1000").lobby.name == f"{HERE}/duel"  # type: ignore[union-attr]
    four[0].press("● won")
    ended = rooms.evening.ended(name)
    assert [each.ranks for each in ended] == [(1.0, 2.0)]
    assert rooms.evening.preferences == {}


def test_only_those_in_charge_act_for_others(rooms: DiscordRooms) -> None:
    """Saying that others are in, correcting, calling off and taking out is for who manages the server."""
    four = playing(rooms)
    outsider = Person(rooms, 7)
    game = next(iter(rooms.evening.games))
    assert "in charge" in outsider.type("cancel", game=game)
    assert "in charge" in outsider.type("correct", game=game, score="3 1")
    assert "in charge" in outsider.type("remove", player="discord:1000")
    assert "in charge" in outsider.type("link", player="discord:1000", id="guid")
    assert "manage the server" in outsider.type("lobby", name="x", form="1v1")
    outsider.channel = THERE
    assert "in charge" in outsider.type("in", player="discord:1000")
    boss = Person(rooms, 8)
    boss.manages = True
    boss.channel = THERE  # in charge of another channel: nothing that is here can be touched
    assert "in this channel" in boss.type("cancel", game=game)
    assert "in this channel" in boss.type("correct", game=game, score="3 1")
    assert "another channel" in boss.type("remove", player="discord:1000")
    assert "no game of this channel" in boss.type("undo") or "no step" in boss.type("undo")
    boss.channel = HERE
    assert "called off" in boss.type("cancel", game=game)
    assert four[0].press("I'm in").text == ""


def test_commands_of_a_game_are_typed_in_its_channel(rooms: DiscordRooms) -> None:
    """A player who types elsewhere is told where the game is, and nothing happens."""
    four = playing(rooms)
    four[0].channel = THERE
    assert four[0].type("report", result="won") == f"your game is in <#{HERE}>"


def test_a_name_is_nobody(rooms: DiscordRooms, archive: Archive) -> None:
    """Who calls themselves like a player, or like a player's id, is somebody else."""
    playing(rooms)
    impostor = Person(rooms, 7, HERE, "P1000")
    assert impostor.type("report", result="won").startswith("you are in no game")
    impostor.name = "discord:1000"
    assert impostor.type("ready") == "you are in no game"
    lookup = rooms.kept.known_as(["discord:1000", "discord:7"], 1e9)
    assert lookup == {"discord:1000": "discord:1000", "discord:7": "discord:7"}
    assert archive.count() == 0


def test_somebody_whose_name_is_an_id_is_not_taken_for_it(rooms: DiscordRooms, archive: Archive) -> None:
    """A name spelled like the number of somebody who has never played is not that one."""
    night = [Person(rooms, 2000 + n, THERE, f"discord:{3000 + n}") for n in range(4)]
    for each in night:
        each.press("I'm in")
    night[0].press("Make teams")
    night[0].press("● won")
    assert archive.count() == 1
    assert rooms.kept.known_as(["discord:3000"], 1e12) == {"discord:3000": "discord:3000"}


def test_out_is_out_of_all_there_is(archive: Archive) -> None:
    """/out without a lobby leaves every lobby of the channel, and says so where there is none."""
    lobbies = [in_channel(lobby_of(form), HERE) for form in ("duel=2v2", "trio=3v3", "tonight=allvall")]
    rooms = DiscordRooms(archive, lobbies)
    one = Person(rooms, 1000)
    assert one.type("out") == "You are in none of them."
    for lobby in ("duel", "trio", "tonight"):
        one.type("in", lobby=lobby)
    assert one.type("out", number="888888")
    assert not any(rooms.evening.waiting.values())
    assert rooms.evening.rooms[f"tonight-{HERE}"].setup.here == ()
    one.type("in", lobby="tonight")
    one.type("out", number="888888")  # the same interaction once more
    assert "discord:1000" in rooms.evening.rooms[f"tonight-{HERE}"].setup.here


def test_two_of_one_name_are_told_apart(rooms: DiscordRooms) -> None:
    """Where two bear one name, lists, picks and completion show the end of their numbers too."""
    four = people(rooms, 4)
    four[0].name = four[1].name = "Ann" * 20
    for label in ("I'm in", "Ready"):
        for each in four:
            each.press(label)
    for each in four[:3]:
        if any(button.label == "Captains" for button in only(rooms).buttons):
            each.press("Captains")
    message = only(rooms)
    labels = [each.label for each in message.buttons]
    assert len(set(labels)) == len(labels)
    everything = "".join((message.text, *labels, *(value for _, value in message.fields)))
    assert "1000" in everything
    assert "1001" in everything
    asked = Pressed("1", "1000", "P", HERE, command="lock")
    names = [name for name, _ in rooms.completed(asked, "player", "ann")]
    assert len(set(names)) == len(names) == 2


def test_names_change_and_people_do_not(rooms: DiscordRooms) -> None:
    """Another name between two presses is the same player, shown under the new name."""
    four = playing(rooms)
    four[0].name = "Renamed *x*"
    four[0].press("We won")
    fields = "".join(value for _, value in only(rooms).fields)
    assert "Renamed \\*x\\*" in fields


def test_after_an_end_everything_is_as_it_was(rooms: DiscordRooms, archive: Archive) -> None:
    """Another process with the archive wants the very same messages, proofs and results."""
    playing(rooms)
    again = DiscordRooms(archive, [])
    assert again.wanted(HERE, 1e9) == rooms.wanted(HERE, 1e9)
    assert again.wanted(THERE, 1e9) == rooms.wanted(THERE, 1e9)
    assert "Proven" in only(again).text


def test_who_is_forgotten_is_nowhere(rooms: DiscordRooms, archive: Archive) -> None:
    """After /forget no record or match has the number or the name of that person, who may come again."""
    night = people(rooms, 4, THERE)
    for each in night:
        each.press("I'm in")
    night[0].press("Make teams")
    assert "goes on" in night[3].raw(button_id("forget", "discord:1003")).text
    night[0].press("● won")
    night[3].type("link")
    (ref,) = rooms.games(THERE, 1e9)
    rooms.note_sent(ref, Sent(THERE, "77", ("88", "99"), {"1003": "66"}, 1e9))
    assert DiscordRooms(archive, []).sent[ref].came == {"1003": "66"}
    answer = rooms.press(Pressed("9001", "1003", "P1003", THERE, command="forget"), 1e9)
    assert answer.message is not None
    (button,) = answer.message.buttons
    assert night[2].raw(button.id).text != "You are forgotten."
    assert night[3].raw(button.id).text == "You are forgotten."
    kept = repr(archive.night_events()) + repr(list(archive.matches()))
    assert "1003" not in kept.replace(mark("discord:1003"), "")
    assert rooms.evening.rooms[NIGHT].setup.here == ("discord:1000", "discord:1001", "discord:1002")
    assert rooms.wanted(THERE, 1e9)
    night[3].press("I'm in")
    assert "discord:1003" in rooms.evening.rooms[NIGHT].setup.here


def test_who_never_played_can_be_forgotten(rooms: DiscordRooms, archive: Archive) -> None:
    """Somebody who only ever pressed a button leaves nothing behind either."""
    one = Person(rooms, 4242)
    one.press("I'm in")
    one.press("Out")
    assert one.raw(button_id("forget", "discord:4242")).text == "You are forgotten."
    assert one.raw(button_id("forget", "discord:4242")).text == "Nothing is kept of you."
    assert "4242" not in repr(archive.night_events())


def test_who_is_forgotten_is_in_no_ladder(tmp_path: Path) -> None:
    """/forget me in one channel reaches the ladders of all others, and the ids that are linked; or none."""
    ladders = Ladders(f"sqlite:///{tmp_path}/a.db", [lobby_of("tonight=allvall")], [HERE, THERE], "channel")
    mine, other, third = ladders.rooms("1", HERE), ladders.rooms("2", THERE), ladders.rooms("3", "333")
    for rooms, channel in ((mine, HERE), (other, THERE)):
        four = [Person(rooms, 1000 + n, channel) for n in range(4)]
        for each in four:
            each.press("I'm in")
        four[0].press("Make teams")
        four[0].press("● won")
        link_codes.link(rooms.archive, "discord:1000", "guid-1000")
    forget = button_id("forget", "discord:1000")
    Person(other, 1001, THERE).press("Make teams")
    assert "goes on" in Person(mine, 1000, HERE).raw(forget).text
    assert "1000" in repr(list(mine.archive.matches()))
    Person(other, 1001, THERE).press("● won")
    assert Person(mine, 1000, HERE).raw(forget).text == "You are forgotten."
    for rooms in (mine, other, third):
        kept = repr((rooms.archive.night_events(), list(rooms.archive.matches()), rooms.archive.merged()))
        assert "discord:1000" not in kept
        assert "guid-1000" not in kept
        assert "P1000" not in kept
    ladders.close()


def test_a_code_links_an_id_once(rooms: DiscordRooms, archive: Archive) -> None:
    """The code of /link lets whoever types it in a game be that person; a second time it does not hold."""
    from equipoise.errors import InputError
    from equipoise.service.link_codes import redeem

    one = Person(rooms, 1000)
    code = one.type("link").split("**")[1]
    assert redeem(archive, code.upper().replace("-", " "), "guid-1", 1e9 + 60) == "discord:1000"
    with pytest.raises(InputError, match="does not hold"):
        redeem(archive, code, "guid-2", 1e9 + 60)
    late = one.type("link").split("**")[1]
    with pytest.raises(InputError, match="does not hold"):
        redeem(archive, late, "guid-3", 1e9 + 10_000)
    assert archive.merged() == {"discord:1000": "guid-1"}
    assert rooms.kept.known_as(["discord:1000"], 1e9) == {"discord:1000": "guid-1"}


def test_an_organiser_links_an_id(rooms: DiscordRooms, archive: Archive) -> None:
    """Whoever manages the server says whose id is whose, but not that two on Discord are one."""
    boss = Person(rooms, 8)
    boss.manages = True
    assert "is guid\\-1" in boss.type("link", player="discord:1000", id="guid-1")
    assert archive.merged() == {"discord:1000": "guid-1"}
    assert "not of somebody" in boss.type("link", player="discord:1001", id="discord:1002")
    assert "discord:1001" not in archive.merged()


def test_lobbies_are_opened_where_they_are_typed(archive: Archive) -> None:
    """/lobby opens one in its channel, which another process finds too; mistakes are named."""
    rooms = DiscordRooms(archive, [])
    boss = Person(rooms, 8)
    assert "no lobby in this channel" in boss.type("in")
    boss.manages = True
    assert "5v5" in boss.type("lobby", name="ctf", form="five")
    assert "at least" in boss.type("lobby", name="ctf", form="5v5", maps="dock", how="veto")
    assert "open here" in boss.type("lobby", name="ctf", form="1v1", maps="dock, keep", how="veto")
    assert DiscordRooms(archive, []).here(HERE) == [f"{HERE}/ctf"]
    assert rooms.here(THERE) == []


def test_completion_offers_what_makes_sense(rooms: DiscordRooms) -> None:
    """Lobbies, players and maps of the channel are offered, by what is typed, 25 at most."""
    playing(rooms)
    asked = Pressed("1", "1000", "P1000", HERE, command="in")
    assert rooms.completed(asked, "lobby", "du") == [("duel", "duel")]
    names = rooms.completed(Pressed("1", "1000", "P", HERE, command="lock"), "player", "p100")
    assert ("P1001", "discord:1001") in names
    games = rooms.completed(Pressed("1", "1000", "P", HERE, command="cancel"), "game", "")
    assert [value for _, value in games] == list(rooms.evening.games)
    assert rooms.completed(Pressed("1", "1000", "P", THERE, command="cancel"), "game", "") == []
    many = [Person(rooms, 5000 + n, THERE, "@everyone") for n in range(40)]
    for each in many:
        each.press("I'm in")
    assert len(rooms.completed(Pressed("1", "1", "P", THERE, command="lock"), "player", "")) == 25


def test_an_evening_is_in_the_browser_too(archive: Archive) -> None:
    """With a web address each evening has a page, whose link is on its message; each shows the other."""
    from equipoise.service.kept_evening import KeptEvening
    from equipoise.service.tonight import hashed, is_going_on

    lobbies = [in_channel(lobby_of("duel=1v1"), THERE), in_channel(lobby_of("tonight=allvall"), THERE)]
    now = time.time()
    rooms = DiscordRooms(archive, lobbies, web="https://games.example")
    rooms.start(now)
    assert is_going_on(archive, NIGHT)
    (link,) = [
        each.url for message in rooms.wanted(THERE, now).values() for each in message.buttons if each.url
    ]
    assert link.startswith(f"https://games.example/tonight/{NIGHT}#k=")
    assert hashed(link.partition("#k=")[2]) in repr(archive.night_events())
    person = Person(rooms, 1000, THERE)
    person.now = now
    person.press("I'm in")
    browser = KeptEvening(archive)
    assert browser.evening.rooms[NIGHT].setup.here == ("discord:1000",)
    browser.take(ev.Attend(NIGHT, ("amber",), who="amber", spelled={"amber": "Amber *x*"}), now)
    assert rooms.tick(now)
    assert "P1000, Amber \\*x\\*" in rooms.wanted(THERE, now)[NIGHT].text
    again = DiscordRooms(archive, lobbies, web="https://games.example")
    again.start(now)
    assert again.evening.rooms[NIGHT].setup.here == ("discord:1000", "amber")
    assert again.link(NIGHT) != link


def test_ladders_of_their_own_know_nothing_of_one_another(tmp_path: Path) -> None:
    """By server, ratings of one are not those of another; shared, they are; both are kept."""
    url = f"sqlite:///{tmp_path}/a.db"
    for by, alike in (("shared", True), ("server", False), ("channel", False)):
        ladders = Ladders(url, [lobby_of("duel=1v1", 0.0)], [HERE, THERE], by)
        ladders.opened("1", [HERE])
        ladders.opened("2", [THERE])
        one, other = ladders.rooms("1", HERE), ladders.rooms("2", THERE)
        assert (one is other) == alike
        assert one.here(HERE) == [f"{HERE}/duel"]
        assert other.here(THERE) == [f"{THERE}/duel"]
        one.kept.take(ev.Add("discord:1", f"{HERE}/duel"), 1e9)
        assert ("discord:1" in other.people(other.evening.rooms)) == alike
        ladders.close()
    assert url_of(url, "1").endswith("a-1.db")


def test_namesakes_are_told_apart_in_results_and_tables(rooms: DiscordRooms) -> None:
    """Where two bear one name, what a result changed and the leaderboard show the ends of their numbers."""
    four = people(rooms, 4, THERE)
    for each in four:
        each.name = "Ann"
        each.press("I'm in")
    four[0].press("Make teams")
    four[0].press("● won")
    result = next(each.text for each in rooms.wanted(THERE, 1e9).values() if "won" in each.title)
    pressed = Pressed(str(next(NUMBERS)), "1000", "Ann", THERE, command="leaderboard")
    table = rooms.press(pressed, 1e9).message
    assert table is not None
    for number in ("1000", "1001", "1002", "1003"):
        assert number in result
        assert number in table.text
    pressed = Pressed(str(next(NUMBERS)), "1000", "Ann", THERE, command="me")
    mine = rooms.press(pressed, 1e9).message
    assert mine is not None
    assert mine.text.endswith("1 game")


def test_answers_are_of_people_not_of_what_is_within(rooms: DiscordRooms) -> None:
    """Several lines are lines, lobbies are called as in their channel, and nobody is 'somebody'."""
    four = people(rooms, 4)
    assert four[0].type("out") == "you wait nowhere"
    for each in four[:3]:
        each.press("I'm in")
    assert four[0].press("I'm in").text == "you wait in duel already"
    lines = four[3].type("in").splitlines()
    assert len(lines) == 2
    assert lines[0] == "P1003 is in: 4 of 4"
    night = people(rooms, 2, THERE)
    for each in night:
        each.now += 1e5  # the games of the other channel are over
        each.press("I'm in")
    night[0].press("Make teams")
    game = rooms.evening.current(NIGHT)
    assert game is not None
    assert game.id in night[0].type("won", team="red")
    late = Person(rooms, 7, THERE, "\u202eDr. Late")
    assert late.press("Out").text == "Dr. Late is not here"
    assert late.type("me") == "Dr. Late has no games that count yet."
    forged = button_id("divide", f"{HERE}/duel")
    assert four[0].raw(forged).text == "this button is not of this lobby"


def test_a_busy_archive_is_named_and_read(tmp_path: Path) -> None:
    """While another program writes, whoever presses reads so, nothing is half done, and tables are shown."""
    with open_archive(f"sqlite:///{tmp_path}/a.db", timeout=0.0) as archive:
        rooms = DiscordRooms(archive, [in_channel(lobby_of("duel=2v2", 60.0), HERE)])
        one, two = people(rooms, 2)
        one.press("I'm in")
        with closing(sqlite_driver().connect(tmp_path / "a.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert "archive is busy" in two.press("I'm in").text
            assert "archive is busy" in two.type("in")
            answer = Pressed(str(next(NUMBERS)), "1001", "P1001", HERE, command="leaderboard")
            assert rooms.press(answer, 1e9).message is not None
            assert rooms.evening.waiting[f"{HERE}/duel"] == ["discord:1000"]
            other.execute("ROLLBACK")
        two.press("I'm in")
        assert rooms.evening.waiting[f"{HERE}/duel"] == ["discord:1000", "discord:1001"]


def test_every_map_has_a_button_and_teams_are_called_as_above_them(archive: Archive) -> None:
    """As many maps as a message can have buttons are voted on; a report names the teams of the columns."""
    maps = [f"m{n}" for n in range(25)]
    rooms = DiscordRooms(archive, [in_channel(lobby_of(f"duel=1v1:{','.join(maps)}:vote", 60.0), HERE)])
    two = people(rooms, 2)
    for label in ("I'm in", "Ready", "Play"):
        for each in two:
            each.press(label)
    assert [each.label for each in only(rooms).buttons] == maps
    for each in two:
        each.press("m24")
    assert "Map: m24" in only(rooms).text
    two[0].press("We won")
    team = only(rooms).fields[rooms.evening.game_of("discord:1000").team_of("discord:1000")][0]  # type: ignore[union-attr]
    name = team.partition(" ")[2]
    assert f"{name} reports: {name} won." in only(rooms).text
