"""The questions that a snapshot answers, as values: weights, divisions, places, chances, advantages, matches.

Every face of the service asks here; what goes over a network, and how, is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from equipoise.core.arrays import Floats
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.player import Bots, Member, Player, Rating, Seats, is_bot
from equipoise.core.sides import EVEN_SIDES
from equipoise.core.stopping import Stop, never
from equipoise.errors import InputError
from equipoise.identity.clan_tags import clan_tag
from equipoise.ratings.display_scale import Scale, mean_bot, scale_of
from equipoise.ratings.link_unit import LinkUnit, link_unit
from equipoise.service.snapshot import AmbiguousGameError, Snapshot
from equipoise.service.weights.messages import Setting


class MeanBot(NamedTuple):
    """The mean weight of all bots from 0 to 100, and how many they are; 50 and 0 where there are none."""

    weight: float
    bots: int


class Weights:
    """The shown weights of one ruleset, from 0 to 100."""

    def __init__(self, snapshot: Snapshot, ruleset: Ruleset) -> None:
        ratings = self._ratings = snapshot.ratings
        self._ruleset = ruleset
        self.scale: Scale = scale_of(ratings.model, ratings.state, ruleset)
        known = snapshot.mean_bots.get(ruleset)
        skill, count = known or mean_bot(ratings.model, ratings.state, ruleset)
        self.mean_bot_skill = skill
        self.mean_bot = MeanBot(self.scale.shown(skill), count)

    def knows(self, member: Member) -> bool:
        """Tell whether a member has played."""
        return self._id(member) is not None

    def lasts(self, member: Member) -> bool:
        """Tell whether what is known of a member stays so: that it turns on no date who is meant."""
        return member.bot or self._ratings.lasts(member.name)

    def of(self, member: Member) -> float | None:
        """Return the weight of a member; of a bot never seen that of the mean bot, None for a stranger."""
        known = self._id(member)
        if known is None:
            return self.mean_bot.weight if member.bot else None
        return self.scale.shown(self._ratings.model.rating(self._ratings.state, known, self._ruleset).mu)

    def _id(self, member: Member) -> str | None:
        return (self._ratings.bot if member.bot else self._ratings.player)(member.name)


@dataclass(frozen=True, slots=True)
class Gathered:
    """Those who are to be divided, with all that a division needs: it may be computed anywhere.

    Parameters
    ----------
    players : tuple of Player
        With their ratings; the id of each is its position.
    teams : int
        How many teams.
    beta : float or None
        The performance noise of the model.
    zero : float or None
        The skill that adds nothing to a team, where the model knows one.
    parties, apart : tuple of tuples of str
        Who stay together, and no two of whom are in one team, by those ids.
    seats : tuple of (int, int)
        Positions of those who are in a team already, and which.
    stay : float
        The price of moving one of them, in win probability.
    side_chance : float
        The chance of the first of two equal teams, for its side.
    """

    players: tuple[Player, ...]
    teams: int
    beta: float | None
    zero: float | None = None
    parties: tuple[tuple[str, ...], ...] = ()
    apart: tuple[tuple[str, ...], ...] = ()
    seats: tuple[tuple[int, int], ...] = ()
    stay: float = 0.0
    side_chance: float = EVEN_SIDES

    def divided(self, stop: Stop = never) -> tuple[int, ...] | None:
        """Return the team of each player, None where the search had to stop before it found any.

        Raises
        ------
        InfeasibleError
            If no division keeps what is asked.
        """
        from equipoise.teams.balance import balance
        from equipoise.teams.request import BalanceRequest
        from equipoise.teams.solution import Status

        now = dict(self.seats)
        players = tuple(replace(each, team_now=now.get(n)) for n, each in enumerate(self.players))
        request = BalanceRequest.of(
            players, teams=self.teams, parties=self.parties, apart=self.apart,
            stay=self.stay if now else 0.0, beta=self.beta, zero=self.zero, stop=stop,
            side_chance=self.side_chance,
        )  # fmt: skip
        solution = balance(request)
        if solution.status is Status.INFEASIBLE:
            msg = "teams: no split keeps every party together and everyone apart who must be"
            raise InfeasibleError(msg)
        if not solution.splits:
            return None
        places = {player.id: n for n, team in enumerate(solution.splits[0].teams) for player in team}
        return tuple(places[player.id] for player in players)


#: What a worker answers instead of raising :class:`InfeasibleError`.
INFEASIBLE = "infeasible"


class InfeasibleError(InputError):
    """No division keeps what is asked."""


class Answers:
    """The answers of one snapshot.

    Every method raises :class:`~equipoise.service.snapshot.AmbiguousGameError` where a setting does not say
    which game is meant, and :class:`~equipoise.errors.InputError` where members are at fault.

    Examples
    --------
    >>> from equipoise.ratings.models.elo import Elo
    >>> from equipoise.service.snapshot import Ratings
    >>> answers = Answers(Snapshot(Ratings(Elo(), {"ann": (1700.0,), "bob": (1500.0,)})))
    >>> ann, bob = Member(False, "ann"), Member(False, "bob")
    >>> answers.weight(Setting(), bob), answers.weight(Setting(), Member(False, "eve"))
    (50.0, None)
    >>> [round(p, 2) for p in answers.chances(Setting(), ((ann,), (bob,)))]
    [0.76, 0.24]
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._weights: dict[Ruleset, Weights] = {}
        self._ratings: dict[tuple[str, Ruleset], Rating] = {}
        self._units: dict[Ruleset, LinkUnit] = {}

    def rating(self, member: Member, ruleset: Ruleset) -> Rating:
        """Return what is known of a member; of those who have played it is found once."""
        ratings = self.snapshot.ratings
        known = (ratings.bot if member.bot else ratings.player)(member.name)
        if known is None:
            return ratings.rating(member, ruleset)
        found = self._ratings.get((known, ruleset))
        if found is None:
            found = self._ratings[known, ruleset] = ratings.rating(member, ruleset)
        return found

    def unit(self, ruleset: Ruleset) -> LinkUnit:
        """Return the unit of the ratings of one ruleset that is known, found once."""
        found = self._units.get(ruleset)
        if found is None:
            ratings = self.snapshot.ratings
            people = [player for player in ratings.known if not is_bot(player)]
            found = self._units[ruleset] = link_unit(ratings.model, ratings.state, people, ruleset)
        return found

    def weights(self, ruleset: Ruleset) -> Weights:
        """Return the weights of one ruleset that is known, computed once."""
        found = self._weights.get(ruleset)
        if found is None:
            found = self._weights[ruleset] = Weights(self.snapshot, ruleset)
        return found

    def weight(self, setting: Setting, member: Member) -> float | None:
        """Return a weight from 0 to 100: of a bot never seen the mean bot's, None for a stranger."""
        return self.weights(self.snapshot.rated(setting)).of(member)

    def mean_bot(self, setting: Setting) -> MeanBot:
        """Return the mean weight of all bots, and how many they are."""
        return self.weights(self.snapshot.rated(setting)).mean_bot

    def everyone(self) -> Iterator[Member]:
        """Go through all who are known: players, then bots by their names."""
        ratings = self.snapshot.ratings
        yield from (Member(False, each) for each in ratings.known if not is_bot(each))
        yield from (Member(True, name) for name in ratings.bots)

    def gather(
        self,
        setting: Setting,
        members: Sequence[Member],
        teams: int,
        *,
        parties: Iterable[Sequence[Member]] = (),
        apart: Iterable[Sequence[Member]] = (),
        seats: Iterable[tuple[Member, int]] = (),
        stay: float = 0.0,
        clans: bool = False,
    ) -> Gathered:
        """Return a division that can be computed anywhere.

        Parameters
        ----------
        setting : Setting
            What is played.
        members : sequence of Member
            Who is to be divided.
        teams : int
            How many teams.
        parties, apart : iterable of sequences of Member
            Who stay together, and no two of whom are in one team; others than those to be divided do not
            count.
        seats : iterable of (Member, int)
            Who is in which team already.
        stay : float
            The price of moving one of those, in win probability.
        clans : bool
            Whether those whose last names bear the same clan tag are a party, unless they are in one.
        """
        at = {member: n for n, member in enumerate(members)}
        together = [[at[each] for each in party if each in at] for party in parties]
        if clans:
            grouped = {n for party in together for n in party}
            together += self._clans([each for each in members if at[each] not in grouped], at)
        ratings, ruleset = self.snapshot.ratings, self.snapshot.rated(setting)
        if len({ratings.id(member) for member in members}) < len(members):
            msg = "members: two of them are one player"
            raise InputError(msg)
        players = tuple(
            Player(str(n), self.rating(member, ruleset), bot=member.bot) for n, member in enumerate(members)
        )
        return Gathered(
            players, teams, ratings.beta, ratings.zero,
            tuple(tuple(map(str, party)) for party in together if len(party) > 1),
            tuple(tuple(str(at[each]) for each in group if each in at) for group in apart),
            tuple((at[member], team) for member, team in seats if member in at), stay,
            self.snapshot.side_chance(ruleset, teams),
        )  # fmt: skip

    def _clans(self, members: Sequence[Member], at: Mapping[Member, int]) -> list[list[int]]:
        """Return the positions of those who share a clan tag."""
        names, clans = self.snapshot.names, dict[str, list[int]]()
        for member in members:
            known = None if member.bot else self.snapshot.ratings.player(member.name)
            tag = clan_tag(names.get(known or "", member.name))
            if tag and not member.bot:
                clans.setdefault(tag, []).append(at[member])
        return list(clans.values())

    def place(self, setting: Setting, seats: Seats, member: Member) -> int:
        """Return the team for someone who comes late; players in a team stay there."""
        from equipoise.teams.late_join import place_late

        for n, team in enumerate(seats):
            if member in team:
                return n
        ruleset = self.snapshot.rated(setting)
        sums, bots = self._sums(seats, ruleset)
        counts = [sum(each.bot for each in team) for team in seats]
        ratings = self.snapshot.ratings
        return place_late(
            self.rating(member, ruleset),
            sums,
            bots=Bots(weight=self.weights(ruleset).mean_bot_skill) if any(counts) else False,
            bot_counts=counts,
            bot_totals=bots,
            beta=ratings.beta,
            zero=ratings.zero,
            side_chance=self.snapshot.side_chance(ruleset, len(seats)),
        ).team

    def chances(self, setting: Setting, seats: Seats) -> tuple[float, ...]:
        """Return each team's chance to win."""
        ratings, ruleset = self.snapshot.ratings, self.snapshot.rated(setting)
        teams = [[ratings.id(member) for member in team] for team in seats]
        found = tuple(ratings.model.win_probability(ratings.state, teams, ruleset))
        if (side := self.snapshot.side_chance(ruleset, len(seats))) == EVEN_SIDES:
            return found
        first, second = found[0] * side, found[1] * (1.0 - side)
        return first / (first + second), second / (first + second)

    def advantage(self, setting: Setting, seats: Seats) -> tuple[float, ...]:
        """Return the factor on each team's odds that makes the game even: 1 for the strongest team."""
        from equipoise.teams.advantage import advantage

        ruleset, ratings = self.snapshot.rated(setting), self.snapshot.ratings
        sums, _ = self._sums(seats, ruleset)
        side = self.snapshot.side_chance(ruleset, len(seats))
        return tuple(advantage(sums, beta=ratings.beta, zero=ratings.zero, side_chance=side))

    def match(
        self, setting: Setting, match_id: str, scores: Sequence[float], seats: Seats, now: float
    ) -> Match:
        """Return a game that has ended now, seconds since 1970, as what an archive keeps.

        Raises
        ------
        AmbiguousGameError
            If the setting does not say which game it is; what is kept is kept for good.
        """
        ruleset = self.snapshot.played(setting)
        if not ruleset.game or not ruleset.game_type:
            msg = "game: a result needs the name of its game and its type"
            raise AmbiguousGameError(msg)
        ratings = self.snapshot.ratings
        teams = tuple(tuple((ratings.id(member), 1.0) for member in team) for team in seats)
        ranks = tuple(-score for score in scores)
        contest = Contest(ruleset, teams, ranks, at=now, scores=tuple(scores))
        return Match((contest,), ended=now, id=match_id)

    def _sums(self, seats: Iterable[Sequence[Member]], ruleset: Ruleset) -> tuple[Floats, Floats]:
        from equipoise.teams.advantage import team_sums

        teams = list(seats)
        players = [
            Player(member.name, self.rating(member, ruleset), team=n, bot=member.bot)
            for n, team in enumerate(teams)
            for member in team
        ]
        return team_sums(players, len(teams))
