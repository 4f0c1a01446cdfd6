"""A back-up that is restored, and an archive of the last schema that is opened, hold all there was."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from equipoise.archive.archive import Archive, _connected, open_archive, say
from equipoise.archive.migrations.upgrading import VERSION_TABLE, upgrade
from equipoise.archive.outbox import OutboxNote
from equipoise.archive.sqlite import sqlite_driver
from equipoise.archive.tables import HEAD
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.player import Player
from equipoise.queueing import QueuePolicy, QueueTicket
from equipoise.queueing.life import Accept, EnterTicket
from equipoise.service.queue_owner import MatchesAsked, QueueOwner, StatusAsked, TickDue, WhereAsked
from equipoise.service.table_settings import QueueSettings

pytestmark = pytest.mark.slow

DUEL = QueueSettings("duel", QueuePolicy(team_size=1, imbalance=0.49, most_imbalance=0.49, tolerance=1e6))

#: The first schema in which queues and what is to be sent are kept.
FIRST_WITH_QUEUES = 5

ASKED = [*map(WhereAsked, "abc"), MatchesAsked(), StatusAsked()]


def owner_of(archive: Archive) -> QueueOwner:
    """Return the owner of the queue, at a time that stands still."""
    return QueueOwner(archive, DUEL, {"queue": ("league",)}, lambda: 1000.0)


def filled(archive: Archive) -> None:
    """Put something of every kind into an archive."""
    ruleset = Ruleset("oa", "ctf")
    games = [
        Match(
            (Contest(ruleset, (["ann"], ["bob"]), (1, 2), at=float(day)),), id=f"m{day}", ended=86400.0 * day
        )
        for day in range(1, 5)
    ]
    archive.record(games)
    archive.update_ratings()
    archive.outbox.put({"result": ("league",)}, [OutboxNote("result", "result:m1", "{}")], 1.0)
    owner = owner_of(archive)
    owner.ask([EnterTicket(QueueTicket(name, [Player(name, 1500.0)], 0.0)) for name in "abc"])
    owner.ask([TickDue(), Accept("1", "a")])


def content(archive: Archive) -> Any:
    """Return all that is to be there again."""
    notes = [(note.id, note.body) for note in archive.outbox.due("league", 1e12, 100)]
    return archive.digest(), archive.standing().state, sorted(notes), owner_of(archive).ask(ASKED).answers


def back_up_and_restore(url: str, folder: Path) -> None:
    """Back up while the archive is open, lose it, and restore it, as docs/archive.md says."""
    if url.startswith("sqlite:///"):
        path = Path(url.removeprefix("sqlite:///"))
        connection = sqlite_driver().connect(path)
        connection.execute("VACUUM INTO ?", (str(folder / "copy"),))
        connection.close()
        for each in path.parent.glob(f"{path.name}*"):
            each.unlink()
        shutil.move(folder / "copy", path)
        return
    server, _, schema = url.partition("?options=-csearch_path%3D")
    for program in ("pg_dump", "psql"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    dumped = subprocess.run(["pg_dump", "--schema", schema, server], check=True, capture_output=True)
    lost = ["psql", "-q", "-v", "ON_ERROR_STOP=1", server]
    subprocess.run([*lost, "-c", f"DROP SCHEMA {schema} CASCADE"], check=True, capture_output=True)
    subprocess.run(lost, input=dumped.stdout, check=True, capture_output=True)


def test_a_back_up_that_is_restored_holds_all_there_was(new_url: Callable[[], str], tmp_path: Path) -> None:
    """Matches, ratings, what is to be sent, and who waits in which queue; and it goes on from there."""
    url = new_url()
    with open_archive(url) as archive:
        filled(archive)
        before = content(archive)
        if not url.startswith("sqlite"):
            back_up_and_restore(url, tmp_path)
    if url.startswith("sqlite"):
        back_up_and_restore(url, tmp_path)
    with open_archive(url, create=False) as archive:
        assert content(archive) == before
        owner_of(archive).ask([Accept("1", "b")])
        assert owner_of(archive).ask([MatchesAsked()]).answers[0][0]["running"]


def copied(archive: Archive, url: str, schema: str) -> None:
    """Make an archive of an earlier schema with all of another one that there was a place for then."""
    source, target = archive._database, _connected(url, create=True, timeout=60.0, waiting=say)
    with target.writing() as connection:
        upgrade(connection, schema)
    tables = sa.MetaData()
    with source.reading() as given, target.writing() as connection:
        tables.reflect(connection)
        for table in tables.sorted_tables:
            known = {column["name"] for column in sa.inspect(given).get_columns(table.name)}
            columns = [column for column in table.columns if column.name in known]
            rows = [dict(row._mapping) for row in given.execute(sa.select(*columns).select_from(table))]
            if rows and table.name != VERSION_TABLE:
                connection.execute(table.insert(), rows)
    target.close()


@pytest.mark.parametrize("schema", [str(number) for number in range(FIRST_WITH_QUEUES, int(HEAD))])
def test_an_archive_of_an_earlier_schema_is_opened_with_its_data(
    new_url: Callable[[], str], schema: str
) -> None:
    """What later steps added is added, and nothing that was there is other than before."""
    url = new_url()
    with open_archive(new_url()) as archive:
        filled(archive)
        before = content(archive)
        copied(archive, url, schema)
    with open_archive(url, create=False) as archive:
        assert archive.facts()["schema"] == HEAD
        archive.update_ratings()  # what is learnt may have to be learnt again
        assert content(archive) == before
