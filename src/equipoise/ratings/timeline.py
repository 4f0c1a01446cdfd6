"""What happened and what was thought of it, for people to look at: one replay of an archive's matches.

Pages show a rating as it was at the time, and a match with the chances it was given before it began.
Both come from going through all matches once.  Chances are those of every contest; ratings are noted at
the end of stretches of matches, as short as there is time for, for those who played in them.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.player import BOT, is_bot
from equipoise.core.rulesets import ruleset_text
from equipoise.ratings.display_scale import Scale, scale_of
from equipoise.ratings.model import RatingModel, State
from equipoise.ratings.rating_history import parts_of, staged

#: How many players times stretches there are: each stretch costs a copy of what is known of everyone.  It is
#: one match for a club's archive, and some thousand for a hundred thousand players.
NOTES = 4_000_000


FEWEST_STRETCHES = 50


class Note(NamedTuple):
    """A rating at the end of a stretch: the last match in it, mu and sigma, and mu at its beginning.

    Where a stretch is one match, ``steps`` has mu as one channel after the other is heard, from the beginning
    to the end.
    """

    match: int
    mu: float
    sigma: float
    before: float
    steps: tuple[float, ...] = ()


class Point(NamedTuple):
    """A rating after a match: its place, when it ended, the rating from 0 to 100, and what it was before."""

    match: int
    at: float
    weight: float
    low: float
    high: float
    before: float


@dataclass(frozen=True, slots=True)
class ChronicleMember:
    """Someone in a ruleset's table.

    Parameters
    ----------
    id, name : str
        The id, and what is shown.
    bot : bool
        Whether it is one.
    weight, low, high : float
        The rating on the scale from 0 to 100, and the ends of its 95 % interval.
    games : int
        How many matches.
    last : float
        When the last one ended, seconds since 1970.
    """

    id: str
    name: str
    bot: bool
    weight: float
    low: float
    high: float
    games: int
    last: float


@dataclass(frozen=True)
class Chronicle:
    """All that pages show.

    Parameters
    ----------
    model, state
        What learnt, and what it knows.
    matches : sequence of Match
        In replay order.
    chances : sequence of sequences of tuples of float
        Of each match, what each team of each contest was thought to win with.
    names : mapping from str to str
        The name last seen of each id.
    notes : mapping
        From a player and ruleset to the ratings after stretches in which they played.
    exact : bool
        Whether every match was a stretch of its own.
    """

    model: RatingModel
    state: State
    matches: Sequence[Match]
    chances: Sequence[Sequence[tuple[float, ...]]]
    names: Mapping[str, str]
    notes: Mapping[tuple[str, Ruleset], Sequence[Note]]
    exact: bool

    @cached_property
    def scales(self) -> Mapping[Ruleset, Scale]:
        """The scale of each ruleset, as it is now; in the order of how often it was played."""
        times: dict[Ruleset, int] = {}
        for _, ruleset in self.notes:
            times[ruleset] = times.get(ruleset, 0) + 1
        order = sorted(times, key=lambda ruleset: (-times[ruleset], ruleset_text(ruleset)))
        return {ruleset: scale_of(self.model, self.state, ruleset) for ruleset in order}

    @cached_property
    def by_id(self) -> Mapping[str, int]:
        """The place of each match by its id."""
        return {match.id: place for place, match in enumerate(self.matches)}

    @cached_property
    def of_player(self) -> Mapping[str, Sequence[int]]:
        """The places of each player's matches, in order."""
        places: dict[str, list[int]] = {}
        for place, match in enumerate(self.matches):
            for player in {who for contest in match.contests for team in contest.teams for who, _ in team}:
                places.setdefault(player, []).append(place)
        return places

    @cached_property
    def tables(self) -> Mapping[Ruleset, Sequence[ChronicleMember]]:
        """Everyone of each ruleset, the strongest first."""
        tables: dict[Ruleset, list[ChronicleMember]] = {ruleset: [] for ruleset in self.scales}
        games: dict[tuple[str, Ruleset], int] = {}
        for match in self.matches:
            for key in {(who, c.ruleset) for c in match.contests for team in c.teams for who, _ in team}:
                games[key] = games.get(key, 0) + 1
        for (player, ruleset), notes in self.notes.items():
            point = self._point(self.scales[ruleset], notes[-1])
            tables[ruleset].append(
                ChronicleMember(
                    player, self.name_of(player), is_bot(player), point.weight, point.low, point.high,
                    games[player, ruleset], point.at,
                )
            )  # fmt: skip
        for rows in tables.values():
            rows.sort(key=lambda row: (-row.weight, row.id))
        return tables

    @cached_property
    def rulesets_of(self) -> Mapping[str, Sequence[Ruleset]]:
        """The rulesets that each player has played."""
        found: dict[str, list[Ruleset]] = {}
        for player, ruleset in self.notes:
            found.setdefault(player, []).append(ruleset)
        return found

    def name_of(self, player: str) -> str:
        """Return what a player is called."""
        if player in self.names:
            return self.names[player]
        return player.removeprefix(BOT).rpartition(":")[0] or player if is_bot(player) else player

    def points(self, player: str, ruleset: Ruleset) -> list[Point]:
        """Return the ratings of a player over time, none where they have not played."""
        if ruleset not in self.scales:
            return []
        scale = self.scales[ruleset]
        return [self._point(scale, note) for note in self.notes.get((player, ruleset), ())]

    def point_at(self, player: str, ruleset: Ruleset, place: int) -> Point | None:
        """Return the rating after the stretch that has a match which the player was in."""
        notes = self.notes.get((player, ruleset), ())
        at = bisect_left(notes, place, key=attrgetter("match"))
        return self._point(self.scales[ruleset], notes[at]) if at < len(notes) else None

    def why(self, player: str, ruleset: Ruleset, place: int) -> dict[str, float]:
        """Return what moved a weight since the game before: by channel, in hundredths that add up.

        ``time`` is what was learnt meanwhile, of others and of how the ruleset is played.  Nothing is known
        where a stretch is more than one match.
        """
        notes = self.notes.get((player, ruleset), ())
        at = bisect_left(notes, place, key=attrgetter("match"))
        if at == len(notes) or notes[at].match != place or not notes[at].steps:
            return {}
        first, *steps = (round(self.scales[ruleset].shown(mu), 2) for mu in (
            notes[at - 1].mu if at else notes[at].before, *notes[at].steps))  # fmt: skip
        return {"time": steps[0] - first, **parts_of(steps)}

    def _point(self, scale: Scale, note: Note) -> Point:
        ended = self.matches[note.match].ended or 0.0
        weight, low, high = (scale.shown(note.mu + times * note.sigma) for times in (0.0, -1.96, 1.96))
        return Point(note.match, ended, weight, low, high, scale.shown(note.before))


def chronicle_of(model: RatingModel, matches: Iterable[Match], names: Mapping[str, str]) -> Chronicle:
    """Return the chronicle of some matches, in replay order.

    Parameters
    ----------
    model : RatingModel
        What learns.
    matches : iterable of Match
        All that count.
    names : mapping from str to str
        The name last seen of each id.

    Examples
    --------
    >>> from equipoise.ratings.models.elo import Elo
    >>> duel = Match((Contest(Ruleset("x", "duel"), (["ann"], ["bob"]), (1, 2), at=60.0),), id="one")
    >>> known = chronicle_of(Elo(), [duel], {"ann": "Ann"})
    >>> known.chances, [member.name for member in known.tables[duel.ruleset]], known.exact
    ([[(0.5, 0.5)]], ['Ann', 'bob'], True)
    """
    given = list(matches)
    players = {who for match in given for c in match.contests for team in c.teams for who, _ in team}
    stretches = max(FEWEST_STRETCHES, NOTES // max(len(players), 1))
    length = max(1, math.ceil(len(given) / stretches))
    state, chances = model.initial(), list[list[tuple[float, ...]]]()
    notes: dict[tuple[str, Ruleset], list[Note]] = {}
    for first in range(0, len(given), length):
        stretch = given[first : first + length]
        last: dict[tuple[str, Ruleset], int] = {}
        for place, match in enumerate(stretch, start=first):
            for contest in match.contests:
                last |= {(who, contest.ruleset): place for team in contest.teams for who, _ in team}
        contests = [contest for match in stretch for contest in match.contests]
        earlier = state
        state, predictions = model.run(earlier, contests)
        remaining = iter(predictions)
        chances += [[tuple(next(remaining)) for _ in match.contests] for match in stretch]
        stages = staged(model, earlier, state, contests) if length == 1 else ()
        for key, place in last.items():
            steps = tuple(model.rating(stage, *key).mu for stage in stages)
            rating, before = model.rating(state, *key), model.rating(earlier, *key).mu
            notes.setdefault(key, []).append(Note(place, rating.mu, rating.sigma, before, steps))
    return Chronicle(model, state, given, chances, dict(names), notes, length == 1)


def won_by(contest: Contest, team: int) -> float:
    """Return a team's part of the victory: 1 alone, a part of it where the first place is shared."""
    best = min(contest.ranks)
    return (contest.ranks[team] == best) / contest.ranks.count(best)


def margin_of(contest: Contest) -> float | None:
    """Return by how much the winners were ahead as a part of all points, None where that is unknown."""
    points = sum(map(abs, contest.scores))
    if not contest.scores or points <= 0.0:
        return None
    first, second = sorted(contest.scores, reverse=True)[:2]
    return (first - second) / points
