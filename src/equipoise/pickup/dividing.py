"""Teams and a map for a game, by votes, a draft and vetoes: second part of :mod:`equipoise.pickup.lobby`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import chain

from equipoise.errors import InputError
from equipoise.pickup import events as ev
from equipoise.pickup.events import Teams
from equipoise.pickup.game import Phase, PickupGame, can_be_finished
from equipoise.pickup.gathering import Gathering, one_of


class Choosing(Gathering):
    """Takes votes, picks and vetoes."""

    # Teams

    def take_divided(self, event: ev.Divided) -> None:
        """Take an event; see :class:`equipoise.pickup.events.Divided`."""
        game = self.games.get(event.game)
        if game is None or game.phase is not Phase.DIVIDING:
            return  # somebody left meanwhile
        if not event.teams:
            self._say("no teams", game.lobby.name, game=game.id)
            self._call_off(game, [])
            for player in game.players:  # the same people would be asked without end
                for queue in self.waiting.values():
                    if player in queue:
                        queue.remove(player)
            return
        if not self._holds(game, event.teams):
            msg = f"teams of {game.id} break its rules"
            raise InputError(msg)
        game.teams = event.teams
        game.chances = event.chances or (1.0 / game.lobby.teams,) * game.lobby.teams
        if game.parted in game.seen:  # there are no others
            self._accept(game)
            return
        game.seen.add(game.parted)
        game.phase, game.deadline = Phase.VOTING, self._now + game.lobby.vote
        self._say("teams", game.lobby.name, game=game.id, teams=game.teams, chances=game.chances,
                  seconds=game.lobby.vote)  # fmt: skip

    def _holds(self, game: PickupGame, teams: Teams) -> bool:
        """Tell whether teams are of the players of a game and keep all rules."""
        team_of = {player: n for n, team in enumerate(teams) for player in team}
        return (
            sorted(chain(*teams)) == sorted(game.players)
            and [len(team) for team in teams] == [game.lobby.size] * game.lobby.teams
            and all(len({team_of[player] for player in duo}) == 1 for duo in game.duos)
            and not any(team_of.get(one, -1) == team_of.get(other, -2) for one, other in self.apart)
        )

    def take_vote(self, event: ev.Vote) -> None:
        """Take an event; see :class:`equipoise.pickup.events.Vote`."""
        game = self._game(event.who, Phase.VOTING)
        if event.choice not in ("yes", "no", "captains"):
            msg = f"a vote must be yes, no or captains, got {event.choice!r:.40}"
            raise InputError(msg)
        game.votes.pop(event.who, None)
        game.votes[event.who] = event.choice
        if game.most_wanted("yes"):
            self._accept(game)
        elif game.most_wanted("no"):
            self._seek(game)
        elif game.most_wanted("captains"):
            self._draft(game)

    def _draft(self, game: PickupGame) -> None:
        """Let the first who voted for captains be captains, one of each duo, as far as that can end well."""
        teams: list[tuple[str, ...]] = []
        for player in [who for who, choice in game.votes.items() if choice == "captains"]:
            if len(teams) < game.lobby.teams and not any(player in team for team in teams):
                pair = game.with_partner(player)
                teams.append((player, *(each for each in pair if each != player)))
        blocks = self._left_over(game, teams)
        if len(teams) < game.lobby.teams or not can_be_finished(teams, blocks, game.lobby.size, self.apart):
            game.votes = {who: choice for who, choice in game.votes.items() if choice != "captains"}
            self._say("no captains", game.lobby.name, game=game.id)
            return
        game.teams, game.picks, game.votes = tuple(teams), [], {}
        game.chances = (1.0 / game.lobby.teams,) * game.lobby.teams
        game.phase = Phase.DRAFTING
        self._next_pick(game)

    @staticmethod
    def _left_over(game: PickupGame, teams: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
        placed = set(chain(*teams))
        return list(dict.fromkeys(
            game.with_partner(player) for player in game.players if player not in placed
        ))  # fmt: skip

    def _with_pick(self, game: PickupGame, block: tuple[str, ...]) -> Teams | None:
        """Return the teams after a pick, None where the rest could not be divided then."""
        turn = game.turn
        teams = tuple(team + block if n == turn else team for n, team in enumerate(game.teams))
        blocks = self._left_over(game, teams)
        if len(teams[turn]) > game.lobby.size or not are_apart(teams, self.apart):
            return None
        return teams if can_be_finished(teams, blocks, game.lobby.size, self.apart) else None

    def _next_pick(self, game: PickupGame) -> None:
        """Ask for the next pick; what there is no choice in is done."""
        while game.unpicked:
            blocks = self._left_over(game, game.teams)
            ways = [(block, self._with_pick(game, block)) for block in blocks]
            open_ways = [(block, teams) for block, teams in ways if teams is not None]
            if len(open_ways) > 1 and sum(len(team) < game.lobby.size for team in game.teams) > 1:
                break
            if not open_ways:  # this captain's team is complete but for a duo, or the rules leave nobody
                game.picks.append((game.teams[game.turn][0], ""))
                if len(game.picks) > 4 * len(game.players) * game.lobby.teams:
                    self._call_off(game, [])
                    return
                continue
            block, teams = open_ways[0]
            game.picks.append((game.teams[game.turn][0], block[0]))
            game.teams = teams
        if game.unpicked:
            game.deadline = self._now + game.lobby.vote
            self._say("pick", game.lobby.name, game=game.id, captain=game.teams[game.turn][0],
                      teams=game.teams, left=tuple(game.unpicked), seconds=game.lobby.vote)  # fmt: skip
        else:
            self._accept(game)

    def take_pick(self, event: ev.Pick) -> None:
        """Take an event; see :class:`equipoise.pickup.events.Pick`."""
        game = self._game(event.who, Phase.DRAFTING)
        captain = game.teams[game.turn][0]
        if event.who != captain:
            msg = f"it is the turn of {captain!r}"
            raise InputError(msg)
        if event.player not in game.unpicked:
            msg = f"{event.player!r:.40} cannot be picked; there are {', '.join(game.unpicked)}"
            raise InputError(msg)
        teams = self._with_pick(game, game.with_partner(event.player))
        if teams is None:
            msg = f"{event.player!r} cannot be in your team: the rules would leave no teams"
            raise InputError(msg)
        game.picks.append((event.who, event.player))
        game.teams = teams
        self._next_pick(game)

    # Maps

    def _accept(self, game: PickupGame) -> None:
        game.votes = {}
        maps = game.lobby.maps
        if game.lobby.veto:
            game.phase, game.deadline, game.maps = Phase.STRIKING, self._now + game.lobby.vote, list(maps)
            self._say("veto", game.lobby.name, game=game.id, maps=maps, team=game.teams[0], teams=game.teams)
            return
        number = self._begun[game.lobby.name] - 1
        self._play(game, maps[number % len(maps)] if maps else "")

    def take_veto(self, event: ev.Veto) -> None:
        """Take an event; see :class:`equipoise.pickup.events.Veto`."""
        game = self._game(event.who, Phase.STRIKING)
        side = (len(game.lobby.maps) - len(game.maps)) % game.lobby.teams
        if game.team_of(event.who) != side:
            msg = f"it is the turn of the side of {game.teams[side][0]!r}"
            raise InputError(msg)
        if event.map not in game.maps:
            raise InputError(one_of("map", event.map, game.maps))
        self._strike(game, event.map)

    def _strike(self, game: PickupGame, struck: str) -> None:
        game.maps.remove(struck)
        if len(game.maps) == 1:
            self._play(game, game.maps[0])
            return
        game.deadline = self._now + game.lobby.vote
        side = (len(game.lobby.maps) - len(game.maps)) % game.lobby.teams
        self._say("veto", game.lobby.name, game=game.id, maps=tuple(game.maps), team=game.teams[side],
                  teams=game.teams)  # fmt: skip

    def _play(self, game: PickupGame, where: str) -> None:
        game.phase, game.deadline, game.map = Phase.PLAYING, math.inf, where
        self._say("play", game.lobby.name, game=game.id, teams=game.teams, chances=game.chances, map=where)


def are_apart(teams: Iterable[Sequence[str]], apart: Iterable[tuple[str, str]]) -> bool:
    """Tell whether no team has two who never play together."""
    sets = [set(team) for team in teams]
    return not any(set(pair) <= team for pair in apart for team in sets)
