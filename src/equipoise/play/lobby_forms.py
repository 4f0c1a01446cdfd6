"""What a lobby is, as people type it: ``ctf=5v5@openarena/ctf:dock,keep:veto``, or ``tonight=allvall``."""

from __future__ import annotations

from dataclasses import replace

from equipoise.core.match import Ruleset
from equipoise.core.rulesets import ruleset_from
from equipoise.errors import InputError
from equipoise.play.evening_events import READY, EveningLobby, night_lobby


def lobby_of(text: str, ready: float = READY, what: str = "lobby") -> EveningLobby:
    """Return the lobby of ``NAME=5v5@RULESET:MAP,MAP:veto`` or ``NAME=allvall``.

    Parameters
    ----------
    text : str
        What is typed.
    ready : float
        Seconds in which those have to be ready who are asked.
    what : str
        What it was typed as, where it is wrong.

    Raises
    ------
    InputError
        If it is none.

    Examples
    --------
    >>> lobby_of("ctf=5v5:dock,keep:veto").maps, lobby_of("tonight=allvall").called
    (('dock', 'keep'), True)
    """
    name, _, rest = text.partition("=")
    form, _, maps = rest.partition(":")
    form, at, played = form.partition("@")
    maps, _, choice = maps.partition(":")
    sizes = form.split("v")
    called = set(sizes) == {"all"}  # everyone who is there, when teams are called for
    if (
        not name
        or (any(not size.isdecimal() for size in sizes) and not called)
        or len(set(sizes)) != 1
        or choice not in ("", "veto", "vote")
        or bool(at) is not bool(played.strip())
    ):
        msg = (
            f"{what} must be NAME=5v5[@RULESET][:MAP,MAP[:veto|vote]], as duel=1v1, or NAME=allvall for a "
            f"night, got {text!r:.60}"
        )
        raise InputError(msg)
    chosen = tuple(each.strip() for each in maps.split(",") if each.strip())
    try:
        ruleset = ruleset_from(played) if played else Ruleset()
        usual = night_lobby(name.strip()) if called else EveningLobby(name.strip(), ready=ready)
        return replace(
            usual, teams=len(sizes), size=None if called else int(sizes[0]), ruleset=ruleset, maps=chosen,
            veto=choice == "veto", ballot=choice == "vote",
        )  # fmt: skip
    except InputError as error:
        msg = f"{what}: {error}"
        raise InputError(msg) from error
