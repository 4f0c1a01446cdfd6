"""One evening in browsers, in a chat and at a terminal at once: each sees what the others do."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from math import comb
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from equipoise.archive.archive import Archive, open_archive
from equipoise.cli import group
from equipoise.play.evening_events import night_lobby
from equipoise.play.evening_records import CHANGED, NIGHT
from equipoise.service import kept_evening
from equipoise.service.kept_evening import KeptEvening
from equipoise.service.pickup_lobbies import Pickups
from equipoise.service.tonight import Evenings, Tap, TapAnswer, opened_evening


class Doors:
    """Three doors of one archive."""

    def __init__(self, folder: Path) -> None:
        self.url, self.count, self.now = f"sqlite:///{folder}/night.db", 0, time.time()
        self.archive: Archive = open_archive(self.url, create=True)
        opened_evening(self.archive, NIGHT, "Thursday", hours=1.0)
        self.pages = Evenings(self.url)
        self.chat = Pickups(self.archive, [night_lobby(NIGHT)], admins=["org"])

    def ask(self, question: Any) -> Any:
        """Return what the worker of pages answers."""
        try:
            next(self.pages(question))
        except StopIteration as end:
            return end.value
        raise AssertionError

    def tap(self, kind: str, by: str = "organiser", device: str = "desk", **given: Any) -> TapAnswer:
        """Tap on a page."""
        self.count += 1
        step = {"id": f"tap-{self.count:05}", "type": kind, **given}
        (answer,), _ = self.ask(("take", [Tap(NIGHT, by, device, step)]))
        return answer

    @property
    def view(self) -> Any:
        """What pages show."""
        (found,) = self.ask(("look", {NIGHT: -1}))
        return json.loads(found.body)

    def type(self, *words: str) -> Any:
        """Type at the terminal."""
        done = CliRunner().invoke(group, ["night", "--store", self.url, words[0], "--json", *words[1:]])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    def say(self, text: str, who: str = "org") -> list[str]:
        """Say something in the chat, and return what is answered there."""
        return [each.text for each in self.chat.hear(who, who, text, time.time(), lambda nick: nick)]

    def heard(self) -> str:
        """Return what the chat says of what others did."""
        return "\n".join(each.text for each in self.chat.tick(time.time()))


@pytest.fixture
def doors(tmp_path: Path) -> Iterator[Doors]:
    """Return an evening of six: two from each door."""
    doors = Doors(tmp_path)
    for n, name in enumerate(("Amber", "Birch")):
        doors.tap("claim", "guest", f"phone {n}", name=name, sure=True)
    doors.type("late", "Cedar", "Dahlia", "--new", "Cedar", "--new", "Dahlia")
    doors.say("!in Elm, Fern")
    yield doors
    doors.archive.close()


def teams_of(plain: Any) -> list[set[str]]:
    """Return teams as sets."""
    return [set(team) for team in plain]


def test_teams_results_and_what_they_changed_are_seen_by_all(doors: Doors) -> None:
    """Teams are made in the browser, reported in the chat, taken back at the terminal."""
    heard = doors.heard()
    assert "Cedar, Dahlia: in" in heard
    assert [each["name"] for each in doors.view["people"]] == [
        "Amber", "Birch", "Cedar", "Dahlia", "Elm", "Fern"
    ]  # fmt: skip
    assert doors.tap("divide").status == "done"
    match = doors.view["division"]["id"]
    assert "play: red: " in doors.heard()
    assert doors.type("table")["id"] == match
    assert doors.tap("play", match=match).status == "done"
    assert "the game is being played" in " ".join(doors.say("!divide"))
    assert any("it counts" in line for line in doors.say("!won red"))
    view = doors.view
    assert (view["phase"], view["last"]["match"], view["last"]["ranks"]) == ("saved", match, [1.0, 2.0])
    table = {each["id"]: each["played"] for each in doors.type("table")["players"]}
    assert set(table.values()) == {1}
    changes = {each["id"]: each["change"] for each in view["last"]["changes"]["rows"]}
    assert sum(changes.values()) == 0
    assert doors.type("undo")["status"] == "undone"
    assert doors.view["phase"] == "playing"
    assert [each.id for each in doors.archive.matches()] == []
    assert "taken back: report" in doors.heard()
    assert doors.tap("result", match=match, scores=[1, 3]).status == "done"
    assert f"blue won; it counts ({match})" in doors.heard()


def test_teams_in_view_stay_what_was_found_when_other_results_come(doors: Doors, tmp_path: Path) -> None:
    """Results that are ingested change ratings: a worker that begins then calls the teams nobody's hand."""
    doors.tap("divide")
    before = doors.view["division"]
    teams = [["Amber", "Birch", "Cedar"], ["Dahlia", "Elm", "Fern"]]
    lines = [
        {"id": f"x{n}", "ended": doors.now - 9000 + n, "teams": teams, "scores": [5, 0]} for n in range(6)
    ]
    (tmp_path / "games.json").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    done = CliRunner().invoke(group, ["ingest", str(tmp_path / "games.json"), "--store", doors.url])
    assert "6 new matches" in done.output
    before_them, doors.pages = doors.pages, Evenings(doors.url)
    after = doors.view["division"]
    assert (after["teams"], after["chances"]) == (before["teams"], before["chances"])
    assert (before["proof"], before["hand"]) == ("proven", False)
    assert (after["proof"], after["hand"], after["at"]) == ("found", False, 0)
    other, doors.pages = doors.pages, before_them
    for _ in range(after["others"]):  # in each of two processes, which know others
        doors.pages, other = other, doors.pages
        assert doors.tap("next").status == "done"
        assert not doors.view["division"]["hand"]
        doors.pages, other = other, doors.pages
        assert not doors.view["division"]["hand"]


class Killed(BaseException):
    """A process ends here."""


def killed(kept: KeptEvening, *_: Any) -> None:
    """End, as a process that is killed does: nothing that follows is done once a second result is kept."""
    if len(list(kept.archive.matches())) == 2:
        raise Killed


@pytest.mark.parametrize("point", ["settle", "_report"])
@pytest.mark.parametrize("goes_on", ["page", "chat", "terminal", "other chat"])
@pytest.mark.parametrize("dies", ["page", "chat", "terminal"])
def test_a_door_killed_after_a_result_leaves_what_it_changed_to_the_next(
    doors: Doors, dies: str, goes_on: str, point: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed before the ratings are learnt, or after it: whoever goes on says what the result changed."""

    def stands() -> dict[str, int]:
        return {each["id"]: round(10 * each["weight"]) for each in doors.type("table")["players"]}

    doors.tap("divide")
    doors.say("!won red")
    doors.tap("divide")
    before = stands()
    match = doors.view["division"]["id"]
    watching = Pickups(doors.archive, [night_lobby(NIGHT)], admins=["org"])
    steps: dict[str, Callable[[], object]] = {
        "page": lambda: doors.tap("result", match=match, scores=[1, 3]),
        "chat": lambda: doors.say("!won blue"), "terminal": lambda: doors.type("won", "blue"),
    }  # fmt: skip
    with monkeypatch.context() as here:
        here.setattr(KeptEvening, point, killed)
        with pytest.raises(Killed):
            steps[dies]()
    monkeypatch.setattr(kept_evening, "PATIENCE", -1.0)
    if goes_on == "page":
        doors.pages = Evenings(doors.url)
    elif goes_on == "chat":
        doors.chat = Pickups(doors.archive, [night_lobby(NIGHT)], admins=["org"])
        doors.chat.start(time.time())
    elif goes_on == "terminal":
        doors.type("table")
    else:
        heard = "\n".join(each.text for each in watching.tick(time.time()))
        assert "won" in heard
        assert "+" in heard
    kept = [each["kind"] for each in doors.archive.night_events() if each.get("match") == match]
    if goes_on == "page":
        kept.append(CHANGED)  # pages do so when they are asked
    assert kept.count(CHANGED) == 1
    view, after = doors.view, stands()
    assert view["last"]["match"] == match
    rows = {each["id"]: each for each in view["last"]["changes"]["rows"]}
    assert {who: each["points"] for who, each in rows.items()} == after
    assert all(each["change"] == after[who] - before[who] for who, each in rows.items())
    assert all(each["place"] == 1 + sum(p > after[who] for p in after.values()) for who, each in rows.items())
    kept = [each["kind"] for each in doors.archive.night_events() if each.get("match") == match]
    assert kept.count(CHANGED) == 1


def test_an_undo_of_the_archive_reaches_every_door(doors: Doors) -> None:
    """``equipoise undo`` of a match is seen by pages, chat and terminal; ``--back`` too."""
    doors.tap("divide")
    match = doors.view["division"]["id"]
    doors.say("!won red")
    for back in ((), ("--back",)):
        done = CliRunner().invoke(group, ["undo", match, "--store", doors.url, *back])
        assert done.exit_code == 0, done.output
        counts = bool(back)
        assert doors.view["phase"] == ("saved" if counts else "teams")
        assert ("counts again" if counts else "no longer counts") in doors.heard()
        assert {each["played"] for each in doors.type("table")["players"]} == {int(counts)}
        assert len(doors.chat.evening.ended(NIGHT)) == int(counts)


def test_a_forgotten_person_is_in_no_door(doors: Doors) -> None:
    """Doors that run on call them by the stand-in."""
    doors.tap("divide")
    doors.say("!won red")
    stand_in = doors.archive.forget("Amber")
    doors.heard()
    assert "Amber" not in json.dumps(doors.view)
    assert stand_in in doors.chat.evening.waiting[NIGHT]
    assert "Amber" not in json.dumps(doors.archive.night_events())


def test_a_guest_who_comes_does_not_stand_in_the_way_of_an_undo(doors: Doors) -> None:
    """The terminal takes back its teams though somebody has tapped since, who stays."""
    doors.type("again")
    doors.tap("claim", "guest", "phone Gorse", name="Gorse", sure=True)
    doors.type("undo")
    assert doors.view["division"] is None
    assert "Gorse" in [each["name"] for each in doors.view["people"]]


def test_settings_of_a_door_are_not_those_of_another_start(doors: Doors) -> None:
    """Three teams that the page asks for stay so when a terminal or a chat begins."""
    doors.tap("settings", teams=3)
    doors.type("again")
    Pickups(doors.archive, [night_lobby(NIGHT)])
    assert len(doors.view["division"]["teams"]) == 3


@pytest.mark.parametrize("people", [4, 5])
def test_no_teams_come_again_by_any_door(tmp_path: Path, people: int) -> None:
    """All that equals can be divided into is proposed once, whoever asks; then that is said."""
    doors = Doors(tmp_path)
    names = [f"P{n}" for n in range(people)]
    doors.tap("add", text="\n".join(names))
    ways = comb(people, people // 2) // (1 if people % 2 else 2)
    asking = [lambda: doors.type("again"), lambda: doors.tap("divide"), lambda: doors.say("!divide")]
    seen = set()
    for n in range(ways):
        asking[n % 3]()
        view = doors.view
        seen.add(frozenset(map(frozenset, view["division"]["teams"])))
        assert len(seen) == n + 1
        assert not view["division"]["why"]["repeated"]
        if n % 2 and people == 4:  # of five, results would make some ways dearer than the price
            doors.type("won", "red")
    doors.heard()
    assert any("no other teams lie within" in line for line in doors.say("!divide"))
    assert doors.view["division"]["why"]["repeated"]
    doors.archive.close()


def test_a_result_is_undone_after_somebody_left(tmp_path: Path) -> None:
    """By every door: teams of those who stay take the place of those that were played."""
    doors = Doors(tmp_path)
    doors.tap("add", text="Amber\nBirch\nCedar\nDahlia")
    for undo in (
        lambda: doors.say("undo"), lambda: doors.type("undo"),
        lambda: doors.tap("undo", of=doors.view["undo"]["id"]),
    ):  # fmt: skip
        doors.tap("divide")
        doors.tap("result", match=doors.view["division"]["id"], ranks=[1, 2])
        doors.tap("claim", "guest", "phone d", who="Dahlia")
        doors.tap("status", "guest", "phone d", who="Dahlia", status="out")
        assert len(list(doors.archive.matches())) == 1
        assert undo()
        assert list(doors.archive.matches()) == []
        assert sum(map(len, doors.view["division"]["teams"])) == 3
        doors.tap("status", who="Dahlia", status="in")
