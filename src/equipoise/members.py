"""Who is in the teams of a contest, each with the share of it the player was present for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from equipoise.errors import InputError

#: The least share of a contest that is accepted, a few milliseconds of an hour: squares and exponentials of
#: what follows from it stay numbers in every rating model.
LEAST_SHARE = 1e-6

#: A team of a contest: the id of each player, and the share of the contest the player took part in.
Members = tuple[tuple[str, float], ...]

#: Teams as they may be given: ids, or ids with the share of the time they are present.
Teams = Sequence[Sequence[str | tuple[str, float]]]


def members_of(teams: Teams) -> tuple[Members, ...]:
    """Return teams with everyone's share; who is given as a plain id is present throughout.

    Raises
    ------
    InputError
        If a team is a text, or a member neither an id nor a pair of an id and a share.
    """
    listed = tuple(teams)
    if any(isinstance(team, str) for team in listed):
        msg = "teams must be lists of ids, got text for a team"
        raise InputError(msg)
    return tuple(
        [
            tuple([(member, 1.0) if type(member) is str else _member(member) for member in team])
            for team in listed
        ]
    )


def _member(member: Any) -> tuple[str, float]:
    if type(member) is tuple and len(member) == 2 and type(member[0]) is str and type(member[1]) is float:
        return member  # as every loader gives it
    if isinstance(member, str):
        return member, 1.0
    try:
        player, share = member
        if isinstance(player, str):
            return player, float(share)
    except (TypeError, ValueError):
        pass
    msg = f"teams: a member must be an id or (id, share), got {member!r}"
    raise InputError(msg)


def check_teams(teams: tuple[Members, ...]) -> set[str]:
    """Raise what is wrong with the teams of a contest, or return everyone in them."""
    if len(teams) < 2 or not all(teams):
        msg = "must be two or more, each with at least one player"
        raise InputError(msg, "teams")
    present = {player for team in teams for player, _ in team}
    fine = len(present) == sum(map(len, teams)) and "" not in present
    if not (fine and all(LEAST_SHARE <= share <= 1.0 for team in teams for _, share in team)):
        _refuse_members(teams)
    return present


def _refuse_members(teams: tuple[Members, ...]) -> NoReturn:
    """Raise what is wrong with the first wrong member of teams."""
    seen: set[str] = set()
    for player, share in (member for team in teams for member in team):
        if not player or player in seen:
            msg = f"teams: the player {player!r} {'appears twice' if player else 'has no id'}"
            break
        seen.add(player)
        if not LEAST_SHARE <= share <= 1.0:
            msg = f"share of player {player!r} must be from {LEAST_SHARE:g} to 1, got {share!r}"
            break
    raise InputError(msg)


def is_between(least: float, number: Any, most: float) -> bool:
    """Tell whether something is a number in a range, both ends included.

    Examples
    --------
    >>> is_between(0.0, 1.0, 1.0), is_between(0.0, "x", 1.0)
    (True, False)
    """
    try:
        return bool(least <= number <= most)
    except TypeError:
        return False
