"""The words of explanations: who, where, and what it costs, with units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from equipoise.core.plain_data import number, printable
from equipoise.pages.text.teams import IN_POINTS
from equipoise.teams.explain.asked_rules import Constraint
from equipoise.teams.explain.asked_rules import words as words_of
from equipoise.teams.explain.explanation import Alternative
from equipoise.teams.explain.valuation import Cost, TeamChanges

#: A change of chance below it is not worth a digit: half of the last one shown.
UNSEEN = 5e-5

#: What is shown as win probability, in per cent, and so is not shown again as an objective.
AS_CHANCE = ("win", "preferences", "win + preferences")

#: How many are named, of players and of what there was no time for.
MOST_NAMED = 10


def team_name(names: Sequence[str], n: int) -> str:
    """Return what the team with a number, from 0, is called."""
    return printable(names[n].strip()) if n < len(names) else f"Team {n + 1}"


def listed(players: Iterable[str]) -> str:
    """Return names as a list in a sentence.

    Examples
    --------
    >>> listed(["Ann"]), listed(["Ann", "Bob"]), listed(["Ann", "Bob", "Cid"])
    ('Ann', 'Ann and Bob', 'Ann, Bob and Cid')
    """
    shown = [printable(player) for player in players]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def moves(moved: Sequence[TeamChanges], names: Sequence[str] = ()) -> str:
    """Return who goes where: a swap of two as such.

    Examples
    --------
    >>> moves([TeamChanges("Ann", 0, 1), TeamChanges("Bob", 1, 0)])
    'swap Ann and Bob'
    >>> moves([TeamChanges("Ann", 0, 1), TeamChanges("Bob", 0, 1), TeamChanges("Cid", 1, 2)])
    'Ann and Bob to Team 2, Cid to Team 3'
    """
    if len(moved) == 2 and (moved[0].origin, moved[0].team) == (moved[1].team, moved[1].origin):
        return f"swap {listed(one.player for one in moved)}"
    joining: dict[int, list[str]] = {}
    for one in moved:
        joining.setdefault(one.team, []).append(one.player)
    parts = [f"{listed(players)} to {team_name(names, team)}" for team, players in joining.items()]
    return ", ".join(parts) or "nobody elsewhere"


def cost_words(cost: Cost, objective: str) -> str:
    """Return a cost with its units, as what it costs or gains.

    Examples
    --------
    >>> cost_words(Cost(0.008, 1.25), "spread")
    'costs 0.8 % of win probability and 1.25 points of spread'
    >>> cost_words(Cost(0.008, -1.25), "spread")
    'costs 0.8 % of win probability, gains 1.25 points of spread'
    >>> cost_words(Cost(0.0, 0.0), "difference"), cost_words(Cost(0.008, 0.008), "win")
    ('costs nothing', 'costs 0.8 % of win probability')
    >>> cost_words(Cost(0.008, 1.5, 0.01, (3.0, 1.5)), "ratio, spread")
    'costs 0.8 % of win probability, 1 % of preferences, 3 of ratio and 1.5 points of spread'
    """
    names = objective.split(", ")
    values = cost.values if len(cost.values) == len(names) else (cost.value,)
    parts = [
        (cost.win_probability, _chance(cost.win_probability)),
        (cost.preferences, _for_preferences(cost.preferences)),
    ]
    parts += [
        (value, _figure(abs(value), name))
        for name, value in zip(names if len(values) > 1 else [objective], values, strict=True)
        if name not in AS_CHANCE
    ]
    clauses = []
    for verb, sign in (("costs", 1.0), ("gains", -1.0)):
        listing = [words for value, words in parts if value * sign > 0.0]
        if listing:
            clauses.append(
                f"{verb} {' and '.join([', '.join(listing[:-1]), listing[-1]][len(listing) < 2 :])}"
            )
    return ", ".join(clauses) or "costs nothing"


def _figure(value: float, name: str) -> str:
    """Return how much of an objective something costs, in points where it is measured in those of weights."""
    if name in IN_POINTS:
        return f"{number(value)} point{'s' * (value != 1.0)} of {name}"
    return f"{number(value)} of {name}"


def move_words(moved: Sequence[TeamChanges], names: Sequence[str] = ()) -> str:
    """Return who goes where, or how many do where they are many."""
    if len(moved) > MOST_NAMED:
        return f"which moves {len(moved)} players"
    words = moves(moved, names)
    return words.replace("swap ", "a swap of ", 1) if words.startswith("swap ") else f"with {words}"


def constraint_words(constraint: Constraint, names: Sequence[str] = ()) -> str:
    """Return what a constraint asks for.

    Examples
    --------
    >>> constraint_words(Constraint("apart", ("Ann", "Bob")))
    'keeping Ann and Bob apart'
    >>> constraint_words(Constraint("fixed", ("Ann",), team=1))
    'fixing Ann to Team 2'
    >>> constraint_words(Constraint("avoid", ("Ann", "Bob"), price=0.02))
    'Ann and Bob rather apart, worth 2 %'
    """
    who = named(constraint.players) if constraint.players else printable(constraint.name)
    words = words_of(constraint, who, "" if constraint.team is None else team_name(names, constraint.team))
    return words if constraint.price is None else f"{words}, worth {worth(constraint.price)}"


def named(players: Sequence[str]) -> str:
    """Return the names, or how many they are if they are many."""
    return f"{len(players)} players" if len(players) > MOST_NAMED else listed(players)


def saves(cost: Cost, objective: str) -> str:
    """Return what giving something up saves, from what it costs."""
    return cost_words(cost, objective).replace("costs", "saves").replace("gains", "loses")


def even(other: Alternative) -> str:
    """Return the win chances of a split."""
    return "win chances " + " : ".join(percent(chance, 1) for chance in other.win_probability)


def _chance(cost: float) -> str:
    """Return a difference of chances in per cent, so that what is not 0 does not look like it."""
    return f"{worth(cost)} of win probability"


def _for_preferences(paid: float) -> str:
    return f"{worth(paid)} of preferences"


def worth(chance: float) -> str:
    """Return a difference of chances in per cent without its sign."""
    size = abs(chance)
    return "less than 0.01 %" if size < UNSEEN else f"{number(round(100 * size, 2))} %"


def percent(share: float, digits: int) -> str:
    """Return a share in per cent, with so many digits."""
    return f"{100 * share:.{digits}f} %"


def count(n: int, noun: str) -> str:
    """Return how many of something there are."""
    return f"{n} {noun}{'s' * (n != 1)}"


def capital(words: str) -> str:
    """Return words with a capital at the beginning."""
    return words[:1].upper() + words[1:]
