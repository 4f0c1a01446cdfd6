"""The errors equipoise raises: one class for each guilty party.

::

    EquipoiseError
    ├── InputError(ValueError)           the caller's mistake
    │   └── UnsupportedError             asked of a part that cannot do it, where another can
    └── UnknownNameError(KeyError)       a name that no registry holds

Not errors, and so not here: an infeasible or unfinished search (``Solution.status``).
"""

from __future__ import annotations

from collections.abc import Iterable


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
        The argument that is at fault, as the library calls it.  Whoever took it under another name says so
        with :meth:`named`.

    Examples
    --------
    >>> error = InputError("must be at least 1, got 0", "keep")
    >>> str(error), str(error.named("--keep"))
    ('keep must be at least 1, got 0', '--keep must be at least 1, got 0')
    >>> str(InputError(": there is no player 'Zed'", "parties"))
    "parties: there is no player 'Zed'"
    """

    def __init__(self, problem: str, argument: str = "") -> None:
        self.problem = problem
        self.argument = argument
        super().__init__(problem, argument)

    def __str__(self) -> str:
        if not self.argument:
            return self.problem
        return f"{self.argument}{'' if self.problem.startswith(':') else ' '}{self.problem}"

    def named(self, argument: str) -> InputError:
        """Return the error with another name for the argument: the flag or the field that was typed."""
        return type(self)(self.problem, argument)


class UnsupportedError(InputError):
    """What is asked is fine, but not for the part that is to do it: another can."""


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
