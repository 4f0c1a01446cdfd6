"""What is wrong with an installation of the weight server, and what helps."""

from __future__ import annotations

import os
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from equipoise.archive.archive import Archive, open_archive
from equipoise.archive.open_database import shown
from equipoise.core.clock import ahead
from equipoise.core.compiled import available, keeps
from equipoise.errors import EquipoiseError, InputError
from equipoise.service.listener import OTHER_FILES
from equipoise.service.settings import Settings
from equipoise.teams.solvers.window_kernels import fill_teams

#: Seconds to wait for a database or a server.
PATIENCE = 5.0

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
    for look in (_token, _address, _certificate, _store, _files, _speed):
        try:
            yield from look(settings)
        except InputError as error:
            named = error.named(place_of(error.argument)) if error.argument else error
            if str(named) not in seen:  # an address is looked at more than once
                yield Diagnosis(str(named), FIXES[look])
            seen.add(str(named))
        except (EquipoiseError, OSError) as error:
            yield Diagnosis(str(error), FIXES[look])


def _token(settings: Settings) -> Iterator[Diagnosis]:
    if not settings.secret():
        yield Diagnosis("no token: results are not taken", "")
        return
    if settings.token_file and Path(settings.token_file).stat().st_mode & 0o077:
        yield Diagnosis(f"others may read {settings.token_file}", f"chmod 600 {settings.token_file}")
    else:
        yield Diagnosis("the token is long enough, and no other user can read its file")


def _certificate(settings: Settings) -> Iterator[Diagnosis]:
    host, _ = settings.address
    if settings.tls() is not None:
        yield Diagnosis("connections are TLS")
    elif host not in ("127.0.0.1", "::1", "localhost") and settings.secret():
        yield Diagnosis(
            f"the token crosses the network in plain text to {host}",
            "set tls_certificate and tls_key, or listen on 127.0.0.1 behind a tunnel",
        )


def _store(settings: Settings) -> Iterator[Diagnosis]:
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
    if settings.store.startswith("sqlite:///"):
        yield from _file(Path(settings.store.removeprefix("sqlite:///")))


def _future(archive: Archive) -> Iterator[Diagnosis]:
    """Find matches that are dated ahead of the clock: every later one would be late beside them."""
    if wrong := ahead(archive.last_ended(), time.time()):
        yield Diagnosis(
            f"a match is {wrong}",
            "set the clocks right, and take the match back with: equipoise undo MATCH",
        )


def _file(path: Path) -> Iterator[Diagnosis]:
    for each in (path, path.absolute().parent):
        if not os.access(each, os.W_OK):
            yield Diagnosis(
                f"this user may not write {each}",
                "results need that: run doctor and server as the user who owns it, or chown it",
            )
    free = shutil.disk_usage(path.absolute().parent).free
    if free < LITTLE:
        yield Diagnosis(
            f"{free / 1e6:.0f} MB are free beside {path}", "make room: nothing is kept on a full disk"
        )


def _address(settings: Settings) -> Iterator[Diagnosis]:
    host, port = settings.address
    _ = settings.http_address
    try:
        with socket.create_connection((host, port), timeout=PATIENCE) as connection:
            connection.sendall(b"MEANBOT\n")
            answer = connection.recv(200)
    except OSError:
        yield Diagnosis(f"nobody listens on {settings.weights} yet")
        return
    if answer.startswith((b"MEANBOT ", b"ERR ")) or settings.tls_certificate:
        yield Diagnosis(f"a weight server answers on {settings.weights}")
    else:
        yield Diagnosis(
            f"{settings.weights} is taken by something else", "choose another port with --weights"
        )


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


#: What helps where a look itself fails.
FIXES: dict[Callable[[Settings], Iterator[Diagnosis]], str] = {
    _token: "give a token of 16 characters or more in a file of its own: --token-file FILE",
    _certificate: "give a certificate with its chain, and its key, as PEM files that this user may read",
    _store: "check --store; equipoise ingest, or serve --create, makes an archive",
    _address: "give --weights and --http as HOST:PORT",
    _files: "",
    _speed: "",
}
