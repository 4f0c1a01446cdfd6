"""What options take: numbers and names from a list, with messages that say what is allowed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import click

from equipoise.errors import meant

if TYPE_CHECKING:
    from datetime import datetime


class _Ranged(click.ParamType[Any]):
    """A number in a range.

    Parameters
    ----------
    least, most : float, optional
        The range, if the option has one that is known before anything else.
    """

    kind: type[int] | type[float]
    what: str

    def __init__(self, least: float | None = None, most: float | None = None) -> None:
        self.least, self.most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number; refuse what is none."""
        try:
            number = self.kind(value)
        except (ValueError, OverflowError):
            refuse(f"must be {self.what}, got {str(value)!r}", param, ctx)
        least, most = self.least, self.most
        low, high = -math.inf if least is None else least, math.inf if most is None else most
        if (least is not None or most is not None) and not low <= number <= high:
            allowed = f"from {least:g} to {most:g}" if most is not None else f"at least {least:g}"
            refuse(f"must be {allowed}, got {number:g}", param, ctx)
        return number


class Whole(_Ranged):
    """A whole number."""

    name, kind, what = "n", int, "a whole number"


class Number(_Ranged):
    """A number; the library judges those that are not finite where there is no range."""

    name, kind, what = "number", float, "a number such as 2 or 0.5"


class Date(click.ParamType[Any]):
    """A day, as 2026-01-31."""

    name = "date"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Return the moment it begins; refuse what is none."""
        from datetime import datetime  # a cold start does without

        try:
            return datetime.strptime(str(value), "%Y-%m-%d")  # noqa: DTZ007  # the caller says where
        except ValueError:
            refuse(f"must be a date such as 2026-01-31, got {str(value)!r}", param, ctx)


class OneOf(click.Choice[str]):
    """A word from a list; a misspelt one is answered with the nearest."""

    def __init__(self, choices: Sequence[str]) -> None:
        super().__init__(choices)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word; refuse what is not in the list."""
        if value not in self.choices:
            hint = meant(str(value), self.choices)
            refuse(f"must be one of {', '.join(self.choices)}, got {str(value)!r}{hint}", param, ctx)
        return str(value)


def refuse(problem: str, param: click.Parameter | None, ctx: click.Context | None) -> NoReturn:
    """Say what is wrong with a value, beginning with the option as it is typed."""
    if isinstance(param, click.Option):
        shown = max(param.opts, key=len)
    else:
        shown = "the value" if param is None else str(param.name)
    msg = f"{shown} {problem}"
    raise click.UsageError(msg, ctx)
