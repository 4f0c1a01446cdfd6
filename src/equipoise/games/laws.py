"""The laws of games, of their servers and of consoles over TCP; for those who write their own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

import numpy as np

from equipoise.core.match import Match, Skipped, Unfinished
from equipoise.core.rulesets import ruleset_from, ruleset_text
from equipoise.games.log_reader import LONGEST_LINE, Game, Parsed, Reader, as_utf8
from equipoise.games.rcon import ConsoleAnswer, checked
from equipoise.games.server_adapter import ServerFamily
from equipoise.games.stream_console import LOST, RETRY_MOST, StreamConsole
from equipoise.play.live.events import (
    AddBot,
    Announced,
    Command,
    Joined,
    MovePlayer,
    RemoveBot,
    Say,
    SetAdvantage,
    SetMinimum,
    Started,
)


def parsed(game: Game, content: bytes, cuts: Sequence[int] = ()) -> list[Parsed]:
    """Return all that is in a log which comes in pieces, cut at some places."""
    reader = game.reader("log")
    bounds = [0, *sorted(cuts), len(content)]
    pieces = (content[a:b] for a, b in itertools.pairwise(bounds))
    return [*itertools.chain.from_iterable(reader.read(piece) for piece in pieces), *reader.finish()]


def check_game(game: Game, sample: bytes, rng: np.random.Generator) -> None:
    """Hold a game to the laws of its kind, on a log of it that may be appended to.

    The log is recognised, and by its beginning alone; what is in it does not depend on how it is cut; a part
    of it from its beginning gives the first matches of the whole and no others; a reader that begins where
    another one is settled goes on as that one would; rulesets are in canonical form; a damaged log, a long
    line and random bytes give something that says where, and no exception.
    """
    assert game.recognise(sample[: 1 << 16]), "a log of the game is recognised"
    whole = parsed(game, sample)
    matches = [one for one in whole if isinstance(one, Match)]
    assert len({match.id for match in matches}) == len(matches), "different games have different ids"
    assert parsed(game, sample, range(1, len(sample))) == whole, "nothing depends on how a log is cut"
    for _ in range(20):
        place = int(rng.integers(len(sample)))
        assert parsed(game, sample, [place]) == whole, "nothing depends on how a log is cut"
        part = [one for one in parsed(game, sample[:place]) if isinstance(one, Match)]
        assert part == matches[: len(part)], "what was given is not taken back when a log grows"
        _check_going_on(game, sample, place, whole)
    _check_encodings(game, sample, whole)
    for match in matches:
        assert ruleset_from(ruleset_text(match.ruleset)) == match.ruleset, "a ruleset is a text"
        assert match.began is None or match.began <= (match.ended or 0.0), "a match begins before it ends"
    _check_tables(game)
    for _ in range(40):
        _check_hostile(game, _damaged(sample, rng))
    _check_hostile(game, sample[: len(sample) // 2] + b"x" * (LONGEST_LINE + 2) + b"\n" + sample)
    _check_hostile(game, rng.bytes(4000))


def _check_going_on(game: Game, sample: bytes, place: int, whole: list[Parsed]) -> None:
    """Stop somewhere, and go on with a new reader from where the first one is settled."""
    first: Reader = game.reader("log")
    before = list(first.read(sample[:place]))
    start, line = first.settled, first.settled_line
    assert start <= place, "what was not read is not settled"
    second: Reader = game.reader("log", line)
    after = [*second.read(sample[start:]), *second.finish()]
    pieces = list({repr(one): one for one in before + after}.values())  # a match counts once
    assert [one for one in pieces if not isinstance(one, Skipped)] == [
        one for one in whole if not isinstance(one, Skipped)
    ], "a reader goes on where another one is settled"
    assert set(map(repr, pieces)) == set(map(repr, whole)), "places are numbered on"


def _check_encodings(game: Game, sample: bytes, whole: list[Parsed]) -> None:
    """Read the log with a mark before it, and in UTF-16, as some programs write what servers print."""
    with suppress(UnicodeDecodeError):
        text = sample.decode()
        for coding in ("utf-8-sig", "utf-16", "utf-16-be"):
            content = text.encode(coding)
            assert parsed(game, content) == whole, "an encoding changes nothing"
            assert game.recognise(as_utf8(content)), "and the log is known by it"
            first: Reader = game.reader("log")
            before = list(first.read(content[: len(content) // 2]))
            second: Reader = game.reader("log", first.settled_line)
            found = [*before, *second.read(content[first.settled :]), *second.finish()]
            assert {each.id for each in found if isinstance(each, Match)} == {
                each.id for each in whole if isinstance(each, Match)
            }, "places are those of the log"


def _check_tables(game: Game) -> None:
    for table in game.rules():
        assert not table.cosmetic & table.gameplay, "a mutator changes play or does not"
        for name in table.game_types.values():
            assert table.game_type(name) == name, "a canonical name stands for itself"
        for name in table.gameplay:
            assert not table.unknown([name]), "what is listed is known"


def _check_hostile(game: Game, content: bytes) -> None:
    for one in parsed(game, content):
        assert isinstance(one, Match | Skipped | Unfinished), "a log gives matches, or says what is wrong"
        assert isinstance(one, Match) or one.where.startswith("log, line "), "what is wrong has a place"


def _damaged(sample: bytes, rng: np.random.Generator) -> bytes:
    """Return a log of which a part was lost, doubled, put elsewhere or overwritten."""
    a, b = sorted(int(place) for place in rng.integers(0, len(sample), 2))
    b = min(b, a + 200)
    noise = [rng.bytes(20), b"9" * 5000, b"\\\\\\^1<b>\"'\x0b\x85\xe2\x80\xa8\xe2\x80\xae", b"\x00\n\r\t::"]
    put = [b"", sample[a:b] * 2, noise[rng.integers(len(noise))]][rng.integers(3)]
    damaged = sample[:a] + put + sample[b:]
    return damaged if rng.random() < 0.5 else damaged[: int(rng.integers(len(damaged) + 1))]


#: What sessions ask servers for.
COMMANDS: tuple[Command, ...] = (
    MovePlayer(3, 0), MovePlayer(3, 1), MovePlayer(3, 7), AddBot(0), AddBot(1, 3.0), RemoveBot(3),
    SetMinimum(4), SetAdvantage((1.0, 1.1)), Say("Teams: Red 2, Blue 2."), Say("You are Red.", 3),
)  # fmt: skip


def check_server(family: ServerFamily, sample: bytes, rng: np.random.Generator) -> None:
    """Hold a family of servers to the laws of its kind, on a log of one of them.

    Whatever a log or an answer says, events come out and no exception; every line that is sent is one that a
    console cannot read as two, for whatever names are on the server.

    Parameters
    ----------
    family : ServerFamily
        The record.
    sample : bytes
        A log of such a server, with people in teams.
    rng : Generator
        For damage.
    """
    log = family.log({}, {})
    events = log.read(sample)
    assert any(isinstance(event, Joined) for event in events), "people are seen"
    assert any(isinstance(event, Announced | Started) for event in events), "a game is seen"
    there = {event.slot: event for event in events if isinstance(event, Joined)}
    there[3] = Joined(3, "name:x", '"; quit\n^1', team=0)
    console = family.console({})
    for line in [*console.begin(), *console.lines(COMMANDS, there), *console.who([3]), family.players]:
        checked(line)
    family.remote("secret").order([*console.begin(), *console.lines(COMMANDS, there)])
    for _ in range(40):
        damaged = family.log({}, {})
        damaged.read(_damaged(sample, rng))
        damaged.again()
        damaged.read(rng.bytes(2000))
        damaged.begin()
        for answer in ("", "\n" * 9, rng.bytes(900).decode("latin-1"), sample[:900].decode("latin-1")):
            damaged.answered(family.players, answer)
            damaged.answered("", answer)


class StreamServer(Protocol):
    """A server's end of a console, as bytes."""

    def connected(self) -> bytes:
        """Begin with a new connection; return what is sent at once."""

    def receive(self, data: bytes, /) -> bytes:
        """Return the answer to bytes."""


def check_stream_console(
    console: Callable[[], StreamConsole],
    server: Callable[[list[str]], StreamServer],
    question: str,
    orders: Sequence[str],
    rng: np.random.Generator,
) -> None:
    """Hold a console over TCP to the laws of its kind, against a server's end of it.

    What is answered does not depend on how bytes are cut; one command is out at a time and all come in
    order; a question survives a lost connection and an order is not given twice; a console that is refused,
    or not answered, says so; whatever bytes arrive, no exception comes out and a connection that makes no
    sense is given up.

    Parameters
    ----------
    console : callable
        Makes a console that knows the password.
    server : callable
        Makes a server's end that adds every command it carries out to a list.
    question : str
        A command whose answer is several kilobytes.
    orders : sequence of str
        Commands without an answer to speak of.
    rng : Generator
        For cuts and hostile bytes.
    """
    whole = _conversation(console(), server, question, orders, None)
    assert whole[0][0].question == question, "a question is answered"
    assert len(whole[0][0].text or "") > 3000, "a long answer is whole"
    assert whole[1] == [question, *orders], "commands come once each, in order"
    for _ in range(20):
        assert _conversation(console(), server, question, orders, rng) == whole, "nothing depends on cuts"
    _check_lost(console(), server, question, orders)
    _check_hostile_bytes(console, server, question, rng)


def _conversation(
    console: StreamConsole,
    server: Callable[[list[str]], StreamServer],
    question: str,
    orders: Sequence[str],
    rng: np.random.Generator | None,
) -> tuple[list[ConsoleAnswer], list[str]]:
    """Return what was answered and what was carried out; bytes are cut anywhere where randomness is given."""
    done: list[str] = []
    side, now = server(done), 0.0
    console.opened(now)
    arriving = side.connected()
    console.ask(question)
    console.order(orders)
    answers: list[ConsoleAnswer] = []
    for _ in range(200000):
        if console.idle and answers:
            break
        now += 0.001
        piece = len(arriving) if rng is None else int(rng.integers(1, 40))
        console.receive(arriving[:piece], now)
        arriving = arriving[piece:]
        for sent in console.outgoing(now):
            arriving += side.receive(sent)
        answers += console.answers()
        assert not console.broken, console.broken
    return answers, done


def _check_lost(
    console: StreamConsole,
    server: Callable[[list[str]], StreamServer],
    question: str,
    orders: Sequence[str],
) -> None:
    """Lose the connection while a question and an order are out, and let a server be silent."""
    done: list[str] = []
    side, now = server(done), 0.0
    console.order(orders)
    console.ask(question)
    for again in range(2):
        assert console.may_connect(now), "a connection is made again"
        console.opened(now)
        arriving = side.connected()
        for _ in range(50):
            now += 0.01
            console.receive(arriving, now)
            sent = console.outgoing(now)
            if not again and console.ordering and console.out is not None:
                break  # an order is out, and nobody knows whether it arrives
            arriving = b"".join(side.receive(each) for each in sent)
        if not again:
            console.closed(now)
            assert not console.may_connect(now), "not at once"
            now += RETRY_MOST
    assert done == [question], "an order whose fate is not known is not given again; a question is"
    console.ask(question)
    console.outgoing(now)
    console.outgoing(now + LOST)
    assert console.broken, "a connection without answers is given up"
    assert console.silent, "a console that does not answer says so"


def _check_hostile_bytes(
    console: Callable[[], StreamConsole],
    server: Callable[[list[str]], StreamServer],
    question: str,
    rng: np.random.Generator,
) -> None:
    for n in range(200):
        one, side = console(), server([])
        one.opened(0.0)
        arriving = side.connected()
        one.ask(question)
        for step in range(1, 6 if n % 2 else 1):
            one.receive(arriving, 0.01 * step)
            arriving = b"".join(side.receive(sent) for sent in one.outgoing(0.01 * step))
        for step in range(20):
            noise = rng.bytes(int(rng.integers(1, 3000)))
            one.receive(noise if n % 3 else arriving[: n % 50] + noise, 1.0 + 0.01 * step)
            one.outgoing(1.0 + 0.01 * step)
            one.answers()
            if one.broken:
                one.closed(2.0)
                break
