"""A custom listener in one file: over UDP, a player's id in a datagram, the weight in the answer.

A listener turns bytes into questions and answers into bytes; what is known, and how it is computed, is in
:class:`equipoise.service.questions.Answers`.
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

from equipoise.extending import Answers, Member, Setting

#: Longer datagrams are no ids.
LONGEST = 200


class WeightsByDatagram(asyncio.DatagramProtocol):
    """Answers ``ann`` with ``ann 58.3333``, and who is unknown with ``ann -``."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take note of where answers go."""
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[Any, ...]) -> None:
        """Answer one question."""
        name = data[:LONGEST].decode("utf-8", "replace").strip()
        weight = self.answers.weight(Setting(), Member(False, name)) if name else None
        answer = "-" if weight is None else f"{weight:.4f}"
        if self._transport is not None:
            self._transport.sendto(f"{name} {answer}\n".encode(), addr)
