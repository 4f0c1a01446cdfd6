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

from equipoise.core.arrays import Floats, ascending
from equipoise.core.data_frames import Table
from equipoise.core.match import Contest, Match, Ruleset, Teams, members_of
from equipoise.core.player import LARGEST_WEIGHT, Rating, is_bot
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
from equipoise.ratings.models.gaussian_filter.contest_columns import (
    DAY,
    GENERAL,
    OneContest,
    Packed,
    check_alone,
    levels,
    pack,
    untyped,
)
from equipoise.ratings.models.gaussian_filter.kernels import SEEN
from equipoise.ratings.models.gaussian_filter.line_ups import NOBODY, LineUpsAsked, Seats, newest, shape_of
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.ratings.models.gaussian_filter.model import Filters, asked_ruleset, member_weights
from equipoise.ratings.models.gaussian_filter.state_columns import FilterState, listed
from equipoise.ratings.per_player_model import LATEST, PerPlayer
from equipoise.ratings.state_check import check_state

#: Members up to which moments are added up as columns.
PAIR = 2

#: What plain kernels take for a prediction, and for a part of a skill in a leaderboard, in contests.
PREDICTED, LISTED = 0.3, 0.0015  # effort

#: What can be recorded.
RECORDED = (Match, Contest)

#: Rulesets and sizes of teams of which columns are kept for the next contest of the kind.
MOST_KINDS = 256  # effort

#: Teams of which nothing has to be known to go through them twice.
LISTS = frozenset({list, tuple})

#: The time of a line-up without one: when the last of its players was seen.
LATELY = np.array([math.nan])


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
        _check_ruleset(ruleset)
        teams = tuple(teams)
        if self._resident is not None:
            found = self._resident.predict(teams, ruleset, at, self._recorded)
            if found is not None:
                return found
        teams = members_of(teams)
        ids = [player for team in teams for player, _ in team]
        state = self._state if self._resident is None else self._resident.state(ids)
        return chances_of(self.model, self.model.win_probability(state, teams, ruleset, at), len(teams))

    def predict_many(
        self,
        line_ups: Any,
        ruleset: Ruleset | None = None,
        at: float | Sequence[float] | Floats | None = None,
        ids: Sequence[str] | None = None,
    ) -> Floats:
        """Return how likely each team of many line-ups is to win, of each what :meth:`predict` says.

        Parameters
        ----------
        line_ups : array of int, or sequence of line-ups
            Line-ups of as many teams each, of ids or of ``(id, share)``, as :meth:`predict` takes them; or
            an array ``(m, n_teams, size)`` of places in ``ids``, which is several times faster.
        ruleset : Ruleset, optional
            What is to be played, by all.
        at : float or sequence of float, optional
            When all are to play, or each of them, seconds since 1970; by default when the last of their
            players was seen.
        ids : sequence of str, optional
            Whom the places are of; by default everyone who has played, in order of first appearance.

        Returns
        -------
        array of float, ``(m, n_teams)``

        Raises
        ------
        InputError
            If line-ups are at fault, or have different numbers of teams.

        Examples
        --------
        >>> ladder = Ladder()
        >>> for n in range(3):
        ...     _ = ladder.record(Contest(Ruleset(), (["ann"], ["bob"]), (1, 2), at=float(n)))
        >>> ladder.predict_many([(["ann"], ["bob"]), (["bob"], ["ann"])]).round(2).tolist()
        [[0.67, 0.33], [0.33, 0.67]]
        >>> ladder.predict_many(np.array([[[0], [1]]])).round(2).tolist()
        [[0.67, 0.33]]
        """
        _check_ruleset(ruleset)
        indexed = isinstance(line_ups, np.ndarray)
        if not indexed and ids is not None:
            msg = "ids is for line_ups that are an array of places in it"
            raise InputError(msg)
        listed: Any = line_ups if indexed else list(line_ups)
        when = _times(at, len(listed))
        if indexed:
            who = self._everyone() if ids is None else ids
            _check_indices(line_ups, len(who))
            if self._resident is not None:
                found = self._resident.predict_indices(line_ups, ruleset, when, ids, self._recorded)
                if found is not None:
                    return found
            _check_ids(who)
            listed = np.array(who, dtype=object)[line_ups].tolist() if line_ups.size else []
        elif self._resident is not None:
            found = self._resident.predict_listed(listed, ruleset, when, self._recorded)
            if found is not None:
                return found
        rows = [
            self.predict(teams, ruleset, None if math.isnan(moment) else moment)
            for teams, moment in zip(listed, when.tolist(), strict=True)
        ]
        if len({len(row) for row in rows}) > 1:
            raise InputError(UNEVEN)
        teams = len(rows[0]) if rows else line_ups.shape[1] if indexed else 0
        return np.array(rows, dtype=np.float64).reshape(len(rows), teams)

    def _everyone(self) -> list[str]:
        """Return everyone who has played, in order of first appearance."""
        known = self.model.players(self._known()) if self._resident is None else self._resident.players()
        return list(known)

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
        if (
            self._resident is not None
            and (found := self._resident.leaderboard(ruleset, first, self._recorded)) is not None
        ):
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
    if not isinstance(match, RECORDED):
        msg = f"match must be a Match or a Contest, got {match!r:.80}"
        raise InputError(msg)


def _check_player(player: object) -> None:
    """Raise where a rating is asked of something else than a player."""
    if not isinstance(player, str) or not player:
        msg = f"player must be an id, got {player!r:.80}"
        raise InputError(msg)


def _check_ruleset(ruleset: object) -> None:
    """Raise where a rating is asked in something else than a ruleset, or in none."""
    if ruleset is not None and not isinstance(ruleset, Ruleset):
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


#: What is wrong with line-ups that do not fit in one array.
UNEVEN = "line_ups must all have the same number of teams"


def _times(at: Any, many: int) -> Floats:
    """Return when each of many line-ups is to play, nan where that is not said."""
    if at is None:
        return np.full(many, math.nan)
    try:
        times = np.array(at, dtype=np.float64)
    except (TypeError, ValueError):
        times = np.full(2, math.nan)
    if times.shape not in {(), (many,)} or not bool((np.abs(times) <= LARGEST_WEIGHT).all()):
        msg = f"at must be seconds since 1970, one number or one for each of {many} line-ups, got {at!r:.80}"
        raise InputError(msg)
    return np.ascontiguousarray(np.broadcast_to(times, (many,)))


def _check_ids(ids: Sequence[str]) -> None:
    """Raise what is wrong with ids that line-ups are places in."""
    if set(map(type, ids)) - {str} or len(set(ids)) < len(ids) or "" in ids:
        msg = "ids must be different texts, none of them empty"
        raise InputError(msg)


def _check_indices(line_ups: Any, many: int) -> None:
    """Raise what is wrong with line-ups as an array of places in ids, of which there are so many."""
    shape = line_ups.shape
    if len(shape) != 3 or line_ups.dtype.kind not in "iu" or shape[1] < 2 or shape[2] < 1:
        msg = f"line_ups must be whole numbers (m, n_teams, size), of two or more teams, got {shape}"
        raise InputError(msg)
    least, most = (int(line_ups.min()), int(line_ups.max())) if line_ups.size else (0, -1)
    if not 0 <= least <= most + 1 <= many:
        msg = f"line_ups must be places from 0 to {many - 1}, got {least} to {most}"
        raise InputError(msg)
    check_alone(line_ups.reshape(len(line_ups), shape[1] * shape[2]), "line_ups")


class Resident:
    """The state of filters as columns that stay where they are: only those who play are touched."""

    def __init__(self, model: Filters, state: FilterState) -> None:
        self._model = model
        self._places = Packed(
            {key: n for n, key in enumerate(state.table)}, {each: n for n, each in enumerate(state.rulesets)}
        )
        self._learnt = model.learnt(state, self._places.keys, self._places.rulesets)
        # After how many changes this is, and what was asked meanwhile, as so many contests.
        self._version, self._work = 0, 0.0
        self._alone: dict[tuple[Any, ...], OneContest] = {}
        self._seats: dict[Ruleset, Seats] = {}
        self._answers: dict[Ruleset | None, LineUpsAsked] = {}

    def fast(self, recorded: int) -> bool:
        """Tell whether compiled kernels pay where so many contests were recorded, or run already."""
        return self._learnt.is_compiled or self._model.fast(int(recorded + self._work))

    def record(self, contests: Sequence[Contest], *, fast: bool) -> list[Chances]:
        """Learn from contests, and return what was predicted of each."""
        packed = self._packed(contests)
        self._version += 1
        self._grow()
        if fast:
            self._learnt.compile()
        chances = listed(self._learnt.play(packed)[0])
        return [tuple(chances[a:b]) for a, b in itertools.pairwise(packed.first_team)]

    def _packed(self, contests: Sequence[Contest]) -> Packed | OneContest:
        """Return contests as columns: those of one that is alone are used again for the next one like it."""
        if len(contests) > 1:
            return pack(contests, before=self._places)
        contest = contests[0]
        kind = (contest.ruleset, *map(len, contest.teams))
        one = self._alone.get(kind)
        if one is None:
            if len(self._alone) >= MOST_KINDS:
                self._alone.clear()
            one = self._alone[kind] = OneContest(pack(contests, before=self._places))
        else:
            one.fill(contest)
        return one

    def players(self) -> list[str]:
        """Return everyone who has played, in order of first appearance."""
        return list(self._asked(None).seats.numbers)

    def predict(
        self, teams: Teams, ruleset: Ruleset | None, at: float | None, recorded: int
    ) -> list[float] | None:
        """Return the chances of teams; None where one of the players is an unknown one who is no newcomer."""
        asked = self._ready(ruleset, PREDICTED, recorded)
        numbers, when = asked.seats.numbers, LATELY
        if at is not None:
            question((("one",), ("other",)), asked.ruleset, at)  # raises what is wrong with the time
            when = np.array([at], dtype=np.float64)
        if LISTS.issuperset(map(type, teams)):
            try:  # most often all are ids of players who are known
                seats = [numbers[who] for team in teams for who in team]  # type: ignore[index]
            except (KeyError, TypeError):
                return self._predict(teams, asked, when)
            sizes = tuple(map(len, teams))
            if len(set(seats)) == len(seats) and len(sizes) > 1 and 0 not in sizes:
                shape = shape_of(sizes)
                found: list[float] = asked.chances(
                    np.array(seats), shape.shares, shape.first_member, shape.first_team, when, shape.room
                ).tolist()
                return found
        return self._predict(teams, asked, when)

    def _predict(self, teams: Teams, asked: LineUpsAsked, when: Floats) -> list[float] | None:
        """Return the chances of teams whose members may have shares, and may be new."""
        members = question(teams, asked.ruleset, 0.0).teams  # raises what is wrong with them
        seats = self._seated([player for team in members for player, _ in team], asked)
        if seats is None:
            return None
        shape = shape_of(tuple(map(len, members)))
        shares = np.array([share for team in members for _, share in team])
        found: list[float] = asked.chances(
            np.array(seats), shares, shape.first_member, shape.first_team, when, shape.room
        ).tolist()
        return found

    def predict_listed(
        self, line_ups: Sequence[Teams], ruleset: Ruleset | None, at: Floats, recorded: int
    ) -> Floats | None:
        """Return the chances of line-ups of ids of known players; None where there are others, or faults."""
        asked = self._ready(ruleset, PREDICTED * len(line_ups), recorded)
        if not LISTS.issuperset(map(type, line_ups)):
            return None
        groups = list(itertools.chain.from_iterable(line_ups))
        if not LISTS.issuperset(map(type, groups)):
            return None
        counts, sizes = set(map(len, line_ups)), set(map(len, groups))
        if len(counts) != 1 or min(counts) < 2 or 0 in sizes:
            return None
        starts = np.arange(len(groups) + 1, dtype=np.int64) * min(sizes)
        if len(sizes) > 1:
            np.cumsum([len(group) for group in groups], out=starts[1:])
        try:
            members: Iterable[Any] = itertools.chain.from_iterable(groups)
            of_all = map(asked.seats.numbers.__getitem__, members)
            seats = np.fromiter(of_all, np.int64, starts[-1])
        except (KeyError, TypeError):
            return None
        many, teams = len(line_ups), min(counts)
        ends = np.arange(0, many * teams + 1, teams, dtype=np.int64)
        seated = np.diff(starts[ends])
        if bool((seated == seated[0]).all()):
            check_alone(seats.reshape(many, -1), "line_ups")
        elif len(np.unique(np.repeat(np.arange(many) * len(asked.seats.numbers), seated) + seats)) < len(
            seats
        ):
            return None
        chances: Floats = asked.chances(seats, np.ones(len(seats)), starts, ends, at, np.empty(2 * teams))
        return chances.reshape(many, teams)

    def predict_indices(
        self, line_ups: Any, ruleset: Ruleset | None, at: Floats, ids: Sequence[str] | None, recorded: int
    ) -> Floats | None:
        """Return the chances of line-ups ``(m, n_teams, size)`` of places in ids; None as :meth:`predict`."""
        many, teams, size = line_ups.shape
        asked = self._ready(ruleset, PREDICTED * many, recorded)
        seats = line_ups.reshape(-1)
        if ids is not None:
            placed = self._known_seats(ids, asked)
            if placed is None:
                return None
            seats = placed[seats]
        starts = np.arange(0, many * teams * size + 1, size, dtype=np.int64)
        ends = np.arange(0, many * teams + 1, teams, dtype=np.int64)
        seats = np.ascontiguousarray(seats, dtype=np.int64)
        chances: Floats = asked.chances(seats, np.ones(len(seats)), starts, ends, at, np.empty(2 * teams))
        return chances.reshape(many, teams)

    def _known_seats(self, ids: Sequence[str], asked: LineUpsAsked) -> Any:
        """Return the seats of ids, which are checked; None as :meth:`_seated`."""
        try:  # most often all are known: then they are texts, and it is faster to compare seats
            placed = np.array(list(map(asked.seats.numbers.__getitem__, ids)), dtype=np.int64)
            if not len(placed) or int(np.bincount(placed).max()) == 1:
                return placed
        except (KeyError, TypeError):
            pass
        _check_ids(ids)
        found = self._seated(ids, asked)
        return None if found is None else np.array(found, dtype=np.int64)

    def _seated(self, players: Sequence[str], asked: LineUpsAsked) -> list[int] | None:
        """Return the seats of players, NOBODY of a newcomer; None where one begins unlike other newcomers."""
        seats = list(map(asked.seats.numbers.get, players, itertools.repeat(NOBODY)))
        if NOBODY in seats:
            guesses = self._model.guesses()
            new = [player for player, seat in zip(players, seats, strict=True) if seat == NOBODY]
            if any(is_bot(player) or player in guesses for player in new):
                return None
        return seats

    def _ready(self, ruleset: Ruleset | None, work: float, recorded: int) -> LineUpsAsked:
        """Return what answers are of, after so much work as contests, compiled where that pays by now."""
        if not self._learnt.is_compiled:
            self._work += work
            if self.fast(recorded):
                self._version += 1
                self._learnt.compile()
        return self._asked(ruleset)

    def _asked(self, ruleset: Ruleset | None) -> LineUpsAsked:
        """Return what is known now of a ruleset, or of what several have in common."""
        asked = self._answers.get(ruleset)
        if asked is not None and asked.version == self._version:
            return asked
        known, model, learnt = self._places.rulesets, self._model, self._learnt
        of, common = asked_ruleset(known, ruleset)
        pooled = learnt.evidence(-1)
        own = (0.0,) * len(pooled)
        if common:
            constants = model.in_common(model.state_of(learnt, {}, known)).rulesets[GENERAL]
        elif of in known:
            constants, own = learnt.ruleset(known[of]), learnt.evidence(known[of])
        else:
            constants = model.new_ruleset()
        weights = member_weights(own, pooled)
        parts = levels(of)
        seats = self._seats.setdefault(of, Seats(parts))
        seats.follow(self._places.keys)
        asked = LineUpsAsked(
            self._version, of, constants, weights, seats, learnt.games, learnt.blocks(constants, weights),
            seats.flat(), len(parts), int(untyped(of)), learnt.lanes,
        )  # fmt: skip
        self._answers[ruleset] = asked
        return asked

    def leaderboard(
        self, ruleset: Ruleset | None, first: int | None, recorded: int
    ) -> tuple[list[str], Floats, Floats] | None:
        """Return ids, mu and sigma, the strongest first; None where they are not added up as columns."""
        if len(self._model.filters()) > PAIR or not self._places.keys:
            return None  # more than two are added up exactly, one player after the other
        asked = self._ready(ruleset, LISTED * len(self._places.keys), recorded)
        ids, by_id = asked.seats.by_id()
        found = asked.moments(by_id)
        mu = sum(weight * mean for weight, (mean, _) in zip(asked.weights, found, strict=True))
        variance = sum(
            weight * (spread + (mean - mu) * (mean - mu))
            for weight, (mean, spread) in zip(asked.weights, found, strict=True)
        )
        able = np.arange(len(mu))
        if first is not None and first < len(mu):
            able = np.flatnonzero(mu >= np.partition(mu, -first)[-first])
        order = able[ascending(-mu[able])][:first]
        return list(map(ids.__getitem__, order.tolist())), mu[order], np.sqrt(variance[order])

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
        if len(self._places.keys) > self._learnt.n_parts:
            for key, _ in newest(self._places.keys, self._learnt.n_parts):
                self._learnt.add_part(self._model.newcomer(key))
        for _ in range(self._learnt.n_rulesets, len(self._places.rulesets)):
            self._learnt.add_ruleset(self._model.new_ruleset())


def _plain(key: Any) -> Any:
    """Return a key as JSON: a ruleset as an object, a tuple as a list."""
    if isinstance(key, Ruleset):
        return {"game": key.game, "game_type": key.game_type, "mutators": list(key.mutators)}
    return [_plain(each) for each in key] if isinstance(key, tuple) else key


def _key(plain: Any) -> Any:
    if isinstance(plain, dict):
        return Ruleset(plain["game"], plain["game_type"], tuple(plain["mutators"]))
    return tuple(_key(each) for each in plain) if isinstance(plain, list) else plain
