"""The policy of a queue from a file, in JSON or TOML; the fields are in :mod:`equipoise.queueing.policy`."""

from __future__ import annotations

from equipoise.files.read_request import data_of
from equipoise.files.read_roster import content_of
from equipoise.queueing.policy import QueuePolicy


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
    return QueuePolicy.from_dict(data_of(content, where, toml=source.lower().endswith(".toml")), where)
