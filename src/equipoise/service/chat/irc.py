"""Lobbies on Internet Relay Chat: a connection that is kept, made again where it ends, and spoken over."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass

from equipoise.play import evening_events as ev
from equipoise.service.chat.irc_session import (
    RATE,
    Arrived,
    ChatSession,
    Gone,
    Happened,
    Identified,
    NickChanged,
    Signed,
    Spoken,
)
from equipoise.service.pickup_lobbies import ChatReply, Pickups

log = logging.getLogger(__name__)

#: Seconds between two looks at the time, and how many to wait before reconnecting: at first, and at most.
LOOK, SOON, LATEST = 0.25, 1.0, 60.0

#: Seconds that a connection and its end may take.
PATIENCE = 20.0


@dataclass(frozen=True, slots=True)
class Address:
    """Where to connect, as whom, and where to speak.

    Parameters
    ----------
    host, port : str and int
        The server.
    channel, nick : str
        Where (several channels with commas between them), and as whom.
    account, password : str
        For logging in; nobody logs in without a password.
    tls : ssl.SSLContext, optional
        For a connection that nobody can listen to.
    pace : float
        Lines a second.
    """

    host: str
    port: int
    channel: str
    nick: str
    account: str = ""
    password: str = ""
    tls: ssl.SSLContext | None = None
    pace: float = RATE


class Speaker:
    """Speaks for lobbies on one server, for as long as it is not stopped."""

    def __init__(self, pickups: Pickups, address: Address, ready: Callable[[], None] = lambda: None) -> None:
        self._pickups, self._address, self._ready = pickups, address, ready
        self._session, self._arrived = self._new_session(), set[str]()
        self._stopping = asyncio.Event()
        self._started = False

    def stop(self) -> None:
        """Say goodbye and end."""
        self._stopping.set()

    async def run(self) -> None:
        """Connect, and again where the connection ends, until :meth:`stop`."""
        wait = SOON
        while not self._stopping.is_set():
            began = time.monotonic()
            try:
                await self._connected()
            except (OSError, ssl.SSLError, asyncio.IncompleteReadError, TimeoutError) as error:
                log.warning("irc: %s:%s: %s", self._address.host, self._address.port, error)
            wait = SOON if time.monotonic() - began > LATEST else min(2.0 * wait, LATEST)
            if not self._stopping.is_set():
                log.info("irc: connecting again in %.0f s", wait)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._stopping.wait(), wait)

    def _new_session(self) -> ChatSession:
        address = self._address
        return ChatSession(
            address.nick, address.channel, address.account, address.password, address.pace,
            self._pickups.places, self._pickups.admins,
        )  # fmt: skip

    async def _connected(self) -> None:
        """Speak over one connection until it ends."""
        address = self._address
        opening = asyncio.open_connection(address.host, address.port, ssl=address.tls)
        reader, writer = await asyncio.wait_for(opening, PATIENCE)
        self._session = session = self._new_session()
        self._arrived = set[str]()
        session.start(time.monotonic())
        reading: asyncio.Task[bytes] = asyncio.ensure_future(reader.read(65536))
        try:
            while not self._stopping.is_set():
                await self._flush(writer)
                done, _ = await asyncio.wait({reading}, timeout=LOOK)
                if done:
                    data = reading.result()
                    if not data:
                        return
                    for happened in session.feed(data, time.monotonic()):
                        self._happened(happened)
                    reading = asyncio.ensure_future(reader.read(65536))
                for happened in session.overdue(time.monotonic()):
                    self._happened(happened)
                if session.is_dead(time.monotonic()):
                    return
                self._say(self._pickups.tick(time.time()))
            writer.write(b"QUIT :goodbye\r\n")
            await asyncio.wait_for(writer.drain(), PATIENCE)
        finally:
            reading.cancel()
            with contextlib.suppress(asyncio.CancelledError, OSError, ssl.SSLError):
                await reading
            writer.close()
            with contextlib.suppress(OSError, ssl.SSLError, TimeoutError):
                await asyncio.wait_for(writer.wait_closed(), PATIENCE)

    async def _flush(self, writer: asyncio.StreamWriter) -> None:
        data = self._session.out(time.monotonic())
        if data:
            writer.write(data)
            await asyncio.wait_for(writer.drain(), PATIENCE)

    def _happened(self, happened: Happened) -> None:
        """Let something that happened in the channel happen in the lobbies."""
        now = time.time()
        if isinstance(happened, Arrived):
            log.info("irc: in %s as %s", happened.channel, self._session.nick)
            self._arrived.add(happened.channel)
            if not self._arrived >= set(self._session.channels):
                return
            if not self._started:
                self._started = True
                self._say(self._pickups.start(now))
            self._ready()
        elif isinstance(happened, Spoken):
            who = self._player(happened.who)
            sign = self._session.sign_of(happened.nick)
            replies = self._pickups.hear(
                who, happened.nick, happened.text, now, self._id_of, self._adopted, sign,
                happened.channel,
            )  # fmt: skip
            if claimed := self._session.is_claimed(who):
                name, written = self._pickups.shown(claimed), self._pickups.written(claimed)
                ask = f"!is {happened.nick} {written}"
                text = f"the place of {name} is kept; if you are {name}, ask an organiser for: {ask}"
                if claimed in self._pickups.admins:
                    text += "; or say !organiser CODE to me alone, with the code that I was started with"
                replies.append(ChatReply(who, text))
            self._say(replies, happened.nick, who)
            self._pickups.seen(who, now, happened.nick, sign)
        elif isinstance(happened, Signed):
            self._pickups.seen(self._player(happened.who), now, happened.nick, happened.sign)
        elif isinstance(happened, NickChanged):
            sign = self._session.sign_of(happened.nick)
            self._pickups.seen(self._player(happened.who), now, happened.nick, sign)
        elif isinstance(happened, Identified):
            was = self._player(happened.was)
            if self._pickups.is_playing(was):
                self._pickups.go_on(happened.who, was, now)  # a game goes on with whom it began
            else:
                self._leave(was, now)
        elif isinstance(happened, Gone):
            who = self._player(happened.who)
            self._leave(who, now)
            self._pickups.seen(who, now, "")

    def _adopted(self, nick: str, who: str) -> str | None:
        """Let whoever bears a nick be somebody who is away, as an organiser says.

        Return when they signed on, empty where that is not known yet; None where it cannot be.
        """
        return self._session.sign_of(nick) if self._session.adopt(nick, who) else None

    def _leave(self, who: str, now: float) -> None:
        """Let somebody who is not here wait no longer; a game is not ended by a lost connection."""
        evening = self._pickups.evening
        if evening.game_of(who) is None and evening.waits(who):
            self._say(self._pickups.take(ev.Leave(who), now))

    def _player(self, who: str) -> str:
        """Return who somebody is in the game they are in."""
        return self._pickups.player(who)

    def _id_of(self, nick: str) -> str | None:
        who = self._session.id_of(nick)
        return None if who is None else self._player(who)

    def _say(self, replies: list[ChatReply], nick: str = "", who: str = "") -> None:
        for reply in replies:
            if reply.to:
                target = nick if nick and reply.to == who else self._session.nick_of(reply.to)
                self._session.say(target, reply.text)
            else:
                for channel in [reply.channel] if reply.channel else self._session.channels:
                    self._session.say(channel, reply.text)
