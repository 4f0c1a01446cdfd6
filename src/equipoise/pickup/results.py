"""The result of a game of a night: which team is meant, what is reported, and the match that is kept."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.errors import InputError
from equipoise.matches import Contest, Match, Ruleset
from equipoise.pickup.night import RESULT, Event, Night, Proposal, folded


def team_named(night: Night, name: str) -> int:
    """Return the team, from 0, that is called by its name, its number, or one of its players.

    Raises
    ------
    InputError
        If there is none.
    """
    proposal = current(night)
    wanted = folded(name)
    called = [night.setup.called(n) for n in range(len(proposal.teams))]
    for n, team in enumerate(called):
        if wanted == folded(team):
            return n
    if wanted.isdecimal() and 1 <= int(wanted) <= len(called):
        return int(wanted) - 1
    player = night.id_of(name)
    for n, players in enumerate(proposal.teams):
        if player is not None and player in players:
            return n
    msg = f"team must be one of {', '.join(called)}, a number up to {len(called)} or a player, got {name!r}"
    raise InputError(msg)


def current(night: Night) -> Proposal:
    """Return the current teams.

    Raises
    ------
    InputError
        If there are none.
    """
    if night.proposal is None:
        msg = "there are no teams yet; 'equipoise night NAMES' makes them"
        raise InputError(msg)
    return night.proposal


def ranks_of(scores: Sequence[float]) -> tuple[float, ...]:
    """Return the rank of each score; more is better, equal is a tie.

    Examples
    --------
    >>> ranks_of([1, 3, 1])
    (2.0, 1.0, 2.0)
    """
    return tuple(1.0 + sum(other > score for other in scores) for score in scores)


def result_event(
    night: Night, ranks: Sequence[float], scores: Sequence[float], at: float, match: str | None = None
) -> Event | None:
    """Return the event of a result; None where exactly this was reported already.

    Parameters
    ----------
    night : Night
        With teams.
    ranks, scores : sequence of float
        One for each team; no scores where nobody counted.
    at : float
        When the game ended, seconds since 1970.
    match : str, optional
        The match that is meant; by default that of the current teams.

    Raises
    ------
    InputError
        If there are no such teams, the numbers are not one for each, or something else was reported.
    """
    wanted = current(night).id if match is None else match
    known = night.result_of(wanted)
    if known is not None:
        if known.game.ranks == tuple(ranks) and known.scores == tuple(scores):
            return None
        msg = (
            f"the result of {wanted} was reported already; 'equipoise night undo' takes it back, "
            "'equipoise night again' makes the next teams"
        )
        raise InputError(msg)
    if wanted != current(night).id:
        msg = f"match: the current teams are {current(night).id}, got {wanted!r}"
        raise InputError(msg)
    if len(ranks) != len(current(night).teams):
        msg = f"score must be one number for each of {len(current(night).teams)} teams, got {len(ranks)}"
        raise InputError(msg)
    return {"kind": RESULT, "match": wanted, "ranks": list(ranks), "scores": list(scores), "at": at}


def match_of(night: Night, event: Event) -> Match:
    """Return the match of a result, as an archive keeps it."""
    proposal = current(night)
    team_of = {player: n for n, team in enumerate(proposal.teams) for player in team}
    together = [
        [player for player in duo if team_of.get(player) == n]
        for duo in night.setup.duos
        for n in range(len(proposal.teams))
    ]
    contest = Contest(
        Ruleset(),
        proposal.teams,
        event["ranks"],
        at=event["at"],
        scores=event["scores"],
        parties=[duo for duo in together if len(duo) > 1],
    )
    names = tuple((player, night.spelled.get(player, player)) for player in team_of)
    return Match((contest,), ended=event["at"], id=event["match"], names=names)
