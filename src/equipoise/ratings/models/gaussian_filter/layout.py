"""Where each number of the Gaussian filter stands in its column; nothing is computed here.

A *row* is one additive part of a player's skill: the general part, the offset of a game type, the offset of a
mutator set.  ``table`` holds four numbers a row, ``rulesets`` ten a ruleset, ``world`` five in all.
A *seat* is a player in the contest that is being worked on.
"""

from __future__ import annotations

from typing import Any

# Lists and arrays of the standard library when plain, arrays of NumPy when compiled; all are only indexed.
Column = Any
Columns = tuple[Column, ...]

#: Parts of a player's skill, each with a row.
LEVELS = 3

#: Numbers of a row: the part learnt from results, the part learnt from statistics, variance, day last seen.
ROW, MEAN, STATISTIC, VARIANCE, SEEN = 4, 0, 1, 2, 3

#: Numbers of a ruleset: how far statistics are trusted and how sure that is; the price of a body and how sure
#: that is; running squares and counts of margins and of statistics; what experience adds to
#: a player and how sure that is.
RULESET, TRUST, TRUST_VARIANCE, BODY, BODY_VARIANCE = 10, 0, 1, 2, 3
MARGIN_SQUARES, MARGINS, STATISTIC_SQUARES, STATISTICS = 4, 5, 6, 7
EXPERIENCE, EXPERIENCE_VARIANCE = 8, 9

#: Numbers of the world: temperature and what it rests on; sums over bots of both means, and their number.
WORLD, TEMPERATURE, EVIDENCE, BOT_MEANS, BOT_STATISTICS, BOTS = 5, 0, 1, 2, 3, 4

#: Places of the hyperparameters.
SLOPE, BETA, DRIFT_GAME, DRIFT_DAY, LIMIT_0, LIMIT_1, LIMIT_2, OUTCOME = 0, 1, 2, 3, 4, 5, 6, 7
MARGIN_SLOPE, MARGIN_NOISE, STATISTIC_SLOPE, STATISTIC_NOISE, CAUTION, FORGETTING = 8, 9, 10, 11, 12, 13
EXPERIENCED = 14

#: Numbers of a member: the rows of each level, and whether it is a bot; share, attention, and statistics.
PLACE, BOT = 4, 3
TELL, SHARE, LEARN, FIGURE = 3, 0, 1, 2

#: Numbers of the workspace for each team of a contest.
SKILL, SPREAD, BODIES, STATISTIC_PART, POWER, PULL, INFORMATION, NOISE, LEVEL, LEVEL_SPREAD, PREDICTED = (
    range(11)
)
VETERANS = 11
WORKSPACE = 16

#: Numbers of the workspace for each seat: skill, variance, and sum of the squares of the parts' variances;
#: what its statistics say of each part for each unit of variance, and how much variance that takes.
SEAT, SEAT_SKILL, SEAT_SPREAD, SEAT_SQUARES, STEP, SHRINK = 8, 0, 1, 2, 3, 4
