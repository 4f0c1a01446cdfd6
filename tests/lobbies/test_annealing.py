"""Annealing keeps every rule, never makes a plan worse, and is the same plain and compiled."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.kernels import needs_numba
from tests.lobbies.oracle import Case, cases

from equipoise import Lobby, Status, fill
from equipoise.core.compiled import compiled
from equipoise.core.stopping import never
from equipoise.lobbies import annealing
from equipoise.lobbies.annealing import Annealing, moved, search
from equipoise.lobbies.kernels import anneal
from equipoise.lobbies.problem import WAITING, LobbyProblem, LobbyTask, Placed, Placing

pytestmark = pytest.mark.slow


def task_of(**given: object) -> LobbyTask | None:
    """Return what a solver would be asked for; None where nothing is feasible."""
    tasks: list[LobbyTask] = []

    def solver(task: LobbyTask) -> Placed:
        tasks.append(task)
        return Placed(task.start, 0.0, proven=False)

    fill(**given, solver=solver)
    return tasks[0] if tasks else None


def assert_legal(problem: LobbyProblem, placing: Placing, start: Placing) -> None:
    """Assert that a placing keeps all rules and seats as many players in as many teams."""
    sizes = placing.sizes(problem)
    assert sizes.sum() == start.sizes(problem).sum()
    assert ((sizes >= problem.min_size) & (sizes <= problem.team_size)).all()
    counts = np.bincount(placing.lobby, minlength=problem.n_lobbies)
    assert len(placing.lobby) == len(start.lobby)
    assert ((counts >= problem.least) & (counts <= problem.most)).all()
    seated = placing.team != WAITING
    assert problem.may[problem.kind[seated], placing.lobby[placing.team[seated]]].all()


@settings(max_examples=60)
@given(case=cases(most=12))
def test_every_placing_on_the_way_is_legal(case: Case) -> None:
    """Hot and cold, with free and with fixed numbers of teams; what the kernel keeps is what is so."""
    task = task_of(**case.arguments())
    if task is None:
        return
    problem, walk = task.problem, Annealing(task.problem, task.start, 1, 0)
    for free in (True, False):
        start = task.start if free else moved(problem, task.start, {})
        assert_legal(problem, start, task.start)
        walk.begin(start, free=free)
        for heat in (100.0, 1e-9):
            placing = walk.run(500, heat, heat / 10.0, never)
            assert_legal(problem, placing, task.start)
            assert walk.value() == pytest.approx(placing.value(problem), rel=1e-6, abs=1e-6)


@settings(max_examples=20)
@given(case=cases(most=12))
def test_a_search_never_makes_a_plan_worse(case: Case) -> None:
    """And the same seed gives the same plan."""
    task = task_of(**case.arguments())
    if task is None:
        return
    one, other = (search(task.problem, task.start, never, times=0.02) for _ in range(2))
    assert_legal(task.problem, one, task.start)
    assert one.value(task.problem) <= task.start.value(task.problem)
    assert (one.team == other.team).all()
    assert (one.lobby == other.lobby).all()


@pytest.mark.slow
@needs_numba
@pytest.mark.parametrize("mixed", [False, True])
def test_annealing_is_the_same_bits_plain_and_compiled(monkeypatch: pytest.MonkeyPatch, mixed: bool) -> None:
    """With swaps alone, and with parties, smaller teams and bars."""
    rng = np.random.default_rng(4)
    given: dict[str, object] = {"players": {f"p{n}": float(x) for n, x in enumerate(rng.normal(5, 1, 40))}}
    if mixed:
        given |= {"parties": [["p0", "p1"], ["p2", "p3", "p4"]], "min_size": 2, "barred": {"p9": "b"}}
    task = task_of(**given, lobbies=[Lobby("a", 12.0, 2), Lobby("b", 17.0)], team_size=3)
    assert task is not None
    results = []
    for kernel in (anneal, compiled(anneal)):
        monkeypatch.setattr(annealing, "chosen", lambda *_, kernel=kernel: kernel)
        placing = Annealing(task.problem, task.start, 0, 0).run(20_000, 1.0, 1e-6, never)
        assert placing.value(task.problem) < task.start.value(task.problem)
        results.append((placing.team.tobytes(), placing.lobby.tobytes()))
    assert results[0] == results[1]


@settings(max_examples=30)
@given(case=cases(most=12))
def test_polishing_keeps_the_rules_and_never_makes_a_plan_worse(case: Case) -> None:
    """Parts of few teams, those who wait staying where they are."""
    task = task_of(**case.arguments())
    if task is None or task.n_teams < 3:
        return
    with pytest.MonkeyPatch.context() as patch:
        for name, number in (
            ("FEWEST_TEAMS", 0),
            ("MANY_TEAMS", 0),
            ("PART", 2),
            ("POLISH_EACH", 50),
            ("MOST_ROUNDS", 8),
        ):
            patch.setattr(annealing, name, number)
        polished = annealing.polish(task.problem, task.start, never, 0.0)
    assert_legal(task.problem, polished, task.start)
    assert polished.value(task.problem) <= task.start.value(task.problem) * (1 + 1e-12)
    assert ((polished.team == WAITING) == (task.start.team == WAITING)).all()


def test_whole_numbers_of_very_many_teams_meet_their_targets() -> None:
    """A thousand teams of three, a dozen of them off: the worst are mended with the help of others."""
    rng = np.random.default_rng(3)
    skill = np.rint(rng.normal(25.0, 8.0, 3_000))
    target = round(float(skill.sum()) / 1_000)
    players = {f"p{n}": float(x) for n, x in enumerate(skill)}
    task = task_of(players=players, lobbies={"a": float(target)}, team_size=3)
    assert task is not None
    least = abs(float(skill.sum()) - 1_000.0 * target)
    polished = annealing.polish(task.problem, task.start, never, least)
    assert polished.value(task.problem) <= task.start.value(task.problem)
    assert polished.value(task.problem) == least


def test_parties_that_are_teams_are_not_exchanged_for_players() -> None:
    """Such an exchange changes nothing, unless the players wait; smaller parties are exchanged."""
    from equipoise.lobbies.annealing import _mixes

    for players, team_size, mixes in ((8, 2, False), (9, 2, True), (9, 3, True)):
        task = task_of(
            players={f"p{k}": float(k * k) for k in range(players)},
            lobbies={"A": 20.0, "B": 40.0},
            team_size=team_size,
            parties=[("p0", "p1")],
        )
        assert task is not None
        assert _mixes(task.problem, task.start) is mixes


def test_hundreds_of_teams_of_whole_numbers_have_the_best_numbers_of_teams() -> None:
    """Three hundred threes: only with the right numbers of teams in three lobbies does all come out even."""
    rng = np.random.default_rng([900, 3, 29])
    skill = np.rint(rng.normal(25.0, 8.0, 900))
    players = {f"p{n}": float(x) for n, x in enumerate(skill)}
    for parties, least in ((), 0.0), ([(f"p{n}", f"p{n + 1}") for n in range(0, 90, 2)], 1.0):
        plan = fill(players, {"a": 65.0, "b": 76.0, "c": 88.0}, team_size=3, parties=parties)
        assert (plan.value, plan.status) == (least, Status.OPTIMAL)
