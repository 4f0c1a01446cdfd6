"""The Gaussian filter with all covariances: what ``GaussianFilter(joint=True)`` does.  Not validated.

Players who always play together are known by their sum; only a filter that keeps covariances knows that.
One skill holds for all rulesets, and the channels are results and score margins: statistics, trust in them,
and offsets of game types are not here.  The price of a body is one more unknown, before those of the players.
See docs/algorithms/joint-filter.md for the equations.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from equipoise.arrays import Floats
from equipoise.errors import InputError
from equipoise.link import LOGISTIC_SLOPE
from equipoise.matches import Contest, Ruleset, Teams
from equipoise.players import Rating
from equipoise.ratings.model import Attention, Chances, is_bot, question

#: The covariances of so many players are 8 MB, and a contest costs as many steps.
MOST_PLAYERS = 1000

#: Seconds in a day.
DAY = 86400.0

#: Square of a margin before any was seen, how many contests it counts as; bounds of the temperature: those of
#: the diagonal filter.
MARGIN_SQUARE, MARGIN_COUNT = 0.09, 2.0
COOLEST, HOTTEST = 0.25, 2.5


@dataclass(frozen=True, slots=True, eq=False)
class JointState:
    """Everything the joint filter needs for its next update, compared by value.

    Parameters
    ----------
    players : tuple of str
        The ids, in order of first appearance.
    mean : ndarray, shape (1 + n,)
        The price of a body, then each player's skill above it.
    covariance : ndarray, shape (1 + n, 1 + n)
        Of these.
    seen : tuple of float
        The day each player was last seen.
    margins : mapping from Ruleset to two numbers
        The sum of the squares of margins, and their number.
    temperature : tuple of two numbers
        The temperature and the evidence for it.
    """

    mean: Floats
    covariance: Floats
    players: tuple[str, ...] = ()
    seen: tuple[float, ...] = ()
    margins: dict[Ruleset, tuple[float, float]] = field(default_factory=dict)
    temperature: tuple[float, float] = (1.0, 0.0)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JointState):
            return NotImplemented
        mine, theirs = ((s.players, s.seen, s.margins, s.temperature) for s in (self, other))
        return (
            mine == theirs
            and np.array_equal(self.mean, other.mean)
            and np.array_equal(self.covariance, other.covariance)
        )

    __hash__ = None  # type: ignore[assignment]  # as of every state: it holds what can be changed


@dataclass(slots=True)
class _Work:
    """A state that is being worked on; ``place`` is each player's row."""

    model: Any
    place: dict[str, int]
    mean: Floats
    covariance: Floats
    seen: list[float]
    margins: dict[Ruleset, tuple[float, float]]
    temperature: tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Sums:
    """Of the teams' sums: skill, their covariances with all that is known and among them, and noise."""

    skill: Floats
    rows: list[Floats]
    covariance: Floats
    noise: float


def initial(model: Any) -> JointState:
    """Return the state of nobody having played."""
    return JointState(np.array([model.baseline]), np.array([[model.baseline_sigma**2]]))


def run(
    model: Any, state: JointState, contests: Sequence[Contest], attention: Attention | None = None
) -> tuple[JointState, list[Chances]]:
    """Return the state after several contests, and what was predicted of each from those before it.

    Raises
    ------
    InputError
        If there are more players than 1,000, or a window is asked for.
    """
    if attention is not None:
        msg = "window: the joint filter has none; leave out window or joint"
        raise InputError(msg)
    work = _opened(model, state, [player for each in contests for team in each.teams for player, _ in team])
    if len(work.place) > MOST_PLAYERS:
        msg = f"players: {len(work.place)} are not allowed with joint; at most {MOST_PLAYERS} are"
        raise InputError(msg)
    chances = [_learn(work, contest) for contest in contests]
    after = JointState(
        work.mean, work.covariance, tuple(work.place), tuple(work.seen), work.margins, work.temperature
    )
    return after, chances


def win_probability(
    model: Any, state: JointState, teams: Teams, ruleset: Ruleset | None, at: float | None
) -> list[float]:
    """Return how likely each team is to win."""
    contest = question(teams, ruleset, at or 0.0)
    players = [player for team in contest.teams for player, _ in team]
    work = _opened(model, state, players)
    seen = [work.seen[work.place[player] - 1] for player in players]
    now = max((day for day in seen if day == day), default=0.0)
    _arrive(work, players, now if at is None else at / DAY)
    return list(_published(work, _summed(work, contest)))


def rating(model: Any, state: JointState, player: str) -> Rating:
    """Return skill and uncertainty of a player."""
    if player in state.players:
        n = 1 + state.players.index(player)
        return Rating(float(state.mean[0] + state.mean[n]), math.sqrt(state.covariance[n, n]))
    return Rating(float(state.mean[0]) + newcomer(state.players, state.mean, player), model.sigma)


def mean_bot(players: Iterable[str], mean: Floats) -> float:
    """Return the mean skill of the bots above the price of a body, 0 without any."""
    skills = [float(skill) for player, skill in zip(players, mean[1:], strict=False) if is_bot(player)]
    return math.fsum(skills) / len(skills) if skills else 0.0


def margin_scale(model: Any, state: JointState, ruleset: Ruleset) -> float:
    """Return the expected margin for each unit of skill."""
    squares, count = state.margins.get(ruleset, (MARGIN_SQUARE * MARGIN_COUNT, MARGIN_COUNT))
    return float(model.margin_slope * math.sqrt(squares / count) * state.temperature[0])


def newcomer(players: Iterable[str], mean: Floats, player: str) -> float:
    """Return the skill that is assumed of someone not seen: a bot is like the mean bot."""
    return mean_bot(players, mean) if is_bot(player) else 0.0


def _opened(model: Any, state: JointState, players: Iterable[str]) -> _Work:
    """Return a copy of a state with room for more players; until they arrive they are at 0 for certain."""
    place = {player: 1 + n for n, player in enumerate(state.players)}
    for player in players:
        place.setdefault(player, len(place) + 1)
    old, new = len(state.mean), 1 + len(place)
    mean, covariance = np.zeros(new), np.zeros((new, new))
    mean[:old], covariance[:old, :old] = state.mean, state.covariance
    seen = [*state.seen, *(math.nan,) * (new - old)]
    return _Work(model, place, mean, covariance, seen, dict(state.margins), state.temperature)


def _arrive(work: _Work, players: Iterable[str], day: float) -> None:
    """Let the uncertainty of everyone in a contest grow for the time since they were last seen."""
    model, limit = work.model, work.model.sigma**2
    for player in players:
        n = work.place[player]
        seen, variance = work.seen[n - 1], work.covariance[n, n]
        if seen != seen:
            arrived = [other for other, row in work.place.items() if work.seen[row - 1] == work.seen[row - 1]]
            rows = [0, *(work.place[other] for other in arrived)]
            work.mean[n] = newcomer(arrived, work.mean[rows], player) if is_bot(player) else 0.0
            work.covariance[n, n] = limit
            work.seen[n - 1] = day
        elif not is_bot(player):
            grown = variance + model.drift_game**2 + model.drift_day**2 * max(day - seen, 0.0)
            work.covariance[n, n] = min(grown, max(limit, variance))
            work.seen[n - 1] = max(day, seen)


def _summed(work: _Work, contest: Contest) -> _Sums:
    """Return what is known of the teams' sums.

    Only sums of whole rows and single numbers, no matrix products, whose last bits may depend on the size.
    """
    skill, rows, own = [], [], []
    for team in contest.teams:
        bodies = math.fsum(share for _, share in team)
        total, row = bodies * float(work.mean[0]), bodies * work.covariance[0]
        for player, share in team:
            n = work.place[player]
            total += share * float(work.mean[n])
            row = row + share * work.covariance[n]
        skill.append(total)
        rows.append(row)
        own.append([(0, bodies), *((work.place[player], share) for player, share in team)])
    count = len(skill)
    covariance = np.array([[sum(share * float(row[n]) for n, share in team) for team in own] for row in rows])
    beta = work.model.beta
    noise = beta * beta * sum(share * share for team in contest.teams for _, share in team)
    trace, whole = float(np.trace(covariance)), float(covariance.sum())
    pairs = count * trace - whole + (count - 1) * noise
    return _Sums(np.array(skill), rows, covariance, math.sqrt(2.0 * pairs / (count * (count - 1))))


def _published(work: _Work, sums: _Sums) -> Chances:
    exponent = work.temperature[0] * LOGISTIC_SLOPE / sums.noise * (sums.skill - sums.skill.max())
    power = np.exp(exponent)
    return tuple((power / power.sum()).tolist())


def _learn(work: _Work, contest: Contest) -> Chances:
    """Predict a contest, learn from it, and return the prediction."""
    _arrive(work, (player for team in contest.teams for player, _ in team), contest.at / DAY)
    sums = _summed(work, contest)
    chances = _published(work, sums)
    pull, information = _outcome(work.model, sums, contest)
    margin_pull, margin_information = _margin(work, sums, contest)
    one = np.eye(len(sums.skill))
    pull = pull + np.linalg.solve(one + margin_information @ sums.covariance, margin_pull)
    information = information + margin_information
    part = np.linalg.solve(one + information @ sums.covariance, information)
    for t, row in enumerate(sums.rows):
        work.mean += float(pull[t]) * row
    # One rank after the other, so that the covariance stays symmetric to the last bit.
    values, vectors = np.linalg.eigh(0.5 * (part + part.T))
    for value, vector in zip(values.tolist(), vectors.T, strict=True):
        if value > 0.0:
            along = sum(float(x) * row for x, row in zip(vector, sums.rows, strict=True)) * math.sqrt(value)
            work.covariance -= np.outer(along, along)
    _recalibrate(work, sums, contest, chances)
    return chances


def _outcome(model: Any, sums: _Sums, contest: Contest) -> tuple[Floats, Floats]:
    """Return gradient and information of Plackett-Luce; a tie of t is each coming first with weight 1/t."""
    count = len(sums.skill)
    order = sorted(range(count), key=lambda k: contest.ranks[k])
    scale = LOGISTIC_SLOPE / sums.noise
    pull, information = np.zeros(count), np.zeros((count, count))
    for rank in dict.fromkeys(contest.ranks[k] for k in order):
        left = [k for k in order if contest.ranks[k] >= rank]
        if len(left) == 1:
            break
        tied = [k for k in left if contest.ranks[k] == rank]
        power = np.exp(scale * (sums.skill[left] - sums.skill[left].max()))
        power /= power.sum()
        pull[tied] += 1.0 / len(tied)
        pull[left] -= power
        information[np.ix_(left, left)] += np.diag(power) - np.outer(power, power)
    counts = model.outcome * contest.weight * scale
    return counts * pull, counts * scale * information


def _margin(work: _Work, sums: _Sums, contest: Contest) -> tuple[Floats, Floats]:
    """Return what the difference of the scores says: precision times error, and precision."""
    count = len(sums.skill)
    if not contest.scores:
        return np.zeros(count), np.zeros((count, count))
    scores = np.array(contest.scores)
    margin = 2.0 * (scores - scores.mean()) / (1.0 + np.abs(scores).sum())
    squares, contests = work.margins.get(contest.ruleset, (MARGIN_SQUARE * MARGIN_COUNT, MARGIN_COUNT))
    work.margins[contest.ruleset] = (squares + float((margin * margin).sum()) / count, contests + 1.0)
    slope = 2.0 * work.model.margin_slope
    precision = contest.weight / work.model.margin_noise**2 * (count - 1) / count
    error = margin / math.sqrt(squares / contests) - slope * (sums.skill - sums.skill.mean())
    return slope * precision * error, slope * slope * precision * (np.eye(count) - 1.0 / count)


def _recalibrate(work: _Work, sums: _Sums, contest: Contest, chances: Chances) -> None:
    """Let the temperature follow what happened to those who were predicted to win."""
    best = min(contest.ranks)
    if contest.ranks.count(best) > 1:
        return
    exponent = LOGISTIC_SLOPE / sums.noise * (sums.skill - sums.skill.max())
    told = np.array(chances)
    mean = float((told * exponent).sum())
    spread = float((told * exponent * exponent).sum()) - mean * mean
    temperature, evidence = work.temperature
    evidence = evidence * 0.5 ** (1.0 / work.model.half_life) + max(spread, 0.0)
    step = (float(exponent[contest.ranks.index(best)]) - mean) / (evidence + work.model.caution)
    work.temperature = (min(max(temperature + step, COOLEST), HOTTEST), evidence)
