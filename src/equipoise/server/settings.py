"""Settings of a server: one TOML file, the environment and flags, in rising precedence."""

from __future__ import annotations

import logging
import ssl
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from equipoise.errors import InputError
from equipoise.protocols.weights.commands import Limits
from equipoise.server.limits import ServerLimits

#: The table of the file that is read.
TABLE = "serve"

#: How the names in the environment begin.
PREFIX = "EQUIPOISE_"

#: A token that is shorter can be guessed.
SHORTEST_TOKEN = 16

#: Where weights are asked for unless stated otherwise.
ADDRESS = "127.0.0.1:7790"

LEVELS = ("debug", "info", "warning", "error")


log = logging.getLogger(__name__)


def _setting(default: Any, metavar: str, help_text: str) -> Any:
    return field(default=default, metadata={"metavar": metavar, "help": help_text})


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a server; each field is a key of the file, a variable of the environment, and a flag.

    Raises
    ------
    InputError
        If a value is out of range; the message begins with its name.
    """

    store: str = _setting("", "URL", "The archive: sqlite:///PATH or postgresql://...")
    create: bool = _setting(False, "", "Make the archive where there is none.")
    weights: str = _setting(ADDRESS, "HOST:PORT", "Where weights are asked for; port 0 takes a free one.")
    http: str = _setting("", "HOST:PORT", "Where HTTP is answered.  [default: nowhere]")
    game: str = _setting("", "NAME", "The game that GAME means where it names none.")
    token_file: str = _setting("", "FILE", "A file with the token for AUTH; without, no results are taken.")
    tokens: str = _setting("", "FILE", "A file of tokens, which 'equipoise tokens' makes.")
    read_token: bool = _setting(False, "", "Whether reading over HTTP needs a token too.")
    cors: str = _setting("", "ORIGINS", "Web pages that may ask over HTTP: origins with commas, or *.")
    token: str = field(default="", repr=False)
    tls_certificate: str = _setting("", "FILE", "A certificate with its chain: connections are TLS then.")
    tls_key: str = _setting("", "FILE", "The key of the certificate, where it is in another file.")
    log_level: str = _setting("info", "LEVEL", "What is logged at least: debug, info, warning or error.")
    json_logs: bool = _setting(False, "", "Log a JSON object a line.")
    max_connections: int = _setting(2048, "N", "Connections in total.")
    max_per_address: int = _setting(1536, "N", "Connections from one address.")
    max_line: int = _setting(8192, "N", "Longest line, in bytes.")
    max_members: int = _setting(128, "N", "Players and bots in a game.")
    max_mutators: int = _setting(64, "N", "Mutators of a game.")
    max_waiting: int = _setting(64, "N", "Divisions that may wait at once; of results, and others, as many.")
    idle_seconds: float = _setting(600.0, "SECONDS", "Close a connection that sends no line for so long.")
    slow_seconds: float = _setting(
        30.0, "SECONDS", "Close a connection that does not take its answers for so long."
    )
    grace_seconds: float = _setting(10.0, "SECONDS", "Time for answers at the end.")
    wrong_token_seconds: float = _setting(
        1.0, "SECONDS", "Hold the answer to a wrong token back; each other one of an address longer."
    )
    clan_tags: bool = _setting(False, "", "Players with the same clan tag in their names form a party.")
    team_seconds: float = _setting(1.0, "SECONDS", "Time to look for better teams.")

    max_http_connections: int = _setting(1024, "N", "HTTP connections in total.")
    max_http_per_address: int = _setting(768, "N", "HTTP connections from one address.")
    forwarded_by: str = _setting(
        "", "ADDRESSES", "Reverse proxies, with commas, whose X-Forwarded-For says who asks over HTTP."
    )
    http_rate: float = _setting(50.0, "N", "HTTP requests a second from one address.")
    max_body: int = _setting(1_048_576, "N", "Longest HTTP body, in bytes.")
    max_time_limit: float = _setting(5.0, "SECONDS", "The longest search that an HTTP request may ask for.")
    header_seconds: float = _setting(10.0, "SECONDS", "Time for the headers of an HTTP request.")

    def __post_init__(self) -> None:
        if not self.store:
            msg = "store is missing; write sqlite:///PATH or postgresql://..."
            raise InputError(msg)
        if self.log_level not in LEVELS:
            msg = f"log_level must be one of {', '.join(LEVELS)}, got {self.log_level!r}"
            raise InputError(msg)
        for each in fields(self):
            number = getattr(self, each.name)
            if _kind(each) in (int, float) and not 0 < number < float("inf"):
                msg = f"{each.name} must be above 0 and finite, got {number!r}"
                raise InputError(msg)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port of ``weights``."""
        return _host_and_port("weights", self.weights)

    @property
    def http_address(self) -> tuple[str, int] | None:
        """Host and port of ``http``; None where HTTP is not asked for."""
        return _host_and_port("http", self.http) if self.http else None

    @property
    def limits(self) -> ServerLimits:
        """What connections may take."""
        return ServerLimits(
            self.max_connections, self.max_per_address, self.idle_seconds, self.slow_seconds,
            self.grace_seconds, self.wrong_token_seconds,
            conversation=Limits(self.max_line, self.max_mutators, self.max_members),
        )  # fmt: skip

    def tls(self) -> ssl.SSLContext | None:
        """Return how connections are encrypted, None where they are not.

        Raises
        ------
        InputError
            If the certificate or its key cannot be read.
        """
        if not self.tls_certificate:
            if self.tls_key:
                msg = "tls_key requires tls_certificate"
                raise InputError(msg)
            return None
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        try:
            context.load_cert_chain(self.tls_certificate, self.tls_key or None)
        except OSError as error:
            wrong = isinstance(error, ssl.SSLError)
            why = "it is no certificate in PEM form with its key" if wrong else error.strerror
            msg = f"tls_certificate: {self.tls_certificate} cannot be used: {why}"
            raise InputError(msg) from error
        return context

    def warn(self) -> None:
        """Warn of a token that others on this machine may read."""
        if not self.token_file:
            return
        try:
            mode = Path(self.token_file).stat().st_mode
        except OSError:
            return
        if mode & 0o077:
            log.warning(
                "others may read the token file; run: chmod 600", extra={"token_file": self.token_file}
            )

    def secret(self) -> str:
        """Return the token, empty where there is none.

        Raises
        ------
        InputError
            If the file cannot be read, or the token is too short.
        """
        if not self.token_file and not self.token:
            return ""
        if self.token_file and self.token:
            msg = "token_file cannot be combined with token; give one of them"
            raise InputError(msg)
        token = self.token or _content(self.token_file)
        if len(token) < SHORTEST_TOKEN or not token.isprintable():
            where = f"token_file: {self.token_file} must hold" if self.token_file else "token must be"
            msg = f"{where} one line of at least {SHORTEST_TOKEN} characters"
            raise InputError(msg)
        return token


def _host_and_port(name: str, value: str) -> tuple[str, int]:
    host, colon, port = value.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        msg = f"{name} must be HOST:PORT, as in 127.0.0.1:7790 or [::1]:7790, got {value!r}"
        raise InputError(msg)
    return host.removeprefix("[").removesuffix("]"), int(port)


def _content(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        msg = f"token_file: {path} cannot be read: {reason}"
        raise InputError(msg) from error


def read_settings(path: str | None, environment: Mapping[str, str], flags: Mapping[str, Any]) -> Settings:
    """Return settings from a file, the environment and flags, the later the stronger.

    Parameters
    ----------
    path : str, optional
        A TOML file with the table ``[serve]``.
    environment : mapping
        ``EQUIPOISE_STORE`` and so on; other names are not looked at.
    flags : mapping
        By field; None where a flag was not given.

    Raises
    ------
    InputError
        If a setting is unknown or out of range.

    Examples
    --------
    >>> settings = read_settings(None, {"EQUIPOISE_STORE": "sqlite:///a.db"}, {"max_line": 512})
    >>> settings.store, settings.max_line
    ('sqlite:///a.db', 512)
    """
    known = {each.name: each for each in fields(Settings)}
    values: dict[str, Any] = {}
    if path is not None:
        for name, value in _table(path).items():
            if name not in known:
                msg = f"{path}: there is no setting {name!r}; the settings are {', '.join(known)}"
                raise InputError(msg)
            values[name] = _typed(known[name], value, f"{path}: {name}")
    for name, each in known.items():
        text = environment.get(PREFIX + name.upper())
        if text is not None:
            values[name] = _typed(each, _parsed(each, text), PREFIX + name.upper())
    values |= {name: value for name, value in flags.items() if value is not None}
    return Settings(**values)


def _table(path: str) -> Mapping[str, Any]:
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror or error}"
        raise InputError(msg) from error
    except ValueError as error:  # not TOML, or not UTF-8
        msg = f"{path}: it is not TOML: {error}"
        raise InputError(msg) from error
    table = content.get(TABLE, {})
    if not isinstance(table, dict) or set(content) - {TABLE}:
        msg = f"{path}: every setting must be in the table [{TABLE}]"
        raise InputError(msg)
    return table


def _kind(each: Field[Any]) -> type:
    assert each.default is not MISSING  # noqa: S101 -- every setting has one
    return type(each.default)


def _parsed(each: Field[Any], text: str) -> Any:
    """Return a text of the environment as what it stands for, or as it is where it stands for nothing."""
    kind = _kind(each)
    if kind is bool:
        return {"1": True, "true": True, "0": False, "false": False}.get(text.lower(), text)
    try:
        return kind(text)
    except ValueError:
        return text


def _typed(each: Field[Any], value: Any, where: str) -> Any:
    kind = _kind(each)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not kind:
        wanted = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}[kind]
        msg = f"{where} must be {wanted}, got {value!r}"
        raise InputError(msg)
    return value
