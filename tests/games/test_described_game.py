"""Games that a file describes: what is wrong with a description is named, and lines mean what it says."""

from __future__ import annotations

import re

import pytest

from equipoise.core.match import Match, Unfinished
from equipoise.errors import InputError
from equipoise.games.described_game import EVENTS, described_game
from equipoise.games.laws import parsed

TAG = """
name = "tag"
line = "[{clock}] {text}"
bots = "(bot) "
[events]
begin = "Round {_} starts on {map}"
kill = "{killer} tagged {victim}"
win = "{who} wins"
draw = "Nobody wins"
"""

CARTS = """
name = "carts"
teams = ["Red Carts", "Blue Carts"]
game_type = "race"
[events]
begin = "GO"
arrive = "{who} drives for {team}"
leave = "{who} is out"
total = "{team}: {number}"
end = "STOP"
"""


def one(description: str, log: str) -> Match:
    """Return the only match of a log."""
    (match,) = parsed(described_game(description), log.encode())
    assert isinstance(match, Match)
    return match


def test_everyone_alone_is_placed_by_kills() -> None:
    """Who is named in a kill is there; bots have ids of their own; a clock passes midnight."""
    log = "[23:59:50] Round 1 starts on yard\n[23:59:58] Ann tagged (bot) Rex\n[0:00:08] Ann wins\n"
    match = one(TAG, log)
    assert match.contests[0].ranks == (0, 1)
    assert match.roster == ("name:Ann", "bot:Rex:?")
    assert (match.map, match.dated) == ("yard", False)


def test_final_scores_decide_between_teams() -> None:
    """Those who were there before the beginning play; who leaves has a share."""
    log = "Ann drives for Red Carts\nBob drives for Blue Carts\nGO\nCid drives for Blue Carts\nRed Carts: 2\n"
    match = one(CARTS, log + "Blue Carts: 7\nSTOP\n")
    assert match.contests[0].scores == (2, 7)
    assert [[player for player, _ in team] for team in match.contests[0].teams] == [
        ["name:Ann"],
        ["name:Bob", "name:Cid"],
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("name = ", "nom = "), "nom is not known; there may be name, server"),
        (('"tag"', '"Tag!"'), "name must be small letters"),
        (("begin = ", "start = "), "events.start is not known; there may be ignore, begin"),
        (("{killer} tagged", "{slayer} tagged"), "events.kill: {slayer} is not known here; kill may have"),
        (("{killer} tagged {victim}", "{killer} tagged {killer}"), "{killer} is there twice"),
        (("{killer} tagged {victim}", "{killer} won"), "events.kill: kill needs {victim} or {victim_slot}"),
        (("[{clock}] {text}", "[{clock}]"), "line must end with {text}"),
        (("win = ", "map = "), "events.map: {who} is not known here"),
        (('"Nobody wins"', "3"), "events.draw must be a text such as"),
        (("[events]", "[events"), "the description: "),
        (("bots = ", "teams = "), "teams must be a list of texts"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(change: tuple[str, str], message: str) -> None:
    """The field, and what may stand there."""
    with pytest.raises(InputError, match=re.escape(message)):
        described_game(TAG.replace(*change, 1))


def test_a_game_needs_a_beginning_and_an_end() -> None:
    """Otherwise nothing would ever count."""
    with pytest.raises(InputError, match="events must have begin"):
        described_game('name = "x"\n[events]\nend = "stop"\n')
    with pytest.raises(InputError, match="events must have win, draw or end, unless end_at_begin is true"):
        described_game('name = "x"\n[events]\nbegin = "go"\n')


def test_the_first_template_that_fits_says_what_a_line_is() -> None:
    """As ``ignore`` before ``kill``; and every event has placeholders of its own."""
    ignored = TAG.replace("kill = ", 'ignore = "{_} tagged (ghost)"\nkill = ')
    log = "[1:00] Round 1 starts on yard\n[1:01] Ann tagged (ghost)\n[1:02] Ann tagged Bob\n[1:03] Ann wins\n"
    assert one(ignored, log).roster == ("name:Ann", "name:Bob")
    assert {name for needed, _ in EVENTS.values() for group in needed for name in group.split("|")} >= {
        "killer",
        "victim",
    }


def test_chat_and_names_are_not_believed() -> None:
    """A team is one that is known, and who never came kills nobody."""
    description = """
name = "kag"
teams = ["Blue Team", "Red Team"]
[events]
begin = "Start"
team = "{who} joined {team}"
kill = "{killer} slew {victim} with {_}"
win = "{team} wins the game!"
"""
    log = "Start\nAnn joined Blue Team\nBob joined Red Team\n<Cid> Red Team wins the game!\n"
    log += "<Cid> Ann slew Bob with glee\nBlue Team wins the game!\n"
    match = one(description, log)
    assert match.contests[0].ranks == (0, 1)
    assert [(each.kills, each.deaths) for each in match.contests[0].statistics] == [(0, 0), (0, 0)]


#: A console's log whose lines begin with a month and an address, as AssaultCube's do, and its description.
ANOTHER = r"""
name = "assaultcube"
line = ["{_} {clock} [{_}] {text}", "{_} {clock} {text}"]
teams = ["CLA", "RVSF"]
game_types = { ctf = "ctf" }
[events]
ignore = "{_} says: {_}"
begin = "Game start: {type} on {map}, {_}"
team = "{who} joined team {team}"
leave = "{who} disconnected"
kill = "{killer} headshot {victim}"
score = "{who} scored with the flag for {_}"
end = "Game status: {_} game finished, {_}"
"""
ANOTHER_LOG = """Jan 31 20:15:00 Game start: ctf on ac_depot, 4 players, 15 minutes
Jan 31 20:15:01 [10.0.0.1] Ann joined team CLA
Jan 31 20:15:02 [10.0.0.2] Bob joined team RVSF
Jan 31 20:15:09 [10.0.0.1] Ann headshot Bob
Jan 31 20:15:19 [10.0.0.1] Ann says: 'Ann headshot Bob'
Jan 31 20:17:00 [10.0.0.2] Bob scored with the flag for RVSF, new score 1
Jan 31 20:30:00 Game status: ctf on ac_depot, game finished, open, 2 clients
"""


def test_a_line_may_have_several_parts_that_do_not_matter() -> None:
    """As a month, a day and an address before the text."""
    (match,) = parsed(described_game(ANOTHER), ANOTHER_LOG.encode())
    assert isinstance(match, Match)
    assert (match.map, match.contests[0].scores) == ("ac_depot", (0, 1))
    assert [each.kills for each in match.contests[0].statistics] == [1, 0]


@pytest.mark.parametrize(
    "date", ["2026-01-31 20:15:00", "2026/01/31 20:15:00.25", "2026.01.31_20:15:00", "2026-01-31T20:15:00,5"]
)
def test_dates_have_several_forms(date: str) -> None:
    """The year first, and fractions of a second are passed over."""
    game = described_game(
        ANOTHER.replace('["{_} {clock} [{_}] {text}", "{_} {clock} {text}"]', '"{date} {text}"')
    )
    lines = (line.removeprefix("Jan 31 ")[9:] for line in ANOTHER_LOG.splitlines())
    log = "".join(f"{date} {line.partition('] ')[2] if line.startswith('[') else line}\n" for line in lines)
    (match,) = parsed(game, log.encode())
    assert isinstance(match, Match)
    assert match.began == 1769890500.0


@pytest.mark.parametrize(
    ("said", "ranks"),
    [("Bob wins", (1, 0, 1)), ("Ann wins", (0, 1, 1)), ("A tie", (0, 0, 0))],
)
def test_who_wins_is_what_the_log_says(said: str, ranks: tuple[int, ...]) -> None:
    """Whatever was counted: Ann has the kills."""
    kills = "[0:02] Ann tagged Bob\n[0:03] Ann tagged Cid\n[0:04] Ann tagged Cid\n"
    log = f"[0:01] Round 1 starts on yard\n{kills}[0:05] {said}\n"
    match = one(TAG.replace("Nobody wins", "A tie"), log)
    assert match.contests[0].ranks == ranks
    assert match.roster == ("name:Ann", "name:Bob", "name:Cid")


def test_a_winner_who_did_not_play_gives_no_result() -> None:
    """The reason says so."""
    log = "[0:01] Round 1 starts on yard\n[0:02] Ann tagged Bob\n[0:05] Zoe wins\n"
    (found,) = parsed(described_game(TAG), log.encode())
    assert isinstance(found, Unfinished)
    assert found.reason == "the log names a winner who did not play"


SLOTS = """
name = "slots"
teams = ["red", "blue"]
[events]
begin = "go"
arrive = "#{slot} {who} joins {team}"
score = "#{slot} scores"
cancel = "again"
win = "#{slot} wins"
end = "over"
"""


def test_the_number_of_a_winner_is_no_team() -> None:
    """Number 1 is in the second team."""
    match = one(SLOTS, "#1 Ann joins blue\n#2 Bob joins red\ngo\n#1 wins\n")
    (contest,) = match.contests
    assert [[player for player, _ in team] for team in contest.teams] == [["name:Bob"], ["name:Ann"]]
    assert contest.ranks == (1, 0)


@pytest.mark.parametrize("end", ["over", "#1 wins"])
def test_a_game_that_was_cancelled_does_not_count_however_it_ends(end: str) -> None:
    """Not with what was counted before, nor after."""
    log = f"#1 Ann joins blue\n#2 Bob joins red\ngo\n#1 scores\nagain\n#2 scores\n{end}\n"
    (found,) = parsed(described_game(SLOTS), log.encode())
    assert isinstance(found, Unfinished)
    assert found.reason == "a command began it again"


def test_a_name_is_of_one_team() -> None:
    """Not twice among the teams, nor one of those who watch."""
    for change in ('["red", "red"]', '["red", "blue"]\nwatching = ["blue"]'):
        with pytest.raises(InputError, match="is there twice in teams and watching"):
            described_game(SLOTS.replace('["red", "blue"]', change))
