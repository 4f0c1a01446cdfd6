"""``equipoise live``: game servers balanced while they run."""

from __future__ import annotations

import signal
import threading
import time
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli import archive_options
from equipoise.cli.output_options import Number, Whole
from equipoise.errors import EquipoiseError, InputError

if TYPE_CHECKING:
    from equipoise.service.live_settings import Playing

#: Seconds between two looks at a log.
STEP = 0.05

#: Seconds after which a server that failed while it ran is begun again, at first and at most.
AGAIN, AGAIN_MOST = 2.0, 60.0


@click.command(name="live")
@click.option(
    "--game", default="openarena", show_default=True, metavar="NAME",
    help="openarena, quake3, nexuiz, teeworlds, tf2, cs2, csgo, or a file that describes a game.",
)  # fmt: skip
@click.option("--log", metavar="PATH", help="The server's log; for Nexuiz and Teeworlds, its output.")
@click.option("--rcon", metavar="HOST:PORT", help="Its remote console.")
@click.option("--rcon-password-file", metavar="FILE", help="A file with the console's password.")
@click.option(
    "--target", type=Whole(), metavar="N", help="Players wanted, bots included, within the map's range."
)
@click.option("--bots/--no-bots", default=None, help="Whether bots fill up.  [default: --bots]")
@click.option(
    "--stay", type=Number(), metavar="PRICE", help="The price of moving one player, in win probability."
)
@click.option("--clans", is_flag=True, default=None, help="Players with the same clan tag stay together.")
@click.option("--levers", is_flag=True, default=None, help="Bots make up for uneven teams.")
@archive_options.receive
@click.option(
    "--move", metavar="COMMAND",
    help="On tf2, cs2, csgo: the plug-in's command that moves people, as 'sm_setteam #{slot} {team}'.",
)  # fmt: skip
@click.option("--move-alive", is_flag=True, default=None, help="Move players during a game if necessary.")
@click.option(
    "--map-ranges/--no-map-ranges", default=None,
    help="Whether games in the archive show how many players suit a map.  [default: --map-ranges]",
)  # fmt: skip
@click.option("--intermission", type=Number(), metavar="SECONDS", help="The pause after a game with people.")
@click.option(
    "--zone", metavar="NAME",
    help="The zone of times in the log, such as Europe/Berlin or +05:45.  "
    "[default: the kept one, or else this machine's]",
)  # fmt: skip
@click.option("--config", metavar="FILE.toml", help="Several servers: a table [[server]] for each.")
@click.option(
    "--store", metavar="URL", envvar="EQUIPOISE_STORE", show_envvar=True,
    help="The archive: sqlite:///path or postgresql://user@host/database.",
)  # fmt: skip
@click.option(
    "--dry-run", is_flag=True, help="Send nothing; print what would be done, also from a recorded log."
)
@click.option("--once", is_flag=True, help="With --dry-run: end where the log ends.")
def command(config: str | None, store: str | None, dry_run: bool, once: bool, **options: Any) -> None:
    """Balance a game server while it runs, until SIGINT or SIGTERM.

    It follows the server's log, rates every game, chooses teams between games, fills up with bots, finds a
    place for late joiners, and answers !teams, !why, !rank and !switch in the chat.
    """
    from equipoise.service.live_settings import read_servers, server_of

    given = {name: value for name, value in options.items() if value is not None}
    if config is not None:
        if given.keys() - {"game"}:
            msg = "--config cannot be combined with the settings of one server"
            raise click.UsageError(msg)
        kept, servers = read_servers(config)
        store = store or kept
    else:
        if not given.get("log"):
            msg = "--log is missing; give a log, or --config"
            raise click.UsageError(msg)
        if dry_run:
            given.pop("rcon", None)
            given.pop("rcon_password_file", None)
        elif "rcon" not in given:
            msg = "--rcon is missing; --dry-run works without"
            raise click.UsageError(msg)
        try:
            servers = [server_of(given)]
        except InputError as error:
            raise _flagged(error) from error
    if not store:
        msg = "--store is missing; write sqlite:///PATH or postgresql://..."
        raise click.UsageError(msg)
    where = config or ""
    if dry_run and once:
        for each in servers:
            try:
                _replay(each, store)
            except InputError as error:
                raise _located(error, each, where) from error
        return
    _run(servers, store, where, dry=dry_run)


def _located(error: InputError, settings: Playing, config: str) -> InputError:
    """Return an error with the flag, or with the file and the server, that it is about."""
    return InputError(f"{config}: server {settings.title}: {error}") if config else _flagged(error)


def _flagged(error: InputError) -> InputError:
    return error.named(f"--{error.argument.replace('_', '-')}") if error.argument else error


def _run(servers: list[Playing], store: str, config: str, *, dry: bool) -> None:
    """Run every server in a thread of its own until a signal; one that fails does not hold up the others.

    One that fails while it runs, as where its database is restarted, is begun again; one that cannot begin
    has failed.
    """
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    failed: list[str] = []

    def serve(each: Playing) -> None:
        began, pause = threading.Event(), AGAIN
        while why := _failure(each, store, config, stop, began, dry=dry):
            if not began.is_set():
                failed.append(why)
                archive_options.warn(f"error: {why}")
                return
            archive_options.warn(f"error: {why}; {each.title} is begun again in {pause:g} s")
            if stop.wait(pause):
                return
            pause = min(2.0 * pause, AGAIN_MOST)

    threads = [threading.Thread(target=serve, args=(each,), daemon=True) for each in servers]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads) and not stop.wait(0.2):
        pass
    for thread in threads:
        thread.join(30.0)
    if failed:
        raise click.exceptions.Exit(1)


def _failure(
    settings: Playing, store: str, config: str, stop: threading.Event, began: threading.Event, *, dry: bool
) -> str:
    """Balance one server until the program ends; return why it failed before, otherwise nothing."""
    try:
        _serve(settings, store, stop, began, dry=dry)
    except InputError as error:
        return str(_located(error, settings, config))
    except EquipoiseError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 -- whatever it is, it is reported, and the server balanced again
        return f"unexpected: {type(error).__name__}: {error}"
    return ""


def _serve(
    settings: Playing, store: str, stop: threading.Event, began: threading.Event, *, dry: bool
) -> None:
    """Balance one server until the program ends; note that it began."""
    import select

    from equipoise.service.live_server import BalancedServer
    from equipoise.service.log_receiver import receiving

    receive = None if dry else settings.receive
    with (
        receiving(receive, settings.log, archive_options.warn),
        archive_options.opened(store, create=True) as archive,
    ):
        archive_options.say_rebuilt(archive.update_ratings())
        game = BalancedServer(archive, settings, _teller(settings), dry=dry)
        try:
            while not stop.is_set():
                game.step(time.monotonic())
                began.set()
                if game.fileno() >= 0:
                    select.select([game.fileno()], [], [], STEP)
                else:
                    stop.wait(STEP)
        finally:
            game.close()


def _teller(settings: Playing) -> Any:
    name = f"{settings.name}: " if settings.name else ""

    def tell(text: str) -> None:
        archive_options.tell(f"{time.strftime('%H:%M:%S')} {name}{text}")

    return tell


def _replay(settings: Playing, store: str) -> None:
    """Print what would have been done in a recorded log; the archive is read, and not written."""
    from equipoise.service.live_server import replay

    with archive_options.opened(store) as archive:
        archive_options.up_to_date(archive)
        for line in replay(archive, settings):
            archive_options.tell(line)
