"""The commands that take a server from its state to the state that is planned, and those under way."""

from __future__ import annotations

from equipoise.live.commands import AddBot, Command, MovePlayer, RemoveBot
from equipoise.live.state import Seat, State


class Pending:
    """Commands that were given and have had no effect yet: they are not given again for a while.

    Parameters
    ----------
    moves_bots : bool
        Whether a bot that is in the wrong team is moved, where the server can do that.
    """

    def __init__(self, *, moves_bots: bool = False) -> None:
        self._moves_bots = moves_bots
        self._sent: dict[tuple[Command, str], float] = {}
        self._coming: list[tuple[AddBot, float]] = []

    def forget(self) -> None:
        """Expect nothing: a new level begins with those who are there."""
        self._coming.clear()

    def left(self, seat: Seat) -> None:
        """Expect nothing of somebody who is gone; one who comes back is asked for again."""
        self._sent = {key: at for key, at in self._sent.items() if key[1] != seat.id}

    def postpone(self, now: float) -> None:
        """Expect nothing of what was given sooner than if it were given now."""
        self._sent = dict.fromkeys(self._sent, now)
        self._coming = [(command, now) for command, _ in self._coming]

    def came(self, seat: Seat) -> None:
        """Note that a bot came that was asked for."""
        for n, (command, _) in enumerate(self._coming):
            if command.team == seat.team and command.level in (None, seat.level):
                del self._coming[n]
                return

    def nothing(self, state: State) -> bool:
        """Whether everyone is where they are to be, and nobody is expected."""
        return not (list(state.astray()) or self._coming or self._bots(state))

    def commands(self, state: State, now: float) -> list[Command]:
        """Return what is to be done, without what was asked for just now."""
        retry = state.policy.retry_seconds
        self._coming = [each for each in self._coming if now - each[1] < retry]
        self._sent = {key: at for key, at in self._sent.items() if now - at < retry}
        fresh: list[Command] = []
        wanted = [MovePlayer(seat.slot, state.plan[seat.id]) for seat in state.astray()]
        for command in [*wanted, *self._bots(state)]:
            if isinstance(command, AddBot):
                self._coming.append((command, now))
                fresh.append(command)
            elif (key := (command, state.seats[command.slot].id)) not in self._sent:
                self._sent[key] = now
                fresh.append(command)
        return fresh

    def _bots(self, state: State) -> list[MovePlayer | AddBot | RemoveBot]:
        """Return which bots to move, to remove and to add; replacements are added afterwards."""
        if not state.policy.bots:
            return []
        missing: list[AddBot] = []
        extra = [seat for seat in state.seats.values() if seat.bot and seat.team is None]
        for team, levels in enumerate(state.bots):
            there = [seat for seat in state.seats.values() if seat.bot and seat.team == team]
            left, beyond = _matched(levels, there)
            missing += [AddBot(team, level) for level in left]
            extra += beyond
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
        return [*moved, *(RemoveBot(seat.slot) for seat in extra), *come[len(extra) :]]


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
