"""``BalanceRequest``: one value for the library's keywords, plain data and files."""

from __future__ import annotations

import json
import pickle
import re
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest

from equipoise import (
    BalanceRequest,
    Bots,
    InputError,
    Player,
    Preference,
    Rating,
    Rule,
    UnknownNameError,
    UnsupportedError,
    balance,
)
from equipoise.teams.objectives.moments import difference
from equipoise.teams.request_fields import FIELDS, RequestFields
from equipoise.teams.request_keywords import Keywords
from equipoise.verification import question

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "request.schema.json").read_text(encoding="utf-8"))
FOUR = {"Ann": 9.0, "Bob": 7.0, "Cid": 5.0, "Dan": 4.0}
RICH = (
    Player("1", Rating(-3.5, 2.0), "Ann", party="x", prefer={"4": 0.02}),  # type: ignore[arg-type]
    Player("2", 7.25, "Bob", party="x", side=0.25),
    Player("3", None, team=1, roles={"tank": None, "support": Rating(4.0, 1.0)}),  # type: ignore[arg-type]
    Player("4", 0.1, bot=True, avoid=["2"], team_now=1),  # type: ignore[arg-type]
)

#: Every keyword with a value that is not its default.
ASKED: dict[str, dict[str, Any]] = {
    "nothing": {},
    "sizes": {"sizes": (3, 1), "keep": 3, "spacing": 2, "seed": 7, "effort": 0.5},
    "one size": {"sizes": 2, "solver": "enumerate"},
    "limits": {"min_size": 1, "max_size": 3, "max_difference": 2},
    "bots": {"bots": True},
    "some bots": {"bots": Bots(0.0, 2, 9, 6), "teams": 3},
    "people": {"parties": [["1", "Bob"]], "apart": [("1", "4")], "fixed": {"Ann": 0}},
    "names": {"names": [" Red  team", "Blue"], "fixed": {"Ann": "blue"}},
    "preferences": {
        "preferences": [Preference("together", ["Ann", "4"], 0.015), Preference("apart", ["3", "4"])],
        "side_price": 0.01,
    },
    "stay": {"stay": 0.01, "moves": 3},
    "roles": {"roles": {"tank": 1}, "default": 5.5, "beta": 2.0, "zero": -3.0},
    "body": {"body": 1.5, "side_chance": 0.6},
    "draws": {"draws": 0.25},
    "rules": {
        "rules": [Rule("one", {"Ann": 1.0, "Bob": 2.5}, high=2.5), Rule("two", {("4", 1): 1.0}, 0.0, 1.0)]
    },
    "mixed rule": {"rules": [Rule("both", {"Ann": 1.0, ("Bob", 0): -2.0}, low=-3.0)]},
    "order": {
        "objective": ["win", {"difference": 1.0, "spread": 2.0}],
        "tolerances": [0.01],
        "rerank": "quantile",
    },
    "sum": {"objective": {"win": 1.0, "preferences": 2.0}},
    "numbers": {"objective": "indistinguishable", "tolerance": 0.01, "side_weight": 0.5},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ASKED)
def test_data_is_read_back_as_an_equal_request(name: str) -> None:
    """What is written keeps to the schema, goes through JSON, and asks the same."""
    request = BalanceRequest.of(RICH, **ASKED[name])
    data = json.loads(json.dumps(request.to_dict(), allow_nan=False))
    jsonschema.validate(data, SCHEMA)
    again = BalanceRequest.from_dict(data)
    assert again == request
    assert again.to_dict() == request.to_dict()
    assert pickle.loads(pickle.dumps(request)) == request  # noqa: S301  # its own bytes


def test_a_field_is_known_wherever_one_may_be_asked_for() -> None:
    """The table is the only list by hand; what is made of it is not stale, and what cannot be is complete."""
    assert [field.name for field in fields(RequestFields)] == ["players", *FIELDS, "further", "stop"]
    assert list(Keywords.__annotations__) == [*FIELDS, "further", "stop"]
    assert list(SCHEMA["properties"]) == ["players", *FIELDS]
    described = re.findall(r"^    ((?:\w+, )*\w+) : ", str(BalanceRequest.__doc__), re.MULTILINE)
    assert {name for names in described for name in names.split(", ")} >= {*FIELDS}
    used = {keyword for asking in ASKED.values() for keyword in asking}
    assert used == set(FIELDS)


def test_the_checker_knows_the_fields_by_name() -> None:
    """It shares no value and no check with the table, only what the fields are called."""
    known = (*question.DECIDING, *question.SEARCHING, *question.SHOWN)
    assert sorted(known) == sorted(FIELDS)


@pytest.mark.parametrize(
    ("text", "bots"),
    [
        ("", Bots()), ("min=6,max=10,target=8,weight=40", Bots(40.0, 6, 10, 8)),
        ("target = 8", Bots(target=8)), ("weight=-2.5", Bots(-2.5)),
    ],
)  # fmt: skip
def test_bots_are_typed_with_their_numbers(text: str, bots: Bots) -> None:
    """Each of the four may be left out."""
    typed = FIELDS["bots"].kind.typed
    assert typed is not None
    assert typed(text, "--bots") == bots


@pytest.mark.parametrize(
    "text", ["min", "mim=6", "min=6,min=6", "=6", "min=1.5", "min=x", "max=inf", "weight="]
)
def test_what_says_nothing_of_bots_is_refused(text: str) -> None:
    """By its flag."""
    typed = FIELDS["bots"].kind.typed
    assert typed is not None
    with pytest.raises(InputError, match=r"^--bots"):
        typed(text, "--bots")


@pytest.mark.parametrize(
    ("texts", "objective"),
    [
        (["win"], "win"), (["win,spread"], ["win", "spread"]), (["win", "spread"], ["win", "spread"]),
        (["win=1,preferences=2"], {"win": 1.0, "preferences": 2.0}), (["win=1"], {"win": 1.0}),
        (["win=1,spread=2", "difference"], [{"win": 1.0, "spread": 2.0}, "difference"]),
        (["my.own:part"], "my.own:part"),
    ],
)  # fmt: skip
def test_objectives_are_typed_in_order_or_with_weights(texts: list[str], objective: Any) -> None:
    """Names are an order, names with weights a sum, and several of either an order too."""
    typed = FIELDS["objective"].kind.typed
    assert typed is not None
    assert typed(texts, "--objective") == objective


def test_a_roster_says_its_scale_unless_the_caller_does() -> None:
    """Of the columns beta, zero and draws; a body stands instead of a zero."""
    rows = [{"name": name, "weight": 5, "beta": 2.0, "zero": 0.5, "draws": 0.25} for name in ("Ann", "Bob")]
    frame = pl.DataFrame(rows)
    request = BalanceRequest.of(frame)
    assert (request.beta, request.zero, request.draws) == (2.0, 0.5, 0.25)
    request = BalanceRequest.of(frame, beta=3.0, body=1.0)
    assert (request.beta, request.zero, request.body, request.draws) == (3.0, None, 1.0, 0.25)
    assert BalanceRequest.of(frame.drop("beta", "zero", "draws")).beta is None


def test_a_request_is_answered_as_its_keywords_are() -> None:
    """The value, the keywords and the data give the same bytes."""
    given: dict[str, Any] = {"parties": [("Ann", "Dan")], "objective": "difference", "keep": 2}
    request = BalanceRequest.of(FOUR, **given)
    answer = balance(FOUR, **given).as_dict()
    assert balance(request).as_dict() == answer
    assert balance(BalanceRequest.from_dict(request.to_dict())).as_dict() == answer
    assert balance(request, keep=1).as_dict()["splits"] == answer["splits"][:1]


def test_a_request_cannot_be_changed_and_its_replacement_is_checked() -> None:
    """What was checked once stays true."""
    request = BalanceRequest.of(FOUR)
    with pytest.raises(FrozenInstanceError):
        request.keep = 2  # type: ignore[misc]
    with pytest.raises(InputError, match=r"^keep must be at least 1, got 0$"):
        replace(request, keep=0)


WRONG: list[tuple[Any, str]] = [
    ([], "request: it is not an object"),
    ({}, "request: the field 'players' is missing"),
    ({"players": FOUR, "keap": 1}, "request: there is no field 'keap'; the fields are players, teams"),
    ({"players": [{"name": "Ann", "wait": 1}]}, "request: players, entry 1: there is no field 'wait'"),
    ({"players": [{"weight": 1}]}, "request: players, entry 1: it has neither a name nor an id"),
    ({"players": "Ann"}, "request: players: it is neither a list"),
    (
        {"players": [{"name": "Ann", "roles": {"tank": {"mu": 1, "wait": 2}}}]},
        "request: players, entry 1: there is no field 'wait' of 'tank'; the fields are mu, sigma",
    ),
    ({"players": FOUR, "keep": 0}, "request: keep must be at least 1, got 0"),
    ({"players": FOUR, "keep": "2"}, "request: keep: '2' is text"),
    ({"players": FOUR, "keep": True}, "request: keep: the value 'true' is not a number"),
    ({"players": FOUR, "keep": 1.5}, "request: keep: 1.5 is not a whole number"),
    (
        {"players": FOUR, "fixed": {"Ann": 0}},
        "request: fixed.Ann: team must be at least 1, got 0",
    ),
    (
        {"players": FOUR, "fixed": {"Ann": 3}},
        "request: fixed: 'Ann' is fixed to team 3; there are teams 1 to 2",
    ),
    ({"players": FOUR, "fixed": ["Ann"]}, "request: fixed: "),
    ({"players": FOUR, "parties": ["Ann"]}, "request: parties: "),
    ({"players": FOUR, "parties": [["Ann", "Zed"]]}, "request: parties: there is no player 'Zed'"),
    (
        {"players": FOUR, "preferences": [{"kind": "near", "players": ["Ann", "Bob"]}]},
        "request: preferences, entry 1: ",
    ),
    (
        {"players": FOUR, "preferences": [{"who": "Ann"}]},
        "request: preferences, entry 1: there is no key 'who'",
    ),
    (
        {"players": FOUR, "rules": [{"players": ["Ann"], "most": 1}]},
        "request: rules, rule 1: there is no key",
    ),
    ({"players": FOUR, "bots": {"wait": 1}}, "request: bots: there is no key 'wait'"),
    ({"players": FOUR, "objective": 7}, "request: objective: "),
    ({"players": FOUR, "objective": "os:getcwd"}, "request: objective: 'os:getcwd' is a part of your own"),
    (
        {"players": FOUR, "objective": ["win", {"os:getcwd": 1}]},
        "request: objective: 'os:getcwd' is a part of your own",
    ),
    ({"players": FOUR, "beta": float("nan")}, "request: beta: "),
    ({"players": FOUR, "sizes": 10**30}, "request: sizes: "),
]


@pytest.mark.parametrize(("data", "message"), WRONG)
def test_mistakes_in_data_are_named(data: object, message: str) -> None:
    """The message begins with the place and the field."""
    with pytest.raises(InputError) as caught:
        BalanceRequest.from_dict(data)
    assert str(caught.value).startswith(message)


#: What hardly any field can hold.
ODD: tuple[Any, ...] = (
    None, True, -1, 1.5, 10**400, float("nan"), "", "x", b"x", object(), [1], [None], ["Ann"], [["Ann", 1]],
    [[]], {1: 2}, {"Ann": None}, {"Ann": {}}, [{}], ("win", object()),
)  # fmt: skip


@pytest.mark.parametrize("field", [field.name for field in fields(BalanceRequest) if field.init])
def test_keywords_of_another_kind_are_named(field: str) -> None:
    """Whatever a keyword is given: a request, or a message of the field, and nothing else."""
    if field == "stop":  # a function of the caller's own
        return
    also = {"players": ("id", "rating"), "min_size": ("sizes",), "max_size": ("sizes",)}.get(field, ())
    for value in ODD:
        assert _said_of(field, value).startswith((field, *also)), value


def _said_of(field: str, value: Any) -> str:
    try:
        if field == "players":
            BalanceRequest.of(value)
        else:
            BalanceRequest.of(FOUR, **{field: value})  # type: ignore[misc]
    except UnknownNameError as error:
        return error.kind
    except InputError as error:
        return str(error)
    return field


@pytest.mark.parametrize("field", ["objective", "solver", "rerank"])
def test_unknown_parts_are_refused_before_anything_is_asked(field: str) -> None:
    """A name that no registry holds is a mistake of the request."""
    with pytest.raises(UnknownNameError, match="there is no 'nosuch'"):
        BalanceRequest.from_dict({"players": FOUR, field: "nosuch"})


def test_a_part_of_ones_own_is_named_in_data_only_where_code_may_run() -> None:
    """A file of your own may name it, a request from elsewhere not; a Python object cannot be written."""
    data = {"players": FOUR, "objective": "equipoise.teams.objectives.moments:difference"}
    assert balance(BalanceRequest.from_dict(data, own_parts=True)).value == 1.0
    with pytest.raises(UnsupportedError, match=r"^objective is .*cannot be written down"):
        BalanceRequest.of(FOUR, objective=difference).to_dict()


@pytest.mark.parametrize("data", [data for data, _ in WRONG if isinstance(data, dict)][:12])
def test_what_the_schema_refuses_is_refused(data: dict[str, Any]) -> None:
    """Whatever does not keep to the schema is no request."""
    if not jsonschema.Draft202012Validator(SCHEMA).is_valid(data):
        with pytest.raises(InputError):
            BalanceRequest.from_dict(data)


@pytest.mark.parametrize(
    "players",
    [
        ["Ann"], ["Ann", "Bob", ["Cid", 3], {"name": "Dee", "weight": "4"}], [["Ann", None], [7, "3"]],
        {"Ann": 3, "Bob": "2", "Cid": None}, [], {},
        [["Ann"]], [["Ann", 1, 2]], [3], [None], [["Ann", True]], {"Ann": [1]}, {"Ann": True}, "Ann", None,
    ],
)  # fmt: skip
def test_the_schema_holds_players_as_they_may_be_written(players: Any) -> None:
    """Names, pairs and objects mixed, and weights by name: what is read and what is allowed are the same."""
    data = {"players": players}
    if jsonschema.Draft202012Validator(SCHEMA).is_valid(data):
        BalanceRequest.from_dict(data)
    else:
        with pytest.raises(InputError):
            BalanceRequest.from_dict(data)


PAIRED = [["a", "b"], ["Cid", "d"], ["d", "a"]]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ((), ""),
        (["a", "zed"], "apart: there is no player 'zed'; the roster has Ann, Bob, Cid, Dan, Dan"),
        (["a", "Dan"], "apart: 2 players are named 'Dan'; their ids tell them apart"),
        (["b", "Bob"], "apart: 'Bob' comes twice in one group"),
        (["b", " "], "apart: there is no player ''; the roster has Ann, Bob, Cid, Dan, Dan"),
        (["b", "x" * 300], "apart: the name must have at most 200 characters, got 300"),
        (["b", 7], "apart: there is no player '7'; the roster has Ann, Bob, Cid, Dan, Dan"),
        (["b", ["c"]], "apart: name '[\"c\"]' is not a text"),
        ("bc", "apart: '\"bc\"' is not a list of names"),
    ],
)
def test_many_pairs_are_read_as_single_groups_are(wrong: Any, message: str) -> None:
    """Pairs alone take a short way; with a larger group beside them the long one; both say the same."""
    names = {"a": "Ann", "b": "Bob", "c": "Cid", "d": "Dan", "e": "Dan"}
    players = [{"id": who, "name": name, "weight": 5} for who, name in names.items()]
    said = []
    for more in ([], [["a", "b", "c"]]):
        groups = [*PAIRED, *([wrong] if wrong else []), *more]
        try:
            request = BalanceRequest.from_dict({"players": players, "teams": 4, "apart": groups})
        except InputError as error:
            said.append(str(error))
        else:
            assert request.problem is not None
            assert request.problem.apart[:3] == ((0, 1), (2, 3), (3, 0))
            assert request.apart[:3] == (("a", "b"), ("Cid", "d"), ("d", "a"))
    assert said == ([f"request: {message}"] * 2 if message else [])


@pytest.mark.parametrize(
    "players",
    [
        [("Ann", 9.0), ("Bob", 7.0), ("Cid", 5.0), ("Dan", 4.0)],
        [["Ann", 9], ["Bob", 7], ["Cid", 5], ["Dan", 4]],
        [{"name": name, "weight": weight} for name, weight in FOUR.items()],
        [{"Player": name, "Points": str(weight)} for name, weight in FOUR.items()],
        {name: {"weight": weight} for name, weight in FOUR.items()},
        [Player("Ann", 9.0), ("Bob", 7.0), {"name": "Cid", "weight": 5.0}, Player("Dan", Rating(4.0))],
        ((name, weight) for name, weight in FOUR.items()),
        pl.DataFrame({"name": list(FOUR), "weight": list(FOUR.values())}),
    ],
)
def test_players_come_as_pairs_rows_mappings_and_frames(players: Any) -> None:
    """All are the same request, and the same answer, as a mapping from names to weights."""
    request = BalanceRequest.of(players)
    assert [(player.label, player.rating) for player in request.roster.players] == [
        (name, Rating(weight)) for name, weight in FOUR.items()
    ]
    assert balance(request).best.totals == balance(FOUR).best.totals


def test_names_alone_are_players_without_a_weight() -> None:
    """As in a file of names: whatever is iterable, in its order; a row may say what a roster says."""
    for names in (["Ann", "Bob"], ("Ann", "Bob"), iter(["Ann", "Bob"])):
        request = BalanceRequest.of(names)
        assert [(player.id, player.rating) for player in request.players] == [("Ann", None), ("Bob", None)]
    rows = [{"name": "Ann", "team": 2, "beta": 4}, "Bob"]
    assert BalanceRequest.of(rows).players[0].team == 1
    assert BalanceRequest.of(rows).beta == 4


@pytest.mark.parametrize(
    ("players", "message"),
    [
        ("Ann", "players must be a list of players or names"),
        (b"Ann", "players must be a list of players or names"),
        (["Ann", 7], "got 7 as entry 2"),
        (["Ann", ("Bob", 1, 2)], "as entry 2"),
        (["Ann", {"weight": 2}], "players, entry 2: it has neither a name nor an id"),
        (["Bob", {"name": "Ann", "weight": "x"}], "players, entry 2: weight 'x' is not a number"),
        (["Ann", "Ann"], "'Ann'"),
        ([("Ann", 1), {"name": "Ann"}], "'Ann'"),
        ([("Ann", "3")], "rating of 'Ann' must be"),
    ],
)
def test_what_is_no_player_is_refused_with_its_place(players: Any, message: str) -> None:
    """And what is allowed."""
    with pytest.raises(InputError, match=re.escape(message)):
        BalanceRequest.of(players)


def test_a_tolerance_above_1_is_refused() -> None:
    """It is a win probability; that of an objective in points may be any."""
    with pytest.raises(InputError, match="tolerance must be from 0 to 1"):
        balance(FOUR, tolerance=5)
    with pytest.raises(InputError, match="tolerances must be from 0 to 1 for win"):
        balance(FOUR, objective=["win", "difference"], tolerances=[5])
    assert balance(FOUR, objective=["difference", "win"], tolerances=[5]).splits
    assert balance(FOUR, tolerance=1).splits
