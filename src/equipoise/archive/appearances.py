"""The games of one player, with the rating after each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from equipoise.archive.corrections import everyone
from equipoise.matches import Contest, Match
from equipoise.players import Rating
from equipoise.ratings.model import RatingModel
from equipoise.ratings.scale import scale_of


@dataclass(frozen=True, slots=True)
class Appearance:
    """A player in a match.

    Parameters
    ----------
    match : Match
        The match.
    contests : int
        In how many of its contests the player was.
    won : float
        How many of them the player's team won; a shared first rank counts in equal parts.
    share : float
        The mean share of them the player was present for; 0 for one who was in none.
    rating : Rating
        What was known of the player in the match's ruleset after it.
    weight : float
        The same on the scale from 0 to 100.
    """

    match: Match
    contests: int
    won: float
    share: float
    rating: Rating
    weight: float


def appearances(model: RatingModel, matches: Iterable[Match], player: str) -> Iterator[Appearance]:
    """Go through the matches of a player, in order.

    Parameters
    ----------
    model : RatingModel
        What learns.
    matches : iterable of Match
        All of them, in replay order.
    player : str
        Whose.
    """
    state, pending = model.initial(), list[Contest]()
    for match in matches:
        pending += match.contests
        if player not in everyone(match):
            continue
        state, _ = model.run(state, pending)
        pending = []
        places = [
            (contest, n, share)
            for contest in match.contests
            for n, team in enumerate(contest.teams)
            for member, share in team
            if member == player
        ]
        rating = model.rating(state, player, match.ruleset)
        yield Appearance(
            match,
            len(places),
            sum(_won(contest, n) for contest, n, _ in places),
            sum(share for *_, share in places) / max(len(places), 1),
            rating,
            scale_of(model, state, match.ruleset).shown(rating.mu),
        )


def _won(contest: Contest, team: int) -> float:
    """Return a team's part of the victory."""
    best = min(contest.ranks)
    return (contest.ranks[team] == best) / contest.ranks.count(best)
