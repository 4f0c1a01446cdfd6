"""Where an address leads: the database of a store's address, and what of the address may be shown."""

from __future__ import annotations

import re
from collections.abc import Callable

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from equipoise.archive.database import Database, without_password
from equipoise.archive.postgresql import Postgres
from equipoise.archive.sqlite import Sqlite
from equipoise.errors import InputError

#: What a store's address may look like.
SCHEMES = "sqlite:///path/to/file (four slashes for an absolute path) or postgresql://user@host/database"

#: What is not shown of an address: who asks, with the password.
PASSWORD = re.compile(r"(?<=://).*@")

#: What SQLite takes for a database that ends with the program.
IN_MEMORY = ":memory:"


def shown(url: str) -> str:
    """Return an address as it may be shown: without who asks, and without a password.

    Examples
    --------
    >>> shown("postgresql://ann:secret@host/games")
    'postgresql://host/games'
    """
    return without_password(PASSWORD.sub("", url))


def connect(url: str, *, create: bool, timeout: float, waiting: Callable[[str], None]) -> Database:
    """Return the database of an address.

    Raises
    ------
    InputError
        If the address is none, or what it needs is not installed.
    """
    scheme, colon, rest = url.partition("://")
    if scheme == "sqlite" and rest == f"/{IN_MEMORY}":
        msg = f"must outlive the command, got {url!r}; write {SCHEMES}"
        raise InputError(msg, "store")
    if scheme == "sqlite" and rest.startswith("/") and len(rest) > 1:
        return Sqlite(rest[1:], create=create, timeout=timeout, waiting=waiting)
    if scheme in ("postgresql", "postgres") and colon:
        try:
            address = sa.make_url(url)
        except (SQLAlchemyError, ValueError):  # the error would show a password
            address = None
        if address is not None:
            return Postgres(address, timeout=timeout, waiting=waiting)
    msg = f"must be {SCHEMES}, got {shown(url)!r}"
    raise InputError(msg, "store")
