"""One person is in one ticket of all queues of an archive: by id, whoever merges ids, in whatever process."""

from __future__ import annotations

import itertools
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from tests.service.test_queue_owner import DUEL, HOOKS, Clock, enter, pass_time, where

from equipoise.archive.archive import Archive, open_archive
from equipoise.archive.shards import Owned
from equipoise.archive.tables import METADATA, QUEUE_EVENT, QUEUE_MEMBER, QUEUE_PERSON, QUEUE_STATE, text_of
from equipoise.archive.ticket_record import KeptState
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.player import Player
from equipoise.errors import InputError
from equipoise.identity.names import folded
from equipoise.queueing import QueueTicket
from equipoise.queueing.kept_state import state_of
from equipoise.queueing.life import Accept, CancelTicket, Decline, EnterTicket, MatchEnded, OfferSeats
from equipoise.service.queue_owner import (
    EnterTickets,
    QueueOwner,
    StatusAsked,
    TickDue,
    WhereAsked,
    emptied,
)

#: Ids that have each played, so that any two may be one person.
IDS = ("ann", "bob", "cid", "dan")


@pytest.fixture
def archive(new_url: Callable[[], str]) -> Iterator[Archive]:
    """Return an archive on each database, in which all have played."""
    with open_archive(new_url()) as opened:
        played(opened)
        yield opened


def played(archive: Archive) -> None:
    """Let each of the ids have played against somebody."""
    archive.record(
        Match((Contest(Ruleset("oa", "ctf"), ((each,), (f"other {each}",)), (1, 2)),), ended=1.0, id=each)
        for each in IDS
    )


def owner_of(archive: Archive, queue: str, clock: Clock | None = None) -> QueueOwner:
    """Return the owner of a queue."""
    return QueueOwner(archive, replace(DUEL, name=queue), HOOKS, clock or Clock())


def refused(owner: QueueOwner, ticket: str, *players: str) -> str:
    """Let a ticket in, and return why it was not; nothing where it was."""
    ((reply,),) = owner.ask([enter(ticket, *players)]).answers
    return str(reply["why"]) if reply["kind"] == "refused" else ""


def people(archive: Archive) -> dict[str, tuple[str, str]]:
    """Return who is in which ticket of which queue, as the archive has it."""
    with archive._database.reading() as connection:
        rows = connection.execute(sa.select(QUEUE_PERSON))
        return {text_of(person): (queue, text_of(ticket)) for person, queue, ticket in rows}


def test_who_waits_in_one_queue_may_not_in_another_until_the_ticket_is_gone(archive: Archive) -> None:
    """However it goes: cancelled, declined, not answered in time, played."""
    clock = Clock()
    duel, team = owner_of(archive, "duel", clock), owner_of(archive, "team", clock)
    for number, leave in enumerate(("cancel", "decline", "silence", "play")):
        ticket = f"a{number}"
        assert refused(duel, ticket, "ann") == ""
        assert refused(team, "t", "ann") == f"'ann' is in the ticket {ticket!r} of the queue 'duel' already"
        assert refused(team, "t", "bob", "ann").startswith("a party has") or refused(team, "t", "ann")
        if leave == "cancel":
            duel.ask([CancelTicket(ticket)])
        else:
            duel.ask([enter(f"b{number}", f"other{number}"), TickDue()])
            match = duel.ask([WhereAsked(ticket)]).answers[0]["match"]["match"]
            assert refused(team, "t", "ann")
            if leave == "decline":
                duel.ask([Decline(match, "ann"), CancelTicket(f"b{number}")])
            elif leave == "silence":
                pass_time(duel, clock, 11)
                duel.ask([TickDue()])
            else:
                duel.ask([Accept(match, "ann"), Accept(match, f"other{number}")])
                assert refused(team, "t", "ann")
                duel.ask([MatchEnded(match)])
        clock.now += 4000.0  # nobody is kept out any longer
        assert people(archive) == {}
        assert refused(team, f"t{number}", "ann") == ""
        assert refused(duel, "z", "ann") == f"'ann' is in the ticket 't{number}' of the queue 'team' already"
        team.ask([CancelTicket(f"t{number}")])


def test_a_ticket_that_leaves_and_another_of_the_same_person_are_one_transaction(archive: Archive) -> None:
    """The person is in the new one, and in nothing else."""
    duel = owner_of(archive, "duel")
    duel.ask([enter("a", "ann"), CancelTicket("a"), enter("b", "ann")])
    assert people(archive) == {"ann": ("duel", "b")}
    duel.ask([CancelTicket("b"), enter("c", "ann"), CancelTicket("c")])
    assert people(archive) == {}


def test_one_of_many_who_enter_at_once_is_refused_alone(archive: Archive) -> None:
    """The others of the batch wait."""
    duel, team = owner_of(archive, "duel"), owner_of(archive, "team")
    team._settings = replace(team._settings, max_players=100)
    duel.ask([enter("a", "p17")])
    answers = team.ask([enter(f"t{n}", f"p{n}") for n in range(40)]).answers
    assert [n for n, (reply,) in enumerate(answers) if reply["kind"] == "refused"] == [17]
    assert people(archive) == {f"p{n}": ("team", f"t{n}") for n in range(40) if n != 17} | {
        "p17": ("duel", "a")
    }


def test_of_many_queues_that_are_asked_at_once_one_lets_somebody_in(new_url: Callable[[], str]) -> None:
    """Each queue has an owner with a connection of its own; everybody asks all of them."""
    url, names = new_url(), [f"p{n}" for n in range(12)]
    with open_archive(url):
        pass
    answers: list[list[Any]] = []
    at_once = threading.Barrier(3)

    def ask(queue: str) -> None:
        with open_archive(url, waiting=str) as archive:
            owner = owner_of(archive, queue)
            owner._settings = replace(owner._settings, max_players=100)
            owner.ask([TickDue()])
            at_once.wait()
            for start in range(0, len(names), 4):
                turned = names[start:] + names[:start]
                answers.append(owner.ask([enter(f"{each}-{start}", each) for each in turned]).answers)

    threads = [threading.Thread(target=ask, args=(queue,)) for queue in ("duel", "team", "third")]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    replies = [reply for some in answers for (reply,) in some]
    assert len(replies) == 9 * len(names)
    assert sum(reply["kind"] == "waits" for reply in replies) == len(names)
    with open_archive(url, waiting=str) as archive:
        assert people(archive).keys() == set(names)


def test_two_ids_that_are_one_person_are_one_in_all_queues(archive: Archive) -> None:
    """Also within a party, and not any longer when they are taken apart."""
    archive.merge("ann", "bob")
    duel, team = owner_of(archive, "duel"), owner_of(archive, "team")
    team._settings = replace(team._settings, policy=replace(DUEL.policy, team_size=2))
    assert refused(duel, "a", "bob") == ""
    assert refused(duel, "b", "ann") == "'ann' is in the ticket 'a' already, as 'bob'"
    assert refused(team, "b", "ann") == "'ann' is in the ticket 'a' of the queue 'duel' already"
    duel.ask([CancelTicket("a")])
    assert refused(team, "b", "ann", "bob") == "'ann' and 'bob' are one player"
    archive.merge("ann", "bob", back=True)
    assert refused(team, "b", "ann", "bob") == ""


@pytest.mark.parametrize("many", [False, True])
def test_a_penalty_follows_the_person_through_a_merge(archive: Archive, many: bool) -> None:
    """Under whichever id, alone or among many, until the later end; no longer when taken apart."""
    clock = Clock()
    policy = replace(DUEL.policy, penalties=(60.0,))
    duel = QueueOwner(archive, replace(DUEL, policy=policy, max_players=100), HOOKS, clock)
    for match, name in (("1", "ann"), ("2", "bob")):
        duel.ask([enter(f"{name}1", name), enter(f"other{match}"), TickDue(), Decline(match, name)])
        duel.ask([CancelTicket(f"other{match}")])
        clock.now += 10.0
    archive.merge("ann", "bob")
    more = [enter(f"t{n}") for n in range(40 if many else 0)]
    for name in ("ann", "bob"):
        *_, (reply,) = duel.ask([*more, enter("x", name)]).answers
        assert reply.get("why") == f"{name!r} may enter again in 50 s, after matches not accepted"
    for ticket, name in (
        ("ann1", "ann"),
        ("bob1", "bob"),
    ):  # as the one who asks alone is told, and with a look
        for more in ([], [TickDue()]):
            (state, *_) = duel.ask([WhereAsked(ticket), *more]).answers
            assert state["kept_out"] == {name: clock.now + 50.0}
    archive.merge("ann", "bob", back=True)
    assert duel.ask([WhereAsked("ann1")]).answers[0]["kept_out"] == {"ann": clock.now + 40.0}
    clock.now += 45.0
    assert refused(duel, "x", "ann") == ""
    assert refused(duel, "y", "bob") == "'bob' may enter again in 5 s, after matches not accepted"
    archive.merge("cid", "bob")
    assert refused(duel, "z", "cid") == "'cid' may enter again in 5 s, after matches not accepted"
    clock.now += 5.0
    assert refused(duel, "z", "cid") == ""


@pytest.mark.parametrize("proposed", [False, True])
def test_who_is_merged_while_both_wait_goes_on_in_one_ticket(archive: Archive, proposed: bool) -> None:
    """The one that came first, with its waiting time; the other leaves, which is held against nobody."""
    clock = Clock()
    duel = owner_of(archive, "duel", clock)
    duel.ask([enter("b", "bob")])
    clock.now += 5.0
    duel.ask([enter("a", "ann"), *([TickDue()] if proposed else [])])
    assert where(duel, "a", "b") == ["proposed" if proposed else "waiting"] * 2
    archive.merge("ann", "bob")
    clock.now += 1.0
    duel.ask([TickDue()])
    a, b = duel.ask([WhereAsked("a"), WhereAsked("b")]).answers
    assert (a["place"], a["why"], a["kept_out"]) == ("gone", "the same player is in the ticket 'b'", None)
    assert (b["place"], b["waited"]) == ("waiting", 6.0)
    assert people(archive) == {"ann": ("duel", "b")}
    again = owner_of(archive, "duel", clock)
    assert again.ask([WhereAsked("a"), WhereAsked("b")]).answers == [a, b]
    archive.merge("ann", "bob", back=True)
    assert refused(again, "a2", "ann") == ""
    assert people(archive) == {"ann": ("duel", "a2"), "bob": ("duel", "b")}


@pytest.mark.parametrize("first", ["duel", "team"])
def test_who_is_merged_while_waiting_in_two_queues_goes_on_in_one(archive: Archive, first: str) -> None:
    """Whichever queue hears of it first."""
    clock = Clock()
    owners = {queue: owner_of(archive, queue, clock) for queue in ("duel", "team")}
    owners["duel"].ask([enter("b", "bob")])
    owners["team"].ask([enter("a", "ann")])
    archive.merge("ann", "bob")
    for queue in sorted(owners, key=lambda each: each != first):
        owners[queue].ask([TickDue()])
    assert (where(owners["duel"], "b"), where(owners["team"], "a")) == (["gone"], ["waiting"])
    (gone,) = owners["duel"].ask([WhereAsked("b")]).answers
    assert gone["why"] == "the same player is in the queue 'team'"
    assert people(archive) == {"ann": ("team", "a")}


@pytest.mark.parametrize("first", ["duel", "team"])
def test_who_is_merged_while_playing_waits_nowhere_else(archive: Archive, first: str) -> None:
    """A match that runs goes on under the id that was merged; when it ends, the person is free."""
    clock = Clock()
    owners = {queue: owner_of(archive, queue, clock) for queue in ("duel", "team")}
    owners["duel"].ask([enter("b", "bob"), enter("c", "cid"), TickDue()])
    owners["duel"].ask([Accept("1", "bob"), Accept("1", "cid")])
    owners["team"].ask([enter("a", "ann")])
    archive.merge("ann", "bob")
    for queue in (first, *owners):
        owners[queue].ask([TickDue()])
    assert (where(owners["duel"], "b"), where(owners["team"], "a")) == (["playing"], ["gone"])
    owners["duel"].ask([TickDue()])
    assert refused(owners["team"], "a2", "ann") == "'ann' is in the ticket 'b' of the queue 'duel' already"
    owners["duel"].ask([MatchEnded("1")])
    assert people(archive) == {}
    assert refused(owners["team"], "a2", "ann") == ""


@pytest.mark.parametrize(("kept", "merged"), [("cid", "bob"), ("bob", "cid")])
def test_who_is_avoided_is_so_under_every_id(archive: Archive, kept: str, merged: str) -> None:
    """Whichever of the ids is kept, as soon as it is merged, and no longer than it is."""
    duel = owner_of(archive, "duel")
    ann = QueueTicket("a", [Player("ann", 1500.0, avoid=["bob"])], 0.0)
    duel.ask([EnterTicket(ann), enter("c", "cid")])
    archive.merge(kept, merged)
    duel.ask([TickDue()])
    a, c = duel.ask([WhereAsked("a", why=True), WhereAsked("c", why=True)]).answers
    for each in (a, c):
        assert (each["place"], each["short"]["kind"], each["short"]["here"]) == ("waiting", "rules", 1)
    archive.merge(kept, merged, back=True)
    duel.ask([TickDue()])
    assert where(duel, "a", "c") == ["proposed", "proposed"]
    assert owner_of(archive, "duel").life.snapshot() == duel.life.snapshot()


class Elsewhere:
    """A shard that another server owns."""

    owned = Owned(False)

    def beat(self, *, now: bool = False) -> Owned:
        """Say so."""
        del now
        return self.owned


@pytest.mark.parametrize("before", [False, True])
def test_a_server_that_does_not_own_the_queue_knows_who_is_merged(archive: Archive, before: bool) -> None:
    """It gives the reason that the owner gives, whether it has read the record before or after."""
    clock = Clock()
    elsewhere: Any = Elsewhere()
    duel, other = owner_of(archive, "duel", clock), owner_of(archive, "duel", clock)
    other._shard = elsewhere
    party = [Player("ann", 1500.0, avoid=["bob"])]
    duel.ask([EnterTicket(QueueTicket("a", party, 0.0)), enter("c", "cid")])
    asked = [WhereAsked("a", why=True), WhereAsked("c", why=True)]
    if before:
        assert [each["short"]["kind"] for each in other.ask(asked).answers] == ["nothing", "nothing"]
    archive.merge("bob", "cid")
    answers = other.ask(asked).answers
    assert [each["short"]["kind"] for each in answers] == ["rules", "rules"]
    assert answers == duel.ask(asked).answers == duel.ask([TickDue(), *asked]).answers[1:]


def test_a_match_is_kept_with_the_tickets_as_they_came(archive: Archive) -> None:
    """Whom somebody avoids by several ids is looked up for the search alone: a replay has the same."""
    archive.merge("cid", "bob")
    duel = owner_of(archive, "duel")
    ann = QueueTicket("a", [Player("ann", 1500.0, avoid=["bob"])], 0.0)
    duel.ask([EnterTicket(ann), enter("d", "dan"), TickDue()])
    assert where(duel, "a", "d") == ["proposed", "proposed"]
    assert owner_of(archive, "duel").life.snapshot() == duel.life.snapshot()


def test_a_party_of_two_who_turn_out_to_be_one_leaves(archive: Archive) -> None:
    """It says why; nobody is kept out for it."""
    duel = owner_of(archive, "duel")
    duel._settings = replace(duel._settings, policy=replace(DUEL.policy, team_size=2))
    duel.ask([enter("t", "ann", "bob")])
    archive.merge("ann", "bob")
    duel.ask([TickDue()])
    (t,) = duel.ask([WhereAsked("t")]).answers
    assert (t["place"], t["why"], t["kept_out"]) == ("gone", "two of its players are one", None)


def test_who_waits_is_found_again_from_the_record(archive: Archive) -> None:
    """An archive of an earlier version has no rows of people; the next owner puts them there."""
    duel = owner_of(archive, "duel")
    duel.ask([enter("a", "ann"), enter("b", "bob")])
    with archive._database.writing() as connection:
        connection.execute(sa.delete(QUEUE_PERSON))
    owner_of(archive, "duel").ask([TickDue()])
    assert people(archive) == {"ann": ("duel", "a"), "bob": ("duel", "b")}
    assert refused(owner_of(archive, "team"), "x", "ann")


def test_a_queue_that_nobody_runs_is_emptied(archive: Archive) -> None:
    """Who waits, is asked or plays is free for other queues."""
    duel = owner_of(archive, "duel")
    duel.ask([enter("a", "ann"), enter("b", "bob"), TickDue(), Accept("1", "ann"), Accept("1", "bob")])
    duel.ask([enter("c", "cid"), enter("d", "dan"), TickDue(), enter("e")])
    assert emptied(archive, "duel") == (5, 1)
    assert people(archive) == {}
    assert where(owner_of(archive, "duel"), *"abcde") == ["gone"] * 5
    assert emptied(archive, "duel") == (0, 0)


def test_who_is_forgotten_stays_one_person(archive: Archive) -> None:
    """Nothing of the id stays, and whoever stands in is in one ticket."""
    duel = owner_of(archive, "duel")
    duel.ask([enter("ann"), enter("b", "bob")])
    stand_in = archive.forget("ann")
    assert people(archive) == {stand_in: ("duel", stand_in), "bob": ("duel", "b")}
    duel.ask([TickDue(), CancelTicket(stand_in)])
    assert "ann" not in people(archive)


@pytest.mark.parametrize("kept", [False, True])
def test_who_waits_under_a_name_too_is_forgotten_under_both(archive: Archive, *, kept: bool) -> None:
    """A name that nobody bore when it entered, and the id that bears it now: they stay two, as they were."""
    duel = owner_of(archive, "duel", Clock())
    duel.ask([enter("Zoë"), enter("ann"), enter("t", "zoe"), enter("t2", "bob"), TickDue()])
    seats = [duel.ask([WhereAsked(each)]).answers[0] for each in ("Zoë", "ann", "t", "t2")]
    contest = Contest(Ruleset("oa", "ctf"), (("ann",), ("bob",)), (1, 2))
    archive.record([Match((contest,), ended=2.0, id="m", names=(("ann", "Zoe"),))])
    archive.update_ratings()
    if kept:
        with archive.ticket_record("duel").adding() as added:
            added.keep_state(KeptState(duel.number, state_of(duel.life)), 0.0)
    archive.forget("ann")
    with archive._database.reading() as connection:
        rows = [
            str(row).casefold()
            for table in (QUEUE_PERSON, QUEUE_EVENT, QUEUE_STATE, QUEUE_MEMBER)
            for row in connection.execute(sa.select(table))
        ]
    assert not [row for row in rows if "zo" in row or "ann" in row]
    for owner in (duel, owner_of(archive, "duel", Clock())):
        owner.ask([TickDue()])
        holders = owner.life.holders()
        assert len(holders) == 4
        now = sorted(str(owner.life.where(each)) for each in set(holders.values()))
        assert len(now) == len(seats)
        assert sum("PROPOSED" in each for each in now) == sum(each["place"] == "proposed" for each in seats)
        assert people(archive).keys() == holders.keys()


def known_apart(archive: Archive, *names: str) -> None:
    """Let the archive have ratings of people who are written alike."""
    archive.record(
        Match((Contest(Ruleset("oa", "ctf"), ((each,), ("other",)), (1, 2)),), ended=2.0, id=f"of {each}")
        for each in names
    )
    archive.update_ratings()


@pytest.mark.parametrize(
    ("first", "second"), [("Oona", "oona"), ("oona", "OONA"), ("OONA", "Oona"), ("ﬁn", "FIN")]
)
def test_somebody_new_is_one_however_they_are_written(archive: Archive, first: str, second: str) -> None:
    """In one queue, in two, within a party, while it plays; not any longer when the ticket is gone."""
    duel, team = owner_of(archive, "duel"), owner_of(archive, "team")
    team._settings = replace(team._settings, policy=replace(DUEL.policy, team_size=2))
    assert refused(team, "p", first, second) == f"{first!r} and {second!r} are one player"
    assert refused(duel, "a", first) == ""
    for owner in (duel, owner_of(archive, "duel")):
        assert refused(owner, "b", second) == f"{second!r} is in the ticket 'a' already, as {first!r}"
        assert refused(team, "b", second) == f"{second!r} is in the ticket 'a' of the queue 'duel' already"
        assert refused(team, "b", "bob", second)
        owner.ask([enter("c", "cid"), TickDue(), CancelTicket("c")])
    duel.ask([enter("d", "dan"), TickDue()])
    match = duel.ask([WhereAsked("a")]).answers[0]["match"]["match"]
    duel.ask([Accept(match, first), Accept(match, "dan")])
    assert refused(duel, "b", second)
    assert refused(team, "b", second)
    duel.ask([MatchEnded(match)])
    assert people(archive) == {}
    assert refused(team, "b", second, "bob") == ""
    assert refused(duel, "a2", first) == f"{first!r} is in the ticket 'b' of the queue 'team' already"


@pytest.mark.parametrize("many", [0, 40])
def test_of_two_spellings_that_come_at_once_one_enters(archive: Archive, many: int) -> None:
    """In one question or in several of one transaction, among few or many, also after one has left in it."""
    duel = owner_of(archive, "duel")
    duel._settings = replace(duel._settings, max_players=100)
    more = [enter(f"t{n}").ticket for n in range(many)]
    tickets = (enter("a", "Oona").ticket, *more, enter("b", "oona").ticket)
    (answers,) = duel.ask([EnterTickets(tickets)]).answers
    kinds = [reply["kind"] for (reply,) in answers]
    assert kinds == ["waits"] * (many + 1) + ["refused"]
    assert people(archive) == {"Oona": ("duel", "a"), "oona": ("duel", "a")} | {
        each.id: ("duel", each.id) for each in more
    }
    answers = duel.ask([CancelTicket("a"), enter("c", "oona"), enter("d", "OONA"), TickDue()]).answers
    assert [reply["kind"] for reply in answers[1] + answers[2]] == ["waits", "refused"]
    assert people(archive)["oona"] == ("duel", "c")
    duel.ask([CancelTicket("c")])
    assert not people(archive).keys() & {"oona", "OONA", "Oona"}


def test_who_is_written_alike_and_known_as_two_stays_two(archive: Archive) -> None:
    """In one party, in one queue and in two; a stranger who is written so is neither until they are gone."""
    known_apart(archive, "Oona", "oona")
    duel, team = owner_of(archive, "duel"), owner_of(archive, "team")
    team._settings = replace(team._settings, policy=replace(DUEL.policy, team_size=2))
    for n, (one, other) in enumerate((("Oona", "oona"), ("oona", "Oona"))):
        party, a, b = f"p{n}", f"a{n}", f"b{n}"
        assert refused(team, party, one, other) == ""
        team.ask([CancelTicket(party)])
        (answers,) = duel.ask([EnterTickets((enter(a, one).ticket, enter(b, other).ticket))]).answers
        assert [reply["kind"] for (reply,) in answers] == ["waits", "waits"]
        assert refused(duel, "c", one) == f"{one!r} is in the ticket {a!r} already"
        assert refused(team, "c", one) == f"{one!r} is in the ticket {a!r} of the queue 'duel' already"
        assert refused(duel, "c", "OONA").startswith("'OONA' is in the ticket")
        again = owner_of(archive, "duel")
        again.ask([StatusAsked(), CancelTicket("nothing")])
        assert where(again, a, b) == ["waiting", "waiting"]
        again.ask([CancelTicket(b)])
        assert refused(team, b, other) == ""
        duel.ask([CancelTicket(a)])
        team.ask([CancelTicket(b)])
        assert people(archive) == {}


def test_who_waits_as_somebody_new_is_so_when_the_archive_has_learnt_the_name(archive: Archive) -> None:
    """By another spelling that is an id now, by the name of an id, and after both were merged."""
    duel, team = owner_of(archive, "duel"), owner_of(archive, "team")
    assert refused(duel, "a", "Oona") == ""
    known_apart(archive, "oona", "c0ffee")
    called = EnterTicket(QueueTicket("c", [Player("c0ffee", 1500.0, name="OONA")], 0.0))
    for owner in (duel, team, owner_of(archive, "duel")):
        assert "'a'" in refused(owner, "b", "oona")
        ((reply,),) = owner.ask([called]).answers
        assert "'c0ffee' is in the ticket 'a'" in reply["why"]
    archive.merge("c0ffee", "oona")
    for owner in (duel, team):
        assert "'a'" in refused(owner, "b", "oona")
    duel.ask([CancelTicket("a"), called])
    assert refused(team, "b", "Oona") == "'Oona' is in the ticket 'c' of the queue 'duel' already"
    assert refused(duel, "b", "Oona") == "'Oona' is in the ticket 'c' already, as 'c0ffee'"


@pytest.mark.parametrize("many", [False, True])
def test_a_penalty_holds_however_somebody_is_written(archive: Archive, many: bool) -> None:
    """Unless the archive knows two who are written so."""
    duel = owner_of(archive, "duel", Clock())
    duel._settings = replace(DUEL, policy=replace(DUEL.policy, penalties=(60.0,)), max_players=100)
    duel.ask([enter("a", "Oona"), enter("b"), TickDue(), Decline("1", "Oona"), CancelTicket("b")])
    more = [enter(f"t{n}") for n in range(40 if many else 0)]
    *_, (reply,) = duel.ask([*more, enter("x", "oona")]).answers
    assert reply.get("why") == "'oona' may enter again in 60 s, after matches not accepted"
    known_apart(archive, "Oona", "oona")
    assert refused(duel, "x", "oona") == ""


@pytest.mark.parametrize("at_once", [False, True])
def test_the_pause_grows_however_somebody_is_written(archive: Archive, at_once: bool) -> None:
    """Declined and entered again in one batch with others too: all spellings and ids count together."""
    archive.merge("cid", "dan")
    clock = Clock()
    duel = owner_of(archive, "duel", clock)
    duel._settings = replace(DUEL, policy=replace(DUEL.policy, penalties=(0.0, 60.0, 300.0)), max_players=100)
    duel.ask([enter("b")])
    rounds = [("Oona", "oona", 0), ("oona", "OONA", 60), ("OONA", "Oona", 300), ("cid", "dan", 0)]
    for number, (one, other, kept_out) in enumerate([*rounds, ("dan", "cid", 60)], 1):
        clock.now += 400.0
        duel.ask([enter(f"a{number}", one)])
        duel.ask([TickDue()])
        declined, entered = [enter(f"t{number}"), Decline(str(number), one)], [enter(f"x{number}", other)]
        for events in [declined + entered] if at_once else [declined, entered]:
            *_, replies = duel.ask(events).answers
        (reply,) = replies
        assert f"in {kept_out} s" in reply["why"] if kept_out else reply["kind"] == "waits"
        duel.ask([CancelTicket(f"x{number}"), CancelTicket(f"t{number}")])


def test_who_left_sees_how_long_they_are_kept_out_in_every_spelling(archive: Archive) -> None:
    """As who would enter is: unless the archive knows two who are written so, and by whoever is asked."""
    clock = Clock()
    duel = owner_of(archive, "duel", clock)
    duel._settings = replace(DUEL, policy=replace(DUEL.policy, penalties=(60.0,)))
    duel.ask([enter("x", "oona"), CancelTicket("x"), enter("a", "Oona"), enter("b"), TickDue()])
    duel.ask([Decline("1", "Oona")])
    for more in ([], [TickDue()]):
        assert duel.ask([WhereAsked("x"), *more]).answers[0]["kept_out"] == {"oona": clock.now + 60.0}
    known_apart(archive, "Oona", "oona")
    for more in ([], [TickDue()]):
        assert duel.ask([WhereAsked("x"), *more]).answers[0]["kept_out"] is None


def test_nothing_of_how_somebody_was_written_stays(archive: Archive) -> None:
    """Who is forgotten while they wait: as written, under a name they were called by, beside others."""
    known_apart(archive, "C0FFEE")
    duel = owner_of(archive, "duel")
    duel._settings = replace(duel._settings, policy=replace(DUEL.policy, team_size=2))
    party = [Player("C0FFEE", 1500.0), Player("Bob", 1500.0)]
    duel.ask([EnterTicket(QueueTicket("t", party, 0.0))])
    stand_in = archive.forget("C0FFEE")
    assert people(archive).keys() == {stand_in, "Bob", "bob"}


def rows_with(archive: Archive, *texts: str) -> list[str]:
    """Return the rows of all tables that have one of some texts, in whatever case."""
    with archive._database.reading() as connection:
        rows = [
            " ".join(
                each.decode("utf-8", "replace") if isinstance(each, bytes) else str(each) for each in row
            )
            for table in METADATA.sorted_tables
            for row in connection.execute(sa.select(table))
        ]
    return [row for row in rows if any(each in row.casefold() for each in texts)]


@pytest.mark.parametrize("kept", [False, True])
def test_who_is_known_to_a_queue_alone_is_forgotten(archive: Archive, kept: bool) -> None:
    """However they were written: waiting, gone, kept out, on offered seats; nobody else is, nor a ticket."""
    duel = owner_of(archive, "duel", Clock())
    duel.ask([enter("Oona"), CancelTicket("Oona"), enter("t2", "oona"), enter("c", "cid"), TickDue()])
    duel.ask([Decline("1", "oona"), OfferSeats("seats", ((Player("Wanda"),), ()))])
    duel.ask([enter("t3", "Uma"), CancelTicket("c"), enter("t4", "c0c0a")])
    if kept:
        with archive.ticket_record("duel").adding() as added:
            added.keep_state(KeptState(duel.number, state_of(duel.life)), 1e9)
    for nobody in ("nobody", "t2", "o", "seats"):
        with pytest.raises(InputError, match=f"forget: there is no player '{nobody}'"):
            archive.forget(nobody)
    for each in ("OONA", "Wanda", "uma"):
        assert rows_with(archive, each.casefold())
        assert archive.forget(each).startswith("anonymous:")
        assert rows_with(archive, each.casefold()) == []
    for owner in (duel, owner_of(archive, "duel", Clock())):
        owner.ask([TickDue()])
        assert where(owner, "t2", "t3", "t4") == ["gone", "proposed", "proposed"]
        assert people(archive).keys() == owner.life.holders().keys()
    assert refused(duel, "t5", "Oona") == ""
    assert not rows_with(archive, "oona")


@pytest.mark.parametrize("kept", [False, True])
def test_who_is_known_to_a_queue_alone_is_merged(archive: Archive, kept: bool) -> None:
    """Into somebody who has played, or into another such one; and forgotten with them."""
    duel = owner_of(archive, "duel")
    duel.ask([enter("Uma"), enter("a", "ann"), enter("Oona"), enter("b", "OtherOne")])
    for one, other in (("nobody", "Uma"), ("Uma", "nobody")):
        with pytest.raises(InputError, match="merge: there is no player 'nobody'"):
            archive.merge(one, other)
    with pytest.raises(InputError, match="there is no player 'UMA'; in a queue there was 'Uma'"):
        archive.merge("ann", "UMA")
    archive.merge("ann", "Uma")
    archive.merge("Oona", "OtherOne")
    duel.ask([TickDue()])
    gone = duel.ask([WhereAsked("a"), WhereAsked("b")]).answers
    assert [each["why"] for each in gone] == [
        f"the same player is in the ticket '{name}'" for name in ("Uma", "Oona")
    ]
    assert where(duel, "Uma", "Oona") == ["proposed", "proposed"]
    if kept:
        with archive.ticket_record("duel").adding() as added:
            added.keep_state(KeptState(duel.number, state_of(duel.life)), 1e9)
    assert rows_with(archive, "uma")
    archive.forget("ann")
    archive.forget("OtherOne")
    assert rows_with(archive, "uma", "oona", "otherone") == []
    duel.ask([TickDue()])
    gone = duel.ask([WhereAsked("a"), WhereAsked("b")]).answers
    assert [each["why"] for each in gone] == [
        f"the same player is in the ticket {name!r}" for name in dict.fromkeys(duel.life.holders().values())
    ]


#: The same, and other spellings of some.
WRITTEN = (*IDS, "Ann", "ANN", "Bob")

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("enter"), st.sampled_from(("duel", "team")), st.sampled_from(WRITTEN)),
        st.tuples(st.just("look"), st.sampled_from(("duel", "team")), st.just("")),
        st.tuples(st.sampled_from(("accept", "leave", "end")), st.just(""), st.sampled_from(WRITTEN)),
        st.tuples(st.just("merge"), st.sampled_from(IDS), st.sampled_from(IDS)),
        st.tuples(st.just("crash"), st.sampled_from(("duel", "team")), st.just("")),
    ),
    max_size=25,
)


@given(STEPS)
def test_nobody_is_ever_in_two_places(steps: list[tuple[str, str, str]]) -> None:
    """Whatever comes, in two queues: the archive has everybody once, and the queues say the same."""
    with tempfile.TemporaryDirectory() as folder, open_archive(f"sqlite:///{folder}/a.db") as archive:
        played(archive)
        clock, numbers = Clock(), itertools.count()
        owners = {queue: owner_of(archive, queue, clock) for queue in ("duel", "team")}
        of: dict[str, tuple[str, str]] = {}
        merged: dict[str, str] = {}
        for what, first, second in steps:
            clock.now += 1.0
            if what == "enter":
                ticket = f"t{next(numbers)}"
                if not refused(owners[first], ticket, second):
                    of[second] = first, ticket
            elif what == "look":
                owners[first].ask([TickDue()])
            elif what == "crash":
                owners[first] = owner_of(archive, first, clock)
            elif what == "merge":
                if first != second and not {first, second} & {*merged, *merged.values()}:
                    archive.merge(first, second)
                    merged[second] = first
            elif second in of:
                queue, ticket = of[second]
                (state,) = owners[queue].ask([WhereAsked(ticket)]).answers
                match = state.get("match", {}).get("match", "")
                events = {"accept": Accept(match, second), "end": MatchEnded(match)}
                owners[queue].ask([events.get(what, CancelTicket(ticket))])
            for owner in (*owners.values(), *owners.values()):
                owner.ask([CancelTicket("nothing")])
            held = [
                (merged.get(folded(player), folded(player)), owner.life.where(ticket).place.value)  # type: ignore[union-attr]
                for owner in owners.values()
                for player, ticket in owner.life.holders().items()
            ]
            twice = [who for who, _ in held if [each for each, _ in held].count(who) > 1]
            assert all(place == "playing" for who, place in held if who in twice)
            spelled = {player for owner in owners.values() for player in owner.life.holders()} - {*IDS}
            assert len(people(archive).keys() - spelled) == len(held)
        for queue, owner in owners.items():
            other = owner_of(archive, queue, clock)
            assert other.ask([StatusAsked()]).answers == owner.ask([StatusAsked()]).answers
