"""People who gather for games in lobbies, as a state machine without I/O: events in, commands out.

Somebody waits in as many lobbies as he likes and plays in one.  As soon as a lobby has as many as play, with
the rules in view, these are a game: they are asked to be ready, teams are divided, voted on or drafted, a map
is found, both sides report, and the result is kept.  Those in no game can wait meanwhile.

``now`` is an argument of every event, and time passes by :class:`~equipoise.pickup.events.Tick`.  Replaying
the events gives the same state and the same commands; what carries these out keeps the events.

What follows from an event is in three modules: waiting and beginning (:mod:`equipoise.pickup.gathering`),
teams and maps (:mod:`equipoise.pickup.dividing`), and here the rest, with the table of all events.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from equipoise.errors import InputError
from equipoise.pickup import events as ev
from equipoise.pickup.dividing import Choosing, are_apart
from equipoise.pickup.events import Command, Event, Keep, Notice, TakeBack
from equipoise.pickup.game import MORE, Phase, PickupGame
from equipoise.pickup.gathering import in_charge


class PickupLobbies(Choosing):
    """All lobbies, and the games that came of them.

    Parameters
    ----------
    lobbies : sequence of Lobby
        What people may gather for.
    apart : iterable of (str, str)
        Who never plays in one team.
    """

    def receive(self, event: Event, now: float) -> tuple[Command, ...]:
        """Take an event, and return what follows.

        What makes no sense changes nothing; the one who did it gets a notice ``"refused"`` with the reason.

        Parameters
        ----------
        event : Event
            What happened.
        now : float
            When, seconds since 1970; a clock that goes back stands still.
        """
        self._now, self._commands = max(now, self._now), []
        try:
            self._HANDLERS[type(event)](self, event)
        except InputError as error:
            who = getattr(event, "who", "")
            return (Notice("refused", to=(who,) if who else (), facts={"why": str(error)}),)
        for name in self.lobbies:
            while self._fill(name):
                pass
        return tuple(self._commands)

    # While it is played

    def _sub(self, event: ev.Sub) -> None:
        game = self._game(event.who, Phase.VOTING, Phase.STRIKING, Phase.PLAYING, Phase.DISPUTED)
        self.ask_for_another(game, event.who)

    def _substitute(self, event: ev.Fill) -> None:
        if self.game_of(event.who) is not None:
            msg = "you are in a game yourself"
            raise InputError(msg)
        wanted = [
            (game, old) for game in self.games.values() for old in game.players
            if old in game.wanted and event.instead in ("", old)
        ]  # fmt: skip
        if not wanted:
            msg = f"{event.instead!r:.40} asks for no substitute" if event.instead else "nobody asks for one"
            raise InputError(msg)
        for game, old in wanted:
            teams = tuple(tuple(event.who if p == old else p for p in team) for team in game.teams)
            if are_apart(teams, self.apart):
                game.replaced(old, event.who)
                for queue in self.waiting.values():
                    if event.who in queue:
                        queue.remove(event.who)
                self._say("substituted", game.lobby.name, game=game.id, who=event.who, instead=old)
                return
        msg = "you are apart from somebody in that team"
        raise InputError(msg)

    # Results

    def _report(self, event: ev.Report) -> None:
        game = self._game(event.who, Phase.PLAYING, Phase.DISPUTED)
        ranks = _ranks(event.ranks, game)
        side = game.team_of(event.who)
        game.reports[side] = ranks
        if len(set(game.reports.values())) > 1:
            game.phase, game.deadline = Phase.DISPUTED, math.inf
            self._say("disputed", game.lobby.name, game=game.id, reports=dict(game.reports), teams=game.teams)
        elif len(game.reports) == game.lobby.teams:
            self._finish(game, ranks)
        else:
            if game.phase is Phase.DISPUTED:
                game.phase = Phase.PLAYING
            game.deadline = self._now + game.lobby.contradict
            self._say("reported", game.lobby.name, game=game.id, who=event.who, ranks=ranks, teams=game.teams,
                      seconds=game.lobby.contradict)  # fmt: skip

    def _confirm(self, event: ev.Confirm) -> None:
        game = self._game(event.who, Phase.PLAYING)
        others = {ranks for side, ranks in game.reports.items() if side != game.team_of(event.who)}
        if not others:
            msg = "the other side has reported nothing yet"
            raise InputError(msg)
        self._report(ev.Report(event.who, others.pop()))

    def _finish(self, game: PickupGame, ranks: tuple[float, ...]) -> None:
        game.phase, game.deadline, game.ranks, game.counted = Phase.OVER, math.inf, ranks, True
        game.takers = set()
        self.games.pop(game.id, None)
        self._waited.pop(game.id, None)
        self.over.pop(game.id, None)
        self.over[game.id] = game
        keep = Keep(game.id, game.lobby.name, game.teams, ranks, game.map, game.duos, game.picked)
        self._commands.append(keep)
        self._say("over", game.lobby.name, game=game.id, ranks=ranks, teams=game.teams)

    def _correct(self, event: ev.Correct) -> None:
        in_charge(event.admin)
        game = self._any(event.game)
        if game.phase not in (Phase.PLAYING, Phase.DISPUTED, Phase.OVER):
            msg = f"{game.id} is not being played yet"
            raise InputError(msg)
        ranks = _ranks(event.ranks, game)
        if game.counted and game.ranks == ranks:
            msg = "that is its result already"
            raise InputError(msg)
        self._finish(game, ranks)

    def _undo(self, event: ev.Undo) -> None:
        game = self._any(event.game)
        if not game.counted:
            msg = f"{game.id} has no result that counts"
            raise InputError(msg)
        if not event.admin:
            game.takers.add(game.team_of(event.who))
            if len(game.takers) < game.lobby.teams:
                self._say("take back?", game.lobby.name, game=game.id, who=event.who)
                return
        game.counted, game.ranks, game.takers = False, (), set()
        self._commands.append(TakeBack(game.id))
        self._say("taken back", game.lobby.name, game=game.id)

    def _cancel(self, event: ev.Cancel) -> None:
        in_charge(event.admin)
        game = self.games.get(event.game)
        if game is None:
            msg = f"game must be one that is not over, got {event.game!r:.40}"
            raise InputError(msg)
        self._close(game)
        self._say("cancelled", game.lobby.name, game=game.id)

    # Time

    def _tick(self, event: ev.Tick) -> None:
        del event
        due = sorted((game for game in self.games.values() if game.deadline <= self._now), key=_due)
        for game in due[
            :1
        ]:  # one at a time, as one event keeps one result; the next time brings the next one
            missing = [player for player in game.players if player not in game.ready]
            if game.phase is Phase.CHECKING:
                if set(missing) <= game.late:
                    game.late, game.deadline = set(), self._now + MORE
                    self._say("more time", game.lobby.name, left=tuple(missing), seconds=MORE)
                else:
                    self._call_off(game, [player for player in missing if player not in game.late])
            elif game.phase is Phase.VOTING:
                self._accept(game)
            elif game.phase is Phase.DRAFTING:
                block = next(
                    each for each in self._left_over(game, game.teams) if self._with_pick(game, each)
                )
                self.take_pick(ev.Pick(game.teams[game.turn][0], block[0]))
            elif game.phase is Phase.STRIKING:
                self._strike(game, game.maps[-1])
            elif game.reports:
                self._finish(game, next(iter(game.reports.values())))

    _HANDLERS: ClassVar[Mapping[type, Callable[[Any, Any], None]]] = {
        ev.Add: Choosing.take_add, ev.Leave: Choosing.take_leave, ev.Remove: Choosing.take_remove,
        ev.Late: Choosing.take_late, ev.Duo: Choosing.take_duo, ev.Prefer: Choosing.take_prefer,
        ev.Ready: Choosing.take_ready,
        ev.Divided: Choosing.take_divided, ev.Vote: Choosing.take_vote, ev.Pick: Choosing.take_pick,
        ev.Veto: Choosing.take_veto,
        ev.Sub: _sub, ev.Fill: _substitute, ev.Report: _report, ev.Confirm: _confirm, ev.Correct: _correct,
        ev.Undo: _undo, ev.Cancel: _cancel, ev.Tick: _tick,
    }  # fmt: skip


def _ranks(ranks: Sequence[float], game: PickupGame) -> tuple[float, ...]:
    given = tuple(map(float, ranks))
    if len(given) != game.lobby.teams or not all(map(math.isfinite, given)):
        msg = f"a result must be a number for each of {game.lobby.teams} teams, got {len(given)}"
        raise InputError(msg)
    return given


def _due(game: PickupGame) -> tuple[float, str]:
    return game.deadline, game.id
