"""SQLite and PostgreSQL: everything in which they differ, and their errors as messages.

A database here is one connection, one writer at a time, and transactions that are whole or not there.
"""

from __future__ import annotations

import os
import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from equipoise.errors import InputError

#: What a store's address may look like.
SCHEMES = "sqlite:///path/to/file (four slashes for an absolute path) or postgresql://user@host/database"

#: What is not shown of an address: who asks, with the password, and passwords that stand after the database.
PASSWORD = re.compile(r"(?<=://).*@")
_HIDDEN = re.compile(r"(?<=password=)[^&]*", re.IGNORECASE)

#: What helps where a database holds what no equipoise has written.
DAMAGED = "it is damaged; restore a copy, or ingest the logs into a new one"

#: What SQLite takes for a database that ends with the program.
IN_MEMORY = ":memory:"

#: Before this version SQLite's write-ahead log could corrupt a file to which two connections write
#: (sqlite.org/changes.html, 3.51.3: "fix the WAL-reset bug").
SOUND = (3, 51, 3)

#: The key of the advisory lock that the one writer of a PostgreSQL database holds: "equipois" in ASCII.
WRITER = int.from_bytes(b"equipois", "big")

#: Seconds after which a writer that waits for another one says so.
PATIENCE = 0.5

#: How long a connection to PostgreSQL may take to come about (seconds), and after how long silence it is held
#: for gone (10 s, and three questions at intervals of 5 s); what the address says itself goes before.
PATIENT = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}

#: Milliseconds after which PostgreSQL gives a statement up: longer than any takes, and shorter than for ever.
STATEMENT = 600_000

#: What PostgreSQL calls a lock that was not had in time.
_LOCK_TIMEOUT = "55P03"


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

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Give a connection that sees one state of the database, whatever others write."""
        with self._lock, self._told(), self._connected() as connection, connection.begin():
            self._begin_reading(connection)
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Give a connection that alone may write; all of it is kept at the end, or nothing."""
        with self._lock, self._told(), self._connected() as connection, connection.begin():
            if not self._begin_writing(connection, PATIENCE):
                self.waiting(f"{self.where} is being written by another process; waiting for it")
                if not self._begin_writing(connection, self.timeout):
                    msg = (
                        f"store: {self.where} is still being written by another process after "
                        f"{self.timeout:g} s; try again when it has ended"
                    )
                    raise InputError(msg)
            yield connection

    @contextmanager
    def _connected(self) -> Iterator[sa.Connection]:
        with self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what a database raises into a message."""
        try:
            yield
        except DBAPIError as error:
            msg = f"store: {self.where}: {self._reason(error)}"
            raise InputError(msg) from error
        except SQLAlchemyError as error:
            msg = f"store: {self.where}: {error}"
            raise InputError(msg) from error
        except UnicodeDecodeError as error:
            msg = f"store: {self.where}: {DAMAGED}"
            raise InputError(msg) from error

    def close(self) -> None:
        """Let go of the connection."""
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
    ) -> None:
        """Add those rows whose primary key is not there yet."""

    @abstractmethod
    def holds(self, column: sa.Column[str], text: str) -> sa.ColumnElement[bool]:
        """Return the condition that a text stands in a column, letter by letter."""

    @abstractmethod
    def scrub(self) -> None:
        """Overwrite what was deleted, as far as this is in reach."""

    @abstractmethod
    def facts(self) -> dict[str, str]:
        """Return what database this is, and which version of it."""


class Sqlite(Database):
    """A file."""

    def __init__(
        self, path: str, *, create: bool, timeout: float, waiting: Callable[[str], None], module: Any = None
    ) -> None:
        self._driver = module or sqlite_driver()
        sound = self._driver.sqlite_version_info >= SOUND
        self._journal = "WAL" if sound else "DELETE"
        if not create and not Path(path).exists():
            msg = f"store: {path}: there is no such file; 'equipoise ingest' or --create makes an archive"
            raise InputError(msg)
        self._writable = not Path(path).exists() or _may_write(Path(path))
        # A file that nobody may write is taken as it is: a write-ahead log could not be read beside it.
        # One that is to exist is never made, however late it turns out to have gone.
        how = "immutable=1" if not self._writable else "" if create else "mode=rw"
        address = f"file:{quote(str(Path(path).absolute()))}?{how}" if how else path
        query = {"uri": "true"} if how else {}
        engine = sa.create_engine(
            sa.URL.create("sqlite", database=address, query=query),
            module=self._driver,
            poolclass=sa.QueuePool,
            pool_size=1,
            max_overflow=0,
            connect_args={"check_same_thread": False, "isolation_level": None},
        )
        sa.event.listen(engine, "connect", self._prepare)
        super().__init__(path, engine, timeout, waiting)
        self.writable = self._writable
        if not sound and self._writable:
            waiting(
                f"{path}: SQLite {self._driver.sqlite_version} has a fault in its write-ahead log that "
                f"{'.'.join(map(str, SOUND))} mends; the slower rollback journal is used instead"
            )

    def _prepare(self, connection: Any, record: Any) -> None:
        del record
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {int(self.timeout * 1000)}")
        if self._writable:
            cursor.execute(f"PRAGMA journal_mode = {self._journal}")
            cursor.execute("PRAGMA synchronous = FULL")
            cursor.execute("PRAGMA secure_delete = ON")
        cursor.close()

    def _begin_reading(self, connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    def _begin_writing(self, connection: sa.Connection, seconds: float) -> bool:
        if not self._writable:
            msg = f"store: {self.where}: it is read-only; make it writable"
            raise InputError(msg)
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        except DBAPIError as error:
            if "locked" in str(error.orig):
                return False
            raise
        return True

    def _reason(self, error: DBAPIError) -> str:
        said = str(error.orig)
        told = {
            "database or disk is full": "the disk is full; nothing of the last step was kept",
            "disk I/O error": "the disk cannot be read or written (is it full, or are files limited in "
            "size?); nothing of the last step was kept",
            "attempt to write a readonly database": "it is read-only; make it writable",
            "unable to open database file": "it cannot be opened or made; is the directory there, and not "
            "read-only?",
            "file is not a database": "it is not an archive but some other file",
            "database disk image is malformed": DAMAGED,
            "database is locked": "another process is using it",
        }
        return DAMAGED if said.startswith("Could not decode") else told.get(said, said)

    def insert(self, connection: sa.Connection, table: sa.Table, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add many rows."""
        self._many(connection, "INSERT", table, rows)

    def upsert(self, connection: sa.Connection, table: sa.Table, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add or replace rows."""
        self._many(connection, "INSERT OR REPLACE", table, rows)

    def insert_missing(
        self, connection: sa.Connection, table: sa.Table, rows: Sequence[tuple[Any, ...]]
    ) -> None:
        """Add rows that are not there."""
        self._many(connection, "INSERT OR IGNORE", table, rows)

    def _many(
        self, connection: sa.Connection, verb: str, table: sa.Table, rows: Sequence[tuple[Any, ...]]
    ) -> None:
        if rows:
            marks = ", ".join("?" * len(table.columns))
            connection.exec_driver_sql(
                f'{verb} INTO "{table.name}" VALUES ({marks})', list(rows)
            )  # names of the schema

    def holds(self, column: sa.Column[str], text: str) -> sa.ColumnElement[bool]:
        """Return the condition that a text stands in a column."""
        return sa.func.instr(column, text) > 0

    def scrub(self) -> None:
        """Write the file anew without what was deleted, and empty the write-ahead log."""
        with self._lock, self._told(), self._connected() as connection:
            connection.exec_driver_sql("VACUUM")
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def facts(self) -> dict[str, str]:
        """Return the version of SQLite and the journal."""
        return {
            "database": "sqlite",
            "version": self._driver.sqlite_version,
            "journal": self._journal.lower(),
        }


def _may_write(path: Path) -> bool:
    """Tell whether a file and its directory, where journals are, may be written."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def sqlite_driver() -> Any:
    """Return the SQLite that came with a wheel, or else Python's own."""
    try:
        return import_module("pysqlite3.dbapi2")
    except ImportError:  # platforms without the wheel
        return import_module("sqlite3")


class Postgres(Database):
    """A database on a server."""

    def __init__(self, url: sa.URL, *, timeout: float, waiting: Callable[[str], None]) -> None:
        try:
            import_module("psycopg")
        except ImportError as error:
            msg = "store: postgresql:// needs psycopg; install it with: pip install 'equipoise[postgresql]'"
            raise InputError(msg) from error
        engine = sa.create_engine(
            url.set(drivername="postgresql+psycopg"),
            poolclass=sa.QueuePool,
            pool_size=1,
            max_overflow=0,
            pool_pre_ping=True,
            connect_args={name: value for name, value in PATIENT.items() if name not in url.query},
        )
        shown = url.render_as_string(hide_password=True)
        super().__init__(_HIDDEN.sub("***", shown), engine, timeout, waiting)

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Give a connection that sees one state of the database."""
        with self._lock, self._told(), self._connected() as connection:
            whole = connection.execution_options(isolation_level="REPEATABLE READ")
            with whole.begin():
                whole.exec_driver_sql(f"SET LOCAL statement_timeout = {STATEMENT}")
                yield whole

    def _begin_reading(self, connection: sa.Connection) -> None:
        """Do nothing: a transaction is open already."""

    def _begin_writing(self, connection: sa.Connection, seconds: float) -> bool:
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {int(seconds * 1000)}")
        connection.exec_driver_sql(f"SET LOCAL statement_timeout = {STATEMENT}")
        before = connection.begin_nested()
        try:
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITER})")
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", "") != _LOCK_TIMEOUT:
                raise
            before.rollback()
            return False
        before.commit()
        return True

    def _reason(self, error: DBAPIError) -> str:
        return " ".join(str(error.orig).split())

    def insert(self, connection: sa.Connection, table: sa.Table, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add many rows by COPY."""
        if not rows:
            return
        driver: Any = connection.connection.driver_connection
        with driver.cursor() as cursor, cursor.copy(f'COPY "{table.name}" FROM STDIN') as copy:
            for row in rows:
                copy.write_row(row)

    def upsert(self, connection: sa.Connection, table: sa.Table, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add or replace rows, many at a time."""
        keys = [column.name for column in table.primary_key]
        others = [column.name for column in table.columns if column.name not in keys]
        new = ", ".join(f'"{name}" = excluded."{name}"' for name in others)
        target = ", ".join(f'"{name}"' for name in keys)
        self._many(connection, table, rows, f"({target}) DO UPDATE SET {new}")

    def insert_missing(
        self, connection: sa.Connection, table: sa.Table, rows: Sequence[tuple[Any, ...]]
    ) -> None:
        """Add rows that are not there, many at a time."""
        self._many(connection, table, rows, "DO NOTHING")

    def _many(
        self, connection: sa.Connection, table: sa.Table, rows: Sequence[tuple[Any, ...]], conflict: str
    ) -> None:
        if rows:
            columns = ", ".join(f'"{column.name}"' for column in table.columns)
            marks = ", ".join(["%s"] * len(table.columns))
            connection.exec_driver_sql(
                f'INSERT INTO "{table.name}" ({columns}) VALUES ({marks}) '  # noqa: S608  # names of the schema
                f"ON CONFLICT {conflict}",
                list(rows),
            )

    def holds(self, column: sa.Column[str], text: str) -> sa.ColumnElement[bool]:
        """Return the condition that a text stands in a column."""
        return sa.func.strpos(column, text) > 0

    def scrub(self) -> None:
        """Write the tables anew without what was deleted; the server's own log is out of reach."""
        with self._lock, self._told(), self._connected() as connection:
            alone = connection.execution_options(isolation_level="AUTOCOMMIT")
            for table in ("match", "derived", "merged", "undo"):
                alone.exec_driver_sql(f'VACUUM FULL "{table}"')

    def facts(self) -> dict[str, str]:
        """Return the version of the server."""
        with self.reading() as connection:
            version = connection.exec_driver_sql("SHOW server_version").scalar()
        return {"database": "postgresql", "version": str(version)}


def shown(url: str) -> str:
    """Return an address as it may be shown: without who asks, and without a password.

    Examples
    --------
    >>> shown("postgresql://ann:secret@host/games")
    'postgresql://host/games'
    """
    return _HIDDEN.sub("***", PASSWORD.sub("", url))


def connect(url: str, *, create: bool, timeout: float, waiting: Callable[[str], None]) -> Database:
    """Return the database of an address.

    Raises
    ------
    InputError
        If the address is none, or what it needs is not installed.
    """
    scheme, colon, rest = url.partition("://")
    if scheme == "sqlite" and rest == f"/{IN_MEMORY}":
        msg = f"store must outlive the command, got {url!r}; write {SCHEMES}"
        raise InputError(msg)
    if scheme == "sqlite" and rest.startswith("/") and len(rest) > 1:
        return Sqlite(rest[1:], create=create, timeout=timeout, waiting=waiting)
    if scheme in ("postgresql", "postgres") and colon:
        try:
            address = sa.make_url(url)
        except (SQLAlchemyError, ValueError):  # the error would show a password
            address = None
        if address is not None:
            return Postgres(address, timeout=timeout, waiting=waiting)
    msg = f"store must be {SCHEMES}, got {shown(url)!r}"
    raise InputError(msg)
