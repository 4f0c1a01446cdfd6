"""How names are compared: what two spellings of one name share."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from equipoise.identity.clan_tags import without_tag


def folded(name: str) -> str:
    """Return a name as it is compared: without case, forms of letters, and spaces around and doubled.

    Examples
    --------
    >>> folded(" AMBER  Lee ") == folded("Amber Lee")
    True
    """
    plain = name.lower() if name.isascii() else unicodedata.normalize("NFKC", name).casefold()
    return " ".join(plain.split())


@lru_cache(maxsize=1 << 16)
def bare(name: str) -> str:
    """Return a name as people say it: folded, and without accents, colour codes and a clan tag.

    Examples
    --------
    >>> bare("^1[UT] José") == bare("jose"), bare("[UT]"), bare("^7")
    (True, '[ut]', '^7')
    """
    if name.isascii() and name.isalnum():
        return name.casefold()  # most names
    plain = without_tag(name)
    letters = unicodedata.normalize("NFKD", plain)
    return folded("".join(sign for sign in letters if not unicodedata.combining(sign))) or folded(name)


#: A number in brackets, which servers add to the name of one who comes while the name is taken.
_TAKEN = re.compile(r"^\((\d{1,2})\)\s*|\s*\((\d{1,2})\)$")

#: Signs that are no part of a name at its ends, and what people add who are away.
_TRIMMED = re.compile(r"^[\W_]+|[\W_]+$")
_AWAY = re.compile(r"(?<=\w)[\W_]+(?:afk|away|brb|lag|phone|mobile)[\W_]*$", re.IGNORECASE)

#: Figures that stand for letters, where they are not the number at the end of a name.
_FIGURES = str.maketrans("013457@$!", "oieastasi")

#: How much alike two names must be to be one that was varied, from 0 to 1, and from how many signs on.
VARIED, LONG = 0.8, 4


def stem_of(name: str) -> str:
    """Return what is left of a name when all that people vary is taken off it.

    Examples
    --------
    >>> stem_of("[UT] José"), stem_of("_-Jose-_ (1)"), stem_of("J0se|afk"), stem_of("Jose2")
    ('jose', 'jose', 'jose', 'jose2')
    """
    plain = bare(_AWAY.sub("", _TAKEN.sub("", name)) or name)
    plain = _TRIMMED.sub("", plain) or plain
    stem = plain.rstrip("0123456789")
    return stem.translate(_FIGURES) + plain[len(stem) :] if stem else plain


def likeness(one: str, other: str) -> float:
    """Return how much alike two names are, from 0 to 1; names that differ in their number alone are two.

    Examples
    --------
    >>> likeness("Ann", "[UT] ANN"), likeness("Player1", "Player2")
    (1.0, 0.0)
    """
    mine, theirs = stem_of(one), stem_of(other)
    if mine == theirs:
        return 1.0
    if re.sub(r"\d+", "", mine) == re.sub(r"\d+", "", theirs):
        return 0.0 if any(sign.isdigit() for sign in mine) and any(sign.isdigit() for sign in theirs) else 0.9
    from difflib import SequenceMatcher  # only where names differ

    return SequenceMatcher(None, min(mine, theirs), max(mine, theirs), autojunk=False).ratio()


def alike(one: str, other: str) -> bool:
    """Tell whether two names may be one that was varied.

    Examples
    --------
    >>> alike("Ann", "^1ann"), alike("Gordon", "Gordonn"), alike("Ann", "Bob")
    (True, True, False)
    """
    mine, theirs = stem_of(one), stem_of(other)
    return mine == theirs or (min(len(mine), len(theirs)) >= LONG and likeness(one, other) >= VARIED)
