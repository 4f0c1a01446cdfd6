"""The owner of a queue: what it has answered is in the record, and the record alone makes it again."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from equipoise.archive.archive import Archive, open_archive
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.player import Player
from equipoise.errors import EquipoiseError, InputError
from equipoise.queueing import QueuePolicy, QueueTicket
from equipoise.queueing.life import (
    Accept,
    CancelTicket,
    Decline,
    EnterTicket,
    MatchEnded,
    OfferSeats,
    Pause,
)
from equipoise.service.queue_owner import (
    Beat,
    EnterTickets,
    MatchesAsked,
    PlacesAsked,
    QueueOwner,
    StatusAsked,
    TickDue,
    WhereAsked,
    line_of_question,
    question_of,
)
from equipoise.service.table_settings import QueueSettings

DUEL = QueueSettings(
    "duel",
    QueuePolicy(team_size=1, imbalance=0.49, most_imbalance=0.49, tolerance=1e6, accept_within=10.0),
    max_players=5,
)
HOOKS = {"queue": ("league",)}


class Clock:
    """A clock that stands still unless it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    """Return a clock."""
    return Clock()


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    """Return an archive."""
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}") as opened:
        yield opened


def enter(name: str, *players: str) -> EnterTicket:
    """Return the event of a ticket."""
    return EnterTicket(QueueTicket(name, [Player(each, 1500.0) for each in players or (name,)], 0.0))


def pass_time(owner: QueueOwner, clock: Clock, seconds: int) -> None:
    """Let time pass in which the owner is there, and asked nothing that looks for matches."""
    for _ in range(seconds):
        clock.now += 1.0
        owner.ask([Beat()])


def where(owner: QueueOwner, *tickets: str) -> list[Any]:
    """Return where tickets are."""
    return [each and each["place"] for each in owner.ask([WhereAsked(name) for name in tickets]).answers]


def test_another_owner_of_the_same_record_knows_all_of_it(archive: Archive, clock: Clock) -> None:
    """After every step, whatever that was, one who has only the record says the same."""
    owner = QueueOwner(archive, DUEL, HOOKS, clock)
    steps = [
        [enter("a"), enter("b"), enter("c")], [TickDue()], [Accept("1", "a")], [Decline("1", "b")],
        [TickDue()], [Accept("2", "a"), Accept("2", "c")], [MatchEnded("2", played=False)],
        [CancelTicket("c")], [Pause()], [enter("d")], [TickDue()], [Pause(paused=False)], [TickDue()],
    ]  # fmt: skip
    for questions in steps:
        clock.now += 3.0
        owner.ask(questions)
        asked = [*map(WhereAsked, "abcd"), MatchesAsked(), StatusAsked()]
        assert QueueOwner(archive, DUEL, HOOKS, clock).ask(asked).answers == owner.ask(asked).answers
    assert where(owner, *"abcd") == ["proposed", "gone", "gone", "proposed"]


def test_many_tickets_are_asked_of_by_letter_as_they_are_here(archive: Archive, clock: Clock) -> None:
    """A line holds all of them; where they are is what each alone would be told."""
    tickets = [enter("a").ticket, enter("b", "b", "b2").ticket]
    question, places = EnterTickets(tuple(tickets)), PlacesAsked(("b", "a", "none"))
    assert question_of(line_of_question(question)) == question == pickle.loads(pickle.dumps(question))  # noqa: S301 -- made here
    owner = QueueOwner(archive, replace(DUEL, policy=replace(DUEL.policy, team_size=2)), HOOKS, clock)
    owner.ask([question])
    for asked in (places, question_of(line_of_question(places))):
        (found,) = owner.ask([asked]).answers
        assert found == owner.ask([WhereAsked(name) for name in ("b", "a", "none")]).answers
        assert [each and each["players"] for each in found] == [["b", "b2"], ["a"], None]


def test_who_is_forgotten_stands_in_for_themselves_among_many(archive: Archive, clock: Clock) -> None:
    """In a ticket of many that come at once, and where the places of many are asked."""
    contest = Contest(Ruleset("oa", "ctf"), (("c0ffee",), ("bob",)), (1, 2), at=1.0)
    archive.record([Match((contest,), ended=1.0, id="m", names=(("c0ffee", "Wilhelmina"),))])
    archive.update_ratings()
    owner = QueueOwner(archive, DUEL, HOOKS, clock)
    owner.ask([TickDue()])
    stand_in = archive.forget("c0ffee")
    owner.ask([TickDue()])
    owner.ask([EnterTickets((enter("a").ticket, enter("c0ffee").ticket))])
    (found,) = owner.ask([PlacesAsked(("a", "c0ffee"))]).answers
    assert [each["players"] for each in found] == [["a"], [stand_in]]
    assert "c0ffee" not in json.dumps(archive.ticket_record("duel").since(0))


@pytest.mark.parametrize("stated", [False, True])
def test_who_is_forgotten_is_not_brought_back_by_a_ticket_that_waits(
    archive: Archive, clock: Clock, monkeypatch: pytest.MonkeyPatch, stated: bool
) -> None:
    """The owner, which has the ticket in its memory, goes on with who stands in, and keeps nothing else."""
    if stated:
        monkeypatch.setattr("equipoise.service.queue_owner.EVENTS_A_STATE", 1)
    contest = Contest(Ruleset("oa", "ctf"), (("c0ffee",), ("bob",)), (1, 2), at=1.0)
    archive.record([Match((contest,), ended=1.0, id="m", names=(("c0ffee", "Wilhelmina"),))])
    archive.update_ratings()
    owner = QueueOwner(archive, DUEL, HOOKS, clock)
    owner.ask([enter("t", "c0ffee"), enter("b")])
    stand_in = archive.forget("c0ffee")
    clock.now += 3.0
    owner.ask([TickDue()])
    assert where(owner, "t", "b") == ["proposed", "proposed"]
    record = archive.ticket_record("duel")
    kept = json.dumps([*record.since(0), record.state(), [each.body for each in archive.outbox.listed(9)]])
    assert "c0ffee" not in kept + str(owner.ask([MatchesAsked()]).answers)
    assert stand_in in kept


def test_who_is_forgotten_is_in_no_answer_from_then_on(archive: Archive, clock: Clock) -> None:
    """Whatever is asked first, before anything is written; also by who owns the queue no longer."""
    contest = Contest(Ruleset("oa", "ctf"), (("c0ffee",), ("bob",)), (1, 2), at=1.0)
    archive.record([Match((contest,), ended=1.0, id="m", names=(("c0ffee", "Wilhelmina"),))])
    archive.update_ratings()
    owner = QueueOwner(archive, DUEL, HOOKS, clock)
    owner.ask([enter("t", "c0ffee"), enter("b"), TickDue()])
    assert "c0ffee" in str(owner.ask([MatchesAsked()]).answers)
    stand_in = archive.forget("c0ffee")
    for answers in (owner.ask([MatchesAsked(), WhereAsked("t")]).answers, [owner._followed().holders()]):
        assert "c0ffee" not in str(answers)
        assert stand_in in str(answers)


def test_seats_and_the_outbox_follow_the_events_in_one_transaction(
    archive: Archive, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ticket is in one match at most; where a part cannot be kept, nothing is, and the owner knows it."""
    owner = QueueOwner(archive, DUEL, HOOKS, clock)
    owner.ask([enter("a"), enter("b")])
    record = archive.ticket_record("duel")
    before = record.since(0)
    with monkeypatch.context() as broken:

        def fail(*arguments: object) -> None:
            msg = "the disk is full"
            raise InputError(msg)

        broken.setattr("equipoise.archive.outbox.put", fail)
        with pytest.raises(InputError, match="full"):
            owner.ask([TickDue()])
    assert (record.since(0), record.seats()) == (before, {})
    assert where(owner, "a", "b") == ["waiting", "waiting"]
    owner.ask([TickDue()])
    assert record.seats() == {"a": "1", "b": "1"}
    (note,) = archive.outbox.due("league", clock.now, 10)
    assert json.loads(note.body)["match"] == "1"
    owner.ask([Decline("1", "a")])
    assert record.seats() == {}


def test_a_second_owner_takes_in_what_the_first_has_added(archive: Archive, clock: Clock) -> None:
    """Two processes with one queue never lose an event of the other."""
    one, other = (QueueOwner(archive, DUEL, HOOKS, clock) for _ in range(2))
    one.ask([enter("a")])
    other.ask([enter("b")])
    other.ask([TickDue()])
    one.ask([Accept("1", "a")])
    other.ask([Accept("1", "b")])
    assert where(other, "a", "b") == ["playing", "playing"]


def test_what_is_sent_again_changes_nothing(archive: Archive, clock: Clock) -> None:
    """A ticket with the same players, a ticket that is cancelled, an acceptance: no event is added."""
    owner = QueueOwner(archive, DUEL, HOOKS, clock)
    owner.ask([enter("a"), enter("b"), enter("c"), TickDue(), Accept("1", "a"), CancelTicket("c")])
    number = archive.ticket_record("duel").last()
    clock.now += 1.0
    again = EnterTicket(QueueTicket("a", [Player("a", 1900.0)], 0.0))
    answers = owner.ask([again, Accept("1", "a"), CancelTicket("c"), TickDue()])
    assert answers.answers[:3] == [[], [], []]
    assert archive.ticket_record("duel").last() == number
    (refused,) = owner.ask([enter("a", "z")]).answers
    assert refused[0]["kind"] == "refused"


@pytest.mark.parametrize("wrong", [None, 0, 17, 39])
def test_many_who_enter_at_once_are_answered_as_one_by_one(tmp_path: Path, wrong: int | None) -> None:
    """Whoever is known, refused or has no room among them: answers and record are the same."""
    settings = replace(DUEL, max_players=38)
    tickets = [enter(f"t{number}") for number in range(40)]
    if wrong is not None:
        tickets.insert(wrong, enter("known"))
        tickets.insert(wrong, enter("other", "t3"))
    found = []
    for way in ("together", "alone", "as one"):
        with open_archive(f"sqlite:///{tmp_path / way}.db") as archive:
            clock = Clock()
            owner = QueueOwner(archive, settings, HOOKS, clock)
            owner.ask([enter("known"), enter("a"), TickDue()])
            pass_time(owner, clock, 20)  # the match is off by now
            if way == "as one":
                (answers,) = owner.ask([EnterTickets(tuple(each.ticket for each in tickets))]).answers
            else:
                parts = [tickets] if way == "together" else [[each] for each in tickets]
                answers = [each for part in parts for each in owner.ask(part).answers]
            clock.now += 1.0
            owner.ask([TickDue()])
            kept = archive.ticket_record("duel")
            notes = [each.body for each in archive.outbox.listed(99)]
            found.append((answers, kept.since(0), kept.seats(), notes))
            again = QueueOwner(archive, settings, HOOKS, clock)
            assert again.ask([StatusAsked()]).answers == owner.ask([StatusAsked()]).answers
    assert found[0] == found[1] == found[2]
    assert [each for each in found[0][0] if each and each[0]["kind"] == "refused"]


def test_the_owner_of_a_ticket_sees_how_long_a_decline_costs(archive: Archive, clock: Clock) -> None:
    """The first costs nothing, the second does, until it is over; who did not decline is told nothing."""
    settings = replace(DUEL, policy=replace(DUEL.policy, penalties=(0.0, 60.0)))
    owner = QueueOwner(archive, settings, HOOKS, clock)
    for match, name in (("1", "a1"), ("2", "a2")):
        owner.ask([enter(name, "ann"), enter(f"b{match}", f"bob{match}")])
        clock.now += 3.0
        owner.ask([TickDue(), Decline(match, "ann")])
        (state,) = owner.ask([WhereAsked(name)]).answers
        assert (state["place"], state["kept_out"]) == (
            "gone",
            {"ann": clock.now + 60} if match == "2" else None,
        )
        owner.ask([CancelTicket(f"b{match}")])
    assert owner.ask([WhereAsked("b2")]).answers[0]["kept_out"] is None
    clock.now += 60.0
    assert owner.ask([WhereAsked("a2")]).answers[0]["kept_out"] is None


def test_who_plays_no_role_of_the_queue_is_refused(archive: Archive, clock: Clock) -> None:
    """They would wait for good; those who come with them are let in, also many at once."""
    policy = QueuePolicy(team_size=2, roles={"tank": 1, "heal": 1})
    owner = QueueOwner(archive, replace(DUEL, policy=policy, max_players=100), HOOKS, clock)
    tickets = [
        QueueTicket(f"t{n}", [Player(f"p{n}", 1500.0, roles=["dps"] if n == 1 else ["dps", "heal"])], 0.0)
        for n in range(40)
    ]
    replies = owner.ask([*map(EnterTicket, tickets)]).answers
    assert [each[0]["kind"] for each in replies] == ["refused" if n == 1 else "waits" for n in range(40)]
    assert replies[1][0]["why"] == "'p1' plays none of the roles tank, heal"


@pytest.mark.parametrize(
    ("fields", "players", "why"),
    [
        ({}, [Player("a"), Player("b"), Player("c")], "the party has 3 players, and a team has 2"),
        (
            {},
            [Player("a", roles=["heal"]), Player("b", roles=["heal"])],
            "2 players of the party play heal alone",
        ),
        ({"vetoes": ("mill", "dune")}, [Player("a")], "the ticket vetoes every map: dune, mill"),
        (
            {"latencies": {"eu": 151.0}},
            [Player("a")],
            "no region is within 150 ms; the nearest, 'eu', is 151",
        ),
    ],
)
@pytest.mark.parametrize("many", [False, True])
def test_a_ticket_that_could_be_in_no_match_is_refused(
    archive: Archive, clock: Clock, fields: dict[str, Any], players: list[Player], why: str, many: bool
) -> None:
    """With a sentence, alone and among many; who would take a seat of any map and region may wait for it."""
    policy = QueuePolicy(team_size=2, roles={"tank": 1, "heal": 1}, maps=("dune", "mill"))
    owner = QueueOwner(archive, replace(DUEL, policy=policy, max_players=100), HOOKS, clock)
    wrong = QueueTicket("wrong", tuple(players), 0.0, **fields)
    more = [enter(f"t{n}") for n in range(40 if many else 0)]
    *replies, (refused,) = owner.ask([*more, EnterTicket(wrong)]).answers
    assert [each["kind"] for (each,) in replies] == ["waits"] * len(more)
    assert (refused["kind"], refused["why"][: len(why)]) == ("refused", why)
    if fields:
        ((reply,),) = owner.ask([EnterTicket(replace(wrong, backfill=True))]).answers
        assert reply["kind"] == "waits"


def test_a_queue_has_only_so_much_room(archive: Archive, clock: Clock) -> None:
    """Who comes when it is full is refused, and sent why."""
    owner = QueueOwner(archive, DUEL, {}, clock)
    replies = owner.ask([enter(name) for name in "abcdef"]).answers
    assert [each[0]["kind"] for each in replies] == [*["waits"] * 5, "refused"]
    assert "room for 5 players" in replies[-1][0]["why"]


def test_a_ticket_whose_owner_is_silent_leaves(archive: Archive, clock: Clock) -> None:
    """With a heartbeat, whoever asks stays, and nobody else does, after a restart neither."""
    settings = QueueSettings("duel", DUEL.policy, tick=10.0, heartbeat=30.0)
    QueueOwner(archive, settings, {}, clock).ask([Pause(), enter("a"), enter("b")])
    clock.now += 100.0
    owner = QueueOwner(archive, settings, {}, clock)
    for _ in range(4):
        owner.ask([TickDue()])
        assert where(owner, "a") == ["waiting"]
        clock.now += 10.0
    assert owner.ask([TickDue()]).left == {"not heard of": 1}
    (a, b) = owner.ask([WhereAsked("a", heard=False), WhereAsked("b", heard=False)]).answers
    assert (a["place"], b["place"], b["why"]) == ("waiting", "gone", "not heard of")
    (last,) = archive.ticket_record("duel").since(owner.number - 1)
    assert json.loads(last.replies) == [{"kind": "left", "ticket": "b", "why": "not heard of"}]


def test_a_clock_that_is_set_back_holds_no_queue(
    archive: Archive, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """Deadlines pass and waits grow at their pace; it is said how far ahead it is; a replay agrees."""
    passed = Clock()
    owner = QueueOwner(archive, DUEL, HOOKS, clock, monotonic=passed)
    owner.ask([enter("a"), enter("b"), TickDue(), enter("c")])
    assert where(owner, *"abc") == ["proposed", "proposed", "waiting"]
    clock.now -= 3600.0
    for _ in range(11):
        passed.now += 1.0
        clock.now += 1.0
        (status,) = owner.ask([TickDue()]).answers
    assert (where(owner, *"abc"), status["ahead"]) == (["gone", "gone", "waiting"], 3600.0)
    (c,) = owner.ask([WhereAsked("c")]).answers
    assert c["waited"] == 11.0
    assert [each.message for each in caplog.records] == [
        "the clock was set back; the queue goes on from the time it had"
    ]
    again = QueueOwner(archive, DUEL, HOOKS, clock)
    known, kept = owner.life.snapshot(), again.life.snapshot()
    assert replace(kept, now=known.now) == known
    clock.now += 4000.0
    assert owner.ask([TickDue()]).answers[0]["ahead"] == 0.0


def test_seats_are_free_of_somebody_who_plays_there(archive: Archive, clock: Clock) -> None:
    """A name of nobody in the match is refused with a sentence; who has left may be named again."""
    owner = QueueOwner(archive, DUEL, HOOKS, clock)
    owner.ask([enter("a"), enter("b"), TickDue(), Accept("1", "a"), Accept("1", "b")])
    for left, kinds in (
        (("zoe",), ["refused"]),
        (("a",), ["left", "seats"]),
        (("a",), []),
        (("Ann", "b"), None),
    ):
        (replies,) = owner.ask([OfferSeats("1", left=left)]).answers
        assert kinds is None or [each["kind"] for each in replies] == kinds
        if kinds == ["refused"]:
            assert replies[0]["why"] == "nobody plays in the match '1' who is called 'zoe'"
            assert owner.life.openings == ()
    assert where(owner, "a", "b") == ["gone", "gone"]


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("first", [TickDue(), Accept("1", "b"), Decline("1", "b")])
def test_time_in_which_nobody_answers_is_held_against_nobody(
    archive: Archive, clock: Clock, restart: bool, first: Any
) -> None:
    """After a restart, or when an owner stood still, all of the time to answer is there, as recorded."""
    settings = replace(DUEL, heartbeat=30.0, policy=replace(DUEL.policy, penalties=(60.0,)))
    owner = QueueOwner(archive, settings, HOOKS, clock)
    owner.ask([enter("a"), enter("b"), TickDue(), Accept("1", "a"), enter("c")])
    clock.now += 500.0
    if restart:
        owner = QueueOwner(archive, settings, HOOKS, clock)
    owner.ask([first])
    asked = [WhereAsked(name, heard=False) for name in "abc"]
    a, b, c = owner.ask(asked).answers
    assert c["place"] == "waiting"
    if first != TickDue():
        assert a["place"] == ("playing" if isinstance(first, Accept) else "waiting")
        return
    assert (a["place"], b["place"], b["until"]) == ("accepted", "proposed", clock.now + 10.0)
    assert QueueOwner(archive, settings, HOOKS, clock).ask(asked).answers == [a, b, c]
    pass_time(owner, clock, 9)
    number = owner.number
    owner.ask([TickDue()])
    assert (where(owner, "a", "b"), owner.number) == (["accepted", "proposed"], number)
    pass_time(owner, clock, 1)
    owner.ask([TickDue()])
    assert where(owner, "a", "b") == ["proposed", "gone"]
    assert owner.ask([WhereAsked("b")]).answers[0]["kept_out"] == {"b": clock.now + 60.0}


def test_a_start_goes_through_few_events(
    archive: Archive, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is known is kept now and then; older events may be dropped, and nothing known with them."""
    monkeypatch.setattr("equipoise.service.queue_owner.EVENTS_A_STATE", 4)
    settings = QueueSettings("duel", DUEL.policy, keep_days=1.0)
    owner, record = QueueOwner(archive, settings, HOOKS, clock), archive.ticket_record("duel")
    asked = [*map(WhereAsked, "abcd"), MatchesAsked(), StatusAsked()]
    for step in (
        [enter("a"), enter("b"), enter("c")], [TickDue()], [Accept("1", "a"), Accept("1", "b")], [enter("d")],
        [TickDue()], [CancelTicket("c"), MatchEnded("1")],
    ):  # fmt: skip
        clock.now += 3.0
        owner.ask(step)
        other = QueueOwner(archive, settings, HOOKS, clock)
        assert other.ask(asked).answers == owner.ask(asked).answers
    first = record.since(0)[0].number
    kept = record.state()
    assert (first, kept and kept.number) == (1, 11)  # 8 were as many as tickets, but not as matches too
    clock.now += 2 * 86_400.0
    for name in "efgh":
        owner.ask([enter(name), CancelTicket(name)])
    kept = record.state()
    assert kept is not None
    assert record.since(0)[0].number > 11
    assert QueueOwner(archive, settings, HOOKS, clock).ask(asked).answers == owner.ask(asked).answers
    with archive._database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM queue_state")
    with pytest.raises(EquipoiseError, match="begins with event"):
        QueueOwner(archive, settings, HOOKS, clock).ask(asked)


def test_a_clock_that_steps_back_takes_no_waiting_time(archive: Archive, clock: Clock) -> None:
    """Time in the record never runs backwards."""
    owner = QueueOwner(archive, DUEL, {}, clock)
    owner.ask([enter("a")])
    clock.now -= 500.0
    owner.ask([enter("b")])
    times = [each.at for each in archive.ticket_record("duel").since(0)]
    assert times == sorted(times)


def test_another_policy_is_taken_and_nobody_loses_a_ticket(archive: Archive, clock: Clock) -> None:
    """Whether it comes while the owner lives or with the next one."""
    owner = QueueOwner(archive, DUEL, {}, clock)
    owner.ask([enter("a"), enter("b")])
    teams = QueuePolicy(team_size=2, imbalance=0.49, most_imbalance=0.49, tolerance=1e6)
    owner.ask([TickDue()], teams)
    assert where(owner, "a", "b") == ["waiting", "waiting"]
    later = QueueOwner(archive, QueueSettings("duel", DUEL.policy), {}, clock)
    later.ask([TickDue()])
    assert where(later, "a", "b") == ["proposed", "proposed"]


def test_the_record_is_the_same_on_every_database(new_url: Callable[[], str], clock: Clock) -> None:
    """Seats, events and notes, on SQLite and on PostgreSQL."""
    with open_archive(new_url()) as archive:
        owner = QueueOwner(archive, DUEL, HOOKS, clock)
        owner.ask([enter("ä", "ä"), enter("b"), TickDue(), Decline("1", "b"), enter("c"), TickDue()])
        record = archive.ticket_record("duel")
        assert record.seats() == {"ä": "2", "c": "2"}
        assert [each.number for each in record.since(2)] == list(range(3, record.last() + 1))
        assert len(archive.outbox.due("league", clock.now, 100)) == 4


def test_what_time_alone_does_is_an_event_of_its_own(archive: Archive, clock: Clock) -> None:
    """A match that nobody answered is off with the next event, whichever that is, and its seats with it."""
    owner = QueueOwner(archive, DUEL, HOOKS, clock)
    owner.ask([enter("a"), enter("b"), TickDue(), Accept("1", "a")])
    pass_time(owner, clock, 11)
    owner.ask([enter("c")])
    record = archive.ticket_record("duel")
    assert record.seats() == {}
    kinds = [json.loads(each.event)[0] for each in record.since(0)]
    assert kinds[-2:] == ["matches", "enter"]
    assert where(owner, "a", "b", "c") == ["waiting", "gone", "waiting"]
