"""Lobbies on Discord: the connection, which :mod:`hikari` keeps, and what is sent over it.

What somebody presses is done in a thread of its own, one after the other, and kept before it is answered;
where that takes longer than a moment, Discord is notified that an answer follows.  The connection is there
first: lobbies are opened beside it, as what is pressed meanwhile can wait for them and Discord cannot.
Messages are made what :class:`~equipoise.service.chat.discord_rooms.DiscordRooms` wants them to be, one at a
time in each channel, so that many changes are one edit and no edit overtakes another.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import hikari

from equipoise.archive.database import OtherWriterError
from equipoise.errors import InputError
from equipoise.pages.text import discord as cards
from equipoise.pages.text.discord import DiscordMessage
from equipoise.service.chat import discord_commands as forms
from equipoise.service.chat.discord_answers import ANSWERED, DiscordAnswers
from equipoise.service.chat.discord_presses import IS_PERSON, PERSON, DiscordAnswer, Pressed, Sent
from equipoise.service.chat.discord_team_rooms import NEEDS, VOICE, TeamRooms

if TYPE_CHECKING:  # what is slow to load is loaded by whoever opens the lobbies
    from equipoise.service.chat.discord_ladders import Ladders
    from equipoise.service.chat.discord_rooms import DiscordRooms

log = logging.getLogger(__name__)

#: Seconds from a press after which Discord is notified that the answer follows, and for which it waits.
DEFER, WAITS = 0.8, 3.0

#: Seconds between two looks at the time and what other processes did, and before what failed is tried again.
LOOK, AGAIN = 0.25, 5.0

#: Presses that are remembered, as the gateway may send one twice.
REMEMBERED = 10_000

#: Rights that a lobby needs in its channel.
NEEDED = (
    hikari.Permissions.VIEW_CHANNEL | hikari.Permissions.SEND_MESSAGES | hikari.Permissions.EMBED_LINKS
    | hikari.Permissions.ATTACH_FILES
)  # fmt: skip

#: Those without which nobody sees anything of a lobby.
TO_BE_SEEN = hikari.Permissions.VIEW_CHANNEL | hikari.Permissions.SEND_MESSAGES

#: The answer to a press that met a fault.
FAULT = "That went wrong here; whoever runs the bot finds it in its log."

#: So often within so many seconds, and another process speaks with the same token.
OFTEN, WHILE = 3, 60.0

#: Close codes of the gateway that no new attempt mends, and why.
FATAL = {
    4004: "the token is not valid: copy it again from the application's page, under Bot",
    4011: "the bot is in more servers than one connection takes",
    4013: "the intents are not valid", 4014: "the application lacks these intents",
}  # fmt: skip

_STYLES: dict[str, Any] = {
    "primary": hikari.ButtonStyle.PRIMARY, "secondary": hikari.ButtonStyle.SECONDARY,
    "success": hikari.ButtonStyle.SUCCESS, "danger": hikari.ButtonStyle.DANGER,
}  # fmt: skip

#: What is remembered of servers; names of members come with what they press.
_REMEMBERED_PARTS = (
    hikari.api.CacheComponents.GUILDS | hikari.api.CacheComponents.GUILD_CHANNELS
    | hikari.api.CacheComponents.VOICE_STATES | hikari.api.CacheComponents.ME
)  # fmt: skip

_SILENT: dict[str, Any] = {"mentions_everyone": False, "role_mentions": False, "user_mentions": False}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DiscordSettings:
    """How to connect, and what to do there.

    Parameters
    ----------
    token : str
        The bot's token.
    url : str
        Another address of Discord's REST API, as ``http://127.0.0.1:8000/api/v10``; empty for Discord's own.
    teams_in : str
        Where teams talk: ``"voice"``, ``"threads"``, or nowhere of their own.
    """

    token: str
    url: str = ""
    teams_in: str = ""

    @property
    def permissions(self) -> hikari.Permissions:
        """The rights that are asked for when the bot is invited."""
        return NEEDED | NEEDS.get(self.teams_in, hikari.Permissions.NONE)


def invitation(application: int, permissions: hikari.Permissions) -> str:
    """Return the address that invites the bot with these rights.

    Examples
    --------
    >>> invitation(5, hikari.Permissions.SEND_MESSAGES)
    'https://discord.com/oauth2/authorize?client_id=5&scope=bot+applications.commands&permissions=2048'
    """
    return (
        f"https://discord.com/oauth2/authorize?client_id={application}"
        f"&scope=bot+applications.commands&permissions={int(permissions)}"
    )


def named(permissions: hikari.Permissions) -> str:
    """Return rights as Discord's settings call them.

    Examples
    --------
    >>> named(hikari.Permissions.SEND_MESSAGES | hikari.Permissions.EMBED_LINKS)
    'Send Messages, Embed Links'
    """
    return ", ".join(str(each.name).replace("_", " ").title() for each in sorted(permissions.split()))


def rows_of(message: DiscordMessage) -> list[hikari.impl.MessageActionRowBuilder]:
    """Return the buttons of a message, five a row."""
    rows = []
    for start in range(0, len(message.buttons), cards.A_ROW):
        row = hikari.impl.MessageActionRowBuilder()
        for button in message.buttons[start : start + cards.A_ROW]:
            if button.url:
                row.add_link_button(button.url, label=button.label)
            else:
                row.add_interactive_button(_STYLES[button.style], button.id, label=button.label)
        rows.append(row)
    return rows


def embed_of(message: DiscordMessage) -> hikari.Embed:
    """Return what a message says."""
    embed = hikari.Embed(title=message.title, description=message.text or None, colour=message.colour)
    for name, value in message.fields:
        embed.add_field(name, value, inline=True)
    if message.footer:
        embed.set_footer(message.footer)
    return embed


def commands() -> list[hikari.impl.SlashCommandBuilder]:
    """Return all slash commands as Discord wants them."""
    found = []
    for name, command in forms.SLASH.items():
        builder = hikari.impl.SlashCommandBuilder(name, command.about)
        builder.set_context_types([hikari.ApplicationContextType.GUILD])
        if command.manages:
            builder.set_default_member_permissions(hikari.Permissions.MANAGE_GUILD)
        for option in command.options:
            user = option.kind == forms.USER
            kinds = {forms.USER: hikari.OptionType.USER, forms.FLAG: hikari.OptionType.BOOLEAN}
            completed = option.kind not in (forms.USER, forms.TEXT, forms.FLAG)
            choices = [hikari.CommandChoice(name=each, value=each) for each in option.choices] or None
            builder.add_option(hikari.CommandOption(
                type=kinds.get(option.kind, hikari.OptionType.STRING), name=option.name, choices=choices,
                description=option.about, is_required=option.required, autocomplete=completed and not user,
            ))  # fmt: skip
        if name == "forget":
            builder.add_option(hikari.CommandOption(
                type=hikari.OptionType.SUB_COMMAND, name="me", description=command.about
            ))  # fmt: skip
        found.append(builder)
    return found


def shown_name(member: Any) -> str:
    """Return what somebody is called in a server."""
    return str(getattr(member, "display_name", None) or member.username)


class DiscordBot:
    """Speaks for lobbies on Discord, for as long as it is not stopped.

    Parameters
    ----------
    opened : callable
        Opens the lobbies, in a thread.
    settings : DiscordSettings
        How to connect.
    ready : callable
        Given the address that invites the bot, once it is there.
    """

    def __init__(
        self, opened: Callable[[], Ladders], settings: DiscordSettings,
        ready: Callable[[str], None] = lambda _: None,
    ) -> None:  # fmt: skip
        self._settings, self._ready = settings, ready
        intents = hikari.Intents.GUILDS | hikari.Intents.GUILD_MESSAGES
        if settings.teams_in == VOICE:
            intents |= hikari.Intents.GUILD_VOICE_STATES
        self._bot = hikari.GatewayBot(
            settings.token, rest_url=settings.url or None, intents=intents, banner=None, logs=None,
            auto_chunk_members=False, suppress_optimization_warning=True,
            cache_settings=hikari.impl.CacheSettings(components=_REMEMBERED_PARTS),
        )  # fmt: skip
        self._bot.event_manager.subscribe(hikari.InteractionCreateEvent, self._interaction)
        self._bot.event_manager.subscribe(hikari.GuildAvailableEvent, self._guild)
        self._bot.event_manager.subscribe(hikari.GuildJoinEvent, self._guild)
        self._bot.event_manager.subscribe(hikari.GuildMessageDeleteEvent, self._deleted)
        self._bot.event_manager.subscribe(hikari.GuildBulkMessageDeleteEvent, self._deleted)
        if settings.teams_in == VOICE:
            self._bot.event_manager.subscribe(hikari.VoiceStateUpdateEvent, self._spoke)
        self._answers = DiscordAnswers(settings.url)
        self._teams = TeamRooms(self._bot, settings.teams_in, self._lacks)
        self._worker = ThreadPoolExecutor(1, "equipoise-discord")
        self._opened = opened
        self._ladders: Future[Ladders] = Future()
        self._pictures = ThreadPoolExecutor(1, "equipoise-pictures")
        self._stopping = asyncio.Event()
        self._failed: Exception | None = None
        self._others: list[float] = []
        self._seen: deque[int] = deque(maxlen=REMEMBERED)
        self._shown: dict[tuple[str, str], DiscordMessage] = {}
        self._dirty: dict[str, asyncio.Event] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._missing: dict[str, hikari.Permissions] = {}
        self._guilds: dict[str, str] = {}

    def stop(self) -> None:
        """Say goodbye and end."""
        self._stopping.set()

    async def run(self) -> None:
        """Connect and speak until :meth:`stop`.

        Raises
        ------
        InputError
            If Discord does not let us in, or another process speaks with the same token.
        """
        connecting = asyncio.ensure_future(self._connect())
        stop = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait({connecting, stop}, return_when=asyncio.FIRST_COMPLETED)
            if connecting.done():
                connecting.result()
                await self._watch()
        except hikari.UnauthorizedError as error:
            raise InputError(FATAL[4004]) from error
        except hikari.GatewayServerClosedConnectionError as error:
            msg = FATAL.get(int(error.code or 0), f"Discord ended the connection: {error.reason}")
            raise InputError(msg) from error
        except hikari.HikariError as error:
            msg = f"Discord cannot be reached: {error}"
            raise InputError(msg) from error
        finally:
            for task in (connecting, stop, *self._tasks):
                task.cancel()
            with contextlib.suppress(hikari.ComponentStateConflictError):
                await self._bot.close()
            await self._answers.close()
            with contextlib.suppress(InputError):  # they were never open, as is raised already
                await self._on(lambda ladders: ladders.close())
            self._worker.shutdown(cancel_futures=True)
            self._pictures.shutdown(cancel_futures=True)
        if self._failed is not None:
            raise self._failed

    async def _connect(self) -> None:
        connected = threading.Event()
        self._ladders = self._worker.submit(lambda: self._open(connected))
        try:
            await self._answers.start()
            await self._bot.start(check_for_updates=False)
        finally:
            connected.set()  # until here nothing else was to be loaded: nobody answers before
        await self._begin()
        await self._show_all()
        self._go_on(self._register())

    async def _begin(self) -> None:
        """Let lobbies go on, once nobody else writes to the archive."""
        while True:
            try:
                await self._on(lambda ladders: ladders.start(time.time()))
            except OtherWriterError as error:
                log.warning("discord: %s; again in %.0f s", error, AGAIN)
                await asyncio.sleep(AGAIN)
            else:
                return

    async def _register(self) -> None:
        """Let Discord know the commands, again and again until it takes them."""
        while True:
            try:
                application = await self._bot.rest.fetch_application()
                await self._bot.rest.set_application_commands(application, commands())
            except hikari.HikariError as error:
                log.warning("discord: commands: %s; again in %.0f s", error, AGAIN)
                await asyncio.sleep(AGAIN)
            else:
                self._ready(invitation(application.id, self._settings.permissions))
                return

    def _go_on(self, doing: Coroutine[Any, Any, None]) -> None:
        """Let something go on until it is done, or the end."""
        task = asyncio.ensure_future(doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _open(self, connected: threading.Event) -> Ladders:
        connected.wait()
        return self._opened()

    async def _watch(self) -> None:
        """Look at the time until the end."""
        gone = asyncio.ensure_future(self._bot.join())
        stop = asyncio.ensure_future(self._stopping.wait())
        try:
            while not self._stopping.is_set():
                done, _ = await asyncio.wait({gone, stop}, timeout=LOOK, return_when=asyncio.FIRST_COMPLETED)
                if gone in done:
                    gone.result()
                    return
                try:
                    await self._show_all(lambda rooms: rooms.tick(time.time()))
                except OtherWriterError as error:
                    log.warning("discord: %s; again in %.0f s", error, AGAIN)
                    await asyncio.wait({stop}, timeout=AGAIN)
        finally:
            for each in (gone, stop):
                each.cancel()

    async def _show_all(self, happened: Callable[[DiscordRooms], bool] = lambda _: True) -> None:
        """Let the messages of all lobbies where something happened be what they should be."""
        for channels in await self._on(
            lambda ladders: [rooms.channels() for rooms in ladders.all() if happened(rooms)]
        ):
            for channel in channels:
                self._changed(channel)

    async def _on(self, function: Callable[[Ladders], T]) -> T:
        """Do something with the lobbies, after all that was asked before it."""
        loop, opening = asyncio.get_running_loop(), self._ladders
        return await loop.run_in_executor(self._worker, lambda: function(opening.result()))

    # What happens

    async def _guild(self, event: hikari.GuildAvailableEvent | hikari.GuildJoinEvent) -> None:
        """Take in a server: its channels, and the lobbies these have."""
        guild = str(event.guild_id)
        channels = [str(each) for each in event.channels]
        self._guilds |= dict.fromkeys(channels, guild)

        def with_lobbies(ladders: Ladders) -> set[str]:
            return {each for rooms in ladders.opened(guild, channels) for each in rooms.channels()}

        try:
            found = await self._on(with_lobbies)
        except InputError as error:
            if not self._ladders.done() or self._ladders.exception() is None:  # else it is why we end
                log.warning("discord: server %s: %s", guild, error)
            return
        for channel in channels:
            if channel in found:
                self._changed(channel)

    async def _spoke(self, event: hikari.VoiceStateUpdateEvent) -> None:
        """Bring somebody to their team who comes into voice while they play."""
        if event.state.channel_id is None or (event.old_state and event.old_state.channel_id is not None):
            return
        self._teams.came(str(event.state.user_id))
        for channel in [each for each, guild in self._guilds.items() if guild == str(event.guild_id)]:
            if channel in self._dirty:
                self._changed(channel)

    async def _deleted(
        self, event: hikari.GuildMessageDeleteEvent | hikari.GuildBulkMessageDeleteEvent
    ) -> None:
        """Note that somebody has deleted messages: what they show is sent again where it still matters."""
        guild, channel = str(event.guild_id), str(event.channel_id)
        many = event.message_ids if isinstance(event, hikari.GuildBulkMessageDeleteEvent) else ()
        gone = {str(each) for each in many or [getattr(event, "message_id", 0)]}
        with contextlib.suppress(InputError):
            await self._send_again(guild, channel, gone)

    async def _send_again(self, guild: str, channel: str, gone: set[str]) -> None:
        """Let what deleted messages show be sent again."""
        sent = await self._on(lambda ladders: dict(ladders.rooms(guild, channel).sent))
        for ref in [ref for ref, each in sent.items() if each.message in gone]:
            self._shown.pop((channel, ref), None)
            self._changed(channel)

    async def _rooms(self, guild: str, channel: str) -> DiscordRooms:
        return await self._on(lambda ladders: ladders.rooms(guild, channel))

    async def _interaction(self, event: hikari.InteractionCreateEvent) -> None:
        interaction = event.interaction
        if interaction.id in self._seen:
            return
        self._seen.append(interaction.id)
        try:
            if isinstance(interaction, hikari.AutocompleteInteraction):
                await self._complete(interaction)
            elif isinstance(
                interaction, hikari.CommandInteraction | hikari.ComponentInteraction | hikari.ModalInteraction
            ):
                await self._pressed(interaction)
        except hikari.ClientHTTPResponseError as error:
            log.warning("discord: an answer came too late or was refused: %s", error)
            if error.code == ANSWERED:
                self._answered_by_another()
        except (hikari.HikariError, InputError) as error:
            log.warning("discord: an answer could not be sent: %s", error)

    def _answered_by_another(self) -> None:
        """Note that something was answered already, and end where another process does that."""
        now = time.monotonic()
        self._others = [at for at in self._others if now - at < WHILE] + [now]
        if len(self._others) >= OFTEN:  # once may be an answer of ours that was lost on its way back
            self._failed = InputError(
                "another process speaks with this token; only one may: end it, or give it another bot"
            )
            self.stop()

    @staticmethod
    def _channel_of(interaction: Any) -> str:
        """Return where something was typed; a thread is part of its channel."""
        channel = interaction.channel
        is_thread = channel.thread_metadata is not None and channel.parent_id
        return str(channel.parent_id if is_thread else channel.id)

    def _pressed_of(self, interaction: Any) -> Pressed:
        """Return what somebody pressed or typed."""
        command, button = "", getattr(interaction, "custom_id", "")
        given: dict[str, str] = {}
        names: dict[str, str] = {}
        if isinstance(interaction, hikari.CommandInteraction | hikari.AutocompleteInteraction):
            command = interaction.command_name
            for option in interaction.options or ():
                if option.type is hikari.OptionType.USER:
                    given[option.name] = f"{PERSON}{option.value}"
                elif option.type is not hikari.OptionType.SUB_COMMAND:
                    given[option.name] = (
                        str(option.value).lower() if option.value in (True, False) else str(option.value)
                    )
        resolved = getattr(interaction, "resolved", None)
        for user, member in {**resolved.users, **resolved.members}.items() if resolved else ():
            names[f"{PERSON}{user}"] = shown_name(member)
        if isinstance(interaction, hikari.ModalInteraction):
            given["score"] = " ".join(
                str(each.value) for row in interaction.components for each in row.components
            )
        member = interaction.member
        manages = bool(
            member.permissions & (hikari.Permissions.MANAGE_GUILD | hikari.Permissions.ADMINISTRATOR)
        )
        return Pressed(
            str(interaction.id), str(interaction.user.id), shown_name(member), self._channel_of(interaction),
            manages, command, given, button, names,
        )  # fmt: skip

    async def _complete(self, interaction: hikari.AutocompleteInteraction) -> None:
        """Offer what an option may be."""
        found: list[tuple[str, str]] = []
        option = next((each for each in interaction.options if each.is_focused), None)
        if option is not None and interaction.guild_id is not None:
            pressed, name, typed = self._pressed_of(interaction), option.name, str(option.value or "")
            guild = str(interaction.guild_id)
            found = await self._on(
                lambda ladders: ladders.rooms(guild, pressed.channel).completed(pressed, name, typed)
            )
        choices = [hikari.impl.AutocompleteChoiceBuilder(name, value) for name, value in found]
        await self._answers.tell(
            lambda rest: rest.create_autocomplete_response(interaction.id, interaction.token, choices)
        )

    async def _pressed(
        self, interaction: hikari.CommandInteraction | hikari.ComponentInteraction | hikari.ModalInteraction
    ) -> None:
        """Do what somebody wants, and tell them; whatever takes long is answered later."""
        button = isinstance(interaction, hikari.ComponentInteraction)
        if interaction.guild_id is None or interaction.member is None:
            elsewhere = DiscordAnswer("Type this in a channel of a server.")
            await self._answer(interaction, elsewhere, b"", deferred=False)
            return
        action, _ = cards.button_of(getattr(interaction, "custom_id", ""))
        if button and action == "score":
            await self._ask_score(cast("hikari.ComponentInteraction", interaction))
            return
        age = time.time() - interaction.created_at.timestamp()
        left = DEFER - age if 0.0 < age < WAITS else DEFER  # any other age is of a clock that is wrong
        doing = asyncio.ensure_future(self._done(interaction))
        done, _ = await asyncio.wait({doing}, timeout=max(left, 0.0))
        if not done:
            await self._answers.tell(lambda rest: rest.create_interaction_response(
                interaction.id, interaction.token, hikari.ResponseType.DEFERRED_MESSAGE_CREATE,
                flags=hikari.MessageFlag.EPHEMERAL,
            ))  # fmt: skip
        try:
            answer, picture = await doing
        except Exception:  # a fault of ours: whoever pressed hears that there was one
            log.exception("discord: what was pressed could not be done")
            answer, picture = DiscordAnswer(FAULT), b""
        await self._answer(interaction, answer, picture, deferred=not done)

    async def _done(self, interaction: Any) -> tuple[DiscordAnswer, bytes]:
        """Do what somebody wants, and return what to tell them, with its picture."""
        pressed, guild = self._pressed_of(interaction), str(interaction.guild_id)
        self._guilds[pressed.channel] = guild  # the channel may be younger than the connection
        missing = self._settings.permissions & ~interaction.app_permissions
        if interaction.app_permissions & hikari.Permissions.ADMINISTRATOR:
            missing = hikari.Permissions.NONE
        if pressed.command == "lobby" and missing & TO_BE_SEEN:
            self._lacks(pressed.channel, missing)
            text = (
                f"I lack rights in this channel: {named(missing)}. Nobody would see a lobby: give them first."
            )
            return DiscordAnswer(text), b""
        answer = await self._on(
            lambda ladders: ladders.rooms(guild, pressed.channel).press(pressed, time.time())
        )
        self._changed(pressed.channel)
        if missing:
            self._lacks(pressed.channel, missing)
            text = f"{answer.text}\nI lack rights in this channel: {named(missing)}.".strip()
            answer = replace(answer, text=text)
        else:
            self._missing.pop(pressed.channel, None)
        return answer, await self._picture(guild, pressed.channel, answer.curves)

    async def _ask_score(self, interaction: hikari.ComponentInteraction) -> None:
        """Ask for a score in a window."""
        row = hikari.impl.ModalActionRowBuilder()
        row.add_text_input("score", "The score of each team, as 3 1", max_length=60)
        await self._answers.tell(lambda rest: rest.create_modal_response(
            interaction.id, interaction.token, title="How did it end?", custom_id=interaction.custom_id,
            component=row,
        ))  # fmt: skip

    async def _answer(
        self, interaction: Any, answer: DiscordAnswer, picture: bytes, *, deferred: bool
    ) -> None:
        """Tell the one who pressed, alone."""
        button = isinstance(interaction, hikari.ComponentInteraction)
        shown: dict[str, Any] = dict(_SILENT)
        if answer.text:
            shown["content"] = answer.text
        if answer.message is not None:
            shown |= {"embeds": [embed_of(answer.message)], "components": rows_of(answer.message)}
        if picture:
            shown["attachment"] = hikari.Bytes(picture, "curve.png")
        nothing = not answer.text and answer.message is None
        number, token, kinds = interaction.id, interaction.token, hikari.ResponseType
        if deferred and nothing and button:
            app = interaction.application_id
            await self._answers.tell(lambda rest: rest.delete_interaction_response(app, token))
        elif deferred:
            app = interaction.application_id
            shown.setdefault("content", None if answer.message is not None else "Done.")
            await self._answers.tell(lambda rest: rest.edit_interaction_response(app, token, **shown))
        elif nothing and button:
            done = kinds.DEFERRED_MESSAGE_UPDATE
            await self._answers.tell(lambda rest: rest.create_interaction_response(number, token, done))
        else:
            if nothing:
                shown["content"] = "Done."
            flags = hikari.MessageFlag.EPHEMERAL
            await self._answers.tell(lambda rest: rest.create_interaction_response(
                number, token, kinds.MESSAGE_CREATE, flags=flags, **shown
            ))  # fmt: skip

    async def _picture(self, guild: str, channel: str, players: Sequence[str]) -> bytes:
        """Return the curves of some as a picture; nothing where none can be drawn."""
        if not players:
            return b""
        rooms = await self._rooms(guild, channel)

        def drawn() -> bytes:
            from equipoise.pages.pictures.png import png_of

            try:
                svg = rooms.curves(players)
            except InputError as error:  # the words are shown without it
                log.warning("discord: a picture cannot be drawn: %s", error)
                return b""
            return png_of(svg) if svg else b""

        return await asyncio.get_running_loop().run_in_executor(self._pictures, drawn)

    def _lacks(self, channel: str, missing: hikari.Permissions) -> None:
        """Name rights that are missing, once."""
        known = self._missing.get(channel, hikari.Permissions.NONE)
        self._missing[channel] = known | missing
        if missing & ~known:
            log.warning("discord: rights are missing in channel %s: %s", channel, named(missing & ~known))

    # What is sent

    def _changed(self, channel: str) -> None:
        """Let the messages of a channel be what they should be, soon."""
        if channel not in self._dirty:
            self._dirty[channel] = asyncio.Event()
            self._go_on(self._keep(channel))
        self._dirty[channel].set()

    async def _keep(self, channel: str) -> None:
        """Keep the messages of a channel what they should be."""
        changed = self._dirty[channel]
        while True:
            await changed.wait()
            changed.clear()
            try:
                await self._send_all(channel)
            except hikari.ForbiddenError:
                self._lacks(channel, self._missing.get(channel) or NEEDED)
            except hikari.NotFoundError:
                log.warning("discord: channel %s is gone, or not to be seen", channel)
            except (hikari.HikariError, InputError, OSError) as error:
                log.warning("discord: channel %s: %s; again in %.0f s", channel, error, AGAIN)
                await asyncio.sleep(AGAIN)
                changed.set()

    async def _send_all(self, channel: str) -> None:
        guild = self._guilds.get(channel)
        if guild is None:
            return  # not in a server that we see; when it comes, this is done again
        now = time.time()

        def found(ladders: Ladders) -> tuple[DiscordRooms, dict[str, DiscordMessage], dict[str, Sent], Any]:
            rooms = ladders.rooms(guild, channel)
            return rooms, rooms.wanted(channel, now), dict(rooms.sent), rooms.playing(channel, now)

        rooms, wanted, sent, playing = await self._on(found)

        async def keep(ref: str, now_sent: Sent) -> None:
            sent[ref] = now_sent
            await self._on(lambda _: rooms.note_sent(ref, now_sent))

        for ref, message in wanted.items():
            if self._shown.get((channel, ref)) != message:
                await self._send(channel, ref, message, sent.get(ref, Sent(channel)), keep)
                self._shown[channel, ref] = message
        await self._teams.follow(channel, sent, playing, keep)

    async def _send(
        self, channel: str, ref: str, message: DiscordMessage, sent: Sent,
        keep: Callable[[str, Sent], Awaitable[None]],
    ) -> None:  # fmt: skip
        """Edit the message of a lobby or game, or send one where there is none."""
        shown: dict[str, Any] = {"embed": embed_of(message), "components": rows_of(message)}
        playing = [int(each.removeprefix(PERSON)) for each in message.pings if IS_PERSON.fullmatch(each)]
        mentioned = cards.cut(" ".join(f"<@{each}>" for each in playing), cards.MOST_TEXT)
        if sent.message:
            try:
                await self._bot.rest.edit_message(
                    int(channel), int(sent.message), mentioned or None, **shown, **_SILENT
                )
                return
            except hikari.NotFoundError:
                if message.colour == cards.RULE:
                    return  # somebody deleted what is over: so be it
        # The same nonce is the same message: one that was sent just before an end is not sent again.
        nonce = cards.mark(f"{ref} {sent.message}")
        # Nobody is pinged a second time by a message that was sent before and deleted since.
        mentions = {**_SILENT, "user_mentions": (playing if not sent.message else []) or False}
        made = await self._bot.rest.create_message(
            int(channel), mentioned or hikari.UNDEFINED, nonce=nonce, **shown, **mentions
        )
        await keep(ref, replace(sent, channel=channel, message=str(made.id), at=time.time()))
