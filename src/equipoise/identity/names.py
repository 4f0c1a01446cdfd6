"""How names are compared: what two spellings of one name share."""

from __future__ import annotations

import unicodedata

from equipoise.identity.clan_tags import without_tag


def folded(name: str) -> str:
    """Return a name as it is compared: without case, forms of letters, and spaces around and doubled.

    Examples
    --------
    >>> folded(" AMBER  Lee ") == folded("Amber Lee")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


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
