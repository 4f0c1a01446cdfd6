"""One game server, balanced while it runs: its log in, its remote console out, an archive for what is known.

Everything that decides is in :mod:`equipoise.play.live`; this only carries bytes, time and ratings.  A step
never waits for the server: what it does not answer is asked again.

What an archive knows, as a running game asks for it: ratings of those who are there, bots, ranks.

What would have been done on a server, from its recorded log and what an archive knows now.

For how many players a map is best, as its games have shown.

A game is as one-sided as the loser's score falls short of the winner's.  Of every number of players that a
map has been played with often enough, the mean of that is compared with the least one: a number is left out
where its games were more one-sided by more than twice the standard error of the difference.  What remains
around the best number is the range.

A side of it is open where no number beyond it was left out.  So a map that was always played with one number
has no range, and what an admin asks for is not held back by what was asked for before.
"""

from __future__ import annotations

import logging
import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from equipoise.archive.archive import Archive
from equipoise.archive.ingest.follow_log import BREAK
from equipoise.archive.ingest.ingest import Watch
from equipoise.archive.ingest.log_files import Source, pieces
from equipoise.archive.standing import Standing
from equipoise.core.clock import deadline
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.plain_data import printable
from equipoise.core.player import Rating, is_bot
from equipoise.errors import InputError
from equipoise.games.server_adapter import Ranges
from equipoise.identity.merges import without_number
from equipoise.identity.shared_ids import base_of
from equipoise.play.evening_records import LIVE
from equipoise.play.event_codec import as_plain, from_plain
from equipoise.play.ledger import LedgerGame
from equipoise.play.live.events import (
    SIDES,
    AddBot,
    Announced,
    Busy,
    CannotMove,
    Chatted,
    Command,
    Ended,
    Event,
    Joined,
    Left,
    MovePlayer,
    RatingsKnown,
    RemoveBot,
    Renamed,
    Resumed,
    Say,
    Seen,
    SetAdvantage,
    SetMinimum,
    Starting,
    TimePassed,
    Unheard,
    Weighed,
)
from equipoise.play.live.levers import RatingUnits, bot_skills
from equipoise.play.live.session import IDLE, OPEN, Session
from equipoise.ratings.display_scale import NOBODY, mean_bot, scale_of
from equipoise.service.console_link import link_to
from equipoise.service.link_codes import redeem
from equipoise.service.live_settings import Playing
from equipoise.service.snapshot import nearest

#: Seconds between two codes that somebody types to link an id.
BETWEEN_CODES = 3.0

#: More players than this are not ranked for the chat.
MOST_RANKED = 20_000


class ArchiveRatings:
    """The ratings of one archive in one ruleset.

    Parameters
    ----------
    archive : Archive
        Where matches are kept.
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._standing: Standing = archive.standing()
        self._identities = archive.identities()
        #: From the id of each who was seen on the server to the person whom the archive knows.
        self._people: dict[str, str] = {}
        #: What is played, and where.
        self.ruleset, self.map = Ruleset(), ""

    def read(self) -> None:
        """Read what the archive knows now."""
        if self._archive.is_behind() and self._archive.writable:
            self._archive.update_ratings()
        self._standing, self._identities = self._archive.standing(), self._archive.identities()
        self._people.clear()

    def meet(self, player: str, name: str) -> str:
        """Note who comes under an id and a name; return what is to be reported of an id that several have."""
        person = self._people[player] = self._identities.person(player, name)
        several = self._identities.shared.get(base_of(player, name))
        if several is None:
            return ""
        who = f"{name} is {person}" if self._has_played(person) else f"{name} is somebody new"
        return printable(
            f"{base_of(player, name)} is the id of several: {', '.join(sorted(set(several.values())))}; {who}"
        )

    def _has_played(self, person: str) -> bool:
        return any(player == person for player, _ in self._standing.known.games)

    def _person(self, player: str) -> str:
        return self._people.get(player) or self._identities.merged.get(player, player)

    def rating(self, player: str) -> Rating | None:
        """Return what is known of somebody, None for a stranger."""
        known, standing = self._person(player), self._standing
        if not self._has_played(known):
            return None
        return standing.model.rating(standing.state, known, self._nearest())

    def _nearest(self) -> Ruleset | None:
        """Return the ruleset that ratings are of; None for what those that were played have in common."""
        found = nearest(self.ruleset, self._standing.rulesets)
        return None if found == Ruleset() else found

    def known(self, ids: Iterable[str]) -> RatingsKnown:
        """Return what a session needs to know."""
        standing, ruleset = self._standing, self._nearest()
        model: Any = standing.model
        default = model.rating(standing.state, NOBODY, ruleset)
        there = list(ids)
        found = {player: rating for player in there if (rating := self.rating(player)) is not None}
        reach = scale_of(model, standing.state, ruleset).reach / 3.0
        beta = getattr(model, "beta", None) or reach
        zero = getattr(model, "zero", None)
        levels = [
            (float(level), model.rating(standing.state, player, ruleset))
            for player in model.players(standing.state)
            if is_bot(player) and (level := player.rpartition(":")[2]).replace(".", "", 1).isdigit()
        ]
        mean = Rating(mean_bot(model, standing.state, ruleset)[0], default.sigma if not levels else 0.0)
        side = standing.side_chance(ruleset, self.map)
        scale = RatingUnits(beta, default.mu - beta if zero is None else zero, side)
        ranks = self._ranks(ruleset)
        ranks |= {player: ranks[who] for player in there if (who := self._person(player)) in ranks}
        return RatingsKnown(found, default, bot_skills(levels, mean), scale, ranks)

    def _ranks(self, ruleset: Ruleset | None) -> dict[str, tuple[int, int, float]]:
        """Return rank, number and shown weight of everyone who has played, bots left out."""
        standing, model = self._standing, self._standing.model
        people = [player for player in model.players(standing.state) if not is_bot(player)]
        if not people or len(people) > MOST_RANKED:
            return {}
        scale = scale_of(model, standing.state, ruleset)
        skills = {player: model.rating(standing.state, player, ruleset).mu for player in people}
        order = sorted(people, key=lambda player: (-skills[player], player))
        return {player: (n + 1, len(order), scale.shown(skills[player])) for n, player in enumerate(order)}


#: Games with a number of players from which on they say something, and how many standard errors are enough.
LEAST, ERRORS = 10, 2.0


def map_ranges(matches: Iterable[Match], *, least: int = LEAST) -> dict[str, tuple[int, int | None]]:
    """Return for how many players maps are best: the least, 0 for any, and the most, None for any.

    Parameters
    ----------
    matches : iterable of Match
        What was played; games without scores of teams say nothing.
    least : int
        How many games with a number of players are needed before it is judged.

    Examples
    --------
    >>> from equipoise.core.match import Ruleset
    >>> def game(n, loser):
    ...     teams = [list("abcd"[:n]), list("efgh"[:n])]
    ...     return Match([Contest(Ruleset("g"), teams, (0, 1), scores=(20, loser))], map="dm1")
    >>> map_ranges([game(2, 18), game(3, 18), game(4, 2)] * 10)
    {'dm1': (0, 6)}
    """
    games: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for match in matches:
        result = match.contests[-1] if match.map and match.contests else None
        if result is not None and len(result.teams) > 1 and (gap := _one_sided(result)) is not None:
            size = round(sum(share for team in result.teams for _, share in team))
            games[match.map][size].append(gap)
    found = {name: _range(sizes, least) for name, sizes in games.items()}
    return {name: span for name, span in found.items() if span != (0, None)}


def _one_sided(result: Contest) -> float | None:
    """Return how far the last one's score falls short of the winner's, from 0 to 1."""
    if not result.scores or min(result.scores) < 0.0 or not math.isfinite(max(result.scores)):
        return None
    most = max(result.scores)
    return 1.0 - min(result.scores) / most if most > 0.0 else None


def _range(sizes: dict[int, list[float]], least: int) -> tuple[int, int | None]:
    """Return the range of one map, from how one-sided its games were with each number of players."""
    judged = {size: gaps for size, gaps in sorted(sizes.items()) if len(gaps) >= least}
    if len(judged) < 2:
        return 0, None
    order = list(judged)
    best = min(order, key=lambda size: (np.mean(judged[size]), size))
    good = [not _worse(judged[size], judged[best]) for size in order]
    low = high = order.index(best)
    while low > 0 and good[low - 1]:
        low -= 1
    while high + 1 < len(order) and good[high + 1]:
        high += 1
    return order[low] if low > 0 else 0, order[high] if high + 1 < len(order) else None


def _worse(gaps: Sequence[float], best: Sequence[float]) -> bool:
    """Tell whether games were more one-sided than others, beyond what chance does."""
    error = math.sqrt(sum(float(np.var(each, ddof=1)) / len(each) for each in (gaps, best)))
    return float(np.mean(gaps) - np.mean(best)) > ERRORS * error + 1e-9


#: Seconds between two looks at the server's own list, where everyone is where they are to be, and where not.
LOOK, LOOK_SOON = 10.0, 3.0

#: Seconds between two looks while nothing is ordered before the list was read, and how many answers that are
#: no list say that there is none.
LOOK_FIRST, NOT_LISTS = 1.0, 3

#: Seconds after which somebody of whom the log has said nothing is asked for: who loads a level comes later.
UNHEARD_OF = 3.0

#: Seconds between two looks at what time has made due.
TICK = 0.25

#: How settings begin among orders: they need not be made twice.
SETS = "set "

#: Seconds for a search for teams.
SECONDS = 1.0

#: Seconds after which what goes on is kept for the service: at the soonest, and where nothing changes.
SHOWN_SOON, SHOWN_STILL = 1.0, 30.0

#: The newest games from which ranges of maps are read, at the start.
MOST_GAMES = 2000

#: Games of the ledger that are read at the start.
MOST_KEPT = 500

log = logging.getLogger(__name__)


class BalancedServer:
    """One server, step by step.

    Parameters
    ----------
    archive : Archive
        Where matches are kept and ratings are known.
    settings : Playing
        Its settings.
    say : callable
        Takes a line of text for each thing that is done.
    dry : bool
        Whether commands are only printed, and nothing is sent.
    """

    def __init__(
        self, archive: Archive, settings: Playing, say: Callable[[str], None], *, dry: bool = False
    ) -> None:
        self.settings = settings
        self._archive, self._say, self._dry = archive, say, dry
        family = self._family = settings.family()
        self._log = family.log(ranges(archive, settings), settings.players)
        self._watch = Watch(archive, settings.log, family.game, tap=self._tap, zone=settings.zone)
        self._rated = ArchiveRatings(archive)
        self._console = family.remote(settings.password or "none")
        self._link = link_to(settings.address() if settings.rcon and not dry else None, self._console)
        self._lines = family.console(settings.players)
        #: Whether anything is sent.
        self._sends = bool(settings.rcon) and not dry
        self.session = _session(settings, lists=self._sends)
        self._trouble, self._unsent = "", 0
        self._unmoved_reported = False
        self._not_lists = 0
        self.there: dict[int, Joined] = {}
        #: Everybody's name by now, and that of those who are on the way.
        self._names: dict[int, str] = {}
        #: The lines that were ordered and whose effect was not seen yet, each with what for and of whom.
        self._ordered: dict[str, tuple[Command, str]] = {}
        self._caught_up = False
        self._events: list[Event] = []
        self._announced = self._ended = float("-inf")
        self._gone_on = 0
        self._linked: dict[int, float] = {}
        #: Since when nobody knows who is in a slot.
        self._unknown: dict[int, float] = {}
        self._looked = self._asked = self._ticked = float("-inf")
        self._begun = False
        self._shown: dict[str, Any] = {}
        self._shown_at = float("-inf")
        #: When the present step began, in the time that steps are given and by the clock.
        self._now, self._stepped = float("-inf"), 0.0

    def close(self) -> None:
        """Let go of the log and the console."""
        self._watch.__exit__(None, None, None)
        self._link.close()

    def fileno(self) -> int:
        """Return what can be waited for."""
        return self._link.fileno()

    def step(self, now: float) -> None:
        """Do whatever is due: read, rate, decide, send.

        Parameters
        ----------
        now : float
            Seconds on a clock that does not run backwards.
        """
        self._now, self._stepped = now, time.perf_counter()
        if self._sends and (self._console.ordering or self._console.underway):
            self._do(self.session.handle(Busy(once=self._console.underway), now))
        self._read(now)
        self._link.tend(now)
        for packet in self._link.arrived():
            self._console.receive(packet, now)
        for answer in self._console.answers():
            if answer.text is not None:
                self._answered(answer.question, answer.text, now)
        self._hear(now)
        if now - self._ticked >= TICK:
            self._ticked = now
            self._wait_for_it(now)
        self._look(now)
        if self._sends:
            self._withdraw()
            for packet in self._console.outgoing(now):
                self._link.send(packet)
        self._show(now)

    def _hear(self, now: float) -> None:
        """Say once what is wrong with the console; nothing is ordered until it is well again."""
        if self._console.unsent > self._unsent:
            self._say(
                "what was ordered last was not sent: the server began another map, or the console was lost"
            )
            self._unsent = self._console.unsent
        where, trouble = self.settings.rcon, ""
        if self._console.refused:
            trouble = f"{where} refuses the password of the console: correct the file that holds it"
        elif self._console.silent:
            trouble = f"{where} does not answer: is the server up, its port right, its rcon password set?"
        elif self._not_lists >= NOT_LISTS:
            trouble = (
                f"{where} does not answer {self._family.players!r}: the server is of another game, or this "
                f"command is switched off there"
            )
        if trouble == self._trouble:
            return
        self._trouble = trouble
        if trouble:
            self._say(f"{trouble}; nothing is ordered until then")
            self._console.forget_orders()
            self._ordered.clear()
            self._do(self.session.handle(Unheard(), now))
        else:
            self._say(f"{where} answers")

    def _show(self, now: float) -> None:
        """Keep what goes on where the service can see it, now and then; who plays stays here."""
        if self._dry or not self._caught_up or now - self._shown_at < SHOWN_SOON:
            return
        shown = self.session.as_public(self.settings.title)
        if shown != self._shown or now - self._shown_at >= SHOWN_STILL:
            self._shown, self._shown_at = shown, now
            self._archive.keep_session(shown["server"], {**shown, "at": time.time()})

    # What happened

    def _tap(self, piece: bytes) -> None:
        """Take a piece of the log as it is read for the ratings."""
        if piece == BREAK:
            self._log.again()
        else:
            self._events += self._log.read(piece)

    def _read(self, now: float) -> None:
        """Read what is new in the log, learn from games that ended, and pass on what happened."""
        tally, _ = self._watch.step()
        for text in self._watch.news():
            self._say(text)
        events, self._events = self._events, []
        if not self._caught_up:
            self._catch_up(events, now)
            return
        if tally.matches:
            self._say(f"rated {tally.matches} game{'s' if tally.matches > 1 else ''}")
        for event in events:
            self._happened(event, now)
            if isinstance(event, Ended):
                self._knows(now)
                if self._family.keeps_teams:
                    self._happened(Starting(), now)
        if tally.matches and not any(isinstance(event, Ended) for event in events):
            self._knows(now)

    def _catch_up(self, events: list[Event], now: float) -> None:
        """Take what was written before: nothing of it is acted upon."""
        self._caught_up = True
        self._knows(now)
        for event in events:
            self._note(event, now)
            self.session.handle(event, now)
        for event in self._log.begin():
            self.session.handle(event, now)
        self._knows(now)
        self.session.played.games = self._kept_games()
        if self.session.phase == IDLE:
            self._happened(Announced(), now)
        elif self.session.phase == OPEN:
            self._ended = now
        self._happened(Resumed(), now)

    def _note(self, event: Event, now: float) -> None:
        """Keep in mind who is there, and when games are announced and end."""
        if isinstance(event, Joined):
            self.there[event.slot] = event
        elif isinstance(event, Left):
            self.there.pop(event.slot, None)
            self._names.pop(event.slot, None)
        if isinstance(event, Joined | Renamed):
            self._names[event.slot] = event.name
        elif isinstance(event, Announced):
            self._announced, self._ended, self._gone_on = now, float("-inf"), 0
            self._console.forget_orders(same_server=event.same_server)
            self._ordered.clear()
            self._looked = float("-inf")
            # A server that is another one has not the settings of the last.
            self._begun = self._begun and event.same_server
        elif isinstance(event, Ended):
            self._ended = now

    def _happened(self, event: Event, now: float) -> None:
        """Take an event, and do what follows from it."""
        event = _with_sides(event, self._family.sides)
        if isinstance(event, Announced) and (event.ruleset, event.map) != (
            self._rated.ruleset, self._rated.map
        ):  # fmt: skip
            self._rated.ruleset, self._rated.map = event.ruleset, event.map
            self._note(event, now)
            self._knows(now)
        self._note(event, now)
        if isinstance(event, Joined):
            if reported := self._rated.meet(event.id, event.name):
                self._say(reported)
            weight = Weighed(event.id, self._rated.rating(event.id))
            self._do(self.session.handle(weight, now))
        if isinstance(event, Chatted) and event.text.lower().startswith("!link ") and not self._dry:
            self._redeem(event, now)
        before = len(self.session.played.games)
        self._do(self.session.handle(event, now))
        if len(self.session.played.games) > before and not self._dry:
            kept = {"kind": LIVE, "game": as_plain(self.session.played.games[-1])}
            self._archive.add_night_events([kept], None)

    def _redeem(self, event: Chatted, now: float) -> None:
        """Let whoever asked for a code in a chat be the player who types it here."""
        player = self.there.get(event.slot)
        if player is None or player.bot or now - self._linked.get(event.slot, float("-inf")) < BETWEEN_CODES:
            return
        self._linked[event.slot] = now
        try:
            code = event.text.partition(" ")[2]
            redeem(self._archive, code, without_number(player.id), time.time())
            text = "You are one person there and here from now on."
        except InputError as error:
            text = f"No: {error}"
        self._do([Say(text, event.slot)])

    def _kept_games(self) -> list[LedgerGame]:
        """Return what the ledger knows of earlier runs, on any server of the archive."""
        kept = [event for event in self._archive.night_events() if event["kind"] == LIVE]
        return [from_plain(LedgerGame, event["game"]) for event in kept[-MOST_KEPT:]]

    def _knows(self, now: float) -> None:
        """Tell the session what ratings say of those who are there."""
        self._rated.ruleset = self._log.ruleset
        self._rated.read()
        ids = [each.id for each in self.there.values()]
        for each in self.there.values():
            self._rated.meet(each.id, each.name)
        self._do(self.session.handle(self._rated.known(ids), now))

    def _answered(self, question: str, text: str, now: float) -> None:
        """Take what a question to the console was answered with."""
        event = self._log.answered(question, text)
        if question == self._family.players:
            self._not_lists = 0 if isinstance(event, Seen) else self._not_lists + 1
        if isinstance(event, Seen):
            event = replace(event, asked=self._asked)
            self._happened(event, now)
            unknown = self.session.unknown_slots
            self._unknown = {slot: self._unknown.get(slot, now) for slot in unknown}
            late = [slot for slot, since in sorted(self._unknown.items()) if now - since >= UNHEARD_OF]
            for who in self._lines.who(late):
                self._console.ask(who)
        elif isinstance(event, Joined) and event.slot not in self.session.state.seats:
            self._happened(event, now)
            self._looked = float("-inf")
        elif isinstance(event, CannotMove):
            if not self._unmoved_reported:
                self._say(f"{self.settings.rcon} does not know {question!r}: moves are suggested in the chat")
            self._unmoved_reported = True
            self._happened(event, now)

    # What is to be done

    def _wait_for_it(self, now: float) -> None:
        """Note that time has passed: a game that was announced begins, one that has ended goes on."""
        if now - self._announced >= self._family.begins_after:
            self._announced = float("inf")
            for event in self._log.begin():
                self._happened(event, now)
        people = any(not each.bot for each in self.there.values())
        waited = self.settings.intermission * (1 + self._gone_on)
        go_on = self._family.go_on
        if people and self._gone_on < len(go_on) and now - self._ended >= waited and self._ended > 0:
            self._send([go_on[self._gone_on]])
            self._gone_on += 1
        self._do(self.session.handle(TimePassed(), now))

    def _look(self, now: float) -> None:
        """Ask the server for its own list now and then."""
        if self._dry:
            return
        if not self._begun and self.session.listed and self._console.idle:
            self._send([])
        is_calm = self.session.settled or self.session.phase in (IDLE, OPEN)
        between = LOOK if is_calm and not self.session.unknown_slots else LOOK_SOON
        if not (self.session.listed or self._trouble):
            between = LOOK_FIRST
            if now < self.session.lists_count_from or self._console.underway:
                return
        if now - self._looked >= between and self._console.idle:
            self._looked = self._asked = now
            self._console.ask(self._family.players)

    def _do(self, commands: Iterable[Command]) -> None:
        """Carry commands out, and tell them."""
        given = sorted(commands, key=lambda command: not isinstance(command, MovePlayer))
        passed = time.perf_counter() - self._stepped
        given = [command for command in given if self._in_time(command, passed)]
        for command in given:
            unsent = "; not sent" if self._trouble else ""
            self._say(worded(command, self.there, self._family.sides) + unsent)
        named, seats = self._named(), self.session.state.seats
        lines: list[str] = []
        ordered: dict[str, tuple[Command, str]] = {}
        for command in given:
            of_command = self._lines.lines([command], named)
            lines += [line for line in of_command if line not in lines or not line.startswith(SETS)]
            if isinstance(command, MovePlayer | RemoveBot | AddBot):
                who = "" if isinstance(command, AddBot) else seats[command.slot].id
                ordered |= {line: (command, who) for line in of_command if not line.startswith(SETS)}
        if self._send(lines):
            self._ordered |= ordered

    def _named(self) -> dict[int, Joined]:
        """Return everybody with the name they have now, and those on the way with nothing else."""
        return {
            slot: replace(self.there[slot], name=name) if slot in self.there else Joined(slot, "", name)
            for slot, name in self._names.items()
        }

    def _withdraw(self) -> None:
        """Take orders back whose effect the log has shown, or that are no longer wanted."""
        if not self._ordered:
            return
        wanted, expects, named = self.session.wanted, self.session.expecting, self._named()
        done = [
            line
            for line, (command, who) in self._ordered.items()
            if not (expects if isinstance(command, AddBot) else (command, who) in wanted)
            or (isinstance(command, RemoveBot) and self._lines.lines([command], named) != [line])
        ]
        for line in done:
            del self._ordered[line]
        if done:
            self._console.withdraw(done)

    def _in_time(self, command: Command, passed: float) -> bool:
        """Tell whether somebody who is moved still can be, some seconds after it was decided."""
        if not isinstance(command, MovePlayer):
            return True
        return self.session.can_be_moved_at(command.slot, self._now + passed)

    def _send(self, lines: list[str]) -> bool:
        """Order lines, after those that a server must know first; return whether they are."""
        if self._dry or self._trouble:
            return False
        if not self._begun and self.session.listed:
            self._begun, lines = True, [*self._lines.begin(), *lines]
        if lines:
            self._console.order(lines)
        return True


def _with_sides(event: Event, sides: tuple[str, ...]) -> Event:
    """Return what happened, with what teams of the game are called."""
    return replace(event, sides=sides) if isinstance(event, Announced) and event.sides == SIDES else event


def _session(settings: Playing, *, lists: bool) -> Session:
    """Return the state machine of a server."""
    family, policy = settings.family(), settings.policy
    return Session(
        replace(
            policy, retry_seconds=max(policy.retry_seconds, family.move_seconds),
            bots=policy.bots and family.bots,
        ),
        lambda: deadline(SECONDS),
        moves_bots=family.moves_bots, lists=lists,
        moves=family.moves, moves_kill=family.moves_kill, tells=family.tells,
    )  # fmt: skip


def ranges(archive: Archive, settings: Playing) -> Ranges:
    """Return for how many players maps are made, as the settings say, or else as games have shown."""
    if not settings.map_ranges:
        return settings.maps
    played = [each.match for each in archive.listed(None, MOST_GAMES) if not each.undone]
    return {**map_ranges(played), **settings.maps}


def worded(command: Command, there: dict[int, Joined], sides: Sequence[str] = SIDES) -> str:
    """Return a command as people read it."""
    from equipoise.play.live.chat_answers import called, describe_advantage

    if isinstance(command, MovePlayer):
        name = there[command.slot].name if command.slot in there else ""
        return f"move {command.slot} {name} to {called(command.team, sides)}"
    if isinstance(command, AddBot):
        level = "" if command.level is None else f" of skill {command.level:g}"
        return f"add a bot{level} to {called(command.team, sides)}"
    if isinstance(command, RemoveBot):
        return f"remove bot {command.slot}"
    if isinstance(command, SetMinimum):
        return f"{command.players} players with bots"
    if isinstance(command, SetAdvantage):
        return f"advantage {describe_advantage(command.factors, sides) or 'even'}"
    return f"say{'' if command.slot is None else f' to {command.slot}'}: {_text(command)}"


def _text(command: Say) -> str:
    return command.text


#: Seconds between two games of a record, in which every command would have had its effect.
BETWEEN = 60.0


def replay(archive: Archive, settings: Playing) -> Iterator[str]:
    """Give what would have been done, a line for each game and command.

    The record goes on as it did, whatever would have been done about it; so every game begins with the teams
    that it really had.

    Parameters
    ----------
    archive : Archive
        What is known; it is not changed.
    settings : Playing
        The server, with its log.

    Raises
    ------
    InputError
        If no game begins in the log.
    """
    family = settings.family()
    log = family.log(ranges(archive, settings), settings.players)
    rated = ArchiveRatings(archive)
    session = _session(settings, lists=False)
    there: dict[int, Joined] = {}
    now, games = 0.0, 0

    def happened(event: Event) -> Iterator[str]:
        for command in session.handle(event, now):
            yield f"  {worded(command, there, family.sides)}"

    for piece in pieces(Source(settings.log, named=True)):
        for read in log.read(piece):
            now += 0.1
            event = _with_sides(read, family.sides)
            if isinstance(event, Announced):
                games, now = games + 1, now + BETWEEN
                yield f"game {games}: {event.map}"
                rated.ruleset, rated.map = event.ruleset, event.map
                yield from happened(rated.known([each.id for each in there.values()]))
            elif isinstance(event, Joined):
                there[event.slot] = event
                if reported := rated.meet(event.id, event.name):
                    yield f"  {reported}"
                yield from happened(Weighed(event.id, rated.rating(event.id)))
            elif isinstance(event, Left):
                there.pop(event.slot, None)
            yield from happened(event)
            if isinstance(event, Ended) and family.keeps_teams:
                yield from happened(Starting())
    if not games:
        msg = f": {settings.log} has no game of {settings.game}; --game says what the server plays"
        raise InputError(msg, "log")
