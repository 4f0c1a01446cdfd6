"""The parts in examples/parts/: each is one file, keeps the laws of its kind, and works by its name."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from examples.parts.game import GAME
from examples.parts.listener import WeightsByDatagram
from examples.parts.model import WinShare
from examples.parts.objective import mean_difference
from examples.parts.solver import SOLVER
from examples.parts.store import Passing
from tests.cli.running import run

from equipoise.archive.archive import Archive
from equipoise.archive.laws import check_archive
from equipoise.core.registry import OBJECTIVES, resolve
from equipoise.games.laws import check_game
from equipoise.ratings.laws import check_model
from equipoise.ratings.models.elo import Elo
from equipoise.service.questions import Answers
from equipoise.service.snapshot import Ratings, Snapshot
from equipoise.teams.laws import check_objective, check_solver, random_problem, random_units

LOG = (
    b"2026-01-10T20:05Z ann beat bob\n2026-01-10T20:25Z cid drew ann\nthe club was closed\n"
    b"2026-01-11T20:25Z bob beat cid\n"
)


def test_the_game_keeps_the_laws_of_games() -> None:
    """However the log is cut or damaged."""
    check_game(GAME, LOG, np.random.default_rng(0))


@pytest.mark.parametrize("seed", range(3))
def test_the_model_keeps_the_laws_of_models(seed: int) -> None:
    """On random contests."""
    check_model(WinShare(), np.random.default_rng(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_the_objective_keeps_the_laws_of_objectives(seed: int) -> None:
    """On random problems."""
    check_objective(mean_difference, np.random.default_rng(seed))


@pytest.mark.parametrize("seed", range(3))
def test_the_solver_keeps_the_laws_of_solvers(seed: int) -> None:
    """On random problems: what it finds is legal, and it claims no more than it knows."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, most_blocks=8)
    goal = resolve("objective", OBJECTIVES, "win")(random_units(rng, problem))
    check_solver(SOLVER, goal, problem, exact=SOLVER.exact)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (
            ("balance", "examples/roster.txt", "--objective", "examples.parts.objective:mean_difference"),
            "Proven",
        ),
        (("balance", "examples/roster.txt", "--solver", "examples.parts.solver:SOLVER"), "roven best"),
        (("evaluate", "examples/matches.jsonl", "--models", "examples.parts.model:WinShare"), "log-loss"),
    ],
)
def test_a_part_works_by_its_name(args: tuple[str, ...], words: str) -> None:
    """``module:attribute`` on the command line is all that a custom part needs."""
    done = run(*(arg.format("examples.parts") for arg in args))
    assert done.returncode == 0, done.stderr
    assert words in done.stdout


#: Parts that fail: while they are imported, called, or used.
BROKEN = """
class Lost:
    name = "lost"
    def recognise(self, head): return ""
    def rules(self): return ()
    def reader(self, source, first_line=1): return None if "nothing" in source else 1 / 0

class Unruly:
    initial = update = run = win_probability = rating = players = lambda *_: {}["where"]

GAME, solve = Lost(), lambda task: 1 / 0
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("ingest", "log", "--game", "broken:GAME"), "'broken:GAME' fails with ZeroDivisionError"),
        (("ingest", "nothing", "--game", "broken:GAME"), "'broken:GAME' fails with AttributeError"),
        (("rate", "games.jsonl", "--model", "broken:Unruly"), "'broken:Unruly' fails with KeyError: 'where'"),
        (("balance", "names", "--solver", "broken:solve"), "'broken:solve' fails with ZeroDivisionError"),
        (("balance", "names", "--objective", "unfinished:fair"), "'unfinished:fair' fails with SyntaxError"),
    ],
)
def test_a_part_that_fails_is_named(args: tuple[str, ...], words: str, tmp_path: Path) -> None:
    """In one line, whatever kind of part it is and however it fails; no traceback reaches a user."""
    game = '{"ended": 5, "game": "g", "teams": [["ann"], ["bob"]], "ranks": [1, 2]}\n'
    files = {"broken.py": BROKEN, "unfinished.py": "def", "games.jsonl": game, "names": "Ann\nBob\n"}
    for name, content in {**files, "log": "x\n", "nothing": "x\n"}.items():
        (tmp_path / name).write_text(content)
    code = "import sys; sys.path.insert(0, ''); from equipoise.cli import main; main()"
    environment = {**os.environ, "EQUIPOISE_STORE": "sqlite:///archive.db"}
    done = subprocess.run(
        [sys.executable, "-c", code, *args],
        cwd=tmp_path, env=environment, capture_output=True, check=False, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert words in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_the_store_keeps_the_laws_of_archives_and_leaves_nothing() -> None:
    """On random histories; its folder is gone when it is closed."""
    made: list[Passing] = []

    def make() -> Archive:
        made.append(Passing())
        return Archive(made[-1], None)

    check_archive(make, np.random.default_rng(0))
    assert made
    assert not any(Path(store.where).parent.exists() for store in made)


def test_the_listener_answers_from_a_snapshot() -> None:
    """Over a real socket: a known player, an unknown one, bytes that are no text."""
    answers = Answers(Snapshot(Ratings(Elo(), {"ann": (1700.0,), "bob": (1500.0,)})))

    async def ask() -> list[bytes]:
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_datagram_endpoint(
            lambda: WeightsByDatagram(answers), local_addr=("127.0.0.1", 0)
        )
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.setblocking(False)
            client.connect(transport.get_extra_info("sockname"))
            heard = []
            for question in (b"bob\n", b"eve", b"\xff\xfe"):
                await loop.sock_sendall(client, question)
                heard.append(await asyncio.wait_for(loop.sock_recv(client, 1000), 30))
        transport.close()
        await asyncio.sleep(0)
        return heard

    bob, eve, noise = asyncio.run(ask())
    assert bob == b"bob 50.0000\n"
    assert eve == b"eve -\n"
    assert noise.endswith(b" -\n")
