"""Records of matches: from plain data, as JSON has it, to matches, with messages that name the field.

The fields are described in docs/match-files.md and docs/match.schema.json; where records come from stands
elsewhere.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn

from equipoise.core.match import Contest, Match, Ruleset, Statistics, ranks_of
from equipoise.core.player import LARGEST_WEIGHT
from equipoise.errors import InputError

if TYPE_CHECKING:
    from equipoise.core.dates import Zone

#: What a record of a match may have, besides what a contest may have.
MATCH_FIELDS = ("id", "began", "ended", "map", "server", "picks", "contests")

#: What a contest may have; a match of one contest has these fields itself.
CONTEST_FIELDS = ("game", "game_type", "mutators", "teams", "ranks", "scores", "weight", "at")

#: What a player in a team may have, where it is more than the id.
PLAYER_FIELDS = ("id", "name", "share", "kills", "deaths", "score", "party", "left")

#: Digits of a time in seconds since 2001, of which no date has as many and nothing else.
SECONDS = 10

#: What a time may be.
TIMES = "seconds since 1970 or a date such as 2026-01-31T20:15:00Z"

#: The end of the year 9999, behind which there is no date.
LATEST = 253_402_300_800.0

_Record = Mapping[str, Any]

#: The kinds of numbers that JSON has, and the largest finite one.
_PLAIN, _MOST = (int, float), sys.float_info.max

#: Signs that no text has: they cannot be stored.
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")


def match_from(record: Any) -> Match:
    """Return the match of a record.

    Parameters
    ----------
    record : object
        As JSON has it; see docs/match-files.md.

    Raises
    ------
    InputError
        If something is wrong; the message begins with the field.

    Examples
    --------
    >>> match = match_from({"ended": 0, "teams": [["ann"], ["bob"]], "scores": [3, 1]})
    >>> match.contests[0].ranks
    (0.0, 1.0)
    """
    if not isinstance(record, dict):
        _fail("match", 'must be an object such as {"ended": ..., "teams": [...], "ranks": [...]}')
    _known(record, MATCH_FIELDS + CONTEST_FIELDS)
    ended = time_from(record["ended"], "ended") if "ended" in record else None
    parts = record.get("contests", [record])
    if not isinstance(parts, list) or not parts:
        _fail("contests", "must be a list of one or more contests")
    parts = [part if part is record else {**_common(record), **_object(part, "contests")} for part in parts]
    contests = [contest_from(part, ended) for part in parts]
    began = time_from(record["began"], "began") if "began" in record else None
    return Match(
        tuple(contests), began=began, ended=ended, id=text_from(record.get("id", ""), "id"),
        names=_names(parts), map=text_from(record.get("map", ""), "map"),
        server=text_from(record.get("server", ""), "server"),
        picks=_picks(record.get("picks", [])),
    )  # fmt: skip


def _names(parts: list[_Record]) -> tuple[tuple[str, str], ...]:
    """Return the display names that contests tell, the last one of each player."""
    names: dict[str, str] = {}
    for player in (player for part in parts for team in part.get("teams", ()) for player in team):
        if isinstance(player, dict) and "name" in player:
            names[text_from(player["id"], "id")] = text_from(player["name"], "name")
    return tuple(names.items())


def _picks(value: Any) -> tuple[tuple[str, str], ...]:
    """Return who picked whom."""
    if not isinstance(value, list) or not all(isinstance(pick, list) and len(pick) == 2 for pick in value):
        _fail("picks", f"must be a list of pairs, the captain and who was picked, got {_short(value)}")
    return tuple((text_from(one, "picks"), text_from(other, "picks")) for one, other in value)


def record_data(match: Match) -> dict[str, Any]:
    """Return a match as JSON has it: the inverse of :func:`match_from`, but for what a match file cannot say.

    Examples
    --------
    >>> record = {"ended": 60.0, "teams": [["ann"], ["bob"]], "scores": [3.0, 1.0], "id": "one"}
    >>> match_from(record_data(match_from(record))) == match_from(record)
    True
    """
    names = dict(match.names)
    return {
        "id": match.id,
        **({} if match.began is None else {"began": match.began}),
        "ended": match.ended or 0.0,
        **({"map": match.map} if match.map else {}),
        **({"server": match.server} if match.server else {}),
        **({"picks": [list(pick) for pick in match.picks]} if match.picks else {}),
        "contests": [_contest_data(contest, names) for contest in match.contests],
    }


def _contest_data(contest: Contest, names: Mapping[str, str]) -> dict[str, Any]:
    figures = {each.player: each for each in contest.statistics}
    parties = {player: str(n) for n, party in enumerate(contest.parties, start=1) for player in party}

    def member(player: str, share: float) -> dict[str, Any]:
        figure = figures.get(player)
        known = {
            "name": names.get(player), "share": None if share == 1.0 else share, "party": parties.get(player),
            "left": True if player in contest.left else None,
            **(
                {}
                if figure is None
                else {"kills": figure.kills, "deaths": figure.deaths, "score": figure.score}
            ),
        }  # fmt: skip
        return {"id": player} | {field: value for field, value in known.items() if value is not None}

    ruleset = contest.ruleset
    return {
        "game": ruleset.game, "game_type": ruleset.game_type, "mutators": list(ruleset.mutators),
        "teams": [[member(player, share) for player, share in team] for team in contest.teams],
        "ranks": list(contest.ranks),
        **({"scores": list(contest.scores)} if contest.scores else {}),
        "weight": contest.weight, "at": contest.at,
    }  # fmt: skip


def contest_from(record: _Record, ended: float | None) -> Contest:
    """Return the contest of a record; its time is by default that of the match."""
    _known(record, MATCH_FIELDS + CONTEST_FIELDS)
    if "at" not in record and ended is None:
        _fail("ended", f"is missing; write {TIMES}")
    at = time_from(record["at"], "at") if "at" in record else ended
    mutators = record.get("mutators", [])
    if not isinstance(mutators, list):
        _fail("mutators", f"must be a list of names, got {_short(mutators)}")
    game, game_type = (text_from(record.get(field, ""), field) for field in ("game", "game_type"))
    ruleset = Ruleset(game, game_type, tuple(text_from(mutator, "mutators") for mutator in mutators))
    teams = record.get("teams")
    if not isinstance(teams, list) or not all(isinstance(team, list) for team in teams):
        _fail("teams", "must be two or more lists of players")
    statistics: list[Statistics] = []
    parties: dict[tuple[int, str], list[str]] = {}
    left: list[str] = []
    members = []
    for place, team in enumerate(teams):
        members.append([_member(player, statistics) for player in team])
        for player in team:
            if isinstance(player, dict) and ("party" in player or "left" in player):
                _note(player, place, parties, left)
    scores = _numbers(record, "scores")
    ranks = _numbers(record, "ranks")
    if record.get("ranks") is None:
        if not scores:
            _fail("ranks", "and scores are both missing; write one of them")
        ranks = list(ranks_of(tuple(scores)))
    return Contest(
        ruleset, tuple(tuple(team) for team in members), tuple(ranks),
        weight=number_from(record.get("weight", 1.0), "weight"), at=at or 0.0, scores=tuple(scores),
        statistics=tuple(statistics),
        parties=tuple(tuple(party) for party in parties.values() if len(party) > 1), left=tuple(left),
    )  # fmt: skip


def _note(
    player: dict[str, Any], place: int, parties: dict[tuple[int, str], list[str]], left: list[str]
) -> None:
    """Add a player of a team to the party and to those who left, where that is known."""
    name = text_from(player.get("id", ""), "id")
    if player.get("party") is not None:
        parties.setdefault((place, text_from(player["party"], "party")), []).append(name)
    gone = player.get("left", False)
    if not isinstance(gone, bool):
        _fail("left", f"must be true or false, got {_short(gone)}")
    if gone:
        left.append(name)


def _member(player: Any, statistics: list[Statistics]) -> tuple[str, float]:
    """Return id and share of a player, and add what is known of them."""
    if isinstance(player, str):
        return text_from(player, "id"), 1.0
    if not isinstance(player, dict):
        _fail("teams", f"must list ids, or objects with an id, got {_short(player)}")
    _known(player, PLAYER_FIELDS)
    name = text_from(player.get("id", ""), "id")
    kills, deaths, score = player.get("kills"), player.get("deaths"), player.get("score")
    if not kills is deaths is score is None:
        statistics.append(
            Statistics(
                name,
                None if kills is None else number_from(kills, "kills"),
                None if deaths is None else number_from(deaths, "deaths"),
                None if score is None else number_from(score, "score"),
            )
        )
    return name, number_from(player["share"], "share") if "share" in player else 1.0


def _common(record: _Record) -> dict[str, Any]:
    """Return what a match says once for all its contests."""
    return {field: record[field] for field in CONTEST_FIELDS if field in record}


def _known(record: _Record, fields: tuple[str, ...]) -> None:
    for field in record:
        if field not in fields:
            _fail(_short(field), f"is not a field; the fields are {', '.join(fields)}")


def _object(value: Any, field: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        _fail(field, f"must be objects as in docs/match-files.md, got {_short(value)}")
    return value


def _numbers(record: _Record, field: str) -> list[float]:
    values = record.get(field)
    if values is None:
        return []
    if not isinstance(values, list):
        _fail(field, f"must be a list with a number for each team, got {_short(values)}")
    return [number_from(value, field) for value in values]


def number_from(value: Any, field: str) -> float:
    """Return a finite number, of a text too.

    Raises
    ------
    InputError
        If it is none; the message begins with the field.
    """
    if type(value) in _PLAIN and -_MOST <= value <= _MOST:  # most are, and there are dozens in a match
        return float(value)
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            _fail(field, f"must be a number, got {_short(value)}")
    if isinstance(value, Decimal):  # as tables of databases have it
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _MOST:
        _fail(field, f"must be a finite number, got {_short(value)}")
    return float(value)


def time_from(value: Any, field: str, zone: Zone | None = None) -> float:
    """Return a time as seconds since 1970: of a number, a date, or a text such as 2026-01-31T20:15:00Z.

    What says no zone is in the given one, or else in UTC.

    Examples
    --------
    >>> time_from("1970-01-02", "ended")
    86400.0
    """
    if isinstance(value, str) and len(value) == SECONDS and value.isdecimal():
        value = float(value)
    if isinstance(value, str):
        try:
            return _stamp(datetime.fromisoformat(value), zone)
        except ValueError:
            pass
        except OverflowError:
            _fail(field, f"must be a date after the year 1, got {_short(value)}")
        try:
            value = float(value)
        except ValueError:
            _fail(field, f"must be {TIMES}, got {_short(value)}")
    if isinstance(value, date):
        return _stamp(value if isinstance(value, datetime) else datetime.combine(value, time()), zone)
    number = number_from(value, field)
    if number >= LATEST:
        year = f"must be below {LATEST:.0f}, the year 10000, got {_short(value)}"
        _fail(field, f"{year}; divide milliseconds by 1000")
    if number < -LARGEST_WEIGHT:
        _fail(field, f"must be {TIMES}, got {_short(value)}")
    return number


def _stamp(moment: datetime, zone: Zone | None) -> float:
    if moment.tzinfo:
        return moment.timestamp()
    wall = moment.replace(tzinfo=UTC).timestamp()
    return wall if zone is None else zone.moment(wall)


def text_from(value: Any, field: str) -> str:
    """Return a text without blanks around it, of a whole number too.

    Raises
    ------
    InputError
        If it is none; the message begins with the field.
    """
    if isinstance(value, bool) or not isinstance(value, str | int):
        _fail(field, f"must be text, got {_short(value)}")
    text = str(value).strip()
    if text.isascii() and "\0" not in text:  # most are, and this is several times quicker
        return text
    if _NO_TEXT.search(text):
        _fail(field, f"must be plain text, got {_short(text)}")
    return text


def cell_text(cell: Any, field: str) -> str:
    """Return the text of a cell of a table: of a number, a date or a truth value too, but of no list.

    Raises
    ------
    InputError
        If the cell holds several values, or bytes.
    """
    if isinstance(cell, Iterable) and not isinstance(cell, str):
        _fail(field, f"must be one text or number, got {_short(cell)}")
    return str(cell)


def is_text(text: str) -> bool:
    """Tell whether a text has nothing that :func:`text_from` refuses."""
    return _NO_TEXT.search(text) is None


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return repr(text) if len(text) <= 40 else repr(text[:37] + "...")


def _fail(field: str, problem: str) -> NoReturn:
    msg = f"{field} {problem}"
    raise InputError(msg)
