"""A history kept in place, for those who rate as they go.

A match costs the same however many players there are.
The ratings are those of :func:`equipoise.replay` over the same matches, bit for bit.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import IO, Any

import numpy as np

from equipoise.compiled import compiled, pays
from equipoise.errors import InputError
from equipoise.matches import Contest, Match, Ruleset
from equipoise.members import Teams, members_of
from equipoise.players import Rating
from equipoise.ratings.folding import LATEST, Folding
from equipoise.ratings.model import Chances, RatingModel, State, checked
from equipoise.ratings.models.gaussian_filter import kernels
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.ratings.models.gaussian_filter.model import Filters
from equipoise.ratings.models.gaussian_filter.packing import GENERAL, Packed, levels, pack
from equipoise.ratings.models.gaussian_filter.state import FilterState
from equipoise.tables import Table

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
        self.model: RatingModel = Mixture() if model is None else checked(model)
        self._latest, self._recorded = -math.inf, 0
        self._begin(self.model.initial())

    def _begin(self, state: State) -> None:
        """Go on from a state."""
        model = self.model
        self._resident = Resident(model, state) if isinstance(model, Filters) else None
        self._state = dict(state) if isinstance(model, Folding) else state

    @property
    def state(self) -> State:
        """What the model knows, as of :meth:`RatingModel.update`; rebuilt from all players where asked."""
        return dict(self._state) if isinstance(self.model, Folding) else self._known()

    def _known(self) -> State:
        return self._state if self._resident is None else self._resident.state()

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
        if self._resident is not None:
            return self._resident.record(contests, fast=pays(self._recorded, WORTH))
        if isinstance(self.model, Folding):
            return self._folded(contests)
        self._state, chances = self.model.run(self._state, contests)
        return chances

    def rating(self, player: str, ruleset: Ruleset | None = None) -> Rating:
        """Return what is known of a player's skill; of an unknown one, what is assumed."""
        state = self._state if self._resident is None else self._resident.state([player])
        return self.model.rating(state, player, ruleset)

    def predict(self, teams: Teams, ruleset: Ruleset | None = None, at: float | None = None) -> list[float]:
        """Return how likely each team is to win."""
        ids = [player for team in members_of(teams) for player, _ in team]
        state = self._state if self._resident is None else self._resident.state(ids)
        return self.model.win_probability(state, teams, ruleset, at)

    def leaderboard(self, ruleset: Ruleset | None = None) -> list[tuple[str, Rating]]:
        """Return everyone who has played with the rating, the strongest first."""
        state = self._known()
        known = [(player, self.model.rating(state, player, ruleset)) for player in self.model.players(state)]
        return sorted(known, key=lambda each: (-each[1].mu, each[0]))

    def table(self, ruleset: Ruleset | None = None) -> Table:
        """Return the leaderboard as a table, for a notebook or a data frame."""
        board = self.leaderboard(ruleset)
        return Table(("player", "mu", "sigma"), tuple((who, each.mu, each.sigma) for who, each in board))

    def save(self, file: IO[str]) -> None:
        """Write all that is known to a text file that is open, as JSON; the model is not written.

        Raises
        ------
        InputError
            If it is no such file.
        """
        parts = _parts(self._known())
        plain = {
            name: [[_plain(key), list(numbers)] for key, numbers in part.items()]
            if isinstance(part, Mapping)
            else list(part)
            for name, part in parts.items()
        }
        text = json.dumps({"latest": self._latest, "recorded": self._recorded, "state": plain})
        try:
            file.write(text)
        except (AttributeError, TypeError) as error:
            msg = f"file must be a text file that is open for writing, got {file!r}"
            raise InputError(msg) from error

    @classmethod
    def load(cls, file: IO[str], model: RatingModel | None = None) -> Ladder:
        """Return a ladder from what :meth:`save` wrote, with the model it was made with.

        Raises
        ------
        InputError
            If it is no file that is open, or holds no ladder of such a model.
        """
        ladder = cls(model)
        if not callable(getattr(file, "read", None)):
            msg = f"file must be a text file that is open, got {file!r}"
            raise InputError(msg)
        try:
            saved = json.load(file)
            parts = {
                name: {_key(key): tuple(numbers) for key, numbers in saved["state"][name]}
                if isinstance(part, Mapping)
                else tuple(saved["state"][name])
                for name, part in _parts(ladder._known()).items()
            }
            ladder._latest, ladder._recorded = float(saved["latest"]), int(saved["recorded"])
            state = parts[""] if "" in parts else replace(ladder._known(), **parts)
            _check_state(ladder.model, state)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            msg = f"file: it holds no ladder of the model {type(ladder.model).__name__}"
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


def _parts(state: State) -> dict[str, Any]:
    """Return the mappings and tuples of a state by name; a mapping itself has the name of nothing."""
    if is_dataclass(state):
        return {each.name: getattr(state, each.name) for each in fields(state)}
    return {"": state}


def _check_state(model: RatingModel, state: State) -> None:
    """Raise where a state is that of a model with more or fewer numbers of each player."""
    rows: list[tuple[Iterable[Any], int]] = []
    if isinstance(model, Filters):
        many = len(model.filters())
        rows = [
            (state.table.values(), kernels.ROW * many), (state.rulesets.values(), kernels.RULESET * many),
            ([state.world], kernels.WORLD * many), (state.games.values(), 1),
            ([*state.evidence.values(), state.pooled], many + 1),
        ]  # fmt: skip
    elif isinstance(model, Folding):
        known = [numbers for player, numbers in state.items() if player != LATEST]
        rows = [(known, len(model.newcomer())), (filter(None, [state.get(LATEST)]), 1)]
    for some, width in rows:
        for numbers in some:
            if len(numbers) != width or set(map(type, numbers)) - {int, float}:
                msg = f"there are {len(numbers)} numbers, not {width}"
                raise ValueError(msg)


class Resident:
    """The state of filters as columns that stay where they are: only those who play are touched."""

    def __init__(self, model: Filters, state: FilterState) -> None:
        self._model, self._many = model, len(model.filters())
        self._places = Packed(
            {key: n for n, key in enumerate(state.table)}, {each: n for n, each in enumerate(state.rulesets)}
        )
        self._columns: list[Any] = list(model.columns_of(state, self._places.keys, self._places.rulesets))
        self._compiled = False
        self._used = len(self._places.keys)

    def record(self, contests: Sequence[Contest], *, fast: bool) -> list[Chances]:
        """Learn from contests, and return what was predicted of each."""
        packed = pack(contests, before=self._places)
        self._grow(packed)
        if fast and not self._compiled:
            self._columns = [np.array(column, dtype=np.float64) for column in self._columns]
            self._compiled = True
        sizes = packed.room(self._many)
        columns = packed.arrays() if self._compiled else packed.columns()
        room: list[Any]
        play: Any = compiled(kernels.play) if self._compiled else kernels.play
        if self._compiled:
            room = [np.empty(size) for size in sizes]
            play(*self._columns, *columns, *room, True)
        else:
            room = [[0.0] * size for size in sizes]
            play(*self._columns, *columns, *room, True)
        chances = room[-2].tolist() if self._compiled else room[-2]
        return [tuple(chances[a:b]) for a, b in itertools.pairwise(packed.first_team)]

    def state(self, players: Iterable[str] | None = None) -> FilterState:
        """Return the state, of some players alone where they are named."""
        _, table, learnt, world, games, evidence = self._columns
        many, rulesets = self._many, self._places.rulesets
        keys: Mapping[Any, int] = self._places.keys
        if players is not None:
            parts = {part for each in (GENERAL, *rulesets) for part in levels(each)}
            keys = {key: keys[key] for who in players for part in parts if (key := (who, part)) in keys}
        wide, place = kernels.RULESET * many, (many + 1) * len(rulesets)
        return FilterState(
            {key: _numbers(table, n, kernels.ROW * many) for key, n in keys.items()},
            {each: _numbers(learnt, n, wide) for each, n in rulesets.items()},
            _numbers(world, 0, len(world)),
            {who: _numbers(games, n, 1) for (who, part), n in keys.items() if part == GENERAL},
            {each: _numbers(evidence, n, many + 1) for each, n in rulesets.items()} if many > 1 else {},
            _numbers(evidence[place:], 0, many + 1),
        )

    def _grow(self, packed: Packed) -> None:
        """Make room for those who play for the first time, and for rulesets that are new."""
        # From the end, so that those who are there already are not gone through.
        new = list(itertools.islice(reversed(packed.keys), len(packed.keys) - self._used))
        for key in reversed(new):
            self._append(1, self._used, self._model.newcomer(key))
            self._append(4, self._used, (0.0,))
            self._used += 1
        width = kernels.RULESET * self._many
        for n in range(len(self._columns[2]) // width, len(packed.rulesets)):
            learnt, evidence = list(self._columns[2]), list(self._columns[5])
            learnt += self._model.new_ruleset()
            place = (self._many + 1) * n
            evidence[place:place] = [0.0] * (self._many + 1)
            made = np.array if self._compiled else list
            self._columns[2], self._columns[5] = made(learnt), made(evidence)

    def _append(self, which: int, place: int, numbers: Sequence[float]) -> None:
        """Write numbers at a place of a column, which doubles where it is full."""
        column, start = self._columns[which], place * len(numbers)
        if not self._compiled:
            column.extend(numbers)
            return
        if start + len(numbers) > len(column):
            self._columns[which] = column = np.resize(column, 2 * (start + len(numbers)))
        column[start : start + len(numbers)] = numbers


def _numbers(column: Any, place: int, width: int) -> tuple[float, ...]:
    """Return the numbers of a place of a column."""
    return tuple(map(float, column[width * place : width * (place + 1)]))


def _plain(key: Any) -> Any:
    """Return a key as JSON: a ruleset as an object, a tuple as a list."""
    if isinstance(key, Ruleset):
        return {"game": key.game, "game_type": key.game_type, "mutators": list(key.mutators)}
    return [_plain(each) for each in key] if isinstance(key, tuple) else key


def _key(plain: Any) -> Any:
    if isinstance(plain, dict):
        return Ruleset(plain["game"], plain["game_type"], tuple(plain["mutators"]))
    return tuple(_key(each) for each in plain) if isinstance(plain, list) else plain
