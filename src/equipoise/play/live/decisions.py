"""Decisions of a running game: teams, the team of a late joiner, bots, volunteers, the advantage.

All are functions of the state; what is done about them is in :mod:`equipoise.play.live.session`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from equipoise.core.player import Player
from equipoise.core.sides import EVEN_SIDES, SIDES
from equipoise.core.stopping import Stop, never
from equipoise.identity.clan_tags import clan_tag, with_clans
from equipoise.play.ledger import PlayerAccount
from equipoise.play.live.levers import Lever, best_lever
from equipoise.play.live.state import Seat, State
from equipoise.teams.advantage import advantage
from equipoise.teams.balance import balance
from equipoise.teams.late_join import place_late
from equipoise.teams.problem.problem import COUNT, MU, VARIANCE
from equipoise.teams.request import BalanceRequest
from equipoise.teams.solution import Split

#: Splits among which the ledger decides, and how near to the best they must be, in win probability.
KEPT, TIE = 8, 0.002

#: How much less even a game may become by a switch that somebody asks for, in win probability.
HARMLESS = 0.005


def chances(state: State, plan: Mapping[str, int] | None = None) -> tuple[float, ...]:
    """Return each team's chance, with people as planned or as given, and bots as they then fill up."""
    if plan is not None:
        other = replace(state, plan=dict(plan))
        other.bots = tuple((state.policy.level,) * count for count in other.filled(other.sizes()))
        state = other
    sums, _, _ = state.sums()
    if state.match.teams < 2 or not sums[:, COUNT].any():
        return (1.0 / state.match.teams,) * state.match.teams
    return state.known.scale.chances(sums[:, [COUNT, MU, VARIANCE]])


def imbalance(expected: Iterable[float]) -> float:
    """Return the largest distance of a chance from even."""
    numbers = list(expected)
    return max(abs(chance - 1.0 / len(numbers)) for chance in numbers)


def divided(state: State, accounts: Mapping[str, PlayerAccount], stop: Stop = never) -> dict[str, int]:
    """Return the team of everyone who is there, for a game that is about to start.

    Players in a team stay there unless a move is worth its price; among splits that are as good, the
    ledger decides: those who were on the weaker side or moved most often are spared.
    """
    people = sorted(state.people(), key=lambda seat: seat.slot)
    if not people or state.match.teams < 2:
        return {seat.id: 0 for seat in people}
    players = [
        Player(seat.id, state.rating(seat), name=seat.name or seat.id, team_now=_team(state, seat))
        for seat in people
    ]
    if state.policy.clans:
        players = with_clans(players)
    keywords: dict[str, Any] = {
        "teams": state.match.teams, "stay": state.policy.stay, "keep": KEPT, "stop": stop,
        "beta": state.known.scale.beta, "zero": state.known.scale.zero,
    }  # fmt: skip
    if state.policy.bots:
        keywords["bots"] = state.filling()
    if state.match.teams == SIDES:
        keywords["side_chance"] = state.known.scale.side_chance
    solution = balance(BalanceRequest.of([replace(each, name="") for each in players], **keywords))
    if not solution.splits:  # a clan that is larger than a team
        alone = [replace(each, name="", party=None) for each in players]
        solution = balance(BalanceRequest.of(alone, **keywords))
    if not solution.splits:
        return dict(state.plan)
    stay = state.policy.stay

    def cost(split: Split) -> float:
        return split.imbalance + stay * len(split.moved)

    tied = [split for split in solution.splits if cost(split) <= cost(solution.best) + TIE]
    split = min(tied, key=lambda each: _burden(each, accounts))
    return {player.id: team for team, members in enumerate(split.teams) for player in members}


def _team(state: State, seat: Seat) -> int | None:
    """Return the team somebody is in, if the game has it."""
    return seat.team if seat.team is not None and seat.team < state.match.teams else None


def _burden(split: Split, accounts: Mapping[str, PlayerAccount]) -> float:
    """Return how often those were on the weaker side who would be again, and moved who would be again."""
    weakest = min(range(len(split.teams)), key=lambda team: split.win_probability[team])
    weak = [accounts.get(player.id, PlayerAccount()) for player in split.teams[weakest]]
    again = [accounts.get(player.id, PlayerAccount()) for player in split.moved]
    return sum(each.weak / max(each.played, 1) for each in weak) + sum(
        each.moved / max(each.played, 1) for each in again
    )


def placed(state: State, newcomer: Seat) -> int:
    """Return the team of somebody who joins a running game, by the effect on it, bots included."""
    if state.match.teams < 2:
        return 0
    others = [player for player in state.players() if player.id != newcomer.id]
    if not others:
        return 0
    sums, bots, centre = state.sums(others)
    return place_late(
        state.rating(newcomer),
        sums,
        bots=state.filling() if state.policy.bots else False,
        bot_counts=bots[:, COUNT],
        bot_totals=bots,
        beta=state.known.scale.beta,
        zero=state.known.scale.zero,
        centre=centre,
        allowed=_with_clan(state, newcomer),
        side_chance=state.known.scale.side_chance if state.match.teams == SIDES else EVEN_SIDES,
    ).team


def _with_clan(state: State, newcomer: Seat) -> set[int] | None:
    """Return the teams that a newcomer's clan is in; None where there is none."""
    tag = clan_tag(newcomer.name) if state.policy.clans else ""
    teams = {
        state.plan[seat.id]
        for seat in state.people()
        if tag and seat.id in state.plan and seat is not newcomer and clan_tag(seat.name) == tag
    }
    return teams or None


def wanted_bots(state: State) -> tuple[tuple[float | None, ...], ...]:
    """Return the levels of each team's bots, by the best lever where the admin wants levers."""
    usual = tuple((state.policy.level,) * count for count in state.filled(state.sizes()))
    if not state.policy.levers or not state.policy.bots or state.match.teams < 2:
        return usual
    return lever(state, usual).bots


def lever(state: State, bots: tuple[tuple[float | None, ...], ...]) -> Lever:
    """Return the best lever on a game with bots that fill up."""
    people: list[list[Any]] = [[] for _ in range(state.match.teams)]
    for seat in state.people():
        if seat.id in state.plan:
            people[state.plan[seat.id]].append(state.rating(seat))
    most = state.match.maximum
    total = sum(map(len, people)) + sum(map(len, bots))
    limit = max(total, most) if most is not None else total + state.match.teams
    return best_lever(people, bots, state.known.skills, state.known.scale, most=limit)


def owed(state: State) -> tuple[float, ...]:
    """Return the factor each team needs for the game to be even, to a hundredth."""
    sums, _, _ = state.sums()
    if state.match.teams < 2 or not sums[:, COUNT].any():
        return (1.0,) * state.match.teams
    scale = state.known.scale
    side = scale.side_chance if state.match.teams == SIDES else EVEN_SIDES
    factors = advantage(sums, beta=scale.beta, zero=scale.zero, side_chance=side)
    return tuple(round(min(factor, 99.0), 2) for factor in factors)


def best_switch(state: State, candidates: Iterable[Seat], most: float) -> dict[str, int] | None:
    """Return the plan after the best switch of one candidate, or of two for each other.

    Parameters
    ----------
    state : State
        The game as it is.
    candidates : iterable of Seat
        Who may be moved.
    most : float
        How uneven the game may be afterwards, as the largest distance of a chance from even.
    """
    movable = [seat for seat in candidates if seat.id in state.plan]
    sizes = state.sizes()
    apart = max(1, max(sizes) - min(sizes))
    found: list[tuple[float, int, dict[str, int]]] = []
    for seat in movable:
        for team in range(state.match.teams):
            if team != state.plan[seat.id]:
                found += _option(state, {seat.id: team}, apart)
    for n, one in enumerate(movable):
        for other in movable[n + 1 :]:
            if state.plan[one.id] != state.plan[other.id]:
                change = {one.id: state.plan[other.id], other.id: state.plan[one.id]}
                found += _option(state, change, apart)
    best = min(found, key=lambda option: (round(option[0], 9), option[1]), default=None)
    return None if best is None or best[0] > most else best[2]


def _option(state: State, change: Mapping[str, int], apart: int) -> list[tuple[float, int, dict[str, int]]]:
    """Return what a change makes of the game, unless teams become too unequal."""
    plan = {**state.plan, **change}
    sizes = [0] * state.match.teams
    for seat in state.people():
        if seat.id in plan:
            sizes[plan[seat.id]] += 1
    if max(sizes) - min(sizes) > apart:
        return []
    return [(imbalance(chances(state, plan)), len(change), plan)]
