"""The grammar of pastes as data, for the library and for the board: what a line is before names are sought.

The file ``paste_grammar.toml`` has the words, the patterns and the order of the rules; from it
``paste_grammar.json`` is made, which takes a tenth of the time to read.
Here its placeholders are filled in, so that both readers get plain patterns; no line is read here.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pkgutil import get_data
from typing import Any

#: Patterns that stand alone.
_SINGLE = (
    "attendance",
    "brings",
    "one_more",
    "bare_count",
    "bare_name",
    "ranked",
    "graded",
    "lead",
    "weight",
)


@cache
def grammar() -> dict[str, Any]:
    """Return the rules, contexts and questions, their patterns filled in.

    Examples
    --------
    >>> [choice["name"] for choice in grammar()["asks"]["maybe"]["choices"]]
    ['maybe-in', 'maybe-out']
    """
    short = short_grammar()

    def filled(pattern: str) -> str:
        return re.sub("%([a-zA-Z0-9_]+)%", lambda found: filled(short["parts"][found[1]]), pattern)

    patterns = {name: filled(pattern) for name, pattern in short["patterns"].items()}
    return {
        **{name: value for name, value in short.items() if name not in ("parts", "patterns")},
        **{name: patterns[name] for name in _SINGLE},
        "rules": [{key: filled(value) if key in ("find", "tally") else value for key, value in rule.items()}
                  for rule in short["rules"]],
        "contexts": {name: filled(pattern) for name, pattern in short["contexts"].items()},
        "titles": {name: filled(pattern) for name, pattern in short["titles"].items()},
        "replies": {name: filled(pattern) for name, pattern in short["replies"].items()},
    }  # fmt: skip


@cache
def short_grammar() -> dict[str, Any]:
    """Return the grammar as the board gets it: placeholders, and under ``parts`` what each stands for.

    Examples
    --------
    >>> short_grammar()["patterns"]["lead"]
    '^%lead%@?'
    """
    made: dict[str, Any] = json.loads(get_data(__package__, "paste_grammar.json") or b"")
    return made


@cache
def choices() -> tuple[str, ...]:
    """Return every choice that answers a question about a paste.

    Examples
    --------
    >>> choices()[:2]
    ('maybe-in', 'maybe-out')
    """
    return tuple(choice["name"] for ask in grammar()["asks"].values() for choice in ask["choices"])
