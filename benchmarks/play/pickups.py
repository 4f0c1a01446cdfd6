"""Pick-up nights in a chat: ``python -m benchmarks pickups`` plays them and writes ``PICKUPS.md``.

Twenty people with hidden skills (normal, in units of one player's noise in a game) come to fifty nights with
two games of five against five each.  They type what people type, the lobbies divide them, and who wins is
drawn by the hidden skills.  Each game is also divided by the greedy draft with a cap (founding document 004)
with the same ratings of the same ten.  Measured is how far the true chance of either teams is from even.

What ratings do not know yet is most of that, for whoever divides.  Before each game the lobby's search and
the draft therefore also divide those who would play had the people of that night come in five other orders,
after the same games and with the ratings of that moment.  No seed and no game is left out.

Forty seeds are played without a network, where four of five people come each night; and one with twenty
clients and the bot on a real IRC server (ngircd), where all come and two games run at once.
``--report`` only writes the page anew, ``--check`` tells whether it is stale.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.ports import free_port
from benchmarks.reporting import PAGES, RAW, add_modes, keep

from equipoise.archive.archive import open_archive
from equipoise.core.match import Match
from equipoise.core.player import Player
from equipoise.play.evening_events import EveningLobby, Setup
from equipoise.play.ledger import LedgerGame
from equipoise.play.proposals import arrange
from equipoise.ratings.ladder import Ladder
from equipoise.service.pickup_lobbies import Pickups
from equipoise.teams.balance import balance

PICTURE = PAGES / "pickups.svg"

PLAYERS, SIZE, NIGHTS, GAMES, SEEDS = 20, 5, 50, 2, 40

#: Orders of arrival that are drawn before each game, and divided.
ORDERS = 5

#: Seeds that are played at the same time.
WORKERS = 2

#: How many of those there are come in a night without a network.
COME = 0.8

#: A folder in memory, where thousands of small steps need not wait for a disk.
MEMORY = Path("/dev/shm")  # noqa: S108  # no file of ours has a fixed name there

#: What can be played by itself.
PARTS = ("seeds", "irc")

#: How many seeds, the first, had been seen when it was decided how certainty counts.
SEEN = 20

#: The seed of the nights on IRC.
REAL = 1000

WEEK = 7 * 86400.0
NAMES = [f"p{n:02d}" for n in range(PLAYERS)]
LOBBY = EveningLobby("game", 2, SIZE)

Teams = Sequence[Sequence[str]]


@dataclass
class World:
    """The hidden skills, and who wins."""

    seed: int
    rng: np.random.Generator = field(init=False)
    skill: dict[str, float] = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng([20261122, self.seed])
        self.skill = dict(zip(NAMES, self.rng.normal(size=PLAYERS).tolist(), strict=True))

    def chance(self, teams: Teams) -> float:
        """Return the true chance of the first team."""
        one, other = (sum(self.skill[player] for player in team) for team in teams)
        return 0.5 * math.erfc(-(one - other) / math.sqrt(2.0 * 2 * SIZE))

    def astray(self, teams: Teams) -> float:
        """Return how far the true chance is from even."""
        return abs(self.chance(teams) - 0.5)

    def wins(self, teams: Teams) -> bool:
        """Draw whether the first team wins."""
        return bool(self.rng.random() < self.chance(teams))


def rated(ladder: Ladder, names: Iterable[str]) -> tuple[list[Player], dict[str, float]]:
    """Return people with their ratings, and the units of these."""
    model: Any = ladder.model
    return [Player(name, ladder.rating(name, LOBBY.ruleset)) for name in names], {
        "beta": model.beta,
        "zero": model.zero,
    }


def divided(ladder: Ladder, games: Sequence[LedgerGame], names: Sequence[str]) -> Teams:
    """Return the teams of people as the lobby makes them after these games."""
    setup = Setup(tuple(names), teams=LOBBY.teams, size=SIZE)
    return arrange(games, setup, partial(rated, ladder), "ten", vary=0.0).proposal.teams


def drafted(ladder: Ladder, names: Sequence[str]) -> Teams:
    """Return the teams of the document: the next best to the smaller sum, until a team is full."""
    people, units = rated(ladder, sorted(names))
    best = balance(people, **units, solver="greedy-cap", objective="difference").best
    return [[player.id for player in team] for team in best.teams]


def tried(
    world: World, ladder: Ladder, games: Sequence[LedgerGame], here: Sequence[str], rng: np.random.Generator
) -> tuple[float, float]:
    """Return how far from even both ways are by the truth, in the mean over orders of arrival."""
    tens = [[here[n] for n in rng.permutation(len(here))[: 2 * SIZE]] for _ in range(ORDERS)]
    ours = [world.astray(divided(ladder, games, ten)) for ten in tens]
    theirs = [world.astray(drafted(ladder, ten)) for ten in tens]
    return float(np.mean(ours)), float(np.mean(theirs))


def judged(
    world: World, matches: Sequence[Match], known: Sequence[int], here: Sequence[Sequence[str]]
) -> list[tuple[float, ...]]:
    """Return for each game how far from even the true chance of its teams and of the draft's was.

    Two more numbers follow: the same over other orders of arrival, by :func:`tried`.

    Parameters
    ----------
    world : World
        The truth.
    matches : sequence of Match
        All games, in order.
    known : sequence of int
        For each, how many of them were rated when its teams were made.
    here : sequence of sequences of str
        For each, who had come.
    """
    ladder, rng = Ladder(), np.random.default_rng([20261122, 1, world.seed])
    found: list[tuple[float, ...]] = []
    games: list[LedgerGame] = []
    for match, so_far, people in zip(matches, known, here, strict=True):
        for contest in (each.contests[0] for each in matches[len(games) : so_far]):
            ladder.record(contest)
            sides = tuple(tuple(player for player, _ in team) for team in contest.teams)
            games.append(LedgerGame(sides, (0.5, 0.5), tuple(contest.ranks)))
        teams = [[player for player, _ in team] for team in match.contests[0].teams]
        theirs = drafted(ladder, [player for team in teams for player in team])
        distances = (world.astray(teams), world.astray(theirs))
        found.append((*distances, *tried(world, ladder, games, people, rng)))
    return found


# Without a network


def played(seed: int, nights: int) -> list[tuple[float, ...]]:
    """Play the nights of a seed; return what is judged of each game."""
    world = World(seed)
    with (
        tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.exists() else None) as folder,
        open_archive(f"sqlite:///{folder}/a.db", create=True) as archive,
    ):
        pickups, present = Pickups(archive, [LOBBY]), list[list[str]]()
        for night in range(nights):
            clock = WEEK * (night + 1)
            here = [each for each in NAMES if world.rng.random() < COME]
            here = here[: 4 * SIZE - 1]  # else two games could run at once
            here += [each for each in NAMES if each not in here][: max(2 * SIZE - len(here), 0)]
            for number in range(GAMES):
                _game(pickups, world, here, clock + 1900.0 * number)
                present.append(here)
            for who in here:
                _say(pickups, who, "!leave", clock + 8000.0)
        matches = list(archive.matches())
    assert len(matches) == nights * GAMES, "a game was lost"
    return judged(world, matches, range(len(matches)), present)


def _say(pickups: Pickups, who: str, text: str, now: float) -> None:
    pickups.hear(who, who, text, now, lambda nick: nick if nick in NAMES else None)


def _game(pickups: Pickups, world: World, here: Sequence[str], now: float) -> None:
    """Let everyone who is here and waits not yet add, in any order, and play the game that begins."""
    for n in world.rng.permutation(len(here)):
        _say(pickups, here[n], "!add", now)
    (game,) = pickups.evening.games.values()
    for word in ("!ready", "!yes"):
        for who in list(game.players):
            _say(pickups, who, word, now + 60.0)
    said = "won" if world.wins(game.teams) else "lost"
    _say(pickups, game.teams[0][0], f"!report {said}", now + 1800.0)
    _say(pickups, game.teams[1][0], "!confirm", now + 1800.0)


# On a real server


class Chatter:
    """Somebody at a real server who types no faster than the bot listens."""

    def __init__(self, port: int, nick: str) -> None:
        from benchmarks.play.irc import Person

        self.nick = nick
        self.person = Person(port, nick)
        self._tokens, self._at = 5.0, time.monotonic()

    def say(self, text: str) -> None:
        """Say something, after a while where much was said."""
        while True:
            now = time.monotonic()
            self._tokens, self._at = min(5.0, self._tokens + 0.49 * (now - self._at)), now
            if self._tokens >= 1.0:
                break
            time.sleep(0.05)
        self._tokens -= 1.0
        self.person.say(text)


def on_irc(nights: int) -> list[tuple[float, ...]]:
    """Play nights with twenty clients and the command on ngircd."""
    from benchmarks.play.irc import Person, bot, ngircd

    world = World(REAL)
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), free_port()
        folder.chmod(0o755)
        store = folder / "a.db"
        with ngircd(folder / "ngircd", port), bot(port, store, "--lobby", f"game={SIZE}v{SIZE}"):
            chatters = {nick: Chatter(port, nick) for nick in NAMES}
            for _ in range(nights):
                _night(world, chatters)
            heard = chatters[NAMES[0]].person.heard
            announced = [line.partition("play: ")[2] for line in heard if "play: " in line]
            counted = [line.rpartition("it counts (")[2] for line in heard if "it counts (" in line]
            while Person.everyone:
                Person.everyone.pop().close()
        with open_archive(f"sqlite:///{store}", create=False) as archive:
            matches = list(archive.matches())
    assert len(matches) == len(announced) == len(counted) == len(set(counted)) == 2 * nights, "not once each"
    return judged(world, matches, [n - n % 2 for n in range(len(matches))], [NAMES] * len(matches))


def _night(world: World, chatters: dict[str, Chatter]) -> None:
    """Let all add, be ready and vote; and both games end once both have begun."""
    listener = chatters[NAMES[0]].person
    for n in world.rng.permutation(PLAYERS):
        chatters[NAMES[n]].say("!add")
    for _ in range(2):
        listener.expect("type !ready")
    for chatter in chatters.values():
        chatter.say("!ready")
    games = []
    for _ in range(2):
        line = listener.expect("| blue: ")
        red = line.partition("red: ")[2].partition(" |")[0].split(", ")
        blue = line.partition("| blue: ")[2].partition(" (")[0].split(", ")
        games.append((red, blue))
    for red, blue in games:
        for nick in (*red, blue[0]):
            chatters[nick].say("!yes")
    for _ in range(2):
        listener.expect("play: ")
    for red, blue in games:
        chatters[red[1]].say(f"!report {'won' if world.wins((red, blue)) else 'lost'}")
        listener.expect("reports: ")
        chatters[blue[1]].say("!confirm")
        listener.expect("it counts")


# What came of it


def measure(parts: Sequence[str], kept: Path) -> dict[str, Any]:
    """Play these parts; the others stay as they are kept."""
    found: dict[str, Any] = {}
    if "seeds" in parts:
        with ProcessPoolExecutor(max_workers=WORKERS) as pool:
            found["seeds"] = list(pool.map(_seed, range(SEEDS)))
    if "irc" in parts:
        found["irc"] = _rounded(on_irc(NIGHTS))
    before = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    return {name: found.get(name, before.get(name, [])) for name in PARTS}


def _seed(seed: int) -> list[list[float]]:
    games = _rounded(played(seed, NIGHTS))
    print(f"seed {seed}", file=sys.stderr)
    return games


def _rounded(games: Sequence[Sequence[float]]) -> list[list[float]]:
    return [[round(each, 5) for each in game] for game in games]


def interval(numbers: Any) -> str:
    """Return a mean with its 95 % interval."""
    values = np.array(numbers)
    error = 1.96 * values.std(ddof=1) / math.sqrt(len(values))
    return f"{values.mean():.4f} ({values.mean() - error:.4f} to {values.mean() + error:.4f})"


def report(results: dict[str, Any]) -> str:
    """Return the page, and draw the picture."""
    seeds = np.array(results["seeds"])
    irc = np.array(results["irc"])
    if not (seeds.size and irc.size):
        return "Not all parts were played yet.\n"
    PICTURE.write_text(picture(seeds), encoding="utf-8")
    return "\n".join([
        "# Pick-up nights in a chat", "",
        "`python -m benchmarks pickups` measured and wrote this; do not edit.",
        f"{PLAYERS} people with hidden skills, {NIGHTS} nights of {GAMES} games of {SIZE} against {SIZE};",
        "what a night is stands at the top of that file.",
        "The figures are means of |p - 1/2|, p by the hidden skills; greedy divides the same people by the",
        "same ratings.", "",
        "![Mean distance from even over the nights](pickups.svg)", "",
        f"## {len(seeds)} seeds without a network", "",
        f"How certainty counts (docs/algorithms/certainty.md) was decided after {SEEN} had been seen;",
        "the others were played afterwards, and show it without that choice.", "",
        "| what | seeds | equipoise | greedy with a cap | difference (95 % interval over seeds) |",
        "|---|---|---|---|---|",
        *_rows(seeds[SEEN:], "played afterwards"), *_rows(seeds[:SEEN], "seen"), "",
        "What ratings do not know yet outweighs by far what the draft leaves uneven by the ratings, about",
        "2 % of win probability for ten people; the difference is made by taking, of nearly even teams,",
        "those whose difference is known best.", "",
        "## Twenty clients on a real IRC server", "",
        f"{len(irc)} games of {len(irc) // 2} nights were announced once, counted once, and kept once.",
        "", "| what | equipoise | greedy with a cap | difference (95 % interval over games) |",
        "|---|---|---|---|",
        *(
            f"| {name} | {interval(one)} | {interval(other)} | {interval(one - other)} |"
            for name, one, other in (
                ("the games that were played", irc[:, 0], irc[:, 1]),
                (f"{ORDERS} orders of arrival before each game", irc[:, 2], irc[:, 3]),
            )
        ), "",
    ])  # fmt: skip


def _rows(seeds: Any, which: str) -> Iterator[str]:
    """Return the rows of some seeds, shape (seed, game, 4): ours and greedy's, and over other orders."""
    if not len(seeds):
        return
    half = seeds.shape[1] // 2
    for name, part in (
        ("the games that were played", seeds[:, :, :2]),
        (f"{ORDERS} orders of arrival before each game", seeds[:, :, 2:]),
        (f"{ORDERS} orders of arrival before each game, nights 26 to 50", seeds[:, half:, 2:]),
    ):
        ours, greedy = part.mean(axis=1).T
        cells = interval(ours), interval(greedy), interval(ours - greedy)
        yield f"| {name} | {len(seeds)} {which} | {' | '.join(cells)} |"


def picture(seeds: Any) -> str:
    """Return the curves over the nights, means of five nights each, as SVG."""
    nights = seeds[:, :, 2:].reshape(len(seeds), -1, 5 * GAMES, 2).mean(axis=(0, 2))
    parts = [('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 320" font-family="sans-serif" '
              'font-size="12">'), '<rect width="640" height="320" fill="white"/>']  # fmt: skip
    top = 0.05 * math.ceil(float(nights.max()) / 0.05)
    for n in range(round(top / 0.05) + 1):
        y = 280 - 250 * 0.05 * n / top
        parts.append(f'<path d="M50 {y:g}H520" stroke="#dddddd"/>')
        parts.append(f'<text x="14" y="{y + 4:g}">{0.05 * n:.2f}</text>')
    ends = []
    for column, (name, colour) in enumerate((("equipoise", "#1b6ca8"), ("greedy", "#d95f02"))):
        ys = [280 - 250 * float(each) / top for each in nights[:, column]]
        points = " ".join(f"{50 + 47 * (n + 0.5):g},{y:.1f}" for n, y in enumerate(ys))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        ends.append((ys[-1], name, colour))
    last = -100.0
    for y, name, colour in sorted(ends):
        last = max(y, last + 14)
        parts.append(f'<text x="525" y="{last + 4:.1f}" fill="{colour}">{name}</text>')
    parts.append(
        '<text x="50" y="305">mean |p - 1/2| over orders of arrival, five nights to each point</text></svg>'
    )
    return "\n".join(parts) + "\n"


def main() -> int:
    """Read the arguments and do what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_modes(parser)
    parser.add_argument("--part", choices=PARTS, help="play only this part anew")
    given = parser.parse_args()
    parts, kept = [given.part] if given.part else PARTS, RAW / "pickups.json"
    return keep(given, kept, PAGES / "PICKUPS.md", lambda: measure(parts, kept), report)
