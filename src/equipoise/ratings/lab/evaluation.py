"""How good predictions of who wins are: log-loss, Brier score, accuracy and calibration.

Validation is progressive: each contest is predicted from those before it, then learnt from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np

from equipoise.core.arrays import Floats, Ints
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.registry import MODELS, resolve
from equipoise.errors import InputError
from equipoise.ratings.history_columns import Columns, run_columns
from equipoise.ratings.model import Chances, RatingModel, chances_of, checked
from equipoise.ratings.models.gaussian_filter.contest_columns import pack
from equipoise.ratings.models.gaussian_filter.model import Filters
from equipoise.ratings.replay import STRIDE, Progress, in_order, run
from equipoise.ratings.side_advantage import SideAdvantages, SideColumns, SideContests, learnt_sides

#: Probabilities are kept this far from 0 and 1 before their logarithm is taken.
CLIP = 1e-6

#: Bins of equal width from 0 to 1 on the favourite's probability.
BINS = 10

#: Contests that are measured at a time.
BLOCK = 1 << 16  # effort


@dataclass(frozen=True, slots=True)
class Metrics:
    """What is measured of a sequence of predictions; nan where nothing was scored.

    Parameters
    ----------
    n : int
        Contests that were scored: those with one winner.
    log_loss : float
        Mean of ``-log(p of the winner)``, nats; 0.6931 is a coin for two teams.
    brier : float
        Mean over contests of the squared error, summed over all teams but divided by two, so that for two
        teams it is that of one of them.
    accuracy : float
        Part of contests the favourite won; a favourite among f equal ones counts 1/f.
    calibration_slope : float
        Factor on the log-odds that would have been best; below 1 is over-confident.
    ece : float
        Expected calibration error of the favourite, ten bins of equal width from 0 to 1.
    three_way : float
        Mean of ``-log(p of what happened)`` over contests of two teams, of which a draw is one thing that may
        happen; nan where draws were not predicted.
    draws : int
        How many of these were drawn.
    """

    n: int
    log_loss: float
    brier: float
    accuracy: float
    calibration_slope: float
    ece: float
    three_way: float = math.nan
    draws: int = 0

    def as_dict(self) -> dict[str, float | None]:
        """Return the figures as plain data, None for nan."""
        return {name: None if number != number else number for name, number in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin of the reliability diagram: how often the favourite was given this chance, and won."""

    count: int
    chance: float
    won: float


class Predictions(NamedTuple):
    """Predictions of some contests, and what came.

    Parameters
    ----------
    chances : array of float, (m, n_teams)
        The probability of each team; 0 behind the teams of a contest that has fewer.
    teams : array of int, (m,)
        How many teams there are.
    winners : array of int, (m,)
        The place of the one winner, -1 for a tie.
    draws : array of float, (m,)
        The chance of a draw, nan where there is none.
    groups : array of int, (m, n_groups)
        The groups in which a contest counts.
    """

    chances: Floats
    teams: Ints
    winners: Ints
    draws: Floats
    groups: Ints

    def some(self, which: Any) -> Predictions:
        """Return some of the contests, as wide as their teams need."""
        chances, teams, *others = (column[which] for column in self)
        width = int(teams.max()) if len(teams) else 0
        return Predictions(chances[:, :width], teams, *others)

    @classmethod
    def joined(cls, parts: Sequence[Predictions]) -> Predictions:
        """Return predictions one after the other."""
        if len(parts) == 1:
            return parts[0]
        width = max(part.chances.shape[1] for part in parts)
        wide = [np.pad(part.chances, ((0, 0), (0, width - part.chances.shape[1]))) for part in parts]
        return cls(np.concatenate(wide), *map(np.concatenate, list(zip(*parts, strict=True))[1:]))

    @classmethod
    def of(
        cls, chances: Sequence[Sequence[float]], winners: Sequence[int], draws: Sequence[float] = ()
    ) -> Predictions:
        """Return predictions that stand in lists; draws may be missing."""
        many, teams = len(winners), np.fromiter(map(len, chances), np.int64, len(chances))
        flat = np.fromiter(chain.from_iterable(chances), float, int(teams.sum()))
        drawn = np.asarray(draws, dtype=float) if len(draws) else np.full(many, math.nan)
        return cls(
            padded(flat, teams), teams, np.asarray(winners, dtype=np.int64), drawn,
            np.empty((many, 0), dtype=np.int64),
        )  # fmt: skip


class BlockStore(Protocol):
    """Keeps predictions to go through them several times: a list, or something on disk."""

    def append(self, block: Predictions, /) -> None:
        """Keep predictions behind those that are there."""

    def __iter__(self) -> Iterator[Predictions]:
        """Go through all that were kept."""
        ...


class _Batches:
    """Predictions put into blocks of one size, so that sums over them are the same however they came."""

    def __init__(self, kept: BlockStore) -> None:
        self._kept, self._waiting, self._many = kept, list[Predictions](), 0

    def add(self, some: Predictions) -> None:
        """Add predictions behind the others."""
        self._waiting.append(some)
        self._many += len(some.teams)
        while self._many >= BLOCK:
            whole = Predictions.joined(self._waiting)
            self._kept.append(whole.some(slice(BLOCK)))
            self._waiting, self._many = [whole.some(slice(BLOCK, None))], self._many - BLOCK

    def blocks(self) -> BlockStore:
        """Return all blocks, the last one as large as it is."""
        if self._many:
            self._kept.append(Predictions.joined(self._waiting).some(slice(None)))
            self._waiting, self._many = [], 0
        return self._kept


def padded(flat: Any, sizes: Any, behind: float = 0.0) -> Floats:
    """Return numbers that stand one after the other as rows of so many, with a number behind the short ones.

    Examples
    --------
    >>> padded([1.0, 2.0, 3.0], np.array([1, 2])).tolist()
    [[1.0, 0.0], [2.0, 3.0]]
    """
    rows = np.full((len(sizes), int(sizes.max()) if len(sizes) else 0), behind)
    rows[np.arange(rows.shape[1]) < np.asarray(sizes)[:, None]] = flat
    return rows


def measure(
    chances: Sequence[Sequence[float]], winners: Sequence[int], draws: Sequence[float] = ()
) -> Metrics:
    """Measure predictions.

    Parameters
    ----------
    chances : sequence of sequences of float
        Each contest's probabilities.
    winners : sequence of int
        The place of the one winner; -1 for a tie, which is not scored.
    draws : sequence of float
        The chance of a draw of each contest; nan where there is none.

    Examples
    --------
    >>> measure([(0.75, 0.25), (0.5, 0.5)], [0, -1]).log_loss == -math.log(0.75)
    True

    References
    ----------
    A. Dawid, J. R. Stat. Soc. A 147 (1984) 278 (prequential analysis);
    D. Cox, Biometrika 45 (1958) 562 (slope of the log-odds);
    C. Guo et al., ICML 2017, eq. 3 (expected calibration error).
    """
    return _measured(_blocks_of(chances, winners, draws))[0]


def reliability(chances: Sequence[Sequence[float]], winners: Sequence[int]) -> list[Bin]:
    """Return the bins that are not empty, by the favourite's probability, ascending."""
    return _measured(_blocks_of(chances, winners))[1]


def _blocks_of(
    chances: Sequence[Sequence[float]], winners: Sequence[int], draws: Sequence[float] = ()
) -> BlockStore:
    batches = _Batches(list[Predictions]())
    batches.add(Predictions.of(chances, winners, draws))
    return batches.blocks()


def _measured(blocks: BlockStore) -> tuple[Metrics, list[Bin]]:
    """Return what is measured of predictions, and the bins of their reliability."""
    sums = [_sums(block) for block in blocks]
    if not sums:
        return Metrics(0, *(math.nan,) * 5), []
    losses, briers, rights, outcomes, *of_bins = (
        [math.fsum(numbers) for numbers in zip(*column, strict=True)] for column in zip(*sums, strict=True)
    )
    many, (three_way, drawable, drawn) = sum(of_bins[0]), outcomes
    bins = [Bin(int(n), likely / n, won / n) for n, likely, won in zip(*of_bins, strict=True) if n]
    metrics = Metrics(0, *(math.nan,) * 5)
    if many:
        metrics = Metrics(
            n=int(many),
            log_loss=losses[0] / many,
            brier=briers[0] / many,
            accuracy=rights[0] / many,
            calibration_slope=_calibration_slope(blocks),
            ece=sum(each.count * abs(each.won - each.chance) for each in bins) / many,
        )
    return replace(metrics, three_way=three_way / drawable if drawable else math.nan, draws=int(drawn)), bins


def _sums(block: Predictions) -> tuple[Sequence[float], ...]:
    """Return sums over a block: the losses, Brier scores, favourites who won, and outcomes with draws.

    Then of each bin how many favourites there are, their chances, and how many won.
    """
    drawable = (block.draws == block.draws) & (block.teams == 2)
    won, draw = block.winners[drawable], block.draws[drawable]
    came = np.where(won < 0, draw, (1.0 - draw) * block.chances[drawable, won])
    outcomes = float(-np.log(np.clip(came, CLIP, 1.0 - CLIP)).sum()), len(won), int((won < 0).sum())
    chances, winners = block.chances[block.winners >= 0], block.winners[block.winners >= 0]
    rows = np.arange(len(winners))
    likely = chances[rows, winners]
    errors = chances.copy()
    errors[rows, winners] -= 1.0
    top = chances.max(axis=1, initial=0.0)
    right = (likely == top) / (chances == top[:, None]).sum(axis=1)
    place = np.minimum((top * BINS).astype(np.int64), BINS - 1)
    of_bin = [place == each for each in range(BINS)]
    return (
        (float(-np.log(np.clip(likely, CLIP, 1.0 - CLIP)).sum()),),
        (float(((errors * errors).sum(axis=1) / 2.0).sum()),),
        (float(right.sum()),),
        outcomes,
        [int(each.sum()) for each in of_bin],
        [float(top[each].sum()) for each in of_bin],
        [float(right[each].sum()) for each in of_bin],
    )


def _calibration_slope(blocks: Iterable[Predictions]) -> float:
    """Return the factor on the log-odds with the greatest likelihood, nan where none is.

    For more than two teams it is the factor on the logarithms of all probabilities.
    """
    slope = 1.0
    for _ in range(100):
        gains, curvatures = zip(*(_slope_step(block, slope) for block in blocks), strict=True)
        curvature = math.fsum(curvatures)
        if curvature < 1e-12:
            return math.nan
        step = math.fsum(gains) / curvature
        slope += min(max(step, -1.0), 1.0)
        if abs(step) < 1e-12:
            break
    return slope if abs(slope) < 50.0 else math.nan


def _slope_step(block: Predictions, slope: float) -> tuple[float, float]:
    """Return the derivative of the log-likelihood at a slope, and how fast it falls there."""
    scored = block.winners >= 0
    winners, chances = block.winners[scored], block.chances[scored]
    present = np.arange(chances.shape[1]) < block.teams[scored][:, None]
    finite = np.where(present, np.log(np.clip(chances, CLIP, 1.0 - CLIP)), 0.0)
    own = finite[np.arange(len(winners)), winners]
    scaled = slope * finite
    top = scaled.max(axis=1, keepdims=True, where=present, initial=-np.inf)
    power = np.where(present, np.exp(np.minimum(scaled - top, 0.0)), 0.0)
    power /= power.sum(axis=1, keepdims=True)
    mean = (power * finite).sum(axis=1)
    return float((own - mean).sum()), float((power * finite * finite).sum() - (mean * mean).sum())


#: Part of the history that is played but not scored.
SKIP = 0.4


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a model predicted, and how good it was.

    Parameters
    ----------
    metrics : Metrics
        Over everything that was scored.
    groups : mapping from str to Metrics
        The same for each ruleset and each size of teams.
    chances : list of tuples of float
        The predictions that count.
    winners : list of int
        Who won, -1 for a tie.
    sides : SideAdvantages, optional
        What it was worth to be named first, over all contests of two teams; of columns without maps.
    bins : list of Bin
        How often favourites won, by their chance.
    """

    metrics: Metrics
    groups: Mapping[str, Metrics] = field(default_factory=dict)
    chances: Sequence[Chances] = ()
    winners: Sequence[int] = ()
    sides: SideAdvantages | None = None
    bins: Sequence[Bin] = ()


def winner(contest: Contest) -> int:
    """Return the place of the one team that came first, -1 for a tie."""
    best = min(contest.ranks)
    return contest.ranks.index(best) if contest.ranks.count(best) == 1 else -1


def evaluate(
    model: RatingModel | str,
    matches: Sequence[Match] | Columns,
    skip: float = SKIP,
    progress: Progress | None = None,
) -> Evaluation:
    """Predict a history in its order, and measure the predictions after the first part.

    Parameters
    ----------
    model : RatingModel or str
        Any, or the name of one, such as ``"elo"``.
    matches : sequence of Match, or Columns
        The set of matches, in any order; or columns, which are in order.
    skip : float
        Part of the contests, from 0 to below 1, that are learnt from but not scored.
    progress : callable, optional
        Called now and then with how far it is, from 0 to 1.

    Raises
    ------
    InputError
        If the part is out of range.
    """
    check_skip(skip)
    model = checked(resolve("model", MODELS, model)() if isinstance(model, str) else model)
    if isinstance(matches, Columns):
        validation = Validation(model)
        validation.add(matches, progress)
        return validation.evaluation(skip, predictions=True)
    played = [(contest, match.map) for match in in_order(matches) for contest in match.contests]
    contests = [contest for contest, _ in played]
    chances, draws = predicted(model, contests, progress)
    sides = learnt_sides(contests, chances, [place for _, place in played])
    return replace(judge(contests, chances, skip, draws), sides=sides)


def check_skip(skip: float) -> None:
    """Raise where it is no part of a history that may be left out."""
    if not isinstance(skip, int | float) or not 0.0 <= skip < 1.0:
        msg = f"must be at least 0 and below 1, got {skip!r}"
        raise InputError(msg, "skip")


def predicted(
    model: RatingModel, contests: Sequence[Contest], progress: Progress | None = None
) -> tuple[list[Chances], list[float]]:
    """Return what is predicted of each contest from those before it: who wins, and a draw (nan where none).

    Draws are those of two teams, of a model that says how likely they are.
    """
    state = model.initial()
    if not isinstance(model, Filters):
        chances = run(model, state, contests, None, progress)[1]
        if len(chances) != len(contests):
            msg = f"model: {type(model).__name__} predicted {len(chances)} contests of {len(contests)}"
            raise InputError(msg)
        for given, contest in zip(chances, contests, strict=True):
            chances_of(model, given, len(contest.teams))
        return chances, [math.nan] * len(contests)
    chances, draws = list[Chances](), list[float]()
    for first in range(0, len(contests), STRIDE):
        part = contests[first : first + STRIDE]
        packed = pack(part)
        state, flat, some = model.play(state, packed, fast=model.fast(len(contests)))
        chances += [tuple(flat[a:b]) for a, b in pairwise(packed.first_team)]
        draws += [draw if len(one.teams) == 2 else math.nan for draw, one in zip(some, part, strict=True)]
        if progress is not None:
            progress(min(first + STRIDE, len(contests)) / len(contests))
    return chances, draws


class _Judged:
    """Predictions of a history as it is gone through: how much of it counts is known at the end."""

    def __init__(self, keep: Callable[[], BlockStore]) -> None:
        self._keep, self._all, self._many = keep, keep(), 0
        #: The number of each group: those of rulesets stand before those of sizes.
        self._groups: dict[tuple[int, str], int] = {}

    def number(self, kind: int, name: str) -> int:
        """Return the number of a group, of rulesets (0) or of sizes (1)."""
        return self._groups.setdefault((kind, name), len(self._groups))

    def add(self, some: Predictions) -> None:
        """Add predictions behind the others."""
        self._all.append(some)
        self._many += len(some.teams)

    def evaluation(self, skip: float, *, predictions: bool) -> Evaluation:
        """Measure what counts, and each group of it."""
        begin, seen = math.floor(self._many * skip), 0
        whole, groups = _Batches(self._keep()), dict[int, _Batches]()
        chances, winners = list[Chances](), list[int]()
        for block in self._all:
            some = block.some(slice(max(begin - seen, 0), None))
            seen += len(block.teams)
            whole.add(some)
            for group in np.unique(some.groups).tolist():
                part = groups.setdefault(group, _Batches(self._keep()))
                part.add(some.some((some.groups == group).any(axis=1)))
            if predictions:
                rows = zip(some.chances.tolist(), some.teams.tolist(), strict=True)
                chances += [tuple(row[:teams]) for row, teams in rows]
                winners += some.winners.tolist()
        metrics, bins = _measured(whole.blocks())
        names = [(name, n) for (_, name), n in sorted(self._groups.items()) if n in groups]
        measured = {name: _measured(groups[n].blocks())[0] for name, n in names}
        return Evaluation(metrics, measured, chances, winners, bins=bins)


class Validation:
    """Progressive validation of a model on a history that comes in parts, in order.

    Parameters
    ----------
    model : RatingModel
        One that learns from columns.
    keep : callable
        Returns something that keeps predictions until all are there: by default a list.
    """

    def __init__(self, model: RatingModel, keep: Callable[[], BlockStore] = list) -> None:
        self._model, self._judged = model, _Judged(keep)
        self._state: Any = None
        self._sides = SideAdvantages()

    def add(self, columns: Columns, progress: Progress | None = None) -> None:
        """Predict each contest of a part from those before it, and learn from it."""
        self._state, found, drawn = run_columns(
            self._model, columns, progress, predicting=True, start=self._state
        )
        numbers = {name: np.asarray(column) for name, column in columns.numbers.items()}
        chances, draws, teams = np.asarray(found), np.asarray(drawn), numbers["teams"].astype(np.int64)
        self._sides.learn_columns(_side_columns(columns, numbers, teams), chances)
        rulesets = [self._judged.number(0, group_of(ruleset)) for ruleset in columns.rulesets]
        of_ruleset = np.array(rulesets, dtype=np.int64)[numbers["which"]]
        ends = np.cumsum(teams)
        for first in range(0, len(teams), BLOCK):
            some = slice(first, first + BLOCK)
            many, of_team = teams[some], slice(int(ends[first] - teams[first]), int(ends[some][-1]))
            rank = padded(numbers["rank"][of_team], many, math.inf)
            alone = (rank == rank.min(axis=1, keepdims=True)).sum(axis=1) == 1
            groups = of_ruleset[some], self._sizes(padded(numbers["size"][of_team], many), many)
            self._judged.add(
                Predictions(
                    padded(chances[of_team], many), many, np.where(alone, rank.argmin(axis=1), -1),
                    np.where(many == 2, draws[some], math.nan), np.stack(groups, axis=1),
                )
            )  # fmt: skip

    def _sizes(self, sizes: Floats, teams: Ints) -> Ints:
        """Return the number of the group of each row of sizes of teams."""
        codes = np.zeros(len(sizes), dtype=np.int64)
        for column in sizes.T.astype(np.int64):
            codes = np.unique(codes * (column.max() + 1) + column, return_inverse=True)[1]
        _, first = np.unique(codes, return_index=True)
        rows = zip(sizes[first].astype(int).tolist(), teams[first].tolist(), strict=True)
        return np.array([self._judged.number(1, _sizes(row[:many])) for row, many in rows], np.int64)[codes]

    def evaluation(self, skip: float = SKIP, *, predictions: bool = False) -> Evaluation:
        """Measure what was predicted after the first part of the contests.

        Parameters
        ----------
        skip : float
            Part of the contests, from 0 to below 1, that are learnt from but not scored.
        predictions : bool
            Whether the predictions are wanted too.

        Raises
        ------
        InputError
            If the part is out of range.
        """
        check_skip(skip)
        return replace(self._judged.evaluation(skip, predictions=predictions), sides=self._sides)


def _side_columns(columns: Columns, numbers: Mapping[str, Any], teams: Ints) -> SideColumns:
    """Return the contests of two teams as what sides are learnt from."""
    two = np.flatnonzero(teams == 2)
    first = (np.cumsum(teams) - teams)[two]
    used, begins, general = np.unique(numbers["which"][two], return_index=True, return_inverse=True)
    order = np.argsort(begins, kind="stable")  # of appearance
    rulesets, rank = list(columns.rulesets), numbers["rank"]
    keys = tuple((rulesets[which], "") for which in used[order].tolist())
    contests = SideContests(
        first, np.argsort(order, kind="stable")[general], np.full(len(two), -1), rank[first], rank[first + 1],
        numbers["weight"][two],
    )  # fmt: skip
    return SideColumns(keys, contests)


def judge(
    contests: Sequence[Contest],
    chances: Sequence[Chances],
    skip: float = SKIP,
    draws: Sequence[float] = (),
) -> Evaluation:
    """Measure predictions of contests in their order."""
    judged = _Judged(list)
    groups = [
        (judged.number(0, group_of(one.ruleset)), judged.number(1, _sizes(list(map(len, one.teams)))))
        for one in contests
    ]
    some = Predictions.of(chances, [winner(contest) for contest in contests], draws)
    judged.add(some._replace(groups=np.array(groups, dtype=np.int64).reshape(-1, 2)))
    return judged.evaluation(skip, predictions=True)


def group_of(ruleset: Ruleset) -> str:
    """Return what the group of a ruleset's contests is called.

    Examples
    --------
    >>> group_of(Ruleset("ut2004", "ctf", ("instagib",))), group_of(Ruleset())
    ('ruleset ut2004 ctf instagib', 'ruleset (none)')
    """
    parts = (ruleset.game, ruleset.game_type, *ruleset.mutators)
    return f"ruleset {' '.join(part for part in parts if part) or '(none)'}"


def _sizes(sizes: Sequence[int]) -> str:
    """Return what the group of contests is called whose teams have these sizes."""
    if len(sizes) > 3 and len(set(sizes)) == 1:
        return f"teams {len(sizes)} of {sizes[0]}"
    return f"teams {' v '.join(map(str, sorted(sizes, reverse=True)))}"
