"""What a policy means for people, in words: what they will see, and what is promised."""

from __future__ import annotations

import math

import numpy as np

from equipoise.queueing.columns import CROWD, NEAREST, ROOM, bound_of, tolerances
from equipoise.queueing.policy import QueuePolicy

#: What gives way to the longest wait.
_ANYBODY = (
    "They play with anybody who waits for the same ruleset: how far ratings are apart, how large parties "
    "are, and which ratings are provisional no longer count."
)

#: The waits for which numbers are given, seconds.
MOMENTS = (0.0, 10.0, 30.0, 60.0)


def policy_in_words(policy: QueuePolicy) -> list[str]:
    """Return what people will see under a policy, and what it promises, a sentence a line.

    Examples
    --------
    >>> print(policy_in_words(QueuePolicy(team_size=1))[0])
    A match is 2 teams of 1: 2 players.
    """
    return [
        f"A match is {policy.teams} teams of {policy.team_size}: {policy.seats} players.",
        *_parties(policy),
        *_fields(policy),
        *(_at(moment, policy) for moment in MOMENTS if moment < policy.longest_wait),
        *_crowd(policy),
        *_promises(policy),
        *_life(policy),
        *_warnings(policy),
    ]


def _parties(policy: QueuePolicy) -> list[str]:
    """Say which parties play, and which wait for others than their like, whoever tolerates whom."""
    team = policy.team_size
    whole = [size for size in range(1, team + 1) if team % size == 0]
    lines = [f"A party is of at most {_players(team)}: a larger one is refused."]
    if len(whole) < team:
        sizes = f"{', '.join(map(str, whole[:-1]))} or {whole[-1]}"
        lines.append(
            f"Parties of one size fill a team of {team} if they are of {sizes}; those of another size play "
            "only with others who complete their team, and never while there are none."
        )
    return lines


def _fields(policy: QueuePolicy) -> list[str]:
    lines = []
    if policy.roles:
        wanted = ", ".join(f"{count} {name}" for name, count in policy.roles)
        lines.append(f"Every team has {wanted}.")
    if policy.maps:
        lines.append(f"The map is one of {', '.join(policy.maps)} that nobody in the match vetoed.")
    if policy.party_gap is not None:
        lines.append(
            f"The largest parties of two teams differ by at most {_players(policy.party_gap)}"
            f"{', so a full party meets no single players' if policy.party_gap == 0 else ''}."
        )
    if policy.provisional is not None:
        lines.append(
            f"Players whose rating is uncertain by more than {policy.provisional:g} play among themselves."
        )
    lines.append(f"A region does up to {policy.latency:g} ms, after a wait up to {policy.most_latency:g} ms.")
    return lines


def _players(count: int) -> str:
    return f"{count} player{'' if count == 1 else 's'}"


def _at(moment: float, policy: QueuePolicy) -> str:
    """Say what somebody accepts after some seconds, in the middle and at the tails."""
    ratings = policy.middle + policy.deviation * np.array([0.0, 2.0])
    middle, tail = tolerances(ratings, np.full(2, moment), policy).tolist()
    imbalance = min(policy.imbalance + policy.imbalance_growth * moment, policy.most_imbalance)
    strong = 50.0 + 100.0 * imbalance
    points = float(bound_of(imbalance, policy))
    return (
        f"After {moment:g} s a player accepts ratings {middle:.0f} apart ({tail:.0f} at two deviations "
        f"from the middle) and teams of {strong:.1f}:{100 - strong:.1f} ({points:.0f} points)."
    )


def _crowd(policy: QueuePolicy) -> list[str]:
    if policy.seats == len(("one", "other")):
        return []
    crowd = f"Where {CROWD * policy.seats} players and more wait, ratings are at first at most {ROOM:g} times"
    return [f"{crowd} as far apart as the {NEAREST} nearest tickets on either side are."]


def _promises(policy: QueuePolicy) -> list[str]:
    strong = 50 + 100 * policy.most_imbalance
    return [
        f"No match is ever less even than {strong:.0f}:{100 - strong:.0f}.",
        f"Who has waited {policy.longest_wait:g} s is served before all others, the oldest first.",
        _ANYBODY,
        "Regions, maps, roles, whom somebody avoids, and how uneven a match may ever be always count.",
        "Who would like somebody of the match in their team has them there if it stays even enough.",
    ]


def _life(policy: QueuePolicy) -> list[str]:
    waits = ", ".join(f"{seconds:g}" for seconds in policy.penalties)
    return [
        f"A match is to be accepted within {policy.accept_within:g} s.",
        "Who did not decline goes back in front, with all waiting time.",
        f"Who declines or does not answer is kept out for {waits} s, the last from then on.",
        f"After {policy.forgiven_after:g} s that is forgotten.",
    ]


def _warnings(policy: QueuePolicy) -> list[str]:
    """Say what somebody who wrote such a policy may not have meant."""
    lines = []
    if policy.tolerance_growth == 0 and policy.tolerance == 0:
        lines.append("Warning: only exactly equal ratings meet before the longest wait.")
    elif policy.tolerance_growth == 0 and policy.tolerance < policy.deviation:
        lines.append("Warning: the tolerance does not grow, so the tails wait until the longest wait.")
    if policy.most_imbalance == 0:
        lines.append(
            "Warning: only teams of exactly equal totals are ever accepted, after the longest wait too; "
            "all others never play."
        )
    elif policy.imbalance_growth == 0 and policy.imbalance == 0:
        lines.append("Warning: only teams of exactly equal totals are accepted before the longest wait.")
    if policy.most_latency == 0:
        lines.append(
            "Warning: whoever says how far regions are plays only in those at 0 ms, so mostly never."
        )
    grown = float(tolerances(np.array([policy.middle]), np.array([policy.longest_wait]), policy)[0])
    if math.isfinite(grown) and grown < policy.deviation:
        lines.append(
            f"Warning: by the longest wait a player accepts ratings only {grown:.0f} apart, "
            "less than one deviation; most matches may come from the longest wait."
        )
    return lines
