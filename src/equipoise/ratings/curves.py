"""Skill over time: what was known of each player just after each of their contests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from equipoise.errors import InputError
from equipoise.matches import Match, Ruleset
from equipoise.players import Rating
from equipoise.ratings.model import RatingModel, checked
from equipoise.ratings.replaying import in_order


@dataclass(frozen=True, slots=True)
class Curve:
    """A player's skill in one ruleset over time.

    Parameters
    ----------
    at : tuple of float
        When the player's contests ended, in order, seconds since 1970-01-01 UTC.
    mu, sigma : tuple of float
        Mean and standard deviation of the skill just after each.
    """

    at: tuple[float, ...]
    mu: tuple[float, ...]
    sigma: tuple[float, ...]


def curves(
    model: RatingModel, matches: Iterable[Match], players: Sequence[str] | None = None
) -> dict[tuple[str, Ruleset], Curve]:
    """Return curves of skill over time, for each player and each ruleset they have played by then.

    The general skill is under ``Ruleset()``.  A curve has a point for each contest of the player, in
    whichever ruleset, from the first one in its own ruleset on.

    Parameters
    ----------
    model : RatingModel
        Any.
    matches : iterable of Match
        The set of matches, as of :func:`equipoise.replay`.
    players : sequence of str, optional
        Whose curves are wanted; by default everyone's.

    Raises
    ------
    InputError
        If a player is in no match, or the model lacks a method.

    Examples
    --------
    >>> from equipoise.matches import Contest
    >>> from equipoise.ratings.models.elo import Elo
    >>> duels = [Contest(Ruleset(), (["ann"], ["bob"]), (2, 1), at=float(day)) for day in range(2)]
    >>> curve = curves(Elo(), [Match((duel,)) for duel in duels])["ann", Ruleset()]
    >>> [round(mu, 2) for mu in curve.mu]
    [1484.0, 1469.47]
    """
    checked(model)
    if isinstance(players, str):
        msg = f"players must be several ids, as a list of them, got {players!r:.80}"
        raise InputError(msg)
    wanted = None if players is None else set(players)
    points: dict[tuple[str, Ruleset], list[tuple[float, Rating]]] = {}
    played: dict[str, dict[Ruleset, None]] = {}
    state = model.initial()
    for contest in (contest for match in in_order(matches) for contest in match.contests):
        state = model.update(state, contest)
        for player in (player for team in contest.teams for player, _ in team):
            if wanted is not None and player not in wanted:
                continue
            rulesets = played.setdefault(player, {Ruleset(): None})
            rulesets[contest.ruleset] = None
            for ruleset in rulesets:
                rating = model.rating(state, player, ruleset)
                points.setdefault((player, ruleset), []).append((contest.at, rating))
    for player in players or ():
        if player not in played:
            msg = f"players: {player!r} is in no match"
            raise InputError(msg)
    return {
        key: Curve(
            tuple(at for at, _ in curve),
            tuple(rating.mu for _, rating in curve),
            tuple(rating.sigma for _, rating in curve),
        )
        for key, curve in points.items()
    }
