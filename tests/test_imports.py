"""The shape of the house: who imports whom, ``TYPE_CHECKING`` included, who may know what."""

from __future__ import annotations

import ast
import tomllib
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "equipoise"


def name_of(path: Path) -> str:
    """Return the dotted name of a module."""
    parts = path.relative_to(ROOT / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(SOURCE.glob("**/*.py"))}


def imports_of(path: Path) -> set[str]:
    """Return the modules that one imports anywhere: at the top, in a function, for types alone."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in MODULES else node.module for name in whole}
    return found & MODULES.keys()


@cache
def imports() -> dict[str, set[str]]:
    """Return what each module imports."""
    return {name: imports_of(path) - {name} for name, path in MODULES.items()}


def contracts() -> list[tuple[str, list[set[str]]]]:
    """Return the containers of layers and the layers, highest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return [
        (container, [{part.strip() for part in layer.split("|")} for layer in contract["layers"]])
        for contract in settings["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
        for container in contract["containers"]
    ]


@pytest.mark.slow
def test_imports_make_no_circle() -> None:
    """Every module can be read after those that it names."""
    order = list(TopologicalSorter(imports()).static_order())
    assert len(order) == len(MODULES)


@pytest.mark.slow
@pytest.mark.parametrize(("container", "layers"), contracts(), ids=[name for name, _ in contracts()])
def test_no_arrow_goes_up(container: str, layers: list[set[str]]) -> None:
    """What stands in a layer names nothing above it, and nothing beside it."""
    floor = {f"{container}.{part}": depth for depth, layer in enumerate(layers) for part in layer}

    def room(module: str) -> str:
        return ".".join(module.split(".")[: container.count(".") + 2])

    arrows = {(room(name), room(named)) for name, names in imports().items() for named in names}
    wrong = {
        (one, other)
        for one, other in arrows
        if one in floor and other in floor and one != other and floor[one] >= floor[other]
    }
    assert wrong == set()


def test_every_room_has_its_floor() -> None:
    """No module and no folder of the package and of its teams stands outside the layers."""
    for container, layers in contracts():
        if container.endswith(".solvers"):
            continue  # so that a new solver is one file and one line
        beneath = {
            name.removeprefix(f"{container}.").split(".")[0]
            for name in MODULES
            if name.startswith(f"{container}.")
        }
        assert beneath - {"__main__"} == set.union(*layers), container


def test_contributing_names_every_room_and_every_example() -> None:
    """A newcomer finds what each folder and module is for, and an example of each part."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text[text.index("| folder |") : text.index("A module uses what stands below it")]
    rooms = {
        path.name for path in SOURCE.iterdir() if not path.name.startswith("_") and path.name != "py.typed"
    }
    assert {room for room in rooms if f"{room}`" not in table and f"{room}/`" not in table} == set()
    parts = {path.name for path in (ROOT / "examples" / "parts").glob("*.py")}
    assert {part for part in parts if f"`examples/parts/{part}`" not in text} == set()
