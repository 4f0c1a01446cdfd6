"""The least that the same framework and server can answer: ``python benchmarks/peers/bare_http.py``.

``GET /v1/players/{id}`` is answered with bytes that are there; the body of ``POST /v1/balance`` is decoded to
a request, and the answer is a constant.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router

from equipoise.service.http.server import HttpServer
from equipoise.service.process import loop_factory
from equipoise.teams.request import BalanceRequest

CARD = msgspec.json.encode({"id": "p1", "name": "", "bot": False, "ratings": [{"mu": 1.0, "sigma": 0.5}] * 2})
TEAMS = msgspec.json.encode({"status": "optimal", "splits": [{"teams": [["a"] * 5, ["b"] * 5]}]})


async def player(request: Request) -> Response:
    """Answer with bytes that are there."""
    del request
    return Response(CARD, media_type="application/json")


async def balance(request: Request) -> Response:
    """Decode a request, and answer with a constant."""
    BalanceRequest.from_dict(msgspec.json.decode(await request.body()))
    return Response(TEAMS, media_type="application/json")


async def main() -> None:
    """Answer without end."""
    routes: list[Any] = [
        Route("/v1/players/{id:path}", player),
        Route("/v1/balance", balance, methods=["POST"]),
    ]
    server = HttpServer(Router(routes))
    _, port = await server.listen("127.0.0.1", 0)
    print(f"listening on 127.0.0.1:0, http: listening on 127.0.0.1:{port}", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(main())
