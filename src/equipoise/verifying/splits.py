"""Every legal split of a question, one after another, and why a split is not legal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from equipoise.verifying.question import Question, Row
from equipoise.verifying.values import bots, line_up, moved

#: The team, from 0, of each player.
Labels = tuple[int, ...]


def splits(asked: Question, look: Callable[[], None] = lambda: None) -> Iterator[Labels]:
    """Go through every legal split; where teams are interchangeable, each once under one naming.

    ``look`` is called on the way, and may raise what ends it.
    """
    once = asked.interchangeable
    most = [min(limit, asked.n) for limit in asked.maximum]
    party_of = {i: n for n, party in enumerate(asked.parties) for i in party}
    first_of = {n: party[0] for n, party in enumerate(asked.parties)}
    enemies: dict[int, list[int]] = {}
    for one, other in asked.apart:
        enemies.setdefault(max(one, other), []).append(min(one, other))
    counts = [0] * asked.n_teams
    labels: list[int] = []
    most_moves = asked.n if asked.moves is None else asked.moves
    everywhere = list(range(asked.n_teams))
    mates = {i: first_of[n] for i, n in party_of.items() if first_of[n] < i}
    plain = [
        i not in mates and i not in enemies and i not in asked.fixed and i not in asked.now
        for i in range(asked.n)
    ]

    def allowed(i: int) -> list[int]:
        if plain[i]:
            held = everywhere
        else:
            teams = {asked.fixed[i]} if i in asked.fixed else set(everywhere)
            if i in mates:
                teams &= {labels[mates[i]]}
            teams -= {labels[other] for other in enemies.get(i, ())}
            gone = (labels[one] != team for one, team in asked.now.items() if one < i)
            if i in asked.now and sum(gone) >= most_moves:
                teams &= {asked.now[i]}
            held = sorted(teams)
        highest = max(labels, default=-1) + 1 if once else asked.n_teams
        return [team for team in held if counts[team] < most[team] and team <= highest]

    def extended(i: int) -> Iterator[Labels]:
        look()
        for team in allowed(i):
            labels.append(team)
            counts[team] += 1
            if i + 1 < asked.n:
                yield from extended(i + 1)
            elif not _breaks_as_a_whole(asked, labels, counts):
                yield tuple(labels)
            counts[team] -= 1
            labels.pop()

    if asked.n:
        return extended(0)
    return iter(() if broken(asked, ()) else ((),))


def broken(asked: Question, labels: Sequence[int]) -> list[str]:
    """Return the rules that a split breaks, in words; none where it is legal."""
    rules = [
        f"party: {', '.join(asked.ids[i] for i in party)} are not in one team"
        for party in asked.parties
        if len({labels[i] for i in party}) > 1
    ]
    rules += [
        f"apart: {asked.ids[one]} and {asked.ids[other]} are in one team"
        for one, other in asked.apart
        if labels[one] == labels[other]
    ]
    rules += [
        f"fixed: {asked.ids[i]} is in team {labels[i] + 1} instead of {team + 1}"
        for i, team in asked.fixed.items()
        if labels[i] != team
    ]
    counts = [list(labels).count(team) for team in range(asked.n_teams)]
    return rules + _breaks_as_a_whole(asked, labels, counts)


def _breaks_as_a_whole(asked: Question, labels: Sequence[int], counts: Sequence[int]) -> list[str]:
    """Return the broken rules that are not about pairs of players, and single ones."""
    rules = []
    for team, (low, count, high) in enumerate(zip(asked.minimum, counts, asked.maximum, strict=True)):
        if not low <= count <= high:
            rules.append(f"sizes: team {team + 1} has {count} players; {low} to {high} are allowed")
    if max(counts) - min(counts) > asked.difference:
        rules.append(
            f"sizes: the teams differ by {max(counts) - min(counts)} players; {asked.difference} are allowed"
        )
    rules += [
        f"rule {n + 1}: a sum is beyond its limit"
        for n, row in enumerate(asked.rows)
        if not _within(row, labels)
    ]
    gone = len(moved(asked, labels)) if asked.moves is not None else 0
    if asked.moves is not None and gone > asked.moves:
        rules.append(f"moves: {gone} players change team; {asked.moves} may")
    if asked.needed:
        for team, free in enumerate(bots(asked, labels)):
            lack = line_up(asked, tuple(i for i in range(asked.n) if labels[i] == team)).lack
            if lack > free:
                rules.append(f"roles: team {team + 1} cannot fill {lack - free} of its roles")
    return rules


def _within(row: Row, labels: Sequence[int]) -> bool:
    total = sum((f for (i, team), f in row.factors.items() if labels[i] == team), Fraction(0))
    return (row.low is None or row.low <= total) and (row.high is None or total <= row.high)
