"""Histories however they come: matches, columns, the path of a file, a data frame, or rows of results.

The public :func:`evaluate`, :func:`replay`, :func:`curves` and :func:`tune` take any of them; what they do
is in :mod:`equipoise.ratings`, which reads no files.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from equipoise.core.data_frames import rows_of
from equipoise.core.match import Match, Ruleset, Skipped
from equipoise.core.registry import MODELS, resolve
from equipoise.files.read_matches import read_sparing, say_left_out
from equipoise.files.result_tables import read_results
from equipoise.games.plain.reader import Faults
from equipoise.ratings.model import RatingModel, State

if TYPE_CHECKING:
    from equipoise.ratings.lab.evaluation import Evaluation
    from equipoise.ratings.lab.tuning import Tuned
    from equipoise.ratings.models.gaussian_filter.mixture import Mixture
    from equipoise.ratings.models.gaussian_filter.model import GaussianFilter
    from equipoise.ratings.rating_history import Curve
    from equipoise.ratings.replay import Progress

#: Matches as they may be given: as they are, as columns, by the path of a file, as a frame, or as rows.
History = Any


def history_of(matches: History) -> Any:
    """Return matches, or columns, of whatever says what was played.

    Parameters
    ----------
    matches : iterable of Match, Columns, path, data frame, or iterable of mappings
        A path is read as by :func:`equipoise.read_matches`, and what that leaves out of matches is a warning;
        a frame of pandas or polars, and mappings, are a table of results, read as by
        :func:`equipoise.read_results`.

    Returns
    -------
    Columns, or iterable of Match and Skipped
        A record that is wrong is a Skipped, which replays refuse with its place.

    Examples
    --------
    >>> [match] = history_of([{"winner": "Ann", "loser": "Bob"}])
    >>> match.contests[0].ranks
    (1.0, 2.0)
    """
    if isinstance(matches, str | PathLike):
        faults: Faults = {}
        read = list(read_sparing(fspath(matches), faults))
        if faults:
            warnings.warn(say_left_out(faults), stacklevel=3)
        return read
    if hasattr(matches, "numbers") or isinstance(matches, Mapping):
        return matches
    if rows_of(matches, "matches") is not None:
        return list(read_results(matches))
    if isinstance(matches, Iterable):
        listed = list(matches)
        rows = bool(listed) and all(isinstance(each, Mapping) for each in listed)
        return list(read_results(listed)) if rows else listed
    return matches


def _model(model: RatingModel | str) -> Any:
    return resolve("model", MODELS, model)() if isinstance(model, str) else model


def evaluate(
    model: RatingModel | str, matches: History, skip: float | None = None, progress: Progress | None = None
) -> Evaluation:
    """Predict a history in its order, and measure the predictions after the first part.

    Parameters
    ----------
    model : RatingModel or str
        Any, or the name of one, such as ``"elo"``.
    matches : iterable of Match, Columns, path, data frame, or iterable of mappings
        What was played, see :func:`history_of`.
    skip : float, optional
        Part of the contests, from 0 to below 1, that are learnt from but not scored; by default 0.4.
    progress : callable, optional
        Called now and then with how far it is, from 0 to 1.

    Raises
    ------
    InputError
        If the part is out of range, or what was played cannot be read.
    UnknownNameError
        If there is no such model.

    Examples
    --------
    >>> evaluate("elo", [{"winner": "Ann", "loser": "Bob"}] * 3, skip=0.0).metrics.n
    3
    """
    from equipoise.ratings.lab.evaluation import SKIP, evaluate

    return evaluate(model, history_of(matches), SKIP if skip is None else skip, progress)


def replay(
    model: RatingModel | str,
    matches: History,
    start: State | None = None,
    window: int | None = None,
    progress: Progress | None = None,
) -> State:
    """Return what a model knows after a set of matches.

    It depends on the set alone: the order in which matches are given and how often changes nothing.

    Parameters
    ----------
    model : RatingModel or str
        Any, or the name of one.
    matches : iterable of Match, Columns, path, data frame, or iterable of mappings
        In any order, any of them repeated; columns are in order.  See :func:`history_of`.
    start : State, optional
        What is known before, by this very model; no match may have ended before the last contest it knows.
        Of the model only the kind and the number of its numbers are checked: those of ``Mixture()`` and of
        ``Mixture(settings={"sigma": 3.0})`` look alike.
    window : int, optional
        Only this many last contests of each player in each ruleset count, the older the less; see
        :func:`equipoise.ratings.replay.attention`.
    progress : callable, optional
        Called now and then with how far it is, from 0 to 1.

    Raises
    ------
    InputError
        If two different matches have one id, a record cannot be read, ``start`` has other numbers than a
        state of the model, a match is earlier than what it knows, or the window is at fault.

    Examples
    --------
    >>> from equipoise.ratings.models.elo import Elo
    >>> one = {"winner": "Ann", "loser": "Bob", "date": "2026-01-31", "id": "7"}
    >>> replay(Elo(), [one, one]) == replay("elo", [one])
    True
    """
    from equipoise.ratings.replay import replay

    return replay(_model(model), history_of(matches), start, window, progress)


def curves(
    model: RatingModel | str, matches: History, players: Sequence[str] | None = None
) -> dict[tuple[str, Ruleset], Curve]:
    """Return curves of skill over time, for each player and each ruleset they have played by then.

    The general skill is under ``Ruleset()``.  A curve has a point for each contest of the player, in
    whichever ruleset, from the first one in its own ruleset on.

    Parameters
    ----------
    model : RatingModel or str
        Any, or the name of one.
    matches : iterable of Match, path, data frame, or iterable of mappings
        What was played, see :func:`history_of`.
    players : sequence of str, optional
        Whose; by default everyone's.

    Examples
    --------
    >>> curve = curves("elo", [{"winner": "Ann", "loser": "Bob"}])["Ann", Ruleset()]
    >>> curve.mu
    (1516.0,)
    """
    from equipoise.ratings.rating_history import curves

    return curves(_model(model), history_of(matches), players)


def tune(
    matches: History,
    *,
    model: GaussianFilter | Mixture | None = None,
    part: float = 0.4,
    steps: int = 300,
    seed: int = 0,
    only: Sequence[str] | None = None,
) -> Tuned:
    """Search the settings of the default model for a history, on its first part alone.

    Parameters
    ----------
    matches : iterable of Match, path, data frame, or iterable of mappings
        What was played, see :func:`history_of`.
    model : Mixture or GaussianFilter, optional
        Where the search starts; by default ``Mixture()``.  Starting weights stay as they are.
    part : float
        Part of the history that is looked at, above 0 and at most 1.
    steps : int
        How many settings to try.
    seed : int
        Of the search.
    only : sequence of str, optional
        The hyperparameters that may change; by default all that are searched.

    Raises
    ------
    InputError
        If there is nothing to score, or an argument is at fault.

    Examples
    --------
    >>> games = [{"winner": "Ann", "loser": "Bob"}] * 20
    >>> tuned = tune(games, part=1.0, steps=2)
    >>> tuned.after <= tuned.before, type(tuned.model).__name__
    (True, 'Mixture')
    """
    from equipoise.ratings.lab.tuning import BOUNDS, tune
    from equipoise.ratings.models.gaussian_filter.mixture import Mixture
    from equipoise.ratings.replay import in_order

    played: Iterable[Match | Skipped] = history_of(matches)
    contests = [contest for match in in_order(played) for contest in match.contests]
    searched = tuple(BOUNDS) if only is None else tuple(only)
    return tune(contests, model=model or Mixture(), part=part, steps=steps, seed=seed, only=searched)
