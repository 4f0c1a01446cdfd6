"""What an archive knows, as a running game asks for it: ratings of those who are there, bots, ranks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from equipoise.archive.archive import Archive
from equipoise.archive.known import Standing
from equipoise.live.events import RatingsKnown
from equipoise.live.levers import RatingUnits, bot_skills
from equipoise.matches import Ruleset
from equipoise.players import Rating
from equipoise.ratings.model import is_bot
from equipoise.ratings.scale import NOBODY, mean_bot, scale_of
from equipoise.serving.ratings import nearest

#: More players than this are not ranked for the chat.
MOST_RANKED = 20_000


class ArchiveRatings:
    """The ratings of one archive in one ruleset.

    Parameters
    ----------
    archive : Archive
        Where matches are kept.
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._standing: Standing = archive.standing()
        self._merged = archive.merged()
        #: What is played.
        self.ruleset = Ruleset()

    def read(self) -> None:
        """Read what the archive knows now."""
        if self._archive.is_behind() and self._archive.writable:
            self._archive.update_ratings()
        self._standing, self._merged = self._archive.standing(), self._archive.merged()

    def rating(self, player: str) -> Rating | None:
        """Return what is known of somebody, None for a stranger."""
        known = self._merged.get(player, player)
        standing = self._standing
        if not any(player_ == known for player_, _ in standing.known.games):
            return None
        return standing.model.rating(standing.state, known, self._nearest())

    def _nearest(self) -> Ruleset:
        return nearest(self.ruleset, self._standing.rulesets)

    def known(self, ids: Iterable[str]) -> RatingsKnown:
        """Return what a session needs to know."""
        standing, ruleset = self._standing, self._nearest()
        model: Any = standing.model
        default = model.rating(standing.state, NOBODY, ruleset)
        found = {player: rating for player in ids if (rating := self.rating(player)) is not None}
        reach = scale_of(model, standing.state, ruleset).reach / 3.0
        beta = getattr(model, "beta", None) or reach
        zero = getattr(model, "zero", None)
        levels = [
            (float(level), model.rating(standing.state, player, ruleset))
            for player in model.players(standing.state)
            if is_bot(player) and (level := player.rpartition(":")[2]).replace(".", "", 1).isdigit()
        ]
        mean = Rating(mean_bot(model, standing.state, ruleset)[0], default.sigma if not levels else 0.0)
        scale = RatingUnits(beta, default.mu - beta if zero is None else zero)
        return RatingsKnown(found, default, bot_skills(levels, mean), scale, self._ranks(ruleset))

    def _ranks(self, ruleset: Ruleset) -> dict[str, tuple[int, int, float]]:
        """Return rank, number and shown weight of everyone who has played, bots left out."""
        standing, model = self._standing, self._standing.model
        people = [player for player in model.players(standing.state) if not is_bot(player)]
        if not people or len(people) > MOST_RANKED:
            return {}
        scale = scale_of(model, standing.state, ruleset)
        skills = {player: model.rating(standing.state, player, ruleset).mu for player in people}
        order = sorted(people, key=lambda player: (-skills[player], player))
        return {player: (n + 1, len(order), scale.shown(skills[player])) for n, player in enumerate(order)}
