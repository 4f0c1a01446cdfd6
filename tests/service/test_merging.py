"""Two ids become one person while evenings go on: no game is divided again behind those who play it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest
from tests.cli.running import runner
from tests.service.test_tonight import Evening

from equipoise.archive.archive import Archive, TakenMeanwhileError, open_archive
from equipoise.cli import group
from equipoise.errors import EquipoiseError, InputError
from equipoise.play import evening_events as ev
from equipoise.play.evening_events import Setup
from equipoise.service import link_codes, merging
from equipoise.service.archive_workers import Keeping, MergedPlayers
from equipoise.service.night import opened
from equipoise.service.pickup_lobbies import Pickups

REFUSED = "are both in a game that goes on"
Teams = tuple[tuple[str, ...], ...]
Door = Callable[[str, str, str], None]


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return the address of an archive without anything in it."""
    return f"sqlite:///{tmp_path}/night.db"


def by_command(url: str, player: str, other: str) -> None:
    """Merge at a terminal."""
    done = runner().invoke(group, ["merge", player, other, "--store", url])
    if isinstance(done.exception, EquipoiseError):
        raise done.exception
    assert done.exit_code == 0, done.output


def by_admin(url: str, player: str, other: str) -> None:
    """Merge as the process does that keeps what comes over HTTP."""
    list(Keeping(url, 10.0)(MergedPlayers(player, other)))


def by_link(url: str, player: str, other: str) -> None:
    """Merge as somebody in charge of a chat does."""
    with open_archive(url) as archive:
        link_codes.link(archive, other, player)


def by_code(url: str, player: str, other: str) -> None:
    """Merge by a code that one asked for and the other typed."""
    with open_archive(url) as archive:
        link_codes.redeem(archive, link_codes.new_code(archive, other, time.time()), player, time.time())


DOORS = pytest.mark.parametrize("merge", [by_command, by_admin, by_link, by_code])


def begin(url: str, *names: str, size: int | None = None) -> Teams:
    """Let these come to a night, and return their teams."""
    with opened(url) as night:
        setup = Setup(names, size=size)
        night.take(ev.Gather(night.lobby, setup, spelled=dict(zip(names, names, strict=True))))
    return teams(url)


def teams(url: str) -> Teams:
    """Return the teams of a night, as any process that begins now finds them."""
    with opened(url) as night:
        assert night.proposal is not None
        return tuple(tuple(sorted(team)) for team in night.proposal.teams)


@DOORS
def test_two_who_play_in_one_game_are_not_merged(url: str, merge: Door) -> None:
    """In one team or in two: refused by every door with nothing changed, until one has left or it is over."""
    before = begin(url, "Ann", "Bob", "Cid", "Dee")
    for other in ("Bob", "Cid", "Dee"):
        with pytest.raises(InputError, match=REFUSED):
            merge(url, "Ann", other)
    assert teams(url) == before
    with open_archive(url) as archive:
        assert archive.merged() == {}
    with opened(url) as night:
        night.take(ev.Attend(night.lobby, ("Bob",), ev.OUT))
    merge(url, "Ann", "Bob")
    with open_archive(url) as archive:
        assert archive.merged() in ({"Bob": "Ann"}, {"Ann": "Bob"})


@DOORS
def test_whoever_sits_out_or_is_not_there_leaves_the_others_in_their_places(url: str, merge: Door) -> None:
    """One of both plays: the same teams are there, under the id that counts, and their result counts."""
    before = begin(url, "Ann", "Bob", "Cid", "Dee", "Kim", size=2)
    (out,) = {"Ann", "Bob", "Cid", "Dee", "Kim"} - set(chain(*before))
    playing = before[0][0]
    with opened(url) as night:
        night.take(ev.Attend(night.lobby, ("Lou",), spelled={"Lou": "Lou"}))
        night.take(ev.Attend(night.lobby, ("Lou",), ev.OUT))
    assert teams(url) == before
    merge(url, playing, out)
    merge(url, before[1][0], "Lou")
    with opened(url) as night:
        one = night.kept.evening.one
    assert teams(url) == tuple(tuple(sorted(map(one, team))) for team in before)


def test_before_there_are_teams_two_who_are_there_become_one(url: str) -> None:
    """In a lobby nobody has a place yet, so that there is nothing to be refused."""
    with opened(url) as night:
        names = ("Ann", "Bob", "Cid")
        night.take(ev.Attend(night.lobby, names, spelled=dict(zip(names, names, strict=True))))
    by_command(url, "Ann", "Bob")
    with opened(url) as night:
        assert night.setup.here == ("Ann", "Cid")


def test_captains_who_pick_are_not_merged(url: str) -> None:
    """A draft is a game of all who may be picked."""
    begin(url, "Ann", "Bob", "Cid", "Dee")
    with opened(url) as night:
        night.take(ev.Captains(night.lobby, ("Ann", "Bob")))
    for pair in (("Ann", "Bob"), ("Cid", "Dee"), ("Ann", "Dee")):
        with pytest.raises(InputError, match=REFUSED):
            by_command(url, *pair)


def test_teams_that_break_a_rule_of_the_one_person_are_made_again_and_that_is_said(url: str) -> None:
    """Who plays with somebody whom the other id never plays with cannot stay."""
    before = begin(url, "Ann", "Bob", "Cid", "Dee", "Kim", size=2)
    (out,) = {"Ann", "Bob", "Cid", "Dee", "Kim"} - set(chain(*before))
    one, other = before[0]
    with opened(url) as night:
        night.take(ev.Gather(night.lobby, replace(night.setup, apart=((out, other),)), fresh=False))
        night.take(ev.SetTeams(night.lobby, before))
    assert teams(url) == before
    done = runner().invoke(group, ["merge", one, out, "--store", url])
    assert f"the teams of night were made again: they broke a rule for {one}" in done.stderr
    assert sorted(chain(*teams(url))) == sorted(chain(*before))
    assert teams(url) != before


def test_a_browser_refuses_a_code_of_somebody_in_the_same_teams(tmp_path: Path) -> None:
    """With teams on the board, before and while they are played; the code stays good for later."""
    evening = Evening(f"sqlite:///{tmp_path}/night.db")
    evening.do("claim", "guest", "phone a", name="Webby")
    with open_archive(evening.url) as archive:
        pickups = Pickups(archive, [])
        lobby = next(iter(pickups.evening.rooms))
        pickups.kept.take(ev.Attend(lobby, ("discord:3002",), spelled={"discord:3002": "Birch"}))
        code = link_codes.new_code(archive, "discord:3002", time.time())
    evening.do("divide")
    assert REFUSED in evening.do("link", "guest", "phone a", who="Webby", code=code).why
    assert evening.do("play").status == "done"
    assert REFUSED in evening.do("link", "guest", "phone a", who="Webby", code=code).why
    match = evening.view["division"]["id"]
    assert evening.do("result", match=match, ranks=[1, 2]).status == "done"


def test_who_only_came_to_a_night_is_merged(url: str) -> None:
    """Of them there is neither a match nor a guess; nobody of a name that nobody has is."""
    begin(url, "Annie", "Bob", "Cid", "Dee")
    with open_archive(url) as archive:
        with pytest.raises(InputError, match="there is no player 'Nobody'"):
            merging.merge(archive, "Nobody", "Annie")
        with opened(url) as night:
            night.take(ev.Attend(night.lobby, ("Ann",), spelled={"Ann": "Ann"}))
            night.take(ev.Attend(night.lobby, ("Ann",), ev.OUT))
        before = teams(url)
        assert merging.merge(archive, "Ann", "Annie") == ()
    one = {"Annie": "Ann"}
    assert teams(url) == tuple(tuple(sorted(one.get(each, each) for each in team)) for team in before)


def test_a_match_that_was_taken_back_keeps_nobody_apart(url: str) -> None:
    """Two who were in opposing teams of a game become one once that does not count, and not before."""
    red, blue = begin(url, "Ann", "Bob", "Cid", "Dee")
    one, other = red[0], blue[0]
    with opened(url) as night:
        night.take(ev.Report("", (1.0, 2.0), lobby=night.lobby))
    with pytest.raises(InputError, match="played against each other"):
        by_command(url, one, other)
    with opened(url) as night:
        night.take(ev.Undo("", lobby=night.lobby))
    with pytest.raises(InputError, match=REFUSED):
        by_command(url, one, other)
    with opened(url) as night:
        night.take(ev.Attend(night.lobby, (other,), ev.OUT))
    by_command(url, one, other)
    with open_archive(url) as archive:
        assert archive.merged() == {other: one}


@pytest.fixture
def archive(url: str) -> Iterator[Archive]:
    """Give an archive with a night without teams."""
    with opened(url) as night:
        names = ("Ann", "Bob", "Cid", "Dee")
        night.take(ev.Attend(night.lobby, names, spelled=dict(zip(names, names, strict=True))))
    with open_archive(url) as archive:
        yield archive


@pytest.mark.parametrize("knows", [False, True])
def test_teams_that_are_made_meanwhile_are_looked_at_too(
    archive: Archive, url: str, monkeypatch: pytest.MonkeyPatch, knows: bool
) -> None:
    """Between the look and the merge both get a place: refused, or left to the caller who counts records."""
    usual = archive.merge

    def late(*args: str, **more: object) -> None:
        monkeypatch.setattr(archive, "merge", usual)
        with opened(url) as night:
            night.take(ev.Call(night.lobby))
        usual(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(archive, "merge", late)
    known = len(archive.night_events()) if knows else None
    with pytest.raises(InputError) as refused:
        merging.merge(archive, "Ann", "Bob", known=known)
    assert isinstance(refused.value, TakenMeanwhileError) == knows
    assert (REFUSED in str(refused.value)) != knows
    assert archive.merged() == {}
