"""Short forms of ids: what is typed in their place."""

from __future__ import annotations

from collections.abc import Iterable

from equipoise.errors import InputError


def meant_by(typed: str, ids: Iterable[str]) -> str:
    """Return the one id that is meant by the whole, the beginning or another part of it, else what is typed.

    Parameters
    ----------
    typed : str
        What somebody typed.
    ids : iterable of str
        All there are.

    Raises
    ------
    InputError
        If several are meant.

    Examples
    --------
    >>> meant_by("7f", ["night-2026-01-31-7f03", "night-2026-01-31-11aa"]), meant_by("x", ["night"])
    ('night-2026-01-31-7f03', 'x')
    """
    known = list(dict.fromkeys(ids))
    if typed in known or not typed:
        return typed
    found = [each for each in known if each.startswith(typed)] or [each for each in known if typed in each]
    if len(found) > 1:
        msg = f"{typed!r:.60} is part of several ids: {', '.join(found[:3])}; give more of it"
        raise InputError(msg)
    return found[0] if found else typed
