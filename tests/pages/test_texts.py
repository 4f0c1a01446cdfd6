"""Texts of teams, nights and pick-ups: what people read follows from what was found, word by word."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from equipoise import Bots, Player, Preference, balance, pareto
from equipoise.files.read_roster import read_roster
from equipoise.pages.text import evening, night
from equipoise.pages.text.point_changes import changes_text, ordinal
from equipoise.pages.text.tables import Grid, csv_lines, escaped, markdown_lines, text_lines
from equipoise.pages.text.teams import (
    FORMS,
    chat_lines,
    convention,
    figure,
    front_lines,
    front_rows,
    move_lines,
    outcome_lines,
    size_lines,
    solution_lines,
    table_of,
    verdict,
    whole_chances,
)
from equipoise.pages.text.wording import (
    MOST_NAMED,
    capital,
    cost_words,
    count,
    listed,
    move_words,
    moves,
    named,
    percent,
    saves,
    worth,
)
from equipoise.play.evening_events import EveningLobby, Proposal, Setup
from equipoise.play.evening_state import Room
from equipoise.ratings.point_changes import PointChange
from equipoise.teams.explain.valuation import Cost, TeamChanges

ROSTER = {"Ann": 9, "Bob": 8, "Cid": 4, "Dan": 3}
EXAMPLE = str(Path(__file__).parents[2] / "examples" / "roster.txt")


def shares(seed: int) -> list[float]:
    """Return chances that add up to 1."""
    rng = np.random.default_rng(seed)
    drawn = rng.random(int(rng.integers(2, 6)))
    return [float(each) for each in drawn / drawn.sum()]


@pytest.mark.parametrize("seed", range(30))
def test_whole_chances_add_up_to_100_and_none_is_off_by_one(seed: int) -> None:
    """Those with the largest remainders are rounded up, as seats are given to parties."""
    chances = shares(seed)
    exact = [100 * Fraction(chance) / sum(map(Fraction, chances)) for chance in chances]
    whole = whole_chances(chances)
    assert sum(whole) == 100
    up = [number - int(part) for number, part in zip(whole, exact, strict=True)]
    assert set(up) <= {0, 1}
    remainders = [part - int(part) for part in exact]
    assert all(
        remainders[n] >= remainders[m]
        for n, more in enumerate(up)
        for m, less in enumerate(up)
        if more > less
    )
    assert whole_chances([2 * chance for chance in chances]) == whole


@pytest.mark.parametrize(
    ("chances", "words"),
    [
        ((0.5, 0.5), "Even: 50 : 50"),
        ((0.525, 0.475), "Even: 53 : 47"),
        ((0.526, 0.474), "Close: 53 : 47"),
        ((0.6, 0.4), "Close: 60 : 40"),
        ((0.4, 0.6), "Close: 40 : 60"),
        ((0.61, 0.39), "Red ahead: 61 : 39"),
        ((0.3, 0.7), "Blue ahead: 30 : 70"),
        ((0.29, 0.71), "Blue far ahead: 29 : 71"),
        ((0.35, 0.325, 0.325), "Even: 35 : 33 : 32"),
        ((0.26, 0.37, 0.37), "Red ahead"),
    ],
)
def test_a_verdict_is_how_far_a_team_is_from_its_fair_share(chances: tuple[float, ...], words: str) -> None:
    """5, 20 and 40 hundredths of it, the ends included."""
    split = replace(balance(ROSTER).best, win_probability=chances)
    found = verdict(split, ("Red", "Blue", "Green"))
    if len(chances) == 3 and words == "Red ahead":
        assert found == "Blue ahead: 26 : 37 : 37"
    else:
        assert found == words


def line_by_line(roster: dict[str, float | None]) -> list[str]:
    """Return the text of an answer."""
    solution = balance(roster)
    return solution_lines(solution, solution.best, names=("Red", "Blue"))


def test_teams_are_shown_with_their_weights() -> None:
    """Strongest first as they stand, weights to the right, totals in the heads."""
    solution = balance(ROSTER, objective="difference", keep=3)
    split = solution.best
    lines = solution_lines(solution, split, names=("Red", "Blue "))
    assert lines[0] == f"{verdict(split)}. Proven best."
    assert lines[1] == ""
    for n, name in enumerate(("Red", "Blue")):
        start = lines.index(f"{name}: 12")
        shown = [line.split() for line in lines[start + 1 : start + 3]]
        assert shown == [[f"{ROSTER[player.id]:g}", player.id] for player in split.teams[n]]
    at = next(n for n, line in enumerate(lines) if line.endswith("changes teams against the best"))
    others = lines[at + 1 :]
    assert [line.split()[:2] for line in others] == [
        [f"{n}.", f"{each.value:g}"] for n, each in enumerate(solution.splits[1:], start=2)
    ]
    home = {player.id: n for n, team in enumerate(split.teams) for player in team}
    for line, other in zip(others, solution.splits[1:], strict=True):
        gone = [
            f"{p.id} to {('Red', 'Blue')[n]}"
            for n, team in enumerate(other.teams)
            for p in team
            if home[p.id] != n
        ]
        assert line.endswith(", ".join(gone))
        assert f"{' : '.join(f'{total:g}' for total in other.totals)}  " in line
        assert f"{100 * other.win_probability[0]:.1f} %" in line


def test_points_are_ten_times_the_weights_and_details_say_the_numbers() -> None:
    """Without points as they were typed."""
    solution = balance({"Ann": 10.25, "Bob": 9, "Cid": 3}, beta=4.0)
    whole = solution_lines(solution, solution.best, points=lambda weight: round(10 * weight))
    assert any(line.split() == ["102", "Ann"] for line in whole)
    assert sum(int(line.split(": ")[1]) for line in whole if re.match(r"Team \d: ", line)) == 102 + 90 + 30
    detailed = solution_lines(solution, solution.best, details=True)
    assert f"Win chances assume a performance noise of 4 ({solution.beta_source})." in detailed or any(
        line.startswith("Win chances") and "noise of 4" in line for line in detailed
    )
    assert any(line.startswith("A player of ") for line in detailed)
    heads = [line for line in detailed if ", win chance " in line]
    assert [head.split(": ")[0] for head in heads] == ["Team 1", "Team 2"]
    assert any(line.startswith("Proven optimal: ") for line in detailed)
    greedy = balance(read_roster(EXAMPLE), solver="greedy", objective="difference")
    text = solution_lines(greedy, greedy.best, details=True)
    assert (
        any(line.startswith("Not proven optimal: difference") for line in text) or greedy.status == "optimal"
    )


def test_the_noise_is_an_assumption_or_a_convention() -> None:
    """As given it is assumed; what a zero is matters to uneven teams alone."""
    assert convention(8.0, "the spread", 0.0, "x") == [
        "Win chances are a convention: they assume a performance noise of 8 (the spread)."
    ]
    assert len(convention(8.0, "as given", 0.0, "x", uneven=True)) == 2


def test_one_of_the_best_that_was_drawn_and_one_that_was_changed_are_reported() -> None:
    """With what the best is."""
    solution = balance(ROSTER, objective="difference", keep=3)
    drawn = solution_lines(solution, solution.splits[2], chosen=2, details=True)
    assert drawn[0] == f"{verdict(solution.splits[2])}. Number 3 of the 3 best, drawn at random."
    assert any(line.startswith("Chosen at random: number 3 of the 3 best, difference ") for line in drawn)
    changed = replace(solution.splits[1])
    text = solution_lines(solution, changed, details=True)
    best = " : ".join(map(str, whole_chances(solution.best.win_probability)))
    assert text[0] == f"Changed by you: {verdict(changed)}; the best is {best}."
    assert any(line.startswith("Changed by hand; the best is proven optimal: difference 0.") for line in text)
    for lines in (drawn, text):
        assert not any("changes teams against the best" in line for line in lines)


def test_larger_teams_unknown_players_and_empty_teams_are_reported() -> None:
    """Only where there are some."""
    three = balance({"Ann": 9, "Bob": 5, "Cid": 4}).best
    larger = "Team 1" if len(three.teams[0]) == 2 else "Team 2"
    assert size_lines(three) == [f"{larger} has one player more."]
    assert size_lines(balance(ROSTER).best) == []
    four = balance({"Ann": 9, "Bob": 5, "Cid": 4, "Dan": 1}, sizes=(3, 1)).best
    assert size_lines(four, ("Red",)) == ["Red has 2 players more."]
    five = balance(dict.fromkeys("abcde", 1.0), teams=3).best
    assert size_lines(five) == ["Team 1 and Team 2 have one player more."]
    unknown = line_by_line({"Ann": 9, "Bob": 8, "Cid": 4, "Dan": None})
    assert "1 without points: counted as 7." in unknown
    alone = balance({"Ann": 9}, teams=2)
    assert any(line.startswith("Nobody is in team ") for line in solution_lines(alone, alone.best))
    assert any(
        line.startswith("Nobody is in team ") for line in solution_lines(alone, alone.best, details=True)
    )


def test_moves_and_preferences_are_reported() -> None:
    """Who changes team, and what is broken at which price."""
    placed = [
        Player("Ann", 9, team_now=0),
        Player("Bob", 8, team_now=0),
        Player("Cid", 4),
        Player("Dan", 3, team_now=1),
    ]
    split = balance(placed, objective="difference").best
    (line,) = move_lines(split, ("Red", "Blue"))
    assert line.startswith("1 player changes team: ")
    assert split.moved[0].id in line
    still = balance(placed, objective="difference", moves=0)
    assert move_lines(still.best) == ["Nobody changes team."]
    assert move_lines(balance(ROSTER).best) == []
    kept = balance(ROSTER, preferences=[Preference("apart", ("Ann", "Bob"), 0.5)]).best
    assert outcome_lines(kept) == ["Preferences: 1 of 1 met."]
    two = [Preference("together", ("Ann", "Bob"), 0.0125), Preference("apart", ("Ann", "Bob"), 0.5)]
    broken = balance(ROSTER, preferences=two).best
    assert outcome_lines(broken) == [
        "Preferences: 1 of 2 met, 1.25 % of win probability paid for the others:",
        "  1.25 %  together: Ann, Bob",
    ]
    assert outcome_lines(balance(ROSTER).best) == []


def test_a_value_that_rounding_made_of_nothing_is_nothing() -> None:
    """Measured in the points of the totals, or in shares of 1."""
    split = balance(ROSTER).best
    assert [figure(value, "difference", split) for value in (1.1e-11, 1.3e-11)] == ["0", "1.3e-11"]
    assert [figure(value, "win", split) for value in (1e-12, -1e-12, 1.1e-12)] == ["0", "0", "1.1e-12"]


def test_forms_of_teams() -> None:
    """A line a team for chats, which mentions nobody; a table with bots and roles."""
    players = [Player("@all", 9), Player("Bob", 8), Player("Cid", 4)]
    solution = balance(players, bots=Bots(3.0, 4))
    split = solution.best
    head, *lines = chat_lines([split], ("Red",), proof="Proven best.")
    assert head == f"{verdict(split, ('Red',))}. Proven best."
    assert [line.split(" (")[0] for line in lines] == ["Red", "Team 2"]
    assert all("@all" not in line for line in lines)
    bots = sum(split.bots)
    assert "".join(lines).count("bot") == bots
    grid = table_of(split, ("Red",))
    assert grid.columns == ("team", "player", "weight")
    assert sum(row[1] == "bot" for row in grid.rows) == bots
    assert len(grid.rows) == 3 + bots
    assert {row[:2]: row[2] for row in grid.rows}["Red", "@all"] == "9" or split.teams[1][0].id == "@all"
    shown = solution_lines(solution, split)
    assert any("(bot)" in line for line in shown) is bool(bots)
    assert FORMS["csv"]([split])[0] == "team,player,weight"
    assert FORMS["markdown"]([split])[:4:3] == [f"{verdict(split)}.", "| --- | --- | --- |"]
    rows = FORMS["markdown"]([split], points=lambda weight: round(10 * weight))[2:]
    assert rows[0] == "| team | player | points |"
    assert any("Bob | 80 |" in row for row in rows)


def test_a_front_is_a_table() -> None:
    """A row a split, columns to the right, what is proven of it below."""
    front = pareto(read_roster(EXAMPLE), "win", "spread")
    rows = front_rows(front)
    assert rows[0] == ("", "win", "spread", "win chance", "first team")
    assert [row[0] for row in rows[1:]] == [f"{n}." for n in range(1, len(front.points) + 1)]
    for row, split in zip(rows[1:], front.splits, strict=True):
        assert row[3:] == (
            f"{100 * split.win_probability[0]:.1f} %",
            ", ".join(p.label for p in split.teams[0]),
        )
    lines = front_lines(front)
    ends = {line.index(row[3]) + len(row[3]) for line, row in zip(lines, rows, strict=False)}
    assert len(ends) == 1
    assert (
        f"Splits between which there is a choice: {len(front.points)}, proven to be all there are." in lines
    )


def test_tables_are_aligned_and_safe() -> None:
    """The first column to the left; no cell is a formula, and nothing in Markdown is markup."""
    grid = Grid(("name", "n"), [("=Ann", "5"), ("B|b", "-12.5")])
    assert text_lines(grid) == ["name      n", "=Ann      5", "B|b   -12.5"]
    assert csv_lines(grid) == ["name,n", "'=Ann,5", "B|b,-12.5"]
    assert markdown_lines(grid)[2:] == ["| =Ann | 5 |", "| B\\|b | -12.5 |"]
    cells = ("-", "+1", "-1e5", "1%", "-x", "@a", "+", "\tx", "--1")
    assert [escaped(cell) != cell for cell in cells] == [
        False,
        False,
        False,
        False,
        True,
        True,
        True,
        True,
        True,
    ]


def test_what_a_result_changed_is_reported_with_places() -> None:
    """Up or down by how many."""
    changes = [
        PointChange("ann", 518, 18, 2, 1),
        PointChange("bob", 490, -10, 3, -2),
        PointChange("c", 1, 0, 21, 0),
    ]
    assert changes_text(changes, str.upper) == "+18 ANN (2nd, up 1), -10 BOB (3rd, down 2), +0 C (21st)"
    endings = {
        n: ordinal(n)[-2:] for n in (1, 2, 3, 4, 10, 11, 12, 13, 14, 20, 21, 22, 23, 24, 101, 111, 112, 213)
    }
    assert endings == {
        1: "st",
        2: "nd",
        3: "rd",
        4: "th",
        10: "th",
        11: "th",
        12: "th",
        13: "th",
        14: "th",
        20: "th",
        21: "st",
        22: "nd",
        23: "rd",
        24: "th",
        101: "st",
        111: "th",
        112: "th",
        213: "th",
    }


def test_words_of_explanations() -> None:
    """Who, where, what it costs; many are counted and not named."""
    many = [f"p{n}" for n in range(MOST_NAMED + 1)]
    assert (named(many), named(many[1:])) == (f"{len(many)} players", listed(many[1:]))
    swap = [TeamChanges("Ann", 0, 1), TeamChanges("Bob", 1, 0)]
    assert move_words(swap) == "a swap of Ann and Bob"
    assert (
        move_words([*swap, TeamChanges("Cid", 0, 1)], ("Red", " Blue "))
        == "with Ann and Cid to Blue, Bob to Red"
    )
    assert move_words([TeamChanges(each, 0, 1) for each in many]) == f"which moves {len(many)} players"
    assert move_words([TeamChanges(each, 0, 1) for each in many[1:]]).startswith("with p1, ")
    assert moves([TeamChanges("Ann", 0, 1), TeamChanges("Bob", 1, 2)]) == "Ann to Team 2, Bob to Team 3"
    assert moves([]) == "nobody elsewhere"
    assert [worth(share) for share in (0.0, 4.9e-5, 5e-5, -0.5, 0.01234)] == [
        "less than 0.01 %",
        "less than 0.01 %",
        "0 %" if worth(5e-5) == "0 %" else "0.01 %",
        "50 %",
        "1.23 %",
    ]
    assert (percent(0.1234, 1), count(1, "team"), count(2, "team"), count(0, "team")) == (
        "12.3 %",
        "1 team",
        "2 teams",
        "0 teams",
    )
    assert (capital("all of it"), capital("")) == ("All of it", "")
    assert cost_words(Cost(0.0, 1.0), "spread") == "costs 1 point of spread"
    assert (
        cost_words(Cost(-0.02, 2.0), "difference")
        == "costs 2 points of difference, gains 2 % of win probability"
    )
    assert cost_words(Cost(0.0, 0.5), "ratio") == "costs 0.5 of ratio"
    assert saves(Cost(0.02, -1.0), "spread") == "saves 2 % of win probability, loses 1 point of spread"


def setup(**more: Any) -> Setup:
    """Return four who are here."""
    return Setup(("a", "b", "c", "d"), **more)


def test_teams_of_a_night_are_reported() -> None:
    """Who plays, who is likelier to win, who sits out or changes, and what is unmet."""
    reported = setup(prefer=(("a", "c"),), avoid=(("a", "b"),))
    proposal = Proposal("m", (("a", "b"), ("c",)), (0.6, 0.4), ("d",), ("a", "c"), (("a", "c"), ("a", "b")))
    lines = night.proposal_lines(reported, proposal, {"a": "Ann"})
    heads = [reported.called(n) for n in range(2)]
    width = max(map(len, heads))
    assert lines == [
        "Close: 60 : 40.",
        f"{capital(heads[0])} has one player more.",
        f"{heads[0]:<{width}}  Ann, b",
        f"{heads[1]:<{width}}  c",
        "d sits out.",
        "Ann, c change team.",
        "Ann and c are apart this time.",
        "Ann and b are together this time.",
    ]
    for chances, said in (
        ((0.5, 0.5), "Even: 50 : 50."),
        ((0.52, 0.48), "Even: 52 : 48."),
        ((0.53, 0.47), "Close: 53 : 47."),
        ((0.35, 0.65), f"{heads[1].capitalize()} ahead: 35 : 65."),
    ):
        text = night.proposal_lines(reported, replace(proposal, chances=chances), {})
        assert text[0] == said
    rows = night.proposal_rows(reported, proposal, {"a": "Ann"})
    assert rows == [(heads[0], "Ann"), (heads[0], "b"), (heads[1], "c"), ("", "d")]
    assert night.proposal_rows(reported, None, {}) == [("", each) for each in "abcd"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"repeated": True},
            "No other teams lie within 0.5 % of win probability, the price of meeting again",
        ),
        ({"fresh": True}, "Proven best of the teams not proposed yet."),
        ({}, "Proven best."),
        ({"preferences": (1,)}, "Proven best by fairness and the preferences together."),
        (
            {"rival": 1, "behind": 0.0004, "status": "feasible"},
            "As fair as the fairest teams, and more is known",
        ),
        (
            {"rival": 1, "behind": 0.0123, "status": "feasible"},
            "Within 1.2 % of the fairest teams, and more is known",
        ),
        ({"status": "feasible"}, ""),
        ({"anew": False}, ""),
    ],
)
def test_what_is_proven_of_the_teams_of_a_night_is_reported(change: dict[str, Any], words: str) -> None:
    """In the first line, behind the verdict."""
    split = SimpleNamespace(preferences=change.get("preferences", ()))
    arranged: Any = SimpleNamespace(
        proposal=Proposal("m", (("a", "b"), ("c", "d")), (0.5, 0.5)),
        split=split,
        solution=SimpleNamespace(best=split, status=change.get("status", "optimal")),
        repeated=False,
        fresh=False,
        anew=True,
        rival=None,
        behind=0.0,
        price=0.005,
    )
    vars(arranged).update(
        {key: value for key, value in change.items() if key not in ("status", "preferences")}
    )
    lines = night.arranged_lines(setup(), arranged, {})
    assert lines[-1].startswith("After the game: equipoise night won ")
    assert len(lines) == 4
    assert lines[0] == f"{lines[0].partition('.')[0]}." if not words else f". {words}" in lines[0]
    arranged.solution.best = None
    if words.startswith("Proven"):
        assert "Proven" not in night.arranged_lines(setup(), arranged, {})[0]


def test_a_table_of_a_night_is_aligned() -> None:
    """Truths are yes, counts of people the most frequent one, shares one decimal, nothing is empty."""
    cells = [night._cell(value) for value in (True, False, {"Ann": 3, "Bob": 1}, {}, 4.25, None, "x", 7)]
    assert cells == ["yes", "", "Ann 3", "", "4.2", "", "x", "7"]
    row = dict.fromkeys(
        (
            "name",
            "here",
            "weight",
            "played",
            "won",
            "drawn",
            "lost",
            "out",
            "weak",
            "moved",
            "unmet",
            "with",
            "against",
        ),
        1,
    )
    shown = night.table_rows([{**row, "name": "Ann", "out": 9}])
    assert shown[0][:8] == ("name", "here", "points", "played", "won", "drawn", "lost", "sat out")
    assert shown[1][7] == "9"
    lines = night.table_lines([{**row, "name": "Longer name"}], setup(), None, {})
    assert len({len(line) for line in lines}) == 1
    assert lines[1].startswith("Longer name  ")


def test_a_plan_is_reported_round_by_round() -> None:
    """With its parts, the rounds that come again, and what is proven."""
    each = Proposal("", (("a", "b"), ("c", "d")), (0.5, 0.5))
    plan: Any = SimpleNamespace(
        rounds=(each, each),
        value=0.123,
        unfairness=0.1,
        repeats=0.023,
        price=0.005,
        again=(2,),
        optimal=True,
        bound=0.1,
        gap=0.023,
    )
    lines = night.plan_lines(setup(), plan, {})
    assert [line for line in lines if line.startswith("Game ")] == ["Game 1", "Game 2"]
    assert "The least even game is 50 : 50; nobody plays with the same mate more than twice." in lines
    assert "Teams come again in game 2: no others lie within 0.5 % of win probability." in lines
    assert "Proven: no plan is better." in lines
    plan.optimal, plan.again = False, ()
    lines = night.plan_lines(setup(), plan, {})
    assert "The best plan found; a better one was not ruled out." in lines
    assert not any("come again" in line for line in lines)


@pytest.mark.parametrize(
    ("ranks", "words"),
    [((1, 2), "red won"), ((2, 1), "blue won"), ((1, 1), "a draw"), ((3, 2, 2, 2, 1), "team 5 won")],
)
def test_how_a_pickup_ended_is_reported(ranks: tuple[float, ...], words: str) -> None:
    """By the colours of four teams, by numbers beyond."""
    assert evening.result_text(ranks) == words


def test_what_lobbies_say_is_reported_in_words() -> None:
    """Facts become words; what has none is not said."""

    def say(kind: str, lobby: str = "", **facts: Any) -> str:
        notice: Any = SimpleNamespace(kind=kind, lobby=lobby, facts=facts)
        return evening.line_of(notice, str.title)

    assert say("added", "duel", who="ann", waiting=1, seats=2) == "[duel] Ann is in: 1 of 2"
    assert say("unheard of", "duel") == ""
    assert say("ready?", players=("ann", "bob"), seconds=59.6) == "Ann, Bob: type !ready within 60 s"
    assert (
        say("called off", gone=("ann",), waiting=()) == "the game is called off; gone: Ann; waiting: nobody"
    )
    teams = (("ann",), ("bob",))
    assert say("teams", teams=teams, chances=(0.3, 0.7), seconds=9.0) == (
        "red: Ann | blue: Bob (blue wins 70 %): !yes, !no or !captains within 9 s"
    )
    for chances, words in (
        ((0.5, 0.5), "an even game"),
        ((0.504, 0.496), "an even game"),
        ((0.506, 0.494), "red wins 51 %"),
    ):
        assert f"({words})" in say("teams", teams=teams, chances=chances, seconds=9.0)
    assert (
        say("play", teams=teams, map="dust")
        == "play: red: Ann | blue: Bob on dust; then !report won, lost, draw or 3 1"
    )
    assert " on " not in say("play", teams=teams, map="")
    assert say("veto", maps=("a", "b"), team=("ann",)) == "Ann strike a map: !veto a | b"
    assert say("reported", who="ann", ranks=(1, 2), seconds=5.0).startswith(
        "Ann reports: red won; the other side"
    )
    assert say("late", who="ann", seconds=5.0) == "Ann is late and has 5 s more"


def test_who_waits_where_and_why_teams_are_so_is_reported() -> None:
    """One's own game, or the last one; chances and sums by the ratings, or that captains picked."""
    game = SimpleNamespace(
        id="g1",
        lobby=SimpleNamespace(name="two"),
        phase=SimpleNamespace(value="votes"),
        teams=(("ann",), ("bob", "cid")),
        picks=(),
        is_whole=True,
        waits_for=lambda _: "votes",
        chances=(0.25, 0.75),
        seen=[1, 2],
    )
    lobbies: Any = SimpleNamespace(
        rooms={
            "duel": Room(EveningLobby("duel", 2, 1), Setup(("ann",))),
            "two": Room(EveningLobby("two", 2, 2), Setup()),
        },
        games={"g1": game},
        over={},
        game_of=lambda who: game if who == "ann" else None,
    )
    assert evening.status_lines(lobbies, str.title, ["duel", "two"]) == [
        "duel: 1 of 2: Ann",
        "two: 0 of 4",
        "g1: waiting for votes",
    ]
    assert evening.teams_lines(lobbies, str.title, ["two"]) == [
        "g1: red: Ann | blue: Bob, Cid (blue wins 75 %; blue has one player more)"
    ]
    weights = {"ann": 50.4, "bob": 30.0}
    assert evening.why_lines(lobbies, "eve", str.title, weights) == [
        "by the ratings red 25 %, 504 points | blue 75 %, 300 points; teams number 2 that were proposed"
    ]
    game.seen = [1]
    assert not evening.why_lines(lobbies, "ann", str.title, weights)[0].endswith("proposed")
    game.picks = (("ann", "cid"), ("ann", ""))
    assert evening.why_lines(lobbies, "ann", str.title, {}) == ["captains picked these teams: Cid"]
    game.teams = ()
    assert evening.why_lines(lobbies, "ann", str.title, {}) == ["there are no teams yet"]
    assert evening.teams_lines(lobbies, str.title, ["two"]) == ["no game is being played"]
    lobbies.games = {}
    assert evening.game_meant(lobbies, "eve") is None
