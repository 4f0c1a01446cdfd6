"""``equipoise explain``, its ``--why`` and ``--edit``, and ``equipoise late``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from tests.cli.running import runner
from tests.cli.test_balance import ROSTER

from equipoise import InputError, Move, Player, Swap
from equipoise.cli import group
from equipoise.cli.explain_answers import names_of, step_of
from equipoise.errors import EquipoiseError

TRICKY = [Player(name, n) for n, name in enumerate(["Ann Lee", "Bob", "Carter, Bob", "Bob Lee", "O'Neil"])]


def run(*args: str, stdin: str = "") -> Result:
    """Run the command line in this process; errors become what the entry point makes of them."""
    done = runner().invoke(group, args, input=stdin)
    if isinstance(done.exception, EquipoiseError):
        done.stderr_bytes = f"error: {done.exception}".encode()
    elif done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def explained(*args: str) -> dict[str, Any]:
    """Return the JSON of a run that must succeed."""
    plain: dict[str, Any] = json.loads(run("explain", "-", "--json", *args, stdin=ROSTER).stdout)
    return plain


def test_an_explanation_follows_the_teams() -> None:
    """The teams as always, then the numbers, the alternatives and what the rules cost."""
    done = run("explain", "-", "--all", "--party", "Amber,Birch", "--names", "Red,Blue", stdin=ROSTER)
    assert done.exit_code == 0
    plain = run("balance", "-", "--party", "Amber,Birch", "--names", "Red,Blue", stdin=ROSTER)
    assert done.stdout.startswith(plain.stdout.rstrip())
    for words in (
        "Why these teams:",
        "The best alternatives",
        "Keeping Amber and Birch together costs nothing",
    ):
        assert words in done.stdout


def test_json_has_explanation_why_and_edit() -> None:
    """Each under its own name, beside the solution as it was without."""
    plain = explained("--all", "--why", "Amber", "--why", "Amber,Birch", "--edit", "swap Cedar Elm")
    assert plain["explanation"]["status"] == "optimal"
    assert plain["explanation"]["behind"]["win_probability"] > 0.1
    assert [answer["player"] for answer in plain["why"][:1]] == ["Amber"]
    assert plain["edit"]["cost"] == plain["edit"]["behind"]
    assert set(plain["edit"]["after"]["values"]) >= {"difference", "win", "spread", "quantile"}
    assert plain["splits"] == explained()["splits"]


def test_an_edit_shows_the_teams_it_makes() -> None:
    """Both players are in the other's team, in text and in the picture."""
    done = run("explain", "-", "--edit", "swap Cedar Elm", "--edit", "swap Elm Iris", stdin=ROSTER)
    assert done.exit_code == 0
    first = done.stdout.split("\n\n")[2]
    assert "Cedar" not in first or "Elm" not in first
    assert "Changed by you: Team 2 ahead: 33 : 67; the best is 51 : 49." in done.stdout


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--edit", "move Cedar 2"), "--edit: the result breaks a rule: the sizes of the teams"),
        (("--edit", "swap Cedar Zoe"), "--edit: 'swap Cedar Zoe' names nobody by 'Zoe'"),
        (("--edit", "move Cedar Green"), "--edit: 'move Cedar Green' must end in a team: 1, 2"),
        (("--edit", "kick Cedar"), "--edit: 'kick Cedar' is neither"),
        (("--edit", ""), "--edit: '' is neither"),
        (("--why", "Zoe"), "--why: there is no player 'Zoe'"),
        (("--why", "Amber,Zoe"), "--why: there is no player 'Zoe'"),
        (("--why", "A,B,C"), "--why: 'A,B,C' does not name one player or two"),
        (("--why", ""), "--why: '' does not name one player or two"),
        (
            ("--edit", "swap Cedar Ginkgo", "--party", "Cedar,Iris"),
            "--edit: the result breaks a rule: keeping",
        ),
    ],
)
def test_a_wrong_question_is_a_message(args: tuple[str, ...], message: str) -> None:
    """Exit code 1, one line on standard error, nothing on standard output."""
    done = run("explain", "-", *args, stdin=ROSTER)
    assert done.exit_code == 1
    assert done.stderr.startswith(f"error: {message}")
    assert done.stdout == ""


def test_a_refused_edit_tells_its_price() -> None:
    """What it would cost stands in the message."""
    done = run("explain", "-", "--edit", "move Cedar Blue", "--names", "Red,Blue", stdin=ROSTER)
    assert "the change costs 40.43 % of win probability" in done.stderr


def test_an_infeasible_roster_is_reported_the_cheapest_relaxation() -> None:
    """The error as always, and what to give up."""
    done = run("explain", "-", "--party", "Amber,Birch", "--apart", "Amber,Birch", stdin=ROSTER)
    assert done.exit_code == 1
    assert done.stderr.startswith("error: infeasible")
    assert "The cheapest relaxation is not keeping Amber and Birch apart" in done.stdout


def test_the_chosen_split_is_the_one_explained() -> None:
    """With a seed, the split explained is the one shown."""
    done = run("explain", "-", "--choose", "0", "--seed", "5", "--json", stdin=ROSTER)
    plain = json.loads(done.stdout)
    shown = [sorted(team) for team in plain["splits"][0]["teams"]]
    assert [sorted(team["players"]) for team in plain["explanation"]["division"]["teams"]] == shown
    assert plain["chosen"] > 1


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("swap Ann Lee Bob Lee", Swap("Ann Lee", "Bob Lee")),
        ("swap 'Ann Lee' Bob", Swap("Ann Lee", "Bob")),
        ('swap "Carter, Bob" Bob', Swap("Carter, Bob", "Bob")),
        ("swap Ann Lee, Bob", Swap("Ann Lee", "Bob")),
        ("swap O'Neil Bob", Swap("O'Neil", "Bob")),
        ("move Ann Lee 2", Move("Ann Lee", 1)),
        ("move Bob Team 1", Move("Bob", 0)),
        ("MOVE Bob blue", Move("Bob", 1)),
        ("move Bob Lee Blue", Move("Bob Lee", 1)),
    ],
)
def test_names_with_blanks_and_commas_can_be_told_apart(text: str, step: Swap | Move) -> None:
    """Quoted or not, as long as who there is leaves one reading."""
    assert step_of(text, TRICKY, ("Red", "Blue"), 2) == step


def test_a_question_names_one_or_two() -> None:
    """A name with a comma that somebody has is one name; others are told apart by it."""
    assert names_of("--why", "Carter, Bob", TRICKY) == ["Carter, Bob"]
    assert names_of("--why", '"Carter, Bob",Bob', TRICKY) == ["Carter, Bob", "Bob"]
    assert names_of("--why", "Ann Lee,Bob Lee", TRICKY) == ["Ann Lee", "Bob Lee"]


def test_what_can_be_read_in_two_ways_is_refused() -> None:
    """Here either Bob or Bob Bob might be meant."""
    players = [Player("Bob", 1), Player("Bob Bob", 2)]
    with pytest.raises(InputError, match="2 ways"):
        step_of("swap Bob Bob Bob", players, (), 2)


def test_names_that_two_have_are_refused_by_their_ids() -> None:
    """The ids tell them apart, and work."""
    roster = json.dumps([{"id": str(n), "name": "Ann", "weight": n} for n in range(1, 5)])
    done = run("explain", "-", "--why", "Ann", stdin=roster)
    assert done.exit_code == 1
    assert "players are named 'Ann'; their ids tell them apart" in done.stderr
    assert run("explain", "-", "--why", "1", stdin=roster).exit_code == 0


RUNNING = (
    "name,weight,team,bot\nAmber,31,1,\nCedar,47,1,\nHazel,22,1,\nGinkgo,54,2,\nElm,38,2,\n"
    "Roan,20,1,yes\nSlate,24,2,yes\nUmber,16,2,yes\n"
)


def test_a_newcomer_is_sent_to_a_team() -> None:
    """The team, what each would be, and the advantage that is then owed."""
    done = run("late", "-", "--join", "25 Dahlia", "--names", "Red,Blue", stdin=RUNNING)
    assert done.exit_code == 0, done.stderr
    read, _, *lines = done.stdout.splitlines()
    assert (read, lines[0]) == ("9 players.", "Dahlia joins Red.")
    assert lines[1] == "  In Red: totals 125 : 132, win chances 41 : 59, 1 bot leaves Red."
    assert lines[3] == "For an even game, advantage over Blue: Red 1.411."
    listed = run(
        "late",
        "-",
        stdin=RUNNING + "Dahlia,25,,\n",
    )
    assert listed.stdout.startswith("9 players.\n\nDahlia joins Team 1.")


def test_without_a_newcomer_the_advantage_is_reported() -> None:
    """Of the game as it is, in text and in JSON."""
    lines = run("late", "-", stdin=RUNNING).stdout.splitlines()[2:]
    assert lines[0] == "For an even game, advantage over Team 2: Team 1 1.759."
    assert lines[1].startswith("Win chances are a convention: they assume a performance noise of 12.79")
    plain = json.loads(run("late", "-", "--json", stdin=RUNNING).stdout)
    assert plain["totals"] == [120, 132]
    assert plain["advantage"][1] == 1.0
    even = "name,weight,team\na,5,1\nb,5,2\n"
    assert run("late", "-", stdin=even).stdout.startswith(
        "2 players.\n\nThe teams are even: no advantage is owed.\n"
    )


def test_bots_that_wait_are_the_pool() -> None:
    """Those without a team may come, no others; options count them otherwise."""
    waiting = RUNNING + "Wren,60,,yes\n"
    plain = json.loads(run("late", "-", "--join", "5 X", "--bots", "min=10", "--json", stdin=waiting).stdout)
    assert [sum(option["bots"]) for option in plain["options"]] == [4, 4]
    assert (
        run("late", "-", "--join", "5 X", "--pool", "9", "--bots", "weight=20", stdin=waiting).exit_code == 0
    )


@pytest.mark.parametrize(
    ("args", "stdin", "code", "message"),
    [
        ((), ROSTER, 1, "error: standard input: nobody is in a team"),
        (("--join", "5 A"), RUNNING + "Dahlia,25,,\n", 1, "error: standard input: 2 players have no team"),
        (("--join", "A"), RUNNING, 1, "error: --join"),
        (("--join", "5 Amber"), RUNNING, 1, "error: --join: 'Amber' is in - already"),
        (("--pool", "-1"), RUNNING, 1, "error: --pool must be from 0"),
        (("--join", "5 A", "--objective", "nosuch"), RUNNING, 2, "Usage"),
        (("--join", "- A"), RUNNING, 1, "error: "),
    ],
)
def test_a_wrong_game_is_a_message(args: tuple[str, ...], stdin: str, code: int, message: str) -> None:
    """No traceback, and the exit code says whose fault it is."""
    done = run("late", "-", *args, stdin=stdin)
    assert done.exit_code == code
    assert done.stderr.startswith(message)


def test_the_example_is_the_one_of_the_guide() -> None:
    """The shipped file is the game the tests know."""
    example = Path(__file__).parent.parent.parent / "examples" / "running.csv"
    assert example.read_text() == RUNNING
