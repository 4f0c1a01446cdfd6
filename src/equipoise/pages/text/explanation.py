"""Explanations in plain English: all of one, numbers with units and a line each, or what matters in short.

What they say is found in :mod:`equipoise.teams.explain.explanation` and
:mod:`equipoise.teams.explain.edits`, their words in :mod:`equipoise.pages.text.wording`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from equipoise.core.plain_data import number, printable
from equipoise.pages.text.tables import Grid
from equipoise.pages.text.teams import IN_POINTS, side_lines
from equipoise.pages.text.wording import (
    AS_CHANCE,
    MOST_NAMED,
    UNSEEN,
    capital,
    constraint_words,
    cost_words,
    count,
    even,
    listed,
    move_words,
    moves,
    named,
    percent,
    saves,
    team_name,
    worth,
)
from equipoise.teams.explain.asked_rules import Constraint
from equipoise.teams.explain.edits import Change, Place
from equipoise.teams.explain.explanation import Explanation, Instead, Price
from equipoise.teams.explain.valuation import Cost, Valuation


def explanation_lines(explanation: Explanation, names: Sequence[str] = ()) -> list[str]:
    """Return an explanation as lines of text.

    Parameters
    ----------
    explanation : Explanation
        What to write.
    names : sequence of str
        What to call the teams; by default Team 1, Team 2, ...
    """
    if explanation.split is None:
        return relaxation_lines(explanation, names)
    lines = ["Why these teams:", *valuation_lines(explanation.split, names)]
    lines += [standing(explanation), *side_lines(explanation.side_chance, names)]
    if explanation.alternatives:
        lines += ["", "The best alternatives, and what they cost:"]
        lines += [
            f"  {moves(other.moved, names)}: {even(other)}; {cost_words(other.cost, explanation.objective)}"
            for other in explanation.alternatives
        ]
    preferences = [price for price in explanation.prices if not price.constraint.binding]
    for heading, prices in (
        ("What the rules cost:", [price for price in explanation.prices if price.constraint.binding]),
        ("What the preferences cost (one that would cost more than it is worth gives way):", preferences),
    ):
        lines += ["", heading] if prices else []
        for price in prices:
            lines_of = _preference_lines if price in preferences else _price_lines
            lines += [f"  {line}" for line in lines_of(price, explanation.objective, names)]
    if explanation.unpriced:
        lines += ["", _unpriced(explanation.unpriced, names)]
    return [*lines, *relaxation_lines(explanation, names)]


def valuation_lines(split: Valuation, names: Sequence[str]) -> list[str]:
    """Return a table of the teams, and what every objective and re-ranker says."""
    return [
        *table_lines(split, names),
        "  " + ", ".join(_judgement(name, value) for name, value in split.values),
    ]


def table_lines(split: Valuation, names: Sequence[str]) -> list[str]:
    """Return a table of the teams side by side, as people read it."""
    grid = table_of(split, names)
    rows = [("", *grid.columns[1:]), *grid.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def table_of(split: Valuation, names: Sequence[str]) -> Grid:
    """Return a table of the teams side by side."""
    rows = []
    for n, team in enumerate(split.teams):
        size = str(len(team.players)) + (f" + {count(team.bots, 'bot')}" if team.bots else "")
        figures = (number(round(figure, 2)) for figure in (team.total, team.mean, team.deviation))
        rows.append((team_name(names, n), size, *figures, percent(team.win_probability, 1)))
    return Grid(("team", "players", "total", "mean", "deviation", "win chance"), rows)


def change_lines(change: Change, objective: str, names: Sequence[str] = ()) -> list[str]:
    """Return what a change by hand makes of a split: the numbers before and after, and the costs."""
    if not change.moved:
        return ["This changes nothing: nobody is in another team."]
    lines = [f"{capital(moves(change.moved, names))}: {cost_words(change.cost, objective)}."]
    if change.behind != change.cost:
        lines.append(f"Against the best split it {cost_words(change.behind, objective)}.")
    after = dict(change.after.values)
    rows = [("", "before", "after")]
    for n, (old, new) in enumerate(zip(change.before.teams, change.after.teams, strict=True)):
        name = team_name(names, n)
        rows.append((f"{name} total", number(round(old.total, 2)), number(round(new.total, 2))))
        rows.append((f"{name} win chance", percent(old.win_probability, 1), percent(new.win_probability, 1)))
    rows += [
        (name, _value(name, value), _value(name, after[name]))
        for name, value in change.before.values
        if name in after
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines += ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    lines += preference_change_lines(change)
    return lines + [f"It breaks a rule: {constraint_words(rule, names)}." for rule in change.broken]


def preference_change_lines(change: Change) -> list[str]:
    """Return which preferences with a price a change by hand breaks or meets, and what is paid then."""
    before, after = _paid(change.before), _paid(change.after)
    lines = []
    for preference, paid in after.items():
        if abs(paid - before.get(preference, 0.0)) >= UNSEEN:
            verb = "breaks" if paid > before.get(preference, 0.0) else "meets"
            words = _preference_words(*preference)
            lines.append(f"It {verb} a preference: {words}; {percent(paid, 2)} is paid for it.")
    return lines


def _paid(split: Valuation) -> dict[tuple[str, tuple[str, ...]], float]:
    """Return what is paid for each preference, those of the same kind between the same players as one."""
    paid: dict[tuple[str, tuple[str, ...]], float] = {}
    for preference in split.preferences:
        key = preference.kind, preference.players
        paid[key] = paid.get(key, 0.0) + preference.paid
    return paid


def place_lines(place: Place, objective: str, names: Sequence[str] = ()) -> list[str]:
    """Return why a player is in a team."""
    who, home = printable(place.player), team_name(names, place.team)
    lines = [f"Why {who} is in {home}:"]
    if place.party:
        lines.append(f"  {who} stays with {listed(place.party)}.")
    lines += [f"  {printable(one)} is fixed to {home}." for one in place.held]
    lines += [f"  A preference: {constraint_words(preference, names)}." for preference in place.preferences]
    if place.relative_to:
        anchor = printable(place.relative_to)
        lines.append(
            f"  The teams have the same rules, so what counts is with whom: {anchor} is taken to stay."
        )
    for instead in place.elsewhere:
        team = team_name(names, instead.preference.team or 0)
        given_up = " and ".join(_giving_up(rule, names) for rule in instead.given_up)
        if instead.best is None:
            lines.append(f"  {who} cannot be in {team}: {printable(instead.reason)}.")
        else:
            where = f"In {team} at best{f' ({given_up})' if given_up else ''}"
            lines.append(f"  {where}: {_best(instead, objective, names)}")
    if place.exchange is None:
        lines.append(f"  No swap of {who} keeps the rules.")
    else:
        words = cost_words(place.exchange.cost, objective)
        with_party = " and the party" if place.party else ""
        lines.append(f"  The best swap of {who}{with_party} is with {printable(place.partner)}: {words}.")
    return lines


def together_lines(instead: Instead, objective: str, names: Sequence[str] = ()) -> list[str]:
    """Return why two players are in one team."""
    pair = listed(instead.preference.players)
    if instead.best is None:
        return [f"{pair} cannot be apart: {printable(instead.reason)}."]
    return [f"{pair} are in one team; apart at best: {_best(instead, objective, names)}"]


def price_words(price: Price, objective: str, names: Sequence[str]) -> str:
    """Return what a rule or a preference costs, in one line."""
    lines = (_price_lines if price.constraint.binding else _preference_lines)(price, objective, names)
    return lines[0].replace(" (not proven).", ".")


#: What a preference between players asks for, by its kind, as a constraint and as an outcome.
_PREFERENCES = {"prefer": "together", "together": "together", "avoid": "apart", "apart": "apart"}


def _preference_words(kind: str, players: Sequence[str]) -> str:
    """Return what a preference asks for, without its price."""
    if kind == "stay":
        return f"{listed(players)} staying in the current team"
    if kind == "side":
        return f"the side {listed(players)} prefers"
    return f"{listed(players)} rather {_PREFERENCES[kind]}"


def standing(explanation: Explanation) -> str:
    """Say how far the split is from the best, and the best from the bound."""
    value = f"{explanation.objective} {number(explanation.value or 0.0)}"
    words = f"The best is {value}"
    if explanation.behind is not None and explanation.behind != Cost(0.0, 0.0):
        behind = cost_words(explanation.behind, explanation.objective)
        words = f"Against the best this {behind}; the best is {value}"
    if explanation.status == "optimal":
        return f"{words}, proven: no split is better."
    bound, gap = number(explanation.bound or 0.0), number(explanation.gap or 0.0)
    return f"{words}, not proven: the bound is {bound}, {gap} away."


def _price_lines(price: Price, objective: str, names: Sequence[str]) -> list[str]:
    """Return what a rule costs, and what is left of it with a single member let go."""
    words = f"{capital(_kept(price.constraint, names))} {cost_words(price.cost, objective)}"
    if price.constraint.kind == "sizes" and price.cost != Cost(0.0, 0.0):
        words += f" (it would be {' : '.join(str(len(team)) for team in price.without.teams)})"
    lines = [words + _unproven(price)]
    if price.constraint.kind == "fixed":
        # Of all who are fixed, one alone seldom makes a difference: only those who do are mentioned.
        moving = [member for member in price.members if member.cost != Cost(0.0, 0.0)]
        return lines + [
            f"  Only {_kept(one.constraint, names)} {cost_words(one.cost, objective)}{_unproven(one)}"
            for one in moving
        ]
    for member in price.members:
        left = cost_words(price.cost.minus(member.cost), objective)
        split = member.constraint.players
        rest = named([player for player in price.constraint.players if player not in split])
        lines.append(f"  Splitting only {listed(split)}: keeping {rest} together {left}{_unproven(member)}")
    return lines


def _preference_lines(price: Price, objective: str, names: Sequence[str]) -> list[str]:
    """Return what a preference with a price costs: what is paid, and what keeping it would mean."""
    words = f"{capital(constraint_words(price.constraint, names))}: "
    if not price.paid:
        return [f"{words}met; that {cost_words(price.cost, objective)}{_unproven(price)}"]
    words += f"{worth(price.paid)} is paid for it"
    if price.cost != Cost(0.0, 0.0):
        words += f"; without the preference it {saves(price.cost, objective)}"
    if price.kept is None:
        return [f"{words}{_unproven(price)}"]
    if price.kept.best is None:
        return [f"{words}; it cannot be kept: {printable(price.kept.reason)}."]
    kept = f"{words}; keeping it {cost_words(price.kept.best.cost, objective)}"
    return [kept + ("." if price.kept.proven else " (not proven).")]


def _unproven(price: Price) -> str:
    """Return how the line on a price ends."""
    if price.proven:
        return "."
    found = "" if price.cost != Cost(0.0, 0.0) else ": no better split was found without"
    return f" (not proven{found})."


def _unpriced(constraints: Sequence[Constraint], names: Sequence[str]) -> str:
    """Say what there was no time for."""
    named = "; ".join(constraint_words(one, names) for one in constraints[:MOST_NAMED])
    more = len(constraints) - MOST_NAMED
    others = f"; and {count(more, 'other')}" if more > 0 else ""
    return f"There was no time to price {len(constraints)} more: {named}{others}."


def _kept(constraint: Constraint, names: Sequence[str]) -> str:
    """Return a constraint as something that costs."""
    if constraint.kind == "sizes":
        return f"not letting the teams differ by {count(constraint.allowed or 0, 'player')}"
    return constraint_words(constraint, names)


def relaxation_lines(explanation: Explanation, names: Sequence[str]) -> list[str]:
    """Say which rules are cheapest to give up."""
    if explanation.relaxed is None:
        if explanation.split is None:
            return ["Giving up the preferences would not help, or there was no time to find out."]
        return []
    given_up = " and ".join(_giving_up(rule, names) for rule in explanation.relaxation)
    if explanation.split is None:
        teams = " against ".join(listed(team) or "bots alone" for team in explanation.relaxed.teams)
        return [f"The cheapest relaxation is {given_up}: then {teams}, {even(explanation.relaxed)}."]
    words = saves(Cost(0.0, 0.0).minus(explanation.relaxed.cost), explanation.objective)
    return ["", f"The cheapest relaxation is {given_up}: it {words}."]


def _giving_up(constraint: Constraint, names: Sequence[str]) -> str:
    if constraint.kind == "sizes":
        return f"letting the teams differ by {count(constraint.allowed or 0, 'player')}"
    if constraint.kind == "member":
        return f"letting {listed(constraint.players)} leave the party"
    if constraint.kind == "rule":
        return f"giving up {constraint_words(constraint, names)}"
    return f"not {constraint_words(constraint, names)}"


def _best(instead: Instead, objective: str, names: Sequence[str]) -> str:
    if instead.best is None:
        return f"none: {printable(instead.reason)}."
    changed, best = moves(instead.best.moved, names), instead.best
    end = "." if instead.proven else " (not proven)."
    return f"{even(best)}, which {cost_words(best.cost, objective)} ({changed}){end}"


def _judgement(name: str, value: float) -> str:
    return f"{name} {_value(name, value)}"


def _value(name: str, value: float) -> str:
    return percent(value, 2) if name in AS_CHANCE else number(value)


#: What matters of a win probability or of what is paid for preferences, and of the spread of the players'
#: weights for an objective that is measured in points: a part in a thousand.
TOLERANCE = 0.001

#: How many prices are worth a line each.
MOST_LINES = 5


def summary_lines(explanation: Explanation, names: Sequence[str] = (), *, whole: bool = False) -> list[str]:
    """Return an explanation as a few lines: the teams, the reason, and what is worth giving up.

    Parameters
    ----------
    explanation : Explanation
        What to write.
    names : sequence of str
        What to call the teams; by default Team 1, Team 2, ...
    whole : bool
        Whether its numbers are whole points, so that less than one does not matter.
    """
    split = explanation.split
    if split is None:
        return explanation_lines(explanation, names)
    points = max(TOLERANCE * max((team.deviation for team in split.teams), default=0.0), float(whole))
    dear = [price for price in explanation.prices if _matters(price.cost, explanation.objective, points)]
    shown = dear[:MOST_LINES]
    lines = ["Why these teams:", *table_lines(split, names), "", standing(explanation)]
    lines += side_lines(explanation.side_chance, names)
    if explanation.alternatives:
        nearest = explanation.alternatives[0]
        words = cost_words(nearest.cost, explanation.objective)
        lines.append(f"The next best, {move_words(nearest.moved, names)}, {words}.")
    lines += [price_words(price, explanation.objective, names) for price in shown]
    lines += _rest(explanation, len(dear) - len(shown), bool(shown), points)
    worth = (
        _matters(explanation.relaxed.cost, explanation.objective, points) if explanation.relaxed else False
    )
    return [*lines, *(relaxation_lines(explanation, names) if worth else [])]


def _matters(cost: Cost, objective: str, points: float) -> bool:
    """Tell whether somebody would notice."""
    if max(abs(cost.win_probability), abs(cost.preferences)) >= TOLERANCE:
        return True
    names = objective.split(", ")
    values = cost.values if len(cost.values) == len(names) else (cost.value,)
    least = [points if name in IN_POINTS else TOLERANCE for name in names]
    return any(abs(value) >= limit > 0.0 for value, limit in zip(values, least, strict=False))


def _rest(explanation: Explanation, more: int, shown: bool, points: float) -> Iterator[str]:
    """Say in a line what is not worth one each, and once what is not proven or was not looked at."""
    if explanation.prices:
        measured = any(name in explanation.objective for name in IN_POINTS)
        least = "a point" if points == 1.0 else f"{number(points)} points"
        unit = f" or {least}" if measured else ""
        others = "Nothing else that was asked" if shown else "Nothing that was asked"
        yield (
            f"{more} more rules and preferences cost something; --all lists them."
            if more
            else f"{others} costs more than {100 * TOLERANCE:g} % of win probability{unit}."
        )
    if not all(price.proven for price in explanation.prices):
        yield "These costs are the best found in the time there was, not proven."
    if explanation.unpriced:
        yield f"There was no time to price {len(explanation.unpriced)} more; --time-limit gives more."
