"""The guide to a bot on Discord, followed to the letter: from an empty folder to teams."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from importlib.metadata import metadata
from pathlib import Path

import pytest

pytest.importorskip("hikari")

from benchmarks.play.discord_server import Discord

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "discord.md"


@pytest.mark.slow
def test_the_guide_leads_from_an_empty_folder_to_teams(tmp_path: Path) -> None:
    """Its commands, five at most, and what it says to type give two teams of five, even and proven."""
    page = PAGE.read_text(encoding="utf-8")
    commands = re.findall(r"^\$ (.+)$", page, re.MULTILINE)
    assert 1 < len(commands) <= 5
    install, *others, run = commands
    (extra,) = re.findall(r"pip install 'equipoise\[(\w+)\]'", install)
    assert extra in metadata("equipoise").get_all("Provides-Extra", [])
    typed = re.search(r"`/lobby ([^`]+)`", page)
    assert typed is not None
    options = dict(each.split(":") for each in typed[1].split())

    async def follow() -> None:
        async with Discord() as discord:
            paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
            environment = {**os.environ, "PATH": paths, "XDG_DATA_HOME": str(tmp_path / "data"),
                           "EQUIPOISE_DISCORD_API": discord.url}  # fmt: skip
            environment.pop("EQUIPOISE_DISCORD_TOKEN", None)
            channel = discord.channel(discord.guild(), "games")
            for command in others:
                subprocess.run(["sh", "-c", command], cwd=tmp_path, env=environment, check=True,
                               input=f"{discord.token}\n".encode())  # fmt: skip
            bot = await asyncio.create_subprocess_exec(
                *run.split(), cwd=tmp_path, env=environment, stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )  # fmt: skip
            try:
                assert bot.stdout is not None
                said = b""
                while b"oauth2/authorize?client_id=100" not in said:  # the address that invites it
                    line = await asyncio.wait_for(bot.stdout.readline(), 120)
                    assert line, said.decode()
                    said += line
                opened = await discord.type(channel, "1", "Owner", "lobby", manages=True, **options)
                await opened.done.wait()
                assert "open here" in opened.text
                for label in ("I'm in", "Ready"):
                    for n in range(10):
                        shown = await discord.until(
                            lambda label=label: [b for b in discord.buttons(channel) if b[1] == label]
                        )
                        message, _, custom_id = shown[0]
                        pressed = await discord.press(channel, str(1000 + n), f"P{n}", custom_id, message)
                        await pressed.done.wait()
                (made,) = await discord.until(lambda: [
                    each["embeds"][0] for each in discord.messages[channel].values()
                    if "teams?" in each["embeds"][0]["title"]
                ])  # fmt: skip
                assert [len(field["value"].split("\n")) for field in made["fields"]] == [5, 5]
                assert "Even: 50 : 50" in made["description"]
                assert "Proven" in made["description"]
            finally:
                bot.terminate()
                ended = await bot.wait()
            assert ended == 0

    asyncio.run(follow())
