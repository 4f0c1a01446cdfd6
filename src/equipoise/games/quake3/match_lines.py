"""One game of the Quake 3 family: what each kind of line does to it, and what lines say of a client."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import datetime

from equipoise.core.dates import of_date
from equipoise.core.match import Contest, Match, Unfinished
from equipoise.games.match_in_progress import ALONE, NAME, GameHalf, Play, bot_id, guid_id, text_from
from equipoise.games.quake3.rulesets import COLOUR, URBAN_TERROR, ServerSetup

_INFO = re.compile(rb" ?(\d{1,9}) n\\([^\\]*)\\t\\(\d+)(?:\\|\s*$)")
_SKILL = re.compile(rb"\\skill\\ *(\d{1,3}(?:\.\d{1,6})?)")
_GUID = re.compile(rb"\\id\\([^\\\r]+)")
_USERINFO = re.compile(rb" ?(\d{1,9}) \\")
_CL_GUID = re.compile(rb"\\cl_guid\\([^\\\r]+)")
_NAME_IN = re.compile(rb"\\name\\([^\\\r]*)")

#: Teams of ``ClientUserinfoChanged``: who plays for themselves, red, blue; anybody else only watches.
RED, BLUE = 1, 2
_SIDES = {b"0": ALONE, b"1": RED, b"2": BLUE}


class ClientInfo:
    r"""What a ``ClientUserinfoChanged`` says of a client.

    Examples
    --------
    >>> client = ClientInfo.of(rb" 4 n\Xan\t\2\skill\ 3.00\tt\0")
    >>> client.slot, client.identity, client.side
    (b'4', 'bot:Xan:3', 2)
    """

    __slots__ = ("identity", "name", "side", "slot")

    def __init__(self, slot: bytes, identity: str, name: str, side: int | None) -> None:
        self.slot, self.identity, self.name, self.side = slot, identity, name, side

    @staticmethod
    def of(rest: bytes) -> ClientInfo | None:
        """Return what a line says; None where it is damaged."""
        info = _INFO.match(rest)
        if info is None:
            return None
        name = text_from(info[2])
        return ClientInfo(info[1], _identity(rest, name), name, _SIDES.get(info[3]))

    def may_be(self, known: str) -> bool:
        """Tell whether this may be who it was; a person without _GUID may change the name."""
        return known.partition("#")[0] == self.identity or (
            known.startswith(NAME) and self.identity.startswith(NAME)
        )


def _identity(info: bytes, name: str) -> str:
    """Return who a client is: a bot by name and level, a person by _GUID, or else by name without colours."""
    skill = _SKILL.search(info)
    if skill is not None:
        return bot_id(name, float(skill[1]))
    guid = _GUID.search(info)
    return NAME + (COLOUR.sub("", name) or name) if guid is None else guid_id(text_from(guid[1]))


def identity_of(rest: bytes) -> tuple[bytes, str | None] | None:
    """Return a client and who a ``ClientUserinfo`` says it is, if it does; None where the line is damaged."""
    info = _USERINFO.match(rest)
    if info is None:
        return None
    guid, name = _CL_GUID.search(rest), _NAME_IN.search(rest)
    skill = _SKILL.search(rest) if b"\\characterfile\\" in rest or guid is None else None
    if skill is not None and name is not None:
        return info[1], bot_id(text_from(name[1]), float(skill[1]))
    return info[1], None if guid is None else guid_id(text_from(guid[1]))


FLAG = re.compile(rb" ?(\d{1,9}) (\d{1,3}): ?team_CTF_(red|blue)flag")
BOMB = re.compile(rb" (?:was (tossed|planted|defused) by|has been (collected) by) (\d{1,9})!?\s*$")
TEAM_SCORES = re.compile(rb" ?(-?\d{1,9}) +blue: ?(-?\d{1,9})\s*$")
SCORE = re.compile(rb" ?(-?\d{1,9}) +ping: ?-?\d+ +client: ?(\d{1,9})(?: |\s*$)")
EVENT = re.compile(rb" ?(-?\d{1,9}) (-?\d{1,9}) (-?\d{1,9})(?: (-?\d{1,9}))?:")

#: Teams of events.
TEAMS = {b"1": RED, b"2": BLUE}

#: Teams as Urban Terror names them, and the number of a flag by its colour.
SURVIVORS = {b"red": RED, b"blue": BLUE}
TEAMS_OF_FLAGS = {b"red": b"1", b"blue": b"2"}

#: Urban Terror's game types in which everyone plays for themselves, and those whose rounds begin with a line
#: ``InitRound``; in all others such a line restarts the game.
LONE = frozenset({"ffa", "lms", "jump", "gungame"})
IN_ROUNDS = frozenset({
    "lms", "team-survivor", "follow-the-leader", "capture-and-hold", "bomb", "freezetag",
})  # fmt: skip

#: How long before a change of teams stands the death that it logs: seconds, or kills in a log without times.
AT_ONCE = 1.0

#: What an event of capture the flag, with or without elimination, says: the flag was captured.
CAPTURED = b"1"
#: What an event of elimination and of capture the flag elimination says when a round begins.
ROUND_BEGINS, FLAG_ROUND_BEGINS = b"0", b"4"
#: Other events of capture the flag elimination that end a round: won in three ways, drawn.
FLAG_ROUND_ENDS = (b"6", b"7", b"8", b"9")


def _date(stamp: str) -> tuple[float | None, str]:
    """Return the date of a game, and whether it is a local time, see :class:`Match`."""
    try:
        return of_date(datetime.fromisoformat(stamp))
    except (ValueError, OverflowError):
        return None, ""


class Quake3Game:
    """A game between its ``InitGame`` and its result.

    The methods that take the rest of a line return what is wrong with it, or None.
    """

    def __init__(self, setup: ServerSetup, stamp: str, seconds: int | None, where: str) -> None:
        from hashlib import sha256  # here, as it costs a cold start of those who read no log

        self.where = where
        self.timed = seconds is not None
        self.ruleset, self.map, swaps, self.round_time, self.server = setup
        self.urban = self.ruleset.game == URBAN_TERROR
        self.swaps = swaps and self.urban and self.ruleset.game_type not in LONE
        #: The first half of a game whose sides swap: what was done, the scores, and who was on which side.
        self.half: tuple[GameHalf, tuple[int, int], dict[str, int | None]] | None = None
        self.first_contests = 0
        #: Who is connected, where a line of its own says so, and how many rounds were begun and ended.
        self.known: dict[bytes, str] = {}
        self.rounds = self.ended_rounds = 0
        #: When a round of Urban Terror began that has not ended, and which side has the bomb.
        self.round_began: float | None = None
        self.attackers: int | None = None
        self.date, self.local = _date(stamp)
        self.start = float(seconds or 0)
        self.last = seconds or 0
        self.play = Play()
        self.began = self.at
        self.hash = sha256()
        self.contests: list[Contest] = []
        #: Sides of those who are connected, whether they have entered or not; where nobody ever does, as in a
        #: log without such lines, everyone connected is there.
        self.sides: dict[bytes, int | None] = {}
        self.entered: set[bytes] = set()
        self.enterable = False
        #: When somebody last died by their own hand, which a change of teams may take back.
        self.suicides: dict[bytes, float] = {}
        #: Kills and deaths of everyone when the round began, and the last round that was decided.
        self.before: dict[str, tuple[int, int]] = {}
        self.decided: bytes | None = None
        self.warm_up = self.exited = False
        self.totals: tuple[int, int] | None = None
        self.scored: set[bytes] = set()

    @property
    def at(self) -> float:
        """When something happens: the date of the game, or else the time in the log, if it has any."""
        if self.date is not None:
            return self.date
        return self.start + self.play.clock if self.timed else 0.0

    def tick(self, seconds: int) -> None:
        """Move the clock on; a time that runs backwards moves nothing."""
        if seconds > self.last:
            self.play.clock += seconds - self.last
        self.last = seconds

    def cover(self, content: bytes) -> None:
        """Let the identity of the game cover some of its lines; how they end does not matter."""
        self.hash.update(content.replace(b"\r", b""))

    def has_result(self) -> bool:
        """Tell whether there is a final score, if perhaps not yet of everyone."""
        return self.totals is not None or bool(self.scored)

    def is_complete(self) -> bool:
        """Tell whether everyone who plays has a final score."""
        if self.totals is not None:
            return not self.may_go_on()
        return bool(self.scored) and all(
            slot in self.scored for slot, one in self.play.clients.items() if one.side is not None
        )

    def may_go_on(self) -> bool:
        """Tell whether what has ended may be a first half: sides swap, and have not yet."""
        return self.swaps and not self._swapped()

    def _swapped(self) -> bool:
        """Tell whether most of those who are here were on the other side in the half before."""
        if self.half is None:
            return False
        before = self.half[2]
        moves = [
            client.side != before[client.identity]
            for client in self.play.clients.values()
            if client.side is not None and before.get(client.identity) is not None
        ]
        return 2 * sum(moves) > len(moves)

    def outcome(self) -> Match | Unfinished:
        """Return the match: its captures or rounds, and the result; of rounds these alone."""
        if self.urban and self.ruleset.game_type == "jump":
            return Unfinished(self.where, "a jump game has no contest that is read")
        if self.swaps and self.half is None:
            self.play.unite_sides()
        if self.totals is None:
            self._add(self.play.placements(self.ruleset, self.at))
        elif self.decided is None:
            red, blue = self.totals
            if self.half is not None and self._swapped():
                first, (first_red, first_blue), _ = self.half
                self.play.unite(first, {RED: BLUE, BLUE: RED})
                red, blue = red + first_blue, blue + first_red
            self._add(self.play.result(self.ruleset, {RED: red, BLUE: blue}, self.at))
        return self.play.match(
            self.contests, self.hash.hexdigest(), self.where, (self.began, self.at), self.map,
            dated=self.date is not None, local=self.local, server=self.server,
        )  # fmt: skip

    def _add(self, contest: Contest | None) -> None:
        """Keep a contest, if there was anybody to play against."""
        if contest is not None:
            self.contests.append(contest)

    def fell(self, slot: bytes) -> None:
        """Note that somebody died by their own hand."""
        self.suicides[slot] = self.play.clock

    def info(self, update: ClientInfo) -> None:
        """Take what a line says of a client."""
        if update.slot in self.known and update.identity.startswith(NAME):
            update = ClientInfo(update.slot, self.known[update.slot], update.name, update.side)
        slot, side, play = update.slot, update.side, self.play
        client = play.clients.get(slot)
        if client is None or not update.may_be(client.identity):
            if client is not None:
                self.entered.discard(slot)
            play.arrive(slot, update.identity, update.name)
        else:
            client.person.name = update.name
            if client.side not in (None, side) and play.clock - self.suicides.get(slot, -math.inf) <= AT_ONCE:
                play.spare(slot)
        self.sides[slot] = side
        if slot in self.entered or not self.enterable:
            play.place(slot, side)

    def enter(self, rest: bytes) -> str | None:
        """``ClientBegin``: from now on a client plays, or watches."""
        slot = rest.strip()
        if not slot.isdigit():
            return "a ClientBegin without client"
        if not self.enterable:
            self.enterable = True
            for other in self.sides:
                self.play.place(other, None)
            self.play.again()
        self.entered.add(slot)
        if slot in self.sides:
            self.play.place(slot, self.sides[slot])
        return None

    def leave(self, rest: bytes) -> str | None:
        """``ClientDisconnect``."""
        slot = rest.strip()
        if not slot.isdigit():
            return "a ClientDisconnect without client"
        self.play.leave(slot)
        self.entered.discard(slot)
        self.sides.pop(slot, None)
        self.known.pop(slot, None)
        return None

    def person(self, rest: bytes) -> str | None:
        r"""``ClientUserinfo: slot \key\value``: who it is, where ``ClientUserinfoChanged`` does not say."""
        client = identity_of(rest)
        if client is None:
            return "a ClientUserinfo without client"
        slot, identity = client
        if identity is not None:
            self.known[slot] = identity
        return None

    def warm(self) -> None:
        """``Warmup``: of most games nothing counts; Urban Terror has it in every game, before play begins.

        Where it comes in the middle, as when a side was empty, what was played before does not count.
        """
        if self.urban:
            self.play.again()
            del self.contests[self.first_contests :]
            self.rounds, self.round_began, self.before = 0, None, self.play.counts()
        else:
            self.warm_up = True

    def begin_round(self, _: bytes) -> None:
        """``InitRound``: another round, or the second half, or the game itself, after a warm-up or again."""
        if self.exited:
            self._begin_half()
        if not self.rounds or self.ruleset.game_type not in IN_ROUNDS:
            self.play.again()
            del self.contests[self.first_contests :]
        elif self.round_began is not None:
            self._run_out()
        self.rounds += 1
        self.round_began = self.play.clock
        self.before = self.play.counts()

    def _begin_half(self) -> None:
        """Let the second half begin; if sides have not swapped since the first one, that was none."""
        if self.totals is not None:
            sides = {client.identity: client.side for client in self.play.clients.values()}
            self.half = self.play.half(), self.totals, sides
            self.first_contests = len(self.contests)
        self.totals, self.exited, self.rounds, self.attackers, self.round_began = None, False, 0, None, None

    def _run_out(self) -> None:
        """End a round of the bomb without a word about it: time ran out, and who defended has won."""
        lasted = self.play.clock - (self.round_began or 0.0)
        if self.timed and self.ruleset.game_type == "bomb" and lasted >= 60.0 * self.round_time:
            self._end_urban_round(None if self.attackers is None else RED + BLUE - self.attackers)

    def _end_urban_round(self, winner: int | None) -> None:
        """Keep a round that one side has won; None is a draw, or nobody knows who."""
        self.round_began = None
        self.ended_rounds += 1
        self._round_ends(b"%d" % self.ended_rounds, winner)

    def survivors(self, rest: bytes) -> None:
        """``SurvivorWinner: Red``, ``Blue`` or ``Draw``; of those who play alone, the client who is left.

        ``AssassinWinner: Red Reached the Flag`` is the same where leaders are followed.
        """
        word = (rest.split() or [b""])[0].lower()
        winner = SURVIVORS.get(word)
        if winner is not None or word == b"draw":
            self._end_urban_round(winner)

    def bomb(self, rest: bytes) -> None:
        """``Bomb was planted by n``, ``Bomb was defused by n!``: the second wins the round."""
        event = BOMB.match(rest)
        client = self.play.clients.get(event[3]) if event is not None else None
        if event is None or client is None or client.side not in (RED, BLUE):
            return
        if event[1] != b"defused":
            self.attackers = client.side
        elif self.round_began is not None:
            self._end_urban_round(client.side)

    def explode(self, _: bytes) -> None:
        """``Pop!``: the bomb has exploded."""
        if self.attackers is not None and self.round_began is not None:
            self._end_urban_round(self.attackers)

    def urban_flag(self, rest: bytes) -> str | None:
        """``Flag: client event: item``; the event 2 is a capture."""
        event = FLAG.match(rest)
        if event is None:
            return "a Flag without client and event"
        if event[2] == b"2":
            flag = TEAMS_OF_FLAGS.get(event[3], b"0")
            self._add(self.play.moment(self.ruleset, self._captor(event[1], flag), self.at))
        return None

    def flag(self, rest: bytes) -> str | None:
        """``CTF: client flag event``: a capture is a contest of those present."""
        event = EVENT.match(rest)
        if event is None:
            return "a CTF without client, flag and event"
        if event[3] == CAPTURED:
            self._add(self.play.moment(self.ruleset, self._captor(event[1], event[2]), self.at))
        return None

    def round(self, rest: bytes) -> str | None:
        """``ELIMINATION: round team event``."""
        event = EVENT.match(rest)
        if event is None:
            return "an ELIMINATION without round, team and event"
        if event[3] == ROUND_BEGINS:
            self.before = self.play.counts()
        else:
            self._round_ends(event[1], TEAMS.get(event[2]))
        return None

    def flag_round(self, rest: bytes) -> str | None:
        """``CTF_ELIMINATION: round client team event``; a round is won by a capture too."""
        event = EVENT.match(rest)
        if event is None or event[4] is None:
            return "a CTF_ELIMINATION without round, client, team and event"
        if event[4] == FLAG_ROUND_BEGINS:
            self.before = self.play.counts()
        elif event[4] == CAPTURED:
            self._round_ends(event[1], self._captor(event[2], event[3]))
        elif event[4] in FLAG_ROUND_ENDS:
            self._round_ends(event[1], TEAMS.get(event[3]))
        return None

    def _round_ends(self, number: bytes, winner: int | None) -> None:
        """Keep a round, once; a server may call a round that it has given to a team drawn as well."""
        if number != self.decided:
            self.decided = number
            self._add(self.play.moment(self.ruleset, winner, self.at, self.before))

    def _captor(self, slot: bytes, flag: bytes) -> int | None:
        """Return the side that captured a flag: that of the player, or else the one whose it was not."""
        client = self.play.clients.get(slot)
        if client is not None and client.side:
            return client.side
        lost = TEAMS.get(flag)
        return None if lost is None else RED + BLUE - lost

    def team_scores(self, rest: bytes) -> str | None:
        """``red:n  blue:m``, the result of a game in teams."""
        scores = TEAM_SCORES.match(rest)
        if scores is None:
            return "a red score without a blue one"
        if self.exited and not (self.urban and self.ruleset.game_type in LONE):
            self.totals = int(scores[1]), int(scores[2])
        return None

    def score(self, rest: bytes) -> str | None:
        """``score: n  ping: n  client: n name``; of those who play in teams only the teams' is the result."""
        score = SCORE.match(rest)
        if score is None:
            return "a score without ping and client"
        client = self.play.clients.get(score[2])
        if self.exited and client is not None and client.side == ALONE:
            client.person.score = float(score[1])
            self.scored.add(score[2])
        return None


#: What is done with each kind of line that is not about the game as a whole.
LINES: dict[bytes, Callable[[Quake3Game, bytes], str | None]] = {
    b"ClientBegin": Quake3Game.enter, b"ClientDisconnect": Quake3Game.leave, b"CTF": Quake3Game.flag,
    b"ELIMINATION": Quake3Game.round, b"CTF_ELIMINATION": Quake3Game.flag_round,
    b"ClientUserinfo": Quake3Game.person, b"InitRound": Quake3Game.begin_round,
    b"Flag": Quake3Game.urban_flag,
    b"SurvivorWinner": Quake3Game.survivors, b"AssassinWinner": Quake3Game.survivors,
    b"Bomb": Quake3Game.bomb, b"Pop!": Quake3Game.explode,
    b"red": Quake3Game.team_scores, b"score": Quake3Game.score,
}  # fmt: skip
