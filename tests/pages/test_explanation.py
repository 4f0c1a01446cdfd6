"""Explanations as people read them."""

from __future__ import annotations

from typing import Any

import pytest

from equipoise import Move, Player, Preference, Rule, Swap, balance, edit, explain, why_there, why_together
from equipoise.pages.text.explanation import change_lines, explanation_lines, place_lines, together_lines

ROSTER = {"Ann": 9, "Bob": 8, "Cid": 4, "Dan": 3}


def test_a_price_is_reported_with_what_is_left_of_it() -> None:
    """The party, and each of its members let go; the dearest rule first, the cheapest relaxation last."""
    roster = {**ROSTER, "Eve": 2, "Fay": 1, "Gus": 1, "Hal": 1}
    lines = explanation_lines(
        explain(roster, objective="difference", parties=[("Ann", "Bob", "Cid")]), ("Red", "Blue")
    )
    start = lines.index("What the rules cost:")
    assert lines[start + 1].startswith("  Keeping Ann, Bob and Cid together costs ")
    assert lines[start + 2].startswith("    Splitting only Ann: keeping Bob and Cid together costs nothing")
    assert lines[-1].startswith("The cheapest relaxation is letting Ann leave the party: it saves ")


def test_a_broken_rule_is_named_in_words() -> None:
    """A move against a preference says which one, with the team's name."""
    change = edit(ROSTER, [Move("Ann", 1)], objective="difference", fixed={"Ann": 0})
    lines = change_lines(change, "difference", ("Red", "Blue"))
    assert lines[0].startswith("Ann to Blue: costs ")
    assert "It breaks a rule: fixing Ann to Red." in lines
    assert any(line.split() == ["difference", "0", "18"] for line in lines)


def test_nothing_changed_is_said() -> None:
    """A move to the team one is in is no change."""
    home = 0 if any(player.id == "Ann" for player in balance(ROSTER).best.teams[0]) else 1
    assert change_lines(edit(ROSTER, [Move("Ann", home)]), "spread") == [
        "This changes nothing: nobody is in another team."
    ]


def test_places_and_pairs_are_reported() -> None:
    """Whom one stays with, what elsewhere would cost, and whom to swap with."""
    lines = place_lines(why_there(ROSTER, "Dan", objective="difference"), "difference")
    assert lines[0] == "Why Dan is in Team 1:"
    assert "Ann is taken to stay" in lines[1]
    assert "costs" in lines[2]
    assert "with Cid" in lines[3]
    bound = why_there(ROSTER, "Ann", parties=[("Ann", "Dan")], fixed={"Ann": 0, "Bob": 1})
    reported = place_lines(bound, "spread")
    assert "  Ann stays with Dan." in reported
    assert "  Ann is fixed to Team 1." in reported
    pair = together_lines(why_together(ROSTER, "Ann", "Dan", objective="difference"), "difference")
    assert pair[0].startswith("Ann and Dan are in one team; apart at best: win chances")


def test_names_cannot_change_the_screen() -> None:
    """Control characters in a name are escaped wherever it is written."""
    players = [Player("a", 9, "Ann\x1b[31m"), Player("b", 8), Player("c", 4), Player("d", 3)]
    everything = explanation_lines(explain(players, apart=[("a", "b")]))
    everything += place_lines(why_there(players, "a"), "spread")
    assert not any("\x1b" in line for line in everything)
    assert any("Ann\\x1b[31m" in line for line in everything)


def test_an_infeasible_roster_is_reported_what_to_give_up() -> None:
    """The rule, and the teams that then come out."""
    lines = explanation_lines(explain(ROSTER, parties=[("Ann", "Bob")], apart=[("Ann", "Bob")]))
    (line,) = lines
    assert line.startswith("The cheapest relaxation is not keeping Ann and Bob apart: then ")


@pytest.mark.slow
def test_preferences_roles_and_rules_have_words_and_prices() -> None:
    """What is paid for a preference and what keeping it costs, each role and each custom rule."""
    players = [
        Player("Ann", 9, roles=["tank"], side=1.0),
        Player("Bob", 8, roles=["tank"]),
        *(Player(name, mu, roles=["mage"]) for name, mu in (("Cid", 4), ("Dan", 3))),
    ]
    asked: dict[str, Any] = {
        "objective": "win",
        "preferences": [
            Preference("together", ("Ann", "Bob"), 0.02),
            Preference("together", ("Ann", "Dan"), 0.01),
        ],
        "side_price": 0.03,
        "roles": {"tank": 1},
        "rules": [Rule("top", {"Ann": 1, "Cid": 1}, high=1)],
    }
    lines = explanation_lines(explain(players, **asked), ("Red", "Blue"))
    for words in (
        "  Needing 1 tank in every team costs nothing.",
        "  The rule 'top' costs nothing.",
        "  Ann and Bob rather together, worth 2 %: 2 % is paid for it; it cannot be kept: ",
        "  Ann and Dan rather together, worth 1 %: met; that costs nothing.",
        "  Ann rather in Blue, worth 3 %: met; that costs nothing.",
    ):
        assert any(line.startswith(words) for line in lines), words
    change = edit(players, [Swap("Ann", "Bob")], **asked)
    reported = change_lines(change, "win + preferences", ("Red", "Blue"))
    assert round(change.cost.preferences, 9) == 0.04
    assert "It breaks a preference: the side Ann prefers; 3.00 % is paid for it." in reported
    assert [one.kind for one in change.broken] == ["rule"]
    lacking = edit(players, [Swap("Ann", "Cid")], **asked)
    assert [(one.kind, one.name) for one in lacking.broken] == [("role", "tank")]
    place = place_lines(why_there(players, "Ann", **asked), "win", ("Red", "Blue"))
    assert "  A preference: Ann rather in Blue, worth 3 %." in place


def test_fixed_teams_are_priced_as_a_whole() -> None:
    """One alone of all who are fixed makes no difference, all of them do."""
    lines = explanation_lines(
        explain(ROSTER, objective="difference", fixed={"Ann": 0, "Bob": 0, "Cid": 1, "Dan": 1})
    )
    (line,) = [
        line for line in lines if line.startswith("  Fixing Ann, Bob, Cid and Dan to their teams costs ")
    ]
    assert line.endswith(" of win probability and 10 points of difference.")
    assert not any("Only fixing" in line for line in lines)


def test_what_there_was_no_time_for_is_named() -> None:
    """Counted, and named one by one."""
    reported = explanation_lines(
        explain(
            ROSTER,
            apart=[("Ann", "Bob")],
            stop=lambda: True,
            solution=balance(ROSTER, apart=[("Ann", "Bob")]),
        )
    )
    assert (
        "There was no time to price 2 more: keeping Ann and Bob apart; "
        "the sizes of the teams, which may differ by 3 players."
    ) in reported
