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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import Any

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.player import Player, Rating
from equipoise.core.stopping import Stop, never
from equipoise.core.win_probability import LOGISTIC_SLOPE
from equipoise.errors import InputError
from equipoise.play.ledger import LedgerGame, accounts, burden, met, owed, ways_to_sit_out
from equipoise.play.night import Proposal, Setup
from equipoise.teams.balance import balance
from equipoise.teams.problem.preferences import PREFERENCE_PRICE, Preference, recent_preferences
from equipoise.teams.request import BalanceRequest
from equipoise.teams.solution import Solution, Split, Status

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

#: What a pair who played together in the last game is worth, in win probability; half as much a game before.
VARY = 0.005

#: The price of each player who changes team when somebody comes, goes or is replaced.
STAY = 0.02

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
    """

    proposal: Proposal
    solution: Solution
    split: Split
    anew: bool = True
    rival: Split | None = None

    @property
    def behind(self) -> float:
        """How much more even the rival is, in win probability; 0 where there is none."""
        return 0.0 if self.rival is None else max(_price(self.split) - _price(self.rival), 0.0)

    def as_dict(self, setup: Setup) -> dict[str, Any]:
        """Return it as ``equipoise balance --json`` prints teams, with the id of the proposed match.

        Teams that are not the first ones by the search are feasible and not proven best.
        """
        shown = replace(self.solution, splits=(self.split,))
        if self.split is not self.solution.best:
            shown = replace(shown, status=Status.FEASIBLE, value=self.split.value, bound=None)
        plain = shown.as_dict()
        names = [setup.called(n) for n in range(len(self.proposal.teams))]
        return {"id": self.proposal.id, "names": names, "out": list(self.proposal.out), **plain}


def arrange(
    games: Sequence[LedgerGame],
    setup: Setup,
    rated: Rated,
    match: str,
    *,
    seen: Collection[frozenset[frozenset[str]]] = (),
    now: Mapping[str, int] | None = None,
    still: bool = False,
    vary: float = VARY,
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
        Teams that are not to be proposed again while there are others.
    now : mapping from str to int, optional
        The team, from 0, of those who have one and prefer to stay; without it new teams are made.
    still : bool
        Whether nobody is to change team, as long as that keeps the rules.
    vary : float
        What it is worth that a pair of the last game is not in one team again, in win probability.
    stop : callable
        Asked now and then; once it returns True the search ends with what it has.

    Raises
    ------
    InputError
        If there are too few players, or no teams keep all the rules.
    """
    solution = out = None
    for each in _ways_out(games, setup, now):
        found = _searched(games, setup, rated, each, now=now, still=still, vary=vary, stop=stop)
        if solution is None or found.splits:  # where no way keeps the rules, the first one says why
            solution, out = found, each
        if found.splits or stop():
            break
    if solution is None or out is None or not solution.splits:
        reason = None if solution is None else solution.reason
        msg = f"players: {reason or 'no teams were found in time'}"
        raise InputError(msg)
    if now is None:
        split, rival = _chosen(games, solution, seen)
    else:
        split, rival = _least_burden(games, solution.splits), None
    teams = tuple(tuple(player.id for player in team) for team in split.teams)
    moved = tuple(player.id for player in split.moved)
    proposal = Proposal(match, teams, tuple(split.win_probability), out, moved, unmet(setup, teams))
    return Arranged(proposal, solution, split, now is None, rival)


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
) -> Solution:  # fmt: skip
    """Return what a search says where these sit out."""
    playing = [player for player in setup.here if player not in out]
    if len(playing) < setup.teams:
        msg = f"players: {setup.teams} teams need at least {setup.teams}, got {len(playing)}"
        raise InputError(msg)
    players, units = rated(playing)
    keywords: dict[str, Any] = {**rules(setup, playing), **units, "stop": stop}
    preferences = priced_preferences(games, setup, playing)
    if now is None:
        varied = _recent(games, players, keywords["parties"], vary) if vary > 0.0 else []
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
    return found


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
        Match((Contest(Ruleset(), game.teams, game.ranks, at=float(n)),), ended=float(n))
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
    fresh = [
        split
        for split in solution.splits
        if frozenset(frozenset(player.id for player in team) for team in split.teams) not in seen
    ] or list(solution.splits)
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
