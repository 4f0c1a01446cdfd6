"""UT2004: statistics logs of both loggers in every encoding."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.games.samples import ANN, BOB, CID, UT2004_CTF, ut2004

from equipoise.core.match import Match, Skipped, Unfinished
from equipoise.core.rulesets import unknown_mutators
from equipoise.games.laws import parsed
from equipoise.games.ut2004.reader import GAME
from equipoise.games.ut2004.rulesets import RULES

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "ut2004"


def only(text: str, coding: str = "cp1252") -> Match:
    """Return the one match of a log without anything else."""
    (match,) = parsed(GAME, text.encode(coding))
    assert isinstance(match, Match)
    return match


@pytest.mark.skipif(not SHARED.is_dir(), reason="the logs in ../shared/data/ut2004 are not there")
def test_logs_of_olstats_have_a_game_each() -> None:
    """One person, two bots, InstaGib."""
    logs = sorted(SHARED.glob("*.log"))
    assert len(logs) == 4
    for path in logs:
        (match,) = parsed(GAME, path.read_bytes())
        assert isinstance(match, Match)
        assert (match.ruleset.game_type, match.ruleset.mutators) == ("ffa", ("instagib",))
        assert len(match.roster) == 3
        assert sum(player.startswith("bot:") for player in match.roster) == 2
        contest = match.contests[0]
        assert contest.scores[contest.ranks.index(0.0)] == max(contest.scores)
        assert max(contest.scores) in (5.0, 15.0)  # the goal that the server sets


@pytest.mark.parametrize("coding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8", "utf-8-sig"])
def test_every_encoding_is_the_same_game(coding: str) -> None:
    """With or without a mark at the beginning, with either end of lines; the id is the same too."""
    ansi = only(UT2004_CTF)
    assert dict(ansi.names)[CID] == "Cïd"
    for text in (UT2004_CTF, UT2004_CTF.replace("\n", "\r\n")):
        assert only(text, coding) == ansi
        assert GAME.recognise(text.encode(coding)) == "a line '0 NG ...' with tabs"


def test_what_was_before_the_start_does_not_count() -> None:
    """Captures are contests, the world's kills deaths, and shares those of the time played."""
    match = only(UT2004_CTF)
    first, second, result = match.contests
    assert first.teams == (((ANN, 1.0),), ((BOB, 1.0),))
    assert second.teams == (((ANN, 1.0),), ((BOB, 1.0), (CID, 1.0)))
    assert result.teams == (((ANN, 1.0),), ((BOB, 1.0), (CID, 0.5)))
    assert (result.scores, result.ranks) == ((2.0, 0.0), (0.0, 1.0))
    assert [(one.player, one.kills, one.deaths) for one in result.statistics] == [
        (ANN, 1, 1), (BOB, 0, 1), (CID, 0, 0),
    ]  # fmt: skip
    assert (match.map, match.ended) == ("CTF-Citadel", 1083441847.0 + 45.0)
    assert (match.began, match.ruleset.mutators) == (1083441847.0, ("instagib",))


def test_bots_of_olstats_have_name_and_skill_and_people_the_id_of_the_game() -> None:
    """A bot's first line looks like that of a person without account."""
    match = only(
        ut2004(
            f"1 C 0 {ANN} ann pw", f"1 PS 0 1.2.3.4:5 10000 {BOB}", "2 SG", "3 C 1 Xan",
            "3 G NameChange 1 [BOT]Xan",
            "3 BI 1 4.50 0 0", "4 C 2 Xan", "4 G NameChange 2 [BOT]Xan", "4 BI 2 4.50 0 0", "5 K 0 D 1 R",
            "5 S 0 1.00 frag", "6 K 1 D 0 R", "6 S 1 1.00 frag", "7 S 1 2.5 bonus", "9 D 2", "10 C 3 Someone",
            "20 EG fraglimit 1 0 2", kind="XGame.xDeathMatch",
        )
    )  # fmt: skip
    assert match.roster == (BOB, "bot:Xan:4.5", "bot:Xan:4.5#2", "name:Someone")
    assert match.contests[0].scores == (1.0, 3.5, 0.0, 0.0)


def test_the_stock_logger_drops_bots_but_not_what_teams_score() -> None:
    """Those who are logged play for their sides; with one side alone there is nobody to play against."""
    start = [
        f"1 C 0 {ANN}",
        "1 G TeamChange 0 0",
        "2 SG",
        "9 T 1 1 tdm_frag",
        "9 T 0 1 tdm_frag",
        "9 T 1 1 tdm_frag",
    ]
    kind = "XGame.xTeamGame"
    (lonely,) = parsed(GAME, ut2004(*start, "10 EG timelimit 0", kind=kind).encode())
    assert isinstance(lonely, Unfinished)
    assert lonely.reason == "there was nobody to play against"
    match = only(ut2004(f"1 C 1 {BOB}", "1 G TeamChange 1 1", *start, "10 EG timelimit 0 1", kind=kind))
    assert match.contests[0].scores == (1.0, 2.0)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["5 SG", "9 EG mapchange 0"], "it was broken off: mapchange"),
        (["9 EG timelimit 0"], "it never started"),
        (["5 SG"], "the log ends before its result"),
    ],
)
def test_what_has_no_result_is_unfinished(lines: list[str], reason: str) -> None:
    """It says why."""
    assert parsed(GAME, ut2004(*lines).encode()) == [Unfinished("log, line 1", reason)]


def test_damaged_lines_are_reported() -> None:
    """Of every code that is needed; codes that are not are passed over."""
    bad = [
        "6 C 0",
        "6 D",
        "6 BI 1",
        "6 G",
        "6 G TeamChange 1",
        "6 K 1",
        "6 S 1 x",
        "6 T 9 1 flag_cap",
        "6 T 0 nan",
    ]
    fine = ["7 PS", "7 PP", "7 PA", "7 P", "7 I", "7 V 0 hello", "7 TV", "7 X", "8"]
    found = parsed(GAME, ut2004(*bad, *fine).encode())
    assert [one.where for one in found if isinstance(one, Skipped)] == [
        f"log, line {n}" for n in range(3, 12)
    ]
    (skipped,) = parsed(GAME, b"0\tNG\t2004-13-1 00:00:00\t0\tm\tm\ta\tc\n")
    assert isinstance(skipped, Skipped)


@pytest.mark.parametrize(
    ("kind", "mutators", "game_type", "kept", "unknown"),
    [
        ("XGame.xDeathMatch", "UnrealGame.DMMutator|AntiTCC.MutAntiTCC", "ffa", (), []),
        ("xgame.XCTFGAME", "XGame.MutLowGrav|XGame.MutQuadJump", "ctf", ("lowgrav", "quadjump"), []),
        ("XGame.InstagibCTF", "", "ctf", ("instagib",), []),
        ("Onslaught.ONSOnslaughtGame", "Foo.Moonwalk", "onslaught", ("moonwalk",), ["moonwalk"]),
        ("BonusPack.xLastManStandingGame", "JoolsWorks.IdealBotCounter", "lms", (), []),
        ("My.Game", "", "my.game", (), []),
    ],
)
def test_classes_are_game_types_and_mutators(
    kind: str, mutators: str, game_type: str, kept: tuple[str, ...], unknown: list[str]
) -> None:
    """Only mutators that change play are kept; unknown ones count and are reported."""
    lines = [
        f"1 C 0 {ANN}",
        "1 G TeamChange 0 0",
        f"1 C 1 {BOB}",
        "1 G TeamChange 1 1",
        "2 SG",
        "9 EG timelimit",
    ]
    ruleset = only(ut2004(*lines, kind=kind, mutators=mutators)).ruleset
    assert (ruleset.game_type, ruleset.mutators) == (game_type, kept)
    assert unknown_mutators([RULES], ruleset) == unknown
