"""What is wrong with an installation of the service, and what helps: its settings are tried."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import re
import shutil
import socket
import ssl
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from equipoise.archive.archive import Archive, open_archive
from equipoise.archive.database import file_of, shown
from equipoise.archive.ingest.follow_log import LogPosition, stamp_of, unread
from equipoise.core.compiled import available, keeps
from equipoise.core.dates import ahead
from equipoise.errors import EquipoiseError, InputError
from equipoise.queueing.promises import policy_in_words
from equipoise.service.listener import OTHER_FILES
from equipoise.service.queue_owner import QueueOwner, status_of
from equipoise.service.settings import PREFIX, Settings
from equipoise.service.tokens import SCOPES, read
from equipoise.teams.solvers.window_kernels import fill_teams

#: Seconds to wait for a database or a server.
PATIENCE = 5.0

#: Seconds of waiting that nobody means.
LONG_AGO = 900.0

#: Seconds after the last line of a log by which who follows it has read that.
QUIET = 60.0

#: Bytes of a disk below which a warning says that it is nearly full.
LITTLE = 200_000_000


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that was looked at.

    Parameters
    ----------
    what : str
        What was found.
    fix : str
        What helps; empty where all is well.
    """

    what: str
    fix: str = ""


def examine(settings: Settings, place_of: Callable[[str], str] = str) -> Iterator[Diagnosis]:
    """Look at an installation, one thing after the other; what cannot be looked at is a finding too.

    Parameters
    ----------
    settings : Settings
        The settings of the server.
    place_of : callable
        Where a setting was set, for what is wrong with it.
    """
    seen = set()
    for look, fix in FIXES.items():
        try:
            yield from look(settings)
        except InputError as error:
            named = error.named(place_of(error.argument)) if error.argument else error
            if str(named) not in seen:  # an address is looked at more than once
                yield Diagnosis(str(named), fix)
            seen.add(str(named))
        except (EquipoiseError, OSError) as error:
            yield Diagnosis(str(error), fix)


def _tokens(settings: Settings) -> Iterator[Diagnosis]:
    secret, known = settings.secret(), read(settings.tokens) if settings.tokens else []
    if settings.tokens and not Path(settings.tokens).exists():
        yield Diagnosis(
            f"there is no file of tokens {settings.tokens}",
            f"equipoise tokens make --file {settings.tokens} --name NAME --scope report",
        )
    for path in filter(None, (settings.token_file, settings.tokens)):
        if Path(path).exists() and Path(path).stat().st_mode & 0o077:
            yield Diagnosis(f"others may read {path}", f"chmod 600 {path}")
    counts = Counter(each.scope for each in known)
    kinds = [*([f"a token in {settings.token_file or PREFIX + 'TOKEN'} to report"] if secret else [])]
    kinds += [f"{counts[scope]} to {scope}" for scope in SCOPES if counts[scope]]
    if kinds:
        yield Diagnosis(f"tokens: {', '.join(kinds)}")
    if not secret and not counts["report"] and not counts["admin"]:
        yield Diagnosis("no token to report: results are not taken")


def _plain_text(settings: Settings) -> Iterator[Diagnosis]:
    """Find tokens that cross the network as they are, over either protocol."""
    if settings.tls() is not None:
        yield Diagnosis("connections are TLS")
        return
    for name, address in _listening(settings).items():
        if is_loopback(address[0]):
            continue
        where = f"{name} listens at {address[0]}, beyond this machine, without TLS"
        if settings.secret() or settings.tokens:
            yield Diagnosis(
                f"{where}: a token crosses the network in plain text",
                "set tls_certificate and tls_key, or listen on 127.0.0.1 behind a tunnel or a reverse proxy",
            )
        else:
            yield Diagnosis(f"{where}: anyone who reaches it may ask")


def _listening(settings: Settings) -> dict[str, tuple[str, int]]:
    """Return where each protocol listens."""
    http = settings.http_address
    return {"weights": settings.address, **({} if http is None else {"http": http})}


def is_loopback(host: str) -> bool:
    """Tell whether only this machine reaches an address to listen at."""
    try:
        found = {ipaddress.ip_address(host.partition("%")[0])}
    except ValueError:
        try:
            found = {ipaddress.ip_address(each[4][0]) for each in socket.getaddrinfo(host, None)}
        except OSError:
            return False
    return all(each.is_loopback for each in found)


def _limits(settings: Settings) -> Iterator[Diagnosis]:
    table = settings.admission.table()
    yield Diagnosis("limits: " + ", ".join(f"{name} {value:g}" for name, value in table.items()))
    if table["per_address"] >= table["connections"]:
        yield Diagnosis(
            "one address may have every connection", "a --max-per-address below --max-connections"
        )


def _clock(settings: Settings) -> Iterator[Diagnosis]:
    now = datetime.fromtimestamp(time.time(), UTC)
    zone = now.astimezone(settings.local_zone().rules)
    where = f"in {settings.zone}" if settings.zone else "here"
    yield Diagnosis(
        f"the clock says {now:%Y-%m-%d %H:%M:%S} UTC; {where} that is {zone:%H:%M} ({zone:%Z, UTC%z})"
    )


def _is_to_be_made(settings: Settings) -> bool:
    """Tell whether the next start makes the archive."""
    path = file_of(settings.store)
    return settings.create and path is not None and not Path(path).exists()


def _store(settings: Settings) -> Iterator[Diagnosis]:
    if _is_to_be_made(settings):
        folder = Path(file_of(settings.store) or "").absolute().parent
        yield Diagnosis(f"{shown(settings.store)}: the next start makes it")
        yield from _place(folder)
        return
    with open_archive(settings.store, create=False, timeout=PATIENCE, waiting=lambda _: None) as archive:
        facts = archive.facts()
        version = f"{facts['database']} {facts['version']}"
        yield Diagnosis(f"{shown(settings.store)}: {version}, {archive.count()} matches that count")
        if archive.is_behind():
            reason = archive.rebuild_reason or "matches nobody has learnt from"
            yield Diagnosis(
                f"the ratings are not current: {reason}",
                "start the server, which learns, or: "
                f"equipoise archive rebuild --store {shown(settings.store)}",
            )
        yield from _future(archive)
        yield from _logs(archive)
        yield from _outbox(settings, archive)
    if (path := file_of(settings.store)) is not None:
        yield from _file(Path(path))


def _queues(settings: Settings) -> Iterator[Diagnosis]:
    """Look at each queue: who could use it, what its policy warns of, and whether its record can be read."""
    if not settings.queues or _is_to_be_made(settings):
        return
    if settings.http_address is None:
        yield Diagnosis("queues are reached in lines of the weight protocol alone", "--http HOST:PORT")
    scopes = {each.scope for each in read(settings.tokens)} if settings.tokens else set()
    if not settings.secret() and not scopes & {"report", "admin"}:
        yield Diagnosis(
            "no token to report: nobody can enter a queue",
            "equipoise tokens make --file FILE --name NAME --scope report",
        )
    with open_archive(settings.store, create=False, timeout=PATIENCE, waiting=lambda _: None) as archive:
        known = {f"{each.game}/{each.game_type}" for each in archive.standing().rulesets}
        for each in settings.queues:
            owner = QueueOwner(archive, each)
            state = status_of(owner.life, time.time())  # a question might write another policy down
            stands = [f"{state['waiting']} wait", f"{state['running']} matches run"]
            stands += [word for word in ("paused", "closed") if state[word]]
            yield Diagnosis(f"queue {each.name}: {', '.join(stands)}, {owner.number} events")
            if state["oldest"] > max(2 * each.policy.longest_wait, LONG_AGO):
                yield Diagnosis(
                    f"queue {each.name}: a ticket has waited {state['oldest']:.0f} s",
                    f"its heartbeat lets tickets go that nobody asks for; GET /v1/queues/{each.name}/tickets/"
                    "TICKET?why=true says why one waits",
                )
            for line in policy_in_words(each.policy):
                if line.startswith("Warning: "):
                    yield Diagnosis(
                        f"queue {each.name}: {line.removeprefix('Warning: ')}",
                        "equipoise queue check POLICY says what people will see",
                    )
            if each.game_type and "/" in each.game_type and each.game_type not in known:
                yield Diagnosis(
                    f"queue {each.name}: nobody has played {each.game_type}, whose ratings it takes",
                    f"the game types of the archive are {', '.join(sorted(known)) or 'none yet'}",
                )


def _future(archive: Archive) -> Iterator[Diagnosis]:
    """Find matches that are dated ahead of the clock: every later one would be late beside them."""
    if wrong := ahead(archive.last_ended(), time.time()):
        yield Diagnosis(
            f"a match is {wrong}",
            "set the clocks right, and take the match back with: equipoise undo MATCH",
        )


def _logs(archive: Archive) -> Iterator[Diagnosis]:
    """Look at the logs that are followed: whether all is read, and whether rotation took away what is not."""
    for name, position in archive.followed().items():
        path = Path(name)
        if not path.parent.is_dir():
            yield Diagnosis(f"log {name}: it is not on this machine")
            continue
        left = unread(path, LogPosition(*position))
        changed = stamp_of(path)
        if left is None:
            yield Diagnosis(
                f"log {name}: it was replaced, and what was read of it is not beside it",
                "let its rotation leave at least two pieces beside it, and equipoise ingest --follow run",
            )
        elif left and changed is not None and time.time() - changed[2] / 1e9 > QUIET:
            yield Diagnosis(
                f"log {name}: {left} bytes are not read", f"equipoise ingest --follow {name} is to run"
            )
        else:
            yield Diagnosis(
                f"log {name}: all but {left} bytes is read" if left else f"log {name}: all is read"
            )


def _outbox(settings: Settings, archive: Archive) -> Iterator[Diagnosis]:
    """Find webhooks that do not take what they are sent, and those that are no longer there."""
    known, now = {each.name for each in settings.webhooks}, time.time()
    for name, (count, since) in sorted(archive.outbox.waiting().items()):
        if name not in known:
            yield Diagnosis(
                f"webhook {name}: it is not in the settings, and {count} deliveries wait for it",
                f"a table [webhook.{name}], or leave them where they are",
            )
        elif now - since > LONG_AGO:
            yield Diagnosis(
                f"webhook {name}: {count} deliveries wait, the oldest for {now - since:.0f} s",
                "GET /v1/admin/webhooks says what went wrong with each; the receiver has to answer 2xx",
            )


def _file(path: Path) -> Iterator[Diagnosis]:
    yield from _place(path, path.absolute().parent)


def _place(*paths: Path) -> Iterator[Diagnosis]:
    """Find what this user may not write, and a disk that is nearly full."""
    path = paths[0]
    for each in paths:
        if not os.access(each, os.W_OK):
            yield Diagnosis(
                f"this user may not write {each}",
                "results need that: run doctor and server as the user who owns it, or chown it",
            )
    free = shutil.disk_usage(paths[-1]).free
    if free < LITTLE:
        yield Diagnosis(
            f"{free / 1e6:.0f} MB are free beside {path}", "make room: nothing is kept on a full disk"
        )


def _weights(settings: Settings) -> Iterator[Diagnosis]:
    token = settings.secret()
    received = (f"AUTH {token}\n" if token else "") + "MEANBOT\n"
    try:
        with _connected(settings, settings.address) as connection:
            connection.sendall(received.encode())
            connection.shutdown(socket.SHUT_WR) if not settings.tls_certificate else None
            lines = _received(connection, received.count("\n"))
    except ssl.SSLError as error:
        yield Diagnosis(f"{settings.weights} speaks no TLS: {error.reason}", RESTART)
        return
    except OSError:
        yield Diagnosis(f"nobody listens on {settings.weights} yet")
        return
    if not lines or not lines[-1].startswith((b"MEANBOT ", b"ERR ")):
        yield Diagnosis(
            f"{settings.weights} is taken by something else", "choose another port with --weights"
        )
        return
    yield Diagnosis(f"a weight server answers on {settings.weights}")
    if token and lines[0] != b"AUTH ok":
        yield Diagnosis(f"the server on {settings.weights} does not take this token", RESTART)


def _http(settings: Settings) -> Iterator[Diagnosis]:
    address = settings.http_address
    if address is None:
        yield Diagnosis("HTTP is not asked for (--http)")
        return
    token = settings.secret()
    heads = f"Host: {address[0]}\r\n" + (f"Authorization: Bearer {token}\r\n" if token else "")
    try:
        with _connected(settings, address) as connection:
            for path in ("/readyz", "/v1/rulesets"):
                connection.sendall(f"GET {path} HTTP/1.1\r\n{heads}\r\n".encode())
            received = b"\n".join(_received(connection, 99, 2))
    except ssl.SSLError as error:
        yield Diagnosis(f"{settings.http} speaks no TLS: {error.reason}", RESTART)
        return
    except OSError:
        yield Diagnosis(f"nobody listens on {settings.http} yet")
        return
    statuses = re.findall(rb"HTTP/1\.1 (\d{3})", received)
    if not statuses:
        yield Diagnosis(f"{settings.http} is taken by something else", "choose another port with --http")
        return
    if statuses[0] == b"200":
        yield Diagnosis(f"a server on {settings.http} is ready")
    else:
        yield Diagnosis(f"the server on {settings.http} is not ready", "see its log, and the archive below")
    if token and statuses[-1] == b"401":
        yield Diagnosis(f"the server on {settings.http} does not take this token", RESTART)


def _connected(settings: Settings, address: tuple[str, int]) -> socket.socket:
    """Return a connection to a server as these settings have it; whose certificate it is does not matter."""
    plain = socket.create_connection(address, timeout=PATIENCE)
    if not settings.tls_certificate:
        return plain
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(plain)


def _received(connection: socket.socket, lines: int, answers: int = 0) -> list[bytes]:
    """Return the lines that come, until there are as many, or as many answers of HTTP."""
    received = b""
    with contextlib.suppress(TimeoutError):
        while received.count(b"\n") < lines and not (answers and received.count(b"HTTP/1.1 ") >= answers):
            part = connection.recv(65536)
            if not part:
                break
            received += part
    return received.splitlines()


def _files(settings: Settings) -> Iterator[Diagnosis]:
    try:
        import resource
    except ImportError:  # where there is no such limit
        return
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = settings.max_connections + OTHER_FILES
    if hard != resource.RLIM_INFINITY and hard < wanted:
        yield Diagnosis(
            f"the limit is {hard} open files, below the {wanted} for {settings.max_connections} connections",
            f"LimitNOFILE={wanted} in the unit, ulimit -Hn {wanted}, or a lower --max-connections",
        )
    else:
        yield Diagnosis(f"the limit of open files is high enough for {settings.max_connections} connections")


def _speed(settings: Settings) -> Iterator[Diagnosis]:
    del settings
    if find_spec("uvloop") is None and os.name == "posix":
        yield Diagnosis("uvloop is not installed; the server answers somewhat slower without", "")
    if available() and not keeps(fill_teams):
        yield Diagnosis(
            "compiled kernels cannot be kept: divisions of many players look at fewer splits",
            "set NUMBA_CACHE_DIR to a directory that this user may write, as CacheDirectory= gives one",
        )


#: What helps where a server that runs was begun with other settings.
RESTART = "restart the server with these settings, or run doctor with those of the server"

#: What is looked at, in order, and what helps where a look itself fails.
FIXES: dict[Callable[[Settings], Iterator[Diagnosis]], str] = {
    _tokens: "give a token of 16 characters or more in a file of its own: --token-file FILE",
    _weights: "give --weights and --http as HOST:PORT",
    _http: "give --weights and --http as HOST:PORT",
    _plain_text: "give a certificate with its chain, and its key, as PEM files that this user may read",
    _queues: "check --store and the tables [queue.NAME]",
    _store: "check --store; equipoise ingest, or serve --create, makes an archive",
    _clock: "",
    _limits: "",
    _files: "",
    _speed: "",
}
