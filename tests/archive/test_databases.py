"""What databases are used in which way, and what is said where one cannot be."""

from __future__ import annotations

import math
import sqlite3
import threading
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from equipoise.archive import postgresql, sqlite
from equipoise.archive.archive import open_archive
from equipoise.archive.postgresql import array_of
from equipoise.archive.tables import METADATA
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.errors import InputError

DUEL = Match((Contest(Ruleset(), (["ann"], ["bob"]), (1, 2)),))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("games", "store must be sqlite:///path"),
        ("mysql://host/db", "store must be sqlite:///path"),
        ("sqlite://", "sqlite:///path"),
        ("sqlite:///:memory:", "must outlive the command"),
        ("postgresql://host:port/x", "store must be sqlite:///path"),
        ("sqlite:////no/such/folder/games.db", "is the directory there, and not read-only?"),
        pytest.param(
            "postgresql://nobody@127.0.0.1:1/nothing",
            "store: postgresql://nobody@127.0.0.1:1/nothing: ",
            marks=pytest.mark.skipif(find_spec("psycopg") is None, reason="psycopg is not installed"),
        ),
    ],
)
def test_a_bad_address_is_reported_with_what_is_allowed(url: str, message: str) -> None:
    """Nobody has to guess what a store's address looks like."""
    with pytest.raises(InputError) as caught:
        open_archive(url)
    assert message in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    "place",
    ["nobody:secret@127.0.0.1:1/x", "nobody:secret@host:port/x", "127.0.0.1:1/x?password=secret&user=me",
     "host:port/x?PASSWORD=secret"],
)  # fmt: skip
def test_a_password_is_not_reported(place: str) -> None:
    """A message may end up in a log."""
    with pytest.raises(InputError) as caught:
        open_archive(f"postgresql://{place}")
    assert "secret" not in str(caught.value)


def test_a_missing_driver_is_reported_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL needs an extra."""

    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(postgresql, "import_module", missing)
    with pytest.raises(InputError, match=r"pip install 'equipoise\[postgresql\]'"):
        open_archive("postgresql://host/database")


@pytest.mark.slow
def test_a_file_is_used_safely(tmp_path: Path) -> None:
    """A sound SQLite, the write-ahead log, a flush at each commit, and nothing left of what is deleted."""
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}") as archive:
        assert archive.facts()["journal"] == "wal"
        assert tuple(map(int, archive.facts()["version"].split("."))) >= sqlite.SOUND
        with archive._database.reading() as connection:
            asked = {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                     for name in ("journal_mode", "synchronous", "secure_delete")}  # fmt: skip
    assert asked == {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1}


def test_a_faulty_sqlite_writes_no_write_ahead_log_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where only a SQLite with the fault is there, the archive works with the older journal."""
    faulty = SimpleNamespace(**{name: getattr(sqlite3, name) for name in dir(sqlite3)})
    faulty.sqlite_version_info = (3, 51, 2)
    monkeypatch.setattr(sqlite, "sqlite_driver", lambda: faulty)
    reported: list[str] = []
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}", waiting=reported.append) as archive:
        assert archive.record([DUEL]).new == 1
        assert archive.facts()["journal"] == "delete"
    assert "3.51.3" in reported[0]


@pytest.mark.slow
def test_a_second_writer_waits_and_says_so_or_fails_clearly(new_url: Callable[[], str]) -> None:
    """There is one writer at a time."""
    url, reported = new_url(), list[str]()
    with open_archive(url) as first, open_archive(url, timeout=0.1, waiting=reported.append) as second:
        with first._database.writing(), pytest.raises(InputError, match="still being written"):
            second.record([DUEL])
        assert "is being written by another process" in reported[0]
        assert second.record([DUEL]).new == 1
    with open_archive(url) as first, open_archive(url, timeout=60.0) as second:
        waiting = threading.Event()
        second._database.waiting = lambda _: waiting.set()
        with first._database.writing():
            done = threading.Thread(target=second.update_ratings)
            done.start()
            assert waiting.wait(30.0)
        done.join(30.0)
        assert first.standing().current


@pytest.mark.slow
def test_a_reader_sees_one_state_while_another_writes(new_url: Callable[[], str]) -> None:
    """What is read belongs to one revision."""
    url = new_url()
    with open_archive(url) as reader, open_archive(url) as writer:
        with reader._database.reading() as connection:
            count = sa.text("SELECT count(*) FROM match")
            assert connection.execute(count).scalar() == 0
            writer.record([DUEL])
            assert connection.execute(count).scalar() == 0
        assert reader.revision() == writer.revision() == 1


@pytest.mark.slow
def test_the_migrations_lead_to_the_schema(new_url: Callable[[], str]) -> None:
    """Tables made step by step are those that the code knows."""
    with open_archive(new_url()) as archive, archive._database.reading() as connection:
        assert not compare_metadata(MigrationContext.configure(connection), METADATA)


@pytest.mark.slow
def test_a_newer_schema_is_refused(new_url: Callable[[], str]) -> None:
    """An older equipoise does not guess what a newer one has kept."""
    url = new_url()
    with open_archive(url) as archive, archive._database.writing() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '99'"))
        connection.execute(sa.text("UPDATE archive SET oldest = '98'"))
    with pytest.raises(InputError, match="schema 99, made by a newer equipoise"):
        open_archive(url)


@pytest.mark.slow
def test_who_is_of_the_version_before_goes_on_beside_a_newer_schema_that_only_adds(
    new_url: Callable[[], str],
) -> None:
    """Servers are upgraded one after the other: the others write and read on, and open the archive again."""
    url = new_url()
    with open_archive(url) as before:
        with before._database.writing() as connection:  # as a later step of the schema would
            connection.execute(sa.text("UPDATE alembic_version SET version_num = '99'"))
            for table in ("match", "queue_event", "outbox", "derived"):
                connection.execute(sa.text(f"ALTER TABLE {table} ADD COLUMN more INTEGER DEFAULT 0"))
        assert before.record([DUEL]).new == 1
        assert before.update_ratings().matches == 1
    with open_archive(url, create=False) as again:
        assert again.count() == 1
        assert not again.is_behind()


@pytest.mark.slow
def test_an_upgrade_that_breaks_off_leaves_nothing(
    new_url: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The schema is made as a whole or not at all."""
    from equipoise.archive.migrations import upgrading

    url = new_url()
    with monkeypatch.context() as patch:
        patch.setattr(upgrading.secrets, "token_bytes", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            open_archive(url)
    with open_archive(url) as archive:
        assert archive.revision() == 0


def test_the_database_of_something_else_is_refused(tmp_path: Path) -> None:
    """An archive is not made in a file that belongs to another program, nor in one that is no database."""
    connection = sqlite.sqlite_driver().connect(tmp_path / "other.db")
    connection.execute("CREATE TABLE songs (title)")
    connection.close()
    before = (tmp_path / "other.db").read_bytes()
    with pytest.raises(InputError, match=r"something else .*'songs'"):
        open_archive(f"sqlite:///{tmp_path / 'other.db'}")
    assert (tmp_path / "other.db").read_bytes() == before
    (tmp_path / "text.db").write_text("weights\n" * 1000)
    with pytest.raises(InputError, match="not an archive but some other file"):
        open_archive(f"sqlite:///{tmp_path / 'text.db'}")


@pytest.mark.slow
def test_what_does_not_exist_is_only_made_where_that_is_wanted(new_url: Callable[[], str]) -> None:
    """A typing error in a command that reads does not leave an empty archive behind."""
    with pytest.raises(InputError, match=r"'equipoise ingest' (or 'serve --create' )?makes"):
        open_archive(new_url(), create=False)


def test_an_empty_file_is_only_made_an_archive_where_that_is_wanted(tmp_path: Path) -> None:
    """To open it already writes the head of a database into it."""
    file = tmp_path / "games.db"
    file.touch()
    meant = r"^store: .*games.db is empty; 'equipoise ingest' or 'serve --create'"
    with pytest.raises(InputError, match=meant):
        open_archive(f"sqlite:///{file}", create=False)
    assert not file.read_bytes()
    with open_archive(f"sqlite:///{file}") as archive:
        assert archive.revision() == 0


def test_postgresql_reads_arrays_as_they_were(server: str) -> None:
    """Of every type of column, hostile or not: what is written many rows at a time."""
    import psycopg

    texts = ["", "a", 'b"c', "d\\e", "{f,g}", "null", "NULL", " h ", "i\nj", "\u00fc\U0001f600", "'", "%s"]
    kinds: list[tuple[str, list[Any]]] = [
        ("TEXT", texts),
        ("BYTEA", [b"", b"\0", bytes(range(256)), b'\\"{}', memoryview(b"ab")]),
        ("BIGINT", [0, -1, 2**63 - 1, -(2**63), None]),
        ("DOUBLE PRECISION", [0.1, -0.0, 1e300, 5e-324, np.float64(1 / 3), math.inf, -math.inf]),
        ("BOOLEAN", [True, False]),
    ]
    with psycopg.connect(server) as connection:
        for kind, values in kinds:
            row = connection.execute(f"SELECT %s::{kind}[]", (array_of(values),)).fetchone()  # type: ignore[arg-type]
            assert row is not None
            assert row[0] == values
            assert list(map(str, row[0])) == list(map(str, map(_plain, values)))


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value


def test_a_file_that_is_replaced_is_no_longer_written(tmp_path: Path) -> None:
    """Whoever has it open is told so, and keeps nothing in a file that nobody finds."""
    path, other = tmp_path / "games.db", tmp_path / "other.db"
    for each in (path, other):
        with open_archive(str(each)) as archive:
            archive.record([DUEL])
    with open_archive(str(path)) as archive:
        assert len(list(archive.matches())) == 1
        other.replace(path)
        for _ in range(2):
            with pytest.raises(InputError, match="was moved or replaced while it was in use"):
                archive.record([Match(DUEL.contests, id="second")])
    with open_archive(str(path)) as archive:
        assert len(list(archive.matches())) == 1


def test_what_fails_while_a_file_is_written_over_does_not_fail_afterwards(tmp_path: Path) -> None:
    """No connection stays at what there was for a moment only."""
    path = tmp_path / "games.db"
    with open_archive(str(path)) as archive:
        archive.record([DUEL])
    whole = path.read_bytes()
    with open_archive(str(path)) as archive:
        path.write_bytes(b"")
        with pytest.raises(InputError):
            list(archive.matches())
        path.write_bytes(whole)
        assert len(list(archive.matches())) == 1
