"""What can be typed on Discord: slash commands with options, and the words of a chat each stands for.

The grammar is that of every chat (:mod:`equipoise.play.chat_commands`); here are only its forms.  A person is
given as an id, so that no name is ever read as somebody else's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

#: Kinds of options: a member of the server; somebody here, a lobby, a map, a team, a game, a vote or a
#: result, each with completion; and plain text.
USER, PRESENT, LOBBY, MAP, TEAM, GAME, VOTE, RESULT, TEXT, FLAG = (
    "user", "present", "lobby", "map", "team", "game", "vote", "result", "text", "flag"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a command: its name, what it is, its kind, and the values there are, if only these."""

    name: str
    about: str
    kind: str = TEXT
    required: bool = True
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A command: what it does, its options, whether it is for those in charge, and its words."""

    about: str
    options: tuple[Option, ...] = ()
    manages: bool = False
    words: Callable[[Mapping[str, str]], str] | None = None


def _player(about: str = "Who", *, required: bool = True) -> Option:
    return Option("player", about, USER, required)


def _present(name: str = "player", *, required: bool = True) -> Option:
    return Option(name, "Somebody who is here", PRESENT, required)


def _substitute(given: Mapping[str, str]) -> str:
    if "player" in given and "instead" in given:
        return f"sub {given['player']} for {given['instead']}"
    return f"sub {given.get('instead', '')}"


def _people(name: str) -> Callable[[Mapping[str, str]], str]:
    return lambda given: f"{name} {', '.join(given.values())}"


#: Every command by its name; those without words are the door's own.
SLASH: Mapping[str, SlashCommand] = {
    "in": SlashCommand("You are in", (
        Option("lobby", "For which game", LOBBY, required=False),
        _player("Somebody else, if you are in charge", required=False))),
    "out": SlashCommand("You are out", (
        Option("lobby", "Of which game; of all by default", LOBBY, required=False),
        _player("Somebody else, if you are in charge", required=False))),
    "maybe": SlashCommand("You may come", (
        _player("Somebody else, if you are in charge", required=False),)),
    "ready": SlashCommand("You are ready to play", words=lambda _: "ready"),
    "late": SlashCommand("You need two more minutes, or come later", words=lambda _: "late"),
    "status": SlashCommand("Who is here, and which games there are"),
    "teams": SlashCommand("The teams"),
    "why": SlashCommand("Why the teams are as they are"),
    "me": SlashCommand("Your points, place and curve"),
    "rank": SlashCommand("Somebody's points, place and curve", (_player(),)),
    "leaderboard": SlashCommand("Who leads"),
    "vote": SlashCommand("Vote on teams, or for a map", (Option("choice", "For what", VOTE),),
                         words=lambda given: f"vote {given['choice']}"),
    "captains": SlashCommand("Vote for captains, or name them", (
        _present("one", required=False), _present("two", required=False), _present("three", required=False),
        _present("four", required=False)), words=_people("captains")),
    "pick": SlashCommand("A captain picks", (_present(),), words=_people("pick")),
    "veto": SlashCommand("Your side strikes a map", (Option("map", "Which", MAP),),
                         words=lambda given: f"veto {given['map']}"),
    "sub": SlashCommand("Ask for a substitute, or come in for somebody", (
        _player("Who comes in, where teams are called for", required=False),
        _present("instead", required=False)), words=_substitute),
    "report": SlashCommand("How your game ended", (Option("result", "won, lost, draw, or 3 1", RESULT),),
                           words=lambda given: f"report {given['result']}"),
    "confirm": SlashCommand("What the other side reports is true", words=lambda _: "confirm"),
    "undo": SlashCommand("Take back your last step, or a result", (
        Option("game", "Which result", GAME, required=False),),
        words=lambda given: f"undo {given.get('game', '')}"),
    "duo": SlashCommand("Play in one team; both have to say so", (_player("With whom", required=False),),
                        words=_people("duo")),
    "prefer": SlashCommand("Prefer to play with somebody", (_player(),), words=_people("prefer")),
    "avoid": SlashCommand("Prefer not to play with somebody", (_player(),), words=_people("avoid")),
    "nevermind": SlashCommand("No longer mind", (_player(),), words=_people("nevermind")),
    "divide": SlashCommand("Make teams of those who are here", (
        Option("same", "The same teams once more", FLAG, required=False),),
        words=lambda given: "divide same" if given.get("same") == "true" else "divide"),
    "swap": SlashCommand("Two change places", (_present("one"), _present("other")), words=_people("swap")),
    "lock": SlashCommand("Somebody keeps their team", (_present(required=False),), words=_people("lock")),
    "unlock": SlashCommand("Nobody does any more", (_present(required=False),), words=_people("unlock")),
    "maps": SlashCommand("Where it is played", (
        Option("maps", "Such as dock, keep, mill"),
        Option("how", "In turn, by a veto, or by vote", choices=("turn", "veto", "vote"), required=False)),
        words=lambda given: f"maps {given['maps']} {given.get('how', 'turn')}"),
    "roles": SlashCommand("What every team needs", (Option("roles", "Such as tank:1,healer:2, or none"),),
                          words=lambda given: f"roles {given['roles']}"),
    "plays": SlashCommand("Who plays what", (_present(), Option("roles", "Such as tank,healer")),
                          words=lambda given: f"plays {given['player']} {given['roles']}"),
    "won": SlashCommand("Which team won", (Option("team", "Which", TEAM),),
                        words=lambda given: f"won {given['team']}"),
    "draw": SlashCommand("Nobody won", words=lambda _: "draw"),
    "score": SlashCommand("What the score was", (Option("score", "Such as 3 1"),),
                          words=lambda given: f"score {given['score']}"),
    "link": SlashCommand("Link your id of a game: get a code to type there", (
        _player("Somebody else, if you are in charge", required=False),
        Option("id", "Their id in the game, if you are in charge", required=False))),
    "forget": SlashCommand("Take you out of all that is kept, for good"),
    "browser": SlashCommand("Open this evening in the browser"),
    "help": SlashCommand("What can be typed"),
    "lobby": SlashCommand("Open a lobby in this channel, or change it", (
        Option("name", "What it is called, as ctf"),
        Option("form", "Such as 5v5, or allvall where teams are made when somebody asks"),
        Option("maps", "Such as dock, keep, mill", required=False),
        Option("how", "How a map is found", choices=("turn", "veto", "vote"), required=False),
        Option("ruleset", "What is played, as openarena/ctf", required=False)), manages=True),
    "remove": SlashCommand("Take somebody out", (_present(),), manages=True, words=_people("remove")),
    "correct": SlashCommand("Say how a game ended", (
        Option("game", "Which", GAME), Option("score", "Such as 3 1")), manages=True,
        words=lambda given: f"correct {given['game']} {given['score']}"),
    "cancel": SlashCommand("Call a game off", (Option("game", "Which", GAME),), manages=True,
                           words=lambda given: f"cancel {given['game']}"),
}  # fmt: skip


def token(player: str) -> str:
    """Return an id as it stands among words: without blanks and commas.

    Examples
    --------
    >>> token("Amber, B"), token("discord:5")
    ('Amber%2C%20B', 'discord:5')
    """
    return quote(player, safe=":")


def words_of(name: str, given: Mapping[str, str]) -> str:
    """Return the words of a command with its options; those of the door's own are its name.

    Examples
    --------
    >>> words_of("sub", {"player": "discord:5", "instead": "discord:6"}), words_of("status", {})
    ('sub discord:5 for discord:6', 'status')
    """
    words = SLASH[name].words
    return name if words is None else words(given).strip()
