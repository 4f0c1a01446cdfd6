"""Answers in the shapes of other services, so that servers with a hook for them can be pointed here.

* minqlx's ``balance.py`` (Quake Live; MinoMino/minqlx-plugins) asks ``GET /elo/ID+ID``, as of qlstats.net.
* The plug-in ``RatingManager`` of SPADS (Beyond All Reason) asks teiserver for ``get_rating`` and
  ``balance_battle`` (beyond-all-reason/teiserver, ``spads_controller.ex``).

Both shapes are in docs/how-to/drop-ins.md.
"""

from __future__ import annotations

import ast
import json
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any, NoReturn, TypedDict
from urllib.parse import parse_qsl

from equipoise.core.match import Ruleset
from equipoise.core.player import Member
from equipoise.identity.roster_lookup import AmbiguousNameError
from equipoise.service.http.messages import HttpRequest, ProblemError, Reply, reply
from equipoise.service.http.problems import HttpProblem, ambiguous
from equipoise.service.snapshot import AmbiguousGameError
from equipoise.service.weights.messages import MOST_TEAMS, Division, Named, Refusal, Setting, sayable

if TYPE_CHECKING:
    from equipoise.service.http.backend import Backend

#: Elo of the weight 0 and of one more of it: 1500 is the average, as both services have it.
ELO, ELO_OF_ONE = 500.0, 20.0

#: What one of weight is in teiserver's units, whose average is 25.
SKILL_OF_ONE = 0.5

#: Fields of a form, and characters of a table in one.
MOST_FIELDS, MOST_TEXT = 32, 65536

#: Players of one question.
MOST_PLAYERS = 128


class EloRow(TypedDict):
    """A rating in one game type."""

    games: int
    elo: int


class Elos(TypedDict):
    """Who is known, each with ``steamid`` and an :class:`EloRow` for each game type; and who is not."""

    players: list[dict[str, Any]]
    untracked: list[str]


class SpadsRating(TypedDict):
    """A player's rating in teiserver's units."""

    rating_value: float
    uncertainty: float


class SpadsSeat(TypedDict):
    """The team, from 0, and the place of a player."""

    team: int
    id: int


class SpadsBalance(TypedDict, total=False):
    """Who goes where; nothing leaves it to SPADS."""

    unbalance_indicator: float
    player_assign_hash: dict[str, SpadsSeat]
    bot_assign_hash: dict[str, SpadsSeat]


async def elo(backend: Backend, asked: HttpRequest) -> Reply:
    """Answer as qlstats.net does: players with an Elo for each game type that they have played."""
    known = backend.known
    ids = dict.fromkeys(each for each in asked.path["ids"].replace(",", "+").split("+") if each)
    if len(ids) > MOST_PLAYERS:
        raise ProblemError(
            HttpProblem(422, "invalid", f"at most {MOST_PLAYERS} ids may be asked for at once")
        )
    players = []
    for one in ids:
        meant = _meant(backend, one)
        if meant is None:
            continue
        entry: dict[str, Any] = {"steamid": one}
        for row in known.people.card(meant)["ratings"]:
            ruleset = known.people.ruleset(row["ruleset"]) or Ruleset()
            if ruleset.game_type and not ruleset.mutators:
                entry.setdefault(
                    ruleset.game_type, {"games": row["games"], "elo": round(ELO + ELO_OF_ONE * row["weight"])}
                )
        players.append(entry)
    return reply({"players": players, "untracked": []})


def _meant(backend: Backend, named: str) -> str | None:
    """Return the id of who is meant, None for a stranger; of several it is asked who."""
    try:
        return backend.known.snapshot.ratings.player(named)
    except AmbiguousNameError as error:
        raise ProblemError(ambiguous(error)) from None


async def get_rating(backend: Backend, asked: HttpRequest) -> Reply:
    """Answer as teiserver does: one player's rating, that of a newcomer for a stranger."""
    board = backend.service.board
    weights = board.answers.weights(_ruleset(backend, asked.path["type"]))
    ruleset = _ruleset(backend, asked.path["type"])
    meant = _meant(backend, asked.path["id"]) or asked.path["id"]
    rating = board.answers.rating(Member(False, meant), ruleset)
    low, high = (weights.scale.shown(rating.mu + side * rating.sigma) for side in (-1.0, 1.0))
    value = SKILL_OF_ONE * weights.scale.shown(rating.mu)
    return reply({"rating_value": round(value, 2), "uncertainty": round(SKILL_OF_ONE * (high - low) / 2, 2)})


def _ruleset(backend: Backend, game_type: str) -> Ruleset:
    """Return the ruleset of a game type as teiserver names it, skill in general where none is meant."""
    try:
        return backend.service.board.snapshot.rated(Setting(game_type.lower()))
    except AmbiguousGameError:
        return Ruleset()


async def balance_battle(backend: Backend, asked: HttpRequest) -> Reply:
    """Answer as teiserver does: who goes into which team; nothing where there are bots, as there."""
    form = _form(asked.body)
    for field in ("players", "nbTeams"):
        if field not in form:
            _refuse(f"{field} is missing")
    names, bots = (_table(form, field) for field in ("players", "bots"))
    number = form["nbTeams"]
    if not (number.isascii() and number.isdigit() and 2 <= int(number[:4]) <= MOST_TEAMS):
        _refuse(f"nbTeams must be from 2 to {MOST_TEAMS}")
    if bots or len(names) < int(number):
        return reply({})
    for name in names:
        _meant(backend, name)
    members = tuple(Named(False, name, name.encode()) for name in names)
    setting = Setting("")
    teams = await backend.service.divide(Division(setting, int(number), members), asked.whose)
    if teams is Refusal.BUSY:
        raise ProblemError(HttpProblem(503, "unavailable", "this cannot be answered just now; ask again"))
    if isinstance(teams, Refusal):
        return reply({})
    answers = backend.service.board.answers
    weights = {member.name: _weight(answers, setting, member) for member in members}
    seats = sorted(zip(members, teams, strict=True), key=lambda seat: (seat[1], -weights[seat[0].name]))
    totals = [sum(weights[member.name] for member, team in seats if team == n) for n in range(int(number))]
    return reply(
        {
            "unbalance_indicator": round(100.0 * pstdev(totals) / (fmean(totals) or 1.0), 2),
            "player_assign_hash": {
                member.name: {"team": team, "id": n} for n, (member, team) in enumerate(seats)
            },
            "bot_assign_hash": {},
        }
    )


def _weight(answers: Any, setting: Setting, member: Member) -> float:
    """Return the weight of a player, from 0 to 100; of a stranger what the model assumes."""
    weights = answers.weights(answers.snapshot.rated(setting))
    return float(weights.scale.shown(answers.rating(member, answers.snapshot.rated(setting)).mu))


def _form(body: bytes) -> dict[str, str]:
    try:
        return dict(parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError as error:
        _refuse(f"the form cannot be read: {error}")


def _table(form: dict[str, str], field: str) -> dict[str, Any]:
    """Return a table of players, which the plug-in writes as Python does, or as JSON."""
    text = form.get(field, "{}")[:MOST_TEXT]
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        try:
            found = ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            _refuse(f"{field} must be a table from names to what is known of them")
    if not isinstance(found, dict) or len(found) > MOST_PLAYERS or not all(map(_is_name, found)):
        _refuse(f"{field} must be a table of at most {MOST_PLAYERS} names")
    return found


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and sayable(name)


def _refuse(detail: str) -> NoReturn:
    raise ProblemError(HttpProblem(422, "invalid", detail, ""))
