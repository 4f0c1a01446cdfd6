"""Addresses as settings and options have them."""

from __future__ import annotations

import re

from equipoise.errors import InputError

_PUBLIC = re.compile(r"https?://[^/?#\s]+")


def host_and_port(text: str, argument: str, examples: str, least: int = 1) -> tuple[str, int]:
    """Return host and port of an address.

    Parameters
    ----------
    text : str
        ``HOST:PORT``; IPv6 stands in square brackets.
    argument, examples : str
        What the address is for, and what it may look like; messages name both.
    least : int
        The lowest port; 0 for one that the system may choose.

    Raises
    ------
    InputError
        If it is not written so.
    """
    host, _, port = text.rpartition(":")
    if not (host and port.isascii() and port.isdigit() and len(port) < 6 and least <= int(port) < 65536):
        msg = f"must be HOST:PORT, as in {examples}, got {text!r:.60}"
        raise InputError(msg, argument)
    return host.removeprefix("[").removesuffix("]"), int(port)


def public_url(text: str) -> str:
    """Return an address at which others reach a service, without a slash at its end; empty stays so.

    Raises
    ------
    InputError
        If it is none; the caller names the argument.

    Examples
    --------
    >>> public_url("https://games.example/")
    'https://games.example'
    """
    base = text.strip().rstrip("/")
    if base and not _PUBLIC.fullmatch(base):
        msg = f"must be an address such as https://games.example, got {text!r:.80}"
        raise InputError(msg)
    return base
