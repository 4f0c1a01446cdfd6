"""``equipoise pickup --discord``: its options, its token, and running it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from equipoise.cli import archive_options
from equipoise.errors import InputError

if TYPE_CHECKING:
    from equipoise.play.evening_events import EveningLobby
    from equipoise.service.chat.discord_ladders import Ladders

#: The variable with the bot's token, as others can read the arguments of a process.
TOKEN = "EQUIPOISE_DISCORD_TOKEN"  # noqa: S105  # the name of a variable

_OPTIONS = (
    click.option("--token-file", metavar="FILE", help=f"Discord: the bot's token, unless it is in {TOKEN}."),
    click.option("--teams-in", type=click.Choice(["voice", "threads"]),
                 help="Discord: where teams talk among themselves; people are moved there and back."),
    click.option("--ladder", type=click.Choice(["shared", "server", "channel"]), default="shared",
                 show_default=True, help="Discord: what shares ratings."),
    click.option("--web", metavar="URL", default="",
                 help="Discord: where evenings are in a browser too; a button opens them there."),
    click.option("--api", metavar="URL", default="", envvar="EQUIPOISE_DISCORD_API",
                 help="Discord: another address of its REST API."),
)  # fmt: skip


#: What looks like a token: three parts with dots between them.
_TOKEN = re.compile(r"[\w-]{4,}\.[\w-]{4,}\.[\w-]{8,}")


def without_token(text: str) -> str:
    """Return a text without what looks like a token.

    Examples
    --------
    >>> without_token("Got unexpected extra argument (MTAwMDA.Gabcde.abcdefghijkl)")
    'Got unexpected extra argument (***)'
    """
    return _TOKEN.sub("***", text)


class KeepingTokens(click.Command):
    """A command that shows nobody a token that was given to it where none belongs."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            for name in ("message", "option_name", "param_hint"):
                if isinstance(given := getattr(error, name, None), str):
                    setattr(error, name, without_token(given))
            raise


def discord_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of Discord to a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def token_of(file: str | None) -> str:
    """Return the token in a file, or in the environment.

    Raises
    ------
    InputError
        If there is none, or it cannot be one.
    """
    if file is None:
        token, where = os.environ.get(TOKEN, ""), TOKEN
        if not token:
            msg = f"--discord needs the bot's token in a file (--token-file FILE) or in the variable {TOKEN}"
            raise InputError(msg)
    else:
        where = f"--token-file: {without_token(file)}"
        try:
            token = Path(file).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or "it is not a text in UTF-8"
            msg = f"{where} cannot be read: {why}"
            raise InputError(msg) from error
    token = token.strip().removeprefix("Bot ").strip()
    if len(token.split(".")) != 3 or not token.isascii() or any(map(str.isspace, token)):
        msg = f"{where}: that is no token of a bot, which is three parts with dots between them"
        raise InputError(msg)
    return token


def run_on_discord(
    channels: Sequence[str], lobbies: Sequence[EveningLobby], store: str, options: Mapping[str, Any],
    rooms: Mapping[str, Any],
) -> None:  # fmt: skip
    """Run lobbies on Discord until the end.

    Parameters
    ----------
    channels : sequence of str
        The numbers of channels.
    lobbies : sequence of EveningLobby
        What people may gather for in each of them.
    store : str
        The archive's address.
    options : mapping
        What the options of Discord say.
    rooms : mapping
        What :class:`~equipoise.service.chat.discord_rooms.DiscordRooms` is given besides.
    """
    import asyncio
    import contextlib
    import signal
    from functools import partial

    wrong = [each for each in channels if not (each.isdecimal() and each.isascii() and len(each) <= 20)]
    if wrong:
        msg = f"--channel must be a channel's number on Discord (Copy Channel ID), got {wrong[0]!r:.60}"
        raise InputError(msg)
    if lobbies and not channels:
        msg = "--lobby: on Discord a --channel says where; or leave both, and open lobbies there with /lobby"
        raise InputError(msg)
    for who in rooms["admins"]:
        if not who.isdecimal():
            msg = f"--admin must be a user's number on Discord (Copy User ID), got {who!r:.60}"
            raise InputError(msg)
    token = token_of(options["token_file"])
    try:
        from equipoise.service.chat.discord import DiscordBot, DiscordSettings
    except ImportError as error:
        msg = "--discord needs the extra 'discord': pip install 'equipoise[discord]'"
        raise InputError(msg) from error
    from equipoise.core.addresses import public_url
    from equipoise.service.chat.one_process import alone
    from equipoise.service.monitoring import log_events

    try:
        web = public_url(options["web"])
    except InputError as error:
        flag = "--web"
        raise error.named(flag) from None
    _check_store(store, options["ladder"])
    log_events("info", as_json=False)
    settings = DiscordSettings(token, options["api"], options["teams_in"] or "")

    def opened() -> Ladders:
        from equipoise.service.chat.discord_ladders import Ladders
        from equipoise.service.chat.discord_rooms import DiscordRooms

        made = partial(DiscordRooms, **rooms, web=web)
        return Ladders(store, lobbies, channels, options["ladder"], made=made)

    async def speak() -> None:
        bot = DiscordBot(opened, settings, _begun)
        loop = asyncio.get_running_loop()
        for each in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError):
                loop.add_signal_handler(each, bot.stop)
        await bot.run()

    with alone(token):
        asyncio.run(speak())


def _check_store(store: str, ladder: str) -> None:
    """Refuse a file that can be neither opened nor made, before the bot connects.

    Raises
    ------
    InputError
        If it cannot.
    """
    from equipoise.archive.database import file_of
    from equipoise.service.chat.discord_ladders import SHARED, url_of

    path = file_of(url_of(store, "" if ladder == SHARED else "0"))
    if path is None:
        return
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        msg = f": {path} cannot be made: there is no directory {folder}"
        raise InputError(msg, "store")
    if not os.access(path if Path(path).exists() else folder, os.W_OK) or Path(path).is_dir():
        msg = f": {path} cannot be written: is it, or its directory, read-only?"
        raise InputError(msg, "store")


def _begun(invitation: str) -> None:
    archive_options.tell("on Discord; to invite it to a server, open")
    archive_options.tell(invitation)
