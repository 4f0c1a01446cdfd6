"""Everyone a snapshot knows, as rows: pages of players, one player, rulesets and leaderboards.

What goes through everyone does so in parts, so that the caller can let others have their turn between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import nlargest
from typing import NamedTuple, TypedDict

from equipoise.core.match import Ruleset
from equipoise.core.player import BOT, is_bot
from equipoise.core.rulesets import ruleset_text
from equipoise.identity.merges import NAMED
from equipoise.identity.names import bare
from equipoise.ratings.display_scale import Scale, mean_bot, scale_of
from equipoise.ratings.model import careful, last_seen
from equipoise.service.snapshot import Snapshot

#: Players that are looked at between two parts, some 0.3 ms of work; and rows of a leaderboard that are kept.
SOME, MOST_LISTED = 20, 1000


class PlayerRow(TypedDict):
    """A player's rating in one ruleset: in the model's units, and from 0 to 100."""

    id: str
    name: str
    bot: bool
    ruleset: str
    mu: float
    sigma: float
    careful: float
    weight: float
    games: int
    last_seen: float | None


class PlayerCard(TypedDict):
    """A player with the ratings in general and in each ruleset that was played."""

    id: str
    name: str
    bot: bool
    ratings: list[PlayerRow]


class RulesetRow(TypedDict):
    """A ruleset that was played, and its bots."""

    ruleset: str
    game: str
    game_type: str
    mutators: list[str]
    bots: int
    mean_bot_weight: float


class LeaderboardPage(NamedTuple):
    """Some rows, and where the next ones begin; None after the last ones."""

    rows: list[PlayerRow]
    after: int | None


class People:
    """The players of one snapshot.

    Parameters
    ----------
    snapshot : Snapshot
        What is known.

    Examples
    --------
    >>> from equipoise.ratings.models.elo import Elo
    >>> from equipoise.service.snapshot import Ratings
    >>> people = People(Snapshot(Ratings(Elo(), {"ann": (1700.0,), "bob": (1500.0,)})))
    >>> [row["id"] for row in people.leaders(Ruleset())[-1]]
    ['ann', 'bob']
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.ids = tuple(snapshot.ratings.known)
        self._texts = {each: ruleset_text(each) for each in (Ruleset(), *snapshot.rulesets)}
        self._scales: dict[Ruleset, Scale] = {}
        self._rulesets = {text: each for each, text in self._texts.items()}

    def ruleset(self, text: str) -> Ruleset | None:
        """Return the ruleset that a text names, None where nobody has played it."""
        return self._rulesets.get(text)

    def row(self, player: str, ruleset: Ruleset) -> PlayerRow:
        """Return a player's rating in a ruleset."""
        snapshot = self.snapshot
        rating = snapshot.ratings.model.rating(snapshot.ratings.state, player, ruleset)
        return {
            "id": player, "name": self.name(player), "bot": is_bot(player), "ruleset": self._texts[ruleset],
            "mu": rating.mu, "sigma": rating.sigma, "careful": careful(rating),
            "weight": self._scale(ruleset).shown(rating.mu), "games": self.games(player, ruleset),
            "last_seen": last_seen(snapshot.ratings.model, snapshot.ratings.state, player),
        }  # fmt: skip

    def _scale(self, ruleset: Ruleset) -> Scale:
        found = self._scales.get(ruleset)
        if found is None:
            ratings = self.snapshot.ratings
            found = self._scales[ruleset] = scale_of(ratings.model, ratings.state, ruleset)
        return found

    def name(self, player: str) -> str:
        """Return the name last seen, of a bot that of its id; the id where none is known."""
        if is_bot(player):
            return player.removeprefix(BOT).rpartition(":")[0] or player.removeprefix(BOT)
        return self.snapshot.names.get(player) or player.removeprefix(NAMED)

    def weights(self, ruleset: Ruleset, players: Iterable[str]) -> Iterator[dict[str, float]]:
        """Yield the weights of players, and of all who played a ruleset, more of them each time."""
        ratings, scale = self.snapshot.ratings, self._scale(ruleset)
        found: dict[str, float] = {}
        played = (player for player, each in self.snapshot.games if each == ruleset)
        everyone = dict.fromkeys([*players, *played])
        for number, player in enumerate(everyone):
            found[player] = scale.shown(ratings.model.rating(ratings.state, player, ruleset).mu)
            if number % SOME == 0:
                yield found
        yield found

    def games(self, player: str, ruleset: Ruleset) -> int:
        """Return how many matches a player was in, in a ruleset or in all."""
        games = self.snapshot.games
        if ruleset != Ruleset():
            return games.get((player, ruleset), 0)
        return sum(games.get((player, each), 0) for each in self._texts)

    def card(self, player: str) -> PlayerCard:
        """Return a player with the ratings in general and in each ruleset that was played."""
        played = [each for each in self._texts if each == Ruleset() or self.games(player, each)]
        return {"id": player, "name": self.name(player), "bot": is_bot(player),
                "ratings": [self.row(player, each) for each in played]}  # fmt: skip

    def rulesets(self) -> list[RulesetRow]:
        """Return the rulesets that were played."""
        ratings = self.snapshot.ratings
        rows: list[RulesetRow] = []
        for ruleset, text in self._texts.items():
            known = self.snapshot.mean_bots.get(ruleset)
            skill, bots = known or mean_bot(ratings.model, ratings.state, ruleset)
            rows.append(
                {"ruleset": text, "game": ruleset.game, "game_type": ruleset.game_type,
                 "mutators": list(ruleset.mutators), "bots": bots,
                 "mean_bot_weight": self._scale(ruleset).shown(skill)}
            )  # fmt: skip
        return rows

    def page(
        self, ruleset: Ruleset, start: int, limit: int, part_of_name: str = ""
    ) -> Iterator[LeaderboardPage | None]:
        """Find some players from a place in the order of first appearance on; the page is given last.

        Parameters
        ----------
        ruleset : Ruleset
            Whose ratings; but for those in general, only who has played it.
        start, limit : int
            From which place on, and how many.
        part_of_name : str
            What the id or the last name must contain, whatever the case, accents and clan tags; an earlier
            name must be it.
        """
        wanted, typed = part_of_name.casefold(), bare(part_of_name)
        lookup = self.snapshot.ratings.lookup
        meant = {} if lookup is None or not wanted else lookup.bearers.get(typed, {})
        rows: list[PlayerRow] = []
        for place in range(start, len(self.ids)):
            if place % SOME == 0:
                yield None
            player = self.ids[place]
            if ruleset != Ruleset() and not self.games(player, ruleset):
                continue
            if wanted and not (
                wanted in player.casefold()
                or wanted in (name := self.name(player)).casefold()
                or typed in bare(name)
                or player in meant
            ):
                continue
            if len(rows) == limit:
                yield LeaderboardPage(rows, place)
                return
            rows.append(self.row(player, ruleset))
            if len(rows) % SOME == 0:
                yield None
        yield LeaderboardPage(rows, None)

    def leaders(self, ruleset: Ruleset, least_games: int = 0) -> list[list[PlayerRow]]:
        """Return the parts of :meth:`ranked`, of which the last one is the leaderboard."""
        return list(self.ranked(ruleset, least_games))

    def ranked(self, ruleset: Ruleset, least_games: int = 0) -> Iterator[list[PlayerRow]]:
        """Find the strongest people in a ruleset; the last thing given is the leaderboard, best first."""
        ratings = self.snapshot.ratings
        best: list[tuple[float, int]] = []
        some: list[tuple[float, int]] = []
        for place, player in enumerate(self.ids):
            if place % SOME == 0:
                yield []
                if len(some) >= MOST_LISTED:
                    best, some = nlargest(MOST_LISTED, [*best, *some]), []
            games = self.games(player, ruleset)
            if is_bot(player) or games < least_games or (ruleset != Ruleset() and not games):
                continue
            some.append((ratings.model.rating(ratings.state, player, ruleset).mu, -place))
        best = nlargest(MOST_LISTED, [*best, *some])
        yield []
        rows: list[PlayerRow] = []
        for n, (_, place) in enumerate(best):
            if n % SOME == SOME - 1:
                yield []
            rows.append(self.row(self.ids[-place], ruleset))
        yield rows
