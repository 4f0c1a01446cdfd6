"""The one-match convenience: ratings in, ratings out."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.errors import InputError
from equipoise.matches import Contest, Ruleset
from equipoise.players import Rating
from equipoise.ratings.models.weng_lin import PlackettLuce


def rate(
    teams: Sequence[Sequence[Rating]],
    ranks: Sequence[float] | None = None,
    *,
    model: PlackettLuce | None = None,
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
    model : PlackettLuce, optional
        With constants of your own.

    Raises
    ------
    InputError
        If teams or ranks are at fault.

    Examples
    --------
    >>> won, lost = rate([[Rating(25, 25 / 3)], [Rating(25, 25 / 3)]])
    >>> round(won[0].mu, 2), round(lost[0].mu, 2)
    (27.64, 22.36)
    """
    model = model or PlackettLuce()
    for team in teams:
        for rating in team:
            if not rating.sigma > 0.0:
                msg = f"teams: sigma must be above 0, got {rating.sigma!r}"
                raise InputError(msg)
    ids = [[f"{t}.{n}" for n in range(len(team))] for t, team in enumerate(teams)]
    places = tuple(range(len(teams))) if ranks is None else tuple(ranks)
    contest = Contest(Ruleset(), tuple(ids), places)
    before = {
        name: (rating.mu, rating.sigma)
        for names, team in zip(ids, teams, strict=True)
        for name, rating in zip(names, team, strict=True)
    }
    after = model.update(before, contest)
    return [[Rating(*after[name]) for name in names] for names in ids]
