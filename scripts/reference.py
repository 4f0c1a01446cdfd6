"""Makes docs/reference/, the schemas and the README's picture from the code, for ``generated.py``."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import click

import equipoise
from equipoise import balance, pareto
from equipoise.cli import COMMANDS, group
from equipoise.core.registry import (
    GAMES,
    LOBBY_SOLVERS,
    MODELS,
    OBJECTIVES,
    RERANKERS,
    SOLVERS,
    TERMS,
    resolve,
)  # fmt: skip
from equipoise.files.read_roster import read_roster
from equipoise.pages.pictures.pareto_front import front_svg
from equipoise.pages.pictures.team_bars import teams_svg
from equipoise.service.http.openapi import SCHEMAS, document, schema_text
from equipoise.service.http.routes import OPERATIONS
from equipoise.teams.solvers.task import Solver

ROOT = Path(__file__).resolve().parent.parent
EXIT_CODES = (
    "Exit codes: 0 done, 1 the input is at fault, 2 usage or text that can be read in several ways, "
    "130 interrupted.\n"
)
NOTICE = "<!-- Made by scripts/generated.py; do not edit. -->\n"


def command_line() -> str:
    """Return the help of every command as a page."""
    context = click.Context(group, info_name="equipoise", max_content_width=100, terminal_width=100)
    parts = [
        NOTICE,
        "# Command line\n",
        EXIT_CODES,
    ]
    parts.append(f"## equipoise\n\n```text\n{group.get_help(context)}\n```\n")
    for name in COMMANDS:
        command = group.get_command(context, name)
        assert command is not None  # noqa: S101  # it is in the table
        sub = click.Context(
            command, info_name=name, parent=context, max_content_width=100, terminal_width=100
        )
        parts.append(f"## equipoise {name}\n\n```text\n{command.get_help(sub)}\n```\n")
    return "\n".join(parts)


def library() -> str:
    """Return the public names with signatures and docstrings as a page."""
    parts = [NOTICE, "# Library\n", "The public names of `equipoise`.\n"]
    for name in equipoise.__all__:
        thing = getattr(equipoise, name)
        try:
            signature = str(inspect.signature(thing)) if inspect.isfunction(thing) else ""
            signature = re.sub(r"<function (\w+) at 0x\w+>", r"\1", signature)
        except ValueError:
            signature = ""
        parts.append(f"## {name}\n\n```text\n{name}{signature}\n\n{inspect.getdoc(thing)}\n```\n")
    return "\n".join(parts)


def parts() -> str:
    """Return the registered parts with the first line of their docstrings as a page."""
    pages = [NOTICE, "# Parts by name\n"]
    kinds = {
        "Objectives": OBJECTIVES,
        "Terms of orders and sums": TERMS,
        "Solvers": SOLVERS,
        "Criteria": RERANKERS,
        "Lobby solvers": LOBBY_SOLVERS,
        "Models": MODELS,
        "Games": GAMES,
    }
    for kind, registry in kinds.items():
        pages.append(f"## {kind}\n\n| name | what it is | where |\n|---|---|---|")
        for name, where in registry.items():
            pages.append(f"| `{name}` | {_summary(resolve(kind, registry, name), name)} | `{where}` |")
        pages.append("")
    return "\n".join(pages)


def _summary(part: object, name: str) -> str:
    """Return the first sentence of a module made for one part, or else of the part itself."""
    part = part.solve if isinstance(part, Solver) else part
    module = inspect.getdoc(inspect.getmodule(part)) or ""
    text = module if module.startswith(f"``{name}``: ") else inspect.getdoc(part) or ""
    first = text.split("\n\n")[0].replace("\n", " ").removeprefix(f"``{name}``: ")
    return re.sub(r":\w+:`([^`]*)`", r"`\1`", first).replace("``", "`")


def picture() -> str:
    """Return the picture of the README: what the command beside it draws."""
    solution = balance(read_roster(str(ROOT / "examples" / "roster.txt")), parties=[("Amber", "Birch")])
    return teams_svg(solution, names=("Red", "Blue"))


def front() -> str:
    """Return the picture of the page on preferences: what the command beside it draws."""
    return front_svg(pareto(read_roster(str(ROOT / "examples" / "roster.txt")), "win", "spread"))


def made() -> dict[str, str]:
    """Return every page, schema and picture by its path."""
    return {
        "docs/reference/command-line.md": command_line(),
        "docs/reference/library.md": library(),
        "docs/reference/parts.md": parts(),
        "docs/images/teams.svg": picture(),
        "docs/images/front.svg": front(),
        "docs/openapi.json": json.dumps(document(OPERATIONS), indent=1, ensure_ascii=False) + "\n",
        **{f"docs/{name}.schema.json": schema_text(name) for name in SCHEMAS},
    }
