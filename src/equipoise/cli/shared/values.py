"""What options take: numbers and names from a list, with messages that say what is allowed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from equipoise.errors import nearest


class Whole(click.ParamType[int]):
    """A whole number.

    Parameters
    ----------
    least, most : int, optional
        The range, if the option has one that is known before anything else.
    """

    name = "n"

    def __init__(self, least: int | None = None, most: int | None = None) -> None:
        self.least, self.most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; refuse what is none."""
        try:
            number = int(value)
        except (ValueError, OverflowError):
            refuse(f"must be a whole number, got {str(value)!r}", param, ctx)
        _check_range(number, self.least, self.most, param, ctx)
        return number


class Number(click.ParamType[float]):
    """A number; the library judges those that are not finite where there is no range.

    Parameters
    ----------
    least, most : float, optional
        The range, if the option has one that is known before anything else.
    """

    name = "number"

    def __init__(self, least: float | None = None, most: float | None = None) -> None:
        self.least, self.most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number; refuse what is none."""
        try:
            number = float(value)
        except ValueError:
            refuse(f"must be a number such as 2 or 0.5, got {str(value)!r}", param, ctx)
        _check_range(number, self.least, self.most, param, ctx)
        return number


class OneOf(click.Choice[str]):
    """A word from a list; a misspelt one is answered with the nearest."""

    def __init__(self, choices: Sequence[str]) -> None:
        super().__init__(choices)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word; refuse what is not in the list."""
        if value not in self.choices:
            near = nearest(str(value), self.choices)
            hint = "" if near is None else f" (did you mean {near!r}?)"
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


def _check_range(
    number: float, least: float | None, most: float | None, param: click.Parameter | None,
    ctx: click.Context | None,
) -> None:  # fmt: skip
    low, high = -math.inf if least is None else least, math.inf if most is None else most
    if (least is None and most is None) or low <= number <= high:
        return
    allowed = f"at least {least:g}" if least is not None and most is None else f"from {least:g} to {most:g}"
    refuse(f"must be {allowed}, got {number:g}", param, ctx)
