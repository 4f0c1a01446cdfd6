"""The policy of a queue, and tickets that came, from files in JSON or TOML.

The fields are in :mod:`equipoise.queueing.policy` and :mod:`equipoise.queueing.tickets`.
"""

from __future__ import annotations

from equipoise.core.plain_data import list_of
from equipoise.files.read_request import data_of
from equipoise.files.read_roster import content_of
from equipoise.queueing.policy import QueuePolicy
from equipoise.queueing.tickets import QueueTicket


def read_policy(source: str) -> QueuePolicy:
    """Read a policy from a file, or from standard input for ``-``.

    Parameters
    ----------
    source : str
        A path or ``-``.  With the ending ``.toml`` it is TOML, else JSON.

    Raises
    ------
    InputError
        If the file cannot be read or something in it is wrong.
    """
    where, content = content_of(source)
    return QueuePolicy.asked(data_of(content, where, toml=source.lower().endswith(".toml")), where)


def read_tickets(source: str) -> list[QueueTicket]:
    """Read tickets from a list in a JSON file, or from standard input for ``-``.

    Raises
    ------
    InputError
        If the file cannot be read or something in it is wrong; the message names the entry.
    """
    where, content = content_of(source)
    entries = list_of(data_of(content, where, toml=False), where, "tickets")
    return [
        QueueTicket.from_dict(entry, f"{where}, ticket {number}")
        for number, entry in enumerate(entries, start=1)
    ]
