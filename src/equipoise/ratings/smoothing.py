"""Curves over time: what is known today of how strong everyone was then.  Not validated.

The filter knows, after each contest, what it had seen by then.  One sweep back over each player's own chain
lets the past know what came after.  See docs/algorithms/curves.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from equipoise.errors import InputError
from equipoise.matches import Contest, Match, Ruleset
from equipoise.ratings.models.gaussian_filter.layout import MEAN, STATISTIC, VARIANCE
from equipoise.ratings.models.gaussian_filter.model import FilterState, GaussianFilter
from equipoise.ratings.models.gaussian_filter.packing import GENERAL, Key, levels, most_teams, pack
from equipoise.ratings.replaying import in_order

_Row = tuple[float, ...]


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


@dataclass(frozen=True, slots=True)
class _Visit:
    """A contest in which a part of a skill was touched: which, and the row before and after learning."""

    contest: int
    before: _Row
    after: _Row


def curves(
    model: GaussianFilter, matches: Iterable[Match], players: Sequence[str] | None = None
) -> dict[tuple[str, Ruleset], Curve]:
    """Return curves of skill over time, for each player and each ruleset they played.

    The general skill is under ``Ruleset()``.  Every curve has a point for each contest of the player, in
    whichever ruleset, since each tells something; the last is the rating after a replay, bit for bit.

    Parameters
    ----------
    model : GaussianFilter
        The default model, not joint.
    matches : iterable of Match
        The set of matches, as of :func:`equipoise.replay`.
    players : sequence of str, optional
        Whose curves are wanted; by default everyone's.

    Raises
    ------
    InputError
        If the model has no curves or a player is in no match.

    References
    ----------
    H. Rauch, F. Tung, C. Striebel, AIAA J. 3 (1965) 1445, doi:10.2514/3.3166 (the sweep back);
    P. Dangauthier et al., NIPS 2007 (ratings that look back in time).

    Examples
    --------
    >>> ranks = {0.0: (2, 1), 1000.0: (1, 2), 1001.0: (1, 2)}
    >>> duels = [Contest(Ruleset(), (["ann"], ["bob"]), ranks[day], at=day * 86400.0) for day in ranks]
    >>> curve = curves(GaussianFilter(), [Match((duel,)) for duel in duels])["ann", Ruleset()]
    >>> [round(mu, 2) for mu in curve.mu]
    [1.46, 1.51, 1.51]
    """
    if not isinstance(model, GaussianFilter) or model.joint:
        msg = "model: it has no curves over time; the default one has, without joint"
        raise InputError(msg)
    contests = [contest for match in in_order(matches) for contest in match.contests]
    visits, state = _forward(model, contests)
    played: dict[str, list[int]] = {}
    for n, contest in enumerate(contests):
        for player in (player for team in contest.teams for player, _ in team):
            played.setdefault(player, []).append(n)
    found: dict[tuple[str, Ruleset], Curve] = {}
    for player in played if players is None else players:
        if player not in played:
            msg = f"players: {player!r} is in no match; ids of players who are, are allowed"
            raise InputError(msg)
        rulesets = dict.fromkeys((GENERAL, *(contests[n].ruleset for n in played[player])))
        smooth = {
            (player, part): _backward(visits[player, part])
            for ruleset in rulesets
            for part in levels(ruleset)
        }
        for ruleset in rulesets:
            found[player, ruleset] = _curve(model, state, player, ruleset, smooth, contests, played[player])
    return found


def _forward(
    model: GaussianFilter, contests: Sequence[Contest]
) -> tuple[dict[Key, list[_Visit]], FilterState]:
    """Filter contests in order; return every visit to every part of a skill, and the state after all."""
    table: dict[Key, _Row] = {}
    state = FilterState()
    visits: dict[Key, list[_Visit]] = {}
    for n, contest in enumerate(contests):
        packed, teams = pack([contest]), most_teams([contest])
        # Only the rows of those who play, so that a step does not cost as much as there are players.
        here = replace(state, table={key: table[key] for key in packed.keys if key in table})
        arrived, _ = model.play(here, packed, teams, fast=False, learning=False)
        state, _ = model.play(here, packed, teams, fast=False)
        for key in packed.keys:
            visits.setdefault(key, []).append(_Visit(n, arrived.table[key], state.table[key]))
            table[key] = state.table[key]
    return visits, replace(state, table=table)


def _backward(visits: Sequence[_Visit]) -> list[tuple[int, _Row]]:
    """Return the contest and the smoothed row of each visit of one part of a skill: a random walk."""
    smooth = [(visits[-1].contest, visits[-1].after)]
    for visit, later in zip(visits[-2::-1], visits[:0:-1], strict=True):
        known = smooth[-1][1]
        gain = visit.after[VARIANCE] / later.before[VARIANCE]
        row = list(visit.after)
        for mean in (MEAN, STATISTIC):
            row[mean] += gain * (known[mean] - later.before[mean])
        row[VARIANCE] += gain * gain * (known[VARIANCE] - later.before[VARIANCE])
        smooth.append((visit.contest, tuple(row)))
    return smooth[::-1]


def _curve(
    model: GaussianFilter,
    state: FilterState,
    player: str,
    ruleset: Ruleset,
    smooth: Mapping[Key, Sequence[tuple[int, _Row]]],
    contests: Sequence[Contest],
    played: Sequence[int],
) -> Curve:
    """Put the parts of a skill together after each contest; one not yet seen is as when first seen."""
    chains = {(player, part): list(smooth[player, part][::-1]) for part in levels(ruleset)}
    ratings = []
    for n in played:
        rows = {}
        for key, chain in chains.items():
            while len(chain) > 1 and chain[-2][0] <= n:
                chain.pop()
            rows[key] = chain[-1][1]
        ratings.append(model.rating(replace(state, table=rows), player, ruleset))
    return Curve(
        tuple(contests[n].at for n in played),
        tuple(rating.mu for rating in ratings),
        tuple(rating.sigma for rating in ratings),
    )
