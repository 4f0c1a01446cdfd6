"""ET: Legacy: two files of statistics are one stopwatch match."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.games.samples import stopwatch_match, stopwatch_round

from equipoise.archive.archive import open_archive
from equipoise.archive.ingest.ingest import Ingest
from equipoise.archive.ingest.log_files import find_logs, in_chains
from equipoise.core.match import Match, Unfinished
from equipoise.core.rulesets import ruleset_text
from equipoise.games.etlegacy.reader import FIRST_MISSING, GAME, MISSING
from equipoise.games.laws import parsed
from equipoise.games.log_reader import guess_game

A, B, C, D = "A0000001", "B0000002", "C0000003", "D0000004"


def one(content: str) -> Match:
    """Return the only match of a log."""
    (match,) = parsed(GAME, content.encode())
    assert isinstance(match, Match)
    return match


def reasons(content: str) -> list[str]:
    """Return why the games of a log do not count."""
    return [found.reason for found in parsed(GAME, content.encode()) if isinstance(found, Unfinished)]


def test_rosters_and_not_sides_make_the_teams() -> None:
    """Those who attacked first are a team in both rounds, and figures count once."""
    match = one(stopwatch_match())
    assert guess_game(stopwatch_match().encode()).name == "etlegacy"
    assert (ruleset_text(match.ruleset), match.map, match.dated) == ("etlegacy/stopwatch", "supply", False)
    (contest,) = match.contests
    assert contest.teams == (((A, 1.0), (B, 1.0)), ((C, 1.0), (D, 1.0)))
    assert [(each.kills, each.deaths) for each in contest.statistics] == [(4, 3), (2, 4), (5, 4), (4, 4)]
    assert dict(match.names)[A] == "PA"


@pytest.mark.parametrize(
    ("times", "winners", "ranks"),
    [
        (("4:00", "3:00"), (2, 2), (1, 0)),
        (("4:00", "4:00"), (2, 1), (0, 1)),
        (("10:00", "3:00"), (1, 2), (1, 0)),
        (("10:00", "10:00"), (1, 1), (0, 0)),
        (("4:00", "4:00"), (2, 2), (1, 0)),
    ],
)
def test_the_faster_attack_wins(
    times: tuple[str, str], winners: tuple[int, int], ranks: tuple[float, float]
) -> None:
    """An attack that is held in the second round loses to one that was not, and two that were held draw."""
    assert one(stopwatch_match(times, winners)).contests[0].ranks == ranks


def test_a_substitute_counts_for_the_time_played() -> None:
    """Who came for the second round, and who left after the first, have half of the match."""
    first = (("A0000001", 2, 3, 1, 4.0), ("C0000003", 1, 1, 3, 4.0))
    second = (("B0000002", 1, 1, 2, 4.0), ("C0000003", 2, 3, 4, 8.0))
    log = stopwatch_round(1, 2, "4:00", *first) + stopwatch_round(2, 1, "4:00", *second, limit="4:00")
    assert one(log).contests[0].teams == (((A, 0.5), (B, 0.5)), ((C, 1.0),))


def test_files_of_two_calls_or_of_other_names_say_what_to_do(tmp_path: Path) -> None:
    """Each round alone is none, and the reason says how both are read."""
    match = stopwatch_match()
    at = match.rindex("^1A")
    for name, text in (("a.txt", match[:at]), ("b.txt", match[at:])):
        (tmp_path / name).write_text(text, encoding="utf-8")
    with open_archive(f"sqlite:///{tmp_path}/a.db", create=True) as archive:
        ingest = Ingest(archive)
        for chain in in_chains(find_logs((str(tmp_path / "?.txt"),))):
            ingest.read(chain, "etlegacy")
        ingest.keep()
        assert archive.count() == 0
        reasons = [one.reason for one in ingest.tally.first_unfinished]
    assert reasons == [MISSING, FIRST_MISSING]
    assert all("give both files in one call, with names that differ" in reason for reason in reasons)


def test_what_has_no_result_says_why() -> None:
    """A round alone, a file that is cut, teams that did not change sides, another map between."""
    match = stopwatch_match()
    first, second = match[: match.rindex("^1A")], match[match.rindex("^1A") :]
    assert reasons(first) == [MISSING]
    assert reasons(second) == [FIRST_MISSING]
    assert reasons(match[: match.rindex("D0000004")]) == ["the file of its second round ends within it"]
    unchanged = first + stopwatch_round(
        2, 2, "3:00", ("A0000001", 2, 5, 1, 7.0), ("C0000003", 1, 1, 3, 7.0), limit="4:00"
    )
    assert reasons(unchanged) == ["the same team attacked in both rounds"]
    other = stopwatch_round(2, 2, "3:00", ("A0000001", 1, 1, 1, 7.0), limit="4:00", name="radar")
    assert reasons(first + other) == [MISSING, FIRST_MISSING]
    assert reasons(first + second.replace(r"\2\4:00", r"\0\4:00")) == ["round 2 ended without a winner"]


def test_the_last_line_may_have_no_end() -> None:
    """A file that was copied without its last line feed is whole; one that lacks a figure is not."""
    match = stopwatch_match()
    assert one("\n" + match.removesuffix("\n")) == one(match)
    assert reasons(match.rstrip("\n").rpartition("\t")[0]) == ["the file of its second round ends within it"]


@pytest.mark.parametrize(
    ("limit", "is_second"), [("3:59", True), ("4:01", True), ("4:05", False), ("10:00", False)]
)
def test_the_limit_of_a_second_round_is_the_time_of_the_first(limit: str, is_second: bool) -> None:
    """It stands there in minutes, so that it may be a second off."""
    first = stopwatch_match(("4:00", "3:00"))
    log = first.replace("\\4:00\\3:00", f"\\{limit}\\3:00")
    assert first != log
    assert (reasons(log) == []) is is_second


def test_files_of_rounds_are_joined_by_their_names(tmp_path: Path) -> None:
    """In any order; a match has the date of its second file, and counts once however often it is read."""
    for day, times in (("14", ("4:00", "3:00")), ("15", ("5:00", "4:00"))):
        match = stopwatch_match(times)
        cut = match.rindex("^1A")
        for number, content in ((1, match[:cut]), (2, match[cut:])):
            (tmp_path / f"2025-10-{day}-20{number}000-supply-round-{number}.txt").write_text(content)
    files = tuple(str(path) for path in sorted(tmp_path.iterdir(), reverse=True))
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}") as archive:
        for _ in range(2):
            ingest = Ingest(archive)
            for chain in in_chains(find_logs(files)):
                ingest.read(chain)
            ingest.keep()
        assert (ingest.tally.matches, ingest.tally.duplicates, ingest.tally.unfinished) == (0, 2, 0)
        ended = [round(match.ended or 0.0) for match in archive.matches()]
    assert [each % 86400 // 60 for each in ended] == [20 * 60 + 20] * 2
    assert ended[1] - ended[0] == 86400


def test_rounds_of_different_people_are_no_match() -> None:
    """As where the files of two servers lie in one folder."""
    lines = stopwatch_match().splitlines(keepends=True)
    first, second = "".join(lines[: len(lines) // 2]), "".join(lines[len(lines) // 2 :])
    for number, one_id in enumerate((A, B, C, D)):
        second = second.replace(one_id, f"E000000{number}")
    assert reasons(first + second) == ["other people are in its second round"]
