"""What people type in a chat, as events of an evening: ``!add ctf``, ``!report won``, ``!in Amber, Birch``.

A chat may have lobbies where a game begins by itself and one where teams are called for.  Words that both
know are of the game somebody is in, or else of the lobby where teams are called for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from equipoise.errors import InputError, nearest
from equipoise.play import evening_events as ev
from equipoise.play.evening import Evening, one_of, ranks_of
from equipoise.play.evening_events import Event
from equipoise.play.evening_state import team_called

#: What a question is about; the answers are in :mod:`equipoise.pages.text.evening`.
QUESTIONS = ("status", "teams", "rank", "why", "help")

#: Every command with what follows it.
COMMANDS = {
    "add": "[LOBBY]", "leave": "[LOBBY]", "status": "", "teams": "", "sub": "[NAME]",
    "report": "won|lost|draw|3 1",
    "undo": "[GAME]", "rank": "[NAME]", "why": "", "ready": "", "late": "", "yes": "", "no": "",
    "captains": "[NAMES]",
    "pick": "NAME", "veto": "MAP", "confirm": "", "duo": "[NAME]", "prefer": "NAME", "avoid": "NAME",
    "nevermind": "NAME", "remove": "NAME", "correct": "GAME 3 1", "cancel": "GAME", "help": "",
    "vote": "MAP|yes|no",
}  # fmt: skip

#: Commands where teams are called for.
CALLED = {
    "in": "[NAMES]", "maybe": "[NAMES]", "out": "[NAMES]", "divide": "[same]", "swap": "NAME, NAME",
    "lock": "[NAMES]", "unlock": "[NAMES]", "maps": "MAP,MAP [veto|vote]", "roles": "tank:1,healer:2",
    "plays": "NAME ROLE,ROLE", "won": "TEAM", "draw": "", "score": "3 1",
}  # fmt: skip

#: Those that whoever runs the evening gives; with nobody in charge everyone does.
RUNNING = frozenset(("divide", "swap", "lock", "unlock", "maps", "roles", "captains"))

#: Shorter ways to say the same.
SHORT = {"join": "add", "remove_me": "leave", "r": "ready", "y": "yes", "n": "no", "who": "status",
         "again": "divide", "score": "score", "win": "won"}  # fmt: skip

#: Between names: a comma, or "for".
BETWEEN = re.compile(r"\s*,\s*|\s+for\s+")


@dataclass(frozen=True, slots=True)
class ChatQuestion:
    """Somebody asks for something that changes nothing."""

    about: str
    who: str
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Speaking:
    """Who speaks, and where.

    Parameters
    ----------
    who : str
        The id of the one who types in games that begin by themselves.
    id_of : callable
        From a nick to such an id, None where nobody has it.
    admin : bool
        Whether this is one of those in charge.
    lobbies : sequence of str
        The lobbies of this place; empty for all there are.
    person : callable, optional
        From what is typed, empty for the one who types, to the id of somebody where teams are called for,
        None where there is none of that name.
    runs : bool
        Whether this one may call for teams, as somebody in charge or because nobody is.
    written : callable, optional
        From what is typed and the id of who is meant to how they are written, empty where that is known.
    """

    who: str
    id_of: Callable[[str], str | None]
    admin: bool = False
    lobbies: Sequence[str] = ()
    person: Callable[[str], str | None] = field(default=lambda name: name or None)
    runs: bool = True
    written: Callable[[str, str], str] = field(default=lambda typed, player: typed * (typed == player))


def understood(text: str, speaking: Speaking, evening: Evening) -> Event | ChatQuestion:
    """Return what somebody means.

    Parameters
    ----------
    text : str
        Their words, with the exclamation mark.
    speaking : Speaking
        Who types, and where.
    evening : Evening
        What they are about.

    Raises
    ------
    InputError
        If it means nothing; the message says what does.
    """
    word, _, rest = text.lstrip("!").strip().partition(" ")
    name, rest = SHORT.get(word.lower(), word.lower()), rest.strip()
    called = _called_lobby(speaking, evening)
    known = {**COMMANDS, **CALLED} if called else COMMANDS
    if name not in known:
        near = nearest(name, known)
        msg = f"there is no !{word:.20}" + (
            f"; did you mean !{near}?" if near else "; !help lists what there is"
        )
        raise InputError(msg)
    if name in QUESTIONS:
        return ChatQuestion(name, speaking.who, rest)
    if known[name] and not known[name].startswith("[") and not rest:
        msg = f"write !{name} {known[name]}"
        raise InputError(msg)
    game = evening.game_of(speaking.who)
    if called and (game is None or game.lobby.called or name not in COMMANDS):
        event = _of_called(name, rest, called, speaking, evening)
        if event is not None:
            return event
    if name in ("report", "correct", "undo", "cancel"):
        return _of_game(name, rest, speaking, evening)
    return _alone(name, rest, speaking, evening) or _of_people(name, rest, speaking, evening)


def _alone(name: str, rest: str, speaking: Speaking, evening: Evening) -> Event | None:
    """Return what is meant by words that name nobody else, None where they do."""
    who = speaking.who
    plain: dict[str, Callable[[], Event]] = {
        "yes": lambda: ev.Vote(who, "yes"), "no": lambda: ev.Vote(who, "no"),
        "captains": lambda: ev.Vote(who, "captains"), "vote": lambda: ev.Vote(who, rest),
        "ready": lambda: ev.Ready(who), "late": lambda: ev.Late(who), "confirm": lambda: ev.Confirm(who),
        "add": lambda: ev.Add(who, _lobby(rest, speaking, evening)),
        "leave": lambda: ev.Leave(who, _lobby(rest, speaking, evening) if rest else ""),
        "veto": lambda: ev.Veto(who, rest),
    }  # fmt: skip
    return plain[name]() if name in plain else None


def _lobby(typed: str, speaking: Speaking, evening: Evening) -> str:
    """Return the lobby of this place that is called so, or the only one where none is named."""
    here = [name for name in speaking.lobbies or evening.lobbies if not evening.lobbies[name].called]
    if not typed and len(here) == 1:
        return here[0]
    found = [name for name in here if typed in (name, name.rpartition("/")[2])]
    if not found:
        raise InputError(one_of("lobby", typed, [name.rpartition("/")[2] for name in here]))
    return found[0]


def _called_lobby(speaking: Speaking, evening: Evening) -> str:
    """Return the lobby of this place where teams are called for, empty where there is none."""
    names = speaking.lobbies or evening.lobbies
    return next((name for name in names if evening.lobbies[name].called), "")


def _of_people(name: str, rest: str, speaking: Speaking, evening: Evening) -> Event:
    who, other = speaking.who, speaking.id_of(rest) if rest else ""
    if other is None:
        msg = f"there is no {rest:.40} here"
        raise InputError(msg)
    if name == "sub":
        return ev.Sub(who) if not rest and evening.game_of(who) is not None else ev.Fill(who, other)
    if name == "duo":
        return ev.Duo(who, other)
    if name == "pick":
        return ev.Pick(who, other)
    if name == "remove":
        return ev.Remove(who, other, speaking.admin)
    return ev.Prefer(who, other, {"prefer": "prefer", "avoid": "avoid"}.get(name, "none"))


def _of_game(name: str, rest: str, speaking: Speaking, evening: Evening) -> Event:
    who, admin = speaking.who, speaking.admin
    if name == "report":
        return ev.Report(who, *_result(rest, who, evening))
    game, _, claim = rest.partition(" ")
    if name == "cancel":
        return ev.Cancel(who, game, admin)
    if name == "undo":
        return ev.Undo(who, game, admin)
    ranks, scores = _scores(claim)
    return ev.Correct(who, game, ranks, admin, scores)


# Where teams are called for


def _of_called(name: str, rest: str, lobby: str, speaking: Speaking, evening: Evening) -> Event | None:
    """Return what is meant where teams are called for, None where the words are of another lobby."""
    me = speaking.person("") or speaking.who
    if name in RUNNING and (rest or name != "captains") and not speaking.runs:
        msg = "only those in charge can do that"
        raise InputError(msg)
    states = {"in": ev.IN, "maybe": ev.MAYBE, "out": ev.OUT, "late": ev.LATER}
    if name in states:
        new = _people(rest, speaking, new=True) if rest else {me: ""}
        return ev.Attend(lobby, tuple(new), states[name], spelled={p: n for p, n in new.items() if n}, who=me)
    if name in ("won", "draw", "score", "report"):
        return _report_of_called(name, rest, lobby, me, speaking, evening)
    people = tuple(_people(rest, speaking)) if name in ("swap", "lock", "unlock", "captains", "pick") else ()
    if name == "swap" and len(people) != 2:
        msg = "write !swap NAME, NAME"
        raise InputError(msg)
    if name == "sub":
        pair = tuple(_people(rest, speaking, new=True).items())
        if len(pair) != 2:
            msg = "write !sub NAME for NAME"
            raise InputError(msg)
        (coming, spelled), (gone, _) = pair
        return ev.Substitute(lobby, coming, gone, {coming: spelled} if spelled else {}, who=me)
    if name == "maps":
        return _maps(rest, lobby, me)
    if name in ("roles", "plays"):
        return _roles(name, rest, lobby, me, speaking)
    plain: dict[str, Callable[[], Event]] = {
        "divide": lambda: ev.Call(lobby, rest == "same", who=me),
        "swap": lambda: ev.SwapPlayers(lobby, people[0], people[1], me),
        "lock": lambda: ev.Lock(lobby, people, who=me),
        "unlock": lambda: ev.Lock(lobby, people, on=False, who=me),
        "captains": lambda: ev.Captains(lobby, people, me) if rest else ev.Vote(me, "captains", lobby),
        "pick": lambda: ev.Pick("" if speaking.admin else me, people[0], lobby),
        "veto": lambda: ev.Veto("" if speaking.admin else me, rest, lobby),
        "yes": lambda: ev.Vote(me, "yes", lobby), "no": lambda: ev.Vote(me, "no", lobby),
        "vote": lambda: ev.Vote(me, rest, lobby),
        "undo": lambda: ev.Undo(me, rest, speaking.runs, lobby),
    }  # fmt: skip
    return plain[name]() if name in plain else None


def _people(text: str, speaking: Speaking, *, new: bool = False) -> dict[str, str]:
    """Return the ids of names with how they are typed; somebody ``new`` is the name that is typed."""
    parts = [part for part in BETWEEN.split(text) if part]
    if len(parts) == 1 and speaking.person(parts[0]) is None and not new:
        parts = parts[0].split()
    found: dict[str, str] = {}
    for part in parts:
        player = speaking.person(part)
        if player is None and not new:
            msg = f"there is no {part:.40} here"
            raise InputError(msg)
        found[player or part] = part if player is None else speaking.written(part, player)
    return found


def _maps(text: str, lobby: str, me: str) -> Event:
    words = text.split()
    by = words.pop() if words[-1] in (ev.STRIKE, ev.BALLOT, ev.TURN) else ev.TURN
    return ev.Maps(lobby, tuple(filter(None, re.split(r"[,\s]+", " ".join(words)))), by, me)


def _roles(name: str, text: str, lobby: str, me: str, speaking: Speaking) -> Event:
    if name == "plays":
        who, _, roles = text.partition(" ")
        (player,) = _people(who, speaking)
        return ev.SetRoles(lobby, ((player, tuple(filter(None, re.split(r"[,\s]+", roles)))),), who=me)
    needs = re.findall(r"([^\s,:=]+)[:=](\d{1,3})", text)
    if not needs and text != "none":
        msg = f"roles are written tank:1,healer:2, or none, got {text!r:.40}"
        raise InputError(msg)
    return ev.SetRoles(lobby, needs=tuple((role, int(number)) for role, number in needs), who=me)


def _report_of_called(
    name: str, rest: str, lobby: str, me: str, speaking: Speaking, evening: Evening
) -> Event:
    game, setup = evening.current(lobby), evening.rooms[lobby].setup
    teams = () if game is None else evening.divided(lobby).teams
    claim = rest.lower()
    if name == "report" and claim in ("won", "win", "lost", "loss"):
        if game is None or game.phase.value == "nothing":
            msg = "there are no teams that wait for a result"
            raise InputError(msg)
        return ev.Report(me, _claimed(claim, game.team_of(me), len(teams)), (), lobby)
    me = "" if speaking.admin else me  # those in charge report from outside too
    if name == "draw" or (name == "report" and claim in ("draw", "tie")):
        return ev.Report(me, (1.0,) * len(teams), (), lobby)
    if name == "won":
        winner = team_called(setup, teams, rest, speaking.person)
        return ev.Report(me, tuple(1.0 if n == winner else 2.0 for n in range(len(teams))), (), lobby)
    return ev.Report(me, *_scores(rest), lobby)


# Results


def _claimed(claim: str, mine: int, teams: int) -> tuple[float, ...]:
    """Return the ranks of teams one of which says that it has won, or lost."""
    won = claim in ("won", "win")
    if not won and teams > 2:
        msg = f"write the score of each of {teams} teams, as !report 3 1 2"
        raise InputError(msg)
    return tuple(1.0 if (n == mine) == won else 2.0 for n in range(teams))


def _result(text: str, who: str, evening: Evening) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return ranks and scores of ``won``, ``lost``, ``draw`` or scores."""
    claim = text.lower()
    if claim not in ("won", "win", "lost", "loss", "draw", "tie"):
        return _scores(text)
    game = evening.game_of(who)
    if game is None or not game.teams:
        msg = "you are in no game that is being played"
        raise InputError(msg)
    if claim in ("draw", "tie"):
        return (1.0,) * game.lobby.teams, ()
    return _claimed(claim, game.team_of(who), game.lobby.teams), ()


def _scores(text: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    try:
        scores = [float(part) for part in text.replace(":", " ").replace("-", " ").split()]
    except ValueError:
        scores = []
    if not scores:
        msg = f"a result is won, lost, draw, or the score of each team as 3 1, got {text!r:.40}"
        raise InputError(msg)
    return ranks_of(scores), tuple(scores)
