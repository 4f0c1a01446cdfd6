"""A lost database goes back to a point in time: what was acknowledged before is there, nothing after."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import psycopg
import pytest
from tests.servers import Postgresql, postgresql_programs, postgresql_server

from equipoise.archive.archive import open_archive
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.player import Player
from equipoise.queueing import QueuePolicy, QueueTicket
from equipoise.queueing.life import EnterTicket
from equipoise.service.queue_owner import Beat, QueueOwner, WhereAsked
from equipoise.service.table_settings import QueueSettings

pytestmark = pytest.mark.slow

DUEL = QueueSettings("duel", QueuePolicy(team_size=1))


def go_on(url: str, name: str) -> None:
    """Let a server keep a ticket and a result, and end without a word."""
    with open_archive(url, waiting=str) as archive:
        owner = QueueOwner(archive, DUEL, worker=f"server of {name}")
        while not owner.ask([Beat()]).owned.here:
            pass
        owner.ask([EnterTicket(QueueTicket(name, [Player(name, 1500.0)], 0.0))])
        archive.record([Match((Contest(Ruleset(), ([name], ["bob"]), (1, 2)),), ended=1.0, id=name)])
        archive.update_ratings()


def restored(server: Postgresql, base: Path, wal: Path, moment: str) -> None:
    """Put a back-up in the place of the data, as docs/how-to/cluster.md says."""
    owner = server.data.stat()
    server.stop()
    shutil.rmtree(server.data)
    subprocess.run(["cp", "-a", base, server.data], check=True)
    with (server.data / "postgresql.auto.conf").open("a", encoding="utf-8") as settings:
        settings.write(f"restore_command = 'cp {wal}/%f %p'\nrecovery_target_time = '{moment}'\n")
    signal = server.data / "recovery.signal"
    signal.touch()
    shutil.chown(signal, owner.st_uid, owner.st_gid)
    server.start()
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("SELECT pg_wal_replay_resume()")
        while connection.execute("SELECT pg_is_in_recovery()").fetchone() == (True,):
            pass


def test_a_lost_database_goes_back_to_a_point_in_time(tmp_path: Path) -> None:
    """The queue and the ratings go on from there, under a new epoch."""
    programs = postgresql_programs()
    with postgresql_server("archive_mode=on", "wal_level=replica") as server:
        wal, base = (server.data.parent / name for name in ("wal", "base"))
        user = {key: server.run[key] for key in ("user", "group", "extra_groups") if key in server.run}
        subprocess.run(["mkdir", wal], check=True, **user)
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute(f"ALTER SYSTEM SET archive_command = 'cp %p {wal}/%f'")
            connection.execute("SELECT pg_reload_conf()")
        go_on(server.url, "ann")
        assert programs is not None
        copy = [programs / "pg_basebackup", "-d", server.url, "-D", base, "-X", "none", "--checkpoint=fast"]
        subprocess.run(copy, check=True, capture_output=True, **user)
        go_on(server.url, "zoe")
        with psycopg.connect(server.url, autocommit=True) as connection:
            (moment,) = connection.execute("SELECT clock_timestamp()::text").fetchone()
        go_on(server.url, "eve")
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("SELECT pg_switch_wal()")
            (last,) = connection.execute("SELECT pg_walfile_name(pg_current_wal_lsn())").fetchone()
            while (
                connection.execute("SELECT last_archived_wal FROM pg_stat_archiver").fetchone()[0] or ""
            ) < (last[:-1]):
                pass
        restored(server, base, wal, moment)
        with open_archive(server.url, waiting=str) as archive:
            assert {match.id for match in archive.matches()} == {"ann", "zoe"}
            assert not archive.is_behind()
            owner = QueueOwner(archive, DUEL, worker="a new server")
            while not owner.ask([Beat()]).owned.here:
                pass
            found = owner.ask([WhereAsked(name) for name in ("ann", "zoe", "eve")]).answers
            assert [each and each["place"] for each in found] == ["waiting", "waiting", None]
