"""Why no split keeps all the rules, and which rule to relax."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from equipoise.teams.problem.problem import Problem
from equipoise.teams.problem.two_team_components import components
from equipoise.teams.solvers.draft import draft


def conflict(problem: Problem, names: list[str]) -> str:
    """Say what cannot be kept together.

    Parameters
    ----------
    problem : Problem
        A problem proven to have no legal split, although no two players contradict each other.
    names : list of str
        What to call the roster's players.
    """
    roles, rows = problem.roles, problem.rows
    if roles is not None:
        for role, needed, players in zip(roles.names, roles.needed, roles.plays.T, strict=True):
            wanted, able = int(needed) * problem.n_teams, int(players.sum())
            if able < wanted and problem.filler is None:
                return f"{wanted} of {role!r} are needed in {problem.n_teams} teams, but {able} can play it"
    most = None if problem.moving is None else problem.moving.most
    if roles is None and rows is None and most is None:
        return size_conflict(problem, names)
    asked = [] if roles is None else [f"the roles {', '.join(map(repr, roles.names))}"]
    if rows is not None:
        asked.append(f"the rules {', '.join(map(repr, dict.fromkeys(rows.names)))}")
    if most is not None:
        asked.append(f"at most {most} {'move' if most == 1 else 'moves'}")
    return f"{' and '.join(asked)} cannot be kept with the sizes and those who must be together or apart"


def size_conflict(problem: Problem, names: list[str]) -> str:
    """Say which preferences do not fit into the team sizes.

    Parameters
    ----------
    problem : Problem
        A problem proven to have no legal split, although no two players contradict each other.
    names : list of str
        What to call the roster's players.
    """
    largest = max(range(problem.n_blocks), key=lambda block: problem.sizes[block])
    size = int(problem.sizes[largest])
    room = _room(problem)
    if size > room:
        party = ", ".join(repr(names[place]) for place in problem.members[largest])
        reason = f"the party of {party} has {size} players, but a team has at most {room}"
    else:
        parties = sorted((int(size) for size in problem.sizes if size > 1), reverse=True)
        bound = f"parties of {', '.join(map(str, parties))}" if parties else "the preferences"
        if problem.apart or max(problem.fixed) >= 0:
            bound += ", with who must be apart or is fixed to a team,"
        reason = f"{bound} do not fit into teams of the sizes asked for"
    relaxed = _least_difference(problem)
    return reason if relaxed is None else f"{reason}; a difference of {relaxed} players would allow it"


def _room(problem: Problem) -> int:
    """Return how many players of the roster a team has at most."""
    n, k = problem.n_players, problem.n_teams
    by_difference = (n + (k - 1) * problem.max_difference) // k
    return min(max(problem.max_size), by_difference)


def _least_difference(problem: Problem) -> int | None:
    """Return the least difference of team sizes with which there is a legal split into two teams."""
    if problem.n_teams != 2:
        return None

    def is_enough(difference: int) -> bool:
        relaxed = components(replace(problem, max_difference=difference))
        return draft(relaxed, lambda standing: standing.turn % 2) is not None

    differences = range(problem.max_difference + 1, problem.n_players + 1)
    place = bisect_left(differences, True, key=is_enough)  # what is legal stays so with a larger one
    return differences[place] if place < len(differences) else None
