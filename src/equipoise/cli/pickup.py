"""``equipoise pickup``: people gather for games in a chat, and teams, results and ratings follow."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli import archive_options
from equipoise.cli.output_options import Number, PriceOption
from equipoise.cli.pickup_discord import KeepingTokens, discord_options, run_on_discord
from equipoise.errors import InputError

if TYPE_CHECKING:
    import ssl

    from equipoise.play.evening_events import EveningLobby

#: The variable with the password of our account, as others can read the arguments of a process.
PASSWORD = "EQUIPOISE_IRC_PASSWORD"  # noqa: S105  # the name of a variable


@click.command(name="pickup", cls=KeepingTokens)
@click.option("--irc", "address", metavar="HOST:PORT", help="The IRC server.")
@click.option("--discord", is_flag=True, help="On Discord, in place of IRC; needs equipoise[discord].")
@click.option(
    "--channel", "channels", multiple=True, metavar="#NAME|NUMBER",
    help="Where people gather, in lobbies of their own.  Repeatable; on Discord /lobby opens more.",
)  # fmt: skip
@click.option("--nick", default="equipoise", show_default=True, metavar="NAME", help="Our nickname there.")
@click.option(
    "--lobby", "lobbies", multiple=True, metavar="[#NAME/]NAME=5v5[@RULESET][:MAP,MAP[:veto|vote]]",
    help="What people may sign up for, or allvall for a night; a ruleset is written as "
    "openarena/ctf+g_instantgib.  With #NAME/ in that channel only.  Repeatable; by default game=5v5.",
)  # fmt: skip
@click.option("--apart", multiple=True, metavar="A,B", help="Never in the same team.  Repeatable.")
@click.option(
    "--admin", "admins", multiple=True, metavar="NAME", help="Who may correct results.  Repeatable."
)
@click.option("--vary", metavar="PRICE", type=PriceOption(), default="0.5%", show_default=True,
              help="The price of meeting again, in win probability.")  # fmt: skip
@click.option("--account", metavar="NAME", default="", help=f"Our account, with the password in {PASSWORD}.")
@click.option("--tls/--no-tls", default=False, show_default=True, help="Whether the connection is encrypted.")
@click.option("--tls-ca", metavar="FILE", help="Certificates to trust instead of those of the system.")
@click.option("--ready-time", metavar="SECONDS", type=Number(1), default=60.0, show_default=True,
              help="How long everyone has to be ready.")  # fmt: skip
@click.option("--pace", metavar="N", type=Number(0.1), default=0.8, show_default=True,
              help="Lines a second, after a burst of five; some servers allow more.")  # fmt: skip
@discord_options
@archive_options.optional_store
def command(
    address: str | None, discord: bool, channels: tuple[str, ...], nick: str, lobbies: tuple[str, ...],
    apart: tuple[str, ...], admins: tuple[str, ...], vary: float, account: str, tls: bool,
    tls_ca: str | None, ready_time: float,
    pace: float, store: str | None, **of_discord: Any,
) -> None:  # fmt: skip
    """Run lobbies in a chat: an IRC channel (!add, !report, !help), or channels on Discord (/in, /help).

    Everything is kept in the archive: killed at any moment, it carries on where it was.
    """
    import asyncio
    import contextlib
    import signal

    from equipoise.core.addresses import host_and_port
    from equipoise.core.fields import typed_groups
    from equipoise.play.lobby_forms import lobby_of

    pairs = [
        (one, other)
        for group in typed_groups(apart, "--apart")
        for one in group
        for other in group
        if one < other
    ]
    given = [lobby_of(text, ready_time, "--lobby") for text in lobbies]
    if discord:
        if address:
            msg = "--discord and --irc are two chats: run each by itself, with one --store"
            raise InputError(msg)
        given = given or [lobby_of("game=5v5", ready_time)] * bool(channels)
        run_on_discord(
            channels, given, archive_options.address(store), of_discord,
            {"apart": pairs, "admins": admins, "vary": vary, "ready": ready_time},
        )  # fmt: skip
        return
    from equipoise.service.chat.irc import Address, Speaker
    from equipoise.service.monitoring import log_events
    from equipoise.service.pickup_lobbies import Pickups

    if not address or not channels:
        msg = "--irc HOST:PORT and --channel say where people gather; or --discord"
        raise InputError(msg)
    host, port = host_and_port(address, "--irc", "irc.example.org:6697")
    for each in channels:
        if not each.startswith(("#", "&")) or any(sign in each for sign in " ,/\r\n\x07"):
            msg = f"--channel must begin with # and have no spaces, commas or slashes, got {each!r:.60}"
            raise InputError(msg)
    if len({each.casefold() for each in channels}) < len(channels):
        msg = "--channel: one is there twice"
        raise InputError(msg)
    channel = ",".join(channels)
    usual = [lobby_of("game=5v5", ready_time)]
    given = [lobby for each in given or usual for lobby in _in_channels(each, channels)]
    secure = _tls(tls_ca) if tls or tls_ca else None
    password = os.environ.get(PASSWORD, "")
    if account and not password:
        msg = f"--account needs its password in the variable {PASSWORD}"
        raise InputError(msg)
    log_events("info", as_json=False)
    with archive_options.opened(archive_options.address(store), create=True) as archive:
        pickups = Pickups(archive, given, apart=pairs, admins=admins, vary=vary)
        for admin in sorted(pickups.admins):
            archive_options.warn(
                f"{admin} is in charge; where the server has no accounts, from a new connection: "
                f"/msg {nick} !organiser {pickups.code(admin)}"
            )
        where = Address(host, port, channel, nick, account, password, secure, pace)

        async def speak() -> None:
            speaker = Speaker(pickups, where, lambda: archive_options.tell(f"in {channel} on {host}:{port}"))
            loop = asyncio.get_running_loop()
            for each in (signal.SIGINT, signal.SIGTERM):
                with contextlib.suppress(NotImplementedError):  # where a loop has no signals, Ctrl-C raises
                    loop.add_signal_handler(each, speaker.stop)
            await speaker.run()

        asyncio.run(speak())


def _in_channels(lobby: EveningLobby, channels: Sequence[str]) -> list[EveningLobby]:
    """Return a lobby for each channel that has it: all of them, or the one that it names."""
    place, slash, name = lobby.name.rpartition("/")
    if slash and place not in channels:
        msg = f"--lobby: {lobby.name!r:.60} names no --channel; there are {', '.join(channels)}"
        raise InputError(msg)
    if len(channels) == 1:
        return [replace(lobby, name=name)]
    return [
        replace(lobby, name=f"{each}/{name}", channel=each) for each in channels if not slash or each == place
    ]


def _tls(authorities: str | None) -> ssl.SSLContext:
    import ssl

    try:
        return ssl.create_default_context(cafile=authorities)
    except (OSError, ssl.SSLError) as error:
        msg = f"--tls-ca: {authorities} cannot be read: {error}"
        raise InputError(msg) from error
