"""Archives on a PostgreSQL server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import compress
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from equipoise.archive.database import Database, without_password
from equipoise.core.packages import needs
from equipoise.errors import InputError

#: The key of the advisory lock that the one writer of a PostgreSQL database holds: "equipois" in ASCII.
WRITER = int.from_bytes(b"equipois", "big")

#: The key of the advisory lock that all share who write what one owner has, and nobody else beside who
#: writes that without owning it: "sharding".
SHARING = int.from_bytes(b"sharding", "big")

#: Milliseconds that a transaction that writes may stand still: its process is stopped, or the network is
#: gone, and others wait for its lock.
STANDSTILL = 30_000

#: How long a connection to PostgreSQL may take to come about (seconds), and after how long silence it is held
#: for gone (10 s, and three questions at intervals of 5 s); what the address says itself goes before.
PATIENT = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}

#: What is wrong with a pooler that gives each transaction another connection.
POOLED = (
    "is reached through a pooler in transaction mode, which gives every transaction another connection: "
    "locks would be lost; connect to PostgreSQL itself, or set pool_mode = session"
)

#: Milliseconds after which PostgreSQL gives a statement up: longer than any takes, and not without end.
STATEMENT = 600_000

#: Rows that are written by one statement.
AT_ONCE = 5000

#: What PostgreSQL calls a lock that was not had in time.
_LOCK_TIMEOUT = "55P03"


class Postgres(Database):
    """A database on a server."""

    def __init__(self, url: sa.URL, *, timeout: float, waiting: Callable[[str], None]) -> None:
        try:
            import_module("psycopg")
        except ImportError as error:
            msg = f": postgresql:// {needs('psycopg')}"
            raise InputError(msg, "store") from error
        self._arguments = {name: value for name, value in PATIENT.items() if name not in url.query}
        engine = sa.create_engine(
            url.set(drivername="postgresql+psycopg"),
            poolclass=sa.QueuePool,
            pool_size=1,
            max_overflow=0,
            pool_pre_ping=True,
            connect_args=self._arguments,
        )
        shown = url.render_as_string(hide_password=True)
        super().__init__(without_password(shown), engine, timeout, waiting)

    @contextmanager
    def sharing(self) -> Iterator[sa.Connection]:
        """Give a connection that may write what has one owner, beside others who write what they own."""
        with self._lock, self._reported(), self._connected() as connection, connection.begin():
            connection.exec_driver_sql(
                f"SELECT set_config('lock_timeout', '{int(self.timeout * 1000)}', true), "
                f"set_config('statement_timeout', '{STATEMENT}', true), "
                f"set_config('idle_in_transaction_session_timeout', '{STANDSTILL}', true), "
                f"pg_advisory_xact_lock_shared({SHARING})"
            )
            yield connection

    def alone(self, connection: sa.Connection) -> None:
        """Wait, in a transaction that writes, until nobody shares, and let nobody share before its end."""
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({SHARING})")

    @contextmanager
    def session(self) -> Iterator[Any]:
        """Give the driver's own connection, each statement a transaction: what it locks lasts beyond."""
        with self._lock, self._reported(), self._connected() as connection:
            alone = connection.execution_options(isolation_level="AUTOCOMMIT")
            yield alone

    def patient(self, connection: sa.Connection) -> None:
        """Let a transaction stand still for as long as its process computes."""
        connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")

    def check_unpooled(self) -> None:
        """Look whether locks last from one transaction to the next.

        A pooler in transaction mode is noticed by two of its clients that have the same connection one after
        the other, or one client that has two.

        Raises
        ------
        InputError
            If they do not.
        """
        other = sa.create_engine(self._engine.url, poolclass=sa.NullPool, connect_args=dict(self._arguments))
        try:
            with self._lock, self._reported(), self._connected() as connection:
                with connection.begin():
                    mine = _backend(connection)
                if mine[0] == mine[1]:
                    return  # the server itself has named that number: nobody stands between
                with other.connect() as second, second.begin():
                    others = {_backend(second)[0]}
                    with other.connect() as third, third.begin():
                        others.add(_backend(third)[0])
                        with connection.begin():
                            again = _backend(connection)
        finally:
            other.dispose()
        if mine[0] in others or mine[0] != again[0]:
            msg = f": {self.where} {POOLED}"
            raise InputError(msg, "store")

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Give a connection that sees one state of the database."""
        with self._lock, self._reported(), self._connected() as connection:
            whole = connection.execution_options(isolation_level="REPEATABLE READ")
            with whole.begin():
                whole.exec_driver_sql(f"SET LOCAL statement_timeout = {STATEMENT}")
                yield whole

    def _begin_reading(self, connection: sa.Connection) -> None:
        """Do nothing: a transaction is open already."""

    def _begin_writing(self, connection: sa.Connection, seconds: float) -> bool:
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {int(seconds * 1000)}")
        connection.exec_driver_sql(f"SET LOCAL statement_timeout = {STATEMENT}")
        connection.exec_driver_sql(f"SET LOCAL idle_in_transaction_session_timeout = {STANDSTILL}")
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
        columns = ", ".join(f'"{column.name}"' for column in table.columns)
        with driver.cursor() as cursor, cursor.copy(f'COPY "{table.name}" ({columns}) FROM STDIN') as copy:
            for row in rows:
                copy.write_row(row)

    def upsert(self, connection: sa.Connection, table: sa.Table, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add or replace rows, many at a time."""
        keys = [column.name for column in table.primary_key]
        others = [column.name for column in table.columns if column.name not in keys]
        new = ", ".join(f'"{name}" = excluded."{name}"' for name in others)
        target = ", ".join(f'"{name}"' for name in keys)
        # No statement may write a row twice: the last one counts.
        which = [column.primary_key for column in table.columns]
        once = {tuple(compress(row, which)): row for row in rows}
        self._many(connection, table, list(once.values()), f"({target}) DO UPDATE SET {new}")

    def insert_missing(
        self, connection: sa.Connection, table: sa.Table, rows: Sequence[tuple[Any, ...]]
    ) -> int:
        """Add rows that are not there, many at a time."""
        return self._many(connection, table, rows, "DO NOTHING")

    def _many(
        self, connection: sa.Connection, table: sa.Table, rows: Sequence[tuple[Any, ...]], conflict: str
    ) -> int:
        # A statement for each row takes long.
        columns = ", ".join(f'"{column.name}"' for column in table.columns)
        types = [column.type.compile(connection.dialect) for column in table.columns]
        marks = ", ".join(f"%s::{each}[]" for each in types)
        added = 0
        for first in range(0, len(rows), AT_ONCE):
            added += connection.exec_driver_sql(
                f'INSERT INTO "{table.name}" ({columns}) SELECT * FROM unnest({marks}) '  # noqa: S608  # names
                f"ON CONFLICT {conflict}",
                tuple(map(array_of, zip(*rows[first : first + AT_ONCE], strict=True))),
            ).rowcount
        return added

    def holds(self, column: sa.Column[str], text: str) -> sa.ColumnElement[bool]:
        """Return the condition that a column contains a text."""
        return sa.func.strpos(column, text) > 0

    def scrub(self) -> None:
        """Rewrite the tables without what was deleted; the server's own log is out of reach."""
        with self._lock, self._reported(), self._connected() as connection:
            alone = connection.execution_options(isolation_level="AUTOCOMMIT")
            for table in ("match", "derived", "merged", "undo", "queue_event", "queue_state", "queue_person"):
                alone.exec_driver_sql(f'VACUUM FULL "{table}"')

    def facts(self) -> dict[str, str]:
        """Return the version of the server."""
        with self.reading() as connection:
            version = connection.exec_driver_sql("SHOW server_version").scalar()
        return {"database": "postgresql", "version": str(version)}


def array_of(values: Iterable[object]) -> str:
    r"""Return values as PostgreSQL reads an array from text.

    The driver looks at each value in turn, which takes ten times as long, while everybody waits who writes.

    Examples
    --------
    >>> print(array_of([b"\x01a", b""]), array_of(['a "b" \\', "null"]), array_of([1, None]), array_of([0.5]))
    {"\\x0161","\\x"} {"a \"b\" \\","null"} {1,NULL} {0.5}
    """
    return "{" + ",".join([_element(each) for each in values]) + "}"


def _element(value: object) -> str:
    if isinstance(value, bytes | bytearray | memoryview):
        return f'"\\\\x{value.hex()}"'
    if isinstance(value, str):
        quoted = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{quoted}"'
    return "NULL" if value is None else str(value)


def _backend(connection: sa.Connection) -> tuple[int, int]:
    """Return the number of the process that answers, and the one it named when the connection began."""
    driver: Any = connection.connection.driver_connection
    return int(connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()), driver.info.backend_pid


def listening_arguments(url: str) -> dict[str, Any]:
    """Return with what arguments psycopg connects to an address."""
    address = sa.make_url(url).set(drivername="postgresql+psycopg")
    _, arguments = address.get_dialect()().create_connect_args(address)
    return {**{name: value for name, value in PATIENT.items() if name not in arguments}, **arguments}
