"""``equipoise queue tickets``: what came to a queue is what another policy is tried on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from equipoise.archive.archive import open_archive
from equipoise.cli import group
from equipoise.core.player import Player, Rating
from equipoise.errors import InputError
from equipoise.files.read_policy import read_tickets
from equipoise.queueing import QueuePolicy, QueueTicket, replay_queue
from equipoise.queueing.life import Accept, CancelTicket, Decline, EnterTicket, MatchEnded
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
    assert [each.pop("until", None) is not None for each in plain] == [False, True, False]
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


def test_a_day_of_declines_no_shows_and_people_who_come_again_is_replayed(tmp_path: Path) -> None:
    """Each ticket waits until it left, where it did not play; nobody is there twice, whatever the policy."""
    url = f"sqlite:///{tmp_path / 'a.db'}"
    now = [100.0]
    policy = QueuePolicy(team_size=1, accept_within=5.0, penalties=(0.0,), forgiven_after=30.0)
    with open_archive(url) as archive:
        owner = QueueOwner(archive, QueueSettings("duel", policy, tick=10.0), {}, lambda: now[0])

        def later(seconds: float, *questions: Any) -> None:
            now[0] += seconds
            owner.ask([*questions])

        def enter(ticket: str, player: str) -> EnterTicket:
            return EnterTicket(QueueTicket(ticket, (Player(player, 1500.0),), 0.0))

        later(0.0, enter("a1", "ann"), enter("b1", "bob"), TickDue())
        later(1.0, Decline("1", "ann"))  # a1 leaves at 101, b1 waits on
        later(1.0, enter("a2", "ann"), TickDue())
        later(1.0, Accept("2", "bob"))
        later(6.0, TickDue())  # a2 has not answered: it leaves at 109
        later(1.0, enter("a3", "ann"), CancelTicket("b1"))  # b1 leaves at 110
        later(0.5, CancelTicket("a3"), enter("a4", "ann"))
        later(0.5, enter("b2", "bob"), TickDue())
        later(1.0, Accept("3", "ann"), Accept("3", "bob"))
        later(50.0, MatchEnded("3"), TickDue())
        later(1.0, enter("a1", "ann"))  # an id that is free again
    asked = ["queue", "tickets", "--store", url, "--queue", "duel"]
    run = CliRunner().invoke(group, asked)
    rows = [(each["id"], each["since"], each.get("until")) for each in json.loads(run.output)]
    assert rows == [
        ("a1", 100.0, 101.0), ("b1", 100.0, 110.0), ("a2", 102.0, 109.0), ("a3", 110.0, 110.5),
        ("a4", 110.5, None), ("b2", 111.0, None), ("a1", 163.0, None),
    ]  # fmt: skip
    (tmp_path / "day.json").write_text(run.output)
    for fields, placed in (("", 2), (', "tolerance": 0, "tolerance_growth": 0, "most_imbalance": 0.0115', 2)):
        (tmp_path / "policy.json").write_text(f'{{"team_size": 1{fields}}}')
        command = [
            "queue",
            "simulate",
            str(tmp_path / "policy.json"),
            "--tickets",
            str(tmp_path / "day.json"),
        ]
        replayed = CliRunner().invoke(group, [*command, "--json"])
        assert replayed.exit_code == 0, replayed.output
        figures = json.loads(replayed.stdout)
        assert figures["tickets"] + figures["left"] + figures["gave_up"] == len(rows)
        assert figures["tickets"] >= placed


def test_who_left_waits_no_longer_in_a_replay(tmp_path: Path) -> None:
    """Neither for a match that would have come later, nor beside the ticket with which they came again."""
    rows = [
        {"id": "t1", "players": [{"name": "ann", "weight": 1500}], "since": 0, "until": 5},
        {"id": "t2", "players": [{"name": "ann", "weight": 1500}], "since": 20},
        {"id": "t3", "players": [{"name": "ann", "weight": 1500}], "since": 30},
        {"id": "t4", "players": [{"name": "bob", "weight": 1500}], "since": 40},
    ]
    (tmp_path / "day.json").write_text(json.dumps(rows))
    tickets, until = read_tickets(str(tmp_path / "day.json"))
    figures = replay_queue(QueuePolicy(team_size=1), tickets, until=until)
    assert (sorted(figures.waits.tolist()), figures.gave_up, figures.left) == ([0.0, 10.0], 2, 0)
    (tmp_path / "day.json").write_text(json.dumps([{**rows[0], "until": -1}]))
    with pytest.raises(InputError, match=r"day.json, ticket 1: until must be at least since, 0, got -1"):
        read_tickets(str(tmp_path / "day.json"))


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


def test_who_is_known_to_a_queue_alone_is_merged_and_forgotten(tmp_path: Path) -> None:
    """By the name they came with, in whatever case; what is printed of the day has them no longer."""
    url = f"sqlite:///{tmp_path / 'a.db'}"
    with open_archive(url) as archive:
        owner = QueueOwner(archive, QueueSettings("duel", QueuePolicy(team_size=1)), {}, lambda: 1.0)
        owner.ask([EnterTicket(QueueTicket(each, [Player(each)], 0.0)) for each in ("Oona", "Uma", "cid")])

    def done(*words: str) -> str:
        run = CliRunner().invoke(group, [*words, "--store", url])
        assert run.exit_code == 0, run.output
        return run.output

    done("merge", "cid", "Uma")
    assert "Oona" in done("queue", "tickets", "--queue", "duel")
    done("forget", "oona")
    done("forget", "Uma")
    shown = done("queue", "tickets", "--queue", "duel")
    assert not [each for each in ("Oona", "Uma", "cid") if each in shown]
    assert len(json.loads(shown)) == 3
    failed = CliRunner().invoke(group, ["forget", "nobody", "--store", url])
    assert (failed.exit_code, str(failed.exception)[:42]) == (1, "forget: there is no player 'nobody'; 'equi")
