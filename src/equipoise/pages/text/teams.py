"""Teams as text that can be pasted into a chat: solutions, their alternatives, and Pareto fronts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Protocol

from equipoise.core.plain_data import calling_nobody, number, printable
from equipoise.core.sides import EVEN_SIDES
from equipoise.pages.text.tables import Grid, csv_lines, markdown_lines, plain_cell

#: How wide lines of a table are, and the least that is left for its last column.
WIDTH, NARROWEST = 110, 40

#: A value of an objective up to this share of what it is measured in is what rounding makes of 0.
NOTHING = 1e-12

#: Objectives that are measured in weights; the others in shares of 1.
IN_POINTS = ("difference", "spread")


class PointDisplay(Protocol):
    """From a rating of an archive to points; :class:`equipoise.pages.text.point_scale.PointScale` is one."""

    def __call__(self, rating: float, /) -> int:
        """Return the points of a player."""

    def amount(self, difference: float, /) -> float:
        """Return a difference of ratings in points."""


if TYPE_CHECKING:
    from equipoise.teams.pareto import Front
    from equipoise.teams.solution import Solution, Split


def convention(
    beta: float,
    beta_source: str,
    zero: float,
    zero_source: str,
    *,
    uneven: bool = False,
    points: PointDisplay | None = None,
) -> list[str]:
    """Return what win chances rest on where weights are all that is known, a sentence each.

    Parameters
    ----------
    beta, zero : float
        The performance noise of a player, and the weight that adds nothing to a team.
    beta_source, zero_source : str
        Where they come from.
    uneven : bool
        Whether the teams are of different sizes, so that the zero matters.
    points : PointDisplay, optional
        Says both in points.

    Examples
    --------
    >>> for line in convention(8.0, "as given", 0.0, "as given", uneven=True):
    ...     print(line)
    Win chances assume a performance noise of 8 (as given).
    A player of 0 adds nothing to a team (as given).
    """
    begin = "assume" if beta_source == "as given" else "are a convention: they assume"
    noise = number(beta if points is None else points.amount(beta))
    lines = [f"Win chances {begin} a performance noise of {noise} ({beta_source})."]
    if uneven:
        lines.append(f"A player of {points_text(zero, points)} adds nothing to a team ({zero_source}).")
    return lines


def solution_lines(
    solution: Solution,
    split: Split,
    chosen: int | None = None,
    names: Sequence[str] = (),
    *,
    details: bool = False,
    points: PointDisplay | None = None,
) -> list[str]:
    """Return what a person reads of a solution, and can paste into a chat: the verdict first.

    Parameters
    ----------
    solution : Solution
        The answer.
    split : Split
        The split that is shown: one of the answer's, or one that was changed by hand.
    chosen : int, optional
        Which of the answer's splits was chosen at random.
    names : sequence of str
        What to call the teams.
    details : bool
        Whether the objective's numbers are shown, and what win chances rest on.
    points : callable, optional
        From a weight of the answer to points, which are shown in its place; typed weights stay as typed.
    """
    from equipoise.teams.solution import draw_chance

    edited = split is not solution.splits[chosen or 0]
    lines = [_head(solution, split, chosen, names, edited=edited), *size_lines(split, names), ""]
    for n in range(len(split.teams)):
        lines += [*_team_lines(solution, split, n, _name(names, n), points=points, details=details), ""]
    if details:
        lines += [
            *_detail_lines(solution, split, chosen, points, edited=edited),
            *_rest_on(solution, (split, *solution.splits), points),
        ]
    else:
        sizes = [len(team) + bots for team, bots in zip(split.teams, split.bots, strict=True)]
        lines += [] if all(sizes) else [_empty([sizes])]
    lines += side_lines(solution.side_chance, names)
    draw = None if solution.draws is None else draw_chance(split, solution.draws)
    if draw:
        lines.append(
            f"Draw {draw_text(draw, digits=int(details))}; win chances are of games that have a winner."
        )
    if solution.unrated:
        counted = points_text(solution.default_weight or 0.0, points)
        lines.append(f"{solution.unrated} without points: counted as {counted}.")
    lines += [*move_lines(split, names), *outcome_lines(split)]
    if solution.reason:
        lines.append(f"Only {solution.reason}.")
    if chosen is None and not edited and len(solution.splits) > 1:
        lines += ["", *_alternatives(solution, names, points)]
    return lines


def side_lines(chance: float, names: Sequence[str] = ()) -> list[str]:
    """Return what the first team's side is worth, nothing where no side is better.

    Examples
    --------
    >>> side_lines(0.4, ["Red", "Blue"]), side_lines(0.5)
    (['Blue has the better side: of equal teams it wins 60 %, which the chances count.'], [])
    """
    if chance == EVEN_SIDES:
        return []
    better, part = (0, chance) if chance > EVEN_SIDES else (1, 1.0 - chance)
    wins = f"of equal teams it wins {100 * part:.0f} %"
    return [f"{_name(names, better)} has the better side: {wins}, which the chances count."]


#: How far the team that is farthest from its fair share may be off, in shares of 100 / teams.
EVEN, CLOSE, AHEAD = 5.0, 20.0, 40.0


def verdict(split: Split, names: Sequence[str] = ()) -> str:
    """Return how even a split is, in words and whole chances: ``Even: 50 : 50``."""
    return verdict_of(split.win_probability, names)


def head_line(split: Split, names: Sequence[str], proof: str) -> str:
    """Return the verdict on a split, and what is proven of it, if anything."""
    return f"{verdict(split, names)}. {proof}".rstrip()


def verdict_of(chances: Sequence[float], names: Sequence[str] = ()) -> str:
    """Return how even chances are, in words and whole numbers.

    Examples
    --------
    >>> verdict_of((0.49, 0.51)), verdict_of((0.8, 0.2), ["Red", "Blue"])
    ('Even: 49 : 51', 'Red far ahead: 80 : 20')
    """
    whole = whole_chances(chances)
    count = len(whole)
    off = max(abs(100.0 * chance - 100.0 / count) for chance in chances)
    best = _name(names, max(range(count), key=lambda n: chances[n]))
    level = next((word for bar, word in ((EVEN, "Even"), (CLOSE, "Close"), (AHEAD, f"{best} ahead"))
                  if off <= bar / count + 1e-9), f"{best} far ahead")  # fmt: skip
    return f"{level}: {' : '.join(map(str, whole))}"


def whole_chances(chances: Sequence[float]) -> list[int]:
    """Return chances in 100 as whole numbers that add up to 100, the largest remainders rounded up.

    Examples
    --------
    >>> whole_chances([1 / 3, 1 / 3, 1 / 3])
    [34, 33, 33]
    """
    total = sum(chances) or 1.0
    exact = [100.0 * chance / total for chance in chances]
    whole = [int(one) for one in exact]
    order = sorted(range(len(exact)), key=lambda n: whole[n] - exact[n])
    for n in order[: 100 - sum(whole)]:
        whole[n] += 1
    return whole


def draw_text(chance: float, digits: int = 0) -> str:
    """Return how likely a draw is: ``21 %``, ``below 1 %``."""
    return "below 1 %" if 0.0 < 100.0 * chance < 0.5 and not digits else f"{100.0 * chance:.{digits}f} %"


def size_lines(split: Split, names: Sequence[str] = ()) -> list[str]:
    """Return why totals differ: which team has more players."""
    sizes = [len(team) + bots for team, bots in zip(split.teams, split.bots, strict=True)]
    return [f"{text}."] if (text := sizes_text(sizes, names)) else []


def sizes_text(sizes: Sequence[int], names: Sequence[str] = ()) -> str:
    """Return which team has more players; empty where none has, or one is empty.

    Examples
    --------
    >>> sizes_text((3, 2), ("Red", "Blue")), sizes_text((4, 4, 2)), sizes_text((2, 2))
    ('Red has one player more', 'Team 1 and Team 2 have 2 players more', '')
    """
    most, least = max(sizes, default=0), min(sizes, default=0)
    larger = [_name(names, n) for n, size in enumerate(sizes) if size == most]
    if most == least or not least:
        return ""
    many = "one player" if most - least == 1 else f"{most - least} players"
    return f"{' and '.join(larger)} {'has' if len(larger) == 1 else 'have'} {many} more"


def _head(solution: Solution, split: Split, chosen: int | None, names: Sequence[str], *, edited: bool) -> str:
    """Return the verdict on a split and what is proven of it, in one line."""
    found = verdict(split, names)
    if edited:
        best = " : ".join(map(str, whole_chances(solution.best.win_probability)))
        return f"Changed by you: {found}; the best is {best}."
    if chosen is not None:
        return f"{found}. Number {chosen + 1} of the {len(solution.splits)} best, drawn at random."
    return f"{found}. {proof_of(solution)}"


def proof_of(solution: Solution) -> str:
    """Return what is proven of the best split."""
    return "Proven best." if solution.status == "optimal" else "Best found, not proven best."


def _detail_lines(
    solution: Solution, split: Split, chosen: int | None, points: PointDisplay | None, *, edited: bool
) -> list[str]:
    """Return the objective's numbers."""
    proof = _verdict(solution, points)
    if edited:
        return [f"Changed by hand; the best is {proof}"]
    if chosen is None:
        return [proof[0].upper() + proof[1:]]
    value = f"{solution.objective} {figure(split.value, solution.objective, split, points)}"
    facts = f"number {chosen + 1} of the {len(solution.splits)} best, {value}"
    return [f"Chosen at random: {facts}; the best is {proof}"]


def chat_lines(
    splits: Sequence[Split], names: Sequence[str] = (), *, numbered: bool = False, proof: str = "",
    points: PointDisplay | None = None,
) -> list[str]:  # fmt: skip
    """Return splits as a verdict and a line a team, to paste into a chat; nobody is mentioned by it."""
    del points  # a chat shows none
    return [
        line
        for n, split in enumerate(splits, start=1)
        for line in _chat_of(split, names, f"Split {n}: " if numbered else "", proof if n == 1 else "")
    ]


def _chat_of(split: Split, names: Sequence[str], begin: str, proof: str) -> list[str]:
    lines = [calling_nobody(begin + head_line(split, names, proof))]
    for n, team in enumerate(split.teams):
        everyone = [printable(player.label) for player in team] + ["bot"] * split.bots[n]
        chance = f"{100 * split.win_probability[n]:.0f} %"
        lines.append(calling_nobody(f"{_name(names, n)} ({chance}): {', '.join(everyone)}"))
    return lines


def table_of(split: Split, names: Sequence[str] = (), *, points: PointDisplay | None = None) -> Grid:
    """Return a split as a table, a row a player and a row for the bots of a team."""
    rows = []
    for n, team in enumerate(split.teams):
        roles = split.roles[n] if split.roles else ("",) * len(team)
        for player, value, role in zip(team, split.weights[n], roles, strict=True):
            shown = points_text(value, points)
            rows.append((_name(names, n), printable(player.label), shown, printable(role)))
        rows += [(_name(names, n), "bot", "", "")] * split.bots[n]
    columns = ("team", "player", "weight" if points is None else "points", "role")
    kept = 4 if split.roles else 3
    return Grid(columns[:kept], [row[:kept] for row in rows])


def table_of_all(
    splits: Sequence[Split],
    names: Sequence[str] = (),
    *,
    numbered: bool = False,
    points: PointDisplay | None = None,
) -> Grid:
    """Return splits as one table, best first; ``numbered`` adds a column with the number of each."""
    tables = [table_of(split, names, points=points) for split in splits]
    rows = [
        (str(n), *row) if numbered else row
        for n, table in enumerate(tables, start=1)
        for row in table.rows
    ]  # fmt: skip
    columns = tables[0].columns
    return Grid(("split", *columns) if numbered else columns, rows)


def csv_of(
    splits: Sequence[Split], names: Sequence[str] = (), *, numbered: bool = False, proof: str = "",
    points: PointDisplay | None = None,
) -> list[str]:  # fmt: skip
    """Return splits as CSV, a line a player; it is data, so it has weights."""
    del proof, points
    return csv_lines(table_of_all(splits, names, numbered=numbered))


def markdown_of(
    splits: Sequence[Split], names: Sequence[str] = (), *, numbered: bool = False, proof: str = "",
    points: PointDisplay | None = None,
) -> list[str]:  # fmt: skip
    """Return splits as a verdict on the first and a Markdown table, a line a player."""
    head = plain_cell(head_line(splits[0], names, proof))
    return [head, "", *markdown_lines(table_of_all(splits, names, numbered=numbered, points=points))]


#: The forms of a split besides the whole text.
FORMS = {"chat": chat_lines, "csv": csv_of, "markdown": markdown_of}


def _empty(teams: Sequence[Sequence[int]]) -> str:
    """Return which teams nobody is in, of the sizes of each split's teams."""
    empty = sorted({place for sizes in teams for place, size in enumerate(sizes, start=1) if not size})
    of = f"team {empty[0]}" if len(empty) == 1 else f"teams {', '.join(map(str, empty))}"
    return f"Nobody is in {of}: win chances mean nothing there."


def _rest_on(solution: Solution, splits: Iterable[Split], points: PointDisplay | None = None) -> list[str]:
    """Return what the win chances of splits rest on, once for all."""
    teams = [
        [len(team) + bots for team, bots in zip(split.teams, split.bots, strict=True)] for split in splits
    ]
    full = [sizes for sizes in teams if all(sizes)]
    lines = [_empty(teams)] if len(full) < len(teams) else []
    if full:
        uneven = any(len(set(sizes)) > 1 for sizes in full)
        rests_on = (solution.beta, solution.beta_source, solution.zero, solution.zero_source)
        lines += convention(*rests_on, uneven=uneven, points=points)
    return lines


def _name(names: Sequence[str], n: int) -> str:
    return names[n].strip() if n < len(names) else f"Team {n + 1}"


def points_text(value: float, points: PointDisplay | None) -> str:
    """Return a weight as people read it: as points, or as it was typed."""
    return number(value) if points is None else str(points(value))


def total_text(solution: Solution, split: Split, n: int, points: PointDisplay | None) -> str:
    """Return the total of a team, of points as they are shown."""
    if points is None:
        return number(split.totals[n])
    bots = split.bots[n] and split.bots[n] * points(solution.bot_weight or 0.0)
    return str(sum(map(points, split.weights[n])) + bots)


def _team_lines(
    solution: Solution, split: Split, n: int, name: str, *, points: PointDisplay | None, details: bool
) -> list[str]:
    roles = split.roles[n] if split.roles else ("",) * len(split.teams[n])
    shown = [
        (
            points_text(value, points),
            printable(player.label) + (f" ({printable(role)})" if role else ""),
        )
        for player, value, role in zip(split.teams[n], split.weights[n], roles, strict=True)
    ]
    if split.bots[n]:
        bots = split.bots[n]
        each = points_text(solution.bot_weight or 0.0, points)
        shown.append((each, "(bot)" if bots == 1 else f"(bot) x {bots}"))
    width = max((len(number) for number, _ in shown), default=0)
    total = total_text(solution, split, n, points)
    head = (
        f"{name}: total {total}, win chance {100 * split.win_probability[n]:.1f} %"
        if details
        else f"{name}: {total}"
    )
    return [head, *(f"  {figure:>{width}}  {label}" for figure, label in shown)]


def _verdict(solution: Solution, points: PointDisplay | None) -> str:
    name, best = solution.objective, solution.best
    value = f"{name} {figure(solution.value or 0.0, name, best, points)}"
    if solution.status == "optimal":
        within = f" within {number(solution.within)}, which is rounding" if solution.within else ""
        return f"proven optimal{within}: {value}."
    bound, gap = (figure(one or 0.0, name, best, points) for one in (solution.bound, solution.gap))
    return f"not proven optimal: {value}, at most {gap} from the best possible (bound {bound})."


def figure(value: float, objective: str, split: Split, points: PointDisplay | None = None) -> str:
    """Return the value of an objective at a split; what rounding makes of 0 is 0."""
    if points is not None and objective.rsplit(", ", maxsplit=1)[-1] in IN_POINTS:
        return number(points.amount(value))
    in_points = any(name in objective for name in IN_POINTS)
    size = max(map(abs, split.totals), default=0.0) if in_points else 1.0
    return number(0.0 if abs(value) <= NOTHING * size else value)


def _alternatives(solution: Solution, names: Sequence[str], points: PointDisplay | None) -> list[str]:
    """Return the table of the other splits: what changes against the best."""
    rows = [("", solution.objective, "totals", "win chance", "changes teams against the best")]
    home = {player.id: n for n, team in enumerate(solution.best.teams) for player in team}
    for rank, split in enumerate(solution.splits[1:], start=2):
        moved = [
            f"{printable(player.label)} to {_name(names, n)}"
            for n, team in enumerate(split.teams)
            for player in team
            if home[player.id] != n
        ]
        chance = f"{100 * split.win_probability[0]:.1f} %"
        totals = " : ".join(total_text(solution, split, n, points) for n in range(len(split.teams)))
        rows.append(
            (
                f"{rank}.",
                figure(split.value, solution.objective, split, points),
                totals,
                chance,
                ", ".join(moved),
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = []
    for row in rows:
        begin = "".join(f"{cell:<{width}}  " for cell, width in zip(row, widths, strict=False))
        changes = wrap(row[-1], max(WIDTH - len(begin), NARROWEST)) or [""]
        lines += [begin + changes[0], *(" " * len(begin) + more for more in changes[1:])]
    return [line.rstrip() for line in lines]


def move_lines(split: Split, names: Sequence[str] = ()) -> list[str]:
    """Return who changes team, where anybody is in one already."""
    here = [player for team in split.teams for player in team]
    if all(player.team_now is None for player in here):
        return []
    team_of = {player.id: n for n, team in enumerate(split.teams) for player in team}
    moved = [f"{printable(player.label)} to {_name(names, team_of[player.id])}" for player in split.moved]
    if not moved:
        return ["Nobody changes team."]
    head = "1 player changes team" if len(moved) == 1 else f"{len(moved)} players change teams"
    return wrap(f"{head}: {', '.join(moved)}.", WIDTH, subsequent_indent="  ")


def outcome_lines(split: Split) -> list[str]:
    """Return the preferences that are broken, and how many are met."""
    if not split.preferences:
        return []
    broken = [outcome for outcome in split.preferences if not outcome.met]
    paid = sum(outcome.paid for outcome in broken)
    lines = [
        f"Preferences: {len(split.preferences) - len(broken)} of {len(split.preferences)} met"
        + (f", {number(100.0 * paid)} % of win probability paid for the others:" if broken else ".")
    ]
    for outcome in broken:
        who = ", ".join(map(printable, outcome.players))
        lines.append(f"  {number(100.0 * outcome.paid)} %  {outcome.kind}: {who}")
    return lines


def front_rows(front: Front, points: PointDisplay | None = None) -> list[tuple[str, ...]]:
    """Return a Pareto front as rows of a table, the columns' names first."""
    rows: list[tuple[str, ...]] = [("", *front.criteria, "win chance", "first team")]
    for n, ((first, second), split) in enumerate(zip(front.points, front.splits, strict=True), start=1):
        chance = f"{100 * split.win_probability[0]:.1f} %"
        team = ", ".join(printable(player.label) for player in split.teams[0])
        one, other = (
            figure(v, name, split, points) for name, v in zip(front.criteria, (first, second), strict=True)
        )
        rows.append((f"{n}.", one, other, chance, team))
    return rows


def front_lines(front: Front, points: PointDisplay | None = None) -> list[str]:
    """Return a Pareto front as a table, and what is proven of it."""
    rows = front_rows(front, points)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = [
        "  ".join([*(cell.rjust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]).rstrip()
        for row in rows
    ]
    proof = "proven to be all there are" if front.complete else "not proven to be all there are"
    lines.append(f"Splits between which there is a choice: {len(front.points)}, {proof}.")
    return [*lines, *_rest_on(front.solutions[0], front.splits, points)]
