"""Help, messages, docstrings and documents are plain English: none has the old grammar."""

from __future__ import annotations

import re
from pathlib import Path

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
    r"\bdemands?\b": "rule",
    r"\bpersons\b": "people",
    r"\bspace of time\b|\bfor ever\b": "for good, permanently",
    r"\bit is missing\b": "... is missing",
    r"\btaken for\b": "treated as",
    r"\blets? (?:it|them|him|this) be\b": "leave alone",
}
PATTERN = re.compile("|".join(f"(?:{old})" for old in OLD), re.IGNORECASE)
