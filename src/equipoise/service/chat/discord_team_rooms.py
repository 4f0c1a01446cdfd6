"""Rooms of a game's teams on Discord: voice channels that people are moved to and back, or private threads.

Whatever is made bears the game's mark in its name, so that one that was made before an end is found again,
not made twice.  Where the rights for it are missing the game goes on without, and what is missing is named.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

import hikari

from equipoise.service.chat.discord_presses import PERSON, PlayingTeams, Sent

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

#: Where teams talk.
VOICE, THREADS = "voice", "threads"

#: What each of them needs, beside what a lobby needs.
NEEDS = {
    VOICE: hikari.Permissions.MANAGE_CHANNELS | hikari.Permissions.MOVE_MEMBERS | hikari.Permissions.CONNECT,
    THREADS: hikari.Permissions.CREATE_PRIVATE_THREADS | hikari.Permissions.SEND_MESSAGES_IN_THREADS
    | hikari.Permissions.MANAGE_THREADS,
}  # fmt: skip


class TeamRooms:
    """Makes rooms for teams, brings people there, and back.

    Parameters
    ----------
    bot : hikari.GatewayBot
        The connection.
    kind : str
        ``"voice"``, ``"threads"``, or nothing.
    lacking : callable
        Given which rights are missing in which channel.
    """

    def __init__(
        self, bot: hikari.GatewayBot, kind: str, lacking: Callable[[str, hikari.Permissions], None]
    ) -> None:
        self._bot, self._kind, self._lacking = bot, kind, lacking
        self._placed: dict[str, object] = {}
        #: Who has been brought to the room of the teams above, once; and who has come into voice since.
        self._brought: dict[str, set[str]] = {}
        self._came: set[str] = set()

    def came(self, user: str) -> None:
        """Note that somebody has come into voice who was not there."""
        self._came.add(PERSON + user)

    async def follow(
        self, channel: str, sent: Mapping[str, Sent], playing: Mapping[str, PlayingTeams],
        keep: Callable[[str, Sent], Awaitable[None]],
    ) -> None:  # fmt: skip
        """Let the rooms be those of the games that are played now."""
        if not self._kind:
            return
        for ref, message in list(sent.items()):
            if message.channel != channel:
                continue
            game = playing.get(ref)
            with contextlib.suppress(hikari.NotFoundError):
                try:
                    if game is not None and self._moves(ref, game):
                        await self._open(channel, ref, game, message, keep)
                    elif game is None and message.rooms:
                        await self._close(channel, message)
                        self._placed.pop(ref, None)
                        self._brought.pop(ref, None)
                        await keep(ref, replace(message, rooms=(), came={}))
                except hikari.ForbiddenError:
                    self._placed[ref] = game.teams if game is not None else ()
                    self._lacking(channel, NEEDS[self._kind])

    def _moves(self, ref: str, game: PlayingTeams) -> bool:
        """Tell whether anybody of a game has to be brought to a room."""
        if self._placed.get(ref) != game.teams:
            self._brought.pop(ref, None)
            return True
        late = self._came & set(chain(*game.teams)) - self._brought.get(ref, set())
        return bool(late)

    async def _open(
        self, channel: str, ref: str, game: PlayingTeams, sent: Sent,
        keep: Callable[[str, Sent], Awaitable[None]],
    ) -> None:  # fmt: skip
        found, guild = list(sent.rooms), self._guild_of(channel)
        if guild is None:
            return
        for name in game.rooms[len(found) :]:
            found.append(await self._made(guild, channel, name))
            sent = replace(sent, rooms=tuple(found))
            await keep(ref, sent)
        came, brought = dict(sent.came), self._brought.setdefault(ref, set())
        for room, team in zip(found, game.teams, strict=True):
            for player in team:
                if not player.startswith(PERSON) or player in brought:
                    continue  # who goes elsewhere after that wants to be there
                user = int(player.removeprefix(PERSON))
                if self._kind == THREADS:
                    await self._bot.rest.add_thread_member(int(room), user)
                    brought.add(player)
                    continue
                state = self._bot.cache.get_voice_state(guild, user)
                if state is None or state.channel_id is None:
                    continue
                brought.add(player)
                if str(state.channel_id) == room:
                    continue
                if str(state.channel_id) not in found and str(user) not in came:
                    came[str(user)] = str(state.channel_id)
                    sent = replace(sent, came=dict(came))
                    await keep(ref, sent)  # before they are moved: an end between the two loses nobody
                with contextlib.suppress(hikari.BadRequestError):  # they have just left
                    await self._bot.rest.edit_member(guild, user, voice_channel=int(room))
        self._placed[ref] = game.teams
        self._came -= set(chain(*game.teams))

    def _guild_of(self, channel: str) -> hikari.Snowflake | None:
        found = self._bot.cache.get_guild_channel(int(channel))
        return None if found is None else found.guild_id

    async def _made(self, guild: hikari.Snowflake, channel: str, name: str) -> str:
        """Return a room of this name, which is made where there is none."""
        if self._kind == THREADS:
            for thread in await self._bot.rest.fetch_active_threads(guild):
                if thread.name == name and str(thread.parent_id) == channel:
                    return str(thread.id)
            kind = hikari.ChannelType.GUILD_PRIVATE_THREAD
            made = await self._bot.rest.create_thread(int(channel), kind, name, invitable=False)
            return str(made.id)
        for known in await self._bot.rest.fetch_guild_channels(guild):
            if known.name == name and known.type is hikari.ChannelType.GUILD_VOICE:
                return str(known.id)
        parent = self._bot.cache.get_guild_channel(int(channel))
        category = parent.parent_id if isinstance(parent, hikari.PermissibleGuildChannel) else None
        voice = await self._bot.rest.create_guild_voice_channel(
            guild, name, category=hikari.UNDEFINED if category is None else category
        )
        return str(voice.id)

    async def _close(self, channel: str, sent: Sent) -> None:
        """Bring people back to where they were, and end the rooms."""
        guild = self._guild_of(channel)
        if guild is None:
            return
        usual = next(iter(sent.came.values()), "")
        for room in sent.rooms:
            if self._kind == VOICE:
                for user, state in list(
                    self._bot.cache.get_voice_states_view_for_channel(guild, int(room)).items()
                ):
                    back = sent.came.get(str(user), usual)
                    if back and state.channel_id is not None:
                        with contextlib.suppress(hikari.BadRequestError, hikari.NotFoundError):
                            await self._bot.rest.edit_member(guild, user, voice_channel=int(back))
            with contextlib.suppress(hikari.NotFoundError):
                if self._kind == VOICE:
                    await self._bot.rest.delete_channel(int(room))
                else:
                    await self._bot.rest.edit_channel(int(room), archived=True, locked=True)
