"""The board in a browser: driven by mouse, finger and keyboard, with names that mean harm."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from benchmarks.pages.browsers import Browser, why_no_browser
from tests.pages.html.axe import complaints
from tests.pages.html.hostile import HOSTILE

from equipoise import BalanceRequest, balance
from equipoise.pages.html.board import board_html

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(why_no_browser()), reason=why_no_browser() or "there is one"),
]

#: Those that a roster takes: at most 200 characters, no control signs.
NAMED = [name for name in HOSTILE if len(name) <= 200 and not re.search(r"[\x00-\x1f]", name)]

NAMES = ["Amber", "Birch", "Cedar", "Dahlia", "Elm", "Fern", "Gorse", "Hazel"]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page as a file."""
    path = tmp_path_factory.mktemp("board") / "board.html"
    path.write_text(board_html(), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a browser of a desk's size."""
    with Browser() as browser:
        yield browser


@pytest.fixture
def board(browser: Browser, page: Path) -> Browser:
    """Return the browser with the page as it comes."""
    browser.open("about:blank")
    browser.open(page.as_uri())
    browser.wait("return document.querySelector('.team')")
    return browser


def teams(board: Browser) -> list[list[str]]:
    """Return who is in each team."""
    found: list[list[str]] = board.run(
        "return [...document.querySelectorAll('.team')].map((team) => "
        "[...team.querySelectorAll('.player bdi')].map((name) => name.textContent))"
    )
    return found


def chip(name: str) -> str:
    """Return the selector of a player of the example."""
    return f'li[data-place="{NAMES.index(name)}"] .player'


def team_of(board: Browser, name: str) -> int:
    """Return the team of a player."""
    return next(number for number, names in enumerate(teams(board)) if name in names)


def typed(board: Browser, text: str, **fields: str) -> None:
    """Write into the form, as its user does, and wait for the answer with its reasons, a frame later."""
    board.run(
        "for (const [id, value] of Object.entries(arguments[0])) document.getElementById(id).value = value;"
        "document.getElementById('status').textContent = ''; document.getElementById('fault').hidden = true;"
        "document.getElementById('ask').dispatchEvent(new Event('input'));",
        {"text": text, **fields},
    )
    board.wait(
        "return !['', say('searching')].includes(document.getElementById('status').textContent)"
        " || !document.getElementById('fault').hidden"
    )
    frames(board)


def frames(board: Browser) -> None:
    """Wait for what the page shows two frames after the teams."""
    board.run(
        "window.passed = false; const next = requestAnimationFrame;"
        "next(() => next(() => next(() => { window.passed = true; })));"
    )
    board.wait("return window.passed")


def asked(board: Browser) -> Any:
    """Return the request that the page's address holds."""
    return board.run("return dataOf(withLocks())")


def test_the_best_teams_are_there_at_once(board: Browser) -> None:
    """They are the library's, said to be proven, with chances that follow."""
    assert board.run("return document.getElementById('status').textContent").endswith("Proven best.")
    best = balance(BalanceRequest.from_dict(asked(board))).best
    assert sorted(map(sorted, teams(board))) == sorted(sorted(p.id for p in team) for team in best.teams)
    assert board.log() == []


@pytest.mark.parametrize("width", [360, 412])
def test_nothing_moves_when_the_first_teams_come(board: Browser, width: int) -> None:
    """Their room is kept on a phone until they are there, and not where there are none."""
    board.look(width, 800)
    shown, kept, none = board.run(
        "const board = document.getElementById('board'), empty = board.cloneNode(); board.replaceWith(empty);"
        "const tall = (busy) => { empty.ariaBusy = busy; return empty.offsetHeight; };"
        "const [kept, none] = [tall(true), tall(false)]; empty.replaceWith(board);"
        "return [board.offsetHeight, kept, none];"
    )
    board.look(1280, 900)
    assert abs(shown - kept) <= 4
    assert (board.run("return document.getElementById('board').ariaBusy"), none) == ("false", 0)


@pytest.mark.parametrize("kind", ["mouse", "touch"])
def test_a_player_is_dragged_onto_a_team(board: Browser, kind: str) -> None:
    """A mouse takes the name, a finger the grip; the numbers follow and the rule that is broken is said."""
    before, chances = (
        team_of(board, "Amber"),
        board.run("return document.querySelector('.chance').textContent"),
    )
    handle = chip("Amber") if kind == "mouse" else f'li[data-place="{NAMES.index("Amber")}"] .grip'
    board.drag(handle, f'.team[data-team="{1 - before}"] header', kind)
    assert team_of(board, "Amber") == 1 - before
    assert board.run("return document.querySelector('.chance').textContent") != chances
    assert "breaks a rule" in board.run("return document.getElementById('said').textContent")


def test_many_teams_are_searched_in_turns(board: Browser) -> None:
    """While 400 players are divided into 40 teams the page says so; what is asked last counts."""
    board.run(
        "window.said = new Set();"
        "new MutationObserver(() => said.add(document.getElementById('status').textContent))"
        ".observe(document.getElementById('status'), {childList: true, characterData: true, subtree: true});"
    )
    names = "\n".join(f"P{n}x {1000 + 37 * n % 1009}" for n in range(400))
    typed(board, names, teams="40")
    assert board.run("return said.has(say('searching'))")
    assert [len(team) for team in teams(board)] == [10] * 40
    totals = board.run("return judged(state.labels).totals")
    assert max(totals) - min(totals) < 200  # of totals of 15,000
    typed(board, "Ann 3, Bob 2, Cid 1", teams="2")
    assert sorted(chain(*teams(board))) == ["Ann", "Bob", "Cid"]


@pytest.mark.parametrize("kind", ["mouse", "touch"])
def test_two_players_change_places(board: Browser, kind: str) -> None:
    """One is tapped, then the other."""
    one, other = teams(board)[0][0], teams(board)[1][0]
    board.tap(chip(one), kind)
    board.tap(chip(other), kind)
    assert (team_of(board, one), team_of(board, other)) == (1, 0)
    assert (
        board.run("return document.getElementById('status').textContent")
        .partition(". ")[2]
        .startswith("Changed by you")
    )


def test_the_keyboard_moves_swaps_locks_and_solves_again(board: Browser) -> None:
    """Arrows move, L locks, Enter picks up; who is locked stays when it is solved again."""
    name = teams(board)[0][0]
    board.run("document.querySelector(arguments[0]).focus()", chip(name))
    board.press("ArrowRight")
    assert team_of(board, name) == 1
    board.press("l")
    board.run("document.getElementById('solve').focus()")
    board.press("Enter")
    assert team_of(board, name) == 1
    assert asked(board)["fixed"] == {name: 2}
    assert board.run("return document.getElementById('status').textContent").endswith("Proven best.")
    other = teams(board)[0][0]
    board.run("document.querySelector(arguments[0]).focus()", chip(other))
    board.press("Enter")
    assert board.run("return document.querySelectorAll('.move:not([hidden])').length") == 1
    board.press("Escape")
    assert board.run("return document.querySelectorAll('.move:not([hidden])').length") == 0


def test_the_link_carries_the_request(board: Browser, page: Path) -> None:
    """Whoever opens it sees the same question, rules and all; nothing is sent to any server."""
    typed(
        board,
        "Amber 9\nBirch 8 + Cedar 7\nDahlia 5\nElm 4\nFern 2",
        apart="Amber, Elm",
        fixed="Fern 2",
        bots="8",
    )
    request = asked(board)
    link = board.run("return linkOf()")
    assert link.startswith(page.as_uri() + "#")
    board.open("about:blank")
    board.open(link)
    board.wait("return document.querySelector('.team')")
    assert asked(board) == request
    assert BalanceRequest.from_dict(request).to_dict()["apart"] == [["Amber", "Elm"]]


@pytest.mark.parametrize("fragment", ["x", "e30", "%%%", "eyJwbGF5ZXJzIjo3fQ", "W10", "bnVsbA"])
def test_a_link_that_holds_nothing_is_said_to(board: Browser, page: Path, fragment: str) -> None:
    """Whatever is behind the sign, the page works."""
    board.open("about:blank")
    board.open(f"{page.as_uri()}#{fragment}")
    assert "The link holds no request" in board.run("return document.getElementById('fault').textContent")
    board.run(
        "document.querySelectorAll('.answer button').forEach((one) => one.id !== 'print' && one.click())"
    )
    assert board.log() == []
    typed(board, "Amber\nBirch")
    assert len(teams(board)) == 2


def test_buttons_that_are_not_drawn_anew_yet_do_no_harm(board: Browser) -> None:
    """Everything is pressed at once, also the next best of teams that were solved again since."""
    board.wait("return document.querySelector('#alternatives button')")
    board.run(
        "for (const one of document.querySelectorAll('.answer button'))"
        " if (one.offsetParent && one.id !== 'print') one.click()"
    )
    assert board.log() == []
    assert sorted(chain(*teams(board))) == NAMES


def test_what_can_be_read_in_two_ways_is_asked(board: Browser) -> None:
    """The page shows the readings as buttons; one of them settles it."""
    typed(board, "42 Player 1\n37 Player 2")
    assert board.run("return document.querySelectorAll('#ways button:not([hidden])').length") == 2
    board.tap("#ways button")
    assert sorted(chain(*teams(board))) == ["Player 1", "Player 2"]


def test_names_that_mean_harm_are_shown_and_do_nothing(board: Browser) -> None:
    """Markup, bidirectional signs and formulas are text on the page, in the link and in the chat."""
    typed(board, json.dumps([[name, 10 + n] for n, name in enumerate(NAMED)]))
    shown = [*chain(*teams(board))]
    assert len(shown) == len(NAMED)
    assert not any("\u202e" in name for name in shown)
    assert board.run("return document.title") == "Fair teams"
    assert board.run("return document.querySelectorAll('#board script, #board img').length") == 0
    chat = board.run("return chatOf()")
    assert "@everyone" not in chat
    assert len(chat) < 3000
    assert board.run("return document.documentElement.scrollWidth <= innerWidth")
    board.open(board.run("return linkOf()"))
    assert board.run("return document.title") == "Fair teams"
    assert board.log() == []


def test_a_contradiction_is_said(board: Browser) -> None:
    """Players that must be together and apart are named; the teams before stay and can be moved on."""
    typed(board, "Amber + Birch\nCedar", apart="Amber, Birch")
    assert "must be apart, but are in one party" in board.run(
        "return document.getElementById('fault').textContent"
    )
    assert sorted(chain(*teams(board))) == NAMES
    before = team_of(board, "Hazel")
    board.run("document.querySelector(arguments[0]).focus()", chip("Hazel"))
    board.press("ArrowRight")
    assert team_of(board, "Hazel") == 1 - before
    assert board.log() == []


def test_what_stays_is_not_drawn_anew(board: Browser) -> None:
    """A player's weight changes: everyone's element is the one before, and the reasons come a frame later."""
    board.run("window.before = [...document.querySelectorAll('.team li')]")
    typed(board, board.run("return document.getElementById('text').value.replace('990', '1600')"))
    assert board.run("return before.every((one) => document.getElementById('board').contains(one))")
    board.wait(
        "return document.getElementById('why').textContent"
        ".includes(document.querySelector('.chance').textContent)"
    )


def test_the_next_best_of_three_teams_says_who_goes_where(board: Browser) -> None:
    """Teams keep their numbers, so that what is shown is what happens when it is chosen."""
    typed(board, "\n".join(f"p{n} {n * n % 17 + 3}" for n in range(9)), teams="3")
    board.wait("return document.querySelector('#alternatives button')")
    words, before = (
        board.run("return document.querySelector('#alternatives button').textContent"),
        teams(board),
    )
    board.tap("#alternatives button")
    after = teams(board)
    moved = {name: n + 1 for n, team in enumerate(after) for name in team if name not in before[n]}
    assert 0 < len(moved) <= 6
    assert all(f"{name} to Team {team}" in words for name, team in moved.items())


def test_a_bot_of_no_weight_stays_one(board: Browser) -> None:
    """What a bot weighs is in the request that the library takes, 0 as well."""
    typed(board, "Amber 9\nBirch 8\nCedar 7", **{"bots": "4", "bot-weight": "0"})
    bots = BalanceRequest.from_dict(asked(board)).bots
    assert bots is not None
    assert (bots.weight, asked(board)["bots"]) == (0.0, {"weight": 0, "target": 4})


def test_axe_finds_nothing_serious(board: Browser, axe: str) -> None:
    """No rule of WCAG 2.2 AA that a machine can check is broken, at phone and desk size, light and dark."""
    board.run("document.querySelector('details').open = true")
    for width, dark in ((390, False), (390, True), (1280, True), (1280, False)):
        board.look(width, 900, dark=dark)
        assert complaints(board, axe) == [], (width, dark)
        assert board.run("return document.documentElement.scrollWidth <= innerWidth"), width


def test_steps_are_undone_and_done_again(board: Browser) -> None:
    """By button and by key, moves, swaps and locks, and what follows a step is forgotten by the next one."""
    first = teams(board)
    board.run("move(0, 1 - byPlayer(state.labels)[0]); toggle(2)")
    moved = teams(board)
    assert moved != first
    for expected in (moved, first):
        board.run("document.getElementById('undo').click()")
        assert teams(board) == expected
    assert board.run("return [document.getElementById('undo').disabled, state.locks.size]") == [True, 0]
    board.run("document.getElementById('redo').click(); document.getElementById('redo').click()")
    assert teams(board) == moved
    assert board.run("return [state.locks.size, document.getElementById('redo').disabled]") == [1, True]
    board.run(
        "const key = new KeyboardEvent('keydown', {key: 'u', bubbles: true});"
        "document.querySelector('.player').dispatchEvent(key)"
    )
    assert board.run("return state.locks.size") == 0


def test_the_level_leans_and_a_tap_shows_what_swaps_would_do(board: Browser) -> None:
    """The bubble is on the favourite's side; beside each player of another team is what comes of the swap."""
    board.run("move(0, 1 - byPlayer(state.labels)[0])")
    chances = board.run("return judged(state.labels).chances")
    at, label = board.run(
        "const level = document.getElementById('level');"
        "return [Number(level.querySelectorAll('ellipse')[1].getAttribute('cx')), level.ariaLabel]"
    )
    assert (at > 160.0) == (chances[1] > 0.5)
    assert label == board.run("return verdictOf(judged(state.labels).chances)")
    shown_and_wanted = board.run(
        "tap(0); const own = byPlayer(state.labels), found = [];"
        "chips.forEach((chip, place) => { if (own[place] !== own[0])"
        " found.push([chip.querySelector('.player span').textContent,"
        " wholeOf(judged(exchanged(0, place)).chances).join(' : ')]); }); return found"
    )
    assert shown_and_wanted
    assert all(shown == wanted for shown, wanted in shown_and_wanted)
    assert len({shown for shown, _ in shown_and_wanted}) > 1


def test_twenty_eight_players_have_their_previews_at_once(board: Browser) -> None:
    """What every swap would do is worked out in the tap that asks for it."""
    typed(board, "\n".join(f"P{n}x {1000 + 37 * n % 1009}" for n in range(28)), teams="2")
    assert board.run("tap(3); return document.querySelectorAll('.player span').length") == 28
    shown = board.run(
        "return [...document.querySelectorAll('.player span')]"
        ".filter((one) => one.textContent.includes(' : ')).length"
    )
    assert shown == 14
