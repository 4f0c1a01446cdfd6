"""What the house says of itself: every reference resolves, and the glossary has each word once."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
REFERENCE = re.compile(r":(?:mod|class|func|meth|data|attr|exc):`[~]?(?:[^`<]*<)?([\w.]+)>?`")
SOURCES = sorted((ROOT / "src").glob("**/*.py"))


@cache
def resolves(name: str) -> bool:
    """Tell whether a dotted name is a module, or something in one."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            thing: object = import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:]:
            fields = getattr(thing, "__dataclass_fields__", {}) | getattr(thing, "__annotations__", {})
            if not hasattr(thing, part) and part not in fields:
                return False
            thing = getattr(thing, part, None)
        return True
    return False


@pytest.mark.slow
def test_every_reference_resolves() -> None:
    """A module, class or function that a docstring names is there, under that name."""
    named = {
        f"{path.relative_to(ROOT)}: {name}": name
        for path in SOURCES
        for name in REFERENCE.findall(path.read_text(encoding="utf-8"))
        if name.startswith("equipoise")
    }
    assert len(named) > 100
    assert [where for where, name in named.items() if not resolves(name)] == []


def glossary() -> list[str]:
    """Return the words that the glossary explains, in its order."""
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    return re.findall(r"^\*\*([^*]+)\*\*", text, re.MULTILINE)


def test_the_glossary_has_each_word_once_in_order() -> None:
    """Words are sorted, and none is explained twice."""
    words = glossary()
    assert words == sorted(set(words), key=str.lower)


def test_entries_of_the_glossary_stand_apart() -> None:
    """A blank line is before each entry: without it two entries run into one another."""
    lines = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    assert [line for before, line in pairwise(lines) if line.startswith("**") and before] == []
