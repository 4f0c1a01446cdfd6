"""Makes the grammar of pastes as it is read from its readable form, for ``generated.py``."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

FOLDER = Path("src/equipoise/core")
ROOT = Path(__file__).resolve().parent.parent

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
#: What is special in a pattern, in Python and in JavaScript.
_SPECIAL = re.compile(r"([\^$\\.*+?()\[\]{}|/])")


def made() -> dict[str, str]:
    """Return the grammar by its path, with placeholders, and under ``parts`` what each stands for."""
    plain = tomllib.loads((ROOT / FOLDER / "paste_grammar.toml").read_text(encoding="utf-8"))
    return {
        str(FOLDER / "paste_grammar.json"): json.dumps(_short(plain), ensure_ascii=False, indent=1) + "\n"
    }


def _short(plain: dict[str, Any]) -> dict[str, Any]:
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


def _any_of(languages: dict[str, list[str]]) -> str:
    """Return a pattern for any word, each before those it begins with; in this order they compress well."""
    words = {word for words in languages.values() for word in words}
    listed = sorted(words, key=lambda word: (word.casefold(), word), reverse=True)
    return "(?:" + "|".join(_SPECIAL.sub(r"\\\1", word).replace("'", "['\u2019]") for word in listed) + ")"
