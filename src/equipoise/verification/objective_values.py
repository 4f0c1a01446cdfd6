"""What every objective says of a split, as exact numbers, formula by formula as documented."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from equipoise.verification.exact_numbers import Chance, Lead, Real, UndecidedError, lead
from equipoise.verification.question import Question, Stage

HALF = Fraction(1, 2)


class TeamFloats(NamedTuple):
    """The floats nearest to a team's numbers."""

    total: float
    variance: float
    unsure: float
    side: float


@dataclass(frozen=True)
class Team:
    """A team in numbers, bots included.

    Parameters
    ----------
    count : int
        How many there are.
    total : Fraction
        The sum of their weights.
    variance : Fraction
        The population variance of their weights; 0 of nobody's.
    unsure : Fraction
        The sum of the variances of their ratings.
    side : Fraction
        The sum of their preferences for a side.
    """

    count: int
    total: Fraction
    variance: Fraction
    unsure: Fraction
    side: Fraction

    @cached_property
    def floats(self) -> TeamFloats:
        """What is computed with where floats can tell."""
        return TeamFloats(float(self.total), float(self.variance), float(self.unsure), float(self.side))


class LineUp(NamedTuple):
    """What a team's players play, how many of its roles are left, and the means and variances that count."""

    lack: int
    roles: tuple[str, ...]
    rated: tuple[tuple[Fraction, Fraction], ...]

    @property
    def total(self) -> Fraction:
        """The sum of the means."""
        return sum((weight for weight, _ in self.rated), Fraction(0))


def bots(asked: Question, labels: Sequence[int]) -> list[int]:
    """Return how many bots fill up each team."""
    if asked.bot_weight is None:
        return [0] * asked.n_teams
    counts = [list(labels).count(team) for team in range(asked.n_teams)]
    excess = max(0, *(count - seats for count, seats in zip(counts, asked.seats, strict=True)))
    return [seats + excess - count for count, seats in zip(counts, asked.seats, strict=True)]


def teams_of(asked: Question, labels: Sequence[int]) -> list[Team]:
    """Return every team in numbers."""
    members: list[list[int]] = [[] for _ in range(asked.n_teams)]
    for i, team in enumerate(labels):
        members[team].append(i)
    filled = bots(asked, labels)
    return [team_of(asked, tuple(players), more) for players, more in zip(members, filled, strict=True)]


def team_of(asked: Question, players: tuple[int, ...], filled: int) -> Team:
    """Return a team of players (indices) and so many bots in numbers."""
    team = asked.known.get((players, filled))
    if team is None:
        rated, unit = line_up(asked, players).rated, asked.unit
        # In whole numbers, as that is many times faster.
        weights = [_parts(weight, unit) for weight, _ in rated]
        weights += [_parts(asked.bot_weight or Fraction(0), unit)] * filled
        count, total, squares = len(weights), sum(weights), sum(weight * weight for weight in weights)
        team = asked.known[players, filled] = Team(
            count=count,
            total=Fraction(total, unit),
            variance=Fraction(squares * count - total * total, (count * unit) ** 2) if count else Fraction(0),
            unsure=sum((own for _, own in rated if own), Fraction(0)),
            side=sum((asked.members[i].side for i in players), HALF * filled),
        )
    return team


def _parts(weight: Fraction, unit: int) -> int:
    """Return how many of so many equal parts of a roster unit a weight is."""
    return weight.numerator * (unit // weight.denominator)


def everyone(teams: Sequence[Team]) -> Team:
    """Return all teams as one."""
    count = sum(team.count for team in teams)
    total = sum((team.total for team in teams), Fraction(0))
    squares = sum((_squares(team) for team in teams), Fraction(0))
    return Team(
        count, total, squares / count - (total / count) ** 2 if count else Fraction(0),
        sum((team.unsure for team in teams), Fraction(0)), sum((team.side for team in teams), Fraction(0)),
    )  # fmt: skip


def _squares(team: Team) -> Fraction:
    """Return the sum of the squares of a team's weights."""
    return team.count * team.variance + team.total**2 / team.count if team.count else Fraction(0)


def line_up(asked: Question, players: tuple[int, ...]) -> LineUp:
    """Return a team's line-up: most roles filled and, among those, the largest total.

    Of equal ones it is the one that gives later players later roles, a role before none.
    """
    if not asked.needed:
        rated = tuple((asked.members[i].weight, asked.members[i].variance) for i in players)
        return LineUp(0, ("",) * len(players), rated)
    return _strongest(asked, players)


def _strongest(asked: Question, players: tuple[int, ...]) -> LineUp:
    # From how many of each role are filled, to the largest total of the players so far and what each plays.
    known: dict[tuple[int, ...], tuple[int, tuple[int, ...]]] = {(0,) * len(asked.needed): (0, ())}
    unit = asked.unit
    for i in players:
        general = _parts(asked.members[i].weight, unit)
        after = {state: (total + general, (*taken, -1)) for state, (total, taken) in known.items()}
        for role, (name, most) in enumerate(asked.needed):
            if not plays(asked, i, name):
                continue
            weight = _parts(rating_in(asked, i, name)[0], unit)
            for state, (total, taken) in known.items():
                if state[role] < most:
                    reached = (*state[:role], state[role] + 1, *state[role + 1 :])
                    if reached not in after or total + weight >= after[reached][0]:
                        after[reached] = (total + weight, (*taken, role))
        known = after
    best = max(known.items(), key=lambda entry: (sum(entry[0]), entry[1][0], [-x for x in entry[0][::-1]]))
    names = [*(name for name, _ in asked.needed), ""]
    roles = tuple(names[role] for role in best[1][1])
    lack = sum(most for _, most in asked.needed) - sum(best[0])
    return LineUp(
        lack, roles, tuple(rating_in(asked, i, role) for i, role in zip(players, roles, strict=True))
    )


def plays(asked: Question, i: int, role: str) -> bool:
    """Tell whether a player plays a role; one who lists none plays all."""
    return not asked.members[i].roles or role in asked.members[i].roles


def rating_in(asked: Question, i: int, role: str) -> tuple[Fraction, Fraction]:
    """Return mean and variance of a player in a role, in none the general ones."""
    member = asked.members[i]
    return member.roles.get(role, (member.weight, member.variance))


def value(asked: Question, stage: Stage, labels: Sequence[int]) -> Real:
    """Return the cost of a split by one objective of an order, lower being better."""
    (name, weight), *others = stage.terms
    total = cost(asked, name, labels).times(weight)
    for name, weight in others:
        total = total + cost(asked, name, labels).times(weight)
    return total


def cost(asked: Question, name: str, labels: Sequence[int]) -> Real:
    """Return the cost of a split by an objective's name, lower being better."""
    if name == "preferences":
        return Real(paid(asked, labels))
    if name == "moves":
        return Real(Fraction(len(moved(asked, labels))))
    return FORMULAS[name](asked, teams_of(asked, labels))


def shown(stage: Stage, number: Real) -> Real:
    """Return the number that people know a cost by: ``ratio`` is 1 less its cost."""
    return Real(Fraction(1)) - number if stage.name == "ratio" else number


def difference(asked: Question, teams: Sequence[Team]) -> Real:
    """Return the range of the totals."""
    del asked
    sums = [team.total for team in teams]
    return Real(max(sums) - min(sums))


def ratio(asked: Question, teams: Sequence[Team]) -> Real:
    """Return 1 less the smallest total over the largest; teams that all total 0 are even."""
    del asked
    sums = [team.total for team in teams]
    return Real(1 - min(sums) / max(sums) if max(sums) > 0 else Fraction(0))


def strengths(asked: Question, teams: Sequence[Team]) -> list[Real]:
    """Return how strong each team is: the sum of its weights above the zero, the same left off every team.

    The first of two teams has besides what its side is worth.
    """
    fewest = min(team.count for team in teams)
    found = [
        Real(team.total) - asked.zero.times(Fraction(team.count - fewest))
        if team.count > fewest
        else Real(team.total)
        for team in teams
    ]
    if asked.side:
        found[0] = found[0] + Real(roots={noise_of(asked, teams): asked.side})
    return found


def chances(asked: Question, teams: Sequence[Team]) -> list[Real]:
    """Return each team's win probability."""
    sums, noise = strengths(asked, teams), noise_of(asked, teams)
    return [Real(chances={_chance(own, sums, noise): Fraction(1)}) for own in sums]


def win(asked: Question, teams: Sequence[Team]) -> Real:
    """Return the largest distance of a win probability from even."""
    sums, noise, k = strengths(asked, teams), noise_of(asked, teams), len(teams)
    most, least = max(sums), min(sums)
    if most == least:
        return Real()
    above = Real(Fraction(-1, k), chances={_chance(most, sums, noise): Fraction(1)})
    if 2 * sums.count(most) == 2 * sums.count(least) == k:
        return above  # then one is as far above as the other is below, as it always is with two teams
    below = Real(Fraction(1, k), chances={_chance(least, sums, noise): Fraction(-1)})
    try:
        return max(above, below)
    except UndecidedError:
        return above  # both are as good as certain, and the same to thousands of digits


def noise_of(asked: Question, teams: Sequence[Team]) -> Fraction:
    """Return the square of the deviation of the difference of an average pair of teams."""
    unsure = sum((team.unsure for team in teams), Fraction(0))
    everybody = unsure + max(sum(team.count for team in teams), 1) * asked.noise
    return Fraction(2, len(teams)) * everybody


def _chance(own: Real, sums: Sequence[Real], noise: Fraction) -> Chance:
    leads = []
    for other in sums:
        ahead = other - own
        if ahead.fraction:
            leads.append(Lead(ahead.rational * abs(ahead.rational) / noise))
            continue
        ((radicand, rooted),) = ahead.roots.items() or ((Fraction(0), Fraction(0)),)
        leads.append(lead(ahead.rational, rooted, radicand, noise))
    return Chance(tuple(sorted(leads)))


def spread(asked: Question, teams: Sequence[Team]) -> Real:
    """Return the largest standard deviation within a team less the smallest."""
    del asked
    variances = [team.variance for team in teams]
    if max(variances) == min(variances):
        return Real()
    return Real(roots={x: Fraction(f) for x, f in ((max(variances), 1), (min(variances), -1)) if x})


def indistinguishable(asked: Question, teams: Sequence[Team]) -> Real:
    """Return how much a player's team tells about the skill, less how much of the side wanted, in nats."""
    whole = everyone(teams)
    if not whole.count:
        return Real()
    preference = whole.side / whole.count
    terms: list[tuple[Fraction, Fraction]] = []
    for number, team in enumerate(teams):
        if not team.count:
            continue
        share = Fraction(team.count, whole.count)
        terms.append((_uncertain(asked, whole) / _uncertain(asked, team), share / 2))
        if not asked.side_weight:
            continue
        own = team.side / team.count
        right = (own - preference) * (Fraction(2 * number, len(teams) - 1) - 1)
        sign = ((right > 0) - (right < 0)) if asked.signed else 1
        for yes, all_yes in ((own, preference), (1 - own, 1 - preference)):
            if yes > 0 and sign:
                terms.append((yes / all_yes, -share * yes * asked.side_weight * sign))
    logarithms: dict[Fraction, Fraction] = {}
    for argument, factor in terms:
        if argument != 1:
            logarithms[argument] = logarithms.get(argument, Fraction(0)) + factor
    return Real(logarithms=logarithms)


def _uncertain(asked: Question, team: Team) -> Fraction:
    return team.variance + team.unsure / team.count + asked.prior


class Paid(NamedTuple):
    """What a split pays for a preference: its kind, whose it is (indices), its price, and the sum."""

    kind: str
    members: tuple[int, ...]
    price: Fraction
    paid: Fraction


def paid(asked: Question, labels: Sequence[int]) -> Fraction:
    """Return what a split pays for the preferences it breaks."""
    return sum((preference.paid for preference in paid_for(asked, labels)), Fraction(0))


def paid_for(asked: Question, labels: Sequence[int]) -> Iterator[Paid]:
    """Go through what a split pays for each preference: between players, for a side, to stay in a team."""
    for group in asked.groups:
        counts = [sum(labels[i] == team for i in group.members) for team in range(asked.n_teams)]
        broken = len(group.members) - max(counts) if group.together else sum(n - 1 for n in counts if n)
        kind = "together" if group.together else "apart"
        yield Paid(kind, group.members, group.price, group.price * broken)
    for i, (member, team) in enumerate(zip(asked.members, labels, strict=True) if asked.side_price else ()):
        wanted, place = 2 * member.side - 1, Fraction(2 * team, asked.n_teams - 1) - 1
        if wanted:
            price = asked.side_price * abs(wanted)
            yield Paid("side", (i,), price, asked.side_price * (abs(wanted) - wanted * place) / 2)
    if asked.stay:
        gone = moved(asked, labels)
        yield from (
            Paid("stay", (i,), asked.stay, asked.stay if i in gone else Fraction(0)) for i in asked.now
        )


def moved(asked: Question, labels: Sequence[int]) -> set[int]:
    """Return who (indices) is in another team than now."""
    return {i for i, team in asked.now.items() if labels[i] != team}


FORMULAS = {
    "difference": difference,
    "ratio": ratio,
    "win": win,
    "spread": spread,
    "indistinguishable": indistinguishable,
}
