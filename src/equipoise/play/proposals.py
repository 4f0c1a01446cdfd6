"""Teams of those who are here: who sits out, what is asked of the search, and which answer is proposed.

Of answers that are equally even by their ratings, the one whose difference is known best is proposed: it is
the least far from even in truth.  How well it is known depends on who has met whom and not on ratings alone.
A result shows the difference of two teams and of nothing else.  What it leaves open of two team mates is
therefore opposed (one may be as much stronger as the other is weaker), and of two opponents alike.  Ratings
give each player an uncertainty of their own; the games of those who gather say how these hang together: with
``x`` of 1 for one team, -1 for the other and 0 for everyone else, a game adds ``w x xᵀ`` to the precision of
all skills, where ``w`` is what a result of an even game shows (Fisher's information of the logistic link).
The inverse gives the correlations ``R``, and the variance of a difference is ``xᵀ D R D x`` with the
uncertainties in ``D``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations
from typing import Any

import numpy as np

from equipoise.core.arrays import Floats, Labels
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.player import Player, Rating
from equipoise.core.sides import EVEN_SIDES, SIDES
from equipoise.core.stopping import Stop, never
from equipoise.core.win_probability import LOGISTIC_SLOPE
from equipoise.errors import InputError
from equipoise.play.evening_events import Proposal, Setup
from equipoise.play.ledger import LedgerGame, accounts, burden, met, owed, ways_to_sit_out
from equipoise.teams.balance import balance
from equipoise.teams.problem.preferences import PREFERENCE_PRICE, Preference, recent_preferences
from equipoise.teams.problem.problem import Problem
from equipoise.teams.request import BalanceRequest
from equipoise.teams.solution import Solution, Split, Status
from equipoise.teams.solvers.enumerate import legal_splits
from equipoise.teams.solvers.task import Best, Found, Task

#: Variance of a newcomer's skill in units of a player's noise, as the default model assumes it.
NEWCOMER = 0.64

#: Games that are looked back on: what a result shows of skills fades, and people go.
RECENT = 200


def variances(games: Sequence[LedgerGame], splits: Sequence[Sequence[Sequence[Player]]]) -> Floats:
    """Return how unsure the difference of the teams of each split is, summed over all two teams.

    Parameters
    ----------
    games : sequence of LedgerGame
        What was played so far, in order.
    splits : sequence of sequences of sequences of Player
        Divisions of the same players with ratings.

    Returns
    -------
    ndarray, shape (n_splits,)
        Variances, in the square of the ratings' units.

    Examples
    --------
    Ann and Bob have beaten Cid and Dan: of these teams more is known than of others.

    >>> ann, bob, cid, dan = (Player(name, Rating(25, 8)) for name in ("ann", "bob", "cid", "dan"))
    >>> game = LedgerGame((("ann", "bob"), ("cid", "dan")), (0.5, 0.5), (1, 2))
    >>> again, other = variances([game], [[[ann, bob], [cid, dan]], [[ann, cid], [bob, dan]]])
    >>> bool(again < other)
    True
    """
    here = [player for team in splits[0] for player in team]
    index = {player.id: n for n, player in enumerate(here)}
    sigma = np.array([each.rating.sigma if isinstance(each.rating, Rating) else 0.0 for each in here])
    covariance = correlations(games[-RECENT:], list(index)) * np.outer(sigma, sigma)
    found = np.zeros(len(splits))
    for n, teams in enumerate(splits):
        for one, other in combinations(teams, 2):
            x = np.zeros(len(here))
            x[[index[player.id] for player in one]] = 1.0
            x[[index[player.id] for player in other]] = -1.0
            found[n] += x @ covariance @ x
    return found


def correlations(games: Sequence[LedgerGame], here: Sequence[str]) -> Floats:
    """Return how what is not known of these players hangs together after games, shape (n, n)."""
    everyone = chain(here, (player for game in games for team in game.teams for player in team))
    index = {player: n for n, player in enumerate(dict.fromkeys(everyone))}
    rows = []
    for game in games:
        for one, other in combinations(game.teams, 2):
            noise = (len(one) + len(other)) * (1.0 + NEWCOMER)
            row = np.zeros(len(index))
            row[[index[player] for player in one]] = 1.0
            row[[index[player] for player in other]] = -1.0
            rows.append(row * (0.5 * LOGISTIC_SLOPE / np.sqrt(noise)))
    shown = np.array(rows).reshape(len(rows), len(index))
    covariance = np.linalg.inv(np.eye(len(index)) / NEWCOMER + shown.T @ shown)[: len(here), : len(here)]
    deviation = np.sqrt(np.diag(covariance))
    return covariance / np.outer(deviation, deviation)


#: Splits among which teams are sought that were not proposed tonight.
KEPT = 12

#: The price of meeting again, in win probability: of each two who played together in the last game (half as
#: much a game before), of each two who meet again in a plan, and of whole teams of the evening coming again.
MEETING = 0.005

#: The price of each player who changes team when somebody comes, goes or is replaced.
STAY = 0.02

#: Splits, legal or not, up to which those that were not seen are gone through one by one: some seconds.
MOST_SPLITS = 1 << 21  # effort

#: Values of two splits that differ by less, relatively, are equal, and the ledger chooses.
EQUAL = 1e-9

#: Teams that are less even than others by no more, in win probability, are taken where more is known of them:
#: where the variance of their difference is less by this share, which outweighs being less even.
NEAR, SURER = 0.01, 0.02

#: From ids to players under these ids with ratings, in order, and their units: what is known of the keywords
#: ``beta`` and ``zero`` of ``balance``.
Rated = Callable[[Sequence[str]], tuple[Sequence[Player], Mapping[str, float]]]


@dataclass(frozen=True, slots=True)
class Arranged:
    """Teams that are proposed, with the answer they are from.

    Parameters
    ----------
    proposal : Proposal
        The teams.
    solution : Solution
        What was found and proven.
    split : Split
        Which of its splits is proposed.
    anew : bool
        Whether everyone could be in any team.
    rival : Split or None
        A split that is better by ratings and preferences, but of which less is known.
    fresh : bool
        Whether these are the best of the teams that were not proposed yet, and others were better.
    repeated : bool
        Whether these were proposed already, as no others lie within the price.
    price : float
        The price of meeting again, in win probability.
    """

    proposal: Proposal
    solution: Solution
    split: Split
    anew: bool = True
    rival: Split | None = None
    fresh: bool = False
    repeated: bool = False
    price: float = 0.0

    @property
    def behind(self) -> float:
        """How much more even the rival is, in win probability; 0 where there is none."""
        return 0.0 if self.rival is None else max(_price(self.split) - _price(self.rival), 0.0)

    def as_dict(self, setup: Setup) -> dict[str, Any]:
        """Return it as ``equipoise balance --json`` prints teams, with the id of the proposed match.

        Teams that are not the first ones by the search are feasible and not proven best.
        """
        shown = replace(self.solution, splits=(self.split,))
        if self.split is not self.solution.best or self.fresh:
            shown = replace(shown, status=Status.FEASIBLE, value=self.split.value, bound=None)
        plain = shown.as_dict()
        names = [setup.called(n) for n in range(len(self.proposal.teams))]
        return {"id": self.proposal.id, "names": names, "out": list(self.proposal.out),
                "repeated": self.repeated, "price": self.price, **plain}  # fmt: skip


def arrange(
    games: Sequence[LedgerGame],
    setup: Setup,
    rated: Rated,
    match: str,
    *,
    seen: Collection[frozenset[frozenset[str]]] = (),
    now: Mapping[str, int] | None = None,
    still: bool = False,
    vary: float = MEETING,
    stop: Stop = never,
) -> Arranged:
    """Return teams of those who are here.

    Parameters
    ----------
    games : sequence of LedgerGame
        What was played so far, in order.
    setup : Setup
        Who is here, and the rules.
    rated : callable
        What is known of them.
    match : str
        The id of the match.
    seen : collection of sets of teams
        Teams that are not to be proposed again while others lie within the price of meeting again.
    now : mapping from str to int, optional
        The team, from 0, of those who have one and prefer to stay; without it new teams are made.
    still : bool
        Whether nobody is to change team, as long as that keeps the rules.
    vary : float
        The price of meeting again, in win probability.
    stop : callable
        Asked now and then; once it returns True the search ends with what it has.

    Raises
    ------
    InputError
        If there are too few players, or no teams keep all the rules.
    """
    search = partial(_searched, games, setup, rated, now=now, still=still, vary=vary, stop=stop)
    solution = out = None
    for each in _ways_out(games, setup, now):
        found = search(each)
        if solution is None or found.splits:  # where no way keeps the rules, the first one says why
            solution, out = found, each
        if found.splits or stop():
            break
    if solution is None or out is None or not solution.splits:
        reason = None if solution is None else solution.reason
        msg = f"players: {reason or 'no teams were found in time'}"
        raise InputError(msg)
    rival, fresh, repeated = None, False, False
    if now is None:
        if _parted(solution.splits[0]) in seen:
            other = _unseen(solution, partial(search, out), seen, vary)
            solution, fresh, repeated = other or solution, other is not None, other is None
        split, rival = (solution.splits[0], None) if repeated else _chosen(games, solution, seen)
    else:
        split = _least_burden(games, solution.splits)
    if now is None and not setup.fixed and solution.side_chance == EVEN_SIDES and _turn(games, split):
        turned = _turned(split)
        splits = tuple(turned if each is split else each for each in solution.splits)
        solution, split = replace(solution, splits=splits), turned
    teams = tuple(tuple(player.id for player in team) for team in split.teams)
    moved = tuple(player.id for player in split.moved)
    proposal = Proposal(match, teams, tuple(split.win_probability), out, moved, unmet(setup, teams))
    return Arranged(proposal, solution, split, now is None, rival, fresh, repeated, vary)


def units_of_teams(units: Mapping[str, float], teams: int) -> dict[str, float]:
    """Return units as keywords of ``balance`` for so many teams: only one of two has a better side.

    Examples
    --------
    >>> units_of_teams({"beta": 1.0, "side_chance": 0.6}, 3)
    {'beta': 1.0}
    """
    return {name: number for name, number in units.items() if teams == SIDES or name != "side_chance"}


def _turn(games: Sequence[LedgerGame], split: Split) -> bool:
    """Tell whether two teams should change sides, so that those who come back have been on both as often."""
    if len(split.teams) != SIDES:
        return False
    first = Counter[str]()
    for game in games[-RECENT:]:
        if len(game.teams) == SIDES:
            first.update(game.teams[0])
            first.subtract(game.teams[1])
    one, other = (sum(first[player.id] for player in team) for team in split.teams)
    return one > other


def _turned(split: Split) -> Split:
    """Return two teams with their sides changed."""
    return replace(
        split, teams=split.teams[::-1], bots=split.bots[::-1], totals=split.totals[::-1],
        win_probability=split.win_probability[::-1], roles=split.roles[::-1],
    )  # fmt: skip


def _parted(split: Split) -> frozenset[frozenset[str]]:
    """Return who is together in a split, whatever the teams are called."""
    return frozenset(frozenset(player.id for player in team) for team in split.teams)


def _unseen(
    solution: Solution, search: Callable[..., Solution], seen: Collection[frozenset[frozenset[str]]],
    price: float,
) -> Solution | None:  # fmt: skip
    """Return the best teams that were not seen, None where no such teams lie within the price.

    They do where they are dearer than the teams that would come again, or than the best of all, by no more
    than the price, either with what it costs that people meet again or by fairness and preferences alone.
    """
    others = search(seen=seen)
    fresh = replace(others, splits=tuple(each for each in others.splits if _parted(each) not in seen))
    if not fresh.splits or _price(fresh.splits[0]) <= _price(solution.splits[0]) + price + EQUAL:
        return fresh if fresh.splits else None
    fairest, others = search(plainly=True), search(plainly=True, seen=seen)
    even = tuple(each for each in others.splits if _parted(each) not in seen)
    if not even or not fairest.splits:
        return None
    asked = {(each.kind, each.players) for each in even[0].preferences}
    first = solution.splits[0]
    plain = first.imbalance + sum(
        each.paid for each in first.preferences if (each.kind, each.players) in asked
    )
    within = _price(even[0]) <= max(_price(fairest.splits[0]), plain) + price + EQUAL
    return replace(others, splits=even) if within else None


def _without(
    seen: Collection[frozenset[frozenset[str]]], players: Sequence[Player]
) -> Callable[[Task], Found]:
    """Return a solver that goes through all splits but those that were seen, told apart by who is in them."""
    index = {player.id: n for n, player in enumerate(players)}

    def solve(task: Task) -> Found:
        problem = task.problem
        known = [
            labels for teams in seen
            if index.keys() == set(chain(*teams)) and (labels := _labels(teams, index, problem)) is not None
        ]  # fmt: skip
        best = Best(task, ())
        for labels, totals in legal_splits(problem):
            parted = _numbered(labels, problem.n_teams)
            open_rows = np.ones(len(labels), dtype=bool)
            for each in known:
                open_rows &= (parted != each).any(axis=1)
            legal = open_rows if problem.plain else open_rows & (problem.excess(labels) == 0.0)
            best.offer(labels[legal], totals[legal])
            if task.stop():
                return best.found(bound=task.criterion.floor, proven=False)
        found = best.found(bound=task.criterion.floor, proven=True)
        return found if found.ranked else replace(found, proven=False)  # others are legal, and were seen

    return solve


def _labels(teams: frozenset[frozenset[str]], index: Mapping[str, int], problem: Problem) -> Labels | None:
    """Return the team of each block as :func:`_numbered` numbers teams; None where blocks are divided."""
    team_of = {index[player]: n for n, team in enumerate(teams) for player in team}
    blocks = [{team_of[player] for player in members} for members in problem.members]
    if any(len(block) > 1 for block in blocks):
        return None
    labels: Labels = np.array([[team for block in blocks for team in block]], dtype=np.int8)
    numbered: Labels = _numbered(labels, problem.n_teams)[0]
    return numbered


def _numbered(labels: Labels, n_teams: int) -> Labels:
    """Return labels, shape (m, n_blocks), with teams numbered by their first block."""
    is_in = labels[:, :, None] == np.arange(n_teams)
    first = np.where(is_in.any(axis=1), is_in.argmax(axis=1), labels.shape[1] + np.arange(n_teams))
    rank = first.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable").astype(np.int8)
    return np.take_along_axis(rank, labels.astype(np.intp), axis=1)


def _one_pair_of_each(
    seen: Collection[frozenset[frozenset[str]]], players: Sequence[Player], parties: Sequence[Sequence[str]]
) -> list[tuple[str, str]]:
    """Return two of each teams that were seen, to be parted where all splits are too many to go through.

    There are as even teams without any given pair then.
    """
    here, bound = {player.id for player in players}, set(chain(*parties))
    found = []
    for n, teams in enumerate(sorted(sorted(map(sorted, each)) for each in seen)):
        free = [player for player in max(teams, key=len) if player not in bound]
        if here == set(chain(*teams)) and len(free) > 1:
            first = 2 * n % (len(free) - 1)
            found.append((free[first], free[first + 1]))
    return found


def _ways_out(
    games: Sequence[LedgerGame], setup: Setup, now: Mapping[str, int] | None
) -> Iterator[tuple[str, ...]]:
    """Go through who may sit out, the fairest way first; who is in a team already stays in if possible."""
    seats = len(setup.here) if setup.size is None else setup.size * setup.teams
    if len(setup.here) <= seats:
        yield ()
        return
    known = accounts(games)
    placed = [player for player in setup.here if player in (now or {})][:seats]
    rest = [player for player in setup.here if player not in placed]
    yield from ways_to_sit_out(_groups(setup, rest), seats - len(placed), known)
    if placed:
        yield from ways_to_sit_out(_groups(setup, setup.here), seats, known)


def _groups(setup: Setup, players: Sequence[str]) -> list[tuple[str, ...]]:
    """Return players by whom they came with."""
    together = {player: duo for duo in setup.duos for player in duo}
    groups = dict.fromkeys(
        tuple(other for other in players if other == player or other in together.get(player, ()))
        for player in players
    )
    return list(groups)


def _searched(
    games: Sequence[LedgerGame], setup: Setup, rated: Rated, out: Collection[str], *,
    now: Mapping[str, int] | None, still: bool, vary: float, stop: Stop,
    seen: Collection[frozenset[frozenset[str]]] = (), plainly: bool = False,
) -> Solution:  # fmt: skip
    """Return what a search says where these sit out.

    With ``seen`` teams of none of them are sought; ``plainly``, by win probability and preferences alone,
    whoever meets again.
    """
    playing = [player for player in setup.here if player not in out]
    if len(playing) < setup.teams:
        msg = f"players: {setup.teams} teams need at least {setup.teams}, got {len(playing)}"
        raise InputError(msg)
    players, known = rated(playing)
    units = units_of_teams(known, setup.teams)
    players = placed_players(setup, players)
    keywords: dict[str, Any] = {**rules(setup, playing), **units, "stop": stop}
    preferences = priced_preferences(games, setup, playing)
    if now is None:
        met_before = [] if plainly else list(games)
        few = setup.teams ** float(len(playing) - 1) <= MOST_SPLITS and not setup.roles
        if seen and not few:
            keywords["apart"] = [*keywords["apart"], *_one_pair_of_each(seen, players, keywords["parties"])]
        varied = _recent(met_before, players, keywords["parties"], vary) if vary > 0.0 else []
        if seen and few:
            keywords["solver"] = _without(seen, players)
        if plainly:
            keywords["objective"] = "win"
        asked = BalanceRequest.of(players, preferences=[*preferences, *varied], keep=KEPT, **keywords)
        return balance(asked)
    placed = [replace(player, team_now=now.get(player.id)) for player in players]
    keywords["preferences"] = preferences
    if still:
        solution = balance(BalanceRequest.of(placed, moves=0, **keywords))
        if solution.splits:
            return solution
    return balance(BalanceRequest.of(placed, stay=STAY, keep=KEPT, **keywords))


def rules(setup: Setup, playing: Collection[str]) -> dict[str, Any]:
    """Return what must hold for those who play, as keywords of ``balance``."""
    found: dict[str, Any] = {
        "teams": setup.teams,
        "apart": [pair for pair in setup.apart if set(pair) <= set(playing)],
        "parties": [duo for full in setup.duos if len(duo := [p for p in full if p in playing]) > 1],
    }
    if setup.size is not None:
        found |= {"max_size": setup.size, "max_difference": 1}
    if setup.roles:
        found["roles"] = dict(setup.roles)
    return found


def placed_players(setup: Setup, players: Sequence[Player]) -> list[Player]:
    """Return players with the team they are locked into and the roles they play."""
    fixed, plays = dict(setup.fixed), dict(setup.plays)
    return [
        replace(player, team=fixed.get(player.id, player.team), roles=tuple((role, None) for role in roles))
        for player in players
        for roles in [plays.get(player.id, ()) if setup.roles else ()]
    ]


def judged(setup: Setup, rated: Rated, teams: Sequence[Sequence[str]]) -> tuple[float, ...]:
    """Return how likely each of given teams is to win.

    Examples
    --------
    >>> def rated(ids):
    ...     return [Player(each, {"ann": 9, "bob": 5}[each]) for each in ids], {"beta": 2.0, "zero": 0.0}
    >>> [round(chance, 2) for chance in judged(Setup(("ann", "bob")), rated, [["ann"], ["bob"]])]
    [0.92, 0.08]
    """
    team_of = {player: n for n, team in enumerate(teams) for player in team}
    players, units = rated(list(team_of))
    placed = [replace(player, team=team_of[player.id], roles=()) for player in players]
    keywords: dict[str, Any] = {"teams": setup.teams, **units_of_teams(units, setup.teams)}
    solution = balance(BalanceRequest.of(placed, **keywords))
    return tuple(solution.best.win_probability)


def priced_preferences(
    games: Sequence[LedgerGame], setup: Setup, playing: Collection[str]
) -> list[Preference]:
    """Return the preferences of those who play; one that was not met counts more the next time."""
    due, here = owed(games), set(playing)
    return [
        Preference(kind, pair, min(PREFERENCE_PRICE * (1 + due[frozenset(pair)]), 1.0))
        for kind, pairs in (("together", setup.prefer), ("apart", setup.avoid))
        for pair in pairs
        if set(pair) <= here and not any(set(pair) <= set(duo) for duo in setup.duos)
    ]


def unmet(setup: Setup, teams: Sequence[Sequence[str]]) -> tuple[tuple[str, str], ...]:
    """Return the pairs whose preference teams do not meet, among those who play."""
    team_of = {player: n for n, team in enumerate(teams) for player in team}
    return tuple(
        pair
        for pairs, together in ((setup.prefer, True), (setup.avoid, False))
        for pair in pairs
        if set(pair) <= team_of.keys() and (team_of[pair[0]] == team_of[pair[1]]) != together
    )


def _recent(
    games: Sequence[LedgerGame], players: Sequence[Player], parties: Sequence[Sequence[str]], vary: float
) -> list[Preference]:
    """Return preferences to part those who have just played together, unless they came together."""
    past = [
        Match((Contest(Ruleset(), game.teams, range(len(game.teams)), at=float(n)),), ended=float(n))
        for n, game in enumerate(games)
    ]
    together = list(map(set, parties))
    return [
        preference
        for preference in recent_preferences(past, {player.id for player in players}, vary)
        if not any(set(preference.players) <= duo for duo in together)
    ]


def _chosen(
    games: Sequence[LedgerGame], solution: Solution, seen: Collection[frozenset[frozenset[str]]]
) -> tuple[Split, Split | None]:
    """Return the best split not proposed yet, or one nearly as even that is known better, and the former."""
    fresh = [split for split in solution.splits if _parted(split) not in seen]
    near = [split for split in fresh if _price(split) <= _price(fresh[0]) + NEAR]
    unsure = variances(games, [split.teams for split in near])
    least = float(unsure.min())
    if least >= unsure[0] * (1.0 - SURER):
        return _least_burden(games, near), None
    known = [split for split, each in zip(near, unsure, strict=True) if each <= least * (1.0 + EQUAL)]
    return _least_burden(games, known), fresh[0]


def _price(split: Split) -> float:
    """Return how far from even a split is, and what it costs in preferences."""
    return split.imbalance + sum(each.paid for each in split.preferences)


def _least_burden(games: Sequence[LedgerGame], splits: Sequence[Split]) -> Split:
    """Return the first split, or of those that are as good the one which asks least of the unlucky."""
    known, (together, _) = accounts(games), met(games)
    equal = [split for split in splits if _as_good(split, splits[0])]
    return min(
        equal,
        key=lambda split: burden(
            [[player.id for player in team] for team in split.teams], split.win_probability,
            [player.id for player in split.moved], known, together,
        ),
    )  # fmt: skip


def _as_good(split: Split, other: Split) -> bool:
    """Tell whether two splits are equal by value, chances and the price of preferences."""
    return all(
        math.isclose(one, two, rel_tol=EQUAL, abs_tol=EQUAL)
        for one, two in (
            (split.value, other.value),
            (split.imbalance, other.imbalance),
            (sum(each.paid for each in split.preferences), sum(each.paid for each in other.preferences)),
        )
    )


def count_splits(players: int, together: Sequence[Sequence[str]] = ()) -> int:
    """Return how many ways make two teams whose sizes differ by one at most, with parties in one team each.

    Examples
    --------
    >>> count_splits(10), count_splits(10, [("ann", "bob")]), count_splits(3)
    (126, 56, 3)
    """
    blocks = [len(party) for party in together]
    blocks += [1] * (players - sum(blocks))
    ways = [1] + [0] * players
    for size in blocks:
        for total in range(players, size - 1, -1):
            ways[total] += ways[total - size]
    return ways[players // 2] // (1 if players % 2 else 2)
