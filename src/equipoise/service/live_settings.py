"""Settings of the servers that are balanced while they run: one TOML file with a table for each.

::

    store = "sqlite:///games.db"

    [[server]]
    name = "ctf"
    log = "/home/oa/.openarena/baseoa/games.log"
    rcon = "127.0.0.1:27960"
    rcon_password_file = "/etc/equipoise/rcon"
    target = 8
    levers = true
    maps = { oa_dm5 = [4, 8] }
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from equipoise.core.addresses import host_and_port
from equipoise.core.dates import Zone, zone_named
from equipoise.core.registry import SERVERS, resolve
from equipoise.errors import InputError, again
from equipoise.files.read_game import ENDING, read_game
from equipoise.games.rcon import checked_password
from equipoise.games.server_adapter import Ranges, ServerFamily
from equipoise.play.live.state import Policy
from equipoise.service.log_receiver import Receiving

#: Settings of one server beside those of its policy, and what each is.
TEXTS = (
    "name", "game", "log", "rcon", "rcon_password_file", "zone", "move", "receive", "receive_secret_file",
)  # fmt: skip
TABLES = ("maps", "players")
NUMBERS = ("intermission",)
SWITCHES = ("map_ranges",)


@dataclass(frozen=True, slots=True)
class Playing:
    """The settings of one game server.

    Parameters
    ----------
    log : str
        Its log.
    rcon : str
        Host and port of its remote console; empty where nothing is to be sent.
    password : str
        The console's.
    name : str
        What it is called in messages.
    policy : Policy
        What the admin wants.
    maps : mapping from str to (int, int or None)
        For how many players each map is made.
    players : mapping from str to str
        Bots that count as players, with their characters.
    intermission : float
        Seconds after which the next game begins where people are in one that has ended.
    game : str
        What the server plays, as registered.
    map_ranges : bool
        Whether maps that are not in ``maps`` have the range that games in the archive have shown.
    zone : Zone or None
        That of local times in the log; by default the one that is kept with it, or else this machine's.
    move : str
        The command that puts somebody into a team, with ``{slot}`` and ``{team}``, where servers of a game
        have none of their own.
    receive : Receiving or None
        Where the server sends its log, which is appended to ``log``.
    """

    log: str
    rcon: str = ""
    password: str = field(default="", repr=False)
    name: str = ""
    policy: Policy = field(default_factory=Policy)
    maps: Ranges = field(default_factory=dict)
    players: dict[str, str] = field(default_factory=dict)
    intermission: float = 15.0
    game: str = "openarena"
    map_ranges: bool = True
    zone: Zone | None = None
    move: str = ""
    receive: Receiving | None = None

    @property
    def title(self) -> str:
        """What it is called: its name, or else that of its log."""
        return self.name or Path(self.log).name

    def family(self) -> ServerFamily:
        """Return how such a server is read and spoken to."""
        return family_of(self.game, self.move)

    def address(self) -> tuple[str, int]:
        """Return host and port of the console.

        Raises
        ------
        InputError
            If they are not written so.
        """
        return host_and_port(self.rcon, "rcon", "127.0.0.1:27960")


def family_of(game: str, move: str = "") -> ServerFamily:
    """Return how servers of a game are read and spoken to.

    Parameters
    ----------
    game : str
        A registered name, or a file that describes the game.
    move : str
        The command that moves people, where the game leaves that to the admin.

    Raises
    ------
    InputError
        If it is not known, or cannot be spoken to, or moves people otherwise.
    """
    if game.endswith(ENDING):
        from equipoise.games.described_server import server_of as described

        family = described(read_game(game), game)
    elif game in SERVERS:
        family = resolve("game", SERVERS, game)
    else:
        msg = f"must be one of {', '.join(SERVERS)}, or a file that describes a game, got {game!r}"
        raise InputError(msg, "game")
    if not move:
        return family
    if family.moved_by is None:
        msg = f"does not apply to {game}, whose servers have a command of their own"
        raise InputError(msg, "move")
    return family.moved_by(move)


def read_servers(path: str) -> tuple[str, list[Playing]]:
    """Return the address of the archive and the servers of a file.

    Raises
    ------
    InputError
        If it cannot be read, or a setting is unknown or out of range.
    """
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror or error}"
        raise InputError(msg) from error
    except ValueError as error:
        msg = f"{path}: it is not TOML: {error}"
        raise InputError(msg) from error
    servers = content.get("server", [])
    store = content.get("store", "")
    if set(content) - {"store", "server"} or not isinstance(store, str):
        msg = f'{path}: it must have store = "..." and a table [[server]] for each server, and nothing else'
        raise InputError(msg)
    if not isinstance(servers, list) or not servers or not all(isinstance(each, dict) for each in servers):
        msg = f"{path}: there must be a table [[server]] for each server"
        raise InputError(msg)
    found = []
    for n, each in enumerate(servers):
        try:
            found.append(server_of(each))
        except InputError as error:
            msg = f"{path}: server {each.get('name', n + 1)}: {error}"
            raise InputError(msg) from error
    for what, values in (
        ("log", [str(Path(each.log).absolute()) for each in found]),
        ("name", [each.title for each in found]),
    ):
        twice = again(values)
        if twice >= 0:
            msg = f"{path}: two servers have one {what}, {values[twice]}; each must have its own"
            raise InputError(msg)
    return store, found


def server_of(given: Mapping[str, Any]) -> Playing:
    """Return the settings of one server.

    Raises
    ------
    InputError
        If one is missing, unknown or out of range.
    """
    policies = {each.name: each for each in fields(Policy)}
    for name, value in given.items():
        if name not in (*TEXTS, *TABLES, *NUMBERS, *SWITCHES, *policies):
            known = ", ".join((*TEXTS, *TABLES, *NUMBERS, *SWITCHES, *policies))
            msg = f"there is no setting {name!r}; the settings are {known}"
            raise InputError(msg)
        _check_kind(name, value)
    family = family_of(given.get("game", "openarena"), given.get("move", ""))
    if not given.get("log"):
        msg = "is missing"
        raise InputError(msg, "log")
    if bool(given.get("rcon")) is not bool(given.get("rcon_password_file")):
        msg = "and a password file (rcon_password_file, --rcon-password-file) must be given together"
        raise InputError(msg, "rcon")
    policy = Policy(**{name: value for name, value in given.items() if name in policies})
    password = password_of(given["rcon_password_file"]) if given.get("rcon") else ""
    playing = Playing(
        given["log"], given.get("rcon", ""), password, given.get("name", ""), policy,
        {name: _range(name, span) for name, span in given.get("maps", {}).items()},
        {name: _plain(name, character) for name, character in given.get("players", {}).items()},
        float(given.get("intermission", 15.0)), given.get("game", "openarena"),
        given.get("map_ranges", True), zone_named(given["zone"]) if given.get("zone") else None,
        given.get("move", ""), receiving_of(given.get("receive"), given.get("receive_secret_file")),
    )  # fmt: skip
    if not 0.0 <= playing.intermission < 1e6:
        msg = f"must be from 0 to 1000000, got {given['intermission']!r}"
        raise InputError(msg, "intermission")
    for name, value in (("target", policy.target), ("levers", policy.levers), ("players", playing.players)):
        if value and not family.bots:
            msg = f"does not apply to {playing.game}, on whose servers no bots are added"
            raise InputError(msg, name)
    if policy.level is not None and not family.levels:
        msg = f"does not apply to {playing.game}, whose bots have one skill: set it on the server"
        raise InputError(msg, "level")
    if playing.rcon:
        playing.address()
    return playing


def _check_kind(name: str, value: Any) -> None:
    """Refuse a value of another kind than the setting has."""
    kinds = {each.name: each.type for each in fields(Policy)}
    wanted: tuple[type, ...]
    if name in TEXTS:
        wanted, words = (str,), "text"
    elif name in TABLES:
        wanted, words = (dict,), "a table"
    elif name in SWITCHES or kinds.get(name) == "bool":
        wanted, words = (bool,), "true or false"
    elif kinds.get(name) == "int":
        wanted, words = (int,), "a whole number"
    else:
        wanted, words = (int, float), "a number"
    if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
        msg = f"must be {words}, got {value!r}"
        raise InputError(msg, name)


def _range(name: str, span: Any) -> tuple[int, int]:
    """Return for how many players a map is made."""
    if (
        isinstance(span, list) and len(span) == 2
        and all(type(each) is int and 0 <= each <= 1000 for each in span) and span[0] <= span[1]
    ):  # fmt: skip
        return span[0], span[1]
    msg = f": {name} must be two whole numbers, the least and the most, got {span!r}"
    raise InputError(msg, "maps")


def _plain(name: str, character: Any) -> str:
    """Return the character of a bot; both are sent to the server."""
    for each in (name, character):
        if not (
            isinstance(each, str) and each.isascii() and each.replace("_", "").isalnum() and len(each) < 32
        ):
            msg = f": names and characters must be letters, digits and _, got {each!r}"
            raise InputError(msg, "players")
    return str(character)


def receiving_of(address: str | None, secret_file: str | None) -> Receiving | None:
    """Return where a log is received, or None.

    Raises
    ------
    InputError
        If one of the two is not as it must be.
    """
    if address is None:
        if secret_file is not None:
            msg = "has no use without receive"
            raise InputError(msg, "receive_secret_file")
        return None
    return Receiving.of(
        address, "" if secret_file is None else first_line(secret_file, "receive_secret_file")
    )


def first_line(path: str, argument: str) -> str:
    """Return the first line of a file that holds a secret.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    try:
        return Path(path).read_text(encoding="ascii").splitlines()[0].strip()
    except OSError as error:
        msg = f": {path} cannot be read: {error.strerror or error}"
        raise InputError(msg, argument) from error
    except (ValueError, IndexError) as error:
        msg = f": {path} must hold one line of plain signs"
        raise InputError(msg, argument) from error


def password_of(path: str) -> str:
    """Return the password that is the first line of a file.

    Raises
    ------
    InputError
        If it cannot be read, or a console cannot take it.
    """
    try:
        return checked_password(first_line(path, "rcon_password_file"))
    except InputError:
        raise
    except ValueError as error:
        msg = f": {path} must hold one line of plain signs without spaces, quotes and semicolons"
        raise InputError(msg, "rcon_password_file") from error
