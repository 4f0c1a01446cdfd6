r"""``etlegacy``: stopwatch matches of ET: Legacy, from statistics files of the Lua module c0rnp0rn.

A server writes a file a round: a first line ``server\map\config\round\defender\winner\limit\time``, then a
line for each player, ``guid\name\rounds\team\`` and numbers.  Two rounds are one match: those who attacked in
the first defend in the second, and whoever attacks faster wins.  So neither round has a result of its own,
and the match counts once, by rosters and not by sides.  The figures of the second file count both rounds.

The numbers are, for each bit of the first one, hits, shots, kills, deaths and headshots with one weapon;
then, behind a tab each, figures of other kinds, among them minutes played.  In a whole file there are as many
kills as deaths: that is how one that was cut off is known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256

from equipoise.core.match import Contest, Match, Statistics
from equipoise.core.rulesets import GameRules
from equipoise.errors import InputError
from equipoise.games.log_reader import Block, GameReader, Parsed
from equipoise.games.match_in_progress import bot_id, guid_id, text_from
from equipoise.games.quake3.rulesets import COLOUR

RULES = GameRules("etlegacy", {"stopwatch": "stopwatch"})

#: The first line of a file.
HEADER = re.compile(
    rb"(?P<server>[^\n]*)\\(?P<map>[^\\\n]+)\\(?P<config>[^\\\n]*)\\(?P<round>[12])\\(?P<defender>[12])"
    rb"\\(?P<winner>-?\d)\\(?P<limit>\d{1,4}:\d\d)\\(?P<time>\d{1,4}:\d\d)\r?"
)

#: What stands between the fields of the first line, and how often; mostly a player's line has fewer.
MARK, MARKS = b"\\", 7

#: How long an id, and how large a number, is believed, in letters.
LONGEST_GUID, DIGITS = 32, 10

#: What stands for one weapon: hits, shots, kills, deaths, headshots.
FIGURES = 5
KILLS, DEATHS = 2, 3

#: Where the minutes played are among the other figures.
MINUTES = 22

#: Seconds by which a limit in minutes may be off.
ROUNDING = 1

#: The share from which somebody played all of it: minutes have one decimal.
WHOLE = 0.95

#: The teams of a round: axis and allies; any other is watching.
TEAMS = (1, 2)

#: Why a round alone is no match.
MISSING = (
    "its second round is missing; give both files in one call, with names that differ in the round alone, "
    "as '...-round-1.txt'"
)
FIRST_MISSING = MISSING.replace("second", "first")

#: How the ids of bots begin.
BOT_GUID = "OMNIBOT"


@dataclass
class RoundPlayer:
    """Who was in a team of a round, and what is counted of them."""

    id: str
    name: str
    team: int
    kills: int
    deaths: int
    minutes: float


@dataclass
class Round:
    """One file."""

    map: str
    number: int
    defender: int
    winner: int
    limit: int
    time: int
    players: dict[str, RoundPlayer] = field(default_factory=dict)
    lines: list[bytes] = field(default_factory=list)

    @property
    def attacker(self) -> int:
        """The team that attacked."""
        return 3 - self.defender

    @property
    def is_held(self) -> bool:
        """Whether the defenders won."""
        return self.winner == self.defender

    def team(self, number: int) -> set[str]:
        """Return who was in a team."""
        return {player.id for player in self.players.values() if player.team == number}


@dataclass
class StopwatchMatch:
    """One match, as far as it was read."""

    where: str
    first: Round
    second: Round | None = None

    def is_whole(self) -> bool:
        """Tell whether nobody is missing in the second file, as far as it shows."""
        assert self.second is not None  # noqa: S101  # for the type checker
        left = [player for player in self.first.players.values() if player.id not in self.second.players]
        there = [*self.second.players.values(), *left]
        return sum(player.kills for player in there) == sum(player.deaths for player in there)

    def match(self) -> Match:
        """Return the match.

        Raises
        ------
        InputError
            With the reason, if it has no result.
        """
        first, second = self.first, self.second
        if second is None:
            raise InputError(MISSING)
        for each in (first, second):
            if each.winner not in TEAMS:
                msg = f"round {each.number} ended without a winner"
                raise InputError(msg)
        before, after = ({one for each in TEAMS for one in rounds.team(each)} for rounds in (first, second))
        if 2 * len(before & after) < min(len(before), len(after)):
            msg = "other people are in its second round"
            raise InputError(msg)
        attacked = first.team(first.attacker)
        if len(attacked & second.team(second.attacker)) > len(attacked & second.team(second.defender)):
            msg = "the same team attacked in both rounds"
            raise InputError(msg)
        ranks = (0.0, 0.0)
        if not second.is_held:
            ranks = (1.0, 0.0)
        elif not first.is_held:
            ranks = (0.0, 1.0)
        teams, statistics = self._teams(second)
        if not all(teams):
            msg = "there was nobody to play against"
            raise InputError(msg)
        contest = Contest(RULES.ruleset("stopwatch", ()), teams, ranks, statistics=statistics)
        names = {player.id: player.name for each in (first, second) for player in each.players.values()}
        there = [player for team in teams for player, _ in team]
        lines = b"\n".join([*first.lines, *second.lines])
        return Match(
            (contest,), began=0.0, ended=float(first.time + second.time),
            id=sha256(b"etlegacy " + lines).hexdigest(), roster=tuple(there),
            names=tuple((one, names[one]) for one in there), map=first.map, dated=False,
        )  # fmt: skip

    def _teams(
        self, second: Round
    ) -> tuple[tuple[tuple[tuple[str, float], ...], ...], tuple[Statistics, ...]]:
        """Return who played in which team, first those who attacked in the first round, and what they did."""
        first = self.first
        minutes: dict[str, list[float]] = {}
        for each, sides in (
            (first, (first.attacker, first.defender)),
            (second, (second.defender, second.attacker)),
        ):
            for player in each.players.values():
                if player.team in sides:
                    before = sum(minutes.get(player.id, ()))
                    spent = minutes.setdefault(player.id, [0.0, 0.0])
                    spent[sides.index(player.team)] += max(player.minutes - before, 0.0)
        length = max((sum(spent) for spent in minutes.values()), default=0.0)
        teams: tuple[list[tuple[str, float]], ...] = ([], [])
        statistics = []
        for identity, spent in minutes.items():
            side = int(spent[1] > spent[0])
            share = spent[side] / length if length > 0.0 else 1.0
            if share > 0.0:
                teams[side].append((identity, 1.0 if share >= WHOLE else share))
                last = second.players.get(identity) or first.players[identity]
                statistics.append(Statistics(identity, float(last.kills), float(last.deaths)))
        return tuple(tuple(team) for team in teams), tuple(statistics)


class EnemyTerritoryReader(GameReader[StopwatchMatch]):
    """Reads files one after the other, see :class:`equipoise.games.log_reader.Reader`."""

    cut_off = MISSING

    def __init__(self, source: str, first_line: int = 1) -> None:
        super().__init__(source, first_line)
        self._round: Round | None = None

    def take(self, block: Block) -> None:
        """Go through the lines."""
        place = 0
        for number, line in enumerate(block.content.split(b"\n")[:-1], start=block.line):
            header = HEADER.fullmatch(line) if line.count(MARK) >= MARKS else None
            if header is not None:
                self._ends()
                self._begin(block, place, header)
            elif self._round is not None and line.strip():
                self._player(number, line.rstrip(b"\r"))
            place += len(line) + 1

    def end_of_file(self) -> list[Parsed]:
        """Take the end of a file: a server writes it at once, so that a match is whole with its second."""
        if self.game is not None and self.game.second is not None and not self.lines.rest():
            self._ends()
        if self.idle() and not self.lines.rest():
            self._settled = (self.lines.offset, self.lines.line)
        return self._given()

    def end(self) -> None:
        """Take the end."""
        game, rest = self.game, self.lines.rest().rstrip(b"\r")
        last = self._round.lines[-1] if self._round is not None else b""
        if rest and last.count(b"\t") == rest.count(b"\t") > 0:  # whole, but for its line feed
            self._player(self.lines.line, rest)
            rest = b""
        if game is not None and game.second is not None and (rest or not game.is_whole()):
            self.give_up("the file of its second round ends within it")
        self._ends()
        self.give_up(self.cut_off)

    def _begin(self, block: Block, place: int, header: re.Match[bytes]) -> None:
        """Begin with a file."""
        number, defender, winner = (int(header[key]) for key in ("round", "defender", "winner"))
        self._round = one = Round(
            text_from(header["map"]), number, defender, winner,
            _seconds(header["limit"]), _seconds(header["time"]), lines=[header[0].rstrip(b"\r")],
        )  # fmt: skip
        game = self.game
        if one.number == 1:
            self.give_up(self.cut_off)
            self.game = StopwatchMatch(self.begins(block, place), one)
        elif game is not None and game.second is None and _may_follow(game.first, one):
            game.second = one
        else:
            self.give_up(self.cut_off)
            self.abandon(self.begins(block, place), FIRST_MISSING)
            self._round = None

    def _player(self, number: int, line: bytes) -> None:
        """Take the line of a player."""
        assert self._round is not None  # noqa: S101  # for the type checker
        player = _player_of(line)
        if player is None:
            self.skip(number, "no player's line 'guid\\name\\rounds\\team\\numbers'")
            return
        self._round.players[player.id] = player
        self._round.lines.append(line)

    def _ends(self) -> None:
        """Give the match that has both rounds, or tell why it does not count."""
        game = self.game
        if game is None or game.second is None:
            return
        try:
            match = game.match()
        except InputError as error:
            self.give_up(str(error))
        else:
            self.game = None
            self.give(match)
        self._round = None


def _may_follow(first: Round, second: Round) -> bool:
    """Tell whether a round is the second to another: its limit is what the attackers needed, or all of it."""
    limits = (first.limit, first.time) if first.is_held else (first.time,)
    return second.map == first.map and any(abs(second.limit - each) <= ROUNDING for each in limits)


def _seconds(text: bytes) -> int:
    minutes, _, seconds = text.partition(b":")
    return 60 * int(minutes) + int(seconds)


def _player_of(line: bytes) -> RoundPlayer | None:
    """Return the player of a line, None where it is another one."""
    front, _, back = line.rpartition(MARK)  # a name may have marks too
    who, _, place = front.rpartition(MARK)
    who, _, rounds = who.rpartition(MARK)
    guid_bytes, named, name_bytes = who.partition(MARK)
    weapons, _, others = back.partition(b"\t")
    numbers, figures = weapons.split(), others.split(b"\t", MINUTES + 1)
    if not named or guid_bytes.split() != [guid_bytes] or len(guid_bytes) > LONGEST_GUID:
        return None
    if not (place.isdigit() and rounds.isdigit() and b"".join(numbers).isdigit()) or len(place) > 1:
        return None
    if len(max(numbers, key=len)) > DIGITS or len(rounds) > DIGITS:
        return None
    if len(numbers) != 1 + FIGURES * int(numbers[0]).bit_count() or len(figures) <= MINUTES:
        return None
    try:
        minutes = float(figures[MINUTES])
    except ValueError:
        return None
    if not 0.0 <= minutes < 1e6:
        return None
    identity, name = _who(guid_bytes, name_bytes)
    kills, deaths = (sum(map(int, numbers[1 + each :: FIGURES])) for each in (KILLS, DEATHS))
    return RoundPlayer(identity, name, int(place), kills, deaths, minutes)


@lru_cache(1024)  # who plays in one round plays in others
def _who(guid_bytes: bytes, name_bytes: bytes) -> tuple[str, str]:
    """Return the id and the name of a player, without colours."""
    name = text_from(name_bytes)
    bare = COLOUR.sub("", name).strip() or name
    guid = text_from(guid_bytes)
    return bot_id(bare, None) if guid.startswith(BOT_GUID) else guid_id(guid), bare


class EnemyTerritory:
    """Enemy Territory: Legacy, see :class:`equipoise.games.log_reader.Game`."""

    name = "etlegacy"
    server = "an ET: Legacy server with c0rnp0rn's statistics"

    def recognise(self, head: bytes) -> str:
        """Tell by a first line, and a player in the second."""
        first, _, rest = head.lstrip(b"\r\n").partition(b"\n")
        if HEADER.fullmatch(first) and (
            not rest or _player_of(rest.lstrip(b"\r\n").partition(b"\n")[0].rstrip(b"\r"))
        ):
            return "a line 'server\\map\\config\\round\\...'"
        return ""

    def reader(self, source: str, first_line: int = 1) -> EnemyTerritoryReader:
        """Return a reader for the files of rounds, one after the other."""
        return EnemyTerritoryReader(source, first_line)

    def rules(self) -> tuple[GameRules, ...]:
        """Return the table of ET: Legacy."""
        return (RULES,)


#: The game.
GAME = EnemyTerritory()
