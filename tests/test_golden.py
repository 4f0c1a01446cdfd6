"""Answers that were right stay what they were: splits, lobbies, ratings and matches recorded from 80601d7.

A change that means to change one of them records it again, and says in its message why.  Not recorded is what
was changed on purpose since: teams of different sizes under ``win`` and ``spread`` (decision 0012), prices,
and the default rating model.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from equipoise import BalanceRequest, Match, Player, balance, fill, read_matches, replay
from equipoise.core.registry import GAMES, MODELS, resolve

HERE = Path(__file__).parent
GOLDEN: dict[str, Any] = json.loads((HERE / "data" / "golden.json").read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("case", GOLDEN["balance"], ids=range(len(GOLDEN["balance"])))
def test_splits_and_values_are_what_they_were(case: dict[str, Any]) -> None:
    """Rosters of Elo ratings, decimals and whole numbers, in two to four teams, by each objective."""
    players = [Player(f"p{n}", weight) for n, weight in enumerate(case["weights"])]
    solution = balance(
        players,
        teams=case["teams"],
        objective=case["objective"],
    )
    assert solution.status.value == case["status"]
    assert solution.value == pytest.approx(case["value"], rel=1e-12, abs=1e-12)
    assert sorted(sorted(player.id for player in team) for team in solution.best.teams) == case["split"]


@pytest.mark.slow
@pytest.mark.parametrize("case", GOLDEN["asked"], ids=range(len(GOLDEN["asked"])))
def test_splits_under_rules_are_what_they_were(case: dict[str, Any]) -> None:
    """Parties, players apart and fixed, sizes, bots, roles, custom rules, several splits; each objective."""
    data = {name: value for name, value in case.items() if name not in ("weights", "answer")}
    roles = ({"tank": None}, {"dps": None}, {"dps": None}) if "roles" in data else (None,)
    data["players"] = [
        {"name": f"p{n}", "weight": weight} | ({"roles": roles[n % len(roles)]} if roles[0] else {})
        for n, weight in enumerate(case["weights"])
    ]
    data["fixed"] = {who: team + 1 for who, team in data.get("fixed", {}).items()}
    solution, answer = balance(BalanceRequest.from_dict(data)), case["answer"]
    assert solution.status.value == answer["status"]
    assert [split.value for split in solution.splits] == pytest.approx(answer["values"], rel=1e-12, abs=1e-12)
    assert solution.bound == pytest.approx(answer["bound"], rel=1e-12, abs=1e-12)
    splits = [[sorted(player.id for player in team) for team in split.teams] for split in solution.splits]
    assert splits == answer["splits"]


@pytest.mark.parametrize("case", GOLDEN["lobbies"], ids=range(len(GOLDEN["lobbies"])))
def test_lobbies_are_what_they_were(case: dict[str, Any]) -> None:
    """Two and three lobbies, parties, teams that need not be full, squared and absolute deviations."""
    asked = {name: value for name, value in case.items() if name not in ("weights", "lobbies", "answer")}
    players = [Player(f"p{n}", weight) for n, weight in enumerate(case["weights"])]
    plan, answer = fill(players, case["lobbies"], **asked), case["answer"]
    assert plan.status.value == answer["status"]
    assert plan.value == pytest.approx(answer["value"], rel=1e-12, abs=1e-12)
    assert answer["bound"] * (1.0 - 1e-12) <= plan.bound <= plan.value
    assert answer["teams"] == [
        [lobby.name, sorted(sorted(player.id for player in team) for team in lobby.teams)]
        for lobby in plan.lobbies
    ]


@pytest.mark.parametrize("name", GOLDEN["models"])
def test_ratings_are_what_they_were(name: str) -> None:
    """The comparison models rate the shipped example to the last bit."""
    matches = [
        match
        for match in read_matches(str(HERE.parent / "examples" / "matches.jsonl"))
        if isinstance(match, Match)
    ]
    model = resolve("model", MODELS, name)()
    state = replay(model, matches)
    rulesets = sorted({match.ruleset for match in matches}, key=repr)
    for player, ratings in GOLDEN["models"][name].items():
        now = [model.rating(state, player, ruleset) for ruleset in rulesets]
        assert [[rating.mu, rating.sigma] for rating in now] == ratings


@pytest.mark.slow
@pytest.mark.parametrize("name", GOLDEN["logs"])
def test_matches_of_logs_have_the_ids_they_had(name: str) -> None:
    """A match's id depends on its own lines: archives of older versions know the same matches."""
    game = resolve("game", GAMES, "nexuiz" if name.startswith("nexuiz") else "quake3")
    reader = game.reader(name)
    parsed = [*reader.read(gzip.decompress((HERE / "games" / "data" / name).read_bytes())), *reader.finish()]
    ids = [[match.id, len(match.contests)] for match in parsed if isinstance(match, Match)]
    assert hashlib.sha256(json.dumps(ids).encode()).hexdigest() == GOLDEN["logs"][name]
