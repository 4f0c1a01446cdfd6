"""A conversation without a network: the board of docs/protocol.md, and a session that is answered by it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from types import SimpleNamespace

from equipoise.core.match_records import match_from
from equipoise.core.player import Player
from equipoise.core.registry import GAMES, resolve
from equipoise.queueing import QueuePolicy, TicketLife
from equipoise.queueing.life import EnterTicket, MakeMatches
from equipoise.queueing.record import reply_data
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.ratings.replay import replay
from equipoise.service import queue_lines
from equipoise.service.answer_cache import Board
from equipoise.service.queue_owner import Question, read_life
from equipoise.service.queue_people import KnownPeople
from equipoise.service.snapshot import Ratings, Snapshot
from equipoise.service.weights.commands import Limits
from equipoise.service.weights.conversation import WeightSession
from equipoise.service.weights.messages import Finished, Queued, Refusal

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "protocol.md").read_text(encoding="utf-8")
TOKEN = "correct horse battery"  # noqa: S105 -- that of the page


def transcript() -> list[tuple[bytes, bytes]]:
    """Return each line of the page's client with the lines that answer it."""
    (block,) = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    turns: list[tuple[bytes, bytes]] = []
    for line in block.replace("→", "\t").splitlines():
        said = line[2:].encode() + b"\n"
        if line.startswith("> "):
            turns.append((said, b""))
        else:
            turns[-1] = (turns[-1][0], turns[-1][1] + said)
    return turns


def matches() -> list:
    """Return the matches of the page's archive."""
    (block,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return [match_from(json.loads(line)) for line in block.splitlines()]


def board(game: str | None = None) -> Board:
    """Return the ratings of the page's archive."""
    history = matches()
    model = Mixture()
    bots = {"Sarge": "bot:Sarge:4", "Major": "bot:Major:2"}
    rulesets = tuple(dict.fromkeys(match.ruleset for match in history))
    tables = {table.game: table for name in GAMES for table in resolve("game", GAMES, name).rules()}
    return Board(Snapshot(Ratings(model, replay(model, history), bots), rulesets, tables, game))


class Queue:
    """The queue of the page, without an archive: it looks for matches before each question."""

    name = "duel"
    settings = SimpleNamespace(game_type="")

    def __init__(self) -> None:
        self.life = TicketLife(QueuePolicy(team_size=1, imbalance=0.4, most_imbalance=0.4, tolerance=1e6))

    async def ask(self, *questions: Question) -> list[object]:
        """Answer questions."""
        if not isinstance(questions[0], EnterTicket):
            self.life.handle(MakeMatches(), 0.0)
        return [
            read_life(self.life, each, 0.0, KnownPeople(self.life, lambda _: set()))
            if type(each).__name__.endswith("Asked")
            else [reply_data(reply) for reply in self.life.handle(each, 0.0)]
            for each in questions
        ]


class Queues(dict[str, Queue]):
    """All queues of the page."""

    def rated(self, player: Player, queue: object) -> Player:
        """Return a player without a rating, as none is asked for."""
        del queue
        return player

    def meant(self, name: str, among: Collection[str]) -> str:
        """Return the id of who is meant: the name, as nobody is known."""
        del among
        return name

    async def left(self, queue: Queue, match: str, names: Sequence[str]) -> tuple[str, ...]:
        """Return who has left a match: those named."""
        del queue, match
        return tuple(names)


class Conversation:
    """A session and whoever answers it; results are kept by id."""

    def __init__(self, known: Board, limits: Limits | None = None) -> None:
        self.board = known
        self.session = WeightSession(lambda token: token == TOKEN, limits, known.known)
        self.kept: dict[str, object] = {}
        self.queues = Queues(duel=Queue())

    def said(self, data: bytes) -> bytes:
        """Return what is answered to bytes."""
        return b"".join(
            self.session.answer(request, self._result(request)) for request in self.session.receive(data)
        )

    def _result(self, request: object) -> object:
        if isinstance(request, Queued):
            try:
                queue_lines.answered(self.queues, request).send(None)  # it waits for nobody
            except StopIteration as done:
                return done.value
        if not isinstance(request, Finished):
            return self.board.result(request)
        match = self.board.match(request, 1772395200.0)
        if isinstance(match, Refusal):
            return match
        new = match.id not in self.kept
        self.kept.setdefault(match.id, match)
        return new


def conversation(known: Board | None = None, limits: Limits | None = None) -> Conversation:
    """Begin a conversation, by default with the page's archive."""
    return Conversation(known or board(), limits)


_NAME = r"[^\x00-\x1f\x7f]{1,800}"
_WEIGHT = r"(\d{1,2}\.\d{4}|100\.0000)"
_SEAT = rf"\d{{1,2}} (PLAYER|BOT) {_NAME}"
_ANSWERS = (
    rf"PLAYER {_NAME} {_WEIGHT}",
    rf"PLAYER {_NAME}",
    rf"BOT {_NAME} {_WEIGHT}",
    rf"MEANBOT {_WEIGHT} \d+",
    "END",
    rf"TEAMS \d{{1,2}}(\t{_SEAT}){{2,128}}",
    r"WINPROB( [01]\.\d{4}){2,16}",
    r"ADVANTAGE( \d+\.\d{4}){2,16}",
    rf"JOIN {_NAME} \d{{1,2}}",
    "AUTH ok",
    rf"RESULT {_NAME} (new|known)",
    "ERR (" + "|".join(re.escape(why.value) for why in Refusal) + ")",
)

#: What the page allows as a line of an answer; names are bytes, read here as Latin-1.
ALLOWED = re.compile("|".join(f"(?:{answer})" for answer in _ANSWERS))


def undocumented(answers: bytes) -> list[bytes]:
    """Return the lines that the page does not allow."""
    return [line for line in answers.split(b"\n")[:-1] if not ALLOWED.fullmatch(line.decode("latin-1"))]
