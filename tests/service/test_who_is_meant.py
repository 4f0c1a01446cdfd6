"""Who is meant by a name: every door gives the answer of one slow reading of the rules."""

from __future__ import annotations

import json
import shutil
import time
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from tests.cli.running import run
from tests.service.http.asking import Answered
from tests.service.http.asking import ask as asked
from tests.service.process import TOKEN, Served

from equipoise.archive.archive import open_archive
from equipoise.archive.rated_players import people_of, rated
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.errors import InputError
from equipoise.identity.roster_lookup import AmbiguousNameError
from equipoise.play.evening_events import EveningLobby
from equipoise.service.pickup_lobbies import Pickups

pytestmark = pytest.mark.slow

DAY = 86_400.0

#: An id, the name it bore, and how many days ago.
BORN = [
    ("a1", "[UT] Zoë", 2), ("b2", "Max", 3), ("c3", "^1MAX", 4), ("d4", "Kim", 200), ("e5", "Kim", 5),
    ("f6", "Old Hand", 200), ("g7", "Gus", 201), ("name:Finn", "Finn", 6), ("h8", "Rex", 202),
    ("i9", "rex", 203), ("j0", "Ida", 91), ("k1", "ida", 89),
]  # fmt: skip
MERGED = {"g7": "a1"}

#: What people type: ids, merged ids, names in every spelling, of one, of several, of nobody.
TYPED = [
    "a1", "zoe", "^2[xo]ZOË", "b2", "max", "Kim", "old hand", "g7", "Gus", "finn", "name:Finn", "Rex", "h8",
    "Ida", "Elm17", "nobody here",
]  # fmt: skip


def expected(typed: str) -> set[str]:
    """Return who may be meant, by one rule after the other."""

    def said(name: str) -> str:
        for ornament in ("^1", "^2", "[UT] ", "[xo]"):
            name = name.replace(ornament, "")
        letters = unicodedata.normalize("NFD", name.removeprefix("name:"))
        return "".join(each for each in letters if not unicodedata.combining(each)).lower()

    people = [(MERGED.get(player, player), name, days) for player, name, days in BORN]
    one = MERGED.get(typed, typed)
    if one in {player for player, _, _ in people}:
        return {one}
    bearers = [(player, days) for player, name, days in people if said(name) == said(typed)]
    return {player for player, days in bearers if days <= 90} or {player for player, _ in bearers}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an archive in which each of them played against somebody."""
    path: Path = tmp_path_factory.mktemp("who") / "games.db"
    now = time.time()
    with open_archive(f"sqlite:///{path}") as archive:
        matches = []
        for n, (player, name, days) in enumerate(BORN):
            contest = Contest(Ruleset("oa", "ctf"), ((player,), (f"sparring {n}",)), (1, 2))
            names = ((player, name), (f"sparring {n}", f"Sparring {n}"))
            matches.append(Match((contest,), ended=now - days * DAY, id=f"m{n}", names=names))
        archive.record(matches)
        for leaf, root in MERGED.items():
            archive.merge(root, leaf)
        archive.update_ratings()
    return path


def one_of(answers: Callable[[str], set[str]]) -> None:
    """Hold a door to the oracle: all that may be meant, or nobody."""
    assert {typed: answers(typed) for typed in TYPED} == {typed: expected(typed) for typed in TYPED}


def test_the_oracle_has_every_kind_of_answer() -> None:
    """One, several, nobody."""
    assert {min(len(expected(typed)), 2) for typed in TYPED} == {0, 1, 2}


def test_the_library_knows(store: Path) -> None:
    """By the look-up, and for players who are here."""
    with open_archive(f"sqlite:///{store}") as archive:
        standing, merged = archive.standing(), archive.merged()
        lookup = people_of(standing, merged, time.time())

        def looked_up(typed: str) -> set[str]:
            try:
                found = lookup.id_of(typed)
            except AmbiguousNameError as error:
                return {player for player, _ in error.candidates}
            return set() if found is None else {found}

        def here(typed: str) -> set[str]:
            try:
                found = rated(standing, [typed], None, merged, time.time())
            except AmbiguousNameError as error:
                return {player for player, _ in error.candidates}
            return set() if found.strangers else {found.players[0].id}

        one_of(looked_up)
        one_of(here)


def candidates(text: str) -> set[str]:
    """Return those of the known ids that a message names."""
    assert "several" in text, text
    listed = text.partition("several: ")[2].partition("; give an id")[0]
    return {each.partition(" (")[0] for each in listed.split(", ")}


class CommandLine:
    """Commands on a fresh copy of an archive, and who they take somebody for."""

    def __init__(self, store: Path, folder: Path) -> None:
        self.store, self.folder = store, folder
        self.copy = folder / "copy.db"
        self.url = f"sqlite:///{self.copy}"

    def through(self, *command: str) -> tuple[int, str, str]:
        """Run a command; return its exit code, output and messages."""
        shutil.copy(self.store, self.copy)
        done = run(*command, "--store", self.url)
        return done.returncode, done.stdout, done.stderr

    def players(self, typed: str) -> set[str]:
        """Ask for the games of a player."""
        code, out, err = self.through("players", "--json", typed)
        if code:
            return candidates(err) if "several" in err else set()
        return {json.loads(out)["id"]}

    def balance(self, typed: str) -> set[str]:
        """Divide a roster beside the archive, which rates somebody as whoever is meant or says who is new."""

        def totals(name: str) -> tuple[int, Any, str]:
            roster = self.folder / "roster.csv"
            roster.write_text(f'name\n"{name}"\nQuite Another\n', encoding="utf-8")
            code, out, err = self.through("balance", str(roster), "--json")
            return code, json.loads(out)["splits"][0]["totals"] if not code else None, err

        code, found, err = totals(typed)
        if code:
            return candidates(err)
        new = err.partition("rated as new: ")[2].splitlines()[0].split(", ")
        one = expected(typed)
        if typed in new or len(one) != 1:
            return set()
        return one if totals(min(one))[1] == found else {"somebody else"}

    def night(self, typed: str) -> set[str]:
        """Gather a night, which says who is new."""
        code, _, err = self.through("night", "teams", typed, "Quite Another", "--new", typed)
        if code:
            return candidates(err)
        table = json.loads(run("night", "table", "--json", "--store", self.url).stdout)
        (found,) = [row["id"] for row in table["players"] if row["name"] != "Quite Another"]
        assert (found == typed and not expected(typed)) == (
            typed in err.partition("new: ")[2].splitlines()[0]
        )
        return {found} if expected(typed) else set()

    def results(self, typed: str) -> set[str]:
        """Read a table of past results."""
        table = self.folder / "past.csv"
        today = time.strftime("%Y-%m-%d")
        table.write_text(f'date,winner,loser\n{today},"{typed}",Quite Another\n', encoding="utf-8")
        code, _, err = self.through("import-results", str(table))
        if code:
            return candidates(err)
        with open_archive(self.url) as archive:
            (match,) = [each for each in archive.matches() if "Quite Another" in each.roster]
        (found,) = set(match.roster) - {"Quite Another"}
        return {found} if found != typed or expected(typed) else set()

    def starting(self, typed: str) -> set[str]:
        """Give starting weights."""
        roster = self.folder / "start.csv"
        roster.write_text(f'name,weight\n"{typed}",1500\nUnmet A,1400\nUnmet B,1600\n', encoding="utf-8")
        code, _, err = self.through("archive", "rebuild", "--starting", str(roster))
        if code:
            return candidates(err)
        with open_archive(self.url) as archive:
            guesses = archive.chosen_model.starting  # type: ignore[attr-defined]
        (found,) = {player for player, *_ in guesses} - {"Unmet A", "Unmet B"}
        return {found} if found != typed or expected(typed) else set()

    def merged(self, typed: str) -> set[str]:
        """Merge two, who never played against each other."""
        own = "sparring 5" if typed != "old hand" else "sparring 0"
        code, out, err = self.through("merge", own, typed, "--json")
        if code:
            return candidates(err) if "several" in err else set()
        return {json.loads(out)["other"]}

    def forgotten(self, typed: str) -> set[str]:
        """Forget somebody."""
        code, _, err = self.through("forget", typed)
        if code:
            return candidates(err) if "several" in err else set()
        with open_archive(self.url) as archive:
            left = {player for player, _ in archive.standing().games}
        return {MERGED.get(player, player) for player, _, _ in BORN} - left


@pytest.mark.parametrize(
    "door", ["players", "balance", "night", "results", "starting", "merged", "forgotten"]
)
def test_the_command_line_knows(store: Path, tmp_path: Path, door: str) -> None:
    """A player's games, a night, past results, starting weights, corrections."""
    one_of(getattr(CommandLine(store, tmp_path), door))


def ask(url: str, body: object = None, **headers: str) -> Answered:
    """Ask, and again for as long as a server on a busy machine says that it is busy."""
    for _ in range(100):
        answer = asked(url, body, **headers)
        if answer.status not in (429, 503):
            break
    return answer


@pytest.fixture(scope="module")
def served(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a server of the archive."""
    copy: Path = tmp_path_factory.mktemp("served") / "games.db"
    shutil.copy(store, copy)
    server = Served(copy, "--http", "127.0.0.1:0", "--http-rate", "1e6", "--token-rate", "1e6")
    yield server
    assert server.end()[0] == 0


def elo_of(served: Served, player: str) -> dict[str, Any]:
    """Return the row of an id as minqlx has it."""
    row: dict[str, Any] = ask(f"{served.http}/elo/{quote(player, safe='')}").plain["players"][0]
    return row


def test_other_services_questions_know(served: Served) -> None:
    """Those of minqlx and of SPADS, for a rating and for teams."""

    def asked_of(url: str, body: bytes | None = None) -> tuple[Any, set[str] | None]:
        answer = ask(f"{served.http}{url}", body)
        several = {each["id"] for each in answer.plain["candidates"]} if answer.status == 409 else None
        return answer.plain, several

    def minqlx(typed: str) -> set[str]:
        found, several = asked_of(f"/elo/{quote('a1+' + typed, safe='+')}")
        if several is not None:
            return several
        rows = [row for row in found["players"] if row["steamid"] == typed]
        same = [row == {**elo_of(served, each), "steamid": typed} for row in rows for each in expected(typed)]
        return expected(typed) if all(same) and len(rows) == len(expected(typed)) else {"others"}

    def spads(typed: str) -> set[str]:
        rating = "/teiserver/api/spads/get_rating"
        found, several = asked_of(f"{rating}/{quote(typed, safe='')}/ctf")
        if several is not None:
            return several
        return {each for each in expected(typed) if asked_of(f"{rating}/{each}/ctf")[0] == found}

    def battle(typed: str) -> set[str]:
        form = urlencode({"players": {typed: {}, "sparring 0": {}}, "nbTeams": 2}).encode()
        found, several = asked_of("/teiserver/api/spads/balance_battle", form)
        if several is not None:
            return several
        assert set(found["player_assign_hash"]) == {typed, "sparring 0"}
        return expected(typed)

    for door in (minqlx, spads, battle):
        one_of(door)


def test_http_knows(served: Served) -> None:
    """A player, a player's games, the list, the board's question, and results."""

    def card(typed: str) -> set[str]:
        answer = ask(f"{served.http}/v1/players/{quote(typed, safe='')}")
        if answer.status == 409:
            return {each["id"] for each in answer.plain["candidates"]}
        return set() if answer.status == 404 else {answer.plain["id"]}

    def games(typed: str) -> set[str]:
        answer = ask(f"{served.http}/v1/players/{quote(typed, safe='')}/history")
        if answer.status == 409:
            return {each["id"] for each in answer.plain["candidates"]}
        return set() if answer.status == 404 else {answer.plain["id"]}

    def board(typed: str) -> set[str]:
        (meant,) = ask(f"{served.http}/v1/who", {"names": [typed]}).plain["people"]
        return {each["id"] for each in meant["candidates"]}

    def result(typed: str) -> set[str]:
        body = {"id": f"r-{typed}", "game": "oa", "game_type": "ctf", "scores": [1, 0],
                "teams": [[typed], ["sparring 0"]]}  # fmt: skip
        answer = ask(f"{served.http}/v1/results", body, Authorization=f"Bearer {TOKEN}")
        if answer.status == 409:
            return {each["id"] for each in answer.plain["candidates"]}
        assert answer.status == 201, answer.body
        new = answer.plain["new_players"]
        assert new == ([] if expected(typed) else [typed])
        again = ask(f"{served.http}/v1/results", body, Authorization=f"Bearer {TOKEN}")
        assert (again.status, again.plain["new"]) == (200, False)
        return set() if new else {answer.plain["people"].get(typed, typed)}

    for door in (card, games, board):
        one_of(door)
    for typed in TYPED:
        listed = {row["id"] for row in ask(f"{served.http}/v1/players?q={quote(typed)}").plain["players"]}
        if typed not in MERGED:  # the list has no merged ids
            assert expected(typed) <= listed
    one_of(result)


def test_the_weight_protocol_knows(store: Path, tmp_path: Path) -> None:
    """Weights, and results of games."""
    copy = tmp_path / "games.db"
    shutil.copy(store, copy)
    server = Served(copy, "--token-rate", "1e6")

    def weight(typed: str) -> set[str]:
        answer = server.ask(f"GAME oa/ctf\nPLAYER {typed}\n").strip()
        if answer.startswith("ERR"):
            assert answer.startswith("ERR ambiguous-name ")
            return candidates(answer)
        weights = {
            player: server.ask(f"GAME oa/ctf\nPLAYER {player}\n").split()[-1] for player in expected(typed)
        }
        return {player for player, known in weights.items() if answer == f"PLAYER {typed} {known}"} or (
            set() if answer == f"PLAYER {typed}" else {answer}
        )

    one_of(weight)
    for n, typed in enumerate(TYPED):
        line = f"AUTH {TOKEN}\nGAME oa/ctf\nRESULT r{n}\t1 0\t0 PLAYER {typed}\t1 PLAYER sparring 1\n"
        answer = server.ask(line).splitlines()[-1]
        assert answer.split()[0] == ("ERR" if len(expected(typed)) > 1 else "RESULT")
    assert server.end()[0] == 0
    with open_archive(f"sqlite:///{copy}") as archive:
        kept = {match.id: set(match.roster) - {"sparring 1"} for match in archive.matches()}
    for n, typed in enumerate(TYPED):
        if len(expected(typed)) < 2:
            assert kept[f"r{n}"] == (expected(typed) or {typed})


def test_a_chat_knows_and_takes_nobody_for_one_of_several(store: Path, tmp_path: Path) -> None:
    """There, the nick of several is nobody known until somebody says who it is."""
    copy = tmp_path / "games.db"
    shutil.copy(store, copy)
    with open_archive(f"sqlite:///{copy}") as archive:
        pickups = Pickups(archive, [EveningLobby("duel", 2, 1)])
        for typed in TYPED:
            meant = expected(typed)
            known = pickups.kept.known_as([f"~{typed}"], time.time())[f"~{typed}"]
            assert known == (next(iter(meant)) if len(meant) == 1 else f"~{typed}")


def test_a_chat_asks_who_of_several_is_meant(store: Path, tmp_path: Path) -> None:
    """Whoever adds under the name of several is told of whom, and so is who asks for a rank."""
    copy = tmp_path / "games.db"
    shutil.copy(store, copy)
    with open_archive(f"sqlite:///{copy}") as archive:
        archive.update_ratings()
        pickups = Pickups(archive, [EveningLobby("duel", 2, 1)])
        for typed in TYPED:
            several = expected(typed) if len(expected(typed)) > 1 else set()
            for nick, words in ((typed, "!add duel"), ("somebody", f"!rank {typed}")):
                pickups.names.clear()
                heard = pickups.hear(f"~{nick}", nick, words, time.time(), lambda _: None)
                asked = [each.text.partition(": you count")[0] for each in heard if "several" in each.text]
                assert set().union(*map(candidates, asked)) == several, (words, heard)
                assert {each.to for each in heard if "several" in each.text} <= {f"~{nick}"}
            pickups.hear(f"~{typed}", typed, "!leave", time.time(), lambda _: None)


def test_answers_for_scripts(store: Path, tmp_path: Path) -> None:
    """A name of several is answered by ``--who``, and refused where the answer is none of them."""
    copy = tmp_path / "games.db"
    shutil.copy(store, copy)
    url = f"sqlite:///{copy}"
    asked = run("night", "teams", "Max", "Kim", "--store", url)
    assert asked.returncode == 1
    assert "--who Max=b2" in asked.stderr
    assert run("night", "teams", "Max", "Kim", "--who", "Max=a1", "--store", url).returncode == 1
    assert run("night", "teams", "Max", "Kim", "--who", "max=c3", "--store", url).returncode == 0
    table = json.loads(run("night", "table", "--json", "--store", url).stdout)["players"]
    assert {row["id"] for row in table} == {"c3", "e5"}


def test_two_names_of_one_person_are_refused(store: Path) -> None:
    """Where a match would have somebody twice."""
    with open_archive(f"sqlite:///{store}") as archive, pytest.raises(InputError, match="one player"):
        rated(archive.standing(), ["zoe", "g7"], None, archive.merged(), time.time())
