"""Nexuiz: event logs with dates and within console output."""

from __future__ import annotations

import pytest
from tests.games.samples import real

from equipoise.core.match import Match, Skipped, Unfinished
from equipoise.core.rulesets import unknown_mutators
from equipoise.games.laws import parsed
from equipoise.games.nexuiz.reader import GAME, RULES

CONSOLE = "nexuiz_tdm_console_eventlog"


def log(*events: str, kind: str = "tdm_x", mutators: str = "", dates: bool = True) -> bytes:
    """Return a log in which a second passes with each event."""
    lines = [f":gamestart:{kind}:3.0.5", f":gameinfo:mutators:LIST{mutators}", ":gameinfo:end", *events]
    date = ":time:2026-11-21 00:00:{:02}\n"
    return "".join((date.format(n) if dates else "") + line + "\n" for n, line in enumerate(lines)).encode()


def only(content: bytes) -> Match:
    """Return the one match of a log without anything else."""
    (match,) = parsed(GAME, content)
    assert isinstance(match, Match)
    return match


PEOPLE = (":join:1:1:bot:[BOT]Eve", ":team:1:5", ":join:2:2:10.0.0.1:^1A:nn", ":team:2:14")
SCORES = (
    ":scores:x:99", ":labels:player:score!!,kills", ":labels:teamscores:caps!!,score!",
    ":teamscores:see-labels:1,0:5", ":teamscores:see-labels::6", ":teamscores:see-labels:2,50:14", ":end",
)  # fmt: skip


def test_real_logs_have_as_many_games_as_were_played() -> None:
    """One in each file, the same six within the console's output; the second half with a mutator."""
    files = [only(real(f"nexuiz0000000{n}")) for n in range(1, 7)]
    console = parsed(GAME, real(CONSOLE))
    assert len(console) == 6
    for n, (one, other) in enumerate(zip(files, console, strict=True)):
        assert isinstance(other, Match)
        assert one.ruleset == other.ruleset
        assert one.ruleset.mutators == (("minstagib",) if n >= 2 else ())
        assert one.contests[0].scores == other.contests[0].scores
        assert one.contests[0].statistics == other.contests[0].statistics
        assert one.id != other.id
        assert other.ended == n
    assert [one.ended for one in files] == sorted(one.ended or 0.0 for one in files)


def test_captures_people_and_the_deciding_column() -> None:
    """People go by name without colours, which may have colons; the column marked in the labels decides."""
    match = only(log(*PEOPLE, ":kill:frag:1:2:type=1", ":ctf:capture:14:1", *SCORES, kind="ctf_x"))
    capture, result = match.contests
    assert capture.teams == ((("bot:Eve:?", 1.0),), (("name:A:nn", 1.0),))
    assert capture.ranks == (0.0, 1.0)
    assert result.scores == (1.0, 2.0)
    assert [(one.kills, one.deaths) for one in result.statistics] == [(1, 0), (0, 1)]
    assert dict(match.names)["name:A:nn"] == "^1A:nn"
    assert (match.map, match.ruleset.game_type) == ("x", "ctf")


def test_a_restart_begins_anew() -> None:
    """What was before it does not count."""
    match = only(log(*PEOPLE, ":kill:frag:1:2:", ":restart", ":kill:suicide:2:2:", *SCORES))
    assert [(one.kills, one.deaths) for one in match.contests[0].statistics] == [(0, 0), (0, 1)]
    match = only(log(*PEOPLE, ":ctf:capture:14:1", ":restart", *SCORES, kind="ctf_x"))
    assert len(match.contests) == 1


def test_everyone_for_themselves_is_placed_by_score() -> None:
    """Whose scores are not reported (bots') are placed by kills; spectators are left out."""
    match = only(
        log(
            PEOPLE[0], PEOPLE[2], ":join:3:3:[::1]:5:Zoe", ":kill:frag:1:2:", ":kill:accident:1:1:",
            ":scores:x:9",
            ":labels:player:score!!", ":player:see-labels:7:9:-1:2:x",
            ":player:see-labels:0:9:spectator:3:Zoe",
            ":end", kind="dm_x",
        )
    )  # fmt: skip
    assert match.ruleset.game_type == "ffa"
    assert match.roster == ("bot:Eve:?", "name:A:nn")
    assert match.contests[0].scores == (0.0, 7.0)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (log(*PEOPLE), "the log ends before its result"),
        (log(*PEOPLE, ":gameover"), "it ends without a result"),
        (log(*PEOPLE, ":scores:x:9", ":end"), "it has no team scores"),
        (log(*PEOPLE[:2], *SCORES), "there was nobody to play against"),
        (log(*PEOPLE, *SCORES, kind="rc_x"), "a race has no contest that is read"),
    ],
)
def test_what_has_no_result_is_unfinished(content: bytes, reason: str) -> None:
    """It says why."""
    (unfinished,) = parsed(GAME, content)
    assert isinstance(unfinished, Unfinished)
    assert unfinished.reason == reason


def test_damaged_events_are_reported() -> None:
    """With their lines; the game goes on."""
    bad = (
        ":join:x",
        ":team:1",
        ":kill:frag:1",
        ":ctf:capture:5",
        ":teamscores:see-labels:1",
        ":player:see-labels:1",
    )
    found = parsed(GAME, log(*PEOPLE, *bad, *SCORES, dates=False))
    assert [one.where for one in found if isinstance(one, Skipped)] == [
        f"log, line {n}" for n in range(8, 14)
    ]
    assert isinstance(found[-1], Match)
    (skipped,) = parsed(GAME, b":gamestart:nothing\n")
    assert isinstance(skipped, Skipped)


def test_unknown_mutators_count_and_are_reported() -> None:
    """Other spellings are one mutator."""
    ruleset = only(log(*PEOPLE, *SCORES, mutators=":nixnex:Moonwalk:damagetext")).ruleset
    assert ruleset.mutators == ("moonwalk", "nix")
    assert unknown_mutators([RULES], ruleset) == ["moonwalk"]


def test_line_ends_make_no_difference_to_ids() -> None:
    """A copy with CRLF has the same games."""
    for log in (real("nexuiz_tdm_console_eventlog"), real("nexuiz00000002")):
        one, other = (parsed(GAME, each) for each in (log, log.replace(b"\n", b"\r\n")))
        assert [match.id for match in one if isinstance(match, Match)] == [
            match.id for match in other if isinstance(match, Match)
        ]


@pytest.mark.parametrize(
    "name",
    [":end:", ":gameover:", ":restart:", ":status:", ":status:tdm_x:1", ":gamestart:tdm_x:1",
     ":kill:frag:1:2:", ":team:1:14:", ":ctf:capture:14:1:", ":scores:x:9", ":end"],
)  # fmt: skip
def test_whoever_is_called_like_an_event_makes_none(name: str) -> None:
    """The console prints names at the beginning of lines."""
    line = f"{name} has changed from Red Team to Blue Team"
    game = (*PEOPLE, ":kill:frag:1:2:type=1", "HERE", ":ctf:capture:14:1", *SCORES)
    (one,), (other,) = (
        [found for found in parsed(GAME, log(*lines, kind="ctf_x", dates=False)) if isinstance(found, Match)]
        for lines in (game, [each.replace("HERE", line) for each in game])
    )
    assert one.contests == other.contests


def test_scores_that_were_asked_for_in_mid_game_are_no_end() -> None:
    """``printstats`` prints them like those of an end."""
    status = (":status:tdm_x:30", *SCORES[1:])
    asked = only(log(*PEOPLE, *status, ":kill:frag:1:2:type=1", *SCORES, dates=False))
    assert asked.contests == only(log(*PEOPLE, ":kill:frag:1:2:type=1", *SCORES, dates=False)).contests
