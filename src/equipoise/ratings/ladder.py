"""A history kept in place, for those who rate as they go.

A match costs the same however many players there are.
The ratings are those of :func:`equipoise.replay` over the same matches, bit for bit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import IO, Any

from equipoise.compiled import pays
from equipoise.errors import InputError
from equipoise.matches import Contest, Match, Ruleset, Teams
from equipoise.players import Rating
from equipoise.ratings.folding import LATEST, Folding
from equipoise.ratings.model import Chances, RatingModel, State
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.ratings.models.gaussian_filter.model import Filters
from equipoise.ratings.models.gaussian_filter.packing import pack
from equipoise.ratings.replaying import latest

#: Contests recorded from which it pays to load the compiled kernels.
WORTH = 2000


class Ladder:
    """Ratings that are brought up to date match by match.

    Parameters
    ----------
    model : RatingModel, optional
        What learns; the default model where it is left out.

    Examples
    --------
    >>> ladder = Ladder()
    >>> for n in range(3):
    ...     _ = ladder.record(Contest(Ruleset(), (["ann"], ["bob"]), (1, 2), at=float(n)))
    >>> [player for player, _ in ladder.leaderboard()], ladder.predict((["ann"], ["bob"]))[0] > 0.6
    (['ann', 'bob'], True)
    """

    def __init__(self, model: RatingModel | None = None) -> None:
        self.model: RatingModel = Mixture() if model is None else model
        self._state = _own(self.model.initial())
        self._latest = latest(self.model, self._state)
        self._recorded = 0

    @property
    def state(self) -> State:
        """What the model knows, as of :meth:`RatingModel.update`; a later record changes it in place."""
        return self._state

    def record(self, match: Match | Contest) -> list[Chances]:
        """Learn from a match, and return what was predicted of each of its contests.

        Raises
        ------
        InputError
            If it ended before one that is recorded: the ratings would depend on the order of arrival.
        """
        contests = match.contests if isinstance(match, Match) else (match,)
        ended = (match.ended or 0.0) if isinstance(match, Match) else match.at
        if ended < self._latest:
            msg = f"match: it ended at {ended!r}, before one that is recorded ({self._latest!r}); use replay"
            raise InputError(msg)
        self._latest = max(ended, *(contest.at for contest in contests))
        self._recorded += len(contests)
        if isinstance(self.model, Filters):
            return self._filtered(self.model, contests)
        if isinstance(self.model, Folding):
            return self._folded(contests)
        self._state, chances = self.model.run(self._state, contests)
        return chances

    def rating(self, player: str, ruleset: Ruleset | None = None) -> Rating:
        """Return what is known of a player's skill; of an unknown one, what is assumed."""
        return self.model.rating(self._state, player, ruleset)

    def predict(self, teams: Teams, ruleset: Ruleset | None = None, at: float | None = None) -> list[float]:
        """Return how likely each team is to win."""
        return self.model.win_probability(self._state, teams, ruleset, at)

    def leaderboard(self, ruleset: Ruleset | None = None) -> list[tuple[str, Rating]]:
        """Return everyone who has played with the rating, the strongest first."""
        known = [(player, self.rating(player, ruleset)) for player in self.model.players(self._state)]
        return sorted(known, key=lambda each: (-each[1].mu, each[0]))

    def save(self, file: IO[str]) -> None:
        """Write all that is known to a text file that is open, as JSON; the model is not written."""
        parts = _parts(self._state)
        plain = {
            name: [[_plain(key), list(numbers)] for key, numbers in part.items()]
            if isinstance(part, Mapping)
            else list(part)
            for name, part in parts.items()
        }
        json.dump({"latest": self._latest, "recorded": self._recorded, "state": plain}, file)

    @classmethod
    def load(cls, file: IO[str], model: RatingModel | None = None) -> Ladder:
        """Return a ladder from what :meth:`save` wrote, with the model it was made with.

        Raises
        ------
        InputError
            If the file holds no ladder of such a model.
        """
        ladder = cls(model)
        try:
            saved = json.load(file)
            parts = {
                name: {_key(key): tuple(numbers) for key, numbers in saved["state"][name]}
                if isinstance(part, Mapping)
                else tuple(saved["state"][name])
                for name, part in _parts(ladder.state).items()
            }
            ladder._latest, ladder._recorded = float(saved["latest"]), int(saved["recorded"])
        except (ValueError, KeyError, TypeError) as error:
            msg = f"file: it holds no ladder of the model {type(ladder.model).__name__}"
            raise InputError(msg) from error
        ladder._state = parts[""] if "" in parts else replace(ladder.state, **parts)
        return ladder

    def _filtered(self, model: Filters, contests: Iterable[Contest]) -> list[Chances]:
        """Play contests with the rows of their players alone, and write these back."""
        packed = pack(list(contests))
        part = replace(
            self._state,
            table={key: row for key in packed.keys if (row := self._state.table.get(key))},
            games={who: row for who, _ in packed.keys if (row := self._state.games.get(who))},
        )
        after, chances, _ = model.play(part, packed, fast=pays(self._recorded, WORTH))
        for name in ("table", "rulesets", "games", "evidence"):
            getattr(self._state, name).update(getattr(after, name))
        self._state = replace(self._state, world=after.world, pooled=after.pooled)
        bounds = zip(packed.first_team, packed.first_team[1:], strict=False)
        return [tuple(chances[first:end]) for first, end in bounds]

    def _folded(self, contests: Iterable[Contest]) -> list[Chances]:
        """Run contests on the entries of their players alone, and write these back."""
        contests = list(contests)
        ids = {LATEST, *(player for c in contests for team in c.teams for player, _ in team)}
        part = {player: self._state[player] for player in ids if player in self._state}
        after, chances = self.model.run(part, contests)
        self._state.update(after)
        return chances


def _parts(state: State) -> dict[str, Any]:
    """Return the mappings and tuples of a state by name; a mapping itself has the name of nothing."""
    if is_dataclass(state):
        return {each.name: getattr(state, each.name) for each in fields(state)}
    return {"": state}


def _own(state: State) -> State:
    """Return a state whose mappings may be changed in place."""
    if isinstance(state, Mapping):
        return dict(state)
    if not is_dataclass(state):
        return state
    parts = {name: dict(part) for name, part in _parts(state).items() if isinstance(part, Mapping)}
    return replace(state, **parts)  # type: ignore[type-var]


def _plain(key: Any) -> Any:
    """Return a key as JSON: a ruleset as an object, a tuple as a list."""
    if isinstance(key, Ruleset):
        return {"game": key.game, "game_type": key.game_type, "mutators": list(key.mutators)}
    return [_plain(each) for each in key] if isinstance(key, tuple) else key


def _key(plain: Any) -> Any:
    if isinstance(plain, dict):
        return Ruleset(plain["game"], plain["game_type"], tuple(plain["mutators"]))
    return tuple(_key(each) for each in plain) if isinstance(plain, list) else plain
