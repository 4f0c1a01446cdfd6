"""Decimals are whole numbers in their common unit: nothing depends on where their point is."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from benchmarks.teams.random_requests import question
from benchmarks.teams.verdicts import checked, order
from hypothesis import given
from hypothesis import strategies as st

from equipoise import (
    BalanceRequest,
    Bots,
    Player,
    Preference,
    Rating,
    Rule,
    balance,
    place_late,
    receipt,
    verify,
)
from equipoise.errors import InputError
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


def asked_for(number: int) -> dict[str, Any]:
    """Return a random request of any objective and rule, some with a zero, a default and players who stay."""
    rng = np.random.default_rng([7, number])
    asked = question(number)
    size = max(abs(player.get("weight", player.get("mu", 1.0))) for player in asked["players"])
    power = int(f"{size or 1.0:e}".partition("e")[2])
    if "pareto" not in asked:
        asked["keep"] = int(rng.integers(1, 4))
    if rng.random() < 0.2:
        asked["zero"] = float(f"{rng.integers(1, 99)}e{power - 2}")
    if rng.random() < 0.2:
        asked["default"] = float(f"{rng.integers(1, 999)}e{power - 2}")
        for player in asked["players"][:-2]:
            if rng.random() < 0.3 and "roles" not in player:
                player.pop("mu", player.pop("weight", None))
                player.pop("sigma", None)
    if rng.random() < 0.3:
        for player in asked["players"]:
            player["team_now"] = int(rng.integers(1, asked.get("teams", 2) + 1))
        asked |= {"stay": 0.01} if rng.random() < 0.5 else {"moves": len(asked["players"]) // 2}
    return asked


def times(power: int, asked: dict[str, Any]) -> dict[str, Any]:
    """Return a request with all that is in the unit of weights multiplied by a power of ten."""

    def number(decimal: float, power: int = power) -> float:
        return float(Decimal(repr(decimal)).scaleb(power))

    asked = json.loads(json.dumps(asked))
    for player in asked["players"]:
        player.update({name: number(player[name]) for name in ("weight", "mu", "sigma") if name in player})
        if "roles" in player:
            player["roles"] = {role: mu and number(mu) for role, mu in player["roles"].items()}
    if isinstance(asked.get("bots"), dict) and "weight" in asked["bots"]:
        asked["bots"]["weight"] = number(asked["bots"]["weight"])
    asked |= {name: number(asked[name]) for name in ("beta", "zero", "default") if name in asked}
    objective = asked.get("objective")
    if isinstance(objective, dict):  # what a weight is worth in other terms is so much less
        asked["objective"] = {
            name: number(worth, -power if name in IN_WEIGHTS else 0) for name, worth in objective.items()
        }
    if "tolerances" in asked:
        named = zip(objective, asked["tolerances"], strict=False)
        asked["tolerances"] = [number(most, power if name in IN_WEIGHTS else 0) for name, most in named]
    return asked


#: Objectives whose values are in the unit of weights.
IN_WEIGHTS = ("difference", "spread")


def answered(asked: dict[str, Any]) -> tuple[Any, ...] | None:
    """Return all of an answer but what is in the unit of weights; nothing of weights that are refused."""
    front = asked.pop("pareto", None)
    try:
        request = BalanceRequest.from_dict(asked)
    except InputError as error:
        if "1e15" not in str(error):
            raise
        return None
    assert request.counted.whole
    if front is not None:
        found = pareto(request, *front)
        return [names(split) for split in found.splits], found.complete
    solution = balance(request)
    shares = [split.win_probability for split in solution.splits]
    return [names(split) for split in solution.splits], solution.status, solution.solver, shares


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_a_power_of_ten_changes_no_split_no_status_and_no_search(seed: int) -> None:
    """Whatever is asked: objectives, orders, sums and fronts, rules, bots, uncertainty, roles, moves."""
    for number in range(50 * seed, 50 * seed + 50):
        asked = asked_for(number)
        plain = answered(times(0, asked))
        for power in (-6, -1, 1, 3)[number % 2 :: 2]:
            moved = answered(times(power, asked))
            assert plain is None or moved is None or plain == moved, (number, power, asked)


def names(split: Any) -> list[list[str]]:
    """Return who is in which team."""
    return [[player.id for player in team] for team in split.teams]


@pytest.mark.parametrize("power", [-3, 0, 4])
def test_values_in_the_unit_of_weights_change_with_it(power: int) -> None:
    """They are right to the last digit."""
    weights = {name: float(Decimal(weight).scaleb(power)) for name, weight in WRITTEN.items()}
    best = balance(weights, objective="difference").best
    assert best.value == float(Decimal("0.05").scaleb(power))
    assert sorted(best.totals) == [float(Decimal(total).scaleb(power)) for total in ("9.1", "9.15")]


WRITTEN = {"Ann": "8.1", "Bob": "7.9", "Cid": "1", "Dan": "1.25"}


def test_bots_of_mean_weight_leave_all_sums_exact() -> None:
    """The mean of ten weights is a multiple of a tenth of their unit."""
    weights = {f"p{place}": 0.1 * count for place, count in enumerate((31, 7, 12, 25, 8))}
    weights = {who: round(weight, 1) for who, weight in weights.items()}
    request = BalanceRequest.of(weights, bots=True, objective="difference")
    assert request.problem is not None
    assert request.problem.exact
    solution = balance(request)
    assert solution.rounding == 0.0
    # With a bot of 1.66 in one team: 3.1 + .7 + .8 and 2.5 + 1.2 + 1.66, or any other is further apart.
    whole = balance(
        {who: 50.0 * weight for who, weight in weights.items()}, bots=True, objective="difference"
    )
    assert solution.value == pytest.approx(whole.value / 50.0, rel=1e-15)
    assert names(solution.best) == names(whole.best)


def test_numbers_of_rules_are_exact_too() -> None:
    """.1 and .2 are .3, and no more than that; a trillionth beyond a limit is beyond it."""
    weights = {"Ann": 4.0, "Bob": 3.0, "Cid": 2.0, "Dan": 1.0}
    terms = {"Ann": 0.1, "Bob": 0.2, "Cid": 0.1, "Dan": 0.2}
    kept = balance(weights, rules=[Rule("r", terms, low=0.3, high=0.3)], objective="difference")
    assert kept.status == "optimal"
    more = {**terms, "Ann": 0.100000000001, "Cid": 0.100000000001}
    assert balance(weights, rules=[Rule("r", more, high=0.3)]).status == "infeasible"
    fine = {who: factor / 3.0 for who, factor in terms.items()}  # sixteen digits: equal within rounding
    request = BalanceRequest.of(weights, rules=[Rule("r", fine, low=0.1, high=0.1)])
    solution = balance(request)
    assert solution.status == "optimal"
    assert verify(receipt(request, solution)).ok


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
    written = WRITTEN
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


#: Weights that are the same in every kind of number.
WRITTEN_HALVES = ("1.5", "2.25", "3", "4.5", "5.75", "8")

#: Kinds of numbers, besides floats.
KINDS: dict[str, Callable[[str], Any]] = {"decimal": Decimal, "fraction": Fraction, "numpy": np.float32}


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_of_a_question_may_be_of_any_kind(kind: str) -> None:
    """What is asked for is the same whatever kind of number says so, and an answer's numbers are Python's."""

    def asked(number: Callable[[str], Any]) -> list[Any]:
        weights = {name: number(weight) for name, weight in zip("abcdef", WRITTEN_HALVES, strict=True)}
        named = {"beta": number("2.5"), "zero": number("0.5")}
        questions: list[dict[str, Any]] = [
            {"objective": ["difference", "spread"], "tolerances": [number("0.5")], **named},
            {"objective": {"difference": number("0.5"), "win": number("1.5")}, **named},
            {
                "preferences": [Preference("together", ["a", "b"], number("0.5"))],
                "side_chance": number("0.5"),
            },
            {"bots": Bots(number("1.5"), 7, 9, 8)},
            {"rules": [Rule("even", {"a": number("1.5"), ("b", 1): number("2")}, high=number("3.5"))]},
        ]
        answers: list[Any] = [balance(weights, **question).as_dict() for question in questions]
        late = place_late(
            number("4.5"), [number("9.5"), number("7.5")], [2, 2], **named,
            centre=number("0.5"), side_chance=number("0.5"),
        )  # fmt: skip
        return [*answers, late]

    assert asked(KINDS[kind]) == asked(float)


@pytest.mark.parametrize("no_number", ["5", True, [1.0]])
def test_what_is_no_number_is_refused_wherever_one_is_wanted(no_number: Any) -> None:
    """Also where it could be made one."""
    weights = {"a": 1.0, "b": 2.0}
    for ask in (
        lambda: balance({**weights, "c": no_number}),
        lambda: balance(weights, objective=["difference", "spread"], tolerances=[no_number]),
        lambda: balance(weights, objective={"difference": no_number}),
        lambda: balance(weights, beta=no_number),
        lambda: Rating(no_number),
        lambda: Bots(no_number),
        lambda: Rule("even", {"a": no_number}, high=1.0),
        lambda: Rule("even", {"a": 1.0}, high=no_number),
        lambda: Preference("together", ["a", "b"], no_number),
        lambda: place_late(1.0, [1.0, 2.0], [1, 1], beta=no_number),
    ):
        with pytest.raises(InputError, match=r"number|weight"):
            ask()


@pytest.mark.parametrize("huge", [10**400, Fraction(10**400), Decimal("1e400"), Decimal("sNaN")])
def test_what_no_float_holds_is_out_of_range(huge: Any) -> None:
    """Nothing ends in a traceback of Python's own."""
    for ask in (lambda: balance({"a": huge, "b": 1.0}), lambda: balance({"a": 1.0, "b": 2.0}, beta=huge)):
        with pytest.raises(InputError, match="must be"):
            ask()
