r"""Games that a file describes: what their lines look like and what each means, without Python.

A description is TOML (docs/how-to/describe-a-game.md).  Lines are written as templates: text as the log has
it, with ``{placeholders}`` for what changes.  ``[events]`` says what a line that looks so means.  A template
becomes a regular expression in which every placeholder is as short as it can be, so that the text after it
decides where it ends; the first template that fits a line says what it is.
Names may hold what looks like a part of a line: one that can be read in several ways means what agrees with
the names of who is there; where that does not decide it is skipped, with a warning.

A game runs from ``begin`` to a line that ends it.  It has a result where the log tells one: a ``win``, a
``draw``, final ``total`` scores, or points that were counted.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

from equipoise.core.match import CLOCK, Contest, Ruleset
from equipoise.core.plain_data import fail
from equipoise.core.rulesets import GameRules
from equipoise.errors import InputError
from equipoise.games.log_reader import Block, GameReader
from equipoise.games.match_in_progress import ALONE, NAME, Play, bot_id, guid_id, text_from
from equipoise.games.rcon import checked

#: What a placeholder may stand for, by its name, as a regular expression over bytes; ``_`` is of no interest.
WORD = rb"[^\n]{0,200}?"
NUMBER = rb"-?\d{1,9}"
PLACEHOLDERS: Mapping[str, bytes] = {
    **dict.fromkeys(("who", "killer", "victim", "id", "team", "old_team", "type", "map", "name", "_"), WORD),
    **dict.fromkeys(("slot", "killer_slot", "victim_slot", "points", "number"), NUMBER),
    "text": rb"[^\n]*",
}

#: How a line may say when it was written.
TIMES: Mapping[str, bytes] = {
    "date": rb"\d{4}(?:-\d\d-|/\d\d/|\.\d\d\.)\d\d[ T_-]\d\d:\d\d:\d\d(?:[.,]\d{1,6})?",
    "clock": rb"\d{1,4}:\d\d(?::\d\d(?:[.,]\d{1,6})?)?",
    "hexdate": rb"[0-9a-f]{8}",
    "epoch": rb"\d{10}",
}

#: What a line may mean, the placeholders that it needs (one of each group), and others that it may have.
EVENTS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "ignore": ((), ()),
    "begin": ((), ("type", "map")),
    "end": ((), ()),
    "cancel": ((), ()),
    "stop": ((), ()),
    "map": (("map",), ()),
    "arrive": (("who|slot",), ("id", "who", "slot", "team")),
    "leave": (("who|slot",), ("who", "slot")),
    "rename": (("who|slot", "name"), ("who", "slot")),
    "team": (("who|slot", "team"), ("who", "slot", "old_team")),
    "kill": (
        ("killer|killer_slot", "victim|victim_slot"),
        ("killer", "killer_slot", "victim", "victim_slot"),
    ),
    "suicide": (("victim|victim_slot",), ("victim", "victim_slot")),
    "score": (("who|slot|team",), ("who", "slot", "team", "points")),
    "total": (("team", "number"), ()),
    "win": (("team|who|slot",), ("team", "who", "slot")),
    "draw": ((), ()),
    "chat": (("slot", "text"), ("who",)),
}

#: What stands at the top of a description.
FIELDS = (
    "name", "server", "line", "recognise", "teams", "watching", "bots", "game_type", "game_types",
    "kill_points", "end_at_begin", "mutators", "events", "console",
)  # fmt: skip

#: Types of games in which everyone plays alone, whatever team the log names.
ALONE_TYPES = ("ffa", "duel")

#: How many lines show that a log is of a game.
ENOUGH_LINES = 3

#: Lines that are looked at for it.
LOOKED_AT = 400

#: Why a line does not count.
AMBIGUOUS = "a name in it looks like a part of the line, which can be read in several ways; it does not count"

#: In how many ways a line is read at most.
MOST_READINGS = 60

#: Half a day, in seconds: a clock that goes back by more has passed midnight.
HALF_DAY = 43200

#: What ``[console]`` may say.
CONSOLE_FIELDS = (
    "protocol", "list", "row", "move", "say", "tell", "teams", "begin", "moves_kill", "respawn",
)  # fmt: skip

#: Consoles that are spoken, by the names that descriptions have for them.
PROTOCOLS = ("source-rcon", "econ", "quake3", "darkplaces")

#: By what somebody is known in a line, and what they are called there; before a name a team may stand.
_BEARERS = (("slot", "who"), ("killer_slot", "killer"), ("victim_slot", "victim"))
_CALLED = frozenset(("who", "killer", "victim", "name"))
_TEAM_FIRST = re.compile(r"-?[0-9]:")

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_PLACEHOLDER = re.compile(r"\{(\w*)\}")


class LineTemplate(NamedTuple):
    """What one kind of line looks like and means."""

    event: str
    text: str
    pattern: re.Pattern[bytes]
    #: What a line must begin with to fit.
    literal: bytes
    points: float
    #: The same with each placeholder as long as possible: a line that both read alike has one meaning only.
    longest: re.Pattern[bytes]
    #: What each placeholder may stand for.
    fillings: tuple[re.Pattern[bytes], ...]

    def readings(self, text: bytes) -> list[dict[str, str]]:
        """Return the values of each way in which a line can be read, so many at most."""
        parts = [part.encode() for part in _PLACEHOLDER.split(self.text)]
        found: list[dict[str, str]] = []

        def go(n: int, at: int, values: dict[str, str]) -> None:
            literal = parts[2 * n]
            if len(found) >= MOST_READINGS or not text.startswith(literal, at):
                return
            at += len(literal)
            if n == len(self.fillings):
                if at == len(text):
                    found.append(values)
                return
            name, after = parts[2 * n + 1].decode(), parts[2 * n + 2]
            end = text.find(after, at) if after or n + 1 < len(self.fillings) else len(text)
            while 0 <= end <= len(text):
                if self.fillings[n].fullmatch(text, at, end):
                    more = {} if name == "_" else {name: text_from(text[at:end])}
                    go(n + 1, end, {**values, **more})
                end = text.find(after, end + 1) if end < len(text) else -1

        go(0, 0, {})
        return found

    def values(
        self, found: re.Match[bytes], there: Mapping[Any, tuple[str, str, int | None]]
    ) -> dict[str, str] | None:
        """Return the values of a line; None where it is open which, as a name looks like a part of it.

        Parameters
        ----------
        found : Match
            The line, as it is read first.
        there : mapping
            Who is there: by slot, or else by name, the id, name and team.
        """
        first = {key: text_from(value) for key, value in found.groupdict().items() if value is not None}
        if _CALLED.isdisjoint(first):
            return first
        last = self.longest.fullmatch(found.string)
        if last is None or last.regs == found.regs:
            return first
        readings = self.readings(found.string)
        bearers = [(slot, name) for slot, name in _BEARERS if name in first]

        def meaning(values: Mapping[str, str]) -> dict[str, str]:
            known = () if self.event in ("arrive", "rename", "team") else bearers
            moot = {name for slot, name in known if slot in values} | {"text"}
            return {key: value for key, value in values.items() if key not in moot}

        def agrees(values: Mapping[str, str]) -> bool:
            for slot, name in bearers:
                known = there.get(int(values[slot]) if slot in values else values[name])
                if known is None or _TEAM_FIRST.sub("", values[name], count=1) != known[1] != values[name]:
                    return False
            return True

        if all(meaning(each) == meaning(first) for each in readings):
            return first
        agreed = [each for each in readings if agrees(each)]
        return agreed[0] if agreed and all(meaning(each) == meaning(agreed[0]) for each in agreed) else None


class Understood(NamedTuple):
    """What a reader made of one line."""

    number: int
    text: str
    event: str
    values: Mapping[str, str]
    #: What followed from it: a game that began, ended or was given up.
    outcome: str


class DescribedConsole(NamedTuple):
    """What a description says of the console of its servers.

    Parameters
    ----------
    protocol : str
        One of :data:`PROTOCOLS`.
    players : str
        The command that lists who is there.
    row : Pattern
        A line of that list; group ``slot``, and ``team`` where the list has it.
    move, say, tell : str
        Commands, with ``{slot}``, ``{team}`` and ``{text}``; empty where there is none.
    teams : tuple of str
        What commands call the teams.
    begin : tuple of str
        The first commands for a server.
    moves_kill : bool
        Whether who is moved while alive dies of it.
    respawn : float or None
        For how many seconds at least somebody who died is not there again.
    """

    protocol: str
    players: str
    row: re.Pattern[bytes]
    move: str
    say: str
    tell: str
    teams: tuple[str, ...]
    begin: tuple[str, ...]
    moves_kill: bool
    respawn: float | None


def _template(
    text: Any, event: str, where: str, teams: Sequence[str] = (), points: float = 0.0
) -> LineTemplate:
    """Return what a kind of line looks like and means.

    Where the teams are known, ``{team}`` is one of them and nothing else: a name or a chat that looks like a
    part of the line makes no other team.
    """
    if not isinstance(text, str) or not text:
        msg = f'{where} must be a text such as "{{killer}} killed {{victim}}", got {text!r:.80}'
        raise InputError(msg)
    needed, others = EVENTS[event]
    allowed = {name for group in needed for name in group.split("|")} | {*others, "_"}
    seen: set[str] = set()
    parts = _PLACEHOLDER.split(text)
    pattern, fillings = b"", list[bytes]()
    for n, part in enumerate(parts):
        if n % 2 == 0:
            pattern += re.escape(part.encode())
        elif part not in allowed:
            fail(where, f"{{{part}}} is not known here; {event} may have {_braces(sorted(allowed))}")
        elif part in seen:
            fail(where, f"{{{part}}} is there twice; {{_}} stands for what does not matter")
        else:
            what = PLACEHOLDERS[part]
            if part == "team" and teams:
                what = b"|".join(re.escape(team.encode()) for team in teams)
            pattern += (b"(" if part == "_" else b"(?P<" + part.encode() + b">") + what + b")"
            fillings.append(what)
            seen |= {part} - {"_"}
    for group in needed:
        if not seen & set(group.split("|")):
            fail(where, f"{event} needs {' or '.join(_braces(group.split('|')).split(', '))}")
    return LineTemplate(
        event, text, re.compile(pattern, re.DOTALL), parts[0].encode(), points,
        re.compile(pattern.replace(WORD, WORD.removesuffix(b"?")), re.DOTALL),
        tuple(re.compile(what, re.DOTALL) for what in fillings),
    )  # fmt: skip


def _braces(names: Sequence[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)


@dataclass(frozen=True)
class DescribedGame:
    """A game that a description tells, see :class:`equipoise.games.log_reader.Game`.

    Parameters
    ----------
    name : str
        What the game is called in rulesets, in small letters.
    server : str
        Who writes such logs, as ``"a Teeworlds server"``.
    lines : tuple of str
        How lines begin, with ``{date}``, ``{clock}``, ``{hexdate}`` or ``{epoch}`` for their time, and end,
        with ``{text}``; the first that fits.
    templates : tuple of LineTemplate
        What lines mean, the first that fits first.
    recognise_by : tuple of LineTemplate
        Lines by which a log is known; by default all of them.
    teams : tuple of str
        The names of teams in the log, in the order of their numbers; empty where everyone plays alone.
    watching : tuple of str
        What the log calls teams of those who only watch.
    bots : str
        How names of bots begin; empty where there is none.
    game_type : str
        What is played where the log does not tell.
    game_types : mapping of str to str
        From the log's names of types, in small letters, to ours.
    kill_points : tuple of str
        Types of games in which kills are points for the team, and losses cost one.
    end_at_begin : bool
        Whether the beginning of a game is the end of the one before it: it counts if both sides had players
        to the end and it was not level.
    mutators : tuple of str
        Mutators that are always on.
    console : DescribedConsole or None
        How its servers are spoken to.
    """

    name: str
    server: str
    lines: tuple[str, ...]
    templates: tuple[LineTemplate, ...]
    recognise_by: tuple[LineTemplate, ...] = ()
    teams: tuple[str, ...] = ()
    watching: tuple[str, ...] = ()
    bots: str = ""
    game_type: str = ""
    game_types: Mapping[str, str] = field(default_factory=dict)
    kill_points: tuple[str, ...] = ()
    end_at_begin: bool = False
    mutators: tuple[str, ...] = ()
    console: DescribedConsole | None = None

    @cached_property
    def frames(self) -> tuple[re.Pattern[bytes], ...]:
        """What lines look like."""
        return tuple(_frame(line) for line in self.lines)

    def framed(self, line: bytes) -> re.Match[bytes] | None:
        """Return the time and the text of a line; None where it is of another form."""
        for frame in self.frames:
            found = frame.fullmatch(line)
            if found is not None:
                return found
        return None

    @cached_property
    def beginnings(self) -> re.Pattern[bytes]:
        """How texts begin that may mean something."""
        return re.compile(b"|".join(re.escape(each.literal) for each in self.templates))

    @cached_property
    def arrive_by_kills(self) -> bool:
        """Whether only kills tell who is there; otherwise those of who never came are not believed."""
        return not any(template.event in ("arrive", "team") for template in self.templates)

    @cached_property
    def table(self) -> GameRules:
        """The table of its types of games."""
        return GameRules(self.name, dict(self.game_types), gameplay=frozenset(self.mutators))

    def recognise(self, head: bytes) -> str:
        """Tell by three lines that mean something."""
        templates = self.recognise_by or self.templates
        known = 0
        for line in head.split(b"\n")[:LOOKED_AT]:
            found = self.framed(line.rstrip(b"\r"))
            known += found is not None and _fitting(templates, found["text"]) is not None
            if known == ENOUGH_LINES:
                return f"lines such as '{templates[0].text}'"
        return ""

    def meaning(
        self, line: bytes, there: Mapping[Any, tuple[str, str, int | None]]
    ) -> tuple[str, dict[str, str]] | None:
        """Return what a line means beside who is there: the event, and its values; None where nothing."""
        framed = self.framed(line.rstrip(b"\r"))
        fit = None if framed is None else _fitting(self.templates, framed["text"])
        values = None if fit is None else fit[0].values(fit[1], there)
        return None if fit is None or values is None else (fit[0].event, values)

    def identity(self, identity: str, name: str) -> str:
        """Return who somebody is: a bot, by an id, or else by name."""
        if self.bots and name.startswith(self.bots):
            return bot_id(name.removeprefix(self.bots) or name, None)
        return guid_id(identity) if identity else NAME + name

    def is_somebody_new(self, values: Mapping[str, str]) -> bool:
        """Tell whether who arrives under a number that is taken is somebody else.

        Where the log tells who leaves and has no ids, who did not leave comes again, as into another map.
        """
        return "id" in values or not any(template.event == "leave" for template in self.templates)

    def team(self, name: str) -> int | None:
        """Return which team of the list a name is of, None of those who watch and of unknown ones."""
        return self.teams.index(name) if name in self.teams else None

    def reader(self, source: str, first_line: int = 1) -> DescribedReader:
        """Return a reader for a log."""
        return DescribedReader(self, source, first_line)

    def rules(self) -> tuple[GameRules, ...]:
        """Return the table of the game."""
        return (self.table,)


def _frame(line: str) -> re.Pattern[bytes]:
    """Return the regular expression of a form of lines."""
    pattern = b""
    for n, part in enumerate(_PLACEHOLDER.split(line)):
        if n % 2 == 0:
            pattern += re.escape(part.encode())
        elif part == "_":
            pattern += WORD
        else:
            pattern += b"(?P<" + part.encode() + b">" + TIMES.get(part, rb"[^\n]*") + b")"
    return re.compile(pattern)


def _fitting(templates: Sequence[LineTemplate], text: bytes) -> tuple[LineTemplate, re.Match[bytes]] | None:
    """Return the first template that fits a line."""
    for template in templates:
        if text.startswith(template.literal):
            found = template.pattern.fullmatch(text)
            if found is not None:
                return template, found
    return None


class DescribedMatch:
    """One game of a log, as far as it was read."""

    def __init__(self, game: DescribedGame, where: str, kind: str, map_name: str) -> None:
        self.game, self.where, self.kind, self.map = game, where, kind, map_name
        self.play = Play()
        self.hash = sha256(game.name.encode())
        self.began: float | None = None
        self.at = 0.0
        self.points: dict[int, float] = {}
        self.totals: dict[int, float] = {}
        #: Whether the log tells who won: the side, and who it is where a player is named.
        self.is_won = False
        self.winning_side: int | None = None
        self.winner = ""
        #: Whether its times are those of a clock where the server stands.
        self.is_local = False
        self.is_drawn = False
        #: Whether somebody had nobody to play against after the game had begun to count.
        self.was_empty = False
        self.was_cancelled = False

    @property
    def game_type(self) -> str:
        """What is played, in our words."""
        kind = self.kind or self.game.game_type
        return self.game.table.game_type(kind) or ("tdm" if self.game.teams else "ffa")

    def side(self, team: int | None) -> int | None:
        """Return where somebody of a team plays: alone, where everyone does."""
        return ALONE if team is not None and self.game_type in ALONE_TYPES else team

    def contest(self) -> Contest | None:
        """Return the result; None where there is none.

        Raises
        ------
        InputError
            With the reason, if the game does not count.
        """
        ruleset: Ruleset = self.game.table.ruleset(self.game_type, self.game.mutators)
        if not self.game.teams or self.game_type in ALONE_TYPES:
            return self._everyone_alone(ruleset)
        scores = {side: self.totals.get(side, self.points.get(side, 0.0)) for side in self._sides()}
        if self.is_won:
            winner = self.winning_side
            if not winner:
                msg = "the log names a winner who is in no team"
                raise InputError(msg)
            known = self.totals or self.points
            if not known or scores[winner] < max(scores.values()):
                scores = {side: float(side == winner) for side in scores}
        elif not (self.totals or self.points or self.is_drawn):
            msg = "the log tells no result"
            raise InputError(msg)
        elif self.is_drawn:
            scores = dict.fromkeys(scores, 0.0)
        return self.play.result(ruleset, scores, self.at)

    def _everyone_alone(self, ruleset: Ruleset) -> Contest | None:
        """Return the result of everyone against everyone: by points, unless the log tells who won."""
        contest = self.play.placements(ruleset, self.at)
        if contest is None or not (self.is_won or self.is_drawn):
            return contest
        ids = [team[0][0] for team in contest.teams]
        if self.is_drawn:
            return replace(contest, ranks=(0,) * len(ids), scores=())
        if self.winner not in ids:
            msg = "the log names a winner who did not play"
            raise InputError(msg)
        first = min(contest.ranks)
        if [one for one, rank in zip(ids, contest.ranks, strict=True) if rank == first] == [self.winner]:
            return contest
        return replace(contest, ranks=tuple(int(one != self.winner) for one in ids), scores=())

    def is_level(self) -> bool:
        """Tell whether nobody is ahead."""
        scores = [self.points.get(side, 0.0) for side in self._sides()]
        if not self.game.teams or self.game_type in ALONE_TYPES:
            scores = [self.play.people[name].points for name in self.play.shares()]
        return scores.count(max(scores, default=0.0)) != 1

    def _sides(self) -> range:
        return range(1, len(self.game.teams) + 1)


class DescribedReader(GameReader[DescribedMatch]):
    """Reads one log, see :class:`equipoise.games.log_reader.Reader`."""

    cut_off = "the log ends before the game does"

    def __init__(self, game: DescribedGame, source: str, first_line: int = 1) -> None:
        super().__init__(source, first_line)
        self._described = game
        #: Takes what was made of each line, where somebody wants to see it.
        self.tell: Callable[[Understood], None] | None = None
        self._outcome = ""
        #: Who is connected before a game begins: by key, the id, name and team.
        self._there: dict[Hashable, tuple[str, str, int | None]] = {}
        self._map = ""
        self._clock: tuple[str, float] | None = None

    def idle(self) -> bool:
        """Tell whether no game runs and nobody is known to be there."""
        return self.game is None and not self._there and not self._map

    def take(self, block: Block) -> None:
        """Go through the lines."""
        described = self._described
        begins = described.beginnings.match
        place = 0
        for number, line in enumerate(block.content.split(b"\n")[:-1], start=block.line):
            bare = line.rstrip(b"\r")
            found = described.framed(bare)
            text = b"" if found is None else found["text"]
            fit = _fitting(described.templates, text) if begins(text) else None
            self._outcome = ""
            if found is not None:
                self._time(found)
                if self.game is not None:
                    self.game.hash.update(bare + b"\n")
                if fit is not None:
                    self._line(block, place, bare, *fit)
            if self.tell is not None:
                self._say(number, bare, fit)
            place += len(line) + 1

    def _say(self, number: int, line: bytes, fit: tuple[LineTemplate, re.Match[bytes]] | None) -> None:
        """Tell what was made of a line."""
        values: dict[str, str] = {}
        if fit is not None:
            values = {key: text_from(value) for key, value in fit[1].groupdict().items() if value is not None}
        assert self.tell is not None  # noqa: S101  # for the type checker
        self.tell(
            Understood(number, text_from(line), "" if fit is None else fit[0].event, values, self._outcome)
        )

    def _time(self, found: re.Match[bytes]) -> None:
        """Move the clock on; times that run backwards move nothing."""
        kind, game = _kind_of_time(found.re.pattern), self.game
        now = None if kind is None else _seconds(kind, found[kind])
        if now is None:
            if game is not None and kind is None:
                game.play.clock += 1.0
            return
        passed = 0.0 if self._clock is None else now[1] - self._clock[1]
        if now[0] == "clock" and passed < -HALF_DAY:
            passed += 2 * HALF_DAY
        self._clock = now
        if game is None:
            return
        game.play.clock += max(passed, 0.0)
        if now[0] != "clock":
            game.is_local |= now[0] == "date"
            game.began = now[1] if game.began is None else game.began
            game.at = max(game.at, now[1])

    # Events

    def _line(
        self, block: Block, place: int, line: bytes, template: LineTemplate, found: re.Match[bytes]
    ) -> None:
        values, event = template.values(found, self._there), template.event
        if values is None:
            self.skip(block.line_at(place), AMBIGUOUS)
            return
        if event == "begin":
            self._begin(block, place, line, values)
        elif event == "map":
            self._ends_by_begin()
            self._map = values["map"]
        elif event == "stop":
            self.give_up("the server was restarted")
            self._there.clear()
        elif event in ("arrive", "leave", "rename", "team"):
            self._person(event, values)
        elif self.game is not None:
            self._in_game(self.game, event, values, template.points)

    def _begin(self, block: Block, place: int, line: bytes, values: Mapping[str, str]) -> None:
        """Begin a game with those who are there."""
        self._ends_by_begin()
        self._map = values.get("map", self._map)
        game = DescribedMatch(
            self._described, f"{self.source}, line {block.line_at(place)}", values.get("type", ""), self._map
        )
        game.hash.update(line + b"\n")
        if self._clock is not None and self._clock[0] != "clock":
            game.began = game.at = self._clock[1]
            game.is_local = self._clock[0] == "date"
        for key, (identity, name, side) in self._there.items():
            game.play.arrive(key, identity, name)
            game.play.place(key, game.side(side))
        self.game = game
        self._outcome = "a game begins"

    def _person(self, event: str, values: Mapping[str, str]) -> None:
        """Take who comes, goes, and plays where."""
        key = self._key(values, "slot", "who")
        name = values.get("name") or values.get("who", "")
        there = self._there.get(key)
        play = None if self.game is None else self.game.play
        if event == "leave":
            self._there.pop(key, None)
            if play is not None:
                play.leave(key)
                self._look()
            return
        identity = (
            self._described.identity(values.get("id", ""), name)
            if there is None or (event == "arrive" and self._described.is_somebody_new(values))
            else there[0]
        )
        side = there[2] if there else self._alone()
        if "team" in values:
            side = self._side(values["team"])
        if there is None or there[0] != identity:
            if play is not None:
                play.arrive(key, identity, name)
        elif play is not None and name and key in play.clients:
            play.clients[key].person.name = name
        self._there[key] = (identity, name or (there[1] if there else ""), side)
        if play is not None:
            assert self.game is not None  # noqa: S101  # for the type checker
            play.place(key, self.game.side(side))
            if event == "team":  # who arrives empties no side, though they may have been in another before
                self._look()

    def _look(self) -> None:
        """Note whether a side of a running game has become empty."""
        game = self.game
        if game is not None and game.play.start is not None and not game.play.opposed():
            game.was_empty = True

    def _in_game(self, game: DescribedMatch, event: str, values: Mapping[str, str], points: float) -> None:
        if event == "kill":
            self._kill(
                game, self._key(values, "killer_slot", "killer"), self._key(values, "victim_slot", "victim")
            )
        elif event == "suicide":
            self._kill(game, None, self._key(values, "victim_slot", "victim"))
        elif event == "score":
            self._score(game, values, float(values.get("points", points)))
        elif event == "total":
            side = self._side(values["team"])
            if side:
                game.totals[side] = float(values["number"])
        elif event == "win":
            self._win(game, values)
            self._ends()
        elif event == "draw":
            game.is_drawn = True
            self._ends()
        elif event == "end":
            self._ends()
        elif event == "cancel":
            game.was_cancelled = True

    def _win(self, game: DescribedMatch, values: Mapping[str, str]) -> None:
        game.is_won = True
        if "team" in values:
            game.winning_side = self._side(values["team"])
            return
        client = game.play.clients.get(self._key(values, "slot", "who"))
        if client is not None:
            game.winning_side, game.winner = client.side, client.identity

    def _kill(self, game: DescribedMatch, killer: Hashable | None, victim: Hashable) -> None:
        play = game.play
        for key in (killer, victim):
            if self._described.arrive_by_kills and isinstance(key, str) and key not in play.clients:
                self._person("arrive", {"who": key})
        if isinstance(killer, str) and killer not in play.clients:
            return
        play.kill(killer, victim)
        dead, by = play.clients.get(victim), play.clients.get(killer) if killer is not None else None
        if dead is None or game.game_type not in self._described.kill_points:
            return
        if by is None or by is dead or by.side == dead.side:
            side = dead.side if by is None or by is dead else by.side
            point = -1.0
        else:
            side, point = by.side, 1.0
        if side:
            game.points[side] = game.points.get(side, 0.0) + point

    def _score(self, game: DescribedMatch, values: Mapping[str, str], points: float) -> None:
        if "team" in values:
            side = self._side(values["team"])
        else:
            client = game.play.clients.get(self._key(values, "slot", "who"))
            side = None if client is None else client.side
            if client is not None and side == ALONE:
                client.person.score = (client.person.score or 0.0) + points
        if side:
            game.points[side] = game.points.get(side, 0.0) + points

    # Ends

    def _ends_by_begin(self) -> None:
        """Let the running game end, as another one begins."""
        game = self.game
        if game is None:
            return
        if not self._described.end_at_begin:
            self.give_up("another game begins before it ends")
        elif game.was_cancelled:
            self._ends()
        elif game.was_empty or game.play.start is None:
            self.give_up("a side was empty before it ended")
        elif game.is_level():
            self.give_up("another game begins while it is level")
        else:
            self._ends()

    def _ends(self) -> None:
        """Give the running game, or tell why it does not count."""
        game = self.game
        if game is None:
            return
        if game.was_cancelled:
            self.give_up("a command began it again")
            return
        try:
            contest = game.contest()
        except InputError as error:
            self.give_up(str(error))
            return
        self.game = None
        found = game.play.match(
            [] if contest is None else [contest], game.hash.hexdigest(), game.where,
            (game.at if game.began is None else game.began, game.at), game.map,
            dated=game.began is not None, local=CLOCK if game.is_local else "",
        )  # fmt: skip
        self._outcome = "the game ends"
        self.give(found)

    def give_up(self, reason: str) -> None:
        """Tell why the running game does not count, if there is one."""
        if self.game is not None:
            self._outcome = f"the game does not count: {reason}"
        super().give_up(reason)

    # People

    def _key(self, values: Mapping[str, str], slot: str, name: str) -> Hashable:
        """Return by what somebody is known in the log: the slot, or else the name."""
        return int(values[slot]) if slot in values else values.get(name, "")

    def _alone(self) -> int | None:
        return None if self._described.teams else ALONE

    def _side(self, team: str) -> int | None:
        """Return the number of a team, None of those who watch and of unknown ones."""
        described = self._described
        if team in described.watching:
            return None
        if not described.teams:
            return ALONE
        number = described.team(team)
        return None if number is None else number + 1


@lru_cache(1000)
@lru_cache(64)
def _kind_of_time(frame: bytes) -> str | None:
    """Return how lines of a form say when they were written, None where they do not."""
    return next((kind for kind in TIMES if b"(?P<" + kind.encode() + b">" in frame), None)


@lru_cache(64)  # many lines are of one second
def _seconds(kind: str, written: bytes) -> tuple[str, float] | None:
    """Return a time in seconds: of the clock, of a local date, or since 1970."""
    text = written.decode()
    if kind == "clock":
        parts = [float(part) for part in text.replace(",", ".").split(":")]
        return "clock", float(sum(part * 60**n for n, part in enumerate(reversed(parts))))
    if kind == "hexdate":
        return "epoch", float(int(text, 16))
    if kind == "epoch":
        return "epoch", float(text)
    try:
        date = datetime.fromisoformat(f"{re.sub('[/.]', '-', text[:10])} {text[11:19]}")
        return "date", date.replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


# Descriptions


def described_game(text: str, source: str = "the description") -> DescribedGame:
    r"""Return the game of a description.

    Parameters
    ----------
    text : str
        TOML; see docs/how-to/describe-a-game.md.
    source : str
        What messages call it.

    Raises
    ------
    InputError
        If something is wrong; the message names the field.

    Examples
    --------
    >>> game = described_game('''
    ... name = "tag"
    ... line = "[{clock}] {text}"
    ... [events]
    ... begin = "Round starts"
    ... kill = "{killer} tagged {victim}"
    ... win = "{who} wins"
    ... ''')
    >>> game.name, [template.event for template in game.templates]
    ('tag', ['begin', 'kill', 'win'])
    """
    try:
        plain = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        msg = f"{source}: {error}"
        raise InputError(msg) from error
    for key in plain:
        if key not in FIELDS:
            fail(source, f"{key} is not known; there may be {', '.join(FIELDS)}")
    name = plain.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        fail(source, f"name must be small letters, digits, - and _, at most 40, got {name!r:.60}")
    teams = _texts(plain, "teams", source)
    if len(teams) == 1:
        fail(source, "teams must be two or more, or none where everyone plays alone")
    watching = _texts(plain, "watching", source)
    twice = next(
        (each for n, each in enumerate((*teams, *watching)) if each in (*teams, *watching)[:n]), None
    )
    if twice is not None:
        fail(source, f"{twice!r} is there twice in teams and watching; every name is one team")
    templates = tuple(_templates(plain.get("events"), source, (*teams, *watching) if teams else ()))
    if not any(template.event == "begin" for template in templates):
        fail(source, "events must have begin: the line with which a game begins")
    ends = {template.event for template in templates} & {"win", "draw", "end"}
    end_at_begin = _flag(plain, "end_at_begin", source)
    if not ends and not end_at_begin:
        fail(source, "events must have win, draw or end, unless end_at_begin is true")
    lines = plain.get("line", "{text}")
    lines = lines if isinstance(lines, list) else [lines]
    for line in lines:
        _check_line(line, source)
    return DescribedGame(
        name, _text(plain, "server", source), tuple(lines), templates,
        tuple(_recognised(plain, templates, source)), teams, watching,
        _text(plain, "bots", source), _text(plain, "game_type", source), _types(plain, source),
        _texts(plain, "kill_points", source), end_at_begin, _texts(plain, "mutators", source),
        _console(plain["console"], f"{source}: console", teams, templates) if "console" in plain else None,
    )  # fmt: skip


def _console(
    given: Any, source: str, teams: tuple[str, ...], templates: Sequence[LineTemplate]
) -> DescribedConsole:
    """Return how servers are spoken to."""
    if not isinstance(given, dict):
        fail(source, "must be a table [console]")
    for key in given:
        if key not in CONSOLE_FIELDS:
            fail(source, f"{key} is not known; there may be {', '.join(CONSOLE_FIELDS)}")
    protocol = given.get("protocol")
    if protocol not in PROTOCOLS:
        fail(source, f"protocol must be one of {', '.join(PROTOCOLS)}, got {protocol!r:.60}")
    if len(teams) < 2:
        fail(source, "teams must be described, as only teams are balanced")
    if not any(each.event in ("arrive", "team") and "slot" in each.pattern.groupindex for each in templates):
        fail(source, "events.arrive or events.team must have {slot}: people are moved by their number")
    called = _texts(given, "teams", source) or teams
    if len(called) != len(teams):
        fail(source, f"teams must be {len(teams)}, as above, got {len(called)}")
    respawn = given.get("respawn")
    if respawn is not None and (
        isinstance(respawn, bool) or not isinstance(respawn, int | float) or not 0 <= respawn <= 600
    ):
        fail(source, f"respawn must be a number of seconds from 0 to 600, got {respawn!r:.60}")
    players = _text(given, "list", source)
    _check_command(players, (), f"{source}: list")
    begin = _texts(given, "begin", source)
    for command in begin:
        _check_command(command, (), f"{source}: begin")
    move, say, tell = (_text(given, key, source) for key in ("move", "say", "tell"))
    for name, command, needed in (
        ("move", move, ("slot", "team")), ("say", say, ("text",)), ("tell", tell, ("slot", "text")),
    ):  # fmt: skip
        if command:
            _check_command(command, needed, f"{source}: {name}", called)
    return DescribedConsole(
        protocol, players, _row(_text(given, "row", source), f"{source}: row", teams), move, say, tell,
        called, begin, _flag(given, "moves_kill", source), None if respawn is None else float(respawn),
    )  # fmt: skip


def _check_command(command: str, needed: Sequence[str], where: str, teams: Sequence[str] = ()) -> None:
    """Refuse a command that has other placeholders, or signs that no console is sent."""
    names = _PLACEHOLDER.findall(command)
    if sorted(names) != sorted(needed):
        wanted = f"have {_braces(needed)} once each" if needed else "have no placeholders"
        fail(where, f"must {wanted}, got {command!r:.60}")
    for team in teams or ("",):
        try:
            checked(command.format_map({"slot": 0, "team": team, "text": "x"}))
        except (ValueError, LookupError):
            fail(where, f"must be plain signs without quotes and semicolons, got {command!r:.60}")


def _row(text: str, where: str, teams: Sequence[str]) -> re.Pattern[bytes]:
    """Return the regular expression of a row of the list."""
    pattern, seen = b"", set()
    allowed = ("slot", "team", "who", "number", "_", *TIMES)
    for n, part in enumerate(_PLACEHOLDER.split(text)):
        if n % 2 == 0:
            pattern += re.escape(part.encode())
        elif part not in allowed or (part in seen and part != "_"):
            fail(where, f"may have {_braces(allowed)} once each, got {text!r:.60}")
        else:
            seen.add(part)
            what = {**PLACEHOLDERS, **TIMES}[part]
            if part == "team":
                what = b"|".join(re.escape(team.encode()) for team in teams) + b"|" + WORD
            name = b"(?P<" + part.encode() + b">" if part in ("slot", "team") else b"(?:"
            pattern += name + what + b")"
    if "slot" not in seen:
        fail(where, f'must have {{slot}}, as "{{slot}} {{who}}", got {text!r:.60}')
    return re.compile(pattern)


def _check_line(line: Any, source: str) -> None:
    """Refuse what is no form of a line."""
    names = _PLACEHOLDER.findall(line) if isinstance(line, str) else []
    known = {*TIMES, "text", "_"}
    if not isinstance(line, str) or names.count("text") != 1 or not line.endswith("{text}"):
        fail(source, f'line must end with {{text}}, as "[{{clock}}] {{text}}", got {line!r:.60}')
    once = [name for name in names if name != "_"]
    if not set(names) <= known or len(once) != len(set(once)):
        fail(
            source,
            f"line may have {_braces([*TIMES, 'text'])} once each, and {{_}} for what does not matter, "
            f"got {line!r:.60}",
        )


def _templates(events: Any, source: str, teams: Sequence[str]) -> Iterator[LineTemplate]:
    """Return the templates of all events, in order."""
    if not isinstance(events, dict) or not events:
        fail(source, '[events] must say what lines mean, as kill = "{killer} killed {victim}"')
    for event, given in events.items():
        if event not in EVENTS:
            fail(source, f"events.{event} is not known; there may be {', '.join(EVENTS)}")
        for one in given if isinstance(given, list) else [given]:
            where = f"{source}: events.{event}"
            text, points = one, 1.0
            if isinstance(one, dict) and one.keys() == {"line", "points"} and event == "score":
                text, points = one["line"], one["points"]
                if isinstance(points, bool) or not isinstance(points, int | float) or abs(points) > 1e9:
                    fail(where, f"points must be a number, got {points!r:.60}")
            yield _template(text, event, where, teams, float(points))


def _recognised(
    plain: Mapping[str, Any], templates: Sequence[LineTemplate], source: str
) -> Iterator[LineTemplate]:
    """Return the templates by which a log is known."""
    for text in _texts(plain, "recognise", source):
        found = next((template for template in templates if template.text == text), None)
        if found is None:
            found = _template(text, "ignore", f"{source}: recognise")
        yield found


def _text(plain: Mapping[str, Any], key: str, source: str) -> str:
    value = plain.get(key, "")
    if not isinstance(value, str):
        fail(source, f"{key} must be a text, got {value!r:.60}")
    return value


def _texts(plain: Mapping[str, Any], key: str, source: str) -> tuple[str, ...]:
    value = plain.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        fail(source, f"{key} must be a list of texts, got {value!r:.60}")
    return tuple(value)


def _flag(plain: Mapping[str, Any], key: str, source: str) -> bool:
    value = plain.get(key, False)
    if not isinstance(value, bool):
        fail(source, f"{key} must be true or false, got {value!r:.60}")
    return value


def _types(plain: Mapping[str, Any], source: str) -> dict[str, str]:
    value = plain.get("game_types", {})
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        fail(source, f'game_types must be a table of texts, as {{CTF = "ctf"}}, got {value!r:.60}')
    return {key.lower(): each for key, each in value.items()}
