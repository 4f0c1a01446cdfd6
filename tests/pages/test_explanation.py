"""Explanations as people read them."""

from __future__ import annotations

from equipoise import Move, Player, balance, edit, explain, why_there, why_together
from equipoise.pages.explanation import change_lines, explanation_lines, place_lines, together_lines

ROSTER = {"Ann": 9, "Bob": 8, "Cid": 4, "Dan": 3}


def test_a_price_is_told_with_what_is_left_of_it() -> None:
    """The party, and each of its members let go; the dearest rule first, the cheapest relaxation last."""
    roster = {**ROSTER, "Eve": 2, "Fay": 1, "Gus": 1, "Hal": 1}
    lines = explanation_lines(
        explain(roster, objective="gap", parties=[("Ann", "Bob", "Cid")]), ("Red", "Blue")
    )
    start = lines.index("What the rules cost:")
    assert lines[start + 1].startswith("  Keeping Ann, Bob and Cid together costs ")
    assert lines[start + 2].startswith("    Splitting only Ann: keeping the others together costs nothing")
    assert lines[-1].startswith("The cheapest relaxation is letting Ann leave the party: it saves ")


def test_a_broken_rule_is_named_in_words() -> None:
    """A move against a wish says which one, with the team's name."""
    change = edit(ROSTER, [Move("Ann", 1)], objective="gap", fixed={"Ann": 0})
    lines = change_lines(change, "gap", ("Red", "Blue"))
    assert lines[0].startswith("Ann to Blue: costs ")
    assert "It breaks a rule: Ann fixed to Red." in lines
    assert any(line.split() == ["gap", "0", "18"] for line in lines)


def test_nothing_changed_is_said() -> None:
    """A move to the team one is in is no change."""
    home = 0 if any(player.id == "Ann" for player in balance(ROSTER).best.teams[0]) else 1
    assert change_lines(edit(ROSTER, [Move("Ann", home)]), "spread") == [
        "This changes nothing: nobody is in another team."
    ]


def test_places_and_pairs_are_told() -> None:
    """Whom one stays with, what elsewhere would cost, and whom to swap with."""
    lines = place_lines(why_there(ROSTER, "Dan", objective="gap"), "gap")
    assert lines[0] == "Why Dan is in Team 1:"
    assert "Ann is taken to stay" in lines[1]
    assert "costs" in lines[2]
    assert "with Cid" in lines[3]
    bound = why_there(ROSTER, "Ann", parties=[("Ann", "Dan")], fixed={"Ann": 0, "Bob": 1})
    told = place_lines(bound, "spread")
    assert "  Ann stays with Dan." in told
    assert "  Ann is fixed to Team 1." in told
    pair = together_lines(why_together(ROSTER, "Ann", "Dan", objective="gap"), "gap")
    assert pair[0].startswith("Ann and Dan are in one team; apart at best: win chances")


def test_names_cannot_change_the_screen() -> None:
    """Control characters in a name are escaped wherever it is told."""
    players = [Player("a", 9, "Ann\x1b[31m"), Player("b", 8), Player("c", 4), Player("d", 3)]
    everything = explanation_lines(explain(players, apart=[("a", "b")]))
    everything += place_lines(why_there(players, "a"), "spread")
    assert not any("\x1b" in line for line in everything)
    assert any("Ann\\x1b[31m" in line for line in everything)


def test_an_infeasible_roster_is_told_what_to_give_up() -> None:
    """The rule, and the teams that then come out."""
    lines = explanation_lines(explain(ROSTER, parties=[("Ann", "Bob")], apart=[("Ann", "Bob")]))
    (line,) = lines
    assert line.startswith("The cheapest relaxation is not keeping Ann and Bob apart: then ")
