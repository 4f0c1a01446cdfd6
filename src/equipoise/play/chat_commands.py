"""What people type in a chat, as events of lobbies: ``!add ctf``, ``!report won``, ``!pick Amber``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from equipoise.errors import InputError, nearest
from equipoise.play import pickup_events as ev
from equipoise.play.night import ranks_of
from equipoise.play.pickup import PickupLobbies
from equipoise.play.pickup_events import Event

#: What a question is about; the answers are in :mod:`equipoise.pages.text.pickup`.
QUESTIONS = ("status", "teams", "rank", "why", "help")

#: Every command with what follows it.
COMMANDS = {
    "add": "[LOBBY]", "leave": "[LOBBY]", "status": "", "teams": "", "sub": "[NAME]",
    "report": "won|lost|draw|3 1",
    "undo": "[GAME]", "rank": "[NAME]", "why": "", "ready": "", "late": "", "yes": "", "no": "",
    "captains": "",
    "pick": "NAME", "veto": "MAP", "confirm": "", "duo": "[NAME]", "prefer": "NAME", "avoid": "NAME",
    "nevermind": "NAME", "remove": "NAME", "correct": "GAME 3 1", "cancel": "GAME", "help": "",
}  # fmt: skip

#: Shorter ways to say the same.
SHORT = {"join": "add", "remove_me": "leave", "r": "ready", "y": "yes", "n": "no", "who": "status"}


@dataclass(frozen=True, slots=True)
class ChatQuestion:
    """Somebody asks for something that changes nothing."""

    about: str
    who: str
    argument: str = ""


def understood(
    text: str, who: str, lobbies: PickupLobbies, id_of: Callable[[str], str | None], *, admin: bool = False
) -> Event | ChatQuestion:
    """Return what somebody means.

    Parameters
    ----------
    text : str
        Their words, with the exclamation mark.
    who : str
        The id of the one who typed it.
    lobbies : PickupLobbies
        What they are about.
    id_of : callable
        From a nick to an id, None where nobody has it.
    admin : bool
        Whether this is one of those in charge.

    Raises
    ------
    InputError
        If it means nothing; the message says what does.
    """
    word, _, rest = text.lstrip("!").strip().partition(" ")
    name, rest = SHORT.get(word.lower(), word.lower()), rest.strip()
    if name not in COMMANDS:
        near = nearest(name, COMMANDS)
        msg = f"there is no !{word:.20}" + (
            f"; did you mean !{near}?" if near else "; !help lists what there is"
        )
        raise InputError(msg)
    if name in QUESTIONS:
        return ChatQuestion(name, who, rest)
    if COMMANDS[name] and not COMMANDS[name].startswith("[") and not rest:
        msg = f"write !{name} {COMMANDS[name]}"
        raise InputError(msg)
    if name in ("yes", "no", "captains"):
        return ev.Vote(who, name)
    if name in ("ready", "late", "confirm"):
        plain: dict[str, Event] = {
            "ready": ev.Ready(who), "late": ev.Late(who), "confirm": ev.Confirm(who),
        }  # fmt: skip
        return plain[name]
    if name == "add":
        return ev.Add(who, rest)
    if name == "leave":
        return ev.Leave(who, rest)
    if name == "veto":
        return ev.Veto(who, rest)
    if name in ("report", "correct", "undo", "cancel"):
        return _of_game(name, rest, who, lobbies, admin)
    return _of_people(name, rest, who, lobbies, id_of, admin)


def _of_people(
    name: str, rest: str, who: str, lobbies: PickupLobbies, id_of: Callable[[str], str | None], admin: bool
) -> Event:
    other = id_of(rest) if rest else ""
    if other is None:
        msg = f"there is no {rest:.40} here"
        raise InputError(msg)
    if name == "sub":
        return ev.Sub(who) if not rest and lobbies.game_of(who) is not None else ev.Fill(who, other)
    if name == "duo":
        return ev.Duo(who, other)
    if name == "pick":
        return ev.Pick(who, other)
    if name == "remove":
        return ev.Remove(who, other, admin)
    return ev.Prefer(who, other, {"prefer": "prefer", "avoid": "avoid"}.get(name, "none"))


def _of_game(name: str, rest: str, who: str, lobbies: PickupLobbies, admin: bool) -> Event:
    if name == "report":
        return ev.Report(who, _result(rest, who, lobbies))
    game, _, claim = rest.partition(" ")
    if name == "cancel":
        return ev.Cancel(who, game, admin)
    if name == "undo":
        mine = [each.id for each in lobbies.over.values() if each.counted and (admin or who in each.players)]
        if not game and not mine:
            msg = "you have played no game that counts"
            raise InputError(msg)
        return ev.Undo(who, game or mine[-1], admin)
    return ev.Correct(who, game, _scores(claim), admin)


def _result(text: str, who: str, lobbies: PickupLobbies) -> tuple[float, ...]:
    """Return ranks of ``won``, ``lost``, ``draw`` or scores."""
    claim = text.lower()
    if claim not in ("won", "win", "lost", "loss", "draw", "tie"):
        return _scores(text)
    game = lobbies.game_of(who)
    if game is None or not game.teams:
        msg = "you are in no game that is being played"
        raise InputError(msg)
    if claim in ("draw", "tie"):
        return (1.0,) * game.lobby.teams
    if claim in ("lost", "loss") and game.lobby.teams > 2:
        msg = f"write the score of each of {game.lobby.teams} teams, as !report 3 1 2"
        raise InputError(msg)
    mine, won = game.team_of(who), claim in ("won", "win")
    return tuple(1.0 if (n == mine) == won else 2.0 for n in range(game.lobby.teams))


def _scores(text: str) -> tuple[float, ...]:
    try:
        scores = [float(part) for part in text.replace(":", " ").replace("-", " ").split()]
    except ValueError:
        scores = []
    if not scores:
        msg = f"a result is won, lost, draw, or the score of each team as 3 1, got {text!r:.40}"
        raise InputError(msg)
    return ranks_of(scores)
