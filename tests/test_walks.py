"""Two walks through the house: which modules a request over HTTP and the line of a log pass.

The walk of a roster's line is in ``tests/cli/test_way.py``.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from types import FrameType

import pytest
from tests.cli.running import runner

from equipoise.cli import group

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
LOG = ROOT / "tests" / "games" / "data" / "tdm_oa_dm5_4v4_16bots_ts25.log.gz"

#: The most modules that there may be on each way.
MOST = {"A line of a log": 44, "A request over HTTP": 28}

#: What follows the archive and its evenings, and is alive meanwhile, whatever is asked.
BACKGROUND = {
    "service.service", "service.snapshot_follower", "service.http.event_stream",
    "service.http.tonight_operations",
}  # fmt: skip

#: What the server and the worker that divides enter, and no other process.
ANSWERING = {"equipoise.service.http.application", "equipoise.teams.balance"}

#: What is machine code once numba is loaded, so that no function of Python's is called.
COMPILED = {"ratings.distributions", "ratings.models.gaussian_filter.kernels", "core.simd_lanes"}

#: A game that is asked about a log of its family before another reads it, once it is loaded.
LOADED = {"games.urbanterror.reader"}

#: Notes in every process of the server which modules are entered, and when.
HOOK = """
import os, sys, threading, time
file = os.open(os.environ["WALK"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
def note(frame, event, argument, write=os.write, now=time.time):
    name = frame.f_globals.get("__name__") or ""
    if event == "call" and name.startswith("equipoise.") and frame.f_code.co_name != "<module>":
        write(file, f"{now()} {os.getpid()} {name}\\n".encode())
sys.setprofile(note)
threading.setprofile(note)
"""


def listed(section: str) -> set[str]:
    """Return the modules that a section of the page names."""
    text = PAGE[PAGE.index(f"## {section}") :].partition("\n## ")[0]
    return set(re.findall(r"`([a-z0-9_]+(?:\.[a-z0-9_]+)+)`", text))


def entered_by_ingest(store: str) -> set[str]:
    """Return the modules that have a function called while a log is read into an archive."""
    entered = set[str]()

    def note(frame: FrameType, event: str, argument: object) -> None:
        module = frame.f_globals.get("__name__") or ""
        if event == "call" and module.startswith("equipoise.") and frame.f_code.co_name != "<module>":
            entered.add(module.removeprefix("equipoise."))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        done = runner().invoke(group, ["ingest", str(LOG), "--store", store])
    finally:
        sys.setprofile(before)
    assert done.exit_code == 0
    return entered


def test_the_walk_of_a_line_of_a_log_is_as_written_down(tmp_path: Path) -> None:
    """The page names all modules and no other, and there are few."""
    entered_by_ingest(f"sqlite:///{tmp_path}/first.db")
    entered, page = entered_by_ingest(f"sqlite:///{tmp_path}/second.db"), listed("A line of a log") | {"cli"}
    assert page - COMPILED <= entered - LOADED <= page
    assert len(page) <= MOST["A line of a log"]


def entered_by_post(folder: Path) -> set[str]:
    """Return the modules that have a function called, in any process, while a balance is answered."""
    (folder / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    notes = folder / "walk.txt"
    store = f"sqlite:///{folder}/a.db"
    addresses = ["--http", "127.0.0.1:0", "--weights", "127.0.0.1:0", "--workers", "1", "--http-rate", "1e6"]
    server = subprocess.Popen(
        [sys.executable, "-m", "equipoise", "serve", "--create", "--store", store, *addresses],
        env={**os.environ, "PYTHONPATH": path, "WALK": str(notes)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        (port,) = re.findall(r"http: listening on 127\.0\.0\.1:(\d+)", server.stdout.readline())
        players = {f"p{weight}": weight for weight in (31, 12, 47, 25, 38, 19, 54, 22, 41, 16)}

        def post() -> bytes:
            request = urllib.request.Request(
                f"http://127.0.0.1:{port}/v1/balance", json.dumps({"players": players}).encode(),
                {"Content-Type": "application/json"},
            )  # fmt: skip
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310  # our own server
                content: bytes = answer.read()
            return content

        ready = b""
        while b"equipoise_workers 2.0" not in ready:  # the one in reserve begins meanwhile
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
                ready = answer.read()
        first = post()
        begun = time.time()
        assert post() == first
        ended = time.time()
    finally:
        server.terminate()
        server.communicate(timeout=60)
    lines = [line.split() for line in notes.read_text(encoding="utf-8").splitlines()]
    others = {process for _, process, name in lines if name == "equipoise.service.kernel_warmup"}
    # Other workers may begin meanwhile: they neither take the request nor divide.
    asked = {process for _, process, name in lines if name in ANSWERING} - others
    names = {
        name.replace("__main__", "equipoise.service.worker_pool").removeprefix("equipoise.")
        for at, process, name in lines
        if begun <= float(at) <= ended and process in asked
    }
    return names - BACKGROUND


def test_the_walk_of_a_request_is_as_written_down(tmp_path: Path) -> None:
    """From the first byte read to the last written, in the server and in the worker that divides."""
    entered, page = entered_by_post(tmp_path), listed("A request over HTTP")
    assert entered == page
    assert len(page) <= MOST["A request over HTTP"]
