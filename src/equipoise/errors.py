"""The errors equipoise raises: one class for each guilty party.

::

    EquipoiseError
    ├── InputError(ValueError)           the caller's mistake
    │   ├── UnsupportedError             asked of a part that cannot do it, where another can
    │   └── AmbiguousError               names that can be read in several ways
    └── UnknownNameError(KeyError)       a name that no registry holds

Not errors, and so not here: an infeasible or unfinished search (``Solution.status``).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence


def again(values: Sequence[Hashable]) -> int:
    """Return the place of the first value that is one before it, else -1, in time that grows with them.

    Examples
    --------
    >>> again(["Ann", "Bob", "Ann"]), again(["Ann", "Bob"])
    (2, -1)
    """
    seen: set[Hashable] = set()
    for place, value in enumerate(values):
        if value in seen:
            return place
        seen.add(value)
    return -1


#: From which likeness on the names of people count as one misspelt: Ambr and Amber, not Quince and Pine.
ALIKE = 0.7


def nearest(name: str, known: Iterable[str], least: float = 0.6) -> str | None:
    """Return the known name that a misspelt one is most like, None where none is.

    Parameters
    ----------
    least : float
        How much alike they must be, from 0 to 1.

    Examples
    --------
    >>> nearest("sperad", ["spread", "win"]), nearest("zed", ["spread", "win"])
    ('spread', None)
    """
    from difflib import get_close_matches  # only who misspells waits for it

    near = get_close_matches(name, known, n=1, cutoff=least)
    return near[0] if near else None


def meant(name: str, known: Iterable[str]) -> str:
    """Return what to add to a message about a name that is not known; nothing where none is like it.

    Examples
    --------
    >>> meant("sperad", ["spread", "win"]), meant("zed", ["spread", "win"])
    (" (did you mean 'spread'?)", '')
    """
    near = nearest(name, known)
    return "" if near is None else f" (did you mean {near!r}?)"


class EquipoiseError(Exception):
    """The root of every error equipoise raises on purpose."""


class InputError(EquipoiseError, ValueError):
    """The caller's mistake.

    The message begins with what the caller typed (an argument, a flag, a field, a line of a file), says what
    is wrong with it, and what is allowed.

    Parameters
    ----------
    problem : str
        What is wrong, and what is allowed; all of the message unless an argument is named.
    argument : str
        The argument that is at fault, as the library calls it.  A caller that took it under another name says
        so with :meth:`named`.
    player : str
        The id of the player whose own field the argument is; empty where it is none.

    Examples
    --------
    >>> error = InputError("must be at least 1, got 0", "keep")
    >>> str(error), str(error.named("--keep"))
    ('keep must be at least 1, got 0', '--keep must be at least 1, got 0')
    >>> str(InputError(": there is no player 'Zed'", "parties"))
    "parties: there is no player 'Zed'"
    """

    def __init__(self, problem: str, argument: str = "", player: str = "") -> None:
        self.problem = problem
        self.argument = argument
        self.player = player
        super().__init__(problem, argument, player)

    def __str__(self) -> str:
        if not self.argument:
            return self.problem
        return f"{self.argument}{'' if self.problem.startswith(':') else ' '}{self.problem}"

    def named(self, argument: str) -> InputError:
        """Return the error with another name for the argument: the flag or the field that was typed."""
        from copy import copy  # a cold start does without

        renamed = copy(self)
        renamed.argument = argument
        return renamed


class UnsupportedError(InputError):
    """What is asked is fine, but not for the part that is to do it: another can."""


#: The ways to read a line with numbers: the first one is the weight, the last one is, or none is.
READS = ("weight-first", "name-first", "names")


class AmbiguousError(InputError):
    """Names that can be read in several ways; nothing is guessed.

    Parameters
    ----------
    where : str
        The source and the line.
    text : str
        The line.
    readings : tuple of str
        What it can mean, in words.
    remedy : str
        How to write it so that it means one thing.
    ways : mapping of str to (str, float or None), optional
        Name and weight by each way in :data:`READS` that applies, where choosing one of them is enough.
    """

    def __init__(
        self,
        where: str,
        text: str,
        readings: tuple[str, ...],
        remedy: str,
        ways: Mapping[str, tuple[str, float | None]] | None = None,
    ) -> None:
        self.where = where
        self.text = text
        self.readings = readings
        self.remedy = remedy
        self.ways = dict(ways or {})
        choice = f"choose one with --read {'|'.join(self.ways)}" if self.ways else remedy
        super().__init__(f"{where}: {text!r} can be read in several ways ({'; '.join(readings)}); {choice}")
        self.args = (where, text, readings, remedy, self.ways)


class UnknownNameError(EquipoiseError, KeyError):
    """A name that is not registered; the message lists the names that are.

    Parameters
    ----------
    kind : str
        What was looked for, in the singular (``"objective"``).
    name : str
        The name that was asked for.
    known : iterable of str
        The names there are.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(sorted(known))
        super().__init__(kind, name, self.known)

    def __str__(self) -> str:
        return (
            f"{self.kind}: there is no {self.name!r}{meant(self.name, self.known)}; "
            f"allowed: {', '.join(self.known)}, or your own part as 'module:attribute'"
        )
