"""Discord for tests and benchmarks: its REST API and its gateway on loopback, and people who press and type.

It speaks what Discord's public documentation (https://docs.discord.com/developers) says, as far as a bot of
interactions needs it, and real libraries run against it unchanged: identify, resume, sequences, heartbeats,
compressed streams, interactions that are answered within three seconds or failed, ephemeral answers,
components, threads and voice, limits of lengths, buckets with headers, rights that are missing.  What may go
wrong there can be made to go wrong here: :class:`Faults`.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import random
import re
import secrets
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from aiohttp import WSMsgType, web

#: The number of the bot's application, and that of its user.
APPLICATION, BOT = "100", "101"

#: Seconds in which an interaction has to be answered, and for which somebody waits for what is to follow.
ANSWER, FOLLOWS = 3.0, 20.0

#: Seconds for which all requests but answers are told to wait.
GLOBALLY = 0.3

#: All rights but those of an administrator, and some by name.
ALL = ((1 << 53) - 1) & ~(1 << 3)
RIGHTS = {
    "view": 1 << 10, "send": 1 << 11, "embed": 1 << 14, "attach": 1 << 15, "channels": 1 << 4,
    "move": 1 << 24, "private threads": 1 << 36, "threads": 1 << 38, "manage": 1 << 5,
}  # fmt: skip

#: Kinds of channels, options and interactions.
TEXT, VOICE, CATEGORY, PRIVATE_THREAD = 0, 2, 4, 12
PING, COMMAND, COMPONENT, COMPLETE, MODAL = 1, 2, 3, 4, 5

#: Milliseconds since 1970 where Discord's numbers begin.
EPOCH = 1_420_070_400_000

_USER_MENTION = re.compile(r"<@!?(\d+)>")


@dataclass(slots=True)
class Faults:
    """What goes wrong, as the odds of each time it may.

    Parameters
    ----------
    twice, swapped : float
        An interaction is sent twice; it is sent after the next one.
    failing, limited, globally : float
        A request fails with 502; it is told to wait; all requests but answers are.
    latency : float
        Seconds that a request takes at most.
    """

    twice: float = 0.0
    swapped: float = 0.0
    failing: float = 0.0
    limited: float = 0.0
    globally: float = 0.0
    latency: float = 0.0


@dataclass(slots=True)
class Interaction:
    """Something somebody pressed or typed, and what became of it.

    Parameters
    ----------
    id, token : str
        Of the interaction.
    payload : dict
        What the gateway sends.
    sent : float
        When it was pressed.
    answered : float or None
        When the bot answered; None before, or where it never did.
    deferred : bool
        Whether that answer said that another one follows.
    finished : bool
        Whether that one came.
    texts : list of dict
        What the one who pressed was shown, in order.
    done : asyncio.Event
        Set when it was answered for good, or failed.
    failed : bool
        Whether nobody answered in time.
    during : str
        Whether the bot could hear of it: it was ``"there"``, its connection was ``"lost"``, or it was
        ``"gone"``: its process had ended, or was not begun, or was killed before the answer.
    """

    id: str
    token: str
    payload: dict[str, Any]
    sent: float
    answered: float | None = None
    deferred: bool = False
    finished: bool = False
    deliveries: int = 0
    kind: int = 0
    texts: list[dict[str, Any]] = field(default_factory=list)
    choices: list[dict[str, Any]] = field(default_factory=list)
    modal: dict[str, Any] | None = None
    done: asyncio.Event = field(default_factory=asyncio.Event)
    failed: bool = False
    during: str = "there"

    @property
    def seconds(self) -> float:
        """How long the first answer took."""
        return float("inf") if self.answered is None else self.answered - self.sent

    @property
    def text(self) -> str:
        """All that the one who pressed was told."""
        parts = []
        for each in self.texts:
            embeds = each.get("embeds") or []
            parts += [
                each.get("content") or "",
                *(f"{e.get('title', '')}: {e.get('description', '')}" for e in embeds),
            ]
        return "\n".join(filter(None, parts))


@dataclass(slots=True)
class Session:
    """A session of the gateway, which outlives its connections."""

    id: str
    seq: int = 0
    sent: list[tuple[int, str, dict[str, Any]]] = field(default_factory=list)
    socket: web.WebSocketResponse | None = None
    deflate: Any = None
    valid: bool = True
    beats: int = 0


class Refused(Exception):  # noqa: N818  # it is an answer, not an error
    """An answer of the REST API that says no."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


class Discord:
    """A Discord of a few servers on loopback.

    Parameters
    ----------
    seed : int
        Of what goes wrong.
    heartbeat : float
        Seconds between two heartbeats.
    """

    def __init__(self, seed: int = 0, heartbeat: float = 20.0) -> None:
        self.rng, self.faults, self.heartbeat = random.Random(seed), Faults(), heartbeat
        self.guilds: dict[str, dict[str, Any]] = {}
        self.channels: dict[str, dict[str, Any]] = {}
        self.messages: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
        self.voice: dict[str, dict[str, str]] = defaultdict(dict)
        self.members: dict[str, dict[str, Any]] = defaultdict(dict)
        self.sessions: dict[str, Session] = {}
        self.interactions: dict[str, Interaction] = {}
        self.commands: list[dict[str, Any]] = []
        #: The rights of the bot in each channel, where these are not all.
        self.rights: dict[str, int] = {}
        #: Who was pinged by whom: the message's channel and number, and each user.
        self.pings: list[tuple[str, str, str]] = []
        self.requests: Counter[str] = Counter()
        self.log: list[tuple[str, str]] = []
        self.buckets: dict[str, tuple[int, float]] = {}
        self.bucket_size, self.bucket_seconds = 5, 5.0
        self.bad_token = False
        #: Bodies with a text whose mentions were left to Discord, which would ping whoever is named.
        self.unguarded: list[dict[str, Any]] = []
        #: Called with the method and path of each request before it is done, and after it.
        self.before: Callable[[str], Any] = lambda _: None
        self.after: Callable[[str], Any] = lambda _: None
        #: When the process that there is was heard first; None while there is none.
        self.heard: float | None = None
        self._waits_until = 0.0
        self.token = f"MTAw.{secrets.token_hex(4)}.{secrets.token_hex(8)}"
        self._nonces: dict[tuple[str, str], str] = {}
        self._numbers = itertools.count(1)
        self._held: list[Interaction] = []
        self._runner: web.AppRunner | None = None
        self._timers: set[asyncio.Task[None]] = set()
        self._change = asyncio.Event()
        self.url = ""

    # What there is

    def number(self) -> str:
        """Return a number that nothing else has, with the time in it."""
        return str((int(time.time() * 1000) - EPOCH) << 22 | next(self._numbers) & 0x3FFFFF)

    def guild(self, name: str = "Arena") -> str:
        """Make a server, and return its number."""
        guild = self.number()
        self.guilds[guild] = {"id": guild, "name": name}
        return guild

    def channel(self, guild: str, name: str, kind: int = TEXT, parent: str | None = None) -> str:
        """Make a channel, and return its number."""
        number = self.number()
        self.channels[number] = {
            "id": number, "guild_id": guild, "name": name, "type": kind, "parent_id": parent, "position": 0,
            "permission_overwrites": [], "topic": None, "nsfw": False, "bitrate": 64000, "user_limit": 0,
            "rate_limit_per_user": 0, "last_message_id": None, "rtc_region": None,
        }  # fmt: skip
        return number

    def user(self, number: str, name: str) -> dict[str, Any]:
        """Return a user."""
        return {"id": number, "username": f"u{number}", "global_name": name, "discriminator": "0",
                "avatar": None, "public_flags": 0, "bot": number == BOT}  # fmt: skip

    def member(self, guild: str, number: str, name: str, *, manages: bool = False) -> dict[str, Any]:
        """Return somebody in a server, with the name they have there by now."""
        member = {"user": self.user(number, name), "nick": name, "roles": [], "avatar": None,
                  "joined_at": "2024-01-01T00:00:00+00:00", "deaf": False, "mute": False, "flags": 0,
                  "permissions": str(ALL if manages else RIGHTS["send"] | RIGHTS["view"])}  # fmt: skip
        self.members[guild][number] = member
        return member

    def _guild_payload(self, guild: str) -> dict[str, Any]:
        everyone = {"id": guild, "name": "@everyone", "color": 0, "hoist": False, "position": 0,
                    "managed": False, "permissions": str(ALL), "mentionable": False, "icon": None,
                    "flags": 0}  # fmt: skip
        mine = [each for each in self.channels.values() if each["guild_id"] == guild]
        return {
            **self.guilds[guild], "icon": None, "splash": None, "features": [], "owner_id": "1",
            "afk_channel_id": None, "afk_timeout": 300, "verification_level": 0,
            "default_message_notifications": 0,
            "explicit_content_filter": 0, "mfa_level": 0, "application_id": None, "system_channel_id": None,
            "system_channel_flags": 0, "rules_channel_id": None, "public_updates_channel_id": None,
            "vanity_url_code": None, "description": None, "banner": None, "premium_tier": 0,
            "preferred_locale": "en-US", "nsfw_level": 0, "roles": [everyone], "emojis": [], "stickers": [],
            "channels": [each for each in mine if each["type"] != PRIVATE_THREAD], "presences": [],
            "threads": [self._thread(each) for each in mine if each["type"] == PRIVATE_THREAD],
            "members": [*self.members[guild].values(), self.member_of_bot()], "member_count": 10,
            "large": False,
            "joined_at": "2024-01-01T00:00:00+00:00", "unavailable": False, "stage_instances": [],
            "guild_scheduled_events": [], "soundboard_sounds": [],
            "voice_states": [self._voice_state(guild, user) for user in self.voice[guild]],
        }  # fmt: skip

    def member_of_bot(self) -> dict[str, Any]:
        """Return the bot as somebody in a server."""
        return {"user": self.user(BOT, "equipoise"), "nick": None, "roles": [], "avatar": None, "flags": 0,
                "joined_at": "2024-01-01T00:00:00+00:00", "deaf": False, "mute": False}  # fmt: skip

    def _voice_state(self, guild: str, user: str) -> dict[str, Any]:
        return {
            "guild_id": guild, "channel_id": self.voice[guild].get(user), "user_id": user,
            "session_id": f"v{user}", "deaf": False, "mute": False,
            "member": self.members[guild].get(user) or self.member(guild, user, user), "self_deaf": False,
            "self_mute": False, "self_video": False, "suppress": False,
            "request_to_speak_timestamp": None,
        }  # fmt: skip

    @staticmethod
    def _thread(channel: dict[str, Any]) -> dict[str, Any]:
        return {**channel, "owner_id": BOT, "member_count": 1, "message_count": 0, "thread_metadata": {
            "archived": channel.get("archived", False), "locked": False, "auto_archive_duration": 1440,
            "archive_timestamp": "2024-01-01T00:00:00+00:00", "invitable": False,
            "create_timestamp": "2024-01-01T00:00:00+00:00",
        }}  # fmt: skip

    async def connect_voice(self, guild: str, user: str, channel: str | None) -> None:
        """Let somebody be in a voice channel, or in none."""
        if channel is None:
            self.voice[guild].pop(user, None)
        else:
            self.voice[guild][user] = channel
        await self.dispatch("VOICE_STATE_UPDATE", self._voice_state(guild, user))

    # Running

    async def __aenter__(self) -> Discord:
        app = web.Application(client_max_size=16 * 2**20)
        app.router.add_get("/gateway", self._gateway)
        app.router.add_route("*", "/api/v10/{path:.*}", self._rest)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{port}/api/v10"
        self.gateway_url = f"ws://127.0.0.1:{port}/gateway"
        return self

    async def __aexit__(self, *_: object) -> None:
        for timer in self._timers:
            timer.cancel()
        for session in self.sessions.values():
            if session.socket is not None:
                await self._cut(session.socket)
        assert self._runner is not None
        await self._runner.cleanup()

    async def until(self, happened: Callable[[], Any], seconds: float = 60.0) -> Any:
        """Wait for something to be so, looked at after every request and connection; return what it was."""
        async with asyncio.timeout(seconds):
            while not (found := happened()):
                change = self._change
                await change.wait()
        return found

    def _moved(self) -> None:
        """Let those look who wait for something."""
        self._change.set()
        self._change = asyncio.Event()

    # The gateway

    async def _gateway(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(compress=False, max_msg_size=0)
        await socket.prepare(request)
        deflate = _deflater(request.query.get("compress", ""))
        await _send(socket, deflate, {"op": 10, "d": {"heartbeat_interval": int(1000 * self.heartbeat)}})
        session: Session | None = None
        async for message in socket:
            if message.type not in (WSMsgType.BINARY, WSMsgType.TEXT):
                break
            asked = json.loads(message.data)
            if asked["op"] == 1:
                if session is not None:
                    session.beats += 1
                await _send(socket, deflate, {"op": 11, "d": None})
            elif asked["op"] in (2, 6):
                data = asked["d"]
                if data["token"] != self.token or self.bad_token:
                    await socket.close(code=4004, message=b"Authentication failed.")
                    break
                if asked["op"] == 2:
                    session = await self._identified(socket, deflate)
                else:
                    session = await self._resumed(socket, deflate, data)
        if session is not None and session.socket is socket:
            session.socket = None
        self._moved()
        return socket

    async def _identified(self, socket: web.WebSocketResponse, deflate: Any) -> Session:
        session = Session(f"s{self.number()}", socket=socket, deflate=deflate)
        ready = {"v": 10, "session_id": session.id, "resume_gateway_url": self.gateway_url,
                 "user": {**self.user(BOT, "equipoise"), "mfa_enabled": False, "flags": 0},
                 "guilds": [{"id": guild, "unavailable": True} for guild in self.guilds],
                 "application": {"id": APPLICATION, "flags": 0}}  # fmt: skip
        self.sessions[session.id] = session
        self.heard = self.heard or time.monotonic()
        self._moved()
        await self._dispatch_to(session, "READY", ready)
        for guild in self.guilds:
            await self._dispatch_to(session, "GUILD_CREATE", self._guild_payload(guild))
        return session

    async def _resumed(
        self, socket: web.WebSocketResponse, deflate: Any, data: dict[str, Any]
    ) -> Session | None:
        session = self.sessions.get(data["session_id"])
        if session is None or not session.valid or data["seq"] > session.seq:
            await _send(socket, deflate, {"op": 9, "d": False})
            return None
        session.socket, session.deflate = socket, deflate
        for seq, name, payload in [each for each in session.sent if each[0] > data["seq"]]:
            await _send(socket, deflate, {"op": 0, "t": name, "s": seq, "d": payload})
        await self._dispatch_to(session, "RESUMED", {})
        self._moved()
        return session

    async def _dispatch_to(self, session: Session, name: str, payload: dict[str, Any]) -> None:
        session.seq += 1
        session.sent.append((session.seq, name, payload))
        del session.sent[:-2000]
        if session.socket is not None and not session.socket.closed:
            with contextlib.suppress(ConnectionError, RuntimeError):
                message = {"op": 0, "t": name, "s": session.seq, "d": payload}
                await _send(session.socket, session.deflate, message)

    async def dispatch(self, name: str, payload: dict[str, Any]) -> int:
        """Send an event to all sessions; return how many there are."""
        live = [session for session in self.sessions.values() if session.valid]
        for session in live:
            await self._dispatch_to(session, name, payload)
        return len(live)

    def connected(self) -> list[Session]:
        """Return the sessions that have a connection."""
        return [each for each in self.sessions.values() if each.socket is not None and not each.socket.closed]

    async def lose(self, how: str = "cut") -> None:
        """Let connections end: ``cut``, ``reconnect`` (op 7), ``invalid`` (op 9), or a close code."""
        for each in self.interactions.values():
            if each.during == "there" and each.answered is None and not each.failed:
                each.during = "lost"  # whether it was heard before is not known
        for session in self.connected():
            socket = session.socket
            assert socket is not None
            if how == "reconnect":
                await _send(socket, session.deflate, {"op": 7, "d": None})
                continue
            session.socket = None
            if how == "invalid":
                session.valid = False
                await _send(socket, session.deflate, {"op": 9, "d": False})
            elif how == "cut":
                await self._cut(socket)
            else:
                await socket.close(code=int(how))

    def forget_sessions(self, *, patient: bool = True) -> None:
        """Let sessions end for good, as after the process that had them was killed.

        Whoever was told that an answer follows gives up waiting for it, as does whoever is not ``patient``
        for any answer.
        """
        self.heard = None
        for each in self.interactions.values():
            if each.deferred:
                each.done.set()
            elif each.answered is None and not each.failed:
                each.during = "gone"
                if not patient:
                    each.failed = True
                    each.done.set()
        for session in self.sessions.values():
            session.valid, session.socket = False, None

    @staticmethod
    async def _cut(socket: web.WebSocketResponse) -> None:
        transport = socket._req.transport if socket._req is not None else None  # noqa: SLF001
        if transport is not None:
            transport.abort()
        await asyncio.sleep(0)

    # People

    def _interaction(
        self, kind: int, channel: str, user: str, name: str, data: dict[str, Any], *, manages: bool = False,
        **more: Any,
    ) -> Interaction:  # fmt: skip
        place = self.channels[channel]
        shown = {"id": channel, "type": place["type"], "name": place["name"], "permissions": str(ALL),
                 "parent_id": place["parent_id"]}  # fmt: skip
        if place["type"] == PRIVATE_THREAD:
            shown["thread_metadata"] = self._thread(place)["thread_metadata"]
        number = self.number()
        payload = {
            "id": number, "application_id": APPLICATION, "type": kind, "token": f"t{number}", "version": 1,
            "guild_id": place["guild_id"], "channel_id": channel, "channel": shown, "data": data,
            "locale": "en-US", "guild_locale": "en-US", "member": self.member(place["guild_id"], user,
            name, manages=manages),
            "app_permissions": str(self.rights.get(channel, ALL)), "entitlements": [], "context": 0,
            "authorizing_integration_owners": {"0": place["guild_id"]}, "attachment_size_limit": 10_000_000,
            **more,
        }  # fmt: skip
        during = "gone" if self.heard is None else "there" if self.connected() else "lost"
        found = Interaction(number, f"t{number}", payload, time.monotonic(), kind=kind, during=during)
        self.interactions[number] = found
        return found

    async def _deliver(self, interaction: Interaction) -> Interaction:
        """Send an interaction; it has failed where nobody answers in time."""
        if self.rng.random() < self.faults.swapped:
            self._held.append(interaction)
            self._later(0.2, self._let_go)
        else:
            await self._sent(interaction)
            await self._let_go()
        self._later(ANSWER, partial(self._expire, interaction))
        return interaction

    def _later(self, seconds: float, what: Callable[[], Any]) -> None:
        async def wait() -> None:
            await asyncio.sleep(seconds)
            await what()

        task = asyncio.ensure_future(wait())
        self._timers.add(task)
        task.add_done_callback(self._timers.discard)

    async def _let_go(self) -> None:
        held, self._held = self._held, []
        for each in held:
            await self._sent(each)

    async def _sent(self, interaction: Interaction) -> None:
        times = 2 if self.rng.random() < self.faults.twice else 1
        for _ in range(times):
            interaction.deliveries += await self.dispatch("INTERACTION_CREATE", interaction.payload)

    @staticmethod
    async def _expire(interaction: Interaction) -> None:
        if interaction.answered is None:
            interaction.failed = True
            interaction.done.set()

    @staticmethod
    async def _give_up(interaction: Interaction) -> None:
        interaction.done.set()

    async def type(
        self, channel: str, user: str, name: str, command: str, /, *, manages: bool = False, **options: Any
    ) -> Interaction:
        """Let somebody type a command; an option ``("user", NUMBER)`` is a member of the server."""
        given, users, members = [], {}, {}
        guild = self.channels[channel]["guild_id"]
        if command == "forget":
            given.append({"name": "me", "type": 1, "options": []})
        for option, value in options.items():
            if isinstance(value, tuple):
                number = value[1]
                member = self.members[guild].get(number) or self.member(guild, number, f"user {number}")
                users[number] = member["user"]
                members[number] = {key: each for key, each in member.items() if key != "user"}
                given.append({"name": option, "type": 6, "value": number})
            else:
                given.append({"name": option, "type": 5 if isinstance(value, bool) else 3, "value": value})
        data = {"id": "7", "name": command, "type": 1, "options": given,
                "resolved": {"users": users, "members": members}}  # fmt: skip
        return await self._deliver(self._interaction(COMMAND, channel, user, name, data, manages=manages))

    async def complete(self, channel: str, user: str, command: str, option: str, typed: str) -> Interaction:
        """Let somebody begin to type an option."""
        data = {"id": "7", "name": command, "type": 1,
                "options": [{"name": option, "type": 3, "value": typed, "focused": True}]}  # fmt: skip
        return await self._deliver(self._interaction(COMPLETE, channel, user, user, data))

    async def press(
        self, channel: str, user: str, name: str, custom_id: str, message: str = "", *, manages: bool = False
    ) -> Interaction:
        """Let somebody press a button, as of a message."""
        of = self.messages[channel].get(message) or self._message(channel, {"content": "x"})
        data = {"custom_id": custom_id, "component_type": 2}
        return await self._deliver(
            self._interaction(COMPONENT, channel, user, name, data, manages=manages, message=of)
        )

    async def submit(self, channel: str, user: str, name: str, custom_id: str, value: str) -> Interaction:
        """Let somebody send the window that a button opened."""
        field_ = {"type": 4, "id": 2, "custom_id": "score", "value": value}
        data = {"custom_id": custom_id, "components": [{"type": 1, "id": 1, "components": [field_]}]}
        return await self._deliver(self._interaction(MODAL, channel, user, name, data))

    def buttons(self, channel: str) -> list[tuple[str, str, str]]:
        """Return the buttons of a channel, newest message first: message, label and custom id."""
        found = []
        for number, message in sorted(self.messages[channel].items(), key=lambda each: -int(each[0])):
            for row in message["components"]:
                found += [
                    (number, each.get("label", ""), each.get("custom_id", "")) for each in row["components"]
                ]
        return found

    async def delete(self, channel: str, message: str) -> None:
        """Let somebody delete a message by hand."""
        del self.messages[channel][message]
        gone = {"id": message, "channel_id": channel, "guild_id": self.channels[channel]["guild_id"]}
        await self.dispatch("MESSAGE_DELETE", gone)

    async def purge(self, channel: str) -> None:
        """Let somebody delete all messages of a channel at once."""
        gone = list(self.messages[channel])
        self.messages[channel].clear()
        where = {"channel_id": channel, "guild_id": self.channels[channel]["guild_id"]}
        await self.dispatch("MESSAGE_DELETE_BULK", {"ids": gone, **where})

    # REST

    async def _rest(self, request: web.Request) -> web.StreamResponse:
        try:
            return await self._asked(request)
        except ConnectionError:  # who asked is gone
            return web.Response(status=499)
        finally:
            self._moved()

    async def _asked(self, request: web.Request) -> web.StreamResponse:
        path = request.match_info["path"].strip("/")
        parts, method = path.split("/"), request.method
        route = f"{method} {'/'.join(part if not part.isdigit() else '#' for part in parts[:1] + parts[2:])}"
        self.requests[route] += 1
        if self.faults.latency:
            await asyncio.sleep(self.rng.random() * self.faults.latency)
        self.before(f"{method} {path}")
        hooked = parts[0] in ("interactions", "webhooks")
        if not hooked and request.headers.get("Authorization") != f"Bot {self.token}":
            return web.json_response({"message": "401: Unauthorized", "code": 0}, status=401)
        if self.rng.random() < self.faults.failing:
            return web.json_response({"message": "bad gateway"}, status=502)
        limited, headers = self._limits(method, parts, hooked=hooked)
        if limited is not None:
            return limited
        body = await _body(request)
        try:
            status, answer = await self._answer(method, parts, body)
        except Refused as refused:
            said = {"message": refused.message, "code": refused.code}
            self.after(f"{method} {path}")
            return web.json_response(said, status=refused.status, headers=headers)
        self.after(f"{method} {path}")
        if status == 204:
            return web.Response(status=204, headers=headers)
        return web.json_response(answer, status=status, headers=headers)

    def _limits(
        self, method: str, parts: list[str], *, hooked: bool
    ) -> tuple[web.Response | None, dict[str, str]]:
        """Return the headers of the bucket of a request, and the answer where it has to wait."""
        now = time.monotonic()
        if not hooked and now >= self._waits_until and self.rng.random() < self.faults.globally:
            self._waits_until = now + GLOBALLY
        if not hooked and now < self._waits_until:
            self.requests["429 global"] += 1
            left = round(self._waits_until - now, 3)
            said = {"message": "You are being rate limited.", "retry_after": left, "global": True}
            headers = {"Retry-After": "1", "X-RateLimit-Global": "true", "X-RateLimit-Scope": "global"}
            return web.json_response(said, status=429, headers=headers), {}
        if hooked or parts[0] != "channels" or method == "GET":
            return None, {}
        bucket = f"{parts[1]}-{method}"
        left, until = self.buckets.get(bucket, (self.bucket_size, now + self.bucket_seconds))
        if now >= until:
            left, until = self.bucket_size, now + self.bucket_seconds
        unlucky = self.rng.random() < self.faults.limited
        after = 0.3 if unlucky else max(until - now, 0.001)
        spent = unlucky or left <= 0
        left = left if spent else left - 1
        self.buckets[bucket] = (left, until)
        headers = {
            "X-RateLimit-Bucket": f"{method}messages", "X-RateLimit-Limit": str(self.bucket_size),
            "X-RateLimit-Remaining": str(0 if spent else left), "X-RateLimit-Reset-After": f"{after:.3f}",
            "X-RateLimit-Reset": f"{time.time() + after:.3f}",
        }  # fmt: skip
        if not spent:
            return None, headers
        self.requests["429"] += 1
        said = {"message": "You are being rate limited.", "retry_after": after, "global": False}
        scope = {"Retry-After": str(int(after) + 1), "X-RateLimit-Scope": "shared" if unlucky else "user"}
        return web.json_response(said, status=429, headers=headers | scope), headers

    async def _answer(self, method: str, parts: list[str], body: dict[str, Any]) -> tuple[int, Any]:
        path = "/".join(parts)
        if path == "gateway/bot":
            limit = {"total": 1000, "remaining": 999, "reset_after": 1000, "max_concurrency": 1}
            return 200, {"url": self.gateway_url, "shards": 1, "session_start_limit": limit}
        if path == "oauth2/applications/@me":
            return 200, _application(self.user("1", "Owner"))
        if parts[0] == "applications" and parts[-1] == "commands":
            return 200, self._registered(body["list"])
        if parts[0] == "interactions":
            return self._callback(parts[1], parts[2], body)
        if parts[0] == "webhooks":
            return self._followed(method, parts, body)
        if parts[0] == "channels":
            return await self._of_channel(method, parts, body)
        if parts[0] == "guilds":
            return await self._of_guild(method, parts, body)
        raise Refused(404, 0, "404: Not Found")

    def _registered(self, commands: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if len(commands) > 100:
            raise Refused(400, 30032, "Maximum number of application commands reached (100)")
        for each in commands:
            if not re.fullmatch(r"[-_\w]{1,32}", each["name"]) or not 1 <= len(each["description"]) <= 100:
                raise Refused(400, 50035, f"Invalid Form Body: {each['name']}")
            required = [option.get("required", False) for option in each.get("options", [])]
            if required != sorted(required, reverse=True) or len(required) > 25:
                raise Refused(400, 50035, f"Required options must be placed before others: {each['name']}")
        self.commands = commands
        return [
            {"id": str(n), "application_id": APPLICATION, "version": "1", "default_member_permissions": None,
             "nsfw": False, "type": 1, "contexts": [0], "integration_types": [0], **each}
            for n, each in enumerate(commands, start=1)
        ]  # fmt: skip

    # Interactions

    def _callback(self, number: str, token: str, body: dict[str, Any]) -> tuple[int, Any]:
        found, now = self.interactions.get(number), time.monotonic()
        if found is None or found.token != token or found.failed or now - found.sent > ANSWER:
            raise Refused(404, 10062, "Unknown interaction")
        if found.answered is not None:
            raise Refused(400, 40060, "Interaction has already been acknowledged.")
        kind, data = body["type"], body.get("data") or {}
        data |= {"files": body["files"]} if "files" in body else {}
        if kind in (4, 7):
            self._checked(data)
        found.answered = now
        if kind == 4:
            found.texts.append(data)
        elif kind == 8:
            found.choices = data["choices"]
            for each in found.choices:
                if not 1 <= len(each["name"]) <= 100 or len(str(each["value"])) > 100:
                    raise Refused(400, 50035, "Invalid Form Body: choices")
        elif kind == 9:
            found.modal = data
        found.deferred = kind == 5
        if found.deferred and found.during != "gone":
            self._later(FOLLOWS, partial(self._give_up, found))
        else:  # of a process that is dead by now nothing follows
            found.done.set()
        return 200, {"interaction": {"id": number, "type": found.kind}}

    def _followed(self, method: str, parts: list[str], body: dict[str, Any]) -> tuple[int, Any]:
        found = next((each for each in self.interactions.values() if each.token == parts[2]), None)
        if found is None or found.answered is None:
            raise Refused(404, 10015, "Unknown Webhook")
        found.finished = True
        if method == "DELETE":
            found.done.set()
            return 204, None
        self._checked(body)
        found.texts.append(body)
        found.done.set()
        return 200, self._message(found.payload["channel_id"], body)

    # Channels

    def _needs(self, channel: str, *rights: str) -> None:
        if channel not in self.channels:
            raise Refused(404, 10003, "Unknown Channel")
        have = self.rights.get(channel, ALL)
        if not have & RIGHTS["view"]:
            raise Refused(403, 50001, "Missing Access")
        if any(not have & RIGHTS[each] for each in rights):
            raise Refused(403, 50013, "Missing Permissions")

    async def _of_channel(self, method: str, parts: list[str], body: dict[str, Any]) -> tuple[int, Any]:
        channel, rest = parts[1], parts[2:]
        if rest[:1] == ["messages"]:
            self._needs(channel, "send")
            if len(rest) == 1 and method == "POST":
                return self._posted(channel, body)
            message = self.messages[channel].get(rest[1]) if len(rest) > 1 else None
            if message is None:
                raise Refused(404, 10008, "Unknown Message")
            if method == "PATCH":
                self._checked(body)
                for name in ("content", "embeds", "components"):
                    if name in body:
                        nothing: Any = "" if name == "content" else []  # as null says
                        given = body[name] or nothing
                        message[name] = _numbered(given) if name == "components" else given
                message["edited_timestamp"] = "2024-01-01T00:00:00+00:00"
                message["edits"] = message.get("edits", 0) + 1
                self.log.append(("edit", rest[1]))
            return 200, message
        if rest[:1] == ["threads"]:
            self._needs(channel, "private threads")
            made = self.channel(self.channels[channel]["guild_id"], body["name"], PRIVATE_THREAD, channel)
            self.channels[made]["in it"] = []
            return 201, self._thread(self.channels[made])
        if rest[:1] == ["thread-members"]:
            self.channels[channel]["in it"].append(rest[1])
            return 204, None
        self._needs(channel)
        if method == "DELETE":
            self._needs(channel, "channels")
            return 200, self.channels.pop(channel)
        if method == "PATCH":
            self.channels[channel] |= {
                key: each for key, each in body.items() if key in ("archived", "locked")
            }
            kind = self.channels[channel]["type"]
            return 200, self._thread(self.channels[channel]) if kind == PRIVATE_THREAD else self.channels[
                channel
            ]
        return 200, self.channels[channel]

    def _posted(self, channel: str, body: dict[str, Any]) -> tuple[int, Any]:
        self._checked(body)
        nonce = (channel, str(body.get("nonce", "")))
        if body.get("enforce_nonce") and nonce in self._nonces:
            known = self.messages[channel].get(self._nonces[nonce])
            if known is not None:
                return 200, known
        made = self._message(channel, body)
        self.messages[channel][made["id"]] = made
        if nonce[1]:
            self._nonces[nonce] = made["id"]
        self.log.append(("post", made["id"]))
        for user in pinged(body):
            self.pings.append((channel, made["id"], user))
        return 200, made

    def _message(self, channel: str, body: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": self.number(), "channel_id": channel, "author": self.user(BOT, "equipoise"),
            "content": body.get("content") or "", "timestamp": "2024-01-01T00:00:00+00:00",
            "edited_timestamp": None, "tts": False, "mention_everyone": False, "mentions": [],
            "mention_roles": [], "attachments": [], "embeds": body.get("embeds") or [], "pinned": False,
            "type": 0, "flags": 0,
            "components": _numbered(body.get("components") or []),
        }  # fmt: skip

    def _checked(self, body: dict[str, Any]) -> None:
        """Refuse what Discord refuses: what is too long, empty, or has two buttons of one id."""
        text = body.get("content") or body.get("embeds")
        if text and (body.get("allowed_mentions") or {}).get("parse") != []:
            self.unguarded.append(body)
        wrong = next(_wrong(body), "")
        if wrong:
            raise Refused(400, 50035, f"Invalid Form Body: {wrong}")

    # Servers

    async def _of_guild(self, method: str, parts: list[str], body: dict[str, Any]) -> tuple[int, Any]:
        guild, rest = parts[1], parts[2:]
        mine = [each for each in self.channels.values() if each["guild_id"] == guild]
        if rest == ["channels"] and method == "GET":
            return 200, [each for each in mine if each["type"] != PRIVATE_THREAD]
        if rest == ["channels"]:
            self._guild_needs(guild, "channels")
            made = self.channel(guild, body["name"], body.get("type", TEXT), body.get("parent_id"))
            await self.dispatch("CHANNEL_CREATE", self.channels[made])
            return 201, self.channels[made]
        if rest == ["threads", "active"]:
            threads = [self._thread(each) for each in mine if each["type"] == PRIVATE_THREAD]
            return 200, {"threads": [each for each in threads if not each.get("archived")], "members": []}
        if rest[:1] == ["members"] and method == "PATCH":
            self._guild_needs(guild, "move")
            if rest[1] not in self.voice[guild]:
                raise Refused(400, 40032, "Target user is not connected to voice.")
            if body["channel_id"] not in self.channels:
                raise Refused(400, 50035, "Invalid Form Body: channel_id")
            await self.connect_voice(guild, rest[1], body["channel_id"])
            return 200, self.members[guild].get(rest[1]) or self.member(guild, rest[1], rest[1])
        raise Refused(404, 0, "404: Not Found")

    def _guild_needs(self, guild: str, right: str) -> None:
        if not self.rights.get(guild, ALL) & RIGHTS[right]:
            raise Refused(403, 50013, "Missing Permissions")


def _application(owner: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": APPLICATION, "name": "equipoise", "icon": None, "description": "", "bot_public": True,
        "owner": owner, "bot_require_code_grant": False, "verify_key": "00", "flags": 0, "team": None,
        "approximate_guild_count": 1, "approximate_user_install_count": 0,
    }  # fmt: skip


def _deflater(kind: str) -> Any:
    """Return what compresses one connection; None where nothing is compressed."""
    if kind == "zlib-stream":
        return zlib.compressobj()
    if kind == "zstd-stream":
        try:
            from compression import zstd  # type: ignore[import-not-found]  # from Python 3.14 on
        except ImportError:
            from backports import zstd  # type: ignore[import-not-found]
        return zstd.ZstdCompressor()
    return None


async def _send(socket: web.WebSocketResponse, deflate: Any, payload: dict[str, Any]) -> None:
    """Send something; who is gone by now does not get it."""
    text = json.dumps(payload)
    with contextlib.suppress(ConnectionError, RuntimeError):
        if deflate is None:
            await socket.send_str(text)
        elif isinstance(deflate, type(zlib.compressobj())):
            await socket.send_bytes(deflate.compress(text.encode()) + deflate.flush(zlib.Z_SYNC_FLUSH))
        else:
            await socket.send_bytes(deflate.compress(text.encode(), mode=deflate.FLUSH_BLOCK))


async def _body(request: web.Request) -> dict[str, Any]:
    if request.content_type.startswith("multipart/"):
        found: dict[str, Any] = {}
        async for part in await request.multipart():
            data = await part.read()  # type: ignore[union-attr]
            if part.name == "payload_json":
                found |= json.loads(data)
            else:
                found.setdefault("files", []).append(bytes(data))
        return found
    raw = await request.read()
    data = json.loads(raw) if raw else {}
    return {"list": data} if isinstance(data, list) else data


def _numbered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return components with the numbers that Discord gives them."""
    found = []
    for n, row in enumerate(rows, start=1):
        inner = [{**each, "id": 100 * n + m} for m, each in enumerate(row["components"], start=1)]
        found.append({**row, "id": n, "components": inner})
    return found


def pinged(body: dict[str, Any]) -> list[str]:
    """Return who a message pings: what its text mentions, as far as it allows that; embeds ping nobody."""
    text, allowed = body.get("content") or "", body.get("allowed_mentions")
    kinds = ("everyone", "users", "roles") if allowed is None else allowed.get("parse", [])
    named = [] if allowed is None else list(map(str, allowed.get("users", [])))
    users = [user for user in _USER_MENTION.findall(text) if "users" in kinds or user in named]
    everyone = ["everyone"] if "everyone" in kinds and re.search(r"@(everyone|here)", text) else []
    return [*dict.fromkeys(users), *everyone]


def _wrong(body: dict[str, Any]) -> Any:
    """Go through what is wrong with a message."""
    if len(body.get("content") or "") > 2000:
        yield "content: must be 2000 or fewer in length"
    embeds, rows = body.get("embeds") or [], body.get("components") or []
    if not (body.get("content") or embeds or rows or body.get("files")) and "flags" not in body:
        yield "Cannot send an empty message"
    for embed in embeds:
        fields = embed.get("fields", [])
        lengths = [
            ("title", len(embed.get("title") or ""), 256), ("fields", len(fields), 25),
            ("description", len(embed.get("description") or ""), 4096),
            ("footer", len((embed.get("footer") or {}).get("text", "")), 2048),
        ]  # fmt: skip
        lengths += [("field name", len(each["name"]), 256) for each in fields]
        lengths += [("field value", len(each["value"]), 1024) for each in fields]
        for what, length, most in lengths:
            if length > most:
                yield f"{what}: must be {most} or fewer in length"
        if any(not each["name"] or not each["value"] for each in fields):
            yield "fields: this field is required"
        if sum(length for _, length, _ in lengths) - len(fields) > 6000:
            yield "embeds: must be 6000 or fewer in total"
    yield from _wrong_buttons(rows)


def _wrong_buttons(rows: list[dict[str, Any]]) -> Any:
    """Go through what is wrong with buttons."""
    ids = [each["custom_id"] for row in rows for each in row["components"] if "custom_id" in each]
    if len(rows) > 5 or any(not 1 <= len(row["components"]) <= 5 for row in rows):
        yield "components: must be between 1 and 5"
    if len(set(ids)) < len(ids) or any(not 1 <= len(each) <= 100 for each in ids):
        yield "custom_id: must be unique and 100 or fewer in length"
    for row in rows:
        for each in row["components"]:
            if each["type"] == 2 and not 1 <= len(each.get("label") or "") <= 80:
                yield "label: must be between 1 and 80 in length"
