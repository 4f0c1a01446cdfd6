"""The grammar of pastes as data, for the library and for the board: what a line is before names are sought.

The file ``paste_grammar.toml`` has the words, the patterns and the order of the rules.
Here its placeholders are filled in, so that both readers get plain patterns; no line is read here.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

#: What is special in a pattern, in Python and in JavaScript.
_SPECIAL = re.compile(r"([\^$\\.*+?()\[\]{}|/])")


@cache
def grammar() -> dict[str, Any]:
    """Return the rules, contexts and questions, their patterns filled in.

    Examples
    --------
    >>> [choice["name"] for choice in grammar()["asks"]["maybe"]["choices"]]
    ['maybe-in', 'maybe-out']
    """
    plain = tomllib.loads(files(__package__).joinpath("paste_grammar.toml").read_text(encoding="utf-8"))
    parts = {name: _any_of(languages) for name, languages in plain["words"].items()} | plain["signs"]

    def filled(pattern: str) -> str:
        return re.sub("%([a-zA-Z_]+)%", lambda found: filled(parts[found[1]]), pattern)

    rules = [
        {key: filled(value) if key in ("find", "tally") else value for key, value in rule.items()}
        for rule in plain["rules"]
    ]
    contexts = {name: filled(pattern) for name, pattern in plain["contexts"].items()}
    edge = rf"(?:[\s,.!\ufe0f]*{parts['around']})*[\s,.!\ufe0f]*"
    replies = {name: f"^{edge}(?:{parts[name]}{'|' + parts['no'] if name == 'out' else ''}){edge}$"
            for name in ("out", "maybe", "late", "in")}  # fmt: skip
    return {
        **{name: plain[name] for name in ("asks", "most_lines", "most_signs")},
        "rules": rules,
        "contexts": contexts,
        "replies": replies,
        "ranks": plain["words"]["rank"]["any"],
        "divisions": plain["words"]["division"]["any"],
        "attendance": f"^{parts['attendance']}$",
        "lead": filled("^%lead%@?"),
        "weight": filled(r"[\s:(]+%number%\)?$"),
    }


@cache
def choices() -> tuple[str, ...]:
    """Return every choice that answers a question about a paste.

    Examples
    --------
    >>> choices()[:2]
    ('maybe-in', 'maybe-out')
    """
    return tuple(choice["name"] for ask in grammar()["asks"].values() for choice in ask["choices"])


def _any_of(languages: dict[str, list[str]]) -> str:
    """Return a pattern for any word, the longest first."""
    words = {word for words in languages.values() for word in words}
    listed = sorted(words, key=lambda word: (-len(word), word))
    return "(?:" + "|".join(_SPECIAL.sub(r"\\\1", word).replace("'", "['\u2019]") for word in listed) + ")"
