"""Receipts: what was asked and answered, with a hash, for anybody to work out again.

A receipt is plain data: the request, the version and seed, the answer with every player by id, its bound, and
the hash of all that.  Of the answer it holds what follows from the request and no more: which solver found
it, and the reason in words, nobody could work out again.  The hash shows a slip or a change by hand; a
change of the hash too is found by :mod:`equipoise.verification.receipt_check`, which works out what was
claimed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib import metadata
from typing import Any, Protocol

from equipoise.errors import InputError

#: What receipts of this shape say they are.
FORMAT = "equipoise receipt 1"

#: The fields of a receipt.
FIELDS = ("format", "version", "seed", "request", "answer", "bound", "hash")


#: What an answer says in a receipt.
ANSWER = (
    "status", "objective", "value", "bound", "gap", "beta", "zero", "bot_weight", "default_weight", "unrated",
    "splits",
)  # fmt: skip


class ToDict(Protocol):
    """What can be written as plain data, as a request can."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""


def receipt(request: ToDict, solution: Any) -> dict[str, Any]:
    """Return the receipt of an answer: plain data for JSON, that :func:`equipoise.verify` checks.

    Parameters
    ----------
    request : BalanceRequest
        What was asked.
    solution : Solution
        What :func:`equipoise.balance` answered to it.

    Raises
    ------
    UnsupportedError
        If the request has a part that was passed as a Python object, which data cannot hold.
    """
    asked = request.to_dict()
    answer = {name: value for name, value in solution.as_dict().items() if name in ANSWER}
    for plain, split in zip(answer["splits"], solution.splits, strict=True):
        plain["teams"] = [[player.id for player in team] for team in split.teams]
        plain.pop("draw", None)  # it is no claim about the teams
    written = {
        "format": FORMAT,
        "version": installed(),
        "seed": asked.get("seed", 0),
        "request": asked,
        "answer": answer,
        "bound": answer["bound"],
    }
    return {**written, "hash": hash_of(written)}


def installed() -> str:
    """Return the version that is installed here."""
    return metadata.version("equipoise")


def hash_of(receipt: Mapping[str, Any]) -> str:
    """Return the hash of everything in a receipt but the hash: SHA-256 of its JSON with sorted keys."""
    rest = {name: value for name, value in receipt.items() if name != "hash"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def parse(content: bytes, where: str = "receipt") -> dict[str, Any]:
    """Read a receipt from JSON.

    Raises
    ------
    InputError
        If it is not JSON, names a field twice, or lacks one.
    """
    try:
        data = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_once, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        msg = f"{where}: it is not the JSON of a receipt: {error}"
        raise InputError(msg) from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        msg = f"{where}: it does not say that it is of the format {FORMAT!r}"
        raise InputError(msg)
    for name in (*FIELDS, *data):
        if name not in data or name not in FIELDS:
            problem = "missing" if name not in data else "not known"
            msg = f"{where}: the field {name!r} is {problem}; a receipt has {', '.join(FIELDS)}"
            raise InputError(msg)
    return data


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        msg = "a field is named twice"
        raise ValueError(msg)
    return made


def _refuse(constant: str) -> None:
    msg = f"{constant} is no number of JSON"
    raise ValueError(msg)
