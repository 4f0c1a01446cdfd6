"""Ratings and predictions as plain data: what ``rate`` and ``predict`` answer, on every face."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from equipoise.core.match import Match, Ruleset
from equipoise.core.rulesets import ruleset_text
from equipoise.ratings.display_scale import mean_bot, scale_of
from equipoise.ratings.model import (
    RatingModel,
    State,
    answers,
    careful,
    chances_of,
    general_state,
    meant_ruleset,
    ratings_of,
)


@dataclass(frozen=True, slots=True)
class RatingTally:
    """How many matches there were, how often each player and each ruleset was in a contest, and names.

    With them comes when the last contest of each player ended, seconds since 1970.
    """

    matches: int
    games: Mapping[str, int]
    rulesets: Mapping[Ruleset, int]
    names: Mapping[str, str]
    seen: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, matches: Sequence[Match]) -> RatingTally:
        """Count matches."""
        contests = [contest for match in matches for contest in match.contests]
        seen: dict[str, float] = {}
        for contest in contests:
            for player in (player for team in contest.teams for player, _ in team):
                seen[player] = max(seen.get(player, contest.at), contest.at)
        return cls(
            len(matches), Counter(player for c in contests for team in c.teams for player, _ in team),
            Counter(contest.ruleset for contest in contests),
            dict(pair for match in matches for pair in match.names), seen,
        )  # fmt: skip

    def plus(self, later: RatingTally) -> RatingTally:
        """Count the matches of a later part of the same history too."""
        if not self.matches:
            return later
        games, rulesets = Counter(self.games), Counter(self.rulesets)
        games.update(later.games)
        rulesets.update(later.rulesets)
        names = {**self.names, **later.names}
        seen = dict(self.seen)
        for player, at in later.seen.items():
            seen[player] = max(seen.get(player, at), at)
        return RatingTally(self.matches + later.matches, games, rulesets, names, seen)


class RatedPlayer(TypedDict):
    """A player's rating in one ruleset: in the model's units, and from 0 to 100."""

    id: str
    mu: float
    sigma: float
    careful: float
    scale: float
    contests: int
    last_seen: float | None


class RatedBots(TypedDict):
    """The mean of all bots, and how many they are."""

    mu: float
    scale: float
    bots: int


class RatedRuleset(TypedDict):
    """The ratings in one ruleset, the strongest first."""

    game: str
    game_type: str
    mutators: list[str]
    contests: int
    players: list[RatedPlayer]
    mean_bot: RatedBots


class Rated(TypedDict):
    """Ratings from matches, in general and in each ruleset."""

    model: str
    matches: int
    ratings: list[RatedRuleset]


def report(model: RatingModel, state: State, tally: RatingTally, name: str) -> Rated:
    """Return the ratings as plain data, in general and in each ruleset."""
    rulesets = sorted(set(tally.rulesets) - {Ruleset()}, key=repr)
    ratings = [rated(model, general_state(model, state, tally.rulesets.keys()), Ruleset(), tally)]
    ratings += [rated(model, state, ruleset, tally) for ruleset in rulesets]
    return {"model": name, "matches": tally.matches, "ratings": ratings}


def rated(model: RatingModel, state: State, asked: Ruleset | None, tally: RatingTally) -> RatedRuleset:
    """Return the ratings in a ruleset, the strongest first; without one, in what all have in common."""
    ruleset = meant_ruleset(model, state, asked)
    scale = scale_of(model, state, asked)
    bot, bots = mean_bot(model, state, asked)
    known = ratings_of(model, state, asked)
    players: list[RatedPlayer] = [
        {"id": player, "mu": rating.mu, "sigma": rating.sigma, "careful": careful(rating),
         "scale": scale.shown(rating.mu), "contests": tally.games.get(player, 0),
         "last_seen": tally.seen.get(player)}
        for player, rating in sorted(known.items(), key=lambda item: (-item[1].mu, item[0]))
    ]  # fmt: skip
    return {"game": ruleset.game, "game_type": ruleset.game_type, "mutators": list(ruleset.mutators),
            "contests": tally.rulesets.get(ruleset, 0), "players": players,
            "mean_bot": {"mu": bot, "scale": scale.shown(bot), "bots": bots}}  # fmt: skip


class Present(TypedDict):
    """A player of a team, and the share of the time."""

    id: str
    share: float


class PredictedTeam(TypedDict):
    """A team's chance to win and the margin expected of it."""

    players: list[Present]
    win_probability: float
    expected_margin: float | None


class Predicted(TypedDict):
    """Who would win, by how much, and how open it would be."""

    model: str
    matches: int
    ruleset: str
    ruleset_played: bool
    teams: list[PredictedTeam]
    quality: float | None
    draw: float | None
    new_players: list[str]


def predicted(
    model: Any,
    state: State,
    asked: Sequence[Sequence[tuple[str, float]]],
    ruleset: Ruleset | None,
    matches: Iterable[Match],
    name: str,
) -> Predicted:
    """Return what a model expects of teams, as plain data.

    Parameters
    ----------
    model, state : RatingModel and State
        What has learnt from the matches.
    asked : sequence of teams
        The players of each with their shares.
    ruleset : Ruleset or None
        What would be played; None for the only one, or for what all have in common.
    matches : iterable of Match
        What was learnt from.
    name : str
        What the model is called.
    """
    learnt = list(matches)
    known = set(model.players(state))
    can = answers(model)
    chances = chances_of(model, model.win_probability(state, asked, ruleset), len(asked))
    margins = model.expected_margin(state, asked, ruleset) if "expected_margin" in can else None
    teams: list[PredictedTeam] = [
        {"players": [{"id": player, "share": share} for player, share in team],
         "win_probability": chances[n], "expected_margin": None if margins is None else margins[n]}
        for n, team in enumerate(asked)
    ]  # fmt: skip
    meant = meant_ruleset(model, state, ruleset)
    return {
        "model": name,
        "matches": len(learnt),
        "ruleset": ruleset_text(meant),
        "ruleset_played": any(contest.ruleset == meant for match in learnt for contest in match.contests),
        "teams": teams,
        "quality": model.quality(state, asked, ruleset) if "quality" in can else None,
        "draw": model.draw_chance(state, asked, ruleset)
        if "draw_chance" in can and len(asked) == 2
        else None,
        "new_players": [player for team in asked for player, _ in team if player not in known],
    }
