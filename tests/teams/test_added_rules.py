"""A rule that a package adds: one class, and whatever takes a request keeps to it or says that it cannot."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from dataclasses import replace
from itertools import combinations
from types import MappingProxyType
from typing import Any

import jsonschema
import numpy as np
import pytest
from examples.parts.rule import Captains

from equipoise import (
    BalanceRequest,
    InputError,
    Player,
    UnsupportedError,
    balance,
    explain,
    late,
    receipt,
    verify,
)
from equipoise.service.http.openapi import schema_of
from equipoise.service.http.stateless_questions import answered
from equipoise.teams import request_fields
from equipoise.teams.explain.edits import Swap, edit
from equipoise.teams.laws import check_rule
from equipoise.verification.receipt_check import Verdict

WEIGHTS = {"Ann": 9.0, "Bob": 8.0, "Cid": 7.0, "Dan": 3.0, "Eve": 2.0, "Fay": 1.0}

#: Who are captains: the best teams without the rule have three of them on one side, and one on the other.
CAPTAINS = ("Ann", "Bob", "Cid", "Fay")


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the rule of the examples as the entry point of a package does."""
    rules = MappingProxyType({"captains": "examples.parts.rule:Captains"})
    monkeypatch.setattr(request_fields, "RULES", rules)


def ask(**more: Any) -> BalanceRequest:
    """Return a request with captains."""
    return BalanceRequest.of(WEIGHTS, objective="difference", captains=CAPTAINS, **more)


def captains_in(teams: Any) -> list[int]:
    """Return how many captains each team has."""
    return [sum(str(getattr(who, "id", who)) in CAPTAINS for who in team) for team in teams]


@pytest.mark.parametrize("given", [["Ann", "Bob"], ("Ann",), ("Ann", "Bob", "Cid"), ()])
@pytest.mark.parametrize("n_teams", [2, 3])
def test_the_example_keeps_the_laws_of_rules(given: Any, n_teams: int) -> None:
    """Whatever is asked, of however many teams."""
    check_rule(Captains, given, [Player(name, weight) for name, weight in WEIGHTS.items()], n_teams)


@pytest.mark.parametrize("seed", range(20))
def test_the_best_that_keeps_the_rule_is_found(seed: int) -> None:
    """As going through all splits finds it."""
    rng = np.random.default_rng(seed)
    weights = {name: float(rng.integers(1, 40)) for name in "abcdefgh"}
    captains = tuple(
        str(name) for name in rng.choice([*weights], size=int(rng.integers(1, 7)), replace=False)
    )
    found = balance(weights, objective="difference", further={"captains": captains})
    least, more = divmod(len(captains), 2)
    values = [
        abs(2 * sum(weights[name] for name in team) - sum(weights.values()))
        for team in combinations(weights, 4)
        if least <= len({*team} & {*captains}) <= least + more
    ]
    assert found.status == "optimal"
    assert found.value == min(values)
    assert sorted(sum(player.id in captains for player in team) for team in found.best.teams) == sorted(
        [least, least + more]
    )


def test_the_library_takes_it_as_a_keyword() -> None:
    """By itself, beside other fields, on a request, and again without."""
    assert captains_in(balance(WEIGHTS, captains=list(CAPTAINS)).best.teams) == [2, 2]  # type: ignore[call-arg]
    request = ask(keep=2)
    assert request == BalanceRequest.of(
        BalanceRequest.of(WEIGHTS, objective="difference", keep=2), further={"captains": CAPTAINS}
    )
    assert request.without("captains") == BalanceRequest.of(WEIGHTS, objective="difference", keep=2)
    assert BalanceRequest.of(request, further={"captains": ["Ann"]}).further == (("captains", ("Ann",)),)
    assert pickle.loads(pickle.dumps(request)) == request  # noqa: S301  # its own bytes
    assert replace(request, keep=1).further == request.further


def test_plain_data_has_it_as_a_field() -> None:
    """It stands beside the others, is in the schema, and is read back as an equal request."""
    data = json.loads(json.dumps(ask().to_dict(), allow_nan=False))
    assert data["captains"] == [*CAPTAINS]
    jsonschema.validate(data, schema_of("request"))
    assert BalanceRequest.from_dict(data) == ask()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"captains": "Ann"}, "request: captains: "),
        ({"captains": [["Ann"]]}, "request: captains: a name "),
        ({"captains": ["Zed"]}, "request: captains: there is no player 'Zed'"),
        ({"captain": ["Ann"]}, "request: there is no field 'captain'; the fields are players, teams"),
        ({"further": {"captains": ["Ann"]}}, "request: there is no field 'further'"),
    ],
)
def test_what_is_wrong_with_it_is_said_of_it(data: dict[str, Any], message: str) -> None:
    """Of the rule's own field, not of another's."""
    with pytest.raises(InputError) as caught:
        BalanceRequest.from_dict({"players": WEIGHTS, **data})
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("further", [{"nosuch": 1}, {"keep": 2}, ["captains"], 7])
def test_rules_that_nobody_registered_are_refused(further: Any) -> None:
    """A field of the table is none either."""
    with pytest.raises(InputError, match=r"^further"):
        BalanceRequest.of(WEIGHTS, further=further)


def test_a_keyword_of_the_wrong_kind_is_named() -> None:
    """With the name of the rule."""
    with pytest.raises(InputError, match=r"^captains"):
        BalanceRequest.of(WEIGHTS, captains=7)  # type: ignore[call-arg]


def test_http_takes_it_in_the_body() -> None:
    """Of every question that a request asks; what is wrong points at the field."""
    body = {"players": WEIGHTS, "captains": [*CAPTAINS]}
    status, answer = answered("balance", json.dumps(body).encode(), 5.0)
    assert (status, captains_in(json.loads(answer)["splits"][0]["teams"])) == (200, [2, 2])
    status, answer = answered("explain", json.dumps(body).encode(), 5.0)
    assert status == 200
    assert "captains" in {
        price["constraint"]["kind"] for price in json.loads(answer)["explanation"]["prices"]
    }
    status, answer = answered("balance", json.dumps({**body, "captains": ["Zed"]}).encode(), 5.0)
    assert (status, json.loads(answer)["errors"][0]["pointer"]) == (422, "#/captains")


def test_a_receipt_is_not_called_false() -> None:
    """The checker says which rule it does not know, and confirms nothing of what follows from it."""
    verification = verify(json.loads(json.dumps(receipt(ask(), balance(ask())))))
    assert verification.ok
    assert not verification.confirmed
    assert [(finding.claim, finding.verdict) for finding in verification.findings] == [
        ("hash", Verdict.CONFIRMED),
        ("request", Verdict.UNCONFIRMED),
    ]
    assert "does not know the rule 'captains'" in verification.findings[-1].detail


def test_explanations_know_its_price_and_its_breach() -> None:
    """What it costs is the difference to the best without it; a change by hand that breaks it is reported."""
    explanation = explain(ask())
    price = next(price for price in explanation.prices if price.constraint.kind == "captains")
    free = balance(ask().without("captains"))
    best = balance(ask())
    assert best.value is not None
    assert free.value is not None
    assert price.cost.value == best.value - free.value > 0.0
    inside, outside = (
        next(player.id for player in team if (player.id in CAPTAINS) == captain)
        for team, captain in zip(best.best.teams, (True, False), strict=True)
    )
    broken = edit(ask(), [Swap(inside, outside)]).broken
    assert [rule.kind for rule in broken] == ["captains"]


#: A game that runs: the weaker team has a captain already.
RUNNING = [Player("Ann", 9, team=0), Player("Bob", 5, team=1), Player("Cid", 4)]


def test_late_keeps_to_it() -> None:
    """The newcomer goes where the rule is kept, though the teams would be more even otherwise."""
    assert late(RUNNING, objective="difference").team == 1
    placement = late(RUNNING, objective="difference", further={"captains": ("Bob", "Cid")})
    assert (placement.team, [option.allowed for option in placement.options]) == (0, [True, False])


def test_a_rule_that_says_nothing_of_late_joiners_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is passed over in silence."""
    monkeypatch.setattr(Captains, "field", Captains.field._replace(kept_by=()))
    with pytest.raises(UnsupportedError, match=r"^captains cannot be kept for a late joiner"):
        late(RUNNING, further={"captains": ("Bob", "Cid")})


def test_a_field_is_used_for_late_joiners_or_refused() -> None:
    """Of those of the table each says so, and one that does not is refused whatever it asks."""
    asked: dict[str, Any] = {
        "sizes": (2, 1), "min_size": 1, "max_size": 3, "roles": {"tank": 1}, "tolerances": [0.1],
        "rerank": "quantile", "keep": 2, "spacing": 2, "tolerance": 0.1, "side_weight": 1.0,
        "rules": [request_fields.rules_of([{"players": ["Ann"], "at_most": 1}], "rules")[0]],
    }  # fmt: skip
    silent = {name for name, info in request_fields.FIELDS.items() if not {"late", "moot"} & {*info.kept_by}}
    assert silent == set(asked)
    players = [replace(player, roles=(("tank", None),)) for player in RUNNING]
    for name, value in asked.items():
        also = {"objective": ["win", "spread"]} if name == "tolerances" else {}
        with pytest.raises(UnsupportedError) as caught:
            late(players, **{name: value}, **also)
        assert caught.value.argument == name


def test_counting_captains_counts_them() -> None:
    """The judge of these tests is not always content."""
    assert captains_in([["Ann", "Bob"], ["Dan"]]) == [2, 0]
    assert Counter(captains_in(balance(WEIGHTS, objective="difference").best.teams)) != Counter({2: 2})
