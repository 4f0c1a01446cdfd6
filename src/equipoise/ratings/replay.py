"""Replay: ratings as a pure function of a set of matches."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

from equipoise.core.match import Contest, Match, Ruleset, Skipped, moved, replay_key
from equipoise.errors import InputError
from equipoise.ratings.model import Attention, Chances, RatingModel, State, checked

if TYPE_CHECKING:
    from equipoise.ratings.history_columns import Columns

#: How ids of rows of tables begin, what stands before the hash of a row, and the ids of such rows.
OF_TABLE, HASHED = "results-", "row-"
_HASHED = re.compile(rf"{OF_TABLE}\S+-{HASHED}[0-9a-f]{{16}}")

#: Seconds that the rows of one date may move a match at most that stands elsewhere in its table.
MOST_MOVED = 3600.0


def in_order(matches: Iterable[Match | Skipped]) -> list[Match]:
    """Return each match once, ordered by the time it ended and then by id, numbers in ids by their size.

    Raises
    ------
    InputError
        If two different matches have one id, a record could not be read, or one is no match.
    """
    by_id: dict[str, Match] = {}
    several: Any = matches
    if not isinstance(several, Iterable):
        msg = f"matches must be several, as a list of them, got {several!r:.80}"
        raise InputError(msg)
    for match in matches:
        if isinstance(match, Skipped):
            msg = f"matches: {match.where}: {match.reason}; leave out what is not a Match to go on without it"
            raise InputError(msg)
        _check_match(match)
        known = by_id.setdefault(match.id, match)
        if known is not match and not is_one_game(known, match):
            msg = f"matches: two different ones have the id {match.id!r}; ids must differ"
            raise InputError(msg)
    ordered = sorted(by_id.values(), key=lambda match: match.ended or 0.0)
    if all(one.ended != other.ended for one, other in pairwise(ordered)):
        return ordered
    return sorted(ordered, key=lambda match: (match.ended, replay_key(match.id)))


def is_one_game(known: Match, match: Match, *, whenever: bool = False) -> bool:
    """Tell whether two matches of one id are one game: equal, or one row of a table read twice.

    Parameters
    ----------
    known, match : Match
        With one id.
    whenever : bool
        Whether a row may have any other date, as where it was read in another zone.

    Examples
    --------
    >>> duel = Match((Contest(Ruleset(), (["ann"], ["bob"]), (1, 2)),), ended=60.0, id="results-1970-01-01-7")
    >>> is_one_game(duel, moved(duel, 61.0)), is_one_game(duel, moved(duel, 7000.0))
    (True, False)
    """
    if known == match or _HASHED.fullmatch(match.id):
        return True
    ended = known.ended or 0.0
    near = match.id.startswith(OF_TABLE) and (whenever or abs((match.ended or 0.0) - ended) <= MOST_MOVED)
    return near and replace(moved(match, ended), names=known.names) == known


def _check_match(match: object) -> None:
    """Raise where something else stands among matches."""
    if not isinstance(match, Match):
        msg = f"matches must be matches, such as Match((contest,)), got {match!r:.80}"
        raise InputError(msg)


#: How far something is, from 0 to 1.
Progress = Callable[[float], None]

#: Times this part of themselves apart are one: a filter keeps days, and the last digit of seconds is lost.
SAME_TIME = 1e-15

#: Contests from one word of progress to the next: fewer would not be worth compiling for.
STRIDE = 20_000


def replay(
    model: RatingModel,
    matches: Iterable[Match | Skipped] | Columns,
    start: State | None = None,
    window: int | None = None,
    progress: Progress | None = None,
) -> State:
    """Return what a model knows after a set of matches.

    It depends on the set alone: the order in which matches are given and how often changes nothing.

    Parameters
    ----------
    model : RatingModel
        Any.
    matches : iterable of Match, or Columns
        In any order, any of them repeated; or columns, which are in order, without a Match for each game.
    start : State, optional
        What is known before, by this very model; no match may have ended before the last contest it knows.
        Of the model only the kind and the number of its numbers are checked: those of ``Mixture()`` and of
        ``Mixture(settings={"sigma": 3.0})`` look alike.
    window : int, optional
        Only this many last contests of each player in each ruleset count, the older the less; see
        :func:`attention`.
    progress : callable, optional
        Called now and then with how far it is, from 0 to 1.

    Raises
    ------
    InputError
        If two different matches have one id, ``start`` has other numbers than a state of the model, a match
        is earlier than what it knows, or the window is at fault.

    Examples
    --------
    >>> from equipoise.ratings.models.elo import Elo
    >>> one = Match((Contest(Ruleset(), (["ann"], ["bob"]), (1, 2)),))
    >>> replay(Elo(), [one, one]) == replay(Elo(), [one])
    True
    """
    checked(model)
    if not isinstance(matches, Iterable) and hasattr(matches, "numbers"):
        from equipoise.ratings.history_columns import replay_columns  # NumPy

        if start is not None or window is not None:
            msg = f"{'window' if start is None else 'start'} cannot be used with columns"
            raise InputError(msg)
        return replay_columns(cast("Any", model), matches, progress)
    ordered = in_order(cast("Iterable[Match | Skipped]", matches))
    contests = [contest for match in ordered for contest in match.contests]
    state = model.initial() if start is None else start
    if start is not None:
        _check_start(model, start)
        if ordered:
            _check_later(ordered[0], latest(model, start))
    if window is None:
        return run(model, state, contests, None, progress)[0]
    if start is not None:
        msg = "window cannot be used with start: it needs the whole history"
        raise InputError(msg)
    return run(model, state, contests, attention(contests, window), progress)[0]


def latest(model: RatingModel, state: State) -> float:
    """Return when the last contest ended that a state knows; minus infinity where its model does not say."""
    ask = getattr(model, "latest", None)
    return -math.inf if ask is None else float(ask(state))


def _check_start(model: RatingModel, state: State) -> None:
    """Raise if a state is that of another model, whose numbers mean something else."""
    from equipoise.ratings.state_check import check_state  # knows every model, and NumPy with them

    try:
        check_state(model, state)
    except (ValueError, TypeError, AttributeError) as error:
        msg = f"start: it is no state of the model {type(model).__name__}: {error}"
        raise InputError(msg) from error


def _check_later(match: Match, known: float) -> None:
    """Raise where a match is earlier than what is known: its ratings would depend on the order of arrival."""
    ended = match.ended or 0.0
    if ended < known and not math.isclose(ended, known, rel_tol=SAME_TIME):
        msg = (
            f"start: the match {match.id!r} ended at {match.ended!r}, before the last contest it knows "
            f"({known!r}); replay all matches from the beginning"
        )
        raise InputError(msg)


def run(
    model: RatingModel,
    state: State,
    contests: Sequence[Contest],
    factors: Attention | None = None,
    progress: Progress | None = None,
) -> tuple[State, list[Chances]]:
    """Return what a model's own ``run`` returns, bit for bit, and report how far it is."""
    if progress is None:
        return model.run(state, contests, factors)
    chances: list[Chances] = []
    for first in range(0, len(contests), STRIDE):
        part = slice(first, first + STRIDE)
        state, predicted = model.run(state, contests[part], None if factors is None else factors[part])
        chances += predicted
        progress(min(first + STRIDE, len(contests)) / len(contests))
    return state, chances


def attention(contests: Sequence[Contest], window: int) -> Attention:
    """Return how much each player learns from each contest under a hard window.

    The last contest of a player in a ruleset counts 1, the one before ``(window - 1) / window``, and so on
    down to nothing.

    Parameters
    ----------
    contests : sequence of Contest
        In order.
    window : int
        How many contests of each player and ruleset count, 1 or more.

    Raises
    ------
    InputError
        If the window is no whole number of at least 1.

    Examples
    --------
    >>> duel = Contest(Ruleset(), (["ann"], ["bob"]), (1, 2))
    >>> [round(factors["ann"], 2) for factors in attention([duel] * 4, 3)]
    [0.0, 0.33, 0.67, 1.0]
    """
    if not isinstance(window, int) or isinstance(window, bool):
        msg = f"must be a whole number of contests, got {window!r}"
        raise InputError(msg, "window")
    if window < 1:
        msg = f"must be at least 1 contest, got {window}"
        raise InputError(msg, "window")
    later: dict[tuple[str, Ruleset], int] = {}
    factors: list[dict[str, float]] = []
    for contest in reversed(contests):
        now = {}
        for player in (player for team in contest.teams for player, _ in team):
            age = later.get((player, contest.ruleset), 0)
            later[player, contest.ruleset] = age + 1
            now[player] = max(0.0, (window - age) / window)
        factors.append(now)
    return factors[::-1]
