"""The laws of replaceable parts as functions, and instances to try them on; for those who write their own.

``check_objective``, ``check_solver``, ``check_model`` and ``check_game`` raise AssertionError with the
law that is broken.
The project's own tests run them over everything that is registered.
"""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from equipoise.arrays import Floats, Labels
from equipoise.games.lines import LONGEST_LINE
from equipoise.games.reading import Game, Parsed, Reader
from equipoise.games.rules import ruleset_from, ruleset_text
from equipoise.matches import Contest, Match, Ruleset, Skipped, Statistics, Unfinished
from equipoise.ratings.model import RatingModel
from equipoise.ratings.replaying import replay
from equipoise.teams.objectives.objective import Criterion, Limit, Objective, Pair, Scale
from equipoise.teams.problem.components import Contradiction, components
from equipoise.teams.problem.problem import COUNT, MU, SIDE, Problem
from equipoise.teams.solvers.task import Found, Task

#: Relative and absolute difference of costs that rounding explains.
RELATIVE, ABSOLUTE = 1e-9, 1e-11


def random_problem(rng: np.random.Generator, most_blocks: int = 9, n_teams: int = 2) -> Problem:
    """Return a small problem that has legal divisions, of any kind there is.

    Zero weights, ties, equal players, parties, players apart or fixed, unequal and limited sizes, bots and
    uncertain ratings all come up.
    """
    while True:
        problem = _random_problem(rng, most_blocks, n_teams)
        try:
            if n_teams == 2:
                components(problem)
        except Contradiction:
            continue
        if next(legal_divisions(problem), None) is not None:
            return problem


def _random_problem(rng: np.random.Generator, most_blocks: int, n_teams: int) -> Problem:
    blocks = int(rng.integers(2, most_blocks + 1))
    parties = (
        rng.choice([1, 1, 1, 1, 2, 3], size=blocks) if rng.random() < 0.4 else np.ones(blocks, dtype=int)
    )
    n = int(parties.sum())
    makers: list[Callable[[], Floats]] = [
        lambda: rng.normal(25.0, 8.0, n),
        lambda: rng.integers(0, 4, n).astype(np.float64),
        lambda: np.round(rng.normal(1500.0, 300.0, n)),
        lambda: rng.choice([0.0, 0.0, 5.0, 7.5], n),
        lambda: np.full(n, 3.25),
    ]
    mu = np.abs(makers[rng.integers(len(makers))]())
    variance = rng.random(n) * 4.0 * rng.integers(0, 2)
    side = rng.choice([0.0, 0.5, 1.0], n) if rng.random() < 0.4 else np.full(n, 0.5)
    centre = float(mu.mean())
    each = np.stack([np.ones(n), mu, (mu - centre) ** 2, variance, side], axis=1)
    ends = np.cumsum(parties)
    members = tuple(
        tuple(range(end - size, end)) for size, end in zip(parties.tolist(), ends.tolist(), strict=True)
    )
    features = np.stack([each[list(places)].sum(axis=0) for places in members])
    apart = [tuple(rng.permutation(blocks)[:2].tolist()) for _ in range(int(rng.integers(0, 3)))]
    fixed = [-1] * blocks
    if rng.random() < 0.3:
        fixed[rng.integers(blocks)] = int(rng.integers(n_teams))
    filler, seats = None, (0,) * n_teams
    if rng.random() < 0.5:
        weight = float(rng.choice([centre, 3.0]))
        filler = np.array([1.0, weight, (weight - centre) ** 2, 0.0, 0.5])
        seats = [(0,) * n_teams, (6,) * n_teams, (n,) * n_teams, (n,) * (n_teams - 1) + (n + 2,)][
            rng.integers(4)
        ]
    most = (n,) * n_teams
    sizes = [
        ((0,) * n_teams, most),
        ((1,) * n_teams, (n - 1,) * n_teams),
        ((n // (n_teams + 1),) + (0,) * (n_teams - 1), most),
    ][rng.integers(3)]
    return Problem(
        features=features,
        min_size=sizes[0],
        max_size=sizes[1],
        max_difference=int(rng.choice([1, 1, 2, 4, n])),
        seats=seats,
        filler=filler,
        apart=tuple(pair for pair in apart if len(pair) == 2),
        fixed=tuple(fixed),
        centre=centre,
        members=members,
    )


def random_scale(rng: np.random.Generator, problem: Problem) -> Scale:
    """Return units that suit a problem."""
    mu = problem.features[:, MU]
    spread = float(mu.std()) or 1.0
    return Scale(
        beta=spread,
        centre=problem.centre,
        prior=spread * spread / 64.0,
        side_weight=float(rng.choice([0.0, 0.01, 0.5])),
        tolerance=float(rng.choice([0.001, 0.05])),
    )


def legal_divisions(problem: Problem) -> Iterator[Labels]:
    """Go through every legal division of a small problem, shape (n_blocks,), by brute force."""
    for labels in itertools.product(range(problem.n_teams), repeat=problem.n_blocks):
        division = np.array(labels, dtype=np.int8)
        if problem.legal(division[None, :])[0]:
            yield division


def best_costs(task: Task) -> list[float]:
    """Return the costs of the best different divisions of a small task, by brute force."""
    costs: dict[bytes, float] = {}
    for labels in legal_divisions(task.problem):
        totals = task.problem.totals(labels[None, :])
        if all(criterion.cost(totals)[0] <= limit for criterion, limit in task.limits):
            costs.setdefault(task.problem.signature(labels), float(task.criterion.cost(totals)[0]))
    return sorted(costs.values())[: task.keep]


def check_objective(factory: Callable[[Scale], Objective], rng: np.random.Generator) -> None:
    """Hold an objective to the laws of its kind, on one random instance.

    It is deterministic, changes none of its arguments, returns one finite number a division, is blind to
    the order of teams, is never below its floor, is at its floor for teams that are alike, and (where it
    has a reach) loses no division by it.
    """
    problem = random_problem(rng)
    objective = factory(random_scale(rng, problem))
    assert objective.name, "an objective has a name"
    for criterion in (objective.criterion, *(criterion for criterion, _ in objective.first)):
        _check_criterion(criterion, problem)


def _check_criterion(criterion: Criterion, problem: Problem) -> None:
    divisions = np.array(list(legal_divisions(problem)), dtype=np.int8)
    totals = problem.totals(divisions)
    before = totals.copy()
    costs = criterion.cost(totals)
    assert np.array_equal(totals, before), "an objective does not change its argument"
    assert costs.shape == (len(divisions),), "one cost for each division"
    assert np.isfinite(costs).all(), "costs are finite"
    assert np.array_equal(costs, criterion.cost(totals)), "the same totals have the same cost"
    np.testing.assert_allclose(criterion.cost(totals[:, ::-1]), costs, rtol=RELATIVE, atol=ABSOLUTE)
    assert (costs >= criterion.floor - ABSOLUTE).all(), "no cost is below the floor"
    alike = np.repeat(totals[:1, :1], 2, axis=1)
    alike[:, :, SIDE] = alike[:, :, COUNT] / 2
    if alike[0, 0, COUNT] > 0 and criterion.floor == 0.0:
        assert criterion.cost(alike)[0] <= ABSOLUTE * max(1.0, float(np.abs(alike).max())), "alike is even"
    if criterion.has_reach:
        _check_reach(criterion, problem, totals, costs)


def _check_reach(criterion: Criterion, problem: Problem, totals: Floats, costs: Floats) -> None:
    second = np.array(criterion.second)
    for division, cost in zip(totals, costs, strict=True):
        counts = division[:, COUNT].round().astype(int)
        pair = Pair((int(counts[0]), int(counts[1])), division.sum(axis=0))
        within = criterion.reach(float(cost), pair)
        size = np.abs(problem.features).sum(axis=0) + np.abs(division).sum(axis=0)
        for total, interval, room in (
            (division[0, MU], within[0], size[MU]),
            (division[0] @ second, within[1], size @ second),
        ):
            slack = RELATIVE * room + ABSOLUTE
            assert interval.low - slack <= total <= interval.high + slack, "reach loses no division"


def check_solver(
    solver: Callable[[Task], Found], objective: Objective, problem: Problem, *, exact: bool, keep: int = 3
) -> None:
    """Hold a solver to the laws of its kind, on one problem and objective.

    What it returns is legal, within the limits, different, sorted and not more than was asked for; its bound
    is true; the same task has the same answer; an exact solver finds the best and says it is proven; one that
    is told to stop at once returns without a false proof.
    """
    limits, start = _limits(objective, problem)
    task = Task(problem, objective.criterion, limits, keep=keep, start=start)
    best = best_costs(task)
    found = solver(task)
    costs = [ranked.cost for ranked in found.ranked]
    assert costs == sorted(costs), "best first"
    assert len(costs) <= keep, "not more than asked for"
    for ranked in found.ranked:
        assert problem.legal(ranked.labels[None, :])[0], "legal"
        totals = problem.totals(ranked.labels[None, :])
        assert all(criterion.cost(totals)[0] <= limit for criterion, limit in limits), "within the limits"
        assert math.isclose(ranked.cost, float(objective.criterion.cost(totals)[0]), abs_tol=ABSOLUTE), (
            "true cost"
        )
    assert len({problem.signature(ranked.labels) for ranked in found.ranked}) == len(costs), "different"
    slack = ABSOLUTE + RELATIVE * abs(best[0])
    assert found.bound <= best[0] + slack, "the bound is true"
    if exact:
        assert found.proven, "an exact solver proves what it found"
    if found.proven:
        assert len(costs) == len(best), "all that there are"
        np.testing.assert_allclose(costs, best, rtol=RELATIVE, atol=ABSOLUTE)
    again = solver(replace(task))
    assert [(ranked.cost, ranked.labels.tobytes()) for ranked in again.ranked] == [
        (ranked.cost, ranked.labels.tobytes()) for ranked in found.ranked
    ], "the same task has the same answer"
    stopped = solver(replace(task, stop=lambda: True))
    if stopped.proven:
        np.testing.assert_allclose([r.cost for r in stopped.ranked], best, rtol=RELATIVE, atol=ABSOLUTE)


def _limits(objective: Objective, problem: Problem) -> tuple[tuple[Limit, ...], tuple[Labels, ...]]:
    """Return the limits an objective's earlier criteria set, and a division within them, by brute force."""
    limits: tuple[Limit, ...] = ()
    start: tuple[Labels, ...] = ()
    for criterion, tolerance in objective.first:
        costs = []
        for labels in legal_divisions(problem):
            totals = problem.totals(labels[None, :])
            if all(earlier.cost(totals)[0] <= limit for earlier, limit in limits):
                costs.append((float(criterion.cost(totals)[0]), labels))
        best = min(costs, key=lambda pair: pair[0])
        limits = (*limits, Limit(criterion, best[0] + tolerance))
        start = (best[1],)
    return limits, start


def random_contest(rng: np.random.Generator, players: int = 12) -> Contest:
    """Return a contest of any kind there is: ties, many or uneven teams, bots, partial presence."""
    sizes = [(1, 1), (3, 3), (2, 4), (1, 1, 1), (2, 1, 3), (1,) * 5][rng.integers(6)]
    ids = [f"bot:b{n}:3" if n < 2 else f"p{n}" for n in rng.permutation(players)[: sum(sizes)].tolist()]
    shares = rng.choice([1.0, 1.0, 1.0, 0.5], len(ids)).tolist()
    members = list(zip(ids, shares, strict=True))
    starts = np.cumsum([0, *sizes]).tolist()
    ruleset = [Ruleset(), Ruleset("g", "dm"), Ruleset("g", "ctf", ("instagib",))][rng.integers(3)]
    told = tuple(
        Statistics(player, float(rng.integers(0, 30)), float(rng.integers(0, 30)))
        for player in ids
        if rng.random() < 0.8
    )
    return Contest(
        ruleset,
        tuple(tuple(members[a:b]) for a, b in itertools.pairwise(starts)),
        tuple(rng.integers(0, len(sizes), len(sizes)).tolist()),
        weight=float(rng.choice([1.0, 1.0, 0.25])),
        at=float(rng.integers(0, 100) * 3600),
        scores=tuple(rng.integers(0, 20, len(sizes)).tolist()) if rng.random() < 0.5 else (),
        statistics=told if rng.random() < 0.5 else (),
    )


def check_model(model: RatingModel, rng: np.random.Generator) -> None:
    """Hold a rating model to the laws of its kind, on one random history.

    It is deterministic and changes no state it is given; its probabilities are one for each team and sum to
    1; a run is bit for bit its single steps; teams and players may be listed in any order; whoever wins does
    not become less likely to win the same contest again; and a replay depends on the set of matches alone.
    """
    contests = [replace(random_contest(rng), at=3600.0 * n) for n in range(12)]
    state = _check_steps(model, contests)
    for contest in contests[:4]:
        _check_orders(model, state, contest, rng)
    _check_winning(model, state)
    matches = [Match((contest,), id=f"m{n}") for n, contest in enumerate(contests)]
    shuffled = [matches[n] for n in rng.permutation(len(matches)).tolist()]
    whole = replay(model, matches)
    assert replay(model, [*shuffled, *matches[::-1]]) == whole, "order and repetition change nothing"
    assert replay(model, matches[-1:], replay(model, matches[:-1])) == whole, (
        "the newest match is the last step"
    )


def _check_steps(model: RatingModel, contests: list[Contest]) -> Any:
    """Return the state after contests, having gone there at once, in steps, and again."""
    whole, told = model.run(model.initial(), contests)
    state = model.initial()
    for contest, chances in zip(contests, told, strict=True):
        before = copy.deepcopy(state)
        asked = model.win_probability(state, contest.teams, contest.ruleset, contest.at)
        assert asked == list(chances), "a run predicts what its single steps predict"
        assert len(chances) == len(contest.teams), "there is one probability for each team"
        assert math.isclose(sum(chances), 1.0, rel_tol=1e-9), "probabilities sum to one"
        assert min(chances) >= 0.0, "probabilities are not negative"
        after = model.update(state, contest)
        assert after == model.update(state, contest), "the same arguments give the same answer"
        assert state == before, "a state is not changed"
        state = after
    assert state == whole, "a run is bit for bit its single steps"
    for player in model.players(state):
        rating = model.rating(state, player, contests[0].ruleset)
        assert math.isfinite(rating.mu + rating.sigma), "ratings are finite"
    return state


def _check_orders(model: RatingModel, state: Any, contest: Contest, rng: np.random.Generator) -> None:
    order = rng.permutation(len(contest.teams)).tolist()
    turned = replace(
        contest,
        teams=tuple(contest.teams[n][::-1] for n in order),
        ranks=tuple(contest.ranks[n] for n in order),
        scores=tuple(contest.scores[n] for n in order) if contest.scores else (),
        statistics=contest.statistics[::-1],
    )
    one, other = model.update(state, contest), model.update(state, turned)
    for player in model.players(one):
        for ask in ("mu", "sigma"):
            first = getattr(model.rating(one, player, contest.ruleset), ask)
            second = getattr(model.rating(other, player, contest.ruleset), ask)
            assert math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-9), (
                "the order of listing tells nothing"
            )
    chances = model.win_probability(state, contest.teams, contest.ruleset, contest.at)
    moved = model.win_probability(state, turned.teams, contest.ruleset, contest.at)
    for place, n in enumerate(order):
        assert math.isclose(moved[place], chances[n], rel_tol=1e-9, abs_tol=1e-12), "chances follow the teams"


def _check_winning(model: RatingModel, state: Any) -> None:
    teams = (["p3", "p4"], ["p5", "p6"])
    won = Contest(Ruleset(), tuple(teams), (1, 2), at=3600.0 * 12)
    lost = replace(won, ranks=(2.0, 1.0))
    chances = [
        model.win_probability(model.update(state, contest), teams, at=won.at)[0] for contest in (won, lost)
    ]
    assert chances[0] > chances[1], "winning speaks for the winner"


def parsed(game: Game, content: bytes, cuts: Sequence[int] = ()) -> list[Parsed]:
    """Return all that is in a log which comes in pieces, cut at some places."""
    reader = game.reader("log")
    bounds = [0, *sorted(cuts), len(content)]
    pieces = (content[a:b] for a, b in itertools.pairwise(bounds))
    return [*itertools.chain.from_iterable(reader.read(piece) for piece in pieces), *reader.finish()]


def check_game(game: Game, sample: bytes, rng: np.random.Generator) -> None:
    """Hold a game to the laws of its kind, on a log of it that may be appended to.

    The log is recognised, and by its beginning alone; what is in it does not depend on how it is cut; a part
    of it from its beginning gives the first matches of the whole and no others; a reader that begins where
    another one is settled goes on as that one would; rulesets are in canonical form; a damaged log, a long
    line and random bytes give something that says where, and no exception.
    """
    assert game.recognise(sample[: 1 << 16]), "a log of the game is recognised"
    whole = parsed(game, sample)
    matches = [one for one in whole if isinstance(one, Match)]
    assert len({match.id for match in matches}) == len(matches), "different games have different ids"
    assert parsed(game, sample, range(1, len(sample))) == whole, "nothing depends on how a log is cut"
    for _ in range(20):
        place = int(rng.integers(len(sample)))
        assert parsed(game, sample, [place]) == whole, "nothing depends on how a log is cut"
        part = [one for one in parsed(game, sample[:place]) if isinstance(one, Match)]
        assert part == matches[: len(part)], "what was given is not taken back when a log grows"
        _check_going_on(game, sample, place, whole)
    for match in matches:
        assert ruleset_from(ruleset_text(match.ruleset)) == match.ruleset, "a ruleset is a text"
        assert match.began is None or match.began <= (match.ended or 0.0), "a match begins before it ends"
    _check_tables(game)
    for _ in range(40):
        _check_hostile(game, _damaged(sample, rng))
    _check_hostile(game, sample[: len(sample) // 2] + b"x" * (LONGEST_LINE + 2) + b"\n" + sample)
    _check_hostile(game, rng.bytes(4000))


def _check_going_on(game: Game, sample: bytes, place: int, whole: list[Parsed]) -> None:
    """Stop somewhere, and go on with a new reader from where the first one is settled."""
    first: Reader = game.reader("log")
    before = list(first.read(sample[:place]))
    start, line = first.settled, first.settled_line
    assert start <= place, "what was not read is not settled"
    second: Reader = game.reader("log", line)
    after = [*second.read(sample[start:]), *second.finish()]
    given = before + after
    assert [one for one in given if not isinstance(one, Skipped)] == [
        one for one in whole if not isinstance(one, Skipped)
    ], "a reader goes on where another one is settled"
    assert set(map(repr, given)) == set(map(repr, whole)), "places are numbered on"


def _check_tables(game: Game) -> None:
    for table in game.rules():
        assert not table.cosmetic & table.gameplay, "a mutator changes play or does not"
        for name in table.game_types.values():
            assert table.game_type(name) == name, "a canonical name stands for itself"
        for name in table.gameplay:
            assert not table.unknown([name]), "what is listed is known"


def _check_hostile(game: Game, content: bytes) -> None:
    for one in parsed(game, content):
        assert isinstance(one, Match | Skipped | Unfinished), "a log gives matches, or says what is wrong"
        assert isinstance(one, Match) or one.where.startswith("log, line "), "what is wrong has a place"


def _damaged(sample: bytes, rng: np.random.Generator) -> bytes:
    """Return a log of which a part was lost, doubled, put elsewhere or overwritten."""
    a, b = sorted(int(place) for place in rng.integers(0, len(sample), 2))
    b = min(b, a + 200)
    noise = [rng.bytes(20), b"9" * 5000, b"\\\\\\^1<b>\"'\x0b\x85\xe2\x80\xa8\xe2\x80\xae", b"\x00\n\r\t::"]
    put = [b"", sample[a:b] * 2, noise[rng.integers(len(noise))]][rng.integers(3)]
    damaged = sample[:a] + put + sample[b:]
    return damaged if rng.random() < 0.5 else damaged[: int(rng.integers(len(damaged) + 1))]
