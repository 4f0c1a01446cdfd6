"""Evenings over midnight: a day's end, a zone or clocks that are changed are nothing to an evening."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner

from equipoise.archive.archive import open_archive
from equipoise.cli import group
from equipoise.play.evening import EVENING
from equipoise.service.kept_evening import KeptEvening
from equipoise.service.tonight import opened_evening

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
