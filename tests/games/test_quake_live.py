"""Quake Live: events of its statistics stream, and reports of feeders."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.games.samples import QUAKE_LIVE, QUAKE_LIVE_REPORT, quake_live_events

from equipoise.core.match import Match, Skipped, Unfinished
from equipoise.core.rulesets import ruleset_text
from equipoise.games.laws import parsed
from equipoise.games.log_reader import guess_game
from equipoise.games.quakelive.reader import GAME

ANN, BOB, CID = "[U:1:23]", "[U:1:24]", "[U:1:25]"


def one(content: str) -> Match:
    """Return the only match of a log."""
    (match,) = parsed(GAME, content.encode())
    assert isinstance(match, Match)
    return match


def teams(match: Match) -> list[list[list[str]]]:
    """Return the ids of the teams of each contest."""
    return [[[player for player, _ in team] for team in contest.teams] for contest in match.contests]


def test_each_round_counts_for_those_who_played_it() -> None:
    """Who comes in between two rounds is in the second; a place taken in the warm-up counts for nothing."""
    match = one(QUAKE_LIVE)
    assert guess_game(QUAKE_LIVE.encode()).name == "quakelive"
    assert (ruleset_text(match.ruleset), match.map, match.dated) == (
        "quakelive/elimination", "campgrounds", False,
    )  # fmt: skip
    assert teams(match) == [[[ANN], [BOB]], [[ANN, CID], [BOB]], [[ANN, CID], [BOB]]]
    assert [contest.ranks for contest in match.contests] == [(0, 1), (1, 0), (0, 1)]
    assert dict(match.names)[ANN] == "Ann"


@pytest.mark.parametrize(
    "log",
    [
        "".join(f"2021-01-01 10:00:00,123 INFO {json.dumps(each)}\n" for each in quake_live_events()),
        "".join(f"{each!r}\n" for each in quake_live_events()),
        "".join(f"b'{json.dumps(each)}'\n" for each in quake_live_events()),
        "[" + ",\n".join(map(json.dumps, quake_live_events())) + "]\n",
        json.dumps([{"EVENTS": quake_live_events()}]) + "\n",
        "\n" + "\n\n".join(map(json.dumps, quake_live_events())) + "\n",
    ],
)
def test_events_are_read_as_collectors_keep_them(log: str) -> None:
    """Behind a date, as Python prints them, in a list: the same match."""
    assert guess_game(log.encode()).name == "quakelive"
    assert one(log) == one(QUAKE_LIVE)


@pytest.mark.parametrize("cut", ["{", '{"TYPE": "MATCH_REPORT", "DATA": {', '{"TYPE": "X", "DATA": {}'])
def test_an_event_that_was_cut_is_skipped(cut: str) -> None:
    """It is said, and the match goes on."""
    first, _, rest = QUAKE_LIVE.partition("\n")
    match, skipped = sorted(
        parsed(GAME, f"{first}\n{cut}\n{rest}".encode()), key=lambda each: isinstance(each, Skipped)
    )
    assert match == one(QUAKE_LIVE)
    assert isinstance(skipped, Skipped)
    assert "not JSON" in skipped.reason


def test_an_event_in_a_report_is_none() -> None:
    """A player may be called like one."""
    name = json.dumps(quake_live_events()[-1])
    match = one(QUAKE_LIVE_REPORT.replace("n Cid", f"n {name}"))
    assert match.contests[0].scores == (3, 1)


def test_a_line_with_all_events_is_dated() -> None:
    """Rounds have their times within the game."""
    match = one(json.dumps({"EVENTS": quake_live_events(), "FINISH_DATE": "2017-10-23 15:19:15"}) + "\n")
    assert match.began == 1508771955 - 91
    assert [contest.at - match.began for contest in match.contests] == [30, 60, 90]


def test_a_report_counts_everyone_for_the_time_they_played() -> None:
    """With the scores of the teams, and the factory's mutator."""
    match = one(QUAKE_LIVE_REPORT)
    assert guess_game(QUAKE_LIVE_REPORT.encode()).name == "quakelive"
    assert (ruleset_text(match.ruleset), match.began, match.ended) == (
        "quakelive/ctf+instagib", 1600000000, 1600000400,
    )  # fmt: skip
    (contest,) = match.contests
    assert contest.teams == (((ANN, 1.0),), ((BOB, 1.0), (CID, 0.25)))
    assert contest.scores == (3, 1)
    assert [(each.player, each.kills, each.deaths) for each in contest.statistics] == [
        (ANN, 9, 4), (BOB, 4, 9), (CID, 1, 1),
    ]  # fmt: skip


def test_reports_may_follow_each_other() -> None:
    """Each begins with the address of its server."""
    found = parsed(GAME, (QUAKE_LIVE_REPORT + QUAKE_LIVE_REPORT.replace("d-e-f", "e-f-g")).encode())
    assert all(isinstance(each, Match) for each in found)
    assert len(found) == 2


@pytest.mark.parametrize("lines", range(12, 42))
def test_a_report_that_was_cut_is_no_game(lines: int) -> None:
    """Neither within a player, nor after one, as long as somebody of a better place is missing."""
    whole = QUAKE_LIVE_REPORT.replace("e rank -1", "e rank 2").replace("e rank 2", "e rank 3", 1)
    part = "".join(line + "\n" for line in whole.splitlines()[:lines])
    (found,) = parsed(GAME, part.encode())
    assert isinstance(found, Unfinished) == (lines < len(whole.splitlines())), lines


def test_who_changes_sides_was_where_they_played_longest() -> None:
    """Once, with the time of that side."""
    both = QUAKE_LIVE_REPORT.replace("P 76561197960265753", "P 76561197960265751").replace("n Cid", "n Ann")
    (contest,) = one(both).contests
    assert contest.teams == (((ANN, 1.0),), ((BOB, 1.0),))


def test_what_was_aborted_or_is_not_over_does_not_count() -> None:
    """With the reason, also of a report whose match began before the log."""
    aborted = QUAKE_LIVE.replace('"ABORTED": false', '"ABORTED": true')
    lines = QUAKE_LIVE.splitlines(keepends=True)
    for content, reason in ((aborted, "aborted"), ("".join(lines[:-1]), "before the report")):
        (found,) = parsed(GAME, content.encode())
        assert isinstance(found, Unfinished)
        assert reason in found.reason
    for content, reason in ((QUAKE_LIVE, "beginning"), (aborted, "aborted")):
        (found,) = parsed(GAME, "".join(content.splitlines(keepends=True)[2:]).encode())
        assert isinstance(found, Unfinished)
        assert reason in found.reason


def elsewhere(content: str) -> str:
    """Return the events of another match, of other people."""
    for number in range(3):
        content = content.replace(f"7656119796026575{number + 1}", f"7656119796026595{number + 1}")
    guid = quake_live_events()[0]["DATA"]["MATCH_GUID"]
    return content.replace(guid, f"another-{guid}")


@pytest.mark.parametrize("seed", range(20))
def test_matches_of_several_servers_may_run_at_a_time(seed: int) -> None:
    """However a collector writes their events down one among the other, each is what it is alone."""
    mine, other = QUAKE_LIVE.splitlines(keepends=True), elsewhere(QUAKE_LIVE).splitlines(keepends=True)
    order = np.random.default_rng(seed).permutation([0, 1] * len(mine)).tolist()
    left = iter(mine), iter(other)
    content = "".join(next(left[each]) for each in order)
    found = parsed(GAME, content.encode())
    assert {match.id for match in found} == {one(QUAKE_LIVE).id, one(elsewhere(QUAKE_LIVE)).id}
    assert sorted(map(repr, found)) == sorted(map(repr, (one(QUAKE_LIVE), one(elsewhere(QUAKE_LIVE)))))


def test_a_match_without_an_end_is_given_up_when_its_people_begin_another() -> None:
    """A server that crashed tells no end; what is read again begins with the match that runs."""
    lines = QUAKE_LIVE.splitlines(keepends=True)
    guid = quake_live_events()[0]["DATA"]["MATCH_GUID"]
    anew = QUAKE_LIVE.replace(guid, "anew").splitlines(keepends=True)
    reader = GAME.reader("log")
    reader.read("".join(lines[:4]).encode())
    assert reader.settled == len(lines[0])  # a warm-up
    (given_up,) = reader.read("".join(anew[:2]).encode())
    assert isinstance(given_up, Unfinished)
    assert reader.settled == len("".join([*lines[:4], anew[0]]))
    (match,) = reader.read("".join(anew[2:]).encode())
    assert isinstance(match, Match)


def test_reports_that_were_put_together_without_a_line_feed_are_two() -> None:
    """The first line of the second one stands behind the last of the first."""
    both = parsed(GAME, (QUAKE_LIVE_REPORT.rstrip("\n") + QUAKE_LIVE_REPORT.replace("I ", "I x", 1)).encode())
    assert [type(each) for each in both] == [Match, Match]
    assert [match.contests for match in both if isinstance(match, Match)] == [
        one(QUAKE_LIVE_REPORT).contests
    ] * 2
