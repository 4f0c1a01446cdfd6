"""What is known of games, players and bots when a game server asks."""

from __future__ import annotations

import pytest
from tests.service.weights import conversation as talk

from equipoise.core.match import Ruleset
from equipoise.core.registry import GAMES, MODELS, resolve
from equipoise.core.rulesets import GameRules
from equipoise.identity.roster_lookup import LATELY, RosterLookup
from equipoise.ratings.display_scale import scale_of
from equipoise.ratings.models.elo import Elo
from equipoise.service.answer_cache import (
    LONGEST_STRANGER,
    MOST_SETTINGS,
    MOST_STRANGERS,
    Board,
)
from equipoise.service.snapshot import AmbiguousGameError, Ratings, Snapshot, nearest
from equipoise.service.weights.messages import Everyone, Lookup, Refusal, Setting

CTF, TDM = Ruleset("oa", "ctf"), Ruleset("oa", "tdm")
STATE = {"ann": (1700.0,), "name:bob": (1400.0,), "bot:Xan:1": (1300.0,), "bot:Xan:6": (1650.0,)}
RATINGS = Ratings(Elo(), STATE, {"Xan": "bot:Xan:6"})


def _ask(board: Board, line: bytes, setting: Setting) -> object:
    return board.result(Lookup(setting, line))


def test_the_weight_is_that_of_the_scale_in_the_ruleset() -> None:
    """What is shown elsewhere on the scale from 0 to 100 is what is served."""
    board = talk.board()
    model, state = board.snapshot.ratings.model, board.snapshot.ratings.state
    for setting, ruleset in (
        (Setting(), Ruleset()),
        (Setting("ctf"), Ruleset("openarena", "ctf")),
        (Setting("4", ("g_instantgib",)), Ruleset("openarena", "ctf", ("g_instantgib",))),
    ):
        shown = scale_of(model, state, ruleset).shown(model.rating(state, "a1b2", ruleset).mu)
        assert _ask(board, b"PLAYER a1b2", setting) == f"PLAYER a1b2 {shown:.4f}\n".encode()


def test_who_is_meant_is_asked_on_the_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two with one name it is the one seen within 90 days of the question, whatever was learnt when."""
    now = 1e9
    seen = [("ann", "Max", now - LATELY + 10.0), ("name:bob", "max", now - LATELY + 20.0)]
    board = Board(Snapshot(Ratings(Elo(), STATE, {}, lookup=RosterLookup(seen)), (CTF,)))
    said = []
    for later in (0.0, 15.0, 30.0):
        monkeypatch.setattr("time.time", lambda later=later: now + later)
        said.append(_ask(board, b"PLAYER MAX", Setting("ctf")))
    bob = _ask(board, b"PLAYER name:bob", Setting("ctf"))
    assert said[1] == b"PLAYER MAX" + bytes(bob).removeprefix(b"PLAYER name:bob")
    assert all(bytes(each).startswith(b"ERR ambiguous-name") for each in (said[0], said[2]))


def test_a_game_without_its_name_is_the_only_one_or_the_one_that_was_set() -> None:
    """With several games and no setting it is ambiguous, and said to be."""
    other = Ruleset("nexuiz", "ctf")
    ctf = Setting("ctf")
    assert Snapshot(RATINGS, (CTF, TDM)).played(ctf) == CTF
    assert Snapshot(RATINGS).played(ctf) == Ruleset("", "ctf")
    both = Snapshot(RATINGS, (CTF, other))
    with pytest.raises(AmbiguousGameError, match=r"^game: 'ctf' names no game"):
        both.played(ctf)
    assert Snapshot(RATINGS, (CTF, other), {}, "nexuiz").played(ctf) == other
    assert both.played(Setting("OA/ctf")) == CTF
    assert _ask(Board(both), b"MEANBOT", ctf) is Refusal.AMBIGUOUS_GAME


def test_the_table_of_the_game_decides_what_changes_play() -> None:
    """Cosmetic mutators are left out, other names of a type are the same type."""
    table = GameRules(
        "oa", {"4": "ctf"}, frozenset({"skins"}), frozenset({"instagib"}), {"insta": "instagib"}
    )
    known = Snapshot(RATINGS, (CTF,), {"oa": table})
    assert known.played(Setting("4", ("Skins", "Insta"))) == Ruleset("oa", "ctf", ("instagib",))


@pytest.mark.parametrize(
    ("asked", "served"),
    [
        (CTF, CTF),
        (Ruleset("oa", "ctf", ("lowgrav",)), CTF),
        (Ruleset("oa", "ctf", ("instagib", "lowgrav")), Ruleset("oa", "ctf", ("instagib",))),
        (Ruleset("oa", "ctf", ("a", "b", "instagib")), Ruleset("oa", "ctf", ("a", "b"))),
        (Ruleset("oa", "domination"), Ruleset()),
        (Ruleset("other", "ctf"), Ruleset()),
    ],
)
def test_an_unseen_ruleset_falls_back_to_the_nearest_known(asked: Ruleset, served: Ruleset) -> None:
    """As many of its mutators as possible and no others, then the game type, then everything."""
    known = [Ruleset("oa", "ctf", ("instagib",)), CTF, Ruleset("oa", "ctf", ("a", "b")), TDM]
    assert nearest(asked, known) == served


def test_a_bot_is_served_at_the_level_it_was_last_seen_with() -> None:
    """Else as the mean bot, which counts every level."""
    board = Board(Snapshot(RATINGS))
    assert _ask(board, b"BOT Xan", Setting()) == b"BOT Xan 56.2496\n"
    assert _ask(board, b"MEANBOT", Setting()) == b"MEANBOT 48.9583 2\n"
    assert _ask(board, b"BOT Nobody", Setting()) == b"BOT Nobody 48.9583\n"
    assert _ask(Board(Snapshot(Ratings(Elo(), {}))), b"BOT Nobody", Setting()) == b"BOT Nobody 50.0000\n"


def test_a_player_known_by_name_alone_is_found_by_it() -> None:
    """An archive without strong identities still answers."""
    assert _ask(Board(Snapshot(RATINGS)), b"PLAYER bob", Setting()) == b"PLAYER bob 45.8334\n"


def test_strangers_and_settings_cost_little_memory() -> None:
    """Only so many are kept, however many are asked for."""
    board = Board(Snapshot(RATINGS))
    for number in range(3 * MOST_SETTINGS):
        answers = board.lines(Setting(f"type {number}"))
        assert answers is board.lines(Setting())
    assert len(board._lines) <= MOST_SETTINGS
    for number in range(2 * MOST_STRANGERS):
        for name in (b"%d" % number, b"%d" % number + b"x" * LONGEST_STRANGER):
            assert answers[b"PLAYER " + name] == b"PLAYER " + name + b"\n"
    assert len(answers.found) == MOST_STRANGERS + 1
    assert max(map(len, answers.found)) <= LONGEST_STRANGER


def test_all_leaves_out_whom_no_line_can_name() -> None:
    """Ids with control characters, endless ones, and ids that are no text at all."""
    state = dict.fromkeys(("ann", "a\tb", "a\rb", "x" * 201, "\ud800", "bot:\n:1"), (1500.0,))
    board = Board(Snapshot(Ratings(Elo(), state, {"\n": "bot:\n:1"})))
    answers = board.result(Everyone(Setting()))
    assert answers == b"PLAYER ann 50.0000\nMEANBOT 50.0000 1\nEND\n"
    assert talk.conversation(board).said(b"PLAYER a\tb\n") == Refusal.BAD_NAME.line


@pytest.mark.parametrize("model", MODELS)
def test_every_model_can_be_served(model: str) -> None:
    """Weights, divisions, chances, advantages and late joiners, with strangers and unseen bots."""
    made = resolve("model", MODELS, model)()
    session = talk.conversation(Board(Snapshot(Ratings(made, made.run(made.initial(), _contests())[0]))))
    answers = session.said(
        b"PLAYER a1b2\nPLAYER new\nBOT Sarge\nBOT New\nMEANBOT\nTEAMS 2\nWINPROB\nADVANTAGE\nJOIN x\nALL\n"
    )
    assert not talk.undocumented(answers)
    assert b"ERR" not in answers


def _contests() -> list:
    return [contest for match in talk.matches() for contest in match.contests]


def test_a_class_that_is_a_mutator_too_has_one_ruleset_in_logs_and_over_the_network() -> None:
    """``XGame.InstagibCTF`` is capture the flag with instagib, whoever tells it."""
    tables = {table.game: table for name in GAMES for table in resolve("game", GAMES, name).rules()}
    known = Snapshot(RATINGS, (), tables)
    asked = Setting("ut2004/XGame.InstagibCTF", ("XGame.MutInstaGib", "Equipoise.EquipoiseMutator"))
    assert known.played(asked) == Ruleset("ut2004", "ctf", ("instagib",))
    assert known.played(Setting("ut2004/XGame.InstagibCTF")) == Ruleset("ut2004", "ctf", ("instagib",))
