"""What learns, as it is asked for on the command line: a model by name, its settings, starting weights.

The file of ``--settings``: constants of one model, or of several by name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from typing import Any

import click

from equipoise.cli.output_options import OneOf
from equipoise.core.registry import MODELS, resolve
from equipoise.errors import AmbiguousError, InputError, UnknownNameError, again
from equipoise.ratings.profiles import PROFILES, SHIPPED, constants_in


class CustomSettings:
    """What a file of settings holds: read once, when somebody asks, as it may be a pipe.

    Parameters
    ----------
    path : str
        The file.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    @cached_property
    def content(self) -> Any:
        """What the file holds, not looked at yet."""
        import json
        from pathlib import Path

        try:
            return json.loads(Path(self.path).read_text(encoding="utf-8-sig"))
        except OSError as error:
            msg = f"--settings: {self.path} cannot be read: {error.strerror or error}"
            raise InputError(msg) from error
        except (ValueError, RecursionError) as error:
            msg = f"--settings: {self.path} is not JSON in UTF-8; give what 'equipoise tune --json' prints"
            raise InputError(msg) from error

    @property
    def models(self) -> Collection[str]:
        """The models it is for: by name, as ``{"elo": {"k": 32}}``, or else all of it for the default one."""
        return self.content.keys() if self._has_models() else {"default"}

    def of(self, name: str) -> Any:
        """Return what it has for a model."""
        if not self._has_models():
            return self.content
        if name not in self.content:
            msg = f"--settings: {self.path} has nothing for {name}, only for {', '.join(self.content)}"
            raise InputError(msg)
        return self.content[name]

    def _has_models(self) -> bool:
        content = self.content
        return isinstance(content, dict) and bool(content) and content.keys() <= MODELS.keys()


#: Names that are listed one by one.
MOST_LISTED = 10

#: Why a file of settings can make a single filter of the default model.
ALL_SET = "it sets every constant, which makes a single filter (gaussian-filter)"

#: What is given instead of a roster to have no starting weights.
NO_GUESSES = "none"

#: Options that say what the default model is like.
SETTINGS = (
    click.option("--profile", type=OneOf(list(PROFILES)), help="Settings of the default model."),
    click.option(
        "--settings",
        metavar="FILE.json",
        callback=lambda _, __, path: None if path is None else CustomSettings(path),
        help='Custom settings: what \'tune --json\' prints, or of any model, as {"elo": {"k": 32}}.',
    ),
)

starting = click.option(
    "--starting", metavar="ROSTER", help="Your guesses of the players' strength, in any unit, to start from."
)

#: The same where an archive keeps them.
kept_starting = click.option(
    "--starting", metavar="ROSTER",
    help=f"Your guesses of the players' strength, in any unit, to start from.  The archive keeps them; "
    f"{NO_GUESSES!r} drops those that it has.",
)  # fmt: skip


def with_settings_options(command: Any, guesses: Any = starting) -> Any:
    """Add the options that say what the default model is like."""
    for option in (guesses, *reversed(SETTINGS)):
        command = option(command)
    return command


def with_kept_settings(command: Any) -> Any:
    """Add the options that say what an archive learns with."""
    return with_settings_options(command, kept_starting)


def with_model_options(command: Any) -> Any:
    """Add the options that say what learns: a model, or settings of the default one."""
    names = f"Which model learns: {', '.join(MODELS)}."
    model = click.option("--model", default="default", show_default=True, metavar="NAME", help=names)
    return model(with_settings_options(command))


def model_named(
    name: str,
    profile: str | None = None,
    settings: CustomSettings | None = None,
    starting: str | None = None,
) -> Any:
    """Return a model by its name, made without arguments, or the default one with settings and guesses.

    Raises
    ------
    click.UsageError
        If there is no such model, or settings are given twice or for another model.
    InputError
        If the settings are wrong.
    """
    if profile and settings:
        msg = "--profile cannot be used with --settings"
        raise click.UsageError(msg)
    if name != "default":
        kind = _model_kind(name)
        for option, given in (("--profile", profile), ("--starting", starting)):
            if given is not None and given != NO_GUESSES:
                msg = f"{option} cannot be used with --model {name}: it is for the default model"
                raise click.UsageError(msg)
        return kind() if settings is None else _with_constants(name, kind, settings)
    model = _settled(profile, settings)
    if starting in (None, NO_GUESSES):
        return model
    if settings is not None and not takes_guesses(model):
        msg = (
            f"--starting cannot be used with --settings {settings.path}: {ALL_SET}, and only a mixture takes "
            "starting weights; leave out --starting, or the constants that may be as shipped"
        )
        raise click.UsageError(msg)
    return started(model, starting)


def changed_model(
    model: Any, name: str | None, profile: str | None, settings: CustomSettings | None, starting: str | None
) -> Any:
    """Return the model of an archive with what is named changed, and everything else as it is.

    Settings are those of a model: another one has its own.

    Raises
    ------
    click.UsageError
        If what is named does not go together, or not with what stays.
    InputError
        If the settings are wrong.
    """
    from dataclasses import replace

    from equipoise.archive.chosen_model import starting_of

    before = name_of(model)
    if profile and name is None and before != "default":
        msg = (
            f"--profile is for the default model, and this archive learns with {before}; add --model default"
        )
        raise click.UsageError(msg)
    if not (profile or settings or name not in (None, before)):
        return model if starting is None else started(model, starting)
    made = model_named(name or before, profile, settings, starting)
    guesses = () if starting is not None else starting_of(model)
    if guesses and not takes_guesses(made):
        why = f"--settings: {settings.path}: {ALL_SET}" if settings else f"--model: this is {name}"
        msg = (
            f"{why}, which takes no starting weights, and this archive keeps {len(guesses)} of them; "
            f"add --starting {NO_GUESSES} to drop them"
        )
        raise click.UsageError(msg)
    return replace(made, starting=guesses) if guesses else made


def name_of(model: Any, typed: str = "default") -> str:
    """Return the name of what learns: with all its constants set the default model is a single filter."""
    from equipoise.archive.chosen_model import chosen

    return chosen(model).name if typed == "default" else typed


def what_learns(model: Any) -> dict[str, Any]:
    """Return the name of what learns, its settings in a word, and how many starting weights it has."""
    from dataclasses import replace

    from equipoise.archive.chosen_model import starting_of

    bare = replace(model, starting=()) if takes_guesses(model) else model
    usual = "as shipped" if bare == type(model)() else "own"
    settings = next((name for name in PROFILES if _settled(name, None) == bare), usual)
    return {"model": name_of(model), "settings": settings, "starting": len(starting_of(model))}


def takes_guesses(model: Any) -> bool:
    """Tell whether a model has starting weights."""
    from equipoise.ratings.models.gaussian_filter.mixture import Mixture

    return isinstance(model, Mixture)


def _model_kind(name: str) -> Any:
    """Return the class of a model; one that there is not is named by the option that it was typed after."""
    several = "models" in click.get_current_context().params
    try:
        return resolve("--models" if several else "--model", MODELS, name)
    except UnknownNameError as error:
        raise click.UsageError(str(error)) from error


def _with_constants(name: str, kind: Any, custom: CustomSettings) -> Any:
    """Return a model other than the default one with the constants of a file."""
    from dataclasses import fields, is_dataclass

    settings = constants_in(custom.of(name))
    known = [each.name for each in fields(kind)] if is_dataclass(kind) else []
    if not known:
        msg = f"--settings: {name} has no constants that a file could set; it must be a dataclass"
        raise InputError(msg)
    if not isinstance(settings, dict) or not settings.keys() <= set(known):
        msg = f"--settings: {custom.path} must be an object with some of {', '.join(known)}"
        raise InputError(msg)
    try:
        return kind(**settings)
    except InputError as error:
        msg = f"--settings: {custom.path}: {error}"
        raise InputError(msg) from error


def started(model: Any, path: str) -> Any:
    """Return what an archive learns with, or the default model, with the guesses of a roster or none.

    Who is in the roster without one is named.
    """
    from dataclasses import replace

    from equipoise.cli.roster_options import read_players
    from equipoise.ratings.starting_weights import FEWEST, absurd, given_from

    if path == NO_GUESSES:
        return replace(model, starting=()) if takes_guesses(model) else model
    if not takes_guesses(model):
        msg = (
            f"--starting: this archive learns with {name_of(model)}, which takes no starting weights; "
            "'equipoise archive rebuild --model default' lets it learn with the default model, which does"
        )
        raise InputError(msg)
    try:
        players = read_players(path, None)
    except AmbiguousError as error:
        remedy = "write a table with the header name,weight, each name once" if error.ways else error.remedy
        raise AmbiguousError(error.where, error.text, error.readings, remedy) from None
    guesses = given_from([player for player in players if player.rating is not None])
    _say_names("no weight, so no guess", [player.label for player in players if player.rating is None])
    if len(guesses) < FEWEST:
        msg = f"--starting: {path}: at least {FEWEST} players must have a weight, bots not counted, "
        raise InputError(msg + f"got {len(guesses)}")
    _say_names("far from all other weights, so no guess", absurd(guesses))
    return replace(model, starting=guesses)


def with_known(model: Any, find: Callable[[str], str]) -> Any:
    """Return a model whose starting weights are those of known people.

    Raises
    ------
    InputError
        If a name is that of several, or two are one person.
    """
    from dataclasses import replace

    from equipoise.archive.chosen_model import starting_of

    guesses = starting_of(model)
    try:
        found = [find(player) for player, *_ in guesses]
    except InputError as error:
        flag = "--starting"
        raise error.named(flag) from None
    if (twice := again(found)) >= 0:
        one = guesses[found.index(found[twice])][0]
        msg = f"--starting: {one!r} and {guesses[twice][0]!r} are one player, {found[twice]!r}"
        raise InputError(msg)
    meant = tuple((player, *numbers) for player, (_, *numbers) in zip(found, guesses, strict=True))
    return model if meant == guesses else replace(model, starting=meant)


def say_unplayed(model: Any, players: Iterable[str]) -> None:
    """Say whose starting weights are of nobody in the matches: names are easily mistyped."""
    from equipoise.archive.chosen_model import starting_of
    from equipoise.ratings.models.gaussian_filter.mixture import NAMED

    guesses = [player for player, *_ in starting_of(model)]
    known = set(players) if guesses else set()
    unplayed = [player for player in guesses if known.isdisjoint((player, f"{NAMED}{player}"))]
    _say_names("no match so far has these ids", unplayed)


def _say_names(what: str, names: Sequence[str]) -> None:
    """Say what is the matter with starting weights of these names, if there are any."""
    from equipoise.core.plain_data import printable

    if names:
        listed = ", ".join(map(printable, names[:MOST_LISTED]))
        more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
        click.echo(f"note: --starting: {what}: {listed}{more}", err=True)


def _settled(profile: str | None, custom: CustomSettings | None) -> Any:
    from equipoise.ratings.profiles import with_settings

    if custom is None:
        return with_settings(PROFILES[profile or SHIPPED])
    settings = custom.of("default")
    try:
        return with_settings(settings)
    except InputError as error:
        msg = f"--settings: {custom.path}: {error}"
        raise InputError(msg) from error
