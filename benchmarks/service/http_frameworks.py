"""What frameworks and servers for HTTP take of the processor: the figures of decision 0013.

A request is answered with a small object, or with ten players in two teams after typed decoding.  The
packages that were not chosen are not among the project's; in an environment of their own::

    uv run --with starlette,fastapi,litestar,uvicorn,httptools,h11,granian,hypercorn,uvloop \
        python -m benchmarks http_frameworks
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from typing import Any

BODY = json.dumps({"players": [{"name": f"p{n}", "weight": n * 7 % 13 + 0.5} for n in range(10)]}).encode()
HEAD = b"POST /v1/balance HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
REQUESTS = {"GET": b"GET /v1/players/ann HTTP/1.1\r\nHost: x\r\n\r\n", "POST": HEAD % len(BODY) + BODY}
SERVERS = {
    "starlette": ("uvicorn", "uvicorn-h11", "granian", "hypercorn"),
    "fastapi": ("uvicorn", "granian"),
    "litestar": ("uvicorn", "granian"),
}
CONNECTIONS, REQUESTED, HALVES, PATIENCE = 16, 6000, 100, 33.0


def split(players: list[Any]) -> dict[str, list[list[str]]]:
    """Deal players out in order of weight."""
    ranked = sorted(players, key=lambda player: -player.weight)
    return {"teams": [[player.name for player in ranked[n::2]] for n in (0, 1)]}


def starlette_app() -> Any:
    """Return the application by Starlette and msgspec."""
    import msgspec
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Route

    player = msgspec.defstruct("Player", [("name", str), ("weight", float)], forbid_unknown_fields=True)
    body = msgspec.defstruct("Body", [("players", list[player])], forbid_unknown_fields=True)  # type: ignore[valid-type]
    decode, encode = msgspec.json.Decoder(body).decode, msgspec.json.Encoder().encode

    async def balance(request: Any) -> Any:
        return Response(encode(split(decode(await request.body()).players)), media_type="application/json")

    async def one(request: Any) -> Any:
        return Response(encode({"id": request.path_params["id"], "mu": 1.0}), media_type="application/json")

    return Starlette(routes=[Route("/v1/balance", balance, methods=["POST"]), Route("/v1/players/{id}", one)])


def fastapi_app() -> Any:
    """Return the application by FastAPI."""
    from fastapi import FastAPI
    from pydantic import ConfigDict, create_model

    strict = ConfigDict(strict=True, extra="forbid")
    player = create_model("Player", __config__=strict, name=(str, ...), weight=(float, ...))
    body = create_model("Body", __config__=strict, players=(list[player], ...))  # type: ignore[valid-type]
    app = FastAPI()

    async def balance(data: Any) -> dict[str, list[list[str]]]:
        return split(data.players)

    async def one(id: str) -> dict[str, Any]:  # noqa: A002 -- the name of the path's place
        return {"id": id, "mu": 1.0}

    balance.__annotations__["data"] = body
    one.__annotations__["id"] = str
    app.post("/v1/balance")(balance)
    app.get("/v1/players/{id}")(one)
    return app


def litestar_app() -> Any:
    """Return the application by Litestar."""
    import msgspec
    from litestar import Litestar, get, post

    player = msgspec.defstruct("Player", [("name", str), ("weight", float)], forbid_unknown_fields=True)
    body = msgspec.defstruct("Body", [("players", list[player])], forbid_unknown_fields=True)  # type: ignore[valid-type]

    async def balance(data: Any) -> dict[str, list[list[str]]]:
        return split(data.players)

    async def one(id: str) -> dict[str, Any]:  # noqa: A002 -- the name of the path's place
        return {"id": id, "mu": 1.0}

    balance.__annotations__["data"] = body
    one.__annotations__["id"] = str
    return Litestar([post("/v1/balance", status_code=200)(balance), get("/v1/players/{id:str}")(one)])


def serve(framework: str, server: str, port: int) -> None:
    """Answer by one framework and server, without end."""
    app = {"starlette": starlette_app, "fastapi": fastapi_app, "litestar": litestar_app}[framework]()
    if server.startswith("uvicorn"):
        import uvicorn

        parser: Any = "h11" if server.endswith("h11") else "httptools"
        uvicorn.run(app, port=port, log_level="warning", access_log=False, loop="uvloop", http=parser)
        return
    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        if server == "granian":
            from granian.server.embed import Server

            runner.run(Server(app, address="127.0.0.1", port=port, interface="asgi").serve())
        else:
            from hypercorn.asyncio import serve as answer
            from hypercorn.config import Config

            config = Config()
            config.bind = [f"127.0.0.1:{port}"]
            runner.run(answer(app, config))


class Client(asyncio.Protocol):
    """Sends one request after the other."""

    def __init__(self, request: bytes, times: int, done: asyncio.Future[None]) -> None:
        self.request, self.left, self.done, self.data = request, times, done, b""

    def connection_made(self, transport: Any) -> None:
        """Begin."""
        self.transport = transport
        transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        """Send the next one when an answer is complete."""
        self.data += data
        head, found, body = self.data.partition(b"\r\n\r\n")
        if not found:
            return
        size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        if len(body) < size:
            return
        if not head.startswith(b"HTTP/1.1 200"):
            self.done.set_exception(RuntimeError(f"a request was refused: {self.data!r}"))
            return
        self.data, self.left = body[size:], self.left - 1
        if self.left > 0:
            self.transport.write(self.request)
        else:
            self.transport.close()
            self.done.set_result(None)


async def load(port: int, request: bytes, times: int) -> None:
    """Send requests over several connections."""
    loop = asyncio.get_running_loop()
    waited = [loop.create_future() for _ in range(CONNECTIONS)]
    for done in waited:
        await loop.create_connection(
            lambda done=done: Client(request, times // CONNECTIONS, done),  # type: ignore[misc]
            "127.0.0.1",
            port,
        )
    await asyncio.gather(*waited)


def used(pid: int) -> float:
    """Return the processor time of a process, seconds."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def halves_open(port: int) -> int:
    """Return how many connections with half a header are open after some time."""
    halves = [socket.create_connection(("127.0.0.1", port)) for _ in range(HALVES)]
    for each in halves:
        each.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")
        each.setblocking(False)
    time.sleep(PATIENCE)
    left = 0
    for each in halves:
        try:
            each.recv(4096)
        except BlockingIOError:
            left += 1
        except OSError:
            pass
        each.close()
    return left


def main() -> int:
    """Measure all, and print a line each; or be one of the servers."""
    if len(sys.argv) > 1:
        serve(sys.argv[1], sys.argv[2], int(sys.argv[3]))
        return 0
    port = 9100
    for framework, servers in SERVERS.items():
        for server in servers:
            port += 1
            began = time.monotonic()
            process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks", "http_frameworks", framework, server, str(port)]
            )
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    time.sleep(0.02)
            start = time.monotonic() - began
            figures = []
            for request in REQUESTS.values():
                asyncio.run(load(port, request, 500))
                before, began = used(process.pid), time.monotonic()
                asyncio.run(load(port, request, REQUESTED))
                figures += [
                    (used(process.pid) - before) / REQUESTED * 1e6,
                    REQUESTED / (time.monotonic() - began),
                ]
            reported = " ".join(f"{figure:.0f}" for figure in figures)
            print(framework, server, f"{start:.2f} s", reported, halves_open(port), flush=True)
            process.kill()
            process.wait()
    return 0
