"""``equipoise queue tickets``: what came to a queue is what another policy is tried on."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from equipoise.archive.archive import open_archive
from equipoise.cli import group
from equipoise.core.player import Player, Rating
from equipoise.queueing import QueuePolicy, QueueTicket
from equipoise.queueing.life import CancelTicket, EnterTicket
from equipoise.service.queue_owner import QueueOwner, TickDue
from equipoise.service.table_settings import QueueSettings


def test_the_tickets_of_a_day_are_replayed_under_another_policy(tmp_path: Path) -> None:
    """All that came, once each, when they came, with all that counts of them."""
    url = f"sqlite:///{tmp_path / 'a.db'}"
    ann = Player("ann", Rating(1510.0, 30.0), "ann", roles=(("front", None),), avoid=(("zoe", None),))
    tickets = [
        QueueTicket("t1", (ann,), 0.0, (("eu", 30.0),), vetoes=("dune",)),
        QueueTicket("t2", (Player("bob", None, "bob"),), 0.0, backfill=True),
        QueueTicket("t3", (Player("cid", 1490.0, "cid"),), 0.0),
    ]
    times = iter(range(10_000))
    with open_archive(url) as archive:
        settings = QueueSettings("duel", QueuePolicy(team_size=1))
        owner = QueueOwner(archive, settings, {}, lambda: float(next(times)))
        for ticket in tickets:
            owner.ask([EnterTicket(ticket), EnterTicket(ticket), TickDue()])
        owner.ask([CancelTicket("t2")])
    run = CliRunner().invoke(group, ["queue", "tickets", "--store", url, "--queue", "duel"])
    assert run.exit_code == 0, run.output
    plain = json.loads(run.output)
    found = [QueueTicket.from_dict(each) for each in plain]
    assert [(t.id, t.players, t.latencies, t.vetoes, t.backfill) for t in found] == [
        (t.id, t.players, t.latencies, t.vetoes, t.backfill) for t in tickets
    ]
    came = [each.since for each in found]
    assert came == sorted(came)
    options = ["queue", "tickets", "--store", url, "--queue", "duel", "--since", str(came[1])]
    later = json.loads(CliRunner().invoke(group, [*options, "--until", str(came[2])]).output)
    assert [each["id"] for each in later] == ["t2"]
    (tmp_path / "day.json").write_text(run.output)
    (tmp_path / "policy.json").write_text('{"team_size": 1}')
    replayed = CliRunner().invoke(
        group,
        [
            "queue",
            "simulate",
            str(tmp_path / "policy.json"),
            "--tickets",
            str(tmp_path / "day.json"),
            "--json",
        ],
    )
    figures = json.loads(replayed.stdout)
    assert figures["tickets"] + figures["left"] == 3
    wrong = CliRunner().invoke(group, ["queue", "tickets", "--store", url, "--queue", "none"])
    assert wrong.exit_code == 1


def test_the_people_of_a_queue_that_nobody_runs_are_let_go(tmp_path: Path) -> None:
    """It says how many; a queue that never was is an error."""
    url = f"sqlite:///{tmp_path}/a.db"
    with open_archive(url) as archive:
        tickets = [EnterTicket(QueueTicket(name, [Player(name, 1500)], 0.0)) for name in "ab"]
        QueueOwner(archive, QueueSettings("duel", QueuePolicy(team_size=2))).ask(tickets)
    options = ["queue", "empty", "--store", url, "--queue"]
    said = CliRunner().invoke(group, [*options, "duel"]).output
    assert said == "2 tickets have left, 0 matches have ended\n"
    again = CliRunner().invoke(group, [*options, "duel", "--json"])
    assert json.loads(again.output) == {"tickets": 0, "matches": 0}
    wrong = CliRunner().invoke(group, [*options, "none"])
    assert wrong.exit_code == 1
    assert "no queue 'none'" in wrong.output + str(wrong.exception)
