"""Archives in a SQLite file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from equipoise.archive.database import DAMAGED, Database
from equipoise.archive.migrations.upgrading import VERSION_TABLE
from equipoise.errors import InputError

#: Before this version SQLite's write-ahead log could corrupt a file to which two connections write
#: (sqlite.org/changes.html, 3.51.3: "fix the WAL-reset bug").
SOUND = (3, 51, 3)


class Sqlite(Database):
    """A file."""

    def __init__(
        self, path: str, *, create: bool, timeout: float, waiting: Callable[[str], None], module: Any = None
    ) -> None:
        self._driver = module or sqlite_driver()
        sound = self._driver.sqlite_version_info >= SOUND
        self._journal = "WAL" if sound else "DELETE"
        if not create and not Path(path).exists():
            msg = f": {path}: there is no such file; 'equipoise ingest' or 'serve --create' makes an archive"
            raise InputError(msg, "store")
        if not create and not Path(path).stat().st_size:  # to open it would already make a database of it
            msg = f": {path} is empty; 'equipoise ingest' or 'serve --create' makes an archive of it"
            raise InputError(msg, "store")
        self._path = Path(path)
        self._opened: tuple[int, int] | None = None
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
        if self._writable and not _foreign(cursor):
            cursor.execute(f"PRAGMA journal_mode = {self._journal}")
            cursor.execute("PRAGMA synchronous = FULL")
            cursor.execute("PRAGMA secure_delete = ON")
        cursor.close()
        self._opened = self._file()

    def _file(self) -> tuple[int, int] | None:
        """Return the device and number of the file, None where there is none."""
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    @contextmanager
    def _connected(self) -> Iterator[sa.Connection]:
        """Give the connection, unless the file is no longer the one that was opened.

        What was written then would be in a file that nobody finds.  What fails lets go of the connection: one
        that stays open while a file is copied over it would keep all later ones at the state in between.
        """
        if self._opened is not None and self._opened != self._file():
            msg = f": {self.where}: the file was moved or replaced while it was in use; start again"
            raise InputError(msg, "store")
        try:
            with super()._connected() as connection:
                yield connection
        except DBAPIError:
            self.close()
            raise

    def close(self) -> None:
        """Close the connection."""
        self._opened = None
        super().close()

    def _begin_reading(self, connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    def _begin_writing(self, connection: sa.Connection, seconds: float) -> bool:
        if not self._writable:
            msg = f": {self.where}: it is read-only; make it writable"
            raise InputError(msg, "store")
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        except DBAPIError as error:
            if "locked" in str(error.orig):
                return False
            raise
        return True

    def _reason(self, error: DBAPIError) -> str:
        text = str(error.orig)
        reasons = {
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
        return DAMAGED if text.startswith("Could not decode") else reasons.get(text, text)

    def insert(self, connection: sa.Connection, table: sa.Table, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add many rows."""
        self._many(connection, "INSERT", table, rows)

    def upsert(self, connection: sa.Connection, table: sa.Table, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add or replace rows."""
        self._many(connection, "INSERT OR REPLACE", table, rows)

    def insert_missing(
        self, connection: sa.Connection, table: sa.Table, rows: Sequence[tuple[Any, ...]]
    ) -> int:
        """Add rows that are not there."""
        return self._many(connection, "INSERT OR IGNORE", table, rows)

    def _many(
        self, connection: sa.Connection, verb: str, table: sa.Table, rows: Sequence[tuple[Any, ...]]
    ) -> int:
        if not rows:
            return 0
        marks = ", ".join("?" * len(table.columns))
        columns = ", ".join(f'"{column.name}"' for column in table.columns)
        statement = f'{verb} INTO "{table.name}" ({columns}) VALUES ({marks})'  # names of the schema
        return connection.exec_driver_sql(statement, list(rows)).rowcount

    def holds(self, column: sa.Column[str], text: str) -> sa.ColumnElement[bool]:
        """Return the condition that a column contains a text."""
        return sa.func.instr(column, text) > 0

    def scrub(self) -> None:
        """Rewrite the file without what was deleted, and empty the write-ahead log."""
        with self._lock, self._reported(), self._connected() as connection:
            connection.exec_driver_sql("VACUUM")
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def facts(self) -> dict[str, str]:
        """Return the version of SQLite and the journal."""
        return {
            "database": "sqlite",
            "version": self._driver.sqlite_version,
            "journal": self._journal.lower(),
        }


def _foreign(cursor: Any) -> bool:
    """Tell whether a database is something else's, whose file is to stay as it is."""
    tables = {name for (name,) in cursor.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return bool(tables) and VERSION_TABLE not in tables


def _may_write(path: Path) -> bool:
    """Tell whether a file and its directory, where journals are, may be written."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def sqlite_driver() -> Any:
    """Return the SQLite that came with a wheel, or else Python's own."""
    try:
        return import_module("pysqlite3.dbapi2")
    except ImportError:  # platforms without the wheel
        return import_module("sqlite3")
