"""Receipts: what is true is confirmed, what was changed is found, what is out of reach is said."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from equipoise import BalanceRequest, Bots, InputError, Player, Preference, Rule, balance, receipt, verify
from equipoise.core.registry import OBJECTIVES, SOLVERS, TERMS, resolve
from equipoise.verification import question, receipt_check
from equipoise.verification.receipt_check import Verdict
from equipoise.verification.receipts import hash_of, parse

WEIGHTS = {"Ann": 9.1, "Bob": 7.4, "Cid": 5.5, "Dan": 4.2, "Eve": 3.3, "Fay": 2.9, "Guy": 0.1}

PLAYERS = [
    Player("1", 9.1, "Ann", side=1.0, roles={"tank": 8.8, "heal": None}),
    Player("2", 7.4, "Bob", roles=["tank"]),
    Player("3", None, "Cid", prefer=["1"]),
    Player("4", 4.2, "Dan", side=0.25, roles={"heal": 5.0}),
    Player("5", 3.3, "Eve", avoid={"2": 0.2}),
    Player("6", 2.9, "Fay"),
]

REQUESTS: dict[str, BalanceRequest] = {
    "default": BalanceRequest.of(WEIGHTS),
    "several": BalanceRequest.of(WEIGHTS, keep=3, objective=["difference", "spread"], tolerances=[0.5]),
    "three teams": BalanceRequest.of(WEIGHTS, teams=3, objective="indistinguishable", apart=[["Ann", "Bob"]]),
    "bots": BalanceRequest.of(WEIGHTS, bots=Bots(4.5, target=10), objective="ratio", fixed={"Guy": 1}),
    "rules": BalanceRequest.of(
        WEIGHTS, parties=[["Ann", "Guy"]], rules=[Rule("medics", {"Bob": 1.0, "Cid": 1.0}, high=1.0)],
        objective={"difference": 1.0, "win": 2.0},
    ),
    "preferences": BalanceRequest.of(
        PLAYERS, preferences=[Preference("apart", ["1", "2", "4"], 0.05)], side_price=0.02
    ),
    "roles": BalanceRequest.of(PLAYERS, roles={"tank": 1, "heal": 1}, objective="win"),
    "nothing legal": BalanceRequest.of(
        dict.fromkeys("abcdef", 1.0), rules=[Rule("few", dict.fromkeys("abcdef", 1.0), high=2)]
    ),
}  # fmt: skip


def made(name: str) -> dict[str, Any]:
    """Return a receipt as it is read from a file."""
    request = REQUESTS[name]
    return parse(json.dumps(receipt(request, balance(request))).encode())


def leaves(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Go through everything in plain data that holds no more data."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    if not data or not isinstance(data, dict | list):
        yield path, data
    for key, value in items:
        yield from leaves(value, (*path, key))


def changed(data: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return a copy with one leaf replaced."""
    made = copy.deepcopy(data)
    place: Any = made
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return made


def others(value: Any) -> list[Any]:
    """Return what a leaf may be changed to."""
    if isinstance(value, bool):
        return [not value, None]
    if isinstance(value, int | float):
        return [value * (1 + 1e-5) + 1e-5, None]
    if isinstance(value, str):
        return [value + "x", "" if value else "tank"]
    return [0, {"x": 1}]


@pytest.mark.slow
@pytest.mark.parametrize("name", REQUESTS)
def test_true_receipts_are_confirmed(name: str) -> None:
    """Every claim of an answer that was not touched is worked out again."""
    verification = verify(made(name))
    assert verification.ok
    assert verification.confirmed, verification


@pytest.mark.slow
@pytest.mark.parametrize("name", REQUESTS)
def test_tampering_with_any_field_is_found(name: str) -> None:
    """Whatever leaf of the data is changed, to whatever it is changed: the receipt is false."""
    whole = made(name)
    for path, value in leaves(whole):
        for other in others(value):
            verification = verify(changed(whole, path, other), stop=lambda: True)
            assert not verification.ok, (path, other)
            assert verification.to_dict()["findings"]


@pytest.mark.slow
@pytest.mark.parametrize("name", REQUESTS)
def test_a_changed_answer_with_a_new_hash_is_found_too(name: str) -> None:
    """Every claim about numbers and teams is worked out from the request, whatever the hash says."""
    whole = made(name)
    for path, value in leaves(whole):
        if path[0] not in ("answer", "bound", "seed", "format"):
            continue
        for other in others(value):
            forged = changed(whole, path, other)
            assert not verify({**forged, "hash": hash_of(forged)}).ok, (path, other)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["several", "preferences", "nothing legal"])
def test_an_answer_with_more_or_less_and_a_new_hash_is_found(name: str) -> None:
    """Wherever something is added to the answer or taken away, the receipt is false."""
    whole = made(name)
    places = [whole["answer"], *whole["answer"]["splits"]]
    places += [preference for split in whole["answer"]["splits"] for preference in split.get("wishes", [])]
    for place in places:
        kept = dict(place)
        for forged in (
            {**kept, "solver": "mitm"},
            *({k: kept[k] for k in kept if k != field} for field in kept),
        ):
            place.clear()
            place.update(forged)
            assert not verify({**whole, "hash": hash_of(whole)}, stop=lambda: True).ok, forged
        place.clear()
        place.update(kept)


@pytest.mark.parametrize("beta", [0.7, 59.0])
def test_what_saturated_chances_leave_open_is_confirmed(beta: float) -> None:
    """Where no float tells two chances apart, the objectives after them choose among more than on paper."""
    weights = [0.078, 0.0035, 1e5, 9.3e7, 6.3e6, 0.0027]
    request = BalanceRequest.of(
        dict(zip("abcdef", weights, strict=True)), teams=3, beta=beta,
        objective=["win", "difference", "indistinguishable"],
    )  # fmt: skip
    verification = verify(receipt(request, balance(request)))
    assert verification.confirmed, verification


def test_another_version_is_not_confirmed() -> None:
    """What another version answered is said, and no version is false, whatever the hash says."""
    whole = made("default")
    for version, verdict in (("0.0.9", Verdict.UNCONFIRMED), ("", Verdict.FALSE), (1, Verdict.FALSE)):
        forged = {**whole, "version": version}
        findings = verify({**forged, "hash": hash_of(forged)}).findings
        assert [f.verdict for f in findings if f.claim == "version"] == [verdict]


def test_a_status_that_claims_less_is_not_confirmed() -> None:
    """An optimum is said to be more than is claimed, and that nothing is legal too, whatever the bound."""
    whole, nothing = made("default"), made("nothing legal")
    lower = {"status": "feasible", "bound": 0.0, "gap": whole["answer"]["value"]}
    for data, change in ((whole, {"status": "feasible"}), (whole, lower), (nothing, {"status": "unknown"})):
        answer = {**data["answer"], **change}
        forged = {**data, "answer": answer, "bound": answer["bound"]}
        verification = verify({**forged, "hash": hash_of(forged)})
        assert [f.claim for f in verification.findings if f.verdict is not Verdict.CONFIRMED] == ["proof"]


def test_what_a_drafted_split_claims_is_confirmed() -> None:
    """A split that nobody proved is feasible, and its bound is true."""
    request = BalanceRequest.of(WEIGHTS, objective="difference", solver="greedy")
    assert verify(receipt(request, balance(request))).confirmed


def test_names_of_parts_are_those_that_are_registered() -> None:
    """The checker imports no registry, so its lists are compared with it here."""
    ours = [name for name, place in SOLVERS.items() if place.startswith("equipoise.")]
    exact = {name for name in ours if resolve("solver", SOLVERS, name).exact}
    assert set(receipt_check.PROVING) == {"auto", *exact}
    assert set(question.NAMES) == {*OBJECTIVES, *TERMS}


def test_an_infeasible_answer_is_of_the_objective_that_was_asked_for() -> None:
    """Whether who contradicts whom is seen at once or by searching, the prices are not in its name."""
    rule = Rule("few", dict.fromkeys(WEIGHTS, 1.0), high=2)
    preferences = [Preference("apart", ["Ann", "Bob"], 0.02)]
    requests = (
        BalanceRequest.of(
            WEIGHTS,
            objective="win",
            preferences=preferences,
            apart=[["Ann", "Bob"]],
            parties=[["Bob", "Ann"]],
        ),
        BalanceRequest.of(WEIGHTS, objective="win", preferences=preferences, rules=[rule]),
    )
    for request in requests:
        solution = balance(request)
        assert (str(solution.status), solution.objective) == ("infeasible", "win")
        assert verify(receipt(request, solution)).confirmed


@pytest.mark.slow
def test_what_is_added_or_missing_is_found() -> None:
    """Fields that nobody knows, and those that are gone, make a receipt false or unreadable."""
    whole = made("default")
    more = {**whole["answer"], "proof": "trust me"}
    forged = {**whole, "answer": more}
    assert not verify({**forged, "hash": hash_of(forged)}).ok
    for name in whole:
        less = {key: value for key, value in whole.items() if key != name}
        assert not verify(less).ok
        with pytest.raises(InputError, match=r"receipt: "):
            parse(json.dumps(less).encode())


def test_a_worse_split_is_not_the_best() -> None:
    """Another legal split, with all its numbers right, is found to be no optimum."""
    request = BalanceRequest.of(WEIGHTS, objective="difference")
    second = BalanceRequest.of(WEIGHTS, objective="difference", keep=20)
    whole = receipt(request, balance(request))
    split = receipt(second, balance(second))["answer"]["splits"][-1]
    answer = {**whole["answer"], "splits": [split], "value": split["value"], "bound": split["value"]}
    forged = {**whole, "answer": {**answer, "gap": 0.0}, "bound": split["value"]}
    verification = verify({**forged, "hash": hash_of(forged)})
    assert [f.claim for f in verification.findings if f.verdict is Verdict.FALSE] == ["proof"]


def test_a_better_split_that_is_not_listed_is_found() -> None:
    """The second in the receipt is the eighth, with all its numbers right; or there is no second."""
    request = BalanceRequest.of(WEIGHTS, objective="difference", keep=2)
    whole = receipt(request, balance(request))
    assert verify(whole).confirmed
    more = BalanceRequest.of(WEIGHTS, objective="difference", keep=8)
    first, *_, eighth = receipt(more, balance(more))["answer"]["splits"]
    for splits in ([first, eighth], [first]):
        forged = {**whole, "answer": {**whole["answer"], "splits": splits}}
        findings = verify({**forged, "hash": hash_of(forged)}).findings
        assert [finding.claim for finding in findings if finding.verdict is Verdict.FALSE] == ["ranking"]


def test_splits_after_the_first_that_nobody_compared_are_not_confirmed() -> None:
    """Where a re-ranker chose among many, or there are too many splits, the receipt says so."""
    for more in ({"rerank": "quantile"}, {"spacing": 2}):
        request = BalanceRequest.of(WEIGHTS, keep=2, **more)
        verification = verify(receipt(request, balance(request)))
        assert verification.ok
        assert [f.claim for f in verification.findings if f.verdict is Verdict.UNCONFIRMED] == ["ranking"]


def test_a_rule_that_the_checker_does_not_know_is_not_confirmed_and_not_false() -> None:
    """Its meaning is known to the package that adds it; the hash still shows what was changed."""
    whole = made("default")
    whole["request"]["new"] = 1
    whole["hash"] = hash_of(whole)
    verification = verify(whole)
    assert verification.ok
    assert not verification.confirmed
    assert verification.findings[-1].detail == "it does not know the rule 'new'"
    whole["request"]["new"] = 2
    assert not verify(whole).ok


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("teams", 10**9), ("teams", 0), ("teams", 2.5), ("keep", 0), ("sizes", [10**9, 1]),
        ("sizes", [3, 2, 2]), ("bots", {"target": 10**12}), ("bots", 5), ("roles", {"tank": 10**9}),
        ("beta", 0), ("zero", 1e300), ("objective", []), ("objective", {"win": -1}), ("tolerances", [1, 2]),
        ("parties", "ab"), ("seed", "x"), ("players", 5), ("players", [{"name": "Ann"}] * 2),
        ("fixed", {"Zed": 1}), ("rules", [{}]), ("preferences", [{}]), ("max_size", 10**12),
        ("tolerance", float("inf")), ("side_price", "x"),
        ("objective", "nicest"), ("objective", ["win", "nicest"]),
        ("preferences", [{"kind": "near", "players": ["Ann", "Bob"]}]),
        ("preferences", [{"kind": "apart", "players": ["Ann", "Bob"], "prize": 1}]),
        ("rules", [{"name": "r", "players": ["Ann"], "at_least": 0, "note": ""}]),
        ("players", [{"name": "Ann", "team_now": 3}]), ("players", [{"name": "Ann", "team": 1.5}]),
        ("players", [{"name": "Ann", "roles": {"tank": {"mu": 1, "skill": 2}}}]),
    ],
)  # fmt: skip
def test_a_request_that_nobody_can_make_is_false(field: str, value: Any) -> None:
    """Whatever stands in it, within a moment and without an exception."""
    whole = made("default")
    whole["request"][field] = value
    assert not verify(whole).ok
    assert [f.verdict for f in verify(whole).findings if f.claim == "request"] == [Verdict.FALSE]


def test_large_rosters_are_proven_by_halves_that_meet() -> None:
    """A proof of 24 players in decimals is confirmed without the solver that made it."""
    weights = np.round(np.random.default_rng(24).normal(25, 8, 24), 1).tolist()
    request = BalanceRequest.of({f"p{n}": weight for n, weight in enumerate(weights)})
    verification = verify(receipt(request, balance(request)))
    assert verification.confirmed
    assert "halves" in verification.findings[-1].detail


def test_what_is_out_of_reach_is_not_confirmed() -> None:
    """A proof that nobody has time for is neither true nor false, and all else is confirmed."""
    weights = np.random.default_rng(1).normal(25, 8, 30).tolist()
    request = BalanceRequest.of({f"p{n}": weight for n, weight in enumerate(weights)}, objective="difference")
    verification = verify(receipt(request, balance(request)), stop=lambda: True)
    assert verification.ok
    assert [f.claim for f in verification.findings if f.verdict is Verdict.UNCONFIRMED] == ["proof"]


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"format": 1}', '{"seed": NaN}', '{"seed": 1, "seed": 2}', "\xff", "[" * 9999]
)
def test_what_is_no_receipt_is_refused(text: str) -> None:
    """A message begins with the place, and nothing else comes out."""
    with pytest.raises(InputError, match=r"^receipt: "):
        parse(text.encode("latin-1"))


@pytest.mark.parametrize("seed", range(40))
def test_several_splits_by_three_objectives_are_confirmed(seed: int) -> None:
    """Also those that follow because too few are within the limits, whichever stage they are beyond."""
    rng = np.random.default_rng(seed)
    players = {f"p{n}": float(weight) for n, weight in enumerate(rng.uniform(1.0, 99.0, rng.integers(4, 8)))}
    players |= {"even": round(players["p0"], 1)}
    objectives = [
        str(name) for name in rng.choice(["difference", "ratio", "win", "spread"], 3, replace=False)
    ]
    tolerances = [float(rng.choice([0.0, 1e-6, 0.001, 0.05, 0.5])) for _ in range(2)]
    request = BalanceRequest.of(
        players, objective=objectives, tolerances=tolerances, keep=int(rng.integers(2, 5))
    )
    findings = verify(receipt(request, balance(request))).findings
    assert {finding.verdict for finding in findings} == {Verdict.CONFIRMED}


@pytest.mark.parametrize("seed", range(12))
def test_splits_that_rounding_alone_puts_in_order_are_confirmed(seed: int) -> None:
    """A giant beside tiny weights: what stages choose from is equal within rounding, in proof and ranking."""
    rng = np.random.default_rng(seed)
    weights = [0.1, 1e12, 3e-9, 7000.0] if not seed else rng.choice([1e12, 5e11, 1e-9, 0.1, 7e3], 6).tolist()
    players = [Player(f"p{n}", weight, side=0.0 if n == 2 else 0.5) for n, weight in enumerate(weights)]
    objective = ["indistinguishable", "spread", "difference"]
    request = BalanceRequest.of(players, objective=objective, keep=3)
    findings = verify(receipt(request, balance(request))).findings
    assert {finding.verdict for finding in findings} == {Verdict.CONFIRMED}


@pytest.mark.parametrize("by", [1e-5, -1e-5, 1e-8])
def test_a_spread_that_is_slightly_off_is_found(by: float) -> None:
    """Value and bound alike, with a new hash: rounding costs deviations of 0 alone so much."""
    weights = {f"p{n}": weight for n, weight in enumerate([52.1, 47.3, 33.9, 31.2, 20.4, 12.8, 9.9, 41.0])}
    request = BalanceRequest.of(weights, objective="spread")
    data = json.loads(json.dumps(receipt(request, balance(request))))
    answer = data["answer"]
    answer["value"] = answer["bound"] = data["bound"] = answer["splits"][0]["value"] = answer["value"] * (
        1 + by
    )
    data["hash"] = hash_of(data)
    assert not verify(data).ok
