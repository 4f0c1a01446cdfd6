"""Teams of those who are here: who sits out, what is asked of the search, and which answer is proposed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from equipoise.errors import InputError
from equipoise.ledger import accounts, sitting_out
from equipoise.matches import Contest, Match, Ruleset
from equipoise.pickup.night import Night, Proposal, Setup
from equipoise.players import Player
from equipoise.stopping import Stop, never
from equipoise.teams.balancing import balance
from equipoise.teams.problem.preferences import recent_preferences
from equipoise.teams.request import BalanceRequest
from equipoise.teams.solution import Solution, Split

#: Splits among which teams are sought that were not proposed tonight.
KEPT = 12

#: What a pair who played together in the last game is worth, in win probability; half as much a game before.
VARY = 0.005

#: The price of each player who changes team when somebody comes, goes or is replaced.
STAY = 0.02


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
    """

    proposal: Proposal
    solution: Solution
    split: Split

    def as_dict(self, setup: Setup) -> dict[str, Any]:
        """Return it as ``equipoise balance --json`` prints teams, with the id of the proposed match."""
        plain = replace(self.solution, splits=(self.split,)).as_dict()
        names = [setup.called(n) for n in range(len(self.proposal.teams))]
        return {"id": self.proposal.id, "names": names, "out": list(self.proposal.out), **plain}


def arrange(
    night: Night,
    setup: Setup,
    rated: Callable[[Sequence[str]], tuple[Sequence[Player], float | None]],
    match: str,
    *,
    now: Mapping[str, int] | None = None,
    still: bool = False,
    vary: float = VARY,
    stop: Stop = never,
) -> Arranged:
    """Return teams of those who are here.

    Parameters
    ----------
    night : Night
        What happened so far.
    setup : Setup
        Who is here, and the rules.
    rated : callable
        From ids to players under these ids with ratings, in order, and the performance noise of one player.
    match : str
        The id of the match.
    now : mapping from str to int, optional
        The team, from 0, of those who have one and prefer to stay; without it teams are made anew,
        and those of tonight are not proposed again while there are others.
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
    out = _out(night, setup, now)
    playing = [player for player in setup.here if player not in out]
    if len(playing) < setup.teams:
        msg = f"players: {setup.teams} teams need at least {setup.teams}, got {len(playing)}"
        raise InputError(msg)
    players, beta = rated(playing)
    keywords: dict[str, Any] = {
        "teams": setup.teams,
        "apart": [pair for pair in setup.apart if set(pair) <= set(playing)],
        "parties": [duo for full in setup.duos if len(duo := [p for p in full if p in playing]) > 1],
        "stop": stop,
    }
    if setup.size is not None:
        keywords |= {"max_size": setup.size, "max_difference": 1}
    if beta is not None:
        keywords["beta"] = beta
    if now is None:
        solution = _varied(night, players, keywords, vary)
        split = _unseen(night, solution)
    else:
        placed = [replace(player, team_now=now.get(player.id)) for player in players]
        rules: dict[str, Any] = {"moves": 0} if still else {"stay": STAY}
        solution = balance(BalanceRequest.of(placed, **rules, **keywords))
        if still and not solution.splits:
            solution = balance(BalanceRequest.of(placed, stay=STAY, **keywords))
        split = _found(solution)
    proposal = Proposal(
        match,
        tuple(tuple(player.id for player in team) for team in split.teams),
        tuple(split.win_probability),
        tuple(out),
        tuple(player.id for player in split.moved),
    )
    return Arranged(proposal, solution, split)


def _out(night: Night, setup: Setup, now: Mapping[str, int] | None) -> tuple[str, ...]:
    """Return who sits out; who is in a team already stays in."""
    seats = len(setup.here) if setup.size is None else setup.size * setup.teams
    if len(setup.here) <= seats:
        return ()
    placed = [player for player in setup.here if player in (now or {})][:seats]
    together = {player: duo for duo in setup.duos for player in duo}
    rest = [player for player in setup.here if player not in placed]
    groups = dict.fromkeys(
        tuple(other for other in rest if other == player or other in together.get(player, ()))
        for player in rest
    )
    return sitting_out(list(groups), seats - len(placed), accounts(night.games))


def _varied(night: Night, players: Sequence[Player], keywords: dict[str, Any], vary: float) -> Solution:
    """Return the best teams that also part those who have just played together."""
    past = [
        Match((Contest(Ruleset(), game.teams, game.ranks, at=float(n)),), ended=float(n))
        for n, game in enumerate(night.games)
    ]
    here = {player.id for player in players}
    together = [set(duo) for duo in keywords["parties"]]
    preferences = [
        preference
        for preference in recent_preferences(past, here, vary) if vary > 0.0
        if not any(set(preference.players) <= duo for duo in together)
    ]  # fmt: skip
    return balance(BalanceRequest.of(players, preferences=preferences, keep=KEPT, **keywords))


def _unseen(night: Night, solution: Solution) -> Split:
    """Return the best split that was not proposed tonight, the best one where all were."""
    best = _found(solution)
    seen = {proposal.parted for proposal in night.tonight}
    for split in solution.splits:
        if frozenset(frozenset(player.id for player in team) for team in split.teams) not in seen:
            return split
    return best


def _found(solution: Solution) -> Split:
    if not solution.splits:
        msg = f"players: {solution.reason or 'no teams were found in time'}"
        raise InputError(msg)
    return solution.best
