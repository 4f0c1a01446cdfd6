"""What ``balance`` does with the things an organiser can ask for."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from equipoise import Bots, InputError, Player, Rating, Status, UnknownNameError, balance, deadline
from equipoise.core.registry import OBJECTIVES, SOLVERS, resolve
from equipoise.teams.objectives.objective import Criterion, Objective, Units
from equipoise.teams.solvers import infeasibility, meet_in_the_middle
from equipoise.teams.solvers.draft import draft
from equipoise.teams.solvers.task import Found, Ranked, Task

TEN = {
    name: float(weight)
    for name, weight in zip("abcdefghij", [31, 12, 47, 25, 38, 19, 54, 22, 41, 16], strict=True)
}


def ids(team: tuple[Player, ...]) -> set[str]:
    """Return who is in a team."""
    return {player.id for player in team}


def test_default_is_two_teams_of_equal_size_proven_best_by_spread() -> None:
    """Nothing but a roster is needed."""
    solution = balance(TEN)
    assert (solution.status, solution.objective, solution.gap) == (Status.OPTIMAL, "spread", 0.0)
    assert [len(team) for team in solution.best.teams] == [5, 5]
    assert solution.beta == pytest.approx(np.std(list(TEN.values())))
    assert "standard deviation" in solution.beta_source


def test_odd_rosters_differ_by_one() -> None:
    """Within one is the default where the number does not divide."""
    roster = dict(list(TEN.items())[:9])
    assert sorted(len(team) for team in balance(roster).best.teams) == [4, 5]


def test_same_arguments_same_answer() -> None:
    """The order of preferences apart, the same call gives the same solution."""
    preferences = {"parties": [("a", "b")], "apart": [("c", "d")], "keep": 4}
    assert balance(TEN, **preferences) == balance(TEN, **preferences)  # type: ignore[arg-type]


def test_parties_apart_and_fixed_are_kept_in_every_split() -> None:
    """Preferences are rules, for the best split and for the others."""
    solution = balance(TEN, parties=[("a", "b"), ("b", "c")], apart=[("a", "g")], fixed={"g": 0}, keep=6)
    assert len(solution.splits) == 6
    for split in solution.splits:
        assert "g" in ids(split.teams[0])
        assert {"a", "b", "c"} <= ids(split.teams[1])


def test_parties_and_teams_can_come_with_the_players() -> None:
    """``Player.party`` and ``Player.team`` are the same preferences."""
    players = [
        Player(n, w, party="x" if n in "ab" else None, team=1 if n == "j" else None) for n, w in TEN.items()
    ]
    split = balance(players).best
    assert any({"a", "b"} <= ids(team) for team in split.teams)
    assert "j" in ids(split.teams[1])


@pytest.mark.parametrize(
    ("preferences", "named"),
    [
        ({"parties": [("a", "b")], "apart": [("b", "a")]}, ["'a'", "'b'", "one party"]),
        ({"apart": [("a", "b", "c")]}, ["'a'", "'c'", "3 players", "2 teams"]),
        ({"apart": [("a", "b"), ("b", "c"), ("a", "c")]}, ["'a'", "'c'", "apart"]),
        ({"parties": [("a", "b")], "fixed": {"a": 0, "b": 1}}, ["'a'", "'b'", "different teams"]),
        ({"apart": [("a", "b")], "fixed": {"a": 1, "b": 1}}, ["'a'", "'b'", "apart"]),
    ],
)
def test_contradictions_name_the_pair(preferences: dict[str, object], named: list[str]) -> None:
    """An infeasible answer says who can be neither together nor apart."""
    solution = balance(TEN, **preferences)  # type: ignore[arg-type]
    assert (solution.status, solution.splits, solution.gap) == (Status.INFEASIBLE, (), None)
    assert all(word in solution.reason for word in named)


def test_parties_that_do_not_fit_say_what_would() -> None:
    """A party too large for its team is named, and so is the difference that would allow it."""
    solution = balance(TEN, parties=[tuple("abcdef")])
    assert solution.status is Status.INFEASIBLE
    assert "'f'" in solution.reason
    assert "difference of 2" in solution.reason
    assert balance(TEN, parties=[tuple("abcdef")], max_difference=2).status is Status.OPTIMAL


def test_parties_that_do_not_fit_together_are_told_from_one_that_is_too_large() -> None:
    """Three parties of two do not make teams of three."""
    solution = balance(dict(list(TEN.items())[:6]), parties=[("a", "b"), ("c", "d"), ("e", "f")])
    assert solution.status is Status.INFEASIBLE
    assert "2, 2, 2" in solution.reason


@pytest.mark.parametrize(("sizes", "expected"), [((7, 3), [7, 3]), ((3, 7), [3, 7]), (5, [5, 5])])
def test_sizes_are_exact_and_in_order(sizes: object, expected: list[int]) -> None:
    """Sizes say how many players each team has, the first one first."""
    assert [len(team) for team in balance(TEN, sizes=sizes).best.teams] == expected  # type: ignore[arg-type]


def test_limited_sizes_and_difference() -> None:
    """Limits allow any sizes within them; the difference caps how far they part."""
    uneven = balance(TEN, objective="difference", min_size=2, max_size=8, keep=500)
    sizes = {abs(len(split.teams[0]) - len(split.teams[1])) for split in uneven.splits}
    assert sizes == {0, 2, 4, 6}
    capped = balance(TEN, objective="difference", min_size=2, max_size=8, max_difference=2, keep=500)
    assert {abs(len(split.teams[0]) - len(split.teams[1])) for split in capped.splits} == {0, 2}


@pytest.mark.parametrize(
    ("bots", "n", "size"),
    [
        (Bots(20.0, minimum=6, maximum=12, target=8), 3, 4),
        (Bots(20.0, minimum=6, maximum=12, target=2), 3, 3),
        (Bots(20.0, minimum=6, maximum=12, target=40), 3, 6),
        (Bots(20.0, minimum=5, maximum=5, target=5), 3, 3),
        (Bots(20.0), 5, 3),
        (Bots(20.0, target=8), 10, 5),
    ],
)
def test_bots_fill_up_to_the_map(bots: Bots, n: int, size: int) -> None:
    """Each team has the target within the map's range, rounded up, or as many as the larger team."""
    split = balance(dict(list(TEN.items())[:n]), bots=bots).best
    assert [len(team) + filled for team, filled in zip(split.teams, split.bots, strict=True)] == [size, size]
    for team, filled, total in zip(split.teams, split.bots, split.totals, strict=True):
        weights = [player.rating.mu for player in team if isinstance(player.rating, Rating)]
        assert total == pytest.approx(sum(weights) + 20.0 * filled)


def test_bots_weigh_the_mean_by_default() -> None:
    """Nobody knows which bots will come, so each weighs what a player does on average."""
    solution = balance({"a": 10.0, "b": 20.0, "c": 60.0}, bots=True)
    assert solution.bot_weight == 30.0
    assert sum(solution.best.bots) == 1


def test_humans_do_not_part_further_than_the_cap_with_bots() -> None:
    """No star alone with bots: unless the cap is lifted, human counts differ by one at most."""
    roster = {"star": 100.0, **{f"p{n}": 10.0 for n in range(7)}}
    bots = Bots(10.0, target=16)
    assert {len(team) for team in balance(roster, bots=bots, objective="difference").best.teams} == {4}
    free = balance(roster, bots=Bots(20.0, target=14), objective="difference", max_difference=8).best
    assert {len(team) for team in free.teams} != {4}


def test_one_player_plays_against_bots() -> None:
    """Bots make the game of a single player even; alone there is an empty team."""
    split = balance({"a": 30.0}, bots=Bots(30.0, target=4)).best
    assert sorted(split.bots) == [1, 2]
    alone = balance({"a": 30.0}).best
    assert [len(team) for team in alone.teams] == [1, 0]


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("teams", [2, 3])
def test_a_roster_of_one_is_divided(teams: int, objective: str) -> None:
    """A server meets it every day: teams are empty, all numbers are finite, and nothing is better."""
    solution = balance({"a": 7.0}, teams=teams, objective=objective)
    assert solution.status is Status.OPTIMAL
    plain = json.dumps(solution.as_dict(), allow_nan=False)
    assert json.loads(plain)["splits"][0]["teams"] == [["a"], *[[]] * (teams - 1)]


@pytest.mark.parametrize("nobody", [{}, [], iter(())])
def test_a_roster_of_nobody_is_refused(nobody: Any) -> None:
    """However it is given."""
    with pytest.raises(InputError, match=r"^players must not be empty: there is nobody to divide$"):
        balance(nobody)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_weights_of_zero_only_are_even(objective: str) -> None:
    """Two teams of nothing are as even as can be."""
    solution = balance({"a": 0.0, "b": 0.0, "c": 0.0, "d": 0.0}, objective=objective)
    assert solution.status is Status.OPTIMAL
    assert solution.value == (1.0 if objective == "ratio" else 0.0)
    assert solution.best.win_probability == (0.5, 0.5)


def test_players_without_a_rating_get_the_stated_default() -> None:
    """The mean of the others, 50 where nobody has one, or what the caller says."""
    assert balance({"a": 10.0, "b": 30.0, "c": None, "d": 20.0}).default_weight == 20.0
    assert balance({"a": None, "b": None}).default_weight == 50.0
    said = balance({"a": 10.0, "b": None}, default=35.0)
    assert (said.default_weight, said.unrated) == (35.0, 1)
    assert balance(TEN).default_weight is None


def test_equal_players_exchanged_are_not_different() -> None:
    """Of ten equal players there is one split, however many are wanted."""
    solution = balance(dict.fromkeys("abcdefghij", 5.0), keep=20, objective="difference")
    assert len(solution.splits) == 1
    assert solution.status is Status.OPTIMAL


@pytest.mark.parametrize("n", [10, 18])
def test_the_k_best_are_different_and_in_order(n: int) -> None:
    """No two of them have the same teams, whichever solver found them."""
    rng = np.random.default_rng(n)
    roster = {f"p{i}": float(weight) for i, weight in enumerate(rng.integers(1, 20, n))}
    solution = balance(roster, keep=25, objective="difference")
    values = [split.value for split in solution.splits]
    assert values == sorted(values)
    weights = [
        frozenset(tuple(sorted(roster[player.id] for player in team)) for team in split.teams)
        for split in solution.splits
    ]
    assert len(set(weights)) == len(weights) == 25


def test_uncertain_ratings_make_the_win_chance_less_certain() -> None:
    """Sigma counts in the win probability, and the same split is further from a sure thing."""
    sure = balance({"a": 10.0, "b": 2.0}, objective="win", beta=1.0)
    unsure = balance({"a": Rating(10.0, 4.0), "b": Rating(2.0, 4.0)}, objective="win", beta=1.0)
    assert unsure.best.win_probability[0] < sure.best.win_probability[0]


@pytest.mark.slow
@pytest.mark.parametrize("n", [30, 64])
def test_without_any_time_there_are_teams_all_the_same(n: int) -> None:
    """A budget of nothing gives a draft, with its distance from the bound."""
    solution = balance(
        {f"p{i}": float(i * i % 97) + 0.5 for i in range(n)}, objective="difference", stop=lambda: True
    )
    assert solution.status in (Status.FEASIBLE, Status.OPTIMAL)
    assert len(solution.splits) == 1


def test_side_preferences_point_the_right_way() -> None:
    """A preference of 0 is for the first team, of 1 for the last; who has none goes either way."""
    players = [Player("a", 10, side=1.0), Player("b", 10, side=0.0), Player("c", 10), Player("d", 10)]
    split = balance(players, objective="indistinguishable").best
    assert "b" in ids(split.teams[0])
    assert "a" in ids(split.teams[1])


def test_side_preferences_count_by_their_weight() -> None:
    """With a weight sides may cost likeness; without, they decide nothing but which team is which."""
    weights = {"a": 40.0, "b": 30.0, "c": 20.0, "d": 10.0}
    players = [Player(name, weight, side=float(name in "ab")) for name, weight in weights.items()]
    heavy = balance(players, objective="indistinguishable", side_weight=10.0).best
    light = balance(players, objective="indistinguishable", side_weight=0.0).best
    assert ids(heavy.teams[1]) == {"a", "b"}
    assert ids(light.teams[0]) != {"c", "d"}


def test_rerank_orders_the_best_splits_anew_and_says_what_it_gave_up() -> None:
    """The first split is the most alike by quantiles; the gap is what the objective lost by it."""
    plain, alike = (
        balance(TEN, objective="difference"),
        balance(TEN, objective="difference", rerank="quantile"),
    )
    assert plain.value is not None
    assert alike.value is not None
    assert alike.value >= plain.value
    assert alike.bound == plain.value
    assert alike.gap == pytest.approx(alike.value - plain.value)
    strong = balance(TEN, objective="difference", rerank="strongest").best
    strongest = [max(player.rating.mu for player in team) for team in strong.teams]  # type: ignore[union-attr]
    assert sorted(strongest) == [47.0, 54.0]


def test_a_time_budget_is_honoured_and_said() -> None:
    """A solver that is stopped gives what it has, with a bound and a gap, and does not call it optimal."""
    rng = np.random.default_rng(5)
    roster = {f"p{n}": float(weight) for n, weight in enumerate(rng.normal(25, 8, 30))}
    for solver in ("climb", "anneal", "resplit", "enumerate"):
        solution = balance(roster, objective="difference", solver=solver, stop=lambda: True)
        assert solution.status is Status.FEASIBLE
        if solution.splits:
            assert solution.value is not None
            assert solution.bound is not None
            assert solution.gap == pytest.approx(solution.value - solution.bound)
        else:
            assert solution.reason


@pytest.mark.slow
@pytest.mark.parametrize("n", [64, 301])
def test_large_rosters_are_divided_nearly_evenly_with_a_bound(n: int) -> None:
    """Beyond what can be proven, the default ends close to its bound and says how close."""
    rng = np.random.default_rng(n)
    roster = {f"p{i}": float(weight) for i, weight in enumerate(rng.normal(25, 8, n))}
    gap = balance(roster, objective="difference")
    assert gap.status in (Status.FEASIBLE, Status.OPTIMAL)
    assert gap.value is not None
    assert gap.value < 1e-4
    spread = balance(roster)
    assert spread.value is not None
    assert spread.value < 1e-2
    assert abs(spread.best.win_probability[0] - 0.5) < 0.0011


@pytest.mark.slow
def test_own_objectives_and_solvers_can_be_passed() -> None:
    """A part may be a name, ``module:attribute``, or the thing itself."""
    named = balance(
        TEN,
        objective="equipoise.teams.objectives.moments:difference",
        solver="equipoise.teams.solvers.meet_in_the_middle:solve",
    )
    assert named.value == balance(TEN, objective="difference").value

    class CountTheStrong(Criterion):
        def cost(self, totals: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
            return np.abs(totals[:, 0, 1] - 2 * totals[:, 1, 1])

    def twice(scale: Units) -> Objective:
        assert scale.beta > 0
        return Objective("twice", CountTheStrong())

    def first_found(task: Task) -> Found:
        return resolve("solver", SOLVERS, "snake")(task)  # type: ignore[no-any-return]

    assert balance(TEN, objective=twice, min_size=1).objective == "twice"
    assert balance(TEN, objective="difference", solver=first_found).solver == "first_found"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"teams": 1}, "teams must be from 2 to 100, got 1"),
        ({"keep": 0}, "keep must be at least 1, got 0"),
        ({"beta": 0.0}, "beta must be from 1e-100 to 1e15, got 0.0"),
        ({"tolerance": -1.0}, "tolerance must be from 0 to 1, got -1.0"),
        ({"side_weight": float("nan")}, "side_weight must be at least 0, got nan"),
        ({"default": float("inf")}, "default must be from -1e15 to 1e15, got inf"),
        ({"sizes": (5, 4)}, "sizes must add up to 10, the number of players, got 5+4 = 9"),
        ({"sizes": (5, 5, 5)}, "sizes must have one size for each of 2 teams, got 3"),
        ({"sizes": (11, -1)}, "sizes must be from 0 to 1000000, got -1"),
        ({"min_size": 6}, "sizes: "),
        ({"min_size": 4, "max_size": 3}, "min_size must be at most max_size, which is 3, got 4"),
        ({"max_difference": -1}, "max_difference must be from 0"),
        ({"teams": 101}, "teams must be from 2 to 100, got 101"),
        ({"teams": 2.5}, "teams must be a whole number, got 2.5"),
        ({"keep": 2.5}, "keep must be a whole number, got 2.5"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"default": 1e300}, "default must be from"),
        ({"fixed": {"a": -1}}, "fixed: 'a' is fixed to team 0"),
        ({"parties": [("a", "a")]}, "parties: 'a' comes twice"),
        ({"apart": [("a", "a")]}, "apart: 'a' comes twice"),
        ({"sizes": (5, 5), "bots": Bots(target=10)}, "sizes fix how large the teams are"),
        ({"objective": "json:loads"}, "objective: 'json:loads' fails with TypeError"),
        ({"beta": 1e-200}, "beta must be from"),
        ({"bots": Bots(target=4), "sizes": 10**9}, "sizes must be from 0 to 1000000, got 1000000000"),
        ({"solver": "json:loads"}, "solver: 'json:loads' fails"),
        ({"solver": type}, "solver: "),
        ({"rerank": "json:loads"}, "rerank: "),
        ({"fixed": {"a": 2}}, "fixed: 'a' is fixed to team 3"),
        ({"parties": [("a", "nobody")]}, "parties: there is no player 'nobody'"),
        ({"apart": [("a", "nobody")]}, "apart: there is no player 'nobody'"),
        ({"solver": "bitset"}, "solver: 'bitset'"),
        ({"solver": "snake", "teams": 3}, "solver: "),
        ({"solver": "mitm", "teams": 3}, "solver: 'mitm' divides 2 teams"),
    ],
)
def test_arguments_at_fault_are_named(arguments: dict[str, object], message: str) -> None:
    """The message begins with the argument and says what is wrong with it."""
    with pytest.raises(InputError) as caught:
        balance(TEN, **arguments)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("argument", ["objective", "solver", "rerank"])
@pytest.mark.parametrize("name", ["nosuch", "no.such:thing", "equipoise.core.match:Nosuch"])
def test_unknown_names_list_the_known(argument: str, name: str) -> None:
    """Whoever mistypes a name sees which there are."""
    with pytest.raises(UnknownNameError, match="allowed: "):
        balance(TEN, **{argument: name})  # type: ignore[arg-type]


def test_ratio_needs_weights_of_zero_and_above() -> None:
    """A ratio of negative sums has no meaning; other objectives take any number."""
    with pytest.raises(InputError, match="'ratio' needs"):
        balance({"a": -1.0, "b": 2.0}, objective="ratio")
    assert balance({"a": -1.0, "b": 2.0}, objective="difference").value == 3.0


@pytest.mark.parametrize("players", [[1, 2], {"a": True, "b": 1}, {"a": "7", "b": 1}, {3: 1.0, "b": 1}])
def test_what_is_no_player_is_refused(players: object) -> None:
    """Neither numbers, nor texts as weights, nor ids that are not text."""
    with pytest.raises(InputError):
        balance(players)  # type: ignore[arg-type]


def test_rerank_gives_up_no_more_than_the_tolerance() -> None:
    """However alike, a split that costs more win probability than that is not put first."""
    roster = {"a": 29.0, "b": 14.0, "c": 12.0, "d": 12.0, "e": 4.0, "f": 4.0}
    for objective in ("difference", "spread"):
        best = balance(roster, objective=objective)
        for tolerance in (0.0, 0.05):
            alike = balance(roster, objective=objective, rerank="quantile", tolerance=tolerance)
            assert alike.best.imbalance <= best.best.imbalance + tolerance + 1e-12
            assert alike.value is not None
            assert alike.bound is not None
            assert alike.value >= alike.bound


def test_beta_comes_from_the_bots_where_all_players_weigh_the_same() -> None:
    """One player against bots is no sure thing."""
    solution = balance({"a": 30.0}, bots=Bots(20.0, target=4))
    assert solution.beta == 10.0
    assert 0.0 < solution.best.win_probability[0] < 1.0


def test_thousands_of_players_are_divided() -> None:
    """There is no largest roster."""
    roster = {f"p{n}": float(n) ** 0.5 for n in range(1500)}
    solution = balance(roster, objective="difference", stop=lambda: True)
    assert [len(team) for team in solution.best.teams] == [750, 750]


def test_the_same_player_twice_is_refused() -> None:
    """An id stands for one player."""
    with pytest.raises(InputError, match="'Ann' comes twice"):
        balance([Player("Ann", 1), Player("Ann", 2)])


@pytest.mark.slow
def test_three_teams_are_enumerated_while_they_are_few() -> None:
    """More teams than two are proven best for small rosters."""
    solution = balance({name: TEN[name] for name in "abcdefghi"}, teams=3, objective="difference")
    assert solution.status is Status.OPTIMAL
    assert [len(team) for team in solution.best.teams] == [3, 3, 3]


@pytest.mark.slow
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_many_teams_are_divided_pair_by_pair(objective: str) -> None:
    """Beyond enumeration every rule is kept, and the result is far better than a draft's."""
    rng = np.random.default_rng(4)
    roster = {f"p{i}": float(weight) for i, weight in enumerate(rng.normal(25, 8, 26))}
    preferences = {
        "parties": [("p0", "p1", "p2"), ("p3", "p4")],
        "apart": [("p5", "p6", "p7")],
        "fixed": {"p8": 3},
    }
    bots = Bots(25.0, target=30)
    solution = balance(roster, teams=5, objective=objective, bots=bots, keep=2, **preferences)  # type: ignore[arg-type]
    assert solution.status in (Status.FEASIBLE, Status.OPTIMAL)
    assert len(solution.splits) == 2
    for split in solution.splits:
        sizes = [len(team) for team in split.teams]
        assert max(sizes) - min(sizes) <= 1
        assert [size + n for size, n in zip(sizes, split.bots, strict=True)] == [6] * 5
        assert "p8" in ids(split.teams[3])
        assert sum({"p0", "p1", "p2"} <= ids(team) for team in split.teams) == 1
        assert all(len(ids(team) & {"p5", "p6", "p7"}) <= 1 for team in split.teams)
    assert np.ptp(solution.best.totals) < 8.0


@pytest.mark.slow
def test_whole_numbers_that_do_not_divide_evenly_bound_many_teams() -> None:
    """Eight teams of four whole numbers differ by one at least unless the sum divides by eight."""
    rng = np.random.default_rng(1)
    roster = {f"p{i}": float(weight) for i, weight in enumerate(rng.integers(1, 60, 32))}
    roster["p0"] += 1.0 - sum(roster.values()) % 8
    roster["p0"] = abs(roster["p0"])
    solution = balance(roster, teams=8, objective="difference")
    assert solution.bound == float(sum(roster.values()) % 8 > 0)


def test_many_teams_of_an_objective_without_a_reach_are_refused() -> None:
    """There is no way to search but to enumerate, and that has an end."""

    class Opaque(Criterion):
        def cost(self, totals: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
            return np.abs(totals[:, 0, 1] - totals[:, 1, 1])

    with pytest.raises(InputError, match=r"^teams: "):
        balance(
            {f"p{n}": float(n) for n in range(40)}, teams=3, objective=lambda _: Objective("own", Opaque())
        )


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [2, 3, 8])
@pytest.mark.parametrize("objective", ["difference", "indistinguishable"])
def test_many_equal_players_are_divided_legally(objective: str, kinds: int) -> None:
    """However many equals a half of the meeting holds, sizes are kept and the twins' optimum is found."""
    n = 170 - 170 % (2 * kinds)
    roster = {f"p{i}": 0.5 + i % kinds for i in range(n)}
    solution = balance(roster, objective=objective, solver="mitm")
    assert [len(team) for team in solution.best.teams] == [n // 2, n // 2]
    assert solution.status is Status.OPTIMAL
    assert solution.value == pytest.approx(0.0, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["auto", "enumerate", "mitm"])
def test_a_tolerance_of_nothing_is_met(solver: str) -> None:
    """Rounding does not shut out the very split that set the limit."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        roster = {f"p{i}": float(w) for i, w in enumerate(np.round(np.abs(rng.normal(25, 20, 8)), 1))}
        solution = balance(roster, tolerance=0.0, solver=solver)
        assert solution.bound == solution.value
        best = balance(roster, objective="win").value
        assert solution.best.imbalance == pytest.approx(best, abs=1e-12)


def test_equals_with_preferences_look_the_same() -> None:
    """Equal players exchanged are not different, although each has a preference of their own."""
    roster = dict.fromkeys("ABCD", 5.0)
    assert len(balance(roster, objective="difference", apart=[("A", "B"), ("C", "D")], keep=6).splits) == 1


def test_teams_under_the_same_rules_are_interchangeable_among_others() -> None:
    """Of sizes 2, 2 and 1 the first two exchanged are the same split."""
    roster = {"A": 5.0, "B": 4.0, "C": 3.0, "D": 2.0, "E": 1.0}
    solution = balance(roster, objective="difference", teams=3, sizes=(2, 2, 1), keep=50)
    assert len(solution.splits) == 15


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["enumerate", "mitm", "bitset"])
def test_among_equal_values_the_most_even_sizes_come_first(solver: str) -> None:
    """Players of no weight could be divided anyhow; six and six is what one wants."""
    roster = dict.fromkeys("abcdefghijkl", 0.0)
    split = balance(roster, objective="difference", min_size=1, max_size=11, solver=solver).best
    assert [len(team) for team in split.teams] == [6, 6]


def test_equal_weights_are_equal_although_their_mean_is_rounded() -> None:
    """Seven players of 7.3 are as alike as seven of 7.25, and beta is their weight."""
    for each in (7.3, 7.25):
        solution = balance({f"p{i}": each for i in range(7)}, objective="indistinguishable")
        assert solution.value == pytest.approx(0.0, abs=1e-9)
        assert solution.beta == pytest.approx(each)


@pytest.mark.slow
def test_more_parties_than_can_be_counted_are_never_divided_illegally() -> None:
    """Two thousand trios cannot be halved if their number is odd, and no illegal split is given for one."""
    roster = {f"p{i}": float(i % 7) for i in range(6003)}
    parties = [[f"p{3 * j + k}" for k in range(3)] for j in range(2001)]
    with pytest.raises(InputError, match="parties: "):
        balance(roster, parties=parties, objective="difference")


def test_a_solver_that_breaks_the_rules_is_found_out() -> None:
    """Whatever a custom solver returns is checked."""

    def everyone_in_one_team(task: Task) -> Found:
        labels = np.zeros(task.problem.n_blocks, dtype=np.int8)
        return Found((Ranked(0.0, 0, labels),), 0.0, proven=True)

    with pytest.raises(InputError, match="breaks the problem's rules"):
        balance(TEN, solver=everyone_in_one_team)


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["spread", "difference", "win", "ratio"])
@pytest.mark.parametrize("weights", [[2.0**k for k in range(40)], [1.3**k for k in range(38)]])
def test_forty_players_of_any_weights_are_proven(weights: list[float], objective: str) -> None:
    """Weights spread over many orders are no harder: what a few of them outweigh is passed over."""
    solution = balance({f"p{n}": weight for n, weight in enumerate(weights)}, objective=objective)
    assert solution.status == "optimal"
    assert solution.bound == solution.value


@pytest.mark.slow
def test_a_search_given_up_goes_on_without_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where too many pairs would have to be looked at, the answer is feasible and says so."""
    rng = np.random.default_rng(1)
    roster = {f"p{i}": float(weight) for i, weight in enumerate(rng.normal(25, 8, 22))}
    best = balance(roster)
    monkeypatch.setattr(meet_in_the_middle, "MOST_TURNS", 0)
    given_up = balance(roster)
    assert given_up.status is Status.FEASIBLE
    assert given_up.value is not None
    assert best.value is not None
    assert best.value - 1e-9 <= given_up.value < np.std(list(roster.values()))
    assert given_up.bound is not None
    assert given_up.bound <= best.value


@pytest.mark.slow
def test_a_full_server_waits_for_a_proof_only_where_time_is_given() -> None:
    """Beyond 40 players the answer comes at once and without; a time limit asks for the proof."""
    roster = {f"p{n}": float(np.exp(n / 9)) for n in range(41)}
    at_once = balance(roster, objective="difference")
    proven = balance(roster, objective="difference", stop=deadline(600.0))
    assert (at_once.solver, at_once.status, at_once.bound) == ("resplit", Status.FEASIBLE, 0.0)
    assert (proven.solver, proven.status) == ("mitm", Status.OPTIMAL)
    assert at_once.gap is not None
    assert proven.value is not None
    assert proven.value <= at_once.gap < 1e-4
    parties = [[f"p{4 * n + i}" for i in range(1, 5)] for n in range(8)]
    assert balance(roster, objective="difference", parties=parties).status is Status.OPTIMAL


@pytest.mark.slow
def test_more_effort_is_never_worse() -> None:
    """The search goes on from where less effort ended."""
    weights = np.random.default_rng(4).normal(1200.0, 400.0, 60).round(2)
    roster = {f"p{n}": float(weight) for n, weight in enumerate(weights)}
    values = [
        balance(roster, teams=5, objective="difference", effort=effort).value for effort in (0.01, 0.1, 1)
    ]
    assert values == sorted(values, key=lambda value: -(value or 0.0))
    assert values[0] != values[2]


@pytest.mark.slow
def test_teams_of_a_large_roster_are_alike_within_the_tolerance_of_their_chances() -> None:
    """Two teams at a time are re-divided under the same limit as all of them."""
    weights = np.random.default_rng(1).normal(1200.0, 400.0, 60).round(2)
    roster = {f"p{n}": float(weight) for n, weight in enumerate(weights)}
    best = balance(roster, teams=5).best
    deviations = [np.std([player.rating.mu for player in team]) for team in best.teams]  # type: ignore[union-attr]  # all have one
    assert max(deviations) - min(deviations) < 1.0
    assert max(abs(chance - 0.2) for chance in best.win_probability) < 0.005


@pytest.mark.parametrize("effort", [0.0, -1.0, float("nan"), 1e9])
def test_an_effort_out_of_range_is_refused(effort: float) -> None:
    """It is a multiple of the usual work."""
    with pytest.raises(InputError, match=r"effort must be from 0\.01 to 1000"):
        balance(TEN, effort=effort)


def test_the_difference_that_would_do_is_found_by_halving(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 200 fixed to one team: a draft or two for each halving, not one for each difference."""
    drafts: list[int] = []

    def counted(*arguments: Any) -> Any:
        drafts.append(1)
        return draft(*arguments)

    monkeypatch.setattr(infeasibility, "draft", counted)
    roster = {f"p{n}": n for n in range(200)}
    solution = balance(roster, fixed=dict.fromkeys(list(roster)[:170], 0))
    assert "a difference of 140 players would allow it" in solution.reason
    assert len(drafts) <= 8


def test_a_few_free_players_among_thousands_are_proven() -> None:
    """Who is fixed leaves nothing to search, however many they are: the few others are gone through."""
    players = [Player(f"p{n}", n % 97 + n / 10_000) for n in range(6000)]
    fixed = {f"p{n}": n % 2 for n in range(5994)}
    solution = balance(players, fixed=fixed, objective="difference")
    assert solution.status is Status.OPTIMAL
    assert solution.solver == "enumerate"
