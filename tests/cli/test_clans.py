"""Parties by clan tag, where whoever divides says so."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.running import runner

from equipoise.cli import group

ROSTER = "80 [UT] Ann\n70 ut|Bob\n60 Cid\n50 x|Dan\n"


def teams(*args: str) -> list[set[str]]:
    """Return the names in each team."""
    result = runner().invoke(group, [*args, "--json"])
    assert result.exit_code == 0, result.output
    plain = json.loads(result.stdout)
    return [set(team) for team in (plain.get("splits") or plain["lobbies"])[0]["teams"]]


def test_those_with_one_tag_stay_together_if_wanted(tmp_path: Path) -> None:
    """In a roster, and by the names that an archive has from logs; a tag of one alone is none."""
    roster = tmp_path / "roster.txt"
    roster.write_text(ROSTER, encoding="utf-8")
    assert {"[UT] Ann", "ut|Bob"} not in teams("balance", str(roster))
    assert {"[UT] Ann", "ut|Bob"} in teams("balance", str(roster), "--clan-tags")

    names = [line.split(" ", 1)[1] for line in ROSTER.splitlines()]
    lines = [
        {"id": f"g{n}", "ended": 1.7e9 + 600 * n, "teams": [[names[a]], [names[b]]], "scores": [2, 1]}
        for n, (a, b) in enumerate((a, b) for a in range(4) for b in range(a + 1, 4))
    ]
    log, url = tmp_path / "log.jsonl", f"sqlite:///{tmp_path}/games.db"
    log.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert runner().invoke(group, ["ingest", str(log), "--store", url]).exit_code == 0
    here = ("balance", "--store", url, "--here", ",".join(names))
    assert {"[UT] Ann", "ut|Bob"} not in teams(*here)
    assert {"[UT] Ann", "ut|Bob"} in teams(*here, "--clan-tags")


def test_lobbies_keep_clans_together_too(tmp_path: Path) -> None:
    """Which then share a team."""
    players, lobbies = tmp_path / "players.csv", tmp_path / "lobbies.csv"
    players.write_text(
        "name,skill\n" + "".join(",".join(line.split(" ", 1)[::-1]) + "\n" for line in ROSTER.splitlines()),
        encoding="utf-8",
    )
    lobbies.write_text("name,target\none,65\n", encoding="utf-8")
    args = ("lobbies", str(players), str(lobbies), "--team-size", "2")
    assert {"[UT] Ann", "ut|Bob"} not in teams(*args)
    assert {"[UT] Ann", "ut|Bob"} in teams(*args, "--clan-tags")
