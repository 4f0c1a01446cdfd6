"""Team Fortress 2: rounds that the score counts, for those who played them."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.games.samples import FORTRESS, fortress_person, team_fortress

from equipoise.core.match import Match, Unfinished
from equipoise.core.rulesets import ruleset_text
from equipoise.games.halflife.reader import GAME
from equipoise.games.laws import parsed

FORTRESS_CLOSED = "L 09/01/2021 - 21:05:00: Log file closed\n"
ONE, TWO, THREE, FOUR = (f"[U:1:{n}]" for n in range(31, 35))


def one(content: str) -> Match:
    """Return the only match of a log."""
    (match,) = parsed(GAME, content.encode())
    assert isinstance(match, Match)
    return match


def turned(line: str) -> str:
    """Return a line, or several, in which people have the other colour."""
    return line.replace("<Red>", "<x>").replace("<Blue>", "<Red>").replace("<x>", "<Blue>")


def figures(match: Match) -> tuple[Counter[str], Counter[str]]:
    """Return everyone's kills and deaths over all contests."""
    kills: Counter[str] = Counter()
    deaths: Counter[str] = Counter()
    for each in (each for contest in match.contests for each in contest.statistics):
        kills[each.player] += int(each.kills or 0)
        deaths[each.player] += int(each.deaths or 0)
    return kills, deaths


def test_rounds_count_as_the_score_does() -> None:
    """A round after the time is no contest, what was done in it stands with the last one."""
    match = one(FORTRESS)
    assert ruleset_text(match.ruleset) == "tf2/tdm"
    assert [contest.ranks for contest in match.contests] == [(0, 1), (1, 0)]
    assert [{player for player, _ in team} for team in match.contests[1].teams] == [{ONE, TWO}, {THREE, FOUR}]
    kills, deaths = figures(match)
    assert kills == {ONE: 1, TWO: 1, THREE: 2, FOUR: 1}
    assert deaths == {ONE: 1, TWO: 2, THREE: 1, FOUR: 1}


def test_one_long_round_has_the_final_score() -> None:
    """As captures on small maps: the score is not of rounds."""
    long = team_fortress("START", "KILL 0 2", "KILL 3 1", "OVER 16 25")
    (contest,) = one(long).contests
    assert (contest.scores, contest.ranks) == ((16, 25), (1, 0))


def test_a_spy_who_feigns_is_not_dead() -> None:
    """And who only stands in a team is not in it."""
    feigned = f'{fortress_person(0)} killed {fortress_person(3)} with "knife" (customkill "feign_death")'
    guest = '"Guest<9><[U:1:99]><Unassigned>" joined team "Blue"'
    log = team_fortress(
        "START",
        guest,
        "KILL 0 2",
        "KILL 3 1",
        feigned,
        "WIN Red 1 0",
        "START",
        "KILL 0 2",
        "WIN Red 2 0",
        "OVER 2 0",
    )
    match = one(log)
    assert "[U:1:99]" not in match.roster
    assert figures(match)[1] == {TWO: 1, THREE: 2, ONE: 0, FOUR: 0}


def test_what_has_no_beginning_or_no_end_does_not_count() -> None:
    """With the reason; and two games of one file are two."""
    for log, reason in (
        (FORTRESS.rpartition("L 09")[0], "the log ends before"),
        (FORTRESS.rpartition("L 09")[0] + FORTRESS_CLOSED, "no Game_Over"),
        ('L 09/01/2021 - 20:00:00: Started map "cp_x" (CRC "1")\n' + team_fortress("OVER 2 1"), "beginning"),
    ):
        (found,) = parsed(GAME, log.encode())
        assert isinstance(found, Unfinished)
        assert reason in found.reason
    assert len(parsed(GAME, (FORTRESS + FORTRESS.replace("09/01", "09/02")).encode())) == 2


def test_sides_that_swap_at_half_time_are_rosters() -> None:
    """Of a stopwatch game: the final score is of the rosters, whatever their colours were before."""

    def half(*pairs: tuple[int, int], swapped: bool) -> list[str]:
        team = (lambda n: ("Blue", "Red")[n < 2]) if not swapped else (lambda n: ("Red", "Blue")[n < 2])
        return [
            f'{fortress_person(a, team(a))} killed {fortress_person(b, team(b))} with "bat" (x "0")'
            for a, b in pairs
        ]

    log = team_fortress(
        "START", *half((0, 2), (3, 1), (0, 3), (2, 1), swapped=False), "WIN Blue 0 1",
        "START", *half((0, 2), (3, 1), (0, 3), (2, 1), swapped=True), "WIN Blue 0 2", "OVER 0 1",
    )  # fmt: skip
    (contest,) = one(log).contests
    assert [{player for player, _ in team} for team in contest.teams] == [{THREE, FOUR}, {ONE, TWO}]
    assert contest.scores == (0, 1)


def test_rounds_count_for_rosters_that_swapped_colours() -> None:
    """The score moves along with the people; who left before the swap stays with those they played with."""
    first = team_fortress(
        "START", "KILL 0 2", "KILL 3 1", "WIN Red 1 0", "START", "KILL 0 2", "KILL 3 1", "WIN Red 2 0"
    )
    substitute = fortress_person(1).replace("P1<3><[U:1:32]>", "New<9><[U:1:99]>")
    second = turned(team_fortress("START", "KILL 0 2", "KILL 3 1", "WIN Blue 0 3", "OVER 0 3", day=2))
    gone = f'L 09/01/2021 - 21:09:00: {fortress_person(1)} disconnected (reason "bye")\n'
    match = one(first + gone + second.replace(turned(fortress_person(1)), turned(substitute)))
    assert [
        [{player for player, _ in team} for team in contest.teams][contest.ranks.index(0)]
        for contest in match.contests
    ] == [{ONE, TWO}, {ONE, TWO}, {ONE, "[U:1:99]"}]


def test_a_substitute_of_a_game_without_rounds_is_in_the_roster_that_they_joined() -> None:
    """Whatever colour it had: of a stopwatch game one half may be much shorter than the other."""
    first = team_fortress("START", *["KILL 0 2", "KILL 3 1"] * 20, "WIN Blue 0 0")
    substitute = fortress_person(1).replace("P1<3><[U:1:32]>", "New<9><[U:1:99]>")
    second = turned(team_fortress("START", *["KILL 0 2", "KILL 3 1"] * 4, "WIN Blue 0 1", "OVER 0 1"))
    later = second.replace("- 21:00", "- 21:08").replace("- 21:01", "- 21:09")
    gone = f'L 09/01/2021 - 21:07:10: {fortress_person(1)} disconnected (reason "bye")\n'
    (contest,) = one(first + gone + later.replace(turned(fortress_person(1)), turned(substitute))).contests
    assert [{player for player, _ in team} for team in contest.teams] == [
        {THREE, FOUR}, {ONE, TWO, "[U:1:99]"},
    ]  # fmt: skip
    assert contest.scores == (0, 1)


def test_games_that_follow_on_one_map_are_on_it() -> None:
    """Until a line tells of another one; and captures of flags are seen on any map."""
    began = 'L 09/01/2021 - 20:00:00: Started map "ultiduo_x" (CRC "1")\n'
    flag = f'{fortress_person(0)} triggered "flagevent" (event "captured") (position "0 0 0")'
    more = team_fortress("START", "KILL 0 2", "KILL 3 1", flag, "OVER 2 1", day=2)
    content = began + FORTRESS + more + began.replace("09/01", "09/03").replace("ultiduo_x", "cp_y")
    matches = [each for each in parsed(GAME, content.encode()) if isinstance(each, Match)]
    assert [each.map for each in matches] == ["ultiduo_x", "ultiduo_x"]
    assert [ruleset_text(each.ruleset) for each in matches] == ["tf2/capture", "tf2/ctf"]


@pytest.mark.parametrize(
    "name",
    [
        'x<9><[U:1:9]><Red>" say "y', 'x<9><[U:1:9]><Red>" killed "y', 'x<9><[U:1:9]><Red>" with "y',
        '<9><[U:1:9]><Blue>" joined team "', 'x" triggered "y<9><[U:1:9]><Red>',
    ],
)  # fmt: skip
def test_a_name_that_looks_like_a_line_makes_nobody(name: str) -> None:
    """Names may have quotes and brackets; nobody is there who is not, and no score changes."""
    log = FORTRESS.replace('"P1<', f'"{name}<')
    match = one(log)
    assert set(match.roster) <= {ONE, TWO, THREE, FOUR}
    assert [contest.ranks for contest in match.contests] == [
        contest.ranks for contest in one(FORTRESS).contests
    ]


def test_a_name_with_quotes_is_a_name() -> None:
    """As people have them."""
    assert dict(one(FORTRESS.replace('"P1<', '"a "fake" b<')).names)[TWO] == 'a "fake" b'
