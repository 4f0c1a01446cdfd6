"""The errors equipoise raises: one class for each guilty party.

::

    EquipoiseError
    ├── InputError(ValueError)           the caller's mistake
    └── UnknownNameError(KeyError)       a name that no registry holds

Not errors, and so not here: an infeasible or unfinished search (``Solution.status``).
"""

from __future__ import annotations

from collections.abc import Iterable


class EquipoiseError(Exception):
    """The root of every error equipoise raises on purpose."""


class InputError(EquipoiseError, ValueError):
    """The caller's mistake.

    The message begins with the argument, file line or field that is wrong, says what is wrong with it,
    and what is allowed.
    """


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
