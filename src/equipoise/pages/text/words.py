"""Numbers and names as people read them."""

from __future__ import annotations

import unicodedata

#: What must not reach a screen: control, surrogate and invisible formatting characters (bidirectional
#: overrides among them); the joiners that scripts and emoji need are spared.
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
_JOINERS = "\u200c\u200d"


def number(value: float) -> str:
    """Return a number with as many digits as help: whole where it is, else four that count.

    Examples
    --------
    >>> number(374.0), number(0.99733), number(26.500001), number(1500.25)
    ('374', '0.9973', '26.5', '1500.2')
    """
    if value == round(value) and abs(value) < 1e15:
        return str(round(value))
    return f"{value:.1f}" if 1000 <= abs(value) < 1e15 else f"{value:.4g}"


def convention(
    beta: float, beta_source: str, zero: float, zero_source: str, *, uneven: bool = False
) -> list[str]:
    """Return what win chances rest on where weights are all that is known, a sentence each.

    Parameters
    ----------
    beta, zero : float
        The performance noise of a player, and the weight that adds nothing to a team.
    beta_source, zero_source : str
        Where they come from.
    uneven : bool
        Whether the teams are of different sizes, so that the zero matters.

    Examples
    --------
    >>> for line in convention(8.0, "as given", 0.0, "as given", uneven=True):
    ...     print(line)
    Win chances assume a performance noise of 8 (as given).
    A player of 0 adds nothing to a team (as given).
    """
    begin = "assume" if beta_source == "as given" else "are a convention: they assume"
    lines = [f"Win chances {begin} a performance noise of {number(beta)} ({beta_source})."]
    if uneven:
        lines.append(f"A player of {number(zero)} adds nothing to a team ({zero_source}).")
    return lines


def printable(name: str) -> str:
    r"""Return a name with everything escaped that would change the screen around it.

    Examples
    --------
    >>> printable("Ann\x1b[31m")
    'Ann\\x1b[31m'
    """
    if name.isprintable():
        return name
    return "".join(
        sign.encode("unicode_escape").decode("ascii")
        if unicodedata.category(sign) in _HIDDEN and sign not in _JOINERS
        else sign
        for sign in name
    )
