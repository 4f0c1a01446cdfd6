"""Mutations of the source: which there are, which are left out, and that they are of this tree."""

from __future__ import annotations

import ast
import importlib.util
import sys
import tomllib
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
KNOWN = tomllib.loads((ROOT / "tests/equivalent_mutations.toml").read_text(encoding="utf-8"))["mutation"]

SOURCE = b'''"""A text: 1 < 2."""
LONG = 5  # effort
#: effort: how long
#: the search goes on.
ROUNDS = 7

def f(x: "int" = 3, *, y: tuple[int, int]) -> int:
    """Return 1."""
    if x is not None and not (x <
            y or x):
        x -= 1
    return min(x, 2.5) if x else max(f"{x + 1}", "a" + "b")
'''


@pytest.fixture(scope="module")
def mutate() -> ModuleType:
    """Return the script as a module."""
    loader = SourceFileLoader("mutate", str(ROOT / "scripts/mutate"))
    spec = importlib.util.spec_from_loader("mutate", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutate"] = module
    loader.exec_module(module)
    return module


def test_each_kind_of_token_is_mutated_and_nothing_else(mutate: ModuleType) -> None:
    """Comparisons, arithmetic, and/or, min/max, numbers, conditions; no types, texts, or efforts."""
    places = mutate.mutations(Path("src/equipoise/a.py"), SOURCE)
    found = {(SOURCE[each.start : each.end].decode(), each.new) for place in places for each in place}
    assert found == {
        ("3", "4"), ("3", "(2)"), ("is not", "is"), ("and", "or"), ("or", "and"), ("not", ""), ("<", "<="),
        ("<", ">="), ("-=", "+="), ("1", "2"), ("1", "(0)"), ("min", "max"), ("max", "min"), ("2.5", "3.5"),
        ("2.5", "(1.5)"), ("", "not "),
    }  # fmt: skip
    assert sum(each.new == "not " for place in places for each in place) == 1
    for place in places:
        for each in place:
            ast.parse(each.applied(SOURCE))
            assert each.before != each.after


def test_every_equivalent_mutation_is_one_of_the_source_and_has_a_reason(mutate: ModuleType) -> None:
    """A line that was changed since is listed no longer."""
    for each in KNOWN:
        path = Path("src", *each["module"].split(".")).with_suffix(".py")
        if not (ROOT / path).exists():
            path = path.with_suffix("") / "__init__.py"
        places = mutate.mutations(path, (ROOT / path).read_bytes())
        known = {(one.before, one.after) for place in places for one in place}
        assert (each["before"], each["after"]) in known, each
        assert each["reason"].endswith(".")


def test_the_tests_of_a_module_are_those_of_its_folder_its_own_first(mutate: ModuleType) -> None:
    """And of a file at the top the one of its name; there are some for every module."""
    root = mutate.ROOT
    found = mutate.tests_of(Path("src/equipoise/play/evening.py"), root)
    assert found[:2] == [root / "src/equipoise/play/evening.py", root / "tests/play/test_evening.py"]
    assert {each.relative_to(root).parts[1] for each in found[1:]} == {"play"}
    assert mutate.tests_of(Path("src/equipoise/client.py"), root)[1:] == [root / "tests/test_client.py"]


def test_the_same_seed_draws_the_same(mutate: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    """And another one others; what is drawn is only listed."""
    texts = []
    for seed in "1", "1", "2":
        sys_argv, sys.argv = sys.argv, ["mutate", "play", "-n", "5", "--list", "--seed", seed]
        try:
            mutate.main()
        finally:
            sys.argv = sys_argv
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] != texts[2]
    assert texts[0].count("src/equipoise/play/") == 5


def test_the_function_of_a_line_is_named_as_python_names_it(mutate: ModuleType) -> None:
    """Methods by their class, inner functions by the outer one, nothing outside of functions."""
    source = b"""A = 1
class B:
    c = 2
    def d(self):
        if self:
            return [
                1]
def e():
    try:
        pass
    except ValueError:
        def f():
            return 3
        return f
"""
    lines = [1, 3, 4, 5, 7, 9, 13, 14]
    names = ["", "", "B.d", "B.d", "B.d", "e", "e.<locals>.f", "e"]
    assert [mutate.function_at(source, line) for line in lines] == names
