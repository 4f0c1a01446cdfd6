"""``--json`` prints one JSON document and nothing else: the bytes of real processes, for every command."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import pytest
from tests.cli.running import run_process, runner

from equipoise.archive.archive import open_archive
from equipoise.cli import group
from equipoise.core.player import Player
from equipoise.queueing import QueuePolicy, QueueTicket
from equipoise.queueing.life import EnterTicket
from equipoise.service.queue_owner import QueueOwner
from equipoise.service.table_settings import QueueSettings

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("one archive")]

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
LOG = next((ROOT / "tests" / "games" / "data").glob("tdm_oa_dm5_4v4*.log.gz"))

#: What each command is asked, as a process of its own; a line before it is done first, in this one;
#: ``{four}`` makes four people play.
QUESTIONS: Mapping[str, str] = {
    "balance": "balance {examples}/roster.txt",
    "explain": "explain {examples}/roster.txt",
    "balance --front": "balance {examples}/roster.txt --front difference,win",
    "late": "late {examples}/running.csv",
    "lobbies": "lobbies {examples}/players.csv {examples}/lobbies.csv",
    "verify": "balance {examples}/roster.txt --receipt {folder}/receipt.json\nverify {folder}/receipt.json",
    "rate": "rate {examples}/matches.jsonl",
    "predict": "predict {examples}/matches.jsonl --team ann --team bob",
    "evaluate": "evaluate {examples}/matches.jsonl",
    "tune": "tune {examples}/matches.jsonl --steps 2",
    "ingest": "ingest {log} --store {new}",
    "import-results": "import-results {folder}/results.csv --store {results}",
    "queue check": "queue check {examples}/queue.json",
    "queue simulate": "queue simulate {examples}/queue.json --minutes 1 --rate 1",
    "players": "players --store {archive}",
    "players NAME": "players {player} --store {archive}",
    "players --doubles": "players --doubles --store {archive}",
    "players --doubtful": "players --doubtful --store {archive}",
    "ingest --follow": "ingest --follow {log} --once --store {watched}",
    "evaluate --what-if": "evaluate --what-if --store {archive}",
    "undo": "undo {match} --store {archive}",
    "merge": "merge {player} {other} --store {archive}",
    "forget": "forget Dee --store {archive}",
    "archive rebuild": "archive rebuild --store {archive}",
    "archive digest": "archive digest --store {archive}",
    "archive export": "archive export {folder}/games.parquet --store {archive}",
    "archive import": "archive export {folder}/more.parquet --store {archive}\n"
    "archive import {folder}/more.parquet --store {imported}",
    "tokens list": "tokens make --file {folder}/tokens --name Eve --scope read\n"
    "tokens list --file {folder}/tokens",
    "doctor": "doctor --store {archive}",
    "night teams": "night teams Ann Bob Cid Dee --store {night}",
    "night again": "{four}night again --store {night}",
    "night late": "{four}night late Eve --new Eve --store {night}",
    "night leave": "{four}night leave Dee --store {night}",
    "night sub": "{four}night sub Fay for Dee --new Fay --store {night}",
    "night result": "{four}night result red --store {night}",
    "night won": "{four}night won red --store {night}",
    "night draw": "{four}night draw --store {night}",
    "night score": "{four}night score 3 1 --store {night}",
    "night undo": "{four}night undo --store {night}",
    "night table": "{four}night table --store {night}",
    "night plan": "{four}night plan --rounds 2 --store {night}",
    "night captains": "{four}night captains Ann Bob --store {night}",
    "night pick": "{four}night captains Ann Bob --store {night}\nnight pick Cid --store {night}",
    "night maps": "{four}night maps dock,keep,mill --store {night}",
    "night veto": "{four}night maps dock,keep,mill --veto --store {night}\nnight veto dock --store {night}",
    "night vote": "{four}night vote Ann yes --store {night}",
    "night swap": "{four}night swap Ann Cid --store {night}",
    "night lock": "{four}night lock Ann --store {night}",
    "night roles": "{four}night roles none --store {night}",
    "night maybe": "{four}night maybe Dee --store {night}",
    "night links": "night links --store {night}",
    "queue empty": "queue empty --queue duel --store {queue}",
    "games list": "games list",
    "games try": "games try {examples}/games/kag.toml {examples}/games/kag.log",
}

#: What serves until it is ended.
SERVING = {"night web"}


def commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Return the names of all commands with ``--json``."""
    context = click.Context(command)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from commands(found, (*path, name))
    elif any("--json" in option.opts for option in command.params):
        yield " ".join(path)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what the questions name: an archive with games, and names of files that are made."""
    folder = tmp_path_factory.mktemp("json")
    rows = "".join(f"2026-01-{day:02},Ann;Bob,Cid;Dee,{1 + day % 2}\n" for day in range(1, 9))
    (folder / "results.csv").write_text("date,team 1,team 2,winner\n" + rows)
    names = {
        name: f"sqlite:///{folder}/{name}.db" for name in ("archive", "new", "results", "imported", "watched")
    }
    done = run_process("import-results", f"{folder}/results.csv", "--store", names["archive"])
    assert done.returncode == 0, done.stderr
    queue = f"sqlite:///{folder}/queue.db"
    with open_archive(queue) as archive:
        entering = EnterTicket(QueueTicket("t1", [Player("Ann", 1500)], 0.0))
        QueueOwner(archive, QueueSettings("duel", QueuePolicy(team_size=2))).ask([entering])
    history = run_process("players", "Ann", "--store", names["archive"], "--json").stdout
    return {
        "examples": str(EXAMPLES), "folder": str(folder), "log": str(LOG), **names, "queue": queue,
        "player": "Ann", "other": "Bob", "match": json.loads(history)["games"][0]["match"],
    }  # fmt: skip


def test_every_command_with_json_has_a_question() -> None:
    """A new command is asked too."""
    assert {re.sub(" (--.*|NAME)", "", name) for name in QUESTIONS} == set(commands(group)) - SERVING


@pytest.mark.parametrize("name", QUESTIONS)
def test_json_is_one_document_and_nothing_else(name: str, files: dict[str, str]) -> None:
    """Nothing that a library prints reaches standard output."""
    night = f"sqlite:///{files['folder']}/{name.replace(' ', '-')}.db"
    four = f"night Ann Bob Cid Dee --store {night}\n"
    *before, question = QUESTIONS[name].format(**files, night=night, four=four).split("\n")
    for line in before:
        assert runner().invoke(group, line.split()).exit_code == 0, line
    done = run_process(*question.split(), "--json", EQUIPOISE_STORE="")
    assert done.stdout.endswith("\n"), (done.stdout, done.stderr)
    json.loads(done.stdout)
    assert done.returncode in (0, 1)
