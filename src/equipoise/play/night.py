"""A night of games as a fold over events: who is here, which teams are proposed, what was reported.

Every step of a night is one event, plain data that is only ever added.  ``undo`` is an event too: it takes
back the last step that still counts, so that the state after it is the state before that step.  To have
the events is to have the night, and a process that is killed between two of them loses nothing.

Events
------
``weights``
    Starting weights by id, given with the teams of the same ``step``.
``teams``
    Who is here, how they are spelled, who stays together or apart, and the teams that are proposed.
``result``
    How the game of the proposed teams ended.
``undo``
    The last step does not count.
``guesses``
    Starting weights were chosen for the archive as a whole: those of the steps so far no longer hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from equipoise.core.match import Contest, Match, Ruleset
from equipoise.errors import InputError
from equipoise.identity.names import folded
from equipoise.identity.roster_lookup import RosterLookup
from equipoise.identity.short_ids import meant_by
from equipoise.play.event_codec import as_plain, from_plain
from equipoise.play.ledger import LedgerGame

#: One step as plain data.
Event = Mapping[str, Any]

WEIGHTS, TEAMS, RESULT, UNDO, GUESSES = "weights", "teams", "result", "undo", "guesses"

#: Events of lobbies, of running games and of evenings in browsers, which stand among those of nights and
#: change none of them.
PICKUP, LIVE, CHAT, TONIGHT = "pickup", "live", "chat", "tonight"

#: The fields of a setup, and of a proposal or a game, that hold ids.
SETUP_IDS, PROPOSAL_IDS = ("here", "duos", "apart", "prefer", "avoid"), ("teams", "out", "moved", "unmet")

#: Seconds of an evening: teams that were played longer ago may come again.
EVENING = 12 * 3600.0

#: What teams are called unless other names are given.
COLOURS = ("red", "blue", "green", "gold")


@dataclass(frozen=True, slots=True)
class Proposal:
    """Teams that are proposed, or being played.

    Parameters
    ----------
    id : str
        The id that the match will have.
    teams : tuple of tuples of str
        Ids.
    chances : tuple of float
        Each team's win probability.
    out : tuple of str
        Who sits out.
    moved : tuple of str
        Who had been in another team.
    unmet : tuple of (str, str)
        Pairs whose preference is not met.
    """

    id: str
    teams: tuple[tuple[str, ...], ...]
    chances: tuple[float, ...]
    out: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    unmet: tuple[tuple[str, str], ...] = ()

    @property
    def parted(self) -> frozenset[frozenset[str]]:
        """Who is together, whatever the teams are called."""
        return frozenset(map(frozenset, self.teams))


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended.

    Parameters
    ----------
    match : str
        The id of the match.
    game : LedgerGame
        Who played, and the ranks.
    scores : tuple of float
        Empty where nobody counted.
    at : float
        Seconds since 1970.
    """

    match: str
    game: LedgerGame
    scores: tuple[float, ...]
    at: float


@dataclass(frozen=True, slots=True)
class Setup:
    """Who is here, and what holds for every division of them.

    Parameters
    ----------
    here : tuple of str
        Ids, in the order they came.
    duos : tuple of tuples of str
        Who stays together; of those who are not here, nothing follows.
    apart : tuple of (str, str)
        Who does not play together.
    teams : int
        How many teams.
    size : int, optional
        How many play in a team at most; others sit out.  By default everyone plays.
    names : tuple of str
        What the teams are called.
    prefer, avoid : tuple of (str, str)
        Pairs that prefer to play together, and pairs that prefer not to.
    """

    here: tuple[str, ...] = ()
    duos: tuple[tuple[str, ...], ...] = ()
    apart: tuple[tuple[str, str], ...] = ()
    teams: int = 2
    size: int | None = None
    names: tuple[str, ...] = ()
    prefer: tuple[tuple[str, str], ...] = ()
    avoid: tuple[tuple[str, str], ...] = ()

    def called(self, team: int) -> str:
        """Return what a team, from 0, is called."""
        if team < len(self.names):
            return self.names[team]
        return COLOURS[team] if self.teams <= len(COLOURS) else f"team {team + 1}"


@dataclass(frozen=True, slots=True)
class Night:
    """What follows from the events so far.

    Parameters
    ----------
    setup : Setup
        Who is here, and the rules.
    spelled : mapping from str to str
        The last spelling of everyone who has come so far, by id.
    weights : mapping from str to float
        Starting weights by id.
    proposal : Proposal or None
        The current teams.
    tonight : tuple of Proposal
        Every one since people gathered.
    results : tuple of Result
        Of all nights, in the order they were reported.
    plan : tuple of Proposal
        The rounds that follow, where all were divided at once.
    steps : tuple of Event
        The events that count.
    ever_weighed : frozenset of str
        Who was ever given a starting weight here, even if that was taken back.
    """

    setup: Setup = Setup()
    spelled: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    proposal: Proposal | None = None
    tonight: tuple[Proposal, ...] = ()
    results: tuple[Result, ...] = ()
    plan: tuple[Proposal, ...] = ()
    steps: tuple[Event, ...] = ()
    ever_weighed: frozenset[str] = frozenset()

    @property
    def games(self) -> list[LedgerGame]:
        """The games of all nights."""
        return [result.game for result in self.results]

    def seen(self, now: float) -> set[frozenset[frozenset[str]]]:
        """Return the teams that were proposed since people gathered, or played this evening."""
        played = [each.game for each in self.results if now - each.at <= EVENING]
        return {each.parted for each in self.tonight} | {frozenset(map(frozenset, g.teams)) for g in played}

    def result_of(self, match: str) -> Result | None:
        """Return what was reported of a match, None where nothing was."""
        return next((result for result in self.results if result.match == match), None)

    def id_of(self, name: str) -> str | None:
        """Return the id of somebody who has come, by id or last spelling, None for anyone else."""
        both = [each for player, name in self.spelled.items() for each in ((player, player), (player, name))]
        return RosterLookup((player, each, 0.0) for player, each in both).id_of(name)


def counting(events: Iterable[Event]) -> list[Event]:
    """Return the events that count: those that no undo takes back."""
    kept: list[Event] = []
    for event in events:
        if event["kind"] != UNDO:
            kept.append(event)
        elif kept:
            gone = kept.pop()
            if kept and kept[-1]["kind"] == WEIGHTS and kept[-1]["step"] == gone.get("step"):
                kept.pop()
    return kept


def night_of(events: Iterable[Event]) -> Night:
    """Return the night that follows from events, in the order they were added.

    Raises
    ------
    InputError
        If they are not events of a night.
    """
    try:
        listed = _without_replaced(
            event for event in events if event["kind"] not in (PICKUP, LIVE, CHAT, TONIGHT)
        )
        ever = frozenset(
            player for event in listed if event["kind"] == WEIGHTS for player in event["weights"]
        )
        steps = counting(listed)
        night = Night()
        for event in steps:
            night = _after(night, event)
    except (KeyError, TypeError, ValueError) as error:
        msg = f"night: an event cannot be read: {error}"
        raise InputError(msg) from error
    return replace(night, steps=tuple(steps), ever_weighed=ever)


def _without_replaced(events: Iterable[Event]) -> list[Event]:
    """Return the steps; those before other starting weights were chosen for the archive have none."""
    steps: list[Event] = []
    for event in events:
        if event["kind"] == GUESSES:
            steps = [{**step, "weights": {}} if step["kind"] == WEIGHTS else step for step in steps]
        else:
            steps.append(event)
    return steps


def _after(night: Night, event: Event) -> Night:
    """Return the night after one event that counts."""
    if event["kind"] == WEIGHTS:
        spelled = {**night.spelled, **event["spelled"]}
        return replace(night, weights={**night.weights, **event["weights"]}, spelled=spelled)
    if event["kind"] == TEAMS:
        plain = event["proposal"]
        proposal = None if plain is None else from_plain(Proposal, plain, "proposal")
        tonight = () if event["fresh"] else night.tonight
        return replace(
            night,
            setup=from_plain(Setup, event["setup"], "setup"),
            spelled={**night.spelled, **event["spelled"]},
            proposal=proposal,
            tonight=tonight if proposal is None else (*tonight, proposal),
            plan=tuple(from_plain(Proposal, each, "plan") for each in event["plan"]),
        )
    proposal = night.proposal
    if event["kind"] != RESULT or proposal is None:
        msg = f"{event['kind']!r} cannot follow here"
        raise ValueError(msg)
    game = LedgerGame(proposal.teams, proposal.chances, tuple(event["ranks"]), proposal.out, proposal.moved,
                proposal.unmet)  # fmt: skip
    result = Result(proposal.id, game, tuple(event["scores"]), event["at"])
    return replace(night, results=(*night.results, result))


def teams_event(
    setup: Setup,
    proposal: Proposal | None,
    spelled: Mapping[str, str],
    step: str,
    *,
    fresh: bool,
    plan: Iterable[Proposal] = (),
) -> Event:
    """Return the event of teams; ``fresh`` where people gather again, ``plan`` the rounds that follow."""
    return {"kind": TEAMS, "step": step, "fresh": fresh, "setup": as_plain(setup), "spelled": dict(spelled),
            "proposal": as_plain(proposal), "plan": as_plain(tuple(plan))}  # fmt: skip


def event_renamed(event: Event, names: Mapping[str, str]) -> dict[str, Any]:
    """Return an event with other ids for some players, and without any name of theirs.

    Examples
    --------
    >>> event_renamed({"kind": "weights", "step": "1", "weights": {"ann": 5.0}, "spelled": {}}, {"ann": "x"})
    {'kind': 'weights', 'step': '1', 'weights': {'x': 5.0}, 'spelled': {}}
    """
    plain = dict(event)
    if plain.get("kind") == TONIGHT:
        return {name: values_renamed(value, names) for name, value in plain.items()}
    if "weights" in plain:
        plain["weights"] = {names.get(player, player): each for player, each in plain["weights"].items()}
    if "spelled" in plain:
        plain["spelled"] = {
            names.get(player, player): names.get(player, name) for player, name in plain["spelled"].items()
        }
    for part, fields in (("setup", SETUP_IDS), ("proposal", PROPOSAL_IDS), ("game", PROPOSAL_IDS)):
        if plain.get(part) is not None:
            fields_now = {name: _named(plain[part][name], names) for name in fields}
            plain[part] = {**plain[part], **fields_now}
    if plain.get("kind") == PICKUP:
        plain["nick"] = "" if plain["event"].get("who") in names else plain["nick"]
        plain["event"] = {
            name: value if name in ("type", "lobby", "map", "kind", "choice") else _named([value], names)[0]
            for name, value in plain["event"].items()
        }
    if plain.get("kind") == CHAT and names.keys() & {plain["who"], plain.get("account")}:
        who: dict[str, Any] = {
            name: names.get(plain[name], plain[name]) for name in ("who", "account") if name in plain
        }
        plain = {
            "kind": CHAT,
            "at": plain["at"],
            **who,
            **({} if "account" in plain else {"nick": "", "sign": ""}),
        }
    if plain.get("plan"):
        plain["plan"] = [
            {**each, **{name: _named(each[name], names) for name in PROPOSAL_IDS}} for each in plain["plan"]
        ]
    return plain


def values_renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return plain data with other ids for some players wherever these stand, and without any name of theirs.

    Examples
    --------
    >>> values_renamed({"type": "claim", "who": "ann", "name": "Ann"}, {"ann": "x"})
    {'type': 'claim', 'who': 'x', 'name': 'x'}
    """
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, Mapping):
        found = {names.get(key, key): values_renamed(each, names) for key, each in value.items()}
        who = value.get("who", value.get("id"))
        if isinstance(who, str) and who in names and "name" in found:
            found["name"] = names[who]
        return found
    return [values_renamed(each, names) for each in value] if isinstance(value, list | tuple) else value


def _named(ids: Sequence[Any], names: Mapping[str, str]) -> list[Any]:
    """Return ids, or lists of ids, under other names; numbers stay as they are."""
    return [
        names.get(each, each) if isinstance(each, str)
        else _named(each, names) if isinstance(each, list | tuple) else each
        for each in ids
    ]  # fmt: skip


def team_named(night: Night, name: str) -> int:
    """Return the team, from 0, that is called by its name, its number, or one of its players.

    Raises
    ------
    InputError
        If there is none.
    """
    proposal = current(night)
    wanted = folded(name)
    called = [night.setup.called(n) for n in range(len(proposal.teams))]
    for n, team in enumerate(called):
        if wanted == folded(team):
            return n
    if wanted.isdecimal() and 1 <= int(wanted) <= len(called):
        return int(wanted) - 1
    player = night.id_of(name)
    for n, players in enumerate(proposal.teams):
        if player is not None and player in players:
            return n
    msg = f"team must be one of {', '.join(called)}, a number up to {len(called)} or a player, got {name!r}"
    raise InputError(msg)


def result_text(night: Night, ranks: Sequence[float]) -> str:
    """Return how a game ended."""
    best = [n for n, rank in enumerate(ranks) if rank == min(ranks)]
    return f"{night.setup.called(best[0])} won" if len(best) == 1 else "A draw"


def current(night: Night) -> Proposal:
    """Return the current teams.

    Raises
    ------
    InputError
        If there are none.
    """
    if night.proposal is None:
        msg = "there are no teams yet; 'equipoise night NAMES' makes them"
        raise InputError(msg)
    return night.proposal


def ranks_of(scores: Sequence[float]) -> tuple[float, ...]:
    """Return the rank of each score; more is better, equal is a tie.

    Examples
    --------
    >>> ranks_of([1, 3, 1])
    (2.0, 1.0, 2.0)
    """
    return tuple(1.0 + sum(other > score for other in scores) for score in scores)


def result_event(
    night: Night, ranks: Sequence[float], scores: Sequence[float], at: float, match: str | None = None
) -> Event | None:
    """Return the event of a result; None where exactly this was reported already.

    Parameters
    ----------
    night : Night
        With teams.
    ranks, scores : sequence of float
        One for each team; no scores where nobody counted.
    at : float
        When the game ended, seconds since 1970.
    match : str, optional
        The match that is meant; by default that of the current teams.

    Raises
    ------
    InputError
        If there are no such teams, the numbers are not one for each, or something else was reported.
    """
    ids = [current(night).id, *(result.match for result in night.results)]
    wanted = ids[0] if match is None else meant_by(match, ids)
    known = night.result_of(wanted)
    if known is not None:
        if known.game.ranks == tuple(ranks) and known.scores == tuple(scores):
            return None
        msg = (
            f"the result of {wanted} was reported already; 'equipoise night undo' takes it back, "
            "'equipoise night again' makes the next teams"
        )
        raise InputError(msg)
    if wanted != current(night).id:
        msg = f"match: the current teams are {current(night).id}, got {wanted!r}"
        raise InputError(msg)
    if len(ranks) != len(current(night).teams):
        msg = f"score must be one number for each of {len(current(night).teams)} teams, got {len(ranks)}"
        raise InputError(msg)
    return {"kind": RESULT, "match": wanted, "ranks": list(ranks), "scores": list(scores), "at": at}


def match_of(night: Night, event: Event) -> Match:
    """Return the match of a result, as an archive keeps it."""
    proposal = current(night)
    team_of = {player: n for n, team in enumerate(proposal.teams) for player in team}
    together = [
        [player for player in duo if team_of.get(player) == n]
        for duo in night.setup.duos
        for n in range(len(proposal.teams))
    ]
    contest = Contest(
        Ruleset(),
        proposal.teams,
        event["ranks"],
        at=event["at"],
        scores=event["scores"],
        parties=[duo for duo in together if len(duo) > 1],
    )
    names = tuple((player, night.spelled.get(player, player)) for player in team_of)
    return Match((contest,), ended=event["at"], id=event["match"], names=names)
