"""Which channels share a ladder: all of them, those of a server, or none."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from equipoise.archive.archive import Archive, open_archive
from equipoise.archive.database import file_of
from equipoise.errors import InputError
from equipoise.play.evening_events import EveningLobby
from equipoise.service.chat.discord_rooms import DiscordRooms, in_channel

#: What shares a ladder.
SHARED, SERVER, CHANNEL = "shared", "server", "channel"

#: Seconds to wait for another process that writes: whoever presses is answered in time.
WAITS = 1.0

log = logging.getLogger(__name__)

#: The address of an archive in a file.
FILE = "sqlite:///"


def url_of(url: str, key: str) -> str:
    """Return the address of the archive of one ladder of several.

    Raises
    ------
    InputError
        If the archive is no file.

    Examples
    --------
    >>> url_of("sqlite:///nights.db", "42"), url_of("nights.db", "42"), url_of("sqlite:///nights.db", "")
    ('sqlite:///nights-42.db', 'sqlite:///nights-42.db', 'sqlite:///nights.db')
    """
    if not key:
        return url
    file = file_of(url)
    if file is None:
        msg = "--ladder: ladders of their own are files beside one another: give a file as --store"
        raise InputError(msg)
    path = Path(file)
    return FILE + str(path.with_name(f"{path.stem}-{key}{path.suffix}"))


class Ladders:
    """The lobbies of all channels, by the ladder they share.

    Parameters
    ----------
    url : str
        The archive's address; ladders of their own have archives beside it.
    lobbies : sequence of EveningLobby
        What people may gather for in each of the channels.
    channels : sequence of str
        Their numbers; others have the lobbies that are opened there.
    by : str
        What shares a ladder: ``"shared"``, ``"server"`` or ``"channel"``.
    made : callable
        From an archive and lobbies to the rooms of a ladder.
    """

    def __init__(
        self, url: str, lobbies: Sequence[EveningLobby], channels: Sequence[str], by: str = SHARED, *,
        made: Callable[[Archive, Sequence[EveningLobby]], DiscordRooms] = DiscordRooms,
    ) -> None:  # fmt: skip
        self._url, self._lobbies, self._channels, self._by, self._made = url, lobbies, channels, by, made
        self._rooms: dict[str, DiscordRooms] = {}
        self._guilds: dict[str, Sequence[str]] = {}
        self._lock = threading.Lock()
        url_of(url, "" if by == SHARED else "0")
        if by == SHARED:
            self.rooms("", "")

    def _key(self, guild: str, channel: str) -> str:
        return {SHARED: "", SERVER: guild, CHANNEL: channel}[self._by]

    def rooms(self, guild: str, channel: str) -> DiscordRooms:
        """Return the lobbies that share the ladder of a channel."""
        key = self._key(guild, channel)
        with self._lock:
            if key not in self._rooms:
                of = {SHARED: self._channels, CHANNEL: [channel]}.get(self._by, self._guilds.get(guild, []))
                mine = [in_channel(lobby, each) for each in of if each in self._channels
                        for lobby in self._lobbies]  # fmt: skip
                archive = open_archive(url_of(self._url, key), create=True, timeout=WAITS, waiting=log.info)
                self._rooms[key] = self._made(archive, mine)
                self._rooms[key].url = url_of(self._url, key)
                self._rooms[key].everywhere = self.all
            return self._rooms[key]

    def opened(self, guild: str, channels: Sequence[str]) -> list[DiscordRooms]:
        """Return the ladders of a server that is there from now on, with these channels."""
        self._guilds[guild] = channels
        if self._by != CHANNEL:
            return [self.rooms(guild, "")]
        there = [each for each in channels if each in self._channels or Path(
            url_of(self._url, each).removeprefix(FILE)
        ).exists()]  # fmt: skip
        return [self.rooms(guild, each) for each in there]

    def all(self) -> list[DiscordRooms]:
        """Return all ladders that are open."""
        return list(self._rooms.values())

    def start(self, now: float) -> None:
        """Answer what was not answered before the last end."""
        for rooms in self.all():
            rooms.start(now)

    def close(self) -> None:
        """Close all archives."""
        for rooms in self._rooms.values():
            rooms.archive.close()

    def facts(self) -> Mapping[str, int]:
        """Return how many channels each ladder has."""
        return {key: len(rooms.channels()) for key, rooms in self._rooms.items()}
