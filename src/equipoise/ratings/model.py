"""What a rating model is, and what is common to all: bots' ids and questions about teams.

Every model predicts who wins.  Some also say how good a match would be, and by how much it would be won:
:class:`Further` is the optional part.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NoReturn, Protocol, cast

from equipoise.core.match import Contest, Ruleset, Teams, members_of
from equipoise.core.player import Rating
from equipoise.errors import InputError

#: Everything a model needs for its next update; each model has a class of its own, compared by value.
State = Any

#: A prediction: how likely each team is to win, summing to 1.
Chances = tuple[float, ...]

#: For each contest, how much each player learns from it (1 where not mentioned).
Attention = Sequence[Mapping[str, float]]


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


#: What a model must have.
METHODS = ("initial", "update", "run", "win_probability", "rating", "players")


def checked(model: Any) -> RatingModel:
    """Return a model, or say which methods it lacks.

    Raises
    ------
    InputError
        If it is none.
    """
    lacking = [name for name in METHODS if not callable(getattr(model, name, None))]
    if lacking or isinstance(model, type):
        name = model.__name__ if isinstance(model, type) else type(model).__name__
        what = f"has no {', '.join(lacking)}" if lacking else "is a class, not an object of it"
        msg = f'model: {name} {what}; see docs/how-to/ratings.md, "A model of your own"'
        raise InputError(msg)
    return cast("RatingModel", model)


def chances_of(model: Any, chances: Any, many: int) -> list[float]:
    """Return what a model gives some teams, or say why these are no chances.

    Raises
    ------
    InputError
        If they are not one for each team, from 0 to 1, with the sum 1.

    Examples
    --------
    >>> chances_of("a model of someone's own", (0.75, 0.25), 2)
    [0.75, 0.25]
    """
    try:
        found = [float(chance) for chance in chances]
    except (TypeError, ValueError):
        found = []
    whole = math.isclose(math.fsum(found), 1.0, abs_tol=1e-6)
    if len(found) != many or not whole or not all(0.0 <= chance <= 1.0 for chance in found):
        msg = (
            f"model: {type(model).__name__} gives {many} teams the chances {chances!r:.80}; "
            "there must be one for each team, from 0 to 1, with the sum 1"
        )
        raise InputError(msg)
    return found


class Further:
    """The optional part of a model: what else it can be asked of teams that have not played.

    ``answers`` has the names of the questions a model answers, so that a caller can look before asking; the
    other ones are refused.  Of a model of your own without this class the answers are none: see
    :func:`answers`.

    Examples
    --------
    >>> from equipoise.ratings.models.elo import Elo
    >>> Elo().answers
    frozenset()
    >>> Elo().quality({}, (["ann"], ["bob"]))
    Traceback (most recent call last):
    equipoise.errors.InputError: model: Elo has no quality; ask one with 'quality' in its answers
    """

    __slots__ = ()

    #: Names of the questions that are answered: ``"quality"``, ``"expected_margin"``,
    #: ``"draw_chance"``.
    answers: ClassVar[frozenset[str]] = frozenset()

    #: Whether a contest reads and changes only entries of its players, whose keys are an id or tuples that
    #: begin with one, and those that belong to nobody: tuples of numbers, and mappings from rulesets.
    local: ClassVar[bool] = False

    #: Whether it learns from columns of numbers too
    #: (:func:`equipoise.ratings.history_columns.replay_columns`).
    by_columns: ClassVar[bool] = False

    def prepare(self, contests: int) -> None:
        """Get ready to learn from so many contests in several parts, if that helps with any of them."""
        del contests

    def quality(
        self, state: State, teams: Teams, ruleset: Ruleset | None = None, at: float | None = None
    ) -> float:
        """Return how good a match would be, from 0 to 1; each model says by which measure.

        Raises
        ------
        InputError
            If the model has none, or the teams are at fault.
        """
        del state, teams, ruleset, at
        self._refuse("quality")

    def expected_margin(
        self, state: State, teams: Teams, ruleset: Ruleset | None = None, at: float | None = None
    ) -> list[float]:
        """Return by how much each team is expected to be ahead of the mean score, as a part of all points.

        For two teams it is ``(score - other score) / (1 + score + other score)``, from -1 to 1; for k teams
        ``2 (score - mean score) / (1 + sum of scores)``.  They sum to 0.

        Raises
        ------
        InputError
            If the model has none, or the teams are at fault.
        """
        del state, teams, ruleset, at
        self._refuse("expected_margin")

    def draw_chance(
        self, state: State, teams: Teams, ruleset: Ruleset | None = None, at: float | None = None
    ) -> float:
        """Return how likely two teams draw; ``win_probability`` is then that of the others who have a winner.

        Raises
        ------
        InputError
            If the model has none, or the teams are at fault.
        """
        del state, teams, ruleset, at
        self._refuse("draw_chance")

    def draw_factor(self, state: State, ruleset: Ruleset | None = None) -> float:
        """Return how often even teams draw for each time one of them wins; see :meth:`draw_chance`.

        Raises
        ------
        InputError
            If the model has none.
        """
        del state, ruleset
        self._refuse("draw_chance")

    def _refuse(self, question: str) -> NoReturn:
        what = question.replace("_", " ")
        msg = f"model: {type(self).__name__} has no {what}; ask one with {question!r} in its answers"
        raise InputError(msg)


def answers(model: Any) -> frozenset[str]:
    """Return the names of the further questions that a model answers, none where it does not say.

    Examples
    --------
    >>> from equipoise.ratings.models.gaussian_filter.model import GaussianFilter
    >>> sorted(answers(GaussianFilter())), sorted(answers("a model of someone's own"))
    (['draw_chance', 'expected_margin', 'quality'], [])
    """
    answers: frozenset[str] = getattr(model, "answers", frozenset())
    return answers


def ratings_of(model: Any, state: State, ruleset: Ruleset | None = None) -> dict[str, Rating]:
    """Return the rating of everyone who has played; some models look up only once what all have in common.

    Examples
    --------
    >>> from equipoise.ratings.models.elo import Elo
    >>> ratings_of(Elo(), {"ann": (1510.0,)})
    {'ann': Rating(mu=1510.0, sigma=0.0)}
    """
    players = list(model.players(state))
    several = getattr(model, "all_ratings", None)
    if several is None:
        return {player: model.rating(state, player, ruleset) for player in players}
    return dict(zip(players, several(state, players, ruleset), strict=True))


def meant_ruleset(model: Any, state: State, ruleset: Ruleset | None = None) -> Ruleset:
    """Return which ruleset a model answers of where it is asked of one, or of none.

    Examples
    --------
    >>> from equipoise.ratings.models.elo import Elo
    >>> meant_ruleset(Elo(), {})
    Ruleset(game='', game_type='', mutators=())
    """
    meant = getattr(model, "meant", None)
    found: Ruleset = (ruleset or Ruleset()) if meant is None else meant(state, ruleset)
    return found


def general_state(model: Any, state: State, played: Collection[Ruleset]) -> State:
    """Return a state whose skill in general is what the rulesets have in common, see ``Filters.in_common``.

    Parameters
    ----------
    model, state
        What has learnt.
    played : collection of Ruleset
        What was played; where games without a ruleset are among it, skill in general was learnt of itself.

    Examples
    --------
    >>> from equipoise.ratings.models.elo import Elo
    >>> general_state(Elo(), {}, ())
    {}
    """
    common = getattr(model, "in_common", None)
    return state if common is None or not played or Ruleset() in played else common(state)


#: How many standard deviations below its mean the careful figure of a leaderboard is.
CAREFUL = 2.0


def careful(rating: Rating) -> float:
    """Return the careful figure of leaderboards: what somebody is worth at least, in all likelihood.

    Examples
    --------
    >>> careful(Rating(25.0, 8.0))
    9.0
    """
    return rating.mu - CAREFUL * rating.sigma


def last_seen(model: Any, state: State, player: str) -> float | None:
    """Return when a player's last contest ended, seconds since 1970; None where a model does not know.

    Examples
    --------
    >>> from equipoise.ratings.models.elo import Elo
    >>> last_seen(Elo(), {}, "ann") is None
    True
    """
    ask = getattr(model, "seen", None)
    return None if ask is None else ask(state, player)


def is_local(model: Any) -> bool:
    """Tell whether a model looks at nobody but those who play, see :class:`Further`.

    Examples
    --------
    >>> from equipoise.ratings.models.elo import Elo
    >>> is_local(Elo()), is_local("a model of someone's own")
    (True, False)
    """
    return bool(getattr(model, "local", False))


def openness(chances: Sequence[float]) -> float:
    """Return how open a match is: the entropy of who wins as a part of the greatest there can be.

    It is 1 where all teams are as likely to win, and 0 where the winner is certain.

    References
    ----------
    C. Shannon, Bell Syst. Tech. J. 27 (1948) 379, section 6 (relative entropy of a source).

    Examples
    --------
    >>> openness([0.5, 0.5]), round(openness([0.75, 0.25]), 4), openness([1.0, 0.0, 0.0])
    (1.0, 0.8113, 0.0)
    """
    entropy = math.fsum(-p * math.log(p) for p in chances if p > 0.0)
    return min(max(entropy / math.log(len(chances)), 0.0), 1.0)


def question(teams: Teams, ruleset: Ruleset | None, at: float) -> Contest:
    """Return a contest that has not happened, to be predicted."""
    members = members_of(teams)
    return Contest(ruleset or Ruleset(), members, (0.0,) * len(members), at=at)
