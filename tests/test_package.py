"""The package as a whole: its public names, its registries, its errors, and what a cold start imports."""

from __future__ import annotations

import ast
import json
import pkgutil
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import equipoise
from equipoise.core import registry
from equipoise.errors import EquipoiseError, InputError, UnknownNameError

EXAMPLE = Path(__file__).parent.parent / "examples" / "roster.txt"

#: What must not be loaded for a word of help or a small roster.
HEAVY = (
    *("numba", "llvmlite", "scipy", "highspy", "ray", "polars", "pandas", "pyarrow", "matplotlib"),
    *("asyncio", "http.server", "socketserver", "starlette", "uvicorn", "httptools", "pydantic", "jinja2"),
    *("sqlite3", "pysqlite3", "sqlalchemy", "alembic", "psycopg"),
)


def modules_after(*args: str) -> set[str]:
    """Return the modules a run of the command line has imported when it ends."""
    code = (
        "import sys, json, atexit\n"
        "from equipoise.cli import main\n"
        "atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))\n"
        f"sys.argv = {['equipoise', *args]!r}\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_public_names_and_all_agree() -> None:
    """Every name in ``__all__`` is there and documented, and nothing else is public."""
    for name in equipoise.__all__:
        assert getattr(equipoise, name).__doc__
    assert sorted(equipoise.__all__) == equipoise.__all__ == dir(equipoise)
    with pytest.raises(AttributeError, match="nosuch"):
        _ = equipoise.nosuch


@pytest.mark.slow
@pytest.mark.parametrize(
    "args",
    [
        ("--help",),
        ("--version",),
        ("balance", "--help"),
        ("ingest", "--help"),
        ("balance", str(EXAMPLE)),
        ("rate", str(EXAMPLE.with_name("matches.jsonl"))),
        ("rate", "--model", "elo", str(EXAMPLE.with_name("matches.jsonl"))),
    ],
)
def test_a_cold_start_imports_nothing_heavy(args: tuple[str, ...]) -> None:
    """No numba, server or database library is loaded for help or ten players, and no solver but their own."""
    loaded = modules_after(*args)
    assert not [name for name in HEAVY if name in loaded]
    if "--help" in args or "elo" in args:
        assert "numpy" not in loaded
    solvers = {name for name in loaded if name.startswith("equipoise.teams.solvers.")}
    own = {f"equipoise.teams.solvers.{name}" for name in ("enumerate", "task")}
    assert solvers == (own if args == ("balance", str(EXAMPLE)) else set())


@pytest.mark.parametrize(
    ("entries", "package"),
    [
        (registry.OBJECTIVES, "equipoise.teams.objectives"),
        (registry.SOLVERS, "equipoise.teams.solvers"),
        (registry.MODELS, "equipoise.ratings.models"),
        (registry.LOBBY_SOLVERS, "equipoise.lobbies"),
    ],
)
def test_no_part_is_left_unregistered(entries: dict[str, str], package: str) -> None:
    """A module whose docstring describes a part has an entry, and every entry resolves."""
    path = import_module(package).__path__
    modules = [import_module(module.name) for module in pkgutil.walk_packages(path, f"{package}.")]
    parts = {module.__name__ for module in modules if re.search(r"(?m)^``[a-z0-9-]+``", module.__doc__ or "")}
    assert {entry.split(":")[0] for entry in entries.values()} == parts
    for name in entries:
        assert callable(registry.resolve("part", entries, name))


def test_every_game_is_registered() -> None:
    """Every module of the games with a game in it has an entry, and the game bears the entry's name."""
    path = import_module("equipoise.games").__path__
    modules = [module.name for module in pkgutil.walk_packages(path, "equipoise.games.")]
    games = {name for name in modules if hasattr(import_module(name), "GAME")}
    assert {entry.split(":")[0] for entry in registry.GAMES.values()} == games
    for name in registry.GAMES:
        assert registry.resolve("game", registry.GAMES, name).name == name


def test_errors_say_who_is_guilty() -> None:
    """They are caught together, or as the built-in kind of mistake they are."""
    assert issubclass(InputError, ValueError)
    assert issubclass(UnknownNameError, KeyError)
    assert issubclass(InputError, EquipoiseError)
    error = UnknownNameError("objective", "nosuch", ["difference", "win"])
    assert (
        str(error)
        == "objective: there is no 'nosuch'; allowed: difference, win, or your own part as 'module:attribute'"
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: equipoise.Rating(float("nan")), "mu must be from -1e15 to 1e15, got nan"),
        (lambda: equipoise.Rating(1.0, -1.0), "sigma must be from 0 to 1e15, got -1"),
        (lambda: equipoise.Rating(2e15), "mu must be from -1e15 to 1e15, got 2e+15"),
        (lambda: equipoise.Player(""), "id must be text"),
        (lambda: equipoise.Player("a", 1, side=1.5), "side of player 'a' must be from 0 to 1, got 1.5"),
        (lambda: equipoise.Player("a", 1, team=-1), "team of player 'a' must be at least 0, got -1"),
        (lambda: equipoise.Bots(minimum=5, maximum=4), "bots.minimum must"),
        (lambda: equipoise.Bots(target=-1), "bots.target must"),
        (lambda: equipoise.Bots(weight=float("inf")), "bots.weight must"),
    ],
)
def test_values_without_meaning_are_refused(make: object, message: str) -> None:
    """A noun is validated when it is made, and the message begins with the field."""
    assert callable(make)
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value).startswith(message)


@pytest.mark.slow
def test_the_core_opens_and_prints_nothing() -> None:
    """What the import contracts cannot see: built-in functions that touch the world."""
    core = Path(equipoise.__file__).parent
    parts = ("teams", "ratings", "lobbies", "lab", "pages")
    for path in [*core.glob("*.py"), *(path for part in parts for path in core.glob(f"{part}/**/*.py"))]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in {"open", "print", "input", "breakpoint"}, path


def test_the_core_names_nothing_of_the_world_that_made_it() -> None:
    """No source file names a package host or an absolute path of somebody's machine."""
    root = Path(__file__).parent.parent
    for path in [
        *root.glob("src/**/*.py"),
        *root.glob("docs/**/*.md"),
        *root.glob("scripts/*"),
        root / "README.md",
    ]:
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        assert not any(
            word in text for word in ("pypi" + ".org", "pythonhosted", "/ro" + "ot/", "/wo" + "rk/")
        ), path
