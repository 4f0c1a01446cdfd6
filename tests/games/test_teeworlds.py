"""Teeworlds' logs, which a description reads: a game ends where the next begins, and points are counted."""

from __future__ import annotations

import pytest
from tests.games.samples import teeworlds

from equipoise.core.match import Contest, Match, Skipped, Unfinished
from equipoise.core.rulesets import ruleset_text
from equipoise.games.laws import parsed
from equipoise.games.log_reader import guess_game
from equipoise.games.teeworlds.reader import GAME

NEXT = ("TDM",)


def contests(log: str) -> list[Contest]:
    """Return the contests of the games that count."""
    return [
        contest for one in parsed(GAME, log.encode()) if isinstance(one, Match) for contest in one.contests
    ]


def reasons(log: str) -> list[str]:
    """Return why games do not count."""
    return [one.reason for one in parsed(GAME, log.encode()) if isinstance(one, Unfinished)]


@pytest.mark.parametrize("new", [True, False])
def test_kills_are_points_in_team_deathmatch(new: bool) -> None:
    """Losses and team kills cost one."""
    log = teeworlds(("TDM", "KILL 0 1", "KILL 2 3", "KILL 1 1", "KILL 3 1", "KILL 1 0"), NEXT, new=new)
    assert guess_game(log.encode()).name == "teeworlds"
    (contest,) = contests(log)
    assert [[player for player, _ in team] for team in contest.teams] == [
        ["name:A", "name:C"],
        ["name:B", "name:D"],
    ]
    assert (contest.scores, contest.ranks) == ((2, -1), (0, 1))
    assert ruleset_text(contest.ruleset) == "teeworlds/tdm"
    assert {one.player: (one.kills, one.deaths) for one in contest.statistics} == {
        "name:A": (1, 1), "name:B": (1, 2), "name:C": (1, 0), "name:D": (0, 1),
    }  # fmt: skip


@pytest.mark.parametrize("new", [True, False])
def test_captures_are_points_in_capture_the_flag(new: bool) -> None:
    """Kills are none there; in a deathmatch everyone plays alone."""
    capture, alone = contests(
        teeworlds(("CTF", "KILL 0 1", "CAP 3"), ("DM", "KILL 1 0", "KILL 1 2"), NEXT, new=new)
    )
    assert (capture.scores, capture.ranks) == ((0, 100), (1, 0))
    assert dict(zip([team[0][0] for team in alone.teams], alone.scores, strict=True)) == {
        "name:A": 0, "name:B": 2, "name:C": 0, "name:D": 0,
    }  # fmt: skip


@pytest.mark.parametrize(("new", "local"), [(True, "clock"), (False, "")])
def test_only_dates_are_of_a_clock_where_the_server_stands(new: bool, local: str) -> None:
    """0.6 writes seconds since 1970."""
    (match,) = [
        one
        for one in parsed(GAME, teeworlds(("CTF", "CAP 1"), NEXT, new=new).encode())
        if isinstance(one, Match)
    ]
    assert match.local == local


def test_a_game_without_an_end_is_none() -> None:
    """The end of the log, a side that was empty, a level score, a command to begin anew, a server's start."""
    kills = ("TDM", "KILL 0 1")
    assert reasons(teeworlds(kills)) == ["the log ends before the game does"]
    assert reasons(teeworlds((*kills, "LEAVE 1", "LEAVE 3"), NEXT))[0] == "a side was empty before it ended"
    assert reasons(teeworlds((*kills, "KILL 1 0"), NEXT))[0] == "another game begins while it is level"
    anew = teeworlds((*kills, "[server]: cid=0 cmd='restart 1'"), NEXT)
    assert reasons(anew)[0] == "a command began it again"
    assert reasons(teeworlds(kills) + teeworlds(kills, start=1))[0] == "the server was restarted"


def test_what_a_client_may_write_is_not_believed() -> None:
    """Chat that looks like an event, and a name that names another team."""
    forged = (
        "[chat]: 0:1:A: [game]: flag_capture player='0:A' team=0 time=1",
        "[game]: team_join player='1:x' team=0' team=1",
    )
    (contest,) = contests(teeworlds(("CTF", "CAP 3", *forged), NEXT))
    assert contest.scores == (0, 100)
    assert [len(team) for team in contest.teams] == [2, 2]


#: Names that look like parts of lines; the game has 15 letters for one.
NAMES = ("' victim='3:1:", "' victim='3:", "0:' victim='1:0", "x' weapon=3 ", "' team=0->1", "1:' victim='2")


@pytest.mark.parametrize("new", [True, False])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("bearer", "ABCD")
def test_a_name_that_looks_like_a_part_of_a_line_turns_no_kill_around(
    name: str, bearer: str, new: bool
) -> None:
    """Whoever bears it, as killer and as victim: the same as with another name, and nothing is skipped."""
    kills = ("TDM", *(f"KILL {a} {b}" for a in range(4) for b in range(4) if (a + b) % 2), "KILL 0 1")
    log = teeworlds(kills, NEXT, new=new)
    found = parsed(GAME, log.replace(f":{bearer}'", f":{name}'").encode())
    (plain,), (match,) = (
        [one for one in each if isinstance(one, Match)] for each in (parsed(GAME, log.encode()), found)
    )
    assert [one for one in found if isinstance(one, Skipped)] == []
    for contest, wanted in zip(match.contests, plain.contests, strict=True):
        assert (contest.scores, contest.ranks) == (wanted.scores, wanted.ranks)
        called = {f"name:{bearer}": f"name:{name}"}
        assert {one.player: (one.kills, one.deaths) for one in contest.statistics} == {
            called.get(one.player, one.player): (one.kills, one.deaths) for one in wanted.statistics
        }


def test_a_kill_that_can_be_read_in_several_ways_counts_for_nobody_and_is_said() -> None:
    """Where somebody has changed a name meanwhile, which the log does not tell."""
    line = "[game]: kill killer='0:0:' victim='3:1:' victim='1:1:B' weapon=3 special=0"
    found = parsed(GAME, teeworlds(("TDM", "KILL 0 1", line), NEXT).encode())
    (match,), (skipped,) = ([one for one in found if isinstance(one, kind)] for kind in (Match, Skipped))
    assert match.contests[0].scores == (1, 0)
    assert "can be read in several ways" in skipped.reason
