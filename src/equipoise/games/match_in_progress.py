"""One game as it is played: who is there, on which side, for how long, and what they do.

What the readers of several games share; it knows no log.  A reader tells it what happens and moves its clock;
it gives contests.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from equipoise.core.match import LEAST_SHARE, Contest, Match, Ruleset, Statistics, Unfinished, ranks_of
from equipoise.identity.merges import NAMED, without_number
from equipoise.identity.names import alike

#: The side of those who play for themselves.
ALONE = 0

#: Kills and deaths of everyone up to some moment.
Counts = Mapping[str, tuple[int, int]]

#: How long everyone was on each side up to some moment.
Stays = Mapping[str, Mapping[int, float]]

#: How the ids of bots and of people known by nothing but a name begin.
BOT, NAME = "bot:", NAMED

#: More than any server seats; those beyond are left out, so that a hostile log costs little.
MOST_CLIENTS = 1000

#: How much a contest within a game counts, as a flag captured; benchmarks/games/games.py compares weights.
PART = 0.2


def bot_id(name: str, level: float | None) -> str:
    """Return the id of a bot; its level as people write it, ``?`` where the log does not tell.

    Examples
    --------
    >>> bot_id("Sarge", 3.0), bot_id("Xan", 4.5), bot_id("Xan", None)
    ('bot:Sarge:3', 'bot:Xan:4.5', 'bot:Xan:?')
    """
    return f"{BOT}{name}:{'?' if level is None else format(level, 'g')}"


#: A GUID that stands for itself: letters and digits, so that nobody can pose as a bot.
STRONG_GUID = re.compile(r"[0-9A-Za-z]{8,64}")


def guid_id(guid: str) -> str:
    """Return the id of a person with a GUID, which clients choose and nobody proves.

    Examples
    --------
    >>> guid_id("7B84BE88"), guid_id("bot:Sarge:3")
    ('7B84BE88', 'guid:bot:Sarge:3')
    """
    return guid if STRONG_GUID.fullmatch(guid) else f"guid:{guid}"


def text_from(content: bytes, otherwise: str = "latin-1") -> str:
    """Return a text of a log: UTF-8, or else what its bytes stand for in another encoding.

    A zero byte becomes U+FFFD, since databases and terminals take it for the end.
    """
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = content.decode(otherwise, "replace")
    return text.replace("\x00", "\ufffd")


@dataclass(slots=True)
class Person:
    """Someone in one game: last name, what they did, and how long they were on each side."""

    name: str
    kills: int = 0
    deaths: int = 0
    #: Deaths by nobody or by themselves.
    losses: int = 0
    #: What the log counts for them, where it does.
    score: float | None = None
    stays: dict[int, float] = field(default_factory=dict)

    @property
    def points(self) -> float:
        """What the log counts, or else a deathmatch: kills, less deaths by nobody or by themselves."""
        return float(self.kills - self.losses) if self.score is None else self.score

    def side(self) -> int | None:
        """Return the side they were on for longest; the later one of equals."""
        if len(self.stays) < 2:
            return next(iter(self.stays), None)
        return max(reversed(self.stays), key=self.stays.__getitem__)


def with_swapped_past(
    stays: Stays, one: int, other: int, past: Stays, now: Mapping[str, int]
) -> dict[str, dict[int, float]]:
    """Return how long everyone was on each side, where two sides have had each other's name in the past.

    Who is on one of them ``now`` has been there since then: a log shows that only when it names them.

    Examples
    --------
    >>> with_swapped_past({"ann": {1: 50.0, 2: 7.0}}, 1, 2, {"ann": {1: 40.0}}, {"ann": 2})
    {'ann': {1: 0.0, 2: 57.0}}
    """
    found = {identity: dict(each) for identity, each in stays.items()}
    for identity, before in past.items():
        each = found.setdefault(identity, {})
        since = {side: each.get(side, 0.0) - before.get(side, 0.0) for side in (one, other)}
        if now.get(identity) in since:
            since = {one: 0.0, other: 0.0, now[identity]: sum(since.values())}
        each |= {one: before.get(other, 0.0) + since[one], other: before.get(one, 0.0) + since[other]}
    return found


class GameHalf(NamedTuple):
    """What everyone did in one half of a game, and how long that was."""

    people: dict[str, Person]
    length: float


@dataclass(slots=True)
class Connected:
    """Someone who is connected: who it is, on which side, None where not playing, and since when."""

    identity: str
    person: Person
    side: int | None = None
    since: float = 0.0
    #: The id without a number, and whether they did something since another one came with it.
    base: str = ""
    acted: bool = False


#: Why a game has no result: nobody played, or people did and nothing that is known says who won.
NOBODY = "there was nobody to play against"
UNREADABLE = "people played, but no line that can be read says who won anything"


class Play:
    """A game that runs.  Everyone connected has a key of the log's own: a slot, a number."""

    __slots__ = ("_here", "_sides", "_with", "clients", "clock", "people", "shared", "start")

    def __init__(self) -> None:
        #: Moves on by what the log tells: seconds, or events where it has no times.
        self.clock = 0.0
        #: When there was first somebody to play against.
        self.start: float | None = None
        self.clients: dict[Hashable, Connected] = {}
        self.people: dict[str, Person] = {}
        self._sides: dict[int, int] = {}
        self._here: set[str] = set()
        #: Who is connected with each id.
        self._with: dict[str, list[Connected]] = {}
        #: Ids that several people have: two did something while both were connected, under different names.
        self.shared: set[str] = set()

    def arrive(self, key: Hashable, identity: str, name: str) -> None:
        """Let someone connect; who has the id of another one is told apart by ``#2``.

        That is the second at one time, or one under another name when the first has played and left.
        """
        self.leave(key)
        if len(self.clients) >= MOST_CLIENTS:
            return
        unique = self._unique(identity, name)
        person = self.people.setdefault(unique, Person(name))
        person.name = name
        self._here.add(unique)
        self.clients[key] = Connected(unique, person)
        self._meet(self.clients[key], identity)

    def _unique(self, identity: str, name: str) -> str:
        """Return the first number of an id that nobody has now, nor somebody of another name had."""
        unique, number = identity, 1
        named = identity.startswith((BOT, NAME))
        while unique in self._here or not (named or self._was(unique, name)):
            number += 1
            unique = f"{identity}#{number}"
        return unique

    def _was(self, unique: str, name: str) -> bool:
        """Tell whether one of this name may be who had an id before."""
        person = self.people.get(unique)
        return person is None or not person.stays or alike(person.name, name)

    def _meet(self, client: Connected, base: str) -> None:
        """Let someone be one of those with an id: what they do from now on tells if they are several."""
        self._part(client)
        client.base = base
        together = self._with.setdefault(base, [])
        together.append(client)
        for each in together:
            each.acted = False

    def _part(self, client: Connected) -> None:
        """Take someone out of those with an id."""
        if client.base:
            self._with[client.base].remove(client)

    def _act(self, client: Connected) -> None:
        """Note that somebody plays, so that their connection is not one that only times out."""
        client.acted = True
        for other in self._with[client.base]:
            if other is not client and other.acted and not alike(other.person.name, client.person.name):
                self.shared.add(client.base)

    def identify(self, key: Hashable, identity: str) -> None:
        """Let someone who is connected turn out to be someone."""
        client = self.clients.get(key)
        if client is None or client.identity.partition("#")[0] == identity:
            return
        self._here.remove(client.identity)
        person = self.people.pop(client.identity)
        client.identity = self._unique(identity, person.name)
        self._here.add(client.identity)
        client.person = self.people.setdefault(client.identity, person)
        client.person.name = person.name
        self._meet(client, identity)

    def leave(self, key: Hashable) -> None:
        """Let someone go."""
        if key in self.clients:
            self.place(key, None)
            gone = self.clients.pop(key)
            self._here.remove(gone.identity)
            self._part(gone)

    def place(self, key: Hashable, side: int | None) -> None:
        """Put someone on a side, or on none."""
        client = self.clients.get(key)
        if client is None or client.side == side:
            return
        self._settle(client)
        if client.side is not None:
            self._sides[client.side] -= 1
        client.side = side
        if side is not None:
            self._sides[side] = self._sides.get(side, 0) + 1
            if self.start is None and self.opposed():
                self._begin()

    def _settle(self, client: Connected) -> None:
        """Write down how long someone has been where they are."""
        if client.side is not None:
            stays = client.person.stays
            stays[client.side] = stays.pop(client.side, 0.0) + self.clock - client.since
        client.since = self.clock

    def _begin(self) -> None:
        """Let the time that counts begin."""
        self.start = self.clock
        for person in self.people.values():
            person.stays.clear()
        for client in self.clients.values():
            client.since = self.clock

    def forget(self, key: Hashable) -> None:
        """Count someone as having watched only."""
        if key in self.clients:
            self.place(key, None)
            self.clients[key].person.stays.clear()

    def again(self) -> None:
        """Restart everything with those who are there: what was before did not count."""
        self.start = None
        for person in self.people.values():
            person.kills = person.deaths = person.losses = 0
            person.score = None
        if self.opposed():
            self._begin()

    def half(self) -> GameHalf:
        """Return what was done up to now, and restart everything."""
        for client in self.clients.values():
            self._settle(client)
        people = {
            identity: replace(person, stays=dict(person.stays)) for identity, person in self.people.items()
        }
        length = 0.0 if self.start is None else self.clock - self.start
        self.again()
        for person in self.people.values():
            person.stays.clear()
        return GameHalf(people, length)

    def unite(self, half: GameHalf, sides: Mapping[int, int]) -> None:
        """Add an earlier half, in which the sides had other numbers."""
        for client in self.clients.values():
            self._settle(client)
        for identity, before in half.people.items():
            person = self.people[identity]
            person.kills += before.kills
            person.deaths += before.deaths
            person.losses += before.losses
            for side, time in before.stays.items():
                now = sides.get(side, side)
                person.stays[now] = person.stays.get(now, 0.0) + time
        if self.start is not None:
            self.start -= half.length

    def unite_sides(self) -> None:
        """Count everyone for the side they are on last, for all their time: sides swapped at half-time."""
        for client in self.clients.values():
            self._settle(client)
        for person in self.people.values():
            if len(person.stays) > 1:
                last, total = next(reversed(person.stays)), sum(person.stays.values())
                person.stays.clear()
                person.stays[last] = total

    def swap_sides(self, one: int, other: int, past: Stays) -> None:
        """Let two sides have each other's past, up to when everyone had been on each for so long."""
        found = with_swapped_past(self.stays(), one, other, past, self.standing())
        for identity, stays in found.items():
            self.people[identity].stays = {side: time for side, time in stays.items() if time}

    def standing(self) -> dict[str, int]:
        """Return on which side everyone is now who is on one."""
        return {one.identity: one.side for one in self.clients.values() if one.side is not None}

    def opposed(self) -> bool:
        """Tell whether anybody has somebody to play against."""
        present = [side for side, number in self._sides.items() if number]
        return len(present) > 1 or self._sides.get(ALONE, 0) > 1

    def kill(self, killer: Hashable | None, victim: Hashable) -> None:
        """Count a kill; one of a team mate counts for neither, one by nobody or oneself as a death."""
        dead = self.clients.get(victim)
        if dead is None:
            return
        by = self.clients.get(killer) if killer is not None else None
        if by is not None and by is not dead and len(self._with[by.base]) > 1:
            self._act(by)
        if by is None or by is dead:
            dead.person.deaths += 1
            dead.person.losses += 1
        elif by.side == ALONE or by.side != dead.side:
            by.person.kills += 1
            dead.person.deaths += 1

    def spare(self, key: Hashable) -> None:
        """Take back a suicide that was none."""
        client = self.clients.get(key)
        if client is not None and client.person.losses:
            client.person.deaths -= 1
            client.person.losses -= 1

    def moment(
        self,
        ruleset: Ruleset,
        winner: int | None,
        at: float,
        before: Counts | None = None,
    ) -> Contest | None:
        """Return the contest between those present now that one side has won, or none (a draw).

        With counts ``before`` it has what they did since as statistics.
        """
        sides: dict[int, list[str]] = {}
        for client in self.clients.values():
            if client.side is not None and client.side != ALONE:
                sides.setdefault(client.side, []).append(client.identity)
        if len(sides) < 2 or (winner is not None and winner not in sides):
            return None
        order = sorted(sides)
        reports = (
            () if before is None else [self.since(name, before) for side in order for name in sides[side]]
        )
        return Contest(
            ruleset, [sides[side] for side in order],
            [float(winner is not None and side != winner) for side in order],
            weight=PART, at=at, statistics=reports,
        )  # fmt: skip

    def counts(self) -> dict[str, tuple[int, int]]:
        """Return the kills and deaths of everyone up to now."""
        return {identity: (person.kills, person.deaths) for identity, person in self.people.items()}

    def stays(self) -> dict[str, dict[int, float]]:
        """Return how long everyone was on each side up to now."""
        for client in self.clients.values():
            self._settle(client)
        return {identity: dict(person.stays) for identity, person in self.people.items()}

    def since(self, identity: str, before: Counts) -> Statistics:
        """Return what somebody did since everyone had some counts."""
        person = self.people[identity]
        kills, deaths = before.get(identity, (0, 0))
        return Statistics(identity, max(person.kills - kills, 0), max(person.deaths - deaths, 0))

    def shares(self) -> dict[str, tuple[int, float]]:
        """Return, of everyone who played, the side and the share of the time that counts."""
        for client in self.clients.values():
            self._settle(client)
        found: dict[str, tuple[int, float]] = {}
        if self.start is None:
            return found
        length = self.clock - self.start
        for identity, person in self.people.items():
            side = person.side()
            if side is None:
                continue
            share = min(person.stays[side] / length, 1.0) if length > 0.0 else 1.0
            if share >= LEAST_SHARE:
                found[identity] = (side, share)
        return found

    def result(self, ruleset: Ruleset, scores: Mapping[int, float], at: float) -> Contest | None:
        """Return the contest of the final scores of the sides, with everyone's share; None without two."""
        teams: dict[int, list[tuple[str, float]]] = {side: [] for side in sorted(scores)}
        for identity, (side, share) in self.shares().items():
            if side in teams:
                teams[side].append((identity, share))
        teams = {side: team for side, team in teams.items() if team}
        if len(teams) < 2:
            return None
        final = tuple(scores[side] for side in teams)
        return Contest(
            ruleset, tuple(tuple(team) for team in teams.values()), ranks_of(final),
            at=at, scores=final,
            statistics=self._statistics([name for team in teams.values() for name, _ in team]),
        )  # fmt: skip

    def placements(self, ruleset: Ruleset, at: float) -> Contest | None:
        """Return the contest of everyone against everyone by their points; None without two."""
        players = {name: share for name, (_, share) in self.shares().items()}
        if len(players) < 2:
            return None
        final = tuple(self.people[name].points for name in players)
        return Contest(
            ruleset, tuple(((name, share),) for name, share in players.items()), ranks_of(final),
            at=at, scores=final, statistics=self._statistics(list(players)),
        )  # fmt: skip

    def _statistics(self, names: list[str]) -> tuple[Statistics, ...]:
        people = [(name, self.people[name]) for name in names]
        return tuple([Statistics(name, one.kills, one.deaths) for name, one in people])

    def match(
        self,
        contests: list[Contest],
        identity: str,
        where: str,
        times: tuple[float, float],
        map_name: str,
        *,
        dated: bool = True,
        local: str = "",
        server: str = "",
    ) -> Match | Unfinished:
        """Return the match of its contests, or why it is none; ``times`` are when it began and ended.

        ``local`` says which of them a clock showed where the server stands, see :class:`Match`.
        """
        if not contests:
            return Unfinished(where, NOBODY if self.start is None else UNREADABLE)
        there = dict.fromkeys(name for contest in contests for team in contest.teams for name, _ in team)
        shared = self.shared.intersection(without_number(one) for one in there if not one.startswith(BOT))
        return Match(
            tuple(contests), began=times[0], ended=times[1], id=identity, roster=tuple(there),
            names=tuple((name, self.people[name].name) for name in there), map=map_name, dated=dated,
            server=server, shared=tuple(sorted(shared)), local=local,
        )  # fmt: skip
