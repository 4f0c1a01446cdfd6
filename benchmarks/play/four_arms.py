"""Fairness on a real server: games of bots of hidden skill in random, greedy, equipoise's and best teams.

``python -m benchmarks four_arms`` plays what is not played yet and writes ``docs/proof.md``; ``--minutes N``
begins no game after that, and the next call goes on; ``--report`` only writes the page, ``--check`` tells
whether it is stale.  Every game that was begun is a line of ``four_arms.jsonl``, in the order they ended;
rosters, orders and colours are drawn from the seed alone, before anything is known of how games end.

Team deathmatch to 20 frags on one map.  What is played, and judged by what:

*Order* (``order``; most of it was played before this plan was made).  Teams of equal skill, 40 games of each
way to add them.

*Equal skills* (``equal``).  Two teams of bots of skill 3, added as live balance does; each roster of
eight plays four games, with either team red and either team first.  Planned: 800 games.  Judged: first-added,
red and blue win 45 to 55 % of them.  At a true share of 50 % the share found lies within these limits in
99.5 % of such experiments; at 57 % it does in 13 %.

*Learning* (``learn``).  240 games in random teams of 16 bots whose skills from 1 to 5 no rating sees.  The
arms divide by the ratings after the first 60 and ratings stay so.  Judged: hidden imbalance of the teams that
greedy and equipoise make of the rosters of the arms by ratings after 60 games (at most .50) and after 240
(at most .33); after 60 it is given for each of the four quarters of the 240, as one quarter may be lucky.

*Arms* (``arms``).  Blocks of four games of one roster of eight, one in random teams, one in those of the
greedy draft with a cap, one in equipoise's, and one in the best by hidden skill.  In each block the four
games have the four ways in which the team that is stronger by hidden skill is red or blue and added first or
second; over four blocks every arm has each way, and each place in the order of play, once.  Planned: 200
blocks.  Judged: by margin, by the share of the possible gain (random less an arm) / (random less best), of
means over blocks (equipoise's at least .9), and by hidden imbalance.

*The plan was changed once.*  First all games were to be added there and back (red, blue, blue, red, and so
on), as live balance did.  After 47 games at equal skills, of which the team added first had won 32, and 12
blocks of arms, 40 more games of another order were played; since then the order is there and back, then the
other way (:data:`CHOSEN`), in live balance too.  The 800 games at equal skills began anew with it; arms and
learning went on, :data:`BEFORE_CHANGE` tells from where.

*Power*, from the games before (paired margins of two arms differ by 6 frags from block to block, hidden
imbalances of greedy and equipoise by .75).  In 200 blocks a difference of 1.2 frags between two arms is found
in 80 % of such experiments, and one of .15 in hidden imbalance; greedy and equipoise were .3 frags apart, so
their margins cannot be told apart here.  If random loses 3 frags to the best, the 95 % interval of a share of
the possible gain is about .3 wide to either side.  Intervals are bootstraps of whole blocks; blocks of which
a game is missing are left out.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from queue import SimpleQueue
from threading import Lock
from typing import Any

import numpy as np
from benchmarks.games.openarena import CHARACTERS, Bot, OpenArena, in_turns, installed, openarena, play
from benchmarks.reporting import RAW, ROOT, add_modes, write

from equipoise.core.match import Contest, Match, Ruleset, Statistics
from equipoise.core.player import Player, Rating
from equipoise.ratings.ladder import Ladder
from equipoise.ratings.model import RatingModel
from equipoise.teams.balance import balance

GAMES = RAW / "four_arms.jsonl"
PAGE = ROOT / "docs" / "proof.md"

SEED = 20261128
BLOCKS, EQUAL, ORDER = 200, 200, 10
LEARNING, LEARNT = 60, 240
SPEED, SERVERS = 50, 2
BOTS, SEATS = 16, 8
ARMS = ("random", "greedy", "equipoise", "best")

#: The commit of the plan, and the games of other orders that were played before it.
PLAN, BEFORE_PLAN = "45fe63f5", 216
CHANGE = "26436b5a"

#: Of the bots of teams of equal skill.
USUAL = 3.0

RULESET = Ruleset("openarena", "tdm")
RESAMPLES = 10_000

#: How often a game is begun again that did not begin as asked or did not end.
ATTEMPTS = 20

#: Lets every bot think in every frame; by default half of them think in one frame and half in the next.
EVERY_FRAME = "set bot_thinktime 50"

#: Ways to add two teams of four: whose bot comes when if the first team is red, and commands before.
ORDERS: Mapping[str, tuple[tuple[int | None, ...], tuple[str, ...]]] = {
    "together": ((0, 0, 0, 0, 1, 1, 1, 1), ()),
    "places swapped": ((None, None, None, None, 0, 0, 0, 0, 1, 1, 1, 1), ()),
    "alternately": ((0, 1, 0, 1, 0, 1, 0, 1), ()),
    "there and back": ((0, 1, 1, 0, 0, 1, 1, 0), ()),
    "there and back, then the other way": ((0, 1, 1, 0, 1, 0, 0, 1), ()),
    "together, all think in every frame": ((0, 0, 0, 0, 1, 1, 1, 1), (EVERY_FRAME,)),
    "there and back, all think in every frame": ((0, 1, 1, 0, 0, 1, 1, 0), (EVERY_FRAME,)),
}

#: How live balance adds bots, and how many blocks of arms and games for learning were added otherwise before.
CHOSEN, FORMER = "there and back, then the other way", "there and back"
BEFORE_CHANGE = {"arms": 12, "learn": 82}

#: What the games show; these lines were written when they were known.
WHY = """It is the place on the server, and not when somebody comes: with places swapped the others win.
A bot thinks every 100 ms, by its place in one frame of 50 ms or in the next, and is told where everybody is
every 100 ms too, when the first half of the places thinks (`BotScheduleBotThink` and `BotAIStartFrame` in the
source of Quake 3): the second half aims by what is 50 ms old.
Where all think in every frame most of the lead is gone; added there and back, each team has half of either.
There the first still won more often, with half of either; the other way round the second time, it did not."""
ADDED = """\
So where two teams of one size are wanted and nothing else, a greedy draft by good ratings is enough.
What equipoise adds there is the ratings, and the proof that no split is better by them.
It goes on where a draft ends: [parties, rules and wishes](how-to/preferences.md), uneven teams and
[bots of any skill](how-to/bots.md), who comes late, and [a server that runs](how-to/live.md)."""

Line = Mapping[str, Any]


def hidden(*seed: int) -> dict[str, float]:
    """Return the skill of every bot, which ratings do not see."""
    skills = np.round(np.linspace(1.0, 5.0, BOTS), 2)
    order = np.random.default_rng(seed).permutation(BOTS)
    return {f"p{n:02d}": float(skills[order[n]]) for n in range(BOTS)}


SKILLS = hidden(SEED, 2)


def bot(name: str) -> Bot:
    """Return the bot of a name."""
    return Bot(name, CHARACTERS[int(name[1:])], SKILLS[name])


def usual_bot(name: str) -> Bot:
    """Return a bot as skilled as all."""
    return replace(bot(name), skill=USUAL)


@dataclass(frozen=True)
class Asked:
    """A game that is to be played.

    Parameters
    ----------
    stage : str
        ``"order"``, ``"equal"``, ``"learn"`` or ``"arms"``.
    number, arm : int and str
        Its game or block, and what is compared in it.
    red, blue : tuple of str
        Who plays.
    turns : tuple of int or None
        The team of each bot in the order they are added, see :func:`benchmarks.games.openarena.play`.
    bot : function
        Gives the bot of a name.
    before : tuple of str, optional
        Commands before anybody is added.
    """

    stage: str
    number: int
    arm: str
    red: tuple[str, ...]
    blue: tuple[str, ...]
    turns: tuple[int | None, ...]
    bot: Callable[[str], Bot] = bot
    before: tuple[str, ...] = ()

    @property
    def line(self) -> dict[str, Any]:
        """What is kept of it before it is played."""
        order = "".join("." if team is None else "RB"[team] for team in self.turns)
        return {
            "stage": self.stage, "number": self.number, "arm": self.arm,
            "red": list(self.red), "blue": list(self.blue), "order": order,
        }  # fmt: skip

    def play(self, server: OpenArena) -> dict[str, Any]:
        """Play it and return it as it is kept."""
        teams = [{name: self.bot(name) for name in team} for team in (self.red, self.blue)]
        match = play(server, [list(team.values()) for team in teams], self.turns, *self.before)
        if match is None:
            return {**self.line, "failed": True}
        return {**self.line, **ended(match, {each.id: name for team in teams for name, each in team.items()})}


def ended(match: Match, names: Mapping[str, str]) -> dict[str, Any]:
    """Return what is kept of how a game ended: both scores, and everybody's frags and deaths."""
    contest = match.contests[-1]
    counts = {names[one.player]: [one.kills, one.deaths] for one in contest.statistics}
    return {"scores": list(contest.scores), "counts": counts}


class Learning:
    """Ratings of those who were seen, by nothing but how games ended and who fragged how often."""

    def __init__(self, found: Sequence[Line] = ()) -> None:
        self.ladder = Ladder()
        self._games = 0
        for line in found:
            self.take(line)

    def take(self, line: Line) -> None:
        """Learn from a game; a filler of another level is another player."""
        scores = tuple(line["scores"])
        self._games += 1
        statistics = [Statistics(known(name), *counts) for name, counts in line["counts"].items()]
        self.ladder.record(
            Contest(
                RULESET, [[known(name) for name in line[side]] for side in ("red", "blue")],
                [-score for score in scores], at=600.0 * self._games, scores=scores, statistics=statistics,
            )
        )  # fmt: skip

    def rating(self, name: str) -> Rating:
        """Return what is known of somebody."""
        return self.ladder.rating(known(name), RULESET)

    @property
    def model(self) -> RatingModel:
        """The model."""
        return self.ladder.model


def known(name: str) -> str:
    """Return what ratings know somebody by: a filler of another level is another bot."""
    return f"bot:{name}" if ":" in name else name


# What is to be played


def drawn(rng: np.random.Generator) -> list[str]:
    """Return a roster."""
    return [f"p{n:02d}" for n in rng.choice(BOTS, SEATS, replace=False)]


def turns_of(stage: str, number: int, first: int) -> tuple[int | None, ...]:
    """Return in which order the bots of a game are added if a team is the first."""
    if number >= BEFORE_CHANGE[stage]:
        return in_turns(first, 4, 4)
    return tuple(first if team == 0 else 1 - first for team in ORDERS[FORMER][0])


def even_game(stage: str, number: int, arm: str) -> Asked:
    """Return a game of teams of equal skill; four of each roster, with either team red and first."""
    block, turn = divmod(number, 4)
    rng = np.random.default_rng([SEED, 0 if stage == "order" else 1, block])
    names = drawn(rng)
    way = int(rng.permutation(4)[turn])
    red, blue = (names[4:], names[:4]) if way // 2 else (names[:4], names[4:])
    order, before = ORDERS[arm]
    turns = tuple(team if team is None or not way % 2 else 1 - team for team in order)
    return Asked(stage, number, arm, tuple(red), tuple(blue), turns, usual_bot, before)


def learning_game(number: int) -> Asked:
    """Return a game in random teams."""
    names = drawn(np.random.default_rng([SEED, 3, number]))
    turns = turns_of("learn", number, number % 2)
    return Asked("learn", number, "random", tuple(names[:4]), tuple(names[4:]), turns)


def roster(number: int) -> tuple[list[str], list[str]]:
    """Return the roster of a block, sorted, and in random order."""
    rng = np.random.default_rng([SEED, 4, number])
    names = sorted(drawn(rng))
    return names, [names[n] for n in rng.permutation(SEATS)]


def block(number: int, learnt: Learning) -> list[Asked]:
    """Return the four games of one roster, in the order they are played."""
    names, mixed = roster(number)
    teams = {
        "random": (mixed[:4], mixed[4:]),
        "greedy": greedy(names, learnt),
        "equipoise": ours(names, learnt),
        "best": best(names),
    }
    rng = np.random.default_rng([SEED, 5, number // 4])
    ways, places = rng.permutation(4), rng.permutation(4)
    found: list[Asked | None] = [None] * 4
    for n, arm in enumerate(ARMS):
        way, place = int(ways[n] + number) % 4, int(places[n] + number) % 4
        weaker, stronger = sorted(teams[arm], key=strength)
        red, blue = (weaker, stronger) if way // 2 else (stronger, weaker)
        turns = turns_of("arms", number, way % 2)
        found[place] = Asked("arms", number, arm, tuple(red), tuple(blue), turns)
    return [asked for asked in found if asked is not None]


def strength(team: Sequence[str], worth: Mapping[str, float] = SKILLS) -> float:
    """Return the sum of hidden skill, or of what else they are worth."""
    return round(sum(worth[name] for name in team), 2)


def greedy(names: Sequence[str], learnt: Learning) -> tuple[list[str], list[str]]:
    """Return the teams of the greedy draft with a cap."""
    return divided(names, learnt, solver="greedy-cap", objective="difference")


def ours(names: Sequence[str], learnt: Learning) -> tuple[list[str], list[str]]:
    """Return equipoise's teams."""
    return divided(names, learnt)


def divided(names: Sequence[str], learnt: Learning, **keywords: Any) -> tuple[list[str], list[str]]:
    """Return the teams of a roster by its ratings."""
    players = [Player(name, learnt.rating(name)) for name in names]
    model: Any = learnt.model
    found = balance(players, beta=model.beta, zero=model.zero, **keywords).best
    one, other = ([player.id for player in team] for team in found.teams)
    return one, other


def best(names: Sequence[str], worth: Mapping[str, float] = SKILLS) -> tuple[list[str], list[str]]:
    """Return the teams whose sums of hidden skill, or of what else they are worth, are nearest."""
    ways = [(list(four), [name for name in names if name not in four]) for four in combinations(names, 4)]
    return min(ways, key=lambda teams: abs(strength(teams[0], worth) - strength(teams[1], worth)))


# Playing it


class OutOfTimeError(Exception):
    """There is no time for another game."""


class Kept:
    """The games that were played, in a file; those that failed stand there too."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, Lock()
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        every = [json.loads(line) for line in text.splitlines()]
        self.failed = sum("failed" in line for line in every)
        self._lines = {self._key(line): line for line in every if "failed" not in line}

    @staticmethod
    def _key(line: Line) -> tuple[Any, ...]:
        return line["stage"], line["number"], line["arm"]

    def find(self, asked: Asked) -> Line | None:
        """Return a game if it was played; fail where it was another one."""
        line = self._lines.get(self._key(asked.line))
        for name, value in asked.line.items():
            if line is not None and line[name] != value:
                msg = f"{self._path.name}: {self._key(line)}: {name} was another one: {line[name]}"
                raise RuntimeError(msg)
        return line

    def add(self, line: Line) -> None:
        """Keep a game that ended or failed."""
        with self._lock:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, separators=(",", ":")) + "\n")
            if "failed" in line:
                self.failed += 1
            else:
                self._lines[self._key(line)] = line

    def of(self, stage: str) -> list[Line]:
        """Return the games of a stage by their numbers."""
        return sorted((line for line in self._lines.values() if line["stage"] == stage), key=self._key)


class Servers:
    """Play games on several servers at once, where they were not played before."""

    def __init__(self, kept: Kept, servers: Sequence[OpenArena], until: float) -> None:
        self._kept, self._until = kept, until
        self.pool = ThreadPoolExecutor(len(servers))
        self._free: SimpleQueue[OpenArena] = SimpleQueue()
        for server in servers:
            self._free.put(server)

    def play(self, asked: Sequence[Asked]) -> list[Line]:
        """Return these games as they ended."""
        return list(self.pool.map(self._one, asked))

    def _one(self, asked: Asked) -> Line:
        line = self._kept.find(asked)
        if line is not None:
            return line
        server = self._free.get()
        try:
            for _ in range(ATTEMPTS):
                if time.monotonic() > self._until:
                    raise OutOfTimeError
                line = asked.play(server)
                self._kept.add(line)
                if "failed" not in line:
                    return line
                server.kill()  # as when it has no room for bots left, after very many of them
                server.start()
        finally:
            self._free.put(server)
        msg = f"the server does not play {asked}"
        raise RuntimeError(msg)


def play_all(
    path: Path, minutes: float, blocks: int = BLOCKS, equal: int = EQUAL, order: int = ORDER,
    learning: int = LEARNING, learnt: int = LEARNT,
) -> bool:  # fmt: skip
    """Play what is not played yet; return whether everything is."""
    with ExitStack() as stack:
        servers = []
        for _ in range(SERVERS):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            servers.append(stack.enter_context(openarena(folder, speed=SPEED)))
        table = Servers(Kept(path), servers, time.monotonic() + 60.0 * minutes)
        stack.enter_context(table.pool)  # whose games end before their servers do
        try:
            table.play([even_game("order", n, arm) for n in range(4 * order) for arm in ORDERS])
            ratings = Learning(table.play([learning_game(n) for n in range(learning)]))
            for asked in chunks(ratings, blocks, equal, range(learning, learnt)):
                table.play(asked)
        except OutOfTimeError:
            return False
        return True


def chunks(ratings: Learning, blocks: int, equal: int, more: range) -> Iterator[list[Asked]]:
    """Give what is played in turns: five blocks, as many equal rosters, twenty games for learning."""
    for begin in range(0, max(blocks, equal, len(more)), 5):
        found: list[Asked] = []
        for n in range(begin, begin + 5):
            found += block(n, ratings) if n < blocks else []
            found += [even_game("equal", 4 * n + turn, CHOSEN) for turn in range(4)] if n < equal else []
            found += [learning_game(number) for number in more[4 * n : 4 * n + 4]]
        yield found


# What came of it


def margin(line: Line) -> float:
    """Return by how many frags a game was won."""
    red, blue = line["scores"]
    return float(abs(red - blue))


def one_sided(line: Line) -> float:
    """Return 1 where the losers had less than half of the winners' frags, else 0."""
    return float(min(line["scores"]) < max(line["scores"]) / 2.0)


def imbalance(line: Line) -> float:
    """Return the difference of the sums of hidden skill."""
    return difference((line["red"], line["blue"]))


def won(line: Line, red: bool) -> float:
    """Return 1 where a side won, 0.5 where nobody did."""
    ahead, behind = line["scores"] if red else reversed(line["scores"])
    return 0.5 + 0.5 * float(np.sign(ahead - behind))


def red_won(line: Line) -> float:
    """Return 1 where red won."""
    return won(line, True)


def first_won(line: Line) -> float:
    """Return 1 where the team won that was added first."""
    return won(line, red_first(line))


def red_first(line: Line) -> bool:
    """Tell whether red was added first."""
    return bool(line["order"].lstrip(".")[0] == "R")


def stronger_won(line: Line) -> float:
    """Return 1 where the team of more hidden skill won."""
    return won(line, strength(line["red"]) >= strength(line["blue"]))


def first_ahead(line: Line) -> float:
    """Return by how many frags the team that was added first was ahead."""
    red, blue = line["scores"]
    return float(red - blue if red_first(line) else blue - red)


def strengths(found: Sequence[Line]) -> tuple[dict[str, float], float]:
    """Return the frags that each bot is worth, by a line through margins with order and side, and its noise.

    The noise is the mean of their variances.
    """
    names = sorted(SKILLS)
    cells = np.zeros((len(found), len(names) + 2))
    for row, line in zip(cells, found, strict=True):
        for side, sign in (("red", 1.0), ("blue", -1.0)):
            row[[names.index(name) for name in line[side]]] = sign
        row[-2:] = 1.0, 1.0 if red_first(line) else -1.0
    margins = np.array([line["scores"][0] - line["scores"][1] for line in found])
    inverse = np.linalg.pinv(cells.T @ cells)
    fitted = inverse @ cells.T @ margins
    spread = ((margins - cells @ fitted) ** 2).sum() / (len(found) - cells.shape[1] + 1)
    worth = dict(zip(names, fitted.tolist(), strict=False))
    return worth, float(spread * np.diag(inverse)[: len(names)].mean())


MEASURES: Mapping[str, Callable[[Line], float]] = {
    "frags between winners and losers": margin,
    "share of games whose losers had less than half": one_sided,
    "difference of the teams' hidden skill": imbalance,
    "share won by the team of more hidden skill": stronger_won,
    "share won by the team added first": first_won,
    "share won by red": red_won,
}


def grouped(found: Sequence[Line], group: Callable[[Line], int], size: int) -> list[list[Line]]:
    """Return the groups of which every game was played."""
    groups: dict[int, list[Line]] = {}
    for line in found:
        groups.setdefault(group(line), []).append(line)
    return [games for games in groups.values() if len(games) == size]


def resampled(count: int) -> np.ndarray[Any, Any]:
    """Return the groups of each resample."""
    return np.random.default_rng([SEED, 6]).integers(count, size=(RESAMPLES, count))


def interval(per_group: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean over groups with the 95 % interval of a bootstrap of groups."""
    numbers = np.array(per_group)
    low, high = np.quantile(numbers[resampled(len(numbers))].mean(axis=1), (0.025, 0.975))
    return float(numbers.mean()), float(low), float(high)


def gain(random: Sequence[float], arm: Sequence[float], limit: Sequence[float]) -> tuple[float, float, float]:
    """Return an arm's share of the possible gain, of means over blocks, with its 95 % interval."""
    one, other = np.subtract(random, arm), np.subtract(random, limit)
    chosen = resampled(len(one))
    with np.errstate(divide="ignore", invalid="ignore"):  # of very few blocks
        low, high = np.nanquantile(one[chosen].mean(axis=1) / other[chosen].mean(axis=1), (0.025, 0.975))
        return float(one.mean() / other.mean()), float(low), float(high)


def arms_of(kept: Kept) -> list[dict[str, Line]]:
    """Return the whole blocks, each game by its arm."""
    blocks = grouped(kept.of("arms"), lambda line: int(line["number"]), len(ARMS))
    return [{line["arm"]: line for line in games} for games in blocks]


def shown(numbers: Sequence[float], digits: int = 2) -> str:
    """Return a mean with its interval."""
    mean, low, high = numbers
    return f"{mean:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def row(*cells: str) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(cells)} |"


INTRODUCTION = """# Proof in public

Made by `python -m benchmarks four_arms`, which plays every game on OpenArena's server and keeps it in
`benchmarks/results/four_arms.jsonl`; do not edit.

Team deathmatch to 20 frags on `oa_dm5`, four against four, sped up {speed} times; frames keep their 50 ms of
game time, so a busy machine slows games down and changes nothing in them.
{bots} bots have skills from 1 to 5 that no rating sees: ratings learn from scores, frags and deaths alone.
What is played, how it is judged and what so many games can tell was committed before the first of them, with
the seed of every roster, order and colour (`{plan}`, `benchmarks/play/four_arms.py`); only {before}
games that led to the plan, most of those in other orders below, are older.

The plan was changed once (`{change}`): all games were to be added there and back, the order live balance had.
After {former} games at equal skills, of which the team added first had won {former_won:g}, and
{former_blocks} blocks of arms, 40 games of another order were played; since then live balance adds bots there
and back, then the other way, and so do all further games here.
The games at equal skills began again from the first; arms and learning went on, as order is balanced in each
block.
More games for learning than planned come early, too.
Four sittings were ended to make such changes; up to two games that were under way in each were begun
again, their ends unseen.

Played: {arms} of {planned_arms} games in four arms ({blocks} of {planned} blocks), {equal} of {planned_equal}
at equal skills, {learn} of {planned_learn} for learning and {order} in other orders; whatever time allowed.
Whole blocks count, and no game that ended was left out.
{failed} further games did not begin with the teams that were asked for, or did not end, and were begun again.
Intervals are 95 %, from a bootstrap of whole blocks (rosters, where skills are equal).
What so many games can show was estimated before: in 200 blocks, with a chance of 80 %, 1.2 frags between
two arms or .15 in hidden skill; a share of the possible gain to about .3 either way; in 800 games at equal
skills, a share of wins to 3.5 % either way.
"""

BEFORE = """
## Before

An earlier proof of 600 games had red added first in every game: random teams ended 9.2 frags apart, greedy
ones 7.3 and equipoise's 7.0, and red won 155 of 200 games in equipoise's teams, so most of what they were
short of even was the order of adding; these games replace it.
What bots do for the weaker team is shown in [levers on a real server](../benchmarks/LEVERS.md), by side.
"""


def page(path: Path = GAMES) -> str:
    """Return the page."""
    kept = Kept(path)
    blocks = arms_of(kept)
    former, equal = equal_games(kept, FORMER), equal_games(kept, CHOSEN)
    text = INTRODUCTION.format(
        speed=SPEED, bots=BOTS, plan=PLAN, change=CHANGE, before=BEFORE_PLAN, former=len(former),
        former_won=sum(map(first_won, former)), former_blocks=BEFORE_CHANGE["arms"],
        arms=len(kept.of("arms")), planned_arms=4 * BLOCKS, blocks=len(blocks), planned=BLOCKS,
        equal=len(equal), planned_equal=4 * EQUAL, learn=len(kept.of("learn")), planned_learn=LEARNT,
        order=len(kept.of("order")), failed=kept.failed,
    )  # fmt: skip
    parts = [order_part(kept), arms_part(blocks), learning_part(kept)]
    return text + "\n".join(line for part in parts for line in ["", *part]) + "\n" + BEFORE


def equal_games(kept: Kept, arm: str) -> list[Line]:
    """Return the games at equal skills that were added in an order."""
    return [line for line in kept.of("equal") if line["arm"] == arm]


def order_part(kept: Kept) -> list[str]:
    """Return the lines on order and side."""
    lines = [
        "## Order and side, at equal skills", "",
        "Two teams of bots of skill 3; each roster plays four games, with either team red and either first.",
        "The last row is what was planned, the one before it what the plan began with.", "",
        row("added", "games", "won by the first", "by red", "the first ahead by, frags"), "|---" * 5 + "|",
    ]  # fmt: skip
    kinds = [(arm, [line for line in kept.of("order") if line["arm"] == arm]) for arm in ORDERS]
    kinds += [(f"{arm} (other rosters)", equal_games(kept, arm)) for arm in (FORMER, CHOSEN)]
    shares = []
    for name, found in kinds:
        rosters = grouped(found, lambda line: int(line["number"]) // 4, 4)
        if rosters:
            shares = [
                interval([float(np.mean([measure(line) for line in games])) for games in rosters])
                for measure in (first_won, red_won, first_ahead)
            ]
            lines.append(row(name, str(4 * len(rosters)), *map(shown, shares)))
    lines += ["", WHY]
    if shares:
        (first, *_), (red, *_), _ = shares
        within = all(abs(share - 0.5) <= 0.05 for share in (first, red))
        lines += [
            f"Of the games of the last row the team of the first bot won {first:.1%}, red {red:.1%} and blue",
            f"{1.0 - red:.1%}: {'within' if within else 'not all within'} the 45 to 55 % that were wanted.",
        ]
    return lines


def arms_part(blocks: Sequence[Mapping[str, Line]]) -> list[str]:
    """Return the lines on the arms."""
    lines = [
        "## Four arms", "",
        f"Each of {len(blocks)} rosters of {SEATS}, drawn at random, played four games: in random teams,",
        "in those of the greedy draft with a cap, in equipoise's, and in the best, whose sums of hidden",
        "skill are nearest.  Greedy and equipoise divide by the same ratings, those after",
        f"{LEARNING} games for learning.",
        "In each block the team of more hidden skill is red or blue, and added first or second, in all four",
        "ways; over four blocks every arm has had each way, and each place in the order of play.",
        "The last two rows show what order and side were worth in these games.", "",
    ]  # fmt: skip
    if not blocks:
        return [*lines, "Not played yet."]
    lines += [row("", *ARMS, "equipoise less random", "equipoise less greedy"), "|---" * 7 + "|"]
    for name, measure in MEASURES.items():
        numbers = {arm: [measure(games[arm]) for games in blocks] for arm in ARMS}
        less = [
            interval(np.subtract(numbers["equipoise"], numbers[arm]).tolist()) for arm in ("random", "greedy")
        ]
        lines.append(row(name, *(shown(interval(numbers[arm])) for arm in ARMS), *map(shown, less)))
    apart = {arm: [margin(games[arm]) for games in blocks] for arm in ARMS}
    shares = {arm: gain(apart["random"], apart[arm], apart["best"]) for arm in ("greedy", "equipoise")}
    lines += [
        "",
        "Of what the best teams gain on random ones in frags between winners and losers, greedy teams have",
        f"{shown(shares['greedy'])} and equipoise's {shown(shares['equipoise'])};",
        "wanted were at least .9 for equipoise's.  A share may be above 1, as skill is not all (see below)",
        "and games are few.",
    ]
    less = interval(np.subtract(apart["equipoise"], apart["greedy"]).tolist())
    if less[1] <= 0.0 <= less[2]:
        lines.append("Greedy and equipoise cannot be told apart in frags by so many games.")
    hidden_less = interval([imbalance(games["equipoise"]) - imbalance(games["greedy"]) for games in blocks])
    if hidden_less[2] < 0.0:
        lines.append(f"In hidden skill equipoise's teams are nearer than greedy ones: {shown(hidden_less)}.")
    return [*lines, "", ADDED]


def learning_part(kept: Kept) -> list[str]:
    """Return the lines on hidden imbalance after so many games for learning."""
    found, arms = kept.of("learn"), kept.of("arms")
    lines = [
        "## Games for learning", "",
        f"How far apart in hidden skill the teams of all {BLOCKS} planned rosters are, by ratings after",
        "games for learning in random teams; the first row is what the arms were divided by.",
        f"Wanted were at most .50 after {LEARNING} games and .33 after {LEARNT}.", "",
        row("ratings after", "greedy", "equipoise"), "|---" * 3 + "|",
    ]  # fmt: skip
    spans = [(begin, begin + LEARNING) for begin in range(0, LEARNT, LEARNING)] + [(0, LEARNT)]
    learnt = [(f"games {begin + 1} to {end}", found[begin:end]) for begin, end in spans if len(found) >= end]
    learnt.append((f"these and the {len(arms)} games of the arms", [*found, *arms]))
    for words, games in learnt:
        ratings = Learning(games)
        ways = [
            interval([difference(divide(roster(n)[0], ratings)) for n in range(BLOCKS)])
            for divide in (greedy, ours)
        ]
        lines.append(row(words, *map(shown, ways)))
    every = [*found, *arms]
    if len(every) < 2 * BOTS:
        return lines
    worth, noise = strengths(every)
    skills, frags = [SKILLS[name] for name in worth], list(worth.values())
    beyond = frags - np.polyval(np.polyfit(skills, frags, 1), skills)
    variance = float(beyond @ beyond) / (BOTS - 2)
    correlation = np.corrcoef(skills, frags)[0, 1]
    unlike = interval([difference(best(roster(n)[0], worth)) for n in range(BLOCKS)])
    alike = interval([difference(best(roster(n)[0])) for n in range(BLOCKS)])
    return [
        *lines, "",
        "Skill is not all that makes a bot strong: each has another character, with habits of its own, and",
        "teams that are even in strength are not even in skill.",
        f"By a straight line through the margins of these {len(every)} games (looked at later, not planned)",
        f"strength and skill of the {BOTS} bots are correlated by {correlation:.2f}; of the variance of",
        f"strength beyond skill {noise / variance:.0%} is noise of the line.",
        f"Teams that are even by these strengths are {shown(unlike)} apart in hidden skill,",
        f"the best by hidden skill {shown(alike)}.",
        "So by these figures what was wanted is beyond ratings that learn from results, which show strength.",
    ]  # fmt: skip


def difference(teams: tuple[Sequence[str], Sequence[str]]) -> float:
    """Return the difference of the sums of hidden skill of two teams."""
    return abs(strength(teams[0]) - strength(teams[1]))


def run(
    description: str | None, play_what_is_left: Callable[[float], bool], page: Callable[[], str], path: Path
) -> int:
    """Play for so many minutes as the command line says, and write the page or only look at it."""
    parser = argparse.ArgumentParser(description=description)
    add_modes(parser)
    parser.add_argument("--minutes", type=float, default=np.inf, help="when to stop, to go on later")
    given = parser.parse_args()
    if not (given.report or given.check):
        if not installed():
            print("there is no openarena-server; run: scripts/install-test-servers", file=sys.stderr)
            return 1
        play_what_is_left(given.minutes)
    return write(path, page(), sys.argv[0], check=given.check)


def main() -> int:
    """Do what the command line says."""
    return run(__doc__, lambda minutes: play_all(GAMES, minutes), page, PAGE)
