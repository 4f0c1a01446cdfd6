"""``quakelive``: the statistics stream of Quake Live servers, and the match reports that feeders make of it.

The stream is JSON: an event a line as a server sends them (``{"TYPE": ..., "DATA": ...}``), or a line with
all events of a match (``{"EVENTS": [...]}``) as collectors keep them.  A report is text in the form of
XonStat: a letter and a value a line.  Where a game is made of rounds and the stream tells them, each round
counts for who stood in the teams when it began; otherwise the result counts, with the share that each played.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from equipoise.core.match import Match
from equipoise.core.match_records import match_from, time_from
from equipoise.core.player import is_bot
from equipoise.core.rulesets import GameRules
from equipoise.errors import InputError
from equipoise.games.log_reader import Block, GameReader
from equipoise.games.match_in_progress import NAME, bot_id, text_from
from equipoise.games.quake3.rulesets import COLOUR

RULES = GameRules(
    "quakelive",
    {
        "ffa": "ffa", "duel": "duel", "race": "race", "tdm": "tdm", "ca": "elimination", "ctf": "ctf",
        "1f": "one-flag", "har": "harvester", "ft": "freezetag", "dom": "domination", "ad": "attack-defend",
        "rr": "red-rover",
    },
    gameplay=frozenset(("instagib", "quadhog", "infected")),
)  # fmt: skip

#: Games in which rounds are won, where the stream tells who won each.
ROUNDS = frozenset(("elimination", "freezetag", "attack-defend"))

#: Factories, the server's presets, that change play by a mutator.
FACTORIES = {f"i{kind}": ("instagib",) for kind in ("ffa", "duel", "tdm", "ca", "ctf", "ft", "1f")}

#: What every event has, or every match in one line, as JSON and as Python prints it.
MARKS = (b'"TYPE"', b'"EVENTS"', b"'TYPE'", b"'EVENTS'")

#: Why a match does not count that was ended by people.
ABORTED = "the match was aborted"

#: Seconds from the end of a round to the beginning of the next: who comes later sits it out.
PAUSE = 10.0

#: Matches that run at a time in one stream, at most: of more, that which was silent the longest is given up.
MOST_RUNNING = 64

#: Sides of the stream, by name and by number.
RED, BLUE, WATCHING = 1, 2, 3
SIDES = {"RED": RED, "BLUE": BLUE}

#: The number of the Steam account whose short form is ``[U:1:0]``.
STEAM_BASE = 76561197960265728


def plain_name(name: str) -> str:
    """Return a name without colours; one that has nothing else as it is.

    Examples
    --------
    >>> plain_name("^1Ann^7"), plain_name("^7")
    ('Ann', '^7')
    """
    return COLOUR.sub("", name).strip() or name


def person_id(steam: str, name: str) -> str:
    """Return who somebody is: by Steam's number in the form of all games, else a bot or a name.

    Examples
    --------
    >>> person_id("76561197960265751", "Ann"), person_id("0", "^1Sarge"), person_id("bot#2", "Xan")
    ('[U:1:23]', 'bot:Sarge:?', 'bot:Xan:?')
    """
    if steam.isdecimal() and STEAM_BASE < int(steam) < STEAM_BASE + 2**32:
        return f"[U:1:{int(steam) - STEAM_BASE}]"
    bare = plain_name(name)
    if steam.startswith(("bot", "9007199")) or not steam.strip("0"):
        return bot_id(bare, None)  # bots have numbers that are no account's
    return f"steam:{steam}" if steam.isdecimal() else NAME + bare


@dataclass
class PlayedPart:
    """What is known of somebody in one team."""

    id: str
    name: str
    team: int
    seconds: float = 0.0
    kills: float = 0.0
    deaths: float = 0.0
    score: float = 0.0
    left: bool = False
    #: Of a report: the place among all, and its last figure.
    rank: float = 0.0
    last_figure: str = ""


@dataclass
class QuakeLiveGame:
    """One game, as far as it was reported."""

    where: str
    guid: str = ""
    #: Where it begins, by bytes and by line.
    place: tuple[int, int] = (0, 0)
    kind: str = ""
    mutators: list[str] = field(default_factory=list)
    map: str = ""
    ended: float | None = None
    seconds: float = 0.0
    scores: dict[int, float] = field(default_factory=dict)
    #: Of a report: the team whose figures follow, 0 where they are a player's.
    side: int = 0
    people: list[PlayedPart] = field(default_factory=list)
    #: Of the stream: who is in which team now, and was when the round began; what was won; how it ended.
    standing: dict[str, int] = field(default_factory=dict)
    line_up: dict[str, int] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    rounds: list[dict[str, Any]] = field(default_factory=list)
    waits_until: float = 0.0
    began: bool = False
    over: bool = False
    refused: str = ""

    def record(self) -> dict[str, Any]:
        """Return the match as a record of a match file.

        Raises
        ------
        InputError
            With the reason, if there was nothing to win.
        """
        kind = RULES.game_type(self.kind)
        ruleset = RULES.ruleset(self.kind, self.mutators)
        if kind == "race":
            msg = "a race is no contest of teams"
            raise InputError(msg)
        common = {"game": ruleset.game, "game_type": ruleset.game_type, "mutators": list(ruleset.mutators)}
        contests = self.rounds if kind in ROUNDS and self.rounds else [self._result()]
        began = 0.0 if self.ended is None else self.ended - self.seconds
        for contest in contests:
            contest["at"] = began + contest.pop("after", self.seconds)
        return {
            "id": sha256(f"quakelive {self.guid}".encode()).hexdigest(), "map": self.map,
            "contests": [{**common, **contest} for contest in contests],
            **({} if self.ended is None else {"began": began, "ended": self.ended}),
        }  # fmt: skip

    def is_whole(self) -> bool:
        """Tell whether a report is whole, as far as it shows.

        Everyone's figures end with the same one, and there is nobody without those of better places.
        """
        places = sorted(person.rank for person in self.people if person.rank > 0)
        return (
            len(self.scores) == len({person.team for person in self.people} & {RED, BLUE})
            and len({person.last_figure for person in self.people}) == 1
            and all(place <= n for n, place in enumerate(places, start=1))
        )

    def _result(self) -> dict[str, Any]:
        teams: dict[int, list[dict[str, Any]]] = {}
        most = max([self.seconds, *(each.seconds for each in self.people)], default=0.0)
        for person in self._once():
            share = person.seconds / most if most > 0 else 1.0
            if share <= 0:
                continue
            member = {
                "id": person.id, "name": person.name, "kills": max(person.kills, 0.0),
                "deaths": max(person.deaths, 0.0), "score": person.score,
                **({"left": True} if person.left else {}), **({"share": share} if share < 1 else {}),
            }  # fmt: skip
            alone = person.team not in (RED, BLUE)
            teams.setdefault(-len(teams) - 1 if alone else person.team, []).append(member)
        if len(teams) < 2:
            msg = "nobody to play against"
            raise InputError(msg)
        sides = sorted(teams, reverse=min(teams) < 0)
        scores = [
            self.scores.get(side, 0.0) if side > 0 else float(teams[side][0]["score"]) for side in sides
        ]
        return {"teams": [teams[side] for side in sides], "scores": scores}

    def _once(self) -> list[PlayedPart]:
        """Return everyone once, in the team in which they were longest."""
        parts: dict[str, list[PlayedPart]] = {}
        for person in self.people:
            if person.team in (0, RED, BLUE):
                parts.setdefault(person.id, []).append(person)
        found = []
        for several in parts.values():
            time = {
                team: sum(each.seconds for each in several if each.team == team) for team in (0, RED, BLUE)
            }
            team = max(time, key=time.__getitem__)
            mine = [each for each in several if each.team == team]
            last = mine[-1]
            found.append(
                PlayedPart(
                    last.id, last.name, team, time[team], sum(each.kills for each in mine),
                    sum(each.deaths for each in mine), sum(each.score for each in mine), several[-1].left,
                )
            )  # fmt: skip
        return found

    # A report

    def take_report(self, key: str, value: str) -> None:
        """Take a line of a report: a letter, and what it says."""
        if key in ("Q", "P"):
            self.side = int(value[-1]) if key == "Q" and value[-1:] in ("1", "2") else 0
            if key == "P":
                self.people.append(PlayedPart(value, "", 0, self.seconds))
        elif key == "e" and (self.side or self.people):
            self._figure(*value.partition(" ")[::2])
        elif key in ("n", "t") and self.people:
            person = self.people[-1]
            if key == "t":
                person.team = int(value) if value in ("0", "1", "2") else WATCHING
            else:
                person.id, person.name = person_id(person.id, value), plain_name(value)
        elif key == "1":
            self.ended = _of_text(value)
        elif key == "D":
            self.seconds = _of_text(value) or 0.0
        elif key == "O":
            self.mutators = list(FACTORIES.get(value.lower(), ()))
        elif key in _TEXTS:
            setattr(self, _TEXTS[key], value)

    def pass_over(self, line: bytes) -> None:
        """Take a figure of which only its name is needed, and that only if it is a player's last."""
        if self.people and not self.side:
            self.people[-1].last_figure = line.split(b" ", 2)[1].decode("latin-1")

    def _figure(self, name: str, amount: str) -> None:
        """Take a figure of a team or of a player."""
        number = _of_text(amount)
        if number is None:
            self.refused = f"what it says of {name} is no number"
            return
        if self.side:
            if name == "scoreboard-score":
                self.scores[self.side] = number
            return
        person = self.people[-1]
        person.last_figure = name
        if name in _FIGURES:
            setattr(person, _FIGURES[name], number)

    # The stream

    def take(self, kind: str, data: Mapping[str, Any]) -> None:
        """Take an event of the stream."""
        if kind == "MATCH_STARTED":
            self.began = True
            self._setting(data)
            for each in _objects(data.get("PLAYERS")):
                self._place(each, _number(each.get("TEAM")))
            self.line_up = dict(self.standing)
        elif kind == "MATCH_REPORT":
            self.over = True
            self._setting(data)
            self.seconds = _number(data.get("GAME_LENGTH"))
            self.scores = {RED: _number(data.get("TSCORE0")), BLUE: _number(data.get("TSCORE1"))}
            if data.get("ABORTED"):
                self.refused = ABORTED
        elif data.get("WARMUP"):
            return
        elif kind == "ROUND_OVER":
            self._round(data)
        elif kind == "PLAYER_SWITCHTEAM":
            for who in _objects([data.get("KILLER")]):
                self._place(who, SIDES.get(str(who.get("TEAM")), 0))
            self._before_round(data)
        elif kind == "PLAYER_DISCONNECT":
            self.standing.pop(_person(data)[0], None)
            self._before_round(data)
        elif kind == "PLAYER_STATS":
            one, name = _person(data)
            seconds, kills, deaths, score = (
                _number(data.get(each)) for each in ("PLAY_TIME", "KILLS", "DEATHS", "SCORE")
            )
            team, left = int(_number(data.get("TEAM"))), bool(data.get("QUIT"))
            self.people.append(PlayedPart(one, name, team, seconds, kills, deaths, score, left))

    def _setting(self, data: Mapping[str, Any]) -> None:
        self.kind = str(data.get("GAME_TYPE") or self.kind).lower()
        self.map = str(data.get("MAP") or self.map)
        self.mutators = [name for name in ("instagib", "quadhog", "infected") if data.get(name.upper())]

    def _place(self, data: Mapping[str, Any], team: float) -> None:
        one, name = _person(data)
        self.names[one] = name
        if team in (RED, BLUE):
            self.standing[one] = int(team)
        else:
            self.standing.pop(one, None)

    def _before_round(self, data: Mapping[str, Any]) -> None:
        """Take who stands where for the line-up of the round, unless it has begun."""
        if _number(data.get("TIME")) <= self.waits_until:
            self.line_up = dict(self.standing)

    def _round(self, data: Mapping[str, Any]) -> None:
        winner = SIDES.get(str(data.get("TEAM_WON")), 0)
        teams = [
            [{"id": one, "name": self.names[one]} for one, team in self.line_up.items() if team == side]
            for side in (RED, BLUE)
        ]
        if all(teams):
            ranks = [0 if winner in (side, 0) else 1 for side in (RED, BLUE)]
            after = min(_number(data.get("TIME")), 86400.0)
            self.rounds.append({"teams": teams, "ranks": ranks, "after": after})
        self.line_up = dict(self.standing)
        self.waits_until = _number(data.get("TIME")) + PAUSE


def _person(data: Mapping[str, Any]) -> tuple[str, str]:
    name = str(data.get("NAME") or "")
    return person_id(str(data.get("STEAM_ID") or "0"), name), plain_name(name)


def _number(value: Any) -> float:
    fine = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15
    return float(value) if fine else 0.0


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    yield from (each for each in value if isinstance(each, Mapping)) if isinstance(value, list) else ()


def content_of(line: bytes) -> Any:
    r"""Return what a line holds, as JSON or as Python prints it, whatever stands around it; None if nothing.

    Examples
    --------
    >>> content_of(b'12:03 {"TYPE": "X", "DATA": {}},'), content_of(b"b\\'{\"TYPE\": 1}\\'")
    ({'TYPE': 'X', 'DATA': {}}, {'TYPE': 1})
    >>> content_of(b"{'TYPE': 'X', 'DATA': {'WARMUP': True}}"), content_of(b"{")
    ({'TYPE': 'X', 'DATA': {'WARMUP': True}}, None)
    """
    inner = line[line.find(b"{") : line.rfind(b"}") + 1]
    for text in (line, inner, b"[" + inner + b"]") if inner else (line,):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            continue
    if not any(each in inner for each in MARKS[2:]):
        return None
    try:
        return ast.literal_eval(text_from(inner))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


class QuakeLiveReader(GameReader[QuakeLiveGame]):
    """Reads one file, see :class:`equipoise.games.log_reader.Reader`.

    A collector may write down what several servers send: the matches that others of them play meanwhile are
    put aside, the last that had an event last.
    """

    cut_off = "the log ends before the report of the match"

    def __init__(self, source: str, first_line: int = 1) -> None:
        super().__init__(source, first_line)
        self._aside: dict[str, QuakeLiveGame] = {}
        #: When the match of a line with all events ended.
        self._date: float | None = None

    def idle(self) -> bool:
        """Tell whether no match runs."""
        return super().idle() and not self._aside

    def take(self, block: Block) -> None:
        """Go through the lines."""
        content = block.content
        lines = b"\n" + content[:-1]
        over = 0  # the end of the last line that was taken
        for each in LOUD.finditer(lines):
            place = each.start()
            self._pass_over(content[over:place])
            over = content.index(b"\n", place) + 1
            line = content[place : over - 1]
            if line.lstrip().startswith(b"{") or self._may_have_event(line):
                self._event_line(block, place, line)
            elif line.strip():
                self._report_line(block, place, line.rstrip(b"\r"))
        self._pass_over(content[over:])

    def _pass_over(self, figures: bytes) -> None:
        """Go over lines with figures that do not matter; the last of them shows where a report was cut."""
        if figures and self.game is not None:
            self.game.pass_over(figures[figures.rfind(b"\n", 0, -1) + 1 :])

    def end(self) -> None:
        """Take the end: a report, and a match that was reported, have all they will have."""
        rest = self.lines.rest()
        if rest.strip():
            self.take(Block(rest + b"\n", self.lines.offset, self.lines.line))
        self._put_aside()
        for each in sorted(self._aside.values(), key=lambda game: game.place):
            self.game = each
            self._ends()
        self._aside.clear()

    def _ends(self) -> None:
        """Give the running game, or tell why it does not count."""
        game = self.game
        if game is None:
            return
        if not (game.over or (game.people and not game.began and game.is_whole())):
            self.give_up(self.cut_off)
        elif game.refused:
            self.give_up(game.refused)
        else:
            try:
                match: Match = match_from(game.record())
            except InputError as error:
                self.give_up(str(error))
            else:
                self.game = None
                self.give(match if game.ended is not None else replace(match, dated=False))

    # Events

    def _may_have_event(self, line: bytes) -> bool:
        """Tell whether there may be an event in a line, behind what a collector wrote before it."""
        is_report = self.game is not None and not self.game.began
        return not is_report and any(each in line for each in MARKS)

    def _event_line(self, block: Block, place: int, line: bytes) -> None:
        content = content_of(line)
        if content is None:
            self.skip(block.line_at(place), "no event: it is not JSON")
            return
        for each in _objects(content if isinstance(content, list) else [content]):
            events = each.get("EVENTS")
            self._date = _date(each.get("FINISH_DATE"))
            for event in _objects(events if isinstance(events, list) else [each]):
                kind, data = event.get("TYPE"), event.get("DATA")
                if isinstance(kind, str) and isinstance(data, dict):
                    self._event(block, place, kind, data)

    def _event(self, block: Block, place: int, kind: str, data: Mapping[str, Any]) -> None:
        guid = str(data.get("MATCH_GUID") or "")
        if self.game is None or self.game.guid != guid:
            self._put_aside()
            self.game = self._aside.pop(guid, None)
        if kind == "MATCH_STARTED":
            self._ends()
        if self.game is None:
            if kind == "MATCH_REPORT":
                reason = ABORTED if data.get("ABORTED") else "its beginning is not in the log"
                self.abandon(f"{self.source}, line {block.line_at(place)}", reason)
            if kind != "MATCH_STARTED":
                return  # a warm-up, or a match whose beginning was not seen
            self._begin(block, place, guid)
        assert self.game is not None  # noqa: S101  # for the type checker
        self.game.take(kind, data)
        if kind == "MATCH_STARTED":
            self._give_up_matches_of(self.game)
        if self.game.over:
            self._ends()
            self._settle()

    def _begin(self, block: Block, place: int, guid: str = "") -> None:
        """Begin with a match."""
        where = self.begins(block, place)
        self.game = QuakeLiveGame(where, guid, self._settled, ended=self._date)
        self._settle()

    def _settle(self) -> None:
        """Keep what the first of the matches that run began with."""
        places = [each.place for each in (*self._aside.values(), self.game) if each is not None]
        self._settled = min(places, default=self._settled)

    def _put_aside(self) -> None:
        """Put the match aside that the last event was of, if it is one of the stream."""
        game = self.game
        if game is None or not game.began:
            self._ends()
            return
        self._aside[game.guid], self.game = game, None
        if len(self._aside) > MOST_RUNNING:
            self._give_up_aside(next(iter(self._aside)))

    def _give_up_matches_of(self, game: QuakeLiveGame) -> None:
        """Give up matches without an end, whose people begin another one: nobody plays two at a time."""
        people = {one for one in game.standing if not is_bot(one)}
        for guid in [guid for guid, each in self._aside.items() if people & each.standing.keys()]:
            self._give_up_aside(guid)

    def _give_up_aside(self, guid: str) -> None:
        game = self._aside.pop(guid)
        self.abandon(game.where, self.cut_off)
        self._settle()

    # Reports

    def _report_line(self, block: Block, place: int, line: bytes) -> None:
        key, _, value = text_from(line).partition(" ")
        # A report without a last line feed has swallowed the first line of the next one.
        if key == "0" or (key == "1" and self.game is not None and self.game.people):
            self._put_aside()
            self._date = None
            self._begin(block, place)
        if self.game is not None:
            self.game.take_report(key, value)


#: What a report says of a game, by its letters, and of a player.
_TEXTS = {"I": "guid", "G": "kind", "M": "map"}
_FIGURES = {
    "alivetime": "seconds", "scoreboard-kills": "kills", "scoreboard-deaths": "deaths",
    "scoreboard-score": "score", "rank": "rank",
}  # fmt: skip

#: Where lines begin that are more than a figure that does not matter, each behind a line feed.
LOUD = re.compile(rb"\n(?!e (?!(?:" + "|".join(_FIGURES).encode() + rb") )[^ \n]+ )")


def _date(value: Any) -> float | None:
    try:
        return time_from(value, "FINISH_DATE")
    except InputError:
        return None


def _of_text(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if abs(number) < 1e15 else None


class QuakeLive:
    """Quake Live, see :class:`equipoise.games.log_reader.Game`."""

    name = "quakelive"
    server = "a Quake Live server's statistics"

    def recognise(self, head: bytes) -> str:
        """Tell by an event of the stream, or the first letters of a report."""
        if b"MATCH_GUID" in head and any(mark in head for mark in MARKS):
            return "an event with a MATCH_GUID"
        keys = [line[:2] for line in head.split(b"\n") if line.strip()][:12]
        return "a report '0 address', '1 time', ..." if keys[:2] == [b"0 ", b"1 "] and b"I " in keys else ""

    def reader(self, source: str, first_line: int = 1) -> QuakeLiveReader:
        """Return a reader for a stream or for reports."""
        return QuakeLiveReader(source, first_line)

    def rules(self) -> tuple[GameRules, ...]:
        """Return the table of Quake Live."""
        return (RULES,)


#: The game.
GAME = QuakeLive()
