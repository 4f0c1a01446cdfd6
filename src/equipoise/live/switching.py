"""Who changes sides while a game runs: volunteers; others only where the admin allows it."""

from __future__ import annotations

from dataclasses import replace

from equipoise.live.choosing import HARMLESS, best_switch, chances, imbalance
from equipoise.live.state import Seat, State


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
