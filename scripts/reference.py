"""Makes docs/reference/, the schemas and the README's picture from the code, for ``generated.py``."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import click

import ours_alone  # noqa: F401  # before anything reads a registry

# isort: split
import equipoise
from equipoise import balance, pareto
from equipoise.cli import COMMANDS, HELP_ALL, group
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
from equipoise.service.http.openapi import document, schema_of
from equipoise.service.http.routes import OPERATIONS
from equipoise.teams.request_fields import FIELDS, RequestFields
from equipoise.teams.solvers.task import Solver

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "equipoise"
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
        sub.meta[HELP_ALL] = True
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


#: Where the types of keywords are.
HOMES = {
    "Bots": "equipoise.core.player",
    "Judge": "equipoise.teams.request_fields",
    "Preference": "equipoise.teams.problem.preferences",
    "Rule": "equipoise.teams.problem.linear_rules",
    "Stop": "equipoise.core.stopping",
    **dict.fromkeys(("Callable", "Iterable", "Mapping", "Sequence"), "collections.abc"),
    **dict.fromkeys(("Any", "TypedDict"), "typing"),
}


def keywords() -> str:
    """Return the module of the keywords' types: what each field's value may be frozen from."""
    types = dict(RequestFields.__annotations__)
    for name, info in FIELDS.items():
        given = getattr(info.kind.freeze, "__annotations__", {}).get("given", "Any")
        types[name] = types[name] if given.startswith("Any") else given
    types["further"] = "Mapping[str, Any]"
    del types["players"]
    lines = [f"    {name}: {kind}" for name, kind in types.items()]
    used = [name for name in HOMES if re.search(rf"\b{name}\b", "\n".join([*lines, "TypedDict"]))]
    places: dict[str, list[str]] = {}
    for name in used:
        places.setdefault(HOMES[name], []).append(name)
    imports = [f"from {place} import {', '.join(sorted(names))}" for place, names in sorted(places.items())]
    ours = [line for line in imports if " equipoise." in line]
    theirs = [line for line in imports if " equipoise." not in line]
    return "\n".join([
        '"""The keywords of ``balance`` with their types, for editors and type checkers.',
        "",
        "Made by scripts/generated.py from :class:`equipoise.teams.request_fields.RequestFields`.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        *theirs,
        "",
        *ours,
        "",
        "",
        "class Keywords(TypedDict, total=False):",
        '    """The keywords of ``balance``; the fields of a request say what they mean."""',
        "",
        *lines,
        "",
    ])  # fmt: skip


def schema_text(schema: dict[str, Any]) -> str:
    """Return a schema as text, with a line for each property and each part."""
    lines = []
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            rows = [f"    {json.dumps(name)}: {_one_line(each)}" for name, each in value.items()]
            lines.append(f"  {json.dumps(key)}: {{\n" + ",\n".join(rows) + "\n  }")
        else:
            lines.append(f"  {json.dumps(key)}: {_one_line(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _one_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def made() -> dict[str, str]:
    """Return every page, schema and picture by its path."""
    return {
        "docs/reference/command-line.md": command_line(),
        "docs/reference/library.md": library(),
        "docs/reference/parts.md": parts(),
        "docs/images/teams.svg": picture(),
        "docs/images/front.svg": front(),
        "docs/openapi.json": json.dumps(document(OPERATIONS), indent=1, ensure_ascii=False) + "\n",
        "docs/request.schema.json": schema_text(schema_of("request")),
        "docs/match.schema.json": (PACKAGE / "schemas" / "match.schema.json").read_text(encoding="utf-8"),
        "src/equipoise/teams/request_keywords.py": keywords(),
    }
