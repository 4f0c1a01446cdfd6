"""What a rating model is, and what is common to all: bots' ids and questions about teams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from equipoise.types import Contest, Rating, Ruleset

#: How the ids of bots begin: ``bot:<name>:<level>``.
BOT = "bot:"

#: Everything a model needs for its next update; each model has a class of its own, compared by value.
State = Any

#: A prediction: how likely each team is to win, summing to 1.
Chances = tuple[float, ...]

#: For each contest, how much each player learns from it (1 where not mentioned).
Attention = Sequence[Mapping[str, float]]

#: Teams of ids, or of ids with the share of the time they will be present.
Teams = Sequence[Sequence[str | tuple[str, float]]]


class RatingModel(Protocol):
    """A frozen dataclass whose fields are the hyperparameters.

    Every method is a pure function; a state is never changed.
    """

    def initial(self) -> State:
        """Return the state of nobody having played."""

    def update(self, state: State, contest: Contest) -> State:
        """Return the state after one contest more."""

    def run(
        self, state: State, contests: Sequence[Contest], attention: Attention | None = None
    ) -> tuple[State, list[Chances]]:
        """Return the state after several contests, and what was predicted of each from those before it.

        Bit for bit the same as :meth:`win_probability` and :meth:`update` for each in turn.
        """

    def win_probability(
        self, state: State, teams: Teams, ruleset: Ruleset | None = None, at: float | None = None
    ) -> list[float]:
        """Return how likely each team is to win a contest that ends at a time, by default now known last."""

    def rating(self, state: State, player: str, ruleset: Ruleset | None = None) -> Rating:
        """Return what is known of a player's skill; of an unknown one, what is assumed."""

    def players(self, state: State) -> Iterable[str]:
        """Return the ids of everyone who has played, in order of first appearance."""


def is_bot(player: str) -> bool:
    """Tell whether an id is that of a bot.

    Examples
    --------
    >>> is_bot("bot:Xan:6"), is_bot("botany")
    (True, False)
    """
    return player.startswith(BOT)


def question(
    teams: Teams, ruleset: Ruleset | None, at: float, parties: Sequence[Sequence[str]] = ()
) -> Contest:
    """Return a contest that has not happened, to be predicted."""
    return Contest(
        ruleset or Ruleset(), tuple(tuple(team) for team in teams), (0.0,) * len(teams), at=at,  # type: ignore[arg-type]
        parties=tuple(tuple(party) for party in parties),
    )  # fmt: skip
