"""A night of games in words: teams, results and the table, short enough to be pasted into a chat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from equipoise.core.plain_data import printable
from equipoise.pages.text.point_changes import changes_text
from equipoise.pages.text.teams import sizes_text, verdict_of, whole_chances
from equipoise.pages.text.wording import capital
from equipoise.play import evening_events as ev
from equipoise.ratings.point_changes import points

if TYPE_CHECKING:
    from equipoise.play.evening_events import Event, Proposal, Setup
    from equipoise.play.evening_state import EveningGame
    from equipoise.play.proposals import Arranged
    from equipoise.play.round_plan import Plan
    from equipoise.ratings.point_changes import PointChange

#: Words for teams than which none are better.
BEST = "Proven best."

#: Win probabilities that are this near are the same to a reader.
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
    """Return how even the game is, the teams, a line each, and who sits out."""
    heads = [printable(setup.called(n)) for n in range(len(proposal.teams))]
    width = max(map(len, heads))
    named = [capital(head) for head in heads]
    larger = sizes_text(list(map(len, proposal.teams)), named)
    lines = [
        f"{verdict_of(proposal.chances, named)}.",
        *([f"{larger}."] if larger else []),
        *(f"{head:<{width}}  {names_of(team, spelled)}"
          for head, team in zip(heads, proposal.teams, strict=True)),
    ]  # fmt: skip
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
    proven = proof_line(arranged)
    if proven:
        lines[0] += f" {proven}"
    first = setup.called(0)
    quoted = f'"{first}"' if " " in first else first
    lines.append(f"After the game: equipoise night won {printable(quoted)} (or: draw, score 3 1).")
    return lines


def proof_line(arranged: Arranged) -> str:
    """Return what is proven of proposed teams, in a sentence; nothing where there is nothing to say."""
    best = arranged.split is arranged.solution.best and arranged.solution.status == "optimal"
    if arranged.repeated:
        return (
            f"No other teams lie within {100.0 * arranged.price:g} % of win probability, "
            "the price of meeting again: they come again."
        )
    if best and arranged.fresh:
        return "Proven best of the teams not proposed yet."
    if best and arranged.anew and not arranged.split.preferences:
        return BEST
    if best and arranged.anew:
        return "Proven best by fairness and the preferences together."
    if arranged.rival is not None and arranged.behind < EVEN:
        return "As fair as the fairest teams, and more is known of these."
    if arranged.rival is not None:
        return f"Within {100.0 * arranged.behind:.1f} % of the fairest teams, and more is known of these."
    return ""


def plan_lines(setup: Setup, plan: Plan, spelled: Mapping[str, str]) -> list[str]:
    """Return the rounds of a plan, how even they are, and whether it is proven best."""
    lines: list[str] = []
    for number, each in enumerate(plan.rounds, start=1):
        lines += [f"Game {number}", *(f"  {line}" for line in proposal_lines(setup, each, spelled))]
    least = max(plan.rounds, key=lambda each: max(each.chances))
    mates = Counter(
        pair for each in plan.rounds for team in each.teams for pair in combinations(sorted(team), 2)
    )
    often = max(mates.values(), default=0)
    chances = " : ".join(map(str, whole_chances(least.chances)))
    lines.append(
        f"The least even game is {chances}; nobody plays with the same mate more than "
        f"{'once' if often <= 1 else 'twice' if often == 2 else f'{often} times'}."
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
        lines.append("The best plan found; a better one was not ruled out.")
    lines.append("After each game: its result, then equipoise night again for the next one of the plan.")
    return lines


def result_text(setup: Setup, ranks: Sequence[float]) -> str:
    """Return how a game ended.

    Examples
    --------
    >>> from equipoise.play.evening_events import Setup
    >>> result_text(Setup(), (2.0, 1.0))
    'blue won'
    """
    best = [n for n, rank in enumerate(ranks) if rank == min(ranks)]
    return f"{setup.called(best[0])} won" if len(best) == 1 else "A draw"


#: What was taken back, by the kind of the step.
TAKEN_BACK = {
    ev.Gather: "who is here", ev.Substitute: "a substitute", ev.SetRoles: "roles", ev.Vote: "a vote",
    ev.Captains: "the captains", ev.Pick: "a pick", ev.SwapPlayers: "a swap",
    ev.Lock: "who is locked into a team",
    ev.Maps: "the maps", ev.Veto: "a veto", ev.Correct: "a correction", ev.Attend: "who is here",
}  # fmt: skip


def step_word(step: Event) -> str:
    """Return what data call a step: a result, teams (and who is here), or what it is by itself.

    Examples
    --------
    >>> step_word(ev.Report("", (1.0, 2.0))), step_word(ev.Call("night")), step_word(ev.Veto("", "dock"))
    ('result', 'teams', 'veto')
    """
    if isinstance(step, ev.Report | ev.Correct):
        return "result"
    teams = isinstance(step, ev.Gather | ev.Attend | ev.Substitute | ev.Call)
    return "teams" if teams else type(step).__name__.lower()


def undo_line(
    setup: Setup, last: Event, game: EveningGame | None, spelled: Mapping[str, str],
    changes: Sequence[PointChange],
) -> str:  # fmt: skip
    """Return what was taken back: the last step of a night, as it was before.

    Parameters
    ----------
    setup : Setup
        What teams are called.
    last : Event
        The step.
    game : EveningGame or None
        The current game before it was taken back.
    spelled : mapping from str to str
        How people are written.
    changes : sequence of PointChange
        What that changed.
    """
    if isinstance(last, ev.Report) and game is not None:
        changed = changes_text(changes, lambda player: names_of([player], spelled))
        return printable(f"Taken back: {result_text(setup, last.ranks)} ({game.id}): {changed}.")
    if isinstance(last, ev.Gather | ev.Call) and game is not None and game.teams:
        teams = " against ".join(names_of(team, spelled) for team in game.teams)
        return f"Taken back: the teams {teams}."
    if isinstance(last, ev.Attend):
        who = names_of(last.players or tuple(last.weights), spelled)
        what = "the starting weights of" if not last.players else f"{last.state}:"
        return f"Taken back: {what} {who}."
    detail = ""
    if isinstance(last, ev.Pick):
        detail = f" of {names_of([last.player], spelled)}"
    elif isinstance(last, ev.Veto):
        detail = f" of {printable(last.map)}"
    elif isinstance(last, ev.Vote):
        detail = f" of {names_of([last.who], spelled)} for {printable(last.choice)}"
    elif isinstance(last, ev.SwapPlayers):
        detail = f" of {names_of([last.one, last.other], spelled)}"
    return f"Taken back: {TAKEN_BACK.get(type(last), 'a step')}{detail}."


def waiting_lines(setup: Setup, game: EveningGame, spelled: Mapping[str, str]) -> list[str]:
    """Return what a game waits for besides its result: picks, maps, votes."""
    phase = game.phase.name
    if phase == "DRAFTING":
        left = names_of(game.unpicked, spelled)
        captain = names_of([game.teams[game.turn][0]], spelled)
        return [f"{captain} picks next, one of {left}: equipoise night pick NAME"]
    if phase == "STRIKING":
        side = setup.called((len(game.lobby.maps) - len(game.maps)) % game.lobby.teams)
        return [f"{printable(side)} strikes a map, of {', '.join(game.maps)}: equipoise night veto MAP"]
    if phase == "CHOOSING":
        return [f"Everyone votes on {', '.join(game.lobby.maps)}: equipoise night vote NAME MAP"]
    return [f"Map: {printable(game.map)}."] if game.map else []


def game_lines(setup: Setup, game: EveningGame | None, spelled: Mapping[str, str]) -> list[str]:
    """Return the current game: teams, or as far as they are picked, and what it waits for."""
    if game is None:
        return [f"Here: {names_of(setup.here, spelled) or 'nobody'}."]
    if game.is_whole:
        lines = proposal_lines(setup, game.proposal, spelled)
    else:
        lines = [
            f"{printable(setup.called(n))}  {names_of(team, spelled)}" for n, team in enumerate(game.teams)
        ]
    if setup.fixed:
        lines.append(f"Locked: {names_of([player for player, _ in setup.fixed], spelled)}.")
    votes = [f"{names_of([who], spelled)} {printable(choice)}" for who, choice in game.votes.items()]
    if votes:
        lines.append(f"Votes: {', '.join(votes)}.")
    return [*lines, *waiting_lines(setup, game, spelled)]


def game_data(setup: Setup, game: EveningGame | None, spelled: Mapping[str, str]) -> dict[str, Any]:
    """Return the current game as plain data."""

    def names(players: Iterable[str]) -> list[str]:
        return [spelled.get(player, player) for player in players]

    here = {"here": names(setup.here)}
    if game is None:
        return {"id": None, "phase": None, "teams": [], **here}
    drafting = game.phase.name == "DRAFTING"
    return {
        "id": game.id, "phase": game.phase.name.lower(), **here,
        "names": [setup.called(n) for n in range(len(game.teams))],
        "teams": list(map(names, game.teams)), "out": names(game.out),
        "win_probability": list(game.chances),
        "captain": names([game.teams[game.turn][0]])[0] if drafting else None,
        "left": names(game.unpicked) if drafting else [],
        "maps": list(game.maps) if game.phase.name == "STRIKING" else list(game.lobby.maps),
        "map": game.map or None, "votes": {spelled.get(who, who): each for who, each in game.votes.items()},
        "locked": names(player for player, _ in setup.fixed),
    }  # fmt: skip


def table_rows(rows: Sequence[Mapping[str, object]]) -> list[tuple[str, ...]]:
    """Return everyone who has come so far as rows of a table, the columns' names first."""
    columns = ("name", "here", "points", "played", "won", "drawn", "lost", "sat out", "weaker side", "moved",
               "unmet", "mostly with", "against")  # fmt: skip
    fields = ("name", "here", "weight", "played", "won", "drawn", "lost", "out", "weak", "moved", "unmet",
              "with", "against")  # fmt: skip
    shown = [{**row, "weight": _points(row["weight"])} for row in rows]
    return [columns, *(tuple(_cell(row[name]) for name in fields) for row in shown)]


def _points(weight: object) -> int | None:
    """Return a weight as people read it; None where nobody has played."""
    return points(weight) if isinstance(weight, int | float) else None


def table_lines(
    rows: Sequence[Mapping[str, object]], setup: Setup, game: EveningGame | None,
    spelled: Mapping[str, str],
) -> list[str]:  # fmt: skip
    """Return everyone who has come so far as a table, and the current game, or the last one."""
    cells = table_rows(rows)
    widths = [max(len(row[n]) for row in cells) for n in range(len(cells[0]))]
    lines = [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))]
        ).rstrip()
        for row in cells
    ]
    if game is not None and game.counted:
        lines += ["", "Teams of the last game:", *proposal_lines(setup, game.proposal, spelled)]
    elif game is not None and game.teams:
        lines += ["", "Current teams:" if game.is_whole else "Teams so far:"]
        lines += game_lines(setup, game, spelled)
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
