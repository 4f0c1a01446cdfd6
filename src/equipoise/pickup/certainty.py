"""How well the difference of teams is known, which depends on who has met whom and not on ratings alone.

A result shows the difference of two teams and of nothing else.  What it leaves open of two team mates is
therefore opposed (one may be as much stronger as the other is weaker), and of two opponents alike.  Ratings
give each player an uncertainty of his own; the games of those who gather say how these hang together: with
``x`` of 1 for one team, -1 for the other and 0 for everyone else, a game adds ``w x xᵀ`` to the precision of
all skills, where ``w`` is what a result of an even game shows (Fisher's information of the logistic link).
The inverse gives the correlations ``R``, and the variance of a difference is ``xᵀ D R D x`` with the
uncertainties in ``D``.  Of teams that are equally even by their ratings, those whose difference is known best
are the least far from even in truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations

import numpy as np

from equipoise.arrays import Floats
from equipoise.ledger import LedgerGame
from equipoise.link import LOGISTIC_SLOPE
from equipoise.players import Player, Rating

#: Variance of a newcomer's skill in units of a player's noise, as the default model assumes it.
NEWCOMER = 0.64

#: Games that are looked back on: what a result shows of skills fades, and people go.
RECENT = 200


def variances(games: Sequence[LedgerGame], splits: Sequence[Sequence[Sequence[Player]]]) -> Floats:
    """Return how unsure the difference of the teams of each split is, summed over all two teams.

    Parameters
    ----------
    games : sequence of LedgerGame
        What was played so far, in order.
    splits : sequence of sequences of sequences of Player
        Divisions of the same players with ratings.

    Returns
    -------
    ndarray, shape (n_splits,)
        Variances, in the square of the ratings' units.

    Examples
    --------
    Ann and Bob have beaten Cid and Dan: of these teams more is known than of others.

    >>> ann, bob, cid, dan = (Player(name, Rating(25, 8)) for name in ("ann", "bob", "cid", "dan"))
    >>> game = LedgerGame((("ann", "bob"), ("cid", "dan")), (0.5, 0.5), (1, 2))
    >>> again, other = variances([game], [[[ann, bob], [cid, dan]], [[ann, cid], [bob, dan]]])
    >>> bool(again < other)
    True
    """
    here = [player for team in splits[0] for player in team]
    index = {player.id: n for n, player in enumerate(here)}
    sigma = np.array([each.rating.sigma if isinstance(each.rating, Rating) else 0.0 for each in here])
    covariance = correlations(games[-RECENT:], list(index)) * np.outer(sigma, sigma)
    found = np.zeros(len(splits))
    for n, teams in enumerate(splits):
        for one, other in combinations(teams, 2):
            x = np.zeros(len(here))
            x[[index[player.id] for player in one]] = 1.0
            x[[index[player.id] for player in other]] = -1.0
            found[n] += x @ covariance @ x
    return found


def correlations(games: Sequence[LedgerGame], here: Sequence[str]) -> Floats:
    """Return how what is not known of these players hangs together after games, shape (n, n)."""
    everyone = chain(here, (player for game in games for team in game.teams for player in team))
    index = {player: n for n, player in enumerate(dict.fromkeys(everyone))}
    rows = []
    for game in games:
        for one, other in combinations(game.teams, 2):
            noise = (len(one) + len(other)) * (1.0 + NEWCOMER)
            row = np.zeros(len(index))
            row[[index[player] for player in one]] = 1.0
            row[[index[player] for player in other]] = -1.0
            rows.append(row * (0.5 * LOGISTIC_SLOPE / np.sqrt(noise)))
    shown = np.array(rows).reshape(len(rows), len(index))
    covariance = np.linalg.inv(np.eye(len(index)) / NEWCOMER + shown.T @ shown)[: len(here), : len(here)]
    deviation = np.sqrt(np.diag(covariance))
    return covariance / np.outer(deviation, deviation)
