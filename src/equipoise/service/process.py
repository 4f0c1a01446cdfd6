"""The life of a server process: it begins, listens, reloads its settings when asked, and ends in order.

What systemd hears (sd_notify(3)): that the server answers, is alive, and ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import ipaddress
import logging
import os
import signal
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equipoise.archive.archive import open_archive
from equipoise.errors import EquipoiseError, InputError
from equipoise.service.exported_site import finish
from equipoise.service.monitoring import log_events
from equipoise.service.other_servers import check, worker_name
from equipoise.service.service import Service
from equipoise.service.settings import Settings
from equipoise.service.tcp import Server

if TYPE_CHECKING:
    from equipoise.service.http.server import HttpFront


log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Begun:
    """What a server tells when it answers.

    Parameters
    ----------
    host, port : str and int
        Where it listens.
    players, rulesets : int
        How many it knows.
    http : pair of str and int, or None
        Where it listens for HTTP.
    """

    host: str
    port: int
    players: int
    rulesets: int
    http: tuple[str, int] | None = None


async def serve(
    settings: Settings, listening: Callable[[Begun], None], reread: Callable[[], Settings]
) -> None:
    """Answer until the process is asked to end, then answer what was asked before.

    Parameters
    ----------
    settings : Settings
        Which archive, where, and within what limits.
    listening : callable
        Called once there are answers.
    reread : callable
        Returns the settings as they are now; asked on ``SIGHUP``.

    Raises
    ------
    EquipoiseError
        If a setting is at fault, the archive cannot be read, or the address cannot be had.
    """
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):  # where a loop has no signals, Ctrl-C raises
            loop.add_signal_handler(number, ended.set)
    with contextlib.suppress(NotImplementedError, AttributeError):  # nothing to reload yet
        loop.add_signal_handler(signal.SIGHUP, log.debug, "settings are being read")
    starting = asyncio.ensure_future(extend())
    host, port = settings.address
    tls, limits = settings.tls(), settings.limits
    settings.warn()
    if settings.create:
        open_archive(settings.store, waiting=log.warning).close()
    worker = worker_name(settings.store)
    if worker:
        os.environ["PGAPPNAME"] = worker  # so that the others can end what this one holds if it stands still
        await asyncio.to_thread(check, settings.store)
    with contextlib.suppress(EquipoiseError):  # reading the archive reports what is wrong
        await asyncio.to_thread(_finish, settings.store)
    service = Service(settings, worker)
    front: HttpFront | None = None
    try:
        await service.open()
        gc.collect()
        gc.freeze()  # what is loaded stays: to go through it again and again would hold answers up
        server = Server(service, limits, service.admission)
        bound = await server.listen(host, port, tls)
        _warn(settings, bound[0])
        if settings.game and not service.board.snapshot.knows(settings.game):
            log.warning("no game of this name is known", extra={"game": settings.game})
        for each in (service.follow(), service.compile(), *service.lanes(), watch()):
            server.start(each)
        front = await _front(service, settings, tls, server)
        with contextlib.suppress(NotImplementedError, AttributeError):
            loop.add_signal_handler(signal.SIGHUP, _reload, service, server, tls, reread, front)
        known = service.board.snapshot
        where = None if front is None else front.where
        if front is not None:
            _warn(settings, front.where[0])
        listening(Begun(*bound, len(known.ratings.known), len(known.rulesets), where))
        starting.cancel()
        notify("READY=1")
        await ended.wait()
        notify("STOPPING=1")
        log.info("ending")
        await asyncio.gather(server.stop(), *([front.stop()] if front is not None else []))
        log.info("ended")
    finally:
        starting.cancel()
        await asyncio.gather(service.close(), *([front.close()] if front is not None else []))


def _finish(store: str) -> None:
    """Finish what a correction that was cut off has left of exported pages."""
    with open_archive(store, create=False, waiting=log.warning) as archive:
        finish(archive, log.warning, missing=False)


async def _front(
    service: Service, settings: Settings, tls: ssl.SSLContext | None, server: Server
) -> HttpFront | None:
    """Begin to answer HTTP where that is asked for."""
    address = settings.http_address
    if address is None:
        return None
    from equipoise.service.http.server import HttpFront

    front = HttpFront(service, settings, server)
    await front.open(address, tls)
    return front


def _reload(
    service: Service,
    server: Server,
    tls: ssl.SSLContext | None,
    reread: Callable[[], Settings],
    front: HttpFront | None,
) -> None:
    """Reload settings: the token, certificates, limits and the log; addresses and the archive stay."""
    try:
        settings = reread()
        if (settings.tls() is None) is not (tls is None):
            msg = ": whether connections are TLS stays as it is until the next start"
            raise InputError(msg, "tls_certificate")
        service.reload(settings)
        if tls is not None:
            tls.load_cert_chain(settings.tls_certificate, settings.tls_key or None)
    except (EquipoiseError, OSError) as error:
        log.error("settings stay as they were", extra={"why": str(error)})
        return
    server.limits = settings.limits
    if front is not None:
        front.reload(settings)
    log_events(settings.log_level, as_json=settings.json_logs)
    settings.warn()
    log.info("settings reloaded")


def _warn(settings: Settings, host: str) -> None:
    """Warn of what others could do at an address beyond this machine."""
    if _is_loopback(host):
        return
    if not (settings.token or settings.token_file or settings.tokens):
        log.warning(
            "anyone who reaches this address may ask; results are not taken without a token",
            extra={"host": host},
        )
    elif not settings.tls_certificate:
        log.warning(
            "the token crosses the network in plain text; set tls_certificate and tls_key, or use a tunnel",
            extra={"host": host},
        )


def _is_loopback(host: str) -> bool:
    return ipaddress.ip_address(host).is_loopback


def run(settings: Settings, listening: Callable[[Begun], None], reread: Callable[[], Settings]) -> None:
    """Run :func:`serve` on the fastest loop there is."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(serve(settings, listening, reread))


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """Return what makes event loops: uvloop's where it is installed."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop


#: The part of the watchdog's time after which it is notified again.
SHARE = 3

#: Seconds between two notes that the start goes on; each holds for :data:`SHARE` times as long.
EXTENSION = 10.0


def notify(state: str) -> None:
    """Tell the state, where somebody wants to know it."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    address = "\0" + address[1:] if address.startswith("@") else address
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to:
        to.sendto(state.encode(), address)


async def extend() -> None:
    """Tell that the start goes on, however long it takes, until this is cancelled."""
    while True:
        notify(f"EXTEND_TIMEOUT_USEC={int(EXTENSION * SHARE * 1e6)}")
        await asyncio.sleep(EXTENSION)


async def watch() -> None:
    """Tell that answers are made, as often as the watchdog needs it."""
    try:
        seconds = int(os.environ["WATCHDOG_USEC"]) / 1e6 / SHARE
    except (KeyError, ValueError):
        return
    while seconds > 0:
        notify("WATCHDOG=1")
        await asyncio.sleep(seconds)
