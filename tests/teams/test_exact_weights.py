"""Decimals are whole numbers in their common unit: nothing depends on where their point is."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from benchmarks.teams.verdicts import OBJECTIVES, checked, order
from hypothesis import given
from hypothesis import strategies as st

from equipoise import BalanceRequest, Bots, Player, Rating, balance
from equipoise.files.read_roster import read_roster
from equipoise.teams.pareto import pareto
from equipoise.teams.problem.exactness import AS_WRITTEN, Unit, counted, multiples

#: Numbers with up to four decimals.
DECIMALS = st.builds(
    lambda digits, places: Decimal(digits).scaleb(-places), st.integers(0, 99999), st.integers(0, 4)
)


@given(st.lists(DECIMALS, min_size=1, max_size=30))
def test_the_unit_is_the_greatest_of_which_all_are_multiples(weights: list[Decimal]) -> None:
    """Worked out in fractions; and what is counted is shown as it was written."""
    numbers = np.array([float(weight) for weight in weights])
    found = counted(numbers)
    assert found.whole
    multiple = found.weights(numbers)
    assert [Fraction(each) * Fraction(*found.unit) for each in multiple.tolist()] == [
        Fraction(w) for w in weights
    ]
    assert np.gcd.reduce(multiple.astype(np.int64)) in (0, 1)
    assert [found.unit.shown(each) for each in multiple.tolist()] == numbers.tolist()


@given(st.lists(DECIMALS, min_size=1, max_size=12), st.integers(-9, 9))
def test_weights_are_counted_alike_wherever_their_point_is(weights: list[Decimal], power: int) -> None:
    """Times a power of ten the unit is so many times as large, and the numbers are the same."""
    numbers = np.array([float(weight) for weight in weights])
    moved = np.array([float(weight.scaleb(power)) for weight in weights])
    assert counted(moved).weights(moved).tolist() == counted(numbers).weights(numbers).tolist()


@pytest.mark.parametrize(
    "numbers",
    [
        [0.1 + 0.2, 25.0], [2**0.5, 1.0], [1 / 3, 2 / 3],  # sixteen digits
        [1e12, 1e-9], [9e15, 9e15],  # too far apart for one float, and too large for a sum
    ],
)  # fmt: skip
def test_what_has_no_such_unit_stays_as_it_is(numbers: list[float]) -> None:
    """Learnt ratings are computed, not written."""
    assert counted(np.array(numbers)) == AS_WRITTEN


def test_a_decimal_is_not_taken_for_its_neighbour() -> None:
    """77.1 is 771 tenths, and not 7709999999999999 of the least step that would be read as the same float."""
    whole, parts = multiples(np.array([77.1, 2.91])) or (np.array([]), 1)
    assert (whole.tolist(), parts) == ([7710.0, 291.0], 100)


def scaled(power: int, case: dict[str, Any]) -> Any:
    """Answer a case with all that is in the unit of weights multiplied by a power of ten."""
    number = lambda decimal: float(decimal.scaleb(power))  # noqa: E731
    players = [
        Player(f"p{n}", None if mu is None else Rating(number(mu), number(sigma)))
        for n, (mu, sigma) in enumerate(case["players"])
    ]
    keywords = {name: number(value) for name, value in case["scale"].items()}
    objective = case["objective"]
    if isinstance(objective, dict):  # what a weight is worth in other terms is so much less
        objective = {"win": 1.0, "difference": float(objective["difference"].scaleb(-power))}
    tolerances = None
    if isinstance(objective, list) and case["tolerances"]:
        units = [power if name in ("difference", "spread") else 0 for name in objective[:-1]]
        tolerances = [float(Decimal("0.31").scaleb(unit)) for unit in units]
    bots = None if case["bots"] is None else Bots(weight=number(case["bots"]))
    return balance(
        players,
        teams=case["teams"],
        objective=objective,
        tolerances=tolerances,
        bots=bots,
        keep=2,
        **keywords,
    )


#: Uncertainties, and what else is in the unit of weights.
SIGMAS = st.sampled_from([Decimal(0), Decimal("2.5"), Decimal(7)])
SCALE = ("beta", "zero", "default")

CASES = st.fixed_dictionaries(
    {
        "teams": st.sampled_from([2, 2, 3]),
        "players": st.lists(
            st.tuples(st.one_of(st.none(), DECIMALS), SIGMAS),
            min_size=4, max_size=11,
        ).filter(lambda players: any(mu for mu, _ in players)),
        "scale": st.dictionaries(st.sampled_from(SCALE), st.just(Decimal("3.7"))),
        "objective": st.one_of(
            st.sampled_from(OBJECTIVES),
            st.lists(st.sampled_from(OBJECTIVES), min_size=2, max_size=3, unique=True),
            st.just({"win": 1.0, "difference": Decimal("0.25")}),
        ),
        "tolerances": st.booleans(),
        "bots": st.sampled_from([None, None, Decimal("7.3")]),
    }
)  # fmt: skip


@pytest.mark.slow
@given(CASES, st.sampled_from([-6, -1, 1, 4]))
def test_a_power_of_ten_changes_no_split_no_status_and_no_search(case: dict[str, Any], power: int) -> None:
    """Only numbers in the unit of weights change, by as much."""
    plain, moved = scaled(0, case), scaled(power, case)
    assert [names(split) for split in plain.splits] == [names(split) for split in moved.splits]
    assert (plain.status, plain.solver) == (moved.status, moved.solver)
    assert [split.win_probability for split in plain.splits] == [
        split.win_probability for split in moved.splits
    ]
    for split, other in zip(plain.splits, moved.splits, strict=True):
        assert other.totals == pytest.approx([total * 10.0**power for total in split.totals], rel=1e-14)


def names(split: Any) -> list[list[str]]:
    """Return who is in which team."""
    return [[player.id for player in team] for team in split.teams]


@pytest.mark.slow
@pytest.mark.parametrize("n", [36, 38, 40])
@pytest.mark.parametrize("step", ["0.1", "0.01", "0.25"])
def test_large_rosters_of_decimals_are_proven(n: int, step: str) -> None:
    """Their least difference is one step where the sum is odd in it: no float's last digit hides it."""
    rng = np.random.default_rng([n, len(step)])
    steps = rng.integers(100, 9000, n)
    steps[0] += 1 - steps.sum() % 2
    weights = {f"p{place}": float(int(count) * Decimal(step)) for place, count in enumerate(steps)}
    for objective in ("difference", "ratio", "win"):
        solution = balance(weights, objective=objective)
        assert solution.status == "optimal"
        one, other = solution.best.totals
        assert abs(Decimal(str(one)) - Decimal(str(other))) == Decimal(step)


def test_every_door_reads_the_same_numbers(tmp_path: Any) -> None:
    """Floats, Decimals, fractions, text, a table and JSON."""
    written = {"Ann": "8.1", "Bob": "7.9", "Cid": "1", "Dan": "1.25"}
    text, table = tmp_path / "roster.txt", tmp_path / "roster.csv"
    text.write_text("".join(f"{name} {weight}\n" for name, weight in written.items()))
    table.write_text("name,weight\n" + "".join(f"{name},{weight}\n" for name, weight in written.items()))
    data = {"players": written}
    doors = [
        BalanceRequest.of({name: float(weight) for name, weight in written.items()}),
        BalanceRequest.of([Player(name, Decimal(weight)) for name, weight in written.items()]),
        BalanceRequest.of([Player(name, Fraction(weight)) for name, weight in written.items()]),
        BalanceRequest.of(read_roster(text)),
        BalanceRequest.of(read_roster(table)),
        BalanceRequest.from_dict(json.loads(json.dumps(data))),
    ]
    for request in doors:
        assert request.problem is not None
        assert request.counted.unit == Unit(1, 20)
        assert request.problem.features[:, 1].tolist() == [162.0, 158.0, 20.0, 25.0]


def test_objectives_of_others_see_weights_as_they_were_written() -> None:
    """They know of no unit, unless they say so."""

    def total(units: Any) -> Any:
        from equipoise.teams.objectives.moments import difference

        return difference(units)

    weights = {"a": 8.1, "b": 7.9, "c": 1.0, "d": 1.2}
    assert balance(weights, objective=total).value == pytest.approx(
        balance(weights, objective="difference").value
    )
    front = pareto(weights, "difference", "spread").points
    tenfold = pareto(
        {who: float(round(weight * 10)) for who, weight in weights.items()}, "difference", "spread"
    )
    assert list(tenfold.points) == [pytest.approx((10 * one, 10 * other)) for one, other in front]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_untouched_receipts_of_orders_are_never_called_false(seed: int) -> None:
    """Two and three objectives in order, tolerances, magnitudes from 1e-9 to 1e12, giants and ties."""
    for number in range(40 * seed, 40 * seed + 40):
        assert checked(number)[1] == [], order(number)


def test_numbers_stay_numbers_whatever_they_are_multiples_of() -> None:
    """Zeros are multiples of the finest decimal there is, which no integer of NumPy holds."""
    found = multiples(np.zeros(3))
    assert found is not None
    assert found[0].dtype == np.float64
    players = [Player(name, Rating(mu, 0.0)) for name, mu in (("a", 31.5), ("b", 25.25), ("c", 20.0))]
    problem = BalanceRequest.of(players).problem
    assert problem is not None
    assert problem.features.dtype == np.float64
    assert Unit(1, 10**22).each_shown(np.ones(1)).dtype == np.float64
    assert Unit(10**22, 1).each_counted(np.array([0.1 + 0.2])).dtype == np.float64
