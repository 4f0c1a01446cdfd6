"""What happened and what was thought of it, for people to look at: one replay of an archive's matches.

Pages show a rating as it was at the time, and a match with the chances it was given before it began.
Both come from going through all matches once, one after the other, and are kept as columns of numbers that
only grow: what a match did is never shown differently later, and a new match at the end is learnt from alone.

A rating is kept as it was shown then, on the scale from 0 to 100 of that moment.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.player import BOT, is_bot
from equipoise.core.rulesets import ruleset_text
from equipoise.ratings.display_scale import scale_of
from equipoise.ratings.model import RatingModel, State, is_local
from equipoise.ratings.point_changes import BAND, POINTS
from equipoise.ratings.rating_history import CHANNELS, staged

#: Newest matches of a long past of which it is worked out what each channel did, which takes three times as
#: long as all else; and how many numbers that are: those of each stage, and of the one before all.
STAGED, STAGES = 2_000, len(CHANNELS) + 1  # effort

#: Games below which somebody's rating is provisional.
PROVISIONAL = 10

#: A week, and the Monday after the beginning of 1970.
WEEK, MONDAY = 7 * 86_400.0, 4 * 86_400.0

#: The columns: of appearances (a player in a match and ruleset), of contests, of matches, and of the moments
#: from which on a player has another name.
COLUMNS: Mapping[str, str] = {
    "match": "<i4", "player": "<i4", "ruleset": "<i4", "team": "<i2", "won": "<f4", "last": "<f4",
    "expected": "<f4", "weight": "<f4", "low": "<f4", "high": "<f4", "before": "<f4", "stages": "<f4",
    "contest_match": "<i4", "contest_ruleset": "<i4", "contest_at": "<f8", "contest_teams": "<i4",
    "favourite": "<f4", "favourite_won": "<f4", "margin": "<f4", "chance": "<f8",
    "ended": "<f8", "match_ruleset": "<i4", "match_map": "<i4", "match_server": "<i4",
    "named_match": "<i4", "named_player": "<i4", "named": "<i4",
}  # fmt: skip

#: The columns of contests, of matches, and of names.
OF_CONTESTS = (
    "contest_match", "contest_ruleset", "contest_at", "contest_teams", "favourite", "favourite_won", "margin",
)  # fmt: skip
OF_MATCHES = ("ended", "match_ruleset", "match_map", "match_server")
OF_NAMES = ("named_match", "named_player", "named")

#: The texts that columns refer to by number, in the order of their first appearance.
TEXTS = ("ids", "players", "rulesets", "maps", "servers", "names")


class Point(NamedTuple):
    """A rating after a match: its place, when it ended, the rating from 0 to 100, and what it was before."""

    match: int
    at: float
    weight: float
    low: float
    high: float
    before: float


@dataclass(frozen=True, slots=True)
class ChronicleMember:
    """Someone in a ruleset's table.

    Parameters
    ----------
    id, name : str
        The id, and what is shown.
    bot : bool
        Whether it is one.
    weight, low, high : float
        The rating on the scale from 0 to 100, and the ends of its 95 % interval.
    games : int
        How many matches.
    last : float
        When the last one ended, seconds since 1970.
    rank : int
        The place in the table; 0 for those whose rating is provisional.
    risen : int, optional
        By how many places since the week before; None where there was none then.
    """

    id: str
    name: str
    bot: bool
    weight: float
    low: float
    high: float
    games: int
    last: float
    rank: int
    risen: int | None


class Standings(NamedTuple):
    """A ruleset's table as numbers: players, the place of each one's newest appearance, and games.

    The first ``ranked`` have a rank, the strongest first; those after them are provisional.
    """

    players: Any
    rows: Any
    games: Any
    ranked: int


@dataclass(frozen=True)
class Chronicle:
    """All that pages show.

    Parameters
    ----------
    model : RatingModel
        What learnt.
    learning : ChronicleLearning
        What it knows: of everyone, or of those whose matches are to follow.
    columns : mapping from str to array
        Numbers, see :data:`COLUMNS`; ``stages`` is ``(appearances, STAGES)``, nan where they are not known.
    texts : mapping from str to tuple of str
        What columns refer to, see :data:`TEXTS`.
    read : callable
        From ids of matches to the matches.
    """

    model: RatingModel
    learning: ChronicleLearning
    columns: Mapping[str, Any]
    texts: Mapping[str, tuple[str, ...]]
    read: Callable[[Sequence[str]], Sequence[Match]]

    def __len__(self) -> int:
        """How many matches there are."""
        return len(self.texts["ids"])

    def matches(self, places: Iterable[int]) -> list[Match]:
        """Return the matches at some places."""
        return list(self.read([self.texts["ids"][place] for place in places]))

    @property
    def players(self) -> tuple[str, ...]:
        """The ids of all who have played, in the order of their first match."""
        return self.texts["players"]

    @cached_property
    def rulesets(self) -> Mapping[Ruleset, int]:
        """The number of each ruleset; those of most players first."""
        listed = [_ruleset_of(text) for text in self.texts["rulesets"]]
        many = [len(self.standings(number).players) for number in range(len(listed))]
        order = sorted(range(len(listed)), key=lambda n: (-many[n], ruleset_text(listed[n])))
        return {listed[number]: number for number in order}

    @cached_property
    def listed_rulesets(self) -> Sequence[Ruleset]:
        """The rulesets by number."""
        return tuple(map(_ruleset_of, self.texts["rulesets"]))

    @cached_property
    def number_of(self) -> Mapping[str, int]:
        """The number of each player."""
        return {player: number for number, player in enumerate(self.players)}

    @cached_property
    def _named(self) -> Mapping[str, list[tuple[int, str]]]:
        """From which match on each player had which names."""
        found: dict[str, list[tuple[int, str]]] = {}
        columns, texts = self.columns, self.texts
        events = (columns[name].tolist() for name in ("named_player", "named_match", "named"))
        for player, place, name in zip(*events, strict=True):
            found.setdefault(texts["players"][player], []).append((place, texts["names"][name]))
        return found

    @cached_property
    def _by_player(self) -> tuple[Any, Any]:
        """The appearances in the order of their players, and where those of each begin."""
        player, many = self.columns["player"], len(self.players)
        # Numbers of 16 bits are sorted in linear time.
        order = np.argsort(player.astype(np.uint16) if many <= 1 << 16 else player, kind="stable")
        return order, _bounds(player, many)

    @cached_property
    def _row_bounds(self) -> Any:
        return _bounds(self.columns["match"], len(self))

    @cached_property
    def _first_chance(self) -> Any:
        teams = self.columns["contest_teams"]
        return np.concatenate([[0], np.cumsum(teams, dtype=np.int64)])

    @cached_property
    def _contest_bounds(self) -> Any:
        return _bounds(self.columns["contest_match"], len(self))

    def bounds(self, place: int) -> dict[str, int]:
        """Return how much of each column and of the texts belongs to the matches before one."""
        columns = self.columns
        rows, contests = int(self._row_bounds[place]), int(self._contest_bounds[place])
        named = int(np.searchsorted(columns["named_match"], place))
        found = dict.fromkeys(COLUMNS, rows)
        found |= dict.fromkeys(OF_CONTESTS, contests) | dict.fromkeys(OF_MATCHES, place)
        found |= dict.fromkeys(OF_NAMES, named)
        found["chance"] = int(self._first_chance[contests])
        used = {
            "players": (columns["player"][:rows],), "names": (columns["named"][:named],),
            "maps": (columns["match_map"][:place],), "servers": (columns["match_server"][:place],),
            "rulesets": (columns["match_ruleset"][:place], columns["contest_ruleset"][:contests]),
        }  # fmt: skip
        known = {name: max((int(each.max()) + 1 for each in parts if len(each)), default=0)
                 for name, parts in used.items()}  # fmt: skip
        return {**found, **known, "ids": place}

    def rows_of(self, player: str) -> Any:
        """Return the places of a player's appearances, in order."""
        number = self.number_of.get(player)
        if number is None:
            return np.empty(0, dtype=np.int64)
        order, starts = self._by_player
        return order[starts[number] : starts[number + 1]]

    def rows_in(self, place: int) -> range:
        """Return the places of the appearances in a match."""
        return range(int(self._row_bounds[place]), int(self._row_bounds[place + 1]))

    def rows_between(self, places: Any) -> tuple[Any, Any]:
        """Return where the appearances in each of some matches begin and end."""
        return self._row_bounds[places], self._row_bounds[places + 1]

    def chances(self, place: int) -> list[tuple[float, ...]]:
        """Return what each team of each contest of a match was thought to win with."""
        first, end = int(self._contest_bounds[place]), int(self._contest_bounds[place + 1])
        bounds = self._first_chance[first : end + 1].tolist()
        every = self.columns["chance"]
        return [tuple(every[start:stop].tolist()) for start, stop in pairwise(bounds)]

    def name_of(self, player: str, place: int | None = None) -> str:
        """Return what a player is called, or was called in a match."""
        named = self._named.get(player, ())
        until = len(named) if place is None else bisect_right(named, place, key=itemgetter(0))
        if until:
            return named[until - 1][1]
        return player.removeprefix(BOT).rpartition(":")[0] or player if is_bot(player) else player

    def aliases(self, player: str) -> list[str]:
        """Return the names that a player had, the newest first."""
        return list(dict.fromkeys(name for _, name in reversed(self._named.get(player, ()))))

    def rulesets_of(self, player: str) -> list[Ruleset]:
        """Return the rulesets that a player has played, that of most games first."""
        numbers, counts = np.unique(self.columns["ruleset"][self.rows_of(player)], return_counts=True)
        return [self.listed_rulesets[n] for n in numbers[np.argsort(-counts, kind="stable")].tolist()]

    def points(self, player: str, ruleset: Ruleset) -> list[Point]:
        """Return the ratings of a player over time, none where they have not played."""
        rows, number = self.rows_of(player), self.rulesets.get(ruleset, -1)
        rows = rows[self.columns["ruleset"][rows] == number]
        return [Point(*each) for each in zip(*self._point_columns(rows), strict=True)]

    def _point_columns(self, rows: Any) -> Iterator[list[Any]]:
        match = self.columns["match"][rows]
        yield match.tolist()
        yield self.columns["ended"][match].tolist()
        for name in ("weight", "low", "high", "before"):
            yield self.columns[name][rows].tolist()

    def standings(self, number: int, before: int | None = None) -> Standings:
        """Return the table of a ruleset as numbers, as it is or as it was before some match."""
        known = self._standings
        if (number, before) not in known:
            known[number, before] = self._standing(number, before)
        return known[number, before]

    @cached_property
    def _standings(self) -> dict[tuple[int, int | None], Standings]:
        return {}

    def _standing(self, number: int, before: int | None) -> Standings:
        end = len(self.columns["match"]) if before is None else int(self._row_bounds[before])
        rows = np.flatnonzero(self.columns["ruleset"][:end] == number)
        of = self.columns["player"][rows]
        every, newest = np.bincount(of, minlength=len(self.players)), np.zeros(len(self.players), np.int64)
        newest[of] = rows  # the last one stays
        players = np.flatnonzero(every)
        rows, games = newest[players], every[players]
        weight = self.columns["weight"][rows].astype(np.float64)
        order = np.lexsort((self._turns[players], -weight, games < PROVISIONAL))
        return Standings(
            players[order], rows[order], games[order], int(np.count_nonzero(games >= PROVISIONAL))
        )

    @cached_property
    def _turns(self) -> Any:
        """The turn of each player in the order of ids."""
        turns = np.empty(len(self.players), dtype=np.int64)
        turns[sorted(range(len(turns)), key=self.players.__getitem__)] = np.arange(len(turns))
        return turns

    @cached_property
    def week(self) -> int:
        """The place of the first match of the week in which the last one ended."""
        return self.week_of(len(self))

    def week_of(self, many: int) -> int:
        """Return the same of the first so many matches."""
        ended = self.columns["ended"][:many]
        if not len(ended):
            return 0
        monday = math.floor((ended[-1] - MONDAY) / WEEK) * WEEK + MONDAY
        return int(np.searchsorted(ended, monday))

    def ranks(self, number: int, before: int | None = None) -> dict[int, int]:
        """Return the rank of each ranked player of a ruleset, from 1."""
        known = self.standings(number, before)
        return {player: rank for rank, player in enumerate(known.players[: known.ranked].tolist(), start=1)}

    def table(self, ruleset: Ruleset, first: int = 0, end: int | None = None) -> list[ChronicleMember]:
        """Return a part of a ruleset's table, the strongest first, the provisional after all others."""
        number = self.rulesets[ruleset]
        known = self.standings(number)
        earlier = self._earlier(number)
        some = slice(first, end)
        rows = known.rows[some]
        columns = [self.columns[name][rows].tolist() for name in ("weight", "low", "high")]
        ended = self.columns["ended"][self.columns["match"][rows]].tolist()
        members = zip(known.players[some].tolist(), *columns, known.games[some].tolist(), ended, strict=True)
        found = []
        for at, (who, weight, low, high, games, last) in enumerate(members, start=first + 1):
            player = self.players[who]
            rank = at if at <= known.ranked else 0
            risen = earlier[who] - rank if rank and who in earlier else None
            found.append(ChronicleMember(
                player, self.name_of(player), is_bot(player), weight, low, high, games, last, rank, risen,
            ))  # fmt: skip
        return found

    def _earlier(self, number: int) -> Mapping[int, int]:
        """Return everyone's rank at the end of the week before."""
        known = self._ranks_before
        if number not in known:
            known[number] = self.ranks(number, self.week)
        return known[number]

    @cached_property
    def _ranks_before(self) -> dict[int, Mapping[int, int]]:
        return {}

    def places(self, place: int) -> dict[str, tuple[int, int]]:
        """Return everyone's place by points after a match, and how many places higher that is than before it.

        It is the place among all who had played its ruleset by then; whoever has as many points shares it.
        To ask for matches in order is cheapest.
        """
        rows, number = self.rows_in(place), int(self.columns["match_ruleset"][place])
        gone, newest = self._gone_through.get(number, (0, None))
        if newest is None or gone > rows.start:
            gone, newest = 0, np.full(len(self.players), -math.inf)
        before, _ = self._newest(newest, number, "weight", range(gone, rows.start))
        self._gone_through[number] = rows.start, before
        after, of = self._newest(before, number, "weight", rows)
        begun, _ = self._newest(before, number, "before", rows)
        before = np.where(np.isneginf(before), begun, before)
        found = {}
        for who in of.tolist():
            now, then = (1 + int(np.count_nonzero(each > each[who])) for each in (after, before))
            found[self.players[who]] = now, then - now
        return found

    def _newest(self, known: Any, number: int, column: str, rows: range) -> tuple[Any, Any]:
        """Return everyone's points after some appearances in a ruleset, and who appeared in them."""
        some = rows.start + np.flatnonzero(self.columns["ruleset"][rows.start : rows.stop] == number)
        of = self.columns["player"][some]
        newest = known.copy()
        newest[of] = np.rint(POINTS * self.columns[column][some].astype(np.float64))  # the last one stays
        return newest, of

    @cached_property
    def _gone_through(self) -> dict[int, tuple[int, Any]]:
        """Of each ruleset, how many appearances were gone through, and everyone's points then."""
        return {}

    def course(self, player: str, ruleset: Ruleset, many: int) -> list[float]:
        """Return the last so many weights of a player in a ruleset."""
        rows = self.rows_of(player)
        rows = rows[self.columns["ruleset"][rows] == self.rulesets[ruleset]][-many:]
        return [float(each) for each in self.columns["weight"][rows].tolist()]

    def why(self, row: int) -> dict[str, float]:
        """Return what moved a rating in an appearance by channel, in hundredths that add up.

        ``time`` is what was learnt since the game before, of others and of how the ruleset is played.
        Nothing is known of old matches of a long past.
        """
        known = self.columns["stages"][row]
        if math.isnan(known[0]):
            return {}
        before, *steps = (round(float(each), 2) for each in (self.columns["before"][row], *known))
        if math.isnan(known[-1]):
            return {"time": steps[0] - before, "result": steps[1] - steps[0]}
        moved = {name: steps[n + 1] - steps[n] for n, name in enumerate(CHANNELS)}
        return {"time": steps[0] - before, **moved}

    def after(self, matches: Iterable[Match], *, all_stages: bool = True) -> Chronicle:
        """Return the chronicle with matches more, which follow those that there are.

        Parameters
        ----------
        matches : iterable of Match
            In replay order.
        all_stages : bool
            Whether it is worked out for each of them what each channel did, or only for the newest.
        """
        given = list(matches)
        if not given:
            return self
        growing = _Growing(self)
        for n, match in enumerate(given):
            growing.add(match, stages=all_stages or n >= len(given) - STAGED)
        columns, texts = growing.grown()
        read = self.read.with_others(given) if isinstance(self.read, Given) else self.read
        return Chronicle(self.model, growing.learning, columns, texts, read)


class Given:
    """Matches that are held in memory, found by their ids."""

    def __init__(self, matches: Mapping[str, Match]) -> None:
        self._matches = matches

    def __call__(self, ids: Sequence[str]) -> list[Match]:
        """Return the matches with some ids."""
        return [self._matches[each] for each in ids]

    def with_others(self, matches: Iterable[Match]) -> Given:
        """Return these and others."""
        return Given({**self._matches, **{match.id: match for match in matches}})


def _bounds(sorted_or_counted: Any, many: int) -> Any:
    """Return where each of so many numbers begins and ends among numbers in order."""
    return np.concatenate([[0], np.cumsum(np.bincount(sorted_or_counted, minlength=many))])


def empty_chronicle(model: RatingModel) -> Chronicle:
    """Return the chronicle of nothing."""
    columns = {name: np.empty((0, STAGES) if name == "stages" else 0, kind) for name, kind in COLUMNS.items()}
    return Chronicle(
        model, ChronicleLearning(model, model.initial()), columns, dict.fromkeys(TEXTS, ()), Given({})
    )


def chronicle_of(model: RatingModel, matches: Iterable[Match]) -> Chronicle:
    """Return the chronicle of some matches, in replay order.

    Parameters
    ----------
    model : RatingModel
        What learns.
    matches : iterable of Match
        All that count.

    Examples
    --------
    >>> from equipoise.ratings.models.elo import Elo
    >>> duel = Match((Contest(Ruleset("x", "duel"), (["ann"], ["bob"]), (1, 2), at=60.0),), id="one")
    >>> known = chronicle_of(Elo(), [duel])
    >>> known.chances(0), [member.name for member in known.table(duel.ruleset)]
    ([(0.5, 0.5)], ['ann', 'bob'])
    >>> later = Match((Contest(Ruleset("x", "duel"), (["bob"], ["ann"]), (1, 2), at=90.0),), id="two")
    >>> known.after([later]).table(duel.ruleset) == chronicle_of(Elo(), [duel, later]).table(duel.ruleset)
    True
    """
    return empty_chronicle(model).after(matches, all_stages=False)


class _Growing:
    """Columns of matches that follow those of a chronicle."""

    def __init__(self, before: Chronicle) -> None:
        self._before = before
        self.learning = before.learning.copy()
        #: The rating that was shown last, of those who have played meanwhile.
        self._shown: dict[tuple[str, Ruleset], float] = {}
        self._new: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        self._numbers = {
            name: {text: n for n, text in enumerate(before.texts[name])} for name in TEXTS if name != "ids"
        }
        self._ids = list(before.texts["ids"])
        columns = before.columns
        self._names = dict(zip(columns["named_player"].tolist(), columns["named"].tolist(), strict=True))
        self._rulesets: dict[Ruleset, int] = {}

    def _number(self, kind: str, text: str) -> int:
        known = self._numbers[kind]
        return known.setdefault(text, len(known))

    def _ruleset(self, ruleset: Ruleset) -> int:
        number = self._rulesets.get(ruleset)
        if number is None:
            number = self._rulesets[ruleset] = self._number("rulesets", _text_of(ruleset))
        return number

    def add(self, match: Match, *, stages: bool) -> None:
        """Add a match."""
        new, place = self._new, len(self._ids)
        self._ids.append(match.id)
        new["ended"].append(match.ended or 0.0)
        new["match_ruleset"].append(self._ruleset(match.ruleset))
        new["match_map"].append(self._number("maps", match.map))
        new["match_server"].append(self._number("servers", match.server))
        learnt = self.learning.learn(match, stages=stages)
        for contest, chances in zip(match.contests, learnt.chances, strict=True):
            self._contest(place, contest, chances)
        for row in learnt.rows:
            self._appearance(place, match, row, learnt.chances)
        for player, name in match.names:
            known = self._numbers["players"].get(player)
            if known is None:
                continue
            number = self._number("names", name)
            if self._names.get(known) != number:
                self._names[known] = number
                for column, value in zip(OF_NAMES, (place, known, number), strict=True):
                    new[column].append(value)

    def _contest(self, place: int, contest: Contest, chances: Sequence[float]) -> None:
        favourite = max(range(len(chances)), key=chances.__getitem__)
        margin = margin_of(contest)
        row = (
            place, self._ruleset(contest.ruleset), contest.at, len(chances), chances[favourite],
            won_by(contest, favourite), math.nan if margin is None else margin,
        )  # fmt: skip
        for name, value in zip(OF_CONTESTS, row, strict=True):
            self._new[name].append(value)
        self._new["chance"].extend(chances)

    def _appearance(self, place: int, match: Match, row: _Row, chances: Sequence[Sequence[float]]) -> None:
        won = expected = last = 0.0
        count, team = 0, 0
        for contest, predicted in zip(match.contests, chances, strict=True):
            here = team_of(row.player, contest)
            if here >= 0 and contest.ruleset == row.ruleset:
                team, last = here, won_by(contest, here)
                won, expected, count = won + last, expected + predicted[here], count + 1
        before = self._shown.get((row.player, row.ruleset))
        if before is None:
            earlier = self._before.points(row.player, row.ruleset)[-1:]
            before = earlier[0].weight if earlier else row.before
        self._shown[row.player, row.ruleset] = row.shown[0]
        values = (
            place, self._number("players", row.player), self._ruleset(row.ruleset), team, won / count, last,
            expected / count, *row.shown, before, row.stages,
        )  # fmt: skip
        for name, value in zip(tuple(COLUMNS)[: len(values)], values, strict=True):
            self._new[name].append(value)

    def grown(self) -> tuple[dict[str, Any], dict[str, tuple[str, ...]]]:
        """Return the columns and texts, those of before included."""
        columns = {}
        for name, kind in COLUMNS.items():
            new = np.array(self._new[name], dtype=kind)
            if name == "stages":
                new = new.reshape(-1, STAGES)
            columns[name] = np.concatenate([self._before.columns[name], new])
        texts = {name: tuple(self._ids if name == "ids" else self._numbers[name]) for name in TEXTS}
        return columns, texts


class _Row(NamedTuple):
    """A player in a match and ruleset: the rating after it with its range, before it, and by stages."""

    player: str
    ruleset: Ruleset
    shown: tuple[float, float, float]
    before: float
    stages: tuple[float, ...]


class _Learnt(NamedTuple):
    """What was predicted of each contest of a match, and what came of it for everyone."""

    chances: Sequence[tuple[float, ...]]
    rows: Sequence[_Row]


class ChronicleLearning:
    """What a model knows, taken apart so that a match reads and writes the entries of its players alone.

    Parameters
    ----------
    model : RatingModel
        What learns; one that is not local is given all that it knows each time.
    whole : State
        What it knows.
    """

    def __init__(self, model: RatingModel, whole: State) -> None:
        self.model, self._whole = model, whole
        self._parts: dict[str, dict[Any, Any]] = {}
        self._of: dict[str, tuple[tuple[str, Any], ...]] = {}
        self._common: tuple[tuple[str, Any], ...] = ()
        if is_local(model):
            for name, part in _parts_of(whole).items():
                self._parts[name] = {}
                for key, numbers in part.items():
                    self._put(name, key, numbers)

    def copy(self) -> ChronicleLearning:
        """Return the same, to learn from what follows."""
        same = object.__new__(ChronicleLearning)
        same.model, same._whole, same._common = self.model, self._whole, self._common
        same._parts = {name: dict(part) for name, part in self._parts.items()}
        same._of = dict(self._of)
        return same

    def _put(self, name: str, key: Any, numbers: Any) -> None:
        part = self._parts[name]
        if key not in part:
            who = key[0] if isinstance(key, tuple) and key else key
            if isinstance(who, str) and who:
                self._of[who] = (*self._of.get(who, ()), (name, key))
            else:
                self._common = (*self._common, (name, key))
        part[key] = numbers

    @property
    def state(self) -> State:
        """All that is known."""
        return _with_parts(self._whole, self._parts) if is_local(self.model) else self._whole

    def learn(self, match: Match, *, stages: bool) -> _Learnt:
        """Learn from a match."""
        played: dict[Ruleset, dict[str, None]] = {}
        for contest in match.contests:
            played.setdefault(contest.ruleset, {}).update(
                dict.fromkeys(who for team in contest.teams for who, _ in team)
            )
        before = self._some({who for players in played.values() for who in players})
        after, predictions = self.model.run(before, match.contests)
        self._take(after)
        between = staged(self.model, before, after, match.contests) if stages else ()
        rows = []
        for ruleset, players in played.items():
            scale = scale_of(self.model, after, ruleset)
            was = self._shown(before, scale_of(self.model, before, ruleset).shown, players, ruleset)
            now = self._ratings(after, players, ruleset)
            then = [self._shown(each, scale.shown, players, ruleset) for each in between]
            for n, player in enumerate(players):
                mu, sigma = now[n]
                low, high = (scale.shown(mu + sign * BAND * sigma) for sign in (-1.0, 1.0))
                shown = scale.shown(mu), low, high
                steps = tuple(each[n] for each in then)
                rows.append(
                    _Row(player, ruleset, shown, was[n], (*steps, *[math.nan] * (STAGES - len(steps))))
                )
        return _Learnt([tuple(each) for each in predictions], rows)

    def _shown(
        self, state: State, shown: Callable[[float], float], players: Iterable[str], ruleset: Ruleset
    ) -> list[float]:
        return [shown(mu) for mu, _ in self._ratings(state, players, ruleset)]

    def _ratings(self, state: State, players: Iterable[str], ruleset: Ruleset) -> list[tuple[float, float]]:
        several = getattr(self.model, "all_ratings", None)
        found = (
            (self.model.rating(state, player, ruleset) for player in players)
            if several is None
            else several(state, players, ruleset)
        )
        return [(each.mu, each.sigma) for each in found]

    def _some(self, players: set[str]) -> State:
        """Return what is known of some players and of nobody in particular."""
        if not is_local(self.model):
            return self._whole
        parts: dict[str, dict[Any, Any]] = {name: {} for name in self._parts}
        for name, key in self._common:
            parts[name][key] = self._parts[name][key]
        for player in players:
            for name, key in self._of.get(player, ()):
                parts[name][key] = self._parts[name][key]
        return _with_parts(self._whole, parts)

    def _take(self, after: State) -> None:
        """Take over what is known after a match."""
        if not is_local(self.model):
            self._whole = after
            return
        for name, part in _parts_of(after).items():
            for key, numbers in part.items():
                self._put(name, key, numbers)


#: The name of the only part of a state that is a mapping itself.
WHOLE = ""


def _parts_of(state: State) -> dict[str, Mapping[Any, Any]]:
    """Return the mappings of a state by name; what is none is the entry of nobody."""
    if not is_dataclass(state):
        return {WHOLE: state}
    parts = {each.name: getattr(state, each.name) for each in fields(state)}
    return {name: part if isinstance(part, Mapping) else {"": part} for name, part in parts.items()}


def _with_parts(like: State, parts: Mapping[str, dict[Any, Any]]) -> State:
    """Return a state of the same kind with other parts."""
    if not is_dataclass(like):
        return dict(parts[WHOLE])
    values = {
        name: dict(part) if isinstance(getattr(like, name), Mapping) else part[""]
        for name, part in parts.items()
    }
    return replace(like, **values)  # type: ignore[type-var]  # a dataclass


def _text_of(ruleset: Ruleset) -> str:
    """Return a ruleset as a text of its own, whatever is in its names."""
    return json.dumps((ruleset.game, ruleset.game_type, *ruleset.mutators))


def _ruleset_of(text: str) -> Ruleset:
    game, game_type, *mutators = json.loads(text)
    return Ruleset(game, game_type, tuple(mutators))


def team_of(player: str, contest: Contest) -> int:
    """Return the team of a contest that a player is in, -1 for none."""
    for n, team in enumerate(contest.teams):
        for who, _ in team:
            if who == player:
                return n
    return -1


def won_by(contest: Contest, team: int) -> float:
    """Return a team's part of the victory: 1 alone, a part of it where the first place is shared."""
    best = min(contest.ranks)
    return (contest.ranks[team] == best) / contest.ranks.count(best)


def margin_of(contest: Contest) -> float | None:
    """Return by how much the winners were ahead as a part of all points, None where that is unknown."""
    points = sum(map(abs, contest.scores))
    if not contest.scores or points <= 0.0:
        return None
    first, second = sorted(contest.scores, reverse=True)[:2]
    return (first - second) / points
