"""The errors equipoise raises: one class for each guilty party.

::

    EquipoiseError
    ├── InputError(ValueError)           the caller's mistake
    │   └── AmbiguousError               names that can be read in several ways
    └── UnknownNameError(KeyError)       a name that no registry holds

Not errors, and so not here: an infeasible or unfinished search (``Solution.status``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class EquipoiseError(Exception):
    """The root of every error equipoise raises on purpose."""


class InputError(EquipoiseError, ValueError):
    """The caller's mistake.

    The message begins with the argument, file line or field that is wrong, says what is wrong with it,
    and what is allowed.
    """


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
        super().__init__(where, text, readings, remedy)

    def __str__(self) -> str:
        choice = f"choose one with --read {'|'.join(self.ways)}"
        meanings = "; ".join(self.readings)
        remedy = choice if self.ways else self.remedy
        return f"{self.where}: {self.text!r} can be read in several ways ({meanings}); {remedy}"


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
            f"{self.kind}: there is no {self.name!r}; "
            f"allowed: {', '.join(self.known)}, or a part of your own as 'module:attribute'"
        )
