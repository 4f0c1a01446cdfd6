"""Teams that change sides, as at half-time: the log moves everybody, and nobody is in another team."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from equipoise.play.live.events import Changed, Died, Event, Joined, Left, Swapped


def joined_swaps(events: Iterable[Event], teams: Mapping[int, int | None]) -> list[Event]:
    """Return events in which changes that move everybody to the other side are one :class:`Swapped`.

    Parameters
    ----------
    events : iterable of Event
        What happened, in order.
    teams : mapping from slot to team
        Where everybody was before.

    Examples
    --------
    >>> joined_swaps([Changed(3, 1), Changed(4, 0)], {3: 0, 4: 1, 5: None})
    [Swapped()]
    >>> joined_swaps([Changed(3, 1)], {3: 0, 4: 1})
    [Changed(slot=3, team=1)]
    """
    now, found, run = dict(teams), list[Event](), list[Changed | Died]()
    for event in events:
        if isinstance(event, Changed | Died):
            run.append(event)
            continue
        found += _judged(run, now)
        run = []
        if isinstance(event, Joined):
            now[event.slot] = event.team
        elif isinstance(event, Left):
            now.pop(event.slot, None)
        found.append(event)
    return [*found, *_judged(run, now)]


def _judged(run: Sequence[Changed | Died], now: dict[int, int | None]) -> list[Event]:
    """Return a run of changes as it is, or as a swap; note where everybody is after it."""
    changed = {event.slot: event.team for event in run if isinstance(event, Changed)}
    inside = {slot: team for slot, team in now.items() if team is not None}
    swap = len(inside) > 1 and changed == {slot: 1 - team for slot, team in inside.items()}
    now.update(changed)
    if not swap:
        return list(run)
    return [*(event for event in run if isinstance(event, Died)), Swapped()]
