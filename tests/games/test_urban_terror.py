r"""Urban Terror, of the Quake 3 family: its game types, identities, rounds and halves."""

from __future__ import annotations

import pytest

from equipoise.core.match import Match, Unfinished
from equipoise.core.rulesets import ruleset_text
from equipoise.games.laws import parsed
from equipoise.games.log_reader import guess_game
from equipoise.games.quake3.rulesets import ruleset_of, settings_of
from equipoise.games.urbanterror.reader import GAME

INIT = r"InitGame: \sv_allowdownload\0\g_gametype\{}\mapname\ut4_abbey\gamename\q3urt42\g_modversion\4.2{}"
GUID = "58D4069246865BB5A85F20FB60ED6F6{}"


def person(slot: int, team: int, name: str = "") -> list[str]:
    """Return how a person connects: the GUID stands in a line of its own."""
    name = name or f"P{slot}"
    return [
        rf"ClientUserinfo: {slot} \ip\10.0.0.{slot}:27960\name\{name}\racered\2\cl_guid\{GUID.format(slot)}",
        rf"ClientUserinfoChanged: {slot} n\{name}\t\{team}\r\1\tl\0\f0\\f1\\f2\\a0\0\a1\0\a2\0",
        f"ClientBegin: {slot}",
    ]


def log(*lines: str | tuple[int, str]) -> bytes:
    """Return a log; a pair has the second at which a line stands."""
    now, out = 0, []
    for line in lines:
        now, text = line if isinstance(line, tuple) else (now, line)
        out.append(f"{now // 60:3}:{now % 60:02} {text}\n")
    return "".join(out).encode()


def game(kind: int, *lines: str | tuple[int, str], settings: str = "") -> Match:
    """Return the one match of a game of two against two."""
    teams = (0, 0, 0, 0) if kind in (0, 1, 11) else (1, 1, 2, 2)
    people = [line for slot, team in enumerate(teams) for line in person(slot, team)]
    found = parsed(GAME, log((0, INIT.format(kind, settings)), "Warmup:", *people, *lines, "ShutdownGame:"))
    (match,) = (one for one in found if isinstance(one, Match))
    assert found == [match]
    return match


ROUNDS = (
    (20, r"InitRound: \g_gametype\4\mapname\ut4_turnpike"),
    (30, "Kill: 0 2 19: P0 killed P2 by UT_MOD_LR300"),
    (31, "Kill: 1 3 19: P1 killed P3 by UT_MOD_LR300"),
    (31, "SurvivorWinner: Red"),
    (40, r"InitRound: \g_gametype\4\mapname\ut4_turnpike"),
    (50, "SurvivorWinner: Draw"),
    (60, r"InitRound: \g_gametype\4\mapname\ut4_turnpike"),
    (70, "Kill: 2 0 19: P2 killed P0 by UT_MOD_LR300"),
    (71, "SurvivorWinner: Blue"),
    (80, "Exit: Timelimit hit."),
    (80, "red:1  blue:1"),
    (80, "score: 3  ping: 48  client: 0 P0"),
)


def test_rounds_are_contests_of_those_present() -> None:
    """Warm-up is not play; a person is known by the GUID, with the last name."""
    match = game(4, (5, "Kill: 3 0 19: P3 killed P0 by UT_MOD_LR300"), *ROUNDS)
    assert ruleset_text(match.ruleset) == "urbanterror/team-survivor"
    assert [contest.ranks for contest in match.contests] == [(0.0, 1.0), (0.0, 0.0), (1.0, 0.0)]
    assert dict(match.names) == {GUID.format(slot): f"P{slot}" for slot in range(4)}
    first = {each.player: (each.kills, each.deaths) for each in match.contests[0].statistics}
    assert first[GUID.format(0)] == (1, 0)
    assert first[GUID.format(2)] == (0, 1)
    assert not match.dated


def test_captures_and_a_change_of_teams() -> None:
    """The event 2 of a flag is a capture; a change of teams is no death."""
    match = game(
        7, (10, "Flag: 0 0: team_CTF_blueflag"), (12, "Flag: 0 2: team_CTF_blueflag"),
        (20, "Kill: 1 1 10: P1 killed P1 by MOD_CHANGE_TEAM"),
        (30, "Kill: 2 0 19: P2 killed P0 by UT_MOD_LR300"),
        (60, "Exit: Capturelimit hit."), (60, "red:1  blue:0"),
    )  # fmt: skip
    assert ruleset_text(match.ruleset) == "urbanterror/ctf"
    assert len(match.contests) == 2
    deaths = {each.player: each.deaths for each in match.contests[-1].statistics}
    assert (deaths[GUID.format(0)], deaths[GUID.format(1)]) == (1, 0)


def test_halves_are_one_game() -> None:
    """Where sides swap everyone counts for the side they end on, for all the time."""
    swapped = [
        rf"ClientUserinfoChanged: {slot} n\P{slot}\t\{team}\r\1\tl\0" for slot, team in enumerate("2211")
    ]
    match = game(
        3, (10, "Kill: 0 2 19: P0 killed P2 by UT_MOD_LR300"), (200, swapped[0]), *swapped[1:],
        (300, "Exit: Timelimit hit."), (300, "red:4  blue:9"), settings=r"\g_swaproles\1",
    )  # fmt: skip
    teams = [[player for player, _ in team] for team in match.contests[-1].teams]
    assert teams == [[GUID.format(2), GUID.format(3)], [GUID.format(0), GUID.format(1)]]
    assert all(share == 1.0 for team in match.contests[-1].teams for _, share in team)
    assert match.contests[-1].ranks == (1.0, 0.0)


def swap(now: int) -> list[tuple[int, str]]:
    """Return how the sides of two against two are swapped, a moment after the second half has begun."""
    return [
        (now + slot % 2, rf"ClientUserinfoChanged: {slot} n\P{slot}\t\{team}\r\1\tl\0")
        for slot, team in enumerate("2211")
    ]


ENDS = ("Exit: Timelimit hit.", "red:{}  blue:{}", "score: 3  ping: 48  client: 0 P0")


def ending(now: int, red: int, blue: int) -> list[tuple[int, str]]:
    """Return how a half or a game ends."""
    return [(now, line.format(red, blue)) for line in ENDS]


def test_the_second_half_goes_on_after_the_end_of_the_first() -> None:
    """Both halves end with scores, the second ones counted from nothing; a game is both."""
    match = game(
        7, (0, "InitRound: "), (10, "Kill: 0 2 19: P0 killed P2 by UT_MOD_LR300"),
        (12, "Flag: 0 2: team_CTF_blueflag"), *ending(100, 4, 1),
        (101, "Kill: 1 2 19: P1 killed P2 by UT_MOD_LR300"), (110, "InitRound: "), *swap(110),
        (120, "InitRound: "),
        (125, "Kill: 2 0 19: P2 killed P0 by UT_MOD_LR300"),
        (130, "Flag: 2 2: team_CTF_blueflag"), *ending(220, 5, 1), settings=r"\g_swaproles\1",
    )  # fmt: skip
    last = match.contests[-1]
    assert [[player for player, _ in team] for team in last.teams] == [
        [GUID.format(2), GUID.format(3)], [GUID.format(0), GUID.format(1)],
    ]  # fmt: skip
    assert (last.scores, last.ranks) == ((6.0, 5.0), (0.0, 1.0))
    assert all(share > 0.98 for team in last.teams for _, share in team)
    assert {each.player[-1]: (each.kills, each.deaths) for each in last.statistics} == {
        "0": (1, 1), "1": (0, 0), "2": (1, 1), "3": (0, 0),
    }  # fmt: skip
    assert [contest.ranks for contest in match.contests[:2]] == [(0.0, 1.0), (0.0, 1.0)]


def test_half_a_game_is_one_where_the_level_ends() -> None:
    """A first half alone has its result; one that was not played, as nobody was ready, has none."""
    half = (*ending(100, 4, 1),)
    assert game(3, *half, settings=r"\g_swaproles\1").contests[-1].scores == (4.0, 1.0)
    unready = game(3, *ending(50, 0, 0), (60, "InitRound: "), *ending(160, 3, 2), settings=r"\g_swaproles\1")
    assert unready.contests[-1].scores == (3.0, 2.0)


def test_rounds_of_halves_are_rounds_of_one_game() -> None:
    """After the swap, those who were red are blue."""
    match = game(
        4, *ROUNDS, (90, r"InitRound: \g"), *swap(90), (100, r"InitRound: \g"),
        (130, "SurvivorWinner: Blue"), *ending(140, 0, 1), settings=r"\g_swaproles\1",
    )  # fmt: skip
    assert len(match.contests) == 4
    last = match.contests[-1]
    assert last.ranks == (1.0, 0.0)
    assert {player[-1] for player, _ in last.teams[1]} == {"0", "1"}


def test_rounds_of_the_bomb() -> None:
    """It explodes, is defused, or time runs out; who has had it attacks."""
    rounds = (
        (10, r"InitRound: \g"), (20, "Bomb has been collected by 0"), (30, "Bomb was planted by 1"),
        (70, "Pop!"),
        (80, r"InitRound: \g"), (90, "Bomb was planted by 0"), (110, "Bomb was defused by 3!"),
        (115, r"InitRound: \g"), (300, r"InitRound: \g"),
        (310, "SurvivorWinner: Red"), (315, r"InitRound: \g"),
    )  # fmt: skip
    match = game(8, *rounds, *ending(320, 2, 2), settings=r"\g_roundtime\ 3")
    assert [contest.ranks for contest in match.contests] == [(0.0, 1.0), (1.0, 0.0), (1.0, 0.0), (0.0, 1.0)]


def test_followers_of_leaders_have_rounds() -> None:
    """Reaching the flag wins a round as surviving does."""
    rounds = (
        (10, r"InitRound: \g"), (30, "AssassinWinner: Red Reached the Flag"), (35, r"InitRound: \g"),
        (60, "SurvivorWinner: Blue"), (65, r"InitRound: \g"), (90, "AssassinWinner: Draw"),
    )  # fmt: skip
    match = game(5, *rounds, *ending(100, 5, 1))
    assert [contest.ranks for contest in match.contests] == [(0.0, 1.0), (1.0, 0.0), (0.0, 0.0)]


def test_a_game_begun_again_counts_from_there() -> None:
    """Where there are no rounds ``InitRound`` clears the scores: what was before does not count."""
    match = game(
        7, (5, "InitRound: "), (10, "Flag: 0 2: team_CTF_blueflag"),
        (11, "Kill: 0 2 19: P0 killed P2 by UT_MOD_LR300"), (20, "InitRound: "),
        (30, "Flag: 2 2: team_CTF_redflag"), (31, "Kill: 2 0 19: P2 killed P0 by UT_MOD_LR300"),
        *ending(60, 0, 1),
    )  # fmt: skip
    assert [contest.ranks for contest in match.contests] == [(1.0, 0.0), (1.0, 0.0)]
    assert {each.player[-1]: each.kills for each in match.contests[-1].statistics} == {
        "0": 0, "1": 0, "2": 1, "3": 0,
    }  # fmt: skip


def test_who_is_frozen_counts_as_killed() -> None:
    """In freeze tag nobody dies otherwise."""
    match = game(
        10, (10, r"InitRound: \g"), (20, "Freeze: 0 2 16: P0 froze P2 by UT_MOD_SPAS"),
        (30, "SurvivorWinner: Red"),
        *ending(40, 1, 0),
    )  # fmt: skip
    assert {each.player[-1]: (each.kills, each.deaths) for each in match.contests[0].statistics} == {
        "0": (1, 0), "1": (0, 0), "2": (0, 1), "3": (0, 0),
    }  # fmt: skip


def test_those_who_play_alone_have_placements() -> None:
    """Gun game and last man standing end with a score for everyone."""
    scores = [f"score: {9 - slot}  ping: 40  client: {slot} P{slot}" for slot in range(4)]
    for kind, name in ((0, "ffa"), (1, "lms"), (11, "gungame")):
        match = game(kind, (60, "Exit: Timelimit hit."), *scores)
        assert match.ruleset.game_type == name
        assert match.contests[-1].ranks == (0.0, 1.0, 2.0, 3.0)


def test_a_jump_game_is_reported() -> None:
    """It has no opponents."""
    people = [line for slot in range(2) for line in person(slot, 0)]
    content = log((0, INIT.format(9, "")), *people, (60, "Exit: Timelimit hit."),
                  "score: 1  ping: 1  client: 0 a", "score: 1  ping: 1  client: 1 b")  # fmt: skip
    (found,) = parsed(GAME, content)
    assert isinstance(found, Unfinished)
    assert "jump" in found.reason


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        (r"\g_bluewave\15\g_redwave\15\g_skins\1\g_walljumps\3\g_stamina\0\g_gear\0", "urbanterror/tdm"),
        (r"\g_gear\FGHIJKLMNZacefghijklOQRSTUVWX", "urbanterror/tdm+g_gear"),
        (r"\g_instagib\1\g_knockback\1000", "urbanterror/tdm+g_instagib"),
        (r"\g_gravity\= 800\g_matchmode\ 0", "urbanterror/tdm"),
        (r"\g_moonwalk\1", "urbanterror/tdm+g_moonwalk"),
    ],
)
def test_its_own_table_says_what_a_mutator_is(settings: str, text: str) -> None:
    """Wave times, skins and walljumps are none; blanks and signs around values are nothing."""
    info = settings_of(rf"\gamename\q3ut4\g_gametype\= 3{settings}".encode())
    assert ruleset_text(ruleset_of(info)) == text


def test_an_admin_says_what_counts() -> None:
    """A setting that is none by the tables changes play where the admin says so."""
    counted = GAME.with_mutators({"urbanterror": frozenset({"g_walljumps"})})
    content = log(
        (0, INIT.format(4, r"\g_walljumps\99")), *[x for n in range(4) for x in person(n, 1 + n % 2)], *ROUNDS
    )
    for family, mutators in ((GAME, ()), (counted, ("g_walljumps",))):
        (match,) = (one for one in parsed(family, content) if isinstance(one, Match))
        assert match.ruleset.mutators == mutators


def test_it_is_a_game_of_its_own() -> None:
    """Its logs are told from others of the family by their first game."""
    assert guess_game(log((0, INIT.format(4, "")), "Warmup:")).name == "urbanterror"
    other = log((0, r"InitGame: \gamename\baseoa\g_gametype\4\mapname\oa_ctf2"), (5, "ShutdownGame:"))
    assert guess_game(other + log((0, INIT.format(4, "")))).name == "quake3"


def test_the_last_capture_is_written_after_the_end() -> None:
    """The limit is reached by it: it counts, and a line after the result does not."""
    captures = [(20, "Flag: 0 2: team_CTF_blueflag"), (40, "Exit: Capturelimit hit.")]
    last = (40, "Flag: 1 2: team_CTF_blueflag")
    result = [(40, "red:2  blue:0"), (40, "score: 2  ping: 48  client: 0 P0")]
    assert len(game(7, *captures, last, *result).contests) == 3
    assert len(game(7, *captures, *result).contests) == 2


def test_rounds_before_a_warm_up_in_the_middle_do_not_count() -> None:
    """A side was empty, and the scores began anew."""
    before = len(game(4, *ROUNDS).contests)
    first = [(second, text) for second, text in ROUNDS[:4]]
    later = [(second + 60, text) for second, text in ROUNDS]
    assert len(game(4, *first, (55, "Warmup:"), *later).contests) == before
