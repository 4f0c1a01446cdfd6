"""The questions that need no archive: the body is the request, the answer is the command line's JSON object.

A worker answers them, since they take time; what goes over a socket is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from equipoise.core.clock import deadline, shares
from equipoise.errors import AmbiguousError, EquipoiseError, InputError, UnknownNameError, again
from equipoise.service.http.messages import ProblemError, invalid, plain_object, typed, wrong_type
from equipoise.service.http.problems import BODY, HttpProblem, located, pointer_to
from equipoise.service.http.schemas import (
    LobbiesBody,
    MoveStep,
    PredictBody,
    Questions,
    RateBody,
    SwapStep,
    TeamPlayer,
)
from equipoise.service.questions import INFEASIBLE, Gathered, InfeasibleError

#: The part of the time for the split itself where more is asked about it.
FIRST = 0.5

#: The most bots that are waited for.
MOST_POOL = 1_000_000

#: Characters of names as people write them: some thousand players.
MOST_TEXT = 50_000

#: What a search says that might have found more in more time.
UNPROVEN = ("feasible", "unknown")

#: What the fields of a body are called elsewhere in the library.
TEXT = "text"


class Dividing:
    """The worker that answers what needs no archive: for the weight protocol, and these questions.

    Parameters
    ----------
    texts : bool
        Whether texts will come, as over HTTP: the rules for pastes take some tenths of a second of the
        processor to load, which is more than the first who sends one would wait for on a busy machine.
    """

    def __init__(self, texts: bool = False) -> None:
        first = b'{"text": "one 1\\ntwo 2"}' if texts else b'{"players": {"one": 1, "two": 2}}'
        answered("explain" if texts else "balance", first, 1.0)  # loads what answers

    def __call__(self, question: tuple[str, Any, float, float] | None) -> Generator[None, None, Any]:
        """Answer a question by its kind, within its seconds; None asks only whether this process is ready.

        The last number is the share of its time that it has, as others wait.

        A division of players (:class:`Gathered`) is answered with the team of each, with the name of why
        there are none, or with None where no time was left; anything else with a status and a body.
        """
        yield from ()
        if question is None:
            return None
        kind, content, seconds, share = question
        if not isinstance(content, Gathered):
            return answered(kind, content, seconds, share)
        try:
            return content.divided(deadline(seconds))
        except InfeasibleError:
            return INFEASIBLE


def answered(kind: str, body: bytes, seconds: float, share: float = 1.0) -> tuple[int, bytes]:
    """Return status and body of the answer to a question.

    A search that had a share of its time alone, and did not come to its end, says so as ``effort``.

    Examples
    --------
    >>> status, answer = answered("balance", b'{"players": {"Ann": 3, "Bob": 2, "Cid": 1}}', 1.0)
    >>> status, msgspec.json.decode(answer)["splits"][0]["teams"]
    (200, [['Ann', 'Cid'], ['Bob']])
    """
    try:
        answer = QUESTIONS[kind](body, seconds)
        if share < 1.0 and answer.get("status") in UNPROVEN:
            answer["effort"] = round(share, 4)
        return 200, msgspec.json.encode(answer)
    except ProblemError as error:
        return error.problem.status, error.problem.encoded()
    except AmbiguousError as error:
        return 422, ambiguous(error).encoded()
    except UnknownNameError as error:
        return 422, HttpProblem(422, "invalid", str(error), pointer_to(error.kind)).encoded()
    except InputError as error:
        data = _plain(body)
        pointer, detail = located(str(error), data, _field(error, data))
        return 422, HttpProblem(422, "invalid", detail, pointer).encoded()
    except EquipoiseError as error:
        return 422, HttpProblem(422, "invalid", str(error), "").encoded()


def _field(error: InputError, data: Any) -> str:
    """Return the field of a body that is at fault; a player's own stands with the player."""
    players = data.get("players") if error.player and isinstance(data, dict) else None
    for n, player in enumerate(players if isinstance(players, list) else ()):
        if isinstance(player, dict) and player.get("id", player.get("name")) == error.player:
            return f"players.{n}.{error.argument}"
    return error.argument


def ambiguous(error: AmbiguousError) -> HttpProblem:
    """Return the problem of names that can be read in several ways, with the readings."""
    readings = [{"read": read, "name": name, "weight": weight} for read, (name, weight) in error.ways.items()]
    remedy = f"choose one with read: {', '.join(error.ways)}" if error.ways else error.remedy
    detail = f"{error.where}: {error.text!r} can be read in several ways; {remedy}"
    more = {"line": error.text, "meanings": list(error.readings), "readings": readings}
    return HttpProblem(422, "ambiguous", detail, f"/{TEXT}", more)


def _plain(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (ValueError, RecursionError):
        return None


# A split, and what is asked about it


def _asked(data: dict[str, Any]) -> tuple[Sequence[Any], dict[str, Any]]:
    """Return players and keywords of a request."""
    from equipoise.teams.request_fields import keywords_of

    if TEXT not in data:
        if "read" in data:
            msg = "read says how a text is read; there is none"
            raise invalid(msg, "/read")
        return keywords_of(data, BODY)
    from equipoise.files.line_kinds import choices_of
    from equipoise.files.read_roster import parse_roster

    if "players" in data:
        msg = "text cannot be combined with players; give one of them"
        raise invalid(msg, f"/{TEXT}")
    text, read = data.pop(TEXT), data.pop("read", None)
    if not isinstance(text, str):
        msg = "text must be text: names as people write them"
        raise invalid(msg, f"/{TEXT}")
    if len(text) > MOST_TEXT:
        msg = f"text must have at most {MOST_TEXT} characters, got {len(text)}; give players, which are data"
        raise invalid(msg, f"/{TEXT}")
    if read is not None and not isinstance(read, str):
        msg = "read must be text: choices separated by commas"
        raise invalid(msg, "/read")
    try:
        choices_of(read)
    except InputError as error:
        raise invalid(str(error), "/read") from None
    try:
        roster = parse_roster(text.encode("utf-8", "surrogatepass"), TEXT, "", read)
    except AmbiguousError:
        raise
    except InputError as error:
        raise invalid(str(error), f"/{TEXT}") from None
    _, keywords = keywords_of({"players": [], **data}, BODY)
    return roster, keywords


def _balance(body: bytes, seconds: float) -> Any:
    """Divide players into the fairest teams."""
    from equipoise.teams.balance import balance
    from equipoise.teams.request import BalanceRequest

    players, keywords = _asked(plain_object(body))
    request = BalanceRequest.of(players, **keywords, stop=deadline(seconds))
    return {**balance(request).as_dict(), **_read(players)}


def _read(players: Sequence[Any]) -> dict[str, Any]:
    """Return what was read of a text besides its players; nothing where there was none."""
    heard = getattr(players, "heard", None)
    return {} if heard is None else {"read": heard.as_dict(players)}


def _explain(body: bytes, seconds: float) -> Any:
    """Divide players, and say why the split is as it is."""
    from equipoise.core.stopping import never
    from equipoise.teams.balance import balance
    from equipoise.teams.explain.edits import edit, why
    from equipoise.teams.explain.explanation import explain
    from equipoise.teams.request import BalanceRequest

    data = plain_object(body)
    asked = {name: data.pop(name) for name in ("why", "edit") if name in data}
    try:
        questions = msgspec.convert(asked, Questions)
        steps = [_step(step, n) for n, step in enumerate(questions.edit)]
    except msgspec.ValidationError as error:
        raise wrong_type(error) from None
    players, keywords = _asked(data)
    request = BalanceRequest.of(players, **keywords, stop=deadline(FIRST * seconds))
    solution = balance(request)
    plain: dict[str, Any] = {**solution.as_dict(), **_read(players)}
    split = solution.splits[0] if solution.splits else None
    request = replace(request, stop=never)
    share = shares((1.0 - FIRST) * seconds)
    if split is not None and steps:
        change = edit(request, steps, solution=solution, split=split)
        plain["edit"] = change.as_dict()
        split = split if change.broken else change.split
    if split is not None and questions.why:
        plain["why"] = [
            why(
                request,
                *([who] if isinstance(who, str) else who),
                solution=solution,
                split=split,
                stop=share(len(questions.why) + 1 - n),
            ).as_dict()
            for n, who in enumerate(questions.why)
        ]
    plain["explanation"] = explain(request, solution=solution, split=split, share=share).as_dict()
    return plain


def _step(step: dict[str, Any], number: int) -> Any:
    from equipoise.teams.explain.edits import Move, Swap

    try:
        if "swap" in step:
            return Swap(*msgspec.convert(step, SwapStep).swap)
        moved = msgspec.convert(step, MoveStep)
    except msgspec.ValidationError as error:
        raise wrong_type(error, pointer_to("edit", number)) from None
    return Move(moved.move, moved.team - 1)


def _late(body: bytes, seconds: float) -> Any:
    """Choose the team for someone who joins a running game."""
    del seconds  # it is arithmetic
    from equipoise.teams.late_join import running_game

    data = plain_object(body)
    pool = data.pop("pool", None)
    if pool is not None and (
        not isinstance(pool, int) or isinstance(pool, bool) or not 0 <= pool <= MOST_POOL
    ):
        msg = f"pool must be a whole number from 0 to {MOST_POOL}"
        raise invalid(msg, "/pool")
    players, keywords = _asked(data)
    return {**running_game(players, pool=pool, **keywords).as_dict(), **_read(players)}


def _lobbies(body: bytes, seconds: float) -> Any:
    """Put players into teams, and teams into lobbies."""
    from equipoise.core.player import Player, Rating
    from equipoise.lobbies.fill import fill
    from equipoise.lobbies.fill_fields import FILL_FIELDS
    from equipoise.lobbies.plan import Lobby

    asked: Any = typed(body, LobbiesBody)
    for field in ("players", "lobbies"):
        names = [each.id if field == "players" else each.name for each in getattr(asked, field)]
        twice = again(names)
        if twice >= 0:
            msg = f"{names[twice]!r} appears twice; names must differ"
            raise invalid(msg, pointer_to(field, twice))
    if ":" in asked.solver:
        msg = "solver must be one that comes with equipoise"
        raise invalid(msg, "/solver")
    plan = fill(
        [
            Player(each.id, None if each.skill is None else Rating(each.skill, each.sigma), party=each.party)
            for each in asked.players
        ],
        [Lobby(each.name, each.target, each.min_teams, each.max_teams) for each in asked.lobbies],
        barred={each.id: each.barred for each in asked.players if each.barred}, stop=deadline(seconds),
        **{name: getattr(asked, name) for name in FILL_FIELDS},
    )  # fmt: skip
    return plan.as_dict()


# Ratings


def _learnt(asked: RateBody) -> tuple[Any, Any, list[Any]]:
    """Return the model, what it has learnt, and the matches."""
    from equipoise.ratings.replay import replay

    model = _model(asked)
    matches = _matches(asked)
    return model, replay(model, matches, window=asked.window), matches


def _model(asked: RateBody) -> Any:
    from equipoise.core.registry import MODELS, resolve
    from equipoise.ratings.profiles import PROFILES, with_settings

    if ":" in asked.model:
        msg = "model must be one that comes with equipoise"
        raise invalid(msg, "/model")
    if asked.profile is None and asked.settings is None:
        return resolve("model", MODELS, asked.model)()
    if asked.model != "default" or (asked.profile is not None and asked.settings is not None):
        msg = "settings are those of the default model: give one of profile and settings, and no model"
        raise invalid(msg, "/profile" if asked.profile is not None else "/settings")
    if asked.profile is not None and asked.profile not in PROFILES:
        msg = f"profile must be one of {', '.join(PROFILES)}"
        raise invalid(msg, "/profile")
    try:
        return with_settings(asked.settings if asked.profile is None else PROFILES[asked.profile])
    except InputError as error:
        raise invalid(str(error), "/settings") from None


def _matches(asked: RateBody) -> list[Any]:
    from equipoise.core.match_records import match_from, time_from

    matches: dict[str, Any] = {}
    for n, record in enumerate(asked.matches):
        try:
            match = match_from(record)
        except InputError as error:
            pointer, detail = located(str(error), record, error.argument, ("matches", n))
            raise invalid(detail, pointer) from None
        if matches.setdefault(match.id, match) != match:
            msg = f"another match has the id {match.id!r} too; ids must differ"
            raise invalid(msg, pointer_to("matches", n, "id"))
    if asked.since is None:
        return list(matches.values())
    start = time_from(asked.since, "since")
    kept = [match for match in matches.values() if (match.ended or 0.0) >= start]
    if not kept:
        msg = f"no match ended on {asked.since} or after; {len(matches)} ended before"
        raise invalid(msg, "/since")
    return kept


def _rate(body: bytes, seconds: float) -> Any:
    """Learn ratings from matches."""
    del seconds  # all matches count
    from equipoise.ratings.reports import RatingTally, report

    asked = typed(body, RateBody)
    model, state, matches = _learnt(asked)
    return report(model, state, RatingTally.of(matches), asked.model)


def _predict(body: bytes, seconds: float) -> Any:
    """Say who would win, from matches."""
    del seconds  # all matches count
    from equipoise.core.match import Ruleset, members_of
    from equipoise.ratings.reports import predicted

    asked = typed(body, PredictBody)
    model, state, matches = _learnt(asked)
    teams = members_of(
        [
            [(who.id, who.share) if isinstance(who, TeamPlayer) else who for who in team]
            for team in asked.teams
        ]
    )
    ruleset = Ruleset(asked.game, asked.game_type, tuple(asked.mutators))
    return predicted(model, state, teams, ruleset, matches, asked.model)


#: What answers each question.
QUESTIONS: Mapping[str, Callable[[bytes, float], Any]] = {
    "balance": _balance,
    "explain": _explain,
    "late": _late,
    "lobbies": _lobbies,
    "rate": _rate,
    "predict": _predict,
}
