"""An evening that a group lives in its browsers, as a state machine without I/O: steps in, a state out.

A step is plain data, made by a tap: what was done, by whom (the organiser or a guest, with a device), and,
where teams had to be found or judged, the answer that was found.  So replaying the steps gives the same state
without another search, and :func:`question` says beforehand what a step needs an answer to.

To undo is a step too.  It names the step that no longer counts; the state is that of all others.
What of them makes no sense without it changes nothing, so that a guest who came meanwhile is still there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import chain, cycle
from typing import Any

from equipoise.errors import InputError
from equipoise.play.ledger import LedgerGame

#: One step as plain data.
Step = Mapping[str, Any]

#: Who may be there, how long a name may be, and how many names that nobody bore a guest's device may bring.
MOST_PEOPLE, LONGEST_NAME, MOST_NEW = 200, 40, 3

#: Whom a step is by.
ORGANISER, GUEST = "organiser", "guest"

#: What guests may do; all else is the organiser's.
FOR_GUESTS = frozenset({"claim", "status", "allow", "deny", "pick", "undo"})

#: Steps that are not taken back: they open and end the evening, or are no tap.
FOR_GOOD = frozenset({"open", "keys", "undo", "redo", "changed"})

IN, MAYBE, OUT = "in", "maybe", "out"


class TonightPhase(StrEnum):
    """What the evening is at."""

    GATHERING = "gathering"
    DRAFTING = "drafting"
    TEAMS = "teams"
    PLAYING = "playing"
    SAVED = "saved"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class TonightPlayer:
    """Somebody of the evening.

    Parameters
    ----------
    name : str
        How they are written.
    status : str
        ``in``, ``maybe`` or ``out``.
    until : str
        Until when somebody will know, as they wrote it.
    seat : str
        The device that answers for them; empty where nobody took the name yet.
    asked : str
        A device that asks for the seat of another one.
    """

    name: str
    status: str = IN
    until: str = ""
    seat: str = ""
    asked: str = ""


@dataclass(frozen=True, slots=True)
class TonightDivision:
    """The teams in view.

    Parameters
    ----------
    id : str
        The id that their match will have.
    teams : tuple of tuples of str
        Ids.
    chances : tuple of float
        Each team's win probability.
    out : tuple of str
        Who sits out.
    proof : str
        ``proven``, ``near``, ``found`` or ``captains``.
    best : tuple of float
        The chances of the best teams that were found; empty where none were sought.
    by_hand : bool
        Whether somebody has changed them.
    others : tuple of mappings
        Teams and chances to step through, those in view first.
    at : int
        Which of the others is in view.
    locks : tuple of str
        Who stays in the current team when teams are made again.
    why : mapping
        What the search went through, for the one sentence that says why.
    ratings : mapping
        What was known of everyone when the teams were made: ``mu``, ``sigma``, points with their band, games.
    beta, zero : float
        Noise of one player, and the skill of one who makes no difference, in the units of the ratings.
    picks : tuple of (str, str)
        Who picked whom.
    """

    id: str
    teams: tuple[tuple[str, ...], ...]
    chances: tuple[float, ...]
    out: tuple[str, ...] = ()
    proof: str = "found"
    best: tuple[float, ...] = ()
    by_hand: bool = False
    others: tuple[Mapping[str, Any], ...] = ()
    at: int = 0
    locks: tuple[str, ...] = ()
    why: Mapping[str, Any] = field(default_factory=dict)
    ratings: Mapping[str, Any] = field(default_factory=dict)
    beta: float = 1.0
    zero: float = 0.0
    picks: tuple[tuple[str, str], ...] = ()

    def team_of(self, player: str) -> int | None:
        """Return the team of somebody, from 0; None where they are in none."""
        return next((n for n, team in enumerate(self.teams) if player in team), None)


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
class Tonight:
    """What follows from the steps.

    Parameters
    ----------
    title : str
        What the evening is called.
    starts, expires : float
        When it begins, and until when its links hold; seconds since 1970, 0 where unknown.
    keys : mapping
        Whose each link and code is, by its hash: ``organiser``, ``guests`` or ``code``.
    teams, size : int
        How many teams of how many at most; a size of 0 lets everyone play.
    ruleset : str
        What is played, as rulesets are written; empty for nothing in particular.
    people : mapping
        Everybody, in the order they came, by id.
    parties : tuple of tuples of str
        Who stays together.
    apart : tuple of (str, str)
        Who never plays in one team.
    phase : Phase
        What the evening is at.
    division : Division or None
        The teams in view.
    results : tuple of Result
        What was played.
    changes : mapping
        From matches to what they changed.
    captains : tuple of str
        Who picks, during a draft, in the order of their teams.
    """

    title: str = ""
    starts: float = 0.0
    expires: float = 0.0
    keys: Mapping[str, str] = field(default_factory=dict)
    teams: int = 2
    size: int = 0
    ruleset: str = ""
    people: Mapping[str, TonightPlayer] = field(default_factory=dict)
    parties: tuple[tuple[str, ...], ...] = ()
    apart: tuple[tuple[str, str], ...] = ()
    phase: TonightPhase = TonightPhase.GATHERING
    division: TonightDivision | None = None
    results: tuple[Result, ...] = ()
    changes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    captains: tuple[str, ...] = ()
    brought: Mapping[str, int] = field(default_factory=dict)

    @property
    def here(self) -> tuple[str, ...]:
        """Who is in, in the order they came."""
        return tuple(player for player, each in self.people.items() if each.status == IN)

    @property
    def round(self) -> int:
        """The round that is coming or being played, from 1."""
        return len(self.results) + (self.phase is not TonightPhase.SAVED)

    @property
    def games(self) -> list[LedgerGame]:
        """What was played, for the ledger."""
        return [each.game for each in self.results]

    @property
    def seen(self) -> frozenset[frozenset[frozenset[str]]]:
        """The teams that were played."""
        return frozenset(frozenset(map(frozenset, each.game.teams)) for each in self.results)

    @property
    def turn(self) -> int | None:
        """The team that picks next in a draft; None where none does."""
        if self.phase is not TonightPhase.DRAFTING or self.division is None:
            return None
        sizes = [len(team) for team in self.division.teams]
        most = -(-(sum(sizes) + len(self.unpicked)) // len(sizes))
        order = cycle((*range(len(sizes)), *reversed(range(len(sizes)))))  # in a row, then back
        turn: int = next(order)
        for _ in range(len(self.division.picks)):
            turn = next(order)
        while sizes[turn] >= most:
            turn = next(order)
        return turn

    @property
    def unpicked(self) -> list[str]:
        """Those whom no captain has picked yet."""
        placed = set(chain(*self.division.teams)) if self.division else set()
        return [player for player in self.here if player not in placed]


def refuse(why: str) -> InputError:
    """Return the error of a step that makes no sense; its text is for people."""
    return InputError(why)


def after(state: Tonight, step: Step) -> Tonight:
    """Return the state after a step.

    Raises
    ------
    InputError
        If the step makes no sense now, or is not for who takes it.
    """
    check(state, step)
    return _STEPS[step["type"]](state, step)


def check(state: Tonight, step: Step) -> None:
    """Refuse a step that is not for who takes it, or for other teams than those in view.

    Raises
    ------
    InputError
        With the reason.
    """
    kind = step["type"]
    if kind not in _STEPS:
        msg = f"a step must be one of {', '.join(_STEPS)}, got {kind!r:.40}"
        raise refuse(msg)
    if step.get("by") != ORGANISER and kind not in FOR_GUESTS:
        msg = "Only the organiser can do that."
        raise refuse(msg)
    if state.phase is TonightPhase.ENDED and kind not in ("open", "keys"):
        msg = "This evening is over."
        raise refuse(msg)
    if step.get("match") and kind != "changed" and step["match"] != _division(state).id:
        msg = "The teams have changed meanwhile."
        raise refuse(msg)


def question(state: Tonight, step: Step) -> dict[str, Any] | None:
    """Return what a step needs an answer to before it is taken, None where it needs none.

    ``divide`` asks for new teams, ``join`` for the current teams with other people, ``judge`` for the chances
    of given teams.
    """
    kind, division = step["type"], state.division
    check(state, step)
    if kind == "divide":
        _may_divide(state, step)
        locks = {} if division is None else {player: division.team_of(player) for player in division.locks}
        here = set(state.here)
        return {"ask": "divide", "here": state.here, "fixed": {p: n for p, n in locks.items() if p in here}}
    if kind in ("claim", "status") and state.phase is TonightPhase.TEAMS and division is not None:
        changed = after(state, {**step, "answer": None})
        playing, here = set(chain(*division.teams, division.out)), set(changed.here)
        return {"ask": "join", "here": changed.here} if playing != here else None
    if kind == "sitout":
        _in_view(state)
        return {
            "ask": "join",
            "here": [each for each in state.here if each != step["who"]],
            "rest": step["who"],
        }
    teams = _teams_after(state, step)
    return None if teams is None else {"ask": "judge", "teams": teams}


def _teams_after(state: Tonight, step: Step) -> list[list[str]] | None:
    """Return the teams that a step makes by hand, None for other steps."""
    kind = step["type"]
    if kind == "swap":
        return _exchanged(_division(state), step["one"], step["other"])
    if kind == "substitute":
        return [
            [step["new"] if each == step["old"] else each for each in team] for team in _division(state).teams
        ]
    if kind == "exactly":
        return [list(team) for team in step["teams"]]
    if kind == "pick" and state.phase is TonightPhase.DRAFTING:
        drafted = _picked(state, step["who"])
        return None if drafted.unpicked else [list(team) for team in _division(drafted).teams]
    return None


def _division(state: Tonight) -> TonightDivision:
    if state.division is None:
        msg = "There are no teams yet."
        raise refuse(msg)
    return state.division


def _exchanged(division: TonightDivision, one: str, other: str) -> list[list[str]]:
    first, second = division.team_of(one), division.team_of(other)
    if one in division.out or other in division.out:
        place = {one: other, other: one}
        if first is None and second is None:
            msg = "Both sit out."
            raise refuse(msg)
        return [[place.get(each, each) for each in team] for team in division.teams]
    if first is None or second is None or first == second:
        msg = "A swap needs two players of different teams."
        raise refuse(msg)
    place = {one: other, other: one}
    return [[place.get(each, each) for each in team] for team in division.teams]


# The steps


def _open(state: Tonight, step: Step) -> Tonight:
    del state
    return Tonight(
        step["title"],
        step["starts"],
        step["expires"],
        dict(step["keys"]),
        step["teams"],
        step["size"],
        step["ruleset"],
        apart=tuple(tuple(pair) for pair in step.get("apart", ())),
    )


def _keys(state: Tonight, step: Step) -> Tonight:
    expires = step.get("expires", state.expires)
    keys = dict(step["keys"]) if step["only"] else {**state.keys, **step["keys"]}
    return replace(state, keys=keys, expires=expires)


def _claim(state: Tonight, step: Step) -> Tonight:
    """Somebody says on their device who they are, which means that they are in."""
    who, device, name = step["who"], step["device"], step["name"]
    if step.get("seatless"):  # the organiser adds somebody
        device = ""
    known = state.people.get(who)
    brought = dict(state.brought)
    if known is None:
        if len(state.people) >= MOST_PEOPLE:
            msg = f"There are {MOST_PEOPLE} names already."
            raise refuse(msg)
        if not 0 < len(name) <= LONGEST_NAME:
            msg = f"A name has 1 to {LONGEST_NAME} letters."
            raise refuse(msg)
        if step["by"] != ORGANISER and not step.get("regular"):
            brought[device] = brought.get(device, 0) + 1
            if brought[device] > MOST_NEW:
                msg = "This phone has brought enough new names; ask the organiser."
                raise refuse(msg)
    elif known.seat and known.seat != device and device:
        if known.asked == device:
            return state
        return _with(state, who, replace(known, asked=device))
    people = {
        player: replace(each, seat="") if device and each.seat == device and player != who else each
        for player, each in state.people.items()
    }
    seat = device or (known.seat if known else "")
    people[who] = TonightPlayer(name if known is None else known.name, IN, "", seat)
    return _rejoined(replace(state, people=people, brought=brought), step)


def _with(state: Tonight, who: str, player: TonightPlayer) -> Tonight:
    return replace(state, people={**state.people, who: player})


def _known(state: Tonight, who: str) -> TonightPlayer:
    if who not in state.people:
        msg = "That name is not here."
        raise refuse(msg)
    return state.people[who]


def _answers_for(state: Tonight, step: Step) -> TonightPlayer:
    """Return the player of a step, which the one on the seat or the organiser may take."""
    player = _known(state, step["who"])
    if step["by"] != ORGANISER and player.seat != step["device"]:
        msg = f"{player.name} is on another phone."
        raise refuse(msg)
    return player


def _allow(state: Tonight, step: Step) -> Tonight:
    player = _answers_for(state, step)
    if not player.asked:
        msg = "Nobody asks for that name now."
        raise refuse(msg)
    people = {
        who: replace(each, seat="") if each.seat == player.asked else each
        for who, each in state.people.items()
    }
    people[step["who"]] = replace(player, seat=player.asked, asked="")
    return replace(state, people=people)


def _deny(state: Tonight, step: Step) -> Tonight:
    player = _answers_for(state, step)
    return _with(state, step["who"], replace(player, asked=""))


def _status(state: Tonight, step: Step) -> Tonight:
    if step["status"] not in (IN, MAYBE, OUT):
        msg = "A status is in, maybe or out."
        raise refuse(msg)
    player = _answers_for(state, step)
    until = step.get("until", "")[:LONGEST_NAME] if step["status"] == MAYBE else ""
    if (player.status, player.until) == (step["status"], until):
        return state
    people = dict(state.people)
    if step["status"] == IN:  # whoever comes back has come last
        del people[step["who"]]
    people[step["who"]] = replace(player, status=step["status"], until=until)
    return _rejoined(replace(state, people=people), step)


def _rejoined(state: Tonight, step: Step) -> Tonight:
    """Return the state with the teams that follow from somebody's coming or going, where there are any."""
    answer = step.get("answer")
    if state.phase is not TonightPhase.TEAMS or state.division is None:
        return state
    if answer is None:
        left = set(chain(*state.division.teams)) - set(state.here)
        return (
            replace(state, division=None, phase=TonightPhase.GATHERING)
            if left and "answer" not in step
            else state
        )
    if answer.get("none"):
        return replace(state, division=None, phase=TonightPhase.GATHERING)
    if answer["of"] != state.division.id:
        return state
    return replace(state, division=_divided(answer, state.division))


def _add(state: Tonight, step: Step) -> Tonight:
    people = dict(state.people)
    for each in step["people"]:
        known = people.pop(each["id"], None)
        player = known or TonightPlayer(each["name"])
        people[each["id"]] = replace(player, status=each.get("status", IN))
    if len(people) > MOST_PEOPLE:
        msg = f"There is room for {MOST_PEOPLE} names."
        raise refuse(msg)
    parties = (*state.parties, *(tuple(party) for party in step.get("parties", ())))
    return replace(state, people=people, parties=parties)


def _party(state: Tonight, step: Step) -> Tonight:
    """Let people stay together, or, where one list is given that is a party, no longer."""
    wanted = tuple(step["who"])
    for each in wanted:
        _known(state, each)
    others = tuple(party for party in state.parties if not set(party) & set(wanted))
    return replace(state, parties=others if len(wanted) < 2 else (*others, wanted))


def _settings(state: Tonight, step: Step) -> Tonight:
    teams, size = int(step["teams"]), int(step.get("size", 0))
    if not 2 <= teams <= 8 or not 0 <= size <= 64:
        msg = "There are 2 to 8 teams of at most 64."
        raise refuse(msg)
    return replace(state, teams=teams, size=size)


def _divided(answer: Mapping[str, Any], before: TonightDivision | None = None) -> TonightDivision:
    """Return the teams of an answer."""
    others = tuple(answer.get("others", ()))
    locks = () if before is None else before.locks
    playing = set(chain(*answer["teams"]))
    return TonightDivision(
        answer["id"],
        tuple(map(tuple, answer["teams"])),
        tuple(answer["chances"]),
        tuple(answer.get("out", ())),
        answer.get("proof", "found"),
        tuple(answer.get("best", answer["chances"])),
        False,
        others,
        0,
        tuple(player for player in locks if player in playing),
        answer.get("why", {}),
        answer["ratings"],
        answer["beta"],
        answer["zero"],
    )


def _may_divide(state: Tonight, step: Step) -> None:
    if state.phase is TonightPhase.PLAYING:
        msg = "A game is being played."
        raise refuse(msg)
    if step.get("round") not in (None, len(state.results) + 1):
        msg = "That round is over."
        raise refuse(msg)


def _divide(state: Tonight, step: Step) -> Tonight:
    _may_divide(state, step)
    return replace(
        state, phase=TonightPhase.TEAMS, division=_divided(step["answer"], state.division), captains=()
    )


def _in_view(state: Tonight) -> TonightDivision:
    if state.phase is not TonightPhase.TEAMS:
        msg = "These teams are not open to changes."
        raise refuse(msg)
    return _division(state)


def _next(state: Tonight, step: Step) -> Tonight:
    del step
    division = _in_view(state)
    if len(division.others) < 2:
        msg = "There are no other teams to step to."
        raise refuse(msg)
    at = 0 if division.by_hand else (division.at + 1) % len(division.others)
    other = division.others[at]
    shown = replace(
        division,
        teams=tuple(map(tuple, other["teams"])),
        chances=tuple(other["chances"]),
        at=at,
        by_hand=False,
    )
    return replace(state, division=shown)


def _by_hand(state: Tonight, step: Step, teams: Sequence[Sequence[str]]) -> TonightDivision:
    division, answer = _division(state), step["answer"]
    everyone = set(chain(*division.teams, division.out))
    playing = set(chain(*teams))
    out = tuple(each for each in state.here if each in everyone | set(state.here) and each not in playing)
    back = next((n for n, each in enumerate(division.others) if _same(each["teams"], teams)), None)
    return replace(
        division,
        teams=tuple(map(tuple, teams)),
        chances=tuple(answer["chances"]),
        out=out,
        by_hand=back is None,
        at=division.at if back is None else back,
        ratings={**division.ratings, **answer["ratings"]},
    )


def _same(one: Iterable[Iterable[str]], other: Iterable[Iterable[str]]) -> bool:
    return list(map(set, one)) == list(map(set, other))


def _swap(state: Tonight, step: Step) -> Tonight:
    division = _in_view(state)
    for each in (step["one"], step["other"]):
        if each in division.locks:
            msg = f"{_known(state, each).name} is locked."
            raise refuse(msg)
    return replace(state, division=_by_hand(state, step, _exchanged(division, step["one"], step["other"])))


def _lock(state: Tonight, step: Step) -> Tonight:
    division = _in_view(state)
    if division.team_of(step["who"]) is None:
        msg = "Only who is in a team can be kept there."
        raise refuse(msg)
    locks = tuple(each for each in division.locks if each != step["who"])
    return replace(
        state, division=replace(division, locks=(*locks, step["who"]) if step.get("on", True) else locks)
    )


def _sitout(state: Tonight, step: Step) -> Tonight:
    division = _in_view(state)
    _known(state, step["who"])
    answer = step["answer"]
    divided = _divided(answer, division)
    return replace(state, division=replace(divided, out=(*divided.out, step["who"])))


def _exactly(state: Tonight, step: Step) -> Tonight:
    """Take the teams of a link."""
    teams, answer = step["teams"], step["answer"]
    flat = list(chain(*teams))
    here = set(state.here)
    if len(set(flat)) < len(flat) or not set(flat) <= here or not all(teams) or len(teams) < 2:
        msg = "That link names people who are not here."
        raise refuse(msg)
    out = tuple(each for each in state.here if each not in set(flat))
    given = {
        "id": answer["id"],
        "teams": teams,
        "chances": answer["chances"],
        "out": out,
        "proof": "hand",
        "ratings": answer["ratings"],
        "beta": answer["beta"],
        "zero": answer["zero"],
    }
    divided = replace(_divided(given), by_hand=True, best=())
    return replace(state, phase=TonightPhase.TEAMS, division=divided, teams=len(teams))


def _draft(state: Tonight, step: Step) -> Tonight:
    captains = tuple(step["captains"])
    if state.phase == TonightPhase.PLAYING:
        msg = "A game is being played."
        raise refuse(msg)
    if (
        len(captains) != state.teams
        or len(set(captains)) < len(captains)
        or not set(captains) <= set(state.here)
    ):
        msg = f"A draft needs {state.teams} captains who are in."
        raise refuse(msg)
    division = TonightDivision(
        f"draft-{step['id']}", tuple((each,) for each in captains), (), proof="captains"
    )
    return replace(state, phase=TonightPhase.DRAFTING, captains=captains, division=division)


def _picked(state: Tonight, who: str) -> Tonight:
    """Return the draft after a pick; a party comes along, and the last one is picked by nobody."""
    turn, division = state.turn, _division(state)
    if turn is None or who not in state.unpicked:
        msg = "Nobody can be picked now." if turn is None else "That player is taken."
        raise refuse(msg)
    coming = [who, *(each for party in state.parties if who in party for each in party if each != who)]
    coming = [each for each in coming if each in state.unpicked]
    teams = tuple((*team, *coming) if n == turn else team for n, team in enumerate(division.teams))
    picks = (*division.picks, (state.captains[turn], who))
    drafted = replace(state, division=replace(division, teams=teams, picks=picks))
    return _picked(drafted, drafted.unpicked[0]) if len(drafted.unpicked) == 1 else drafted


def _pick(state: Tonight, step: Step) -> Tonight:
    turn = state.turn
    if turn is None:
        msg = "Nobody picks now."
        raise refuse(msg)
    captain = state.people[state.captains[turn]]
    if step["by"] != ORGANISER and captain.seat != step["device"]:
        msg = f"It is {captain.name}'s turn."
        raise refuse(msg)
    drafted = _picked(state, step["who"])
    if drafted.unpicked:
        return drafted
    answer, division = step["answer"], _division(drafted)
    complete = replace(
        division,
        chances=tuple(answer["chances"]),
        ratings=answer["ratings"],
        beta=answer["beta"],
        zero=answer["zero"],
    )
    return replace(drafted, division=complete, phase=TonightPhase.TEAMS)


def _play(state: Tonight, step: Step) -> Tonight:
    del step
    _in_view(state)
    return replace(state, phase=TonightPhase.PLAYING)


def _result(state: Tonight, step: Step) -> Tonight:
    division = _division(state)
    if state.phase not in (TonightPhase.PLAYING, TonightPhase.TEAMS):
        msg = "This result is saved already."
        raise refuse(msg)
    ranks, scores = tuple(map(float, step["ranks"])), tuple(map(float, step.get("scores", ())))
    if len(ranks) != len(division.teams) or len(scores) not in (0, len(ranks)):
        msg = "A result has a number for each team."
        raise refuse(msg)
    game = LedgerGame(division.teams, division.chances, ranks, division.out)
    result = Result(division.id, game, scores, step["at"])
    return replace(state, phase=TonightPhase.SAVED, results=(*state.results, result))


def _substitute(state: Tonight, step: Step) -> Tonight:
    division, old, new = _division(state), step["old"], step["new"]
    if state.phase not in (TonightPhase.TEAMS, TonightPhase.PLAYING) or division.team_of(old) is None:
        msg = "Only who plays can be substituted."
        raise refuse(msg)
    if division.team_of(new) is not None:
        msg = f"{_known(state, new).name} plays already."
        raise refuse(msg)
    people = dict(state.people)
    people[new] = replace(_known(state, new), status=IN)
    if step.get("leaves"):
        people[old] = replace(people[old], status=OUT)
    changed = replace(state, people=people)
    teams = [[new if each == old else each for each in team] for team in division.teams]
    return replace(changed, division=_by_hand(changed, step, teams))


def _changed(state: Tonight, step: Step) -> Tonight:
    """Keep what a result changed, for the page."""
    return replace(state, changes={**state.changes, step["match"]: {"rows": step["rows"], "of": step["of"]}})


def _end(state: Tonight, step: Step) -> Tonight:
    del step
    return replace(state, phase=TonightPhase.ENDED)


def _no_step(state: Tonight, step: Step) -> Tonight:
    del step
    return state


_STEPS: dict[str, Callable[[Tonight, Step], Tonight]] = {
    "open": _open,
    "keys": _keys,
    "claim": _claim,
    "allow": _allow,
    "deny": _deny,
    "status": _status,
    "add": _add,
    "party": _party,
    "settings": _settings,
    "divide": _divide,
    "next": _next,
    "swap": _swap,
    "lock": _lock,
    "sitout": _sitout,
    "exactly": _exactly,
    "draft": _draft,
    "pick": _pick,
    "play": _play,
    "result": _result,
    "substitute": _substitute,
    "changed": _changed,
    "end": _end,
    "undo": _no_step,
    "redo": _no_step,
}


class TonightRecord:
    """The steps of one evening, those that were undone, and the state that follows."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.undone: list[str] = []
        self.state = Tonight()
        self.revision = 0
        self.ids: set[str] = set()
        self._redoable: list[str] = []

    def take(self, step: Step) -> None:
        """Take a step.

        Raises
        ------
        InputError
            If it makes no sense; nothing has changed then.
        """
        kind = step["type"]
        if kind == "open":  # an evening of this name begins again: what was before is history
            state = after(Tonight(), step)
            self.steps, self.undone, self._redoable = [], [], []
        elif kind == "undo":
            state = self._undone(step)
        elif kind == "redo":
            state = self._redone(step)
        else:
            state = after(self.state, step)
            if step["by"] == ORGANISER and kind not in FOR_GOOD:
                self._redoable = []
        self.state = state
        self.steps.append(step)
        self.ids.add(step["id"])
        self.revision += 1

    def target(self, device: str, by: str) -> Step | None:
        """Return the step that an undo takes back: the organiser's last one, or that of a device."""
        for step in reversed(self.steps):
            mine = step["by"] == ORGANISER if by == ORGANISER else step.get("device") == device
            if mine and step["type"] not in FOR_GOOD and step["id"] not in self.undone:
                return step
        return None

    @property
    def again(self) -> Step | None:
        """The step that a redo would let count again."""
        wanted = self._redoable[-1] if self._redoable else None
        return next((step for step in self.steps if step["id"] == wanted), None)

    def step(self, of: str) -> Step | None:
        """Return the step of an id."""
        return next((step for step in self.steps if step["id"] == of), None)

    def _undone(self, step: Step) -> Tonight:
        wanted = self.step(step["of"])
        if wanted is None or wanted["type"] in FOR_GOOD or wanted["id"] in self.undone:
            msg = "That is undone already."
            raise refuse(msg)
        if step["by"] != ORGANISER and wanted.get("device") != step["device"]:
            msg = "Only the organiser can undo what somebody else did."
            raise refuse(msg)
        if wanted["by"] == ORGANISER and wanted is not self.target(step["device"], ORGANISER):
            msg = "Something else was done meanwhile."
            raise refuse(msg)
        self.undone.append(wanted["id"])
        if wanted["by"] == ORGANISER:
            self._redoable.append(wanted["id"])
        return self._folded()

    def _redone(self, step: Step) -> Tonight:
        again = self.again
        if step["by"] != ORGANISER or again is None or again["id"] != step["of"]:
            msg = "There is nothing to do again."
            raise refuse(msg)
        self._redoable.pop()
        self.undone.remove(again["id"])
        return self._folded()

    def _folded(self) -> Tonight:
        """Return the state that follows from the steps that count."""
        state, gone = Tonight(), set(self.undone)
        for step in self.steps:
            if step["id"] in gone:
                continue
            try:
                state = after(state, step)
            except (InputError, KeyError):  # it makes no sense without the one that was undone
                continue
        return state
