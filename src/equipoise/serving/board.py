"""What is known when a game server asks: weights as lines, and the answers that need teams and ratings.

A :class:`Board` is a picture of the ratings at one moment; a newer one takes its place as a whole.  Where the
ratings come from and when is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from equipoise.errors import InputError
from equipoise.matches import Contest, Match, Ruleset
from equipoise.players import Bots, Player, Rating
from equipoise.protocols.weights.requests import (
    Chances,
    Division,
    Everyone,
    Finished,
    Handicap,
    Late,
    Lookup,
    Member,
    Refusal,
    Request,
    Seats,
    Setting,
)
from equipoise.protocols.weights.session import NOTHING, decoded, plain, sayable
from equipoise.ratings.model import BOT, RatingModel, State, is_bot
from equipoise.ratings.scale import mean_bot, scale_of

#: Settings whose rulesets are kept; when there are more, all are found anew.
MOST_SETTINGS = 32

#: Lookups of strangers that are kept for each ruleset, and how long their lines may be: together at most
#: 300 KB.
MOST_STRANGERS, LONGEST_STRANGER = 1024, 64

#: How the ids of players begin who are only known by name, as the logs of some games have them.
NAME = "name:"

#: The line after which nobody follows in the answer to ``ALL``.
END = b"END\n"

#: Asked now and then; once it holds, a division ends with what it has.
Stop = Callable[[], bool]


class Table(Protocol):
    """The part of a game's table that is needed here; see :class:`equipoise.logs.rules.Rules`."""

    @property
    def game(self) -> str:
        """The game's name in a ruleset."""

    def ruleset(self, game_type: str, mutators: Iterable[str] = ()) -> Ruleset:
        """Return what a rating is valid for."""


def nearest(ruleset: Ruleset, known: Iterable[Ruleset]) -> Ruleset:
    """Return the known ruleset that is closest to one, which is itself where it is known.

    That is one of the same game and type with as many of its mutators as possible and no other; else the game
    type as such; else the general ruleset.

    Examples
    --------
    >>> known = [Ruleset("oa", "ctf"), Ruleset("oa", "ctf", ("instagib",))]
    >>> nearest(Ruleset("oa", "ctf", ("instagib", "lowgrav")), known).mutators
    ('instagib',)
    >>> nearest(Ruleset("oa", "ctf", ("vampire",)), known).mutators, nearest(Ruleset("oa", "ffa"), known).game
    ((), '')
    """
    alike = [one for one in known if (one.game, one.game_type) == (ruleset.game, ruleset.game_type)]
    if not alike:
        return Ruleset()
    inside = [one for one in alike if set(one.mutators) <= set(ruleset.mutators)]
    bare = Ruleset(ruleset.game, ruleset.game_type)
    return min([*inside, bare], key=lambda one: (-len(one.mutators), one.mutators))


@dataclass(frozen=True, eq=False)
class Ratings:
    """Who is known, and how strong.

    Parameters
    ----------
    model : RatingModel
        What made the ratings.
    state : State
        What it knows.
    bots : mapping of str to str
        From a bot's name to its id at the level it was last seen with.
    """

    model: RatingModel
    state: State
    bots: Mapping[str, str] = field(default_factory=dict)
    known: Mapping[str, None] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", dict.fromkeys(self.model.players(self.state)))

    def player(self, said: str) -> str | None:
        """Return the id of a player; one who is only known by name is found by it."""
        for name in (said, f"{NAME}{said}"):
            if name in self.known:
                return name
        return None

    def bot(self, said: str) -> str | None:
        """Return the id of a bot by its name, None where it was never seen."""
        return found if (found := self.bots.get(said)) in self.known else None

    def id(self, member: Member) -> str:
        """Return the id of a member of a game; of a bot never seen, one of no known level."""
        if member.bot:
            return self.bot(member.name) or f"{BOT}{member.name}:?"
        return self.player(member.name) or member.name

    def rating(self, member: Member, ruleset: Ruleset) -> Rating:
        """Return what is known of a member: of a bot never seen, that it is like the mean bot."""
        rating = self.model.rating(self.state, self.id(member), ruleset)
        if member.bot and self.bot(member.name) is None:
            return Rating(mean_bot(self.model, self.state, ruleset)[0], rating.sigma)
        return rating

    @property
    def beta(self) -> float | None:
        """The performance noise of the model, in units of its skills; None where it has none."""
        return getattr(self.model, "beta", None)


class Answers:
    """The answers to lookups in one ruleset by line, found when first asked for.

    All of those who are known are kept, and so many of strangers that they cost little memory.
    """

    def __init__(self, ratings: Ratings, ruleset: Ruleset) -> None:
        self._ratings = ratings
        self._ruleset = ruleset
        self._scale = scale_of(ratings.model, ratings.state, ruleset)
        self._strangers = 0
        self.mean_bot, count = mean_bot(ratings.model, ratings.state, ruleset)
        self._shown = self._plain(self.mean_bot)
        #: Those that were found.
        self.lines = {b"MEANBOT": b"MEANBOT %b %d\n" % (self._shown, count)}

    def __getitem__(self, line: bytes) -> bytes:
        """Return the answer to a line; that its name is allowed is seen to before."""
        found = self.lines.get(line)
        if found is not None:
            return found
        verb, _, said = line.partition(b" ")
        name = decoded(said)
        player = self._ratings.bot(name) if verb == b"BOT" else self._ratings.player(name)
        if player is not None:
            skill = self._ratings.model.rating(self._ratings.state, player, self._ruleset).mu
            self.lines[line] = found = b"%b %b\n" % (line, self._plain(skill))
            return found
        found = b"%b %b\n" % (line, self._shown) if verb == b"BOT" else line + b"\n"
        if self._strangers < MOST_STRANGERS and len(line) <= LONGEST_STRANGER:
            self._strangers += 1
            self.lines[line] = found
        return found

    def _plain(self, skill: float) -> bytes:
        return plain(self._scale.shown(skill)).encode()

    @cached_property
    def everyone(self) -> bytes:
        """The lines of all whom a line can name, players and then bots, of the mean bot, and the end."""
        players = [f"PLAYER {name}" for name in self._ratings.known if not is_bot(name) and sayable(name)]
        bots = [f"BOT {name}" for name in self._ratings.bots if sayable(name)]
        return b"".join([self[line.encode()] for line in (*players, *bots, "MEANBOT")]) + END


@dataclass(frozen=True, eq=False)
class Board:
    r"""The ratings at one moment, as game servers ask for them.

    Parameters
    ----------
    model : RatingModel
        What made the ratings.
    state : State
        What it knows.
    bots : mapping of str to str
        From a bot's name to its id at the level it was last seen with.
    rulesets : sequence of Ruleset
        Those that were played.
    tables : mapping of str to Table
        The tables of game types and mutators by game.
    game : str, optional
        What ``GAME`` means where it does not say; by default the only one of the rulesets.

    Examples
    --------
    >>> from equipoise.ratings.models.elo import Elo
    >>> from equipoise.protocols.weights.session import WeightSession
    >>> board, session = Board(Ratings(Elo(), {"ann": (1700.0,)})), WeightSession()
    >>> for request in session.receive(b"PLAYER ann\nPLAYER eve\nMEANBOT\n"):
    ...     print(session.answer(request, board.result(request)).decode(), end="")
    PLAYER ann 58.3333
    PLAYER eve
    MEANBOT 50.0000 0
    """

    ratings: Ratings
    rulesets: Sequence[Ruleset] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    game: str | None = None
    _answers: dict[Setting, Answers] = field(init=False, default_factory=dict)
    _by_ruleset: dict[Ruleset, Answers] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        if self.game is None:
            games = {ruleset.game for ruleset in self.rulesets if ruleset.game}
            object.__setattr__(self, "game", games.pop() if len(games) == 1 else None if games else "")

    def result(self, request: Request, stop: Stop = lambda: False) -> Any:
        """Return the result of a request that changes nothing, or why there is none.

        Parameters
        ----------
        request : Request
            Any but :class:`~equipoise.protocols.weights.requests.Finished`.
        stop : callable
            Asked now and then by a division; once it holds, the best so far is taken.
        """
        if isinstance(request, Lookup):
            answers = self.answers(request.setting)
            return answers if isinstance(answers, Refusal) else answers[request.line]
        try:
            match request:
                case Everyone(setting):
                    answers = self.answers(setting)
                    return answers if isinstance(answers, Refusal) else answers.everyone
                case Division() | Chances() | Handicap() | Late():
                    ruleset = self.ruleset(request.setting)
                    if isinstance(ruleset, Refusal):
                        return ruleset
                    return self._judged(request, nearest(ruleset, self.rulesets), stop)
        except InputError:  # ids that are one: a bot, and a player who is called as its id
            return Refusal.BAD_FIELD
        return None

    def match(self, request: Finished, now: float) -> Match | Refusal:
        """Return a game that has ended now, seconds since 1970, as what the archive keeps."""
        ruleset = self.ruleset(request.setting)
        if isinstance(ruleset, Refusal):
            return ruleset
        teams = tuple(tuple((self.ratings.id(member), 1.0) for member in team) for team in request.seats)
        ranks = tuple(-score for score in request.scores)
        try:
            contest = Contest(ruleset, teams, ranks, at=now, scores=request.scores)
            return Match((contest,), ended=now, id=request.id)
        except InputError:
            return Refusal.BAD_FIELD

    def ruleset(self, setting: Setting) -> Ruleset | Refusal:
        """Return what is played in a setting by the table of its game, known or not."""
        if not setting.game_type:
            return Ruleset()
        named, slash, game_type = setting.game_type.partition("/")
        game = named.lower() if slash else self.game
        if game is None:
            return Refusal.AMBIGUOUS_GAME
        game_type = game_type if slash else named
        table = self.tables.get(game)
        if table is not None:
            return table.ruleset(game_type, setting.mutators)
        return Ruleset(game, game_type.lower(), tuple(mutator.lower() for mutator in setting.mutators))

    def known(self, setting: Setting) -> Mapping[bytes, bytes]:
        """Return the answers to lookups in a setting that were found before, by line."""
        found = self._answers.get(setting)
        return NOTHING if found is None else found.lines

    def answers(self, setting: Setting) -> Answers | Refusal:
        """Return the answers to lookups in a setting."""
        found = self._answers.get(setting)
        if found is None:
            ruleset = self.ruleset(setting)
            if isinstance(ruleset, Refusal):
                return ruleset
            ruleset = nearest(ruleset, self.rulesets)
            found = self._by_ruleset.get(ruleset)
            if found is None:
                found = self._by_ruleset[ruleset] = Answers(self.ratings, ruleset)
            if len(self._answers) >= MOST_SETTINGS:
                self._answers.clear()
            self._answers[setting] = found
        return found

    def _judged(self, request: Division | Chances | Handicap | Late, ruleset: Ruleset, stop: Stop) -> Any:
        match request:
            case Division():
                return self._divided(request, ruleset, stop)
            case Chances():
                teams = [[self.ratings.id(member) for member in team] for team in request.seats]
                return self.ratings.model.win_probability(self.ratings.state, teams, ruleset)
            case Handicap():
                from equipoise.teams.running.handicap import advantage

                return advantage(self._sums(request.seats, ruleset)[0], beta=self.ratings.beta)
            case Late():
                return self._late(request, ruleset)

    def _divided(self, request: Division, ruleset: Ruleset, stop: Stop) -> Sequence[int] | Refusal:
        from equipoise.teams.balancing import balance

        players = [
            Player(str(n), self.ratings.rating(member, ruleset), bot=member.bot)
            for n, member in enumerate(request.members)
        ]
        solution = balance(players, teams=request.teams, beta=self.ratings.beta, stop=stop)
        if not solution.splits:
            return Refusal.BUSY
        places = {player.id: n for n, team in enumerate(solution.splits[0].teams) for player in team}
        return [places[player.id] for player in players]

    def _late(self, request: Late, ruleset: Ruleset) -> int:
        from equipoise.teams.running.placing import place_late

        for n, team in enumerate(request.seats):
            if request.member in team:
                return n
        sums, bots = self._sums(request.seats, ruleset)
        counts = [sum(member.bot for member in team) for team in request.seats]
        mean, _ = mean_bot(self.ratings.model, self.ratings.state, ruleset)
        return place_late(
            self.ratings.rating(request.member, ruleset),
            sums,
            bots=Bots(weight=mean) if any(counts) else False,
            bot_counts=counts,
            bot_totals=bots,
            beta=self.ratings.beta,
        ).team

    def _sums(self, seats: Seats, ruleset: Ruleset) -> Any:
        from equipoise.teams.running.sums import team_sums

        players = [
            Player(member.name, self.ratings.rating(member, ruleset), team=n, bot=member.bot)
            for n, team in enumerate(seats)
            for member in team
        ]
        return team_sums(players, len(seats))
