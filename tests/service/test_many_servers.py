"""Servers of one PostgreSQL: each sees what another keeps, and one that is killed leaves nothing undone."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from benchmarks.ports import free_port
from tests.archive.conftest import new_schema
from tests.servers import _unprivileged, postgresql_server
from tests.service.process import TOKEN, Served

from equipoise.archive.archive import open_archive
from equipoise.errors import InputError

pytestmark = pytest.mark.slow

QUEUE = "[serve]\n[queue.duel]\nteam_size = 1\ntolerance = 1e6\nimbalance = 0.49\nmost_imbalance = 0.49\n"

UNAVAILABLE = "ERR unavailable the archive cannot be used just now; ask again\n"


@pytest.fixture
def servers(server: str, tmp_path: Path) -> Iterator[list[Served]]:
    """Return two servers of one new archive."""
    settings = tmp_path / "serve.toml"
    settings.write_text(QUEUE)
    url = new_schema(server)
    flags = (
        "--config",
        str(settings),
        "--http",
        "127.0.0.1:0",
        "--create",
        "--workers",
        "1",
        "--http-rate",
        "1e6",
    )
    found = [Served(url, *flags) for _ in range(2)]
    yield found
    for each in found:
        each.process.kill()
        each.process.communicate()


def ask(served: Served, path: str, body: object = None) -> Any:
    """Ask over HTTP; return what is answered."""
    headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    connection = HTTPConnection(served.http.removeprefix("http://"))
    method = "GET" if body is None else "POST"
    connection.request(method, f"/v1/queues/duel{path}", body and json.dumps(body), headers)
    answer = connection.getresponse()
    assert answer.status < 300, answer.read()
    found = json.load(answer)
    connection.close()
    return found


def enter(served: Served, name: str) -> Any:
    """Let somebody into the queue."""
    return ask(served, "/tickets", {"id": name, "players": [{"id": name, "weight": 1500}]})


def test_each_server_sees_results_tickets_and_matches_of_the_other(servers: list[Served]) -> None:
    """One learns and one looks for matches, whichever that is; what is acknowledged outlives who said so."""
    one, other = servers
    card = "GAME oa/ctf\nPLAYER zoe\n"
    for name, at, seen in (("first", one, other), ("second", other, one)):
        before = seen.ask(card)
        while (answer := at.result(name)) == UNAVAILABLE:
            pass  # a busy machine takes longer than a server waits: it is sent again, and counts once
        assert answer.startswith("RESULT ")
        while seen.ask(card) == before:
            assert seen.process.poll() is None
    assert enter(one, "ann")["place"] == "waiting"
    assert enter(other, "bob")["place"] == "waiting"
    while ask(one, "/tickets/ann")["place"] != "proposed":
        assert one.process.poll() is None
    while ask(other, "/tickets/bob")["place"] != "proposed":
        assert other.process.poll() is None
    match = ask(other, "/tickets/bob")["match"]["match"]
    one.end(signal.SIGKILL)
    for name in ("ann", "bob"):
        state = ask(other, f"/tickets/{name}/accept", {"match": match})
    assert state["place"] == "playing"
    assert enter(other, "eve")["place"] == "waiting"


def test_a_pooler_in_transaction_mode_is_refused_with_a_sentence(tmp_path: Path) -> None:
    """Its locks would be those of whoever comes next; in session mode it is as good as none."""
    program = shutil.which("pgbouncer") or shutil.which("/usr/sbin/pgbouncer")
    if program is None:
        pytest.skip("pgbouncer is not installed: scripts/install-test-servers installs it")
    with postgresql_server() as server:
        address = server.url.partition("@")[2].partition("/")[0]
        port = address.partition(":")[2]
        with open_archive(server.url, waiting=str) as archive:
            archive.check_unpooled()
        for mode in ("transaction", "session"):
            own = free_port()
            settings = server.data.parent / f"{mode}.ini"
            settings.write_text(
                f"[databases]\npostgres = host=127.0.0.1 port={port} user=tester\n[pgbouncer]\n"
                f"listen_addr = 127.0.0.1\nlisten_port = {own}\nauth_type = any\npool_mode = {mode}\n"
                f"unix_socket_dir =\n"
            )
            os.chmod(settings, 0o644)
            pooler = subprocess.Popen([program, "-q", settings], stderr=subprocess.DEVNULL, **_unprivileged())
            try:
                url = f"postgresql://tester@127.0.0.1:{own}/postgres"
                while True:
                    try:
                        with socket.create_connection(("127.0.0.1", own)):
                            break
                    except OSError:
                        assert pooler.poll() is None
                with open_archive(url, waiting=str) as archive:
                    if mode == "session":
                        archive.check_unpooled()
                        continue
                    with pytest.raises(InputError, match="a pooler in transaction mode"):
                        archive.check_unpooled()
            finally:
                pooler.kill()
                pooler.wait()
