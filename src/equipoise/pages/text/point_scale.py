"""Ratings of an archive as points, in texts for people: of players, and of what an answer costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from statistics import pstdev
from typing import Any

from equipoise.pages.text.teams import IN_POINTS
from equipoise.ratings.display_scale import HIGH, MIDDLE, Scale
from equipoise.ratings.point_changes import POINTS, points

#: Re-rankers that are measured in weights, besides the objectives that are.
_RERANKERS = ("quantile", "strongest")


@dataclass(frozen=True, slots=True)
class PointScale:
    """From ratings of a model to points.

    Examples
    --------
    >>> shown = PointScale(Scale(centre=25.0, reach=25.0))
    >>> shown(25.0), shown(30.0), shown.amount(5.0)
    (500, 600, 100.0)
    """

    scale: Scale

    def __call__(self, rating: float) -> int:
        """Return the points of a player."""
        return points(self.scale.shown(rating))

    def amount(self, difference: float) -> float:
        """Return a difference of ratings in whole points, as they are near those of a new player."""
        return float(round(difference * POINTS * (HIGH - MIDDLE) / self.scale.reach))

    def explained(
        self, answer: Any, objective: str, ratings: Mapping[str, float], bot: float | None = None
    ) -> Any:
        """Return an explanation, an edit or a place in a team with points in the place of weights.

        Parameters
        ----------
        answer : Explanation, Change, Place, or a part of them
            What :mod:`equipoise.teams.explain` says.
        objective : str
            What was asked for, as a solution names it.
        ratings : mapping from str to float
            The rating of everyone who alone has a name, by the name that answers have.
        bot : float, optional
            That of a bot.
        """
        from equipoise.teams.explain.explanation import Alternative, Explanation
        from equipoise.teams.explain.valuation import Cost, TeamFacts, Valuation
        from equipoise.teams.solution import Split

        names = objective.split(", ")

        def of(name: str, value: float) -> float:
            return self.amount(value) if name in (*IN_POINTS, *_RERANKERS) else value

        def shown(part: Any) -> Any:
            if isinstance(part, tuple):
                return tuple(map(shown, part))
            if not is_dataclass(part) or isinstance(part, Split | type):
                return part
            changes: dict[str, Any] = {}
            if isinstance(part, TeamFacts) and not ratings.keys() >= {*part.players}:
                n, middle = len(part.players) + part.bots, self.scale.centre
                total = n * self(middle) + self.amount(part.total - n * middle)
                mean = round(total / n) if n else 0.0
                return replace(part, total=total, mean=mean, deviation=self.amount(part.deviation))
            if isinstance(part, TeamFacts):
                each = [self(ratings[name]) for name in part.players] + [self(bot or 0.0)] * part.bots
                total = sum(each)
                mean, deviation = (total / len(each), pstdev(each)) if each else (0.0, 0.0)
                return replace(part, total=total, mean=round(mean), deviation=round(deviation))
            if isinstance(part, Cost):
                values = part.values
                if len(values) == len(names):
                    values = tuple(map(of, names, values))
                return replace(part, value=of(names[-1], part.value), values=values)
            if isinstance(part, Valuation):
                changes["values"] = tuple((name, of(name, value)) for name, value in part.values)
            elif isinstance(part, Alternative):
                changes["value"] = of(names[-1], part.value)
            elif isinstance(part, Explanation):
                known = {name: getattr(part, name) for name in ("value", "bound", "gap")}
                changes |= {name: of(names[-1], value) for name, value in known.items() if value is not None}
            others = (each.name for each in fields(part) if each.name not in changes)
            changes |= {name: shown(getattr(part, name)) for name in others}
            return replace(part, **changes)

        return shown(answer)
