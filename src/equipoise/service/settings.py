"""Settings of a server: one TOML file, the environment and flags, in rising precedence."""

from __future__ import annotations

import ipaddress
import logging
import re
import ssl
import tomllib
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

import msgspec

from equipoise.core.addresses import host_and_port, public_url
from equipoise.core.dates import Zone, zone_named
from equipoise.errors import InputError
from equipoise.files.machine_zone import machine_zone
from equipoise.service.admission import AdmissionLimits
from equipoise.service.table_settings import KINDS as SENT
from equipoise.service.table_settings import QueueSettings, Webhook, queue_of, webhook_of
from equipoise.service.tcp import ServerLimits
from equipoise.service.weights.commands import Limits

#: The table of the file that is read.
TABLE = "serve"

#: The tables that come several times, each with a name.
NAMED = ("webhook", "queue")

#: How the names in the environment begin.
PREFIX = "EQUIPOISE_"

#: A token that is shorter can be guessed.
SHORTEST_TOKEN = 16

#: Where weights are asked for unless stated otherwise.
ADDRESS = "127.0.0.1:7790"

#: What an address to listen at may look like.
LISTENING = f"{ADDRESS} or [::1]:7790"

#: A page as browsers name it to servers.
_ORIGIN = re.compile(r"https?://[^/\s,]+")

#: What each kind of setting must be, in words.
KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}

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
    weights: str = _setting(ADDRESS, "HOST:PORT", "Address of the weight protocol; port 0 picks a free one.")
    http: str = _setting("", "HOST:PORT", "Address of HTTP.  [default: none]")
    game: str = _setting("", "NAME", "The game that GAME refers to when it names none.")
    zone: str = _setting("", "NAME", "The zone of times of results that say none.  [default: this machine's]")
    token_file: str = _setting(
        "", "FILE", "A file with the token for AUTH; without one, results are refused."
    )
    tokens: str = _setting("", "FILE", "A file of tokens, which 'equipoise tokens' makes.")
    public_url: str = _setting(
        "", "URL", "Where browsers reach HTTP, as https://games.example: behind a proxy, for links."
    )
    language: str = _setting("en", "NAME", "The language of pages.  [default: en]")
    read_token: bool = _setting(False, "", "Whether reading over HTTP needs a token too.")
    cors: str = _setting("", "ORIGINS", "Origins of web pages that may use HTTP, separated by commas, or *.")
    token: str = field(default="", repr=False)
    tls_certificate: str = _setting("", "FILE", "A certificate with its chain: connections are TLS then.")
    tls_key: str = _setting("", "FILE", "The key of the certificate, where it is in another file.")
    log_level: str = _setting(
        "info", "LEVEL", "The least severe messages to log: debug, info, warning or error."
    )
    json_logs: bool = _setting(False, "", "Log one JSON object per line.")
    max_connections: int = _setting(2048, "N", "Connections in total, of both protocols.")
    max_per_address: int = _setting(1536, "N", "Connections from one address.")
    max_per_network: int = _setting(1536, "N", "Connections from one network (/24, /64 of IPv6).")
    max_line: int = _setting(8192, "N", "Longest line, in bytes.")
    max_members: int = _setting(128, "N", "Players and bots in a game.")
    max_mutators: int = _setting(64, "N", "Mutators of a game.")
    max_waiting: int = _setting(
        64, "N", "How many divisions may wait at once, and how many results, and other questions."
    )
    workers: int = _setting(
        0, "N", "Processes that divide, besides one in reserve; 0 means as many as there are cores."
    )
    idle_seconds: float = _setting(600.0, "SECONDS", "Close a connection that sends nothing for this long.")
    slow_seconds: float = _setting(
        30.0, "SECONDS", "Close a connection that does not read its answers for this long."
    )
    grace_seconds: float = _setting(10.0, "SECONDS", "Time to finish answers when the server stops.")
    wrong_token_seconds: float = _setting(
        1.0,
        "SECONDS",
        "How long to delay the answer to a wrong token; longer for each further one of an address.",
    )
    clan_tags: bool = _setting(False, "", "Players with the same clan tag in their names form a party.")
    team_seconds: float = _setting(1.0, "SECONDS", "Time to look for better teams.")

    forwarded_by: str = _setting(
        "", "ADDRESSES", "Reverse proxies, separated by commas, whose X-Forwarded-For header is trusted."
    )
    http_rate: float = _setting(50.0, "N", "HTTP requests a second from one address.")
    network_share: float = _setting(
        4.0, "N", "A network (/24, /64 of IPv6) may ask as fast as so many addresses."
    )
    token_rate: float = _setting(500.0, "N", "HTTP requests a second with one token.")
    max_body: int = _setting(1_048_576, "N", "Longest HTTP body, in bytes.")
    max_time_limit: float = _setting(5.0, "SECONDS", "The longest search that an HTTP request may ask for.")
    header_seconds: float = _setting(10.0, "SECONDS", "Time for the headers of an HTTP request.")

    webhooks: tuple[Webhook, ...] = ()
    queues: tuple[QueueSettings, ...] = ()

    def __post_init__(self) -> None:
        if not self.store:
            msg = "is missing; write sqlite:///PATH or postgresql://..."
            raise InputError(msg, "store")
        if self.zone:
            zone_named(self.zone)
        if self.log_level not in LEVELS:
            msg = f"must be one of {', '.join(LEVELS)}, got {self.log_level!r}"
            raise InputError(msg, "log_level")
        self._check_pages()
        for origin in self.origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                msg = f"must be * or origins such as https://example.org with commas, got {origin!r}"
                raise InputError(msg, "cors")
        for proxy in self.proxies:
            try:
                ipaddress.ip_address(proxy)
            except ValueError:
                msg = f"must be addresses such as 127.0.0.1 with commas, got {proxy!r}"
                raise InputError(msg, "forwarded_by") from None
        for each in fields(self):
            number = getattr(self, each.name)
            if each.name == "workers" and number == 0:
                continue
            if type(each.default) in (int, float) and not 0 < number < float("inf"):
                msg = f"must be above 0 and finite, got {number!r}"
                raise InputError(msg, each.name)

    def _check_pages(self) -> None:
        """Refuse what pages cannot be shown at or in."""
        try:
            object.__setattr__(self, "public_url", public_url(self.public_url))
        except InputError as error:
            raise InputError(error.problem, "public_url") from None
        if self.language != "en":
            from equipoise.pages.html.site import languages

            if self.language not in languages():
                msg = f"must be one of {', '.join(languages())}, got {self.language!r:.40}"
                raise InputError(msg, "language")

    @property
    def address(self) -> tuple[str, int]:
        """Host and port of ``weights``."""
        return host_and_port(self.weights, "weights", LISTENING, 0)

    @property
    def http_address(self) -> tuple[str, int] | None:
        """Host and port of ``http``; None where HTTP is not asked for."""
        return host_and_port(self.http, "http", LISTENING, 0) if self.http else None

    @property
    def hooks(self) -> dict[str, tuple[str, ...]]:
        """The names of the webhooks that receive each kind of event."""
        return {
            kind: names
            for kind in SENT
            if (names := tuple(each.name for each in self.webhooks if kind in each.events))
        }

    def local_zone(self) -> Zone:
        """Return the zone of local times."""
        return zone_named(self.zone) if self.zone else machine_zone()

    @property
    def origins(self) -> list[str]:
        """The origins in ``cors``."""
        return _listed(self.cors)

    @property
    def proxies(self) -> list[str]:
        """The addresses in ``forwarded_by``."""
        return _listed(self.forwarded_by)

    @property
    def admission(self) -> AdmissionLimits:
        """What clients may take."""
        return AdmissionLimits(
            self.max_connections, self.max_per_address, self.max_per_network, self.http_rate,
            self.network_share, self.token_rate, self.max_waiting, self.wrong_token_seconds,
        )  # fmt: skip

    @property
    def limits(self) -> ServerLimits:
        """What a connection of the weight protocol may take."""
        return ServerLimits(
            self.slow_seconds, self.grace_seconds, self.idle_seconds,
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
                msg = "requires a certificate (tls_certificate, --tls-certificate)"
                raise InputError(msg, "tls_key")
            return None
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        try:
            context.load_cert_chain(self.tls_certificate, self.tls_key or None)
        except OSError as error:
            wrong = isinstance(error, ssl.SSLError)
            why = "it is no certificate in PEM form with its key" if wrong else error.strerror
            msg = f": {self.tls_certificate} cannot be used: {why}"
            raise InputError(msg, "tls_certificate") from error
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
            msg = "cannot be combined with token; give one of them"
            raise InputError(msg, "token_file")
        token = self.token or _content(self.token_file)
        if len(token) < SHORTEST_TOKEN or not token.isprintable():
            must = f": {self.token_file} must hold" if self.token_file else "must be"
            msg = f"{must} one line of at least {SHORTEST_TOKEN} characters"
            raise InputError(msg, "token_file" if self.token_file else "token")
        return token


def _content(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        msg = f": {path} cannot be read: {reason}"
        raise InputError(msg, "token_file") from error


def _listed(text: str) -> list[str]:
    """Return what stands between commas."""
    return [each.strip() for each in text.split(",") if each.strip()]


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
    known = {each.name: each for each in fields(Settings) if each.name not in ("webhooks", "queues")}
    values: dict[str, Any] = {}
    if path is not None:
        content = _content_of(path)
        hooks, queues = (content.get(kind, {}).items() for kind in NAMED)
        values["webhooks"] = tuple(webhook_of(n, data, f"{path}: [webhook.{n}]") for n, data in hooks)
        values["queues"] = tuple(queue_of(n, data, f"{path}: [queue.{n}]") for n, data in queues)
        for name, value in content.get(TABLE, {}).items():
            if name not in known:
                msg = f"{path}: there is no setting {name!r}; the settings are {', '.join(known)}"
                raise InputError(msg)
            values[name] = _converted(known[name], value, f"{path}: {name}")
    for name, each in known.items():
        text = environment.get(PREFIX + name.upper())
        if text is not None:
            values[name] = _converted(each, text, PREFIX + name.upper(), from_text=True)
    values |= {name: value for name, value in flags.items() if value is not None}
    return Settings(**values)


def place_of(name: str, path: str | None, environment: Mapping[str, str], flags: Mapping[str, Any]) -> str:
    """Return where a setting was set, as its author would look for it; else as a flag.

    Examples
    --------
    >>> place_of("max_line", None, {"EQUIPOISE_MAX_LINE": "0"}, {})
    'EQUIPOISE_MAX_LINE'
    >>> place_of("max_line", None, {}, {"max_line": 0}), place_of("token", None, {}, {})
    ('--max-line', 'EQUIPOISE_TOKEN')
    """
    variable, flag = PREFIX + name.upper(), f"--{name.replace('_', '-')}"
    if flags.get(name) is not None:
        return flag
    if variable in environment or name == "token":  # a token on the command line could be seen by others
        return variable
    return f"{path}: {name}" if path is not None and name in _table(path) else flag


def _table(path: str) -> Mapping[str, Any]:
    table: Mapping[str, Any] = _content_of(path).get(TABLE, {})
    return table


def _content_of(path: str) -> Mapping[str, Any]:
    """Return the tables of a file."""
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror or error}"
        raise InputError(msg) from error
    except ValueError as error:  # not TOML, or not UTF-8
        msg = f"{path}: it is not TOML: {error}"
        raise InputError(msg) from error
    if set(content) - {TABLE, *NAMED} or not all(isinstance(each, dict) for each in content.values()):
        msg = f"{path}: every setting must be in a table: [{TABLE}], [webhook.NAME] or [queue.NAME]"
        raise InputError(msg)
    return content


def _converted(each: Field[Any], value: Any, where: str, *, from_text: bool = False) -> Any:
    """Return a value of a file, or a text of the environment, as what it stands for."""
    kind = type(each.default)
    try:
        return msgspec.convert(value, kind, strict=not from_text)
    except msgspec.ValidationError:
        msg = f"{where} must be {KINDS[kind]}, got {value!r}"
        raise InputError(msg) from None
