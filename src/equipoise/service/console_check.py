"""What of a game server's console works: each command that ``equipoise live`` would send is tried.

Nothing is done to the game: the list of who is there is asked for, and of every other command only its name
is sent, which a server answers with how it is used, or that it does not know it.  Where the name of a command
stands behind another one, the whole is sent, for a slot in which nobody is.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from equipoise.games.rcon import UNKNOWN
from equipoise.games.server_adapter import RemoteConsole, ServerFamily
from equipoise.play.live.events import AddBot, Command, Joined, MovePlayer, RemoveBot, Say
from equipoise.service.console_link import Link, link_to
from equipoise.service.doctor import Diagnosis
from equipoise.service.live_settings import Playing

#: Seconds in which an answer must be there, and between two looks.
PATIENCE, STEP = 10.0, 0.02

#: What stands before a setting, and before a command of the game.
SETS, PREFIX = "set", "sv_cmd"

#: A slot in which nobody is: servers have at most 64, and DarkPlaces 255.
NOBODY = 250


class Purpose(NamedTuple):
    """What commands are for, and what it means where a server does not know them."""

    what: str
    commands: Sequence[Command]
    without: str


PURPOSES = (
    Purpose(
        "moves players", (MovePlayer(NOBODY, 0),),
        "players cannot be moved, so live suggests moves in the chat; where a plug-in has a command for it, "
        "give that with --move",
    ),
    Purpose("adds bots", (AddBot(0),), "bots cannot be added; use --no-bots"),
    Purpose("removes bots", (RemoveBot(NOBODY),), "bots cannot be removed; use --no-bots"),
    Purpose("speaks to all", (Say("hello"),), "live cannot answer in the chat of this server"),
    Purpose("speaks to one", (Say("hello", NOBODY),), "answers go to everybody"),
)  # fmt: skip


def try_console(playing: Playing) -> Iterator[Diagnosis]:
    """Try the console of a server: the password, the list, and each command by its name.

    Parameters
    ----------
    playing : Playing
        The settings of the server, with its console.

    Raises
    ------
    InputError
        If its host cannot be found.
    """
    family = playing.family()
    remote = family.remote(playing.password)
    link = link_to(playing.address(), remote)
    try:
        yield from _tried(playing, family, _Asking(remote, link))
    finally:
        link.close()


class _Asking:
    """A console that is asked one thing after the other."""

    def __init__(self, remote: RemoteConsole, link: Link) -> None:
        self.remote, self._link = remote, link

    def ask(self, question: str) -> str | None:
        """Return the answer; None where none came in time."""
        self.remote.ask(question)
        end = time.monotonic() + PATIENCE
        while (now := time.monotonic()) < end and not self.remote.refused:
            self._link.tend(now)
            for data in self._link.arrived():
                self.remote.receive(data, now)
            for answer in self.remote.answers():
                if answer.question == question and answer.text is not None:
                    return answer.text
            for packet in self.remote.outgoing(now):
                self._link.send(packet)
            time.sleep(STEP)
        return None


def _tried(playing: Playing, family: ServerFamily, console: _Asking) -> Iterator[Diagnosis]:
    where = f"{playing.name}: {playing.rcon}" if playing.name else playing.rcon
    text = console.ask(family.players)
    if console.remote.refused:
        yield Diagnosis(f"{where} refuses the password", "correct the file that holds it")
        return
    if text is None:
        yield Diagnosis(
            f"{where} does not answer within {PATIENCE:g} s",
            "see that the server is up, the port right, and a password for its console set there",
        )
        return
    yield Diagnosis(f"{where} accepts the password")
    yield _listed(family, text)
    there = {NOBODY: Joined(NOBODY, "name:nobody", "nobody")}
    lines = family.console(dict(playing.players))
    for line in lines.begin():
        yield _one(console, "a setting that live makes", line, "the server keeps what it has")
    for purpose in PURPOSES:
        found = lines.lines(purpose.commands, there)
        for line in found:
            yield _one(console, purpose.what, line, purpose.without)
        if not found and (family.bots or "bots" not in purpose.what):
            yield Diagnosis(f"no command {purpose.what}: {purpose.without}")


def _listed(family: ServerFamily, text: str) -> Diagnosis:
    """Return whether the list of who is there can be read."""
    command = family.players
    if UNKNOWN.search(text):
        return Diagnosis(
            f"{command!r}, which lists who is there, is not known to the server",
            "the server is of another game, or the command is switched off there: see --game",
        )
    if text.strip() and family.log({}, {}).answered(command, text) is None:
        return Diagnosis(
            f"{command!r} is answered with what cannot be read: {_first(text)}",
            "the server is of another game: see --game",
        )
    return Diagnosis(f"{command!r} lists who is there")


def _one(console: _Asking, what: str, line: str, without: str) -> Diagnosis:
    """Return whether the server knows a command."""
    name = _name(line)
    text = console.ask(name)
    if text is None:
        return Diagnosis(f"{name!r} ({what}) has no answer", "try again; packets may have been lost")
    if UNKNOWN.search(text):
        return Diagnosis(f"{name!r} ({what}) is not known to the server: {_first(text)}", without)
    return Diagnosis(f"{name!r} ({what}) is known")


def _name(line: str) -> str:
    """Return what of a command is sent: its name, that of the setting, or all.

    Examples
    --------
    >>> _name("forceteam 3 red"), _name("set g_x 0"), _name("sv_cmd movetoteam 250 red")
    ('forceteam', 'g_x', 'sv_cmd movetoteam 250 red')
    """
    first, *rest = line.split(" ")
    if first == PREFIX:
        return line
    return rest[0] if first == SETS and rest else first


def _first(text: str) -> str:
    """Return the beginning of an answer, for a message."""
    return repr(text.strip().partition("\n")[0][:80])
