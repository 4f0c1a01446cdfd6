"""A history kept in place, for those who rate as they go.

A match costs the same however many players there are.
The ratings are those of :func:`equipoise.replay` over the same matches, bit for bit, where those of one time
are recorded in its order: by their ids.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from io import UnsupportedOperation
from numbers import Real
from typing import IO, Any

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.core.data_frames import Table
from equipoise.core.match import Contest, Match, Members, Ruleset, Teams, members_of
from equipoise.core.player import LARGEST_WEIGHT, Rating
from equipoise.core.rulesets import ruleset_text
from equipoise.errors import InputError
from equipoise.ratings.model import (
    Chances,
    RatingModel,
    State,
    careful,
    chances_of,
    checked,
    meant_ruleset,
    question,
    ratings_of,
)
from equipoise.ratings.models.gaussian_filter.contest_columns import DAY, GENERAL, Packed, levels, pack
from equipoise.ratings.models.gaussian_filter.kernels import SEEN
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.ratings.models.gaussian_filter.model import Filters
from equipoise.ratings.models.gaussian_filter.state_columns import FilterState, listed
from equipoise.ratings.per_player_model import LATEST, PerPlayer
from equipoise.ratings.state_check import check_state

#: Members up to which moments are added up as columns.
PAIR = 2


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
        self.model: RatingModel = Mixture() if model is None else checked(model)
        self._latest, self._recorded = -math.inf, 0
        self._begin(self.model.initial())

    def _begin(self, state: State) -> None:
        """Go on from a state."""
        model = self.model
        self._resident = Resident(model, state) if isinstance(model, Filters) else None
        self._state = dict(state) if isinstance(model, PerPlayer) else state

    @property
    def state(self) -> State:
        """What the model knows, as of :meth:`RatingModel.update`; rebuilt from all players where asked."""
        return dict(self._state) if isinstance(self.model, PerPlayer) else self._known()

    def _known(self) -> State:
        return self._state if self._resident is None else self._resident.state()

    def record(self, match: Match | Contest) -> list[Chances]:
        """Learn from a match, and return what was predicted of each of its contests.

        Matches are not remembered: one that is recorded twice counts twice, unlike in a replay.

        Raises
        ------
        InputError
            If it ended before one that is recorded: the ratings would depend on the order of arrival.
        """
        _check_match(match)
        contests = match.contests if isinstance(match, Match) else (match,)
        ended = (match.ended or 0.0) if isinstance(match, Match) else match.at
        if ended < self._latest:
            msg = f"match: it ended at {ended!r}, before one that is recorded ({self._latest!r}); use replay"
            raise InputError(msg)
        recorded = self._recorded + len(contests)
        if self._resident is not None:
            chances = self._resident.record(contests, fast=self._resident.fast(recorded))
        elif isinstance(self.model, PerPlayer):
            chances = self._folded(contests)
        else:
            self._state, chances = self.model.run(self._state, contests)
        self._latest, self._recorded = max(ended, *(contest.at for contest in contests)), recorded
        return chances

    def rating(self, player: str, ruleset: Ruleset | None = None) -> Rating:
        """Return what is known of a player's skill; of an unknown one, what is assumed.

        Raises
        ------
        InputError
            If the player is no id, or the ruleset none.
        """
        _check_player(player)
        _check_ruleset(ruleset)
        state = self._state if self._resident is None else self._resident.state([player])
        return self.model.rating(state, player, ruleset)

    def answers_of(self, ruleset: Ruleset | None = None) -> Ruleset:
        """Return which ruleset an answer is of that is asked for with one, or without.

        Without one it is of the only ruleset that is known; of several, of what they have in common, which is
        ``Ruleset()``.

        Examples
        --------
        >>> ladder = Ladder()
        >>> _ = ladder.record(Contest(Ruleset("ut2004", "ctf"), (["ann"], ["bob"]), (2, 1)))
        >>> ladder.answers_of().game_type
        'ctf'
        """
        _check_ruleset(ruleset)
        return meant_ruleset(
            self.model, self._state if self._resident is None else self._resident.state(()), ruleset
        )

    def predict(self, teams: Teams, ruleset: Ruleset | None = None, at: float | None = None) -> list[float]:
        """Return how likely each team is to win."""
        teams = members_of(teams)
        if self._resident is not None and (chances := self._resident.predict(teams, ruleset, at)) is not None:
            return chances
        ids = [player for team in teams for player, _ in team]
        state = self._state if self._resident is None else self._resident.state(ids)
        return chances_of(self.model, self.model.win_probability(state, teams, ruleset, at), len(teams))

    def predict_rank(
        self, teams: Teams, ruleset: Ruleset | None = None, at: float | None = None
    ) -> list[tuple[int, float]]:
        """Return the place each team is expected to take, and how likely it is to win.

        Places count from 1, and teams that are as likely share one, as in ``predict_rank`` of openskill.

        Examples
        --------
        >>> ladder = Ladder()
        >>> _ = ladder.record(Contest(Ruleset(), (["ann"], ["bob"]), (2, 1)))
        >>> [place for place, _ in ladder.predict_rank((["ann"], ["bob"], ["cid"]))]
        [3, 1, 2]
        """
        chances = self.predict(teams, ruleset, at)
        return [(1 + sum(other > chance for other in chances), chance) for chance in chances]

    def leaderboard(
        self, ruleset: Ruleset | None = None, first: int | None = None
    ) -> list[tuple[str, Rating]]:
        """Return everyone who has played with the rating, the strongest first; or the first so many.

        Raises
        ------
        InputError
            If the ruleset is none, or the number no whole number of at least 1.
        """
        _check_ruleset(ruleset)
        if first is not None:
            if not isinstance(first, int) or isinstance(first, bool) or first < 1:
                msg = f"first must be at least 1, got {first!r}"
                raise InputError(msg)
            ids, mu, sigma = self._columns(ruleset, first)
            rows = zip(ids, mu.tolist(), sigma.tolist(), strict=True)
            return [(player, Rating(mean, deviation)) for player, mean, deviation in rows]
        known = ratings_of(self.model, self._known(), ruleset)
        return sorted(known.items(), key=lambda each: (-each[1].mu, each[0]))

    def leaderboard_columns(self, ruleset: Ruleset | None = None) -> tuple[list[str], Floats, Floats]:
        """Return the leaderboard as columns: ids, mu and sigma, the strongest first.

        Of the default model it takes some milliseconds for tens of thousands of players.

        Raises
        ------
        InputError
            If the ruleset is none.

        Examples
        --------
        >>> ladder = Ladder()
        >>> _ = ladder.record(Contest(Ruleset(), (["ann"], ["bob"]), (2, 1)))
        >>> ids, mu, sigma = ladder.leaderboard_columns()
        >>> ids, bool(mu[0] > mu[1])
        (['bob', 'ann'], True)
        """
        _check_ruleset(ruleset)
        return self._columns(ruleset, None)

    def _columns(self, ruleset: Ruleset | None, first: int | None) -> tuple[list[str], Floats, Floats]:
        """Return the first so many of the leaderboard as columns."""
        if self._resident is not None and (found := self._resident.leaderboard(ruleset, first)) is not None:
            return found
        rows = self.leaderboard(ruleset)[:first]
        return (
            [player for player, _ in rows],
            np.array([each.mu for _, each in rows]),
            np.array([each.sigma for _, each in rows]),
        )

    def table(self, ruleset: Ruleset | None = None) -> Table:
        """Return the leaderboard as a table, for a notebook or a data frame.

        Beside mu and sigma it has a careful figure, mu less two sigma; and how many contests each has played
        and when the last one ended, seconds since 1970, where the model knows that: the default one does.
        The last column says of which ruleset the ratings are, as :meth:`answers_of`.
        """
        known, of = self._known(), ruleset_text(self.answers_of(ruleset))
        played: dict[str, tuple[float | None, float | None]] = {}
        if isinstance(known, FilterState):
            played = {
                who: (games, known.table[who, GENERAL][SEEN] * DAY) for who, (games,) in known.games.items()
            }
        return Table(
            ("player", "mu", "sigma", "careful", "games", "last_seen", "ruleset"),
            tuple(
                (who, each.mu, each.sigma, careful(each), *played.get(who, (None, None)), of)
                for who, each in self.leaderboard(ruleset)
            ),
        )

    def save(self, file: IO[str]) -> None:
        """Write all that is known to a text file that is open, as JSON.

        Of the model it has the name and the settings, by which :meth:`load` refuses another one.

        Raises
        ------
        InputError
            If it is no such file, or the model's state is no mapping to tuples of numbers.
        """
        parts = _parts(self._known())
        try:
            plain = {
                name: [[_plain(key), list(numbers)] for key, numbers in part.items()]
                if isinstance(part, Mapping)
                else list(part)
                for name, part in parts.items()
            }
        except TypeError as error:
            name = type(self.model).__name__
            msg = f"model: the state of {name} cannot be saved; it must map to tuples of numbers"
            raise InputError(msg) from error
        facts = {"latest": self._latest, "recorded": self._recorded, "model": _described(self.model)}
        text = json.dumps({**facts, "state": plain})
        try:
            file.write(text)
        except (AttributeError, TypeError, UnsupportedOperation) as error:
            msg = f"file must be a text file that is open for writing, got {file!r}"
            raise InputError(msg) from error

    @classmethod
    def load(cls, file: IO[str], model: RatingModel | None = None) -> Ladder:
        """Return a ladder from what :meth:`save` wrote, with the model it was made with.

        Raises
        ------
        InputError
            If it is no file that is open, holds no ladder, or one of another model: of another name or, where
            models are dataclasses, with other settings.
        """
        ladder = cls(model)
        if not callable(getattr(file, "read", None)):
            msg = f"file must be a text file that is open, got {file!r}"
            raise InputError(msg)
        other = ""
        try:
            saved = json.load(file)
            if other := _difference(saved["model"], _described(ladder.model)):
                raise ValueError(other)
            parts = {
                name: {_key(key): tuple(numbers) for key, numbers in saved["state"][name]}
                if isinstance(part, Mapping)
                else tuple(saved["state"][name])
                for name, part in _parts(ladder._known()).items()
            }
            ladder._latest, ladder._recorded = float(saved["latest"]), int(saved["recorded"])
            if not ladder._latest <= LARGEST_WEIGHT or ladder._recorded < 0:
                msg = f"the last match ended at {ladder._latest!r}, and {ladder._recorded!r} are recorded"
                raise ValueError(msg)
            state = parts[""] if "" in parts else replace(ladder._known(), **parts)
            check_state(ladder.model, state)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            why = other or f", or a damaged one: {error!s:.200}"
            msg = f"file: it holds no ladder of the model {type(ladder.model).__name__}{why}"
            raise InputError(msg) from error
        ladder._begin(state)
        return ladder

    def _folded(self, contests: Iterable[Contest]) -> list[Chances]:
        """Run contests on the entries of their players alone, and write these back."""
        contests = list(contests)
        ids = {LATEST, *(player for c in contests for team in c.teams for player, _ in team)}
        part = {player: self._state[player] for player in ids if player in self._state}
        after, chances = self.model.run(part, contests)
        self._state.update(after)
        return chances


def _check_match(match: object) -> None:
    """Raise where something else is to be recorded."""
    if not isinstance(match, Match | Contest):
        msg = f"match must be a Match or a Contest, got {match!r:.80}"
        raise InputError(msg)


def _check_player(player: object) -> None:
    """Raise where a rating is asked of something else than a player."""
    if not isinstance(player, str) or not player:
        msg = f"player must be an id, got {player!r:.80}"
        raise InputError(msg)


def _check_ruleset(ruleset: object) -> None:
    """Raise where a rating is asked in something else than a ruleset, or in none."""
    if not isinstance(ruleset, Ruleset | None):
        msg = f'ruleset must be a Ruleset, such as Ruleset("ut2004", "ctf"), or None, got {ruleset!r:.80}'
        raise InputError(msg)


def _described(model: object) -> dict[str, Any]:
    """Return the name of a model and, of a dataclass, its settings, as JSON has them."""
    settings: dict[str, Any] = {}
    if is_dataclass(model):
        settings = {each.name: getattr(model, each.name) for each in fields(model) if each.compare}
    described = {"name": type(model).__name__, "settings": settings}
    found: dict[str, Any] = json.loads(json.dumps(described, default=_plain_setting, skipkeys=True))
    return found


def _plain_setting(value: Any) -> Any:
    """Return a number of any kind as one of Python, and the kind of anything else."""
    return float(value) if isinstance(value, Real) else type(value).__name__


def _difference(saved: Any, model: Mapping[str, Any]) -> str:
    """Return how a model that was saved differs from another, and what to do; nothing where they are one."""
    if saved == model:
        return ""
    name = saved["name"]
    if name == model["name"]:
        before, now = saved["settings"], model["settings"]
        differ = [field for field in {**now, **before} if before.get(field) != now.get(field)]
        name = f"{name} with other values of {', '.join(differ)}"
    return f", but of {name!s:.400}; pass the model it was saved with, as Ladder.load(file, model)"


def _parts(state: State) -> dict[str, Any]:
    """Return the mappings and tuples of a state by name; a mapping itself has the name of nothing."""
    if is_dataclass(state):
        return {each.name: getattr(state, each.name) for each in fields(state)}
    return {"": state}


class Resident:
    """The state of filters as columns that stay where they are: only those who play are touched."""

    def __init__(self, model: Filters, state: FilterState) -> None:
        self._model = model
        self._places = Packed(
            {key: n for n, key in enumerate(state.table)}, {each: n for n, each in enumerate(state.rulesets)}
        )
        self._learnt = model.learnt(state, self._places.keys, self._places.rulesets)
        self._boards: dict[Ruleset, tuple[int, list[str], Any]] = {}

    def fast(self, recorded: int) -> bool:
        """Tell whether compiled kernels pay where so many contests were recorded."""
        return self._model.fast(recorded)

    def record(self, contests: Sequence[Contest], *, fast: bool) -> list[Chances]:
        """Learn from contests, and return what was predicted of each."""
        packed = pack(contests, before=self._places)
        self._grow()
        if fast:
            self._learnt.compile()
        chances = listed(self._learnt.play(packed)[0])
        return [tuple(chances[a:b]) for a, b in itertools.pairwise(packed.first_team)]

    def predict(
        self, teams: Sequence[Members], ruleset: Ruleset | None, at: float | None
    ) -> list[float] | None:
        """Return the chances of teams whose players all have played what is asked; None where not."""
        known = self._places
        if ruleset is None and len(known.rulesets) == 1:
            ruleset = next(iter(known.rulesets))
        if ruleset is None or not self._learnt.is_compiled or ruleset not in known.rulesets:
            return None
        rows = known.rows.get(ruleset, {})
        if not all(player in rows for team in teams for player, _ in team):
            return None
        if at is None:
            at = max(self._learnt.seen(rows[player][0]) for team in teams for player, _ in team) * DAY
        packed = pack([question(teams, ruleset, at)], before=known)
        return listed(self._learnt.predict(packed))

    def leaderboard(
        self, ruleset: Ruleset | None, first: int | None
    ) -> tuple[list[str], Floats, Floats] | None:
        """Return ids, mu and sigma, the strongest first; None where the columns are no arrays."""
        known, model = self._places, self._model
        if not self._learnt.is_compiled or not (ruleset is None or ruleset in known.rulesets):
            return None
        state, ruleset = model.asked_of(model.state_of(self._learnt, {}, known.rulesets), ruleset)
        ids, places = self._board(ruleset)
        constants = state.rulesets.get(ruleset) or model.new_ruleset()
        found = self._learnt.moments(places, constants, model.filters(), ruleset)
        if len(found) > PAIR:  # more than two are added up exactly, one player after the other
            return None
        weights = model.weights(state, ruleset)
        mu = sum(weight * mean for weight, (mean, _) in zip(weights, found, strict=True))
        variance = sum(
            weight * (spread + (mean - mu) * (mean - mu))
            for weight, (mean, spread) in zip(weights, found, strict=True)
        )
        able = np.arange(len(mu))
        if first is not None and first < len(mu):
            able = np.flatnonzero(mu >= np.partition(mu, -first)[-first])
        # Ids ascend, so that of equals the first id is first.
        order = able[np.argsort(-mu[able], kind="stable")][:first]
        return [ids[n] for n in order.tolist()], mu[order], np.sqrt(variance[order])

    def _board(self, ruleset: Ruleset) -> tuple[list[str], Any]:
        """Return everyone by id, and where the parts of each one's skill stand, -1 for none."""
        keys = self._places.keys
        used, ids, places = self._boards.get(ruleset, (0, [], None))
        if used != len(keys):
            ids = sorted(player for player, part in keys if part is GENERAL or part == GENERAL)
            rows = [[keys.get((player, part), -1) for part in levels(ruleset)] for player in ids]
            places = np.array(rows, dtype=np.int64)
            self._boards = {ruleset: (len(keys), ids, places)}
        return ids, places

    def state(self, players: Iterable[str] | None = None) -> FilterState:
        """Return the state, of some players alone where they are named."""
        keys: Mapping[Any, int] = self._places.keys
        rulesets = self._places.rulesets
        if players is not None:
            parts = {part for each in (GENERAL, *rulesets) for part in levels(each)}
            keys = {key: keys[key] for who in players for part in parts if (key := (who, part)) in keys}
        return self._model.state_of(self._learnt, keys, rulesets)

    def _grow(self) -> None:
        """Make room for those who play for the first time, and for rulesets that are new."""
        for key in _newest(self._places.keys, self._learnt.n_parts):
            self._learnt.add_part(self._model.newcomer(key))
        for _ in range(self._learnt.n_rulesets, len(self._places.rulesets)):
            self._learnt.add_ruleset(self._model.new_ruleset())


def _newest(places: Mapping[Any, int], used: int) -> list[Any]:
    """Return the keys that came after the first so many, without going through these."""
    return list(itertools.islice(reversed(places), len(places) - used))[::-1]


def _plain(key: Any) -> Any:
    """Return a key as JSON: a ruleset as an object, a tuple as a list."""
    if isinstance(key, Ruleset):
        return {"game": key.game, "game_type": key.game_type, "mutators": list(key.mutators)}
    return [_plain(each) for each in key] if isinstance(key, tuple) else key


def _key(plain: Any) -> Any:
    if isinstance(plain, dict):
        return Ruleset(plain["game"], plain["game_type"], tuple(plain["mutators"]))
    return tuple(_key(each) for each in plain) if isinstance(plain, list) else plain
