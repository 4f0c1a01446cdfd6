"""The one-match convenience: ratings in, ratings out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from numbers import Real

from equipoise.core.match import LEAST_SHARE, Contest, Ruleset, ranks_of
from equipoise.core.player import LARGEST_WEIGHT, Rating
from equipoise.errors import InputError
from equipoise.ratings.models.trueskill import TrueSkill
from equipoise.ratings.models.weng_lin import PlackettLuce, WengLin

#: Teams of a contest at least, and the model where none is named.
FEWEST_TEAMS, DEFAULT = 2, PlackettLuce()


def rate(
    teams: Sequence[Sequence[Rating]],
    ranks: Sequence[float] | None = None,
    *,
    scores: Sequence[float] | None = None,
    weights: Sequence[Sequence[float]] | None = None,
    model: WengLin | TrueSkill | None = None,
) -> list[list[Rating]]:
    """Return new ratings after one match, for those who keep ratings themselves.

    The numbers are those of Weng and Lin's Plackett-Luce model, as in the package openskill.
    A history of matches is better served by :func:`equipoise.replay`.

    Parameters
    ----------
    teams : sequence of sequences of Rating
        Two teams or more.
    ranks : sequence of float, optional
        One for each team: lower is better, equal is a tie; by default the order of the teams.
    scores : sequence of float, optional
        One for each team, more is better, in the place of ranks: only their order counts.
    weights : sequence of sequences of float, optional
        The share of the match that each player was present for, from a millionth to 1.
    model : PlackettLuce, BradleyTerry or TrueSkill, optional
        With constants of your own.

    Raises
    ------
    InputError
        If teams, ranks, scores or weights are at fault.

    Examples
    --------
    >>> won, lost = rate([[Rating(25, 25 / 3)], [Rating(25, 25 / 3)]])
    >>> round(won[0].mu, 2), round(lost[0].mu, 2)
    (27.64, 22.36)
    """
    model = model or DEFAULT
    if isinstance(model, WengLin) and scores is None and weights is None:
        quick = _at_once(model, teams, ranks)
        if quick is not None:
            return quick
    _check_kinds(model, teams)
    for team in teams:
        for rating in team:
            if not rating.sigma > 0.0:
                msg = f"teams: sigma must be above 0, got {rating.sigma!r}"
                raise InputError(msg)
    ids = [[f"{t}.{n}" for n in range(len(team))] for t, team in enumerate(teams)]
    if ranks is not None and scores is not None:
        msg = "scores: ranks are given too; one of them says who won"
        raise InputError(msg)
    members = ids if weights is None else _shared(ids, weights)
    contest = Contest(Ruleset(), members, (0.0,) * len(ids), scores=() if scores is None else scores)
    if ranks is None:
        ranks = ranks_of(contest.scores) if contest.scores else range(len(ids))
    contest = Contest(Ruleset(), members, ranks)
    before = {
        name: (rating.mu, rating.sigma)
        for names, team in zip(ids, teams, strict=True)
        for name, rating in zip(names, team, strict=True)
    }
    after = model.update(before, contest)
    return [[Rating(*after[name]) for name in names] for names in ids]


def _at_once(
    model: WengLin, teams: Sequence[Sequence[Rating]], ranks: Sequence[float] | None
) -> list[list[Rating]] | None:
    """Return new ratings without a contest; None where something is at fault, for a contest to say what."""
    if type(teams) not in (list, tuple) or len(teams) < FEWEST_TEAMS:
        return None
    if ranks is None:
        ranks = list(map(float, range(len(teams))))
    elif (
        type(ranks) not in (list, tuple)
        or len(ranks) != len(teams)
        or not all(type(rank) in (int, float) and -LARGEST_WEIGHT <= rank <= LARGEST_WEIGHT for rank in ranks)
    ):
        return None
    mu, sigma, sizes = list[float](), list[float](), []
    for team in teams:
        if type(team) not in (list, tuple) or not team:
            return None
        sizes.append(len(team))
        for rating in team:
            if type(rating) is not Rating or not rating.sigma > 0.0:
                return None
            mu.append(rating.mu)
            sigma.append(rating.sigma)
    model.once(mu, sigma, sizes, ranks, [1.0] * len(mu))
    rated = map(Rating, mu, sigma)
    return [list(islice(rated, size)) for size in sizes]


def _shared(ids: list[list[str]], weights: object) -> list[list[tuple[str, float]]]:
    """Return teams with the share of each player."""
    teams = weights if isinstance(weights, Sequence) else [weights]
    if [len(team) if isinstance(team, Sequence) else -1 for team in teams] != list(map(len, ids)):
        msg = f"weights must be one for each player of each team, got {weights!r:.80}"
        raise InputError(msg)
    for t, team in enumerate(teams):
        for n, share in enumerate(team):
            if not isinstance(share, Real) or not LEAST_SHARE <= float(share) <= 1.0:
                msg = f"weights[{t}][{n}] must be from {LEAST_SHARE:g} to 1, got {share!r}"
                raise InputError(msg)
    return [list(zip(names, shares, strict=True)) for names, shares in zip(ids, teams, strict=True)]


def _check_kinds(model: object, teams: object) -> None:
    """Raise where something else is given for a model, for a team or for a rating."""
    if not isinstance(model, WengLin | TrueSkill):
        msg = f"model must be PlackettLuce, BradleyTerry or TrueSkill, got {model!r}"
        raise InputError(msg)
    for team in teams if isinstance(teams, Sequence) else [teams]:
        if not isinstance(team, Sequence) or isinstance(team, str):
            msg = f"teams must be lists of ratings, such as [[Rating(25.0, 8.3)], ...], got {team!r:.80}"
            raise InputError(msg)
        for rating in team:
            if not isinstance(rating, Rating):
                msg = f"teams must have ratings, such as Rating(25.0, 8.3), got {rating!r}"
                raise InputError(msg)
