"""Help, messages, docstrings and documents are plain English: none has the old grammar."""

from __future__ import annotations

import ast
import re
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from io import StringIO
from pathlib import Path

import pytest
from tests.cli.running import runner

from equipoise.cli import group

ROOT = Path(__file__).parent.parent

#: What is not written, and what is written in its place.
OLD = {
    r"\bis not allowed\b|\bare not allowed\b": "must be ..., got ...",
    r"; [^;.]{1,80} (?:is|are) allowed\b": "must be ..., got ...",
    r"\bheed": "support, follow, use",
    r"\bone's own\b|\bof one's\b": "custom, your own",
    r"\bnot any ?more\b|\bany more\b(?! than)": "no longer",
    r"\bwould rather\b": "prefer",
    r"\bif (?:it is )?wanted\b|\bwhere (?:it is )?wanted\b": "optionally",
    r"\bwherever it is not\b|\bwhere it is not\b": "otherwise, unless",
    r"\btold(?! apart| from)\b|\buntold\b": "reported, given, raw",
    r"\bunsaid\b|\b(?:was|is|are|were|what is|as) said\b": "stated, as above",
    r"\bwish(?:es|ed)?\b": "preference or rule",
    r"\bpersons\b": "people",
    r"\bspace of time\b|\bfor ever\b": "for good, permanently",
    r"\bit is missing\b": "... is missing",
    r"\btaken for\b": "treated as",
    r"\banew\b": "again, re-..., rebuild, restart",
    r"\bby and by\b": "over time",
    r"\bin the midst\b": "in the middle",
    r"\bof late\b": "recently",
    r"\bhanded in\b": "is an argument",
    r"\b(?:as|if that) can be\b(?! \w)": "as ... as possible, if possible",
    r"\bNone of (?:a |an )?(?:others|stranger|somebody|nobody|wrong)\b": "None for ...",
    r"\bstands? in :mod": "is in",
    r"\bnever else\b": "at no other time",
    r"\b(?:whoever|everyone|somebody|those) who ever\b|\bwho ever came\b": "who has come",
    r"\blets? (?:it|them|him|this) be\b": "leave alone",
    r"\bin case of doubt\b": "if ambiguous",
    r"\b(?:team|teams) of now\b": "current team",
    r"\band tell (?:how|that)\b": "and report",
}
PATTERN = re.compile("|".join(f"(?:{old})" for old in OLD), re.IGNORECASE)

#: Generated from docstrings, help and benchmarks, which are looked at where they are written.
GENERATED = ("docs/reference/", "docs/proof.md")
PAGES = sorted(
    page
    for page in (
        path.relative_to(ROOT).as_posix()
        for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")]
    )
    if not page.startswith(GENERATED)
)


#: Words that no name in the code has as a part, and what it has instead.
OLD_NAMES = {"told": "report, reported, answer", "untold": "unknown", "said": "stated, typed, claim"}

#: A name in which such a part means something else.
NAMES = {"told_apart", "told_from"}


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Return line and content of every comment in a module, and of every text that has a blank.

    A text without a blank is a name or a key.
    """
    source = path.read_text(encoding="utf-8")
    for token in tokenize.generate_tokens(StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
            # A parameter of a docstring bears the name it has in the code.
            content = re.sub(r"^ *\w+(?:, \w+)* : .*$", "", node.value, flags=re.MULTILINE)
            yield node.lineno, " ".join(content.split())


@pytest.mark.slow
@pytest.mark.parametrize(
    "folder",
    sorted(path.name for path in (ROOT / "src" / "equipoise").iterdir() if path.name != "__pycache__"),
)
def test_messages_help_and_docstrings_are_plain_english(folder: str) -> None:
    """Read aloud once, and kept so."""
    where = ROOT / "src" / "equipoise" / folder
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text[max(0, match.start() - 40) : match.end() + 20]}"
        for path in ([where] if where.suffix == ".py" else sorted(where.rglob("*.py")))
        if path.suffix == ".py"
        for line, text in texts(path)
        for match in PATTERN.finditer(text)
    ]
    assert not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "old"), [("src", OLD_NAMES), ("tests", ["told"]), ("benchmarks", ["told"])]
)
def test_no_name_in_the_code_has_the_old_words(folder: str, old: Iterable[str]) -> None:
    """A function, a parameter or a variable is named in the same words as the documents."""
    found = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        for token in tokenize.generate_tokens(StringIO(path.read_text(encoding="utf-8")).readline):
            if token.type == tokenize.NAME and not any(name in token.string for name in NAMES):
                parts = token.string.lower().split("_")
                found += [f"{path.name}:{token.start[0]}: {token.string}" for word in old if word in parts]
    assert not found, "\n".join(found)


@pytest.mark.slow
def test_a_class_name_stands_for_one_thing() -> None:
    """In the whole package."""
    seen = Counter(
        node.name
        for path in (ROOT / "src").rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, count in seen.items() if count > 1} == set()


@pytest.mark.parametrize("page", PAGES)
def test_documents_are_plain_english(page: str) -> None:
    """Prose and the output of commands."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = [text[max(0, match.start() - 40) : match.end() + 20] for match in PATTERN.finditer(text)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text", ["0 is not allowed; 1 is", "a rule of one's own", "as was told", "if wanted"]
)
def test_the_old_grammar_is_found(text: str) -> None:
    """The patterns match what they are for."""
    assert PATTERN.search(text)


def test_the_list_of_commands_fits_one_screen() -> None:
    """``equipoise --help`` on 80 by 50."""
    shown = runner().invoke(group, ["--help"], terminal_width=80).output.splitlines()
    assert len(shown) <= 50
    assert max(map(len, shown)) <= 80
