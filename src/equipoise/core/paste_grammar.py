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

#: The words by which titles and cells of tables are known.
_TITLES = ("name_title", "weight_title", "first_title", "last_title", "rank_title", "partner_title", "aside",
           "out_heading", "blank", "sum")  # fmt: skip

_AS_THEY_ARE = (
    "asks",
    "most_lines",
    "most_signs",
    "far_times",
    "far_among",
    "grades",
    "rules",
    "contexts",
    "rank_aliases",
    "counts",
)
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
    plain = tomllib.loads(files(__package__).joinpath("paste_grammar.toml").read_text(encoding="utf-8"))
    words = plain["words"] | {"counted": {"any": list(plain["counts"])}}
    parts = {name: _any_of(languages) for name, languages in words.items()} | plain["signs"]
    edge = r"(?:[\s,.!\ufe0f]*%around%)*[\s,.!\ufe0f]*"
    return {
        **{name: plain[name] for name in _AS_THEY_ARE},
        "parts": parts,
        "replies": {name: f"^{edge}(?:%{name}%{'|%no%' if name == 'out' else ''})"
                    f"(?:[\\s,.!]+(?!\\+)%{name}%)?{edge}$"
                    for name in ("out", "maybe", "late", "in")},
        "titles": {name: f"^%{name}%$" for name in _TITLES} | {"date": "%day_title%"},
        "guest": ' + "Guest $2of $1"',
        "ranks": plain["words"]["rank"]["any"],
        "divisions": plain["words"]["division"]["any"],
        "patterns": {
            "attendance": "^%attendance%$",
            # the reply, what makes it doubtful, how many, somebody, a name, what makes it doubtful behind it
            "brings": r"^(|.*?[\s,;.!]|.*?(?=[(+]))\(?(?:(%maybe%)[\s,]+)?"
            r"(?:\+\s*|plus\s?(?=[0-9])|w/\s*|(?:%and%|%with%|plus|%bring%)\s+)+"
            r"(?:([1-9]|%counted%)(?:\s*(?:%guests%|%guest%))?|(%guest%)|(?:1\s*[:(\u2013-]?\s*)?(%one_name%))\)?"
            r"(?:\s%along%)?(?:\s*\(?(%maybe%)\)?)?[\s.!)]*$",
            "one_more": r"^()()()(\+\s?1)()()[\s.!]*$",
            "bare_count": r"^(?:\+|plus)\s*[0-9]+[\s.!]*$",
            "bare_name": r"^\(?(?:\+\s*|plus\s|w/\s*|(?:%and%|%with%)\s)%one_name%[\s.!)]*$",
            "ranked": r"^(?:%rank%|%rank_short%)(?:\s*%division%)?$",
            "graded": "^%grade%$",
            "lead": "^%lead%@?",
            "weight": r"[\s:(\[]+%number%[)\]]?$",
        },
    }  # fmt: skip


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
    """Return a pattern for any word, each before those it begins with; in this order they compress well."""
    words = {word for words in languages.values() for word in words}
    listed = sorted(words, key=lambda word: (word.casefold(), word), reverse=True)
    return "(?:" + "|".join(_SPECIAL.sub(r"\\\1", word).replace("'", "['\u2019]") for word in listed) + ")"
