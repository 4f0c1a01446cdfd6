"""Settings that come several times, as tables of the file: ``[webhook.NAME]`` and ``[queue.NAME]``.

::

    [webhook.league]
    url = "https://league.example.org/equipoise"
    secret_file = "/etc/equipoise/league"
    events = ["result", "queue"]

    [queue.duel]
    team_size = 1
    tick = 1.0
    heartbeat = 60.0
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from equipoise.errors import InputError
from equipoise.queueing.policy import QueuePolicy

#: What a webhook may receive.
KINDS = ("result", "teams", "ratings", "queue")

#: What a webhook and a queue may be called: it is part of paths, and a label of metrics.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")

#: A secret that is shorter can be guessed, bytes.
SHORTEST_SECRET = 16

#: How a secret begins that is written as Standard Webhooks has it.
WRITTEN = "whsec_"

#: How often and how rarely matches may be looked for, seconds.
FASTEST, SLOWEST = 0.05, 60.0

Table = TypeVar("Table")


class _Webhook(msgspec.Struct, forbid_unknown_fields=True):
    url: str
    secret_file: str
    events: list[str] = msgspec.field(default_factory=lambda: list(KINDS))
    seconds: float = 10.0


class _Queue(msgspec.Struct):
    tick: float = 1.0
    heartbeat: float = 0.0
    max_players: int = 100_000
    game_type: str = ""
    keep_days: float = 0.0
    join: str = ""


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where events are sent.

    Parameters
    ----------
    name : str
        What it is called.
    url : str
        Where it listens.
    secret : bytes
        What deliveries are signed with.
    events : tuple of str
        The kinds it receives.
    seconds : float
        How long it may take to answer.
    """

    name: str
    url: str
    secret: bytes = field(repr=False)
    events: tuple[str, ...] = KINDS
    seconds: float = 10.0


@dataclass(frozen=True, slots=True)
class QueueSettings:
    """A queue.

    Parameters
    ----------
    name : str
        What it is called.
    policy : QueuePolicy
        How matches are made.
    tick : float
        Seconds between two looks for matches.
    heartbeat : float
        Seconds after which a ticket that nobody asked for leaves; 0 for never.
    max_players : int
        Players who may wait or be in a match at once.
    game_type : str
        The ruleset whose ratings count for players who come without one, as after ``GAME``.
    keep_days : float
        Days after which events that nothing needs any longer are dropped; 0 for never.
    join : str
        A word of which the link to the page is made that lets people in from browsers; empty for no page.
    """

    name: str
    policy: QueuePolicy
    tick: float = 1.0
    heartbeat: float = 0.0
    max_players: int = 100_000
    game_type: str = ""
    keep_days: float = 0.0
    join: str = ""


def webhook_of(name: str, data: Any, where: str) -> Webhook:
    """Return the webhook of a table.

    Raises
    ------
    InputError
        If something in it is wrong; the message begins with the file and the table.
    """
    read = _table(name, data, _Webhook, where)
    address = urlsplit(read.url)
    if address.scheme not in ("http", "https") or not address.hostname or address.username:
        msg = f"{where}: url must be http://... or https://... without a user, got {read.url!r}"
        raise InputError(msg)
    unknown = [each for each in read.events if each not in KINDS]
    if unknown or not read.events:
        msg = f"{where}: events must be some of {', '.join(KINDS)}, got {read.events!r}"
        raise InputError(msg)
    if not 0.0 < read.seconds <= 60.0:
        msg = f"{where}: seconds must be above 0 and at most 60, got {read.seconds!r}"
        raise InputError(msg)
    return Webhook(name, read.url, _secret(read.secret_file, where), tuple(read.events), read.seconds)


def queue_of(name: str, data: Any, where: str) -> QueueSettings:
    """Return the queue of a table: the fields of its policy, and some of its own.

    Raises
    ------
    InputError
        If something in it is wrong; the message begins with the file and the table.
    """
    own = _Queue.__struct_fields__
    plain = data if isinstance(data, Mapping) else {}
    read = _table(name, {key: value for key, value in plain.items() if key in own}, _Queue, where)
    if not isinstance(data, Mapping):
        msg = f"{where}: it must be a table"
        raise InputError(msg)
    policy = QueuePolicy.asked({key: value for key, value in data.items() if key not in own}, where)
    if not FASTEST <= read.tick <= SLOWEST:
        msg = f"{where}: tick must be from {FASTEST:g} to {SLOWEST:g}, got {read.tick!r}"
        raise InputError(msg)
    if not 0.0 <= read.heartbeat < float("inf"):
        msg = f"{where}: heartbeat must be at least 0, got {read.heartbeat!r}"
        raise InputError(msg)
    if not 0.0 <= read.keep_days < float("inf"):
        msg = f"{where}: keep_days must be at least 0, got {read.keep_days!r}"
        raise InputError(msg)
    if read.max_players < 1:
        msg = f"{where}: max_players must be at least 1, got {read.max_players}"
        raise InputError(msg)
    return QueueSettings(
        name, policy, read.tick, read.heartbeat, read.max_players, read.game_type, read.keep_days, read.join
    )


def _table(name: str, data: Any, kind: type[Table], where: str) -> Table:
    if not NAME.fullmatch(name):
        msg = f"{where}: a name must be 1 to 64 letters, digits, dots, - and _"
        raise InputError(msg)
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$")
        field_name = path.strip(".`")
        raise InputError(f"{where}: {field_name}: {what}" if field_name else f"{where}: {what}") from None


def _secret(path: str, where: str) -> bytes:
    """Return the secret of a file: text, or base64 after ``whsec_``."""
    try:
        text = Path(path).read_text(encoding="utf-8").strip()
        secret = (
            base64.b64decode(text.removeprefix(WRITTEN), validate=True)
            if text.startswith(WRITTEN)
            else (text.encode())
        )
    except OSError as error:
        msg = f"{where}: secret_file: {path} cannot be read: {error.strerror or error}"
        raise InputError(msg) from error
    except ValueError as error:
        msg = f"{where}: secret_file: {path} must hold text, or base64 after {WRITTEN}"
        raise InputError(msg) from error
    if len(secret) < SHORTEST_SECRET:
        msg = f"{where}: secret_file: {path} must hold at least {SHORTEST_SECRET} bytes, got {len(secret)}"
        raise InputError(msg)
    return secret
