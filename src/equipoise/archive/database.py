"""What every database does: one writer at a time, whole transactions or none, errors as messages.

:mod:`equipoise.archive.sqlite` and :mod:`equipoise.archive.postgresql` have what differs.
"""

from __future__ import annotations

import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from equipoise.errors import InputError

#: What is not shown of an address: who asks, with the password.
PASSWORD = re.compile(r"(?<=://).*@")


#: What helps where a database holds what no equipoise has written.
DAMAGED = "it is damaged; restore a copy, or ingest the logs into a new one"

#: Seconds after which a writer that waits for another one says so.
PATIENCE = 0.5


#: A password that stands after the database's name.
_PASSWORD = re.compile(r"(?<=password=)[^&]*", re.IGNORECASE)


def without_password(address: str) -> str:
    """Return an address without the password that may stand after the database's name."""
    return _PASSWORD.sub("***", address)


class OtherWriterError(InputError):
    """Another process has been writing for as long as one may wait."""


def unfenced(connection: sa.Connection) -> None:
    """Let a transaction write."""


class Database(ABC):
    """One connection to a database, for one thread at a time.

    Parameters
    ----------
    where : str
        What messages call it; without a password.
    engine : Engine
        With room for one connection.
    timeout : float
        Seconds to wait for another writer.
    waiting : callable
        Called once with what is waited for.
    """

    def __init__(self, where: str, engine: sa.Engine, timeout: float, waiting: Callable[[str], None]) -> None:
        self.where = where
        self.timeout = timeout
        self.waiting = waiting
        self._engine = engine
        self._lock = threading.RLock()
        self.writable = True
        #: Asked at the beginning of each transaction that writes; raises where it may not.
        self.fence: Callable[[sa.Connection], None] = unfenced

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Give a connection that sees one state of the database, whatever others write."""
        with self._lock, self._reported(), self._connected() as connection, connection.begin():
            self._begin_reading(connection)
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Give a connection that alone may write; all of it is kept at the end, or nothing."""
        with self._lock, self._reported(), self._connected() as connection, connection.begin():
            if not self._begin_writing(connection, PATIENCE):
                self.waiting(f"{self.where} is being written by another process; waiting for it")
                if not self._begin_writing(connection, self.timeout):
                    msg = (
                        f": {self.where} is still being written by another process after "
                        f"{self.timeout:g} s; try again when it has ended"
                    )
                    raise OtherWriterError(msg, "store")
            self.fence(connection)
            yield connection

    @contextmanager
    def sharing(self) -> Iterator[sa.Connection]:
        """Give a connection that may write what has one owner, beside others who write what they own."""
        with self.writing() as connection:
            yield connection

    def alone(self, connection: sa.Connection) -> None:  # noqa: B027 -- what writes a file is alone
        """Wait, in a transaction that writes, until nobody shares, and let nobody share before its end."""

    def patient(self, connection: sa.Connection) -> None:  # noqa: B027 -- nobody ends what uses a file
        """Let a transaction stand still for as long as its process computes."""

    @contextmanager
    def _connected(self) -> Iterator[sa.Connection]:
        with self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Turn what a database raises into a message."""
        try:
            yield
        except DBAPIError as error:
            msg = f": {self.where}: {self._reason(error)}"
            raise InputError(msg, "store") from error
        except SQLAlchemyError as error:
            msg = f": {self.where}: {error}"
            raise InputError(msg, "store") from error
        except UnicodeDecodeError as error:
            msg = f": {self.where}: {DAMAGED}"
            raise InputError(msg, "store") from error

    def close(self) -> None:
        """Close the connection."""
        self._engine.dispose()

    @abstractmethod
    def _begin_reading(self, connection: sa.Connection) -> None:
        """Begin a transaction that only reads."""

    @abstractmethod
    def _begin_writing(self, connection: sa.Connection, seconds: float) -> bool:
        """Become the one writer; False where another one is, after some seconds."""

    @abstractmethod
    def _reason(self, error: DBAPIError) -> str:
        """Return what went wrong, and what helps."""

    @abstractmethod
    def insert(self, connection: sa.Connection, table: sa.Table, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add many rows that are not there yet, their values in the order of the columns."""

    @abstractmethod
    def upsert(self, connection: sa.Connection, table: sa.Table, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add rows or replace those with the same primary key."""

    @abstractmethod
    def insert_missing(
        self, connection: sa.Connection, table: sa.Table, rows: Sequence[tuple[Any, ...]]
    ) -> int:
        """Add those rows whose primary key is not there yet; return how many that were."""

    @abstractmethod
    def holds(self, column: sa.Column[str], text: str) -> sa.ColumnElement[bool]:
        """Return the condition that a column contains a text, letter by letter."""

    @abstractmethod
    def scrub(self) -> None:
        """Overwrite what was deleted, as far as this is in reach."""

    @abstractmethod
    def facts(self) -> dict[str, str]:
        """Return what database this is, and which version of it."""


#: How the path of a database ends that is given without a scheme.
ENDINGS = (".db", ".sqlite", ".sqlite3")


def file_of(url: str) -> str | None:
    """Return the path of the file that an address means; None of a database on a server, or of no address.

    Examples
    --------
    >>> file_of("night.db"), file_of("sqlite:////srv/night"), file_of("postgresql://host/night.db")
    ('night.db', '/srv/night', None)
    """
    if "://" not in url:
        return url if url.lower().endswith(ENDINGS) else None
    path = url.removeprefix("sqlite:///")
    return path if path and path != url else None


def shown(url: str) -> str:
    """Return an address as it may be shown: without who asks, and without a password.

    Examples
    --------
    >>> shown("postgresql://ann:secret@host/games")
    'postgresql://host/games'
    """
    return without_password(PASSWORD.sub("", url))
