"""What models share whose state is one tuple of numbers for each player."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from equipoise.core.match import Contest, Ruleset, Teams
from equipoise.core.player import LARGEST_WEIGHT, Rating
from equipoise.errors import InputError
from equipoise.ratings.model import Attention, Chances, Further, question

#: What is known of one player; which numbers these are is the model's.
Entry = tuple[float, ...]

#: In place of a player's id, which is never empty: the entry with the time of the last contest.
LATEST = ""

#: The state: what is known of everyone who has played, and under :data:`LATEST` the time of the last contest.
Table = Mapping[str, Entry]

#: What is known of everyone in a contest, team by team.
Entries = list[list[Entry]]


class PerPlayer(Further, ABC):
    """A model whose state is an entry for each player; it knows no rulesets and no clock."""

    __slots__ = ()

    local: ClassVar[bool] = True

    @abstractmethod
    def newcomer(self) -> Entry:
        """Return what is assumed of a player who was never seen."""

    @abstractmethod
    def predict(self, entries: Entries, contest: Contest) -> list[float]:
        """Return how likely each team is to win; the ranks of the contest are not to be looked at."""

    @abstractmethod
    def known(self, entry: Entry) -> Rating:
        """Return an entry as mean and standard deviation of the skill."""

    def initial(self) -> Table:
        """Return the state of nobody having played."""
        return {}

    def update(self, state: Table, contest: Contest) -> Table:
        """Return the state after one contest more."""
        return self.run(state, [contest])[0]

    @abstractmethod
    def run(
        self, state: Table, contests: Sequence[Contest], attention: Attention | None = None
    ) -> tuple[Table, list[Chances]]:
        """Return the state after several contests, and what was predicted of each from those before it."""

    def win_probability(
        self, state: Table, teams: Teams, ruleset: Ruleset | None = None, at: float | None = None
    ) -> list[float]:
        """Return how likely each team is to win; ruleset and time make no difference."""
        contest = question(teams, ruleset, at or 0.0)
        return self.predict(self.entries(state, contest), contest)

    def rating(self, state: Table, player: str, ruleset: Ruleset | None = None) -> Rating:
        """Return what is known of a player's skill; the ruleset makes no difference."""
        del ruleset
        return self.known(self.newcomer() if player == LATEST else state.get(player, self.newcomer()))

    def players(self, state: Table) -> Iterable[str]:
        """Return the ids of everyone who has played."""
        return [player for player in state if player != LATEST]

    def latest(self, state: Table) -> float:
        """Return when the last contest ended that is known, seconds since 1970; minus infinity for none."""
        return state.get(LATEST, (-math.inf,))[0]

    def entries(self, table: Table, contest: Contest) -> Entries:
        """Return what is known of everyone in a contest."""
        new = self.newcomer()
        return [[table.get(player, new) for player, _ in team] for team in contest.teams]


class Folding(PerPlayer):
    """A model that changes the entries of those who played, contest by contest, and nothing else.

    A model of this kind says what a newcomer's entry is, how a contest changes entries, and how likely each
    team is to win.
    """

    __slots__ = ()

    @abstractmethod
    def change(self, entries: Entries, contest: Contest) -> Entries:
        """Return the entries after a contest of weight 1: see :func:`steps_of`."""

    def run(
        self, state: Table, contests: Sequence[Contest], attention: Attention | None = None
    ) -> tuple[Table, list[Chances]]:
        """Return the state after several contests, and what was predicted of each from those before it."""
        table = dict(state)
        chances: list[Chances] = []
        for n, contest in enumerate(contests):
            entries = self.entries(table, contest)
            chances.append(tuple(self.predict(entries, contest)))
            factors = attention[n] if attention is not None else {}
            whole = contest if contest.weight == 1.0 else replace(contest, weight=1.0)
            for part in steps_of(contest.weight):
                after = self.change(entries, whole)
                entries = [
                    [
                        between(was, becomes, part * factors.get(player, 1.0))
                        for (player, _), was, becomes in zip(team, old, new, strict=True)
                    ]
                    for team, old, new in zip(whole.teams, entries, after, strict=True)
                ]
            for team, known in zip(whole.teams, entries, strict=True):
                table.update(zip([player for player, _ in team], known, strict=True))
            table[LATEST] = (max(contest.at, table.get(LATEST, (contest.at,))[0]),)
        return table, chances


def check_above(model: Any, least: float, *names: str) -> None:
    """Raise where a constant of a model is not a finite number above a bound.

    Raises
    ------
    InputError
        The message begins with the constant.
    """
    for name in names:
        number = getattr(model, name)
        if isinstance(number, bool) or not isinstance(number, int | float) or not least < number < math.inf:
            msg = f"{name} must be a number above {least:g}, got {number!r}"
            raise InputError(msg)
    check_finite(model, *names)


def check_finite(model: Any, *names: str) -> None:
    """Raise where a constant of a model is no number, or so large that ratings would leave their range.

    Raises
    ------
    InputError
        The message begins with the constant.
    """
    most = LARGEST_WEIGHT
    for name in names:
        number = getattr(model, name)
        if isinstance(number, bool) or not isinstance(number, int | float) or not -most <= number <= most:
            msg = f"{name} must be a number from {-most:g} to {most:g}, got {number!r}"
            raise InputError(msg)


def steps_of(weight: float) -> list[float]:
    """Return as what parts of a contest one of some weight is played: ten contests where it is ten.

    In one step as large a model would leave what it is a line to.

    Examples
    --------
    >>> steps_of(1.0), steps_of(0.25), steps_of(2.5)
    ([1.0], [0.25], [1.0, 1.0, 0.5])
    """
    return [min(weight - step, 1.0) for step in range(max(math.ceil(weight), 1))]


def between(was: Entry, becomes: Entry, factor: float) -> Entry:
    """Return an entry part of the way from one to another; a factor of 1 is all of it.

    Examples
    --------
    >>> between((1500.0, 200.0), (1600.0, 100.0), 0.25)
    (1525.0, 175.0)
    """
    if factor == 1.0:
        return becomes
    return tuple(old + factor * (new - old) for old, new in zip(was, becomes, strict=True))


def softmax(exponents: Sequence[float]) -> list[float]:
    """Return probabilities in proportion to the exponentials of numbers.

    Examples
    --------
    >>> softmax([1e9, 1e9])
    [0.5, 0.5]
    """
    top = max(exponents)
    powers = [math.exp(exponent - top) for exponent in exponents]
    total = sum(powers)
    return [power / total for power in powers]
