"""What players ask in the chat, and the answers: teams, reasons, ranks; never a name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from equipoise.play.live.decisions import chances
from equipoise.play.live.events import SIDES
from equipoise.play.live.state import Seat, State
from equipoise.ratings.point_changes import points

#: What players may ask.
QUESTIONS = ("!teams", "!why", "!rank", "!switch")


#: Letters of a name that are spoken, and people who are named in one suggestion.
LONGEST_NAME, MOST_NAMED = 20, 4

_NOT_SPOKEN = re.compile(r"[^A-Za-z0-9]+")


def called(team: int, sides: Sequence[str] = SIDES) -> str:
    """Return what a team is called."""
    return sides[team] if team < len(sides) else f"team {team + 1}"


def addressed(seat: Seat) -> str:
    """Return how somebody is named where everybody reads it: by letters and digits alone.

    Examples
    --------
    >>> addressed(Seat(3, "x", "^1An;n|2", bot=False, team=0, level=None, since=0.0))
    '1An n 2'
    >>> addressed(Seat(3, "x", '"; quit', bot=False, team=0, level=None, since=0.0))
    'quit'
    """
    name = _NOT_SPOKEN.sub(" ", seat.name).strip()[:LONGEST_NAME].strip()
    return name or f"player {seat.slot}"


def suggestion(state: State, astray: Sequence[Seat]) -> str:
    """Return who would have to change teams for the game to be even, for a server that moves nobody."""
    named = [
        f"{addressed(seat)} to {called(state.plan[seat.id], state.match.sides)}"
        for seat in astray[:MOST_NAMED]
    ]
    more = f" and {len(astray) - MOST_NAMED} more" if len(astray) > MOST_NAMED else ""
    return f"For even teams: {', '.join(named)}{more}."


def percent(numbers: Sequence[float]) -> str:
    """Return chances as people read them, as in ``48 to 52``."""
    return " to ".join(f"{100 * number:.0f}" for number in numbers)


def describe_teams(state: State) -> str:
    """Return how large teams are, and their chances."""
    parts = []
    for team, (people, bots) in enumerate(zip(state.sizes(), state.bots, strict=True)):
        filled = f" and {len(bots)} bot{'s' if len(bots) > 1 else ''}" if bots else ""
        parts.append(f"{called(team, state.match.sides)} {people}{filled}")
    return f"{', '.join(parts)}. Chances {percent(chances(state))}."


def explain_team(state: State, seat: Seat) -> str:
    """Return what the game would be with somebody in another team."""
    team, sides = state.plan.get(seat.id), state.match.sides
    if team is None or state.match.teams < 2:
        return "You are in no team."
    others = [
        f"with you in {called(other, sides)} {percent(chances(state, {**state.plan, seat.id: other}))}"
        for other in range(state.match.teams)
        if other != team
    ]
    return f"You are {called(team, sides)}: chances {percent(chances(state))}, {', '.join(others)}."


def describe_rank(state: State, seat: Seat) -> str:
    """Return somebody's rank and points."""
    known = state.known.ranks.get(seat.id.partition("#")[0])
    if known is None:
        return "You are new here: your points are what is assumed of a new player."
    rank, among, weight = known
    return f"You are {rank} of {among} with {points(weight)} points."


def describe_advantage(factors: Sequence[float], sides: Sequence[str] = SIDES) -> str:
    """Return what teams are owed, as in ``Red 1.08``; empty where nothing is."""
    return ", ".join(
        f"{called(team, sides)} {factor:.2f}" for team, factor in enumerate(factors) if factor > 1.0
    )


def reply(state: State, seat: Seat, question: str, *, chosen: bool) -> str:
    """Return the answer to one of :data:`QUESTIONS`.

    Parameters
    ----------
    state : State
        Who is there and where they are to be.
    seat : Seat
        Who asks.
    question : str
        What they ask.
    chosen : bool
        Whether there are teams to speak of.
    """
    if question == "!rank":
        return describe_rank(state, seat)
    if not chosen:
        return "Teams are chosen when the next game is about to start."
    if question == "!teams":
        return describe_teams(state)
    if question == "!why":
        return explain_team(state, seat)
    return "You change sides as soon as that does no harm."
