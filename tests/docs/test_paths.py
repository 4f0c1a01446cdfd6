"""What documents name is there: every path of the tree, and every dotted name of the package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import equipoise

ROOT = Path(__file__).parents[2]

#: The decisions and the changelog tell of what was.
PAGES = [
    path
    for path in sorted(
        [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "integrations").rglob("*.md")]
    )
    if path.name != "CHANGELOG.md" and path.parent.name != "decisions"
]
FOLDERS = ("src", "tests", "docs", "benchmarks", "examples", "integrations", "scripts", ".ci")
TREE = {
    f"/{path.relative_to(ROOT).as_posix()}{'/' if path.is_dir() else ''}"
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*")
    if "__pycache__" not in path.parts
} | {f"/{folder}/" for folder in FOLDERS}

#: What a page may write in place of a name, and what names things outside of the tree.
PLACEHOLDER, OUTSIDE = re.compile(r"NAME"), (".venv/", "equipoise/night.db")

#: Entry points are named like modules and are none.
ENTRY_POINTS = set(
    re.findall(r"``(equipoise\.\w+)``", (ROOT / "src/equipoise/extending.py").read_text(encoding="utf-8"))
)


def named(page: Path, pattern: str) -> list[str]:
    """Return what a page has in backquotes, outside of its blocks, that looks like this."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [each for each in re.findall(r"`([^`\n]+)`", text) if re.fullmatch(pattern, each)]


def exists(path: str) -> bool:
    """Tell whether a path is one of the tree, from its root or from one of its folders."""
    pattern = re.compile(
        "/" + PLACEHOLDER.sub(r"[\\w.-]+", re.escape(path)) + ("" if path.endswith("/") else "/?") + "$"
    )
    return any(pattern.search(each) for each in TREE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_path_that_a_page_names_is_there(page: Path) -> None:
    """Files and folders move; pages that name them follow."""
    paths = [each for each in named(page, r"[\w.-]+(/[\w.-]+)*(/|\.\w+)") if not each.startswith(OUTSIDE)]
    paths = [
        each
        for each in paths
        if each.endswith(("/", ".py")) or ("/" in each and each.endswith((".md", ".toml", ".json", ".svg")))
    ]
    assert [each for each in paths if not exists(each)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_dotted_name_that_a_page_names_is_there(page: Path) -> None:
    """A module, or what a module or the package itself gives."""
    missing = []
    for each in named(page, r"equipoise(\.\w+)+(:\w+)?"):
        parts = each.replace(":", ".").split(".")
        if each in ENTRY_POINTS or hasattr(equipoise, parts[1]):
            continue
        module, name = "/".join(parts), "/".join(parts[:-1])
        whole = any(f"/src/{module}{ending}" in TREE for ending in (".py", "/"))
        file = next(
            (
                ROOT / f"src/{name}{ending}"
                for ending in (".py", "/__init__.py")
                if f"/src/{name}{ending}" in TREE
            ),
            None,
        )
        if not whole and (
            file is None or not re.search(rf"\b{parts[-1]}\b", file.read_text(encoding="utf-8"))
        ):
            missing.append(each)
    assert missing == []
