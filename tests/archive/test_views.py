"""What analysts read with SQL is what the library says, in both databases."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from benchmarks.archive.late_matches import match

from equipoise.archive.archive import Archive, open_archive
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.ratings.display_scale import scale_of

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "sql.md"

#: The queries of the page.
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def asked(archive: Archive, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    with archive._database.reading() as connection:  # what an analyst does with a program of their own
        return [tuple(row) for row in connection.execute(sa.text(query))]


def filled(url: str) -> Archive:
    """Return an archive with games of two rulesets, a merged person, an undone game and hostile names."""
    archive = open_archive(url)
    rng = np.random.default_rng(0)
    matches = [match(rng, n, 1.7e9 + 600.0 * n, 20) for n in range(60)]
    names = (("p1", "A\ud83d\ude00\u00e4'\"\\\\u0000"), ("p\u26031", "\0 'x'"))
    teams = (["p1", ("p\u26031", 0.5)], ["p3"], ["p4"])
    odd = Contest(Ruleset("oa", "ctf", ("x", "y")), teams, (2, 1, 2), at=1.8e9, scores=(1.0, 5.0, 1.0))
    matches.append(Match((odd,), began=1.8e9 - 60, id="10", names=names, map="dm'1", server="s"))
    archive.record(matches)
    archive.undo("m7")
    archive.update_ratings()
    return archive


@pytest.mark.parametrize("n", range(len(QUERIES)))
def test_the_queries_of_the_page_run(n: int, new_url: Callable[[], str]) -> None:
    """Five of them, each with an answer."""
    assert len(QUERIES) == 5
    with filled(new_url()) as archive:
        assert asked(archive, QUERIES[n])


def test_views_say_what_the_library_says(new_url: Callable[[], str]) -> None:
    """Games, who was in them, and ratings, also after a late game, a merge and a rebuild."""
    with filled(new_url()) as archive:
        for change in ("nothing", "late", "merge", "undo", "rebuild"):
            if change == "late":
                archive.record([match(np.random.default_rng(9), 99, 1.7e9 + 50.0, 20)])
            elif change == "merge":
                other = Contest(Ruleset("g", "tdm"), (["p2x"], ["p5"]), (1, 2), at=1.75e9)
                archive.record([Match((other,), id="2")])
                archive.update_ratings()
                archive.merge("p2", "p2x")
            elif change == "undo":
                archive.undo("10")
            archive.rebuild() if change == "rebuild" else archive.update_ratings()
            standing = archive.standing()
            rows = asked(
                archive, "SELECT player, game, game_type, mutators, mu, sigma, weight, games FROM ratings"
            )
            found = {
                (row[0], Ruleset(row[1], row[2], tuple(filter(None, row[3].split(","))))): row[4:]
                for row in rows
            }
            expected = {(player, ruleset): games for (player, ruleset), games in standing.games.items()}
            assert {key: row[3] for key, row in found.items() if key[1] != Ruleset()} == expected
            last = max(standing.known.games.items(), key=lambda each: each[1][2])[0]
            rating = standing.model.rating(standing.state, *last)
            shown = scale_of(standing.model, standing.state, last[1]).shown(rating.mu)
            assert found[last[0], last[1]][:3] == (rating.mu, rating.sigma, shown)
            games = asked(archive, "SELECT game_id, players, counts, map FROM games ORDER BY ended, game_id")
            assert len(games) == archive.count() + sum(not row[2] for row in games)
            there = asked(archive, "SELECT game_id, player, rank, score FROM appearances")
            assert len(there) == sum(
                len(team) for one in archive.matches() for contest in one.contests for team in contest.teams
            )
            if change == "nothing":
                assert [row[:4] for row in games][-1] == ("10", 4, True, "dm'1")
                assert [row for row in there if row[0] == "10" and row[1] == "p3"] == [("10", "p3", 1.0, 5.0)]
            if change == "merge":
                assert "p2x" not in {row[1] for row in there}


#: Halves of characters, NUL, and texts that only look like their escapes: each is read as the other.
READ = {
    "a\ud800b": "a\ufffdb",
    "\udc00": "\ufffd",
    "\U0001f600 \ud83d \U0001f600": "\U0001f600 \ufffd \U0001f600",
    "\ude00\ud83d\U0001f600\ud83d": "\ufffd\ufffd\U0001f600\ufffd",
    "\0x\0": "\ufffdx\ufffd",
    r"\ud800 \\ud800 \u0000": r"\ud800 \\ud800 \u0000",
    "\\\ud800\\\0": "\\\ufffd\\\ufffd",
    "\ud7ff\ue000 \ud55c\uad6d \uac00": "\ud7ff\ue000 \ud55c\uad6d \uac00",
    "plain 'x' \"y\" %s {z}": "plain 'x' \"y\" %s {z}",
}


@pytest.mark.parametrize("text", READ, ids=ascii)
def test_views_have_only_what_can_be_read(text: str, new_url: Callable[[], str]) -> None:
    """Names, ids, maps and rulesets with halves of characters break no query, also those that were merged."""
    ruleset = Ruleset("g", "duel")
    with open_archive(new_url()) as archive:
        for n, (one, two) in enumerate((("x" + text, "q"), ("y" + text, "q"))):
            duel = Contest(ruleset, ([one], [two]), (1, 2), at=1e9 + n)
            archive.record([Match((duel,), id=f"{n}{text}", names=((one, text),), map=text, server=text)])
        archive.update_ratings()
        for merged in (False, True):
            if merged:
                archive.merge("x" + text, "y" + text)
                archive.update_ratings()
            games = asked(archive, "SELECT game_id, map, server FROM games ORDER BY ended")
            assert games == [(f"{n}{READ[text]}", READ[text], READ[text]) for n in range(2)]
            there = asked(archive, "SELECT player, name FROM appearances ORDER BY ended, team")
            second = "x" if merged else "y"
            assert there[0] == ("x" + READ[text], READ[text])
            assert there[2] == (second + READ[text], READ[text])
            rated = asked(archive, "SELECT DISTINCT player, name FROM ratings WHERE player <> 'q'")
            expected = {"x"} if merged else {"x", "y"}
            assert {tuple(row) for row in rated} == {(one + READ[text], READ[text]) for one in expected}


def test_ids_that_differ_only_in_what_cannot_be_read(new_url: Callable[[], str]) -> None:
    """They are two people, and stop no learning."""
    with open_archive(new_url()) as archive:
        duel = Contest(Ruleset("g", "duel"), (["p\ud800"], ["p\ud801"]), (1, 2), at=1e9)
        archive.record([Match((duel,), id="1")])
        assert archive.update_ratings().matches == 1
        assert len(archive.standing().games) == 2
        assert asked(archive, "SELECT DISTINCT player FROM ratings") == [("p\ufffd",)]
