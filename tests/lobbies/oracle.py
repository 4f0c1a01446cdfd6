"""A slow and obvious solver for a dozen players, and a checker of plans; they share no code with the rest."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import strategies as st

from equipoise import Lobby, LobbyPlan


@dataclass(frozen=True)
class Case:
    """Players 0, 1, ... with skills, and asked that may or may not be met."""

    skills: tuple[float, ...]
    lobbies: tuple[Lobby, ...]
    team_size: int
    min_size: int
    parties: tuple[tuple[int, ...], ...]
    bars: tuple[tuple[int, int], ...]
    deviation: str
    per_player: bool

    def arguments(self) -> dict[str, object]:
        """Return the arguments of ``fill``."""
        barred: dict[str, list[str]] = {}
        for player, lobby in self.bars:
            barred.setdefault(f"p{player}", []).append(self.lobbies[lobby].name)
        return {
            "players": {f"p{n}": skill for n, skill in enumerate(self.skills)},
            "lobbies": self.lobbies,
            "team_size": self.team_size,
            "min_size": self.min_size,
            "zero": 0.0,
            "parties": [[f"p{n}" for n in party] for party in self.parties],
            "barred": barred,
            "deviation": self.deviation,
            "per_player": self.per_player,
        }

    def cost(self, team: tuple[int, ...], lobby: int) -> float:
        """Return what a team costs in a lobby."""
        total = sum(self.skills[n] for n in team)
        away = (total / len(team) if self.per_player else total) - (self.lobbies[lobby].target or 0.0)
        return abs(away) if self.deviation == "absolute" else away * away


def best(case: Case) -> tuple[int, int, float] | None:
    """Return the most players seated, then the fewest teams, then the least value; None if infeasible."""
    blocks = list(case.parties)
    blocks += [(n,) for n in range(len(case.skills)) if not any(n in party for party in blocks)]
    least: dict[tuple[int, int], float] = {}

    def grow(left: list[tuple[int, ...]], counts: tuple[int, ...], seated: int, value: float) -> None:
        if not left:
            if all(lobby.min_teams <= n for lobby, n in zip(case.lobbies, counts, strict=True)):
                key = (seated, -sum(counts))
                least[key] = min(least.get(key, math.inf), value)
            return
        first, rest = left[0], left[1:]
        grow(rest, counts, seated, value)
        for extra in range(case.team_size):
            for others in itertools.combinations(rest, extra):
                team = first + sum(others, ())
                if not case.min_size <= len(team) <= case.team_size:
                    continue
                remaining = [block for block in rest if block not in others]
                for place, lobby in enumerate(case.lobbies):
                    if any((n, place) in case.bars for n in team):
                        continue
                    if lobby.max_teams is not None and counts[place] >= lobby.max_teams:
                        continue
                    after = tuple(n + (k == place) for k, n in enumerate(counts))
                    grow(remaining, after, seated + len(team), value + case.cost(team, place))

    grow(blocks, (0,) * len(case.lobbies), 0, 0.0)
    if not least:
        return None
    seated, teams = max(least)
    return seated, -teams, least[seated, teams]


def check(case: Case, plan: LobbyPlan) -> None:
    """Assert that a plan keeps every rule and says its value truly."""
    number = {f"p{n}": n for n in range(len(case.skills))}
    teams = [
        (tuple(number[player.id] for player in team), place)
        for place, lobby in enumerate(plan.lobbies)
        for team in lobby.teams
    ]
    seated = [n for team, _ in teams for n in team]
    waiting = [number[player.id] for player in plan.waiting]
    assert sorted(seated + waiting) == sorted(number.values()), "everyone once"
    assert all(case.min_size <= len(team) <= case.team_size for team, _ in teams), "team sizes"
    for party in case.parties:
        homes = {next((k for k, (team, _) in enumerate(teams) if n in team), -1) for n in party}
        assert len(homes) == 1, "parties together"
    assert not [(n, k) for team, k in teams for n in team if (n, k) in case.bars], "bars"
    for lobby, filled in zip(case.lobbies, plan.lobbies, strict=True):
        assert lobby.name == filled.name
        assert lobby.min_teams <= len(filled.teams), "minimum"
        assert lobby.max_teams is None or len(filled.teams) <= lobby.max_teams, "maximum"
        for team, total in zip(filled.teams, filled.totals, strict=True):
            skills = [case.skills[number[player.id]] for player in team]
            assert skills == sorted(skills, reverse=True)
            assert math.isclose(sum(skills) / (len(team) if case.per_player else 1), total, abs_tol=1e-9)
    value = sum(case.cost(team, place) for team, place in teams)
    assert plan.value is not None
    assert plan.bound is not None
    assert math.isclose(plan.value, value, rel_tol=1e-9, abs_tol=1e-12), "true value"
    assert plan.bound <= plan.value


def parties_of(sizes: list[int], n: int) -> Iterator[tuple[int, ...]]:
    """Go through parties of given sizes, one after another, as long as there are players."""
    at = 0
    for size in sizes:
        if at + size > n:
            return
        yield tuple(range(at, at + size))
        at += size


skills = st.one_of(
    st.integers(0, 4).map(float),
    st.integers(800, 2400).map(float),
    st.floats(-5.0, 50.0, allow_subnormal=False).map(lambda x: round(x, 3)),
)


@st.composite
def cases(draw: st.DrawFn, most: int = 8) -> Case:
    """Return up to so many players with any asked that may or may not be met."""
    n = draw(st.integers(2, most))
    team_size = draw(st.integers(1, min(n, 4)))
    lobbies = draw(st.integers(1, 3))
    targets = st.one_of(st.integers(-2, 12).map(float), st.floats(0.0, 60.0).map(lambda x: round(x, 2)))
    made = []
    for place in range(lobbies):
        least = draw(st.sampled_from([0, 0, 0, 1, 2]))
        most_teams = draw(st.sampled_from([None, None, least, least + 1, least + 2]))
        made.append(Lobby(f"L{place}", draw(targets), least, most_teams))
    sizes = draw(st.lists(st.integers(2, max(team_size, 2)), max_size=3))
    bar = st.tuples(st.integers(0, n - 1), st.integers(0, lobbies - 1))
    return Case(
        skills=tuple(draw(st.lists(skills, min_size=n, max_size=n))),
        lobbies=tuple(made),
        team_size=team_size,
        min_size=draw(st.sampled_from([team_size, team_size, team_size, 1, max(team_size - 1, 1)])),
        parties=tuple(parties_of(sizes, n)) if team_size > 1 else (),
        bars=tuple(sorted(set(draw(st.lists(bar, max_size=4))))),
        deviation=draw(st.sampled_from(["squared", "squared", "absolute"])),
        per_player=draw(st.booleans()),
    )
