"""Explanations in plain English: numbers with units, a line each.

What they say is found in :mod:`equipoise.teams.explaining` and :mod:`equipoise.teams.editing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from equipoise.pages.text import number, printable
from equipoise.teams.asking import Cost, Moved, Valuation
from equipoise.teams.editing import Change, Instead, Place
from equipoise.teams.explaining import Alternative, Explanation, Price, Rule

#: A change of chance below it is not worth a digit: half of the last one shown.
UNSEEN = 5e-5


def explanation_lines(explanation: Explanation, names: Sequence[str] = ()) -> list[str]:
    """Return an explanation as lines of text.

    Parameters
    ----------
    explanation : Explanation
        What is told.
    names : sequence of str
        What to call the teams; by default Team 1, Team 2, ...
    """
    if explanation.division is None:
        return _relaxation_lines(explanation, names)
    lines = ["Why these teams:", *valuation_lines(explanation.division, names)]
    lines.append(_standing(explanation))
    if explanation.alternatives:
        lines += ["", "The best alternatives, and what they cost:"]
        lines += [
            f"  {moves(other.moved, names)}: {_even(other)}; {cost_words(other.cost, explanation.objective)}"
            for other in explanation.alternatives
        ]
    if explanation.prices:
        lines += ["", "What the rules cost:"]
        for price in explanation.prices:
            lines += [f"  {line}" for line in _price_lines(price, explanation.objective, names)]
    if explanation.unpriced:
        lines.append(f"  There was no time to price {explanation.unpriced} more.")
    return [*lines, *_relaxation_lines(explanation, names)]


def valuation_lines(division: Valuation, names: Sequence[str]) -> list[str]:
    """Return a table of the teams, and what every objective and criterion says."""
    rows: list[tuple[str, ...]] = [("", "players", "total", "mean", "deviation", "win chance")]
    for n, team in enumerate(division.teams):
        size = str(len(team.players)) + (f" + {_count(team.bots, 'bot')}" if team.bots else "")
        figures = (number(round(figure, 2)) for figure in (team.total, team.mean, team.deviation))
        rows.append((team_name(names, n), size, *figures, _percent(team.win_probability, 1)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return [*lines, "  " + ", ".join(_judgement(name, value) for name, value in division.values)]


def change_lines(change: Change, objective: str, names: Sequence[str] = ()) -> list[str]:
    """Return what a change by hand makes of a division: the numbers before and after, and the costs."""
    if not change.moved:
        return ["This changes nothing: nobody is in another team."]
    lines = [f"{_capital(moves(change.moved, names))}: {cost_words(change.cost, objective)}."]
    if change.behind != change.cost:
        lines.append(f"Against the best division it {cost_words(change.behind, objective)}.")
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
    return lines + [f"It breaks a rule: {rule_words(rule, names)}." for rule in change.broken]


def place_lines(place: Place, objective: str, names: Sequence[str] = ()) -> list[str]:
    """Return why a player is in a team."""
    who, home = printable(place.player), team_name(names, place.team)
    lines = [f"Why {who} is in {home}:"]
    if place.party:
        lines.append(f"  {who} stays with {listed(place.party)}.")
    if place.fixed:
        lines.append(f"  {who} is fixed to {home}.")
    if place.relative_to:
        anchor = printable(place.relative_to)
        lines.append(
            f"  The teams have the same rules, so what counts is with whom: {anchor} is taken to stay."
        )
    for instead in place.elsewhere:
        team = team_name(names, instead.wish.team or 0)
        if instead.best is None:
            lines.append(f"  {who} cannot be in {team}: {printable(instead.reason)}.")
        else:
            lines.append(f"  In {team} at best: {_best(instead.best, objective, names)}")
    if place.exchange is None:
        lines.append(f"  No swap of {who} with one player keeps the rules.")
    else:
        words = cost_words(place.exchange.cost, objective)
        lines.append(f"  The best swap with one player is with {printable(place.partner)}: {words}.")
    return lines


def together_lines(instead: Instead, objective: str, names: Sequence[str] = ()) -> list[str]:
    """Return why two players are in one team."""
    pair = listed(instead.wish.players)
    if instead.best is None:
        return [f"{pair} cannot be apart: {printable(instead.reason)}."]
    return [f"{pair} are in one team; apart at best: {_best(instead.best, objective, names)}"]


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
    'costs 0.8 % of win probability and 1.25 of spread'
    >>> cost_words(Cost(0.008, -1.25), "spread")
    'costs 0.8 % of win probability, gains 1.25 of spread'
    >>> cost_words(Cost(0.0, 0.0), "gap"), cost_words(Cost(0.008, 0.008), "win")
    ('costs nothing', 'costs 0.8 % of win probability')
    """
    worse: list[str] = []
    better: list[str] = []
    if cost.win_probability:
        (worse if cost.win_probability > 0 else better).append(_chance(cost.win_probability))
    if cost.value and objective != "win":
        (worse if cost.value > 0 else better).append(f"{number(abs(cost.value))} of {objective}")
    parts = [f"costs {' and '.join(worse)}"] if worse else []
    parts += [f"gains {' and '.join(better)}"] if better else []
    return ", ".join(parts) or "costs nothing"


def rule_words(rule: Rule, names: Sequence[str] = ()) -> str:
    """Return what a rule asks for.

    Examples
    --------
    >>> rule_words(Rule("apart", ("Ann", "Bob"))), rule_words(Rule("fixed", ("Ann",), team=1))
    ('keeping Ann and Bob apart', 'Ann fixed to Team 2')
    """
    if rule.kind == "party":
        return f"keeping {listed(rule.players)} together"
    if rule.kind == "member":
        return f"{listed(rule.players)} staying in the party"
    if rule.kind == "apart":
        return f"keeping {listed(rule.players)} apart"
    if rule.kind == "fixed":
        return f"{listed(rule.players)} fixed to {team_name(names, rule.team or 0)}"
    return f"the sizes of the teams, which may differ by {_count(rule.allowed or 0, 'player')}"


def _standing(explanation: Explanation) -> str:
    """Say how far the division is from the best, and the best from the bound."""
    value = f"{explanation.objective} {number(explanation.value or 0.0)}"
    words = f"The best is {value}"
    if explanation.behind is not None and explanation.behind != Cost(0.0, 0.0):
        behind = cost_words(explanation.behind, explanation.objective)
        words = f"Against the best this {behind}; the best is {value}"
    if explanation.status == "optimal":
        return f"{words}, proven: no division is better."
    bound, gap = number(explanation.bound or 0.0), number(explanation.gap or 0.0)
    return f"{words}, not proven: the bound is {bound}, {gap} away."


def _price_lines(price: Price, objective: str, names: Sequence[str]) -> list[str]:
    """Return what a rule costs, and what is left of it with a single member let go."""
    words = f"{_capital(_kept(price.rule, names))} {cost_words(price.cost, objective)}"
    if price.rule.kind == "sizes" and price.cost != Cost(0.0, 0.0):
        words += f" (it would be {' : '.join(str(len(team)) for team in price.without.teams)})"
    lines = [words + "." * price.proven + " (not proven)." * (not price.proven)]
    for member in price.members:
        left = Cost(
            price.cost.win_probability - member.cost.win_probability, price.cost.value - member.cost.value
        )
        who = listed(member.rule.players)
        lines.append(f"  Splitting off only {who}, the rest of it {cost_words(left, objective)}.")
    return lines


def _kept(rule: Rule, names: Sequence[str]) -> str:
    """Return a rule as something that costs."""
    if rule.kind == "sizes":
        return f"not letting the teams differ by {_count(rule.allowed or 0, 'player')}"
    return rule_words(rule, names)


def _relaxation_lines(explanation: Explanation, names: Sequence[str]) -> list[str]:
    """Say which rules are cheapest to give up."""
    if explanation.relaxed is None:
        if explanation.division is None:
            return ["Giving up the wishes would not help, or there was no time to find out."]
        return []
    given_up = " and ".join(_giving_up(rule, names) for rule in explanation.relaxation)
    if explanation.division is None:
        teams = " against ".join(listed(team) or "bots alone" for team in explanation.relaxed.teams)
        return [f"The cheapest relaxation is {given_up}: then {teams}, {_even(explanation.relaxed)}."]
    gain = Cost(-explanation.relaxed.cost.win_probability, -explanation.relaxed.cost.value)
    words = cost_words(gain, explanation.objective).replace("costs", "saves").replace("gains", "loses")
    return ["", f"The cheapest relaxation is {given_up}: it {words}."]


def _giving_up(rule: Rule, names: Sequence[str]) -> str:
    if rule.kind == "sizes":
        return f"letting the teams differ by {_count(rule.allowed or 0, 'player')}"
    if rule.kind == "member":
        return f"letting {listed(rule.players)} leave the party"
    if rule.kind == "fixed":
        return f"not fixing {listed(rule.players)} to {team_name(names, rule.team or 0)}"
    return f"not {rule_words(rule, names)}"


def _best(best: Alternative, objective: str, names: Sequence[str]) -> str:
    changed = moves(best.moved, names)
    return f"{_even(best)}, which {cost_words(best.cost, objective)} ({changed})."


def _even(other: Alternative) -> str:
    return "win chances " + " : ".join(_percent(chance, 1) for chance in other.win_probability)


def _judgement(name: str, value: float) -> str:
    return f"{name} {_value(name, value)}"


def _value(name: str, value: float) -> str:
    return _percent(value, 2) if name == "win" else number(value)


def _chance(cost: float) -> str:
    """Return a difference of chances in per cent, so that what is not 0 does not look like it."""
    size = abs(cost)
    if size < UNSEEN:
        return "less than 0.01 % of win probability"
    return f"{number(round(100 * size, 2))} % of win probability"


def _percent(share: float, digits: int) -> str:
    return f"{100 * share:.{digits}f} %"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'s' * (n != 1)}"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
