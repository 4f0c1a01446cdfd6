"""``equipoise explain`` with every other option of ``equipoise balance``."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import click
import pytest
from tests.cli.running import runner

from equipoise.cli import group

pytestmark = pytest.mark.slow

ROSTER = """name,weight,roles,side,prefer,avoid
Ann,31,tank=40;mage,0,Bob=2%,
Bob,28,tank;mage=20,,,
Cid,25,mage,1,,Dan=3%
Dan,22,tank=25,0.75,,
Eve,19,,,Hal,Ann=0.5%
Fay,15,mage=18,,,
Gus,12,tank=10;mage,,,
Hal,9,,,,
Ida,4,mage=6;tank,,,
"""

RULES = '{"rules": [{"name": "maps", "players": {"Ann": 3, "Bob": 2, "Cid": 1}, "at_most": 4}]}'

TOGETHER = '{"teams": [["Ann", "Fay", "Gus"], ["Bob", "Cid", "Hal"]], "ranks": [1, 2]}'
RECENT = TOGETHER.replace("}", ', "at": 1}\n') + TOGETHER.replace("}", ', "at": 2}\n')

OBJECTIVES: dict[str, tuple[str, ...]] = {
    "spread": (),
    "win": ("--objective", "win"),
    "ratio": ("--objective", "ratio"),
    "likeness": ("--objective", "indistinguishable", "--side-weight", "0.05"),
    "order": ("--objective", "difference,spread"),
    "within": ("--objective", "win,ratio", "--within", "0.05"),
    "sum": ("--objective", "win=10,spread=1", "--tolerance", "0.01"),
    "sum first": ("--objective", "difference=1,spread=2", "--objective", "win"),
    "preferences": ("--objective", "preferences,difference"),
}

SETTINGS: dict[str, tuple[str, ...]] = {
    "preferences": ("--side-price", "2%", "--party", "Cid,Fay,Gus", "--apart", "Ann,Bob"),
    "roles": ("--roles", "tank:1,mage:2", "--fix", "Hal=1"),
    "rules": ("--rules", "rules.json", "--party", "Eve,Fay"),
    "three": ("--teams", "3", "--apart", "Ann,Bob,Cid", "--avoid", "Gus,Hal=2%"),
    "unequal": ("--size", "6,3", "--party", "Ann,Eve", "--prefer", "Cid,Dan,Fay=1%"),
    "range": ("--size", "3-6", "--fix", "Bob=2", "--names", "Red,Blue"),
    "bots": ("--bots", "weight=10,min=12", "--apart", "Ann,Cid", "--side-price", "1%"),
    "recent": ("--recent", "recent.jsonl", "--recent-price", "2%", "--fix", "Gus=2"),
    "everything": (
        *("--roles", "tank:1", "--rules", "rules.json", "--side-price", "1%", "--recent", "recent.jsonl"),
        *("--party", "Fay,Hal", "--apart", "Ann,Ida", "--fix", "Dan=2", "--bots"),
    ),
    "chosen": ("--choose", "1", "--seed", "4", "--party", "Ann,Ida"),
    "reranked": ("--rerank", "strongest", "--tolerance", "0.05", "--apart", "Cid,Dan"),
    "searched": ("--solver", "exchange", "--seed", "1", "--side-price", "1%", "--party", "Ann,Ida"),
    "enumerated": ("--solver", "enumerate", "--time-limit", "20", "--keep", "6", "--fix", "Ann=2"),
}


#: Where what preferences cost is part of the only number, which no relaxation makes worse.
ALONE = ("win",)

#: Every setting with every objective; what takes its time only with two.
MATRIX = [
    (setting, objective)
    for setting, objective in itertools.product(SETTINGS, OBJECTIVES)
    if setting not in ("searched", "everything") or objective in ("spread", "order")
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the files that the options name."""
    for name, text in (("roster.csv", ROSTER), ("rules.json", RULES), ("recent.jsonl", RECENT)):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def once(args: tuple[str, ...]) -> tuple[str, ...]:
    """Return options without those that are typed again later and take one value."""
    command = group.get_command(click.Context(group), "explain")
    assert command is not None
    single = {name for each in command.params if not each.multiple for name in each.opts}
    found = list(args)
    for name in single & set(args):
        for place in [n for n, each in enumerate(found) if each == name][:-1][::-1]:
            del found[place : place + 2]
    return tuple(found)


def run(*args: str, command: str = "balance") -> dict[str, Any]:
    """Return the JSON of ``balance``, or of ``explain``: searched to the end, however busy the machine is."""
    patient = once(("--time-limit", "100", *args))
    done = runner().invoke(group, [command, "roster.csv", "--json", *patient])
    assert done.exit_code in (0, 1), done.exception
    plain: dict[str, Any] = json.loads(done.stdout)
    return plain


def distance(plain: dict[str, Any]) -> float:
    """Return how far the best split's chances are from even."""
    chances = plain["splits"][0]["win_probability"]
    return max(abs(chance - 1 / len(chances)) for chance in chances)


def without(constraint: dict[str, Any], args: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the options that do not ask for a constraint; None where they do not say it alone."""
    rest: list[str] = []
    pairs = [(args[n], args[n + 1 : n + 2]) for n in range(len(args)) if args[n].startswith("--")]
    who = ",".join(constraint["players"])
    for option, values in pairs:
        value = values[0] if values and not values[0].startswith("--") else ""
        asked = {
            "party": option == "--party" and value == who,
            "apart": option == "--apart" and value == who,
            "fixed": option == "--fix" and value.startswith(f"{who}="),
            "rule": option == "--rules",
            "prefer": option == "--prefer" and value.startswith(f"{who}="),
            "avoid": option == "--avoid" and value.startswith(f"{who}="),
        }
        if asked.get(constraint["kind"], False):
            continue
        if constraint["kind"] == "role" and option == "--roles":
            left = [part for part in value.split(",") if not part.startswith(constraint["name"])]
            rest += [option, ",".join(left)] if left else []
            continue
        rest += [option, value] if value else [option]
    return None if len(rest) == len(args) and constraint["kind"] != "role" else tuple(rest)


def unchosen(args: tuple[str, ...]) -> tuple[str, ...]:
    """Return the options without the choice at random, and without its seed, which then has no use."""
    for option in ("--choose", "--seed"):
        at = args.index(option)
        args = (*args[:at], *args[at + 2 :])
    return args


@pytest.mark.parametrize(("setting", "objective"), MATRIX)
def test_prices_are_those_of_asking_again(setting: str, objective: str, here: Path) -> None:
    """Each is the difference of two runs, with and without; the split explained is the split shown."""
    args = (*SETTINGS[setting], *OBJECTIVES[objective])
    asked = run(*args, "--all", "--why", "Ann", "--why", "Bob,Eve", command="explain")
    plain = run(*args)
    assert {name: asked[name] for name in plain} == plain
    explanation = asked["explanation"]
    assert explanation["unpriced"] == []
    shown = asked["splits"][0]
    assert [team["total"] for team in explanation["division"]["teams"]] == pytest.approx(shown["totals"])
    sums = [team["mean"] * (len(team["players"]) + team["bots"]) for team in explanation["division"]["teams"]]
    assert sums == pytest.approx(shown["totals"])
    paid = sum(preference["paid"] for preference in shown.get("wishes", ()))
    assert sum(preference["paid"] for preference in explanation["division"]["wishes"]) == pytest.approx(paid)
    chosen = "--choose" in args
    now = run(*unchosen(args)) if chosen else plain
    wanted = sum(price["paid"] for price in explanation["prices"])
    assert wanted == pytest.approx(
        sum(preference["paid"] for preference in now["splits"][0].get("wishes", ()))
    )
    for price in explanation["prices"]:
        rest = without(price["constraint"], args)
        if rest is None:
            continue
        if chosen:
            rest = unchosen(rest)
        relaxed = run(*rest)
        gained = (relaxed["value"] - now["value"]) * (1 if objective in ("ratio", "within") else -1)
        if any(price["cost"].values()):
            apart = distance(now) - distance(relaxed)
            assert price["cost"]["win_probability"] == pytest.approx(apart, abs=1e-9)
        if price["constraint"]["price"] is not None or "--rerank" in args:
            continue
        if any(price["cost"].values()):
            assert price["cost"]["value"] == pytest.approx(gained, abs=1e-9)
        elif objective in ALONE:
            assert gained <= 1e-9


@pytest.mark.parametrize(("setting", "objective"), MATRIX)
def test_an_edit_is_judged_or_refused(setting: str, objective: str, here: Path) -> None:
    """Either what must be kept is broken and named, or the teams are those after the change."""
    args = (*SETTINGS[setting], *OBJECTIVES[objective])
    first, *_, last = run(*args)["splits"][0]["teams"]
    swap = f"swap {first[0]} {last[-1]}"
    done = runner().invoke(group, ["explain", "roster.csv", "--json", *once(args), "--edit", swap, "--all"])
    if done.exit_code == 1:
        assert str(done.exception).startswith("--edit: the result breaks a rule: ")
        return
    assert done.exit_code == 0, done.exception
    plain = json.loads(done.stdout)
    after = plain["edit"]["after"]
    assert last[-1] in after["teams"][0]["players"]
    assert plain["explanation"]["division"] == after
    assert plain["explanation"]["behind"] == plain["edit"]["behind"]
    before = sum(preference["paid"] for preference in plain["edit"]["before"]["wishes"])
    paid = sum(preference["paid"] for preference in after["wishes"]) - before
    assert plain["edit"]["cost"]["wishes"] == pytest.approx(paid, abs=1e-9)
