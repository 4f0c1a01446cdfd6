"""Fairness on a real server: games of bots of hidden skill, in random, greedy and equipoise's teams.

``python -m benchmarks fairness`` plays what is not played yet and writes ``docs/proof.md``; ``--minutes N``
stops after the game that runs then, and the next call goes on; ``--report`` only writes the page, ``--check``
tells whether it is stale.  Every game that was begun is a line of ``fairness.jsonl``, in the order played;
rosters, orders and colours are drawn from the seed alone, before anything is known of how games end.

Two experiments, on one map, in team deathmatch to 20 frags:

*Arms.*  16 bots of skills from 1 to 5 that no rating model sees.  60 games in random teams for learning; then
blocks of three games of one roster of eight, one for each arm, in random order and with random colours.
Ratings stay as they are after learning.

*Levers.*  Two teams of three of these bots and a filler each, so uneven that the ratings expect the favourite
to win eight of ten games; after 60 games for learning what fillers of any skill are worth, blocks of four
games, one as it is and three with the bots that :func:`equipoise.play.live.levers.best_lever` asks for.  As
on a running server, ratings learn from every game.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.games.openarena import CHARACTERS, Bot, OpenArena, installed, openarena, play
from benchmarks.reporting import RAW, ROOT, add_modes, write

from equipoise.core.match import Contest, Match, Ruleset, Statistics
from equipoise.core.player import Player, Rating
from equipoise.play.live.levers import LEVELS, BotSkills, Lever, RatingUnits, best_lever, bot_skills
from equipoise.ratings.ladder import Ladder
from equipoise.teams.balance import balance

GAMES = RAW / "fairness.jsonl"
PAGE = ROOT / "docs" / "proof.md"

SEED = 20261122
LEARNING, BLOCKS = 60, 200

#: Of the levers 100 blocks were planned; their roster was won by the same side whenever there were none, and
#: ``levers.py`` goes on with another.
LEVER_BLOCKS = 15
SPEED = 50
BOTS, SEATS = 16, 8
ARMS = ("random", "greedy", "equipoise")

#: Blocks of arms for each block of levers.
ARM_BLOCKS = 2

#: How uneven the roster of the levers is to be, by the ratings.
FAVOURITE = 0.8

#: Fillers: one or two for each side, unlike the others in looks.
FILLERS = (("fr0", "Skelebot"), ("fr1", "Neko"), ("fb0", "Sergei"), ("fb1", "Sorceress"))
USUAL = 3.0

RULESET = Ruleset("openarena", "tdm")
RESAMPLES = 10_000

#: How often a game is begun again that did not begin as asked or did not end.
ATTEMPTS = 20


def hidden() -> dict[str, float]:
    """Return the skill of every bot, which ratings do not see."""
    skills = np.round(np.linspace(1.0, 5.0, BOTS), 2)
    order = np.random.default_rng([SEED, 0]).permutation(BOTS)
    return {f"p{n:02d}": float(skills[order[n]]) for n in range(BOTS)}


SKILLS = hidden()


@dataclass(frozen=True)
class Asked:
    """A game that is to be played.

    Parameters
    ----------
    stage : str
        ``"learn"``, ``"arms"``, ``"fill"`` or ``"levers"``.
    number, arm : int and str
        Its block, and what is compared in it.
    red, blue : tuple of str
        Who plays; a filler with its level, as ``fr0:3``.
    """

    stage: str
    number: int
    arm: str
    red: tuple[str, ...]
    blue: tuple[str, ...]


def bot(name: str) -> Bot:
    """Return the bot of a name."""
    if name in SKILLS:
        return Bot(name, CHARACTERS[int(name[1:])], SKILLS[name])
    filler, _, level = name.partition(":")
    return Bot(filler, dict(FILLERS)[filler], float(level))


def line_of(asked: Asked, match: Match | None) -> dict[str, Any]:
    """Return a game as it is kept."""
    line: dict[str, Any] = {
        "stage": asked.stage, "number": asked.number, "arm": asked.arm, "red": asked.red, "blue": asked.blue,
    }  # fmt: skip
    if match is None:
        return {**line, "failed": True}
    contest = match.contests[-1]
    back = {bot(name).id: name for name in (*asked.red, *asked.blue)}
    counts = {back[one.player]: [one.kills, one.deaths] for one in contest.statistics}
    return {**line, "scores": list(contest.scores), "counts": counts}


class Learning:
    """Ratings of those who were seen, by nothing but how games ended and who fragged how often."""

    def __init__(self) -> None:
        self.ladder = Ladder()
        self._games = 0

    def take(self, line: Mapping[str, Any]) -> None:
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
    def scale(self) -> RatingUnits:
        """What the units mean."""
        model: Any = self.ladder.model
        return RatingUnits(model.beta, model.zero)


def known(name: str) -> str:
    """Return what ratings know somebody by: a filler of another level is another bot."""
    return f"bot:{name}" if ":" in name else name


# What is to be played


def learning_game(number: int) -> Asked:
    """Return a game in random teams."""
    rng = np.random.default_rng([SEED, 1, number])
    names = [f"p{n:02d}" for n in rng.choice(BOTS, SEATS, replace=False)]
    return Asked("learn", number, "random", tuple(names[:4]), tuple(names[4:]))


def block(number: int, learnt: Learning) -> list[Asked]:
    """Return the three games of one roster, in the order they are played."""
    rng = np.random.default_rng([SEED, 2, number])
    roster = [f"p{n:02d}" for n in rng.choice(BOTS, SEATS, replace=False)]
    mixed = [roster[n] for n in rng.permutation(SEATS)]
    teams = {
        "random": (mixed[:4], mixed[4:]),
        "greedy": divided(roster, learnt, solver="greedy-cap", objective="difference"),
        "equipoise": divided(roster, learnt),
    }
    games = []
    for n in rng.permutation(len(ARMS)):
        one, other = teams[ARMS[n]]
        red, blue = (one, other) if rng.random() < 0.5 else (other, one)
        games.append(Asked("arms", number, ARMS[n], tuple(red), tuple(blue)))
    return games


def divided(roster: Sequence[str], learnt: Learning, **keywords: Any) -> tuple[list[str], list[str]]:
    """Return the teams of a roster by its ratings."""
    players = [Player(name, learnt.rating(name)) for name in roster]
    scale = learnt.scale
    best = balance(players, beta=scale.beta, zero=scale.zero, **keywords).best
    one, other = ([player.id for player in team] for team in best.teams)
    return one, other


def filling_game(number: int) -> Asked:
    """Return a game of three a side with fillers of random levels, at times one more on a side."""
    rng = np.random.default_rng([SEED, 3, number])
    names = [f"p{n:02d}" for n in rng.choice(BOTS, 6, replace=False)]
    counts = ((1, 1), (1, 2), (2, 1))[int(rng.integers(3))]
    teams = []
    for side, people, count in zip("rb", (names[:3], names[3:]), counts, strict=True):
        teams.append((*people, *(f"f{side}{n}:{rng.choice(LEVELS):g}" for n in range(count))))
    return Asked("fill", number, "random", *teams)


def lopsided(learnt: Learning) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the teams of three whose chance comes nearest to what is wanted, the favourites first."""
    rng = np.random.default_rng([SEED, 4])
    names = sorted(SKILLS)
    ratings, skills = {name: learnt.rating(name) for name in names}, fillers(learnt)
    usual = ((USUAL,), (USUAL,))
    best: tuple[float, tuple[str, ...], tuple[str, ...]] | None = None
    for _ in range(200):
        roster = [names[n] for n in rng.choice(BOTS, 6, replace=False)]
        for three in combinations(roster, 3):
            rest = tuple(name for name in roster if name not in three)
            people = [[ratings[name] for name in team] for team in (three, rest)]
            still = best_lever(people, usual, skills, learnt.scale, more=False, levels=())
            chance = still.chances[0]
            if best is None or abs(chance - FAVOURITE) < best[0]:
                best = (abs(chance - FAVOURITE), three, rest)
    assert best is not None
    return best[1], best[2]


def with_fillers(
    one: Sequence[str], other: Sequence[str], bots: tuple[tuple[float | None, ...], ...], learnt: Learning
) -> float:
    """Return the chance of the first team with fillers of these levels."""
    return lever(one, other, learnt, bots, worth=np.inf).chances[0]


def lever(
    one: Sequence[str],
    other: Sequence[str],
    learnt: Learning,
    bots: Sequence[Sequence[float | None]] = ((USUAL,), (USUAL,)),
    **keywords: Any,
) -> Lever:
    """Return the bots that even a game out."""
    people = [[learnt.rating(name) for name in team] for team in (one, other)]
    return best_lever(people, bots, fillers(learnt), learnt.scale, most=9, **keywords)


def fillers(learnt: Learning) -> BotSkills:
    """Return what fillers of any level are worth, as far as they were seen."""
    seen = set(learnt.ladder.model.players(learnt.ladder.state))
    points = [
        (level, learnt.rating(f"{filler}:{level:g}"))
        for filler, _ in FILLERS
        for level in LEVELS
        if f"bot:{filler}:{level:g}" in seen
    ]
    mean = Rating(float(np.mean([rating.mu for _, rating in points] or [0.0])))
    return bot_skills(points, mean)


def lever_block(number: int) -> Iterator[tuple[str, bool]]:
    """Give the four games of a block: whether levers are on, and whether the favourites are red."""
    rng = np.random.default_rng([SEED, 5, number])
    off = int(rng.integers(4))
    reds = rng.permutation([True, True, False, False])
    for n in range(4):
        yield ("off" if n == off else "on"), bool(reds[n])


def lever_game(number: int, arm: str, red: bool, teams: tuple[Any, Any], learnt: Learning) -> Asked:
    """Return a game of the uneven roster: with the usual fillers, or with those of the best lever."""
    bots = ((USUAL,), (USUAL,)) if arm == "off" else lever(*teams, learnt).bots
    sides = [(people, levels) for people, levels in zip(teams, bots, strict=True)]
    if not red:
        sides.reverse()
    named = [
        (*people, *(f"f{colour}{n}:{level:g}" for n, level in enumerate(levels)))
        for colour, (people, levels) in zip("rb", sides, strict=True)
    ]
    return Asked("levers", number, arm, *named)


def games(
    played: Callable[[Asked], Mapping[str, Any]], blocks: int, lever_blocks: int, learning: int
) -> None:
    """Go through everything that is to be played, in order; both experiments take turns."""
    learnt, filled = Learning(), Learning()
    for number in range(learning):
        line = played(learning_game(number))
        learnt.take(line)
        filled.take(line)
    for number in range(learning):
        filled.take(played(filling_game(number)))
    teams = lopsided(filled)
    for number in range(max(lever_blocks, blocks)):
        for each in range(ARM_BLOCKS * number, min(ARM_BLOCKS * (number + 1), blocks)):
            for asked in block(each, learnt):
                played(asked)
        for arm, red in lever_block(number) if number < lever_blocks else ():
            filled.take(played(lever_game(number, arm, red, teams, filled)))


# Playing it


class OutOfTimeError(Exception):
    """There is no time for another game."""


class Table:
    """Plays games, or takes them from what was played before."""

    def __init__(self, kept: Path, server: OpenArena | None, until: float) -> None:
        self._kept, self._server, self._until = kept, server, until
        text = kept.read_text(encoding="utf-8") if kept.exists() else ""
        self._lines = [json.loads(line) for line in text.splitlines()]
        self._place = 0

    def __call__(self, asked: Asked) -> Mapping[str, Any]:
        """Return a game as it ended."""
        for _ in range(ATTEMPTS):
            line = self._before() or self._now(asked)
            reported = (line["stage"], line["number"], line["arm"], tuple(line["red"]), tuple(line["blue"]))
            if reported != (asked.stage, asked.number, asked.arm, asked.red, asked.blue):
                msg = f"{self._kept.name}: game {self._place} was another one: {reported}"
                raise RuntimeError(msg)
            if "failed" not in line:
                return line
        msg = f"the server does not play {asked}"
        raise RuntimeError(msg)

    def _before(self) -> Mapping[str, Any] | None:
        if self._place == len(self._lines):
            return None
        self._place += 1
        return self._lines[self._place - 1]

    def _now(self, asked: Asked) -> Mapping[str, Any]:
        if self._server is None or time.monotonic() > self._until:
            raise OutOfTimeError
        line = line_of(asked, play(self._server, ([bot(n) for n in asked.red], [bot(n) for n in asked.blue])))
        if "failed" in line:  # as when it has no room for bots left, after very many of them
            self._server.kill()
            self._server.start()
        with self._kept.open("a", encoding="utf-8") as kept:
            kept.write(json.dumps(line, separators=(",", ":")) + "\n")
        self._lines.append(line)
        self._place += 1
        return line


def play_all(
    kept: Path,
    minutes: float,
    blocks: int = BLOCKS,
    lever_blocks: int = LEVER_BLOCKS,
    learning: int = LEARNING,
) -> bool:
    """Play what is not played yet; return whether everything is."""
    with tempfile.TemporaryDirectory() as folder, openarena(Path(folder), speed=SPEED) as server:
        try:
            games(Table(kept, server, time.monotonic() + 60.0 * minutes), blocks, lever_blocks, learning)
        except OutOfTimeError:
            return False
        return True


# What came of it


def lines(kept: Path = GAMES) -> list[dict[str, Any]]:
    """Return all games that ended."""
    found = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    return [line for line in found if "failed" not in line]


def margin(line: Mapping[str, Any]) -> float:
    """Return by how many frags a game was won."""
    red, blue = line["scores"]
    return float(abs(red - blue))


def one_sided(line: Mapping[str, Any]) -> float:
    """Return 1 where the losers had less than half of the winners' frags, else 0."""
    return float(min(line["scores"]) < max(line["scores"]) / 2.0)


def imbalance(line: Mapping[str, Any]) -> float:
    """Return the difference of the sums of hidden skill."""
    red, blue = (sum(SKILLS[name] for name in line[side]) for side in ("red", "blue"))
    return abs(red - blue)


MEASURES: Mapping[str, Callable[[Mapping[str, Any]], float]] = {
    "margin": margin, "one-sided": one_sided, "imbalance": imbalance,
}  # fmt: skip


def whole_blocks(found: Sequence[Mapping[str, Any]], stage: str, size: int) -> list[list[Mapping[str, Any]]]:
    """Return the blocks of which every game was played."""
    blocks: dict[int, list[Mapping[str, Any]]] = {}
    for line in found:
        if line["stage"] == stage:
            blocks.setdefault(line["number"], []).append(line)
    return [games for games in blocks.values() if len(games) == size]


def interval(per_block: Sequence[float], seed: int) -> tuple[float, float, float]:
    """Return the mean over blocks with the 95 % interval of a bootstrap of blocks."""
    numbers = np.array(per_block)
    rng = np.random.default_rng([SEED, 6, seed])
    means = numbers[rng.integers(len(numbers), size=(RESAMPLES, len(numbers)))].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(numbers.mean()), float(low), float(high)


def compared(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return for each measure the mean of every arm, and equipoise's less each other's."""
    blocks = [{line["arm"]: line for line in block} for block in whole_blocks(found, "arms", len(ARMS))]
    result: dict[str, Any] = {"blocks": len(blocks)}
    if not blocks:
        return result
    for n, (name, measure) in enumerate(MEASURES.items()):
        result[name] = {arm: interval([measure(block[arm]) for block in blocks], n) for arm in ARMS}
        for arm in ARMS[:-1]:
            less = [measure(block[ARMS[-1]]) - measure(block[arm]) for block in blocks]
            result[name][f"less {arm}"] = interval(less, n)
    return result


def favourites_won(line: Mapping[str, Any], favourites: Sequence[str]) -> float:
    """Return 1 where the favourites won, 0.5 where nobody did."""
    red, blue = line["scores"]
    ahead = red - blue if set(favourites) <= set(line["red"]) else blue - red
    return 0.5 + 0.5 * float(np.sign(ahead))


def levered(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the favourites' share of wins with levers off and on."""
    learnt = Learning()
    for line in found:
        if line["stage"] in ("learn", "fill"):
            learnt.take(line)
    blocks = whole_blocks(found, "levers", 4)
    if not blocks:
        return {"blocks": 0}
    teams = lopsided(learnt)
    chance = with_fillers(*teams, ((USUAL,), (USUAL,)), learnt)
    result: dict[str, Any] = {"blocks": len(blocks), "teams": teams, "expected": chance}
    for n, arm in enumerate(("off", "on")):
        shares = [
            float(np.mean([favourites_won(line, teams[0]) for line in block if line["arm"] == arm]))
            for block in blocks
        ]
        result[arm] = interval(shares, 10 + n)
        margins = [float(np.mean([margin(line) for line in block if line["arm"] == arm])) for block in blocks]
        result[f"{arm} margin"] = interval(margins, 12 + n)
    return result


def shown(numbers: Sequence[float], digits: int = 2) -> str:
    """Return a mean with its interval."""
    mean, low, high = numbers
    return f"{mean:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


INTRODUCTION = """# Proof in public

Made by `python -m benchmarks fairness`, which plays every game on OpenArena's server and keeps it in
`benchmarks/results/fairness.jsonl`; do not edit.
The command, its seed and its analysis were committed before the first game; no game that ended was left out.

What plays the games was changed twice, both times before any game of an arm:

1. A first start was ended among the games for learning, after 55 of them and before any game of an arm.
   The machine was busy, and a server that is late runs several frames of physics for each in which bots
   think; since then game time is tied to frames, whatever the machine does, and everything began again.
2. Among the games for learning what fillers are worth, one did not begin with the teams that were asked for
   in five attempts, as the server had no room for bots left; since then such a game restarts the server.

The uneven roster was to play 100 blocks and was left after {lever_blocks}, as its favourites won every game
without levers; [levers on a real server](../benchmarks/LEVERS.md) goes on with another one.
Games were played in several sittings, with the equipoise of the day; each sitting divides every roster
that was played before once more, and ends where teams are not those that were played.
A game that was under way when a sitting was ended was begun again, its end unseen.
One sitting ended by itself: on a busy machine a game had not ended after five minutes, and the server begun
anew for it did not answer; that game was begun again too.

Played: {learn} games for learning and {arms} of three arms, in {blocks} of {planned} blocks planned;
{fill} for learning what fillers are worth and {levers} of an uneven roster.
Whatever time allowed was played, and whole blocks count.
{again} further games did not begin with the teams that were asked for, or did not end, and were begun again.

Team deathmatch to 20 frags on `oa_dm5`, sped up {speed} times with frames that keep their 50 ms of game time.
{bots} bots have skills from 1 to 5 that no rating sees: it learns from scores, frags and deaths alone.
Intervals are 95 %, from a bootstrap of whole blocks.

## Three arms

Each of {blocks} rosters of {seats}, drawn at random, played three games: in random teams, in those of the
greedy draft with a cap, and in equipoise's, in random order and with random colours.
Greedy and equipoise divide by the same ratings, those after the games for learning.
"""

ROWS = (
    ("margin", "frags between winners and losers"),
    ("one-sided", "share of games whose losers had less than half"),
    ("imbalance", "difference of the teams' hidden skill"),
)


def page(kept: Path = GAMES) -> str:
    """Return the page."""
    every = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    found = [line for line in every if "failed" not in line]
    arms = compared(found)
    stages = ("learn", "arms", "fill", "levers")
    counts: dict[str, Any] = {stage: sum(line["stage"] == stage for line in found) for stage in stages}
    text = INTRODUCTION.format(
        **counts, again=len(every) - len(found), planned=BLOCKS, lever_blocks=LEVER_BLOCKS,
        speed=SPEED, bots=BOTS, seats=SEATS, blocks=arms["blocks"],
    )  # fmt: skip
    table = []
    if arms["blocks"]:
        columns = (*ARMS, "less random", "less greedy")
        table = ["", "| | random | greedy | equipoise | equipoise less random | equipoise less greedy |"]
        table += ["|---" * 6 + "|"]
        for name, words in ROWS:
            table.append(f"| {words} | {' | '.join(shown(arms[name][each]) for each in columns)} |")
    return "\n".join([text.rstrip(), *table, "", "## Levers", "", *levers_reported(levered(found))]) + "\n"


def levers_reported(found: Mapping[str, Any]) -> list[str]:
    """Return the lines on levers."""
    if not found["blocks"]:
        return ["Not played yet."]
    favourites, others = found["teams"]
    skills = [sum(SKILLS[name] for name in team) for team in (favourites, others)]
    return [
        f"The favourites {', '.join(favourites)} (hidden skill {skills[0]:.2f}) play against",
        f"{', '.join(others)} ({skills[1]:.2f}), each with a filler of skill {USUAL:g};",
        f"ratings expect them to win {found['expected']:.2f} of such games.",
        f"In each of {found['blocks']} blocks one game is played as it is and three with the bots of the",
        "best lever, in half of them with swapped colours.",
        "",
        "| levers | favourites' share of wins | frags between winners and losers |",
        "|---|---|---|",
        f"| off | {shown(found['off'])} | {shown(found['off margin'])} |",
        f"| on | {shown(found['on'])} | {shown(found['on margin'])} |",
    ]


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
