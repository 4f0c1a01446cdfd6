"""Rating models by name and settings: how an archive remembers by what its ratings were made."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, cast

from equipoise.core.registry import MODELS, resolve
from equipoise.errors import InputError
from equipoise.games.match_in_progress import NAME
from equipoise.ratings.model import RatingModel
from equipoise.ratings.starting_weights import Given


@dataclass(frozen=True, slots=True)
class Chosen:
    """A model as it was chosen: its name or ``"module:class"``; as JSON what is not its default."""

    name: str
    settings: str = "{}"

    def made(self) -> RatingModel:
        """Return the model.

        Raises
        ------
        InputError
            If it no longer has such settings.
        """
        try:
            model: RatingModel = resolve("model", MODELS, self.name)(**json.loads(self.settings))
        except TypeError as error:
            msg = f"model: {self.name!r} cannot be made: {error}; rebuild with another one"
            raise InputError(msg) from error
        return model


def chosen(model: RatingModel | str) -> Chosen:
    """Return how a model is remembered.

    Examples
    --------
    >>> from equipoise.ratings.models.elo import Elo
    >>> chosen(Elo(k=16.0)), chosen("elo").made()
    (Chosen(name='elo', settings='{"k": 16.0}'), Elo(k=32.0, scale=400.0, start=1500.0))
    """
    if isinstance(model, str):
        resolve("model", MODELS, model)
        return Chosen(model)
    path = f"{type(model).__module__}:{type(model).__qualname__}"
    name = next((name for name, where in MODELS.items() if where == path), path)
    usual = _settings(type(model)())
    differing = {key: value for key, value in _settings(model).items() if value != usual[key]}
    return Chosen(name, json.dumps(differing, sort_keys=True))


def starting_of(model: object) -> tuple[Given, ...]:
    """Return the guesses that a model starts from; none where it takes none."""
    given: tuple[Given, ...] = getattr(model, "starting", ())
    return given


def renamed(model: RatingModel, names: Mapping[str, str]) -> RatingModel:
    """Return a model whose guesses are under other ids; so are those known by name alone."""
    guessed = starting_of(model)
    if not guessed:
        return model
    guesses = {names.get(who, names.get(f"{NAME}{who}", who)): numbers for who, *numbers in reversed(guessed)}
    return _starting_from(model, guesses)


def with_merged(model: RatingModel, roots: Mapping[str, str]) -> RatingModel:
    """Return a model whose guesses are of people: a merged id's is that of the id it counts as.

    Where both have one, that of the id that is kept holds.

    Examples
    --------
    >>> from equipoise.ratings.models.gaussian_filter.mixture import Mixture
    >>> model = Mixture(starting={"ann2": 3.0, "bob": 2.0, "bob2": 1.0})
    >>> [(who, mu) for who, mu, _ in with_merged(model, {"ann2": "ann", "bob2": "bob"}).starting]
    [('ann', 3.0), ('bob', 2.0)]
    """
    guesses = {who: numbers for who, *numbers in starting_of(model)}

    def key_of(player: str) -> str | None:
        return next((each for each in (player, player.removeprefix(NAME)) if each in guesses), None)

    moved = False
    for leaf, root in sorted(roots.items()):
        old, new = key_of(leaf), key_of(root)
        if old is not None and old != new:
            guesses.setdefault(new or root, guesses.pop(old))
            moved = True
    return _starting_from(model, guesses) if moved else model


def guessed(model: RatingModel) -> list[str]:
    """Return the ids of those whose strength was guessed, each also as that of a name in a log."""
    return [each for who, *_ in starting_of(model) for each in (who, f"{NAME}{who}")]


def _starting_from(model: RatingModel, guesses: Mapping[str, Sequence[float]]) -> RatingModel:
    starting = [(who, *numbers) for who, numbers in guesses.items()]
    return cast("RatingModel", replace(cast("Any", model), starting=starting))


def rated_by(model: RatingModel) -> str:
    """Return a model with all its parameters as a text: other ratings have another one.

    It is known by its registered name, so that its module may move; a custom one by its module.
    """
    return _rated_by(model, _registered_name(type(model)))


def is_rated_by(text: str, model: RatingModel) -> bool:
    """Tell whether ratings that bear a text are those of a model; earlier versions wrote its module."""
    return text in (rated_by(model), _rated_by(model, type(model).__module__))


def _rated_by(model: RatingModel, name: str) -> str:
    settings = _settings(model)
    if "members" in settings and hasattr(model, "filters"):
        # The members of the default model are names, whose constants may be others in another version.
        settings["constants"] = [one.as_settings() for one in model.filters()]
    return json.dumps([name, type(model).__qualname__, settings], sort_keys=True)


def _registered_name(kind: type) -> str:
    """Return the name of a model, its module where it has none."""
    path = f"{kind.__module__}:{kind.__qualname__}"
    return next((name for name, where in MODELS.items() if where == path), kind.__module__)


def _settings(model: Any) -> dict[str, Any]:
    return {each.name: getattr(model, each.name) for each in fields(model)}
