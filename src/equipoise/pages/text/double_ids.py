"""Two ids that may be one person's, in words: what speaks for it, and how to say that they are."""

from __future__ import annotations

import shlex

from equipoise.core.plain_data import printable
from equipoise.identity.double_ids import DoubleId
from equipoise.identity.names import likeness, stem_of

#: Least likeness of hours and company, and least matches that both might have been in, that are named.
ALIKE, MANY = 0.3, 2.0

#: Standard deviations within which two skills are called alike, and beyond which different.
NEAR, FAR = 1.0, 2.0


def evidence(pair: DoubleId) -> list[str]:
    """Return what speaks for two ids being one person, and what against it.

    Examples
    --------
    >>> pair = DoubleId("a1", "b2", ("Ann", "[x]ann"), 0.9, (12, 9), 4.2, False, 0.1, 0.6, 0.2)
    >>> evidence(pair)
    ['same name', 'never in one match, 4.2 expected', 'same company', 'skill alike']
    """
    mine, theirs = pair.names
    evidence = []
    if stem_of(mine) == stem_of(theirs):
        evidence.append("same name")
    elif likeness(mine, theirs) >= 0.6:
        evidence.append("names alike")
    else:
        evidence.append("other name")
    if pair.relay:
        evidence.append("one was not seen before the other was last seen")
    elif pair.expected >= MANY:
        evidence.append(f"never in one match, {pair.expected:.1f} expected")
    else:
        evidence.append("never in one match")
    if pair.hours >= ALIKE:
        evidence.append("same hours")
    if pair.company >= ALIKE:
        evidence.append("same company")
    if pair.skill <= NEAR:
        evidence.append("skill alike")
    elif pair.skill >= FAR:
        evidence.append("skill different")
    return evidence


def merge_command(pair: DoubleId) -> str:
    """Return the command that lets two ids be one person: the one with more matches stays.

    Examples
    --------
    >>> merge_command(DoubleId("a1", "b 2", ("Ann", "Ann"), 0.9, (12, 9), 4.2, False, 0.1, 0.6, 0.2))
    "equipoise merge a1 'b 2'"
    """
    return printable(shlex.join(["equipoise", "merge", *_ids(pair)]))


def _ids(pair: DoubleId) -> list[str]:
    ids = [pair.first, pair.second]
    return ["--", *ids] if any(each.startswith("-") for each in ids) else ids
