"""Evenings in an archive: kept before they are answered, each tap once, found again after a kill."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.pages.html.hostile import HOSTILE

from equipoise.archive.archive import open_archive
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.plain_data import printable
from equipoise.play.evening_page import LONGEST_NAME
from equipoise.service.tonight import (
    Evenings,
    Tap,
    TapAnswer,
    hashed,
    is_going_on,
    opened_evening,
    renewed_links,
)

NAMES = ("Amber", "Birch", "Cedar", "Dahlia", "Elm", "Fern")


class Evening:
    """An evening in an archive of its own, and what it answers."""

    def __init__(self, url: str) -> None:
        self.url, self.count = url, 0
        with open_archive(url) as archive:
            self.links = opened_evening(archive, "thursday", "Thursday Arena", hours=1.0)
        self.worker = Evenings(url)

    def ask(self, question: Any) -> Any:
        """Return what the worker answers."""
        try:
            next(self.worker(question))
        except StopIteration as end:
            return end.value
        raise AssertionError

    def do(self, kind: str, by: str = "organiser", device: str = "desk", **given: Any) -> TapAnswer:
        """Take a tap."""
        self.count += 1
        step = {"id": f"tap-{self.count:05}", "type": kind, **given}
        (answer,), _ = self.ask(("take", [Tap("thursday", by, device, step)]))
        return answer

    def again(self) -> None:
        """Begin the worker again, as after a kill."""
        self.worker = Evenings(self.url)

    @property
    def view(self) -> Any:
        """What a page shows."""
        (found,) = self.ask(("look", {"thursday": -1}))
        return json.loads(found.body)

    @property
    def matches(self) -> list[str]:
        """The ids of the matches that count."""
        with open_archive(self.url) as archive:
            return [each.id for each in archive.matches()]


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    """Return an evening of six."""
    evening = Evening(f"sqlite:///{tmp_path}/night.db")
    assert evening.do("add", text="\n".join(NAMES)).status == "done"
    return evening


def played(evening: Evening) -> str:
    """Play a round; return its match."""
    evening.do("divide")
    match = evening.view["division"]["id"]
    evening.do("play", match=match)
    assert evening.do("result", match=match, scores=[20, 14]).status == "done"
    return str(match)


def test_a_tap_counts_once(evening: Evening) -> None:
    """The same tap of a device again, in a worker that has begun since too, changes nothing."""
    evening.do("divide")
    match = evening.view["division"]["id"]
    tap = Tap(
        "thursday",
        "organiser",
        "desk",
        {"id": "the-result", "type": "result", "match": match, "ranks": [1, 2]},
    )
    statuses = []
    for _ in range(3):
        (answer,), _ = evening.ask(("take", [tap]))
        statuses.append(answer.status)
        evening.again()
    assert statuses == ["done", "known", "known"]
    assert evening.matches == [match]


def test_what_was_answered_is_there_after_a_kill(evening: Evening) -> None:
    """Another worker shows the same evening, to the last point."""
    played(evening)
    evening.do("divide")
    before = evening.view
    evening.again()
    assert evening.view == before


def test_two_workers_share_one_evening(evening: Evening, tmp_path: Path) -> None:
    """What one takes the other shows, and neither takes back what the other did."""
    other = Evenings(evening.url)
    mine, evening.worker = evening.worker, other
    evening.do("claim", "guest", "phone", name="Gorse", sure=True)
    evening.worker = mine
    evening.do("claim", "guest", "phone 2", name="Hazel", sure=True)
    names = [each["name"] for each in evening.view["people"]]
    assert names == [*NAMES, "Gorse", "Hazel"]


def test_a_result_is_learnt_and_taken_back(evening: Evening) -> None:
    """The match counts, its changes add up to what is shown, and an undo takes both back."""
    match = played(evening)
    view = evening.view
    assert evening.matches == [match]
    changes = view["last"]["changes"]["rows"]
    assert {each["id"] for each in changes} == set(NAMES)
    shown = {each["id"]: each["points"] for each in view["people"]}
    assert all(each["points"] == shown[each["id"]] for each in changes)
    evening.do("undo", of=view["undo"]["id"])
    assert evening.matches == []
    evening.do("redo", of=evening.view["redo"]["id"])
    assert evening.matches == [match]


def test_who_sat_out_plays_next(evening: Evening) -> None:
    """With two a team, the two who sat out play, and two others do not."""
    evening.do("settings", teams=2, size=2)
    played(evening)
    out = evening.view["last"]["out"]
    evening.do("divide", round=2)
    assert len(out) == 2
    assert not set(out) & set(evening.view["division"]["out"])


def test_teams_of_an_evening_do_not_come_again(evening: Evening) -> None:
    """Five rounds of six have five different divisions."""
    seen = set()
    for _ in range(5):
        played(evening)
        seen.add(frozenset(map(frozenset, evening.view["last"]["teams"])))
    assert len(seen) == 5


def test_the_verdict_is_of_the_teams_in_view(evening: Evening) -> None:
    """Proven of the best, by hand of a swap, with the chances that the library works out."""
    evening.do("divide")
    division = evening.view["division"]
    assert division["proof"] == "proven"
    assert division["why"]["count"] == 10
    one, other = division["teams"][0][0], division["teams"][1][0]
    evening.do("swap", match=division["id"], one=one, other=other)
    evening.do("swap", match=division["id"], one=one, other=other)
    assert evening.view["division"]["chances"] == pytest.approx(division["chances"])
    assert not evening.view["division"]["hand"]


def test_exactly_the_teams_of_a_link(evening: Evening) -> None:
    """They are taken as they are; a link that names strangers, or somebody twice, is refused."""
    teams = [list(NAMES[:2]), list(NAMES[2:])]
    assert evening.do("exactly", teams=teams).status == "done"
    assert evening.view["division"]["teams"] == teams
    for wrong in ([["Amber"], ["Nobody"]], [["Amber"], ["Amber"]], [["Amber"], []], [["Amber"]]):
        assert evening.do("exactly", teams=wrong).status == "refused"
    assert evening.view["division"]["teams"] == teams


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_names(evening: Evening, name: str) -> None:
    """A name is one line of 40 letters at most, or refused; the view is JSON all the same."""
    answer = evening.do("claim", "guest", "phone", name=name, sure=True)
    assert answer.status in ("done", "refused")
    assert (answer.status == "refused") == (len(" ".join(name.split())) > LONGEST_NAME) or "\x00" in name
    for each in evening.view["people"]:
        assert printable(each["name"]) == each["name"]
        assert len(each["name"]) <= LONGEST_NAME


@pytest.mark.parametrize(
    "step",
    [
        {}, {"type": 7}, {"type": "claim"}, {"type": "claim", "name": 3}, {"type": "swap"},
        {"type": "result"},
        {"type": "result", "scores": ["a", "b"]}, {"type": "result", "scores": [float("inf"), 0]},
        {"type": "settings", "teams": "many"},
        {"type": "settings", "teams": 99}, {"type": "party", "who": 3},
        {"type": "exactly", "teams": 5}, {"type": "draft", "captains": None}, {"type": "open", "title": "x"},
        {"type": "keys", "keys": {}}, {"type": "changed", "match": "x", "rows": [], "of": 1},
        {"type": "add", "text": ""},
        {"type": "status", "who": "Amber", "status": "king"}, {"type": "undo", "of": "x"}, {"type": "undo"},
        {"type": "lock", "who": "Amber"}, {"type": "sitout", "who": "Amber"}, {"type": "next"},
        {"type": "redo", "of": ""}, {"type": "add", "text": "Gorse 30\nGorse"},
        {"type": "add", "text": "Gorse + Gorse"},
        *({kind: name, "type": step} for name in ("bot:Elm", "Anonymous:beef", "name:Nobody", "discord:1")
          for step, kind in (("claim", "name"), ("add", "text"))),
    ],
    ids=str,
)  # fmt: skip
def test_a_tap_that_makes_no_sense_is_refused(evening: Evening, step: dict[str, Any]) -> None:
    """Each has an answer, nothing has changed, and the next tap is taken."""
    before = evening.view
    (answer,), _ = evening.ask(("take", [Tap("thursday", "organiser", "desk", {"id": "nonsense", **step})]))
    assert answer.status in ("refused", "asked")
    assert answer.why
    assert evening.view == before
    assert evening.do("divide").status == "done"


def test_a_name_like_another_is_asked_about(evening: Evening) -> None:
    """Nobody becomes two people by a slip of a finger; who insists is new."""
    answer = evening.do("claim", "guest", "phone", name="Ambr")
    assert (answer.status, dict(answer.more or {})) == (
        "asked",
        {"name": "Ambr", "who": "Amber", "known": "Amber"},
    )
    assert evening.do("claim", "guest", "phone", name="Ambr", sure=True).status == "done"


def status_of(evening: Evening) -> dict[str, str]:
    """Return who is in, maybe or out."""
    return {each["id"]: each["status"] for each in evening.view["people"]}


def test_a_name_tapped_by_mistake_is_where_it_was(evening: Evening) -> None:
    """Whoever takes another name afterwards leaves nobody in; what others said of a name stays."""
    evening.do("status", who="Birch", status="out")
    before = status_of(evening)
    for mistaken in ("Birch", "Gorse"):  # one who said no, and one who was not there
        evening.do("claim", "guest", "phone", name=mistaken, sure=True)
        assert status_of(evening) == before | {mistaken: "in"}
        evening.do("claim", "guest", "phone", who="Amber")
        assert status_of(evening) == before
        assert [each["id"] for each in evening.view["people"] if each["seat"] == "phone"] == ["Amber"]
    evening.do("claim", "guest", "phone", who="Cedar")
    evening.again()
    assert status_of(evening) == before, "who was in before is in"
    evening.do("claim", "guest", "phone", who="Birch")
    evening.do("status", who="Birch", status="in")
    evening.do("claim", "guest", "phone", who="Amber")
    assert status_of(evening) == before | {"Birch": "in"}, "the organiser said so too"


def test_a_mistake_is_put_right_while_others_go_on(evening: Evening) -> None:
    """In teams that were made meanwhile too, and everybody sees what was taken back."""
    evening.do("claim", "guest", "phone", name="Gorse", sure=True)
    evening.do("claim", "guest", "phone 2", name="Hazel", sure=True)
    evening.do("divide")
    evening.do("claim", "guest", "phone", who="Amber")
    view = evening.view
    assert sorted(who for team in view["division"]["teams"] for who in team) == sorted((*NAMES, "Hazel"))
    assert set(status_of(evening)) == {*NAMES, "Hazel"}


def test_links_are_hashed_revoked_and_go_on(evening: Evening) -> None:
    """The archive holds no key; new links stand beside those before, or in their place."""
    with open_archive(evening.url) as archive:
        text = json.dumps(archive.night_events())
        assert evening.links.organiser not in text
        assert evening.links.guests not in text
        beside = renewed_links(archive, "thursday", hours=1.0, revoke=False)
    (view,) = evening.ask(("look", {"thursday": -1}))
    assert {hashed(evening.links.organiser), hashed(beside.organiser)} <= view.keys.keys()
    with open_archive(evening.url) as archive:
        only = renewed_links(archive, "thursday", hours=1.0)
        assert is_going_on(archive, "thursday")
    (view,) = evening.ask(("look", {"thursday": -1}))
    assert hashed(only.organiser) in view.keys
    assert not {hashed(evening.links.organiser), hashed(beside.organiser)} & view.keys.keys()


def test_a_forgotten_person_is_in_no_view(evening: Evening) -> None:
    """The worker that runs shows the stand-in at its next look."""
    played(evening)
    with open_archive(evening.url) as archive:
        stand_in = archive.forget("Amber")
    (view,) = evening.ask(("look", {"thursday": -1}))
    assert b"Amber" not in view.body
    assert stand_in.encode() in view.body


def test_nobody_takes_the_place_of_somebody_forgotten(evening: Evening) -> None:
    """Whose stand-in may still be in: it is nobody's seat, by id and by name alike."""
    played(evening)
    with open_archive(evening.url) as archive:
        stand_in = archive.forget("Fern")
    for given in ({"who": stand_in}, {"name": stand_in}):
        answer = evening.do("claim", "guest", "phone", **given)
        assert (answer.status, "forgotten" in answer.why) == ("refused", True)


def outside(evening: Evening, match: str, *, back: bool = False) -> None:
    """Take a result back, or let it count again, by the archive alone."""
    with open_archive(evening.url) as archive:
        archive.undo(match, back=back)
        archive.update_ratings()


def test_a_result_taken_back_from_outside_is_open_again(evening: Evening) -> None:
    """As if it were taken back within: the teams wait for a result, and a page and a kill show the same."""
    match = played(evening)
    outside(evening, match)
    for _ in range(2):
        assert (evening.view["phase"], evening.view["redo"]["type"]) == ("playing", "result")
        assert evening.matches == []
        evening.again()
    assert evening.do("result", match=match, scores=[3, 5]).status == "done"
    assert (evening.view["phase"], evening.view["last"]["ranks"], evening.matches) == (
        "saved",
        [2, 1],
        [match],
    )


@pytest.mark.parametrize("within", [True, False])
def test_a_result_put_back_from_outside_is_shown_as_it_counts(evening: Evening, within: bool) -> None:
    """Wherever it was taken back: the page shows it saved, and no other one is kept over it."""
    match = played(evening)
    if within:
        assert evening.do("undo", of=evening.view["undo"]["id"]).status == "done"
    else:
        outside(evening, match)
    assert evening.do("claim", "guest", "phone z", name="Zed").status == "done"
    outside(evening, match, back=True)
    for _ in range(2):
        assert (evening.view["phase"], evening.view["last"]["scores"]) == ("saved", [20, 14])
        assert evening.matches == [match]
        assert evening.do("result", match=match, scores=[0, 5]).status == "refused"
        evening.again()
    assert evening.do("undo", of=evening.view["undo"]["id"]).status == "done"
    assert evening.matches == []


def test_no_result_is_kept_over_one_that_counts(evening: Evening) -> None:
    """Where teams have changed since it was taken back, a result that was put back from outside stays."""
    match = played(evening)
    assert evening.do("undo", of=evening.view["undo"]["id"]).status == "done"
    one, other = (team[0] for team in evening.view["division"]["teams"])
    assert evening.do("undo", of=evening.view["undo"]["id"]).status == "done"  # they do not play yet
    assert evening.do("swap", match=match, one=one, other=other).status == "done"
    outside(evening, match, back=True)
    assert evening.do("play", match=match).status == "done"
    answer = evening.do("result", match=match, scores=[0, 5])
    assert (answer.status, "undo that match first" in answer.why) == ("refused", True)
    with open_archive(evening.url) as archive:
        assert [each.contests[0].scores for each in archive.matches()] == [(20, 14)]
    outside(evening, match)
    assert evening.do("result", match=match, scores=[0, 5]).status == "done"


def test_a_saved_game_of_two_who_are_one_is_shown(evening: Evening) -> None:
    """It stays as it was played; who is one is there once, and steps go on, live and after a kill."""
    match = played(evening)
    mates = evening.view["division"]["teams"][0]
    with open_archive(evening.url) as archive:
        archive.merge(*mates[:2])
    view = evening.view
    assert (view["phase"], view["last"]["teams"][0]) == ("saved", mates)
    assert [each["id"] for each in view["people"] if each["id"] in mates[:2]] == [mates[0]]
    assert evening.do("claim", "guest", "phone z", name="Zed").status == "done"
    assert "Zed" in [each["name"] for each in evening.view["people"]]
    assert evening.do("undo", of=evening.view["undo"]["id"]).status == "done"
    assert (evening.view["phase"], evening.matches) == ("playing", [])
    evening.again()
    assert evening.do("redo", of=evening.view["redo"]["id"]).status == "done"
    assert (evening.view["phase"], evening.matches) == ("saved", [match])
    with open_archive(evening.url) as archive:
        archive.forget("Dahlia")
    assert "Dahlia" not in json.dumps(evening.view)


def test_games_keep_their_order_though_a_clock_is_set_back(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each result comes after the one before it, whatever the clock says, to the archive and to ratings."""
    matches = [played(evening)]
    monkeypatch.setattr("time.time", lambda now=time.time: now() - 10_800.0)
    evening.again()
    matches += [played(evening) for _ in range(4)]
    assert evening.matches == matches
    with open_archive(evening.url) as archive:
        ended = [each.ended for each in archive.matches()]
        assert all(one < other for one, other in itertools.pairwise(ended))
        assert [each.match.id for each in archive.listed(None, 10)] == matches[::-1]


@pytest.mark.parametrize("name", ["", " ", "\u200b", "\u1160", "\u3164\u2800", "\u202e", "\u200d", "\ufe0f"])
def test_nobody_is_called_what_cannot_be_seen(evening: Evening, name: str) -> None:
    """Letters that show nothing are no name, by a phone or by the organiser."""
    assert evening.do("claim", "guest", "phone z", name=name).status == "refused"
    assert evening.do("substitute", old="Amber", new=name).status == "refused"
    assert len(evening.view["people"]) == len(NAMES)


def test_those_of_one_name_are_told_apart(evening: Evening) -> None:
    """On the first visit, in the list and in what was done, each of two has another name to tap."""
    teams = [("max-1", "Gorse"), ("max-2", "Hazel")]
    names = (("max-1", "Max"), ("max-2", "MAX"), ("Gorse", "Gorse"), ("Hazel", "Hazel"))
    contest = Contest(Ruleset(), tuple(teams), (1, 2))
    with open_archive(evening.url) as archive:
        archive.record([Match((contest,), ended=time.time() - 60.0, id="before", names=names)])
        archive.update_ratings()
    evening.again()
    offered = {each["id"]: each["name"] for each in evening.ask(("regulars", "thursday"))}
    assert offered["Gorse"] == "Gorse"
    assert offered["max-1"].startswith("Max (")
    assert offered["max-2"].startswith("MAX (")
    assert offered["max-1"].casefold() != offered["max-2"].casefold()
    evening.do("claim", "guest", "phone 1", who="max-1")
    (other,) = (each for each in evening.ask(("regulars", "thursday")) if each["id"] == "max-2")
    assert other["name"] == offered["max-2"]
    evening.do("claim", "guest", "phone 2", who="max-2")
    people = {each["id"]: each for each in evening.view["people"]}
    for player in ("max-1", "max-2"):
        assert people[player]["name"] == offered[player]
        assert f"({people[player]['points']}" in offered[player]
    assert evening.view["steps"][-1]["names"] == [offered["max-2"]]


def test_emoji_of_several_parts_stay_whole(evening: Evening) -> None:
    """By a phone and in a paste: what joins emoji is kept, what joins nothing is not."""
    family, pair = "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f9d1\U0001f3fd\u200d\U0001f680"
    assert evening.do("claim", "guest", "phone", name=f"Zoë {family}\u200d", sure=True).status == "done"
    assert evening.do("add", text=f"Ann{pair} 30\nB\u200dob").status == "done"
    assert [each["name"] for each in evening.view["people"]][-3:] == [f"Zoë {family}", f"Ann{pair}", "Bob"]
