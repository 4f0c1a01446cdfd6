"""The games of one player, with the rating after each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NotRequired, TypedDict

from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.player import Rating
from equipoise.core.rulesets import ruleset_text
from equipoise.identity.merges import everyone
from equipoise.ratings.display_scale import scale_of
from equipoise.ratings.model import RatingModel
from equipoise.ratings.rating_history import Moved, moved


class GameData(TypedDict):
    """A player's game in plain data."""

    match: str
    ended: float | None
    dated: bool
    ruleset: str
    map: str
    contests: int
    won: float
    share: float
    mu: float
    sigma: float
    weight: float
    expected: NotRequired[float | None]
    moved: NotRequired[dict[str, float]]


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
    expected : float or None
        How many of the contests the player's team was expected to win; None where it was not asked.
    parts : mapping from str to float
        By how much each channel moved the rating's mu since the game before in the same ruleset, see
        :class:`equipoise.ratings.rating_history.Moved`; ``between`` is what was learnt of the ruleset
        between the two
        games, ``others`` what contests of the match without the player or of other rulesets tell.
    """

    match: Match
    contests: int
    won: float
    share: float
    rating: Rating
    weight: float
    expected: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)

    def as_dict(self) -> GameData:
        """Return it as plain data, as ``equipoise players --json`` prints it."""
        match = self.match
        plain: GameData = {
            "match": match.id, "ended": match.ended, "dated": match.dated,
            "ruleset": ruleset_text(match.ruleset), "map": match.map,
            "contests": self.contests, "won": self.won, "share": self.share,
            "mu": self.rating.mu, "sigma": self.rating.sigma, "weight": self.weight,
        }  # fmt: skip
        if self.parts:
            plain["expected"], plain["moved"] = self.expected, dict(self.parts)
        return plain


def appearances(
    model: RatingModel, matches: Iterable[Match], player: str, *, why: bool = False
) -> Iterator[Appearance]:
    """Go through the matches of a player, in order.

    Parameters
    ----------
    model : RatingModel
        What learns.
    matches : iterable of Match
        All of them, in replay order.
    player : str
        Whose.
    why : bool
        Whether to say what moved the rating, which takes some times as long.
    """
    shown: dict[Ruleset, float] = {}
    state, pending = model.initial(), list[Contest]()
    for match in matches:
        if player not in everyone(match):
            pending += match.contests
            continue
        state, _ = model.run(state, pending)
        pending, moves = [], list[Moved]()
        between = model.rating(state, player, match.ruleset).mu
        if not why:
            state, _ = model.run(state, match.contests)
        for contest in match.contests if why else ():
            if any(player == member for team in contest.teams for member, _ in team):
                state, one = moved(model, state, contest, player)
                moves.append(one)
            else:
                state = model.update(state, contest)
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
            sum(one.expected for one in moves) if moves else None,
            _parts(moves, between - shown.get(match.ruleset, between), rating.mu - between) if why else {},
        )
        shown[match.ruleset] = rating.mu


def _parts(moves: Sequence[Moved], between: float, here: float) -> dict[str, float]:
    """Return by how much each channel moved a rating since the game before in the same ruleset."""
    parts = {"between": between}
    for one in moves:
        for name, part in one.parts.items():
            parts[name] = parts.get(name, 0.0) + part
    # A match of several contests or rulesets moves it besides: what was learnt of others in it.
    parts["others"] = here - sum(part for name, part in parts.items() if name != "between")
    return parts


def _won(contest: Contest, team: int) -> float:
    """Return a team's part of the victory."""
    best = min(contest.ranks)
    return (contest.ranks[team] == best) / contest.ranks.count(best)
