"""The bot against a Discord on loopback: what is sent, what goes wrong, and ends at any moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("hikari")

from benchmarks.play.discord_server import ALL, RIGHTS, VOICE, Discord, Interaction

from equipoise.archive.archive import open_archive
from equipoise.errors import InputError
from equipoise.play.lobby_forms import lobby_of
from equipoise.service.chat.discord import DiscordBot, DiscordSettings, commands
from equipoise.service.chat.discord_commands import SLASH
from equipoise.service.chat.discord_ladders import Ladders
from equipoise.service.chat.one_process import alone
from equipoise.service.kept_evening import KeptEvening

pytestmark = pytest.mark.slow

FOUR = [str(1000 + n) for n in range(4)]

Test = Callable[..., Coroutine[Any, Any, None]]


class Server:
    """A Discord with one server and one channel, and the bot of a folder there."""

    def __init__(self, discord: Discord, folder: Path, lobby: str, **settings: Any) -> None:
        self.discord, self.folder, self.settings = discord, folder, settings
        self.guild = discord.guild()
        self.channel = discord.channel(self.guild, "pug")
        self.lobby = lobby

    @asynccontextmanager
    async def bot(self, *, ended: bool = True) -> AsyncIterator[DiscordBot]:
        """Run the bot within a block; it has sent its first messages when the block begins."""
        lobbies, channels = ([lobby_of(self.lobby, 600.0)], [self.channel]) if self.lobby else ([], [])
        ladder = self.settings.get("ladder", "shared")
        settings = DiscordSettings(self.discord.token, self.discord.url, self.settings.get("teams_in", ""))
        there = asyncio.Event()
        bot = DiscordBot(
            lambda: Ladders(f"sqlite:///{self.folder}/a.db", lobbies, channels, ladder), settings,
            lambda _: there.set(),
        )  # fmt: skip
        running = asyncio.ensure_future(bot.run())
        ready = asyncio.ensure_future(there.wait())
        try:
            await asyncio.wait({running, ready}, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                running.result()
            if self.lobby:
                await self.discord.until(lambda: self.discord.messages[self.channel])
            yield bot
        finally:
            ready.cancel()
            bot.stop()
            if ended:
                await running
            else:
                with suppress(InputError):
                    await running

    async def press(self, label: str, who: list[str] = FOUR) -> list[Interaction]:
        """Let people press the newest button of a label, once it is there."""

        def shown() -> list[tuple[str, str, str]]:
            return [each for each in self.discord.buttons(self.channel) if each[1] == label]

        message, _, custom_id = (await self.discord.until(shown))[0]
        pressed = [await self.discord.press(self.channel, one, f"P{one}", custom_id, message) for one in who]
        for each in pressed:
            await each.done.wait()
        return pressed

    async def type(self, command: str, who: str = FOUR[0], /, **options: Any) -> str:
        """Let somebody type a command, and return what they are told."""
        typed = await self.discord.type(self.channel, who, f"P{who}", command, **options)
        await typed.done.wait()
        assert not typed.failed
        return typed.text

    def texts(self) -> list[str]:
        """Return what the messages say, oldest first."""
        found = []
        for _, message in sorted(self.discord.messages[self.channel].items(), key=lambda each: int(each[0])):
            found += [f"{each['title']}\n{each.get('description', '')}" for each in message["embeds"]]
        return found

    async def until_said(self, text: str) -> None:
        """Wait until a message says something."""
        await self.discord.until(lambda: any(text in each for each in self.texts()))

    async def play(self) -> None:
        """Let a game of four be played, up to its result."""
        await self.press("I'm in")
        await self.press("Ready")
        await self.press("Play", FOUR[:3])
        await self.until_said("two: play")


def against(test: Test, tmp_path: Path, lobby: str = "two=2v2", **settings: Any) -> None:
    """Run a test against a Discord of its own."""

    async def run() -> None:
        async with Discord(heartbeat=0.3) as discord:
            await test(Server(discord, tmp_path, lobby, **settings))
            assert not discord.unguarded, "a text was sent whose mentions were left to Discord"

    asyncio.run(run())


def test_a_game_is_one_message_that_is_edited(tmp_path: Path) -> None:
    """From in to counted: one message of the lobby, one of the game; its players alone are pinged, once."""

    async def test(server: Server) -> None:
        async with server.bot():
            await server.play()
            assert "Proven" in server.texts()[1]
            await server.type("report", result="won")
            await server.press("Confirm", FOUR[1:])
            await server.until_said(" won\n")
            posts = [number for what, number in server.discord.log if what == "post"]
            assert len(posts) == len(set(posts)) == 2
            pings = [user for _, _, user in server.discord.pings]
            assert sorted(pings) == FOUR
            assert "+" in server.texts()[1]

    against(test, tmp_path)


def test_every_command_is_one_that_discord_takes(tmp_path: Path) -> None:
    """Commands keep Discord's rules of names, lengths and order, and each that is typed is answered."""
    assert len(commands()) == len(SLASH)

    async def test(server: Server) -> None:
        async with server.bot():
            assert {each["name"] for each in server.discord.commands} == set(SLASH)
            for name, command in SLASH.items():
                options = {
                    each.name: ("user", FOUR[1]) if each.kind == "user" else "x" for each in command.options
                }
                assert await server.type(name, **options), name

    against(test, tmp_path)


def test_a_picture_comes_with_ones_own_page(tmp_path: Path) -> None:
    """After a game /me has points, place and a curve as PNG."""

    async def test(server: Server) -> None:
        async with server.bot():
            assert "no games" in await server.type("me")
            await server.play()
            await server.type("report", result="draw")
            await server.press("Confirm", FOUR[1:])
            await server.until_said("a draw")
            typed = await server.discord.type(server.channel, FOUR[0], "P", "me")
            await typed.done.wait()
            assert "points" in typed.text
            (picture,) = typed.texts[0]["files"]
            assert picture.startswith(b"\x89PNG")
            assert "**1**" in await server.type("leaderboard")

    against(test, tmp_path)


@pytest.mark.parametrize("how", ["cut", "reconnect", "invalid", "4000"])
def test_a_lost_gateway_loses_nothing(tmp_path: Path, how: str) -> None:
    """However the connection ends, what is pressed afterwards counts, and what was counts still."""

    async def test(server: Server) -> None:
        async with server.bot():
            await server.press("I'm in", FOUR[:2])
            before = len(server.discord.sessions)
            connected = server.discord.connected()
            await server.discord.lose(how)
            await server.discord.until(
                lambda: (
                    server.discord.connected() not in ([], connected)
                    or (how != "invalid" and connected == server.discord.connected())
                )
            )
            assert (len(server.discord.sessions) > before) == (how == "invalid")
            await server.press("I'm in", FOUR[2:])
            await server.until_said("ready?")

    against(test, tmp_path)


def test_what_comes_twice_or_late_counts_once(tmp_path: Path) -> None:
    """With every interaction sent twice, out of order and with failing requests, a game is a game."""

    async def test(server: Server) -> None:
        faults = server.discord.faults
        faults.twice, faults.swapped, faults.failing, faults.limited, faults.latency = (
            1.0,
            0.3,
            0.1,
            0.5,
            0.05,
        )
        async with server.bot():
            await server.play()
            pressed = await server.press("We won", FOUR[:1])
            assert not any(each.failed for each in pressed)
            await server.press("Confirm", FOUR[1:])
            await server.until_said(" won\n")
            assert server.discord.requests["429"]

    against(test, tmp_path)


def test_with_every_request_held_back_it_answers_all_the_same(tmp_path: Path) -> None:
    """While Discord limits all requests of the bot, whoever presses is answered, and edits come later."""

    async def test(server: Server) -> None:
        async with server.bot():
            server.discord.faults.globally = 1.0
            pressed = await server.press("I'm in")
            assert not any(each.failed for each in pressed)
            await server.discord.until(lambda: server.discord.requests["429 global"])
            assert not any("ready?" in each for each in server.texts())
            server.discord.faults.globally = 0.0
            await server.until_said("ready?")

    against(test, tmp_path)


def test_a_message_deleted_by_hand_comes_again(tmp_path: Path) -> None:
    """The lobby's message is sent anew where somebody deletes it; one of a game too, while it is played."""

    async def test(server: Server) -> None:
        async with server.bot():
            (first,) = server.discord.messages[server.channel]
            await server.discord.delete(server.channel, first)
            (second,) = await server.discord.until(lambda: server.discord.messages[server.channel])
            assert second != first
            await server.play()
            pings = list(server.discord.pings)
            played = max(server.discord.messages[server.channel], key=int)
            await server.discord.delete(server.channel, played)
            await server.press("We won", FOUR[:1])
            assert server.discord.pings == pings  # it was for those who play once
            await server.discord.purge(server.channel)
            await server.discord.until(lambda: len(server.discord.messages[server.channel]) == 2)

    against(test, tmp_path)


@pytest.mark.parametrize("ladder", ["shared", "server"])
def test_who_is_forgotten_is_in_no_message(tmp_path: Path, ladder: str) -> None:
    """/forget me in one channel: messages of games in others have neither the name nor the mention."""

    async def test(server: Server) -> None:
        first, second = server.channel, server.discord.channel(server.discord.guild("Other"), "pug")
        async with server.bot():
            server.channel = second
            await server.type("lobby", manages=True, name="two", form="2v2")
            for channel in (first, second):
                server.channel = channel
                await server.play()
                await server.type("report", result="won")
                await server.press("Confirm", FOUR[1:])
                await server.until_said(" won\n")
            messages = [each for of in server.discord.messages.values() for each in of.values()]
            assert sum("<@1000>" in each["content"] for each in messages) == 2
            typed = await server.discord.type(second, "1000", "P1000", "forget")
            await typed.done.wait()
            button = typed.texts[-1]["components"][0]["components"][0]["custom_id"]
            await (await server.discord.press(second, "1000", "P1000", button)).done.wait()

            def gone() -> bool:
                now = repr([each for of in server.discord.messages.values() for each in of.values()])
                return "1000" not in now and "<@1001>" in now

            await server.discord.until(gone)

    against(test, tmp_path, ladder=ladder)


def test_a_game_that_is_called_off_mentions_nobody(tmp_path: Path) -> None:
    """Its message has no names any more, and no mentions that would outlast them."""

    async def test(server: Server) -> None:
        async with server.bot():
            await server.press("I'm in")
            await server.press("I can't", FOUR[:1])
            await server.until_said("called off")
            messages = server.discord.messages[server.channel].values()
            assert not any("<@" in each["content"] for each in messages)

    against(test, tmp_path)


def test_a_channel_that_is_made_later_has_lobbies_too(tmp_path: Path) -> None:
    """A lobby that is opened in a channel of today shows there at once."""

    async def test(server: Server) -> None:
        async with server.bot():
            later = server.channel = server.discord.channel(server.guild, "new")
            assert "open here" in await server.type("lobby", manages=True, name="two", form="2v2")
            await server.discord.until(lambda: server.discord.messages[later])

    against(test, tmp_path, "")


def test_it_ends_while_it_waits_for_a_connection(tmp_path: Path) -> None:
    """Where the gateway takes no connection, stopping ends it at once."""

    async def test(server: Server) -> None:
        server.discord.gateway_url = server.discord.gateway_url.replace("/gateway", "/nowhere")
        bot = DiscordBot(
            lambda: Ladders(f"sqlite:///{tmp_path}/a.db", [], []),
            DiscordSettings(server.discord.token, server.discord.url),
        )
        running = asyncio.ensure_future(bot.run())
        await server.discord.until(lambda: server.discord.requests["GET gateway"])
        bot.stop()
        await running
        if bot._bot.rest.is_alive:
            await bot._bot.rest.close()

    against(test, tmp_path)


def test_missing_rights_are_named(tmp_path: Path) -> None:
    """Where the bot may not write, it names the missing rights and opens no lobby; given, all is well."""

    async def test(server: Server) -> None:
        server.discord.rights[server.channel] = ALL & ~RIGHTS["send"] & ~RIGHTS["embed"]
        server.lobby, lobby = "", server.lobby
        async with server.bot():
            text = await server.type("lobby", manages=True, name="two", form="2v2")
            assert "Send Messages, Embed Links" in text
            assert not server.discord.messages[server.channel]
            name = lobby.partition("=")[0]
            assert "no lobby in this channel" in await server.type("in", lobby=name)
            server.discord.rights.clear()
            assert "open here" in await server.type("lobby", manages=True, name="two", form="2v2")
            assert "Send" not in await server.type("in", lobby=name)
            await server.until_said("1 of 4")

    against(test, tmp_path)


def test_a_search_that_takes_long_is_answered_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Discord is told in time that an answer follows, and it does."""
    from equipoise.service.chat import discord as module
    from equipoise.service.chat.discord_rooms import DiscordRooms

    monkeypatch.setattr(module, "DEFER", 0.01)
    usual = DiscordRooms.press

    async def test(server: Server) -> None:
        async with server.bot():
            going = asyncio.Event()
            loop = asyncio.get_running_loop()

            def slow(self: DiscordRooms, *arguments: Any) -> Any:
                asyncio.run_coroutine_threadsafe(going.wait(), loop).result(30)
                return usual(self, *arguments)

            monkeypatch.setattr(DiscordRooms, "press", slow)
            typed = await server.discord.type(server.channel, FOUR[0], "P", "in")
            pressed = await server.discord.type(server.channel, FOUR[0], "P", "status")
            await server.discord.until(lambda: typed.deferred and pressed.deferred)
            assert typed.text == ""
            going.set()
            await typed.done.wait()
            await pressed.done.wait()
            assert "1 of 4" in typed.text
            assert "1 of 4" in pressed.text

    against(test, tmp_path)


def test_a_fault_is_answered_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever presses a button that meets a fault of the bot's is told, and the next one is served."""
    from equipoise.service.chat.discord_rooms import DiscordRooms

    async def test(server: Server) -> None:
        async with server.bot():
            with monkeypatch.context() as patch:
                patch.setattr(DiscordRooms, "press", lambda *_: {}["nothing"])
                assert "went wrong" in await server.type("in")
            assert "1 of 4" in await server.type("in")

    against(test, tmp_path)


def test_ended_and_begun_again_it_goes_on(tmp_path: Path) -> None:
    """Between any two steps the bot ends and another begins: no message twice, nobody asked twice."""

    async def test(server: Server) -> None:
        for label, who in (("I'm in", FOUR), ("Ready", FOUR), ("Play", FOUR[:3]), ("We won", FOUR[:1])):
            async with server.bot():
                await server.press(label, who)
            server.discord.forget_sessions()
        async with server.bot():
            await server.press("Confirm", FOUR[1:])
            await server.until_said(" won\n")
        assert len(server.discord.messages[server.channel]) == 2
        assert len(server.discord.pings) == 4

    against(test, tmp_path)


@pytest.mark.parametrize("when", ["before", "after"])
def test_killed_at_any_request_it_goes_on(tmp_path: Path, when: str) -> None:
    """One process after the other ends before or after one more request: all is whole, and stands once."""

    async def test(server: Server) -> None:
        discord, url = server.discord, f"sqlite:///{tmp_path}/a.db"
        lobbies = [lobby_of(server.lobby, 600.0)]

        async def live(requests: int) -> None:
            """Run a process that ends for good with so many requests."""
            left, gone = requests, asyncio.Event()
            bot = DiscordBot(
                lambda: Ladders(url, lobbies, [server.channel]),
                DiscordSettings(discord.token, discord.url),
            )
            usual = bot._on

            async def on(function: Any) -> Any:
                if gone.is_set() and asyncio.current_task() is not running:
                    raise asyncio.CancelledError
                return await usual(function)

            def count(_: str) -> None:
                nonlocal left
                left -= 1
                if left == 0:
                    gone.set()
                    running.cancel()
                if left <= 0:
                    raise ConnectionError

            bot._on = on  # type: ignore[method-assign,assignment]
            setattr(discord, when, count)
            running = asyncio.ensure_future(bot.run())
            pressing = asyncio.ensure_future(press_on())
            await gone.wait()
            discord.forget_sessions(patient=False)
            with suppress(asyncio.CancelledError):
                await running
            with suppress(RuntimeError):  # it may be closed already
                await bot._bot.rest.close()
            pressing.cancel()

        async def press_on() -> None:
            """Let everybody press what comes next, again and again."""
            while True:
                await discord.until(discord.connected)
                labels = [each[1] for each in discord.buttons(server.channel)]
                label = next(
                    (each for each in ("Confirm", "We won", "Play", "Ready") if each in labels), "I'm in"
                )
                if label in labels:
                    await server.press(label, FOUR[:1] if label == "We won" else FOUR)
                else:
                    await asyncio.sleep(0)

        for requests in range(5 + (when == "after"), 41, 2):
            await live(requests)
        setattr(discord, when, lambda _: None)
        async with server.bot():
            await server.type("status")
        with open_archive(url, create=False) as archive:
            evening = KeptEvening(archive).evening
            counted = [each.id for each in evening.over.values() if each.counted]
            assert sorted(counted) == sorted(match.id for match in archive.matches())
        assert counted
        shown = [each["embeds"][0].get("footer", {}).get("text") for each in
                 discord.messages[server.channel].values()]  # fmt: skip
        assert all(shown.count(each) == 1 for each in counted)
        pings = [(message, user) for _, message, user in discord.pings]
        assert len(pings) == len(set(pings))

    against(test, tmp_path)


def test_a_message_sent_just_before_an_end_is_not_sent_again(tmp_path: Path) -> None:
    """Killed between the sending of a message and the note of it, the next process finds the same message."""
    from equipoise.service.chat.discord_rooms import DiscordRooms

    async def test(server: Server) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(DiscordRooms, "note_sent", lambda *_: None)
            async with server.bot():
                pass
        server.discord.forget_sessions()
        async with server.bot():
            await server.press("I'm in", FOUR[:1])
            await server.until_said("1 of 4")
        assert len(server.discord.messages[server.channel]) == 1

    against(test, tmp_path)


def test_two_processes_with_one_token_say_so(tmp_path: Path) -> None:
    """A second one on the machine does not begin; one elsewhere ends with the reason; the game is whole."""
    with alone("token"), pytest.raises(InputError, match="another process"), alone("token"):
        pass

    async def test(server: Server) -> None:
        async with server.bot(ended=False) as one:
            again = Server(server.discord, tmp_path, "")
            again.channel = server.channel
            async with again.bot(ended=False) as other:
                for label in (
                    "I'm in",
                    "Out",
                    "I'm in",
                    "Out",
                    "I'm in",
                ):  # one of the two is late five times
                    await server.press(label, FOUR[:1])
                await server.discord.until(lambda: one._stopping.is_set() or other._stopping.is_set())
                await server.until_said("1 of 4")

    against(test, tmp_path)


def test_a_wrong_token_is_named(tmp_path: Path) -> None:
    """A token that Discord does not know ends with a sentence, at the REST API and at the gateway."""

    async def at_gateway(server: Server) -> None:
        server.discord.bad_token = True
        with pytest.raises(InputError, match="token is not valid"):
            async with server.bot():
                pass

    async def at_rest(server: Server) -> None:
        async with Discord() as other:
            server.discord.url = other.url
            with pytest.raises(InputError, match="token is not valid"):
                async with server.bot():
                    pass

    against(at_gateway, tmp_path)
    against(at_rest, tmp_path)


def test_people_are_moved_to_their_teams_and_back(tmp_path: Path) -> None:
    """Who is in voice goes to the team's channel and back to where they were; others stay; the rooms go."""

    async def test(server: Server) -> None:
        discord = server.discord
        lounge, afk = (discord.channel(server.guild, name, VOICE) for name in ("lounge", "afk"))
        for who, where in zip(FOUR, (lounge, lounge, afk), strict=False):
            await discord.connect_voice(server.guild, who, where)
        await discord.connect_voice(server.guild, "7", lounge)
        async with server.bot():
            await server.play()
            await discord.until(
                lambda: not {lounge, afk} & {discord.voice[server.guild][who] for who in FOUR[:3]}
            )
            assert discord.voice[server.guild]["7"] == lounge
            await discord.connect_voice(server.guild, FOUR[3], lounge)  # who comes later is brought too, once
            room = await discord.until(
                lambda: (
                    discord.voice[server.guild][FOUR[3]] != lounge and discord.voice[server.guild][FOUR[3]]
                )
            )
            await discord.connect_voice(server.guild, FOUR[3], afk)
            await discord.connect_voice(server.guild, "8", lounge)
            await server.type("status")
            assert discord.voice[server.guild][FOUR[3]] == afk != room
        discord.forget_sessions()
        async with server.bot():  # killed meanwhile, they come back all the same
            await server.type("report", result="won")
            await server.press("Confirm", FOUR[1:])
            await discord.until(lambda: len(discord.channels) == 3)
            voice = discord.voice[server.guild]
            assert [voice[who] for who in FOUR[:3]] == [lounge, lounge, afk]

    against(test, tmp_path, teams_in="voice")


def test_teams_talk_in_threads(tmp_path: Path) -> None:
    """Each team has a private thread with its players, which is archived after the game."""

    async def test(server: Server) -> None:
        discord = server.discord
        async with server.bot():
            await server.play()
            threads = await discord.until(
                lambda: [each for each in discord.channels.values() if len(each.get("in it", [])) == 2] * 1
            )
            await discord.until(
                lambda: sum(len(each.get("in it", [])) for each in discord.channels.values()) == 4
            )
            threads = [each for each in discord.channels.values() if "in it" in each]
            assert sorted(who for each in threads for who in each["in it"]) == FOUR
            typed = await discord.type(threads[0]["id"], FOUR[0], "P", "report", result="won")
            await typed.done.wait()
            assert "reports" in typed.text  # typed in the thread, it is of the channel
            await server.press("Confirm", FOUR[1:])
            await discord.until(lambda: all(each.get("archived") for each in threads))

    against(test, tmp_path, teams_in="threads")


def test_moving_without_the_right_to_is_no_harm(tmp_path: Path) -> None:
    """Without Manage Channels and Move Members the game goes on where everybody is."""

    async def test(server: Server) -> None:
        server.discord.rights[server.guild] = ALL & ~RIGHTS["channels"]
        async with server.bot():
            await server.play()
            await server.press("We won", FOUR[:1])
            await server.press("Confirm", FOUR[1:])
            await server.until_said(" won\n")

    against(test, tmp_path, teams_in="voice")


@pytest.mark.parametrize("ladder", ["shared", "server"])
def test_two_servers_share_a_ladder_or_have_their_own(tmp_path: Path, ladder: str) -> None:
    """What is played in one server shows in the other where they share; its buttons do nothing there."""

    async def test(server: Server) -> None:
        second = server.discord.channel(server.discord.guild("Other"), "pug")
        async with server.bot():
            await server.play()
            ids = [each[2] for each in server.discord.buttons(server.channel)]
            await server.type("report", result="won")
            await server.press("Confirm", FOUR[1:])
            await server.until_said(" won\n")
            assert "**4**" in await server.type("leaderboard")
            server.channel = second
            assert ("**4**" in await server.type("leaderboard")) == (ladder == "shared")
            assert "open here" in await server.type("lobby", manages=True, name="two", form="2v2")
            for custom_id in ids:
                pressed = await server.discord.press(second, FOUR[0], "P", custom_id, manages=True)
                await pressed.done.wait()
                if pressed.modal is not None:  # the window of a score; what is sent with it is refused
                    pressed = await server.discord.submit(second, FOUR[0], "P", custom_id, "3 1")
                    await pressed.done.wait()
                assert "not of this channel" in pressed.text
            assert len(server.discord.messages[second]) == 1

    against(test, tmp_path, ladder=ladder)


def test_completion_answers_while_somebody_types(tmp_path: Path) -> None:
    """The lobbies of the channel are offered."""

    async def test(server: Server) -> None:
        async with server.bot():
            asked = await server.discord.complete(server.channel, FOUR[0], "in", "lobby", "t")
            await asked.done.wait()
            assert asked.choices == [{"name": "two", "name_localizations": {}, "value": "two"}] or [
                each["value"] for each in asked.choices
            ] == ["two"]

    against(test, tmp_path)


def test_a_window_asks_for_the_score(tmp_path: Path) -> None:
    """The button Score opens a window, and what is written there is the report."""

    async def test(server: Server) -> None:
        async with server.bot():
            await server.play()
            (asked,) = await server.press("Score", FOUR[:1])
            assert asked.modal is not None
            sent = await server.discord.submit(server.channel, FOUR[0], "P", asked.modal["custom_id"], "3 1")
            await sent.done.wait()
            await server.until_said("reports")

    against(test, tmp_path)
