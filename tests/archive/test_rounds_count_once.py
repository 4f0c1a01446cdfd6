"""Rounds or halves with different rosters: each counts for those who played it, the whole game no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.games.samples import (
    QUAKE_LIVE,
    counter_strike,
    fortress_person,
    stopwatch_round,
    team_fortress,
    urban_terror,
)

from equipoise.archive.archive import open_archive
from equipoise.core.match import Match
from equipoise.games.laws import parsed
from equipoise.games.log_reader import guess_game
from equipoise.games.match_in_progress import PART

pytestmark = pytest.mark.slow

#: A round: who was in each team, and which won.
Round = tuple[set[str], set[str], int]

A, B, C, D, E = ("[U:1:23]", "[U:1:24]", "[U:1:27]", "bot:P3:?", "[U:1:99]")
R, S, T, U = (f"[U:1:{n}]" for n in range(31, 35))
SUBSTITUTE = '"New<40><STEAM_0:1:49><>"'

#: A substitute for the second round, and sides that are swapped for the third.
STRIKE = counter_strike(
    "WIN CT 1 0", '<0> disconnected (reason "bye")', f"{SUBSTITUTE} entered the game",
    f'{SUBSTITUTE} joined team "CT"', "WIN TERRORIST 1 1",
    *(f'"P{n}<{n + 20}><{who}>" switched from team <{old}> to <{new}>' for n, who, old, new in (
        (1, "STEAM_0:0:12", "TERRORIST", "CT"), (2, "STEAM_0:1:13", "CT", "TERRORIST"),
        (3, "BOT", "TERRORIST", "CT"))),
    '"New<40><STEAM_0:1:49>" switched from team <CT> to <TERRORIST>', "WIN CT 2 1",
)  # fmt: skip

FORTRESS = team_fortress(
    "START", "KILL 0 2", "KILL 3 1", "WIN Red 1 0", f'{fortress_person(1)} disconnected (reason "bye")',
    "START", '"New<9><[U:1:99]><Unassigned>" joined team "Red"', "KILL 2 0",
    f'"New<9><[U:1:99]><Red>" killed {fortress_person(3)} with "bat" (x "0")', "KILL 2 0", "KILL 3 0",
    "WIN Blue 1 1", "START", "KILL 2 0", "KILL 3 0", f'"New<9><[U:1:99]><Red>" killed {fortress_person(2)} '
    'with "bat" (x "0")', "WIN Blue 1 2", "OVER 1 2",
)  # fmt: skip

#: Both rounds of a stopwatch match are one contest, whoever came for the second.
STOPWATCH = stopwatch_round(
    1, 2, "4:00", ("A0000001", 2, 3, 1, 4.0), ("C0000003", 1, 1, 3, 4.0)
) + stopwatch_round(
    2, 1, "4:00", ("B0000002", 1, 1, 2, 4.0), ("C0000003", 2, 3, 4, 8.0), limit="4:00"
)  # fmt: skip

URBAN = [f"{n:032X}" for n in range(2)]

CASES: dict[str, tuple[bytes, Sequence[Round], float]] = {
    "counter-strike": (
        STRIKE.encode(), [({B, D}, {A, C}, 1), ({B, D}, {E, C}, 0), ({E, C}, {B, D}, 1)], PART,
    ),
    "team fortress": (
        FORTRESS.encode(), [({R, S}, {T, U}, 0), ({R, E}, {T, U}, 1), ({R, E}, {T, U}, 1)], PART,
    ),
    "quake live": (
        QUAKE_LIVE.encode(), [({A}, {B}, 0), ({A, "[U:1:25]"}, {B}, 1), ({A, "[U:1:25]"}, {B}, 0)], 1.0,
    ),
    "urban terror": (
        urban_terror().partition(b"g_gametype\\7")[0].rpartition(b"\n")[0] + b"\n",
        [({URBAN[0], "bot:P2:4"}, {URBAN[1], "bot:P3:4"}, 0),
         ({URBAN[0], "bot:P2:4"}, {URBAN[1], "bot:P3:4"}, 1)], PART,
    ),
    "et: legacy": (STOPWATCH.encode(), [({"A0000001", "B0000002"}, {"C0000003"}, 0)], 1.0),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_an_archive_learns_from_each_round_once(name: str, tmp_path: Path) -> None:
    """Its ratings are those of the rounds alone, each by those who played it; there is no other contest."""
    content, rounds, weight = CASES[name]
    found = [one for one in parsed(guess_game(content).game, content) if isinstance(one, Match)]
    (match,) = found
    assert [
        (*({player for player, _ in team} for team in contest.teams), contest.ranks.index(0.0))
        for contest in match.contests
    ] == [*rounds]
    by_hand = replace(
        match,
        contests=tuple(
            replace(
                contest, ranks=(float(won == 1), float(won == 0)), weight=weight,
                teams=[[(one, dict(team)[one]) for one in dict(team)] for team in contest.teams],
            )
            for contest, (_, _, won) in zip(match.contests, rounds, strict=True)
        ),
    )  # fmt: skip
    states = []
    for n, each in enumerate((match, by_hand)):
        with open_archive(f"sqlite:///{tmp_path / f'{n}.db'}", create=True) as archive:
            archive.record([each])
            archive.record([each])
            archive.update_ratings()
            states.append(repr(archive.standing().state))
            assert sum(len(kept.contests) for kept in archive.matches()) == len(rounds)
    assert states[0] == states[1]
