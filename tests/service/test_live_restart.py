"""What ``equipoise live`` keeps: the ledger of running games, without a server, from lines of a log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.play.test_evening import TWO

from equipoise.archive.archive import Archive, open_archive
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.play.evening_records import LIVE, taken
from equipoise.service.live_server import BalancedServer, ranges
from equipoise.service.live_settings import Playing
from equipoise.service.pickup_lobbies import Pickups

pytestmark = pytest.mark.slow

IDS = {name: f"{n:X}" * 32 for n, name in enumerate(("ann", "bob", "cid", "dan"), start=10)}


class Server:
    """A log that grows, and the program that follows it; its clock runs as the log says."""

    def __init__(self, archive: Archive, log: Path) -> None:
        self.archive, self.log = archive, log
        self.clock = 0
        self.reported: list[str] = []
        self.begin()

    def close(self) -> None:
        """End it."""
        self.game.close()

    def begin(self) -> None:
        """Begin the program."""
        self.game = BalancedServer(self.archive, Playing(str(self.log)), self.reported.append)
        self.game.step(float(self.clock))

    def write(self, *lines: str) -> None:
        """Let lines be written, a second after those before, and the program read them."""
        self.clock += 1
        with self.log.open("a", encoding="ascii") as log:
            log.writelines(f"{self.clock // 60:3d}:{self.clock % 60:02d} {line}\n" for line in lines)
        self.game.step(float(self.clock))

    def play(self, red: Sequence[str], blue: Sequence[str]) -> None:
        """Let a game be played that red wins."""
        lines = [r"InitGame: \g_gametype\3\mapname\oa_dm5\gamename\baseoa"]
        for slot, name in enumerate((*red, *blue)):
            who = rf"n\{name}\t\{1 if name in red else 2}\model\x\hc\100\id\{IDS[name]}"
            lines += [f"ClientUserinfoChanged: {slot} {who}", f"ClientBegin: {slot}"]
        self.write(*lines)
        self.write("Kill: 0 2 7: a killed b by MOD_ROCKET")
        self.write("Exit: Fraglimit hit.", "red:20  blue:3", "ShutdownGame:")
        self.clock += 20


def test_the_ledger_goes_on_after_a_restart(tmp_path: Path) -> None:
    """What was played before is known after it, once; who is forgotten is gone from it too."""
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}", create=True) as archive:
        server = Server(archive, tmp_path / "games.log")
        server.play(("ann", "bob"), ("cid", "dan"))
        server.play(("ann", "cid"), ("bob", "dan"))
        kept = server.game.session.played.games
        assert [set(game.ranks) for game in kept] == [{-20.0, -3.0}] * 2
        server.close()
        server.begin()
        assert server.game.session.played.games == kept
        server.play(("ann", "dan"), ("bob", "cid"))
        server.close()
        server.begin()
        assert len(server.game.session.played.games) == 3 == archive.count()
        server.close()
        archive.forget(IDS["ann"])
        assert IDS["ann"] not in json.dumps(archive.night_events())
        kinds = [event["kind"] for event in archive.night_events()]
        assert [kind for kind in kinds if kind != "rewritten"] == [LIVE] * 3


def test_what_goes_on_is_kept_for_the_service_without_who_plays(tmp_path: Path) -> None:
    """Map, phase and what each team has; the newest of each server, and no name or id of anybody."""
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}", create=True) as archive:
        server = Server(archive, tmp_path / "games.log")
        server.play(("ann", "bob"), ("cid", "dan"))
        (session,) = archive.sessions()
        assert (session["server"], session["map"], session["phase"]) == ("games.log", "oa_dm5", "chosen")
        assert session["ruleset"] == "openarena/tdm"
        assert [team["players"] for team in session["teams"]] == [2, 2]
        assert sum(team["chance"] for team in session["teams"]) == pytest.approx(1.0)
        assert not any(text in json.dumps(session) for text in (*IDS, *IDS.values()))
        archive.keep_session("another", {**session, "server": "another"})
        assert [each["server"] for each in archive.sessions()] == ["another", "games.log"]
        server.close()


def test_games_of_a_server_change_no_night_and_no_lobby(tmp_path: Path) -> None:
    """They stand in one archive with nights and lobbies, which go on as if they were not there."""
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}", create=True) as archive:
        pickups = Pickups(archive, [TWO])
        server = Server(archive, tmp_path / "games.log")
        pickups.hear("ann", "ann", "!add", 5.0, lambda nick: nick)
        server.play(("ann", "bob"), ("cid", "dan"))
        pickups.hear("bob", "bob", "!add", 6.0, lambda nick: nick)
        server.close()
        assert Pickups(archive, [TWO]).evening.waiting == {"two": ["ann", "bob"]}
        assert [each.event.who for each in taken(archive.night_events()) if hasattr(each.event, "who")] == [
            "ann", "bob",
        ]  # fmt: skip


def test_maps_have_the_range_that_games_have_shown_unless_it_is_set_or_turned_off(tmp_path: Path) -> None:
    """Read off the archive when the program begins."""
    log = str(tmp_path / "games.log")
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}", create=True) as archive:
        matches = []
        for n in range(24):
            size, score = (4, 19.0 - n % 3) if n % 2 else (6, 2.0)
            teams = [[f"p{player}" for player in range(team, size, 2)] for team in (0, 1)]
            contest = Contest(Ruleset("g"), teams, [0.0, 1.0], at=float(n), scores=(20.0, score))
            matches.append(Match([contest], ended=float(n), id=str(n), map="oa_dm5"))
        archive.record(matches)
        assert ranges(archive, Playing(log)) == {"oa_dm5": (0, 4)}
        assert ranges(archive, Playing(log, maps={"oa_dm5": (8, 12)})) == {"oa_dm5": (8, 12)}
        assert ranges(archive, Playing(log, map_ranges=False)) == {}
        server = Server(archive, tmp_path / "games.log")
        server.play(("ann", "bob"), ("cid", "dan"))
        assert server.game.session.state.match.maximum == 4
        server.close()
