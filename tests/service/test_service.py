"""The weight server as a process: other processes write its archive, replace it, and end it."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.servers import postgresql, postgresql_server
from tests.service.http.asking import ask
from tests.service.process import TOKEN, Served, rest
from tests.service.weights import conversation as talk

from equipoise.archive import derived_rows, learning
from equipoise.archive.archive import open_archive
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.errors import InputError
from equipoise.ratings.display_scale import scale_of
from equipoise.ratings.model import general_state
from equipoise.service.settings import Settings
from equipoise.service.snapshot_follower import Files, Follower, Learning, Look, Settling


def weight(store: Path, player: str) -> str:
    """Return what a player is answered to weigh, without a game: in the only ruleset, or what all share."""
    with open_archive(f"sqlite:///{store}", create=False) as archive:
        known = archive.standing()
    several = len(known.rulesets) > 1
    state = general_state(known.model, known.state, known.rulesets) if several else known.state
    shown = scale_of(known.model, state).shown(known.model.rating(state, player).mu)
    return f"PLAYER {player} {shown:.4f}\n"


def games(*winners: str) -> list[Match]:
    """Return duels, each of a winner against somebody."""
    return [
        Match((Contest(Ruleset("oa", "ctf"), ([winner], ["somebody"]), (1, 2), at=1e9 + n),))
        for n, winner in enumerate(winners)
    ]


def learnt(store: Path, matches: list[Match]) -> Path:
    """Make an archive of matches."""
    with open_archive(f"sqlite:///{store}") as archive:
        archive.record(matches)
        archive.update_ratings()
    return store


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return the path of an archive of one game."""
    return learnt(tmp_path / "games.db", games("ann"))


@pytest.fixture
def served(store: Path) -> Iterator[Served]:
    """Return a server that is ended at the end."""
    server = Served(store)
    yield server
    if server.process.poll() is None:
        server.end(signal.SIGKILL)


@pytest.mark.slow
def test_the_life_of_a_server(served: Served, store: Path, tmp_path: Path) -> None:
    """An ingest elsewhere is seen; a result is seen; the archive may be replaced; the end is in order."""
    assert served.ask("PLAYER ann\n") == weight(store, "ann")

    lines = [
        {"id": f"m{n}", "ended": 1.7e9 + n, "teams": [["eve"], ["ann"]], "scores": [9, 1]} for n in range(3)
    ]
    log = tmp_path / "results.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "equipoise", "ingest", str(log), "--store", f"sqlite:///{store}"],
        check=True, capture_output=True,
    )  # fmt: skip
    served.wait_for("PLAYER eve\n", weight(store, "eve"))

    reported = f"AUTH {TOKEN}\nGAME oa/ctf\nRESULT g1\t3 0\t0 PLAYER zoe\t1 PLAYER ann\n"
    assert served.ask(reported) == "AUTH ok\nRESULT g1 new\n"
    assert served.ask(reported) == "AUTH ok\nRESULT g1 known\n"
    while served.ask("PLAYER zoe\n") == "PLAYER zoe\n":
        assert served.process.poll() is None
    assert served.ask("PLAYER zoe\n") == weight(store, "zoe")

    other = learnt(tmp_path / "other.db", games("new", "new"))
    expected = weight(other, "new")
    shutil.copyfile(other, tmp_path / "moved.db")
    (tmp_path / "moved.db").replace(store)
    served.wait_for("PLAYER new\n", expected)
    assert served.ask("PLAYER zoe\n") == "PLAYER zoe\n"

    third = learnt(tmp_path / "third.db", games("six", "six"))
    shutil.copyfile(third, store)
    served.wait_for("PLAYER six\n", weight(third, "six"))

    code, events = served.end()
    assert code == 0
    assert [event["event"] for event in events if event["event"] != "ratings refreshed"] == [
        "new players", "result", "result", "ending", "ended",
    ]  # fmt: skip


@pytest.mark.slow
def test_what_was_acknowledged_survives_a_kill(served: Served, store: Path) -> None:
    """A result is in the archive before it is acknowledged."""
    with served.connect() as connection:
        connection.sendall(f"AUTH {TOKEN}\nGAME oa/ctf\n".encode())
        lines = connection.makefile("rb")
        assert lines.readline() == b"AUTH ok\n"
        for n in range(5):
            connection.sendall(f"RESULT g{n}\t3 0\t0 PLAYER zoe\t1 PLAYER ann\n".encode())
            assert lines.readline() == f"RESULT g{n} new\n".encode()
    code, _ = served.end(signal.SIGKILL)
    assert code == -signal.SIGKILL
    again = Served(store)
    reported = "GAME oa/ctf\n" + "".join(f"RESULT g{n}\t3 0\t0 PLAYER zoe\t1 PLAYER ann\n" for n in range(6))
    answers = again.ask(f"AUTH {TOKEN}\n{reported}")
    assert answers == "AUTH ok\n" + "".join(f"RESULT g{n} known\n" for n in range(5)) + "RESULT g5 new\n"
    assert again.end()[0] == 0


@pytest.mark.slow
def test_the_end_during_traffic_answers_what_was_sent(served: Served) -> None:
    """Several clients, each with many lines on the way: every one of them is answered, exit code 0."""
    clients = [served.connect() for _ in range(8)]
    lines = 2000
    for connection in clients:
        connection.sendall(b"GAME ctf\nPLAYER ann\nPLAYER eve\nTEAMS 2\n" + b"PLAYER ann\n" * lines)
    code, _ = served.end()
    assert code == 0
    for connection in clients:
        assert rest(connection).count(b"\n") == lines + 3
        connection.close()


@pytest.mark.slow
def test_while_an_archive_is_broken_the_last_ratings_are_served(served: Served, store: Path) -> None:
    """Nobody is made to wait for an archive."""
    expected = weight(store, "ann")
    with store.open("r+b") as file:
        file.write(b"this is not a database")
    while "archive cannot be read" not in (said := served.process.stderr.readline()):
        assert said
    assert served.ask("PLAYER ann\n") == expected


@pytest.mark.slow
def test_a_server_without_its_archive_is_not_ready(store: Path) -> None:
    """What sends it requests may send them elsewhere meanwhile; the process is alive."""
    served = Served(store, "--http", "127.0.0.1:0", "--http-rate", "1e6")
    whole = store.read_bytes()
    assert ask(f"{served.http}/readyz").status == 200
    store.write_bytes(b"this is not a database")
    while (answer := ask(f"{served.http}/readyz")).status == 200:
        assert served.process.poll() is None
    assert (answer.status, answer.plain["type"]) == (503, "urn:equipoise:problem:no-store")
    assert ask(f"{served.http}/livez").status == 200
    store.write_bytes(whole)
    while ask(f"{served.http}/readyz").status != 200:
        assert served.process.poll() is None
    served.end()


@pytest.mark.slow
def test_a_database_that_hangs_or_stops_keeps_nobody_waiting() -> None:
    """Lookups are answered from memory, results refused for the time being, and the end is in order."""
    with postgresql_server() as database:
        with open_archive(database.url) as archive:
            archive.record(games("ann"))
            archive.update_ratings()
        served = Served(database.url)
        try:
            known = served.ask("PLAYER ann\n")
            assert known.startswith("PLAYER ann ")
            while (answer := served.result("g1")).startswith("ERR unavailable"):  # its worker begins
                assert served.process.poll() is None
            assert answer in ("RESULT g1 new\n", "RESULT g1 known\n")
            database.hang()
            assert served.result("g2").startswith("ERR unavailable")
            assert served.ask("PLAYER ann\n").startswith("PLAYER ann ")
            database.go_on()
            while (answer := served.result("g2")).startswith("ERR unavailable"):  # its worker begins again
                assert served.process.poll() is None
            assert answer in ("RESULT g2 new\n", "RESULT g2 known\n")
            database.stop()
            assert served.result("g3").startswith("ERR unavailable")
            assert served.ask("PLAYER ann\n").startswith("PLAYER ann ")
            database.start()
            while (answer := served.result("g3")).startswith("ERR unavailable"):
                assert served.process.poll() is None
            assert answer == "RESULT g3 new\n"
            with open_archive(database.url) as archive:
                assert [match.id for match in archive.matches()][1:] == ["g1", "g2", "g3"]
                archive.update_ratings()
                standing = archive.standing()
            shown = scale_of(standing.model, standing.state).shown(
                standing.model.rating(standing.state, "zoe").mu
            )
            served.wait_for("PLAYER zoe\n", f"PLAYER zoe {shown:.4f}\n")
            database.hang()
            assert served.end()[0] == 0
        finally:
            database.go_on()
            served.process.kill()
            served.process.communicate()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Return the address of an archive that is not there yet."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/followed.db"
    else:
        with postgresql() as server:
            yield server


@pytest.mark.slow
def test_a_follower_sees_every_change_and_nothing_else(url: str) -> None:
    """Whichever database it is, and whoever writes it; what nobody has learnt is learnt."""

    async def follow() -> None:
        with open_archive(url):
            pass
        follower = Follower(url)
        first = await follower.newer()
        assert first is not None
        assert not first.ratings.known
        for n, winner in enumerate(("ann", "bob", "cid")):
            with open_archive(url) as archive:
                archive.record([Match((Contest(Ruleset("oa", "ctf"), ([winner], ["eve"]), (1, 2), at=n),))])
                if winner != "cid":
                    archive.update_ratings()
                snapshot = await follower.newer(now=True)
                standing = archive.standing()
            assert standing.current
            assert snapshot is not None
            assert snapshot.ratings.state == standing.state
            assert list(snapshot.ratings.known) == list(standing.model.players(standing.state))
            assert snapshot.game == "oa"
            assert await follower.newer() is None
        await follower.close()

    asyncio.run(follow())


def test_the_second_worker_learns_what_came_late_and_leaves_checkpoints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked to be ready it only packs; then it learns all that waits, and at last lays checkpoints close."""
    monkeypatch.setattr(derived_rows, "SPAN", 3)
    monkeypatch.setattr(learning, "TOGETHER", 10)
    url = f"sqlite:///{learnt(tmp_path / 'games.db', games(*['ann', 'bob'] * 40))}"
    settling = Settling(url)
    for n in range(3):
        duel = Contest(Ruleset("oa", "ctf"), (["cid"], ["eve"]), (1, 2), at=1e9 + 10.5 + n)
        with open_archive(url) as archive:
            archive.record([Match((duel,), id=f"late {n}")])
            archive.follow_newest()
            steps = 0
            while all_of(settling, None):
                steps += 1
            assert steps > 4 or n
            assert archive.waiting_since()
            assert all_of(settling, True) > 60
            assert archive.waiting_since() is None
            with archive._database.reading() as connection:
                spans = [each.matches for each in derived_rows.all_checkpoints(connection)]
            assert max(spans) > 60 or not n  # the first time nothing is remembered
    assert all_of(settling, False) > 60
    with open_archive(url) as archive:
        with archive._database.reading() as connection:
            assert max(each.matches for each in derived_rows.all_checkpoints(connection)) < 40
        before = repr((archive.standing().state, archive.standing().known))
        archive.rebuild()
        assert before == repr((archive.standing().state, archive.standing().known))


def test_a_look_at_half_a_copy_does_not_spoil_the_next(tmp_path: Path) -> None:
    """What could not be read is let go of: a connection beside it would show the file as it was."""
    store = learnt(tmp_path / "games.db", games("ann"))
    other = learnt(tmp_path / "other.db", games("new")).read_bytes()
    learning_worker = Learning(f"sqlite:///{store}")
    list(learning_worker(Look(fresh=True)))
    store.write_bytes(b"")
    with pytest.raises(InputError):
        list(learning_worker(Look(fresh=True)))
    store.write_bytes(other)
    seen = {each.name: dict(each.entries) for each in learning_worker(Look(fresh=True))}
    assert "new" in seen["players"]


def all_of(settling: Settling, question: bool | None) -> int:
    """Return the answer of a worker."""
    answers = settling(question)
    while True:
        try:
            next(answers)
        except StopIteration as answer:
            return int(answer.value)


def test_writes_that_a_clock_cannot_tell_apart_are_not_missed(tmp_path: Path) -> None:
    """A file written just now is looked at again; an old one is not."""
    path = tmp_path / "a.db"
    path.write_bytes(b"x")
    url, written = f"sqlite:///{path}", path.stat().st_mtime
    assert Files.of(url, written + 0.01) != Files.of(url, written + 0.02)
    assert Files.of(url, written + 1.0) == Files.of(url, written + 2.0)
    assert Files.of("postgresql://host/name", 0.0) is None
    assert Files.of(f"sqlite:///{tmp_path}/none.db", 0.0) is None


def test_the_page_says_the_size_of_a_line() -> None:
    """Defaults in the page are those of the program."""
    settings = Settings(store="sqlite:///a.db")
    assert f"{settings.max_line:,} bytes (`--max-line`)" in talk.PAGE
    assert f"more than {settings.max_mutators} (`--max-mutators`)" in talk.PAGE
    assert f"more than {settings.max_members} players and bots (`--max-members`)" in talk.PAGE
    assert f"for {settings.idle_seconds:g} s (`--idle-seconds`)" in talk.PAGE
    assert f"after {settings.slow_seconds:g} s (`--slow-seconds`)" in talk.PAGE
