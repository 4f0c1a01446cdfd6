"""What an archive keeps, as texts and as rows of numbers, and back.

A match is a JSON text: the same match has the same text, in ASCII, and comes back equal to what it was.
A state is rows: mappings from keys to numbers, bit for bit, in their order.  It is such a mapping, or a
frozen dataclass of such mappings and of tuples of numbers; what a rating model knows and what else is known
of the players are both of this kind.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple, cast

import msgspec

from equipoise.archive.database import DAMAGED
from equipoise.core.match import Contest, Match, Ruleset, Statistics, moved
from equipoise.errors import InputError

_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, sort_keys=True).encode

#: Decimals of the times of a match without dates.
CLOCK = 3


def record_of(match: Match) -> str:
    """Return a match as a text.

    Of a match without dates the text has only differences of times, so that it is the same whatever date is
    assumed for it.

    Examples
    --------
    >>> duel = Match((Contest(Ruleset("x", "duel"), (["ann"], ["bob"]), (1, 2), at=60),), id="one")
    >>> match_of(record_of(duel)) == duel
    True
    """
    time = _date if match.dated else _since(match.ended or 0.0)
    plain = {
        "id": match.id,
        "began": None if match.began is None else time(match.began),
        "ended": time(match.ended or 0.0),
        "map": match.map,
        "roster": match.roster,
        "names": match.names,
        "contests": [_contest(contest, time) for contest in match.contests],
    }
    if not match.dated:
        plain["dated"] = False
    if match.server:
        plain["server"] = match.server
    if match.picks:
        plain["picks"] = match.picks
    if match.shared:
        plain["shared"] = match.shared
    if match.read is not None:
        plain["read"] = match.read
    return _encode(plain)


def _date(time: float) -> float:
    return float(time)


def _since(ended: float) -> Callable[[float], float]:
    """Return what gives times before the end; clocks of logs are coarser than what adding a date loses."""
    return lambda time: round(time - ended, CLOCK) + 0.0


def _contest(contest: Contest, time: Callable[[float], float]) -> dict[str, Any]:
    """Return a contest as plain data, without what is not known."""
    ruleset = contest.ruleset
    plain: dict[str, Any] = {
        "ruleset": (ruleset.game, ruleset.game_type, ruleset.mutators),
        "teams": contest.teams,
        "ranks": contest.ranks,
        "at": time(contest.at),
        "weight": float(contest.weight),
    }
    if contest.scores:
        plain["scores"] = contest.scores
    if contest.statistics:
        plain["statistics"] = [
            (each.player, *map(_number, (each.kills, each.deaths, each.score))) for each in contest.statistics
        ]
    for field in ("parties", "left"):
        if value := getattr(contest, field):
            plain[field] = value
    return plain


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)


def match_of(record: str, ended: float | None = None) -> Match:
    """Return the match of a text made by :func:`record_of`.

    Parameters
    ----------
    record : str
        The text.
    ended : float, optional
        When a match without dates is taken to have ended.

    Raises
    ------
    InputError
        If it is another text.
    """
    try:
        match = _match_of(json.loads(record))
    except (ValueError, TypeError, LookupError) as error:
        msg = f": the record of a match cannot be read: {DAMAGED}"
        raise InputError(msg, "store") from error
    return match if match.dated or ended is None else moved(match, ended)


def _match_of(plain: dict[str, Any]) -> Match:
    return Match(
        tuple(_contest_of(contest) for contest in plain["contests"]),
        plain["began"],
        plain["ended"],
        plain["id"],
        tuple(plain["roster"]),
        tuple((player, name) for player, name in plain["names"]),
        plain["map"],
        plain.get("dated", True),
        tuple((captain, player) for captain, player in plain.get("picks", ())),
        plain.get("server", ""),
        tuple(plain.get("shared", ())),
        read=plain.get("read"),
    )


@lru_cache(maxsize=1000)  # one object for each ruleset, so that comparing keys costs nothing
def _ruleset(game: str, game_type: str, *mutators: str) -> Ruleset:
    return Ruleset(game, game_type, mutators)


def _contest_of(plain: dict[str, Any]) -> Contest:
    game, game_type, mutators = plain["ruleset"]
    return Contest(
        _ruleset(game, game_type, *mutators),
        tuple(tuple((player, share) for player, share in team) for team in plain["teams"]),
        tuple(plain["ranks"]),
        plain["weight"],
        plain["at"],
        tuple(plain.get("scores", ())),
        tuple(Statistics(*figures) for figures in plain.get("statistics", ())),
        tuple(tuple(party) for party in plain.get("parties", ())),
        tuple(plain.get("left", ())),
    )


class _Figures(msgspec.Struct, array_like=True, frozen=True):
    """The fields of :class:`Statistics`."""

    player: str
    kills: float | None
    deaths: float | None
    score: float | None


class _ReplayedContest(msgspec.Struct):
    """Those fields of a contest that are learnt from."""

    ruleset: Any  # three texts, and then the ruleset
    teams: tuple[tuple[tuple[str, float], ...], ...]
    ranks: tuple[float, ...]
    at: float
    weight: float
    scores: tuple[float, ...] = ()
    statistics: tuple[_Figures, ...] = ()


class _ReplayedMatch(msgspec.Struct):
    """Those fields of a match that are learnt from, and those that tell who played."""

    id: str
    ended: float
    contests: tuple[_ReplayedContest, ...]
    names: tuple[tuple[str, str], ...]
    map: str
    roster: tuple[str, ...]
    dated: bool = True


_replayed = msgspec.json.Decoder(_ReplayedMatch)


def replayed_match_of(record: str, ended: float) -> Match:
    """Return what :func:`match_of` does, as far as learning looks at it, in a third of the time.

    What stands in an archive was checked when it came, and is not checked again.
    """
    try:
        match = _replayed.decode(record)
        for contest in match.contests:
            game, game_type, mutators = contest.ruleset
            contest.ruleset = _ruleset(game, game_type, *mutators)
    except (msgspec.MsgspecError, ValueError, TypeError):
        return match_of(record, ended)
    return cast("Match", match) if match.dated else match_of(record, ended)


#: The name of the only part of a state that is a mapping itself.
WHOLE = ""

#: Keys that are kept as they were read: a follower of an archive reads the same ones again and again.
KEYS = 1 << 17  # effort

_encode_key = json.JSONEncoder(separators=(",", ":")).encode


class MatchRow(NamedTuple):
    """One entry of a state: of which part, under which key, at which place of the order."""

    part: str
    key: bytes
    place: int
    numbers: bytes


def rows_of(state: Any, before: Any = None, prefix: str = "") -> Iterator[MatchRow]:
    """Go through the entries of a state that differ from those of the state before.

    Parameters
    ----------
    state : mapping or dataclass of mappings and tuples of numbers
        What is to be kept.
    before : the same, optional
        What is kept already; every key of it must be in the state, at the same place.
    prefix : str
        What the names of the parts begin with.

    Raises
    ------
    InputError
        If the state is of another shape.
    """
    for name, part in _parts(state).items():
        known = {} if before is None else _parts(before)[name]
        for place, (key, numbers) in enumerate(part.items()):
            if (was := known.get(key)) is not numbers and was != numbers:
                yield MatchRow(prefix + name, _key(key), place, struct.pack(f"<{len(numbers)}d", *numbers))


def rows_before(state: Any, before: Any, prefix: str = "") -> Iterator[MatchRow]:
    """Go through the entries that have changed since the state before, as they were; new ones are empty."""
    for name, part in _parts(state).items():
        known = _parts(before)[name]
        for place, (key, numbers) in enumerate(part.items()):
            if (was := known.get(key)) is not numbers and was != numbers:
                packed = b"" if was is None else struct.pack(f"<{len(was)}d", *was)
                yield MatchRow(prefix + name, _key(key), place, packed)


def rows_over(state: Any, before: Any, prefix: str = "") -> tuple[list[MatchRow], bool]:
    """Return the rows that must be written to make one state of another, and whether some move or go.

    Unlike in :func:`rows_of` a key may stand at another place than before; those that go have no numbers.
    """
    rows: list[MatchRow] = []
    moves = False
    for name, part in _parts(state).items():
        known = _parts(before)[name]
        pairs = enumerate(zip(part, known, strict=False))
        first = next((n for n, (one, other) in pairs if one != other), min(len(part), len(known)))
        moves = moves or first < len(known)
        for place, (key, numbers) in enumerate(part.items()):
            was = known.get(key)
            if (place >= first and was is not None) or (was is not numbers and was != numbers):
                packed = struct.pack(f"<{len(numbers)}d", *numbers)
                rows.append(MatchRow(prefix + name, _key(key), place, packed))
        rows += [MatchRow(prefix + name, _key(key), 0, b"") for key in known if key not in part]
    return rows, moves


def patched(state: Any, rows: Iterable[MatchRow], prefix: str = "") -> Any:
    """Return a state with some entries as rows have them; without those of rows without numbers."""
    parts = {name: dict(part) for name, part in _parts(state).items()}
    for row in rows:
        if row.part.startswith(prefix):
            part = parts[row.part[len(prefix) :]]
            if row.numbers:
                part[_key_of(row.key)] = _numbers(len(row.numbers)).unpack(row.numbers)
            else:
                part.pop(_key_of(row.key), None)
    if isinstance(state, Mapping):
        return parts[WHOLE]
    values = {
        each.name: parts[each.name]
        if isinstance(getattr(state, each.name), Mapping)
        else parts[each.name][""]
        for each in fields(state)
    }
    return type(state)(**values)


def parts_of(state: Any, prefix: str = "") -> list[str]:
    """Return the names of the parts of a state."""
    return [prefix + name for name in _parts(state)]


def sizes_of(state: Any, prefix: str = "") -> dict[str, int]:
    """Return how many entries each part of a state has."""
    return {prefix + name: len(part) for name, part in _parts(state).items()}


def keys_of(player: str) -> tuple[tuple[bytes, bytes], ...]:
    r"""Return ranges of all keys that are a player's id or a tuple that begins with it; ends are not in them.

    Examples
    --------
    >>> keys_of("ann")
    ((b'"ann"', b'"ann"\x00'), (b'["ann",', b'["ann"-'))
    """
    key = _key(player)
    return (key, key + b"\0"), (b"[" + key + b",", b"[" + key + b"-")


def common_keys() -> tuple[tuple[bytes, bytes], ...]:
    """Return ranges of all keys that are empty, or rulesets, or tuples that begin with one."""
    empty = _key("")
    return (empty, empty + b"\0"), (b"{", b"|"), (b"[{", b"[|")


def state_of(empty: Any, rows: Iterable[MatchRow], prefix: str = "") -> Any:
    """Return the state of rows.

    Parameters
    ----------
    empty : mapping or dataclass
        A state of the same kind; its own numbers stand where there is no row.
    rows : iterable of MatchRow
        In any order; those of other prefixes are left out.
    prefix : str
        What the names of the parts begin with.
    """
    found: dict[str, list[MatchRow]] = {}
    for row in rows:
        if row.part.startswith(prefix):
            found.setdefault(row.part[len(prefix) :], []).append(row)
    parts = {name: _mapping(entries) for name, entries in found.items()}
    if isinstance(empty, Mapping):
        return parts.get(WHOLE, {})
    values = {
        each.name: parts[each.name]
        if isinstance(getattr(empty, each.name), Mapping)
        else parts[each.name][""]
        for each in fields(empty)
        if each.name in parts
    }
    return replace(empty, **values)


def _mapping(rows: list[MatchRow]) -> dict[Any, tuple[float, ...]]:
    rows.sort(key=itemgetter(MatchRow._fields.index("place")))
    return {_key_of(key): _numbers(len(numbers)).unpack(numbers) for _, key, _, numbers in rows}


@lru_cache(100)
def _numbers(size: int) -> struct.Struct:
    """Return what reads as many numbers as fit into so many bytes."""
    return struct.Struct(f"<{size // 8}d")


def _parts(state: Any) -> dict[str, Mapping[Any, tuple[float, ...]]]:
    """Return the mappings of a state by name; a tuple of numbers is one with a single entry."""
    if isinstance(state, Mapping):
        return {WHOLE: state}
    if not is_dataclass(state):
        msg = (
            f"model: a state of the type {type(state).__name__} cannot be kept; a mapping or a dataclass can"
        )
        raise InputError(msg)
    parts = {each.name: getattr(state, each.name) for each in fields(state)}
    return {name: part if isinstance(part, Mapping) else {"": part} for name, part in parts.items()}


@lru_cache(KEYS)
def _key(key: Any) -> bytes:
    return _encode_key(_plain(key)).encode("ascii")


def _plain(key: Any) -> Any:
    """Return a key as JSON: a text as itself, a ruleset as an object, a tuple as a list."""
    if isinstance(key, Ruleset):
        return {"game": key.game, "type": key.game_type, "mutators": key.mutators}
    return [_plain(each) for each in key] if isinstance(key, tuple) else key


@lru_cache(KEYS)
def _key_of(key: bytes) -> Any:
    return _read(json.loads(key))


def _read(plain: Any) -> Any:
    if isinstance(plain, dict):
        return Ruleset(plain["game"], plain["type"], tuple(plain["mutators"]))
    return tuple(_read(each) for each in plain) if isinstance(plain, list) else plain
