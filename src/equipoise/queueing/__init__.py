"""The queue: people who wait, into fair matches, again and again.

:func:`tick` makes matches of the tickets that wait; :class:`QueuePolicy` says how even they must be, and how
that gives way to waiting; :class:`TicketLife` knows where every ticket is; :func:`simulate_queue` says what
people will see before they do.
Nothing here knows a clock, a network or a database: ``now`` is an argument.
"""

from equipoise.queueing.backfill import BackfillJoin, Opening, fill_openings
from equipoise.queueing.life import TicketLife
from equipoise.queueing.policy import QueuePolicy
from equipoise.queueing.promises import policy_in_words
from equipoise.queueing.reasons import reason_for_waiting
from equipoise.queueing.simulation import Population, QueueFigures, replay_queue, simulate_queue
from equipoise.queueing.tick import TickResult, tick
from equipoise.queueing.tickets import FoundMatch, QueueTicket

__all__ = [
    "BackfillJoin",
    "FoundMatch",
    "Opening",
    "Population",
    "QueueFigures",
    "QueuePolicy",
    "QueueTicket",
    "TickResult",
    "TicketLife",
    "fill_openings",
    "policy_in_words",
    "reason_for_waiting",
    "replay_queue",
    "simulate_queue",
    "tick",
]
