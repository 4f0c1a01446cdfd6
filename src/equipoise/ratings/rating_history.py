"""Skill over time: what was known of each player just after each of their contests, and why it moved.

Why is by channel: what was expected of a contest, what happened, and what each channel moved the rating by.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.player import Rating
from equipoise.errors import InputError
from equipoise.ratings.model import RatingModel, State, chances_of, checked
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.ratings.models.gaussian_filter.model import Filters, GaussianFilter
from equipoise.ratings.models.gaussian_filter.state_columns import FilterState
from equipoise.ratings.replay import in_order


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
    >>> from equipoise.core.match import Contest
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


#: What moves a rating, in the order in which it is switched on; all others have the result alone.
CHANNELS = ("experience", "statistics", "score", "result", "mixture")


@dataclass(frozen=True, slots=True)
class Moved:
    """What one contest did to a player's rating in its ruleset.

    Parameters
    ----------
    expected : float
        The chance that the player's team had, of winning if somebody won.
    happened : float
        1 where it came first alone, a part of it where it shared the first place, else 0.
    before, after : float
        The rating's mu.
    parts : mapping from str to float
        By how much each channel moved it, which add up to the change: ``experience`` (having played once
        more), ``statistics``, ``score``, ``result``, and ``mixture`` (the members' weights); for models
        other than the default one all of it is ``result``.
    """

    expected: float
    happened: float
    before: float
    after: float
    parts: Mapping[str, float]


def moved(model: RatingModel, state: State, contest: Contest, player: str) -> tuple[State, Moved]:
    """Return the state after a contest, and why a player's rating moved.

    Each channel is switched on in turn, and what the rating moves by then is its part.

    Raises
    ------
    InputError
        If the player was not in the contest, or the model lacks a method.

    Examples
    --------
    >>> from equipoise.core.match import Ruleset
    >>> model = Mixture()
    >>> won = Contest(Ruleset(), (["ann"], ["bob"]), (1, 2), scores=(6, 1))
    >>> _, why = moved(model, model.initial(), won, "ann")
    >>> why.expected, why.happened, why.parts["score"] > 0.0, why.parts["statistics"]
    (0.5, 1.0, True, 0.0)
    >>> abs(sum(why.parts.values()) - (why.after - why.before)) < 1e-12
    True
    """
    checked(model)
    team = next((n for n, each in enumerate(contest.teams) if player in {who for who, _ in each}), None)
    if team is None:
        msg = f"player: {player!r} was not in the contest"
        raise InputError(msg)
    ruleset, best = contest.ruleset, min(contest.ranks)
    after = model.update(state, contest)
    chances = model.win_probability(state, contest.teams, ruleset, contest.at)
    chances = chances_of(model, chances, len(contest.teams))
    happened = (contest.ranks[team] == best) / contest.ranks.count(best)
    ends = [model.rating(each, player, ruleset).mu for each in (state, after)]
    steps = [model.rating(each, player, ruleset).mu for each in staged(model, state, after, [contest])]
    return after, Moved(chances[team], happened, ends[0], ends[1], parts_of(steps))


def parts_of(steps: Sequence[float]) -> dict[str, float]:
    """Return what each channel does, from what is known before all, after each, and after all of them."""
    names = CHANNELS if len(steps) > len(CHANNELS) else ("result",)
    return {name: steps[n + 1] - steps[n] for n, name in enumerate(names)}


def staged(model: RatingModel, state: State, after: State, contests: Sequence[Contest]) -> list[State]:
    """Return states with one channel more each time, from the one before some contests to the one after.

    Parameters
    ----------
    model : RatingModel
        What learns.
    state, after : State
        What is known before the contests, and after them.
    contests : sequence of Contest
        What happened.

    Returns
    -------
    list of State
        One more than there are channels; of a model that has only results the two ends.
    """
    if not (isinstance(model, Filters) and isinstance(state, FilterState) and isinstance(after, FilterState)):
        return [state, after]
    deaf = _deaf(model)
    stages = [
        deaf.run(state, [replace(contest, scores=(), statistics=()) for contest in contests])[0],
        deaf.run(state, [replace(contest, scores=()) for contest in contests])[0],
        deaf.run(state, contests)[0],
        after,
    ]
    # The members' weights as before: what they change is a channel of its own.
    unmixed = [replace(each, evidence=state.evidence, pooled=state.pooled) for each in stages]
    return [state, *unmixed, after]


def _deaf(model: Filters) -> Filters:
    """Return a model that does not listen to results."""
    if isinstance(model, Mixture):
        return replace(
            model, settings=(*(each for each in model.settings if each[0] != "outcome"), ("outcome", 0.0))
        )
    return replace(model, outcome=0.0) if isinstance(model, GaussianFilter) else model
