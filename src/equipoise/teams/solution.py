"""What comes back: splits of the roster with all that is known of them."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

import numpy as np

from equipoise.core.data_frames import Table
from equipoise.core.player import Player, Rating
from equipoise.core.sides import EVEN_SIDES
from equipoise.errors import InputError
from equipoise.teams.problem.preferences import Outcome

#: The power unless another is asked for: a split at the mean distance is a quarter as likely as an even one.
DEFAULT_POWER = 2.0


class Status(enum.StrEnum):
    """How much is known of a solution."""

    #: Proven best: nothing is better.
    OPTIMAL = "optimal"
    #: Legal, and no further from the best than the gap to the bound.
    FEASIBLE = "feasible"
    #: Neither a legal split was found yet, nor that there is none.
    UNKNOWN = "unknown"
    #: Proven that nothing keeps all the rules.
    INFEASIBLE = "infeasible"


@dataclass(frozen=True, slots=True)
class Split:
    """The players, divided.

    Parameters
    ----------
    teams : tuple of tuples of Player
        Each team's players, strongest first.
    bots : tuple of int
        How many bots fill up each team.
    totals : tuple of float
        Each team's sum of weights, bots included, roster units.
    win_probability : tuple of float
        Each team's chance; they sum to 1.
    value : float
        What the objective says, in the number it is known by.
    imbalance : float
        The largest distance of a team's win probability from even, whatever the objective.
    preferences : tuple of Outcome
        What became of the preferences that have a price.
    roles : tuple of tuples of str
        What each player plays, in the order of ``teams``; empty where no roles were asked for.
    values : tuple of float
        What every criterion says, in order, where the objective has several and is no single name.
    """

    teams: tuple[tuple[Player, ...], ...]
    bots: tuple[int, ...]
    totals: tuple[float, ...]
    win_probability: tuple[float, ...]
    value: float
    imbalance: float
    preferences: tuple[Outcome, ...] = ()
    roles: tuple[tuple[str, ...], ...] = ()
    values: tuple[float, ...] = ()

    @property
    def moved(self) -> tuple[Player, ...]:
        """Who is in another team than the one of now, in the order of ``teams``."""
        return tuple(
            player for n, team in enumerate(self.teams) for player in team if player.team_now not in (None, n)
        )

    @property
    def weights(self) -> tuple[tuple[float, ...], ...]:
        """What each player counts, in the order of ``teams``: the rating in the role that is played."""
        if not self.roles:
            return tuple(tuple(weight(player) for player in team) for team in self.teams)
        return tuple(
            tuple(weight(player, role) for player, role in zip(team, roles, strict=True))
            for team, roles in zip(self.teams, self.roles, strict=True)
        )


class SplitData(TypedDict):
    """A split in plain lists and numbers; what was not asked for is left out."""

    teams: list[list[str]]
    bots: list[int]
    totals: list[float]
    win_probability: list[float]
    value: float
    values: NotRequired[list[float]]
    wishes: NotRequired[list[dict[str, Any]]]
    moved: NotRequired[list[str]]
    roles: NotRequired[list[list[str | None]]]
    draw: NotRequired[float | None]


#: What rounding does is not worth a word up to this share of the largest total, or of 1.
SLIGHT = 1e-12


class SolutionData(TypedDict):
    """A solution in plain lists and numbers."""

    status: str
    objective: str
    value: float | None
    bound: float | None
    gap: float | None
    solver: str
    beta: float | None
    zero: float | None
    bot_weight: float | None
    default_weight: float | None
    unrated: int
    splits: list[SplitData]
    names: NotRequired[list[str]]
    rounding: NotRequired[float]
    reason: NotRequired[str]
    effort: NotRequired[float]


@dataclass(frozen=True, slots=True)
class Solution:
    """The best splits that were found, and what was proven of them.

    Parameters
    ----------
    status : Status
        Whether the first split is proven best.
    objective : str
        The objective's name.
    solver : str
        The solver's name, of the last one where several objectives were met in order.
    splits : tuple of Split
        Best first; empty where infeasible.
    value, bound : float or None
        The objective of the first split, and what no split can be better than.
    beta : float
        The performance noise of one player that the probabilities are for, roster units.
    beta_source : str
        Where beta comes from, in words.
    zero : float
        The weight of a player whose presence makes no difference to the chances.
    zero_source : str
        Where the zero comes from, in words.
    bot_weight : float or None
        What a bot weighs; None without bots.
    default_weight : float or None
        What players without a weight were given; None where all had one.
    unrated : int
        How many players those were.
    reason : str
        Why nothing is feasible, naming who contradicts whom, or why there are fewer splits than wanted so far
        from one another; empty otherwise.
    rounding : float
        By how much rounding may have changed the first split's cost: no digits below it mean anything.
    draws : float or None
        How often even teams draw for each time one of them wins, as it was asked with; None where unknown.
    side_chance : float
        The chance of the first of two equal teams, for its side, as it was asked with.
    names : tuple of str
        What the teams are called; empty where that was not asked.
    """

    status: Status
    objective: str
    solver: str
    splits: tuple[Split, ...]
    value: float | None
    bound: float | None
    beta: float
    beta_source: str
    zero: float = 0.0
    zero_source: str = "as given"
    bot_weight: float | None = None
    default_weight: float | None = None
    unrated: int = 0
    reason: str = ""
    rounding: float = 0.0
    draws: float | None = None
    side_chance: float = EVEN_SIDES
    names: tuple[str, ...] = ()

    @property
    def gap(self) -> float | None:
        """The value less the bound: 0 where optimal, None where infeasible."""
        if self.value is None or self.bound is None:
            return None
        return abs(self.value - self.bound)

    @property
    def within(self) -> float:
        """What the first split is best within: the rounding where it is more than a trillionth, else 0."""
        size = max((1.0, *map(abs, self.splits[0].totals))) if self.splits else 1.0
        return self.rounding if self.rounding > SLIGHT * size else 0.0

    @property
    def best(self) -> Split:
        """The first split.

        Raises
        ------
        InputError
            If there is none, with the reason.
        """
        if not self.splits:
            msg = f"there is no split, the status is {self.status}: {self.reason}"
            raise InputError(msg)
        return self.splits[0]

    def table(self) -> Table:
        """Return the best split as a table, a row a player and a row a bot; empty where there is none."""
        rows = [
            (self.names[n] if self.names else n + 1, name, weight, self.best.win_probability[n])
            for n, team in enumerate(self.best.teams if self.splits else ())
            for name, weight in (
                *zip([player.label for player in team], self.best.weights[n], strict=True),
                *[("bot", self.bot_weight)] * self.best.bots[n],
            )
        ]
        return Table(("team", "player", "weight", "win chance"), tuple(rows))

    def _repr_html_(self) -> str:
        """Return the best split for a notebook, with what was proven of it."""
        from html import escape  # a cold start shows none

        value = "" if self.value is None else f", {self.objective} {self.value:.4g}"
        text = escape(f"{self.status}{value}" if self.splits else f"{self.status}: {self.reason}")
        return f"<p>{text}</p>\n{self.table()._repr_html_()}"

    def as_dict(self) -> SolutionData:
        """Return the solution in plain lists and numbers, as ``equipoise balance --json`` prints it."""
        plain: SolutionData = {
            "status": str(self.status),
            "objective": self.objective,
            "value": self.value,
            "bound": self.bound,
            "gap": self.gap,
            "solver": self.solver,
            "beta": self.beta,
            "zero": self.zero,
            "bot_weight": self.bot_weight,
            "default_weight": self.default_weight,
            "unrated": self.unrated,
            "splits": [_split_as_dict(split, self.draws) for split in self.splits],
        }
        if self.names:
            plain["names"] = list(self.names)
        if self.within:
            plain["rounding"] = self.within
        if self.reason:
            plain["reason"] = self.reason
        return plain


def _split_as_dict(split: Split, draws: float | None) -> SplitData:
    plain: SplitData = {
        "teams": [[player.label for player in team] for team in split.teams],
        "bots": list(split.bots),
        "totals": list(split.totals),
        "win_probability": list(split.win_probability),
        "value": split.value,
    }
    if split.values:
        plain["values"] = list(split.values)
    if split.preferences:
        plain["wishes"] = [outcome.as_dict() for outcome in split.preferences]
    if any(player.team_now is not None for team in split.teams for player in team):
        plain["moved"] = [player.label for player in split.moved]
    if split.roles:
        plain["roles"] = [list(roles) for roles in split.roles]
    if draws is not None:
        plain["draw"] = draw_chance(split, draws)
    return plain


def draw_chance(split: Split, draws: float) -> float | None:
    """Return how likely two teams draw; None of more teams.

    The chances of a split are of games that have a winner.

    Parameters
    ----------
    split : Split
        Two teams.
    draws : float
        How often even teams draw for each time one of them wins, 0 or more.

    References
    ----------
    R. Davidson, J. Am. Stat. Assoc. 65 (1970) 317.

    Examples
    --------
    >>> even = Split(((), ()), (0, 0), (5.0, 5.0), (0.5, 0.5), 0.0, 0.0)
    >>> draw_chance(even, 0.25)
    0.2
    """
    if len(split.teams) != 2:
        return None
    one, other = split.win_probability
    tie = 2.0 * draws * math.sqrt(one * other)
    return tie / (1.0 + tie)


def weight(player: Player, role: str = "") -> float:
    """Return a rated player's weight, in a role where that is known."""
    known = dict(player.roles).get(role) if role else None
    if known is not None:
        return known.mu
    return player.rating.mu if isinstance(player.rating, Rating) else 0.0


def chances(solution: Solution, power: float = DEFAULT_POWER) -> list[float]:
    """Return how likely each split of a solution is to be chosen.

    With ``d`` for the largest distance of a team's win probability from even, a split's weight is
    ``(1 + d / mean(d)) ** -power``: power 0 chooses among all alike, and the higher the power, the more
    the most even ones are preferred.

    Parameters
    ----------
    solution : Solution
        With at least one split.
    power : float
        0 or above.

    Returns
    -------
    list of float
        Probabilities in the order of the splits; they sum to 1.

    Raises
    ------
    InputError
        If the power is negative or not finite, or there is no split.
    """
    if not 0.0 <= power < np.inf:
        msg = f"power must be at least 0, got {power!r}"
        raise InputError(msg)
    if not solution.splits:
        msg = "solution: it has no splits to choose from"
        raise InputError(msg)
    imbalances = np.array([split.imbalance for split in solution.splits])
    mean = float(imbalances.mean())
    least = imbalances.min()
    further = np.log1p((imbalances - least) / (mean + least)) if mean > 0.0 else imbalances
    weights = np.exp(-power * further)
    return [float(chance) for chance in weights / weights.sum()]


def choose(solution: Solution, *, rng: np.random.Generator, power: float = DEFAULT_POWER) -> Split:
    """Return one of a solution's splits, the more even the likelier; see :func:`chances`.

    Parameters
    ----------
    solution : Solution
        With at least one split.
    rng : numpy.random.Generator
        The only randomness.
    power : float
        0 or above.

    Raises
    ------
    InputError
        As :func:`chances`.

    Examples
    --------
    >>> from equipoise import balance
    >>> solution = balance({"Ann": 9, "Bob": 7, "Cid": 5, "Dan": 4}, objective="difference", keep=3)
    >>> [split.value for split in solution.splits], [round(c, 2) for c in chances(solution)]
    ([1.0, 3.0, 7.0], [0.57, 0.27, 0.16])
    """
    return solution.splits[int(rng.choice(len(solution.splits), p=chances(solution, power)))]
