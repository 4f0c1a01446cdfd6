"""The running game: one server from the first minute to the last, as a state machine.

:meth:`Session.handle` takes what happened and gives what is to be done.  It keeps two things: who is on the
server and where they are (what events say), and where they are to be (what was decided).  Commands are the
difference between the two, so that what got lost is given again after a while, what happened already is not
asked for, and a session that begins in the middle of anything converges like any other.

Decisions are made when something calls for them, and at no other time:

=====================  ====================================================================================
about to start         teams of everyone, at a price for each move
somebody joins         a team for them, by the effect with the bot that leaves or comes; before the game
                       begins teams are chosen once more for all who come
somebody leaves        bots that fill up; where that leaves the game uneven, volunteers are asked for
somebody changes team  accepted where it does no harm, else taken back
``!switch``            done where it does no harm, else kept in mind
=====================  ====================================================================================

Nobody who plays is moved otherwise unless the policy allows it, and then never the same person twice in a
row, nobody who carries a flag, and nobody in the last minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from equipoise.core.rulesets import ruleset_text
from equipoise.core.stopping import Stop, never
from equipoise.play.ledger import LedgerGame, accounts
from equipoise.play.live import chat_answers
from equipoise.play.live.decisions import (
    HARMLESS,
    best_switch,
    chances,
    divided,
    imbalance,
    owed,
    placed,
    wanted_bots,
)
from equipoise.play.live.events import (
    AddBot,
    Announced,
    Busy,
    CannotMove,
    Carrying,
    Changed,
    Chatted,
    Clock,
    Command,
    Died,
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
    Spawned,
    Started,
    Starting,
    Swapped,
    Unheard,
    Weighed,
)
from equipoise.play.live.state import Policy, Seat, State


class Pending:
    """Commands that were given and have had no effect yet: they are not given again for a while.

    A bot that was asked for is on its way until it comes, or until the server's own list, asked for after all
    orders had been carried out, has shown that it did not; and so is one that was sent away.

    Parameters
    ----------
    moves_bots : bool
        Whether a bot that is in the wrong team is moved, where the server can do that.
    lists : bool
        Whether the server's own list is read; otherwise time alone tells that a bot does not come.
    """

    def __init__(self, *, moves_bots: bool = False, lists: bool = False) -> None:
        self._moves_bots = moves_bots
        #: Which team gets the first bot: the other one each game, so that no team has what the first one has.
        self.first = 0
        self._sent: dict[tuple[Command, str], float] = {}
        self._coming: list[tuple[AddBot, float]] = []
        #: What was given before this had its effect by then, or never will.
        self._known_at = float("-inf") if lists else float("inf")

    def left(self, seat: Seat) -> None:
        """Expect nothing of somebody who is gone; one who comes back is asked for again."""
        self._sent = {key: at for key, at in self._sent.items() if key[1] != seat.id}

    def postpone(self, now: float, *, once: bool) -> None:
        """Expect nothing of what was given sooner than if it were given now."""
        self._sent = {
            key: now if once or not isinstance(key[0], RemoveBot) else at for key, at in self._sent.items()
        }
        if once:
            self._coming = [(command, now) for command, _ in self._coming]

    def no_longer_wait(self) -> None:
        """Let the next list decide of bots at once: they were ordered for the level before."""
        self._coming = [(command, float("-inf")) for command, _ in self._coming]

    def listed(self, asked: float) -> None:
        """Note that a list was read that was asked for at this time, when nothing was under way."""
        self._known_at = max(self._known_at, asked)

    @property
    def expecting(self) -> bool:
        """Whether bots are expected to come or to go."""
        return bool(self._coming) or any(_is_once(command, who) for command, who in self._sent)

    def came(self, seat: Seat) -> None:
        """Note that a bot came that was asked for."""
        for n, (command, _) in enumerate(self._coming):
            if command.team == seat.team and command.level in (None, seat.level):
                del self._coming[n]
                return

    def wanted(self, state: State) -> set[tuple[Command, str]]:
        """Return what is to be done with those who are there, asked for or not, and their ids."""
        bots = [command for command in self._bots(state) if not isinstance(command, AddBot)]
        moves = [MovePlayer(seat.slot, state.plan[seat.id]) for seat in state.astray()]
        return {(command, state.seats[command.slot].id) for command in (*moves, *bots)}

    def nothing(self, state: State) -> bool:
        """Whether everyone is where they are to be, and nobody is expected."""
        return not (list(state.astray()) or self._coming or self._bots(state))

    def commands(
        self,
        state: State,
        now: float,
        unknown: int = 0,
        movable: Callable[[Seat], bool] = bool,
        *,
        ordering: bool = False,
    ) -> list[Command]:
        """Return what is to be done, without what was asked for just now.

        Parameters
        ----------
        state : State
            Who is there, and where they are to be.
        now : float
            Seconds.
        unknown : int
            How many more are on the server who have no team yet: bots do not take their places.
        movable : callable
            Whether somebody can be moved now; by default everyone can.
        ordering : bool
            Whether orders are under way: bots who would have to wait for them, to come, are decided on later
            instead.
        """
        retry, known_at = state.policy.retry_seconds, self._known_at
        self._coming = [each for each in self._coming if now - each[1] < retry or each[1] >= known_at]
        self._sent = {
            (command, who): at
            for (command, who), at in self._sent.items()
            if now - at < retry or (_is_once(command, who) and at >= known_at)
        }
        fresh: list[Command] = []
        wanted = [MovePlayer(seat.slot, state.plan[seat.id]) for seat in state.astray() if movable(seat)]
        for command in [*wanted, *self._bots(state, unknown)]:
            if isinstance(command, AddBot) and ordering:
                continue
            if isinstance(command, AddBot):
                self._coming.append((command, now))
                fresh.append(command)
            elif (key := (command, state.seats[command.slot].id)) not in self._sent:
                self._sent[key] = now
                fresh.append(command)
        return fresh

    def _bots(self, state: State, unknown: int = 0) -> list[MovePlayer | AddBot | RemoveBot]:
        """Return which bots to move, to remove and to add; replacements are added afterwards."""
        if not state.policy.bots:
            return []
        lacking: list[list[AddBot]] = []
        extra = [seat for seat in state.seats.values() if seat.bot and seat.team is None]
        for team, levels in enumerate(state.bots):
            there = [seat for seat in state.seats.values() if seat.bot and seat.team == team]
            left, beyond = _matched(levels, there)
            lacking.append([AddBot(team, level) for level in left])
            extra += beyond
        missing = in_turn(lacking, self.first)
        moved: list[MovePlayer] = []
        for seat in extra[:] if self._moves_bots else ():
            fits = next((add for add in missing if add.level in (None, seat.level)), None)
            if fits is not None:
                missing.remove(fits)
                extra.remove(seat)
                moved.append(MovePlayer(seat.slot, fits.team))
        underway = [command for command, _ in self._coming]
        come: list[AddBot] = []
        for add in missing:
            if add in underway:
                underway.remove(add)
            else:
                come.append(add)
        # Those who come though they are no longer wanted, or to another team, have places too.
        taken = len(extra) + unknown + len(underway)
        return [*moved, *(RemoveBot(seat.slot) for seat in extra), *come[taken:]]


def _is_once(command: Command, who: str) -> bool:
    """Tell whether a command must not be given twice: a bot that is moved is added again on some servers."""
    return isinstance(command, RemoveBot) or (isinstance(command, MovePlayer) and who.startswith("bot:"))


def in_turn(lacking: list[list[AddBot]], first: int) -> list[AddBot]:
    """Return the bots of all teams in an order in which no team is ahead, the sequence of Thue and Morse.

    On OpenArena the team whose bots come first wins more often than not, also if teams come there and back.

    Examples
    --------
    >>> [bot.team for bot in in_turn([[AddBot(0)] * 4, [AddBot(1)] * 3], 1)]
    [1, 0, 0, 1, 0, 1, 0]
    """
    waiting = [list(bots) for bots in lacking]
    order = [(first + n) % len(waiting) for n in range(len(waiting))]
    found: list[AddBot] = []
    for n in range(max(map(len, waiting), default=0)):
        back = n.bit_count() % 2
        found += [waiting[team].pop(0) for team in (order[::-1] if back else order) if waiting[team]]
    return found


def _matched(levels: tuple[float | None, ...], there: list[Seat]) -> tuple[list[float | None], list[Seat]]:
    """Return the levels that no bot has, and the bots that are too many: those who came last."""
    left = list(levels)
    extra: list[Seat] = []
    for seat in sorted(there, key=lambda seat: (seat.since, seat.slot)):
        if seat.level in left:
            left.remove(seat.level)
        elif None in left:
            left.remove(None)
        else:
            extra.append(seat)
    return left, extra


def accepted_switch(state: State, seat: Seat, team: int) -> dict[str, int] | None:
    """Return the plan with somebody in the team they changed to by themselves, None where that does harm."""
    plan = {**state.plan, seat.id: team}
    if imbalance(chances(state, plan)) > imbalance(chances(state)) + HARMLESS:
        return None
    sizes = replace(state, plan=plan).sizes()
    return plan if max(sizes) - min(sizes) <= 1 else None


class Switching:
    """What is kept in mind of a running game.

    Parameters
    ----------
    last_moved : str
        Who was moved last, and so is not the next.
    """

    def __init__(self, last_moved: str = "") -> None:
        self.volunteers: dict[str, None] = {}
        self.last_moved = last_moved
        #: Whether volunteers are to be asked for now.
        self.asks = False
        self._asked = False
        self._since: float | None = None

    def plan(self, state: State, now: float) -> dict[str, int] | None:
        """Return the plan after a switch, None where nobody changes sides.

        A carrier stays, and so does a player on the way to another team.
        """
        self.asks = False
        uneven = imbalance(chances(state))
        movable = [
            seat
            for seat in state.people()
            if not seat.carrying and seat.team is not None and state.plan.get(seat.id) == seat.team
        ]
        ready = [seat for seat in movable if seat.id in self.volunteers]
        plan = best_switch(state, ready, uneven + HARMLESS) if ready else None
        if plan is None:
            plan = self._forced(state, movable, uneven, now)
        if plan is not None:
            moved = [seat.id for seat in movable if plan[seat.id] != state.plan[seat.id]]
            for each in moved:
                self.volunteers.pop(each, None)
            self.last_moved = moved[0]
            self._since, self._asked = None, False
        return plan

    def _forced(self, state: State, movable: list[Seat], uneven: float, now: float) -> dict[str, int] | None:
        """Ask for volunteers in an uneven game; move somebody where none came and the policy allows it."""
        policy = state.policy
        if uneven < policy.worth or not movable:
            self._since, self._asked = None, False
            return None
        others = [seat for seat in movable if seat.id != self.last_moved]
        if self._since is None:
            self._since = now
            if not self._asked and best_switch(state, movable, uneven - HARMLESS) is not None:
                self._asked = self.asks = True
            return None
        if not policy.move_alive or now - self._since < policy.volunteer_seconds:
            return None
        return best_switch(state, others, uneven - HARMLESS)


class Played:
    """The games that have ended, and what the ledger needs to know of the one that runs."""

    def __init__(self) -> None:
        self.games: list[LedgerGame] = []
        #: Who was moved to another team for the game that is about to start.
        self.moved: tuple[str, ...] = ()
        self._teams: tuple[tuple[str, ...], ...] = ()
        self._expected: tuple[float, ...] = ()

    def begin(self, state: State) -> None:
        """Note the teams of a game that starts, and their chances."""
        teams: list[list[str]] = [[] for _ in range(state.match.teams)]
        for player, team in state.plan.items():
            teams[team].append(player)
        self._teams = tuple(map(tuple, teams))
        self._expected = chances(state) if state.bots else ()

    def end(self, scores: tuple[float, ...]) -> None:
        """Add the game, unless a team was empty or has no score."""
        if len(scores) == len(self._teams) == len(self._expected) and all(self._teams):
            ranks = tuple(-score for score in scores)
            self.games.append(LedgerGame(self._teams, self._expected, ranks, (), self.moved))


#: Phases of a session: nothing is known, teams are open, teams are chosen, the game runs.
IDLE, OPEN, CHOSEN, PLAYING = "idle", "open", "chosen", "playing"

#: Seconds for which a list of the server's own may be older than what was heard of somebody.
FRESH = 2.0

#: Seconds after a level begins from which on the server's own list is believed: all who stay are there again.
SETTLED = 1.0

#: Seconds after somebody came in which they are moved though alive, where that kills: they have lost nothing.
JUST_CAME = 2.0

#: Seconds for which what is suggested in the chat is waited for.
SUGGESTED_SECONDS = 60.0

#: Seconds between two answers to one player.
BETWEEN_ANSWERS = 3.0

#: Seconds for which those who come while teams are chosen are gathered, to choose once for all of them.
GATHERING = 0.5

#: Most players that a session keeps in mind, whatever a log says.
MOST_SEATS = 256


class Session:
    """One server; see the module.

    Parameters
    ----------
    policy : Policy
        What the admin wants.
    stopping : callable
        Makes what ends a search for teams that takes too long.
    moves_bots : bool
        Whether bots can be put into another team.
    lists : bool
        Whether the server's own list is read: then nothing is ordered after a change of level, a restart, or
        while the console is not heard, before the list has been read.
    moves_kill : bool
        Whether who is moved while alive dies of it; then people are moved between lives and when they have
        just come, unless the policy says otherwise.
    moves : bool
        Whether the server can move people; otherwise it is suggested in the chat.
    tells : bool
        Whether something can be said to one player; otherwise everybody reads it, after a name.

    Examples
    --------
    >>> session = Session()
    >>> for event in (Announced("oa_dm5"), Joined(0, "ann", team=0), Joined(1, "bob", team=0)):
    ...     _ = session.handle(event, 0.0)
    >>> session.handle(Starting(), 1.0)
    [SetMinimum(players=2), Say(text='Teams: Red 1, Blue 1. Chances 50 to 50.', slot=None),
     SetAdvantage(factors=(1.0, 1.0)), MovePlayer(slot=0, team=1)]
    """

    def __init__(
        self,
        policy: Policy | None = None,
        stopping: Callable[[], Stop] = lambda: never,
        *,
        moves_bots: bool = False,
        lists: bool = False,
        moves_kill: bool = False,
        moves: bool = True,
        tells: bool = True,
    ) -> None:
        self._tells = tells
        self._gentle = moves_kill and not (policy or Policy()).move_alive
        self._can_move = self._moves = moves
        self._suggested: tuple[tuple[str, int], ...] = ()
        #: What the chat was last given of the teams, and when.
        self._announcement, self._announced_at = "", float("-inf")
        self._lists, self.listed = lists, not lists
        self._level_at = float("-inf")
        self._unknown: set[int] = set()
        self.state, self.phase, self._stopping = State(policy or Policy()), IDLE, stopping
        self._commands: list[Command] = []
        self._gone: dict[int, Seat] = {}
        self._were: dict[str, int] = {}
        self._pending, self._switching = Pending(moves_bots=moves_bots, lists=lists), Switching()
        #: When orders were last under way: any, and such as must not be given twice.
        self._ordering_at = self._busy_at = float("-inf")
        self._answered: dict[int, float] = {}
        self.played = Played()
        self._now, self._began = 0.0, float("-inf")
        self._ends_at: float | None = None
        self._choose_at: float | None = None
        self._minimum: int | None = None
        self._factors: tuple[float, ...] = ()

    def handle(self, event: Event, now: float) -> list[Command]:
        """Take what happened, and return what is to be done.

        Parameters
        ----------
        event : Event
            What happened.
        now : float
            Seconds on any clock that does not run backwards.
        """
        self._commands, self._now = [], now
        taken_by = _TAKEN_BY.get(type(event))
        if taken_by is not None:
            getattr(self, taken_by)(event)
        if self.phase == CHOSEN and self._choose_at is not None and now >= self._choose_at:
            self._choose(announce=False)
        if self.phase in (CHOSEN, PLAYING):
            self._settle_grace()
            self._look_after_balance()
            self._even_numbers()
            if self.listed:
                self._commands += self._pending.commands(
                    self.state, now, self._without_place(), self._movable,
                    ordering=now <= self._ordering_at,
                )  # fmt: skip
            self._suggest()
        return self._commands

    def _without_place(self) -> int:
        """Return how many are there who will have a place: nobody knows who they are, or where they play."""
        return len(self._unknown) + sum(seat.id not in self.state.plan for seat in self.state.people())

    def _movable(self, seat: Seat) -> bool:
        """Tell whether somebody can be moved now."""
        return self._moves and (not self._gentle or self._now < seat.free_until)

    def _even_numbers(self) -> None:
        """Let somebody of a team with two players more change over who loses nothing by it, as they died.

        Where bots fill up they make the numbers even, and nobody is moved.
        """
        state = self.state
        if self.phase != PLAYING or not self._gentle or state.policy.bots or self._is_late():
            return
        sizes = state.sizes()
        if len(sizes) < 2 or max(sizes) - min(sizes) < 2:
            return
        largest, smallest = sizes.index(max(sizes)), sizes.index(min(sizes))
        free = [
            seat
            for seat in state.people()
            if seat.team == largest == state.plan.get(seat.id) and self._movable(seat) and not seat.carrying
        ]
        plans = [{**state.plan, seat.id: smallest} for seat in free]
        if plans:
            state.plan = min(plans, key=lambda plan: imbalance(chances(state, plan)))

    def _suggest(self) -> None:
        """Say who would have to change teams, once, where the server moves nobody."""
        if self._moves or not self.listed:
            return
        astray = [seat for seat in self.state.astray() if seat.team is not None]
        wanted = tuple((seat.id, self.state.plan[seat.id]) for seat in astray)
        if wanted and wanted != self._suggested:
            self._commands.append(Say(chat_answers.suggestion(self.state, astray)))
        self._suggested = wanted

    def as_public(self, server: str) -> dict[str, Any]:
        """Return what everybody may see, without who plays: map, phase, and for each team what it has."""
        state = self.state
        known = len(state.bots) == state.match.teams > 1
        odds = chances(state) if known else ()
        return {
            "server": server, "phase": self.phase, "map": state.match.map,
            "ruleset": ruleset_text(state.match.ruleset),
            "teams": [
                {"players": size, "bots": len(state.bots[n]) if known else 0,
                 "chance": odds[n] if known else None,
                 "advantage": self._factors[n] if n < len(self._factors) else 1.0}
                for n, size in enumerate(state.sizes())
            ],
        }  # fmt: skip

    def can_be_moved_at(self, slot: int, now: float) -> bool:
        """Tell whether somebody can still be moved: deciding takes time, and lives are short."""
        seat = self.state.seats.get(slot)
        return not self._gentle or (seat is not None and now < seat.free_until)

    @property
    def expecting(self) -> bool:
        """Whether bots are expected to come or to go."""
        return self._pending.expecting

    @property
    def wanted(self) -> set[tuple[Command, str]]:
        """What is to be done with those who are there, whether it was asked for or not, and their ids."""
        return self._pending.wanted(self.state) if self.phase in (CHOSEN, PLAYING) else set()

    @property
    def unknown_slots(self) -> frozenset[int]:
        """The slots of the server's last list of whom nothing is known."""
        return frozenset(self._unknown)

    @property
    def lists_count_from(self) -> float:
        """From when on a list that is asked for tells who is there: who stays has come again by then."""
        return self._level_at + SETTLED

    @property
    def settled(self) -> bool:
        """Whether everyone is where they are to be."""
        chosen = self.phase in (CHOSEN, PLAYING) and self._choose_at is None
        return chosen and self._pending.nothing(self.state)

    # What happened

    def _announced(self, event: Announced) -> None:
        state, before = self.state, self.state.match
        if event.teams != before.teams:
            state.plan.clear()
        state.match = event
        state.bots = ((),) * event.teams
        for seat in state.seats.values():
            seat.team = _in(state, seat.team)
        self._were.clear()
        self._suggested, self._minimum = (), None
        if event.level:
            self._unheard(Unheard())
            self._pending.no_longer_wait()
            self._level_at, self._moves = self._now, self._can_move
        self._pending.first = (self._pending.first + 1) % max(event.teams, 1)
        if self.phase == CHOSEN and (event.teams, event.ruleset) == (before.teams, before.ruleset):
            self._fill()
        else:  # teams that were chosen were for another game
            self.phase = OPEN
        self._forget_game()

    def _joined(self, event: Joined) -> None:
        state, before = self.state, self.state.seats.get(event.slot)
        if before is not None and before.id.partition("#")[0] == event.id and before.bot == event.bot:
            before.name = event.name or before.name
            self._changed(Changed(event.slot, event.team))
            return
        if before is not None:
            self._left(Left(event.slot))
        if len(state.seats) >= MOST_SEATS:
            return
        team = _in(state, event.team)
        seat = Seat(event.slot, state.unique(event.id), event.name, event.bot, team, event.level, self._now)
        if self._gentle:
            seat.free_until = self._now + JUST_CAME
        state.seats[event.slot] = seat
        self._unknown.discard(event.slot)
        self._gone.pop(event.slot, None)
        if event.bot:
            self._pending.came(seat)
        else:
            self._find_place(seat)

    def _find_place(self, seat: Seat) -> None:
        """Give somebody who comes into a game that is chosen or runs a team."""
        if self.phase not in (CHOSEN, PLAYING) or seat.id in self.state.plan:
            return
        if self.phase == CHOSEN:
            if self._choose_at is None:
                self._choose_at = self._now + GATHERING
            return
        before, team = self._were.get(seat.id), placed(self.state, seat)
        self.state.plan[seat.id] = before if before is not None and self.state.has_room(before) else team
        self._fill()

    def _left(self, event: Left) -> None:
        self._unknown.discard(event.slot)
        seat = self.state.seats.pop(event.slot, None)
        if seat is None:
            return
        self._gone.pop(event.slot, None)
        self._pending.left(seat)
        team = self.state.plan.pop(seat.id, None)
        self._switching.volunteers.pop(seat.id, None)
        if team is not None and self.phase == PLAYING:
            self._were[seat.id] = team
        if not seat.bot and self.phase in (CHOSEN, PLAYING):
            self._fill()

    def _changed(self, event: Changed) -> None:
        state, seat = self.state, self.state.seats.get(event.slot)
        if seat is None:
            return
        team, before = _in(state, event.team), seat.team
        seat.team, seat.since = team, self._now
        if seat.bot or team == before:
            return
        wanted = state.plan.get(seat.id)
        if team is None:
            if before is not None and wanted == before:  # went to watch
                seat.watching = True
                state.plan.pop(seat.id, None)
                self._refill()
        elif seat.watching or wanted is None:
            seat.watching = False
            self._find_place(seat)
        elif self.phase == PLAYING and team != wanted:
            plan = accepted_switch(state, seat, team)
            if plan is not None:
                state.plan = plan
                self._fill()

    def _renamed(self, event: Renamed) -> None:
        if event.slot in self.state.seats:
            self.state.seats[event.slot].name = event.name

    def _seen(self, event: Seen) -> None:
        asked = min(event.asked, self._now)
        for other in self.state.corrections(event.teams, self._gone, min(asked, self._now - FRESH)):
            gone = self.state.seats.get(other.slot) if isinstance(other, Left) else None
            getattr(self, _TAKEN_BY[type(other)])(other)
            if gone is not None:  # nobody said so but a list: who is on the next one has been there
                self._gone[gone.slot] = gone
        self._unknown = set(self.unknown(event))
        if asked <= self._busy_at:
            return
        self._pending.listed(asked)
        if asked - self._level_at >= SETTLED:
            self.listed = True

    def _unheard(self, _: Unheard) -> None:
        """Order nothing before the server's own list has been read."""
        self.listed = not self._lists

    def unknown(self, event: Seen) -> list[int]:
        """Return the slots of a server's list of whom nothing is known."""
        return [slot for slot in event.teams if slot not in self.state.seats]

    def _knows(self, event: RatingsKnown) -> None:
        self.state.known = event

    def _weighed(self, event: Weighed) -> None:
        known = {**self.state.known.ratings, event.id: event.rating}
        ratings = {who: rating for who, rating in known.items() if rating is not None}
        self.state.known = replace(self.state.known, ratings=ratings)

    def _starting(self, _: Starting) -> None:
        if self.phase != IDLE:
            self._choose(announce=True)

    def _started(self, _: Started) -> None:
        if self.phase in (IDLE, PLAYING):
            return
        if self.phase == OPEN or self._choose_at is not None:
            self._choose(announce=self.phase == OPEN)
        self.phase, self._began = PLAYING, self._now
        self.played.begin(self.state)

    def _resumed(self, _: Resumed) -> None:
        for seat in self.state.seats.values():
            if self._gentle:  # nobody knows when they came, nor whether they live
                seat.free_until = self._now
        if self.phase == IDLE:
            return
        for seat in self.state.people():
            if seat.team is not None:
                self.state.plan[seat.id] = seat.team
        if self.phase == PLAYING:
            self._began = float("-inf")
            self.played.begin(self.state)
        self._minimum = None  # what was asked for then may never have arrived
        self._refill()

    def _ended(self, event: Ended) -> None:
        if self.phase != PLAYING:
            return
        self.played.end(event.scores)
        self.phase = OPEN
        self._switching = Switching(self._switching.last_moved)
        self._forget_game()

    def _forget_game(self) -> None:
        """Know neither when a game ends nor who carries a flag."""
        self._ends_at = None
        for seat in self.state.seats.values():
            seat.carrying = False

    def _carrying(self, event: Carrying) -> None:
        if event.slot in self.state.seats:
            self.state.seats[event.slot].carrying = event.carries

    def _died(self, event: Died) -> None:
        if event.slot in self.state.seats:
            until = float("inf") if event.seconds is None else self._now + event.seconds
            self.state.seats[event.slot].free_until = until
            self._pending.left(self.state.seats[event.slot])  # who could not be moved before can be now

    def _spawned(self, event: Spawned) -> None:
        if event.slot in self.state.seats and self._gentle:
            self.state.seats[event.slot].free_until = self._now

    def _swapped(self, _: Swapped) -> None:
        """Follow teams that changed sides: nobody is in another one now."""
        state = self.state
        if state.match.teams != 2:
            return
        state.plan = {each: 1 - team for each, team in state.plan.items()}
        self._were = {each: 1 - team for each, team in self._were.items()}
        for seat in state.seats.values():
            seat.team = None if seat.team is None else 1 - seat.team

    def _cannot_move(self, _: CannotMove) -> None:
        self._moves = False

    def _clock(self, event: Clock) -> None:
        self._ends_at = self._now + event.left

    def _chatted(self, event: Chatted) -> None:
        seat = self.state.seats.get(event.slot)
        question = event.text.strip().lower()
        if seat is None or seat.bot or question not in chat_answers.QUESTIONS:
            return
        if question == "!switch":
            self._switching.volunteers[seat.id] = None
        last = self._answered.get(event.slot)
        if last is not None and self._now - last < BETWEEN_ANSWERS:
            return
        self._answered[event.slot] = self._now
        text = chat_answers.reply(self.state, seat, question, chosen=self.phase in (CHOSEN, PLAYING))
        private = Say(text, seat.slot) if self._tells else Say(f"{chat_answers.addressed(seat)}: {text}")
        self._commands.append(private)

    def _busy(self, event: Busy) -> None:
        self._pending.postpone(self._now, once=event.once)
        self._ordering_at = self._now
        if event.once:
            self._busy_at = self._now

    # Decisions

    def _choose(self, *, announce: bool) -> None:
        """Choose the teams of a game that is about to start."""
        state, self._choose_at = self.state, None
        was = {seat.id: seat.team for seat in state.people()}
        state.plan = divided(state, accounts(self.played.games), self._stopping())
        self.played.moved = tuple(each for each, team in state.plan.items() if was[each] not in (None, team))
        self.phase = CHOSEN if self.phase != PLAYING else PLAYING
        self._fill()
        if announce and state.plan and state.match.teams > 1:
            text = f"Teams: {chat_answers.describe_teams(state)}"
            if self._announcement != text or self._now - self._announced_at >= BETWEEN_ANSWERS:
                self._announcement, self._announced_at = text, self._now
                self._commands.append(Say(text))

    def _fill(self) -> None:
        """Decide on bots, and tell what the weaker team is owed."""
        state = self.state
        state.bots = wanted_bots(state)
        if not state.policy.bots:
            return
        minimum = sum(state.sizes()) + sum(map(len, state.bots))
        if minimum != self._minimum:
            self._minimum = minimum
            self._commands.append(SetMinimum(minimum))

    def _refill(self) -> None:
        if self.phase in (CHOSEN, PLAYING):
            self._fill()

    def _settle_grace(self) -> None:
        """Leave those where they are who could not be moved until some seconds after the start."""
        grace = self.state.policy.grace_seconds
        if not self._moves:
            grace = max(grace, SUGGESTED_SECONDS)
        if self.phase != PLAYING or self._now - self._began < grace or (self._gentle and self._moves):
            return
        if self._now <= self._ordering_at:  # they may be moved yet
            return
        began, self._began = self._began, float("inf")
        for seat in self.state.astray():
            if seat.team is not None and seat.since <= began:
                self.state.plan[seat.id] = seat.team
        self._fill()

    def _look_after_balance(self) -> None:
        """Tell what teams are owed, and change sides where that is asked for, or needed and allowed."""
        state = self.state
        if state.match.teams < 2:
            return
        factors = owed(state)
        if factors != self._factors:
            self._factors = factors
            self._commands.append(SetAdvantage(factors))
        if self.phase != PLAYING or self._is_late():
            return
        plan = self._switching.plan(state, self._now)
        if self._switching.asks:
            self._commands.append(Say("The game is uneven. Who would change sides? Write !switch"))
        if plan is not None:
            state.plan = plan
            self._fill()

    def _is_late(self) -> bool:
        """Whether these are the last minutes."""
        return self._ends_at is not None and self._ends_at - self._now < self.state.policy.last_seconds


def _in(state: State, team: int | None) -> int | None:
    """Return a team that the game has, None for any other."""
    return team if team is not None and 0 <= team < state.match.teams else None


#: What takes each kind of event; the time that passes changes nothing by itself.
_TAKEN_BY = {
    Announced: "_announced", Joined: "_joined", Left: "_left", Changed: "_changed", Renamed: "_renamed",
    Seen: "_seen", RatingsKnown: "_knows", Weighed: "_weighed", Starting: "_starting", Started: "_started",
    Resumed: "_resumed", Ended: "_ended", Carrying: "_carrying", Clock: "_clock", Chatted: "_chatted",
    Busy: "_busy", Unheard: "_unheard", Died: "_died", Spawned: "_spawned", Swapped: "_swapped",
    CannotMove: "_cannot_move",
}  # fmt: skip
