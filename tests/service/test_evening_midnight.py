"""Evenings over midnight: a day's end, a zone or clocks that are changed are nothing to an evening."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner
from tests.service.http.asking import ask
from tests.service.process import Served

from equipoise.archive.archive import open_archive
from equipoise.cli import group
from equipoise.play.evening import EVENING
from equipoise.service.kept_evening import KeptEvening
from equipoise.service.tonight import TonightLinks, opened_evening

PEOPLE = ("Amber", "Birch", "Cedar", "Dahlia", "Elm", "Fern")

#: Zones, and the noon before a night of each: clocks go back at three, go forward at two, and stay.
NIGHTS = [
    ("Europe/Berlin", (2026, 10, 24)), ("America/St_Johns", (2026, 3, 7)),
    ("Asia/Kathmandu", (2026, 12, 31)), ("Pacific/Kiritimati", (2026, 2, 28)),
]  # fmt: skip

#: Hours after that noon, and what is typed then.
STEPS = [
    (9.5, ("teams", *PEOPLE)), (11.9, ("won", "red")), (12.1, ("again",)), (13.0, ("won", "blue")),
    (14.0, ("again",)), (14.7, ("won", "red")), (15.3, ("undo",)), (16.0, ("table",)),
]  # fmt: skip

SetClock = Callable[[float, str], None]


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what lets it be a moment, in a zone."""

    def at(now: float, zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        monkeypatch.setattr(time, "time", lambda: now)

    yield at
    monkeypatch.undo()
    time.tzset()


def noon(zone: str, day: tuple[int, int, int]) -> float:
    """Return noon of a day in a zone, seconds since 1970."""
    return datetime(*day, 12, tzinfo=ZoneInfo(zone)).timestamp()


def played(folder: Path, set_clock: SetClock, zone: str, start: float) -> tuple[list[Any], str, list[float]]:
    """Return what a night says from step to step, what is recorded of it, and when its games ended."""
    folder.mkdir()
    url, said = f"sqlite:///{folder}/night.db", list[Any]()
    for hours, typed in STEPS:
        set_clock(start + 3600.0 * hours, zone)
        done = CliRunner().invoke(group, ["night", "--store", url, typed[0], "--json", *typed[1:]])
        assert done.exit_code == 0, done.output
        said.append(json.loads(done.stdout))
    with open_archive(url) as archive:
        ended = [each.ended or 0.0 for each in archive.matches()]
        recorded = json.dumps([[record["kind"], record["at"]] for record in archive.night_events()])
    return said, recorded, ended


@pytest.mark.parametrize(("zone", "day"), NIGHTS)
def test_a_night_at_a_terminal_is_the_same_in_every_zone(
    tmp_path: Path, set_clock: SetClock, zone: str, day: tuple[int, int, int]
) -> None:
    """Steps before and after midnight are of one night; results end when they were reported, in order."""
    start = noon(zone, day)
    here = played(tmp_path / "here", set_clock, zone, start)
    assert here == played(tmp_path / "elsewhere", set_clock, "UTC", start)
    said, _, ended = here
    assert ended == [start + 3600.0 * hours for hours, typed in STEPS if typed[0] == "won"][:2]
    assert {each["played"] for each in said[-1]["players"]} == {2}


@pytest.mark.parametrize(("zone", "day"), NIGHTS)
def test_the_page_of_an_evening_opened_again_after_midnight_goes_on(
    tmp_path: Path, set_clock: SetClock, zone: str, day: tuple[int, int, int]
) -> None:
    """Who is there stays until nothing was done for as long as an evening lasts, whatever the day."""
    url, start = f"sqlite:///{tmp_path}/night.db", noon(zone, day) + 11.5 * 3600.0
    set_clock(start, zone)
    with open_archive(url, create=True) as archive:
        opened_evening(archive, "night", "Friday", hours=1.0)
    done = CliRunner().invoke(group, ["night", "--store", url, "teams", *PEOPLE])
    assert done.exit_code == 0, done.output
    for hours, here in ((1.0, set(PEOPLE)), (EVENING / 3600.0 - 1.0, set(PEOPLE)), (99.0, set[str]())):
        set_clock(start + 3600.0 * hours, zone)
        with open_archive(url) as archive:
            opened_evening(archive, "night", "Friday", hours=1.0)
            assert set(KeptEvening(archive).evening.rooms["night"].setup.here) == here


#: What a process runs first, so that its clock can be set from outside while it runs.
CLOCK = """
import os, time
real = time.time
def now():
    with open(os.environ["CLOCK_AHEAD"]) as ahead:
        return real() + float(ahead.read() or 0)
time.time = now
"""


@pytest.fixture
def pair(
    tmp_path: Path, set_clock: SetClock
) -> Iterator[tuple[list[Served], TonightLinks, Callable[[float], None]]]:
    """Return two servers of one archive in two zones, the links of an evening, and what sets their clocks."""
    zone, day = NIGHTS[0]
    ahead, real, start = tmp_path / "ahead", time.time(), noon(zone, day)
    (tmp_path / "sitecustomize.py").write_text(CLOCK, encoding="utf-8")

    def set_hours(hours: float) -> None:
        other = tmp_path / "other"
        other.write_text(str(start + 3600.0 * hours - real), encoding="utf-8")
        other.replace(ahead)

    set_hours(10.5)
    set_clock(start + 3600.0 * 10.5, zone)
    with open_archive(f"sqlite:///{tmp_path}/night.db", create=True) as archive:
        links = opened_evening(archive, "night", "Saturday", hours=12.0)
    flags = ("--http", "127.0.0.1:0", "--http-rate", "1e5")
    served = [
        Served(
            tmp_path / "night.db", *flags,
            environment={"TZ": each, "PYTHONPATH": str(tmp_path), "CLOCK_AHEAD": str(ahead)},
        )
        for each in (zone, "America/New_York")
    ]  # fmt: skip
    yield served, links, set_hours
    assert [each.end()[0] for each in served] == [0, 0]


@pytest.mark.slow
def test_two_servers_show_one_evening_over_midnight_and_a_change_of_clocks(
    pair: tuple[list[Served], TonightLinks, Callable[[float], None]],
) -> None:
    """Whichever is asked, all rounds are of one evening of one name, whatever each calls the day."""
    served, links, set_hours = pair
    headers = {"Authorization": f"Bearer {links.organiser}"}

    def views() -> list[Any]:
        return [ask(f"{each.http}/v1/tonight/night", **headers).plain for each in served]

    def tap(door: int, n: int, kind: str, **given: Any) -> None:
        step = {"id": f"step-{n:04}-{kind}", "type": kind, **given}
        body = {"device": "0123456789abcdef", "taps": [step]}
        answer = ask(f"{served[door].http}/v1/tonight/night/taps", body, **headers)
        assert answer.plain["taps"][0]["status"] == "done", answer.plain

    tap(0, 0, "add", text="\n".join(PEOPLE))
    # Before midnight in Berlin, after it, in the hour that clocks show twice there, and after both.
    for n, hours in enumerate((11.8, 12.3, 14.4, 15.4, 15.7), start=1):
        set_hours(hours)
        tap(n % 2, n, "divide")
        one, other = views()
        assert one == other
        tap(1 - n % 2, n, "play", match=one["division"]["id"])
        tap(n % 2, n, "result", match=one["division"]["id"], scores=[2, 1])
        one, other = views()
        assert one == other
        assert (one["evening"], one["title"], one["round"], one["phase"]) == ("night", "Saturday", n, "saved")
        assert {each["games"] for each in one["people"]} == {n}
        assert one["last"]["changes"]["rows"]
    with open_archive(f"sqlite:///{served[0].store}") as archive:
        ended = [each.ended or 0.0 for each in archive.matches()]
        assert KeptEvening(archive).evening.rooms.keys() == {"night"}
    assert ended == sorted(ended)
    assert ended[-1] - ended[0] == pytest.approx(3600.0 * (15.7 - 11.8), abs=600.0)
