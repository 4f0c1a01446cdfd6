"""An evening on Discord once more, through other doors: as bytes of an IRC server, and as taps on a page.

What was taken on Discord is typed over IRC by people with accounts, at the same moments; or what belongs to
an evening is tapped in browsers, each person on a device of their own, while games that begin by themselves
are played over IRC with the same archive.  Whatever an evening is - teams, chances, ledgers, matches, ratings
- has to be the same, to the last bit, with other ids in it: those of each door.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from itertools import chain, count
from typing import Any

from benchmarks.play.doors import clock

from equipoise.archive.archive import Archive, open_archive
from equipoise.core.match_records import record_data
from equipoise.play import evening_events as ev
from equipoise.play.evening import Evening
from equipoise.play.evening_events import EveningLobby, Event
from equipoise.play.evening_page import GUEST, ORGANISER
from equipoise.play.evening_records import taken
from equipoise.play.evening_state import Phase
from equipoise.play.ledger import accounts
from equipoise.service.chat.irc_session import ChatSession, Spoken
from equipoise.service.kept_evening import KeptEvening
from equipoise.service.pickup_lobbies import Pickups
from equipoise.service.tonight import Evenings, Tap, opened_evening

#: How ids of people begin, on Discord, and as accounts and names elsewhere.
THERE, ELSEWHERE = "discord:", "p"

#: Events that follow from others.
FOLLOWING = ("Open", "Divided", "Judged")

Row = dict[str, Any]


def elsewhere(player: str) -> str:
    """Return what somebody of Discord is called elsewhere."""
    return player.replace(THERE, ELSEWHERE, 1)


def there(value: Any, people: dict[str, str]) -> Any:
    """Return data of another door with the ids of Discord."""
    if isinstance(value, str):
        return people.get(value, value)
    if isinstance(value, dict):
        return {there(key, people): there(each, people) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        kind, parts = type(value), [there(each, people) for each in value]
        return kind(*parts) if hasattr(value, "_fields") else kind(parts)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value, **{each.name: there(getattr(value, each.name), people) for each in fields(value)}
        )
    return value


def without_names(value: Any) -> Any:
    """Return plain data without what people are called, which is another matter at each door."""
    if isinstance(value, dict):
        return {key: without_names(each) for key, each in value.items() if key not in ("name", "names")}
    return [without_names(each) for each in value] if isinstance(value, list) else value


def played(archive: Archive, evening: Evening) -> Row:
    """Return teams, ledgers, results and ratings, with games by their lobby and number.

    An id tells how often teams were made before, and on a page somebody who may come is there first.
    """
    standing, numbers = archive.standing(), Counter[str]()
    ids: dict[str, str] = {}
    for game in (*evening.over.values(), *evening.games.values()):
        numbers[game.lobby.name] += 1
        ids[game.id] = f"{game.lobby.name}#{numbers[game.lobby.name]}"
    found = {
        "games": {name: (game.teams, game.chances, game.ranks, game.scores, game.map, game.out, game.picks,
                         game.phase is Phase.OVER)
                  for name, game in (evening.over | evening.games).items()},
        "here": evening.waiting,
        "present": {name: (room.setup.here, dict(room.states)) for name, room in evening.rooms.items()},
        "ledgers": {name: accounts(evening.played(name)) for name in evening.rooms},
        "matches": [without_names(record_data(match)) for match in archive.matches()],
        "ratings": {key: standing.model.rating(standing.state, *key) for key in standing.games},
    }  # fmt: skip
    return {name: there(each, ids) for name, each in found.items()}


class OverIrc:
    """People with accounts in the channels of an IRC server, and the chat bot there."""

    def __init__(self, archive: Archive, lobbies: list[EveningLobby], people: list[str]) -> None:
        self.rooms = [replace(each, channel="#" + each.channel.removeprefix(THERE)) for each in lobbies]
        self.channels = list(dict.fromkeys(each.channel for each in self.rooms))
        self.pickups = Pickups(archive, self.rooms)
        self.session = ChatSession("bot", ",".join(self.channels), "", "", 1e9)
        #: Time on the session's clock: nobody types so fast that lines are left out as a flood.
        self._typed = count(0.0, 60.0)
        self._feed(":irc CAP * LS :account-tag extended-join", ":irc CAP bot ACK :account-tag extended-join",
                   ":irc 001 bot :hi", ":irc 376 bot :end")  # fmt: skip
        for channel in self.channels:
            self._feed(f":bot!b@h JOIN {channel} * :bot")
            self._feed(*(f":{each}!{each}@h JOIN {channel} {each} :x" for each in people))

    def _feed(self, *lines: str) -> list[Any]:
        return list(self.session.feed("".join(f"{line}\r\n" for line in lines).encode(), next(self._typed)))

    def take(self, event: Event, at: float) -> None:
        """Let somebody type what they pressed."""
        if isinstance(event, ev.Tick):
            self.pickups.tick(at)
            return
        who = elsewhere(getattr(event, "who", ""))
        name = getattr(event, "lobby", "")
        self.pickups.kept.catch_up()
        evening = self.pickups.evening
        game = evening.game_of(who)
        lobby = evening.lobbies[name] if name else game.lobby if game is not None else self.rooms[0]
        line = f"@account={who} :{who}!{who}@h PRIVMSG {lobby.channel} :!{words_of(event, evening)}"
        for each in self._feed(line):
            if isinstance(each, Spoken):
                self.pickups.hear(
                    each.who, each.nick, each.text, at, self.session.id_of, sign=None, channel=each.channel
                )


def words_of(event: Event, evening: Evening) -> str:
    """Return what is typed in a chat for an event."""
    if isinstance(event, ev.Report):
        if event.scores:
            called = "score" if event.lobby else "report"
            return f"{called} {' '.join(f'{each:g}' for each in event.scores)}"
        if len(set(event.ranks)) == 1:
            return "draw" if event.lobby else "report draw"
        if event.lobby:
            return f"won {event.ranks.index(1.0) + 1}"
        game = evening.game_of(elsewhere(event.who))
        assert game is not None
        return "report won" if event.ranks[game.team_of(elsewhere(event.who))] == 1.0 else "report lost"
    if isinstance(event, ev.Attend):
        assert event.players == (event.who,), event
        return {ev.IN: "in", ev.MAYBE: "maybe", ev.OUT: "out", ev.LATER: "late"}[event.state]
    if isinstance(event, ev.Captains):
        return f"captains {', '.join(map(elsewhere, event.captains))}"
    plain: dict[type, Callable[[Any], str]] = {
        ev.Add: lambda e: f"add {e.lobby.rpartition('/')[2]}",
        ev.Leave: lambda e: f"leave {e.lobby.rpartition('/')[2]}", ev.Ready: lambda _: "ready",
        ev.Late: lambda _: "late", ev.Vote: lambda e: f"vote {e.choice}", ev.Confirm: lambda _: "confirm",
        ev.Pick: lambda e: f"pick {elsewhere(e.player)}", ev.Veto: lambda e: f"veto {e.map}",
        ev.Sub: lambda _: "sub", ev.Fill: lambda e: f"sub {elsewhere(e.instead)}",
        ev.Call: lambda e: "divide same" if e.same else "divide", ev.Undo: lambda e: f"undo {e.game}",
    }  # fmt: skip
    return plain[type(event)](event).strip()


class InBrowsers:
    """People with a device each on the pages of evenings, and an organiser."""

    def __init__(self, url: str, archive: Archive, irc: OverIrc, at: float) -> None:
        for each in irc.rooms:
            if each.called:
                irc.pickups.kept.take(ev.Open(each), at)  # the page is of the very lobby of the chat
                opened_evening(archive, each.name, "Tonight", hours=48.0)
        self.pages, self._numbers = Evenings(url), count()

    def take(self, event: Any) -> None:
        """Let somebody tap what they pressed; raise AssertionError where a page refuses it."""
        self.pages.kept.follow()
        game = self.pages.kept.evening.current(event.lobby)
        if isinstance(event, ev.Report) and game is not None and game.phase is Phase.OVER:
            return  # the same result once more, which changes nothing; a page has no button for that
        for by, device, tap in self._taps(event):
            step = {"id": f"tap-{next(self._numbers):06}", **tap}
            answers: list[Any] = []
            work = self.pages(("take", [Tap(event.lobby, by, device, step)]))
            try:
                while True:
                    next(work)
            except StopIteration as done:
                answers = done.value[0]
            assert answers[0].status == "done", (tap, answers)

    def _taps(self, event: Any) -> list[tuple[str, str, Row]]:
        evening, who = self.pages.kept.evening, elsewhere(getattr(event, "who", ""))
        room = evening.rooms[event.lobby]
        if isinstance(event, ev.Attend):
            is_here = who in room.setup.here or who in room.states
            claim: list[Row] = (
                [] if is_here and event.state != ev.IN else [{"type": "claim", "name": who, "sure": True}]
            )
            status = {"type": "status", "who": who, "status": event.state}
            rest = [] if event.state == ev.IN else [status]
            return [(GUEST, f"phone of {who}", each) for each in (*claim, *rest)]
        if isinstance(event, ev.Vote):
            return [(ORGANISER, "desk", {"type": "vote", "who": who, "choice": event.choice})]
        last = evening.last_step(event.lobby)
        plain: dict[type, Callable[[Any], Row]] = {
            ev.Call: lambda e: {"type": "divide", "same": e.same},
            ev.Undo: lambda _: {"type": "undo", "of": "" if last is None else str(last.number)},
            ev.Captains: lambda e: {"type": "draft", "captains": list(map(elsewhere, e.captains))},
            ev.Pick: lambda e: {"type": "pick", "who": elsewhere(e.player)},
            ev.Veto: lambda e: {"type": "veto", "map": e.map},
            ev.Report: lambda e: {"type": "result", **(
                {"scores": list(e.scores)} if e.scores else {"ranks": list(e.ranks)}
            )},
        }  # fmt: skip
        return [(ORGANISER, "desk", plain[type(event)](event))]


def same_elsewhere(archive: Archive, evening: Evening) -> int:
    """Play an evening of Discord over IRC, and in browsers; raise AssertionError where it differs.

    Returns
    -------
    int
        How many events were typed and tapped.
    """
    records = archive.night_events()
    mine, lobbies, done = played(archive, evening), list(evening.lobbies.values()), 0
    numbers = {who for event, *_ in taken(records) for who in _people(event)}
    people = {elsewhere(each): each for each in sorted(numbers)}
    for in_browsers in (False, True):
        moment = [0.0]
        with (
            tempfile.TemporaryDirectory() as folder,
            clock(moment),
            contextlib.ExitStack() as stack,
        ):
            url = f"sqlite:///{folder}/b.db"
            other = stack.enter_context(open_archive(url, create=True))
            irc = OverIrc(other, lobbies, list(people))
            pages = None
            for event, at, _ in taken(records):
                if type(event).__name__ in FOLLOWING:
                    continue
                moment[0], done = at, done + 1
                room = evening.lobbies.get(getattr(event, "lobby", ""))
                if in_browsers and room is not None and room.called:
                    if pages is None:
                        pages = InBrowsers(url, other, irc, at)
                    pages.take(event)
                else:
                    irc.take(event, at)
            theirs = there(played(other, KeptEvening(other, []).evening), people)
        different = [key for key in mine if mine[key] != theirs[key]]
        door = "the browser" if in_browsers else "IRC"
        assert not different, (
            f"{door} differs in {different}: {mine[different[0]]!r} is {theirs[different[0]]!r} there"
        )
    return done


def _people(event: Event) -> list[str]:
    """Return the people of Discord in an event."""
    plain = ev.as_plain(event)
    found: list[str] = []
    waiting: list[Any] = [plain]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str) and each.startswith(THERE):
            found.append(each)
        elif isinstance(each, dict):
            waiting += chain(each, each.values())
        elif isinstance(each, list | tuple):
            waiting += each
    return found
