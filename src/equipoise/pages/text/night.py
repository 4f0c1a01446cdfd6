"""A night of games in words: teams, results and the table, short enough to be pasted into a chat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from equipoise.core.plain_data import printable
from equipoise.pages.text.point_changes import changes_text
from equipoise.play.night import RESULT, TEAMS, result_text

if TYPE_CHECKING:
    from equipoise.play.night import Night, Proposal, Setup
    from equipoise.play.proposals import Arranged
    from equipoise.play.round_plan import Plan
    from equipoise.ratings.point_changes import PointChange

#: Chances that are this near are an even game to a reader.
EVEN = 0.0005


def names_of(players: Sequence[str], spelled: Mapping[str, str]) -> str:
    """Return people as a text.

    Examples
    --------
    >>> names_of(["a", "b", "c"], {"a": "Amber"})
    'Amber, b, c'
    """
    return ", ".join(printable(spelled.get(player, player)) for player in players)


def proposal_lines(setup: Setup, proposal: Proposal, spelled: Mapping[str, str]) -> list[str]:
    """Return the teams, a line each, with chances and who sits out."""
    heads = [printable(setup.called(n)) for n in range(len(proposal.teams))]
    width = max(map(len, heads))
    lines = [
        f"{head:<{width}}  {names_of(team, spelled)}"
        for head, team in zip(heads, proposal.teams, strict=True)
    ]
    best = max(range(len(heads)), key=lambda n: proposal.chances[n])
    if proposal.chances[best] - 1.0 / len(heads) < EVEN:
        lines.append("An even game.")
    else:
        lines.append(f"{heads[best]} wins {100.0 * proposal.chances[best]:.1f} % of such games.")
    if proposal.out:
        lines.append(f"{names_of(proposal.out, spelled)} {_verb(proposal.out, 'sit')} out.")
    if proposal.moved:
        lines.append(f"{names_of(proposal.moved, spelled)} {_verb(proposal.moved, 'change')} team.")
    for one, other in proposal.unmet:
        met = "are apart" if (one, other) in setup.prefer else "are together"
        lines.append(f"{names_of([one], spelled)} and {names_of([other], spelled)} {met} this time.")
    return lines


def proposal_rows(
    setup: Setup, proposal: Proposal | None, spelled: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Return the teams as rows of team and player; those who sit out, or wait for teams, have none."""
    teams = [] if proposal is None else proposal.teams
    others = setup.here if proposal is None else proposal.out
    grouped = [*((printable(setup.called(n)), team) for n, team in enumerate(teams)), ("", others)]
    return [(team, printable(spelled.get(player, player))) for team, players in grouped for player in players]


def arranged_lines(setup: Setup, arranged: Arranged, spelled: Mapping[str, str]) -> list[str]:
    """Return proposed teams with what is proven of them, and what to type next."""
    lines = proposal_lines(setup, arranged.proposal, spelled)
    best = arranged.split is arranged.solution.best and arranged.solution.status == "optimal"
    if arranged.repeated:
        lines.append(
            f"No other teams lie within {100.0 * arranged.price:g} % of win probability, "
            "the price of meeting again: they come again."
        )
    elif best and arranged.fresh:
        lines.append("Proven: of the teams not proposed yet none are better.")
    elif best and arranged.anew and not arranged.split.preferences:
        lines.append("Proven: no teams are fairer by the ratings and the rules.")
    elif best and arranged.anew:
        lines.append("Proven: no teams are better by fairness and the preferences together.")
    elif arranged.rival is not None and arranged.behind < EVEN:
        lines.append("As fair as the fairest teams, and more is known of these.")
    elif arranged.rival is not None:
        lines.append(
            f"Within {100.0 * arranged.behind:.1f} % of the fairest teams, and more is known of these."
        )
    first = setup.called(0)
    quoted = f'"{first}"' if " " in first else first
    lines.append(f"After the game: equipoise night won {printable(quoted)} (or: draw, score 3 1).")
    return lines


def plan_lines(setup: Setup, plan: Plan, spelled: Mapping[str, str]) -> list[str]:
    """Return the rounds of a plan, what it is worth, and how far it is at most from the best."""
    lines: list[str] = []
    for number, each in enumerate(plan.rounds, start=1):
        lines += [f"Game {number}", *(f"  {line}" for line in proposal_lines(setup, each, spelled))]
    points = [100.0 * part for part in (plan.value, plan.unfairness, plan.repeats)]
    lines.append(
        f"Value {points[0]:.1f} points of win probability, lower is better: {points[1]:.1f} from even games, "
        f"{points[2]:.1f} for people who meet again ({100.0 * plan.price:g} each time)."
    )
    if plan.again:
        games = ", ".join(str(number) for number in plan.again)
        lines.append(
            f"Teams come again in game {games}: "
            f"no others lie within {100.0 * plan.price:g} % of win probability."
        )
    if plan.optimal:
        lines.append("Proven: no plan is better.")
    else:
        lines.append(f"No plan is below {100.0 * plan.bound:.1f}: the gap is {100.0 * plan.gap:.1f} points.")
    lines.append("After each game: its result, then equipoise night again for the next one of the plan.")
    return lines


def undo_line(night: Night, last: Mapping[str, Any], changes: Sequence[PointChange]) -> str:
    """Return what was taken back: the last step of a night, as it was before."""
    if last["kind"] == RESULT:
        points = changes_text(changes, lambda player: names_of([player], night.spelled))
        return printable(f"Taken back: {result_text(night, last['ranks'])} ({last['match']}): {points}.")
    if last["kind"] == TEAMS and last["proposal"] is not None:
        teams = " against ".join(names_of(team, night.spelled) for team in last["proposal"]["teams"])
        return f"Taken back: the teams {teams}."
    if last["kind"] == TEAMS:
        return f"Taken back: who is here ({names_of(last['setup']['here'], night.spelled) or 'nobody'})."
    return f"Taken back: the starting weights of {names_of(list(last['weights']), night.spelled)}."


def table_rows(rows: Sequence[Mapping[str, object]]) -> list[tuple[str, ...]]:
    """Return everyone who has come so far as rows of a table, the columns' names first."""
    columns = ("name", "here", "0-100", "played", "won", "drawn", "lost", "sat out", "weaker side", "moved",
               "unmet", "mostly with", "against")  # fmt: skip
    fields = ("name", "here", "weight", "played", "won", "drawn", "lost", "out", "weak", "moved", "unmet",
              "with", "against")  # fmt: skip
    return [columns, *(tuple(_cell(row[name]) for name in fields) for row in rows)]


def table_lines(night: Night, rows: Sequence[Mapping[str, object]]) -> list[str]:
    """Return everyone who has come so far as a table, and the current teams."""
    cells = table_rows(rows)
    widths = [max(len(row[n]) for row in cells) for n in range(len(cells[0]))]
    lines = [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))]
        ).rstrip()
        for row in cells
    ]
    if night.proposal is not None:
        done = night.result_of(night.proposal.id) is not None
        lines += ["", "Teams of the last game:" if done else "Current teams:"]
        lines += proposal_lines(night.setup, night.proposal, night.spelled)
    return lines


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, dict):  # how often whom: the first is the most frequent
        return "".join(f"{printable(who)} {times}" for who, times in list(value.items())[:1])
    if isinstance(value, float):
        return f"{value:.1f}"
    return "" if value is None else printable(str(value))


def _verb(who: Sequence[str], verb: str) -> str:
    return f"{verb}s" if len(who) == 1 else verb
