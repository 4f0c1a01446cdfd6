"""``equipoise doctor``: each thing that is wrong has a fix, and a sound installation has none."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from tests.cli.running import runner
from tests.service.process import TOKEN, Served

from equipoise.archive.archive import open_archive
from equipoise.archive.ingest.follow_log import hash_of
from equipoise.archive.outbox import OutboxNote
from equipoise.cli.doctor import command
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.player import Player
from equipoise.queueing import QueuePolicy, QueueTicket
from equipoise.queueing.life import EnterTicket
from equipoise.service.queue_owner import QueueOwner
from equipoise.service.table_settings import QueueSettings
from equipoise.service.tokens import make

#: It tries numba, which from then on compiles for whatever is tested.
pytestmark = pytest.mark.slow


def _findings(*flags: str) -> tuple[int, list[dict[str, str]]]:
    nowhere = () if "--weights" in flags else ("--weights", "127.0.0.1:1")
    given = ["--json", *nowhere, *flags]
    result = runner().invoke(command, given, env={"EQUIPOISE_STORE": None})
    assert result.stdout, result.output
    return result.exit_code, json.loads(result.stdout)["findings"]


def _archive(folder: Path, at: float) -> str:
    store = f"sqlite:///{folder}/games.db"
    with open_archive(store) as archive:
        archive.record([Match((Contest(Ruleset("oa", "ctf"), (["ann"], ["bob"]), (1, 2), at=at),))])
        archive.update_ratings()
    return store


def test_a_sound_installation_needs_no_fix(tmp_path: Path) -> None:
    """And the archive is described."""
    code, findings = _findings(
        "--store", _archive(tmp_path, 1e9), "--max-connections", "10", "--max-per-address", "9"
    )
    assert code == 0
    assert not any(finding["fix"] for finding in findings)
    assert any("1 matches that count" in finding["what"] for finding in findings)


def test_what_is_wrong_is_reported_with_its_fix(tmp_path: Path) -> None:
    """A token that others may read, too few files, ratings that are behind, a match of the future."""
    store, token = _archive(tmp_path, time.time() + 3600), tmp_path / "token"
    token.write_text("a token that nobody guesses", encoding="utf-8")
    token.chmod(0o644)
    with open_archive(store) as archive:
        archive.record([Match((Contest(Ruleset("oa", "ctf"), (["ann"], ["eve"]), (1, 2), at=5.0),))])
    flags = ("--store", store, "--token-file", str(token), "--max-connections", "2000000000")
    code, findings = _findings(*flags)
    assert code == 1
    wrong = " ".join(finding["what"] for finding in findings if finding["fix"])
    for what in ("others may read", "open files", "not current", "ahead of this machine's clock"):
        assert what in wrong


def test_a_store_that_is_not_there_is_a_finding(tmp_path: Path) -> None:
    """Nothing is made."""
    code, findings = _findings("--store", f"sqlite:///{tmp_path}/none.db")
    assert code == 1
    assert any("no such file" in finding["what"] and "--create" in finding["fix"] for finding in findings)
    assert not list(tmp_path.iterdir())


def test_the_settings_that_are_used_are_looked_at(tmp_path: Path) -> None:
    """The zone that local times are read in, and an archive that the next start makes."""
    flags = ("--store", f"sqlite:///{tmp_path}/none.db", "--create", "--zone", "Asia/Tokyo")
    code, findings = _findings(*flags)
    assert (code, [each["what"] for each in findings if each["fix"]]) == (0, [])
    assert any("in Asia/Tokyo that is" in each["what"] and "UTC+0900" in each["what"] for each in findings)
    assert any(each["what"].endswith("the next start makes it") for each in findings)
    assert not list(tmp_path.iterdir())


def test_logs_that_are_followed_are_looked_at(tmp_path: Path) -> None:
    """All is read, something is not though the log has been still, and a rotation took away what was not."""
    store, log = _archive(tmp_path, 1e9), tmp_path / "games.log"
    first = b"line\n" * 40
    with open_archive(store) as archive:
        place = (len(first), hash_of(first), 0, 0)
        archive.keep_place(str(log), {"game": "openarena", "place": place, "dating": {}})
        archive.keep_place("/nowhere/at/all.log", {"game": "openarena", "place": place, "dating": {}})
        archive.keep_session("ctf", {"server": "ctf", "at": 0.0})

    def said(content: bytes) -> tuple[str, bool]:
        log.write_bytes(content)
        os.utime(log, (1e9, 1e9))
        _, findings = _findings("--store", store)
        assert sum(each["what"].startswith("log ") for each in findings) == 2
        assert {"what": "log /nowhere/at/all.log: it is not on this machine", "fix": ""} in [
            {key: each[key] for key in ("what", "fix")} for each in findings
        ]
        (found,) = [each for each in findings if each["what"].startswith(f"log {log}: ")]
        return found["what"].removeprefix(f"log {log}: "), bool(found["fix"])

    assert said(first) == ("all is read", False)
    assert said(first + b"seven b") == ("7 bytes are not read", True)
    log.rename(tmp_path / "games.log.1")
    assert said(b"new") == ("10 bytes are not read", True)
    (tmp_path / "games.log.1").unlink()
    assert said(b"new") == ("it was replaced, and what was read of it is not beside it", True)


def test_webhooks_that_take_nothing_are_found(tmp_path: Path) -> None:
    """Those of the settings by how long the oldest delivery waits, others in any case."""
    store, path, secret = _archive(tmp_path, 1e9), tmp_path / "serve.toml", tmp_path / "secret"
    secret.write_text("a secret that nobody guesses")
    tables = (f'[webhook.{name}]\nurl = "http://127.0.0.1:1/"\nsecret_file = "{secret}"' for name in "ab")
    path.write_text("\n".join(tables))
    with open_archive(store) as archive:
        for hook, at in (("a", 1.0), ("b", time.time()), ("gone", time.time())):
            archive.outbox.put({"result": (hook,)}, [OutboxNote("result", "result:m1", "{}")], at)
    code, findings = _findings("--store", store, "--config", str(path))
    wrong = [each["what"].partition(":")[0] for each in findings if each["fix"]]
    assert (code, wrong) == (1, ["webhook a", "webhook gone"])


def test_a_server_that_runs_is_asked_over_both_protocols_with_its_token(tmp_path: Path) -> None:
    """One that was begun with another token does not take this one."""
    store, token = _archive(tmp_path, 1e9), tmp_path / "token"
    token.touch(0o600)
    served = Served(Path(store.removeprefix("sqlite:///")), "--http", "127.0.0.1:0")
    served.wait_until_ready()
    flags = ("--store", store, "--token-file", str(token), "--max-connections", "10")
    where = ("--weights", f"127.0.0.1:{served.port}", "--http", served.http.removeprefix("http://"))
    for text, expected in ((TOKEN, 0), ("another token that nobody guesses", 1)):
        token.write_text(text, encoding="utf-8")
        code, findings = _findings(*flags, "--max-per-address", "9", *where)
        found = {finding["what"].partition(" on ")[0]: finding["fix"] for finding in findings}
        assert (code, found["a weight server answers"], found["a server"]) == (expected, "", "")
        refused = [each["what"] for each in findings if "does not take this token" in each["what"]]
        assert len(refused) == 2 * expected
    assert served.end()[0] == 0


def test_tokens_in_plain_text_are_found_wherever_they_cross_a_network(tmp_path: Path) -> None:
    """Those of a file of tokens too, over either protocol; without one anyone may ask."""
    store, tokens = _archive(tmp_path, 1e9), str(tmp_path / "tokens.json")
    flags = ("--store", store, "--max-connections", "10", "--max-per-address", "9", "--http", "0.0.0.0:1")
    code, findings = _findings(*flags)
    assert code == 0
    assert any(each["what"].endswith("anyone who reaches it may ask") for each in findings)
    make(tokens, "a bot", "report")
    code, findings = _findings(*flags, "--tokens", tokens)
    assert code == 1
    assert any(each["what"] == "tokens: 1 to report" for each in findings)
    (wrong,) = [each for each in findings if each["fix"]]
    assert wrong["what"].startswith("http listens at 0.0.0.0")


def test_what_is_reported_of_limits_is_what_is_used(tmp_path: Path) -> None:
    """Every limit of admission, and one that leaves nobody else a place."""
    code, findings = _findings(
        "--store", _archive(tmp_path, 1e9), "--max-connections", "10", "--http-rate", "7"
    )
    assert code == 1
    (limits,) = [each["what"] for each in findings if each["what"].startswith("limits: ")]
    assert {"connections 10", "rate 7", "places 64"} <= set(limits.removeprefix("limits: ").split(", "))
    assert any(each["what"] == "one address may have every connection" for each in findings)


def test_queues_are_looked_at(tmp_path: Path) -> None:
    """Their state, what their policies warn of, ratings that nobody has; nothing is written."""
    store, path = _archive(tmp_path, 1e9), tmp_path / "serve.toml"
    path.write_text('[queue.duel]\nteam_size = 1\ntolerance_growth = 0\ngame_type = "oa/none"\n')
    with open_archive(store) as archive:
        owner = QueueOwner(archive, QueueSettings("duel", QueuePolicy(team_size=1)))
        owner.ask([EnterTicket(QueueTicket("t1", [Player("ann", 1500)], 0.0))])
        before = archive.ticket_record("duel").last()
        code, findings = _findings("--store", store, "--config", str(path))
        assert archive.ticket_record("duel").last() == before
    assert code == 1
    said = {finding["what"]: finding["fix"] for finding in findings}
    assert f"queue duel: 1 wait, 0 matches run, {before} events" in said
    wrong = " ".join(what for what, fix in said.items() if fix)
    for what in ("nobody can enter a queue", "the tolerance does not grow", "nobody has played oa/none"):
        assert what in wrong
