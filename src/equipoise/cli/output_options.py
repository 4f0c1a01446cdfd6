"""What commands print and write: JSON, tables, pictures, and the names of files that options take.

What options take: numbers and names from a list, with messages that say what is allowed.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from equipoise.errors import InputError, meant

if TYPE_CHECKING:
    from datetime import datetime

    OptionType = click.ParamType[Any]
    OptionChoice = click.Choice[str]
else:
    # Type checkers know the kinds of options as generics, which older versions of click do not have.
    OptionType, OptionChoice = click.ParamType, click.Choice


class _Ranged(OptionType):
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
        """Return the number; refuse what is none, and what is out of range as a value that is at fault."""
        try:
            number = self.kind(value)
        except (ValueError, OverflowError):
            refuse(f"must be {self.what}, got {str(value)!r}", param, ctx)
        least, most = self.least, self.most
        low, high = -math.inf if least is None else least, math.inf if most is None else most
        if (least is not None or most is not None) and not low <= number <= high:
            allowed = f"from {least:g} to {most:g}" if most is not None else f"at least {least:g}"
            msg = f"must be {allowed}, got {number:g}"
            raise InputError(msg, shown_as(param))
        return number


class Whole(_Ranged):
    """A whole number."""

    name, kind, what = "n", int, "a whole number"


class Number(_Ranged):
    """A number; the library judges those that are not finite where there is no range."""

    name, kind, what = "number", float, "a number such as 2 or 0.5"


class Date(OptionType):
    """A day, as 2026-01-31."""

    name = "date"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Return the moment it begins; refuse what is none."""
        from datetime import datetime  # a cold start does without

        try:
            return datetime.strptime(str(value), "%Y-%m-%d")  # noqa: DTZ007  # the caller says where
        except ValueError:
            refuse(f"must be a date such as 2026-01-31, got {str(value)!r}", param, ctx)


class OneOf(OptionChoice):
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
    msg = f"{shown_as(param)} {problem}"
    raise click.UsageError(msg, ctx)


def shown_as(param: click.Parameter | None) -> str:
    """Return what messages call a parameter: the option as it is typed."""
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return "the value" if param is None else str(param.name)


Command = TypeVar("Command", bound=Callable[..., Any])


#: What the context of a command calls the option that has chosen its form.
_CHOSEN = "equipoise.form"


class Form(OptionType):
    """A form of what is printed, which excludes the others: ``form``, or ``as_json``.

    Only an option that is typed is converted, so commands have ``form`` only then.
    """

    name = "form"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | bool:
        """Return the form, True for JSON; refuse a second one."""
        del param
        assert ctx is not None  # noqa: S101 -- options are typed within a command
        before = ctx.meta.setdefault(_CHOSEN, value)
        if before != value:
            msg = f"--{before} cannot be used with --{value}; choose one of them"
            raise click.UsageError(msg, ctx)
        if value == "json":
            return True
        ctx.params["form"] = value
        return str(value)


def _form_option(form: str, text: str) -> Callable[[Command], Command]:
    exposed = form == "json"
    return click.option(
        f"--{form}", f"as_{form}", flag_value=form, default=None, type=Form(), expose_value=exposed, help=text
    )


def json_option(text: str = "Print JSON.") -> Callable[[Command], Command]:
    """Return what adds ``--json`` to a command, as ``as_json``."""
    return _form_option("json", text)


def form_options(
    csv: str = "Print the table as CSV.", markdown: str = "Print the table as Markdown.", chat: str = ""
) -> Callable[[Command], Command]:
    """Return what adds the options that choose the form of a table; ``--json`` comes besides.

    Parameters
    ----------
    chat, csv, markdown : str
        What the help says of a form; without words for it there is none for a chat.
    """

    def add(command: Command) -> Command:
        command = _form_option("markdown", markdown)(command)
        command = _form_option("csv", csv)(command)
        return _form_option("chat", chat)(command) if chat else command

    return add


#: The options of commands that print a table.
with_json = json_option()
table_forms = form_options()

#: What the forms of a table with a line for each player are.
PLAYER_FORMS = ("Print CSV, one line per player.", "Print a Markdown table, one line per player.")


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], form: str | None = None) -> str:
    """Return a table as people read it, or in the form that an option has chosen."""
    from equipoise.pages.text.tables import FORMS, Grid

    return "\n".join(FORMS[form or "text"](Grid(columns, rows)))


def shown_weight(form: str | None) -> tuple[str, Callable[[float], str]]:
    """Return the title of a column of weights, and how one is written: points for people, weights as data."""
    from equipoise.ratings.point_changes import points

    if form == "csv":
        return "0-100", lambda weight: f"{weight:.1f}"
    return "points", lambda weight: str(points(weight))


def shown_ratings(
    form: str | None, ratings: Iterable[tuple[float, float, Callable[[float], float]]]
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the columns of ratings and their cells: points and a likely range for people, numbers as data.

    Parameters
    ----------
    form : str, optional
        ``"csv"`` for data.
    ratings : iterable of (float, float, callable)
        The mu and the sigma of each, and what makes a weight from 0 to 100 of a mu.  A model whose sigmas
        are all 0 has no likely range.
    """
    from equipoise.ratings.point_changes import BAND, points

    title, weight = shown_weight(form)
    ratings = list(ratings)
    if form != "csv" and not any(sigma for _, sigma, _ in ratings):
        return (title,), [(weight(shown(mu)),) for mu, _, shown in ratings]
    if form == "csv":
        return (title, "mu", "sigma"), [
            (weight(shown(mu)), f"{mu:.3f}", f"{sigma:.3f}") for mu, sigma, shown in ratings
        ]
    return (title, "most likely"), [
        (weight(shown(mu)), " to ".join(str(points(shown(mu + end * BAND * sigma))) for end in (-1, 1)))
        for mu, sigma, shown in ratings
    ]


class NewFile(OptionType):
    """The name of a file to be written, which says what is in it.

    Parameters
    ----------
    endings : str
        How it may end; any where there is none.
    """

    name = "file"

    def __init__(self, *endings: str) -> None:
        self.endings = endings

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name; raise an error where it promises another format."""
        del ctx
        option = "FILE" if param is None or not isinstance(param, click.Option) else param.opts[0]
        path = str(value)
        if path in ("", "-"):
            msg = f"{option} must be the name of a file, got {path!r}"
            raise InputError(msg)
        if self.endings and not path.lower().endswith(self.endings):
            msg = f"{option} must be a file that ends in {' or '.join(self.endings)}, got {path}"
            raise InputError(msg)
        return path


class Share(OptionType):
    """A part of 1, written as ``0.02`` or ``2%``."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number."""
        text = str(value).strip()
        try:
            share = float(text.removesuffix("%")) / (100.0 if text.endswith("%") else 1.0)
        except ValueError:
            refuse(f"must be a number such as 0.02 or 2%, got {text!r}", param, ctx)
        if math.isfinite(share) and share > 1.0:
            percent = (
                "" if text.endswith("%") or share > 100.0 else f"; for {text} of a hundred write {text}%"
            )
            msg = f"must be from 0 to 1, or 0% to 100%, got {text!r}{percent}"
            raise InputError(msg, shown_as(param))
        return share


class PriceOption(OptionType):
    """A price in win probability, written as ``0.02`` or ``2%``."""

    name = "price"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the price; refuse what is no number or out of range."""
        from equipoise.core.plain_data import price_of

        text = str(value).strip()
        try:
            float(text.removesuffix("%"))
        except ValueError:
            refuse(f"must be a win probability such as 2% or 0.02, got {text!r}", param, ctx)
        return price_of(text, "price", shown_as(param))


def print_json(plain: Mapping[str, Any]) -> None:
    """Print plain data as JSON, in the characters that the terminal has."""
    import json  # help does without

    in_unicode = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    click.echo(json.dumps(plain, ensure_ascii=not in_unicode, allow_nan=False, indent=2))


def write(option: str, path: str, text: str) -> None:
    """Write a file that an option names.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    from pathlib import Path

    try:
        Path(path).write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        msg = f"{option}: {path} cannot be written: {getattr(error, 'strerror', None) or error}"
        raise InputError(msg) from error
