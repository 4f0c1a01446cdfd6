"""Ratings of the archive in a queue: in the unit of its policy, beside weights that were given."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.service.http.asking import PATIENCE, ask
from tests.service.process import TOKEN, Served

from equipoise.archive.archive import open_archive
from equipoise.core.match import Contest, Match, Ruleset

CTF = Ruleset("oa", "ctf")

QUEUES = """
[queue.any]
team_size = 1
tick = 0.1
game_type = "oa/ctf"
accept_within = 600
tolerance = 1e6
imbalance = 0.49
most_imbalance = 0.49
penalties = [0]

[queue.even]
team_size = 1
tick = 0.1
game_type = "oa/ctf"
accept_within = 600
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, list[float]]]:
    """Return a server where Strong has beaten Weak nine times of ten, and the chances of these two."""
    folder: Path = tmp_path_factory.mktemp("rated")
    with open_archive(f"sqlite:///{folder / 'games.db'}") as archive:
        for n in range(30):
            contest = Contest(CTF, (("strong",), ("weak",)), (1, 2) if n % 10 else (2, 1))
            archive.record([Match((contest,), ended=1.0 + n, id=f"m{n}")])
        archive.update_ratings()
        standing = archive.standing()
    chances = standing.model.win_probability(standing.state, [["strong"], ["weak"]], CTF)
    (folder / "serve.toml").write_text(QUEUES)
    server = Served(
        folder / "games.db",
        "--http",
        "127.0.0.1:0",
        "--config",
        str(folder / "serve.toml"),
        "--http-rate",
        "1e6",
    )
    yield server, chances
    code, _ = server.end()
    assert code == 0


def entered(served: Served, queue: str, name: str, ticket: str = "", **more: Any) -> None:
    """Let somebody in over HTTP."""
    body = {"id": ticket or name, "players": [{"id": name, **more}]}
    assert (
        ask(f"{served.http}/v1/queues/{queue}/tickets", body, Authorization=f"Bearer {TOKEN}").status == 201
    )


def place(served: Served, queue: str, name: str) -> Any:
    """Return where a ticket is."""
    url = f"{served.http}/v1/queues/{queue}/tickets/{name}"
    return ask(url, None, Authorization=f"Bearer {TOKEN}").plain


def match_of(served: Served, queue: str, name: str) -> Any:
    """Return the match of a ticket, once there is one."""
    until = time.monotonic() + PATIENCE
    while (found := place(served, queue, name).get("match")) is None:
        assert time.monotonic() < until
    return found


@pytest.mark.parametrize("door", ["http", "tcp"])
def test_chances_of_a_proposal_are_those_of_the_rating_model(
    served: tuple[Served, list[float]], door: str
) -> None:
    """By whichever door two known people come, a queue gives them the chances that the archive gives them."""
    server, known = served
    for name in ("strong", "weak"):
        if door == "http":
            entered(server, "any", name, f"{door}-{name}")
        else:
            said = server.ask(f"AUTH {TOKEN}\nQUEUE any\nENTER {door}-{name}\tPLAYER {name}\n")
            assert said.endswith(f"ENTER {door}-{name} waiting 0\n")
    found = match_of(server, "any", f"{door}-strong")
    strong_first = found["players"][0] == ["strong"]
    assert found["chances"] == pytest.approx(known if strong_first else known[::-1], abs=1e-6)
    assert known[0] > 0.75
    said = server.ask("GAME oa/ctf\nWINPROB\t0 PLAYER strong\t1 PLAYER weak\n")
    assert said.split() == ["WINPROB", *(f"{chance:.4f}" for chance in known)]
    for name in ("strong", "weak"):
        url = f"{server.http}/v1/queues/any/tickets/{door}-{name}"
        assert ask(url, None, "DELETE", Authorization=f"Bearer {TOKEN}").status == 200


def test_people_with_a_weight_and_without_meet(served: tuple[Served, list[float]]) -> None:
    """A weight in the middle and a stranger to the archive are alike; the strong and the weak are not."""
    server, _ = served
    for name in ("strong", "weak"):
        entered(server, "even", name)
    entered(server, "even", "given", weight=1500.0)
    entered(server, "even", "stranger")
    found = match_of(server, "even", "given")
    assert sorted(found["players"]) == [["given"], ["stranger"]]
    assert found["chances"] == pytest.approx([0.5, 0.5])
    assert place(server, "even", "strong")["place"] == place(server, "even", "weak")["place"] == "waiting"
