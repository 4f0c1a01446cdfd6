"""The online diagonal Gaussian filter as kernels: predict a contest, then learn from it, with every member.

A mixture has several filters (*members*) that see the same contests, each with its own hyperparameters; one
filter is a mixture of one.  Only loops, arithmetic and ``math`` on lists (plain) or arrays (compiled, see
:mod:`equipoise.core.compiled`), so both give the same bits.  Compiled, a number of a member is one lane of a
vector, and all members are worked on at once, see :mod:`equipoise.core.simd_lanes`.  The equations are in
docs/algorithms/gaussian-filter.md and in the order of this file: predict, statistics, scores, places, learn.

A *row* is one additive part of a player's skill: the general part, the offset of a game type, the offset of
a mutator set.  A *seat* is a player in the contest that is being worked on.  Columns hold so
many numbers of each row, ruleset or contest, one after the other.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from equipoise.core.simd_lanes import above, add_up, in_lanes, largest, shared
from equipoise.ratings.distributions import odds

# Lists and arrays of the standard library when plain, arrays of NumPy when compiled; all are only indexed.
Column = Any

#: Parts of a player's skill, each with a row.
LEVELS = 3

#: Numbers of a row: the part learnt from results, the part learnt from statistics, variance, day last seen.
ROW, MEAN, STATISTIC, VARIANCE, SEEN = 4, 0, 1, 2, 3

#: Numbers of a ruleset: how far statistics are trusted and how sure that is; the price of a body and how sure
#: that is; running squares and counts of margins and of statistics; what experience adds to a player and how
#: sure that is; draws, and of the others how close they were: the sum of the geometric means of both chances,
#: as many as the draws would have been at a draw factor of 1.
RULESET, TRUST, TRUST_VARIANCE, BODY, BODY_VARIANCE = 12, 0, 1, 2, 3
MARGIN_SQUARES, MARGINS, STATISTIC_SQUARES, STATISTICS = 4, 5, 6, 7
EXPERIENCE, EXPERIENCE_VARIANCE, DRAWS, CLOSE = 8, 9, 10, 11

#: Numbers of the world: temperature and what it rests on; sums over bots of both means, and their number.
WORLD, TEMPERATURE, HEAT_EVIDENCE, BOT_MEANS, BOT_STATISTICS, BOTS = 5, 0, 1, 2, 3, 4

#: Numbers of what tells how good a member is, of a ruleset and of all: the logarithm of its likelihood, and
#: the contests that rests on.
EVIDENCE, LIKELIHOOD, RESTS_ON = 2, 0, 1

#: Places of the hyperparameters.
SLOPE, BETA, DRIFT_GAME, DRIFT_DAY, LIMIT_0, LIMIT_1, LIMIT_2, OUTCOME = 0, 1, 2, 3, 4, 5, 6, 7
MARGIN_SLOPE, MARGIN_NOISE, STATISTIC_SLOPE, STATISTIC_NOISE, CAUTION, FORGETTING = 8, 9, 10, 11, 12, 13
EXPERIENCED, HALF_EXPERIENCE, LATE, HYPER = 14, 15, 16, 17

#: Numbers of a member of a team: the rows of each level, and whether it is a bot; share, attention, and
#: statistics.
PLACE, BOT = 4, 3
REPORT, SHARE, LEARN, FIGURE = 3, 0, 1, 2

#: Numbers of the workspace for each team of a contest.
SKILL, SPREAD, BODIES, STATISTIC_PART, POWER, PULL, INFORMATION, NOISE, LEVEL, LEVEL_SPREAD, PREDICTED = (
    range(11)
)
VETERANS, SCALE = 11, 12
WORKSPACE = 16

#: Numbers of the workspace for each seat: skill, variance, and sum of the squares of the parts' variances;
#: what its statistics say of each part for each unit of variance, and how much variance that takes.
SEAT, SEAT_SKILL, SEAT_SPREAD, SEAT_SQUARES, STEP, SHRINK = 8, 0, 1, 2, 3, 4

#: No room has as many numbers as this.
LARGEST = 0x7FFFFFFF
#: Shares may be so small that their squares are 0: noise is not, and its inverse squared stays a number.
LEAST_NOISE = 1e-100
#: The least part of the statistics' weight with which they go on being tried where they have not helped.
LEAST_TRUST = 0.2
#: Trust in statistics stays below this.
MOST_TRUST = 3.0
#: Below this part of the strongest team's power nothing is learnt: its square would leave the numbers.
FAINTEST = 1e-100
#: The temperature stays between these.
COOLEST, HOTTEST = 0.25, 2.5
#: The least part of a variance that one contest leaves.
LEAST_LEFT = 1e-4
#: A chance below this tells a mixture no more about its members than this one.
LEAST_CHANCE = 1e-6
#: How many contests the squares of margins count as before any was seen, and players those of statistics.
MARGIN_COUNT, STATISTIC_COUNT = 2.0, 10.0
#: Contests after which a player is half known, as those are among whom a late newcomer comes.
HALF_KNOWN = 20.0
#: What other rulesets tell about the members counts as at most so many contests of a ruleset's own.
POOLED = 200.0


class FilterColumns(NamedTuple):
    """Columns of one member, or of all of them as vectors: numbers of each place one after the other."""

    hyper: Column
    table: Column  # of each row
    rulesets: Column
    world: Column
    evidence: Column  # of each ruleset and last of all together; empty where there is one member
    space: Column  # room for each team of the largest contest
    seats: Column  # room for each player of the largest contest
    own: Column  # room for the chance of each team, and for the member's weight


class Contests(NamedTuple):
    """Columns by contest."""

    first_team: Column  # where its teams begin, with one entry more
    which: Column  # its ruleset
    depth: Column  # how many parts of a skill count
    untyped: Column  # 1 where the second part is that of the mutators, as there is no game type; else 0
    reported: Column  # how many players' figures can be compared
    at: Column  # the day
    weight: Column  # how much it counts


class Teams(NamedTuple):
    """Columns by team."""

    first_member: Column  # where its members begin, with one entry more
    order: Column  # the contest's teams by rank
    rank: Column
    score: Column  # or nan


class Members(NamedTuple):
    """Columns by member of a team, several numbers each."""

    places: Column  # where the parts of the skill stand, and whether it is a bot
    reports: Column  # share, attention, and figure less the contest's mean


def play(
    filters: tuple[FilterColumns, ...],
    games: Column,
    contests: Contests,
    teams: Teams,
    members: Members,
    chances: Column,
    draws: Column,
    learning: bool,
) -> None:
    """Predict each contest in turn, then learn from it.

    Parameters
    ----------
    filters : tuple of FilterColumns
        The members, changed in place; compiled, there is one for several members if its columns are of
        records, with a number of each member.
    games : column
        How many contests each player has played; changed in place.
    contests : Contests
    teams : Teams
    members : Members
        What happened.
    chances, draws : columns
        Where the predictions go: one for each team, given that one of them wins; and the chance of a draw
        of each contest of two teams.  Both are empty where nobody asks.
    learning : bool
        Whether to learn, or only to predict.
    """  # fmt: skip
    first_team, which_of, depth_of = contests.first_team, contests.which, contests.depth
    untyped_of, reported, at_of, weight_of = contests.untyped, contests.reported, contests.at, contests.weight
    first_member, order, rank_of, score_of = teams.first_member, teams.order, teams.rank, teams.score
    places, reports = members.places, members.reports
    lanes = in_lanes(filters)
    for n in range(len(at_of)):
        first, end = first_team[n], first_team[n + 1]
        which, depth, untyped = which_of[n], depth_of[n], untyped_of[n]
        count, known = end - first, reported[n]
        # A weight of ten is ten contests: in one step as large the line would leave the curve.
        rounds = max(math.ceil(weight_of[n]), 1) if learning else 1
        for again in range(rounds):
            weight = min(weight_of[n] - again, 1.0)
            for one in lanes:
                gather(one, games, which, depth, untyped, at_of[n], first_member, places, reports, first, end)
                publish(one, count)
            if again == 0 and len(draws) > 0:
                mix(lanes, which, chances, draws, n, first, count)
            if learning:
                for one in lanes:
                    compare_statistics(one, which, first_member, reports, first, end, weight, known)
                    compare_results(one, which, rank_of, order, score_of, first, end, weight)
                    learn(one, which, depth, first_member, places, reports, first, end, known)
                    learn_constants(one, which, rank_of, order, first, count, weight)
                    weigh(one, which, rank_of, order, first, weight)
                count_games(games, places, first_member[first], first_member[end], weight)


def count_games(games: Column, places: Column, start: int, end: int, weight: float) -> None:
    """Let everyone have played once more, or as much of a game as it counts."""
    for j in range(start, end):
        games[places[PLACE * j]] += weight


def place_of(width: int, number: int) -> int:
    """Return where a part of a room stands, of parts that are equally wide.

    That it cannot be below 0 spares the compiled kernel a test at each index: such ones count from the end.
    """
    return width * number & LARGEST


def mix(
    lanes: tuple[FilterColumns, ...],
    which: int,
    chances: Column,
    draws: Column,
    n: int,
    first: int,
    count: int,
) -> None:
    """Write down the members' chances, weighted by how likely they made what came so far."""
    top = -math.inf
    for one in lanes:
        score = one.own[count] = member_score(one.evidence, which)
        top = max(top, largest(score))
    total = 0.0
    for one in lanes:
        weight = one.own[count] = math.exp(one.own[count] - top)
        total = add_up(total, weight)
    for k in range(count):
        chances[first + k] = 0.0
    draw = 0.0
    for one in lanes:
        weight = one.own[count] / total
        for k in range(count):
            chances[first + k] = add_up(chances[first + k], weight * one.own[k])
        if count == 2:
            draw = add_up(draw, weight * draw_chance(one.rulesets, RULESET * which, one.own[0], one.own[1]))
    draws[n] = draw


def member_score(evidence: Column, which: int) -> Any:
    """Return the logarithm of a member's weight: its ruleset's evidence, and in part that of the others."""
    mine, everything = EVIDENCE * which, len(evidence) - EVIDENCE
    likelihood = evidence[mine + LIKELIHOOD]
    others = evidence[everything + RESTS_ON] - evidence[mine + RESTS_ON]
    return likelihood + POOLED / max(others, POOLED) * (evidence[everything + LIKELIHOOD] - likelihood)


def weigh(one: FilterColumns, which: int, rank_of: Column, order: Column, first: int, weight: float) -> None:
    """Add what a contest with one winner tells about the members; a tie tells nothing."""
    evidence, winner = one.evidence, order[first]
    if rank_of[first + winner] != rank_of[first + order[first + 1]]:
        likelihood = weight * math.log(max(one.own[winner], LEAST_CHANCE))
        for at in (EVIDENCE * which, len(evidence) - EVIDENCE):
            evidence[at + LIKELIHOOD] += likelihood
            evidence[at + RESTS_ON] += weight


def draw_chance(rulesets: Column, r: int, chance: float, rest: float) -> Any:
    """Return how likely two teams draw, of which one wins with these chances if they do not: Davidson's."""
    tie = rulesets[r + DRAWS] / rulesets[r + CLOSE] * math.sqrt(chance * rest)
    return tie / (1.0 + tie)


def gather(
    one: FilterColumns, games: Column, which: int, depth: int, untyped: int, at: float, first_member: Column,
    places: Column, reports: Column, first: int, end: int,
) -> None:  # fmt: skip
    """Let uncertainty grow for the time since everyone was last seen, and add up each team.

    Who is new among people who are all known may be anybody, a strong player with a new account too: their
    uncertainty begins larger, where results alone tell of it.

    A team has its skill, variance, presence and part from statistics; and level and its variance, which are
    those of its players whatever their presence.
    """
    hyper, table, rulesets, space, seats = one.hyper, one.table, one.rulesets, one.space, one.seats
    r, start = RULESET * which, first_member[first]
    trust, body, experience = rulesets[r + TRUST], rulesets[r + BODY], rulesets[r + EXPERIENCE]
    experienced, half = largest(hyper[EXPERIENCED]) > 0.0, hyper[HALF_EXPERIENCE]
    drift_game, drift_day = hyper[DRIFT_GAME], hyper[DRIFT_DAY]
    # Where scores or statistics are known too, they soon tell who is new and strong.
    scored = (
        shared(rulesets[r + MARGINS]) > MARGIN_COUNT or shared(rulesets[r + STATISTICS]) > STATISTIC_COUNT
    )
    late = 0.0 if scored else known_among(games, first_member, places, reports, first, end)
    wide = 1.0 + hyper[LATE] * late
    for t in range(first, end):
        skill = variance = bodies = statistic_part = noise = level = level_spread = veterans = 0.0
        for j in range(first_member[t], first_member[t + 1]):
            bot = places[PLACE * j + BOT]
            # To add to -0.0 changes nothing, so that the compiled kernel does not: to add to 0.0 may.
            mean = statistic = spread = squares = -0.0
            for part in range(LEVELS):
                if part >= depth:
                    break
                row = ROW * places[PLACE * j + part]
                known, seen = table[row + VARIANCE], shared(table[row + SEEN])
                if seen != seen:
                    table[row + SEEN] = at
                    if bot:
                        if part == 0:
                            introduce_bot(table, one.world, row)
                    elif part == 0:
                        known = known * wide
                        table[row + VARIANCE] = known
                else:
                    if not bot:
                        limit = hyper[LIMIT_0 + part + untyped * (part > 0)]
                        grown = known + (drift_game + drift_day * max(at - seen, 0.0)) * limit
                        known = min(grown, max(limit, known))
                        table[row + VARIANCE] = known
                    table[row + SEEN] = max(at, seen)
                mean += table[row + MEAN]
                statistic += table[row + STATISTIC]
                spread += known
                squares += known * known
            share = reports[REPORT * j + SHARE]
            # What statistics are compared with has them in full, however far results trust them: else trust
            # that rises would make what it rests on shrink.
            here, mine = mean + statistic, place_of(SEAT, j - start)
            seats[mine + SEAT_SKILL] = here
            seats[mine + SEAT_SPREAD] = spread
            seats[mine + SEAT_SQUARES] = squares
            skill += share * (mean + trust * statistic + body)
            variance += share * share * spread
            bodies += share
            statistic_part += share * statistic
            noise += share * share
            level += here
            level_spread += spread
            if experienced:
                played = games[places[PLACE * j]]
                veterans += share * played / (played + half)
        if experienced:
            skill += experience * veterans
        team = place_of(WORKSPACE, t - first)
        space[team + SKILL] = skill
        space[team + SPREAD] = variance
        space[team + BODIES] = bodies
        space[team + STATISTIC_PART] = statistic_part
        space[team + NOISE] = noise
        space[team + LEVEL] = level
        space[team + LEVEL_SPREAD] = level_spread
        space[team + VETERANS] = veterans


def known_among(
    games: Column, first_member: Column, places: Column, reports: Column, first: int, end: int
) -> Any:
    """Return how well those who play are known on average, from 0 to 1; 0 where nobody is new.

    Everyone counts by how long they are there.
    """
    start, stop = first_member[first], first_member[end]
    new = 0
    for j in range(start, stop):
        new += games[places[PLACE * j]] == 0.0
    if new == 0:
        return 0.0
    known, there = 0.0, 0.0
    for j in range(start, stop):
        share, played = reports[REPORT * j + SHARE], games[places[PLACE * j]]
        there += share
        known += share * played / (played + HALF_KNOWN)
    return known / there


def introduce_bot(table: Column, world: Column, row: int) -> None:
    """Let a bot that was never seen start as the mean of the bots, and count it among them."""
    if shared(world[BOTS]) > 0.0:
        table[row + MEAN] = world[BOT_MEANS] / world[BOTS]
        table[row + STATISTIC] = world[BOT_STATISTICS] / world[BOTS]
    world[BOT_MEANS] += table[row + MEAN]
    world[BOT_STATISTICS] += table[row + STATISTIC]
    world[BOTS] += 1.0


def publish(one: FilterColumns, count: int) -> None:
    """Write down how likely each team is to win, and the slope of that: it stands with the first team.

    It falls with the standard deviation of the difference of an average pair of teams' performances.
    """
    hyper, space, own = one.hyper, one.space, one.own
    total, beta = 0.0, hyper[BETA]
    for k in range(count):
        team = place_of(WORKSPACE, k)
        total += space[team + SPREAD] + beta * beta * space[team + NOISE]
    scale = hyper[SLOPE] / math.sqrt(max(total, LEAST_NOISE) * (2.0 / count))
    space[SCALE] = scale
    heat = one.world[TEMPERATURE] * scale
    if count == 2:
        other = place_of(WORKSPACE, 1)
        half = 0.5 * (space[SKILL] - space[other + SKILL])
        space[PREDICTED], space[other + PREDICTED] = half, -half
        own[0], own[1] = odds(2.0 * heat * half)
    else:
        top, total = highest(space, count), 0.0
        for k in range(count):
            team = place_of(WORKSPACE, k)
            below = space[team + SKILL] - top
            power = math.exp(heat * below)
            space[team + PREDICTED] = below
            own[k] = power
            total += power
        for k in range(count):
            own[k] /= total


def compare_statistics(
    one: FilterColumns, which: int, first_member: Column, reports: Column, first: int, end: int,
    weight: float, known: int,
) -> None:  # fmt: skip
    """Write down what each player did beside what was expected, and move the teams' sums with it."""
    hyper, rulesets, space, seats = one.hyper, one.rulesets, one.space, one.seats
    r, start = RULESET * which, first_member[first]
    seated = first_member[end] - start
    if known > 0:
        everyone = everyones_spread = squares = 0.0
        for k in range(end - first):
            team = place_of(WORKSPACE, k)
            everyone += space[team + LEVEL]
            everyones_spread += space[team + LEVEL_SPREAD]
        per_unit = math.sqrt(rulesets[r + STATISTICS] / rulesets[r + STATISTIC_SQUARES])
        trust, slope = rulesets[r + TRUST], hyper[STATISTIC_SLOPE]
        # Trust above 1 must not make statistics more precise too: it would feed on itself.
        tried = min(max(trust, LEAST_TRUST), 1.0)
        noise = hyper[STATISTIC_NOISE] / (tried * tried) / weight
        for t in range(first, end):
            team = place_of(WORKSPACE, t - first)
            other = 1.0 / (seated - (first_member[t + 1] - first_member[t]))
            against = (everyone - space[team + LEVEL]) * other
            against_spread = (everyones_spread - space[team + LEVEL_SPREAD]) * other * other
            moved = lost = 0.0
            for j in range(first_member[t], first_member[t + 1]):
                step = shrink = 0.0
                mine = place_of(SEAT, j - start)
                figure = reports[REPORT * j + FIGURE]
                if figure == figure:
                    spread, share = seats[mine + SEAT_SPREAD], reports[REPORT * j + SHARE]
                    total = slope * slope * (spread + against_spread) + noise
                    gain = reports[REPORT * j + LEARN] * slope / total
                    step = gain * (figure * per_unit - slope * (seats[mine + SEAT_SKILL] - against))
                    shrink = slope * gain
                    gone = seats[mine + SEAT_SQUARES] * shrink
                    seats[mine + SEAT_SPREAD] = spread - gone
                    moved += share * spread * step
                    lost += share * share * gone
                    squares += figure * figure
                seats[mine + STEP] = step
                seats[mine + SHRINK] = shrink
            space[team + SKILL] += trust * moved
            space[team + STATISTIC_PART] += moved
            space[team + SPREAD] -= lost
        rulesets[r + STATISTIC_SQUARES] += squares * weight
        rulesets[r + STATISTICS] += known * weight


def compare_results(
    one: FilterColumns, which: int, rank_of: Column, order: Column, score_of: Column, first: int, end: int,
    weight: float,
) -> None:  # fmt: skip
    """Pull each team towards its score and its place."""
    compare_scores(one, which, score_of, first, end, weight)
    if end - first == 2:
        compare_pair(one, which, rank_of, first, weight)
    else:
        compare_places(one, rank_of, order, first, end, weight)


def compare_scores(
    one: FilterColumns, which: int, score_of: Column, first: int, end: int, weight: float
) -> None:
    """Pull each team towards what the difference of the scores says; without scores, nowhere."""
    hyper, rulesets, space, r = one.hyper, one.rulesets, one.space, RULESET * which
    count = end - first
    for k in range(count):
        team = place_of(WORKSPACE, k)
        space[team + PULL] = space[team + INFORMATION] = 0.0
    if score_of[first] == score_of[first]:
        total, mean, skills, spreads, squares, each = 1.0, 0.0, 0.0, 0.0, 0.0, 1.0 / count
        for k in range(count):
            team = place_of(WORKSPACE, k)
            total += abs(score_of[first + k])
            mean += score_of[first + k] * each
            skills += space[team + SKILL] * each
            spreads += space[team + SPREAD]
        per_unit = math.sqrt(rulesets[r + MARGINS] / rulesets[r + MARGIN_SQUARES])
        slope, noise, rest = 2.0 * hyper[MARGIN_SLOPE], hyper[MARGIN_NOISE] / weight, 1.0 - each
        per_point = 2.0 / total
        for k in range(count):
            margin = (score_of[first + k] - mean) * per_point
            team = place_of(WORKSPACE, k)
            own = space[team + SPREAD]
            spread = rest * rest * own + (spreads - own) * (each * each)
            gain = slope * rest / (slope * slope * spread + noise)
            error = margin * per_unit - slope * (space[team + SKILL] - skills)
            space[team + PULL] = gain * error
            space[team + INFORMATION] = gain * slope * rest
            squares += margin * margin
        rulesets[r + MARGIN_SQUARES] += squares * each * weight
        rulesets[r + MARGINS] += weight


def compare_pair(one: FilterColumns, which: int, rank_of: Column, first: int, weight: float) -> None:
    """Pull two teams towards the result: Davidson's model of draws, with one exponential.

    Without draws this is what :func:`compare_places` comes to.
    """
    rulesets, space, own, r = one.rulesets, one.space, one.own, RULESET * which
    scale, second = space[SCALE], place_of(WORKSPACE, 1)
    push = one.hyper[OUTCOME] * weight * scale
    chance, rest = odds(scale * (space[SKILL] - space[second + SKILL]))
    ahead, behind = rank_of[first] <= rank_of[first + 1], rank_of[first] >= rank_of[first + 1]
    won = 0.5 * (1.0 + ahead - behind)
    factor = rulesets[r + DRAWS] / rulesets[r + CLOSE]
    tie = factor * math.sqrt(chance * rest)
    every = 1.0 / (1.0 + tie)
    expected, other = (chance + 0.5 * tie) * every, (rest + 0.5 * tie) * every
    pull = push * (won * other - (1.0 - won) * expected)
    information = push * scale * max(expected * other - 0.25 * tie * every, 0.0)
    space[PULL] += pull
    space[INFORMATION] += information
    space[second + PULL] -= pull
    space[second + INFORMATION] += information
    if ahead and behind:
        rulesets[r + DRAWS] += weight
    else:
        rulesets[r + CLOSE] += weight * math.sqrt(own[0] * own[1])


def compare_places(
    one: FilterColumns, rank_of: Column, order: Column, first: int, end: int, weight: float
) -> None:
    """Pull each team towards its place: gradient and information of Plackett-Luce, in one pass each way.

    A tie of t teams counts as each of them coming first of it with weight 1/t.
    """
    count, space = end - first, one.space
    scale = space[SCALE]
    push = one.hyper[OUTCOME] * weight * scale
    top = highest(space, count)
    left = 0.0
    for place in range(count - 1, -1, -1):
        team = place_of(WORKSPACE, order[first + place])
        power = math.exp(scale * (space[team + SKILL] - top))
        left += power
        space[team + POWER] = power
        space[place_of(WORKSPACE, place) + LEVEL] = left
    inverse = inverse_square = 0.0
    start = 0
    while start < count:
        stop = start + 1
        rank = rank_of[first + order[first + start]]
        while stop < count and rank_of[first + order[first + stop]] == rank:
            stop += 1
        chosen, remaining = 0.0, space[place_of(WORKSPACE, start) + LEVEL]
        # Once only one team is left it is sure to be next: that is not news.
        if count - start > 1:
            news = above(remaining, FAINTEST)
            chosen = news / (stop - start)
            part = news / max(remaining, FAINTEST)
            inverse += part
            inverse_square += part * part
        for place in range(start, stop):
            team = place_of(WORKSPACE, order[first + place])
            power = space[team + POWER]
            information = max(power * inverse - power * power * inverse_square, 0.0)
            space[team + PULL] += push * (chosen - power * inverse)
            space[team + INFORMATION] += push * scale * information
        start = stop


def highest(space: Column, count: int) -> Any:
    """Return the skill of the strongest team."""
    top = space[SKILL]
    for k in range(1, count):
        top = max(top, space[place_of(WORKSPACE, k) + SKILL])
    return top


def learn(
    one: FilterColumns, which: int, depth: int, first_member: Column, places: Column, reports: Column,
    first: int, end: int, known: int,
) -> None:  # fmt: skip
    """Move everyone by their statistics and with their team; and what is known of statistics and bodies."""
    rulesets, space, seats, r = one.rulesets, one.space, one.seats, RULESET * which
    count, start = end - first, first_member[first]
    parts = bodies = 0.0
    for k in range(count):
        team = place_of(WORKSPACE, k)
        parts += space[team + STATISTIC_PART]
        bodies += space[team + BODIES]
    parts /= count
    bodies /= count
    trust_pull = trust_information = body_pull = body_information = 0.0
    for k in range(count):
        team = place_of(WORKSPACE, k)
        team_pull, team_information = space[team + PULL], space[team + INFORMATION]
        part = space[team + STATISTIC_PART] - parts
        body = space[team + BODIES] - bodies
        trust_pull += part * team_pull
        body_pull += body * team_pull
        trust_information += part * part * team_information
        body_information += body * body * team_information
        for j in range(first_member[first + k], first_member[first + k + 1]):
            step = shrink = 0.0
            mine = place_of(SEAT, j - start)
            if known > 0:
                step, shrink = seats[mine + STEP], seats[mine + SHRINK]
            share = reports[REPORT * j + SHARE]
            attention = reports[REPORT * j + LEARN] * share
            pull = attention * team_pull
            information = attention * share * team_information
            loss = information / (1.0 + information * seats[mine + SEAT_SPREAD])
            move(one, depth, places, j, known, step, shrink, pull, loss)
    # The features sum to 0 over the teams, so that of k teams k - 1 tell something.
    again = count / (count - 1.0)
    adapt(rulesets, r + TRUST, trust_pull, trust_information * again)
    adapt(rulesets, r + BODY, body_pull, body_information * again)
    rulesets[r + TRUST] = min(max(rulesets[r + TRUST], 0.0), MOST_TRUST)


def move(
    one: FilterColumns, depth: int, places: Column, j: int, known: int, step: float, shrink: float,
    pull: float, loss: float,
) -> None:  # fmt: skip
    """Move the parts of one player's skill, and the sums over bots with a bot's general part."""
    table, world = one.table, one.world
    if places[PLACE * j + BOT]:
        variance = table[ROW * places[PLACE * j] + VARIANCE]
        world[BOT_STATISTICS] += variance * step
        world[BOT_MEANS] += (variance - variance * variance * shrink) * pull
    for level in range(LEVELS):
        if level >= depth:
            break
        row = ROW * places[PLACE * j + level]
        variance = table[row + VARIANCE]
        left = variance
        if known > 0:
            left -= variance * variance * shrink
            table[row + STATISTIC] += variance * step
        table[row + MEAN] += left * pull
        table[row + VARIANCE] = left * max(1.0 - left * loss, LEAST_LEFT)


def adapt(rulesets: Column, at: int, pull: float, information: float) -> None:
    """Move a number that a ruleset learns, and what stands after it: how sure that is."""
    variance = rulesets[at + 1] / (1.0 + rulesets[at + 1] * information)
    rulesets[at] += variance * pull
    rulesets[at + 1] = variance


def learn_constants(
    one: FilterColumns, which: int, rank_of: Column, order: Column, first: int, count: int, weight: float
) -> None:
    """Learn what is no player's: what experience is worth, and the temperature."""
    if largest(one.hyper[EXPERIENCED]) > 0.0:
        learn_experience(one, which, count)
    recalibrate(one, rank_of, order, first, count, weight)


def learn_experience(one: FilterColumns, which: int, count: int) -> None:
    """Learn from the teams' pulls what experience is worth."""
    space = one.space
    veterans = pull = information = 0.0
    for k in range(count):
        veterans += space[place_of(WORKSPACE, k) + VETERANS] / count
    for k in range(count):
        team = place_of(WORKSPACE, k)
        veteran = space[team + VETERANS] - veterans
        pull += veteran * space[team + PULL]
        information += veteran * veteran * space[team + INFORMATION]
    adapt(one.rulesets, RULESET * which + EXPERIENCE, pull, information * count / (count - 1.0))


def recalibrate(
    one: FilterColumns, rank_of: Column, order: Column, first: int, count: int, weight: float
) -> None:
    """Let the temperature follow what happened to those who were predicted to win; a tie tells nothing."""
    hyper, world, space, own = one.hyper, one.world, one.space, one.own
    winner, scale = order[first], space[SCALE]
    if rank_of[first + winner] != rank_of[first + order[first + 1]]:
        mean = square = 0.0
        for k in range(count):
            exponent, chance = scale * space[place_of(WORKSPACE, k) + PREDICTED], own[k]
            mean += chance * exponent
            square += chance * exponent * exponent
        pull = scale * space[place_of(WORKSPACE, winner) + PREDICTED] - mean
        kept = 1.0 - weight * (1.0 - hyper[FORGETTING])
        evidence = world[HEAT_EVIDENCE] * kept + weight * max(square - mean * mean, 0.0)
        temperature = world[TEMPERATURE] + weight * pull / (evidence + hyper[CAUTION])
        world[HEAT_EVIDENCE] = evidence
        world[TEMPERATURE] = min(max(temperature, COOLEST), HOTTEST)
