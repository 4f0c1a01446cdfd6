r"""Urban Terror, of the Quake 3 family: its game types, identities, rounds and halves."""

from __future__ import annotations

import pytest

from equipoise.games.quake3.reader import GAME
from equipoise.games.quake3.rules import ruleset_of, settings_of
from equipoise.logs.rules import ruleset_text
from equipoise.matches import Match, Unfinished
from equipoise.testing.games import parsed

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


def test_those_who_play_alone_have_placements() -> None:
    """Gun game and last man standing end with a score for everyone."""
    scores = [f"score: {9 - slot}  ping: 40  client: {slot} P{slot}" for slot in range(4)]
    for kind, name in ((0, "ffa"), (1, "lms"), (11, "gungame")):
        match = game(kind, (60, "Exit: Timelimit hit."), *scores)
        assert match.ruleset.game_type == name
        assert match.contests[-1].ranks == (0.0, 1.0, 2.0, 3.0)


def test_a_jump_game_is_told() -> None:
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
