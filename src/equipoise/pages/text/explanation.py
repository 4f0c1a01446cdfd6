"""Explanations in plain English: numbers with units, a line each.

What they say is found in :mod:`equipoise.teams.explaining.explaining` and
:mod:`equipoise.teams.explaining.editing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from equipoise.fields import number, printable
from equipoise.teams.explaining.asking import Constraint
from equipoise.teams.explaining.editing import Change, Place
from equipoise.teams.explaining.explaining import Alternative, Explanation, Instead, Price
from equipoise.teams.explaining.judging import Cost, Moved, Valuation
from equipoise.teams.explaining.relaxing import words as words_of

#: A change of chance below it is not worth a digit: half of the last one shown.
UNSEEN = 5e-5

#: What is shown as win probability, in per cent, and so is not shown again as an objective.
AS_CHANCE = ("win", "preferences", "win + preferences")

#: Objectives that are measured in the points of the weights.
POINTS = ("difference", "spread")

#: How many are named, of players and of what there was no time for.
MOST_NAMED = 10


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
    lines.append(standing(explanation))
    if explanation.alternatives:
        lines += ["", "The best alternatives, and what they cost:"]
        lines += [
            f"  {moves(other.moved, names)}: {_even(other)}; {cost_words(other.cost, explanation.objective)}"
            for other in explanation.alternatives
        ]
    preferences = [price for price in explanation.prices if not price.constraint.binding]
    for heading, prices in (
        ("What the rules cost:", [price for price in explanation.prices if price.constraint.binding]),
        ("What the preferences cost (one that would cost more than it is worth gives way):", preferences),
    ):
        lines += ["", heading] if prices else []
        for price in prices:
            told = _preference_lines if price in preferences else _price_lines
            lines += [f"  {line}" for line in told(price, explanation.objective, names)]
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
    """Return a table of the teams side by side."""
    rows: list[tuple[str, ...]] = [("", "players", "total", "mean", "deviation", "win chance")]
    for n, team in enumerate(split.teams):
        size = str(len(team.players)) + (f" + {_count(team.bots, 'bot')}" if team.bots else "")
        figures = (number(round(figure, 2)) for figure in (team.total, team.mean, team.deviation))
        rows.append((team_name(names, n), size, *figures, _percent(team.win_probability, 1)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


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
        rows.append(
            (f"{name} win chance", _percent(old.win_probability, 1), _percent(new.win_probability, 1))
        )
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
            lines.append(f"It {verb} a preference: {words}; {_percent(paid, 2)} is paid for it.")
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


def moves(moved: Sequence[Moved], names: Sequence[str] = ()) -> str:
    """Return who goes where: a swap of two as such.

    Examples
    --------
    >>> moves([Moved("Ann", 0, 1), Moved("Bob", 1, 0)])
    'swap Ann and Bob'
    >>> moves([Moved("Ann", 0, 1), Moved("Bob", 0, 1), Moved("Cid", 1, 2)])
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
    told = []
    for verb, sign in (("costs", 1.0), ("gains", -1.0)):
        listing = [words for value, words in parts if value * sign > 0.0]
        if listing:
            told.append(f"{verb} {' and '.join([', '.join(listing[:-1]), listing[-1]][len(listing) < 2 :])}")
    return ", ".join(told) or "costs nothing"


def _figure(value: float, name: str) -> str:
    """Return how much of an objective something costs, in points where it is measured in those of weights."""
    if name in POINTS:
        return f"{number(value)} point{'s' * (value != 1.0)} of {name}"
    return f"{number(value)} of {name}"


def price_words(price: Price, objective: str, names: Sequence[str]) -> str:
    """Return what a rule or a preference costs, in one line."""
    lines = (_price_lines if price.constraint.binding else _preference_lines)(price, objective, names)
    return lines[0].replace(" (not proven).", ".")


def move_words(moved: Sequence[Moved], names: Sequence[str] = ()) -> str:
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
    who = _named(constraint.players) if constraint.players else printable(constraint.name)
    words = words_of(constraint, who, "" if constraint.team is None else team_name(names, constraint.team))
    return words if constraint.price is None else f"{words}, worth {_worth(constraint.price)}"


def _named(players: Sequence[str]) -> str:
    """Return the names, or how many they are if they are many."""
    return f"{len(players)} players" if len(players) > MOST_NAMED else listed(players)


#: What a preference between players asks for, by its kind, as a constraint and as an outcome.
_PREFERENCES = {"prefer": "together", "together": "together", "avoid": "apart", "apart": "apart"}


def _preference_words(kind: str, players: Sequence[str]) -> str:
    """Return what a preference asks for, without its price."""
    if kind == "stay":
        return f"{listed(players)} staying in the team of now"
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
        # Of all who are fixed, one alone seldom makes a difference: only those are told of who do.
        moving = [member for member in price.members if member.cost != Cost(0.0, 0.0)]
        return lines + [
            f"  Only {_kept(one.constraint, names)} {cost_words(one.cost, objective)}{_unproven(one)}"
            for one in moving
        ]
    for member in price.members:
        left = cost_words(price.cost.minus(member.cost), objective)
        split = member.constraint.players
        rest = _named([player for player in price.constraint.players if player not in split])
        lines.append(f"  Splitting only {listed(split)}: keeping {rest} together {left}{_unproven(member)}")
    return lines


def _preference_lines(price: Price, objective: str, names: Sequence[str]) -> list[str]:
    """Return what a preference with a price costs: what is paid, and what keeping it would mean."""
    words = f"{capital(constraint_words(price.constraint, names))}: "
    if not price.paid:
        return [f"{words}met; that {cost_words(price.cost, objective)}{_unproven(price)}"]
    words += f"{_worth(price.paid)} is paid for it"
    if price.cost != Cost(0.0, 0.0):
        words += f"; without the preference it {_saves(price.cost, objective)}"
    if price.kept is None:
        return [f"{words}{_unproven(price)}"]
    if price.kept.best is None:
        return [f"{words}; it cannot be kept: {printable(price.kept.reason)}."]
    kept = f"{words}; keeping it {cost_words(price.kept.best.cost, objective)}"
    return [kept + ("." if price.kept.proven else " (not proven).")]


def _unproven(price: Price) -> str:
    """Return how the telling of a price ends."""
    if price.proven:
        return "."
    found = "" if price.cost != Cost(0.0, 0.0) else ": no better split was found without"
    return f" (not proven{found})."


def _unpriced(constraints: Sequence[Constraint], names: Sequence[str]) -> str:
    """Say what there was no time for."""
    named = "; ".join(constraint_words(one, names) for one in constraints[:MOST_NAMED])
    more = len(constraints) - MOST_NAMED
    others = f"; and {_count(more, 'other')}" if more > 0 else ""
    return f"There was no time to price {len(constraints)} more: {named}{others}."


def _kept(constraint: Constraint, names: Sequence[str]) -> str:
    """Return a constraint as something that costs."""
    if constraint.kind == "sizes":
        return f"not letting the teams differ by {_count(constraint.allowed or 0, 'player')}"
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
        return [f"The cheapest relaxation is {given_up}: then {teams}, {_even(explanation.relaxed)}."]
    words = _saves(Cost(0.0, 0.0).minus(explanation.relaxed.cost), explanation.objective)
    return ["", f"The cheapest relaxation is {given_up}: it {words}."]


def _giving_up(constraint: Constraint, names: Sequence[str]) -> str:
    if constraint.kind == "sizes":
        return f"letting the teams differ by {_count(constraint.allowed or 0, 'player')}"
    if constraint.kind == "member":
        return f"letting {listed(constraint.players)} leave the party"
    if constraint.kind == "rule":
        return f"giving up {constraint_words(constraint, names)}"
    return f"not {constraint_words(constraint, names)}"


def _saves(cost: Cost, objective: str) -> str:
    """Return what giving something up saves, from what it costs."""
    return cost_words(cost, objective).replace("costs", "saves").replace("gains", "loses")


def _best(instead: Instead, objective: str, names: Sequence[str]) -> str:
    if instead.best is None:
        return f"none: {printable(instead.reason)}."
    changed, best = moves(instead.best.moved, names), instead.best
    end = "." if instead.proven else " (not proven)."
    return f"{_even(best)}, which {cost_words(best.cost, objective)} ({changed}){end}"


def _even(other: Alternative) -> str:
    return "win chances " + " : ".join(_percent(chance, 1) for chance in other.win_probability)


def _judgement(name: str, value: float) -> str:
    return f"{name} {_value(name, value)}"


def _value(name: str, value: float) -> str:
    return _percent(value, 2) if name in AS_CHANCE else number(value)


def _chance(cost: float) -> str:
    """Return a difference of chances in per cent, so that what is not 0 does not look like it."""
    return f"{_worth(cost)} of win probability"


def _for_preferences(paid: float) -> str:
    return f"{_worth(paid)} of preferences"


def _worth(chance: float) -> str:
    """Return a difference of chances in per cent without its sign."""
    size = abs(chance)
    return "less than 0.01 %" if size < UNSEEN else f"{number(round(100 * size, 2))} %"


def _percent(share: float, digits: int) -> str:
    return f"{100 * share:.{digits}f} %"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'s' * (n != 1)}"


def capital(words: str) -> str:
    """Return words with a capital at the beginning."""
    return words[:1].upper() + words[1:]
