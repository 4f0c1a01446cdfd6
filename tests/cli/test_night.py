"""``equipoise night``: from names to teams, results and better teams, and every step back."""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import runner

from equipoise.archive.archive import open_archive
from equipoise.cli import group
from equipoise.core.win_probability import LOGISTIC_SLOPE
from equipoise.errors import ALIKE, EquipoiseError, nearest
from equipoise.play.evening_events import Attend
from equipoise.service.kept_evening import KeptEvening

THIRTEEN = """# Tonight
1. Amber + Birch
2. Cedar 1500
3. Dahlia 1350
4. Elm 1420
5. Fir + Gorse
6. Hazel 1700
7. Iris 1210
8. Juniper 1300
9. Kale
10. Laurel 1600
11. Maple 1100
"""


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the user's data be in a folder of the test."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("EQUIPOISE_STORE", raising=False)
    return tmp_path / "data"


def night(*args: str, fails: int = 0, given: str = "") -> str:
    """Take a step and return what it prints, or its message where it must fail."""
    done = runner().invoke(group, ["night", *args], input=given)
    if isinstance(done.exception, EquipoiseError):
        assert fails == 1, str(done.exception)
        return str(done.exception)
    assert done.exit_code == fails, done.output
    return done.stderr if fails else done.stdout


def plain(*args: str, **more: Any) -> Any:
    """Take a step and return what it prints as JSON."""
    return json.loads(night(*args, "--json", **more))


def players(folder: Path) -> str:
    """Return the ratings of the usual archive, bit for bit."""
    url = f"sqlite:///{folder / 'equipoise' / 'night.db'}"
    done = runner().invoke(group, ["players", "--store", url, "--json"])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_weekly_night(data_folder: Path) -> None:
    """Thirteen people, two duos, two apart, a beginner: teams, a result, the next teams, the next week."""
    first = plain("-", "--apart", "Hazel,Laurel", given=THIRTEEN)
    (split,) = first["splits"]
    assert (first["status"], sorted(map(len, split["teams"]))) == ("optimal", [6, 7])
    for team in split["teams"]:
        assert ("Amber" in team) == ("Birch" in team)
        assert ("Fir" in team) == ("Gorse" in team)
        assert not {"Hazel", "Laurel"} <= set(team)
    answer = plain("won", "red")
    assert (answer["match"], answer["status"]) == (first["id"], "new")
    gained = {each["id"]: each["change"] for each in answer["changes"]}
    # The guesses are weighed anew by the result: a strong guess may lose a little with a team that won.
    won, lost = (sum(gained[player] for player in team) for team in split["teams"])
    assert won > 0 > lost
    assert (data_folder / "equipoise" / "night.db").exists()
    again = plain("again")
    assert {frozenset(team) for team in again["splits"][0]["teams"]} != {frozenset(t) for t in split["teams"]}
    assert plain("score", "3", "1")["match"] == again["id"]
    week = plain("Amber", "birch", "Hazel", "LAUREL", "Kale", "Elm")
    assert "LAUREL" in week["here"]
    assert not any({"Hazel", "LAUREL"} <= set(team) for team in week["splits"][0]["teams"])
    table = {row["id"]: row for row in plain("table")["players"]}
    assert (len(table), table["Laurel"]["name"], table["Laurel"]["played"]) == (13, "LAUREL", 2)
    assert table["Cedar"]["starting"] == 1500.0


def test_one_player_more_is_worth_what_the_ratings_say() -> None:
    """Of seven who hardly differ the larger team is ahead, and later the ratings tell by how much."""
    answer = plain("Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus")
    assert max(answer["splits"][0]["win_probability"]) > 0.6
    for _ in range(3):
        known = {row["id"]: row for row in plain("table")["players"]}
        noise = math.sqrt(math.fsum(1.0 + row["sigma"] ** 2 for row in known.values()))
        (split,) = answer["splits"]
        one, other = (math.fsum(known[each]["mu"] for each in team) for team in split["teams"])
        expected = 1.0 / (1.0 + math.exp(LOGISTIC_SLOPE * (other - one) / noise))
        assert split["win_probability"][0] == pytest.approx(expected)
        night("won", "Ann")
        answer = plain("again")


@pytest.mark.slow
def test_an_undone_night_leaves_the_ratings_bit_for_bit(data_folder: Path) -> None:
    """Every step back, starting weights too, which others' ratings depend on."""
    night("Amber", "Birch", "Cedar", "Dahlia")
    night("won", "1", "--at", "2026-01-05")
    before, table = players(data_folder), plain("table")
    taken = [
        ["Amber 9", "Birch 7", "Cedar 5", "Elm 3", "--new", "Elm"],
        ["score", "5", "2"],
        ["late", "Fir"],
        ["again"],
        ["leave", "Amber"],
        ["sub", "Dahlia", "for", "Fir"],
        ["draw"],
    ]
    for step in taken:
        night(*step)
    assert players(data_folder) != before
    undone = [plain("undo")["step"] for _ in taken]
    assert undone == ["result", "teams", "teams", "teams", "teams", "result", "teams"]
    assert players(data_folder) == before
    assert plain("table") == table


def test_undo_names_the_step_it_takes_back(data_folder: Path) -> None:
    """The last one but for those who came by themselves since, as on a page, who have still done so."""
    night("Amber", "Birch", "Cedar", "Dahlia")
    match = plain("won", "1")["match"]
    with open_archive(f"sqlite:///{data_folder / 'equipoise' / 'night.db'}") as archive:
        coming = Attend("night", ("Gorse",), spelled={"Gorse": "Gorse"}, who="Gorse")
        assert not KeptEvening(archive).take(coming, strictly=True).refused
    undone = plain("undo")
    assert (undone["step"], undone["match"], bool(undone["changes"])) == ("result", match, True)
    assert "Gorse" in json.dumps(plain("table")["teams"])


@pytest.mark.slow
def test_a_corrected_result_counts_as_if_it_had_been_reported_so(data_folder: Path) -> None:
    """Taken back and reported otherwise: the same match, the ratings of that result alone."""
    night("Amber", "Birch", "Cedar", "Dahlia")
    match = plain("won", "red", "--at", "2026-01-05")["match"]
    right = players(data_folder)
    undone = plain("undo")
    assert (undone.pop("changes")[0]["change"], undone) == (
        21, {"match": match, "status": "undone", "step": "result"},
    )  # fmt: skip
    assert plain("won", "blue", "--at", "2026-01-06")["status"] == "new"
    assert players(data_folder) != right
    night("undo")
    night("won", "red", "--at", "2026-01-05")
    assert players(data_folder) == right
    assert plain("won", "red") == {"match": match, "status": "known", "changes": []}
    assert players(data_folder) == right


@pytest.mark.slow
def test_a_misspelt_name_is_asked_about_and_not_added() -> None:
    """With the nearest name and the way to say that somebody is new; in an empty archive all are new."""
    night("Amber", "Birch", "Cedar", "Dahlia")
    message = night("Ambre", "Birch", "Cedar", "Dahlia", fails=2)
    assert "there is no 'Ambre'; did you mean 'Amber'?" in message
    assert "--new 'Ambre'" in message
    assert len(plain("table")["players"]) == 4
    assert "did you mean 'Cedar'?" in night("leave", "Ceder", fails=1)
    assert "Ambre" in plain("Ambre", "Birch", "Cedar", "--new", "Ambre")["here"]
    assert "Zoe" in plain("late", "Zoe")["here"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "code", "here"),
    [
        (b"y\n", 0, ["Amber", "Birch", "Cedar", "Dahlia"]),
        (b"n\n", 0, ["Ambre", "Birch", "Cedar", "Dahlia"]),
        (b"\x04", 130, None),
    ],
)
def test_at_a_terminal_a_slip_is_asked_about(answer: bytes, code: int, here: list[str] | None) -> None:
    """Who is meant keeps the spelling, who is not is new, and an end takes no step."""
    night("Amber", "Birch", "Cedar", "Dahlia")
    before = plain("table")
    words = [sys.executable, "-m", "equipoise", "night", "Ambre", "Birch", "Cedar", "Dahlia"]
    pty = pytest.importorskip("pty", reason="there are no terminals here")
    child, terminal = pty.fork()
    if not child:
        os.execv(sys.executable, words)  # noqa: S606  # it needs a terminal of its own
    shown = b""
    while b"]: " not in shown:
        shown += os.read(terminal, 1000)
    os.write(terminal, answer)
    with contextlib.suppress(OSError):  # how a terminal ends
        while os.read(terminal, 1000):
            pass
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == code
    os.close(terminal)
    assert b"Do you mean 'Amber'?" in shown
    if here is None:
        assert plain("table") == before
    else:
        assert sorted(row["name"] for row in plain("table")["players"] if row["here"]) == here


@pytest.mark.slow
def test_a_misspelt_step_is_asked_about_and_makes_no_teams() -> None:
    """Words that are few and begin like a step are no names, unless somebody is called so."""
    night("Amber", "Birch", "Cedar", "Drew")
    for words, step in (
        (["wno", "red"], "won"), (["lat", "Elm"], "late"), (["unod"], "undo"), (["agian"], "again"),
        (["sbu", "Elm", "for", "Birch"], "sub"),
    ):  # fmt: skip
        assert f"did you mean '{step}'?" in night(*words, fails=2)
    assert plain("Drew", "Amber")["here"] == ["Drew", "Amber"]
    assert plain("Tabel", "Amber", "--new", "Tabel")["here"] == ["Tabel", "Amber"]


@pytest.mark.parametrize("later", ["Ann 1\nBob 2\nCid 8\nDee 9\n", None])
def test_starting_weights_of_a_night_yield_to_a_later_choice(
    later: str | None, tmp_path: Path, data_folder: Path
) -> None:
    """What is chosen for the archive holds through every step, a look and an undo; new weights come after."""
    night("Ann 1900", "Bob 1400", "Cid 1300", "Dee 1000")
    night("won", "red", "--at", "2026-01-05")
    (tmp_path / "later.txt").write_text(later or "")
    given = "none" if later is None else str(tmp_path / "later.txt")
    store = f"sqlite:///{data_folder / 'equipoise' / 'night.db'}"
    runner().invoke(group, ["archive", "rebuild", "--starting", given, "--store", store])
    chosen = players(data_folder)
    for step in (["table"], ["late", "Fay"], ["undo"], ["table"]):
        night(*step)
        assert players(data_folder) == chosen
    night("Ann", "Bob", "Cid", "Eve 9", "--new", "Eve")
    assert {row["name"]: row["starting"] for row in plain("table")["players"]}["Eve"] == 9.0
    night("undo")
    assert players(data_folder) == chosen


def test_a_typed_number_is_a_starting_weight_unless_it_belongs_to_a_known_name() -> None:
    """As the help says; what is taken for a weight is said, and the other way is an option."""
    done = runner().invoke(group, ["night", "Amber 1500", "Birch 1400", "Cedar", "Elm", "Fir"])
    assert done.exit_code == 0, done.output
    assert "Starting weights: Amber (1500), Birch (1400); --read names" in done.stderr
    starting = {row["name"]: row["starting"] for row in plain("table")["players"]}
    assert starting == {"Amber": 1500.0, "Birch": 1400.0, "Cedar": None, "Elm": None, "Fir": None}
    assert "Agent 47" in plain("Agent 47", "Amber", "Birch", "Cedar", "--read", "names")["here"]
    assert "several ways" in night("Agent 47", "Amber", "Birch", "Cedar", fails=1)
    assert "several ways" in night("-", given="Cedar 1500\nElm\nFir\nGorse\n", fails=1)


def test_a_name_that_is_a_step_is_refused_with_the_way_to_write_it() -> None:
    """In a paste it needs nothing."""
    assert "'late' is a step" in night("Amber", "late", "Birch", fails=2)
    assert "late" in plain("Amber", '"late"', "Birch")["here"]
    assert "undo" in plain("-", given="Amber\nundo\nBirch\n")["here"]


@pytest.mark.slow
def test_quotes_around_a_name_mean_the_same_in_every_step() -> None:
    """Whoever is called like a step comes late, replaces, wins and leaves under the name without quotes."""
    night("Amber", "Birch", "Cedar")
    assert "won" in plain("late", '"won"')["here"]
    assert "draw" in plain("sub", '"draw"', "for", "Cedar")["here"]
    assert plain("won", '"draw"')["status"] == "new"
    assert "won" not in plain("leave", '"won"')["here"]
    assert "in two pairs of quotes" in night("late", "again", fails=2)
    for step in ("late", "leave", "won"):
        assert night(step, '""', fails=2)
    assert plain("undo")["step"] == "teams"


@pytest.mark.slow
def test_late_comers_are_written_as_the_first_ones() -> None:
    """Two who stay together, with starting weights, and taken back with them."""
    night("Amber 5", "Birch 4", "Cedar 3", "Dahlia 2")
    before = plain("table")
    late = plain("late", "Elm 9 + Fir 1")
    assert any({"Elm", "Fir"} <= set(team) for team in late["splits"][0]["teams"])
    rows = {row["name"]: row for row in plain("table")["players"]}
    assert (rows["Elm"]["starting"], rows["Fir"]["starting"]) == (9.0, 1.0)
    assert rows["Elm"]["mu"] > rows["Amber"]["mu"]
    night("undo")
    after = plain("table")
    assert [row for row in after["players"] if row["here"]] == before["players"]
    assert (after["id"], after["teams"]) == (before["id"], before["teams"])


@pytest.mark.parametrize(
    "text",
    [
        "name,weight\nAnn,1500\nBob,1400\nCid,1300\nFay,\n",
        "| Name | Elo |\n|---|---|\n| Ann | 1500 |\n| Bob | 1400 |\n| Cid | 1300 |\n| Fay | |\n",
        '[{"name": "Ann", "mu": 1500}, {"name": "Bob", "mu": 1400}, {"name": "Cid", "mu": 1300}, "Fay"]',
        "Ann (1500)\nBob (1400)\nCid (1300)\nFay\n",
    ],
)
def test_a_night_reads_every_roster(text: str) -> None:
    """What balance reads from standard input is who is here, with the weights and the parties."""
    assert plain("-", given=text)["here"] == ["Ann", "Bob", "Cid", "Fay"]
    starting = {row["name"]: row["starting"] for row in plain("table")["players"]}
    assert starting == {"Ann": 1500.0, "Bob": 1400.0, "Cid": 1300.0, "Fay": None}


def test_a_night_says_which_columns_it_leaves_out() -> None:
    """Two rows are enough for a table, and a mistake has its line."""
    done = runner().invoke(group, ["night", "-"], input="name,mu,sigma,bot\nAnn,15,3,yes\nBob,14,4,no\n")
    assert done.exit_code == 0, done.output
    left_out = "note: a night takes names, weights and parties, and leaves out: bot, sigma\n"
    assert done.stderr.startswith(left_out)
    wrong = night("-", given="name,weight\nAnn,15\nBob,x\n", fails=1)
    assert wrong.startswith("standard input, line 3: weight 'x' is not a number")


@pytest.mark.parametrize("step", [["late", "Max 9"], ["sub", "Max 9", "for", "Bob"]])
def test_a_new_comer_is_written_as_the_first_ones(step: list[str]) -> None:
    """A weight is one in every step, and goes with the step when that is taken back."""
    night("Ann 5", "Bob 4", "Cid 3", "Dee 2")
    assert "Max" in plain(*step)["here"]
    assert {row["name"]: row["starting"] for row in plain("table")["players"]}["Max"] == 9.0
    night("undo")
    assert "Max" not in {row["name"] for row in plain("table")["players"]}


@pytest.mark.parametrize(
    ("steps", "noted"),
    [
        ([["Ann 9000", "Bob 1", "Cid", "Dee"], ["late", "Kale 500"]], [True, False]),
        (
            [["Ann", "Bob", "Cid", "Dee"], ["late", "Kale 9000"], ["sub", "Max 1", "for", "Bob"]],
            [False, True, True],
        ),
        ([["Ann 5", "Bob 5", "Cid 5", "Dee"], ["late", "Kale 6"]], [True, False]),
        ([["Ann 5", "Bob 4", "Cid 3", "Dee"], ["late", "Kale"]], [False, False]),
    ],
)
def test_starting_weights_that_change_nothing_yet_are_noted(
    steps: list[list[str]], noted: list[bool]
) -> None:
    """Fewer than three, or all alike, say nothing of who is better: whoever gives one is told so."""
    for step, note in zip(steps, noted, strict=True):
        done = runner().invoke(group, ["night", *step])
        assert done.exit_code == 0, done.output
        assert ("note: starting weights change nothing before 3 players" in done.stderr) is note


def test_players_and_histories_are_those_of_the_usual_archive(data_folder: Path) -> None:
    """Where a night is kept unless something else is said, and nothing is made by looking."""
    asked = (["players"], ["players", "Ann"])
    for command in asked:
        done = runner().invoke(group, command)
        assert "night.db" in str(done.exception)
    assert not list(data_folder.rglob("*.db"))
    night("Ann", "Bob")
    night("won", "Ann")
    url = f"sqlite:///{data_folder / 'equipoise' / 'night.db'}"
    for command in asked:
        done = runner().invoke(group, command)
        assert done.exit_code == 0, done.output
        assert done.stdout == runner().invoke(group, [*command, "--store", url]).stdout


def test_one_place_is_for_one() -> None:
    """Two who stay together do not fit into it, and a step is no name."""
    night("Ann", "Bob", "Cid", "Dee")
    for words in (["Zed + Yak"], ["Zed", "+", "Yak"], ["Zed, Yak"]):
        assert "one place, but Zed and Yak" in night("sub", *words, "for", "Ann", fails=2)
    assert "in two pairs of quotes" in night("sub", "again", "for", "Ann", fails=2)


@pytest.mark.slow
def test_one_name_is_no_pair() -> None:
    """Of all options that take pairs."""
    for option in ("--apart", "--prefer", "--avoid", "--not-apart", "--no-matter"):
        for pair in ("Amber,amber", "Amber,Amber"):
            assert f"{option} must name" in night("Amber", "Birch", "Cedar", option, pair, fails=1)


def test_help_among_names_is_the_help() -> None:
    """Wherever it stands, and nobody is taken for a step."""
    for words in (["Amber", "--help"], ["Amber", "Birch", "-h"], ["--json", "Amber", "--help"]):
        assert "names in, teams out" in night(*words)


@pytest.mark.slow
def test_hostile_names_are_shown_harmless_and_come_back_whole() -> None:
    """Control signs, quotes, SQL, words of the events; ids, and a name twice in any case, are refused."""
    names = ["Robert'); DROP TABLE match;--", "kind", "日本", "botany", "a" * 200, "Ann\u202e"]
    reported = plain("-", given="\n".join(f'"{name}"' for name in names))
    assert len(reported["here"]) == 6
    assert "\u202e" not in night("table")
    assert plain("won", "1")["status"] == "new"
    assert "choose one with --read alike-one|alike-two" in night("Amber", "AMBER", fails=1)
    assert "Amber" in night("Amber", "Amber", fails=1)
    assert "cannot begin with 'bot:'" in night("Amber", "bot:Xan:5", fails=1)


@pytest.mark.slow
def test_sitting_out_goes_round() -> None:
    """Five play two against two: after five games everyone has sat out once."""
    out = [plain("Ann", "Bob", "Cid", "Dan", "Eve", "--size", "2")["out"]]
    night("draw")
    for _ in range(4):
        out.append(plain("again")["out"])
        night("draw")
    assert sorted(name for names in out for name in names) == ["Ann", "Bob", "Cid", "Dan", "Eve"]


def test_who_comes_and_goes_changes_the_teams_as_little_as_can_be() -> None:
    """A substitute takes the place, a latecomer the smaller team, and who is in no team is found out."""
    teams = plain("Ann", "Bob", "Cid", "Dan", "Eve")["splits"][0]["teams"]
    small = min(range(2), key=lambda n: len(teams[n]))
    late = plain("late", "Fay")["splits"][0]
    assert late["moved"] == []
    assert "Fay" in late["teams"][small]
    sub = plain("sub", "Gus", "for", "Fay")["splits"][0]
    assert "Gus" in sub["teams"][small]
    assert "Fay" not in sub["teams"][small]
    assert "Fay" not in plain("leave", "Gus")["here"]
    assert "'Gus' is not here" in night("leave", "Gus", fails=1)
    assert "write who comes in for whom" in night("sub", "Ann", "Bob", fails=2)


def test_what_makes_no_sense_is_said_without_a_traceback() -> None:
    """No teams, no steps, too few players, numbers that are none, a result of another match."""
    assert "there are no teams yet" in night("won", "red", fails=1)
    assert "no step to take back" in night("undo", fails=1)
    assert "at least 2, got 1" in night("Ann", fails=1)
    assert "Nobody has come" in night("table")
    night("Ann", "Bob", "Cid")
    assert "one number for each of 2 teams, got 3" in night("score", "1", "2", "3", fails=1)

    for scores in (["nan", "1"], ["inf", "-inf"]):
        night("score", *scores, fails=1)
    assert "the current teams are" in night("won", "red", "--match", "m7", fails=1)
    assert "ahead of this machine's clock" in night("draw", "--at", "2999-01-01", fails=1)
    assert plain("score", "-1", "-3")["status"] == "new"


def test_rules_that_contradict_each_other_take_no_step() -> None:
    """A duo that is apart is refused, and the night is as before."""
    night("Ann", "Bob", "Cid", "Dan")
    before = plain("table")
    night("Ann + Bob", "Cid", "Dan", "--apart", "Ann,Bob", fails=1)
    assert plain("table") == before


@pytest.mark.slow
def test_preferences_are_remembered_and_taken_back() -> None:
    """What they come to is in the table; --no-matter ends them."""
    reported = plain("Ann 9", "Bob 8", "Cid 2", "Dan 1", "--prefer", "Ann,Bob", "--avoid", "Cid,Dan")
    unmet = {frozenset(pair) for pair in ({"Ann", "Bob"}, {"Cid", "Dan"})}
    assert {frozenset(each["players"]) for each in reported["splits"][0]["wishes"]} == unmet
    assert "Ann and Bob are apart this time." in night("again", "--same")
    night("won", "red")
    row = next(row for row in plain("table")["players"] if row["name"] == "Ann")
    assert (row["unmet"], sum(row["with"].values()), sum(row["against"].values())) == (1, 1, 2)
    late = plain("Ann", "Bob", "Cid", "Dan", "--no-matter", "Ann,Bob", "--no-matter", "Cid,Dan")
    assert all(each["kind"] == "apart" for each in late["splits"][0].get("wishes", []))


@pytest.mark.slow
def test_an_evening_is_planned_at_once() -> None:
    """Five play two against two: a round robin; again goes on with it, undo goes back, leaving ends it."""
    assert "nobody is here" in night("plan", "--rounds", "2", fails=1)
    night("Ann", "Bob", "Cid", "Dan", "Eve", "--size", "2")
    reported = plain("plan", "--rounds", "5")
    assert (reported["status"], reported["gap"], len({*map(str, reported["rounds"])})) == ("optimal", 0.0, 5)
    assert sorted(name for each in reported["rounds"] for name in each["out"]) == [
        "Ann",
        "Bob",
        "Cid",
        "Dan",
        "Eve",
    ]
    for n, each in enumerate(reported["rounds"]):
        now = plain("again") if n else plain("table")
        assert now["id"] == each["id"]
        answer = plain("draw")
        assert (answer["match"], answer["status"]) == (each["id"], "new")
    night("undo")
    night("undo")
    assert plain("again")["id"] == reported["rounds"][4]["id"]
    assert "Proven: no plan is better." in night("plan", "--rounds", "2")
    night("leave", "Eve")
    assert plain("again")["id"] not in {each["id"] for each in reported["rounds"]}


def test_a_plan_says_that_it_keeps_nobody_in_one_team() -> None:
    """Otherwise locked people would be moved without a word."""
    night("Amber", "Birch", "Cedar", "Dahlia")
    night("lock", "Amber")
    assert "unlock Amber first (night lock --off)" in night("plan", "--rounds", "3", fails=1)
    night("lock", "--off")
    assert "Game 3" in night("plan", "--rounds", "3")


@pytest.mark.slow
def test_a_forgotten_player_is_gone_from_the_nights_too(data_folder: Path) -> None:
    """Neither the table nor the bytes of the events have the name."""
    night("Ann", "Bob", "Cid", "Dan")
    night("won", "red")
    url = f"sqlite:///{data_folder / 'equipoise' / 'night.db'}"
    assert runner().invoke(group, ["forget", "Cid", "--store", url]).exit_code == 0
    assert "Cid" not in night("table")
    night("undo")
    night("won", "blue")
    assert "Cid" not in night("table")


def test_a_forgotten_name_that_comes_back_is_not_new_and_is_forgotten_again(data_folder: Path) -> None:
    """Every door of a night says that a stand-in has the games, and no trace of the name stays."""
    night("Ann", "Bob", "Cid", "Dee")
    night("won", "red")
    night("leave", "Dee")
    path = data_folder / "equipoise" / "night.db"
    forget = ["forget", "Dee", "--store", f"sqlite:///{path}"]
    for newcomer in ("Elm", "Fir"):
        assert runner().invoke(group, forget).exit_code == 0
        came = runner().invoke(group, ["night", "late", "Dee", newcomer])
        assert came.stderr.splitlines()[:2] == [
            f"new: {newcomer}",
            "forgotten, so rated under a stand-in: Dee",
        ]
        night("again")
        night("won", "red")
        night("leave", "Dee", newcomer)
        assert runner().invoke(group, forget).exit_code == 0
        with contextlib.closing(sqlite3.connect(path)) as connection:
            assert [line for line in connection.iterdump() if "Dee" in line] == []
    assert "Dee" not in night("table")


@pytest.mark.slow
def test_a_step_that_is_killed_is_taken_or_not(data_folder: Path) -> None:
    """Whenever it is killed, the night goes on, and a result that is reported again counts once."""
    night("Ann", "Bob", "Cid", "Dan")
    environment = {**os.environ, "XDG_DATA_HOME": str(data_folder)}
    for delay in (0.3, 0.7, 1.2):
        step = [sys.executable, "-m", "equipoise", "night", "won", "red"]
        process = subprocess.Popen(
            step, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        games = plain("table")["games"]
        assert plain("won", "red")["status"] == ("known" if games else "new")
        assert plain("table")["games"] == 1
        night("undo")
    assert json.loads(players(data_folder)) == {"players": []}


def test_a_name_that_is_only_a_little_like_another_is_somebody_new() -> None:
    """Quince is not Pine, though half of the letters agree; Ambr is asked about."""
    known = ["amber", "birch", "pine"]
    assert nearest("quince", known, ALIKE) is None
    assert nearest("ambr", known, ALIKE) == "amber"


def test_a_draft_goes_on_or_its_end_is_said() -> None:
    """Who comes late can be picked; where a captain leaves it is over, and the answer says so."""
    night("Amber", "Birch", "Cedar", "Dahlia")
    night("captains", "Amber", "Birch")
    assert "one of Cedar, Dahlia, Elm" in night("late", "Elm", "--new", "Elm")
    night("pick", "Cedar")
    left = runner().invoke(group, ["night", "leave", "Amber"])
    assert "the captains' draft is over, as Amber left" in left.stderr
    assert "Next teams: equipoise night again" in left.stdout


def test_what_waits_for_a_map_says_so() -> None:
    """A vote or a pick meanwhile, a map that is struck already, and a year that is no moment are refused."""
    night("Amber", "Birch", "Cedar", "Dahlia")
    night("maps", "dock,keep,mill", "--veto")
    for step in (("vote", "Birch", "yes"), ("pick", "Birch")):
        assert "waiting for a map to be struck (of dock, keep, mill)" in night(*step, fails=1)
    night("veto", "dock")
    assert "dock is struck already; left are keep, mill" in night("veto", "dock", fails=1)
    night("veto", "keep")
    assert "--at must be a date" in night("won", "red", "--at", "1969", fails=1)
    assert "before 1970" in night("won", "red", "--at", "1950-01-01", fails=1)


FIVE = ("Amber", "Birch", "Cedar", "Dahlia", "Elm")
PASTED = "Friday 20 Nov\nAmber 30\nBirch 28\nCedar out\nDahlia\nElm (GK)\n"


def test_a_night_says_what_it_read_of_a_paste() -> None:
    """Who does not come and what is no player stand above the teams, as data, and beside a table."""
    said = ["4 players, 2 without points, 1 not coming.", "Not read: 'Friday 20 Nov'", "Beside names: '(GK)'"]
    assert night("-", given=PASTED).splitlines()[:3] == said
    read = plain("-", given=PASTED)["read"]
    assert (read["out"], [each["text"] for each in read["unread"]]) == (["Cedar"], ["Friday 20 Nov"])
    beside = runner().invoke(group, ["night", "-", "--csv"], input=PASTED)
    assert beside.stdout.startswith("team,player")
    assert said[0] in beside.stderr


def test_late_comers_and_those_who_come_perhaps_are_read_aloud_too() -> None:
    """Every step that takes names says what of them it did not take, and can be answered with --read."""
    night("Amber", "Birch", "Cedar", "Dahlia")
    assert night("late", "-", given="Elm\nFir out\n").startswith("1 player, 1 not coming.\n")
    assert night("late", "Gorse", "Hazel out").startswith("1 player, 1 not coming.\n")
    assert night("maybe", "-", given="Monday\nIris\n").startswith("1 player.\nNot read: 'Monday'\n")
    assert "1 not coming" in night("late", "Kale out", fails=2)
    assert "maybe-in" in night("late", "Laurel?", fails=1)
    assert "Laurel" in night("late", "Laurel?", "--read", "maybe-in")
    assert night("Amber", "Birch").startswith("Even")  # names alone say nothing new


def test_a_draft_says_what_is_under_way_at_every_step() -> None:
    """Results, votes, vetoes and swaps during a draft say whose pick it is, and the table shows the draft."""
    night("Amber", "Birch", "Cedar", "Dahlia")
    night("captains", "Amber", "Birch")
    refused = {night(*step.split(), fails=1) for step in (
        "won red", "won Cedar", "draw", "score 3 1", "result 3:1", "vote Birch yes", "veto dock",
        "swap Amber Birch",
    )}  # fmt: skip
    (text,) = refused
    assert "waiting for Amber to pick one of Cedar, Dahlia: 'pick NAME'" in text
    shown = night("table")
    assert "Teams so far:\nred  Amber\nblue  Birch\nAmber picks next, one of Cedar, Dahlia" in shown
    table = plain("table")
    assert (table["phase"], table["captain"], table["left"]) == ("drafting", "Amber", ["Cedar", "Dahlia"])


def test_the_larger_team_is_named() -> None:
    """Of five equals one team has one player more, which is why it is ahead."""
    assert night(*FIVE).splitlines()[1] == "Red has one player more."
    assert "more" not in night(*FIVE[:4])
