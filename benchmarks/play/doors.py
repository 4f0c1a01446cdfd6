"""The same evenings by terminal, IRC, browser, Discord and as events: ``python -m benchmarks doors``.

Random evenings of up to nine people: they come, go, are replaced, teams are called for, swapped and locked
by hand, picked by captains, refused by vote, maps are struck or voted on, results are reported, and
everything is taken back now and then.  Each step is taken as the words of ``equipoise night``, as the bytes
of what somebody types on IRC, and as the event itself; in every fifth evening also as the tap that a page
sends, as a command on Discord, where people have numbers in the order of their names, and once more by a
door (but Discord) drawn at random, all open to one archive.  Teams, ledgers, results and ratings must be the
same, to the last bit, and so must be what is refused.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

import click
import numpy as np
from benchmarks.reporting import PAGES, RAW, run_parts

from equipoise.archive.archive import Archive, open_archive
from equipoise.cli import group
from equipoise.core.match_records import record_data
from equipoise.errors import InputError
from equipoise.play import evening_events as ev
from equipoise.play.evening import Evening
from equipoise.play.evening_events import Event
from equipoise.play.evening_page import ORGANISER
from equipoise.play.evening_state import Phase
from equipoise.play.ledger import accounts
from equipoise.service.chat.discord_rooms import DiscordRooms, Pressed
from equipoise.service.chat.irc_session import ChatSession, Spoken
from equipoise.service.kept_evening import KeptEvening
from equipoise.service.pickup_lobbies import Pickups
from equipoise.service.tonight import Evenings, Tap, opened_evening

EVENINGS, STEPS = 500, 16

PEOPLE = ("ann", "bob", "cid", "dan", "eve", "fay", "gus", "hal", "ida")
MAPS = ("dock", "keep", "mill")
LOBBY = ev.night_lobby("night")

#: Who runs the evening in the chat, and plays in none.
IN_CHARGE = "org"

#: The doors beside that of events, and those that are gone through in every evening.
DOORS, ALWAYS = ("terminal", "irc", "browser", "discord", "mixed"), ("terminal", "irc")

#: In each of so many evenings all doors are gone through.
ALL_DOORS = 5

#: What is counted beside the kinds of steps.
SUMS = ("steps", "taken", "games", "all_doors")

#: A step: what it is, and of whom or what.
Step = tuple[str, ...]

Row = dict[str, Any]


def drawn(evening: Evening, rng: np.random.Generator) -> Step:
    """Draw a step that mostly makes sense now."""
    room, game = evening.rooms[LOBBY.name], evening.current(LOBBY.name)
    here = room.setup.here
    away = [player for player in PEOPLE if player not in here]

    def one(of: Any) -> str:
        return str(rng.choice(list(of) or list(PEOPLE)))

    if len(here) < 4:
        return ("in", one(away))
    if game is None or rng.random() < 0.04:
        return ("again",)
    if rng.random() < 0.3:
        mate, other = one(here), one(here)
        return [
            ("undo",),
            ("undo",),
            ("out", mate),
            ("in", one(away)),
            ("maybe", one(away)),
            ("sub", one(away), mate),
            ("swap", mate, other),
            ("lock", mate),
            ("unlock",),
            ("captains", mate, other),
            ("again",),
            ("same",),
            ("maps", one(("veto", "vote", "turn"))),
            ("plays", mate, one(("tank", "support"))),
            ("won", one(("red", "blue"))),
            ("pick", mate),
            ("veto", one(MAPS)),
            ("vote", mate, one(("no", "yes"))),
        ][int(rng.integers(18))]
    if game.phase is Phase.DRAFTING:
        return ("pick", one(game.unpicked))
    if game.phase is Phase.STRIKING:
        return ("veto", one(game.maps))
    if game.phase is Phase.CHOOSING:
        return ("vote", one(game.players), one(MAPS))
    if game.phase is Phase.PLAYING:
        return [("won", "red"), ("won", "2"), ("won", one(game.players)), ("draw",), ("score", "3", "1"),
                ("vote", one(game.players), "no"), ("undo",)][int(rng.integers(7))]  # fmt: skip
    return [("again",), ("again",), ("captains", one(here), one(here)), ("same",)][int(rng.integers(4))]


def words_of(step: Step) -> list[str]:
    """Return the words of ``equipoise night``."""
    what, *rest = step
    plain = {
        "in": ["late", *rest, "--new", *rest],
        "out": ["leave", *rest],
        "maybe": ["maybe", *rest, "--new", *rest],
        "sub": ["sub", rest[0], "for", rest[-1], "--new", rest[0]] if rest else [],
        "same": ["again", "--same"],
        "unlock": ["lock", "--off"],
        "maps": ["maps", ",".join(MAPS), *(f"--{by}" for by in rest if by != "turn")],
        "plays": ["roles", "--plays", "=".join(rest)],
    }
    return plain.get(what, [what, *rest])


def typed(step: Step) -> tuple[str, str]:
    """Return who types what in the chat."""
    what, *rest = step
    if what == "vote":
        return rest[0], f"!vote {rest[1]}"
    plain = {
        "again": "!divide", "same": "!divide same", "sub": f"!sub {' for '.join(rest)}",
        "swap": f"!swap {', '.join(rest)}", "captains": f"!captains {', '.join(rest)}",
        "maps": f"!maps {','.join(MAPS)} {''.join(rest)}", "plays": f"!plays {' '.join(rest)}",
        "undo": "!undo",
    }  # fmt: skip
    return IN_CHARGE, plain.get(what, " ".join([f"!{what}", *rest]))


def event_of(step: Step, evening: Evening) -> Event:
    """Return the event of a step."""
    what, *rest = step
    name, game = LOBBY.name, evening.current(LOBBY.name)
    teams = () if game is None else game.teams
    known = evening.rooms[name].spelled
    if what in ("pick", "captains", "swap", "lock", "out", "vote", "plays") and not all(
        player in known for player in rest[: 1 if what in ("vote", "plays") else None]
    ):
        msg = "there is none of that name"
        raise InputError(msg)
    if what in ("won", "draw", "score"):
        ranks = {"draw": (1.0,) * len(teams), "score": (1.0, 2.0)}.get(what) or tuple(
            1.0 if n == _winner(rest[0], teams) else 2.0 for n in range(len(teams))
        )
        scores = (3.0, 1.0) if what == "score" else ()
        return ev.Report("", ranks, scores, name)
    plain: dict[str, Callable[[], Event]] = {
        "in": lambda: ev.Attend(name, (rest[0],), spelled={rest[0]: rest[0]}),
        "out": lambda: ev.Attend(name, (rest[0],), ev.OUT),
        "maybe": lambda: ev.Attend(name, (rest[0],), ev.MAYBE, spelled={rest[0]: rest[0]}),
        "sub": lambda: ev.Substitute(name, rest[0], rest[1], {rest[0]: rest[0]}),
        "again": lambda: ev.Call(name), "same": lambda: ev.Call(name, same=True),
        "swap": lambda: ev.SwapPlayers(name, rest[0], rest[1]), "lock": lambda: ev.Lock(name, (rest[0],)),
        "unlock": lambda: ev.Lock(name, on=False), "captains": lambda: ev.Captains(name, tuple(rest)),
        "pick": lambda: ev.Pick("", rest[0], name), "vote": lambda: ev.Vote(rest[0], rest[1], name),
        "maps": lambda: ev.Maps(name, MAPS, rest[0]), "veto": lambda: ev.Veto("", rest[0], name),
        "plays": lambda: ev.SetRoles(name, ((rest[0], (rest[1],)),)), "undo": lambda: ev.Undo("", lobby=name),
    }  # fmt: skip
    return plain[what]()


def _winner(name: str, teams: tuple[tuple[str, ...], ...]) -> int:
    called = {"red": 0, "blue": 1, "1": 0, "2": 1}
    found = called.get(name, next((n for n, team in enumerate(teams) if name in team), -1))
    if found < 0 or not teams:
        msg = "there is no such team"
        raise InputError(msg)
    return found


def at_terminal(url: str) -> Callable[[Step], None]:
    """Return the door of the terminal; the archive is opened for each step, as a process would."""

    def door(step: Step) -> None:
        silent, refused = io.StringIO(), (InputError, click.ClickException, click.exceptions.Exit)
        with (
            contextlib.redirect_stdout(silent),
            contextlib.redirect_stderr(silent),
            contextlib.suppress(*refused),
        ):
            group.main(["night", "--store", url, *words_of(step)], standalone_mode=False)

    return door


def tapped(step: Step, evening: Evening) -> Row:
    """Return what a page sends when the organiser taps.

    Raises
    ------
    InputError
        If the page has nothing to tap for it now.
    """
    what, *rest = step
    game = evening.current(LOBBY.name)
    teams = () if game is None else game.teams
    last = evening.last_step(LOBBY.name)
    named: dict[str, Callable[[], Row]] = {
        "in": lambda: {"type": "add", "text": rest[0]},
        "out": lambda: {"type": "status", "who": rest[0], "status": "out"},
        "maybe": lambda: {"type": "add", "text": rest[0], "status": "maybe"},
        "sub": lambda: {"type": "substitute", "new": rest[0], "old": rest[1], "sure": True},
        "again": lambda: {"type": "divide"}, "same": lambda: {"type": "divide", "same": True},
        "swap": lambda: {"type": "swap", "one": rest[0], "other": rest[1]},
        "lock": lambda: {"type": "lock", "who": rest[0]}, "unlock": lambda: {"type": "lock", "on": False},
        "captains": lambda: {"type": "draft", "captains": list(rest)},
        "pick": lambda: {"type": "pick", "who": rest[0]},
        "vote": lambda: {"type": "vote", "who": rest[0], "choice": rest[1]},
        "maps": lambda: {"type": "maps", "maps": list(MAPS), "how": rest[0]},
        "veto": lambda: {"type": "veto", "map": rest[0]},
        "plays": lambda: {"type": "roles", "plays": {rest[0]: [rest[1]]}},
        "undo": lambda: {"type": "undo", "of": "" if last is None else str(last.number)},
        "draw": lambda: {"type": "result", "ranks": [1] * len(teams)},
        "score": lambda: {"type": "result", "scores": [3, 1]},
        "won": lambda: {"type": "result", "ranks": [
            1 if n == _winner(rest[0], teams) else 2 for n in range(len(teams))
        ]},
    }  # fmt: skip
    return named[what]()


def by_browser(url: str, archive: Archive) -> tuple[Evenings, Callable[[Step], None]]:
    """Return the worker of pages, and the door of what a page sends to it."""
    opened_evening(archive, LOBBY.name, "Tonight", hours=48.0)
    pages, count = Evenings(url), itertools.count()

    def door(step: Step) -> None:
        pages.kept.follow()  # as a page hears of what others do
        with contextlib.suppress(InputError):
            tap = {"id": f"tap-{next(count):05}", **tapped(step, pages.kept.evening)}
            with contextlib.suppress(StopIteration):
                next(pages(("take", [Tap(LOBBY.name, ORGANISER, "desk", tap)])))

    return pages, door


def by_irc(archive: Archive, people: Sequence[str] = PEOPLE) -> tuple[Pickups, Callable[[Step], None]]:
    """Return a chat, and the door of bytes that a server would send."""
    pickups, session = Pickups(archive, [LOBBY], admins=[IN_CHARGE]), ChatSession("bot", "#pug", "", "", 1e9)
    session.start(0.0)
    session.feed(b":irc 001 bot :hi\r\n:irc 376 bot :end\r\n:bot!b@h JOIN #pug\r\n", 0.0)
    for who in (*people, IN_CHARGE):
        session.feed(f":{who}!{who}@h JOIN #pug\r\n:irc 317 bot {who} 1 1000 :x\r\n".encode(), 0.0)

    def door(step: Step) -> None:
        who, text = typed(step)
        now = time.time()
        for each in session.feed(f":{who}!{who}@h PRIVMSG #pug :{text}\r\n".encode(), now):
            if isinstance(each, Spoken):
                pickups.hear(each.who, each.nick, each.text, now, session.id_of)

    return pickups, door


#: The channel on Discord, and the numbers of people there.
CHANNEL = "5"
NUMBERS = {who: str(1001 + n) for n, who in enumerate((*PEOPLE, ORGANISER))}


def on_discord(archive: Archive) -> tuple[DiscordRooms, Callable[[Step], None]]:
    """Return lobbies of a channel, and the door of commands."""
    rooms = DiscordRooms(archive, [replace(LOBBY, channel=f"discord:{CHANNEL}")])

    def door(step: Step) -> None:
        who, command, given = commanded(step)
        names = {f"discord:{number}": name for name, number in NUMBERS.items()}
        number, manages = f"{len(archive.night_events())}", who == ORGANISER
        pressed = Pressed(number, NUMBERS[who], who, CHANNEL, manages, command, given, names=names)
        rooms.press(pressed, time.time())

    return rooms, door


def commanded(step: Step) -> tuple[str, str, dict[str, str]]:
    """Return who types which command on Discord, with its options."""
    what, *rest = step
    ids = [f"discord:{NUMBERS[each]}" if each in NUMBERS else each for each in rest]
    if what == "vote":
        return rest[0], "vote", {"choice": rest[1]}
    given: dict[str, tuple[str, dict[str, str]]] = {
        "again": ("divide", {}), "same": ("divide", {"same": "true"}), "undo": ("undo", {}),
        "draw": ("draw", {}), "unlock": ("unlock", {}),
        "maps": ("maps", {"maps": ",".join(MAPS), "how": "".join(rest)}),
        "score": ("score", {"score": " ".join(rest)}), "won": ("won", {"team": "".join(ids)}),
        "veto": ("veto", {"map": "".join(rest)}),
    }  # fmt: skip
    if what in given:
        return ORGANISER, *given[what]
    names = {"sub": ("player", "instead"), "swap": ("one", "other"), "captains": ("one", "two"),
             "plays": ("player", "roles")}.get(what, ("player",))  # fmt: skip
    return ORGANISER, what, dict(zip(names, ids, strict=True))


def by_name(value: Any) -> Any:
    """Return what there is on Discord with the names of people in place of their numbers."""
    if isinstance(value, str):
        names = {f"discord:{number}": name for name, number in NUMBERS.items()}
        return names.get(value, value)
    if isinstance(value, dict):
        return {by_name(key): by_name(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        kind = type(value)
        parts = [by_name(each) for each in value]
        return kind(*parts) if hasattr(value, "_fields") else kind(parts)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{each.name: by_name(getattr(value, each.name)) for each in fields(value)})
    return value


def played(archive: Archive, evening: Evening) -> Row:
    """Return teams, ledger, results and ratings of an evening."""
    standing, room = archive.standing(), evening.rooms[LOBBY.name]
    game = evening.current(LOBBY.name)
    return {
        "here": room.setup,
        "states": room.states,
        "tonight": room.tonight,
        "steps": len(evening.steps(LOBBY.name)),
        "current": game and (game.id, game.phase, game.teams, game.chances, game.out, game.map, game.votes),
        "ledger": accounts(evening.played(LOBBY.name)),
        "results": [
            (each.id, each.teams, each.ranks, each.scores, each.map, each.picks)
            for each in evening.ended(LOBBY.name)
        ],
        "matches": [{**record_data(match), "names": None} for match in archive.matches()],
        "ratings": {key: standing.model.rating(standing.state, *key) for key in standing.games},
    }


@contextlib.contextmanager
def clock(moment: list[float]) -> Iterator[None]:
    """Let it be as late as is said."""
    with mock.patch("time.time", side_effect=lambda: moment[0]):
        yield


def opened(
    doors: Sequence[str], urls: Mapping[str, str], archives: Mapping[str, Archive], rng: np.random.Generator
) -> dict[str, Callable[[Step], None]]:
    """Return doors, each to its own archive; the mixed one is another one at each step."""

    def door_to(door: str, name: str) -> Callable[[Step], None]:
        if door == "terminal":
            return at_terminal(urls[name])
        if door == "irc":
            return by_irc(archives[name])[1]
        return (
            by_browser(urls[name], archives[name])[1] if door == "browser" else on_discord(archives[name])[1]
        )

    found = {door: door_to(door, door) for door in doors if door != "mixed"}
    if "mixed" in doors:
        shared = [door_to(door, "mixed") for door in ("terminal", "irc", "browser")]

        def mixed(step: Step) -> None:
            shared[int(rng.integers(len(shared)))](step)

        found["mixed"] = mixed
    return found


def evening(seed: int, empty: Path, steps: int = STEPS) -> Counter[str]:
    """Play one evening through each door; raise AssertionError where they differ.

    Each door begins with a copy of an empty archive.
    """
    rng, moment, done = np.random.default_rng([31, seed]), [1_700_000_000.0], Counter[str]()
    names = ALWAYS if seed % ALL_DOORS else DOORS
    with tempfile.TemporaryDirectory() as folder, clock(moment), contextlib.ExitStack() as stack:
        urls = {
            name: f"sqlite:///{shutil.copy(empty, Path(folder) / f'{name}.db')}" for name in (*names, "own")
        }
        archives = {
            name: stack.enter_context(open_archive(url, create=False))
            for name, url in urls.items() if name != "terminal"
        }  # fmt: skip
        kept = KeptEvening(archives["own"], [LOBBY])
        doors = opened(names, urls, archives, np.random.default_rng([32, seed]))
        for _ in range(steps):
            step = drawn(kept.evening, rng)
            moment[0] += 30.0
            before = len(kept.evening.steps(LOBBY.name))
            with contextlib.suppress(InputError):
                kept.take(event_of(step, kept.evening), moment[0], strictly=True)
            done["steps"] += 1
            done["taken"] += len(kept.evening.steps(LOBBY.name)) != before
            done[step[0]] += 1
            for door in doors.values():
                door(step)
        found = played(archives["own"], kept.evening)
        for each in names:
            with open_archive(urls[each], create=False) as archive:
                other = by_name(played(archive, KeptEvening(archive, []).evening))
            different = [key for key in found if found[key] != other[key]]
            assert not different, f"evening {seed}: {each} differs in {different}"
        done["games"] += len(found["results"])
        done["all_doors"] += names is DOORS
    return done


def measure(evenings: range) -> Row:
    """Play these evenings."""
    began, done = time.process_time(), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.db"
        open_archive(f"sqlite:///{empty}", create=True).close()
        for seed in evenings:
            done.update(evening(seed, empty))
    return {"seconds": time.process_time() - began, "done": dict(sorted(done.items()))}


def report(parts: list[Row]) -> str:
    """Return the page."""
    done = sum((Counter(part["done"]) for part in parts), Counter[str]())
    kinds = ", ".join(f"{name} {count:,}" for name, count in sorted(done.items()) if name not in SUMS)
    return f"""\
# One evening behind all doors

`python -m benchmarks doors` played this and wrote it; do not edit.

{sum(part["count"] for part in parts):,} random evenings, each at the terminal (`equipoise night`), over IRC \
(the bytes a server sends), and by its own door (events); {done["all_doors"]:,} of them also in a browser \
(what a page sends), on Discord (commands), and once more with each step by a door drawn at random, all of \
them open to one archive.
{done["steps"]:,} steps were tried, {done["taken"]:,} made sense and were taken, and {done["games"]:,} games \
have a result; {sum(part["seconds"] for part in parts):.0f} s of processor time.

Teams, chances, who sits out, votes, maps, ledgers, results, the matches in the archive and all ratings are \
the same through all of them, to the last bit; so is what was refused.

Steps by kind: {kinds}.
"""


def main() -> int:
    """Read the arguments and do what they say."""
    return run_parts(
        __doc__, RAW / "doors.json", PAGES / "DOORS.md", measure, report, size=10, evenings=EVENINGS
    )
